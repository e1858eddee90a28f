/* convert_TYPE{_sat}{_rounding} of every pair of scalar types against the definition, of vectors
 * against scalars (OpenCL C 3.0, 6.4.3); vload_half and vstore_half (6.15.7). */
#include "checks.h"

/* ---- to integers: round, saturate (NaN is 0); without _sat only what fits is defined ---- */
#define ROUND_rte(x) rint(x)
#define ROUND_rtz(x) trunc(x)
#define ROUND_rtp(x) ceil(x)
#define ROUND_rtn(x) floor(x)
#define TO_INT(type, source, suffix, round, lo, end)                                               \
	for (uint i = 0; i < rounds; i++) {                                                        \
		source x = any_##source(&seed);                                                    \
		double r = round((double)x);                                                       \
		bool inside = r >= lo && r < end;                                                  \
		type whole = inside ? (type)r : r >= end ? type##_HIGH : r < lo ? type##_LOW : (type)0; \
		bad += convert_##type##_sat##suffix(x) != whole;                                   \
		if (inside)                                                                        \
			bad += convert_##type##suffix(x) != whole;                                 \
	}
#define TO_INT_MODES(type, source, lo, end)                                                        \
	TO_INT(type, source, , ROUND_rtz, lo, end) TO_INT(type, source, _rte, ROUND_rte, lo, end)  \
	TO_INT(type, source, _rtz, ROUND_rtz, lo, end) TO_INT(type, source, _rtp, ROUND_rtp, lo, end) \
	TO_INT(type, source, _rtn, ROUND_rtn, lo, end)
/* ---- integers to integers: the same in every rounding ---- */
#define INT_TO_INT(type, source, suffix)                                                           \
	for (uint i = 0; i < rounds; i++) {                                                        \
		source x = any_##source(&seed);                                                    \
		bool low = x < 0 && (type##_LOW == 0 || (long)x < (long)type##_LOW);               \
		bool high = x > 0 && (ulong)x > (ulong)type##_HIGH;                                \
		bad += convert_##type##suffix(x) != (type)x;                                       \
		bad += convert_##type##_sat##suffix(x) != (low ? (type)type##_LOW : high ? (type)type##_HIGH : (type)x); \
	}
#define INT_TO_INT_MODES(type, source)                                                             \
	INT_TO_INT(type, source, ) INT_TO_INT(type, source, _rtp)
#define char_LOW CHAR_MIN
#define char_HIGH CHAR_MAX
#define uchar_LOW 0
#define uchar_HIGH UCHAR_MAX
#define short_LOW SHRT_MIN
#define short_HIGH SHRT_MAX
#define ushort_LOW 0
#define ushort_HIGH USHRT_MAX
#define int_LOW INT_MIN
#define int_HIGH INT_MAX
#define uint_LOW 0
#define uint_HIGH UINT_MAX
#define long_LOW LONG_MIN
#define long_HIGH LONG_MAX
#define ulong_LOW 0
#define ulong_HIGH ULONG_MAX

#define VECTOR_CONVERT(type, source, n)                                                            \
	for (uint i = 0; i < rounds / 4 + 1; i++) {                                                \
		VECTOR_OF(source, n, a);                                                           \
		COMPARE(type, n, convert_##type##n##_sat_rte(a.v), convert_##type##_sat_rte(a.e[k])); \
	}
#define VECTOR_CONVERTS(type, source) WIDTHS(VECTOR_CONVERT, type, source)
#define INTEGER(type, lo, end)                                                                     \
	CHECK(convert_##type)                                                                      \
	{                                                                                          \
		ulong bad = 0;                                                                     \
		TO_INT_MODES(type, float, lo, end)                                                 \
		TO_INT_MODES(type, double, lo, end)                                                \
		TO_INT_MODES(type, half, lo, end)                                                  \
		INT_TO_INT_MODES(type, char) INT_TO_INT_MODES(type, uchar) INT_TO_INT_MODES(type, short) \
		INT_TO_INT_MODES(type, ushort) INT_TO_INT_MODES(type, int) INT_TO_INT_MODES(type, uint) \
		INT_TO_INT_MODES(type, long) INT_TO_INT_MODES(type, ulong)                         \
		VECTOR_CONVERTS(type, float) VECTOR_CONVERTS(type, half) VECTOR_CONVERTS(type, uchar) VECTOR_CONVERTS(type, long) \
		return bad;                                                                        \
	}
INTEGER(char, -128.0, 128.0) INTEGER(uchar, 0.0, 256.0) INTEGER(short, -32768.0, 32768.0) INTEGER(ushort, 0.0, 65536.0)
INTEGER(int, -0x1p31, 0x1p31) INTEGER(uint, 0.0, 0x1p32) INTEGER(long, -0x1p63, 0x1p63) INTEGER(ulong, 0.0, 0x1p64)

/* ---- to floating point: a value x between neighbours lo <= x <= hi of the type ---- */
/* Order of a rounded value and an integer: exact, for the rounded value is one, too. */
static int order_long(double r, long x) { return r >= 0x1p63 ? 1 : r < -0x1p63 ? -1 : (long)r > x ? 1 : (long)r < x ? -1 : 0; }
static int order_ulong(double r, ulong x) { return r >= 0x1p64 ? 1 : (ulong)r > x ? 1 : (ulong)r < x ? -1 : 0; }
static int order_double(double r, double x) { return r > x ? 1 : r < x ? -1 : 0; }
/* One step of the last place; from an infinity to the largest number. */
static float down_float(float r) { return r == 0.0f ? as_float(0x80000001u) : as_float(as_uint(r) + (r > 0.0f ? -1u : 1u)); }
static float up_float(float r) { return r == 0.0f ? as_float(1u) : as_float(as_uint(r) + (r > 0.0f ? 1u : -1u)); }
static half down_half(half r) { return r == 0.0h ? as_half((ushort)0x8001) : as_half((ushort)(as_ushort(r) + (r > 0.0h ? -1 : 1))); }
static half up_half(half r) { return r == 0.0h ? as_half((ushort)1) : as_half((ushort)(as_ushort(r) + (r > 0.0h ? 1 : -1))); }
static double down_double(double r) { return r == 0.0 ? as_double(0x8000000000000001ul) : as_double(as_ulong(r) + (r > 0.0 ? -1ul : 1ul)); }
static double up_double(double r) { return r == 0.0 ? as_double(1ul) : as_double(as_ulong(r) + (r > 0.0 ? 1ul : -1ul)); }
#define TO_FLOAT(type, source, wide)                                                               \
	for (uint i = 0; i < rounds; i++) {                                                        \
		source x = any_##source(&seed);                                                    \
		type near = (type)x, lower, upper;                                                \
		int order = order_##wide((double)near, (wide)x);                                   \
		lower = order > 0 ? down_##type(near) : near;                                      \
		upper = order < 0 ? up_##type(near) : near;                                        \
		bad += !same_##type(convert_##type(x), near);                                      \
		bad += !same_##type(convert_##type##_rte(x), near);                                \
		bad += !same_##type(convert_##type##_rtn(x), lower);                               \
		bad += !same_##type(convert_##type##_rtp(x), upper);                               \
		bad += !same_##type(convert_##type##_rtz(x), x > 0 ? lower : upper);               \
	}
#define FLOAT_VECTOR(type, source, n)                                                              \
	for (uint i = 0; i < rounds / 4 + 1; i++) {                                                \
		VECTOR_OF(source, n, a);                                                           \
		COMPARE(type, n, convert_##type##n##_rtp(a.v), convert_##type##_rtp(a.e[k]));      \
	}
#define FLOATING(type)                                                                             \
	CHECK(convert_##type)                                                                      \
	{                                                                                          \
		ulong bad = 0;                                                                     \
		TO_FLOAT(type, char, long) TO_FLOAT(type, short, long) TO_FLOAT(type, int, long) TO_FLOAT(type, long, long) \
		TO_FLOAT(type, uchar, ulong) TO_FLOAT(type, ushort, ulong) TO_FLOAT(type, uint, ulong) TO_FLOAT(type, ulong, ulong) \
		TO_FLOAT(type, float, double) TO_FLOAT(type, double, double) TO_FLOAT(type, half, double)         \
		WIDTHS(FLOAT_VECTOR, type, double) WIDTHS(FLOAT_VECTOR, type, long) WIDTHS(FLOAT_VECTOR, type, uchar) \
		WIDTHS(FLOAT_VECTOR, type, half) WIDTHS(FLOAT_VECTOR, type, float)                   \
		return bad;                                                                        \
	}
FLOATING(float) FLOATING(double) FLOATING(half)

/* ---- half ---- */
APART double half_value(ushort h)
{
	int e = h >> 10 & 31, m = h & 1023;
	double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024.0 + m, e - 25) : ldexp((double)m, -24);
	return h & 0x8000 ? -v : v;
}
/* The half next below or equal, or next above or equal, in magnitude order; a is not negative. */
APART ushort half_below(double a)
{
	ushort lo = 0, hi = 0x7c00;
	if (a == (double)INFINITY)
		return 0x7c00;
	while (hi - lo > 1) {
		ushort mid = (ushort)((lo + hi) / 2);
		if (half_value(mid) <= a)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}
#define HALF_STORE(type)                                                                           \
	for (uint i = 0; i < rounds * 8; i++) {                                                    \
		type x = any_##type(&seed);                                                        \
		if (i & 1) /* where half has its numbers, and halfway between them */              \
			x = (type)(half_value((ushort)next(&seed) & 0xfbff) * (i & 2 ? 1.0 : 1.0 + 0x1p-12 * (double)(next(&seed) & 7))); \
		double a = fabs((double)x);                                                        \
		ushort sign = signbit(x) ? 0x8000 : 0, in, out, near;                              \
		in = half_below(a);                                                                \
		out = in < 0x7c00 && half_value(in) < a ? in + 1 : in;                             \
		/* beyond the largest number, infinity is its neighbour as if it were 65536 */      \
		double middle = (half_value(in) + (out == 0x7c00 ? 65536.0 : half_value(out))) * 0.5; \
		near = in == out || a < middle || (a == middle && !(in & 1)) ? in : out;           \
		union { ushort u[24]; uint align; } m;                                                    \
		vstore_half(x, 0, (half *)m.u), vstore_half_rte(x, 1, (half *)m.u), vstore_half_rtz(x, 2, (half *)m.u);    \
		vstore_half_rtp(x, 3, (half *)m.u), vstore_half_rtn(x, 4, (half *)m.u);                            \
		if (x != x) {                                                                      \
			for (int k = 0; k < 5; k++)                                                \
				bad += (m.u[k] & 0x7fff) <= 0x7c00;                                \
			continue;                                                                  \
		}                                                                                  \
		bad += m.u[0] != (sign | near);                                                    \
		bad += m.u[1] != (sign | near);                                                    \
		bad += m.u[2] != (sign | in);                                                      \
		bad += m.u[3] != (sign | (sign ? in : out));                                       \
		bad += m.u[4] != (sign | (sign ? out : in));                                       \
		for (int k = 0; k < 24; k++)                                                       \
			m.u[k] = 0x1234;                                                           \
		vstore_half3_rtp((type##3)(x, 1, x), 1, (half *)m.u);                                      \
		bad += m.u[2] != 0x1234 || m.u[3] != (sign | (sign ? in : out)) || m.u[4] != 0x3c00 || m.u[5] != m.u[3] || m.u[6] != 0x1234; \
		vstorea_half3((type##3)(x, 2, x), 2, (half *)m.u);                                         \
		bad += m.u[7] != 0x1234 || m.u[8] != (sign | near) || m.u[9] != 0x4000 || m.u[10] != m.u[8] || m.u[12] != 0x1234; \
		vstore_half8_rtz((type##8)(x), 1, (half *)m.u);                                            \
		for (int k = 8; k < 16; k++)                                                       \
			bad += m.u[k] != (sign | in);                                              \
	}
CHECK(half)
{
	ulong bad = 0;
	for (uint h = 0; h < 65536; h++) {
		union { ushort u[16]; uint align; } m;
		for (int k = 0; k < 16; k++)
			m.u[k] = (ushort)(h + k);
		float16 v = vload_half16(0, (half *)m.u);
		float3 w = vload_half3(2, (half *)m.u), a = vloada_half3(2, (half *)m.u);
		for (int k = 0; k < 16; k++)
			bad += !same_float(v[k], (float)half_value(m.u[k]));
		bad += !same_float(vload_half(5, (half *)m.u), v.s5);
		for (int k = 0; k < 3; k++)
			bad += !same_float(w[k], v[6 + k]) || !same_float(a[k], v[8 + k]);
		m.u[0] = m.u[1] = 0;
		vstore_half(v.s7, 1, (half *)m.u);
		bad += v.s7 == v.s7 && m.u[1] != m.u[7];
	}
	HALF_STORE(float)
	HALF_STORE(double)
	return bad;
}
