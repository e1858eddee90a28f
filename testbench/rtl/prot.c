/* The protection unit in SystemVerilog against the model's: random regions and accesses, from a seed. Usage: prot [SEED [CHECKS]]. */
#include "testbench/random.h"
#include "testbench/rtl/prot_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t seed;
static unsigned long checks;

static void test_agrees(void **state)
{
	static struct prot_lockstep_result r;

	(void)state;
	prot_lockstep_run(seed, checks, &r);
	if (r.text[0])
		fail_msg("%s", r.text);
	assert_int_equal(r.checks, checks);
	print_message("# %lu accesses, %lu refused, %lu of them of protected jobs, %lu in two pages, %lu during a clearing; %lu settings, %lu new ones; "
		      "%lu resets\n", r.checks, r.refused, r.of_jobs, r.two_pages, r.clearing, r.sets, r.new_sets, r.resets);
	/* each of them has come up */
	assert_true(r.refused && r.of_jobs && r.two_pages && r.clearing && r.new_sets && r.sets > r.new_sets && r.resets);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees) };

	seed = seed_take(argc, argv);
	checks = argc > 2 ? strtoul(argv[2], NULL, 0) : check_long() ? 10000000 : 1000000;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
