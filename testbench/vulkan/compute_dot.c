/* What Vulkan 1.2 and 1.3 add to shaders: atomics of 64 bits, dot products of integers, instructions that mean nothing, memory of work-groups that
 * is zeroed. */
#include "testbench/vulkan/compute_run.h"
#include "vulkan/atomics64.h"
#include "vulkan/dot_products.h"
#include "vulkan/zeroed.h"

enum { COUNT = 64, RESULTS = 8 };

static int32_t saturated(__int128 sum) { return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum; }

static void dots(void **state)
{
	(void)state;
	compute_skip_unless(compute_has.v13.shaderIntegerDotProduct, "shaderIntegerDotProduct");
	uint32_t values[COUNT][3];
	for (unsigned i = 0; i < COUNT; i++)
		for (unsigned k = 0; k < 3; k++) {
			const uint32_t v = (uint32_t)splitmix64(&compute_seed);
			/* near the ends of the numbers, too, and small ones */
			values[i][k] = i % 4 == 0 ? 0x80808080u ^ (v & 0x01010101u) : i % 4 == 1 ? (k == 2 ? 0x7fffff00u + (v & 0xff) : v) : i % 4 == 2 ? v & 0x7fff : v;
		}
	struct vk_buffer in = compute_buffer_of(values, sizeof values), out = compute_buffer_set(COUNT * RESULTS * 4, 0);
	struct program program = PROGRAM(dot_products, "ss", 0);
	program_buffer(&program, 0, &in);
	program_buffer(&program, 1, &out);
	program_run(&program, COUNT / 16, 1, 1, NULL);
	for (uint32_t i = 0; i < COUNT; i++) {
		const uint32_t a = values[i][0], b = values[i][1], c = values[i][2], *got = (const uint32_t *)out.host + (size_t)i * RESULTS;
		int64_t s = 0, u = 0, su = 0;
		for (unsigned k = 0; k < 32; k += 8) {
			const int64_t x = (int8_t)(a >> k), y = (int8_t)(b >> k), ux = (uint8_t)(a >> k), uy = (uint8_t)(b >> k);
			s += x * y, u += ux * uy, su += x * uy;
		}
		const __int128 ia = (int32_t)a, ib = (int32_t)b, ic = (int32_t)c;
		same_word("OpSDot", i, got[0], (uint32_t)s);
		same_word("OpUDot", i, got[1], (uint32_t)u);
		same_word("OpSUDot", i, got[2], (uint32_t)su);
		same_word("OpSDotAccSat", i, got[3], (uint32_t)saturated(s + ic));
		same_word("OpUDotAccSat", i, got[4], u + (int64_t)c > UINT32_MAX ? UINT32_MAX : (uint32_t)(u + (int64_t)c));
		same_word("OpSDotAccSat of vectors", i, got[5], (uint32_t)saturated(ia * ic + ib * ia + ic * ib + ia));
	}
	program_free(&program);
	vk_buffer_free(&in);
	vk_buffer_free(&out);
}

static void zeros(void **state)
{
	enum { GROUPS = 24 };
	(void)state;
	compute_skip_unless(compute_has.v13.shaderZeroInitializeWorkgroupMemory, "shaderZeroInitializeWorkgroupMemory");
	struct vk_buffer out = compute_buffer_set(GROUPS * 64, 0xff);
	struct program program = PROGRAM(zeroed, "s", 0);
	program_buffer(&program, 0, &out);
	for (unsigned round = 0; round < 2; round++)
		program_run(&program, GROUPS, 1, 1, NULL);
	for (uint32_t i = 0; i < GROUPS * 16; i++)
		same_word("memory of the work-group", i, ((const uint32_t *)out.host)[i], 0);
	program_free(&program);
	vk_buffer_free(&out);
}

static void atomics_of_64(void **state)
{
	(void)state;
	compute_skip_unless(compute_has.v12.shaderBufferInt64Atomics && compute_has.v12.shaderSharedInt64Atomics, "shaderBufferInt64Atomics");
	uint64_t values[COUNT], expected[6] = {0, 0, 0, 77, 0, INT64_MAX};
	const uint64_t first[6] = {0, 0, 0, 0x123456789abc, 0, INT64_MAX};
	for (unsigned i = 0; i < COUNT; i++) {
		const uint64_t v = values[i] = splitmix64(&compute_seed);
		expected[0] += v, expected[1] = v > expected[1] ? v : expected[1], expected[2] |= v, expected[4] += v;
		expected[5] = (int64_t)v < (int64_t)expected[5] ? v : expected[5];
	}
	struct vk_buffer in = compute_buffer_of(values, sizeof values), out = compute_buffer_of(first, sizeof first);
	struct program program = PROGRAM(atomics64, "ss", 0);
	program_buffer(&program, 0, &in);
	program_buffer(&program, 1, &out);
	program_run(&program, COUNT / 16, 1, 1, NULL);
	for (unsigned i = 0; i < 12; i++)
		same_word("an atomic operation of 64 bits, by words", i, ((const uint32_t *)out.host)[i], ((const uint32_t *)expected)[i]);
	program_free(&program);
	vk_buffer_free(&in);
	vk_buffer_free(&out);
}

const struct CMUnitTest compute_dot_cases[] = {VK_CASE(dots), VK_CASE(zeros), VK_CASE(atomics_of_64)};
const size_t compute_num_dot_cases = sizeof compute_dot_cases / sizeof *compute_dot_cases;
