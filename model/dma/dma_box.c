/* Boxes, and whether and how those of a copy overlap.
 *
 * With the same pitches on both sides every byte moves by the same distance, so that a copy in
 * address order never overwrites what it has still to read: descending where the destination lies
 * above the source, ascending where it lies below. Going through the box row by row is address
 * order when each row ends before the next begins and each slice before the next (or, rows and
 * slices exchanged, where the slice pitch is the smaller one). Boxes that are not so, or that have
 * different pitches, must stay apart. */
#include "model/dma/dma_box.h"

typedef unsigned __int128 wide;

/* What packets of either kind say of the box. */
#define BOX_OF(p)                                                                                  \
	.dst = (p)->dst, .width = (p)->width, .rows = (p)->height, .slices = (p)->depth,           \
	.dst_row = (p)->dst_row, .dst_slice = (p)->dst_slice

static bool copy_load(struct dma_box *b, const struct packet_copy *p)
{
	*b = (struct dma_box){ BOX_OF(p), .src = p->src, .src_row = p->src_row, .src_slice = p->src_slice };
	return b->width && b->rows && b->slices;
}

static bool fill_load(struct dma_box *b, const struct packet_fill *p)
{
	*b = (struct dma_box){ BOX_OF(p), .src = p->pattern, .pattern_size = p->pattern_size };
	return b->width && b->rows && b->slices && b->pattern_size && b->pattern_size <= DMA_PATTERN_MAX &&
	       b->width % b->pattern_size == 0;
}

/* Slices become rows; there was one row a slice. */
static void slices_to_rows(struct dma_box *b)
{
	b->rows = b->slices;
	b->src_row = b->src_slice;
	b->dst_row = b->dst_slice;
	b->slices = 1;
}

/* Brings the box to the fewest dimensions; the order of its bytes stays. */
static void simplify(struct dma_box *b)
{
	for (unsigned i = 0; i < 2; i++) {
		if (b->rows == 1)
			slices_to_rows(b);
		if (b->dst_row == b->width && (b->pattern_size || b->src_row == b->width)) {
			b->width *= b->rows;
			b->rows = 1;
			slices_to_rows(b);
		}
	}
	if (b->rows == 1)
		b->src_row = b->dst_row = 0;
	if (b->slices == 1)
		b->src_slice = b->dst_slice = 0;
}

/* Bytes from the first to behind the last. */
static wide extent(const struct dma_box *b, uint32_t row, uint32_t slice)
{
	return (wide)(b->slices - 1) * slice + (wide)(b->rows - 1) * row + b->width;
}

/* Each row ends before the next, each slice before the next. */
static bool orderly(const struct dma_box *b)
{
	return (b->rows == 1 || b->dst_row >= b->width) &&
	       (b->slices == 1 || b->dst_slice >= (wide)(b->rows - 1) * b->dst_row + b->width);
}

/* Whether rows at a distance, of which each side has b->rows, share a byte. */
static bool rows_share(const struct dma_box *b, wide distance)
{
	wide rest;

	if (distance >= (wide)(b->rows - 1) * b->dst_row + b->width)
		return false;
	if (!b->dst_row)
		return true;
	rest = distance % b->dst_row;
	return rest < b->width || b->dst_row - rest < b->width;
}

/* Whether two orderly boxes of the same pitches share a byte. A slice of one can meet at most two of
 * the other. */
static bool boxes_share(const struct dma_box *b, uint64_t distance)
{
	uint64_t slice = b->dst_slice, n;

	if (b->slices == 1)
		return rows_share(b, distance);
	n = distance / slice;
	return (n < b->slices && rows_share(b, distance - n * slice)) ||
	       (n + 1 < b->slices && rows_share(b, (n + 1) * slice - distance));
}

static void exchange(struct dma_box *b)
{
	uint32_t rows = b->rows, row = b->dst_row;

	b->rows = b->slices;
	b->src_row = b->dst_row = b->dst_slice;
	b->slices = rows;
	b->src_slice = b->dst_slice = row;
}

/* Finds the order of a copy; false when the boxes overlap and there is none. */
static bool order(struct dma_box *b)
{
	wide src_end = b->src + extent(b, b->src_row, b->src_slice);
	wide dst_end = b->dst + extent(b, b->dst_row, b->dst_slice);
	uint64_t distance = b->dst > b->src ? b->dst - b->src : b->src - b->dst;
	struct dma_box sorted = *b;

	if (src_end <= b->dst || dst_end <= b->src)
		return true;
	if (b->src_row != b->dst_row || b->src_slice != b->dst_slice)
		return false;
	if (!distance)
		return true;
	if (sorted.slices > 1 && sorted.dst_slice < sorted.dst_row)
		exchange(&sorted);
	if (!orderly(&sorted))
		return false;
	if (!boxes_share(&sorted, distance))
		return true;
	if (src_end >> 64 || dst_end >> 64) /* it would begin beyond all addresses */
		return false;
	*b = sorted;
	b->backward = b->dst > b->src;
	return true;
}

bool dma_box_make(struct dma_box *b, const union packet *p)
{
	bool copy = p->head.type == PACKET_CODE_copy;

	if (!copy && p->head.type != PACKET_CODE_fill)
		return false;
	if (!(copy ? copy_load(b, &p->copy) : fill_load(b, &p->fill)))
		return false;
	simplify(b);
	return !copy || order(b);
}

uint64_t dma_box_bytes(const struct dma_box *b)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(b->width, (uint64_t)b->rows * b->slices, &bytes))
		return UINT64_MAX;
	return bytes;
}
