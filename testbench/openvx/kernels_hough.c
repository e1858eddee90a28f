/* hough_lines_p: segments that are drawn are found where and as the parameters say, and nothing else is; what it refuses. Which lines
 * are found first is left to implementations, so pictures have but one answer, or answers are judged by what all of them share. */
#include "testbench/openvx/neighbourhood.h"
#include <math.h>

static const float pi = 3.14159265358979f;

/* Steps of a pixel and of a degree, in all directions. */
static vx_hough_lines_p_t parameters(vx_int32 threshold, vx_int32 length, vx_int32 gap)
{
	return (vx_hough_lines_p_t){
		.rho = 1, .theta = pi / 180, .threshold = threshold, .line_length = length, .line_gap = gap, .theta_min = 0, .theta_max = pi,
	};
}

/* ---- pictures ---- */
struct segment { int x, y, to_x, to_y; };

static int longer_side(const struct segment *s)
{
	const int wide = abs(s->to_x - s->x), high = abs(s->to_y - s->y);
	return wide > high ? wide : high;
}

/* A pixel of a segment, of as many as its longer side and one. */
static void pixel_of(const struct segment *s, int i, int *x, int *y)
{
	const int n = longer_side(s) ? longer_side(s) : 1;
	*x = (int)lround(s->x + (double)(s->to_x - s->x) * i / n);
	*y = (int)lround(s->y + (double)(s->to_y - s->y) * i / n);
}

/* Any number but 0 is a point. */
static void draw(const struct pixels *p, const struct segment *s)
{
	for (int i = 0; i <= longer_side(s); i++) {
		int x = 0, y = 0;
		pixel_of(s, i, &x, &y);
		pixel_set(p, (vx_uint32)x, (vx_uint32)y, p->format == VX_DF_IMAGE_U1 ? 1 : 1 + random_below(255));
	}
}

static bool has_point(const struct pixels *p, int x, int y)
{
	return x >= 0 && y >= 0 && x < (int)p->width && y < (int)p->height && pixel_get(p, (vx_uint32)x, (vx_uint32)y);
}

/* ---- runs ---- */
enum { LINES_MAX = 2500 };
struct result {
	vx_size count, number; /* of items; what the scalar says */
	vx_line2d_t lines[LINES_MAX];
};

static vx_array new_lines(vx_size capacity)
{
	vx_array lines = vxCreateArray(context, VX_TYPE_LINE_2D, capacity);
	CREATED(lines);
	return lines;
}

/* The array holds something before, so that what is not written shows. valid: of the input, or NULL. */
static struct result find(struct pixels *p, const vx_rectangle_t *valid, const vx_hough_lines_p_t *h, vx_size capacity, bool with_number, bool at_once)
{
	static const vx_line2d_t old = {-1, -1, -1, -1};
	struct result r = {.number = 12345};
	struct placed in = place_pixels(p, random_place());
	vx_array lines = new_lines(capacity);
	vx_scalar scalar = new_scalar(VX_TYPE_SIZE, &r.number), number = with_number ? scalar : NULL;
	RAN(vxAddArrayItems(lines, 1, &old, sizeof old));
	if (valid)
		RAN(vxSetImageValidRectangle(in.image, valid));
	if (at_once) {
		RAN(vxuHoughLinesP(context, in.image, h, lines, number));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxHoughLinesPNode(graph, in.image, h, lines, number));
	}
	RAN(vxCopyScalar(scalar, &r.number, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxQueryArray(lines, VX_ARRAY_NUMITEMS, &r.count, sizeof r.count));
	assert_true(r.count <= LINES_MAX && r.count <= capacity);
	if (r.count)
		RAN(vxCopyArrayRange(lines, 0, r.count, sizeof *r.lines, r.lines, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxReleaseScalar(&scalar));
	RAN(vxReleaseArray(&lines));
	check_unchanged(p, &in);
	return r;
}

/* ---- pictures with one answer ---- */
static bool is_segment(const vx_line2d_t *l, const struct segment *s)
{
	return l->start_x == (float)s->x && l->start_y == (float)s->y && l->end_x == (float)s->to_x && l->end_y == (float)s->to_y;
}

/* Each of the segments once, in any order. */
static void expect_lines(const struct result *r, const struct segment *list, size_t count)
{
	assert_int_equal(r->number, count);
	if (r->count != count)
		fail_msg("%s: %zu lines, expected %zu; seed %llu", what, r->count, count, (unsigned long long)seed_first);
	for (size_t i = 0; i < count; i++) {
		size_t found = 0;
		for (size_t k = 0; k < r->count; k++)
			found += is_segment(&r->lines[k], &list[i]);
		if (found != 1)
			fail_msg("%s: segment %d %d to %d %d found %zu times, first line is %g %g to %g %g; seed %llu", what, list[i].x, list[i].y,
				 list[i].to_x, list[i].to_y, found, (double)r->lines[0].start_x, (double)r->lines[0].start_y,
				 (double)r->lines[0].end_x, (double)r->lines[0].end_y, (unsigned long long)seed_first);
	}
}

/* Segments that are drawn, and those which are to be found; in both formats, in both ways. Those with a threshold of 57 and more have
 * but one answer: no line of another angle has as many pixels in common with a horizontal or vertical segment. */
static void check_picture(const char *why, const vx_hough_lines_p_t *h, const vx_rectangle_t *valid, const struct segment *drawn, size_t num_drawn,
			  const struct segment *expected, size_t num_expected)
{
	static const vx_df_image formats[] = {VX_DF_IMAGE_U8, VX_DF_IMAGE_U1};
	for (unsigned k = 0; k < 4; k++) {
		struct pixels p = zero_pixels(150, 130, formats[k & 1]);
		now_testing("%s, %.4s, %s", why, (const char *)&formats[k & 1], k & 2 ? "at once" : "as a node");
		for (size_t i = 0; i < num_drawn; i++)
			draw(&p, &drawn[i]);
		const struct result r = find(&p, valid, h, 20, true, k & 2);
		expect_lines(&r, expected, num_expected);
	}
}

#define PICTURE(why, h, valid, drawn, expected) \
	check_picture(why, h, valid, (const struct segment[]){drawn}, sizeof((const struct segment[]){drawn}) / sizeof(struct segment), \
		      (const struct segment[]){expected}, sizeof((const struct segment[]){expected}) / sizeof(struct segment))
#define NOTHING(why, h, drawn) \
	check_picture(why, h, NULL, (const struct segment[]){drawn}, sizeof((const struct segment[]){drawn}) / sizeof(struct segment), NULL, 0)
#define SEGMENT(...) {__VA_ARGS__}
#define TWO(a, b) a, b

#define ROW SEGMENT(20, 40, 119, 40)
#define COLUMN SEGMENT(70, 10, 70, 109)
#define FALLING SEGMENT(20, 10, 119, 109)
#define RISING SEGMENT(20, 109, 119, 10)

static void directions(void **state)
{
	const vx_hough_lines_p_t h = parameters(60, 50, 2);
	(void)state;
	PICTURE("a row", &h, NULL, ROW, ROW);
	PICTURE("a column", &h, NULL, COLUMN, COLUMN);
	PICTURE("a falling diagonal", &h, NULL, FALLING, FALLING);
	PICTURE("a rising diagonal", &h, NULL, RISING, RISING);
	PICTURE("the first row", &h, NULL, SEGMENT(0, 0, 149, 0), SEGMENT(0, 0, 149, 0));
	PICTURE("the last column", &h, NULL, SEGMENT(149, 0, 149, 129), SEGMENT(149, 0, 149, 129));
	PICTURE("two rows", &h, NULL, TWO(ROW, SEGMENT(10, 80, 99, 80)), TWO(ROW, SEGMENT(10, 80, 99, 80)));
	check_picture("no points", &h, NULL, NULL, 0, NULL, 0);
}

/* HoughLinesP: peaks that are higher than the threshold; segments that are longer than the least length. */
static void thresholds(void **state)
{
	(void)state;
	vx_hough_lines_p_t h = parameters(99, 50, 2);
	PICTURE("one vote more than the threshold", &h, NULL, ROW, ROW);
	h = parameters(100, 50, 2);
	NOTHING("as many votes as the threshold", &h, ROW);
	h = parameters(60, 99, 2);
	PICTURE("one pixel more than the least length", &h, NULL, ROW, ROW);
	h = parameters(60, 100, 2);
	NOTHING("as many pixels as the least length", &h, ROW);
}

/* Gaps of so many pixels, and one more. Two pieces have just enough votes each: both are found if those of the first are taken back, and
 * no more than those. */
static void gaps(void **state)
{
	(void)state;
	vx_hough_lines_p_t h = parameters(58, 50, 6);
#define LEFT SEGMENT(5, 33, 63, 33)
#define RIGHT SEGMENT(70, 33, 128, 33)
	PICTURE("a gap of 6 pixels where 6 are no end", &h, NULL, TWO(LEFT, RIGHT), SEGMENT(5, 33, 128, 33));
	h = parameters(58, 50, 5);
	PICTURE("a gap of 6 pixels where 5 are no end", &h, NULL, TWO(LEFT, RIGHT), TWO(LEFT, RIGHT));
	h = parameters(58, 59, 5);
	NOTHING("pieces that are too short", &h, TWO(LEFT, RIGHT));
	h = parameters(58, 50, 0);
	PICTURE("no gaps at all", &h, NULL, ROW, ROW);
}

/* A long piece of a row and, behind a gap, one that has fewer pixels than a line needs votes. Before the long one is found, votes of both
 * count, and the one whose turn it is may be the short one. Afterwards it cannot be found any more, unless votes of the long one are
 * left. So it is found in some pictures, as often as the last vote is one of its pixels, by far not in all of them. */
static void votes_taken_back(void **state)
{
	enum { PICTURES = 40 };
	const vx_hough_lines_p_t h = parameters(58, 30, 2);
	int found = 0;
	(void)state;
	for (int k = 0; k < PICTURES; k++) {
		const int y = (int)random_below(40), l = 80 + (int)random_below(20), s = 35 + (int)random_below(20), behind = random_below(2) ? l + 10 : 0;
		const int before = behind ? 0 : s + 10;
		const struct segment longer = {before, y, before + l - 1, y}, shorter = {behind, y, behind + s - 1, y};
		struct pixels p = zero_pixels(170, 40, VX_DF_IMAGE_U8);
		now_testing("pieces of %d and %d pixels", l, s);
		draw(&p, &longer);
		draw(&p, &shorter);
		const struct result r = find(&p, NULL, &h, 20, true, k & 1);
		bool seen[2] = {false, false};
		for (vx_size i = 0; i < r.count; i++) {
			seen[0] = seen[0] || is_segment(&r.lines[i], &longer);
			seen[1] = seen[1] || is_segment(&r.lines[i], &shorter);
		}
		assert_int_equal(r.count, 1 + seen[1]);
		assert_true(seen[0]);
		found += seen[1];
	}
	if (found > PICTURES * 7 / 10)
		fail_msg("the short piece is found in %d of %d pictures; seed %llu", found, PICTURES, (unsigned long long)seed_first);
}

/* Which directions are looked for: the angle is that of the way from the corner to the line. */
static void angles(void **state)
{
	(void)state;
	vx_hough_lines_p_t h = parameters(60, 50, 2);
	h.theta_min = pi / 4;
	h.theta_max = 3 * pi / 4;
	PICTURE("between 45 and 135 degrees", &h, NULL, TWO(ROW, COLUMN), ROW);
	h.theta_min = 0;
	h.theta_max = pi / 4;
	PICTURE("between 0 and 45 degrees", &h, NULL, TWO(ROW, COLUMN), COLUMN);
	h.theta_min = pi / 2;
	h.theta_max = pi;
	PICTURE("between 90 and 180 degrees", &h, NULL, TWO(ROW, FALLING), TWO(ROW, FALLING));
	h.theta_min = 0;
	h.theta_max = 3 * pi / 5;
	PICTURE("between 0 and 108 degrees", &h, NULL, TWO(ROW, FALLING), ROW);
}

/* Points outside of the valid region are none. */
static void valid_region(void **state)
{
	const vx_hough_lines_p_t h = parameters(60, 50, 2);
	(void)state;
	PICTURE("a valid region", &h, (&(vx_rectangle_t){30, 20, 100, 130}), TWO(ROW, SEGMENT(30, 10, 129, 10)), SEGMENT(30, 40, 99, 40));
}

/* ---- numbers ---- */
/* The scalar says how many there are, the array holds those for which it has room. */
static void room(void **state)
{
	const vx_hough_lines_p_t h = parameters(60, 50, 2);
	(void)state;
	for (vx_size capacity = 1; capacity <= 6; capacity++) {
		struct pixels p = zero_pixels(110, 60, VX_DF_IMAGE_U8);
		struct segment rows[5];
		now_testing("five lines and room for %zu", capacity);
		for (int i = 0; i < 5; i++) {
			rows[i] = (struct segment){5 + i, 5 + 11 * i, 100 + i, 5 + 11 * i};
			draw(&p, &rows[i]);
		}
		const bool with_number = capacity != 3;
		const struct result r = find(&p, NULL, &h, capacity, with_number, capacity & 1);
		assert_int_equal(r.number, with_number ? 5 : 12345);
		assert_int_equal(r.count, capacity < 5 ? capacity : 5);
		for (vx_size i = 0; i < r.count; i++) {
			bool known = false;
			for (size_t k = 0; k < 5; k++)
				known = known || is_segment(&r.lines[i], &rows[k]);
			assert_true(known);
			for (vx_size k = 0; k < i; k++)
				assert_memory_not_equal(&r.lines[i], &r.lines[k], sizeof *r.lines);
		}
	}
}

/* ---- pictures with many answers ---- */
/* A step of a line has a point near it: where the way runs between pixels, it is one of those beside it. */
static bool has_point_near(const struct pixels *p, const struct segment *s, int i)
{
	const bool flat = abs(s->to_x - s->x) > abs(s->to_y - s->y);
	int x = 0, y = 0;
	pixel_of(s, i, &x, &y);
	for (int k = -1; k <= 1; k++)
		if (has_point(p, flat ? x : x + k, flat ? y + k : y))
			return true;
	return false;
}

/* What any line is like. */
static void check_line(const struct pixels *p, const vx_line2d_t *l, const vx_hough_lines_p_t *h)
{
	const struct segment s = {(int)l->start_x, (int)l->start_y, (int)l->end_x, (int)l->end_y};
	int gap = 0;
	add_testing(", line %d %d to %d %d", s.x, s.y, s.to_x, s.to_y);
	if (s.x > s.to_x || longer_side(&s) < h->line_length || !has_point(p, s.x, s.y) || !has_point(p, s.to_x, s.to_y))
		fail_msg("%s: it ends at no points, is too short or goes backwards; seed %llu", what, (unsigned long long)seed_first);
	for (int i = 0; i <= longer_side(&s); i++) {
		gap = has_point_near(p, &s, i) ? 0 : gap + 1;
		if (gap > h->line_gap)
			fail_msg("%s: a gap at step %d; seed %llu", what, i, (unsigned long long)seed_first);
	}
}

static void check_lines(const struct pixels *p, const struct result *r, const vx_hough_lines_p_t *h)
{
	char before[sizeof what];
	assert_int_equal(r->number, r->count);
	memcpy(before, what, sizeof what);
	for (vx_size i = 0; i < r->count; i++) {
		check_line(p, &r->lines[i], h);
		memcpy(what, before, sizeof what);
	}
}

/* Both formats, both ways, and again: the order in which points are taken is always the same. */
static struct result find_always(struct pixels *bytes, const vx_hough_lines_p_t *h)
{
	struct pixels copy = zero_pixels(bytes->width, bytes->height, VX_DF_IMAGE_U8), bits = zero_pixels(bytes->width, bytes->height, VX_DF_IMAGE_U1);
	copy_rectangle(&copy, 0, 0, bytes, 0, 0, bytes->width, bytes->height);
	for (vx_uint32 y = 0; y < bytes->height; y++)
		for (vx_uint32 x = 0; x < bytes->width; x++)
			pixel_set(&bits, x, y, pixel_get(bytes, x, y) != 0);
	const struct result a = find(&copy, NULL, h, LINES_MAX, true, false), b = find(&bits, NULL, h, LINES_MAX, true, true);
	assert_int_equal(a.number, b.number);
	assert_int_equal(a.count, b.count);
	assert_memory_equal(a.lines, b.lines, a.count * sizeof *a.lines);
	return a;
}

static void noise(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 12; k++) {
		const vx_uint32 width = 20 + random_below(120), height = 20 + random_below(100), one_in = 2 + random_below(20);
		vx_hough_lines_p_t h = parameters((vx_int32)(5 + random_below(20)), (vx_int32)(3 + random_below(20)), (vx_int32)random_below(5));
		struct pixels p = zero_pixels(width, height, VX_DF_IMAGE_U8);
		h.rho = 0.5f + (float)random_below(4) / 2;
		h.theta = pi / (float)(20 + random_below(200));
		now_testing("one point in %u pixels of %u x %u, steps %g and %g, threshold %d, length %d, gap %d", one_in, width, height,
			    (double)h.rho, (double)h.theta, h.threshold, h.line_length, h.line_gap);
		for (vx_uint32 y = 0; y < height; y++)
			for (vx_uint32 x = 0; x < width; x++)
				if (!random_below(one_in))
					pixel_set(&p, x, y, 1 + random_below(255));
		const struct result r = find_always(&p, &h);
		check_lines(&p, &r, &h);
		free_pixels(&p);
	}
}

/* How far a point is from a line that was found, beyond its ends as well. */
static double away(const vx_line2d_t *l, double x, double y)
{
	const double dx = (double)l->end_x - (double)l->start_x, dy = (double)l->end_y - (double)l->start_y, squares = dx * dx + dy * dy;
	double t = squares > 0 ? ((x - (double)l->start_x) * dx + (y - (double)l->start_y) * dy) / squares : 0;
	t = t < 0 ? 0 : t > 1 ? 1 : t;
	return hypot((double)l->start_x + t * dx - x, (double)l->start_y + t * dy - y);
}

static void covered(const struct result *r, const struct segment *s)
{
	int near = 0;
	for (int i = 0; i <= longer_side(s); i++) {
		int x = 0, y = 0;
		pixel_of(s, i, &x, &y);
		bool found = false;
		for (vx_size k = 0; k < r->count; k++)
			found = found || away(&r->lines[k], x, y) <= 2;
		near += found;
	}
	if (near * 4 < (longer_side(s) + 1) * 3)
		fail_msg("%s: %d pixels of segment %d %d to %d %d are found; seed %llu", what, near, s->x, s->y, s->to_x, s->to_y,
			 (unsigned long long)seed_first);
}

/* Segments of any slope, and a little noise. They are found, but for some pixels at their ends, perhaps in pieces. */
static void scenes(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 8; k++) {
		const vx_hough_lines_p_t h = parameters(20, 18, 4);
		struct pixels p = zero_pixels(200, 160, VX_DF_IMAGE_U8);
		struct segment s[4];
		now_testing("scene %u", k);
		for (int i = 0; i < 4; i++) {
			const int band = 40 * i; /* of rows, for each its own */
			s[i] = (struct segment){(int)random_below(40), band + 5 + (int)random_below(30), 150 + (int)random_below(50), band + 5 + (int)random_below(30)};
			for (int thick = 0; thick < 2; thick++)
				draw(&p, &(struct segment){s[i].x, s[i].y + thick, s[i].to_x, s[i].to_y + thick});
		}
		for (unsigned i = 0; i < 100; i++)
			pixel_set(&p, random_below(200), random_below(160), 255);
		const struct result r = find_always(&p, &h);
		check_lines(&p, &r, &h);
		for (int i = 0; i < 4; i++)
			covered(&r, &s[i]);
		free_pixels(&p);
	}
}

/* ---- what is refused ---- */
static void refusals(void **state)
{
	(void)state;
	vx_image image = new_image(60, 40, VX_DF_IMAGE_U8), words = new_image(60, 40, VX_DF_IMAGE_S16);
	vx_array lines = new_lines(10), points = vxCreateArray(context, VX_TYPE_COORDINATES2D, 10);
	vx_scalar size = new_scalar(VX_TYPE_SIZE, &(vx_size){0}), whole = new_scalar(VX_TYPE_UINT32, &(vx_uint32){0});
	const vx_hough_lines_p_t right = parameters(20, 20, 2);
	CREATED(points);
	const struct { const char *why; vx_status status; vx_image in; vx_array lines; vx_scalar number; } bad[] = {
		{"words", FORMAT, words, lines, size},
		{"an array of points", TYPE, image, points, size},
		{"a number of 32 bits", TYPE, image, lines, whole},
	};
	for (size_t i = 0; i < COUNT(bad); i++)
		REFUSE_BOTH(bad[i].status, bad[i].why, vxHoughLinesPNode(graph, bad[i].in, &right, bad[i].lines, bad[i].number),
			    vxuHoughLinesP(context, bad[i].in, &right, bad[i].lines, bad[i].number));
	const struct { const char *why; float rho, theta; } bad_steps[] = {
		{"no step of distance", 0, pi / 180}, {"a negative step of distance", -1, pi / 180}, {"no number as step of distance", NAN, pi / 180},
		{"no step of angle", 1, 0}, {"a negative step of angle", 1, -pi / 180}, {"no number as step of angle", 1, NAN},
		{"a step of more than half a turn", 1, 4}, {"a step that no memory is enough for", 1e-9f, pi / 180},
	};
	for (size_t i = 0; i < COUNT(bad_steps); i++) {
		vx_hough_lines_p_t h = right;
		h.rho = bad_steps[i].rho;
		h.theta = bad_steps[i].theta;
		REFUSE_BOTH(VALUE, bad_steps[i].why, vxHoughLinesPNode(graph, image, &h, lines, size), vxuHoughLinesP(context, image, &h, lines, size));
	}
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&words));
	RAN(vxReleaseArray(&lines));
	RAN(vxReleaseArray(&points));
	RAN(vxReleaseScalar(&size));
	RAN(vxReleaseScalar(&whole));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directions), cmocka_unit_test(thresholds), cmocka_unit_test(gaps),
		cmocka_unit_test(votes_taken_back), cmocka_unit_test(angles),
		cmocka_unit_test(valid_region), cmocka_unit_test(room), cmocka_unit_test(noise), cmocka_unit_test(scenes),
		cmocka_unit_test(refusals),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
