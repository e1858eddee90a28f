// The banks of local memory (ISA-58, ISA-59): which words of the lanes of a load or store they read or write in which round.
//
// An access has up to three words of 4 bytes for each lane. In each round a bank has the lowest of the words of it that are left, as lanes and
// then addresses ascend, and all lanes that want this word have it. So there are as many rounds as the bank with the most different
// words has of them. An atomic is an access for each lane (ISA-96).
module lds #(
  parameter int unsigned Lanes = 4, // a power of two, up to 32
  parameter int unsigned Banks = 4, // a power of two, up to 64
  localparam int unsigned Parts     = 3,
  localparam int unsigned Items     = Parts * Lanes, // word p of lane l is item l * Parts + p
  localparam int unsigned BankBits  = $clog2(Banks),
  localparam int unsigned RowBits   = 14 - BankBits,
  localparam int unsigned CountBits = $clog2(Items + 1)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     access_valid_i,
  output logic                     access_ready_o,
  input  logic [Lanes-1:0]         access_lanes_i,  // that access local memory; one at least
  input  logic [1:0]               access_size_i,   // log2 of a lane's bytes
  input  logic [Lanes*16-1:0]      access_offset_i, // of a lane's first byte in the window LOCAL
  output logic                     round_valid_o,
  input  logic                     round_ready_i,
  output logic [Items-1:0]         round_words_o,   // of lanes, that are read or written
  output logic [Banks-1:0]         bank_valid_o,    // the bank has a word,
  output logic [Banks*RowBits-1:0] bank_row_o,      // which is this one of its words
  output logic                     round_last_o,    // of the access
  output logic [CountBits-1:0]     conflicts_o      // with the last round: what the access adds to CNT_LDS_CONFLICTS (CU-137)
);
  localparam int unsigned IndexBits = Banks > 1 ? BankBits : 1;

  logic takes, goes;
  assign takes = access_valid_i && access_ready_o;
  assign goes  = round_valid_o && round_ready_i;

  // the words of what comes, and where they are
  logic [3:0]           bytes;
  logic [Items-1:0]     valid;
  logic [IndexBits-1:0] bank_q [Items];
  logic [RowBits-1:0]   row_q [Items];
  assign bytes = 4'd1 << access_size_i;
  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    logic [15:0] offset;
    logic [3:0]  last;  // byte, from the first one of its word on
    logic [2:0]  words; // that it has bytes in
    assign offset = access_offset_i[l*16+:16];
    assign last   = {2'd0, offset[1:0]} + bytes - 4'd1;
    assign words  = {last >= 4'd8, last >= 4'd4, 1'b1};
    for (genvar p = 0; p < Parts; p++) begin : gen_part
      logic [13:0] word;
      assign word             = offset[15:2] + 14'(p);
      assign valid[l*Parts+p] = access_lanes_i[l] && words[p];
      if (Banks > 1) begin : gen_bank
        always_ff @(posedge clk_i) if (takes) bank_q[l*Parts+p] <= word[IndexBits-1:0];
      end else begin : gen_one_bank
        always_comb bank_q[l*Parts+p] = '0;
      end
      always_ff @(posedge clk_i) if (takes) row_q[l*Parts+p] <= word[13:BankBits];
    end
  end

  // a round: from the highest item on, so that the lowest is the one that stays
  logic [Items-1:0]   left_q, together, rest;
  logic [RowBits-1:0] row [Banks];
  always_comb begin
    bank_valid_o = '0;
    for (int b = 0; b < Banks; b++) row[b] = '0;
    for (int k = 1; k <= Items; k++) begin
      if (left_q[Items-k]) begin
        bank_valid_o[bank_q[Items-k]] = 1'b1;
        row[bank_q[Items-k]]          = row_q[Items-k];
      end
    end
    for (int i = 0; i < Items; i++) together[i] = left_q[i] && row_q[i] == row[bank_q[i]];
    rest = left_q & ~together;
  end
  for (genvar b = 0; b < Banks; b++) begin : gen_row
    assign bank_row_o[b*RowBits+:RowBits] = row[b];
  end
  assign round_valid_o  = left_q != '0;
  assign round_words_o  = together;
  assign round_last_o   = rest == '0;
  assign access_ready_o = !round_valid_o || (round_last_o && round_ready_i);

  // what the rounds before have been, and all of them with this one
  logic [CountBits-1:0] rounds_q, words_q, rounds, words;
  always_comb begin
    words = words_q;
    for (int b = 0; b < Banks; b++) words += CountBits'(bank_valid_o[b]);
  end
  assign rounds      = rounds_q + CountBits'(1);
  assign conflicts_o = rounds - CountBits'((32'(words) + 32'(Banks - 1)) >> BankBits);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (takes) left_q <= valid;
    else if (goes) left_q <= rest;
  end
  always_ff @(posedge clk_i) begin
    if (takes) begin
      rounds_q <= '0;
      words_q  <= '0;
    end else if (goes) begin
      rounds_q <= rounds;
      words_q  <= words;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) access_valid_i |-> access_lanes_i != '0)
  else $error("an access of no lane");
  assert property (@(posedge clk_i) access_valid_i && !access_ready_o |=> access_valid_i && $stable({access_lanes_i, access_size_i}))
  else $error("an access that has not been taken changes");
  assert property (@(posedge clk_i) round_valid_o && !round_ready_i |=> round_valid_o && $stable({round_words_o, bank_valid_o, round_last_o}))
  else $error("a round that has not been taken changes");
  assert property (@(posedge clk_i) round_valid_o |-> round_words_o != '0)
  else $error("a round without a word");
`endif
endmodule
