/* erf, erfc, tgamma, lgamma for float (OpenCL C 3.0, 6.15.2). */
#include "math.h"

/* erfc on [0, 10.1]: e^(-x^2) q(t) / (1 + 2 x), t = (x - 4) / (x + 4); err of q 2^-25. */
INLINE float erfc_positive(float x)
{
	float t = (x - 4.0f) / (x + 4.0f);
	float q = POLY(t, 0x1.d33cfep-11f, 0x1.cc873ap-8f, -0x1.04e7ep-6f, 0x1.29f6f6p-5f, -0x1.110218p-4f,
		       0x1.8054c6p-4f, -0x1.9da138p-4f, 0x1.16e888p-4f, 0x1.f7dcdap-7f, -0x1.1df1a6p-3f,
		       0x1.3ba592p+0f);
	double e = (double)x * (double)x * -0x1.71547652b82fep+0;
	int n = nearest_int_d(e);
	return scale(exp2_poly((float)(e - (double)n)) * q / FMA(2.0f, x, 1.0f), n);
}

OVERLOAD float erfc(float x)
{
	float a = __builtin_fabsf(x);
	if (x != x)
		return x;
	if (a > 10.1f)
		return x > 0.0f ? 0.0f : 2.0f;
	float v = erfc_positive(a);
	return x < 0.0f ? 2.0f - v : v;
}

/* Below 0.92 a polynomial, err 2^-24.2; above, 1 - erfc. */
OVERLOAD float erf(float x)
{
	float a = __builtin_fabsf(x), v;
	if (a < 0.92f) {
		float s = a * a;
		float p = POLY(s, 0x1.0e4ffep-13f, -0x1.ecbaaap-11f, 0x1.5da9aep-8f, -0x1.b932fep-6f,
			       0x1.ce4064p-4f, -0x1.8127c2p-2f);
		/* 2/sqrt(pi) = 1 + 0.128...: the product is rounded once */
		v = FMA(p * s, a, (float)((double)a * 0x1.20dd750429b6dp+0));
	} else {
		v = a < 4.0f ? 1.0f - erfc_positive(a) : x != x ? x : 1.0f;
	}
	return __builtin_copysignf(v, x);
}

/* Stirling's series for x >= 8 gives log2 of gamma; smaller x are moved there by x gamma(x) =
 * gamma(x + 1). Double carries it all: the result is within an ULP or two. */
INLINE double log2_gamma(double x)
{
	double i = 1.0 / x, i2 = i * i;
	double series = FMAD(FMAD(FMAD(-0x1.3813813813814p-11, i2, 0x1.a01a01a01a01ap-11), i2, -0x1.6c16c16c16c17p-9), i2,
			     0x1.5555555555555p-4) * i;
	return FMAD(x - 0.5, log2_core(x), FMAD(series - x, 0x1.71547652b82fep+0, 0x1.536439a4c6efcp+0));
}
/* gamma(x) times *p, for x > 0. */
INLINE double gamma_moved(double x, double *p)
{
	*p = 1.0;
	while (x < 8.0) {
		*p *= x;
		x += 1.0;
	}
	double e = log2_gamma(x);
	int n = nearest_int_d(e);
	return (double)exp2_poly((float)(e - (double)n)) * as_double((ulong)(uint)(n + 1023) << 52);
}

OUTLINE OVERLOAD float tgamma(float x)
{
	double p;
	if (x > 36.0f)
		return INFINITY;
	if (x > 0.0f) {
		double g = gamma_moved(x, &p);
		return (float)(g / p);
	}
	if (x == 0.0f)
		return __builtin_copysignf(INFINITY, x);
	if (x != x || __builtin_floorf(x) == x) /* poles, and -infinity */
		return NAN;
	/* gamma(x) gamma(1 - x) = pi / sin(pi x); what is below -43 vanishes */
	if (x < -43.0f)
		return (int)__builtin_floorf(__builtin_fmaxf(x, -0x1p25f)) & 1 ? -0.0f : 0.0f;
	double g = gamma_moved(1.0 - (double)x, &p);
	return (float)(0x1.921fb54442d18p+1 * p / ((double)sinpi(x) * g));
}

/* The float functions are the double ones, rounded: there is no limit on their error, but cancellation
 * near their zeros is no excuse for infinities. */
OVERLOAD double lgamma(double x);
OVERLOAD float lgamma(float x) { return (float)lgamma((double)x); }
#define LGAMMA_R(space)                                                                            \
	OVERLOAD double lgamma_r(double x, space int *sign);                                       \
	OVERLOAD float lgamma_r(float x, space int *sign) { return (float)lgamma_r((double)x, sign); }
LGAMMA_R(private) LGAMMA_R(global) LGAMMA_R(local)
