/* The reference of the lanes (lanes.h), which was written from the manual, against compute units: kernels whose lanes part and meet run
 * on a rig, and of each instruction that retires the reference has said at which pc, for which lanes. Where lanes go comes from the
 * registers that the units report. Pages go away meanwhile, and are there again for a replay; translations and instructions are dropped.
 * Usage: lanes_model [SEED [STEPS]]; a step is an instruction of a warp, and the seed is printed. */
#include "abi/address_map.h"
#include "testbench/lockstep/kernel.h"
#include "testbench/model/rig.h"
#include "testbench/random.h"
#include "testbench/reference/lanes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS = 4, WARPS = 16, GROUPS = UNITS * WARPS, MEMORY = 1 << 20, SLICES = 400, CYCLES = 400000000 };
enum { WORD_BARRIER = 0x000b, WORD_EXIT = 0x100b, STACK = 2 };
static const uint64_t memory_va = 0x3000000000, code_va = 0x4000000000;

static uint64_t seed = 1, steps = 1000000;

/* ---- warps as the reference has them ---- */

struct item {
	struct lanes lanes;
	uint64_t x[LANES_MAX][32];
};

struct group {
	bool begun;
	unsigned unit, warps;
	uint64_t number;
	bool opens; /* its barrier, in the reference and not yet on the device */
	struct item warp[WARPS];
};

/* A rule of the manual changed in the reference: what it makes of a warp behind an instruction. */
struct plant {
	const char *what;
	void (*change)(struct lanes *now, const struct lanes *before, uint32_t word);
};

struct watch {
	struct event_sink sink;
	const struct kernel *kernel;
	const struct plant *plant;
	unsigned lanes;
	uint64_t entry;
	struct group groups[GROUPS];
	struct { struct group *group; struct item *item; } slots[UNITS][WARPS];
	char differs[256]; /* how, for the first time */
	struct seen { uint64_t steps, page_steps, rotations, atomic_rotations, most_splits, deepest, barriers, meetings, stalls, faults; } seen;
};

static void differ(struct watch *w, const struct event *e, const struct item *item, const char *what)
{
	struct lanes_split s = { 0 };
	const enum lanes_state state = item ? lanes_next(&item->lanes, &s) : LANES_ENDED;
	if (!*w->differs)
		snprintf(w->differs, sizeof w->differs, "%s: unit %u, warp slot %u, instruction %u of the warp: pc %#" PRIx64 ", lanes %#x; the manual: %s %#" PRIx64 ", lanes %#x",
			 what, e->unit - UNIT_CU, (unsigned)e->c, item ? (unsigned)item->lanes.retired : 0, e->a, (unsigned)(e->b >> 32),
			 state == LANES_ISSUES ? "pc" : "nothing", s.pc, s.mask);
}

/* ---- what an instruction did, from registers ---- */

static bool branch_taken(uint32_t word, uint64_t a, uint64_t b)
{
	const bool of[] = { a == b, a != b, false, false, (int64_t)a < (int64_t)b, (int64_t)a >= (int64_t)b, a < b, a >= b };
	return of[word >> 12 & 7];
}

static void outcome_of(const struct item *t, uint32_t word, struct lanes_outcome *o, uint64_t *targets)
{
	*o = (struct lanes_outcome){ .word = word, .targets = targets };
	for (unsigned l = 0; l < LANES_MAX; l++) {
		const uint64_t a = t->x[l][word >> 15 & 31], b = t->x[l][word >> 20 & 31];
		targets[l] = (a + (uint64_t)(int64_t)((int32_t)word >> 20)) & ~1ull;
		if ((word & 0x7f) == 0x63)
			o->taken |= (uint32_t)branch_taken(word, a, b) << l;
	}
}

static void registers_written(struct item *t, uint32_t word, uint32_t mask, const uint64_t *words, unsigned count)
{
	struct insn i;
	if (!count || !insn_decode(word, &i) || i.rd >= 32)
		return;
	for (unsigned l = 0, n = 0; l < LANES_MAX; l++)
		if (mask >> l & 1)
			t->x[l][i.rd] = words[n++];
}

/* ---- the device's events ---- */

static struct group *group_of(struct watch *w, unsigned unit, uint64_t number)
{
	struct group *g = w->groups;
	while (g < w->groups + GROUPS && !(g->begun && g->unit == unit && g->number == number))
		g++;
	assert_true(g < w->groups + GROUPS);
	return g;
}

static void group_begins(struct watch *w, unsigned unit, const struct event *e)
{
	struct group *g = w->groups;
	while (g->begun)
		g++;
	assert_true(g < w->groups + GROUPS && e->b <= WARPS);
	*g = (struct group){ .begun = true, .unit = unit, .number = e->a, .warps = (unsigned)e->b };
}

static void warp_begins(struct watch *w, unsigned unit, const struct event *e)
{
	struct group *g = group_of(w, unit, e->b);
	struct item *t = &g->warp[e->c];
	const unsigned items = w->kernel->local - (unsigned)e->c * w->lanes;
	lanes_begin(&t->lanes, items >= w->lanes ? UINT32_MAX >> (32 - w->lanes) : (1u << items) - 1, w->entry);
	for (unsigned l = 0; l < LANES_MAX; l++)
		t->x[l][STACK] = VA_PRIVATE_BASE + KERNEL_PRIVATE;
	w->slots[unit][e->a].group = g;
	w->slots[unit][e->a].item = t;
}

static void device_event(struct event_sink *sink, const struct event *e)
{
	struct watch *w = (struct watch *)sink;
	const unsigned unit = (unsigned)e->unit - UNIT_CU;
	if (*w->differs || e->unit < UNIT_CU || unit >= UNITS)
		return;
	switch (e->kind) {
	case EVENT_GROUP:
		group_begins(w, unit, e);
		break;
	case EVENT_WARP:
		warp_begins(w, unit, e);
		break;
	case EVENT_BARRIER:
		if (!group_of(w, unit, e->a)->opens)
			differ(w, e, NULL, "a barrier opens");
		group_of(w, unit, e->a)->opens = false;
		w->seen.barriers++;
		break;
	case EVENT_WARP_END: {
		struct item *t = w->slots[unit][e->a].item;
		if (lanes_live(&t->lanes) || t->lanes.retired != e->b)
			differ(w, e, t, "a warp ends");
		break;
	}
	case EVENT_GROUP_END:
		group_of(w, unit, e->a)->begun = false;
	}
}

static void count_seen(struct watch *w, const struct lanes *now, const struct lanes *before, uint32_t word)
{
	const uint32_t depth = now->running.depth;
	w->seen.steps++;
	w->seen.rotations += now->rotations - before->rotations;
	w->seen.atomic_rotations += now->rotations != before->rotations && (word & 0x7f) == 0x2f && before->slice > 1;
	w->seen.meetings += now->runs && before->meets && now->running.pc == before->meeting && now->running.mask & ~before->running.mask;
	if (now->pending.count + 1u > w->seen.most_splits)
		w->seen.most_splits = now->pending.count + 1u;
	if (now->runs && depth > w->seen.deepest)
		w->seen.deepest = depth;
}

static void retires(struct event_sink *sink, const struct event *e, const uint64_t *words, unsigned count)
{
	struct watch *w = (struct watch *)sink;
	const uint32_t word = (uint32_t)e->b, mask = (uint32_t)(e->b >> 32);
	struct group *g = w->slots[e->unit - UNIT_CU][e->c].group;
	struct item *t = w->slots[e->unit - UNIT_CU][e->c].item;
	struct lanes *all[WARPS], before;
	struct lanes_split s;
	struct lanes_outcome o;
	uint64_t targets[LANES_MAX];
	if (*w->differs || e->kind != EVENT_RETIRE)
		return;
	for (; lanes_next(&t->lanes, &s) == LANES_STEPS; w->seen.page_steps++)
		lanes_page_step(&t->lanes);
	if (g->opens || lanes_next(&t->lanes, &s) != LANES_ISSUES || s.pc != e->a || s.mask != mask) {
		differ(w, e, t, g->opens ? "a barrier has not opened" : "another instruction");
		return;
	}
	before = t->lanes;
	outcome_of(t, word, &o, targets);
	lanes_retire(&t->lanes, &o);
	registers_written(t, word, mask, words, count);
	count_seen(w, &t->lanes, &before, word);
	if (w->plant)
		w->plant->change(&t->lanes, &before, word);
	for (unsigned i = 0; i < g->warps; i++)
		all[i] = &g->warp[i].lanes;
	if (word == WORD_BARRIER || word == WORD_EXIT)
		g->opens = lanes_barrier_opens(all, g->warps);
}

/* ---- a device ---- */

struct bench {
	struct rig *rig;
	struct watch watch;
	uint8_t *memory;
	uint32_t *code;
	uint64_t memory_pa, code_pa;
	unsigned most_local;
	unsigned drops_in; /* instructions are dropped in one of so many cycles; 0: now and then */
};

static const struct kind { const char *config; enum bus_speed speed; enum compute_simd simd; unsigned most_local; } kinds[] = {
	{ "mini", BUS_TIMED, SIMD_AUTO, 12 },
	{ "mini,perturb=1", BUS_TIMED, SIMD_PORTABLE, 12 },
	{ "mini,perturb=1", BUS_FUNCTIONAL, SIMD_AUTO, 12 },
	{ "full", BUS_TIMED, SIMD_AUTO, 80 },
	{ "full", BUS_FUNCTIONAL, SIMD_PORTABLE, 80 },
	{ "full,lanes=8,max_wg_size=128", BUS_TIMED, SIMD_AUTO, 40 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct bench *bench_create(const struct kind *kind, const struct plant *plant)
{
	struct bench *b = calloc(1, sizeof *b);
	b->watch.sink = (struct event_sink){ .event = device_event, .lanes = retires };
	b->watch.plant = plant;
	b->most_local = kind->most_local;
	b->rig = rig_create_events(kind->config, kind->speed, kind->simd, false, &b->watch.sink);
	b->watch.lanes = b->rig->config->lanes;
	b->watch.entry = code_va;
	b->memory_pa = rig_dram(b->rig, MEMORY);
	b->code_pa = rig_dram(b->rig, KERNEL_WORDS * 4);
	b->memory = rig_host(b->rig, b->memory_pa);
	b->code = rig_host(b->rig, b->code_pa);
	return b;
}

static void bench_destroy(struct bench *b)
{
	rig_destroy(b->rig);
	free(b);
}

static void map_all(struct bench *b)
{
	rig_map(b->rig, memory_va, b->memory_pa, MEMORY, PTE_R | PTE_W);
	rig_map(b->rig, code_va, b->code_pa, KERNEL_WORDS * 4, PTE_R | PTE_X);
}

/* What software may do while warps run. */
static void disturb(struct bench *b, struct ref_random *r)
{
	switch (ref_below(r, 6)) {
	case 0:
		rig_unmap(b->rig, code_va + ref_below(r, KERNEL_WORDS * 4 / 4096) * 4096);
		break;
	case 1:
		rig_unmap(b->rig, memory_va + ref_below(r, 4) * 4096);
		break;
	case 2:
	case 3:
		mmu_invalidate(b->rig->mmu, MMU_ALL, RIG_ASID, 0);
	}
	compute_flush_code(b->rig->compute, b->rig->now);
}

/* A fault is of the instruction that is next, and of its lanes. */
static void check_fault(const struct bench *b, const struct compute_fault *f)
{
	const struct group *g = b->watch.groups;
	struct lanes_split s = { 0 };
	if (*b->watch.differs)
		return;
	while (!(g->begun && g->unit + UNIT_CU == f->unit && g->number == f->group_id[0]))
		assert_true(++g < b->watch.groups + GROUPS);
	struct lanes next = g->warp[f->local_id[0] / b->watch.lanes].lanes;
	while (lanes_next(&next, &s) == LANES_STEPS)
		lanes_page_step(&next);
	assert_int_equal(lanes_next(&next, &s), LANES_ISSUES);
	const unsigned lane = f->local_id[0] % b->watch.lanes;
	if (s.pc != f->pc || !(s.mask >> lane & 1) || (f->access == ACCESS_EXEC && s.mask & ((1u << lane) - 1)))
		fail_msg("seed %" PRIu64 ": %s at pc %#" PRIx64 ", lane %u; the manual: pc %#" PRIx64 ", lanes %#x", seed, fault_name(f->code), f->pc,
			 lane, s.pc, s.mask);
}

static void kernel_run(struct bench *b, const struct kernel *k, struct ref_random r)
{
	struct rig *rig = b->rig;
	const struct rig_range range = { .global = { k->local * k->groups }, .local = { (uint16_t)k->local }, .local_bytes = k->local * KERNEL_LOCAL,
					 .private_bytes = KERNEL_PRIVATE, .kernarg = memory_va, .replay = true };
	b->watch.kernel = k;
	kernel_memory(k, r, b->memory);
	memcpy(b->code, k->words, k->count * 4);
	map_all(b);
	mmu_invalidate(rig->mmu, MMU_ALL, 0, 0);
	compute_flush_code(rig->compute, rig->now);
	assert_int_equal(rig_start(rig, 0, code_va, &range), FAULT_NONE);
	for (unsigned n = 0; b->drops_in && n < 100 * SLICES && !rig->ends[0].ended; n++) {
		rig_finish(rig, 1);
		if (ref_below(&r, b->drops_in) == 0)
			compute_flush_code(rig->compute, rig->now);
	}
	for (unsigned n = 0; n < SLICES && !rig->ends[0].ended; n++) {
		const unsigned stalls = rig->ends[0].stalls;
		rig_finish(rig, 1 + ref_below(&r, ref_below(&r, 4) ? 4000 : 50));
		if (rig->ends[0].stalls != stalls)
			check_fault(b, &rig->ends[0].stall);
		disturb(b, &r);
		if (ref_below(&r, 2))
			continue;
		map_all(b);
		compute_replay(rig->compute, &(struct compute_replay){ 0 }, rig->now);
	}
	map_all(b);
	mmu_invalidate(rig->mmu, MMU_ALL, 0, 0);
	compute_replay(rig->compute, &(struct compute_replay){ 0 }, rig->now);
	rig_finish(rig, CYCLES);
	assert_true(rig->ends[0].ended);
	b->watch.seen.stalls += rig->ends[0].stalls;
	b->watch.seen.faults += rig->ends[0].faulted;
	if (!rig->ends[0].faulted)
		return;
	if (rig->ends[0].fault.code != FAULT_MISALIGNED)
		fail_msg("%s at pc %#" PRIx64, fault_name(rig->ends[0].fault.code), rig->ends[0].fault.pc);
	check_fault(b, &rig->ends[0].fault);
	memset(b->watch.groups, 0, sizeof b->watch.groups);
}

static void kernel_of(struct kernel *k, struct bench *b, struct ref_random *r)
{
	if (ref_below(r, 12))
		kernel_divergent(k, r, b->most_local, true);
	else
		kernel_misaligned(k, r, b->most_local);
}

/* ---- cases ---- */

static void say(const struct kind *kind, const struct seen *s)
{
	printf("# %s, %s: %" PRIu64 " steps, %" PRIu64 " between pages, %" PRIu64 " rotations (%" PRIu64 " by atomics), %" PRIu64 " splits at most, %" PRIu64
	       " meetings, %" PRIu64 " barriers, %" PRIu64 " stalls, %" PRIu64 " faults\n",
	       kind->config, kind->speed == BUS_TIMED ? "timed" : "functional", s->steps, s->page_steps, s->rotations, s->atomic_rotations,
	       s->most_splits, s->meetings, s->barriers, s->stalls, s->faults);
}

static void add(struct seen *sum, const struct seen *s)
{
	sum->page_steps += s->page_steps;
	sum->rotations += s->rotations;
	sum->atomic_rotations += s->atomic_rotations;
	sum->barriers += s->barriers;
	sum->meetings += s->meetings;
	sum->stalls += s->stalls;
	sum->most_splits = s->most_splits > sum->most_splits ? s->most_splits : sum->most_splits;
	sum->deepest = s->deepest > sum->deepest ? s->deepest : sum->deepest;
}

static void the_manual_says_what_retires_next(void **state)
{
	static struct kernel k;
	struct bench *b[KINDS];
	struct seen sum = { 0 };
	uint64_t all = 0, kernels = 0;
	(void)state;
	for (unsigned i = 0; i < KINDS; i++)
		b[i] = bench_create(&kinds[i], NULL);
	for (; all < steps; kernels++) {
		struct bench *on = b[kernels % KINDS];
		struct ref_random r = { seed * 1000003 + kernels };
		const uint64_t before = on->watch.seen.steps;
		kernel_of(&k, on, &r);
		kernel_run(on, &k, r);
		if (*on->watch.differs)
			fail_msg("seed %" PRIu64 ", kernel %" PRIu64 " on %s: %s", seed, kernels, kinds[kernels % KINDS].config, on->watch.differs);
		all += on->watch.seen.steps - before;
	}
	for (unsigned i = 0; i < KINDS; i++) {
		say(&kinds[i], &b[i]->watch.seen);
		add(&sum, &b[i]->watch.seen);
		bench_destroy(b[i]);
	}
	printf("# %" PRIu64 " kernels, %" PRIu64 " steps\n", kernels, all);
	/* otherwise it shows little */
	assert_true(sum.rotations > sum.atomic_rotations && sum.atomic_rotations && sum.page_steps && sum.meetings && sum.barriers);
	assert_true(sum.most_splits > 4 && sum.deepest >> 16 == 0xffff && sum.stalls);
}

/* Half of the lanes wait at the first instruction of a page for the others, which loop and then go through the last ones of the page before:
 * the slice of these ends at each of those. */
static void kernel_at_page(struct kernel *k, unsigned straight)
{
	enum { LANE = 5, COUNT = 6, TURNS = 2047, PAGE_WORDS = 1024 };
	const unsigned page = PAGE_WORDS - straight;
	memset(k, 0, sizeof *k);
	k->groups = 1;
	k->local = 4;
	k->words[k->count++] = ref_word(OP_csrrs, LANE, 0, 0, CSR_lane_id);
	k->words[k->count++] = ref_word(OP_andi, LANE, LANE, 0, 1);
	k->words[k->count++] = ref_word(OP_addi, COUNT, 0, 0, TURNS);
	k->words[k->count] = ref_word(OP_jal, 0, 0, 0, 4 * (int32_t)(page - 3 - k->count));
	k->words[page - 3] = ref_word(OP_bne, 0, LANE, 0, 4 * (int32_t)(straight + 3));
	k->words[page - 2] = ref_word(OP_addi, COUNT, COUNT, 0, -1);
	k->words[page - 1] = ref_word(OP_bne, 0, COUNT, 0, -4);
	for (k->count = page; k->count < PAGE_WORDS + 4; k->count++)
		k->words[k->count] = ref_word(OP_addi, 0, 0, 0, 0);
	k->words[k->count++] = ref_word(OP_exit_, 0, 0, 0, 0);
}

static void a_slice_that_ends_with_a_page(void **state)
{
	static struct kernel k;
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct bench *b = bench_create(&kinds[i], NULL);
		uint64_t rotations = 0;
		for (unsigned straight = 0; straight < 6; straight++) {
			kernel_at_page(&k, straight);
			kernel_run(b, &k, (struct ref_random){ seed });
			if (*b->watch.differs)
				fail_msg("%u instructions to the end of the page, on %s: %s", straight, kinds[i].config, b->watch.differs);
			/* the slice has 4094 instructions in the loop; where it ends with the last one of the page, splits have met */
			assert_int_equal(b->watch.seen.rotations - rotations, straight > 2);
			rotations = b->watch.seen.rotations;
		}
		bench_destroy(b);
	}
}

/* Nor does it matter when: at a step to the next page, in a turn that a rotation gave. */
static void dropped_instructions_change_nothing(void **state)
{
	static struct kernel k;
	/* a line has to come before an instruction of it issues: with timing soon, and not all cycles drop it */
	static const struct kind dropped[] = {
		{ "mini,l1_latency=0,l2_latency=0,dram_latency=0,dram_row_cycles=0", BUS_TIMED, SIMD_AUTO, 12 },
		{ "mini,perturb=1", BUS_FUNCTIONAL, SIMD_AUTO, 12 },
	};
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bench *b = bench_create(&dropped[i], NULL);
		b->drops_in = dropped[i].speed == BUS_TIMED ? 4 : 1;
		b->most_local = b->watch.lanes;
		for (unsigned kernel = 0; kernel < (check_long() ? 1000 : 100); kernel++) {
			struct ref_random r = { seed * 99 + kernel };
			kernel_of(&k, b, &r);
			kernel_run(b, &k, r);
			if (*b->watch.differs)
				fail_msg("seed %" PRIu64 ", kernel %u on %s: %s", seed, kernel, dropped[i].config, b->watch.differs);
		}
		assert_true(b->watch.seen.page_steps && b->watch.seen.meetings);
		say(&dropped[i], &b->watch.seen);
		bench_destroy(b);
	}
}

static void rotations_by_two(struct lanes *now, const struct lanes *before, uint32_t word)
{
	(void)word;
	now->rotations += now->rotations != before->rotations;
}

static void short_turns(struct lanes *now, const struct lanes *before, uint32_t word)
{
	(void)word;
	now->slice -= now->borrowed && !before->borrowed;
}

static void steady_atomics(struct lanes *now, const struct lanes *before, uint32_t word)
{
	(void)before;
	if ((word & 0x7f) == 0x2f)
		now->atomics = 0;
}

static void shallow_returns(struct lanes *now, const struct lanes *before, uint32_t word)
{
	(void)before;
	if ((word & 0xfffff) == 0x08067 && now->runs && now->running.depth == UINT32_MAX)
		now->running.depth = 0;
}

static void no_meetings(struct lanes *now, const struct lanes *before, uint32_t word)
{
	(void)before, (void)word;
	now->meets = false;
}

static const struct plant plants[] = {
	{ "R grows by 2", rotations_by_two },
	{ "a turn has 511 instructions", short_turns },
	{ "atomics end no slice", steady_atomics },
	{ "a return at depth 0 stays there", shallow_returns },
	{ "splits do not meet", no_meetings },
};

/* A reference that knows another rule is found out. */
static void a_changed_rule_is_found(void **state)
{
	static struct kernel k;
	(void)state;
	for (unsigned n = 0; n < sizeof plants / sizeof *plants; n++) {
		struct bench *b = bench_create(&kinds[0], &plants[n]);
		for (unsigned kernel = 0; kernel < 2000 && !*b->watch.differs; kernel++) {
			struct ref_random r = { seed * 77 + kernel };
			kernel_of(&k, b, &r);
			kernel_run(b, &k, r);
		}
		if (!*b->watch.differs)
			fail_msg("%s: not found in %" PRIu64 " steps; seed %" PRIu64, plants[n].what, b->watch.seen.steps, seed);
		printf("# %s: after %" PRIu64 " steps\n", plants[n].what, b->watch.seen.steps);
		bench_destroy(b);
	}
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	steps = argc > 2 ? strtoull(argv[2], NULL, 0) : check_long() ? 20000000 : steps;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_manual_says_what_retires_next),
		cmocka_unit_test(dropped_instructions_change_nothing),
		cmocka_unit_test(a_slice_that_ends_with_a_page),
		cmocka_unit_test(a_changed_rule_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
