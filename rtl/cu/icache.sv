// The instruction cache of a compute unit: which lines it holds, and when the next instruction of each warp is there (CU-139 to CU-150). The words
// are in a memory beside it.
//
// A warp that is told of by the scheduler (look_i), or issued in the cycle before, is looked up in this cycle, as many of them as there are. All find
// what the cache held when the cycle began. What is not found is asked for, each line once, and takes places in the order of the search. A warp slot
// has one line on its way, whose number is that of the slot.
module icache #(
  parameter int unsigned Warps     = 4,  // up to 16
  parameter int unsigned Sets      = 8,
  parameter int unsigned Ways      = 2,
  parameter int unsigned LineBytes = 64,
  parameter int unsigned L1Latency = 28, // of the configuration
  localparam int unsigned WarpBits        = Warps > 1 ? $clog2(Warps) : 1,
  localparam int unsigned FetchBits       = 83,
  localparam int unsigned LineStateBits   = 11,
  localparam int unsigned MappingBits     = 73,
  localparam int unsigned TranslationBits = 72
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             empty_i,             // the first work-group of another dispatch begins; in the cycle before its warps run
  input  logic                             drop_i,              // instructions are dropped (CU-61)
  input  logic [Warps-1:0]                 begin_i,             // a warp begins in the slot, to run in a later cycle; or is replayed
  input  logic [WarpBits-1:0]              first_i,             // slot from which the scheduler searches
  input  logic [Warps-1:0]                 look_i,              // the scheduler's: the search comes to the warp
  input  logic [Warps-1:0]                 fault_i,             // and finds that it cannot be fetched
  input  logic [Warps-1:0]                 next_i,              // the warp issued in the cycle before, and goes on
  input  logic [Warps*FetchBits-1:0]       fetch_i,             // icache_fetch_t of each warp slot
  output logic [Warps*LineStateBits-1:0]   line_o,              // icache_line_t of each warp slot
  output logic [Warps-1:0]                 translate_o,         // the page of the warp is looked up in the L1 TLB
  input  logic [Warps*MappingBits-1:0]     mapping_i,           // icache_mapping_t of each warp slot
  input  logic [Warps-1:0]                 translation_valid_i,
  input  logic [Warps*TranslationBits-1:0] translation_i,       // icache_translation_t of each warp slot
  output logic [Warps-1:0]                 request_valid_o,
  output logic [Warps*64-1:0]              request_o,           // physical address of the line
  input  logic [Warps-1:0]                 answer_i,            // the line of the slot is there, in a later cycle than it was asked for in
  output logic [Warps-1:0]                 take_o,              // the line of the slot takes a place
  output logic [Warps*4-1:0]               take_way_o           // way of its set
);
  localparam int unsigned OffsetBits = $clog2(LineBytes);
  localparam int unsigned LineBits   = 47 - OffsetBits;  // of the number of a line
  localparam int unsigned InPage     = 12 - OffsetBits;  // of these, within a page
  localparam int unsigned SetBits    = Sets > 1 ? $clog2(Sets) : 1;
  localparam int unsigned WayBits    = Ways > 1 ? $clog2(Ways) : 1;
  localparam int unsigned Places     = Sets * Ways;
  localparam int unsigned PlaceBits  = Places > 1 ? $clog2(Places) : 1;
  localparam int unsigned DelayBits  = L1Latency > 0 ? $clog2(L1Latency + 1) : 1;
  localparam logic [7:0]  Misaligned = 8'(galena_pkg::FaultMisaligned);

  // ---- places: one dimension, yosys reads no other ----
  logic [Places-1:0]       valid_q, coming_q; // holds a line; which is on its way
  logic [WarpBits-1:0]     owner_q [Places];  // for the warp of this slot
  logic [LineBits+16:0]    tag_q [Places];    // address space and number of the line
  logic [Sets*WayBits-1:0] next_q;            // of a set, the way that a line takes next

  function automatic logic [PlaceBits-1:0] place_of(input logic [SetBits-1:0] set, input logic [WayBits-1:0] way);
    place_of = PlaceBits'(32'(set) * Ways + 32'(way));
  endfunction

  // ---- lines on their way, by the slot that asked ----
  typedef enum logic [1:0] {Idle, Translates, Delayed, Reads} state_e;
  logic [Warps*2-1:0]      state_q;
  logic [Warps*InPage-1:0] offset_q;            // line of the page
  logic [Warps-1:0]        busy, failing, ends; // in this cycle: its translation fails; it is over

  // ---- warps ----
  logic [Warps-1:0]          has_q, wait_q, dropped_q, fail_q; // has the line; waits for one, which has been dropped; cannot be fetched
  logic [Warps*LineBits-1:0] line_q;
  logic [Warps*WarpBits-1:0] on_q;   // the slot whose line it waits for
  logic [Warps*8-1:0]        code_q; // fault

  // ---- what comes in, by slot ----
  logic [Warps-1:0]                runs, steps, bad, near; // bad: misaligned; near: below 2^47
  logic [Warps*17-1:0]             space;
  logic [Warps*LineBits-1:0]       number;                 // of its line
  logic [Warps-1:0]                page_there;
  logic [Warps*8-1:0]              page_fault, late_fault;
  logic [Warps*52-1:0]             page_number, late_number;
  galena_pkg::icache_fetch_t       fetch;
  galena_pkg::icache_mapping_t     page;
  galena_pkg::icache_translation_t late;
  always_comb begin
    for (int w = 0; w < Warps; w++) begin
      fetch                        = fetch_i[w*FetchBits+:FetchBits];
      page                         = mapping_i[w*MappingBits+:MappingBits];
      late                         = translation_i[w*TranslationBits+:TranslationBits];
      bad[w]                       = fetch.pc[1:0] != '0;
      near[w]                      = fetch.pc[63:47] == '0;
      number[w*LineBits+:LineBits] = fetch.pc[46:OffsetBits];
      space[w*17+:17]              = fetch.space;
      runs[w]                      = fetch.runs;
      steps[w]                     = fetch.steps;
      page_there[w]                = page.there;
      page_fault[w*8+:8]           = page.fault;
      page_number[w*52+:52]        = page.address[63:12];
      late_fault[w*8+:8]           = late.fault;
      late_number[w*52+:52]        = late.address[63:12];
    end
  end

  // ---- look-ups ----
  logic [Warps-1:0]               looks, same, found, found_comes;
  logic [Warps-1:0]               raw, shared, asks; // finds nothing; another one asks for it; it asks
  logic [Warps*(LineBits+17)-1:0] tag;
  logic [Warps*WarpBits-1:0]      on, position;      // the slot that it waits for; its place in the order of the search
  logic [Warps*SetBits-1:0]       set;
  logic [Warps*WayBits-1:0]       way;
  for (genvar w = 0; w < Warps; w++) begin : gen_warp
    logic [WarpBits:0]               above;
    logic [LineBits-1:0]             line;
    logic [LineBits+16:0]            own_tag;
    logic [SetBits-1:0]              own_set;
    logic [Ways-1:0]                 match;
    logic [WarpBits-1:0]             owner, waits_on;
    logic                            waiting, there, fails, held, waits_failing, found_failing, found_there;
    logic [7:0]                      fault;
    assign above = (WarpBits+1)'(w) - {1'b0, first_i};
    assign position[w*WarpBits+:WarpBits] = WarpBits'(above[WarpBits] ? above + (WarpBits+1)'(Warps) : above);

    // its next instruction
    assign line     = number[w*LineBits+:LineBits];
    assign waits_on = on_q[w*WarpBits+:WarpBits];
    assign waiting  = wait_q[w] && !(dropped_q[w] && answer_i[waits_on]);
    assign same[w]  = has_q[w] && near[w] && line_q[w*LineBits+:LineBits] == line;
    assign looks[w] = runs[w] && (look_i[w] || next_i[w]) && !bad[w] && !steps[w] && !same[w] && !fail_q[w] && !waiting;
    assign own_tag  = {space[w*17+:17], line};
    assign own_set  = Sets > 1 ? line[SetBits-1:0] : '0;
    assign tag[w*(LineBits+17)+:LineBits+17] = own_tag;
    assign set[w*SetBits+:SetBits]           = own_set;

    // in the cache
    always_comb begin
      owner = '0;
      for (int unsigned i = 0; i < Ways; i++) begin
        match[i] = near[w] && valid_q[place_of(own_set, WayBits'(i))] &&
            tag_q[place_of(own_set, WayBits'(i))] == own_tag;
        if (match[i]) owner = owner_q[place_of(own_set, WayBits'(i))];
      end
    end
    logic [Ways-1:0] comes;
    for (genvar i = 0; i < Ways; i++) begin : gen_way
      assign comes[i] = coming_q[place_of(own_set, WayBits'(i))];
    end
    assign found[w]       = match != '0;
    assign found_comes[w] = (match & comes) != '0;
    assign found_there    = found[w] && (!found_comes[w] || answer_i[owner]);
    assign found_failing  = found_comes[w] && failing[owner];

    assign raw[w]         = looks[w] && !found[w] && !(page_there[w] && page_fault[w*8+:8] != '0);
    assign translate_o[w] = looks[w] && !found[w] && !shared[w];

    // of several look-ups of a line in one cycle the first one asks
    always_comb begin
      logic [WarpBits-1:0] first;
      first                    = '1;
      shared[w]                = 1'b0;
      on[w*WarpBits+:WarpBits] = found_comes[w] ? owner : WarpBits'(w);
      for (int unsigned v = 0; v < Warps; v++) begin
        if (raw[v] && raw[w] && v != w && tag[v*(LineBits+17)+:LineBits+17] == own_tag &&
            position[v*WarpBits+:WarpBits] < position[w*WarpBits+:WarpBits] && (!shared[w] || position[v*WarpBits+:WarpBits] < first)) begin
          shared[w]                = 1'b1;
          first                    = position[v*WarpBits+:WarpBits];
          on[w*WarpBits+:WarpBits] = WarpBits'(v);
        end
      end
    end
    assign asks[w] = raw[w] && !shared[w];
    always_comb begin
      way[w*WayBits+:WayBits] = next_q[set[w*SetBits+:SetBits]*WayBits+:WayBits];
      for (int unsigned v = 0; v < Warps; v++) begin
        if (asks[v] && set[v*SetBits+:SetBits] == set[w*SetBits+:SetBits] &&
            position[v*WarpBits+:WarpBits] < position[w*WarpBits+:WarpBits]) begin
          way[w*WayBits+:WayBits] = Ways > 1 ? way[w*WayBits+:WayBits] + WayBits'(1) : '0;
        end
      end
    end
    assign take_o[w]          = asks[w];
    assign take_way_o[w*4+:4] = 4'(way[w*WayBits+:WayBits]);

    // what the scheduler is told
    assign waits_failing = wait_q[w] && failing[waits_on];
    assign there         = !bad[w] && !fail_q[w] && (steps[w] || (waiting ? answer_i[waits_on] : same[w] || found_there));
    assign fails         = bad[w] || fail_q[w] || waits_failing || (!waiting && !steps[w] && !same[w] &&
        (found_failing || (!found[w] && page_there[w] && page_fault[w*8+:8] != '0)));
    assign held          = (wait_q[w] && dropped_q[w] && !ends[waits_on]) || (!wait_q[w] && busy[w] && !ends[w]);
    assign fault         = bad[w] ? Misaligned : fail_q[w] ? code_q[w*8+:8] : waiting ? late_fault[waits_on*8+:8] :
        found[w] ? late_fault[owner*8+:8] : page_fault[w*8+:8];
    assign line_o[w*LineStateBits+:LineStateBits] = {there, fails, held, fails ? fault : 8'd0};

    // what it has from the next cycle on
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        has_q[w]     <= 1'b0;
        wait_q[w]    <= 1'b0;
        dropped_q[w] <= 1'b0;
        fail_q[w]    <= 1'b0;
      end else if (begin_i[w] || fault_i[w]) begin
        has_q[w]     <= 1'b0;
        wait_q[w]    <= 1'b0;
        dropped_q[w] <= 1'b0;
        fail_q[w]    <= 1'b0;
      end else begin
        if (waiting) begin
          wait_q[w]    <= !ends[waits_on];
          dropped_q[w] <= (dropped_q[w] || drop_i) && !ends[waits_on];
          fail_q[w]    <= waits_failing;
          has_q[w]     <= (answer_i[waits_on] && !drop_i);
        end else if (looks[w]) begin
          wait_q[w]    <= !found_there && !fails;
          dropped_q[w] <= !found_there && !fails && drop_i;
          fail_q[w]    <= fails;
          has_q[w]     <= found_there && !drop_i;
        end else begin
          wait_q[w]    <= 1'b0;
          dropped_q[w] <= 1'b0;
          has_q[w]     <= has_q[w] && !drop_i;
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (looks[w]) begin
        line_q[w*LineBits+:LineBits] <= line;
        on_q[w*WarpBits+:WarpBits]   <= on[w*WarpBits+:WarpBits];
      end
      if (fails && !fail_q[w]) code_q[w*8+:8] <= fault;
    end

    // its line that is on its way
    logic [1:0]        state;
    logic              translated;
    logic [51:0]       translated_page;
    logic [InPage-1:0] offset;
    assign state           = state_q[w*2+:2];
    assign busy[w]         = state != Idle;
    assign failing[w]      = translation_valid_i[w] && late_fault[w*8+:8] != '0;
    assign ends[w]         = answer_i[w] || failing[w];
    assign translated      = asks[w] ? page_there[w] : translation_valid_i[w] && late_fault[w*8+:8] == '0;
    assign translated_page = asks[w] ? page_number[w*52+:52] : late_number[w*52+:52];
    assign offset          = asks[w] ? line[InPage-1:0] : offset_q[w*InPage+:InPage];
    if (L1Latency > 0) begin : gen_delay
      logic [DelayBits-1:0] delay_q;
      logic [51:0]          page_q; // physical
      assign request_valid_o[w]   = state == Delayed && delay_q == DelayBits'(1);
      assign request_o[w*64+:64] = {page_q, offset_q[w*InPage+:InPage], OffsetBits'(0)};
      always_ff @(posedge clk_i) begin
        delay_q <= translated ? DelayBits'(L1Latency) : delay_q - DelayBits'(1);
        if (translated) page_q <= translated_page;
      end
    end else begin : gen_at_once
      assign request_valid_o[w]   = translated;
      assign request_o[w*64+:64] = {translated_page, offset, OffsetBits'(0)};
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) state_q[w*2+:2] <= Idle;
      else if (translated) state_q[w*2+:2] <= L1Latency > 0 ? Delayed : Reads;
      else if (asks[w]) state_q[w*2+:2] <= Translates;
      else if (request_valid_o[w]) state_q[w*2+:2] <= Reads;
      else if (ends[w]) state_q[w*2+:2] <= Idle;
    end
    always_ff @(posedge clk_i) begin
      offset_q[w*InPage+:InPage] <= offset;
    end
  end

  // ---- what the places hold from the next cycle on: of lines that take the same one, the last in the order of the search ----
  logic [WarpBits-1:0] slot [Warps];
  for (genvar i = 0; i < Warps; i++) begin : gen_order
    logic [WarpBits:0] sum;
    assign sum     = {1'b0, first_i} + (WarpBits+1)'(i);
    assign slot[i] = WarpBits'(32'(sum) >= Warps ? sum - (WarpBits+1)'(Warps) : sum);
  end
  logic [WarpBits-1:0] s;
  logic [Places-1:0]   valid_d, coming_d;
  logic [Sets*WayBits-1:0] next_d;
  always_comb begin
    valid_d  = valid_q;
    coming_d = coming_q;
    next_d   = next_q;
    s        = '0;
    for (int unsigned i = 0; i < Places; i++) begin
      if (coming_q[i] && failing[owner_q[i]]) valid_d[i] = 1'b0;
      if (coming_q[i] && ends[owner_q[i]]) coming_d[i] = 1'b0;
    end
    for (int unsigned i = 0; i < Warps; i++) begin
      s = slot[i];
      if (asks[s]) begin
        valid_d[place_of(set[s*SetBits+:SetBits], way[s*WayBits+:WayBits])]  = 1'b1;
        coming_d[place_of(set[s*SetBits+:SetBits], way[s*WayBits+:WayBits])] = 1'b1;
        next_d[set[s*SetBits+:SetBits]*WayBits+:WayBits] = Ways > 1 ? way[s*WayBits+:WayBits] + WayBits'(1) : '0;
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= '0;
      coming_q <= '0;
      next_q   <= '0;
    end else begin
      valid_q  <= empty_i || drop_i ? '0 : valid_d;
      coming_q <= empty_i || drop_i ? '0 : coming_d;
      next_q   <= empty_i || drop_i ? '0 : next_d;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Warps; i++) begin
      if (asks[slot[i]]) begin
        owner_q[place_of(set[slot[i]*SetBits+:SetBits], way[slot[i]*WayBits+:WayBits])] <= slot[i];
        tag_q[place_of(set[slot[i]*SetBits+:SetBits], way[slot[i]*WayBits+:WayBits])]   <= tag[slot[i]*(LineBits+17)+:LineBits+17];
      end
    end
  end

`ifndef SYNTHESIS
  for (genvar w = 0; w < Warps; w++) begin : gen_assert
    assert property (@(posedge clk_i) answer_i[w] |-> state_q[w*2+:2] == Reads)
    else $error("a line comes that was not asked for");
    assert property (@(posedge clk_i) translation_valid_i[w] |-> state_q[w*2+:2] == Translates)
    else $error("a translation comes that was not asked for");
    assert property (@(posedge clk_i) asks[w] |-> !busy[w] || ends[w])
    else $error("a second line of a slot is asked for");
    assert property (@(posedge clk_i) asks[w] |-> near[w])
    else $error("a page beyond 2^47 is no fault at once");
  end
`endif
endmodule
