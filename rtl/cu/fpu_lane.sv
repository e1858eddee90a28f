// The floating-point units of one lane, with the latencies of the device's configuration. Both are asked for the same instruction; the
// one whose valid is set takes it.
module fpu_lane
  import galena_pkg::*;
#(
  parameter config_t Config = ConfigDefault
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        fpu_valid_i,
  output logic        fpu_ready_o,
  input  logic        fdiv_valid_i,
  output logic        fdiv_ready_o,
  input  logic [31:0] insn_i,
  input  logic [2:0]  rm_i,
  input  logic [63:0] a_i,
  input  logic [63:0] b_i,
  input  logic [63:0] c_i,
  output logic        fpu_valid_o,
  input  logic        fpu_ready_i,
  output logic [63:0] fpu_result_o,
  output logic [4:0]  fpu_flags_o,
  output logic        fdiv_valid_o,
  input  logic        fdiv_ready_i,
  output logic [63:0] fdiv_result_o,
  output logic [4:0]  fdiv_flags_o
);
  fpu #(.Latency(Config.fpu_latency)) u_fpu (
    .clk_i, .rst_ni, .valid_i(fpu_valid_i), .ready_o(fpu_ready_o), .insn_i, .rm_i, .a_i, .b_i, .c_i, .valid_o(fpu_valid_o),
    .ready_i(fpu_ready_i), .result_o(fpu_result_o), .flags_o(fpu_flags_o)
  );
  fdiv #(.Latency(Config.div_latency)) u_fdiv (
    .clk_i, .rst_ni, .valid_i(fdiv_valid_i), .ready_o(fdiv_ready_o), .insn_i, .rm_i, .a_i, .b_i, .valid_o(fdiv_valid_o),
    .ready_i(fdiv_ready_i), .result_o(fdiv_result_o), .flags_o(fdiv_flags_o)
  );
endmodule
