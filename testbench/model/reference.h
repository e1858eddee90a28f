/* A lane on its own: the instruction set executed one work-item at a time, in the plainest way, and
 * random programs for it. What the compute units do with 32 lanes at once is compared with this. */
#ifndef GALENA_TESTBENCH_MODEL_REFERENCE_H
#define GALENA_TESTBENCH_MODEL_REFERENCE_H
#include "model/cu/decode.h"
#include <stdint.h>

/* Registers of random programs that have a fixed meaning. */
enum {
	REF_SP = 2,       /* private memory, REF_AREA bytes */
	REF_TABLE = 31,   /* base of the register tables */
	REF_LANE = 28,    /* lane number */
	REF_SCRATCH = 29,
	REF_GLOBAL = 24,  /* the lane's area in global memory */
	REF_LOCAL = 25,   /* the lane's area in local memory */
	REF_AREA = 64,    /* bytes of an area */
	REF_LOW = 5, REF_HIGH = 16, /* integer registers that programs use; f0 to f15 */
	REF_FHIGH = 16,
};

struct ref_lane {
	uint64_t x[32], f[32];
	unsigned frm;
	uint8_t global[REF_AREA], local[REF_AREA], private_mem[REF_AREA];
};

/* Executes the words from first to last; branches stay inside. Returns false at an instruction that
 * it does not know. */
bool ref_run(struct ref_lane *, const uint32_t *words, unsigned count);
/* The same for the lanes of a warp that meet: those at the lowest instruction go first, together, as the
 * compute units do with forward branches in one function. At most 32 lanes. */
bool ref_run_warp(struct ref_lane *, unsigned lanes, const uint32_t *words, unsigned count);

/* An integer instruction of operands a and b (immediates are in the insn): its result. Returns false
 * at an instruction of another kind. */
bool ref_integer(const struct insn *, uint64_t a, uint64_t b, uint64_t *result);

struct ref_random { uint64_t state; };
uint64_t ref_rand(struct ref_random *);
static inline uint64_t ref_below(struct ref_random *r, uint64_t n) { return ref_rand(r) % n; }

enum ref_features { REF_MEMORY = 1, REF_BRANCHES = 2, REF_ZICOND = 4, REF_ATOMICS = 8, REF_MODES = 16, REF_ZFHMIN = 32,
	REF_CTZW = 64 /* qemu before 8.0 counts into the upper half */,
	REF_SUBGROUPS = 128 /* between lanes: for ref_run_warp alone */ };
/* A random straight program with forward branches; returns the number of words, at most max. */
unsigned ref_program(struct ref_random *, uint32_t *words, unsigned max, unsigned features);
/* A value that is likely to be interesting for a register. */
uint64_t ref_value(struct ref_random *, bool is_f);
uint32_t ref_word(unsigned op, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm);

#endif
