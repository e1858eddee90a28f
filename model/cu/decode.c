/* Decoder and disassembler: both are walks over the table of abi/isa.def. */
#include "model/cu/decode.h"
#include <stdio.h>
#include <string.h>

const struct isa_row isa_rows[OP_COUNT] = {
	[OP_illegal] = { "illegal", 0, 1, FMT_N, CLASS_SYSTEM, "no instruction" },
#define INSN(id, mask_, match_, format_, class_, doc_)                                             \
	[OP_##id] = { #id, mask_, match_, FMT_##format_, CLASS_##class_, doc_ },
#include "abi/isa.def"
#undef INSN
};

static uint32_t bits(uint32_t w, unsigned lsb, unsigned width)
{
	return w >> lsb & ((1u << width) - 1);
}

static int32_t signed_bits(uint32_t w, unsigned lsb, unsigned width)
{
	return (int32_t)(w << (32 - lsb - width)) >> (32 - width);
}

/* What a format has: registers, X of the integer and F of the floating-point ones, and where the bits of its immediate lie.
 * text is its operands as assemblers write them: d, a, b, c the registers rd, rs1, rs2, rs3; i the immediate; u its upper 20
 * bits; p the address that it leads to; n the CSR; z rs1 as a number; m the rounding mode. */
enum field { NONE, X, F };
enum immediate { IMM_NONE, IMM_I, IMM_S, IMM_B, IMM_U, IMM_J, IMM_SHIFT, IMM_CSR };
static const struct format {
	uint8_t rd, rs1, rs2, rs3, imm, imm_bits;
	bool rounds;
	const char *text;
} formats[] = {
	[FMT_N] = { .text = "" },
	[FMT_R] = { X, X, X, .text = " d, a, b" },
	[FMT_AMO] = { X, X, X, .text = " d, b, (a)" },
	[FMT_R1] = { X, X, .text = " d, a" },
	[FMT_LR] = { X, X, .text = " d, (a)" },
	[FMT_I] = { X, X, .imm = IMM_I, .text = " d, a, i" },
	[FMT_LD] = { X, X, .imm = IMM_I, .text = " d, i(a)" },
	[FMT_FLD] = { F, X, .imm = IMM_I, .text = " d, i(a)" },
	[FMT_SH6] = { X, X, .imm = IMM_SHIFT, .imm_bits = 6, .text = " d, a, i" },
	[FMT_SH5] = { X, X, .imm = IMM_SHIFT, .imm_bits = 5, .text = " d, a, i" },
	[FMT_CSR] = { X, X, .imm = IMM_CSR, .text = " d, n, a" },
	[FMT_CSRI] = { X, X, .imm = IMM_CSR, .text = " d, n, z" }, /* rs1 is a number and no register */
	[FMT_U] = { X, .imm = IMM_U, .text = " d, u" },
	[FMT_J] = { X, .imm = IMM_J, .text = " d, p" },
	[FMT_B] = { NONE, X, X, .imm = IMM_B, .text = " a, b, p" },
	[FMT_ST] = { NONE, X, X, .imm = IMM_S, .text = " b, i(a)" },
	[FMT_FST] = { NONE, X, F, .imm = IMM_S, .text = " b, i(a)" },
	[FMT_FR] = { F, F, F, .rounds = true, .text = " d, a, bm" },
	[FMT_FR2] = { F, F, F, .text = " d, a, b" },
	[FMT_FR1] = { F, F, .rounds = true, .text = " d, am" },
	[FMT_FR4] = { F, F, F, F, .rounds = true, .text = " d, a, b, cm" },
	[FMT_FX] = { X, F, .rounds = true, .text = " d, am" },
	[FMT_FXN] = { X, F, .text = " d, a" },
	[FMT_XF] = { F, X, .rounds = true, .text = " d, am" },
	[FMT_XFN] = { F, X, .text = " d, a" },
	[FMT_FC] = { X, F, F, .text = " d, a, b" },
};

static uint8_t reg(enum field field, uint32_t number)
{
	return (uint8_t)(field == NONE ? REG_NONE : field == F ? REG_F + number : number);
}

static int32_t immediate_decode(uint32_t w, const struct format *f)
{
	switch ((enum immediate)f->imm) {
	case IMM_I:
		return signed_bits(w, 20, 12);
	case IMM_S:
		return signed_bits(w, 25, 7) * 32 + (int32_t)bits(w, 7, 5);
	case IMM_B:
		return (int32_t)((uint32_t)signed_bits(w, 31, 1) << 12 | bits(w, 7, 1) << 11 | bits(w, 25, 6) << 5 | bits(w, 8, 4) << 1);
	case IMM_U:
		return (int32_t)(w & 0xfffff000);
	case IMM_J:
		return (int32_t)((uint32_t)signed_bits(w, 31, 1) << 20 | bits(w, 12, 8) << 12 | bits(w, 20, 1) << 11 | bits(w, 21, 10) << 1);
	case IMM_SHIFT:
		return (int32_t)bits(w, 20, f->imm_bits);
	case IMM_CSR:
		return (int32_t)bits(w, 20, 12);
	default:
		return 0;
	}
}

static uint32_t immediate_encode(uint32_t imm, const struct format *f)
{
	switch ((enum immediate)f->imm) {
	case IMM_I:
	case IMM_CSR:
		return imm << 20;
	case IMM_S:
		return bits(imm, 5, 7) << 25 | bits(imm, 0, 5) << 7;
	case IMM_B:
		return bits(imm, 12, 1) << 31 | bits(imm, 5, 6) << 25 | bits(imm, 1, 4) << 8 | bits(imm, 11, 1) << 7;
	case IMM_U:
		return imm & 0xfffff000;
	case IMM_J:
		return bits(imm, 20, 1) << 31 | bits(imm, 1, 10) << 21 | bits(imm, 11, 1) << 20 | bits(imm, 12, 8) << 12;
	case IMM_SHIFT:
		return (imm & 63) << 20;
	default:
		return 0;
	}
}

bool insn_decode(uint32_t w, struct insn *out)
{
	for (unsigned op = 1; op < OP_COUNT; op++) {
		const struct isa_row *row = &isa_rows[op];
		if ((w & row->mask) != row->match)
			continue;
		const struct format *f = &formats[row->format];
		*out = (struct insn){ .rd = reg(f->rd, bits(w, 7, 5)), .rs1 = reg(f->rs1, bits(w, 15, 5)),
				      .rs2 = reg(f->rs2, bits(w, 20, 5)), .rs3 = reg(f->rs3, bits(w, 27, 5)),
				      .rm = f->rounds ? (uint8_t)bits(w, 12, 3) : RM_RNE, .imm = immediate_decode(w, f) };
		if (out->rm == 5 || out->rm == 6) /* reserved rounding modes */
			break;
		out->op = (uint8_t)op;
		return true;
	}
	*out = (struct insn){ .op = OP_illegal, .rd = REG_NONE, .rs1 = REG_NONE, .rs2 = REG_NONE, .rs3 = REG_NONE };
	return false;
}

uint32_t insn_encode(const struct insn *i)
{
	const struct isa_row *row = &isa_rows[i->op];
	const struct format *f = &formats[row->format];
	return row->match | (f->rd ? (i->rd & 31u) << 7 : 0) | (f->rs1 ? (i->rs1 & 31u) << 15 : 0) | (f->rs2 ? (i->rs2 & 31u) << 20 : 0) |
	       (f->rs3 ? (i->rs3 & 31u) << 27 : 0) | (f->rounds ? (uint32_t)i->rm << 12 : 0) | immediate_encode((uint32_t)i->imm, f);
}

static const char *const register_names[64] = {
	"zero", "ra", "sp",  "gp",  "tp",  "t0",  "t1",  "t2",  "s0",  "s1",  "a0",   "a1",   "a2",  "a3",   "a4",	  "a5",
	"a6",   "a7", "s2",  "s3",  "s4",  "s5",  "s6",  "s7",  "s8",  "s9",  "s10",  "s11",  "t3",  "t4",   "t5",	  "t6",
	"ft0",  "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3",  "fa4",  "fa5",
	"fa6",  "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

uint64_t insn_reads(const struct insn *i)
{
	uint64_t m = 0;
	if (isa_rows[i->op].format == FMT_CSRI)
		return 0;
	if (i->rs1 < REG_NONE)
		m |= 1ull << i->rs1;
	if (i->rs2 < REG_NONE)
		m |= 1ull << i->rs2;
	if (i->rs3 < REG_NONE)
		m |= 1ull << i->rs3;
	if (isa_rows[i->op].class == CLASS_ATOMIC && i->rd < REG_NONE) /* compare and swap */
		m |= 1ull << i->rd;
	return m & ~1ull;
}

int insn_writes(const struct insn *i) { return i->rd == REG_NONE || i->rd == 0 ? -1 : i->rd; }

int insn_next(const struct insn *i, uint64_t pc, uint64_t next[2])
{
	int n = 0;
	switch ((enum isa_class)isa_rows[i->op].class) {
	case CLASS_JUMP:
		if (i->op != OP_jal || i->rd == 1 || i->rd == 5)
			return -1;
		next[n++] = pc + (uint64_t)(int64_t)i->imm;
		return n;
	case CLASS_BRANCH:
		next[n++] = pc + (uint64_t)(int64_t)i->imm;
		break;
	case CLASS_SYSTEM:
		if (i->op == OP_exit_)
			return 0;
		if (i->op == OP_ecall || i->op == OP_ebreak)
			return -1;
		break;
	default:
		break;
	}
	next[n++] = pc + 4;
	return n;
}

int insn_disassemble(uint32_t word, uint64_t pc, char *text, size_t size)
{
	static const char *const modes[8] = { ", rne", ", rtz", ", rdn", ", rup", ", rmm", "", "", "" };
	struct insn i;
	if (!insn_decode(word, &i))
		return snprintf(text, size, ".word 0x%08x", word);
	char name[24];
	snprintf(name, sizeof(name), "%s", isa_rows[i.op].name);
	for (char *p = name; *p; p++)
		if (*p == '_')
			*p = p[1] ? '.' : '\0';
	const uint8_t registers[] = { i.rd, i.rs1, i.rs2, i.rs3 };
	char operands[80];
	unsigned n = 0;
	operands[0] = 0;
	for (const char *p = formats[isa_rows[i.op].format].text; *p; p++) {
		char *at = operands + n;
		size_t left = sizeof(operands) - n;
		switch (*p) {
		case 'a' ... 'd':
			n += (unsigned)snprintf(at, left, "%s", register_names[registers[*p == 'd' ? 0 : *p - 'a' + 1]]);
			break;
		case 'i':
			n += (unsigned)snprintf(at, left, "%d", i.imm);
			break;
		case 'u':
			n += (unsigned)snprintf(at, left, "0x%x", (uint32_t)i.imm >> 12);
			break;
		case 'p':
			n += (unsigned)snprintf(at, left, "0x%llx", (unsigned long long)(pc + (uint64_t)(int64_t)i.imm));
			break;
		case 'n':
			n += (unsigned)snprintf(at, left, "0x%x", (unsigned)i.imm);
			break;
		case 'z':
			n += (unsigned)snprintf(at, left, "%u", i.rs1);
			break;
		case 'm':
			n += (unsigned)snprintf(at, left, "%s", modes[i.rm]);
			break;
		default:
			n += (unsigned)snprintf(at, left, "%c", *p);
		}
	}
	return snprintf(text, size, "%s%s", name, operands);
}
