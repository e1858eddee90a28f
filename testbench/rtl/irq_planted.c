/* The comparison of testbench/rtl/irq.c finds faults: a unit with each of those of testbench/rtl/irq_planted.def differs, and without
 * one it does not. */
#include "testbench/rtl/planted_faults.h"
#include "testbench/rtl/irq_lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char *const planted[] = {
	"none",
#define PLANT(module, original, fault, doc) doc,
#include "testbench/rtl/irq_planted.def"
#undef PLANT
};
enum { CYCLES = 60000 };

static const char *compare(uint64_t seed, bool with_fault)
{
	static struct irq_lockstep_result r;

	irq_lockstep_run(seed, CYCLES, &r);
	if (!with_fault)
		assert_int_equal(r.cycles, CYCLES);
	return r.text;
}

int main(int argc, char **argv)
{
	return planted_faults_test(&(struct planted_faults){ planted, sizeof(planted) / sizeof(*planted), compare }, argc, argv);
}
