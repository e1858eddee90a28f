/* clbench workloads on pictures and bytes: mandelbrot, sobel, histogram. */
#include "bench/clbench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANDELBROT_LIMIT = 256 };
#define MANDELBROT_X0 (-2.0f)
#define MANDELBROT_Y0 (-1.25f)

static float mandelbrot_step(const struct bench *b)
{
	return 2.5f / (float)b->n;
}

static void mandelbrot_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 128 : 512;

	snprintf(size, size_bytes, "%zux%zu, %d iterations", n, n, MANDELBROT_LIMIT);
	bench_kernel(b, 0, "mandelbrot");
	bench_buffer(b, 0, n * n * sizeof(int32_t), NULL);
	bench_arg_buffer(b, 0, 0, 0);
	bench_arg_int(b, 0, 1, (int)n);
	bench_arg_float(b, 0, 2, MANDELBROT_X0);
	bench_arg_float(b, 0, 3, MANDELBROT_Y0);
	bench_arg_float(b, 0, 4, mandelbrot_step(b));
	bench_arg_int(b, 0, 5, MANDELBROT_LIMIT);
}

static void mandelbrot_launch(struct bench *b)
{
	bench_launch(b, 0, b->n, b->n, 16, 16);
}

static int32_t mandelbrot_count(float cx, float cy)
{
	float x = 0.0f, y = 0.0f;
	int32_t n = 0;

	for (; n < MANDELBROT_LIMIT && x * x + y * y <= 4.0f; n++) {
		float t = x * x - y * y + cx;

		y = x * y + x * y + cy;
		x = t;
	}
	return n;
}

static int mandelbrot_verify(struct bench *b)
{
	size_t n = b->n;
	int32_t *out = bench_read(b, 0, n * n * sizeof(*out));
	float step = mandelbrot_step(b);
	int status = 0;

	for (size_t y = 0; y < n && !status; y++)
		for (size_t x = 0; x < n && !status; x++) {
			int32_t want = mandelbrot_count(MANDELBROT_X0 + step * (float)x, MANDELBROT_Y0 + step * (float)y);

			if (out[y * n + x] != want)
				status = bench_wrong("pixel %zu, %zu is %d, should be %d", x, y, out[y * n + x], want);
		}
	free(out);
	return status;
}

const struct workload workload_mandelbrot = {
	.name = "mandelbrot", .file = "mandelbrot.cl", .prepare = mandelbrot_prepare, .launch = mandelbrot_launch,
	.verify = mandelbrot_verify,
};

static uint8_t *random_bytes(size_t n, uint64_t seed)
{
	uint8_t *v = bench_alloc(n);

	for (size_t i = 0; i < n; i++)
		v[i] = (uint8_t)(bench_random(&seed) >> 24);
	return v;
}

static void sobel_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 320 : 1024;

	b->input = random_bytes(n * n, 5);
	snprintf(size, size_bytes, "%zux%zu, 8 bit", n, n);
	bench_kernel(b, 0, "sobel");
	bench_buffer(b, 0, n * n, b->input);
	bench_buffer(b, 1, n * n, NULL);
	bench_arg_buffer(b, 0, 0, 0);
	bench_arg_buffer(b, 0, 1, 1);
	bench_arg_int(b, 0, 2, (int)n);
	bench_arg_int(b, 0, 3, (int)n);
}

static void sobel_launch(struct bench *b)
{
	bench_launch(b, 0, b->n, b->n, 16, 16);
}

/* The root of a whole number below 256^2 is at least 2^-11 away from half-way between two codes, and sqrt is within
 * 3 ulp (2^-15 here): the rounded code is exact. */
static int sobel_verify(struct bench *b)
{
	int n = (int)b->n, status = 0;
	const uint8_t *in = b->input;
	uint8_t *out = bench_read(b, 1, b->n * b->n);

	for (int y = 0; y < n && !status; y++)
		for (int x = 0; x < n && !status; x++) {
			int l = x ? x - 1 : 0, r = x < n - 1 ? x + 1 : x;
			const uint8_t *up = in + (y ? y - 1 : 0) * n, *mid = in + y * n;
			const uint8_t *down = in + (y < n - 1 ? y + 1 : y) * n;
			int gx = up[r] - up[l] + 2 * (mid[r] - mid[l]) + down[r] - down[l];
			int gy = down[l] - up[l] + 2 * (down[x] - up[x]) + down[r] - up[r];
			int want = (int)(sqrt((double)(gx * gx + gy * gy)) + 0.5);

			want = want > 255 ? 255 : want;
			if (out[y * n + x] != want)
				status = bench_wrong("pixel %d, %d is %d, should be %d", x, y, out[y * n + x], want);
		}
	free(out);
	return status;
}

const struct workload workload_sobel = {
	.name = "sobel", .file = "sobel.cl", .prepare = sobel_prepare, .launch = sobel_launch, .verify = sobel_verify,
};

enum { BINS = 256 };

static void histogram_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 512 << 10 : 8 << 20;

	b->input = random_bytes(n, 6);
	snprintf(size, size_bytes, "%zu KiB into %d bins", n >> 10, BINS);
	bench_kernel(b, 0, "histogram");
	bench_buffer(b, 0, n, b->input);
	bench_buffer(b, 1, BINS * sizeof(uint32_t), NULL);
	bench_arg_buffer(b, 0, 0, 0);
	bench_arg_buffer(b, 0, 1, 1);
	bench_arg_int(b, 0, 2, (int)(n / 4));
}

static void histogram_reset(struct bench *b)
{
	static const uint32_t zero[BINS];

	bench_check(clEnqueueWriteBuffer(b->queue, b->buffer[1], CL_TRUE, 0, sizeof(zero), zero, 0, NULL, NULL),
		    "clEnqueueWriteBuffer");
}

static void histogram_launch(struct bench *b)
{
	bench_launch(b, 0, b->small ? 2048 : 16384, 0, 256, 0);
}

static int histogram_verify(struct bench *b)
{
	const uint8_t *in = b->input;
	uint32_t want[BINS] = { 0 }, *bins = bench_read(b, 1, sizeof(want));
	int status = 0;

	for (size_t i = 0; i < b->n; i++)
		want[in[i]]++;
	for (int i = 0; i < BINS && !status; i++)
		if (bins[i] != want[i])
			status = bench_wrong("bin %d holds %u, should hold %u", i, bins[i], want[i]);
	free(bins);
	return status;
}

const struct workload workload_histogram = {
	.name = "histogram", .file = "histogram.cl", .prepare = histogram_prepare, .reset = histogram_reset,
	.launch = histogram_launch, .verify = histogram_verify,
};
