/* Integer builtins that libclc lacks or has worse (OpenCL C 3.0, 6.15.3; cl_khr_extended_bit_ops 1.0;
 * cl_khr_integer_dot_product 2.0). */
#include "builtins.h"

#define MAD_HI_N(type, n) OVERLOAD type##n mad_hi(type##n a, type##n b, type##n c) { return mul_hi(a, b) + c; }
#define MAD_HI(type) EACH_WIDTH(MAD_HI_N, type)
EACH_INTEGER(MAD_HI)

/* Trailing zeros; of zero, the number of bits. */
#define CTZ(type, bits)                                                                            \
	OVERLOAD type ctz(type x) { return x ? (type)__builtin_ctzl((ulong)x) : (type)bits; }      \
	EACH_VECTOR(CTZ_N, type)
#define CTZ_N(type, n) OVERLOAD type##n ctz(type##n x) { return popcount(~x & (x - (type)1)); }
CTZ(char, 8) CTZ(uchar, 8) CTZ(short, 16) CTZ(ushort, 16) CTZ(int, 32) CTZ(uint, 32) CTZ(long, 64) CTZ(ulong, 64)

/* A field of count bits at an offset; a count of 0 is an empty field. */
#define FIELDS_N(type, stype, utype, bits, n)                                                      \
	OVERLOAD type##n bitfield_insert(type##n base, type##n insert, uint at, uint count)        \
	{                                                                                          \
		utype mask = count ? (utype)((utype)((utype)~(utype)0 >> (bits - count)) << at) : (utype)0; \
		utype##n field = as_##utype##n(insert) << (utype##n)(utype)at;                     \
		return as_##type##n((utype##n)((as_##utype##n(base) & (utype##n)(utype)~mask) | (field & (utype##n)mask))); \
	}                                                                                          \
	OVERLOAD stype##n bitfield_extract_signed(type##n base, uint at, uint count)               \
	{                                                                                          \
		if (count == 0)                                                                    \
			return (stype##n)(stype)0;                                                 \
		return (stype##n)(as_##stype##n(base) << (stype##n)(stype)(bits - count - at)) >>\
		       (stype##n)(stype)(bits - count);                                            \
	}                                                                                          \
	OVERLOAD utype##n bitfield_extract_unsigned(type##n base, uint at, uint count)             \
	{                                                                                          \
		if (count == 0)                                                                    \
			return (utype##n)(utype)0;                                                 \
		return (utype##n)(as_##utype##n(base) << (utype##n)(utype)(bits - count - at)) >>\
		       (utype##n)(utype)(bits - count);                                            \
	}
#define FIELDS(stype, utype, bits)                                                                 \
	EACH_WIDTH(FIELDS_N, stype, stype, utype, bits)                                            \
	EACH_WIDTH(FIELDS_N, utype, stype, utype, bits)
FIELDS(char, uchar, 8)
FIELDS(short, ushort, 16)
FIELDS(int, uint, 32)
FIELDS(long, ulong, 64)

#define REVERSE_N(type, n) OVERLOAD type##n bit_reverse(type##n x) { return __builtin_elementwise_bitreverse(x); }
/* The builtin takes a scalar after promotion to int. */
#define REVERSE(type)                                                                              \
	OVERLOAD type bit_reverse(type x) { return __builtin_elementwise_bitreverse((type##2)(x, 0)).s0; } \
	EACH_VECTOR(REVERSE_N, type)
EACH_INTEGER(REVERSE)

/* libclc's compares first, which the optimiser does not always see to be a maximum and a minimum. */
#define CLAMP_N(type, n)                                                                           \
	OVERLOAD type##n clamp(type##n x, type##n lo, type##n hi)                                  \
	{                                                                                          \
		return __builtin_elementwise_min(__builtin_elementwise_max(x, lo), hi);            \
	}
#define CLAMP_SCALAR_N(type, n) OVERLOAD type##n clamp(type##n x, type lo, type hi) { return clamp(x, (type##n)lo, (type##n)hi); }
#define CLAMP(type) EACH_WIDTH(CLAMP_N, type) EACH_VECTOR(CLAMP_SCALAR_N, type)
EACH_INTEGER(CLAMP)

/* Dot products of four bytes; in the names of the packed ones s and u say which side is signed. */
#define DOT(result, ta, tb) OVERLOAD result dot(ta##4 a, tb##4 b)                                  \
	{                                                                                          \
		return (result)a.x * b.x + (result)a.y * b.y + (result)a.z * b.z + (result)a.w * b.w; \
	}                                                                                          \
	OVERLOAD result dot_acc_sat(ta##4 a, tb##4 b, result c) { return add_sat(dot(a, b), c); }
DOT(int, char, char)
DOT(uint, uchar, uchar)
DOT(int, uchar, char)
DOT(int, char, uchar)
#define PACKED(result, kind, ta, tb)                                                               \
	OVERLOAD result dot_4x8packed_##kind##_##result(uint a, uint b) { return dot(as_##ta##4(a), as_##tb##4(b)); } \
	OVERLOAD result dot_acc_sat_4x8packed_##kind##_##result(uint a, uint b, result c)          \
	{                                                                                          \
		return add_sat(dot(as_##ta##4(a), as_##tb##4(b)), c);                              \
	}
PACKED(int, ss, char, char)
PACKED(uint, uu, uchar, uchar)
PACKED(int, us, uchar, char)
PACKED(int, su, char, uchar)

/* libclc's saturates some products of long that fit. */
OVERLOAD long mad_sat(long a, long b, long c)
{
	long high = mul_hi(a, b);
	ulong low = (ulong)a * (ulong)b, sum = low + (ulong)c;
	long top = high + (long)(sum < low) + (c >> 63);
	if (top == (long)sum >> 63)
		return (long)sum;
	return top < 0 ? LONG_MIN : LONG_MAX;
}
#define THREE_VECTORS(type, second, n) type##n a, type##n b, type##n c
#define THREE_PARTS(part) a.part, b.part, c.part
VECTORS(OVERLOAD, long, , mad_sat, THREE)
