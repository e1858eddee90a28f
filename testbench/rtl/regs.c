/* The generated register block in SystemVerilog against the model's register file: random accesses, from a seed. */
#include "testbench/random.h"
#include "testbench/rtl/regs_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ACCESSES = 100000 };
static uint64_t seed;

static void test_agrees(void **state)
{
	static struct regs_lockstep_result r;
	const struct regs_lockstep_counts *n = &r.counts;

	(void)state;
	regs_lockstep_run(device_config_find("mini"), seed, ACCESSES, &r);
	for (unsigned i = 0; i <= NO_REGISTER; i++)
		if (r.text[i][0])
			print_message("# %s\n", r.text[i]);
	assert_int_equal(r.differences, 0);
	assert_int_equal(n->accesses, ACCESSES);
	print_message("# %u writes, %u low halves, %u high halves, %u kept, %u pairs, %u holes, %u of read-only registers, %u of reserved bits, "
		      "%u changes of the hardware, %u in the cycle of a write, %u refused by the lock, %u cycles of waiting, %u resets\n",
		      n->writes, n->low_halves, n->high_halves, n->kept_halves, n->pairs, n->holes, n->read_only, n->reserved, n->changes, n->collisions,
		      n->locked, n->waits, n->resets);
	/* each of them has come up */
	assert_true(n->writes && n->low_halves && n->high_halves && n->kept_halves && n->pairs && n->holes && n->read_only && n->reserved);
	assert_true(n->changes && n->collisions && n->locked && n->waits && n->resets > 1);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees) };

	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
