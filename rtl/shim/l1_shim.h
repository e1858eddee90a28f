/* The Verilated L1 data cache (rtl/cu/l1.sv) for C, of several geometries (testbench/rtl/l1_caches.sv). One clock. */
#ifndef GALENA_RTL_L1_SHIM_H
#define GALENA_RTL_L1_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { L1_SHIM_LINE = 256, L1_SHIM_ACCESSES = 16, L1_SHIM_ANSWERS = 3 };

/* What stands at the inputs in a cycle. */
struct l1_shim_in {
	unsigned geometry;
	bool empties;
	/* a line of an access; the others mean something with valid alone */
	bool valid, store, atomic, failed, last;
	uint64_t address;
	unsigned id, lines, lanes, charge;
	uint64_t changes[L1_SHIM_LINE / 64]; /* a bit for each byte that a store changes */
	uint8_t data[L1_SHIM_LINE], read_data[L1_SHIM_LINE];
	bool read_fault;
	unsigned answers, answer_id[L1_SHIM_ANSWERS]; /* the first so many of these */
};

/* What the outputs show then. */
struct l1_shim_out {
	bool found, takes, reads, counted, requests, request_atomic, stores;
	unsigned way, hits, misses, request_id, store_id, store_bytes;
	uint64_t request, store; /* addresses */
	uint32_t over;           /* accesses, a bit each */
	uint8_t data[L1_SHIM_LINE];
};

struct l1_shim;
/* Its registers hold random bits until they are written. NULL when out of memory. */
struct l1_shim *l1_shim_create(void);
void l1_shim_destroy(struct l1_shim *);
void l1_shim_reset(struct l1_shim *);
/* One cycle, up to its end. */
void l1_shim_step(struct l1_shim *, const struct l1_shim_in *, struct l1_shim_out *);

#ifdef __cplusplus
}
#endif
#endif
