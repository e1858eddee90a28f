/* The pin table: which host page stands behind which page frame number (PFN) of the SYSTEM window.
 *
 * PFNs are the lowest free ones, so they depend on the order of the calls. A host page that several live objects have has one PFN,
 * so that a device holds no line of it twice. Where the application's allocator put things must not show in a PFN, however:
 * - A range of the application's that begins or ends within a page has a PFN of its own for that page. The rest of the page
 *   is other memory of the application's.
 * - A range whose object has been released shares no PFN with those that come later (pins_leave), though commands may still use it. The
 *   application may have given the memory back to its allocator meanwhile, and got it again for something else.
 *
 * The software state is extents: host pages that can be shared, references by PFN, and pages of ranges that must not share one. What devices
 * see changes when a work item is applied, page by page. */
#include "runtime/kmd/driver.h"

enum { HOST_PAGES_SHIFT = 64 - GALENA_PAGE_SHIFT };

static uint64_t page_of(const uint8_t *host) { return (uintptr_t)host / GALENA_PAGE_SIZE; }

int pins_init(struct pins *p)
{
	int error = pins_memory_init(p);
	for (unsigned w = 0; w < PIN_WINDOWS && !error; w++)
		error = extents_init(&p->numbers[w], (uint64_t)w * PIN_WINDOW, PIN_WINDOW);
	if (!error)
		error = extents_init(&p->shared, 0, 1ull << HOST_PAGES_SHIFT);
	if (!error)
		error = extents_init(&p->claimed, 0, 1ull << HOST_PAGES_SHIFT);
	if (error)
		pins_fini(p);
	return error;
}

void pins_fini(struct pins *p)
{
	pins_memory_fini(p);
	for (unsigned w = 0; w < PIN_WINDOWS; w++)
		extents_fini(&p->numbers[w]);
	extents_fini(&p->shared);
	extents_fini(&p->claimed);
	*p = (struct pins){ 0 };
}

uint32_t pins_find(const struct pins *p, const uint8_t *host)
{
	const struct extent *x = extents_at(&p->shared, page_of(host));
	return x->refs ? (uint32_t)page_of(host) + x->shift : UINT32_MAX;
}

uint32_t pins_count(const struct pins *p) { return (uint32_t)(p->numbers[0].used + p->numbers[1].used); }

/* ---- references, by PFN ---- */
static struct extents *numbers_of(struct pins *p, uint32_t number) { return &p->numbers[number / PIN_WINDOW]; }

/* Tells what rights are left to PFNs. False when memory is short, never in a list that has room. */
static bool tell_rights(const struct extents *e, uint32_t number, uint32_t count, struct pin_list *out)
{
	bool told = true;
	for (uint32_t end = number + count, n; told && number < end; number += n) {
		const struct extent *x = extents_at(e, number);
		n = (uint32_t)extents_alike(e, number, end);
		told = pin_list_add(out, (struct pin_range){ number, n, (x->refs ? PIN_READ : 0) | (x->write_refs ? PIN_WRITE : 0) });
	}
	return told;
}

/* One reference less of PFNs that have been referred to so; out: what rights are left, if that matters. */
static void unrefer(struct pins *p, uint32_t number, uint32_t count, bool write, struct pin_list *out)
{
	struct extents *e = numbers_of(p, number);
	extents_refer(e, number, count, -1, -write, 0);
	if (out)
		tell_rights(e, number, count, out);
}

/* One reference more of contiguous PFNs; out: their rights. There is room for another range of pages, too. False when memory is short; then
 * nothing is referenced. */
static bool refer(struct pins *p, uint32_t number, uint32_t count, bool write, struct pin_list *out)
{
	struct extents *e = numbers_of(p, number);
	if (!extents_reserve(e, p->ranges + 1ull) || !extents_reserve(&p->shared, p->ranges + 1ull) || !pins_memory_reach(p, number, count))
		return false;
	extents_refer(e, number, count, 1, write, 0);
	if (!tell_rights(e, number, count, out)) {
		unrefer(p, number, count, write, NULL);
		return false;
	}
	p->ranges++;
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
	return to <= from || extents_gap(&p->shared, from, to) == to - from;
}

/* Contiguous PFNs for the next pages. False: there are none. */
static bool row_begin(struct pins *p, struct adding *a, uint32_t count, uint32_t align)
{
	const uint64_t row = extents_fit(&p->numbers[a->how & PIN_BY_ADDRESS ? 1 : 0], count, align);
	a->row = (uint32_t)row;
	a->row_left = row == UINT64_MAX ? 0 : count;
	return a->row_left;
}

/* PFNs for the next of so many pages that have none: how many, from *first on; 0 when there are none. What lies PIN_RUN by PIN_RUN can be
 * mapped by one entry of a page table. */
static uint32_t choose(struct pins *p, struct adding *a, uint32_t pages, uint32_t *first)
{
	const bool whole = (a->page - a->first) % PIN_RUN == 0 && a->end - a->page >= PIN_RUN;
	if (!a->row_left && whole && all_new(p, a, a->page + PIN_RUN))
		row_begin(p, a, PIN_RUN, PIN_RUN);
	if (!a->row_left && row_begin(p, a, 1, 1))
		a->row_left = (uint32_t)extents_gap(numbers_of(p, a->row), a->row, (uint64_t)a->row + pages);
	const uint32_t count = a->row_left < pages ? a->row_left : pages;
	*first = a->row;
	a->row += count;
	a->row_left -= count;
	return count;
}

/* Up to where an extent that begins here may go: no PFN goes into the next PIN_RUN pages, which may have contiguous ones. */
static uint64_t extent_end(const struct adding *a)
{
	const uint64_t run = a->page + PIN_RUN - (a->page - a->first) % PIN_RUN;
	return run < a->whole_end ? run : a->whole_end;
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
	const uint64_t count = extents_alike(&p->shared, a->page, a->whole_end);
	if (!refer(p, (uint32_t)a->page + extents_at(&p->shared, a->page)->shift, (uint32_t)count, a->how & PIN_FOR_WRITE, out))
		return KMD_NO_MEMORY;
	extents_refer(&p->shared, a->page, count, 1, 0, 0);
	a->page += count;
	return 0;
}

/* The pages from here on that are not, as many as have contiguous PFNs. */
static int add_new(struct pins *p, struct adding *a, struct pin_list *out)
{
	uint32_t number;
	const uint32_t count = choose(p, a, (uint32_t)extents_gap(&p->shared, a->page, extent_end(a)), &number);
	if (!count || !refer(p, number, count, a->how & PIN_FOR_WRITE, out))
		return KMD_NO_MEMORY;
	extents_refer(&p->shared, a->page, count, 1, 0, number - (uint32_t)a->page);
	a->page += count;
	return 0;
}

/* What has been added up to end is not pinned. */
static void undo(struct pins *p, struct adding *a, uint64_t end)
{
	uint64_t count;
	for (a->page = a->first; a->page < end; a->page += count) {
		const bool edge = at_edge(a);
		const uint32_t number = edge ? a->edge[a->page != a->first] : (uint32_t)a->page + extents_at(&p->shared, a->page)->shift;
		count = edge ? 1 : extents_alike(&p->shared, a->page, end < a->whole_end ? end : a->whole_end);
		unrefer(p, number, (uint32_t)count, a->how & PIN_FOR_WRITE, NULL);
		if (!edge)
			extents_refer(&p->shared, a->page, count, -1, 0, 0);
	}
}

/* ---- pins ---- */
int pins_add(struct pins *p, uint8_t *host, uint64_t count, unsigned how, struct pin_list *out)
{
	struct adding a = adding_of(host, count, how);
	const uint32_t ranges = p->ranges;
	int error = 0;
	if (how & PIN_CONTIGUOUS && all_new(p, &a, a.end) && !row_begin(p, &a, (uint32_t)count, 1))
		return KMD_NO_MEMORY;
	if (how & PIN_UNALIGNED && extents_gap(&p->claimed, a.first, a.end) != count)
		return KMD_SHARED_PAGE;
	if (how & PIN_UNALIGNED && !extents_reserve(&p->claimed, ranges + 1ull))
		return KMD_NO_MEMORY;
	while (!error && a.page < a.end)
		error = at_edge(&a) ? add_edge(p, &a, out) : extents_at(&p->shared, a.page)->refs ? add_shared(p, &a, out) : add_new(p, &a, out);
	if (error) {
		undo(p, &a, a.page);
		out->count = 0;
	} else if (how & PIN_UNALIGNED) {
		extents_refer(&p->claimed, a.first, count, 1, 0, 0);
	}
	p->ranges = ranges + out->count;
	return error;
}

void pins_leave(struct pins *p, const uint8_t *host, uint64_t count, unsigned how)
{
	const struct adding a = adding_of(host, count, how);
	if (a.whole_first < a.whole_end)
		extents_refer(&p->shared, a.whole_first, a.whole_end - a.whole_first, -1, 0, 0);
	if (how & PIN_UNALIGNED)
		extents_refer(&p->claimed, a.first, count, -1, 0, 0);
}

void pins_drop(struct pins *p, const struct pin_list *added, unsigned how, struct pin_list *out)
{
	const struct pin_range *r = pin_list_ranges(added);
	for (uint32_t i = 0; i < added->count; i++)
		unrefer(p, r[i].number, r[i].count, how & PIN_FOR_WRITE, out);
	p->ranges -= added->count;
}
