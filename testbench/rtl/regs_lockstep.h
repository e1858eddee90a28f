/* The Verilated register block beside the model's register file (model/regs.c): both get the same accesses of both masters and the
 * same changes of the hardware, cycle by cycle.
 *
 * What is compared in each cycle: the answer of an access (data, and whether it met a register); of each register that the hardware
 * reads, its value; of each that tells the hardware of writes or reads (WE, RE), the strobe with the value. Registers whose value
 * lives in a block (EXT) read what the stimulus says for the block; of one that waits for the block (EXT with RE), the request. */
#ifndef GALENA_TESTBENCH_REGS_LOCKSTEP_H
#define GALENA_TESTBENCH_REGS_LOCKSTEP_H
#include "abi/device_config.h"
#include "model/regs.h"

/* What a run has met. */
struct regs_lockstep_counts {
	unsigned accesses, writes, low_halves, high_halves, kept_halves, pairs, holes, read_only, reserved, changes, collisions, locked, waits, resets;
};

/* The first difference of each register; text of NO_REGISTER is one that no register stands at. */
struct regs_lockstep_result {
	struct regs_lockstep_counts counts;
	unsigned differences; /* registers that have one */
	char text[REG_NUM_IDS + 1][160];
};
enum { NO_REGISTER = REG_NUM_IDS };

/* So many random accesses from the seed; a register that differs is left out from then on. */
void regs_lockstep_run(const struct device_config *, uint64_t seed, unsigned accesses, struct regs_lockstep_result *);

#endif
