/* Histograms, mean and deviation, extremes, integral images. TYPE: of the pixels whose extremes are looked for, uchar or short.
 *
 * Sums are of whole numbers, so they do not depend on who adds first: results are the same in every run. Only pixels in the valid
 * window of the image count. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Groups that go over an image: GROUP_X work-items side by side, eight pixels each, GROUP_Y rows at a time. Groups that take one row
 * each have ROW_ITEMS work-items. Twins of these are in vision_statistics.c. */
#define GROUP_Y (ITEMS_MAX < 64 ? 2 : 8)
#define GROUP_X (ITEMS_MAX / GROUP_Y)
#define ROW_ITEMS (ITEMS_MAX < 64 ? ITEMS_MAX : 64)
#define OVER_IMAGE __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
#define OVER_ROW __attribute__((reqd_work_group_size(ROW_ITEMS, 1, 1)))
#define FULL_GROUP __attribute__((reqd_work_group_size(ITEMS_MAX, 1, 1)))

static inline global const uchar *row_of(global const uchar *p, plane_t d, uint y)
{
	return p + d.offset + (ulong)y * (ulong)d.stride_y;
}

/* Pixels x to x + 7 of a row of bytes, the first one lowest; those outside of left and right are 0. */
static inline ulong eight_of(global const uchar *row, uint x, uint left, uint right)
{
	ulong eight = 0;
	if (x >= left && x + 8 <= right && !((size_t)(row + x) & 7))
		return *(global const ulong *)(row + x);
#pragma unroll 1
	for (uint i = max(x, left); i < min(x + 8, right); i++)
		eight |= (ulong)row[i] << 8 * (i - x);
	return eight;
}

/* ---- histogram ---- */
/* A work-item counts in a column of its own, 16 bits a value, so that no two of them change the same one, and no atomic is needed:
 * it has no more than 65535 pixels (vision_statistics.c). Groups share rows that are longer than PART. */
#define COLUMNS (ITEMS_MAX < 32 ? ITEMS_MAX : 32)
#define VALUES (256 / COLUMNS) /* those that a work-item adds up */
#define PART (COLUMNS * PART_ITEM)
/* TURN: pixels of a row that a work-item does at a time, COLUMNS apart */
#define OVER_COLUMNS __attribute__((reqd_work_group_size(COLUMNS, 1, 1)))

/* How often each value of a byte occurs; counts are 0 before. */
kernel OVER_COLUMNS void count_values(global const uchar *in, plane_t d, region_t w, global uint *counts)
{
	local ushort columns[256 * COLUMNS];
	const uint lane = (uint)get_local_id(0);
	local ushort *mine = columns + lane;
	const uint left = w.left + (uint)get_group_id(1) * PART, right = min(w.right, left + PART);
#pragma unroll 16
	for (uint v = 0; v < 256; v++)
		mine[v * COLUMNS] = 0;
	for (uint y = w.top + (uint)get_group_id(0); y < w.bottom; y += (uint)get_num_groups(0)) {
		global const uchar *row = row_of(in, d, y) + lane;
		uint x = left;
#pragma unroll 1
		for (; x + COLUMNS * TURN <= right; x += COLUMNS * TURN) {
			global const uchar *at = row + x;
			uint value[TURN];
#pragma unroll
			for (uint k = 0; k < TURN; k++)
				value[k] = at[k * COLUMNS];
#pragma unroll
			for (uint k = 0; k < TURN; k++)
				mine[value[k] * COLUMNS]++;
		}
#pragma unroll 1
		for (; x + lane < right; x += COLUMNS)
			mine[row[x] * COLUMNS]++;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	/* what all work-items have of some values, each beginning with its own column */
	uint sums[VALUES] = {0};
#pragma unroll 1
	for (uint i = 0; i < COLUMNS; i++) {
		local const ushort *column = columns + lane * VALUES * COLUMNS + (lane + i) % COLUMNS;
#pragma unroll
		for (uint k = 0; k < VALUES; k++)
			sums[k] += column[k * COLUMNS];
	}
#pragma unroll
	for (uint k = 0; k < VALUES; k++)
		if (sums[k])
			atomic_add(counts + lane * VALUES + k, sums[k]);
}

/* A bin counts the values v for which (v - offset) * num_bins / range, rounded down, is its number. */
kernel void histogram(global const uint *counts, global uint *bins, uint num_bins, int offset, uint range)
{
	const ulong bin = get_global_id(0);
	const long first = (long)((bin * range + num_bins - 1) / num_bins) + offset;
	const long end = (long)(((bin + 1) * range + num_bins - 1) / num_bins) + offset;
	uint sum = 0;
	for (long v = max(first, 0L); v < min(end, 256L); v++)
		sum += counts[v];
	bins[bin] = sum;
}

/* ---- equalize_histogram ---- */
/* The least value that occurs becomes 0, the greatest 255, one between them what part of the other pixels is not above it. */
kernel FULL_GROUP void equalize_table(global const uint *counts, global uchar *table)
{
	local uint sums[ITEMS_MAX];
	local uint least;
	/* each work-item has some values, one behind the other */
	const uint lane = (uint)get_local_id(0), from = lane * (256 / ITEMS_MAX), to = from + 256 / ITEMS_MAX;
	uint mine = 0, found = 256;
	if (!lane)
		least = 255;
	for (uint v = to; v-- > from;) {
		mine += counts[v];
		found = counts[v] ? v : found;
	}
	sums[lane] = mine;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (mine)
		atomic_min(&least, found);
	sum_up(sums, lane, ITEMS_MAX);
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint first = counts[least], others = sums[ITEMS_MAX - 1] - first;
	uint sum = sums[lane] - mine;
	for (uint v = from; v < to; v++) {
		sum += counts[v];
		if (!others)
			table[v] = (uchar)v; /* all pixels are equal, and stay so */
		else
			table[v] = v < least ? 0 : (uchar)(((ulong)(sum - first) * 255 + others / 2) / others);
	}
}

/* A work-item does pixels of some rows, COLUMNS apart. The last group of a row has pixels that others have as well, rather than
 * work-items without one. */
kernel OVER_COLUMNS void equalize(global const uchar *in, plane_t d, global uchar *out, plane_t e, global const uchar *table)
{
	const uint width = (uint)d.width, last = max(width, (uint)(COLUMNS * TURN)) - COLUMNS * TURN;
	const uint x = min((uint)get_group_id(0) * COLUMNS * TURN, last) + (uint)get_local_id(0);
	uint y = (uint)get_group_id(1) * EQUALIZE_ROWS;
	const uint end = min(y + EQUALIZE_ROWS, (uint)d.height);
	global const uchar *from = row_of(in, d, y) + x;
	global uchar *to = out + e.offset + (ulong)y * (ulong)e.stride_y + x;
	for (; y < end; y++, from += d.stride_y, to += e.stride_y) {
		if (width >= COLUMNS * TURN) {
#pragma unroll
			for (uint k = 0; k < TURN; k++)
				to[k * COLUMNS] = table[from[k * COLUMNS]];
		} else {
#pragma unroll 1
			for (uint k = 0; x + k < width; k += COLUMNS)
				to[k] = table[from[k]];
		}
	}
}

/* ---- mean_stddev ---- */
/* The sums of a group's work-items, in one of its own. */
static inline void sum_of_group(local ulong2 *sums, uint lane, ulong2 mine, global ulong2 *part)
{
	sums[lane] = mine;
	for (uint left = GROUP_X * GROUP_Y / 2; left; left /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < left)
			sums[lane] += sums[lane + left];
	}
	if (!lane)
		*part = sums[0];
}

/* Sums of the values and of their squares, a pair a group. */
kernel OVER_IMAGE void sums_of_bytes(global const uchar *in, plane_t d, region_t w, global ulong2 *parts)
{
	local ulong2 sums[GROUP_X * GROUP_Y];
	ulong2 mine = 0;
	for (uint y = w.top + (uint)get_global_id(1); y < w.bottom; y += (uint)get_global_size(1)) {
		global const uchar *row = row_of(in, d, y);
		for (uint x = w.left + (uint)get_local_id(0) * 8; x < w.right; x += GROUP_X * 8) {
			const ulong eight = eight_of(row, x, w.left, w.right);
			uint sum = 0, squares = 0;
			for (uint k = 0; k < 8; k++) {
				const uint v = (uint)(eight >> 8 * k) & 255;
				sum += v;
				squares += v * v;
			}
			mine += (ulong2)(sum, squares);
		}
	}
	sum_of_group(sums, (uint)get_local_id(1) * GROUP_X + (uint)get_local_id(0), mine, &parts[get_group_id(1)]);
}

/* Of bits, which are their own squares: a byte a turn. */
kernel OVER_IMAGE void sums_of_bits(global const uchar *in, plane_t d, region_t w, global ulong2 *parts)
{
	local ulong2 sums[GROUP_X * GROUP_Y];
	uint ones = 0;
	for (uint y = w.top + (uint)get_global_id(1); y < w.bottom; y += (uint)get_global_size(1)) {
		global const uchar *row = row_of(in, d, y);
		for (uint i = w.left / 8 + (uint)get_local_id(0); i * 8 < w.right; i += GROUP_X) {
			uint inside = 0xff;
			if (i * 8 < w.left)
				inside &= 0xffu << (w.left - i * 8);
			if (i * 8 + 8 > w.right)
				inside &= 0xffu >> (i * 8 + 8 - w.right);
			ones += popcount(row[i] & inside);
		}
	}
	sum_of_group(sums, (uint)get_local_id(1) * GROUP_X + (uint)get_local_id(0), (ulong2)(ones), &parts[get_group_id(1)]);
}

kernel void mean_stddev(global const ulong2 *parts, uint num_parts, region_t w, global float *mean_out, global float *stddev_out)
{
	const double pixels = (double)((ulong)(w.right - w.left) * (w.bottom - w.top));
	ulong2 sums = 0;
	for (uint i = 0; i < num_parts; i++)
		sums += parts[i];
	const double mean = (double)sums.x / pixels;
	if (mean_out)
		*mean_out = (float)mean;
	if (stddev_out)
		*stddev_out = (float)sqrt(fmax((double)sums.y / pixels - mean * mean, 0.0));
}

/* ---- minmaxloc ---- */
/* Two numbers that grow with what is found, from 0: how far the least value lies below 32767, and the greatest above -32768. */
#define LEAST(found) (32767 - (int)(found)[0])
#define GREATEST(found) ((int)(found)[1] - 32768)

kernel OVER_IMAGE void extremes(global const uchar *in, plane_t d, region_t w, global uint *found)
{
	local uint mine[2];
	const uint lane = (uint)get_local_id(1) * GROUP_X + (uint)get_local_id(0);
	int8 least8 = 32767, greatest8 = -32768;
	if (lane < 2)
		mine[lane] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint y = w.top + (uint)get_global_id(1); y < w.bottom; y += (uint)get_global_size(1)) {
		global const TYPE *row = (global const TYPE *)row_of(in, d, y);
		for (uint x = w.left + (uint)get_local_id(0) * 8; x < w.right; x += GROUP_X * 8) {
			if (x + 8 <= w.right) {
				const int8 v = convert_int8(vload8(0, row + x));
				least8 = min(least8, v);
				greatest8 = max(greatest8, v);
				continue;
			}
			for (uint i = x; i < w.right; i++) {
				least8.s0 = min(least8.s0, (int)row[i]);
				greatest8.s0 = max(greatest8.s0, (int)row[i]);
			}
		}
	}
	const int4 least4 = min(least8.lo, least8.hi), greatest4 = max(greatest8.lo, greatest8.hi);
	const int2 least2 = min(least4.lo, least4.hi), greatest2 = max(greatest4.lo, greatest4.hi);
	atomic_max(&mine[0], (uint)(32767 - min(least2.x, least2.y)));
	atomic_max(&mine[1], (uint)(max(greatest2.x, greatest2.y) + 32768));
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lane < 2)
		atomic_max(&found[lane], mine[lane]);
}

/* The part of a row that a work-item of its group looks through. */
typedef struct {
	global const TYPE *row;
	uint from, to;
} part_t;

static inline part_t part_of_row(global const uchar *in, plane_t d, region_t w, uint y)
{
	const uint length = (w.right - w.left + ROW_ITEMS - 1) / ROW_ITEMS, from = w.left + (uint)get_local_id(0) * length;
	return (part_t){(global const TYPE *)row_of(in, d, y), min(from, w.right), min(from + length, w.right)};
}

static inline uint count_in(part_t part, int value)
{
	uint count = 0;
	for (uint x = part.from; x < part.to; x++)
		count += part.row[x] == value;
	return count;
}

/* How often the least value stands in each row, then how often the greatest does; one entry more than rows each. */
kernel OVER_ROW void count_extremes(global const uchar *in, plane_t d, region_t w, global const uint *found, global uint *starts)
{
	local uint mine[2];
	const uint lane = (uint)get_local_id(0), row = (uint)get_group_id(1), rows = w.bottom - w.top;
	const part_t part = part_of_row(in, d, w, w.top + row);
	if (lane < 2)
		mine[lane] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint least = count_in(part, LEAST(found)), greatest = count_in(part, GREATEST(found));
	if (least)
		atomic_add(&mine[0], least);
	if (greatest)
		atomic_add(&mine[1], greatest);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lane < 2)
		starts[lane * (rows + 1) + row] = mine[lane];
}

/* Counts of rows become the places at which rows begin; the last entry how many there are. One group. */
kernel FULL_GROUP void place_extremes(global uint *starts, uint rows)
{
	local uint sums[ITEMS_MAX];
	for (uint which = 0; which < 2; which++, starts += rows + 1) {
		make_places(starts, rows, sums);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

/* The places of the extreme, row by row, as far as there is room. */
kernel OVER_ROW void locate_extremes(global const uchar *in, plane_t d, region_t w, global const uint *found,
				     global const uint *starts, uint which, global uint2 *places, uint capacity)
{
	local uint sums[ROW_ITEMS];
	const uint lane = (uint)get_local_id(0), row = (uint)get_group_id(1), y = w.top + row;
	starts += which * (w.bottom - w.top + 1) + row;
	if (starts[0] == starts[1] || starts[0] >= capacity)
		return;
	const int value = which ? GREATEST(found) : LEAST(found);
	const part_t part = part_of_row(in, d, w, y);
	const uint mine = count_in(part, value);
	sums[lane] = mine;
	sum_up(sums, lane, ROW_ITEMS);
	uint place = starts[0] + sums[lane] - mine;
	for (uint x = part.from; x < part.to && place < capacity; x++)
		if (part.row[x] == value)
			places[place++] = (uint2)(x, y);
}

/* One extreme for who wants it: its value, how often it occurs, how many places of it there are. Each may be a null pointer. */
kernel void report_extreme(global const uint *found, global const uint *starts, uint rows, uint which, global TYPE *value,
			   global uint *count, int wide, global uint *num_places, uint capacity)
{
	if (value)
		*value = (TYPE)(which ? GREATEST(found) : LEAST(found));
	if (count)
		*count = starts[which * (rows + 1) + rows];
	if (count && wide) /* little-endian */
		count[1] = 0;
	if (num_places)
		*num_places = min(starts[which * (rows + 1) + rows], capacity);
}

/* ---- integral_image ---- */
/* A column is eight pixels of a row. First the sum of what is in front of each column, in its row: a work-item goes along a row.
 * Then strips of STRIP_ROWS rows, in which a work-item goes down a column: first for the sums of each strip, then for the image,
 * which begins with those of the strips above. In between, the sums of a column's pixels are of 16 bits, four in a word: those up
 * to the pixels with even numbers, and those up to the odd ones. */
#define STRIP_ITEMS (ITEMS_MAX < 32 ? ITEMS_MAX : 32)
#define OVER_STRIP __attribute__((reqd_work_group_size(STRIP_ITEMS, 1, 1)))
#define EVEN_BYTES 0x00ff00ff00ff00fful
#define UP_TO_EACH 0x0001000100010001ul /* times four numbers: their sums, from the first one on */
#define LOW_HALVES 0x0000ffff0000fffful
#define TOP_BITS 0x8000000080000000ul

/* Whether words of a row are where words may be. */
static inline bool is_aligned(global const uchar *p, plane_t d) { return !(((size_t)p + d.offset) & 7) && !(d.stride_y & 7); }

static inline uint sum_of_eight(ulong eight)
{
	const ulong pairs = (eight & EVEN_BYTES) + (eight >> 8 & EVEN_BYTES);
	return (uint)(pairs * UP_TO_EACH >> 48);
}

/* starts: row by row. */
kernel OVER_STRIP void integral_rows(global const uchar *in, plane_t d, region_t w, global uint *starts)
{
	const uint y = (uint)get_global_id(0), height = (uint)d.height, width = (uint)d.width;
	if (y >= height)
		return;
	if (y < w.top || y >= w.bottom)
		w.left = w.right = 0;
	/* columns from first to end are words of the window, in all rows that have any */
	const uint first = min((w.left + 7) & ~7u, width), end = is_aligned(in, d) ? w.right & ~7u : 0;
	global const uchar *row = row_of(in, d, y);
	global uint *start = starts + y * ((width + 7) / 8);
	uint before = 0, x = 0;
	for (; x < first; x += 8, start++) {
		*start = before;
		before += sum_of_eight(eight_of(row, x, w.left, w.right));
	}
#pragma unroll 4
	for (; x < end; x += 8, start++) {
		*start = before;
		before += sum_of_eight(*(global const ulong *)(row + x));
	}
	for (; x < width; x += 8, start++) {
		*start = before;
		before += sum_of_eight(eight_of(row, x, w.left, w.right));
	}
}

/* Of a strip's part that a work-group has. */
typedef struct {
	uint columns, column, top, bottom; /* columns of the image, the work-item's, and rows */
	bool whole; /* all of it is in the window, in words */
} strip_t;

/* The last group of a row has columns that others have as well, rather than work-items without one. */
static inline strip_t strip_here(global const uchar *in, plane_t d, region_t w)
{
	strip_t s;
	s.columns = ((uint)d.width + 7) / 8;
	const uint last = max(s.columns, (uint)STRIP_ITEMS) - STRIP_ITEMS;
	const uint first = min((uint)get_group_id(0) * STRIP_ITEMS, last);
	s.column = first + (uint)get_local_id(0);
	s.top = (uint)get_group_id(1) * STRIP_ROWS;
	s.bottom = min(s.top + STRIP_ROWS, (uint)d.height);
	s.whole = is_aligned(in, d) && first * 8 >= w.left && (first + STRIP_ITEMS) * 8 <= w.right && s.top >= w.top &&
		  s.bottom <= w.bottom;
	return s;
}

/* The pixels of a column that count. */
static inline ulong column_at(global const uchar *row, strip_t s, region_t w, uint y)
{
	return y >= w.top && y < w.bottom ? eight_of(row, s.column * 8, w.left, w.right) : 0;
}

/* What a strip adds to the pixels below it: of each column the first pixel, then the second ... */
kernel OVER_STRIP void integral_strips(global const uchar *in, plane_t d, region_t w, global const uint *starts, global uint *sums)
{
	const strip_t s = strip_here(in, d, w);
	if (s.column >= s.columns)
		return;
	global const uint *start = starts + s.top * s.columns + s.column;
	global const uchar *row = row_of(in, d, s.top);
	ulong even = 0, odd = 0;
	uint sum = 0, y = s.top;
	if (s.whole) {
		row += s.column * 8;
#pragma unroll 4
		for (; y < s.bottom; y++, row += d.stride_y) {
			const ulong eight = *(global const ulong *)row;
			even += eight & EVEN_BYTES;
			odd += eight >> 8 & EVEN_BYTES;
			sum += *start;
			start += s.columns;
		}
	}
	for (; y < s.bottom; y++, row += d.stride_y) {
		const ulong eight = column_at(row, s, w, y);
		even += eight & EVEN_BYTES;
		odd += eight >> 8 & EVEN_BYTES;
		sum += *start;
		start += s.columns;
	}
	global uint *at = sums + (uint)get_group_id(1) * 8 * s.columns + s.column;
#pragma unroll
	for (uint k = 0; k < 8; k++, at += s.columns) {
		sum += (uint)((k & 1 ? odd : even) >> k / 2 * 16) & 0xffff;
		*at = sum;
	}
}

/* Pixels of a column as far as they are summed up in a strip: two of them a word. Top bits of what is above are kept apart, so
 * that nothing is carried from one pixel to the other. */
typedef struct {
	ulong low0, low1, low2, low3, top0, top1, top2, top3; /* above the strip */
	ulong even, odd;                                      /* up to pixels of the column */
	ulong before;                                         /* up to the column, twice */
} sums_t;

static inline __attribute__((always_inline)) void sums_row(sums_t *s, ulong eight, uint start)
{
	const ulong odds = eight >> 8 & EVEN_BYTES, pairs = ((eight & EVEN_BYTES) + odds) * UP_TO_EACH;
	s->even += pairs - odds;
	s->odd += pairs;
	s->before += start | (ulong)start << 32;
}

static inline __attribute__((always_inline)) ulong4 sums_of(const sums_t *s)
{
	const ulong first = (s->even & 0xffffffff) | s->odd << 32, second = s->even >> 32 | (s->odd & 0xffffffff00000000ul);
	return (ulong4)((s->low0 + (s->before + (first & LOW_HALVES))) ^ s->top0,
			(s->low1 + (s->before + (first >> 16 & LOW_HALVES))) ^ s->top1,
			(s->low2 + (s->before + (second & LOW_HALVES))) ^ s->top2,
			(s->low3 + (s->before + (second >> 16 & LOW_HALVES))) ^ s->top3);
}

kernel OVER_STRIP void integral(global const uchar *in, plane_t d, region_t w, global uchar *out, plane_t e,
				global const uint *starts, global const uint *sums)
{
	const strip_t s = strip_here(in, d, w);
	if (s.column >= s.columns)
		return;
	uint above[8] = {0};
	global const uint *sum = sums + s.column;
#pragma unroll 1
	for (uint strip = 0; strip < (uint)get_group_id(1); strip++) {
#pragma unroll
		for (uint k = 0; k < 8; k++, sum += s.columns)
			above[k] += *sum;
	}
#define TWO(k) (above[2 * k] | (ulong)above[2 * k + 1] << 32)
	sums_t t = {TWO(0) & ~TOP_BITS, TWO(1) & ~TOP_BITS, TWO(2) & ~TOP_BITS, TWO(3) & ~TOP_BITS,
		    TWO(0) & TOP_BITS, TWO(1) & TOP_BITS, TWO(2) & TOP_BITS, TWO(3) & TOP_BITS, 0, 0, 0};
#undef TWO
	global const uint *start = starts + s.top * s.columns + s.column;
	global const uchar *row = row_of(in, d, s.top);
	global uchar *to = out + e.offset + (ulong)s.top * (ulong)e.stride_y + (ulong)s.column * 32;
	uint y = s.top;
	if (s.whole && is_aligned(out, e)) {
		row += s.column * 8;
		for (; y < s.bottom; y++, row += d.stride_y, to += e.stride_y) {
			sums_row(&t, *(global const ulong *)row, *start);
			start += s.columns;
			*(global ulong4 *)to = sums_of(&t);
		}
	}
	for (; y < s.bottom; y++, row += d.stride_y, to += e.stride_y) {
		sums_row(&t, column_at(row, s, w, y), *start);
		start += s.columns;
		const uint8 all = as_uint8(sums_of(&t));
		const uint single[8] = {all.s0, all.s1, all.s2, all.s3, all.s4, all.s5, all.s6, all.s7};
#pragma unroll
		for (uint k = 0; k < 8; k++)
			if (s.column * 8 + k < (uint)e.width)
				((global uint *)to)[k] = single[k];
	}
}
