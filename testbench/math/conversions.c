/* convert_TYPE{_sat}{_rounding} between all types on the device, in vectors of all widths (OpenCL C 3.0,
 * 6.4.3): every result must be that of exact arithmetic. MATH_WIDTHS=all builds all widths of each pair,
 * as check-math does; otherwise the pairs take turns. MATH_TYPE=half,uchar: only pairs with one of these.
 * Usage: conversions [SEED [SAMPLES]]. */
#include "testbench/random.h"
#include "testbench/math/math.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct type {
	const char *name;
	size_t size;
	const struct math_type *floating; /* or an integer: */
	bool is_signed;
};
static const struct type types[] = {
	{ "char", 1, NULL, true }, { "uchar", 1, NULL, false }, { "short", 2, NULL, true }, { "ushort", 2, NULL, false },
	{ "int", 4, NULL, true }, { "uint", 4, NULL, false }, { "long", 8, NULL, true }, { "ulong", 8, NULL, false },
	{ "float", 4, &math_types[MATH_FLOAT], true }, { "double", 8, &math_types[MATH_DOUBLE], true },
	{ "half", 2, &math_types[MATH_HALF], true },
};

/* 6.4.3.2: the default is to zero for integers, to nearest even for floating point. */
static const struct rounding { const char *suffix; mpfr_rnd_t to_integer, to_floating; } roundings[] = {
	{ "", MPFR_RNDZ, MPFR_RNDN }, { "_rte", MPFR_RNDN, MPFR_RNDN }, { "_rtz", MPFR_RNDZ, MPFR_RNDZ },
	{ "_rtp", MPFR_RNDU, MPFR_RNDU }, { "_rtn", MPFR_RNDD, MPFR_RNDD },
};
enum { SAMPLES_MAX = 1 << 16, PAD = 16, SPECIALS = 42 };

static uint64_t seed;
static uint64_t random_bits(void) { return splitmix64(&seed); }

/* The first values of every run, and the same negative. */
static uint64_t special(const struct type *from, size_t i)
{
	const struct math_type *t = from->floating;
	if (!t)
		return i & 1 ? -(uint64_t)(i / 2) : i / 2;
	double tiny = ldexp(1, t->emin - t->digits + 1);
	const double values[] = { 0, tiny, ldexp(1, t->emin), ldexp(1, t->emin) - tiny, ldexp(2 - ldexp(1, 1 - t->digits), t->emax), INFINITY,
		NAN, 0.5, 1, 1.5, 2.5, 0x1p-149, 0x1p-150, 0x1p-126, 0x1p-24, 0x1p-25, 0x1p-14, 65504, 65520, 0x1.fffffep127, 0x1.ffffffp127 };
	_Static_assert(2 * COUNT(values) == SPECIALS, "SPECIALS counts the list");
	double v = values[i / 2];
	return math_to_bits(t, math_round(t, i & 1 ? -v : v));
}

/* Bits of a source value: any; few ones or zeros; numbers next to the limits of an integer type, and halves. */
static uint64_t sample(const struct type *from, const struct type *to)
{
	uint64_t r = random_bits(), v = random_bits();
	unsigned shift = r >> 8 & 63;
	double d;
	if (from->floating && to->floating && (r >> 40 & 3) == 0) { /* where the other type's numbers end */
		int e = to->floating->emin - to->floating->digits - 2 + (int)(r >> 48) % (to->floating->digits + 6);
		d = ldexp((double)(v >> 11 | 1ull << 52), e - 52);
		if (r & 0x40) /* next to one of its numbers */
			d = math_round(to->floating, d) * (1 + ldexp((double)(int)(v & 3) - 1, 1 - from->floating->digits));
		return math_to_bits(from->floating, math_round(from->floating, r & 0x80 ? -d : d));
	}
	switch (r & 7) {
	case 0:
	case 1:
		return v;
	case 2:
		v = (uint64_t)((int64_t)v >> shift);
		break;
	case 3:
		v = v >> shift;
		break;
	default:
		v = (1ull << shift) + (v & 7) - 3;
		v = r & 0x10000 ? -v : v;
		break;
	}
	if (!from->floating)
		return v;
	switch (r >> 20 & 3) {
	case 0: /* around a power of two, by units of its last place */
		d = ldexp((double)(random_bits() >> 11 | 1ull << 53), (int)shift - 53);
		break;
	case 1:
		d = (double)(int64_t)v * 0.5;
		break;
	case 2:
		d = (double)(int64_t)v + (double)(random_bits() >> 11) * 0x1p-53;
		break;
	default:
		d = r & 0x800000 ? NAN : r & 0x1000000 ? INFINITY : (double)v;
		break;
	}
	return math_to_bits(from->floating, math_round(from->floating, r & 0x2000000 ? -d : d));
}

/* The bits that the conversion must give; false where the specification leaves it open. *nan: any NaN will do. */
static bool expected(const struct type *from, const struct type *to, const struct rounding *rounding, bool saturate, uint64_t bits,
		     uint64_t *result, bool *nan)
{
	static mpfr_t x, low, high;
	if (!x->_mpfr_d)
		mpfr_inits2(128, x, low, high, (mpfr_ptr)0);
	unsigned width = (unsigned)from->size * 8, unused = 64 - width;
	if (from->floating)
		mpfr_set_d(x, math_from_bits(from->floating, bits), MPFR_RNDN);
	else if (from->is_signed)
		mpfr_set_si(x, (int64_t)(bits << unused) >> unused, MPFR_RNDN);
	else
		mpfr_set_ui(x, bits << unused >> unused, MPFR_RNDN);
	*nan = false;
	if (to->floating) {
		const struct math_type *t = to->floating;
		*nan = mpfr_nan_p(x);
		bool negative = mpfr_signbit(x);
		if (mpfr_regular_p(x)) {
			int e = (int)mpfr_get_exp(x) - 1, last = (e < t->emin ? t->emin : e) - t->digits + 1;
			mpfr_mul_2si(x, x, -last, MPFR_RNDN);
			if (rounding->to_floating == MPFR_RNDN)
				mpfr_roundeven(x, x);
			else
				mpfr_rint(x, x, rounding->to_floating);
			mpfr_mul_2si(x, x, last, MPFR_RNDN);
			mpfr_setsign(x, x, negative, MPFR_RNDN);
			/* beyond the largest number: infinity, unless the rounding is towards zero from there */
			if (mpfr_regular_p(x) && mpfr_get_exp(x) - 1 > t->emax) {
				mpfr_rnd_t towards_zero = negative ? MPFR_RNDU : MPFR_RNDD;
				if (rounding->to_floating == MPFR_RNDZ || rounding->to_floating == towards_zero)
					mpfr_set_d(x, ldexp(2 - ldexp(1, 1 - t->digits), t->emax), MPFR_RNDN);
				else
					mpfr_set_inf(x, 1);
				mpfr_setsign(x, x, negative, MPFR_RNDN);
			}
		}
		*result = math_to_bits(t, mpfr_get_d(x, MPFR_RNDN));
		return true;
	}
	/* 6.4.3.3: NaN becomes 0 where the conversion saturates, out of range is open elsewhere; integers wrap (C99, 6.3) */
	*result = 0;
	if (mpfr_nan_p(x))
		return saturate;
	unsigned n = (unsigned)to->size * 8;
	mpfr_set_si_2exp(high, 1, to->is_signed ? n - 1 : n, MPFR_RNDN);
	mpfr_neg(low, high, MPFR_RNDN);
	if (!to->is_signed)
		mpfr_set_zero(low, 1);
	mpfr_sub_ui(high, high, 1, MPFR_RNDN);
	if (rounding->to_integer == MPFR_RNDN)
		mpfr_roundeven(x, x);
	else
		mpfr_rint(x, x, rounding->to_integer);
	bool outside = mpfr_less_p(x, low) || mpfr_greater_p(x, high);
	if (outside && !saturate && from->floating)
		return false;
	if (outside && !saturate) {
		*result = bits << unused >> unused;
		if (from->is_signed)
			*result = (uint64_t)((int64_t)(bits << unused) >> unused);
	} else {
		mpfr_max(x, x, low, MPFR_RNDN);
		mpfr_min(x, x, high, MPFR_RNDN);
		*result = mpfr_sgn(x) < 0 ? (uint64_t)mpfr_get_si(x, MPFR_RNDN) : mpfr_get_ui(x, MPFR_RNDN);
	}
	*result = *result << (64 - n) >> (64 - n);
	return true;
}

static bool is_nan(const struct type *type, uint64_t bits) { return isnan(math_from_bits(type->floating, bits)); }

static char text[1 << 16];
static unsigned char in[(SAMPLES_MAX + PAD) * 8], out[(SAMPLES_MAX + PAD) * 8];

static void kernel_text(const struct type *from, const struct type *to, bool widths[MATH_WIDTHS])
{
	const struct math_type *half = &math_types[MATH_HALF];
	size_t n = (size_t)snprintf(text, sizeof text, "%s", from->floating == half || to->floating == half ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "");
	for (size_t r = 0; r < COUNT(roundings); r++)
		for (int sat = 0; sat <= !to->floating; sat++)
			for (size_t w = 0; w < MATH_WIDTHS; w++) {
				const char *suffix = roundings[r].suffix, *saturates = sat ? "_sat" : "";
				unsigned width = math_widths[w];
				if (!widths[w])
					continue;
				n += (size_t)snprintf(text + n, sizeof text - n,
						      "kernel void k%u%s%s(global const %s *in, global %s *out) { size_t i = get_global_id(0); ", width,
						      saturates, suffix, from->name, to->name);
				if (width == 1)
					n += (size_t)snprintf(text + n, sizeof text - n, "out[i] = convert_%s%s%s(in[i]); }\n", to->name,
							      saturates, suffix);
				else
					n += (size_t)snprintf(text + n, sizeof text - n, "vstore%u(convert_%s%u%s%s(vload%u(i, in)), i, out); }\n",
							      width, to->name, width, saturates, suffix, width);
			}
}

/* One kernel over the samples; says what is wrong. */
static bool check(struct math_kernels *kernels, const struct type *from, const struct type *to, const struct rounding *rounding,
		  bool saturate, unsigned width, size_t count)
{
	char name[32];
	size_t wrong = 0;
	snprintf(name, sizeof name, "k%u%s%s", width, saturate ? "_sat" : "", rounding->suffix);
	memset(out, 0xa5, sizeof out);
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = i < SPECIALS ? special(from, i) : sample(from, to);
		memcpy(in + i * from->size, &bits, from->size);
	}
	math_kernels_run(kernels, name, (count + width - 1) / width, in, count * from->size, out, count * to->size);
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = 0, got = 0, want;
		bool nan;
		memcpy(&bits, in + i * from->size, from->size);
		memcpy(&got, out + i * to->size, to->size);
		if (!expected(from, to, rounding, saturate, bits, &want, &nan) || (nan ? is_nan(to, got) : got == want))
			continue;
		if (wrong++ < 3)
			printf("# convert_%s%u%s%s(%s 0x%" PRIx64 ") = 0x%" PRIx64 ", not 0x%" PRIx64 "\n", to->name, width,
			       saturate ? "_sat" : "", rounding->suffix, from->name, bits, got, want);
	}
	return wrong == 0;
}

static bool chosen(const char *list, const char *name)
{
	const char *at = list && *list ? strstr(list, name) : NULL;
	return !list || !*list || (at && (at == list || at[-1] == ',') && (at[strlen(name)] == ',' || !at[strlen(name)]));
}

int main(int argc, char **argv)
{
	const char *every = getenv("MATH_WIDTHS"), *only = getenv("MATH_TYPE");
	uint64_t first = seed_take(argc, argv);
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 0) : 960, ok = 0, failed = 0;
	bool all = every && strcmp(every, "all") == 0;
	count = (count > SAMPLES_MAX ? SAMPLES_MAX : count) / 48 * 48;
	printf("# %zu conversions of each kind\n", count);
	math_device_open();
	for (size_t f = 0; f < COUNT(types); f++)
		for (size_t t = 0; t < COUNT(types); t++) {
			const struct type *from = &types[f], *to = &types[t];
			bool widths[MATH_WIDTHS], good = true;
			if ((from->floating && !math_device_has(from->floating)) || (to->floating && !math_device_has(to->floating)) ||
			    (!chosen(only, from->name) && !chosen(only, to->name)))
				continue;
			for (size_t w = 0; w < MATH_WIDTHS; w++)
				widths[w] = all || w == (f * COUNT(types) + t + first) % MATH_WIDTHS;
			kernel_text(from, to, widths);
			struct math_kernels *kernels = math_kernels_build(text, "-cl-std=CL3.0");
			seed = first ^ (uint64_t)(f * COUNT(types) + t) << 32;
			for (size_t r = 0; r < COUNT(roundings); r++)
				for (int sat = 0; sat <= !to->floating; sat++)
					for (size_t w = 0; w < MATH_WIDTHS; w++)
						if (widths[w])
							good &= check(kernels, from, to, &roundings[r], sat, math_widths[w], count);
			math_kernels_free(kernels);
			*(good ? &ok : &failed) += 1;
			if (!good)
				printf("FAIL  %s to %s\n", from->name, to->name);
		}
	if (!math_device_has(&math_types[MATH_HALF]))
		printf("# skip half: the device does not have it\n");
	math_device_close();
	printf("conversions: %zu pairs of types exact, %zu not\n", ok, failed);
	return failed || !ok;
}
