/* Math functions of vectors are those of their elements (OpenCL C 3.0, 6.15.2). */
#include "checks.h"

#define MATH(type)                                                                                 \
	CHECK(math_vectors_##type)                                                                 \
	{                                                                                          \
		ulong bad = 0;                                                                     \
		rounds = rounds / 8 + 1;                                                           \
		EACH(type, acos) EACH(type, acosh) EACH(type, acospi) EACH(type, asin) EACH(type, asinh) EACH(type, asinpi) \
		EACH(type, atan) EACH(type, atanh) EACH(type, atanpi) EACH(type, cbrt) EACH(type, ceil) EACH(type, cos) \
		EACH(type, cosh) EACH(type, cospi) EACH(type, erf) EACH(type, erfc) EACH(type, exp) EACH(type, exp2) \
		EACH(type, exp10) EACH(type, expm1) EACH(type, fabs) EACH(type, floor) EACH(type, lgamma) EACH(type, log) \
		EACH(type, log2) EACH(type, log10) EACH(type, log1p) EACH(type, logb) EACH(type, rint) EACH(type, round) \
		EACH(type, rsqrt) EACH(type, sin) EACH(type, sinh) EACH(type, sinpi) EACH(type, sqrt) EACH(type, tan) \
		EACH(type, tanh) EACH(type, tanpi) EACH(type, tgamma) EACH(type, trunc)            \
		PAIR(type, atan2) PAIR(type, atan2pi) PAIR(type, copysign) PAIR(type, fdim) PAIR(type, fmod) \
		PAIR(type, hypot) PAIR(type, nextafter) PAIR(type, pow) PAIR(type, powr) PAIR(type, remainder) \
		ELEMENTWISE_3(type, type, fma, 3)                                                  \
		return bad;                                                                        \
	}
#define EACH(type, f) ELEMENTWISE_1(type, type, f, 3) ELEMENTWISE_1(type, type, f, 16)
#define PAIR(type, f) ELEMENTWISE_2(type, type, f, 3)
MATH(float)
MATH(double)
CHECK(native_vectors)
{
	ulong bad = 0;
	rounds = rounds / 8 + 1;
	EACH(float, native_sin) EACH(float, native_cos) EACH(float, native_exp) EACH(float, native_exp2) EACH(float, native_log)
	EACH(float, native_sqrt) EACH(float, native_rsqrt) EACH(float, native_recip) EACH(float, half_sin) EACH(float, half_log10)
	EACH(float, half_exp10) EACH(float, half_sqrt) PAIR(float, native_divide) PAIR(float, native_powr) PAIR(float, half_powr)
	return bad;
}

