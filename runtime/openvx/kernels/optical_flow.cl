/* Optical flow after Lucas and Kanade in pyramids (Bouguet): where points of one image are in another one. The program is built
 * for one size of windows, WINDOW.
 *
 * One work-group follows one point through a level; its work-items share the pixels of the window, and all hold the same
 * position. Images go on beyond their edges as their outermost pixels do. Pixels between pixels are fixed-point numbers, with 14
 * bits of weights and 5 of values, and sums are exact, so that results do not depend on how the work is divided. */

#define GROUP (ITEMS_MAX < 32 ? ITEMS_MAX : 32)
#define WEIGHT_BITS 14
#define VALUE_BITS 5
#define SUM_SCALE 0x1p-20              /* of sums of products of two such numbers */
#define LEAST_DETERMINANT 1e-7         /* what is below these is lost (the specification's numbers) */
#define LEAST_EIGENVALUE 1e-4
#define SWING 0.01f                    /* a step that all but takes back the one before ends the search in the middle of both */
#define ITERATIONS_MAX 1000            /* with no number of the application's: a search that does not come to rest ends, too */

/* enum vx_termination_criteria_e */
#define TERM_CRITERIA_ITERATIONS 0xF000
#define TERM_CRITERIA_EPSILON 0xF001

/* ---- pixels ---- */

/* Of the pixel at a position's integral part, the one to its right, and the two below. */
static inline int4 weights_of(float2 fraction)
{
	const float2 f = fraction, g = 1.0f - fraction;
	const int4 w = convert_int4_rtz((float4)(g.x * g.y, f.x * g.y, g.x * f.y, 0.0f) * (float)(1 << WEIGHT_BITS) + 0.5f);
	return (int4)(w.x, w.y, w.z, (1 << WEIGHT_BITS) - w.x - w.y - w.z);
}

static inline int rounded(int value, int bits) { return (value + (1 << (bits - 1))) >> bits; }

static inline global const uchar *row_of(global const uchar *p, plane_t d, int y)
{
	return p + d.offset + clamp(y, 0, d.height - 1) * d.stride_y;
}

static inline int pixel_between(global const uchar *p, plane_t d, int2 at, int4 weights)
{
	global const uchar *upper = row_of(p, d, at.y), *lower = row_of(p, d, at.y + 1);
	const int left = clamp(at.x, 0, d.width - 1), right = clamp(at.x + 1, 0, d.width - 1);
	return rounded(upper[left] * weights.x + upper[right] * weights.y + lower[left] * weights.z + lower[right] * weights.w,
		       WEIGHT_BITS - VALUE_BITS);
}

/* Scharr's gradient. */
static inline short2 gradient_at(global const uchar *p, plane_t d, int2 at)
{
	global const uchar *upper = row_of(p, d, at.y - 1), *row = row_of(p, d, at.y), *lower = row_of(p, d, at.y + 1);
	const int last = d.width - 1, left = clamp(at.x - 1, 0, last), x = clamp(at.x, 0, last), right = clamp(at.x + 1, 0, last);
	return (short2)(3 * (upper[right] - upper[left]) + 10 * (row[right] - row[left]) + 3 * (lower[right] - lower[left]),
			3 * (lower[left] - upper[left]) + 10 * (lower[x] - upper[x]) + 3 * (lower[right] - upper[right]));
}

static inline bool is_inside(float2 position, plane_t d)
{
	return position.x > -1.0f && position.y > -1.0f && position.x < (float)d.width && position.y < (float)d.height;
}

/* ---- the search ---- */

/* The sum of what all work-items of the group bring, for all of them. */
static inline long2 total_of(local long2 *shelf, long2 mine)
{
	const uint lane = (uint)get_local_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	shelf[lane] = mine;
	for (uint others = GROUP / 2; others; others /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lane < others)
			shelf[lane] += shelf[lane + others];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	return shelf[0];
}

/* The window around a point of the old image, and the sums of products of its slopes. */
typedef struct {
	local short *pixel;
	local short2 *slope;
	local short2 *gradient; /* of (WINDOW + 1)^2 whole pixels */
	local long2 *shelf;
	double xx, xy, yy, determinant;
} window_t;

/* Whether the window has what can be tracked. */
static inline bool window_look(window_t *w, global const uchar *p, plane_t d, float2 position)
{
	const float2 corner = position - (WINDOW - 1) * 0.5f;
	const int2 at = convert_int2_rtn(corner);
	const int4 weights = weights_of(corner - convert_float2(at));
	for (int i = (int)get_local_id(0); i < (WINDOW + 1) * (WINDOW + 1); i += GROUP)
		w->gradient[i] = gradient_at(p, d, at + (int2)(i % (WINDOW + 1), i / (WINDOW + 1)));
	barrier(CLK_LOCAL_MEM_FENCE);
	long2 same = 0, mixed = 0;
	for (int i = (int)get_local_id(0); i < WINDOW * WINDOW; i += GROUP) {
		const int x = i % WINDOW, y = i / WINDOW;
		local const short2 *g = w->gradient + y * (WINDOW + 1) + x;
		const int2 sum = convert_int2(g[0]) * weights.x + convert_int2(g[1]) * weights.y +
				 convert_int2(g[WINDOW + 1]) * weights.z + convert_int2(g[WINDOW + 2]) * weights.w;
		const int2 slope = (int2)(rounded(sum.x, WEIGHT_BITS), rounded(sum.y, WEIGHT_BITS));
		w->pixel[i] = (short)pixel_between(p, d, at + (int2)(x, y), weights);
		w->slope[i] = convert_short2(slope);
		same += convert_long2(slope * slope);
		mixed.x += slope.x * slope.y;
	}
	same = total_of(w->shelf, same);
	mixed = total_of(w->shelf, mixed);
	w->xx = same.x * SUM_SCALE;
	w->yy = same.y * SUM_SCALE;
	w->xy = mixed.x * SUM_SCALE;
	w->determinant = w->xx * w->yy - w->xy * w->xy;
	const double difference = w->xx - w->yy;
	const double eigenvalue = (w->xx + w->yy - sqrt(difference * difference + 4.0 * w->xy * w->xy)) / (2 * WINDOW * WINDOW);
	return eigenvalue >= LEAST_EIGENVALUE && w->determinant >= LEAST_DETERMINANT;
}

/* By how much a position in the new image is to change so that the pixels around it are the window's. */
static inline float2 window_step(const window_t *w, global const uchar *p, plane_t d, float2 position)
{
	const float2 corner = position - (WINDOW - 1) * 0.5f;
	const int2 at = convert_int2_rtn(corner);
	const int4 weights = weights_of(corner - convert_float2(at));
	long2 sum = 0;
	for (int i = (int)get_local_id(0); i < WINDOW * WINDOW; i += GROUP) {
		const int difference = pixel_between(p, d, at + (int2)(i % WINDOW, i / WINDOW), weights) - w->pixel[i];
		sum += convert_long2(convert_int2(w->slope[i]) * difference);
	}
	sum = total_of(w->shelf, sum);
	const double x = sum.x * SUM_SCALE, y = sum.y * SUM_SCALE;
	return (float2)((float)((w->xy * y - w->yy * x) / w->determinant), (float)((w->xy * x - w->xx * y) / w->determinant));
}

/* One level of the pyramids. Levels are launched from the coarsest, the first one, to the finest, the last one; each leaves in
 * position what it has found. A coarse level that loses a point leaves it where it was; the finest one says that it is lost.
 * scale: the size of the level by that of the finest; growth: by that of the level before. */
kernel void track(global const uchar *old_image, plane_t old_plane, global const uchar *new_image, plane_t new_plane,
		  global const keypoint_t *old_points, global const uint *old_count, global const keypoint_t *estimates,
		  global const uint *estimate_count, global keypoint_t *new_points, global uint *new_count, uint capacity,
		  global float2 *position, int first_level, int last_level, float scale, float growth,
		  global const int *termination, global const float *epsilon, global const uint *num_iterations,
		  global const int *use_initial_estimate)
{
	local short pixel[WINDOW * WINDOW];
	local short2 slope[WINDOW * WINDOW];
	local short2 gradient[(WINDOW + 1) * (WINDOW + 1)];
	local long2 shelf[GROUP];
	const uint i = (uint)get_group_id(0), count = min(*old_count, capacity);
	const bool writes = get_local_id(0) == 0;
	if (i == 0 && writes && last_level)
		*new_count = count;
	if (i >= count)
		return;
	keypoint_t point = old_points[i];
	if (point.tracking_status == 0) {
		if (writes && last_level)
			new_points[i] = point;
		return;
	}

	const float2 from = (float2)((float)point.x, (float)point.y) * scale;
	float2 start = from;
	if (!first_level)
		start = position[i] * growth;
	else if (*use_initial_estimate && i < *estimate_count)
		start = (float2)((float)estimates[i].x, (float)estimates[i].y) * scale;
	float2 to = start, before = 0.0f;
	window_t window = {pixel, slope, gradient, shelf, 0.0, 0.0, 0.0, 0.0};
	bool found = is_inside(from, old_plane) && window_look(&window, old_image, old_plane, from);
	const bool steps_end = *termination != TERM_CRITERIA_ITERATIONS;
	const float least = *epsilon;
	const uint most = found ? *termination == TERM_CRITERIA_EPSILON ? ITERATIONS_MAX : *num_iterations : 0;
	for (uint n = 0; n < most; n++) {
		found = is_inside(to, new_plane);
		if (!found)
			break;
		const float2 change = window_step(&window, new_image, new_plane, to);
		to += change;
		if (steps_end && change.x * change.x + change.y * change.y <= least * least)
			break;
		if (n > 0 && fabs(change.x + before.x) < SWING && fabs(change.y + before.y) < SWING) {
			to -= change * 0.5f;
			break;
		}
		before = change;
	}

	if (!last_level) {
		barrier(CLK_GLOBAL_MEM_FENCE);
		if (writes)
			position[i] = found && is_inside(to, new_plane) ? to : start;
		return;
	}
	const int2 place = convert_int2_sat_rtn(to + 0.5f);
	if (!found || place.x < 0 || place.y < 0 || place.x >= new_plane.width || place.y >= new_plane.height)
		point.tracking_status = 0;
	point.x = place.x;
	point.y = place.y;
	if (writes)
		new_points[i] = point;
}
