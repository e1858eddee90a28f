#include "model/inject.h"
#include <string.h>

void inject_init(struct inject *i, struct event_sink *events)
{
	memset(i, 0, sizeof(*i));
	i->events = events;
}

void inject_reset(struct inject *i)
{
	struct event_sink *asked = i->asked;

	inject_init(i, i->events);
	i->asked = asked;
}

static void tell(struct inject *i, const struct event *e)
{
	EVENT_SEND(i->events, .cycle = e->cycle, .kind = e->kind, .unit = e->unit, .queue = e->queue, .a = e->a, .b = e->b, .c = e->c);
	if (i->asked)
		i->asked->event(i->asked, e);
}

void inject_arm(struct inject *i, uint32_t kind, uint32_t nth, uint32_t unit, uint64_t arg, uint64_t cycle)
{
	if (kind >= INJECT_KINDS)
		return;
	if (!kind) {
		i->armed = 0;
		return;
	}
	i->kind[kind].left = nth ? nth : 1;
	i->kind[kind].unit = unit;
	i->kind[kind].arg = arg;
	i->armed |= 1u << kind;
	tell(i, &(struct event){ .cycle = cycle, .kind = EVENT_INJECT, .unit = UNIT_HOST, .queue = EVENT_NO_QUEUE, .a = kind, .b = nth,
				 .c = arg });
}

void inject_now(struct inject *i, enum injection kind, unsigned unit, uint64_t address, uint64_t cycle)
{
	i->armed &= ~(1u << kind);
	i->happened++;
	tell(i, &(struct event){ .cycle = cycle, .kind = EVENT_INJECTED, .unit = (uint16_t)unit, .queue = EVENT_NO_QUEUE, .a = kind,
				 .b = address });
}

bool inject_count(struct inject *i, enum injection kind, unsigned unit, uint64_t address, uint64_t cycle)
{
	if (i->kind[kind].unit != INJECT_ANY_UNIT && i->kind[kind].unit != unit)
		return false;
	if (--i->kind[kind].left)
		return false;
	inject_now(i, kind, unit, address, cycle);
	return true;
}
