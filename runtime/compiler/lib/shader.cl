/* What shaders call beyond OpenCL C: GLSL.std.450 (clc/spirv_math.c). */
#include "half.h"

#define SHADER_WIDTHS(X, type) X(type, ) X(type, 2) X(type, 3) X(type, 4)

#define FLOATING(type, n)                                                                          \
	OVERLOAD type##n shader_mix(type##n x, type##n y, type##n a) { return x * ((type)1 - a) + y * a; } \
	OVERLOAD type##n shader_fract(type##n x) { return x - floor(x); }                          \
	OVERLOAD type##n shader_fraction(type##n x)                                                \
	{                                                                                          \
		return copysign(x == trunc(x) ? (type##n)0 : x - trunc(x), x);                     \
	}                                                                                          \
	OVERLOAD type##n shader_mantissa(type##n x)                                                \
	{                                                                                          \
		private int##n exponent;                                                           \
		return frexp(x, &exponent);                                                        \
	}                                                                                          \
	OVERLOAD int##n shader_exponent(type##n x)                                                 \
	{                                                                                          \
		private int##n exponent;                                                           \
		(void)frexp(x, &exponent);                                                         \
		return exponent;                                                                   \
	}                                                                                          \
	OVERLOAD type##n shader_reflect(type##n i, type##n normal) { return i - (type)2 * dot(normal, i) * normal; } \
	OVERLOAD type##n shader_refract(type##n i, type##n normal, type eta)                       \
	{                                                                                          \
		const type d = dot(normal, i), k = (type)1 - eta * eta * ((type)1 - d * d);        \
		return k < (type)0 ? (type##n)0 : eta * i - (eta * d + sqrt(k)) * normal;          \
	}                                                                                          \
	OVERLOAD type##n shader_face_forward(type##n normal, type##n i, type##n reference)         \
	{                                                                                          \
		return dot(reference, i) < (type)0 ? normal : -normal;                             \
	}
SHADER_WIDTHS(FLOATING, float)
SHADER_WIDTHS(FLOATING, double)
SHADER_WIDTHS(FLOATING, half)

#define SIGN(type, n) OVERLOAD type##n shader_sign(type##n x) { return clamp(x, (type##n)-1, (type##n)1); }
SHADER_WIDTHS(SIGN, char)
SHADER_WIDTHS(SIGN, short)
SHADER_WIDTHS(SIGN, int)
SHADER_WIDTHS(SIGN, long)

/* The number of a bit; -1: there is none. Of a negative number the highest that is not set. */
#define FIND(int, n)                                                                               \
	OVERLOAD int##n shader_find_lowest(u##int##n x) { return as_int##n(31u - clz(x & -x)); }   \
	OVERLOAD int##n shader_find_highest(u##int##n x) { return as_int##n(31u - clz(x)); }       \
	OVERLOAD int##n shader_find_highest(int##n x) { return 31 - clz(x ^ x >> 31); }
SHADER_WIDTHS(FIND, int)

/* ---- numbers in a word ---- */
#define PACK(bits, lanes, type, low, most)                                            \
	OVERLOAD uint shader_pack_##bits(float##lanes x)                                           \
	{                                                                                          \
		return as_uint(convert_##type##lanes(rint(clamp(x, low, 1.0f) * most)));           \
	}                                                                                          \
	OVERLOAD float##lanes shader_unpack_##bits(uint x)                                         \
	{                                                                                          \
		return clamp(convert_float##lanes(as_##type##lanes(x)) / most, low, 1.0f);         \
	}
PACK(snorm4x8, 4, char, -1.0f, 127.0f)
PACK(unorm4x8, 4, uchar, 0.0f, 255.0f)
PACK(snorm2x16, 2, short, -1.0f, 32767.0f)
PACK(unorm2x16, 2, ushort, 0.0f, 65535.0f)
OVERLOAD uint shader_pack_half(float2 x) { return as_uint(convert_half2(x)); }
OVERLOAD float2 shader_unpack_half(uint x) { return convert_float2(as_half2(x)); }
OVERLOAD double shader_pack_double(uint2 x) { return as_double(x); }
OVERLOAD uint2 shader_unpack_double(double x) { return as_uint2(x); }

/* ---- matrices, by their columns ---- */
#define MATRICES(type)                                                                             \
	OVERLOAD type shader_determinant(type##2 a, type##2 b) { return a.x * b.y - b.x * a.y; }   \
	OVERLOAD type shader_determinant(type##3 a, type##3 b, type##3 c) { return dot(a, cross(b, c)); } \
	OVERLOAD type##4 shader_minors(type##4 a, type##4 b, type##4 c)                            \
	{ /* of the column that is not given: what its elements count for in the determinant */    \
		return (type##4)(shader_determinant(a.yzw, b.yzw, c.yzw), -shader_determinant(a.xzw, b.xzw, c.xzw), \
				 shader_determinant(a.xyw, b.xyw, c.xyw), -shader_determinant(a.xyz, b.xyz, c.xyz)); \
	}                                                                                          \
	OVERLOAD type shader_determinant(type##4 a, type##4 b, type##4 c, type##4 d)               \
	{                                                                                          \
		return dot(a, shader_minors(b, c, d));                                             \
	}                                                                                          \
	OVERLOAD type##2 shader_inverse(type##2 a, type##2 b, int column)                          \
	{                                                                                          \
		return (column ? (type##2)(-b.x, a.x) : (type##2)(b.y, -a.y)) / shader_determinant(a, b); \
	}                                                                                          \
	OVERLOAD type##3 shader_inverse(type##3 a, type##3 b, type##3 c, int column)               \
	{ /* rows of the inverse are products of two columns: part of each */                      \
		const type##3 x = cross(b, c), y = cross(c, a), z = cross(a, b);                   \
		return (column == 0 ? (type##3)(x.x, y.x, z.x) : column == 1 ? (type##3)(x.y, y.y, z.y) : (type##3)(x.z, y.z, z.z)) / dot(a, x); \
	}                                                                                          \
	OVERLOAD type##4 shader_inverse(type##4 a, type##4 b, type##4 c, type##4 d, int column)    \
	{                                                                                          \
		const type##4 x = shader_minors(b, c, d), y = -shader_minors(a, c, d), z = shader_minors(a, b, d), w = -shader_minors(a, b, c); \
		return (column == 0 ? (type##4)(x.x, y.x, z.x, w.x) : column == 1 ? (type##4)(x.y, y.y, z.y, w.y) : \
			column == 2 ? (type##4)(x.z, y.z, z.z, w.z) : (type##4)(x.w, y.w, z.w, w.w)) / dot(a, x); \
	}
MATRICES(float)
MATRICES(double)
MATRICES(half)
#define COLUMN(type, i)                                                                            \
	OVERLOAD type##2 shader_inverse##i(type##2 a, type##2 b) { return shader_inverse(a, b, i); } \
	OVERLOAD type##3 shader_inverse##i(type##3 a, type##3 b, type##3 c) { return shader_inverse(a, b, c, i); } \
	OVERLOAD type##4 shader_inverse##i(type##4 a, type##4 b, type##4 c, type##4 d) { return shader_inverse(a, b, c, d, i); }
#define COLUMNS(i) COLUMN(float, i) COLUMN(double, i) COLUMN(half, i)
COLUMNS(0) COLUMNS(1) COLUMNS(2) COLUMNS(3)

/* ---- memory of a work-group that begins with zeros; a barrier follows ---- */
void __galena_shader_zero_words(global uint *p, ulong words) __asm("shader_zero_words");
void __galena_shader_zero_words(global uint *p, ulong words)
{
	for (ulong i = get_local_linear_id(); i < words; i += get_local_size(0) * get_local_size(1) * get_local_size(2))
		p[i] = 0;
}
