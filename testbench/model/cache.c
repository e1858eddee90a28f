/* The cache of a device that is not coherent: what it hides, what maintenance shows, and that it
 * never writes a byte that the device did not. */
#include "model/mem/cache.h"
#include "model/inject.h"
#include "model/mem/l2.h"
#include "testbench/model/fixture.h"

enum { DRAM_BYTES = 1 << 20, PAGE = 4096 };

/* Counts events by kind. */
struct watcher {
	struct event_sink sink;
	unsigned count[EVENT_KINDS];
	struct event last[EVENT_KINDS];
};

static void watch(struct event_sink *s, const struct event *e)
{
	struct watcher *w = (struct watcher *)(void *)s;

	assert_int_equal(e->unit, UNIT_L2);
	w->count[e->kind]++;
	w->last[e->kind] = *e;
}

struct bench {
	struct host host;
	struct physmem mem;
	struct device_config config;
	struct watcher watcher;
	struct cache *cache;
};

static void bench_open(struct bench *b, const char *spec, bool observed)
{
	struct bus_memory sys = host_init(&b->host, observed);
	char error[256];
	bool failed;

	assert_int_equal(device_config_parse(spec, &b->config, error, sizeof(error)), 0);
	assert_int_equal(physmem_init(&b->mem, DRAM_BYTES, &sys), 0);
	b->watcher = (struct watcher){ .sink = { .event = watch } };
	b->cache = cache_create(&b->config, &b->mem, &b->watcher.sink, &failed);
	assert_non_null(b->cache);
	assert_false(failed);
}

static void bench_close(struct bench *b)
{
	cache_destroy(b->cache);
	physmem_fini(&b->mem);
	host_fini(&b->host);
}

static uint32_t get(struct bench *b, uint64_t pa)
{
	uint32_t v = 0;

	assert_int_equal(cache_read(b->cache, pa, &v, sizeof(v), 7), FAULT_NONE);
	return v;
}

static void put(struct bench *b, uint64_t pa, uint32_t v)
{
	assert_int_equal(cache_write(b->cache, pa, &v, sizeof(v), 8), FAULT_NONE);
}

static uint32_t *word(struct bench *b, uint64_t pa) { return host_at(&b->host, pa); }

/* A line that is replaced takes the bus for the bytes that the device wrote, in the cycle of the access. */
static void test_write_backs_take_the_bus(void **state)
{
	struct bench b;
	struct l2 *l2;
	uint64_t set, pa;

	(void)state;
	bench_open(&b, "mini,coherent=0,l2_bytes=1024,l2_ways=4", false);
	l2 = l2_create(&b.config, BUS_TIMED);
	cache_charge(b.cache, l2);
	set = b.config.l2_bytes / b.config.l2_ways;
	pa = host_page(&b.host);
	put(&b, pa + 4, 1);
	put(&b, pa + 16, 2);
	for (unsigned i = 1; i < b.config.l2_ways; i++)
		get(&b, pa + i * set);
	assert_int_equal(l2_counters(l2)->sys_written, 0);
	get(&b, pa + b.config.l2_ways * set);
	assert_int_equal(b.watcher.count[EVENT_LINE_WRITEBACK], 1);
	assert_int_equal(l2_counters(l2)->sys_written, 8);
	assert_int_equal(l2_access(l2, 7, pa, 8, false), 7 + 2 * 8 / b.config.sys_bytes_cycle + b.config.sys_latency);
	assert_int_equal(cache_written(b.cache), 7);
	l2_destroy(l2);
	bench_close(&b);
}

static void test_coherent_has_none(void **state)
{
	bool failed = true;

	(void)state;
	assert_null(cache_create(device_config_find("full"), NULL, NULL, &failed));
	assert_false(failed);
}

/* What the host writes is not seen until the line is invalidated. */
static void test_device_reads_stale(void **state)
{
	struct bench b;
	uint64_t pa;

	(void)state;
	bench_open(&b, "mini,coherent=0", false);
	pa = host_page(&b.host) + 100;
	*word(&b, pa) = 1;
	assert_int_equal(get(&b, pa), 1);
	assert_int_equal(b.watcher.count[EVENT_LINE_FILL], 1);
	assert_int_equal(get(&b, pa), 1);
	assert_int_equal(b.watcher.count[EVENT_LINE_STALE], 0);
	*word(&b, pa) = 2;
	assert_int_equal(get(&b, pa), 1);
	assert_int_equal(b.watcher.count[EVENT_LINE_STALE], 1);
	assert_int_equal(b.watcher.last[EVENT_LINE_STALE].a, pa);
	assert_int_equal(b.watcher.last[EVENT_LINE_STALE].cycle, 7);
	assert_int_equal(cache_maintain(b.cache, pa, 4, CACHE_CLEAN, 9), FAULT_NONE);
	assert_int_equal(get(&b, pa), 1); /* cleaning is not enough */
	assert_int_equal(cache_maintain(b.cache, pa, 4, CACHE_INVALIDATE, 9), FAULT_NONE);
	assert_int_equal(get(&b, pa), 2);
	assert_int_equal(b.watcher.count[EVENT_LINE_FILL], 2);
	assert_int_equal(b.watcher.count[EVENT_LINE_DROP], 1);
	assert_int_equal(b.watcher.last[EVENT_LINE_DROP].b, 0);
	assert_int_equal(b.watcher.count[EVENT_LINE_WRITEBACK], 0);
	bench_close(&b);
}

/* What the device writes is not seen until the line is cleaned; bytes beside it stay the host's. */
static void test_host_reads_stale(void **state)
{
	struct bench b;
	uint64_t pa;

	(void)state;
	bench_open(&b, "mini,coherent=0", false);
	pa = host_page(&b.host);
	*word(&b, pa) = 10;
	put(&b, pa, 11);
	assert_int_equal(*word(&b, pa), 10);
	assert_int_equal(get(&b, pa), 11);
	*word(&b, pa + 4) = 20; /* in the same line, and not the device's */
	assert_int_equal(cache_maintain(b.cache, 0, 0, CACHE_CLEAN, 30), FAULT_NONE);
	assert_int_equal(*word(&b, pa), 11);
	assert_int_equal(*word(&b, pa + 4), 20);
	assert_int_equal(b.watcher.count[EVENT_LINE_WRITEBACK], 1);
	assert_int_equal(b.watcher.last[EVENT_LINE_WRITEBACK].cycle, 30);
	/* clean now: what the host writes is not overwritten by another cleaning */
	*word(&b, pa) = 12;
	assert_int_equal(cache_maintain(b.cache, pa, PAGE, CACHE_CLEAN, 31), FAULT_NONE);
	assert_int_equal(*word(&b, pa), 12);
	assert_int_equal(b.watcher.count[EVENT_LINE_WRITEBACK], 1);
	/* invalidated alone, dirty bytes are lost; both together write them first */
	put(&b, pa, 13);
	assert_int_equal(cache_maintain(b.cache, pa, 1, CACHE_INVALIDATE, 32), FAULT_NONE);
	assert_int_equal(b.watcher.last[EVENT_LINE_DROP].b, 1);
	assert_int_equal(get(&b, pa), 12);
	put(&b, pa, 14);
	assert_int_equal(cache_maintain(b.cache, pa, 1, CACHE_CLEAN | CACHE_INVALIDATE, 33), FAULT_NONE);
	assert_int_equal(b.watcher.last[EVENT_LINE_DROP].b, 0);
	assert_int_equal(*word(&b, pa), 14);
	*word(&b, pa) = 15;
	assert_int_equal(get(&b, pa), 15);
	/* reset: nothing is written */
	put(&b, pa, 16);
	cache_reset(b.cache);
	assert_int_equal(*word(&b, pa), 15);
	assert_int_equal(get(&b, pa), 15);
	bench_close(&b);
}

/* Replacement writes dirty lines, the least recently used first. */
static void test_replacement(void **state)
{
	struct bench b;
	uint64_t first = 0, way;

	(void)state;
	bench_open(&b, "mini,coherent=0", false);
	way = b.config.l2_bytes / b.config.l2_ways;
	for (unsigned p = 0; p < 2 * b.config.l2_bytes / PAGE; p++)
		first = p ? (host_page(&b.host), first) : host_page(&b.host);
	for (unsigned i = 0; i < b.config.l2_ways; i++)
		put(&b, first + i * way, 100 + i);
	assert_int_equal(get(&b, first), 100); /* now line 1 is the oldest */
	assert_int_equal(b.watcher.count[EVENT_LINE_WRITEBACK], 0);
	get(&b, first + b.config.l2_ways * way);
	assert_int_equal(b.watcher.count[EVENT_LINE_WRITEBACK], 1);
	assert_int_equal(*word(&b, first), 0);
	assert_int_equal(*word(&b, first + way), 101);
	bench_close(&b);
}

static void test_faults(void **state)
{
	struct bench b;
	uint64_t pa;
	uint8_t buffer[PAGE];
	uint32_t v = 5;

	(void)state;
	bench_open(&b, "mini,coherent=0", false);
	pa = host_page(&b.host);
	/* a page that nobody pinned */
	assert_int_equal(cache_read(b.cache, SYSTEM_BASE + (50 << 12), &v, 4, 0), FAULT_BUS_ERROR);
	assert_int_equal(cache_write(b.cache, SYSTEM_BASE + (50 << 12), &v, 4, 0), FAULT_BUS_ERROR);
	assert_int_equal(b.watcher.count[EVENT_LINE_FILL], 0);
	/* dirty lines of a page that went away: the error comes at the end, the others are written */
	put(&b, pa, 1);
	put(&b, pa + 1024, 2);
	host_pin(&b.host, (pa - SYSTEM_BASE) >> 12, HOST_READ);
	pa = host_page(&b.host);
	put(&b, pa, 3);
	assert_int_equal(cache_maintain(b.cache, 0, 0, CACHE_CLEAN, 0), FAULT_BUS_ERROR);
	assert_int_equal(*word(&b, pa), 3);
	assert_int_equal(*word(&b, pa - PAGE), 0);
	assert_int_equal(b.watcher.count[EVENT_LINE_DROP], 2);
	assert_int_equal(b.watcher.last[EVENT_LINE_DROP].b, 1);
	assert_int_equal(cache_maintain(b.cache, 0, 0, CACHE_CLEAN, 0), FAULT_NONE);
	/* an armed bus error meets the fills too; nothing of the write is done */
	struct inject inject;

	inject_init(&inject, NULL);
	b.mem.inject = &inject;
	inject_arm(&inject, INJECT_BUS_ERROR, 3, INJECT_ANY_UNIT, 0, 0);
	memset(buffer, 0xee, sizeof(buffer));
	assert_int_equal(cache_maintain(b.cache, 0, 0, CACHE_INVALIDATE, 0), FAULT_NONE);
	assert_int_equal(cache_write(b.cache, pa, buffer, 4 * b.config.line_bytes, 0), FAULT_BUS_ERROR);
	assert_int_equal(cache_maintain(b.cache, 0, 0, CACHE_CLEAN, 0), FAULT_NONE);
	assert_int_equal(*word(&b, pa), 3);
	bench_close(&b);
}

/* ---- against a predictor ---- */

enum { PAGES = 16, BYTES = PAGES * PAGE };

/* One record a line of memory that exists: what the cache must hold of it. */
struct expected {
	bool held;
	uint64_t last; /* when it was last used */
	uint8_t data[256], dirty[256];
};

struct predictor {
	struct expected line[BYTES / 32];
	uint8_t memory[BYTES];
	bool readable[PAGES], writable[PAGES];
	uint32_t line_bytes, sets, ways;
	uint64_t clock;
};

/* The line goes to memory; false where memory does not take it. */
static bool predict_clean(struct predictor *p, uint32_t n)
{
	uint32_t page = n * p->line_bytes / PAGE;
	bool any = false;

	for (uint32_t i = 0; i < p->line_bytes; i++) {
		if (!p->line[n].dirty[i])
			continue;
		any = true;
		p->line[n].dirty[i] = 0;
		if (p->writable[page])
			p->memory[n * p->line_bytes + i] = p->line[n].data[i];
	}
	return !any || p->writable[page];
}

static bool predict_use(struct predictor *p, uint32_t n)
{
	struct expected *e = &p->line[n];
	uint32_t held = 0, oldest = UINT32_MAX;

	if (!e->held) {
		if (!p->readable[n * p->line_bytes / PAGE])
			return false;
		for (uint32_t i = n % p->sets; i < BYTES / p->line_bytes; i += p->sets)
			if (p->line[i].held) {
				held++;
				if (oldest == UINT32_MAX || p->line[i].last < p->line[oldest].last)
					oldest = i;
			}
		if (held == p->ways) {
			predict_clean(p, oldest);
			p->line[oldest].held = false;
		}
		memcpy(e->data, p->memory + n * p->line_bytes, p->line_bytes);
		memset(e->dirty, 0, sizeof(e->dirty));
		e->held = true;
	}
	e->last = ++p->clock;
	return true;
}

static bool predict_access(struct predictor *p, uint32_t at, uint32_t len, uint8_t *out, const uint8_t *in)
{
	uint32_t first = at / p->line_bytes, last = (at + len - 1) / p->line_bytes;

	if (in && first != last) /* a write has all its lines before it changes one */
		for (uint32_t n = first; n <= last; n++)
			if (!predict_use(p, n))
				return false;
	for (uint32_t n = first; n <= last; n++) {
		if (!predict_use(p, n))
			return false;
		for (uint32_t i = 0; i < p->line_bytes; i++) {
			uint32_t b = n * p->line_bytes + i;

			if (b < at || b >= at + len)
				continue;
			if (out)
				out[b - at] = p->line[n].data[i];
			if (in) {
				p->line[n].data[i] = in[b - at];
				p->line[n].dirty[i] = 1;
			}
		}
	}
	return true;
}

static bool predict_maintain(struct predictor *p, uint32_t at, uint32_t len, unsigned op)
{
	bool ok = true;

	for (uint32_t n = 0; n < BYTES / p->line_bytes; n++) {
		if (!p->line[n].held || (len && (n < at / p->line_bytes || n > (at + len - 1) / p->line_bytes)))
			continue;
		if (op & CACHE_CLEAN && !predict_clean(p, n)) {
			ok = false;
			p->line[n].held = false;
		}
		if (op & CACHE_INVALIDATE)
			p->line[n].held = false;
	}
	return ok;
}

static void random_run(const char *spec, bool observed, unsigned steps)
{
	static struct predictor p;
	static uint8_t data[PAGE], want[PAGE];
	struct bench b;
	uint64_t base = SYSTEM_BASE + PAGE;

	bench_open(&b, spec, observed);
	memset(&p, 0, sizeof(p));
	p.line_bytes = b.config.line_bytes;
	p.ways = b.config.l2_ways;
	p.sets = b.config.l2_bytes / b.config.line_bytes / p.ways;
	for (unsigned i = 0; i < PAGES; i++) {
		assert_int_equal(host_page(&b.host), base + (uint64_t)i * PAGE);
		p.readable[i] = p.writable[i] = true;
	}
	for (unsigned step = 0; step < steps; step++) {
		uint32_t len = 1 + (uint32_t)random_below(random_below(8) ? 8 : 600), at = (uint32_t)random_below(BYTES);
		unsigned what = (unsigned)random_below(100), op = 1 + (unsigned)random_below(3);
		uint32_t page = at / PAGE;

		if (len > PAGE - at % PAGE)
			len = PAGE - at % PAGE;
		for (uint32_t i = 0; i < len; i++)
			data[i] = (uint8_t)random_next();
		if (what < 35) {
			bool ok = predict_access(&p, at, len, want, NULL);

			assert_int_equal(cache_read(b.cache, base + at, data, len, step), ok ? FAULT_NONE : FAULT_BUS_ERROR);
			if (ok)
				assert_memory_equal(data, want, len);
		} else if (what < 70) {
			bool ok = predict_access(&p, at, len, NULL, data);

			assert_int_equal(cache_write(b.cache, base + at, data, len, step), ok ? FAULT_NONE : FAULT_BUS_ERROR);
		} else if (what < 90) {
			memcpy(p.memory + at, data, len);
			memcpy(host_at(&b.host, base + at), data, len);
		} else if (what < 97) {
			bool ok = predict_maintain(&p, at, len, op);

			assert_int_equal(cache_maintain(b.cache, base + at, len, op, step), ok ? FAULT_NONE : FAULT_BUS_ERROR);
		} else if (what < 98) {
			bool ok = predict_maintain(&p, 0, 0, op);

			assert_int_equal(cache_maintain(b.cache, 0, 0, op, step), ok ? FAULT_NONE : FAULT_BUS_ERROR);
		} else {
			enum host_rights rights = random_below(4) ? HOST_WRITE : (enum host_rights)random_below(2);

			p.readable[page] = rights != HOST_UNPINNED;
			p.writable[page] = rights == HOST_WRITE;
			host_pin(&b.host, 1 + page, rights);
		}
		if (step % 64 == 0)
			assert_memory_equal(host_at(&b.host, base), p.memory, BYTES);
	}
	assert_memory_equal(host_at(&b.host, base), p.memory, BYTES);
	if (!observed)
		assert_true(b.watcher.count[EVENT_LINE_STALE] > 0);
	assert_true(b.watcher.count[EVENT_LINE_WRITEBACK] > 0);
	bench_close(&b);
}

static void test_random(void **state)
{
	(void)state;
	random_run("mini,coherent=0", false, 60000);
	random_run("mini,coherent=0", true, 20000);
	random_run("full,coherent=0,l2_bytes=16384,l2_ways=2,line_bytes=256", false, 40000);
	random_run("full,coherent=0,l2_bytes=8192,l2_ways=32,line_bytes=32", false, 40000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_coherent_has_none), cmocka_unit_test(test_device_reads_stale),
		cmocka_unit_test(test_write_backs_take_the_bus),
		cmocka_unit_test(test_host_reads_stale),  cmocka_unit_test(test_replacement),
		cmocka_unit_test(test_faults),	          cmocka_unit_test(test_random),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
