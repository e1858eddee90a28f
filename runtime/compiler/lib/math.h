/* What the float math functions share. Polynomials are minimax fits with coefficients of the
 * type's precision; err is their relative error. Scaling by a power of two goes through double,
 * whose range covers every float result and rounds subnormal ones once. */
#ifndef GALENA_LIB_MATH_H
#define GALENA_LIB_MATH_H
#include "builtins.h"

#define FMA __builtin_fmaf
#define FMAD __builtin_fma

/* A polynomial in x by Horner's rule, the coefficient of its highest power first. */
#define POLY(...) HORNER(FMA, __VA_ARGS__)
#define POLYD(...) HORNER(FMAD, __VA_ARGS__)
#define HORNER(fma, x, ...) POLY_PICK(__VA_ARGS__, POLY_11, POLY_10, POLY_9, POLY_8, POLY_7, POLY_6, POLY_5, POLY_4)(fma, x, __VA_ARGS__)
#define POLY_PICK(a, b, c, d, e, f, g, h, i, j, k, name, ...) name
#define POLY_11(fma, x, a, b, ...) POLY_10(fma, x, fma(a, x, b), __VA_ARGS__)
#define POLY_10(fma, x, a, b, ...) POLY_9(fma, x, fma(a, x, b), __VA_ARGS__)
#define POLY_9(fma, x, a, b, ...) POLY_8(fma, x, fma(a, x, b), __VA_ARGS__)
#define POLY_8(fma, x, a, b, ...) POLY_7(fma, x, fma(a, x, b), __VA_ARGS__)
#define POLY_7(fma, x, a, b, ...) POLY_6(fma, x, fma(a, x, b), __VA_ARGS__)
#define POLY_6(fma, x, a, b, ...) POLY_5(fma, x, fma(a, x, b), __VA_ARGS__)
#define POLY_5(fma, x, a, b, ...) POLY_4(fma, x, fma(a, x, b), __VA_ARGS__)
#define POLY_4(fma, x, a, b, c, d) fma(fma(fma(a, x, b), x, c), x, d)

/* To the nearest integer; one instruction. Saturates, NaN becomes the largest. */
INLINE int nearest_int(float x) { return (int)__builtin_roundevenf(x); }
INLINE int nearest_int_d(double x) { return (int)__builtin_roundeven(x); }

/* p * 2^n for |n| <= 1022. */
INLINE float scale(float p, int n) { return (float)((double)p * as_double((ulong)(uint)(n + 1023) << 52)); }

/* x with its sign flipped where bit is 1. */
INLINE float flip(float x, uint bit) { return as_float(as_uint(x) ^ bit << 31); }

/* sin and cos on [-pi/4, pi/4]; err 2^-27.9 and 2^-33. */
INLINE float sin_poly(float r)
{
	float s = r * r;
	return r * FMA(FMA(FMA(-0x1.9952ecp-13f, s, 0x1.110776p-7f), s, -0x1.555546p-3f), s, 1.0f); /* keeps -0 */
}
INLINE float cos_poly(float r)
{
	float s = r * r;
	return FMA(FMA(FMA(FMA(0x1.99e8fcp-16f, s, -0x1.6c0c2ap-10f), s, 0x1.55554ap-5f), s, -0.5f), s, 1.0f);
}

/* 2^r on [-1/2, 1/2]; err 2^-28. */
INLINE float exp2_poly(float r)
{
	float p = POLY(r, 0x1.3fabfep-13f, 0x1.5f0ccap-10f, 0x1.3b3098p-7f, 0x1.c6af74p-5f, 0x1.ebfbd8p-3f,
		       0x1.62e43p-1f);
	return FMA(p, r, 1.0f);
}

/* log2 of a positive, finite, normal double; err 2^-37.8: atanh's series in (m - 1) / (m + 1). */
INLINE double log2_core(double x)
{
	long offset = as_long(x) - 0x3fe6a09e667f3bcd; /* m in [sqrt(1/2), sqrt(2)) */
	long e = offset >> 52;
	double m = as_double(as_long(x) - (e << 52));
	double s = (m - 1.0) / (m + 1.0), s2 = s * s;
	double p = POLYD(s2, 0x1.5ceff4d922b77p-2, 0x1.a58d2421bf87cp-2, 0x1.277780b3d56bcp-1,
			 0x1.ec709d11d001fp-1, 0x1.71547652beeb3p+1);
	return FMAD(p, s, (double)(int)e);
}
/* 2^x as float, for any x but NaN: beyond the range 0 or infinity. */
INLINE float exp2_core(double x)
{
	x = __builtin_fmin(__builtin_fmax(x, -200.0), 200.0);
	int n = nearest_int_d(x);
	return scale(exp2_poly((float)(x - (double)n)), n);
}

#endif
