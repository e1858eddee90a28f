/* The bus trace's format: what is written is read back; damage is found, wherever it is. */
#include "traces/trace_reader.h"
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
static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* longer than any record that is not memory */
static const char config[] = "mini,coherent=0,dma_engines=3,dram_banks=8,dram_row_bytes=2048,dram_row_cycles=20,mmu_walkers=4";
static char path[] = "/tmp/galena-trace-XXXXXX";
static char damaged[] = "/tmp/galena-trace-XXXXXX";

static unsigned data_length(uint64_t *s) { return (unsigned)(random_next(s) % 5000); }
static void data_fill(uint64_t *s, uint8_t *d, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		d[i] = (uint8_t)random_next(s);
}
/* Integers of every length. */
static uint64_t number(uint64_t *s) { return random_next(s) >> random_next(s) % 64; }

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
		unsigned kind = TRACE_READ32 + (unsigned)(random_next(&s) % (TRACE_CLOSE - TRACE_READ32 + 1));
		uint64_t a = number(&s), b = number(&s);
		if (kind == TRACE_MEM_READ || kind == TRACE_MEM_WRITE) {
			unsigned n = data_length(&s);
			data_fill(&s, data, n);
			trace_writer_memory(w, kind, i % 16, a, n, (int)(b & 1), data);
		} else
			trace_writer_record(w, kind, i % 16, a, b);
	}
	hash = trace_writer_hash(w);
	assert_int_equal(trace_writer_close(w), 0);
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
		unsigned kind = TRACE_READ32 + (unsigned)(random_next(&s) % (TRACE_CLOSE - TRACE_READ32 + 1));
		uint64_t a = number(&s), b = number(&s);
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
static int trace_whole(const char *file)
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

static void file_put(const uint8_t *bytes, size_t n)
{
	FILE *f = fopen(damaged, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void damage(void **state)
{
	(void)state;
	uint64_t s = seed + 1;
	trace_write();
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size_t n = (size_t)ftell(f);
	uint8_t *bytes = malloc(n);
	rewind(f);
	assert_int_equal(fread(bytes, 1, n, f), n);
	fclose(f);
	assert_true(trace_whole(path));
	for (int i = 0; i < 60; i++) {
		file_put(bytes, random_next(&s) % n);
		assert_false(trace_whole(damaged));
	}
	for (int i = 0; i < 60; i++) {
		size_t at = random_next(&s) % n;
		if (at >= 12 && at < 16)
			continue; /* reserved bytes of the header */
		if (at >= 24 && at < 32)
			continue;
		uint8_t was = bytes[at];
		bytes[at] ^= (uint8_t)(1 << random_next(&s) % 8);
		file_put(bytes, n);
		assert_false(trace_whole(damaged));
		bytes[at] = was;
	}
	free(bytes);
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
	const char *s = argc > 1 ? argv[1] : getenv("GALENA_SEED");
	seed = s ? strtoull(s, NULL, 0) : 1;
	printf("seed %llu\n", (unsigned long long)seed);
	seed = seed * 0x9e3779b97f4a7c15ull | 1;
	close(mkstemp(path));
	close(mkstemp(damaged));
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	unlink(damaged);
	return failed;
}
