/* Words and addresses that a translation takes as they are: bits that have no say, addresses beyond the lower half, address
 * space 0; and what stays in the TLBs beside what was dropped. */
#include "testbench/model/mmu_world.h"

static uint64_t walks(struct world *w) { return mmu_counters(w->mmu)->l2_miss; }

static int setup(void **state)
{
	*state = world_create(2);
	return 0;
}

static int teardown(void **state)
{
	world_destroy(*state);
	return 0;
}

static void test_beyond_the_lower_half(void **state)
{
	struct world *w = *state;
	const struct tlb_entry *e = NULL;
	uint32_t cycles = 1;

	table_map(&w->h, w->contexts, 1, VA, DRAM_BASE, PTE_RW);
	for (unsigned bit = 47; bit < 64; bit++) {
		assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 1, VA | 1ull << bit, ACCESS_READ, 0, &e, &cycles), FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(cycles, 0);
	}
	assert_int_equal(mmu_counters(w->mmu)->l1_miss, 0);
	assert_int_equal(walks(w), 0);
	assert_int_equal(mmu_counters(w->mmu)->walk_reads, 0);
	/* an invalidation of such a page drops no entry of a TLB */
	assert_int_equal(cost(w, UNIT_CU, 1, VA, 0), COLD);
	for (unsigned bit = 47; bit < 64; bit++)
		mmu_invalidate(w->mmu, MMU_PAGE, 1, VA | 1ull << bit);
	assert_int_equal(cost(w, UNIT_CU, 1, VA, COLD), 0);
	assert_int_equal(cost(w, UNIT_CU + 1, 1, VA, 100000), LATENCY);
	mmu_invalidate(w->mmu, MMU_PAGE, 1, VA | 0xfff); /* any address of the page */
	assert_true(cost(w, UNIT_CU, 1, VA, 200000) > LATENCY);
}

static void test_word_of_a_space(void **state)
{
	struct world *w = *state;
	uint64_t pa = 0;

	/* bits 11:1 */
	table_map(&w->h, w->contexts, 3, VA, DRAM_BASE + 0x7000, PTE_RW);
	*table_word(&w->h, w->contexts, 3) |= 0xffe;
	assert_int_equal(look(w, UNIT_CU, 3, VA, ACCESS_READ, &pa), FAULT_NONE);
	assert_int_equal(pa, DRAM_BASE + 0x7000);
	/* address space 0 has the first word of the table */
	assert_int_equal(look(w, UNIT_CU, 0, VA, ACCESS_READ, NULL), FAULT_PAGE_NOT_PRESENT);
	table_map(&w->h, w->contexts, 0, VA, DRAM_BASE + 0x9000, PTE_RW);
	assert_int_equal(look(w, UNIT_CU, 0, VA, ACCESS_READ, &pa), FAULT_NONE);
	assert_int_equal(pa, DRAM_BASE + 0x9000);
	mmu_invalidate(w->mmu, MMU_ASID, 0, 0);
	*table_word(&w->h, w->contexts, 0) &= ~1ull;
	assert_int_equal(look(w, UNIT_CU, 0, VA, ACCESS_READ, NULL), FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(look(w, UNIT_CU, 3, VA, ACCESS_READ, &pa), FAULT_NONE);
}

/* U, G, A, D, UNCACHED and PROTECTED of an entry that points to a table, each alone and together. */
static void test_bits_of_upper_entries(void **state)
{
	struct world *w = *state;

	table_map(&w->h, w->contexts, 1, VA, DRAM_BASE + 0x3000, PTE_RW);
	for (unsigned level = 1; level < PT_LEVELS; level++) {
		uint64_t *word = table_entry(&w->h, w->contexts, 1, VA, level), plain = *word;

		for (uint64_t bits = 0x10; bits <= 0x400; bits <<= 1) {
			const struct tlb_entry *e = NULL;
			uint32_t cycles;

			*word = plain | (bits == 0x400 ? 0x3f0 : bits);
			mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
			assert_int_equal(mmu_translate(w->mmu, UNIT_CU, 1, VA, ACCESS_ATOMIC, 0, &e, &cycles), FAULT_NONE);
			assert_int_equal(e->pa, DRAM_BASE + 0x3000);
			assert_false(e->uncached);
			assert_int_equal(e->pte, PTE_RW);
		}
		*word = plain;
	}
}

/* An entry of 4 KiB that was not invalidated when its table became a leaf of 2 MiB. */
static void test_both_arrays(void **state)
{
	struct world *w = *state;
	uint64_t huge = 0x40000000, pa = 0, *level1;

	table_map(&w->h, w->contexts, 1, huge + 0x3000, DRAM_BASE + 0x3000, PTE_RW);
	assert_int_equal(look(w, UNIT_CU, 1, huge + 0x3000, ACCESS_READ, &pa), FAULT_NONE);
	level1 = table_entry(&w->h, w->contexts, 1, huge, 1);
	*level1 = pte_make(DRAM_BASE + (4 << 20), PTE_RW);
	mmu_invalidate(w->mmu, MMU_PAGE, 1, 0x7000000000); /* the kept tables alone */
	assert_int_equal(look(w, UNIT_CU, 1, huge + 0x5000, ACCESS_READ, &pa), FAULT_NONE);
	assert_int_equal(pa, DRAM_BASE + (4 << 20) + 0x5000);
	assert_int_equal(walks(w), 2);
	/* both hold the page now; they are looked up at once */
	assert_int_equal(cost(w, UNIT_CU + 1, 1, huge + 0x3000, 100000), LATENCY);
	assert_int_equal(look(w, UNIT_CU + 1, 1, huge + 0x3000, ACCESS_READ, &pa), FAULT_NONE);
	assert_int_equal(pa, DRAM_BASE + 0x3000);
	assert_int_equal(cost(w, UNIT_CU + 1, 1, huge + 0x6000, 100000), LATENCY);
	assert_int_equal(walks(w), 2);
}

/* Whoever is refused leaves the translation behind. */
static void test_kept_though_refused(void **state)
{
	struct world *w = *state;

	assert_true(prot_region_set(&w->prot, 0, DRAM_BASE + 0x5000, DRAM_BASE + 0x6000, NULL, 0));
	table_map(&w->h, w->contexts, 1, VA, DRAM_BASE + 0x5000, PTE_RW);
	table_map(&w->h, w->contexts, 1, VA + 0x1000, DRAM_BASE, PTE_V | PTE_U | PTE_R);
	assert_int_equal(look(w, UNIT_CU, 1, VA, ACCESS_READ, NULL), FAULT_PROTECTED);
	assert_int_equal(look(w, UNIT_CU, 1, VA + 0x1000, ACCESS_WRITE, NULL), FAULT_PAGE_WRITE);
	assert_int_equal(walks(w), 2);
	assert_int_equal(mmu_counters(w->mmu)->l1_miss, 2);
	for (unsigned again = 0; again < 2; again++) {
		assert_int_equal(look(w, UNIT_CU, 1, VA, ACCESS_WRITE, NULL), FAULT_PROTECTED);
		assert_int_equal(look(w, UNIT_CU, 1, VA + 0x1000, ACCESS_EXEC, NULL), FAULT_PAGE_EXEC);
	}
	assert_int_equal(mmu_counters(w->mmu)->l1_miss, 2);
	assert_int_equal(look(w, UNIT_DMA, 1, VA, ACCESS_READ, NULL), FAULT_PROTECTED);
	assert_int_equal(look(w, UNIT_DMA, 1, VA + 0x1000, ACCESS_READ, NULL), FAULT_NONE);
	assert_int_equal(mmu_counters(w->mmu)->l1_miss, 4);
	assert_int_equal(walks(w), 2);
}

/* What an entry of bad parity leaves alone: other units' L1 TLBs, the kept tables, and the entries of the other kind of job. */
static void test_parity(void **state)
{
	struct world *w = *state;
	uint64_t reads;

	for (unsigned i = 0; i < 2; i++)
		table_map(&w->h, w->contexts, 1, VA + 0x1000 * i, DRAM_BASE + 0x1000 * i, PTE_RW);
	for (unsigned unit = UNIT_CU; unit < UNIT_CU + 2; unit++)
		cost(w, unit, 1, VA, 0);
	reads = mmu_counters(w->mmu)->walk_reads;
	inject_arm(&w->inject, INJECT_TLB_PARITY, 1, UNIT_CU, 0, 0);
	cost(w, UNIT_CU, 1, VA, 100000); /* walks again */
	assert_int_equal(w->inject.happened, 1);
	assert_int_equal(mmu_counters(w->mmu)->walk_reads, reads + 1); /* from the table of level 0 */
	assert_int_equal(walks(w), 2);
	assert_int_equal(mmu_counters(w->mmu)->l1_miss, 3);
	assert_int_equal(cost(w, UNIT_CU + 1, 1, VA, 200000), 0);
	assert_int_equal(mmu_counters(w->mmu)->l1_miss, 3);
	for (unsigned kind = 0; kind < 2; kind++) {
		uint32_t space = 1 | (kind ? SPACE_PROTECTED : 0);
		uint64_t walked, misses;

		cost(w, UNIT_CU, space, VA, 300000);
		cost(w, UNIT_CU, space ^ SPACE_PROTECTED, VA, 300000);
		walked = walks(w);
		misses = mmu_counters(w->mmu)->l1_miss;
		inject_arm(&w->inject, INJECT_TLB_PARITY, 1, UNIT_CU, 0, 300000);
		cost(w, UNIT_CU, space, VA, 400000);
		assert_int_equal(walks(w), walked + 1);
		cost(w, UNIT_CU, space ^ SPACE_PROTECTED, VA, 400000);
		assert_int_equal(walks(w), walked + 1);
		assert_int_equal(mmu_counters(w->mmu)->l1_miss, misses + 1);
	}
}

/* Lines that the walkers keep: with the word of an ASID, with one that an injected fault has met, and of a page that loses its pin. */
static void test_kept_lines(void **state)
{
	struct world *w = world_create(1);
	uint64_t leaves;

	(void)state;
	for (uint16_t asid = 16; asid < 18; asid++)
		for (unsigned page = 0; page < 2; page++)
			table_map(&w->h, w->contexts, asid, VA - page * 0x1000ull, DRAM_BASE + page * 0x1000ull, PTE_RW);
	assert_int_equal(cost(w, UNIT_DMA, 16, VA, 100000), COLD);
	assert_int_equal(cost(w, UNIT_DMA, 17, VA, 200000), COLD - READ); /* the words of both are in one line */
	mmu_invalidate(w->mmu, MMU_ALL, 0, 0);
	inject_arm(&w->inject, INJECT_WALK_ERROR, 5, INJECT_ANY_UNIT, 0, 0);
	assert_int_equal(look(w, UNIT_DMA, 16, VA, ACCESS_READ, NULL), FAULT_PAGE_TABLE);
	assert_int_equal(cost(w, UNIT_DMA, 16, VA, 400000), LATENCY);
	leaves = (uint64_t)((uint8_t *)table_entry(&w->h, w->contexts, 16, VA, 0) - w->h.bytes) >> 12;
	host_pin(&w->h, leaves, HOST_UNPINNED);
	assert_int_equal(look(w, UNIT_DMA, 16, VA - 0x1000, ACCESS_READ, NULL), FAULT_PAGE_TABLE);
	host_pin(&w->h, leaves, HOST_WRITE);
	assert_int_equal(cost(w, UNIT_DMA, 16, VA - 0x1000, 500000), LATENCY);
	world_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept_lines),
		cmocka_unit_test_setup_teardown(test_beyond_the_lower_half, setup, teardown),
		cmocka_unit_test_setup_teardown(test_word_of_a_space, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bits_of_upper_entries, setup, teardown),
		cmocka_unit_test_setup_teardown(test_both_arrays, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kept_though_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_parity, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
