/* The report that GALENA_COUNTERS asks for, as text or JSON: the counters of devices and, where a driver tells them apart, of
 * kernels. */
#ifndef GALENA_TRACES_COUNTER_REPORT_H
#define GALENA_TRACES_COUNTER_REPORT_H
#include "abi/counters.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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
/* A device, in the order of their numbers; rows come in the order of the report. A device that has done nothing is left out of text. */
void counter_report_device(struct counter_report *, unsigned device, uint64_t cycles, const struct counter_values *,
			   const struct counter_row *rows, uint32_t num_rows);
/* The file stays open. */
void counter_report_end(struct counter_report *);

#endif
