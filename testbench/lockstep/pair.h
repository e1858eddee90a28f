/* Two compute units' rigs in lockstep. */
#ifndef GALENA_TESTBENCH_LOCKSTEP_PAIR_H
#define GALENA_TESTBENCH_LOCKSTEP_PAIR_H
#include "lockstep/lockstep.h"
#include "testbench/lockstep/kernel.h"
#include "testbench/model/rig.h"

/* How the two differ, besides their seeds. Both have as many lanes. */
struct pair_kind {
	const char *config[2];
	enum bus_speed speed[2];
	enum compute_simd simd[2];
	unsigned most_local; /* work-items of a work-group */
};

struct pair {
	const struct pair_kind *kind;
	struct lockstep *lockstep;
	struct rig *rig[2];
	uint8_t *memory[2];
	uint32_t *code[2];
};

/* perturb: seeds of the two schedules, not 0. */
static const uint64_t pair_code_va = 0x4000000000; /* of the kernel */
struct pair *pair_create(const struct pair_kind *, const uint32_t perturb[2]);
void pair_destroy(struct pair *);
/* Both run the kernel from the same memory. False: they differ, in events (lockstep_print) or in memory alone (said on stderr). */
bool pair_run(struct pair *, const struct kernel *, struct ref_random memory);
void kernel_print(const struct kernel *);

#endif
