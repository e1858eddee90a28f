/* The comparison of testbench/rtl/prot.c finds faults: a unit with each of those of testbench/rtl/prot_planted.def differs, and without
 * one it does not. */
#include "testbench/random.h"
#include "testbench/rtl/prot_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const planted[] = {
	"none",
#define PLANT(module, original, fault, doc) doc,
#include "testbench/rtl/prot_planted.def"
#undef PLANT
};
enum { FAULTS = sizeof(planted) / sizeof(*planted), CHECKS = 60000 };

static uint64_t seed;
static int fault;

/* Called by the unit, from SystemVerilog. */
int planted_fault(void);
int planted_fault(void) { return fault; }

static void test_none(void **state)
{
	static struct prot_lockstep_result r;

	(void)state;
	fault = 0;
	prot_lockstep_run(seed, CHECKS, &r);
	assert_string_equal(r.text, "");
	assert_int_equal(r.checks, CHECKS);
}

static void test_found(void **state)
{
	static struct prot_lockstep_result r;
	unsigned missed = 0;

	(void)state;
	for (fault = 1; fault < FAULTS; fault++) {
		prot_lockstep_run(seed, CHECKS, &r);
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
