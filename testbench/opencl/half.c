/* cl_khr_fp16: halves as values. Arithmetic against exact integers, arguments and results of kernels and
 * functions, images, copies. The builtins are tested by testbench/builtins and testbench/math. */
#include "testbench/opencl/cl_test.h"
#include <CL/cl_half.h>
#include <math.h>

#define ENABLE "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"

static const char source[] =
	ENABLE
	"#if !defined(cl_khr_fp16) || !defined(FP_FAST_FMA_HALF) || HALF_MANT_DIG != 11\n#error no half\n#endif\n"
	/* every operation rounds: no sum of them may be kept wider */
	"kernel void arithmetic(global const half *a, global const half *b, global const half *c, global half *out) {\n"
	"	size_t i = get_global_id(0); half x = a[i], y = b[i], z = c[i]; out += i * 12;\n"
	"	out[11] = x * y + z;\n"
	"	{\n"
	"#pragma OPENCL FP_CONTRACT OFF\n"
	"		out[0] = x + y; out[1] = x - y; out[2] = x * y; out[3] = x / y; out[4] = fma(x, y, z);\n"
	"		out[5] = (x + y) - x; out[6] = x * y * z; out[7] = x * y + z;\n"
	"	}\n"
	"	out[8] = -x; half w = x; w++; out[9] = w; out[10] = sqrt(x);\n"
	"}\n"
	"kernel void compares(global const half *a, global const half *b, global int *out) {\n"
	"	size_t i = get_global_id(0); half x = a[i], y = b[i];\n"
	"	out[i] = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | !x << 6 | (x && true) << 7;\n"
	"}\n"
	/* vectors are their elements */
	"#define VECTORS(n) kernel void vectors##n(global const half *a, global const half *b, global int *bad) {\n"
	"	size_t i = get_global_id(0); half##n x = vload##n(i, a), y = vload##n(i, b);\n"
	"	half s[n], p[n]; short l[n]; vstore##n(-x + y * (half)3, 0, s); vstore##n(x / y - y, 0, p); vstore##n(x < y, 0, l);\n"
	"	int wrong = 0;\n"
	"	for (int k = 0; k < n; k++) {\n"
	"		half u = a[i * n + k], v = b[i * n + k], sum = -u + v * 3.0h, q = u / v - v;\n"
	"		wrong += as_ushort(s[k]) != as_ushort(sum) && !(s[k] != s[k] && sum != sum);\n"
	"		wrong += as_ushort(p[k]) != as_ushort(q) && !(p[k] != p[k] && q != q);\n"
	"		wrong += l[k] != (u < v ? -1 : 0);\n"
	"	}\n"
	"	bad[i] = wrong;\n"
	"}\n"
	"#define BREAK\n"
	"typedef struct { char c; half h[3]; half3 v; } record;\n"
	"constant half table[4] = { 0.5h, -2.0h, 65504.0h, 0x1p-24h };\n"
	"half counter = 3.0h;\n"
	"kernel void arguments(global half *out, half h, half2 v2, half3 v3, half4 v4, half8 v8, half16 v16, record r,\n"
	"                      local half *l, constant half *c, local half4 *l4) {\n"
	"	l[0] = h; l4[1] = v4; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	out[0] = l[0]; vstore2(v2, 0, out + 1); vstore3(v3, 0, out + 3); vstore4(l4[1].wzyx, 0, out + 6); vstore8(v8, 0, out + 10);\n"
	"	vstore16(v16, 0, out + 18); for (int i = 0; i < 3; i++) out[34 + i] = r.h[i]; vstore3(r.v, 0, out + 37); out[40] = r.c;\n"
	"	out[41] = c[1] + table[(int)h & 3]; out[42] = counter; counter += 1.0h; out[43] = table[3];\n"
	"}\n"
	"__attribute__((noinline)) half turn(half x, int i, half y) { return i & 1 ? x - y : x + y; }\n"
	"__attribute__((noinline)) half8 swap(half8 v, half s) { return v.s76543210 * s; }\n"
	"__attribute__((noinline)) half3 point(half3 a, float f, half h, half2 b, double d) { return a + (half)f * h + (half3)(b, (half)d); }\n"
	"kernel void functions(global half *out) {\n"
	"	size_t i = get_global_id(0); half h = (half)(int)i; out += i * 12;\n"
	"	out[0] = turn(h, (int)i, 0.5h); vstore8(swap((half8)(0, 1, 2, 3, 4, 5, 6, 7), h), 0, out + 1);\n"
	"	vstore3(point((half3)(h, 2 * h, 3 * h), 0.25f, h, (half2)(1, -1), 100.0), 0, out + 9);\n"
	"}\n"
	"kernel void image(read_only image2d_t in, write_only image2d_t out, sampler_t s) {\n"
	"	int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
	"	half4 a = read_imageh(in, p), b = read_imageh(in, s, convert_float2(p) + 0.5f), c = read_imageh(in, s, p);\n"
	"	write_imageh(out, p, a + b.wzyx * 2.0h - c);\n"
	"}\n"
	"kernel void copies(global const half *in, global half *out, global const half3 *in3, global half3 *out3,\n"
	"                   local half *a, local half3 *b) {\n"
	"	size_t n = get_local_size(0) * 2, g = get_group_id(0), l = get_local_id(0);\n"
	"	event_t e = async_work_group_copy(b, in3 + g * n, n, async_work_group_strided_copy(a, in + g, n, 3, 0));\n"
	"	prefetch(in, n); wait_group_events(1, &e);\n"
	"	half x = a[n - 1 - l], x2 = a[l]; half3 y = b[n - 1 - l], y2 = b[l];\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	a[l] = x * 2.0h; a[n - 1 - l] = x2 * 2.0h; b[l] = y + 1.0h; b[n - 1 - l] = y2 + 1.0h;\n"
	"	barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	e = async_work_group_copy(out + g * n, a, n, 0); e = async_work_group_copy(out3 + g * n, b, n, e); wait_group_events(1, &e);\n"
	"}\n";

static cl_program program;

static cl_kernel kernel(const char *name)
{
	cl_int code;
	cl_kernel k = clCreateKernel(program, name, &code);
	CL_OK(code);
	return k;
}

static cl_mem buffer(size_t size, const void *data)
{
	cl_int code;
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), size, (void *)(uintptr_t)data, &code);
	CL_OK(code);
	return m;
}

static void set_mem(cl_kernel k, cl_uint i, cl_mem m) { CL_OK(clSetKernelArg(k, i, sizeof m, &m)); }

static void run(cl_kernel k, cl_uint dims, const size_t *global, const size_t *local)
{
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, dims, NULL, global, local, 0, NULL, NULL));
	CL_OK(clReleaseKernel(k));
}

static void read_back(cl_mem m, size_t size, void *data)
{
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, size, data, 0, NULL, NULL));
	CL_OK(clReleaseMemObject(m));
}

/* ---- halves on the host ---- */
/* Without the sign, which the header shifts into that of an int. */
static double value(cl_half h) { return copysign((double)cl_half_to_float(h & 0x7fff), h & 0x8000 ? -1 : 1); }
static cl_half nearest(double d) { return cl_half_from_double(d, CL_HALF_RTE); }
static bool is_nan(cl_half h) { return (h & 0x7fff) > 0x7c00; }
static bool same(cl_half a, cl_half b) { return a == b || (is_nan(a) && is_nan(b)); }

__extension__ typedef __int128 exact; /* in units of 2^-48: products of halves, and sums with them, without rounding */
static exact units(cl_half h) { return (exact)(value(h) * 0x1p24); }

/* The half next to an exact number, ties to even. `zero` when it is none: it knows its sign. */
static cl_half round_exact(exact v, cl_half zero)
{
	cl_half sign = v < 0 ? 0x8000 : 0;
	exact a = v < 0 ? -v : v;
	int shift = 24; /* units of 2^-24, of which half has all below 2^-13 */
	if (!v)
		return zero;
	while (a >> shift >= 2048)
		shift++;
	exact whole = a >> shift, rest = a - (whole << shift), middle = (exact)1 << (shift - 1);
	whole += rest > middle || (rest == middle && (whole & 1));
	/* one step of the exponent for each shift: the leading bit of `whole`, and its carry, count there */
	exact bits = whole + (exact)(shift - 24) * 1024;
	return (cl_half)(sign | (cl_half)(bits > 0x7c00 ? 0x7c00 : bits));
}

static bool finite_all(cl_half a, cl_half b, cl_half c) { return isfinite(value(a)) && isfinite(value(b)) && isfinite(value(c)); }
static cl_half sum(cl_half a, cl_half b)
{
	cl_half special = nearest(value(a) + value(b));
	return finite_all(a, b, 0) ? round_exact((units(a) + units(b)) * (1 << 24), special) : special;
}
static cl_half negated(cl_half a) { return a ^ 0x8000; }
static cl_half product(cl_half a, cl_half b)
{
	cl_half special = nearest(value(a) * value(b));
	return finite_all(a, b, 0) ? round_exact(units(a) * units(b), special) : special;
}
static cl_half fused(cl_half a, cl_half b, cl_half c)
{
	cl_half special = nearest(value(a) * value(b) + value(c));
	return finite_all(a, b, c) ? round_exact(units(a) * units(b) + units(c) * (1 << 24), special) : special;
}

static const cl_half specials[] = { 0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x83ff, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x4200, 0x7bff,
	0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x6800, 0x6801, 0x1400, 0x2e66, 0x5640 };
enum { SPECIALS = sizeof specials / sizeof *specials, CASES = 32768 };

static cl_half in[3][CASES];
static void make_inputs(void)
{
	uint64_t seed = cl_test_seed();
	for (int i = 0; i < CASES; i++) {
		uint64_t r = splitmix64(&seed);
		for (int k = 0; k < 3; k++)
			in[k][i] = (cl_half)(r >> 16 * k);
		if (i < SPECIALS * SPECIALS * SPECIALS) {
			in[0][i] = specials[i % SPECIALS];
			in[1][i] = specials[i / SPECIALS % SPECIALS];
			in[2][i] = specials[i / SPECIALS / SPECIALS];
		} else if (r >> 48 & 1) { /* where sums cancel or are close to halfway between two halves */
			in[2][i] = negated(product(in[0][i], in[1][i]));
			in[2][i] = (cl_half)(in[2][i] + (r >> 49 & 3) - 1);
			if (r >> 51 & 1)
				in[1][i] = (cl_half)((in[0][i] & 0x7c00) + (in[1][i] & 0x8fff));
		}
	}
}

/* OpenCL C 3.0, 7.4: + - * / and fma of halves are correctly rounded, each of them. */
static void arithmetic(void **state)
{
	(void)state;
	static cl_half out[CASES][12];
	static const char *const names[12] = { "x + y", "x - y", "x * y", "x / y", "fma(x, y, z)", "(x + y) - x", "x * y * z", "x * y + z", "-x",
		"x + 1", "sqrt(x)", "x * y + z, contracted or not" };
	cl_mem m[4] = { buffer(sizeof in[0], in[0]), buffer(sizeof in[1], in[1]), buffer(sizeof in[2], in[2]), buffer(sizeof out, NULL) };
	cl_kernel k = kernel("arithmetic");
	for (cl_uint i = 0; i < 4; i++)
		set_mem(k, i, m[i]);
	const size_t global = CASES;
	run(k, 1, &global, NULL);
	read_back(m[3], sizeof out, out);
	int bad = 0;
	for (int i = 0; i < CASES; i++) {
		cl_half x = in[0][i], y = in[1][i], z = in[2][i], xy = product(x, y);
		const cl_half want[12] = { sum(x, y), sum(x, negated(y)), xy, nearest(value(x) / value(y)), fused(x, y, z), sum(sum(x, y), negated(x)),
			product(xy, z), sum(xy, z), negated(x), sum(x, 0x3c00), nearest(sqrt(value(x))), sum(xy, z) };
		for (int j = 0; j < 12; j++) {
			if (same(out[i][j], want[j]) || (j == 11 && same(out[i][j], want[4])))
				continue;
			if (bad++ < 8)
				print_error("%s: x %04x y %04x z %04x: %04x, expected %04x\n", names[j], x, y, z, out[i][j], want[j]);
		}
	}
	assert_int_equal(bad, 0);
	for (int i = 0; i < 3; i++)
		CL_OK(clReleaseMemObject(m[i]));
}

static void compares(void **state)
{
	(void)state;
	static cl_int out[CASES];
	cl_mem m[3] = { buffer(sizeof in[0], in[0]), buffer(sizeof in[1], in[1]), buffer(sizeof out, NULL) };
	cl_kernel k = kernel("compares");
	for (cl_uint i = 0; i < 3; i++)
		set_mem(k, i, m[i]);
	const size_t global = CASES;
	run(k, 1, &global, NULL);
	read_back(m[2], sizeof out, out);
	for (int i = 0; i < CASES; i++) {
		double x = value(in[0][i]), y = value(in[1][i]);
		assert_int_equal(out[i], (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5 | !x << 6 | !!x << 7);
	}
	for (int i = 0; i < 2; i++)
		CL_OK(clReleaseMemObject(m[i]));
}

static void vectors(void **state)
{
	(void)state;
	static const struct { const char *name; size_t width; } widths[] = { { "vectors2", 2 }, { "vectors3", 3 }, { "vectors4", 4 }, { "vectors8", 8 }, { "vectors16", 16 } };
	cl_mem a = buffer(sizeof in[0], in[0]), b = buffer(sizeof in[1], in[1]);
	for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
		const size_t global = CASES / widths[w].width;
		static cl_int bad[CASES / 2];
		cl_mem m = buffer(global * sizeof *bad, NULL);
		cl_kernel k = kernel(widths[w].name);
		set_mem(k, 0, a);
		set_mem(k, 1, b);
		set_mem(k, 2, m);
		run(k, 1, &global, NULL);
		read_back(m, global * sizeof *bad, bad);
		for (size_t i = 0; i < global; i++)
			assert_int_equal(bad[i], 0);
	}
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(b));
}

/* Half arguments by value: as they are, in vectors, in structures; through local and constant pointers. */
static void arguments(void **state)
{
	(void)state;
	cl_half v[16], out[44];
	struct { cl_char c; cl_half h[3]; _Alignas(8) cl_half v[4]; } record = { 7, { 0x3c00, 0x4000, 0x4200 }, { 0x4400, 0x4500, 0x4600, 0 } };
	for (int i = 0; i < 16; i++)
		v[i] = (cl_half)(0x3c00 + 3 * i);
	const cl_half constants[2] = { 0x3c00, 0x4000 }, two = 0x4000;
	cl_mem result = buffer(sizeof out, NULL), c = buffer(sizeof constants, constants);
	cl_kernel k = kernel("arguments");
	CL_FAILS(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 1, 4, v));
	CL_FAILS(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 3, 6, v));
	for (int round = 0; round < 2; round++) {
		set_mem(k, 0, result);
		CL_OK(clSetKernelArg(k, 1, 2, &two));
		CL_OK(clSetKernelArg(k, 2, 4, v));
		CL_OK(clSetKernelArg(k, 3, 8, v + 1));
		CL_OK(clSetKernelArg(k, 4, 8, v + 2));
		CL_OK(clSetKernelArg(k, 5, 16, v + 3));
		CL_OK(clSetKernelArg(k, 6, 32, v));
		CL_OK(clSetKernelArg(k, 7, sizeof record, &record));
		CL_OK(clSetKernelArg(k, 8, 2, NULL));
		set_mem(k, 9, c);
		CL_OK(clSetKernelArg(k, 10, 16, NULL));
		const size_t one = 1;
		CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
		CL_OK(clEnqueueReadBuffer(cl.queue, result, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
		assert_int_equal(out[0], two);
		assert_memory_equal(out + 1, v, 4);
		assert_memory_equal(out + 3, v + 1, 6);
		for (int i = 0; i < 4; i++)
			assert_int_equal(out[6 + i], v[5 - i]);
		assert_memory_equal(out + 10, v + 3, 16);
		assert_memory_equal(out + 18, v, 32);
		assert_memory_equal(out + 34, record.h, 6);
		assert_memory_equal(out + 37, record.v, 6);
		assert_int_equal(out[40], nearest(7));
		assert_int_equal(out[41], nearest(65504)); /* 2 + 65504 rounds back */
		assert_int_equal(out[42], nearest(3 + round));
		assert_int_equal(out[43], 1);
	}
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseMemObject(result));
	CL_OK(clReleaseMemObject(c));
}

/* Functions that are not inlined take and give halves. */
static void functions(void **state)
{
	(void)state;
	enum { N = 40 };
	cl_half out[N][12];
	cl_mem m = buffer(sizeof out, NULL);
	cl_kernel k = kernel("functions");
	set_mem(k, 0, m);
	const size_t global = N;
	run(k, 1, &global, NULL);
	read_back(m, sizeof out, out);
	for (int i = 0; i < N; i++) {
		assert_int_equal(out[i][0], nearest(i & 1 ? i - 0.5 : i + 0.5));
		for (int e = 0; e < 8; e++)
			assert_int_equal(out[i][1 + e], nearest((7 - e) * i));
		const double add[3] = { 1, -1, 100 };
		for (int e = 0; e < 3; e++)
			assert_int_equal(out[i][9 + e], nearest((e + 1) * i + 0.25 * i + add[e]));
	}
}

static void images(void **state)
{
	(void)state;
	enum { W = 9, H = 5 };
	cl_half texels[W * H][4], out[W * H][4];
	cl_int code;
	for (int i = 0; i < W * H; i++)
		for (int c = 0; c < 4; c++)
			texels[i][c] = nearest((i * 4 + c) * 0.375 - 20);
	cl_image_format f = { CL_RGBA, CL_HALF_FLOAT };
	cl_image_desc d = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H };
	cl_mem a = clCreateImage(cl.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &f, &d, texels, &code);
	CL_OK(code);
	cl_mem b = clCreateImage(cl.context, CL_MEM_WRITE_ONLY, &f, &d, NULL, &code);
	CL_OK(code);
	cl_sampler s = clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &code);
	CL_OK(code);
	cl_kernel k = kernel("image");
	set_mem(k, 0, a);
	set_mem(k, 1, b);
	CL_OK(clSetKernelArg(k, 2, sizeof s, &s));
	const size_t origin[3] = { 0 }, size[3] = { W, H, 1 };
	run(k, 2, size, NULL);
	CL_OK(clEnqueueReadImage(cl.queue, b, CL_TRUE, origin, size, 0, 0, out, 0, NULL, NULL));
	for (int i = 0; i < W * H; i++)
		for (int c = 0; c < 4; c++)
			assert_int_equal(out[i][c], nearest(2 * value(texels[i][3 - c])));
	CL_OK(clReleaseSampler(s));
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(b));
}

static void copies(void **state)
{
	(void)state;
	enum { LOCAL = 16, GROUPS = 3, N = 2 * LOCAL }; /* the small configuration has groups of 16 */
	static cl_half from[N * 3 + GROUPS], to[N * GROUPS], from3[N * GROUPS][4], to3[N * GROUPS][4];
	for (int i = 0; i < N * 3 + GROUPS; i++)
		from[i] = nearest(i);
	for (int i = 0; i < N * GROUPS; i++)
		for (int c = 0; c < 4; c++)
			from3[i][c] = nearest(i * 4 + c);
	cl_mem m[4] = { buffer(sizeof from, from), buffer(sizeof to, NULL), buffer(sizeof from3, from3), buffer(sizeof to3, NULL) };
	cl_kernel k = kernel("copies");
	for (cl_uint i = 0; i < 4; i++)
		set_mem(k, i, m[i]);
	CL_OK(clSetKernelArg(k, 4, N * 2, NULL));
	CL_OK(clSetKernelArg(k, 5, N * 8, NULL));
	const size_t global = LOCAL * GROUPS, local = LOCAL;
	run(k, 1, &global, &local);
	read_back(m[1], sizeof to, to);
	read_back(m[3], sizeof to3, to3);
	for (int g = 0; g < GROUPS; g++)
		for (int i = 0; i < N; i++) {
			assert_int_equal(to[g * N + i], nearest(2 * (g + 3 * (N - 1 - i))));
			for (int c = 0; c < 3; c++)
				assert_int_equal(to3[g * N + i][c], nearest((g * N + N - 1 - i) * 4 + c + 1));
		}
	CL_OK(clReleaseMemObject(m[0]));
	CL_OK(clReleaseMemObject(m[2]));
}

/* What the device says (4.2): more than the least that cl_khr_fp16 asks for. */
static void device_info(void **state)
{
	(void)state;
	cl_device_fp_config config = 0;
	cl_uint width = 0;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_HALF_FP_CONFIG, sizeof config, &config, NULL));
	const cl_device_fp_config want = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA;
	assert_int_equal(config & want, want);
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, sizeof width, &width, NULL));
	assert_int_equal(width, 1);
	width = 0;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, sizeof width, &width, NULL));
	assert_int_equal(width, 1);
}

static int setup(void **state)
{
	if (cl_test_setup(state))
		return -1;
	make_inputs();
	/* VECTORS(n) is one macro over lines: what ends at BREAK is joined */
	static char text[sizeof source * 2];
	char *o = text;
	const char *from = strstr(source, "#define VECTORS"), *to = strstr(source, "#define BREAK\n");
	for (const char *p = source; *p; p++) {
		if (*p == '\n' && p >= from && p < to - 1)
			*o++ = '\\';
		*o++ = *p;
	}
	const char *sources[] = { text, "VECTORS(2)\nVECTORS(3)\nVECTORS(4)\nVECTORS(8)\nVECTORS(16)\n" };
	cl_int code;
	program = clCreateProgramWithSource(cl.context, 2, sources, NULL, &code);
	if (code || clBuildProgram(program, 1, &cl.device, "-cl-std=CL3.0", NULL, NULL)) {
		static char log[8192];
		clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
		print_error("%s\n", log);
		return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	clReleaseProgram(program);
	return cl_test_teardown(state);
}

int main(int argc, char **argv)
{
	cl_test_init(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_info), cmocka_unit_test(arithmetic), cmocka_unit_test(compares), cmocka_unit_test(vectors),
		cmocka_unit_test(arguments),   cmocka_unit_test(functions),  cmocka_unit_test(images),   cmocka_unit_test(copies),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
