/* The page-table walkers of the MMU: they read tables from memory, several walks at once. Inside
 * of the MMU only. */
#ifndef GALENA_MODEL_WALKER_H
#define GALENA_MODEL_WALKER_H
#include "abi/codes.h"
#include "abi/device_config.h"
#include "model/mem/l2.h"
#include "model/mem/physmem.h"

enum {
	WALKERS_MAX = CONFIG_MOST_mmu_walkers,
	WALK_SETS = 32,   /* tables last gone through: direct mapped, per kind of table */
	WALK_CONTEXTS = 16, /* roots of address spaces, direct mapped */
	WALK_LINES = 8,   /* lines of tables last read, direct mapped */
	HUGE_SHIFT = PT_HUGE_SHIFT,
};

/* A table that was found: key as tlb_key, of the first page that the table maps. */
struct walk_table {
	uint64_t key, table;
	uint64_t ready; /* cycle at which its address was there */
};

struct walker {
	struct physmem *mem;
	struct l2 *l2;
	uint32_t line_bytes;
	uint32_t count;             /* walks at once */
	uint64_t busy[WALKERS_MAX]; /* until this cycle */
	uint64_t worked[WALKERS_MAX]; /* cycles that each has been at it; of a walker that follows another, since it does */
	uint64_t context_table;
	uint64_t reads; /* entries read since creation */
	struct walk_table level0[WALK_SETS]; /* tables of 4 KiB pages */
	struct walk_table level1[WALK_SETS]; /* tables of 2 MiB pages */
	struct walk_table context[WALK_CONTEXTS];
	struct { uint64_t number /* + 1 */, ready; } line[WALK_LINES]; /* what costs no read; data is always read anew */
	/* one bit an entry: written since the walker follows another */
	uint32_t level0_set, level1_set, context_set, line_set;
};

void walker_init(struct walker *, const struct device_config *, struct physmem *, struct l2 *);
/* Forgets the tables of an address space, or of all. */
void walker_drop_space(struct walker *, uint16_t asid);
void walker_drop_all(struct walker *);
/* Finds the leaf entry that maps va, for a unit that asks at *now, which advances to when the walk
 * has ended. FAULT_NONE: *leaf is the entry and *level 0 (4 KiB) or 1 (2 MiB). Otherwise
 * PAGE_NOT_PRESENT, PAGE_TABLE or ECC. */
enum fault walker_walk(struct walker *, unsigned unit, uint32_t space, uint64_t va, uint64_t *leaf, unsigned *level,
		       uint64_t *now);
/* The table that holds the leaf entry of va, of level 0 (4 KiB) or 1 (2 MiB), on the host, its 512 entries as memory has
 * them now; NULL: there is none, or it cannot be read so. No walk: costs no time, is not reported and meets no armed fault. */
const uint64_t *walker_leaves(const struct walker *, uint32_t space, uint64_t va, unsigned *level);

/* A walker for a unit that runs a decoupled quantum begins with what another one has, and with the unit's own view of
 * the L2. Afterwards the other one takes over what it has found; its walks have kept walkers of the other
 * one busy. */
void walker_follow(struct walker *, const struct walker *of, struct l2 *view);
void walker_merge(struct walker *of, const struct walker *);

#endif
