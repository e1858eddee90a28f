/* Functions of double where libclc's are wrong: signs of zeros, ldexp, tgamma (OpenCL C 3.0, 6.15.2,
 * 7.5). __libclc_NAME is libclc's definition of NAME, which the library build keeps for this file. */
#include "math.h"

#define LIBCLC(name, ...) double __libclc_##name(__VA_ARGS__)
LIBCLC(_Z5sinpid, double x);
LIBCLC(_Z5cospid, double x);
LIBCLC(_Z5tanpid, double x);
LIBCLC(_Z6sincosdPd, double x, double *c);

/* An odd function of a zero is that zero. */
#define ODD(name, mangled)                                                                         \
	LIBCLC(mangled, double x);                                                                 \
	OVERLOAD double name(double x) { return x == 0.0 ? x : __libclc_##mangled(x); }
ODD(sin, _Z3sind)
ODD(tan, _Z3tand)
ODD(atan, _Z4atand)
ODD(atanpi, _Z6atanpid)
ODD(erf, _Z3erfd)
ODD(expm1, _Z5expm1d)

#define SINCOS(space)                                                                              \
	OVERLOAD double sincos(double x, space double *c)                                          \
	{                                                                                          \
		double k, s = __libclc__Z6sincosdPd(x, &k);                                        \
		*c = k;                                                                            \
		return x == 0.0 ? x : s;                                                           \
	}
SINCOS(private) SINCOS(global) SINCOS(local)

/* 7.5.1: an integer gives a zero of its sign; of tanpi, the other sign if it is odd. */
OVERLOAD double sinpi(double x)
{
	return __builtin_rint(x) == x && x - x == 0.0 ? __builtin_copysign(0.0, x) : __libclc__Z5sinpid(x);
}
OVERLOAD double cospi(double x) { return __libclc__Z5cospid(x) + 0.0; }
OVERLOAD double tanpi(double x)
{
	if (__builtin_rint(x) == x && x - x == 0.0)
		return __builtin_copysign(0.0, x) * (__builtin_rint(0.5 * x) == 0.5 * x ? 1.0 : -1.0);
	double twice = x + x; /* tanpi(n + 0.5): infinite, positive for even n */
	if (__builtin_rint(twice) == twice && x - x == 0.0) {
		double n = 0.5 * (twice - 1.0);
		return __builtin_rint(0.5 * n) == 0.5 * n ? INFINITY : -INFINITY;
	}
	return __libclc__Z5tanpid(x);
}

/* x * 2^n, rounded once: in up to three steps that are exact but for the last. */
OVERLOAD double ldexp(double x, int n)
{
	n = n < -2200 ? -2200 : n > 2200 ? 2200 : n;
	if (__builtin_expect(n < -1022 || n > 1023, 0)) {
		if (n > 0) {
			x *= 0x1p1023;
			n -= 1023;
			if (n > 1023) {
				x *= 0x1p1023;
				n -= 1023;
			}
			n = n > 1023 ? 1023 : n;
		} else {
			/* what is left keeps 53 bits above the subnormal range until the last step */
			x *= 0x1p-1022 * 0x1p53;
			n += 1022 - 53;
			if (n < -1022) {
				x *= 0x1p-1022 * 0x1p53;
				n += 1022 - 53;
			}
			n = n < -1022 ? -1022 : n;
		}
	}
	return x * as_double((ulong)(uint)(n + 1023) << 52);
}

/* exp of Stirling's series for x >= 8, less 1: 1/12x - 1/360x^3 + ... */
INLINE double stirling(double x)
{
	double i = 1.0 / x, s = i * i;
	double p = FMAD(0x1.6fe96381e068p-3, s, -0x1.e4286cb0f5398p-6); /* 43867/244188, -3617/122400 */
	p = FMAD(p, s, 0x1.a41a41a41a41ap-8);                            /* 1/156 */
	p = FMAD(p, s, -0x1.f6ab0d9993c7dp-10);                          /* -691/360360 */
	p = FMAD(p, s, 0x1.b951e2b18ff23p-11);                           /* 1/1188 */
	p = FMAD(p, s, -0x1.3813813813814p-11);                          /* -1/1680 */
	p = FMAD(p, s, 0x1.a01a01a01a01ap-11);                           /* 1/1260 */
	p = FMAD(p, s, -0x1.6c16c16c16c17p-9);                           /* -1/360 */
	p = FMAD(p, s, 0x1.5555555555555p-4);                            /* 1/12 */
	double t = p * i;
	double e = FMAD(t, 0x1.6c16c16c16c17p-10, 0x1.1111111111111p-7);
	e = POLYD(t, e, 0x1.5555555555555p-5, 0x1.5555555555555p-3, 0.5, 1.0);
	return e * t;
}

/* gamma(x) = *a * *b for x > 0, both in range where the product is not. Small x are moved to x >= 8 by
 * x gamma(x) = gamma(x + 1); what adding up rounds off is put back to first order. */
OUTLINE void __galena_gamma_parts(double x, double *a, double *b)
{
	double y = x, p = 1.0, lost = 0.0;
	while (y < 8.0) {
		double next = y + 1.0;
		p = FMAD(p, y, p * lost);
		lost += y - (next - 1.0);
		y = next;
	}
	double power = pow(y, FMAD(y, 0.5, -0.25));
	double g = power * exp(-y) * 0x1.40d931ff62706p+1; /* sqrt(2 pi) */
	g += g * stirling(y);
	g += g * lost * log(y - 0.5);                        /* digamma(y), near enough */
	*a = power;
	*b = g / p;
}

OUTLINE OVERLOAD double tgamma(double x)
{
	double a, b;
	if (x > 171.7)
		return INFINITY;
	if (x > 0.0) {
		if (x < 0x1p-60) /* 1 / x - 0.577...; products would run out of range */
			return 1.0 / x;
		__galena_gamma_parts(x, &a, &b);
		return a * b;
	}
	if (x == 0.0)
		return __builtin_copysign(INFINITY, x);
	if (x != x || __builtin_floor(x) == x) /* poles, and -infinity */
		return NAN;
	if (x > -0x1p-60)
		return 1.0 / x;
	bool odd = __builtin_rint(0.5 * __builtin_floor(x)) != 0.5 * __builtin_floor(x);
	if (x < -186.0)
		return odd ? -0.0 : 0.0;
	/* gamma(x) gamma(-x) = -pi / (x sin(pi x)) */
	__galena_gamma_parts(-x, &a, &b);
	return -0x1.921fb54442d18p+1 / (x * sinpi(x)) / b / a;
}

/* A quiet NaN whatever the code; libclc's is an infinity for 0. */
#define DOUBLE_NAN(code, n)                                                                        \
	OVERLOAD double##n nan(code##n c) { return as_double##n(c | (code##n)0x7ff8000000000000ul); }
EACH_WIDTH(DOUBLE_NAN, ulong)
