/* The Verilated coalescer beside the model's: random accesses, in random pages that several virtual addresses may lead to.
 *
 * The lines of each access are found three times: by the model (model/cu/coalescer.h), with the parts that the load-store unit gives it; byte by
 * byte, as ISA-84 and ISA-85 say; and by the Verilated unit. Of each cycle all outputs of the latter are compared, what lanes and bytes are in a
 * line and what a store is charged with, too. */
#ifndef GALENA_TESTBENCH_RTL_COALESCER_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_COALESCER_LOCKSTEP_H
#include <stdint.h>

enum coalescer_count {
	COALESCER_ACCESSES, COALESCER_EMPTY, COALESCER_LINES, COALESCER_MOST, COALESCER_CROSS_LINE, COALESCER_CROSS_PAGE, COALESCER_PRIVATE,
	COALESCER_THREE_WORDS, COALESCER_MIXED, COALESCER_ALIASED, COALESCER_BACK, COALESCER_WHOLE, COALESCER_ONE_PAGE, COALESCER_FOLLOWED,
	COALESCER_HELD, COALESCER_RESETS, COALESCER_CYCLES, COALESCER_COUNTS
};

struct coalescer_lockstep_result {
	unsigned long count[COALESCER_COUNTS];
	char text[240]; /* the first difference, after which the run ends; empty: there is none */
};

enum { COALESCER_GEOMETRIES = 3 };
struct coalescer_geometry {
	const char *name;
	unsigned lanes, line_bytes;
	unsigned long most; /* lines that an access of the patterns can have */
};
extern const struct coalescer_geometry coalescer_geometry[COALESCER_GEOMETRIES];
extern const char *const coalescer_count_name[COALESCER_COUNTS];

void coalescer_lockstep_run(unsigned geometry, uint64_t seed, unsigned long accesses, struct coalescer_lockstep_result *);

#endif
