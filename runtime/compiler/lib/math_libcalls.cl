/* The names of C's mathematical library, which the back end calls where the optimiser leaves an
 * intrinsic, or the instruction frem, that is none of the device's. */
#include "math.h"

#define LIBCALL(name)                                                                              \
	float name##f(float x);                                                                    \
	float name##f(float x) { return name(x); }                                                 \
	double __galena_##name(double x) __asm(#name);                                             \
	double __galena_##name(double x) { return name(x); }
LIBCALL(sin)
LIBCALL(cos)
LIBCALL(tan)
LIBCALL(asin)
LIBCALL(acos)
LIBCALL(atan)
LIBCALL(sinh)
LIBCALL(cosh)
LIBCALL(tanh)
LIBCALL(exp)
LIBCALL(exp2)
LIBCALL(exp10)
LIBCALL(log)
LIBCALL(log2)
LIBCALL(log10)
#define LIBCALL_2(name, float_second, double_second)                                               \
	float name##f(float x, float_second y);                                                    \
	float name##f(float x, float_second y) { return name(x, y); }                              \
	double __galena_##name(double x, double_second y) __asm(#name);                            \
	double __galena_##name(double x, double_second y) { return name(x, y); }
LIBCALL_2(pow, float, double)
LIBCALL_2(fmod, float, double)
LIBCALL_2(ldexp, int, int)
