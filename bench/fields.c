/* clbench workloads over fields of numbers and pictures: stencil, horner, triad, options, yuv, blur. */
#include "bench/clbench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float *random_floats(size_t n, uint64_t seed, float low, float high)
{
	float *v = bench_alloc(n * sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = low + (high - low) * 0.5f * (bench_random_float(&seed) + 1.0f);
	return v;
}

static uint8_t *random_codes(size_t n, uint64_t seed)
{
	uint8_t *v = bench_alloc(n);

	for (size_t i = 0; i < n; i++)
		v[i] = (uint8_t)(bench_random(&seed) >> 24);
	return v;
}

/* ---- stencil ---- */

enum { STENCIL_STEPS = 8 };

static void stencil_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 128 : 512;

	b->input = random_floats(n * n, 31, -1.0f, 1.0f);
	snprintf(size, size_bytes, "%zux%zu, %d steps", n, n, STENCIL_STEPS);
	for (int k = 0; k < 2; k++) {
		bench_kernel(b, k, "stencil");
		bench_buffer(b, k, n * n * sizeof(float), NULL);
	}
	for (int k = 0; k < 2; k++) {
		bench_arg_buffer(b, k, 0, k);
		bench_arg_buffer(b, k, 1, 1 - k);
		bench_arg_int(b, k, 2, (int)n);
	}
}

static void stencil_reset(struct bench *b)
{
	bench_check(clEnqueueWriteBuffer(b->queue, b->buffer[0], CL_TRUE, 0, b->n * b->n * sizeof(float), b->input, 0, NULL,
					 NULL), "clEnqueueWriteBuffer");
}

static void stencil_launch(struct bench *b)
{
	for (int s = 0; s < STENCIL_STEPS; s++)
		bench_launch(b, s % 2, b->n, b->n, 32, 8);
}

/* A platform may contract: each step adds a few half-ulps of values below 1. */
static int stencil_verify(struct bench *b)
{
	size_t n = b->n, bytes = n * n * sizeof(float);
	float *a = bench_alloc(bytes), *c = bench_alloc(bytes), *out = bench_read(b, STENCIL_STEPS % 2, bytes);
	int status = 0;

	memcpy(a, b->input, bytes);
	for (int s = 0; s < STENCIL_STEPS; s++) {
		float *t = a;

		memcpy(c, a, bytes);
		for (size_t y = 1; y + 1 < n; y++)
			for (size_t x = 1; x + 1 < n; x++) {
				size_t i = y * n + x;

				c[i] = 0.5f * a[i] + 0.125f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]);
			}
		a = c;
		c = t;
	}
	for (size_t i = 0; i < n * n && !status; i++)
		if (!(fabsf(out[i] - a[i]) <= STENCIL_STEPS * 4 * 0x1p-24f))
			status = bench_wrong("cell %zu is %g, should be %g", i, (double)out[i], (double)a[i]);
	free(a);
	free(c);
	free(out);
	return status;
}

const struct workload workload_stencil = {
	.name = "stencil", .file = "stencil.cl", .prepare = stencil_prepare, .reset = stencil_reset,
	.launch = stencil_launch, .verify = stencil_verify,
};

/* ---- horner ---- */

enum { COEFFICIENTS = 32 };

static void horner_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 32768 : 524288;
	uint64_t seed = 32;
	double *x = bench_alloc((n + COEFFICIENTS) * sizeof(*x));

	for (size_t i = 0; i < n + COEFFICIENTS; i++)
		x[i] = (double)bench_random_float(&seed);
	b->input = x;
	snprintf(size, size_bytes, "%zu Ki doubles, degree %d", n >> 10, COEFFICIENTS - 1);
	bench_kernel(b, 0, "horner");
	bench_buffer(b, 0, n * sizeof(double), x);
	bench_buffer(b, 1, COEFFICIENTS * sizeof(double), x + n);
	bench_buffer(b, 2, n * sizeof(double), NULL);
	for (int i = 0; i < 3; i++)
		bench_arg_buffer(b, 0, (cl_uint)i, i);
}

static void horner_launch(struct bench *b) { bench_launch(b, 0, b->n, 0, 256, 0); }

static int horner_verify(struct bench *b)
{
	const double *x = b->input, *c = x + b->n;
	double *y = bench_read(b, 2, b->n * sizeof(*y));
	int status = 0;

	for (size_t i = 0; i < b->n && !status; i++) {
		double sum = c[COEFFICIENTS - 1];

		for (int k = COEFFICIENTS - 2; k >= 0; k--)
			sum = fma(sum, x[i], c[k]);
		if (y[i] != sum)
			status = bench_wrong("value %zu is %a, should be %a", i, y[i], sum);
	}
	free(y);
	return status;
}

const struct workload workload_horner = {
	.name = "horner", .file = "horner.cl", .prepare = horner_prepare, .launch = horner_launch, .verify = horner_verify,
};

/* ---- triad ---- */

static void triad_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 65536 : 2 << 20;
	float *v = b->input = random_floats(2 * n, 33, -1.0f, 1.0f);

	snprintf(size, size_bytes, "%zu Ki floats", n >> 10);
	bench_kernel(b, 0, "triad");
	bench_buffer(b, 0, n * sizeof(float), NULL);
	bench_buffer(b, 1, n * sizeof(float), v);
	bench_buffer(b, 2, n * sizeof(float), v + n);
	for (int i = 0; i < 3; i++)
		bench_arg_buffer(b, 0, (cl_uint)i, i);
	bench_arg_float(b, 0, 3, 0.5f); /* exact, whether it is contracted or not */
}

static void triad_launch(struct bench *b) { bench_launch(b, 0, b->n / 4, 0, 256, 0); }

static int triad_verify(struct bench *b)
{
	const float *v = b->input;
	float *a = bench_read(b, 0, b->n * sizeof(*a));
	int status = 0;

	for (size_t i = 0; i < b->n && !status; i++)
		if (a[i] != v[i] + 0.5f * v[b->n + i])
			status = bench_wrong("element %zu is %a", i, (double)a[i]);
	free(a);
	return status;
}

const struct workload workload_triad = {
	.name = "triad", .file = "triad.cl", .prepare = triad_prepare, .launch = triad_launch, .verify = triad_verify,
};

/* ---- options ---- */

#define OPTIONS_RATE 0.02f
#define OPTIONS_VOLATILITY 0.3f

static void options_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 32768 : 524288;
	float *v = bench_alloc(3 * n * sizeof(*v)), *part[3] = { random_floats(n, 34, 5.0f, 30.0f),
		random_floats(n, 35, 1.0f, 100.0f), random_floats(n, 36, 0.25f, 10.0f) };

	snprintf(size, size_bytes, "%zu Ki options", n >> 10);
	bench_kernel(b, 0, "options");
	for (int i = 0; i < 3; i++) {
		memcpy(v + (size_t)i * n, part[i], n * sizeof(*v));
		free(part[i]);
		bench_buffer(b, i, n * sizeof(float), v + (size_t)i * n);
		bench_arg_buffer(b, 0, (cl_uint)i, i);
	}
	b->input = v;
	bench_buffer(b, 3, n * sizeof(float), NULL);
	bench_arg_buffer(b, 0, 3, 3);
	bench_arg_float(b, 0, 4, OPTIONS_RATE);
	bench_arg_float(b, 0, 5, OPTIONS_VOLATILITY);
}

static void options_launch(struct bench *b) { bench_launch(b, 0, b->n, 0, 256, 0); }

/* The difference of two prices below 30 and 100, each with errors of tens of ulps from its functions. */
static int options_verify(struct bench *b)
{
	const float *price = b->input, *strike = price + b->n, *years = strike + b->n;
	float *call = bench_read(b, 3, b->n * sizeof(*call));
	int status = 0;

	for (size_t i = 0; i < b->n && !status; i++) {
		double s = (double)price[i], k = (double)strike[i], t = (double)years[i], r = (double)OPTIONS_RATE,
		       v = (double)OPTIONS_VOLATILITY;
		double root = v * sqrt(t), d1 = (log(s / k) + (r + v * v / 2) * t) / root;
		double want = s * erfc(-d1 * sqrt(0.5)) / 2 - k * exp(-r * t) * erfc(-(d1 - root) * sqrt(0.5)) / 2;

		if (!(fabs((double)call[i] - want) <= 64 * 0x1p-23 * (s + k)))
			status = bench_wrong("option %zu is %g, should be %g", i, (double)call[i], want);
	}
	free(call);
	return status;
}

const struct workload workload_options = {
	.name = "options", .file = "options.cl", .prepare = options_prepare, .launch = options_launch,
	.verify = options_verify,
};

/* ---- yuv ---- */

static void yuv_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 256 : 1024;

	b->input = random_codes(n * n * 3 / 2, 37);
	snprintf(size, size_bytes, "%zux%zu, 4:2:0", n, n);
	bench_kernel(b, 0, "yuv");
	bench_buffer(b, 0, n * n, b->input);
	bench_buffer(b, 1, n * n / 2, (uint8_t *)b->input + n * n);
	bench_buffer(b, 2, n * n * 4, NULL);
	for (int i = 0; i < 3; i++)
		bench_arg_buffer(b, 0, (cl_uint)i, i);
	bench_arg_int(b, 0, 3, (int)n);
}

static void yuv_launch(struct bench *b) { bench_launch(b, 0, b->n, b->n, 32, 8); }

static uint8_t clamp_code(int v) { return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v; }

static int yuv_verify(struct bench *b)
{
	size_t n = b->n;
	const uint8_t *luma = b->input, *chroma = luma + n * n;
	uint8_t *out = bench_read(b, 2, n * n * 4);
	int status = 0;

	for (size_t y = 0; y < n && !status; y++)
		for (size_t x = 0; x < n && !status; x++) {
			const uint8_t *c = chroma + (y / 2 * (n / 2) + x / 2) * 2, *p = out + (y * n + x) * 4;
			int base = 298 * (luma[y * n + x] - 16) + 128, u = c[0] - 128, v = c[1] - 128;
			uint8_t want[4] = { clamp_code((base + 409 * v) >> 8), clamp_code((base - 100 * u - 208 * v) >> 8),
					    clamp_code((base + 516 * u) >> 8), 255 };

			if (memcmp(p, want, 4))
				status = bench_wrong("pixel %zu, %zu is %d %d %d", x, y, p[0], p[1], p[2]);
		}
	free(out);
	return status;
}

const struct workload workload_yuv = {
	.name = "yuv", .file = "yuv.cl", .prepare = yuv_prepare, .launch = yuv_launch, .verify = yuv_verify,
};

/* ---- blur ---- */

static cl_mem blur_image(struct bench *b, const void *data)
{
	const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
	const cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = b->n, .image_height = b->n };
	cl_int error;
	cl_mem image = clCreateImage(b->context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), &format, &desc,
				     (void *)(uintptr_t)data, &error);

	bench_check(error, "clCreateImage");
	return image;
}

static void blur_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 96 : 384;

	b->input = random_codes(n * n * 4, 38);
	snprintf(size, size_bytes, "%zux%zu RGBA image", n, n);
	bench_kernel(b, 0, "blur");
	b->buffer[0] = blur_image(b, b->input);
	b->buffer[1] = blur_image(b, NULL);
	bench_arg_buffer(b, 0, 0, 0);
	bench_arg_buffer(b, 0, 1, 1);
}

static void blur_launch(struct bench *b) { bench_launch(b, 0, b->n, b->n, 16, 16); }

static int blur_verify(struct bench *b)
{
	int n = (int)b->n, status = 0;
	const uint8_t *in = b->input;
	uint8_t *out = bench_alloc((size_t)n * n * 4);
	const size_t origin[3] = { 0 }, region[3] = { b->n, b->n, 1 };

	bench_check(clEnqueueReadImage(b->queue, b->buffer[1], CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL),
		    "clEnqueueReadImage");
	for (int y = 0; y < n && !status; y++)
		for (int x = 0; x < n && !status; x++)
			for (int c = 0; c < 4 && !status; c++) {
				int sum = 12;

				for (int dy = -2; dy <= 2; dy++)
					for (int dx = -2; dx <= 2; dx++) {
						int sx = x + dx < 0 ? 0 : x + dx >= n ? n - 1 : x + dx;
						int sy = y + dy < 0 ? 0 : y + dy >= n ? n - 1 : y + dy;

						sum += in[(sy * n + sx) * 4 + c];
					}
				if (out[(y * n + x) * 4 + c] != sum / 25)
					status = bench_wrong("texel %d, %d is %d, should be %d", x, y, out[(y * n + x) * 4 + c], sum / 25);
			}
	free(out);
	return status;
}

const struct workload workload_blur = {
	.name = "blur", .file = "blur.cl", .prepare = blur_prepare, .launch = blur_launch, .verify = blur_verify,
};
