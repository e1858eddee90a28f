/* Runs the self-checks of checks_convert.cl and checks_math.cl, which are too long for the device model,
 * under qemu-riscv64, without a C library; see checks.h. The others run on the device: device.c. */
#include "testbench/builtins/freestanding.h"
#include <stdint.h>

#define CHECKS(X)                                                                                  \
	X(convert_char) X(convert_uchar) X(convert_short) X(convert_ushort) X(convert_int) X(convert_uint) \
	X(convert_long) X(convert_ulong) X(convert_float) X(convert_double) X(convert_half) X(half)              \
	X(math_vectors_float) X(math_vectors_double) X(native_vectors)
#define DECLARE(name) uint64_t check_##name(uint64_t seed, uint32_t rounds);
CHECKS(DECLARE)
static const struct { const char *name; uint64_t (*run)(uint64_t seed, uint32_t rounds); } checks[] = {
#define ENTRY(name) { #name, check_##name },
	CHECKS(ENTRY)
};
enum { COUNT = sizeof checks / sizeof *checks };

static void print(const char *text)
{
	size_t n = 0;
	while (text[n])
		n++;
	transfer(SYS_WRITE, 1, (void *)(uintptr_t)text, n);
}
static void print_number(uint64_t v)
{
	char text[24], *p = text + sizeof text;
	*--p = 0;
	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	print(p);
}
static uint64_t number(const char *text)
{
	uint64_t v = 0;
	while (*text >= '0' && *text <= '9')
		v = v * 10 + (uint64_t)(*text++ - '0');
	return v;
}

/* The stack at entry: argc, then argv. */
void start(const uint64_t *stack);
void start(const uint64_t *stack)
{
	uint64_t seed = stack[0] > 1 ? number((const char *)stack[2]) : 1, failed = 0;
	uint32_t rounds = stack[0] > 2 ? (uint32_t)number((const char *)stack[3]) : 200;
	print("# seed ");
	print_number(seed);
	print("\n1..");
	print_number(COUNT);
	print("\n");
	for (size_t i = 0; i < COUNT; i++) {
		uint64_t bad = checks[i].run(seed, rounds);
		failed += bad != 0;
		print(bad ? "not ok " : "ok ");
		print_number(i + 1);
		print(" - ");
		print(checks[i].name);
		if (bad) {
			print(": ");
			print_number(bad);
			print(" comparisons failed");
		}
		print("\n");
	}
	call(SYS_EXIT, failed != 0, 0, 0);
}
__asm(".globl _start\n_start:\n\tmv a0, sp\n\tandi sp, sp, -16\n\tcall start\n");
