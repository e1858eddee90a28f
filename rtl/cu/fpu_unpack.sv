// An f register as a number of a format. What is not NaN-boxed is the canonical NaN.
module fpu_unpack (
  input  logic               en_i,
  input  logic [1:0]         fmt_i,
  input  logic [63:0]        reg_i,
  output logic [63:0]        bits_o,        // of the format, zeros above
  output logic               sign_o,
  output logic               nan_o,
  output logic               signalling_o,
  output logic               infinite_o,
  output logic               zero_o,
  output logic               subnormal_o,
  output logic signed [12:0] exponent_o,
  output logic [52:0]        significand_o
);
  logic [10:0]        field;
  logic               field_ones;
  logic [51:0]        fraction;
  logic signed [12:0] bias;

  always_comb begin
    bits_o     = '0;
    sign_o     = 1'b0;
    field      = '0;
    field_ones = 1'b0;
    fraction   = '0;
    bias       = '0;
    if (en_i) begin
      case (fmt_i)
        fpu_pkg::Double: begin
          bits_o     = reg_i;
          sign_o     = bits_o[63];
          field      = bits_o[62:52];
          field_ones = &bits_o[62:52];
          fraction   = bits_o[51:0];
          bias       = 13'sd1023;
        end
        fpu_pkg::Half: begin
          bits_o     = {48'd0, &reg_i[63:16] ? reg_i[15:0] : 16'h7e00};
          sign_o     = bits_o[15];
          field      = {6'd0, bits_o[14:10]};
          field_ones = &bits_o[14:10];
          fraction   = {bits_o[9:0], 42'd0};
          bias       = 13'sd15;
        end
        default: begin
          bits_o     = {32'd0, &reg_i[63:32] ? reg_i[31:0] : 32'h7fc00000};
          sign_o     = bits_o[31];
          field      = {3'd0, bits_o[30:23]};
          field_ones = &bits_o[30:23];
          fraction   = {bits_o[22:0], 29'd0};
          bias       = 13'sd127;
        end
      endcase
    end
    nan_o         = field_ones && fraction != '0;
    signalling_o  = nan_o && !fraction[51];
    infinite_o    = field_ones && fraction == '0;
    zero_o        = field == '0 && fraction == '0;
    subnormal_o   = field == '0 && fraction != '0;
    exponent_o    = (field == '0 ? 13'sd1 : signed'({2'b0, field})) - bias;
    significand_o = {field != '0, fraction};
  end
endmodule
