#include "testbench/rtl/lsu_lockstep.h"
#include "model/cu/cu.h"
/* The model's unit asks the test in place of an L1 data cache. */
static uint64_t lines_load(struct l1 *, const struct coalescer *, uint64_t now);
static uint64_t lines_store(struct l1 *, const struct coalescer *, uint64_t now, uint32_t bytes);
static uint64_t lines_atomic(const struct l1 *, const struct coalescer *, uint64_t now, uint32_t lanes);
#define l1_load lines_load
#define l1_store lines_store
#define l1_atomic lines_atomic
#include "model/cu/lsu.h"
#include "rtl/shim/lsu_shim.h"
#include "testbench/model/fixture.h"
#include <inttypes.h>

const struct lsu_geometry lsu_geometry[LSU_GEOMETRIES] = {
	{ "mini", "mini", LSU_CYCLES },
	{ "full", "full", LSU_CYCLES },
	{ "5 warps", "mini,warps_per_cu=5,lanes=8,lds_latency=0", LSU_LOCAL_LAST },
	{ "1 warp", "mini,warps_per_cu=1,lanes=2,lds_latency=3,max_wg_size=2", LSU_PASSED },
};
const char *const lsu_count_name[LSU_COUNTS] = {
	[LSU_CYCLES] = "cycles", [LSU_LOADS] = "loads", [LSU_STORES] = "stores", [LSU_ATOMICS] = "atomics", [LSU_LOCAL] = "in local memory",
	[LSU_LINES] = "in memory", [LSU_BOTH] = "in both", [LSU_NEITHER] = "in neither", [LSU_LANES] = "with a round a lane", [LSU_AT_ONCE] = "that begin at once",
	[LSU_LATE] = "after their pages", [LSU_PASSED] = "after others that issued later", [LSU_TOGETHER] = "cycles with several lines or rounds",
	[LSU_FULL] = "cycles without room", [LSU_LOCAL_LAST] = "whose lines come before local memory", [LSU_RESETS] = "resets",
};

enum { SEGMENT = 3000 };

/* An access, by its number. */
struct issued {
	bool there;
	bool local;
	uint64_t found, begin, first, memory, over; /* cycles; memory: its lines are over; UINT64_MAX: it has none */
	unsigned rounds, lines;
};

struct lockstep {
	const struct lsu_geometry *g;
	struct device_config config;
	struct cu *cu;
	struct warp *warp;
	struct issued access[LSU_SHIM_ACCESSES];
	uint64_t now, segment_ends, asked, answered; /* of the access that issues: when its first line has its cycle, when its lines are over */
	unsigned rate, slow, late, most; /* of the segment */
	struct lsu_shim *shim;
	struct lsu_shim_in in;
	struct lsu_lockstep_result *result;
};

static struct lockstep *asks; /* whose access it is */

__attribute__((format(printf, 2, 3))) static void differs(struct lockstep *l, const char *format, ...)
{
	struct lsu_lockstep_result *r = l->result;
	va_list args;
	int n;

	if (r->text[0])
		return;
	n = snprintf(r->text, sizeof(r->text), "%s, cycle %" PRIu64 ": ", l->g->name, l->now);
	va_start(args, format);
	vsnprintf(r->text + n, sizeof(r->text) - (size_t)n, format, args);
	va_end(args);
}

/* ---- in place of the L1 data cache ---- */

static uint64_t lines_ask(const struct coalescer *c, uint64_t now)
{
	asks->asked = now;
	asks->answered = now + c->num_lines - 1 + random_below(asks->slow);
	return asks->answered;
}

static uint64_t lines_load(struct l1 *l1, const struct coalescer *c, uint64_t now)
{
	(void)l1;
	return lines_ask(c, now);
}

static uint64_t lines_store(struct l1 *l1, const struct coalescer *c, uint64_t now, uint32_t bytes)
{
	(void)l1, (void)bytes;
	return lines_ask(c, now);
}

static uint64_t lines_atomic(const struct l1 *l1, const struct coalescer *c, uint64_t now, uint32_t lanes)
{
	(void)l1, (void)lanes;
	return lines_ask(c, now);
}

/* ---- accesses ---- */

static void inputs(struct lockstep *l, const struct uop *op, unsigned id, unsigned wait)
{
	struct cu *cu = l->cu;

	l->in.issues = true;
	l->in.id = id;
	l->in.local = cu->lds.used;
	l->in.rounds = cu->lds.used ? cu->lds.cycles ? cu->lds.cycles : 1 : (unsigned)random_below(3 * l->config.lanes + 1);
	l->in.atomic = op->cls == CLASS_ATOMIC;
	l->in.lanes = l->in.atomic ? cu->lsu.atomic_lanes : (unsigned)random_below(l->config.lanes + 1);
	l->in.lines = cu->coalescer.num_lines;
	l->in.there = !wait;
}

static void counts(struct lockstep *l, const struct uop *op, const struct issued *a)
{
	unsigned long *n = l->result->count;

	n[op->cls == CLASS_LOAD ? LSU_LOADS : op->cls == CLASS_STORE ? LSU_STORES : LSU_ATOMICS]++;
	n[LSU_LOCAL] += a->local && !a->lines;
	n[LSU_LINES] += a->lines && !a->local;
	n[LSU_BOTH] += a->lines && a->local;
	n[LSU_NEITHER] += !a->lines && !a->local;
	n[LSU_AT_ONCE] += a->begin == l->now;
	n[LSU_LATE] += a->found > l->now && a->begin == a->found;
	n[LSU_LOCAL_LAST] += a->lines && a->over > a->memory;
	for (unsigned i = 0; i < LSU_SHIM_ACCESSES; i++)
		n[LSU_PASSED] += l->access[i].there && l->access[i].begin > a->begin;
}

static void issue(struct lockstep *l, unsigned id)
{
	struct cu *cu = l->cu;
	const unsigned lanes = l->config.lanes, kind = (unsigned)random_below(8), queued = cu->lsu.next;
	const unsigned wait = random_below(64) < l->late ? 1 + (unsigned)random_below(random_below(2) ? 8 : 120) : 0;
	struct uop op = { .cls = kind < 4 ? CLASS_LOAD : kind < 6 ? CLASS_STORE : CLASS_ATOMIC, .word = (uint32_t)random_next() };
	struct issued a = { .there = true, .memory = UINT64_MAX };
	const unsigned lines = (unsigned)random_below(3 * lanes + 1);

	cu->lds.used = !random_below(3);
	cu->lds.cycles = cu->lds.used ? (unsigned)random_below(l->most + 1) : 0;
	cu->coalescer.num_lines = cu->lds.used && random_below(2) ? 0 : lines < l->most ? lines : l->most;
	cu->lsu.tlb_cycles = wait;
	cu->lsu.atomic_lanes = op.cls == CLASS_ATOMIC ? 1 + (unsigned)random_below(lanes) : 0;
	l->result->count[LSU_LANES] += cu->lds.used && cu->lsu.atomic_lanes > 1 && cu->lsu.atomic_lanes > cu->lds.cycles;
	l->warp->mask = (uint32_t)random_next() | 1;
	a.local = cu->lds.used;
	a.lines = cu->coalescer.num_lines;
	a.found = l->now + wait;
	inputs(l, &op, id, wait);
	asks = l;
	a.over = lsu_charge_each(l->warp, &op, l->now);
	a.begin = cu->lsu.begin[queued];
	a.first = a.lines ? l->asked : a.local ? a.over + 1 - l->config.lds_latency : a.begin;
	a.rounds = (unsigned)(a.first - a.begin);
	if (a.lines)
		a.memory = l->answered;
	counts(l, &op, &a);
	l->access[id] = a;
}

/* ---- a cycle ---- */

static void reset(struct lockstep *l)
{
	lsu_shim_reset(l->shim);
	memset(&l->cu->lsu, 0, sizeof(l->cu->lsu));
	memset(l->access, 0, sizeof(l->access));
	l->result->count[LSU_RESETS]++;
}

static void segment(struct lockstep *l)
{
	l->rate = 1 + (unsigned)random_below(64);
	l->slow = 1 + (unsigned)random_below(random_below(2) ? 4 : 150);
	l->late = (unsigned)random_below(random_below(2) ? 4 : 50);
	l->most = 1 + (unsigned)random_below(random_below(4) ? 3 : 3 * l->config.lanes);
	l->segment_ends = l->now + 1 + random_below(SEGMENT);
	if (!random_below(4))
		reset(l);
}

static void compare(struct lockstep *l, const struct lsu_shim_out *o, bool room)
{
	unsigned busy = 0;

	if (o->room != room)
		differs(l, "the queue has %s", o->room ? "room" : "no room");
	for (unsigned i = 0; i < LSU_SHIM_ACCESSES; i++) {
		const struct issued *a = &l->access[i];
		const bool begins = a->there && a->begin == l->now, round = a->there && l->now >= a->begin && l->now < a->first;
		const bool line = a->there && l->now >= a->first && l->now < a->first + a->lines, over = a->there && a->over == l->now;

		if ((o->begins >> i & 1) != begins)
			differs(l, "access %u begins: %u, of the model %u", i, o->begins >> i & 1, begins);
		if ((o->round >> i & 1) != round || (o->line >> i & 1) != line)
			differs(l, "access %u has a round %u, a line %u; of the model %u, %u", i, o->round >> i & 1, o->line >> i & 1, round, line);
		if ((round || line) && o->index[i] != (round ? l->now - a->begin : l->now - a->first))
			differs(l, "access %u has number %u in cycle %" PRIu64 " of it", i, o->index[i], l->now - a->begin);
		if ((o->over >> i & 1) != over)
			differs(l, "access %u is over: %u, of the model %u", i, o->over >> i & 1, over);
		busy += round || line;
	}
	l->result->count[LSU_TOGETHER] += busy > 1;
}

static void cycle(struct lockstep *l)
{
	const bool room = l->cu->lsu.room <= l->now;
	const unsigned geometry = l->in.geometry;
	unsigned id = (unsigned)random_below(LSU_SHIM_ACCESSES), tries = 0;
	struct lsu_shim_out out;

	if (l->now >= l->segment_ends) {
		segment(l);
		return;
	}
	l->in = (struct lsu_shim_in){ .geometry = geometry, .id = (unsigned)random_below(LSU_SHIM_ACCESSES), .rounds = (unsigned)random_below(4),
				      .local = random_below(2), .lines = (unsigned)random_below(3), .there = random_below(2) };
	while (l->access[id].there && tries++ < LSU_SHIM_ACCESSES)
		id = (id + 1) % LSU_SHIM_ACCESSES;
	for (unsigned i = 0; i < LSU_SHIM_ACCESSES; i++) {
		l->in.found |= (uint32_t)(l->access[i].there && l->access[i].found == l->now) << i;
		l->in.memory_over |= (uint32_t)(l->access[i].there && l->access[i].memory == l->now) << i;
	}
	if (room && !l->access[id].there && random_below(64) < l->rate) {
		issue(l, id);
		l->in.memory_over |= (uint32_t)(l->access[id].memory == l->now) << id;
	}
	lsu_shim_step(l->shim, &l->in, &out);
	compare(l, &out, room);
	for (unsigned i = 0; i < LSU_SHIM_ACCESSES; i++)
		if (l->access[i].over == l->now)
			l->access[i].there = false;
	l->result->count[LSU_FULL] += !room;
	l->result->count[LSU_CYCLES]++;
	l->now++;
}

void lsu_lockstep_run(unsigned geometry, uint64_t seed, unsigned long cycles, struct lsu_lockstep_result *r)
{
	struct lockstep *l = calloc(1, sizeof(*l));
	char error[256];

	assert_non_null(l);
	*r = (struct lsu_lockstep_result){ 0 };
	random_state = seed + geometry;
	l->g = &lsu_geometry[geometry];
	l->in.geometry = geometry;
	l->result = r;
	l->now = 1;
	assert_int_equal(device_config_parse(l->g->config, &l->config, error, sizeof(error)), 0);
	l->cu = aligned_alloc(_Alignof(struct cu), sizeof(*l->cu));
	l->warp = aligned_alloc(_Alignof(struct warp), sizeof(*l->warp));
	l->shim = lsu_shim_create();
	assert_true(l->cu && l->warp && l->shim);
	memset(l->cu, 0, sizeof(*l->cu));
	memset(l->warp, 0, sizeof(*l->warp));
	l->warp->cu = l->cu;
	l->cu->config = &l->config;
	l->cu->lds.latency = l->config.lds_latency;
	l->cu->l1.line_bytes = l->config.line_bytes;
	segment(l);
	reset(l);
	while (r->count[LSU_CYCLES] < cycles && !r->text[0])
		cycle(l);
	lsu_shim_destroy(l->shim);
	free(l->warp);
	free(l->cu);
	free(l);
}
