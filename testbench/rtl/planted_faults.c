#include "testbench/rtl/planted_faults.h"
#include "testbench/random.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct planted_faults *faults;
static uint64_t seed;
static int fault;

/* Called by the units, from SystemVerilog. */
int planted_fault(void);
int planted_fault(void) { return fault; }

static void test_none(void **state)
{
	(void)state;
	fault = 0;
	assert_string_equal(faults->compare(seed, false), "");
}

static void test_found(void **state)
{
	unsigned missed = 0;

	(void)state;
	for (fault = 1; fault < (int)faults->count; fault++) {
		const char *text = faults->compare(seed, true);

		print_message("# %s: %s\n", faults->names[fault], text[0] ? text : "NOT FOUND");
		missed += !text[0];
	}
	assert_int_equal(missed, 0);
}

int planted_faults_test(const struct planted_faults *f, int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_none), cmocka_unit_test(test_found) };

	faults = f;
	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
