/* PROT_FLOW: what happened; PROT_ASKED: what the protection unit did not let happen. It does not know
 * whose job it was; the fault of the unit, which follows, says so. */
#include "checkers/check.h"
#include "abi/codes.h"
#include <inttypes.h>

static void asked_tell(struct check *c, const struct event *whose, const struct event *asked)
{
	static const char *const asks[] = { "to read", "to write", "to execute", "to change" };
	struct event e = *asked;
	e.queue = whose->queue;
	e.asid = whose->asid;
	check_broken(c, RULE_PROT_ASKED, &e, e.a, "%s, %s, asks %s 0x%" PRIx64 ", and is refused", unit_name(e.unit),
		     e.c ? "for a protected job" : "not protected", asks[e.b & 3], e.a);
}

void protection_finish(struct check *c)
{
	for (unsigned i = 0; i < UNITS; i++) {
		if (c->protection[i].pending)
			asked_tell(c, &c->protection[i].asked, &c->protection[i].asked);
		c->protection[i].pending = false;
	}
}

static void asked(struct check *c, const struct event *e)
{
	unsigned unit = e->unit % UNITS;
	struct event *before = &c->protection[unit].asked;
	bool pending = c->protection[unit].pending;
	if (e->kind == EVENT_FAULT) {
		if (pending && e->b == FAULT_PROTECTED) {
			asked_tell(c, e, before);
			c->protection[unit].pending = false;
		}
		return;
	}
	if (pending)
		asked_tell(c, before, before);
	check_looks(c, RULE_PROT_ASKED);
	*before = *e;
	c->protection[unit].pending = e->unit >= UNIT_DMA && e->queue == EVENT_NO_QUEUE;
	if (!c->protection[unit].pending)
		asked_tell(c, e, e);
}

static void protection_event(struct check *c, const struct event *e)
{
	if (e->kind == EVENT_VIOLATION || e->kind == EVENT_FAULT) {
		asked(c, e);
		return;
	}
	bool walk = e->kind == EVENT_WALK_READ, protected_job = !walk && shadow_protected_job(&c->shadow, e);
	uint64_t pa = walk ? e->a : e->b, bytes = walk ? 8 : e->c;
	bool any = shadow_any_protected(&c->shadow, pa, bytes);
	if (protected_job && check_writes(e)) {
		check_looks(c, RULE_PROT_FLOW);
		if (!shadow_all_protected(&c->shadow, pa, bytes))
			check_broken(c, RULE_PROT_FLOW, e, pa, "a protected job %s %" PRIu64
				     " bytes at 0x%" PRIx64 " that are not all protected", check_verb(e), bytes, pa);
	} else if (any) {
		check_looks(c, RULE_PROT_FLOW);
		if (!protected_job)
			check_broken(c, RULE_PROT_FLOW, e, pa, "%s, not protected, %s protected memory at 0x%" PRIx64,
				     unit_name(e->unit), check_verb(e), pa);
	}
}

const struct checker protection_checker = {
	"protection", protection_event,
	{ EVENT_READ, EVENT_WRITE, EVENT_ATOMIC, EVENT_FETCH, EVENT_WALK_READ, EVENT_VIOLATION, EVENT_FAULT },
};
