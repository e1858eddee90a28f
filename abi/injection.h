/* Faults to inject, as GALENA_INJECT and `galena run --inject` give them: NAME[,nth=N][,unit=N][,arg=N][,device=N], separated
 * by blanks. injections.def has the names. */
#ifndef GALENA_ABI_INJECTION_H
#define GALENA_ABI_INJECTION_H
#include "abi/codes.h"
#include "abi/constants.h"
#include <stdbool.h>
#include <stdint.h>

enum { INJECTION_ANY_UNIT = REG_INJECT_ANY, INJECTION_DEVICES = 16 };

struct injection_request {
	uint32_t kind, nth, unit;
	uint64_t arg;
	unsigned device;
	const char *text; /* as it was given, length bytes */
	int length;
};

/* Reads the request at *text and steps behind it. 1: a request; 0: there is none left; -1: *error is one line about it. */
int injection_next(const char **text, struct injection_request *, const char **error);
/* NULL when all of text can be read, and names no fault twice for a device; else what is wrong. Valid until the thread's next call. */
const char *injection_wrong(const char *text);

#endif
