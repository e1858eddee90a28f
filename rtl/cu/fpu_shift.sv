// A shift to the right; the lowest bit is set too where a 1 is lost.
module fpu_shift #(
  parameter int unsigned Width = 64,
  parameter int unsigned Steps = 7
) (
  input  logic             en_i,
  input  logic [Width-1:0] value_i,
  input  logic [Steps-1:0] shift_i,
  output logic [Width-1:0] value_o
);
  logic lost;

  always_comb begin
    value_o = '0;
    lost    = 1'b0;
    if (en_i) begin
      value_o = value_i;
      for (int unsigned i = 0; i < Steps; i++) begin
        if (shift_i[i]) begin
          lost    = lost || (value_o << (Width - (1 << i))) != '0;
          value_o = value_o >> (1 << i);
        end
      end
      value_o[0] = value_o[0] || lost;
    end
  end
endmodule
