/* Code that changes while a unit may hold it: stored by the kernel that runs it, another page behind its address, and lines of system
 * memory that a device that is not coherent holds. */
#include "model/mem/cache.h"
#include "testbench/model/kernel.h"

static const uint64_t code_va = 0x2200000000, other_va = 0x2300000000;

#define LOAD_1 0x00100313u /* li t1, 1 */
#define LOAD_2 0x00200313u

/* At code_va: loads a number, which the caller has, and stores it in out. */
static const char number[] = "li t1, 1\n csrr a0, 0xcc9\n ld a1, 0(a0)\n sw t1, 0(a1)\n" EXIT;

static uint32_t *code_page(struct bench *b, uint64_t pa, const char *text)
{
	size_t n;
	uint32_t *words = rig_assemble(text, &n), *page = rig_host(b->r, pa);

	memcpy(page, words, n * 4);
	free(words);
	return page;
}

static uint32_t run_number(struct bench *b)
{
	struct rig_range range = { .global = { 1 }, .local = { 1 }, .kernarg = arg_va };

	b->out[0] = 0;
	assert_false(rig_run(b->r, code_va, &range)->faulted);
	return b->out[0];
}

/* What TLB_INV does. */
static void invalidate(struct bench *b)
{
	mmu_invalidate(b->r->mmu, MMU_ALL, 0, 0);
	compute_flush_code(b->r->compute, b->r->now);
}

/* The kernel stores another instruction over one that it executes again: it is the old one or the new one, and after an
 * invalidation the new one. */
static void code_that_stores_over_itself(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		uint64_t pa = rig_dram(b.r, 4096);
		struct rig_range range = { .global = { 1 }, .local = { 1 }, .kernarg = arg_va };
		uint32_t *page;

		rig_map(b.r, code_va, pa, 4096, PTE_R | PTE_W | PTE_X);
		/* a3: the instruction's address, a4: the other instruction, s11: the round */
		page = code_page(&b, pa, "csrr a0, 0xcc9\n ld a1, 0(a0)\n ld a3, 8(a0)\n ld a4, 16(a0)\n li s11, 2\n nop\n nop\n nop\n"
					 "1: li t1, 1\n sw t1, 0(a1)\n addi a1, a1, 4\n sw a4, 0(a3)\n fence\n addi s11, s11, -1\n bnez s11, 1b\n" EXIT);
		assert_int_equal(page[8], LOAD_1);
		b.arg[1] = code_va + 4 * 8;
		b.arg[2] = LOAD_2;
		assert_false(rig_run(b.r, code_va, &range)->faulted);
		assert_int_equal(b.out[0], 1);
		assert_in_range(b.out[1], 1, 2);
		assert_int_equal(page[8], LOAD_2);
		invalidate(&b);
		assert_false(rig_run(b.r, code_va, &range)->faulted);
		assert_int_equal(b.out[0], 2);
		rig_destroy(b.r);
	}
}

/* Another page behind the address: instructions of one of them until it is invalidated, then of the new one. */
static void another_page(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		uint64_t pa[2] = { rig_dram(b.r, 4096), rig_dram(b.r, 4096) };

		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(code_page(&b, pa[i], number)[0], LOAD_1);
		((uint32_t *)rig_host(b.r, pa[1]))[0] = LOAD_2;
		rig_map(b.r, code_va, pa[0], 4096, PTE_R | PTE_X);
		assert_int_equal(run_number(&b), 1);
		rig_map(b.r, code_va, pa[1], 4096, PTE_R | PTE_X);
		assert_in_range(run_number(&b), 1, 2);
		invalidate(&b);
		assert_int_equal(run_number(&b), 2);
		rig_destroy(b.r);
	}
}

/* In a device that is not coherent a line that a kernel has written is executed when it has been cleaned. */
static void code_in_held_lines(void **state)
{
	static const struct { const char *config; enum bus_speed speed; } devices[] = {
		{ "full,coherent=0", BUS_FUNCTIONAL }, { "full,coherent=0", BUS_TIMED }, { "mini,coherent=0", BUS_FUNCTIONAL }, { "mini,coherent=0", BUS_TIMED },
	};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct bench b = bench_of(rig_create(devices[i].config, devices[i].speed, SIMD_AUTO, false));
		uint64_t pa = SYSTEM_BASE + 5 * 4096;
		uint32_t *page = code_page(&b, pa, number);

		rig_map(b.r, code_va, pa, 4096, PTE_R | PTE_X);
		rig_map(b.r, other_va, pa, 4096, PTE_R | PTE_W);
		assert_int_equal(run_number(&b), 1);
		b.arg[1] = other_va;
		b.arg[2] = LOAD_2;
		run_well(&b, "csrr a0, 0xcc9\n ld a1, 8(a0)\n ld a2, 16(a0)\n sw a2, 0(a1)\n" EXIT, (struct rig_range){ .global = { 1 }, .local = { 1 } });
		assert_int_equal(page[0], LOAD_1); /* memory does not have it yet */
		invalidate(&b);
		assert_int_equal(run_number(&b), 1);
		assert_int_equal(cache_maintain(b.r->cache, pa, 4096, CACHE_CLEAN, b.r->now), FAULT_NONE);
		assert_int_equal(page[0], LOAD_2);
		invalidate(&b);
		assert_int_equal(run_number(&b), 2);
		rig_destroy(b.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_that_stores_over_itself),
		cmocka_unit_test(another_page),
		cmocka_unit_test(code_in_held_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
