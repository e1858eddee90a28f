/* The watchdog: a dispatch of which no work-group has ended for longer than the host allows, and a transfer or media job that has moved
 * nothing for so long, are killed. The timer stands at the earliest deadline or before it, and is off when nothing runs, so that the device
 * can rest. A deadline that comes is put off by what the packet has done meanwhile. */
#include "firmware/firmware.h"

uint64_t watchdog_cycles;
static unsigned running;
static uint64_t timer;

static void timer_set(uint64_t at)
{
	timer = at;
	CP64(TIMER) = at;
}

static uint64_t deadline_after(uint64_t cycle)
{
	uint64_t at = cycle + watchdog_cycles;
	return at < cycle ? UINT64_MAX : at;
}

void watchdog_begin(struct queue *q)
{
	if (!watchdog_cycles || q->flags & PACKET_PATIENT)
		return;
	q->alive = cycle_now();
	q->moved = 0;
	q->deadline = deadline_after(q->alive);
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

/* Looks what the packet has done since it was last looked at. While it waits for a place it can do nothing. */
static void progress_look(size_t n, uint64_t now)
{
	struct queue *q = &queues[n];
	uint64_t since = CP64N(SLOT_SINCE, n);
	if (!since)
		q->alive = now;
	else if (since > q->alive)
		q->alive = since;
	if (q->state == RUN_DISPATCH) {
		uint64_t last = CP64N(DISPATCH_LAST, n);
		if (last > q->alive)
			q->alive = last;
	} else {
		uint64_t moved = q->state == RUN_MEDIA ? CP64N(MEDIA_PROGRESS, n) : CP64N(DMA_PROGRESS, n);
		if (moved != q->moved) {
			q->moved = moved;
			q->alive = now;
		}
	}
	q->deadline = deadline_after(q->alive);
}

void watchdog_expired(void)
{
	uint64_t now = cycle_now(), first = 0;
	for (size_t n = 0; n < REG_QUEUES; n++) {
		struct queue *q = &queues[n];
		if (!q->deadline || q->timed_out)
			continue;
		if (q->deadline <= now)
			progress_look(n, now);
		if (q->deadline <= now) {
			q->timed_out = true;
			command_abort(n);
		} else if (!first || q->deadline < first) {
			first = q->deadline;
		}
	}
	timer_set(first);
}
