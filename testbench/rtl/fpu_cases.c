#include "testbench/rtl/fpu_cases.h"
#include "testbench/random.h"
#include <math.h>
#include <string.h>

#define S EXACT_SINGLE
#define D EXACT_DOUBLE
#define H EXACT_HALF

static unsigned fraction_bits(enum exact_format f) { return (unsigned)fpu_formats[f].precision - 1; }
static unsigned bits_of(enum exact_format f) { return fraction_bits(f) + 1 + (unsigned)fpu_formats[f].exponent_bits; }
static uint64_t mask_of(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }
static uint64_t boxed(enum exact_format f, uint64_t v) { return v | ~mask_of(bits_of(f)); }

/* ---- special operands ---- */

/* Exponents are fields: those of 1 and of infinity are put in for ONE and TOP. */
enum { ONE = 1 << 12, TOP = 1 << 13 };
enum fraction { ZEROS, FIRST, LAST, TWO, ONES, HIGHEST_BUT, TIE };
static const struct { int exponent; enum fraction fraction; } specials[] = {
	/* those that triples are made of come first */
	{ 0, ZEROS }, { 0, LAST }, { 1, ZEROS }, { ONE, ZEROS }, { ONE, LAST }, { ONE - 1, ONES }, { TOP - 1, ONES }, { TOP, ZEROS }, { TOP, FIRST },
	{ TOP, LAST }, { 0, ONES },
	/* and these */
	{ 0, TWO }, { 0, FIRST }, { 0, HIGHEST_BUT }, { 1, LAST }, { 1, ONES }, { 2, ZEROS }, { 2, TIE }, { ONE - 1, ZEROS }, { ONE - 1, LAST },
	{ ONE - 2, ONES }, { ONE, FIRST }, { ONE, ONES }, { ONE, TIE }, { ONE + 1, ZEROS }, { ONE + 1, FIRST }, { ONE + 10, TIE }, { ONE + 11, ONES },
	{ ONE + 23, ONES }, { ONE + 24, ZEROS }, { ONE + 25, LAST }, { ONE + 30, ONES }, { ONE + 31, ZEROS }, { ONE + 32, ZEROS }, { ONE + 52, ONES },
	{ ONE + 53, LAST }, { ONE + 62, ONES }, { ONE + 63, ZEROS }, { ONE + 64, ZEROS }, { ONE - 24, ONES }, { ONE - 53, ZEROS }, { TOP - 2, ONES },
	{ TOP - 1, ZEROS }, { TOP - 1, HIGHEST_BUT }, { TOP, TIE }, { TOP, ONES },
};
enum { SPECIALS = sizeof(specials) / sizeof(*specials), TRIPLES = 11 };

static uint64_t special(enum exact_format f, unsigned n)
{
	unsigned bits = fraction_bits(f), top = (1u << fpu_formats[f].exponent_bits) - 1;
	int e = specials[n / 2].exponent;
	uint64_t v = 0;

	if (e > ONE + ONE / 2)
		e += (int)top - TOP;
	else if (e > ONE / 2)
		e += (int)(top >> 1) - ONE;
	if (e < 0 || e > (int)top)
		e = (int)top;
	switch (specials[n / 2].fraction) {
	case ZEROS: break;
	case FIRST: v = 1ull << (bits - 1); break;
	case LAST: v = 1; break;
	case TWO: v = 3; break;
	case ONES: v = mask_of(bits); break;
	case HIGHEST_BUT: v = mask_of(bits) - 1; break;
	case TIE: v = 1ull << (bits / 2); break;
	}
	return boxed(f, (uint64_t)(n & 1) << (bits_of(f) - 1) | (uint64_t)e << bits | v);
}

static const uint64_t integers[] = { 0, 1, 2, ~0ull, ~1ull, 0x7f, 0x80, 0xffffff, 0x1000000, 0x1000001, 0x1000003, 0x1ffffff, 0x2000001, 0x7fffffbf, 0x7fffffc0,
	0x7fffffff, 0x80000000, 0x80000001, 0xffffff7f, 0xffffff80, 0xffffffff, 0x100000000, 0xffffffff80000000, 0xffffffff7fffffff,
	0x1fffffffffffff, 0x20000000000000, 0x20000000000001, 0x20000000000003, 0x7ffffffffffffdff, 0x7ffffffffffffe00, 0x7fffffbfffffffff,
	0x7fffffc000000000, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0x8000000000000401, 0xfffffffffffffbff, 0xfffffffffffffc00,
	0xffffff7fffffffff, 0xffffff8000000000 };
enum { INTEGERS = sizeof(integers) / sizeof(*integers), MODES = 5 };

static unsigned operands_of(unsigned op)
{
	const struct fpu_row *row = &fpu_rows[op];

	return row->kind == FPU_ARITHMETIC ? row->operands : row->kind == FPU_SIGN || row->kind == FPU_EXTREME || row->kind == FPU_COMPARE ? 2 : 1;
}

static bool takes_integer(unsigned op) { return fpu_rows[op].kind == FPU_FROM_INT || fpu_rows[op].kind == FPU_MOVE_F; }
static enum exact_format operand_format(unsigned op) { return fpu_rows[op].kind == FPU_CONVERT ? fpu_rows[op].from : fpu_rows[op].format; }

static unsigned list_of(unsigned op) { return takes_integer(op) ? INTEGERS : operands_of(op) == 3 ? 2 * TRIPLES : 2 * SPECIALS; }

unsigned fpu_cases_directed(unsigned op)
{
	unsigned n = MODES;

	for (unsigned i = 0; i < operands_of(op); i++)
		n *= list_of(op);
	return n;
}

struct fpu_case fpu_case_directed(unsigned op, unsigned number)
{
	unsigned list = list_of(op), n = number / MODES;
	enum exact_format f = operand_format(op);

	if (takes_integer(op))
		return (struct fpu_case){ op, number % MODES, integers[n], 0, 0 };
	return (struct fpu_case){ op, number % MODES, special(f, n % list), special(f, n / list % list), special(f, n / list / list % list) };
}

/* ---- random operands ---- */

static uint64_t below(uint64_t *random, uint64_t n) { return splitmix64(random) % n; }

static uint64_t fraction(uint64_t *random, unsigned bits)
{
	uint64_t v = splitmix64(random), w = splitmix64(random), all = mask_of(bits);
	unsigned i = (unsigned)(w % bits), j = (unsigned)(w >> 32) % bits;

	switch (below(random, 10)) { /* few ones make ties likely */
	case 0: return 0;
	case 1: return all - (v & 7);
	case 2: return (1ull << i) + (v & 1);
	case 3: return v & w & splitmix64(random) & all;
	case 4: return v >> (bits / 2) << (bits / 2) & all;
	case 5: return (v & all) >> i;
	case 6: return ((1ull << i) - (1ull << j)) & all; /* runs of ones, and of zeros */
	case 7: return ~((1ull << i) - (1ull << j)) & all;
	default: return v & all;
	}
}

static uint64_t number(uint64_t *random, enum exact_format f)
{
	unsigned bits = fraction_bits(f), top = (1u << fpu_formats[f].exponent_bits) - 1;
	uint64_t v = fraction(random, bits), w = splitmix64(random), e;

	switch (below(random, 12)) {
	case 0: e = 0; break;
	case 1: e = top - (w & 1); break;
	case 2: e = 1 + w % 3; break;
	case 3: e = top - 1 - w % 3; break;
	case 4: case 5: case 6: e = w % (top + 1); break;
	default: e = (top >> 1) + w % (2 * bits + 8) - bits - 4;
	}
	if (e > top)
		e = w % (top + 1);
	if (e == top && w >> 40 & 3) /* not too many infinities and NaNs */
		e = w >> 42 & 1 ? top - 1 : top >> 1;
	return boxed(f, (w >> 63) << (bits_of(f) - 1) | e << bits | v);
}

static double value(enum exact_format f, uint64_t v) { return exact_value(f, v & mask_of(bits_of(f))); }

static uint64_t bits(enum exact_format f, double d)
{
	float s = (float)d;
	uint64_t v;
	uint32_t w;

	if (f == D) {
		memcpy(&v, &d, 8);
		return v;
	}
	memcpy(&w, &s, 4);
	return boxed(S, w);
}

/* A number beside another one: near it, or so that the exponents of a product, a quotient or a sum come close to an edge. */
static uint64_t related(uint64_t *random, enum exact_format f, uint64_t a)
{
	unsigned places = fraction_bits(f), top = (1u << fpu_formats[f].exponent_bits) - 1, bias = top >> 1;
	uint64_t w = splitmix64(random), sign = 1ull << (bits_of(f) - 1);
	int e = (int)((a & (sign - 1)) >> places) & (int)top, near = (int)(w % (2 * places + 8)) - (int)places - 4, edge = (int)(w % 8) - 4;

	switch (below(random, 8)) {
	case 0: return boxed(f, a ^ (w & sign));
	case 1: return boxed(f, (a ^ (w & sign)) + (w >> 58) - 32);
	case 2: case 3: e += near; break;                                        /* sums that cancel or fall below */
	case 4: e = (int)bias - e - (int)(w >> 8) % (int)(places + 4) + edge; break; /* products about the smallest normal */
	case 5: e = (int)(bias + top) - e + edge; break;                         /* and about the greatest */
	case 6: e += (int)bias - (w & 1 ? (int)(places / 2) : 0) + edge; break;  /* quotients about the smallest normal */
	default: e += edge - (int)bias; break;                                   /* and about the greatest */
	}
	if (e < 0 || e > (int)top)
		return number(random, f);
	return boxed(f, (w & sign) | (uint64_t)e << places | fraction(random, places));
}

/* An addend that cancels the product, nearly. */
static uint64_t cancelling(uint64_t *random, enum exact_format f, uint64_t a, uint64_t b)
{
	return boxed(f, bits(f, -(value(f, a) * value(f, b))) + below(random, 5) - 2) ^ below(random, 2) << (bits_of(f) - 1);
}

/* A number of one format about those of another one, and halfway between them. */
static uint64_t narrowing(uint64_t *random, enum exact_format from, enum exact_format to)
{
	uint64_t v = bits(from, value(to, number(random, to))), step = 1ull << below(random, fraction_bits(from));

	return boxed(from, v + (below(random, 2) ? step : -step) * below(random, 2) + below(random, 3) - 1);
}

static uint64_t integer(uint64_t *random)
{
	uint64_t v = splitmix64(random);

	switch (below(random, 6)) {
	case 0: return integers[v % INTEGERS] + below(random, 3) - 1;
	case 1: return (1ull << v % 64) - (v >> 40) % 3 + 1;
	case 2: return v >> v % 64;
	case 3: return (uint64_t)((int64_t)v >> v % 64);
	case 4: return (1ull << v % 64) - (1ull << (v >> 8) % 64);
	default: return v;
	}
}

/* A number near an integer, or halfway between two. */
static uint64_t near_integer(uint64_t *random, enum exact_format f)
{
	uint64_t v = integer(random), w = bits(f, (below(random, 2) ? (double)v : (double)(int64_t)v) + 0.25 * (double)below(random, 5) - 0.5);

	return boxed(f, w + (below(random, 2) ? 0 : below(random, 5) - 2));
}

struct fpu_case fpu_case_random(unsigned op, uint64_t *random)
{
	const struct fpu_row *row = &fpu_rows[op];
	enum exact_format f = operand_format(op);
	struct fpu_case c = { op, (unsigned)below(random, MODES), 0, 0, 0 };

	if (takes_integer(op)) {
		c.a = integer(random);
		return c;
	}
	c.a = number(random, f);
	c.b = below(random, 2) ? number(random, f) : related(random, f, c.a);
	c.c = below(random, 3) ? below(random, 2) ? cancelling(random, f, c.a, c.b) : related(random, f, cancelling(random, f, c.a, c.b)) : number(random, f);
	if (row->kind == FPU_TO_INT && below(random, 2))
		c.a = near_integer(random, f);
	if (row->kind == FPU_CONVERT && bits_of(f) > bits_of(row->format) && below(random, 4))
		c.a = narrowing(random, f, row->format);
	if (row->op == EXACT_SQRT && below(random, 3) == 0) { /* a square, nearly */
		double root = value(f, boxed(f, number(random, f) >> (fraction_bits(f) / 2) << (fraction_bits(f) / 2)));

		c.a = boxed(f, bits(f, root * root) + below(random, 3) - 1);
	}
	if (f != D && below(random, 32) == 0) /* not boxed */
		*(below(random, 2) ? &c.a : below(random, 2) ? &c.b : &c.c) &= splitmix64(random) | mask_of(bits_of(f));
	return c;
}
