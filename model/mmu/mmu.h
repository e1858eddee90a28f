/* Address translation: Sv48 tables in memory, a context table indexed by address-space id, L1
 * TLBs one a unit, a shared L2 TLB, walkers that read the tables through physical memory. */
#ifndef GALENA_MODEL_MMU_H
#define GALENA_MODEL_MMU_H
#include "abi/codes.h"
#include "abi/device_config.h"
#include "model/mem/l2.h"
#include "model/mem/physmem.h"

enum { MMU_MAX_UNITS = L1_TLBS }; /* index = enum galena_unit + number */
/* A space is an address-space id, with this bit for a protected job: what it may touch differs, so its
 * translations are its own. */
enum { SPACE_PROTECTED = 1 << 16 };

struct tlb_entry {
	uint64_t key;   /* TLB_VALID | page number << 17 | space; 0 when empty */
	uint64_t pa;    /* physical address of the 4 KiB page */
	uint8_t *read;  /* host address of the page for reading, NULL: use physmem_read */
	uint8_t *write; /* the same for writing; NULL also when the page is not writable */
	uint16_t pte;   /* bits 9:0 of the leaf entry */
	uint8_t perm;   /* 1 << enum access for each right; atomics need read and write */
	uint8_t refused; /* the same bits for what the protection unit does not allow */
	bool cached;    /* of system memory, where device caches are not coherent: use cache_read, cache_write */
	bool uncached;  /* PTE_UNCACHED: accesses pass the caches by */
	bool huge;      /* from a 2 MiB page */
	bool alike;     /* of the L2 TLB: all 4 KiB of it are in DRAM and allowed the same */
	uint64_t there; /* of an L1 TLB: cycle at which what brought it has ended; hits wait for it */
};
#define TLB_VALID (1ull << 63)
/* No address beyond the lower half of Sv48 has a key: the 1 matches no entry, valid or empty. */
static inline uint64_t tlb_key(uint64_t va, uint32_t space)
{
	return va >> 47 ? 1 : TLB_VALID | (va >> 12) << 17 | space;
}

struct mmu_counters {
	uint64_t l1_miss, l2_miss; /* look-ups */
	uint64_t parity;           /* entries dropped */
	uint64_t walk_reads;       /* entries of tables */
};

struct mmu;
struct mmu *mmu_create(const struct device_config *, struct physmem *, struct l2 *);
void mmu_destroy(struct mmu *);

/* Tells the cycle for calls that name none: these here, mmu_read, mmu_write. */
void mmu_set_time(struct mmu *, uint64_t now);
void mmu_set_context_table(struct mmu *, uint64_t pa);
enum mmu_scope { MMU_ALL = TLB_ALL, MMU_ASID = TLB_SPACE, MMU_PAGE = TLB_PAGE };
void mmu_invalidate(struct mmu *, enum mmu_scope, uint16_t asid, uint64_t va);
/* To be called at the start of every bus call: drops host addresses of system pages when the
 * driver has changed its pin table (translations stay: a stale one must end in a bus error). */
void mmu_check_generation(struct mmu *);
/* Looks all host addresses up again: physmem_page has other answers now. */
/* Sets of the L2 TLB: an invalidation goes through one a cycle, in both arrays side by side, and through all others at once. */
uint32_t mmu_l2_sets(const struct mmu *);
void mmu_refresh(struct mmu *);
/* Changes whenever any L1 entry may have become invalid: who caches an entry compares it. */
const uint64_t *mmu_epoch(const struct mmu *);
/* Key of the entry that the last fill of the unit's L1 TLB replaced; 0: it was an empty one. */
uint64_t mmu_replaced(const struct mmu *, unsigned unit);

/* Translates the page of va for a unit. On FAULT_NONE *out points at the unit's L1 entry, valid
 * until the next call for this unit or an epoch change, and *cycles is what the translation cost
 * beyond an L1 hit (0 for a hit). now is the cycle of the access; translations that are asked for at
 * the same cycle overlap. An access that the page allows and the protection unit does not ends in
 * FAULT_PROTECTED, counted and reported there. */
enum fault mmu_translate(struct mmu *, unsigned unit, uint32_t space, uint64_t va, enum access, uint64_t now,
			 const struct tlb_entry **out, uint32_t *cycles);
/* How far the translation e of the page of va goes on around it, within 2 MiB: up to the next page that lies elsewhere,
 * in physical memory or on the host, or has other rights. Returns the bytes before the page, and all in
 * *bytes. Changes nothing; what it says is valid as long as e. Only for an entry with a host address for reading. */
uint64_t mmu_run(const struct mmu *, uint32_t space, uint64_t va, const struct tlb_entry *e, uint64_t *bytes);
/* Where va lies by the tables as they are now, and how many bytes it goes on there; UINT64_MAX: nowhere that can be
 * told. No translation: takes no time and is not reported. */
uint64_t mmu_peek(const struct mmu *, uint32_t space, uint64_t va, uint64_t *bytes);
/* A view of what units share, for a unit that runs quanta side by side with others: from begin to end its
 * translations are those of a unit that runs alone, and become visible to others at the end. Units may be used by a
 * thread each from begin to leave, and nothing else meanwhile. leave says whether there is anything for end, which is
 * for one thread when all have left. l2 is what the unit's walks read through then. The view goes with the MMU. False
 * when memory is short. */
bool mmu_view_open(struct mmu *, unsigned unit, struct l2 *);
void mmu_view_begin(struct mmu *, unsigned unit);
bool mmu_view_leave(struct mmu *, unsigned unit);
void mmu_view_end(struct mmu *, unsigned unit);
/* Copies through translation, any length. *bad is the first address that failed.
 */
enum fault mmu_read(struct mmu *, unsigned unit, uint32_t space, uint64_t va, void *dst, size_t len, uint64_t *bad);
enum fault mmu_write(struct mmu *, unsigned unit, uint32_t space, uint64_t va, const void *src, size_t len,
		     uint64_t *bad);
const struct mmu_counters *mmu_counters(const struct mmu *);
/* The same with what a unit that runs a decoupled quantum has counted in it so far. */
struct mmu_counters mmu_unit_counters(const struct mmu *, unsigned unit);

#endif
