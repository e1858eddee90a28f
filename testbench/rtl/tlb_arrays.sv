// The TLBs of two units and the L2 TLB behind them, of several geometries, for the comparison with the model: an array is chosen by its
// number. In C an entry is two words: 1, page and space as the model keys them, and the leaf with bit 63 set where it is of 2 MiB.
module tlb_arrays #(
  parameter int unsigned Geometries = 4,
  parameter int unsigned L1Entries [Geometries] = '{8, 64, 4, 128},
  parameter int unsigned L2Entries [Geometries] = '{32, 1024, 64, 256}
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             rst_por_ni,
  input  logic [1:0]       geometry_i,
  input  logic [1:0]       array_i,        // 0, 1 L1 TLBs, 2, 3 the L2 TLB's of 4 KiB and of 2 MiB
  input  logic             lookup_valid_i,
  input  logic             lookup_drop_i,
  input  logic [63:0]      lookup_key_i,
  output logic             lookup_hit_o,
  output logic [1:0]       lookup_way_o,
  output logic [63:0]      lookup_key_o,
  output logic [63:0]      lookup_leaf_o,
  input  logic             fill_valid_i,
  input  logic [63:0]      fill_key_i,
  input  logic [63:0]      fill_leaf_i,
  output logic [1:0]       fill_way_o,
  output logic [63:0]      fill_replaced_o, // 0: none
  input  logic [3:0]       inval_valid_i,   // of each array of the geometry
  output logic [3:0]       inval_ready_o,
  input  logic [1:0]       inval_scope_i,
  input  logic [15:0]      inval_asid_i,
  input  logic [63:0]      inval_va_i,
  // what a set holds
  input  logic [15:0]      show_set_i,
  output logic [3:0][63:0] show_key_o,
  output logic [3:0][63:0] show_leaf_o
);
  logic [3:0] hit [Geometries], ready [Geometries], replaces [Geometries];
  logic [3:0][1:0] way [Geometries], fill_way [Geometries];
  mmu_pkg::tlb_entry_t found [Geometries][4], replaced [Geometries][4], show [Geometries][4][4];
  logic [3:0] show_valid [Geometries][4];

  mmu_pkg::tlb_entry_t fill;
  assign fill = {fill_key_i[51:17], fill_key_i[16:0], fill_leaf_i[63], fill_leaf_i[53:0]};
  for (genvar g = 0; g < Geometries; g++) begin : gen_geometry
    for (genvar a = 0; a < 4; a++) begin : gen_array
      localparam int unsigned Entries = a < 2 ? L1Entries[g] : a == 2 ? L2Entries[g] : L2Entries[g] / 8;
      logic chosen;
      assign chosen = geometry_i == 2'(g) && array_i == 2'(a);
      tlb #(.Entries(Entries), .Huge(a == 3), .BySet(a >= 2)) u_tlb (
        .clk_i, .rst_ni, .rst_por_ni, .lookup_valid_i(lookup_valid_i && chosen), .lookup_page_i(lookup_key_i[51:17]),
        .lookup_space_i(lookup_key_i[16:0]), .lookup_drop_i(lookup_drop_i && chosen), .lookup_hit_o(hit[g][a]), .lookup_way_o(way[g][a]),
        .lookup_entry_o(found[g][a]), .fill_valid_i(fill_valid_i && chosen), .fill_entry_i(fill), .fill_way_o(fill_way[g][a]),
        .fill_replaces_o(replaces[g][a]), .fill_replaced_o(replaced[g][a]), .inval_valid_i(inval_valid_i[a] && geometry_i == 2'(g)),
        .inval_ready_o(ready[g][a]), .inval_scope_i, .inval_asid_i, .inval_page_i(inval_va_i[63:12])
      );
      for (genvar w = 0; w < 4; w++) begin : gen_way
        logic [$clog2(Entries)-1:0] slot;
        assign slot                = $clog2(Entries)'({show_set_i, 2'(w)});
        assign show_valid[g][a][w] = u_tlb.valid_q[slot];
        assign show[g][a][w]       = {u_tlb.page_q[slot], u_tlb.space_q[slot], u_tlb.of_2m_q[slot], u_tlb.leaf_q[slot]};
      end
    end
  end

  // its two words
  function automatic logic [127:0] words(logic valid, mmu_pkg::tlb_entry_t entry);
    return valid ? {1'b1, 11'd0, entry.page, entry.space, entry.of_2m, 9'd0, entry.ppn, entry.pte} : '0;
  endfunction
  logic [63:0] replaced_leaf;
  assign lookup_hit_o  = hit[geometry_i][array_i];
  assign lookup_way_o  = way[geometry_i][array_i];
  assign fill_way_o    = fill_way[geometry_i][array_i];
  assign inval_ready_o = ready[geometry_i];
  assign {lookup_key_o, lookup_leaf_o}    = words(lookup_hit_o, found[geometry_i][array_i]);
  assign {fill_replaced_o, replaced_leaf} = words(replaces[geometry_i][array_i], replaced[geometry_i][array_i]);
  for (genvar w = 0; w < 4; w++) begin : gen_show
    assign {show_key_o[w], show_leaf_o[w]} = words(show_valid[geometry_i][array_i][w], show[geometry_i][array_i][w]);
  end

  logic unused;
  assign unused = ^{replaced_leaf, lookup_key_i[63:52], fill_key_i[63:52], fill_leaf_i[62:54], inval_va_i[11:0], show_set_i};
endmodule
