/* Integer builtins (OpenCL C 3.0, 6.15.3): scalars against the definition, vectors against scalars. */
#include "checks.h"

#define LIMITS(type, lo, hi, half_bits, unsigned_type, is_signed)                                  \
	static const type lowest_##type = lo, highest_##type = hi;                                 \
	/* the high half of a product, from products of halves */                                  \
	static type high_##type(type a, type b)                                                    \
	{                                                                                          \
		const unsigned_type mask = (unsigned_type)(((unsigned_type)1 << half_bits) - 1);   \
		unsigned_type ua = (unsigned_type)a, ub = (unsigned_type)b;                        \
		ulong al = ua & mask, ah = ua >> half_bits, bl = ub & mask, bh = ub >> half_bits;  \
		ulong low = al * bl, m1 = al * bh + (low >> half_bits), m2 = ah * bl + (m1 & mask); \
		unsigned_type h = (unsigned_type)(ah * bh + (m1 >> half_bits) + (m2 >> half_bits)); \
		if (is_signed && a < 0)                                                            \
			h -= ub;                                                                   \
		if (is_signed && b < 0)                                                            \
			h -= ua;                                                                   \
		return (type)h;                                                                    \
	}
LIMITS(char, CHAR_MIN, CHAR_MAX, 4, uchar, 1) LIMITS(uchar, 0, UCHAR_MAX, 4, uchar, 0)
LIMITS(short, SHRT_MIN, SHRT_MAX, 8, ushort, 1) LIMITS(ushort, 0, USHRT_MAX, 8, ushort, 0)
LIMITS(int, INT_MIN, INT_MAX, 16, uint, 1) LIMITS(uint, 0, UINT_MAX, 16, uint, 0)
LIMITS(long, LONG_MIN, LONG_MAX, 32, ulong, 1) LIMITS(ulong, 0, ULONG_MAX, 32, ulong, 0)

#define INTEGER(type, unsigned_type)                                                               \
	CHECK(integer_##type)                                                                      \
	{                                                                                          \
		ulong bad = 0;                                                                     \
		const int bits = sizeof(type) * 8;                                                 \
		for (uint i = 0; i < rounds * 8; i++) {                                            \
			type a = any_##type(&seed), b = any_##type(&seed), c = any_##type(&seed), t;   \
			unsigned_type ua = (unsigned_type)a;                                       \
			bool over = __builtin_add_overflow(a, b, &t);                              \
			bad += add_sat(a, b) != (over ? (b < 0 ? lowest_##type : highest_##type) : t); \
			over = __builtin_sub_overflow(a, b, &t);                                   \
			bad += sub_sat(a, b) != (over ? (b > 0 ? lowest_##type : highest_##type) : t); \
			bad += abs_diff(a, b) != (unsigned_type)(a > b ? (unsigned_type)a - (unsigned_type)b : (unsigned_type)b - (unsigned_type)a); \
			bad += abs(a) != (unsigned_type)(a < 0 ? (unsigned_type)0 - ua : ua);      \
			bad += hadd(a, b) != (type)((a >> 1) + (b >> 1) + (a & b & 1));            \
			bad += rhadd(a, b) != (type)((a >> 1) + (b >> 1) + ((a | b) & 1));         \
			bad += max(a, b) != (a > b ? a : b);                                       \
			bad += min(a, b) != (a < b ? a : b);                                       \
			if (b <= c)                                                                \
				bad += clamp(a, b, c) != (a < b ? b : a > c ? c : a);              \
			int zeros = 0, ones = 0, trailing = 0;                                     \
			while (zeros < bits && !(ua >> (bits - 1 - zeros) & 1))                    \
				zeros++;                                                           \
			while (trailing < bits && !(ua >> trailing & 1))                           \
				trailing++;                                                        \
			for (int k = 0; k < bits; k++)                                             \
				ones += ua >> k & 1;                                               \
			bad += clz(a) != zeros;                                                    \
			bad += ctz(a) != trailing;                                                 \
			bad += popcount(a) != ones;                                                \
			int turn = (int)((ulong)b & (bits - 1));                                   \
			bad += rotate(a, b) != (type)(turn ? (unsigned_type)(ua << turn) | ua >> (bits - turn) : ua); \
			type high = high_##type(a, b);                                             \
			bad += mul_hi(a, b) != high;                                               \
			bad += mad_hi(a, b, c) != (type)((unsigned_type)high + (unsigned_type)c);   \
			type low = (type)((ulong)a * (ulong)b), sum;                               \
			/* a * b + c: its high half is high plus the carry of the addition */      \
			bool carry = (unsigned_type)((unsigned_type)low + (unsigned_type)c) < (unsigned_type)low; \
			sum = (type)((unsigned_type)low + (unsigned_type)c);                       \
			type top = (type)((unsigned_type)high + (unsigned_type)carry + (unsigned_type)(c < 0 ? ~(unsigned_type)0 : (unsigned_type)0)); \
			bool fits = lowest_##type < 0 ? top == (sum < 0 ? (type)-1 : (type)0) : top == 0; \
			type saturated = lowest_##type < 0 && top < 0 ? lowest_##type : highest_##type; \
			bad += mad_sat(a, b, c) != (fits ? sum : saturated);                       \
		}                                                                                  \
		ELEMENTWISE(type, type, add_sat, 2) ELEMENTWISE(type, type, sub_sat, 2)            \
		ELEMENTWISE(unsigned_type, type, abs_diff, 2) ELEMENTWISE(unsigned_type, type, abs, 1) \
		ELEMENTWISE(type, type, hadd, 2) ELEMENTWISE(type, type, rhadd, 2)                 \
		ELEMENTWISE(type, type, max, 2) ELEMENTWISE(type, type, min, 2)                    \
		ELEMENTWISE(type, type, clz, 1) ELEMENTWISE(type, type, ctz, 1) ELEMENTWISE(type, type, popcount, 1) \
		ELEMENTWISE(type, type, rotate, 2) ELEMENTWISE(type, type, mul_hi, 2)              \
		ELEMENTWISE(type, type, mad_hi, 3) ELEMENTWISE(type, type, mad_sat, 3)             \
		ELEMENTWISE(type, type, bit_reverse, 1)                                            \
		return bad;                                                                        \
	}
INTEGER(char, uchar) INTEGER(uchar, uchar) INTEGER(short, ushort) INTEGER(ushort, ushort)
INTEGER(int, uint) INTEGER(uint, uint) INTEGER(long, ulong) INTEGER(ulong, ulong)

#define UPSAMPLE(type, low, wide, bits)                                                            \
	for (uint i = 0; i < rounds; i++) {                                                        \
		type a = any_##type(&seed);                                                        \
		low b = any_##low(&seed);                                                          \
		bad += upsample(a, b) != (wide)((wide)((wide)a << bits) | (wide)b);                \
		bad += any(upsample((type##3)(a), (low##3)(b)) != (wide##3)(upsample(a, b)));      \
		bad += any(upsample((type##16)(a), (low##16)(b)) != (wide##16)(upsample(a, b)));   \
	}
CHECK(upsample)
{
	ulong bad = 0;
	UPSAMPLE(char, uchar, short, 8) UPSAMPLE(uchar, uchar, ushort, 8) UPSAMPLE(short, ushort, int, 16)
	UPSAMPLE(ushort, ushort, uint, 16) UPSAMPLE(int, uint, long, 32) UPSAMPLE(uint, uint, ulong, 32)
	return bad;
}

CHECK(mul24)
{
	ulong bad = 0;
	for (uint i = 0; i < rounds * 8; i++) {
		int a = any_int(&seed) << 8 >> 8, b = any_int(&seed) << 8 >> 8, c = any_int(&seed);
		uint ua = any_uint(&seed) & 0xffffff, ub = any_uint(&seed) & 0xffffff, uc = any_uint(&seed);
		bad += mul24(a, b) != (int)((uint)a * (uint)b);
		bad += mad24(a, b, c) != (int)((uint)a * (uint)b + (uint)c);
		bad += mul24(ua, ub) != ua * ub;
		bad += mad24(ua, ub, uc) != ua * ub + uc;
		bad += any(mad24((int3)(a, b, a), (int3)(b, b, a), (int3)(c)) != (int3)(mad24(a, b, c), mad24(b, b, c), mad24(a, a, c)));
	}
	return bad;
}

/* cl_khr_extended_bit_ops; the field of count bits at an offset, bit by bit. */
#define FIELDS(type, unsigned_type)                                                                \
	for (uint i = 0; i < rounds; i++) {                                                        \
		const uint bits = sizeof(type) * 8;                                                \
		type base = any_##type(&seed), insert = any_##type(&seed);                         \
		uint at = (uint)(next(&seed) % bits), count = (uint)(next(&seed) % (bits - at + 1)); \
		unsigned_type expect = (unsigned_type)base, field = 0, reversed = 0;               \
		for (uint k = 0; k < bits; k++)                                                    \
			reversed |= (unsigned_type)((unsigned_type)((unsigned_type)base >> k & 1) << (bits - 1 - k)); \
		for (uint k = 0; k < count; k++) {                                                 \
			unsigned_type bit = (unsigned_type)((unsigned_type)1 << (at + k));         \
			expect = (unsigned_type)((expect & (unsigned_type)~bit) | ((unsigned_type)insert >> k & 1 ? bit : 0)); \
			field |= (unsigned_type)((unsigned_type)((unsigned_type)base >> (at + k) & 1) << k); \
		}                                                                                  \
		unsigned_type sign = count && field >> (count - 1) & 1 && count < bits ? (unsigned_type)(~(unsigned_type)0 << count) : 0; \
		bad += bitfield_insert(base, insert, at, count) != (type)expect;                   \
		bad += bitfield_extract_unsigned(base, at, count) != field;                        \
		bad += (unsigned_type)bitfield_extract_signed(base, at, count) != (unsigned_type)(field | sign); \
		bad += bit_reverse(base) != (type)reversed;                                        \
		bad += any(bitfield_insert((type##4)(base), (type##4)(insert), at, count) != (type##4)((type)expect)); \
		bad += any(bitfield_extract_unsigned((type##3)(base), at, count) != (unsigned_type##3)(field)); \
	}
CHECK(bit_fields)
{
	ulong bad = 0;
	FIELDS(char, uchar) FIELDS(uchar, uchar) FIELDS(short, ushort) FIELDS(ushort, ushort)
	FIELDS(int, uint) FIELDS(uint, uint) FIELDS(long, ulong) FIELDS(ulong, ulong)
	return bad;
}
