// The load-store unit of a compute unit as far as time goes: its queue (CU-78), and when the accesses begin, have their rounds of local memory and
// their lines, and are over (ISA-88 to ISA-96). What the rounds and lines are is found by lds and coalescer, what comes of the lines by l1.
//
// An access has a number from its issue until it is over. It begins when those before it have had their cycles of the unit, and its pages are there; its own
// cycles of the unit go by also while it waits for its pages (ISA-89). From its begin on a counter says what it does in each cycle.
module lsu #(
  parameter int unsigned Warps      = 4,   // up to 16
  parameter int unsigned Lanes      = 4,
  parameter int unsigned LdsLatency = 20,  // of the configuration
  parameter int unsigned Accesses   = 16,  // that may be under way, two at least
  localparam int unsigned IdBits    = $clog2(Accesses),
  localparam int unsigned EntryBits = Warps > 1 ? $clog2(Warps) : 1,
  localparam int unsigned LineBits  = $clog2(3 * Lanes + 1), // of a number of rounds or lines: at most a word for each part of a lane's bytes
  localparam int unsigned LaneBits  = $clog2(Lanes + 1),
  localparam int unsigned BusyBits  = $clog2((Warps + 1) * 6 * Lanes + 1),
  localparam int unsigned TimeBits  = $clog2(6 * Lanes + LdsLatency + 1) + 1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  output logic                         room_o,          // a memory instruction may issue
  input  logic                         issue_i,         // one does; where it ends in a fault, without lines and local memory (ISA-98)
  input  logic [IdBits-1:0]            issue_id_i,      // number of its access, which none that is under way has
  input  logic                         issue_local_i,   // lanes access local memory
  input  logic [LineBits-1:0]          issue_rounds_i,  // in so many rounds, of an atomic as if it were a load
  input  logic                         issue_atomic_i,
  input  logic [LaneBits-1:0]          issue_lanes_i,   // running lanes
  input  logic [LineBits-1:0]          issue_lines_i,   // in memory
  input  logic                         issue_found_i,   // the translations of its pages are there
  input  logic [Accesses-1:0]          found_i,         // they are now, of an access that issued before
  output logic [Accesses-1:0]          begin_o,         // it begins
  output logic [Accesses-1:0]          round_o,         // it has a round of local memory in this cycle
  output logic [Accesses-1:0]          line_o,          // it has a line in this cycle
  output logic [Accesses*LineBits-1:0] index_o,         // which, from 0 on
  input  logic [Accesses-1:0]          memory_over_i,   // its lines are there or accepted: over_o of l1, not before its last line
  output logic [Accesses-1:0]          over_o           // the result is there, or the store accepted
);
  // ---- the access that issues: the cycles that it takes of the unit ----
  logic [LineBits-1:0] rounds;
  logic [BusyBits-1:0] takes, busy_q, busy; // busy: cycles until the unit is free
  always_comb begin
    rounds = '0;
    if (issue_local_i) begin
      rounds = issue_rounds_i;
      if (issue_atomic_i && 32'(issue_lanes_i) > 32'(issue_rounds_i)) rounds = LineBits'(issue_lanes_i);
    end
  end
  assign takes = BusyBits'(rounds) + BusyBits'(issue_lines_i);
  assign busy  = issue_i ? busy_q + takes : busy_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= '0;
    else busy_q <= busy == '0 ? '0 : busy - BusyBits'(1);
  end

  // ---- the queue: its entries are taken in turn, and have an access until that begins ----
  logic [EntryBits-1:0] next_q;
  logic [Warps-1:0]     full_q, starts; // starts: the access of the entry begins
  logic [Accesses-1:0]  goes;           // an access that has issued before begins
  logic [EntryBits-1:0] entry_q [Accesses];
  always_comb begin
    starts = '0;
    for (int unsigned a = 0; a < Accesses; a++) if (goes[a]) starts[entry_q[a]] = 1'b1;
  end
  assign room_o = !full_q[next_q] || starts[next_q];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q <= '0;
      full_q <= '0;
    end else begin
      full_q <= full_q & ~starts;
      if (issue_i) begin
        full_q[next_q] <= !begin_o[issue_id_i];
        next_q         <= next_q == EntryBits'(Warps - 1) ? '0 : next_q + EntryBits'(1);
      end
    end
  end
  always_ff @(posedge clk_i) if (issue_i) entry_q[issue_id_i] <= next_q;

  // ---- accesses ----
  for (genvar a = 0; a < Accesses; a++) begin : gen_access
    typedef enum logic [1:0] {Free, Waits, Runs} state_e;
    state_e              state_q;
    logic                is_free;
    logic                issues, waits, found_q, found, local_q, with_local, runs, ends_local, ends_unit, local_over_q, local_over, lines_over_q, lines_over;
    logic [BusyBits-1:0] wait_q, wait_now;   // cycles until the unit has done what came before
    logic [TimeBits-1:0] time_q, time_now;   // since it began
    logic [LineBits-1:0] rounds_q, lines_q, own_rounds, own_lines;
    logic [TimeBits-1:0] first, behind, local_end; // the cycle of its first line, the one behind its last, that in which local memory has answered
    assign is_free    = state_q == Free;
    assign issues     = issue_i && issue_id_i == IdBits'(a);
    assign own_rounds = issues ? rounds : rounds_q;
    assign own_lines  = issues ? issue_lines_i : lines_q;
    assign with_local = issues ? issue_local_i : local_q;
    assign found      = issues ? issue_found_i : found_q || found_i[a];
    assign wait_now   = issues ? busy_q : wait_q;
    assign waits      = issues || state_q == Waits;
    assign goes[a]    = state_q == Waits && wait_q == '0 && (found_q || found_i[a]);
    assign begin_o[a] = waits && wait_now == '0 && found;
    assign runs       = begin_o[a] || state_q == Runs;
    assign time_now   = begin_o[a] ? '0 : time_q;
    assign first      = TimeBits'(own_rounds);
    assign behind     = first + TimeBits'(own_lines);
    assign local_end  = first + TimeBits'(LdsLatency) - TimeBits'(1);
    assign round_o[a] = runs && time_now < first;
    assign line_o[a]  = runs && time_now >= first && time_now < behind;
    assign index_o[a*LineBits+:LineBits] = LineBits'(line_o[a] ? time_now - first : time_now);
    assign ends_local = runs && (!with_local || time_now == local_end);
    assign ends_unit  = runs && (own_lines == '0 || memory_over_i[a]);
    assign local_over = ends_local || local_over_q;
    assign lines_over = ends_unit || lines_over_q;
    assign over_o[a]  = runs && local_over && lines_over;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        state_q      <= Free;
        local_over_q <= 1'b0;
        lines_over_q <= 1'b0;
      end else begin
        if (over_o[a]) state_q <= Free;
        else if (begin_o[a]) state_q <= Runs;
        else if (issues) state_q <= Waits;
        local_over_q <= local_over && !over_o[a];
        lines_over_q <= lines_over && !over_o[a];
      end
    end
    always_ff @(posedge clk_i) begin
      found_q <= found;
      wait_q  <= wait_now == '0 ? '0 : wait_now - BusyBits'(1);
      time_q  <= time_now == '1 ? time_now : time_now + TimeBits'(1);
      if (issues) begin
        rounds_q <= rounds;
        lines_q  <= issue_lines_i;
        local_q  <= issue_local_i;
      end
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) issue_i |-> room_o)
  else $error("an access for which the queue has no entry");
  assert property (@(posedge clk_i) issue_i && issue_local_i |-> issue_rounds_i != '0)
  else $error("an access to local memory without a round");
  for (genvar a = 0; a < Accesses; a++) begin : gen_assert
    assert property (@(posedge clk_i) gen_access[a].issues |-> gen_access[a].is_free)
    else $error("an access has the number of one that is under way");
    assert property (@(posedge clk_i) memory_over_i[a] |-> gen_access[a].runs && 32'(gen_access[a].time_now) + 1 >= 32'(gen_access[a].behind))
    else $error("lines are there that have not been asked for");
  end
`endif
endmodule
