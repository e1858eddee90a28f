/* What the parts of bench/timing share: a device, memory on it, rows of the table. */
#ifndef GALENA_BENCH_TIMING_H
#define GALENA_BENCH_TIMING_H
#include "abi/device_config.h"
#include "runtime/umd/umd.h"
#include <stdio.h>

enum { DATA_BYTES = 32 << 20 };

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

struct assembler;
/* The first instructions of a kernel: a0 is the argument block, a1 the results, a2 data, a3 extra. */
void begin(struct assembler *);
/* In groups of local: a2 becomes where the work-item finds its 8 bytes, beside its neighbours'. */
void places(struct assembler *, uint16_t local);
/* Runs a kernel over items work-items in groups of local. Returns the cycles that the command took. */
uint64_t launch(const struct assembler *, uint32_t items, uint16_t local, uint32_t local_bytes, uint64_t data, uint64_t extra);

void media(void);    /* timing_media.c */
void roofline(void); /* timing_roofline.c */

#endif
