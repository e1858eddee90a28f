/* The comparison of testbench/rtl/regs.c finds differences: a register block of the full configuration, with those of
 * testbench/rtl/planted.def, differs in each of these registers and in no other. */
#include "testbench/random.h"
#include "testbench/rtl/regs_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { ACCESSES = 100000 };
static uint64_t seed;

static void test_found(void **state)
{
	static struct regs_lockstep_result r;
	static const char *const planted[REG_NUM_IDS + 1] = {
#define PLANT(bank, name, field, column, value, doc) [REG_ID_##bank##_##name] = doc,
#include "testbench/rtl/planted.def"
#undef PLANT
	};

	(void)state;
	regs_lockstep_run(device_config_find("full"), seed, ACCESSES, &r);
	for (unsigned i = 0; i <= NO_REGISTER; i++) {
		if (planted[i])
			print_message("# %s: %s\n", planted[i], r.text[i]);
		if (planted[i] && !r.text[i][0])
			fail_msg("%s: the planted difference was not found: %s", reg_rows[i].name, planted[i]);
		if (!planted[i] && r.text[i][0])
			fail_msg("a difference that was not planted: %s", r.text[i]);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_found) };

	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
