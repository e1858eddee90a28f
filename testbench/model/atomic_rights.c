/* What an atomic needs of its page, by the tables and by the pin; what happens at the second page of a store, and in front of a lane
 * that fails; and how atomics meet injected faults. */
#include "testbench/model/kernel.h"

static const uint64_t system_va = 0x2200000000, read_va = 0x2300000000;
enum { SYSTEM_PAGE = 3 };

/* a1: out, a3: the page in question, t0: the lane */
#define START "csrr a0, 0xcc9\n ld a1, 0(a0)\n ld a3, 8(a0)\n csrr t0, 0xcca\n"

static const struct { const char *op; bool stores; } atomics[] = {
	{ "lr.w t1, (a3)\n", false },
	{ "lr.d t1, (a3)\n", false },
	{ "li t1, 1\n sc.w t2, t1, (a3)\n", false }, /* without a reservation */
	{ "li t1, 99\n amocas.w t1, t0, (a3)\n", false }, /* memory holds 5 */
	{ "li t1, 5\n li t2, 6\n amocas.w t1, t2, (a3)\n", true },
	{ "li t1, 1\n amoadd.w t2, t1, (a3)\n", true },
};
enum { ATOMICS = sizeof(atomics) / sizeof(*atomics) };

/* Of the atomics `lr` alone is a read for the tables, whether the others store or not. */
static void rights_of_the_page(void **state)
{
	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < ATOMICS; i++) {
		struct bench b = open_bench(setup);
		char text[256];
		uint64_t pa = rig_dram(b.r, 4096);

		*(uint32_t *)rig_host(b.r, pa) = 5;
		rig_map(b.r, read_va, pa, 4096, PTE_R);
		b.arg[1] = read_va;
		snprintf(text, sizeof(text), START "%s" EXIT, atomics[i].op);
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { 1 }, .local = { 1 } });
		assert_int_equal(e->faulted, i > 1);
		if (e->faulted) {
			assert_int_equal(e->fault.code, FAULT_PAGE_WRITE);
			assert_int_equal(e->fault.access, ACCESS_ATOMIC);
		}
		assert_int_equal(*(uint32_t *)rig_host(b.r, pa), 5);
		rig_destroy(b.r);
	}
}

/* What a pin for reading is enough for: all that stores nothing. */
static void pins(void **state)
{
	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < ATOMICS; i++) for (unsigned pin = RIG_UNPINNED; pin <= RIG_PINNED; pin++) {
		struct bench b = open_bench(setup);
		uint32_t *word = (uint32_t *)(void *)(b.r->system + SYSTEM_PAGE * 4096);
		char text[256];

		*word = 5;
		rig_map(b.r, system_va, SYSTEM_BASE + SYSTEM_PAGE * 4096, 4096, PTE_R | PTE_W);
		rig_pin(b.r, SYSTEM_PAGE, (enum rig_pin)pin);
		b.arg[1] = system_va;
		snprintf(text, sizeof(text), START "%s" EXIT, atomics[i].op);
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { 1 }, .local = { 1 } });
		bool fails = pin == RIG_UNPINNED || (pin == RIG_READ_ONLY && atomics[i].stores);
		assert_int_equal(e->faulted, fails);
		if (e->faulted)
			assert_int_equal(e->fault.code, FAULT_BUS_ERROR);
		assert_int_equal(*word, fails || !atomics[i].stores ? 5 : 6);
		rig_destroy(b.r);
	}
}

/* The read and the store of an atomic in system memory are an occasion each. */
static void bus_errors(void **state)
{
	(void)state;
	FOR_SETUPS for (unsigned nth = 1; nth <= 3; nth++) {
		struct bench b = open_bench(setup);
		uint32_t *word = (uint32_t *)(void *)(b.r->system + SYSTEM_PAGE * 4096);

		*word = 5;
		rig_map(b.r, system_va, SYSTEM_BASE + SYSTEM_PAGE * 4096, 4096, PTE_R | PTE_W);
		b.arg[1] = system_va;
		inject_arm(&b.r->inject, INJECT_BUS_ERROR, nth, UNIT_CU, 0, 0);
		mmu_refresh(b.r->mmu);
		const struct rig_end *e = run(&b, START "li t1, 1\n amoadd.w t2, t1, (a3)\n" EXIT, (struct rig_range){ .global = { 1 }, .local = { 1 } });
		assert_int_equal(e->faulted, nth <= 2);
		assert_int_equal(b.r->inject.happened, nth <= 2);
		assert_int_equal(*word, nth <= 2 ? 5 : 6);
		rig_destroy(b.r);
	}
}

/* A store over the edge of two pages, of which the upper one is no longer pinned: the lower one has its bytes. */
static void stores_over_the_edge(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		uint8_t *edge = b.r->system + (SYSTEM_PAGE + 1) * 4096;

		memset(edge - 8, 0, 16);
		rig_map(b.r, system_va, SYSTEM_BASE + SYSTEM_PAGE * 4096, 8192, PTE_R | PTE_W);
		rig_pin(b.r, SYSTEM_PAGE + 1, RIG_UNPINNED);
		b.arg[1] = system_va + 4096 - 3;
		const struct rig_end *e = run(&b, START "li t1, -1\n sd t1, 0(a3)\n" EXIT, (struct rig_range){ .global = { 1 }, .local = { 1 } });
		assert_true(e->faulted);
		assert_int_equal(e->fault.code, FAULT_BUS_ERROR);
		assert_int_equal(e->fault.access, ACCESS_WRITE);
		assert_int_equal(e->fault.address, system_va + 4096);
		for (int i = -8; i < 8; i++)
			assert_int_equal(edge[i], i >= -3 && i < 0 ? 0xff : 0);
		rig_destroy(b.r);
	}
}

/* The look for pages of a dispatch that may be replayed passes over what is no page fault: a page fault of a lane above is reported
 * first, and with the page there the lane that leaves local memory ends the dispatch, with what stands below it done. */
static void other_faults_wait_for_their_turn(void **state)
{
	/* lane 0: out, lane 1: beyond local memory, lane 2: a page that is missing, lane 3: out */
	static const char text[] = START "li a2, 5\n slli a2, a2, 44\n addi a2, a2, 64\n sh2add a4, t0, a1\n li t1, 1\n bne t0, t1, 1f\n mv a4, a2\n"
				   "1: li t1, 2\n bne t0, t1, 2f\n mv a4, a3\n 2: li t2, -1\n" SG_SYNC;
	static const char *const ops[] = { "sw t2, 0(a4)\n" EXIT, "amoswap.w t3, t2, (a4)\n" EXIT };

	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < 2; i++) {
		struct bench b = open_bench(setup);
		struct rig_range range = { .global = { 4 }, .local = { 4 }, .local_bytes = 64, .kernarg = arg_va, .replay = true };
		char program[1024];

		b.arg[1] = read_va;
		snprintf(program, sizeof(program), "%s%s", text, ops[i]);
		assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, program), &range), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 20));
		assert_false(b.r->ends[0].ended);
		assert_int_equal(b.r->ends[0].stalls, 1);
		assert_int_equal(b.r->ends[0].stall.code, FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(b.r->ends[0].stall.address, read_va);
		assert_int_equal(b.r->ends[0].stall.local_id[0], 2);
		assert_int_equal(b.out[0], 0);
		uint32_t *page = rig_buffer(b.r, read_va, 4096);
		compute_replay(b.r->compute, &(struct compute_replay){ 0 }, b.r->now);
		assert_true(rig_finish(b.r, 1 << 20));
		assert_true(b.r->ends[0].ended);
		assert_int_equal(b.r->ends[0].fault.code, FAULT_LOCAL_RANGE);
		assert_int_equal(b.r->ends[0].fault.local_id[0], 1);
		assert_int_equal(b.out[0], UINT32_MAX);
		assert_int_equal(page[0], 0);
		assert_int_equal(b.out[3], 0);
		rig_destroy(b.r);
	}
}

/* A reservation of 4 bytes and a store-conditional of 8, and the other way round: what is read, sign-extended, is compared. */
static void reservations_of_another_size(void **state)
{
	static const struct { const char *lr, *sc; uint64_t memory; bool stores; } cases[] = {
		{ "lr.w", "sc.d", 7, true },
		{ "lr.w", "sc.d", 1ull << 40 | 7, false },
		{ "lr.w", "sc.d", 0xfffffffffffffff9, true }, /* the reserved value is sign-extended */
		{ "lr.w", "sc.d", 0x00000000fffffff9, false },
		{ "lr.d", "sc.w", 7, true },
		{ "lr.d", "sc.w", 1ull << 40 | 7, false },
		{ "lr.d", "sc.w", 0xfffffffffffffff9, true },
		{ "lr.d", "sc.w", 0x00000000fffffff9, false },
	};

	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b = open_bench(setup);
		char text[512];

		((uint64_t *)b.out)[0] = cases[i].memory;
		snprintf(text, sizeof(text), "csrr a0, 0xcc9\n ld a1, 0(a0)\n %s t1, (a1)\n li t2, 3\n %s t3, t2, (a1)\n sd t3, 8(a1)\n" EXIT, cases[i].lr, cases[i].sc);
		run_well(&b, text, (struct rig_range){ .global = { 1 }, .local = { 1 } });
		assert_int_equal(((uint64_t *)b.out)[1], !cases[i].stores);
		if (cases[i].stores)
			assert_int_equal(b.out[0], 3);
		else
			assert_int_equal(((uint64_t *)b.out)[0], cases[i].memory);
		rig_destroy(b.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rights_of_the_page),		   cmocka_unit_test(pins),
		cmocka_unit_test(bus_errors),			   cmocka_unit_test(stores_over_the_edge),
		cmocka_unit_test(other_faults_wait_for_their_turn), cmocka_unit_test(reservations_of_another_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
