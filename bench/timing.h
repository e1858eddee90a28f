/* What the parts of bench/timing share: a device, memory on it, rows of the table. */
#ifndef GALENA_BENCH_TIMING_H
#define GALENA_BENCH_TIMING_H
#include "abi/device_config.h"
#include "bench/asm.h"
#include "runtime/umd/umd.h"
#include <stdio.h>

enum { DATA_BYTES = 32 << 20, CYCLE_CSR = 0xc00 };

extern struct timing {
	struct umd *driver;
	struct device_config config;
	struct umd_space *space;
	struct umd_queue *queue;
	struct umd_bo *code, *args, *out, *system, *dram, *staging;
	uint64_t code_used;
	FILE *rows;
	unsigned wrong;
} t;

/* Runs one packet to its end; ends the program where that is not a good one. */
struct completion submit(const union packet *);
/* A parameter with what it should be and what was measured; and a measurement of no single parameter. */
void row(const char *name, const char *parameter, double expected, double measured, const char *unit);
void told(const char *name, double measured, const char *unit, const char *note);

/* A point of a curve of the plot, and one of the line that bounds it. */
void point(const char *curve, double x, double y);
void roof(const char *curve, double x, double y);

/* The first instructions of a kernel: a0 is the argument block, a1 the results, a2 data, a3 extra. */
void begin(struct assembler *);
/* In groups of local: a2 becomes where the work-item finds its 8 bytes, beside its neighbours'. */
void places(struct assembler *, uint16_t local);
/* Runs a kernel over items work-items in groups of local. Returns the cycles that the command took. */
uint64_t launch(const struct assembler *, uint32_t items, uint16_t local, uint32_t local_bytes, uint64_t data, uint64_t extra);

/* Cycles between the two are what the kernel reports; register last is waited for. */
static inline void clock_start(struct assembler *a) { asm_csrr(a, T0, CYCLE_CSR); }
static inline void clock_read(struct assembler *a, unsigned last)
{
	asm_add(a, T2, last, X0);
	asm_csrr(a, T1, CYCLE_CSR);
}
static inline void clock_tell(struct assembler *a)
{
	asm_sub(a, T0, T1, T0);
	asm_sd(a, T0, A1, 0);
	asm_exit(a);
}
static inline void clock_stop(struct assembler *a, unsigned last)
{
	clock_read(a, last);
	clock_tell(a);
}

/* What stands between the two is done passes times, so that its instructions are there the last time, which is told. */
static inline unsigned passes_begin(struct assembler *a, unsigned passes)
{
	asm_li(a, S1, passes);
	return a->count;
}
static inline void passes_end(struct assembler *a, unsigned begin)
{
	asm_addi(a, S1, S1, -1);
	asm_bnez(a, S1, begin);
}

void media(void);    /* timing_media.c */
void roofline(void); /* timing_roofline.c */
void instructions(void); /* timing_code.c */

#endif
