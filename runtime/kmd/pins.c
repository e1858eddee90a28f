/* The pin table: which host page stands behind which page frame number (PFN) of the SYSTEM window.
 *
 * PFNs are the lowest free ones, so they depend on the order of the calls. A host page that several live objects have has one PFN,
 * so that a device holds no line of it twice. Where the application's allocator put things must not show in a PFN, however:
 * - A range of the application's that begins or ends within a page has a PFN of its own for that page. The rest of the page
 *   is other memory of the application's.
 * - A range whose object has been released shares no PFN with those that come later (pins_leave), though commands may still use it. The
 *   application may have given the memory back to its allocator meanwhile, and got it again for something else.
 *
 * The software state keeps extents of pages that are referenced alike, in three maps: host pages that can be shared, references by PFN, and
 * pages of ranges that must not share one. What devices see changes when a work item is applied, page by page. */
#include "runtime/kmd/pins.h"
#include <stdlib.h>
#include <string.h>

int pins_init(struct pins *p)
{
	bool ok = !numbers_init(p);
	for (unsigned m = 0; m < PIN_MAPS; m++)
		ok &= pin_map_init(&p->maps[m]);
	if (ok)
		return 0;
	pins_fini(p);
	return KMD_NO_MEMORY;
}

void pins_fini(struct pins *p)
{
	numbers_fini(p);
	for (unsigned m = 0; m < PIN_MAPS; m++)
		pin_map_fini(&p->maps[m]);
	*p = (struct pins){ 0 };
}

uint32_t pins_find(const struct pins *p, const uint8_t *host)
{
	const struct pin_extent *extent = pin_map_at(&p->maps[PIN_LIVE], page_of(host));
	return extent ? extent->number + (uint32_t)(page_of(host) - extent->page) : UINT32_MAX;
}

/* ---- references, by PFN ---- */
static struct pin_range range_of(const struct pin_extent *extent)
{
	return (struct pin_range){ .number = (uint32_t)extent->page, .count = extent->count,
				   .rights = (extent->refs ? PIN_READ : 0) | (extent->write_refs ? PIN_WRITE : 0) };
}

/* One reference less of PFNs that have been referred to so; out: what rights are left, if that matters. */
static void unrefer(struct pins *p, uint32_t number, uint32_t count, bool write, struct pin_list *out)
{
	struct pin_map *map = &p->maps[PIN_REFERENCES];
	for (uint32_t end = number + count; number < end;) {
		struct pin_extent *extent = pin_map_at(map, number);
		number += extent->count;
		extent->refs--;
		extent->write_refs -= write;
		if (out)
			pin_list_add(out, range_of(extent));
		if (!extent->refs) {
			numbers_give_back(p, (uint32_t)extent->page, extent->count);
			pin_map_end(map, extent);
		}
	}
}

/* The first reference of PFNs from number on, up to end, that are free. How many; 0: memory is short. */
static uint32_t refer_new(struct pins *p, uint32_t number, uint32_t end, bool write)
{
	struct pin_map *map = &p->maps[PIN_REFERENCES];
	struct pin_extent extent = { .page = number, .refs = 1, .write_refs = write };
	extent.count = (uint32_t)pin_map_gap(map, number, frame_end(number) < end ? frame_end(number) : end);
	if (!numbers_take(p, number, extent.count))
		return 0;
	if (pin_map_make(map, extent))
		return extent.count;
	numbers_give_back(p, number, extent.count);
	return 0;
}

/* One reference more of contiguous PFNs, all of them free, or none; out: their rights. False when memory is short; then nothing is referenced. */
static bool refer(struct pins *p, uint32_t number, uint32_t count, bool write, struct pin_list *out)
{
	struct pin_map *map = &p->maps[PIN_REFERENCES];
	for (uint32_t at = number, end = number + count, n; at < end; at += n) {
		struct pin_extent *extent = pin_map_at(map, at);
		if (!extent) {
			n = refer_new(p, at, end, write);
		} else if (!pin_map_cut(map, at) || !pin_map_cut(map, end)) {
			n = 0;
		} else {
			extent = pin_map_at(map, at);
			extent->refs++;
			extent->write_refs += write;
			n = extent->count;
		}
		if (n && pin_list_add(out, range_of(pin_map_at(map, at))))
			continue;
		unrefer(p, number, at + n - number, write, NULL);
		return false;
	}
	return true;
}

/* ---- pages of the host that can be shared ---- */
/* Of what is being pinned, pages from page up to end, what remains; and contiguous PFNs that are to be taken for them. */
struct adding {
	uint64_t first, page, end;
	uint64_t whole_first, whole_end; /* without the pages at its edges that it has a part of */
	unsigned how;
	uint32_t row, row_left;
	uint32_t edge[2]; /* PFNs of the first and the last page, where they are such */
};

static struct adding adding_of(const uint8_t *host, uint64_t count, unsigned how)
{
	const uint64_t first = page_of(host), end = first + count, whole_first = first + (how & PIN_PART_FIRST ? 1 : 0);
	const uint64_t whole_end = end - (how & PIN_PART_LAST ? 1 : 0);
	return (struct adding){ .first = first, .page = first, .end = end, .whole_first = whole_first,
				.whole_end = whole_end < whole_first ? whole_first : whole_end, .how = how };
}

static bool at_edge(const struct adding *a) { return a->page < a->whole_first || a->page >= a->whole_end; }

/* None of the pages from here on, up to end, has a PFN that it would have to share. */
static bool all_new(const struct pins *p, const struct adding *a, uint64_t end)
{
	const uint64_t from = a->page < a->whole_first ? a->whole_first : a->page, to = end < a->whole_end ? end : a->whole_end;
	return to <= from || pin_map_gap(&p->maps[PIN_LIVE], from, to) == to - from;
}

/* PFNs for the next of so many pages that have none: how many, from *first on; 0 when there are none. */
static uint32_t choose(struct pins *p, struct adding *a, uint32_t pages, uint32_t *first)
{
	const bool whole = (a->page - a->first) % PIN_RUN == 0 && a->end - a->page >= PIN_RUN;
	if (!a->row_left && whole && all_new(p, a, a->page + PIN_RUN)) {
		a->row = numbers_find_run(p, a->how);
		a->row_left = a->row == UINT32_MAX ? 0 : PIN_RUN;
	}
	*first = a->row_left ? a->row : numbers_find(p, 1, a->how);
	if (*first == UINT32_MAX)
		return 0;
	const uint32_t most = a->row_left ? a->row_left : numbers_free_from(p, *first, pages), count = most < pages ? most : pages;
	if (a->row_left) {
		a->row += count;
		a->row_left -= count;
	}
	return count;
}

/* Up to where an extent that begins here may go: no PFN goes into the next PIN_RUN pages, which may have contiguous ones. */
static uint64_t extent_end(const struct adding *a)
{
	const uint64_t frame = frame_end(a->page), run = a->page + PIN_RUN - (a->page - a->first) % PIN_RUN, end = frame < run ? frame : run;
	return end < a->whole_end ? end : a->whole_end;
}

static int add_edge(struct pins *p, struct adding *a, struct pin_list *out)
{
	uint32_t *number = &a->edge[a->page != a->first];
	if (!choose(p, a, 1, number) || !refer(p, *number, 1, a->how & PIN_FOR_WRITE, out))
		return KMD_NO_MEMORY;
	a->page++;
	return 0;
}

/* The pages from here on that are shared already, as many as are alike. */
static int add_shared(struct pins *p, struct adding *a, struct pin_list *out)
{
	struct pin_map *map = &p->maps[PIN_LIVE];
	if (!pin_map_cut(map, a->page) || !pin_map_cut(map, a->whole_end))
		return KMD_NO_MEMORY;
	struct pin_extent *extent = pin_map_at(map, a->page);
	if (!refer(p, extent->number, extent->count, a->how & PIN_FOR_WRITE, out))
		return KMD_NO_MEMORY;
	extent->refs++;
	a->page += extent->count;
	return 0;
}

/* The pages from here on that are not, as many as can be in one extent. */
static int add_new(struct pins *p, struct adding *a, struct pin_list *out)
{
	struct pin_map *map = &p->maps[PIN_LIVE];
	struct pin_extent extent = { .page = a->page, .refs = 1 };
	extent.count = choose(p, a, (uint32_t)pin_map_gap(map, a->page, extent_end(a)), &extent.number);
	if (!extent.count || !refer(p, extent.number, extent.count, a->how & PIN_FOR_WRITE, out))
		return KMD_NO_MEMORY;
	if (!pin_map_make(map, extent)) {
		unrefer(p, extent.number, extent.count, a->how & PIN_FOR_WRITE, NULL);
		return KMD_NO_MEMORY;
	}
	a->page += extent.count;
	return 0;
}

/* What has been added up to end is not shared any more; undo: nor pinned. */
static void leave(struct pins *p, struct adding *a, uint64_t end, bool undo)
{
	struct pin_map *map = &p->maps[PIN_LIVE];
	for (a->page = a->first; a->page < end;) {
		if (at_edge(a)) {
			if (undo)
				unrefer(p, a->edge[a->page != a->first], 1, a->how & PIN_FOR_WRITE, NULL);
			a->page++;
			continue;
		}
		struct pin_extent *extent = pin_map_at(map, a->page);
		a->page += extent->count;
		if (undo)
			unrefer(p, extent->number, extent->count, a->how & PIN_FOR_WRITE, NULL);
		if (!--extent->refs)
			pin_map_end(map, extent);
	}
}

/* ---- pages that must not be shared by two such ranges ---- */
static void unclaim(struct pins *p, uint64_t page, uint64_t end)
{
	struct pin_map *map = &p->maps[PIN_CLAIMED];
	while (page < end) {
		struct pin_extent *extent = pin_map_at(map, page);
		page += extent->count;
		pin_map_end(map, extent);
	}
}

static int claim(struct pins *p, uint64_t first, uint64_t end)
{
	struct pin_map *map = &p->maps[PIN_CLAIMED];
	if (pin_map_gap(map, first, end) != end - first)
		return KMD_SHARED_PAGE;
	for (uint64_t page = first; page < end;) {
		const uint64_t to = frame_end(page) < end ? frame_end(page) : end;
		if (!pin_map_make(map, (struct pin_extent){ .page = page, .count = (uint32_t)(to - page), .refs = 1 })) {
			unclaim(p, first, page);
			return KMD_NO_MEMORY;
		}
		page = to;
	}
	return 0;
}

/* ---- pins ---- */
int pins_add(struct pins *p, uint8_t *host, uint64_t count, unsigned how, struct pin_list *out)
{
	struct adding a = adding_of(host, count, how);
	int error = 0;
	if (how & PIN_CONTIGUOUS && all_new(p, &a, a.end)) {
		a.row = numbers_find(p, count, how);
		a.row_left = (uint32_t)count;
		if (a.row == UINT32_MAX)
			return KMD_NO_MEMORY;
	}
	if (how & PIN_UNALIGNED)
		error = claim(p, a.first, a.end);
	if (error)
		return error;
	while (!error && a.page < a.end)
		error = at_edge(&a) ? add_edge(p, &a, out) : pin_map_at(&p->maps[PIN_LIVE], a.page) ? add_shared(p, &a, out) : add_new(p, &a, out);
	if (error) {
		leave(p, &a, a.page, true);
		if (how & PIN_UNALIGNED)
			unclaim(p, a.first, a.end);
		out->count = 0;
	}
	return error;
}

void pins_leave(struct pins *p, const uint8_t *host, uint64_t count, unsigned how)
{
	struct adding a = adding_of(host, count, how);
	leave(p, &a, a.end, false);
	if (how & PIN_UNALIGNED)
		unclaim(p, a.first, a.end);
}

void pins_drop(struct pins *p, const struct pin_list *added, unsigned how, struct pin_list *out)
{
	const struct pin_range *r = pin_list_ranges(added);
	for (uint32_t i = 0; i < added->count; i++)
		unrefer(p, r[i].number, r[i].count, how & PIN_FOR_WRITE, out);
}
