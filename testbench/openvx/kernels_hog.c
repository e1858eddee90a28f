/* Histograms of gradients: hog_cells and hog_features against plain C, by themselves and one behind the other; what they refuse. */
#include "testbench/openvx/tensors.h"

/* ---- cells ---- */
struct cells { vx_int32 width, height, bins; };

static vx_size cells_across(const struct cells *c, const struct pixels *p) { return p->width / (vx_uint32)c->width; }
static vx_size cells_down(const struct cells *c, const struct pixels *p) { return p->height / (vx_uint32)c->height; }

/* What is known of the histograms of an image: magnitudes as they are; bins between two numbers, as a direction that single precision
 * does not hold apart from the limit of two bins may count in either. Bin b of cell c is element c * bins + b: the specification says
 * in which shape histograms lie, Khronos' suite how they are numbered in it. */
struct histograms { struct expected_numbers magnitudes, bins; };

/* The whole part of a gradient's length over the pixels of a cell: the suite adds up whole numbers. */
static int64_t vote_of(int64_t gx, int64_t gy, int64_t pixels)
{
	int64_t vote = 0;
	while ((vote + 1) * (vote + 1) * pixels * pixels <= gx * gx + gy * gy)
		vote++;
	return vote;
}

/* The bin of a direction; another one where it is not certain. */
static void bins_of(int64_t gx, int64_t gy, int64_t bins, int64_t *one, int64_t *other)
{
	const double turn = atan2((double)gy, (double)gx) / (2 * 3.14159265358979323846), place = (turn < 0 ? turn + 1 : turn) * (double)bins;
	const double limit = round(place);
	*one = *other = (int64_t)floor(place) % bins;
	if (fabs(place - limit) > 1e-6 * (double)bins || (gy == 0 && gx >= 0))
		return;
	*one = (int64_t)limit % bins;
	*other = ((int64_t)limit + bins - 1) % bins;
}

static void vote(struct histograms *h, size_t cell, const struct cells *c, int64_t gx, int64_t gy)
{
	const int64_t v = vote_of(gx, gy, c->width * c->height);
	int64_t one = 0, other = 0;
	bins_of(gx, gy, c->bins, &one, &other);
	h->magnitudes.low[cell] += v;
	h->magnitudes.high[cell] += v;
	h->bins.high[cell * (size_t)c->bins + (size_t)one] += v;
	if (one == other)
		h->bins.low[cell * (size_t)c->bins + (size_t)one] += v;
	else
		h->bins.high[cell * (size_t)c->bins + (size_t)other] += v;
}

static struct histograms predict_cells(const struct pixels *p, const struct cells *c)
{
	const vx_border_t edge = {.mode = VX_BORDER_REPLICATE}; /* left to implementations; the suite takes this one */
	const vx_size across = cells_across(c, p), down = cells_down(c, p);
	struct histograms h = {
		new_expected(Q78, 2, (vx_size[]){across, down}), new_expected(Q78, 3, (vx_size[]){across, down, (vx_size)c->bins}),
	};
	for (int64_t y = 0; y < (int64_t)down * c->height; y++)
		for (int64_t x = 0; x < (int64_t)across * c->width; x++)
			vote(&h, (size_t)(y / c->height) * across + (size_t)(x / c->width), c,
			     pixel_bordered(p, x + 1, y, &edge) - pixel_bordered(p, x - 1, y, &edge),
			     pixel_bordered(p, x, y + 1, &edge) - pixel_bordered(p, x, y - 1, &edge));
	return h;
}

/* with_magnitudes: they may be left out. */
static void check_cells(struct pixels *p, const struct cells *c, bool with_magnitudes, bool at_once)
{
	now_testing("hog_cells of %d x %d pixels, %d bins, image of %u x %u, %s magnitudes, %s", c->width, c->height, c->bins, p->width, p->height,
		    with_magnitudes ? "with" : "without", at_once ? "at once" : "as a node");
	struct histograms h = predict_cells(p, c);
	struct placed in = place_pixels(p, random_place());
	struct placed_tensor magnitudes = place_output(Q78, 2, h.magnitudes.shape.dims, random_place());
	struct placed_tensor bins = place_output(Q78, 3, h.bins.shape.dims, random_place());
	vx_tensor lengths = with_magnitudes ? magnitudes.tensor : NULL;
	if (at_once) {
		RAN(vxuHOGCells(context, in.image, c->width, c->height, c->bins, lengths, bins.tensor));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxHOGCellsNode(graph, in.image, c->width, c->height, c->bins, lengths, bins.tensor));
	}
	if (!with_magnitudes) {
		struct numbers kept = take_numbers(&magnitudes);
		free_numbers(&kept);
		free(h.magnitudes.low);
		free(h.magnitudes.high);
	} else {
		check_numbers(&h.magnitudes, &magnitudes);
	}
	check_numbers(&h.bins, &bins);
	check_unchanged(p, &in);
}

/* Cells of any shape, and columns and rows that are left over. */
static void cells(void **state)
{
	static const struct cells list[] = {
		{1, 1, 9}, {1, 1, 4}, {2, 2, 9}, {3, 2, 6}, {1, 4, 8}, {4, 1, 3}, {2, 3, 1}, {2, 2, 64}, {5, 7, 9}, {8, 8, 9}, {8, 8, 6}, {16, 4, 18},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(list); i++) {
		for (size_t s = 0; s < COUNT(sizes); s++) {
			if (sizes[s].width < (vx_uint32)list[i].width || sizes[s].height < (vx_uint32)list[i].height)
				continue;
			struct pixels p = random_pixels(sizes[s].width, sizes[s].height, VX_DF_IMAGE_U8);
			check_cells(&p, &list[i], (i + s) % 3, (i + s) & 1);
		}
	}
}

/* A step of one pixel in a plain image, in one direction after the other: which bin it is in is certain. */
static void directions(void **state)
{
	static const struct { vx_uint32 x, y; int bin; } steps[] = { /* where it is brighter, seen from the middle; of eight bins */
		{3, 2, 0}, {3, 3, 1}, {2, 3, 2}, {1, 3, 3}, {1, 2, 4}, {1, 1, 5}, {2, 1, 6}, {3, 1, 7},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(steps); i++) {
		now_testing("a direction of %zu eighths of a turn", i);
		struct pixels p = zero_pixels(5, 5, VX_DF_IMAGE_U8);
		/* a gradient of (10 x, 10 y) in the middle, and a little more, to be within the bin */
		const vx_uint32 x = steps[i].x, y = steps[i].y;
		if (x != 2)
			pixel_set(&p, x, 2, 10);
		if (y != 2)
			pixel_set(&p, 2, y, 10);
		static const int8_t nudge[8][2] = {{0, 1}, {-1, 0}, {-1, 0}, {0, -1}, {0, -1}, {1, 0}, {1, 0}, {0, 1}};
		const int nx = nudge[i][0], ny = nudge[i][1];
		if (nx)
			pixel_set(&p, (vx_uint32)(2 + nx), 2, pixel_get(&p, (vx_uint32)(2 + nx), 2) + 1);
		if (ny)
			pixel_set(&p, 2, (vx_uint32)(2 + ny), pixel_get(&p, 2, (vx_uint32)(2 + ny)) + 1);
		struct placed in = place_pixels(&p, PLACE_OWN);
		struct numbers bins = zero_numbers(Q78, 3, (vx_size[]){5, 5, 8});
		vx_tensor out = new_tensor(Q78, 3, bins.dims);
		RAN(vxuHOGCells(context, in.image, 1, 1, 8, NULL, out));
		copy_numbers(out, &bins, VX_READ_ONLY);
		for (int b = 0; b < 8; b++) {
			const bool there = bins.v[(2 * 5 + 2) * 8 + b] > 0;
			if (there != (b == steps[i].bin))
				fail_msg("%s: bin %d is %s", what, b, there ? "not empty" : "empty");
		}
		RAN(vxReleaseTensor(&out));
		free_numbers(&bins);
		check_unchanged(&p, &in);
	}
}

/* ---- features ---- */
/* Sizes in cells; cells need not be square, steps are as long in both directions. */
struct shape { vx_int32 cell_width, cell_height, bins, block_across, block_down, block_stride, window_across, window_down, window_stride; };

static vx_hog_t hog_of(const struct shape *s, vx_float32 threshold)
{
	const vx_int32 step = s->cell_width > s->cell_height ? s->cell_width : s->cell_height;
	return (vx_hog_t){
		.cell_width = s->cell_width, .cell_height = s->cell_height, .num_bins = s->bins, .block_width = s->block_across * s->cell_width,
		.block_height = s->block_down * s->cell_height, .block_stride = s->block_stride * step, .window_width = s->window_across * s->cell_width,
		.window_height = s->window_down * s->cell_height, .window_stride = s->window_stride * step, .threshold = threshold,
	};
}

static vx_int32 places_of(vx_int32 whole, vx_int32 part, vx_int32 stride) { return (whole - part) / stride + 1; }

static void features_dims(const vx_hog_t *h, vx_uint32 width, vx_uint32 height, vx_size dims[3])
{
	dims[0] = (vx_size)places_of((vx_int32)width, h->window_width, h->window_stride);
	dims[1] = (vx_size)places_of((vx_int32)height, h->window_height, h->window_stride);
	dims[2] = (vx_size)(places_of(h->window_width, h->block_width, h->block_stride) * places_of(h->window_height, h->block_height, h->block_stride) *
			    (h->block_width / h->cell_width) * (h->block_height / h->cell_height) * h->num_bins);
}

/* Numbers that are known but for what single precision may do to them. */
struct range { double low, high; };

static struct range in_fixed_point(double low, double high)
{
	const double least = trunc(low * 256 * (1 - 1e-5)), most = trunc(high * 256 * (1 + 1e-5));
	return (struct range){least < INT16_MAX ? least : INT16_MAX, most < INT16_MAX ? most : INT16_MAX};
}

static double norm_of(double squares) { return sqrt(squares + 1e-14); }

/* The histograms of a block, in the order of cells; and the magnitudes of these, where there are some. */
struct block { size_t cells, bins; const int16_t **histograms; int64_t *magnitudes; };

/* L2-Hys: over the norm, clipped, over the norm again. The suite takes the norm of the magnitudes, where there are some; without
 * them it is the norm of the histograms themselves. What is clipped is held in fixed point. */
static void expect_normalized(struct expected_numbers *e, size_t at, const struct block *b, double threshold)
{
	double squares = 0, least = 0, most = 0;
	struct range *clipped = calloc(b->cells * b->bins, sizeof *clipped);
	assert_non_null(clipped);
	for (size_t i = 0; i < b->cells; i++)
		for (size_t k = 0; k < (b->magnitudes ? 1 : b->bins); k++)
			squares += b->magnitudes ? (double)(b->magnitudes[i] * b->magnitudes[i]) : (double)b->histograms[i][k] * b->histograms[i][k];
	for (size_t i = 0; i < b->cells * b->bins; i++) {
		const double v = b->histograms[i / b->bins][i % b->bins] / norm_of(squares), kept = v < threshold ? v : threshold;
		clipped[i] = in_fixed_point(kept, kept);
		least += clipped[i].low / 256 * (clipped[i].low / 256);
		most += clipped[i].high / 256 * (clipped[i].high / 256);
	}
	for (size_t i = 0; i < b->cells * b->bins; i++) {
		const struct range r = in_fixed_point(clipped[i].low / 256 / norm_of(most), clipped[i].high / 256 / norm_of(least));
		expect_any_of(e, at + i, (int64_t)r.low, (int64_t)r.high, VX_CONVERT_POLICY_SATURATE);
	}
	free(clipped);
}

/* With a threshold of 0 there is no L2-Hys: histograms over the magnitudes of their cells, or as they are. */
static void expect_plain(struct expected_numbers *e, size_t at, const struct block *b)
{
	for (size_t i = 0; i < b->cells * b->bins; i++) {
		const int64_t magnitude = b->magnitudes ? b->magnitudes[i / b->bins] : 1;
		const double v = (double)b->histograms[i / b->bins][i % b->bins] / (double)(magnitude ? magnitude : 1);
		const struct range r = in_fixed_point(v, v);
		expect_any_of(e, at + i, (int64_t)r.low, (int64_t)r.high, VX_CONVERT_POLICY_SATURATE);
	}
}

/* A block whose upper left cell this is. */
static void expect_block(struct expected_numbers *e, size_t at, const vx_hog_t *h, const struct numbers *magnitudes, const struct numbers *bins,
			 size_t left, size_t top)
{
	const size_t wide = (size_t)(h->block_width / h->cell_width), cells = wide * (size_t)(h->block_height / h->cell_height);
	const size_t num_bins = (size_t)h->num_bins;
	const struct block b = {cells, num_bins, calloc(cells, sizeof *b.histograms), magnitudes ? calloc(cells, sizeof *b.magnitudes) : NULL};
	assert_true(b.histograms && (b.magnitudes || !magnitudes));
	for (size_t i = 0; i < cells; i++) {
		const size_t cell = (top + i / wide) * bins->dims[0] + left + i % wide;
		b.histograms[i] = bins->v + cell * num_bins;
		if (magnitudes)
			b.magnitudes[i] = magnitudes->v[cell];
	}
	if (h->threshold > 0)
		expect_normalized(e, at, &b, (double)h->threshold);
	else
		expect_plain(e, at, &b);
	free(b.histograms);
	free(b.magnitudes);
}

/* One window behind the other, in each one block behind the other, row by row. */
static struct expected_numbers predict_features(const vx_hog_t *h, vx_uint32 width, vx_uint32 height, const struct numbers *magnitudes,
						const struct numbers *bins)
{
	vx_size dims[3];
	features_dims(h, width, height, dims);
	struct expected_numbers e = new_expected(Q78, 3, dims);
	const size_t length = (size_t)(h->block_width / h->cell_width * (h->block_height / h->cell_height) * h->num_bins);
	size_t at = 0;
	for (vx_int32 y = 0; y + h->window_height <= (vx_int32)height; y += h->window_stride)
		for (vx_int32 x = 0; x + h->window_width <= (vx_int32)width; x += h->window_stride)
			for (vx_int32 v = 0; v + h->block_height <= h->window_height; v += h->block_stride)
				for (vx_int32 u = 0; u + h->block_width <= h->window_width; u += h->block_stride, at += length)
					expect_block(&e, at, h, magnitudes, bins, (size_t)((x + u) / h->cell_width), (size_t)((y + v) / h->cell_height));
	assert_int_equal(at, count_of(&e.shape));
	return e;
}

/* Histograms as an image may have them: what their cells' magnitudes are, some have none. */
static void random_histograms(struct numbers *magnitudes, struct numbers *bins)
{
	const size_t num_bins = bins->dims[2];
	for (size_t cell = 0; cell < count_of(magnitudes); cell++) {
		const uint32_t most = random_below(5) ? random_below(400) : 0;
		for (size_t b = 0; b < num_bins; b++) {
			bins->v[cell * num_bins + b] = (int16_t)(most ? random_below(most / (uint32_t)num_bins + 1) : 0);
			magnitudes->v[cell] = (int16_t)(magnitudes->v[cell] + bins->v[cell * num_bins + b]);
		}
	}
}

static void check_features(const vx_hog_t *h, vx_uint32 width, vx_uint32 height, bool with_magnitudes, bool at_once)
{
	const vx_size dims[3] = {width / (vx_uint32)h->cell_width, height / (vx_uint32)h->cell_height, (vx_size)h->num_bins};
	struct numbers magnitudes = zero_numbers(Q78, 2, dims), bins = zero_numbers(Q78, 3, dims);
	now_testing("hog_features of %u x %u, cells %d x %d, blocks %d x %d every %d, windows %d x %d every %d, threshold %g, %s magnitudes, %s",
		    width, height, h->cell_width, h->cell_height, h->block_width, h->block_height, h->block_stride, h->window_width, h->window_height,
		    h->window_stride, (double)h->threshold, with_magnitudes ? "with" : "without", at_once ? "at once" : "as a node");
	random_histograms(&magnitudes, &bins);
	struct expected_numbers e = predict_features(h, width, height, with_magnitudes ? &magnitudes : NULL, &bins);
	vx_image image = new_image(width, height, VX_DF_IMAGE_U8);
	struct placed_tensor m = place_numbers(&magnitudes, random_place()), b = place_numbers(&bins, random_place());
	struct placed_tensor out = place_output(Q78, 3, e.shape.dims, random_place());
	vx_tensor lengths = with_magnitudes ? m.tensor : NULL;
	if (at_once) {
		RAN(vxuHOGFeatures(context, image, lengths, b.tensor, h, sizeof *h, out.tensor));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxHOGFeaturesNode(graph, image, lengths, b.tensor, h, sizeof *h, out.tensor));
	}
	check_numbers(&e, &out);
	check_kept(&magnitudes, &m);
	check_kept(&bins, &b);
	RAN(vxReleaseImage(&image));
}

static const struct shape shapes[] = {
	{8, 8, 9, 2, 2, 1, 4, 4, 4}, {8, 8, 9, 2, 2, 2, 4, 4, 1}, {4, 4, 6, 1, 1, 1, 3, 2, 2}, {2, 2, 3, 3, 2, 1, 5, 4, 3},
	{4, 2, 9, 2, 2, 1, 4, 6, 1}, {2, 4, 9, 2, 1, 1, 6, 3, 2}, {1, 1, 1, 2, 2, 1, 7, 7, 5}, {3, 3, 18, 2, 2, 1, 2, 2, 1},
};

static void features(void **state)
{
	static const vx_float32 thresholds[] = {0.2f, 0, 1, 0.05f, 1000};
	(void)state;
	for (size_t i = 0; i < COUNT(shapes); i++) {
		for (size_t t = 0; t < COUNT(thresholds); t++) {
			const vx_hog_t h = hog_of(&shapes[i], thresholds[t]);
			for (unsigned k = 0; k < 4; k++)
				check_features(&h, (vx_uint32)h.window_width + random_below(30), (vx_uint32)h.window_height + random_below(30), k & 1, k >> 1);
		}
	}
}

/* Both kernels, with histograms that are seen and with virtual ones of which only the type is known: features are the same. */
static void chain(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(shapes); i++) {
		const vx_hog_t h = hog_of(&shapes[i], 0.2f);
		const vx_uint32 width = (vx_uint32)h.window_width + random_below(20), height = (vx_uint32)h.window_height + random_below(20);
		const vx_size dims[3] = {width / (vx_uint32)h.cell_width, height / (vx_uint32)h.cell_height, (vx_size)h.num_bins};
		static const vx_size open[3] = {0, 0, 0};
		vx_size out_dims[3];
		now_testing("hog_cells, then hog_features, shape %zu", i);
		features_dims(&h, width, height, out_dims);
		struct pixels p = random_pixels(width, height, VX_DF_IMAGE_U8);
		struct placed in = place_pixels(&p, random_place());
		struct numbers seen[2] = {zero_numbers(Q78, 3, out_dims), zero_numbers(Q78, 3, out_dims)};
		for (unsigned is_virtual = 0; is_virtual < 2; is_virtual++) {
			vx_graph graph = new_graph();
			vx_tensor lengths = is_virtual ? vxCreateVirtualTensor(graph, 0, open, VX_TYPE_INVALID, 0) : new_tensor(Q78, 2, dims);
			vx_tensor bins = is_virtual ? vxCreateVirtualTensor(graph, 3, open, VX_TYPE_INT16, 8) : new_tensor(Q78, 3, dims);
			vx_tensor out = new_tensor(Q78, 3, out_dims);
			CREATED(lengths);
			CREATED(bins);
			vx_node second = vxHOGFeaturesNode(graph, in.image, lengths, bins, &h, sizeof h, out);
			vx_node first = vxHOGCellsNode(graph, in.image, h.cell_width, h.cell_height, h.num_bins, lengths, bins);
			CREATED(second);
			RAN(vxReleaseNode(&second));
			run_node(&graph, first);
			copy_numbers(out, &seen[is_virtual], VX_READ_ONLY);
			RAN(vxReleaseTensor(&lengths));
			RAN(vxReleaseTensor(&bins));
			RAN(vxReleaseTensor(&out));
		}
		assert_memory_equal(seen[0].v, seen[1].v, count_of(&seen[0]) * sizeof *seen[0].v);
		free_numbers(&seen[0]);
		free_numbers(&seen[1]);
		check_unchanged(&p, &in);
	}
}

/* ---- what is refused ---- */
static void bad_cells(void **state)
{
	(void)state;
	const vx_size flat[2] = {4, 3}, dims[3] = {4, 3, 9}, turned[2] = {3, 4}, fewer[3] = {4, 3, 8}, deep[3] = {4, 3, 1};
	vx_image image = new_image(33, 26, VX_DF_IMAGE_U8), words = new_image(33, 26, VX_DF_IMAGE_S16), bits = new_image(33, 26, VX_DF_IMAGE_U1);
	vx_tensor lengths = new_tensor(Q78, 2, flat), bins = new_tensor(Q78, 3, dims), turned_lengths = new_tensor(Q78, 2, turned);
	vx_tensor fewer_bins = new_tensor(Q78, 3, fewer), bytes = new_tensor(U8, 3, dims), byte_lengths = new_tensor(U8, 2, flat), cube = new_tensor(Q78, 3, deep);
	vx_tensor integers = vxCreateTensor(context, 3, dims, VX_TYPE_INT16, 0);
	CREATED(integers);
	const struct { const char *why; vx_status status; vx_image in; struct cells cells; vx_tensor lengths, bins; } bad[] = {
		{"words", FORMAT, words, {8, 8, 9}, lengths, bins},
		{"bits", FORMAT, bits, {8, 8, 9}, lengths, bins},
		{"cells without a width", VALUE, image, {0, 8, 9}, lengths, bins},
		{"cells of negative height", VALUE, image, {8, -8, 9}, lengths, bins},
		{"no bins", VALUE, image, {8, 8, 0}, lengths, bins},
		{"cells wider than the image", DIMENSION, image, {34, 8, 9}, lengths, bins},
		{"cells higher than the image", DIMENSION, image, {8, 27, 9}, lengths, bins},
		{"one bin more than there is room", DIMENSION, image, {8, 8, 10}, lengths, bins},
		{"bins of more cells", DIMENSION, image, {16, 8, 9}, NULL, bins},
		{"magnitudes of other cells", DIMENSION, image, {8, 8, 9}, turned_lengths, bins},
		{"magnitudes in three dimensions", DIMENSION, image, {8, 8, 9}, cube, bins},
		{"bins in two dimensions", DIMENSION, image, {8, 8, 9}, NULL, turned_lengths},
		{"too few bins", DIMENSION, image, {8, 8, 9}, NULL, fewer_bins},
		{"bins of bytes", TYPE, image, {8, 8, 9}, lengths, bytes},
		{"bins without a fraction", TYPE, image, {8, 8, 9}, lengths, integers},
		{"magnitudes of bytes", TYPE, image, {8, 8, 9}, byte_lengths, bins},
	};
	for (size_t i = 0; i < COUNT(bad); i++) {
		const struct cells c = bad[i].cells;
		REFUSE_BOTH(bad[i].status, bad[i].why, vxHOGCellsNode(graph, bad[i].in, c.width, c.height, c.bins, bad[i].lengths, bad[i].bins),
			    vxuHOGCells(context, bad[i].in, c.width, c.height, c.bins, bad[i].lengths, bad[i].bins));
	}
	vx_tensor *const all[] = {&lengths, &bins, &turned_lengths, &fewer_bins, &bytes, &byte_lengths, &cube, &integers};
	for (size_t i = 0; i < COUNT(all); i++)
		RAN(vxReleaseTensor(all[i]));
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&words));
	RAN(vxReleaseImage(&bits));
}

/* Parameters that do not go together: each differs in one of them from what is right. */
static void bad_parameters(vx_image image, vx_tensor lengths, vx_tensor bins, vx_tensor out, const vx_hog_t *right)
{
	const struct { const char *why; size_t field; vx_int32 value; } bad[] = {
#define BAD(why, field, value) {why, offsetof(vx_hog_t, field), value}
		BAD("cells without a width", cell_width, 0), BAD("cells of negative height", cell_height, -8), BAD("no bins", num_bins, 0),
		BAD("blocks of one cell and a half", block_width, 12), BAD("blocks of less than a cell", block_height, 4),
		BAD("steps of half a cell", block_stride, 4), BAD("no steps", block_stride, 0), BAD("windows of some cells and a half", window_width, 28),
		BAD("windows that are lower than blocks", window_height, 8), BAD("windows that are wider than the image", window_width, 72),
		BAD("windows that are higher than the image", window_height, 56), BAD("no steps of windows", window_stride, 0),
		BAD("negative steps of windows", window_stride, -32),
#undef BAD
	};
	for (size_t i = 0; i < COUNT(bad); i++) {
		vx_hog_t h = *right;
		memcpy((char *)&h + bad[i].field, &bad[i].value, sizeof bad[i].value);
		REFUSE_BOTH(VALUE, bad[i].why, vxHOGFeaturesNode(graph, image, lengths, bins, &h, sizeof h, out),
			    vxuHOGFeatures(context, image, lengths, bins, &h, sizeof h, out));
	}
}

static void bad_features(void **state)
{
	(void)state;
	const vx_hog_t h = hog_of(&(struct shape){8, 8, 9, 2, 2, 1, 4, 4, 4}, 0.2f);
	const vx_size flat[2] = {8, 6}, dims[3] = {8, 6, 9}, out_dims[3] = {2, 1, 324}, other[3] = {2, 1, 323}, two[3] = {2, 2, 324}, tall[3] = {8, 7, 9};
	vx_image image = new_image(64, 48, VX_DF_IMAGE_U8), words = new_image(64, 48, VX_DF_IMAGE_S16);
	vx_tensor lengths = new_tensor(Q78, 2, flat), bins = new_tensor(Q78, 3, dims), out = new_tensor(Q78, 3, out_dims), bytes = new_tensor(U8, 3, dims);
	vx_tensor other_out = new_tensor(Q78, 3, other), two_down = new_tensor(Q78, 3, two), byte_out = new_tensor(U8, 3, out_dims);
	vx_tensor byte_lengths = new_tensor(U8, 2, flat), tall_bins = new_tensor(Q78, 3, tall), tall_lengths = new_tensor(Q78, 2, tall);
	const struct { const char *why; vx_status status; vx_image in; vx_tensor lengths, bins, out; } bad[] = {
		{"words", FORMAT, words, lengths, bins, out},
		{"bins of more cells than the image has", DIMENSION, image, lengths, tall_bins, out},
		{"magnitudes of more cells than the image has", DIMENSION, image, tall_lengths, bins, out},
		{"bins in two dimensions", DIMENSION, image, lengths, lengths, out},
		{"magnitudes in three dimensions", DIMENSION, image, bins, bins, out},
		{"bins of bytes", TYPE, image, lengths, bytes, out},
		{"magnitudes of bytes", TYPE, image, byte_lengths, bins, out},
		{"one feature too few", DIMENSION, image, lengths, bins, other_out},
		{"features of more windows", DIMENSION, image, lengths, bins, two_down},
		{"features of bytes", TYPE, image, lengths, bins, byte_out},
		{"features in two dimensions", DIMENSION, image, lengths, bins, tall_lengths},
	};
	for (size_t i = 0; i < COUNT(bad); i++)
		REFUSE_BOTH(bad[i].status, bad[i].why, vxHOGFeaturesNode(graph, bad[i].in, bad[i].lengths, bad[i].bins, &h, sizeof h, bad[i].out),
			    vxuHOGFeatures(context, bad[i].in, bad[i].lengths, bad[i].bins, &h, sizeof h, bad[i].out));
	bad_parameters(image, lengths, bins, out, &h);
	vx_tensor *const all[] = {&lengths, &bins, &out, &bytes, &other_out, &two_down, &byte_out, &byte_lengths, &tall_bins, &tall_lengths};
	for (size_t i = 0; i < COUNT(all); i++)
		RAN(vxReleaseTensor(all[i]));
	RAN(vxReleaseImage(&image));
	RAN(vxReleaseImage(&words));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells), cmocka_unit_test(directions), cmocka_unit_test(features), cmocka_unit_test(chain),
		cmocka_unit_test(bad_cells), cmocka_unit_test(bad_features),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
