/* How a recorded program ended. */
#ifndef GALENA_TRACES_PROGRAM_END_H
#define GALENA_TRACES_PROGRAM_END_H
#include <stdint.h>

enum program_end_kind {
	PROGRAM_DONE,   /* it closed its devices, or ended by exit() */
	PROGRAM_STATUS, /* it ended without exit(), by _exit() or the like: the status */
	PROGRAM_SIGNAL, /* the number of the signal */
	PROGRAM_EXEC,   /* it became another program */
	PROGRAM_LOST,   /* it is gone; the system did not say how */
	PROGRAM_END_KINDS
};

/* The last record of a file holds it as one number: kind, above it the value. */
static inline uint64_t program_end(enum program_end_kind kind, unsigned value) { return (uint64_t)kind | (uint64_t)value << 8; }
/* "program ended by signal 11 (Segmentation fault)"; "" for PROGRAM_DONE; NULL: no such end. The thread's until its next call. */
const char *program_end_text(uint64_t end);

#endif
