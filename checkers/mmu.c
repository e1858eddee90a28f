/* TLB_OLD, by the page-table changes that the driver notes. Without a note the translation is not known. */
#include "checkers/check.h"
#include "abi/codes.h"
#include "abi/pte.h"
#include <inttypes.h>

static uint64_t right_of(const struct event *e)
{
	return e->kind == EVENT_FETCH ? PTE_X : check_writes(e) ? PTE_W : PTE_R;
}

static void mmu_event(struct check *c, const struct event *e)
{
	if (!c->shadow.notes_maps || !e->a || !e->asid)
		return;
	const struct shadow_entry *entry = shadow_entry(&c->shadow, e->asid, e->a);
	if (!entry)
		return; /* a part of the address space that the driver does not note */
	check_looks(c, RULE_TLB_OLD);
	uint64_t pa = shadow_address(entry, e->a);
	bool lost_right = entry->pte && pa == e->b && !(entry->pte & right_of(e));
	if (pa == e->b && !lost_right)
		return;
	const char *whose = shadow_invalidated(&c->shadow, entry, e->asid) ? "the old translation was invalidated since"
									 : "and the old one was not invalidated";
	if (!entry->pte)
		check_broken(c, RULE_TLB_OLD, e, e->a, "%s %s 0x%" PRIx64 " at 0x%" PRIx64
			     "; the page is not mapped since cycle %" PRIu64 ", %s", unit_name(e->unit), check_verb(e), e->a,
			     e->b, entry->cycle, whose);
	else if (lost_right)
		check_broken(c, RULE_TLB_OLD, e, e->a, "%s %s 0x%" PRIx64
			     ", which its page table does not allow since cycle %" PRIu64 ", %s", unit_name(e->unit),
			     check_verb(e), e->a, entry->cycle, whose);
	else
		check_broken(c, RULE_TLB_OLD, e, e->a, "%s %s 0x%" PRIx64 " at 0x%" PRIx64
			     "; the page table says 0x%" PRIx64 " since cycle %" PRIu64 ", %s", unit_name(e->unit),
			     check_verb(e), e->a, e->b, pa, entry->cycle, whose);
}

const struct checker mmu_checker = { "mmu", mmu_event, { EVENT_READ, EVENT_WRITE, EVENT_ATOMIC, EVENT_FETCH } };
