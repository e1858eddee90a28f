/* The comparison of testbench/rtl/divergence.c finds faults: a module with each of those of testbench/rtl/divergence_planted.def differs, and
 * without one it does not. */
#include "testbench/rtl/divergence_lockstep.h"
#include "testbench/rtl/planted_faults.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const planted[] = {
	"none",
#define PLANT(module, original, fault, doc) doc,
#include "testbench/rtl/divergence_planted.def"
#undef PLANT
};
enum { STEPS = 200000, STEPS_NONE = 20000 };

static const char *compare(uint64_t seed, bool with_fault)
{
	static struct divergence_lockstep_result r;

	r.text[0] = 0;
	for (unsigned g = DIVERGENCE_GEOMETRIES; g-- && !r.text[0];)
		divergence_lockstep_run(g, seed, with_fault ? STEPS : STEPS_NONE, &r);
	return r.text;
}

int main(int argc, char **argv)
{
	return planted_faults_test(&(struct planted_faults){ planted, sizeof(planted) / sizeof(*planted), compare }, argc, argv);
}
