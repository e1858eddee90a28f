#include "model/media/surface.h"

static unsigned sample_bytes(const struct media_component *c) { return c->bits > 8 ? 2 : 1; }

unsigned surface_components(const struct media_surface *s)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < SURFACE_COMPONENTS; i++)
		mask |= (unsigned)(s->component[i].bits != 0) << i;
	return mask;
}

static bool component_valid(const struct media_component *c)
{
	return (c->bits == 8 || c->bits == 10) && c->step >= sample_bytes(c) && c->step <= MEDIA_STEP_MAX &&
	       c->shift_x <= MEDIA_SHIFT_MAX && c->shift_y <= MEDIA_SHIFT_MAX;
}

bool surface_valid(const struct media_surface *s, unsigned mask)
{
	if (!s->width || s->width > MEDIA_SIZE_MAX || !s->height || s->height > MEDIA_SIZE_MAX || s->reserved)
		return false;
	for (unsigned i = 0; i < SURFACE_COMPONENTS; i++)
		if (mask >> i & 1 && !component_valid(&s->component[i]))
			return false;
	return true;
}

/* Adds a component, if it lies in the cells of the others and shares no byte with them. */
static bool bundle_add(struct bundle *b, unsigned number, const struct media_component *c)
{
	const unsigned bytes = sample_bytes(c);
	const uint64_t low = c->address < b->address ? c->address : b->address;
	const uint64_t before = b->address - low, at = c->address - low;

	if (c->pitch != b->pitch || c->step != b->cells.step || c->shift_x != b->shift_x || c->shift_y != b->shift_y)
		return false;
	if (before + b->cells.bytes > c->step || at + bytes > c->step)
		return false;
	const unsigned own = ((1u << bytes) - 1) << at, others = (unsigned)b->cells.mask << before;
	if (own & others)
		return false;
	for (unsigned i = 0; i < b->count; i++)
		b->part[i].offset = (uint8_t)(b->part[i].offset + before);
	b->part[b->count].number = (uint8_t)number;
	b->part[b->count].offset = (uint8_t)at;
	b->part[b->count++].bits = c->bits;
	b->address = low;
	b->cells.mask = (uint8_t)(own | others);
	b->cells.bytes = (uint8_t)(32 - __builtin_clz(own | others));
	return true;
}

unsigned bundles_make(const struct media_surface *s, unsigned mask, struct bundle out[SURFACE_COMPONENTS])
{
	unsigned count = 0;

	for (unsigned i = 0; i < SURFACE_COMPONENTS; i++) {
		const struct media_component *c = &s->component[i];
		bool added = false;

		if (!(mask >> i & 1))
			continue;
		for (unsigned b = 0; b < count && !added; b++)
			added = bundle_add(&out[b], i, c);
		if (!added) {
			const uint8_t bytes = (uint8_t)sample_bytes(c);

			out[count++] = (struct bundle){ .address = c->address,
							.pitch = c->pitch,
							.cells = { c->step, (uint8_t)((1u << bytes) - 1), bytes },
							.shift_x = c->shift_x,
							.shift_y = c->shift_y,
							.count = 1,
							.part = { { (uint8_t)i, 0, c->bits } } };
		}
	}
	return count;
}
