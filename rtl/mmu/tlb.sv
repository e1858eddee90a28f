// An array of translations: sets of 4 ways (MMU-33 to MMU-39), an L1 TLB or one of the two arrays of the L2 TLB.
//
// A look-up is answered in its cycle. In one cycle it comes first, then its drop, then the fill, then the invalidation. An L1 TLB is
// invalidated in one cycle. With BySet an invalidation goes through a set a cycle, and through one set alone for one page (MMU-90). It
// stands until inval_ready_o. Sets that it has not come to yet are pending: what it concerns in them is found by no look-up, and its
// place is empty for a fill (MMU-71). A fill drops it, and the invalidation leaves this set alone when it comes to it.
//
// An entry that a fill overwrites, and how it was chosen, is shown for who compares.
module tlb #(
  parameter int unsigned Entries = 8,
  parameter bit          Huge    = 1'b0, // its pages have 2 MiB: bits 8:0 of a page are ignored
  parameter bit          BySet   = 1'b0
) (
  input  logic                clk_i,
  input  logic                rst_ni,          // drops everything
  input  logic                rst_por_ni,      // after power-on: sets the counters of replacement to 0, too (MMU-39)
  input  logic                lookup_valid_i,
  input  logic [34:0]         lookup_page_i,   // virtual address >> 12
  input  logic [16:0]         lookup_space_i,
  input  logic                lookup_drop_i,   // what is found has bad parity, or came from what has (MMU-78)
  output logic                lookup_hit_o,
  output logic [1:0]          lookup_way_o,
  output mmu_pkg::tlb_entry_t lookup_entry_o,
  input  logic                fill_valid_i,
  input  mmu_pkg::tlb_entry_t fill_entry_i,
  output logic [1:0]          fill_way_o,
  output logic                fill_replaces_o, // no way was empty
  output mmu_pkg::tlb_entry_t fill_replaced_o, // what was in it
  input  logic                inval_valid_i,
  output logic                inval_ready_o,   // its last cycle
  input  logic [1:0]          inval_scope_i,   // 1 the address space, 2 the page, others all
  input  logic [15:0]         inval_asid_i,
  input  logic [51:0]         inval_page_i     // virtual address >> 12
);
  localparam int unsigned Ways       = 4;
  localparam int unsigned Sets       = Entries / Ways;
  localparam int unsigned SetBits    = Sets > 1 ? $clog2(Sets) : 1;
  localparam int unsigned SlotBits   = $clog2(Entries);
  localparam int unsigned VictimBits = $clog2(2 * Sets);
  localparam logic [34:0] PageMask   = Huge ? ~35'h1ff : '1;
  localparam logic [34:0] SetMask    = 35'(Sets) - 35'd1;

  // Page numbers are folded (MMU-36), so that strides of powers of two spread over the sets.
  function automatic logic [SetBits-1:0] set_of(input logic [34:0] page);
    logic [34:0] n;
    n = Huge ? page >> 9 : page;
    n = (n ^ (n >> 6) ^ (n >> 12)) & SetMask;
    set_of = n[SetBits-1:0];
  endfunction

  // Whether an invalidation is of the page of this number and space.
  function automatic logic concerned(input logic [34:0] page, input logic [15:0] asid, input logic of_2m, input logic [1:0] scope,
                                     input logic [15:0] inval_asid, input logic [51:0] number);
    logic found;
    found = page[34:9] == number[34:9] && (of_2m || page[8:0] == number[8:0]) && number[51:35] == '0;
    concerned = (scope != 2'd1 && scope != 2'd2) || (asid == inval_asid && (scope == 2'd1 || found));
  endfunction

  // one dimension: yosys reads no other
  logic [Entries-1:0] valid_q, valid_d;
  logic [2*Sets-1:0]  victim_q;
  logic [Sets-1:0]    pending_q; // the invalidation that is under way has not come here
  logic [34:0]        page_q [Entries];
  logic [16:0]        space_q [Entries];
  logic               of_2m_q [Entries];
  logic [53:0]        leaf_q [Entries]; // ppn and pte

  logic [SetBits-1:0]  lookup_set, fill_set;
  logic [SlotBits-1:0] lookup_slot, fill_slot; // of the entry that is found, and of the one that is filled
  assign lookup_set = set_of(lookup_page_i);
  assign fill_set   = set_of(fill_entry_i.page);

  // the ways of the two sets that are not empty
  logic [Ways-1:0] lookup_valid, fill_valid, match;
  logic            dropped;
  for (genvar w = 0; w < Ways; w++) begin : gen_way
    logic [SlotBits-1:0] looked, other;
    assign looked          = SlotBits'({lookup_set, 2'(w)});
    assign other           = SlotBits'({fill_set, 2'(w)});
    assign lookup_valid[w] = valid_q[looked] && !(pending_q[lookup_set] && concerned(page_q[looked],
        space_q[looked][15:0], of_2m_q[looked], inval_scope_i, inval_asid_i, inval_page_i));
    assign match[w]        = lookup_valid_i && lookup_valid[w] && page_q[looked] == (lookup_page_i & PageMask) &&
        space_q[looked] == lookup_space_i;
    assign fill_valid[w]   = valid_q[other] && !(dropped && lookup_set == fill_set && match[w]) &&
        !(pending_q[fill_set] && concerned(page_q[other], space_q[other][15:0], of_2m_q[other],
                                           inval_scope_i, inval_asid_i, inval_page_i));
  end

  assign dropped        = lookup_hit_o && lookup_drop_i;
  assign lookup_hit_o   = match != '0;
  assign lookup_way_o   = {match[3] || match[2], match[3] || match[1]};
  assign lookup_slot    = SlotBits'({lookup_set, lookup_way_o});
  assign lookup_entry_o = {page_q[lookup_slot], space_q[lookup_slot], of_2m_q[lookup_slot], leaf_q[lookup_slot]};

  // the first way that is empty, or the one that the counter of the set names
  logic [VictimBits-1:0] victim;
  assign victim          = VictimBits'({fill_set, 1'b0});
  assign fill_replaces_o = fill_valid == '1;
  assign fill_way_o      = fill_replaces_o ? victim_q[victim+:2] : !fill_valid[0] ? 2'd0 : !fill_valid[1] ? 2'd1 : !fill_valid[2] ? 2'd2 : 2'd3;
  assign fill_slot       = SlotBits'({fill_set, fill_way_o});
  assign fill_replaced_o = {page_q[fill_slot], space_q[fill_slot], of_2m_q[fill_slot], leaf_q[fill_slot]};

  logic [34:0] fill_page;
  assign fill_page = fill_entry_i.page & PageMask;
  always_ff @(posedge clk_i) begin
    if (fill_valid_i) begin
      page_q[fill_slot]  <= fill_page;
      space_q[fill_slot] <= fill_entry_i.space;
      of_2m_q[fill_slot] <= fill_entry_i.of_2m;
      leaf_q[fill_slot]  <= {fill_entry_i.ppn, fill_entry_i.pte};
    end
  end
  always_ff @(posedge clk_i or negedge rst_por_ni) begin
    if (!rst_por_ni) victim_q <= '0;
    else if (fill_valid_i && fill_replaces_o) victim_q[victim+:2] <= victim_q[victim+:2] + 2'd1;
  end

  // before the invalidation
  logic [SlotBits-1:0] fill_first;
  assign fill_first = SlotBits'({fill_set, 2'd0});
  logic [Entries-1:0] valid_kept;
  always_comb begin
    valid_kept = valid_q;
    if (dropped) valid_kept[lookup_slot] = 1'b0;
    if (fill_valid_i) begin
      valid_kept[fill_first+:Ways] = fill_valid;
      valid_kept[fill_slot]        = 1'b1;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid_d;
  end

  logic fill_concerned;
  assign fill_concerned = concerned(fill_page, fill_entry_i.space[15:0], fill_entry_i.of_2m, inval_scope_i, inval_asid_i, inval_page_i);
  if (BySet) begin : gen_by_set
    logic                under_way_q;
    logic [SetBits-1:0]  next_q, set;
    logic [Ways-1:0]     goes;
    logic [SlotBits-1:0] first;
    assign first         = SlotBits'({set, 2'd0});
    assign set           = inval_scope_i == 2'd2 ? set_of(inval_page_i[34:0]) : next_q;
    assign inval_ready_o = inval_scope_i == 2'd2 || next_q == SetBits'(Sets - 1);
    for (genvar w = 0; w < Ways; w++) begin : gen_goes
      logic [SlotBits-1:0] slot;
      logic                filled;
      assign slot    = SlotBits'({set, 2'(w)});
      assign filled  = fill_valid_i && fill_set == set && fill_way_o == 2'(w);
      assign goes[w] = inval_valid_i && (!under_way_q || pending_q[set]) && (filled ? !under_way_q && fill_concerned :
          concerned(page_q[slot], space_q[slot][15:0], of_2m_q[slot], inval_scope_i, inval_asid_i, inval_page_i));
    end
    always_comb begin
      valid_d               = valid_kept;
      valid_d[first+:Ways] = valid_kept[first+:Ways] & ~goes;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        under_way_q <= 1'b0;
        next_q      <= '0;
        pending_q   <= '0;
      end else begin
        if (inval_valid_i) begin
          under_way_q <= !inval_ready_o;
          next_q      <= inval_ready_o ? '0 : next_q + 1'b1;
          if (!under_way_q && !inval_ready_o) pending_q <= '1;
          else if (fill_valid_i) pending_q[fill_set] <= 1'b0;
          pending_q[set] <= 1'b0;
        end
      end
    end
  end else begin : gen_whole
    assign pending_q     = '0;
    assign inval_ready_o = 1'b1;
    for (genvar i = 0; i < Sets * Ways; i++) begin : gen_entry
      logic filled;
      assign filled = fill_valid_i && fill_slot == SlotBits'(i);
      assign valid_d[i] = valid_kept[i] && !(inval_valid_i && (filled ? fill_concerned :
          concerned(page_q[i], space_q[i][15:0], of_2m_q[i], inval_scope_i, inval_asid_i, inval_page_i)));
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) $onehot0(match))
  else $error("a page that the array has twice");
  assert property (@(posedge clk_i) fill_valid_i && lookup_valid_i && lookup_hit_o && !lookup_drop_i |->
                   {lookup_page_i & PageMask, lookup_space_i} != {fill_page, fill_entry_i.space})
  else $error("a fill of a page that the array has");
  assert property (@(posedge clk_i) lookup_drop_i |-> lookup_valid_i)
  else $error("a drop without a look-up");
  assert property (@(posedge clk_i) fill_valid_i && Huge |-> fill_entry_i.of_2m && fill_entry_i.ppn[8:0] == '0)
  else $error("an entry of 4 KiB in the array for 2 MiB");
  assert property (@(posedge clk_i) inval_valid_i && !inval_ready_o |=>
                   inval_valid_i && $stable({inval_scope_i, inval_asid_i, inval_page_i}))
  else $error("an invalidation that changes under way");
`endif
endmodule
