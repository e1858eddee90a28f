// A shift to the right; the lowest bit is set too where a 1 is lost.
module fpu_shift #(
  parameter int unsigned Width = 64
) (
  input  logic             en_i,
  input  logic [Width-1:0] value_i,
  input  logic [6:0]       shift_i,
  output logic [Width-1:0] value_o
);
  logic lost;

  always_comb begin
    value_o = '0;
    lost    = 1'b0;
    if (en_i) begin
      value_o    = value_i >> shift_i;
      lost       = (value_i & ~({Width{1'b1}} << shift_i)) != '0;
      value_o[0] = value_o[0] || lost;
    end
  end
endmodule
