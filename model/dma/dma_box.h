/* What a copy or fill packet moves: a box of bytes on each side, and the order in which it is gone
 * through. */
#ifndef GALENA_MODEL_DMA_BOX_H
#define GALENA_MODEL_DMA_BOX_H
#include "abi/constants.h"
#include "abi/packets.h"
#include <stdbool.h>

/* slices of rows of width bytes. Rows and slices that lie next to each other on both sides are
 * merged; where there is one row or slice, its pitch is 0. */
struct dma_box {
	uint64_t src, dst; /* src of a fill is its pattern */
	uint64_t width;
	uint32_t rows, slices;
	uint32_t src_row, src_slice, dst_row, dst_slice;
	uint32_t pattern_size; /* 0: copy */
	bool backward;         /* last slice, row and byte first */
};

/* False when the packet is malformed (BAD_PACKET), as the packet table says: an empty box, a bad
 * pattern, or boxes that overlap and cannot be ordered. */
bool dma_box_make(struct dma_box *, const union packet *);
/* Bytes that it writes; UINT64_MAX when they are more. */
uint64_t dma_box_bytes(const struct dma_box *);

#endif
