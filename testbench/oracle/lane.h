/* One work-item executed by the oracle: integers by the plain reference, floating point by MPFR, the
 * rest written down here from the manual of RISC-V. */
#ifndef GALENA_TESTBENCH_ORACLE_LANE_H
#define GALENA_TESTBENCH_ORACLE_LANE_H
#include "model/cu/decode.h"
#include <stddef.h>
#include <stdint.h>

/* A range of addresses that the lane reaches, and the host memory behind it. */
struct lane_window {
	uint64_t base, size;
	uint8_t *host;
};

struct lane {
	uint64_t x[32], f[32];
	unsigned frm;
	uint64_t pc;
	uint64_t item, group_size, lanes; /* one dimension: group item / group_size; for the CSRs */
	bool reserved;
	uint64_t reservation;
	struct lane_window windows[3];
};

struct lane_code {
	uint64_t base;
	const struct insn *insns;
	size_t count;
};

/* Runs from lane.pc until the instruction exit. NULL, or what is wrong with the program. */
const char *lane_run(struct lane *, const struct lane_code *);

#endif
