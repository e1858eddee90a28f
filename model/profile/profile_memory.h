/* The memory that a profile is kept in: a file that others can read, so that what is counted outlives the process, however it ends. It
 * grows in pieces, which stay where they are; who reads the file finds by the table at its beginning what an address in it means. */
#ifndef GALENA_MODEL_PROFILE_MEMORY_H
#define GALENA_MODEL_PROFILE_MEMORY_H
#include "abi/counters.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROFILE_PIECES = 24, PROFILE_CONFIG_BYTES = 1024 };

/* What the file begins with. */
struct profile_head {
	_Atomic uint32_t num_pieces;
	uint32_t index; /* of the device */
	struct { uint64_t address, size, offset; } piece[PROFILE_PIECES]; /* in the process; in the file */
	struct profile *profile; /* NULL: not made yet */
	char config[PROFILE_CONFIG_BYTES];
	uint64_t cycles; /* as of the last access */
	struct counter_values counters;
};

struct profile_memory;
/* path: a new file, which is there and empty; NULL: memory of this process alone. NULL with errno. */
struct profile_memory *profile_memory_open(const char *path);
struct profile_head *profile_memory_head(struct profile_memory *);
/* Zeros; they stay until the memory is closed. NULL: there is no more. */
void *profile_memory_take(struct profile_memory *, size_t);
/* The file stays. */
void profile_memory_close(struct profile_memory *);

#endif
