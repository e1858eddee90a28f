/* The Verilated coalescers (rtl/cu/coalescer.sv) for C, of several geometries (testbench/rtl/coalescers.sv). One clock. */
#ifndef GALENA_RTL_COALESCER_SHIM_H
#define GALENA_RTL_COALESCER_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { COALESCER_SHIM_LANES = 32, COALESCER_SHIM_LINE = 256 };

struct coalescer_shim_access {
	uint32_t running, memory, in_private; /* masks of lanes, each one of bits of the one before */
	unsigned size;                        /* log2 of a lane's bytes */
	/* physical addresses of a lane's first byte, and of the page behind its page in virtual memory */
	uint64_t place[COALESCER_SHIM_LANES], next[COALESCER_SHIM_LANES];
};

/* What stands at the inputs in a cycle. */
struct coalescer_shim_in {
	unsigned geometry;
	const struct coalescer_shim_access *access; /* NULL: none */
	bool line_ready;
};

/* What the outputs show in that cycle. */
struct coalescer_shim_out {
	bool access_ready, line_valid, last;
	uint64_t address;
	uint32_t lanes;
	unsigned lines, store_bytes;
	uint64_t bytes[COALESCER_SHIM_LINE / 64];
};

struct coalescer_shim;
/* Its registers hold random bits until they are written. NULL when out of memory. */
struct coalescer_shim *coalescer_shim_create(void);
void coalescer_shim_destroy(struct coalescer_shim *);
void coalescer_shim_reset(struct coalescer_shim *);
/* One cycle, up to its end. */
void coalescer_shim_step(struct coalescer_shim *, const struct coalescer_shim_in *, struct coalescer_shim_out *);

#ifdef __cplusplus
}
#endif
#endif
