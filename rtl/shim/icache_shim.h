/* The Verilated instruction cache (rtl/cu/icache.sv) for C, of several geometries (testbench/rtl/icaches.sv). One clock. */
#ifndef GALENA_RTL_ICACHE_SHIM_H
#define GALENA_RTL_ICACHE_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ICACHE_SHIM_WARPS = 16 };

/* What stands at the inputs in a cycle. Sets of warp slots have a bit a slot; the other members are of the slot. */
struct icache_shim_in {
	unsigned geometry, first;
	bool empties, drops;
	uint32_t begins, looks, faults, nexts, runs, steps, mapped, translated, answers;
	struct {
		uint32_t space;
		uint64_t pc;
		unsigned mapping_fault, translation_fault;
		uint64_t mapping, translation; /* physical addresses */
	} slot[ICACHE_SHIM_WARPS];
};

/* What the outputs show then. */
struct icache_shim_out {
	uint32_t there, fails, held, translates, requests, takes;
	struct {
		unsigned fault, way;
		uint64_t request;
	} slot[ICACHE_SHIM_WARPS];
};

struct icache_shim;
/* Its registers hold random bits until they are written. NULL when out of memory. */
struct icache_shim *icache_shim_create(void);
void icache_shim_destroy(struct icache_shim *);
void icache_shim_reset(struct icache_shim *);
/* One cycle, up to its end. */
struct icache_shim_out icache_shim_step(struct icache_shim *, const struct icache_shim_in *);

#ifdef __cplusplus
}
#endif
#endif
