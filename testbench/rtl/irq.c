/* The interrupt controller in SystemVerilog against the model's, in lockstep: random causes, and accesses of both masters, from a seed.
 * Usage: irq [SEED [CYCLES]]. */
#include "testbench/random.h"
#include "testbench/rtl/irq_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t seed;
static unsigned long cycles;

static void test_agrees(void **state)
{
	static struct irq_lockstep_result r;
	const struct irq_lockstep_counts *n = &r.counts;

	(void)state;
	irq_lockstep_run(seed, cycles, &r);
	if (r.text[0])
		fail_msg("%s", r.text);
	assert_int_equal(r.cycles, cycles);
	print_message("# %lu accesses, %lu strobes, %lu cycles in which the device is lost, %lu resets\n", n->accesses, n->strobes, n->lost, n->resets);
	print_message("# the host's line: %lu times up, %lu down; %lu cycles with pending causes of which none is enabled, %lu bits set in the cycle that clears them\n",
		      n->host_rises, n->host_falls, n->disabled, n->together);
	print_message("# the command processor's: %lu times up, %lu down\n", n->cp_rises, n->cp_falls);
	/* each of them has come up, and each cause alone */
	assert_true(n->accesses && n->strobes && n->lost && n->resets > 1 && n->disabled && n->together);
	assert_true(n->host_rises && n->host_falls && n->cp_rises && n->cp_falls);
	for (unsigned i = 0; i < IRQ_LOCKSTEP_HOST; i++)
		assert_true(n->host_alone[i]);
	for (unsigned i = 0; i < IRQ_LOCKSTEP_CP; i++)
		assert_true(n->cp_alone[i]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees) };

	seed = seed_take(argc, argv);
	cycles = argc > 2 ? strtoul(argv[2], NULL, 0) : check_long() ? 4000000 : 150000;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
