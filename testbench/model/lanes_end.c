/* How dispatches end before their time: which fault of several is reported and in which cycle, what other units do then, which lane
 * an abort names; and for how long a unit is busy. */
#include "testbench/model/kernel.h"

static struct bench open_timed(const char *config) { return bench_of(rig_create(config, BUS_TIMED, SIMD_AUTO, false)); }

static const struct rig_range four = { .global = { 4 }, .local = { 4 } };

/* Odd lanes have jumped to where nothing is mapped: a fault when they come to run, and no sooner. */
static void targets_that_are_not_there(void **state)
{
	static const char part[] = "csrr t0, 0xcca\n andi t1, t0, 1\n li t3, 7\n slli t3, t3, 40\n beqz t1, 1f\n jr t3\n 1: nop\n nop\n";
	static const struct { const char *rest; enum fault fault; unsigned lane; } cases[] = {
		{ "ebreak\n", FAULT_EBREAK, 0 },
		{ "li t4, 2\n bne t0, t4, 2f\n lw t5, 0(x0)\n 2: nop\n" EXIT, FAULT_PAGE_NOT_PRESENT, 0 }, /* a load of lane 2, below */
		{ EXIT, FAULT_PAGE_NOT_PRESENT, 1 },
	};

	(void)state;
	FOR_SETUPS for (unsigned i = 0; i < 3; i++) {
		struct bench b = open_bench(setup);
		char text[512];

		snprintf(text, sizeof(text), "%s%s", part, cases[i].rest);
		const struct rig_end *e = run(&b, text, four);
		assert_true(e->faulted);
		assert_int_equal(e->fault.code, cases[i].fault);
		if (i == 1) {
			assert_int_equal(e->fault.access, ACCESS_READ);
			assert_int_equal(e->fault.local_id[0], 2);
		} else {
			assert_int_equal(e->fault.access, ACCESS_EXEC);
			assert_int_equal(e->fault.local_id[0], cases[i].lane);
		}
		if (i == 2) {
			assert_int_equal(e->fault.address, 7ull << 40);
			assert_int_equal(e->fault.pc, 7ull << 40);
		}
		rig_destroy(b.r);
	}
}

/* The cycle after the issue of the instruction, whatever it is. */
static void cycle_of_a_fault(void **state)
{
	static const char *const ends[] = { "sd t0, 0(a1)\n" EXIT, "ebreak\n", "lw t1, 0(x0)\n", "sw t1, 0(x0)\n", ".word 0\n", "amoadd.w t1, t1, (x0)\n" };
	uint64_t issue = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		struct bench b = open_timed("mini");
		char text[512];

		snprintf(text, sizeof(text), "csrr a0, 0xcc9\n ld a1, 0(a0)\n sd x0, 8(a1)\n li t1, 200\n 1: addi t1, t1, -1\n bnez t1, 1b\n csrr t0, cycle\n %s", ends[i]);
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { 1 }, .local = { 1 } });
		assert_int_equal(e->faulted, i > 0);
		if (!i) /* what the instruction in front of it reads is the cycle of its issue */
			issue = ((uint64_t *)b.out)[0] - e->start;
		else
			assert_int_equal(e->end - e->start, issue + 1);
		rig_destroy(b.r);
	}
}

/* Four units with a fault each: the first one in time, of equal ones that of the unit with the lowest number. */
static void first_of_several_units(void **state)
{
	/* a1: cycles by unit */
	static const struct { const char *wait; unsigned unit; } cases[] = {
		{ "li t2, 3\n sub t1, t2, t1\n", 3 }, { "", 0 }, { "li t1, 0\n", 0 }, { "xori t1, t1, 2\n", 2 }, { "snez t1, t1\n xori t1, t1, 1\n", 1 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b = open_timed("full");
		char text[512];

		snprintf(text, sizeof(text), "csrr t1, 0xccd\n %s slli t1, t1, 6\n addi t1, t1, 64\n 1: addi t1, t1, -1\n bnez t1, 1b\n ebreak\n", cases[i].wait);
		const struct rig_end *e = run(&b, text, (struct rig_range){ .global = { 4 }, .local = { 1 } });
		assert_true(e->faulted);
		assert_int_equal(e->fault.code, FAULT_EBREAK);
		assert_int_equal(e->fault.unit, UNIT_CU + cases[i].unit);
		assert_int_equal(e->fault.group_id[0], cases[i].unit); /* one each, in order */
		rig_destroy(b.r);
	}
}

/* The others stop: nothing is written, and no work-group begins, once the dispatch has ended. */
static void others_stop(void **state)
{
	(void)state;
	for (unsigned speed = 0; speed < 2; speed++) {
		struct bench b = open_bench(speed); /* full */
		static uint32_t before[OUT_BYTES / 4];
		/* unit 2 faults after a while; lanes of the others count for ever, each at a place of its own */
		const struct rig_end *e = run(&b, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n csrr t1, 0xccd\n li t2, 2\n beq t1, t2, 2f\n 1: addi t3, t3, 1\n sw t3, 0(a1)\n j 1b\n"
						  "2: li t4, 500\n 3: addi t4, t4, -1\n bnez t4, 3b\n ebreak\n",
					     (struct rig_range){ .global = { 32 * 1000 }, .local = { 32 } });
		uint64_t groups = compute_counters(b.r->compute)->work_groups, sum = 0;

		assert_true(e->faulted);
		assert_int_equal(e->fault.unit, UNIT_CU + 2);
		memcpy(before, b.out, OUT_BYTES);
		assert_int_equal(compute_next(b.r->compute), UINT64_MAX);
		compute_tick(b.r->compute, b.r->now + 100000);
		assert_memory_equal(b.out, before, OUT_BYTES);
		assert_int_equal(compute_counters(b.r->compute)->work_groups, groups);
		assert_true(groups < 1000);
		for (unsigned k = 0; k < OUT_BYTES / 4; k++)
			sum += before[k];
		assert_true(sum > 0); /* what was written stays */
		rig_destroy(b.r);
	}
}

/* The lowest lane of the running split of the first warp slot that has one. */
static void abort_names_a_lane(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		unsigned lanes = b.r->config->lanes;
		/* warp 0 waits at a barrier, of warp 1 lanes 0 and 1 have ended, lanes 2 and up spin at one instruction; warp 2 spins, too */
		uint64_t entry = rig_load_text(b.r, "csrr t1, 0xccb\n csrr t0, 0xcca\n bnez t1, 1f\n" BARRIER EXIT ".balign 64\n 1: li t2, 1\n bgt t0, t2, 2f\n" EXIT
						    ".balign 64\n 2: j 2b\n");
		struct rig_range range = { .global = { 9 * lanes }, .local = { (uint16_t)(3 * lanes) }, .kernarg = arg_va, .units = 1 };

		assert_int_equal(rig_start(b.r, 4, entry, &range), FAULT_NONE);
		assert_false(rig_finish(b.r, 3000));
		compute_abort(b.r->compute, &(struct compute_abort){ 4 }, b.r->now);
		const struct compute_fault *f = &b.r->ends[4].fault;
		assert_int_equal(f->code, FAULT_ABORTED);
		assert_int_equal(f->unit, UNIT_CU);
		assert_int_equal(f->access, ACCESS_EXEC);
		assert_int_equal(f->address, 0);
		assert_int_equal(f->pc, entry + 128);
		assert_int_equal(f->local_id[0], lanes + 2);
		assert_int_equal(f->group_id[0], 0);
		rig_destroy(b.r);
	}
}

static void expect_nobody(const struct rig_end *e)
{
	assert_true(e->ended);
	assert_int_equal(e->fault.code, FAULT_ABORTED);
	assert_int_equal(e->fault.unit, UNIT_CU);
	assert_int_equal(e->fault.access, ACCESS_READ);
	assert_int_equal(e->fault.address, 0);
	assert_int_equal(e->fault.pc, 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(e->fault.group_id[i], 0);
		assert_int_equal(e->fault.local_id[i], 0);
	}
}

/* No lane runs: all wait for a replay; or the last warp hangs. */
static void abort_of_lanes_that_do_not_run(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_bench(setup);
		struct rig_range range = { .global = { 48 }, .local = { 16 }, .kernarg = arg_va, .replay = true };

		assert_int_equal(rig_start(b.r, 3, rig_load_text(b.r, "li t1, 7\n slli t1, t1, 36\n lw t2, 0(t1)\n" EXIT), &range), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 16));
		assert_false(b.r->ends[3].ended);
		assert_int_equal(b.r->ends[3].stalls, 1);
		compute_abort(b.r->compute, &(struct compute_abort){ 3 }, b.r->now);
		expect_nobody(&b.r->ends[3]);
		inject_arm(&b.r->inject, INJECT_KERNEL_HANG, 1, INJECT_ANY_UNIT, 0, 0);
		range.replay = false;
		assert_int_equal(rig_start(b.r, 3, rig_load_text(b.r, BARRIER EXIT), &range), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 16));
		compute_abort(b.r->compute, &(struct compute_abort){ 3 }, b.r->now);
		expect_nobody(&b.r->ends[3]);
		rig_destroy(b.r);
	}
}

static uint64_t busy(struct bench *b) { return compute_counters(b->r->compute)->busy_cycles; }

/* A unit is busy while it holds a warp that can go on, or has a work-group to begin. */
static void busy_cycles(void **state)
{
	struct bench b = open_timed("mini");
	uint64_t before, replayed;
	const struct rig_end *e;

	(void)state;
	for (unsigned groups = 1; groups <= 9; groups += 4) {
		before = busy(&b);
		e = run(&b, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n lw t1, 0(a1)\n div t1, t1, t1\n sw t1, 0(a1)\n" BARRIER EXIT,
			(struct rig_range){ .global = { 16 * groups }, .local = { 16 } });
		assert_false(e->faulted);
		assert_int_equal(busy(&b) - before, e->end - e->start);
		b.r->now += 1000; /* idle */
		assert_int_equal(busy(&b) - before, e->end - e->start);
	}
	/* while it waits for a replay it is not */
	struct rig_range range = { .global = { 4 }, .local = { 4 }, .kernarg = arg_va, .replay = true };
	uint64_t entry = rig_load_text(b.r, "li t1, 200\n 1: addi t1, t1, -1\n bnez t1, 1b\n li t1, 7\n slli t1, t1, 36\n lw t2, 0(t1)\n" EXIT);
	before = busy(&b);
	uint64_t from = b.r->now;
	assert_int_equal(rig_start(b.r, 0, entry, &range), FAULT_NONE);
	assert_true(rig_finish(b.r, 1 << 20));
	assert_int_equal(b.r->ends[0].stalls, 1);
	assert_in_range(busy(&b) - before, b.r->ends[0].stalled - from, b.r->ends[0].stalled - from + 1);
	replayed = busy(&b);
	rig_buffer(b.r, 7ull << 36, 4096);
	b.r->now += 100000;
	from = b.r->now;
	compute_replay(b.r->compute, &(struct compute_replay){ 0 }, from);
	assert_true(rig_finish(b.r, 1 << 20));
	assert_true(b.r->ends[0].ended);
	assert_int_equal(busy(&b) - replayed, b.r->ends[0].end - from);
	rig_destroy(b.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(targets_that_are_not_there), cmocka_unit_test(cycle_of_a_fault),
		cmocka_unit_test(first_of_several_units),     cmocka_unit_test(others_stop),
		cmocka_unit_test(abort_names_a_lane),	      cmocka_unit_test(abort_of_lanes_that_do_not_run),
		cmocka_unit_test(busy_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
