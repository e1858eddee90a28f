/* The watchdog: a dispatch or a transfer that runs longer than the host allows is killed. The timer stands at the
 * earliest deadline or before it, and is off when nothing runs, so that the device can rest. */
#include "firmware/firmware.h"

uint64_t watchdog_cycles;
static unsigned running;
static uint64_t timer;

static void timer_set(uint64_t at)
{
	timer = at;
	CP64(TIMER) = at;
}

void watchdog_begin(struct queue *q)
{
	q->deadline = cycle_now() + watchdog_cycles;
	running++;
	if (!timer || q->deadline < timer)
		timer_set(q->deadline);
}

void watchdog_end(struct queue *q)
{
	q->deadline = 0;
	if (!--running)
		timer_set(0);
}

void watchdog_expired(void)
{
	uint64_t now = cycle_now(), first = 0;
	for (size_t n = 0; n < REG_QUEUES; n++) {
		struct queue *q = &queues[n];
		if (!q->deadline || q->timed_out)
			continue;
		if (q->deadline <= now) {
			q->timed_out = true;
			command_abort(n);
		} else if (!first || q->deadline < first) {
			first = q->deadline;
		}
	}
	timer_set(first);
}
