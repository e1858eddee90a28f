#include "model/cu/l1_data.h"
#include "model/cu/cu.h"
#include <stdlib.h>
#include <string.h>

struct l1_data {
	uint8_t *bytes;                       /* of each place of the cache a line */
	/* the load in progress, by line of the coalescer */
	uint8_t *lines;                       /* what they held when they were looked up */
	uint8_t *replaced;                    /* the bytes of what they are in place of */
	enum { NOT_LOOKED_UP, HIT, MISS } state[ACCESS_LINES];
	/* for a load that faults: what there was, in the order of the look-ups */
	struct { size_t place; uint64_t tag, used; uint32_t line; } before[ACCESS_LINES];
	uint32_t looked_up;
};

bool l1_data_create(struct l1 *l1)
{
	const size_t line = l1->line_bytes;
	struct l1_data *d = calloc(1, sizeof(*d));

	l1->data = d;
	if (!d)
		return false;
	d->bytes = calloc((l1->last_set + 1) * l1->stride, line);
	d->lines = calloc(ACCESS_LINES, line);
	d->replaced = calloc(ACCESS_LINES, line);
	return d->bytes && d->lines && d->replaced;
}

void l1_data_destroy(struct l1 *l1)
{
	struct l1_data *d = l1->data;

	if (!d)
		return;
	free(d->bytes);
	free(d->lines);
	free(d->replaced);
	free(d);
	l1->data = NULL;
}

/* Where a line is; false: it is not there. */
static bool place_of(const struct l1 *l1, uint64_t line, size_t *place)
{
	const size_t set = (size_t)(line & l1->last_set) * l1->stride;

	for (*place = set; *place < set + l1->ways; ++*place)
		if (l1->tag[*place] == line + 1)
			return true;
	return false;
}

/* The way of the set that a line which is brought in takes. */
static size_t place_for(const struct l1 *l1, uint64_t line)
{
	const size_t set = (size_t)(line & l1->last_set) * l1->stride;
	size_t least = set;

	for (size_t i = set + 1; i < set + l1->ways; i++)
		if (l1->used[i] < l1->used[least])
			least = i;
	return least;
}

static enum fault look_up(struct cu *cu, uint32_t i)
{
	struct l1 *l1 = &cu->l1;
	struct l1_data *d = l1->data;
	const size_t bytes = l1->line_bytes;
	const uint64_t line = cu->coalescer.lines[i];
	size_t place;
	const bool hit = place_of(l1, line, &place);

	if (!hit) {
		physmem_by(cu->mem, cu->unit, cu->now);
		enum fault f = physmem_read_line(cu->mem, line * bytes, d->lines + i * bytes, bytes);
		if (f)
			return f;
		place = place_for(l1, line);
		memcpy(d->replaced + i * bytes, d->bytes + place * bytes, bytes);
		memcpy(d->bytes + place * bytes, d->lines + i * bytes, bytes);
	} else {
		memcpy(d->lines + i * bytes, d->bytes + place * bytes, bytes);
	}
	d->state[i] = hit ? HIT : MISS;
	d->before[d->looked_up].place = place;
	d->before[d->looked_up].tag = l1->tag[place];
	d->before[d->looked_up].used = l1->used[place];
	d->before[d->looked_up++].line = i;
	l1_lookup(l1, line, true);
	return FAULT_NONE;
}

enum fault l1_data_load(struct cu *cu, uint64_t pa, uint8_t *data, unsigned n)
{
	const struct l1 *l1 = &cu->l1;
	const struct coalescer *c = &cu->coalescer;
	unsigned part;

	for (; n; n -= part, pa += part, data += part) {
		const uint32_t offset = (uint32_t)(pa & (l1->line_bytes - 1));
		uint32_t i = c->num_lines - 1;

		part = n < l1->line_bytes - offset ? n : l1->line_bytes - offset;
		while (i && c->lines[i] != pa >> c->line_shift)
			i--;
		enum fault f = l1->data->state[i] == NOT_LOOKED_UP ? look_up(cu, i) : FAULT_NONE;
		if (f)
			return f;
		memcpy(data, l1->data->lines + (size_t)i * l1->line_bytes + offset, part);
	}
	return FAULT_NONE;
}

void l1_data_store(struct l1 *l1, uint64_t pa, const uint8_t *data, unsigned n)
{
	unsigned part;

	for (; n; n -= part, pa += part, data += part) {
		const uint32_t offset = (uint32_t)(pa & (l1->line_bytes - 1));
		size_t place;

		part = n < l1->line_bytes - offset ? n : l1->line_bytes - offset;
		if (place_of(l1, pa / l1->line_bytes, &place))
			memcpy(l1->data->bytes + place * l1->line_bytes + offset, data, part);
	}
}

bool l1_data_hit(const struct l1 *l1, uint32_t i) { return l1->data->state[i] == HIT; }

void l1_data_end(struct l1 *l1)
{
	struct l1_data *d = l1->data;

	while (d->looked_up)
		d->state[d->before[--d->looked_up].line] = NOT_LOOKED_UP;
}

void l1_data_undo(struct l1 *l1)
{
	struct l1_data *d = l1->data;

	while (d->looked_up) { /* the last one first: a place may have been taken twice */
		const uint32_t i = d->before[--d->looked_up].line;
		const size_t place = d->before[d->looked_up].place;

		l1->tag[place] = d->before[d->looked_up].tag;
		l1->used[place] = d->before[d->looked_up].used;
		if (d->state[i] == MISS)
			memcpy(d->bytes + place * l1->line_bytes, d->replaced + (size_t)i * l1->line_bytes, l1->line_bytes);
		d->state[i] = NOT_LOOKED_UP;
	}
}

void l1_data_drop(struct l1 *l1, uint64_t line)
{
	size_t place;

	if (place_of(l1, line, &place)) {
		l1->tag[place] = 0;
		l1->used[place] = place % l1->stride;
	}
}

void l1_data_acquire(struct l1 *l1, const struct uop *op)
{
	if (op->word >> 26 & 1)
		l1_empty(l1);
}

const struct uop *l1_data_fence(struct warp *w, const struct uop *op)
{
	l1_empty(&w->cu->l1);
	return op + 1;
}
