/* Functions of floats, against those of the C library in double precision, within the precision that Vulkan asks for ("Precision and
 * Operation of SPIR-V Instructions"). */
#include "testbench/vulkan/compute_run.h"
#include "vulkan/floats.h"
#include "vulkan/geometry.h"
#include "vulkan/packing.h"
#include <math.h>

struct wanted { const char *name; double value, tolerance; };
enum { FLOAT_RESULTS = 48, GEOMETRY_STRIDE = 36, PACKING_STRIDE = 32, COUNT = 512 };
static double bounded(double v, double low, double high) { return v < low ? low : v > high ? high : v; }
static double abs_error(int exponent) { return ldexp(1, exponent); }
/* As the device sees an argument: after an operation of single precision. */
static double single(double v) { return (double)(float)v; }
#define ULP(name, value, n) (struct wanted){name, value, (n) * ulp_of(value)}
#define EXACT(name, value) (struct wanted){name, value, 0}
#define WITHIN(name, value, tolerance) (struct wanted){name, value, tolerance}

static double log_error(double x, double value) { return x >= 0.5 && x <= 2 ? abs_error(-21) : 3 * ulp_of(value); }

static unsigned transcendental(double x, double y, struct wanted *out)
{
	const double one = bounded(x, -1, 1), angle = bounded(x, (double)-3.1415926f, (double)3.1415926f), t = tan(bounded(x, -1.5, 1.5)), e = bounded(x, -80, 80), e2 = bounded(x, -120, 120);
	const double l = single(fabs(x) + (double)1e-30f), base = single(fabs(x) + (double)0.01f), power = bounded(y, -4, 4), q = single(fabs(x) + (double)1e-20f);
	const double h = bounded(x, -5, 5);
	const struct wanted all[] = {
		WITHIN("sin", sin(angle), abs_error(-11)), WITHIN("cos", cos(angle), abs_error(-11)), WITHIN("tan", t, abs_error(-11) * (1 + fabs(t)) * sqrt(1 + t * t) * 1.5),
		WITHIN("asin", asin(one), abs_error(-10)), WITHIN("acos", acos(one), abs_error(-10)),
		ULP("atan", atan(x), 4096), ULP("atan2", atan2(y, x), 4096),
		ULP("exp", exp(e), 3 + 2 * fabs(e)), ULP("exp2", exp2(e2), 3 + 2 * fabs(e2)), WITHIN("log", log(l), log_error(l, log(l))), WITHIN("log2", log2(l), log_error(l, log2(l))),
		/* exp2(y * log2(x)) */
		WITHIN("pow", pow(base, power), pow(base, power) * (fabs(power) * log_error(base, log2(base)) + ulp_of(power * log2(base))) + ulp_of(pow(base, power)) * (4 + 2 * fabs(power * log2(base)))),
		ULP("sqrt", sqrt(fabs(x)), 5), ULP("inversesqrt", 1 / sqrt(q), 2)};
	memcpy(out, all, sizeof all);
	/* the last ones */
	out[45] = WITHIN("sinh", sinh(h), cosh(h) * 1e-5);
	out[46] = WITHIN("cosh", cosh(h), cosh(h) * 1e-5);
	out[47] = WITHIN("tanh", tanh(h), 1e-4);
	return sizeof all / sizeof *all;
}

static void float_reference(double x, double y, struct wanted *out)
{
	unsigned n = transcendental(x, y, out);
	const double divisor = single(fabs(y) + 0.5), quotient = x / divisor;
	int exponent = 0, shift = (int)bounded(y, -30, 30);
	const double fraction = frexp(x, &exponent), s = bounded(single(x + 1) / 4, 0, 1), next = single(fabs(y) + 1);
	const double remainder = x - divisor * floor(quotient), near = 4 * ulp_of(quotient) * divisor + 2 * ulp_of(x) + ulp_of(divisor);
	const struct wanted all[] = {
		EXACT("floor", floor(x)), EXACT("ceil", ceil(x)), WITHIN("fract", x - floor(x), ulp_of(1)), EXACT("trunc", trunc(x)),
		EXACT("round", fabs(x - trunc(x)) == 0.5 ? NAN : round(x)), EXACT("roundEven", nearbyint(x)),
		WITHIN("mod", remainder < near || remainder > divisor - near ? NAN : remainder, near), EXACT("modf", x - trunc(x)), EXACT("its whole part", trunc(x)),
		EXACT("frexp", fraction), EXACT("its exponent", exponent), EXACT("ldexp", ldexp(x, shift)),
		WITHIN("mix", x * 0.75 + y * 0.25, 3 * ulp_of(fabs(x) + fabs(y))), EXACT("step", y < x ? 0 : 1), WITHIN("smoothstep", s * s * (3 - 2 * s), 1e-6),
		WITHIN("fma", x * y + 0.5, 2 * ulp_of(fabs(x * y) + 0.5)), ULP("/", x / next, 2.5), EXACT("*", single(x * y)), EXACT("+", single(x + y)), EXACT("-", single(x - y)),
		EXACT("min", x < y ? x : y), EXACT("max", x > y ? x : y), EXACT("clamp", bounded(x, -2, 2.5)), EXACT("abs", fabs(x)), EXACT("sign", (x > 0) - (x < 0)),
		EXACT("negated", -x), ULP("radians", x * 0.017453292519943295, 2), ULP("degrees", x * 57.29577951308232, 2), EXACT("<", x < y), EXACT("to int", trunc(bounded(x, -1e6, 1e6))),
		EXACT("to uint", trunc(bounded(fabs(x), 0, 1e6)))};
	memcpy(out + n, all, sizeof all);
	assert_int_equal(n + sizeof all / sizeof *all, 45);
}

static float random_wide(void)
{
	const float f = random_float(-1, 1);
	switch (below(4)) {
	case 0: return f;
	case 1: return f * 10;
	case 2: return f * 1000;
	default: return ldexpf(f, (int)below(60) - 30);
	}
}

static void float_functions(void **state)
{
	(void)state;
	static const float edges[] = {0, 1, -1, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 3, 100, -1e-3f, 1e10f, 8388609, -3.75f};
	enum { EDGES = sizeof edges / sizeof *edges };
	static float pairs[COUNT][2];
	for (unsigned i = 0; i < COUNT; i++) {
		pairs[i][0] = i < EDGES * EDGES ? edges[i % EDGES] : random_wide();
		pairs[i][1] = i < EDGES * EDGES ? edges[i / EDGES] : random_wide();
	}
	struct program p = PROGRAM(floats, "ss", 0);
	struct vk_buffer in = compute_buffer_of(pairs, sizeof pairs), out = compute_buffer_set(COUNT * FLOAT_RESULTS * 4, 0);
	program_buffer(&p, 0, &in);
	program_buffer(&p, 1, &out);
	program_run(&p, COUNT / 16, 1, 1, NULL);
	for (unsigned i = 0; i < COUNT; i++) {
		struct wanted wanted[FLOAT_RESULTS];
		const double x = (double)pairs[i][0], y = (double)pairs[i][1];
		char what[128];
		float_reference(x, y, wanted);
		if (x == 0 && y == 0)
			wanted[6].value = NAN; /* atan2 is not defined */
		for (unsigned k = 0; k < FLOAT_RESULTS; k++) {
			snprintf(what, sizeof what, "%s of %.9g, %.9g", wanted[k].name, x, y);
			if (!isnan(wanted[k].value)) /* NaN: any */
				close_float(what, k, ((const float *)out.host)[i * FLOAT_RESULTS + k], wanted[k].value, wanted[k].tolerance);
		}
	}
	program_free(&p);
	vk_buffer_free(&in);
	vk_buffer_free(&out);
}

/* ---- vectors ---- */
static double dot(const double *a, const double *b, unsigned n)
{
	double d = 0;
	for (unsigned i = 0; i < n; i++)
		d += a[i] * b[i];
	return d;
}

static void refracted(const double *i, const double *n, double eta, double *out)
{
	const double d = dot(n, i, 3), k = 1 - eta * eta * (1 - d * d);
	for (unsigned c = 0; c < 3; c++)
		out[c] = fabs(k) < 1e-3 ? NAN : k < 0 ? 0 : eta * i[c] - (eta * d + sqrt(k)) * n[c];
}

static void geometry_reference(const double *a, const double *b, double *out)
{
	double n[3], u[3], d[3], la = sqrt(dot(a, a, 3)), lb = sqrt(dot(b, b, 3));
	unsigned at = 0;
	for (unsigned c = 0; c < 3; c++)
		n[c] = b[c] / lb, u[c] = a[c] / la, d[c] = a[c] - b[c];
	out[at++] = la, out[at++] = sqrt(dot(d, d, 3)), out[at++] = dot(a, b, 3), out[at++] = sqrt(dot(a, a, 4)), out[at++] = dot(a, b, 2);
	for (unsigned c = 0; c < 3; c++)
		out[at++] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
	for (unsigned c = 0; c < 3; c++)
		out[at + c] = u[c], out[at + 3 + c] = a[c] - 2 * dot(n, a, 3) * n[c];
	refracted(u, n, 0.5, out + at + 6);
	refracted(u, n, 2.5, out + at + 9);
	at += 12;
	for (unsigned c = 0; c < 3; c++)
		out[at + c] = fabs(dot(n, b, 3)) < 1e-3 ? NAN : dot(n, b, 3) < 0 ? a[c] : -a[c], out[at + 3 + c] = (a[c] + b[c]) / 2, out[at + 6 + c] = a[c] < b[c] ? b[c] : a[c], out[at + 9 + c] = a[c];
	at += 12;
	out[at++] = fabs(a[0]);
	out[at++] = a[3] / sqrt(dot(a, a, 4));
	assert_int_equal(at, 34);
}

static void vector_functions(void **state)
{
	(void)state;
	enum { N = 128 };
	static float v[N * 2][4];
	for (unsigned i = 0; i < N * 8; i++)
		v[i / 4][i % 4] = random_float(-5, 5) + 0.01f;
	struct program p = PROGRAM(geometry, "ss", 0);
	struct vk_buffer in = compute_buffer_of(v, sizeof v), out = compute_buffer_set(N * GEOMETRY_STRIDE * 4, 0);
	program_buffer(&p, 0, &in);
	program_buffer(&p, 1, &out);
	program_run(&p, N / 16, 1, 1, NULL);
	for (unsigned i = 0; i < N; i++) {
		double a[4], b[4], expected[GEOMETRY_STRIDE];
		for (unsigned c = 0; c < 4; c++)
			a[c] = (double)v[2 * i][c], b[c] = (double)v[2 * i + 1][c];
		geometry_reference(a, b, expected);
		for (unsigned k = 0; k < 34; k++)
			if (!isnan(expected[k]))
				close_float("functions of vectors", i * GEOMETRY_STRIDE + k, ((const float *)out.host)[i * GEOMETRY_STRIDE + k], expected[k], 2e-5 + 2e-6 * fabs(expected[k]));
	}
	program_free(&p);
	vk_buffer_free(&in);
	vk_buffer_free(&out);
}

/* ---- packing ---- */
static double of_half(uint32_t h)
{
	const int e = (int)(h >> 10 & 31);
	const double m = h & 1023, v = e == 31 ? (m != 0 ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h & 0x8000 ? -v : v;
}

static double of_bits(uint32_t w)
{
	float f;
	memcpy(&f, &w, 4);
	return (double)f;
}

/* Parts of a word are the numbers, rounded either way where they are in the middle. */
static void expect_packed(const char *what, uint32_t word, const float *v, unsigned parts, bool is_signed)
{
	const unsigned bits = 32 / parts;
	const double scale = is_signed ? (double)((1u << (bits - 1)) - 1) : (double)((1ull << bits) - 1);
	for (unsigned i = 0; i < parts; i++) {
		const uint32_t field = word >> i * bits & ((1u << bits) - 1);
		const double got = is_signed ? (double)((int32_t)(field << (32 - bits)) >> (32 - bits)) : (double)field;
		close_float(what, i, (float)got, bounded((double)v[i], is_signed ? -1 : 0, 1) * scale, 0.5 + scale * abs_error(-23));
	}
}

static void expect_unpacked(const float *got, uint32_t w)
{
	for (unsigned i = 0; i < 4; i++) {
		const uint32_t byte = w >> i * 8 & 255;
		close_float("unpackUnorm4x8", i, got[i], byte / 255.0, 3 * ulp_of(byte / 255.0));
		close_float("unpackSnorm4x8", i, got[4 + i], bounded((int8_t)byte / 127.0, -1, 1), 3 * ulp_of((int8_t)byte / 127.0));
	}
	for (unsigned i = 0; i < 2; i++) {
		const uint32_t half = w >> i * 16 & 65535;
		close_float("unpackUnorm2x16", i, got[8 + i], half / 65535.0, 3 * ulp_of(half / 65535.0));
		close_float("unpackSnorm2x16", i, got[10 + i], bounded((int16_t)half / 32767.0, -1, 1), 3 * ulp_of((int16_t)half / 32767.0));
		/* a number below the normal ones may be 0 */
		close_float("unpackHalf2x16", i, got[12 + i], of_half(half), fabs(of_half(half)) < ldexp(1, -14) ? fabs(of_half(half)) : 0);
	}
}

static void packing_functions(void **state)
{
	(void)state;
	static const uint32_t special[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f7fffff, 0x00800000, 0x3f800000, 0x7c00fc00, 0x0001fbff, 0x7fff8080};
	enum { N = 128, SPECIAL = sizeof special / sizeof *special };
	static float v[N][4];
	static uint32_t words[N];
	for (unsigned i = 0; i < N; i++) {
		words[i] = i < SPECIAL ? special[i] : (uint32_t)splitmix64(&compute_seed);
		for (unsigned k = 0; k < 4; k++)
			v[i][k] = i < 4 ? (float)((int)i - 1) / (float)(1 + k) : random_float(-1.25f, 1.25f) * (i > 64 && k > 1 ? 50000 : 1);
	}
	struct program p = PROGRAM(packing, "sss", 0);
	struct vk_buffer in = compute_buffer_of(v, sizeof v), in_words = compute_buffer_of(words, sizeof words), out = compute_buffer_set(N * PACKING_STRIDE * 4, 0);
	program_buffer(&p, 0, &in);
	program_buffer(&p, 1, &in_words);
	program_buffer(&p, 2, &out);
	program_run(&p, N / 16, 1, 1, NULL);
	for (unsigned i = 0; i < N; i++) {
		const uint32_t *got = (const uint32_t *)out.host + i * PACKING_STRIDE;
		const double x = of_bits(words[i]);
		expect_packed("packUnorm4x8", got[0], v[i], 4, false);
		expect_packed("packSnorm4x8", got[1], v[i], 4, true);
		expect_packed("packUnorm2x16", got[2], v[i], 2, false);
		expect_packed("packSnorm2x16", got[3], v[i], 2, true);
		for (unsigned k = 0; k < 2; k++) /* by any rounding */
			close_float("packHalf2x16", i * 2 + k, (float)(fabs((double)v[i][2 + k]) > 65504 ? (double)v[i][2 + k] : of_half(got[4] >> 16 * k & 65535)), (double)v[i][2 + k],
				    fabs((double)v[i][2 + k]) / 1024 + abs_error(-24));
		expect_unpacked((const float *)got + 5, words[i]);
		same_word("isnan", i, got[19], isnan(x));
		same_word("isinf", i, got[20], isinf(x) ? 1 : 0);
		if (!isnan(x))
			same_word("floatBitsToInt, intBitsToFloat", i, got[21], words[i]);
	}
	program_free(&p);
	vk_buffer_free(&in);
	vk_buffer_free(&in_words);
	vk_buffer_free(&out);
}

const struct CMUnitTest compute_float_cases[] = {VK_CASE(float_functions), VK_CASE(vector_functions), VK_CASE(packing_functions)};
const size_t compute_num_float_cases = sizeof compute_float_cases / sizeof *compute_float_cases;
