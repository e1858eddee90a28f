#include "testbench/rtl/l1_lockstep.h"
#include "model/mem/l2.h"
/* The model's cache asks the test in place of an L2 cache. */
static uint64_t lines_ask(struct l2 *, const uint64_t *at, const uint64_t *lines, uint32_t count, uint32_t bytes, bool write);
static uint64_t lines_ask_atomic(struct l2 *, const uint64_t *at, const uint64_t *lines, uint32_t count);
#define l2_access_lines lines_ask
#define l2_atomic_lines lines_ask_atomic
#include "model/cu/cu.h"
#include "rtl/shim/l1_shim.h"
#include "testbench/model/fixture.h"
#include <inttypes.h>

const struct l1_geometry l1_geometry[L1_GEOMETRIES] = {
	{ "mini", "mini", false },
	{ "mini with data", "mini,exact=1,l1_data=1", true },
	{ "full", "full", false },
	{ "full with data", "full,exact=1,l1_data=1", true },
	{ "16 ways", "mini,lanes=32,l1_bytes=1024,l1_ways=16,line_bytes=32,l1_latency=3,exact=1,l1_data=1", true },
	{ "one set", "mini,l1_bytes=1024,l1_ways=4,line_bytes=256,l1_latency=0,exact=1,l1_data=1", true },
	{ "one way", "mini,lanes=8,l1_bytes=512,l1_ways=1,line_bytes=128,l1_latency=1", false },
};
const char *const l1_count_name[L1_COUNTS] = {
	[L1_CYCLES] = "cycles", [L1_LOADS] = "loads", [L1_STORES] = "stores", [L1_ATOMICS] = "atomics", [L1_HITS] = "lines of loads found",
	[L1_EARLY] = "before they came", [L1_MISSES] = "missed", [L1_REPLACED] = "in place of others", [L1_TWICE] = "of the same load",
	[L1_STORE_HITS] = "lines of stores found", [L1_ATOMIC_HITS] = "of atomics", [L1_SYSTEM] = "of system memory", [L1_TOGETHER] = "cycles with several answers",
	[L1_DISPATCHES] = "dispatches", [L1_DROPS] = "drops of instructions", [L1_RESETS] = "resets", [L1_LANES] = "parts of lanes",
	[L1_OLD] = "with old bytes", [L1_FENCES] = "fences", [L1_ACQUIRES] = "acquires", [L1_FAULTS] = "loads that failed", [L1_UNDONE] = "lines brought in until then",
	[L1_FOUND_ABOVE] = "found that could not be read", [L1_FAILED_STORES] = "stores that failed", [L1_FAILED_ATOMICS] = "atomics", [L1_DROPPED] = "lines dropped",
};

enum { HORIZON = 1024 /* cycles */, SEGMENT = 3000, TAGS = 40, MEMORY = 1 << 30, KNOWN = 256 };

/* What a cycle to come brings. */
struct due {
	bool requests, atomic, stores;
	uint64_t request, store; /* line numbers */
	unsigned request_id, store_id, store_bytes, answers, answer_id[L1_SHIM_ANSWERS];
	uint32_t over;
};

/* Bytes of a lane that lie side by side in physical memory. */
struct part {
	uint64_t pa;
	unsigned n;
	uint8_t data[8];
};

struct line {
	uint64_t number;
	bool found, takes, reads, fault;
	unsigned way;
	uint64_t changes[L1_SHIM_LINE / 64];
	uint8_t data[L1_SHIM_LINE];      /* what a store changes; what memory held */
	uint8_t got[L1_SHIM_LINE];       /* by the Verilated one */
};

struct issued {
	enum { LOAD, STORE, ATOMIC } kind;
	bool failed, acquires;
	unsigned id, lanes, size, charge, parts, lines, hits, misses;
	struct part part[ACCESS_LINES];
	struct line line[ACCESS_LINES];
};

struct lockstep {
	const struct l1_geometry *g;
	struct device_config config;
	struct physmem mem;
	struct host host;
	struct cu *cu;
	struct warp *warp;
	struct l1 shadow; /* the same lines in the same ways */
	uint64_t *tag, *used; /* of it, before a load */
	struct issued access;
	bool busy;        /* there is one, of which line at comes */
	unsigned at;
	uint32_t under_way; /* accesses, by number */
	uint64_t now, owner, segment_ends, tags[TAGS];
	unsigned sets, shift, num_tags, spread, rate, rare, slow; /* of the segment */
	struct { uint64_t line, comes; } known[KNOWN];
	struct due due[HORIZON];
	struct l1_shim *shim;
	struct l1_shim_in in;
	struct l1_lockstep_result *result;
};

static bool often(unsigned of_64) { return random_below(64) < of_64; }

__attribute__((format(printf, 2, 3))) static void differs(struct lockstep *l, const char *format, ...)
{
	struct l1_lockstep_result *r = l->result;
	va_list args;
	int n;

	if (r->text[0])
		return;
	n = snprintf(r->text, sizeof(r->text), "%s, cycle %" PRIu64 ": ", l->g->name, l->now);
	va_start(args, format);
	vsnprintf(r->text + n, sizeof(r->text) - (size_t)n, format, args);
	va_end(args);
}

/* ---- what the model asks for ---- */

static struct due *due_at(struct lockstep *l, uint64_t cycle)
{
	assert_in_range(cycle, l->now, l->now + HORIZON - 1);
	return &l->due[cycle % HORIZON];
}

/* A line of the access was asked for in this cycle: when its answer comes. */
static uint64_t answer(struct lockstep *l, uint64_t asked, uint64_t line)
{
	uint64_t comes = asked + 1 + random_below(l->slow);

	while (due_at(l, comes)->answers == L1_SHIM_ANSWERS)
		comes++;
	due_at(l, comes)->answer_id[due_at(l, comes)->answers++] = l->access.id;
	l->known[line % KNOWN].line = line;
	l->known[line % KNOWN].comes = comes;
	return comes;
}

static uint64_t line_ask(struct lockstep *l, uint64_t at, uint64_t line, bool atomic)
{
	struct due *d = due_at(l, at);

	assert_false(d->requests);
	d->requests = true;
	d->atomic = atomic;
	d->request = line;
	d->request_id = l->access.id;
	return answer(l, at, line);
}

static uint64_t lines_ask(struct l2 *l2, const uint64_t *at, const uint64_t *lines, uint32_t count, uint32_t bytes, bool write)
{
	struct lockstep *l = (struct lockstep *)(void *)l2;
	uint64_t end = 0, comes;

	for (uint32_t i = 0; i < count; i++) {
		if (!write) {
			assert_int_equal(bytes, l->config.line_bytes);
			comes = line_ask(l, at[i], lines[i], false);
		} else {
			struct due *d = due_at(l, at[i]);

			d->stores = true;
			d->store = lines[i];
			d->store_bytes = bytes;
			d->store_id = l->access.id;
			comes = answer(l, at[i], lines[i]);
		}
		end = comes > end ? comes : end;
	}
	return end;
}

static uint64_t lines_ask_atomic(struct l2 *l2, const uint64_t *at, const uint64_t *lines, uint32_t count)
{
	struct lockstep *l = (struct lockstep *)(void *)l2;
	uint64_t end = 0, comes;

	for (uint32_t i = 0; i < count; i++) {
		comes = line_ask(l, at[i], lines[i], true);
		end = comes > end ? comes : end;
	}
	return end;
}

/* ---- memory ---- */

static bool in_system(uint64_t pa) { return pa >= SYSTEM_BASE; }

/* What a line holds; that of system memory follows from its address. */
static void line_bytes(const struct lockstep *l, uint64_t number, uint8_t *bytes)
{
	const uint64_t pa = number << l->shift;

	if (in_system(pa))
		for (unsigned i = 0; i < l->config.line_bytes; i++)
			bytes[i] = (uint8_t)((pa + i) * 0x9e3779b97f4a7c15ull >> 56);
	else if (pa - DRAM_BASE < MEMORY)
		memcpy(bytes, l->mem.dram + (pa - DRAM_BASE), l->config.line_bytes);
}

static uint64_t random_line(struct lockstep *l)
{
	const uint64_t tag = l->tags[random_below(l->num_tags)];

	return tag * l->sets + random_below(l->spread);
}

/* Another unit, an engine or the host writes to DRAM. */
static void others_write(struct lockstep *l)
{
	const uint64_t offset = (random_line(l) << l->shift) + random_below(l->config.line_bytes) / 8 * 8 - DRAM_BASE, value = random_next();

	if (offset < MEMORY)
		memcpy(l->mem.dram + offset, &value, sizeof(value));
}

/* ---- accesses ---- */

static uint64_t random_pa(struct lockstep *l) { return (random_line(l) << l->shift) + random_below(l->config.line_bytes); }

static void part_add(struct issued *a, uint64_t pa, unsigned n)
{
	struct part *p = &a->part[a->parts++];

	p->pa = pa;
	p->n = n;
}

/* What its lanes access. */
static void parts(struct lockstep *l, struct issued *a)
{
	const unsigned pattern = (unsigned)random_below(6), size = 1u << a->size, lanes = l->config.lanes;
	const uint64_t base = random_pa(l) & ~7ull, stride = random_below(2) ? size : 4u << random_below(8);

	a->parts = 0;
	for (unsigned i = 0; i < lanes; i++) {
		uint64_t pa = pattern < 2 ? base + i * stride : random_pa(l);

		if (pattern == 2 && random_below(4))
			continue;
		a->lanes++;
		if (a->kind == ATOMIC) {
			part_add(a, pa & ~(uint64_t)(size - 1), size);
		} else if (pattern == 3 && size == 8) { /* private memory: three words */
			pa = pa & ~3ull;
			part_add(a, pa + 2, 2);
			part_add(a, pa + lanes * 4, 4);
			part_add(a, random_pa(l) & ~3ull, 2);
		} else {
			part_add(a, pattern == 4 ? pa : pa & ~(uint64_t)(size - 1), size);
		}
	}
	if (!a->lanes) {
		a->lanes = 1;
		part_add(a, base, size);
	}
	for (unsigned i = 0; i < a->parts; i++) /* a page's lines lie side by side; where memory ends there is no page */
		if (in_system(a->part[i].pa) != in_system(a->part[i].pa + 7))
			a->part[i].pa &= ~(uint64_t)(l->config.line_bytes - 1);
}

/* The lines that the model's coalescer has. */
static void lines_take(struct lockstep *l, struct issued *a)
{
	const struct coalescer *c = &l->cu->coalescer;

	a->lines = c->num_lines;
	for (unsigned i = 0; i < a->lines; i++) {
		struct line *line = &a->line[i];

		*line = (struct line){ .number = c->lines[i] };
		if (a->kind == LOAD)
			line_bytes(l, line->number, line->data);
		l->result->count[L1_SYSTEM] += in_system(line->number << l->shift);
	}
}

/* Which way of the second cache a line is in; false: in none. */
static bool way_of(const struct lockstep *l, uint64_t line, unsigned *way)
{
	for (*way = 0; *way < l->shadow.ways; ++*way)
		if (l->shadow.tag[(line & l->shadow.last_set) * l->shadow.stride + *way] == line + 1)
			return true;
	return false;
}

static bool holds(const struct lockstep *l, uint64_t line) { return !l->g->data || !in_system(line << l->shift); }

static size_t shadow_bytes(const struct lockstep *l) { return (size_t)(l->shadow.last_set + 1) * l->shadow.stride * sizeof(uint64_t); }

/* A line is looked up by a load, which brings it in. */
static void shadow_load(struct lockstep *l, const struct issued *a, unsigned i)
{
	struct line *line = &l->access.line[i];
	const uint64_t before_tags = line->number & l->shadow.last_set;
	unsigned long *n = l->result->count;
	uint64_t tag[L1_WAYS];

	line->reads = l->g->data && !line->found;
	line->takes = !line->found && holds(l, line->number);
	memcpy(tag, l->shadow.tag + before_tags * l->shadow.stride, l->shadow.ways * sizeof(*tag));
	if (!holds(l, line->number))
		return;
	l1_lookup(&l->shadow, line->number, true);
	assert_true(way_of(l, line->number, &line->way));
	n[L1_REPLACED] += line->takes && tag[line->way];
	for (unsigned k = 0; k < i; k++)
		n[L1_TWICE] += line->takes && tag[line->way] == a->line[k].number + 1;
}

/* Looks the lines up in the second cache; unreadable: which lines cannot be read. Returns the line at which the load fails, or how many there are. */
static unsigned shadow_lines(struct lockstep *l, struct issued *a, uint64_t limit, bool system_fails)
{
	if (l->g->data) {
		memcpy(l->tag, l->shadow.tag, shadow_bytes(l));
		memcpy(l->used, l->shadow.used, shadow_bytes(l));
	}
	for (unsigned i = 0; i < a->lines; i++) {
		struct line *line = &a->line[i];
		const uint64_t pa = line->number << l->shift;
		const bool bad = l->g->data && (in_system(pa) ? system_fails : pa - DRAM_BASE >= limit);

		line->found = way_of(l, line->number, &line->way);
		if (a->kind == LOAD && bad && !line->found) {
			line->reads = line->fault = true;
			return i;
		}
		l->result->count[L1_FOUND_ABOVE] += a->kind == LOAD && bad;
		if (a->kind == LOAD)
			shadow_load(l, a, i);
		else if (a->kind == STORE && !a->failed && holds(l, line->number))
			l1_lookup(&l->shadow, line->number, false);
		else if (a->kind == ATOMIC && l->g->data)
			l1_data_drop(&l->shadow, line->number);
	}
	return a->lines;
}

static void load_fails(struct lockstep *l, struct issued *a, unsigned at)
{
	uint64_t over = l->now + at;

	l1_data_undo(&l->cu->l1);
	memcpy(l->shadow.tag, l->tag, shadow_bytes(l));
	memcpy(l->shadow.used, l->used, shadow_bytes(l));
	for (unsigned i = 0; i < at; i++) { /* what it has asked for by then it has asked for */
		const uint64_t asked = l->now + i + l->config.l1_latency;

		l->result->count[L1_UNDONE] += a->line[i].takes;
		if (a->line[i].found || asked > l->now + at)
			continue;
		const uint64_t comes = line_ask(l, asked, a->line[i].number, false);
		over = comes > over ? comes : over;
	}
	a->failed = true;
	a->lines = at + 1;
	l->result->count[L1_FAULTS]++;
	due_at(l, over)->over |= 1u << a->id;
}

static void load(struct lockstep *l, struct issued *a)
{
	struct cu *cu = l->cu;
	const bool system_fails = !random_below(16);
	const uint64_t hit = cu->l1.hit, miss = cu->l1.miss;
	const unsigned bad = random_below(8) ? 0 : (unsigned)random_below(a->parts) + 1;
	uint64_t limit = MEMORY;
	bool fails = false;
	unsigned at;

	if (bad && a->part[bad - 1].pa - DRAM_BASE < MEMORY) /* the memory of this line is not there, nor any above it */
		limit = (a->part[bad - 1].pa >> l->shift << l->shift) - DRAM_BASE;
	l->mem.dram_size = limit;
	for (unsigned i = 0; i < a->parts && !fails; i++) {
		struct part *p = &a->part[i];

		coalescer_range(&cu->coalescer, p->pa, p->n);
		if (l->g->data)
			fails = in_system(p->pa) ? system_fails : l1_data_load(cu, p->pa, p->data, p->n) != FAULT_NONE;
	}
	l->mem.dram_size = MEMORY;
	lines_take(l, a);
	at = shadow_lines(l, a, limit, system_fails);
	assert_int_equal(at < a->lines, fails);
	if (fails) {
		load_fails(l, a, at);
		return;
	}
	for (unsigned i = 0; i < a->lines; i++) {
		const bool found = a->line[i].found;
		const uint64_t line = a->line[i].number;

		a->hits += found;
		a->misses += !found;
		l->result->count[L1_EARLY] += found && l->known[line % KNOWN].line == line && l->known[line % KNOWN].comes > l->now + i + l->config.l1_latency;
	}
	due_at(l, l1_load(&cu->l1, &cu->coalescer, l->now))->over |= 1u << a->id;
	assert_int_equal(cu->l1.hit - hit, a->hits);
	assert_int_equal(cu->l1.miss - miss, a->misses);
	l->result->count[L1_HITS] += a->hits;
	l->result->count[L1_MISSES] += a->misses;
}

/* What the lanes store, in the lines of the access. */
static void stored(struct lockstep *l, struct issued *a, unsigned parts)
{
	for (unsigned i = 0; i < parts; i++)
		for (unsigned b = 0; b < a->part[i].n; b++) {
			const uint64_t pa = a->part[i].pa + b;
			const unsigned offset = (unsigned)(pa & (l->config.line_bytes - 1));
			unsigned k = 0;

			while (a->line[k].number != pa >> l->shift)
				k++;
			a->line[k].changes[offset / 64] |= 1ull << offset % 64;
			a->line[k].data[offset] = a->part[i].data[b];
		}
}

static void store(struct lockstep *l, struct issued *a)
{
	struct cu *cu = l->cu;
	const unsigned count = a->parts;
	const unsigned done = l->g->data && !random_below(8) ? (unsigned)random_below(count) + 1 : count;

	a->failed = done < count;
	for (unsigned i = 0; i < done; i++) {
		struct part *p = &a->part[i];
		const uint64_t value = random_next();

		memcpy(p->data, &value, sizeof(value));
		coalescer_range(&cu->coalescer, p->pa, p->n);
		if (!l->g->data || in_system(p->pa))
			continue;
		if (p->pa - DRAM_BASE + p->n <= MEMORY)
			memcpy(l->mem.dram + (p->pa - DRAM_BASE), p->data, p->n);
		l1_data_store(&cu->l1, p->pa, p->data, p->n);
	}
	lines_take(l, a);
	shadow_lines(l, a, MEMORY, false);
	stored(l, a, done);
	for (unsigned i = 0; i < a->lines; i++)
		l->result->count[L1_STORE_HITS] += a->line[i].found;
	if (a->failed) {
		due_at(l, l->now + a->lines - 1)->over |= 1u << a->id;
		l->result->count[L1_FAILED_STORES]++;
		return;
	}
	const unsigned all = a->lanes << a->size, each = a->lines > 1 ? (all + a->lines - 1) / a->lines : all;
	a->charge = each < l->config.line_bytes ? each : l->config.line_bytes;
	due_at(l, l1_store(&cu->l1, &cu->coalescer, l->now, a->charge))->over |= 1u << a->id;
}

static void atomic(struct lockstep *l, struct issued *a)
{
	struct cu *cu = l->cu;
	const struct uop op = { .word = (uint32_t)random_next() & ~(random_below(4) ? 1u << 26 : 0) };
	const unsigned done = l->g->data && !random_below(8) ? (unsigned)random_below(a->parts) + 1 : a->parts;

	a->failed = done < a->parts;
	for (unsigned i = 0; i < done; i++) {
		coalescer_add(&cu->coalescer, a->part[i].pa >> l->shift);
		if (l->g->data)
			l1_data_drop(&cu->l1, a->part[i].pa >> l->shift);
		if (a->part[i].pa - DRAM_BASE < MEMORY)
			l->mem.dram[a->part[i].pa - DRAM_BASE] ^= (uint8_t)random_next();
	}
	lines_take(l, a);
	shadow_lines(l, a, MEMORY, false);
	for (unsigned i = 0; i < a->lines; i++) {
		l->result->count[L1_ATOMIC_HITS] += a->line[i].found;
		l->result->count[L1_DROPPED] += a->line[i].found && l->g->data;
	}
	if (a->failed) {
		due_at(l, l->now + a->lines - 1)->over |= 1u << a->id;
		l->result->count[L1_FAILED_ATOMICS]++;
		return;
	}
	due_at(l, l1_atomic(&cu->l1, &cu->coalescer, l->now, a->lanes))->over |= 1u << a->id;
	a->acquires = l->g->data && op.word >> 26 & 1;
	if (!a->acquires)
		return;
	l1_data_acquire(&cu->l1, &op);
	l1_empty(&l->shadow);
	l->result->count[L1_ACQUIRES]++;
}

static void begin(struct lockstep *l)
{
	struct issued *a = &l->access;
	const unsigned kind = (unsigned)random_below(8);
	unsigned id = (unsigned)random_below(L1_SHIM_ACCESSES);

	while (l->under_way >> id & 1)
		id = (id + 1) % L1_SHIM_ACCESSES;
	*a = (struct issued){ .kind = kind < 5 ? LOAD : kind < 7 ? STORE : ATOMIC, .id = id };
	a->size = a->kind == ATOMIC ? 2 + (unsigned)random_below(2) : (unsigned)random_below(4);
	parts(l, a);
	if (random_below(2))
		others_write(l);
	if (a->kind == LOAD)
		load(l, a);
	else if (a->kind == STORE)
		store(l, a);
	else
		atomic(l, a);
	coalescer_clear(&l->cu->coalescer);
	l->result->count[a->kind == LOAD ? L1_LOADS : a->kind == STORE ? L1_STORES : L1_ATOMICS]++;
	l->under_way |= 1u << id;
	l->busy = true;
	l->at = 0;
}

/* ---- a cycle ---- */

static void line_in(struct lockstep *l)
{
	const struct issued *a = &l->access;
	const struct line *line = &a->line[l->at];
	struct l1_shim_in *in = &l->in;

	in->valid = true;
	in->store = a->kind == STORE;
	in->atomic = a->kind == ATOMIC;
	in->failed = a->kind != LOAD && a->failed;
	in->last = l->at == a->lines - 1 && (!line->fault || random_below(2));
	in->address = line->number << l->shift;
	in->id = a->id;
	in->lines = a->lines;
	in->lanes = a->lanes;
	in->charge = a->charge;
	in->read_fault = line->reads ? line->fault : random_below(2);
	memcpy(in->changes, line->changes, sizeof(in->changes));
	memcpy(a->kind == STORE ? in->data : in->read_data, line->data, sizeof(in->data));
}

/* Whether it is emptied in this cycle, behind the line that there is. */
static bool empties(struct lockstep *l)
{
	const bool last = l->busy && l->at == l->access.lines - 1;
	const struct uop op = { .word = 0 };

	if (last && l->access.acquires)
		return true;
	if ((l->busy && !last) || random_below(l->rare))
		return false;
	switch (random_below(l->g->data ? 3 : 2)) {
	case 0:
		l1_invalidate(&l->cu->l1, ++l->owner);
		l->result->count[L1_DISPATCHES]++;
		break;
	case 1:
		l1_empty(&l->cu->l1);
		l->result->count[L1_DROPS]++;
		break;
	default:
		l1_data_fence(l->warp, &op);
		l->result->count[L1_FENCES]++;
	}
	l1_empty(&l->shadow);
	return true;
}

static void line_compare(struct lockstep *l, const struct l1_shim_out *o)
{
	const struct issued *a = &l->access;
	const struct line *line = &a->line[l->at];
	const bool counted = a->kind == LOAD && !a->failed && l->at == a->lines - 1;

	if (o->found != line->found || o->takes != line->takes || o->reads != line->reads)
		differs(l, "line %" PRIx64 ", %u of %u: found %d, brought in %d, read %d; of the model %d, %d, %d", line->number, l->at, a->lines, o->found, o->takes,
			o->reads, line->found, line->takes, line->reads);
	if ((line->found || line->takes) && o->way != line->way)
		differs(l, "line %" PRIx64 ", %u of %u, is in way %u, of the model in %u", line->number, l->at, a->lines, o->way, line->way);
	if (o->counted != counted || (counted && (o->hits != a->hits || o->misses != a->misses)))
		differs(l, "counts (%d) %u hits and %u misses, the model (%d) %u and %u", o->counted, o->hits, o->misses, counted, a->hits, a->misses);
}

/* What the lanes of a load have got. */
static void lanes_compare(struct lockstep *l)
{
	const struct issued *a = &l->access;

	for (unsigned i = 0; i < a->parts; i++)
		for (unsigned b = 0; b < a->part[i].n; b++) {
			const uint64_t pa = a->part[i].pa + b;
			const unsigned offset = (unsigned)(pa & (l->config.line_bytes - 1));
			unsigned k = 0;

			while (a->line[k].number != pa >> l->shift)
				k++;
			if (in_system(pa)) /* not the cache's */
				continue;
			if (a->line[k].got[offset] != a->part[i].data[b])
				differs(l, "byte %" PRIx64 " is %02x, of the model %02x", pa, a->line[k].got[offset], a->part[i].data[b]);
			l->result->count[L1_OLD] += a->part[i].data[b] != a->line[k].data[offset];
			l->result->count[L1_LANES]++;
		}
}

static void compare(struct lockstep *l, const struct l1_shim_out *o, const struct due *d)
{
	if (o->requests != d->requests)
		differs(l, "a line is %sasked for", o->requests ? "" : "not ");
	else if (d->requests && (o->request != d->request << l->shift || o->request_atomic != d->atomic || o->request_id != d->request_id))
		differs(l, "line %" PRIx64 " is asked for by access %u, atomic: %d; of the model line %" PRIx64 " by %u, %d", o->request >> l->shift, o->request_id,
			o->request_atomic, d->request, d->request_id, d->atomic);
	if (o->stores != d->stores)
		differs(l, "a line is %sstored", o->stores ? "" : "not ");
	else if (d->stores && (o->store != d->store << l->shift || o->store_bytes != d->store_bytes || o->store_id != d->store_id))
		differs(l, "line %" PRIx64 " is stored by access %u, %u bytes; of the model line %" PRIx64 " by %u, %u", o->store >> l->shift, o->store_id, o->store_bytes,
			d->store, d->store_id, d->store_bytes);
	if (o->over != d->over)
		differs(l, "accesses %04x are over, of the model %04x", o->over, d->over);
}

static void reset(struct lockstep *l)
{
	l1_shim_reset(l->shim);
	l1_empty(&l->cu->l1);
	l1_empty(&l->shadow);
	memset(l->due, 0, sizeof(l->due));
	l->busy = false;
	l->under_way = 0;
	l->result->count[L1_RESETS]++;
}

/* Which lines there are, how many accesses, how long memory takes. */
static void segment(struct lockstep *l)
{
	const uint64_t first = (random_below(4) ? DRAM_BASE : SYSTEM_BASE - MEMORY / 2) >> l->shift, bits = 30 - l->shift;

	l->num_tags = 1 + (unsigned)random_below(l->shadow.ways * 2 + 4);
	l->spread = 1 + (unsigned)random_below(random_below(2) ? l->sets : 2 < l->sets ? 2 : l->sets);
	for (unsigned i = 0; i < l->num_tags; i++) {
		uint64_t line = DRAM_BASE >> l->shift;

		if (!l->g->data && !random_below(4))
			line = random_next() & ((1ull << (55 - l->shift)) - 1);
		else if (!random_below(6))
			line = (SYSTEM_BASE >> l->shift) + random_below(1 << 20);
		else if (random_below(2))
			line += 1ull << random_below(bits);
		else
			line += random_below(random_below(2) ? 64 * l->sets : 1ull << bits);
		if (!random_below(8) && l->g->data) /* the last of DRAM's addresses */
			line = first;
		if (i && !random_below(3)) /* like the one before it, but for a bit */
			line = (l->tags[i - 1] * l->sets) ^ 1ull << (l->g->data ? random_below(bits) : random_below(2) ? random_below(56 - l->shift) : 55 - l->shift);
		l->tags[i] = line / l->sets;
	}
	l->rate = 1 + (unsigned)random_below(64);
	l->rare = 10 + (unsigned)random_below(400);
	l->slow = 1 + (unsigned)random_below(random_below(2) ? 8 : 200);
	l->segment_ends = l->now + 1 + random_below(SEGMENT);
	if (!random_below(4))
		reset(l);
}

static void cycle(struct lockstep *l)
{
	struct due *d;
	struct l1_shim_out out;
	bool fence_last;

	if (l->now >= l->segment_ends)
		segment(l);
	if (!l->busy && l->under_way != (1u << L1_SHIM_ACCESSES) - 1 && often(l->rate))
		begin(l);
	d = due_at(l, l->now);
	l->in.valid = l->in.store = l->in.atomic = false;
	l->in.last = random_below(2);
	l->in.id = (unsigned)random_below(L1_SHIM_ACCESSES);
	if (l->busy)
		line_in(l);
	fence_last = empties(l);
	l->in.empties = fence_last;
	l->in.answers = d->answers;
	memcpy(l->in.answer_id, d->answer_id, sizeof(l->in.answer_id));
	l->result->count[L1_TOGETHER] += d->answers > 1;
	l1_shim_step(l->shim, &l->in, &out);
	compare(l, &out, d);
	if (l->busy) {
		line_compare(l, &out);
		memcpy(l->access.line[l->at].got, out.data, sizeof(out.data));
		if (++l->at == l->access.lines) {
			l->busy = false;
			if (l->g->data && l->access.kind == LOAD && !l->access.failed)
				lanes_compare(l);
		}
	} else if (out.found || out.takes || out.reads || out.counted) {
		differs(l, "without a line: found %d, brought in %d, read %d, counted %d", out.found, out.takes, out.reads, out.counted);
	}
	l->under_way &= ~d->over;
	*d = (struct due){ 0 };
	l->result->count[L1_CYCLES]++;
	l->now++;
}

static void create(struct lockstep *l)
{
	char error[256];
	struct bus_memory sys = host_init(&l->host, false);

	assert_int_equal(device_config_parse(l->g->config, &l->config, error, sizeof(error)), 0);
	assert_int_equal(physmem_init(&l->mem, MEMORY, &sys), 0);
	l->cu = aligned_alloc(_Alignof(struct cu), sizeof(*l->cu));
	l->warp = aligned_alloc(_Alignof(struct warp), sizeof(*l->warp));
	l->shim = l1_shim_create();
	assert_true(l->cu && l->warp && l->shim);
	memset(l->cu, 0, sizeof(*l->cu));
	memset(l->warp, 0, sizeof(*l->warp));
	l->warp->cu = l->cu;
	l->cu->mem = &l->mem;
	l->cu->unit = UNIT_CU;
	l->cu->config = &l->config;
	l->shift = (unsigned)__builtin_ctz(l->config.line_bytes);
	l->cu->coalescer.line_shift = l->shift;
	assert_true(l1_init(&l->cu->l1, &l->config, (struct l2 *)(void *)l) && l1_init(&l->shadow, &l->config, NULL));
	if (l->config.l1_data)
		assert_true(l1_data_create(&l->cu->l1));
	assert_int_equal(l->config.l1_data, l->g->data);
	l->sets = (unsigned)l->shadow.last_set + 1;
	l->tag = malloc(shadow_bytes(l));
	l->used = malloc(shadow_bytes(l));
	assert_true(l->tag && l->used);
}

void l1_lockstep_run(unsigned geometry, uint64_t seed, unsigned long cycles, struct l1_lockstep_result *r)
{
	struct lockstep *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	*r = (struct l1_lockstep_result){ 0 };
	random_state = seed + geometry;
	l->g = &l1_geometry[geometry];
	l->in.geometry = geometry;
	l->result = r;
	create(l);
	segment(l);
	reset(l);
	while (r->count[L1_CYCLES] < cycles && !r->text[0])
		cycle(l);
	l1_shim_destroy(l->shim);
	l1_fini(&l->cu->l1);
	l1_fini(&l->shadow);
	free(l->tag);
	free(l->used);
	free(l->warp);
	free(l->cu);
	physmem_fini(&l->mem);
	host_fini(&l->host);
	free(l);
}
