// Instruction caches of several devices, one of which a number chooses, for the comparison with the model.
module icaches #(
  parameter int unsigned Geometries = 3,
  parameter int unsigned Warps     [Geometries] = '{4, 16, 5},
  parameter int unsigned Sets      [Geometries] = '{8, 32, 2},
  parameter int unsigned Ways      [Geometries] = '{2, 8, 4},
  parameter int unsigned LineBytes [Geometries] = '{64, 128, 32},
  parameter int unsigned L1Latency [Geometries] = '{28, 28, 0}
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [1:0]        geometry_i,
  input  logic              empty_i,
  input  logic              drop_i,
  input  logic [15:0]       begin_i,
  input  logic [3:0]        first_i,
  input  logic [15:0]       look_i,
  input  logic [15:0]       fault_i,
  input  logic [15:0]       next_i,
  input  logic [15:0]       runs_i,
  input  logic [15:0]       steps_i,
  input  logic [15:0][31:0] space_i,
  input  logic [15:0][63:0] pc_i,
  output logic [15:0][31:0] line_o,  // icache_line_t of each slot
  output logic [15:0]       translate_o,
  input  logic [15:0]       mapping_there_i,
  input  logic [15:0][31:0] mapping_fault_i,
  input  logic [15:0][63:0] mapping_address_i,
  input  logic [15:0]       translation_valid_i,
  input  logic [15:0][31:0] translation_fault_i,
  input  logic [15:0][63:0] translation_address_i,
  output logic [15:0]       request_valid_o,
  output logic [15:0][63:0] request_o,
  input  logic [15:0]       answer_i,
  output logic [15:0]       take_o,
  output logic [15:0][31:0] take_way_o
);
  import galena_pkg::*;
  localparam int unsigned FetchBits       = $bits(icache_fetch_t);
  localparam int unsigned LineStateBits   = $bits(icache_line_t);
  localparam int unsigned MappingBits     = $bits(icache_mapping_t);
  localparam int unsigned TranslationBits = $bits(icache_translation_t);
  logic [15:0][31:0] line [Geometries], take_way [Geometries];
  logic [15:0][63:0] request [Geometries];
  logic [15:0]       translate [Geometries], request_valid [Geometries], take [Geometries];
  for (genvar g = 0; g < Geometries; g++) begin : gen_geometry
    localparam int unsigned W  = Warps[g];
    localparam int unsigned WB = W > 1 ? $clog2(W) : 1;
    logic                         chosen;
    logic [W*FetchBits-1:0]       fetch;
    logic [W*LineStateBits-1:0]   state;
    logic [W*MappingBits-1:0]     mapping;
    logic [W*TranslationBits-1:0] translation;
    logic [W*64-1:0]              address;
    logic [W*4-1:0]               way;
    logic [W-1:0]                 translates, requests, takes;
    assign chosen = geometry_i == 2'(g);
    for (genvar w = 0; w < W; w++) begin : gen_warp
      assign fetch[w*FetchBits+:FetchBits]                   = {runs_i[w], steps_i[w], space_i[w][16:0], pc_i[w]};
      assign mapping[w*MappingBits+:MappingBits]             = {mapping_there_i[w], mapping_fault_i[w][7:0], mapping_address_i[w]};
      assign translation[w*TranslationBits+:TranslationBits] = {translation_fault_i[w][7:0], translation_address_i[w]};
    end
    for (genvar w = 0; w < 16; w++) begin : gen_slot
      if (w < W) begin : gen_there
        assign line[g][w]     = 32'(state[w*LineStateBits+:LineStateBits]);
        assign request[g][w]  = address[w*64+:64];
        assign take_way[g][w] = 32'(way[w*4+:4]);
      end else begin : gen_none
        assign {line[g][w], request[g][w], take_way[g][w]} = '0;
      end
    end
    assign translate[g]     = 16'(translates);
    assign request_valid[g] = 16'(requests);
    assign take[g]          = 16'(takes);
    icache #(.Warps(W), .Sets(Sets[g]), .Ways(Ways[g]), .LineBytes(LineBytes[g]), .L1Latency(L1Latency[g])) u_icache (
      .clk_i, .rst_ni, .empty_i(empty_i && chosen), .drop_i(drop_i && chosen), .begin_i(chosen ? begin_i[W-1:0] : '0),
      .first_i(chosen ? first_i[WB-1:0] : '0), .look_i(chosen ? look_i[W-1:0] : '0), .fault_i(chosen ? fault_i[W-1:0] : '0),
      .next_i(chosen ? next_i[W-1:0] : '0), .fetch_i(fetch), .line_o(state), .translate_o(translates), .mapping_i(mapping),
      .translation_valid_i(chosen ? translation_valid_i[W-1:0] : '0), .translation_i(translation), .request_valid_o(requests),
      .request_o(address), .answer_i(chosen ? answer_i[W-1:0] : '0), .take_o(takes), .take_way_o(way)
    );
  end
  assign line_o          = line[geometry_i];
  assign translate_o     = translate[geometry_i];
  assign request_valid_o = request_valid[geometry_i];
  assign request_o       = request[geometry_i];
  assign take_o          = take[geometry_i];
  assign take_way_o      = take_way[geometry_i];
endmodule
