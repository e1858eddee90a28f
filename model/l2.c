/* Timing of the shared L2 cache, the DRAM behind it, and system memory over the bus.
 *
 * The L2 is physically tagged, write-back, write-allocate with byte masks (a write miss fetches
 * nothing; evicting a dirty line costs DRAM one line of bandwidth), LRU. It holds DRAM only:
 * system memory is not cached, so that what the host wrote is never hidden by a stale line.
 *
 * Each resource has a clock that says until when it is busy, counted in cycles * its bytes a cycle,
 * so that an access that takes a fraction of a cycle is charged exactly that. The DRAM is in dram.c. */
#include "model/l2.h"
#include "abi/address_map.h"
#include "model/dram.h"
#include "model/tags.h"
#include <stdlib.h>

struct resource {
	uint64_t busy;   /* cycles * rate */
	uint32_t rate;   /* bytes a cycle */
	int8_t shift;    /* its logarithm; -1 when it is no power of two */
};

struct l2 {
	enum bus_speed speed;
	const struct device_config *config;
	struct resource cache, sys;
	uint32_t line_shift;
	struct tags tags;
	struct l2_counters counters;
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
	tags_fini(&l2->tags);
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

/* An access to DRAM within a line. */
static inline __attribute__((always_inline)) uint64_t line_access(struct l2 *l2, uint64_t now, uint64_t pa, uint32_t bytes, bool write,
						  bool stream)
{
	const struct device_config *c = l2->config;
	uint64_t served = resource_take(&l2->cache, now, bytes);
	uint64_t line = pa >> l2->line_shift, evicted;
	bool hit = stream ? tags_stream(&l2->tags, line, write, &evicted) : tags_use(&l2->tags, line, write, &evicted);
	if (hit)
		l2->counters.hit++;
	else
		l2->counters.miss++;
	uint64_t drained = 0;
	if (evicted)
		drained = dram_access(&l2->dram, served, (evicted - 1) << l2->line_shift, c->line_bytes, true);
	if (write)
		return write_accepted(served, drained, c->dram_latency);
	if (hit)
		return served + c->l2_latency;
	return dram_access(&l2->dram, served, pa, c->line_bytes, false) + c->dram_latency;
}

uint64_t l2_access(struct l2 *l2, uint64_t now, uint64_t pa, uint32_t bytes, bool write)
{
	const struct device_config *c = l2->config;
	if (l2->speed == BUS_FUNCTIONAL)
		return now;
	if (pa >= SYSTEM_BASE) {
		*(write ? &l2->counters.sys_written : &l2->counters.sys_read) += bytes;
		uint64_t drained = resource_take(&l2->sys, now, bytes);
		return write ? write_accepted(now, drained, c->sys_latency) : drained + c->sys_latency;
	}
	return line_access(l2, now, pa, bytes, write, false);
}

uint64_t l2_access_ahead(struct l2 *l2, uint64_t now, uint64_t then, uint64_t pa, uint32_t bytes)
{
	const struct resource *r = pa >= SYSTEM_BASE ? &l2->sys : &l2->cache;
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
		bool alone = tags_alone(&l2->tags, pa >> l2->line_shift, write);
		uint64_t n = line - (pa & (line - 1));
		if (n > bytes)
			n = bytes;
		uint64_t t = line_access(l2, now, pa, (uint32_t)n, write, true);
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
	if (l2->speed == BUS_FUNCTIONAL)
		return now;
	if (pa >= SYSTEM_BASE) /* no lines: the bus is busy with the last byte when it has been with the others */
		return l2_access(l2, now, pa, (uint32_t)bytes, write);
	return write ? stream(l2, now, pa, bytes, true) : stream(l2, now, pa, bytes, false);
}

void l2_settle(struct l2 *l2) { tags_settle(&l2->tags); }

void l2_observe(struct l2 *l2, struct event_sink *events) { l2->dram.events = events; }

const struct l2_counters *l2_counters(struct l2 *l2)
{
	const struct dram_counters *d = &l2->dram.counters;

	l2->counters.dram_read = d->bytes[false];
	l2->counters.dram_written = d->bytes[true];
	l2->counters.row_hit = d->row_hit;
	l2->counters.row_miss = d->row_miss;
	return &l2->counters;
}
