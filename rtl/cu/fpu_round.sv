// Rounds a number to a format or an integer, and says what else a result is: infinities, NaNs, integers at the ends of their range.
//
// The highest bit of value_i is the first of the significand, or 0 if the result is subnormal; base_i is then 0, and otherwise the
// exponent field less 1. Of an integer the highest 64 bits are its magnitude. The lowest bit also stands for all that lies below.
module fpu_round (
  input  logic              en_i,
  input  fpu_pkg::control_t control_i,
  input  logic              sign_i,
  input  logic [11:0]       base_i,
  input  logic [65:0]       value_i,
  output logic [63:0]       result_o,
  output logic [4:0]        flags_o    // invalid, division by zero, overflow, underflow, inexact
);
  // Whether a magnitude grows by 1 in its last place.
  function automatic logic grows(logic [2:0] rm, logic sign, logic last, logic half, logic rest);
    case (rm)
      fpu_pkg::RmRne: grows = half && (rest || last);
      fpu_pkg::RmRdn: grows = sign && (half || rest);
      fpu_pkg::RmRup: grows = !sign && (half || rest);
      fpu_pkg::RmRmm: grows = half;
      default: grows = 1'b0;
    endcase
  endfunction

  logic [63:0] kept, infinity, quiet, most, magnitude;
  logic        half, rest, up, inexact;
  logic        below_ones, below_half, below_rest, tiny; // one place lower, as if the exponent had no bounds
  logic [65:0] base, sum;
  logic        overflow, away, beyond, negative;

  always_comb begin
    result_o   = '0;
    flags_o    = '0;
    kept       = '0;
    infinity   = '0;
    quiet      = '0;
    most       = '0;
    magnitude  = '0;
    half       = 1'b0;
    rest       = 1'b0;
    up         = 1'b0;
    inexact    = 1'b0;
    below_ones = 1'b0;
    below_half = 1'b0;
    below_rest = 1'b0;
    tiny       = 1'b0;
    base       = '0;
    sum        = '0;
    overflow   = 1'b0;
    away       = 1'b0;
    beyond     = 1'b0;
    negative   = sign_i;
    if (en_i) begin
      if (control_i.to_int) begin
        kept = value_i[65:2];
        half = value_i[1];
        rest = value_i[0];
      end else begin
        case (control_i.fmt)
          fpu_pkg::Double: begin
            kept       = {11'd0, value_i[65:13]};
            half       = value_i[12];
            rest       = value_i[11:0] != '0;
            below_ones = &value_i[64:12];
            below_half = value_i[11];
            below_rest = value_i[10:0] != '0;
            base       = {2'd0, base_i, 52'd0};
            infinity   = 64'h7ff0000000000000;
            quiet      = 64'h0008000000000000;
          end
          fpu_pkg::Half: begin
            kept       = {53'd0, value_i[65:55]};
            half       = value_i[54];
            rest       = value_i[53:0] != '0;
            below_ones = &value_i[64:54];
            below_half = value_i[53];
            below_rest = value_i[52:0] != '0;
            base       = {44'd0, base_i, 10'd0};
            infinity   = 64'h7c00;
            quiet      = 64'h0200;
          end
          default: begin
            kept       = {40'd0, value_i[65:42]};
            half       = value_i[41];
            rest       = value_i[40:0] != '0;
            below_ones = &value_i[64:41];
            below_half = value_i[40];
            below_rest = value_i[39:0] != '0;
            base       = {31'd0, base_i, 23'd0};
            infinity   = 64'h7f800000;
            quiet      = 64'h00400000;
          end
        endcase
      end
      inexact = half || rest;
      up      = grows(control_i.rm, sign_i, kept[0], half, rest);
      sum     = base + {2'd0, kept} + {65'd0, up};
      if (control_i.kind == fpu_pkg::KindBits) begin
        result_o = value_i[65:2];
      end else if (control_i.to_int) begin
        negative = sign_i && control_i.kind != fpu_pkg::KindNan;
        most     = control_i.int_long ? 64'hffffffffffffffff : 64'h00000000ffffffff;
        if (!control_i.int_unsigned) most = (most >> 1) + {63'd0, negative};
        else if (negative) most = '0;
        beyond    = control_i.kind != fpu_pkg::KindNumber || sum > {2'd0, most};
        magnitude = beyond ? most : sum[63:0];
        result_o  = negative ? -magnitude : magnitude;
        if (!control_i.int_long) result_o = {{32{result_o[31]}}, result_o[31:0]};
        flags_o = {beyond, 3'd0, inexact && !beyond};
      end else begin
        negative  = sign_i && control_i.kind != fpu_pkg::KindNan;
        away      = grows(control_i.rm, sign_i, 1'b1, 1'b1, 1'b1);
        overflow  = sum >= {2'd0, infinity};
        tiny      = !value_i[65] && !(below_ones && grows(control_i.rm, sign_i, 1'b1, below_half, below_rest));
        magnitude = sum[63:0];
        if (control_i.kind == fpu_pkg::KindNan) magnitude = infinity | quiet;
        else if (control_i.kind == fpu_pkg::KindInfinite) magnitude = infinity;
        else if (overflow) magnitude = infinity - {63'd0, !away};
        case (control_i.fmt)
          fpu_pkg::Double: result_o = {negative, magnitude[62:0]};
          fpu_pkg::Half:   result_o = {48'hffffffffffff, negative, magnitude[14:0]};
          default:         result_o = {32'hffffffff, negative, magnitude[30:0]};
        endcase
        if (control_i.kind == fpu_pkg::KindNumber) flags_o = {2'd0, overflow, tiny && inexact, inexact || overflow};
      end
      flags_o = flags_o | {control_i.invalid, control_i.div_zero, 3'd0};
    end
  end
endmodule
