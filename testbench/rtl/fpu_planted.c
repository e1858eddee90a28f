/* The comparison of testbench/rtl/fpu.c finds faults: units with each of those of testbench/rtl/fpu_planted.def differ, and without
 * one they do not. */
#include "testbench/random.h"
#include "testbench/rtl/fpu_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const planted[] = {
	"none",
#define PLANT(module, original, fault, doc) #module ": " doc,
#include "testbench/rtl/fpu_planted.def"
#undef PLANT
};
enum { FAULTS = sizeof(planted) / sizeof(*planted), CASES = 500 };

static uint64_t seed;
static int fault;

/* Called by the units, from SystemVerilog. */
int planted_fault(void);
int planted_fault(void) { return fault; }

static void test_none(void **state)
{
	static struct fpu_lockstep_result r;

	(void)state;
	fault = 0;
	fpu_lockstep_run(seed, CASES, true, &r);
	assert_int_equal(r.differences, 0);
}

static void test_found(void **state)
{
	static struct fpu_lockstep_result r;
	unsigned missed = 0;

	(void)state;
	for (fault = 1; fault < FAULTS; fault++) {
		fpu_lockstep_run(seed, CASES, true, &r);
		print_message("# %s: %s after %lu cases\n", planted[fault], r.differences ? "found" : "NOT FOUND", r.random + r.directed);
		for (unsigned op = 0; op < OP_COUNT; op++)
			if (r.text[op][0])
				print_message("#   %s\n", r.text[op]);
		missed += !r.differences;
	}
	assert_int_equal(missed, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_none), cmocka_unit_test(test_found) };

	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
