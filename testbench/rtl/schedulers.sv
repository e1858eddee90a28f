// Schedulers with their scoreboards, of several devices, one of which a number chooses, for the comparison with the model. Units of instructions
// have the numbers of enum isa_class (model/cu/decode.h).
module schedulers #(
  parameter int unsigned Geometries = 3,
  parameter int unsigned Warps      [Geometries] = '{4, 16, 5},
  parameter int unsigned AluLatency [Geometries] = '{4, 4, 2},
  parameter int unsigned MulLatency [Geometries] = '{6, 6, 1},
  parameter int unsigned DivLatency [Geometries] = '{24, 24, 9},
  parameter int unsigned FpuLatency [Geometries] = '{5, 5, 0},
  parameter int unsigned SgLatency  [Geometries] = '{20, 20, 3}
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [1:0]        geometry_i,
  input  logic [15:0]       begin_i,
  input  logic [15:0]       chose_i,
  input  logic [15:0][31:0] candidate_i, // scheduler_candidate_t of each slot
  input  logic [15:0][31:0] check_i,     // scoreboard_check_t
  input  logic              room_i,
  input  logic [15:0]       accepted_i,
  input  logic [3:0]        result_valid_i,
  input  logic [3:0][15:0]  result_i,    // scoreboard_result_t
  output logic              issue_valid_o,
  output logic [3:0]        issue_warp_o,
  output logic [3:0]        issue_cls_o,
  output logic [5:0]        issue_rd_o,
  output logic [15:0]       look_o,
  output logic [15:0]       fault_o,
  output logic [3:0]        next_o
);
  localparam int unsigned CandidateBits = $bits(galena_pkg::scheduler_candidate_t);
  localparam int unsigned CheckBits     = $bits(galena_pkg::scoreboard_check_t);
  localparam int unsigned ResultBits    = $bits(galena_pkg::scoreboard_result_t);
  import galena_pkg::*;
  localparam int unsigned Classes = 12;
  localparam insn_class_e Class [Classes] = '{
    ClassAlu, ClassMul, ClassDiv, ClassFpu, ClassFdiv, ClassLoad, ClassStore, ClassAtomic, ClassBranch, ClassJump, ClassSystem, ClassSg
  };
  logic [50:0] out [Geometries];
  for (genvar g = 0; g < Geometries; g++) begin : gen_geometry
    localparam int unsigned W = Warps[g];
    logic                         chosen, issue_valid;
    logic [W*CandidateBits-1:0]   candidate;
    logic [W*CheckBits-1:0]       check;
    logic [4*ResultBits-1:0]      result;
    logic [W-1:0]                 ready, look, fault;
    logic [3:0]                   next;
    scheduler_issue_t issue;
    assign chosen = geometry_i == 2'(g);
    for (genvar w = 0; w < W; w++) begin : gen_warp
      assign candidate[w*CandidateBits+:CandidateBits] = chosen ? {candidate_i[w][17:10], Class[candidate_i[w][9:6]], candidate_i[w][5:0]} : '0;
      assign check[w*CheckBits+:CheckBits]             = chosen ? check_i[w][CheckBits-1:0] : '0;
    end
    for (genvar r = 0; r < 4; r++) begin : gen_result
      assign result[r*ResultBits+:ResultBits] = result_i[r][ResultBits-1:0];
    end
    scoreboard #(
      .Warps(W), .AluLatency(AluLatency[g]), .MulLatency(MulLatency[g]), .DivLatency(DivLatency[g]), .FpuLatency(FpuLatency[g]),
      .SgLatency(SgLatency[g])
    ) u_scoreboard (
      .clk_i, .rst_ni, .begin_i(chosen ? begin_i[W-1:0] : '0), .check_i(check), .ready_o(ready), .issue_i(issue), .issue_valid_i(issue_valid),
      .result_i(result), .result_valid_i(chosen ? result_valid_i : '0)
    );
    scheduler #(.Warps(W), .AluLatency(AluLatency[g])) u_scheduler (
      .clk_i, .rst_ni, .begin_i(chosen ? begin_i[W-1:0] : '0), .chose_i(chosen ? chose_i[W-1:0] : '0), .candidate_i(candidate), .ready_i(ready),
      .room_i, .accepted_i(chosen ? accepted_i[W-1:0] : '0), .issue_o(issue), .issue_valid_o(issue_valid), .look_o(look), .fault_o(fault),
      .next_o(next)
    );
    assign out[g] = {issue_valid, issue, 16'(look), 16'(fault), next};
  end
  logic [3:0] cls;
  assign {issue_valid_o, issue_warp_o, cls, issue_rd_o, look_o, fault_o, next_o} = out[geometry_i];
  always_comb begin
    issue_cls_o = '1;
    for (int c = 0; c < Classes; c++) if (cls == Class[c]) issue_cls_o = 4'(c);
  end
endmodule
