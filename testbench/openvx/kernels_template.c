/* match_template against plain C: all metrics, templates of any size that is allowed; where results are valid; what it refuses. */
#include "testbench/openvx/neighbourhood.h"
#include <math.h>

static const struct { vx_enum metric; const char *name; } metrics[] = {
	{VX_COMPARE_HAMMING, "hamming"}, {VX_COMPARE_L1, "L1"},           {VX_COMPARE_L2, "L2"},
	{VX_COMPARE_CCORR, "ccorr"},     {VX_COMPARE_L2_NORM, "L2 norm"}, {VX_COMPARE_CCORR_NORM, "ccorr norm"},
};

/* ---- expected pixels ---- */
/* What a template and the pixels below it have in common. */
struct sums { uint64_t pixels, differing_bits, differences, squares, products, squared_products, squares_of_template, squares_of_image; };

static struct sums sums_at(const struct pixels *in, const struct pixels *searched, vx_uint32 x, vx_uint32 y)
{
	struct sums s = {.pixels = (uint64_t)searched->width * searched->height};
	for (vx_uint32 v = 0; v < searched->height; v++) {
		for (vx_uint32 u = 0; u < searched->width; u++) {
			const uint64_t t = (uint64_t)pixel_get(searched, u, v), i = (uint64_t)pixel_get(in, x + u, y + v), d = t > i ? t - i : i - t;
			s.differing_bits += t ^ i;
			s.differences += d;
			s.squares += d * d;
			s.products += t * i;
			s.squared_products += t * t * i * i;
			s.squares_of_template += t * t;
			s.squares_of_image += i * i;
		}
	}
	return s;
}

/* vx_comp_metric_e. Of the normalized correlation the sum below the root is read as a product of two sums, or no template would ever be
 * found; where a root is 0 the result is not specified. Numbers are cut off, and saturate; but normalized distances are rounded up, so
 * that nothing but an equal has none. What is next to an integer in double precision may lie on both sides of it. */
static int64_t predict(const struct sums *s, vx_enum metric, bool *specified)
{
	const double root = sqrt(metric == VX_COMPARE_L2_NORM ? (double)s->squared_products : (double)s->squares_of_template * (double)s->squares_of_image);
	double v = 0;
	*specified = true;
	switch (metric) {
	case VX_COMPARE_HAMMING: v = (double)(s->differing_bits / s->pixels); break;
	case VX_COMPARE_L1: v = (double)(s->differences / s->pixels); break;
	case VX_COMPARE_L2: v = (double)(s->squares / s->pixels); break;
	case VX_COMPARE_CCORR: v = (double)(s->products / s->pixels); break;
	case VX_COMPARE_L2_NORM: v = (double)s->squares / root; break;
	default: v = (double)s->products * 32768 / root;
	}
	if (metric == VX_COMPARE_L2_NORM || metric == VX_COMPARE_CCORR_NORM)
		*specified = root > 0 && (v == 0 || v > INT16_MAX + 0.5 || fabs(v - rint(v)) > 1e-9 * v);
	return *specified ? (int64_t)fmin(metric == VX_COMPARE_L2_NORM ? ceil(v) : trunc(v), INT16_MAX) : 0;
}

/* ---- cases ---- */
static void check_match(const struct pixels *picture, const struct pixels *small, size_t m, bool at_once)
{
	const vx_uint32 width = picture->width - small->width + 1, height = picture->height - small->height + 1;
	const vx_enum metric = metrics[m].metric;
	uint8_t *open = calloc((size_t)width * height, 1);
	struct pixels e = zero_pixels(width, height, VX_DF_IMAGE_S16), in = zero_pixels(picture->width, picture->height, VX_DF_IMAGE_U8);
	struct pixels searched = zero_pixels(small->width, small->height, VX_DF_IMAGE_U8);
	const struct comparison how = {.skip = open};
	assert_non_null(open);
	now_testing("match_template, %s, %u x %u in %u x %u, %s", metrics[m].name, small->width, small->height, picture->width, picture->height,
		    at_once ? "at once" : "as a node");
	copy_rectangle(&in, 0, 0, picture, 0, 0, picture->width, picture->height);
	copy_rectangle(&searched, 0, 0, small, 0, 0, small->width, small->height);
	for (vx_uint32 y = 0; y < height; y++) {
		for (vx_uint32 x = 0; x < width; x++) {
			const struct sums s = sums_at(&in, &searched, x, y);
			bool specified = true;
			pixel_set(&e, x, y, predict(&s, metric, &specified));
			open[(size_t)y * width + x] = !specified;
		}
	}
	struct placed p = place_pixels(&in, random_place()), q = place_pixels(&searched, random_place());
	struct placed out = place_result(width, height, VX_DF_IMAGE_S16, random_place());
	if (at_once) {
		RAN(vxuMatchTemplate(context, p.image, q.image, metric, out.image));
	} else {
		vx_graph graph = new_graph();
		run_node(&graph, vxMatchTemplateNode(graph, p.image, q.image, metric, out.image));
	}
	check_result(&how, &e, &out);
	check_unchanged(&in, &p);
	check_unchanged(&searched, &q);
	free(open);
}

static void check_all(struct pixels *picture, struct pixels *small)
{
	for (size_t m = 0; m < COUNT(metrics); m++)
		check_match(picture, small, m, random_below(2));
	free_pixels(picture);
	free_pixels(small);
}

/* Templates of random pixels, and parts of the image itself. */
static void any_size(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (unsigned k = 0; k < 4; k++) {
			const vx_uint32 width = sizes[i].width, height = sizes[i].height;
			const vx_uint32 w = k ? 1 + random_below(width) : width, h = k ? 1 + random_below(height) : height;
			struct pixels picture = random_pixels(width, height, VX_DF_IMAGE_U8), small = random_pixels(w, h, VX_DF_IMAGE_U8);
			if (k & 1)
				copy_rectangle(&small, 0, 0, &picture, random_below(width - w + 1), random_below(height - h + 1), w, h);
			check_all(&picture, &small);
		}
	}
}

/* Gray values that differ little, as those of pictures do: normalized differences are small, correlations large. */
static void flat_pictures(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		struct pixels picture = zero_pixels(40, 30, VX_DF_IMAGE_U8), small = zero_pixels(9, 7, VX_DF_IMAGE_U8);
		const uint32_t base = random_below(200), spread = 1 + random_below(50);
		for (size_t i = 0; i < bytes_in_all(&picture); i++)
			picture.bytes[i] = (uint8_t)(base + random_below(spread));
		copy_rectangle(&small, 0, 0, &picture, 12, 5, 9, 7);
		check_all(&picture, &small);
	}
}

/* As many pixels as are allowed, all as different as they can be, or all the largest: sums do not overflow. */
static void largest(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct pixels picture = zero_pixels(258, 256, VX_DF_IMAGE_U8), small = zero_pixels(257, 255, VX_DF_IMAGE_U8);
		memset(picture.bytes, 255, bytes_in_all(&picture));
		memset(small.bytes, k ? 255 : 0, bytes_in_all(&small));
		check_all(&picture, &small);
	}
}

/* A result is valid where the template lies on valid pixels alone. */
static void valid_region(void **state)
{
	(void)state;
	vx_image in = new_image(50, 40, VX_DF_IMAGE_U8), searched = new_image(8, 5, VX_DF_IMAGE_U8), out = new_image(43, 36, VX_DF_IMAGE_S16);
	const struct { vx_rectangle_t in, out; } cases[] = {
		{{0, 0, 50, 40}, {0, 0, 43, 36}}, {{3, 2, 48, 39}, {3, 2, 41, 35}}, {{10, 20, 18, 25}, {10, 20, 11, 21}},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		vx_rectangle_t r = {0};
		vx_graph graph = new_graph();
		now_testing("valid regions, case %zu", i);
		RAN(vxSetImageValidRectangle(in, &cases[i].in));
		run_node(&graph, vxMatchTemplateNode(graph, in, searched, VX_COMPARE_L2, out));
		RAN(vxGetValidRegionImage(out, &r));
		assert_memory_equal(&r, &cases[i].out, sizeof r);
	}
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&searched));
	RAN(vxReleaseImage(&out));
}

/* A result whose size is not said. */
static void virtual_result(void **state)
{
	(void)state;
	struct pixels picture = random_pixels(30, 20, VX_DF_IMAGE_U8), small = random_pixels(7, 4, VX_DF_IMAGE_U8), e = zero_pixels(24, 17, VX_DF_IMAGE_S16);
	struct placed p = place_pixels(&picture, random_place()), q = place_pixels(&small, random_place());
	struct placed out = place_result(24, 17, VX_DF_IMAGE_S16, PLACE_OWN);
	vx_graph graph = new_graph();
	vx_image between = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
	now_testing("match_template into a virtual image");
	CREATED(between);
	for (vx_uint32 y = 0; y < 17; y++)
		for (vx_uint32 x = 0; x < 24; x++) {
			const struct sums s = sums_at(&picture, &small, x, y);
			bool specified = true;
			pixel_set(&e, x, y, predict(&s, VX_COMPARE_L1, &specified));
		}
	vx_node copy = vxCopyNode(graph, (vx_reference)between, (vx_reference)out.image);
	CREATED(copy);
	RAN(vxReleaseNode(&copy));
	run_node(&graph, vxMatchTemplateNode(graph, p.image, q.image, VX_COMPARE_L1, between));
	RAN(vxReleaseImage(&between));
	check_result(&(struct comparison){0}, &e, &out);
	check_unchanged(&picture, &p);
	check_unchanged(&small, &q);
}

/* ---- what is refused ---- */
static void refusals(void **state)
{
	(void)state;
	vx_image in = new_image(300, 290, VX_DF_IMAGE_U8), words = new_image(300, 290, VX_DF_IMAGE_S16), bits = new_image(300, 290, VX_DF_IMAGE_U1);
	vx_image small = new_image(11, 6, VX_DF_IMAGE_U8), small_words = new_image(11, 6, VX_DF_IMAGE_S16), wide = new_image(301, 2, VX_DF_IMAGE_U8);
	vx_image high = new_image(2, 291, VX_DF_IMAGE_U8), large = new_image(256, 256, VX_DF_IMAGE_U8);
	vx_image out = new_image(290, 285, VX_DF_IMAGE_S16), bytes = new_image(290, 285, VX_DF_IMAGE_U8), other = new_image(290, 284, VX_DF_IMAGE_S16);
	vx_image out_large = new_image(45, 35, VX_DF_IMAGE_S16);
	const struct { const char *why; vx_status status; vx_image in, searched; vx_enum metric; vx_image out; } bad[] = {
		{"an image of words", FORMAT, words, small, VX_COMPARE_L2, out},
		{"an image of bits", FORMAT, bits, small, VX_COMPARE_L2, out},
		{"a template of words", FORMAT, in, small_words, VX_COMPARE_L2, out},
		{"no metric", VALUE, in, small, VX_COMPARE_HAMMING - 1, out},
		{"a norm as metric", VALUE, in, small, VX_NORM_L2, out},
		{"a template that is wider than the image", DIMENSION, in, wide, VX_COMPARE_L2, out},
		{"a template that is higher than the image", DIMENSION, in, high, VX_COMPARE_L2, out},
		{"a template of 65536 pixels", DIMENSION, in, large, VX_COMPARE_L2, out_large},
		{"a result of bytes", FORMAT, in, small, VX_COMPARE_L2, bytes},
		{"a result of another size", DIMENSION, in, small, VX_COMPARE_L2, other},
	};
	for (size_t i = 0; i < COUNT(bad); i++)
		REFUSE_BOTH(bad[i].status, bad[i].why, vxMatchTemplateNode(graph, bad[i].in, bad[i].searched, bad[i].metric, bad[i].out),
			    vxuMatchTemplate(context, bad[i].in, bad[i].searched, bad[i].metric, bad[i].out));
	vx_image *const all[] = {&in, &words, &bits, &small, &small_words, &wide, &high, &large, &out, &bytes, &other, &out_large};
	for (size_t i = 0; i < COUNT(all); i++)
		RAN(vxReleaseImage(all[i]));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_size), cmocka_unit_test(flat_pictures), cmocka_unit_test(largest), cmocka_unit_test(valid_region),
		cmocka_unit_test(virtual_result), cmocka_unit_test(refusals),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
