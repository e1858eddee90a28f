// Division and remainder: four bits of the quotient a cycle, sixteen cycles.
module cp_divide (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        begin_i,
  input  logic        remainder_i, // in the cycle of begin_i, as the operands
  input  logic        unsigned_i,
  input  logic        word_i,
  input  logic [63:0] a_i,
  input  logic [63:0] b_i,
  output logic        ready_o,     // the result is there, until the next one begins
  output logic [63:0] result_o
);
  logic [63:0] a, b;
  logic        a_negative, b_negative;
  always_comb begin
    a = a_i;
    b = b_i;
    if (word_i) begin
      a = {{32{a_i[31] && !unsigned_i}}, a_i[31:0]};
      b = {{32{b_i[31] && !unsigned_i}}, b_i[31:0]};
    end
    a_negative = a[63] && !unsigned_i;
    b_negative = b[63] && !unsigned_i;
  end

  // the dividend goes out of quotient_q at its top, into the rest, as the quotient comes in below
  logic [63:0] quotient_q, quotient_d, rest_q, rest_d, divisor_q;
  logic [4:0]  left_q; // cycles
  logic        negate_q, remainder_q, word_q;
  always_comb begin
    quotient_d = quotient_q;
    rest_d     = rest_q;
    for (int i = 0; i < 4; i++) begin
      if ({rest_d[62:0], quotient_d[63]} >= divisor_q) begin
        rest_d     = {rest_d[62:0], quotient_d[63]} - divisor_q;
        quotient_d = {quotient_d[62:0], 1'b1};
      end else begin
        rest_d     = {rest_d[62:0], quotient_d[63]};
        quotient_d = {quotient_d[62:0], 1'b0};
      end
    end
  end

  logic [63:0] value, result;
  assign value    = remainder_q ? rest_q : quotient_q;
  assign result   = negate_q ? -value : value;
  assign result_o = word_q ? {{32{result[31]}}, result[31:0]} : result;
  assign ready_o  = left_q == 5'd0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (begin_i) left_q <= 5'd16;
    else if (!ready_o) left_q <= left_q - 5'd1;
  end
  always_ff @(posedge clk_i) begin
    if (begin_i) begin
      quotient_q  <= a_negative ? -a : a;
      rest_q      <= '0;
      divisor_q   <= b_negative ? -b : b;
      remainder_q <= remainder_i;
      word_q      <= word_i;
      // the quotient of a division by 0 is all ones
      negate_q    <= remainder_i ? a_negative : (a_negative != b_negative) && b != '0;
    end else if (!ready_o) begin
      quotient_q <= quotient_d;
      rest_q     <= rest_d;
    end
  end
endmodule
