/* The Verilated floating-point units of a lane beside two oracles: MPFR (value and flags), and the model's table of instructions (value).
 *
 * The units get an instruction in most cycles, random ones and then all combinations of special operands, and their results are held up
 * now and then. What is compared: value and flags of each instruction, and that its result is there as many cycles later as the
 * configuration says, not counting those in which the unit was held up. */
#ifndef GALENA_TESTBENCH_RTL_FPU_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_FPU_LOCKSTEP_H
#include "model/cu/decode.h"

struct fpu_lockstep_result {
	unsigned long directed, random, held_up, bubbles;
	unsigned long flags[5];   /* instructions that raised each flag, the lowest bit first */
	unsigned long differences;
	char text[OP_COUNT][240]; /* the first difference of each instruction */
};

/* So many random cases of each instruction from the seed; stop: no further than the first difference. */
void fpu_lockstep_run(uint64_t seed, unsigned long cases, bool stop, struct fpu_lockstep_result *);

#endif
