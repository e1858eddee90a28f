// The page-table walkers (MMU-51 to MMU-65): they read the tables of an address from memory, word by word, several walks side by side,
// and share what they keep: root tables, tables of level 1 and 0, and the numbers of lines.
//
// Each word is asked for at the memory port. Where its line is kept, read_kept_o says that the line need not be read: the answer is what
// memory holds now (MMU-23, MMU-61). So a walker keeps no data of lines. Answers have the number of their walker, and may come in any
// order. A walk ends in the cycle of its last word.
//
// Walks have the results of walks one after the other. A walk looks for the table to begin at; where an older one may yet write the place in
// which it looks, it waits until that one has read the word (MMU-59). Tables that an invalidation drops are found from then on by walks alone
// that were under way when it came: its witnesses.
module walker #(
  parameter int unsigned Walkers   = 2,  // 1 to 16
  parameter int unsigned LineBytes = 64
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] context_table_i,
  input  logic        walk_valid_i,
  output logic        walk_ready_o,
  input  logic [16:0] walk_space_i,
  input  logic [34:0] walk_page_i,   // virtual address >> 12
  output logic [3:0]  walk_number_o, // the walker that takes it
  output logic        read_valid_o,
  input  logic        read_ready_i,
  output logic [3:0]  read_number_o,
  output logic [63:0] read_address_o,
  output logic [2:0]  read_level_o,  // 4: the word of the address space
  output logic        read_kept_o,
  input  logic        word_valid_i,
  input  logic [3:0]  word_number_i,
  input  logic [63:0] word_i,
  input  logic [1:0]  word_fault_i,  // WalkOk, WalkEcc, or WalkTable for all others
  input  logic        word_error_i,  // a walk error is injected into it (MMU-81)
  output logic        end_valid_o,
  output logic [3:0]  end_number_o,
  output logic [1:0]  end_fault_o,
  output logic [63:0] end_leaf_o,
  output logic        end_of_2m_o,   // the leaf maps 2 MiB
  input  logic        inval_valid_i, // drops kept tables, and all kept lines
  input  logic        inval_all_i,   // of all address spaces, or those of the next
  input  logic [15:0] inval_asid_i
);
  localparam int unsigned Roots    = 16;
  localparam int unsigned Tables   = 32; // of level 1, and of level 0
  localparam int unsigned Lines    = 8;
  localparam int unsigned LineBits = $clog2(LineBytes);
  localparam int unsigned NumBits  = Walkers > 1 ? $clog2(Walkers) : 1;

  // the walks
  logic [Walkers-1:0] active_q, look_q, sent_q; // under way; it looks for the table to begin at; it has asked for a word
  logic [Walkers-1:0] stale_q;                  // an invalidation of its address space has come meanwhile
  logic [Walkers*Walkers-1:0] witness_q;        // walker i * Walkers + j: j was under way when the first of these came to i
  logic [Walkers-1:0] kept_q, skip_q;           // the word that it has asked for is in a kept line; its line is not to be kept
  logic [Walkers*Walkers-1:0] older_q;          // walker i * Walkers + j: i is older than j
  logic [16:0] space_q [Walkers];
  logic [34:0] page_q [Walkers];
  logic [2:0]  level_q [Walkers];               // of the next word, 4 while it looks
  logic [51:0] table_q [Walkers];               // address >> 12
  // free walkers, the one that became free first at the head
  logic [NumBits-1:0] free_q [Walkers];
  logic [NumBits-1:0] head_q, tail_q;

  // what is kept
  // fresh: it may be found by all; otherwise by the walkers that have a bit
  logic [Roots-1:0]   root_fresh_q;
  logic [Tables-1:0]  high_fresh_q, low_fresh_q; // tables of level 1, of level 0
  logic [Walkers-1:0] root_for_q [Roots];
  logic [Walkers-1:0] high_for_q [Tables];
  logic [Walkers-1:0] low_for_q [Tables];
  logic [16:0]        root_space_q [Roots];
  logic [51:0]        root_table_q [Roots];
  logic [16:0]        high_space_q [Tables], low_space_q [Tables], high_page_q [Tables];
  logic [25:0]        low_page_q [Tables];
  logic [43:0]        high_table_q [Tables], low_table_q [Tables];
  logic [Lines-1:0]   line_valid_q;
  logic [63-LineBits:0] line_number_q [Lines];

  // what each walk asks for
  logic [Walkers-1:0] wants, wait_low, wait_high, wait_root, hit_low, hit_high, hit_root, line_kept;
  logic [63:0]        address [Walkers];
  for (genvar w = 0; w < Walkers; w++) begin : gen_walk
    logic [Walkers-1:0]  low, high, root, line;
    logic [63-LineBits:0] number;
    assign number = address[w][63:LineBits];
    for (genvar o = 0; o < Walkers; o++) begin : gen_other
      logic older;
      assign older   = active_q[o] && older_q[o * Walkers + w] && o != w;
      assign low[o]  = older && page_q[o][13:9] == page_q[w][13:9] && level_q[o] >= 3'd1;
      assign high[o] = older && page_q[o][22:18] == page_q[w][22:18] && level_q[o] >= 3'd2;
      assign root[o] = older && space_q[o][3:0] == space_q[w][3:0] && level_q[o] == 3'd4;
      assign line[o] = active_q[o] && sent_q[o] && !kept_q[o] && address[o][63:LineBits] == number && o != w;
    end
    assign wait_low[w]  = low != '0;
    assign wait_high[w] = high != '0;
    assign wait_root[w] = root != '0;
    assign hit_low[w]   = (low_fresh_q[page_q[w][13:9]] || low_for_q[page_q[w][13:9]][w]) &&
        low_page_q[page_q[w][13:9]] == page_q[w][34:9] && low_space_q[page_q[w][13:9]] == space_q[w];
    assign hit_high[w]  = (high_fresh_q[page_q[w][22:18]] || high_for_q[page_q[w][22:18]][w]) &&
        high_page_q[page_q[w][22:18]] == page_q[w][34:18] && high_space_q[page_q[w][22:18]] == space_q[w];
    assign hit_root[w]  = (root_fresh_q[space_q[w][3:0]] || root_for_q[space_q[w][3:0]][w]) &&
        root_space_q[space_q[w][3:0]] == space_q[w];
    assign address[w]   = level_q[w] == 3'd4 ? context_table_i + {45'd0, space_q[w][15:0], 3'd0} :
        {table_q[w], level_q[w] == 3'd3 ? {1'b0, page_q[w][34:27]} : level_q[w] == 3'd2 ? page_q[w][26:18] :
                     level_q[w] == 3'd1 ? page_q[w][17:9] : page_q[w][8:0], 3'd0};
    assign line_kept[w] = line_valid_q[number[2:0]] && line_number_q[number[2:0]] == number;
    assign wants[w]     = active_q[w] && !look_q[w] && !sent_q[w] && line == '0;
  end

  // the read: of the lowest number, and it stands
  logic               stands_q;
  logic [NumBits-1:0] stands_number_q, reads;
  always_comb begin
    reads = stands_number_q;
    if (!stands_q) begin
      for (int w = Walkers - 1; w >= 0; w--) if (wants[w]) reads = NumBits'(w);
    end
  end
  assign read_valid_o   = stands_q || wants != '0;
  assign read_number_o  = 4'(reads);
  assign read_address_o = address[reads];
  assign read_level_o   = level_q[reads];
  assign read_kept_o    = line_kept[reads];

  // the word
  logic [NumBits-1:0] words;
  logic [2:0]         level;
  logic               leaf, good;
  logic [1:0]         fault;
  logic [63-LineBits:0] word_line;
  logic [34:9]        word_page;
  logic [16:0]        word_space;
  assign words      = word_number_i[NumBits-1:0];
  assign level      = level_q[words];
  assign word_page  = page_q[words][34:9];
  assign word_space = space_q[words];
  assign word_line  = address[words][63:LineBits];
  assign leaf       = level != 3'd4 && (word_i[1] || word_i[3]);
  always_comb begin
    fault = mmu_pkg::WalkOk;
    if (word_fault_i != mmu_pkg::WalkOk) fault = word_fault_i;
    else if (word_error_i) fault = mmu_pkg::WalkTable;
    else if (!word_i[0]) fault = mmu_pkg::WalkNotPresent;
    else if (level != 3'd4) begin
      if (word_i[63:54] != '0) fault = mmu_pkg::WalkTable;
      else if (word_i[2] && !word_i[1]) fault = mmu_pkg::WalkTable;
      else if (!leaf && level == 3'd0) fault = mmu_pkg::WalkTable;
      else if (leaf && level > 3'd1) fault = mmu_pkg::WalkTable;
      else if (leaf && level == 3'd1 && word_i[18:10] != '0) fault = mmu_pkg::WalkTable;
    end
  end
  assign good         = word_valid_i && fault == mmu_pkg::WalkOk && !leaf; // it points to the next table
  assign end_valid_o  = word_valid_i && !good;
  assign end_number_o = word_number_i;
  assign end_fault_o  = fault;
  assign end_leaf_o   = word_i;
  assign end_of_2m_o  = level == 3'd1;

  // walks begin
  logic               begins;
  logic [NumBits-1:0] taken;
  assign taken         = free_q[head_q];
  assign walk_ready_o  = !(&active_q);
  assign walk_number_o = 4'(taken);
  assign begins        = walk_valid_i && walk_ready_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      for (int w = 0; w < Walkers; w++) free_q[w] <= NumBits'(w);
    end else begin
      if (begins) head_q <= head_q == NumBits'(Walkers - 1) ? '0 : head_q + 1'b1;
      if (end_valid_o) begin
        free_q[tail_q] <= words;
        tail_q         <= tail_q == NumBits'(Walkers - 1) ? '0 : tail_q + 1'b1;
      end
    end
  end

  // the walker that begins, and all that are under way then
  logic [Walkers-1:0] starts, present;
  for (genvar w = 0; w < Walkers; w++) begin : gen_starts
    assign starts[w] = begins && taken == NumBits'(w);
  end
  assign present = active_q | starts;

  // walks go on
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= '0;
      look_q   <= '0;
      sent_q   <= '0;
      stale_q  <= '0;
      witness_q <= '0;
      skip_q   <= '0;
      stands_q <= 1'b0;
    end else begin
      stands_q <= read_valid_o && !read_ready_i;
      if (read_valid_o && read_ready_i) begin
        sent_q[reads] <= 1'b1;
        skip_q[reads] <= 1'b0;
      end
      if (word_valid_i) begin
        sent_q[words] <= 1'b0;
        if (!good) active_q[words] <= 1'b0;
      end
      for (int w = 0; w < Walkers; w++) begin
        if (active_q[w] && look_q[w] && !wait_low[w] && (hit_low[w] || (!wait_high[w] && (hit_high[w] || !wait_root[w])))) look_q[w] <= 1'b0;
        if (inval_valid_i && (inval_all_i || space_q[w][15:0] == inval_asid_i)) begin
          stale_q[w] <= 1'b1;
          if (!stale_q[w]) witness_q[w*Walkers+:Walkers] <= present;
          else witness_q[w*Walkers+:Walkers] <= witness_q[w*Walkers+:Walkers] & ~starts;
        end else witness_q[w*Walkers+:Walkers] <= witness_q[w*Walkers+:Walkers] & ~starts;
        if (inval_valid_i) skip_q[w] <= 1'b1;
      end
      if (begins) begin
        active_q[taken] <= 1'b1;
        look_q[taken]   <= 1'b1;
        stale_q[taken]  <= inval_valid_i && (inval_all_i || walk_space_i[15:0] == inval_asid_i);
        witness_q[taken*Walkers+:Walkers] <= present;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    stands_number_q <= reads;
    if (read_valid_o && read_ready_i) kept_q[reads] <= read_kept_o;
    for (int w = 0; w < Walkers; w++) begin
      if (active_q[w] && look_q[w] && !wait_low[w]) begin
        if (hit_low[w]) begin
          level_q[w] <= 3'd0;
          table_q[w] <= {8'd0, low_table_q[page_q[w][13:9]]};
        end else if (!wait_high[w]) begin
          if (hit_high[w]) begin
            level_q[w] <= 3'd1;
            table_q[w] <= {8'd0, high_table_q[page_q[w][22:18]]};
          end else if (!wait_root[w] && hit_root[w]) begin
            level_q[w] <= 3'd3;
            table_q[w] <= root_table_q[space_q[w][3:0]];
          end
        end
      end
      if (word_valid_i && words == NumBits'(w)) begin
        level_q[w] <= level - 3'd1;
        table_q[w] <= level == 3'd4 ? word_i[63:12] : {8'd0, word_i[53:10]};
      end
      if (begins && taken == NumBits'(w)) begin
        space_q[w] <= walk_space_i;
        page_q[w]  <= walk_page_i;
        level_q[w] <= 3'd4;
      end
      for (int o = 0; o < Walkers; o++) begin
        if (begins && taken == NumBits'(w)) older_q[o * Walkers + w] <= active_q[o];
        if (begins && taken == NumBits'(o)) older_q[o * Walkers + w] <= 1'b0;
      end
    end
  end

  // what is kept: a table whose word was in order, a line that was read
  logic keep_root, keep_high, keep_low, keep_line;
  assign keep_root = good && level == 3'd4;
  assign keep_high = good && level == 3'd2;
  assign keep_low  = good && level == 3'd1;
  assign keep_line = word_valid_i && word_fault_i == mmu_pkg::WalkOk && !skip_q[words];
  always_ff @(posedge clk_i) begin
    if (keep_root) begin
      root_space_q[word_space[3:0]] <= word_space;
      root_table_q[word_space[3:0]] <= word_i[63:12];
    end
    if (keep_high) begin
      high_space_q[word_page[22:18]] <= word_space;
      high_page_q[word_page[22:18]]  <= word_page[34:18];
      high_table_q[word_page[22:18]] <= word_i[53:10];
    end
    if (keep_low) begin
      low_space_q[word_page[13:9]] <= word_space;
      low_page_q[word_page[13:9]]  <= word_page[34:9];
      low_table_q[word_page[13:9]] <= word_i[53:10];
    end
    if (keep_line) line_number_q[word_line[2:0]] <= word_line;
  end
  // an invalidation comes after the word of its cycle
  logic drops, fresh;
  logic [Walkers-1:0] only_for;
  assign drops    = inval_valid_i && (inval_all_i || word_space[15:0] == inval_asid_i);
  assign fresh    = !stale_q[words] && !drops;
  assign only_for = stale_q[words] ? witness_q[words*Walkers+:Walkers] & ~starts : present;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      root_fresh_q <= '0;
      high_fresh_q <= '0;
      low_fresh_q  <= '0;
      line_valid_q <= '0;
      for (int i = 0; i < Roots; i++) root_for_q[i] <= '0;
      for (int i = 0; i < Tables; i++) high_for_q[i] <= '0;
      for (int i = 0; i < Tables; i++) low_for_q[i] <= '0;
    end else begin
      for (int i = 0; i < Roots; i++) begin
        if (inval_valid_i && (inval_all_i || root_space_q[i][15:0] == inval_asid_i)) begin
          root_fresh_q[i] <= 1'b0;
          root_for_q[i]   <= root_fresh_q[i] ? present : root_for_q[i] & ~starts;
        end else root_for_q[i] <= root_for_q[i] & ~starts;
      end
      for (int i = 0; i < Tables; i++) begin
        if (inval_valid_i && (inval_all_i || high_space_q[i][15:0] == inval_asid_i)) begin
          high_fresh_q[i] <= 1'b0;
          high_for_q[i]   <= high_fresh_q[i] ? present : high_for_q[i] & ~starts;
        end else high_for_q[i] <= high_for_q[i] & ~starts;
        if (inval_valid_i && (inval_all_i || low_space_q[i][15:0] == inval_asid_i)) begin
          low_fresh_q[i] <= 1'b0;
          low_for_q[i]   <= low_fresh_q[i] ? present : low_for_q[i] & ~starts;
        end else low_for_q[i] <= low_for_q[i] & ~starts;
      end
      if (keep_root) begin
        root_fresh_q[word_space[3:0]] <= fresh;
        root_for_q[word_space[3:0]]   <= only_for;
      end
      if (keep_high) begin
        high_fresh_q[word_page[22:18]] <= fresh;
        high_for_q[word_page[22:18]]   <= only_for;
      end
      if (keep_low) begin
        low_fresh_q[word_page[13:9]] <= fresh;
        low_for_q[word_page[13:9]]   <= only_for;
      end
      if (inval_valid_i) line_valid_q <= '0;
      else if (keep_line) line_valid_q[word_line[2:0]] <= 1'b1;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) word_valid_i |-> 32'(word_number_i) < Walkers && active_q[words] && sent_q[words])
  else $error("a word that no walk has asked for");
  assert property (@(posedge clk_i) begins |-> !active_q[taken])
  else $error("a walker that has a walk gets another");
  assert property (@(posedge clk_i) read_valid_o && !read_ready_i |=> read_valid_o && $stable({read_number_o, read_address_o, read_level_o}))
  else $error("a read that has not been taken changes");
`endif
endmodule
