/* What a device reports that is a failure of the program: a command that ended with a fault, a queue that was given up, a device
 * that is lost. Page faults that are replayed are none, nor are commands that a reset of their queue ended. */
#ifndef GALENA_ABI_FAILURES_H
#define GALENA_ABI_FAILURES_H
#include "abi/codes.h"
#include "abi/events.h"
#include "abi/packets.h"
#include "abi/registers.h"

/* Its fault code; FAULT_NONE: none. Words as the event has them. What only follows from another failure has none of its own. */
static inline enum fault event_failure(unsigned kind, uint64_t a, uint64_t b, uint64_t c)
{
	switch (kind) {
	case EVENT_PACKET_END:
		return c & PACKET_END && b != FAULT_DEPENDENCY && b != FAULT_ABORTED ? (enum fault)b : FAULT_NONE;
	case EVENT_QUEUE_STATE:
		return a == QUEUE_ERROR ? FAULT_QUEUE : FAULT_NONE;
	case EVENT_LOST:
		return (enum fault)a;
	default:
		return FAULT_NONE;
	}
}

#endif
