/* RING_OVERRUN, RING_BACKWARDS, QUEUE_SPACE. The driver notes which ring a queue has. The checker knows nothing of a queue without such
 * a note. */
#include "checkers/check.h"
#include "abi/codes.h"
#include <inttypes.h>
#include <string.h>

static void doorbell_write(struct check *c, const struct event *e, const struct shadow_queue *q)
{
	uint64_t last = c->queue.doorbell[e->queue];
	bool written = c->queue.written[e->queue];
	if (!written && !e->a)
		return; /* the driver clears the doorbell before it binds the queue */
	/* the checker knows the packets that have ended at the binding, and later if the firmware notes them */
	if (!written || c->shadow.notes_packets)
		check_looks(c, RULE_RING_OVERRUN);
	if ((!written || c->shadow.notes_packets) && e->a > q->read && e->a - q->read > q->packets)
		check_broken(c, RULE_RING_OVERRUN, e, q->desc, "the doorbell is written with %" PRIu64 "; %" PRIu64
			     " packets have run and the ring holds %" PRIu64, e->a, q->read, q->packets);
	if (written)
		check_looks(c, RULE_RING_BACKWARDS);
	if (e->a < (written && last > q->read ? last : q->read))
		check_broken(c, RULE_RING_BACKWARDS, e, q->desc, "the doorbell is written with %" PRIu64 " after %" PRIu64
			     ", when %" PRIu64 " packets have run", e->a, last, q->read);
	c->queue.doorbell[e->queue] = e->a;
	c->queue.written[e->queue] = true;
}

static void queue_event(struct check *c, const struct event *e)
{
	const struct shadow_queue *q = shadow_queue(&c->shadow, e);
	if (e->kind == EVENT_RESET)
		memset(&c->queue, 0, sizeof c->queue);
	if (!q)
		return;
	if (e->kind == EVENT_QUEUE_BIND)
		c->queue.written[e->queue] = false;
	if (!q->bound)
		return;
	if (e->kind == EVENT_DOORBELL) {
		doorbell_write(c, e, q);
	} else if (e->kind != EVENT_QUEUE_BIND && e->kind != EVENT_RESET && (e->a || e->asid)) { /* not by physical address */
		check_looks(c, RULE_QUEUE_SPACE);
		if (e->asid != q->asid)
			check_broken(c, RULE_QUEUE_SPACE, e, e->a, "%s works in address space %u; the queue has %u since cycle %"
				     PRIu64, unit_name(e->unit), e->asid, q->asid, q->bound_at);
	}
}

const struct checker queue_checker = {
	"queue", queue_event,
	{ EVENT_RESET, EVENT_QUEUE_BIND, EVENT_DOORBELL, EVENT_READ, EVENT_WRITE, EVENT_ATOMIC, EVENT_FETCH,
	  EVENT_DMA_START, EVENT_DISPATCH },
};
