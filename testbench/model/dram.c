/* DRAM timing: open rows, banks, the bus that they share. */
#include "abi/address_map.h"
#include "model/mem/dram.h"
#include "testbench/model/fixture.h"

static struct device_config config(const char *spec)
{
	struct device_config c;
	char error[256];

	assert_int_equal(device_config_parse(spec, &c, error, sizeof(error)), 0);
	return c;
}

static uint64_t transfer(const struct device_config *c, uint64_t bytes)
{
	return (bytes + c->dram_bytes_cycle - 1) / c->dram_bytes_cycle;
}

/* An idle DRAM costs what the parameters say, and no cycle more. */
static void test_idle(void **state)
{
	const char *const specs[] = { "full", "mini", "full,dram_bytes_cycle=48,dram_row_cycles=91", "mini,dram_banks=1" };

	(void)state;
	for (unsigned i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct device_config c = config(specs[i]);
		uint64_t line = transfer(&c, c.line_bytes), other_row = (uint64_t)c.dram_row_bytes * c.dram_banks * 3;
		struct dram d;

		dram_init(&d, &c);
		assert_int_equal(dram_access(&d, 1000, DRAM_BASE, c.line_bytes, false), 1000 + c.dram_row_cycles + line);
		assert_int_equal(dram_access(&d, 5000, DRAM_BASE + c.line_bytes, c.line_bytes, false), 5000 + line);
		while (dram_bank(&d, DRAM_BASE + other_row) != dram_bank(&d, DRAM_BASE))
			other_row += c.dram_row_bytes;
		assert_int_equal(dram_access(&d, 9000, DRAM_BASE + other_row, c.line_bytes, false),
				 9000 + c.dram_row_cycles + line);
		assert_int_equal(dram_access(&d, 13000, DRAM_BASE, c.line_bytes, false), 13000 + c.dram_row_cycles + line);
		assert_int_equal(d.counters.row_hit, 1);
		assert_int_equal(d.counters.row_miss, 3);
		assert_int_equal(d.counters.bytes[0], 4 * c.line_bytes);
		assert_int_equal(d.counters.bytes[1], 0);
	}
}

/* Every bank gets its share of rows, whatever power of two the rows lie apart. */
static void test_banks(void **state)
{
	struct device_config c = config("full");
	unsigned share[DRAM_MAX_BANKS] = { 0 };
	struct dram d;

	(void)state;
	dram_init(&d, &c);
	for (unsigned i = 0; i < c.dram_banks; i++) {
		unsigned b = dram_bank(&d, DRAM_BASE + (uint64_t)i * c.dram_row_bytes);

		assert_true(b < c.dram_banks);
		share[b]++;
		assert_int_equal(dram_bank(&d, DRAM_BASE + (uint64_t)i * c.dram_row_bytes + c.dram_row_bytes - 1), b);
	}
	for (unsigned b = 0; b < c.dram_banks; b++)
		assert_int_equal(share[b], 1);
	for (uint64_t apart = (uint64_t)c.dram_row_bytes * c.dram_banks; apart <= c.l2_bytes; apart *= 2)
		assert_int_not_equal(dram_bank(&d, DRAM_BASE), dram_bank(&d, DRAM_BASE + apart));
}

/* Rows of one bank, one after the other: nothing overlaps. */
static void test_one_bank(void **state)
{
	struct device_config c = config("full,dram_banks=1");
	uint64_t end = 0, each = c.dram_row_cycles + transfer(&c, c.line_bytes);
	struct dram d;

	(void)state;
	dram_init(&d, &c);
	for (unsigned i = 0; i < 100; i++)
		end = dram_access(&d, 0, DRAM_BASE + (uint64_t)i * c.dram_row_bytes, c.line_bytes, false);
	assert_int_equal(end, 100 * each);
	/* as many banks as rows are asked for: all open at once */
	c = config("full");
	dram_init(&d, &c);
	for (unsigned i = 0; i < c.dram_banks; i++)
		end = dram_access(&d, 0, DRAM_BASE + (uint64_t)i * c.dram_row_bytes, c.line_bytes, false);
	assert_int_equal(end, each);
}

/* Streams reach the bandwidth: requests all there at once, or one after the other as fast as the bus
 * takes them, reads alone and with writes that follow one L2 size behind. */
static void test_stream(void **state)
{
	const char *const specs[] = { "full", "mini", "full,dram_bytes_cycle=100" };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned paced = 0; paced < 2; paced++)
			for (unsigned writes = 0; writes < 2; writes++) {
				struct device_config c = config(specs[i]);
				uint64_t lines = 40000, end = 0, last = 0, bytes = 0, ideal;
				struct dram d;

				dram_init(&d, &c);
				for (uint64_t n = 0; n < lines; n++) {
					uint64_t pa = DRAM_BASE + c.l2_bytes + n * c.line_bytes;
					uint64_t now = paced ? bytes / c.dram_bytes_cycle : 0;

					if (writes) {
						last = dram_access(&d, now, pa - c.l2_bytes, c.line_bytes, true);
						end = last > end ? last : end;
						bytes += c.line_bytes;
					}
					last = dram_access(&d, now, pa, c.line_bytes, false);
					end = last > end ? last : end;
					bytes += c.line_bytes;
				}
				ideal = bytes / c.dram_bytes_cycle;
				assert_in_range(end, ideal, ideal + ideal / 20);
				assert_int_equal(d.counters.bytes[0] + d.counters.bytes[1], bytes);
				assert_int_equal(d.counters.row_hit + d.counters.row_miss, bytes / c.line_bytes);
				assert_int_equal(d.counters.row_miss, (bytes + c.dram_row_bytes - 1) / c.dram_row_bytes);
			}
}

struct recorder {
	struct event_sink sink;
	struct event last;
	unsigned count;
};

static void record(struct event_sink *s, const struct event *e)
{
	struct recorder *r = (struct recorder *)(void *)s;

	r->last = *e;
	r->count++;
}

static void test_events(void **state)
{
	struct device_config c = config("full");
	struct recorder r = { .sink = { .event = record } };
	struct dram d;

	(void)state;
	dram_init(&d, &c);
	d.events = &r.sink;
	for (unsigned i = 0; i < 8; i++)
		dram_access(&d, 70 + i, DRAM_BASE + c.dram_row_bytes + i * c.line_bytes, c.line_bytes, false);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.last.kind, EVENT_DRAM_ROW);
	assert_int_equal(r.last.cycle, 70);
	assert_int_equal(r.last.a, dram_bank(&d, DRAM_BASE + c.dram_row_bytes));
	assert_int_equal(r.last.b, DRAM_BASE / c.dram_row_bytes + 1);
}

/* Whatever is asked for: data never before its request has crossed the bus, no bank delivers two
 * things at once, the bus is never promised more than it has, and the same requests give the same times. */
static void test_random(void **state)
{
	struct device_config c = config("mini,dram_banks=8");
	uint64_t now = 0, bytes = 0, bank_end[DRAM_MAX_BANKS] = { 0 }, sum[2] = { 0, 0 };
	uint64_t seed = random_state;
	struct dram d;

	(void)state;
	for (unsigned run = 0; run < 2; run++) {
		random_state = seed;
		dram_init(&d, &c);
		now = bytes = 0;
		memset(bank_end, 0, sizeof(bank_end));
		for (unsigned i = 0; i < 200000; i++) {
			uint64_t pa = DRAM_BASE + random_below(1 << 20) * 32, end;
			uint32_t n = 32u << random_below(2);
			unsigned bank;

			pa &= ~(uint64_t)(n - 1);
			bank = dram_bank(&d, pa);
			now += random_below(8);
			end = dram_access(&d, now, pa, n, random_below(3) == 0);
			bytes += n;
			assert_true(end >= now + transfer(&c, n));
			assert_true(end >= bank_end[bank] + transfer(&c, n));
			bank_end[bank] = end;
			sum[run] = sum[run] * 31 + end;
		}
		assert_true(d.bus >= bytes);
		assert_int_equal(d.counters.bytes[0] + d.counters.bytes[1], bytes);
		assert_int_equal(d.counters.row_hit + d.counters.row_miss, 200000);
	}
	assert_int_equal(sum[0], sum[1]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle),   cmocka_unit_test(test_banks),  cmocka_unit_test(test_one_bank),
		cmocka_unit_test(test_stream), cmocka_unit_test(test_events), cmocka_unit_test(test_random),
	};

	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
