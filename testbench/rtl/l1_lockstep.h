/* The Verilated L1 data cache beside the model's (model/cu/l1.h, l1_data.h): random accesses of lanes, one after the other.
 *
 * The model is given an access as a compute unit gives it, lane by lane, and asks the test in place of an L2 cache; it says which lines are asked for
 * and when, and when the access is over. The Verilated one gets the lines of the access, one a cycle, and each answer in its cycle. In each cycle all of its
 * outputs are compared; where the cache holds data, the bytes that the lanes of a load get, too. Which way a line takes is said by a second cache of the model,
 * line by line. Meanwhile memory is changed by others, caches are emptied for each reason, loads, stores and atomics fail, and both are reset. */
#ifndef GALENA_TESTBENCH_RTL_L1_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_L1_LOCKSTEP_H
#include <stdbool.h>
#include <stdint.h>

enum l1_count {
	L1_CYCLES, L1_LOADS, L1_STORES, L1_ATOMICS, L1_HITS, L1_EARLY, L1_MISSES, L1_REPLACED, L1_TWICE, L1_STORE_HITS, L1_ATOMIC_HITS, L1_SYSTEM,
	L1_TOGETHER, L1_DISPATCHES, L1_DROPS, L1_RESETS,
	L1_DATA, /* those from here on come up where the cache holds data */
	L1_LANES = L1_DATA, L1_OLD, L1_FENCES, L1_ACQUIRES, L1_FAULTS, L1_UNDONE, L1_FOUND_ABOVE, L1_FAILED_STORES, L1_FAILED_ATOMICS, L1_DROPPED, L1_COUNTS
};

struct l1_lockstep_result {
	unsigned long count[L1_COUNTS];
	char text[240]; /* the first difference, after which the run ends; empty: there is none */
};

enum { L1_GEOMETRIES = 7 };
struct l1_geometry {
	const char *name, *config;
	bool data;
};
extern const struct l1_geometry l1_geometry[L1_GEOMETRIES];
extern const char *const l1_count_name[L1_COUNTS];

void l1_lockstep_run(unsigned geometry, uint64_t seed, unsigned long cycles, struct l1_lockstep_result *);

#endif
