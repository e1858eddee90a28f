/* Pyramids: images that are halved, level by level, and doubled again. */

/* ---- copies ---- */
/* A work-item eight pixels of a row. */
kernel void copy_u8(global const uchar *in, plane_t from, global uchar *out, plane_t to)
{
	const int x = (int)get_global_id(0) * 8, y = (int)get_global_id(1);
	global const uchar *p = PIXEL(const uchar, in, from, x, y);
	global uchar *q = PIXEL(uchar, out, to, x, y);
	if (x + 8 <= to.width) {
		vstore8(vload8(0, p), 0, q);
	} else {
		for (int i = 0; x + i < to.width; i++)
			q[i] = p[i];
	}
}

/* ---- smaller ---- */
constant const int weights[3][5] = {{0, 0, 1, 0, 0}, {0, 1, 2, 1, 0}, {1, 4, 6, 4, 1}}; /* by radius */

/* A Gaussian, at the pixels that are taken and nowhere else. */
#define GAUSSIAN(name, type, at, radius) \
	kernel void name(global const uchar *in, plane_t from, global uchar *out, plane_t to, int border, uint constant_value) \
	{ \
		const int x = (int)get_global_id(0), y = (int)get_global_id(1); \
		const int left = nearest_pixel(x, from.width, to.width) - radius, top = nearest_pixel(y, from.height, to.height) - radius; \
		int sum = 0; \
		if (left >= 0 && top >= 0 && left + 2 * radius < from.width && top + 2 * radius < from.height) { \
			for (int r = 0; r <= 2 * radius; r++) { \
				global const type *p = PIXEL(const type, in, from, left, top + r); \
				int row = 0; \
				for (int c = 0; c <= 2 * radius; c++) \
					row += p[c] * weights[radius][2 - radius + c]; \
				sum += row * weights[radius][2 - radius + r]; \
			} \
		} else { \
			for (int r = 0; r <= 2 * radius; r++) \
				for (int c = 0; c <= 2 * radius; c++) \
					sum += at(in, from, left + c, top + r, border, constant_value) * \
					       weights[radius][2 - radius + c] * weights[radius][2 - radius + r]; \
		} \
		*PIXEL(type, out, to, x, y) = (type)(sum / (1 << (4 * radius))); \
	}
GAUSSIAN(gaussian_u8_1, uchar, at_u8, 0)
GAUSSIAN(gaussian_u8_3, uchar, at_u8, 1)
GAUSSIAN(gaussian_u8_5, uchar, at_u8, 2)
GAUSSIAN(gaussian_s16_5, short, at_s16, 2)

/* ---- larger ---- */
/* What pixel (x, y) becomes in an image of twice the size: the pixels at (2x, 2y), (2x + 1, 2y), (2x, 2y + 1), (2x + 1, 2y + 1).
 *
 * Between the pixels and between the rows zeros are put in, then comes the Gaussian of 5 x 5, four times. So a pixel that was
 * there sees itself and those at its sides by 6, 1 and 1, and a new one sees both neighbours by 4. The sum is divided first and
 * multiplied then, as Khronos' conformance suite has it: the two lowest bits are 0. Beyond the image its edge goes on. */
#define DOUBLED(name, type) \
	static inline __attribute__((always_inline)) int4 name(global const uchar *in, plane_t from, int x, int y) \
	{ \
		const int left = max(x - 1, 0), right = min(x + 1, from.width - 1); \
		int4 sum = (int4)(0); \
		for (int dy = -1; dy <= 1; dy++) { \
			global const type *p = PIXEL(const type, in, from, 0, clamp(y + dy, 0, from.height - 1)); \
			const int there = p[left] + 6 * p[x] + p[right], between = 4 * (p[x] + p[right]); \
			const int row_there = dy ? 1 : 6, row_between = dy < 0 ? 0 : 4; \
			sum += (int4)(row_there * there, row_there * between, row_between * there, row_between * between); \
		} \
		return sum / 256 * 4; \
	}
DOUBLED(doubled_u8, uchar)
DOUBLED(doubled_s16, short)

/* An image, less or plus what another one of half the size becomes. A work-item does the four pixels that one of the smaller
 * image becomes, as far as the larger image has them. */
#define COMBINE(name, type, sign, result, doubled) \
	kernel void name(global const uchar *smaller, plane_t shape, global const uchar *in, plane_t from, global uchar *out, \
			 plane_t to) \
	{ \
		const int x = (int)get_global_id(0), y = (int)get_global_id(1); \
		const int4 four = doubled(smaller, shape, x, y); \
		const int values[4] = {four.x, four.y, four.z, four.w}; \
		for (int i = 0; i < 4; i++) { \
			const int to_x = 2 * x + (i & 1), to_y = 2 * y + (i >> 1); \
			if (to_x < to.width && to_y < to.height) \
				*PIXEL(result, out, to, to_x, to_y) = \
					convert_##result##_sat(*PIXEL(const type, in, from, to_x, to_y) sign values[i]); \
		} \
	}
COMBINE(laplacian_u8, uchar, -, short, doubled_u8)
COMBINE(laplacian_s16, short, -, short, doubled_s16)
COMBINE(reconstruct_u8_u8, short, +, uchar, doubled_u8)
COMBINE(reconstruct_u8_s16, short, +, short, doubled_u8)
COMBINE(reconstruct_s16_u8, short, +, uchar, doubled_s16)
COMBINE(reconstruct_s16_s16, short, +, short, doubled_s16)
