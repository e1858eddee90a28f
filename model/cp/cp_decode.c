/* Decoder of RV64IMAC + Zicsr. What has 32 bits is decoded as the compute units do; field positions of compressed instructions
 * are those of the unprivileged specification, chapter 27. */
#include "model/cp/cp_decode.h"

static struct cp_insn make(unsigned op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
	return (struct cp_insn){ .op = (uint8_t)op, .rd = (uint8_t)(rd && rd < REG_NONE ? rd : CP_SINK),
				 .rs1 = (uint8_t)(rs1 < REG_NONE ? rs1 : 0), .rs2 = (uint8_t)(rs2 < REG_NONE ? rs2 : 0), .imm = imm };
}

/* ---- 32-bit instructions ---- */

/* RV64IMA and Zicsr are the first of abi/isa.def; Zacas stands with A, each of its two sizes as the last. */
static bool has(enum isa_op op) { return op <= OP_csrrci && op != OP_amocas_w && op != OP_amocas_d; }

static struct cp_insn decode_32(uint32_t w)
{
	enum { WIDE = OP_lr_d - OP_lr_w };
	_Static_assert(OP_amocas_d - OP_amocas_w == WIDE, "abi/isa.def: atomics of 4 and of 8 bytes are in one order");
	struct insn i;

	switch (w) {
	case 0x30200073: return make(CP_MRET, 0, 0, 0, 0);
	case 0x10500073: return make(CP_WFI, 0, 0, 0, 0);
	}
	if ((w & 0x707f) == 0x100f) /* fence.i */
		return make(OP_fence, 0, 0, 0, 0);
	if (!insn_decode(w, &i) || !has((enum isa_op)i.op))
		return make(OP_illegal, 0, 0, 0, 0);
	if (isa_rows[i.op].class == CLASS_ATOMIC) {
		i.imm = i.op < OP_lr_d ? 4 : 8;
		i.op = (uint8_t)(i.op < OP_lr_d ? i.op : i.op - WIDE);
	}
	return make(i.op, i.rd, i.rs1, i.rs2, i.imm);
}

/* ---- 16-bit instructions ---- */

/* Where the bits of an immediate are, as the specification writes it: for each of the bits 12 to 2 of the instruction, which bit
 * of the immediate it is, as a digit of base 18. The highest one of a signed immediate is bit 12. */
static const struct immediate { const char *bits; bool is_signed; } none = { "-----------", false },
	i6 = { "5-----43210", true }, shift = { "5-----43210", false }, upper = { "h-----gfedc", true }, sp16 = { "9-----46875", true },
	sp4 = { "54987623---", false }, off_w = { "543---26---", false }, off_d = { "543---76---", false },
	off_j = { "b498a673215", true }, off_b = { "843---76215", true }, load_sp_w = { "5-----43276", false },
	load_sp_d = { "5-----43876", false }, store_sp_w = { "543276-----", false }, store_sp_d = { "543876-----", false };

/* Where a register's number is: x0 to x2, bits 11 to 7 or 6 to 2, or of x8 to x15 bits 9 to 7 or 4 to 2. */
enum place { X0, X1, X2, AT7, AT2, SHORT7, SHORT2 };
enum { RD_NOT_X0 = 1, IMM_NOT_0 = 2 }; /* else the encoding is reserved */

/* The first row that fits. */
static const struct compressed {
	uint16_t mask, match;
	uint8_t op, rd, rs1, rs2;
	const struct immediate *imm;
	uint8_t needs;
} compressed[] = {
	{ 0xe003, 0x0000, OP_addi, SHORT2, X2, X0, &sp4, IMM_NOT_0 },
	{ 0xe003, 0x4000, OP_lw, SHORT2, SHORT7, X0, &off_w, 0 },
	{ 0xe003, 0x6000, OP_ld, SHORT2, SHORT7, X0, &off_d, 0 },
	{ 0xe003, 0xc000, OP_sw, X0, SHORT7, SHORT2, &off_w, 0 },
	{ 0xe003, 0xe000, OP_sd, X0, SHORT7, SHORT2, &off_d, 0 },
	{ 0xe003, 0x0001, OP_addi, AT7, AT7, X0, &i6, 0 },
	{ 0xe003, 0x2001, OP_addiw, AT7, AT7, X0, &i6, RD_NOT_X0 },
	{ 0xe003, 0x4001, OP_addi, AT7, X0, X0, &i6, 0 },
	{ 0xef83, 0x6101, OP_addi, X2, X2, X0, &sp16, IMM_NOT_0 },
	{ 0xe003, 0x6001, OP_lui, AT7, X0, X0, &upper, IMM_NOT_0 },
	{ 0xec03, 0x8001, OP_srli, SHORT7, SHORT7, X0, &shift, 0 },
	{ 0xec03, 0x8401, OP_srai, SHORT7, SHORT7, X0, &shift, 0 },
	{ 0xec03, 0x8801, OP_andi, SHORT7, SHORT7, X0, &i6, 0 },
	{ 0xfc63, 0x8c01, OP_sub, SHORT7, SHORT7, SHORT2, &none, 0 },
	{ 0xfc63, 0x8c21, OP_xor_, SHORT7, SHORT7, SHORT2, &none, 0 },
	{ 0xfc63, 0x8c41, OP_or_, SHORT7, SHORT7, SHORT2, &none, 0 },
	{ 0xfc63, 0x8c61, OP_and_, SHORT7, SHORT7, SHORT2, &none, 0 },
	{ 0xfc63, 0x9c01, OP_subw, SHORT7, SHORT7, SHORT2, &none, 0 },
	{ 0xfc63, 0x9c21, OP_addw, SHORT7, SHORT7, SHORT2, &none, 0 },
	{ 0xe003, 0xa001, OP_jal, X0, X0, X0, &off_j, 0 },
	{ 0xe003, 0xc001, OP_beq, X0, SHORT7, X0, &off_b, 0 },
	{ 0xe003, 0xe001, OP_bne, X0, SHORT7, X0, &off_b, 0 },
	{ 0xe003, 0x0002, OP_slli, AT7, AT7, X0, &shift, 0 },
	{ 0xe003, 0x4002, OP_lw, AT7, X2, X0, &load_sp_w, RD_NOT_X0 },
	{ 0xe003, 0x6002, OP_ld, AT7, X2, X0, &load_sp_d, RD_NOT_X0 },
	{ 0xffff, 0x8002, OP_illegal, X0, X0, X0, &none, 0 },
	{ 0xf07f, 0x8002, OP_jalr, X0, AT7, X0, &none, 0 },
	{ 0xf003, 0x8002, OP_add, AT7, X0, AT2, &none, 0 },
	{ 0xffff, 0x9002, OP_ebreak, X0, X0, X0, &none, 0 },
	{ 0xf07f, 0x9002, OP_jalr, X1, AT7, X0, &none, 0 },
	{ 0xf003, 0x9002, OP_add, AT7, AT7, AT2, &none, 0 },
	{ 0xe003, 0xc002, OP_sw, X0, X2, AT2, &store_sp_w, 0 },
	{ 0xe003, 0xe002, OP_sd, X0, X2, AT2, &store_sp_d, 0 },
};

static int32_t immediate(uint32_t w, const struct immediate *f)
{
	uint32_t v = 0;

	for (unsigned k = 0; k < 11; k++) {
		unsigned to = f->bits[k] >= 'a' ? (unsigned)(f->bits[k] - 'a') + 10 : (unsigned)(f->bits[k] - '0');

		if (f->bits[k] != '-' && w >> (12 - k) & 1)
			v |= (k == 0 && f->is_signed ? UINT32_MAX : 1) << to;
	}
	return (int32_t)v;
}

static struct cp_insn decode_16(uint32_t w)
{
	const unsigned at[] = { [X0] = 0, [X1] = 1, [X2] = 2, [AT7] = w >> 7 & 31, [AT2] = w >> 2 & 31,
				[SHORT7] = 8 + (w >> 7 & 7), [SHORT2] = 8 + (w >> 2 & 7) };

	for (const struct compressed *c = compressed; c < compressed + sizeof(compressed) / sizeof(*compressed); c++) {
		int32_t imm;

		if ((w & c->mask) != c->match)
			continue;
		imm = immediate(w, c->imm);
		if ((c->needs & RD_NOT_X0 && !at[c->rd]) || (c->needs & IMM_NOT_0 && !imm))
			break;
		return make(c->op, at[c->rd], at[c->rs1], at[c->rs2], imm);
	}
	return make(OP_illegal, 0, 0, 0, 0);
}

struct cp_insn cp_decode(uint32_t word)
{
	bool full = (word & 3) == 3;
	struct cp_insn d = full ? decode_32(word) : decode_16(word & 0xffff);

	d.len = full ? 4 : 2;
	return d;
}
