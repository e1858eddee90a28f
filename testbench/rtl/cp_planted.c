/* The comparison of testbench/rtl/cp.c finds faults: a hart with each of those of testbench/rtl/cp_planted.def differs, and without one it
 * does not. */
#include "testbench/rtl/cp_lockstep.h"
#include "testbench/rtl/planted_faults.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const planted[] = {
	"none",
#define PLANT(module, original, fault, doc) doc,
#include "testbench/rtl/cp_planted.def"
#undef PLANT
};
enum { CYCLES = 2000000, CYCLES_NONE = 100000 };

static const char *compare(uint64_t seed, bool with_fault)
{
	static struct cp_lockstep_result r;

	cp_lockstep_run(seed, with_fault ? CYCLES : CYCLES_NONE, &r);
	return r.text;
}

int main(int argc, char **argv)
{
	return planted_faults_test(&(struct planted_faults){ planted, sizeof(planted) / sizeof(*planted), compare }, argc, argv);
}
