/* Launches: a program of several kernels with results known bit for bit or within OpenCL's error
 * limits, shapes of ND-ranges, errors, and faults. */
#include "testbench/opencl/cl_test.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] =
	/* barriers and local memory: sums of each work-group, in log2 steps */
	"kernel void reduce(global const uint *in, global uint *sums, local uint *scratch) {\n"
	"	size_t l = get_local_id(0), n = get_local_size(0);\n"
	"	scratch[l] = in[get_global_id(0)];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (size_t s = n / 2; s; s /= 2) { if (l < s) scratch[l] += scratch[l + s]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
	"	if (!l) sums[get_group_id(0)] = scratch[0];\n"
	"}\n"
	/* atomics, local then global */
	"kernel void histogram(global const uint *in, global uint *bins, uint n) {\n"
	"	local uint mine[64];\n"
	"	for (size_t i = get_local_id(0); i < 64; i += get_local_size(0)) mine[i] = 0;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&mine[in[i] % 64]);\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	for (size_t i = get_local_id(0); i < 64; i += get_local_size(0)) atomic_add(&bins[i], mine[i]);\n"
	"}\n"
	"kernel void atomics(global int *a) {\n"
	"	int i = get_global_id(0);\n"
	"	atomic_add(&a[0], i); atomic_sub(&a[1], 2 * i); atomic_min(&a[2], -i); atomic_max(&a[3], i);\n"
	"	atomic_or(&a[4], 1 << (i % 31)); atomic_xor(&a[5], i); atomic_and(&a[6], ~(1 << (i % 31)));\n"
	"	int seen, old = a[7];\n" /* a counter by compare-and-swap */
	"	while ((seen = atomic_cmpxchg(&a[7], old, old + 3)) != old) old = seen;\n"
	"}\n"
	/* long loops that diverge in every lane */
	"kernel void collatz(global const uint *in, global uint *steps) {\n"
	"	ulong v = in[get_global_id(0)]; uint n = 0;\n"
	"	while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; n++; }\n"
	"	steps[get_global_id(0)] = n;\n"
	"}\n"
	/* deep calls that are not inlined, to different depths in different lanes */
	"#define LEVEL(n, next) __attribute__((noinline)) uint f##n(uint x, uint depth) { uint a[8]; \\\n"
	"	for (int i = 0; i < 8; i++) a[i] = x * (i + n + 1u); \\\n"
	"	uint r = depth ? f##next(a[x & 7], depth - 1) : x; return r * 31u + a[r & 7]; }\n"
	"__attribute__((noinline)) uint f12(uint x, uint depth) { return x ^ depth; }\n"
	"LEVEL(11, 12) LEVEL(10, 11) LEVEL(9, 10) LEVEL(8, 9) LEVEL(7, 8) LEVEL(6, 7) LEVEL(5, 6) LEVEL(4, 5)\n"
	"LEVEL(3, 4) LEVEL(2, 3) LEVEL(1, 2) LEVEL(0, 1)\n"
	"kernel void deep(global const uint *in, global uint *out) { size_t i = get_global_id(0); out[i] = f0(in[i], in[i] % 13); }\n"
	/* double and half */
	"kernel void doubles(global const double *in, global double *exact, global double *close) {\n"
	"	size_t i = get_global_id(0); double x = in[i];\n"
	"	exact[4 * i] = x * 1.5 + 2.25; exact[4 * i + 1] = x / 3.0; exact[4 * i + 2] = sqrt(x); exact[4 * i + 3] = fma(x, x, -1.0);\n"
	"	close[2 * i] = exp(x / 64.0); close[2 * i + 1] = log(x);\n"
	"}\n"
	"kernel void halves(global const half *in, global float *out, global half *back) {\n"
	"	size_t i = get_global_id(0); float v = vload_half(i, in); out[i] = v; vstore_half_rte(v * 1.5f, i, back);\n"
	"}\n"
	"kernel void floats(global const float *in, global float *out) {\n"
	"	size_t i = get_global_id(0); float x = in[i];\n"
	"	out[6 * i] = sin(x); out[6 * i + 1] = cos(x); out[6 * i + 2] = exp(x); out[6 * i + 3] = log(fabs(x));\n"
	"	out[6 * i + 4] = pow(fabs(x), 1.25f); out[6 * i + 5] = tanh(x);\n"
	"}\n"
	/* where am I */
	"kernel void ids(global uint *out, uint stride) {\n"
	"	size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1), z = get_global_id(2) - get_global_offset(2);\n"
	"	global uint *o = out + 12 * (x + get_global_size(0) * (y + get_global_size(1) * z));\n"
	"	for (uint d = 0; d < 3; d++) {\n"
	"		o[d] = get_global_id(d); o[3 + d] = get_local_id(d); o[6 + d] = get_group_id(d); o[9 + d] = get_local_size(d) | get_num_groups(d) << 16;\n"
	"	}\n"
	"	if (!x && !y && !z) out[12 * stride] = get_work_dim() | (uint)get_global_size(2) << 8;\n"
	"}\n"
	"kernel __attribute__((reqd_work_group_size(4, 2, 1))) void sized(global uint *out) { out[get_global_id(0) + get_global_size(0) * get_global_id(1)] = get_local_size(0) * 10 + get_local_size(1); }\n"
	"kernel void locals(global ulong *out, local char *a, local double4 *b, local int *c) { local long s[3]; s[0] = 5; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	a[0] = 1; b[0] = (double4)(2.0); c[0] = 3; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	out[0] = (ulong)b & 31; out[1] = (ulong)c & 3; out[2] = a[0] + (ulong)b[0].w + c[0] + s[0]; out[3] = (ulong)b - (ulong)a; }\n"
	"kernel void stray(global uint *out, ulong where) { if (get_global_id(0) == 37) *(global uint *)where = 1; else out[get_global_id(0)] = get_global_id(0); }\n"
	"constant int table[] = {3, 1, 4, 1, 5, 9, 2, 6};\n"
	"kernel void lookup(global int *out) { out[get_global_id(0)] = table[get_global_id(0) % 8]; }\n"
	"kernel void scribble(global int *out) { *(volatile global int *)(ulong)&table[out[0] & 7] = 1; }\n";

static cl_program program;
static uint64_t seed;

static cl_kernel kernel(const char *name)
{
	cl_int code;
	cl_kernel k = clCreateKernel(program, name, &code);
	assert_int_equal(code, CL_SUCCESS);
	return k;
}

static cl_mem buffer(size_t size, const void *data)
{
	cl_int code;
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), size, (void *)data, &code);
	assert_int_equal(code, CL_SUCCESS);
	return m;
}

static void read_back(cl_mem m, size_t size, void *data)
{
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, size, data, 0, NULL, NULL));
	CL_OK(clReleaseMemObject(m));
}

static void set_mem(cl_kernel k, cl_uint i, cl_mem m) { CL_OK(clSetKernelArg(k, i, sizeof m, &m)); }

/* Runs a kernel in one dimension and gives it up. */
static void run(cl_kernel k, size_t global, size_t local)
{
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL));
	CL_OK(clReleaseKernel(k));
}

enum { N = 1024 };

static uint32_t *random_words(void)
{
	static uint32_t in[N];
	for (int i = 0; i < N; i++)
		in[i] = (uint32_t)splitmix64(&seed);
	return in;
}

static void reduction(void **state)
{
	const uint32_t *in = random_words();
	uint32_t sums[N / 16], want[N / 16] = {0};
	cl_mem a = buffer(N * 4, in), b = buffer(sizeof sums, NULL);
	cl_kernel k = kernel("reduce");
	(void)state;
	for (int i = 0; i < N; i++)
		want[i / 16] += in[i];
	set_mem(k, 0, a);
	set_mem(k, 1, b);
	CL_OK(clSetKernelArg(k, 2, 16 * 4, NULL));
	run(k, N, 16);
	read_back(b, sizeof sums, sums);
	CL_OK(clReleaseMemObject(a));
	assert_memory_equal(sums, want, sizeof want);
}

static void histogram(void **state)
{
	const uint32_t *in = random_words(), n = N - 7;
	uint32_t bins[64] = {0}, want[64] = {0};
	cl_mem a = buffer(N * 4, in), b = buffer(sizeof bins, bins);
	cl_kernel k = kernel("histogram");
	(void)state;
	for (uint32_t i = 0; i < n; i++)
		want[in[i] % 64]++;
	set_mem(k, 0, a);
	set_mem(k, 1, b);
	CL_OK(clSetKernelArg(k, 2, 4, &n));
	run(k, 256, 16);
	read_back(b, sizeof bins, bins);
	CL_OK(clReleaseMemObject(a));
	assert_memory_equal(bins, want, sizeof want);
}

static void atomics(void **state)
{
	int32_t a[8] = {5, 6, 7, 8, 0, 0, -1, 0}, want[8] = {5, 6, 7, 8, 0, 0, -1, 0};
	cl_mem m = buffer(sizeof a, a);
	cl_kernel k = kernel("atomics");
	(void)state;
	for (int i = 0; i < 512; i++) {
		want[0] += i;
		want[1] -= 2 * i;
		want[2] = want[2] < -i ? want[2] : -i;
		want[3] = want[3] > i ? want[3] : i;
		want[4] |= 1 << (i % 31);
		want[5] ^= i;
		want[6] &= ~(1 << (i % 31));
		want[7] += 3;
	}
	set_mem(k, 0, m);
	run(k, 512, 0);
	read_back(m, sizeof a, a);
	assert_memory_equal(a, want, sizeof want);
}

static void divergent_loops(void **state)
{
	uint32_t in[256], steps[256];
	(void)state;
	for (int i = 0; i < 256; i++)
		in[i] = 1 + (uint32_t)splitmix64(&seed) % 100000;
	cl_mem a = buffer(sizeof in, in), b = buffer(sizeof steps, NULL);
	cl_kernel k = kernel("collatz");
	set_mem(k, 0, a);
	set_mem(k, 1, b);
	run(k, 256, 0);
	read_back(b, sizeof steps, steps);
	CL_OK(clReleaseMemObject(a));
	for (int i = 0; i < 256; i++) {
		uint32_t n = 0;
		for (uint64_t v = in[i]; v != 1; n++)
			v = v & 1 ? 3 * v + 1 : v / 2;
		assert_int_equal(steps[i], n);
	}
}

/* What f<level> of the program computes. */
static uint32_t deep(unsigned level, uint32_t x, uint32_t depth)
{
	uint32_t a[8], r;
	if (level == 12)
		return x ^ depth;
	for (unsigned i = 0; i < 8; i++)
		a[i] = x * (i + level + 1);
	r = depth ? deep(level + 1, a[x & 7], depth - 1) : x;
	return r * 31 + a[r & 7];
}

static void deep_calls(void **state)
{
	const uint32_t *in = random_words();
	uint32_t out[N];
	cl_mem a = buffer(N * 4, in), b = buffer(sizeof out, NULL);
	cl_kernel k = kernel("deep");
	(void)state;
	set_mem(k, 0, a);
	set_mem(k, 1, b);
	run(k, N, 0);
	read_back(b, sizeof out, out);
	CL_OK(clReleaseMemObject(a));
	for (int i = 0; i < N; i++)
		assert_int_equal(out[i], deep(0, in[i], in[i] % 13));
}

/* Error of got in units of the last place of a float or double result, against a better value. */
static double ulps(double got, long double want, int digits)
{
	int e;
	frexpl(want, &e);
	return (double)(fabsl(got - want) / ldexpl(1, e - digits));
}

static void doubles(void **state)
{
	double in[128], exact[512], close[256];
	(void)state;
	for (int i = 0; i < 128; i++)
		in[i] = 0.001 + (double)(splitmix64(&seed) % 1000000) / 977.0;
	cl_mem a = buffer(sizeof in, in), b = buffer(sizeof exact, NULL), c = buffer(sizeof close, NULL);
	cl_kernel k = kernel("doubles");
	set_mem(k, 0, a);
	set_mem(k, 1, b);
	set_mem(k, 2, c);
	run(k, 128, 0);
	read_back(b, sizeof exact, exact);
	read_back(c, sizeof close, close);
	CL_OK(clReleaseMemObject(a));
	for (int i = 0; i < 128; i++) {
		const double x = in[i], product = x * 1.5;
		/* OpenCL C 7.4: correctly rounded; x * 1.5 + 2.25 may be contracted to one rounding */
		assert_true(exact[4 * i] == product + 2.25 || exact[4 * i] == fma(x, 1.5, 2.25));
		assert_true(exact[4 * i + 1] == x / 3.0);
		assert_true(exact[4 * i + 2] == sqrt(x));
		assert_true(exact[4 * i + 3] == fma(x, x, -1.0));
		/* 7.4: exp and log of doubles are within 3 ulp */
		assert_true(ulps(close[2 * i], expl((long double)(x / 64.0)), 53) <= 3);
		assert_true(ulps(close[2 * i + 1], logl((long double)x), 53) <= 3);
	}
}

static void halves(void **state)
{
	static uint16_t in[65536], back[65536];
	static float out[65536];
	(void)state;
	for (int i = 0; i < 65536; i++)
		in[i] = (uint16_t)i;
	cl_mem a = buffer(sizeof in, in), b = buffer(sizeof out, NULL), c = buffer(sizeof back, NULL);
	cl_kernel k = kernel("halves");
	set_mem(k, 0, a);
	set_mem(k, 1, b);
	set_mem(k, 2, c);
	run(k, 65536, 0);
	read_back(b, sizeof out, out);
	read_back(c, sizeof back, back);
	CL_OK(clReleaseMemObject(a));
	for (int i = 0; i < 65536; i++) {
		_Float16 h, rounded;
		memcpy(&h, &in[i], 2);
		const float wide = (float)h;
		if (isnan(wide)) {
			assert_true(isnan(out[i]) && (back[i] & 0x7c00) == 0x7c00 && (back[i] & 0x3ff));
			continue;
		}
		assert_memory_equal(&out[i], &wide, sizeof wide);
		rounded = (_Float16)(wide * 1.5f);
		assert_memory_equal(&back[i], &rounded, sizeof rounded);
	}
}

static void floats(void **state)
{
	/* OpenCL C 7.4: sin, cos 4 ulp; exp, log 3; pow 16; tanh 5 */
	static const double limit[6] = {4, 4, 3, 3, 16, 5};
	float in[256], out[256 * 6];
	(void)state;
	for (int i = 0; i < 256; i++)
		in[i] = ((float)(splitmix64(&seed) % 2000001) - 1000000.0f) / 50000.0f + 1e-4f;
	cl_mem a = buffer(sizeof in, in), b = buffer(sizeof out, NULL);
	cl_kernel k = kernel("floats");
	set_mem(k, 0, a);
	set_mem(k, 1, b);
	run(k, 256, 0);
	read_back(b, sizeof out, out);
	CL_OK(clReleaseMemObject(a));
	for (int i = 0; i < 256; i++) {
		const double x = in[i], want[6] = {sin(x), cos(x), exp(x), log(fabs(x)), pow(fabs(x), 1.25), tanh(x)};
		for (int f = 0; f < 6; f++)
			if (ulps(out[6 * i + f], want[f], 24) > limit[f])
				fail_msg("function %d of %a: %a, want %a", f, x, (double)out[6 * i + f], want[f]);
	}
}

/* ---- shapes ---- */

static void check_ids(cl_program p, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local)
{
	const size_t gx = global[0], gy = dims > 1 ? global[1] : 1, gz = dims > 2 ? global[2] : 1;
	const size_t g[3] = {gx, gy, gz}, total = gx * gy * gz;
	const uint32_t stride = (uint32_t)total;
	uint32_t *out = malloc((total * 12 + 1) * 4);
	cl_int code;
	cl_kernel k = clCreateKernel(p, "ids", &code);
	assert_int_equal(code, CL_SUCCESS);
	cl_mem m = buffer((total * 12 + 1) * 4, NULL);
	set_mem(k, 0, m);
	CL_OK(clSetKernelArg(k, 1, 4, &stride));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, dims, offset, global, local, 0, NULL, NULL));
	read_back(m, (total * 12 + 1) * 4, out);
	assert_int_equal(out[12 * total], dims | gz << 8);
	for (size_t i = 0; i < total; i++) {
		const size_t at[3] = {i % gx, i / gx % gy, i / gx / gy};
		for (cl_uint d = 0; d < 3; d++) {
			const uint32_t *o = out + 12 * i + d;
			assert_int_equal(o[0], at[d] + (d < dims && offset ? offset[d] : 0));
			if (!local)
				continue;
			const size_t l = d < dims ? local[d] : 1, groups = (g[d] + l - 1) / l;
			const size_t last = g[d] - at[d] / l * l;
			assert_int_equal(o[3], at[d] % l);
			assert_int_equal(o[6], at[d] / l);
			assert_int_equal(o[9], (last < l ? last : l) | groups << 16);
		}
	}
	CL_OK(clReleaseKernel(k));
	free(out);
}

static void shapes(void **state)
{
	(void)state;
	check_ids(program, 1, NULL, (size_t[]){96}, (size_t[]){16});
	check_ids(program, 1, (size_t[]){1000}, (size_t[]){77}, (size_t[]){7});
	check_ids(program, 2, NULL, (size_t[]){24, 10}, (size_t[]){8, 2});
	check_ids(program, 2, (size_t[]){3, 5}, (size_t[]){33, 6}, (size_t[]){3, 3});
	check_ids(program, 3, (size_t[]){1, 2, 3}, (size_t[]){8, 6, 4}, (size_t[]){2, 3, 2});
	check_ids(program, 3, NULL, (size_t[]){13, 7, 5}, NULL);
	check_ids(program, 1, NULL, (size_t[]){1}, NULL);
}

/* OpenCL C 3.0 programs may have smaller work-groups at the end; 1.2 programs may not. */
static void non_uniform_work_groups(void **state)
{
	const char *text = source;
	cl_int code;
	cl_program modern = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code), strict;
	(void)state;
	CL_OK(clBuildProgram(modern, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
	check_ids(modern, 1, NULL, (size_t[]){77}, (size_t[]){16});
	check_ids(modern, 2, (size_t[]){4, 0}, (size_t[]){13, 7}, (size_t[]){4, 4});
	check_ids(modern, 3, NULL, (size_t[]){5, 3, 7}, (size_t[]){2, 2, 2});
	strict = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
	CL_OK(clBuildProgram(strict, 0, NULL, "-cl-std=CL3.0 -cl-uniform-work-group-size", NULL, NULL));
	for (int i = 0; i < 2; i++) {
		cl_kernel k = clCreateKernel(i ? strict : program, "lookup", &code);
		cl_mem m = buffer(1024, NULL);
		set_mem(k, 0, m);
		assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &(size_t){77}, &(size_t){16}, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
		CL_OK(clReleaseKernel(k));
		CL_OK(clReleaseMemObject(m));
	}
	CL_OK(clReleaseProgram(modern));
	CL_OK(clReleaseProgram(strict));
}

static void required_size(void **state)
{
	const size_t global[2] = {16, 8}, wrong[2] = {8, 2}, reqd[2] = {4, 2};
	uint32_t out[128];
	cl_kernel k = kernel("sized");
	cl_mem m = buffer(sizeof out, NULL);
	(void)state;
	set_mem(k, 0, m);
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 2, NULL, global, wrong, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, global, reqd, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 2, NULL, global, reqd, 0, NULL, NULL));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
	read_back(m, sizeof out, out);
	for (int i = 0; i < 128; i++)
		assert_int_equal(out[i], 42);
	CL_OK(clReleaseKernel(k));
}

static void local_arguments(void **state)
{
	uint64_t out[4];
	cl_kernel k = kernel("locals");
	cl_mem m = buffer(sizeof out, NULL);
	cl_ulong have;
	(void)state;
	set_mem(k, 0, m);
	CL_OK(clSetKernelArg(k, 1, 5, NULL));
	CL_OK(clSetKernelArg(k, 2, 32, NULL));
	CL_OK(clSetKernelArg(k, 3, 4, NULL));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL));
	/* 5.10: more local memory than there is */
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof have, &have, NULL));
	CL_OK(clSetKernelArg(k, 1, have, NULL));
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &(size_t){1}, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
	read_back(m, sizeof out, out);
	assert_int_equal(out[0], 0);
	assert_int_equal(out[1], 0);
	assert_int_equal(out[2], 1 + 2 + 3 + 5);
	assert_true(out[3] >= 5);
	CL_OK(clReleaseKernel(k));
}

static void launch_errors(void **state)
{
	size_t one = 1, max, big[3];
	cl_kernel k = kernel("lookup");
	cl_mem m = buffer(4096, NULL);
	cl_event e;
	cl_int status;
	(void)state;
	set_mem(k, 0, m);
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof max, &max, NULL));
	assert_int_equal(clEnqueueNDRangeKernel(NULL, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, NULL, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 0, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 4, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 1, &(size_t){SIZE_MAX}, &one, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_OFFSET);
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &(size_t){(size_t)1 << 40}, NULL, 0, NULL, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &(size_t){4}, &(size_t){3}, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &one, &(size_t){0}, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
	big[0] = big[1] = max * 4;
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, big, big, 0, NULL, NULL), CL_INVALID_WORK_ITEM_SIZE);
	big[0] = big[1] = max;
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 2, NULL, big, big, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &one, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
	assert_int_equal(clEnqueueNativeKernel(cl.queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
	/* nothing to do is a command all the same */
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &(size_t){0}, NULL, 0, NULL, &e));
	CL_OK(clWaitForEvents(1, &e));
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	assert_int_equal(status, CL_COMPLETE);
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseMemObject(m));
}

static void task(void **state)
{
	int32_t out[2] = {0, 77};
	cl_kernel k = kernel("lookup");
	cl_mem m = buffer(sizeof out, out);
	cl_command_type type;
	cl_event e;
	(void)state;
	set_mem(k, 0, m);
	CL_OK(clEnqueueTask(cl.queue, k, 0, NULL, &e));
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	assert_int_equal(type, CL_COMMAND_TASK);
	read_back(m, sizeof out, out);
	assert_int_equal(out[0], 3);
	assert_int_equal(out[1], 77);
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseKernel(k));
}

/* ---- faults ---- */

static char message[1024];
static int messages;

static void CL_CALLBACK notify(const char *text, const void *info, size_t size, void *arg)
{
	(void)info, (void)size, (void)arg;
	snprintf(message, sizeof message, "%s", text);
	__atomic_add_fetch(&messages, 1, __ATOMIC_SEQ_CST);
}

static void wait_for_messages(int count)
{
	for (int i = 0; i < 500 && __atomic_load_n(&messages, __ATOMIC_SEQ_CST) < count; i++)
		usleep(10000);
	assert_int_equal(messages, count);
}

/* A work-item that stores where nothing is: its command fails, says who and where, and what comes
 * after works. */
static void out_of_range_access(void **state)
{
	const uint64_t where = 0x123456789000;
	const size_t global = 64, local = 16;
	const char *text = source;
	cl_int code, status;
	int32_t out[64];
	cl_event e, after;
	(void)state;
	cl_context context = clCreateContext(NULL, 1, &cl.device, notify, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, cl.device, NULL, &code);
	cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel bad = clCreateKernel(p, "stray", &code), good = clCreateKernel(p, "lookup", &code);
	cl_kernel scribble = clCreateKernel(p, "scribble", &code);
	cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	set_mem(bad, 0, m);
	CL_OK(clSetKernelArg(bad, 1, sizeof where, &where));
	set_mem(good, 0, m);
	CL_OK(clEnqueueNDRangeKernel(queue, bad, 1, NULL, &global, &local, 0, NULL, &e));
	assert_int_equal(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	assert_true(status < 0);
	wait_for_messages(1);
	assert_non_null(strstr(message, "stray"));
	assert_non_null(strstr(message, "PAGE_NOT_PRESENT"));
	assert_non_null(strstr(message, "0x123456789000"));
	assert_non_null(strstr(message, "work-item (5,0,0)"));
	assert_non_null(strstr(message, "work-group (2,0,0)"));
	/* what waits for it fails too */
	CL_OK(clEnqueueNDRangeKernel(queue, good, 1, NULL, &global, &local, 1, &e, &after));
	assert_int_equal(clWaitForEvents(1, &after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CL_OK(clReleaseEvent(after));
	/* constants are not for writing, nor lost by the attempt */
	set_mem(scribble, 0, m);
	CL_OK(clEnqueueNDRangeKernel(queue, scribble, 1, NULL, &local, NULL, 0, NULL, &after));
	assert_int_equal(clWaitForEvents(1, &after), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	wait_for_messages(2);
	assert_non_null(strstr(message, "scribble"));
	assert_non_null(strstr(message, "PAGE_WRITE"));
	CL_OK(clReleaseEvent(after));
	/* what does not works */
	CL_OK(clEnqueueNDRangeKernel(queue, good, 1, NULL, &global, &local, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
	for (int i = 0; i < 64; i++)
		assert_int_equal(out[i], ((int[]){3, 1, 4, 1, 5, 9, 2, 6})[i % 8]);
	wait_for_messages(2);
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseKernel(scribble));
	CL_OK(clReleaseKernel(bad));
	CL_OK(clReleaseKernel(good));
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseProgram(p));
	CL_OK(clReleaseCommandQueue(queue));
	CL_OK(clReleaseContext(context));
}

/* ---- objects given up early ---- */

/* Everything may be released as soon as the launch is enqueued. */
static void released_while_running(void **state)
{
	uint32_t out[N];
	const uint32_t *in = random_words();
	const char *text = source;
	cl_int code;
	(void)state;
	cl_program p = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel k = clCreateKernel(p, "deep", &code);
	cl_mem a = buffer(N * 4, in), b = buffer(sizeof out, NULL);
	cl_event gate = clCreateUserEvent(cl.context, &code);
	set_mem(k, 0, a);
	set_mem(k, 1, b);
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &(size_t){N}, NULL, 1, &gate, NULL));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseProgram(p));
	CL_OK(clReleaseMemObject(a));
	CL_OK(clFlush(cl.queue));
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CL_OK(clReleaseEvent(gate));
	read_back(b, sizeof out, out);
	for (int i = 0; i < N; i++)
		assert_int_equal(out[i], deep(0, in[i], in[i] % 13));
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 25 };

/* One thread's launches on the shared queue: its own kernel object, its own buffers. */
static void *thread_launches(void *arg)
{
	uint32_t in[64], out[64], ok = 1;
	cl_kernel k = *(cl_kernel *)arg;
	const size_t n = 64;
	cl_int code = 0;
	for (uint32_t r = 0; r < ROUNDS; r++) {
		for (uint32_t i = 0; i < n; i++)
			in[i] = i * 7919 + r + (uint32_t)(uintptr_t)k;
		cl_mem a = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, sizeof in, in, &code);
		cl_mem b = clCreateBuffer(cl.context, 0, sizeof out, NULL, &code);
		code |= clSetKernelArg(k, 0, sizeof a, &a) | clSetKernelArg(k, 1, sizeof b, &b);
		code |= clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &n, NULL, 0, NULL, NULL);
		code |= clReleaseMemObject(a);
		code |= clEnqueueReadBuffer(cl.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
		code |= clReleaseMemObject(b);
		for (uint32_t i = 0; i < n; i++)
			ok &= out[i] == deep(0, in[i], in[i] % 13);
	}
	return (void *)(uintptr_t)(ok && !code);
}

static void several_threads(void **state)
{
	pthread_t thread[THREADS];
	cl_kernel k[THREADS];
	(void)state;
	for (int i = 0; i < THREADS; i++) {
		k[i] = kernel("deep");
		assert_int_equal(pthread_create(&thread[i], NULL, thread_launches, &k[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		void *ok;
		assert_int_equal(pthread_join(thread[i], &ok), 0);
		assert_non_null(ok);
		CL_OK(clReleaseKernel(k[i]));
	}
}

static int setup(void **state)
{
	const char *text = source;
	cl_int code;
	if (cl_test_setup(state))
		return -1;
	seed = cl_test_seed();
	program = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
	return code || clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
}

static int teardown(void **state)
{
	clReleaseProgram(program);
	return cl_test_teardown(state);
}
/* cl_khr_suggested_local_work_size: what a launch without a size gets. */
static void suggested_sizes(void **state)
{
	(void)state;
	static const size_t globals[][3] = {{1024, 1, 1}, {100, 7, 1}, {64, 64, 4}, {13, 1, 1}, {1, 1, 1}, {509, 3, 2}};
	static const char text[] = "kernel void sizes(global uint *p) {\n"
				   "	if (get_global_id(0) + get_global_id(1) + get_global_id(2) == 0)\n"
				   "		for (uint d = 0; d < 3; d++) p[d] = get_local_size(d); }\n"
				   "kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed(global uint *p) { p[0] = 1; }\n";
	clGetKernelSuggestedLocalWorkSizeKHR_fn suggest =
		(clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(cl.platform, "clGetKernelSuggestedLocalWorkSizeKHR");
	size_t local[3] = {0};
	cl_int code;
	assert_non_null(suggest);
	cl_program p = clCreateProgramWithSource(cl.context, 1, (const char *[]){text}, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel k = clCreateKernel(p, "sizes", &code), fixed = clCreateKernel(p, "fixed", &code);
	CL_OK(code);
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 12, NULL, &code);
	CL_OK(code);
	CL_FAILS(CL_INVALID_KERNEL_ARGS, suggest(cl.queue, k, 1, NULL, globals[0], local));
	CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
	CL_OK(clSetKernelArg(fixed, 0, sizeof m, &m));
	for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
		cl_uint got[3];
		CL_OK(suggest(cl.queue, k, 3, NULL, globals[i], local));
		CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 3, NULL, globals[i], NULL, 0, NULL, NULL));
		CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
		for (int d = 0; d < 3; d++)
			assert_int_equal(local[d], got[d]);
	}
	/* only the dimensions asked for are written */
	local[1] = local[2] = 77;
	CL_OK(suggest(cl.queue, k, 1, NULL, globals[0], local));
	assert_true(local[0] > 1 && local[1] == 77 && local[2] == 77);
	CL_OK(suggest(cl.queue, fixed, 2, NULL, globals[2], local));
	assert_true(local[0] == 8 && local[1] == 2);
	CL_FAILS(CL_INVALID_COMMAND_QUEUE, suggest(NULL, k, 1, NULL, globals[0], local));
	CL_FAILS(CL_INVALID_KERNEL, suggest(cl.queue, NULL, 1, NULL, globals[0], local));
	CL_FAILS(CL_INVALID_WORK_DIMENSION, suggest(cl.queue, k, 0, NULL, globals[0], local));
	CL_FAILS(CL_INVALID_WORK_DIMENSION, suggest(cl.queue, k, 4, NULL, globals[0], local));
	CL_FAILS(CL_INVALID_GLOBAL_WORK_SIZE, suggest(cl.queue, k, 1, NULL, NULL, local));
	CL_FAILS(CL_INVALID_GLOBAL_WORK_SIZE, suggest(cl.queue, k, 2, NULL, (const size_t[]){4, 0}, local));
	CL_FAILS(CL_INVALID_GLOBAL_OFFSET, suggest(cl.queue, k, 1, (const size_t[]){SIZE_MAX}, globals[0], local));
	CL_FAILS(CL_INVALID_VALUE, suggest(cl.queue, k, 1, NULL, globals[0], NULL));
	cl_command_queue foreign = clCreateCommandQueueWithProperties(cl.all, cl.device, NULL, &code);
	CL_OK(code);
	CL_FAILS(CL_INVALID_CONTEXT, suggest(foreign, k, 1, NULL, globals[0], local));
	CL_OK(clReleaseCommandQueue(foreign));
	CL_OK(clReleaseMemObject(m));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseKernel(fixed));
	CL_OK(clReleaseProgram(p));
}


int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suggested_sizes),
		cmocka_unit_test(reduction),	       cmocka_unit_test(histogram),
		cmocka_unit_test(atomics),	       cmocka_unit_test(divergent_loops),
		cmocka_unit_test(deep_calls),	       cmocka_unit_test(doubles),
		cmocka_unit_test(halves),	       cmocka_unit_test(floats),
		cmocka_unit_test(shapes),	       cmocka_unit_test(non_uniform_work_groups),
		cmocka_unit_test(required_size),       cmocka_unit_test(local_arguments),
		cmocka_unit_test(launch_errors),       cmocka_unit_test(task),
		cmocka_unit_test(out_of_range_access), cmocka_unit_test(released_while_running),
		cmocka_unit_test(several_threads),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
