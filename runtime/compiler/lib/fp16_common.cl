/* Common, geometric, relational functions, select and shuffles of half (cl_khr_fp16; OpenCL C 3.0, 6.15.4
 * to 6.15.6, 6.15.10). */
#include "half.h"

/* ---- common and geometric: those of float, rounded once ---- */
#define TERNARY(f, n)                                                                              \
	OVERLOAD float##n f(float##n x, float##n y, float##n z);                                   \
	OVERLOAD half##n f(half##n x, half##n y, half##n z) { return HALVES(n, f(FLOATS(n, x), FLOATS(n, y), FLOATS(n, z))); }
EACH_WIDTH(UNARY, degrees) EACH_WIDTH(UNARY, radians) EACH_WIDTH(UNARY, sign)
EACH_WIDTH(BINARY, max) EACH_WIDTH(BINARY, min) EACH_WIDTH(BINARY, step)
EACH_WIDTH(TERNARY, clamp) EACH_WIDTH(TERNARY, mix) EACH_WIDTH(TERNARY, smoothstep)

#define WITH_SCALARS(half, n)                                                                      \
	OVERLOAD half##n max(half##n x, half y) { return max(x, (half##n)y); }                     \
	OVERLOAD half##n min(half##n x, half y) { return min(x, (half##n)y); }                     \
	OVERLOAD half##n clamp(half##n x, half lo, half hi) { return clamp(x, (half##n)lo, (half##n)hi); } \
	OVERLOAD half##n mix(half##n x, half##n y, half a) { return mix(x, y, (half##n)a); }       \
	OVERLOAD half##n step(half edge, half##n x) { return step((half##n)edge, x); }             \
	OVERLOAD half##n smoothstep(half lo, half hi, half##n x) { return smoothstep((half##n)lo, (half##n)hi, x); }
EACH_VECTOR(WITH_SCALARS, half)

#define GEOMETRIC(half, n)                                                                         \
	OVERLOAD float dot(float##n x, float##n y);                                                \
	OVERLOAD float length(float##n x);                                                         \
	OVERLOAD float distance(float##n x, float##n y);                                           \
	OVERLOAD half dot(half##n x, half##n y) { return (half)dot(FLOATS(n, x), FLOATS(n, y)); }  \
	OVERLOAD half length(half##n x) { return (half)length(FLOATS(n, x)); }                     \
	OVERLOAD half distance(half##n x, half##n y) { return (half)distance(FLOATS(n, x), FLOATS(n, y)); } \
	UNARY(normalize, n)
GEOMETRIC(half, ) GEOMETRIC(half, 2) GEOMETRIC(half, 3) GEOMETRIC(half, 4)
BINARY(cross, 3) BINARY(cross, 4)

/* ---- relational: 1 for scalars, -1 an element for vectors ---- */
#define TRUTH_ int
#define TRUTH_2 short2
#define TRUTH_3 short3
#define TRUTH_4 short4
#define TRUTH_8 short8
#define TRUTH_16 short16
#define MAGNITUDE(n, x) ((ushort##n)(as_ushort##n(x) & (ushort##n)0x7fff))
#define RELATIONAL(half, n)                                                                        \
	OVERLOAD TRUTH_##n isequal(half##n x, half##n y) { return x == y; }                        \
	OVERLOAD TRUTH_##n isnotequal(half##n x, half##n y) { return x != y; }                     \
	OVERLOAD TRUTH_##n isgreater(half##n x, half##n y) { return x > y; }                       \
	OVERLOAD TRUTH_##n isgreaterequal(half##n x, half##n y) { return x >= y; }                 \
	OVERLOAD TRUTH_##n isless(half##n x, half##n y) { return x < y; }                          \
	OVERLOAD TRUTH_##n islessequal(half##n x, half##n y) { return x <= y; }                    \
	OVERLOAD TRUTH_##n islessgreater(half##n x, half##n y) { return (x < y) | (x > y); }       \
	OVERLOAD TRUTH_##n isordered(half##n x, half##n y) { return (x == x) & (y == y); }         \
	OVERLOAD TRUTH_##n isunordered(half##n x, half##n y) { return (x != x) | (y != y); }       \
	OVERLOAD TRUTH_##n isfinite(half##n x) { return MAGNITUDE(n, x) < (ushort##n)0x7c00; }     \
	OVERLOAD TRUTH_##n isinf(half##n x) { return MAGNITUDE(n, x) == (ushort##n)0x7c00; }       \
	OVERLOAD TRUTH_##n isnan(half##n x) { return MAGNITUDE(n, x) > (ushort##n)0x7c00; }        \
	OVERLOAD TRUTH_##n isnormal(half##n x)                                                     \
	{                                                                                          \
		return (ushort##n)(MAGNITUDE(n, x) - (ushort##n)0x0400) < (ushort##n)0x7800;       \
	}                                                                                          \
	OVERLOAD TRUTH_##n signbit(half##n x) { return as_short##n(x) < (short##n)0; }
EACH_WIDTH(RELATIONAL, half)

/* ---- which bits go where ---- */
#define SELECT(half, n)                                                                            \
	OVERLOAD short##n select(short##n a, short##n b, short##n c);                              \
	OVERLOAD short##n select(short##n a, short##n b, ushort##n c);                             \
	OVERLOAD short##n bitselect(short##n a, short##n b, short##n c);                           \
	OVERLOAD half##n select(half##n a, half##n b, short##n c) { return as_half##n(select(as_short##n(a), as_short##n(b), c)); } \
	OVERLOAD half##n select(half##n a, half##n b, ushort##n c) { return as_half##n(select(as_short##n(a), as_short##n(b), c)); } \
	OVERLOAD half##n bitselect(half##n a, half##n b, half##n c)                                \
	{                                                                                          \
		return as_half##n(bitselect(as_short##n(a), as_short##n(b), as_short##n(c)));      \
	}
EACH_WIDTH(SELECT, half)

#define SHUFFLE(m, n)                                                                              \
	OVERLOAD ushort##n shuffle(ushort##m x, ushort##n mask);                                   \
	OVERLOAD ushort##n shuffle2(ushort##m x, ushort##m y, ushort##n mask);                     \
	OVERLOAD half##n shuffle(half##m x, ushort##n mask) { return as_half##n(shuffle(as_ushort##m(x), mask)); } \
	OVERLOAD half##n shuffle2(half##m x, half##m y, ushort##n mask)                            \
	{                                                                                          \
		return as_half##n(shuffle2(as_ushort##m(x), as_ushort##m(y), mask));               \
	}
#define SHUFFLES(m) SHUFFLE(m, 2) SHUFFLE(m, 4) SHUFFLE(m, 8) SHUFFLE(m, 16)
SHUFFLES(2) SHUFFLES(4) SHUFFLES(8) SHUFFLES(16)

/* ---- vloadn and vstoren ---- */
#define VLOAD(space, n)                                                                            \
	OVERLOAD ushort##n vload##n(size_t at, const space ushort *p);                             \
	OVERLOAD half##n vload##n(size_t at, const space half *p) { return as_half##n(vload##n(at, (const space ushort *)p)); }
#define VSTORE(space, n)                                                                           \
	OVERLOAD void vstore##n(ushort##n v, size_t at, space ushort *p);                          \
	OVERLOAD void vstore##n(half##n v, size_t at, space half *p) { vstore##n(as_ushort##n(v), at, (space ushort *)p); }
EACH_VECTOR(VLOAD, private) EACH_VECTOR(VLOAD, global) EACH_VECTOR(VLOAD, local) EACH_VECTOR(VLOAD, constant)
EACH_VECTOR(VLOAD, generic)
EACH_VECTOR(VSTORE, private) EACH_VECTOR(VSTORE, global) EACH_VECTOR(VSTORE, local) EACH_VECTOR(VSTORE, generic)
