/* native_* and half_* for float (OpenCL C 3.0, 6.15.2). native_ need nothing in particular: they are right to
 * at least 16 bits wherever the result is a normal number, and take less than the full functions. half_ need
 * 8192 ULP, but everything else that the full functions need, special values and large arguments too (7.5.1):
 * they are the full functions. */
#include "math.h"

/* 2^r on [-1/2, 1/2]; err 2^-18.4. Below 2^-126 zero, above infinity. */
INLINE float exp2_short(float x)
{
	x = __builtin_fminf(__builtin_fmaxf(x, -127.0f), 128.0f);
	int n = nearest_int(x);
	float r = x - (float)n;
	float p = POLY(r, 0x1.3a015ep-7f, 0x1.c9fdd2p-5f, 0x1.ec0382p-3f, 0x1.62e12ap-1f, 1.0f);
	return p * as_float((uint)(n + 127) << 23);
}
/* log2(m) = f p on [2/3, 4/3]; err 2^-17. For positive normal numbers; zero gives -127 or so. */
INLINE float log2_short(float x)
{
	uint bits = as_uint(x), offset = bits - 0x3f2aaaab;
	float e = (float)((int)offset >> 23), f = as_float(bits - (offset & 0xff800000)) - 1.0f;
	float p = POLY(f, -0x1.1ddcfcp-2f, 0x1.4e90fep-2f, -0x1.6f1be8p-2f, 0x1.eac0d4p-2f, -0x1.715848p-1f,
		       0x1.715524p+0f);
	return FMA(p, f, e);
}
/* x = n pi/2 + r, good to 2^16 or so. */
INLINE int reduce_short(float x, float *r)
{
	int n = nearest_int(x * 0x1.45f306p-1f);
	float k = (float)n;
	*r = FMA(k, 0x1.777a5cp-25f, FMA(k, -0x1.921fb6p+0f, x));
	return n;
}
INLINE float sin_short(float x)
{
	float r;
	int n = reduce_short(x, &r);
	return flip(n & 1 ? cos_poly(r) : sin_poly(r), (uint)n >> 1);
}
INLINE float cos_short(float x)
{
	float r;
	int n = reduce_short(x, &r);
	return flip(n & 1 ? sin_poly(r) : cos_poly(r), (uint)(n + 1) >> 1);
}
INLINE float tan_short(float x)
{
	float r;
	int n = reduce_short(x, &r);
	float s = sin_poly(r), c = cos_poly(r);
	return n & 1 ? -c / s : s / c;
}

#define UNARY(name, expression)                                                                    \
	OVERLOAD float name(float x) { return expression; }                                        \
	VECTOR_1(float, name)

UNARY(native_sin, sin_short(x))
UNARY(native_cos, cos_short(x))
UNARY(native_tan, tan_short(x))
UNARY(native_exp2, exp2_short(x))
UNARY(native_exp, exp2_short(x * 0x1.715476p+0f))
UNARY(native_exp10, exp2_short(x * 0x1.a934fp+1f))
UNARY(native_log2, log2_short(x))
UNARY(native_log, log2_short(x) * 0x1.62e43p-1f)
UNARY(native_log10, log2_short(x) * 0x1.344136p-2f)
UNARY(native_recip, 1.0f / x)
UNARY(native_sqrt, __builtin_sqrtf(x))
UNARY(native_rsqrt, 1.0f / __builtin_sqrtf(x))

#define BINARY(name, expression)                                                                   \
	OVERLOAD float name(float x, float y) { return expression; }                               \
	VECTOR_2(float, float, name)
BINARY(native_divide, x / y)
BINARY(native_powr, exp2_short(y * log2_short(x)))

#define HALF(name) UNARY(half_##name, name(x))
HALF(sin) HALF(cos) HALF(tan) HALF(exp2) HALF(exp) HALF(exp10) HALF(log2) HALF(log) HALF(log10) HALF(sqrt) HALF(rsqrt)
UNARY(half_recip, 1.0f / x)
BINARY(half_divide, x / y)
BINARY(half_powr, powr(x, y))
