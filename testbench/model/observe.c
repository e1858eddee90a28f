/* What the compute units report: dispatches, work-groups, barriers, warps, and every access as runs of
 * bytes in a page, with the physical address that was used. */
#include "abi/events.h"
#include "testbench/model/kernel.h"

enum { MAX_EVENTS = 4096 };
static struct { struct event_sink sink; struct event e[MAX_EVENTS]; unsigned count; } seen;

static void note(struct event_sink *sink, const struct event *e)
{
	(void)sink;
	assert_true(seen.count < MAX_EVENTS);
	assert_non_null(event_row(e->kind));
	seen.e[seen.count++] = *e;
}

static struct bench open_seen(unsigned setup)
{
	seen.sink.event = note;
	struct bench b = bench_of(rig_create_events(setups[setup].config, setups[setup].speed, SIMD_AUTO, false, &seen.sink));
	seen.count = 0;
	return b;
}

/* The next event of a compute unit, of the kind, from *at on, which then stands behind it; NULL: there is none. */
static const struct event *next(unsigned *at, enum event_kind kind)
{
	while (*at < seen.count)
		if (seen.e[(*at)++].kind == kind && seen.e[*at - 1].unit >= UNIT_CU) /* the walker reads too */
			return &seen.e[*at - 1];
	return NULL;
}

static const struct event *the(enum event_kind kind)
{
	unsigned at = 0;
	const struct event *e = next(&at, kind);
	assert_non_null(e);
	assert_null(next(&at, kind));
	return e;
}

static uint64_t pa_of(struct bench *b, const void *host)
{
	return DRAM_BASE + (uint64_t)((const uint8_t *)host - b->r->mem.dram);
}

/* The accesses of the kind to [va, va + bytes), in order, are these runs. */
static void check_runs(struct bench *b, enum event_kind kind, const uint64_t (*runs)[2], unsigned count)
{
	unsigned at = 0, n = 0;
	for (const struct event *e; (e = next(&at, kind));) {
		if (e->a < out_va || e->a >= out_va + OUT_BYTES)
			continue;
		if (n == count)
			fail_msg("one more: %#llx, %llu bytes", (unsigned long long)e->a, (unsigned long long)e->c);
		assert_int_equal(e->a, out_va + runs[n][0]);
		assert_int_equal(e->c, runs[n][1]);
		assert_int_equal(e->b, pa_of(b, b->out) + runs[n][0]);
		assert_int_equal(e->unit, UNIT_CU);
		assert_int_equal(e->queue, 0);
		assert_int_equal(e->asid, RIG_ASID);
		n++;
	}
	assert_int_equal(n, count);
}

static void accesses(void **state)
{
	(void)state;
	/* one warp of four lanes: the same in every configuration; t0 = lane, a1 = out */
	static const struct {
		const char *text;
		enum event_kind kind;
		unsigned count;
		uint64_t runs[6][2];
	} cases[] = {
		{ "sh2add a1, t0, a1\n lw t1, 64(a1)\n", EVENT_READ, 1, { { 64, 16 } } },
		{ "sh2add a1, t0, a1\n sw t1, 64(a1)\n", EVENT_WRITE, 1, { { 64, 16 } } },
		{ "lbu t1, 5(a1)\n", EVENT_READ, 1, { { 5, 1 } } },
		{ "sd t1, 8(a1)\n", EVENT_WRITE, 1, { { 8, 8 } } },
		{ "slli t1, t0, 6\n add a1, a1, t1\n ld a1, 8(a1)\n", EVENT_READ, 4, { { 8, 8 }, { 72, 8 }, { 136, 8 }, { 200, 8 } } },
		/* the last lane first */
		{ "slli t1, t0, 6\n sub a1, a1, t1\n sw t1, 256(a1)\n", EVENT_WRITE, 4, { { 64, 4 }, { 128, 4 }, { 192, 4 }, { 256, 4 } } },
		{ "srli t1, t0, 1\n sh2add a1, t1, a1\n flw ft0, 0(a1)\n", EVENT_READ, 1, { { 0, 8 } } }, /* two and two */
		/* over the edge of a page, side by side and in one lane */
		{ "lui t1, 1\n add a1, a1, t1\n sh2add a1, t0, a1\n sw t1, -8(a1)\n", EVENT_WRITE, 2, { { 4088, 8 }, { 4096, 8 } } },
		{ "lui t1, 1\n add a1, a1, t1\n ld t2, -3(a1)\n", EVENT_READ, 2, { { 4093, 3 }, { 4096, 5 } } },
		{ "mul t1, t0, t0\n slli t1, t1, 12\n add a1, a1, t1\n lh t2, 2(a1)\n", EVENT_READ, 4,
		  { { 2, 2 }, { 4098, 2 }, { 16386, 2 }, { 36866, 2 } } },
		{ "amoadd.w t1, t0, (a1)\n", EVENT_ATOMIC, 1, { { 0, 4 } } },
		{ "sh3add a1, t0, a1\n amoswap.d t1, t0, (a1)\n", EVENT_ATOMIC, 1, { { 0, 32 } } },
		{ "lr.w t1, (a1)\n", EVENT_READ, 1, { { 0, 4 } } },
		/* two of the lanes */
		{ "sh2add a1, t0, a1\n andi t1, t0, 1\n beqz t1, 1f\n sw t1, 0(a1)\n 1:", EVENT_WRITE, 2, { { 4, 4 }, { 12, 4 } } },
		/* local memory is none of the device's */
		{ "li a2, 5\n slli a2, a2, 44\n sw t0, 0(a2)\n lw t0, 0(a2)\n amoadd.w t1, t0, (a2)\n", EVENT_ATOMIC, 0, { { 0 } } },
	};
	FOR_SETUPS for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b = open_seen(setup);
		char text[512];
		snprintf(text, sizeof(text), "csrr a0, 0xcc9\n ld a1, 0(a0)\n csrr t0, 0xcca\n %s" EXIT, cases[i].text);
		run_well(&b, text, (struct rig_range){ .global = { 4 }, .local = { 4 }, .local_bytes = 64 });
		check_runs(&b, EVENT_READ, cases[i].runs, cases[i].kind == EVENT_READ ? cases[i].count : 0);
		check_runs(&b, EVENT_WRITE, cases[i].runs, cases[i].kind == EVENT_WRITE ? cases[i].count : 0);
		check_runs(&b, EVENT_ATOMIC, cases[i].runs, cases[i].kind == EVENT_ATOMIC ? cases[i].count : 0);
		/* and the argument, each time it is read */
		unsigned at = 0, args = 0;
		for (const struct event *e; (e = next(&at, EVENT_READ));)
			if (e->a == arg_va) {
				assert_int_equal(e->b, pa_of(&b, b.arg));
				assert_int_equal(e->c, 8);
				args++;
			}
		assert_int_equal(args, 1);
		rig_destroy(b.r);
	}
}

/* A loop reads the same words ten times: ten events, though the lookaside knows the page. */
static void every_time(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_seen(setup);
		static const uint64_t runs[10][2] = { { 0, 16 }, { 0, 16 }, { 0, 16 }, { 0, 16 }, { 0, 16 },
						      { 0, 16 }, { 0, 16 }, { 0, 16 }, { 0, 16 }, { 0, 16 } };
		run_well(&b, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n li t0, 10\n 1: lw t1, 0(a1)\n addi t0, t0, -1\n bnez t0, 1b\n" EXIT,
			 (struct rig_range){ .global = { 4 }, .local = { 4 } });
		check_runs(&b, EVENT_READ, runs, 10);
		rig_destroy(b.r);
	}
}

/* Private memory is memory: where the backing of the warp lies, word after word for its lanes. */
static void private_memory(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_seen(setup);
		unsigned lanes = b.r->config->lanes;
		run_well(&b, "addi sp, sp, -64\n sw t0, 4(sp)\n ld t1, 8(sp)\n lh t1, 15(sp)\n" EXIT,
			 (struct rig_range){ .global = { lanes }, .local = { (uint16_t)lanes }, .private_bytes = 64 });
		const struct event *w = the(EVENT_WRITE);
		assert_int_equal(w->a, b.r->scratch + 4 * lanes);
		assert_int_equal(w->c, 4 * lanes);
		unsigned at = 0;
		const struct event *e = next(&at, EVENT_READ);
		assert_int_equal(e->a, b.r->scratch + 8 * lanes);
		assert_int_equal(e->c, 8 * lanes);
		/* byte 15 and byte 16: the ends of one word of each lane and the beginnings of the next */
		uint64_t bytes = 0;
		while ((e = next(&at, EVENT_READ)))
			bytes += e->c;
		assert_int_equal(bytes, 2 * lanes);
		rig_destroy(b.r);
	}
}

static void life_of_a_dispatch(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_seen(setup);
		struct rig_range range = { .global = { 40 }, .local = { 8 }, .kernarg = arg_va };
		uint64_t entry = rig_load_text(b.r, BARRIER EXIT);
		b.r->now = 5000;
		assert_int_equal(rig_start(b.r, 6, entry, &range), FAULT_NONE);
		assert_true(rig_finish(b.r, 1 << 20));
		const struct event *e = the(EVENT_DISPATCH), *end = the(EVENT_DISPATCH_END);
		assert_int_equal(e->cycle, 5000);
		assert_int_equal(e->queue, 6);
		assert_int_equal(e->asid, RIG_ASID);
		assert_int_equal(e->a, entry);
		assert_int_equal(e->b, 5);
		assert_int_equal(e->c, 0);
		assert_int_equal(end->cycle, b.r->ends[6].end);
		assert_int_equal(end->a, entry);
		assert_int_equal(end->b, FAULT_NONE);
		unsigned warps = (8 + b.r->config->lanes - 1) / b.r->config->lanes, at = 0, n = 0;
		uint32_t groups = 0, barriers = 0, ends = 0, units = 0, fetched = 0;
		for (; (e = next(&at, EVENT_GROUP)); n++) {
			assert_int_equal(e->a, n); /* handed out in order */
			assert_int_equal(e->b, warps);
			assert_int_equal(e->queue, 6);
			groups |= 1u << e->a;
			units |= 1u << (e->unit - UNIT_CU);
		}
		for (at = 0; (e = next(&at, EVENT_FETCH));) { /* each unit that runs it, once */
			assert_int_equal(e->a, entry);
			assert_int_equal(e->c, setups[setup].speed == BUS_TIMED ? b.r->config->line_bytes : 4096);
			assert_false(fetched >> (e->unit - UNIT_CU) & 1);
			fetched |= 1u << (e->unit - UNIT_CU);
		}
		assert_int_equal(fetched, units);
		for (at = 0; (e = next(&at, EVENT_BARRIER));) {
			assert_int_equal(e->b, 8);
			barriers |= 1u << e->a;
		}
		for (at = 0; (e = next(&at, EVENT_GROUP_END));)
			ends |= 1u << e->a;
		assert_int_equal(groups, 31);
		assert_int_equal(barriers, 31);
		assert_int_equal(ends, 31);
		for (at = 0, n = 0; (e = next(&at, EVENT_WARP_END)); n++)
			assert_int_equal(e->b, 2);
		assert_int_equal(n, 5 * warps);
		rig_destroy(b.r);
	}
}

/* A fault, and what was done before it: lanes 0 and 1 have written when lane 2 fails. */
static void faults(void **state)
{
	(void)state;
	FOR_SETUPS {
		struct bench b = open_seen(setup);
		static const uint64_t runs[1][2] = { { OUT_BYTES - 8, 8 } };
		uint64_t entry = b.r->code_va;
		const struct rig_end *end = run(&b, ITEM "ld a1, 0(a0)\n sh2add a1, s0, a1\n li t0, 1048576-8\n add a1, a1, t0\n sw s0, 0(a1)\n" EXIT,
						(struct rig_range){ .global = { 4 }, .local = { 4 } });
		assert_true(end->faulted);
		const struct event *e = the(EVENT_FAULT);
		assert_int_equal(e->a, out_va + OUT_BYTES);
		assert_int_equal(e->b, FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(e->c, ACCESS_WRITE);
		assert_int_equal(e->unit, UNIT_CU);
		assert_int_equal(the(EVENT_DISPATCH_END)->b, FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(the(EVENT_DISPATCH)->a, entry);
		check_runs(&b, EVENT_WRITE, runs, 1);
		/* replayed: nothing before, all of it once after */
		struct rig_range range = { .global = { 4 }, .local = { 4 }, .kernarg = arg_va, .replay = true };
		seen.count = 0;
		assert_int_equal(rig_start(b.r, 0, entry, &range), FAULT_NONE);
		assert_int_equal(the(EVENT_DISPATCH)->c, 2);
		assert_true(rig_finish(b.r, 1 << 20));
		assert_int_equal(the(EVENT_FAULT)->a, out_va + OUT_BYTES);
		check_runs(&b, EVENT_WRITE, runs, 0);
		rig_buffer(b.r, out_va + OUT_BYTES, 4096);
		compute_replay(b.r->compute, &(struct compute_replay){ 0 }, b.r->now);
		assert_true(rig_finish(b.r, 1 << 20));
		check_runs(&b, EVENT_WRITE, runs, 1);
		assert_int_equal(the(EVENT_DISPATCH_END)->b, FAULT_NONE);
		rig_destroy(b.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses),	      cmocka_unit_test(every_time), cmocka_unit_test(private_memory),
		cmocka_unit_test(life_of_a_dispatch), cmocka_unit_test(faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
