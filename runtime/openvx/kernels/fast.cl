/* Corners after FAST9, and the ordered lists of corners of any kind.
 *
 * A list is made in three steps: every segment of 64 pixels of a row says in a mask which of its pixels belong to the list, the
 * numbers of these become places, and every segment writes its own. Lists are so in raster order, however the work is divided. */

#define SEGMENT 64
#define APERTURE 3

/* Of all nine in a row of the sixteen: the greatest of what is the least of nine. */
static inline int best_arc(int16 v)
{
	int16 least = min(v, v.s123456789abcdef0);        /* of two */
	least = min(least, least.s23456789abcdef01);      /* of four */
	least = min(least, least.s456789abcdef0123);      /* of eight */
	least = min(least, v.s89abcdef01234567);
	const int8 eight = max(least.lo, least.hi);
	const int4 four = max(eight.lo, eight.hi);
	const int2 two = max(four.lo, four.hi);
	return max(two.x, two.y);
}

/* One more than the largest threshold with which a pixel is a corner, 1 to 255; 0: it is none with this one. */
static inline int corner_of(global const uchar *p, int row, int threshold)
{
	const int centre = *p;
	const int north = p[-3 * row] - centre, south = p[3 * row] - centre, west = p[-3] - centre, east = p[3] - centre;
	/* Nine in a row have one at least of any two that are opposite, and most pixels end here. */
	const bool bright = max(north, south) > threshold && max(west, east) > threshold;
	const bool dark = min(north, south) < -threshold && min(west, east) < -threshold;
	if (!bright && !dark)
		return 0;
	const int16 circle = (int16)(p[-3 * row], p[-3 * row + 1], p[-2 * row + 2], p[-row + 3], p[3], p[row + 3], p[2 * row + 2],
				     p[3 * row + 1], p[3 * row], p[3 * row - 1], p[2 * row - 2], p[row - 3], p[-3], p[-row - 3],
				     p[-2 * row - 2], p[-3 * row - 1]) - centre;
	const int best = max(best_arc(circle), best_arc(-circle));
	return best > threshold ? best : 0;
}

/* What corner_of() says of all pixels whose circle is valid. Rows are pitch bytes, whole segments; what is no pixel is no corner. */
kernel void fast_corners(global const uchar *src, plane_t s, region_t valid, global const float *strength_thresh,
			 global uchar *corner, int pitch)
{
	const int x = (int)get_global_id(0), y = (int)get_global_id(1);
	if (x >= pitch || y >= s.height)
		return;
	const int threshold = (int)fmin(fmax(*strength_thresh, 0.0f), 255.0f);
	int best = 0;
	if (x >= (int)valid.left + APERTURE && y >= (int)valid.top + APERTURE && x < (int)valid.right - APERTURE &&
	    y < (int)valid.bottom - APERTURE)
		best = corner_of(src + s.offset + y * s.stride_y + x, s.stride_y, threshold);
	corner[y * pitch + x] = (uchar)best;
}

IS_GREATEST(uchar)

/* The corners that the list is made of. */
kernel void fast_select(global const uchar *corner, int pitch, int height, global const int *nonmax_suppression,
			global ulong *masks, global uint *counts)
{
	const int segment = (int)get_global_id(0), y = (int)get_global_id(1), segments = pitch / SEGMENT;
	if (segment >= segments || y >= height)
		return;
	global const uchar *at = corner + y * pitch + segment * SEGMENT;
	global const ulong *words = (global const ulong *)at;
	const bool unsuppressed = *nonmax_suppression == 0;
	ulong mask = 0;
	for (int w = 0; w < SEGMENT / 8; w++) {
		const ulong word = words[w];
		if (!word)
			continue;
		for (int i = 0; i < 8; i++)
			if ((word >> (8 * i) & 255) && (unsuppressed || is_greatest(at + 8 * w + i, pitch)))
				mask |= 1UL << (8 * w + i);
	}
	masks[y * segments + segment] = mask;
	counts[y * segments + segment] = (uint)popcount(mask);
}

/* Numbers of corners become places. One work-group. */
kernel void list_places(global uint *counts, uint n)
{
	local uint sums[ITEMS_MAX];
	make_places(counts, n, sums);
}

/* Corners beyond the capacity are counted, and left out. num_corners may be NULL. */
kernel void fast_keypoints(global const uchar *corner, int pitch, int height, global const ulong *masks,
			   global const uint *places, global keypoint_t *corners, uint capacity, global uint *count,
			   global ulong *num_corners)
{
	const int segment = (int)get_global_id(0), y = (int)get_global_id(1), segments = pitch / SEGMENT;
	if (segment >= segments || y >= height)
		return;
	if (segment == 0 && y == 0) {
		const uint found = places[segments * height];
		*count = min(found, capacity);
		if (num_corners)
			*num_corners = found;
	}
	uint place = places[y * segments + segment];
	for (ulong mask = masks[y * segments + segment]; mask && place < capacity; mask &= mask - 1, place++) {
		const int x = segment * SEGMENT + (int)popcount((mask & -mask) - 1);
		corners[place] = (keypoint_t){x, y, (float)(corner[y * pitch + x] - 1), 0.0f, 0.0f, 1, 0.0f};
	}
}
