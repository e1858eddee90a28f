/* The Verilated divergence of a warp beside the model's: random instructions of one warp, in its three implementations.
 *
 * The model's warp executes each instruction with its own interpreter (model/engine) and splits with its own functions
 * (model/cu/divergence.h, barrier.h); the reference of the lanes (testbench/reference/lanes.h), which was written from the manual alone, and the
 * Verilated module are told the instruction and where its lanes go. After each step all three have the same running split, with program
 * counter, call depth and a step that is due, and the same lanes in each set; and the module says when the warp chooses. */
#ifndef GALENA_TESTBENCH_RTL_DIVERGENCE_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_DIVERGENCE_LOCKSTEP_H
#include <stdint.h>

enum divergence_count {
	DIVERGENCE_STEPS, DIVERGENCE_WARPS, DIVERGENCE_PAGE_STEPS, DIVERGENCE_BRANCHES, DIVERGENCE_JUMPS, DIVERGENCE_MOST_TARGETS, DIVERGENCE_MOST_SPLITS,
	DIVERGENCE_MEETINGS, DIVERGENCE_ROTATIONS, DIVERGENCE_ATOMIC_ROTATIONS, DIVERGENCE_NO_ROTATIONS, DIVERGENCE_TURN_ENDS, DIVERGENCE_DEEPEST,
	DIVERGENCE_SYNCS, DIVERGENCE_BARRIERS, DIVERGENCE_ENDS, DIVERGENCE_MISALIGNED, DIVERGENCE_IDLE, DIVERGENCE_RESETS, DIVERGENCE_COUNTS
};

struct divergence_lockstep_result {
	unsigned long count[DIVERGENCE_COUNTS];
	char text[320]; /* the first difference, after which the run ends; empty: there is none */
};

enum { DIVERGENCE_GEOMETRIES = 4 };
struct divergence_geometry {
	const char *name;
	unsigned lanes;
	uint32_t rotations; /* bits of the count of rotations */
};
extern const struct divergence_geometry divergence_geometry[DIVERGENCE_GEOMETRIES];
extern const char *const divergence_count_name[DIVERGENCE_COUNTS];

/* A step is an instruction that retires, or a step to the next page. */
void divergence_lockstep_run(unsigned geometry, uint64_t seed, unsigned long steps, struct divergence_lockstep_result *);

#endif
