/* Speed of the execution engines, for each that the host has: lane-instructions a second, functional and timed, and cycles a second of
 * the exact mini. GALENA_HOST_THREADS=1: one host core. Usage: engine [engine...] [kernel...] [functional] [timed] [exact]: only those. */
#include "testbench/model/rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char prologue[] = "csrr t0, 0xcc3\n csrr t1, 0xcc6\n mul t0, t0, t1\n csrr t1, 0xcc0\n addw t0, t0, t1\n"
			       "csrr a0, 0xcc9\n ld a1, 0(a0)\n ld a2, 8(a0)\n lw a3, 16(a0)\n";

static const struct kernel { const char *name, *text; } kernels[] = {
	/* y[i] = a * x[i] + y[i], in a grid-stride loop over 16 pages */
	{ "fma", "sh2add a1, t0, a1\n sh2add a2, t0, a2\n flw fa0, 20(a0)\n li t2, 0\n"
		 "1: flw fa1, 0(a1)\n flw fa2, 0(a2)\n fmadd.s fa1, fa0, fa1, fa2\n fmul.s fa1, fa1, fa0\n"
		 "fadd.s fa1, fa1, fa2\n fsw fa1, 0(a2)\n addi t2, t2, 1\n bne t2, a3, 1b\n .insn i 0x0b, 1, x0, x0, 0\n" },
	/* fp32 in registers: two chains of fused multiply-adds */
	{ "fp32", "fcvt.s.w fa0, t0\n flw fa1, 20(a0)\n fmv.s fa2, fa0\n fmv.s fa3, fa0\n"
		  "1: fmadd.s fa2, fa2, fa1, fa0\n fmadd.s fa3, fa3, fa1, fa2\n fmadd.s fa2, fa2, fa1, fa0\n"
		  "fmadd.s fa3, fa3, fa1, fa2\n addi a3, a3, -1\n bnez a3, 1b\n"
		  "sh2add a2, t0, a2\n fsw fa3, 0(a2)\n .insn i 0x0b, 1, x0, x0, 0\n" },
	/* xorshift and multiply on 32-bit integers */
	{ "int32", "mv t2, t0\n li t4, 0x9e3779b1\n sext.w t4, t4\n xor t2, t2, t4\n"
		   "1: slliw t3, t2, 13\n xor t2, t2, t3\n srliw t3, t2, 17\n xor t2, t2, t3\n slliw t3, t2, 5\n"
		   "xor t2, t2, t3\n mulw t5, t2, t4\n addw t6, t6, t5\n addi a3, a3, -1\n bnez a3, 1b\n"
		   "sh2add a2, t0, a2\n sw t6, 0(a2)\n .insn i 0x0b, 1, x0, x0, 0\n" },
	/* 64-bit integers */
	{ "int64", "mv t2, t0\n li t4, 0x9e3779b97f4a7c15\n xor t2, t2, t4\n"
		   "1: slli t3, t2, 13\n xor t2, t2, t3\n srli t3, t2, 7\n xor t2, t2, t3\n slli t3, t2, 17\n"
		   "xor t2, t2, t3\n add t5, t2, t4\n add t6, t6, t5\n addi a3, a3, -1\n bnez a3, 1b\n"
		   "sh2add a2, t0, a2\n sw t6, 0(a2)\n .insn i 0x0b, 1, x0, x0, 0\n" },
	/* copies a row, 4 bytes a lane */
	{ "copy", "sh2add a1, t0, a1\n sh2add a2, t0, a2\n"
		  "1: lw t1, 0(a1)\n sw t1, 0(a2)\n lw t1, 2044(a1)\n sw t1, 2044(a2)\n addi a3, a3, -1\n bnez a3, 1b\n"
		  ".insn i 0x0b, 1, x0, x0, 0\n" },
	/* gathers through an index table */
	{ "gather", "sh2add a1, t0, a1\n mv a4, a2\n sh2add a2, t0, a2\n"
		    "1: lw t1, 0(a1)\n sh2add t2, t1, a4\n lw t3, 0(t2)\n addw t4, t4, t3\n addi a3, a3, -1\n bnez a3, 1b\n"
		    "sw t4, 0(a2)\n .insn i 0x0b, 1, x0, x0, 0\n" },
	/* the lanes of a warp loop different numbers of times, with an if in the loop */
	{ "diverge", "andi t1, t0, 31\n addw a3, a3, t1\n li t4, 0\n"
		     "1: andi t2, a3, 1\n beqz t2, 2f\n addw t4, t4, a3\n xor t4, t4, t0\n 2: addiw t4, t4, 3\n"
		     "addiw a3, a3, -1\n bnez a3, 1b\n sh2add a2, t0, a2\n sw t4, 0(a2)\n .insn i 0x0b, 1, x0, x0, 0\n" },
	/* private array: spills and reloads */
	{ "private", "fcvt.s.w fa0, t0\n addi sp, sp, -64\n"
		     "1: fsw fa0, 0(sp)\n flw fa1, 0(sp)\n fadd.s fa0, fa0, fa1\n sd a1, 8(sp)\n ld a1, 8(sp)\n"
		     "addi a3, a3, -1\n bnez a3, 1b\n sh2add a2, t0, a2\n fsw fa0, 0(a2)\n .insn i 0x0b, 1, x0, x0, 0\n" },
};

enum { REPEATS = 8 }; /* the best of them is told: host threads come to each other's time */

enum { FUNCTIONAL, TIMED, EXACT, MODES };
static const char *const modes[MODES] = { "functional", "timed", "exact" };

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(const struct kernel *k, enum compute_simd simd, unsigned mode)
{
	const enum bus_speed speed = mode == FUNCTIONAL ? BUS_FUNCTIONAL : BUS_TIMED;
	struct rig *r = rig_create(mode == EXACT ? "mini" : "full", speed, simd, false);
	uint64_t x = 0x1000000000, y = 0x1100000000, args = 0x1200000000;
	uint32_t *table = rig_buffer(r, x, 64 << 12);
	rig_buffer(r, y, 64 << 12);
	for (uint32_t i = 0; i < 65536; i++)
		table[i] = i * 37 % 1024;
	uint64_t *arg = rig_buffer(r, args, 4096);
	uint32_t loops = speed == BUS_TIMED ? 500 : 4000;
	float factor = 0.999f;
	arg[0] = x;
	arg[1] = y;
	memcpy((char *)arg + 16, &loops, 4);
	memcpy((char *)arg + 20, &factor, 4);
	char text[4096];
	snprintf(text, sizeof(text), "%s%s", prologue, k->text);
	uint64_t entry = rig_load_text(r, text);
	struct rig_range range = { .global = { 16384, 1, 1 }, .local = { 256, 1, 1 }, .private_bytes = 256, .kernarg = args };
	if (mode == EXACT)
		range.global[0] = range.local[0] = r->config->max_wg_size;
	double best = 0;
	uint64_t insns = 0, cycles = 0;
	for (int i = 0; i < REPEATS; i++) {
		uint64_t before = compute_counters(r->compute)->lane_insns;
		double t = seconds();
		const struct rig_end *e = rig_run(r, entry, &range);
		t = seconds() - t;
		if (e->faulted) {
			printf("%s: fault %d at %#llx, address %#llx\n", k->name, e->fault.code,
			       (unsigned long long)e->fault.pc, (unsigned long long)e->fault.address);
			exit(1);
		}
		insns = compute_counters(r->compute)->lane_insns - before;
		cycles = e->end - e->start;
		double rate = mode == EXACT ? (double)cycles / t / 1e6 : (double)insns / t / 1e9;
		best = rate > best ? rate : best;
	}
	printf("engine.%s.%s.%s\t%.2f\t%s\t%llu cycles, %.1f lane-insn a cycle\n", k->name, compute_simd_name(r->compute), modes[mode], best,
	       mode == EXACT ? "M cycles/s" : "G lane-insn/s", (unsigned long long)cycles, (double)insns / (double)cycles);
	fflush(stdout);
	rig_destroy(r);
}

/* Whether the word is among the arguments, or none of its kind is. */
static bool wanted(int argc, char **argv, const char *const *kind, unsigned count, unsigned which)
{
	bool any = false;
	for (int i = 1; i < argc; i++)
		for (unsigned k = 0; k < count; k++)
			if (!strcmp(argv[i], kind[k])) {
				any = true;
				if (k == which)
					return true;
			}
	return !any;
}

int main(int argc, char **argv)
{
	enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };
	static const enum compute_simd all[] = { SIMD_AVX512, SIMD_AVX2, SIMD_PORTABLE };
	static const char *const names[] = { "avx512", "avx2", "portable" };
	const char *kernel_names[KERNELS];
	for (unsigned k = 0; k < KERNELS; k++)
		kernel_names[k] = kernels[k].name;
	for (unsigned s = 0; s < 3; s++)
		for (unsigned k = 0; k < KERNELS; k++)
			for (unsigned mode = 0; mode < MODES; mode++)
				if (wanted(argc, argv, names, 3, s) && wanted(argc, argv, kernel_names, KERNELS, k) &&
				    wanted(argc, argv, modes, MODES, mode))
					measure(&kernels[k], all[s], mode);
	return 0;
}
