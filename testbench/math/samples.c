/* Arguments: special values and pairs of them, then random ones: any bits, every exponent near one,
 * those where the function does most, and those around the worst so far. */
#include "testbench/random.h"
#include "testbench/math/math.h"
#include <math.h>

enum { SPECIALS = 58 }; /* and as many negative ones */
static void specials(const struct math_type *type, double list[2 * SPECIALS])
{
	double tiny = ldexp(1, type->emin - type->digits + 1), normal = ldexp(1, type->emin);
	const double values[] = { 0, 1, 2, 3, 4, 5, 0.5, 1.5, 2.5, 3.5, 0.25, 0.75, 7, 8, 10, 16, 27, 100, 128, 1000,
		INFINITY, NAN, tiny, normal, normal - tiny, ldexp(2 - ldexp(1, 1 - type->digits), type->emax),
		ldexp(1, type->digits), ldexp(1, type->digits - 1), ldexp(1, type->digits - 1) + 0.5, ldexp(1, type->digits - 2) + 0.5,
		ldexp(1, 30), ldexp(1, 31), ldexp(1, 32), ldexp(1, 62), ldexp(1, 63), ldexp(1, 64), ldexp(3, 22),
		M_PI, M_PI_2, M_PI_4, M_E, M_LN2, 1 - ldexp(1, -type->digits), 1 + ldexp(1, 1 - type->digits),
		0.5 - ldexp(1, -type->digits - 1), 1e-5, 1e-10, 1e-20, 1e10, 1e20, 1e30, 33.5, 34.5, 35.04, 171.6, 170.5, 88.7, 709.7 };
	_Static_assert(COUNT(values) == SPECIALS, "SPECIALS counts the list");
	for (size_t i = 0; i < SPECIALS; i++) {
		list[i] = math_round(type, values[i]);
		list[SPECIALS + i] = -list[i];
	}
}

static double sample(const struct math_type *type, const struct math_function *f, uint64_t *seed, uint64_t choice)
{
	uint64_t r = splitmix64(seed);
	double unit = (double)(r >> 11) * 0x1p-53;
	switch (choice & 3) {
	case 0:
		return math_from_bits(type, r);
	case 1: {
		double v = ldexp(1 + unit, (int)(r & 63) - 32);
		return math_round(type, r & 64 ? -v : v);
	}
	default:
		return math_round(type, f->from + unit * (f->to - f->from));
	}
}

/* A value no further from v than half of it, the nearer the likelier. */
static double neighbour(const struct math_type *type, uint64_t *seed, double v)
{
	uint64_t r = splitmix64(seed);
	double unit = (double)(r >> 11) * 0x1p-53;
	return math_round(type, v * (1 + ldexp(unit - 0.5, -(int)(r % (unsigned)type->digits))));
}

void math_samples(const struct math_type *type, const struct math_function *f, uint64_t *seed, const struct math_call *worst,
		  struct math_call *calls, size_t count)
{
	static const int32_t whole[] = { 0, 1, -1, 2, -2, 3, -3, INT32_MAX, INT32_MIN, 150, -150, 24, 1100, -1100 };
	double list[2 * SPECIALS];
	enum { N = 2 * SPECIALS };
	specials(type, list);
	size_t i = 0;
	for (; i < count && i < N; i++)
		calls[i] = (struct math_call){ list[i], list[(i + 7) % N], list[(i + 3) % N], (int32_t)i - 50 };
	if (f->kind == F2 || f->kind == F3 || f->kind == FI || f->kind == FQ)
		for (; i < count / 2 && i < N * N / 3; i++) {
			uint64_t r = splitmix64(seed);
			calls[i] = (struct math_call){ list[r % N], list[(r >> 20) % N], list[(r >> 30) % N], whole[(r >> 40) % COUNT(whole)] };
		}
	for (; i < count; i++) {
		uint64_t r = splitmix64(seed);
		struct math_call *c = &calls[i];
		if (worst && r >> 61 == 0) {
			*c = (struct math_call){ neighbour(type, seed, worst->a), r & 1 ? worst->b : neighbour(type, seed, worst->b),
						 r & 2 ? worst->c : neighbour(type, seed, worst->c), worst->n };
			continue;
		}
		c->a = sample(type, f, seed, r);
		c->b = sample(type, f, seed, r >> 2);
		/* a product and its opposite: what fma cancels */
		c->c = r & 0x100 ? math_round(type, -c->a * c->b) : sample(type, f, seed, r >> 4);
		c->n = r & 0x200 ? (int32_t)(splitmix64(seed) % 41) - 20 : (int32_t)splitmix64(seed) >> (r >> 10 & 31);
	}
}
