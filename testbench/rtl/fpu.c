/* The floating-point units in SystemVerilog against MPFR and the model: all combinations of special operands, and random ones from a
 * seed. Usage: fpu [SEED [CASES]], CASES of each instruction. */
#include "testbench/random.h"
#include "testbench/rtl/fpu_lockstep.h"
#include "testbench/rtl/fpu_oracle.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t seed;
static unsigned long cases;

/* Each instruction of the units FPU and FDIV is one that is compared, and no other is. */
static void test_all(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned op = OP_illegal + 1; op < OP_COUNT; op++) {
		bool unit = isa_rows[op].class == CLASS_FPU || isa_rows[op].class == CLASS_FDIV;

		if (unit != (fpu_rows[op].kind != FPU_NONE))
			fail_msg("%s: of the units: %d, compared: %d", isa_rows[op].name, unit, !unit);
		n += unit;
	}
	print_message("# %u instructions\n", n);
}

static void test_agrees(void **state)
{
	static struct fpu_lockstep_result r;

	(void)state;
	fpu_lockstep_run(seed, cases, false, &r);
	for (unsigned op = 0; op < OP_COUNT; op++)
		if (r.text[op][0])
			print_message("# %s\n", r.text[op]);
	print_message("# %lu directed, %lu random (%lu of each instruction); inexact %lu, underflow %lu, overflow %lu, division by zero %lu, invalid %lu; "
		      "%lu cycles held up, %lu empty\n", r.directed, r.random, cases, r.flags[0], r.flags[1], r.flags[2], r.flags[3], r.flags[4], r.held_up,
		      r.bubbles);
	assert_int_equal(r.differences, 0);
	assert_true(r.flags[0] && r.flags[1] && r.flags[2] && r.flags[3] && r.flags[4] && r.held_up && r.bubbles);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_all), cmocka_unit_test(test_agrees) };

	seed = seed_take(argc, argv);
	cases = argc > 2 ? strtoul(argv[2], NULL, 0) : check_long() ? 1000000 : 10000;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
