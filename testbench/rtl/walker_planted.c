/* The comparison of testbench/rtl/walker.c finds faults: walkers with each of those of testbench/rtl/walker_planted.def differ, and without one
 * they do not. */
#include "testbench/random.h"
#include "testbench/rtl/walker_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const planted[] = {
	"none",
#define PLANT(module, original, fault, doc) #module ": " doc,
#include "testbench/rtl/walker_planted.def"
#undef PLANT
};
enum { FAULTS = sizeof(planted) / sizeof(*planted), STEPS = 2000, STEPS_NONE = 500 };

static uint64_t seed;
static int fault;

/* Called by the walkers, from SystemVerilog. */
int planted_fault(void);
int planted_fault(void) { return fault; }

static void test_none(void **state)
{
	static struct walker_lockstep_result r;

	(void)state;
	fault = 0;
	for (unsigned g = 0; g < WALKER_GEOMETRIES; g++) {
		walker_lockstep_run(g, seed, STEPS_NONE, &r);
		assert_string_equal(r.text, "");
	}
}

static void test_found(void **state)
{
	static struct walker_lockstep_result r;
	unsigned missed = 0;

	(void)state;
	for (fault = 1; fault < FAULTS; fault++) {
		r.text[0] = 0;
		for (unsigned g = 0; g < WALKER_GEOMETRIES && !r.text[0]; g++)
			walker_lockstep_run(g, seed, STEPS, &r);
		print_message("# %s: %s\n", planted[fault], r.text[0] ? r.text : "NOT FOUND");
		missed += !r.text[0];
	}
	assert_int_equal(missed, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_none), cmocka_unit_test(test_found) };

	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
