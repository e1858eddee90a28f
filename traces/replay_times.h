/* The words in system memory that hold cycles: those of completion records, fault records and queue descriptors, whose places the driver
 * tells the device. */
#ifndef GALENA_TRACES_REPLAY_TIMES_H
#define GALENA_TRACES_REPLAY_TIMES_H
#include "traces/replay_memory.h"

struct replay_times {
	uint64_t *places;       /* bus addresses of completion records, by their hash; 0: free */
	size_t count, slots;
	uint64_t descs[1024], boots[16];
	unsigned num_descs, num_boots;
	uint64_t low[2];        /* the first halves of 64-bit registers */
};
/* A write of the host to a register. */
void replay_times_write(struct replay_times *, uint32_t offset, uint64_t value, unsigned bits);
/* Whether the byte at the bus address is one of a time, as the trace has memory now. */
bool replay_times_holds(struct replay_times *, const struct replay_memory *, uint64_t address);
void replay_times_free(struct replay_times *);

#endif
