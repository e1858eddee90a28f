/* sin, cos, tan and their kin for float (OpenCL C 3.0, 6.15.2). */
#include "math.h"

/* 2/pi as a binary fraction, behind one word of zeros. */
constant ulong __galena_two_over_pi[6] = { 0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
					   0xfe5163abdebbc561, 0xb7246e3a424dd2e0 };

/* x = n pi/2 + r, |r| <= pi/4; n mod 4 counts. Large x (Payne and Hanek): the fraction of x * 2/pi mod 4
 * from the 128 bits of 2/pi that matter for x's exponent, in 64-bit fixed point with 2 integer bits. */
OUTLINE int __galena_reduce_large(float x, float *r)
{
	uint bits = as_uint(x);
	int e = (int)(bits >> 23 & 255) - 150;       /* |x| = m * 2^e */
	ulong m = (bits & 0x7fffff) | 0x800000;
	uint first = (uint)(e - 2 + 64);             /* bits before are multiples of 4 in the product */
	uint word = first >> 6, shift = first & 63;
	ulong a = __galena_two_over_pi[word], b = __galena_two_over_pi[word + 1], c = __galena_two_over_pi[word + 2];
	ulong hi = shift ? a << shift | b >> (64 - shift) : a;
	ulong lo = shift ? b << shift | c >> (64 - shift) : b;
	ulong product = m * hi + mul_hi(m, lo);
	int n = (int)((product + (1ul << 61)) >> 62);
	double f = (double)(long)(product - ((ulong)n << 62)) * 0x1.921fb54442d18p-62;
	*r = (float)(x < 0 ? -f : f);
	return x < 0 ? -n : n;
}

/* Up to here n is exact in 16 bits, and three parts of pi/2 leave r good to its last bit. All three are
 * positive and k is taken off, so that -0 stays -0. */
#define SMALL 70000.0f
INLINE int reduce(float x, float *r)
{
	if (__builtin_expect(!(__builtin_fabsf(x) < SMALL), 0)) {
		if (__builtin_fabsf(x) < INFINITY)
			return __galena_reduce_large(x, r);
		*r = x - x;
		return 0;
	}
	int n = nearest_int(x * 0x1.45f306p-1f);
	float k = (float)n;
	*r = FMA(-k, 0x1.846988p-48f, FMA(-k, 0x1.4442dp-24f, FMA(-k, 0x1.921fb4p+0f, x)));
	return n;
}

OVERLOAD float sin(float x)
{
	float r;
	int n = reduce(x, &r);
	return flip(n & 1 ? cos_poly(r) : sin_poly(r), (uint)n >> 1);
}

OVERLOAD float cos(float x)
{
	float r;
	int n = reduce(x, &r);
	return flip(n & 1 ? sin_poly(r) : cos_poly(r), (uint)(n + 1) >> 1);
}

#define SINCOS(space)                                                                              \
	OVERLOAD float sincos(float x, space float *c)                                             \
	{                                                                                          \
		float r;                                                                           \
		int n = reduce(x, &r);                                                             \
		float s = sin_poly(r), k = cos_poly(r);                                            \
		*c = flip(n & 1 ? s : k, (uint)(n + 1) >> 1);                                      \
		return flip(n & 1 ? k : s, (uint)n >> 1);                                          \
	}
SINCOS(private) SINCOS(global) SINCOS(local)

OVERLOAD float tan(float x)
{
	float r;
	int n = reduce(x, &r);
	float s = sin_poly(r), c = cos_poly(r);
	return n & 1 ? -c / s : s / c;
}

/* sin(pi x): x = n/2 + r exactly, |r| <= 1/4. Beyond 2^24 every number is an even integer. */
INLINE int reduce_pi(float x, float *r)
{
	if (!(__builtin_fabsf(x) < 0x1p24f))
		x = x - x; /* 0, or NaN from what is not finite */
	int n = nearest_int(x + x);
	*r = FMA((float)n, -0.5f, x) * 0x1.921fb6p+1f;
	return n;
}

/* 7.5.1: an integer gives a zero of its sign. */
OVERLOAD float sinpi(float x)
{
	float r;
	int n = reduce_pi(x, &r);
	float v = flip(n & 1 ? cos_poly(r) : sin_poly(r), (uint)n >> 1);
	return v == 0.0f ? __builtin_copysignf(0.0f, x) : v;
}

/* 7.5.1: cospi(n + 0.5) is +0. */
OVERLOAD float cospi(float x)
{
	float r;
	int n = reduce_pi(x, &r);
	float v = flip(n & 1 ? sin_poly(r) : cos_poly(r), (uint)(n + 1) >> 1);
	return v == 0.0f ? 0.0f : v;
}

/* 7.5.1: tanpi(n) is a zero of n's sign for even, of the other for odd n; tanpi(n + 0.5) is an
 * infinity, positive for even n. */
OVERLOAD float tanpi(float x)
{
	float r;
	int n = reduce_pi(x, &r);
	float s = sin_poly(r), c = cos_poly(r);
	if (s == 0.0f) {
		if (n & 1)
			return n & 2 ? -INFINITY : INFINITY;
		return flip(__builtin_copysignf(0.0f, x), (uint)n >> 1 & 1);
	}
	return n & 1 ? -c / s : s / c;
}

/* atan on [0, 1]; err 2^-25.8. */
INLINE float atan_poly(float t)
{
	float s = t * t;
	float p = POLY(s, 0x1.7ec1c4p-9f, -0x1.0c23fep-6f, 0x1.61f756p-5f, -0x1.3553f4p-4f, 0x1.b4dfdcp-4f,
		       -0x1.230abp-3f, 0x1.9978eep-3f, -0x1.5554dcp-2f);
	return FMA(p, s * t, t);
}

OVERLOAD float atan(float x)
{
	float a = __builtin_fabsf(x);
	float v = a > 1.0f ? 0x1.921fb6p+0f - atan_poly(1.0f / a) : atan_poly(a);
	return __builtin_copysignf(v, x);
}

/* The angle of (x, y), up to its sign, from the smaller over the larger. NaN where one is NaN. */
INLINE float angle(float y, float x, float turn, float unit)
{
	float ay = __builtin_fabsf(y), ax = __builtin_fabsf(x);
	float hi = __builtin_fmaxf(ax, ay), lo = __builtin_fminf(ax, ay);
	float t = lo / hi;
	if (__builtin_expect(!(t >= 0x1p-126f && ax + ay < INFINITY), 0)) {
		if (x != x || y != y)
			return x + y;
		if (hi == INFINITY)
			t = lo == INFINITY ? 1.0f : 0.0f;
		else if (hi == 0.0f)
			t = 0.0f;
		else if (t < 0x1p-126f && x > 0.0f && ay <= ax) /* a subnormal angle: unit and division rounded as one */
			return (float)((double)ay / (double)ax * (unit == 1.0f ? 1.0 : 0x1.45f306dc9c883p-2));
	}
	float v = atan_poly(t) * unit;
	if (ay > ax)
		v = 0.5f * turn - v;
	return as_int(x) < 0 ? turn - v : v;
}
OVERLOAD float atan2(float y, float x) { return __builtin_copysignf(angle(y, x, 0x1.921fb6p+1f, 1.0f), y); }
OVERLOAD float atan2pi(float y, float x) { return __builtin_copysignf(angle(y, x, 1.0f, 0x1.45f306p-2f), y); }
