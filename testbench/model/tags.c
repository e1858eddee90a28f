/* Tags of a cache, against a plain list of stamps; and the timing of streams, which work out many lines together,
 * against that of the same lines one by one. */
#include "testbench/model/fixture.h"
#include "abi/address_map.h"
#include "model/l2.h"
#include "model/tags.h"
#include <string.h>

enum { MAX_WAYS = 32, MAX_SETS = 16 };

/* The same, as simple as can be. */
struct plain {
	uint32_t sets, ways;
	uint64_t stamp, line[MAX_SETS][MAX_WAYS], used[MAX_SETS][MAX_WAYS];
	bool dirty[MAX_SETS][MAX_WAYS];
};

static uint32_t plain_find(const struct plain *p, uint64_t line)
{
	for (uint32_t w = 0; w < p->ways; w++)
		if (p->line[line % p->sets][w] == line + 1)
			return w;
	return p->ways;
}

static uint32_t plain_victim(const struct plain *p, uint64_t line)
{
	const uint64_t *used = p->used[line % p->sets];
	uint32_t victim = 0;

	for (uint32_t w = 1; w < p->ways; w++)
		if (used[w] < used[victim])
			victim = w;
	return victim;
}

static uint64_t plain_evicts(const struct plain *p, uint64_t line)
{
	uint32_t w = plain_victim(p, line), set = (uint32_t)(line % p->sets);

	return p->dirty[set][w] ? p->line[set][w] : 0;
}

static bool plain_use(struct plain *p, uint64_t line, bool write, uint64_t *evicted)
{
	uint32_t set = (uint32_t)(line % p->sets), w = plain_find(p, line);
	bool hit = w < p->ways;

	*evicted = hit ? 0 : plain_evicts(p, line);
	if (!hit) {
		w = plain_victim(p, line);
		p->line[set][w] = line + 1;
		p->dirty[set][w] = false;
	}
	p->used[set][w] = ++p->stamp;
	p->dirty[set][w] |= write;
	return hit;
}

static void random_uses(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		static struct plain p;
		struct tags t;
		uint32_t sets = 1u << random_below(5), ways = 1u << random_below(6);
		uint64_t size = sets * ways, next = 0, left = 0, span = 1 + random_below(4 * size);
		bool write = false;

		memset(&p, 0, sizeof(p));
		p.sets = sets;
		p.ways = ways;
		assert_true(tags_init(&t, sets, ways));
		for (unsigned i = 0; i < 4000; i++) {
			uint64_t expected = 0, evicted = 0, line = random_below(span) << random_below(3) * 8;
			bool hit, stream = left;

			if (!left && !random_below(20)) { /* a stream, often longer than the cache */
				left = 1 + random_below(5 * size);
				next = random_below(2) ? line : next + 1;
				write = random_below(2);
			}
			if (stream) {
				left--;
				line = random_below(8) ? next++ : next - !!next; /* the next, or more of the last */
				hit = tags_stream(&t, line, write, &evicted);
			} else {
				write = random_below(2);
				hit = tags_use(&t, line, write, &evicted);
			}
			assert_int_equal(hit, plain_use(&p, line, write, &expected));
			assert_int_equal(evicted, expected);
			if (left && !random_below(200)) /* somebody looks */
				tags_settle(&t);
			if (t.behind)
				continue;
			line = random_below(span);
			assert_int_equal(tags_has(&t, line), plain_find(&p, line) < ways);
			if (!tags_has(&t, line))
				assert_int_equal(tags_evicts(&t, line), plain_evicts(&p, line));
		}
		tags_fini(&t);
	}
}

/* What a stream costs, line by line. */
static uint64_t lines_one_by_one(struct l2 *l2, uint64_t now, uint64_t pa, uint64_t bytes, uint32_t line, bool write)
{
	uint64_t end = now;

	for (uint64_t n; bytes; pa += n, bytes -= n) {
		n = line - pa % line < bytes ? line - pa % line : bytes;
		uint64_t t = l2_access(l2, now, pa, (uint32_t)n, write);
		end = t > end ? t : end;
	}
	return end;
}

static void random_streams(void **state)
{
	(void)state;
	static const char *const configs[] = { "full", "mini", "mini" };

	for (unsigned round = 0; round < 60; round++) {
		struct device_config c = *device_config_find(configs[round % 3]);
		uint64_t now = 1000, at = 0, left = 0, line;
		bool write = false, dram = true;

		c.l2_bytes = 4096u << random_below(5);
		c.l2_ways = 1u << random_below(4);
		c.line_bytes = 32u << random_below(3);
		c.l2_bytes_cycle = random_below(4) ? 32u << random_below(4) : 48;
		c.dram_bytes_cycle = random_below(4) ? 16u << random_below(4) : 24;
		line = c.line_bytes;
		struct l2 *streams = l2_create(&c, BUS_TIMED), *single = l2_create(&c, BUS_TIMED);
		for (unsigned i = 0; i < 600; i++) {
			uint64_t n = 1 + random_below(random_below(2) ? 4096 : 200), base, a, b;

			if (!left) {
				left = random_below(4) ? random_below(6 * c.l2_bytes) : 0;
				at = random_below(4 * c.l2_bytes) & ~(random_below(2) ? line - 1 : 0);
				write = random_below(2);
				dram = random_below(8);
			}
			if (random_below(3) == 0)
				n = (n + line - 1) / line * line;
			base = dram ? DRAM_BASE : SYSTEM_BASE;
			a = l2_stream(streams, now, base + at, n, write);
			b = lines_one_by_one(single, now, base + at, n, (uint32_t)line, write);
			assert_int_equal(a, b);
			at += n;
			left -= n < left ? n : left;
			if (random_below(2))
				now += random_below(200);
			if (!random_below(30)) { /* somebody else's access in between */
				uint64_t pa = DRAM_BASE + random_below(8 * c.l2_bytes) / 8 * 8;
				bool w = random_below(2);

				assert_int_equal(l2_access(streams, now, pa, 8, w), l2_access(single, now, pa, 8, w));
			}
			if (!random_below(50))
				l2_settle(streams);
			assert_memory_equal(l2_counters(streams), l2_counters(single), sizeof(struct l2_counters));
		}
		l2_destroy(streams);
		l2_destroy(single);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_uses),
		cmocka_unit_test(random_streams),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
