/* Random kernels on two models in lockstep, whose schedules are perturbed from two seeds: every retired instruction of every warp, what
 * its lanes access and write, is the same. Usage: kernels [SEED [KERNELS]]; the seed is printed. */
#include "testbench/random.h"
#include "testbench/lockstep/pair.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>

static uint64_t seed = 1, kernels = 2000;

static const struct pair_kind kinds[] = {
	{ { "mini", "mini" }, { BUS_TIMED, BUS_TIMED }, { SIMD_AUTO, SIMD_AUTO }, 16 },
	{ { "mini", "mini,num_cu=3,warps_per_cu=8,l1_bytes=4096,l1_latency=3,alu_latency=9" }, { BUS_TIMED, BUS_TIMED }, { SIMD_AUTO, SIMD_PORTABLE }, 16 },
	{ { "mini,num_cu=2", "mini" }, { BUS_FUNCTIONAL, BUS_TIMED }, { SIMD_AUTO, SIMD_AUTO }, 16 },
	{ { "full", "full,num_cu=1" }, { BUS_TIMED, BUS_TIMED }, { SIMD_AUTO, SIMD_AUTO }, 128 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Most kernels run on the first kind, which is the one that hardware is built from. */
static unsigned kind_of(uint64_t n) { return n % 10 < 7 ? 0 : (unsigned)(n % 10) - 6; }

static void events_are_equal(void **state)
{
	static struct kernel k;
	struct pair *pairs[KINDS];
	uint64_t instructions = 0;
	(void)state;
	for (unsigned i = 0; i < KINDS; i++)
		pairs[i] = pair_create(&kinds[i], (uint32_t[]){ (uint32_t)seed * 2 + 1, (uint32_t)seed * 2 + 2 });
	for (uint64_t n = 0; n < kernels; n++) {
		struct pair *p = pairs[kind_of(n)];
		struct ref_random r = { seed * 1000003 + n };
		if (n % 40 == 5) /* of the first kind */
			kernel_divergent(&k, &r, p->kind->most_local, false);
		else
			kernel_random(&k, &r, p->kind->most_local);
		if (!pair_run(p, &k, r)) {
			kernel_print(&k);
			lockstep_print(p->lockstep, stderr);
			fail_msg("kernel %" PRIu64 ", seed %" PRIu64, n, seed);
		}
	}
	for (unsigned i = 0; i < KINDS; i++) {
		assert_true(kernels < 10 || lockstep_instructions(pairs[i]->lockstep) > 0);
		assert_int_equal(lockstep_digest(pairs[i]->lockstep, 0), lockstep_digest(pairs[i]->lockstep, 1));
		instructions += lockstep_instructions(pairs[i]->lockstep);
		pair_destroy(pairs[i]);
	}
	printf("# %" PRIu64 " kernels, %" PRIu64 " instructions of warps are equal\n", kernels, instructions);
}

/* Otherwise there would be nothing to see. */
static void schedules_differ(void **state)
{
	static struct kernel k;
	struct pair *p = pair_create(&kinds[0], (uint32_t[]){ 1, 2 });
	struct ref_random r = { seed };
	unsigned differ = 0;
	(void)state;
	for (unsigned n = 0; n < 10; n++) {
		kernel_random(&k, &r, 16);
		assert_true(pair_run(p, &k, r));
		differ += p->rig[0]->ends[0].end - p->rig[0]->ends[0].start != p->rig[1]->ends[0].end - p->rig[1]->ends[0].start;
	}
	assert_true(differ > 5);
	pair_destroy(p);
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	kernels = argc > 2 ? strtoull(argv[2], NULL, 0) : check_long() ? 10000 : kernels;
	const struct CMUnitTest tests[] = { cmocka_unit_test(events_are_equal), cmocka_unit_test(schedules_differ) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
