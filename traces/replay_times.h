/* The words in system memory that hold cycles: those of completion records, fault records and queue descriptors, whose places the driver
 * tells the device. */
#ifndef GALENA_TRACES_REPLAY_TIMES_H
#define GALENA_TRACES_REPLAY_TIMES_H
#include "base/table.h"
#include "traces/replay_memory.h"

struct replay_times {
	struct table words;     /* bus addresses of those that are known, + 1 */
	uint64_t descs[64], boots[16]; /* of queues and devices, the latest last */
	unsigned num_descs, num_boots;
	uint64_t other; /* address that is none, as memory is now; UINT64_MAX: not known */
	uint64_t low[2];        /* the first halves of 64-bit registers */
};
/* A write of the host to a register. */
void replay_times_write(struct replay_times *, uint32_t offset, uint64_t value, unsigned bits);
/* The trace has changed memory. */
static inline void replay_times_renew(struct replay_times *t) { t->other = UINT64_MAX; }
/* Whether the byte at the bus address is one of a time, as the trace has memory now. Packets that ended some time ago are looked
 * for only if all is set: that takes longer. */
bool replay_times_holds(struct replay_times *, const struct replay_memory *, uint64_t address, bool all);
void replay_times_free(struct replay_times *);

#endif
