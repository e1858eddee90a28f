/* The watchdog: a dispatch that runs longer than the host allows is killed. */
#include "firmware/firmware.h"

uint64_t watchdog_cycles;

void watchdog_arm(void)
{
	uint64_t first = 0;
	for (size_t n = 0; n < REG_QUEUES; n++) {
		const struct queue *q = &queues[n];
		if (q->state == RUN_DISPATCH && q->deadline && (!first || q->deadline < first))
			first = q->deadline;
	}
	CP64(TIMER) = first;
}

void watchdog_expired(void)
{
	uint64_t now = cycle_now();
	for (size_t n = 0; n < REG_QUEUES; n++) {
		struct queue *q = &queues[n];
		if (q->state != RUN_DISPATCH || !q->deadline || q->deadline > now)
			continue;
		q->timed_out = true;
		q->deadline = 0;
		CP32(DISPATCH_ABORT) = n;
	}
	watchdog_arm();
}
