/* Instructions of the command processor in decoded form. Compressed ones decode to the
 * instruction that they stand for. */
#ifndef GALENA_MODEL_CP_DECODE_H
#define GALENA_MODEL_CP_DECODE_H
#include <stdint.h>

enum cp_op {
	CP_UNDECODED, /* an entry of the cache that was not filled yet */
	CP_ILLEGAL,
	CP_LUI, /* imm is the whole value; also for AUIPC */
	CP_AUIPC,
	CP_JAL,
	CP_JALR,
	CP_BEQ, CP_BNE, CP_BLT, CP_BGE, CP_BLTU, CP_BGEU,
	CP_LB, CP_LH, CP_LW, CP_LD, CP_LBU, CP_LHU, CP_LWU,
	CP_SB, CP_SH, CP_SW, CP_SD,
	CP_ADDI, CP_SLTI, CP_SLTIU, CP_XORI, CP_ORI, CP_ANDI, CP_SLLI, CP_SRLI, CP_SRAI,
	CP_ADDIW, CP_SLLIW, CP_SRLIW, CP_SRAIW,
	CP_ADD, CP_SUB, CP_SLL, CP_SLT, CP_SLTU, CP_XOR, CP_SRL, CP_SRA, CP_OR, CP_AND,
	CP_ADDW, CP_SUBW, CP_SLLW, CP_SRLW, CP_SRAW,
	CP_MUL, CP_MULH, CP_MULHSU, CP_MULHU, CP_DIV, CP_DIVU, CP_REM, CP_REMU,
	CP_MULW, CP_DIVW, CP_DIVUW, CP_REMW, CP_REMUW,
	CP_FENCE, CP_ECALL, CP_EBREAK, CP_MRET, CP_WFI,
	CP_CSRRW, CP_CSRRS, CP_CSRRC, /* imm: CSR number */
	CP_CSRRWI, CP_CSRRSI, CP_CSRRCI, /* rs1: the immediate */
	CP_LR, CP_SC, /* imm: bytes, 4 or 8; also for the AMOs */
	CP_AMOSWAP, CP_AMOADD, CP_AMOXOR, CP_AMOAND, CP_AMOOR, CP_AMOMIN, CP_AMOMAX, CP_AMOMINU, CP_AMOMAXU,
};

/* Writes to x0 go to a register that is never read. */
enum { CP_SINK = 32 };

struct cp_insn {
	uint8_t op;  /* enum cp_op */
	uint8_t rd;  /* CP_SINK for x0 */
	uint8_t rs1, rs2;
	uint8_t len; /* 2 or 4 */
	int32_t imm;
};

/* word: 32 bits at the program counter, of which a compressed instruction is the low 16. */
struct cp_insn cp_decode(uint32_t word);

#endif
