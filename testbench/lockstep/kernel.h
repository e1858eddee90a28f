/* Random kernels for two devices in lockstep. What a kernel does does not depend on the schedule: work-items write places of their own,
 * read those of others behind a barrier, and share counters by atomics that can be done in any order and whose result is not used. */
#ifndef GALENA_TESTBENCH_LOCKSTEP_KERNEL_H
#define GALENA_TESTBENCH_LOCKSTEP_KERNEL_H
#include "testbench/model/reference.h"
#include <stdbool.h>

enum {
	KERNEL_WORDS = 4096,
	KERNEL_ITEM = 512,       /* bytes of a work-item's place in memory: registers at first, then what it accesses */
	KERNEL_LOCAL = REF_AREA, /* bytes of a work-item's place in local memory */
	KERNEL_PRIVATE = 256,
	KERNEL_COUNTERS = 8,     /* of 8 bytes, in front of the places */
	KERNEL_HEAD = 512,       /* bytes in front of the places */
};

struct kernel {
	uint32_t words[KERNEL_WORDS];
	unsigned count;
	unsigned local;          /* work-items of a work-group, in one dimension */
	unsigned groups;
	bool races;              /* set before: work-items read counters that others write, so that the order is seen */
};

/* A kernel of work-groups of at most so many work-items. The CSR kernarg points at the memory. */
void kernel_random(struct kernel *, struct ref_random *, unsigned most_local);
/* One whose lanes part and meet in as many ways as the manual knows: loops that outlast the slice of a split or spin with atomics, jumps
 * to a target of each lane, calls that return too often or never, recursion, ends, barriers and rendezvous of some lanes, and all of
 * these over the ends of pages. What it does depends on the schedule only where it reads `cycle`, if it may. */
void kernel_divergent(struct kernel *, struct ref_random *, unsigned most_local, bool cycle);
/* The same with an end: half of the lanes that come there go where no instruction can stand, and that faults. */
void kernel_misaligned(struct kernel *, struct ref_random *, unsigned most_local);
/* Fills the memory of its work-items, with what registers are loaded from. */
void kernel_memory(const struct kernel *, struct ref_random, uint8_t *memory);
size_t kernel_bytes(const struct kernel *);

#endif
