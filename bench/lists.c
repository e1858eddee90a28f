/* clbench workloads with irregular work: spmv, collatz, compact, hash, scan, launches. */
#include "bench/clbench.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- spmv ---- */

enum { SPMV_LONGEST = 64 };

/* Row lengths from 1 to 64, short ones more often. */
static int32_t spmv_length(uint64_t *seed)
{
	uint32_t r = bench_random(seed) % SPMV_LONGEST;

	return (int32_t)(r * r / SPMV_LONGEST + 1);
}

struct spmv {
	int32_t *row, *column;
	float *value, *x;
};

/* The same matrix each time it is asked for. */
static struct spmv spmv_make(size_t rows)
{
	uint64_t seed = 21;
	struct spmv m;

	m.row = bench_alloc((rows + 1) * sizeof(*m.row));
	for (size_t r = 0; r < rows; r++)
		m.row[r + 1] = m.row[r] + spmv_length(&seed);
	m.column = bench_alloc((size_t)m.row[rows] * sizeof(*m.column));
	m.value = bench_alloc((size_t)m.row[rows] * sizeof(*m.value));
	m.x = bench_alloc(rows * sizeof(*m.x));
	for (int32_t i = 0; i < m.row[rows]; i++) {
		m.column[i] = (int32_t)(bench_random(&seed) % rows);
		m.value[i] = bench_random_float(&seed);
	}
	for (size_t r = 0; r < rows; r++)
		m.x[r] = bench_random_float(&seed);
	return m;
}

static void spmv_free(struct spmv *m)
{
	free(m->row);
	free(m->column);
	free(m->value);
	free(m->x);
}

static void spmv_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 4096 : 65536;
	struct spmv m = spmv_make(n);
	size_t entries = (size_t)m.row[n];

	snprintf(size, size_bytes, "%zu rows, %zu entries", n, entries);
	bench_kernel(b, 0, "spmv");
	bench_buffer(b, 0, (n + 1) * sizeof(int32_t), m.row);
	bench_buffer(b, 1, entries * sizeof(int32_t), m.column);
	bench_buffer(b, 2, entries * sizeof(float), m.value);
	bench_buffer(b, 3, n * sizeof(float), m.x);
	bench_buffer(b, 4, n * sizeof(float), NULL);
	for (int i = 0; i < 5; i++)
		bench_arg_buffer(b, 0, (cl_uint)i, i);
	bench_arg_int(b, 0, 5, (int)n);
	spmv_free(&m);
}

static void spmv_launch(struct bench *b) { bench_launch(b, 0, b->n, 0, 256, 0); }

/* fma in the same order: the same bits. */
static int spmv_verify(struct bench *b)
{
	struct spmv m = spmv_make(b->n);
	float *y = bench_read(b, 4, b->n * sizeof(*y));
	int status = 0;

	for (size_t r = 0; r < b->n && !status; r++) {
		float sum = 0.0f;

		for (int32_t i = m.row[r]; i < m.row[r + 1]; i++)
			sum = fmaf(m.value[i], m.x[m.column[i]], sum);
		if (y[r] != sum)
			status = bench_wrong("row %zu is %a, should be %a", r, (double)y[r], (double)sum);
	}
	free(y);
	spmv_free(&m);
	return status;
}

const struct workload workload_spmv = {
	.name = "spmv", .file = "spmv.cl", .prepare = spmv_prepare, .launch = spmv_launch, .verify = spmv_verify,
};

/* ---- collatz ---- */

enum { COLLATZ_FIRST = 1000001 };

static void collatz_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 8192 : 131072;

	snprintf(size, size_bytes, "%zu numbers", n);
	bench_kernel(b, 0, "collatz");
	bench_buffer(b, 0, n * sizeof(uint32_t), NULL);
	bench_arg_buffer(b, 0, 0, 0);
	bench_arg_int(b, 0, 1, COLLATZ_FIRST);
}

static void collatz_launch(struct bench *b) { bench_launch(b, 0, b->n, 0, 256, 0); }

static int collatz_verify(struct bench *b)
{
	uint32_t *steps = bench_read(b, 0, b->n * sizeof(*steps));
	int status = 0;

	for (size_t i = 0; i < b->n && !status; i++) {
		uint64_t v = COLLATZ_FIRST + i;
		uint32_t n = 0;

		for (; v != 1; n++)
			v = v & 1 ? 3 * v + 1 : v >> 1;
		if (steps[i] != n)
			status = bench_wrong("%zu takes %u steps, should take %u", COLLATZ_FIRST + i, steps[i], n);
	}
	free(steps);
	return status;
}

const struct workload workload_collatz = {
	.name = "collatz", .file = "collatz.cl", .prepare = collatz_prepare, .launch = collatz_launch,
	.verify = collatz_verify,
};

/* ---- compact ---- */

#define COMPACT_LIMIT 0xc0000000u /* a quarter stays */

static uint32_t *random_words(size_t n, uint64_t seed)
{
	uint32_t *v = bench_alloc(n * sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = bench_random(&seed) | 1;
	return v;
}

static void zero_buffer(struct bench *b, int index, size_t bytes)
{
	const uint32_t zero = 0;

	bench_check(clEnqueueFillBuffer(b->queue, b->buffer[index], &zero, sizeof(zero), 0, bytes, 0, NULL, NULL),
		    "clEnqueueFillBuffer");
}

static void compact_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 65536 : 1 << 20;

	b->input = random_words(n, 22);
	snprintf(size, size_bytes, "%zu Ki words, a quarter stays", n >> 10);
	bench_kernel(b, 0, "compact");
	bench_buffer(b, 0, n * 4, b->input);
	bench_buffer(b, 1, n * 4, NULL);
	bench_buffer(b, 2, 4, NULL);
	for (int i = 0; i < 3; i++)
		bench_arg_buffer(b, 0, (cl_uint)i, i);
	bench_arg_int(b, 0, 3, (int32_t)COMPACT_LIMIT);
}

static void compact_reset(struct bench *b) { zero_buffer(b, 2, 4); }
static void compact_launch(struct bench *b) { bench_launch(b, 0, b->n, 0, 256, 0); }

static int compare_words(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The same elements, in any order. */
static int compact_verify(struct bench *b)
{
	const uint32_t *in = b->input;
	uint32_t *want = bench_alloc(b->n * 4), *out = bench_read(b, 1, b->n * 4), *count = bench_read(b, 2, 4);
	size_t n = 0;
	int status = 0;

	for (size_t i = 0; i < b->n; i++)
		if (in[i] > COMPACT_LIMIT)
			want[n++] = in[i];
	if (*count != n)
		status = bench_wrong("%u stay, %zu should", *count, n);
	else {
		qsort(want, n, 4, compare_words);
		qsort(out, n, 4, compare_words);
		if (memcmp(want, out, n * 4))
			status = bench_wrong("other elements stay than should");
	}
	free(want);
	free(out);
	free(count);
	return status;
}

const struct workload workload_compact = {
	.name = "compact", .file = "compact.cl", .prepare = compact_prepare, .reset = compact_reset,
	.launch = compact_launch, .verify = compact_verify,
};

/* ---- hash ---- */

static size_t hash_places(const struct bench *b) { return b->n * 4; }

static void hash_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 32768 : 262144;

	b->input = random_words(n, 23);
	snprintf(size, size_bytes, "%zu Ki keys into %zu Ki places", n >> 10, hash_places(b) >> 10);
	bench_kernel(b, 0, "hash");
	bench_buffer(b, 0, n * 4, b->input);
	bench_buffer(b, 1, hash_places(b) * 4, NULL);
	bench_arg_buffer(b, 0, 0, 0);
	bench_arg_buffer(b, 0, 1, 1);
	bench_arg_int(b, 0, 2, (int)hash_places(b) - 1);
}

static void hash_reset(struct bench *b) { zero_buffer(b, 1, hash_places(b) * 4); }
static void hash_launch(struct bench *b) { bench_launch(b, 0, b->n, 0, 256, 0); }

/* Every key is there once, and can be found from its place. */
static int hash_verify(struct bench *b)
{
	size_t places = hash_places(b), found = 0, different = 0;
	const uint32_t *key = b->input;
	uint32_t *table = bench_read(b, 1, places * 4), *sorted = bench_alloc(b->n * 4), mask = (uint32_t)places - 1;
	int status = 0;

	for (size_t i = 0; i < b->n && !status; i++) {
		uint32_t h = key[i] * 0x9e3779b1u;

		while (table[h & mask] && table[h & mask] != key[i])
			h++;
		if (!table[h & mask])
			status = bench_wrong("key %08x is missing", key[i]);
	}
	memcpy(sorted, key, b->n * 4);
	qsort(sorted, b->n, 4, compare_words);
	for (size_t i = 0; i < b->n; i++)
		different += !i || sorted[i] != sorted[i - 1];
	for (size_t i = 0; i < places; i++)
		found += table[i] != 0;
	if (!status && found != different)
		status = bench_wrong("the table holds %zu keys, should hold %zu", found, different);
	free(table);
	free(sorted);
	return status;
}

const struct workload workload_hash = {
	.name = "hash", .file = "hash.cl", .prepare = hash_prepare, .reset = hash_reset, .launch = hash_launch,
	.verify = hash_verify,
};

/* ---- scan ---- */

enum { SCAN_BLOCK = 256 };

static void scan_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 65536 : 1 << 20;

	b->input = random_words(n, 24);
	snprintf(size, size_bytes, "%zu Ki words in blocks of %d", n >> 10, SCAN_BLOCK);
	bench_kernel(b, 0, "scan");
	bench_buffer(b, 0, n * 4, b->input);
	bench_buffer(b, 1, n * 4, NULL);
	bench_arg_buffer(b, 0, 0, 0);
	bench_arg_buffer(b, 0, 1, 1);
}

static void scan_launch(struct bench *b) { bench_launch(b, 0, b->n, 0, SCAN_BLOCK, 0); }

static int scan_verify(struct bench *b)
{
	const uint32_t *in = b->input;
	uint32_t *out = bench_read(b, 1, b->n * 4), sum = 0;
	int status = 0;

	for (size_t i = 0; i < b->n && !status; i++) {
		sum = (i % SCAN_BLOCK ? sum : 0) + in[i];
		if (out[i] != sum)
			status = bench_wrong("sum %zu is %u, should be %u", i, out[i], sum);
	}
	free(out);
	return status;
}

const struct workload workload_scan = {
	.name = "scan", .file = "scan.cl", .prepare = scan_prepare, .launch = scan_launch, .verify = scan_verify,
};

/* ---- launches ---- */

enum { LAUNCHES = 500, LAUNCH_ITEMS = 256 };

static void launches_prepare(struct bench *b, char *size, size_t size_bytes)
{
	b->n = b->small ? LAUNCHES / 10 : LAUNCHES;
	snprintf(size, size_bytes, "%zu launches of %d work-items", b->n, LAUNCH_ITEMS);
	bench_kernel(b, 0, "add_step");
	bench_buffer(b, 0, LAUNCH_ITEMS * 4, NULL);
	bench_arg_buffer(b, 0, 0, 0);
}

static void launches_reset(struct bench *b) { zero_buffer(b, 0, LAUNCH_ITEMS * 4); }

static void launches_launch(struct bench *b)
{
	for (size_t i = 0; i < b->n; i++) {
		bench_arg_int(b, 0, 1, (int)i + 1);
		bench_launch(b, 0, LAUNCH_ITEMS, 0, LAUNCH_ITEMS, 0);
	}
}

static int launches_verify(struct bench *b)
{
	uint32_t *v = bench_read(b, 0, LAUNCH_ITEMS * 4), want = (uint32_t)(b->n * (b->n + 1) / 2);
	int status = 0;

	for (int i = 0; i < LAUNCH_ITEMS && !status; i++)
		if (v[i] != want)
			status = bench_wrong("element %d is %u, should be %u", i, v[i], want);
	free(v);
	return status;
}

const struct workload workload_launches = {
	.name = "launches", .file = "launches.cl", .prepare = launches_prepare, .reset = launches_reset,
	.launch = launches_launch, .verify = launches_verify,
};
