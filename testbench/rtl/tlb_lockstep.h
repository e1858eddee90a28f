/* The Verilated arrays of TLBs beside the model's MMU, behind page tables that change.
 *
 * What the MMU does around the arrays (MMU-40, MMU-41, MMU-78) stands here: each translation of the model is looked up in the L1 TLB of
 * the unit, then in the two arrays of the L2 TLB, and filled in where the model has walked. Compared are what is found, in which way and with
 * which contents, what is counted, the way that a fill takes and the entry that it overwrites, and what each way of each array holds. Invalidations
 * go through the L2 TLB while the look-ups and fills that follow are made, and begin in the cycle of a fill now and then. */
#ifndef GALENA_TESTBENCH_RTL_TLB_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_TLB_LOCKSTEP_H
#include <stdint.h>

enum tlb_count {
	TLB_LOOKUPS, TLB_HITS, TLB_SMALL_HITS, TLB_LARGE_HITS, TLB_WALKS, TLB_FAULTS, TLB_FILLS, TLB_REPLACED, TLB_ALL_DROPPED, TLB_SPACE_DROPPED,
	TLB_PAGE_DROPPED, TLB_BEYOND_DROPPED, TLB_DROPPED_WITH_FILL, TLB_DURING_DROP, TLB_PARITY, TLB_RESETS, TLB_CYCLES, TLB_COUNTS
};

struct tlb_lockstep_result {
	unsigned long count[TLB_COUNTS];
	char text[240]; /* the first difference, after which the run ends; empty: there is none */
};

enum { TLB_GEOMETRIES = 4 };
extern const char *const tlb_geometry[TLB_GEOMETRIES];
extern const char *const tlb_count_name[TLB_COUNTS];

void tlb_lockstep_run(unsigned geometry, uint64_t seed, unsigned steps, struct tlb_lockstep_result *);

#endif
