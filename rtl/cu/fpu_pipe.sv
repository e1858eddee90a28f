// The registers behind a stage: Depth of them one after the other, none if that is 0. Everything moves on in the cycles of en_i.
module fpu_pipe #(
  parameter int unsigned Width = 1,
  parameter int unsigned Depth = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             en_i,
  input  logic             valid_i,
  input  logic [Width-1:0] d_i,
  output logic             valid_o,
  output logic [Width-1:0] q_o
);
  if (Depth == 0) begin : gen_wires
    logic unused;
    assign unused  = ^{clk_i, rst_ni, en_i};
    assign valid_o = valid_i;
    assign q_o     = d_i;
  end else begin : gen_registers
    for (genvar i = 0; i < Depth; i++) begin : gen_register
      logic             valid, valid_q;
      logic [Width-1:0] data, data_q;
      if (i == 0) begin : gen_first
        assign valid = valid_i;
        assign data  = d_i;
      end else begin : gen_next
        assign valid = gen_register[i-1].valid_q;
        assign data  = gen_register[i-1].data_q;
      end
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) valid_q <= 1'b0;
        else if (en_i) valid_q <= valid;
      end
      always_ff @(posedge clk_i) begin
        if (en_i && valid) data_q <= data;
      end
    end
    assign valid_o = gen_register[Depth-1].valid_q;
    assign q_o     = gen_register[Depth-1].data_q;
  end
endmodule
