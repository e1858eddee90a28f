/* Every operation turns its operands into sign * m * 2^e with a 128-bit m, works exactly (bits that
 * do not fit are jammed into the lowest one, far below any rounding position), and rounds once. */
#include "model/cu/softfloat.h"
#include "model/cu/decode.h"

typedef unsigned __int128 u128;

struct format { int exponent_bits, mantissa_bits; };
static const struct format formats[] = {
	[SF_HALF] = { 5, 10 },
	[SF_SINGLE] = { 8, 23 },
	[SF_DOUBLE] = { 11, 52 },
};

enum kind { ZERO, FINITE, INFINITE, NOT_A_NUMBER };

struct number {
	enum kind kind;
	bool sign;
	int e;
	u128 m; /* value = m * 2^e */
};

static int bias(const struct format *f) { return (1 << (f->exponent_bits - 1)) - 1; }
static uint64_t infinity(const struct format *f, bool sign)
{
	uint64_t exponent = (1ull << f->exponent_bits) - 1;
	return ((uint64_t)sign << f->exponent_bits | exponent) << f->mantissa_bits;
}
static uint64_t zero(const struct format *f, bool sign)
{
	return (uint64_t)sign << (f->exponent_bits + f->mantissa_bits);
}
static uint64_t canonical_nan(const struct format *f)
{
	return infinity(f, false) | 1ull << (f->mantissa_bits - 1);
}

static struct number unpack(const struct format *f, uint64_t a)
{
	uint64_t fraction = a & ((1ull << f->mantissa_bits) - 1);
	int exponent = (int)(a >> f->mantissa_bits & ((1u << f->exponent_bits) - 1));
	struct number n = { .sign = a >> (f->exponent_bits + f->mantissa_bits) & 1 };
	if (exponent == (1 << f->exponent_bits) - 1) {
		n.kind = fraction ? NOT_A_NUMBER : INFINITE;
		return n;
	}
	n.m = exponent ? fraction | 1ull << f->mantissa_bits : fraction;
	n.kind = n.m ? FINITE : ZERO;
	n.e = (exponent ? exponent : 1) - bias(f) - f->mantissa_bits;
	return n;
}

static int top_bit(u128 m)
{
	uint64_t high = (uint64_t)(m >> 64);
	return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)m);
}

static u128 shift_right_jam(u128 m, int n)
{
	if (n == 0)
		return m;
	if (n > 127)
		return m != 0;
	return m >> n | ((m << (128 - n)) != 0);
}

/* m / 2^n rounded to an integer. */
static u128 round_shift(u128 m, int n, bool sign, unsigned rm)
{
	if (n <= 0)
		return m << -n;
	if (n > 126) { /* far below one half: only the directed modes see it */
		m = m != 0;
		n = 2;
	}
	u128 q = m >> n, rest = m & (((u128)1 << n) - 1), half = (u128)1 << (n - 1);
	bool up = false;
	switch (rm) {
	case RM_RNE:
		up = rest > half || (rest == half && (q & 1));
		break;
	case RM_RMM:
		up = rest >= half;
		break;
	case RM_RDN:
		up = sign && rest;
		break;
	case RM_RUP:
		up = !sign && rest;
		break;
	}
	return q + up;
}

static uint64_t round_pack(const struct format *f, bool sign, int e, u128 m, unsigned rm)
{
	if (!m)
		return zero(f, sign);
	int lowest = 1 - bias(f) - f->mantissa_bits;
	int unit = top_bit(m) + e - f->mantissa_bits; /* exponent of the result's last place */
	if (unit < lowest)
		unit = lowest;
	uint64_t q = (uint64_t)round_shift(m, unit - e, sign, rm);
	uint64_t exponent = (uint64_t)(unit - lowest); /* field less one for a normal number */
	uint64_t packed = (exponent << f->mantissa_bits) + q;
	if (packed >= infinity(f, false)) {
		bool to_infinity = rm == RM_RNE || rm == RM_RMM || (rm == RM_RDN && sign) || (rm == RM_RUP && !sign);
		packed = infinity(f, false) - !to_infinity;
	}
	return packed | zero(f, sign);
}

uint64_t sf_neg(enum sf_format format, uint64_t a)
{
	return a ^ zero(&formats[format], true);
}

uint64_t sf_fma(enum sf_format format, uint64_t a, uint64_t b, uint64_t c, unsigned rm)
{
	const struct format *f = &formats[format];
	struct number x = unpack(f, a), y = unpack(f, b), z = unpack(f, c);
	bool sign = x.sign ^ y.sign;
	if (x.kind == NOT_A_NUMBER || y.kind == NOT_A_NUMBER || z.kind == NOT_A_NUMBER)
		return canonical_nan(f);
	if (x.kind == INFINITE || y.kind == INFINITE) {
		if (x.kind == ZERO || y.kind == ZERO || (z.kind == INFINITE && z.sign != sign))
			return canonical_nan(f);
		return infinity(f, sign);
	}
	if (z.kind == INFINITE)
		return c;
	if (x.kind == ZERO || y.kind == ZERO) {
		if (z.kind == ZERO)
			return zero(f, sign == z.sign ? sign : rm == RM_RDN);
		return c;
	}
	u128 p = x.m * y.m;
	int up = 125 - top_bit(p), e = x.e + y.e - up;
	p <<= up;
	if (z.kind == ZERO)
		return round_pack(f, sign, e, p, rm);
	up = 125 - top_bit(z.m);
	z.m <<= up;
	z.e -= up;
	if (e >= z.e) {
		z.m = shift_right_jam(z.m, e - z.e);
	} else {
		p = shift_right_jam(p, z.e - e);
		e = z.e;
	}
	if (sign == z.sign)
		return round_pack(f, sign, e, p + z.m, rm);
	if (p == z.m)
		return zero(f, rm == RM_RDN);
	return p > z.m ? round_pack(f, sign, e, p - z.m, rm) : round_pack(f, z.sign, e, z.m - p, rm);
}

uint64_t sf_add(enum sf_format format, uint64_t a, uint64_t b, unsigned rm)
{
	const struct format *f = &formats[format];
	uint64_t one = (uint64_t)bias(f) << f->mantissa_bits;
	return sf_fma(format, a, one, b, rm);
}

uint64_t sf_mul(enum sf_format format, uint64_t a, uint64_t b, unsigned rm)
{
	const struct format *f = &formats[format];
	/* adding a zero of the product's sign changes nothing, not even a zero */
	uint64_t sign = (a ^ b) & zero(f, true);
	return sf_fma(format, a, b, sign, rm);
}

uint64_t sf_div(enum sf_format format, uint64_t a, uint64_t b, unsigned rm)
{
	const struct format *f = &formats[format];
	struct number x = unpack(f, a), y = unpack(f, b);
	bool sign = x.sign ^ y.sign;
	if (x.kind == NOT_A_NUMBER || y.kind == NOT_A_NUMBER || (x.kind == y.kind && x.kind != FINITE))
		return canonical_nan(f);
	if (x.kind == INFINITE || y.kind == ZERO)
		return infinity(f, sign);
	if (x.kind == ZERO || y.kind == INFINITE)
		return zero(f, sign);
	int up = 126 - top_bit(x.m);
	u128 n = x.m << up;
	u128 q = n / y.m;
	q |= n % y.m != 0;
	return round_pack(f, sign, x.e - up - y.e, q, rm);
}

uint64_t sf_sqrt(enum sf_format format, uint64_t a, unsigned rm)
{
	const struct format *f = &formats[format];
	struct number x = unpack(f, a);
	if (x.kind == ZERO || (x.kind == INFINITE && !x.sign))
		return a;
	if (x.kind == NOT_A_NUMBER || x.sign)
		return canonical_nan(f);
	int up = 125 - top_bit(x.m);
	if ((x.e - up) & 1)
		up--;
	u128 rest = x.m << up, root = 0;
	for (u128 bit = (u128)1 << 124; bit; bit >>= 2) {
		if (rest >= root + bit) {
			rest -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return round_pack(f, false, (x.e - up) / 2 - 1, root << 1 | (rest != 0), rm);
}

uint64_t sf_convert(enum sf_format from, enum sf_format to, uint64_t a, unsigned rm)
{
	const struct format *f = &formats[to];
	struct number x = unpack(&formats[from], a);
	switch (x.kind) {
	case NOT_A_NUMBER:
		return canonical_nan(f);
	case INFINITE:
		return infinity(f, x.sign);
	default:
		return round_pack(f, x.sign, x.e, x.m, rm);
	}
}

uint64_t sf_to_int(enum sf_format format, uint64_t a, unsigned width, bool is_signed, unsigned rm)
{
	struct number x = unpack(&formats[format], a);
	uint64_t top = is_signed ? (1ull << (width - 1)) - 1 : width == 64 ? ~0ull : (1ull << width) - 1;
	uint64_t bottom = is_signed ? ~0ull << (width - 1) : 0;
	if (x.kind == NOT_A_NUMBER || (x.kind == INFINITE && !x.sign))
		return top;
	if (x.kind == INFINITE)
		return bottom;
	if (x.kind == ZERO)
		return 0;
	if (x.e > 64)
		return x.sign ? bottom : top;
	u128 q = round_shift(x.m, -x.e, x.sign, rm);
	if (!x.sign)
		return q > top ? top : (uint64_t)q;
	if (!is_signed)
		return 0;
	return q > (u128)1 << (width - 1) ? bottom : -(uint64_t)q;
}

uint64_t sf_from_int(enum sf_format format, uint64_t value, bool is_signed, unsigned rm)
{
	bool sign = is_signed && (int64_t)value < 0;
	return round_pack(&formats[format], sign, 0, sign ? -value : value, rm);
}

uint64_t sf_class(enum sf_format format, uint64_t a)
{
	const struct format *f = &formats[format];
	struct number x = unpack(f, a);
	bool quiet = a >> (f->mantissa_bits - 1) & 1;
	bool subnormal = x.m >> f->mantissa_bits == 0;
	switch (x.kind) {
	case NOT_A_NUMBER:
		return quiet ? 1 << 9 : 1 << 8;
	case INFINITE:
		return x.sign ? 1 << 0 : 1 << 7;
	case ZERO:
		return x.sign ? 1 << 3 : 1 << 4;
	default:
		if (x.sign)
			return subnormal ? 1 << 2 : 1 << 1;
		return subnormal ? 1 << 5 : 1 << 6;
	}
}
