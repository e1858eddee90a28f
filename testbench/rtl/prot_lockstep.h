/* The Verilated protection unit (rtl/prot/protection.sv) beside the model's (model/prot): random settings of regions, and accesses at their
 * borders and elsewhere. In each cycle the verdict and the regions in force are compared, and whether a setting is a new one. */
#ifndef GALENA_TESTBENCH_RTL_PROT_LOCKSTEP_H
#define GALENA_TESTBENCH_RTL_PROT_LOCKSTEP_H
#include <stdint.h>

struct prot_lockstep_result {
	unsigned long checks, refused, of_jobs, two_pages, sets, new_sets, clearing, resets; /* clearing: accesses during one; of_jobs: refused */
	char text[240]; /* the first difference, at which it stops; empty: there was none */
};

void prot_lockstep_run(uint64_t seed, unsigned long checks, struct prot_lockstep_result *);

#endif
