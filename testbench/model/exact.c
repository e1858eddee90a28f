/* Devices that are run exactly: in which cycle which work-group begins where, that the end of a run changes nothing, and what
 * a device that is run for the host's speed differs by. Usage: exact [SEED]; the seed is printed. */
#include "testbench/model/seen.h"
#include "testbench/random.h"

enum { UNITS = 3, WARPS = 4, SLOTS = 2, GROUPS = 14 };
static uint64_t seed;

/* ---- the dispatcher ---- */

/* What the manual says of the dispatcher, from what has begun and ended. */
struct predictor { uint32_t warps[SLOTS]; unsigned slots[SLOTS], left[SLOTS], slot, unit; };

/* Warp slots of the unit that are free in the cycle, of what had begun before event number end. */
static unsigned free_warps(unsigned unit, uint64_t cycle, unsigned end)
{
	unsigned n = WARPS;

	for (unsigned i = 0; i < seen.count; i++) {
		const struct event *e = &seen.event[i];

		if (e->unit != UNIT_CU + unit)
			continue;
		n -= e->kind == EVENT_WARP && i < end;
		n += e->kind == EVENT_WARP_END && e->cycle <= cycle;
	}
	return n;
}

/* Which slot and unit have the next turn in the cycle; false: nothing fits. */
static bool predict(const struct predictor *p, uint64_t cycle, unsigned end, unsigned *slot, unsigned *unit)
{
	for (unsigned k = 0; k < SLOTS; k++) {
		unsigned s = (p->slot + k) % SLOTS;

		for (unsigned n = 0; p->left[s] && n < UNITS; n++) {
			unsigned u = (p->unit + n) % UNITS;

			if (free_warps(u, cycle, end) < p->warps[s])
				continue;
			*slot = s;
			*unit = u;
			return true;
		}
	}
	return false;
}

static void one_work_group_a_cycle(void **state)
{
	struct bench b = open_seen("mini,num_cu=3");
	struct predictor p = { .warps = { 1, 3 }, .slots = { 4, 9 }, .left = { GROUPS, GROUPS } };
	uint64_t entry = rig_load_text(b.r, ITEM "andi t5, s0, 63\n 1: addi t5, t5, -1\n bgez t5, 1b\n" EXIT);
	uint64_t last = 0, waited = 0;

	(void)state;
	for (unsigned s = 0; s < SLOTS; s++)
		assert_int_equal(rig_start(b.r, p.slots[s], entry, &(struct rig_range){ .global = { 4 * p.warps[s] * GROUPS },
				 .local = { (uint16_t)(4 * p.warps[s]) }, .kernarg = arg_va }), FAULT_NONE);
	assert_true(rig_finish(b.r, 1 << 20));
	for (unsigned i = 0; i < seen.count; i++) {
		const struct event *e = &seen.event[i];
		unsigned slot, unit;

		if (e->kind != EVENT_GROUP)
			continue;
		assert_true(!last || e->cycle > last);
		if (last && e->cycle > last + 1) { /* not in the cycle before */
			assert_false(predict(&p, e->cycle - 1, i, &slot, &unit));
			waited++;
		}
		assert_true(predict(&p, e->cycle, i, &slot, &unit));
		assert_int_equal(e->queue, p.slots[slot]);
		assert_int_equal(e->unit, UNIT_CU + unit);
		assert_int_equal(e->a, GROUPS - p.left[slot]--);
		p.slot = (slot + 1) % SLOTS;
		p.unit = (unit + 1) % UNITS;
		last = e->cycle;
	}
	assert_int_equal(p.left[0] + p.left[1], 0);
	assert_true(waited > GROUPS);
	close_seen(&b);
}

/* ---- the load-store unit ---- */

/* Loads of four lines each, one behind the other: all but the first four wait until the fourth one before them begins. What accesses no memory
 * behind them does not. */
static void memory_instructions_wait_for_the_queue(void **state)
{
	enum { LOADS = 12, LINES = 4, QUEUE = 4 };
	static const char loads[] = "csrr s2, cycle\n lw a2, 0(a1)\n lw a3, 0(a1)\n lw a4, 0(a1)\n lw a5, 0(a1)\n lw a6, 0(a1)\n lw a7, 0(a1)\n"
				    "lw t0, 0(a1)\n lw t1, 0(a1)\n lw t2, 0(a1)\n lw t3, 0(a1)\n lw t4, 0(a1)\n lw t6, 0(a1)\n";
	static const char *const others[] = { "", "addi s5, s0, 1\n", "mul s5, s0, s0\n fadd.s f0, f1, f2\n", "csrr s5, 0xcca\n" };
	static const unsigned num_others[] = { 0, 1, 2, 1 };
	char text[1024];

	(void)state;
	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct bench b = open_seen("mini");

		/* the second time all lines are there; a sum of what is loaded parts the two */
		snprintf(text, sizeof text, ITEM "ld s4, 0(a0)\n slli t0, s0, 6\n add a1, s4, t0\n li t5, 2\n 9: %s %s csrr s3, cycle\n add a2, a2, t6\n add a1, a1, a2\n"
				      "sub a1, a1, a2\n addi t5, t5, -1\n bnez t5, 9b\n sub s3, s3, s2\n sd s3, 1024(s4)\n" EXIT, loads, others[i]);
		run_well(&b, text, (struct rig_range){ .global = { 4 }, .local = { 4 } });
		assert_int_equal(((uint64_t *)b.out)[128], 1 + LINES * (LOADS - 1 - QUEUE) + 1 + num_others[i]);
		close_seen(&b);
	}
}

/* ---- runs ---- */


#define LOOP(n, body) "li t5, " #n "\n 9: " body "addi t5, t5, -1\n bnez t5, 9b\n"
#define PLACE "ld a1, 0(a0)\n sh2add a1, s0, a1\n"
static const struct { const char *name, *text; uint32_t global, local, percent; /* that a fast run may differ by */ } kernels[] = {
	{ "integers", ITEM PLACE LOOP(1200, "mul t1, t5, s0\n addi t1, t1, 3\n") "sw t1, 0(a1)\n" EXIT, 2048, 64, 5 },
	{ "rows", ITEM PLACE LOOP(400, "lw t1, 0(a1)\n addi t1, t1, 1\n sw t1, 0(a1)\n") EXIT, 2048, 64, 35 },
	{ "columns", ITEM "ld a1, 0(a0)\n slli t0, s0, 9\n li t1, 0x7ffff\n and t0, t0, t1\n add a1, a1, t0\n" LOOP(200, "lw t1, 0(a1)\n addi a1, a1, 64\n")
	  EXIT, 1024, 64, 5 },
	{ "atomics", ITEM "ld a1, 0(a0)\n andi t0, s0, 15\n sh2add a1, t0, a1\n li t1, 1\n" LOOP(200, "amoadd.w zero, t1, (a1)\n") EXIT, 1024, 64, 5 },
	{ "barriers", ITEM PLACE LOOP(400, BARRIER) "sw s0, 0(a1)\n" EXIT, 2048, 64, 5 },
	{ "paths", ITEM PLACE "andi t0, s0, 7\n" LOOP(400, "bgtu t0, t5, 1f\n addi t2, t2, 3\n 1: addi t2, t2, 1\n") "sw t2, 0(a1)\n" EXIT, 2048, 64, 5 },
};
enum { KERNELS = sizeof(kernels) / sizeof(*kernels) };

static struct rig_range range_of(unsigned k, uint32_t lanes)
{
	const uint32_t small = lanes < 32 ? 4 : 1; /* what a unit of mini holds */

	return (struct rig_range){ .global = { kernels[k].global / small }, .local = { (uint16_t)(kernels[k].local / small) }, .kernarg = arg_va };
}

/* However the run is cut into pieces, every event is the same, in the same cycle. */
static void pieces_change_nothing(void **state)
{
	static const char *const configs[] = { "mini", "mini,num_cu=2", "full,exact=1" };

	(void)state;
	for (unsigned c = 0; c < 3; c++)
		for (unsigned k = 0; k < KERNELS; k++) {
			struct event_log whole;
			struct bench b = open_seen(configs[c]);
			struct rig_range range = range_of(k, b.r->config->lanes);

			assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, kernels[k].text), &range), FAULT_NONE);
			assert_true(rig_finish(b.r, 1 << 22));
			rig_destroy(b.r);
			whole = seen;
			b = open_seen(configs[c]);
			assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, kernels[k].text), &range), FAULT_NONE);
			while (compute_next(b.r->compute) != UINT64_MAX)
				b.r->now = compute_tick(b.r->compute, compute_next(b.r->compute) + 1 + splitmix64(&seed) % (splitmix64(&seed) % 8 ? 12 : 700));
			if (seen.count != whole.count)
				fail_msg("%s, %s: %u events in pieces, %u in one go", configs[c], kernels[k].name, seen.count, whole.count);
			for (unsigned i = 0; i < seen.count; i++)
				if (memcmp(&seen.event[i], &whole.event[i], sizeof(struct event)))
					fail_msg("%s, %s: event %u, cycle %llu, is another one in pieces", configs[c], kernels[k].name, i,
						 (unsigned long long)whole.event[i].cycle);
			close_seen(&b);
			event_log_fini(&whole);
		}
}

/* Data in the L1 change no event of a unit that is alone and does no atomics, in any cycle. */
static void data_change_no_cycle(void **state)
{
	(void)state;
	for (unsigned k = 0; k < KERNELS; k++) {
		struct event_log without = { 0 };
		struct bench b;

		if (!strcmp(kernels[k].name, "atomics"))
			continue;
		for (unsigned data = 0; data < 2; data++) {
			struct rig_range range;

			b = open_seen(data ? "mini,l1_data=1" : "mini,l1_data=0");
			range = range_of(k, b.r->config->lanes);
			assert_int_equal(rig_start(b.r, 0, rig_load_text(b.r, kernels[k].text), &range), FAULT_NONE);
			assert_true(rig_finish(b.r, 1 << 22));
			if (data)
				break;
			rig_destroy(b.r);
			without = seen;
		}
		assert_int_equal(seen.count, without.count);
		for (unsigned i = 0; i < seen.count; i++)
			if (memcmp(&seen.event[i], &without.event[i], sizeof(struct event)))
				fail_msg("%s: event %u, cycle %llu, is another one with data", kernels[k].name, i, (unsigned long long)without.event[i].cycle);
		close_seen(&b);
		event_log_fini(&without);
	}
}

/* Memory and instructions are the same, and cycles nearly. */
static void fast_runs_differ_by_little(void **state)
{
	(void)state;
	for (unsigned k = 0; k < KERNELS; k++) {
		uint32_t *out[2];
		uint64_t cycles[2], instructions[2];

		for (unsigned exact = 0; exact < 2; exact++) {
			struct bench b = bench_of(rig_create(exact ? "full,exact=1" : "full", BUS_TIMED, SIMD_AUTO, false));
				run_well(&b, kernels[k].text, range_of(k, b.r->config->lanes));
			cycles[exact] = b.r->ends[0].end - b.r->ends[0].start;
			instructions[exact] = compute_counters(b.r->compute)->warp_insns;
			out[exact] = malloc(OUT_BYTES);
			assert_non_null(out[exact]);
			memcpy(out[exact], b.out, OUT_BYTES);
			rig_destroy(b.r);
		}
		printf("# %s: %llu cycles, %llu exactly\n", kernels[k].name, (unsigned long long)cycles[0], (unsigned long long)cycles[1]);
		assert_memory_equal(out[0], out[1], OUT_BYTES);
		assert_int_equal(instructions[0], instructions[1]);
		assert_in_range(cycles[0] * 100, cycles[1] * (100 - kernels[k].percent), cycles[1] * (100 + kernels[k].percent));
		free(out[0]);
		free(out[1]);
	}
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_work_group_a_cycle),
		cmocka_unit_test(memory_instructions_wait_for_the_queue),
		cmocka_unit_test(pieces_change_nothing),
		cmocka_unit_test(data_change_no_cycle),
		cmocka_unit_test(fast_runs_differ_by_little),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
