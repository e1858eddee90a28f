// Arithmetic of one cycle, and the comparison of branches.
module cp_alu (
  input  logic [2:0]  funct3_i,
  input  logic        alt_i,      // sub, sra
  input  logic        multiply_i,
  input  logic        word_i,     // on 32 bits, the result sign-extended
  input  logic [63:0] a_i,
  input  logic [63:0] b_i,
  output logic [63:0] result_o,
  output logic        taken_o     // of a branch with this funct3, a_i and b_i as its registers
);
  logic less, less_unsigned;
  assign less          = $signed(a_i) < $signed(b_i);
  assign less_unsigned = a_i < b_i;
  assign taken_o       = (funct3_i[2] ? (funct3_i[1] ? less_unsigned : less) : a_i == b_i) ^ funct3_i[0];

  logic [63:0] shifted; // what a shift to the right shifts, with the bit that comes in
  logic [5:0]  shift;
  logic        fill;
  assign shift   = {b_i[5] && !word_i, b_i[4:0]};
  assign fill    = alt_i && (word_i ? a_i[31] : a_i[63]);
  assign shifted = word_i ? {{32{fill}}, a_i[31:0]} : a_i;

  logic signed [64:0]  a, b; // with the sign that the instruction gives them
  logic signed [127:0] product;
  logic                a_signed, b_signed;
  assign a_signed = funct3_i[1:0] != 2'd3;
  assign b_signed = !funct3_i[1];
  assign a        = {a_signed && a_i[63], a_i};
  assign b        = {b_signed && b_i[63], b_i};
  assign product  = 128'(a) * 128'(b);

  logic [63:0] simple, value;
  always_comb begin
    case (funct3_i)
      3'd0:    simple = alt_i ? a_i - b_i : a_i + b_i;
      3'd1:    simple = a_i << shift;
      3'd2:    simple = {63'd0, less};
      3'd3:    simple = {63'd0, less_unsigned};
      3'd4:    simple = a_i ^ b_i;
      3'd5:    simple = (shifted >> shift) | (fill ? ~('1 >> shift) : '0);
      3'd6:    simple = a_i | b_i;
      default: simple = a_i & b_i;
    endcase
    if (!multiply_i) value = simple;
    else value = funct3_i[1:0] == 2'd0 ? product[63:0] : product[127:64];
  end
  assign result_o = word_i ? {{32{value[31]}}, value[31:0]} : value;
endmodule
