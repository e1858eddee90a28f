/* The Verilated banks of local memory beside the model's (model/cu/lds.h): random accesses.
 *
 * The number of rounds of each access and what it adds to CNT_LDS_CONFLICTS are those of the model. The words that lanes have in a round, and
 * the word of each bank, are found by ISA-58 and by the order that docs/rtl.md states, and compared in every cycle. */
#ifndef GALENA_TESTBENCH_RTL_LDS_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_LDS_LOCKSTEP_H
#include <stdint.h>

enum lds_count {
	LDS_ACCESSES, LDS_ROUNDS, LDS_MOST, LDS_CONFLICTS, LDS_FREE, LDS_SHARED, LDS_MISALIGNED, LDS_THREE_WORDS, LDS_SIDE_BY_SIDE, LDS_AT_END,
	LDS_FOLLOWED, LDS_HELD, LDS_RESETS, LDS_CYCLES, LDS_COUNTS
};

struct lds_lockstep_result {
	unsigned long count[LDS_COUNTS];
	char text[240]; /* the first difference, after which the run ends; empty: there is none */
};

enum { LDS_GEOMETRIES = 4 };
struct lds_geometry {
	const char *name;
	unsigned lanes, banks;
	unsigned long most; /* rounds that an access of the patterns can have */
};
extern const struct lds_geometry lds_geometry[LDS_GEOMETRIES];
extern const char *const lds_count_name[LDS_COUNTS];

void lds_lockstep_run(unsigned geometry, uint64_t seed, unsigned long accesses, struct lds_lockstep_result *);

#endif
