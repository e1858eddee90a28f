/* The device's floating-point types on the host, and the table of functions. */
#include "testbench/math/math.h"
#include <math.h>
#include <string.h>

const struct math_type math_types[MATH_TYPES] = {
	[MATH_FLOAT] = { "float", 4, 24, -126, 127 },
	[MATH_DOUBLE] = { "double", 8, 53, -1022, 1023 },
	[MATH_HALF] = { "half", 2, 11, -14, 15 },
};

#define CR MATH_CR
#define NONE MATH_NONE
#define LOOSE MATH_LOOSE
#define ENTRY(kind_, name_, f, d, h, from_, to_)                                                   \
	{ .name = #name_, .kind = kind_, .limits = { [MATH_FLOAT] = f, [MATH_DOUBLE] = d, [MATH_HALF] = h }, .from = from_, .to = to_ },
#define F1(...) ENTRY(F1, __VA_ARGS__)
#define F2(...) ENTRY(F2, __VA_ARGS__)
#define F3(...) ENTRY(F3, __VA_ARGS__)
#define FI(...) ENTRY(FI, __VA_ARGS__)
#define FP(...) ENTRY(FP, __VA_ARGS__)
#define FPI(...) ENTRY(FPI, __VA_ARGS__)
#define FQ(...) ENTRY(FQ, __VA_ARGS__)
#define FR(...) ENTRY(FR, __VA_ARGS__)
#define V1(...) ENTRY(V1, __VA_ARGS__)
#define V2(...) ENTRY(V2, __VA_ARGS__)
#define VV(...) ENTRY(VV, __VA_ARGS__)
#define VC(...) ENTRY(VC, __VA_ARGS__)
const struct math_function math_functions[] = {
#include "testbench/math/functions.def"
};
const size_t math_num_functions = COUNT(math_functions);

const unsigned math_widths[MATH_WIDTHS] = { 1, 2, 3, 4, 8, 16 };
bool math_every_width;
bool math_has_width(const struct math_type *type, const struct math_function *f, size_t width)
{
	size_t turn = width + (size_t)(f - math_functions) + (size_t)(type - math_types);
	if (!math_every_width && math_widths[width] > 1 && turn % 2)
		return false;
	return f->kind < V1 || (math_widths[width] <= 4 && (f->kind != VC || math_widths[width] >= 3));
}

double math_round(const struct math_type *type, double value)
{
	if (type->size == 8 || value == 0 || !isfinite(value))
		return value;
	if (type->size == 4)
		return (double)(float)value;
	int e;
	frexp(value, &e);
	int last = (e - 1 < type->emin ? type->emin : e - 1) - type->digits + 1; /* exponent of the last digit */
	double r = ldexp(nearbyint(ldexp(value, -last)), last);
	return fabs(r) >= ldexp(1, type->emax + 1) ? copysign(INFINITY, r) : copysign(r, value);
}

double math_from_bits(const struct math_type *type, uint64_t bits)
{
	if (type->size == 8) {
		double d;
		memcpy(&d, &bits, 8);
		return d;
	}
	if (type->size == 4) {
		uint32_t low = (uint32_t)bits;
		float f;
		memcpy(&f, &low, 4);
		return (double)f;
	}
	int e = (int)(bits >> 10 & 31), m = (int)(bits & 1023);
	double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return bits & 0x8000 ? -v : v;
}

uint64_t math_to_bits(const struct math_type *type, double value)
{
	uint64_t bits = 0;
	if (type->size == 8) {
		memcpy(&bits, &value, 8);
		return bits;
	}
	if (type->size == 4) {
		float f = (float)value;
		memcpy(&bits, &f, 4);
		return bits;
	}
	uint64_t sign = signbit(value) ? 0x8000 : 0;
	if (isnan(value))
		return sign | 0x7e00;
	if (isinf(value))
		return sign | 0x7c00;
	double a = fabs(value);
	if (a < 0x1p-14)
		return sign | (uint64_t)(a * 0x1p24);
	int e;
	double m = frexp(a, &e);
	return sign | (uint64_t)(e + 14) << 10 | ((uint64_t)(m * 2048) & 1023);
}
