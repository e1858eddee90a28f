/* The TLBs of a device: an L1 TLB for each unit that translates, and the shared L2 TLB with its arrays for pages of 4 KiB and of
 * 2 MiB; ways, replacement, fills, invalidations and parity errors. Written from docs/hardware/mmu.md (Page-table entries,
 * Translation) alone, to be compared with a device.
 *
 * A translation is a tlb_look_up and, where that misses and the caller's walk has found a leaf, a tlb_fill. Look-ups and fills come
 * in the order in which translations are asked for; a walk that ends in a fault, or that an invalidation has overtaken, fills
 * nothing. No time is kept, and no tables are walked. Addresses are in bytes; units have the numbers of abi/units.def.
 * A unit beyond TLB_UNITS, or an address of 2^47 or more in a fill, aborts. One thread at a time uses a device's TLBs. */
#ifndef GALENA_TESTBENCH_REFERENCE_TLB_H
#define GALENA_TESTBENCH_REFERENCE_TLB_H
#include "abi/codes.h"
#include <stdbool.h>
#include <stdint.h>

enum { TLB_WAYS = 4, TLB_UNITS = 64, TLB_ANY_UNIT = 0xffff };

enum tlb_array { TLB_ARRAY_L1, TLB_ARRAY_4K, TLB_ARRAY_2M };

/* Who asks for what. */
struct tlb_key {
	unsigned unit;
	uint16_t asid;
	bool protected_job;
	uint64_t address; /* virtual, of a byte */
};

struct tlb_entry {
	bool valid, protected_job, large; /* large: from a leaf of 2 MiB */
	uint16_t asid;
	uint64_t page; /* virtual address >> 12, or >> 21 in the array for 2 MiB */
	uint64_t leaf; /* as the tables have it */
};

enum tlb_answer {
	TLB_BEYOND, /* 2^47 or more: PAGE_NOT_PRESENT, without a look-up */
	TLB_L1,     /* found in the L1 TLB of the unit */
	TLB_L2_4K,  /* found in the L2 TLB, which has filled the L1 TLB */
	TLB_L2_2M,
	TLB_WALK    /* found nowhere: a walk is to be made */
};

struct tlb_result {
	enum tlb_answer answer;
	unsigned set, way; /* of the entry that was found */
	bool parity;       /* an entry was dropped for bad parity on the way */
	bool fills_l1;     /* the L1 TLB got the page, at */
	unsigned l1_set, l1_way;
	bool fills_l2; /* the L2 TLB got it, of 4 KiB or of 2 MiB, at */
	unsigned l2_set, l2_way;
	uint64_t physical; /* of the byte, where there is a translation */
	uint64_t leaf;     /* the leaf, and whether it maps 2 MiB */
	bool large;
};

struct tlb_counters {
	uint64_t l1_misses, walks, parity; /* CNT_TLB_L1_MISS, CNT_TLB_L2_MISS, CNT_TLB_PARITY */
};

struct tlb;

/* The TLBs of a device with these parameters, empty, as after power-on. NULL: no memory, or parameters with which an array has
 * no set. */
struct tlb *tlb_create(uint32_t l1_tlb_entries, uint32_t l2_tlb_entries);
void tlb_destroy(struct tlb *);
void tlb_look_up(struct tlb *, const struct tlb_key *, struct tlb_result *);
/* The walk for *key has found a leaf, of 2 MiB or of 4 KiB. */
void tlb_fill(struct tlb *, const struct tlb_key *, uint64_t leaf, bool large, struct tlb_result *);
/* TLB_INV was written; scope as in its field. CTX_TABLE and regions of the protection unit that change are scope 0. */
void tlb_invalidate(struct tlb *, unsigned scope, uint16_t asid, uint64_t address);
/* Arms TLB_PARITY for the nth occasion from now on, 1 is the next, of the unit or of any; it takes the place of one that is armed.
 * nth 0 is as 1. */
void tlb_inject_parity(struct tlb *, uint32_t nth, unsigned unit);
/* CTRL.RESET: drops everything, disarms, and sets the counters to 0. */
void tlb_reset(struct tlb *);
struct tlb_counters tlb_counters(const struct tlb *);
/* What an array holds; unit is looked at for L1 TLBs. Sets and ways beyond abort. */
struct tlb_entry tlb_entry(const struct tlb *, enum tlb_array, unsigned unit, unsigned set, unsigned way);
unsigned tlb_sets(const struct tlb *, enum tlb_array);

/* Whether a leaf allows an access: FAULT_NONE, or the fault of rights. A load-reserved is ACCESS_READ. */
enum fault tlb_rights(uint64_t leaf, enum access);

#endif
