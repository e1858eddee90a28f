/* What the packet table says about copies and fills, byte by byte. */
#ifndef GALENA_TESTBENCH_MODEL_DMA_PREDICT_H
#define GALENA_TESTBENCH_MODEL_DMA_PREDICT_H
#include "abi/packets.h"
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PREDICT_BYTES = 1 << 16 };

/* Bytes of a copy: from where, to where, in the order of the packet. */
struct moves {
	unsigned count;
	struct move { uint64_t src, dst; } move[PREDICT_BYTES];
};

static inline void moves_of_copy(struct moves *m, const struct packet_copy *p)
{
	m->count = 0;
	for (uint64_t z = 0; z < p->depth; z++)
		for (uint64_t y = 0; y < p->height; y++)
			for (uint64_t x = 0; x < p->width; x++)
				m->move[m->count++] = (struct move){ p->src + z * p->src_slice + y * p->src_row + x,
								     p->dst + z * p->dst_slice + y * p->dst_row + x };
}

static inline void moves_of_fill(struct moves *m, const struct packet_fill *p)
{
	m->count = 0;
	for (uint64_t z = 0; z < p->depth; z++)
		for (uint64_t y = 0; y < p->height; y++)
			for (uint64_t x = 0; x < p->width; x++)
				m->move[m->count++] = (struct move){ p->pattern + x % p->pattern_size,
								     p->dst + z * p->dst_slice + y * p->dst_row + x };
}

static inline bool copy_same_pitches(const struct packet_copy *p)
{
	return (p->height == 1 || p->src_row == p->dst_row) && (p->depth == 1 || p->src_slice == p->dst_slice);
}

/* Each row, and each slice, ends before the next begins; for one of the two ways to name them. */
static inline bool orderly_as(uint64_t width, uint64_t rows, uint64_t row, uint64_t slices, uint64_t slice)
{
	uint64_t used = (rows - 1) * row + width;

	return (rows == 1 || row >= width) && (slices == 1 || slice >= used);
}

static inline bool copy_orderly(const struct packet_copy *p)
{
	return orderly_as(p->width, p->height, p->dst_row, p->depth, p->dst_slice) ||
	       orderly_as(p->width, p->depth, p->dst_slice, p->height, p->dst_row);
}

/* The ranges from first to last byte; no pitch is negative, so that the last move has the highest. */
static inline bool moves_meet(const struct moves *m)
{
	const struct move *first = &m->move[0], *last = &m->move[m->count - 1];

	return first->src <= last->dst && first->dst <= last->src;
}

static inline bool moves_share(const struct moves *m)
{
	static uint8_t seen[2 * PREDICT_BYTES];
	uint64_t base = m->move[0].src < m->move[0].dst ? m->move[0].src : m->move[0].dst;
	bool shared = false;

	for (unsigned i = 0; i < m->count; i++) {
		assert(m->move[i].src - base < sizeof(seen) && m->move[i].dst - base < sizeof(seen));
		seen[m->move[i].src - base] = 1;
	}
	for (unsigned i = 0; i < m->count; i++)
		shared |= seen[m->move[i].dst - base];
	for (unsigned i = 0; i < m->count; i++)
		seen[m->move[i].src - base] = 0;
	return shared;
}

static inline int move_ascending(const void *a, const void *b)
{
	uint64_t x = ((const struct move *)a)->dst, y = ((const struct move *)b)->dst;

	return (x > y) - (x < y);
}

static inline int move_descending(const void *a, const void *b) { return move_ascending(b, a); }

enum predicted { PREDICT_REFUSED, PREDICT_IN_ORDER, PREDICT_ASCENDING, PREDICT_DESCENDING };

/* The moves of a copy in the order in which they are made, or that it is refused. */
static inline enum predicted copy_predict(struct moves *m, const struct packet_copy *p)
{
	moves_of_copy(m, p);
	if (!moves_meet(m))
		return PREDICT_IN_ORDER;
	if (!copy_same_pitches(p))
		return PREDICT_REFUSED;
	if (p->src == p->dst)
		return PREDICT_IN_ORDER;
	if (!copy_orderly(p))
		return PREDICT_REFUSED;
	if (!moves_share(m))
		return PREDICT_IN_ORDER;
	qsort(m->move, m->count, sizeof(m->move[0]), p->dst > p->src ? move_descending : move_ascending);
	return p->dst > p->src ? PREDICT_DESCENDING : PREDICT_ASCENDING;
}

#endif
