/* Filters: what a pixel becomes by those around it.
 *
 * Kernels that look at 3 x 3 pixels do eight pixels of a row in a work-item, those of bits a byte; the others do one pixel. What
 * lies beyond the image is looked for only where a window reaches there. */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* ---- eight pixels of a row ---- */
/* What is handed over in vectors would otherwise go by way of memory. */
#define INLINE static inline __attribute__((always_inline))

typedef struct {
	int8 pixels;
	int left, right; /* of the eight */
} row_t;

/* Eight pixels that do not all lie in the image. Not in line: few work-items have such. */
static __attribute__((noinline)) ulong row_beyond(global const uchar *in, plane_t from, int x, int y, int border,
						  uint constant_value)
{
	ulong eight = 0;
	for (int i = 0; i < 8; i++)
		eight |= (ulong)at_u8(in, from, x + i, y, border, constant_value) << (8 * i);
	return eight;
}

/* At the left and right end of a row nothing parts the lanes, as long as the eight pixels are there: images whose width is a
 * multiple of eight have no others. */
INLINE row_t row_at(global const uchar *in, plane_t from, int x, int y, int border, uint constant_value)
{
	row_t row;
	if (x + 8 > from.width || (border == BORDER_CONSTANT && (uint)y >= (uint)from.height)) {
		row.pixels = convert_int8(as_uchar8(row_beyond(in, from, x, y, border, constant_value)));
		row.left = at_u8(in, from, x - 1, y, border, constant_value);
		row.right = at_u8(in, from, x + 8, y, border, constant_value);
	} else {
		global const uchar *p = PIXEL(const uchar, in, from, x, clamp(y, 0, from.height - 1));
		row.pixels = convert_int8(vload8(0, p));
		row.left = p[x > 0 ? -1 : 0];
		row.right = p[x + 8 < from.width ? 8 : 7];
		if (border == BORDER_CONSTANT) {
			row.left = x > 0 ? row.left : (int)constant_value;
			row.right = x + 8 < from.width ? row.right : (int)constant_value;
		}
	}
	return row;
}

#define STORE8(name, type) \
	INLINE void name(global uchar *out, plane_t to, int x, int y, type##8 v) \
	{ \
		global type *p = PIXEL(type, out, to, x, y); \
		if (x + 8 <= to.width) { \
			vstore8(v, 0, p); \
		} else { \
			type single[8]; \
			vstore8(v, 0, single); \
			for (int i = 0; x + i < to.width; i++) \
				p[i] = single[i]; \
		} \
	}
STORE8(store_u8, uchar)
STORE8(store_s16, short)

/* The neighbours to the left, and to the right, of each of the eight. */
INLINE int8 before(row_t r) { return (int8)(r.left, r.pixels.s01, r.pixels.s2345, r.pixels.s6); }
INLINE int8 after(row_t r) { return (int8)(r.pixels.s12, r.pixels.s3456, r.pixels.s7, r.right); }

INLINE int8 sum_of_3(row_t r) { return before(r) + r.pixels + after(r); }
INLINE int8 blur_of_3(row_t r) { return before(r) + 2 * r.pixels + after(r); }
INLINE int8 slope_of_3(row_t r) { return after(r) - before(r); }
INLINE int8 max_of_3(row_t r) { return max(max(before(r), r.pixels), after(r)); }
INLINE int8 min_of_3(row_t r) { return min(min(before(r), r.pixels), after(r)); }
INLINE int8 middle_of(int8 a, int8 b, int8 c) { return max(min(a, b), min(max(a, b), c)); }

#define FILTER_ARGS global const uchar *in, plane_t from, global uchar *out, plane_t to, int border, uint constant_value
#define EIGHT_PIXELS const int x = (int)get_global_id(0) * 8, y = (int)get_global_id(1)
#define ROW(dy) row_at(in, from, x, y + (dy), border, constant_value)

/* Each row is done with before the next one is loaded: a lane's registers do not hold three. */
kernel void box_3x3(FILTER_ARGS)
{
	EIGHT_PIXELS;
	int8 sum = sum_of_3(ROW(-1));
	sum += sum_of_3(ROW(0));
	sum += sum_of_3(ROW(1));
	store_u8(out, to, x, y, convert_uchar8(as_uint8(sum) / 9u));
}

kernel void gaussian_3x3(FILTER_ARGS)
{
	EIGHT_PIXELS;
	int8 sum = blur_of_3(ROW(-1));
	sum += 2 * blur_of_3(ROW(0));
	sum += blur_of_3(ROW(1));
	store_u8(out, to, x, y, convert_uchar8(sum >> 4));
}

kernel void dilate_3x3(FILTER_ARGS)
{
	EIGHT_PIXELS;
	int8 highest = max_of_3(ROW(-1));
	highest = max(highest, max_of_3(ROW(0)));
	highest = max(highest, max_of_3(ROW(1)));
	store_u8(out, to, x, y, convert_uchar8(highest));
}

kernel void erode_3x3(FILTER_ARGS)
{
	EIGHT_PIXELS;
	int8 lowest = min_of_3(ROW(-1));
	lowest = min(lowest, min_of_3(ROW(0)));
	lowest = min(lowest, min_of_3(ROW(1)));
	store_u8(out, to, x, y, convert_uchar8(lowest));
}

/* Columns are sorted. Of three that are next to each other, the middle one of the nine values is the middle one of the highest of
 * what is low, the middle one of what is in the middle, and the lowest of what is high. */
kernel void median_3x3(FILTER_ARGS)
{
	EIGHT_PIXELS;
	const row_t a = ROW(-1), b = ROW(0), c = ROW(1);
	row_t low, middle, high;
#define SORT(part) \
	low.part = min(min(a.part, b.part), c.part); \
	middle.part = max(min(a.part, b.part), min(max(a.part, b.part), c.part)); \
	high.part = max(max(a.part, b.part), c.part)
	SORT(left);
	SORT(pixels);
	SORT(right);
#undef SORT
	const int8 result = middle_of(max_of_3(low), middle_of(before(middle), middle.pixels, after(middle)), min_of_3(high));
	store_u8(out, to, x, y, convert_uchar8(result));
}

/* out is the gradient along x, where outputs has bit 0; the one along y is asked for where it has bit 1. */
kernel void sobel_3x3(FILTER_ARGS, global uchar *out_y, plane_t to_y, int outputs)
{
	EIGHT_PIXELS;
	row_t row = ROW(-1);
	int8 along_x = slope_of_3(row), along_y = -blur_of_3(row);
	along_x += 2 * slope_of_3(ROW(0));
	row = ROW(1);
	along_x += slope_of_3(row);
	along_y += blur_of_3(row);
	if (outputs & 1)
		store_s16(out, to, x, y, convert_short8(along_x));
	if (outputs & 2)
		store_s16(out_y, to_y, x, y, convert_short8(along_y));
}

/* ---- bits ---- */
/* A pixel that may lie outside, as at_u8 has it. */
static inline uint at_u1(global const uchar *in, plane_t from, int x, int y, int border, uint constant_value)
{
	if (border == BORDER_CONSTANT && ((uint)x >= (uint)from.width || (uint)y >= (uint)from.height))
		return constant_value;
	return bit_at(in, from, clamp(x, 0, from.width - 1), clamp(y, 0, from.height - 1));
}

/* Ten pixels of a row, from the one to the left of x on; the first is the lowest bit. */
static inline uint ten_bits(global const uchar *in, plane_t from, int x, int y, int border, uint constant_value)
{
	uint bits = 0;
	if (x >= 1 && x + 9 <= from.width && (uint)y < (uint)from.height) {
		const uint first = (uint)(x - 1) + from.offset_bits;
		global const uchar *p = in + from.offset + y * from.stride_y + (first >> 3);
		bits = p[0] | (uint)p[1] << 8;
		if ((first & 7) == 7)
			bits |= (uint)p[2] << 16;
		return bits >> (first & 7);
	}
	for (int i = 0; i < 10; i++)
		bits |= at_u1(in, from, x + i - 1, y, border, constant_value) << i;
	return bits;
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
	*p = (uchar)((*p & ~mask) | (bits & mask));
}

#define BYTE_OF_PIXELS const int x = (int)get_global_id(0) * 8 - (int)to.offset_bits, y = (int)get_global_id(1)
#define BITS(dy) ten_bits(in, from, x, y + (dy), border, constant_value)

/* Pixels are set where at least so many of the nine around them are. */
kernel void count_3x3_u1(FILTER_ARGS, int least)
{
	BYTE_OF_PIXELS;
	const uint a = BITS(-1), b = BITS(0), c = BITS(1);
	uint bits = 0;
	for (int i = 0; i < 8; i++) {
		const uint nine = (a >> i & 7) | (b >> i & 7) << 3 | (c >> i & 7) << 6;
		bits |= (uint)((int)popcount(nine) >= least) << i;
	}
	store_bits(out, to, x, y, bits);
}

/* ---- windows of any size ---- */
#define ONE_PIXEL const int x = (int)get_global_id(0), y = (int)get_global_id(1)

/* Whether a window lies in the image. */
static inline bool window_inside(plane_t from, int left, int top, int columns, int rows)
{
	return left >= 0 && top >= 0 && left + columns <= from.width && top + rows <= from.height;
}

/* A sum over 2 to the shift, towards zero. */
static inline int scaled(int sum, int shift) { return (sum + (int)((uint)(sum >> 31) & ((1u << shift) - 1))) >> shift; }

/* The matrix is turned by half a turn: its last coefficient belongs to the first pixel of the window. */
#define CONVOLVE(name, type) \
	kernel void name(FILTER_ARGS, global const short *matrix, int columns, int rows, int shift) \
	{ \
		ONE_PIXEL; \
		const int left = x - columns / 2, top = y - rows / 2; \
		global const short *m = matrix + columns * rows; \
		int sum = 0; \
		if (window_inside(from, left, top, columns, rows)) { \
			for (int r = 0; r < rows; r++) { \
				global const uchar *p = PIXEL(const uchar, in, from, left, top + r); \
				for (int c = 0; c < columns; c++) \
					sum += p[c] * *--m; \
			} \
		} else { \
			for (int r = 0; r < rows; r++) \
				for (int c = 0; c < columns; c++) \
					sum += at_u8(in, from, left + c, top + r, border, constant_value) * *--m; \
		} \
		*PIXEL(type, out, to, x, y) = convert_##type##_sat(scaled(sum, shift)); \
	}
CONVOLVE(convolve_u8, uchar)
CONVOLVE(convolve_s16, short)

/* enum vx_non_linear_filter_e */
#define NONLINEAR_MEDIAN 0x16000
#define NONLINEAR_MIN 0x16001
#define NONLINEAR_MAX 0x16002

enum { WINDOW_MAX = 9 * 9 };

/* The one that has so many below it in order: the highest number that no more values than that are below, bit by bit. */
static inline uint in_order(const uchar *values, int count, int below)
{
	uint found = 0;
	for (uint bit = 0x80; bit; bit >>= 1) {
		int less = 0;
		for (int i = 0; i < count; i++)
			less += values[i] < (found | bit);
		found |= less <= below ? bit : 0;
	}
	return found;
}

static inline uint chosen(const uchar *values, int count, int function)
{
	if (function == NONLINEAR_MEDIAN)
		return in_order(values, count, count / 2);
	uint result = function == NONLINEAR_MIN ? 0xff : 0;
	for (int i = 0; i < count; i++)
		result = function == NONLINEAR_MIN ? min(result, (uint)values[i]) : max(result, (uint)values[i]);
	return result;
}

kernel void nonlinear_u8(FILTER_ARGS, global const uchar *mask, int columns, int rows, int origin_x, int origin_y, int function)
{
	ONE_PIXEL;
	const int left = x - origin_x, top = y - origin_y;
	const bool inside = window_inside(from, left, top, columns, rows);
	uchar values[WINDOW_MAX];
	int count = 0;
	for (int r = 0; r < rows; r++)
		for (int c = 0; c < columns; c++)
			if (mask[r * columns + c])
				values[count++] = inside ? *PIXEL(const uchar, in, from, left + c, top + r)
							 : at_u8(in, from, left + c, top + r, border, constant_value);
	*PIXEL(uchar, out, to, x, y) = (uchar)chosen(values, count, function);
}

/* How many pixels of the window have to be set for the result to be. */
static inline int bits_needed(int count, int function)
{
	return function == NONLINEAR_MIN ? count : function == NONLINEAR_MAX ? 1 : count - count / 2;
}

kernel void nonlinear_u1(FILTER_ARGS, global const uchar *mask, int columns, int rows, int origin_x, int origin_y, int function)
{
	BYTE_OF_PIXELS;
	uint bits = 0;
	for (int i = 0; i < 8; i++) {
		int count = 0, ones = 0;
		for (int r = 0; r < rows; r++)
			for (int c = 0; c < columns; c++)
				if (mask[r * columns + c]) {
					count++;
					ones += at_u1(in, from, x + i - origin_x + c, y - origin_y + r, border, constant_value);
				}
		bits |= (uint)(ones >= bits_needed(count, function)) << i;
	}
	store_bits(out, to, x, y, bits);
}

constant const int gaussian[3][3] = {{1, 0, 0}, {2, 1, 0}, {6, 4, 1}}; /* by radius and distance */

/* A Gaussian at every other pixel. Bits have no fractions: one is set when half of the weight or more is. */
kernel void half_u1(FILTER_ARGS, int radius)
{
	BYTE_OF_PIXELS;
	const int at_y = (int)((2 * (long)y + 1) * from.height / (2 * (long)to.height));
	uint bits = 0;
	for (int i = 0; i < 8; i++) {
		const int at_x = (int)((2 * (long)(x + i) + 1) * from.width / (2 * (long)to.width));
		int sum = 0;
		for (int dy = -radius; dy <= radius; dy++)
			for (int dx = -radius; dx <= radius; dx++)
				sum += gaussian[radius][abs(dy)] * gaussian[radius][abs(dx)] *
				       (int)at_u1(in, from, at_x + dx, at_y + dy, border, constant_value);
		bits |= (uint)(2 * sum >= 1 << (4 * radius)) << i;
	}
	store_bits(out, to, x, y, bits);
}

/* ---- local binary patterns ---- */
/* enum vx_lbp_format_e */
#define LBP_MODIFIED 0x18001
#define LBP_UNIFORM 0x18002

/* The ring around a pixel, from the top left one on. Those with even numbers are diagonal. */
constant const int ring_x[8] = {-1, 0, 1, 1, 1, 0, -1, -1}, ring_y[8] = {-1, -1, -1, 0, 1, 1, 1, 0};

kernel void lbp(FILTER_ARGS, int format, int straight, int diagonal)
{
	ONE_PIXEL;
	const int reach = max(straight, diagonal);
	global const uchar *p = PIXEL(const uchar, in, from, x, y);
	uint ring[8], sum = 0, pattern = 0;
	if (window_inside(from, x - reach, y - reach, 2 * reach + 1, 2 * reach + 1)) {
		for (int i = 0; i < 8; i++) {
			const int far = i & 1 ? straight : diagonal;
			ring[i] = p[ring_y[i] * far * from.stride_y + ring_x[i] * far];
		}
	} else {
		for (int i = 0; i < 8; i++) {
			const int far = i & 1 ? straight : diagonal;
			ring[i] = at_u8(in, from, x + ring_x[i] * far, y + ring_y[i] * far, border, constant_value);
		}
	}
	for (int i = 0; i < 8; i++)
		sum += ring[i];
	const uint least = format == LBP_MODIFIED ? (sum + 1) / 8 + 1 : *p;
	for (int i = 0; i < 8; i++)
		pattern |= (uint)(ring[i] >= least) << i;
	/* Of the uniform patterns 0 and 1 follow each other twice at most, around the ring; all others are one. */
	if (format == LBP_UNIFORM && popcount((pattern ^ (pattern >> 1 | pattern << 7)) & 0xff) > 2)
		pattern = 9;
	*PIXEL(uchar, out, to, x, y) = (uchar)pattern;
}

/* ---- local maxima ---- */
enum { MASK_NONE, MASK_BYTES, MASK_BITS };

static inline bool is_masked(global const uchar *mask, plane_t shape, int kind, int x, int y)
{
	if (kind == MASK_BYTES)
		return *PIXEL(const uchar, mask, shape, x, y) != 0;
	return kind == MASK_BITS && bit_at(mask, shape, x, y);
}

/* Pixels that the mask hides stay, and suppress nothing; nor does what lies beyond an image without a defined border. A pixel has
 * to be no lower than those before it, and higher than those behind it. */
#define SUPPRESS(name, type, at, suppressed) \
	kernel void name(FILTER_ARGS, global const uchar *mask, plane_t shape, int kind, int radius) \
	{ \
		ONE_PIXEL; \
		const bool inside = window_inside(from, x - radius, y - radius, 2 * radius + 1, 2 * radius + 1); \
		const int value = *PIXEL(const type, in, from, x, y); \
		bool hidden = is_masked(mask, shape, kind, x, y), kept = true; \
		for (int dy = -radius; dy <= radius && kept && !hidden; dy++) \
			for (int dx = -radius; dx <= radius && kept; dx++) { \
				const int to_x = x + dx, to_y = y + dy; \
				const bool there = inside || ((uint)to_x < (uint)from.width && (uint)to_y < (uint)from.height); \
				if (there ? is_masked(mask, shape, kind, to_x, to_y) : border == BORDER_UNDEFINED) \
					continue; \
				const int other = there ? *PIXEL(const type, in, from, to_x, to_y) \
							: at(in, from, to_x, to_y, border, constant_value); \
				kept = other < value || (other == value && (dy < 0 || (dy == 0 && dx <= 0))); \
			} \
		*PIXEL(type, out, to, x, y) = kept ? (type)value : (type)(suppressed); \
	}
SUPPRESS(suppress_u8, uchar, at_u8, 0)
SUPPRESS(suppress_s16, short, at_s16, SHRT_MIN)

/* ---- searching for an image ---- */
/* The image that is searched for has no more than 65535 pixels: 32 bits hold the sum of their squares. */
#define MATCH(name, sums, step, result) \
	kernel void name(global const uchar *in, plane_t from, global const uchar *searched, plane_t shape, global uchar *out, \
			 plane_t to) \
	{ \
		ONE_PIXEL; \
		sums; \
		for (int v = 0; v < shape.height; v++) { \
			global const uchar *p = PIXEL(const uchar, in, from, x, y + v); \
			global const uchar *q = PIXEL(const uchar, searched, shape, 0, v); \
			for (int u = 0; u < shape.width; u++) { \
				const uint a = q[u], b = p[u]; \
				step; \
			} \
		} \
		*PIXEL(short, out, to, x, y) = convert_short_sat(result); \
	}
#define MEAN (sum / (uint)(shape.width * shape.height))
MATCH(match_hamming, uint sum = 0, sum += a ^ b, MEAN)
MATCH(match_l1, uint sum = 0, sum += abs_diff(a, b), MEAN)
MATCH(match_l2, uint sum = 0, sum += (a - b) * (a - b), MEAN)
MATCH(match_ccorr, uint sum = 0, sum += a * b, MEAN)
/* Rounded up, so that nothing but an equal is at distance 0: numbers are small, and the place that is looked for has to be told from
 * those around it. */
MATCH(match_l2_norm, uint sum = 0; ulong squares = 0,
      sum += (a - b) * (a - b); squares += (ulong)(a * b) * (a * b), ceil(sum / sqrt((double)squares)))
MATCH(match_ccorr_norm, uint sum = 0; uint squares_a = 0; uint squares_b = 0,
      sum += a * b; squares_a += a * a; squares_b += b * b, sum * 32768.0 / sqrt((double)squares_a * squares_b))

/* ---- bilateral filter of tensors ---- */
/* Twin of struct tensor_arg in vision_filters.c. */
typedef struct {
	uint offset;
	int values, width, height;              /* of a place; places */
	int stride_value, stride_x, stride_y;   /* bytes */
} tensor_t;

#define ELEMENT(type, p, t, v, x, y) \
	((global type *)((p) + (t).offset + (y) * (t).stride_y + (x) * (t).stride_x + (v) * (t).stride_value))

/* A square of weights by place, 0 outside of its circle, then weights by the difference of values. */
kernel void bilateral_weights(global float *weights, int radius, float sigma_space, float sigma_values)
{
	const int i = (int)get_global_id(0), side = 2 * radius + 1, differences = side * side;
	if (i < differences) {
		const int dx = i % side - radius, dy = i / side - radius, square = dx * dx + dy * dy;
		weights[i] = square <= radius * radius ? (float)exp(square * (-0.5 / (sigma_space * sigma_space))) : 0.0f;
	} else {
		const double difference = i - differences;
		weights[i] = (float)exp(difference * difference * (-0.5 / (sigma_values * sigma_values)));
	}
}

/* limit: differences that have a weight; that of others is 0. How much two places differ is the sum over all their values. */
#define BILATERAL(name, type) \
	kernel void name(global const uchar *in, tensor_t from, global uchar *out, tensor_t to, global const float *weights, \
			 int radius, int limit, int border, uint constant_value) \
	{ \
		ONE_PIXEL; \
		const int side = 2 * radius + 1; \
		global const float *by_difference = weights + side * side; \
		for (int v = 0; v < from.values; v++) { \
			global const float *by_place = weights; \
			float sum = 0, total = 0; \
			for (int to_y = y - radius; to_y <= y + radius; to_y++) \
				for (int to_x = x - radius; to_x <= x + radius; to_x++) { \
					const float place = *by_place++; \
					if (place == 0.0f) \
						continue; \
					const int near_x = clamp(to_x, 0, from.width - 1); \
					const int near_y = clamp(to_y, 0, from.height - 1); \
					const bool filled = border == BORDER_CONSTANT && (near_x != to_x || near_y != to_y); \
					int difference = 0; \
					for (int k = 0; k < from.values; k++) { \
						const int other = filled ? (type)constant_value \
									 : *ELEMENT(const type, in, from, k, near_x, near_y); \
						difference += abs(other - *ELEMENT(const type, in, from, k, x, y)); \
					} \
					if (difference >= limit) \
						continue; \
					const int value = filled ? (type)constant_value \
								 : *ELEMENT(const type, in, from, v, near_x, near_y); \
					const float weight = place * by_difference[difference]; \
					sum += value * weight; \
					total += weight; \
				} \
			*ELEMENT(type, out, to, v, x, y) = (type)(int)round(sum / total); \
		} \
	}
BILATERAL(bilateral_u8, uchar)
BILATERAL(bilateral_s16, short)
