/* Instruction words to fields and back to text, from abi/isa.def. */
#ifndef GALENA_MODEL_DECODE_H
#define GALENA_MODEL_DECODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum isa_op {
	OP_illegal,
#define INSN(name, mask, match, format, class, doc) OP_##name,
#include "abi/isa.def"
#undef INSN
	OP_COUNT,
};

enum isa_format {
	FMT_R, FMT_R1, FMT_I, FMT_SH6, FMT_SH5, FMT_U, FMT_J, FMT_B, FMT_LD, FMT_ST, FMT_CSR, FMT_CSRI,
	FMT_AMO, FMT_LR, FMT_N, FMT_FR, FMT_FR1, FMT_FR4, FMT_FX, FMT_XF, FMT_FR2, FMT_FC, FMT_FXN, FMT_XFN,
	FMT_FLD, FMT_FST,
};

enum isa_class {
	CLASS_ALU, CLASS_MUL, CLASS_DIV, CLASS_FPU, CLASS_FDIV, CLASS_LOAD, CLASS_STORE, CLASS_ATOMIC,
	CLASS_BRANCH, CLASS_JUMP, CLASS_SYSTEM, CLASS_SG, CLASS_COUNT,
};

enum { RM_RNE = 0, RM_RTZ = 1, RM_RDN = 2, RM_RUP = 3, RM_RMM = 4, RM_DYN = 7 };

/* Registers are numbered through: x0 to x31, then f0 to f31. */
enum { REG_F = 32, REG_NONE = 64 };

struct insn {
	uint8_t op;               /* enum isa_op */
	uint8_t rd, rs1, rs2, rs3; /* REG_NONE where the format has none */
	uint8_t rm;               /* rounding mode field, RM_RNE where the format has none */
	int32_t imm;              /* sign-extended; U: the upper 20 bits in place; CSR: number; CSRI: rs1 holds uimm */
};

struct isa_row {
	const char *name; /* mnemonic as assemblers write it */
	uint32_t mask, match;
	uint8_t format, class;
	const char *doc;
};

extern const struct isa_row isa_rows[OP_COUNT];

/* Fills *out; false (and op OP_illegal) for a word that is no instruction of the table. */
bool insn_decode(uint32_t word, struct insn *out);
/* Registers that the instruction reads, a bit each (x0 is none); the register that it writes, or -1. */
uint64_t insn_reads(const struct insn *);
int insn_writes(const struct insn *);
/* Where lanes that execute it at pc may go on: how many of next are set, 0 where they end; -1: not known, as of calls and
 * of what traps. */
int insn_next(const struct insn *, uint64_t pc, uint64_t next[2]);
/* Text of the instruction at pc, as snprintf does. */
int insn_disassemble(uint32_t word, uint64_t pc, char *text, size_t size);
/* The word with these fields; the inverse of insn_decode, for tests and tools. */
uint32_t insn_encode(const struct insn *);

#endif
