// The load-store units of several devices, one of which a number chooses, for the comparison with the model.
module lsus #(
  parameter int unsigned Geometries = 4,
  parameter int unsigned Warps      [Geometries] = '{4, 16, 5, 1},
  parameter int unsigned Lanes      [Geometries] = '{4, 32, 8, 2},
  parameter int unsigned LdsLatency [Geometries] = '{20, 20, 0, 3}
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [1:0]       geometry_i,
  output logic             room_o,
  input  logic             issue_i,
  input  logic [4:0]       issue_id_i,
  input  logic             issue_local_i,
  input  logic [6:0]       issue_rounds_i,
  input  logic             issue_atomic_i,
  input  logic [5:0]       issue_lanes_i,
  input  logic [6:0]       issue_lines_i,
  input  logic             issue_found_i,
  input  logic [31:0]      found_i,
  output logic [31:0]      begin_o,
  output logic [31:0]      round_o,
  output logic [31:0]      line_o,
  output logic [31:0][7:0] index_o,
  input  logic [31:0]      memory_over_i,
  output logic [31:0]      over_o
);
  localparam int unsigned Bits = 1 + 4 * 32 + 32 * 8;
  logic [Bits-1:0] out [Geometries];
  for (genvar g = 0; g < Geometries; g++) begin : gen_geometry
    localparam int unsigned C = $clog2(3*Lanes[g]+1);
    logic             chosen, room;
    logic [31:0]      begins, round, line, over;
    logic [32*C-1:0]  index;
    logic [31:0][7:0] indices;
    assign chosen = geometry_i == 2'(g);
    lsu #(.Warps(Warps[g]), .Lanes(Lanes[g]), .LdsLatency(LdsLatency[g]), .Accesses(32)) u_lsu (
      .clk_i, .rst_ni, .room_o(room), .issue_i(issue_i && chosen), .issue_id_i, .issue_local_i, .issue_rounds_i(issue_rounds_i[C-1:0]), .issue_atomic_i,
      .issue_lanes_i(issue_lanes_i[$clog2(Lanes[g]+1)-1:0]), .issue_lines_i(issue_lines_i[C-1:0]), .issue_found_i, .found_i(chosen ? found_i : '0),
      .begin_o(begins), .round_o(round), .line_o(line), .index_o(index), .memory_over_i(chosen ? memory_over_i : '0), .over_o(over)
    );
    for (genvar a = 0; a < 32; a++) begin : gen_access
      assign indices[a] = 8'(index[a*C+:C]);
    end
    assign out[g] = {room, begins, round, line, indices, over};
  end
  assign {room_o, begin_o, round_o, line_o, index_o, over_o} = out[geometry_i];
endmodule
