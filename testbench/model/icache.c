/* The instruction cache of a compute unit: which lines it holds, against a reference that reads random jumps from line to line; what a
 * line that is not there takes; when all of them are dropped; and which words a line has. Usage: icache [seed]. */
#include "testbench/model/clocked.h"
#include "testbench/model/seen.h"
#include "testbench/random.h"

enum { VISITS = 300, PROGRAMS = 24, MAX_SETS = 64, MAX_WAYS = 16 };

static uint64_t seed;

static unsigned below(unsigned n) { return (unsigned)(splitmix64(&seed) >> 33) % n; }

static struct rig_range one_warp(void) { return (struct rig_range){ .global = { 1 }, .local = { 1 }, .kernarg = arg_va }; }

/* ---- which lines are held ---- */

struct ref {
	const struct device_config *c;
	unsigned sets, next[MAX_SETS];
	uint64_t line[MAX_SETS][MAX_WAYS]; /* number; 0: empty */
};

static bool ref_holds(struct ref *r, uint64_t line)
{
	const unsigned set = (unsigned)(line % r->sets), way = r->next[set];

	for (unsigned i = 0; i < r->c->icache_ways; i++)
		if (r->line[set][i] == line)
			return true;
	r->line[set][way] = line;
	r->next[set] = (way + 1) % r->c->icache_ways;
	return false;
}

/* A warp comes to a line: what has to be read is the next event. */
static void ref_look(struct ref *r, unsigned *at, uint64_t va)
{
	const struct event *e;
	const uint64_t bytes = r->c->line_bytes, first = va & ~(bytes - 1);

	if (ref_holds(r, first / bytes))
		return;
	e = event_log_next(&seen, at, EVENT_FETCH, UNIT_CU);
	assert_non_null(e);
	assert_int_equal(e->a, first);
	assert_int_equal(e->c, bytes);
	assert_int_equal(e->b % 4096, first % 4096);
}

/* Blocks in lines of their own: each jumps to where the table says, in the end to the exit. */
static void visits_check(const char *config)
{
	static char text[1 << 15];
	struct bench b = open_seen(config);
	const struct device_config *c = b.r->config;
	const unsigned lines = 2 * c->icache_bytes / c->line_bytes;
	struct ref r = { .c = c, .sets = 1 };
	uint64_t entry, line = 0;
	unsigned at = 0;
	char *p = text + sprintf(text, "csrr a0, 0xcc9\n ld a1, 0(a0)\n ld t1, 0(a1)\n addi a1, a1, 8\n jr t1\n");

	while (r.sets * 2 * c->icache_ways * c->line_bytes <= c->icache_bytes)
		r.sets *= 2;
	assert_in_range(r.sets, 1, MAX_SETS);
	for (unsigned i = 1; i < lines; i++)
		p += sprintf(p, ".balign %u\n ld t1, 0(a1)\n addi a1, a1, 8\n jr t1\n", c->line_bytes);
	sprintf(p, ".balign %u\n" EXIT, c->line_bytes);
	entry = rig_load_text(b.r, text);
	for (unsigned i = 0; i < VISITS; i++)
		((uint64_t *)b.out)[i] = entry + (i + 1 < VISITS ? 1 + (below(3) ? below(lines - 1) : i % 3) : lines) * c->line_bytes;
	const struct rig_range range = one_warp();
	assert_false(rig_run(b.r, entry, &range)->faulted);
	ref_look(&r, &at, entry);
	line = entry / c->line_bytes;
	for (unsigned i = 0; i < VISITS; i++) {
		const uint64_t va = ((uint64_t *)b.out)[i];

		if (va / c->line_bytes != line) /* a jump within the line looks nothing up */
			ref_look(&r, &at, va);
		line = va / c->line_bytes;
	}
	assert_null(event_log_next(&seen, &at, EVENT_FETCH, UNIT_CU));
	close_seen(&b);
}

static void lines_held(void **state)
{
	static const char *const configs[] = { "mini", "mini,icache_ways=1", "mini,icache_bytes=512,icache_ways=8", "mini,line_bytes=32,icache_bytes=256,icache_ways=4",
					       "full,icache_bytes=2048", "full,line_bytes=256,icache_bytes=4096,icache_ways=2" };

	(void)state;
	for (unsigned i = 0; i < PROGRAMS; i++)
		visits_check(configs[i % 6]);
}

/* ---- what a miss takes ---- */

/* One line behind the other in one set of two ways: the one at 1 has left when it comes again, and the L2 cache has it. */
#define THROUGH(from, to) "j 1f\n .balign 512\n 1: " to "j 2f\n .balign 512\n 2: j 3f\n .balign 512\n 3: nop\n"
#define CODE_PAGE_LEAVES "li t6, 24\n mv t4, a1\n lui t2, 32\n add t4, t4, t2\n lui t2, 1\n 8: amoor.w t1, x0, (t4)\n add t4, t4, t2\n addi t6, t6, -1\n bnez t6, 8b\n mv a7, t1\n"

static void time_of_a_miss(void **state)
{
	static const char jump[] = CLOCK THROUGH("", "csrr s3, cycle\n"), leaves[] = CODE_PAGE_LEAVES CLOCK THROUGH("", "csrr s3, cycle\n");
	struct bench b = bench_of(rig_create("mini", BUS_TIMED, SIMD_AUTO, false));
	const struct device_config *c = b.r->config;
	const uint64_t line = c->l1_latency + c->l2_latency + c->line_bytes / c->l2_bytes_cycle;

	(void)state;
	/* csr and jump issue, then the line is looked up; what reads `cycle` counts itself in both */
	assert_int_equal(clocked(&b, jump, one_warp()), 2 + line);
	/* the page is looked up first */
	assert_int_equal(clocked(&b, leaves, one_warp()), 2 + c->tlb_l2_latency + line);
	rig_destroy(b.r);
	/* there: the jump alone takes its time */
	b = bench_of(rig_create("mini,icache_bytes=4096,icache_ways=8", BUS_TIMED, SIMD_AUTO, false));
	assert_int_equal(clocked(&b, jump, one_warp()), 1 + b.r->config->alu_latency);
	rig_destroy(b.r);
}

/* Warps that come to a line while it is on its way have it in the same cycle, and it is read once. */
static void one_read_for_all(void **state)
{
	struct bench b = open_seen("mini");
	const struct device_config *c = b.r->config;
	const unsigned items = 4 * c->lanes;
	const struct rig_range range = { .global = { items }, .local = { (uint16_t)items } };
	unsigned at = 0;
	uint64_t first = UINT64_MAX, last = 0;

	(void)state;
	run_well(&b, ITEM "ld a1, 0(a0)\n sh3add a1, s0, a1\n add x0, a1, a1\n" BARRIER "j 1f\n .balign 64\n 1: csrr t0, cycle\n sd t0, 0(a1)\n" EXIT, range);
	for (unsigned i = 0; i < items; i++) {
		const uint64_t t = ((uint64_t *)b.out)[i];

		first = t < first ? t : first;
		last = t > last ? t : last;
	}
	assert_int_equal(last - first, 3); /* an issue each */
	for (unsigned n = 0; n < 2; n++) {
		const struct event *e = event_log_next(&seen, &at, EVENT_FETCH, UNIT_CU);

		assert_non_null(e);
		assert_int_equal(e->a % 4096, 64 * n);
	}
	assert_null(event_log_next(&seen, &at, EVENT_FETCH, UNIT_CU));
	close_seen(&b);
}

/* ---- when lines are dropped ---- */

static unsigned fetches(void)
{
	const unsigned n = event_log_of(&seen, EVENT_FETCH, UNIT_CU);

	seen.count = 0;
	return n;
}

static void emptied_for_another_dispatch(void **state)
{
	struct bench b = open_seen("mini");
	const uint64_t entry = rig_load_text(b.r, "j 1f\n .balign 64\n 1: nop\n" EXIT);
	struct rig_range range = { .global = { 16 }, .local = { 16 } };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_false(rig_run(b.r, entry, &range)->faulted);
		assert_int_equal(fetches(), 2);
	}
	range.global[0] = 16 * 5; /* work-groups of one dispatch */
	assert_false(rig_run(b.r, entry, &range)->faulted);
	assert_int_equal(fetches(), 2);
	range.global[0] = 16 * 3; /* of two, that take turns */
	for (unsigned s = 0; s < 2; s++)
		assert_int_equal(rig_start(b.r, s, entry, &range), FAULT_NONE);
	assert_true(rig_finish(b.r, 1 << 20));
	assert_int_equal(fetches(), 2 * 3 * 2);
	close_seen(&b);
}

/* An invalidation drops the line that a warp stands in, too. */
static void dropped_by_an_invalidation(void **state)
{
	struct bench b = open_seen("mini");
	const uint64_t entry = rig_load_text(b.r, "li t0, 2000\n 1: addi t0, t0, -1\n bnez t0, 1b\n" EXIT);
	const struct rig_range range = one_warp();

	(void)state;
	assert_int_equal(rig_start(b.r, 0, entry, &range), FAULT_NONE);
	assert_false(rig_finish(b.r, 4000));
	assert_int_equal(fetches(), 1);
	compute_flush_code(b.r->compute, b.r->now);
	assert_true(rig_finish(b.r, 1 << 20));
	assert_int_equal(fetches(), 1);
	close_seen(&b);
}

/* The cycle in which a warp looks its line up when instructions are dropped after this many cycles; 0: it had ended before that. */
static uint64_t look_behind_drop(const char *config, const char *text, uint64_t cycles)
{
	struct bench b = open_seen(config);
	const uint64_t entry = rig_load_text(b.r, text);
	const struct rig_range range = one_warp();
	uint64_t looked = 0;
	unsigned at = 0;

	assert_int_equal(b.r->now, 0);
	assert_int_equal(rig_start(b.r, 0, entry, &range), FAULT_NONE);
	if (!rig_finish(b.r, cycles)) {
		seen.count = 0;
		compute_flush_code(b.r->compute, cycles);
		assert_true(rig_finish(b.r, 1 << 20));
		assert_int_equal(event_log_of(&seen, EVENT_FETCH, UNIT_CU), 1);
		looked = event_log_next(&seen, &at, EVENT_FETCH, UNIT_CU)->cycle;
	}
	close_seen(&b);
	return looked;
}

/* A warp whose instructions are dropped does not wait for the operands of the next one before it looks its line up, but for a line that
 * is on its way, and for the cycle in which it may issue again. */
static void looked_up_behind_a_drop(void **state)
{
	const char *divides = "li t0, 70\n li t1, 3\n div t0, t0, t1\n div t0, t0, t1\n div t0, t0, t1\n addi t0, t0, 1\n" EXIT;
	const char *jumps = "j 1f\n 1: j 2f\n 2: j 3f\n 3: j 4f\n 4: j 5f\n 5: j 6f\n 6: j 7f\n 7: j 8f\n 8:" EXIT;
	const uint64_t there = look_behind_drop("mini", divides, 50), jump = 9;
	uint64_t n, looked;

	(void)state;
	assert_true(there > 100);
	for (n = 50; (looked = look_behind_drop("mini", divides, n)) != 0; n++)
		assert_int_equal(looked, n > there ? n : there);
	assert_true(n > there + 50);
	assert_int_equal(look_behind_drop("mini,alu_latency=9", jumps, 50), there);
	for (n = there; (looked = look_behind_drop("mini,alu_latency=9", jumps, n)) != 0; n++)
		assert_int_equal(looked, there + (n - there + jump - 1) / jump * jump);
	assert_true(n > there + 8 * jump);
}

/* ---- words ---- */

/* The kernel stores another instruction into a line: while that is held it executes the old one, and the new one when it has been
 * replaced and read again. */
static void words_of_a_line(void **state)
{
	static const uint64_t code_va = 0x2200000000;
	static const char *const configs[] = { "mini,icache_bytes=4096,icache_ways=8", "mini" };
	static const char text[] = "csrr a0, 0xcc9\n ld a1, 0(a0)\n ld a3, 8(a0)\n ld a4, 16(a0)\n li s11, 2\n j 1f\n"
				   ".balign 512\n 1: li t1, 1\n sw t1, 0(a1)\n addi a1, a1, 4\n sw a4, 0(a3)\n fence\n j 2f\n .balign 512\n 2: j 3f\n"
				   ".balign 512\n 3: addi s11, s11, -1\n bnez s11, 1b\n" EXIT;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bench b = bench_of(rig_create(configs[i], BUS_TIMED, SIMD_AUTO, false));
		const struct rig_range range = one_warp();
		const uint64_t pa = rig_dram(b.r, 4096);
		size_t n;
		uint32_t *words = rig_assemble(text, &n);

		memcpy(rig_host(b.r, pa), words, n * 4);
		free(words);
		rig_map(b.r, code_va, pa, 4096, PTE_R | PTE_W | PTE_X);
		b.arg[1] = code_va + 512;
		b.arg[2] = 0x00200313; /* li t1, 2 */
		assert_false(rig_run(b.r, code_va, &range)->faulted);
		assert_int_equal(b.out[0], 1);
		assert_int_equal(b.out[1], i ? 2 : 1);
		rig_destroy(b.r);
	}
}

/* A line whose page is not there: it is a fault when the walk has ended, and nothing is brought in. */
static void lines_that_fail(void **state)
{
	struct bench b = open_seen("mini");
	const uint64_t entry = b.r->code_va;
	const struct rig_end *e = run(&b, "li t0, 1\n slli t0, t0, 36\n jr t0\n", one_warp());

	(void)state;
	assert_true(e->faulted);
	assert_int_equal(e->fault.code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(e->fault.access, ACCESS_EXEC);
	assert_int_equal(e->fault.pc, 1ull << 36);
	assert_int_equal(e->fault.address, 1ull << 36);
	unsigned at = 0;
	const struct event *f = event_log_next(&seen, &at, EVENT_FETCH, UNIT_CU);
	assert_non_null(f);
	assert_int_equal(f->a, entry);
	assert_null(event_log_next(&seen, &at, EVENT_FETCH, UNIT_CU));
	/* the cycle is that of the end of the walk */
	at = 0;
	uint64_t walked = 0;
	while ((f = event_log_next(&seen, &at, EVENT_WALK_END, UNIT_CU)))
		walked = f->cycle;
	assert_int_equal(e->end, walked);
	close_seen(&b);
}

/* A warp whose next line fails, and another one that waits for a division of so many cycles. In which cycle the first one faults, and the third
 * instruction behind the division issues, which follows the second one at once. */
static void fault_beside_another(unsigned divides, uint64_t *fault, uint64_t *third)
{
	static const char fails[] = "li t1, 1\n li t2, 1\n slli t1, t1, 36\n mul t1, t1, t2\n mul t1, t1, t2\n mul t1, t1, t2\n jr t1\n";
	static const char other[] = "div t3, t3, t3\n addi t3, t3, 1\n addi t3, t3, 1\n csrr t4, cycle\n csrr a0, 0xcc9\n ld a1, 0(a0)\n sd t4, 0(a1)\n" EXIT;
	const struct rig_range range = one_warp();
	char config[256];
	snprintf(config, sizeof(config), "mini" QUICK_MEMORY ",tlb_l2_latency=200,div_latency=%u", divides);
	struct bench b = bench_of(rig_create(config, BUS_TIMED, SIMD_AUTO, false));
	const uint64_t entry = rig_load_text(b.r, fails), entry_other = rig_load_text(b.r, other);
	const struct rig_end *e = b.r->ends;

	assert_int_equal(rig_start(b.r, 0, entry, &range), FAULT_NONE);
	assert_int_equal(rig_start(b.r, 1, entry_other, &range), FAULT_NONE);
	assert_true(rig_finish(b.r, 1000000));
	assert_true(e[0].faulted);
	assert_int_equal(e[0].fault.pc, 1ull << 36);
	assert_false(e[1].faulted);
	*fault = e[0].end;
	*third = *(uint64_t *)b.out - 1;
	rig_destroy(b.r);
}

/* While its page is looked for the warp has no turn, and its fault takes no issue. So the fault is late only where the other warp issues in its
 * cycle: the first instruction behind the division, since the search begins behind the warp that fails, and those with which it goes on. */
static void turn_of_a_fetch_that_fails(void **state)
{
	enum { LONG = 100000, NEAR = 20 };
	uint64_t alone, fault, third;

	(void)state;
	fault_beside_another(LONG, &alone, &third);
	const uint64_t first = third - LONG - 5; /* issues so many cycles behind it where the division takes none */
	for (int after = -NEAR; after <= NEAR; after++) {
		const unsigned divides = (unsigned)(alone + (uint64_t)after - first);

		fault_beside_another(divides, &fault, &third);
		assert_int_equal(third, first + divides + 5);
		assert_int_equal(fault, alone + (after == 0 || after == -6 ? 1 : after == -5 ? 2 : 0));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_held), cmocka_unit_test(time_of_a_miss), cmocka_unit_test(one_read_for_all),
		cmocka_unit_test(emptied_for_another_dispatch), cmocka_unit_test(dropped_by_an_invalidation), cmocka_unit_test(looked_up_behind_a_drop),
		cmocka_unit_test(words_of_a_line), cmocka_unit_test(lines_that_fail), cmocka_unit_test(turn_of_a_fetch_that_fails),
	};

	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
