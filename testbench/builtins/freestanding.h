/* System calls of RISC-V Linux, for programs without a C library. */
#ifndef GALENA_TESTBENCH_FREESTANDING_H
#define GALENA_TESTBENCH_FREESTANDING_H
#include <stddef.h>

static long call(long number, long a, long b, long c)
{
	register long a0 __asm("a0") = a;
	register long a1 __asm("a1") = b;
	register long a2 __asm("a2") = c;
	register long a7 __asm("a7") = number;
	__asm volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}
enum { SYS_READ = 63, SYS_WRITE = 64, SYS_EXIT = 93 };

static int transfer(long number, int fd, void *data, size_t size)
{
	for (char *p = data; size;) {
		long n = call(number, fd, (long)p, (long)size);
		if (n <= 0)
			return 0;
		p += n;
		size -= (size_t)n;
	}
	return 1;
}

#endif
