/* Kernels as text on a rig, for the tests of the compute units: each test runs functional and timed, on
 * the full and on the mini configuration. Includes cmocka. */
#ifndef GALENA_TESTBENCH_MODEL_KERNEL_H
#define GALENA_TESTBENCH_MODEL_KERNEL_H
#include "testbench/model/rig.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT ".insn i 0x0b, 1, x0, x0, 0\n"
#define BARRIER ".insn i 0x0b, 0, x0, x0, 0\n"
#define SG_SYNC ".insn i 0x0b, 2, x0, x0, 0\n"
#define SG_BALLOT(rd, rs1) ".insn r 0x0b, 3, 0, " #rd ", " #rs1 ", x0\n"
#define SG_SHUFFLE(rd, rs1, rs2) ".insn r 0x0b, 4, 0, " #rd ", " #rs1 ", " #rs2 "\n"
/* a0 = kernel arguments, s0 = linear global id of a 1D range */
#define ITEM "csrr a0, 0xcc9\n csrr s0, 0xcc3\n csrr s1, 0xcc6\n mul s0, s0, s1\n csrr s1, 0xcc0\n add s0, s0, s1\n"

static const uint64_t out_va = 0x2000000000, arg_va = 0x2100000000;
enum { OUT_BYTES = 1 << 20 };

/* Of a configuration: memory that answers at once, for tests that count cycles and whose instructions come from it. */
#define QUICK_MEMORY ",l1_latency=0,l2_latency=0,dram_latency=0,dram_row_cycles=0"

static const struct { const char *config; enum bus_speed speed; } setups[] = {
	{ "full", BUS_FUNCTIONAL }, { "full", BUS_TIMED }, { "mini", BUS_FUNCTIONAL }, { "mini", BUS_TIMED },
};
#define FOR_SETUPS for (unsigned setup = 0; setup < 4; setup++)

/* out: OUT_BYTES at out_va. arg: a page at arg_va, the kernel arguments; arg[0] is out_va. */
struct bench { struct rig *r; uint32_t *out; uint64_t *arg; };

static inline struct bench bench_of(struct rig *r)
{
	struct bench b = { .r = r };
	b.out = rig_buffer(r, out_va, OUT_BYTES);
	b.arg = rig_buffer(r, arg_va, 4096);
	b.arg[0] = out_va;
	return b;
}

static inline struct bench open_bench(unsigned setup)
{
	return bench_of(rig_create(setups[setup].config, setups[setup].speed, SIMD_AUTO, false));
}

static inline const struct rig_end *run(struct bench *b, const char *text, struct rig_range range)
{
	range.kernarg = arg_va;
	return rig_run(b->r, rig_load_text(b->r, text), &range);
}

static inline void run_well(struct bench *b, const char *text, struct rig_range range)
{
	const struct rig_end *e = run(b, text, range);
	if (e->faulted)
		fail_msg("fault %s at %#llx, address %#llx", fault_name(e->fault.code),
			 (unsigned long long)e->fault.pc, (unsigned long long)e->fault.address);
}

#endif
