/* Kernels that summarize images: histogram, equalize_histogram, mean_stddev, minmaxloc and integral_image, of valid regions. */
#include "testbench/openvx/neighbourhood.h"
#include <math.h>

enum {
	U1 = VX_DF_IMAGE_U1, U8 = VX_DF_IMAGE_U8, U16 = VX_DF_IMAGE_U16, S16 = VX_DF_IMAGE_S16, U32 = VX_DF_IMAGE_U32,
	S32 = VX_DF_IMAGE_S32, RGB = VX_DF_IMAGE_RGB,
};

/* ---- inputs ---- */
enum content { RANDOM, FEW_VALUES, ONE_VALUE, CONTENTS };

static struct pixels new_pixels(vx_uint32 width, vx_uint32 height, vx_df_image format, enum content content)
{
	const struct pixels p = random_pixels(width, height, format);
	const int64_t base = pixel_get(&p, 0, 0);
	for (vx_uint32 y = 0; content != RANDOM && y < height; y++)
		for (vx_uint32 x = 0; x < width; x++)
			pixel_set(&p, x, y, content == ONE_VALUE ? base : (base & ~3) + (pixel_get(&p, x, y) & 3));
	return p;
}

/* An image, and what of it is valid: all, or a part. */
struct input {
	struct pixels pixels;
	struct placed placed;
	vx_rectangle_t valid;
};

static struct input new_input(size_t size, vx_df_image format, enum content content, bool whole)
{
	struct input in = {.pixels = new_pixels(sizes[size].width, sizes[size].height, format, content)};
	const vx_uint32 width = in.pixels.width, height = in.pixels.height;
	in.placed = place_pixels(&in.pixels, random_place());
	in.valid = (vx_rectangle_t){0, 0, width, height};
	if (whole)
		return in;
	in.valid.start_x = random_below(width);
	in.valid.start_y = random_below(height);
	in.valid.end_x = in.valid.start_x + 1 + random_below(width - in.valid.start_x);
	in.valid.end_y = in.valid.start_y + 1 + random_below(height - in.valid.start_y);
	RAN(vxSetImageValidRectangle(in.placed.image, &in.valid));
	return in;
}

static bool is_valid(const struct input *in, vx_uint32 x, vx_uint32 y)
{
	return x >= in->valid.start_x && x < in->valid.end_x && y >= in->valid.start_y && y < in->valid.end_y;
}

static void name_run(const char *kernel, const struct input *in, bool immediate)
{
	now_testing("%s of %.4s, %u x %u, valid %u %u to %u %u, %s", kernel, (const char *)&in->pixels.format, in->pixels.width,
		    in->pixels.height, in->valid.start_x, in->valid.start_y, in->valid.end_x, in->valid.end_y,
		    immediate ? "immediate" : "as a node");
}

static void end_input(struct input *in) { check_unchanged(&in->pixels, &in->placed); }

static void expect_equal(const char *value, int64_t expected, int64_t got)
{
	if (got != expected)
		fail_msg("%s: %s is %lld, expected %lld; seed %llu", what, value, (long long)got, (long long)expected,
			 (unsigned long long)seed_first);
}

/* All sizes, contents and valid regions, as a node and at once. */
static void for_inputs(vx_df_image format, void (*run)(struct input *, bool immediate))
{
	for (size_t size = 0; size < COUNT(sizes); size++) {
		for (unsigned i = 0; i < 4; i++) {
			struct input in = new_input(size, format, (enum content)(size % CONTENTS), i & 1);
			run(&in, i & 2);
			end_input(&in);
		}
	}
}

/* The results are valid where the input is: nothing else has taken part. */
static void check_valid_as(const struct input *in, const struct placed *result)
{
	vx_rectangle_t r = {0};
	RAN(vxGetValidRegionImage(result->image, &r));
	expect_equal("the left of the valid region", in->valid.start_x, r.start_x);
	expect_equal("the top of the valid region", in->valid.start_y, r.start_y);
	expect_equal("the right of the valid region", in->valid.end_x, r.end_x);
	expect_equal("the bottom of the valid region", in->valid.end_y, r.end_y);
}

/* Compares what is valid; ends the result. */
static void check_image(const struct input *in, struct pixels *expected, struct placed *result, int64_t tolerance)
{
	uint8_t *invalid = calloc((size_t)expected->width * expected->height, 1);
	assert_non_null(invalid);
	for (vx_uint32 y = 0; y < expected->height; y++)
		for (vx_uint32 x = 0; x < expected->width; x++)
			invalid[(size_t)y * expected->width + x] = !is_valid(in, x, y);
	check_valid_as(in, result);
	check_result(&(struct comparison){.skip = invalid, .tolerance = tolerance}, expected, result);
	free(invalid);
}

/* ---- histogram ---- */
static const struct { vx_size bins; vx_int32 offset; vx_uint32 range; } distributions[] = {
	{256, 0, 256}, {1, 0, 256}, {16, 0, 256}, {128, 128, 128}, {10, 5, 100}, {7, 3, 50}, {100, 0, 256}, {300, 0, 256},
	{30, -20, 300}, {10, 250, 100}, {4, 255, 1}, {5, 300, 50}, {8, -1000, 500},
};

static void count_values(const struct input *in, size_t d, vx_uint32 *counts)
{
	memset(counts, 0, distributions[d].bins * sizeof *counts);
	for (vx_uint32 y = in->valid.start_y; y < in->valid.end_y; y++) {
		for (vx_uint32 x = in->valid.start_x; x < in->valid.end_x; x++) {
			const int64_t above = pixel_get(&in->pixels, x, y) - distributions[d].offset;
			if (above >= 0 && above < distributions[d].range)
				counts[above * (int64_t)distributions[d].bins / distributions[d].range]++;
		}
	}
}

static void histogram_once(struct input *in, size_t d, bool immediate)
{
	const vx_size bins = distributions[d].bins;
	vx_uint32 expected[300], counts[300];
	char bin[96];
	vx_distribution distribution = vxCreateDistribution(context, bins, distributions[d].offset, distributions[d].range);
	snprintf(bin, sizeof bin, "histogram in %zu bins of %u from %d", bins, distributions[d].range, distributions[d].offset);
	name_run(bin, in, immediate);
	CREATED(distribution);
	for (vx_size i = 0; i < bins; i++)
		counts[i] = 1000 + (vx_uint32)i; /* what was there before is not counted on */
	RAN(vxCopyDistribution(distribution, counts, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	if (immediate) {
		RAN(vxuHistogram(context, in->placed.image, distribution));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxHistogramNode(graph, in->placed.image, distribution));
	}
	RAN(vxCopyDistribution(distribution, counts, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	count_values(in, d, expected);
	for (vx_size i = 0; i < bins; i++) {
		snprintf(bin, sizeof bin, "bin %zu", i);
		expect_equal(bin, expected[i], counts[i]);
	}
	RAN(vxReleaseDistribution(&distribution));
}

static void histogram_sizes(struct input *in, bool immediate)
{
	histogram_once(in, random_below(COUNT(distributions)), immediate);
}

static void histogram(void **state)
{
	(void)state;
	for_inputs(U8, histogram_sizes);
	for (size_t d = 0; d < COUNT(distributions); d++) {
		struct input in = new_input(COUNT(sizes) - 1, U8, RANDOM, true);
		histogram_once(&in, d, false);
		histogram_once(&in, d, true);
		end_input(&in);
	}
}

/* Very many pixels of one value, in rows that are longer than a group of work-items can count, and in very many rows. */
static void histogram_of_very_many(void **state)
{
	(void)state;
	static const struct { vx_uint32 width, height; } many[] = {{2200003, 2}, {70000, 45}, {3, 300000}};
	for (size_t m = 0; m < COUNT(many); m++) {
		const vx_uint32 width = many[m].width, height = many[m].height;
		const vx_rectangle_t all = {0, 0, width, height};
		const vx_imagepatch_addressing_t layout = {.dim_x = width, .dim_y = height, .stride_x = 1, .stride_y = (vx_int32)width,
							   .scale_x = VX_SCALE_UNITY, .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
		const uint8_t often = (uint8_t)random_below(256), seldom = (uint8_t)(often + 1 + random_below(255));
		uint8_t *bytes = malloc((size_t)width * height);
		vx_uint32 counts[256];
		vx_image image = vxCreateImage(context, width, height, U8);
		vx_distribution distribution = vxCreateDistribution(context, 256, 0, 256);
		CREATED(image);
		CREATED(distribution);
		assert_non_null(bytes);
		memset(bytes, often, (size_t)width * height);
		bytes[0] = bytes[(size_t)width * height - 1] = seldom;
		RAN(vxCopyImagePatch(image, &all, 0, &layout, bytes, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		now_testing("histogram of %u x %u pixels", width, height);
		RAN(vxuHistogram(context, image, distribution));
		RAN(vxCopyDistribution(distribution, counts, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		for (unsigned v = 0; v < 256; v++)
			expect_equal("bin", v == often ? (int64_t)width * height - 2 : v == seldom ? 2 : 0, counts[v]);
		RAN(vxReleaseDistribution(&distribution));
		RAN(vxReleaseImage(&image));
		free(bytes);
	}
}

/* ---- equalize_histogram ---- */
/* The specification names the method; how the cumulated counts are spread over the values, and the tolerance of 1, are the
 * conformance suite's. An image of one value stays as it is. */
static void equalize_values(const struct input *in, uint8_t values[256])
{
	uint64_t counts[256] = {0}, total = 0, sum = 0, first = 0;
	for (vx_uint32 y = in->valid.start_y; y < in->valid.end_y; y++)
		for (vx_uint32 x = in->valid.start_x; x < in->valid.end_x; x++, total++)
			counts[pixel_get(&in->pixels, x, y)]++;
	for (unsigned i = 0; i < 256 && !first; i++)
		first = counts[i];
	for (unsigned i = 0; i < 256; i++) {
		sum += counts[i];
		const double share = sum > first ? (double)(sum - first) / (double)(total - first) : 0;
		values[i] = total == first ? (uint8_t)i : (uint8_t)floor(255 * share + 0.5);
	}
}

static void equalize_once(struct input *in, bool immediate)
{
	uint8_t values[256];
	struct pixels expected = zero_pixels(in->pixels.width, in->pixels.height, U8);
	struct placed result = place_result(in->pixels.width, in->pixels.height, U8, random_place());
	name_run("equalize_histogram", in, immediate);
	if (immediate) {
		RAN(vxuEqualizeHist(context, in->placed.image, result.image));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxEqualizeHistNode(graph, in->placed.image, result.image));
	}
	equalize_values(in, values);
	for (vx_uint32 y = 0; y < expected.height; y++)
		for (vx_uint32 x = 0; x < expected.width; x++)
			pixel_set(&expected, x, y, values[pixel_get(&in->pixels, x, y)]);
	check_image(in, &expected, &result, 1);
}

static void equalize_histogram(void **state)
{
	(void)state;
	for_inputs(U8, equalize_once);
}

/* ---- mean_stddev ---- */
/* The tolerance is the conformance suite's: 1e-4 of the number of values. */
static void expect_near(const char *value, double expected, double got, vx_df_image format)
{
	if (!(fabs(got - expected) <= 1e-4 * (format == U1 ? 2 : 256)))
		fail_msg("%s: %s is %.9g, expected %.9g; seed %llu", what, value, got, expected, (unsigned long long)seed_first);
}

static void mean_of(const struct input *in, double *mean, double *deviation)
{
	const double count = (double)(in->valid.end_x - in->valid.start_x) * (in->valid.end_y - in->valid.start_y);
	double sum = 0, squares = 0;
	for (vx_uint32 y = in->valid.start_y; y < in->valid.end_y; y++)
		for (vx_uint32 x = in->valid.start_x; x < in->valid.end_x; x++)
			sum += (double)pixel_get(&in->pixels, x, y);
	*mean = sum / count;
	for (vx_uint32 y = in->valid.start_y; y < in->valid.end_y; y++)
		for (vx_uint32 x = in->valid.start_x; x < in->valid.end_x; x++)
			squares += pow(*mean - (double)pixel_get(&in->pixels, x, y), 2);
	*deviation = sqrt(squares / count);
}

/* Both results, or the mean alone. */
static void mean_once(struct input *in, bool immediate, bool both)
{
	vx_float32 mean = -1, deviation = -1;
	double expected_mean, expected_deviation;
	name_run(both ? "mean_stddev" : "mean_stddev without a deviation", in, immediate);
	if (immediate) {
		RAN(vxuMeanStdDev(context, in->placed.image, &mean, both ? &deviation : NULL));
	} else {
		vx_scalar mean_scalar = new_scalar(VX_TYPE_FLOAT32, &mean);
		vx_scalar deviation_scalar = new_scalar(VX_TYPE_FLOAT32, &deviation);
		vx_graph graph = new_graph();
		run_node(&graph, vxMeanStdDevNode(graph, in->placed.image, mean_scalar, both ? deviation_scalar : NULL));
		RAN(vxCopyScalar(mean_scalar, &mean, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		RAN(vxCopyScalar(deviation_scalar, &deviation, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		RAN(vxReleaseScalar(&mean_scalar));
		RAN(vxReleaseScalar(&deviation_scalar));
	}
	mean_of(in, &expected_mean, &expected_deviation);
	expect_near("the mean", expected_mean, (double)mean, in->pixels.format);
	expect_near("the deviation", both ? expected_deviation : -1, (double)deviation, in->pixels.format);
}

static void mean_both(struct input *in, bool immediate) { mean_once(in, immediate, true); }

static void mean_stddev(void **state)
{
	(void)state;
	for_inputs(U8, mean_both);
	for_inputs(U1, mean_both);
	for (unsigned i = 0; i < 2; i++) {
		struct input in = new_input(11, U8, RANDOM, true);
		mean_once(&in, i, false);
		end_input(&in);
	}
}

/* ---- minmaxloc ---- */
struct extreme { int64_t value; vx_size count; };

static struct extreme find_extreme(const struct input *in, bool greatest)
{
	struct extreme e = {0};
	for (vx_uint32 y = in->valid.start_y; y < in->valid.end_y; y++) {
		for (vx_uint32 x = in->valid.start_x; x < in->valid.end_x; x++) {
			const int64_t v = pixel_get(&in->pixels, x, y);
			if (!e.count || (greatest ? v > e.value : v < e.value))
				e = (struct extreme){v, 0};
			e.count += v == e.value;
		}
	}
	return e;
}

/* Scalars and arrays for the results; some are optional. */
struct found { vx_scalar value, count; vx_array places; };

static struct found new_found(vx_df_image format, vx_size capacity)
{
	const vx_coordinates2d_t before = {7777, 7777};
	const vx_uint64 none = 0;
	struct found f = {.value = new_scalar(format == U8 ? VX_TYPE_UINT8 : VX_TYPE_INT16, &none),
			  .count = new_scalar(VX_TYPE_SIZE, &none),
			  .places = vxCreateArray(context, VX_TYPE_COORDINATES2D, capacity)};
	CREATED(f.places);
	RAN(vxAddArrayItems(f.places, 1, &before, sizeof before));
	return f;
}

static int64_t found_value(const struct found *f, vx_df_image format)
{
	union { vx_uint8 u8; vx_int16 s16; } v = {0};
	RAN(vxCopyScalar(f->value, &v, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	return format == U8 ? v.u8 : v.s16;
}

/* As many places as there is room for, in any order, none of them twice. */
static void check_places(const struct input *in, const struct extreme *e, vx_array places)
{
	vx_size count = 0, capacity = 0;
	RAN(vxQueryArray(places, VX_ARRAY_NUMITEMS, &count, sizeof count));
	RAN(vxQueryArray(places, VX_ARRAY_CAPACITY, &capacity, sizeof capacity));
	expect_equal("the number of places", (int64_t)(e->count < capacity ? e->count : capacity), (int64_t)count);
	vx_coordinates2d_t *at = calloc(count, sizeof *at);
	uint8_t *seen = calloc((size_t)in->pixels.width * in->pixels.height, 1);
	assert_true(at && seen);
	RAN(vxCopyArrayRange(places, 0, count, sizeof *at, at, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	for (vx_size i = 0; i < count; i++) {
		if (!is_valid(in, at[i].x, at[i].y) || pixel_get(&in->pixels, at[i].x, at[i].y) != e->value ||
		    seen[(size_t)at[i].y * in->pixels.width + at[i].x]++)
			fail_msg("%s: place %zu, %u %u, is outside, of another value than %lld, or there twice; seed %llu", what,
				 i, at[i].x, at[i].y, (long long)e->value, (unsigned long long)seed_first);
	}
	free(at);
	free(seen);
}

static void end_found(struct found *f)
{
	RAN(vxReleaseScalar(&f->value));
	RAN(vxReleaseScalar(&f->count));
	RAN(vxReleaseArray(&f->places));
}

static void check_found(const struct input *in, bool greatest, struct found *f, bool places, bool counts)
{
	const struct extreme e = find_extreme(in, greatest);
	vx_size count = 0;
	expect_equal(greatest ? "the maximum" : "the minimum", e.value, found_value(f, in->pixels.format));
	RAN(vxCopyScalar(f->count, &count, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	if (counts)
		expect_equal(greatest ? "the number of maxima" : "the number of minima", (int64_t)e.count, (int64_t)count);
	if (places)
		check_places(in, &e, f->places);
	end_found(f);
}

static void minmaxloc_once(struct input *in, bool immediate)
{
	static const vx_size capacities[] = {1, 3, 40, 5000};
	const unsigned optional = random_below(16);
	const vx_df_image format = in->pixels.format;
	struct found low = new_found(format, capacities[random_below(4)]), high = new_found(format, capacities[random_below(4)]);
	vx_array low_places = optional & 1 ? low.places : NULL, high_places = optional & 2 ? high.places : NULL;
	vx_scalar low_count = optional & 4 ? low.count : NULL, high_count = optional & 8 ? high.count : NULL;
	name_run("minmaxloc", in, immediate);
	if (immediate) {
		RAN(vxuMinMaxLoc(context, in->placed.image, low.value, high.value, low_places, high_places, low_count,
				 high_count));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxMinMaxLocNode(graph, in->placed.image, low.value, high.value, low_places, high_places,
						 low_count, high_count));
	}
	check_found(in, false, &low, low_places, low_count);
	check_found(in, true, &high, high_places, high_count);
}

static void minmaxloc(void **state)
{
	(void)state;
	for_inputs(U8, minmaxloc_once);
	for_inputs(S16, minmaxloc_once);
}

/* ---- integral_image ---- */
/* Sums of pixels that are valid. */
static void integrate(const struct input *in, struct pixels *sums)
{
	for (vx_uint32 y = in->valid.start_y; y < in->valid.end_y; y++) {
		int64_t row = 0;
		for (vx_uint32 x = in->valid.start_x; x < in->valid.end_x; x++) {
			row += pixel_get(&in->pixels, x, y);
			pixel_set(sums, x, y, row + (y > in->valid.start_y ? pixel_get(sums, x, y - 1) : 0));
		}
	}
}

static void integral_once(struct input *in, bool immediate)
{
	struct pixels expected = zero_pixels(in->pixels.width, in->pixels.height, U32);
	struct placed result = place_result(in->pixels.width, in->pixels.height, U32, random_place());
	name_run("integral_image", in, immediate);
	if (immediate) {
		RAN(vxuIntegralImage(context, in->placed.image, result.image));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxIntegralImageNode(graph, in->placed.image, result.image));
	}
	integrate(in, &expected);
	check_image(in, &expected, &result, 0);
}

static void integral_image(void **state)
{
	(void)state;
	for_inputs(U8, integral_once);
}

/* ---- virtual images ---- */
/* Virtual results take the size of the input, and the format of the kernel. */
static void virtual_results(void **state)
{
	vx_df_image format = 0;
	vx_uint32 width = 0, height = 0;
	(void)state;
	struct input in = new_input(COUNT(sizes) - 1, U8, RANDOM, true), middle = in;
	vx_image equalized = new_image(in.pixels.width, in.pixels.height, U8);
	vx_graph graph = new_graph();
	vx_image between = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
	struct placed result = place_result(in.pixels.width, in.pixels.height, U32, PLACE_OWN);
	struct pixels expected = zero_pixels(in.pixels.width, in.pixels.height, U32);
	now_testing("integral_image of a virtual image");
	vx_node first = vxEqualizeHistNode(graph, in.placed.image, between);
	vx_node second = vxIntegralImageNode(graph, between, result.image);
	CREATED(first);
	RAN(vxVerifyGraph(graph));
	RAN(vxQueryImage(between, VX_IMAGE_FORMAT, &format, sizeof format));
	RAN(vxQueryImage(between, VX_IMAGE_WIDTH, &width, sizeof width));
	RAN(vxQueryImage(between, VX_IMAGE_HEIGHT, &height, sizeof height));
	assert_int_equal(format, U8);
	assert_int_equal(width, in.pixels.width);
	assert_int_equal(height, in.pixels.height);
	RAN(vxReleaseNode(&first));
	run_node(&graph, second);
	RAN(vxReleaseImage(&between));
	RAN(vxuEqualizeHist(context, in.placed.image, equalized));
	middle.pixels = zero_pixels(in.pixels.width, in.pixels.height, U8);
	download(equalized, &middle.pixels);
	integrate(&middle, &expected);
	check_image(&in, &expected, &result, 0);
	free_pixels(&middle.pixels);
	RAN(vxReleaseImage(&equalized));
	end_input(&in);
}

/* ---- errors ---- */
static void expect_failure(vx_status status)
{
	if (status == VX_SUCCESS)
		fail_msg("%s: ran", what);
}

/* Kernels from an image to an image. */
static void bad_images(void **state)
{
	static const struct {
		vx_node (*node)(vx_graph, vx_image, vx_image);
		vx_status (*now)(vx_context, vx_image, vx_image);
		vx_df_image in, out;
		vx_uint32 width, height; /* of the output */
		vx_status status;
	} cases[] = {
		{vxEqualizeHistNode, vxuEqualizeHist, S16, S16, 16, 8, VX_ERROR_INVALID_FORMAT},
		{vxEqualizeHistNode, vxuEqualizeHist, U1, U1, 16, 8, VX_ERROR_INVALID_FORMAT},
		{vxEqualizeHistNode, vxuEqualizeHist, U8, S16, 16, 8, VX_ERROR_INVALID_FORMAT},
		{vxEqualizeHistNode, vxuEqualizeHist, U8, U8, 15, 8, VX_ERROR_INVALID_DIMENSION},
		{vxEqualizeHistNode, vxuEqualizeHist, U8, U8, 16, 9, VX_ERROR_INVALID_DIMENSION},
		{vxIntegralImageNode, vxuIntegralImage, S16, U32, 16, 8, VX_ERROR_INVALID_FORMAT},
		{vxIntegralImageNode, vxuIntegralImage, RGB, U32, 16, 8, VX_ERROR_INVALID_FORMAT},
		{vxIntegralImageNode, vxuIntegralImage, U8, S32, 16, 8, VX_ERROR_INVALID_FORMAT},
		{vxIntegralImageNode, vxuIntegralImage, U8, U16, 16, 8, VX_ERROR_INVALID_FORMAT},
		{vxIntegralImageNode, vxuIntegralImage, U8, U32, 17, 8, VX_ERROR_INVALID_DIMENSION},
		{vxIntegralImageNode, vxuIntegralImage, U8, U32, 16, 7, VX_ERROR_INVALID_DIMENSION},
	};
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		vx_image in = new_image(16, 8, cases[i].in), out = new_image(cases[i].width, cases[i].height, cases[i].out);
		vx_graph graph = new_graph();
		now_testing("an image to an image, bad case %zu", i);
		refuse_node(cases[i].status, &graph, cases[i].node(graph, in, out));
		expect_failure(cases[i].now(context, in, out));
		RAN(vxReleaseImage(&in));
		RAN(vxReleaseImage(&out));
	}
}

static void bad_histograms(void **state)
{
	static const vx_df_image formats[] = {U1, U16, S16, U32, RGB};
	(void)state;
	for (size_t i = 0; i < COUNT(formats); i++) {
		vx_image in = new_image(16, 8, formats[i]);
		vx_distribution distribution = vxCreateDistribution(context, 16, 0, 256);
		vx_graph graph = new_graph();
		now_testing("histogram, bad case %zu", i);
		CREATED(distribution);
		refuse_node(VX_ERROR_INVALID_FORMAT, &graph, vxHistogramNode(graph, in, distribution));
		expect_failure(vxuHistogram(context, in, distribution));
		RAN(vxReleaseImage(&in));
		RAN(vxReleaseDistribution(&distribution));
	}
}

static void bad_means(void **state)
{
	static const struct { vx_df_image in; vx_enum mean, deviation; vx_status status; } cases[] = {
		{S16, VX_TYPE_FLOAT32, VX_TYPE_FLOAT32, VX_ERROR_INVALID_FORMAT},
		{RGB, VX_TYPE_FLOAT32, VX_TYPE_FLOAT32, VX_ERROR_INVALID_FORMAT},
		{U8, VX_TYPE_UINT32, VX_TYPE_FLOAT32, VX_ERROR_INVALID_TYPE},
		{U8, VX_TYPE_FLOAT32, VX_TYPE_FLOAT64, VX_ERROR_INVALID_TYPE},
		{U1, VX_TYPE_FLOAT64, VX_TYPE_FLOAT32, VX_ERROR_INVALID_TYPE},
	};
	const vx_uint64 none = 0;
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		vx_image in = new_image(16, 8, cases[i].in);
		vx_scalar mean = new_scalar(cases[i].mean, &none), deviation = new_scalar(cases[i].deviation, &none);
		vx_graph graph = new_graph();
		now_testing("mean_stddev, bad case %zu", i);
		refuse_node(cases[i].status, &graph, vxMeanStdDevNode(graph, in, mean, deviation));
		RAN(vxReleaseImage(&in));
		RAN(vxReleaseScalar(&mean));
		RAN(vxReleaseScalar(&deviation));
	}
}

static void bad_minmaxlocs(void **state)
{
	enum { BYTE = VX_TYPE_UINT8, SHORT = VX_TYPE_INT16, AT = VX_TYPE_COORDINATES2D, SIZE = VX_TYPE_SIZE };
	static const struct {
		vx_df_image in;
		vx_enum low, high, low_places, high_places, low_count, high_count;
		vx_status status;
	} cases[] = {
		{U1, BYTE, BYTE, AT, AT, SIZE, SIZE, VX_ERROR_INVALID_FORMAT},
		{U32, BYTE, BYTE, AT, AT, SIZE, SIZE, VX_ERROR_INVALID_FORMAT},
		{RGB, BYTE, BYTE, AT, AT, SIZE, SIZE, VX_ERROR_INVALID_FORMAT},
		{U8, SHORT, BYTE, AT, AT, SIZE, SIZE, VX_ERROR_INVALID_TYPE},
		{U8, BYTE, VX_TYPE_INT32, AT, AT, SIZE, SIZE, VX_ERROR_INVALID_TYPE},
		{S16, BYTE, SHORT, AT, AT, SIZE, SIZE, VX_ERROR_INVALID_TYPE},
		{S16, SHORT, BYTE, AT, AT, SIZE, SIZE, VX_ERROR_INVALID_TYPE},
		{U8, BYTE, BYTE, VX_TYPE_KEYPOINT, AT, SIZE, SIZE, VX_ERROR_INVALID_TYPE},
		{U8, BYTE, BYTE, AT, VX_TYPE_COORDINATES3D, SIZE, SIZE, VX_ERROR_INVALID_TYPE},
		{U8, BYTE, BYTE, AT, AT, VX_TYPE_FLOAT32, SIZE, VX_ERROR_INVALID_TYPE},
		{U8, BYTE, BYTE, AT, AT, SIZE, VX_TYPE_INT32, VX_ERROR_INVALID_TYPE},
	};
	const vx_uint64 none = 0;
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		vx_image in = new_image(16, 8, cases[i].in);
		vx_scalar scalars[] = {new_scalar(cases[i].low, &none), new_scalar(cases[i].high, &none),
				       new_scalar(cases[i].low_count, &none), new_scalar(cases[i].high_count, &none)};
		vx_array arrays[] = {vxCreateArray(context, cases[i].low_places, 4),
				     vxCreateArray(context, cases[i].high_places, 4)};
		vx_graph graph = new_graph();
		now_testing("minmaxloc, bad case %zu", i);
		vx_node node = vxMinMaxLocNode(graph, in, scalars[0], scalars[1], arrays[0], arrays[1], scalars[2], scalars[3]);
		refuse_node(cases[i].status, &graph, node);
		expect_failure(vxuMinMaxLoc(context, in, scalars[0], scalars[1], arrays[0], arrays[1], scalars[2], scalars[3]));
		RAN(vxReleaseImage(&in));
		for (size_t k = 0; k < COUNT(scalars); k++)
			RAN(vxReleaseScalar(&scalars[k]));
		for (size_t k = 0; k < COUNT(arrays); k++)
			RAN(vxReleaseArray(&arrays[k]));
	}
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(histogram),	    cmocka_unit_test(histogram_of_very_many), cmocka_unit_test(equalize_histogram), cmocka_unit_test(mean_stddev),
		cmocka_unit_test(minmaxloc),	    cmocka_unit_test(integral_image),	  cmocka_unit_test(virtual_results),
		cmocka_unit_test(bad_images),	    cmocka_unit_test(bad_histograms),	  cmocka_unit_test(bad_means),
		cmocka_unit_test(bad_minmaxlocs),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
