/* Tags of a cache, against a plain list of stamps; and the timing of streams, which work out many lines together,
 * against that of the same lines one by one. */
#include "testbench/model/fixture.h"
#include "abi/address_map.h"
#include "model/mem/l2.h"
#include "model/mem/tags.h"
#include <string.h>

enum { MAX_WAYS = 32, MAX_SETS = 16 };

/* The same, as simple as can be. */
struct plain {
	uint32_t sets, ways;
	uint64_t stamp, line[MAX_SETS][MAX_WAYS], used[MAX_SETS][MAX_WAYS];
	bool dirty[MAX_SETS][MAX_WAYS], part[MAX_SETS][MAX_WAYS];
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

static bool plain_use(struct plain *p, uint64_t line, enum tags_use use, uint64_t *evicted)
{
	uint32_t set = (uint32_t)(line % p->sets), w = plain_find(p, line);
	bool there = w < p->ways, whole;

	*evicted = there ? 0 : plain_evicts(p, line);
	if (!there) {
		w = plain_victim(p, line);
		p->line[set][w] = line + 1;
		p->dirty[set][w] = false;
		p->part[set][w] = true;
	}
	whole = !p->part[set][w];
	p->used[set][w] = ++p->stamp;
	p->dirty[set][w] |= use != TAGS_READ;
	p->part[set][w] &= use == TAGS_PATCH;
	return there && (whole || use != TAGS_READ);
}

static void random_uses(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		static struct plain p;
		struct tags t;
		uint32_t sets = 1u << random_below(5), ways = 1u << random_below(6);
		uint64_t size = sets * ways, next = 0, left = 0, span = 1 + random_below(4 * size);
		enum tags_use use = TAGS_READ;
		uint8_t way;

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
				use = (enum tags_use)random_below(2);
			}
			if (stream) {
				left--;
				line = random_below(8) ? next++ : next - !!next; /* the next, or more of the last */
				if (use != TAGS_READ) /* its first and its last line, in part */
					use = random_below(50) ? TAGS_WRITE : TAGS_PATCH;
				hit = tags_stream(&t, line, use, &evicted);
			} else {
				use = (enum tags_use)random_below(3);
				way = (uint8_t)random_below(ways); /* wherever it may be */
				hit = tags_use(&t, line, &way, use, &evicted);
				assert_int_equal(tags_lines(&t, line)[way] & ~TAGS_PART, line + 1);
			}
			assert_int_equal(hit, plain_use(&p, line, use, &expected));
			assert_int_equal(evicted, expected);
			if (left && !random_below(200)) /* somebody looks */
				tags_synchronise(&t);
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
				l2_synchronise(streams);
			assert_memory_equal(l2_counters(streams), l2_counters(single), sizeof(struct l2_counters));
		}
		l2_destroy(streams);
		l2_destroy(single);
	}
}

/* Two units' views, quantum by quantum: the lines of an instruction together cost what they do one by one, at once and
 * for those who come later. */
static void random_lines(void **state)
{
	(void)state;
	enum { VIEWS = 2, LINES = 40 };

	for (unsigned round = 0; round < 100; round++) {
		struct device_config c = *device_config_find(round % 2 ? "mini" : "full");
		struct l2 *l2[2], *view[2][VIEWS];
		uint64_t now = 1000, span;

		c.l2_bytes = 4096u << random_below(5);
		c.l2_ways = 1u << random_below(6);
		c.line_bytes = 32u << random_below(3);
		span = 1 + random_below(4 * c.l2_bytes / c.line_bytes);
		for (unsigned i = 0; i < 2; i++) {
			l2[i] = l2_create(&c, BUS_TIMED);
			for (unsigned v = 0; v < VIEWS; v++)
				view[i][v] = l2_view_create(l2[i]);
		}
		for (unsigned quantum = 0; quantum < 40; quantum++, now += 512) {
			bool apart = random_below(4);

			for (unsigned v = 0; v < VIEWS; v++) {
				l2_view_begin(view[0][v], apart);
				l2_view_begin(view[1][v], apart);
			}
			for (unsigned n = random_below(40); n; n--) {
				uint64_t at[LINES], line[LINES], end = 0, together, cycle = now + random_below(512);
				uint32_t count = random_below(LINES + 1), bytes = 1 + random_below(c.line_bytes);
				unsigned v = random_below(VIEWS);
				bool write = random_below(2);

				for (uint32_t i = 0; i < count; i++) {
					uint64_t base = random_below(20) ? DRAM_BASE : SYSTEM_BASE, t;

					at[i] = cycle += random_below(3);
					line[i] = base / c.line_bytes + random_below(span);
					t = l2_access(view[1][v], at[i], line[i] * c.line_bytes, bytes, write);
					end = t > end ? t : end;
				}
				together = l2_access_lines(view[0][v], at, line, count, bytes, write);
				assert_int_equal(together, end);
				assert_memory_equal(l2_counters(view[0][v]), l2_counters(view[1][v]), sizeof(struct l2_counters));
			}
			for (unsigned v = 0; apart && v < VIEWS; v++) {
				l2_view_end(view[0][v]);
				l2_view_end(view[1][v]);
			}
			assert_memory_equal(l2_counters(l2[0]), l2_counters(l2[1]), sizeof(struct l2_counters));
		}
		for (unsigned i = 0; i < 2; i++) {
			for (unsigned v = 0; v < VIEWS; v++)
				l2_destroy(view[i][v]);
			l2_destroy(l2[i]);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_uses),
		cmocka_unit_test(random_streams),
		cmocka_unit_test(random_lines),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
