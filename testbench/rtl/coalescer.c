/* The coalescer in SystemVerilog against the model's: random accesses, from a seed. Usage: coalescer [SEED [ACCESSES]], ACCESSES of each
 * configuration. */
#include "testbench/random.h"
#include "testbench/rtl/coalescer_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t seed;
static unsigned long accesses;

static void test_agrees(void **state)
{
	(void)state;
	for (unsigned g = 0; g < COALESCER_GEOMETRIES; g++) {
		static struct coalescer_lockstep_result r;
		const unsigned long wanted = g < 2 ? accesses : accesses / 4; /* the third is no configuration of a device */

		coalescer_lockstep_run(g, seed, wanted, &r);
		print_message("# %s:", coalescer_geometry[g].name);
		for (unsigned i = 0; i < COALESCER_COUNTS; i++)
			print_message("%s %s %lu", i ? "," : "", coalescer_count_name[i], r.count[i]);
		print_message("\n");
		if (r.text[0])
			fail_msg("%s", r.text);
		assert_int_equal(r.count[COALESCER_ACCESSES], wanted);
		assert_int_equal(r.count[COALESCER_MOST], coalescer_geometry[g].most);
		for (unsigned i = 0; i < COALESCER_COUNTS; i++) /* each of them has come up */
			if (!r.count[i] && (i != COALESCER_WHOLE || coalescer_geometry[g].lanes * 8 > coalescer_geometry[g].line_bytes))
				fail_msg("%s: no %s", coalescer_geometry[g].name, coalescer_count_name[i]);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees) };

	seed = seed_take(argc, argv);
	accesses = argc > 2 ? strtoul(argv[2], NULL, 0) : check_long() ? 3000000 : 200000;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
