/* How many cycles instructions take, by the CSR `cycle`: a program does a thing twice, and what the second time took is taken, when
 * its instructions have been fetched. */
#ifndef GALENA_TESTBENCH_MODEL_CLOCKED_H
#define GALENA_TESTBENCH_MODEL_CLOCKED_H
#include "testbench/model/kernel.h"

/* Waits until nothing of the warp is under way. */
#define QUIET "li t5, 200\n 99: addi t5, t5, -1\n bnez t5, 99b\n"
/* What stands behind it issues in the cycle that s2 then has, if it finds its operands. */
#define CLOCK "csrr s2, cycle\n"
/* Each work-item has the cycle in s3 that is two behind the one in which `register` was there. */
#define RESULT(reg) "mv a7, " #reg "\n csrr s3, cycle\n"

/* a0: kernel arguments, a1: out, a2: local memory, t0: the lane, s0: the global id, s11: 2 in the first pass and 1 in the second.
 * The text leaves numbers in s2 and s3; what s3 - s2 was in the second pass is in arg[64 + global id]. */
static inline void clocked_text(char *text, size_t size, const char *body)
{
	int n = snprintf(text, size, ITEM "ld a1, 0(a0)\n csrr t0, 0xcca\n li a2, 5\n slli a2, a2, 44\n li s11, 2\n .balign 1024\n"
				     "100: %s sub s3, s3, s2\n addi s11, s11, -1\n beqz s11, 101f\n j 100b\n"
				     "101: sh3add a0, s0, a0\n sd s3, 512(a0)\n" EXIT, body);

	assert_in_range(n, 1, size - 1);
}

/* s3 - s2 of work-item 0. */
static inline uint64_t clocked(struct bench *b, const char *body, struct rig_range range)
{
	static char text[1 << 16];

	clocked_text(text, sizeof(text), body);
	run_well(b, text, range);
	return b->arg[64];
}

#endif
