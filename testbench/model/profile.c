/* Profiles: which instruction the cycles of waits are charged to. That all of them are charged to one is checked
 * by the rig, with every test of the compute units (profiled.c). */
#include "testbench/model/kernel.h"
#include "model/profile/profile_data.h"

/* The counts of the n-th instruction of the first kernel, and of its place in the program's text. */
static const struct profile_counts *counts_of(const struct bench *b, unsigned n)
{
	const struct profile_kernel *k = b->r->profile->kernels;
	assert_non_null(k);
	assert_non_null(k->places);
	assert_in_range(n, 0, PAGE_OPS - 1);
	return &k->places->counts[n];
}

static uint64_t cycles(const struct profile_counts *c, unsigned first)
{
	uint64_t n = 0;
	for (unsigned w = 0; w < PROFILE_WAITS; w++)
		n += c->of[first + w];
	return n;
}

static struct bench open_profiled(const char *config, enum bus_speed speed)
{
	rig_profiled = true;
	struct bench b = bench_of(rig_create(config, speed, SIMD_AUTO, false));
	rig_profiled = false;
	return b;
}

static void finish(struct bench *b)
{
	struct profile_counts sum;
	rig_profile_sum(b->r, &sum);
}

/* A load's latency is the load's, not that of what needs its value. Another has found the page before. */
static void loads(void **state)
{
	(void)state;
	struct bench b = open_profiled("full", BUS_TIMED);
	const struct device_config *c = b.r->config;
	run_well(&b, "csrr a0, 0xcc9\n ld a1, 0(a0)\n lw t2, 1024(a1)\n add t2, t2, t2\n nop\n lw t0, 0(a1)\n addi t1, t0, 1\n" EXIT,
		 (struct rig_range){ .global = { 32 }, .local = { 32 } });
	finish(&b);
	const struct profile_counts *load = counts_of(&b, 5), *use = counts_of(&b, 6);
	assert_int_equal(load->of[PROFILE_INSNS], 1);
	assert_int_equal(load->of[PROFILE_LANES], 32);
	assert_int_equal(load->of[PROFILE_L1_MISS], 1);
	assert_int_equal(load->of[PROFILE_CU + PROFILE_ISSUE], 1);
	assert_in_range(load->of[PROFILE_CU + PROFILE_MEMORY], c->l2_latency, c->l2_latency + c->dram_latency + c->dram_row_cycles + 200);
	assert_int_equal(load->of[PROFILE_WARP + PROFILE_MEMORY], load->of[PROFILE_CU + PROFILE_MEMORY]); /* nobody else was there */
	assert_int_equal(cycles(use, PROFILE_CU), 1);
	assert_int_equal(use->of[PROFILE_L1_MISS], 0);
	rig_destroy(b.r);
}

static void arithmetic(void **state)
{
	(void)state;
	struct bench b = open_profiled("full", BUS_TIMED);
	const struct device_config *c = b.r->config;
	run_well(&b, "li t1, 3\n divw t0, t1, t1\n addw t2, t0, t0\n mulw t3, t2, t2\n j 1f\n nop\n 1: addw t4, t3, t3\n" EXIT,
		 (struct rig_range){ .global = { 1 }, .local = { 1 } });
	finish(&b);
	assert_int_equal(counts_of(&b, 0)->of[PROFILE_CU + PROFILE_MATH], c->alu_latency - 1);
	assert_int_equal(counts_of(&b, 1)->of[PROFILE_CU + PROFILE_MATH], c->div_latency - 1);
	assert_int_equal(counts_of(&b, 2)->of[PROFILE_CU + PROFILE_MATH], c->alu_latency - 1);
	/* the jump hides some of the multiplication */
	uint64_t mul = counts_of(&b, 3)->of[PROFILE_CU + PROFILE_MATH], jump = counts_of(&b, 4)->of[PROFILE_CU + PROFILE_BRANCH];
	assert_int_equal(mul + jump, c->mul_latency - 2);
	assert_int_equal(counts_of(&b, 5)->of[PROFILE_INSNS], 0);
	assert_int_equal(counts_of(&b, 6)->of[PROFILE_INSNS], 1);
	rig_destroy(b.r);
}

/* One of two warps comes late: the other waits at the barrier, and all the while the unit divides. */
static void barriers(void **state)
{
	(void)state;
	struct bench b = open_profiled("full", BUS_TIMED);
	run_well(&b, "csrr t0, 0xccb\n beqz t0, 1f\n li t1, 7\n .rept 20\n divw t1, t1, t1\n .endr\n 1:\n" BARRIER EXIT,
		 (struct rig_range){ .global = { 64 }, .local = { 64 } });
	finish(&b);
	const struct profile_counts *barrier = counts_of(&b, 23), *divide = counts_of(&b, 10);
	assert_int_equal(barrier->of[PROFILE_INSNS], 2);
	assert_in_range(barrier->of[PROFILE_WARP + PROFILE_BARRIER], 18 * b.r->config->div_latency, 24 * b.r->config->div_latency);
	assert_in_range(barrier->of[PROFILE_CU + PROFILE_BARRIER], 0, 20);
	assert_int_equal(divide->of[PROFILE_CU + PROFILE_MATH], b.r->config->div_latency - 1);
	rig_destroy(b.r);
}

/* Sixteen warps that could all issue always: a unit has one slot a cycle. */
static void slots(void **state)
{
	(void)state;
	struct bench b = open_profiled("full", BUS_TIMED);
	run_well(&b, ".rept 100\n nop\n .endr\n" EXIT, (struct rig_range){ .global = { 512 }, .local = { 512 } });
	finish(&b);
	struct profile_counts sum;
	rig_profile_sum(b.r, &sum);
	assert_int_equal(sum.of[PROFILE_INSNS], 16 * 101);
	assert_int_equal(sum.of[PROFILE_CU + PROFILE_ISSUE], 16 * 101);
	assert_in_range(sum.of[PROFILE_WARP + PROFILE_SLOT], 16 * 101 * 4, 16 * 101 * 16);
	assert_int_equal(sum.of[PROFILE_CU + PROFILE_SLOT], 0);
	rig_destroy(b.r);
}

/* Local memory with every lane in one bank. */
static void conflicts(void **state)
{
	(void)state;
	struct bench b = open_profiled("full", BUS_TIMED);
	run_well(&b, "csrr t0, 0xcc0\n slli t0, t0, 7\n li a2, 0x5\n slli a2, a2, 44\n add a2, a2, t0\n lw t1, 0(a2)\n addw t2, t1, t1\n" EXIT,
		 (struct rig_range){ .global = { 32 }, .local = { 32 }, .local_bytes = 4096 });
	finish(&b);
	const struct profile_counts *load = counts_of(&b, 5);
	assert_int_equal(load->of[PROFILE_LDS_CONFLICTS], 31);
	assert_int_equal(load->of[PROFILE_CU + PROFILE_LOCAL], b.r->config->lds_latency + 31 - 1);
	assert_int_equal(load->of[PROFILE_CU + PROFILE_MEMORY], 0);
	rig_destroy(b.r);
}

/* Two kernels that share a function, and one that runs twice: each has its own counts. */
static void kernels(void **state)
{
	(void)state;
	for (int timed = 0; timed < 2; timed++) {
		struct bench b = open_profiled("mini", timed ? BUS_TIMED : BUS_FUNCTIONAL);
		uint64_t at = rig_load_text(b.r, "call both\n call both\n" EXIT ".balign 64\n call both\n" EXIT ".balign 128\n both: nop\n ret\n");
		const struct rig_range range = { .global = { 4 }, .local = { 4 } };
		assert_false(rig_run(b.r, at, &range)->faulted);
		assert_false(rig_run(b.r, at + 64, &range)->faulted);
		assert_false(rig_run(b.r, at, &range)->faulted);
		finish(&b);
		const struct profile_kernel *first = b.r->profile->kernels, *second = first->next;
		assert_null(second->next);
		assert_int_equal(first->entry, at);
		assert_int_equal(first->launches, 2);
		assert_int_equal(second->entry, at + 64);
		assert_int_equal(second->launches, 1);
		assert_int_equal(first->places->counts[128 / 4].of[PROFILE_INSNS], 4);
		assert_int_equal(second->places->counts[128 / 4].of[PROFILE_INSNS], 1);
		rig_destroy(b.r);
	}
}

/* Code that is replaced by other code at the same address is other code. */
static void replaced_code(void **state)
{
	(void)state;
	struct bench b = open_profiled("mini", BUS_TIMED);
	size_t n;
	uint32_t *other = rig_assemble("nop\n nop\n" EXIT, &n);
	uint64_t pa = rig_dram(b.r, 4096), va = 0x3000000000;
	rig_map(b.r, va, pa, 4096, PTE_R | PTE_X);
	const struct rig_range range = { .global = { 4 }, .local = { 4 } };
	((uint32_t *)rig_host(b.r, pa))[0] = other[n - 1];
	assert_false(rig_run(b.r, va, &range)->faulted);
	memcpy(rig_host(b.r, pa), other, n * 4);
	compute_flush_code(b.r->compute, b.r->now);
	assert_false(rig_run(b.r, va, &range)->faulted);
	free(other);
	finish(&b);
	const struct profile_kernel *first = b.r->profile->kernels, *second = first->next;
	assert_non_null(second);
	assert_int_equal(first->entry, second->entry);
	assert_int_equal(first->places->counts[0].of[PROFILE_INSNS], 1);
	assert_int_equal(first->places->counts[2].of[PROFILE_INSNS], 0);
	assert_int_equal(second->places->counts[2].of[PROFILE_INSNS], 1);
	rig_destroy(b.r);
}

/* A launch that faults is one that failed; the instruction that did is not counted. */
static void faults(void **state)
{
	(void)state;
	struct bench b = open_profiled("mini", BUS_TIMED);
	assert_true(run(&b, "li t0, 64\n lw t1, 0(t0)\n" EXIT, (struct rig_range){ .global = { 4 }, .local = { 4 } })->faulted);
	const struct rig_range range = { .global = { 4 }, .local = { 4 } };
	assert_true(rig_run(b.r, 0x5000000000, &range)->faulted); /* nothing there to fetch */
	finish(&b);
	const struct profile_kernel *k = b.r->profile->kernels;
	assert_int_equal(k->launches, 1);
	assert_int_equal(k->failed, 1);
	assert_int_equal(counts_of(&b, 1)->of[PROFILE_INSNS], 0);
	assert_non_null(k->next);
	assert_null(k->next->code);
	assert_int_equal(k->next->failed, 1);
	rig_destroy(b.r);
}

/* Of a protected job nothing is kept but sums: not its code, not where it stands, not which of its instructions ran. */
static void protected_jobs(void **state)
{
	(void)state;
	for (int timed = 0; timed < 2; timed++) {
		struct bench b = open_profiled("mini", timed ? BUS_TIMED : BUS_FUNCTIONAL);
		struct rig_range range = { .global = { 4 }, .local = { 4 }, .kernarg = arg_va };
		uint64_t at = rig_load_text(b.r, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n lw t0, 0(a1)\n 1: addi t0, t0, -1\n bgtz t0, 1b\n" EXIT);
		assert_false(rig_run(b.r, at, &range)->faulted);
		range.space = RIG_ASID | SPACE_PROTECTED;
		assert_false(rig_run(b.r, at, &range)->faulted);
		finish(&b);
		const struct profile_kernel *open = b.r->profile->kernels, *secret = open->next;
		assert_non_null(open->code);
		assert_false(open->protected_job);
		assert_non_null(open->places);
		assert_true(secret->protected_job);
		assert_null(secret->next);
		assert_null(secret->code);
		assert_null(secret->places);
		assert_int_equal(secret->entry, 0);
		assert_int_equal(secret->launches, 1);
		assert_int_equal(secret->sum.of[PROFILE_INSNS], 12);
		assert_ptr_equal(open->code, b.r->profile->codes);
		assert_null(b.r->profile->codes->next); /* the other page is nowhere that others could read it */
		assert_non_null(b.r->profile->protected_codes);
		rig_destroy(b.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads),	 cmocka_unit_test(arithmetic),	  cmocka_unit_test(barriers),
		cmocka_unit_test(slots),	 cmocka_unit_test(conflicts),	  cmocka_unit_test(kernels),
		cmocka_unit_test(replaced_code), cmocka_unit_test(faults),	  cmocka_unit_test(protected_jobs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
