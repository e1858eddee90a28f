// Stores that the memory port has not taken (CP-173): the oldest is the first of stores_o. They are put in at the end of a cycle.
module cp_store_buffer #(
  parameter int unsigned Stores = 8,
  parameter int unsigned Bits   = 130, // of cp_pkg::store_t
  localparam int unsigned CountBits = $clog2(Stores + 1)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   put_i,
  input  cp_pkg::store_t         store_i,
  output logic                   full_o,   // no room, also without what is taken in this cycle
  output logic                   empty_o,  // nothing is left behind what is taken in this cycle
  output logic [Stores-1:0]      valid_o,
  output logic [Stores*Bits-1:0] stores_o,
  input  logic [CountBits-1:0]   taken_i   // how many of the oldest the port takes
);
  logic [CountBits-1:0]   count_q, left;
  logic [Stores*Bits-1:0] stores_q, stores_d;
  assign left     = count_q - taken_i;
  assign full_o   = left == CountBits'(Stores);
  assign empty_o  = left == '0;
  assign stores_o = stores_q;
  always_comb begin
    for (int unsigned i = 0; i < Stores; i++) valid_o[i] = CountBits'(i) < count_q;
    stores_d = stores_q >> (32'(taken_i) * Bits);
    for (int unsigned i = 0; i < Stores; i++) if (put_i && left == CountBits'(i)) stores_d[i*Bits+:Bits] = store_i;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= left + CountBits'(put_i);
  end
  always_ff @(posedge clk_i) stores_q <= stores_d;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) taken_i <= count_q)
  else $error("more stores are taken than there are");
  assert property (@(posedge clk_i) put_i |-> !full_o)
  else $error("a store is put into a buffer that is full");
`endif
endmodule
