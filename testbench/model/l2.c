/* Timing behind the L1 caches: latencies, bandwidth, replacement. */
#include "model/mem/l2.h"
#include "abi/address_map.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

static const struct device_config *full(void) { return device_config_find("full"); }

static void hit_and_miss(void **state)
{
	(void)state;
	const struct device_config *c = full();
	struct l2 *l2 = l2_create(c, BUS_TIMED);
	uint64_t miss = l2_access(l2, 1000, DRAM_BASE, c->line_bytes, false);
	assert_int_equal(miss, 1000 + 1 + c->dram_row_cycles + 1 + c->dram_latency); /* L2 and DRAM take a cycle each */
	miss = l2_access(l2, 3000, DRAM_BASE + c->line_bytes, c->line_bytes, false); /* the row is open */
	assert_int_equal(miss, 3000 + 1 + 1 + c->dram_latency);
	uint64_t hit = l2_access(l2, 5000, DRAM_BASE + 64, 64, false);
	assert_in_range(hit, 5000 + c->l2_latency, 5000 + c->l2_latency + 2);
	assert_int_equal(l2_counters(l2)->hit, 1);
	assert_int_equal(l2_counters(l2)->miss, 2);
	assert_int_equal(l2_counters(l2)->row_miss, 1);
	assert_int_equal(l2_counters(l2)->row_hit, 1);
	assert_int_equal(l2_counters(l2)->dram_read, 2 * c->line_bytes);
	l2_destroy(l2);
}

static void system_memory_is_not_cached(void **state)
{
	(void)state;
	const struct device_config *c = full();
	struct l2 *l2 = l2_create(c, BUS_TIMED);
	for (uint64_t t = 0; t < 3; t++) {
		uint64_t end = l2_access(l2, t * 10000, SYSTEM_BASE, 128, false);
		assert_in_range(end, t * 10000 + c->sys_latency, t * 10000 + c->sys_latency + 8);
	}
	assert_int_equal(l2_counters(l2)->hit, 0);
	l2_destroy(l2);
}

/* A long stream takes as long as the narrowest resource on its way needs. */
static void bandwidth(void **state)
{
	(void)state;
	const struct device_config *c = full();
	struct l2 *l2 = l2_create(c, BUS_TIMED);
	uint64_t bytes = 8 << 20; /* more than the cache */
	uint64_t ideal = bytes / c->dram_bytes_cycle;
	uint64_t end = l2_stream(l2, 0, DRAM_BASE, bytes, false);
	assert_in_range(end, ideal, ideal + c->dram_latency + 16);
	struct l2 *other = l2_create(c, BUS_TIMED);
	ideal = bytes / c->sys_bytes_cycle;
	end = l2_stream(other, 0, SYSTEM_BASE, bytes, true);
	assert_in_range(end, ideal - c->sys_latency - 8, ideal + 8);
	l2_destroy(l2);
	l2_destroy(other);
}

static void least_recently_used_leaves(void **state)
{
	(void)state;
	const struct device_config *c = full();
	struct l2 *l2 = l2_create(c, BUS_TIMED);
	uint64_t way = c->l2_bytes / c->l2_ways; /* addresses this far apart share a set */
	for (unsigned i = 0; i <= c->l2_ways; i++) {
		l2_access(l2, i * 1000, DRAM_BASE + i * way, 64, false);
		l2_access(l2, i * 1000 + 500, DRAM_BASE, 64, false); /* line 0 is always the youngest */
	}
	uint64_t misses = l2_counters(l2)->miss;
	assert_int_equal(misses, c->l2_ways + 1);
	l2_access(l2, 100000, DRAM_BASE, 64, false);
	assert_int_equal(l2_counters(l2)->miss, misses);
	l2_access(l2, 100000, DRAM_BASE + way, 64, false);
	assert_int_equal(l2_counters(l2)->miss, misses + 1);
	l2_destroy(l2);
}

/* Evicted dirty lines take DRAM bandwidth, so writing a large range is no free ride. */
static void dirty_lines_cost(void **state)
{
	(void)state;
	const struct device_config *c = full();
	struct l2 *l2 = l2_create(c, BUS_TIMED);
	uint64_t bytes = 16 << 20;
	uint64_t end = l2_stream(l2, 0, DRAM_BASE, bytes, true);
	uint64_t written_back = bytes - c->l2_bytes;
	assert_in_range(end, written_back / c->dram_bytes_cycle - c->dram_latency - 8, bytes / c->dram_bytes_cycle + 8);
	l2_destroy(l2);
}

/* A line of which only parts were written: nothing was fetched for them, and the first read fetches it. */
static void reads_fetch_the_rest(void **state)
{
	(void)state;
	const struct device_config *c = full();
	struct l2 *l2 = l2_create(c, BUS_TIMED), *view = l2_view_create(l2);

	for (unsigned i = 0; i < 4; i++) {
		struct l2 *by = i < 2 ? l2 : view;
		uint64_t pa = DRAM_BASE + i * 16 * c->dram_row_bytes, now = 10000 * (i + 1), read;
		struct l2_counters before;

		l2_view_begin(view, i > 1);
		before = *l2_counters(by);
		if (i % 2) /* in two halves, which is a part each */
			l2_access(by, now, pa + c->line_bytes / 2, c->line_bytes / 2, true);
		l2_access(by, now, pa, c->line_bytes / 2, true);
		assert_int_equal(l2_counters(by)->dram_read, before.dram_read);
		assert_int_equal(l2_counters(by)->miss, before.miss + 1);
		read = l2_access(by, now + 1000, pa, 4, false);
		assert_int_equal(read, now + 1000 + 1 + c->dram_row_cycles + 1 + c->dram_latency);
		assert_int_equal(l2_counters(by)->dram_read, before.dram_read + c->line_bytes);
		assert_int_equal(l2_counters(by)->miss, before.miss + 2);
		l2_access(by, now + 2000, pa, 4, true); /* the line stays whole */
		read = l2_access(by, now + 3000, pa, 4, false);
		assert_int_equal(read, now + 3000 + 1 + c->l2_latency);
		assert_int_equal(l2_counters(by)->dram_read, before.dram_read + c->line_bytes);
		assert_int_equal(l2_counters(by)->dram_written, 0);
		if (i > 1)
			l2_view_end(view);
	}
	/* what the view has made whole is whole for all */
	assert_int_equal(l2_access(l2, 90000, DRAM_BASE + 48 * c->dram_row_bytes, 4, false), 90000 + 1 + c->l2_latency);
	l2_destroy(view);
	l2_destroy(l2);
}

/* A write of all of a line needs no fetch, also where parts were there before. */
static void whole_lines_need_no_fetch(void **state)
{
	(void)state;
	const struct device_config *c = full();
	struct l2 *l2 = l2_create(c, BUS_TIMED), *view = l2_view_create(l2);

	for (unsigned i = 0; i < 4; i++) {
		struct l2 *by = i < 2 ? l2 : view;
		uint64_t pa = DRAM_BASE + i * c->line_bytes, now = 10000 * (i + 1);

		l2_view_begin(view, i > 1);
		if (i % 2)
			l2_access(by, now, pa, 4, true);
		l2_access(by, now + 10, pa, c->line_bytes, true);
		assert_int_equal(l2_access(by, now + 1000, pa, 4, false), now + 1000 + 1 + c->l2_latency);
		assert_int_equal(l2_counters(by)->dram_read, 0);
		if (i > 1)
			l2_view_end(view);
	}
	l2_destroy(view);
	l2_destroy(l2);
}

/* Of each line a read and a write of it, in the L2 as over the bus. The result is what was read. */
static void atomics_read_and_write(void **state)
{
	(void)state;
	const struct device_config *c = device_config_find("mini");
	uint64_t lines[2] = { DRAM_BASE / c->line_bytes, DRAM_BASE / c->line_bytes + 1 }, at[2] = { 1000, 1000 }, now = 100000;
	uint64_t pass = c->line_bytes / c->l2_bytes_cycle, cross = c->line_bytes / c->sys_bytes_cycle, set = c->l2_bytes / c->l2_ways;
	struct l2 *l2 = l2_create(c, BUS_TIMED);

	l2_atomic_lines(l2, at, lines, 2);
	assert_int_equal(l2_counters(l2)->miss, 2);
	assert_int_equal(l2_counters(l2)->hit, 2);
	assert_int_equal(l2_counters(l2)->dram_read, 2 * c->line_bytes);
	at[0] = at[1] = 5000; /* the second line passes behind read and write of the first */
	assert_int_equal(l2_atomic_lines(l2, at, lines, 2), 5000 + 3 * pass + c->l2_latency);
	for (unsigned i = 1; i <= c->l2_ways; i++)
		l2_access(l2, now += 1000, DRAM_BASE + i * set, 4, false);
	assert_int_equal(l2_counters(l2)->dram_written, c->line_bytes); /* it was dirty */
	lines[0] = SYSTEM_BASE / c->line_bytes;
	at[0] = now += 1000;
	assert_int_equal(l2_atomic_lines(l2, at, lines, 1), now + cross + c->sys_latency);
	assert_int_equal(l2_counters(l2)->sys_read, c->line_bytes);
	assert_int_equal(l2_counters(l2)->sys_written, c->line_bytes);
	assert_int_equal(l2_access(l2, now, SYSTEM_BASE, c->line_bytes, false), now + 3 * cross + c->sys_latency);
	l2_destroy(l2);
}

static void functional_costs_nothing(void **state)
{
	(void)state;
	struct l2 *l2 = l2_create(full(), BUS_FUNCTIONAL);
	assert_int_equal(l2_access(l2, 123, DRAM_BASE, 128, false), 123);
	assert_int_equal(l2_stream(l2, 456, SYSTEM_BASE, 1 << 20, true), 456);
	assert_int_equal(l2_counters(l2)->miss, 0);
	l2_destroy(l2);
}

/* The bank of a row: MEM-41. */
static unsigned bank_of(const struct device_config *c, uint64_t pa)
{
	uint64_t r = pa / c->dram_row_bytes;
	unsigned b = (unsigned)__builtin_ctz(c->dram_banks);

	return (unsigned)((r ^ r >> b ^ r >> 2 * b ^ r >> 3 * b) % c->dram_banks);
}

/* A read that replaces a dirty line: the line is written back first, where both need one bank. */
static void write_backs_come_first(void **state)
{
	(void)state;
	const struct device_config *c = device_config_find("mini");
	uint64_t way = c->l2_bytes / c->l2_ways, line = c->line_bytes / c->dram_bytes_cycle, open = c->dram_row_cycles;
	for (unsigned i = 0; i < 3; i++) {
		bool dirty = i > 0, same = i == 2;
		struct l2 *l2 = l2_create(c, BUS_TIMED);
		uint64_t other = c->l2_ways * way, served = 100000 + c->line_bytes / c->l2_bytes_cycle;

		while ((bank_of(c, DRAM_BASE + other) == bank_of(c, DRAM_BASE)) != same)
			other += way;
		l2_access(l2, 0, DRAM_BASE, 64, dirty);
		for (unsigned k = 1; k < c->l2_ways; k++)
			l2_access(l2, 1000 * k, DRAM_BASE + k * way, 64, false);
		assert_int_equal(l2_access(l2, 100000, DRAM_BASE + other, 64, false),
				 served + (same ? open + line : 0) + open + line + c->dram_latency);
		assert_int_equal(l2_counters(l2)->dram_written, dirty ? c->line_bytes : 0);
		l2_destroy(l2);
	}
}

/* A row holds a line, or the configuration is refused. */
static void rows_hold_lines(void **state)
{
	(void)state;
	struct device_config c;
	char error[256] = "";

	assert_int_equal(device_config_parse("mini,line_bytes=256,dram_row_bytes=256", &c, error, sizeof(error)), 0);
	assert_int_not_equal(device_config_parse("mini,line_bytes=256,dram_row_bytes=128", &c, error, sizeof(error)), 0);
	assert_non_null(strstr(error, "dram_row_bytes"));
	assert_int_not_equal(device_config_parse("mini,dram_row_bytes=1536", &c, error, sizeof(error)), 0);
	assert_int_not_equal(device_config_parse("mini,line_bytes=96", &c, error, sizeof(error)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hit_and_miss),
		cmocka_unit_test(system_memory_is_not_cached),
		cmocka_unit_test(bandwidth),
		cmocka_unit_test(least_recently_used_leaves),
		cmocka_unit_test(dirty_lines_cost),
		cmocka_unit_test(reads_fetch_the_rest),
		cmocka_unit_test(whole_lines_need_no_fetch),
		cmocka_unit_test(atomics_read_and_write),
		cmocka_unit_test(functional_costs_nothing),
		cmocka_unit_test(write_backs_come_first),
		cmocka_unit_test(rows_hold_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
