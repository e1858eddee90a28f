// The scoreboard of a compute unit: which registers of its warps can be read (CU-67, CU-68, CU-70).
//
// Each register of a warp has a bit that is set from the issue of the instruction that writes it until its result can be read. Of what has a
// fixed latency, a line for each latency carries warp and register along, as the unit that computes the result does; the load-store unit
// tells when its results are there. A register is never written twice at once, because an instruction waits for its destination, too.
module scoreboard #(
  parameter int unsigned Warps      = 4,  // up to 16
  parameter int unsigned AluLatency = 4,  // cycles from issue to result, of the configuration
  parameter int unsigned MulLatency = 6,
  parameter int unsigned DivLatency = 24,
  parameter int unsigned FpuLatency = 5,
  parameter int unsigned SgLatency  = 20,
  parameter int unsigned Results    = 4,  // of the load-store unit that can be there in one cycle
  localparam int unsigned CheckBits  = 24,
  localparam int unsigned ResultBits = 10
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic [Warps-1:0]              begin_i,  // a warp begins in the slot, with all of its registers there
  input  logic [Warps*CheckBits-1:0]    check_i,  // scoreboard_check_t of each warp slot
  output logic [Warps-1:0]              ready_o,  // in the same cycle: they can be read, and the destination be written
  input  galena_pkg::scheduler_issue_t  issue_i,
  input  logic                          issue_valid_i,
  input  logic [Results*ResultBits-1:0] result_i, // scoreboard_result_t of loads and atomics, in the cycle from which on they can be read
  input  logic [Results-1:0]            result_valid_i
);
  localparam int unsigned Registers = 64; // x0 to x31, f0 to f31
  localparam int unsigned Lines     = 5;
  localparam int unsigned WarpBits  = Warps > 1 ? $clog2(Warps) : 1;

  // the line that the instruction which issues goes into; one that accesses memory goes into none
  logic [Lines-1:0] enters;
  logic             accesses;
  always_comb begin
    enters   = '0;
    accesses = 1'b0;
    case (issue_i.cls)
      galena_pkg::ClassMul:                         enters[1] = 1'b1;
      galena_pkg::ClassDiv, galena_pkg::ClassFdiv:  enters[2] = 1'b1;
      galena_pkg::ClassFpu:                         enters[3] = 1'b1;
      galena_pkg::ClassSg:                          enters[4] = 1'b1;
      galena_pkg::ClassLoad, galena_pkg::ClassAtomic, galena_pkg::ClassStore: accesses = 1'b1;
      default:                                      enters[0] = 1'b1;
    endcase
  end
  logic [WarpBits-1:0] issue_warp;
  logic                writes;
  assign issue_warp = issue_i.warp[WarpBits-1:0];
  assign writes     = issue_valid_i && issue_i.rd != '0; // nothing is written to x0

  // the lines: what stands at the end of one can be read in the next cycle. What is to come for a warp that has ended is forgotten.
  logic [Lines-1:0]          waits; // the instruction has to be waited for
  logic [Lines-1:0]          end_valid;
  logic [Lines*WarpBits-1:0] end_warp;
  logic [Lines*6-1:0]        end_register;
  for (genvar k = 0; k < Lines; k++) begin : gen_line
    localparam int unsigned Latency = k == 0 ? AluLatency : k == 1 ? MulLatency : k == 2 ? DivLatency : k == 3 ? FpuLatency : SgLatency;
    if (Latency > 1) begin : gen_stages
      logic [Latency-2:0]              valid_q, valid;
      logic [(Latency-1)*WarpBits-1:0] warp_q;
      logic [(Latency-1)*6-1:0]        register_q;
      for (genvar i = 0; i < Latency - 1; i++) begin : gen_stage
        assign valid[i] = valid_q[i] && !begin_i[warp_q[i*WarpBits+:WarpBits]];
      end
      // the stage of the highest number is the one that was entered last
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) valid_q <= '0;
        else valid_q <= (Latency-1)'({writes && enters[k], valid} >> 1);
      end
      always_ff @(posedge clk_i) begin
        warp_q     <= ((Latency-1)*WarpBits)'({issue_warp, warp_q} >> WarpBits);
        register_q <= ((Latency-1)*6)'({issue_i.rd, register_q} >> 6);
      end
      assign waits[k]                             = enters[k];
      assign end_valid[k]                         = valid[0];
      assign end_warp[k*WarpBits+:WarpBits]       = warp_q[WarpBits-1:0];
      assign end_register[k*6+:6]                 = register_q[5:0];
    end else begin : gen_at_once
      assign waits[k]                             = 1'b0;
      assign end_valid[k]                         = 1'b0;
      assign end_warp[k*WarpBits+:WarpBits]       = '0;
      assign end_register[k*6+:6]                 = '0;
    end
  end

  // results of the load-store unit
  logic [Results*4-1:0] result_warp;
  logic [Results*6-1:0] result_register;
  galena_pkg::scoreboard_result_t result;
  always_comb begin
    for (int r = 0; r < Results; r++) begin
      result                  = result_i[r*ResultBits+:ResultBits];
      result_warp[r*4+:4]     = result.warp;
      result_register[r*6+:6] = result.rd;
    end
  end

  // registers of the next instructions
  logic [Warps*6-1:0]            rd, rs1, rs2, rs3;
  galena_pkg::scoreboard_check_t check;
  always_comb begin
    for (int w = 0; w < Warps; w++) begin
      check         = check_i[w*CheckBits+:CheckBits];
      rd[w*6+:6]    = check.rd;
      rs1[w*6+:6]   = check.rs1;
      rs2[w*6+:6]   = check.rs2;
      rs3[w*6+:6]   = check.rs3;
    end
  end

  logic sets;
  assign sets = writes && (accesses || (waits & enters) != '0);
  for (genvar w = 0; w < Warps; w++) begin : gen_warp
    logic [Registers-1:0] pending_q, pending, there, ended;
    always_comb begin
      there = '0;
      for (int r = 0; r < Results; r++) if (result_valid_i[r] && result_warp[r*4+:4] == 4'(w)) there[result_register[r*6+:6]] = 1'b1;
      ended = '0;
      for (int k = 0; k < Lines; k++) if (end_valid[k] && end_warp[k*WarpBits+:WarpBits] == WarpBits'(w)) ended[end_register[k*6+:6]] = 1'b1;
    end
    assign pending    = pending_q & ~there;
    assign ready_o[w] = !(pending[rd[w*6+:6]] || pending[rs1[w*6+:6]] || pending[rs2[w*6+:6]] || pending[rs3[w*6+:6]]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        pending_q <= '0;
      end else begin
        pending_q <= pending & ~ended;
        if (sets && issue_warp == WarpBits'(w)) pending_q[issue_i.rd] <= 1'b1;
        if (begin_i[w]) pending_q <= '0;
      end
    end

`ifndef SYNTHESIS
    assert property (@(posedge clk_i) !pending_q[0])
    else $error("x0 is waited for");
    assert property (@(posedge clk_i) (there & ~pending_q) == '0)
    else $error("a result that is not waited for");
    assert property (@(posedge clk_i) issue_valid_i && issue_i.warp == 4'(w) |-> ready_o[w])
    else $error("an instruction issues before its operands and its destination are there");
`endif
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) issue_valid_i |-> 32'(issue_i.warp) < Warps)
  else $error("a warp that is none");
`endif
endmodule
