/* Operands, weighted towards the edges of their types, and towards each other. */
#include "testbench/random.h"
#include "testbench/oracle/program.h"
#include <math.h>
#include <string.h>

uint64_t values_next(struct values *r) { return splitmix64(&r->state); }

static uint64_t integer(struct values *r)
{
	static const uint64_t limits[] = { 0, 1, ~0ull, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
					   0xffffffff, 0x100000000, 0xffffffff80000000, 0xffffffff7fffffff,
					   0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0x00ff00ff00ff00ff };
	uint64_t v = values_next(r);
	switch (values_below(r, 8)) {
	case 0: return limits[v % (sizeof(limits) / sizeof(*limits))];
	case 1: return v % 65 - 32;
	case 2: return (uint64_t)(int64_t)(int32_t)v;
	case 3: return (uint32_t)v;
	case 4: return (1ull << v % 64) - (v >> 40) % 3 + 1;
	case 5: return v >> v % 64;
	case 6: return (uint64_t)((int64_t)v >> v % 64);
	default: return v;
	}
}

/* Bits of a number with `fraction` bits of fraction and `exponent` bits of exponent. */
static uint64_t number(struct values *r, unsigned exponent, unsigned fraction)
{
	uint64_t v = values_next(r), top = (1ull << exponent) - 1, bias = top >> 1, e, f = v & ((1ull << fraction) - 1);
	switch (values_below(r, 8)) { /* few ones make exact ties likely */
	case 0: f = 0; break;
	case 1: f = (1ull << fraction) - 1 - (v >> 60); break;
	case 2: f = 1ull << v % fraction; break;
	case 3: f &= values_next(r) & values_next(r); break;
	case 4: f = f >> fraction / 2 << fraction / 2; break;
	case 5: f >>= v >> 32 & 63 % fraction; break;
	}
	uint64_t w = values_next(r);
	switch (values_below(r, 10)) {
	case 0: e = 0; break; /* zero and subnormal */
	case 1: e = top; break; /* infinity and NaNs of any payload */
	case 2: e = 1 + w % 3; break;
	case 3: e = top - 1 - w % 3; break;
	case 4: e = w % (top + 1); break;
	default: e = bias + w % (2 * fraction + 4) - fraction - 2; break;
	}
	if (e > top)
		e = w % (top + 1);
	if ((e == 0 || e == top) && values_below(r, 3) == 0)
		f = 0;
	return (values_next(r) & 1) << (exponent + fraction) | (e & top) << fraction | f;
}

/* A number near an integer limit, or halfway between two integers. */
static double near_integer(struct values *r)
{
	static const double parts[] = { 0, 0, 0.5, -0.5, 0.25, 0.75, 1, -1, 0x1p-20, -0x1p-20 };
	int64_t v = (int64_t)integer(r);
	double d = values_below(r, 2) ? (double)v : (double)(uint64_t)v;
	d += parts[values_below(r, 10)];
	return values_below(r, 4) ? d : nextafter(d, values_below(r, 2) ? INFINITY : -INFINITY);
}

static uint64_t bits64(double d)
{
	uint64_t u;
	memcpy(&u, &d, 8);
	return u;
}

static uint64_t boxed(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	return u | 0xffffffff00000000;
}

static double as_double(uint64_t v)
{
	double d;
	memcpy(&d, &v, 8);
	return d;
}

static float as_single(uint64_t v)
{
	uint32_t u = (uint32_t)v;
	float f;
	memcpy(&f, &u, 4);
	return f;
}

/* f[n] from those before it, so that sums cancel and lie halfway. */
static uint64_t related(struct values *r, const uint64_t *f, unsigned n, bool single)
{
	uint64_t a = f[values_below(r, n)], b = f[values_below(r, n)], w = values_next(r);
	unsigned fraction = single ? 23 : 52, width = single ? 32 : 64;
	uint64_t low = single ? 0xffffffff : ~0ull, sign = 1ull << (width - 1), v = a;
	switch (w % 6) {
	case 0: v = a ^ sign; break;
	case 1: v = a + (w >> 60) - 8; break;
	case 2: v = (a ^ sign) + (w >> 60) - 8; break;
	case 3: { /* about half of a's last place */
		uint64_t e = a >> fraction & (single ? 0xff : 0x7ff), down = fraction + 1 + (w >> 60) % 3 - 1;
		if (e <= down)
			break;
		v = (e - down) << fraction | (w >> 59 & 1) << (width - 1);
		v += (w >> 40) % 3 - 1;
		break;
	}
	default: /* the product, nearly */
		v = single ? boxed(-(as_single(a) * as_single(b))) : bits64(-(as_double(a) * as_double(b)));
		v += (w >> 60) % 5 - 2;
		if (w >> 58 & 1)
			v ^= sign;
	}
	return single ? (v & low) | 0xffffffff00000000 : v;
}

static uint64_t floating(struct values *r, const struct program *p, const uint64_t *f, unsigned n)
{
	bool single = p->class == ORACLE_FP32 || (p->class != ORACLE_FP64 && n & 1);
	uint64_t k = values_below(r, 16);
	if (k == 0) /* whatever may stand in a register: mostly not boxed */
		return values_next(r);
	if (k == 1)
		return number(r, 5, 10) | 0xffffffffffff0000;
	if (p->class == ORACLE_CONVERT || p->class == ORACLE_COMPARE) {
		if (k < 5)
			return single ? boxed((float)near_integer(r)) : bits64(near_integer(r));
		if (k < 8) /* near the limits and the ties of half and single */
			return single ? boxed((float)(ldexp((double)(1024 + values_below(r, 2050)) / 1024 +
							    ((int)values_below(r, 3) - 1) * 0x1p-12, (int)values_below(r, 44) - 27)))
				      : bits64(ldexp((double)(0x800000 + values_below(r, 0x800000)) / 0x800000 +
						     ((int)values_below(r, 5) - 2) * 0x1p-25, (int)values_below(r, 300) - 160));
		if (k < 10)
			return number(r, 5, 10) | 0xffffffffffff0000;
	}
	if (n && k < 8)
		return related(r, f, n, single);
	return single ? number(r, 8, 23) | 0xffffffff00000000 : number(r, 11, 52);
}

void program_operands(const struct program *p, uint8_t *table, struct values *r)
{
	uint64_t (*column)[ITEMS] = (void *)table;
	for (unsigned i = 0; i < ITEMS; i++) {
		uint64_t x[NUM_X], f[NUM_F];
		for (unsigned n = 0; n < NUM_X; n++) {
			x[n] = integer(r);
			if (n && values_below(r, 4) == 0)
				x[n] = x[values_below(r, n)] + values_below(r, 3) * values_below(r, 2) - values_below(r, 2);
			column[COL_X + n][i] = x[n];
		}
		for (unsigned n = 0; n < NUM_F; n++)
			column[COL_F + n][i] = f[n] = floating(r, p, f, n);
		column[COL_MASK][i] = values_below(r, 3) != 0;
		column[COL_PRESET][i] = integer(r);
		column[COL_FPRESET][i] = values_next(r);
		column[COL_FRM][i] = values_below(r, 5);
		/* anywhere in the areas, with room on both sides */
		column[COL_POINTER][i] = AREAS_VA + 64 + values_below(r, ITEMS * AREA_BYTES - 128);
	}
	for (unsigned i = 0; i < SHARED_WORDS; i++)
		column[COL_SHARED][i] = integer(r);
	uint64_t *areas = (uint64_t *)(table + COL_AREAS * (size_t)COLUMN);
	for (size_t i = 0; i < ITEMS * AREA_BYTES / 8; i++)
		areas[i] = values_below(r, 4) ? values_next(r) : integer(r);
	if (!values_below(r, 3)) /* a warp whose lanes all take part, or none */
		for (unsigned i = 0; i < ITEMS; i++)
			column[COL_MASK][i] = i >> 5 & 1;
}
