/* Registers kept as base + lane * stride: branches, minimum and maximum of two of them, against the same
 * done lane by lane, at values where the answer changes within the warp, and where differences wrap. Every
 * engine that the host has. Usage: affine [seed]. */
#include "testbench/model/fixture.h"
#include "testbench/model/rig.h"
#include "testbench/skip.h"

enum { LANES = 32, ROUNDS = 600 };
static const uint64_t arg_va = 0x2000000000, out_va = 0x2100000000;

/* a4 and a5 from args; a bit of s0 for each branch, then the results of min, max, minu, maxu. */
static const char text[] =
	"csrr a0, 0xcc9\n csrr a1, 0xcc0\n ld a2, 0(a0)\n ld a3, 8(a0)\n mul a3, a3, a1\n add a4, a2, a3\n"
	"ld a2, 16(a0)\n ld a3, 24(a0)\n mul a3, a3, a1\n add a5, a2, a3\n"
	"ld a6, 32(a0)\n li a7, 40\n mul a7, a7, a1\n add a6, a6, a7\n li s0, 0\n"
	"beq a4, a5, 1f\n j 2f\n 1: ori s0, s0, 1\n 2: bne a4, a5, 1f\n j 2f\n 1: ori s0, s0, 2\n"
	"2: blt a4, a5, 1f\n j 2f\n 1: ori s0, s0, 4\n 2: bge a4, a5, 1f\n j 2f\n 1: ori s0, s0, 8\n"
	"2: bltu a4, a5, 1f\n j 2f\n 1: ori s0, s0, 16\n 2: bgeu a4, a5, 1f\n j 2f\n 1: ori s0, s0, 32\n"
	"2: sd s0, 0(a6)\n min s1, a4, a5\n sd s1, 8(a6)\n max s1, a4, a5\n sd s1, 16(a6)\n"
	"minu s1, a4, a5\n sd s1, 24(a6)\n maxu s1, a4, a5\n sd s1, 32(a6)\n .insn i 0x0b, 1, x0, x0, 0\n";

static uint64_t random_base(void)
{
	static const uint64_t corners[] = { 0, 1ull << 61, 1ull << 62, 1ull << 63, -1ull << 61, -1ull << 62, 1ull << 32, 1ull << 31 };
	switch (random_below(4)) {
	case 0:
		return random_next();
	case 1:
		return corners[random_below(8)] + random_below(64) - 32;
	default:
		return random_below(200) - 100;
	}
}

static uint64_t random_stride(void)
{
	static const uint64_t corners[] = { 1ull << 55, -1ull << 55, 1ull << 58, 1ull << 63, -1ull << 60, 1ull << 31, 1ull << 32, 0 };
	return random_below(5) ? random_below(17) - 8 : corners[random_below(8)] + random_below(3) - 1;
}

static void engine_check(enum compute_simd simd, const char *name)
{
	struct rig *r = rig_create("full", BUS_FUNCTIONAL, simd, false);
	struct rig_range range = { .global = { LANES, 1, 1 }, .local = { LANES, 1, 1 }, .kernarg = arg_va };

	if (strcmp(compute_simd_name(r->compute), name)) {
		rig_destroy(r);
		SKIP("the host lacks this vector extension, or GALENA_SIMD forbids it");
	}
	uint64_t *arg = rig_buffer(r, arg_va, 4096), *out = rig_buffer(r, out_va, 4096), entry = rig_load_text(r, text);
	for (unsigned round = 0; round < ROUNDS; round++) {
		arg[0] = random_base();
		arg[1] = random_stride();
		arg[2] = random_below(3) ? arg[0] + random_below(300) - 150 : random_base();
		arg[3] = random_below(3) ? 0 : random_stride();
		arg[4] = out_va;
		assert_false(rig_run(r, entry, &range)->faulted);
		for (uint64_t i = 0; i < LANES; i++) {
			uint64_t a = arg[0] + i * arg[1], b = arg[2] + i * arg[3], *got = out + 5 * i;
			int64_t as = (int64_t)a, bs = (int64_t)b;
			uint64_t want[5] = { (uint64_t)((a == b) | (a != b) << 1 | (as < bs) << 2 | (as >= bs) << 3 | (a < b) << 4 |
							(a >= b) << 5),
					     as < bs ? a : b, as < bs ? b : a, a < b ? a : b, a < b ? b : a };
			for (unsigned k = 0; k < 5; k++)
				if (got[k] != want[k])
					fail_msg("%llx + lane * %llx, %llx + lane * %llx: lane %u, result %u is %llx, not %llx",
						 (unsigned long long)arg[0], (unsigned long long)arg[1],
						 (unsigned long long)arg[2], (unsigned long long)arg[3], (unsigned)i, k,
						 (unsigned long long)got[k], (unsigned long long)want[k]);
		}
	}
	rig_destroy(r);
}

static void test_portable(void **state) { (void)state; engine_check(SIMD_PORTABLE, "portable"); }
static void test_avx2(void **state) { (void)state; engine_check(SIMD_AVX2, "avx2"); }
static void test_avx512(void **state) { (void)state; engine_check(SIMD_AVX512, "avx512"); }

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_portable),
		cmocka_unit_test(test_avx2),
		cmocka_unit_test(test_avx512),
	};
	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
