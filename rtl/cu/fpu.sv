// The unit FPU of a compute unit, of one lane: all floating-point instructions but division and square root, which are fdiv's.
//
// It takes an instruction in every cycle and gives its result Latency cycles later, unless ready_i holds it up. rm_i is the mode of the
// lane, with frm in place of a dynamic one. Operands and result are as registers hold them: b_i and c_i are rs2 and rs3. The flags are
// those of IEEE 754, underflow with tininess after rounding; a device that accrues none leaves them open.
//
// Stages: operands, product, sum, normalisation, rounding. With a Latency below 5 some have no register between them.
module fpu #(
  parameter int unsigned Latency = 5
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [31:0] insn_i,
  input  logic [2:0]  rm_i,
  input  logic [63:0] a_i,
  input  logic [63:0] b_i,
  input  logic [63:0] c_i,
  output logic        valid_o,
  input  logic        ready_i,
  output logic [63:0] result_o,
  output logic [4:0]  flags_o    // invalid, division by zero, overflow, underflow, inexact
);
  localparam int unsigned Width = fpu_pkg::SumWidth;

  logic en;
  assign en      = !valid_o || ready_i;
  assign ready_o = en;

  // operands
  fpu_pkg::operands_t operands_d, operands_q;
  logic               operands_valid;
  fpu_operands u_operands (.en_i(valid_i), .insn_i, .rm_i, .a_i, .b_i, .c_i, .operands_o(operands_d));
  fpu_pipe #(.Width($bits(operands_d)), .Depth(Latency >= 5 ? 1 : 0)) u_operands_pipe (
    .clk_i, .rst_ni, .en_i(en), .valid_i, .d_i(operands_d), .valid_o(operands_valid), .q_o(operands_q)
  );

  // product
  fpu_pkg::product_t product_d, product_q;
  logic               product_valid;
  logic signed [12:0] distance, exponent, lowest;
  always_comb begin
    product_d = '0;
    distance  = '0;
    exponent  = '0;
    lowest    = '0;
    if (operands_valid) begin
      product_d.control      = operands_q.control;
      product_d.product_sign = operands_q.product_sign;
      product_d.addend_sign  = operands_q.addend_sign;
      product_d.addend       = operands_q.addend;
      product_d.product      = operands_q.is_int ? {1'b0, operands_q.a[10:0], operands_q.b, 41'd0} :
                                                   {53'd0, operands_q.a} * {53'd0, operands_q.b};
      distance                 = operands_q.product_exponent - operands_q.addend_exponent;
      product_d.addend_greater = distance < 0;
      exponent                 = distance < 0 ? operands_q.addend_exponent : operands_q.product_exponent;
      if (distance < 0) distance = -distance;
      product_d.distance = distance > 13'sd127 ? 7'd127 : distance[6:0];
      case (operands_q.control.fmt)
        fpu_pkg::Double: lowest = -13'sd1024;
        fpu_pkg::Half:   lowest = -13'sd16;
        default:         lowest = -13'sd128;
      endcase
      exponent        = exponent - lowest;
      product_d.limit = exponent[11:0];
      // these stay where they are
      if (operands_q.control.to_int || operands_q.control.kind == fpu_pkg::KindBits) product_d.limit = 12'd2;
    end
  end
  fpu_pipe #(.Width($bits(product_d)), .Depth(Latency >= 4 ? 1 : 0)) u_product_pipe (
    .clk_i, .rst_ni, .en_i(en), .valid_i(operands_valid), .d_i(product_d), .valid_o(product_valid), .q_o(product_q)
  );

  // sum
  fpu_pkg::sum_t sum_d, sum_q;
  logic             sum_valid;
  logic [Width-1:0] product, addend, greater, less, aligned;
  logic [Width:0]   difference;
  always_comb begin
    product = '0;
    addend  = '0;
    greater = '0;
    less    = '0;
    if (product_valid) begin
      product = {1'b0, product_q.product, 3'd0};
      addend  = {2'b0, product_q.addend, 55'd0};
      greater = product_q.addend_greater ? addend : product;
      less    = product_q.addend_greater ? product : addend;
    end
  end
  fpu_shift #(.Width(Width)) u_align (
    .en_i(product_valid), .value_i(less), .shift_i(product_q.distance), .value_o(aligned)
  );
  always_comb begin
    sum_d      = '0;
    difference = '0;
    if (product_valid) begin
      sum_d.control = product_q.control;
      sum_d.limit   = product_q.limit;
      sum_d.sign    = product_q.addend_greater ? product_q.addend_sign : product_q.product_sign;
      if (product_q.product_sign == product_q.addend_sign) begin
        sum_d.value = greater + aligned;
      end else begin
        difference  = {1'b0, greater} - {1'b0, aligned};
        sum_d.value = difference[Width] ? -difference[Width-1:0] : difference[Width-1:0];
        sum_d.sign  = difference == '0 ? product_q.control.rm == fpu_pkg::RmRdn : sum_d.sign ^ difference[Width];
      end
      if (product_q.control.kind != fpu_pkg::KindNumber) sum_d.sign = product_q.product_sign;
    end
  end
  fpu_pipe #(.Width($bits(sum_d)), .Depth(Latency >= 3 ? 1 : 0)) u_sum_pipe (
    .clk_i, .rst_ni, .en_i(en), .valid_i(product_valid), .d_i(sum_d), .valid_o(sum_valid), .q_o(sum_q)
  );

  // normalisation
  fpu_pkg::normal_t normal_d, normal_q;
  logic             normal_valid;
  logic [Width-1:0] shifted;
  logic [6:0]       shift;
  fpu_normalise #(.Width(Width)) u_normalise (
    .en_i(sum_valid), .value_i(sum_q.value), .limit_i(sum_q.limit > 12'd127 ? 7'd127 : sum_q.limit[6:0]), .value_o(shifted),
    .shift_o(shift)
  );
  always_comb begin
    normal_d = '0;
    if (sum_valid) begin
      normal_d.control = sum_q.control;
      normal_d.sign    = sum_q.sign;
      normal_d.base    = shifted == '0 ? '0 : sum_q.limit - {5'd0, shift};
      normal_d.value   = {shifted[Width-1:Width-65], shifted[Width-66:0] != '0};
    end
  end
  fpu_pipe #(.Width($bits(normal_d)), .Depth(Latency >= 2 ? 1 : 0)) u_normal_pipe (
    .clk_i, .rst_ni, .en_i(en), .valid_i(sum_valid), .d_i(normal_d), .valid_o(normal_valid), .q_o(normal_q)
  );

  // rounding
  fpu_pkg::result_t result_d, result_q;
  fpu_round u_round (
    .en_i(normal_valid), .control_i(normal_q.control), .sign_i(normal_q.sign), .base_i(normal_q.base), .value_i(normal_q.value),
    .result_o(result_d.result), .flags_o(result_d.flags)
  );
  fpu_pipe #(.Width($bits(result_d)), .Depth(Latency > 5 ? Latency - 4 : Latency >= 1 ? 1 : 0)) u_result_pipe (
    .clk_i, .rst_ni, .en_i(en), .valid_i(normal_valid), .d_i(result_d), .valid_o, .q_o(result_q)
  );
  assign result_o = result_q.result;
  assign flags_o  = result_q.flags;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) valid_i |-> galena_pkg::op_class(galena_pkg::decode(insn_i)) == galena_pkg::ClassFpu)
  else $error("an instruction that is not the FPU's");
  assert property (@(posedge clk_i) valid_i |-> rm_i <= fpu_pkg::RmRmm)
  else $error("a rounding mode that there is not");
  assert property (@(posedge clk_i) valid_o && !ready_i |=> $stable({result_o, flags_o}))
  else $error("a result that has not been taken changes");
`endif
endmodule
