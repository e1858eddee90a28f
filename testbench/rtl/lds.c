/* The banks of local memory in SystemVerilog against the model's: random accesses, from a seed. Usage: lds [SEED [ACCESSES]], ACCESSES of each
 * configuration. */
#include "testbench/random.h"
#include "testbench/rtl/lds_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t seed;
static unsigned long accesses;

static void test_agrees(void **state)
{
	(void)state;
	for (unsigned g = 0; g < LDS_GEOMETRIES; g++) {
		static struct lds_lockstep_result r;
		const unsigned long wanted = g < 2 ? accesses : accesses / 4; /* the others are no configurations of a device */

		lds_lockstep_run(g, seed, wanted, &r);
		print_message("# %s:", lds_geometry[g].name);
		for (unsigned i = 0; i < LDS_COUNTS; i++)
			print_message("%s %s %lu", i ? "," : "", lds_count_name[i], r.count[i]);
		print_message("\n");
		if (r.text[0])
			fail_msg("%s", r.text);
		assert_int_equal(r.count[LDS_ACCESSES], wanted);
		assert_int_equal(r.count[LDS_MOST], lds_geometry[g].most);
		for (unsigned i = 0; i < LDS_COUNTS; i++) /* each of them has come up */
			if (!r.count[i] && (i != LDS_CONFLICTS || lds_geometry[g].banks > 1))
				fail_msg("%s: no %s", lds_geometry[g].name, lds_count_name[i]);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees) };

	seed = seed_take(argc, argv);
	accesses = argc > 2 ? strtoul(argv[2], NULL, 0) : check_long() ? 3000000 : 200000;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
