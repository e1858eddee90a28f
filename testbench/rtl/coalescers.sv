// The coalescers of several devices, one of which a number chooses, for the comparison with the model.
module coalescers #(
  parameter int unsigned Geometries = 3,
  parameter int unsigned Lanes [Geometries] = '{4, 32, 8},
  parameter int unsigned LineBytes [Geometries] = '{64, 128, 32}
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic [1:0]    geometry_i,
  input  logic          access_valid_i,
  output logic          access_ready_o,
  input  logic [31:0]   access_running_i,
  input  logic [31:0]   access_memory_i,
  input  logic [31:0]   access_private_i,
  input  logic [1:0]    access_size_i,
  input  logic [2047:0] access_place_i, // physical addresses
  input  logic [2047:0] access_next_i,
  output logic          line_valid_o,
  input  logic          line_ready_i,
  output logic [63:0]   line_address_o,
  output logic [31:0]   line_lanes_o,
  output logic [255:0]  line_bytes_o,
  output logic          line_last_o,
  output logic [6:0]    lines_o,
  output logic [8:0]    store_bytes_o
);
  localparam int unsigned Bits = 1 + 1 + 64 + 32 + 256 + 1 + 7 + 9;
  logic [32*12-1:0] offset;
  logic [32*44-1:0] page, next;
  for (genvar l = 0; l < 32; l++) begin : gen_lane
    assign offset[l*12+:12] = access_place_i[l*64+:12];
    assign page[l*44+:44]   = access_place_i[l*64+12+:44];
    assign next[l*44+:44]   = access_next_i[l*64+12+:44];
  end
  logic [Bits-1:0] out [Geometries];
  for (genvar g = 0; g < Geometries; g++) begin : gen_geometry
    localparam int unsigned L = Lanes[g];
    localparam int unsigned B = $clog2(LineBytes[g]);
    logic                       chosen, ready, valid, last;
    logic [55:B]                number;
    logic [L-1:0]               lanes;
    logic [LineBytes[g]-1:0]    bytes;
    logic [$clog2(3*L+1)-1:0]   lines;
    logic [B:0]                 store_bytes;
    assign chosen = geometry_i == 2'(g);
    coalescer #(.Lanes(L), .LineBytes(LineBytes[g])) u_coalescer (
      .clk_i, .rst_ni, .access_valid_i(access_valid_i && chosen), .access_ready_o(ready), .access_running_i(access_running_i[L-1:0]),
      .access_memory_i(access_memory_i[L-1:0]), .access_private_i(access_private_i[L-1:0]), .access_size_i, .access_offset_i(offset[L*12-1:0]),
      .access_page_i(page[L*44-1:0]), .access_next_i(next[L*44-1:0]), .line_valid_o(valid), .line_ready_i(line_ready_i && chosen),
      .line_number_o(number), .line_lanes_o(lanes), .line_bytes_o(bytes), .line_last_o(last), .lines_o(lines), .store_bytes_o(store_bytes)
    );
    assign out[g] = {ready, valid, 64'(number) << B, 32'(lanes), 256'(bytes), last, 7'(lines), 9'(store_bytes)};
  end
  assign {access_ready_o, line_valid_o, line_address_o, line_lanes_o, line_bytes_o, line_last_o, lines_o, store_bytes_o} = out[geometry_i];

  logic unused;
  assign unused = ^{access_place_i, access_next_i};
endmodule
