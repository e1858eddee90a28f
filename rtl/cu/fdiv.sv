// The unit FDIV of a compute unit, of one lane: division and square root.
//
// It takes an instruction in every cycle and gives its result Latency cycles later, unless ready_i holds it up; ports are those of fpu.
// A stage finds as many of the 54 digits as a Latency leaves it: three with 24 cycles. One cycle more is for the operands, two are for
// the shift of a subnormal result and for its rounding.
module fdiv #(
  parameter int unsigned Latency = 24
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [31:0] insn_i,
  input  logic [2:0]  rm_i,
  input  logic [63:0] a_i,
  input  logic [63:0] b_i,
  output logic        valid_o,
  input  logic        ready_i,
  output logic [63:0] result_o,
  output logic [4:0]  flags_o    // invalid, division by zero, overflow, underflow, inexact
);
  localparam int unsigned Digits = 54;
  localparam int unsigned Most   = Latency > 4 ? Latency - 3 : 1; // stages of digits that there can be
  localparam int unsigned Count  = (Digits + Most - 1) / Most;
  localparam int unsigned Stages = (Digits + Count - 1) / Count;
  localparam int unsigned Rest   = Latency > Stages + 2 ? Latency - Stages - 2 : Latency >= 1 ? 1 : 0;

  logic en;
  assign en      = !valid_o || ready_i;
  assign ready_o = en;

  // operands: as 53 bits of which the highest is 1
  logic [1:0]         fmt;
  logic [63:0]        a_bits, b_bits;
  logic               a_sign, a_nan, a_signalling, a_infinite, a_zero, a_subnormal;
  logic               b_sign, b_nan, b_signalling, b_infinite, b_zero, b_subnormal;
  logic signed [12:0] a_exponent, b_exponent;
  logic [52:0]        a_significand, b_significand, a_normal, b_normal;
  logic [6:0]         a_shift, b_shift;
  logic               sqrt, zero, wide;
  assign fmt  = {1'b0, insn_i[25]};
  assign sqrt = insn_i[30];
  fpu_unpack u_a (
    .en_i(valid_i), .fmt_i(fmt), .reg_i(a_i), .bits_o(a_bits), .sign_o(a_sign), .nan_o(a_nan), .signalling_o(a_signalling),
    .infinite_o(a_infinite), .zero_o(a_zero), .subnormal_o(a_subnormal), .exponent_o(a_exponent), .significand_o(a_significand)
  );
  fpu_unpack u_b (
    .en_i(valid_i && !sqrt), .fmt_i(fmt), .reg_i(b_i), .bits_o(b_bits), .sign_o(b_sign), .nan_o(b_nan), .signalling_o(b_signalling),
    .infinite_o(b_infinite), .zero_o(b_zero), .subnormal_o(b_subnormal), .exponent_o(b_exponent), .significand_o(b_significand)
  );
  fpu_normalise #(.Width(53)) u_a_normal (
    .en_i(valid_i), .value_i(a_significand), .limit_i(7'd127), .value_o(a_normal), .shift_o(a_shift)
  );
  fpu_normalise #(.Width(53)) u_b_normal (
    .en_i(valid_i && !sqrt), .value_i(b_significand), .limit_i(7'd127), .value_o(b_normal), .shift_o(b_shift)
  );

  fpu_pkg::quotient_t first;
  logic [55:0]        first_remainder;
  logic signed [12:0] exponent;
  always_comb begin
    first           = '0;
    first_remainder = '0;
    exponent        = '0;
    zero            = 1'b0;
    wide            = 1'b0;
    if (valid_i) begin
      first.control.fmt = fmt;
      first.control.rm  = rm_i;
      first.root        = sqrt;
      exponent          = a_exponent - signed'({6'd0, a_shift});
      if (sqrt) begin
        first.sign            = a_sign;
        wide                  = exponent[0]; // the root of twice the significand
        first.exponent        = exponent >>> 1;
        zero                  = a_zero;
        first.control.invalid = a_signalling || (a_sign && !a_zero && !a_nan);
        if (a_nan || first.control.invalid) first.control.kind = fpu_pkg::KindNan;
        else if (a_infinite) first.control.kind = fpu_pkg::KindInfinite;
      end else begin
        first.sign             = a_sign ^ b_sign;
        wide                   = a_normal < b_normal; // the quotient's first digit is 1 then, too
        first.exponent         = exponent - (b_exponent - signed'({6'd0, b_shift})) - signed'({12'd0, wide});
        zero                   = a_zero || b_infinite;
        first.control.invalid  = a_signalling || b_signalling || (a_zero && b_zero) || (a_infinite && b_infinite);
        first.control.div_zero = b_zero && !a_zero && !a_infinite && !a_nan;
        if (a_nan || b_nan || first.control.invalid) first.control.kind = fpu_pkg::KindNan;
        else if (a_infinite || b_zero) first.control.kind = fpu_pkg::KindInfinite;
      end
      if (zero) first.exponent = '0;
      else first_remainder = wide ? {1'b0, a_normal, 2'b0} : {2'b0, a_normal, 1'b0};
    end
  end

  // digits
  logic               first_valid;
  fpu_pkg::quotient_t first_q;
  logic [52:0]        first_divisor_q;
  logic [55:0]        first_remainder_q;
  fpu_pipe #(.Width($bits(first) + 109), .Depth(Latency >= 3 ? 1 : 0)) u_first_pipe (
    .clk_i, .rst_ni, .en_i(en), .valid_i, .d_i({first, b_normal, first_remainder}), .valid_o(first_valid), .q_o({first_q, first_divisor_q, first_remainder_q})
  );
  for (genvar i = 0; i < Stages; i++) begin : gen_stage
    logic                    from_valid, valid;
    logic [$bits(first)-1:0] from, quotient; // not structures: yosys does not find those of a generate block
    logic [52:0]             from_divisor, divisor;
    logic [55:0]             from_remainder, remainder;
    logic [53:0]             from_digits, digits;
    if (i == 0) begin : gen_first
      assign from_valid     = first_valid;
      assign from           = first_q;
      assign from_divisor   = first_divisor_q;
      assign from_remainder = first_remainder_q;
      assign from_digits    = '0;
    end else begin : gen_next
      assign from_valid     = gen_stage[i-1].valid;
      assign from           = gen_stage[i-1].quotient;
      assign from_divisor   = gen_stage[i-1].divisor;
      assign from_remainder = gen_stage[i-1].remainder;
      assign from_digits    = gen_stage[i-1].digits;
    end
    fdiv_steps #(
      .First(i * Count), .Count(i + 1 < Stages ? Count : Digits - i * Count), .Registered(Latency >= 4)
    ) u_steps (
      .clk_i, .rst_ni, .en_i(en), .valid_i(from_valid), .quotient_i(from), .divisor_i(from_divisor), .remainder_i(from_remainder),
      .digits_i(from_digits), .valid_o(valid), .quotient_o(quotient), .divisor_o(divisor), .remainder_o(remainder), .digits_o(digits)
    );
  end

  // the place of a subnormal result
  fpu_pkg::quotient_t last;
  fpu_pkg::normal_t   normal_d, normal_q;
  logic               last_valid, normal_valid, below;
  logic signed [12:0] distance;
  logic [65:0]        value, shifted;
  assign last       = gen_stage[Stages-1].quotient;
  assign last_valid = gen_stage[Stages-1].valid;
  always_comb begin
    distance = '0;
    below    = 1'b0;
    value    = '0;
    if (last_valid) begin
      distance = last.exponent + (last.control.fmt == fpu_pkg::Double ? 13'sd1022 : 13'sd126);
      below    = distance < 0;
      if (below) distance = -distance;
      value = {gen_stage[Stages-1].digits, 11'd0, gen_stage[Stages-1].remainder != '0};
    end
  end
  fpu_shift #(.Width(66)) u_shift (
    .en_i(last_valid && below), .value_i(value), .shift_i(distance > 13'sd127 ? 7'd127 : distance[6:0]), .value_o(shifted)
  );
  always_comb begin
    normal_d = '0;
    if (last_valid) begin
      normal_d.control = last.control;
      normal_d.sign    = last.sign;
      normal_d.base    = below || value == '0 ? '0 : distance[11:0];
      normal_d.value   = below ? shifted : value;
    end
  end
  fpu_pipe #(.Width($bits(normal_d)), .Depth(Latency >= 2 ? 1 : 0)) u_normal_pipe (
    .clk_i, .rst_ni, .en_i(en), .valid_i(last_valid), .d_i(normal_d), .valid_o(normal_valid), .q_o(normal_q)
  );

  // rounding
  fpu_pkg::result_t result_d, result_q;
  fpu_round u_round (
    .en_i(normal_valid), .control_i(normal_q.control), .sign_i(normal_q.sign), .base_i(normal_q.base), .value_i(normal_q.value),
    .result_o(result_d.result), .flags_o(result_d.flags)
  );
  fpu_pipe #(.Width($bits(result_d)), .Depth(Rest)) u_result_pipe (
    .clk_i, .rst_ni, .en_i(en), .valid_i(normal_valid), .d_i(result_d), .valid_o, .q_o(result_q)
  );
  assign result_o = result_q.result;
  assign flags_o  = result_q.flags;

  logic unused;
  assign unused = ^{insn_i[31], insn_i[29:26], insn_i[24:0], a_bits, b_bits, last.root, gen_stage[Stages-1].divisor, a_subnormal, b_subnormal};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) valid_i |-> galena_pkg::op_class(galena_pkg::decode(insn_i)) == galena_pkg::ClassFdiv)
  else $error("an instruction that is not FDIV's");
  assert property (@(posedge clk_i) valid_i |-> rm_i <= fpu_pkg::RmRmm)
  else $error("a rounding mode that there is not");
  assert property (@(posedge clk_i) valid_o && !ready_i |=> $stable({result_o, flags_o}))
  else $error("a result that has not been taken changes");
`endif
endmodule
