/* Edges and corners, against plain C. Where rounding decides, what either rounding gives is taken. */
#include "testbench/openvx/neighbourhood.h"
#include <math.h>

#define PI 3.14159265358979323846

/* Rectangles on a ground, with a little noise: edges and corners of all strengths. */
static struct pixels scene(vx_uint32 width, vx_uint32 height)
{
	const struct pixels p = zero_pixels(width, height, VX_DF_IMAGE_U8);
	for (int i = 0; i < 7; i++) {
		const vx_uint32 left = i ? random_below(width) : 0, top = i ? random_below(height) : 0;
		const vx_uint32 right = i ? left + 1 + random_below(width - left) : width;
		const vx_uint32 bottom = i ? top + 1 + random_below(height - top) : height;
		const uint32_t value = random_below(250);
		for (vx_uint32 y = top; y < bottom; y++)
			for (vx_uint32 x = left; x < right; x++)
				pixel_set(&p, x, y, value);
	}
	for (vx_uint32 y = 0; y < height; y++)
		for (vx_uint32 x = 0; x < width; x++)
			pixel_set(&p, x, y, pixel_get(&p, x, y) + random_below(6));
	return p;
}

static struct pixels picture(vx_uint32 width, vx_uint32 height)
{
	return random_below(2) ? scene(width, height) : random_pixels(width, height, VX_DF_IMAGE_U8);
}

/* ---- gradients by Sobel's filters of 3, 5 and 7 ---- */
static const struct { int64_t smooth[7], slope[7]; } sobel[] = {
	{{1, 2, 1}, {-1, 0, 1}}, {{1, 4, 6, 4, 1}, {-1, -2, 0, 2, 1}}, {{1, 6, 15, 20, 15, 6, 1}, {-1, -4, -5, 0, 5, 4, 1}},
};

struct gradients {
	vx_uint32 width, height, reach; /* 0 within reach of the edges */
	int64_t *dx, *dy;
};

static bool inside(vx_uint32 width, vx_uint32 height, vx_uint32 margin, vx_uint32 x, vx_uint32 y)
{
	return x >= margin && y >= margin && x + margin < width && y + margin < height;
}

static struct gradients gradients_of(const struct pixels *p, unsigned size)
{
	const size_t count = (size_t)p->width * p->height;
	const int64_t *smooth = sobel[size / 2 - 1].smooth, *slope = sobel[size / 2 - 1].slope;
	struct gradients g = {p->width, p->height, size / 2, calloc(count, sizeof(int64_t)), calloc(count, sizeof(int64_t))};
	assert_true(g.dx && g.dy);
	for (vx_uint32 y = g.reach; y + g.reach < p->height; y++) {
		for (vx_uint32 x = g.reach; x + g.reach < p->width; x++) {
			for (unsigned i = 0; i < size * size; i++) {
				const int64_t v = pixel_get(p, x + i % size - g.reach, y + i / size - g.reach);
				g.dx[(size_t)y * p->width + x] += v * slope[i % size] * smooth[i / size];
				g.dy[(size_t)y * p->width + x] += v * smooth[i % size] * slope[i / size];
			}
		}
	}
	return g;
}

static void free_gradients(struct gradients *g)
{
	free(g->dx);
	free(g->dy);
}

/* ---- Canny's edges ---- */
static const struct canny_case {
	vx_int32 size, low, high;
	vx_enum norm;
} canny_cases[] = {
	{3, 100, 250, VX_NORM_L1}, {3, 200, 200, VX_NORM_L1}, {3, 300, 900, VX_NORM_L1}, {3, 80, 200, VX_NORM_L2},
	{5, 100, 255, VX_NORM_L1}, {5, 1500, 6000, VX_NORM_L1}, {5, 1500, 5000, VX_NORM_L2},
	{7, 9000, 32000, VX_NORM_L1}, {7, 30000, 30000, VX_NORM_L1}, {7, 9000, 30000, VX_NORM_L2},
};

/* Of a pixel: not an edge, one if it is linked to another, or one by itself. */
enum { NO_EDGE, LINK, EDGE };

struct edges { uint8_t *must, *may; };

static double magnitude(const struct gradients *g, size_t i, vx_enum norm)
{
	const double x = (double)g->dx[i], y = (double)g->dy[i];
	return norm == VX_NORM_L1 ? fabs(x) + fabs(y) : sqrt(x * x + y * y);
}

/* Nothing says whether magnitudes of L2 are rounded to integers. */
static double canny_slack(const struct canny_case *c) { return c->norm == VX_NORM_L1 ? 0 : 1; }

/* Steps to the next pixel along the gradient, which is rounded to a multiple of 45 degrees: two or more where it lies between. */
static unsigned steps_along(const struct gradients *g, size_t i, ptrdiff_t steps[4])
{
	const double x = fabs((double)g->dx[i]), y = fabs((double)g->dy[i]), near = 1e-4 * (x + y), slope = tan(PI / 8);
	const ptrdiff_t row = (ptrdiff_t)g->width;
	const bool rising = (g->dx[i] < 0) != (g->dy[i] < 0);
	unsigned n = 0;
	if (y <= slope * x + near)
		steps[n++] = 1;
	if (x <= slope * y + near)
		steps[n++] = row;
	if (y >= slope * x - near && x >= slope * y - near)
		steps[n++] = rising ? row - 1 : row + 1;
	return n;
}

/* Whether a pixel is kept as no less than both that are next to it: surely, and perhaps. */
static void keep(const struct gradients *g, const struct canny_case *c, size_t i, bool *surely, bool *perhaps)
{
	ptrdiff_t steps[4];
	const unsigned n = steps_along(g, i, steps);
	const double m = magnitude(g, i, c->norm), slack = canny_slack(c);
	*surely = n > 0;
	*perhaps = false;
	for (unsigned k = 0; k < n; k++) {
		const double before = magnitude(g, i - (size_t)steps[k], c->norm);
		const double behind = magnitude(g, i + (size_t)steps[k], c->norm);
		*surely = *surely && m > before + slack && m > behind + slack;
		*perhaps = *perhaps || (m >= before - slack && m >= behind - slack);
	}
}

/* All that hangs together with an edge becomes one. */
static void trace(uint8_t *kinds, vx_uint32 width, vx_uint32 height)
{
	size_t *stack = malloc((size_t)width * height * sizeof *stack), depth = 0;
	assert_non_null(stack);
	for (size_t i = 0; i < (size_t)width * height; i++)
		if (kinds[i] == EDGE)
			stack[depth++] = i;
	while (depth) {
		const size_t i = stack[--depth], x = i % width, y = i / width;
		for (int k = 0; k < 9; k++) {
			const size_t nx = x + (size_t)(k % 3) - 1, ny = y + (size_t)(k / 3) - 1;
			if (nx < width && ny < height && kinds[ny * width + nx] == LINK) {
				kinds[ny * width + nx] = EDGE;
				stack[depth++] = ny * width + nx;
			}
		}
	}
	free(stack);
}

static uint8_t kind_of(bool kept, double m, const struct canny_case *c, double slack)
{
	return (uint8_t)(!kept || m <= c->low + slack ? NO_EDGE : m <= c->high + slack ? LINK : EDGE);
}

/* What must be an edge, and what may be one. All that is so near to the image's edges that its neighbours' gradients are not
 * defined may be. */
static struct edges edges_of(const struct pixels *p, const struct canny_case *c)
{
	const size_t count = (size_t)p->width * p->height;
	struct edges e = {calloc(count, 1), calloc(count, 1)};
	struct gradients g = gradients_of(p, (unsigned)c->size);
	assert_true(e.must && e.may);
	for (size_t i = 0; i < count; i++) {
		bool surely, perhaps;
		e.may[i] = EDGE;
		if (!inside(p->width, p->height, g.reach + 1, (vx_uint32)(i % p->width), (vx_uint32)(i / p->width)))
			continue;
		keep(&g, c, i, &surely, &perhaps);
		e.must[i] = kind_of(surely, magnitude(&g, i, c->norm), c, canny_slack(c));
		e.may[i] = kind_of(perhaps, magnitude(&g, i, c->norm), c, -canny_slack(c));
	}
	trace(e.must, p->width, p->height);
	trace(e.may, p->width, p->height);
	free_gradients(&g);
	return e;
}

static vx_threshold new_hysteresis(const struct canny_case *c, vx_df_image output)
{
	const vx_df_image input = c->high > UINT8_MAX || random_below(2) ? VX_DF_IMAGE_S16 : VX_DF_IMAGE_U8;
	vx_pixel_value_t low, high;
	vx_threshold threshold = vxCreateThresholdForImage(context, VX_THRESHOLD_TYPE_RANGE, input, output);
	CREATED(threshold);
	memset(&low, 0, sizeof low);
	memset(&high, 0, sizeof high);
	if (input == VX_DF_IMAGE_S16) {
		low.S16 = (vx_int16)c->low;
		high.S16 = (vx_int16)c->high;
	} else {
		low.U8 = (vx_uint8)c->low;
		high.U8 = (vx_uint8)c->high;
	}
	RAN(vxCopyThresholdRange(threshold, &low, &high, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	return threshold;
}

static void check_edges(const struct edges *e, const struct pixels *got, vx_uint32 margin)
{
	const int64_t set = got->format == VX_DF_IMAGE_U1 ? 1 : 255;
	for (vx_uint32 y = margin; y + margin < got->height; y++) {
		for (vx_uint32 x = margin; x + margin < got->width; x++) {
			const int64_t v = pixel_get(got, x, y);
			const size_t i = (size_t)y * got->width + x;
			const bool wrong = (e->must[i] == EDGE && v == 0) || (e->may[i] != EDGE && v != 0);
			if (wrong || (v != 0 && v != set))
				fail_msg("%s: %.4s, %u x %u: pixel %u %u: %lld, expected %lld; seed %llu", what,
					 (const char *)&got->format, got->width, got->height, x, y, (long long)v,
					 (long long)(e->must[i] == EDGE ? set : 0), (unsigned long long)seed_first);
		}
	}
}

/* Whether it has run: which border modes there are besides VX_BORDER_UNDEFINED is not specified. */
static bool run_canny(const struct canny_case *c, vx_image in, vx_image out, vx_df_image format, const vx_border_t *border)
{
	vx_threshold threshold = new_hysteresis(c, format);
	bool ran = true;
	if (border->mode == VX_BORDER_UNDEFINED && random_below(2)) {
		set_immediate_border(border);
		RAN(vxuCannyEdgeDetector(context, in, threshold, c->size, c->norm, out));
	} else {
		vx_graph graph = new_graph();
		vx_node node = vxCannyEdgeDetectorNode(graph, in, threshold, c->size, c->norm, out);
		set_node_border(node, border);
		if (border->mode == VX_BORDER_UNDEFINED)
			run_node(&graph, node);
		else
			ran = run_if_supported(&graph, node);
	}
	RAN(vxReleaseThreshold(&threshold));
	return ran;
}

static void check_canny(const struct canny_case *c, vx_df_image format, vx_enum mode, vx_uint32 width, vx_uint32 height)
{
	const vx_border_t border = border_of(mode, VX_DF_IMAGE_U8);
	now_testing("canny_edge_detector of size %d, %s, thresholds %d and %d, border %s", c->size,
		    c->norm == VX_NORM_L1 ? "L1" : "L2", c->low, c->high, border_name(mode));
	struct pixels in = picture(width, height);
	struct placed a = place_pixels(&in, random_place()), z = place_result(width, height, format, random_place());
	const bool ran = run_canny(c, a.image, z.image, format, &border);
	struct pixels got = take_pixels(&z);
	struct edges e = edges_of(&in, c);
	if (ran)
		check_edges(&e, &got, (vx_uint32)c->size / 2 + 1);
	free(e.must);
	free(e.may);
	free_pixels(&got);
	check_unchanged(&in, &a);
}

static void canny(void **state)
{
	(void)state;
	for (const struct canny_case *c = canny_cases; c < canny_cases + COUNT(canny_cases); c++) {
		for (size_t s = 0; s < COUNT(sizes); s++) {
			const vx_df_image format = s % 2 ? VX_DF_IMAGE_U8 : VX_DF_IMAGE_U1;
			check_canny(c, format, VX_BORDER_UNDEFINED, sizes[s].width, sizes[s].height);
		}
		for (size_t b = 0; b < COUNT(borders); b++) {
			check_canny(c, VX_DF_IMAGE_U8, borders[b].mode, 70, 33);
			check_canny(c, VX_DF_IMAGE_U1, borders[b].mode, 37, 40);
		}
	}
}

/* ---- what finds corners ---- */
struct found {
	vx_keypoint_t *points;
	vx_size count, said; /* in the array, and in the scalar */
};

/* What is in the array already has to go. */
static vx_array new_corners(vx_size capacity)
{
	const vx_keypoint_t before = {1, 1, 1, 1, 1, 0, 1};
	vx_array array = vxCreateArray(context, VX_TYPE_KEYPOINT, capacity);
	CREATED(array);
	RAN(vxAddArrayItems(array, 1, &before, sizeof before));
	return array;
}

/* Ends both. */
static struct found take_corners(vx_array *array, vx_scalar *number)
{
	struct found f = {NULL, 0, 0};
	RAN(vxQueryArray(*array, VX_ARRAY_NUMITEMS, &f.count, sizeof f.count));
	f.points = calloc(f.count + 1, sizeof *f.points);
	assert_non_null(f.points);
	if (f.count)
		RAN(vxCopyArrayRange(*array, 0, f.count, sizeof *f.points, f.points, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	f.said = f.count;
	if (*number) {
		RAN(vxCopyScalar(*number, &f.said, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		RAN(vxReleaseScalar(number));
	}
	RAN(vxReleaseArray(array));
	return f;
}

/* In the image, each once, and with all that detectors set. */
static void check_points(const struct found *f, vx_uint32 width, vx_uint32 height)
{
	uint8_t *seen = calloc((size_t)width * height, 1);
	assert_non_null(seen);
	for (vx_size i = 0; i < f->count; i++) {
		const vx_keypoint_t *p = &f->points[i];
		const bool in_image = p->x >= 0 && p->y >= 0 && p->x < (vx_int32)width && p->y < (vx_int32)height;
		if (!in_image || seen[(vx_uint32)p->y * width + (vx_uint32)p->x]++ || p->tracking_status != 1 || p->error != 0 ||
		    p->scale != 0 || p->orientation != 0)
			fail_msg("%s: %u x %u: corner %zu at %d %d: %s, scale %g, orientation %g, status %d, error %g; seed %llu",
				 what, width, height, i, p->x, p->y, in_image ? "inside" : "outside", (double)p->scale,
				 (double)p->orientation, p->tracking_status, (double)p->error, (unsigned long long)seed_first);
	}
	free(seen);
}

/* ---- FAST ---- */
static const int8_t circle[16][2] = {
	{0, -3}, {1, -3}, {2, -2}, {3, -1}, {3, 0}, {3, 1}, {2, 2}, {1, 3},
	{0, 3}, {-1, 3}, {-2, 2}, {-3, 1}, {-3, 0}, {-3, -1}, {-2, -2}, {-1, -3},
};

struct fast {
	vx_float32 threshold;
	bool suppress;
	vx_enum mode;
};

/* The largest threshold with which a pixel is a corner: nine in a row on the circle are brighter, or darker, by more. */
static int corner_strength(const struct pixels *p, vx_uint32 x, vx_uint32 y)
{
	const int64_t middle = pixel_get(p, x, y);
	int64_t best = 0;
	for (int sign = -1; sign <= 1; sign += 2) {
		for (unsigned first = 0; first < 16; first++) {
			int64_t least = 256;
			for (unsigned i = first; i < first + 9; i++) {
				const int8_t *at = circle[i % 16];
				const int64_t more = sign * (pixel_get(p, x + (vx_uint32)at[0], y + (vx_uint32)at[1]) - middle);
				least = more < least ? more : least;
			}
			best = least > best ? least : best;
		}
	}
	return (int)best - 1;
}

/* Strengths of corners, 0 elsewhere; only pixels of the rectangle count. */
static int *strengths_of(const struct pixels *p, int threshold, const vx_rectangle_t *r)
{
	int *strengths = calloc((size_t)p->width * p->height, sizeof *strengths);
	assert_non_null(strengths);
	for (vx_uint32 y = r->start_y + 3; y + 3 < r->end_y; y++)
		for (vx_uint32 x = r->start_x + 3; x + 3 < r->end_x; x++) {
			const int strength = corner_strength(p, x, y);
			strengths[(size_t)y * p->width + x] = strength >= threshold ? strength : 0;
		}
	return strengths;
}

/* No less than the four before it, more than the four behind it. */
static bool strongest(const int *strengths, vx_uint32 width, vx_uint32 x, vx_uint32 y)
{
	const int *s = strengths + (size_t)y * width + x;
	const ptrdiff_t row = (ptrdiff_t)width, before[4] = {-row - 1, -row, -row + 1, -1};
	for (int i = 0; i < 4; i++)
		if (*s < s[before[i]] || *s <= s[-before[i]])
			return false;
	return true;
}

/* Whether it has run. */
static bool run_fast(const struct fast *f, vx_image in, vx_size capacity, bool with_number, struct found *found)
{
	const vx_border_t border = border_of(f->mode, VX_DF_IMAGE_U8);
	const vx_size before = 12345;
	const vx_bool suppress = f->suppress ? vx_true_e : vx_false_e;
	vx_scalar threshold = new_float(f->threshold), number = with_number ? new_scalar(VX_TYPE_SIZE, &before) : NULL;
	vx_array corners = new_corners(capacity);
	bool ran = true;
	if (f->mode == VX_BORDER_UNDEFINED && random_below(2)) {
		set_immediate_border(&border);
		RAN(vxuFastCorners(context, in, threshold, suppress, corners, number));
	} else {
		vx_graph graph = new_graph();
		vx_node node = vxFastCornersNode(graph, in, threshold, suppress, corners, number);
		set_node_border(node, &border);
		if (f->mode == VX_BORDER_UNDEFINED)
			run_node(&graph, node);
		else
			ran = run_if_supported(&graph, node);
	}
	RAN(vxReleaseScalar(&threshold));
	*found = take_corners(&corners, &number);
	return ran;
}

/* Without a margin at the edges, there are these corners and no others. */
static void compare_corners(const struct fast *f, const struct pixels *p, const int *strengths, const struct found *found,
			    vx_uint32 margin)
{
	vx_float32 *seen = calloc((size_t)p->width * p->height, sizeof *seen);
	uint8_t *reported = calloc((size_t)p->width * p->height, 1);
	assert_true(seen && reported);
	for (vx_size i = 0; i < found->count; i++) {
		const size_t at = (vx_uint32)found->points[i].y * (size_t)p->width + (vx_uint32)found->points[i].x;
		seen[at] = found->points[i].strength;
		reported[at] = 1;
	}
	for (vx_uint32 y = margin; y + margin < p->height; y++) {
		for (vx_uint32 x = margin; x + margin < p->width; x++) {
			const size_t at = (size_t)y * p->width + x;
			const bool corner = strengths[at] && (!f->suppress || strongest(strengths, p->width, x, y));
			/* without suppression the strength is not specified */
			if (corner != reported[at] || (corner && f->suppress && seen[at] != (vx_float32)strengths[at]))
				fail_msg("%s: %u x %u: pixel %u %u: %s of strength %g, expected %s of %d; seed %llu", what,
					 p->width, p->height, x, y, reported[at] ? "a corner" : "none", (double)seen[at],
					 corner ? "a corner" : "none", strengths[at], (unsigned long long)seed_first);
		}
	}
	free(seen);
	free(reported);
}

static vx_rectangle_t some_rectangle(vx_uint32 width, vx_uint32 height)
{
	const vx_uint32 left = random_below(width / 2), top = random_below(height / 2);
	return (vx_rectangle_t){left, top, width - random_below(width / 3), height - random_below(height / 3)};
}

/* With VX_BORDER_UNDEFINED there are no corners whose circle leaves the image, or the part of it that is valid. */
static void check_fast(const struct fast *f, vx_uint32 width, vx_uint32 height, bool part)
{
	const vx_rectangle_t r = part ? some_rectangle(width, height) : (vx_rectangle_t){0, 0, width, height};
	const vx_uint32 margin = f->mode == VX_BORDER_UNDEFINED ? 0 : f->suppress ? 4 : 3;
	now_testing("fast_corners, threshold %g, suppression %d, border %s%s", (double)f->threshold, f->suppress,
		    border_name(f->mode), part ? ", of a valid region" : "");
	struct pixels in = picture(width, height);
	struct placed a = place_pixels(&in, random_place());
	struct found found;
	if (part)
		RAN(vxSetImageValidRectangle(a.image, &r));
	const bool ran = run_fast(f, a.image, (vx_size)width * height, random_below(2), &found);
	int *strengths = strengths_of(&in, (int)f->threshold, &r);
	if (ran) {
		check_points(&found, width, height);
		assert_int_equal(found.said, found.count);
		compare_corners(f, &in, strengths, &found, margin);
	}
	free(strengths);
	free(found.points);
	check_unchanged(&in, &a);
}

/* More corners than there is room for are counted all the same. */
static void check_full(void)
{
	struct pixels in = random_pixels(70, 33, VX_DF_IMAGE_U8);
	struct placed a = place_pixels(&in, PLACE_OWN);
	const struct fast f = {5, false, VX_BORDER_UNDEFINED};
	struct found all, some;
	now_testing("fast_corners into a small array");
	run_fast(&f, a.image, 70 * 33, true, &all);
	assert_true(all.count > 3);
	run_fast(&f, a.image, 3, true, &some);
	check_points(&some, 70, 33);
	assert_int_equal(some.count, 3);
	assert_int_equal(some.said, all.count);
	free(all.points);
	free(some.points);
	check_unchanged(&in, &a);
}

static void fast_corners(void **state)
{
	(void)state;
	static const vx_float32 thresholds[] = {1, 10, 30.75f, 80, 200, 255};
	for (size_t t = 0; t < COUNT(thresholds); t++) {
		for (int suppress = 0; suppress < 2; suppress++) {
			const struct fast f = {thresholds[t], suppress, VX_BORDER_UNDEFINED};
			for (size_t s = 0; s < COUNT(sizes); s++)
				check_fast(&f, sizes[s].width, sizes[s].height, false);
			for (size_t b = 0; b < COUNT(borders); b++)
				check_fast(&(struct fast){thresholds[t], suppress, borders[b].mode}, 64, 48, false);
			check_fast(&f, 70, 33, true);
		}
	}
	check_full();
}

/* ---- Harris ---- */
struct harris {
	vx_int32 gradient_size, block_size;
	vx_float32 distance, sensitivity;
	double share; /* of the largest response, the threshold */
	vx_enum mode;
};

/* The response of each pixel, and by how much single precision may be wrong about it; known outside of a margin. */
struct responses {
	vx_uint32 width, height, margin;
	double *value, *slack;
	vx_float32 threshold;
};

static struct responses responses_of(const struct pixels *p, const struct harris *h)
{
	const size_t count = (size_t)p->width * p->height;
	struct gradients g = gradients_of(p, (unsigned)h->gradient_size);
	const vx_uint32 half = (vx_uint32)h->block_size / 2;
	struct responses r = {.width = p->width, .height = p->height, .margin = g.reach + half,
			      .value = calloc(count, sizeof(double)), .slack = calloc(count, sizeof(double))};
	const double unit = 1.0 / ((double)(1 << (h->gradient_size - 1)) * 255 * h->block_size);
	double largest = 0;
	assert_true(r.value && r.slack);
	for (vx_uint32 y = r.margin; y + r.margin < r.height; y++) {
		for (vx_uint32 x = r.margin; x + r.margin < r.width; x++) {
			double xx = 0, xy = 0, yy = 0;
			for (vx_uint32 j = y - half; j <= y + half; j++)
				for (vx_uint32 i = x - half; i <= x + half; i++) {
					const double dx = (double)g.dx[(size_t)j * r.width + i] * unit;
					const double dy = (double)g.dy[(size_t)j * r.width + i] * unit;
					xx += dx * dx;
					xy += dx * dy;
					yy += dy * dy;
				}
			const double trace_part = (double)h->sensitivity * (xx + yy) * (xx + yy);
			const size_t at = (size_t)y * r.width + x;
			r.value[at] = xx * yy - xy * xy - trace_part;
			r.slack[at] = 1e-4 * (xx * yy + xy * xy + trace_part);
			largest = r.value[at] > largest ? r.value[at] : largest;
		}
	}
	r.threshold = (vx_float32)(largest * h->share);
	free_gradients(&g);
	return r;
}

static void fail_corner(const struct responses *r, vx_uint32 x, vx_uint32 y, const char *why, double got)
{
	fail_msg("%s: %u x %u: corner %u %u: %s; %g, response %g; seed %llu", what, r->width, r->height, x, y, why, got,
		 r->value[(size_t)y * r->width + x], (unsigned long long)seed_first);
}

/* How much the response of a pixel is above those of its neighbours that count, at the least; all that may be wrong is for it
 * or against it. */
static double lead(const struct responses *r, vx_uint32 x, vx_uint32 y, bool for_it)
{
	const size_t at = (size_t)y * r->width + x;
	double least = HUGE_VAL;
	for (int k = 0; k < 9; k++) {
		const size_t other = (y + (vx_uint32)(k / 3) - 1) * (size_t)r->width + x + (size_t)(k % 3) - 1;
		const double slack = r->slack[at] + r->slack[other];
		if (other == at || r->value[other] <= (double)r->threshold - r->slack[other])
			continue;
		const double above = r->value[at] - r->value[other] + (for_it ? slack : -slack);
		least = above < least ? above : least;
	}
	return least;
}

static double distance_squared(const vx_keypoint_t *p, double x, double y)
{
	return (p->x - x) * (p->x - x) + (p->y - y) * (p->y - y);
}

/* Each corner has the response as its strength, is above the threshold and above its neighbours, and far from the others. */
static void check_reported(const struct harris *h, const struct responses *r, const struct found *f)
{
	for (vx_size i = 0; i < f->count; i++) {
		const vx_keypoint_t *p = &f->points[i];
		const vx_uint32 x = (vx_uint32)p->x, y = (vx_uint32)p->y;
		const size_t at = (size_t)y * r->width + x;
		for (vx_size j = 0; j < i; j++)
			if (distance_squared(&f->points[j], x, y) < (double)h->distance * (double)h->distance - 1e-3)
				fail_corner(r, x, y, "too near to another", sqrt(distance_squared(&f->points[j], x, y)));
		if (!inside(r->width, r->height, r->margin, x, y))
			continue;
		if (fabs((double)p->strength - r->value[at]) > r->slack[at])
			fail_corner(r, x, y, "strength", (double)p->strength);
		if (r->value[at] <= (double)r->threshold - r->slack[at])
			fail_corner(r, x, y, "below the threshold", (double)p->strength);
		if (inside(r->width, r->height, r->margin + 1, x, y) && lead(r, x, y, true) < 0)
			fail_corner(r, x, y, "below a neighbour", (double)p->strength);
	}
}

/* It is there, or a stronger one near it is. */
static bool accounted_for(const struct harris *h, const struct responses *r, const struct found *f, vx_uint32 x, vx_uint32 y)
{
	const size_t at = (size_t)y * r->width + x;
	const double reach = (double)h->distance * (double)h->distance + 1e-3;
	for (vx_size i = 0; i < f->count; i++) {
		const double d = distance_squared(&f->points[i], x, y);
		if (d == 0 || (d < reach && (double)f->points[i].strength >= r->value[at] - r->slack[at]))
			return true;
	}
	return false;
}

static void check_missing(const struct harris *h, const struct responses *r, const struct found *f)
{
	const vx_uint32 margin = r->margin + 1;
	for (vx_uint32 y = margin; y + margin < r->height; y++)
		for (vx_uint32 x = margin; x + margin < r->width; x++) {
			const size_t at = (size_t)y * r->width + x;
			const bool corner = r->value[at] > (double)r->threshold + r->slack[at] && lead(r, x, y, false) > 0;
			if (corner && !accounted_for(h, r, f, x, y))
				fail_corner(r, x, y, "missing", 0);
		}
}

static bool run_harris(const struct harris *h, vx_float32 strength, vx_image in, vx_size capacity, struct found *found)
{
	const vx_border_t border = border_of(h->mode, VX_DF_IMAGE_U8);
	const vx_size before = 12345;
	const vx_int32 slopes = h->gradient_size, blocks = h->block_size;
	vx_scalar least = new_float(strength), apart = new_float(h->distance), k = new_float(h->sensitivity);
	vx_scalar number = random_below(4) ? new_scalar(VX_TYPE_SIZE, &before) : NULL;
	vx_array corners = new_corners(capacity);
	bool ran = true;
	if (h->mode == VX_BORDER_UNDEFINED && random_below(2)) {
		set_immediate_border(&border);
		RAN(vxuHarrisCorners(context, in, least, apart, k, slopes, blocks, corners, number));
	} else {
		vx_graph graph = new_graph();
		vx_node node = vxHarrisCornersNode(graph, in, least, apart, k, slopes, blocks, corners, number);
		set_node_border(node, &border);
		if (h->mode == VX_BORDER_UNDEFINED)
			run_node(&graph, node);
		else
			ran = run_if_supported(&graph, node);
	}
	RAN(vxReleaseScalar(&least));
	RAN(vxReleaseScalar(&apart));
	RAN(vxReleaseScalar(&k));
	*found = take_corners(&corners, &number);
	return ran;
}

static void check_harris(const struct harris *h, vx_uint32 width, vx_uint32 height)
{
	now_testing("harris_corners, gradients of %d, blocks of %d, distance %g, sensitivity %g, share %g, border %s",
		    h->gradient_size, h->block_size, (double)h->distance, (double)h->sensitivity, h->share, border_name(h->mode));
	struct pixels in = picture(width, height);
	struct placed a = place_pixels(&in, random_place());
	struct responses r = responses_of(&in, h);
	struct found found;
	const bool ran = run_harris(h, r.threshold, a.image, (vx_size)width * height, &found);
	if (ran) {
		check_points(&found, width, height);
		assert_int_equal(found.said, found.count);
		check_reported(h, &r, &found);
		check_missing(h, &r, &found);
	}
	free(found.points);
	free(r.value);
	free(r.slack);
	check_unchanged(&in, &a);
}

static void harris_corners(void **state)
{
	(void)state;
	static const vx_float32 distances[] = {0, 1.5f, 3, 5.5f, 30}, sensitivities[] = {0.04f, 0.1f, 0.15f};
	static const double shares[] = {0, 0.01, 0.3};
	unsigned n = 0;
	for (vx_int32 gradient_size = 3; gradient_size <= 7; gradient_size += 2)
		for (vx_int32 block_size = 3; block_size <= 7; block_size += 2)
			for (size_t d = 0; d < COUNT(distances); d++, n++) {
				struct harris h = {.gradient_size = gradient_size, .block_size = block_size};
				h.distance = distances[d];
				h.sensitivity = sensitivities[n % 3];
				h.share = shares[n / 3 % 3];
				h.mode = VX_BORDER_UNDEFINED;
				check_harris(&h, 64, 48);
				check_harris(&h, sizes[n % COUNT(sizes)].width, sizes[n % COUNT(sizes)].height);
				h.mode = borders[n % COUNT(borders)].mode;
				check_harris(&h, 70, 33);
			}
}

/* ---- what is refused ---- */
static void refused_edges(void **state)
{
	(void)state;
	vx_image u8 = new_image(20, 16, VX_DF_IMAGE_U8), s16 = new_image(20, 16, VX_DF_IMAGE_S16);
	vx_image out = new_image(20, 16, VX_DF_IMAGE_U8), narrow = new_image(19, 16, VX_DF_IMAGE_U8);
	vx_threshold range = new_hysteresis(&(struct canny_case){3, 10, 20, VX_NORM_L1}, VX_DF_IMAGE_U8);
	vx_threshold binary = vxCreateThresholdForImage(context, VX_THRESHOLD_TYPE_BINARY, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8);
	CREATED(binary);
	REFUSE(FORMAT, "canny, input of S16", vxCannyEdgeDetectorNode(graph, s16, range, 3, VX_NORM_L1, out));
	REFUSE(FORMAT, "canny, output of S16", vxCannyEdgeDetectorNode(graph, u8, range, 3, VX_NORM_L1, s16));
	REFUSE(DIMENSION, "canny, narrower output", vxCannyEdgeDetectorNode(graph, u8, range, 3, VX_NORM_L1, narrow));
	REFUSE(VALUE, "canny, size 4", vxCannyEdgeDetectorNode(graph, u8, range, 4, VX_NORM_L1, out));
	REFUSE(VALUE, "canny, size 0", vxCannyEdgeDetectorNode(graph, u8, range, 0, VX_NORM_L1, out));
	REFUSE(VALUE, "canny, size -3", vxCannyEdgeDetectorNode(graph, u8, range, -3, VX_NORM_L1, out));
	REFUSE(VALUE, "canny, no norm", vxCannyEdgeDetectorNode(graph, u8, range, 3, VX_NORM_L2 + 1, out));
	REFUSE(ANY_ERROR, "canny, one threshold", vxCannyEdgeDetectorNode(graph, u8, binary, 3, VX_NORM_L1, out));
	RAN(vxReleaseThreshold(&range));
	RAN(vxReleaseThreshold(&binary));
	vx_image *const all[] = {&u8, &s16, &out, &narrow};
	for (size_t i = 0; i < COUNT(all); i++)
		RAN(vxReleaseImage(all[i]));
}

static void refused_corners(void **state)
{
	(void)state;
	const vx_size none = 0;
	vx_image u8 = new_image(20, 16, VX_DF_IMAGE_U8), s16 = new_image(20, 16, VX_DF_IMAGE_S16);
	vx_scalar ten = new_float(10), large = new_float(256), below = new_float(-1), k = new_float(0.04f);
	vx_scalar integer = new_scalar(VX_TYPE_INT32, &(vx_int32){10}), number = new_scalar(VX_TYPE_SIZE, &none);
	vx_array corners = new_corners(10), places = vxCreateArray(context, VX_TYPE_COORDINATES2D, 10);
	CREATED(places);
	REFUSE(FORMAT, "fast, input of S16", vxFastCornersNode(graph, s16, ten, vx_true_e, corners, number));
	REFUSE(TYPE, "fast, integer threshold", vxFastCornersNode(graph, u8, integer, vx_true_e, corners, number));
	REFUSE(VALUE, "fast, threshold 256", vxFastCornersNode(graph, u8, large, vx_true_e, corners, number));
	REFUSE(VALUE, "fast, threshold -1", vxFastCornersNode(graph, u8, below, vx_true_e, corners, number));
	REFUSE(TYPE, "fast, array of coordinates", vxFastCornersNode(graph, u8, ten, vx_true_e, places, number));
	REFUSE(TYPE, "fast, number of INT32", vxFastCornersNode(graph, u8, ten, vx_true_e, corners, integer));
	REFUSE(FORMAT, "harris, input of S16", vxHarrisCornersNode(graph, s16, ten, ten, k, 3, 3, corners, number));
	REFUSE(TYPE, "harris, integer threshold", vxHarrisCornersNode(graph, u8, integer, ten, k, 3, 3, corners, number));
	REFUSE(TYPE, "harris, integer distance", vxHarrisCornersNode(graph, u8, ten, integer, k, 3, 3, corners, number));
	REFUSE(TYPE, "harris, integer sensitivity", vxHarrisCornersNode(graph, u8, ten, ten, integer, 3, 3, corners, number));
	REFUSE(VALUE, "harris, gradients of 4", vxHarrisCornersNode(graph, u8, ten, ten, k, 4, 3, corners, number));
	REFUSE(VALUE, "harris, blocks of 0", vxHarrisCornersNode(graph, u8, ten, ten, k, 3, 0, corners, number));
	REFUSE(TYPE, "harris, array of coordinates", vxHarrisCornersNode(graph, u8, ten, ten, k, 3, 3, places, number));
	REFUSE(TYPE, "harris, number of INT32", vxHarrisCornersNode(graph, u8, ten, ten, k, 3, 3, corners, integer));
	vx_scalar *const scalars[] = {&ten, &large, &below, &k, &integer, &number};
	for (size_t i = 0; i < COUNT(scalars); i++)
		RAN(vxReleaseScalar(scalars[i]));
	RAN(vxReleaseArray(&corners));
	RAN(vxReleaseArray(&places));
	RAN(vxReleaseImage(&u8));
	RAN(vxReleaseImage(&s16));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canny), cmocka_unit_test(fast_corners), cmocka_unit_test(harris_corners),
		cmocka_unit_test(refused_edges), cmocka_unit_test(refused_corners),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
