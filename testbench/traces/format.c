/* The bus trace's format: what is written is read back; damage is found, wherever it is. */
#include "testbench/random.h"
#include "traces/trace_reader.h"
#include "testbench/traces/damage.h"
#include "traces/trace_writer.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <stdio.h>

static uint64_t seed;

/* longer than any record that is not memory */
static const char config[] = "mini,coherent=0,dma_engines=3,dram_banks=8,dram_row_bytes=2048,dram_row_cycles=20,mmu_walkers=4";
static char path[] = "/tmp/galena-trace-XXXXXX";
static char damaged[] = "/tmp/galena-trace-XXXXXX";

static unsigned data_length(uint64_t *s) { return (unsigned)(splitmix64(s) % 5000); }
static void data_fill(uint64_t *s, uint8_t *d, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		d[i] = (uint8_t)splitmix64(s);
}
enum { RECORDS = 4000 };

static uint64_t trace_write(void)
{
	const char *error;
	uint64_t s = seed, hash;
	static uint8_t data[5000];
	struct trace_writer *w = trace_writer_open(path, &error);
	assert_non_null(w);
	trace_writer_device(w, 3, "model", config, 1);
	for (int i = 0; i < RECORDS; i++) {
		unsigned kind = TRACE_READ32 + (unsigned)(splitmix64(&s) % (TRACE_CLOSE - TRACE_READ32 + 1));
		uint64_t a = random_number(&s), b = random_number(&s);
		if (kind == TRACE_MEM_READ || kind == TRACE_MEM_WRITE) {
			unsigned n = data_length(&s);
			data_fill(&s, data, n);
			trace_writer_memory(w, kind, i % 16, a, n, (int)(b & 1), data);
		} else
			trace_writer_record(w, kind, i % 16, a, b);
	}
	hash = trace_writer_hash(w);
	assert_int_equal(trace_writer_close(w, 0), 0);
	return hash;
}

static void round_trip(void **state)
{
	(void)state;
	const char *error = NULL;
	struct trace_record rec;
	static uint8_t data[5000];
	uint64_t s = seed, hash = trace_write();
	struct trace_reader *r = trace_reader_open(path, &error);
	assert_non_null(r);
	assert_int_equal(trace_reader_next(r, &rec, &error), 1);
	assert_int_equal(rec.kind, TRACE_OPEN);
	assert_int_equal(rec.device, 3);
	assert_string_equal(rec.name, "model");
	assert_string_equal(rec.config, config);
	assert_int_equal(rec.a, 1);
	for (int i = 0; i < RECORDS; i++) {
		unsigned kind = TRACE_READ32 + (unsigned)(splitmix64(&s) % (TRACE_CLOSE - TRACE_READ32 + 1));
		uint64_t a = random_number(&s), b = random_number(&s);
		assert_int_equal(trace_reader_next(r, &rec, &error), 1);
		assert_int_equal(rec.kind, kind);
		assert_int_equal(rec.device, i % 16);
		if (kind == TRACE_MEM_READ || kind == TRACE_MEM_WRITE) {
			unsigned n = data_length(&s);
			data_fill(&s, data, n);
			assert_int_equal(rec.a, a);
			assert_int_equal(rec.b, n);
			assert_int_equal(rec.ok, b & 1);
			if (rec.ok || kind == TRACE_MEM_WRITE)
				assert_memory_equal(rec.data, data, n);
		} else if (kind != TRACE_CLOSE) {
			assert_int_equal(rec.a, a);
			if (kind == TRACE_WRITE32 || kind == TRACE_WRITE64 || kind == TRACE_RETURN)
				assert_int_equal(rec.b, b);
		}
	}
	assert_int_equal(trace_reader_next(r, &rec, &error), 0);
	assert_int_equal(trace_reader_next(r, &rec, &error), 0);
	assert_int_equal(trace_reader_hash(r), hash);
	assert_int_equal(trace_reader_position(r), RECORDS + 1);
	trace_reader_close(r);
}

/* Reads all of a file; whether it was a complete trace. */
static bool trace_whole(const char *file)
{
	const char *error = NULL;
	struct trace_record rec;
	struct trace_reader *r = trace_reader_open(file, &error);
	int n = -1;
	if (r) {
		while ((n = trace_reader_next(r, &rec, &error)) > 0)
			;
		trace_reader_close(r);
	}
	if (n < 0)
		assert_non_null(error);
	return n == 0;
}

static void damage(void **state)
{
	(void)state;
	trace_write();
	damage_check(path, damaged, seed + 1, trace_whole);
}

static void foreign_files(void **state)
{
	(void)state;
	const char *error = NULL;
	assert_null(trace_reader_open("/nonexistent/trace", &error));
	assert_non_null(strstr(error, "No such file"));
	assert_null(trace_reader_open("/bin/sh", &error));
	assert_non_null(strstr(error, "not a Galena bus trace"));
	assert_null(trace_writer_open("/nonexistent/trace", &error));
	assert_non_null(strstr(error, "cannot write"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(damage),
		cmocka_unit_test(foreign_files),
	};
	seed = seed_take(argc, argv);
	close(mkstemp(path));
	close(mkstemp(damaged));
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	unlink(damaged);
	return failed;
}
