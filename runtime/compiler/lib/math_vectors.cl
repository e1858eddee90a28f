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
#define POINTER_VECTORS(space, type, second, f, of)                                                \
	POINTER_2(space, type, second, f, of) POINTER_3(space, type, second, f, of) POINTER_4(space, type, second, f, of) \
	POINTER_HALVES(space, type, second, f, of, 8, 4) POINTER_HALVES(space, type, second, f, of, 16, 8)
#define POINTER_2(space, type, second, f, of)                                                      \
	OVERLOAD type##2 f(of##_PARAMETERS(type##2), space second##2 *p)                           \
	{                                                                                          \
		private second a, b;                                                               \
		type##2 r = (type##2)(f(of##_PARTS(s0), &a), f(of##_PARTS(s1), &b));               \
		*p = (second##2)(a, b);                                                            \
		return r;                                                                          \
	}
#define POINTER_3(space, type, second, f, of)                                                      \
	OVERLOAD type##3 f(of##_PARAMETERS(type##3), space second##3 *p)                           \
	{                                                                                          \
		private second a, b, c;                                                            \
		type##3 r = (type##3)(f(of##_PARTS(s0), &a), f(of##_PARTS(s1), &b), f(of##_PARTS(s2), &c)); \
		*p = (second##3)(a, b, c);                                                         \
		return r;                                                                          \
	}
#define POINTER_4(space, type, second, f, of)                                                      \
	OVERLOAD type##4 f(of##_PARAMETERS(type##4), space second##4 *p)                           \
	{                                                                                          \
		private second a, b, c, d;                                                         \
		type##4 r = (type##4)(f(of##_PARTS(s0), &a), f(of##_PARTS(s1), &b), f(of##_PARTS(s2), &c), f(of##_PARTS(s3), &d)); \
		*p = (second##4)(a, b, c, d);                                                      \
		return r;                                                                          \
	}
#define POINTER_HALVES(space, type, second, f, of, n, h)                                           \
	OVERLOAD type##h f(of##_PARAMETERS(type##h), private second##h *p);                        \
	OVERLOAD type##n f(of##_PARAMETERS(type##n), space second##n *p)                           \
	{                                                                                          \
		private second##h a, b;                                                            \
		type##n r = (type##n)(f(of##_PARTS(lo), &a), f(of##_PARTS(hi), &b));               \
		*p = (second##n)(a, b);                                                            \
		return r;                                                                          \
	}
#define FORM_POINTER(type, second, f)                                                              \
	OVERLOAD type f(type x, private second *p);                                                \
	POINTER_VECTORS(private, type, second, f, ONE) POINTER_VECTORS(global, type, second, f, ONE) \
	POINTER_VECTORS(local, type, second, f, ONE)
FORM_POINTER(float, float, sincos)
FORM_POINTER(float, float, fract)
FORM_POINTER(float, int, lgamma_r)
FORM_POINTER(double, double, sincos)
FORM_POINTER(double, double, fract)

#define REMQUO(space)                                                                              \
	POINTER_2(space, float, int, remquo, TWO) POINTER_3(space, float, int, remquo, TWO)        \
	POINTER_HALVES(space, float, int, remquo, TWO, 4, 2) POINTER_HALVES(space, float, int, remquo, TWO, 8, 4) \
	POINTER_HALVES(space, float, int, remquo, TWO, 16, 8)
OVERLOAD float remquo(float x, float y, private int *p);
REMQUO(private) REMQUO(global) REMQUO(local)
