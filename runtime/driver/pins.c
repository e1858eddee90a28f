/* The pin table: which host page stands behind which page number of the SYSTEM window.
 *
 * A host page has one number however often it is pinned; numbers are the lowest free ones. The
 * plan counts references, of pieces: pages side by side that are referenced alike. What devices see changes when the
 * pump applies a post, page by page. */
#include "runtime/driver/pins.h"
#include <stdlib.h>
#include <string.h>

int pins_init(struct pins *p)
{
	p->frames = aligned_alloc(GALENA_PAGE_SIZE, PIN_FRAMES * sizeof *p->frames);
	if (p->frames)
		memset(p->frames, 0, PIN_FRAMES * sizeof *p->frames);
	if (!numbers_init(p) && p->frames)
		return 0;
	pins_fini(p);
	return DRV_NO_MEMORY;
}

void pins_fini(struct pins *p)
{
	numbers_fini(p);
	for (unsigned i = 0; p->num_pinned && i < PIN_FRAMES; i++)
		free(p->frames[i].pieces);
	free(p->frames);
	*p = (struct pins){ 0 };
}

uint32_t pins_find(const struct pins *p, const uint8_t *host)
{
	const struct pin_piece *piece = pieces_at(p, page_of(host));
	return piece ? piece->number + (uint32_t)(page_of(host) - piece->page) : UINT32_MAX;
}

static uint8_t rights_of(const struct pin_piece *piece)
{
	return (piece->refs ? PIN_READ : 0) | (piece->write_refs ? PIN_WRITE : 0);
}

static struct pin_range range_of(const struct pin_piece *piece)
{
	return (struct pin_range){ .number = piece->number, .count = piece->count, .rights = rights_of(piece) };
}

/* Of what is being pinned, pages from page up to end, what remains; and numbers in a row that are to be taken for them. */
struct adding {
	uint64_t first, page, end;
	unsigned how;
	uint32_t row, row_left;
};

/* One reference more of the pages from here on that a piece has, as many as are its. */
static int share(struct pins *p, struct adding *a, struct pin_list *out)
{
	if (!pieces_cut(p, a->page) || !pieces_cut(p, a->end))
		return DRV_NO_MEMORY;
	struct pin_piece *piece = pieces_at(p, a->page);
	if (a->how & PIN_UNALIGNED && piece->unaligned)
		return DRV_SHARED_PAGE;
	piece->refs++;
	piece->write_refs += (a->how & PIN_FOR_WRITE) != 0;
	piece->unaligned |= (a->how & PIN_UNALIGNED) != 0;
	a->page += piece->count;
	return pin_list_add(out, range_of(piece)) ? 0 : DRV_NO_MEMORY;
}

/* Numbers for the next of so many pages that have none: how many, from *first on; 0 when there are none. */
static uint32_t choose(struct pins *p, struct adding *a, uint32_t pages, uint32_t *first)
{
	const bool whole = (a->page - a->first) % PIN_RUN == 0 && a->end - a->page >= PIN_RUN;
	if (!a->row_left && whole && pieces_gap(p, a->page, a->page + PIN_RUN) == PIN_RUN) {
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

/* Up to where a piece that begins here may go: no number goes into the next PIN_RUN pages, which may have theirs in a row. */
static uint64_t piece_end(const struct adding *a)
{
	const uint64_t frame = frame_end(a->page), run = a->page + PIN_RUN - (a->page - a->first) % PIN_RUN, end = frame < run ? frame : run;
	return end < a->end ? end : a->end;
}

/* The first reference of pages from here on that have none, as many as go in one piece. */
static int begin(struct pins *p, struct adding *a, struct pin_list *out)
{
	struct pin_piece piece = { .page = a->page, .refs = 1, .write_refs = (a->how & PIN_FOR_WRITE) != 0,
				   .unaligned = (a->how & PIN_UNALIGNED) != 0 };
	piece.count = choose(p, a, (uint32_t)pieces_gap(p, a->page, piece_end(a)), &piece.number);
	if (!piece.count || !numbers_take(p, piece.number, piece.count))
		return DRV_NO_MEMORY;
	if (!pieces_make(p, piece)) {
		numbers_give_back(p, piece.number, piece.count);
		return DRV_NO_MEMORY;
	}
	a->page += piece.count;
	return pin_list_add(out, range_of(&piece)) ? 0 : DRV_NO_MEMORY;
}

/* One reference less of the pages up to end; out: what rights are left, if that matters. */
static void drop(struct pins *p, uint64_t page, uint64_t end, unsigned how, struct pin_list *out)
{
	while (page < end) {
		struct pin_piece *piece = pieces_at(p, page);
		page += piece->count;
		piece->refs--;
		piece->write_refs -= (how & PIN_FOR_WRITE) != 0;
		if (how & PIN_UNALIGNED)
			piece->unaligned = false;
		if (out)
			pin_list_add(out, range_of(piece));
		if (!piece->refs) {
			numbers_give_back(p, piece->number, piece->count);
			pieces_end(p, piece);
		}
	}
}

int pins_add(struct pins *p, uint8_t *host, uint64_t count, unsigned how, struct pin_list *out)
{
	struct adding a = { page_of(host), page_of(host), page_of(host) + count, how, 0, 0 };
	int error = 0;
	if (how & PIN_IN_A_ROW && pieces_gap(p, a.page, a.end) == count) {
		a.row = numbers_find(p, count, how);
		a.row_left = (uint32_t)count;
		if (a.row == UINT32_MAX)
			return DRV_NO_MEMORY;
	}
	while (!error && a.page < a.end)
		error = pieces_at(p, a.page) ? share(p, &a, out) : begin(p, &a, out);
	if (error) {
		drop(p, a.first, a.page, how, NULL);
		out->count = 0;
	}
	return error;
}

void pins_drop(struct pins *p, const uint8_t *host, uint64_t count, unsigned how, struct pin_list *out)
{
	drop(p, page_of(host), page_of(host) + count, how, out);
}
