/* Conversions where libclc is wrong (OpenCL C 3.0, 6.4.3.3): saturated ones give 0 for NaN; 64-bit integers
 * next to 2^63 and 2^64 round down to floating point, not up; between zero and the least float a double keeps its sign. */
#include "builtins.h"

/* The instructions' own maximum and minimum: of NaN and a number, the number. */
#define MAX_float __builtin_fmaxf
#define MIN_float __builtin_fminf
#define MAX_double __builtin_fmax
#define MIN_double __builtin_fmin
#define RTE_float __builtin_roundevenf
#define RTZ_float __builtin_truncf
#define RTP_float __builtin_ceilf
#define RTN_float __builtin_floorf
#define RTE_double __builtin_roundeven
#define RTZ_double __builtin_trunc
#define RTP_double __builtin_ceil
#define RTN_double __builtin_floor

/* Limits that the source type has exactly: clamp, round. Unsigned: NaN becomes the lower limit, 0. */
#define SIGNED_EXACT(to, from, lo, hi, round)                                                      \
	(to)(-(int)(x == x) & (int)round(MIN_##from(MAX_##from(x, lo), hi)))
#define UNSIGNED_EXACT(to, from, lo, hi, round) (to)(uint)round(MIN_##from(MAX_##from(x, lo), hi))
/* 32 bits from float: by way of 64 bits, where their limit plus 1 fits. */
#define SIGNED_WIDE(to, from, lo, hi, round)                                                       \
	(to)(-(long)(x == x) & minimum((long)round(MIN_##from(MAX_##from(x, lo), hi)), (long)hi - 1))
#define UNSIGNED_WIDE(to, from, lo, hi, round) (to) minimum((long)round(MIN_##from(MAX_##from(x, lo), hi)), (long)hi - 1)
/* 64 bits: the largest number below the limit converts; from the limit on, the highest integer. */
#define SIGNED_LONG(to, from, lo, hi, round)                                                       \
	(x >= 0x1p63##hi ? LONG_MAX : -(long)(x == x) & (long)round(MIN_##from(MAX_##from(x, -0x1p63##hi), lo)))
#define UNSIGNED_LONG(to, from, lo, hi, round)                                                     \
	((ulong)round(MIN_##from(MAX_##from(x, 0), lo)) | -(ulong)(x >= 0x1p64##hi))
INLINE long minimum(long a, long b) { return a < b ? a : b; }

#define SATURATE(how, to, from, lo, hi, name, round)                                               \
	OVERLOAD to convert_##to##name(from x) { return how(to, from, lo, hi, round); }            \
	VECTOR_FORMS(to, from, name)
#define SATURATED(how, to, from, lo, hi)                                                           \
	SATURATE(how, to, from, lo, hi, _sat, RTZ_##from) SATURATE(how, to, from, lo, hi, _sat_rtz, RTZ_##from) \
	SATURATE(how, to, from, lo, hi, _sat_rte, RTE_##from) SATURATE(how, to, from, lo, hi, _sat_rtp, RTP_##from) \
	SATURATE(how, to, from, lo, hi, _sat_rtn, RTN_##from)
SATURATED(SIGNED_EXACT, char, float, -128.0f, 127.0f)
SATURATED(UNSIGNED_EXACT, uchar, float, 0.0f, 255.0f)
SATURATED(SIGNED_EXACT, short, float, -32768.0f, 32767.0f)
SATURATED(UNSIGNED_EXACT, ushort, float, 0.0f, 65535.0f)
SATURATED(SIGNED_WIDE, int, float, -0x1p31f, 0x1p31f)
SATURATED(UNSIGNED_WIDE, uint, float, 0.0f, 0x1p32f)
SATURATED(SIGNED_LONG, long, float, 0x1.fffffep62f, f)
SATURATED(UNSIGNED_LONG, ulong, float, 0x1.fffffep63f, f)
SATURATED(SIGNED_EXACT, char, double, -128.0, 127.0)
SATURATED(UNSIGNED_EXACT, uchar, double, 0.0, 255.0)
SATURATED(SIGNED_EXACT, short, double, -32768.0, 32767.0)
SATURATED(UNSIGNED_EXACT, ushort, double, 0.0, 65535.0)
SATURATED(SIGNED_EXACT, int, double, -0x1p31, 2147483647.0)
SATURATED(UNSIGNED_EXACT, uint, double, 0.0, 4294967295.0)
SATURATED(SIGNED_LONG, long, double, 0x1.fffffffffffffp62, )
SATURATED(UNSIGNED_LONG, ulong, double, 0x1.fffffffffffffp63, )

/* The bits of a that do not fit into so many significant bits. */
INLINE ulong excess(ulong a, int bits)
{
	int n = 64 - bits - (a ? (int)__builtin_clzl(a) : 64);
	return ~(~0ul << (n < 0 ? 0 : n));
}
INLINE ulong magnitude(long x) { return x < 0 ? -(ulong)x : (ulong)x; }

#define ROUND_DOWN(to, bits)                                                                       \
	OVERLOAD to convert_##to##_rtz(ulong x) { return (to)(x & ~excess(x, bits)); }             \
	OVERLOAD to convert_##to##_rtn(ulong x) { return (to)(x & ~excess(x, bits)); }             \
	OVERLOAD to convert_##to##_rtz(long x)                                                     \
	{                                                                                          \
		ulong a = magnitude(x);                                                            \
		to r = (to)(a & ~excess(a, bits));                                                 \
		return x < 0 ? -r : r;                                                             \
	}                                                                                          \
	OVERLOAD to convert_##to##_rtn(long x)                                                     \
	{                                                                                          \
		ulong a = magnitude(x), e = excess(a, bits);                                       \
		return x < 0 ? -(to)((a + e) & ~e) : (to)(a & ~e);                                 \
	}                                                                                          \
	VECTOR_FORMS(to, ulong, _rtz) VECTOR_FORMS(to, ulong, _rtn) VECTOR_FORMS(to, long, _rtz) VECTOR_FORMS(to, long, _rtn)
ROUND_DOWN(float, 24)
ROUND_DOWN(double, 53)

/* 32-bit integers next to 2^31 and 2^32 likewise; double has them all. */
#define ROUND_DOWN_32(from, wide)                                                                  \
	OVERLOAD float convert_float_rtz(from x) { return convert_float_rtz((wide)x); }            \
	OVERLOAD float convert_float_rtn(from x) { return convert_float_rtn((wide)x); }            \
	VECTOR_FORMS(float, from, _rtz) VECTOR_FORMS(float, from, _rtn)
ROUND_DOWN_32(int, long)
ROUND_DOWN_32(uint, ulong)

/* double to float: nearest, and a step of the bits back where that went too far. A zero that comes of it keeps
 * its sign, an infinity becomes the largest number. */
INLINE float stepped(float r, bool outwards, bool inwards) { return as_float(as_uint(r) + (uint)outwards - (uint)inwards); }
OVERLOAD float convert_float_rtz(double x)
{
	float r = (float)x;
	return stepped(r, false, __builtin_fabs((double)r) > __builtin_fabs(x));
}
OVERLOAD float convert_float_rtp(double x)
{
	float r = (float)x;
	bool below = (double)r < x, negative = as_long(x) < 0;
	return stepped(r, below && !negative, below && negative);
}
OVERLOAD float convert_float_rtn(double x)
{
	float r = (float)x;
	bool above = (double)r > x, negative = as_long(x) < 0;
	return stepped(r, above && negative, above && !negative);
}
VECTOR_FORMS(float, double, _rtz) VECTOR_FORMS(float, double, _rtp) VECTOR_FORMS(float, double, _rtn)
