/* Filters: what a pixel becomes by those around it.
 *
 * Kernels that look at 3 x 3 pixels do eight pixels of a row in a work-item, those of bits a byte; the others do one pixel. What
 * lies beyond the image is looked for only where a window reaches there. */

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* ---- eight pixels of a row ---- */
/* What is handed over in structures would otherwise go by way of memory. */
#define INLINE static inline __attribute__((always_inline))

/* Four pixels in a word, 16 bits each: one instruction does something to all of them. Those with even numbers of the eight are in
 * one word, those with odd numbers in another. */
#define EACH(value) ((value) * 0x0001000100010001ul)

typedef struct {
	ulong even, odd;
} eight_t;

typedef struct {
	eight_t eight;
	uint left, right; /* of the eight */
} row_t;

/* Eight pixels that are no word, or do not all lie in the image. Not in line: few work-items have such. */
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
	ulong bytes;
	global const uchar *p = PIXEL(const uchar, in, from, x, clamp(y, 0, from.height - 1));
	if (x + 8 > from.width || ((size_t)p & 7) || (border == BORDER_CONSTANT && (uint)y >= (uint)from.height)) {
		bytes = row_beyond(in, from, x, y, border, constant_value);
		row.left = at_u8(in, from, x - 1, y, border, constant_value);
		row.right = at_u8(in, from, x + 8, y, border, constant_value);
	} else {
		bytes = *(global const ulong *)p;
		row.left = p[x > 0 ? -1 : 0];
		row.right = p[x + 8 < from.width ? 8 : 7];
		if (border == BORDER_CONSTANT) {
			row.left = x > 0 ? row.left : constant_value;
			row.right = x + 8 < from.width ? row.right : constant_value;
		}
	}
	row.eight = (eight_t){bytes & EACH(0xff), bytes >> 8 & EACH(0xff)};
	return row;
}

INLINE void store_u8(global uchar *out, plane_t to, int x, int y, eight_t v)
{
	global uchar *p = PIXEL(uchar, out, to, x, y);
	const ulong bytes = v.even | v.odd << 8;
	if (x + 8 <= to.width && !((size_t)p & 7)) {
		*(global ulong *)p = bytes;
	} else {
#pragma unroll 1
		for (int i = 0; i < min(8, to.width - x); i++)
			p[i] = (uchar)(bytes >> 8 * i);
	}
}

INLINE void store_s16(global uchar *out, plane_t to, int x, int y, eight_t v)
{
	global short *p = PIXEL(short, out, to, x, y);
	const ulong pairs_even = v.even & 0x0000ffff0000fffful, pairs_odd = v.odd & 0x0000ffff0000fffful; /* pixels 0, 4; 1, 5 */
	const ulong first = pairs_even | pairs_odd << 16; /* pixels 0, 1, 4, 5 */
	const ulong second = (v.even ^ pairs_even) >> 16 | (v.odd ^ pairs_odd);
	const ulong low = (first & 0xffffffff) | second << 32, high = first >> 32 | (second & 0xffffffff00000000ul);
	if (x + 8 <= to.width && !((size_t)p & 7)) {
		((global ulong *)p)[0] = low;
		((global ulong *)p)[1] = high;
	} else {
#pragma unroll 1
		for (int i = 0; i < min(8, to.width - x); i++)
			p[i] = (short)((i < 4 ? low : high) >> 16 * (i & 3));
	}
}

/* The neighbours to the left of those with even numbers, and to the right of those with odd ones; the others are in eight. */
INLINE ulong before_even(row_t r) { return r.eight.odd << 16 | r.left; }
INLINE ulong after_odd(row_t r) { return r.eight.even >> 16 | (ulong)r.right << 48; }

INLINE eight_t plus(eight_t a, eight_t b) { return (eight_t){a.even + b.even, a.odd + b.odd}; }
INLINE eight_t minus(eight_t a, eight_t b) { return (eight_t){a.even - b.even, a.odd - b.odd}; }
INLINE eight_t twice(eight_t a) { return (eight_t){a.even << 1, a.odd << 1}; }

INLINE eight_t sum_of_3(row_t r)
{
	const ulong both = r.eight.even + r.eight.odd;
	return (eight_t){both + before_even(r), both + after_odd(r)};
}

INLINE eight_t blur_of_3(row_t r) { return plus(sum_of_3(r), r.eight); }

/* The pixel behind less the one before. So that none of the four is negative, each has this added. */
#define SLOPE_BIAS 256ul
INLINE eight_t slope_of_3(row_t r)
{
	return (eight_t){r.eight.odd + EACH(SLOPE_BIAS) - before_even(r), after_odd(r) + EACH(SLOPE_BIAS) - r.eight.even};
}

/* Numbers of 15 bits less bias, as signed ones of 16. */
INLINE ulong unbiased(ulong a, ulong bias) { return ((a | EACH(0x8000ul)) - EACH(bias)) ^ EACH(0x8000ul); }

/* Of bytes: what a and b differ in, where a is not less than b. */
INLINE ulong excess(ulong a, ulong b)
{
	const ulong not_less = ((a | EACH(0x100ul)) - b) & EACH(0x100ul);
	return (a ^ b) & (not_less - (not_less >> 8));
}

INLINE ulong greater(ulong a, ulong b) { return b ^ excess(a, b); }
INLINE ulong lesser(ulong a, ulong b) { return a ^ excess(a, b); }
INLINE ulong middle_of(ulong a, ulong b, ulong c)
{
	const ulong difference = excess(a, b);
	return greater(a ^ difference, lesser(b ^ difference, c));
}

INLINE eight_t max_of_3(row_t r)
{
	const ulong both = greater(r.eight.even, r.eight.odd);
	return (eight_t){greater(both, before_even(r)), greater(both, after_odd(r))};
}

INLINE eight_t min_of_3(row_t r)
{
	const ulong both = lesser(r.eight.even, r.eight.odd);
	return (eight_t){lesser(both, before_even(r)), lesser(both, after_odd(r))};
}

INLINE eight_t middle_of_3(row_t r)
{
	return (eight_t){middle_of(before_even(r), r.eight.even, r.eight.odd), middle_of(r.eight.even, r.eight.odd, after_odd(r))};
}

#define FILTER_ARGS global const uchar *in, plane_t from, global uchar *out, plane_t to, int border, uint constant_value
#define EIGHT_PIXELS const int x = (int)get_global_id(0) * 8, y = (int)get_global_id(1)
#define ROW(dy) row_at(in, from, x, y + (dy), border, constant_value)

/* Sums of nine bytes by nine: exact, since 7282 is that much more than 65536 / 9 that it matters from 32768 on only. Two at a
 * time, as products take 32 bits. */
INLINE ulong ninth(ulong sums)
{
	const ulong pair = 0x0000ffff0000fffful, byte = 0x000000ff000000fful;
	return ((sums & pair) * 7282 >> 16 & byte) | ((sums >> 16 & pair) * 7282 & byte << 16);
}

kernel void box_3x3(FILTER_ARGS)
{
	EIGHT_PIXELS;
	const eight_t sum = plus(plus(sum_of_3(ROW(-1)), sum_of_3(ROW(0))), sum_of_3(ROW(1)));
	store_u8(out, to, x, y, (eight_t){ninth(sum.even), ninth(sum.odd)});
}

kernel void gaussian_3x3(FILTER_ARGS)
{
	EIGHT_PIXELS;
	const eight_t sum = plus(plus(blur_of_3(ROW(-1)), twice(blur_of_3(ROW(0)))), blur_of_3(ROW(1)));
	store_u8(out, to, x, y, (eight_t){sum.even >> 4 & EACH(0xff), sum.odd >> 4 & EACH(0xff)});
}

/* Of three rows, first of each column. */
#define COLUMNS_OF_3(result, vector, scalar) \
	row_t result = ROW(-1); \
	for (int dy = 0; dy <= 1; dy++) { \
		const row_t next = ROW(dy); \
		result.eight = (eight_t){vector(result.eight.even, next.eight.even), vector(result.eight.odd, next.eight.odd)}; \
		result.left = scalar(result.left, next.left); \
		result.right = scalar(result.right, next.right); \
	}

kernel void dilate_3x3(FILTER_ARGS)
{
	EIGHT_PIXELS;
	COLUMNS_OF_3(highest, greater, max)
	store_u8(out, to, x, y, max_of_3(highest));
}

kernel void erode_3x3(FILTER_ARGS)
{
	EIGHT_PIXELS;
	COLUMNS_OF_3(lowest, lesser, min)
	store_u8(out, to, x, y, min_of_3(lowest));
}

/* Columns are sorted. Of three that are next to each other, the middle one of the nine values is the middle one of the highest of
 * what is low, the middle one of what is in the middle, and the lowest of what is high. */
kernel void median_3x3(FILTER_ARGS)
{
	EIGHT_PIXELS;
	const row_t a = ROW(-1), b = ROW(0), c = ROW(1);
	row_t low, middle, high;
#define SORT(type, part, least, most) \
	{ \
		const type less = least(a.part, b.part), more = most(a.part, b.part), rest = most(less, c.part); \
		low.part = least(less, c.part); \
		middle.part = least(more, rest); \
		high.part = most(more, rest); \
	}
	SORT(uint, left, min, max)
	SORT(ulong, eight.even, lesser, greater)
	SORT(ulong, eight.odd, lesser, greater)
	SORT(uint, right, min, max)
#undef SORT
	const eight_t l = max_of_3(low), m = middle_of_3(middle), h = min_of_3(high);
	store_u8(out, to, x, y, (eight_t){middle_of(l.even, m.even, h.even), middle_of(l.odd, m.odd, h.odd)});
}

/* out is the gradient along x, where outputs has bit 0; the one along y is asked for where it has bit 1. */
kernel void sobel_3x3(FILTER_ARGS, global uchar *out_y, plane_t to_y, int outputs)
{
	EIGHT_PIXELS;
	const row_t a = ROW(-1), b = ROW(0), c = ROW(1);
	if (outputs & 1) {
		const eight_t along = plus(plus(slope_of_3(a), twice(slope_of_3(b))), slope_of_3(c));
		store_s16(out, to, x, y, (eight_t){unbiased(along.even, 4 * SLOPE_BIAS), unbiased(along.odd, 4 * SLOPE_BIAS)});
	}
	if (outputs & 2) {
		const eight_t bias = {EACH(4 * SLOPE_BIAS), EACH(4 * SLOPE_BIAS)};
		const eight_t along = minus(plus(blur_of_3(c), bias), blur_of_3(a));
		store_s16(out_y, to_y, x, y, (eight_t){unbiased(along.even, 4 * SLOPE_BIAS), unbiased(along.odd, 4 * SLOPE_BIAS)});
	}
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

/* enum vx_non_linear_filter_e */
#define NONLINEAR_MEDIAN 0x16000
#define NONLINEAR_MIN 0x16001
#define NONLINEAR_MAX 0x16002

enum { WINDOW_MAX = 9 * 9 };

/* The one that has so many below it in order: the highest number that no more values than that are below, bit by bit. */
static inline uint in_order(const uint *values, int count, int below)
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

static inline uint chosen(const uint *values, int count, int function)
{
	if (function == NONLINEAR_MEDIAN)
		return in_order(values, count, count / 2);
	uint result = function == NONLINEAR_MIN ? 0xff : 0;
	for (int i = 0; i < count; i++)
		result = function == NONLINEAR_MIN ? min(result, values[i]) : max(result, values[i]);
	return result;
}

kernel void nonlinear_u8(FILTER_ARGS, global const uchar *mask, int columns, int rows, int origin_x, int origin_y, int function)
{
	ONE_PIXEL;
	const int left = x - origin_x, top = y - origin_y;
	const bool inside = window_inside(from, left, top, columns, rows);
	uint values[WINDOW_MAX]; /* private memory has words */
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
	const int at_y = nearest_pixel(y, from.height, to.height);
	uint bits = 0;
	for (int i = 0; i < 8; i++) {
		const int at_x = nearest_pixel(x + i, from.width, to.width);
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
