/* The device's math functions over arrays, one OpenCL C function for each of functions.def:
 * run_NAME_TYPE(a, b, c, n, r, r2, ri, count). calc.c runs them, accuracy.c asks and compares. */
#define divide(x, y) ((x) / (y))
#define BODY(type, ...) BODY_(type, __VA_ARGS__)
#define BODY_(type, name, ...)                                                                     \
	__attribute__((used)) void run_##name##_##type(global const type *a, global const type *b, global const type *c, \
				 global const int *n, global type *r, global type *r2, global int *ri, ulong count) \
	{                                                                                          \
		for (ulong i = 0; i < count; i++) {                                                \
			type second = 0;                                                           \
			int whole = 0;                                                             \
			type result = 0;                                                           \
			__VA_ARGS__;                                                               \
			r[i] = result;                                                             \
			r2[i] = second;                                                            \
			ri[i] = whole;                                                             \
		}                                                                                  \
	}
#define F1(name, ...) BODY(T, name, result = name(a[i]))
#define F2(name, ...) BODY(T, name, result = name(a[i], b[i]))
#define F3(name, ...) BODY(T, name, result = name(a[i], b[i], c[i]))
#define FI(name, ...) BODY(T, name, result = name(a[i], n[i]))
#define FP(name, ...) BODY(T, name, result = name(a[i], &second))
#define FPI(name, ...) BODY(T, name, result = name(a[i], &whole))
#define FQ(name, ...) BODY(T, name, result = name(a[i], b[i], &whole))
#define FR(name, ...) BODY(T, name, whole = name(a[i]))

#ifdef USE_DOUBLE
#define T double
#else
#define T float
#define FLOAT_ONLY
#endif
#include "functions.def"
