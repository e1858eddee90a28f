#include "testbench/rtl/icache_lockstep.h"
#include "model/cu/cu.h"
#include "model/cu/icache.h"
#include "model/engine/engine.h"
#include "rtl/shim/icache_shim.h"
#include "testbench/model/fixture.h"
#include <inttypes.h>

const struct icache_geometry icache_geometry[ICACHE_GEOMETRIES] = {
	{ "mini", "mini,sys_latency=10,l2_latency=20,dram_latency=30" },
	{ "full", "full,sys_latency=20,l2_latency=20,dram_latency=60" },
	{ "5 warps", "mini,warps_per_cu=5,icache_bytes=256,icache_ways=4,line_bytes=32,l1_latency=0,l2_latency=1,dram_latency=3,tlb_l2_latency=2,sys_latency=3" },
};
const char *const icache_count_name[ICACHE_COUNTS] = {
	[ICACHE_CYCLES] = "cycles", [ICACHE_LOOKS] = "look-ups", [ICACHE_SAME] = "in the same line", [ICACHE_HITS] = "hits", [ICACHE_WAITS] = "of lines on their way",
	[ICACHE_SHARED] = "of one line in a cycle", [ICACHE_MISSES] = "misses", [ICACHE_LATE] = "with late translations", [ICACHE_SEVERAL] = "cycles with several",
	[ICACHE_REPLACED] = "places taken again", [ICACHE_STEPS] = "steps", [ICACHE_MISALIGNED] = "misaligned", [ICACHE_FAULTS] = "faults at once",
	[ICACHE_FAULTS_LATE] = "late ones", [ICACHE_FAULTS_SHARED] = "of several warps", [ICACHE_BEGINS] = "begins",
	[ICACHE_HELD] = "cycles of warps that are held", [ICACHE_ABORTS] = "aborts", [ICACHE_EMPTIED] = "caches emptied", [ICACHE_DROPS] = "drops",
	[ICACHE_DROPPED] = "of lines on their way", [ICACHE_RESETS] = "resets",
};

enum { SPACES = 3, PAGES = 6, SEGMENT = 6000 };

static const uint16_t asids[SPACES] = { 1, 2, 18 };
static const uint64_t page_va[PAGES] = { 0x10000, 0x11000, 0x12000, 0x40000000, 0x40001000, 0x7ffffffff000 };

/* A warp slot. */
struct slot {
	enum { FREE, NEXT, LOOK, KNOWN } state; /* NEXT: looked up in this cycle, behind its issue; LOOK: when the search comes to it; KNOWN: it was */
	uint64_t from;   /* FREE: a warp begins in this cycle; LOOK: the search comes to it from this cycle on */
	uint64_t held;   /* LOOK: it is not to be looked up before this cycle */
	uint64_t pc;
	bool steps;
	uint64_t there;  /* KNOWN: the cycle in which its line is there, or its fault */
	/* its line on its way */
	uint64_t translated, asks, comes; /* cycles; UINT64_MAX: never */
	uint64_t pa, line; /* number */
	uint32_t space;
	enum fault fault;
};

/* What is expected of the outputs that are of a slot. */
struct expected {
	bool known, there, fails, held;
	unsigned fault;
	uint64_t pc;
};

struct lockstep {
	struct event_sink sink; /* first member */
	struct event fetch;
	struct host host;
	struct physmem mem;
	struct device_config config;
	struct l2 *l2;
	struct mmu *mmu;
	struct cu *cu;
	struct group group;
	uint64_t contexts, owner, now, segment_ends;
	unsigned geometry, warps, sets;
	unsigned choose, jump, rare, spread, spaces; /* of the segment, out of 64; pages in use */
	uint8_t next[1024];                  /* of a set: the way that is next */
	unsigned taken[1024];                /* lines that the set has taken since it was emptied */
	uint8_t holder[1024][16];            /* 1 + the slot that took the place last, before this cycle; 0: none */
	struct expected expected[MAX_WARPS];
	struct slot slot[MAX_WARPS];
	struct icache_shim *shim;
	struct icache_shim_in in;
	uint32_t translates, takes, requests;
	unsigned way[MAX_WARPS];
	struct icache_lockstep_result *result;
};

static bool often(unsigned of_64) { return random_below(64) < of_64; }

__attribute__((format(printf, 2, 3))) static void differs(struct lockstep *l, const char *format, ...)
{
	struct icache_lockstep_result *r = l->result;
	va_list args;
	int n;

	if (r->text[0])
		return;
	n = snprintf(r->text, sizeof(r->text), "%s, cycle %" PRIu64 ": ", icache_geometry[l->geometry].name, l->now);
	va_start(args, format);
	vsnprintf(r->text + n, sizeof(r->text) - (size_t)n, format, args);
	va_end(args);
}

/* ---- where warps go ---- */

static uint64_t random_pc(struct lockstep *l)
{
	if (often(16)) /* after another one */
		return l->slot[random_below(l->warps)].pc;
	const uint64_t page = page_va[random_below(l->spread)], lines = 4096 / l->config.line_bytes;
	const uint64_t line = often(40) ? random_below(4) * (random_below(2) ? l->sets : 1) : random_below(lines);
	uint64_t pc = page + (often(6) ? 4096 - l->config.line_bytes : line % lines * l->config.line_bytes) + random_below(l->config.line_bytes / 4) * 4;

	if (!random_below(l->rare * 4))
		pc |= 1ull << (47 + random_below(17));
	if (!random_below(l->rare * 4))
		pc += 1 + random_below(3);
	return pc;
}

/* The warp has issued: its next instruction. */
static void goes_on(struct lockstep *l, struct slot *s)
{
	if (s->steps) {
		s->steps = false;
	} else if (often(l->jump)) {
		s->pc = random_pc(l);
	} else {
		s->pc += 4;
		s->steps = !(s->pc & 4095);
	}
	s->state = NEXT;
	if (often(l->choose) && !s->steps) {
		s->state = LOOK;
		s->from = l->now + 1 + random_below(3);
		s->held = 0;
	}
}

static void looks_later(struct lockstep *l, struct slot *s, uint64_t held)
{
	s->state = LOOK;
	s->from = l->now + 1 + random_below(3);
	s->held = held;
}

static void forgets(struct warp *w)
{
	w->exit = LEAVE_NONE;
	w->line = NULL;
	w->code = NULL;
}

static void begins(struct lockstep *l, unsigned i)
{
	struct slot *s = &l->slot[i];
	struct warp *w = &l->cu->warps[i];

	forgets(w);
	w->space = asids[random_below(l->spaces)] | (often(4) ? SPACE_PROTECTED : 0);
	s->pc = random_pc(l);
	s->steps = false;
	looks_later(l, s, icache_begin(l->cu->icache, i));
	l->in.begins |= 1u << i;
	l->result->count[ICACHE_BEGINS]++;
}

static void frees(struct lockstep *l, struct slot *s)
{
	s->state = FREE;
	s->from = l->now + 1 + random_below(40);
}

/* ---- look-ups ---- */

static unsigned set_of(const struct lockstep *l, uint64_t pc) { return (unsigned)(pc / l->config.line_bytes % l->sets); }

/* Whether the line is found because another slot asks for it, whose translation fails in this cycle. */
static bool fails_with_another(const struct lockstep *l, unsigned i)
{
	const uint64_t line = l->slot[i].pc / l->config.line_bytes;

	for (unsigned k = 0; k < l->warps; k++) {
		const struct slot *s = &l->slot[k];
		if (s->translated == l->now && s->fault && s->line == line && s->space == l->cu->warps[i].space && l->holder[set_of(l, l->slot[i].pc)][l->way[k]] == k + 1)
			return true;
	}
	return false;
}

/* What the look-up of a line that is not there brings; asked: it was asked for, and not a fault at once. */
static void missed(struct lockstep *l, unsigned i, uint64_t there, bool asked)
{
	struct slot *s = &l->slot[i];
	const struct warp *w = &l->cu->warps[i];
	const uint64_t translated = w->exit ? there : l->fetch.cycle;
	const unsigned set = set_of(l, s->pc);

	l->translates |= 1u << i;
	if (translated == l->now) {
		l->in.mapped |= 1u << i;
		l->in.slot[i].mapping_fault = w->exit ? w->fault.code : 0;
		l->in.slot[i].mapping = w->exit ? random_next() : l->fetch.b & ~0xfffull;
	} else {
		l->in.mapped &= ~(1u << i);
	}
	l->result->count[ICACHE_FAULTS] += w->exit && !asked;
	if (!asked)
		return;
	s->translated = translated == l->now ? UINT64_MAX : translated;
	s->fault = w->exit ? w->fault.code : FAULT_NONE;
	s->pa = l->fetch.b;
	s->line = s->pc / l->config.line_bytes;
	s->space = w->space;
	s->asks = w->exit ? UINT64_MAX : translated + l->config.l1_latency;
	s->comes = w->exit ? UINT64_MAX : there;
	l->takes |= 1u << i;
	l->way[i] = l->next[set];
	l->next[set] = (uint8_t)((l->next[set] + 1) % l->config.icache_ways);
	l->result->count[ICACHE_REPLACED] += l->taken[set]++ >= l->config.icache_ways;
	l->result->count[ICACHE_MISSES]++;
	l->result->count[ICACHE_LATE] += translated > l->now;
	l->result->count[ICACHE_FAULTS_LATE] += w->exit != 0;
}

/* A line that was not asked for by this look-up. */
static void found(struct lockstep *l, unsigned i, uint64_t there)
{
	const struct warp *w = &l->cu->warps[i];
	bool shared = false;

	for (unsigned k = 0; k < l->warps; k++) {
		if (!(l->takes >> k & 1) || l->cu->warps[k].space != w->space || l->slot[k].pc / l->config.line_bytes != l->slot[i].pc / l->config.line_bytes)
			continue;
		shared = true; /* its page is that of the one that asked */
		l->in.mapped = (l->in.mapped & ~(1u << i)) | (l->in.mapped >> k & 1) << i;
		l->in.slot[i].mapping_fault = l->in.slot[k].mapping_fault;
	}
	l->result->count[ICACHE_SHARED] += shared;
	l->result->count[ICACHE_HITS] += there <= l->now;
	l->result->count[ICACHE_WAITS] += there > l->now && !shared;
	l->result->count[ICACHE_FAULTS_SHARED] += w->exit != 0;
}

/* As in the issue loop. */
static void look(struct lockstep *l, unsigned i)
{
	struct slot *s = &l->slot[i];
	struct warp *w = &l->cu->warps[i];
	const struct uop *begin;
	unsigned line;

	s->state = KNOWN;
	s->there = l->now;
	l->result->count[ICACHE_LOOKS]++;
	if (s->steps) { /* looks nothing up */
		l->result->count[ICACHE_STEPS]++;
		return;
	}
	w->op = icache_fetch(w, s->pc);
	if (!w->op) {
		w->line = NULL;
		l->result->count[ICACHE_MISALIGNED]++;
		return;
	}
	line = icache_line_of(w->code, w->op, l->cu->line_shift);
	begin = icache_line_begin(w->code, line, l->cu->line_shift);
	if (w->line == begin) {
		l->result->count[ICACHE_SAME]++;
	} else if (!icache_held(w->code, line)) {
		assert_true(icache_begin(l->cu->icache, i) <= l->now);
		s->there = icache_line(w, w->op, l->now);
		const bool asked = icache_begin(l->cu->icache, i) > l->now;
		if (asked || (w->exit && s->there == l->now && !fails_with_another(l, i)))
			missed(l, i, s->there, asked);
		else
			found(l, i, s->there);
	} else {
		l->result->count[ICACHE_HITS]++;
	}
	w->line = w->exit ? NULL : begin;
}

/* ---- a cycle ---- */

static void inputs(struct lockstep *l)
{
	const unsigned geometry = l->in.geometry;

	memset(&l->in, 0, sizeof(l->in));
	l->in.geometry = geometry;
	l->in.first = (unsigned)random_below(l->warps);
	l->translates = l->takes = l->requests = 0;
	for (unsigned i = 0; i < l->warps; i++) {
		struct slot *s = &l->slot[i];

		l->in.runs |= (uint32_t)(s->state != FREE) << i;
		l->in.steps |= (uint32_t)(s->state != FREE && s->steps) << i;
		l->in.mapped |= (uint32_t)random_below(2) << i; /* means nothing where it is found */
		l->in.slot[i].mapping_fault = random_below(2) ? (unsigned)random_below(256) : 0;
		l->in.slot[i].mapping = random_next();
		l->in.slot[i].translation_fault = (unsigned)random_below(256);
		l->in.slot[i].translation = random_next();
		l->in.slot[i].space = l->cu->warps[i].space;
		l->in.slot[i].pc = s->pc;
		if (s->translated == l->now) {
			l->in.translated |= 1u << i;
			l->in.slot[i].translation_fault = s->fault;
			l->in.slot[i].translation = s->pa & ~0xfffull;
		}
		l->requests |= (uint32_t)(s->asks == l->now) << i;
		l->in.answers |= (uint32_t)(s->comes == l->now) << i;
	}
}

static void looks(struct lockstep *l)
{
	for (unsigned n = 0; n < l->warps; n++) {
		const unsigned i = (l->in.first + n) % l->warps;
		struct slot *s = &l->slot[i];

		if (s->state == NEXT)
			l->in.nexts |= 1u << i;
		else if (s->state == LOOK && s->from <= l->now && s->held <= l->now)
			l->in.looks |= 1u << i;
		else
			continue;
		look(l, i);
	}
	l->result->count[ICACHE_SEVERAL] += (l->takes & (l->takes - 1)) != 0;
	for (unsigned i = 0; i < l->warps; i++) /* with an L1 latency of 0 */
		l->requests |= (uint32_t)(l->slot[i].asks == l->now) << i;
}

/* What happens to the warps in this cycle; what the shim has to hear of it is in l->in. */
static void warps_go_on(struct lockstep *l)
{
	for (unsigned i = 0; i < l->warps; i++) {
		struct slot *s = &l->slot[i];
		struct warp *w = &l->cu->warps[i];

		if (s->state == FREE) {
			if (s->from <= l->now)
				begins(l, i);
		} else if (s->state == KNOWN && w->exit) {
			if (s->there > l->now || random_below(3))
				continue;
			l->in.faults |= 1u << i;
			forgets(w);
			if (random_below(2)) {
				frees(l, s);
			} else {
				s->pc = random_below(2) ? s->pc : random_pc(l);
				looks_later(l, s, 0);
			}
		} else if (s->state == KNOWN && s->there <= l->now && random_below(4)) {
			goes_on(l, s);
		} else if (!random_below(l->rare * 64)) {
			frees(l, s);
			l->result->count[ICACHE_ABORTS]++;
		}
	}
}

static void emptied(struct lockstep *l)
{
	memset(l->next, 0, sizeof(l->next));
	memset(l->taken, 0, sizeof(l->taken));
	memset(l->holder, 0, sizeof(l->holder));
}

static void drop(struct lockstep *l)
{
	l->in.drops = true;
	l->result->count[ICACHE_DROPS]++;
	icache_flush(l->cu->icache);
	mmu_invalidate(l->mmu, random_below(2) ? MMU_ALL : MMU_ASID, asids[random_below(SPACES)], 0);
	emptied(l);
	for (unsigned i = 0; i < l->warps; i++) {
		struct slot *s = &l->slot[i];
		struct warp *w = &l->cu->warps[i];
		const bool waits = s->there > l->now;

		w->line = NULL;
		w->code = NULL;
		if (s->state != KNOWN || w->exit)
			continue;
		l->result->count[ICACHE_DROPPED] += waits;
		looks_later(l, s, waits ? s->there : 0);
	}
}

static void empty(struct lockstep *l)
{
	l->in.empties = true;
	l->result->count[ICACHE_EMPTIED]++;
	icache_empty_for(l->cu->icache, ++l->owner);
	emptied(l);
}

static void reset(struct lockstep *l)
{
	icache_shim_reset(l->shim);
	icache_flush(l->cu->icache);
	icache_reset(l->cu->icache);
	mmu_invalidate(l->mmu, MMU_ALL, 0, 0);
	emptied(l);
	for (unsigned i = 0; i < l->warps; i++) {
		forgets(&l->cu->warps[i]);
		l->slot[i] = (struct slot){ .from = l->now + random_below(100), .translated = UINT64_MAX, .asks = UINT64_MAX, .comes = UINT64_MAX };
	}
	l->result->count[ICACHE_RESETS]++;
}

/* ---- comparison ---- */

static void expect(struct lockstep *l)
{
	for (unsigned i = 0; i < l->warps; i++) {
		const struct slot *s = &l->slot[i];
		const struct warp *w = &l->cu->warps[i];
		const bool known = s->state == KNOWN, here = known && s->there <= l->now;

		l->expected[i] = (struct expected){ .known = known, .there = here && !w->exit, .fails = here && w->exit, .held = s->state == LOOK && s->held > l->now,
						    .pc = s->pc, .fault = here && w->exit ? w->fault.code : 0 };
		l->result->count[ICACHE_HELD] += l->expected[i].held;
		if (l->takes >> i & 1)
			l->holder[set_of(l, s->pc)][l->way[i]] = 0;
	}
	for (unsigned n = 0; n < l->warps; n++) {
		const unsigned i = (l->in.first + n) % l->warps;

		if (l->takes >> i & 1)
			l->holder[set_of(l, l->slot[i].pc)][l->way[i]] = (uint8_t)(i + 1);
	}
}

static void slot_compare(struct lockstep *l, unsigned i, const struct icache_shim_out *o, bool looks_later)
{
	const struct expected *e = &l->expected[i];

	if (l->takes >> i & 1 && o->slot[i].way != l->way[i])
		differs(l, "warp %u: takes way %u, in turn is %u", i, o->slot[i].way, l->way[i]);
	if (l->requests >> i & 1 && o->slot[i].request != (l->slot[i].pa & ~(l->config.line_bytes - 1ull)))
		differs(l, "warp %u: asks for %" PRIx64 ", of the model %" PRIx64, i, o->slot[i].request, l->slot[i].pa);
	if (looks_later && (o->held >> i & 1) != e->held)
		differs(l, "warp %u: is %sheld", i, e->held ? "not " : "");
	if (!e->known)
		return;
	if ((o->there >> i & 1) != e->there)
		differs(l, "warp %u, pc %" PRIx64 ": its line is %sthere", i, e->pc, e->there ? "not " : "");
	if ((o->fails >> i & 1) != e->fails)
		differs(l, "warp %u, pc %" PRIx64 ": %s", i, e->pc, e->fails ? "does not fail" : "fails");
	if (o->slot[i].fault != e->fault)
		differs(l, "warp %u, pc %" PRIx64 ": fault %u, of the model %u", i, e->pc, o->slot[i].fault, e->fault);
}

static void compare(struct lockstep *l, const struct icache_shim_out *o, uint32_t later)
{
	if (o->translates != l->translates)
		differs(l, "pages that are looked up: %x, of the model %x", o->translates, l->translates);
	if (o->takes != l->takes)
		differs(l, "lines that take places: %x, of the model %x", o->takes, l->takes);
	if (o->requests != l->requests)
		differs(l, "lines that are asked for: %x, of the model %x", o->requests, l->requests);
	for (unsigned i = 0; i < l->warps; i++)
		slot_compare(l, i, o, later >> i & 1);
}

/* ---- runs ---- */

static void segment(struct lockstep *l)
{
	l->choose = (unsigned)random_below(40);
	l->jump = 4 + (unsigned)random_below(40);
	l->rare = 20 + (unsigned)random_below(200);
	l->spread = 1 + (unsigned)random_below(PAGES);
	l->spaces = 1 + (unsigned)random_below(SPACES);
	l->segment_ends = l->now + 1 + random_below(SEGMENT);
	if (random_below(2))
		reset(l);
}

/* The tables change: what was valid is invalidated, with the instructions. */
static void map(struct lockstep *l)
{
	static const uint64_t rights[] = { PTE_X, PTE_R | PTE_X, PTE_R | PTE_W | PTE_X, PTE_R | PTE_X, PTE_R };
	const uint64_t pa = random_below(24) ? DRAM_BASE + (random_below(64) << 12) : DRAM_BASE + (1ull << 30);

	*table_entry(&l->host, l->contexts, asids[random_below(SPACES)], page_va[random_below(PAGES)], 0) =
		random_below(8) ? pte_make(pa, PTE_V | PTE_U | PTE_A | rights[random_below(random_below(8) ? 4 : 5)]) : 0;
}

static void cycle(struct lockstep *l)
{
	struct icache_shim_out out;
	uint32_t later = 0;

	if (l->now >= l->segment_ends)
		segment(l);
	inputs(l);
	for (unsigned i = 0; i < l->warps; i++)
		later |= (uint32_t)(l->slot[i].state == LOOK) << i;
	looks(l);
	expect(l);
	warps_go_on(l);
	if (!random_below(l->rare * 40))
		empty(l);
	if (!random_below(l->rare * (l->in.answers ? 8 : 40))) {
		map(l);
		drop(l);
	}
	out = icache_shim_step(l->shim, &l->in);
	compare(l, &out, later);
	l->result->count[ICACHE_CYCLES]++;
	l->now++;
}

static void event_take(struct event_sink *sink, const struct event *e)
{
	if (e->kind == EVENT_FETCH)
		((struct lockstep *)sink)->fetch = *e;
}

static void cu_create(struct lockstep *l)
{
	struct cu *cu = aligned_alloc(_Alignof(struct cu), sizeof(*cu));

	assert_non_null(cu);
	memset(cu, 0, sizeof(*cu));
	l->cu = cu;
	cu->mmu = l->mmu;
	cu->mem = &l->mem;
	cu->l2 = l->l2;
	cu->config = &l->config;
	cu->engine = engine_choose(SIMD_AUTO);
	cu->unit = UNIT_CU;
	cu->timed = true;
	cu->events = &l->sink;
	cu->l1.latency = l->config.l1_latency;
	cu->line_shift = (uint8_t)__builtin_ctz(l->config.line_bytes / 4 * (unsigned)sizeof(struct uop));
	cu->icache = icache_create(&l->config);
	cu->warps = aligned_alloc(64, (l->warps * sizeof(*cu->warps) + 63) / 64 * 64);
	assert_true(cu->icache && cu->warps);
	memset(cu->warps, 0, l->warps * sizeof(*cu->warps));
	for (unsigned i = 0; i < l->warps; i++) {
		cu->warps[i].cu = cu;
		cu->warps[i].slot = i;
		cu->warps[i].mask = 1;
		cu->warps[i].group = &l->group;
	}
}

static void create(struct lockstep *l)
{
	char error[256];
	struct bus_memory sys = host_init(&l->host, false);

	assert_int_equal(device_config_parse(icache_geometry[l->geometry].config, &l->config, error, sizeof(error)), 0);
	assert_int_equal(physmem_init(&l->mem, 64 << 20, &sys), 0);
	l->sink.event = event_take;
	l->l2 = l2_create(&l->config, BUS_TIMED);
	l->mmu = mmu_create(&l->config, &l->mem, l->l2);
	l->shim = icache_shim_create();
	assert_true(l->l2 && l->mmu && l->shim);
	l->warps = l->config.warps_per_cu;
	for (l->sets = 1; l->sets * 2 * l->config.icache_ways * l->config.line_bytes <= l->config.icache_bytes;)
		l->sets *= 2;
	l->contexts = host_page(&l->host);
	mmu_set_context_table(l->mmu, l->contexts);
	for (unsigned i = 0; i < SPACES * PAGES * 4; i++)
		map(l);
	cu_create(l);
}

void icache_lockstep_run(unsigned geometry, uint64_t seed, unsigned long cycles, struct icache_lockstep_result *r)
{
	struct lockstep *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	*r = (struct icache_lockstep_result){ 0 };
	random_state = seed + geometry;
	l->geometry = l->in.geometry = geometry;
	l->result = r;
	l->now = 1;
	create(l);
	segment(l);
	reset(l);
	while (r->count[ICACHE_CYCLES] < cycles && !r->text[0])
		cycle(l);
	icache_shim_destroy(l->shim);
	icache_destroy(l->cu->icache);
	free(l->cu->warps);
	free(l->cu);
	mmu_destroy(l->mmu);
	l2_destroy(l->l2);
	physmem_fini(&l->mem);
	host_fini(&l->host);
	free(l);
}
