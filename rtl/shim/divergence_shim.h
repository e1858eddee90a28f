/* The Verilated divergence of a warp (rtl/cu/divergence.sv) for C, of several geometries (testbench/rtl/divergences.sv). One clock. */
#ifndef GALENA_RTL_DIVERGENCE_SHIM_H
#define GALENA_RTL_DIVERGENCE_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { DIVERGENCE_SHIM_LANES = 32 };

/* What stands at the inputs in a cycle. Of begins, retires, steps and releases one at most is true. */
struct divergence_shim_in {
	unsigned geometry;
	bool begins;
	uint32_t begin_lanes;
	uint64_t entry;
	bool retires;
	uint32_t word, taken;
	uint64_t target[DIVERGENCE_SHIM_LANES];
	bool steps, releases;
};

/* What the outputs show in the next cycle; but chose is of the same one. */
struct divergence_shim_out {
	bool chose, runs, steps;
	uint32_t lanes;
	uint64_t pc;
	uint32_t depth, live, pending, at_barrier, at_sync;
};

struct divergence_shim;
/* Its registers hold random bits until they are written. NULL when out of memory. */
struct divergence_shim *divergence_shim_create(void);
void divergence_shim_destroy(struct divergence_shim *);
void divergence_shim_reset(struct divergence_shim *);
/* One cycle, up to the beginning of the next one. */
struct divergence_shim_out divergence_shim_step(struct divergence_shim *, const struct divergence_shim_in *);

#ifdef __cplusplus
}
#endif
#endif
