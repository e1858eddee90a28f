/* Tests that a comparison finds each fault that is planted in a unit, and none where none is. */
#ifndef GALENA_TESTBENCH_PLANTED_FAULTS_H
#define GALENA_TESTBENCH_PLANTED_FAULTS_H
#include <stdbool.h>
#include <stdint.h>

struct planted_faults {
	const char *const *names; /* names[0] is not looked at */
	unsigned count;
	/* Compares the unit, with or without a fault, from a seed; returns the first difference, "" where there is none. */
	const char *(*compare)(uint64_t seed, bool with_fault);
};
/* What main returns. */
int planted_faults_test(const struct planted_faults *, int argc, char **argv);

#endif
