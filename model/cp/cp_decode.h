/* Instructions of the command processor in decoded form: RV64IMAC + Zicsr, with the operations of abi/isa.def. Compressed ones
 * decode to the instruction that they stand for. */
#ifndef GALENA_MODEL_CP_DECODE_H
#define GALENA_MODEL_CP_DECODE_H
#include "model/cu/decode.h"

/* Those that the compute units do not have. */
enum { CP_MRET = OP_COUNT, CP_WFI };

/* Writes to x0 go to a register that is never read. */
enum { CP_SINK = 32 };

struct cp_insn {
	uint8_t op;  /* enum isa_op or one of the above; atomics of both sizes: the one of 4 bytes */
	uint8_t rd;  /* CP_SINK for x0 */
	uint8_t rs1, rs2; /* 0 where the format has none */
	uint8_t len; /* 2 or 4; 0: an entry of the cache that was not filled yet */
	int32_t imm; /* atomics: bytes, 4 or 8 */
};

/* word: 32 bits at the program counter, of which a compressed instruction is the low 16. */
struct cp_insn cp_decode(uint32_t word);

#endif
