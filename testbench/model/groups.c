/* Which unit begins which work-groups when, where their warps and their local memory are, and when these are free again. */
#include "testbench/model/seen.h"

#define SPIN(n) "li t5, " #n "\n 9: addi t5, t5, -1\n bnez t5, 9b\n"

/* The first share of each unit: consecutive numbers, unit by unit, and what comes behind them is of a later one. */
static void shares(void **state)
{
	static const struct { uint32_t groups, local_bytes, warps, units, share; } cases[] = {
		{ 400, 0, 1, 4, 50 },     /* left / (2 * u) */
		{ 20, 0, 1, 4, 5 },       /* ceil(left / u), as the capacity is 16 */
		{ 100, 0, 1, 4, 16 },     /* the capacity */
		{ 100, 0, 3, 4, 12 },     /* of 5 is less than left / (2 * u) */
		{ 40, 0, 3, 4, 5 },       /* and is more */
		{ 20, 16384, 1, 4, 4 },   /* of local memory */
		{ 60, 6553, 1, 4, 9 },    /* the same, rounded up to 6592 */
		{ 100, 0, 1, 2, 25 },     /* of two units */
		{ 3, 0, 1, 4, 1 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct bench b = open_seen("full");
		uint32_t items = 32 * cases[i].warps;
		unsigned next[4] = { 0 };

		run_well(&b, SPIN(50) EXIT, (struct rig_range){ .global = { items * cases[i].groups }, .local = { (uint16_t)items },
								 .local_bytes = cases[i].local_bytes, .units = (1u << cases[i].units) - 1 });
		unsigned at = 0, units = cases[i].units, n = 0;
		for (const struct event *e; (e = event_log_next(&seen, &at, EVENT_GROUP, 0xffff)); n++) {
			unsigned unit = e->unit - UNIT_CU, k = next[unit]++;

			assert_in_range(unit, 0, units - 1);
			if (k < cases[i].share && unit * cases[i].share + k < cases[i].groups)
				assert_int_equal(e->a, unit * cases[i].share + k);
			else
				assert_true(e->a >= units * cases[i].share);
		}
		assert_int_equal(n, cases[i].groups);
		close_seen(&b);
	}
}

/* Work-groups of two slots that each fill the unit: one of each in turn. */
static void turns(void **state)
{
	struct bench b = open_seen("mini");
	struct rig_range range = { .global = { 48 }, .local = { 16 }, .kernarg = arg_va };
	uint64_t entry = rig_load_text(b.r, SPIN(20) EXIT);
	static const unsigned slots[] = { 5, 3, 11 };
	unsigned at = 0, n = 0;
	uint64_t order[9];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(rig_start(b.r, slots[i], entry, &range), FAULT_NONE);
	assert_true(rig_finish(b.r, 1 << 20));
	for (const struct event *e; (e = event_log_next(&seen, &at, EVENT_GROUP, 0xffff)); n++) {
		assert_in_range(n, 0, 8);
		order[n] = e->queue;
		assert_int_equal(e->a, n / 3);
	}
	assert_int_equal(n, 9);
	for (unsigned i = 0; i < 9; i++) /* whichever is first: each slot is followed by the next higher one */
		assert_int_equal(order[(i + 1) % 9], order[i] == 3 ? 5 : order[i] == 5 ? 11 : 3);
	close_seen(&b);
}

/* A work-group ends in the cycle after the issue of its last exit, and the one that takes its place begins in that cycle. */
static void one_behind_the_other(void **state)
{
	struct bench b = open_seen("mini,warps_per_cu=1,max_wg_size=4");
	enum { NOPS = 30, GROUPS = 4 };
	uint64_t begin = 0;
	unsigned at = 0, n = 0, ends;

	(void)state;
	/* the first instruction reads its cycle + 1 */
	run_well(&b, "csrr t0, cycle\n .rept 30\n nop\n .endr\n csrr t1, cycle\n .rept 30\n nop\n .endr\n csrr a0, 0xcc9\n ld a1, 0(a0)\n csrr t2, 0xcc3\n"
		     "slli t3, t2, 4\n add a1, a1, t3\n sd t0, 0(a1)\n sd t1, 8(a1)\n csrr s2, cycle\n .rept 30\n nop\n .endr\n" EXIT,
		 (struct rig_range){ .global = { 4 * GROUPS }, .local = { 4 } });
	for (const struct event *e; (e = event_log_next(&seen, &at, EVENT_GROUP, 0xffff)); n++) {
		const struct event *end;

		ends = at;
		end = event_log_next(&seen, &ends, EVENT_GROUP_END, 0xffff);
		assert_non_null(end);
		assert_int_equal(end->a, n);
		if (n) { /* instructions are there */
			const uint64_t *read = (uint64_t *)b.out + 2 * n;

			assert_int_equal(e->cycle, begin);
			assert_int_equal(read[0], e->cycle + 2);
			assert_int_equal(read[1], read[0] + NOPS + 1);
		}
		begin = end->cycle;
	}
	assert_int_equal(n, GROUPS);
	close_seen(&b);
	/* with nothing but instructions of a cycle: the exit is the 31st of the group */
	b = open_seen("mini,warps_per_cu=1,max_wg_size=4");
	run_well(&b, ".rept 30\n nop\n .endr\n" EXIT, (struct rig_range){ .global = { 4 * GROUPS }, .local = { 4 } });
	at = ends = 0;
	for (n = 0; n < GROUPS; n++) {
		const struct event *e = event_log_next(&seen, &at, EVENT_GROUP, 0xffff), *end = event_log_next(&seen, &ends, EVENT_GROUP_END, 0xffff);

		assert_non_null(end);
		if (n)
			assert_int_equal(end->cycle, e->cycle + 1 + NOPS + 1);
	}
	close_seen(&b);
}

/* ---- warp slots ---- */

/* Stores the number of the group at the top of its private memory; then the work-items of warps below the third exit, and those
 * of the others spin. */
#define PRIVATE "csrr t0, 0xcc3\n sw t0, -16(sp)\n csrr t1, 0xccb\n"

/* The warp slot of the next write to private memory, by its address. */
static unsigned slot_written(struct bench *b, unsigned *at, unsigned *unit, uint32_t private_bytes)
{
	const struct device_config *c = b->r->config;
	uint64_t size = (uint64_t)c->lanes * private_bytes, word = (private_bytes - 16) / 4 * c->lanes * 4;
	const struct event *e;

	do {
		e = event_log_next(&seen, at, EVENT_WRITE, 0xffff);
		assert_non_null(e);
	} while (e->a < b->r->scratch || e->a >= b->r->scratch + b->r->scratch_size);
	*unit = e->unit - UNIT_CU;
	assert_int_equal((e->a - b->r->scratch) % size, word); /* lane 0 is first */
	assert_int_equal((e->a - b->r->scratch) / size / c->warps_per_cu, *unit);
	return (unsigned)((e->a - b->r->scratch) / size % c->warps_per_cu);
}

static void warp_slots(void **state)
{
	static const uint32_t private_bytes[] = { 16, 48, 1024 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) { /* two units, all of whose slots are taken, each by the lane of its number */
		struct bench b = open_seen("full,num_cu=2,warps_per_cu=8,max_wg_size=128,lanes=16");
		unsigned at = 0, unit, taken[2] = { 0, 0 };

		run_well(&b, PRIVATE SPIN(500) EXIT, (struct rig_range){ .global = { 2 * 8 * 16 }, .local = { 32 }, .private_bytes = private_bytes[i] });
		for (unsigned n = 0; n < 16; n++) {
			unsigned slot = slot_written(&b, &at, &unit, private_bytes[i]);

			taken[unit] |= 1u << slot;
		}
		assert_int_equal(taken[0], 0xff);
		assert_int_equal(taken[1], 0xff);
		close_seen(&b);
	}
}

/* Of one unit: each warp that begins takes the lowest of the slots whose warps have ended. */
static void lowest_are_taken(void)
{
	uint32_t taken = 0;

	for (unsigned i = 0; i < seen.count; i++) {
		const struct event *e = &seen.event[i];

		if (e->kind == EVENT_WARP) {
			assert_int_equal(e->a, __builtin_ctz(~taken));
			taken |= 1u << e->a;
		} else if (e->kind == EVENT_WARP_END) {
			taken &= ~(1u << e->a);
		}
	}
	assert_int_equal(taken, 0);
}

static void lowest_slots_that_are_free(void **state)
{
	struct bench b = open_seen("mini");
	struct rig_range four = { .global = { 16 }, .local = { 16 }, .private_bytes = 32, .kernarg = arg_va };
	struct rig_range two = { .global = { 8 }, .local = { 8 }, .private_bytes = 32, .kernarg = arg_va };
	unsigned at = 0, unit, first = 0;

	(void)state;
	/* warps 0, 1 and 3 end, warp 2 of the work-group stays */
	assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, PRIVATE "addi t1, t1, -2\n bnez t1, 1f\n" SPIN(20000) "1:\n" EXIT), &four), FAULT_NONE);
	rig_finish(b.r, 4000);
	for (unsigned n = 0; n < 4; n++)
		first |= slot_written(&b, &at, &unit, 32) == n ? 1u << n : 0; /* warp 0 issues first */
	assert_int_equal(first, 0xf);
	/* another one of two warps finds room in slots 0 and 1, a third one waits: slot 3 alone is free */
	uint64_t entry = rig_load_text(b.r, PRIVATE SPIN(3000) EXIT);
	assert_int_equal(rig_start(b.r, 1, entry, &two), FAULT_NONE);
	assert_int_equal(rig_start(b.r, 2, entry, &two), FAULT_NONE);
	rig_finish(b.r, 1000);
	assert_false(b.r->ends[0].ended);
	assert_int_equal(slot_written(&b, &at, &unit, 32), 0);
	assert_int_equal(slot_written(&b, &at, &unit, 32), 1);
	assert_int_equal(event_log_of(&seen, EVENT_GROUP, UNIT_CU), 2);
	assert_true(rig_finish(b.r, 1 << 20));
	lowest_are_taken();
	close_seen(&b);
}

/* ---- local memory ---- */

/* Each 64 bytes of local memory hold their place; a work-group reads where its part begins into out[slot's argument + group]. */
static void parts_of_local_memory(void **state)
{
	static const char number[] = "li a2, 5\n slli a2, a2, 44\n li t1, 1024\n mv t2, x0\n 1: sw t2, 0(a2)\n addi t2, t2, 64\n addi a2, a2, 64\n"
				     "addi t1, t1, -1\n bnez t1, 1b\n" EXIT;
	static const char look[] = "csrr a0, 0xcc9\n ld a1, 0(a0)\n csrr t0, 0xcc3\n sh2add a1, t0, a1\n li a2, 5\n slli a2, a2, 44\n lw t1, 0(a2)\n sw t1, 0(a1)\n";
	struct bench b = open_seen("full");
	char text[1024];
	struct rig_range range = { .global = { 1 }, .local = { 1 }, .local_bytes = 65536, .units = 1, .kernarg = arg_va };

	(void)state;
	run_well(&b, number, range);
	/* four parts of 100 bytes, of which the second one is soon free again */
	snprintf(text, sizeof(text), "%s li t2, 1\n beq t0, t2, 1f\n" SPIN(8000) "1:\n" EXIT, look);
	memset(b.out, 0xff, 4096);
	range.global[0] = 4;
	range.local_bytes = 100;
	assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, text), &range), FAULT_NONE);
	rig_finish(b.r, 8000);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(b.out[i], 128 * i);
	/* the gap of 128 bytes takes 65 bytes and not 129; then what is behind all */
	snprintf(text, sizeof(text), "%s" SPIN(2000) EXIT, look);
	uint64_t entry = rig_load_text(b.r, text);
	for (unsigned i = 0; i < 2; i++) {
		((uint64_t *)b.arg)[8 * (i + 1)] = out_va + 4096 * (i + 1);
		range.global[0] = 1;
		range.local_bytes = i ? 65 : 129;
		range.kernarg = arg_va + 64 * (i + 1);
		assert_int_equal(rig_start(b.r, 1 + i, entry, &range), FAULT_NONE);
	}
	rig_finish(b.r, 4000);
	assert_false(b.r->ends[0].ended);
	assert_int_equal(b.out[1024], 512);
	assert_int_equal(b.out[2048], 128);
	assert_true(rig_finish(b.r, 1 << 20));
	close_seen(&b);
}

/* ---- numbers ---- */

static void many_work_groups(void **state)
{
	struct bench b = bench_of(rig_create("mini", BUS_TIMED, SIMD_AUTO, false));
	uint64_t entry = rig_load_text(b.r, EXIT);
	static const struct { uint32_t size[3]; enum fault fault; } cases[] = {
		{ { UINT32_MAX, UINT32_MAX, UINT32_MAX }, FAULT_BAD_DISPATCH },
		{ { 1u << 31, 1u << 31, 4 }, FAULT_BAD_DISPATCH }, /* 2^64 */
		{ { 4, 1u << 31, 1u << 31 }, FAULT_BAD_DISPATCH },
		{ { 1u << 31, 1u << 31, 3 }, FAULT_NONE },
		{ { UINT32_MAX, UINT32_MAX, 1 }, FAULT_NONE },
		{ { UINT32_MAX, 1, UINT32_MAX }, FAULT_NONE },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rig_range range = { .local = { 1, 1, 1 } };

		memcpy(range.global, cases[i].size, sizeof(range.global));
		assert_int_equal(rig_start(b.r, 0, entry, &range), cases[i].fault);
		if (cases[i].fault)
			continue;
		assert_false(rig_finish(b.r, 2000));
		assert_false(b.r->ends[0].ended);
		compute_abort(b.r->compute, &(struct compute_abort){ 0 }, b.r->now);
		assert_true(b.r->ends[0].ended);
	}
	rig_destroy(b.r);
}

/* What is another address space's in the part of a work-group is made zeros, 64 bytes a cycle, before its first instruction. */
static void clearing_takes_cycles(void **state)
{
	static const struct { uint32_t local_bytes; uint64_t cleared; } runs[] = {
		{ 0, 0 }, { 4096, 64 }, { 4096, 0 }, { 6400, 36 }, { 8192, 28 }, { 8192, 0 },
	};
	struct bench b = open_seen("mini");
	const uint64_t entry = rig_load_text(b.r, EXIT);
	uint64_t least = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		for (unsigned warm = 0; warm < (i ? 1 : 2); warm++) { /* twice at first: the code is in the L2 from then on */
			const struct rig_end *e = rig_run(b.r, entry, &(struct rig_range){ .global = { 16 }, .local = { 16 },
											   .local_bytes = runs[i].local_bytes, .kernarg = arg_va });
			assert_false(e->faulted);
			least = i ? least : e->end - e->start;
			assert_int_equal(e->end - e->start, least + runs[i].cleared);
		}
	}
	close_seen(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares),	      cmocka_unit_test(turns),
		cmocka_unit_test(one_behind_the_other), cmocka_unit_test(warp_slots),
		cmocka_unit_test(lowest_slots_that_are_free), cmocka_unit_test(parts_of_local_memory),
		cmocka_unit_test(many_work_groups),   cmocka_unit_test(clearing_takes_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
