/* Kernels that move pixels: scale_image, warp_affine, warp_perspective and remap, against samples taken in double. */
#include "testbench/openvx/neighbourhood.h"
#include <math.h>

enum {
	U1 = VX_DF_IMAGE_U1, U8 = VX_DF_IMAGE_U8, S16 = VX_DF_IMAGE_S16, RGB = VX_DF_IMAGE_RGB,
	NEAREST = VX_INTERPOLATION_NEAREST_NEIGHBOR, BILINEAR = VX_INTERPOLATION_BILINEAR, AREA = VX_INTERPOLATION_AREA,
	UNDEFINED = VX_BORDER_UNDEFINED, CONSTANT = VX_BORDER_CONSTANT, REPLICATE = VX_BORDER_REPLICATE,
};

/* ---- samples ---- */
struct point { double x, y; };

/* How the input is sampled, and how far single precision may lead away from it. */
struct sampling {
	vx_enum type;
	vx_border_t border;
	double position; /* error of a coordinate */
	double value;    /* error of an average */
	bool whole;      /* at an undefined border all pixels of an average have to be inside, those of weight 0, too */
};

static double most(vx_df_image format) { return format == U1 ? 1 : 255; }

static bool is_open(const struct pixels *in, const struct sampling *s, double x, double y)
{
	return s->border.mode == UNDEFINED && (x < 0 || y < 0 || x >= in->width || y >= in->height);
}

/* Of what an average may be stored as, the value next to got. The specification does not say how averages are rounded: both
 * neighbours are right. Averages of single bits go to the nearest, halves up, by which the conformance suite compares them. */
static int64_t stored(vx_df_image format, double average, double error, int64_t got)
{
	const bool bit = format == U1;
	const int64_t low = bit ? average - error >= 0.5 : (int64_t)floor(average - error);
	const int64_t high = bit ? average + error >= 0.5 : (int64_t)ceil(average + error);
	return got < low ? low : got > high ? high : got;
}

/* The pixel whose centre is nearest to the sample; where several are as near, the one that is like got. */
static int64_t nearest_pixel(const struct pixels *in, const struct sampling *s, struct point p, int64_t got)
{
	const double left = ceil(p.x - 0.5 - s->position), right = floor(p.x + 0.5 + s->position);
	const double top = ceil(p.y - 0.5 - s->position), bottom = floor(p.y + 0.5 + s->position);
	for (double y = top; y <= bottom; y++)
		for (double x = left; x <= right; x++)
			if (is_open(in, s, x, y) || pixel_bordered(in, (int64_t)x, (int64_t)y, &s->border) == got)
				return got;
	return pixel_bordered(in, (int64_t)left, (int64_t)top, &s->border);
}

static int64_t average_pixel(const struct pixels *in, const struct sampling *s, struct point p, int64_t got)
{
	const double left = floor(p.x), top = floor(p.y), e = s->position;
	double sum = 0;
	if (s->whole && is_open(in, s, floor(p.x - e), floor(p.y - e)))
		return got;
	if (s->whole && is_open(in, s, floor(p.x + e) + 1, floor(p.y + e) + 1))
		return got;
	for (int i = 0; i < 4; i++) {
		const double x = left + (i & 1), y = top + (i >> 1);
		const double weight = (1 - fabs(p.x - x)) * (1 - fabs(p.y - y));
		if (weight == 0)
			continue;
		if (is_open(in, s, x, y))
			return got;
		sum += weight * (double)pixel_bordered(in, (int64_t)x, (int64_t)y, &s->border);
	}
	return stored(in->format, sum, s->value, got);
}

/* What may be at the point, next to got; got, where the specification leaves it open. */
static int64_t sample(const struct pixels *in, const struct sampling *s, struct point p, int64_t got)
{
	const double far = 1e12; /* as far outside as further away */
	const struct point near = {fmin(fmax(p.x, -far), far), fmin(fmax(p.y, -far), far)};
	return s->type == NEAREST ? nearest_pixel(in, s, near, got) : average_pixel(in, s, near, got);
}

static struct point *new_points(const struct pixels *out)
{
	struct point *points = calloc((size_t)out->width * out->height, sizeof *points);
	assert_non_null(points);
	return points;
}

/* Ends the result, and frees the points that its pixels have been sampled at. */
static void check_samples(const struct pixels *in, const struct sampling *s, struct point *points, struct placed *result)
{
	struct pixels got = take_pixels(result), expected = zero_pixels(got.width, got.height, got.format);
	for (vx_uint32 y = 0; y < got.height; y++)
		for (vx_uint32 x = 0; x < got.width; x++)
			pixel_set(&expected, x, y, sample(in, s, points[(size_t)y * got.width + x], pixel_get(&got, x, y)));
	compare_pixels(&(struct comparison){0}, &expected, &got);
	free_pixels(&expected);
	free_pixels(&got);
	free(points);
}

static const char *type_name(vx_enum type) { return type == NEAREST ? "nearest" : type == BILINEAR ? "bilinear" : "area"; }
static const char *way(bool immediate) { return immediate ? "immediate" : "as a node"; }

/* ---- scale_image ---- */
static const struct ratio { const char *name; vx_uint32 multiply, divide, add, subtract; } ratios[] = {
	{"1:1", 1, 1, 0, 0}, {"1:2", 2, 1, 0, 0}, {"1:3", 3, 1, 0, 0}, {"2:1", 1, 2, 0, 0}, {"3:1", 1, 3, 0, 0},
	{"4:1", 1, 4, 0, 0}, {"5:1", 1, 5, 0, 0}, {"4:3", 3, 4, 0, 0}, {"ORB", 841, 1000, 0, 0}, {"one more", 1, 1, 1, 0},
	{"one less", 1, 1, 0, 1}, {"to one", 0, 1, 1, 0},
};

static vx_uint32 scaled(vx_uint32 size, const struct ratio *r)
{
	const vx_uint32 out = (size * r->multiply + r->divide - 1) / r->divide + r->add;
	return out > r->subtract ? out - r->subtract : 1;
}

/* The centre of an output pixel, from the outer edges of both images. */
static double centre(vx_uint32 at, vx_uint32 in, vx_uint32 out) { return ((2.0 * at + 1) * in - out) / (2.0 * out); }

/* Whether single precision has all centres exactly. */
static bool exact(vx_uint32 in, vx_uint32 out)
{
	vx_uint32 a = in, b = out;
	while (b) {
		const vx_uint32 rest = a % b;
		a = b;
		b = rest;
	}
	return !((out / a) & (out / a - 1));
}

/* How areas are averaged is left to implementations; the result lies within the pixels that the area touches, and one around
 * them, which the sample may be taken from, too. */
static int64_t within_area(const struct pixels *in, const struct sampling *s, const struct pixels *out, vx_uint32 x, vx_uint32 y,
			   int64_t got)
{
	const int64_t left = (int64_t)x * in->width / out->width - 1, top = (int64_t)y * in->height / out->height - 1;
	const int64_t right = ((int64_t)(x + 1) * in->width + out->width - 1) / out->width;
	const int64_t bottom = ((int64_t)(y + 1) * in->height + out->height - 1) / out->height;
	int64_t low = INT64_MAX, high = INT64_MIN;
	for (int64_t row = top; row <= bottom; row++) {
		for (int64_t column = left; column <= right; column++) {
			if (is_open(in, s, (double)column, (double)row))
				return got;
			const int64_t v = pixel_bordered(in, column, row, &s->border);
			low = v < low ? v : low;
			high = v > high ? v : high;
		}
	}
	return got < low ? low : got > high ? high : got;
}

static void check_area(const struct pixels *in, const struct sampling *s, struct placed *result)
{
	struct pixels got = take_pixels(result), expected = zero_pixels(got.width, got.height, got.format);
	for (vx_uint32 y = 0; y < got.height; y++)
		for (vx_uint32 x = 0; x < got.width; x++)
			pixel_set(&expected, x, y, within_area(in, s, &got, x, y, pixel_get(&got, x, y)));
	compare_pixels(&(struct comparison){0}, &expected, &got);
	free_pixels(&expected);
	free_pixels(&got);
}

static void check_scaled(const struct pixels *in, struct sampling *s, struct placed *result)
{
	const struct pixels *out = &result->shape;
	const bool same = in->width == out->width && in->height == out->height;
	if (s->type == AREA && !same) {
		check_area(in, s, result);
		return;
	}
	struct point *points = new_points(out);
	for (vx_uint32 y = 0; y < out->height; y++)
		for (vx_uint32 x = 0; x < out->width; x++)
			points[(size_t)y * out->width + x] = (struct point){centre(x, in->width, out->width),
									    centre(y, in->height, out->height)};
	s->type = same ? NEAREST : s->type;
	s->value = exact(in->width, out->width) && exact(in->height, out->height) ? 0 : 5e-5 * most(in->format);
	check_samples(in, s, points, result);
}

/* Slopes with a little noise: pixels of an area differ from those further away. */
static struct pixels smooth_pixels(vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	const struct pixels p = zero_pixels(width, height, format);
	const unsigned start = random_below(510), right = 1 + random_below(6), down = 1 + random_below(6);
	for (vx_uint32 y = 0; y < height; y++) {
		for (vx_uint32 x = 0; x < width; x++) {
			const int v = (int)((start + right * x + down * y + random_below(3)) % 510) - 255;
			pixel_set(&p, x, y, format == U1 ? (x / 8 + y / 8) % 2 : (unsigned)abs(v));
		}
	}
	return p;
}

static void scale_once(const struct ratio *r, vx_df_image format, vx_enum type, vx_enum mode, bool immediate)
{
	struct sampling s = {.type = type, .border = border_of(mode, format)};
	size_t at = random_below(COUNT(sizes));
	while (scaled(sizes[at].width, r) > 120)
		at = random_below(COUNT(sizes));
	struct pixels in = (type == AREA ? smooth_pixels : random_pixels)(sizes[at].width, sizes[at].height, format);
	struct placed source = place_pixels(&in, random_place());
	struct placed result = place_result(scaled(in.width, r), scaled(in.height, r), format, random_place());
	now_testing("scale_image %s of %u x %u, %s, border %s %lld, %s", r->name, in.width, in.height, type_name(type),
		    border_name(mode), (long long)border_value(format, &s.border.constant_value), way(immediate));
	if (immediate) {
		set_immediate_border(&s.border);
		RAN(vxuScaleImage(context, source.image, result.image, type));
	} else {
		vx_graph graph = new_graph();
		vx_node node = vxScaleImageNode(graph, source.image, result.image, type);
		set_node_border(node, &s.border);
		run_node(&graph, node);
	}
	check_scaled(&in, &s, &result);
	check_unchanged(&in, &source);
}

static void scales(void **state)
{
	static const vx_df_image formats[] = {U8, U1};
	static const vx_enum types[] = {NEAREST, BILINEAR, AREA};
	(void)state;
	for (size_t r = 0; r < COUNT(ratios); r++)
		for (size_t f = 0; f < COUNT(formats); f++)
			for (size_t t = 0; t < COUNT(types); t++)
				for (size_t b = 0; b < COUNT(borders); b++)
					for (unsigned i = 0; i < 2; i++)
						scale_once(&ratios[r], formats[f], types[t], borders[b].mode, i);
}

/* ---- warp_affine, warp_perspective, remap ---- */
#define MOVER_FUNCTIONS(mover, Name, handle)                                                                                \
	static vx_node mover##_node(vx_graph graph, vx_image in, vx_reference how, vx_enum type, vx_image out)              \
	{                                                                                                                   \
		return vx##Name##Node(graph, in, (handle)how, type, out);                                                   \
	}                                                                                                                   \
	static vx_status mover##_now(vx_image in, vx_reference how, vx_enum type, vx_image out)                             \
	{                                                                                                                   \
		return vxu##Name(context, in, (handle)how, type, out);                                                      \
	}
MOVER_FUNCTIONS(affine, WarpAffine, vx_matrix)
MOVER_FUNCTIONS(perspective, WarpPerspective, vx_matrix)
MOVER_FUNCTIONS(remap, Remap, vx_remap)

/* Where output pixels come from. */
enum motion { STAY, SHIFT, QUARTER, HALVE, DOUBLE, AWAY, ANY, LEAN, DIVIDED, ANYWHERE, BETWEEN, FAR_OUT, MOTIONS };
static const char *const motion_names[MOTIONS] = {
	"none", "a shift", "a quarter turn", "halves", "doubles", "away", "any", "leaning", "divided", "anywhere",
	"between pixels", "far out",
};

static const struct mover {
	const char *name;
	vx_node (*node)(vx_graph, vx_image, vx_reference, vx_enum, vx_image);
	vx_status (*now)(vx_image, vx_reference, vx_enum, vx_image);
	vx_size columns;     /* of its matrix; 0: it has a table */
	enum motion motions; /* those before this one */
	double position;     /* the error of a coordinate, where it is not exact: of coordinates up to some hundreds */
	vx_df_image formats[2];
} movers[] = {
	{"warp_affine", affine_node, affine_now, 2, LEAN, 1e-4, {U8, U1}},
	{"warp_perspective", perspective_node, perspective_now, 3, ANYWHERE, 4e-4, {U8}},
	{"remap", remap_node, remap_now, 0, MOTIONS, 0, {U8}},
};

static float random_real(float low, float high) { return low + (high - low) * (float)random_below(1 << 20) / (1 << 20); }

/* x0 = a x + b y + c, y0 = d x + e y + f; the matrix has a column for each of x0, y0 and z0. */
static void set_affine(float m[3][3], float a, float b, float c, float d, float e, float f)
{
	const float rows[3][3] = {{a, d, 0}, {b, e, 0}, {c, f, 1}};
	memcpy(m, rows, sizeof rows);
}

static void set_any(float m[3][3], const struct pixels *in)
{
	float v[6];
	for (unsigned i = 0; i < 6; i++)
		v[i] = i % 3 < 2 ? random_real(-1.5f, 1.5f) : random_real(-0.2f, 0.8f) * (float)(i == 2 ? in->width : in->height);
	set_affine(m, v[0], v[1], v[2], v[3], v[4], v[5]);
}

/* Of motions by matrices. */
static void draw_matrix(enum motion motion, const struct pixels *in, const struct pixels *out, float m[3][3])
{
	const float right = (float)random_below(9) - 4, down = (float)random_below(9) - 4;
	switch (motion) {
	case SHIFT: set_affine(m, 1, 0, right, 0, 1, down); break;
	case QUARTER: set_affine(m, 0, -1, (float)in->width - 1, 1, 0, 0); break;
	case HALVE: set_affine(m, 0.5f, 0, 0.25f, 0, 0.5f, 0.75f); break;
	case DOUBLE: set_affine(m, 2, 0, -3, 0, 2, 1); break;
	case AWAY: set_affine(m, 1, 0, 10000, 0, 1, -10000); break;
	case ANY: set_any(m, in); break;
	case LEAN: /* z0 from 0.5 to 1.5 */
		set_any(m, in);
		m[0][2] = random_real(-0.25f, 0.25f) / (float)out->width;
		m[1][2] = random_real(-0.25f, 0.25f) / (float)out->height;
		break;
	case DIVIDED:
		set_affine(m, 2, 0, 1, 0, 2, -1);
		m[2][2] = 2;
		break;
	default: set_affine(m, 1, 0, 0, 0, 1, 0); break;
	}
}

static void points_of_matrix(float m[3][3], const struct pixels *out, struct point *points)
{
	for (vx_uint32 y = 0; y < out->height; y++) {
		for (vx_uint32 x = 0; x < out->width; x++) {
			double at[3];
			for (int i = 0; i < 3; i++)
				at[i] = (double)m[0][i] * x + (double)m[1][i] * y + (double)m[2][i];
			points[(size_t)y * out->width + x] = (struct point){at[0] / at[2], at[1] / at[2]};
		}
	}
}

static float scattered(enum motion motion, vx_uint32 size)
{
	static const float ends[] = {1e9f, -1e9f, 3e9f, -3e9f, 1e20f, -1e20f};
	if (motion == FAR_OUT && random_below(2))
		return ends[random_below(COUNT(ends))];
	if (motion == BETWEEN)
		return (float)random_below(size + 3) - 1.5f;
	return random_real(-3, (float)size + 3);
}

static vx_reference new_matrix(vx_enum type, vx_size columns, vx_size rows)
{
	vx_matrix matrix = vxCreateMatrix(context, type, columns, rows);
	CREATED(matrix);
	return (vx_reference)matrix;
}

static vx_reference matrix_of(vx_size columns, float m[3][3])
{
	float cells[9];
	for (vx_size row = 0; row < 3; row++)
		memcpy(cells + row * columns, m[row], columns * sizeof *cells);
	vx_reference matrix = new_matrix(VX_TYPE_FLOAT32, columns, 3);
	RAN(vxCopyMatrix((vx_matrix)matrix, cells, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	return matrix;
}

static vx_reference new_table(vx_uint32 source_width, vx_uint32 source_height, vx_uint32 width, vx_uint32 height)
{
	vx_remap table = vxCreateRemap(context, source_width, source_height, width, height);
	CREATED(table);
	return (vx_reference)table;
}

/* The points become what the table has of them. */
static vx_reference table_of(const struct pixels *in, const struct pixels *out, struct point *points)
{
	const size_t count = (size_t)out->width * out->height;
	vx_coordinates2df_t *cells = calloc(count, sizeof *cells);
	assert_non_null(cells);
	for (size_t i = 0; i < count; i++) {
		cells[i] = (vx_coordinates2df_t){(float)points[i].x, (float)points[i].y};
		points[i] = (struct point){cells[i].x, cells[i].y};
	}
	vx_reference table = new_table(in->width, in->height, out->width, out->height);
	RAN(vxCopyRemapPatch((vx_remap)table, &(vx_rectangle_t){0, 0, out->width, out->height}, out->width * sizeof *cells, cells,
			     VX_TYPE_COORDINATES2DF, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	free(cells);
	return table;
}

/* A matrix or a table, and the points that it stands for. */
static vx_reference draw_motion(const struct mover *mover, enum motion motion, const struct pixels *in, const struct pixels *out,
				struct point *points)
{
	float m[3][3];
	draw_matrix(motion, in, out, m);
	points_of_matrix(m, out, points);
	if (mover->columns)
		return matrix_of(mover->columns, m);
	for (size_t i = 0; motion >= ANYWHERE && i < (size_t)out->width * out->height; i++) {
		points[i].x = scattered(motion, in->width);
		points[i].y = scattered(motion, in->height);
	}
	return table_of(in, out, points);
}

static void set_errors(const struct mover *mover, enum motion motion, vx_df_image format, struct sampling *s)
{
	const bool inexact = motion == ANY || motion == LEAN || motion >= ANYWHERE;
	s->whole = true;
	s->position = inexact ? mover->position : 0;
	s->value = inexact ? (2 * s->position + 4e-6) * most(format) : 0;
}

static void move_once(const struct mover *mover, enum motion motion, vx_df_image format, vx_enum type, vx_enum mode,
		      bool immediate)
{
	struct sampling s = {.type = type, .border = border_of(mode, format)};
	const bool resized = mover->columns != 2 && random_below(2);
	const size_t at = random_below(COUNT(sizes)), other = resized ? random_below(COUNT(sizes)) : at;
	struct pixels in = random_pixels(sizes[at].width, sizes[at].height, format);
	struct placed source = place_pixels(&in, random_place());
	struct placed result = place_result(sizes[other].width, sizes[other].height, format, random_place());
	struct point *points = new_points(&result.shape);
	vx_reference how = draw_motion(mover, motion, &in, &result.shape, points);
	now_testing("%s, %s, of %u x %u, %s, border %s %lld, %s", mover->name, motion_names[motion], in.width, in.height,
		    type_name(type), border_name(mode), (long long)border_value(format, &s.border.constant_value),
		    way(immediate));
	if (immediate) {
		set_immediate_border(&s.border);
		RAN(mover->now(source.image, how, type, result.image));
	} else {
		vx_graph graph = new_graph();
		vx_node node = mover->node(graph, source.image, how, type, result.image);
		set_node_border(node, &s.border);
		run_node(&graph, node);
	}
	RAN(vxReleaseReference(&how));
	set_errors(mover, motion, format, &s);
	check_samples(&in, &s, points, &result);
	check_unchanged(&in, &source);
}

static void move_all(const struct mover *mover, vx_df_image format)
{
	for (int motion = STAY; motion < (int)mover->motions; motion++) {
		for (unsigned i = 0; i < 8; i++) {
			const vx_enum type = i & 1 ? BILINEAR : NEAREST, mode = i & 2 ? CONSTANT : UNDEFINED;
			move_once(mover, (enum motion)motion, format, type, mode, i & 4);
		}
	}
}

static void moves(void **state)
{
	const struct mover *mover = *state;
	for (size_t f = 0; f < COUNT(mover->formats); f++)
		if (mover->formats[f])
			move_all(mover, mover->formats[f]);
}

/* A border mode that a kernel need not have is not supported, or works: by nodes, and by the policy of immediate mode. */
static void replicates(void **state)
{
	static const vx_enum policies[] = {VX_BORDER_POLICY_RETURN_ERROR, VX_BORDER_POLICY_DEFAULT_TO_UNDEFINED};
	(void)state;
	for (size_t k = 0; k < COUNT(movers); k++) {
		struct pixels in = random_pixels(13, 7, U8);
		struct placed source = place_pixels(&in, PLACE_OWN);
		struct sampling s = {.type = NEAREST, .border = {.mode = REPLICATE}};
		struct placed result = place_result(13, 7, U8, PLACE_OWN);
		struct point *points = new_points(&in);
		vx_reference how = draw_motion(&movers[k], SHIFT, &in, &in, points);
		vx_graph graph = new_graph();
		vx_node node = movers[k].node(graph, source.image, how, NEAREST, result.image);
		now_testing("%s, border replicate", movers[k].name);
		CREATED(node);
		const bool set = vxSetNodeAttribute(node, VX_NODE_BORDER, &s.border, sizeof s.border) == VX_SUCCESS;
		const bool supported = run_if_supported(&graph, node) && set;
		set_immediate_border(&s.border);
		for (size_t i = 0; i < COUNT(policies); i++) {
			const bool error = policies[i] == VX_BORDER_POLICY_RETURN_ERROR && !supported;
			RAN(vxSetContextAttribute(context, VX_CONTEXT_IMMEDIATE_BORDER_POLICY, &policies[i], sizeof policies[i]));
			REFUSED(error ? VX_ERROR_NOT_SUPPORTED : VX_SUCCESS,
				movers[k].now(source.image, how, NEAREST, result.image));
		}
		s.border.mode = supported ? REPLICATE : UNDEFINED;
		check_samples(&in, &s, points, &result);
		check_unchanged(&in, &source);
		RAN(vxReleaseReference(&how));
	}
}

/* ---- valid regions ---- */
static void check_whole(vx_image image, vx_uint32 width, vx_uint32 height)
{
	vx_rectangle_t r = {1, 1, 0, 0};
	RAN(vxGetValidRegionImage(image, &r));
	if (r.start_x || r.start_y || r.end_x != width || r.end_y != height)
		fail_msg("%s: valid are %u %u to %u %u, not all of %u x %u", what, r.start_x, r.start_y, r.end_x, r.end_y,
			 width, height);
}

/* Nodes say whether they reset the valid region of their output; these kernels do, but for scale_image. */
static void check_reset(vx_node node, vx_bool expected)
{
	vx_bool reset = 2;
	CREATED(node);
	RAN(vxQueryNode(node, VX_NODE_VALID_RECT_RESET, &reset, sizeof reset));
	assert_int_equal(reset, expected);
}

static void valid_regions(void **state)
{
	(void)state;
	for (size_t k = 0; k < COUNT(movers); k++) {
		vx_image in = new_image(16, 12, U8), out = new_image(16, 12, U8);
		const struct pixels shape = {16, 12, U8, NULL};
		struct point *points = new_points(&shape);
		vx_reference how = draw_motion(&movers[k], STAY, &shape, &shape, points);
		vx_graph graph = new_graph();
		vx_node node = movers[k].node(graph, in, how, NEAREST, out);
		now_testing("%s, valid region", movers[k].name);
		RAN(vxSetImageValidRectangle(in, &(vx_rectangle_t){3, 2, 10, 9}));
		check_reset(node, vx_true_e);
		run_node(&graph, node);
		check_whole(out, 16, 12);
		RAN(vxReleaseReference(&how));
		RAN(vxReleaseImage(&in));
		RAN(vxReleaseImage(&out));
		free(points);
	}
	vx_image in = new_image(16, 12, U8), out = new_image(8, 6, U8);
	vx_graph graph = new_graph();
	vx_node node = vxScaleImageNode(graph, in, out, NEAREST);
	now_testing("scale_image, valid region");
	check_reset(node, vx_false_e);
	run_node(&graph, node);
	check_whole(out, 8, 6);
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
}

/* ---- virtual images ---- */
/* A virtual image with a size and a format is scaled into; one without is not. */
static void virtual_results(void **state)
{
	static const struct { vx_uint32 width, height; vx_df_image format; } unfinished[] = {
		{0, 0, VX_DF_IMAGE_VIRT}, {0, 0, U8}, {8, 6, VX_DF_IMAGE_VIRT},
	};
	(void)state;
	struct pixels in = random_pixels(16, 12, U8), half = zero_pixels(8, 6, U8), inverse = zero_pixels(8, 6, U8);
	struct placed source = place_pixels(&in, PLACE_OWN);
	vx_image direct = new_image(8, 6, U8), out = new_image(8, 6, U8);
	vx_graph graph = new_graph();
	vx_image middle = vxCreateVirtualImage(graph, 8, 6, U8);
	now_testing("scale_image to a virtual image");
	vx_node scale = vxScaleImageNode(graph, source.image, middle, BILINEAR), inversion = vxNotNode(graph, middle, out);
	CREATED(scale);
	RAN(vxReleaseNode(&scale));
	run_node(&graph, inversion);
	set_immediate_border(&(vx_border_t){.mode = UNDEFINED});
	RAN(vxuScaleImage(context, source.image, direct, BILINEAR));
	download(direct, &half);
	download(out, &inverse);
	for (vx_uint32 i = 0; i < 8 * 6; i++)
		assert_int_equal(inverse.bytes[i], 255 - half.bytes[i]);
	RAN(vxReleaseImage(&middle));
	for (size_t i = 0; i < COUNT(unfinished); i++) {
		graph = new_graph();
		middle = vxCreateVirtualImage(graph, unfinished[i].width, unfinished[i].height, unfinished[i].format);
		CREATED(middle);
		refuse_anyhow(ANY_ERROR, &graph, vxScaleImageNode(graph, source.image, middle, NEAREST));
		RAN(vxReleaseImage(&middle));
	}
	RAN(vxReleaseImage(&direct));
	RAN(vxReleaseImage(&out));
	free_pixels(&half);
	free_pixels(&inverse);
	check_unchanged(&in, &source);
}

/* ---- errors ---- */
static void expect_failure(vx_status status)
{
	if (status == VX_SUCCESS)
		fail_msg("%s: ran", what);
}

static void bad_scales(void **state)
{
	static const struct { vx_df_image in, out; vx_enum type; vx_status status; } cases[] = {
		{S16, S16, NEAREST, VX_ERROR_INVALID_FORMAT}, {U8, S16, BILINEAR, VX_ERROR_INVALID_FORMAT},
		{U8, U1, NEAREST, VX_ERROR_INVALID_FORMAT},   {U1, U8, BILINEAR, VX_ERROR_INVALID_FORMAT},
		{RGB, RGB, AREA, VX_ERROR_INVALID_FORMAT},    {U8, RGB, AREA, VX_ERROR_INVALID_FORMAT},
		{U8, U8, AREA + 1, VX_ERROR_INVALID_VALUE},   {U8, U8, VX_BORDER_CONSTANT, VX_ERROR_INVALID_VALUE},
		{U8, U8, 0, VX_ERROR_INVALID_VALUE},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		vx_image in = new_image(16, 8, cases[i].in), out = new_image(8, 8, cases[i].out);
		vx_graph graph = new_graph();
		now_testing("scale_image, bad case %zu", i);
		refuse_anyhow(cases[i].status, &graph, vxScaleImageNode(graph, in, out, cases[i].type));
		expect_failure(vxuScaleImage(context, in, out, cases[i].type));
		RAN(vxReleaseImage(&in));
		RAN(vxReleaseImage(&out));
	}
}

static void bad_moves(void **state)
{
	enum { FLOAT = VX_TYPE_FLOAT32, INT = VX_TYPE_INT32 };
	/* a matrix has a type, columns and rows; a table is for outputs of so many columns and rows */
	static const struct {
		const struct mover *mover;
		vx_df_image in, out;
		vx_enum type, cell;
		vx_size columns, rows;
		vx_status status;
	} cases[] = {
		{&movers[0], S16, S16, NEAREST, FLOAT, 2, 3, VX_ERROR_INVALID_FORMAT},
		{&movers[0], U8, S16, NEAREST, FLOAT, 2, 3, VX_ERROR_INVALID_FORMAT},
		{&movers[0], U8, U1, NEAREST, FLOAT, 2, 3, VX_ERROR_INVALID_FORMAT},
		{&movers[0], U8, U8, AREA, FLOAT, 2, 3, ANY_ERROR},
		{&movers[0], U8, U8, AREA + 1, FLOAT, 2, 3, VX_ERROR_INVALID_VALUE},
		{&movers[0], U8, U8, NEAREST, INT, 2, 3, ANY_ERROR},
		{&movers[0], U8, U8, NEAREST, FLOAT, 3, 3, ANY_ERROR},
		{&movers[0], U8, U8, NEAREST, FLOAT, 3, 2, ANY_ERROR},
		{&movers[1], S16, S16, BILINEAR, FLOAT, 3, 3, VX_ERROR_INVALID_FORMAT},
		{&movers[1], U1, U1, BILINEAR, FLOAT, 3, 3, VX_ERROR_INVALID_FORMAT},
		{&movers[1], U8, RGB, BILINEAR, FLOAT, 3, 3, VX_ERROR_INVALID_FORMAT},
		{&movers[1], U8, U8, AREA, FLOAT, 3, 3, ANY_ERROR},
		{&movers[1], U8, U8, 0, FLOAT, 3, 3, VX_ERROR_INVALID_VALUE},
		{&movers[1], U8, U8, BILINEAR, VX_TYPE_UINT8, 3, 3, ANY_ERROR},
		{&movers[1], U8, U8, BILINEAR, FLOAT, 2, 3, ANY_ERROR},
		{&movers[2], S16, S16, NEAREST, 0, 16, 8, VX_ERROR_INVALID_FORMAT},
		{&movers[2], U8, S16, NEAREST, 0, 16, 8, VX_ERROR_INVALID_FORMAT},
		{&movers[2], U8, U8, AREA, 0, 16, 8, ANY_ERROR},
		{&movers[2], U8, U8, AREA + 1, 0, 16, 8, VX_ERROR_INVALID_VALUE},
		{&movers[2], U8, U8, NEAREST, 0, 15, 8, ANY_ERROR},
		{&movers[2], U8, U8, NEAREST, 0, 16, 9, ANY_ERROR},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct mover *mover = cases[i].mover;
		vx_image in = new_image(16, 8, cases[i].in), out = new_image(16, 8, cases[i].out);
		vx_reference how = mover->columns ? new_matrix(cases[i].cell, cases[i].columns, cases[i].rows)
						  : new_table(16, 8, (vx_uint32)cases[i].columns, (vx_uint32)cases[i].rows);
		vx_graph graph = new_graph();
		now_testing("%s, bad case %zu", mover->name, i);
		refuse_anyhow(cases[i].status, &graph, mover->node(graph, in, how, cases[i].type, out));
		expect_failure(mover->now(in, how, cases[i].type, out));
		RAN(vxReleaseReference(&how));
		RAN(vxReleaseImage(&in));
		RAN(vxReleaseImage(&out));
	}
}

#define MOVER(at, mover) {.name = #mover, .test_func = moves, .initial_state = (void *)&movers[at]}
int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scales),	 MOVER(0, warp_affine),		    MOVER(1, warp_perspective),	 MOVER(2, remap),
		cmocka_unit_test(replicates),	 cmocka_unit_test(valid_regions),   cmocka_unit_test(virtual_results),
		cmocka_unit_test(bad_scales),	 cmocka_unit_test(bad_moves),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
