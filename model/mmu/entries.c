#include "model/mmu/entries.h"
#include "abi/pte.h"
#include "model/prot/protection.h"
#include "model/mmu/walker.h"

static uint8_t leaf_rights(uint64_t pte)
{
	uint8_t perm = 0;

	if (!(pte & PTE_U))
		return 0;
	if (pte & PTE_R)
		perm |= 1 << ACCESS_READ;
	if (pte & PTE_W)
		perm |= 1 << ACCESS_WRITE;
	if (pte & PTE_X)
		perm |= 1 << ACCESS_EXEC;
	if ((pte & PTE_R) && (pte & PTE_W))
		perm |= 1 << ACCESS_ATOMIC;
	return perm;
}

/* What the protection unit does not allow; PTE_PROTECTED keeps other jobs out wherever the page is. */
static uint8_t leaf_refused(struct physmem *mem, uint32_t space, uint64_t pa, uint64_t pte)
{
	bool protected_job = space & SPACE_PROTECTED;

	if (pte & PTE_PROTECTED && !protected_job)
		return PROT_ALL_ACCESSES;
	return mem->prot ? prot_refused(mem->prot, protected_job, pa, GALENA_PAGE_SIZE) : 0;
}

void entry_refresh(struct physmem *mem, struct tlb_entry *e)
{
	e->read = e->write = NULL;
	if (e->cached)
		return;
	if (!(e->refused & 1 << ACCESS_READ))
		e->read = physmem_page(mem, e->pa, false);
	if (e->perm & ~e->refused & 1 << ACCESS_WRITE)
		e->write = physmem_page(mem, e->pa, true);
}

static struct tlb_entry entry_make(struct physmem *mem, uint64_t key, uint32_t space, uint64_t pa, uint64_t pte, bool huge)
{
	bool uncached = pte & PTE_UNCACHED;

	return (struct tlb_entry){ .key = key,
				   .pa = pa,
				   .pte = pte & 0x3ff,
				   .perm = leaf_rights(pte),
				   .refused = leaf_refused(mem, space, pa, pte),
				   .cached = mem->cache && pa >= SYSTEM_BASE && !uncached,
				   .uncached = uncached,
				   .huge = huge };
}

/* Whether all pieces of the 2 MiB page of an entry are in DRAM and allowed what it is allowed. */
static bool pages_alike(struct physmem *mem, uint32_t space, const struct tlb_entry *e)
{
	const uint64_t bytes = 1ull << HUGE_SHIFT;

	return e->pa >= DRAM_BASE && e->pa - DRAM_BASE + bytes <= mem->dram_size && !e->refused &&
	       !(mem->prot && prot_refused(mem->prot, space & SPACE_PROTECTED, e->pa, bytes));
}

struct tlb_entry entry_small(struct physmem *mem, uint64_t key, uint32_t space, uint64_t pa, uint64_t pte)
{
	struct tlb_entry e = entry_make(mem, key, space, pa, pte, false);

	entry_refresh(mem, &e);
	return e;
}

struct tlb_entry entry_huge(struct physmem *mem, uint64_t key, uint32_t space, uint64_t pa, uint64_t pte)
{
	struct tlb_entry e = entry_make(mem, key, space, pa, pte, true);

	e.alike = pages_alike(mem, space, &e);
	return e;
}

void entry_piece(struct physmem *mem, struct tlb_entry *piece, const struct tlb_entry *shared, uint64_t key, uint32_t space, uint64_t offset)
{
	if (!shared->alike) {
		*piece = entry_make(mem, key, space, shared->pa + offset, shared->pte, true);
		entry_refresh(mem, piece);
		return;
	}
	*piece = *shared;
	piece->key = key;
	piece->pa = shared->pa + offset;
	piece->read = physmem_page(mem, shared->pa + offset, false);
	piece->write = shared->perm & 1 << ACCESS_WRITE ? piece->read : NULL;
}
