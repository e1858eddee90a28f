/* Runs programs under qemu-riscv64 without any library: a RISC-V executable that maps the shared
 * table and code at the addresses that they have on the device, and, for each request on its input,
 * calls the program once an item and answers with a byte. */
#include "testbench/oracle/qemu.h"

static long call(long number, long a, long b, long c, long d, long e, long f)
{
	register long a7 __asm__("a7") = number, a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c,
		a3 __asm__("a3") = d, a4 __asm__("a4") = e, a5 __asm__("a5") = f;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
	return a0;
}

enum { SYS_READ = 63, SYS_WRITE = 64, SYS_EXIT = 93, SYS_MMAP = 222 };
enum { READ_WRITE = 3, EXECUTE = 4, SHARED_FIXED = 0x11, PRIVATE_ANONYMOUS_FIXED = 0x32 };

static void map(unsigned long address, unsigned long bytes, long fd, unsigned long offset, int code)
{
	long flags = fd < 0 ? PRIVATE_ANONYMOUS_FIXED : SHARED_FIXED;
	if (call(SYS_MMAP, (long)address, (long)bytes, READ_WRITE | code, flags, fd, (long)offset) != (long)address)
		call(SYS_EXIT, code ? 3 : fd < 0 ? 4 : 5, 0, 0, 0, 0, 0);
}

/* The program's registers are its own: it comes back through x23. */
static void run(unsigned long entry, unsigned long table, unsigned long item)
{
	register unsigned long t5 __asm__("x31") = table, t3 __asm__("x28") = item, to __asm__("x30") = entry;
	__asm__ volatile("addi sp, sp, -32\n sd s0, 0(sp)\n sd gp, 8(sp)\n sd tp, 16(sp)\n"
			 "la s7, 1f\n jr %2\n 1:\n"
			 "ld s0, 0(sp)\n ld gp, 8(sp)\n ld tp, 16(sp)\n addi sp, sp, 32\n csrwi fcsr, 0"
			 : "+r"(t5), "+r"(t3), "+r"(to)
			 :
			 : "memory", "x1", "x5", "x6", "x7", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18",
			   "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x29", "f0", "f1", "f2", "f3", "f4",
			   "f5", "f6", "f7", "f8", "f9", "f20", "f26");
}

__attribute__((noreturn)) void _start(void);
void _start(void)
{
	struct qemu_request r;
	int mapped = 0;
	while (call(SYS_READ, 0, (long)&r, sizeof(r), 0, 0, 0) == sizeof(r)) {
		if (!mapped) {
			map(r.table, r.table_bytes, QEMU_FD, 0, 0);
			for (unsigned i = 0; i < 2; i++)
				map(r.windows[i], r.window_bytes, -1, 0, 0);
			mapped = 1;
		}
		map(r.code, r.code_bytes, QEMU_FD, r.code_offset, EXECUTE);
		__asm__ volatile("fence.i" ::: "memory");
		for (unsigned long i = 0; i < r.items; i++)
			run(r.entry, r.table, i);
		call(SYS_WRITE, 1, (long)&r, 1, 0, 0, 0);
	}
	call(SYS_EXIT, 0, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}
