/* Operands for floating-point instructions: lists of special ones, and random ones that are weighted towards the edges of the formats,
 * towards ties, and towards each other. */
#ifndef GALENA_TESTBENCH_RTL_FPU_CASES_H
#define GALENA_TESTBENCH_RTL_FPU_CASES_H
#include "testbench/rtl/fpu_oracle.h"

/* Operands as registers hold them. */
struct fpu_case {
	unsigned op, rm;
	uint64_t a, b, c;
};

/* All combinations of special operands in every rounding mode: how many there are of an instruction, and one of them. */
unsigned fpu_cases_directed(unsigned op);
struct fpu_case fpu_case_directed(unsigned op, unsigned number);
struct fpu_case fpu_case_random(unsigned op, uint64_t *random);

#endif
