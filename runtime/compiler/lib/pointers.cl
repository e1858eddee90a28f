/* Math functions that give a second result through a pointer, for pointers of the generic address
 * space (OpenCL C 3.0, 6.15.2). All pointers are flat here, so these call what private ones call. */
#include "builtins.h"

#define AS_IT_IS(n, x) x
#define RESULT(name, of, type, second)                                                             \
	OVERLOAD type name(of##_PARAMETERS(type), private second *p);                              \
	OVERLOAD type name(of##_PARAMETERS(type), generic second *p)                               \
	{                                                                                          \
		private second value;                                                              \
		type result = name(of##_OPERANDS(AS_IT_IS, ), &value);                             \
		*p = value;                                                                        \
		return result;                                                                     \
	}
#define ALL_N(type, n)                                                                             \
	RESULT(fract, ONE, type##n, type##n)                                                       \
	RESULT(modf, ONE, type##n, type##n)                                                        \
	RESULT(sincos, ONE, type##n, type##n)                                                      \
	RESULT(frexp, ONE, type##n, int##n)                                                        \
	RESULT(lgamma_r, ONE, type##n, int##n)                                                     \
	RESULT(remquo, TWO, type##n, int##n)
EACH_WIDTH(ALL_N, float)
EACH_WIDTH(ALL_N, double)

/* OpenCL C has these with scalar edges for double as well (6.15.4); libclc forgot them. */
#define SMOOTHSTEP(type, n)                                                                        \
	OVERLOAD type##n smoothstep(type##n a, type##n b, type##n x);                              \
	OVERLOAD type##n smoothstep(type a, type b, type##n x) { return smoothstep((type##n)a, (type##n)b, x); }
EACH_VECTOR(SMOOTHSTEP, double)
