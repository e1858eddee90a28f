/* clbench workloads on floats in rows: sgemm, transpose, nbody, fft. */
#include "bench/clbench.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static float *random_floats(size_t n, uint64_t seed)
{
	float *v = bench_alloc(n * sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = bench_random_float(&seed);
	return v;
}

static void sgemm_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 96 : 256;
	float *ab = b->input = random_floats(2 * n * n, 1);

	snprintf(size, size_bytes, "%zux%zu", n, n);
	bench_kernel(b, 0, "sgemm");
	bench_buffer(b, 0, n * n * sizeof(float), ab);
	bench_buffer(b, 1, n * n * sizeof(float), ab + n * n);
	bench_buffer(b, 2, n * n * sizeof(float), NULL);
	for (int i = 0; i < 3; i++)
		bench_arg_buffer(b, 0, (cl_uint)i, i);
	bench_arg_int(b, 0, 3, (int)n);
}

static void sgemm_launch(struct bench *b)
{
	bench_launch(b, 0, b->n, b->n, 16, 16);
}

/* A sum of n rounded products differs from the exact one by less than (n + 2) half-ulps of the sum of magnitudes. */
static int sgemm_verify(struct bench *b)
{
	size_t n = b->n;
	const float *a = b->input, *m = a + n * n;
	float *c = bench_read(b, 2, n * n * sizeof(float));
	int status = 0;

	for (size_t row = 0; row < n && !status; row++)
		for (size_t col = 0; col < n && !status; col++) {
			double sum = 0.0, magnitude = 0.0;

			for (size_t k = 0; k < n; k++) {
				double p = (double)a[row * n + k] * (double)m[k * n + col];

				sum += p;
				magnitude += fabs(p);
			}
			if (!(fabs(c[row * n + col] - sum) <= (double)(n + 2) * FLT_EPSILON * magnitude))
				status = bench_wrong("c[%zu][%zu] is %g, should be %g", row, col,
						     (double)c[row * n + col], sum);
		}
	free(c);
	return status;
}

const struct workload workload_sgemm = {
	.name = "sgemm", .file = "sgemm.cl", .prepare = sgemm_prepare, .launch = sgemm_launch, .verify = sgemm_verify,
};

static void transpose_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 512 : 2048;

	b->input = random_floats(n * n, 2);
	snprintf(size, size_bytes, "%zux%zu", n, n);
	bench_kernel(b, 0, "transpose");
	bench_buffer(b, 0, n * n * sizeof(float), b->input);
	bench_buffer(b, 1, n * n * sizeof(float), NULL);
	bench_arg_buffer(b, 0, 0, 0);
	bench_arg_buffer(b, 0, 1, 1);
	bench_arg_int(b, 0, 2, (int)n);
}

static void transpose_launch(struct bench *b)
{
	bench_launch(b, 0, b->n, b->n, 16, 16);
}

static int transpose_verify(struct bench *b)
{
	size_t n = b->n;
	const float *in = b->input;
	float *out = bench_read(b, 1, n * n * sizeof(float));
	int status = 0;

	for (size_t row = 0; row < n && !status; row++)
		for (size_t col = 0; col < n && !status; col++)
			if (out[col * n + row] != in[row * n + col])
				status = bench_wrong("element [%zu][%zu] is %g, should be %g", col, row,
						     (double)out[col * n + row], (double)in[row * n + col]);
	free(out);
	return status;
}

const struct workload workload_transpose = {
	.name = "transpose", .file = "transpose.cl", .prepare = transpose_prepare, .launch = transpose_launch,
	.verify = transpose_verify,
};

#define SOFTENING 1e-3f

static void nbody_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 512 : 2048;

	b->input = random_floats(n * 4, 3);
	snprintf(size, size_bytes, "%zu bodies, 1 step", n);
	bench_kernel(b, 0, "nbody");
	bench_buffer(b, 0, n * 4 * sizeof(float), b->input);
	bench_buffer(b, 1, n * 4 * sizeof(float), NULL);
	bench_arg_buffer(b, 0, 0, 0);
	bench_arg_buffer(b, 0, 1, 1);
	bench_arg_int(b, 0, 2, (int)n);
	bench_arg_float(b, 0, 3, SOFTENING);
	bench_arg(b, 0, 4, 64 * 4 * sizeof(float), NULL);
}

static void nbody_launch(struct bench *b)
{
	bench_launch(b, 0, b->n, 0, 64, 0);
}

/* A term is off by some 20 half-ulps (rsqrt may be 2 ulp off and is cubed), the sum by n more of the magnitudes. */
static int nbody_verify(struct bench *b)
{
	size_t n = b->n;
	const float(*body)[4] = b->input;
	float(*out)[4] = bench_read(b, 1, n * sizeof(*out));
	int status = 0;

	for (size_t i = 0; i < n && !status; i++) {
		double sum[3] = { 0 }, magnitude[3] = { 0 };

		for (size_t j = 0; j < n; j++) {
			double d[3], r2 = (double)SOFTENING;

			for (int k = 0; k < 3; k++) {
				d[k] = (double)body[j][k] - (double)body[i][k];
				r2 += d[k] * d[k];
			}
			for (int k = 0; k < 3; k++) {
				double term = d[k] * (double)body[j][3] / (r2 * sqrt(r2));

				sum[k] += term;
				magnitude[k] += fabs(term);
			}
		}
		for (int k = 0; k < 3 && !status; k++)
			if (!(fabs((double)out[i][k] - sum[k]) <= (double)(n + 20) * FLT_EPSILON / 2 * magnitude[k]))
				status = bench_wrong("body %zu, axis %d is %g, should be %g", i, k, (double)out[i][k],
						     sum[k]);
	}
	free(out);
	return status;
}

const struct workload workload_nbody = {
	.name = "nbody", .file = "nbody.cl", .prepare = nbody_prepare, .launch = nbody_launch, .verify = nbody_verify,
};

enum { FFT_POINTS = 1024 };

static void fft_prepare(struct bench *b, char *size, size_t size_bytes)
{
	size_t n = b->n = b->small ? 16 : 512;
	float twiddle[FFT_POINTS][2];

	b->input = random_floats(n * FFT_POINTS * 2, 4);
	for (int i = 0; i < FFT_POINTS; i++) {
		twiddle[i][0] = (float)cos(2.0 * M_PI * i / FFT_POINTS);
		twiddle[i][1] = (float)-sin(2.0 * M_PI * i / FFT_POINTS);
	}
	snprintf(size, size_bytes, "%zu x %d points", n, FFT_POINTS);
	bench_kernel(b, 0, "fft");
	bench_buffer(b, 0, n * FFT_POINTS * 2 * sizeof(float), b->input);
	bench_buffer(b, 1, n * FFT_POINTS * 2 * sizeof(float), NULL);
	bench_buffer(b, 2, sizeof(twiddle), twiddle);
	for (int i = 0; i < 3; i++)
		bench_arg_buffer(b, 0, (cl_uint)i, i);
}

static void fft_launch(struct bench *b)
{
	bench_launch(b, 0, b->n * FFT_POINTS / 4, 0, FFT_POINTS / 4, 0);
}

/* radix-2 by recursion, in double; `stride` apart in `in` */
static void host_fft(double complex *out, const float (*in)[2], size_t n, size_t stride)
{
	if (n == 1) {
		out[0] = (double)in[0][0] + I * (double)in[0][1];
		return;
	}
	host_fft(out, in, n / 2, 2 * stride);
	host_fft(out + n / 2, in + stride, n / 2, 2 * stride);
	for (size_t k = 0; k < n / 2; k++) {
		double complex e = out[k], o = out[k + n / 2] * cexp(-2.0 * M_PI * I * (double)k / (double)n);

		out[k] = e + o;
		out[k + n / 2] = e - o;
	}
}

/* Five radix-4 passes of some 8 roundings each, relative to the norm of the transform. */
static int fft_verify(struct bench *b)
{
	const float(*in)[2] = b->input;
	float(*out)[2] = bench_read(b, 1, b->n * FFT_POINTS * sizeof(*out));
	static double complex want[FFT_POINTS];
	int status = 0;

	for (size_t t = 0; t < b->n && !status; t++) {
		double norm = 0.0, error = 0.0;

		host_fft(want, in + t * FFT_POINTS, FFT_POINTS, 1);
		for (int i = 0; i < FFT_POINTS; i++) {
			double complex got = (double)out[t * FFT_POINTS + (size_t)i][0] +
					     I * (double)out[t * FFT_POINTS + (size_t)i][1];
			double d = cabs(got - want[i]);

			norm += creal(want[i]) * creal(want[i]) + cimag(want[i]) * cimag(want[i]);
			error += d * d;
		}
		if (!(sqrt(error / norm) <= 40 * FLT_EPSILON / 2))
			status = bench_wrong("transform %zu is %g off, relative to its norm", t, sqrt(error / norm));
	}
	free(out);
	return status;
}

const struct workload workload_fft = {
	.name = "fft", .file = "fft.cl", .prepare = fft_prepare, .launch = fft_launch, .verify = fft_verify,
};
