/* The comparison of testbench/rtl/lsu.c finds faults: one with each of those of
 * testbench/rtl/lsu_planted.def differs, and without one they do not. */
#include "testbench/rtl/planted_faults.h"
#include "testbench/rtl/lsu_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const planted[] = {
	"none",
#define PLANT(module, original, fault, doc) doc,
#include "testbench/rtl/lsu_planted.def"
#undef PLANT
};
enum { ROUNDS = 8, CYCLES = 8000 /* of each round and configuration */, CYCLES_NONE = 4000 };

static const char *compare(uint64_t seed, bool with_fault)
{
	static struct lsu_lockstep_result r;

	r.text[0] = 0;
	for (unsigned i = 0; i < (with_fault ? ROUNDS : 1) && !r.text[0]; i++)
		for (unsigned g = 0; g < LSU_GEOMETRIES && !r.text[0]; g++)
			lsu_lockstep_run(g, seed + i * LSU_GEOMETRIES, with_fault ? CYCLES : CYCLES_NONE, &r);
	return r.text;
}

int main(int argc, char **argv)
{
	return planted_faults_test(&(struct planted_faults){ planted, sizeof(planted) / sizeof(*planted), compare }, argc, argv);
}
