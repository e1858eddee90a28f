/* Lists of pinned pages: ranges of contiguous page frame numbers. One range needs no memory of its own. */
#include "runtime/kmd/driver.h"
#include <stdlib.h>

bool pin_list_reserve(struct pin_list *l, uint64_t ranges)
{
	if (ranges <= 1 || l->room >= ranges)
		return true;
	struct pin_range *many = realloc(l->many, ranges * sizeof *many);
	if (!many)
		return false;
	if (!l->many && l->count)
		many[0] = l->one;
	l->many = many;
	l->room = (uint32_t)ranges;
	return true;
}

bool pin_list_add(struct pin_list *l, struct pin_range r)
{
	struct pin_range *ranges = l->many ? l->many : &l->one, *last = l->count ? &ranges[l->count - 1] : NULL;
	if (last && last->rights == r.rights && last->number + last->count == r.number) {
		last->count += r.count;
		return true;
	}
	if (l->count && l->count >= l->room && !pin_list_reserve(l, 2 * (uint64_t)l->count))
		return false;
	(l->many ? l->many : &l->one)[l->count++] = r;
	return true;
}

void pin_list_free(struct pin_list *l)
{
	free(l->many);
	*l = (struct pin_list){ 0 };
}

uint32_t pin_list_number(struct pin_cursor *c, uint64_t page)
{
	const struct pin_range *ranges = pin_list_ranges(c->list);
	if (page < c->first)
		c->at = 0, c->first = 0;
	while (page - c->first >= ranges[c->at].count)
		c->first += ranges[c->at++].count;
	return ranges[c->at].number + (uint32_t)(page - c->first);
}
