/* Vector forms of the math functions that this library defines (OpenCL C 3.0, 6.15.2). */
#include "builtins.h"

#define FORM_1(type, f) OVERLOAD type f(type x); VECTOR_1(type, f)
#define FORM_2(type, second, f) OVERLOAD type f(type x, second y); VECTOR_2(type, second, f)

FORM_1(float, sin) FORM_1(float, cos) FORM_1(float, tan) FORM_1(float, sinpi) FORM_1(float, cospi) FORM_1(float, tanpi)
FORM_1(float, atan) FORM_1(float, exp) FORM_1(float, exp2) FORM_1(float, exp10) FORM_1(float, log) FORM_1(float, log2)
FORM_1(float, log10) FORM_1(float, erf) FORM_1(float, erfc) FORM_1(float, tgamma) FORM_1(float, lgamma) FORM_1(float, rsqrt)
FORM_2(float, float, atan2) FORM_2(float, float, atan2pi) FORM_2(float, float, pow) FORM_2(float, float, powr)
FORM_2(float, float, fmod) FORM_2(float, float, remainder) FORM_2(float, float, hypot)
FORM_2(float, int, pown) FORM_2(float, int, rootn) FORM_2(float, int, ldexp)

FORM_1(double, sin) FORM_1(double, tan) FORM_1(double, atan) FORM_1(double, atanpi) FORM_1(double, erf) FORM_1(double, expm1)
FORM_1(double, sinpi) FORM_1(double, cospi) FORM_1(double, tanpi) FORM_1(double, tgamma) FORM_1(double, rsqrt)
FORM_2(double, int, ldexp)

/* One exponent for a whole vector. */
#define LDEXP_N(type, n) OVERLOAD type##n ldexp(type##n x, int k) { return ldexp(x, (int##n)k); }
EACH_VECTOR(LDEXP_N, float)
EACH_VECTOR(LDEXP_N, double)

/* Functions with a second result. */
#define POINTER_VECTORS(space, type, second, f)                                                    \
	POINTER_2(space, type, second, f) POINTER_3(space, type, second, f) POINTER_4(space, type, second, f) \
	POINTER_HALVES(space, type, second, f, 8, 4) POINTER_HALVES(space, type, second, f, 16, 8)
#define POINTER_2(space, type, second, f)                                                          \
	OVERLOAD type##2 f(type##2 x, space second##2 *p)                                          \
	{                                                                                          \
		private second a, b;                                                               \
		type##2 r = (type##2)(f(x.s0, &a), f(x.s1, &b));                                   \
		*p = (second##2)(a, b);                                                            \
		return r;                                                                          \
	}
#define POINTER_3(space, type, second, f)                                                          \
	OVERLOAD type##3 f(type##3 x, space second##3 *p)                                          \
	{                                                                                          \
		private second a, b, c;                                                            \
		type##3 r = (type##3)(f(x.s0, &a), f(x.s1, &b), f(x.s2, &c));                      \
		*p = (second##3)(a, b, c);                                                         \
		return r;                                                                          \
	}
#define POINTER_4(space, type, second, f)                                                          \
	OVERLOAD type##4 f(type##4 x, space second##4 *p)                                          \
	{                                                                                          \
		private second a, b, c, d;                                                         \
		type##4 r = (type##4)(f(x.s0, &a), f(x.s1, &b), f(x.s2, &c), f(x.s3, &d));         \
		*p = (second##4)(a, b, c, d);                                                      \
		return r;                                                                          \
	}
#define POINTER_HALVES(space, type, second, f, n, h)                                               \
	OVERLOAD type##h f(type##h x, private second##h *p);                                       \
	OVERLOAD type##n f(type##n x, space second##n *p)                                          \
	{                                                                                          \
		private second##h a, b;                                                            \
		type##n r = (type##n)(f(x.lo, &a), f(x.hi, &b));                                   \
		*p = (second##n)(a, b);                                                            \
		return r;                                                                          \
	}
#define FORM_POINTER(type, second, f)                                                              \
	OVERLOAD type f(type x, private second *p);                                                \
	POINTER_VECTORS(private, type, second, f) POINTER_VECTORS(global, type, second, f)         \
	POINTER_VECTORS(local, type, second, f)
FORM_POINTER(float, float, sincos)
FORM_POINTER(float, float, fract)
FORM_POINTER(float, int, lgamma_r)
FORM_POINTER(double, double, sincos)
FORM_POINTER(double, double, fract)

#define REMQUO_2(space)                                                                            \
	OVERLOAD float2 remquo(float2 x, float2 y, space int2 *p)                                  \
	{                                                                                          \
		private int a, b;                                                                  \
		float2 r = (float2)(remquo(x.s0, y.s0, &a), remquo(x.s1, y.s1, &b));               \
		*p = (int2)(a, b);                                                                 \
		return r;                                                                          \
	}
#define REMQUO_3(space)                                                                            \
	OVERLOAD float3 remquo(float3 x, float3 y, space int3 *p)                                  \
	{                                                                                          \
		private int a, b, c;                                                               \
		float3 r = (float3)(remquo(x.s0, y.s0, &a), remquo(x.s1, y.s1, &b), remquo(x.s2, y.s2, &c)); \
		*p = (int3)(a, b, c);                                                              \
		return r;                                                                          \
	}
#define REMQUO_HALVES(space, n, h)                                                                 \
	OVERLOAD float##h remquo(float##h x, float##h y, private int##h *p);                       \
	OVERLOAD float##n remquo(float##n x, float##n y, space int##n *p)                          \
	{                                                                                          \
		private int##h a, b;                                                               \
		float##n r = (float##n)(remquo(x.lo, y.lo, &a), remquo(x.hi, y.hi, &b));           \
		*p = (int##n)(a, b);                                                               \
		return r;                                                                          \
	}
#define REMQUO(space)                                                                              \
	REMQUO_2(space) REMQUO_3(space) REMQUO_HALVES(space, 4, 2) REMQUO_HALVES(space, 8, 4) REMQUO_HALVES(space, 16, 8)
OVERLOAD float remquo(float x, float y, private int *p);
REMQUO(private) REMQUO(global) REMQUO(local)
