/* The report that GALENA_COUNTERS asks for, as text or JSON: the counters of devices and, where a driver tells them apart, of
 * kernels. For the driver and for programs that bring their own (galena/device.h). */
#ifndef GALENA_DRIVER_COUNTER_REPORT_H
#define GALENA_DRIVER_COUNTER_REPORT_H
#include "abi/bus.h"
#include "abi/registers.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* CNT_x registers lie side by side, 64 bits each; what a device counts has its place by the register's offset. */
enum { COUNTERS_MAX = 64 };
struct counter_values { uint64_t of[COUNTERS_MAX]; };
#define COUNTER_AT(offset) (((offset) - REG_HOST_CNT_LANE_INSNS) / 8)
#define COUNTER_VALUE(v, name) ((v)->of[COUNTER_AT(REG_HOST_CNT_##name)])
/* Reads them all, by the bus: it takes device time. */
void counters_sample(struct bus *, uint64_t of[COUNTERS_MAX]);

struct counter_row { /* of a kernel on a device */
	const char *name;
	uint64_t calls, cycles;
	const struct counter_values *values;
};

struct counter_report {
	FILE *file;
	bool json;
	unsigned devices; /* so far */
};
/* Whether a file of this name has JSON. */
bool counter_report_json(const char *name);
void counter_report_begin(struct counter_report *);
/* A device, in the order of their numbers; rows come as they are to stand. A device that has done nothing is left out of text. */
void counter_report_device(struct counter_report *, unsigned device, uint64_t cycles, const struct counter_values *,
			   const struct counter_row *rows, uint32_t num_rows);
/* The file stays open. */
void counter_report_end(struct counter_report *);

#endif
