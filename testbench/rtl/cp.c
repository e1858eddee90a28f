/* The command processor in SystemVerilog against the model's, in lockstep: random programs, from a seed, and a program that was compiled.
 * Usage: cp [SEED [CYCLES]]. */
#include "testbench/model/cp_program.h"
#include "testbench/random.h"
#include "testbench/rtl/cp_lockstep.h"
#include <libgen.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint64_t seed;
static unsigned long cycles;
static char image_path[4096];

static void test_agrees(void **state)
{
	static const unsigned causes[] = { 1, 2, 3, 4, 5, 6, 7, 11 };
	static struct cp_lockstep_result r;

	(void)state;
	cp_lockstep_run(seed, cycles, &r);
	print_message("#");
	for (unsigned i = 0; i < CP_TRAPS; i++)
		print_message("%s %s %lu", i ? "," : "", cp_count_name[i], r.count[i]);
	print_message("\n# exceptions:");
	for (unsigned i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		print_message(" %u: %lu", causes[i], r.count[CP_TRAPS + causes[i]]);
	print_message("\n");
	if (r.text[0])
		fail_msg("%s", r.text);
	for (unsigned i = 0; i < CP_TRAPS; i++) /* each of them has come up */
		if (!r.count[i])
			fail_msg("no %s", cp_count_name[i]);
	for (unsigned i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		assert_true(r.count[CP_TRAPS + causes[i]]);
}

/* What compilers make of C. */
static void test_compiled_program(void **state)
{
	static struct program_block block;
	static char image[0x10000];
	struct cp_lockstep_result r;
	FILE *f = fopen(image_path, "rb");
	size_t bytes;

	(void)state;
	assert_non_null(f);
	bytes = fread(image, 1, sizeof(image), f);
	fclose(f);
	block.seed = seed | 1;
	program_run(&block);
	cp_lockstep_image(image, bytes, PROGRAM_BLOCK, block.seed, PROGRAM_BLOCK, &block, sizeof(block), &r);
	print_message("# %lu instructions in %lu cycles\n", r.count[CP_RETIRED], r.count[CP_CYCLES]);
	assert_string_equal(r.text, "");
	assert_true(r.count[CP_RETIRED] > 100000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_agrees), cmocka_unit_test(test_compiled_program) };

	snprintf(image_path, sizeof(image_path), "%s/../model/cp_program.bin", dirname(argv[0]));
	seed = seed_take(argc, argv);
	cycles = argc > 2 ? strtoul(argv[2], NULL, 0) : check_long() ? 100000000 : 3000000;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
