/* The comparison of testbench/rtl/tlb.c finds faults: arrays with each of those of testbench/rtl/tlb_planted.def differ, and without
 * one they do not. */
#include "testbench/rtl/planted_faults.h"
#include "testbench/rtl/tlb_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const planted[] = {
	"none",
#define PLANT(module, original, fault, doc) #module ": " doc,
#include "testbench/rtl/tlb_planted.def"
#undef PLANT
};
enum { STEPS = 5000, STEPS_NONE = 500 };

static const char *compare(uint64_t seed, bool with_fault)
{
	static struct tlb_lockstep_result r;

	r.text[0] = 0;
	for (unsigned g = 0; g < TLB_GEOMETRIES && !r.text[0]; g++)
		tlb_lockstep_run(g, seed, with_fault ? STEPS : STEPS_NONE, &r);
	return r.text;
}

int main(int argc, char **argv)
{
	return planted_faults_test(&(struct planted_faults){ planted, sizeof(planted) / sizeof(*planted), compare }, argc, argv);
}
