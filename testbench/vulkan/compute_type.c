/* Types of 8, 16 and 64 bits, where the device has them. */
#include "testbench/vulkan/compute_run.h"
#include "vulkan/float16.h"
#include "vulkan/float64.h"
#include "vulkan/int16.h"
#include "vulkan/int64.h"
#include "vulkan/int8.h"
#include "vulkan/long_arrays.h"
#include "vulkan/storage_small.h"
#include <math.h>

enum { COUNT = 256 };

/* Runs a shader of one input and one output, for COUNT invocations. */
static struct vk_buffer run(struct program p, const void *in, size_t in_bytes, size_t out_bytes)
{
	struct vk_buffer buffers[] = {compute_buffer_of(in, in_bytes), compute_buffer_set(out_bytes, 0)};
	program_buffer(&p, 0, &buffers[0]);
	program_buffer(&p, 1, &buffers[1]);
	program_run(&p, COUNT / 16, 1, 1, NULL);
	program_free(&p);
	vk_buffer_free(&buffers[0]);
	return buffers[1];
}

/* Numbers of any length, and edges. */
static uint64_t some_word(void)
{
	static const uint64_t edges[] = {0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, UINT32_MAX, 0x80000000, 0x100000000};
	return below(4) ? splitmix64(&compute_seed) >> below(64) : edges[below(8)];
}

/* ---- integers ---- */
static void int64_reference(uint64_t a, uint64_t b, uint64_t out[18])
{
	const int64_t s = (int64_t)a, t = (int64_t)b;
	const unsigned bit = b & 63;
	const uint64_t all[18] = {a + b, a - b, a * b, a / (b ? b : 1), a % (b ? b : 1), (uint64_t)(s / 2 / ((t / 2 < 0 ? -(t / 2) : t / 2) + 1)), a << bit, a >> bit, (uint64_t)(s >> bit),
				  (a & b) ^ ~(a | b), (a < b) + (s < t) * 2u + (a == b) * 4u + (s >= t) * 8u, (uint64_t)(s < t ? s : t), a > b ? a : b, (uint64_t)(int64_t)(int32_t)a,
				  (uint64_t)(int64_t)(int32_t)a, a >> 32 | a << 32, (uint64_t)(float)(uint32_t)(a >> 40), (uint64_t)((s > 0) - (s < 0))};
	memcpy(out, all, sizeof all);
}

static void integers_of_64(void **state)
{
	(void)state;
	compute_skip_unless(compute_has.base.features.shaderInt64, "shaderInt64");
	uint64_t pairs[COUNT][2], expected[18];
	for (unsigned i = 0; i < COUNT * 2; i++)
		pairs[i / 2][i % 2] = some_word();
	struct vk_buffer out = run(PROGRAM(int64, "ss", 0), pairs, sizeof pairs, COUNT * 24 * 8);
	for (unsigned i = 0; i < COUNT; i++) {
		int64_reference(pairs[i][0], pairs[i][1], expected);
		for (unsigned k = 0; k < 18; k++) {
			const uint64_t got = ((const uint64_t *)out.host)[i * 24 + k];
			if (got != expected[k])
				fail_msg("result %u of 0x%llx, 0x%llx: got 0x%llx, expected 0x%llx", k, (unsigned long long)pairs[i][0], (unsigned long long)pairs[i][1], (unsigned long long)got,
					 (unsigned long long)expected[k]);
		}
	}
	vk_buffer_free(&out);
}

/* Of 8 or 16 bits: the same, cut. */
static void narrow_reference(unsigned bits, uint32_t a, uint32_t b, uint32_t out[12])
{
	const uint32_t mask = (1u << bits) - 1, bit = b & (bits - 1), d = b ? b : 1;
	const int32_t s = (int32_t)(a << (32 - bits)) >> (32 - bits), t = (int32_t)(b << (32 - bits)) >> (32 - bits);
	const uint32_t all[12] = {a + b, a - b, a * b, a / d, a % d, a << bit, a >> bit, (uint32_t)(s >> bit), (uint32_t)(s > t ? s : t), (uint32_t)(s * 3 / 2), s < t, (uint32_t)-s};
	for (unsigned i = 0; i < 12; i++)
		out[i] = all[i] & mask;
}

static uint32_t field(const void *base, size_t i, unsigned bits) { return bits == 8 ? ((const uint8_t *)base)[i] : ((const uint16_t *)base)[i]; }

static void expect_narrow(const void *pairs, const struct vk_buffer *out, unsigned bits)
{
	for (unsigned i = 0; i < COUNT; i++) {
		const uint32_t a = field(pairs, (size_t)i * 2, bits), b = field(pairs, (size_t)i * 2 + 1, bits);
		uint32_t expected[12];
		char what[64];
		narrow_reference(bits, a, b, expected);
		snprintf(what, sizeof what, "%u bits: 0x%x, 0x%x", bits, a, b);
		for (unsigned k = 0; k < 12; k++)
			same_word(what, k, field(out->host, (size_t)i * 12 + k, bits), expected[k]);
	}
}

static void integers_of_16(void **state)
{
	(void)state;
	compute_skip_unless(compute_has.base.features.shaderInt16, "shaderInt16");
	compute_skip_unless(compute_has.v11.storageBuffer16BitAccess, "storageBuffer16BitAccess");
	uint16_t pairs[COUNT * 2];
	for (unsigned i = 0; i < COUNT * 2; i++)
		pairs[i] = (uint16_t)(some_word() >> 16 * below(2));
	struct vk_buffer out = run(PROGRAM(int16, "ss", 0), pairs, sizeof pairs, COUNT * 24);
	expect_narrow(pairs, &out, 16);
	vk_buffer_free(&out);
}

static void integers_of_8(void **state)
{
	(void)state;
	compute_skip_unless(compute_has.v12.shaderInt8, "shaderInt8");
	compute_skip_unless(compute_has.v12.storageBuffer8BitAccess, "storageBuffer8BitAccess");
	uint8_t pairs[COUNT * 2];
	for (unsigned i = 0; i < COUNT * 2; i++)
		pairs[i] = (uint8_t)(some_word() >> 16 * below(2));
	struct vk_buffer out = run(PROGRAM(int8, "ss", 0), pairs, sizeof pairs, COUNT * 12);
	expect_narrow(pairs, &out, 8);
	vk_buffer_free(&out);
}

/* ---- floats ---- */
static double of_half(uint16_t h)
{
	const int e = h >> 10 & 31, m = h & 1023;
	const double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h & 0x8000 ? -v : v;
}

/* The distance of halves at a value. */
static double half_ulp(double v)
{
	int e;
	frexp(v, &e);
	return ldexp(1, (v == 0 || e < -13 ? -13 : e) - 11);
}

/* Beside the tolerance, a result below the normal numbers may be 0. */
static void close_half(const char *what, size_t i, uint16_t got, double expected, double ulps)
{
	if (fabs(expected) >= 65520)
		expected = copysign(INFINITY, expected);
	close_float(what, i, (float)of_half(got), expected, isinf(expected) ? 0 : fabs(expected) < ldexp(1, -14) ? fabs(expected) + half_ulp(0) : ulps * half_ulp(expected));
}

static void halves(void **state)
{
	(void)state;
	compute_skip_unless(compute_has.v12.shaderFloat16, "shaderFloat16");
	compute_skip_unless(compute_has.v11.storageBuffer16BitAccess, "storageBuffer16BitAccess");
	uint16_t pairs[COUNT][2];
	for (unsigned i = 0; i < COUNT * 2; i++)
		pairs[i / 2][i % 2] = (uint16_t)((below(2) << 15) | ((8 + below(16)) << 10) | below(1024));
	struct vk_buffer out = run(PROGRAM(float16, "ss", 0), pairs, sizeof pairs, COUNT * 24);
	for (unsigned i = 0; i < COUNT; i++) {
		const double x = of_half(pairs[i][0]), y = of_half(pairs[i][1]);
		const uint16_t *got = (const uint16_t *)out.host + (size_t)i * 12;
		const double expected[12] = {x + y, x - y, x * y, x / (fabs(y) + 1), fmin(x, y), fmax(x, y), floor(x), x * 0.25, sqrt(fabs(x)), x < y, trunc(x), -x};
		/* to the nearest: half a distance; a quotient of a sum that is rounded; a root */
		static const double ulps[12] = {0.5, 0.5, 0.5, 3.5, 0, 0, 0, 0.5, 5, 0, 0, 0};
		char what[64];
		snprintf(what, sizeof what, "halves %g, %g", x, y);
		for (unsigned k = 0; k < 12; k++)
			close_half(what, k, got[k], expected[k], ulps[k]);
	}
	vk_buffer_free(&out);
}

static void doubles(void **state)
{
	(void)state;
	compute_skip_unless(compute_has.base.features.shaderFloat64, "shaderFloat64");
	double pairs[COUNT][2];
	for (unsigned i = 0; i < COUNT * 2; i++)
		pairs[i / 2][i % 2] = ((double)splitmix64(&compute_seed) / 9e18 - 1) * (below(2) ? 1000 : 3);
	struct vk_buffer out = run(PROGRAM(float64, "ss", 0), pairs, sizeof pairs, COUNT * 64);
	for (unsigned i = 0; i < COUNT; i++) {
		const double x = pairs[i][0], y = pairs[i][1], *got = (const double *)out.host + (size_t)i * 8;
		const double expected[8] = {x + y, x * y, x / y, sqrt(fabs(x)), floor(x), (double)(float)x, trunc(x), x < y ? y : -x};
		for (unsigned k = 0; k < 8; k++)
			if (fabs(got[k] - expected[k]) > (k == 2 || k == 3 ? fabs(expected[k]) * 1e-15 : 0))
				fail_msg("result %u of %.17g, %.17g: got %.17g, expected %.17g", k, x, y, got[k], expected[k]);
	}
	vk_buffer_free(&out);
}

/* ---- in memory alone ---- */
static void arrays_of_any_length(void **state)
{
	(void)state;
	float pairs[COUNT][2];
	for (unsigned i = 0; i < COUNT * 2; i++)
		pairs[i / 2][i % 2] = random_float(-100, 100);
	struct vk_buffer out = run(PROGRAM(long_arrays, "ss", 0), pairs, sizeof pairs, COUNT * sizeof(float));
	for (unsigned i = 0; i < COUNT; i++)
		close_float("a product", i, ((const float *)out.host)[i], (double)(pairs[i][0] * pairs[i][1]), 0);
	vk_buffer_free(&out);
}

struct mixed { uint8_t a; int8_t b; uint16_t c, d; uint8_t e[3], gap[3]; int16_t f[2]; };
_Static_assert(sizeof(struct mixed) == 16 && offsetof(struct mixed, f) == 12, "std430");

static void small_storage(void **state)
{
	(void)state;
	compute_skip_unless(compute_has.v12.storageBuffer8BitAccess, "storageBuffer8BitAccess");
	compute_skip_unless(compute_has.v11.storageBuffer16BitAccess, "storageBuffer16BitAccess");
	struct program p = PROGRAM(storage_small, "sss", 0);
	struct vk_buffer in = compute_buffer(COUNT * sizeof(struct mixed), VK_ON_HOST), bytes = compute_buffer(COUNT + 3, VK_ON_HOST), out = compute_buffer_set(COUNT * 32, 0);
	uint8_t before[COUNT + 3];
	for (unsigned i = 0; i < in.size; i++)
		in.host[i] = (uint8_t)splitmix64(&compute_seed);
	for (unsigned i = 0; i < sizeof before; i++)
		before[i] = bytes.host[i] = (uint8_t)splitmix64(&compute_seed);
	program_buffer(&p, 0, &in);
	program_range(&p, 1, 0, &bytes, 0, COUNT);
	program_buffer(&p, 2, &out);
	program_run(&p, COUNT / 16, 1, 1, NULL);
	for (unsigned i = 0; i < COUNT; i++) {
		const struct mixed *m = &((const struct mixed *)in.host)[i];
		const uint32_t *got = (const uint32_t *)out.host + (size_t)i * 8;
		float half;
		memcpy(&half, &got[3], 4);
		same_word("uint8_t", i, got[0], m->a);
		same_word("int8_t", i, got[1], (uint32_t)m->b);
		same_word("uint16_t", i, got[2], m->c);
		close_float("float16_t", i, half, of_half(m->d), m->d & 0x7c00 ? 0 : ldexp(1, -14)); /* one below the normal numbers may be 0 */
		same_word("an array of uint8_t", i, got[4], m->e[i % 3]);
		same_word("a vector of int16_t", i, got[5], (uint32_t)(m->f[0] * 1000 + m->f[1]));
		same_word("a byte that is stored", i, bytes.host[i], (uint8_t)((int8_t)before[i] * 3 + (int)i));
	}
	assert_memory_equal(bytes.host + COUNT, before + COUNT, 3);
	program_free(&p);
	vk_buffer_free(&in);
	vk_buffer_free(&bytes);
	vk_buffer_free(&out);
}

const struct CMUnitTest compute_type_cases[] = {VK_CASE(integers_of_64), VK_CASE(integers_of_16), VK_CASE(integers_of_8), VK_CASE(halves), VK_CASE(doubles), VK_CASE(arrays_of_any_length),
						VK_CASE(small_storage)};
const size_t compute_num_type_cases = sizeof compute_type_cases / sizeof *compute_type_cases;
