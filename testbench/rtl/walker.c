/* The page-table walkers in SystemVerilog against the model's: random page tables, from a seed. Usage: walker [SEED [STEPS]], STEPS of each
 * geometry. */
#include "testbench/rtl/walker_lockstep.h"
#include "testbench/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t seed;
static unsigned steps;

static void test_agrees(void **state)
{
	(void)state;
	for (unsigned g = 0; g < WALKER_GEOMETRIES; g++) {
		static struct walker_lockstep_result r;

		walker_lockstep_run(g, seed, steps, &r);
		print_message("# %s:", walker_geometry[g]);
		for (unsigned i = 0; i < WALKER_COUNTS; i++)
			print_message("%s %s %lu", i ? "," : "", walker_count_name[i], r.count[i]);
		print_message("\n");
		if (r.text[0])
			fail_msg("%s", r.text);
		for (unsigned i = 0; i < WALKER_COUNTS; i++) /* each of them has come up */
			if (!r.count[i] && (g != WALKER_ALONE || i != WALKER_SIDE_BY_SIDE))
				fail_msg("%s: no %s", walker_geometry[g], walker_count_name[i]);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees) };

	seed = seed_take(argc, argv);
	steps = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : check_long() ? 200000 : 10000;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
