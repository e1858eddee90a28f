/* What kernels share: planes of images, borders, bits, sums of a work-group. */

/* Twin of struct plane_arg in launch.h. */
typedef struct {
	uint offset, offset_bits;
	int width, height;
	int stride_x, stride_y;
} plane_t;

/* Twin of vx_rectangle_t. */
typedef struct {
	uint left, top, right, bottom;
} region_t;

/* vx_keypoint_t */
typedef struct {
	int x, y;
	float strength, scale, orientation;
	int tracking_status;
	float error;
} keypoint_t;

/* Work-items of the largest work-groups: a power of two, at least 16. Devices that have smaller ones give a number of theirs. */
#ifndef ITEMS_MAX
#define ITEMS_MAX 256
#endif

/* enum vx_border_e */
#define BORDER_UNDEFINED 0xC000
#define BORDER_CONSTANT 0xC001
#define BORDER_REPLICATE 0xC002

#define PIXEL(type, p, d, x, y) ((global type *)((p) + (d).offset + (y) * (d).stride_y + (x) * (int)(d).stride_x))

/* A pixel of a plane that may lie outside; without a defined border it is the nearest inside, which is as good as any. */
#define BORDERED(name, type) \
	static inline type name(global const uchar *p, plane_t d, int x, int y, int border, uint constant_value) \
	{ \
		if (border == BORDER_CONSTANT && ((uint)x >= (uint)d.width || (uint)y >= (uint)d.height)) \
			return (type)constant_value; \
		x = clamp(x, 0, d.width - 1); \
		y = clamp(y, 0, d.height - 1); \
		return *(global const type *)(p + d.offset + y * d.stride_y + x * d.stride_x); \
	}
BORDERED(at_u8, uchar)
BORDERED(at_s16, short)

/* The pixel whose middle is the nearest to that of pixel i of an image of another size: the scale goes from edge to edge. Half way, it is
 * the one behind. The middle lies at (2 i + 1) / 2, in pixels of the other image at (2 i + 1) * from / (2 * to): whole numbers hit the
 * middles of pixels exactly, whatever the sizes. */
static inline int nearest_pixel(int i, int from, int to) { return (int)((2 * (long)i + 1) * from / (2 * (long)to)); }

/* Whether a pixel is the greatest beside its eight neighbours. Of equal ones the last one is. */
#define IS_GREATEST(type) \
	static inline bool is_greatest(global const type *p, int pitch) \
	{ \
		const type c = *p; \
		return c >= p[-pitch - 1] && c >= p[-pitch] && c >= p[-pitch + 1] && c >= p[-1] && c > p[1] && c > p[pitch - 1] && \
		       c > p[pitch] && c > p[pitch + 1]; \
	}

/* Bit images: pixel x of a row is bit x % 8 of byte x / 8. */
static inline uint bit_at(global const uchar *p, plane_t d, int x, int y)
{
	uint bit = (uint)x + d.offset_bits;
	return p[d.offset + y * d.stride_y + (bit >> 3)] >> (bit & 7) & 1;
}

/* Eight pixels from x on, which are one byte; those that are not the image's stay. */
static inline void store_bits(global uchar *out, plane_t to, int x, int y, uint bits)
{
	global uchar *p = out + to.offset + y * to.stride_y + ((uint)(x + (int)to.offset_bits) >> 3);
	uint mask = 0xff;
	if (x < 0)
		mask = mask << -x & 0xff;
	if (x + 8 > to.width)
		mask &= 0xffu >> (x + 8 - to.width);
	*p = (uchar)(mask == 0xff ? bits : (*p & ~mask) | (bits & mask));
}

/* ---- sums of a work-group ---- */
/* Every element becomes the sum of all up to it; the group has as many work-items as there are elements. Each of them sees its own. */
static inline void sum_up(local uint *sums, uint lane, uint count)
{
	for (uint step = 1; step < count; step *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint before = lane >= step ? sums[lane - step] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		sums[lane] += before;
	}
}

/* Makes n numbers places: of each what all before it come to, and in [n] what all do. A group of ITEMS_MAX work-items, and room for a
 * number of each. */
static inline void make_places(global uint *counts, uint n, local uint *sums)
{
	const uint lane = (uint)get_local_id(0), each = (n + ITEMS_MAX - 1) / ITEMS_MAX;
	const uint begin = min(lane * each, n), end = min(begin + each, n);
	uint sum = 0;
	for (uint i = begin; i < end; i++)
		sum += counts[i];
	sums[lane] = sum;
	sum_up(sums, lane, ITEMS_MAX);
	uint place = sums[lane] - sum;
	for (uint i = begin; i < end; i++) {
		const uint count = counts[i];
		counts[i] = place;
		place += count;
	}
	if (lane == ITEMS_MAX - 1)
		counts[n] = place;
}
