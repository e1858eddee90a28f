// Some digits of a quotient or a root, the highest first: each is 1 if what is subtracted for it fits into the remainder.
//
// The remainder has 53 places behind the point, as has the result. It doubles with each digit; what is subtracted is the divisor, or of
// a root twice the digits so far and the weight of this one.
module fdiv_steps #(
  parameter int unsigned First = 0, // the number of its first digit, of which digit 0 weighs 1
  parameter int unsigned Count = 1
) (
  input  logic             en_i,
  input  fpu_pkg::digits_t stage_i,
  output fpu_pkg::digits_t stage_o
);
  logic [56:0] difference;
  logic [55:0] remainder;
  logic [53:0] digits;

  always_comb begin
    stage_o    = stage_i;
    difference = '0;
    remainder  = '0;
    digits     = '0;
    if (en_i) begin
      remainder = stage_i.remainder;
      digits    = stage_i.digits;
      for (int unsigned i = 0; i < Count; i++) begin
        difference = {1'b0, remainder} -
                     (stage_i.sqrt ? {2'b0, digits, 1'b0} | (57'd1 << (53 - First - i)) : {3'b0, stage_i.divisor, 1'b0});
        if (!difference[56]) begin
          remainder = difference[55:0];
          digits    = digits | (54'd1 << (53 - First - i));
        end
        remainder = remainder << 1;
      end
      stage_o.remainder = remainder;
      stage_o.digits    = digits;
    end
  end
endmodule
