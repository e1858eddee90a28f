/* What compiled programs do when they run: each kernel computes something that the host computes,
 * too, bit for bit. Every program is built with and without optimisation, as OpenCL C 1.2 or 3.0. */
#include "testbench/opencl/cl_test.h"
#include <math.h>

enum { N = 256, LOCAL = 64 };

static const char *options_now = "";

static cl_program program_build(const char *source, const char *options)
{
	cl_int code;
	char all[256], log[8192] = "";
	cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
	CL_OK(code);
	snprintf(all, sizeof all, "%s %s", options ? options : "", options_now);
	code = clBuildProgram(program, 1, &cl.device, all, NULL, NULL);
	if (code) {
		clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		fail_msg("build with '%s' failed (%d):\n%s", all, code, log);
	}
	return program;
}

static cl_mem buffer(size_t size, const void *data)
{
	cl_int code;
	static const char zeros[1 << 16];
	assert_true(data || size <= sizeof zeros);
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, (void *)(data ? data : zeros), &code);
	CL_OK(code);
	return m;
}

/* Runs a kernel whose only argument is a buffer of size bytes, in place. */
static void run_program(cl_program program, const char *name, size_t global, size_t local, void *data, size_t size)
{
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, name, &code);
	CL_OK(code);
	cl_mem m = buffer(size, data);
	CL_OK(clSetKernelArg(kernel, 0, sizeof m, &m));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, size, data, 0, NULL, NULL));
	clReleaseMemObject(m);
	clReleaseKernel(kernel);
}

static void run(const char *source, const char *options, void *data, size_t size)
{
	cl_program program = program_build(source, options);
	run_program(program, "k", N, LOCAL, data, size);
	clReleaseProgram(program);
}

static void expect_ints(const int32_t *got, const int32_t *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (got[i] != want[i])
			fail_msg("element %zu is %d, expected %d", i, got[i], want[i]);
}

static void atomics_1x(void **state)
{
	(void)state;
	/* every operation by every work-item, in global memory and in local memory */
	static const char source[] =
		"#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
		"#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
		"#define ALL(P, A) { int i = get_global_id(0);\\\n"
		"  A##add(P, i); A##sub(P + 1, i); A##inc(P + 2); A##dec(P + 3); A##min(P + 4, i - 100); A##max(P + 5, i);\\\n"
		"  A##and(P + 6, ~(1 << (i & 15))); A##or(P + 7, 1 << (i & 15)); A##xor(P + 8, i); A##xchg(P + 9, 7);\\\n"
		"  A##cmpxchg(P + 10, 0, 5); A##cmpxchg(P + 11, 1, 5); }\n"
		"kernel void k(global int *g) {\n"
		"  local int l[16]; local uint u[16]; local long q[16]; int t = get_local_id(0);\n"
		"  volatile global uint *gu = (volatile global uint *)g + 16; volatile global long *gq = (volatile global long *)(g + 32);\n"
		"  ALL(g, atomic_) ALL(gu, atomic_) ALL(gq, atom_)\n"
		"  if (t < 16) { l[t] = 0; u[t] = 0; q[t] = 0; } barrier(CLK_LOCAL_MEM_FENCE);\n"
		"  ALL(l, atomic_) ALL(u, atomic_) ALL(q, atom_)\n"
		"  barrier(CLK_LOCAL_MEM_FENCE);\n"
		"  if (get_group_id(0) == 1 && t < 16) { g[64 + t] = l[t]; g[80 + t] = u[t]; g[96 + t] = (int)q[t]; }\n"
		"}\n";
	int32_t data[112] = { 0 }, want[112] = { 0 };
	run(source, NULL, data, sizeof data);
	for (int part = 0; part < 6; part++) {
		bool whole = part < 3;
		int from = whole ? 0 : LOCAL, to = whole ? N : 2 * LOCAL;
		int64_t x[16] = { 0 };
		for (int64_t i = from; i < to; i++) {
			x[0] += i, x[1] -= i, x[2]++, x[3]--;
			if (part % 3 == 1) { /* unsigned */
				x[4] = (uint32_t)x[4] < (uint32_t)(i - 100) ? x[4] : i - 100;
			} else {
				x[4] = x[4] < i - 100 ? x[4] : i - 100;
			}
			x[5] = x[5] > i ? x[5] : i;
			x[6] &= ~(1ll << (i & 15)), x[7] |= 1ll << (i & 15), x[8] ^= i, x[9] = 7, x[10] = 5;
		}
		for (int e = 0; e < 12; e++) {
			if (part == 2)
				memcpy(&want[32 + 2 * e], &x[e], 8);
			else
				want[(int[]){ 0, 16, 0, 64, 80, 96 }[part] + e] = (int32_t)x[e];
		}
	}
	expect_ints(data, want, 112);
}

static void atomics_c11(void **state)
{
	(void)state;
	static const char source[] =
		"kernel void k(global int *g) {\n"
		"  int i = get_global_id(0); local atomic_int l; local atomic_flag f; local int guarded;\n"
		"  volatile global atomic_int *a = (volatile global atomic_int *)g;\n"
		"  atomic_int *any = (atomic_int *)a;\n"
		"  if (!get_local_id(0)) { atomic_init(&l, 10); atomic_flag_clear(&f); guarded = 0; }\n"
		"  work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
		"  atomic_fetch_add(a, 1); atomic_fetch_sub_explicit(a + 1, 2, memory_order_relaxed);\n"
		"  atomic_fetch_or_explicit(any + 2, 1 << (i & 15), memory_order_acq_rel, memory_scope_device);\n"
		"  atomic_fetch_max(any + 3, i); atomic_fetch_min(a + 4, -i); atomic_fetch_xor(any + 5, i);\n"
		"  atomic_fetch_add_explicit(&l, i, memory_order_relaxed, memory_scope_work_group);\n"
		"  /* a float counted up by compare and exchange */\n"
		"  volatile global atomic_float *x = (volatile global atomic_float *)(g + 6); float was = atomic_load(x);\n"
		"  while (!atomic_compare_exchange_weak(x, &was, was + 0.5f)) ;\n"
		"  volatile global atomic_double *y = (volatile global atomic_double *)(g + 8);\n"
		"  double seen = atomic_load_explicit(y, memory_order_relaxed);\n"
		"  while (!atomic_compare_exchange_strong_explicit(y, &seen, seen + 0.25, memory_order_acq_rel, memory_order_acquire,\n"
		"         memory_scope_device)) ;\n"
		"  /* a lock that one work-item of each group takes */\n"
		"  if (!atomic_flag_test_and_set_explicit(&f, memory_order_acquire)) guarded++;\n"
		"  work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
		"  if (!get_local_id(0)) { atomic_store_explicit(a + 10 + get_group_id(0), atomic_load(&l), memory_order_release);\n"
		"    atomic_fetch_add(a + 14, guarded); atomic_exchange(a + 15, 3); } }\n";
	int32_t data[16] = { 0 }, want[16] = { 0 };
	run(source, "-cl-std=CL3.0", data, sizeof data);
	want[0] = N, want[1] = -2 * N, want[2] = 0xffff, want[3] = N - 1, want[4] = 1 - N, want[15] = 3, want[14] = N / LOCAL;
	float f = 0.5f * N;
	double d = 0.25 * N;
	memcpy(&want[6], &f, 4);
	memcpy(&want[8], &d, 8);
	for (int i = 0; i < N; i++) {
		want[5] ^= i;
		want[10 + i / LOCAL] += i;
	}
	for (int g = 0; g < N / LOCAL; g++)
		want[10 + g] += 10;
	expect_ints(data, want, 16);
}

/* Frames of called functions, too large for registers, different in every work-item. */
static void private_memory(void **state)
{
	(void)state;
	static const char source[] =
		"__attribute__((noinline)) int leaf(int n, int seed) { int a[37]; for (int i = 0; i < 37; i++) a[i] = i * seed;\n"
		"  int s = 0; for (int i = 0; i < n; i++) s += a[(i * 7) % 37]; return s; }\n"
		"__attribute__((noinline)) int middle(int n, int seed) { long16 v[3]; int b[50];\n"
		"  for (int i = 0; i < 50; i++) b[i] = leaf(i, seed + i);\n"
		"  for (int i = 0; i < 3; i++) v[i] = (long16)(seed + i);\n"
		"  v[n % 3].s5 = 1000; return b[n % 50] + leaf(n, seed) + (int)(v[0].s5 + v[1].s6 + v[2].sf); }\n"
		"kernel void k(global int *g) { int i = get_global_id(0); int x[600];\n"
		"  for (int j = 0; j < 600; j++) x[j] = j ^ i;\n"
		"  int m = middle(i % 41, i + 3); int s = 0; for (int j = 0; j < i; j++) s += x[(j * 13 + i) % 600];\n"
		"  g[i] = m + s; }\n";
	int32_t data[N] = { 0 }, want[N];
	run(source, NULL, data, sizeof data);
	for (int i = 0; i < N; i++) {
		int n = i % 41, seed = i + 3, s = 0, leaf1 = 0, leaf2 = 0;
		for (int j = 0; j < n % 50; j++)
			leaf1 += j * 7 % 37 * (seed + n % 50);
		for (int j = 0; j < n; j++)
			leaf2 += j * 7 % 37 * seed;
		int v = (n % 3 == 0 ? 1000 : seed) + seed + 1 + seed + 2;
		for (int j = 0; j < i; j++)
			s += ((j * 13 + i) % 600) ^ i;
		want[i] = leaf1 + leaf2 + v + s;
	}
	expect_ints(data, want, N);
}

struct by_value { int32_t a; int16_t b[5]; double d; char c; };

static void arguments_by_value(void **state)
{
	(void)state;
	static const char source[] =
		"typedef struct { int a; short b[5]; double d; char c; } s;\n"
		"s change(s x, int i) { x.a += i; x.b[i % 5] = i; return x; }\n"
		"kernel void k(char c, s x, global int *g, float3 v, ulong q, uchar16 u, s y, short h) {\n"
		"  int i = get_global_id(0); s z = change(x, i); x.b[2] += i; /* the work-item's own */\n"
		"  g[i] = c + x.a + x.b[2] + (int)x.d + x.c + z.a + z.b[i % 5] + (int)(v.x + v.y * 2 + v.z * 4) + (int)(q >> 32)\n"
		"       + u.sf + y.b[i % 5] + h; }\n";
	cl_program program = program_build(source, NULL);
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, "k", &code);
	CL_OK(code);
	/* static: the bytes between the members reach the device too, and are then the same on every run */
	static struct by_value x = { 5, { 1, 2, 3, 4, 5 }, 7.0, 9 }, y = { 0, { 10, 20, 30, 40, 50 }, 0, 0 };
	float v[4] = { 1, 2, 3, 99 };
	uint64_t q = 6ull << 32 | 77;
	uint8_t u[16] = { [15] = 200 };
	int16_t h = -300;
	char c = -7;
	int32_t data[N] = { 0 }, want[N];
	cl_mem m = buffer(sizeof data, NULL);
	CL_OK(clSetKernelArg(kernel, 0, 1, &c));
	CL_OK(clSetKernelArg(kernel, 1, sizeof x, &x));
	CL_OK(clSetKernelArg(kernel, 2, sizeof m, &m));
	CL_OK(clSetKernelArg(kernel, 3, 16, v));
	CL_OK(clSetKernelArg(kernel, 4, 8, &q));
	CL_OK(clSetKernelArg(kernel, 5, 16, u));
	CL_OK(clSetKernelArg(kernel, 6, sizeof y, &y));
	CL_OK(clSetKernelArg(kernel, 7, 2, &h));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &(size_t){ N }, &(size_t){ LOCAL }, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
	for (int i = 0; i < N; i++)
		want[i] = c + 5 + (int16_t)(3 + i) + 7 + 9 + 5 + i + i + 17 + 6 + 200 + y.b[i % 5] + h;
	expect_ints(data, want, N);
	clReleaseMemObject(m);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

/* Variables of the program live as long as it does; so does what is in them. */
static void program_variables(void **state)
{
	(void)state;
	static const char source[] =
		"global int counter = 5; global int table[4] = {1, 2, 3, 4}; global int *global where = &table[2];\n"
		"constant int squares[5] = {0, 1, 4, 9, 16}; constant char *constant words[2] = {\"ab\", \"xyz\"};\n"
		"kernel void k(global int *g) { int i = get_global_id(0); static global int calls;\n"
		"  atomic_add((volatile global int *)&counter, 1); atomic_add((volatile global int *)&calls, 2);\n"
		"  if (i == 0) { *where += 10; g[4] = words[i][1] + words[i + 1][2]; }\n"
		"  barrier(CLK_GLOBAL_MEM_FENCE);\n"
		"  if (i == 0) { g[2] = *where; g[3] = squares[table[3]]; } }\n"
		"kernel void read(global int *g) { if (get_global_id(0) == 0) g[0] = counter; g[1] = where - table; }\n";
	cl_program program = program_build(source, "-cl-std=CL3.0");
	for (int round = 1; round <= 3; round++) {
		int32_t data[8] = { 0 };
		run_program(program, "k", N, LOCAL, data, sizeof data);
		assert_int_equal(data[2], 3 + 10 * round);
		assert_int_equal(data[3], 16);
		assert_int_equal(data[4], 'b' + 'z');
		run_program(program, "read", N, LOCAL, data, sizeof data);
		assert_int_equal(data[0], 5 + N * round);
		assert_int_equal(data[1], 2);
	}
	clReleaseProgram(program);
}

static void generic_pointers(void **state)
{
	(void)state;
	static const char source[] =
		"int sum(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n"
		"kernel void k(global int *g) { int i = get_global_id(0); local int l[64]; int own[8]; int t = get_local_id(0);\n"
		"  for (int j = 0; j < 8; j++) own[j] = i + j; l[t] = i * 2; barrier(CLK_LOCAL_MEM_FENCE);\n"
		"  int *p = i % 3 == 0 ? (int *)own : i % 3 == 1 ? (int *)(l + (t & 56)) : (int *)g + 256;\n"
		"  float whole; float part = fract(i + 0.25f, &whole);\n"
		"  g[i] = sum(p, 8) + (int)whole + (part == 0.25f); }\n";
	int32_t data[N + 8], want[N];
	for (int i = 0; i < N + 8; i++)
		data[i] = i < N ? 0 : i;
	run(source, "-cl-std=CL3.0", data, sizeof data);
	for (int i = 0; i < N; i++) {
		want[i] = i + 1;
		for (int j = 0; j < 8; j++)
			want[i] += i % 3 == 0 ? i + j : i % 3 == 1 ? (i / LOCAL * LOCAL + (i % LOCAL & 56) + j) * 2 : N + j;
	}
	expect_ints(data, want, N);
}

/* Branches of every kind, that differ between neighbours. */
static void divergence(void **state)
{
	(void)state;
	static const char source[] =
		"int step(int x) { switch (x % 11) { case 0: return x / 2; case 1: return 3 * x + 1; case 2: return x - 7;\n"
		"  case 3: return x ^ 0x55; case 4: return -x; case 5: return x << 1; case 6: return x + 100; case 7: return ~x;\n"
		"  case 8: return x * x; case 9: return x >> 2; } return x & 0xffff; }\n"
		"kernel void k(global int *g) { int i = get_global_id(0), x = i, s = 0;\n"
		"  for (int n = 0; n < 20 + i % 50; n++) { x = step(x & 0xffff); if (x % 5 == 0) continue; if (x == 77) break; s += x; }\n"
		"  int c = 0; for (uint v = i * 7 + 1; v != 1; v = v & 1 ? 3 * v + 1 : v / 2) c++;\n"
		"  do { s ^= c; c -= 3; } while (c > i % 7);\n"
		"  g[i] = s; }\n";
	int32_t data[N] = { 0 }, want[N];
	run(source, NULL, data, sizeof data);
	for (int i = 0; i < N; i++) {
		int32_t x = i, s = 0, c = 0;
		for (int n = 0; n < 20 + i % 50; n++) {
			x &= 0xffff;
			switch (x % 11) {
			case 0: x = x / 2; break;
			case 1: x = 3 * x + 1; break;
			case 2: x = x - 7; break;
			case 3: x = x ^ 0x55; break;
			case 4: x = -x; break;
			case 5: x = (int32_t)((uint32_t)x << 1); break;
			case 6: x = x + 100; break;
			case 7: x = ~x; break;
			case 8: x = (int32_t)((uint32_t)x * (uint32_t)x); break;
			case 9: x = x >> 2; break;
			default: x = x & 0xffff; break;
			}
			if (x % 5 == 0)
				continue;
			if (x == 77)
				break;
			s = (int32_t)((uint32_t)s + (uint32_t)x);
		}
		for (uint32_t v = (uint32_t)i * 7 + 1; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
			c++;
		do {
			s ^= c;
			c -= 3;
		} while (c > i % 7);
		want[i] = s;
	}
	expect_ints(data, want, N);
}

/* Copies and fills long enough to be calls, of every alignment; remainders. */
static void runtime_calls(void **state)
{
	(void)state;
	static const char source[] =
		"typedef struct { int a[60]; } large; typedef struct { char c[101]; } odd;\n"
		"kernel void k(global int *g) { int i = get_global_id(0); large x = {{0}}, y; odd o = {{0}}, p;\n"
		"  for (int j = 0; j < 60; j++) x.a[j] = i + j; y = x; y.a[i % 60] = -1;\n"
		"  for (int j = 0; j < 101; j++) o.c[j] = i + j; p = o; p.c[i % 101] = 5;\n"
		"  int s = 0; for (int j = 0; j < 60; j++) s += y.a[j] * (j + 1) - x.a[j]; for (int j = 0; j < 101; j++) s += p.c[j] - o.c[j];\n"
		"  volatile float f = i * 1.75f; volatile double d = i * 2.5; s += (int)fmod(f, 3.0f) + (int)fmod(d, 7.0);\n"
		"  g[i] = s; }\n";
	int32_t data[N] = { 0 }, want[N];
	run(source, NULL, data, sizeof data);
	for (int i = 0; i < N; i++) {
		int s = 0;
		for (int j = 0; j < 60; j++)
			s += (j == i % 60 ? -1 : i + j) * (j + 1) - (i + j);
		s += 5 - (int8_t)(i + i % 101);
		want[i] = s + (int)fmodf((float)i * 1.75f, 3.0f) + (int)fmod(i * 2.5, 7.0);
	}
	expect_ints(data, want, N);
}

static void work_items(void **state)
{
	(void)state;
	static const char source[] =
		"kernel void k(global long *g) { size_t n = 0; for (int d = 0; d < 4; d++)\n"
		"  n = n * 31 + get_global_id(d) + 3 * get_local_id(d) + 5 * get_group_id(d) + 7 * get_global_size(d) + 11 * get_local_size(d)\n"
		"    + 13 * get_num_groups(d) + 17 * get_global_offset(d) + 19 * get_enqueued_local_size(d);\n"
		"  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1), z = get_global_id(2) - get_global_offset(2);\n"
		"  g[(z * get_global_size(1) + y) * get_global_size(0) + x] = n * 100 + get_work_dim() * 10\n"
		"    + (get_global_linear_id() == (z * get_global_size(1) + y) * get_global_size(0) + x)\n"
		"    + (get_local_linear_id() == (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0)); }\n";
	static const size_t global[3] = { 24, 10, 6 }, local[3] = { 8, 5, 2 }, offset[3] = { 100, 20, 3 };
	cl_program program = program_build(source, "-cl-std=CL3.0");
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, "k", &code);
	CL_OK(code);
	int64_t data[24 * 10 * 6];
	cl_mem m = buffer(sizeof data, NULL);
	CL_OK(clSetKernelArg(kernel, 0, sizeof m, &m));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, kernel, 3, offset, global, local, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
	for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
		size_t at[4] = { i % 24, i / 24 % 10, i / 240, 0 }, n = 0;
		for (int d = 0; d < 4; d++) {
			bool real = d < 3;
			size_t size = real ? global[d] : 1, group = real ? local[d] : 1, base = real ? offset[d] : 0;
			n = n * 31 + (at[d] + base) + 3 * (at[d] % group) + 5 * (at[d] / group) + 7 * size + 11 * group +
			    13 * (size / group) + 17 * base + 19 * group;
		}
		assert_int_equal(data[i], n * 100 + 32);
	}
	clReleaseMemObject(m);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

/* Every half to float, and rounding of floats to half, against the host's. */
static void halves(void **state)
{
	(void)state;
	static const char source[] =
		"kernel void k(global int *g) { global half *h = (global half *)g; global float *f = (global float *)(g + 32768);\n"
		"  for (int i = get_global_id(0); i < 65536; i += get_global_size(0)) f[i] = vload_half(i, h); }\n"
		"kernel void back(global int *g) { global half *h = (global half *)g; global float *f = (global float *)(g + 32768);\n"
		"  for (int i = get_global_id(0); i < 65536; i += get_global_size(0)) vstore_half_rte(f[i], i, h); }\n";
	size_t size = 65536 * 6;
	uint16_t *h = malloc(size), *again = malloc(size);
	float *f = (float *)(h + 65536);
	for (int i = 0; i < 65536; i++)
		h[i] = (uint16_t)i;
	cl_program program = program_build(source, NULL);
	run_program(program, "k", N, LOCAL, h, size);
	for (int i = 0; i < 65536; i++) {
		int e = i >> 10 & 31, m = i & 1023;
		float want = e == 31 ? (m ? NAN : INFINITY) : ldexpf((float)(e ? m + 1024 : m), (e ? e : 1) - 25);
		want = i >> 15 ? -want : want;
		assert_true(isnan(want) ? isnan(f[i]) : f[i] == want && signbit(f[i]) == signbit(want));
	}
	memcpy(again, h, size);
	memset(again, 0x5a, 65536 * 2);
	run_program(program, "back", N, LOCAL, again, size);
	for (int i = 0; i < 65536; i++)
		assert_true(again[i] == i || (isnan(f[i]) && (again[i] & 0x7c00) == 0x7c00 && (again[i] & 0x3ff)));
	free(h);
	free(again);
	clReleaseProgram(program);
}

/* Double precision, exactly as IEEE 754 has it. */
static void doubles(void **state)
{
	(void)state;
	static const char source[] =
		"#pragma OPENCL FP_CONTRACT OFF\n"
		"kernel void k(global double *g) { int i = get_global_id(0); double a = g[2 * i], b = g[2 * i + 1];\n"
		"  g[2 * i] = (a + b) * (a - b) / (b + 3.0) + sqrt(fabs(a)); g[2 * i + 1] = fma(a, b, -a * b) + (double)(float)a + (long)b; }\n";
	double data[2 * N], want[2 * N];
	uint64_t seed = cl.seed;
	for (int i = 0; i < N; i++) {
		double a = (double)(int64_t)splitmix64(&seed) / 0x1p40, b = (double)(int64_t)splitmix64(&seed) / 0x1p50;
		data[2 * i] = a;
		data[2 * i + 1] = b;
		want[2 * i] = (a + b) * (a - b) / (b + 3.0) + sqrt(fabs(a));
		want[2 * i + 1] = fma(a, b, -a * b) + (double)(float)a + (double)(int64_t)b;
	}
	run(source, NULL, data, sizeof data);
	assert_memory_equal(data, want, sizeof data);
}

static void barriers_and_local_memory(void **state)
{
	(void)state;
	/* scan by doubling: every step reads what another work-item wrote in the step before */
	static const char source[] =
		"kernel void k(global int *g) { local int a[64], b[64]; local int total; int t = get_local_id(0);\n"
		"  local int *from = a, *to = b; from[t] = g[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
		"  for (int d = 1; d < 64; d *= 2) { to[t] = from[t] + (t >= d ? from[t - d] : 0); barrier(CLK_LOCAL_MEM_FENCE);\n"
		"    local int *x = from; from = to; to = x; }\n"
		"  if (t == 63) total = from[63]; barrier(CLK_LOCAL_MEM_FENCE); g[get_global_id(0)] = from[t] + total; }\n";
	int32_t data[N], want[N];
	for (int i = 0; i < N; i++)
		data[i] = (i * 37) % 101 - 50;
	for (int g = 0; g < N; g += LOCAL) {
		int sum = 0;
		for (int i = g; i < g + LOCAL; i++)
			want[i] = sum += data[i];
		for (int i = g; i < g + LOCAL; i++)
			want[i] += sum;
	}
	run(source, NULL, data, sizeof data);
	expect_ints(data, want, N);
}

/* Vectors that are loaded, stored and copied by words: in the parts that they are taken to and put together from,
 * at addresses that fit their type, vload's that fit an element, and packed ones. */
static void vectors_in_memory(void **state)
{
	(void)state;
	static const char source[] =
		"kernel void k(global uchar *g) { int i = get_global_id(0); if (i >= 64) return; global uchar *p = g + 256 * i;\n"
		"  global uchar4 *c = (global uchar4 *)p; uchar4 a = c[0]; c[1] = a; c[2] = a.wzyx + (uchar4)(1, 2, 3, 4);\n"
		"  global short2 *s = (global short2 *)(p + 16); short2 b = s[0]; s[1] = (short2)(b.y, -b.x);\n"
		"  global ushort4 *u = (global ushort4 *)(p + 32); u[1] = u[0]; u[2] = u[0] >> (ushort4)(1, 2, 3, 4);\n"
		"  global char16 *w = (global char16 *)(p + 64); w[1] = w[0]; w[2].odd = -w[0].even; w[2].even = w[0].odd;\n"
		"  global float4 *f = (global float4 *)(p + 112 + 16); f[1] = f[0]; f[2] = f[0].wzyx;\n"
		"  global uchar2 *h = (global uchar2 *)(p + 192); h[1] = h[0].yx;\n"
		"  vstore4(vload4(0, p + 1), 0, p + 201); vstore3(vload3(0, (global short *)(p + 34)), 0, (global short *)(p + 210));\n"
		"  global uchar3 *t = (global uchar3 *)(p + 220); t[1] = t[0].zyx; }\n";
	static unsigned char data[64 * 256], want[64 * 256];
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = want[i] = (unsigned char)(i * 2654435761u >> 16 & 0x7f);
	for (int i = 0; i < 64; i++) {
		unsigned char *p = want + 256 * i;
		int16_t s[2];
		uint16_t u[4];
		memcpy(p + 4, p, 4);
		for (int e = 0; e < 4; e++)
			p[8 + e] = (unsigned char)(p[3 - e] + e + 1);
		memcpy(s, p + 16, 4);
		memcpy(p + 20, (int16_t[]){ s[1], (int16_t)-s[0] }, 4);
		memcpy(u, p + 32, 8);
		memcpy(p + 40, u, 8);
		for (int e = 0; e < 4; e++)
			u[e] >>= e + 1;
		memcpy(p + 48, u, 8);
		memcpy(p + 80, p + 64, 16);
		for (int e = 0; e < 8; e++) {
			p[96 + 2 * e] = p[64 + 2 * e + 1];
			p[96 + 2 * e + 1] = (unsigned char)-p[64 + 2 * e];
		}
		memcpy(p + 144, p + 128, 16);
		for (int e = 0; e < 4; e++)
			memcpy(p + 160 + 4 * e, p + 128 + 4 * (3 - e), 4);
		p[194] = p[193];
		p[195] = p[192];
		memcpy(p + 201, p + 1, 4);
		memcpy(p + 210, p + 34, 6);
		for (int e = 0; e < 3; e++)
			p[224 + e] = p[222 - e];
		p[227] = data[256 * i + 227];
	}
	run(source, NULL, data, sizeof data);
	for (size_t i = 0; i < sizeof data; i++)
		if (i % 256 != 227 && data[i] != want[i]) /* the fourth byte of a uchar3 is nobody's */
			fail_msg("byte %zu of item %zu is %d, expected %d", i % 256, i / 256, data[i], want[i]);
}

/* Conditions that a loop does not change, the same for all lanes or not, loops of every number of turns, and loops
 * with several exits, which lanes take in different turns. */
static void loops(void **state)
{
	(void)state;
	static const char source[] =
		"kernel void k(global int *g) { int i = get_global_id(0), s = 0; global const int *t = g + 256; int mode = t[0];\n"
		"  for (int j = 0; j < i % 23; j++) { if (mode == 3) s += t[j]; else s -= j; if (i & 1) s ^= j << 3; if (i % 5 == 2) s += 7; }\n"
		"  for (uint j = get_group_id(0); j < 19; j++) { switch (get_local_size(0)) { case 64: s += j; break; case 32: s *= 3; break; default: s--; } }\n"
		"  int n = 0; float x = 0.0f, c = 0.01f * i; while (n < 37) { x = x * x + c; if (x > 2.0f) break; n++; if (s + n == 55) { n += 100; break; } }\n"
		"  int found = -1; for (int j = 0; j < 29; j++) if (t[j] == i % 40) { found = j; break; }\n"
		"  g[i] = s * 1000 + n + found * 100000; }\n";
	int32_t data[N + 32], want[N];
	for (int i = 0; i < N + 32; i++)
		data[i] = i < N ? 0 : (i - N) * 17 % 41 + 3;
	for (int i = 0; i < N; i++) {
		const int32_t *t = data + N;
		int32_t s = 0, n = 0, found = -1;
		for (int j = 0; j < i % 23; j++) {
			s += t[0] == 3 ? t[j] : -j;
			if (i & 1)
				s ^= j << 3;
			if (i % 5 == 2)
				s += 7;
		}
		for (int j = i / LOCAL; j < 19; j++)
			s += j;
		float x = 0.0f, c = 0.01f * (float)i;
		while (n < 37) {
			x = fmaf(x, x, c);
			if (x > 2.0f)
				break;
			n++;
			if (s + n == 55) {
				n += 100;
				break;
			}
		}
		for (int j = 0; j < 29; j++)
			if (t[j] == i % 40) {
				found = j;
				break;
			}
		want[i] = s * 1000 + n + found * 100000;
	}
	run(source, NULL, data, sizeof data);
	expect_ints(data, want, N);
}

/* More constants than registers, of both widths, in every block, and as what a branch decides between. */
static void many_constants(void **state)
{
	(void)state;
	static const char source[] =
		"kernel void k(global int *g) { int i = get_global_id(0); float x = i, f; double d = 0.1 + i * 1.7;\n"
		"  switch (i % 7) { case 0: case 3: f = 1.3f; break; case 1: f = 2.7f; d += 3.3; break; case 4: f = -0.45f; d *= 0.7; break;\n"
		"    default: f = 9.81f; }\n"
		"  f += i & 1 ? 0.123f : 4.567f; d = d > 100.1 ? d - 99.9 : d + 1.0;\n"
		"  for (int n = 0; n < 3; n++) { f = f * 0.37f + 1.1f; d = d * 0.25 - 1.5; }\n"
		"  g[i] = as_int(f) ^ as_int2(d).x ^ as_int2(d).y; }\n";
	int32_t data[N] = { 0 }, want[N];
	for (int i = 0; i < N; i++) {
		double d = fma((double)i, 1.7, 0.1);
		float f;
		int32_t word[2], bits;
		switch (i % 7) {
		case 0: case 3: f = 1.3f; break;
		case 1: f = 2.7f; d += 3.3; break;
		case 4: f = -0.45f; d *= 0.7; break;
		default: f = 9.81f;
		}
		f += i & 1 ? 0.123f : 4.567f;
		d = d > 100.1 ? d - 99.9 : d + 1.0;
		for (int n = 0; n < 3; n++) {
			f = fmaf(f, 0.37f, 1.1f);
			d = fma(d, 0.25, -1.5);
		}
		memcpy(&bits, &f, 4);
		memcpy(word, &d, 8);
		want[i] = bits ^ word[0] ^ word[1];
	}
	run(source, NULL, data, sizeof data);
	expect_ints(data, want, N);
}

/* A vector of which a part was never set goes through builtins; what depends on the part that was, is done, and
 * nothing is taken for impossible because of the rest. */
static void vectors_set_in_part(void **state)
{
	(void)state;
	static const char source[] =
		"kernel void k(global int *data) {\n"
		"  size_t i = get_global_id(0);\n"
		"  global float *in = (global float *)data + i * 2;\n"
		"  float3 v;\n"
		"  if ((i & 1) == 0) v.y = in[1];\n"
		"  v.x = in[0];\n"
		"  short3 r = convert_short3_rtp(v);\n"
		"  data[i * 2] = r.x;\n"
		"  if ((i & 1) == 0) data[i * 2 + 1] = r.y;\n"
		"}\n";
	static int32_t data[2 * N], want[2 * N];
	for (int i = 0; i < 2 * N; i++) {
		float f = (float)i * 0.5f - 64;
		memcpy(&data[i], &f, 4);
		want[i] = i % 4 == 3 ? data[i] : (int32_t)ceilf(f);
	}
	run(source, NULL, data, sizeof data);
	expect_ints(data, want, 2 * N);
}

/* A division by zero, or of the least number by -1, gives any value and does nothing else (OpenCL C 6.3.a): not to
 * the other elements of a vector, nor to the code around it. */
static void divisions(void **state)
{
	(void)state;
	static const char source[] =
		"#define DIVIDE(T) kernel void k_##T(global T *data) {\\\n"
		"  size_t i = get_global_id(0);\\\n"
		"  global T##4 *v = (global T##4 *)data;\\\n"
		"  T##4 a = v[i], b = v[i + 256];\\\n"
		"  v[i] = a / b; v[i + 256] = a % b; }\n"
		"DIVIDE(char) DIVIDE(uchar) DIVIDE(short) DIVIDE(ushort) DIVIDE(int) DIVIDE(uint) DIVIDE(long) DIVIDE(ulong)\n"
		"kernel void k_known(global int *data) {\n"
		"  int divisor = 0;\n"
		"  if (data[2 * get_global_id(0)] & 4) divisor = 3;\n"
		"  volatile int unused = data[2 * get_global_id(0)] / divisor;\n"
		"  data[2 * get_global_id(0) + 1] = divisor == 0 ? 7 : 8;\n"
		"}\n";
	static int64_t data[2 * 4 * N], got[2 * 4 * N];
	static const char *const names[] = { "k_char", "k_uchar", "k_short", "k_ushort", "k_int", "k_uint", "k_long", "k_ulong" };
	cl_program program = program_build(source, NULL);
	for (unsigned t = 0; t < 8; t++) {
		unsigned bits = 8u << t / 2, bytes = bits / 8;
		uint64_t low = bits == 64 ? UINT64_MAX : (1ull << bits) - 1, top = 1ull << (bits - 1), seed = t;
		static const uint64_t divisors[] = { 0, UINT64_MAX, 1, 3, 7 };
		uint64_t a[4 * N], b[4 * N];
		for (unsigned i = 0; i < 4 * N; i++) {
			a[i] = (i % 7 ? splitmix64(&seed) : top) & low;
			b[i] = (i % 6 < 5 ? divisors[i % 6] : splitmix64(&seed)) & low;
			memcpy((char *)data + i * bytes, &a[i], bytes);
			memcpy((char *)data + (i + 1024) * bytes, &b[i], bytes);
		}
		memcpy(got, data, sizeof data);
		run_program(program, names[t], N, LOCAL, got, (size_t)2 * 4 * N * bytes);
		for (unsigned i = 0; i < 4 * N; i++) {
			uint64_t quotient = 0, rest = 0;
			if (!b[i] || (t % 2 == 0 && b[i] == low && a[i] == top))
				continue;
			memcpy(&quotient, (char *)got + i * bytes, bytes);
			memcpy(&rest, (char *)got + (i + 1024) * bytes, bytes);
			/* shifted up, so that the sign is the host's */
			int64_t x = (int64_t)(a[i] << (64 - bits)) >> (64 - bits), y = (int64_t)(b[i] << (64 - bits)) >> (64 - bits);
			uint64_t want = (t % 2 ? a[i] / b[i] : (uint64_t)(x / y)) & low;
			uint64_t want_rest = (t % 2 ? a[i] % b[i] : (uint64_t)(x % y)) & low;
			if (quotient != want || rest != want_rest)
				fail_msg("%s: element %u: %llx by %llx is %llx, rest %llx, expected %llx, rest %llx", names[t], i,
					 (unsigned long long)a[i], (unsigned long long)b[i], (unsigned long long)quotient,
					 (unsigned long long)rest, (unsigned long long)want, (unsigned long long)want_rest);
		}
	}
	static int32_t known[2 * N], want[2 * N];
	for (int i = 0; i < N; i++) {
		known[2 * i] = want[2 * i] = i;
		want[2 * i + 1] = i & 4 ? 8 : 7;
	}
	run_program(program, "k_known", N, LOCAL, known, sizeof known);
	expect_ints(known, want, 2 * N);
	clReleaseProgram(program);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(atomics_1x),
		cmocka_unit_test(atomics_c11),
		cmocka_unit_test(private_memory),
		cmocka_unit_test(arguments_by_value),
		cmocka_unit_test(program_variables),
		cmocka_unit_test(generic_pointers),
		cmocka_unit_test(divergence),
		cmocka_unit_test(runtime_calls),
		cmocka_unit_test(work_items),
		cmocka_unit_test(halves),
		cmocka_unit_test(doubles),
		cmocka_unit_test(barriers_and_local_memory),
		cmocka_unit_test(vectors_in_memory),
		cmocka_unit_test(loops),
		cmocka_unit_test(many_constants),
		cmocka_unit_test(vectors_set_in_part),
		cmocka_unit_test(divisions),
	};
	cl_test_init(argc, argv);
	int failed = cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
	options_now = "-cl-opt-disable";
	return failed + cmocka_run_group_tests_name("not optimised", tests, cl_test_setup, cl_test_teardown);
}
