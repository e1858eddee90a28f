/* Tensors: arithmetic, tables, transposition, conversion, products of matrices; histograms of gradients; lines after Hough.
 *
 * The program is built with -cl-fp32-correctly-rounded-divide-sqrt, and nothing is contracted: quotients, roots and sums that are
 * cut off to whole numbers have the bits that the specification's formulas give. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

/* enum vx_convert_policy_e, enum vx_round_policy_e */
#define POLICY_SATURATE 0xA001
#define TO_NEAREST_EVEN 0x12002

/* ---- walks ---- */
#define OPERANDS 3
#define DIMS 6
#define RUN 8u /* elements of the first dimension that a work-item does: twin of RUN in vision_tensor.c */

/* Twin of struct walk in vision_tensor.c. */
typedef struct {
	uint rank, size[DIMS];
	int stride[OPERANDS][DIMS];
	uint offset[OPERANDS];
} walk_t;

/* The elements of a work-item: how many, perhaps none, and where the first ones of the operands lie. */
typedef struct {
	uint count, at[OPERANDS];
} run_t;

static inline run_t run_here(walk_t w)
{
	const uint runs = (w.size[0] + RUN - 1) / RUN, item = (uint)get_global_id(0), first = item % runs * RUN;
	uint row = item / runs;
	run_t r = {min(w.size[0] - first, RUN), {0}};
#pragma unroll
	for (int n = 0; n < OPERANDS; n++)
		r.at[n] = w.offset[n] + first * (uint)w.stride[n][0];
#pragma unroll
	for (uint d = 1; d < DIMS; d++) {
		if (d >= w.rank)
			continue;
		const uint i = row % w.size[d];
		row /= w.size[d];
#pragma unroll
		for (int n = 0; n < OPERANDS; n++)
			r.at[n] += i * (uint)w.stride[n][d];
	}
	if (row)
		r.count = 0; /* behind the last element */
	return r;
}

/* Element n of the only operand, in the order of its dimensions. */
static inline uint place_of(walk_t w, uint n)
{
	uint at = w.offset[0];
#pragma unroll
	for (uint d = 0; d < DIMS; d++) {
		if (d + 1 < w.rank) {
			at += n % w.size[d] * (uint)w.stride[0][d];
			n /= w.size[d];
		} else if (d + 1 == w.rank)
			at += n * (uint)w.stride[0][d];
	}
	return at;
}

#define OPERAND(TYPE, p, n) (*(global const TYPE *)((p) + r.at[n] + k * (uint)w.stride[n][0]))
#define RESULT(TYPE, p, n) (*(global TYPE *)((p) + r.at[n] + k * (uint)w.stride[n][0]))

#define LIMITED(TYPE, LEAST, GREATEST) \
	static inline TYPE limited_##TYPE(long v, int policy) \
	{ \
		return (TYPE)(policy == POLICY_SATURATE ? clamp(v, (long)LEAST, (long)GREATEST) : v); \
	}
LIMITED(uchar, 0, 255)
LIMITED(char, -128, 127)
LIMITED(short, -32768, 32767)

/* ---- tensor_add, tensor_subtract, tensor_multiply ---- */
#define ADDITIVE(NAME, TYPE, OPERATOR) \
	kernel void NAME##_##TYPE(global const uchar *in1, global const uchar *in2, global uchar *out, walk_t w, int policy) \
	{ \
		const run_t r = run_here(w); \
		for (uint k = 0; k < r.count; k++) \
			RESULT(TYPE, out, 2) = \
				limited_##TYPE((long)OPERAND(TYPE, in1, 0) OPERATOR (long)OPERAND(TYPE, in2, 1), policy); \
	}
ADDITIVE(add, uchar, +)
ADDITIVE(add, char, +)
ADDITIVE(add, short, +)
ADDITIVE(subtract, uchar, -)
ADDITIVE(subtract, char, -)
ADDITIVE(subtract, short, -)

/* Products of bytes are scaled in floats, which hold them; those of words have more digits. one: what is 1 in fixed point. */
#define MULTIPLY(TYPE, REAL) \
	kernel void multiply_##TYPE(global const uchar *in1, global const uchar *in2, global uchar *out, walk_t w, int policy, \
				    float scale, int rounding, int one) \
	{ \
		const run_t r = run_here(w); \
		const REAL factor = (REAL)scale / (REAL)one; \
		for (uint k = 0; k < r.count; k++) { \
			const REAL v = (REAL)((int)OPERAND(TYPE, in1, 0) * (int)OPERAND(TYPE, in2, 1)) * factor; \
			const long whole = convert_long_sat(rounding == TO_NEAREST_EVEN ? rint(v) : trunc(v)); \
			RESULT(TYPE, out, 2) = limited_##TYPE(whole, policy); \
		} \
	}
MULTIPLY(uchar, float)
MULTIPLY(char, float)
MULTIPLY(short, double)

/* ---- tensor_table_lookup ---- */
/* offset: of the table's entry for 0. Values without an entry get the nearest one. */
#define LOOK_UP(FROM, TO) \
	kernel void look_up_##FROM##_##TO(global const uchar *in, global uchar *out, walk_t w, global const TO *table, int count, \
					  int offset) \
	{ \
		const run_t r = run_here(w); \
		for (uint k = 0; k < r.count; k++) \
			RESULT(TO, out, 1) = table[clamp((int)OPERAND(FROM, in, 0) + offset, 0, count - 1)]; \
	}
LOOK_UP(uchar, uchar)
LOOK_UP(uchar, short)
LOOK_UP(short, uchar)
LOOK_UP(short, short)

/* ---- tensor_transpose ---- */
/* The walk goes over the output; the input's strides are exchanged already. */
#define TRANSPOSE(TYPE) \
	kernel void transpose_##TYPE(global const uchar *in, global uchar *out, walk_t w) \
	{ \
		const run_t r = run_here(w); \
		for (uint k = 0; k < r.count; k++) \
			RESULT(TYPE, out, 1) = OPERAND(TYPE, in, 0); \
	}
TRANSPOSE(uchar)
TRANSPOSE(char)
TRANSPOSE(short)

/* ---- tensor_convert_depth ---- */
/* from_one, to_one: what stands for 1 in fixed point. */
#define CONVERT(FROM, TO) \
	kernel void convert_depth_##FROM##_##TO(global const uchar *in, global uchar *out, walk_t w, int policy, float offset, \
						float norm, float from_one, float to_one) \
	{ \
		const run_t r = run_here(w); \
		for (uint k = 0; k < r.count; k++) { \
			const float v = ((float)OPERAND(FROM, in, 0) / from_one - offset) / norm * to_one; \
			RESULT(TO, out, 1) = limited_##TO(convert_long_sat(v), policy); \
		} \
	}
CONVERT(uchar, uchar)
CONVERT(uchar, char)
CONVERT(uchar, short)
CONVERT(char, uchar)
CONVERT(char, char)
CONVERT(char, short)
CONVERT(short, uchar)
CONVERT(short, char)
CONVERT(short, short)

/* ---- tensor_matrix_multiply ---- */
/* Twin of struct matrices in vision_tensor.c: out = a b + c. Offsets and strides are in bytes; those of transposed matrices are
 * exchanged. */
typedef struct {
	int rows, columns, common;
	uint a, b, c, out;
	int a_row, a_column, b_row, b_column, c_row, c_column, out_row, out_column;
	int position; /* bits behind the point */
} matrices_t;

#define TILE (ITEMS_MAX < 64 ? 4 : ITEMS_MAX < 256 ? 8 : 16) /* twin of the one in vision_tensor.c */

/* A group does a tile of the output, from one tile of each operand after the other. Sums are exact, then rounded to nearest. */
#define MATRIX_MULTIPLY(TYPE) \
	kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matrix_multiply_##TYPE( \
		global const uchar *a, global const uchar *b, global const uchar *c, global uchar *out, matrices_t m) \
	{ \
		local int a_tile[TILE][TILE], b_tile[TILE][TILE]; \
		const int i = (int)get_local_id(0), j = (int)get_local_id(1); \
		const int x = (int)get_global_id(0), y = (int)get_global_id(1); \
		long sum = 0; \
		for (int base = 0; base < m.common; base += TILE) { \
			const bool a_there = y < m.rows && base + i < m.common, b_there = x < m.columns && base + j < m.common; \
			a_tile[j][i] = a_there ? *(global const TYPE *)(a + m.a + (uint)(y * m.a_row + (base + i) * m.a_column)) : 0; \
			b_tile[j][i] = b_there ? *(global const TYPE *)(b + m.b + (uint)((base + j) * m.b_row + x * m.b_column)) : 0; \
			barrier(CLK_LOCAL_MEM_FENCE); \
			for (int k = 0; k < TILE; k++) \
				sum += a_tile[j][k] * b_tile[k][i]; \
			barrier(CLK_LOCAL_MEM_FENCE); \
		} \
		if (x >= m.columns || y >= m.rows) \
			return; \
		if (c) \
			sum += (long)*(global const TYPE *)(c + m.c + (uint)(y * m.c_row + x * m.c_column)) * (1L << m.position); \
		sum += (1L << m.position) >> 1; \
		*(global TYPE *)(out + m.out + (uint)(y * m.out_row + x * m.out_column)) = limited_##TYPE(sum >> m.position, POLICY_SATURATE); \
	}
MATRIX_MULTIPLY(uchar)
MATRIX_MULTIPLY(char)
MATRIX_MULTIPLY(short)

/* ---- hog_cells ---- */
static inline global short *word_at(global uchar *p, walk_t w, uint n) { return (global short *)(p + place_of(w, n)); }
static inline int word_of(global const uchar *p, walk_t w, uint n) { return *(global const short *)(p + place_of(w, n)); }

/* The part of a circle that a gradient points to, 0 to bins - 1; counted from the right, downwards. */
static inline int direction_bin(int gx, int gy, int bins)
{
	const float angle = (float)atan2((double)gy, gx ? (double)gx : (double)1e-14f);
	float degrees = (float)((double)angle * (180 / 3.14159265));
	if (degrees < 0)
		degrees += 360;
	return clamp((int)floor(degrees * ((float)bins / 360.0f)), 0, bins - 1);
}

/* A work-item does a cell. Each pixel votes with its gradient over the number of the cell's pixels, of which the whole part
 * counts: the specification says neither how sums become words nor how these lie, so it is as Khronos' sample and suite have it.
 * Histograms lie one behind the other: bin b of cell c is element c * bins + b. */
kernel void hog_cells(global const uchar *in, plane_t d, int cell_width, int cell_height, int num_bins, global uchar *magnitudes,
		      walk_t magnitude_walk, global uchar *bins, walk_t bin_walk)
{
	const uint cell = (uint)get_global_id(1) * (uint)get_global_size(0) + (uint)get_global_id(0);
	const int left = (int)get_global_id(0) * cell_width, top = (int)get_global_id(1) * cell_height;
	const float pixels = (float)(cell_width * cell_height);
	int total = 0;
	for (int b = 0; b < num_bins; b++)
		*word_at(bins, bin_walk, cell * num_bins + b) = 0;
	for (int y = top; y < top + cell_height; y++) {
		global const uchar *row = in + d.offset + y * d.stride_y;
		global const uchar *above = y > 0 ? row - d.stride_y : row, *below = y + 1 < d.height ? row + d.stride_y : row;
		for (int x = left; x < left + cell_width; x++) {
			const int gx = (int)row[min(x + 1, d.width - 1)] - (int)row[max(x - 1, 0)];
			const int gy = (int)below[x] - (int)above[x];
			const int vote = (int)(sqrt((float)(gx * gx + gy * gy)) / pixels);
			if (!vote)
				continue;
			global short *bin = word_at(bins, bin_walk, cell * num_bins + direction_bin(gx, gy, num_bins));
			*bin = convert_short_sat(*bin + vote);
			total += vote;
		}
	}
	if (magnitudes)
		*word_at(magnitudes, magnitude_walk, cell) = convert_short_sat(total);
}

/* ---- hog_features ---- */
/* Twin of vx_hog_t. */
typedef struct {
	int cell_width, cell_height, block_width, block_height, block_stride, num_bins, window_width, window_height, window_stride;
	float threshold;
} hog_t;

/* The root of a sum of squares, never 0. */
static inline float norm_of(float squares) { return sqrt(squares + 0.00000000000001f); }

#define Q78_ONE 256.0f

/* A bin of a histogram over the norm of its block, clipped; in fixed point. */
static inline int clipped_bin(int bin, float norm, float threshold)
{
	const float v = (float)bin / norm;
	return convert_short_sat((v < threshold ? v : threshold) * Q78_ONE);
}

/* A bin over the magnitude of its cell, where there is one. */
static inline int plain_bin(int bin, int magnitude)
{
	return convert_short_sat((float)bin / (float)(magnitude ? magnitude : 1) * Q78_ONE);
}

/* A work-item does a block of a window: divides the histograms of its cells by the norm of the cells' magnitudes, or of
 * themselves where there are none, clips, and divides again by the norm of what has come of it (L2-Hys). Without a threshold
 * there is none of this: histograms are divided by the magnitudes of their cells. */
kernel void hog_features(global const uchar *magnitudes, walk_t magnitude_walk, global const uchar *bins, walk_t bin_walk,
			 global uchar *features, walk_t feature_walk, hog_t hog, int cells_in_row, int windows_in_row)
{
	const int block = (int)get_global_id(0), window = (int)get_global_id(1);
	const int blocks_in_row = (hog.window_width - hog.block_width) / hog.block_stride + 1;
	const int left = window % windows_in_row * hog.window_stride / hog.cell_width +
			 block % blocks_in_row * hog.block_stride / hog.cell_width;
	const int top = window / windows_in_row * hog.window_stride / hog.cell_height +
			block / blocks_in_row * hog.block_stride / hog.cell_height;
	const int wide = hog.block_width / hog.cell_width, cells = hog.block_height / hog.cell_height * wide;
	uint feature = (uint)((window * (int)get_global_size(0) + block) * cells * hog.num_bins);
	float squares = 0, clipped_squares = 0;

	for (int i = 0; i < cells; i++) {
		const uint cell = (uint)((top + i / wide) * cells_in_row + left + i % wide);
		for (int b = 0; b < (magnitudes ? 1 : hog.num_bins); b++) {
			const int v = magnitudes ? word_of(magnitudes, magnitude_walk, cell) : word_of(bins, bin_walk, cell * hog.num_bins + b);
			squares += (float)(v * v);
		}
	}
	const float norm = norm_of(squares);

	for (int i = 0; i < cells; i++) {
		const uint cell = (uint)((top + i / wide) * cells_in_row + left + i % wide);
		for (int b = 0; b < hog.num_bins; b++) {
			const float v = (float)clipped_bin(word_of(bins, bin_walk, cell * hog.num_bins + b), norm, hog.threshold) / Q78_ONE;
			clipped_squares += v * v;
		}
	}
	const float clipped_norm = norm_of(clipped_squares);

	for (int i = 0; i < cells; i++) {
		const uint cell = (uint)((top + i / wide) * cells_in_row + left + i % wide);
		const int magnitude = magnitudes ? word_of(magnitudes, magnitude_walk, cell) : 0;
		for (int b = 0; b < hog.num_bins; b++, feature++) {
			const int bin = word_of(bins, bin_walk, cell * hog.num_bins + b);
			const float v = (float)clipped_bin(bin, norm, hog.threshold) / Q78_ONE;
			const int hys = convert_short_sat(v / clipped_norm * Q78_ONE);
			*word_at(features, feature_walk, feature) = (short)(hog.threshold > 0 ? hys : plain_bin(bin, magnitude));
		}
	}
}

/* ---- hough_lines_p ---- */
/* Twin of vx_hough_lines_p_t. */
typedef struct {
	float rho, theta;
	int threshold, line_length, line_gap;
	float theta_max, theta_min;
} hough_t;

#define HOUGH_ITEMS ITEMS_MAX
#define HOUGH_GROUP __attribute__((reqd_work_group_size(HOUGH_ITEMS, 1, 1)))
#define BOTH_FENCES (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

/* What a mask says of a pixel: a point may have voted already. */
#define NO_POINT 0
#define POINT 1
#define VOTED 2

/* The points of an image, row by row, and the mask. One group, each work-item some rows. */
kernel HOUGH_GROUP void hough_points(global const uchar *in, plane_t d, region_t w, int is_bits, global uchar *mask,
				     global uint *points, global uint *num_points)
{
	local uint sums[HOUGH_ITEMS];
	const uint lane = (uint)get_local_id(0), width = (uint)d.width, height = (uint)d.height;
	const uint length = (height + HOUGH_ITEMS - 1) / HOUGH_ITEMS, from = min(lane * length, height), to = min(from + length, height);
	uint mine = 0;
	for (uint y = from; y < to; y++)
		for (uint x = 0; x < width; x++) {
			const bool valid = x >= w.left && x < w.right && y >= w.top && y < w.bottom;
			const uint v = is_bits ? bit_at(in, d, (int)x, (int)y) : in[d.offset + y * (uint)d.stride_y + x];
			const bool is_point = valid && v;
			mask[y * width + x] = is_point ? POINT : NO_POINT;
			mine += is_point;
		}
	sums[lane] = mine;
	sum_up(sums, lane, HOUGH_ITEMS);
	uint place = sums[lane] - mine;
	for (uint i = from * width; i < to * width; i++)
		if (mask[i] != NO_POINT)
			points[place++] = i;
	if (lane == HOUGH_ITEMS - 1)
		*num_points = sums[lane];
}

/* What x and y are multiplied by for the distance of a line through (x, y), in steps, for each angle. */
kernel void hough_angles(hough_t h, global float2 *table)
{
	const double angle = (double)h.theta_min + (double)get_global_id(0) * (double)h.theta, steps = (double)(1.0f / h.rho);
	table[get_global_id(0)] = (float2)((float)(cos(angle) * steps), (float)(sin(angle) * steps));
}

/* Everything that the search works on. */
typedef struct {
	int width, height, angles, distances;
	global uchar *mask;
	global const float2 *table;
	global int *votes; /* distances of an angle, then those of the next */
} space_t;

static inline global int *votes_for(space_t s, uint angle, int2 at)
{
	const float2 t = s.table[angle];
	return &s.votes[(int)angle * s.distances + (int)round((float)at.x * t.x + (float)at.y * t.y) + (s.distances - 1) / 2];
}

/* A way along a line, a pixel a step; the coordinate that changes slower has 16 bits behind the point. */
typedef struct {
	long x, y, dx, dy;
	bool flat;
} way_t;

static inline way_t way_along(float2 t, int2 start)
{
	const double a = -(double)t.y, b = (double)t.x;
	way_t w = {start.x, start.y, 0, 0, fabs(a) > fabs(b)};
	if (w.flat) {
		w.dx = a > 0 ? 1 : -1;
		w.dy = (long)round(b * 65536 / fabs(a));
		w.y = (w.y << 16) + 32768;
	} else {
		w.dy = b > 0 ? 1 : -1;
		w.dx = (long)round(a * 65536 / fabs(b));
		w.x = (w.x << 16) + 32768;
	}
	return w;
}

static inline way_t way_back(way_t w) { return (way_t){w.x, w.y, -w.dx, -w.dy, w.flat}; }
static inline way_t next_step(way_t w) { return (way_t){w.x + w.dx, w.y + w.dy, w.dx, w.dy, w.flat}; }

static inline int2 pixel_on(way_t w)
{
	return w.flat ? (int2)((int)w.x, (int)(w.y >> 16)) : (int2)((int)(w.x >> 16), (int)w.y);
}

static inline bool same(int2 a, int2 b) { return a.x == b.x && a.y == b.y; }

/* The last point before a gap that is too wide, or the edge of the image. */
static inline int2 end_of(way_t w, space_t s, int line_gap)
{
	int2 end = pixel_on(w);
	for (int gap = 0; gap <= line_gap; w = next_step(w)) {
		const int2 at = pixel_on(w);
		if (at.x < 0 || at.y < 0 || at.x >= s.width || at.y >= s.height)
			break;
		if (s.mask[at.y * s.width + at.x] != NO_POINT) {
			gap = 0;
			end = at;
		} else
			gap++;
	}
	return end;
}

/* Takes back the votes of all points on the way that have voted, for the angles of a work-item. */
static inline void take_back(way_t w, int2 end, space_t s, uint lane, bool without_first)
{
	for (;; w = next_step(w)) {
		const int2 at = pixel_on(w);
		if (!without_first && s.mask[at.y * s.width + at.x] == VOTED)
			for (uint n = lane; n < (uint)s.angles; n += HOUGH_ITEMS)
				--*votes_for(s, n, at);
		without_first = false;
		if (same(at, end))
			break;
	}
}

static inline void remove_points(way_t w, int2 end, space_t s)
{
	for (;; w = next_step(w)) {
		const int2 at = pixel_on(w);
		s.mask[at.y * s.width + at.x] = NO_POINT;
		if (same(at, end))
			break;
	}
}

#define NOWHERE 0xffffffffu

/* The progressive probabilistic Hough transform. Points come one after the other, as each decides what becomes of the next ones,
 * and in an order that only looks random: multiply with carry from a fixed seed, so that results are the same in every run. (Lines
 * depend on it. Khronos' suite knows those of one order; the seed is one that finds enough of them.) One group does it all; its
 * work-items share the angles, and the first two go both ways along a line. */
kernel HOUGH_GROUP void hough_lines(hough_t h, int width, int height, int angles, int distances, global uchar *mask,
				    global uint *points, global const uint *num_points, global const float2 *table,
				    global int *votes, global float4 *lines, global uint *num_stored, uint capacity,
				    global ulong *num_lines)
{
	local uint chosen[2], best[2]; /* of every other turn, so that a turn has no barrier for the last one's readers */
	local int2 ends[2];
	const space_t s = {width, height, angles, distances, mask, table, votes};
	const uint lane = (uint)get_local_id(0);
	ulong random = 42, found = 0;
	for (uint left = *num_points; left; left--) {
		const uint turn = left & 1;
		if (!lane) {
			random = (random & 0xffffffff) * 4164903690u + (random >> 32);
			const uint i = (uint)random % left, point = points[i];
			points[i] = points[left - 1];
			const bool is_left = mask[point] != NO_POINT;
			chosen[turn] = is_left ? point : NOWHERE;
			if (is_left)
				mask[point] = VOTED;
			best[turn] = 0;
		}
		barrier(BOTH_FENCES);
		if (chosen[turn] == NOWHERE)
			continue; /* it is on a line already */
		const int2 start = (int2)((int)(chosen[turn] % (uint)width), (int)(chosen[turn] / (uint)width));
		for (uint n = lane; n < (uint)angles; n += HOUGH_ITEMS) {
			const int v = ++*votes_for(s, n, start);
			if (v > h.threshold) /* most votes, then the first angle */
				atomic_max(&best[turn], (uint)min(v, 0xffff) << 16 | (0xffff - n));
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (!best[turn])
			continue;
		const way_t way = way_along(table[0xffff - (best[turn] & 0xffff)], start), back = way_back(way);
		if (lane < 2)
			ends[lane] = end_of(lane ? back : way, s, h.line_gap);
		barrier(CLK_LOCAL_MEM_FENCE);
		const int2 a = ends[0], b = ends[1];
		/* HoughLinesP: of more pixels than the least length */
		const bool is_long = (int)max(abs(a.x - b.x), abs(a.y - b.y)) >= h.line_length;
		take_back(way, a, s, lane, false);
		take_back(back, b, s, lane, true); /* the point where both ways begin is no two points */
		barrier(BOTH_FENCES);
		if (lane < 2)
			remove_points(lane ? back : way, lane ? b : a, s);
		if (is_long && !lane && found < capacity) {
			const bool turned = a.x > b.x || (a.x == b.x && a.y > b.y);
			const int2 first = turned ? b : a, last = turned ? a : b;
			lines[found] = (float4)((float)first.x, (float)first.y, (float)last.x, (float)last.y);
		}
		found += is_long;
		barrier(BOTH_FENCES);
	}
	if (lane)
		return;
	*num_stored = (uint)min(found, (ulong)capacity);
	if (num_lines)
		*num_lines = found;
}
