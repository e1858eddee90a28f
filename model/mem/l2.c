/* Timing of the shared L2 cache, the DRAM behind it, and system memory over the bus.
 *
 * The L2 is physically tagged, write-back, write-allocate with byte masks (a write miss fetches nothing, a read of a line
 * that was not written or fetched as a whole does; evicting a dirty line costs DRAM one line of bandwidth), LRU. It holds
 * DRAM only: system memory is not cached, so that what the host wrote is never hidden by a stale line.
 *
 * Each resource has a clock that says until when it is busy, counted in cycles * its bytes a cycle,
 * so that an access that takes a fraction of a cycle is charged exactly that. The DRAM is in dram.c.
 *
 * Compute units run a quantum side by side, each with a view: clocks of its own, which begin as the L2's
 * are, and its tags, which do not change meanwhile, with the lines that it has brought in itself. So what a
 * unit is told depends on no other unit's quantum. Afterwards the L2 sees the accesses of all views, one view
 * after the other, as if they were made then: that decides what is in it, what was evicted, what is
 * counted, and how busy everything is when the next quantum begins. */
#include "model/mem/l2.h"
#include "abi/address_map.h"
#include "model/mem/charges.h"
#include "model/mem/dram.h"
#include "model/mem/tags.h"
#include <stdlib.h>

struct resource {
	uint64_t busy;   /* cycles * rate */
	uint32_t rate;   /* bytes a cycle */
	int8_t shift;    /* its logarithm; -1 when it is no power of two */
};

/* An access that a view has made. */
struct line_access {
	uint64_t now, pa;
	uint32_t bytes;
	uint8_t use; /* enum tags_use */
	uint8_t way; /* where the line was then */
	bool written; /* behind the read, as a whole, in the same cycle */
};

enum { FRESH = 512 };

struct l2 {
	enum bus_speed speed;
	const struct device_config *config;
	struct resource cache, sys;
	uint32_t line_shift;
	struct tags tags;
	struct l2_counters counters, shown; /* of the L2 itself; with those of the DRAM, for the caller of l2_counters */
	/* of a view */
	struct l2 *of;       /* what it is a view of, with its tags; NULL: this is none */
	bool decoupled, begun;   /* during a quantum; the clocks have been taken over */
	uint32_t num_accesses, room;
	struct line_access *accesses;
	uint64_t quantum; /* even */
	struct { uint64_t number, quantum; } *fresh; /* lines brought in, or made whole, by a part of their number; quantum + whole */
	struct dram dram; /* last: it is large */
};

static struct resource resource_make(uint32_t rate)
{
	return (struct resource){ 0, rate, rate & (rate - 1) ? -1 : (int8_t)__builtin_ctz(rate) };
}

struct l2 *l2_create(const struct device_config *config, enum bus_speed speed)
{
	struct l2 *l2 = calloc(1, sizeof(*l2));
	if (!l2)
		return NULL;
	l2->speed = speed;
	l2->config = config;
	l2->cache = resource_make(config->l2_bytes_cycle);
	dram_init(&l2->dram, config);
	l2->sys = resource_make(config->sys_bytes_cycle);
	l2->line_shift = (uint32_t)__builtin_ctz(config->line_bytes);
	uint32_t sets = 1;
	while (sets * 2 * config->l2_ways * config->line_bytes <= config->l2_bytes) /* a power of two */
		sets *= 2;
	if (!tags_init(&l2->tags, sets, config->l2_ways)) {
		l2_destroy(l2);
		return NULL;
	}
	return l2;
}

void l2_destroy(struct l2 *l2)
{
	if (!l2)
		return;
	if (!l2->of)
		tags_fini(&l2->tags);
	free(l2->accesses);
	free(l2->fresh);
	free(l2);
}

/* Occupies the resource for bytes, not before cycle now; the cycle at which it is free again. */
static uint64_t resource_take(struct resource *r, uint64_t now, uint64_t bytes)
{
	uint64_t clock = now * r->rate;
	if (clock < r->busy)
		clock = r->busy;
	r->busy = clock + bytes;
	return r->shift >= 0 ? (r->busy + r->rate - 1) >> r->shift : (r->busy + r->rate - 1) / r->rate;
}

/* A posted write is accepted at once while the queue in front of the resource, as deep as its
 * latency, has room. */
static uint64_t write_accepted(uint64_t now, uint64_t drained, uint32_t latency)
{
	return drained > now + latency ? drained - latency : now;
}

/* The number of a line of DRAM: in its set, and below 2^31. */
static inline uint64_t number_of(const struct l2 *l2, uint64_t pa) { return (pa - DRAM_BASE) >> l2->line_shift; }

/* A line that the tags do not have, or a part of it: whether a use of it is a hit for the view all the same. */
static __attribute__((noinline)) bool fresh_use(struct l2 *view, uint64_t number, enum tags_use use, uint64_t *evicted)
{
	uint32_t f = number & (FRESH - 1);
	uint64_t whole = view->quantum + 1;
	bool there = tags_find_part(&view->of->tags, number) < view->tags.ways;

	if (view->fresh[f].number == number && view->fresh[f].quantum >= view->quantum) {
		if (view->fresh[f].quantum == whole)
			return true;
		there = true;
	}
	if (!there)
		*evicted = tags_evicts(&view->tags, number);
	view->fresh[f].number = number;
	view->fresh[f].quantum = whole - (use == TAGS_PATCH);
	return there && use != TAGS_READ;
}

/* tags_use of a view: leaves the tags as they are and remembers what it has brought in itself. */
static inline __attribute__((always_inline)) bool view_use(struct l2 *view, uint64_t number, enum tags_use use, uint8_t *at, uint64_t *evicted)
{
	uint32_t way = tags_find(&view->tags, number);

	*evicted = 0;
	*at = 0;
	if (way < view->tags.ways) {
		*at = (uint8_t)way;
		return true;
	}
	return fresh_use(view, number, use, evicted);
}

/* ---- views ---- */

struct l2 *l2_view_create(struct l2 *of)
{
	struct l2 *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	*view = *of;
	view->of = of;
	view->dram.events = NULL; /* rows are the L2's to report */
	view->fresh = calloc(FRESH, sizeof(*view->fresh));
	if (view->fresh)
		return view;
	l2_destroy(view);
	return NULL;
}

void l2_view_begin(struct l2 *view, bool decoupled)
{
	view->decoupled = decoupled;
	view->begun = false;
}

bool l2_view_leave(struct l2 *view)
{
	view->decoupled = false;
	return view->num_accesses != 0;
}

/* Before a view's accesses of a quantum, count of them to begin with. */
static inline void view_room(struct l2 *view, uint32_t count)
{
	if (!view->begun) {
		view->begun = true;
		view->quantum += 2;
		view->cache.busy = view->of->cache.busy;
		view->sys.busy = view->of->sys.busy;
		dram_follow(&view->dram, &view->of->dram);
		view->counters = (struct l2_counters){ 0 };
	}
	if (view->room - view->num_accesses >= count)
		return;
	view->room = view->room ? 2 * view->room : 256;
	view->accesses = realloc(view->accesses, view->room * sizeof(*view->accesses));
	if (!view->accesses)
		abort();
}

/* ---- accesses ---- */

enum how { OF_VIEW, OF_ALL, OF_STREAM }; /* whose access it is */

/* An access to DRAM within a line. In *way one learns where the line is, and the L2 itself is told where it may be. */
static inline __attribute__((always_inline)) uint64_t line_access(struct l2 *l2, uint64_t now, uint64_t pa, uint32_t bytes,
								  enum tags_use use, enum how how, uint8_t *way)
{
	const struct device_config *c = l2->config;
	uint64_t served = resource_take(&l2->cache, now, bytes);
	uint64_t line = number_of(l2, pa), evicted;
	bool hit = how == OF_STREAM ? tags_stream(&l2->tags, line, use, &evicted) :
		   how == OF_VIEW   ? view_use(l2, line, use, way, &evicted) :
				      tags_use(&l2->tags, line, way, use, &evicted);
	if (hit)
		l2->counters.hit++;
	else
		l2->counters.miss++;
	uint64_t drained = 0;
	if (evicted)
		drained = dram_access(&l2->dram, served, DRAM_BASE + ((evicted - 1) << l2->line_shift), c->line_bytes, true);
	if (use != TAGS_READ)
		return write_accepted(served, drained, c->dram_latency);
	if (hit)
		return served + c->l2_latency;
	return dram_access(&l2->dram, served, pa, c->line_bytes, false) + c->dram_latency;
}

static inline __attribute__((always_inline)) uint64_t any_access(struct l2 *l2, uint64_t now, uint64_t pa, uint32_t bytes, enum tags_use use,
							     enum how how, uint8_t *way)
{
	const struct device_config *c = l2->config;
	if (pa >= SYSTEM_BASE) {
		bool write = use != TAGS_READ;
		*(write ? &l2->counters.sys_written : &l2->counters.sys_read) += bytes;
		uint64_t drained = resource_take(&l2->sys, now, bytes);
		return write ? write_accepted(now, drained, c->sys_latency) : drained + c->sys_latency;
	}
	return line_access(l2, now, pa, bytes, use, how, way);
}

/* Of a view that is decoupled, and remembered. */
static inline __attribute__((always_inline)) uint64_t view_access(struct l2 *view, uint64_t now, uint64_t pa, uint32_t bytes, enum tags_use use)
{
	struct line_access *a = &view->accesses[view->num_accesses++];

	charges_pay(pa, bytes, view->config->line_bytes, use != TAGS_READ);
	*a = (struct line_access){ now, pa, bytes, (uint8_t)use, 0, false };
	return any_access(view, now, pa, bytes, use, OF_VIEW, &a->way);
}

/* The line of the last access of the view, which has read it whole, is written: a hit. */
static inline void view_write_again(struct l2 *view, uint64_t now, uint64_t pa, uint32_t bytes)
{
	struct line_access *a = &view->accesses[view->num_accesses - 1];

	charges_pay(pa, bytes, view->config->line_bytes, true);
	a->written = true;
	if (pa >= SYSTEM_BASE) {
		any_access(view, now, pa, bytes, TAGS_WRITE, OF_VIEW, &a->way);
		return;
	}
	resource_take(&view->cache, now, bytes);
	view->counters.hit++;
}

static inline enum tags_use use_of(const struct l2 *l2, uint32_t bytes, bool write)
{
	return !write ? TAGS_READ : bytes == l2->config->line_bytes ? TAGS_WRITE : TAGS_PATCH;
}

uint64_t l2_access(struct l2 *l2, uint64_t now, uint64_t pa, uint32_t bytes, bool write)
{
	if (l2->speed == BUS_FUNCTIONAL)
		return now;
	if (l2->of && l2->decoupled) {
		view_room(l2, 1);
		return view_access(l2, now, pa, bytes, use_of(l2, bytes, write));
	}
	charges_pay(pa, bytes, l2->config->line_bytes, write);
	if (l2->of)
		l2 = l2->of;
	return any_access(l2, now, pa, bytes, use_of(l2, bytes, write), OF_ALL, &(uint8_t){ 0 });
}

static inline __attribute__((always_inline)) uint64_t view_lines(struct l2 *view, const uint64_t *at, const uint64_t *lines, uint32_t count,
								 uint32_t bytes, enum tags_use use)
{
	uint64_t end = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t t = view_access(view, at[i], lines[i] << view->line_shift, bytes, use);
		end = t > end ? t : end;
	}
	return end;
}

/* The host is to have at hand what a view looks at for these lines: the first one comes at once. */
static inline void view_prefetch(const struct l2 *view, const uint64_t *lines, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		__builtin_prefetch(tags_lines(&view->tags, number_of(view, lines[i] << view->line_shift)));
}

uint64_t l2_access_lines(struct l2 *l2, const uint64_t *at, const uint64_t *lines, uint32_t count, uint32_t bytes, bool write)
{
	enum tags_use use = use_of(l2, bytes, write);
	uint64_t end = 0, t;

	if (!(l2->of && l2->decoupled)) {
		for (uint32_t i = 0; i < count; i++) {
			t = l2_access(l2, at[i], lines[i] << l2->line_shift, bytes, write);
			end = t > end ? t : end;
		}
		return end;
	}
	view_room(l2, count);
	view_prefetch(l2, lines, count);
	return use == TAGS_READ ? view_lines(l2, at, lines, count, bytes, TAGS_READ) : view_lines(l2, at, lines, count, bytes, use);
}

uint64_t l2_atomic_lines(struct l2 *l2, const uint64_t *at, const uint64_t *lines, uint32_t count)
{
	const bool apart = l2->of && l2->decoupled && l2->speed != BUS_FUNCTIONAL;
	uint32_t bytes = l2->config->line_bytes;
	uint64_t end = 0, t;

	if (apart) {
		view_room(l2, count);
		view_prefetch(l2, lines, count);
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t pa = lines[i] << l2->line_shift;
		if (apart) {
			t = view_access(l2, at[i], pa, bytes, TAGS_READ);
			view_write_again(l2, at[i], pa, bytes);
		} else {
			t = l2_access(l2, at[i], pa, bytes, false);
			l2_access(l2, at[i], pa, bytes, true);
		}
		end = t > end ? t : end;
	}
	return end;
}

/* The line that has been read is written in the same cycle: it is there, and the one used last. */
static inline void write_again(struct l2 *l2, const struct line_access *a)
{
	const uint64_t line = number_of(l2, a->pa);

	if (a->pa >= SYSTEM_BASE) {
		any_access(l2, a->now, a->pa, a->bytes, TAGS_WRITE, OF_ALL, &(uint8_t){ 0 });
		return;
	}
	resource_take(&l2->cache, a->now, a->bytes);
	l2->counters.hit++;
	*tags_dirty(&l2->tags, tags_marks(&l2->tags, line)) |= 1ull << a->way;
}

void l2_view_end(struct l2 *view)
{
	enum { AHEAD = 8 };
	struct l2 *l2 = view->of;
	uint32_t n = view->num_accesses;

	for (uint32_t i = 0; i < n; i++) {
		struct line_access *a = &view->accesses[i];

		if (i + AHEAD < n)
			tags_prefetch(&l2->tags, number_of(l2, a[AHEAD].pa));
		any_access(l2, a->now, a->pa, a->bytes, (enum tags_use)a->use, OF_ALL, &a->way);
		if (a->written)
			write_again(l2, a);
	}
	view->num_accesses = 0;
}

uint64_t l2_backlog(const struct l2 *l2, uint64_t now)
{
	uint64_t until = l2->cache.busy / l2->cache.rate;

	if (until < l2->sys.busy / l2->sys.rate)
		until = l2->sys.busy / l2->sys.rate;
	if (until < l2->dram.bus / l2->dram.rate)
		until = l2->dram.bus / l2->dram.rate;
	return until > now ? until - now : 0;
}

uint64_t l2_access_ahead(struct l2 *l2, uint64_t now, uint64_t then, uint64_t pa, uint32_t bytes)
{
	/* a view that has made no access yet has no clocks of its own */
	const struct l2 *clocks = l2->of && !(l2->decoupled && l2->begun) ? l2->of : l2;
	const struct resource *r = pa >= SYSTEM_BASE ? &clocks->sys : &clocks->cache;
	uint64_t idle = r->busy / r->rate, queue = idle > now ? idle - now : 0;
	uint64_t took = l2_access(l2, now, pa, bytes, false) - now;

	if (l2->speed == BUS_FUNCTIONAL)
		return then;
	return then + took - (queue < then - now ? queue : then - now);
}

/* Lines from pa on, at most `most`, that a stream which has the cache for itself exchanges with the row of DRAM that its
 * last line has opened: they take what l2_access says of each, worked out together. Returns how many, and when the last
 * one is there or accepted. */
static uint64_t row_rest(struct l2 *l2, uint64_t pa, uint64_t most, bool write, uint64_t *end)
{
	const struct device_config *c = l2->config;
	uint64_t line = c->line_bytes, at = write ? pa - (uint64_t)l2->tags.sets * l2->tags.ways * line : pa, served, there;
	uint64_t offset = at & (c->dram_row_bytes - 1), lines = (c->dram_row_bytes - offset) / line;

	if (!offset || l2->cache.shift < 0)
		return 0;
	if (lines > most)
		lines = most;
	there = dram_access_more(&l2->dram, at, (uint32_t)line, write, lines, l2->cache.busy + line, (unsigned)l2->cache.shift);
	l2->cache.busy += lines * line;
	served = (l2->cache.busy + l2->cache.rate - 1) >> l2->cache.shift;
	l2->counters.miss += lines;
	tags_pass(&l2->tags, lines);
	*end = write ? write_accepted(served, there, c->dram_latency) : there + c->dram_latency;
	return lines;
}

static inline __attribute__((always_inline)) uint64_t stream(struct l2 *l2, uint64_t now, uint64_t pa, uint64_t bytes, bool write)
{
	uint64_t end = now, line = l2->config->line_bytes;
	while (bytes) {
		uint64_t n = line - (pa & (line - 1));
		if (n > bytes)
			n = bytes;
		enum tags_use use = use_of(l2, (uint32_t)n, write);
		bool alone = tags_alone(&l2->tags, number_of(l2, pa), use);
		uint64_t t = line_access(l2, now, pa, (uint32_t)n, use, OF_STREAM, NULL);
		if (t > end)
			end = t;
		pa += n;
		bytes -= n;
		if (!alone || bytes < line)
			continue;
		n = line * row_rest(l2, pa, bytes / line, write, &t);
		if (t > end)
			end = t;
		pa += n;
		bytes -= n;
	}
	return end;
}

uint64_t l2_stream(struct l2 *l2, uint64_t now, uint64_t pa, uint64_t bytes, bool write)
{
	charges_pay(pa, bytes, l2->config->line_bytes, write);
	if (l2->speed == BUS_FUNCTIONAL)
		return now;
	if (pa >= SYSTEM_BASE) /* no lines: the bus is busy with the last byte when it has been with the others */
		return l2_access(l2, now, pa, (uint32_t)bytes, write);
	return write ? stream(l2, now, pa, bytes, true) : stream(l2, now, pa, bytes, false);
}

void l2_synchronise(struct l2 *l2) { tags_synchronise(&l2->tags); }

void l2_observe(struct l2 *l2, struct event_sink *events) { l2->dram.events = events; }

static struct l2_counters counters_of(const struct l2 *l2)
{
	struct l2_counters c = l2->counters;
	const struct dram_counters *d = &l2->dram.counters;

	c.dram_read = d->bytes[false];
	c.dram_written = d->bytes[true];
	c.row_hit = d->row_hit;
	c.row_miss = d->row_miss;
	return c;
}

const struct l2_counters *l2_counters(struct l2 *l2)
{
	struct l2_counters *c = &l2->shown, own;

	*c = counters_of(l2->of ? l2->of : l2);
	if (!l2->decoupled || !l2->begun)
		return c;
	own = counters_of(l2);
	c->hit += own.hit;
	c->miss += own.miss;
	c->sys_read += own.sys_read;
	c->sys_written += own.sys_written;
	c->dram_read += own.dram_read;
	c->dram_written += own.dram_written;
	c->row_hit += own.row_hit;
	c->row_miss += own.row_miss;
	return c;
}
