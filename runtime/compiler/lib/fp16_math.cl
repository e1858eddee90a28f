/* Math functions of half (cl_khr_fp16; OpenCL C 3.0, 6.15.2): those of float, rounded once. Float has more
 * than twice the bits of half, so what is correctly rounded there is so here, and an error of a few ULP
 * of float leaves a little more than half an ULP. */
#include "half.h"

#define WITH_INT(f, n)                                                                             \
	OVERLOAD float##n f(float##n x, int##n k);                                                 \
	OVERLOAD half##n f(half##n x, int##n k) { return HALVES(n, f(FLOATS(n, x), k)); }
#define WITH_SCALAR(f, n) OVERLOAD half##n f(half##n x, half y) { return f(x, (half##n)y); }

EACH_WIDTH(UNARY, acos) EACH_WIDTH(UNARY, acosh) EACH_WIDTH(UNARY, acospi) EACH_WIDTH(UNARY, asin) EACH_WIDTH(UNARY, asinh)
EACH_WIDTH(UNARY, asinpi) EACH_WIDTH(UNARY, atan) EACH_WIDTH(UNARY, atanh) EACH_WIDTH(UNARY, atanpi) EACH_WIDTH(UNARY, cbrt)
EACH_WIDTH(UNARY, ceil) EACH_WIDTH(UNARY, cos) EACH_WIDTH(UNARY, cosh) EACH_WIDTH(UNARY, cospi) EACH_WIDTH(UNARY, erf)
EACH_WIDTH(UNARY, erfc) EACH_WIDTH(UNARY, exp) EACH_WIDTH(UNARY, exp2) EACH_WIDTH(UNARY, exp10) EACH_WIDTH(UNARY, expm1)
EACH_WIDTH(UNARY, floor) EACH_WIDTH(UNARY, lgamma) EACH_WIDTH(UNARY, log) EACH_WIDTH(UNARY, log2) EACH_WIDTH(UNARY, log10)
EACH_WIDTH(UNARY, log1p) EACH_WIDTH(UNARY, logb) EACH_WIDTH(UNARY, rint) EACH_WIDTH(UNARY, round) EACH_WIDTH(UNARY, rsqrt)
EACH_WIDTH(UNARY, sin) EACH_WIDTH(UNARY, sinh) EACH_WIDTH(UNARY, sinpi) EACH_WIDTH(UNARY, sqrt) EACH_WIDTH(UNARY, tan)
EACH_WIDTH(UNARY, tanh) EACH_WIDTH(UNARY, tanpi) EACH_WIDTH(UNARY, tgamma) EACH_WIDTH(UNARY, trunc)

EACH_WIDTH(BINARY, atan2) EACH_WIDTH(BINARY, atan2pi) EACH_WIDTH(BINARY, fdim) EACH_WIDTH(BINARY, fmax) EACH_WIDTH(BINARY, fmin)
EACH_WIDTH(BINARY, fmod) EACH_WIDTH(BINARY, hypot) EACH_WIDTH(BINARY, maxmag) EACH_WIDTH(BINARY, minmag) EACH_WIDTH(BINARY, pow)
EACH_WIDTH(BINARY, powr) EACH_WIDTH(BINARY, remainder)
EACH_VECTOR(WITH_SCALAR, fmax) EACH_VECTOR(WITH_SCALAR, fmin)

EACH_WIDTH(WITH_INT, ldexp) EACH_WIDTH(WITH_INT, pown) EACH_WIDTH(WITH_INT, rootn)
#define LDEXP_SCALAR(half, n) OVERLOAD half##n ldexp(half##n x, int k) { return ldexp(x, (int##n)k); }
EACH_VECTOR(LDEXP_SCALAR, half)

/* The product of two halves is exact in double, and so is all of the sum that a rounding to half can
 * depend on. mad may be fma, which takes fewer instructions than a product and a sum. */
#define FMA(f, n)                                                                                  \
	OVERLOAD half##n f(half##n x, half##n y, half##n z)                                        \
	{                                                                                          \
		return HALVES(n, __builtin_elementwise_fma(DOUBLES(n, x), DOUBLES(n, y), DOUBLES(n, z))); \
	}
EACH_WIDTH(FMA, fma) EACH_WIDTH(FMA, mad)

/* ---- on the bits ---- */
#define BITS(half, n)                                                                              \
	OVERLOAD half##n fabs(half##n x) { return as_half##n((ushort##n)(as_ushort##n(x) & (ushort##n)0x7fff)); } \
	OVERLOAD half##n copysign(half##n x, half##n y)                                            \
	{                                                                                          \
		return as_half##n((ushort##n)((as_ushort##n(x) & (ushort##n)0x7fff) | (as_ushort##n(y) & (ushort##n)0x8000))); \
	}                                                                                          \
	OVERLOAD half##n nan(ushort##n code) { return as_half##n((ushort##n)((code & (ushort##n)0x7fff) | (ushort##n)0x7e00)); } \
	OVERLOAD int##n ilogb(float##n x);                                                         \
	OVERLOAD int##n ilogb(half##n x) { return ilogb(FLOATS(n, x)); }
EACH_WIDTH(BITS, half)

OVERLOAD half nextafter(half x, half y)
{
	float a = (float)x, b = (float)y;
	ushort bits = as_ushort(x);
	if (a != a || b != b)
		return (half)(a + b);
	if (a == b)
		return y;
	if (a == 0.0f)
		return as_half((ushort)((as_ushort(y) & 0x8000) | 1));
	return as_half((ushort)((a < b) == (a > 0.0f) ? bits + 1 : bits - 1));
}
VECTOR_2(half, half, nextafter)

/* ---- a second result through a pointer ---- */
#define SAME(x) (x)
/* fract is below one (6.15.2), in half as in float. */
#define BELOW_ONE(x) ({ __auto_type value = x; value > 0x1.ffcp-1f ? 0x1.ffcp-1f : value; })
#define SECOND(space, f, limit, n)                                                                 \
	OVERLOAD float##n f(float##n x, private float##n *p);                                      \
	OVERLOAD half##n f(half##n x, space half##n *p)                                            \
	{                                                                                          \
		private float##n second;                                                           \
		float##n first = f(FLOATS(n, x), &second);                                         \
		*p = HALVES(n, second);                                                            \
		return HALVES(n, limit(first));                                                    \
	}
#define SECOND_INT(space, f, of, n)                                                                \
	OVERLOAD float##n f(of##_PARAMETERS(float##n), private int##n *p);                         \
	OVERLOAD half##n f(of##_PARAMETERS(half##n), space int##n *p)                              \
	{                                                                                          \
		private int##n second;                                                             \
		float##n first = f(of##_OPERANDS(FLOATS, n), &second);                             \
		*p = second;                                                                       \
		return HALVES(n, first);                                                           \
	}
#define POINTERS(space)                                                                            \
	EACH_WIDTH(SECOND, space, modf, SAME) EACH_WIDTH(SECOND, space, sincos, SAME)              \
	EACH_WIDTH(SECOND, space, fract, BELOW_ONE)                                                \
	EACH_WIDTH(SECOND_INT, space, frexp, ONE) EACH_WIDTH(SECOND_INT, space, lgamma_r, ONE)     \
	EACH_WIDTH(SECOND_INT, space, remquo, TWO)
POINTERS(private) POINTERS(global) POINTERS(local) POINTERS(generic)
