#include "model/mem/cache.h"
#include "model/inject.h"
#include "model/mmu/mmu.h"
#include "model/prot/protection.h"
#include "testbench/model/fixture.h"

struct world {
	struct host h;
	struct physmem m;
	struct l2 *l2;
	struct mmu *mmu;
	uint64_t contexts;
};

static struct world *world_create(const char *config, bool observed)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory sys = host_init(&w->h, observed);
	const struct device_config *c = device_config_find(config);

	assert_int_equal(physmem_init(&w->m, 64 << 20, &sys), 0);
	w->l2 = l2_create(c, BUS_TIMED);
	w->mmu = mmu_create(c, &w->m, w->l2);
	assert_non_null(w->mmu);
	w->contexts = host_page(&w->h);
	mmu_set_context_table(w->mmu, w->contexts);
	return w;
}

static void world_destroy(struct world *w)
{
	mmu_destroy(w->mmu);
	l2_destroy(w->l2);
	physmem_fini(&w->m);
	host_fini(&w->h);
	free(w);
}

static int setup(void **state)
{
	*state = world_create("mini", false);
	return 0;
}

static int teardown(void **state)
{
	world_destroy(*state);
	return 0;
}

static enum fault look(struct world *w, uint16_t asid, uint64_t va, enum access a, uint64_t *pa)
{
	const struct tlb_entry *e = NULL;
	uint32_t cycles;
	enum fault f = mmu_translate(w->mmu, UNIT_DMA, asid, va, a, 0, &e, &cycles);

	if (!f && pa)
		*pa = e->pa | (va & 0xfff);
	return f;
}

#define VA 0x1234567000ull

static void test_hit_and_cost(void **state)
{
	struct world *w = *state;
	const struct tlb_entry *e = NULL;
	uint32_t cold, warm, neighbour;
	uint64_t pa = 0;

	table_map(&w->h, w->contexts, 3, VA, DRAM_BASE + 0x5000, PTE_RW);
	table_map(&w->h, w->contexts, 3, VA + 0x1000, DRAM_BASE + 0x9000, PTE_RW);
	assert_int_equal(look(w, 3, VA + 0x123, ACCESS_READ, &pa), FAULT_NONE);
	assert_int_equal(pa, DRAM_BASE + 0x5123);
	assert_int_equal(mmu_counters(w->mmu)->l1_miss, 1);
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, 1);
	/* another unit misses in its own L1 and hits in the shared L2 TLB */
	assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 3, VA, ACCESS_WRITE, 4000, &e, &warm), FAULT_NONE);
	assert_int_equal(warm, 12);
	assert_ptr_equal(e->write, w->m.dram + 0x5000);
	assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 3, VA, ACCESS_WRITE, 4012, &e, &warm), FAULT_NONE);
	assert_int_equal(warm, 0);
	assert_int_equal(mmu_counters(w->mmu)->l1_miss, 2);
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, 1);
	/* a walk from the root reads five words from system memory, one beside it at most one */
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 3, VA, ACCESS_READ, 5000, &e, &cold), FAULT_NONE);
	assert_true(cold >= 5 * 600);
	assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 3, VA + 0x1000, ACCESS_READ, 9000, &e, &neighbour), FAULT_NONE);
	assert_true(neighbour < cold / 4);
}

static void test_faults(void **state)
{
	struct world *w = *state;
	uint64_t *word, save;
	static const struct {
		uint64_t bits;
		enum fault read, write, exec, atomic;
	} rights[] = {
		{ PTE_V | PTE_U | PTE_R, FAULT_NONE, FAULT_PAGE_WRITE, FAULT_PAGE_EXEC, FAULT_PAGE_WRITE },
		{ PTE_V | PTE_U | PTE_R | PTE_W, FAULT_NONE, FAULT_NONE, FAULT_PAGE_EXEC, FAULT_NONE },
		{ PTE_V | PTE_U | PTE_X, FAULT_PAGE_READ, FAULT_PAGE_WRITE, FAULT_NONE, FAULT_PAGE_READ },
		{ PTE_V | PTE_U | PTE_R | PTE_X, FAULT_NONE, FAULT_PAGE_WRITE, FAULT_NONE, FAULT_PAGE_WRITE },
		/* not a user page */
		{ PTE_V | PTE_R | PTE_W | PTE_X, FAULT_PAGE_READ, FAULT_PAGE_WRITE, FAULT_PAGE_EXEC, FAULT_PAGE_READ },
		/* malformed */
		{ PTE_V | PTE_U | PTE_W, FAULT_PAGE_TABLE, FAULT_PAGE_TABLE, FAULT_PAGE_TABLE, FAULT_PAGE_TABLE },
		{ PTE_V | PTE_U, FAULT_PAGE_TABLE, FAULT_PAGE_TABLE, FAULT_PAGE_TABLE, FAULT_PAGE_TABLE },
		{ PTE_RW | 1ull << 60, FAULT_PAGE_TABLE, FAULT_PAGE_TABLE, FAULT_PAGE_TABLE, FAULT_PAGE_TABLE },
		{ PTE_RW & ~PTE_V, FAULT_PAGE_NOT_PRESENT, FAULT_PAGE_NOT_PRESENT, FAULT_PAGE_NOT_PRESENT,
		  FAULT_PAGE_NOT_PRESENT },
	};

	for (unsigned i = 0; i < sizeof(rights) / sizeof(*rights); i++) {
		table_map(&w->h, w->contexts, 1, VA, DRAM_BASE, rights[i].bits);
		mmu_invalidate(w->mmu, MMU_PAGE, 1, VA);
		assert_int_equal(look(w, 1, VA, ACCESS_READ, NULL), rights[i].read);
		assert_int_equal(look(w, 1, VA, ACCESS_WRITE, NULL), rights[i].write);
		assert_int_equal(look(w, 1, VA, ACCESS_EXEC, NULL), rights[i].exec);
		assert_int_equal(look(w, 1, VA, ACCESS_ATOMIC, NULL), rights[i].atomic);
	}
	/* no address beyond the lower half; none aliases one in it */
	table_map(&w->h, w->contexts, 1, VA, DRAM_BASE, PTE_RW);
	assert_int_equal(look(w, 1, VA, ACCESS_READ, NULL), FAULT_NONE);
	for (unsigned bit = 47; bit < 64; bit++)
		assert_int_equal(look(w, 1, VA | 1ull << bit, ACCESS_READ, NULL), FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(look(w, 1, UINT64_MAX, ACCESS_READ, NULL), FAULT_PAGE_NOT_PRESENT);
	/* an address space that is not valid */
	assert_int_equal(look(w, 2, VA, ACCESS_READ, NULL), FAULT_PAGE_NOT_PRESENT);
	/* tables where there is no memory, at every level, and the context table itself */
	for (unsigned level = 1; level < PT_LEVELS; level++) {
		word = table_entry(&w->h, w->contexts, 1, VA, level);
		save = *word;
		*word = pte_make(0x7fff0000000, PTE_V);
		mmu_invalidate(w->mmu, MMU_PAGE, 1, VA);
		assert_int_equal(look(w, 1, VA, ACCESS_READ, NULL), FAULT_PAGE_TABLE);
		*word = save;
	}
	mmu_set_context_table(w->mmu, 0);
	assert_int_equal(look(w, 1, VA, ACCESS_READ, NULL), FAULT_PAGE_TABLE);
	mmu_set_context_table(w->mmu, UINT64_MAX - 7);
	assert_int_equal(look(w, 1, VA, ACCESS_READ, NULL), FAULT_PAGE_TABLE);
}

static void test_huge_pages(void **state)
{
	struct world *w = *state;
	uint64_t base = 0x40000000ull, beside = base + (2 << 20), pa = 0, misses;

	*table_entry(&w->h, w->contexts, 1, beside, 1) = pte_make(DRAM_BASE + (6 << 20), PTE_RW);
	*table_entry(&w->h, w->contexts, 1, base, 1) = pte_make(DRAM_BASE + (4 << 20), PTE_RW);
	assert_int_equal(look(w, 1, base + 0x12345, ACCESS_WRITE, &pa), FAULT_NONE);
	assert_int_equal(pa, DRAM_BASE + (4 << 20) + 0x12345);
	/* the other pages of it need no walk */
	misses = mmu_counters(w->mmu)->l2_miss;
	for (uint64_t o = 0; o < 2 << 20; o += 4096) {
		assert_int_equal(look(w, 1, base + o, ACCESS_READ, &pa), FAULT_NONE);
		assert_int_equal(pa, DRAM_BASE + (4 << 20) + o);
	}
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, misses);
	assert_int_equal(look(w, 1, base + 0x5000, ACCESS_READ, NULL), FAULT_NONE);
	assert_int_equal(look(w, 1, base + 0x7000, ACCESS_READ, NULL), FAULT_NONE);
	assert_int_equal(look(w, 1, beside, ACCESS_READ, NULL), FAULT_NONE);
	*table_entry(&w->h, w->contexts, 1, beside, 1) = 0;
	/* one page of it invalidated: all of it is looked up anew */
	*table_entry(&w->h, w->contexts, 1, base, 1) = 0;
	mmu_invalidate(w->mmu, MMU_PAGE, 1, base + 0x5000);
	assert_int_equal(look(w, 1, base + 0x5000, ACCESS_READ, NULL), FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(look(w, 1, base + 0x7000, ACCESS_READ, NULL), FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(look(w, 1, beside, ACCESS_READ, NULL), FAULT_NONE);
	/* not aligned; 1 GiB and 512 GiB leaves */
	*table_entry(&w->h, w->contexts, 1, base, 1) = pte_make(DRAM_BASE + 4096, PTE_RW);
	assert_int_equal(look(w, 1, base + 0x5000, ACCESS_READ, NULL), FAULT_PAGE_TABLE);
	*table_entry(&w->h, w->contexts, 1, 0x1000000000, 2) = pte_make(DRAM_BASE, PTE_RW);
	assert_int_equal(look(w, 1, 0x1000000000, ACCESS_READ, NULL), FAULT_PAGE_TABLE);
	*table_entry(&w->h, w->contexts, 1, 0x100000000000, 3) = pte_make(DRAM_BASE, PTE_RW);
	assert_int_equal(look(w, 1, 0x100000000000, ACCESS_READ, NULL), FAULT_PAGE_TABLE);
}

/* Translations stay until they are invalidated, by page, by space, all; others are not touched. */
static void test_invalidation(void **state)
{
	struct world *w = *state;
	uint64_t pa = 0, epoch;

	for (uint16_t asid = 1; asid <= 2; asid++) {
		table_map(&w->h, w->contexts, asid, VA, DRAM_BASE, PTE_RW);
		table_map(&w->h, w->contexts, asid, VA + 0x40000000, DRAM_BASE, PTE_RW);
	}
#define LOOK_ALL(expect_1a, expect_1b, expect_2a)                                                  \
	do {                                                                                       \
		assert_int_equal(look(w, 1, VA, ACCESS_READ, &pa), FAULT_NONE);                    \
		assert_int_equal(pa, DRAM_BASE + (expect_1a));                                     \
		assert_int_equal(look(w, 1, VA + 0x40000000, ACCESS_READ, &pa), FAULT_NONE);       \
		assert_int_equal(pa, DRAM_BASE + (expect_1b));                                     \
		assert_int_equal(look(w, 2, VA, ACCESS_READ, &pa), FAULT_NONE);                    \
		assert_int_equal(pa, DRAM_BASE + (expect_2a));                                     \
	} while (0)
	LOOK_ALL(0, 0, 0);
	for (uint16_t asid = 1; asid <= 2; asid++) {
		table_map(&w->h, w->contexts, asid, VA, DRAM_BASE + 0x1000, PTE_RW);
		table_map(&w->h, w->contexts, asid, VA + 0x40000000, DRAM_BASE + 0x1000, PTE_RW);
	}
	LOOK_ALL(0, 0, 0);
	epoch = *mmu_epoch(w->mmu);
	mmu_invalidate(w->mmu, MMU_PAGE, 1, VA + 0x40000000);
	assert_int_not_equal(*mmu_epoch(w->mmu), epoch);
	LOOK_ALL(0, 0x1000, 0);
	mmu_invalidate(w->mmu, MMU_ASID, 1, 0);
	LOOK_ALL(0x1000, 0x1000, 0);
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	LOOK_ALL(0x1000, 0x1000, 0x1000);
	/* the context entry itself */
	*table_word(&w->h, w->contexts, 2) = 0;
	assert_int_equal(look(w, 2, VA, ACCESS_READ, NULL), FAULT_NONE);
	mmu_invalidate(w->mmu, MMU_ASID, 2, 0);
	assert_int_equal(look(w, 2, VA, ACCESS_READ, NULL), FAULT_PAGE_NOT_PRESENT);
	/* faults are not cached */
	*table_word(&w->h, w->contexts, 2) = *table_word(&w->h, w->contexts, 1);
	assert_int_equal(look(w, 2, VA, ACCESS_READ, NULL), FAULT_NONE);
}

/* A translation that outlives the pin of its page ends in a bus error, never in a read. */
static void stale_translation(bool observed)
{
	struct world *w = world_create("full", observed);
	uint64_t page = host_page(&w->h), bad = 0, number = (page - SYSTEM_BASE) >> 12, epoch;
	uint32_t v = 0, one = 1;

	table_map(&w->h, w->contexts, 1, VA, page, PTE_RW);
	mmu_check_generation(w->mmu);
	assert_int_equal(mmu_write(w->mmu, UNIT_CU, 1, VA + 8, &one, 4, &bad), FAULT_NONE);
	assert_int_equal(mmu_read(w->mmu, UNIT_CU, 1, VA + 8, &v, 4, &bad), FAULT_NONE);
	assert_int_equal(v, 1);
	epoch = *mmu_epoch(w->mmu);
	host_pin(&w->h, number, HOST_READ);
	mmu_check_generation(w->mmu);
	assert_int_not_equal(*mmu_epoch(w->mmu), epoch);
	assert_int_equal(mmu_read(w->mmu, UNIT_CU, 1, VA + 8, &v, 4, &bad), FAULT_NONE);
	assert_int_equal(mmu_write(w->mmu, UNIT_CU, 1, VA + 8, &one, 4, &bad), FAULT_BUS_ERROR);
	host_pin(&w->h, number, HOST_UNPINNED);
	mmu_check_generation(w->mmu);
	assert_int_equal(mmu_read(w->mmu, UNIT_CU, 1, VA + 8, &v, 4, &bad), FAULT_BUS_ERROR);
	assert_int_equal(bad, VA + 8);
	assert_int_equal(mmu_write(w->mmu, UNIT_DMA, 1, VA + 8, &one, 4, &bad), FAULT_BUS_ERROR);
	/* pinned again, the same translation works again */
	host_pin(&w->h, number, HOST_WRITE);
	mmu_check_generation(w->mmu);
	assert_int_equal(mmu_read(w->mmu, UNIT_CU, 1, VA + 8, &v, 4, &bad), FAULT_NONE);
	world_destroy(w);
}

static void test_stale_translation(void **state)
{
	(void)state;
	stale_translation(false);
	stale_translation(true);
}

static void test_copies_cross_pages(void **state)
{
	struct world *w = *state;
	uint8_t out[9000], back[9000];
	uint64_t bad = 0;

	for (unsigned i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 13);
	table_map(&w->h, w->contexts, 1, VA, DRAM_BASE + 0x3000, PTE_RW);
	table_map(&w->h, w->contexts, 1, VA + 0x1000, host_page(&w->h), PTE_RW);
	table_map(&w->h, w->contexts, 1, VA + 0x2000, DRAM_BASE, PTE_RW);
	assert_int_equal(mmu_write(w->mmu, UNIT_DMA, 1, VA + 100, out, sizeof(out), &bad), FAULT_NONE);
	assert_int_equal(mmu_read(w->mmu, UNIT_DMA, 1, VA + 100, back, sizeof(back), &bad), FAULT_NONE);
	assert_memory_equal(out, back, sizeof(out));
	assert_memory_equal(w->m.dram + 0x3000 + 100, out, 4096 - 100);
	/* runs into a page that is not there */
	assert_int_equal(mmu_read(w->mmu, UNIT_DMA, 1, VA + 0x2ff0, back, 100, &bad), FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(bad, VA + 0x3000);
	/* beyond any memory */
	table_map(&w->h, w->contexts, 1, VA + 0x3000, 0x7fff0000000, PTE_RW);
	assert_int_equal(mmu_read(w->mmu, UNIT_DMA, 1, VA + 0x2ff0, back, 100, &bad), FAULT_BUS_ERROR);
	assert_int_equal(bad, VA + 0x3000);
}

/* ---- protection ---- */

/* Which accesses a translation lets through for a page that is protected or not, mapped for protected
 * jobs alone or for all, by a job that is one or not. */
static void test_protection(void **state)
{
	struct world *w = *state;
	struct prot prot;
	uint64_t refused = 0, bad = 0;
	uint32_t v = 0x11223344;

	prot_init(&prot, &w->m, NULL);
	w->m.prot = &prot;
	assert_true(prot_region_set(&prot, 0, DRAM_BASE + 0x5000, DRAM_BASE + 0x6000, NULL, 0));
	for (unsigned n = 0; n < 32; n++) {
		bool inside = n & 1, only = n & 2, job = n & 4;
		enum access a = (enum access)(n >> 3);
		bool writes = a == ACCESS_WRITE || a == ACCESS_ATOMIC;
		bool ok = job ? !writes || inside : !inside && !only;
		uint64_t pa = DRAM_BASE + (inside ? 0x5000 : 0x8000);
		uint32_t space = 1 | (job ? SPACE_PROTECTED : 0), cycles;
		const struct tlb_entry *e = NULL;

		table_map(&w->h, w->contexts, 1, VA, pa, PTE_RW | PTE_X | (only ? PTE_PROTECTED : 0));
		mmu_invalidate(w->mmu, MMU_PAGE, 1, VA);
		for (unsigned again = 0; again < 2; again++) { /* walked for, then found */
			assert_int_equal(mmu_translate(w->mmu, UNIT_CU, space, VA + 8, a, 10 * n + again, &e, &cycles),
					 ok ? FAULT_NONE : FAULT_PROTECTED);
			refused += !ok;
			assert_int_equal(prot.refused, refused);
		}
		if (!ok)
			continue;
		/* nobody gets past the translation either */
		assert_int_equal(e->refused & 1 << a, 0);
		assert_ptr_equal(e->read, w->m.dram + (pa - DRAM_BASE));
		assert_ptr_equal(e->write, job && !inside ? NULL : w->m.dram + (pa - DRAM_BASE));
	}
	/* the page's rights come first, and are no matter of protection */
	table_map(&w->h, w->contexts, 1, VA, DRAM_BASE + 0x5000, PTE_V | PTE_U | PTE_R);
	mmu_invalidate(w->mmu, MMU_PAGE, 1, VA);
	assert_int_equal(look(w, 1, VA, ACCESS_WRITE, NULL), FAULT_PAGE_WRITE);
	assert_int_equal(prot.refused, refused);
	/* no byte moves */
	memcpy(w->m.dram + 0x5000, "secret!", 8);
	assert_int_equal(mmu_read(w->mmu, UNIT_DMA, 1, VA + 4, &v, 4, &bad), FAULT_PROTECTED);
	assert_int_equal(v, 0x11223344);
	assert_int_equal(bad, VA + 4);
	assert_int_equal(mmu_read(w->mmu, UNIT_DMA, 1 | SPACE_PROTECTED, VA, &v, 4, &bad), FAULT_NONE);
	assert_memory_equal(&v, "secr", 4);
	/* where there is no protection unit, PTE_PROTECTED still holds */
	w->m.prot = NULL;
	table_map(&w->h, w->contexts, 1, VA, DRAM_BASE, PTE_RW | PTE_PROTECTED);
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	assert_int_equal(look(w, 1, VA, ACCESS_READ, NULL), FAULT_PROTECTED);
}

/* An armed fault lets one access through, to whoever asks for it twice too, and nothing after it. */
static void test_protection_opened(void **state)
{
	struct world *w = *state;
	struct prot prot;
	struct inject inject;
	const struct tlb_entry *e = NULL;
	uint32_t cycles, v = 0;
	uint64_t bad = 0;

	prot_init(&prot, &w->m, NULL);
	inject_init(&inject, NULL);
	w->m.prot = &prot;
	w->m.inject = &inject;
	assert_true(prot_region_set(&prot, 0, DRAM_BASE + 0x5000, DRAM_BASE + 0x6000, NULL, 0));
	table_map(&w->h, w->contexts, 1, VA, DRAM_BASE + 0x5000, PTE_RW);
	memcpy(w->m.dram + 0x5000, "secret!", 8);
	inject_arm(&inject, INJECT_PROT_OPEN, 2, UNIT_CU, 0, 0);
	assert_int_equal(mmu_translate(w->mmu, UNIT_DMA, 1, VA, ACCESS_READ, 1, &e, &cycles), FAULT_PROTECTED);
	/* the first of its unit, asked for twice, is one occasion */
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 1, VA, ACCESS_READ, 2, &e, &cycles), FAULT_PROTECTED);
	assert_int_equal(inject.happened, 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 1, VA + 8, ACCESS_READ, 3, &e, &cycles), FAULT_NONE);
		assert_int_equal(e->pa, DRAM_BASE + 0x5000);
		assert_null(e->read);
		assert_null(e->write);
		assert_int_equal(inject.happened, 1);
	}
	assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 1, VA + 8, ACCESS_WRITE, 3, &e, &cycles), FAULT_PROTECTED);
	assert_int_equal(mmu_translate(w->mmu, UNIT_CU + 1, 1, VA + 8, ACCESS_READ, 3, &e, &cycles), FAULT_PROTECTED);
	mmu_invalidate(w->mmu, MMU_PAGE, 1, VA);
	assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 1, VA + 8, ACCESS_READ, 3, &e, &cycles), FAULT_PROTECTED);
	assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 1, VA + 8, ACCESS_READ, 4, &e, &cycles), FAULT_PROTECTED);
	assert_int_equal(prot.refused, 6);
	/* rights of the page are none of the protection unit's */
	table_map(&w->h, w->contexts, 1, VA, DRAM_BASE + 0x5000, PTE_V | PTE_U | PTE_R);
	mmu_invalidate(w->mmu, MMU_PAGE, 1, VA);
	inject_arm(&inject, INJECT_PROT_OPEN, 1, INJECT_ANY_UNIT, 0, 0);
	assert_int_equal(look(w, 1, VA, ACCESS_WRITE, NULL), FAULT_PAGE_WRITE);
	assert_int_equal(inject.happened, 1);
	/* the bytes move */
	assert_int_equal(mmu_read(w->mmu, UNIT_DMA, 1, VA, &v, 4, &bad), FAULT_NONE);
	assert_memory_equal(&v, "secr", 4);
	assert_int_equal(inject.happened, 2);
	w->m.inject = NULL;
	w->m.prot = NULL;
}

/* A region may cover a part of a 2 MiB page: its 4 KiB pieces differ. */
static void test_protection_in_huge_page(void **state)
{
	struct world *w = *state;
	struct prot prot;
	uint64_t base = 0x40000000ull;

	prot_init(&prot, &w->m, NULL);
	w->m.prot = &prot;
	*table_entry(&w->h, w->contexts, 1, base, 1) = pte_make(DRAM_BASE + (2 << 20), PTE_RW);
	assert_true(prot_region_set(&prot, 2, DRAM_BASE + (2 << 20) + 0x3000, DRAM_BASE + (2 << 20) + 0x7000, NULL, 0));
	for (unsigned p = 0; p < 512; p++) {
		bool inside = p >= 3 && p < 7;
		uint64_t va = base + p * 4096ull, bad;
		uint32_t v;

		assert_int_equal(look(w, 1, va, ACCESS_READ, NULL), inside ? FAULT_PROTECTED : FAULT_NONE);
		assert_int_equal(mmu_write(w->mmu, UNIT_DMA, 1 | SPACE_PROTECTED, va, &v, 4, &bad),
				 inside ? FAULT_NONE : FAULT_PROTECTED);
	}
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, 2);
}

/* ---- attributes ---- */

static void test_attributes(void **state)
{
	struct world *w = *state;
	struct device_config config = *device_config_find("mini");
	const struct tlb_entry *e = NULL;
	uint64_t page = host_page(&w->h), bad = 0;
	uint32_t cycles, v = 1, *word = host_at(&w->h, page);
	bool failed;

	for (unsigned n = 0; n < 8; n++) {
		bool uncached = n & 1, system = n & 2, cached = n & 4;
		uint8_t *host = system ? (uint8_t *)word : w->m.dram + 0x5000;

		config.coherent = !cached;
		w->m.cache = cache_create(&config, &w->m, NULL, &failed);
		assert_false(failed);
		table_map(&w->h, w->contexts, 1, VA, system ? page : DRAM_BASE + 0x5000,
			  PTE_RW | (uncached ? PTE_UNCACHED : 0));
		mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
		assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 1, VA, ACCESS_WRITE, 0, &e, &cycles), FAULT_NONE);
		assert_int_equal(e->uncached, uncached);
		assert_int_equal(e->cached, cached && system && !uncached);
		assert_ptr_equal(e->read, e->cached ? NULL : host);
		assert_ptr_equal(e->write, e->cached ? NULL : host);
		/* what is cached is not in memory yet, and what memory has got is not seen */
		memset(host, 0, 4096);
		v = 7;
		assert_int_equal(mmu_write(w->mmu, UNIT_CU, 1, VA + 128, &v, 4, &bad), FAULT_NONE);
		assert_int_equal(((uint32_t *)host)[32], e->cached ? 0 : 7);
		assert_int_equal(mmu_read(w->mmu, UNIT_CU, 1, VA + 256, &v, 4, &bad), FAULT_NONE);
		((uint32_t *)host)[64] = 9;
		assert_int_equal(mmu_read(w->mmu, UNIT_CU, 1, VA + 256, &v, 4, &bad), FAULT_NONE);
		assert_int_equal(v, e->cached ? 0 : 9);
		cache_destroy(w->m.cache);
		w->m.cache = NULL;
	}
}

/* While faults of memory are armed, every access goes through physmem: host addresses go and come. */
static void test_refresh(void **state)
{
	struct world *w = *state;
	struct inject inject;
	uint64_t epoch, bad = 0, system = host_page(&w->h);
	uint32_t v = 5;

	inject_init(&inject, NULL);
	w->m.inject = &inject;
	table_map(&w->h, w->contexts, 1, VA, DRAM_BASE, PTE_RW);
	table_map(&w->h, w->contexts, 1, VA + 0x1000, system, PTE_RW);
	assert_int_equal(mmu_write(w->mmu, UNIT_CU, 1, VA, &v, 4, &bad), FAULT_NONE);
	assert_int_equal(mmu_write(w->mmu, UNIT_CU, 1, VA + 0x1000, &v, 4, &bad), FAULT_NONE);
	inject_arm(&inject, INJECT_ECC_DOUBLE, 2, UNIT_CU, 0, 0);
	inject_arm(&inject, INJECT_BUS_ERROR, 1, UNIT_CU, 0, 0);
	epoch = *mmu_epoch(w->mmu);
	mmu_refresh(w->mmu);
	assert_int_not_equal(*mmu_epoch(w->mmu), epoch);
	assert_int_equal(mmu_read(w->mmu, UNIT_DMA, 1, VA, &v, 4, &bad), FAULT_NONE);
	assert_int_equal(mmu_read(w->mmu, UNIT_CU, 1, VA, &v, 4, &bad), FAULT_NONE);
	assert_int_equal(mmu_read(w->mmu, UNIT_CU, 1, VA, &v, 4, &bad), FAULT_ECC);
	assert_int_equal(mmu_read(w->mmu, UNIT_CU, 1, VA + 0x1000, &v, 4, &bad), FAULT_BUS_ERROR);
	assert_int_equal(mmu_read(w->mmu, UNIT_CU, 1, VA, &v, 4, &bad), FAULT_NONE);
	assert_int_equal(mmu_read(w->mmu, UNIT_CU, 1, VA + 0x1000, &v, 4, &bad), FAULT_NONE);
	assert_int_equal(v, 5);
	w->m.inject = NULL;
}

/* Random maps, unmaps, invalidations and look-ups in three spaces, against a table of what each
 * page must show. Only a page that changed since it was last invalidated may show its old self. */
enum { SPACES = 3, PAGES = 96 };

struct expected {
	uint64_t pa, bits;         /* as in the table; bits 0: not mapped */
	uint64_t old_pa, old_bits; /* as a TLB may still have it */
	bool stale;
};

static uint64_t random_va(unsigned page)
{
	/* four clusters, so that tables at each level are shared and not */
	static const uint64_t bases[4] = { 0x1000000000, 0x1000200000 - 0x8000, 0x7ffffff00000, 0x1040000000 - 0x4000 };

	return bases[page % 4] + (page / 4) * 0x1000;
}

static enum fault predict(uint64_t bits, enum access a)
{
	bool r = bits & PTE_R, wr = bits & PTE_W, x = bits & PTE_X;

	if (!(bits & PTE_V))
		return FAULT_PAGE_NOT_PRESENT;
	switch (a) {
	case ACCESS_READ: return r ? FAULT_NONE : FAULT_PAGE_READ;
	case ACCESS_WRITE: return wr ? FAULT_NONE : FAULT_PAGE_WRITE;
	case ACCESS_EXEC: return x ? FAULT_NONE : FAULT_PAGE_EXEC;
	default: return r && wr ? FAULT_NONE : r ? FAULT_PAGE_WRITE : FAULT_PAGE_READ;
	}
}

static void random_change(struct world *w, struct expected (*x)[PAGES])
{
	static const uint64_t kinds[] = { PTE_R, PTE_R | PTE_W, PTE_X, PTE_R | PTE_W | PTE_X };
	unsigned s = (unsigned)random_below(SPACES), p = (unsigned)random_below(PAGES);
	struct expected *e = &x[s][p];
	bool stale = e->stale;

	if (!stale) {
		e->old_pa = e->pa;
		e->old_bits = e->bits;
	}
	e->pa = DRAM_BASE + random_below(1024) * 4096;
	e->bits = random_below(4) ? PTE_V | PTE_U | kinds[random_below(4)] : 0;
	table_map(&w->h, w->contexts, (uint16_t)(s + 1), random_va(p), e->pa, e->bits);
	e->stale = true;
	/* mostly as a driver does it; twice in a row without it would leave more than one old self */
	if (stale || random_below(4)) {
		mmu_invalidate(w->mmu, MMU_PAGE, (uint16_t)(s + 1), random_va(p));
		e->stale = false;
	}
}

static void random_invalidate(struct world *w, struct expected (*x)[PAGES])
{
	unsigned s = (unsigned)random_below(SPACES);
	bool all = random_below(2);

	mmu_invalidate(w->mmu, all ? MMU_ALL : MMU_ASID, (uint16_t)(s + 1), 0);
	for (unsigned t = 0; t < SPACES; t++)
		for (unsigned p = 0; p < PAGES; p++)
			if (all || t == s)
				x[t][p].stale = false;
}

static void random_look(struct world *w, struct expected (*x)[PAGES])
{
	unsigned s = (unsigned)random_below(SPACES), p = (unsigned)random_below(PAGES);
	enum access a = (enum access)random_below(4);
	struct expected *e = &x[s][p];
	uint64_t va = random_va(p) + random_below(4096), pa = 0;
	const struct tlb_entry *t = NULL;
	uint32_t cycles;
	enum fault f = mmu_translate(w->mmu, (unsigned)random_below(MMU_MAX_UNITS), (uint16_t)(s + 1), va, a, 0, &t,
				     &cycles);
	bool now, before;

	if (!f)
		pa = t->pa;
	now = f == predict(e->bits, a) && (f || pa == e->pa);
	before = e->stale && f == predict(e->old_bits, a) && (f || pa == e->old_pa);
	if (!now && !before)
		fail_msg("space %u va %#llx access %d: fault %d pa %#llx", s + 1, (unsigned long long)va, a, f,
			 (unsigned long long)pa);
	if (!f)
		assert_ptr_equal(t->write, t->perm & 2 ? w->m.dram + (pa - DRAM_BASE) : NULL);
}

static void random_run(const char *config)
{
	struct world *w = world_create(config, false);
	static struct expected x[SPACES][PAGES];

	memset(x, 0, sizeof(x));
	for (unsigned n = 0; n < 200000; n++) {
		unsigned what = (unsigned)random_below(100);

		if (what < 10)
			random_change(w, x);
		else if (what < 11)
			random_invalidate(w, x);
		else
			random_look(w, x);
	}
	world_destroy(w);
}

static void test_random(void **state)
{
	(void)state;
	random_run("mini");
	random_run("full");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hit_and_cost, setup, teardown),
		cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
		cmocka_unit_test_setup_teardown(test_huge_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(test_invalidation, setup, teardown),
		cmocka_unit_test(test_stale_translation),
		cmocka_unit_test_setup_teardown(test_copies_cross_pages, setup, teardown),
		cmocka_unit_test_setup_teardown(test_protection, setup, teardown),
		cmocka_unit_test_setup_teardown(test_protection_opened, setup, teardown),
		cmocka_unit_test_setup_teardown(test_protection_in_huge_page, setup, teardown),
		cmocka_unit_test_setup_teardown(test_attributes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refresh, setup, teardown),
		cmocka_unit_test(test_random),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
