/* Decoder of RV64IMAC + Zicsr. Field positions are those of the unprivileged specification,
 * chapters 2 (base formats), 27 (C). */
#include "model/cp/cp_decode.h"
#include <stdbool.h>

static inline uint32_t bits(uint32_t w, unsigned lsb, unsigned n) { return w >> lsb & ((1u << n) - 1); }
static inline int32_t sign(uint32_t v, unsigned width) { return (int32_t)(v << (32 - width)) >> (32 - width); }

static struct cp_insn make(enum cp_op op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
	return (struct cp_insn){ .op = (uint8_t)op,
				 .rd = (uint8_t)(rd ? rd : CP_SINK),
				 .rs1 = (uint8_t)rs1,
				 .rs2 = (uint8_t)rs2,
				 .imm = imm };
}

static struct cp_insn illegal(void) { return make(CP_ILLEGAL, 0, 0, 0, 0); }

/* ---- 32-bit instructions ---- */

static int32_t imm_i(uint32_t w) { return (int32_t)w >> 20; }
static int32_t imm_s(uint32_t w) { return sign(bits(w, 25, 7) << 5 | bits(w, 7, 5), 12); }
static int32_t imm_b(uint32_t w)
{
	return sign(bits(w, 31, 1) << 12 | bits(w, 7, 1) << 11 | bits(w, 25, 6) << 5 | bits(w, 8, 4) << 1, 13);
}
static int32_t imm_j(uint32_t w)
{
	return sign(bits(w, 31, 1) << 20 | bits(w, 12, 8) << 12 | bits(w, 20, 1) << 11 | bits(w, 21, 10) << 1, 21);
}

/* By funct3; CP_ILLEGAL where there is none. */
static const uint8_t branch_ops[8] = { CP_BEQ, CP_BNE, CP_ILLEGAL, CP_ILLEGAL, CP_BLT, CP_BGE, CP_BLTU, CP_BGEU };
static const uint8_t load_ops[8] = { CP_LB, CP_LH, CP_LW, CP_LD, CP_LBU, CP_LHU, CP_LWU, CP_ILLEGAL };
static const uint8_t store_ops[8] = { CP_SB,	  CP_SH,      CP_SW,	  CP_SD,
				      CP_ILLEGAL, CP_ILLEGAL, CP_ILLEGAL, CP_ILLEGAL };
static const uint8_t imm_ops[8] = { CP_ADDI, CP_SLLI, CP_SLTI, CP_SLTIU, CP_XORI, CP_SRLI, CP_ORI, CP_ANDI };
static const uint8_t reg_ops[8] = { CP_ADD, CP_SLL, CP_SLT, CP_SLTU, CP_XOR, CP_SRL, CP_OR, CP_AND };
static const uint8_t mul_ops[8] = { CP_MUL, CP_MULH, CP_MULHSU, CP_MULHU, CP_DIV, CP_DIVU, CP_REM, CP_REMU };
static const uint8_t mulw_ops[8] = { CP_MULW, CP_ILLEGAL, CP_ILLEGAL, CP_ILLEGAL,
				     CP_DIVW, CP_DIVUW,	  CP_REMW,    CP_REMUW };
static const uint8_t csr_ops[8] = { CP_ILLEGAL, CP_CSRRW,  CP_CSRRS,  CP_CSRRC,
				    CP_ILLEGAL, CP_CSRRWI, CP_CSRRSI, CP_CSRRCI };

static enum cp_op op_imm(uint32_t w, unsigned funct3)
{
	if (funct3 == 1)
		return bits(w, 26, 6) == 0 ? CP_SLLI : CP_ILLEGAL;
	if (funct3 == 5)
		return bits(w, 26, 6) == 0 ? CP_SRLI : bits(w, 26, 6) == 0x10 ? CP_SRAI : CP_ILLEGAL;
	return imm_ops[funct3];
}

static enum cp_op op_imm32(uint32_t w, unsigned funct3)
{
	if (funct3 == 0)
		return CP_ADDIW;
	if (funct3 == 1)
		return bits(w, 25, 7) == 0 ? CP_SLLIW : CP_ILLEGAL;
	if (funct3 == 5)
		return bits(w, 25, 7) == 0 ? CP_SRLIW : bits(w, 25, 7) == 0x20 ? CP_SRAIW : CP_ILLEGAL;
	return CP_ILLEGAL;
}

static enum cp_op op_reg(uint32_t w, unsigned funct3)
{
	switch (bits(w, 25, 7)) {
	case 0x00:
		return reg_ops[funct3];
	case 0x01:
		return mul_ops[funct3];
	case 0x20:
		return funct3 == 0 ? CP_SUB : funct3 == 5 ? CP_SRA : CP_ILLEGAL;
	}
	return CP_ILLEGAL;
}

static enum cp_op op_reg32(uint32_t w, unsigned funct3)
{
	switch (bits(w, 25, 7)) {
	case 0x00:
		return funct3 == 0 ? CP_ADDW : funct3 == 1 ? CP_SLLW : funct3 == 5 ? CP_SRLW : CP_ILLEGAL;
	case 0x01:
		return mulw_ops[funct3];
	case 0x20:
		return funct3 == 0 ? CP_SUBW : funct3 == 5 ? CP_SRAW : CP_ILLEGAL;
	}
	return CP_ILLEGAL;
}

static enum cp_op op_amo(uint32_t w)
{
	switch (bits(w, 27, 5)) {
	case 0x00: return CP_AMOADD;
	case 0x01: return CP_AMOSWAP;
	case 0x02: return bits(w, 20, 5) == 0 ? CP_LR : CP_ILLEGAL;
	case 0x03: return CP_SC;
	case 0x04: return CP_AMOXOR;
	case 0x08: return CP_AMOOR;
	case 0x0c: return CP_AMOAND;
	case 0x10: return CP_AMOMIN;
	case 0x14: return CP_AMOMAX;
	case 0x18: return CP_AMOMINU;
	case 0x1c: return CP_AMOMAXU;
	}
	return CP_ILLEGAL;
}

static struct cp_insn decode_system(uint32_t w, unsigned rd, unsigned funct3, unsigned rs1)
{
	switch (w) {
	case 0x00000073: return make(CP_ECALL, 0, 0, 0, 0);
	case 0x00100073: return make(CP_EBREAK, 0, 0, 0, 0);
	case 0x30200073: return make(CP_MRET, 0, 0, 0, 0);
	case 0x10500073: return make(CP_WFI, 0, 0, 0, 0);
	}
	return make(csr_ops[funct3], rd, rs1, 0, (int32_t)bits(w, 20, 12));
}

static struct cp_insn decode_32(uint32_t w)
{
	unsigned rd = bits(w, 7, 5), funct3 = bits(w, 12, 3), rs1 = bits(w, 15, 5), rs2 = bits(w, 20, 5);

	switch (bits(w, 0, 7)) {
	case 0x03: return make(load_ops[funct3], rd, rs1, 0, imm_i(w));
	case 0x0f: return funct3 <= 1 ? make(CP_FENCE, 0, 0, 0, 0) : illegal();
	case 0x13:
		return make(op_imm(w, funct3), rd, rs1, 0,
			    funct3 == 1 || funct3 == 5 ? (int32_t)bits(w, 20, 6) : imm_i(w));
	case 0x17: return make(CP_AUIPC, rd, 0, 0, (int32_t)(w & 0xfffff000));
	case 0x1b:
		return make(op_imm32(w, funct3), rd, rs1, 0, funct3 ? (int32_t)bits(w, 20, 5) : imm_i(w));
	case 0x23: return make(store_ops[funct3], 0, rs1, rs2, imm_s(w));
	case 0x2f:
		if (funct3 != 2 && funct3 != 3)
			return illegal();
		return make(op_amo(w), rd, rs1, rs2, funct3 == 2 ? 4 : 8);
	case 0x33: return make(op_reg(w, funct3), rd, rs1, rs2, 0);
	case 0x37: return make(CP_LUI, rd, 0, 0, (int32_t)(w & 0xfffff000));
	case 0x3b: return make(op_reg32(w, funct3), rd, rs1, rs2, 0);
	case 0x63: return make(branch_ops[funct3], 0, rs1, rs2, imm_b(w));
	case 0x67: return funct3 == 0 ? make(CP_JALR, rd, rs1, 0, imm_i(w)) : illegal();
	case 0x6f: return make(CP_JAL, rd, 0, 0, imm_j(w));
	case 0x73: return decode_system(w, rd, funct3, rs1);
	}
	return illegal();
}

/* ---- 16-bit instructions ---- */

static int32_t c_imm6(uint32_t w) { return sign(bits(w, 12, 1) << 5 | bits(w, 2, 5), 6); }
static int32_t c_uimm6(uint32_t w) { return (int32_t)(bits(w, 12, 1) << 5 | bits(w, 2, 5)); }
static int32_t c_off_w(uint32_t w)
{
	return (int32_t)(bits(w, 10, 3) << 3 | bits(w, 6, 1) << 2 | bits(w, 5, 1) << 6);
}
static int32_t c_off_d(uint32_t w) { return (int32_t)(bits(w, 10, 3) << 3 | bits(w, 5, 2) << 6); }
static int32_t c_off_j(uint32_t w)
{
	return sign(bits(w, 12, 1) << 11 | bits(w, 11, 1) << 4 | bits(w, 9, 2) << 8 | bits(w, 8, 1) << 10 |
			    bits(w, 7, 1) << 6 | bits(w, 6, 1) << 7 | bits(w, 3, 3) << 1 | bits(w, 2, 1) << 5,
		    12);
}
static int32_t c_off_b(uint32_t w)
{
	return sign(bits(w, 12, 1) << 8 | bits(w, 10, 2) << 3 | bits(w, 5, 2) << 6 | bits(w, 3, 2) << 1 |
			    bits(w, 2, 1) << 5,
		    9);
}

static struct cp_insn decode_c0(uint32_t w)
{
	unsigned rs1 = 8 + bits(w, 7, 3), rd = 8 + bits(w, 2, 3);
	int32_t imm;

	switch (bits(w, 13, 3)) {
	case 0: /* c.addi4spn; all zeros is defined illegal */
		imm = (int32_t)(bits(w, 11, 2) << 4 | bits(w, 7, 4) << 6 | bits(w, 6, 1) << 2 | bits(w, 5, 1) << 3);
		return imm ? make(CP_ADDI, rd, 2, 0, imm) : illegal();
	case 2: return make(CP_LW, rd, rs1, 0, c_off_w(w));
	case 3: return make(CP_LD, rd, rs1, 0, c_off_d(w));
	case 6: return make(CP_SW, 0, rs1, rd, c_off_w(w));
	case 7: return make(CP_SD, 0, rs1, rd, c_off_d(w));
	}
	return illegal();
}

static struct cp_insn decode_c1_alu(uint32_t w)
{
	static const uint8_t ops[2][4] = { { CP_SUB, CP_XOR, CP_OR, CP_AND },
					   { CP_SUBW, CP_ADDW, CP_ILLEGAL, CP_ILLEGAL } };
	unsigned rd = 8 + bits(w, 7, 3), rs2 = 8 + bits(w, 2, 3);

	switch (bits(w, 10, 2)) {
	case 0: return make(CP_SRLI, rd, rd, 0, c_uimm6(w));
	case 1: return make(CP_SRAI, rd, rd, 0, c_uimm6(w));
	case 2: return make(CP_ANDI, rd, rd, 0, c_imm6(w));
	}
	return make(ops[bits(w, 12, 1)][bits(w, 5, 2)], rd, rd, rs2, 0);
}

static struct cp_insn decode_c1(uint32_t w)
{
	unsigned rd = bits(w, 7, 5);
	int32_t imm;

	switch (bits(w, 13, 3)) {
	case 0: return make(CP_ADDI, rd, rd, 0, c_imm6(w));
	case 1: return rd ? make(CP_ADDIW, rd, rd, 0, c_imm6(w)) : illegal();
	case 2: return make(CP_ADDI, rd, 0, 0, c_imm6(w));
	case 3:
		if (rd == 2) {
			imm = sign(bits(w, 12, 1) << 9 | bits(w, 6, 1) << 4 | bits(w, 5, 1) << 6 | bits(w, 3, 2) << 7 |
					   bits(w, 2, 1) << 5,
				   10);
			return imm ? make(CP_ADDI, 2, 2, 0, imm) : illegal();
		}
		imm = c_imm6(w);
		return imm ? make(CP_LUI, rd, 0, 0, (int32_t)((uint32_t)imm << 12)) : illegal();
	case 4: return decode_c1_alu(w);
	case 5: return make(CP_JAL, 0, 0, 0, c_off_j(w));
	case 6: return make(CP_BEQ, 0, 8 + bits(w, 7, 3), 0, c_off_b(w));
	}
	return make(CP_BNE, 0, 8 + bits(w, 7, 3), 0, c_off_b(w));
}

static struct cp_insn decode_c2(uint32_t w)
{
	unsigned rd = bits(w, 7, 5), rs2 = bits(w, 2, 5);

	switch (bits(w, 13, 3)) {
	case 0: return make(CP_SLLI, rd, rd, 0, c_uimm6(w));
	case 2:
		return rd ? make(CP_LW, rd, 2, 0,
				 (int32_t)(bits(w, 12, 1) << 5 | bits(w, 4, 3) << 2 | bits(w, 2, 2) << 6))
			  : illegal();
	case 3:
		return rd ? make(CP_LD, rd, 2, 0,
				 (int32_t)(bits(w, 12, 1) << 5 | bits(w, 5, 2) << 3 | bits(w, 2, 3) << 6))
			  : illegal();
	case 4:
		if (!bits(w, 12, 1)) {
			if (rs2)
				return make(CP_ADD, rd, 0, rs2, 0);
			return rd ? make(CP_JALR, 0, rd, 0, 0) : illegal();
		}
		if (rs2)
			return make(CP_ADD, rd, rd, rs2, 0);
		return rd ? make(CP_JALR, 1, rd, 0, 0) : make(CP_EBREAK, 0, 0, 0, 0);
	case 6: return make(CP_SW, 0, 2, rs2, (int32_t)(bits(w, 9, 4) << 2 | bits(w, 7, 2) << 6));
	case 7: return make(CP_SD, 0, 2, rs2, (int32_t)(bits(w, 10, 3) << 3 | bits(w, 7, 3) << 6));
	}
	return illegal();
}

struct cp_insn cp_decode(uint32_t word)
{
	struct cp_insn d;

	switch (word & 3) {
	case 0: d = decode_c0(word & 0xffff); break;
	case 1: d = decode_c1(word & 0xffff); break;
	case 2: d = decode_c2(word & 0xffff); break;
	default: d = decode_32(word); break;
	}
	d.len = (word & 3) == 3 ? 4 : 2;
	return d;
}
