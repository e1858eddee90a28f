// The coalescer (ISA-84, ISA-85, ISA-87): the lines that the lanes of an instruction access, each once, in the order in which ascending lanes
// touch them first.
//
// An access has a part for each line or word that a lane's bytes may lie in: two lines of memory, three words of private memory. In each cycle
// the line of the lowest part that is left is at the output, and all parts that are in it go with it. How many lines there will be is
// known from the first one on, by a comparison of all parts with each other as the access is taken: stores are charged by it.
module coalescer #(
  parameter int unsigned Lanes     = 4,  // a power of two, up to 32
  parameter int unsigned LineBytes = 64, // a power of two, 32 to 256
  localparam int unsigned LineBits  = $clog2(LineBytes),
  localparam int unsigned CountBits = $clog2(3 * Lanes + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 access_valid_i,
  output logic                 access_ready_o,
  input  logic [Lanes-1:0]     access_running_i, // lanes that execute the instruction
  input  logic [Lanes-1:0]     access_memory_i,  // of these, those that access memory or private memory
  input  logic [Lanes-1:0]     access_private_i, // of these, those in private memory: the place is that of the first word in the backing
  input  logic [1:0]           access_size_i,    // log2 of a lane's bytes
  input  logic [Lanes*12-1:0]  access_offset_i,  // of a lane's first byte in its page
  input  logic [Lanes*44-1:0]  access_page_i,    // this page: physical address >> 12
  input  logic [Lanes*44-1:0]  access_next_i,    // the page behind it in virtual memory, where the access reaches into that
  output logic                 line_valid_o,
  input  logic                 line_ready_i,
  output logic [55:LineBits]   line_number_o,
  output logic [Lanes-1:0]     line_lanes_o,     // that have bytes in it
  output logic [LineBytes-1:0] line_bytes_o,     // that lanes access
  output logic                 line_last_o,      // of the access
  output logic [CountBits-1:0] lines_o,          // of the access
  output logic [LineBits:0]    store_bytes_o     // that a store writes to each of its lines, as far as bandwidth is concerned
);
  localparam int unsigned Parts    = 3;
  localparam int unsigned Items    = Parts * Lanes; // part p of lane l is item l * Parts + p
  localparam int unsigned SizeBits = $clog2(Lanes) + 4;

  logic takes;
  assign takes = access_valid_i && access_ready_o;

  // the parts of what comes: a lane's first and last byte, or its words, which lie as far apart as all lanes have words
  logic [3:0]           bytes;
  logic [Items-1:0]     valid;
  logic [55:LineBits]   line [Items], line_q [Items];
  logic [LineBits-1:0]  low_q [Lanes]; // of a lane's first byte in its line
  assign bytes = 4'd1 << access_size_i;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [12:0] offset;
    logic [3:0]  last;  // byte, from the first one of its word on
    logic [2:0]  words; // that it has bytes in
    assign offset = {1'b0, access_offset_i[l*12+:12]};
    assign last   = {2'd0, offset[1:0]} + bytes - 4'd1;
    assign words  = {last >= 4'd8, last >= 4'd4, 1'b1};
    always_ff @(posedge clk_i) if (takes) low_q[l] <= offset[LineBits-1:0];
    for (genvar p = 0; p < Parts; p++) begin : gen_part
      logic [12:0]        distance;
      logic [12:LineBits] place;
      logic               there;
      assign distance = access_private_i[l] ? 13'(p * Lanes * 4) : p == 0 ? 13'd0 : {9'd0, bytes - 4'd1};
      assign place    = (13-LineBits)'((offset + distance) >> LineBits);
      assign there    = access_private_i[l] ? words[p] : p == 0 || (p == 1 && place != offset[12:LineBits]);
      assign valid[l*Parts+p] = access_memory_i[l] && there;
      assign line[l*Parts+p]  = {place[12] ? access_next_i[l*44+:44] : access_page_i[l*44+:44], place[11:LineBits]};
      always_ff @(posedge clk_i) if (takes) line_q[l*Parts+p] <= line[l*Parts+p];
    end
  end

  // how many lines
  logic [CountBits-1:0] lines;
  logic [Items-1:0]     first; // no lower item is in its line
  always_comb begin
    first = valid;
    lines = '0;
    if (takes) begin
      for (int i = 1; i < Items; i++) begin
        if (valid[i]) begin
          for (int j = 0; j < i; j++) if (valid[j] && line[j] == line[i]) first[i] = 1'b0;
        end
      end
      for (int i = 0; i < Items; i++) lines += CountBits'(first[i]);
    end
  end

  // what a store is charged with for each of them
  logic [SizeBits-1:0] running, stored, each_line;
  always_comb begin
    running = '0;
    for (int l = 0; l < Lanes; l++) running += SizeBits'(access_running_i[l]);
    stored    = running << access_size_i;
    each_line = '0;
    if (takes && lines != '0) each_line = SizeBits'((32'(stored) + 32'(lines) - 32'd1) / 32'(lines));
  end

  // parts that are left; of these, the lowest, those in the line that is at the output, those behind that
  logic [Items-1:0]     left_q, lowest, together, rest;
  logic [Lanes-1:0]     private_q;
  logic [7:0]           ones_q;           // a bit for each byte of a lane
  logic [CountBits-1:0] lines_q;
  logic [LineBits:0]    store_bytes_q;

  assign line_valid_o  = left_q != '0;
  assign line_last_o   = rest == '0;
  assign lines_o       = lines_q;
  assign store_bytes_o = store_bytes_q;
  assign access_ready_o = !line_valid_o || (line_last_o && line_ready_i);

  always_comb begin
    lowest        = left_q & (~left_q + Items'(1));
    line_number_o = '0;
    for (int i = 0; i < Items; i++) if (lowest[i]) line_number_o = line_q[i];
    for (int i = 0; i < Items; i++) together[i] = left_q[i] && line_q[i] == line_number_o;
    rest = left_q & ~together;
  end

  always_comb begin
    line_lanes_o = '0;
    line_bytes_o = '0;
    for (int l = 0; l < Lanes; l++) begin
      for (int p = 0; p < Parts; p++) begin
        if (together[l*Parts+p]) begin
          line_lanes_o[l] = 1'b1;
          if (private_q[l]) begin
            line_bytes_o |= LineBytes'(4'((11'(ones_q) << low_q[l][1:0]) >> (p * 4))) << {low_q[l][LineBits-1:2] + (LineBits-2)'(p * Lanes), 2'd0};
          end else begin
            line_bytes_o |= p == 0 ? LineBytes'(ones_q) << low_q[l] : LineBytes'(8'(ones_q >> (4'd8 - {1'b0, low_q[l][2:0]})));
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (takes) left_q <= valid;
    else if (line_valid_o && line_ready_i) left_q <= rest;
  end
  always_ff @(posedge clk_i) begin
    if (takes) begin
      private_q     <= access_private_i;
      ones_q        <= (8'd1 << bytes) - 8'd1;
      lines_q       <= lines;
      store_bytes_q <= 32'(each_line) > LineBytes ? (LineBits+1)'(LineBytes) : (LineBits+1)'(each_line);
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) access_valid_i |-> (access_memory_i & ~access_running_i) == '0 && (access_private_i & ~access_memory_i) == '0)
  else $error("lanes access memory that do not run");
  assert property (@(posedge clk_i) access_valid_i && !access_ready_o |=> access_valid_i &&
                   $stable({access_running_i, access_memory_i, access_private_i, access_size_i}))
  else $error("an access that has not been taken changes");
  assert property (@(posedge clk_i) line_valid_o && !line_ready_i |=> line_valid_o && $stable({line_number_o, line_lanes_o, line_bytes_o, line_last_o}))
  else $error("a line that has not been taken changes");
  assert property (@(posedge clk_i) line_valid_o |-> line_lanes_o != '0 && line_bytes_o != '0 && lines_o != '0)
  else $error("a line in which no lane has a byte");
`endif
endmodule
