// The instruction of 32 bits for which one of 16 bits stands.
module cp_expand (
  input  logic [31:0] word_i,  // at the program counter
  output logic [31:0] insn_o,  // 0, which is none, for what the specification reserves
  output logic        short_o  // it has 16 bits
);
  localparam logic [6:0] OpLoad = 7'h03, OpImm = 7'h13, OpImmWord = 7'h1b, OpStore = 7'h23, OpReg = 7'h33, OpLui = 7'h37, OpRegWord = 7'h3b;
  localparam logic [6:0] OpBranch = 7'h63, OpJalr = 7'h67, OpJal = 7'h6f;

  logic [15:0] c;
  logic        top; // bit 12, the highest one of most immediates
  logic [4:0]  rd, rs2, near7, near2;
  logic [11:0] imm;
  assign c     = word_i[15:0];
  assign top   = c[12];
  assign rd    = c[11:7];
  assign rs2   = c[6:2];
  assign near7 = {2'b01, c[9:7]};
  assign near2 = {2'b01, c[4:2]};
  assign imm   = {{7{top}}, c[6:2]};

  logic [31:0] from0, from1, from2, arithmetic, jump;
  always_comb begin
    from0 = '0;
    case (c[15:13])
      3'b000: if (c[12:5] != '0) from0 = {2'b0, c[10:7], c[12:11], c[5], c[6], 2'b0, 5'd2, 3'd0, near2, OpImm};
      3'b010: from0 = {5'b0, c[5], c[12:10], c[6], 2'b0, near7, 3'd2, near2, OpLoad};
      3'b011: from0 = {4'b0, c[6:5], c[12:10], 3'b0, near7, 3'd3, near2, OpLoad};
      3'b110: from0 = {5'b0, c[5], c[12], near2, near7, 3'd2, c[11:10], c[6], 2'b0, OpStore};
      3'b111: from0 = {4'b0, c[6:5], c[12], near2, near7, 3'd3, c[11:10], 3'b0, OpStore};
      default: ;
    endcase
  end
  always_comb begin
    case ({top, c[6:5]})
      3'b000:  arithmetic = {7'h20, near2, near7, 3'd0, near7, OpReg};
      3'b001:  arithmetic = {7'h00, near2, near7, 3'd4, near7, OpReg};
      3'b010:  arithmetic = {7'h00, near2, near7, 3'd6, near7, OpReg};
      3'b011:  arithmetic = {7'h00, near2, near7, 3'd7, near7, OpReg};
      3'b100:  arithmetic = {7'h20, near2, near7, 3'd0, near7, OpRegWord};
      3'b101:  arithmetic = {7'h00, near2, near7, 3'd0, near7, OpRegWord};
      default: arithmetic = '0;
    endcase
  end
  always_comb begin
    from1 = '0;
    case (c[15:13])
      3'b000: from1 = {imm, rd, 3'd0, rd, OpImm};
      3'b001: if (rd != 5'd0) from1 = {imm, rd, 3'd0, rd, OpImmWord};
      3'b010: from1 = {imm, 5'd0, 3'd0, rd, OpImm};
      3'b011: if (imm != '0) from1 = rd == 5'd2 ? {{3{top}}, c[4:3], c[5], c[2], c[6], 4'b0, 5'd2, 3'd0, 5'd2, OpImm} : {{8{top}}, imm, rd, OpLui};
      3'b100: begin
        case (c[11:10])
          2'b00:   from1 = {6'h00, top, c[6:2], near7, 3'd5, near7, OpImm};
          2'b01:   from1 = {6'h10, top, c[6:2], near7, 3'd5, near7, OpImm};
          2'b10:   from1 = {imm, near7, 3'd7, near7, OpImm};
          default: from1 = arithmetic;
        endcase
      end
      3'b101:  from1 = {top, c[8], c[10:9], c[6], c[7], c[2], c[11], c[5:3], {9{top}}, 5'd0, OpJal};
      default: from1 = {{4{top}}, c[6:5], c[2], 5'd0, near7, 2'b0, c[13], c[11:10], c[4:3], top, OpBranch};
    endcase
  end
  always_comb begin
    // c.jr and c.mv, c.ebreak, c.jalr and c.add
    if (!top) jump = rs2 != 5'd0 ? {7'h00, rs2, 5'd0, 3'd0, rd, OpReg} : rd != 5'd0 ? {12'd0, rd, 3'd0, 5'd0, OpJalr} : '0;
    else jump = rs2 != 5'd0 ? {7'h00, rs2, rd, 3'd0, rd, OpReg} : rd != 5'd0 ? {12'd0, rd, 3'd0, 5'd1, OpJalr} : 32'h0010_0073;
    from2 = '0;
    case (c[15:13])
      3'b000: from2 = {6'h00, top, c[6:2], rd, 3'd1, rd, OpImm};
      3'b010: if (rd != 5'd0) from2 = {4'b0, c[3:2], top, c[6:4], 2'b0, 5'd2, 3'd2, rd, OpLoad};
      3'b011: if (rd != 5'd0) from2 = {3'b0, c[4:2], top, c[6:5], 3'b0, 5'd2, 3'd3, rd, OpLoad};
      3'b100: from2 = jump;
      3'b110: from2 = {4'b0, c[8:7], top, rs2, 5'd2, 3'd2, c[11:9], 2'b0, OpStore};
      3'b111: from2 = {3'b0, c[9:7], top, rs2, 5'd2, 3'd3, c[11:10], 3'b0, OpStore};
      default: ;
    endcase
  end

  assign short_o = c[1:0] != 2'b11;
  always_comb begin
    case (c[1:0])
      2'b00:   insn_o = from0;
      2'b01:   insn_o = from1;
      2'b10:   insn_o = from2;
      default: insn_o = word_i;
    endcase
  end
endmodule
