/* PROT_FLOW: what happened; PROT_ASKED: what the protection unit did not let happen. */
#include "testbench/checkers/check.h"
#include "abi/codes.h"
#include <inttypes.h>

static void protection_event(struct check *c, const struct event *e)
{
	static const char *const asks[] = { "to read", "to write", "to execute", "to change" };
	if (e->kind == EVENT_VIOLATION) {
		check_looks(c, RULE_PROT_ASKED);
		check_broken(c, RULE_PROT_ASKED, e, e->a, "%s, %s, asks %s 0x%" PRIx64 ", and is refused", unit_name(e->unit),
			     e->c ? "for a protected job" : "not protected", asks[e->b & 3], e->a);
		return;
	}
	bool walk = e->kind == EVENT_WALK_READ, protected_job = !walk && scene_protected_job(&c->scene, e);
	uint64_t pa = walk ? e->a : e->b, bytes = walk ? 8 : e->c;
	bool any = scene_any_protected(&c->scene, pa, bytes);
	if (protected_job && check_writes(e)) {
		check_looks(c, RULE_PROT_FLOW);
		if (!scene_all_protected(&c->scene, pa, bytes))
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
	{ EVENT_READ, EVENT_WRITE, EVENT_ATOMIC, EVENT_FETCH, EVENT_WALK_READ, EVENT_VIOLATION },
};
