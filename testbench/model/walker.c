/* The walkers of the MMU: their time, what they share, what they report, and what goes wrong. */
#include "testbench/model/mmu_world.h"

/* ---- time ---- */

/* Walks that share nothing: spaces whose entries lie in different lines. What one keeps waiting of
 * another is its five reads on the bus, 8 cycles each. */
static void spaces_map(struct world *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		table_map(&w->h, w->contexts, (uint16_t)(8 * (i + 1)), VA, DRAM_BASE + 4096 * i, PTE_RW);
}

static void test_overlap(void **state)
{
	(void)state;
	for (unsigned walkers = 1; walkers <= 4; walkers++) {
		struct world *w = world_create(walkers);

		spaces_map(w, 8);
		for (unsigned i = 0; i < 8; i++) {
			uint32_t rounds = i / walkers + 1, first = LATENCY + rounds * 5 * READ;

			assert_in_range(cost(w, UNIT_CU + i, 8 * (i + 1), VA, 1000), first, first + i * 5 * 8);
		}
		assert_int_equal(mmu_counters(w->mmu)->l2_miss, 8);
		assert_int_equal(mmu_counters(w->mmu)->walk_reads, 8 * 5);
		assert_int_equal(l2_counters(w->l2)->sys_read, 8 * 5 * 64);
		/* much later: nobody waits for anybody */
		mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
		assert_int_equal(cost(w, UNIT_CU, 8, VA, 1000000), COLD);
		world_destroy(w);
	}
}

/* What a walk will read keeps nobody waiting now. */
static void test_no_blocking(void **state)
{
	struct world *w = world_create(2);
	uint64_t alone;

	(void)state;
	spaces_map(w, 1);
	assert_int_equal(cost(w, UNIT_CU, 8, VA, 1000), COLD);
	alone = 1100 + READ;
	assert_in_range(l2_access(w->l2, 1100, SYSTEM_BASE, 64, false), alone, alone + 8);
	world_destroy(w);
}

/* Who misses on a page that is being walked for waits for that walk. */
static void test_one_walk_for_all(void **state)
{
	struct world *w = world_create(2);
	uint64_t huge = 0x40000000;

	(void)state;
	spaces_map(w, 1);
	assert_int_equal(cost(w, UNIT_DMA, 8, VA, 1000), COLD);
	assert_int_equal(cost(w, UNIT_CU, 8, VA, 1500), COLD - 500);
	assert_int_equal(cost(w, UNIT_CU + 1, 8, VA, 1000 + COLD - LATENCY), LATENCY);
	assert_int_equal(cost(w, UNIT_CU + 2, 8, VA, 9000), LATENCY);
	/* hits in the unit's own TLB wait, too */
	assert_int_equal(cost(w, UNIT_CU + 2, 8, VA, 9000), LATENCY);
	assert_int_equal(cost(w, UNIT_CU + 2, 8, VA, 9001), LATENCY - 1);
	assert_int_equal(cost(w, UNIT_CU + 2, 8, VA, 9000 + LATENCY), 0);
	assert_int_equal(cost(w, UNIT_CU, 8, VA, 1600), COLD - 600);
	assert_int_equal(mmu_counters(w->mmu)->l1_miss, 4);
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, 1);
	assert_int_equal(mmu_counters(w->mmu)->walk_reads, 5);
	/* a 2 MiB page: any two pages of it; its walk ends a level earlier */
	*table_entry(&w->h, w->contexts, 16, huge, 1) = pte_make(DRAM_BASE, PTE_RW);
	assert_int_equal(cost(w, UNIT_DMA, 16, huge + 0x3000, 20000), COLD - READ);
	assert_int_equal(cost(w, UNIT_CU, 16, huge + 0x1ff000, 20100), COLD - READ - 100);
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, 2);
	assert_int_equal(mmu_counters(w->mmu)->walk_reads, 9);
	world_destroy(w);
}

/* A walk finds what another has read when that is there, not earlier. */
static void test_shared_tables(void **state)
{
	struct world *w = world_create(2);

	(void)state;
	table_map(&w->h, w->contexts, 8, VA & ~0x7fffull, DRAM_BASE, PTE_RW);
	table_map(&w->h, w->contexts, 8, (VA & ~0x7fffull) + 0x1000, DRAM_BASE, PTE_RW);
	table_map(&w->h, w->contexts, 8, (VA & ~0x7fffull) + 0x20000, DRAM_BASE, PTE_RW);
	assert_int_equal(cost(w, UNIT_CU, 8, VA & ~0x7fffull, 1000), COLD);
	/* the same line: there at the same cycle */
	assert_int_equal(cost(w, UNIT_CU + 1, 8, (VA & ~0x7fffull) + 0x1000, 1100), COLD - 100);
	assert_int_equal(mmu_counters(w->mmu)->walk_reads, 6);
	/* another line of the same table: its read begins when the table is known, by a walker that was
	 * free until then */
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	assert_int_equal(cost(w, UNIT_CU, 8, VA & ~0x7fffull, 100000), COLD);
	assert_in_range(cost(w, UNIT_CU + 1, 8, (VA & ~0x7fffull) + 0x20000, 100100), COLD - 100, COLD - 100 + 5 * 8);
	assert_int_equal(mmu_counters(w->mmu)->walk_reads, 12);
	world_destroy(w);
}

/* ---- events ---- */

static void expect(struct world *w, unsigned i, enum event_kind kind, unsigned unit, uint64_t cycle, uint64_t a,
		   uint64_t b, uint64_t c)
{
	const struct event *e = &w->event[i];

	assert_true(i < w->events);
	assert_int_equal(e->kind, kind);
	assert_int_equal(e->unit, unit);
	assert_int_equal(e->cycle, cycle);
	assert_int_equal(e->queue, EVENT_NO_QUEUE);
	assert_int_equal(e->a, a);
	assert_int_equal(e->b, b);
	assert_int_equal(e->c, c);
}

/* The physical address of the entry of this level, and its word; level 4 is the context table. */
static uint64_t entry_at(struct world *w, uint16_t asid, uint64_t va, unsigned level, uint64_t *word)
{
	uint8_t *p = level == PT_LEVELS ? (uint8_t *)table_word(&w->h, w->contexts, asid) :
					  (uint8_t *)table_entry(&w->h, w->contexts, asid, va, level);

	memcpy(word, p, 8);
	return SYSTEM_BASE + (uint64_t)(p - w->h.bytes);
}

static void test_events(void **state)
{
	struct world *w = world_create(2);
	uint64_t huge = 0x40000000, pa, word, contexts;
	unsigned n = 0;

	(void)state;
	spaces_map(w, 1);
	*table_entry(&w->h, w->contexts, 8, huge, 1) = pte_make(DRAM_BASE + (2 << 20), PTE_RW | PTE_UNCACHED);
	w->m.events = &w->sink;
	assert_int_equal(cost(w, UNIT_CU + 3, 8, VA + 0x123, 1000), COLD);
	expect(w, n++, EVENT_WALK, UNIT_CU + 3, 1000 + LATENCY, VA, 0, 0);
	for (unsigned i = 0; i < 5; i++) {
		pa = entry_at(w, 8, VA, PT_LEVELS - i, &word);
		expect(w, n++, EVENT_READ, UNIT_MMU, 1000 + LATENCY + i * READ, 0, pa, 8);
		expect(w, n, EVENT_WALK_READ, UNIT_CU + 3, 1000 + LATENCY + (i + 1) * READ, pa, word, PT_LEVELS - i);
		assert_int_equal(w->event[n++].asid, 8);
	}
	expect(w, n, EVENT_WALK_END, UNIT_CU + 3, 1000 + COLD, VA, DRAM_BASE, FAULT_NONE);
	assert_int_equal(w->event[n++].asid, 8);
	expect(w, n, EVENT_TLB_FILL, UNIT_CU + 3, 1000 + COLD, VA, DRAM_BASE, PTE_RW);
	assert_int_equal(w->event[n++].asid, 8);
	assert_int_equal(w->events, n);
	/* nothing on a hit; a fill alone from the L2 TLB */
	assert_int_equal(cost(w, UNIT_CU + 3, 8, VA, 9000), 0);
	assert_int_equal(w->events, n);
	assert_int_equal(cost(w, UNIT_DMA, 8, VA, 9000), LATENCY);
	expect(w, n++, EVENT_TLB_FILL, UNIT_DMA, 9000 + LATENCY, VA, DRAM_BASE, PTE_RW);
	assert_int_equal(w->events, n);
	/* a 2 MiB page; a walk that fails */
	w->events = 0;
	(void)cost(w, UNIT_DMA, 8, huge + 0x5678, 20000);
	expect(w, w->events - 1, EVENT_TLB_FILL, UNIT_DMA, w->event[w->events - 1].cycle, huge + 0x5000,
	       DRAM_BASE + (2 << 20) + 0x5000, PTE_RW | PTE_UNCACHED | 1ull << 63);
	expect(w, w->events - 2, EVENT_WALK_END, UNIT_DMA, w->event[w->events - 1].cycle, huge + 0x5000,
	       DRAM_BASE + (2 << 20) + 0x5000, FAULT_NONE);
	w->events = 0;
	assert_int_equal(look(w, UNIT_DMA, 8, VA + 0x1000, ACCESS_READ, NULL), FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->event[w->events - 1].kind, EVENT_WALK_END);
	assert_int_equal(w->event[w->events - 1].c, FAULT_PAGE_NOT_PRESENT);
	/* what software does */
	w->events = 0;
	contexts = w->contexts;
	mmu_set_time(w->mmu, 777);
	mmu_invalidate(w->mmu, MMU_PAGE, 8, VA);
	mmu_invalidate(w->mmu, MMU_ASID, 8, VA);
	mmu_invalidate(w->mmu, (enum mmu_scope)3, 0, 0);
	mmu_set_context_table(w->mmu, contexts);
	expect(w, 0, EVENT_TLB_INVALIDATE, UNIT_MMU, 777, VA, MMU_PAGE, 0);
	expect(w, 1, EVENT_TLB_INVALIDATE, UNIT_MMU, 777, 0, MMU_ASID, 0);
	assert_int_equal(w->event[1].asid, 8);
	expect(w, 2, EVENT_TLB_INVALIDATE, UNIT_MMU, 777, 0, MMU_ALL, 0);
	expect(w, 3, EVENT_CONTEXT_TABLE, UNIT_MMU, 777, contexts, 0, 0);
	expect(w, 4, EVENT_TLB_INVALIDATE, UNIT_MMU, 777, 0, MMU_ALL, 0);
	world_destroy(w);
}

/* ---- what goes wrong ---- */

/* Bad parity in an entry of the L1, then of the L2 TLB, small and huge: walked for again, no fault. */
/* The ways of a set are filled in their order, and then in turn: the address space is no part of the set. */
static void test_ways(void **state)
{
	struct world *w = world_create(2);

	(void)state;
	spaces_map(w, 6);
	w->m.events = &w->sink;
	for (unsigned i = 0; i < 6; i++) {
		(void)cost(w, UNIT_DMA, 8 * (i + 1), VA, 100000 * (i + 1));
		expect(w, w->events - 1, EVENT_TLB_FILL, UNIT_DMA, w->event[w->events - 1].cycle, VA, w->event[w->events - 1].b,
		       PTE_RW | (uint64_t)(i % 4) << EVENT_TLB_WAY);
		w->events = 0;
	}
	world_destroy(w);
}

static void test_parity(void **state)
{
	struct world *w = world_create(2);
	uint64_t huge = 0x40000000, pa = 0, epoch;

	(void)state;
	spaces_map(w, 1);
	*table_entry(&w->h, w->contexts, 8, huge, 1) = pte_make(DRAM_BASE + (2 << 20), PTE_RW);
	assert_int_equal(look(w, UNIT_CU, 8, VA, ACCESS_READ, &pa), FAULT_NONE);
	assert_int_equal(look(w, UNIT_DMA, 8, VA, ACCESS_READ, &pa), FAULT_NONE);
	/* the second look-up of unit CU that finds an entry; those of another unit do not count */
	inject_arm(&w->inject, INJECT_TLB_PARITY, 2, UNIT_CU, 0, 0);
	assert_int_equal(look(w, UNIT_DMA, 8, VA, ACCESS_READ, &pa), FAULT_NONE);
	assert_int_equal(look(w, UNIT_DMA, 8, VA, ACCESS_READ, &pa), FAULT_NONE);
	assert_int_equal(look(w, UNIT_CU, 8, VA, ACCESS_READ, &pa), FAULT_NONE);
	assert_int_equal(w->inject.happened, 0);
	epoch = *mmu_epoch(w->mmu);
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, 1);
	assert_int_equal(look(w, UNIT_CU, 8, VA, ACCESS_WRITE, &pa), FAULT_NONE);
	assert_int_equal(pa, DRAM_BASE);
	assert_int_equal(w->inject.happened, 1);
	assert_int_equal(mmu_counters(w->mmu)->parity, 1);
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, 2);
	assert_int_not_equal(*mmu_epoch(w->mmu), epoch);
	/* once */
	assert_int_equal(look(w, UNIT_CU, 8, VA, ACCESS_WRITE, &pa), FAULT_NONE);
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, 2);
	/* in the L2 TLB: found there by a unit that missed in its L1 */
	inject_arm(&w->inject, INJECT_TLB_PARITY, 1, INJECT_ANY_UNIT, 0, 0);
	assert_int_equal(look(w, UNIT_CU + 1, 8, VA, ACCESS_READ, &pa), FAULT_NONE);
	assert_int_equal(pa, DRAM_BASE);
	assert_int_equal(mmu_counters(w->mmu)->parity, 2);
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, 3);
	assert_int_equal(look(w, UNIT_CU, 8, huge, ACCESS_READ, &pa), FAULT_NONE);
	inject_arm(&w->inject, INJECT_TLB_PARITY, 1, INJECT_ANY_UNIT, 0, 0);
	assert_int_equal(look(w, UNIT_CU, 8, huge + 0x1000, ACCESS_READ, &pa), FAULT_NONE);
	assert_int_equal(pa, DRAM_BASE + (2 << 20) + 0x1000);
	assert_int_equal(mmu_counters(w->mmu)->parity, 3);
	assert_int_equal(mmu_counters(w->mmu)->l2_miss, 5);
	world_destroy(w);
}

/* A bad word at each level ends the access in PAGE_TABLE, once, for the unit that was asked for. */
static void test_walk_error(void **state)
{
	struct world *w = world_create(2);

	(void)state;
	spaces_map(w, 1);
	for (uint32_t nth = 1; nth <= 5; nth++) {
		mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
		inject_arm(&w->inject, INJECT_WALK_ERROR, nth, UNIT_DMA, 0, 0);
		assert_int_equal(look(w, UNIT_CU, 8, VA, ACCESS_READ, NULL), FAULT_NONE);
		mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
		assert_int_equal(look(w, UNIT_DMA, 8, VA, ACCESS_READ, NULL), FAULT_PAGE_TABLE);
		assert_int_equal(w->inject.happened, nth);
		assert_int_equal(look(w, UNIT_DMA, 8, VA, ACCESS_READ, NULL), FAULT_NONE);
	}
	world_destroy(w);
}

/* Tables in protected memory are none, whoever walks. */
static void test_protected_tables(void **state)
{
	struct world *w = world_create(2);
	uint64_t *root = table_word(&w->h, w->contexts, 8);

	(void)state;
	spaces_map(w, 1);
	/* the root table, moved to DRAM */
	memcpy(w->m.dram + 0x10000, host_at(&w->h, *root & ~0xfffull), 4096);
	*root = (DRAM_BASE + 0x10000) | 1;
	assert_int_equal(look(w, UNIT_CU, 8, VA, ACCESS_READ, NULL), FAULT_NONE);
	assert_true(prot_region_set(&w->prot, 0, DRAM_BASE + 0x10000, DRAM_BASE + 0x11000, NULL, 0));
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	for (uint32_t job = 0; job <= SPACE_PROTECTED; job += SPACE_PROTECTED)
		assert_int_equal(look(w, UNIT_CU, 8 | job, VA, ACCESS_READ, NULL), FAULT_PAGE_TABLE);
	assert_int_equal(w->prot.refused, 2);
	world_destroy(w);
}

/* ---- address spaces ---- */

/* Every address space has its context; 16 trees of tables stand behind them, and the pages at the same
 * address in two trees are different. */
enum { TREES = 16, TREE_PAGES = 4096, ALL_SPACES = 65536 };

static uint64_t space_pa(unsigned asid, unsigned page)
{
	return DRAM_BASE + ((uint64_t)(asid % TREES) * 509 + page * 3 + 1) % 16000 * 4096;
}

static void test_all_spaces(void **state)
{
	struct world *w = world_create(4);
	uint64_t *context = (uint64_t *)(w->m.dram + (63 << 20)), pa = 0;

	(void)state;
	for (unsigned t = 0; t < TREES; t++)
		for (unsigned p = 0; p < TREE_PAGES; p++)
			table_map(&w->h, w->contexts, (uint16_t)(t + TREES), VA + p * 4096ull, space_pa(t, p), PTE_RW);
	for (unsigned asid = 1; asid < ALL_SPACES; asid++)
		context[asid] = *table_word(&w->h, w->contexts, TREES + asid % TREES);
	mmu_set_context_table(w->mmu, DRAM_BASE + (63 << 20));
	for (unsigned round = 0; round < 2; round++)
		for (unsigned asid = 1; asid < ALL_SPACES; asid++) {
			unsigned page = (asid * 7 + round) % TREE_PAGES;

			assert_int_equal(look(w, UNIT_CU, asid, VA + page * 4096ull, ACCESS_WRITE, &pa), FAULT_NONE);
			assert_int_equal(pa, space_pa(asid, page));
		}
	/* the same page of all of them, which share sets of the TLBs */
	for (unsigned asid = 1; asid < ALL_SPACES; asid++) {
		assert_int_equal(look(w, UNIT_DMA, asid, VA, ACCESS_READ, &pa), FAULT_NONE);
		assert_int_equal(pa, space_pa(asid, 0));
	}
	assert_int_equal(look(w, UNIT_CU, 0, VA, ACCESS_READ, NULL), FAULT_PAGE_NOT_PRESENT);
	/* one of them ends: its own translations go, no others */
	assert_int_equal(look(w, UNIT_CU, 0xfffe, VA, ACCESS_READ, NULL), FAULT_NONE);
	assert_int_equal(look(w, UNIT_CU, 0xffff, VA, ACCESS_READ, NULL), FAULT_NONE);
	context[0xffff] = context[0xfffe] = 0;
	mmu_invalidate(w->mmu, MMU_ASID, 0xffff, 0);
	assert_int_equal(look(w, UNIT_CU, 0xffff, VA, ACCESS_READ, NULL), FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(look(w, UNIT_CU, 0xfffe, VA, ACCESS_READ, NULL), FAULT_NONE);
	assert_int_equal(look(w, UNIT_CU, 0x7fff, VA, ACCESS_READ, NULL), FAULT_NONE);
	world_destroy(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_no_blocking),
		cmocka_unit_test(test_one_walk_for_all),
		cmocka_unit_test(test_shared_tables),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_parity),
		cmocka_unit_test(test_walk_error),
		cmocka_unit_test(test_protected_tables),
		cmocka_unit_test(test_all_spaces),
	};

	(void)argc, (void)argv;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
