/* What kernels share: planes of images, borders, saturation. */

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

/* Bit images: pixel x of a row is bit x % 8 of byte x / 8. */
static inline uint bit_at(global const uchar *p, plane_t d, int x, int y)
{
	uint bit = (uint)x + d.offset_bits;
	return p[d.offset + y * d.stride_y + (bit >> 3)] >> (bit & 7) & 1;
}
