/* BUFFER_ENDED. An access that faults because the buffer is not mapped any more counts, too. */
#include "checkers/check.h"
#include "abi/codes.h"
#include <inttypes.h>

static void buffer_event(struct check *c, const struct event *e)
{
	const struct shadow_buffer *b;
	if (!c->shadow.notes_buffers || !e->a || !e->asid || !(b = shadow_buffer(&c->shadow, e->asid, e->a)))
		return;
	check_looks(c, RULE_BUFFER_ENDED);
	if (!b->live)
		check_broken(c, RULE_BUFFER_ENDED, e, e->a, "%s %s 0x%" PRIx64 " in the buffer at 0x%" PRIx64
			     ", which ended at cycle %" PRIu64, unit_name(e->unit),
			     e->kind == EVENT_FAULT ? "faults at" : check_verb(e), e->a, b->va, b->ended);
}

const struct checker buffer_checker = {
	"buffer", buffer_event, { EVENT_READ, EVENT_WRITE, EVENT_ATOMIC, EVENT_FETCH, EVENT_FAULT },
};
