// A shift to the left until the highest bit is 1, but by no more than limit_i.
module fpu_normalise #(
  parameter int unsigned Width = 64,
  parameter int unsigned Steps = 6
) (
  input  logic             en_i,
  input  logic [Width-1:0] value_i,
  input  logic [Steps-1:0] limit_i,
  output logic [Width-1:0] value_o,
  output logic [Steps-1:0] shift_o
);
  logic [Steps-1:0] left;

  always_comb begin
    value_o = '0;
    shift_o = '0;
    left    = '0;
    if (en_i) begin
      value_o = value_i;
      left    = limit_i;
      for (int i = Steps - 1; i >= 0; i--) begin
        if ((value_o >> (Width - (1 << i))) == '0 && (left >> i) != '0) begin
          value_o    = value_o << (1 << i);
          left       = left - Steps'(1 << i);
          shift_o[i] = 1'b1;
        end
      end
    end
  end
endmodule
