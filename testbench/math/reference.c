/* What the functions give exactly: MPFR, with the special values that OpenCL C changes (7.5.1). The
 * C library's long double functions answer for most calls, which they do a hundred times faster; near the
 * limit, at a new worst error, outside the normal range, and for every 64th call MPFR decides, and
 * where both have an answer they must agree. */
#include "testbench/math/math.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct math_reference {
	const struct math_type *type;
	const struct math_function *f;
	const struct row *row;
	double limit, slack;
	long double normal, huge; /* estimates hold between these */
	bool native, either_zero;
	unsigned long calls;
	mpfr_t x, y, z, t, wide;
	/* of the last call */
	mpfr_t r, r2;
	int ri;
	bool has_r2, has_ri, undefined;
	double unit; /* what errors are measured in; 0: the result's ULP */
};
typedef struct math_reference ref;
static const mpfr_rnd_t N = MPFR_RNDN;

/* ---- one function each where MPFR has none, or another special value ---- */
typedef void exact1(mpfr_ptr, mpfr_srcptr);
typedef void exact2(mpfr_ptr, mpfr_srcptr, mpfr_srcptr);
#define MPFR_1(name) static void x_##name(mpfr_ptr r, mpfr_srcptr a) { mpfr_##name(r, a, N); }
#define MPFR_2(name) static void x_##name(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b) { mpfr_##name(r, a, b, N); }
MPFR_1(acos) MPFR_1(acosh) MPFR_1(acospi) MPFR_1(asin) MPFR_1(asinh) MPFR_1(asinpi) MPFR_1(atan) MPFR_1(atanh)
MPFR_1(atanpi) MPFR_1(cbrt) MPFR_1(cos) MPFR_1(cosh) MPFR_1(cospi) MPFR_1(erf) MPFR_1(erfc) MPFR_1(exp) MPFR_1(exp2)
MPFR_1(exp10) MPFR_1(expm1) MPFR_1(abs) MPFR_1(log) MPFR_1(log2) MPFR_1(log10) MPFR_1(log1p) MPFR_1(sin) MPFR_1(sinh)
MPFR_1(sinpi) MPFR_1(sqrt) MPFR_1(tan) MPFR_1(tanh) MPFR_1(tanpi) MPFR_1(gamma)
MPFR_2(atan2) MPFR_2(atan2pi) MPFR_2(dim) MPFR_2(max) MPFR_2(min) MPFR_2(fmod) MPFR_2(hypot) MPFR_2(pow) MPFR_2(remainder)
MPFR_2(div) MPFR_2(add) MPFR_2(sub) MPFR_2(mul)
static void x_ceil(mpfr_ptr r, mpfr_srcptr a) { mpfr_ceil(r, a); }
static void x_floor(mpfr_ptr r, mpfr_srcptr a) { mpfr_floor(r, a); }
static void x_trunc(mpfr_ptr r, mpfr_srcptr a) { mpfr_trunc(r, a); }
static void x_round(mpfr_ptr r, mpfr_srcptr a) { mpfr_round(r, a); }
static void x_rint(mpfr_ptr r, mpfr_srcptr a) { mpfr_rint(r, a, N); }
static void x_lgamma(mpfr_ptr r, mpfr_srcptr a) { int s; mpfr_lgamma(r, &s, a, N); }
static void x_recip(mpfr_ptr r, mpfr_srcptr a) { mpfr_ui_div(r, 1, a, N); }
static void x_rsqrt(mpfr_ptr r, mpfr_srcptr a)
{
	mpfr_rec_sqrt(r, a, N);
	if (mpfr_zero_p(a) && mpfr_signbit(a)) /* C and OpenCL: -infinity */
		mpfr_set_inf(r, -1);
}
static void x_logb(mpfr_ptr r, mpfr_srcptr a)
{
	if (mpfr_regular_p(a))
		mpfr_set_si(r, mpfr_get_exp(a) - 1, N);
	else if (mpfr_nan_p(a))
		mpfr_set_nan(r);
	else
		mpfr_set_inf(r, mpfr_inf_p(a) ? 1 : -1);
}
/* 6.15.4: NaN gives 0 */
static void x_sign(mpfr_ptr r, mpfr_srcptr a)
{
	if (mpfr_nan_p(a))
		mpfr_set_zero(r, 1);
	else if (mpfr_zero_p(a))
		mpfr_set(r, a, N);
	else
		mpfr_set_si(r, mpfr_sgn(a), N);
}
static void x_degrees(mpfr_ptr r, mpfr_srcptr a)
{
	mpfr_t pi;
	mpfr_init2(pi, 192);
	mpfr_const_pi(pi, N);
	mpfr_mul_ui(r, a, 180, N);
	mpfr_div(r, r, pi, N);
	mpfr_clear(pi);
}
static void x_radians(mpfr_ptr r, mpfr_srcptr a)
{
	mpfr_t pi;
	mpfr_init2(pi, 192);
	mpfr_const_pi(pi, N);
	mpfr_mul(r, a, pi, N);
	mpfr_div_ui(r, r, 180, N);
	mpfr_clear(pi);
}
static int order_of(mpfr_srcptr a, mpfr_srcptr b) { return mpfr_nan_p(a) || mpfr_nan_p(b) ? 0 : mpfr_cmpabs(a, b); }
static void x_maxmag(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b)
{
	int order = order_of(a, b);
	if (order)
		mpfr_set(r, order > 0 ? a : b, N);
	else
		mpfr_max(r, a, b, N);
}
static void x_minmag(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b)
{
	int order = order_of(a, b);
	if (order)
		mpfr_set(r, order < 0 ? a : b, N);
	else
		mpfr_min(r, a, b, N);
}
/* 7.5.1: unlike in IEEE 754, NaN is NaN */
static void x_powr(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b)
{
	if (mpfr_nan_p(a) || mpfr_nan_p(b))
		mpfr_set_nan(r);
	else
		mpfr_powr(r, a, b, N);
}
static void x_step(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b) { mpfr_set_ui(r, !mpfr_less_p(b, a), N); }

/* ---- long double ---- */
typedef long double fast1(long double);
typedef long double fast2(long double, long double);
#define PI_L 3.14159265358979323846264338327950288L
static long double l_acospi(long double x) { return acosl(x) / PI_L; }
static long double l_asinpi(long double x) { return asinl(x) / PI_L; }
static long double l_atanpi(long double x) { return atanl(x) / PI_L; }
static long double l_atan2pi(long double y, long double x) { return atan2l(y, x) / PI_L; }
static long double l_rsqrt(long double x) { return 1 / sqrtl(x); }
static long double l_recip(long double x) { return 1 / x; }
static long double l_degrees(long double x) { return x * (180 / PI_L); }
static long double l_radians(long double x) { return x * (PI_L / 180); }
static long double l_div(long double x, long double y) { return x / y; }
static long double l_sinpi(long double x)
{
	long double n = rintl(x + x), r = (x - n / 2) * PI_L;
	long long q = (long long)fmodl(n, 4) & 3;
	long double v = q & 1 ? cosl(r) : sinl(r);
	return q & 2 ? -v : v;
}
static long double l_cospi(long double x)
{
	long double n = rintl(x + x), r = (x - n / 2) * PI_L;
	long long q = ((long long)fmodl(n, 4) + 1) & 3;
	long double v = q & 1 ? cosl(r) : sinl(r);
	return q & 2 ? -v : v;
}
static long double l_tanpi(long double x) { return l_sinpi(x) / l_cospi(x); }

/* ---- the table: by name ---- */
static const struct row {
	const char *name;
	exact1 *exact1;
	exact2 *exact2;
	fast1 *fast1, *fast_second;
	fast2 *fast2;
} rows[] = {
#define ROW1(label, x, l) { .name = #label, .exact1 = x, .fast1 = l },
#define ROW2(label, x, l) { .name = #label, .exact2 = x, .fast2 = l },
	ROW1(acos, x_acos, acosl) ROW1(acosh, x_acosh, acoshl) ROW1(acospi, x_acospi, l_acospi) ROW1(asin, x_asin, asinl)
	ROW1(asinh, x_asinh, asinhl) ROW1(asinpi, x_asinpi, l_asinpi) ROW1(atan, x_atan, atanl) ROW1(atanh, x_atanh, atanhl)
	ROW1(atanpi, x_atanpi, l_atanpi) ROW1(cbrt, x_cbrt, cbrtl) ROW1(ceil, x_ceil, ceill) ROW1(cos, x_cos, cosl)
	ROW1(cosh, x_cosh, coshl) ROW1(cospi, x_cospi, l_cospi) ROW1(erf, x_erf, erfl) ROW1(erfc, x_erfc, erfcl)
	ROW1(exp, x_exp, expl) ROW1(exp2, x_exp2, exp2l) ROW1(exp10, x_exp10, exp10l) ROW1(expm1, x_expm1, expm1l)
	ROW1(fabs, x_abs, NULL) ROW1(floor, x_floor, floorl) ROW1(lgamma, x_lgamma, NULL) ROW1(log, x_log, logl)
	ROW1(log2, x_log2, log2l) ROW1(log10, x_log10, log10l) ROW1(log1p, x_log1p, log1pl) ROW1(logb, x_logb, NULL)
	ROW1(rint, x_rint, rintl) ROW1(round, x_round, roundl) ROW1(rsqrt, x_rsqrt, l_rsqrt) ROW1(sin, x_sin, sinl)
	ROW1(sinh, x_sinh, sinhl) ROW1(sinpi, x_sinpi, l_sinpi) ROW1(sqrt, x_sqrt, sqrtl) ROW1(tan, x_tan, tanl)
	ROW1(tanh, x_tanh, tanhl) ROW1(tanpi, x_tanpi, l_tanpi) ROW1(tgamma, x_gamma, tgammal) ROW1(trunc, x_trunc, truncl)
	ROW1(recip, x_recip, l_recip) ROW1(sign, x_sign, NULL) ROW1(degrees, x_degrees, l_degrees) ROW1(radians, x_radians, l_radians)
	ROW2(atan2, x_atan2, atan2l) ROW2(atan2pi, x_atan2pi, l_atan2pi) ROW2(fdim, x_dim, NULL) ROW2(fmax, x_max, NULL)
	ROW2(fmin, x_min, NULL) ROW2(fmod, x_fmod, fmodl) ROW2(hypot, x_hypot, hypotl) ROW2(maxmag, x_maxmag, NULL)
	ROW2(minmag, x_minmag, NULL) ROW2(pow, x_pow, powl) ROW2(powr, x_powr, powl) ROW2(remainder, x_remainder, remainderl)
	ROW2(divide, x_div, l_div) ROW2(add, x_add, NULL) ROW2(subtract, x_sub, NULL) ROW2(multiply, x_mul, NULL)
	ROW2(max, x_max, NULL) ROW2(min, x_min, NULL) ROW2(step, x_step, NULL)
	{ .name = "sincos", .fast1 = sinl, .fast_second = cosl },
};

static bool starts_with(const char *name, const char *start) { return strncmp(name, start, strlen(start)) == 0; }
/* half_ and native_ functions have the plain function's reference. */
static const char *base_name(const char *name)
{
	return starts_with(name, "half_") ? name + 5 : starts_with(name, "native_") ? name + 7 : name;
}

ref *math_reference_open(const struct math_type *type, const struct math_function *f)
{
	ref *s = calloc(1, sizeof *s);
	s->type = type;
	s->f = f;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].name, base_name(f->name)) == 0)
			s->row = &rows[i];
	if (!s->row && (f->kind == F1 || f->kind == F2) && strcmp(f->name, "nextafter") && strcmp(f->name, "copysign")) {
		fprintf(stderr, "math: %s is in functions.def, but reference.c does not know it\n", f->name);
		exit(2);
	}
	s->limit = f->limits[type - math_types];
	s->native = starts_with(f->name, "native_") || starts_with(f->name, "fast_");
	/* a bound for the error of long double functions, in ULP of the type */
	s->slack = ldexp(256, type->digits - LDBL_MANT_DIG); /* erfcl is off by 70 of its own units */
	s->normal = ldexpl(1, type->emin + 1);
	s->huge = ldexpl(1, type->emax);
	static const char *const either[] = { "nextafter", "fmax", "fmin", "maxmag", "minmag", "max", "min", "clamp", "lgamma", "lgamma_r" };
	s->either_zero = s->native;
	for (size_t i = 0; i < COUNT(either); i++)
		s->either_zero |= strcmp(f->name, either[i]) == 0;
	mpfr_inits2(128, s->x, s->y, s->z, s->t, s->r2, (mpfr_ptr)0);
	/* sums of two numbers, and of a product and a number, of any exponents */
	bool sums = s->limit == MATH_CR && (f->kind == F2 || f->kind == F3) && strcmp(f->name, "divide");
	mpfr_inits2(sums ? 4400 : 128, s->r, s->wide, (mpfr_ptr)0);
	return s;
}

void math_reference_close(ref *s)
{
	mpfr_clears(s->x, s->y, s->z, s->t, s->r2, s->r, s->wide, (mpfr_ptr)0);
	free(s);
}

double math_limit(const ref *s, unsigned width)
{
	return s->limit == MATH_CR ? 0.5 : s->f->kind >= V1 ? s->limit + s->f->from * width : s->limit;
}

static double next_after(const struct math_type *type, double a, double b)
{
	if (type->size == 8 || isnan(a) || isnan(b))
		return nextafter(a, b);
	if (type->size == 4)
		return (double)nextafterf((float)a, (float)b);
	if (a == b)
		return b;
	if (a == 0)
		return copysign(0x1p-24, b);
	return math_from_bits(type, math_to_bits(type, a) + (uint64_t)((a < b) == (a > 0) ? 1 : -1));
}

/* ---- kinds with more than numbers in and a number out ---- */
static void exact_three(ref *s, const struct math_call *c)
{
	const char *name = s->f->name;
	bool numbers = isfinite(c->a) && isfinite(c->b) && isfinite(c->c);
	if (strcmp(name, "fma") == 0) {
		mpfr_fma(s->r, s->x, s->y, s->z, N);
	} else if (strcmp(name, "clamp") == 0) { /* undefined where the limits are not in order, and for NaN */
		s->undefined = isnan(c->a) || !(c->b <= c->c);
		mpfr_max(s->r, s->x, s->y, N);
		mpfr_min(s->r, s->r, s->z, N);
	} else if (strcmp(name, "mix") == 0) {
		/* undefined for a outside [0, 1]; in between x + (y - x) a must not run out of range */
		double largest = fmax(fabs(c->a), fabs(c->b));
		s->undefined = !numbers || !(c->c >= 0 && c->c <= 1) || largest >= ldexp(1, s->type->emax - 1);
		mpfr_sub(s->wide, s->y, s->x, N);
		mpfr_fma(s->r, s->wide, s->z, s->x, N);
		int e = largest > 0 ? ilogb(largest) : s->type->emin;
		s->unit = ldexp(1, (e < s->type->emin ? s->type->emin : e) - s->type->digits + 1);
	} else { /* smoothstep: undefined unless edge0 < edge1, and where their difference is out of range */
		s->undefined = !numbers || !(c->a < c->b) || fmax(fabs(c->a), fabs(c->b)) >= ldexp(1, s->type->emax - 1) ||
			       fabs(c->c) >= ldexp(1, s->type->emax - 1);
		mpfr_sub(s->wide, s->y, s->x, N);
		mpfr_sub(s->r, s->z, s->x, N);
		mpfr_div(s->r, s->r, s->wide, N);
		if (mpfr_sgn(s->r) <= 0 || s->undefined) {
			mpfr_set_zero(s->r, 1);
		} else if (mpfr_cmp_ui(s->r, 1) >= 0) {
			mpfr_set_ui(s->r, 1, N);
		} else {
			mpfr_ui_sub(s->wide, 3, s->r, N);
			mpfr_sub(s->wide, s->wide, s->r, N);
			mpfr_sqr(s->r, s->r, N);
			mpfr_mul(s->r, s->r, s->wide, N);
		}
		s->unit = ldexp(1, 1 - s->type->digits);
	}
}

static void exact_second(ref *s)
{
	s->has_r2 = true;
	if (strcmp(s->f->name, "sincos") == 0) {
		mpfr_sin_cos(s->r, s->r2, s->x, N);
		return;
	}
	bool modf = strcmp(s->f->name, "modf") == 0;
	if (modf)
		mpfr_trunc(s->r2, s->x);
	else
		mpfr_floor(s->r2, s->x);
	if (mpfr_inf_p(s->x))
		mpfr_set_zero(s->r, 1);
	else
		mpfr_sub(s->r, s->x, s->r2, N);
	if (modf) {
		mpfr_copysign(s->r, s->r, s->x, N);
		return;
	}
	/* fract: fmin(x - floor(x), the largest number below 1); 7.5.1: of a zero or an infinity a zero of
	 * its sign; of integers +0 */
	double below = next_after(s->type, 1.0, 0.0);
	if (mpfr_cmp_d(s->r, below) > 0)
		mpfr_set_d(s->r, below, N);
	if (mpfr_zero_p(s->r))
		mpfr_set_zero(s->r, mpfr_signbit(s->x) && (mpfr_zero_p(s->x) || mpfr_inf_p(s->x)) ? -1 : 1);
}

static void exact(ref *s, const struct math_call *c)
{
	const char *name = s->f->name;
	mpfr_set_d(s->x, c->a, N);
	mpfr_set_d(s->y, c->b, N);
	mpfr_set_d(s->z, c->c, N);
	s->has_r2 = s->has_ri = s->undefined = false;
	s->ri = 0;
	s->unit = 0;
	switch (s->f->kind) {
	case F1:
		s->row->exact1(s->r, s->x);
		return;
	case F2:
		if (strcmp(name, "nextafter") == 0)
			mpfr_set_d(s->r, next_after(s->type, c->a, c->b), N);
		else if (strcmp(name, "copysign") == 0)
			mpfr_set_d(s->r, copysign(c->a, c->b), N); /* MPFR has NaN without sign */
		else
			s->row->exact2(s->r, s->x, s->y);
		/* 6.15.4: max, min and step of NaN are undefined */
		s->undefined = (isnan(c->a) || isnan(c->b)) && (!strcmp(name, "max") || !strcmp(name, "min") || !strcmp(name, "step"));
		return;
	case F3:
		exact_three(s, c);
		return;
	case FI:
		if (strcmp(name, "pown") == 0)
			mpfr_pow_si(s->r, s->x, c->n, N);
		else if (strcmp(name, "rootn") == 0)
			mpfr_rootn_si(s->r, s->x, c->n, N);
		else
			mpfr_mul_2si(s->r, s->x, c->n, N);
		return;
	case FP:
		exact_second(s);
		return;
	case FPI:
		if (strcmp(name, "frexp") == 0) {
			s->has_ri = mpfr_regular_p(s->x) || mpfr_zero_p(s->x);
			s->ri = mpfr_regular_p(s->x) ? (int)mpfr_get_exp(s->x) : 0;
			mpfr_mul_2si(s->r, s->x, -s->ri, N);
		} else {
			mpfr_lgamma(s->r, &s->ri, s->x, N);
			s->has_ri = mpfr_regular_p(s->r); /* the sign at poles and of NaN is nobody's business */
		}
		return;
	case FQ: {
		long quotient = 0;
		mpfr_remquo(s->r, &quotient, s->x, s->y, N);
		s->ri = (int)(labs(quotient) & 127) * (quotient < 0 ? -1 : 1);
		s->has_ri = mpfr_number_p(s->r);
		return;
	}
	case V1:
	case V2:
	case VV:
	case VC:
		return; /* exact_vector */
	case FR: /* FP_ILOGBNAN may be INT_MAX or INT_MIN */
		s->ri = mpfr_regular_p(s->x) ? (int)mpfr_get_exp(s->x) - 1 : mpfr_inf_p(s->x) ? INT32_MAX : INT32_MIN;
		s->has_ri = !mpfr_nan_p(s->x);
		return;
	}
}

/* ---- geometric functions: element `lane` of the result for a vector of `width` ---- */
static void exact_vector(ref *s, const struct math_call *c, unsigned width, unsigned lane)
{
	const char *name = s->f->name;
	double largest = 0, smallest = INFINITY;
	bool two = s->f->kind == V2 || s->f->kind == VC;
	s->has_r2 = s->has_ri = s->undefined = false;
	s->unit = 0;
	for (unsigned k = 0; k < width; k++) {
		s->undefined |= !isfinite(c[k].a) || (two && !isfinite(c[k].b));
		largest = fmax(largest, two ? fmax(fabs(c[k].a), fabs(c[k].b)) : fabs(c[k].a));
		smallest = fmin(smallest, two ? fmin(fabs(c[k].a), fabs(c[k].b)) : fabs(c[k].a));
	}
	if (s->undefined)
		return;
	if (s->f->kind == VC) { /* the last element of four is 0 */
		unsigned j = (lane + 1) % 3, k = (lane + 2) % 3;
		mpfr_set_d(s->x, c[j].a, N);
		mpfr_set_d(s->y, c[k].a, N);
		mpfr_mul_d(s->x, s->x, c[k].b, N);
		mpfr_mul_d(s->y, s->y, c[j].b, N);
		mpfr_sub(s->r, s->x, s->y, N);
		if (lane == 3)
			mpfr_set_zero(s->r, 1);
		largest = 0;
		for (unsigned i = 0; i < 3; i++)
			largest = fmax(largest, fmax(fabs(c[i].a), fabs(c[i].b)));
	} else if (strcmp(name, "dot") == 0) {
		mpfr_set_zero(s->r, 1);
		for (unsigned k = 0; k < width; k++) {
			mpfr_set_d(s->x, c[k].a, N);
			mpfr_mul_d(s->x, s->x, c[k].b, N);
			mpfr_add(s->r, s->r, s->x, N);
		}
	} else { /* the root of a sum of squares */
		mpfr_set_zero(s->z, 1);
		for (unsigned k = 0; k < width; k++) {
			mpfr_set_d(s->x, c[k].a, N);
			if (two)
				mpfr_sub_d(s->x, s->x, c[k].b, N);
			mpfr_fma(s->z, s->x, s->x, s->z, N);
		}
		mpfr_sqrt(s->r, s->z, N);
		if (s->f->kind == VV) {
			mpfr_set_d(s->x, c[lane].a, N);
			if (!mpfr_zero_p(s->x)) /* a vector of zeros stays as it is */
				mpfr_div(s->r, s->x, s->r, N);
			else
				mpfr_set(s->r, s->x, N);
		} else { /* out of range */
			s->undefined = mpfr_regular_p(s->r) && mpfr_get_exp(s->r) > s->type->emax;
		}
	}
	if (s->f->kind == VC || strcmp(name, "dot") == 0) {
		double square = largest * largest;
		s->undefined = square >= ldexp(1, s->type->emax - 2) || square < ldexp(1, s->type->emin + s->type->digits);
		s->unit = ldexp(square, 1 - s->type->digits);
	}
	if (s->native)
		s->undefined = largest > 0x1p16 || smallest < 0x1p-16;
}

/* ---- errors ---- */
/* The exact value rounded to the type, to nearest even. */
static double rounded(ref *s, mpfr_srcptr value)
{
	if (!mpfr_regular_p(value))
		return mpfr_get_d(value, N);
	int e = (int)mpfr_get_exp(value) - 1, last = (e < s->type->emin ? s->type->emin : e) - s->type->digits + 1;
	mpfr_mul_2si(s->wide, value, -last, N);
	mpfr_roundeven(s->wide, s->wide);
	mpfr_mul_2si(s->wide, s->wide, last, N);
	if (mpfr_cmp_d(s->wide, 0) != 0 && mpfr_get_exp(s->wide) - 1 > s->type->emax)
		return mpfr_sgn(value) < 0 ? -INFINITY : INFINITY;
	return mpfr_get_d(s->wide, N);
}

static double error_of(ref *s, mpfr_srcptr value, double got, bool either_zero)
{
	const struct math_type *type = s->type;
	if (mpfr_nan_p(value))
		return isnan(got) ? 0 : INFINITY;
	if (isnan(got))
		return INFINITY;
	if (mpfr_inf_p(value))
		return isinf(got) && !signbit(got) == (mpfr_sgn(value) > 0) ? 0 : INFINITY;
	if (mpfr_zero_p(value) && got == 0)
		return either_zero || !signbit(got) == !mpfr_signbit(value) ? 0 : INFINITY;
	if (s->limit == MATH_CR && got != rounded(s, value))
		return INFINITY;
	int e = mpfr_zero_p(value) ? type->emin : (int)mpfr_get_exp(value) - 1;
	e = e < type->emin ? type->emin : e > type->emax ? type->emax : e;
	if (isinf(got)) { /* stands for the number behind the largest: what lies beyond rounds to it */
		if (!signbit(got) != (mpfr_sgn(value) > 0))
			return INFINITY;
		mpfr_set_ui_2exp(s->t, 1, type->emax + 1, N);
		if (mpfr_cmpabs(value, s->t) >= 0)
			return 0;
		mpfr_setsign(s->t, s->t, signbit(got), N);
	} else {
		mpfr_set_d(s->t, got, N);
	}
	mpfr_sub(s->t, s->t, value, N);
	if (s->unit != 0)
		mpfr_div_d(s->t, s->t, s->unit, N);
	else
		mpfr_mul_2si(s->t, s->t, -(e - type->digits + 1), N);
	return fabs(mpfr_get_d(s->t, N));
}

/* The estimate of long double; false where it is none: special values, results outside the normal range. */
static bool estimate_one(const ref *s, long double value, double got, double *error)
{
	long double a = fabsl(value);
	if (!(a >= s->normal && a < s->huge) || !isfinite(got))
		return false;
	/* by hand, as this is done billions of times: a's exponent from the bits of double, the power of two likewise */
	double power = (double)a, difference = (double)fabsl((long double)got - value);
	uint64_t bits;
	memcpy(&bits, &power, sizeof bits);
	bits = (bits >> 52) << 52;
	memcpy(&power, &bits, sizeof power);
	*error = difference / power * (double)(1ull << (s->type->digits - 1));
	return true;
}
static bool estimate(const ref *s, const struct math_call *c, const struct math_answer *answer, double *error)
{
	const struct row *row = s->row;
	double second = 0;
	if (LDBL_MANT_DIG < 64 || !row)
		return false;
	if (row->fast2)
		return estimate_one(s, row->fast2((long double)c->a, (long double)c->b), answer->r, error);
	if (!row->fast1 || !estimate_one(s, row->fast1((long double)c->a), answer->r, error))
		return false;
	if (row->fast_second && !estimate_one(s, row->fast_second((long double)c->a), answer->r2, &second))
		return false;
	*error = fmax(*error, second);
	return true;
}

/* native_ functions are measured on arguments of a limited range, with results that are far from its ends. */
static bool outside_native(ref *s, const struct math_call *c)
{
	double exponent = mpfr_regular_p(s->r) ? (double)mpfr_get_exp(s->r) : INFINITY;
	return !(fabs(c->a) >= 0x1p-16 && fabs(c->a) <= 0x1p16 && fabs(exponent) < 120) ||
	       (s->f->kind == F1 && !(c->a >= s->f->from && c->a <= s->f->to)) ||
	       (s->f->kind == F2 && !(fabs(c->b) >= 0x1p-16 && fabs(c->b) <= 0x1p16));
}

/* Call i of a batch of vectors. */
static void exact_call(ref *s, const struct math_call *calls, size_t i, unsigned width)
{
	if (s->f->kind >= V1)
		exact_vector(s, calls + i / width * width, width, (unsigned)(i % width));
	else
		exact(s, calls + i);
}

static double exact_error(ref *s, const struct math_call *calls, const struct math_answer *answers, size_t i, unsigned width)
{
	const struct math_call *c = &calls[i];
	const struct math_answer *answer = &answers[i];
	exact_call(s, calls, i, width);
	if (s->undefined || (s->native && s->f->kind < V1 && outside_native(s, c)))
		return 0;
	double e = s->f->kind == FR ? 0 : error_of(s, s->r, answer->r, s->either_zero || s->f->kind >= V1);
	if (s->has_r2)
		e = fmax(e, error_of(s, s->r2, answer->r2, false));
	if (s->has_ri && s->f->kind == FQ) { /* at least the low seven bits of the quotient, and its sign */
		int low = (int)(labs((long)answer->ri) & 127);
		if (low != abs(s->ri) || (low && (answer->ri < 0) != (s->ri < 0)))
			e = INFINITY;
	} else if (s->has_ri && answer->ri != s->ri) {
		e = INFINITY;
	}
	return e;
}

double math_error(ref *s, const struct math_call *calls, const struct math_answer *answers, size_t i, unsigned width, double worst)
{
	double guess, e, limit = math_limit(s, width);
	bool known = estimate(s, &calls[i], &answers[i], &guess);
	bool certain = known && guess <= worst && guess + s->slack <= limit;
	if (certain && s->calls++ % 64)
		return guess;
	e = exact_error(s, calls, answers, i, width);
	/* twice: next to a power of two they may measure in different ULP */
	if (known && !s->native && (e > 2 * guess + s->slack || guess > 2 * e + s->slack) && e <= limit) {
		char text[64];
		math_exact_text(s, calls, i, width, text, sizeof text);
		fprintf(stderr, "math: %s %s(%a, %a): the C library and MPFR differ (error %g and %g ULP, exact %s)\n", s->type->name,
			s->f->name, calls[i].a, calls[i].b, guess, e, text);
		exit(2);
	}
	return e;
}

void math_exact_text(ref *s, const struct math_call *calls, size_t i, unsigned width, char *text, size_t size)
{
	exact_call(s, calls, i, width);
	int n = s->f->kind == FR ? 0 : mpfr_snprintf(text, size, "%.17Rg ", s->r);
	if (s->has_r2 && (size_t)n < size)
		n += mpfr_snprintf(text + n, size - (size_t)n, "%.17Rg ", s->r2);
	if (s->has_ri && (size_t)n < size)
		n += snprintf(text + n, size - (size_t)n, "%d ", s->ri);
	text[(size_t)n < size && n > 0 ? n - 1 : 0] = 0;
}
