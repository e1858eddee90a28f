/* The Verilated load-store unit (rtl/cu/lsu.sv) for C, of several geometries (testbench/rtl/lsus.sv). One clock. */
#ifndef GALENA_RTL_LSU_SHIM_H
#define GALENA_RTL_LSU_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LSU_SHIM_ACCESSES = 32 };

/* What stands at the inputs in a cycle. Sets of accesses have a bit each. */
struct lsu_shim_in {
	unsigned geometry;
	bool issues, local, atomic, there; /* there: the pages of the access that issues */
	unsigned id, rounds, lanes, lines;
	uint32_t found, memory_over;
};

/* What the outputs show then. */
struct lsu_shim_out {
	bool room;
	uint32_t begins, round, line, over;
	unsigned index[LSU_SHIM_ACCESSES];
};

struct lsu_shim;
/* Its registers hold random bits until they are written. NULL when out of memory. */
struct lsu_shim *lsu_shim_create(void);
void lsu_shim_destroy(struct lsu_shim *);
void lsu_shim_reset(struct lsu_shim *);
/* One cycle, up to its end. */
void lsu_shim_step(struct lsu_shim *, const struct lsu_shim_in *, struct lsu_shim_out *);

#ifdef __cplusplus
}
#endif
#endif
