/* The comparison of testbench/rtl/fpu.c finds faults: units with each of those of testbench/rtl/fpu_planted.def differ, and without
 * one they do not. */
#include "testbench/rtl/planted_faults.h"
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
enum { CASES = 500 };

static const char *compare(uint64_t seed, bool with_fault)
{
	static struct fpu_lockstep_result r;

	fpu_lockstep_run(seed, CASES, true, &r);
	for (unsigned op = 0; op < OP_COUNT; op++)
		if (r.text[op][0])
			return r.text[op];
	assert_int_equal(r.differences, 0);
	(void)with_fault;
	return "";
}

int main(int argc, char **argv)
{
	return planted_faults_test(&(struct planted_faults){ planted, sizeof(planted) / sizeof(*planted), compare }, argc, argv);
}
