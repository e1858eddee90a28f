// The warp scheduler of a compute unit: which warp issues in a cycle (CU-65, CU-71 to CU-74, CU-78, CU-141, CU-148).
//
// In each cycle it goes through the slots once, from slot P on, up to the first warp that can issue. It comes to a warp that CU-71 lets issue. What
// such a warp does that begins, chose or was replayed, and what is to happen where its next instruction cannot be fetched, is only found
// out when the search comes to it: then it is looked at.
module scheduler #(
  parameter int unsigned Warps      = 4, // up to 16
  parameter int unsigned AluLatency = 4, // of the configuration
  localparam int unsigned CandidateBits = 18
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [Warps-1:0]               begin_i,     // a warp begins in the slot, to run in a later cycle
  input  logic [Warps-1:0]               chose_i,     // its next instruction is unknown from the next cycle on: it chose, rotated, waits or ended; or it is dropped
  input  logic [Warps*CandidateBits-1:0] candidate_i, // scheduler_candidate_t of each warp slot
  input  logic [Warps-1:0]               ready_i,     // its operands and its destination are there
  input  logic                           room_i,      // the load-store unit has an entry of its queue
  input  logic [Warps-1:0]               accepted_i,  // the warp's store is accepted; in a later cycle than it issued
  output galena_pkg::scheduler_issue_t   issue_o,
  output logic                           issue_valid_o,
  output logic [Warps-1:0]               look_o,      // the warp is looked at: a line of code that is not there is looked up
  output logic [Warps-1:0]               fault_o,     // its next instruction cannot be fetched
  output logic [3:0]                     next_o       // slot that the search begins at, before a turn ends: it was P in the cycle before
);
  localparam int unsigned WarpBits = Warps > 1 ? $clog2(Warps) : 1;
  localparam int unsigned HoldBits = $clog2(AluLatency) > 0 ? $clog2(AluLatency) : 1;

  logic [WarpBits-1:0] next_q, next_d;     // P
  logic                issued_q;           // its warp issued in the cycle before
  logic [Warps-1:0]    looked_q, stored_q; // its next instruction is known; its store has yet to be accepted
  logic [Warps-1:0]    held;               // by its last branch

  // ---- warps, by slot ----
  logic [Warps-1:0]                 runs, there, fails, stalls, memory, stores, jumps, goes, free;
  logic [Warps*4-1:0]               dispatch, cls;
  logic [Warps*6-1:0]               register;
  galena_pkg::scheduler_candidate_t candidate;
  always_comb begin
    for (int w = 0; w < Warps; w++) begin
      candidate          = candidate_i[w*CandidateBits+:CandidateBits];
      runs[w]            = candidate.runs;
      there[w]           = candidate.there;
      fails[w]           = candidate.fails;
      stalls[w]          = candidate.stalls;
      dispatch[w*4+:4]   = candidate.dispatch;
      cls[w*4+:4]        = candidate.cls;
      register[w*6+:6]   = candidate.rd;
      stores[w]          = candidate.cls == galena_pkg::ClassStore;
      memory[w]          = stores[w] || candidate.cls == galena_pkg::ClassLoad || candidate.cls == galena_pkg::ClassAtomic;
      jumps[w]           = candidate.cls == galena_pkg::ClassBranch || candidate.cls == galena_pkg::ClassJump;
    end
  end
  assign free = ~held & (~stored_q | accepted_i);
  assign goes = there & ready_i & ({Warps{room_i}} | ~memory);
  for (genvar w = 0; w < Warps; w++) begin : gen_warp
    logic                issues;
    logic [HoldBits-1:0] hold_q;
    assign issues  = issue_valid_o && issue_o.warp == 4'(w);
    assign held[w] = hold_q != '0;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        looked_q[w] <= 1'b0;
        stored_q[w] <= 1'b0;
        hold_q      <= '0;
      end else begin
        looked_q[w] <= (looked_q[w] || look_o[w]) && !chose_i[w] && !begin_i[w];
        stored_q[w] <= ((stored_q[w] && !accepted_i[w]) || (issues && stores[w])) && !begin_i[w];
        if (begin_i[w]) hold_q <= '0;
        else if (issues && jumps[w]) hold_q <= HoldBits'(AluLatency - 1);
        else if (held[w]) hold_q <= hold_q - HoldBits'(1);
      end
    end
  end

  // ---- the search: place i is that of slot P + i ----
  logic [WarpBits-1:0] slot [Warps];
  for (genvar i = 0; i < Warps; i++) begin : gen_place
    logic [WarpBits:0] sum;
    assign sum     = {1'b0, next_q} + (WarpBits+1)'(i);
    assign slot[i] = WarpBits'(32'(sum) >= Warps ? sum - (WarpBits+1)'(Warps) : sum);
  end

  logic [WarpBits-1:0] s, found;
  logic [Warps-1:0]    gone; // whose dispatch has ended in the search
  always_comb begin
    issue_valid_o = 1'b0;
    found         = '0;
    next_d        = next_q;
    look_o        = '0;
    fault_o       = '0;
    gone          = '0;
    // a warp that issued and cannot go on is the last to be looked at from now on
    if (issued_q && looked_q[next_q] && !(free[next_q] && (goes[next_q] || fails[next_q]))) next_d = slot[1 % Warps];
    for (int i = 0; i < Warps; i++) begin
      s = slot[i];
      if (!issue_valid_o && runs[s] && free[s] && !gone[s]) begin
        look_o[s] = !looked_q[s];
        if (fails[s]) begin
          fault_o[s] = 1'b1;
          next_d     = s;
          for (int w = 0; w < Warps; w++) if (!stalls[s] && dispatch[w*4+:4] == dispatch[s*4+:4]) gone[w] = 1'b1;
        end else if (goes[s]) begin
          issue_valid_o = 1'b1;
          found         = s;
          next_d        = s;
        end else if (look_o[s]) begin
          next_d = slot[(i + 1) % Warps];
        end
      end
    end
  end
  assign issue_o = {4'(found), cls[found*4+:4], register[found*6+:6]};
  assign next_o  = 4'(next_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q   <= '0;
      issued_q <= 1'b0;
    end else begin
      next_q   <= next_d;
      issued_q <= issue_valid_o;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) 32'(next_q) < Warps)
  else $error("the search begins at a slot that is none");
  for (genvar w = 0; w < Warps; w++) begin : gen_assert
    assert property (@(posedge clk_i) begin_i[w] |-> !runs[w])
    else $error("a warp begins in the slot of one that runs");
    assert property (@(posedge clk_i) accepted_i[w] |-> stored_q[w])
    else $error("a store is accepted that is not there");
  end
`endif
endmodule
