/* Packets of 3D copies and fills. */
#include "runtime/umd/box.h"
#include <stdbool.h>

/* What a packet can say. */
#define PACKET_MAX 0xffffffffull

static void pack(struct box *b, const size_t region[3])
{
	if (!b->row)
		b->row = region[0];
	if (!b->slice)
		b->slice = b->row * region[1];
}

/* Pitches that are not used need not fit into a packet. */
static void drop_pitches(struct box *b, const size_t r[3])
{
	if (r[2] == 1)
		b->slice = 0;
	if (r[1] == 1)
		b->row = 0;
}

static bool packet_fits(const struct box *b) { return b->row <= PACKET_MAX && b->slice <= PACKET_MAX; }

static void copy_packet(const struct box *src, const struct box *dst, const size_t r[3], union packet *out)
{
	out->copy = (struct packet_copy){
		.head.type = PACKET_CODE_copy,
		.src = src->address,
		.dst = dst->address,
		.width = (uint32_t)r[0],
		.height = (uint32_t)r[1],
		.depth = (uint32_t)r[2],
		.src_row = (uint32_t)src->row,
		.src_slice = (uint32_t)src->slice,
		.dst_row = (uint32_t)dst->row,
		.dst_slice = (uint32_t)dst->slice,
	};
}

static void copy_split(struct box src, struct box dst, const size_t region[3], int dim, box_packet_fn next, void *arg)
{
	const size_t one[3] = {region[0], dim == 2 ? region[1] : 1, 1};
	for (size_t i = 0; i < region[dim]; i++) {
		box_copy_packets(src, dst, one, next, arg);
		src.address += dim == 2 ? src.slice : src.row;
		dst.address += dim == 2 ? dst.slice : dst.row;
	}
}

void box_copy_packets(struct box src, struct box dst, const size_t region[3], box_packet_fn next, void *arg)
{
	size_t r[3] = {region[0], region[1], region[2]};
	if (!r[0] || !r[1] || !r[2])
		return;
	pack(&src, r);
	pack(&dst, r);
	/* rows that lie end to end are one; so are slices */
	if (r[2] > 1 && src.slice == src.row * r[1] && dst.slice == dst.row * r[1] && r[1] * r[2] <= PACKET_MAX) {
		r[1] *= r[2];
		r[2] = 1;
	}
	if (r[1] > 1 && r[2] == 1 && src.row == r[0] && dst.row == r[0] && r[0] * r[1] <= PACKET_MAX) {
		r[0] *= r[1];
		r[1] = 1;
	}
	drop_pitches(&src, r);
	drop_pitches(&dst, r);
	if (packet_fits(&src) && packet_fits(&dst))
		copy_packet(&src, &dst, r, next(arg));
	else
		copy_split(src, dst, r, r[2] > 1 ? 2 : 1, next, arg);
}

void box_fill_packet(uint64_t pattern, unsigned size, struct box dst, const size_t region[3], box_packet_fn next, void *arg)
{
	size_t r[3] = {region[0], region[1], region[2]};
	if (!r[0] || !r[1] || !r[2])
		return;
	pack(&dst, r);
	drop_pitches(&dst, r);
	next(arg)->fill = (struct packet_fill){
		.head.type = PACKET_CODE_fill,
		.pattern = pattern,
		.dst = dst.address,
		.width = (uint32_t)r[0],
		.height = (uint32_t)r[1],
		.depth = (uint32_t)r[2],
		.pattern_size = size,
		.dst_row = (uint32_t)dst.row,
		.dst_slice = (uint32_t)dst.slice,
	};
}
