/* What tests of the driver's requests (kmd.h) share. */
#ifndef GALENA_TESTBENCH_DRIVER_REQUESTS_H
#define GALENA_TESTBENCH_DRIVER_REQUESTS_H
#include "runtime/kmd/kmd.h"

/* Waits, and takes the completions of a file without a completion thread. *status: of the last command that has ended meanwhile. */
static inline int request_wait(int file, unsigned flags, uint32_t fence, uint64_t value, int32_t *status)
{
	struct kmd_event events[KMD_EVENTS_MAX];
	struct kmd_wait w = { .flags = flags, .fence = fence, .value = value, .events = (uintptr_t)events };
	int result;
	while ((result = kmd_ioctl(file, KMD_WAIT, &w)) == KMD_EVENTS)
		for (unsigned i = 0; i < w.num_events; i++)
			*status = events[i].completion.status;
	return result;
}

#endif
