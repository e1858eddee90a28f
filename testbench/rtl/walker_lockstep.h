/* The Verilated page-table walkers beside the model's walker, which walks random page tables with faults of each kind.
 *
 * The first half of a run makes one walk at a time: the walker that takes it and what comes of kept lines are compared, too. Then come walks side
 * by side, with words that are there after any number of cycles, and invalidations meanwhile. Of each walk the words that it reads, their
 * order and levels, how it ends and the leaf are those of the model, which makes the same walks one after the other. */
#ifndef GALENA_TESTBENCH_RTL_WALKER_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_WALKER_LOCKSTEP_H
#include <stdint.h>

enum walker_count {
	WALKER_WALKS, WALKER_SIDE_BY_SIDE, WALKER_READS, WALKER_KEPT, WALKER_SMALL, WALKER_LARGE, WALKER_NOT_PRESENT, WALKER_TABLE, WALKER_UNREADABLE,
	WALKER_ECC, WALKER_INJECTED, WALKER_DROPPED, WALKER_DROPPED_UNDER_WAY, WALKER_CYCLES, WALKER_COUNTS
};

struct walker_lockstep_result {
	unsigned long count[WALKER_COUNTS];
	char text[240]; /* the first difference, after which the run ends; empty: there is none */
};

enum { WALKER_GEOMETRIES = 3, WALKER_ALONE = 2 }; /* ALONE: it has one walker */
extern const char *const walker_geometry[WALKER_GEOMETRIES];
extern const char *const walker_count_name[WALKER_COUNTS];

void walker_lockstep_run(unsigned geometry, uint64_t seed, unsigned steps, struct walker_lockstep_result *);

#endif
