// What an instruction of 32 bits is: RV64IMA and Zicsr, machine mode.
module cp_decode (
  input  logic [31:0]      insn_i,
  output cp_pkg::decoded_t decoded_o
);
  logic [2:0] funct3;
  logic [6:0] funct7;
  logic [4:0] funct5;
  assign funct3 = insn_i[14:12];
  assign funct7 = insn_i[31:25];
  assign funct5 = insn_i[31:27];

  // what is an instruction, of those that share an opcode
  logic imm_is, imm_word_is, reg_is, reg_word_is, atomic_is;
  always_comb begin
    imm_is      = funct3 == 3'd1 ? funct7[6:1] == 6'h00 : funct3 != 3'd5 || {funct7[6], funct7[4:1]} == '0;
    imm_word_is = funct3 == 3'd0 || (funct3 == 3'd1 && funct7 == 7'h00) || (funct3 == 3'd5 && {funct7[6], funct7[4:0]} == '0);
    reg_is      = funct7 == 7'h00 || funct7 == 7'h01 || (funct7 == 7'h20 && (funct3 == 3'd0 || funct3 == 3'd5));
    reg_word_is = funct7 == 7'h01 ? funct3 == 3'd0 || funct3[2] : (funct3 == 3'd0 || funct3 == 3'd5) && {funct7[6], funct7[4:0]} == '0;
    if (funct3 == 3'd1 && funct7 == 7'h00) reg_word_is = 1'b1;
    case (funct5)
      5'h00, 5'h01, 5'h03, 5'h04, 5'h08, 5'h0c, 5'h10, 5'h14, 5'h18, 5'h1c: atomic_is = 1'b1;
      5'h02:                                                               atomic_is = insn_i[24:20] == 5'd0;
      default:                                                             atomic_is = 1'b0;
    endcase
    if (funct3[2:1] != 2'b01) atomic_is = 1'b0;
  end

  logic [63:0] imm_i, imm_s, imm_b, imm_u, imm_j;
  assign imm_i = {{52{insn_i[31]}}, insn_i[31:20]};
  assign imm_s = {{52{insn_i[31]}}, insn_i[31:25], insn_i[11:7]};
  assign imm_b = {{52{insn_i[31]}}, insn_i[7], insn_i[30:25], insn_i[11:8], 1'b0};
  assign imm_u = {{32{insn_i[31]}}, insn_i[31:12], 12'd0};
  assign imm_j = {{44{insn_i[31]}}, insn_i[19:12], insn_i[20], insn_i[30:21], 1'b0};

  always_comb begin
    decoded_o.kind     = cp_pkg::Illegal;
    decoded_o.from_pc  = 1'b0;
    decoded_o.from_imm = 1'b1;
    decoded_o.multiply = 1'b0;
    decoded_o.alt      = 1'b0;
    decoded_o.word     = insn_i[3];
    decoded_o.funct3   = funct3;
    decoded_o.funct5   = funct5;
    decoded_o.rd       = insn_i[11:7];
    decoded_o.rs1      = insn_i[19:15];
    decoded_o.rs2      = insn_i[24:20];
    decoded_o.imm      = imm_i;
    case (insn_i[6:0])
      7'h03: if (funct3 != 3'd7) decoded_o.kind = cp_pkg::Load;
      7'h0f: if (funct3[2:1] == 2'd0) decoded_o.kind = cp_pkg::Fence;
      7'h13: begin
        if (imm_is) decoded_o.kind = cp_pkg::Alu;
        decoded_o.alt = funct3 == 3'd5 && insn_i[30];
      end
      7'h17, 7'h37: begin // auipc, lui
        decoded_o.kind    = cp_pkg::Alu;
        decoded_o.from_pc = !insn_i[5];
        decoded_o.rs1     = 5'd0;
        decoded_o.word    = 1'b0;
        decoded_o.funct3  = 3'd0;
        decoded_o.imm     = imm_u;
      end
      7'h1b: begin
        if (imm_word_is) decoded_o.kind = cp_pkg::Alu;
        decoded_o.alt = funct3 == 3'd5 && insn_i[30];
      end
      7'h23: begin
        if (!funct3[2]) decoded_o.kind = cp_pkg::Store;
        decoded_o.imm = imm_s;
      end
      7'h2f: if (atomic_is) decoded_o.kind = cp_pkg::Atomic;
      7'h33, 7'h3b: begin
        if (insn_i[3] ? reg_word_is : reg_is) decoded_o.kind = funct7[0] && funct3[2] ? cp_pkg::Divide : cp_pkg::Alu;
        decoded_o.from_imm = 1'b0;
        decoded_o.multiply = funct7[0];
        decoded_o.alt      = insn_i[30];
      end
      7'h63: begin
        if (funct3[2:1] != 2'b01) decoded_o.kind = cp_pkg::Branch;
        decoded_o.imm = imm_b;
      end
      7'h67: if (funct3 == 3'd0) decoded_o.kind = cp_pkg::Jalr;
      7'h6f: begin
        decoded_o.kind = cp_pkg::Jal;
        decoded_o.imm  = imm_j;
      end
      7'h73: begin
        if (funct3[1:0] != 2'd0) decoded_o.kind = cp_pkg::Csr;
        else if (insn_i == 32'h0000_0073) decoded_o.kind = cp_pkg::Ecall;
        else if (insn_i == 32'h0010_0073) decoded_o.kind = cp_pkg::Ebreak;
        else if (insn_i == 32'h3020_0073) decoded_o.kind = cp_pkg::Mret;
        else if (insn_i == 32'h1050_0073) decoded_o.kind = cp_pkg::Wfi;
      end
      default: ;
    endcase
  end
endmodule
