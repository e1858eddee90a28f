#include "testbench/rtl/scheduler_lockstep.h"
#include "model/cu/lsu.h"
#include "rtl/shim/scheduler_shim.h"
#include "testbench/random.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

const struct scheduler_geometry scheduler_geometry[SCHEDULER_GEOMETRIES] = {
	{ "mini", "mini" },
	{ "full", "full" },
	{ "5 warps", "mini,warps_per_cu=5,alu_latency=2,mul_latency=1,div_latency=9,fpu_latency=0,lds_latency=3" },
};
const char *const scheduler_count_name[SCHEDULER_COUNTS] = {
	[SCHEDULER_CYCLES] = "cycles", [SCHEDULER_ISSUES] = "instructions", [SCHEDULER_IDLE] = "cycles without one though warps run",
	[SCHEDULER_OPERANDS] = "cycles of warps that want registers", [SCHEDULER_FULL] = "room in the queue", [SCHEDULER_LATE_LINES] = "lines",
	[SCHEDULER_RESULTS] = "results", [SCHEDULER_MOST] = "most in a cycle", [SCHEDULER_FORGOTTEN] = "results of warps that have ended",
	[SCHEDULER_STORES] = "stores", [SCHEDULER_JUMPS] = "branches and jumps", [SCHEDULER_CHOICES] = "choices", [SCHEDULER_LOOKS] = "looks",
	[SCHEDULER_LOOKS_ON] = "that went on", [SCHEDULER_WAITS] = "barriers", [SCHEDULER_STALLS] = "stalls", [SCHEDULER_FAULTS] = "fetches that fail",
	[SCHEDULER_FAULTS_AND_ISSUE] = "with an instruction in their cycle", [SCHEDULER_BEGINS] = "begins", [SCHEDULER_ENDS] = "ends",
	[SCHEDULER_ABORTS] = "aborts", [SCHEDULER_DROPS] = "drops of instructions", [SCHEDULER_GREEDY] = "longest turn", [SCHEDULER_RESETS] = "resets",
};

enum { HORIZON = 1024, LONGEST = 400, SEGMENT = 4000, DISPATCHES = 3, CLASSES = CLASS_SG + 1 };

/* A warp slot. */
struct slot {
	enum { FREE, WAITS, RUNS } state;
	uint64_t from;        /* FREE: a warp begins in this cycle; WAITS: it runs from this cycle on */
	uint64_t chose_at;    /* WAITS: the cycle in which the scheduler is told that it goes on anew; 0: it has been */
	bool looked;          /* its next instruction is known */
	struct uop op;
	unsigned late;        /* until it is looked at: how many cycles its line, or the fault of that, is late */
	uint64_t line;        /* then: the cycle from which on that is there */
	bool fails, stalls;   /* it cannot be fetched; which stalls the warp alone */
	unsigned dispatch;
	uint64_t reissue;     /* CU-71 */
	struct scoreboard scores;
};

struct lockstep {
	uint64_t random, now, segment_ends;
	const char *name;
	struct device_config config;
	unsigned geometry, warps;
	/* of the segment: registers in use, weights of the classes, and out of 64 how often lines are late, warps choose, latencies are long */
	unsigned registers, weight[CLASSES], late, choose, slow, rare;
	struct slot slot[MAX_WARPS];
	struct { unsigned n; struct { unsigned warp, rd; } result[SCHEDULER_SHIM_RESULTS]; } due[HORIZON];
	uint64_t accepted[MAX_WARPS]; /* the cycle of a store that has yet to be accepted; 0: none */
	unsigned next;                /* P */
	bool issued;                  /* its warp issued in the cycle before */
	unsigned turn;                /* instructions of one warp in a row */
	unsigned ends;                /* dispatches that end with the next cycle, a bit each */
	struct cu *cu;                /* the queue of its load-store unit */
	struct scheduler_shim *shim;
	struct scheduler_shim_in in;
	struct scheduler_lockstep_result *result;
};

static uint64_t below(struct lockstep *l, uint64_t n) { return splitmix64(&l->random) % n; }
static bool often(struct lockstep *l, unsigned of_64) { return below(l, 64) < of_64; }

__attribute__((format(printf, 2, 3))) static void differs(struct lockstep *l, const char *format, ...)
{
	struct scheduler_lockstep_result *r = l->result;
	va_list args;
	int n;

	if (r->text[0])
		return;
	n = snprintf(r->text, sizeof(r->text), "%s, cycle %" PRIu64 ": ", l->name, l->now);
	va_start(args, format);
	vsnprintf(r->text + n, sizeof(r->text) - (size_t)n, format, args);
	va_end(args);
}

/* ---- instructions ---- */

static uint8_t random_register(struct lockstep *l)
{
	const unsigned n = (unsigned)below(l, l->registers);

	return (uint8_t)(below(l, 32) ? 1 + n / 2 + (n & 1) * 31 : below(l, 64)); /* x1, f0, x2, f1 ... */
}

static uint8_t random_source(struct lockstep *l) { return below(l, 3) ? random_register(l) : 0; }

static unsigned random_class(struct lockstep *l)
{
	unsigned sum = 0, cls = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		sum += l->weight[i];
	for (sum = (unsigned)below(l, sum); sum >= l->weight[cls]; cls++)
		sum -= l->weight[cls];
	return cls;
}

/* The next instruction of a warp, of the line of the one before or of another one. */
static void random_next(struct lockstep *l, struct slot *s)
{
	const unsigned cls = random_class(l);

	s->op = (struct uop){ .cls = (uint8_t)cls, .rd = REG_SINK, .rs1 = random_source(l), .rs2 = random_source(l), .rs3 = random_source(l) };
	if (cls != CLASS_BRANCH && cls != CLASS_STORE && below(l, 10))
		s->op.rd = random_register(l);
	if (!s->op.rd)
		s->op.rd = REG_SINK;
	s->op.set = scoreboard_register(s->op.rd);
	s->late = often(l, l->late) ? (unsigned)below(l, 40) : 0;
	s->fails = !below(l, l->rare);
	s->stalls = below(l, 2);
	s->looked = false;
}

/* Its line is looked up in this cycle. */
static void look(struct slot *s, uint64_t now)
{
	s->looked = true;
	s->line = now + s->late;
}

static bool takes_queue(const struct uop *op) { return op->cls == CLASS_LOAD || op->cls == CLASS_STORE || op->cls == CLASS_ATOMIC; }

/* The first cycle in which the warp of a slot could issue, or its fault be met, if it ran; not before now. */
static uint64_t can_from(struct lockstep *l, const struct slot *s)
{
	uint64_t from = s->reissue, ready = s->looked && !s->fails ? scoreboard_ready(&s->scores, &s->op) : 0;

	if (!s->looked)
		return from;
	from = s->line > from ? s->line : from;
	if (ready > from)
		from = ready;
	return !s->fails && lsu_takes(&s->op) && l->cu->lsu.room > (from > l->now ? from : l->now) ? l->cu->lsu.room : from;
}

/* ---- warps that begin, end and go on ---- */

static void frees(struct lockstep *l, struct slot *s, uint64_t from)
{
	s->state = FREE;
	s->from = from + (below(l, 3) ? below(l, 60) : 0);
	s->chose_at = 0;
	l->result->count[SCHEDULER_ENDS]++;
}

static void waits(struct lockstep *l, struct slot *s, uint64_t from)
{
	s->state = WAITS;
	s->from = from + (below(l, 4) ? below(l, 60) : 0);
	s->chose_at = 0;
}

static void dispatches_end(struct lockstep *l, unsigned which, uint64_t from)
{
	for (unsigned i = 0; i < l->warps; i++)
		if (l->slot[i].state != FREE && which >> l->slot[i].dispatch & 1)
			frees(l, &l->slot[i], from);
}

/* A warp begins. What was to come for the one before it does not, after this cycle. */
static void begins(struct lockstep *l, unsigned i)
{
	struct slot *s = &l->slot[i];

	memset(&s->scores, 0, sizeof(s->scores));
	waits(l, s, l->now + 1);
	s->dispatch = (unsigned)below(l, DISPATCHES);
	s->reissue = 0;
	random_next(l, s);
	for (uint64_t t = l->now + 1; t < l->now + HORIZON; t++)
		for (unsigned k = 0; k < l->due[t % HORIZON].n; k++)
			if (l->due[t % HORIZON].result[k].warp == i) {
				l->due[t % HORIZON].result[k--] = l->due[t % HORIZON].result[--l->due[t % HORIZON].n];
				l->result->count[SCHEDULER_FORGOTTEN]++;
			}
	if (l->accepted[i] > l->now)
		l->accepted[i] = 0;
	l->in.begins |= 1u << i;
	l->result->count[SCHEDULER_BEGINS]++;
}

/* ---- inputs ---- */

/* What a warp that runs, or ran up to this cycle, has for the scheduler. What means nothing is random. */
static void candidate(struct lockstep *l, unsigned i, bool runs)
{
	const struct slot *s = &l->slot[i];
	const bool here = s->looked ? s->line <= l->now : !s->late, there = here && !s->fails;
	const uint64_t noise = splitmix64(&l->random);
	struct scheduler_shim_candidate *c = &l->in.candidate[i];

	*c = (struct scheduler_shim_candidate){ .runs = runs, .there = there, .fails = here && s->fails, .stalls = s->stalls, .dispatch = s->dispatch };
	c->cls = there ? s->op.cls : noise % CLASSES;
	c->rd = there ? s->op.rd % REG_SINK : noise >> 4 & 63;
	c->rs1 = there ? s->op.rs1 : noise >> 10 & 63;
	c->rs2 = there ? s->op.rs2 : noise >> 16 & 63;
	c->rs3 = there ? s->op.rs3 : noise >> 22 & 63;
	if (!runs)
		return;
	l->result->count[SCHEDULER_LATE_LINES] += s->looked && !here;
	l->result->count[SCHEDULER_OPERANDS] += there && scoreboard_ready(&s->scores, &s->op) > l->now;
	l->result->count[SCHEDULER_FULL] += there && (lsu_takes(&s->op) && l->cu->lsu.room > l->now);
}

/* The beginning of a cycle: what comes, and which warps run. */
static void inputs(struct lockstep *l)
{
	const unsigned aborted = below(l, l->rare * 4) ? 0 : 1u << below(l, DISPATCHES), n = l->due[l->now % HORIZON].n;
	unsigned long *count = l->result->count;

	l->in.begins = l->in.accepted = 0;
	l->in.room = l->cu->lsu.room <= l->now;
	l->in.results = n;
	for (unsigned i = 0; i < n; i++) {
		l->in.result[i].warp = l->due[l->now % HORIZON].result[i].warp;
		l->in.result[i].rd = l->due[l->now % HORIZON].result[i].rd;
	}
	l->due[l->now % HORIZON].n = 0;
	count[SCHEDULER_RESULTS] += n;
	count[SCHEDULER_MOST] = n > count[SCHEDULER_MOST] ? n : count[SCHEDULER_MOST];
	count[SCHEDULER_ABORTS] += aborted != 0;
	for (unsigned i = 0; i < l->warps; i++) {
		struct slot *s = &l->slot[i];

		if (s->state == WAITS && s->from <= l->now)
			s->state = RUNS;
		candidate(l, i, s->state == RUNS && !((aborted | l->ends) >> s->dispatch & 1));
		if (l->accepted[i] == l->now) {
			l->in.accepted |= 1u << i;
			l->accepted[i] = 0;
		}
	}
	dispatches_end(l, aborted | l->ends, l->now);
	l->ends = 0;
	for (unsigned i = 0; i < l->warps; i++)
		if (l->slot[i].state == FREE && l->slot[i].from <= l->now)
			begins(l, i);
}

/* ---- the search, as the manual says it ---- */

struct found {
	unsigned slot; /* MAX_WARPS: none */
	uint32_t looks, faults;
};

static void fault(struct lockstep *l, unsigned i, uint64_t *wake)
{
	struct slot *s = &l->slot[i];

	l->next = i;
	if (s->stalls) {
		waits(l, s, l->now + 1);
		s->chose_at = l->now + below(l, s->from - l->now);
		s->reissue = 0;
		random_next(l, s);
		wake[i] = UINT64_MAX;
		l->result->count[SCHEDULER_STALLS]++;
		return;
	}
	for (unsigned k = 0; k < l->warps; k++)
		if (l->slot[k].dispatch == s->dispatch)
			wake[k] = UINT64_MAX;
	dispatches_end(l, 1u << s->dispatch, l->now + 1);
}

static struct found search(struct lockstep *l)
{
	struct found f = { .slot = MAX_WARPS };
	uint64_t wake[MAX_WARPS];
	unsigned i;

	for (i = 0; i < MAX_WARPS; i++)
		wake[i] = i < l->warps && l->slot[i].state == RUNS ? can_from(l, &l->slot[i]) : UINT64_MAX;
	while ((i = scheduler_pick(wake, l->next, l->now)) != MAX_WARPS) {
		struct slot *s = &l->slot[i];

		if (!s->looked) {
			f.looks |= 1u << i;
			look(s, l->now);
			wake[i] = can_from(l, s);
			if (wake[i] > l->now) {
				l->next = (i + 1) % MAX_WARPS;
				l->result->count[SCHEDULER_LOOKS_ON]++;
				continue;
			}
		}
		if (!s->fails) {
			f.slot = l->next = i;
			break;
		}
		f.faults |= 1u << i;
		fault(l, i, wake);
	}
	return f;
}

/* CU-73: a warp that issued and cannot go on is the last to be looked at. */
static void turn_ends(struct lockstep *l)
{
	const struct slot *s = &l->slot[l->next];

	if (l->issued && s->looked && can_from(l, s) > l->now)
		l->next = (l->next + 1) % MAX_WARPS;
}

/* ---- an instruction issues ---- */

/* When the result of an access is there, or a store accepted. */
static uint64_t access_done(struct lockstep *l, unsigned i, bool faults)
{
	struct slot *s = &l->slot[i];
	uint64_t done = l->now + (faults ? 0 : often(l, l->slow) ? below(l, LONGEST) : below(l, 40)), at;

	lsu_queued(l->cu, l->now + (often(l, l->slow) ? below(l, 100) : below(l, 3)));
	at = done > l->now ? done : l->now + 1; /* in a later cycle it is the same */
	if (s->op.cls == CLASS_STORE) {
		l->accepted[i] = at;
	} else if (s->op.rd != REG_SINK) {
		for (; l->due[at % HORIZON].n == SCHEDULER_SHIM_RESULTS; at++)
			done = at + 1;
		l->due[at % HORIZON].result[l->due[at % HORIZON].n].warp = i;
		l->due[at % HORIZON].result[l->due[at % HORIZON].n++].rd = s->op.rd;
	}
	return done;
}

/* The warp goes on, chooses, waits, stalls or ends. Whether it is one of the latter. */
static bool goes_elsewhere(struct lockstep *l, unsigned i, bool faults)
{
	struct slot *s = &l->slot[i];
	unsigned long *n = l->result->count;
	const unsigned what = s->op.cls == CLASS_SYSTEM ? (unsigned)below(l, 16) : 16;

	if (faults && below(l, 2)) {
		l->ends |= 1u << s->dispatch;
		return true;
	}
	if (faults || what < 2) {
		n[faults ? SCHEDULER_STALLS : SCHEDULER_WAITS]++;
		waits(l, s, l->now + 1);
		s->reissue = 0;
		return true;
	}
	if (what == 2) {
		frees(l, s, l->now + 1);
		return true;
	}
	if (what < 8 || often(l, l->choose)) {
		n[SCHEDULER_CHOICES]++;
		return true;
	}
	return false;
}

/* Returns whether the warp chose, for the scheduler. */
static bool issue(struct lockstep *l, unsigned i)
{
	struct slot *s = &l->slot[i];
	const bool access = takes_queue(&s->op), faults = access && !below(l, l->rare);
	const uint64_t done = access ? access_done(l, i, faults) : l->now + scoreboard_latency(&l->config, s->op.cls);
	bool chose;

	scoreboard_set(&s->scores, &s->op, done);
	s->reissue = scheduler_reissue(s->op.cls, l->now, done);
	l->result->count[SCHEDULER_STORES] += s->op.cls == CLASS_STORE;
	l->result->count[SCHEDULER_JUMPS] += s->op.cls == CLASS_BRANCH || s->op.cls == CLASS_JUMP;
	chose = goes_elsewhere(l, i, faults);
	random_next(l, s);
	if (!chose)
		look(s, l->now + 1);
	return chose;
}

/* ---- a cycle ---- */

static void compare(struct lockstep *l, const struct found *f, unsigned before, const struct scheduler_shim_out *out)
{
	const bool issues = f->slot != MAX_WARPS;

	if (out->issues != issues || (issues && out->warp != f->slot))
		differs(l, "slot %d issues, of the model %d", out->issues ? (int)out->warp : -1, issues ? (int)f->slot : -1);
	else if (issues && (out->cls != l->slot[f->slot].op.cls || out->rd != l->slot[f->slot].op.rd % REG_SINK))
		differs(l, "an instruction of unit %u for register %u issues, of the model %u, %u", out->cls, out->rd, l->slot[f->slot].op.cls,
			l->slot[f->slot].op.rd);
	if (out->next != (before < l->warps ? before : 0))
		differs(l, "the search begins at slot %u, of the model %u", out->next, before);
	if (out->looks != f->looks)
		differs(l, "warps that are looked at: %x, of the model %x", out->looks, f->looks);
	if (out->faults != f->faults)
		differs(l, "fetches that fail: %x, of the model %x", out->faults, f->faults);
}

static void count(struct lockstep *l, const struct found *f, unsigned before)
{
	unsigned long *n = l->result->count;
	bool run = false;

	n[SCHEDULER_CYCLES]++;
	n[SCHEDULER_ISSUES] += f->slot != MAX_WARPS;
	n[SCHEDULER_LOOKS] += lanes_count(f->looks);
	n[SCHEDULER_FAULTS] += lanes_count(f->faults);
	n[SCHEDULER_FAULTS_AND_ISSUE] += f->faults && f->slot != MAX_WARPS;
	for (unsigned i = 0; i < l->warps; i++)
		run |= l->slot[i].state == RUNS;
	n[SCHEDULER_IDLE] += run && f->slot == MAX_WARPS;
	l->turn = f->slot == MAX_WARPS ? 0 : l->issued && f->slot == before ? l->turn + 1 : 1;
	n[SCHEDULER_GREEDY] = l->turn > n[SCHEDULER_GREEDY] ? l->turn : n[SCHEDULER_GREEDY];
}

static void segment(struct lockstep *l)
{
	static const unsigned registers[] = { 3, 6, 12, 24, 60 };

	l->registers = registers[below(l, sizeof(registers) / sizeof(*registers))];
	for (unsigned i = 0; i < CLASSES; i++)
		l->weight[i] = 1 + (below(l, 2) ? (unsigned)below(l, 20) : 0);
	l->late = (unsigned)below(l, 24);
	l->choose = (unsigned)below(l, 24);
	l->slow = (unsigned)below(l, 40);
	l->rare = 20 + (unsigned)below(l, 400);
	l->segment_ends = l->now + 1 + below(l, SEGMENT);
	if (below(l, 2))
		return;
	scheduler_shim_reset(l->shim);
	memset(l->slot, 0, sizeof(l->slot));
	memset(l->due, 0, sizeof(l->due));
	memset(l->accepted, 0, sizeof(l->accepted));
	memset(&l->cu->lsu, 0, sizeof(l->cu->lsu));
	for (unsigned i = 0; i < l->warps; i++)
		l->slot[i].from = l->now + below(l, 100);
	l->next = l->ends = 0;
	l->issued = false;
	l->result->count[SCHEDULER_RESETS]++;
}

/* Warps that will go on elsewhere; and all that run, where their instructions are dropped. */
static uint32_t anew(struct lockstep *l)
{
	const bool drops = !below(l, l->rare * 4);
	uint32_t warps = 0;

	for (unsigned i = 0; i < l->warps; i++) {
		struct slot *s = &l->slot[i];

		if (s->state == WAITS && s->chose_at == l->now)
			warps |= 1u << i;
		if (s->state != RUNS || !drops)
			continue;
		warps |= 1u << i;
		s->late = often(l, l->late) ? (unsigned)below(l, 40) : 0;
		s->looked = false;
	}
	l->result->count[SCHEDULER_DROPS] += drops;
	return warps;
}

static void cycle(struct lockstep *l)
{
	struct scheduler_shim_out out;
	unsigned before;
	struct found f;
	uint32_t chose = 0;

	if (l->now >= l->segment_ends)
		segment(l);
	before = l->next;
	turn_ends(l);
	inputs(l);
	out = scheduler_shim_show(l->shim, &l->in);
	f = search(l);
	compare(l, &f, before, &out);
	if (l->result->text[0])
		return;
	count(l, &f, before);
	l->issued = f.slot != MAX_WARPS;
	if (l->issued && issue(l, f.slot))
		chose |= 1u << f.slot;
	chose |= anew(l);
	scheduler_shim_end(l->shim, chose);
	l->now++;
}

void scheduler_lockstep_run(unsigned geometry, uint64_t seed, unsigned long cycles, struct scheduler_lockstep_result *r)
{
	struct lockstep *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	*r = (struct scheduler_lockstep_result){ 0 };
	l->random = seed + geometry;
	l->geometry = l->in.geometry = geometry;
	l->name = scheduler_geometry[geometry].name;
	assert_int_equal(device_config_parse(scheduler_geometry[geometry].config, &l->config, NULL, 0), 0);
	l->warps = l->config.warps_per_cu;
	l->result = r;
	l->now = 1;
	l->cu = aligned_alloc(_Alignof(struct cu), sizeof(*l->cu));
	assert_non_null(l->cu);
	memset(l->cu, 0, sizeof(*l->cu));
	l->cu->config = &l->config;
	l->shim = scheduler_shim_create();
	assert_non_null(l->shim);
	do
		segment(l);
	while (!r->count[SCHEDULER_RESETS]);
	while (r->count[SCHEDULER_CYCLES] < cycles && !r->text[0])
		cycle(l);
	scheduler_shim_destroy(l->shim);
	free(l->cu);
	free(l);
}
