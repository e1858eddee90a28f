/* The comparison of testbench/rtl/icache.c finds faults: one with each of those of
 * testbench/rtl/icache_planted.def differs, and without one they do not. */
#include "testbench/rtl/planted_faults.h"
#include "testbench/rtl/icache_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const planted[] = {
	"none",
#define PLANT(module, original, fault, doc) doc,
#include "testbench/rtl/icache_planted.def"
#undef PLANT
};
enum { CYCLES = 60000, CYCLES_NONE = 20000 };

static const char *compare(uint64_t seed, bool with_fault)
{
	static struct icache_lockstep_result r;

	r.text[0] = 0;
	for (unsigned g = 0; g < ICACHE_GEOMETRIES && !r.text[0]; g++)
		icache_lockstep_run(g, seed, with_fault ? CYCLES : CYCLES_NONE, &r);
	return r.text;
}

int main(int argc, char **argv)
{
	return planted_faults_test(&(struct planted_faults){ planted, sizeof(planted) / sizeof(*planted), compare }, argc, argv);
}
