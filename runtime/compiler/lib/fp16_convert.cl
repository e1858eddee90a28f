/* Conversions from and to half (cl_khr_fp16; OpenCL C 3.0, 6.4.3). */
#include "half.h"

/* ---- from half: float holds it exactly ---- */
#define FROM_HALF(to, name, n)                                                                     \
	OVERLOAD to##n NAME(to, n, name)(float##n x);                                              \
	OVERLOAD to##n NAME(to, n, name)(half##n x) { return NAME(to, n, name)(FLOATS(n, x)); }
#define MODES(X, to)                                                                               \
	EACH_WIDTH(X, to, ) EACH_WIDTH(X, to, _rte) EACH_WIDTH(X, to, _rtz) EACH_WIDTH(X, to, _rtp) EACH_WIDTH(X, to, _rtn)
#define SATURATED(X, to)                                                                           \
	EACH_WIDTH(X, to, _sat) EACH_WIDTH(X, to, _sat_rte) EACH_WIDTH(X, to, _sat_rtz) EACH_WIDTH(X, to, _sat_rtp) \
	EACH_WIDTH(X, to, _sat_rtn)
#define TO_INTEGER(to) MODES(FROM_HALF, to) SATURATED(FROM_HALF, to)
EACH_INTEGER(TO_INTEGER)

/* Every rounding of what is exact is the same. */
#define EXACT(to, name, n) OVERLOAD to##n NAME(to, n, name)(half##n x) { return CONVERTED_##n(to, x); }
MODES(EXACT, float)
MODES(EXACT, double)
MODES(EXACT, half)

/* ---- to half: by way of float, which has integers up to 2^24 exactly; what is larger is beyond half's
 * numbers on either side ---- */
#define TO_HALF(from, mode, name, wide)                                                            \
	OVERLOAD half convert_half##name(from x) { return as_half(half_##mode##_##wide((wide)x)); } \
	VECTOR_FORMS(half, from, name)
#define TO_HALF_MODES(from, wide)                                                                  \
	TO_HALF(from, rte, , wide) TO_HALF(from, rte, _rte, wide) TO_HALF(from, rtz, _rtz, wide)   \
	TO_HALF(from, rtp, _rtp, wide) TO_HALF(from, rtn, _rtn, wide)
#define FROM_INTEGER(from) TO_HALF_MODES(from, float)
EACH_INTEGER(FROM_INTEGER)
TO_HALF_MODES(float, float)
TO_HALF_MODES(double, double)
