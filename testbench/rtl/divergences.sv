// The divergence of a warp in several geometries, one of which a number chooses, for the comparison with the model. The last one counts
// rotations in 3 bits, so that the count begins anew.
module divergences #(
  parameter int unsigned Geometries = 4,
  parameter int unsigned Lanes        [Geometries] = '{1, 4, 32, 8},
  parameter int unsigned RotationBits [Geometries] = '{32, 32, 32, 3}
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic [1:0]    geometry_i,
  input  logic          begin_valid_i,
  input  logic [31:0]   begin_lanes_i,
  input  logic [63:0]   begin_pc_i,
  input  logic          retire_valid_i,
  input  logic [31:0]   word_i,
  input  logic [31:0]   taken_i,
  input  logic [2047:0] target_i, // of each lane
  input  logic          step_i,
  input  logic          release_i,
  output logic          runs_o,
  output logic          steps_o,
  output logic [31:0]   lanes_o,
  output logic [63:0]   pc_o,
  output logic [31:0]   depth_o,
  output logic [31:0]   live_o,
  output logic [31:0]   pending_o,
  output logic [31:0]   at_barrier_o,
  output logic [31:0]   at_sync_o,
  output logic          chose_o
);
  localparam int unsigned RunningBits = $bits(galena_pkg::divergence_running_t);
  localparam int unsigned LanesBits   = $bits(galena_pkg::divergence_lanes_t);
  logic [RunningBits+LanesBits:0] out [Geometries];
  for (genvar g = 0; g < Geometries; g++) begin : gen_geometry
    localparam int unsigned L = Lanes[g];
    logic chosen, chose;
    galena_pkg::divergence_running_t running;
    galena_pkg::divergence_lanes_t   lanes;
    assign chosen = geometry_i == 2'(g);
    divergence #(.Lanes(L), .RotationBits(RotationBits[g])) u_divergence (
      .clk_i, .rst_ni, .begin_i({begin_lanes_i, begin_pc_i}), .begin_valid_i(chosen && begin_valid_i), .retire_i(chosen ? {word_i, taken_i} : '0),
      .retire_valid_i(chosen && retire_valid_i), .target_i(chosen ? target_i[L*64-1:0] : '0), .step_i(chosen && step_i),
      .release_i(chosen && release_i), .running_o(running), .lanes_o(lanes), .chose_o(chose)
    );
    assign out[g] = {chose, running, lanes};
  end
  assign {chose_o, runs_o, steps_o, lanes_o, pc_o, depth_o, live_o, pending_o, at_barrier_o, at_sync_o} = out[geometry_i];
endmodule
