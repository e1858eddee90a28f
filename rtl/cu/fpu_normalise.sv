// A shift to the left until the highest bit is 1, but by no more than limit_i. A value of up to 128 bits.
module fpu_normalise #(
  parameter int unsigned Width = 64
) (
  input  logic             en_i,
  input  logic [Width-1:0] value_i,
  input  logic [6:0]       limit_i,
  output logic [Width-1:0] value_o,
  output logic [6:0]       shift_o
);
  logic [127:0] value;
  logic [63:0]  window; // begins behind the zeros that are counted
  logic [6:0]   zeros;

  always_comb begin
    value_o = '0;
    shift_o = '0;
    value   = '0;
    window  = '0;
    zeros   = '0;
    if (en_i) begin
      value[127-:Width] = value_i;
      window            = value[127:64];
      if (window == '0) begin
        window   = value[63:0];
        zeros[6] = 1'b1;
      end
      for (int i = 5; i >= 0; i--) begin
        if ((window >> (64 - (1 << i))) == '0) begin
          window   = window << (1 << i);
          zeros[i] = 1'b1;
        end
      end
      shift_o = zeros < limit_i ? zeros : limit_i;
      value_o = value_i << shift_o;
    end
  end
endmodule
