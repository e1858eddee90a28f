/* clbench workloads that pass over arrays: reduction, sha256, sort. */
#include "bench/clbench.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REDUCTION_GROUPS = 64, REDUCTION_ITEMS = 256 };

static void reduction_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 512 << 10 : 4 << 20;
	uint64_t seed = 7;
	float *in = b->input = bench_alloc(n * sizeof(*in));

	for (size_t i = 0; i < n; i++)
		in[i] = bench_random_float(&seed);
	snprintf(size, size_bytes, "%zu Ki floats", n >> 10);
	bench_buffer(b, 0, n * sizeof(float), in);
	bench_buffer(b, 1, REDUCTION_GROUPS * sizeof(float), NULL);
	bench_buffer(b, 2, sizeof(float), NULL);
	for (int k = 0; k < 2; k++) {
		bench_kernel(b, k, "reduction");
		bench_arg_buffer(b, k, 0, k);
		bench_arg_buffer(b, k, 1, k + 1);
		bench_arg_int(b, k, 2, k ? REDUCTION_GROUPS : (int)n);
		bench_arg(b, k, 3, REDUCTION_ITEMS * sizeof(float), NULL);
	}
}

static void reduction_launch(struct bench *b)
{
	bench_launch(b, 0, REDUCTION_GROUPS * REDUCTION_ITEMS, 0, REDUCTION_ITEMS, 0);
	bench_launch(b, 1, REDUCTION_ITEMS, 0, REDUCTION_ITEMS, 0);
}

/* Every element goes through a run of n / items additions and two trees of 8; that many half-ulps of the magnitudes. */
static int reduction_verify(struct bench *b)
{
	const float *in = b->input;
	float *out = bench_read(b, 2, sizeof(*out));
	double sum = 0.0, magnitude = 0.0;
	double depth = (double)(b->n / (REDUCTION_GROUPS * REDUCTION_ITEMS)) + 17;
	int status = 0;

	for (size_t i = 0; i < b->n; i++) {
		sum += (double)in[i];
		magnitude += fabs((double)in[i]);
	}
	if (!(fabs((double)*out - sum) <= depth * FLT_EPSILON / 2 * magnitude))
		status = bench_wrong("the sum is %g, should be %g", (double)*out, sum);
	free(out);
	return status;
}

const struct workload workload_reduction = {
	.name = "reduction", .file = "reduction.cl", .prepare = reduction_prepare, .launch = reduction_launch,
	.verify = reduction_verify,
};

enum { MESSAGE_BYTES = 48, DIGEST_WORDS = 8 };

static uint32_t rotate_right(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/* the round constants: the first 32 bits of the fractional parts of the cube roots of the first 64 primes */
static void sha256_constants(uint32_t k[64])
{
	int found = 0;

	for (int p = 2; found < 64; p++) {
		int prime = 1;

		for (int d = 2; d * d <= p; d++)
			prime &= p % d != 0;
		if (prime)
			k[found++] = (uint32_t)(uint64_t)((cbrtl((long double)p) - floorl(cbrtl((long double)p))) *
							   4294967296.0L);
	}
}

/* FIPS 180-4, a message of one block (at most 55 bytes) */
static void sha256_block(const uint8_t *message, size_t bytes, const uint32_t k[64], uint32_t digest[DIGEST_WORDS])
{
	static const uint32_t h0[DIGEST_WORDS] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
						   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	uint8_t block[64] = { 0 };
	uint32_t w[64], s[DIGEST_WORDS];

	memcpy(block, message, bytes);
	block[bytes] = 0x80;
	block[62] = (uint8_t)(bytes >> 5);
	block[63] = (uint8_t)(bytes << 3);
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) + w[i - 7] +
		       (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
	}
	memcpy(s, h0, sizeof(s));
	for (int i = 0; i < 64; i++) {
		uint32_t t1 = s[7] + (rotate_right(s[4], 6) ^ rotate_right(s[4], 11) ^ rotate_right(s[4], 25)) +
			      ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
		uint32_t t2 = (rotate_right(s[0], 2) ^ rotate_right(s[0], 13) ^ rotate_right(s[0], 22)) +
			      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(s[0]));
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (int i = 0; i < DIGEST_WORDS; i++) {
		uint32_t v = s[i] + h0[i];

		digest[i] = rotate_right(v & 0x00ff00ff, 8) | rotate_right(v & 0xff00ff00, 24);
	}
}

static void sha256_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 4 << 10 : 64 << 10;
	uint64_t seed = 8;
	uint32_t *in = b->input = bench_alloc(n * MESSAGE_BYTES);

	for (size_t i = 0; i < n * MESSAGE_BYTES / 4; i++)
		in[i] = bench_random(&seed);
	snprintf(size, size_bytes, "%zu Ki messages of %d bytes", n >> 10, MESSAGE_BYTES);
	bench_kernel(b, 0, "sha256");
	bench_buffer(b, 0, n * MESSAGE_BYTES, in);
	bench_buffer(b, 1, n * DIGEST_WORDS * sizeof(uint32_t), NULL);
	bench_arg_buffer(b, 0, 0, 0);
	bench_arg_buffer(b, 0, 1, 1);
}

static void sha256_launch(struct bench *b)
{
	bench_launch(b, 0, b->n, 0, 64, 0);
}

static int sha256_verify(struct bench *b)
{
	static const uint8_t abc[8] = { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea };   /* FIPS 180-4's example */
	const uint8_t *in = b->input;
	uint32_t(*out)[DIGEST_WORDS] = bench_read(b, 1, b->n * sizeof(*out)), want[DIGEST_WORDS], k[64];
	int status = 0;

	sha256_constants(k);
	sha256_block((const uint8_t *)"abc", 3, k, want);
	if (memcmp(want, abc, sizeof(abc)))
		status = bench_wrong("the host's own digest of \"abc\" is wrong");
	for (size_t i = 0; i < b->n && !status; i++) {
		sha256_block(in + i * MESSAGE_BYTES, MESSAGE_BYTES, k, want);
		if (memcmp(out[i], want, sizeof(want)))
			status = bench_wrong("digest %zu begins %08x, should begin %08x", i, out[i][0], want[0]);
	}
	free(out);
	return status;
}

const struct workload workload_sha256 = {
	.name = "sha256", .file = "sha256.cl", .prepare = sha256_prepare, .launch = sha256_launch,
	.verify = sha256_verify,
};

enum { SORT_BLOCK = 512 };

static void sort_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 16 << 10 : 128 << 10;
	uint64_t seed = 9;
	uint32_t *in = b->input = bench_alloc(n * sizeof(*in));

	for (size_t i = 0; i < n; i++)
		in[i] = bench_random(&seed);
	snprintf(size, size_bytes, "%zu Ki keys of 32 bits, bitonic", n >> 10);
	bench_kernel(b, 0, "sort_block");
	bench_kernel(b, 1, "sort_step");
	bench_buffer(b, 0, n * sizeof(*in), NULL);
	bench_arg_buffer(b, 0, 0, 0);
	bench_arg_buffer(b, 1, 0, 0);
}

static void sort_reset(struct bench *b)
{
	bench_check(clEnqueueWriteBuffer(b->queue, b->buffer[0], CL_TRUE, 0, b->n * sizeof(uint32_t), b->input, 0, NULL,
					 NULL), "clEnqueueWriteBuffer");
}

static void sort_blocks(struct bench *b, size_t first, size_t last)
{
	bench_arg_int(b, 0, 1, (int)first);
	bench_arg_int(b, 0, 2, (int)last);
	bench_launch(b, 0, b->n / 2, 0, SORT_BLOCK / 2, 0);
}

static void sort_launch(struct bench *b)
{
	sort_blocks(b, 2, SORT_BLOCK);
	for (size_t run = 2 * SORT_BLOCK; run <= b->n; run *= 2) {
		for (size_t stride = run / 2; stride >= SORT_BLOCK; stride /= 2) {
			bench_arg_int(b, 1, 1, (int)run);
			bench_arg_int(b, 1, 2, (int)stride);
			bench_launch(b, 1, b->n / 2, 0, 256, 0);
		}
		sort_blocks(b, run, run);
	}
}

static int compare_keys(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int sort_verify(struct bench *b)
{
	uint32_t *out = bench_read(b, 0, b->n * sizeof(*out)), *want = bench_alloc(b->n * sizeof(*want));
	int status = 0;

	memcpy(want, b->input, b->n * sizeof(*want));
	qsort(want, b->n, sizeof(*want), compare_keys);
	for (size_t i = 0; i < b->n && !status; i++)
		if (out[i] != want[i])
			status = bench_wrong("key %zu is %08x, should be %08x", i, out[i], want[i]);
	free(want);
	free(out);
	return status;
}

const struct workload workload_sort = {
	.name = "sort", .file = "sort.cl", .prepare = sort_prepare, .reset = sort_reset, .launch = sort_launch,
	.verify = sort_verify,
};
