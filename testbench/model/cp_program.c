/* The program of cp_program.h as an image for the command processor; it ends with ebreak. */
#include "testbench/model/cp_program.h"

__asm__(".section .text.start,\"ax\"\n"
	"	.globl start\n"
	"start:	li sp, 0x3ff00\n"
	"	call program_main\n"
	"	ebreak\n"
	"	.text\n");

void program_main(void);
void program_main(void) { program_run((struct program_block *)PROGRAM_BLOCK); }

/* What the compiler asks of a freestanding program. */
void *memcpy(void *dst, const void *src, __SIZE_TYPE__ n);
void *memcpy(void *dst, const void *src, __SIZE_TYPE__ n)
{
	for (__SIZE_TYPE__ i = 0; i < n; i++)
		((volatile char *)dst)[i] = ((const char *)src)[i];
	return dst;
}
