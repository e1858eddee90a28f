/* The Verilated arrays of TLBs (rtl/mmu/tlb.sv) for C: two L1 TLBs and the two arrays of the L2 TLB behind them, of several geometries
 * (testbench/rtl/tlb_arrays.sv). One clock. */
#ifndef GALENA_RTL_TLB_SHIM_H
#define GALENA_RTL_TLB_SHIM_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TLB_SHIM_L1, TLB_SHIM_SMALL = 2, TLB_SHIM_LARGE, TLB_SHIM_ARRAYS };

/* key: bit 63, page of 4 KiB << 17 | space, 0: empty. leaf: bit 63 of 2 MiB, physical address >> 12 << 10 | bits 9:0 of the leaf. */
struct tlb_shim_entry {
	uint64_t key, leaf;
};

/* What stands at the inputs in a cycle. */
struct tlb_shim_in {
	unsigned geometry, array; /* array: of look-up and fill */
	bool lookup, drop, fill;
	uint64_t key; /* that is looked for */
	struct tlb_shim_entry entry; /* for the fill */
	unsigned invalidate; /* a bit for each array */
	unsigned scope;
	uint16_t asid;
	uint64_t va;
};

/* What the outputs show in that cycle. */
struct tlb_shim_out {
	bool hit;
	unsigned way, fill_way;
	struct tlb_shim_entry entry;
	uint64_t replaced; /* key of what the fill overwrites, 0: nothing */
	unsigned ready;    /* a bit for each array: the invalidation is in its last cycle */
};

struct tlb_shim;
/* Its registers hold random bits until they are written. NULL when out of memory. */
struct tlb_shim *tlb_shim_create(void);
void tlb_shim_destroy(struct tlb_shim *);
/* After power-on, or of the running device alone. */
void tlb_shim_reset(struct tlb_shim *, bool power_on);
/* One cycle, up to its end. */
struct tlb_shim_out tlb_shim_step(struct tlb_shim *, const struct tlb_shim_in *);
/* What the four ways of a set hold. */
void tlb_shim_show(struct tlb_shim *, unsigned geometry, unsigned array, unsigned set, struct tlb_shim_entry way[4]);

#ifdef __cplusplus
}
#endif
#endif
