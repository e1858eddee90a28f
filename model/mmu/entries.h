/* The arrays of the TLBs, and what they hold for those who look into a device: nothing is translated, counted or reported. */
#ifndef GALENA_MODEL_ENTRIES_H
#define GALENA_MODEL_ENTRIES_H
#include "model/mmu/mmu.h"

enum { ARRAY_WAYS = 4 };
struct tlb {
	struct tlb_entry *entries; /* sets * ARRAY_WAYS */
	uint64_t *ready;           /* L2 only: from which cycle on an entry can be used */
	uint8_t *victim;           /* next way to replace, per set */
	unsigned sets;             /* power of two */
	bool used;                 /* something was ever filled in: most units have no memory port */
	bool pieces;               /* it may hold pieces of 2 MiB pages */
};

/* What the leaf entry pte of a page table makes an entry of a TLB for jobs of this space, of the page at pa: of 4 KiB, or of 2 MiB, which
 * is for the L2 TLB and has no host addresses. */
struct tlb_entry entry_small(struct physmem *, uint64_t key, uint32_t space, uint64_t pa, uint64_t pte);
struct tlb_entry entry_huge(struct physmem *, uint64_t key, uint32_t space, uint64_t pa, uint64_t pte);
/* Host addresses, for what may be used without asking anyone. */
void entry_refresh(struct physmem *, struct tlb_entry *);
/* The same for the 4 KiB at this offset of an entry of 2 MiB. */
void entry_piece(struct physmem *, struct tlb_entry *piece, const struct tlb_entry *shared, uint64_t key, uint32_t space, uint64_t offset);

enum mmu_array { MMU_L1, MMU_L2_SMALL /* of 4 KiB */, MMU_L2_HUGE /* of 2 MiB */ };
/* unit is looked at for MMU_L1. */
const struct tlb *mmu_tlb(const struct mmu *, enum mmu_array, unsigned unit);

#endif
