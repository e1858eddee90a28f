/* Corners after Harris and Stephens: scores of gradients (canny.cl), and those corners that no stronger one is near. The program
 * is built for one size of gradients, GRADIENT, and of blocks, BLOCK: 3, 5 or 7 each.
 *
 * The specification goes through corners from the strongest to the weakest, and takes each unless one that has been taken is
 * nearer than the radius. So a corner is taken when all stronger ones near it are known to have fallen, and falls when one of
 * them is known to be taken. Deciding again and again all that can be decided gives the same corners as going through them in
 * order: a few rounds over all corners leave few of them open, and one work-group does the rest until none is. This ends since
 * the strongest open one can always be decided. Of equally strong ones the first in the image counts as the stronger one. */

#define RING (GRADIENT / 2 + BLOCK / 2) /* pixels beside one that its score is made of */
#define STRIP 8                         /* pixels of a row that a work-item scores */
#define SEGMENT 64                      /* of lists: fast.cl */
#define GROUP ITEMS_MAX                 /* work-items of the one work-group that settles what is open */
#define REACH_MAX 30000.0f              /* of the radius: squares of distances are to be numbers of 32 bits */

#define OPEN 0
#define TAKEN 1
#define FALLEN 2

/* Gradients as canny.cl makes them, and sums of a block's squares, which are exact so that like corners are alike. */
#if GRADIENT == 7
typedef int2 gradient_t;
#else
typedef short2 gradient_t;
#endif
#if GRADIENT == 3
typedef int sum_t;
#else
typedef long sum_t;
#endif

/* ---- scores ---- */

/* det(A) - k trace(A)^2 of the sums, with gradients that are normalized as the specification says. */
static inline float score_of(sum_t xx, sum_t xy, sum_t yy, float sensitivity)
{
	const double scale = 1.0 / ((1 << (GRADIENT - 1)) * 255.0 * BLOCK);
	const double a = (double)xx * (scale * scale), b = (double)xy * (scale * scale), c = (double)yy * (scale * scale);
	return (float)(a * c - b * b - (double)sensitivity * ((a + c) * (a + c)));
}

/* Scores, and bytes that are 1 where a score can be a corner's. Rows of both have pitch elements, whole segments. A score that is
 * not positive is of an edge or a plain, whatever the threshold; of the outermost pixels that have scores it is not known whether
 * they are greatest. */
kernel void harris_score(global const gradient_t *gradient, int width, int height, global const float *strength_thresh,
			 global const float *sensitivity, global float *score, global uchar *above, int pitch)
{
	const int x = (int)get_global_id(0) * STRIP, y = (int)get_global_id(1);
	if (x >= pitch || y >= height)
		return;
	ulong flags = 0;
	if (y >= RING && y < height - RING && x + STRIP > RING && x < width - RING) {
		const bool inside = y > RING && y < height - RING - 1;
		const float threshold = fmax(*strength_thresh, 0.0f), k = *sensitivity;
		sum_t column_xx[BLOCK], column_xy[BLOCK], column_yy[BLOCK];
		sum_t xx = 0, xy = 0, yy = 0;
#pragma unroll
		for (int i = 0; i < STRIP + BLOCK - 1; i++) {
			const int column = clamp(x - BLOCK / 2 + i, GRADIENT / 2, width - GRADIENT / 2 - 1);
			global const gradient_t *at = gradient + (y - BLOCK / 2) * width + column;
			sum_t new_xx = 0, new_xy = 0, new_yy = 0;
#pragma unroll
			for (int r = 0; r < BLOCK; r++) {
				const sum_t dx = at[r * width].x, dy = at[r * width].y;
				new_xx += dx * dx;
				new_xy += dx * dy;
				new_yy += dy * dy;
			}
			if (i >= BLOCK) {
				xx -= column_xx[i % BLOCK];
				xy -= column_xy[i % BLOCK];
				yy -= column_yy[i % BLOCK];
			}
			xx += column_xx[i % BLOCK] = new_xx;
			xy += column_xy[i % BLOCK] = new_xy;
			yy += column_yy[i % BLOCK] = new_yy;
			const int px = x + i - (BLOCK - 1);
			if (i < BLOCK - 1 || px < RING || px >= width - RING)
				continue;
			const float s = score_of(xx, xy, yy, k);
			score[y * pitch + px] = s;
			if (inside && px > RING && px < width - RING - 1 && s > threshold)
				flags |= 1UL << (8 * (px - x));
		}
	}
	*(global ulong *)(above + y * pitch + x) = flags;
}

/* ---- the list of corners ---- */
/* As corners of FAST are suppressed. */
IS_GREATEST(float)

kernel void harris_select(global const float *score, global const uchar *above, int pitch, int height, global ulong *masks,
			  global uint *counts)
{
	const int segment = (int)get_global_id(0), y = (int)get_global_id(1), segments = pitch / SEGMENT;
	if (segment >= segments || y >= height)
		return;
	const int at = y * pitch + segment * SEGMENT;
	global const ulong *words = (global const ulong *)(above + at);
	ulong mask = 0;
	for (int w = 0; w < SEGMENT / 8; w++) {
		const ulong word = words[w];
		if (!word)
			continue;
		for (int i = 0; i < 8; i++)
			if ((word >> (8 * i) & 1) && is_greatest(score + at + 8 * w + i, pitch))
				mask |= 1UL << (8 * w + i);
	}
	masks[y * segments + segment] = mask;
	counts[y * segments + segment] = (uint)popcount(mask);
}

/* Where corners are, how strong, and that nothing is decided; places: list_places() of the counts. */
kernel void harris_list(global const float *score, int pitch, int height, global const ulong *masks, global const uint *places,
			global int2 *where, global float *strength, global uchar *state)
{
	const int segment = (int)get_global_id(0), y = (int)get_global_id(1), segments = pitch / SEGMENT;
	if (segment >= segments || y >= height)
		return;
	uint place = places[y * segments + segment];
	for (ulong mask = masks[y * segments + segment]; mask; mask &= mask - 1, place++) {
		const int x = segment * SEGMENT + (int)popcount((mask & -mask) - 1);
		where[place] = (int2)(x, y);
		strength[place] = score[y * pitch + x];
		state[place] = OPEN;
	}
}

/* ---- suppression ---- */

/* The list, and how far a corner's influence goes: distances whose squares are less than limit. */
typedef struct {
	global const int2 *where;
	global const float *strength;
	global const uint *places;
	int segments, height;
	int reach, limit;
} list_t;

static inline list_t list_of(global const int2 *where, global const float *strength, global const uint *places, int segments,
			     int height, global const float *min_distance)
{
	const float radius = fmin(fmax(*min_distance, 0.0f), REACH_MAX);
	const list_t list = {where, strength, places, segments, height, (int)ceil(radius), (int)ceil((double)radius * radius)};
	return list;
}

/* What becomes of corner i, by what is known. Corners near it are in at most a few segments of each row. */
static inline uchar decide(list_t list, global const uchar *state, uint i)
{
	const int2 here = list.where[i];
	const float mine = list.strength[i];
	const int first = max(here.x - list.reach, 0) / SEGMENT, last = min((here.x + list.reach) / SEGMENT, list.segments - 1);
	const int bottom = min(here.y + list.reach, list.height - 1);
	uchar verdict = TAKEN;
	for (int y = max(here.y - list.reach, 0); y <= bottom; y++) {
		const uint end = list.places[y * list.segments + last + 1];
		for (uint j = list.places[y * list.segments + first]; j < end; j++) {
			const int2 d = list.where[j] - here;
			const float other = list.strength[j];
			if (d.x * d.x + d.y * d.y >= list.limit || other < mine || (other == mine && j >= i))
				continue;
			const uchar known = state[j];
			if (known == TAKEN)
				return FALLEN;
			if (known == OPEN)
				verdict = OPEN;
		}
	}
	return verdict;
}

/* One round: what can be decided by before is in after. */
kernel void harris_round(global const int2 *where, global const float *strength, global const uint *places, int segments,
			 int height, global const float *min_distance, global const uchar *before, global uchar *after)
{
	const list_t list = list_of(where, strength, places, segments, height, min_distance);
	const uint count = places[segments * height];
	for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0))
		after[i] = before[i] == OPEN ? decide(list, before, i) : before[i];
}

/* All rounds that are left. One work-group; open and next_open hold indices of corners, as many as there can be. Work-items write
 * what they have decided when all have read the states. */
kernel void harris_settle(global const int2 *where, global const float *strength, global const uint *places, int segments,
			  int height, global const float *min_distance, global uchar *state, global uint *open,
			  global uint *next_open)
{
	local uint left;
	const list_t list = list_of(where, strength, places, segments, height, min_distance);
	const uint count = places[segments * height], lane = (uint)get_local_id(0);
	if (lane == 0)
		left = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = lane; i < count; i += GROUP)
		if (state[i] == OPEN)
			open[atomic_inc(&left)] = i;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	for (uint todo = left; todo; todo = left) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane == 0)
			left = 0;
		for (uint base = 0; base < todo; base += GROUP) {
			const bool works = base + lane < todo;
			const uint i = works ? open[base + lane] : 0;
			const uchar verdict = works ? decide(list, state, i) : OPEN;
			barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
			if (works && verdict == OPEN)
				next_open[atomic_inc(&left)] = i;
			else if (works)
				state[i] = verdict;
			barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		}
		global uint *swapped = open;
		open = next_open;
		next_open = swapped;
	}
}

/* ---- keypoints ---- */

/* How many corners of each segment are taken. */
kernel void harris_count(global const uint *places, global const uchar *state, int all_segments, global uint *counts)
{
	const int segment = (int)get_global_id(0);
	if (segment >= all_segments)
		return;
	uint count = 0;
	for (uint i = places[segment]; i < places[segment + 1]; i++)
		count += state[i] == TAKEN;
	counts[segment] = count;
}

/* Corners beyond the capacity are counted, and left out. taken_places: list_places() of harris_count(); num_corners may be NULL.
 * Keypoints are in raster order: the specification leaves it to implementations. */
kernel void harris_keypoints(global const int2 *where, global const float *strength, global const uint *places,
			     global const uchar *state, int all_segments, global const uint *taken_places,
			     global keypoint_t *corners, uint capacity, global uint *count, global ulong *num_corners)
{
	const int segment = (int)get_global_id(0);
	if (segment >= all_segments)
		return;
	if (segment == 0) {
		const uint taken = taken_places[all_segments];
		*count = min(taken, capacity);
		if (num_corners)
			*num_corners = taken;
	}
	uint place = taken_places[segment];
	for (uint i = places[segment]; i < places[segment + 1] && place < capacity; i++)
		if (state[i] == TAKEN)
			corners[place++] = (keypoint_t){where[i].x, where[i].y, strength[i], 0.0f, 0.0f, 1, 0.0f};
}
