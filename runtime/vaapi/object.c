/* Ids: the kind, the display's number, a generation and a place in the display's table of that kind. An id that is gone stays unknown while its
 * place is taken anew, and one display does not know those of another. */
#include "base/hold.h"
#include "runtime/vaapi/objects.h"
#include <stdlib.h>
#include <string.h>

enum { PLACE_BITS = 16, GENERATION_BITS = 7, DISPLAY_BITS = 5 };
enum { PLACES_MAX = 1 << PLACE_BITS, GENERATION_MASK = (1 << GENERATION_BITS) - 1, DISPLAY_MASK = (1 << DISPLAY_BITS) - 1 };

/* No id is 0, or VA_INVALID_ID. */
static VAGenericID id_make(const struct display *d, enum kind kind, uint32_t generation, unsigned place)
{
	const uint32_t above = (uint32_t)(kind + 1) << DISPLAY_BITS | (d->number & DISPLAY_MASK);
	return above << (PLACE_BITS + GENERATION_BITS) | (generation & GENERATION_MASK) << PLACE_BITS | place;
}

static struct object **find(struct display *d, enum kind kind, VAGenericID id)
{
	struct table *t = &d->tables[kind];
	const unsigned place = id & (PLACES_MAX - 1);
	struct object **o = place < t->count ? &t->objects[place] : NULL;
	return o && *o && (*o)->id == id ? o : NULL;
}

static bool grow(struct table *t)
{
	const unsigned more = t->count ? 2 * t->count : 16;
	struct object **objects = more <= PLACES_MAX ? realloc(t->objects, more * sizeof *objects) : NULL;
	if (!objects)
		return false;
	t->objects = objects;
	uint32_t *generations = realloc(t->generations, more * sizeof *generations);
	if (!generations)
		return false;
	t->generations = generations;
	memset(objects + t->count, 0, (more - t->count) * sizeof *objects);
	memset(generations + t->count, 0, (more - t->count) * sizeof *generations);
	t->count = more;
	return true;
}

static bool place(struct display *d, struct object *o)
{
	struct table *t = &d->tables[o->kind];
	unsigned i = 0;
	HOLDING(&d->lock);
	while (i < t->count && t->objects[i])
		i++;
	if (i == t->count && !grow(t))
		return false;
	t->objects[i] = o;
	o->id = id_make(d, o->kind, t->generations[i]++, i);
	return true;
}

VAStatus object_add(struct display *d, struct object *o, VAGenericID *out)
{
	if (!place(d, o)) {
		object_put(o);
		return FAIL(VA_STATUS_ERROR_ALLOCATION_FAILED, "no room for another object");
	}
	*out = o->id;
	return VA_STATUS_SUCCESS;
}

void *object_get(struct display *d, enum kind kind, VAGenericID id)
{
	HOLDING(&d->lock);
	struct object **o = find(d, kind, id);
	if (!o)
		return NULL;
	atomic_fetch_add(&(*o)->refs, 1);
	return *o;
}

void *object_take(struct display *d, enum kind kind, VAGenericID id)
{
	HOLDING(&d->lock);
	struct object **at = find(d, kind, id), *o = at ? *at : NULL;
	if (at)
		*at = NULL;
	return o;
}

void object_put(struct object *o)
{
	if (atomic_fetch_sub(&o->refs, 1) != 1)
		return;
	switch (o->kind) {
	case CONFIG: free(o); break;
	case SURFACE: surface_destroy((struct surface *)o); break;
	case IMAGE: image_destroy((struct image *)o); break;
	case BUFFER: buffer_destroy((struct buffer *)o); break;
	case CONTEXT: context_destroy((struct context *)o); break;
	case KINDS: break;
	}
}

void objects_drop(struct display *d)
{
	for (unsigned kind = 0; kind < KINDS; kind++) {
		struct table *t = &d->tables[kind];
		for (unsigned i = 0; i < t->count; i++)
			if (t->objects[i])
				object_put(t->objects[i]);
		free(t->objects);
		free(t->generations);
		*t = (struct table){0};
	}
}
