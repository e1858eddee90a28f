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

static bool has_rounding_mode(unsigned format)
{
	return format == FMT_FR || format == FMT_FR1 || format == FMT_FR4 || format == FMT_FX || format == FMT_XF;
}

static void decode_fields(uint32_t w, unsigned format, struct insn *i)
{
	uint8_t rd = (uint8_t)bits(w, 7, 5), rs1 = (uint8_t)bits(w, 15, 5), rs2 = (uint8_t)bits(w, 20, 5);
	i->rd = i->rs1 = i->rs2 = i->rs3 = REG_NONE;
	i->imm = 0;
	i->rm = has_rounding_mode(format) ? (uint8_t)bits(w, 12, 3) : RM_RNE;
	switch ((enum isa_format)format) {
	case FMT_N:
		break;
	case FMT_R:
	case FMT_AMO:
		i->rd = rd, i->rs1 = rs1, i->rs2 = rs2;
		break;
	case FMT_R1:
	case FMT_LR:
		i->rd = rd, i->rs1 = rs1;
		break;
	case FMT_I:
	case FMT_LD:
		i->rd = rd, i->rs1 = rs1, i->imm = signed_bits(w, 20, 12);
		break;
	case FMT_FLD:
		i->rd = REG_F + rd, i->rs1 = rs1, i->imm = signed_bits(w, 20, 12);
		break;
	case FMT_SH6:
		i->rd = rd, i->rs1 = rs1, i->imm = (int32_t)bits(w, 20, 6);
		break;
	case FMT_SH5:
		i->rd = rd, i->rs1 = rs1, i->imm = (int32_t)bits(w, 20, 5);
		break;
	case FMT_CSR:
	case FMT_CSRI: /* CSRI: rs1 is an immediate and no register */
		i->rd = rd, i->rs1 = rs1, i->imm = (int32_t)bits(w, 20, 12);
		break;
	case FMT_U:
		i->rd = rd, i->imm = (int32_t)(w & 0xfffff000);
		break;
	case FMT_J:
		i->rd = rd;
		i->imm = (int32_t)((uint32_t)signed_bits(w, 31, 1) << 20 | bits(w, 12, 8) << 12 | bits(w, 20, 1) << 11 |
				   bits(w, 21, 10) << 1);
		break;
	case FMT_B:
		i->rs1 = rs1, i->rs2 = rs2;
		i->imm = (int32_t)((uint32_t)signed_bits(w, 31, 1) << 12 | bits(w, 7, 1) << 11 | bits(w, 25, 6) << 5 |
				   bits(w, 8, 4) << 1);
		break;
	case FMT_ST:
	case FMT_FST:
		i->rs1 = rs1, i->rs2 = format == FMT_FST ? REG_F + rs2 : rs2;
		i->imm = signed_bits(w, 25, 7) * 32 + (int32_t)bits(w, 7, 5);
		break;
	case FMT_FR:
	case FMT_FR2:
		i->rd = REG_F + rd, i->rs1 = REG_F + rs1, i->rs2 = REG_F + rs2;
		break;
	case FMT_FR1:
		i->rd = REG_F + rd, i->rs1 = REG_F + rs1;
		break;
	case FMT_FR4:
		i->rd = REG_F + rd, i->rs1 = REG_F + rs1, i->rs2 = REG_F + rs2;
		i->rs3 = (uint8_t)(REG_F + bits(w, 27, 5));
		break;
	case FMT_FX:
	case FMT_FXN:
		i->rd = rd, i->rs1 = REG_F + rs1;
		break;
	case FMT_XF:
	case FMT_XFN:
		i->rd = REG_F + rd, i->rs1 = rs1;
		break;
	case FMT_FC:
		i->rd = rd, i->rs1 = REG_F + rs1, i->rs2 = REG_F + rs2;
		break;
	}
}

bool insn_decode(uint32_t w, struct insn *out)
{
	for (unsigned op = 1; op < OP_COUNT; op++) {
		const struct isa_row *row = &isa_rows[op];
		if ((w & row->mask) != row->match)
			continue;
		decode_fields(w, row->format, out);
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
	uint32_t rd = (i->rd & 31u) << 7, rs1 = (i->rs1 & 31u) << 15, rs2 = (i->rs2 & 31u) << 20;
	uint32_t imm = (uint32_t)i->imm, w = row->match;
	if (has_rounding_mode(row->format))
		w |= (uint32_t)i->rm << 12;
	switch ((enum isa_format)row->format) {
	case FMT_N:
		return w;
	case FMT_R1:
	case FMT_LR:
	case FMT_FR1:
	case FMT_FX:
	case FMT_FXN:
	case FMT_XF:
	case FMT_XFN:
		return w | rd | rs1;
	case FMT_R:
	case FMT_AMO:
	case FMT_FR:
	case FMT_FR2:
	case FMT_FC:
		return w | rd | rs1 | rs2;
	case FMT_FR4:
		return w | rd | rs1 | rs2 | (i->rs3 & 31u) << 27;
	case FMT_I:
	case FMT_LD:
	case FMT_FLD:
	case FMT_CSR:
	case FMT_CSRI:
		return w | rd | rs1 | imm << 20;
	case FMT_SH6:
	case FMT_SH5:
		return w | rd | rs1 | (imm & 63) << 20;
	case FMT_U:
		return w | rd | (imm & 0xfffff000);
	case FMT_J:
		return w | rd | bits(imm, 20, 1) << 31 | bits(imm, 1, 10) << 21 | bits(imm, 11, 1) << 20 |
		       bits(imm, 12, 8) << 12;
	case FMT_B:
		return w | rs1 | rs2 | bits(imm, 12, 1) << 31 | bits(imm, 5, 6) << 25 | bits(imm, 1, 4) << 8 |
		       bits(imm, 11, 1) << 7;
	case FMT_ST:
	case FMT_FST:
		return w | rs1 | rs2 | bits(imm, 5, 7) << 25 | bits(imm, 0, 5) << 7;
	}
	return 0;
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
	const struct isa_row *row = &isa_rows[i.op];
	char name[24];
	snprintf(name, sizeof(name), "%s", row->name);
	for (char *p = name; *p; p++)
		if (*p == '_')
			*p = p[1] ? '.' : '\0';
	const char *d = i.rd < 64 ? register_names[i.rd] : "", *a = i.rs1 < 64 ? register_names[i.rs1] : "";
	const char *b = i.rs2 < 64 ? register_names[i.rs2] : "", *c = i.rs3 < 64 ? register_names[i.rs3] : "";
	const char *mode = has_rounding_mode(row->format) ? modes[i.rm] : "";
	switch ((enum isa_format)row->format) {
	case FMT_N:
		return snprintf(text, size, "%s", name);
	case FMT_R:
	case FMT_FR2:
	case FMT_FC:
	case FMT_FR:
		return snprintf(text, size, "%s %s, %s, %s%s", name, d, a, b, mode);
	case FMT_FR4:
		return snprintf(text, size, "%s %s, %s, %s, %s%s", name, d, a, b, c, mode);
	case FMT_R1:
	case FMT_FR1:
	case FMT_FX:
	case FMT_XF:
	case FMT_FXN:
	case FMT_XFN:
		return snprintf(text, size, "%s %s, %s%s", name, d, a, mode);
	case FMT_I:
	case FMT_SH6:
	case FMT_SH5:
		return snprintf(text, size, "%s %s, %s, %d", name, d, a, i.imm);
	case FMT_U:
		return snprintf(text, size, "%s %s, 0x%x", name, d, (uint32_t)i.imm >> 12);
	case FMT_J:
		return snprintf(text, size, "%s %s, 0x%llx", name, d, (unsigned long long)(pc + (uint64_t)(int64_t)i.imm));
	case FMT_B:
		return snprintf(text, size, "%s %s, %s, 0x%llx", name, a, b,
				(unsigned long long)(pc + (uint64_t)(int64_t)i.imm));
	case FMT_LD:
	case FMT_FLD:
		return snprintf(text, size, "%s %s, %d(%s)", name, d, i.imm, a);
	case FMT_ST:
	case FMT_FST:
		return snprintf(text, size, "%s %s, %d(%s)", name, b, i.imm, a);
	case FMT_AMO:
		return snprintf(text, size, "%s %s, %s, (%s)", name, d, b, a);
	case FMT_LR:
		return snprintf(text, size, "%s %s, (%s)", name, d, a);
	case FMT_CSR:
		return snprintf(text, size, "%s %s, 0x%x, %s", name, d, (unsigned)i.imm, a);
	case FMT_CSRI:
		return snprintf(text, size, "%s %s, 0x%x, %u", name, d, (unsigned)i.imm, i.rs1);
	}
	return 0;
}
