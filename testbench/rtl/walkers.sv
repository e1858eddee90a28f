// The walkers of several devices, one of which a number chooses, for the comparison with the model.
module walkers #(
  parameter int unsigned Geometries = 3,
  parameter int unsigned Walkers [Geometries] = '{2, 4, 1},
  parameter int unsigned LineBytes [Geometries] = '{64, 128, 32}
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  geometry_i,
  input  logic [63:0] context_table_i,
  input  logic        walk_valid_i,
  output logic        walk_ready_o,
  input  logic [16:0] walk_space_i,
  input  logic [63:0] walk_va_i,
  output logic [3:0]  walk_number_o,
  output logic        read_valid_o,
  input  logic        read_ready_i,
  output logic [3:0]  read_number_o,
  output logic [63:0] read_address_o,
  output logic [2:0]  read_level_o,
  output logic        read_kept_o,
  input  logic        word_valid_i,
  input  logic [3:0]  word_number_i,
  input  logic [63:0] word_i,
  input  logic [1:0]  word_fault_i,
  input  logic        word_error_i,
  output logic        end_valid_o,
  output logic [3:0]  end_number_o,
  output logic [1:0]  end_fault_o,
  output logic [63:0] end_leaf_o,
  output logic        end_of_2m_o,
  input  logic        inval_valid_i,
  input  logic        inval_all_i,
  input  logic [15:0] inval_asid_i
);
  localparam int unsigned Bits = 1 + 4 + 1 + 4 + 64 + 3 + 1 + 1 + 4 + 2 + 64 + 1;
  logic [Bits-1:0] out [Geometries];
  for (genvar g = 0; g < Geometries; g++) begin : gen_geometry
    logic        chosen, walk_ready, read_valid, read_kept, end_valid, end_of_2m;
    logic [3:0]  walk_number, read_number, end_number;
    logic [63:0] read_address, end_leaf;
    logic [2:0]  read_level;
    logic [1:0]  end_fault;
    assign chosen = geometry_i == 2'(g);
    walker #(.Walkers(Walkers[g]), .LineBytes(LineBytes[g])) u_walker (
      .clk_i, .rst_ni, .context_table_i, .walk_valid_i(walk_valid_i && chosen), .walk_ready_o(walk_ready), .walk_space_i,
      .walk_page_i(walk_va_i[46:12]), .walk_number_o(walk_number), .read_valid_o(read_valid), .read_ready_i(read_ready_i && chosen),
      .read_number_o(read_number), .read_address_o(read_address), .read_level_o(read_level), .read_kept_o(read_kept),
      .word_valid_i(word_valid_i && chosen), .word_number_i, .word_i, .word_fault_i, .word_error_i, .end_valid_o(end_valid),
      .end_number_o(end_number), .end_fault_o(end_fault), .end_leaf_o(end_leaf), .end_of_2m_o(end_of_2m),
      .inval_valid_i(inval_valid_i && chosen), .inval_all_i, .inval_asid_i
    );
    assign out[g] = {walk_ready, walk_number, read_valid, read_number, read_address, read_level, read_kept, end_valid, end_number, end_fault,
                     end_leaf, end_of_2m};
  end
  assign {walk_ready_o, walk_number_o, read_valid_o, read_number_o, read_address_o, read_level_o, read_kept_o, end_valid_o, end_number_o,
          end_fault_o, end_leaf_o, end_of_2m_o} = out[geometry_i];

  logic unused;
  assign unused = ^{walk_va_i[63:47], walk_va_i[11:0]};
endmodule
