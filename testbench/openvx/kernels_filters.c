/* Filters: each pixel of a result from a neighbourhood of the input, predicted in plain C. */
#include "testbench/openvx/neighbourhood.h"

/* ---- a kernel, and what it works on ---- */
struct job {
	vx_image in, out, out_y, mask_image;
	const struct filter *filter;
	vx_convolution convolution;
	vx_matrix mask;
	vx_enum kind; /* the function of a non-linear filter, the format of patterns */
	vx_int32 size;
};

struct kernel {
	const char *name;
	vx_node (*node)(vx_graph, const struct job *);
	vx_status (*now)(const struct job *);
};

static void run(const struct kernel *k, const struct job *j, const vx_border_t *border)
{
	if (random_below(2)) {
		vx_graph graph = new_graph();
		vx_node node = k->node(graph, j);
		set_node_border(node, border);
		run_node(&graph, node);
	} else {
		set_immediate_border(border);
		RAN(k->now(j));
	}
}

/* Ends a run: the result, its valid region, and that the input is as it was. */
static void check_run(vx_enum mode, const struct sides *reach, int64_t tolerance, struct pixels *expected, struct placed *result)
{
	uint8_t *skip = mode == VX_BORDER_UNDEFINED ? leaves_image(expected->width, expected->height, reach) : NULL;
	check_valid(result, mode, reach);
	check_result(&(struct comparison){.skip = skip, .tolerance = tolerance}, expected, result);
	free(skip);
}

static int in_order(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int64_t ranked(int64_t *values, unsigned count, unsigned rank)
{
	qsort(values, count, sizeof *values, in_order);
	return values[rank];
}

static int64_t clamp_to(vx_df_image format, int64_t value)
{
	const int64_t low = format == VX_DF_IMAGE_U8 ? 0 : INT16_MIN, high = format == VX_DF_IMAGE_U8 ? UINT8_MAX : INT16_MAX;
	return value < low ? low : value > high ? high : value;
}

/* ---- windows of 3 x 3 ---- */
struct filter {
	const char *name;
	vx_node (*node)(vx_graph, vx_image, vx_image);
	vx_status (*now)(vx_context, vx_image, vx_image);
	bool binary; /* takes images of one bit a pixel too */
	int64_t weights[9], divisor; /* of a weighted sum; where the divisor is 0, it is the value of a rank */
	unsigned rank;
	int64_t tolerance;
};

/* How quotients are rounded is not specified: the conformance suite takes one more or less than what cutting off gives. */
static const struct filter filters[] = {
	{.name = "dilate_3x3", .node = vxDilate3x3Node, .now = vxuDilate3x3, .binary = true, .rank = 8},
	{.name = "erode_3x3", .node = vxErode3x3Node, .now = vxuErode3x3, .binary = true, .rank = 0},
	{.name = "median_3x3", .node = vxMedian3x3Node, .now = vxuMedian3x3, .binary = true, .rank = 4},
	{.name = "box_3x3", .node = vxBox3x3Node, .now = vxuBox3x3, .weights = {1, 1, 1, 1, 1, 1, 1, 1, 1}, .divisor = 9,
	 .tolerance = 1},
	{.name = "gaussian_3x3", .node = vxGaussian3x3Node, .now = vxuGaussian3x3, .weights = {1, 2, 1, 2, 4, 2, 1, 2, 1},
	 .divisor = 16, .tolerance = 1},
};

static vx_node filter_node(vx_graph graph, const struct job *j) { return j->filter->node(graph, j->in, j->out); }
static vx_status filter_now(const struct job *j) { return j->filter->now(context, j->in, j->out); }
static const struct kernel filter_kernel = {"filter of 3 x 3", filter_node, filter_now};

static void window_at(const struct pixels *p, vx_uint32 x, vx_uint32 y, const vx_border_t *border, int64_t v[9])
{
	for (int i = 0; i < 9; i++)
		v[i] = pixel_bordered(p, (int64_t)x + i % 3 - 1, (int64_t)y + i / 3 - 1, border);
}

static int64_t weighted(const int64_t v[9], const int64_t weights[9])
{
	int64_t sum = 0;
	for (int i = 0; i < 9; i++)
		sum += v[i] * weights[i];
	return sum;
}

static struct pixels filtered(const struct filter *f, const struct pixels *in, const vx_border_t *border)
{
	const struct pixels out = zero_pixels(in->width, in->height, in->format);
	for (vx_uint32 y = 0; y < in->height; y++) {
		for (vx_uint32 x = 0; x < in->width; x++) {
			int64_t v[9];
			window_at(in, x, y, border, v);
			pixel_set(&out, x, y, f->divisor ? weighted(v, f->weights) / f->divisor : ranked(v, 9, f->rank));
		}
	}
	return out;
}

static void check_filter(const struct filter *f, vx_df_image format, vx_enum mode, vx_uint32 width, vx_uint32 height)
{
	const vx_border_t border = border_of(mode, format);
	const struct sides reach = all_sides(1);
	now_testing("%s, border %s", f->name, border_name(mode));
	struct pixels in = random_pixels(width, height, format), expected = filtered(f, &in, &border);
	struct placed a = place_pixels(&in, random_place()), z = place_result(width, height, format, random_place());
	run(&filter_kernel, &(struct job){.filter = f, .in = a.image, .out = z.image}, &border);
	check_run(mode, &reach, f->tolerance, &expected, &z);
	check_unchanged(&in, &a);
}

static void of_3x3(void **state)
{
	(void)state;
	for (size_t f = 0; f < COUNT(filters); f++)
		for (size_t b = 0; b < COUNT(borders); b++)
			for (size_t s = 0; s < COUNT(sizes); s++) {
				const vx_uint32 width = sizes[s].width, height = sizes[s].height;
				check_filter(&filters[f], VX_DF_IMAGE_U8, borders[b].mode, width, height);
				if (filters[f].binary)
					check_filter(&filters[f], VX_DF_IMAGE_U1, borders[b].mode, width, height);
			}
}

/* ---- Sobel ---- */
static const int64_t sobel_weights[2][9] = {{-1, 0, 1, -2, 0, 2, -1, 0, 1}, {-1, -2, -1, 0, 0, 0, 1, 2, 1}};

static vx_node sobel_node(vx_graph graph, const struct job *j) { return vxSobel3x3Node(graph, j->in, j->out, j->out_y); }
static vx_status sobel_now(const struct job *j) { return vxuSobel3x3(context, j->in, j->out, j->out_y); }
static const struct kernel sobel_kernel = {"sobel_3x3", sobel_node, sobel_now};

static struct pixels gradient(const struct pixels *in, const vx_border_t *border, int axis)
{
	const struct pixels out = zero_pixels(in->width, in->height, VX_DF_IMAGE_S16);
	for (vx_uint32 y = 0; y < in->height; y++) {
		for (vx_uint32 x = 0; x < in->width; x++) {
			int64_t v[9];
			window_at(in, x, y, border, v);
			pixel_set(&out, x, y, weighted(v, sobel_weights[axis]));
		}
	}
	return out;
}

/* Either of the outputs may be left out: bits of `wanted`. */
static void check_sobel(vx_enum mode, vx_uint32 width, vx_uint32 height, unsigned wanted)
{
	const vx_border_t border = border_of(mode, VX_DF_IMAGE_U8);
	const struct sides reach = all_sides(1);
	struct placed results[2];
	memset(results, 0, sizeof results);
	now_testing("sobel_3x3, outputs %u, border %s", wanted, border_name(mode));
	struct pixels in = random_pixels(width, height, VX_DF_IMAGE_U8);
	struct placed a = place_pixels(&in, random_place());
	for (int axis = 0; axis < 2; axis++)
		if (wanted >> axis & 1)
			results[axis] = place_result(width, height, VX_DF_IMAGE_S16, random_place());
	run(&sobel_kernel, &(struct job){.in = a.image, .out = results[0].image, .out_y = results[1].image}, &border);
	for (int axis = 0; axis < 2; axis++) {
		if (wanted >> axis & 1) {
			struct pixels expected = gradient(&in, &border, axis);
			check_run(mode, &reach, 0, &expected, &results[axis]);
		}
	}
	check_unchanged(&in, &a);
}

static void sobel(void **state)
{
	(void)state;
	for (size_t b = 0; b < COUNT(borders); b++)
		for (size_t s = 0; s < COUNT(sizes); s++)
			for (unsigned wanted = 1; wanted <= 3; wanted++)
				check_sobel(borders[b].mode, sizes[s].width, sizes[s].height, wanted);
}

/* ---- convolutions of the application's ---- */
static const struct convolution_case {
	vx_size columns, rows;
	vx_uint32 scale;
	int spread; /* coefficients lie between -spread and spread; 0: any */
} convolution_cases[] = {
	{3, 3, 1, 2}, {3, 3, 16, 40}, {5, 5, 1, 100}, {5, 3, 4, 9}, {3, 7, 2, 0}, {7, 7, 256, 300}, {9, 9, 1u << 15, 0},
	{9, 3, 1, 0}, {3, 9, 1u << 30, 0}, {3, 3, 1u << 31, 0},
};

static vx_node convolve_node(vx_graph graph, const struct job *j) { return vxConvolveNode(graph, j->in, j->convolution, j->out); }
static vx_status convolve_now(const struct job *j) { return vxuConvolve(context, j->in, j->convolution, j->out); }
static const struct kernel convolve_kernel = {"custom_convolution", convolve_node, convolve_now};

static vx_convolution new_convolution(const struct convolution_case *c, vx_int16 *coefficients)
{
	vx_convolution convolution = vxCreateConvolution(context, c->columns, c->rows);
	CREATED(convolution);
	RAN(vxCopyConvolutionCoefficients(convolution, coefficients, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxSetConvolutionAttribute(convolution, VX_CONVOLUTION_SCALE, &c->scale, sizeof c->scale));
	return convolution;
}

/* The matrix lies upside down and from right to left over the pixels. */
static int64_t sum_at(const struct convolution_case *c, const vx_int16 *coefficients, const struct pixels *in, int64_t x,
		      int64_t y, const vx_border_t *border)
{
	const int64_t columns = (int64_t)c->columns, rows = (int64_t)c->rows;
	int64_t sum = 0;
	for (int64_t l = 0; l < rows; l++)
		for (int64_t k = 0; k < columns; k++)
			sum += coefficients[l * columns + k] * pixel_bordered(in, x + columns / 2 - k, y + rows / 2 - l, border);
	return sum;
}

static struct pixels convolved(const struct convolution_case *c, const vx_int16 *coefficients, const struct pixels *in,
			       const vx_border_t *border, vx_df_image format)
{
	const struct pixels out = zero_pixels(in->width, in->height, format);
	for (vx_uint32 y = 0; y < in->height; y++)
		for (vx_uint32 x = 0; x < in->width; x++)
			pixel_set(&out, x, y, clamp_to(format, sum_at(c, coefficients, in, x, y, border) / (int64_t)c->scale));
	return out;
}

static void check_convolution(const struct convolution_case *c, vx_df_image format, vx_enum mode, vx_uint32 width,
			      vx_uint32 height)
{
	const vx_border_t border = border_of(mode, VX_DF_IMAGE_U8);
	const vx_uint32 across = (vx_uint32)c->columns / 2, down = (vx_uint32)c->rows / 2, spread = (vx_uint32)c->spread;
	const struct sides reach = {across, down, across, down};
	vx_int16 coefficients[81];
	now_testing("custom_convolution, %zu x %zu, scale %u, border %s", c->columns, c->rows, c->scale, border_name(mode));
	for (size_t i = 0; i < c->columns * c->rows; i++)
		coefficients[i] = (vx_int16)(spread ? (int)random_below(2 * spread + 1) - c->spread : random_sample(16));
	vx_convolution convolution = new_convolution(c, coefficients);
	struct pixels in = random_pixels(width, height, VX_DF_IMAGE_U8);
	struct pixels expected = convolved(c, coefficients, &in, &border, format);
	struct placed a = place_pixels(&in, random_place()), z = place_result(width, height, format, random_place());
	run(&convolve_kernel, &(struct job){.in = a.image, .convolution = convolution, .out = z.image}, &border);
	/* how quotients are rounded is not specified, and the suite takes one more or less */
	check_run(mode, &reach, c->scale > 1, &expected, &z);
	check_unchanged(&in, &a);
	RAN(vxReleaseConvolution(&convolution));
}

static void convolutions(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(convolution_cases); c++)
		for (size_t b = 0; b < COUNT(borders); b++)
			for (size_t s = c % 3; s < COUNT(sizes); s += 3) {
				const struct convolution_case *cc = &convolution_cases[c];
				check_convolution(cc, VX_DF_IMAGE_U8, borders[b].mode, sizes[s].width, sizes[s].height);
				check_convolution(cc, VX_DF_IMAGE_S16, borders[b].mode, sizes[s].width, sizes[s].height);
			}
}

/* ---- non-linear filters ---- */
static const struct mask_case {
	vx_enum pattern;
	vx_size columns, rows;
	bool moved; /* its origin is somewhere else than in the middle */
} mask_cases[] = {
	{VX_PATTERN_BOX, 3, 3, false}, {VX_PATTERN_BOX, 5, 5, true}, {VX_PATTERN_BOX, 3, 7, false}, {VX_PATTERN_BOX, 9, 9, false},
	{VX_PATTERN_CROSS, 3, 3, false}, {VX_PATTERN_CROSS, 5, 5, true}, {VX_PATTERN_CROSS, 9, 3, false},
	{VX_PATTERN_DISK, 5, 5, false}, {VX_PATTERN_DISK, 9, 9, true},
	{VX_PATTERN_OTHER, 5, 3, false}, {VX_PATTERN_OTHER, 7, 9, false}, {VX_PATTERN_OTHER, 1, 1, false},
};

static const struct { vx_enum function; const char *name; } functions[] = {
	{VX_NONLINEAR_FILTER_MEDIAN, "median"}, {VX_NONLINEAR_FILTER_MIN, "min"}, {VX_NONLINEAR_FILTER_MAX, "max"},
};

struct mask {
	vx_matrix matrix;
	vx_size columns, rows, origin_x, origin_y;
	uint8_t set[81];
};

static vx_node non_linear_node(vx_graph graph, const struct job *j)
{
	return vxNonLinearFilterNode(graph, j->kind, j->in, j->mask, j->out);
}
static vx_status non_linear_now(const struct job *j)
{
	return vxuNonLinearFilter(context, j->kind, j->in, j->mask, j->out);
}
static const struct kernel non_linear_kernel = {"non_linear_filter", non_linear_node, non_linear_now};

static bool in_pattern(const struct mask_case *c, vx_size x, vx_size y)
{
	const double across = (double)c->columns / 2, down = (double)c->rows / 2;
	const double dx = ((double)x - across + 0.5) / across, dy = ((double)y - down + 0.5) / down;
	switch (c->pattern) {
	case VX_PATTERN_BOX: return true;
	case VX_PATTERN_CROSS: return x == c->columns / 2 || y == c->rows / 2;
	case VX_PATTERN_DISK: return dx * dx + dy * dy <= 1;
	default: return random_below(2);
	}
}

/* An odd number of them, for there is no middle of an even one. */
static void choose_mask(const struct mask_case *c, struct mask *m)
{
	unsigned count = 0;
	for (vx_size i = 0; i < c->columns * c->rows; i++) {
		m->set[i] = in_pattern(c, i % c->columns, i / c->columns) ? 255 : 0;
		count += m->set[i] != 0;
	}
	if (count % 2 == 0)
		m->set[0] ^= 255;
}

static struct mask new_mask(const struct mask_case *c)
{
	struct mask m = {.columns = c->columns, .rows = c->rows, .origin_x = c->columns / 2, .origin_y = c->rows / 2};
	uint8_t seen[81] = {0};
	choose_mask(c, &m);
	if (c->moved) {
		m.origin_x = random_below((uint32_t)c->columns);
		m.origin_y = random_below((uint32_t)c->rows);
		m.matrix = vxCreateMatrixFromPatternAndOrigin(context, c->pattern, c->columns, c->rows, m.origin_x, m.origin_y);
	} else if (c->pattern != VX_PATTERN_OTHER) {
		m.matrix = vxCreateMatrixFromPattern(context, c->pattern, c->columns, c->rows);
	} else {
		m.matrix = vxCreateMatrix(context, VX_TYPE_UINT8, c->columns, c->rows);
		CREATED(m.matrix);
		RAN(vxCopyMatrix(m.matrix, m.set, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	}
	CREATED(m.matrix);
	RAN(vxCopyMatrix(m.matrix, seen, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	if (memcmp(seen, m.set, c->columns * c->rows))
		fail_msg("%s: another matrix than the pattern; seed %llu", what, (unsigned long long)seed_first);
	return m;
}

/* Where the value of a function is among the sorted ones. */
static unsigned rank_of(vx_enum function, unsigned count)
{
	return function == VX_NONLINEAR_FILTER_MIN ? 0 : function == VX_NONLINEAR_FILTER_MAX ? count - 1 : count / 2;
}

static struct pixels masked(vx_enum function, const struct mask *m, const struct pixels *in, const vx_border_t *border)
{
	const struct pixels out = zero_pixels(in->width, in->height, in->format);
	for (vx_uint32 y = 0; y < in->height; y++) {
		for (vx_uint32 x = 0; x < in->width; x++) {
			int64_t v[81];
			unsigned n = 0;
			for (vx_size i = 0; i < m->columns * m->rows; i++)
				if (m->set[i])
					v[n++] = pixel_bordered(in, (int64_t)(x + i % m->columns) - (int64_t)m->origin_x,
								(int64_t)(y + i / m->columns) - (int64_t)m->origin_y, border);
			pixel_set(&out, x, y, ranked(v, n, rank_of(function, n)));
		}
	}
	return out;
}

static void check_non_linear(const struct mask_case *c, unsigned f, vx_df_image format, vx_enum mode, vx_uint32 width,
			     vx_uint32 height)
{
	const vx_border_t border = border_of(mode, format);
	const vx_enum function = functions[f].function;
	now_testing("non_linear_filter, %s, pattern 0x%x of %zu x %zu, border %s", functions[f].name, c->pattern, c->columns,
		    c->rows, border_name(mode));
	struct mask m = new_mask(c);
	const struct sides reach = {(vx_uint32)m.origin_x, (vx_uint32)m.origin_y, (vx_uint32)(m.columns - 1 - m.origin_x),
				    (vx_uint32)(m.rows - 1 - m.origin_y)};
	struct pixels in = random_pixels(width, height, format), expected = masked(function, &m, &in, &border);
	struct placed a = place_pixels(&in, random_place()), z = place_result(width, height, format, random_place());
	run(&non_linear_kernel, &(struct job){.kind = function, .in = a.image, .mask = m.matrix, .out = z.image}, &border);
	check_run(mode, &reach, 0, &expected, &z);
	check_unchanged(&in, &a);
	RAN(vxReleaseMatrix(&m.matrix));
}

static void non_linear(void **state)
{
	(void)state;
	size_t s = 0;
	for (size_t c = 0; c < COUNT(mask_cases); c++)
		for (unsigned f = 0; f < COUNT(functions); f++)
			for (size_t b = 0; b < COUNT(borders); b++, s = (s + 1) % COUNT(sizes)) {
				const struct mask_case *mc = &mask_cases[c];
				check_non_linear(mc, f, VX_DF_IMAGE_U8, borders[b].mode, sizes[s].width, sizes[s].height);
				check_non_linear(mc, f, VX_DF_IMAGE_U1, borders[b].mode, sizes[s].width, sizes[s].height);
				check_non_linear(mc, f, VX_DF_IMAGE_U8, borders[b].mode, 70, 33);
			}
}

/* ---- local binary patterns ---- */
static const struct pattern_case {
	const char *name;
	vx_enum format;
	vx_int8 size;
	int8_t at[8][2]; /* x, y of the neighbours, from bit 0 on */
} pattern_cases[] = {
	{"LBP", VX_LBP, 3, {{-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}}},
	{"LBP", VX_LBP, 5, {{-1, -1}, {0, -2}, {1, -1}, {2, 0}, {1, 1}, {0, 2}, {-1, 1}, {-2, 0}}},
	{"MLBP", VX_MLBP, 5, {{-2, -2}, {0, -2}, {2, -2}, {2, 0}, {2, 2}, {0, 2}, {-2, 2}, {-2, 0}}},
	{"ULBP", VX_ULBP, 3, {{-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}}},
	{"ULBP", VX_ULBP, 5, {{-1, -1}, {0, -2}, {1, -1}, {2, 0}, {1, 1}, {0, 2}, {-1, 1}, {-2, 0}}},
};

static vx_node lbp_node(vx_graph graph, const struct job *j)
{
	return vxLBPNode(graph, j->in, j->kind, (vx_int8)j->size, j->out);
}
static vx_status lbp_now(const struct job *j) { return vxuLBP(context, j->in, j->kind, (vx_int8)j->size, j->out); }
static const struct kernel lbp_kernel = {"lbp", lbp_node, lbp_now};

/* What the neighbours are compared with: the middle, or their mean, of which they have to be more. */
static int64_t pattern_threshold(const struct pattern_case *c, const int64_t v[8], int64_t middle)
{
	int64_t sum = 1;
	if (c->format != VX_MLBP)
		return middle;
	for (int i = 0; i < 8; i++)
		sum += v[i];
	return sum / 8 + 1;
}

static int64_t pattern_at(const struct pattern_case *c, const struct pixels *in, vx_uint32 x, vx_uint32 y,
			  const vx_border_t *border)
{
	int64_t v[8];
	unsigned bits = 0, changes = 0;
	for (int i = 0; i < 8; i++)
		v[i] = pixel_bordered(in, (int64_t)x + c->at[i][0], (int64_t)y + c->at[i][1], border);
	const int64_t threshold = pattern_threshold(c, v, pixel_get(in, x, y));
	for (int i = 0; i < 8; i++)
		bits |= (unsigned)(v[i] >= threshold) << i;
	for (int i = 0; i < 8; i++)
		changes += (bits >> i & 1) != (bits >> (i + 1) % 8 & 1);
	return c->format == VX_ULBP && changes > 2 ? 9 : bits;
}

/* Half of the images have few values, so that many are equal. */
static struct pixels few_values(vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	const struct pixels p = random_pixels(width, height, format);
	if (random_below(2))
		for (vx_uint32 y = 0; y < height; y++)
			for (vx_uint32 x = 0; x < width; x++)
				pixel_set(&p, x, y, pixel_get(&p, x, y) % 4);
	return p;
}

/* Which other border modes there are is not specified. Whether it has run. */
static bool run_pattern(const struct job *j, const vx_border_t *border)
{
	if (border->mode == VX_BORDER_UNDEFINED) {
		run(&lbp_kernel, j, border);
		return true;
	}
	vx_graph graph = new_graph();
	vx_node node = lbp_node(graph, j);
	set_node_border(node, border);
	return run_if_supported(&graph, node);
}

static void check_pattern(const struct pattern_case *c, vx_enum mode, vx_uint32 width, vx_uint32 height)
{
	const vx_border_t border = border_of(mode, VX_DF_IMAGE_U8);
	const struct sides reach = all_sides((vx_uint32)c->size / 2);
	now_testing("lbp, %s of size %d, border %s", c->name, c->size, border_name(mode));
	struct pixels in = few_values(width, height, VX_DF_IMAGE_U8), expected = zero_pixels(width, height, VX_DF_IMAGE_U8);
	for (vx_uint32 y = 0; y < height; y++)
		for (vx_uint32 x = 0; x < width; x++)
			pixel_set(&expected, x, y, pattern_at(c, &in, x, y, &border));
	struct placed a = place_pixels(&in, random_place()), z = place_result(width, height, VX_DF_IMAGE_U8, random_place());
	if (run_pattern(&(struct job){.kind = c->format, .size = c->size, .in = a.image, .out = z.image}, &border)) {
		check_run(mode, &reach, 0, &expected, &z);
	} else {
		struct pixels left = take_pixels(&z);
		free_pixels(&left);
		free_pixels(&expected);
	}
	check_unchanged(&in, &a);
}

static void patterns(void **state)
{
	(void)state;
	for (size_t c = 0; c < COUNT(pattern_cases); c++) {
		for (size_t s = 0; s < COUNT(sizes); s++)
			check_pattern(&pattern_cases[c], VX_BORDER_UNDEFINED, sizes[s].width, sizes[s].height);
		for (size_t s = c; s < COUNT(sizes); s += COUNT(pattern_cases)) {
			check_pattern(&pattern_cases[c], VX_BORDER_CONSTANT, sizes[s].width, sizes[s].height);
			check_pattern(&pattern_cases[c], VX_BORDER_REPLICATE, sizes[s].width, sizes[s].height);
		}
	}
}

/* ---- what is more than its neighbours ---- */
static const vx_df_image mask_formats[] = {0, VX_DF_IMAGE_U8, VX_DF_IMAGE_U1};

static vx_node maxima_node(vx_graph graph, const struct job *j)
{
	return vxNonMaxSuppressionNode(graph, j->in, j->mask_image, j->size, j->out);
}
static vx_status maxima_now(const struct job *j)
{
	return vxuNonMaxSuppression(context, j->in, j->mask_image, j->size, j->out);
}
static const struct kernel maxima_kernel = {"non_max_suppression", maxima_node, maxima_now};

/* No less than what is before it in the order of rows, and more than what is behind it; what the mask has set does not count. */
static bool is_maximum(const struct pixels *in, const struct pixels *mask, int64_t x, int64_t y, int64_t reach)
{
	const int64_t value = pixel_get(in, (vx_uint32)x, (vx_uint32)y);
	for (int64_t ny = y - reach; ny <= y + reach; ny++) {
		for (int64_t nx = x - reach; nx <= x + reach; nx++) {
			const bool before = ny < y || (ny == y && nx < x);
			if ((nx == x && ny == y) || (mask && pixel_get(mask, (vx_uint32)nx, (vx_uint32)ny)))
				continue;
			const int64_t other = pixel_get(in, (vx_uint32)nx, (vx_uint32)ny);
			if (before ? value < other : value <= other)
				return false;
		}
	}
	return true;
}

static struct pixels maxima_of(const struct pixels *in, const struct pixels *mask, vx_uint32 reach)
{
	const struct pixels out = zero_pixels(in->width, in->height, in->format);
	for (vx_uint32 y = reach; y + reach < in->height; y++) {
		for (vx_uint32 x = reach; x + reach < in->width; x++) {
			const bool kept = (mask && pixel_get(mask, x, y)) || is_maximum(in, mask, x, y, reach);
			pixel_set(&out, x, y, kept ? pixel_get(in, x, y) : in->format == VX_DF_IMAGE_S16 ? INT16_MIN : 0);
		}
	}
	return out;
}

static struct pixels sparse_mask(vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	const struct pixels p = zero_pixels(width, height, format);
	for (vx_uint32 y = 0; y < height; y++)
		for (vx_uint32 x = 0; x < width; x++)
			if (random_below(4) == 0)
				pixel_set(&p, x, y, format == VX_DF_IMAGE_U1 ? 1 : 1 + random_below(255));
	return p;
}

/* Windows that leave the image are not specified: only the others are compared. */
static void check_maxima(vx_df_image format, vx_df_image mask_format, vx_int32 size, vx_uint32 width, vx_uint32 height)
{
	const vx_border_t border = border_of(VX_BORDER_UNDEFINED, format);
	const vx_uint32 reach = (vx_uint32)size / 2;
	struct pixels in = few_values(width, height, format), mask = {0};
	struct placed m;
	memset(&m, 0, sizeof m);
	now_testing("non_max_suppression of size %d, mask %.4s, border undefined", size,
		    mask_format ? (const char *)&mask_format : "none");
	if (mask_format) {
		mask = sparse_mask(width, height, mask_format);
		m = place_pixels(&mask, random_place());
	}
	struct pixels expected = maxima_of(&in, mask_format ? &mask : NULL, reach);
	struct placed a = place_pixels(&in, random_place()), z = place_result(width, height, format, random_place());
	run(&maxima_kernel, &(struct job){.in = a.image, .mask_image = m.image, .size = size, .out = z.image}, &border);
	check_result(&(struct comparison){.margin_x = reach, .margin_y = reach}, &expected, &z);
	check_unchanged(&in, &a);
	if (mask_format)
		check_unchanged(&mask, &m);
}

static void maxima(void **state)
{
	(void)state;
	for (size_t m = 0; m < COUNT(mask_formats); m++)
		for (size_t s = 0; s < COUNT(sizes); s++)
			for (vx_int32 size = 1; size <= 7; size += 2)
				if ((vx_uint32)size <= sizes[s].width && (vx_uint32)size <= sizes[s].height) {
					check_maxima(VX_DF_IMAGE_U8, mask_formats[m], size, sizes[s].width, sizes[s].height);
					check_maxima(VX_DF_IMAGE_S16, mask_formats[m], size, sizes[s].width, sizes[s].height);
				}
}

/* ---- what is refused ---- */
static void refuse(vx_status status, const struct kernel *k, const struct job *j)
{
	vx_graph graph = new_graph();
	refuse_anyhow(status, &graph, k->node(graph, j));
	if (k->now(j) == VX_SUCCESS)
		fail_msg("%s: ran at once", what);
}

struct refusal {
	const char *why;
	vx_status status;
	const struct kernel *kernel;
	struct job job;
};

static void refuse_all(const struct refusal *r, size_t count)
{
	const vx_border_t border = border_of(VX_BORDER_UNDEFINED, VX_DF_IMAGE_U8);
	set_immediate_border(&border);
	for (size_t i = 0; i < count; i++) {
		now_testing("%s, %s", r[i].job.filter ? r[i].job.filter->name : r[i].kernel->name, r[i].why);
		refuse(r[i].status, r[i].kernel, &r[i].job);
	}
}

/* The images that are put together wrongly: in and out are as they should be, the others differ in format or size. */
enum { BAD_WIDTH = 16, BAD_HEIGHT = 12 };
struct bad {
	vx_image u8, s16, u16, u1, out_u8, out_s16, out_u1, narrow, low, narrow_s16;
};

static struct bad bad_images(void)
{
	const vx_uint32 w = BAD_WIDTH, h = BAD_HEIGHT;
	return (struct bad){
		.u8 = new_image(w, h, VX_DF_IMAGE_U8), .s16 = new_image(w, h, VX_DF_IMAGE_S16),
		.u16 = new_image(w, h, VX_DF_IMAGE_U16), .u1 = new_image(w, h, VX_DF_IMAGE_U1),
		.out_u8 = new_image(w, h, VX_DF_IMAGE_U8), .out_s16 = new_image(w, h, VX_DF_IMAGE_S16),
		.out_u1 = new_image(w, h, VX_DF_IMAGE_U1), .narrow = new_image(w - 1, h, VX_DF_IMAGE_U8),
		.low = new_image(w, h - 1, VX_DF_IMAGE_U8), .narrow_s16 = new_image(w - 1, h, VX_DF_IMAGE_S16),
	};
}

static void release_bad(struct bad *b)
{
	vx_image *const all[] = {&b->u8, &b->s16, &b->u16, &b->u1, &b->out_u8, &b->out_s16, &b->out_u1, &b->narrow, &b->low,
				 &b->narrow_s16};
	for (size_t i = 0; i < COUNT(all); i++)
		RAN(vxReleaseImage(all[i]));
}

static void refused_3x3(void **state)
{
	(void)state;
	struct bad b = bad_images();
	for (size_t i = 0; i < COUNT(filters); i++) {
		const struct filter *f = &filters[i];
		const struct refusal refusals[] = {
			{"input of S16", FORMAT, &filter_kernel, {.filter = f, .in = b.s16, .out = b.out_s16}},
			{"input of U16", FORMAT, &filter_kernel, {.filter = f, .in = b.u16, .out = b.out_u8}},
			{"output of S16", FORMAT, &filter_kernel, {.filter = f, .in = b.u8, .out = b.out_s16}},
			{"output of U1", FORMAT, &filter_kernel, {.filter = f, .in = b.u8, .out = b.out_u1}},
			{"input of U1", FORMAT, &filter_kernel, {.filter = f, .in = b.u1, .out = b.out_u8}},
			{"narrower output", DIMENSION, &filter_kernel, {.filter = f, .in = b.u8, .out = b.narrow}},
			{"lower output", DIMENSION, &filter_kernel, {.filter = f, .in = b.u8, .out = b.low}},
		};
		refuse_all(refusals, COUNT(refusals));
	}
	release_bad(&b);
}

static void refused_others(void **state)
{
	(void)state;
	struct bad b = bad_images();
	vx_int16 coefficients[9] = {0, 0, 0, 0, 1, 0, 0, 0, 0};
	vx_convolution c = new_convolution(&(struct convolution_case){3, 3, 1, 0}, coefficients);
	vx_matrix m = vxCreateMatrixFromPattern(context, VX_PATTERN_BOX, 3, 3);
	vx_matrix floats = vxCreateMatrix(context, VX_TYPE_FLOAT32, 3, 3);
	CREATED(m);
	CREATED(floats);
	const vx_enum median = VX_NONLINEAR_FILTER_MEDIAN;
	const struct refusal refusals[] = {
		{"input of S16", FORMAT, &sobel_kernel, {.in = b.s16, .out = b.out_s16}},
		{"input of U1", FORMAT, &sobel_kernel, {.in = b.u1, .out = b.out_s16}},
		{"output x of U8", FORMAT, &sobel_kernel, {.in = b.u8, .out = b.out_u8}},
		{"output y of U8", FORMAT, &sobel_kernel, {.in = b.u8, .out = b.out_s16, .out_y = b.out_u8}},
		{"narrower output x", DIMENSION, &sobel_kernel, {.in = b.u8, .out = b.narrow_s16}},
		{"narrower output y", DIMENSION, &sobel_kernel, {.in = b.u8, .out = b.out_s16, .out_y = b.narrow_s16}},
		{"input of S16", FORMAT, &convolve_kernel, {.in = b.s16, .convolution = c, .out = b.out_s16}},
		{"output of U1", FORMAT, &convolve_kernel, {.in = b.u8, .convolution = c, .out = b.out_u1}},
		{"narrower output", DIMENSION, &convolve_kernel, {.in = b.u8, .convolution = c, .out = b.narrow_s16}},
		{"input of S16", FORMAT, &non_linear_kernel, {.kind = median, .in = b.s16, .mask = m, .out = b.out_s16}},
		{"output of S16", FORMAT, &non_linear_kernel, {.kind = median, .in = b.u8, .mask = m, .out = b.out_s16}},
		{"U8 to U1", FORMAT, &non_linear_kernel, {.kind = median, .in = b.u8, .mask = m, .out = b.out_u1}},
		{"lower output", DIMENSION, &non_linear_kernel, {.kind = median, .in = b.u8, .mask = m, .out = b.low}},
		{"no function", VALUE, &non_linear_kernel, {.kind = 0x16003, .in = b.u8, .mask = m, .out = b.out_u8}},
		{"mask of floats", ANY_ERROR, &non_linear_kernel, {.kind = median, .in = b.u8, .mask = floats, .out = b.out_u8}},
		{"input of S16", FORMAT, &lbp_kernel, {.kind = VX_LBP, .size = 3, .in = b.s16, .out = b.out_u8}},
		{"output of S16", FORMAT, &lbp_kernel, {.kind = VX_LBP, .size = 3, .in = b.u8, .out = b.out_s16}},
		{"narrower output", DIMENSION, &lbp_kernel, {.kind = VX_LBP, .size = 3, .in = b.u8, .out = b.narrow}},
		{"no format", VALUE, &lbp_kernel, {.kind = 0x18003, .size = 3, .in = b.u8, .out = b.out_u8}},
		{"size 4", VALUE, &lbp_kernel, {.kind = VX_LBP, .size = 4, .in = b.u8, .out = b.out_u8}},
		{"size 7", VALUE, &lbp_kernel, {.kind = VX_ULBP, .size = 7, .in = b.u8, .out = b.out_u8}},
		{"input of U16", FORMAT, &maxima_kernel, {.size = 3, .in = b.u16, .out = b.out_u8}},
		{"U8 to S16", FORMAT, &maxima_kernel, {.size = 3, .in = b.u8, .out = b.out_s16}},
		{"S16 to U8", FORMAT, &maxima_kernel, {.size = 3, .in = b.s16, .out = b.out_u8}},
		{"narrower output", DIMENSION, &maxima_kernel, {.size = 3, .in = b.u8, .out = b.narrow}},
		{"mask of S16", FORMAT, &maxima_kernel, {.size = 3, .in = b.u8, .mask_image = b.s16, .out = b.out_u8}},
		{"lower mask", DIMENSION, &maxima_kernel, {.size = 3, .in = b.u8, .mask_image = b.low, .out = b.out_u8}},
		{"size 0", VALUE, &maxima_kernel, {.size = 0, .in = b.u8, .out = b.out_u8}},
		{"size -1", VALUE, &maxima_kernel, {.size = -1, .in = b.u8, .out = b.out_u8}},
		{"size 4", VALUE, &maxima_kernel, {.size = 4, .in = b.u8, .out = b.out_u8}},
		{"size 13 of 12 rows", VALUE, &maxima_kernel, {.size = 13, .in = b.u8, .out = b.out_u8}},
	};
	refuse_all(refusals, COUNT(refusals));
	RAN(vxReleaseConvolution(&c));
	RAN(vxReleaseMatrix(&m));
	RAN(vxReleaseMatrix(&floats));
	release_bad(&b);
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_3x3), cmocka_unit_test(sobel), cmocka_unit_test(convolutions),
		cmocka_unit_test(non_linear), cmocka_unit_test(patterns), cmocka_unit_test(maxima),
		cmocka_unit_test(refused_3x3), cmocka_unit_test(refused_others),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
