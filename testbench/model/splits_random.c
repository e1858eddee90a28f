/* Which lanes of a warp execute which instruction after which other: random programs of branches, calls, returns, jumps to many
 * targets, atomics, barriers and rendezvous, whose instructions leave marks in memory, against the reference of the lanes
 * (testbench/reference/lanes.c), which was written from the manual. Usage: splits_random [seed]. */
#include "abi/events.h"
#include "testbench/model/encode.h"
#include "testbench/model/event_log.h"
#include "testbench/model/kernel.h"
#include "testbench/random.h"
#include "testbench/reference/lanes.h"

enum { LANES = 4, MAX_INSNS = 1500, PROGRAMS = 60, STEPS = 40000, MARKS = 128, STRIDE = 4 * LANES };
#define EXIT_WORD 0x0000100bu
#define BARRIER_WORD 0x0000000bu
#define SYNC_WORD 0x0000200bu
/* registers of the programs: s1 a lane's column of the marks, a3 its random number, a4 the factor, a6 a word for atomics */

static uint64_t seed;

static unsigned below(unsigned n) { return (unsigned)(splitmix64(&seed) >> 33) % n; }

/* ---- the program ---- */

struct program {
	uint32_t word[MAX_INSNS];
	unsigned count;
};

/* What a program is made of, in percent: programs that spin, that call, that wait for each other. */
static const struct mix { unsigned branch, jump, call, back, atomic, choose, wait, reach; } mixes[] = {
	{ .branch = 20, .jump = 6, .call = 6, .back = 6, .atomic = 3, .choose = 1, .wait = 2, .reach = 16 },
	{ .branch = 8, .jump = 2, .call = 1, .back = 1, .atomic = 0, .choose = 0, .wait = 0, .reach = 30 },
	{ .branch = 8, .jump = 2, .call = 1, .back = 1, .atomic = 20, .choose = 0, .wait = 0, .reach = 60 },
	{ .branch = 30, .jump = 2, .call = 2, .back = 2, .atomic = 2, .choose = 2, .wait = 14, .reach = 12 },
};

static uint32_t insn_random(const struct mix *m, unsigned at, unsigned from, unsigned count)
{
	static const unsigned links[] = { 0, RA, T0, T1 };
	unsigned what = below(100), lo = at > from + m->reach ? at - m->reach : from, hi = at + m->reach < count ? at + m->reach : count - 1;
	int offset = 4 * ((int)(lo + below(hi - lo + 1)) - (int)at);

	if (what < m->branch)
		return enc_b(4, A3, ZERO, offset); /* blt */
	what -= m->branch;
	if (what < m->jump)
		return enc_jal(0, offset);
	what -= m->jump;
	if (what < m->call)
		return enc_jal(links[1 + below(3)], offset);
	what -= m->call;
	if (what < m->back)
		return enc_i(0x67, 0, links[below(4)], links[1 + below(3)], 0);
	what -= m->back;
	if (what < m->atomic)
		return enc_amo(0, 2, 0, A6, 0);
	what -= m->atomic;
	if (what < m->choose)
		return enc_csrrs(A5, below(2) ? 0xc00 : 0xc02, 0);
	what -= m->choose;
	if (what < m->wait)
		return below(2) ? SYNC_WORD : BARRIER_WORD;
	return below(3) ? enc_sw(0, S1, STRIDE * (int)(at % MARKS)) : enc_r(0x33, 0, 1, A3, A3, A4); /* mul */
}

static unsigned prologue(struct program *p)
{
	unsigned n = 0;

	p->word[n++] = enc_csrrs(A0, CSR_kernarg, 0);
	p->word[n++] = enc_csrrs(A1, CSR_lane_id, 0);
	p->word[n++] = enc_ld(S1, A0, 0);
	p->word[n++] = enc_slli(A2, A1, 2);
	p->word[n++] = enc_r(0x33, 0, 0, S1, S1, A2);
	p->word[n++] = enc_slli(A2, A1, 3);
	p->word[n++] = enc_r(0x33, 0, 0, A2, A2, A0);
	p->word[n++] = enc_ld(A3, A2, 64);
	p->word[n++] = enc_ld(A4, A0, 8);
	p->word[n++] = enc_ld(A6, A0, 16);
	p->word[n++] = 0x00000317; /* auipc t1: links that nothing has set lead here */
	p->word[n++] = enc_addi(RA, T1, 0);
	p->word[n++] = enc_addi(T0, T1, 0);
	return n;
}

static void program_random(struct program *p, const struct mix *m, unsigned count)
{
	unsigned from = prologue(p);

	p->count = count;
	for (unsigned i = from; i < count; i++)
		p->word[i] = insn_random(m, i, from, count);
	for (unsigned i = 3 * m->reach; i < count; i += 3 * m->reach + below(count)) /* a lane in some place ends */
		p->word[i] = EXIT_WORD;
	p->word[count - 1] = EXIT_WORD;
}

/* ---- the reference, with the registers that decide where lanes go ---- */

struct item {
	struct lanes lanes;
	uint64_t entry, state[LANES], link[LANES][32];
	uint64_t rotations;
};

static uint64_t random_factor(void) { return 0x5851f42d4c957f2dull; }

static void outcome_of(struct item *t, const struct lanes_split *s, uint32_t word, struct lanes_outcome *o, uint64_t *targets)
{
	unsigned rd = word >> 7 & 31, rs1 = word >> 15 & 31, op = word & 0x7f;

	*o = (struct lanes_outcome){ .word = word, .targets = targets };
	for (unsigned l = 0; l < LANES; l++) {
		if (!(s->mask >> l & 1))
			continue;
		targets[l] = t->link[l][rs1] & ~1ull;
		if (op == 0x63 && (int64_t)t->state[l] < 0)
			o->taken |= 1u << l;
		if (op == 0x33 && rd == A3)
			t->state[l] *= random_factor();
		if (op == 0x6f || op == 0x67)
			t->link[l][rd] = s->pc + 4;
		if (op == 0x17)
			t->link[l][RA] = t->link[l][T0] = t->link[l][T1] = s->pc;
		t->link[l][0] = 0;
	}
}

/* The next mark that the reference sets: its address's offset and its lanes. False: none will come in so many steps. */
static bool mark_next(struct item *t, const struct program *p, unsigned *steps, unsigned *mark, uint32_t *mask)
{
	struct lanes *const alone[] = { &t->lanes };
	struct lanes_outcome o;
	struct lanes_split s;
	uint64_t targets[LANES_MAX];

	while (*steps < STEPS) {
		enum lanes_state state = lanes_next(&t->lanes, &s);
		uint32_t word;

		++*steps;
		if (state == LANES_STEPS) {
			lanes_page_step(&t->lanes);
			continue;
		}
		if (state != LANES_ISSUES)
			return false;
		assert_in_range(s.pc, t->entry, t->entry + 4 * (p->count - 1));
		word = p->word[(s.pc - t->entry) / 4];
		outcome_of(t, &s, word, &o, targets);
		lanes_retire(&t->lanes, &o);
		if (word == BARRIER_WORD || word == EXIT_WORD)
			lanes_barrier_opens(alone, 1);
		if ((word & 0x7f) == 0x23) {
			*mark = (unsigned)((s.pc - t->entry) / 4 % MARKS);
			*mask = s.mask;
			return true;
		}
	}
	return false;
}

/* ---- the device ---- */

static struct event_log seen;

/* The lanes that one instruction has marked; false when no mark is left. */
static bool mark_seen(unsigned *at, unsigned *mark, uint32_t *mask)
{
	const struct event *e;
	uint64_t cycle = 0;

	*mask = 0;
	while (*at < seen.count) {
		uint64_t offset;

		e = &seen.event[*at];
		offset = e->a - out_va;
		if (e->kind != EVENT_WRITE || e->unit != UNIT_CU || offset >= MARKS * STRIDE) {
			++*at;
			continue;
		}
		if (*mask && (e->cycle != cycle || offset / STRIDE != *mark))
			return true;
		cycle = e->cycle;
		*mark = (unsigned)(offset / STRIDE);
		*mask |= ((1u << e->c / 4) - 1) << offset % STRIDE / 4;
		++*at;
	}
	return *mask != 0;
}

/* How many marks were compared. */
static unsigned program_run(const struct program *p, unsigned lanes, uint64_t *rotations)
{
	event_log_init(&seen);
	struct bench b = bench_of(rig_create_events("mini", BUS_TIMED, SIMD_AUTO, false, &seen.sink));
	struct rig_range range = { .global = { lanes }, .local = { (uint16_t)lanes }, .kernarg = arg_va };
	struct item t = { .entry = rig_load(b.r, p->word, p->count) };
	unsigned at = 0, steps = 0, marks = 0, mark[2], mask[2];

	b.arg[1] = random_factor();
	b.arg[2] = out_va + OUT_BYTES / 2;
	for (unsigned l = 0; l < LANES; l++)
		b.arg[8 + l] = t.state[l] = splitmix64(&seed) | 1;
	lanes_begin(&t.lanes, (1u << lanes) - 1, t.entry);
	assert_int_equal(rig_start(b.r, 0, t.entry, &range), FAULT_NONE);
	rig_finish(b.r, 12 * STEPS);
	if (b.r->ends[0].ended && b.r->ends[0].faulted)
		fail_msg("fault %s at %#llx", fault_name(b.r->ends[0].fault.code), (unsigned long long)(b.r->ends[0].fault.pc - t.entry));
	while (mark_next(&t, p, &steps, &mark[0], &mask[0])) {
		if (!mark_seen(&at, &mark[1], &mask[1])) {
			assert_false(b.r->ends[0].ended); /* it ran no farther */
			break;
		}
		if (mark[0] != mark[1] || mask[0] != mask[1])
			fail_msg("step %u: mark %u by lanes %#x, expected %u by %#x", steps, mark[1], mask[1], mark[0], mask[0]);
		marks++;
	}
	if (steps < STEPS && b.r->ends[0].ended)
		assert_false(mark_seen(&at, &mark[1], &mask[1]));
	*rotations += t.lanes.rotations;
	if (!b.r->ends[0].ended)
		compute_abort(b.r->compute, &(struct compute_abort){ 0 }, b.r->now);
	rig_destroy(b.r);
	event_log_fini(&seen);
	return marks;
}

static void random_programs(void **state)
{
	static struct program p;
	uint64_t rotations = 0, marks = 0;

	(void)state;
	for (unsigned i = 0; i < PROGRAMS; i++) {
		program_random(&p, &mixes[i % 4], i % 3 ? 200 + below(600) : 1100 + below(400));
		marks += program_run(&p, 1 + below(LANES), &rotations);
	}
	printf("# %llu marks, %llu rotations\n", (unsigned long long)marks, (unsigned long long)rotations);
	assert_true(marks > 10000);
	assert_true(rotations > 20);
}

/* A split that spins with atomics, or without, and one behind it that would never run. */
static void spinning_splits(void **state)
{
	static struct program p;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		uint64_t rotations = 0;
		unsigned n = prologue(&p);

		p.word[n++] = enc_r(0x33, 0, 1, A3, A3, A4);
		p.word[n++] = enc_b(4, A3, ZERO, 16 + 4);
		p.word[n++] = i & 1 ? enc_amo(0, 2, 0, A6, 0) : ENC_NOP;
		p.word[n] = enc_sw(0, S1, STRIDE * (int)(n % MARKS));
		n++;
		p.word[n++] = i & 2 ? enc_amo(0, 2, 0, A6, 0) : ENC_NOP;
		p.word[n++] = enc_jal(0, -12);
		p.word[n] = enc_sw(0, S1, STRIDE * (int)(n % MARKS));
		n++;
		p.word[n++] = i & 4 ? enc_amo(0, 2, 0, A6, 0) : ENC_NOP;
		p.word[n++] = enc_jal(0, -8);
		p.count = n;
		while (!rotations) /* until lanes part */
			assert_true(program_run(&p, LANES, &rotations) > 1000);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_programs), cmocka_unit_test(spinning_splits) };

	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
