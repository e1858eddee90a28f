#include "model/mem/reservations.h"

enum { SEVERAL = 2 };

void reservations_init(struct reservations *r, const struct device_config *c)
{
	*r = (struct reservations){ .line_shift = (uint32_t)__builtin_ctz(c->line_bytes), .last = c->reservation_lines - 1 };
}

static struct reservation_entry *entry_of(struct reservations *r, uint64_t line) { return &r->entry[line & r->last]; }

static void entry_end(struct reservations *r, struct reservation_entry *e)
{
	e->lines = 0;
	e->version++;
	r->live--;
}

void reservations_reset(struct reservations *r)
{
	for (uint32_t i = 0; i <= r->last; i++)
		if (r->entry[i].lines)
			entry_end(r, &r->entry[i]);
}

uint32_t reservations_reserve(struct reservations *r, uint64_t address)
{
	const uint64_t line = address >> r->line_shift;
	struct reservation_entry *e = entry_of(r, line);

	if (!e->lines) {
		e->lines = 1;
		e->line = line;
		r->live++;
	} else if (e->line != line) {
		e->lines = SEVERAL;
	}
	return e->version;
}

bool reservations_hold(const struct reservations *r, uint64_t address, uint32_t version)
{
	return entry_of((struct reservations *)r, address >> r->line_shift)->version == version;
}

void reservations_end(struct reservations *r, uint64_t address, uint64_t bytes)
{
	const uint64_t first = address >> r->line_shift, last = (address + bytes - 1) >> r->line_shift;

	/* each entry once, where the lines are more than that */
	for (uint64_t i = 0; i <= last - first && i <= r->last; i++) {
		struct reservation_entry *e = entry_of(r, first + i);

		if (e->lines == SEVERAL || (e->lines && e->line >= first && e->line <= last))
			entry_end(r, e);
	}
}
