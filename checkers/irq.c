/* IRQ_CAUSE. Each raised bit uses up one cause of it. Several events may belong to one cause (a fault of a unit, and the end of its
 * packet), so the checker may count too many causes, but never too few. Entries of the firmware's log, and packets of a firmware
 * without tracepoints, have no events: the checker ignores their bits. */
#include "checkers/check.h"
#include "abi/codes.h"
#include "abi/packets.h"
#include "abi/registers.h"
#include <string.h>

static const char *const bit_names[IRQ_BITS] = { "COMPLETE", "FAULT", "LOG", "BOOT", "CRASH", "SEM", "ECC", "QUEUE" };

/* The bits that the event is a cause of. */
static uint32_t caused_by(const struct event *e)
{
	enum { CRASHED = 3 };
	switch (e->kind) {
	case EVENT_PACKET_END:
		return ((e->c & PACKET_END) && (e->c & PACKET_IRQ) ? REG_HOST_IRQ_STATUS_COMPLETE : 0) |
		       (e->b ? REG_HOST_IRQ_STATUS_FAULT : 0);
	case EVENT_FAULT: return REG_HOST_IRQ_STATUS_FAULT;
	case EVENT_FW_STATE: return REG_HOST_IRQ_STATUS_BOOT;
	case EVENT_CP_STATE: return e->a == CRASHED ? REG_HOST_IRQ_STATUS_CRASH : 0;
	case EVENT_LOST: return REG_HOST_IRQ_STATUS_CRASH;
	case EVENT_SEM_WAKE: return e->queue >= EVENT_HOST_WAIT ? REG_HOST_IRQ_STATUS_SEM : 0;
	case EVENT_INJECTED:
		return e->a == INJECT_ECC_SINGLE || e->a == INJECT_ECC_DOUBLE ? REG_HOST_IRQ_STATUS_ECC : 0;
	case EVENT_QUEUE_STATE:
		return (e->a == QUEUE_FAULTED ? REG_HOST_IRQ_STATUS_QUEUE : 0) | REG_HOST_IRQ_STATUS_FAULT;
	case EVENT_MMIO_WRITE:
		return e->a - REG_HOST_QUEUE_CTRL < 4 * SHADOW_QUEUES ? REG_HOST_IRQ_STATUS_QUEUE : 0;
	}
	return 0;
}

static void bits_raised(struct check *c, const struct event *e)
{
	uint32_t hidden = REG_HOST_IRQ_STATUS_LOG |
			  (c->shadow.notes_packets ? 0 : REG_HOST_IRQ_STATUS_COMPLETE | REG_HOST_IRQ_STATUS_FAULT);
	for (unsigned bit = 0; bit < IRQ_BITS; bit++) {
		uint64_t *causes = &c->irq_causes[bit];
		if (!((uint32_t)e->a & ~hidden & 1u << bit))
			continue;
		check_looks(c, RULE_IRQ_CAUSE);
		if (*causes)
			--*causes;
		else
			check_broken(c, RULE_IRQ_CAUSE, e, 0, "%s is raised, and nothing has happened that it could be for",
				     bit_names[bit]);
	}
}

static void irq_event(struct check *c, const struct event *e)
{
	if (e->kind == EVENT_RESET) {
		memset(c->irq_causes, 0, sizeof c->irq_causes);
	} else if (e->kind == EVENT_IRQ_RAISE) {
		bits_raised(c, e);
	} else {
		uint32_t bits = caused_by(e);
		for (unsigned bit = 0; bit < IRQ_BITS; bit++)
			c->irq_causes[bit] += bits >> bit & 1;
	}
}

const struct checker irq_checker = {
	"irq", irq_event,
	{ EVENT_RESET, EVENT_IRQ_RAISE, EVENT_PACKET_END, EVENT_FAULT, EVENT_FW_STATE, EVENT_CP_STATE, EVENT_LOST,
	  EVENT_SEM_WAKE, EVENT_INJECTED, EVENT_QUEUE_STATE, EVENT_MMIO_WRITE },
};
