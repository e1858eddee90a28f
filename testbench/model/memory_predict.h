/* The predictor of memory_random.c: address spaces and the selves that their pages may show, what memory
 * holds, and what an access of a job must come to. */
#ifndef GALENA_TESTBENCH_MODEL_MEMORY_PREDICT_H
#define GALENA_TESTBENCH_MODEL_MEMORY_PREDICT_H
#include "model/mem/cache.h"
#include "model/dma/dma.h"
#include "model/inject.h"
#include "model/mmu/mmu.h"
#include "model/prot/protection.h"
#include "testbench/model/fixture.h"

enum {
	SPACES = 5,  /* address spaces */
	REGIONS = 6, /* 2 MiB of addresses each, one 2 MiB page or a table of 4 KiB pages */
	SLOTS = 12,  /* pages of a region that are used */
	BLOCKS = 4,  /* 2 MiB of DRAM each */
	DRAM_PHYS = BLOCKS * SLOTS,
	PHYS = 2 * DRAM_PHYS, /* pages that hold data: the same slots of each block, then system pages */
	NOWHERE = PHYS,	      /* an address behind which there is no memory */
	OLD = 3,	      /* former selves of a page that are kept apart */
	HOT = 6,	      /* pages that much is done with at a time */
};

/* Pages in a row, so that accesses cross from one to the next, and pages alone. */
static const uint16_t slot_page[SLOTS] = { 0, 1, 2, 100, 254, 255, 256, 300, 400, 509, 510, 511 };
/* Neighbours in one table, in one table above it, and the last of all. */
static const uint64_t region_va[REGIONS] = { 0x1000000000, 0x1000200000,   0x1000400000,
					     0x1040000000, 0x103fe00000, 0x7fffffe00000 };

/* A page as an entry describes it; absent: by tables that are no longer in use, as a walk may still find
 * them. */
struct self {
	uint64_t bits;
	unsigned phys;
	bool absent, huge; /* huge: a piece of a 2 MiB page */
};

struct page {
	struct self now, old[OLD];
	unsigned olds;
	struct self small; /* in the table of 4 KiB pages, used or not */
};

struct region {
	bool huge;
	uint64_t *word, *table; /* entry of level 1; its table of 4 KiB pages */
	uint64_t table_pa;
	struct page page[SLOTS];
};

struct space {
	bool off;
	uint64_t context;
	struct region region[REGIONS];
};

struct place {
	unsigned space, region, slot;
	uint64_t va; /* of the page */
};

struct world {
	struct host h;
	struct device_config config; /* blocks keep a pointer to it */
	struct physmem m;
	struct prot prot;
	struct inject inject;
	struct l2 *l2;
	struct mmu *mmu;
	struct dma *dma;
	uint64_t contexts, now, n;
	struct dma_result result;
	bool done;
	/* the predictor */
	struct space space[SPACES];
	uint8_t bytes[PHYS][4096];
	uint64_t system[DRAM_PHYS]; /* physical addresses of the system pages */
	enum host_rights rights[PHYS];
	uint64_t base[PROT_REGIONS], limit[PROT_REGIONS];
	bool is_protected[PHYS + 1];
	struct place hot[HOT];
	/* what was reached */
	uint64_t faults[32], stale, fresh, copies, cut, huge, crossed, scrubbed;
};

#define CHECK(w, what, ...)                                                                                            \
	do {                                                                                                           \
		if (!(what))                                                                                           \
			fail_msg("operation %llu: " #what ": " __VA_ARGS__);                                           \
	} while (0)
#define LL(x) ((unsigned long long)(x))

static bool chance(unsigned percent) { return random_below(100) < percent; }

static uint64_t phys_pa(const struct world *w, unsigned phys)
{
	if (phys == NOWHERE)
		return DRAM_BASE + (1ull << 36);
	if (phys >= DRAM_PHYS)
		return w->system[phys - DRAM_PHYS];
	return DRAM_BASE + (uint64_t)(phys / SLOTS) * (2 << 20) + slot_page[phys % SLOTS] * 4096ull;
}

/* What memory holds, dirty lines of the device included. */
static uint8_t *phys_at(struct world *w, unsigned phys)
{
	uint64_t pa = phys_pa(w, phys);

	if (w->m.cache && pa >= SYSTEM_BASE)
		assert_int_equal(cache_maintain(w->m.cache, pa, 4096, CACHE_CLEAN, w->now), FAULT_NONE);
	return pa >= SYSTEM_BASE ? host_at(&w->h, pa) : w->m.dram + (pa - DRAM_BASE);
}

/* ---- what must happen ---- */

static enum fault rights_predict(uint64_t bits, enum access a)
{
	bool r = bits & PTE_R, wr = bits & PTE_W, x = bits & PTE_X;

	if (!(bits & PTE_U))
		r = wr = x = false;
	switch (a) {
	case ACCESS_READ: return r ? FAULT_NONE : FAULT_PAGE_READ;
	case ACCESS_WRITE: return wr ? FAULT_NONE : FAULT_PAGE_WRITE;
	case ACCESS_EXEC: return x ? FAULT_NONE : FAULT_PAGE_EXEC;
	default: return r && wr ? FAULT_NONE : r ? FAULT_PAGE_WRITE : FAULT_PAGE_READ;
	}
}

/* For the predictor alone: malformed for another reason than bits. */
#define BITS_BAD (1ull << 63)

static bool malformed(uint64_t bits)
{
	return bits >> 54 || (bits & (PTE_R | PTE_W)) == PTE_W || !(bits & (PTE_R | PTE_X));
}

/* Whether a TLB can hold it. */
static bool held(const struct self *s) { return s->bits & PTE_V && !malformed(s->bits); }

static enum fault translate_predict(const struct world *w, const struct self *s, bool job, enum access a)
{
	bool writes = a == ACCESS_WRITE || a == ACCESS_ATOMIC, inside = w->is_protected[s->phys];
	enum fault f;

	if (s->absent || !(s->bits & PTE_V))
		return FAULT_PAGE_NOT_PRESENT;
	if (malformed(s->bits))
		return FAULT_PAGE_TABLE;
	f = rights_predict(s->bits, a);
	if (f)
		return f;
	if (job ? writes && !inside : inside || s->bits & PTE_PROTECTED)
		return FAULT_PROTECTED;
	return FAULT_NONE;
}

static enum fault access_predict(const struct world *w, const struct self *s, bool job, enum access a)
{
	enum fault f = translate_predict(w, s, job, a);

	if (f)
		return f;
	if (s->phys == NOWHERE || w->rights[s->phys] < (a == ACCESS_READ ? HOST_READ : HOST_WRITE))
		return FAULT_BUS_ERROR;
	return FAULT_NONE;
}

/* The selves that a page may show: number 0 is the present one. */
static const struct self *page_self(const struct page *p, unsigned i) { return i ? &p->old[i - 1] : &p->now; }

static void page_settle(struct page *p) { p->olds = 0; }

/* The page has a new self. One that no TLB can hold is gone at once, unless tables changed. */
static void page_change(struct page *p, struct self s, bool tables)
{
	if (held(&p->now) || tables) {
		p->old[p->olds] = p->now;
		p->old[p->olds++].absent |= !(p->now.bits & PTE_V);
	}
	p->now = s;
}

/* ---- where ---- */

static struct page *place_page(struct world *w, const struct place *p)
{
	return &w->space[p->space].region[p->region].page[p->slot];
}

static struct place place_make(unsigned space, unsigned region, unsigned slot)
{
	return (struct place){ space, region, slot, region_va[region] + slot_page[slot] * 4096ull };
}

/* Mostly one of the pages that much is done with for a while: what TLBs hold changes under them. */
static struct place place_random(const struct world *w)
{
	const struct place *hot = &w->hot[random_below(HOT)];

	if (chance(70))
		return *hot;
	return place_make((unsigned)random_below(SPACES), (unsigned)random_below(REGIONS), (unsigned)random_below(SLOTS));
}

/* The page after this one; false when nothing is known of it. */
static bool place_next(struct place *p)
{
	if (p->slot + 1 < SLOTS && slot_page[p->slot + 1] == slot_page[p->slot] + 1) {
		*p = place_make(p->space, p->region, p->slot + 1);
		return true;
	}
	if (slot_page[p->slot] != 511)
		return false;
	for (unsigned r = 0; r < REGIONS; r++)
		if (region_va[r] == p->va + 4096) {
			*p = place_make(p->space, r, 0);
			return true;
		}
	return false;
}

#endif
