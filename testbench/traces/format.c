/* The bus trace's format: what is written is read back; damage is found, wherever it is. */
#include "testbench/random.h"
#include "traces/page_delta.h"
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

/* Any kind but the first and the last. */
static unsigned random_kind(uint64_t *s)
{
	return TRACE_READ32 + (unsigned)(splitmix64(s) % (TRACE_READS - TRACE_READ32 + 1));
}
static bool has_data(unsigned kind) { return kind == TRACE_MEM_WRITE || kind == TRACE_PAGE; }

static uint64_t trace_write(void)
{
	const char *error;
	uint64_t s = seed, hash;
	static uint8_t data[5000];
	struct trace_writer *w = trace_writer_open(path, &error);
	assert_non_null(w);
	trace_writer_device(w, 3, "model", config, 1);
	for (int i = 0; i < RECORDS; i++) {
		unsigned kind = random_kind(&s);
		uint64_t a = random_number(&s), b = random_number(&s);
		a = kind == TRACE_PAGE ? a & ~(GALENA_PAGE_SIZE - 1) : a;
		if (kind == TRACE_MEM_READ || has_data(kind)) {
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
		unsigned kind = random_kind(&s);
		uint64_t a = random_number(&s), b = random_number(&s);
		a = kind == TRACE_PAGE ? a & ~(GALENA_PAGE_SIZE - 1) : a;
		assert_int_equal(trace_reader_next(r, &rec, &error), 1);
		assert_int_equal(rec.kind, kind);
		assert_int_equal(rec.device, i % 16);
		if (kind == TRACE_MEM_READ || has_data(kind)) {
			unsigned n = data_length(&s);
			data_fill(&s, data, n);
			assert_int_equal(rec.a, a);
			assert_int_equal(rec.b, n);
			if (kind != TRACE_PAGE)
				assert_int_equal(rec.ok, b & 1);
			if (has_data(kind))
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

static void extent_apply(void *page, size_t at, size_t length, const uint8_t *bytes)
{
	if (bytes)
		memcpy((uint8_t *)page + at, bytes, length);
	else
		memset((uint8_t *)page + at, 0, length);
}

/* What is made of two states of a page makes one of the other; nothing else, and no extent of another page, is in it. */
static void deltas(void **state)
{
	(void)state;
	_Alignas(8) static uint8_t before[GALENA_PAGE_SIZE], from[GALENA_PAGE_SIZE], to[GALENA_PAGE_SIZE], got[GALENA_PAGE_SIZE], delta[DELTA_BYTES_MAX];
	uint64_t s = seed + 2;
	for (int i = 0; i < 2000; i++) {
		const unsigned density = 1 + (unsigned)(splitmix64(&s) % 64);
		size_t at = splitmix64(&s) % 3 ? 0 : splitmix64(&s) % GALENA_PAGE_SIZE, n = at ? 1 + splitmix64(&s) % (GALENA_PAGE_SIZE - at) : GALENA_PAGE_SIZE;
		const bool unknown = !at && splitmix64(&s) % 2;
		for (size_t k = 0; k < GALENA_PAGE_SIZE; k++) {
			before[k] = splitmix64(&s) % 4 ? (uint8_t)splitmix64(&s) : 0;
			to[k] = splitmix64(&s) % density ? before[k] : splitmix64(&s) % 3 ? (uint8_t)splitmix64(&s) : 0;
			got[k] = unknown ? (uint8_t)splitmix64(&s) : before[k];
		}
		memcpy(from, before, sizeof from);
		const size_t size = delta_make(delta, from, to + at, at, n, unknown);
		assert_in_range(size, 0, DELTA_BYTES_MAX);
		assert_memory_equal(from + at, to + at, n);
		assert_memory_equal(from, before, at);
		assert_true(delta_read(delta, size, extent_apply, got));
		assert_memory_equal(got, from, sizeof got);
		assert_int_equal(size == 0, !unknown && !memcmp(before, from, sizeof from));
	}
	static uint8_t zeros[GALENA_PAGE_SIZE];
	memset(to, 0, sizeof to);
	assert_in_range(delta_make(delta, zeros, to, 0, sizeof to, true), 1, 8); /* a page of zeros is short */
	const uint8_t beyond[] = { 0xff, 0x1f, 5 }; /* two bytes from 4095 on */
	assert_false(delta_read(beyond, sizeof beyond, extent_apply, got));
	const uint8_t cut[] = { 0, 4, 1 };
	assert_false(delta_read(cut, sizeof cut, extent_apply, got));
}

/* The hash is of what crossed the bus: bytes of pages may differ. */
static void pages_do_not_count(void **state)
{
	(void)state;
	uint64_t hashes[3];
	for (unsigned run = 0; run < 3; run++) {
		const char *error;
		struct trace_writer *w = trace_writer_open(path, &error);
		assert_non_null(w);
		trace_writer_device(w, 0, "model", config, 0);
		for (unsigned i = 0; i < 500; i++) { /* more than a frame of the file */
			uint8_t delta[4003] = { 0, 0xc0, 0x3e }, data[64] = { (uint8_t)i };
			memset(delta + 3, (int)(i + 7 * run), 4000);
			trace_writer_memory(w, TRACE_PAGE, 0, i << 12, sizeof delta, true, delta);
			trace_writer_record(w, TRACE_READS, 0, i + (run == 2 && i == 400), 0);
			trace_writer_memory(w, TRACE_MEM_WRITE, 0, i << 12, sizeof data, true, data);
		}
		hashes[run] = trace_writer_hash(w);
		assert_int_equal(trace_writer_close(w, 0), 0);
		assert_true(trace_whole(path)); /* the reader comes to the same hash */
	}
	assert_int_equal(hashes[0], hashes[1]);
	assert_int_not_equal(hashes[0], hashes[2]);
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
		cmocka_unit_test(deltas),
		cmocka_unit_test(pages_do_not_count),
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
