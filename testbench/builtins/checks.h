/* What the checks*.cl share: random values that favour edges, and comparing with a count of failures.
 * Every check_NAME(seed, rounds) returns how many comparisons failed; checks.c runs them. */
#ifndef GALENA_TESTBENCH_CHECKS_H
#define GALENA_TESTBENCH_CHECKS_H
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

/* Loops stay loops: the checks are many, and compile in seconds. */
#define ROLLED __attribute__((opencl_unroll_hint(1)))
#ifdef KEEP_CHECKS
#define CHECK(name) __attribute__((used)) ulong check_##name(ulong seed, uint rounds)
#else
#define CHECK(name) static ulong check_##name(ulong seed, uint rounds)
#endif

#define APART static __attribute__((noinline)) /* once, not wherever it is used */
APART ulong next(ulong *seed)
{
	ulong v = (*seed += 0x9e3779b97f4a7c15ul); /* splitmix64 */
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ul;
	v = (v ^ v >> 27) * 0x94d049bb133111ebul;
	return v ^ v >> 31;
}
/* Bits of which often many are alike: 0, -1, powers of two and their neighbours come up. */
APART ulong edgy(ulong *seed)
{
	ulong r = next(seed), v = next(seed);
	switch (r & 7) {
	case 0:
		return v & 3;
	case 1:
		return ~(v & 3);
	case 2:
		return (1ul << (r >> 8 & 63)) + (v & 3) - 1;
	case 3:
		return -(1ul << (r >> 8 & 63)) + (v & 3) - 1;
	case 4:
		return (ulong)((long)v >> (r >> 8 & 63));
	case 5:
		return v >> (r >> 8 & 63);
	default:
		return v;
	}
}
#define EDGY_INT(type) APART type any_##type(ulong *seed) { return (type)edgy(seed); }
EDGY_INT(char) EDGY_INT(uchar) EDGY_INT(short) EDGY_INT(ushort) EDGY_INT(int) EDGY_INT(uint) EDGY_INT(long) EDGY_INT(ulong)

APART float any_float(ulong *seed)
{
	ulong r = next(seed);
	switch (r & 7) {
	case 0:
		return (float)(long)edgy(seed);
	case 1:
		return (float)(int)edgy(seed) * 0.5f;
	case 2:
		return (float)(char)edgy(seed) + (float)(r >> 40) * 0x1p-24f;
	case 3:
		return as_float((uint)(r >> 32));
	case 4:
		return (r >> 8 & 3) == 0 ? NAN : (r >> 8 & 3) == 1 ? INFINITY : (r >> 8 & 3) == 2 ? -INFINITY : -0.0f;
	default:
		return ((float)(int)(r >> 32)) * 0x1p-24f;
	}
}
APART double any_double(ulong *seed)
{
	ulong r = next(seed);
	switch (r & 7) {
	case 0:
		return (double)(long)edgy(seed);
	case 1:
		return (double)(int)edgy(seed) * 0.5;
	case 2:
		return (double)any_float(seed) * (1.0 + (double)(r >> 32) * 0x1p-80);
	case 3:
		return as_double(r);
	case 4:
		return (r >> 8 & 3) == 0 ? NAN : (r >> 8 & 3) == 1 ? INFINITY : (r >> 8 & 3) == 2 ? -INFINITY : -0.0;
	default:
		return (double)any_float(seed);
	}
}

APART half any_half(ulong *seed)
{
	ulong r = next(seed);
	return r & 1 ? as_half((ushort)(r >> 48)) : (half)any_float(seed);
}

/* Bit for bit, but NaN is NaN. */
#define SAME_INT(type) static bool same_##type(type a, type b) { return a == b; }
SAME_INT(char) SAME_INT(uchar) SAME_INT(short) SAME_INT(ushort) SAME_INT(int) SAME_INT(uint) SAME_INT(long) SAME_INT(ulong)
static bool same_float(float a, float b) { return as_uint(a) == as_uint(b) || (a != a && b != b); }
static bool same_half(half a, half b) { return as_ushort(a) == as_ushort(b) || (a != a && b != b); }
static bool same_double(double a, double b) { return as_ulong(a) == as_ulong(b) || (a != a && b != b); }

#define INTEGERS(X) X(char) X(uchar) X(short) X(ushort) X(int) X(uint) X(long) X(ulong)
/* Vectors of 16 are made of those of 8, 4 and 2. */
#define WIDTHS(X, ...) X(__VA_ARGS__, 3) X(__VA_ARGS__, 16)
#define ALL_WIDTHS(X, ...) X(__VA_ARGS__, 2) X(__VA_ARGS__, 3) X(__VA_ARGS__, 4) X(__VA_ARGS__, 8) X(__VA_ARGS__, 16)

/* f on vectors of every width is f on their elements. R: result's element type. */
#define ELEMENTWISE(R, type, f, arity) WIDTHS(ELEMENTWISE_##arity, R, type, f)
#define VECTOR_OF(type, n, name) union { type e[16]; type##n v; } name; ROLLED for (int name##_k = 0; name##_k < n; name##_k++) name.e[name##_k] = any_##type(&seed)
#define COMPARE(R, n, call, ...)                                                                   \
	union { R e[16]; R##n v; } out;                                                            \
	out.v = call;                                                                              \
	ROLLED for (int k = 0; k < n; k++)                                                           \
		bad += !same_##R(out.e[k], __VA_ARGS__)
#define ELEMENTWISE_1(R, type, f, n)                                                               \
	ROLLED for (uint i = 0; i < rounds; i++) {                                                        \
		VECTOR_OF(type, n, a);                                                             \
		COMPARE(R, n, f(a.v), f(a.e[k]));                                                  \
	}
#define ELEMENTWISE_2(R, type, f, n)                                                               \
	ROLLED for (uint i = 0; i < rounds; i++) {                                                        \
		VECTOR_OF(type, n, a);                                                             \
		VECTOR_OF(type, n, b);                                                             \
		COMPARE(R, n, f(a.v, b.v), f(a.e[k], b.e[k]));                                     \
	}
#define ELEMENTWISE_3(R, type, f, n)                                                               \
	ROLLED for (uint i = 0; i < rounds; i++) {                                                        \
		VECTOR_OF(type, n, a);                                                             \
		VECTOR_OF(type, n, b);                                                             \
		VECTOR_OF(type, n, c);                                                             \
		COMPARE(R, n, f(a.v, b.v, c.v), f(a.e[k], b.e[k], c.e[k]));                        \
	}
#endif
