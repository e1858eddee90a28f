// L1 data caches of several devices, one of which a number chooses, for the comparison with the model.
module l1_caches #(
  parameter int unsigned Geometries = 7,
  parameter int unsigned Lanes     [Geometries] = '{4, 4, 32, 32, 32, 4, 8},
  parameter int unsigned Sets      [Geometries] = '{8, 8, 32, 32, 2, 1, 4},
  parameter int unsigned Ways      [Geometries] = '{2, 2, 8, 8, 16, 4, 1},
  parameter int unsigned LineBytes [Geometries] = '{64, 64, 128, 128, 32, 256, 128},
  parameter int unsigned L1Latency [Geometries] = '{28, 28, 28, 28, 3, 0, 1},
  parameter bit          L1Data    [Geometries] = '{1'b0, 1'b1, 1'b0, 1'b1, 1'b1, 1'b1, 1'b0}
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic [2:0]    geometry_i,
  input  logic          empty_i,
  input  logic          line_valid_i,
  input  logic          line_store_i,
  input  logic          line_atomic_i,
  input  logic          line_failed_i,
  input  logic [63:0]   line_address_i,
  input  logic          line_last_i,
  input  logic [3:0]    line_id_i,
  input  logic [6:0]    line_lines_i,
  input  logic [5:0]    line_lanes_i,
  input  logic [8:0]    line_charge_i,
  input  logic [255:0]  line_bytes_i,
  input  logic [2047:0] line_data_i,
  output logic          found_o,
  output logic          take_o,
  output logic [3:0]    way_o,
  output logic          read_o,
  input  logic [2047:0] read_data_i,
  input  logic          read_fault_i,
  output logic [2047:0] data_o,
  output logic          counted_o,
  output logic [6:0]    hits_o,
  output logic [6:0]    misses_o,
  output logic          request_valid_o,
  output logic          request_atomic_o,
  output logic [63:0]   request_address_o,
  output logic [3:0]    request_id_o,
  output logic          store_valid_o,
  output logic [63:0]   store_address_o,
  output logic [8:0]    store_bytes_o,
  output logic [3:0]    store_id_o,
  input  logic [2:0]    answer_valid_i,
  input  logic [11:0]   answer_id_i,
  output logic [15:0]   over_o
);
  localparam int unsigned Bits = 1 + 1 + 4 + 1 + 2048 + 1 + 7 + 7 + 1 + 1 + 64 + 4 + 1 + 64 + 9 + 4 + 16;
  logic [Bits-1:0] out [Geometries];
  for (genvar g = 0; g < Geometries; g++) begin : gen_geometry
    localparam int unsigned B = $clog2(LineBytes[g]);
    localparam int unsigned W = LineBytes[g];
    localparam int unsigned L = Lanes[g];
    localparam int unsigned C = $clog2(3*L+1);
    logic           chosen, found, take, read, counted, request_valid, request_atomic, store_valid;
    logic [3:0]     way, request_id, store_id;
    logic [W*8-1:0] data;
    logic [C-1:0]   hits, misses;
    logic [55:B]    request_number, store_number;
    logic [B:0]     store_bytes;
    logic [15:0]    over;
    assign chosen = geometry_i == 3'(g);
    l1 #(.Lanes(L), .Sets(Sets[g]), .Ways(Ways[g]), .LineBytes(W), .L1Latency(L1Latency[g]), .L1Data(L1Data[g]), .Accesses(16), .Answers(3)) u_l1 (
      .clk_i, .rst_ni, .empty_i(empty_i && chosen), .line_valid_i(line_valid_i && chosen), .line_store_i, .line_atomic_i, .line_failed_i,
      .line_number_i(line_address_i[55:B]), .line_last_i, .line_id_i, .line_lines_i(line_lines_i[C-1:0]), .line_lanes_i(line_lanes_i[$clog2(L+1)-1:0]),
      .line_charge_i(line_charge_i[B:0]), .line_bytes_i(chosen ? line_bytes_i[W-1:0] : '0), .line_data_i(chosen ? line_data_i[W*8-1:0] : '0),
      .found_o(found), .take_o(take), .way_o(way), .read_o(read), .read_data_i(chosen ? read_data_i[W*8-1:0] : '0), .read_fault_i, .data_o(data),
      .counted_o(counted), .hits_o(hits), .misses_o(misses), .request_valid_o(request_valid), .request_atomic_o(request_atomic),
      .request_number_o(request_number), .request_id_o(request_id), .store_valid_o(store_valid), .store_number_o(store_number),
      .store_bytes_o(store_bytes), .store_id_o(store_id), .answer_valid_i(chosen ? answer_valid_i : '0), .answer_id_i, .over_o(over)
    );
    assign out[g] = {found, take, way, read, 2048'(data), counted, 7'(hits), 7'(misses), request_valid, request_atomic, 64'(request_number) << B, request_id,
                     store_valid, 64'(store_number) << B, 9'(store_bytes), store_id, over};
  end
  assign {found_o, take_o, way_o, read_o, data_o, counted_o, hits_o, misses_o, request_valid_o, request_atomic_o, request_address_o, request_id_o,
          store_valid_o, store_address_o, store_bytes_o, store_id_o, over_o} = out[geometry_i];

  logic unused;
  assign unused = ^line_address_i;
endmodule
