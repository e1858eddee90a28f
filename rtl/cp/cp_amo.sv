// What an amo stores.
module cp_amo (
  input  logic [4:0]  funct5_i,
  input  logic        word_i,  // 4 bytes
  input  logic [63:0] old_i,   // in memory
  input  logic [63:0] value_i, // of rs2
  output logic [63:0] result_o
);
  logic [63:0] a, b; // both are ordered the same way when they are sign-extended
  logic        less;
  assign a    = word_i ? {{32{old_i[31]}}, old_i[31:0]} : old_i;
  assign b    = word_i ? {{32{value_i[31]}}, value_i[31:0]} : value_i;
  assign less = funct5_i[3] ? a < b : $signed(a) < $signed(b);
  always_comb begin
    case (funct5_i)
      5'h00:        result_o = a + b;
      5'h04:        result_o = a ^ b;
      5'h08:        result_o = a | b;
      5'h0c:        result_o = a & b;
      5'h10, 5'h18: result_o = less ? a : b;
      5'h14, 5'h1c: result_o = less ? b : a;
      default:      result_o = b;
    endcase
  end
endmodule
