/* A calculator on the device's instruction set: runs under qemu-riscv64, without a C library. It
 * reads requests (struct calc_request, then four arrays) from standard input and writes the three
 * result arrays, until the input ends. */
#include "testbench/builtins/calc.h"
#include "testbench/builtins/freestanding.h"

typedef void run(const void *a, const void *b, const void *c, const int32_t *n, void *r, void *r2, int32_t *ri, uint64_t count);

#define NAME(name, type) run run_##name##_##type;
#define FLOAT_ONLY
#define T float
#include "testbench/builtins/each_function.h"
#undef FLOAT_ONLY
#undef T
#define T double
#include "testbench/builtins/each_function.h"
#undef T
#undef NAME
#define NAME(name, type) run_##name##_##type,
static run *const table[] = {
#define FLOAT_ONLY
#define T float
#include "testbench/builtins/each_function.h"
#undef FLOAT_ONLY
#undef T
#define T double
#include "testbench/builtins/each_function.h"
};

static double a[CALC_MAX], b[CALC_MAX], c[CALC_MAX], r[CALC_MAX], r2[CALC_MAX];
static int32_t n[CALC_MAX], ri[CALC_MAX];

void _start(void);
void _start(void)
{
	struct calc_request q;
	int status = 0;
	while (transfer(SYS_READ, 0, &q, sizeof q)) {
		size_t bytes = (size_t)q.count * q.size;
		if (q.function >= sizeof table / sizeof *table || q.count > CALC_MAX ||
		    !transfer(SYS_READ, 0, a, bytes) || !transfer(SYS_READ, 0, b, bytes) ||
		    !transfer(SYS_READ, 0, c, bytes) || !transfer(SYS_READ, 0, n, q.count * sizeof *n)) {
			status = 1;
			break;
		}
		table[q.function](a, b, c, n, r, r2, ri, q.count);
		transfer(SYS_WRITE, 1, r, bytes);
		transfer(SYS_WRITE, 1, r2, bytes);
		transfer(SYS_WRITE, 1, ri, q.count * sizeof *ri);
	}
	call(SYS_EXIT, status, 0, 0);
}
