/* PIN_ACCESS. An access counts when a unit asks for it. The device refuses an access to a page that is not pinned with BUS_ERROR; the
 * software that caused it has broken the rule in any case. */
#include "checkers/check.h"
#include "abi/address_map.h"
#include "abi/codes.h"
#include <inttypes.h>

static const char *const states[] = { "never pinned", "no longer pinned", "pinned for reading only", "pinned" };

static void page_check(struct check *c, const struct event *e, uint64_t pa, bool write, const char *verb)
{
	enum shadow_pin pin = shadow_pin(&c->shadow, pa);
	check_looks(c, RULE_PIN_ACCESS);
	if (pin >= (write ? PIN_WRITE : PIN_READ))
		return;
	c->pins.page = pa / SHADOW_PAGE;
	c->pins.unit = e->unit;
	check_broken(c, RULE_PIN_ACCESS, e, pa, "%s %s page 0x%" PRIx64 ", which is %s", unit_name(e->unit), verb,
		     pa / SHADOW_PAGE * SHADOW_PAGE, states[pin]);
}

static void pins_event(struct check *c, const struct event *e)
{
	if (!c->shadow.notes_pins)
		return;
	if (e->kind == EVENT_FAULT) {
		/* a refused access: the page table gives its page; a unit without page table names the page itself */
		const struct shadow_entry *entry = shadow_entry(&c->shadow, e->asid, e->a);
		uint64_t pa = entry ? shadow_address(entry, e->a) : e->asid ? 0 : e->a;
		if (e->b != FAULT_BUS_ERROR || pa < SYSTEM_BASE || pa == UINT64_MAX)
			return;
		if (c->pins.page == pa / SHADOW_PAGE && c->pins.unit == e->unit)
			c->pins.page = 0; /* the access itself was reported already */
		else
			page_check(c, e, pa, e->c == ACCESS_WRITE || e->c == ACCESS_ATOMIC, "is refused");
		return;
	}
	bool walk = e->kind == EVENT_WALK_READ;
	uint64_t pa = walk ? e->a : e->b, bytes = walk ? 8 : e->c;
	if (pa < SYSTEM_BASE || !bytes)
		return;
	for (uint64_t page = pa / SHADOW_PAGE; page <= (pa + bytes - 1) / SHADOW_PAGE; page++)
		page_check(c, e, page * SHADOW_PAGE > pa ? page * SHADOW_PAGE : pa, check_writes(e), check_verb(e));
}

const struct checker pins_checker = {
	"pins", pins_event, { EVENT_READ, EVENT_WRITE, EVENT_ATOMIC, EVENT_FETCH, EVENT_WALK_READ, EVENT_FAULT },
};
