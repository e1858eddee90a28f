/* The reference of the TLBs, at what docs/hardware/mmu.md says, with the sizes of `mini`: 2 sets in an L1 TLB, 8 and 1 in the L2
 * TLB. The argument or GALENA_SEED is the seed of the random case. */
#include "abi/pte.h"
#include "testbench/random.h"
#include "testbench/reference/tlb.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define LEAF(pa) pte_make((pa), PTE_V | PTE_R | PTE_W | PTE_U)
enum { PAGE = 4096, LARGE = 1 << 21 };

static uint64_t seed;
static struct tlb *t;
static struct tlb_result r;

static int begin(void **state)
{
	(void)state;
	t = tlb_create(8, 32);
	return t ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	tlb_destroy(t);
	return 0;
}

static struct tlb_key key(unsigned unit, uint16_t asid, uint64_t address) { return (struct tlb_key){ unit, asid, false, address }; }

static enum tlb_answer look(unsigned unit, uint16_t asid, uint64_t address)
{
	const struct tlb_key k = key(unit, asid, address);
	tlb_look_up(t, &k, &r);
	return r.answer;
}

static void fill(unsigned unit, uint16_t asid, uint64_t address, uint64_t pa, bool large)
{
	const struct tlb_key k = key(unit, asid, address);
	tlb_fill(t, &k, LEAF(pa), large, &r);
}

static void sizes_are_those_of_the_parameters(void **state)
{
	(void)state;
	assert_int_equal(tlb_sets(t, TLB_ARRAY_L1), 2);
	assert_int_equal(tlb_sets(t, TLB_ARRAY_4K), 8);
	assert_int_equal(tlb_sets(t, TLB_ARRAY_2M), 1);
	assert_null(tlb_create(8, 16));
	assert_null(tlb_create(0, 32));
}

static void a_walk_fills_both(void **state)
{
	(void)state;
	assert_int_equal(look(UNIT_CU, 1, 0x5678), TLB_WALK);
	fill(UNIT_CU, 1, 0x5678, 0x100003000, false);
	assert_int_equal(r.physical, 0x100003678);
	assert_int_equal(look(UNIT_CU, 1, 0x5000), TLB_L1);
	assert_int_equal(r.physical, 0x100003000);
	assert_int_equal(look(UNIT_CU, 2, 0x5000), TLB_WALK); /* another space */
	assert_int_equal(look(UNIT_MEDIA, 1, 0x5fff), TLB_L2_4K);
	assert_true(r.fills_l1);
	assert_int_equal(r.physical, 0x100003fff);
	assert_int_equal(look(UNIT_MEDIA, 1, 0x5fff), TLB_L1);
	assert_int_equal(tlb_counters(t).l1_misses, 3);
	assert_int_equal(tlb_counters(t).walks, 2);
}

static void kinds_of_jobs_are_apart(void **state)
{
	struct tlb_key k = key(UNIT_CU, 1, 0x5000);
	(void)state;
	fill(UNIT_CU, 1, 0x5000, 0x100003000, false);
	k.protected_job = true;
	tlb_look_up(t, &k, &r);
	assert_int_equal(r.answer, TLB_WALK);
}

static void addresses_beyond_are_not_looked_up(void **state)
{
	(void)state;
	assert_int_equal(look(UNIT_CU, 1, 1ull << 47), TLB_BEYOND);
	assert_int_equal(look(UNIT_CU, 1, UINT64_MAX), TLB_BEYOND);
	assert_int_equal(tlb_counters(t).l1_misses, 0);
	assert_int_equal(look(UNIT_CU, 1, (1ull << 47) - 1), TLB_WALK);
}

static void sets_are_hashed(void **state)
{
	static const struct {
		uint64_t page;
		unsigned l1, l2;
	} pages[] = { { 0, 0, 0 }, { 1, 1, 1 }, { 7, 1, 7 }, { 1 << 6, 1, 1 }, { 5 << 12, 1, 5 }, { 1 << 12 | 1 << 6, 0, 0 },
		      { 3 << 12 | 3 << 6 | 3, 1, 3 } };
	(void)state;
	for (unsigned i = 0; i < sizeof pages / sizeof *pages; i++) {
		fill(UNIT_CU, 1, pages[i].page * PAGE, 0x100000000, false);
		assert_int_equal(r.l1_set, pages[i].l1);
		assert_int_equal(r.l2_set, pages[i].l2);
	}
}

static void ways_are_taken_empty_first_and_then_in_turn(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		fill(UNIT_CU, 1, i * 2 * PAGE, 0x100000000, false); /* all in set 0 of the L1 TLB */
		assert_int_equal(r.l1_way, i);
	}
	for (unsigned i = 4; i < 9; i++) {
		fill(UNIT_CU, 1, i * 2 * PAGE, 0x100000000, false);
		assert_int_equal(r.l1_set, 0);
		assert_int_equal(r.l1_way, i % 4);
	}
	/* an empty way comes before the counter, which an invalidation leaves alone */
	tlb_invalidate(t, 2, 1, 7 * 2 * PAGE);
	fill(UNIT_CU, 1, 0x20 * PAGE, 0x100000000, false);
	assert_int_equal(r.l1_way, 3);
	fill(UNIT_CU, 1, 0x22 * PAGE, 0x100000000, false);
	assert_int_equal(r.l1_way, 1);
	tlb_reset(t);
	for (unsigned i = 0; i < 4; i++)
		fill(UNIT_CU, 1, i * 2 * PAGE, 0x100000000, false);
	fill(UNIT_CU, 1, 0x24 * PAGE, 0x100000000, false);
	assert_int_equal(r.l1_way, 2);
}

static void large_pages_are_kept_whole_behind_and_by_4_kib_in_front(void **state)
{
	(void)state;
	fill(UNIT_CU, 1, LARGE + 0x3456, 0x140000000, true);
	assert_int_equal(r.physical, 0x140003456);
	assert_int_equal(look(UNIT_CU, 1, LARGE + 0x3000), TLB_L1);
	assert_true(r.large);
	assert_int_equal(look(UNIT_CU, 1, LARGE + 0x4000), TLB_L2_2M);
	assert_int_equal(r.physical, 0x140004000);
	assert_int_equal(look(UNIT_CU, 1, LARGE + 0x4000), TLB_L1);
	/* where both arrays have the page, that of 4 KiB is used */
	fill(UNIT_CU, 1, LARGE + 0x5000, 0x100007000, false);
	assert_int_equal(look(UNIT_DMA, 1, LARGE + 0x5000), TLB_L2_4K);
	assert_int_equal(r.physical, 0x100007000);
}

static void invalidations_have_a_scope(void **state)
{
	(void)state;
	for (unsigned scope = 0; scope < 4; scope++) {
		tlb_invalidate(t, 0, 0, 0);
		fill(UNIT_CU, 1, LARGE + 0x3000, 0x140000000, true);
		look(UNIT_CU, 1, LARGE + 0x4000);
		fill(UNIT_DMA, 1, LARGE + 0x5000, 0x100007000, false);
		fill(UNIT_DMA, 1, 4 * LARGE, 0x100007000, false);
		fill(UNIT_DMA, 2, LARGE + 0x4000, 0x100007000, false);
		tlb_invalidate(t, scope, 1, LARGE + 0x4fff);
		/* scope 3 is taken as 0 */
		const bool other_page = scope == 2, other_space = scope == 1 || scope == 2;
		assert_int_equal(look(UNIT_DMA, 1, 4 * LARGE), other_page ? TLB_L1 : TLB_WALK);
		assert_int_equal(look(UNIT_DMA, 1, LARGE + 0x5000), other_page ? TLB_L1 : TLB_WALK);
		assert_int_equal(look(UNIT_DMA, 2, LARGE + 0x4000), other_space ? TLB_L1 : TLB_WALK);
		assert_int_equal(look(UNIT_CU, 1, LARGE + 0x4000), TLB_WALK);
		assert_int_equal(look(UNIT_CU, 1, LARGE + 0x3000), TLB_WALK); /* any address drops it all */
	}
	fill(UNIT_CU, 1, 0x5000, 0x100003000, false);
	tlb_invalidate(t, 2, 1, 1ull << 47 | 0x5000);
	assert_int_equal(look(UNIT_CU, 1, 0x5000), TLB_L1);
}

static void bad_parity_is_a_miss(void **state)
{
	(void)state;
	fill(UNIT_CU, 1, 0x5000, 0x100003000, false);
	look(UNIT_DMA, 1, 0x5000);
	tlb_inject_parity(t, 2, UNIT_CU);
	assert_int_equal(look(UNIT_DMA, 1, 0x5000), TLB_L1); /* no occasion: another unit */
	assert_int_equal(look(UNIT_CU, 1, 0x5000), TLB_L1);
	assert_int_equal(look(UNIT_CU, 1, 0x9000), TLB_WALK); /* no occasion: nothing found */
	assert_int_equal(look(UNIT_CU, 1, 0x5000), TLB_WALK);
	assert_true(r.parity);
	assert_int_equal(look(UNIT_DMA, 1, 0x5000), TLB_L1); /* those of other units stay */
	assert_int_equal(look(UNIT_MEDIA, 1, 0x5000), TLB_WALK);
	assert_int_equal(tlb_counters(t).parity, 1);
}

static void bad_parity_drops_the_entries_of_one_kind(void **state)
{
	struct tlb_key k = key(UNIT_CU, 1, 0x5000);
	(void)state;
	fill(UNIT_CU, 1, 0x5000, 0x100003000, false);
	k.protected_job = true;
	tlb_fill(t, &k, LEAF(0x100003000), false, &r);
	tlb_inject_parity(t, 1, TLB_ANY_UNIT);
	tlb_look_up(t, &k, &r);
	assert_int_equal(r.answer, TLB_WALK);
	assert_int_equal(look(UNIT_CU, 1, 0x5000), TLB_L1);
	tlb_fill(t, &k, LEAF(0x100003000), false, &r);
	tlb_inject_parity(t, 1, TLB_ANY_UNIT);
	assert_int_equal(look(UNIT_CU, 1, 0x5000), TLB_WALK);
	tlb_look_up(t, &k, &r);
	assert_int_equal(r.answer, TLB_L1); /* the other way round, too */
}

static void rights_are_those_of_a_user(void **state)
{
	const uint64_t all = PTE_V | PTE_R | PTE_W | PTE_X | PTE_U;
	(void)state;
	for (enum access a = ACCESS_READ; a <= ACCESS_ATOMIC; a++)
		assert_int_equal(tlb_rights(all, a), FAULT_NONE);
	assert_int_equal(tlb_rights(all & ~PTE_U, ACCESS_READ), FAULT_PAGE_READ);
	assert_int_equal(tlb_rights(all & ~PTE_U, ACCESS_ATOMIC), FAULT_PAGE_READ);
	assert_int_equal(tlb_rights(PTE_V | PTE_U | PTE_X, ACCESS_READ), FAULT_PAGE_READ);
	assert_int_equal(tlb_rights(PTE_V | PTE_U | PTE_R, ACCESS_WRITE), FAULT_PAGE_WRITE);
	assert_int_equal(tlb_rights(PTE_V | PTE_U | PTE_R, ACCESS_ATOMIC), FAULT_PAGE_WRITE);
	assert_int_equal(tlb_rights(PTE_V | PTE_U | PTE_R | PTE_W, ACCESS_EXEC), FAULT_PAGE_EXEC);
}

/* What is found is what was filled in last and not dropped since; a set is never larger than its ways. */
static void translations_are_never_wrong(void **state)
{
	enum { PAGES = 64, SPACES = 3 };
	uint64_t mapped[SPACES][PAGES] = { { 0 } }, random = seed;
	unsigned hits = 0;
	(void)state;
	for (unsigned step = 0; step < 100000; step++) {
		const unsigned page = (unsigned)(splitmix64(&random) % PAGES), space = (unsigned)(splitmix64(&random) % SPACES);
		const unsigned unit = splitmix64(&random) % 2 ? UNIT_CU : UNIT_DMA;
		const uint64_t address = (uint64_t)page * PAGE;
		if (splitmix64(&random) % 64 == 0) {
			mapped[space][page] = 0x100000000 + (splitmix64(&random) % 4096) * PAGE;
			tlb_invalidate(t, 2, (uint16_t)space, address);
		}
		switch (look(unit, (uint16_t)space, address)) {
		case TLB_WALK:
			fill(unit, (uint16_t)space, address, mapped[space][page], false);
			break;
		default:
			assert_int_equal(r.physical, mapped[space][page]);
			hits++;
		}
	}
	assert_in_range(hits, 1, 99999);
	assert_int_equal(tlb_counters(t).walks, 100000 - hits);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CASE(sizes_are_those_of_the_parameters),
		CASE(a_walk_fills_both),
		CASE(kinds_of_jobs_are_apart),
		CASE(addresses_beyond_are_not_looked_up),
		CASE(sets_are_hashed),
		CASE(ways_are_taken_empty_first_and_then_in_turn),
		CASE(large_pages_are_kept_whole_behind_and_by_4_kib_in_front),
		CASE(invalidations_have_a_scope),
		CASE(bad_parity_is_a_miss),
		CASE(bad_parity_drops_the_entries_of_one_kind),
		CASE(rights_are_those_of_a_user),
		CASE(translations_are_never_wrong),
	};
	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
