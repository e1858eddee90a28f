/* Math functions that give a second result through a pointer, for pointers of the generic address
 * space (OpenCL C 3.0, 6.15.2). All pointers are flat here, so these call what private ones call. */
#include "builtins.h"

#define RESULT(name, type, second)                                                                 \
	OVERLOAD type name(type x, private second *p);                                             \
	OVERLOAD type name(type x, generic second *p)                                              \
	{                                                                                          \
		private second value;                                                              \
		type result = name(x, &value);                                                     \
		*p = value;                                                                        \
		return result;                                                                     \
	}
#define RESULT_REMQUO(type, second)                                                                \
	OVERLOAD type remquo(type x, type y, private second *p);                                   \
	OVERLOAD type remquo(type x, type y, generic second *p)                                    \
	{                                                                                          \
		private second value;                                                              \
		type result = remquo(x, y, &value);                                                \
		*p = value;                                                                        \
		return result;                                                                     \
	}
#define ALL_N(type, n)                                                                             \
	RESULT(fract, type##n, type##n)                                                            \
	RESULT(modf, type##n, type##n)                                                             \
	RESULT(sincos, type##n, type##n)                                                           \
	RESULT(frexp, type##n, int##n)                                                             \
	RESULT(lgamma_r, type##n, int##n)                                                          \
	RESULT_REMQUO(type##n, int##n)
EACH_WIDTH(ALL_N, float)
EACH_WIDTH(ALL_N, double)

/* OpenCL C has these with scalar edges for double as well (6.15.4); libclc forgot them. */
#define SMOOTHSTEP(type, n)                                                                        \
	OVERLOAD type##n smoothstep(type##n a, type##n b, type##n x);                              \
	OVERLOAD type##n smoothstep(type a, type b, type##n x) { return smoothstep((type##n)a, (type##n)b, x); }
EACH_VECTOR(SMOOTHSTEP, double)
