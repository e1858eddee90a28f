/* What the application is told of a command that a fault has ended. */
#ifndef GALENA_RUNTIME_OPENCL_FAULT_TEXT_H
#define GALENA_RUNTIME_OPENCL_FAULT_TEXT_H
#include "runtime/kmd/kmd.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fault_told {
	const char *kernel;                /* its name; NULL: the command is no kernel */
	const char *place;                 /* "program.cl:3", of the instruction; NULL: not known */
	bool is_protected;                 /* the command is: what the device reports of its kernels has no address */
	int code;                          /* enum fault */
	const struct fault_record *record; /* NULL: the device wrote none */
	const struct kmd_import *import;   /* UNMAPPED: which one; NULL: not known */
	uint64_t watchdog, cycles;         /* what the watchdog allows; how long the command ran */
};

/* One line, cut at size. */
void fault_describe(char *text, size_t size, const struct fault_told *);

#endif
