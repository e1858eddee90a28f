/* Gradients, and edges after Canny. The program is built for one size of gradients, GRADIENT: 3, 5 or 7. With NORM_L2 magnitudes
 * are squares of Euclidean norms, which order pixels as the norms do; without it they are sums of absolute values.
 *
 * Hysteresis finds the sets of pixels that hang together by union: the label of a pixel is another pixel of its set, never a
 * later one, and the pixel that is its own label stands for the set. All strong pixels are of one set from the beginning, and it
 * has the least label, so that the sets they touch become theirs: an edge is a pixel whose set is that one. Three launches do
 * this for edges of any length and shape, with work for every part of the device and little of it beside the edges. Growing
 * edges pixel by pixel would need as many launches as the longest edge has pixels, and the host to ask whether that was all; one
 * work-group that grows them to the end would leave the rest of the device idle. */

#define REACH (GRADIENT / 2) /* pixels beside one that its gradient is made of */
#define RING (REACH + 1)     /* and its comparison with neighbours */
#define STRIP 8              /* pixels of a row that a work-item does */
#define NO_EDGE 0xffffffffu  /* label of what is not even a weak edge */
#define STRONG 0u            /* label of the set of strong edges: pixel 0 lies in the ring and needs none */

/* Derivatives of bytes are at most 1020, 12240 and 163200. */
#if GRADIENT == 7
typedef int2 gradient_t;
typedef long square_t;
#else
typedef short2 gradient_t;
typedef int square_t;
#endif
#ifdef NORM_L2
typedef square_t magnitude_t;
#else
typedef int magnitude_t;
#endif

/* Sobel's kernels are products of these two. */
#if GRADIENT == 3
constant int smooth[GRADIENT] = {1, 2, 1};
constant int differ[GRADIENT] = {-1, 0, 1};
#elif GRADIENT == 5
constant int smooth[GRADIENT] = {1, 4, 6, 4, 1};
constant int differ[GRADIENT] = {-1, -2, 0, 2, 1};
#else
constant int smooth[GRADIENT] = {1, 6, 15, 20, 15, 6, 1};
constant int differ[GRADIENT] = {-1, -4, -5, 0, 5, 4, 1};
#endif

/* Derivatives of all pixels but the REACH outermost. */
kernel void sobel(global const uchar *src, plane_t s, global gradient_t *gradient)
{
	const int x = REACH + (int)get_global_id(0) * STRIP, y = REACH + (int)get_global_id(1);
	if (x >= s.width - REACH || y >= s.height - REACH)
		return;
	global const uchar *row = src + s.offset + (y - REACH) * s.stride_y;
	int dx[STRIP] = {0}, dy[STRIP] = {0};
	for (int r = 0; r < GRADIENT; r++, row += s.stride_y) {
		int pixel[STRIP + GRADIENT - 1];
#pragma unroll
		for (int i = 0; i < STRIP + GRADIENT - 1; i++)
			pixel[i] = row[min(x - REACH + i, s.width - 1)];
#pragma unroll
		for (int i = 0; i < STRIP; i++) {
			int difference = 0, sum = 0;
#pragma unroll
			for (int j = 0; j < GRADIENT; j++) {
				difference += differ[j] * pixel[i + j];
				sum += smooth[j] * pixel[i + j];
			}
			dx[i] += smooth[r] * difference;
			dy[i] += differ[r] * sum;
		}
	}
	const int count = s.width - REACH - x;
	gradient += y * s.width + x;
#pragma unroll
	for (int i = 0; i < STRIP; i++)
		if (i < count)
			gradient[i] = (gradient_t)(dx[i], dy[i]);
}

static inline magnitude_t magnitude(gradient_t g)
{
	const int x = g.x, y = g.y;
#ifdef NORM_L2
	return (magnitude_t)x * x + (magnitude_t)y * y;
#else
	return (int)(abs(x) + abs(y));
#endif
}

/* A threshold as magnitudes are. */
static inline magnitude_t limit_of(int threshold)
{
#ifdef NORM_L2
	return threshold < 0 ? -1 : (magnitude_t)threshold * threshold;
#else
	return threshold;
#endif
}

/* 0: no edge, 1: a weak one, 2: a strong one. Directions are told apart without an angle: |y| < |x| tan(pi/8) is
 * (|x| + |y|)^2 < 2 x^2. Of two equal pixels across an edge the first one stays; on diagonals neither does, as in the conformance
 * suite. */
static inline uint kind_of(global const gradient_t *at, int width, magnitude_t low, magnitude_t high)
{
	const gradient_t g = *at;
	const magnitude_t here = magnitude(g);
	if (here <= low)
		return 0;
	const int dx = g.x, dy = g.y;
	const square_t sum = (square_t)(abs(dx) + abs(dy)), whole = sum * sum;
	int across = (dx ^ dy) < 0 ? width - 1 : width + 1;
	magnitude_t more = 1;
	if (whole < 2 * (square_t)dx * dx) {
		across = 1;
		more = 0;
	} else if (whole < 2 * (square_t)dy * dy) {
		across = width;
		more = 0;
	}
	if (here <= magnitude(at[-across]) || here < magnitude(at[across]) + more)
		return 0;
	return here > high ? 2 : 1;
}

/* First labels. Weak pixels side by side in a strip are one set from the beginning, of the first of them. */
kernel void canny_suppress(global const gradient_t *gradient, int width, int height, int low_threshold, int high_threshold,
			   global uint *label)
{
	const int x = (int)get_global_id(0) * STRIP, y = (int)get_global_id(1);
	if (x >= width || y >= height)
		return;
	const magnitude_t low = limit_of(low_threshold), high = limit_of(high_threshold);
	const bool inside = y >= RING && y < height - RING;
	const int at = y * width + x;
	uint edge = 0, strong = 0;
	for (int i = 0; i < STRIP; i++) {
		uint kind = 0;
		if (inside && x + i >= RING && x + i < width - RING)
			kind = kind_of(gradient + at + i, width, low, high);
		edge |= (uint)(kind != 0) << i;
		strong |= (uint)(kind == 2) << i;
	}
	if (strong)
		for (int i = 1; i < STRIP; i++)
			strong |= (strong << 1 | strong >> 1) & edge;
	uint first = 0;
	for (int i = 0; i < STRIP && x + i < width; i++) {
		const uint bit = 1u << i;
		if (!(edge & bit >> 1))
			first = (uint)(at + i);
		label[at + i] = !(edge & bit) ? NO_EDGE : strong & bit ? STRONG : first;
	}
}

/* The pixel that stands for a set; the way to it is made shorter for those that come after. Labels only ever get less, and one
 * that is read too early is still of the same set. */
static inline uint find(volatile global uint *label, uint i)
{
	while (i != STRONG) {
		const uint parent = label[i];
		if (parent == i)
			break;
		const uint above = parent == STRONG ? STRONG : label[parent];
		if (above != parent)
			atomic_min(&label[i], above);
		i = above;
	}
	return i;
}

/* Makes two sets one: of the pixels that stand for them the later one is put below the other. When it has been put elsewhere in
 * the meantime, that set and the other are to be one. */
static inline void unite(volatile global uint *label, uint a, uint b)
{
	for (;;) {
		a = find(label, a);
		b = find(label, b);
		if (a == b)
			return;
		const uint later = max(a, b), sooner = min(a, b);
		const uint was = atomic_min(&label[later], sooner);
		if (was == later)
			return;
		a = was;
		b = sooner;
	}
}

/* Pixels of edges join their neighbours in the row above and the one before them, as far as these have not joined each other. */
kernel void canny_link(volatile global uint *label, int width, int height)
{
	const int x = (int)get_global_id(0) * STRIP, y = (int)get_global_id(1);
	if (x >= width || y >= height)
		return;
	for (int i = 0; i < STRIP && x + i < width; i++) {
		const uint at = (uint)(y * width + x + i), above = at - (uint)width;
		if (label[at] == NO_EDGE)
			continue;
		const bool west = label[at - 1] != NO_EDGE, north = label[above] != NO_EDGE;
		if (west && i == 0)
			unite(label, at, at - 1);
		if (north) {
			if (!west)
				unite(label, at, above);
			continue;
		}
		if (!west && label[above - 1] != NO_EDGE)
			unite(label, at, above - 1);
		if (label[above + 1] != NO_EDGE)
			unite(label, at, above + 1);
	}
}

/* Which of the eight pixels from x on, of which some may lie outside of the row, are edges. */
static inline uint edges_of(global const uint *label, int width, int x, int y)
{
	uint edges = 0;
	for (int i = 0; i < STRIP; i++) {
		if (x + i < 0 || x + i >= width)
			continue;
		uint at = label[y * width + x + i];
		while (at != STRONG && at != NO_EDGE && label[at] != at)
			at = label[at];
		edges |= (uint)(at == STRONG) << i;
	}
	return edges;
}

kernel void canny_edges_u8(global const uint *label, global uchar *dst, plane_t d)
{
	const int x = (int)get_global_id(0) * STRIP, y = (int)get_global_id(1);
	if (x >= d.width || y >= d.height)
		return;
	const uint edges = edges_of(label, d.width, x, y);
	global uchar *row = dst + d.offset + y * d.stride_y + x;
	if (x + STRIP <= d.width) {
		const uchar8 bits = (uchar8)((uchar)edges) & (uchar8)(1, 2, 4, 8, 16, 32, 64, 128);
		vstore8(as_uchar8(bits != (uchar8)(0)), 0, row);
		return;
	}
	for (int i = 0; x + i < d.width; i++)
		row[i] = edges >> i & 1 ? 255 : 0;
}

/* A work-item a byte; its bits that are not the plane's stay. */
kernel void canny_edges_u1(global const uint *label, global uchar *dst, plane_t d)
{
	const int x = (int)get_global_id(0) * STRIP, y = (int)get_global_id(1);
	if (x >= d.width || y >= d.height)
		return;
	store_bits(dst, d, x, y, edges_of(label, d.width, x, y));
}
