// The protection unit: the regions in force, the setting of one, and whether an access is allowed.
//
// A setting takes the base that is held and the limit that is written, and is in force in the cycle after. What was the region before is
// refused to all, as far as it lies in none, until cleared_i says that it has been cleared; no setting comes before that. Accesses are of 1
// to 511 bytes, so that they meet two pages at most, and regions are whole pages.
module protection (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // address after the last byte of DRAM
  input  logic [63:0]               dram_end_i,
  // PROT_LIMIT of a region is written, with PROT_BASE as it is held
  input  logic                      set_i,
  input  logic [2:0]                set_region_i,
  input  logic [63:0]               set_base_i,
  input  logic [63:0]               set_limit_i,
  // that is a new setting, in the same cycle
  output logic                      changes_o,
  input  logic                      cleared_i,
  // what is in force, of region n in bits 64 * n and up
  output logic [511:0]              base_o,
  output logic [511:0]              limit_o,
  input  galena_pkg::prot_check_t   check_i,
  input  logic                      check_valid_i,
  output galena_pkg::prot_verdict_t verdict_o,
  output logic                      verdict_valid_o
);
  localparam int unsigned Regions = 8;

  // numbers of pages; what is none has 0 and 0
  logic [51:0] clearing_base_q, clearing_limit_q;

  // a new setting: whole pages, within DRAM, or none
  logic [51:0] first, behind, set_base, set_limit, old_base, old_limit;
  assign first     = galena_pkg::WindowDramBase[63:12];
  assign behind    = dram_end_i[63:12];
  assign old_base  = base_o[{set_region_i, 6'd12}+:52];
  assign old_limit = limit_o[{set_region_i, 6'd12}+:52];
  always_comb begin
    set_base  = set_base_i[63:12] < first ? first : set_base_i[63:12];
    set_limit = set_limit_i[63:12] > behind ? behind : set_limit_i[63:12];
    if (set_base >= set_limit) begin
      set_base  = '0;
      set_limit = '0;
    end
  end
  assign changes_o = set_i && (set_base != old_base || set_limit != old_limit);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clearing_base_q  <= '0;
      clearing_limit_q <= '0;
    end else if (changes_o) begin
      clearing_base_q  <= old_base;
      clearing_limit_q <= old_limit;
    end else if (cleared_i) begin
      clearing_base_q  <= '0;
      clearing_limit_q <= '0;
    end
  end

  for (genvar i = 0; i < Regions; i++) begin : gen_region
    logic [51:0] base_q, limit_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        base_q  <= '0;
        limit_q <= '0;
      end else if (changes_o && set_region_i == 3'(i)) begin
        base_q  <= set_base;
        limit_q <= set_limit;
      end
    end
    assign base_o[64*i+:64]  = {base_q, 12'd0};
    assign limit_o[64*i+:64] = {limit_q, 12'd0};
  end

  // the pages of the first and of the last byte: in a region, and in what is being cleared
  logic [64:0] last_byte;
  logic [52:0] low_page, high_page;
  logic        low_in, high_in, low_clearing, high_clearing;
  assign last_byte = {1'b0, check_i.address} + {56'd0, check_i.bytes} - 65'd1;
  assign low_page  = {1'b0, check_i.address[63:12]};
  assign high_page = last_byte[64:12];
  always_comb begin
    low_in  = 1'b0;
    high_in = 1'b0;
    for (int i = 0; i < Regions; i++) begin
      low_in  = low_in || (low_page >= {1'b0, base_o[64*i+12+:52]} && low_page < {1'b0, limit_o[64*i+12+:52]});
      high_in = high_in || (high_page >= {1'b0, base_o[64*i+12+:52]} && high_page < {1'b0, limit_o[64*i+12+:52]});
    end
  end
  assign low_clearing  = low_page >= {1'b0, clearing_base_q} && low_page < {1'b0, clearing_limit_q} && !low_in;
  assign high_clearing = high_page >= {1'b0, clearing_base_q} && high_page < {1'b0, clearing_limit_q} && !high_in;

  logic writes, refused;
  assign writes  = check_i.access == galena_pkg::AccessWrite || check_i.access == galena_pkg::AccessAtomic;
  assign refused = low_clearing || high_clearing || (check_i.job ? writes && !(low_in && high_in) : low_in || high_in);
  assign verdict_o.fault = refused ? 8'(galena_pkg::FaultProtected) : 8'(galena_pkg::FaultNone);
  assign verdict_valid_o = check_valid_i;

  logic unused;
  assign unused = ^{check_i.unit, set_base_i[11:0], set_limit_i[11:0], dram_end_i[11:0], last_byte[11:0]};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) check_valid_i |-> check_i.bytes != 9'd0)
  else $error("an access of no byte");
  assert property (@(posedge clk_i) check_valid_i && check_i.job |-> low_page == high_page)
  else $error("an access of a job that crosses a page");
  assert property (@(posedge clk_i) set_i |-> clearing_limit_q == '0)
  else $error("a setting while a region is being cleared");
  for (genvar i = 0; i < Regions; i++) begin : gen_assert
    assert property (@(posedge clk_i) base_o[64*i+:64] < limit_o[64*i+:64] || {base_o[64*i+:64], limit_o[64*i+:64]} == 128'd0)
    else $error("a region that is none has borders");
  end
`endif
endmodule
