/* The Verilated load-store unit beside the model's (model/cu/lsu.h): random accesses, one or none in a cycle.
 *
 * The model is given each access as it issues, with what it has of local memory, lines and translations, and asks the test in place of an L1 data cache; it
 * says when the access begins, when its first line has its cycle, when it is over, and whether the queue has room. The Verilated one hears of translations
 * and of lines in their cycles. In each cycle all of its outputs are compared. Meanwhile both are reset. */
#ifndef GALENA_TESTBENCH_RTL_LSU_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_LSU_LOCKSTEP_H
#include <stdint.h>

enum lsu_count {
	LSU_CYCLES, LSU_LOADS, LSU_STORES, LSU_ATOMICS, LSU_LOCAL, LSU_LINES, LSU_BOTH, LSU_NEITHER, LSU_LANES, LSU_AT_ONCE, LSU_LATE, LSU_PASSED, LSU_TOGETHER,
	LSU_FULL, LSU_LOCAL_LAST, LSU_RESETS, LSU_COUNTS
};

struct lsu_lockstep_result {
	unsigned long count[LSU_COUNTS];
	char text[240]; /* the first difference, after which the run ends; empty: there is none */
};

enum { LSU_GEOMETRIES = 4 };
struct lsu_geometry {
	const char *name, *config;
	enum lsu_count without; /* does not come up; LSU_CYCLES: all do */
};
extern const struct lsu_geometry lsu_geometry[LSU_GEOMETRIES];
extern const char *const lsu_count_name[LSU_COUNTS];

void lsu_lockstep_run(unsigned geometry, uint64_t seed, unsigned long cycles, struct lsu_lockstep_result *);

#endif
