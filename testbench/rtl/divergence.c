/* The divergence of a warp in SystemVerilog against the model's: random instructions, from a seed. Usage: divergence [SEED [STEPS]], STEPS of
 * each number of lanes. */
#include "testbench/random.h"
#include "testbench/rtl/divergence_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t seed;
static unsigned long steps;

/* What a warp of one lane does not come to. */
static bool is_of_several(unsigned count)
{
	return count >= DIVERGENCE_BRANCHES && count <= DIVERGENCE_SYNCS && count != DIVERGENCE_MOST_TARGETS && count != DIVERGENCE_MOST_SPLITS &&
	       count != DIVERGENCE_DEEPEST;
}

static void test_agrees(void **state)
{
	(void)state;
	for (unsigned g = 0; g < DIVERGENCE_GEOMETRIES; g++) {
		static struct divergence_lockstep_result r;

		divergence_lockstep_run(g, seed, steps, &r);
		print_message("# %s:", divergence_geometry[g].name);
		for (unsigned i = 0; i < DIVERGENCE_COUNTS; i++)
			print_message("%s %s %lu", i ? "," : "", divergence_count_name[i], r.count[i]);
		print_message("\n");
		if (r.text[0])
			fail_msg("%s", r.text);
		assert_true(r.count[DIVERGENCE_STEPS] >= steps);
		assert_int_equal(r.count[DIVERGENCE_MOST_SPLITS], divergence_geometry[g].lanes);
		for (unsigned i = 0; i < DIVERGENCE_COUNTS; i++) /* each of them has come up */
			if (!r.count[i] && (divergence_geometry[g].lanes > 1 || !is_of_several(i)))
				fail_msg("%s: no %s", divergence_geometry[g].name, divergence_count_name[i]);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees) };

	seed = seed_take(argc, argv);
	steps = argc > 2 ? strtoul(argv[2], NULL, 0) : check_long() ? 10000000 : 400000;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
