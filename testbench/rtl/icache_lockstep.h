/* The Verilated instruction cache beside the model's (model/cu/icache.h): warps that fetch at random, from page tables with holes.
 *
 * In each cycle the test looks lines up as the issue loop does, in the order of the search, and the model says what comes of each look-up: when
 * the line is there or its fault is met, when its page is translated, and what is asked for at the L2 cache. The Verilated one is told of the same
 * look-ups, and gets each translation and each line when the model has it. In each cycle all of its outputs are compared. Meanwhile warps jump, choose,
 * step to the next page, fail, are replayed, begin and end, caches are emptied, instructions dropped, and both are reset. */
#ifndef GALENA_TESTBENCH_RTL_ICACHE_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_ICACHE_LOCKSTEP_H
#include <stdint.h>

enum icache_count {
	ICACHE_CYCLES, ICACHE_LOOKS, ICACHE_SAME, ICACHE_HITS, ICACHE_WAITS, ICACHE_SHARED, ICACHE_MISSES, ICACHE_LATE, ICACHE_SEVERAL, ICACHE_REPLACED,
	ICACHE_STEPS, ICACHE_MISALIGNED, ICACHE_FAULTS, ICACHE_FAULTS_LATE, ICACHE_FAULTS_SHARED, ICACHE_BEGINS, ICACHE_HELD, ICACHE_ABORTS, ICACHE_EMPTIED,
	ICACHE_DROPS, ICACHE_DROPPED, ICACHE_RESETS, ICACHE_COUNTS
};

struct icache_lockstep_result {
	unsigned long count[ICACHE_COUNTS];
	char text[240]; /* the first difference, after which the run ends; empty: there is none */
};

enum { ICACHE_GEOMETRIES = 3 };
struct icache_geometry {
	const char *name, *config;
};
extern const struct icache_geometry icache_geometry[ICACHE_GEOMETRIES];
extern const char *const icache_count_name[ICACHE_COUNTS];

void icache_lockstep_run(unsigned geometry, uint64_t seed, unsigned long cycles, struct icache_lockstep_result *);

#endif
