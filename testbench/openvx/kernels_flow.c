/* What moves: points tracked between pictures whose motion is known. */
#include "testbench/openvx/neighbourhood.h"
#include <math.h>

#define PI 3.14159265358979323846

/* ---- pictures ---- */
/* Waves in all directions: a picture that can be drawn anywhere between the pixels. */
enum { WAVES = 8, FLOW_WIDTH = 128, FLOW_HEIGHT = 96, FLOW_POINTS = 45, FLOW_LEVELS = 3 };
static struct { double x, y, phase; } waves[WAVES];

static double random_between(double low, double high) { return low + (high - low) * (double)random_below(1u << 20) / (1u << 20); }

static void new_waves(void)
{
	for (int i = 0; i < WAVES; i++) {
		const double length = random_between(14, 40), direction = PI * i / WAVES + random_between(0, PI / WAVES);
		waves[i].x = 2 * PI * cos(direction) / length;
		waves[i].y = 2 * PI * sin(direction) / length;
		waves[i].phase = random_between(0, 2 * PI);
	}
}

static struct pixels draw_waves(double right, double down)
{
	const struct pixels p = zero_pixels(FLOW_WIDTH, FLOW_HEIGHT, VX_DF_IMAGE_U8);
	for (vx_uint32 y = 0; y < p.height; y++) {
		for (vx_uint32 x = 0; x < p.width; x++) {
			double value = 128;
			for (int i = 0; i < WAVES; i++)
				value += 15 * sin(waves[i].x * (x - right) + waves[i].y * (y - down) + waves[i].phase);
			pixel_set(&p, x, y, lrint(value));
		}
	}
	return p;
}

static vx_pyramid new_levels(const struct pixels *p, vx_size levels)
{
	const vx_border_t border = border_of(VX_BORDER_REPLICATE, VX_DF_IMAGE_U8);
	vx_pyramid pyramid = vxCreatePyramid(context, levels, VX_SCALE_PYRAMID_HALF, p->width, p->height, VX_DF_IMAGE_U8);
	vx_image image = new_image(p->width, p->height, VX_DF_IMAGE_U8);
	CREATED(pyramid);
	upload(image, p);
	set_immediate_border(&border);
	RAN(vxuGaussianPyramid(context, image, pyramid));
	RAN(vxReleaseImage(&image));
	return pyramid;
}

/* ---- a run ---- */
struct flow {
	vx_pyramid from, to;
	vx_keypoint_t old[FLOW_POINTS], estimates[FLOW_POINTS], found[FLOW_POINTS];
	vx_enum termination;
	vx_float32 epsilon;
	vx_uint32 iterations;
	vx_bool use_estimates;
	vx_size window;
};

/* Of points around the middle; what tracking does not change is different in each. */
static struct flow new_flow(vx_size window)
{
	struct flow f = {.termination = VX_TERM_CRITERIA_BOTH, .epsilon = 0.01f, .iterations = 50, .use_estimates = vx_false_e,
			 .window = window};
	for (int i = 0; i < FLOW_POINTS; i++) {
		const vx_float32 n = (vx_float32)i;
		f.old[i] = (vx_keypoint_t){.x = 40 + i % 9 * 6, .y = 34 + i / 9 * 7, .strength = 1 + n, .scale = 2 + n,
					   .orientation = 3 + n, .tracking_status = 1, .error = 4 + n};
		f.estimates[i] = f.old[i];
	}
	return f;
}

static vx_array new_points(const vx_keypoint_t *points)
{
	vx_array array = vxCreateArray(context, VX_TYPE_KEYPOINT, FLOW_POINTS);
	CREATED(array);
	if (points)
		RAN(vxAddArrayItems(array, FLOW_POINTS, points, sizeof *points));
	return array;
}

/* In a graph that is there already, which it ends; or else in one of its own or at once. */
static void run_flow(struct flow *f, vx_graph *graph)
{
	vx_array old = new_points(f->old), estimates = new_points(f->estimates), found = new_points(NULL);
	vx_scalar epsilon = new_float(f->epsilon), iterations = new_scalar(VX_TYPE_UINT32, &f->iterations);
	vx_scalar use = new_scalar(VX_TYPE_BOOL, &f->use_estimates);
	vx_size count = 0;
	if (!graph && random_below(2)) {
		RAN(vxuOpticalFlowPyrLK(context, f->from, f->to, old, estimates, found, f->termination, epsilon, iterations, use,
					f->window));
	} else {
		vx_graph own = graph ? *graph : new_graph();
		vx_node node = vxOpticalFlowPyrLKNode(own, f->from, f->to, old, estimates, found, f->termination, epsilon,
						      iterations, use, f->window);
		run_node(&own, node);
	}
	RAN(vxQueryArray(found, VX_ARRAY_NUMITEMS, &count, sizeof count));
	assert_int_equal(count, FLOW_POINTS);
	RAN(vxCopyArrayRange(found, 0, count, sizeof *f->found, f->found, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxReleaseArray(&old));
	RAN(vxReleaseArray(&estimates));
	RAN(vxReleaseArray(&found));
	RAN(vxReleaseScalar(&epsilon));
	RAN(vxReleaseScalar(&iterations));
	RAN(vxReleaseScalar(&use));
}

/* From one picture to the other. */
static void track(struct flow *f, const struct pixels *from, const struct pixels *to, vx_size levels)
{
	f->from = new_levels(from, levels);
	f->to = new_levels(to, levels);
	run_flow(f, NULL);
	RAN(vxReleasePyramid(&f->from));
	RAN(vxReleasePyramid(&f->to));
}

/* ---- what comes out ---- */
static void check_kept(const struct flow *f, int i)
{
	const vx_keypoint_t *a = &f->old[i], *b = &f->found[i];
	if (a->strength != b->strength || a->scale != b->scale || a->orientation != b->orientation || a->error != b->error)
		fail_msg("%s: point %d: changed strength %g, scale %g, orientation %g or error %g; seed %llu", what, i,
			 (double)b->strength, (double)b->scale, (double)b->orientation, (double)b->error,
			 (unsigned long long)seed_first);
}

/* Where windows have no slopes in some direction, points cannot be followed: the specification has them lost where the smallest
 * eigenvalue or the determinant of the slopes' products is below these numbers. Their unit is Khronos' sample's: products by
 * 2^-20 of Scharr's gradients, which are 32 times as large as slopes; eigenvalues by the window's area. It is the finest level
 * that decides, where points are whole numbers, so that sums are exact. */
static const double least_eigenvalue = 1e-4, least_determinant = 1e-7, sum_scale = 0x1p-20;

static long slope(const struct pixels *p, int x, int y, int right, int down)
{
	static const int across[] = {3, 10, 3};
	long sum = 0;
	for (int i = -1; i <= 1; i++) /* along the edge */
		sum += across[i + 1] * (pixel_get(p, x + right + i * down, y + down + i * right) -
					pixel_get(p, x - right + i * down, y - down + i * right));
	return sum;
}

static bool can_be_followed(const struct pixels *p, const vx_keypoint_t *point, int window)
{
	const int half = window / 2;
	long sum_xx = 0, sum_xy = 0, sum_yy = 0;
	for (int y = point->y - half; y <= point->y + half; y++) {
		for (int x = point->x - half; x <= point->x + half; x++) {
			const long gx = slope(p, x, y, 1, 0), gy = slope(p, x, y, 0, 1);
			sum_xx += gx * gx;
			sum_xy += gx * gy;
			sum_yy += gy * gy;
		}
	}
	const double xx = sum_xx * sum_scale, xy = sum_xy * sum_scale, yy = sum_yy * sum_scale;
	const double eigenvalue = (xx + yy - sqrt((xx - yy) * (xx - yy) + 4 * xy * xy)) / (2 * window * window);
	return eigenvalue >= least_eigenvalue && xx * yy - xy * xy >= least_determinant;
}

/* All motion stays inside: exactly those points are to be lost that cannot be followed. Of the others the suite lets one in ten be
 * wrong. Positions are integers, rounded in any way. */
static void check_flow(const struct flow *f, const struct pixels *from, double right, double down)
{
	int followed = 0, wrong = 0, last = 0;
	for (int i = 0; i < FLOW_POINTS; i++) {
		const double off_x = f->found[i].x - (f->old[i].x + right), off_y = f->found[i].y - (f->old[i].y + down);
		const bool expected = can_be_followed(from, &f->old[i], (int)f->window);
		check_kept(f, i);
		if ((f->found[i].tracking_status != 0) != expected)
			fail_msg("%s: point %d from %d %d is at %d %d with status %d, but %s; seed %llu", what, i, f->old[i].x,
				 f->old[i].y, f->found[i].x, f->found[i].y, f->found[i].tracking_status,
				 expected ? "can be followed" : "cannot be followed", (unsigned long long)seed_first);
		followed += expected;
		if (expected && (fabs(off_x) > 1.25 || fabs(off_y) > 1.25)) {
			wrong++;
			last = i;
		}
	}
	if (followed < FLOW_POINTS / 2 || wrong > followed / 10)
		fail_msg("%s: of %d points that can be followed %d are wrong: point %d from %d %d is at %d %d, expected %g %g; "
			 "seed %llu",
			 what, followed, wrong, last, f->old[last].x, f->old[last].y, f->found[last].x, f->found[last].y,
			 f->old[last].x + right, f->old[last].y + down, (unsigned long long)seed_first);
}

/* What one criterion ends is not ended by the other, which is out of the way of it. */
static const struct { vx_enum criterion; vx_float32 epsilon; vx_uint32 iterations; const char *name; } terminations[] = {
	{VX_TERM_CRITERIA_ITERATIONS, 1000, 20, "iterations"}, {VX_TERM_CRITERIA_EPSILON, 0.01f, 1, "epsilon"},
	{VX_TERM_CRITERIA_BOTH, 0.01f, 50, "both"},
};

static const struct { double right, down; } motions[] = {{0, 0}, {1, -2}, {-3, 2.5}, {3.5, 3.25}};

static void check_motion(vx_size window, unsigned t, double right, double down)
{
	struct flow f = new_flow(window);
	now_testing("optical_flow_pyr_lk, window %zu, until %s, motion %g %g", window, terminations[t].name, right, down);
	f.termination = terminations[t].criterion;
	f.epsilon = terminations[t].epsilon;
	f.iterations = terminations[t].iterations;
	new_waves();
	struct pixels from = draw_waves(0, 0), to = draw_waves(right, down);
	for (int i = 0; i < FLOW_POINTS; i++)
		f.estimates[i].x = f.estimates[i].y = 0; /* not to be used */
	track(&f, &from, &to, FLOW_LEVELS);
	check_flow(&f, &from, right, down);
	free_pixels(&from);
	free_pixels(&to);
}

static void motion(void **state)
{
	(void)state;
	for (vx_size window = 5; window <= 9; window += 4)
		for (unsigned t = 0; t < COUNT(terminations); t++)
			for (size_t m = 0; m < COUNT(motions); m++)
				check_motion(window, t, motions[m].right, motions[m].down);
}

/* So far that without estimates, on one level, nothing would be found. */
static void estimated(void **state)
{
	(void)state;
	struct flow f = new_flow(9);
	now_testing("optical_flow_pyr_lk with estimates");
	f.use_estimates = vx_true_e;
	new_waves();
	struct pixels from = draw_waves(0, 0), to = draw_waves(20.5, -14.25);
	for (int i = 0; i < FLOW_POINTS; i++) {
		f.estimates[i].x += 20;
		f.estimates[i].y -= 15;
	}
	track(&f, &from, &to, 1);
	check_flow(&f, &from, 20.5, -14.25);
	free_pixels(&from);
	free_pixels(&to);
}

/* Points that have been lost before are copied; those outside of the image get lost, and those where nothing is to be seen. */
static void lost_points(void **state)
{
	(void)state;
	struct flow f = new_flow(5), g = f;
	now_testing("optical_flow_pyr_lk, lost points");
	new_waves();
	struct pixels from = draw_waves(0, 0), to = draw_waves(1, 1), flat = zero_pixels(FLOW_WIDTH, FLOW_HEIGHT, VX_DF_IMAGE_U8);
	memset(flat.bytes, 77, bytes_in_all(&flat));
	f.old[3].tracking_status = f.old[17].tracking_status = 0;
	f.old[5].x = FLOW_WIDTH + 40;
	f.old[6].y = -50;
	track(&f, &from, &to, FLOW_LEVELS);
	assert_memory_equal(&f.found[3], &f.old[3], sizeof f.old[3]);
	assert_memory_equal(&f.found[17], &f.old[17], sizeof f.old[17]);
	assert_int_equal(f.found[5].tracking_status, 0);
	assert_int_equal(f.found[6].tracking_status, 0);
	track(&g, &flat, &flat, FLOW_LEVELS);
	for (int i = 0; i < FLOW_POINTS; i++)
		assert_int_equal(g.found[i].tracking_status, 0);
	free_pixels(&flat);
	free_pixels(&from);
	free_pixels(&to);
}

static vx_pyramid virtual_levels(vx_graph graph, vx_image image)
{
	const vx_border_t border = border_of(VX_BORDER_REPLICATE, VX_DF_IMAGE_U8);
	vx_pyramid pyramid = vxCreateVirtualPyramid(graph, FLOW_LEVELS, VX_SCALE_PYRAMID_HALF, 0, 0, VX_DF_IMAGE_VIRT);
	vx_node node = vxGaussianPyramidNode(graph, image, pyramid);
	CREATED(pyramid);
	set_node_border(node, &border);
	RAN(vxReleaseNode(&node));
	return pyramid;
}

/* Pyramids that the same graph makes give the same points. */
static void in_one_graph(void **state)
{
	(void)state;
	struct flow f = new_flow(9), g = f;
	vx_image first = new_image(FLOW_WIDTH, FLOW_HEIGHT, VX_DF_IMAGE_U8);
	vx_image second = new_image(FLOW_WIDTH, FLOW_HEIGHT, VX_DF_IMAGE_U8);
	vx_graph graph = new_graph();
	now_testing("optical_flow_pyr_lk on virtual pyramids");
	new_waves();
	struct pixels from = draw_waves(0, 0), to = draw_waves(2, 1.5);
	track(&f, &from, &to, FLOW_LEVELS);
	upload(first, &from);
	upload(second, &to);
	g.from = virtual_levels(graph, first);
	g.to = virtual_levels(graph, second);
	run_flow(&g, &graph);
	assert_memory_equal(g.found, f.found, sizeof f.found);
	RAN(vxReleasePyramid(&g.from));
	RAN(vxReleasePyramid(&g.to));
	RAN(vxReleaseImage(&first));
	RAN(vxReleaseImage(&second));
	free_pixels(&from);
	free_pixels(&to);
}

/* ---- what is refused ---- */
static vx_pyramid new_pyramid(vx_size levels, vx_uint32 width, vx_df_image format)
{
	vx_pyramid pyramid = vxCreatePyramid(context, levels, VX_SCALE_PYRAMID_HALF, width, 48, format);
	CREATED(pyramid);
	return pyramid;
}

static vx_array new_array(vx_enum type)
{
	vx_array array = vxCreateArray(context, type, 10);
	CREATED(array);
	return array;
}

static void refused(void **state)
{
	(void)state;
	const vx_enum both = VX_TERM_CRITERIA_BOTH;
	vx_size most = 0;
	vx_pyramid a = new_pyramid(3, 64, VX_DF_IMAGE_U8), b = new_pyramid(3, 64, VX_DF_IMAGE_U8);
	vx_pyramid s16 = new_pyramid(3, 64, VX_DF_IMAGE_S16);
	vx_pyramid narrow = new_pyramid(3, 63, VX_DF_IMAGE_U8), low = new_pyramid(2, 64, VX_DF_IMAGE_U8);
	vx_array p = new_array(VX_TYPE_KEYPOINT), q = new_array(VX_TYPE_KEYPOINT), z = new_array(VX_TYPE_KEYPOINT);
	vx_array places = new_array(VX_TYPE_COORDINATES2D);
	vx_scalar e = new_float(0.01f), n = new_scalar(VX_TYPE_UINT32, &(vx_uint32){10});
	vx_scalar use = new_scalar(VX_TYPE_BOOL, &(vx_bool){vx_false_e});
	RAN(vxQueryContext(context, VX_CONTEXT_OPTICAL_FLOW_MAX_WINDOW_DIMENSION, &most, sizeof most));
	assert_true(most >= 9);
	REFUSE(FORMAT, "flow, old images of S16", vxOpticalFlowPyrLKNode(graph, s16, b, p, q, z, both, e, n, use, 5));
	REFUSE(FORMAT, "flow, new images of S16", vxOpticalFlowPyrLKNode(graph, a, s16, p, q, z, both, e, n, use, 5));
	REFUSE(DIMENSION, "flow, narrower new images", vxOpticalFlowPyrLKNode(graph, a, narrow, p, q, z, both, e, n, use, 5));
	REFUSE(ANY_ERROR, "flow, fewer levels", vxOpticalFlowPyrLKNode(graph, a, low, p, q, z, both, e, n, use, 5));
	REFUSE(TYPE, "flow, old coordinates", vxOpticalFlowPyrLKNode(graph, a, b, places, q, z, both, e, n, use, 5));
	REFUSE(TYPE, "flow, estimated coordinates", vxOpticalFlowPyrLKNode(graph, a, b, p, places, z, both, e, n, use, 5));
	REFUSE(TYPE, "flow, new coordinates", vxOpticalFlowPyrLKNode(graph, a, b, p, q, places, both, e, n, use, 5));
	REFUSE(VALUE, "flow, no termination", vxOpticalFlowPyrLKNode(graph, a, b, p, q, z, both + 1, e, n, use, 5));
	REFUSE(TYPE, "flow, integer epsilon", vxOpticalFlowPyrLKNode(graph, a, b, p, q, z, both, n, n, use, 5));
	REFUSE(TYPE, "flow, float iterations", vxOpticalFlowPyrLKNode(graph, a, b, p, q, z, both, e, e, use, 5));
	REFUSE(TYPE, "flow, float for a bool", vxOpticalFlowPyrLKNode(graph, a, b, p, q, z, both, e, n, e, 5));
	REFUSE(VALUE, "flow, window 0", vxOpticalFlowPyrLKNode(graph, a, b, p, q, z, both, e, n, use, 0));
	REFUSE(VALUE, "flow, window too large", vxOpticalFlowPyrLKNode(graph, a, b, p, q, z, both, e, n, use, most + 1));
	vx_pyramid *const pyramids[] = {&a, &b, &s16, &narrow, &low};
	vx_array *const arrays[] = {&p, &q, &z, &places};
	vx_scalar *const scalars[] = {&e, &n, &use};
	for (size_t i = 0; i < COUNT(pyramids); i++)
		RAN(vxReleasePyramid(pyramids[i]));
	for (size_t i = 0; i < COUNT(arrays); i++)
		RAN(vxReleaseArray(arrays[i]));
	for (size_t i = 0; i < COUNT(scalars); i++)
		RAN(vxReleaseScalar(scalars[i]));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(motion), cmocka_unit_test(estimated), cmocka_unit_test(lost_points),
		cmocka_unit_test(in_one_graph), cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
