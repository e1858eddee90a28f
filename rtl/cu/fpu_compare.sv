// What needs no arithmetic: signs, minimum and maximum, comparisons, classes, and moves between registers.
module fpu_compare (
  input  logic        en_i,
  input  logic [4:0]  funct5_i,
  input  logic [1:0]  funct3_i,     // the low 2 bits
  input  logic [1:0]  fmt_i,
  input  logic [63:0] reg_i,        // rs1 as its register has it
  input  logic [62:0] a_i,          // rs1 and rs2 without their boxes and signs
  input  logic [62:0] b_i,
  input  logic        a_sign_i,
  input  logic        b_sign_i,
  input  logic        a_nan_i,
  input  logic        b_nan_i,
  input  logic        signalling_i, // one of both is
  input  logic        a_infinite_i,
  input  logic        a_zero_i,
  input  logic        b_zero_i,
  input  logic        a_subnormal_i,
  output logic [63:0] result_o,
  output logic        invalid_o
);
  // The functions, as instructions number them.
  localparam logic [4:0] FunctSign    = 5'b00100;
  localparam logic [4:0] FunctExtreme = 5'b00101;
  localparam logic [4:0] FunctCompare = 5'b10100;
  localparam logic [4:0] FunctToX     = 5'b11100; // a class, too

  logic        less, equal, sign, whole;
  logic [62:0] a, b, number;

  always_comb begin
    result_o  = '0;
    invalid_o = 1'b0;
    less      = 1'b0;
    equal     = 1'b0;
    sign      = 1'b0;
    whole     = 1'b0; // the result is a number of the format
    a         = '0;
    b         = '0;
    number    = '0;
    if (en_i) begin
      a     = fmt_i == fpu_pkg::Double ? a_i : {32'd0, a_i[30:0]};
      b     = fmt_i == fpu_pkg::Double ? b_i : {32'd0, b_i[30:0]};
      equal = a_sign_i == b_sign_i && a == b;
      less  = a_sign_i != b_sign_i ? a_sign_i : a != b && a_sign_i != (a < b); // -0 is less than +0
      case (funct5_i)
        FunctSign: begin
          whole  = 1'b1;
          number = a;
          case (funct3_i)
            2'd0:    sign = b_sign_i;
            2'd1:    sign = !b_sign_i;
            default: sign = a_sign_i ^ b_sign_i;
          endcase
        end
        FunctExtreme: begin
          whole     = 1'b1;
          invalid_o = signalling_i;
          if (a_nan_i && b_nan_i) begin
            number = fmt_i == fpu_pkg::Double ? 63'h7ff8000000000000 : 63'h7fc00000;
          end else if (b_nan_i || (!a_nan_i && less != funct3_i[0])) begin
            number = a;
            sign   = a_sign_i;
          end else begin
            number = b;
            sign   = b_sign_i;
          end
        end
        FunctCompare: begin
          invalid_o = signalling_i || ((a_nan_i || b_nan_i) && funct3_i != 2'd2);
          equal     = equal || (a_zero_i && b_zero_i);
          less      = less && !equal;
          if (!a_nan_i && !b_nan_i) result_o[0] = funct3_i == 2'd1 ? less : equal || (less && funct3_i == 2'd0);
        end
        FunctToX: begin
          if (funct3_i[0]) begin
            result_o[0] = a_sign_i && a_infinite_i;
            result_o[1] = a_sign_i && !a_infinite_i && !a_zero_i && !a_subnormal_i && !a_nan_i;
            result_o[2] = a_sign_i && a_subnormal_i;
            result_o[3] = a_sign_i && a_zero_i;
            result_o[4] = !a_sign_i && a_zero_i;
            result_o[5] = !a_sign_i && a_subnormal_i;
            result_o[6] = !a_sign_i && !a_infinite_i && !a_zero_i && !a_subnormal_i && !a_nan_i;
            result_o[7] = !a_sign_i && a_infinite_i;
            result_o[8] = a_nan_i && signalling_i;
            result_o[9] = a_nan_i && !signalling_i;
          end else begin
            case (fmt_i)
              fpu_pkg::Double: result_o = reg_i;
              fpu_pkg::Half:   result_o = {{48{reg_i[15]}}, reg_i[15:0]};
              default:         result_o = {{32{reg_i[31]}}, reg_i[31:0]};
            endcase
          end
        end
        default: begin
          case (fmt_i)
            fpu_pkg::Double: result_o = reg_i;
            fpu_pkg::Half:   result_o = {48'hffffffffffff, reg_i[15:0]};
            default:         result_o = {32'hffffffff, reg_i[31:0]};
          endcase
        end
      endcase
      if (whole) result_o = fmt_i == fpu_pkg::Double ? {sign, number} : {32'hffffffff, sign, number[30:0]};
    end
  end
endmodule
