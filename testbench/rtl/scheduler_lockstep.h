/* The Verilated warp scheduler with its scoreboard beside the model's (model/cu/scheduler.h, scoreboard.h): random instructions of all warps.
 *
 * A loop that goes from cycle to cycle as the manual says asks the model's functions when registers are there, when a warp can issue again, when
 * the queue of the load-store unit has room, and which slot is next. In each cycle both have to issue the same instruction of the same warp,
 * look at the same warps, and meet the same fetches that fail. Meanwhile loads and stores take their time, lines of code are late, warps
 * branch, choose, wait, stall, begin and end, dispatches are aborted, and instructions dropped. */
#ifndef GALENA_TESTBENCH_RTL_SCHEDULER_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_SCHEDULER_LOCKSTEP_H
#include <stdint.h>

enum scheduler_count {
	SCHEDULER_CYCLES, SCHEDULER_ISSUES, SCHEDULER_IDLE, SCHEDULER_OPERANDS, SCHEDULER_FULL, SCHEDULER_LATE_LINES, SCHEDULER_RESULTS, SCHEDULER_MOST,
	SCHEDULER_FORGOTTEN, SCHEDULER_STORES, SCHEDULER_JUMPS, SCHEDULER_CHOICES, SCHEDULER_LOOKS, SCHEDULER_LOOKS_ON, SCHEDULER_WAITS, SCHEDULER_STALLS,
	SCHEDULER_FAULTS, SCHEDULER_FAULTS_AND_ISSUE, SCHEDULER_BEGINS, SCHEDULER_ENDS, SCHEDULER_ABORTS, SCHEDULER_DROPS, SCHEDULER_GREEDY, SCHEDULER_RESETS, SCHEDULER_COUNTS
};

struct scheduler_lockstep_result {
	unsigned long count[SCHEDULER_COUNTS];
	char text[240]; /* the first difference, after which the run ends; empty: there is none */
};

enum { SCHEDULER_GEOMETRIES = 3 };
struct scheduler_geometry {
	const char *name, *config;
};
extern const struct scheduler_geometry scheduler_geometry[SCHEDULER_GEOMETRIES];
extern const char *const scheduler_count_name[SCHEDULER_COUNTS];

void scheduler_lockstep_run(unsigned geometry, uint64_t seed, unsigned long cycles, struct scheduler_lockstep_result *);

#endif
