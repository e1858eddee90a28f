/* The semaphore unit in SystemVerilog against the model's, in lockstep: random waits, stores, notifications and faults, from a seed.
 * Usage: sem [SEED [OPERATIONS]]. */
#include "abi/codes.h"
#include "testbench/random.h"
#include "testbench/rtl/sem_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t seed;
static unsigned long operations;

static void print_faults(const char *what, const unsigned long *n)
{
	print_message("# %s: %lu well, %lu BUS_ERROR, %lu MISALIGNED, %lu PROTECTED, %lu ECC\n", what, n[FAULT_NONE], n[FAULT_BUS_ERROR],
		      n[FAULT_MISALIGNED], n[FAULT_PROTECTED], n[FAULT_ECC]);
}

static void test_agrees(void **state)
{
	static struct sem_lockstep_result r;
	const struct sem_lockstep_counts *n = &r.counts;

	(void)state;
	sem_lockstep_run(seed, operations, &r);
	if (r.text[0])
		fail_msg("%s", r.text);
	assert_int_equal(r.operations, operations);
	print_message("# %lu arms, %lu stores, %lu notifications in %lu cycles, %lu resets; requests held for %lu cycles\n", n->arms, n->stores,
		      n->notifies, n->cycles, n->resets, n->held);
	print_faults("stores", n->stored);
	print_faults("waits over", n->read);
	print_faults("payloads cleared", n->cleared);
	print_message("# %lu binary waits passed; at most %lu waits ended by one payload; %lu ended as the unit took something, %lu as it armed the waiter\n",
		      n->binary, n->most, n->together, n->again);
	/* each of them has come up */
	assert_true(n->arms && n->stores && n->notifies && n->resets > 1 && n->held && n->binary && n->most >= 8 && n->together && n->again);
	assert_true(n->stored[FAULT_NONE] && n->stored[FAULT_BUS_ERROR] && n->stored[FAULT_MISALIGNED] && n->stored[FAULT_PROTECTED]);
	assert_true(n->read[FAULT_NONE] && n->read[FAULT_BUS_ERROR] && n->read[FAULT_MISALIGNED] && n->read[FAULT_PROTECTED] && n->read[FAULT_ECC]);
	assert_true(n->cleared[FAULT_NONE] && n->cleared[FAULT_BUS_ERROR]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees) };

	seed = seed_take(argc, argv);
	operations = argc > 2 ? strtoul(argv[2], NULL, 0) : check_long() ? 2000000 : 110000;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
