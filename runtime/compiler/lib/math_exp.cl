/* Exponentials, logarithms and powers for float (OpenCL C 3.0, 6.15.2). */
#include "math.h"

#define LIMITED(x, lo, hi)                                                                         \
	if (__builtin_expect(!(x > lo && x < hi), 0))                                              \
		return x != x ? x : x > 0.0f ? INFINITY : 0.0f;

/* e^r on [-ln2/2, ln2/2]; err 2^-28. */
OVERLOAD float exp(float x)
{
	LIMITED(x, -104.0f, 89.0f)
	int n = nearest_int(x * 0x1.715476p+0f);
	float k = (float)n, r = FMA(k, 0x1.05c61p-29f, FMA(k, -0x1.62e43p-1f, x));
	float p = POLY(r, 0x1.6a5e34p-10f, 0x1.123adp-7f, 0x1.5558a2p-5f, 0x1.55549p-3f, 0x1.fffffcp-2f,
		       1.0f);
	return scale(FMA(p, r, 1.0f), n);
}

OVERLOAD float exp2(float x)
{
	LIMITED(x, -151.0f, 128.0f)
	int n = nearest_int(x);
	return scale(exp2_poly(x - (float)n), n);
}

/* 10^r on [-log10(2)/2, log10(2)/2]; err 2^-28.3. */
OVERLOAD float exp10(float x)
{
	LIMITED(x, -46.0f, 39.0f)
	int n = nearest_int(x * 0x1.a934fp+1f);
	float k = (float)n, r = FMA(k, 0x1.ec10cp-27f, FMA(k, -0x1.344136p-2f, x));
	float p = POLY(r, 0x1.a497f6p-3f, 0x1.156bb2p-1f, 0x1.2bdbdap+0f, 0x1.046f9ap+1f, 0x1.535248p+1f,
		       0x1.26bb1cp+1f);
	return scale(FMA(p, r, 1.0f), n);
}

/* x = m * 2^e, m in [2/3, 4/3): gives m - 1 and e. Zero, negative numbers, infinity, NaN: false, with
 * the logarithm in f. Subnormal numbers are made normal first. */
INLINE bool log_split(float x, float *f, float *e)
{
	uint bits = as_uint(x);
	int bias = 0;
	if (__builtin_expect(bits - 0x00800000 >= 0x7f000000, 0)) {
		if (!(x > 0.0f && x < INFINITY)) {
			*f = x == 0.0f ? -INFINITY : x < 0.0f ? NAN : x;
			return false;
		}
		bits = as_uint(x * 0x1p23f);
		bias = -23;
	}
	uint offset = bits - 0x3f2aaaab;
	*e = (float)(((int)offset >> 23) + bias);
	*f = as_float(bits - (offset & 0xff800000)) - 1.0f;
	return true;
}

/* ln(1 + f); err 2^-24.7. */
OVERLOAD float log(float x)
{
	float f, e;
	if (!log_split(x, &f, &e))
		return f;
	float p = POLY(f, 0x1.1b0eep-3f, -0x1.35b41p-3f, 0x1.1f951ap-3f, -0x1.515a66p-3f, 0x1.99c33p-3f,
		       -0x1.000b1cp-2f, 0x1.555528p-2f, -0.5f);
	return FMA(e, 0x1.62e43p-1f, FMA(p, f * f, f));
}

/* log2(1 + f) = f p; err 2^-24.7. */
OVERLOAD float log2(float x)
{
	float f, e;
	if (!log_split(x, &f, &e))
		return f;
	float p = POLY(f, 0x1.95a532p-3f, -0x1.c6fb24p-3f, 0x1.9fb08ep-3f, -0x1.e4f75ap-3f, 0x1.278a72p-2f,
		       -0x1.717298p-2f, 0x1.ec70c6p-2f, -0x1.715456p-1f, 0x1.715476p+0f);
	return FMA(p, f, e);
}

/* log10(1 + f) = f p; err 2^-24.5. With e = 1 and f = -1/3 two thirds of log10(2) cancel, so it is in two parts. */
OVERLOAD float log10(float x)
{
	float f, e;
	if (!log_split(x, &f, &e))
		return f;
	float p = POLY(f, 0x1.00a55p-4f, -0x1.11f9e2p-4f, 0x1.ee58ep-5f, -0x1.23f7d6p-4f, 0x1.641fa4p-4f,
		       -0x1.bcdc26p-4f, 0x1.28798cp-3f, -0x1.bcb78ap-3f, 0x1.bcb7b2p-2f);
	return FMA(e, 0x1.344136p-2f, FMA(e, -0x1.ec10cp-27f, p * f));
}

/* Powers: 2^(y log2 x) with the logarithm in double. */
INLINE bool ordinary(float x) { return x > 0.0f && x < INFINITY; }
INLINE bool finite(float y) { return __builtin_fabsf(y) < INFINITY; }

/* What is left of pow (C11, F.10.4.4): x not positive and finite, or y not finite. */
OUTLINE float __galena_pow_special(float x, float y)
{
	if (x == 1.0f || y == 0.0f)
		return 1.0f;
	if (x != x || y != y)
		return x + y;
	float ax = __builtin_fabsf(x);
	if (__builtin_fabsf(y) == INFINITY) {
		if (ax == 1.0f)
			return 1.0f;
		return (ax > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
	}
	bool big = __builtin_fabsf(y) >= 0x1p24f;    /* an even integer */
	bool whole = big || __builtin_truncf(y) == y, odd = !big && whole && ((int)y & 1);
	float v;
	if (ax == 0.0f || ax == INFINITY)
		v = (ax == 0.0f) == (y > 0.0f) ? 0.0f : INFINITY;
	else if (!whole)
		return NAN;
	else
		v = exp2_core((double)y * log2_core((double)ax));
	return odd ? __builtin_copysignf(v, x) : v;
}

OVERLOAD float pow(float x, float y)
{
	if (__builtin_expect(ordinary(x) && finite(y), 1))
		return exp2_core((double)y * log2_core((double)x));
	return __galena_pow_special(x, y);
}

/* 7.5.1: powr is NaN for x < 0, 0 to the 0, infinity to the 0, 1 to an infinity. */
OVERLOAD float powr(float x, float y)
{
	if (__builtin_expect(ordinary(x) && finite(y), 1))
		return exp2_core((double)y * log2_core((double)x));
	if (x != x || y != y)
		return x + y;
	if (x < 0.0f || ((x == 0.0f || x == INFINITY) && y == 0.0f) || (x == 1.0f && __builtin_fabsf(y) == INFINITY))
		return NAN;
	return (x > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
}

/* A negative x to an odd power keeps its sign. */
OVERLOAD float pown(float x, int n)
{
	float ax = __builtin_fabsf(x), v;
	if (__builtin_expect(ordinary(ax), 1))
		v = exp2_core((double)n * log2_core((double)ax));
	else if (n == 0)
		return 1.0f;
	else if (x != x)
		return x;
	else
		v = (ax == 0.0f) == (n > 0) ? 0.0f : INFINITY;
	return as_float(as_uint(v) | (as_uint(x) & (uint)n << 31));
}

OVERLOAD float rootn(float x, int n)
{
	float ax = __builtin_fabsf(x), v;
	if (n == 0 || (x < 0.0f && !(n & 1)))
		return NAN;
	if (__builtin_expect(ordinary(ax), 1))
		v = exp2_core(log2_core((double)ax) / (double)n);
	else if (x != x)
		return x;
	else
		v = (ax == 0.0f) == (n > 0) ? 0.0f : INFINITY;
	return as_float(as_uint(v) | (as_uint(x) & (uint)n << 31));
}

/* x * 2^n, rounded once. */
OVERLOAD float ldexp(float x, int n)
{
	n = n < -300 ? -300 : n > 300 ? 300 : n;
	return (float)((double)x * as_double((ulong)(uint)(n + 1023) << 52));
}

/* C11, F.10.4.3: an infinity wins over NaN. The squares are exact in double. */
OVERLOAD float hypot(float x, float y)
{
	double dx = x, dy = y, s = FMAD(dx, dx, dy * dy);
	if (__builtin_expect(!(s < (double)INFINITY), 0) &&
	    (__builtin_fabsf(x) == INFINITY || __builtin_fabsf(y) == INFINITY))
		return INFINITY;
	return (float)__builtin_sqrt(s);
}
