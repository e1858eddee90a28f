// The local memories of several devices, one of which a number chooses, for the comparison with the model.
module lds_units #(
  parameter int unsigned Geometries = 4,
  parameter int unsigned Lanes [Geometries] = '{4, 32, 8, 16},
  parameter int unsigned Banks [Geometries] = '{4, 32, 1, 64}
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [1:0]   geometry_i,
  input  logic         access_valid_i,
  output logic         access_ready_o,
  input  logic [31:0]  access_lanes_i,
  input  logic [1:0]   access_size_i,
  input  logic [511:0] access_offset_i,
  output logic         round_valid_o,
  input  logic         round_ready_i,
  output logic [95:0]  round_words_o,
  output logic [63:0]  bank_valid_o,
  output logic [895:0] bank_row_o, // of 14 bits each
  output logic         round_last_o,
  output logic [6:0]   conflicts_o
);
  localparam int unsigned Bits = 1 + 1 + 96 + 64 + 896 + 1 + 7;
  logic [Bits-1:0] out [Geometries];
  for (genvar g = 0; g < Geometries; g++) begin : gen_geometry
    localparam int unsigned L = Lanes[g];
    localparam int unsigned B = Banks[g];
    localparam int unsigned R = 14 - $clog2(B);
    logic                     chosen, ready, valid, last;
    logic [3*L-1:0]           words;
    logic [B-1:0]             bank_valid;
    logic [B*R-1:0]           bank_row;
    logic [895:0]             rows;
    logic [$clog2(3*L+1)-1:0] conflicts;
    assign chosen = geometry_i == 2'(g);
    lds #(.Lanes(L), .Banks(B)) u_lds (
      .clk_i, .rst_ni, .access_valid_i(access_valid_i && chosen), .access_ready_o(ready), .access_lanes_i(access_lanes_i[L-1:0]),
      .access_size_i, .access_offset_i(access_offset_i[L*16-1:0]), .round_valid_o(valid), .round_ready_i(round_ready_i && chosen),
      .round_words_o(words), .bank_valid_o(bank_valid), .bank_row_o(bank_row), .round_last_o(last), .conflicts_o(conflicts)
    );
    for (genvar b = 0; b < 64; b++) begin : gen_row
      if (b < B) begin : gen_there
        assign rows[b*14+:14] = 14'(bank_row[b*R+:R]);
      end else begin : gen_none
        assign rows[b*14+:14] = '0;
      end
    end
    assign out[g] = {ready, valid, 96'(words), 64'(bank_valid), rows, last, 7'(conflicts)};
  end
  assign {access_ready_o, round_valid_o, round_words_o, bank_valid_o, bank_row_o, round_last_o, conflicts_o} = out[geometry_i];
endmodule
