#include "testbench/oracle/exact.h"
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

/* Bits of the significand with the leading one; exponent of the lowest subnormal's unit. */
struct shape { int precision, lowest, exponent_bits; };
static const struct shape shapes[] = {
	[EXACT_HALF] = { 11, -24, 5 },
	[EXACT_SINGLE] = { 24, -149, 8 },
	[EXACT_DOUBLE] = { 53, -1074, 11 },
};

enum { WIDE = 64 }; /* precision of intermediate results: two bits more than a double's would do */

static mpfr_t operand[3], wide;

static void start(void)
{
	static bool started;
	if (started)
		return;
	started = true;
	for (unsigned i = 0; i < 3; i++)
		mpfr_init2(operand[i], 64);
	mpfr_init2(wide, WIDE);
}

static uint64_t pack_infinity(const struct shape *s, bool sign)
{
	uint64_t exponents = (1ull << s->exponent_bits) - 1;
	return exponents << (s->precision - 1) | (uint64_t)sign << (s->exponent_bits + s->precision - 1);
}

static uint64_t pack_zero(const struct shape *s, bool sign)
{
	return (uint64_t)sign << (s->exponent_bits + s->precision - 1);
}

static uint64_t pack_nan(const struct shape *s) { return pack_infinity(s, false) | 1ull << (s->precision - 2); }

double exact_value(enum exact_format format, uint64_t a)
{
	double d;
	float f;
	uint32_t low = (uint32_t)a;
	switch (format) {
	case EXACT_HALF: {
		int exponent = (int)(a >> 10 & 31), fraction = (int)(a & 1023);
		if (exponent == 31)
			d = fraction ? NAN : INFINITY;
		else
			d = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
		return a >> 15 & 1 ? -d : d;
	}
	case EXACT_SINGLE:
		memcpy(&f, &low, 4);
		return f;
	default:
		memcpy(&d, &a, 8);
		return d;
	}
}

static bool is_nan(enum exact_format format, uint64_t a)
{
	const struct shape *s = &shapes[format];
	uint64_t infinity = pack_infinity(s, false);
	return (a & (pack_zero(s, true) - 1)) > infinity;
}

/* What lies beyond the places that are kept, against half of the last one. */
enum rest { NOTHING, BELOW_HALF, HALF, ABOVE_HALF };

static bool rounds_up(unsigned mode, bool sign, bool odd, enum rest rest)
{
	switch (mode) {
	case 0:
		return rest == ABOVE_HALF || (rest == HALF && odd);
	case 1:
		return false;
	case 2:
		return sign && rest != NOTHING;
	case 3:
		return !sign && rest != NOTHING;
	default:
		return rest >= HALF;
	}
}

/* The number in wide, cut off towards zero, with something lost if inexact, as a value of the format. */
static uint64_t deliver(enum exact_format format, unsigned mode, bool inexact)
{
	const struct shape *s = &shapes[format];
	bool sign = mpfr_signbit(wide);
	if (mpfr_nan_p(wide))
		return pack_nan(s);
	if (mpfr_inf_p(wide))
		return pack_infinity(s, sign);
	if (mpfr_zero_p(wide))
		return pack_zero(s, sign);
	long top = (long)mpfr_get_exp(wide); /* the value lies in [2^(top-1), 2^top) */
	mpfr_setsign(wide, wide, 0, MPFR_RNDZ);
	mpfr_set_exp(wide, WIDE);
	uint64_t digits = mpfr_get_uj(wide, MPFR_RNDZ);
	long unit = top - s->precision; /* exponent of the last place kept */
	if (unit < s->lowest)
		unit = s->lowest;
	long dropped = unit - (top - WIDE);
	uint64_t kept = 0, lost = digits;
	enum rest rest = BELOW_HALF; /* dropped > 64: all of it is less than half a unit */
	if (dropped < 64) {
		kept = digits >> dropped;
		lost = digits & ((1ull << dropped) - 1);
	}
	if (dropped <= 64) {
		uint64_t half = 1ull << (dropped - 1);
		rest = lost > half || (lost == half && inexact) ? ABOVE_HALF : lost == half ? HALF
			: lost || inexact ? BELOW_HALF : NOTHING;
	}
	kept += rounds_up(mode, sign, kept & 1, rest);
	uint64_t bits = kept; /* subnormal, or the first normal one */
	if (kept >> (s->precision - 1)) {
		if (kept >> s->precision) {
			kept >>= 1;
			unit++;
		}
		long exponent = unit - s->lowest + 1;
		if (exponent >= (1 << s->exponent_bits) - 1) {
			bool away = mode == 0 || mode == 4 || (mode == 2 && sign) || (mode == 3 && !sign);
			return away ? pack_infinity(s, sign) : (pack_infinity(s, false) - 1) | pack_zero(s, sign);
		}
		bits = (uint64_t)exponent << (s->precision - 1) | (kept & ((1ull << (s->precision - 1)) - 1));
	}
	return bits | pack_zero(s, sign);
}

/* Into result; the ternary value of MPFR. */
static int calculate(enum exact_op op, mpfr_t result, mpfr_rnd_t direction)
{
	switch (op) {
	case EXACT_ADD:
		return mpfr_add(result, operand[0], operand[1], direction);
	case EXACT_SUB:
		return mpfr_sub(result, operand[0], operand[1], direction);
	case EXACT_MUL:
		return mpfr_mul(result, operand[0], operand[1], direction);
	case EXACT_DIV:
		return mpfr_div(result, operand[0], operand[1], direction);
	case EXACT_SQRT:
		return mpfr_sqrt(result, operand[0], direction);
	default:
		return mpfr_fma(result, operand[0], operand[1], operand[2], direction);
	}
}

static void load(enum exact_format format, uint64_t a, uint64_t b, uint64_t c)
{
	start();
	mpfr_set_d(operand[0], exact_value(format, a), MPFR_RNDN);
	mpfr_set_d(operand[1], exact_value(format, b), MPFR_RNDN);
	mpfr_set_d(operand[2], exact_value(format, c), MPFR_RNDN);
}

uint64_t exact_arithmetic(enum exact_op op, enum exact_format format, unsigned mode, uint64_t a, uint64_t b, uint64_t c)
{
	load(format, a, b, c);
	int ternary = calculate(op, wide, MPFR_RNDZ);
	if (mode == 2 && mpfr_zero_p(wide)) /* the sign of an exact zero is the mode's */
		ternary = calculate(op, wide, MPFR_RNDD);
	return deliver(format, mode, ternary != 0);
}

uint64_t exact_subnormalized(enum exact_op op, enum exact_format format, unsigned mode, uint64_t a, uint64_t b, uint64_t c)
{
	static const mpfr_rnd_t directions[] = { MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU };
	mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
	mpfr_t r;
	load(format, a, b, c);
	mpfr_init2(r, format == EXACT_SINGLE ? 24 : 53);
	mpfr_set_emin(format == EXACT_SINGLE ? -148 : -1073);
	mpfr_set_emax(format == EXACT_SINGLE ? 128 : 1024);
	int ternary = calculate(op, r, directions[mode]);
	mpfr_subnormalize(r, ternary, directions[mode]);
	double d = mpfr_get_d(r, MPFR_RNDN);
	mpfr_set_emin(emin);
	mpfr_set_emax(emax);
	mpfr_clear(r);
	if (d != d)
		return pack_nan(&shapes[format]);
	uint64_t bits = 0;
	float f = (float)d;
	if (format == EXACT_SINGLE)
		memcpy(&bits, &f, 4);
	else
		memcpy(&bits, &d, 8);
	return bits;
}

uint64_t exact_convert(enum exact_format from, enum exact_format to, unsigned mode, uint64_t a)
{
	start();
	mpfr_set_d(wide, exact_value(from, a), MPFR_RNDN);
	return deliver(to, mode, false);
}

uint64_t exact_from_int(enum exact_format format, unsigned mode, uint64_t value, bool is_signed)
{
	start();
	if (is_signed)
		mpfr_set_sj(wide, (int64_t)value, MPFR_RNDZ);
	else
		mpfr_set_uj(wide, value, MPFR_RNDZ);
	return deliver(format, mode, false);
}

uint64_t exact_to_int(enum exact_format format, unsigned mode, uint64_t a, unsigned width, bool is_signed)
{
	static const mpfr_rnd_t directions[] = { MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU };
	uint64_t top = ~0ull >> (64 - width + is_signed), bottom = is_signed ? ~top : 0, r;
	start();
	mpfr_set_d(operand[0], exact_value(format, a), MPFR_RNDN);
	if (mode == 4)
		mpfr_round(wide, operand[0]);
	else
		mpfr_rint(wide, operand[0], directions[mode]);
	if (is_nan(format, a) || mpfr_cmp_ui_2exp(wide, 1, width - is_signed) >= 0)
		r = top;
	else if (is_signed ? mpfr_cmp_si_2exp(wide, -1, width - 1) < 0 : mpfr_sgn(wide) < 0)
		r = bottom;
	else
		r = is_signed ? (uint64_t)mpfr_get_sj(wide, MPFR_RNDZ) : mpfr_get_uj(wide, MPFR_RNDZ);
	return width == 32 ? (uint64_t)(int64_t)(int32_t)r : r;
}
