/* Maps of extents: pages side by side that are referenced alike. They are kept by frames of 512 pages, sorted; what cuts an extent in two
 * leaves it so. */
#include "runtime/kmd/pins.h"
#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 5 }; /* of a frame's first list: 120 bytes */

bool pin_map_init(struct pin_map *p)
{
	p->frames = aligned_alloc(GALENA_PAGE_SIZE, PIN_FRAMES * sizeof *p->frames);
	if (p->frames)
		memset(p->frames, 0, PIN_FRAMES * sizeof *p->frames);
	return p->frames;
}

void pin_map_fini(struct pin_map *p)
{
	for (unsigned i = 0; p->frames && i < PIN_FRAMES; i++)
		free(p->frames[i].extents);
	free(p->frames);
}

static struct pin_frame *frame_of(const struct pin_map *p, uint64_t page) { return &p->frames[page / PIN_RUN % PIN_FRAMES]; }

/* The first extent of the frame that ends behind the page. */
static uint32_t place_of(const struct pin_frame *f, uint64_t page)
{
	uint32_t low = 0, high = f->count;
	if (high && f->extents[high - 1].page + f->extents[high - 1].count <= page)
		return high; /* memory is mostly pinned upwards */
	while (low < high) {
		const uint32_t middle = (low + high) / 2;
		if (f->extents[middle].page + f->extents[middle].count <= page)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct pin_extent *pin_map_at(const struct pin_map *p, uint64_t page)
{
	struct pin_frame *f = frame_of(p, page);
	const uint32_t at = place_of(f, page);
	return at < f->count && f->extents[at].page <= page ? &f->extents[at] : NULL;
}

uint64_t pin_map_gap(const struct pin_map *p, uint64_t page, uint64_t end)
{
	uint64_t at = page;
	while (at < end) {
		const struct pin_frame *f = frame_of(p, at);
		const uint32_t place = place_of(f, at);
		const uint64_t limit = frame_end(at) < end ? frame_end(at) : end;
		if (place < f->count && f->extents[place].page < limit)
			return (f->extents[place].page < at ? at : f->extents[place].page) - page;
		at = limit;
	}
	return end - page;
}

static bool room_for_one(struct pin_frame *f)
{
	const uint32_t room = f->room ? 2 * f->room : ROOM_MIN;
	if (f->count < f->room)
		return true;
	struct pin_extent *grown = realloc(f->extents, room * sizeof *grown);
	if (!grown)
		return false;
	f->extents = grown;
	f->room = room;
	return true;
}

static void insert(struct pin_frame *f, uint32_t at, struct pin_extent extent)
{
	memmove(&f->extents[at + 1], &f->extents[at], (f->count++ - at) * sizeof extent);
	f->extents[at] = extent;
}

bool pin_map_make(struct pin_map *p, struct pin_extent extent)
{
	struct pin_frame *f = frame_of(p, extent.page);
	if (!room_for_one(f))
		return false;
	insert(f, place_of(f, extent.page), extent);
	return true;
}

bool pin_map_cut(struct pin_map *p, uint64_t page)
{
	struct pin_frame *f = frame_of(p, page);
	const uint32_t at = place_of(f, page);
	if (at == f->count || f->extents[at].page >= page)
		return true;
	if (!room_for_one(f))
		return false;
	struct pin_extent *first = &f->extents[at], second = *first;
	first->count = (uint32_t)(page - first->page);
	second.page = page;
	second.number += first->count;
	second.count -= first->count;
	insert(f, at + 1, second);
	return true;
}

void pin_map_end(struct pin_map *p, struct pin_extent *extent)
{
	struct pin_frame *f = frame_of(p, extent->page);
	const uint32_t at = (uint32_t)(extent - f->extents);
	memmove(extent, extent + 1, (--f->count - at) * sizeof *extent);
	if (!f->count) {
		free(f->extents);
		*f = (struct pin_frame){ 0 };
	}
}
