/* The comparison of testbench/rtl/lds.c finds faults: banks with each of those of testbench/rtl/lds_planted.def differ, and
 * without one they do not. */
#include "testbench/rtl/lds_lockstep.h"
#include "testbench/rtl/planted_faults.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const planted[] = {
	"none",
#define PLANT(module, original, fault, doc) doc,
#include "testbench/rtl/lds_planted.def"
#undef PLANT
};
enum { ACCESSES = 5000, ACCESSES_NONE = 2000 };

static const char *compare(uint64_t seed, bool with_fault)
{
	static struct lds_lockstep_result r;

	r.text[0] = 0;
	for (unsigned g = 0; g < LDS_GEOMETRIES && !r.text[0]; g++)
		lds_lockstep_run(g, seed, with_fault ? ACCESSES : ACCESSES_NONE, &r);
	return r.text;
}

int main(int argc, char **argv)
{
	return planted_faults_test(&(struct planted_faults){ planted, sizeof(planted) / sizeof(*planted), compare }, argc, argv);
}
