/* What the files for half share. The device loads, stores and converts halves and has no arithmetic for
 * them: whatever computes goes by way of float or double and is rounded to half once. */
#ifndef GALENA_LIB_HALF_H
#define GALENA_LIB_HALF_H
#include "builtins.h"

/* Values of so many halves (n as in EACH_WIDTH) in another type, exactly; and back, to nearest even. */
#define FLOATS(n, x) CONVERTED_##n(float, x)
#define DOUBLES(n, x) CONVERTED_##n(double, x)
#define HALVES(n, x) CONVERTED_##n(half, x)
#define CONVERTED_(type, x) ((type)(x))
#define CONVERTED_2(type, x) __builtin_convertvector(x, type##2)
#define CONVERTED_3(type, x) __builtin_convertvector(x, type##3)
#define CONVERTED_4(type, x) __builtin_convertvector(x, type##4)
#define CONVERTED_8(type, x) __builtin_convertvector(x, type##8)
#define CONVERTED_16(type, x) __builtin_convertvector(x, type##16)

/* A function of halves is that of floats, rounded once. The first definition of a name hides the front end's
 * builtins of that name, so the float one is declared. */
#define UNARY(f, n)                                                                                \
	OVERLOAD float##n f(float##n x);                                                           \
	OVERLOAD half##n f(half##n x) { return HALVES(n, f(FLOATS(n, x))); }
#define BINARY(f, n)                                                                               \
	OVERLOAD float##n f(float##n x, float##n y);                                               \
	OVERLOAD half##n f(half##n x, half##n y) { return HALVES(n, f(FLOATS(n, x), FLOATS(n, y))); }

/* To half's bits in every rounding. Zfhmin converts to nearest even in one instruction, straight from
 * double too. The other roundings step the result back by one where nearest went too far: infinity
 * steps back to the largest finite value, as it must. */
#define ROUNDINGS(type)                                                                            \
	INLINE ushort half_rte_##type(type x) { return as_ushort((half)x); }                       \
	INLINE ushort half_rtz_##type(type x)                                                      \
	{                                                                                          \
		half h = (half)x;                                                                  \
		return as_ushort(h) - (ushort)(fabs((type)h) > fabs(x));                           \
	}                                                                                          \
	INLINE ushort half_rtp_##type(type x)                                                      \
	{                                                                                          \
		half h = (half)x;                                                                  \
		ushort bits = as_ushort(h), step = (type)h < x;                                    \
		return bits & 0x8000 ? bits - step : bits + step;                                  \
	}                                                                                          \
	INLINE ushort half_rtn_##type(type x)                                                      \
	{                                                                                          \
		half h = (half)x;                                                                  \
		ushort bits = as_ushort(h), step = (type)h > x;                                    \
		return bits & 0x8000 ? bits + step : bits - step;                                  \
	}
#define fabs(x) __builtin_elementwise_abs(x)
ROUNDINGS(float)
ROUNDINGS(double)
#undef fabs

#endif
