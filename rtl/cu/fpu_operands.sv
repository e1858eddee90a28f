// The operands of an instruction as those of the one sum that the unit makes: product + addend.
//
//   fadd, fsub    rs1 * 1 +- rs2             conversions of formats   rs1 * 1 + 0, rounded to the other format
//   fmul          rs1 * rs2 + 0              to an integer            rs1 * 1 + 0 * 2^63, rounded at the weight 1
//   fmadd ...     +-(rs1 * rs2) +- rs3       from an integer          the integer + 0
module fpu_operands (
  input  logic               en_i,
  input  logic [31:0]        insn_i,
  input  logic [2:0]         rm_i,
  input  logic [63:0]        a_i,
  input  logic [63:0]        b_i,
  input  logic [63:0]        c_i,
  output fpu_pkg::operands_t operands_o
);
  // The functions, as instructions number them.
  localparam logic [4:0] FunctAdd     = 5'b00000;
  localparam logic [4:0] FunctSub     = 5'b00001;
  localparam logic [4:0] FunctMul     = 5'b00010;
  localparam logic [4:0] FunctConvert = 5'b01000;
  localparam logic [4:0] FunctToInt   = 5'b11000;
  localparam logic [4:0] FunctFromInt = 5'b11010;
  // Of an integer the highest bit weighs 2^63. A product of 0 is below every addend.
  localparam logic signed [12:0] IntExponent  = 13'sd63;
  localparam logic signed [12:0] ZeroExponent = -13'sd2048;

  logic       fused, adds, multiplies, converts, to_int, from_int, bits;
  logic [4:0] funct5;
  logic [1:0] fmt;
  assign funct5     = insn_i[31:27];
  assign fmt        = insn_i[26:25];
  assign fused      = !insn_i[4];
  assign adds       = !fused && (funct5 == FunctAdd || funct5 == FunctSub);
  assign multiplies = fused || funct5 == FunctMul;
  assign converts   = !fused && funct5 == FunctConvert;
  assign to_int     = !fused && funct5 == FunctToInt;
  assign from_int   = !fused && funct5 == FunctFromInt;
  assign bits       = !(adds || multiplies || converts || to_int || from_int);

  logic [63:0]        a_bits, b_bits, c_bits;
  logic               a_sign, a_nan, a_signalling, a_infinite, a_zero, a_subnormal;
  logic               b_sign, b_nan, b_signalling, b_infinite, b_zero, b_subnormal;
  logic               c_sign, c_nan, c_signalling, c_infinite, c_zero, c_subnormal;
  logic signed [12:0] a_exponent, b_exponent, c_exponent;
  logic [52:0]        a_significand, b_significand, c_significand;

  fpu_unpack u_a (
    .en_i, .fmt_i(converts ? insn_i[21:20] : fmt), .reg_i(a_i), .bits_o(a_bits), .sign_o(a_sign), .nan_o(a_nan),
    .signalling_o(a_signalling), .infinite_o(a_infinite), .zero_o(a_zero), .subnormal_o(a_subnormal), .exponent_o(a_exponent),
    .significand_o(a_significand)
  );
  fpu_unpack u_b (
    .en_i(en_i && !converts && !to_int && !from_int), .fmt_i({1'b0, fmt[0]}), .reg_i(b_i), .bits_o(b_bits), .sign_o(b_sign),
    .nan_o(b_nan), .signalling_o(b_signalling), .infinite_o(b_infinite), .zero_o(b_zero), .subnormal_o(b_subnormal),
    .exponent_o(b_exponent), .significand_o(b_significand)
  );
  fpu_unpack u_c (
    .en_i(en_i && fused), .fmt_i({1'b0, fmt[0]}), .reg_i(c_i), .bits_o(c_bits), .sign_o(c_sign), .nan_o(c_nan),
    .signalling_o(c_signalling), .infinite_o(c_infinite), .zero_o(c_zero), .subnormal_o(c_subnormal), .exponent_o(c_exponent),
    .significand_o(c_significand)
  );

  logic [63:0] compare_result;
  logic        compare_invalid;
  fpu_compare u_compare (
    .en_i(en_i && bits), .funct5_i(funct5), .funct3_i(insn_i[13:12]), .fmt_i(fmt), .reg_i(a_i), .a_i(a_bits[62:0]), .b_i(b_bits[62:0]),
    .a_sign_i(a_sign), .b_sign_i(b_sign), .a_nan_i(a_nan), .b_nan_i(b_nan),
    .signalling_i(a_signalling || (b_signalling && !insn_i[30])), // a class looks at rs1 alone
    .a_infinite_i(a_infinite), .a_zero_i(a_zero), .b_zero_i(b_zero), .a_subnormal_i(a_subnormal), .result_o(compare_result),
    .invalid_o(compare_invalid)
  );

  logic               factor_infinite, factor_zero, addend_nan, addend_signalling, addend_infinite, invalid;
  logic [63:0]        integer_value;
  fpu_pkg::operands_t o;

  always_comb begin
    o                 = '0;
    factor_infinite   = 1'b0;
    factor_zero       = 1'b0;
    addend_nan        = 1'b0;
    addend_signalling = 1'b0;
    addend_infinite   = 1'b0;
    invalid           = 1'b0;
    integer_value     = '0;
    if (en_i) begin
      o.control.fmt          = fmt;
      o.control.to_int       = to_int;
      o.control.int_long     = insn_i[21];
      o.control.int_unsigned = insn_i[20];
      o.control.rm           = rm_i;
      if (bits || from_int) begin
        integer_value = insn_i[21] ? a_i : {{32{a_i[31] && !insn_i[20]}}, a_i[31:0]};
        o.is_int      = 1'b1;
        if (bits) begin
          o.control.kind    = fpu_pkg::KindBits;
          o.control.invalid = compare_invalid;
          integer_value     = compare_result;
        end else if (integer_value[63] && !insn_i[20]) begin
          o.product_sign = 1'b1;
          integer_value  = -integer_value;
        end
        {o.a, o.b}         = {42'd0, integer_value};
        o.product_exponent = IntExponent;
      end else begin
        factor_infinite    = a_infinite || (multiplies && b_infinite);
        factor_zero        = a_zero || (multiplies && b_zero);
        o.product_sign     = a_sign ^ (multiplies && b_sign) ^ (fused && insn_i[3]);
        o.product_exponent = factor_zero ? ZeroExponent : multiplies ? a_exponent + b_exponent : a_exponent;
        o.a                = a_significand;
        o.b                = multiplies ? b_significand : {1'b1, 52'd0};
      end
      // the addend: rs3, rs2, or a zero of the product's sign, which changes nothing
      o.addend_sign = o.product_sign;
      case (fmt)
        fpu_pkg::Double: o.addend_exponent = -13'sd1022;
        fpu_pkg::Half:   o.addend_exponent = -13'sd14;
        default:         o.addend_exponent = -13'sd126;
      endcase
      if (to_int || bits) o.addend_exponent = IntExponent;
      if (fused) begin
        o.addend_sign     = c_sign ^ insn_i[2];
        o.addend_exponent = c_exponent;
        o.addend          = c_significand;
        addend_nan        = c_nan;
        addend_signalling = c_signalling;
        addend_infinite   = c_infinite;
      end else if (adds) begin
        o.addend_sign     = b_sign ^ funct5[0];
        o.addend_exponent = b_exponent;
        o.addend          = b_significand;
        addend_nan        = b_nan;
        addend_signalling = b_signalling;
        addend_infinite   = b_infinite;
      end
      if (!o.is_int) begin
        invalid = (factor_infinite && factor_zero) ||
                  (factor_infinite && addend_infinite && o.product_sign != o.addend_sign && !a_nan && !(multiplies && b_nan));
        if (invalid || a_nan || (multiplies && b_nan) || addend_nan) o.control.kind = fpu_pkg::KindNan;
        else if (factor_infinite || addend_infinite || (to_int && a_exponent > IntExponent)) o.control.kind = fpu_pkg::KindInfinite;
        o.control.invalid = invalid || a_signalling || (multiplies && b_signalling) || addend_signalling;
      end
      if (o.control.kind == fpu_pkg::KindInfinite && !factor_infinite && !to_int) o.product_sign = o.addend_sign;
    end
  end
  assign operands_o = o;

  logic unused;
  assign unused = ^{insn_i[24:22], insn_i[19:14], insn_i[11:5], insn_i[1:0], a_bits[63], b_bits[63], c_bits, c_zero, c_subnormal, b_subnormal};
endmodule
