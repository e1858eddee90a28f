#include "testbench/rtl/fpu_oracle.h"
#include <math.h>
#include <mpfr.h>
#include <string.h>

#define S EXACT_SINGLE
#define D EXACT_DOUBLE
#define H EXACT_HALF
#define BOTH(name, ...) [OP_##name##_s] = { .format = S, __VA_ARGS__ }, [OP_##name##_d] = { .format = D, __VA_ARGS__ }
#define INTEGERS(name, bits, ...) \
	[OP_fcvt_##name##_s] = { FPU_TO_INT, S, .width = bits, __VA_ARGS__ }, [OP_fcvt_##name##_d] = { FPU_TO_INT, D, .width = bits, __VA_ARGS__ }, \
	[OP_fcvt_s_##name] = { FPU_FROM_INT, S, .width = bits, __VA_ARGS__ }, [OP_fcvt_d_##name] = { FPU_FROM_INT, D, .width = bits, __VA_ARGS__ }
const struct fpu_row fpu_rows[OP_COUNT] = {
	BOTH(fadd, .kind = FPU_ARITHMETIC, .op = EXACT_ADD, .operands = 2),
	BOTH(fsub, .kind = FPU_ARITHMETIC, .op = EXACT_SUB, .operands = 2),
	BOTH(fmul, .kind = FPU_ARITHMETIC, .op = EXACT_MUL, .operands = 2),
	BOTH(fdiv, .kind = FPU_ARITHMETIC, .op = EXACT_DIV, .operands = 2),
	BOTH(fsqrt, .kind = FPU_ARITHMETIC, .op = EXACT_SQRT, .operands = 1),
	BOTH(fmadd, .kind = FPU_ARITHMETIC, .op = EXACT_FMA, .operands = 3),
	BOTH(fmsub, .kind = FPU_ARITHMETIC, .op = EXACT_FMA, .operands = 3, .subtract = true),
	BOTH(fnmsub, .kind = FPU_ARITHMETIC, .op = EXACT_FMA, .operands = 3, .negate = true),
	BOTH(fnmadd, .kind = FPU_ARITHMETIC, .op = EXACT_FMA, .operands = 3, .negate = true, .subtract = true),
	BOTH(fsgnj, .kind = FPU_SIGN, .function = 0),
	BOTH(fsgnjn, .kind = FPU_SIGN, .function = 1),
	BOTH(fsgnjx, .kind = FPU_SIGN, .function = 2),
	BOTH(fmin, .kind = FPU_EXTREME, .function = 0),
	BOTH(fmax, .kind = FPU_EXTREME, .function = 1),
	BOTH(fle, .kind = FPU_COMPARE, .function = 0),
	BOTH(flt, .kind = FPU_COMPARE, .function = 1),
	BOTH(feq, .kind = FPU_COMPARE, .function = 2),
	BOTH(fclass, .kind = FPU_CLASS),
	INTEGERS(w, 32, .is_signed = true),
	INTEGERS(wu, 32),
	INTEGERS(l, 64, .is_signed = true),
	INTEGERS(lu, 64),
	[OP_fcvt_s_d] = { FPU_CONVERT, S, D },
	[OP_fcvt_d_s] = { FPU_CONVERT, D, S },
	[OP_fcvt_s_h] = { FPU_CONVERT, S, H },
	[OP_fcvt_d_h] = { FPU_CONVERT, D, H },
	[OP_fcvt_h_s] = { FPU_CONVERT, H, S },
	[OP_fcvt_h_d] = { FPU_CONVERT, H, D },
	[OP_fmv_x_w] = { FPU_MOVE_X, S, .width = 32 },
	[OP_fmv_x_d] = { FPU_MOVE_X, D, .width = 64 },
	[OP_fmv_x_h] = { FPU_MOVE_X, H, .width = 16 },
	[OP_fmv_w_x] = { FPU_MOVE_F, S },
	[OP_fmv_d_x] = { FPU_MOVE_F, D },
	[OP_fmv_h_x] = { FPU_MOVE_F, H },
};

const struct fpu_format fpu_formats[] = { [H] = { 11, -23, 16, 5 }, [S] = { 24, -148, 128, 8 }, [D] = { 53, -1073, 1024, 11 } };

/* ---- bits of the formats ---- */

static unsigned bits_of(enum exact_format f) { return (unsigned)(fpu_formats[f].precision + fpu_formats[f].exponent_bits); }
static uint64_t sign_of(enum exact_format f) { return 1ull << (bits_of(f) - 1); }
static uint64_t infinity_of(enum exact_format f) { return sign_of(f) - (1ull << (fpu_formats[f].precision - 1)); }
static uint64_t nan_of(enum exact_format f) { return infinity_of(f) | 1ull << (fpu_formats[f].precision - 2); }
static uint64_t box(enum exact_format f, uint64_t v) { return bits_of(f) == 64 ? v : v | ~0ull << bits_of(f); }
static uint64_t unbox(enum exact_format f, uint64_t v)
{
	return bits_of(f) == 64 ? v : v >> bits_of(f) == ~0ull >> bits_of(f) ? v & ~(~0ull << bits_of(f)) : nan_of(f);
}
static bool is_nan(enum exact_format f, uint64_t v) { return (v & ~sign_of(f)) > infinity_of(f); }
static bool is_signalling(enum exact_format f, uint64_t v) { return is_nan(f, v) && !(v & (nan_of(f) ^ infinity_of(f))); }

/* A number that the format has. */
static uint64_t pack(enum exact_format f, mpfr_t r)
{
	double d = mpfr_get_d(r, MPFR_RNDN);
	float s = (float)d;
	uint64_t v = 0;
	uint32_t w;

	switch (f) {
	case D:
		memcpy(&v, &d, 8);
		return v;
	case S:
		memcpy(&w, &s, 4);
		return w;
	default: /* a unit of subnormals is 2^-24 */
		if (isinf(d))
			v = 0x7c00;
		else if (fabs(d) < 0x1p-14)
			v = (uint64_t)(fabs(d) * 0x1p24);
		else
			v = ((uint64_t)(ilogb(d) + 15) << 10) + (uint64_t)ldexp(fabs(d), 10 - ilogb(d)) - 1024;
		return v | (signbit(d) ? 0x8000 : 0);
	}
}

/* ---- one operation and its rounding ---- */

static mpfr_t operand[3], result, low, high, middle, cut;
static mpfr_exp_t widest_min, widest_max;

static void start(void)
{
	static bool started;

	if (started)
		return;
	started = true;
	for (unsigned i = 0; i < 3; i++)
		mpfr_init2(operand[i], 64);
	mpfr_inits2(128, result, low, high, middle, cut, (mpfr_ptr)0);
	widest_min = mpfr_get_emin();
	widest_max = mpfr_get_emax();
}

struct operation { enum fpu_kind kind; enum exact_op op; };

static int calculate(const struct operation *o, mpfr_t r, int precision, mpfr_rnd_t direction)
{
	mpfr_set_prec(r, precision);
	if (o->kind != FPU_ARITHMETIC)
		return mpfr_set(r, operand[0], direction);
	switch (o->op) {
	case EXACT_ADD: return mpfr_add(r, operand[0], operand[1], direction);
	case EXACT_SUB: return mpfr_sub(r, operand[0], operand[1], direction);
	case EXACT_MUL: return mpfr_mul(r, operand[0], operand[1], direction);
	case EXACT_DIV: return mpfr_div(r, operand[0], operand[1], direction);
	case EXACT_SQRT: return mpfr_sqrt(r, operand[0], direction);
	default: return mpfr_fma(r, operand[0], operand[1], operand[2], direction);
	}
}

static bool is_tiny(const struct fpu_format *f, mpfr_t r) { return mpfr_regular_p(r) && mpfr_get_exp(r) < f->emin + f->precision - 1; }

/* Within the bounds of the format, what has been rounded to its precision; the new ternary value. */
static int bound(const struct fpu_format *f, mpfr_t r, int ternary, mpfr_rnd_t direction)
{
	mpfr_set_emin(f->emin);
	mpfr_set_emax(f->emax);
	ternary = mpfr_check_range(r, ternary, direction);
	ternary = mpfr_subnormalize(r, ternary, direction);
	mpfr_set_emin(widest_min);
	mpfr_set_emax(widest_max);
	return ternary;
}

/* Of the neighbours low and high, towards zero and away from it, the one that is nearer to the exact value, which cut is without its
 * last places; the one away if both are as near. */
static void nearest(mpfr_t r)
{
	mpfr_set_prec(r, mpfr_get_prec(low));
	mpfr_set_prec(middle, mpfr_get_prec(low) + 2);
	mpfr_add(middle, low, high, MPFR_RNDN);
	mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
	mpfr_set(r, mpfr_cmpabs(cut, middle) >= 0 ? high : low, MPFR_RNDN);
}

/* To nearest, ties away, which MPFR does not have. The flags inexact, overflow and underflow. */
static unsigned round_ties_away(const struct operation *o, const struct fpu_format *f)
{
	int below = calculate(o, low, f->precision, MPFR_RNDZ), above = calculate(o, high, f->precision, MPFR_RNDA);
	int lost = calculate(o, cut, f->precision + 8, MPFR_RNDZ);
	bool tiny;
	unsigned flags = 0;

	if (mpfr_equal_p(low, high) || mpfr_nan_p(low)) {
		mpfr_set_prec(result, f->precision);
		mpfr_set(result, low, MPFR_RNDN);
	} else {
		nearest(result);
	}
	tiny = is_tiny(f, result);
	if (mpfr_regular_p(result) && mpfr_get_exp(result) > f->emax) {
		mpfr_set_inf(result, mpfr_sgn(result));
		return FLAG_OF | FLAG_NX;
	}
	if (is_tiny(f, low)) {
		bound(f, low, below, MPFR_RNDZ);
		bound(f, high, above, MPFR_RNDA);
		if (mpfr_equal_p(low, high))
			mpfr_set(result, low, MPFR_RNDN);
		else
			nearest(result);
	}
	if (!mpfr_nan_p(result) && (lost || !mpfr_equal_p(result, cut)))
		flags = FLAG_NX | (tiny ? FLAG_UF : 0);
	return flags;
}

/* The operation of the operands, rounded into result. The same flags, and division by zero. */
static unsigned round_operation(const struct operation *o, const struct fpu_format *f, unsigned rm)
{
	static const mpfr_rnd_t directions[] = { MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU };
	unsigned flags;
	int ternary;
	bool tiny;

	mpfr_clear_flags();
	if (rm == RM_RMM) {
		flags = round_ties_away(o, f);
		return flags | (mpfr_divby0_p() ? FLAG_DZ : 0);
	}
	ternary = calculate(o, result, f->precision, directions[rm]);
	flags = mpfr_divby0_p() ? FLAG_DZ : 0;
	tiny = is_tiny(f, result);
	mpfr_clear_flags();
	ternary = bound(f, result, ternary, directions[rm]);
	if (mpfr_overflow_p())
		flags |= FLAG_OF;
	if (ternary)
		flags |= FLAG_NX | (tiny ? FLAG_UF : 0);
	return flags;
}

/* ---- instructions ---- */

static struct fpu_outcome arithmetic(const struct fpu_row *row, unsigned rm, const uint64_t *v)
{
	const struct operation o = { FPU_ARITHMETIC, row->op };
	enum exact_format f = row->format;
	unsigned flags = 0;
	bool nans = false;

	for (unsigned i = 0; i < row->operands; i++) {
		uint64_t flip = (i == 0 && row->negate) || (i == 2 && row->subtract) ? sign_of(f) : 0;

		mpfr_set_d(operand[i], exact_value(f, v[i] ^ flip), MPFR_RNDN);
		nans = nans || is_nan(f, v[i]);
		if (is_signalling(f, v[i]))
			flags |= FLAG_NV;
	}
	if (row->op == EXACT_FMA && ((mpfr_inf_p(operand[0]) && mpfr_zero_p(operand[1])) || (mpfr_zero_p(operand[0]) && mpfr_inf_p(operand[1]))))
		flags |= FLAG_NV; /* also with a NaN as the addend */
	flags |= round_operation(&o, &fpu_formats[f], rm);
	if (mpfr_nan_p(result))
		return (struct fpu_outcome){ box(f, nan_of(f)), nans ? flags & FLAG_NV : FLAG_NV };
	return (struct fpu_outcome){ box(f, pack(f, result)), flags };
}

static struct fpu_outcome convert(const struct fpu_row *row, unsigned rm, uint64_t v)
{
	const struct operation o = { row->kind, 0 };
	unsigned flags;

	if (row->kind == FPU_CONVERT) {
		v = unbox(row->from, v);
		if (is_nan(row->from, v))
			return (struct fpu_outcome){ box(row->format, nan_of(row->format)), is_signalling(row->from, v) ? FLAG_NV : 0 };
		mpfr_set_d(operand[0], exact_value(row->from, v), MPFR_RNDN);
	} else if (row->is_signed) {
		mpfr_set_sj(operand[0], row->width == 32 ? (int32_t)v : (int64_t)v, MPFR_RNDN);
	} else {
		mpfr_set_uj(operand[0], row->width == 32 ? (uint32_t)v : v, MPFR_RNDN);
	}
	flags = round_operation(&o, &fpu_formats[row->format], rm);
	return (struct fpu_outcome){ box(row->format, pack(row->format, result)), flags };
}

static struct fpu_outcome to_int(const struct fpu_row *row, unsigned rm, uint64_t v)
{
	static const mpfr_rnd_t directions[] = { MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU };
	uint64_t top = ~0ull >> (64 - row->width + row->is_signed), bottom = row->is_signed ? ~top : 0, r;
	struct fpu_outcome out = { 0 };

	mpfr_set_d(operand[0], exact_value(row->format, v), MPFR_RNDN);
	mpfr_set_prec(result, 64);
	if (rm == RM_RMM)
		mpfr_round(result, operand[0]);
	else if (rm == RM_RNE)
		mpfr_roundeven(result, operand[0]);
	else
		mpfr_rint(result, operand[0], directions[rm]);
	if (mpfr_nan_p(result) || mpfr_cmp_ui_2exp(result, 1, row->width - row->is_signed) >= 0) {
		r = top;
		out.flags = FLAG_NV;
	} else if (row->is_signed ? mpfr_cmp_si_2exp(result, -1, row->width - 1) < 0 : mpfr_sgn(result) < 0) {
		r = bottom;
		out.flags = FLAG_NV;
	} else {
		r = row->is_signed ? (uint64_t)mpfr_get_sj(result, MPFR_RNDZ) : mpfr_get_uj(result, MPFR_RNDZ);
		out.flags = mpfr_equal_p(result, operand[0]) ? 0 : FLAG_NX;
	}
	out.value = row->width == 32 ? (uint64_t)(int64_t)(int32_t)r : r;
	return out;
}

static uint64_t class_of(enum exact_format f, uint64_t v)
{
	bool negative = v & sign_of(f);
	uint64_t magnitude = v & ~sign_of(f), smallest = 1ull << (fpu_formats[f].precision - 1);

	if (is_nan(f, v))
		return is_signalling(f, v) ? 1 << 8 : 1 << 9;
	if (magnitude == infinity_of(f))
		return negative ? 1 << 0 : 1 << 7;
	if (!magnitude)
		return negative ? 1 << 3 : 1 << 4;
	if (magnitude < smallest)
		return negative ? 1 << 2 : 1 << 5;
	return negative ? 1 << 1 : 1 << 6;
}

static struct fpu_outcome compare(const struct fpu_row *row, uint64_t a, uint64_t b)
{
	enum exact_format f = row->format;
	double x = exact_value(f, a), y = exact_value(f, b);
	bool signalling = is_signalling(f, a) || is_signalling(f, b), nans = isnan(x) || isnan(y), first;

	if (row->kind == FPU_COMPARE)
		return (struct fpu_outcome){ row->function == 0 ? x <= y : row->function == 1 ? x < y : x == y,
					     signalling || (nans && row->function != 2) ? FLAG_NV : 0 };
	if (isnan(x) && isnan(y))
		return (struct fpu_outcome){ box(f, nan_of(f)), signalling ? FLAG_NV : 0 };
	if (x == y)
		first = !!(a & sign_of(f)) != row->function; /* -0 is less than +0 */
	else
		first = isnan(y) || (row->function ? x > y : x < y);
	return (struct fpu_outcome){ box(f, first ? a : b), signalling ? FLAG_NV : 0 };
}

struct fpu_outcome fpu_oracle(unsigned op, unsigned rm, uint64_t a, uint64_t b, uint64_t c)
{
	const struct fpu_row *row = &fpu_rows[op];
	enum exact_format f = row->format;
	const uint64_t v[] = { unbox(f, a), unbox(f, b), unbox(f, c) };
	unsigned shift = 64 - row->width;
	uint64_t sign;

	start();
	switch (row->kind) {
	case FPU_ARITHMETIC:
		return arithmetic(row, rm, v);
	case FPU_SIGN:
		sign = row->function == 0 ? v[1] : row->function == 1 ? ~v[1] : v[0] ^ v[1];
		return (struct fpu_outcome){ box(f, (v[0] & ~sign_of(f)) | (sign & sign_of(f))), 0 };
	case FPU_EXTREME:
	case FPU_COMPARE:
		return compare(row, v[0], v[1]);
	case FPU_CLASS:
		return (struct fpu_outcome){ class_of(f, v[0]), 0 };
	case FPU_TO_INT:
		return to_int(row, rm, v[0]);
	case FPU_FROM_INT:
	case FPU_CONVERT:
		return convert(row, rm, a);
	case FPU_MOVE_X:
		return (struct fpu_outcome){ (uint64_t)((int64_t)(a << shift) >> shift), 0 };
	case FPU_MOVE_F:
		return (struct fpu_outcome){ bits_of(f) == 64 ? a : box(f, a & ~(~0ull << bits_of(f))), 0 };
	case FPU_NONE:
		break;
	}
	return (struct fpu_outcome){ 0 };
}
