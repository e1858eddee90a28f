/* The names of C's mathematical library, which the back end calls where the optimiser leaves an
 * intrinsic that is no instruction. */
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
float powf(float x, float y);
float powf(float x, float y) { return pow(x, y); }
double __galena_pow(double x, double y) __asm("pow");
double __galena_pow(double x, double y) { return pow(x, y); }
float ldexpf(float x, int n);
float ldexpf(float x, int n) { return ldexp(x, n); }
double __galena_ldexp(double x, int n) __asm("ldexp");
double __galena_ldexp(double x, int n) { return ldexp(x, n); }
