/* Every math function of functions.def, compiled for the device's instruction set and run by calc
 * under qemu-riscv64, against MPFR: the error in ULP must stay within the limit, special values and
 * the signs of zeros must be exact. Usage: accuracy [SEED [SAMPLES [FUNCTION [float|double]]]]. */
#include "testbench/builtins/calc.h"
#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { F1, F2, F3, FI, FP, FPI, FQ, FR };
struct function { const char *name; enum kind kind; double limit; double from, to; };
#define ENTRY(kind_, name, f, d, lo, hi) { #name, kind_, LIMIT(f, d), lo, hi },
#define F1(...) ENTRY(F1, __VA_ARGS__)
#define F2(...) ENTRY(F2, __VA_ARGS__)
#define F3(...) ENTRY(F3, __VA_ARGS__)
#define FI(...) ENTRY(FI, __VA_ARGS__)
#define FP(...) ENTRY(FP, __VA_ARGS__)
#define FPI(...) ENTRY(FPI, __VA_ARGS__)
#define FQ(...) ENTRY(FQ, __VA_ARGS__)
#define FR(...) ENTRY(FR, __VA_ARGS__)
static const struct function float_functions[] = {
#define LIMIT(f, d) f
#define FLOAT_ONLY
#include "testbench/builtins/functions.def"
#undef LIMIT
#undef FLOAT_ONLY
};
static const struct function double_functions[] = {
#define LIMIT(f, d) d
#include "testbench/builtins/functions.def"
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* A type under test. */
struct type { const char *name; size_t size; int digits, emin, emax; const struct function *functions; size_t count, first; };
static const struct type types[] = {
	{ "float", 4, 24, -126, 127, float_functions, COUNT(float_functions), 0 },
	{ "double", 8, 53, -1022, 1023, double_functions, COUNT(double_functions), COUNT(float_functions) },
};

/* ---- the reference: result, and second result, of one call in high precision ---- */
struct call { double a, b, c; int32_t n; };
struct answer { mpfr_t r, r2; int ri; bool has_r2, has_ri; };
static mpfr_t x, y, z, t;

typedef int unary(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
typedef int binary(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

static int ref_ceil(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t m) { (void)m; return mpfr_ceil(r, a); }
static int ref_floor(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t m) { (void)m; return mpfr_floor(r, a); }
static int ref_trunc(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t m) { (void)m; return mpfr_trunc(r, a); }
static int ref_round(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t m) { (void)m; return mpfr_round(r, a); }
static int ref_rint(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t m) { (void)m; return mpfr_rint(r, a, MPFR_RNDN); }
static int ref_fabs(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t m) { return mpfr_abs(r, a, m); }
static int ref_recip(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t m)
{
	if (mpfr_zero_p(a)) {
		mpfr_set_inf(r, mpfr_signbit(a) ? -1 : 1);
		return 0;
	}
	return mpfr_ui_div(r, 1, a, m);
}
static int ref_rsqrt(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t m)
{
	int s = mpfr_rec_sqrt(r, a, m);
	if (mpfr_zero_p(a) && mpfr_signbit(a)) /* C and OpenCL: -infinity */
		mpfr_set_inf(r, -1);
	return s;
}
static int ref_logb(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t m)
{
	if (mpfr_inf_p(a))
		mpfr_set_inf(r, 1);
	else if (mpfr_zero_p(a))
		mpfr_set_inf(r, -1);
	else if (mpfr_nan_p(a))
		mpfr_set_nan(r);
	else
		mpfr_set_si(r, mpfr_get_exp(a) - 1, m);
	return 0;
}
static int ref_tgamma(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t m) { return mpfr_gamma(r, a, m); }
static int ref_lgamma(mpfr_ptr r, mpfr_srcptr a, mpfr_rnd_t m) { int s; return mpfr_lgamma(r, &s, a, m); }

static int ref_maxmag(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t m)
{
	int order = mpfr_nan_p(a) || mpfr_nan_p(b) ? 0 : mpfr_cmpabs(a, b);
	return order > 0 ? mpfr_set(r, a, m) : order < 0 ? mpfr_set(r, b, m) : mpfr_max(r, a, b, m);
}
static int ref_minmag(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t m)
{
	int order = mpfr_nan_p(a) || mpfr_nan_p(b) ? 0 : mpfr_cmpabs(a, b);
	return order < 0 ? mpfr_set(r, a, m) : order > 0 ? mpfr_set(r, b, m) : mpfr_min(r, a, b, m);
}
static int ref_fdim(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t m)
{
	return mpfr_dim(r, a, b, m);
}
static int ref_atan2pi(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t m) { return mpfr_atan2pi(r, a, b, m); }

static const struct { const char *name; unary *f; } unaries[] = {
	{ "acos", mpfr_acos }, { "acosh", mpfr_acosh }, { "acospi", mpfr_acospi }, { "asin", mpfr_asin },
	{ "asinh", mpfr_asinh }, { "asinpi", mpfr_asinpi }, { "atan", mpfr_atan }, { "atanh", mpfr_atanh },
	{ "atanpi", mpfr_atanpi }, { "cbrt", mpfr_cbrt }, { "ceil", ref_ceil }, { "cos", mpfr_cos },
	{ "cosh", mpfr_cosh }, { "cospi", mpfr_cospi }, { "erf", mpfr_erf }, { "erfc", mpfr_erfc },
	{ "exp", mpfr_exp }, { "exp2", mpfr_exp2 }, { "exp10", mpfr_exp10 }, { "expm1", mpfr_expm1 },
	{ "fabs", ref_fabs }, { "floor", ref_floor }, { "lgamma", ref_lgamma }, { "log", mpfr_log },
	{ "log2", mpfr_log2 }, { "log10", mpfr_log10 }, { "log1p", mpfr_log1p }, { "logb", ref_logb },
	{ "rint", ref_rint }, { "round", ref_round }, { "rsqrt", ref_rsqrt }, { "sin", mpfr_sin },
	{ "sinh", mpfr_sinh }, { "sinpi", mpfr_sinpi }, { "sqrt", mpfr_sqrt }, { "tan", mpfr_tan },
	{ "tanh", mpfr_tanh }, { "tanpi", mpfr_tanpi }, { "tgamma", ref_tgamma }, { "trunc", ref_trunc },
	{ "recip", ref_recip },
};
static const struct { const char *name; binary *f; } binaries[] = {
	{ "atan2", mpfr_atan2 }, { "atan2pi", ref_atan2pi }, { "fdim", ref_fdim }, { "fmax", mpfr_max },
	{ "fmin", mpfr_min }, { "fmod", mpfr_fmod }, { "hypot", mpfr_hypot }, { "maxmag", ref_maxmag },
	{ "minmag", ref_minmag }, { "pow", mpfr_pow }, { "powr", mpfr_powr }, { "remainder", mpfr_remainder },
	{ "divide", mpfr_div },
};

/* half_ and native_ functions have the plain function's reference. */
static const char *base_name(const char *name)
{
	return strncmp(name, "half_", 5) == 0 ? name + 5 : strncmp(name, "native_", 7) == 0 ? name + 7 : name;
}

static double next_after(const struct type *type, double a, double b)
{
	return type->size == 4 ? (double)nextafterf((float)a, (float)b) : nextafter(a, b);
}

static void reference(const struct type *type, const struct function *f, const struct call *c, struct answer *out)
{
	const char *name = base_name(f->name);
	const mpfr_rnd_t N = MPFR_RNDN;
	mpfr_set_d(x, c->a, N);
	mpfr_set_d(y, c->b, N);
	mpfr_set_d(z, c->c, N);
	out->has_r2 = f->kind == FP;
	out->has_ri = f->kind == FPI || f->kind == FQ || f->kind == FR;
	switch (f->kind) {
	case F1:
		for (size_t i = 0; i < COUNT(unaries); i++)
			if (strcmp(unaries[i].name, name) == 0) {
				unaries[i].f(out->r, x, N);
				return;
			}
		break;
	case F2:
		if (strcmp(name, "nextafter") == 0) {
			mpfr_set_d(out->r, next_after(type, c->a, c->b), N);
			return;
		}
		/* 7.5.1: unlike in IEEE 754, NaN is NaN */
		if (strcmp(name, "powr") == 0 && (isnan(c->a) || isnan(c->b))) {
			mpfr_set_nan(out->r);
			return;
		}
		if (strcmp(name, "copysign") == 0) {
			mpfr_set_d(out->r, copysign(c->a, c->b), N); /* MPFR has NaN without sign */
			return;
		}
		for (size_t i = 0; i < COUNT(binaries); i++)
			if (strcmp(binaries[i].name, name) == 0) {
				binaries[i].f(out->r, x, y, N);
				return;
			}
		break;
	case F3:
		mpfr_fma(out->r, x, y, z, N);
		return;
	case FI:
		if (strcmp(name, "pown") == 0)
			mpfr_pow_si(out->r, x, c->n, N);
		else if (strcmp(name, "rootn") == 0)
			mpfr_rootn_si(out->r, x, c->n, N);
		else
			mpfr_mul_2si(out->r, x, c->n, N);
		return;
	case FP:
		if (strcmp(name, "sincos") == 0) {
			mpfr_sin(out->r, x, N);
			mpfr_cos(out->r2, x, N);
		} else if (strcmp(name, "modf") == 0) {
			mpfr_trunc(out->r2, x);
			if (mpfr_inf_p(x))
				mpfr_set_zero(out->r, 1);
			else
				mpfr_sub(out->r, x, out->r2, N);
			mpfr_copysign(out->r, out->r, x, N);
		} else { /* fract: fmin(x - floor(x), the largest number below 1) */
			mpfr_floor(out->r2, x);
			if (mpfr_inf_p(x))
				mpfr_set_zero(out->r, 1);
			else
				mpfr_sub(out->r, x, out->r2, N);
			double below = next_after(type, 1.0, 0.0);
			if (mpfr_cmp_d(out->r, below) > 0)
				mpfr_set_d(out->r, below, N);
			/* 7.5.1: of a zero or an infinity a zero of its sign; of integers +0 */
			if (mpfr_zero_p(out->r))
				mpfr_set_zero(out->r, mpfr_signbit(x) && (mpfr_zero_p(x) || mpfr_inf_p(x)) ? -1 : 1);
		}
		return;
	case FPI:
		out->ri = 0;
		if (strcmp(name, "frexp") == 0) {
			if (mpfr_regular_p(x)) {
				out->ri = (int)mpfr_get_exp(x);
				mpfr_mul_2si(out->r, x, -out->ri, N);
			} else {
				mpfr_set(out->r, x, N);
				out->has_ri = mpfr_zero_p(x) != 0;
			}
		} else {
			mpfr_lgamma(out->r, &out->ri, x, N);
			/* The sign at poles and NaN is nobody's business. */
			out->has_ri = mpfr_regular_p(out->r);
		}
		return;
	case FQ: {
		long quotient = 0;
		mpfr_remquo(out->r, &quotient, x, y, N);
		out->ri = (int)(labs(quotient) & 127) * (quotient < 0 ? -1 : 1);
		out->has_ri = mpfr_number_p(out->r);
		return;
	}
	case FR:
		out->ri = mpfr_regular_p(x) ? (int)mpfr_get_exp(x) - 1 : mpfr_inf_p(x) ? INT32_MAX : INT32_MIN;
		out->has_ri = !mpfr_nan_p(x);
		mpfr_set_zero(out->r, 1);
		return;
	}
	fprintf(stderr, "accuracy: no reference for %s\n", f->name);
	exit(2);
}

/* The error of got in ULP of the type at the exact value; infinite when it is plainly wrong. */
static double error_of(const struct type *type, mpfr_srcptr exact, double got, bool strict_zero)
{
	if (mpfr_nan_p(exact))
		return isnan(got) ? 0 : INFINITY;
	if (isnan(got))
		return INFINITY;
	if (mpfr_inf_p(exact))
		return isinf(got) && !signbit(got) == (mpfr_sgn(exact) > 0) ? 0 : INFINITY;
	if (mpfr_zero_p(exact))
		return got == 0 && (!strict_zero || !signbit(got) == !mpfr_signbit(exact)) ? 0 :
		       got == 0 ? INFINITY : fabs(got) / ldexp(1, type->emin - type->digits + 1);
	/* Beyond the largest number by half a unit, infinity is the rounded result. */
	int e = (int)mpfr_get_exp(exact) - 1;
	if (isinf(got)) {
		if (!signbit(got) != (mpfr_sgn(exact) > 0))
			return INFINITY;
		mpfr_set_ui_2exp(t, 1, type->emax + 1, MPFR_RNDN);
		if (mpfr_cmpabs(exact, t) >= 0)
			return 0;
		mpfr_set_si(t, signbit(got) ? -1 : 1, MPFR_RNDN);
		mpfr_mul_2si(t, t, type->emax + 1, MPFR_RNDN);
	} else {
		mpfr_set_d(t, got, MPFR_RNDN);
	}
	if (e < type->emin)
		e = type->emin;
	mpfr_sub(t, t, exact, MPFR_RNDN);
	mpfr_mul_2si(t, t, -(e - type->digits + 1), MPFR_RNDN);
	return fabs(mpfr_get_d(t, MPFR_RNDN));
}

/* ---- samples ---- */
static uint64_t seed;
static uint64_t random_bits(void)
{
	uint64_t v = (seed += 0x9e3779b97f4a7c15ull); /* splitmix64 */
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9ull;
	v = (v ^ v >> 27) * 0x94d049bb133111ebull;
	return v ^ v >> 31;
}
static double from_bits(const struct type *type, uint64_t bits)
{
	float f;
	double d;
	uint32_t low = (uint32_t)bits;
	memcpy(&f, &low, 4);
	memcpy(&d, &bits, 8);
	return type->size == 4 ? (double)f : d;
}
static double rounded(const struct type *type, double d) { return type->size == 4 ? (double)(float)d : d; }

static double special(const struct type *type, size_t i)
{
	double tiny = ldexp(1, type->emin - type->digits + 1), normal = ldexp(1, type->emin);
	const double list[] = { 0, 1, 2, 3, 4, 5, 0.5, 1.5, 2.5, 3.5, 0.25, 0.75, 7, 8, 10, 16, 27, 100, 128, 1000,
		INFINITY, NAN, tiny, normal, normal - tiny, ldexp(2 - ldexp(1, 1 - type->digits), type->emax),
		ldexp(1, type->digits), ldexp(1, type->digits - 1), ldexp(1, type->digits - 1) + 0.5, ldexp(1, type->digits - 2) + 0.5,
		ldexp(1, 30), ldexp(1, 31), ldexp(1, 32), ldexp(1, 62), ldexp(1, 63), ldexp(1, 64), ldexp(3, 22),
		M_PI, M_PI_2, M_PI_4, M_E, M_LN2, 1 - ldexp(1, -type->digits), 1 + ldexp(1, 1 - type->digits),
		0.5 - ldexp(1, -type->digits - 1), 1e-5, 1e-10, 1e-20, 1e10, 1e20, 1e30, 33.5, 34.5, 35.04, 171.6, 170.5, 88.7, 709.7 };
	size_t n = COUNT(list);
	double v = rounded(type, list[i % n]);
	return i / n % 2 ? -v : v;
}
enum { NUM_SPECIAL = 116 };

static double sample(const struct type *type, const struct function *f, uint64_t choice)
{
	uint64_t r = random_bits();
	double unit = (double)(r >> 11) * 0x1p-53;
	switch (choice & 3) {
	case 0:
		return from_bits(type, r);
	case 1: { /* every exponent near one */
		double v = ldexp(1 + unit, (int)(r & 63) - 32);
		return rounded(type, r & 64 ? -v : v);
	}
	default:
		return rounded(type, f->from + unit * (f->to - f->from));
	}
}

static void make_calls(const struct type *type, const struct function *f, struct call *calls, size_t count)
{
	size_t i = 0;
	for (; i < count && i < NUM_SPECIAL; i++)
		calls[i] = (struct call){ special(type, i), special(type, i + 7), special(type, i + 3), (int32_t)i - 50 };
	if (f->kind == F2 || f->kind == FI || f->kind == FQ)
		for (size_t j = 0; j < (size_t)NUM_SPECIAL * NUM_SPECIAL / 3 && i < count / 2; j++, i++) {
			uint64_t r = random_bits();
			static const int32_t whole[] = { 0, 1, -1, 2, -2, 3, -3, INT32_MAX, INT32_MIN, 150, -150, 24, 1100, -1100 };
			calls[i] = (struct call){ special(type, r % NUM_SPECIAL), special(type, (r >> 20) % NUM_SPECIAL), 0,
				whole[(r >> 40) % COUNT(whole)] };
		}
	for (; i < count; i++) {
		uint64_t r = random_bits();
		struct call *c = &calls[i];
		c->a = sample(type, f, r);
		c->b = sample(type, f, r >> 2);
		c->c = r & 0x100 ? -c->a * c->b : sample(type, f, r >> 4);
		c->c = rounded(type, c->c);
		c->n = r & 0x200 ? (int32_t)(random_bits() % 41) - 20 : (int32_t)random_bits() >> (r >> 10 & 31);
	}
}

/* ---- the calculator ---- */
static int to_calc, from_calc;
static pid_t calc_pid;

static void calc_start(void)
{
	int in[2], out[2];
	const char *build = getenv("GALENA_BUILD");
	char path[4096];
	snprintf(path, sizeof path, "%s/test/builtins/calc", build ? build : "build");
	if (getenv("GALENA_CALC"))
		snprintf(path, sizeof path, "%s", getenv("GALENA_CALC"));
	if (pipe(in) || pipe(out)) {
		perror("accuracy: pipe");
		exit(2);
	}
	calc_pid = fork();
	if (calc_pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]), close(in[1]), close(out[0]), close(out[1]);
		execlp("qemu-riscv64", "qemu-riscv64", "-cpu", "rv64,zba=true,Zfhmin=true", path, (char *)NULL);
		perror("accuracy: qemu-riscv64 (Debian package qemu-user)");
		_exit(127);
	}
	close(in[0]), close(out[1]);
	to_calc = in[1], from_calc = out[0];
}

static void transfer(bool writes, void *data, size_t size)
{
	for (char *p = data; size;) {
		ssize_t n = writes ? write(to_calc, p, size) : read(from_calc, p, size);
		if (n <= 0) {
			fprintf(stderr, "accuracy: the calculator died\n");
			exit(2);
		}
		p += n, size -= (size_t)n;
	}
}

static void transfer_numbers(const struct type *type, bool writes, double *v, size_t count)
{
	static float f[CALC_MAX];
	if (type->size == 8) {
		transfer(writes, v, count * 8);
		return;
	}
	for (size_t i = 0; writes && i < count; i++)
		f[i] = (float)v[i];
	transfer(writes, f, count * 4);
	for (size_t i = 0; !writes && i < count; i++)
		v[i] = (double)f[i];
}

static double columns[3][CALC_MAX], got[CALC_MAX], got2[CALC_MAX];
static int32_t column_n[CALC_MAX], got_i[CALC_MAX];
static struct call calls[CALC_MAX];

static bool zero_sign_matters(const char *name)
{
	/* Where either zero will do. */
	return strcmp(name, "nextafter") && strcmp(name, "fmax") && strcmp(name, "fmin") && strcmp(name, "maxmag") && strcmp(name, "minmag") &&
	       strncmp(name, "half_", 5) && strncmp(name, "native_", 7) && strcmp(name, "lgamma") && strcmp(name, "lgamma_r");
}

static bool check(const struct type *type, size_t index, size_t count)
{
	const struct function *f = &type->functions[index];
	struct calc_request q = { (uint32_t)(type->first + index), (uint32_t)type->size, (uint32_t)count, 0 };
	make_calls(type, f, calls, count);
	for (size_t i = 0; i < count; i++) {
		columns[0][i] = calls[i].a, columns[1][i] = calls[i].b, columns[2][i] = calls[i].c;
		column_n[i] = calls[i].n;
	}
	transfer(true, &q, sizeof q);
	for (int k = 0; k < 3; k++)
		transfer_numbers(type, true, columns[k], count);
	transfer(true, column_n, count * sizeof *column_n);
	transfer_numbers(type, false, got, count);
	transfer_numbers(type, false, got2, count);
	transfer(false, got_i, count * sizeof *got_i);

	static struct answer expect;
	if (expect.ri == 0 && !expect.has_r2 && !expect.r->_mpfr_d)
		mpfr_inits(expect.r, expect.r2, (mpfr_ptr)0);
	double worst = 0;
	size_t worst_at = 0, wrong = 0, shown = 0;
	bool half_native = base_name(f->name) != f->name;
	for (size_t i = 0; i < count; i++) {
		reference(type, f, &calls[i], &expect);
		/* half_ and native_ functions are defined on finite arguments of a limited range. */
		if (half_native && !(fabs(calls[i].a) >= 0x1p-16 && fabs(calls[i].a) <= 0x1p16 && fabs(calls[i].b) >= 0x1p-16 &&
				     fabs(calls[i].b) <= 0x1p16 && mpfr_regular_p(expect.r) && fabs(mpfr_get_d(expect.r, MPFR_RNDN)) < 0x1p120 &&
				     fabs(mpfr_get_d(expect.r, MPFR_RNDN)) > 0x1p-120 && (f->kind != F1 || (calls[i].a >= f->from && calls[i].a <= f->to))))
			continue;
		double e = error_of(type, expect.r, got[i], zero_sign_matters(f->name));
		if (expect.has_r2)
			e = fmax(e, error_of(type, expect.r2, got2[i], true));
		if (expect.has_ri && f->kind == FQ) {
			int low = abs(got_i[i]) & 127;
			if (low != abs(expect.ri) || (low && (got_i[i] < 0) != (expect.ri < 0)))
				e = INFINITY;
		} else if (expect.has_ri && got_i[i] != expect.ri) {
			e = INFINITY;
		}
		if (e > worst)
			worst = e, worst_at = i;
		if (e > f->limit) {
			wrong++;
			if (shown++ < 8) {
				char text[64];
				mpfr_snprintf(text, sizeof text, "%.17Rg", expect.r);
				printf("# %s %s(%a, %a, %a; %d) = %a, %a, %d, exact %s", type->name, f->name, calls[i].a,
				       calls[i].b, calls[i].c, calls[i].n, got[i], got2[i], got_i[i], text);
				if (expect.has_r2) {
					mpfr_snprintf(text, sizeof text, "%.17Rg", expect.r2);
					printf(", %s", text);
				}
				if (expect.has_ri)
					printf(", %d", expect.ri);
				printf(": %.4g ULP\n", e);
			}
		}
	}
	printf("%s %zu - %s %s: %.3f ULP of %g at (%a, %a; %d), %zu of %zu beyond\n", wrong ? "not ok" : "ok",
	       type->first + index + 1, type->name, f->name, worst, f->limit, calls[worst_at].a, calls[worst_at].b,
	       calls[worst_at].n, wrong, count);
	return wrong == 0;
}

int main(int argc, char **argv)
{
	const char *env = getenv("GALENA_SEED");
	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : env ? strtoull(env, NULL, 0) : 1;
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 0) : 8000;
	if (count > CALC_MAX)
		count = CALC_MAX;
	bool ok = true;
	mpfr_set_default_prec(128);
	mpfr_inits(x, y, z, t, (mpfr_ptr)0);
	printf("# seed %" PRIu64 "\n1..%zu\n", seed, types[0].count + types[1].count);
	calc_start();
	for (size_t k = 0; k < COUNT(types); k++)
		for (size_t i = 0; i < types[k].count; i++)
			if ((argc < 4 || strcmp(argv[3], types[k].functions[i].name) == 0) &&
			    (argc < 5 || strcmp(argv[4], types[k].name) == 0))
				ok &= check(&types[k], i, count);
	close(to_calc);
	int status;
	waitpid(calc_pid, &status, 0);
	if (status != 0)
		printf("# calculator ended with %d\n", status);
	return ok && status == 0 ? 0 : 1;
}
