/* What the tests of subgroup and work-group functions share: types, values whose sums and products
 * are exact in any order, what each operation makes of two of them, launches on full and mini. */
#ifndef GALENA_TESTBENCH_LANES_H
#define GALENA_TESTBENCH_LANES_H
#include "testbench/opencl/cl_test.h"
#include <math.h>
#include <sys/wait.h>

enum lanes_kind { SIGNED_INT, UNSIGNED_INT, FLOATING };
struct lanes_type { const char *name; unsigned size; enum lanes_kind kind; };
static const struct lanes_type lanes_types[] = {
	{ "char", 1, SIGNED_INT },  { "uchar", 1, UNSIGNED_INT },  { "short", 2, SIGNED_INT }, { "ushort", 2, UNSIGNED_INT },
	{ "int", 4, SIGNED_INT },   { "uint", 4, UNSIGNED_INT },   { "long", 8, SIGNED_INT },  { "ulong", 8, UNSIGNED_INT },
	{ "float", 4, FLOATING },   { "double", 8, FLOATING },     { "half", 2, FLOATING },
};
#define LANES_TYPES (sizeof lanes_types / sizeof *lanes_types)

/* An integer of 64 bits, extended from its type; or a number. */
union lanes_value { int64_t i; double f; };

enum lanes_op { OP_ADD, OP_MIN, OP_MAX, OP_MUL, OP_AND, OP_OR, OP_XOR, LANES_OPS };

/* Numbers here are small integers, powers of 2, or infinite: a half's bits by hand. */
static inline double half_value(uint16_t bits)
{
	int exponent = bits >> 10 & 31, fraction = bits & 1023;
	double v = exponent == 31 ? (fraction ? NAN : INFINITY) : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
	return bits >> 15 ? -v : v;
}

static inline uint16_t half_bits(double v)
{
	uint16_t sign = signbit(v) ? 0x8000 : 0;
	int exponent;
	v = fabs(v);
	if (v == 0)
		return sign;
	double fraction = frexp(v, &exponent);
	if (isinf(v) || exponent > 16)
		return sign | 0x7c00;
	return (uint16_t)(sign | (exponent + 14) << 10 | ((unsigned)ldexp(fraction, 11) & 1023));
}

static inline union lanes_value lanes_get(const struct lanes_type *t, const void *from, size_t at)
{
	union lanes_value v = { 0 };
	const char *p = (const char *)from + at * t->size;
	if (t->kind == FLOATING && t->size == 2) {
		uint16_t h;
		memcpy(&h, p, 2);
		v.f = half_value(h);
	} else if (t->kind == FLOATING && t->size == 4) {
		float f;
		memcpy(&f, p, 4);
		v.f = f;
	} else {
		memcpy(&v, p, t->size);
		if (t->kind == SIGNED_INT)
			v.i = (int64_t)((uint64_t)v.i << (64 - 8 * t->size)) >> (64 - 8 * t->size);
	}
	return v;
}

static inline void lanes_put(const struct lanes_type *t, void *to, size_t at, union lanes_value v)
{
	char *p = (char *)to + at * t->size;
	float f = (float)(t->kind == FLOATING ? v.f : 0);
	uint16_t h = t->kind == FLOATING ? half_bits(v.f) : 0;
	memcpy(p, t->kind != FLOATING || t->size == 8 ? (void *)&v : t->size == 4 ? (void *)&f : (void *)&h, t->size);
}

/* As the type has it, after an operation in more bits. */
static inline union lanes_value lanes_narrow(const struct lanes_type *t, union lanes_value v)
{
	uint64_t room = 0;
	lanes_put(t, &room, 0, v);
	return lanes_get(t, &room, 0);
}

static inline union lanes_value lanes_combine(const struct lanes_type *t, enum lanes_op op, union lanes_value a, union lanes_value b)
{
	bool less = t->kind == FLOATING ? a.f < b.f : t->kind == SIGNED_INT ? a.i < b.i : (uint64_t)a.i < (uint64_t)b.i;
	uint64_t x = (uint64_t)a.i, y = (uint64_t)b.i;
	union lanes_value r = { 0 };
	switch (op) {
	case OP_MIN: return less ? a : b;
	case OP_MAX: return less ? b : a;
	case OP_ADD: x += y; break;
	case OP_MUL: x *= y; break;
	case OP_AND: x &= y; break;
	case OP_OR: x |= y; break;
	default: x ^= y; break;
	}
	if (t->kind == FLOATING)
		r.f = op == OP_ADD ? a.f + b.f : a.f * b.f;
	else
		r.i = (int64_t)x;
	return lanes_narrow(t, r);
}

/* What an operation makes of nothing (OpenCL C: the identity of exclusive scans). */
static inline union lanes_value lanes_identity(const struct lanes_type *t, enum lanes_op op)
{
	unsigned bits = 8 * t->size;
	union lanes_value v = { 0 };
	if (t->kind == FLOATING)
		v.f = op == OP_MIN ? INFINITY : op == OP_MAX ? -INFINITY : op == OP_MUL ? 1 : 0;
	else if (op == OP_MUL)
		v.i = 1;
	else if (op == OP_AND)
		v.i = -1;
	else if (op == OP_MIN)
		v.i = t->kind == SIGNED_INT ? (int64_t)(~0ull >> (65 - bits)) : -1;
	else if (op == OP_MAX && t->kind == SIGNED_INT)
		v.i = (int64_t)(~0ull << (bits - 1));
	return lanes_narrow(t, v);
}

/* Any integer; or one of a few numbers that no order of additions or products rounds. */
static inline union lanes_value lanes_random(const struct lanes_type *t, uint64_t *seed)
{
	static const double numbers[] = { -4, -2, -1, 1, 2, 4 };
	union lanes_value v = { .i = (int64_t)splitmix64(seed) };
	if (t->kind == FLOATING)
		v.f = numbers[splitmix64(seed) % 6];
	return lanes_narrow(t, v);
}

static inline bool lanes_equal(const struct lanes_type *t, union lanes_value a, union lanes_value b)
{
	return t->kind == FLOATING ? a.f == b.f : a.i == b.i;
}

/* Where what is expected stands beside what came, for messages. */
static inline void lanes_check(const struct lanes_type *t, const void *got, size_t at, union lanes_value want, const char *what, size_t item)
{
	union lanes_value v = lanes_get(t, got, at);
	if (!lanes_equal(t, v, want))
		fail_msg("%s of %s, work-item %zu: got %lld (%g), expected %lld (%g)", what, t->name, item, (long long)v.i,
			 t->kind == FLOATING ? v.f : 0, (long long)want.i, t->kind == FLOATING ? want.f : 0);
}

static inline bool lanes_have(const struct lanes_type *t)
{
	char extensions[4096] = "";
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
	return strcmp(t->name, "half") || strstr(extensions, "cl_khr_fp16");
}

/* Work-items of a full subgroup. */
static inline size_t lanes_of_device(void)
{
	size_t n = 0;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof n, &n, NULL));
	return n;
}

static inline size_t lanes_most_items(void)
{
	size_t n = 0;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof n, &n, NULL));
	return n;
}

static inline cl_program lanes_build(const char *source, const char *options)
{
	cl_int code;
	cl_program p = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
	CL_OK(code);
	if (clBuildProgram(p, 1, &cl.device, options, NULL, NULL)) {
		static char log[8192];
		clGetProgramBuildInfo(p, cl.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		fail_msg("%s: %.2000s", options, log);
	}
	return p;
}

/* Runs a kernel with buffers as arguments 0 to count - 1, each from data and back to it. */
struct lanes_buffer { void *data; size_t size; };
static inline void lanes_run(cl_program program, const char *name, cl_uint dims, const size_t *global, const size_t *local,
		      const struct lanes_buffer *buffers, unsigned count)
{
	cl_int code;
	cl_mem mem[8];
	cl_kernel k = clCreateKernel(program, name, &code);
	CL_OK(code);
	assert_true(count <= 8);
	for (unsigned i = 0; i < count; i++) {
		mem[i] = clCreateBuffer(cl.context, CL_MEM_COPY_HOST_PTR, buffers[i].size, buffers[i].data, &code);
		CL_OK(code);
		CL_OK(clSetKernelArg(k, i, sizeof mem[i], &mem[i]));
	}
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, dims, NULL, global, local, 0, NULL, NULL));
	for (unsigned i = 0; i < count; i++) {
		CL_OK(clEnqueueReadBuffer(cl.queue, mem[i], CL_TRUE, 0, buffers[i].size, buffers[i].data, 0, NULL, NULL));
		CL_OK(clReleaseMemObject(mem[i]));
	}
	CL_OK(clReleaseKernel(k));
}

/* Runs the tests on the device as it is, and, unless GALENA_CONFIG names one, on mini first: in a
 * process of its own, before this one has spoken to the platform. */
#define LANES_MAIN(tests)                                                                          \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		int status = 0;                                                                    \
		pid_t child = -1;                                                                  \
		cl_test_init(argc, argv);                                                          \
		if (!getenv("GALENA_CONFIG") && (child = fork()) == 0)                             \
			setenv("GALENA_CONFIG", "mini", 1);                                        \
		if (child > 0 && (waitpid(child, &status, 0) != child || status))                  \
			return 1;                                                                  \
		return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);             \
	}

#endif
