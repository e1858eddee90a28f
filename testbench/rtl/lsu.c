/* The load-store unit in SystemVerilog against the model's: random accesses, from a seed. Usage: lsu [SEED [CYCLES]],
 * CYCLES of each configuration. */
#include "testbench/random.h"
#include "testbench/rtl/lsu_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t seed;
static unsigned long cycles;

static void test_agrees(void **state)
{
	(void)state;
	for (unsigned g = 0; g < LSU_GEOMETRIES; g++) {
		static struct lsu_lockstep_result r;

		lsu_lockstep_run(g, seed, cycles, &r);
		print_message("# %s:", lsu_geometry[g].name);
		for (unsigned i = 0; i < LSU_COUNTS; i++)
			print_message("%s %s %lu", i ? "," : "", lsu_count_name[i], r.count[i]);
		print_message("\n");
		if (r.text[0])
			fail_msg("%s", r.text);
		assert_int_equal(r.count[LSU_CYCLES], cycles);
		for (unsigned i = 0; i < LSU_COUNTS; i++) /* each of them has come up */
			if (!r.count[i] && i != (unsigned)lsu_geometry[g].without)
				fail_msg("%s: no %s", lsu_geometry[g].name, lsu_count_name[i]);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees) };

	seed = seed_take(argc, argv);
	cycles = argc > 2 ? strtoul(argv[2], NULL, 0) : check_long() ? 3000000 : 150000;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
