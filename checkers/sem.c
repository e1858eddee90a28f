/* SEM_PAYLOAD, SEM_SKIPPED. A wait that ends with a fault (its payload cannot be read) ends
 * without its signal, and its event has the fault. */
#include "checkers/check.h"
#include "abi/packets.h"
#include <inttypes.h>
#include <string.h>

enum { BINARY = 1 };

/* Queues 0 to 15, then the host's slots. */
static struct sem_waiter *waiter_of(struct check *c, unsigned queue)
{
	if (queue < SHADOW_QUEUES)
		return &c->sem.waiter[queue];
	unsigned host = queue - EVENT_HOST_WAIT;
	return queue >= EVENT_HOST_WAIT && host < SEM_WAITERS - SHADOW_QUEUES ? &c->sem.waiter[SHADOW_QUEUES + host] : NULL;
}

static void wake(struct check *c, const struct event *e, struct sem_waiter *w)
{
	if (e->queue < SHADOW_QUEUES)
		c->sem.woken[e->queue] = true;
	if (e->c) { /* with a fault, which the waiter learns */
		w->armed = false;
		return;
	}
	check_looks(c, RULE_SEM_PAYLOAD);
	if (!w->armed)
		check_broken(c, RULE_SEM_PAYLOAD, e, e->a, "a wait ends that was not armed");
	else if (w->address != e->a)
		check_broken(c, RULE_SEM_PAYLOAD, e, e->a, "the wait that ends is for the payload at 0x%" PRIx64, w->address);
	else if (w->mode == BINARY && !e->b)
		check_broken(c, RULE_SEM_PAYLOAD, e, e->a, "a binary wait ends while its payload is 0");
	else if (w->mode != BINARY && e->b < w->value)
		check_broken(c, RULE_SEM_PAYLOAD, e, e->a, "a wait for payload %" PRIu64 " ends at payload %" PRIu64, w->value,
			     e->b);
	w->armed = false;
}

static void sem_event(struct check *c, const struct event *e)
{
	struct sem_waiter *w = waiter_of(c, e->queue);
	const struct shadow_queue *q = shadow_queue(&c->shadow, e);
	switch (e->kind) {
	case EVENT_RESET:
		memset(&c->sem, 0, sizeof c->sem);
		break;
	case EVENT_SEM_WAIT:
		if (w)
			*w = (struct sem_waiter){ e->a, e->b, e->c, true };
		break;
	case EVENT_SEM_WAKE:
		if (w)
			wake(c, e, w);
		break;
	case EVENT_PACKET:
		if (q)
			c->sem.woken[e->queue] = false;
		break;
	case EVENT_PACKET_END:
		if (!q || !q->in_packet || q->type != PACKET_CODE_sem_wait || e->a != q->packet || e->b)
			break;
		check_looks(c, RULE_SEM_SKIPPED);
		if (!c->sem.woken[e->queue])
			check_broken(c, RULE_SEM_SKIPPED, e, w->address, w->armed ? "the wait packet ends while its wait stands"
									: "the wait packet ends without a wait");
		break;
	}
}

const struct checker sem_checker = {
	"sem", sem_event, { EVENT_RESET, EVENT_SEM_WAIT, EVENT_SEM_WAKE, EVENT_PACKET, EVENT_PACKET_END },
};
