/* The arrays of the TLBs in SystemVerilog against the model's: random translations, from a seed. Usage: tlb [SEED [STEPS]], STEPS of each
 * geometry. */
#include "testbench/rtl/tlb_lockstep.h"
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
	for (unsigned g = 0; g < TLB_GEOMETRIES; g++) {
		static struct tlb_lockstep_result r;

		tlb_lockstep_run(g, seed, steps, &r);
		print_message("# %s:", tlb_geometry[g]);
		for (unsigned i = 0; i < TLB_COUNTS; i++)
			print_message("%s %s %lu", i ? "," : "", tlb_count_name[i], r.count[i]);
		print_message("\n");
		if (r.text[0])
			fail_msg("%s", r.text);
		for (unsigned i = 0; i < TLB_COUNTS; i++) /* each of them has come up */
			if (!r.count[i])
				fail_msg("%s: no %s", tlb_geometry[g], tlb_count_name[i]);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees) };

	seed = seed_take(argc, argv);
	steps = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : check_long() ? 1000000 : 27000;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
