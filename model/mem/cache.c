/* A write-back cache with data, for system memory of a device that is not coherent with its host.
 *
 * A line is fetched when it is first read or written, and then belongs to the device: what the host
 * writes to memory is not seen, and what the device writes is seen by no other master, until maintenance
 * or replacement. Bytes that the device wrote are marked one by one, and only those go back: cleaning
 * a line never undoes what the host wrote beside them.
 *
 * Whether memory would take a write is known only when the line goes back: a page that is no longer
 * pinned, or pinned for reading alone, then costs the bytes. Replacement tells no other master, and drops
 * them with an event; maintenance reports a bus error. */
#include "model/mem/cache.h"
#include "model/mem/l2.h"
#include <stdlib.h>
#include <string.h>

enum {
	WORD = 64,      /* dirty bits in a word */
	LINE_MAX = CONFIG_MOST_line_bytes,
};

struct line {
	uint64_t tag;   /* line number + 1; 0 when empty */
	uint64_t used;  /* LRU stamp */
	uint64_t *dirty; /* one bit a byte */
	uint8_t *data;
};

struct cache {
	struct physmem *mem;
	struct event_sink *events;
	struct l2 *l2;       /* whose bus write-backs take; NULL: they take none */
	uint64_t written;
	uint32_t sets, ways, line_bytes, line_shift, words;
	uint64_t stamp;
	struct line *lines; /* sets * ways */
	uint64_t *dirty;
	uint8_t *data;
};

struct cache *cache_create(const struct device_config *config, struct physmem *mem, struct event_sink *events,
			   bool *failed)
{
	struct cache *c;
	size_t count;

	*failed = false;
	if (config->coherent)
		return NULL;
	*failed = true;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->mem = mem;
	c->events = events;
	c->line_bytes = config->line_bytes;
	c->line_shift = (uint32_t)__builtin_ctz(config->line_bytes);
	c->words = (config->line_bytes + WORD - 1) / WORD;
	c->ways = config->l2_ways;
	c->sets = 1;
	while (c->sets * 2 * c->ways * config->line_bytes <= config->l2_bytes) /* as the L2 */
		c->sets *= 2;
	count = (size_t)c->sets * c->ways;
	c->lines = calloc(count, sizeof(*c->lines));
	c->dirty = calloc(count * c->words, sizeof(*c->dirty));
	c->data = malloc(count * c->line_bytes);
	if (!c->lines || !c->dirty || !c->data) {
		cache_destroy(c);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		c->lines[i].dirty = c->dirty + i * c->words;
		c->lines[i].data = c->data + i * c->line_bytes;
	}
	*failed = false;
	return c;
}

void cache_destroy(struct cache *c)
{
	if (!c)
		return;
	free(c->lines);
	free(c->dirty);
	free(c->data);
	free(c);
}

void cache_charge(struct cache *c, struct l2 *l2) { c->l2 = l2; }

uint64_t cache_written(const struct cache *c) { return c->written; }

void cache_reset(struct cache *c)
{
	for (size_t i = 0; i < (size_t)c->sets * c->ways; i++) {
		c->lines[i].tag = c->lines[i].used = 0;
		memset(c->lines[i].dirty, 0, c->words * sizeof(uint64_t));
	}
	c->stamp = 0;
}

/* ---- lines ---- */

static uint64_t line_address(const struct cache *c, const struct line *l) { return (l->tag - 1) << c->line_shift; }

static void report(const struct cache *c, enum event_kind kind, uint64_t pa, bool dirty, uint64_t cycle)
{
	EVENT_SEND(c->events, .cycle = cycle, .kind = (uint16_t)kind, .unit = UNIT_L2, .queue = EVENT_NO_QUEUE,
		   .a = pa, .b = dirty);
}

static bool is_dirty(const struct cache *c, const struct line *l)
{
	for (uint32_t w = 0; w < c->words; w++)
		if (l->dirty[w])
			return true;
	return false;
}

static bool byte_dirty(const struct line *l, uint32_t i) { return l->dirty[i / WORD] >> i % WORD & 1; }

static void mark_dirty(struct line *l, uint32_t first, uint32_t n)
{
	for (uint32_t i = first; i < first + n; i++)
		l->dirty[i / WORD] |= 1ull << i % WORD;
}

static void write_back_charge(struct cache *c, const struct line *l, uint64_t cycle)
{
	uint32_t bytes = 0;
	uint64_t accepted;

	for (uint32_t w = 0; w < c->words; w++)
		bytes += (uint32_t)__builtin_popcountll(l->dirty[w]);
	accepted = c->l2 ? l2_access(c->l2, cycle, line_address(c, l), bytes, true) : cycle;
	if (accepted > c->written)
		c->written = accepted;
}

/* Writes the bytes that the device wrote, run by run. The line is clean afterwards, whatever happens. */
static enum fault line_clean(struct cache *c, struct line *l, uint64_t cycle)
{
	uint64_t pa = line_address(c, l);
	enum fault fault = FAULT_NONE;

	if (!is_dirty(c, l))
		return FAULT_NONE;
	for (uint32_t i = 0, n; i < c->line_bytes; i += n) {
		bool dirty = byte_dirty(l, i);

		for (n = 1; i + n < c->line_bytes && byte_dirty(l, i + n) == dirty; n++)
			;
		if (dirty && physmem_write(c->mem, pa + i, l->data + i, n))
			fault = FAULT_BUS_ERROR;
	}
	write_back_charge(c, l, cycle);
	memset(l->dirty, 0, c->words * sizeof(uint64_t));
	if (!fault)
		report(c, EVENT_LINE_WRITEBACK, pa, false, cycle);
	return fault;
}

static void line_drop(struct cache *c, struct line *l, bool dirty, uint64_t cycle)
{
	report(c, EVENT_LINE_DROP, line_address(c, l), dirty, cycle);
	memset(l->dirty, 0, c->words * sizeof(uint64_t));
	l->tag = l->used = 0;
}

static struct line *line_find(struct cache *c, uint64_t number)
{
	struct line *set = c->lines + (size_t)(number & (c->sets - 1)) * c->ways;

	for (uint32_t i = 0; i < c->ways; i++)
		if (set[i].tag == number + 1)
			return &set[i];
	return NULL;
}

/* The line of pa, brought in if need be; NULL when memory does not give it: then nothing has changed. */
static struct line *line_get(struct cache *c, uint64_t pa, uint64_t cycle, enum fault *fault)
{
	uint64_t number = pa >> c->line_shift;
	struct line *l = line_find(c, number);
	uint8_t fetched[LINE_MAX] __attribute__((aligned(8)));

	if (l)
		goto found;
	*fault = physmem_read_line(c->mem, number << c->line_shift, fetched, c->line_bytes);
	if (*fault)
		return NULL;
	l = c->lines + (size_t)(number & (c->sets - 1)) * c->ways;
	for (struct line *way = l + 1, *end = l + c->ways; way < end; way++)
		if (way->used < l->used)
			l = way;
	if (l->tag && line_clean(c, l, cycle))
		report(c, EVENT_LINE_DROP, line_address(c, l), true, cycle);
	memcpy(l->data, fetched, c->line_bytes);
	l->tag = number + 1;
	report(c, EVENT_LINE_FILL, number << c->line_shift, false, cycle);
found:
	l->used = ++c->stamp;
	return l;
}

/* Whether a byte that is read, and that the device did not write, is another in memory by now. Asked
 * only while events are observed, and only of memory that can be looked at without being accessed. */
static void stale_check(struct cache *c, const struct line *l, uint32_t offset, uint32_t n, uint64_t cycle)
{
	const struct bus_memory *sys = &c->mem->sys;
	uint64_t pa = line_address(c, l);
	const uint8_t *page = NULL;

	if (sys->page && !sys->observed)
		page = sys->page(sys->ctx, (pa - SYSTEM_BASE) >> GALENA_PAGE_SHIFT, false);
	for (uint32_t i = offset; page && i < offset + n; i++)
		if (!byte_dirty(l, i) && l->data[i] != page[(pa & (GALENA_PAGE_SIZE - 1)) + i]) {
			report(c, EVENT_LINE_STALE, pa + i, false, cycle);
			return;
		}
}

/* ---- accesses ---- */

/* Length of the piece of [pa, pa + len) that lies in the line of pa. */
static uint32_t piece(const struct cache *c, uint64_t pa, size_t len)
{
	uint32_t rest = c->line_bytes - (uint32_t)(pa & (c->line_bytes - 1));

	return len < rest ? (uint32_t)len : rest;
}

/* Brings in all lines of an access, so that a fault finds nothing written. A cache of less than a page
 * cannot hold them all and fetches some again: a page that goes away between the two is the exception. */
static enum fault lines_get(struct cache *c, uint64_t pa, size_t len, uint64_t cycle)
{
	enum fault fault = FAULT_NONE;

	for (uint32_t n; len; pa += n, len -= n) {
		n = piece(c, pa, len);
		if (!line_get(c, pa, cycle, &fault))
			return fault;
		charges_waive(CHARGES_FILL, pa, 1, c->line_bytes);
	}
	return FAULT_NONE;
}

enum fault cache_read(struct cache *c, uint64_t pa, void *dst, size_t len, uint64_t cycle)
{
	uint8_t *out = dst;

	for (uint32_t n; len; pa += n, out += n, len -= n) {
		uint32_t offset = (uint32_t)(pa & (c->line_bytes - 1));
		enum fault fault = FAULT_NONE;
		const struct line *l = line_get(c, pa, cycle, &fault);

		if (!l)
			return fault;
		n = piece(c, pa, len);
		if (c->events)
			stale_check(c, l, offset, n, cycle);
		memcpy(out, l->data + offset, n);
	}
	return FAULT_NONE;
}

enum fault cache_write(struct cache *c, uint64_t pa, const void *src, size_t len, uint64_t cycle)
{
	const uint8_t *in = src;

	reservations_written(&c->mem->reservations, pa, len);
	enum fault fault = piece(c, pa, len) < len ? lines_get(c, pa, len, cycle) : FAULT_NONE;

	for (uint32_t n; len && !fault; pa += n, in += n, len -= n) {
		uint32_t offset = (uint32_t)(pa & (c->line_bytes - 1));
		struct line *l = line_get(c, pa, cycle, &fault);

		if (!l)
			return fault;
		charges_waive(CHARGES_FILL, pa, 1, c->line_bytes);
		n = piece(c, pa, len);
		memcpy(l->data + offset, in, n);
		mark_dirty(l, offset, n);
	}
	return fault;
}

/* ---- maintenance ---- */

static enum fault line_maintain(struct cache *c, struct line *l, unsigned op, uint64_t cycle)
{
	bool dirty = is_dirty(c, l);
	enum fault fault = FAULT_NONE;

	if (op & CACHE_CLEAN) {
		fault = line_clean(c, l, cycle);
		dirty = fault != FAULT_NONE; /* these bytes are lost */
	}
	if (op & CACHE_INVALIDATE || fault)
		line_drop(c, l, dirty, cycle);
	return fault;
}

enum fault cache_maintain(struct cache *c, uint64_t pa, uint64_t size, unsigned op, uint64_t cycle)
{
	uint64_t first = pa >> c->line_shift, last = (pa + size - 1) >> c->line_shift, count = (uint64_t)c->sets * c->ways;
	enum fault fault = FAULT_NONE, f;

	if (size && last - first < count) {
		for (uint64_t number = first; number <= last; number++) {
			struct line *l = line_find(c, number);

			f = l ? line_maintain(c, l, op, cycle) : FAULT_NONE;
			fault = f ? f : fault;
		}
		return fault;
	}
	for (uint64_t i = 0; i < count; i++) {
		struct line *l = &c->lines[i];

		if (!l->tag || (size ? l->tag - 1 < first || l->tag - 1 > last : line_address(c, l) >= SYSTEM_MANUAL_BASE))
			continue;
		f = line_maintain(c, l, op, cycle);
		fault = f ? f : fault;
	}
	return fault;
}
