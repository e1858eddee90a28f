/* The Verilated warp scheduler and scoreboard (rtl/cu/scheduler.sv, scoreboard.sv) for C, of several geometries
 * (testbench/rtl/schedulers.sv). One clock. */
#ifndef GALENA_RTL_SCHEDULER_SHIM_H
#define GALENA_RTL_SCHEDULER_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SCHEDULER_SHIM_WARPS = 16, SCHEDULER_SHIM_RESULTS = 4 };

/* The next instruction of a warp, as in abi/ports.def; cls is an enum isa_class. */
struct scheduler_shim_candidate {
	bool runs, there, fails, stalls;
	unsigned dispatch, cls, rd, rs1, rs2, rs3;
};

/* What stands at the inputs in a cycle, but for chose_i. Sets of warps have a bit a slot. */
struct scheduler_shim_in {
	unsigned geometry;
	uint32_t begins, accepted;
	bool room;
	struct scheduler_shim_candidate candidate[SCHEDULER_SHIM_WARPS];
	unsigned results;
	struct { unsigned warp, rd; } result[SCHEDULER_SHIM_RESULTS];
};

/* What the outputs show then. */
struct scheduler_shim_out {
	bool issues;
	unsigned warp, cls, rd, next;
	uint32_t looks, faults;
};

struct scheduler_shim;
/* Its registers hold random bits until they are written. NULL when out of memory. */
struct scheduler_shim *scheduler_shim_create(void);
void scheduler_shim_destroy(struct scheduler_shim *);
void scheduler_shim_reset(struct scheduler_shim *);
/* A cycle, up to its end: what the outputs show with these inputs; and the end, with the warps that chose. */
struct scheduler_shim_out scheduler_shim_show(struct scheduler_shim *, const struct scheduler_shim_in *);
void scheduler_shim_end(struct scheduler_shim *, uint32_t chose);

#ifdef __cplusplus
}
#endif
#endif
