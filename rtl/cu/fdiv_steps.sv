// A stage of a quotient or a root, with its registers if it is Registered: some digits, the highest first. Each is 1 if what is
// subtracted for it fits into the remainder.
//
// The remainder has 53 places behind the point, as has the result. It doubles with each digit; what is subtracted is the divisor, or of
// a root twice the digits so far and the weight of this one.
module fdiv_steps #(
  parameter int unsigned First      = 0, // the number of its first digit, of which digit 0 weighs 1
  parameter int unsigned Count      = 1,
  parameter bit          Registered = 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               en_i,
  input  logic               valid_i,
  input  fpu_pkg::quotient_t quotient_i,
  input  logic [52:0]        divisor_i,
  input  logic [55:0]        remainder_i,
  input  logic [53:0]        digits_i,
  output logic               valid_o,
  output fpu_pkg::quotient_t quotient_o,
  output logic [52:0]        divisor_o,
  output logic [55:0]        remainder_o,
  output logic [53:0]        digits_o
);
  logic [56:0] difference;
  logic [55:0] remainder;
  logic [53:0] digits;

  always_comb begin
    difference = '0;
    remainder  = remainder_i;
    digits     = digits_i;
    if (valid_i) begin
      for (int unsigned i = 0; i < Count; i++) begin
        difference = {1'b0, remainder} -
                     (quotient_i.root ? {2'b0, digits, 1'b0} | (57'd1 << (53 - First - i)) : {3'b0, divisor_i, 1'b0});
        if (!difference[56]) begin
          remainder = difference[55:0];
          digits    = digits | (54'd1 << (53 - First - i));
        end
        remainder = remainder << 1;
      end
    end
  end

  if (Registered) begin : gen_registers
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) valid_o <= 1'b0;
      else if (en_i) valid_o <= valid_i;
    end
    always_ff @(posedge clk_i) begin
      if (en_i && valid_i) begin
        quotient_o  <= quotient_i;
        divisor_o   <= divisor_i;
        remainder_o <= remainder;
        digits_o    <= digits;
      end
    end
  end else begin : gen_wires
    logic unused;
    assign unused      = ^{clk_i, rst_ni, en_i};
    assign valid_o     = valid_i;
    assign quotient_o  = quotient_i;
    assign divisor_o   = divisor_i;
    assign remainder_o = remainder;
    assign digits_o    = digits;
  end
endmodule
