/* Remainders and other exact functions for float, where libclc flushes subnormal numbers or is long
 * (OpenCL C 3.0, 6.15.2). */
#include "math.h"

/* |x| mod |y| for any finite numbers, y not 0, and the low bits of the quotient: long division on the
 * significands, 32 bits a step. */
OUTLINE float __galena_fmod_far(float ax, float ay, uint *quotient)
{
	uint bx = as_uint(ax), by = as_uint(ay);
	int ex = (int)(bx >> 23), ey = (int)(by >> 23);
	ulong mx = (bx & 0x7fffff) | (ex ? 0x800000 : 0), my = (by & 0x7fffff) | (ey ? 0x800000 : 0);
	ex = ex ? ex : 1;
	ey = ey ? ey : 1;
	ulong r = mx % my, q = mx / my;
	for (int n = ex - ey; n > 0;) {
		int step = n < 32 ? n : 32;
		r <<= step;
		q = q << step | r / my;
		r %= my;
		n -= step;
	}
	*quotient = (uint)q;
	return (float)((double)r * as_double((ulong)(uint)(ey - 150 + 1023) << 52));
}

/* |x| mod |y| and the quotient's low bits. Below 2^29 the quotient in double is right or one too
 * large, and the remainder is exact. */
INLINE double remainder_truncated(float ax, float ay, uint *quotient)
{
	double dx = ax, dy = ay, q = dx / dy;
	if (__builtin_expect(!(q < 0x1p29), 0))
		return __galena_fmod_far(ax, ay, quotient);
	int n = (int)q;
	double r = FMAD(-(double)n, dy, dx);
	if (r < 0.0) {
		r += dy;
		n--;
	}
	*quotient = (uint)n;
	return r;
}
INLINE bool no_remainder(float x, float y) { return !(__builtin_fabsf(x) < INFINITY) || y != y || y == 0.0f; }

OVERLOAD float fmod(float x, float y)
{
	if (__builtin_expect(no_remainder(x, y), 0))
		return NAN;
	uint n;
	float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
	float r = ay < INFINITY ? (float)remainder_truncated(ax, ay, &n) : ax;
	return __builtin_copysignf(r, x);
}

/* To nearest, ties to the even quotient. */
INLINE float remainder_nearest(float x, float y, int *quotient)
{
	*quotient = 0;
	if (__builtin_expect(no_remainder(x, y), 0))
		return NAN;
	float ay = __builtin_fabsf(y);
	if (ay == INFINITY)
		return x;
	uint n;
	double r = remainder_truncated(__builtin_fabsf(x), ay, &n), twice = r + r;
	if (twice > (double)ay || (twice == (double)ay && n & 1)) {
		r -= (double)ay;
		n++;
	}
	int q = (int)(n & 0x7f);
	*quotient = (as_int(x) ^ as_int(y)) < 0 ? -q : q;
	float v = (float)r;
	return v == 0.0f ? __builtin_copysignf(0.0f, x) : flip(v, as_uint(x) >> 31);
}
OVERLOAD float remainder(float x, float y)
{
	int q;
	return remainder_nearest(x, y, &q);
}
#define REMQUO(space)                                                                              \
	OVERLOAD float remquo(float x, float y, space int *quotient)                               \
	{                                                                                          \
		int q;                                                                             \
		float r = remainder_nearest(x, y, &q);                                             \
		*quotient = q;                                                                     \
		return r;                                                                          \
	}
REMQUO(private) REMQUO(global) REMQUO(local)

/* 7.5.1: fract of a zero or an infinity is a zero of its sign. */
#define FRACT(space, type, below_one, floor, fmin, copysign, fabs)                                 \
	OVERLOAD type fract(type x, space type *whole)                                             \
	{                                                                                          \
		type f = floor(x), r = fmin(x - f, below_one);                                     \
		*whole = f;                                                                        \
		if (x == 0 || fabs(x) == (type)INFINITY)                                           \
			r = copysign((type)0, x);                                                  \
		return x != x ? x : r;                                                             \
	}
#define FRACTS(...) FRACT(private, __VA_ARGS__) FRACT(global, __VA_ARGS__) FRACT(local, __VA_ARGS__)
FRACTS(float, 0x1.fffffep-1f, __builtin_floorf, __builtin_fminf, __builtin_copysignf, __builtin_fabsf)
FRACTS(double, 0x1.fffffffffffffp-1, __builtin_floor, __builtin_fmin, __builtin_copysign, __builtin_fabs)

/* Both operations are rounded: within 1.5 ULP. */
OVERLOAD float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
OVERLOAD double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
