/* Smoothing to half the size, pyramids of it, what lies between their levels, and the way back; predicted in plain C. */
#include "testbench/openvx/neighbourhood.h"
#include <math.h>

enum { LEVELS_MAX = 6 };

/* Odd and even, down to one pixel; few, for pyramids take many runs of a kernel. */
static const struct pyramid_size { vx_uint32 width, height, levels; } pyramid_sizes[] = {
	{1, 1, 2}, {2, 3, 2}, {8, 8, 3}, {13, 7, 3}, {32, 5, 2}, {33, 9, 3}, {37, 19, 4}, {64, 48, 5}, {70, 33, 5},
};

/* ---- a smoothed pixel ---- */
static const struct taps { unsigned size; int64_t weight[5], sum; } all_taps[] = {
	{1, {1}, 1}, {3, {1, 2, 1}, 16}, {5, {1, 4, 6, 4, 1}, 256},
};

static const struct taps *taps_of(unsigned size)
{
	const struct taps *t = all_taps;
	while (t->size != size)
		t++;
	return t;
}

static int64_t smoothed(const struct pixels *p, const struct taps *t, int64_t x, int64_t y, const vx_border_t *border)
{
	const int64_t reach = t->size / 2;
	int64_t sum = 0;
	for (int64_t dy = -reach; dy <= reach; dy++)
		for (int64_t dx = -reach; dx <= reach; dx++)
			sum += t->weight[dx + reach] * t->weight[dy + reach] * pixel_bordered(p, x + dx, y + dy, border);
	return sum / t->sum;
}

/* ---- the pixels of a smaller image ---- */
/* The columns (or rows) of an image that lie nearest to the middle of one of a smaller image: two, where both are as near. */
static unsigned nearest(vx_uint32 of, vx_uint32 large, vx_uint32 small, vx_uint32 at[2])
{
	const int64_t position = (2 * (int64_t)of + 1) * large - small, unit = 2 * (int64_t)small;
	const int64_t below = position / unit, rest = position % unit;
	at[0] = (vx_uint32)(2 * rest > unit ? below + 1 : below);
	at[1] = (vx_uint32)(below + 1);
	return 2 * rest == unit ? 2 : 1;
}

/* An image that has been made smaller: from what, and by what. */
struct shrunk {
	const struct pixels *from;
	const uint8_t *known; /* a byte a pixel: it does not depend on what is undefined */
	const struct taps *taps;
	const vx_border_t *border;
};

static bool known_around(const struct shrunk *s, int64_t x, int64_t y)
{
	const int64_t reach = s->taps->size / 2;
	if (s->border->mode != VX_BORDER_UNDEFINED)
		return true;
	for (int64_t ny = y - reach; ny <= y + reach; ny++)
		for (int64_t nx = x - reach; nx <= x + reach; nx++)
			if (nx < 0 || ny < 0 || nx >= s->from->width || ny >= s->from->height ||
			    !s->known[ny * s->from->width + nx])
				return false;
	return true;
}

/* Of two that are as near, one of the four ways takes the second column, the second row, neither or both. */
static void source_of(const struct shrunk *s, const struct pixels *to, vx_uint32 x, vx_uint32 y, unsigned way, vx_uint32 at[2])
{
	vx_uint32 columns[2], rows[2];
	at[0] = columns[nearest(x, s->from->width, to->width, columns) == 2 && (way & 1)];
	at[1] = rows[nearest(y, s->from->height, to->height, rows) == 2 && (way & 2)];
}

static int64_t shrunk_at(const struct shrunk *s, const struct pixels *to, vx_uint32 x, vx_uint32 y, unsigned way, bool *known)
{
	vx_uint32 at[2];
	source_of(s, to, x, y, way, at);
	*known = known_around(s, at[0], at[1]);
	return smoothed(s->from, s->taps, at[0], at[1], s->border);
}

/* The suite takes one more or less, for nothing says how quotients are rounded. */
static bool as_shrunk(const struct shrunk *s, const struct pixels *to, vx_uint32 x, vx_uint32 y, unsigned ways)
{
	for (unsigned way = 0; way < 4; way++) {
		bool known;
		const int64_t expected = shrunk_at(s, to, x, y, way, &known);
		if ((ways >> way & 1) && (!known || llabs(expected - pixel_get(to, x, y)) <= 1))
			return true;
	}
	return false;
}

/* Whether all pixels agree with one of the ways each; else `at` is where one does not. */
static bool all_as_shrunk(const struct shrunk *s, const struct pixels *to, unsigned ways, vx_uint32 at[2])
{
	for (at[1] = 0; at[1] < to->height; at[1]++)
		for (at[0] = 0; at[0] < to->width; at[0]++)
			if (!as_shrunk(s, to, at[0], at[1], ways))
				return false;
	return true;
}

/* Halves are exact in any arithmetic, so that all pixels go one way; with other scales, rounding may decide for each pixel. */
static void check_shrunk(const struct shrunk *s, const struct pixels *to, bool by_half)
{
	vx_uint32 at[2] = {0};
	bool known;
	for (unsigned way = 0; by_half && way < 4; way++)
		if (all_as_shrunk(s, to, 1u << way, at))
			return;
	if (all_as_shrunk(s, to, 0xf, at)) {
		if (!by_half)
			return;
		all_as_shrunk(s, to, 1, at);
	}
	const int64_t expected = shrunk_at(s, to, at[0], at[1], 0, &known);
	fail_msg("%s: %.4s, %u x %u to %u x %u: pixel %u %u: %lld, expected %lld; seed %llu", what, (const char *)&to->format,
		 s->from->width, s->from->height, to->width, to->height, at[0], at[1], (long long)pixel_get(to, at[0], at[1]),
		 (long long)expected, (unsigned long long)seed_first);
}

/* What is known of the smaller image, whichever way it has been made. */
static uint8_t *known_after(const struct shrunk *s, const struct pixels *to)
{
	uint8_t *flags = malloc((size_t)to->width * to->height);
	assert_non_null(flags);
	for (vx_uint32 y = 0; y < to->height; y++) {
		for (vx_uint32 x = 0; x < to->width; x++) {
			bool all = true;
			for (unsigned way = 0; way < 4; way++) {
				vx_uint32 at[2];
				source_of(s, to, x, y, way, at);
				all = all && known_around(s, at[0], at[1]);
			}
			flags[(size_t)y * to->width + x] = all;
		}
	}
	return flags;
}

static uint8_t *all_known(const struct pixels *p)
{
	uint8_t *flags = malloc((size_t)p->width * p->height);
	assert_non_null(flags);
	memset(flags, 1, (size_t)p->width * p->height);
	return flags;
}

/* ---- half the size ---- */
static void check_half(unsigned size, vx_enum mode, vx_uint32 width, vx_uint32 height)
{
	const vx_border_t border = border_of(mode, VX_DF_IMAGE_U8);
	now_testing("halfscale_gaussian of size %u, border %s", size, border_name(mode));
	struct pixels in = random_pixels(width, height, VX_DF_IMAGE_U8);
	struct placed a = place_pixels(&in, random_place());
	struct placed z = place_result((width + 1) / 2, (height + 1) / 2, VX_DF_IMAGE_U8, random_place());
	if (random_below(2)) {
		vx_graph graph = new_graph();
		vx_node node = vxHalfScaleGaussianNode(graph, a.image, z.image, (vx_int32)size);
		set_node_border(node, &border);
		run_node(&graph, node);
	} else {
		set_immediate_border(&border);
		RAN(vxuHalfScaleGaussian(context, a.image, z.image, (vx_int32)size));
	}
	struct pixels got = take_pixels(&z);
	uint8_t *known = all_known(&in);
	check_shrunk(&(struct shrunk){&in, known, taps_of(size), &border}, &got, true);
	free(known);
	free_pixels(&got);
	check_unchanged(&in, &a);
}

static void halves(void **state)
{
	(void)state;
	for (unsigned size = 1; size <= 5; size += 2)
		for (size_t b = 0; b < COUNT(borders); b++)
			for (size_t s = 0; s < COUNT(sizes); s++)
				check_half(size, borders[b].mode, sizes[s].width, sizes[s].height);
}

/* ---- levels of pyramids ---- */
static vx_pyramid new_pyramid(vx_size levels, vx_float32 scale, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	vx_pyramid pyramid = vxCreatePyramid(context, levels, scale, width, height, format);
	CREATED(pyramid);
	return pyramid;
}

static struct pixels get_level(vx_pyramid pyramid, vx_uint32 level, vx_df_image format)
{
	vx_uint32 width = 0, height = 0;
	vx_image image = vxGetPyramidLevel(pyramid, level);
	CREATED(image);
	RAN(vxQueryImage(image, VX_IMAGE_WIDTH, &width, sizeof width));
	RAN(vxQueryImage(image, VX_IMAGE_HEIGHT, &height, sizeof height));
	const struct pixels p = zero_pixels(width, height, format);
	download(image, &p);
	RAN(vxReleaseImage(&image));
	return p;
}

static void set_level(vx_pyramid pyramid, vx_uint32 level, const struct pixels *p)
{
	vx_image image = vxGetPyramidLevel(pyramid, level);
	CREATED(image);
	upload(image, p);
	RAN(vxReleaseImage(&image));
}

/* Random before, so that what is not written shows. */
static void spoil_levels(vx_pyramid pyramid, vx_uint32 levels, vx_df_image format)
{
	for (vx_uint32 i = 0; i < levels; i++) {
		struct pixels now = get_level(pyramid, i, format), p = random_pixels(now.width, now.height, format);
		set_level(pyramid, i, &p);
		free_pixels(&now);
		free_pixels(&p);
	}
}

static vx_uint32 halved(vx_uint32 length, vx_uint32 times) { return times ? halved((length + 1) / 2, times - 1) : length; }

/* ---- Gaussian pyramids ---- */
/* Of the scale of ORB each fourth level has half the size. */
static vx_uint32 length_at(vx_uint32 length, vx_float32 scale, vx_uint32 level)
{
	return scale == VX_SCALE_PYRAMID_HALF ? halved(length, level) : (vx_uint32)ceil(length * pow(2, -(double)level / 4));
}

static void run_gaussian(vx_image in, vx_pyramid pyramid, const vx_border_t *border)
{
	if (random_below(2)) {
		vx_graph graph = new_graph();
		vx_node node = vxGaussianPyramidNode(graph, in, pyramid);
		set_node_border(node, border);
		run_node(&graph, node);
	} else {
		set_immediate_border(border);
		RAN(vxuGaussianPyramid(context, in, pyramid));
	}
}

/* Each level from the one that is there before it. */
static void check_levels(vx_pyramid pyramid, const struct pixels *in, vx_uint32 levels, vx_float32 scale,
			 const vx_border_t *border)
{
	struct pixels from = get_level(pyramid, 0, VX_DF_IMAGE_U8);
	uint8_t *known = all_known(&from);
	compare_pixels(&(struct comparison){0}, in, &from);
	for (vx_uint32 i = 1; i < levels; i++) {
		struct pixels to = get_level(pyramid, i, VX_DF_IMAGE_U8);
		const struct shrunk s = {&from, known, taps_of(5), border};
		assert_int_equal(to.width, length_at(in->width, scale, i));
		assert_int_equal(to.height, length_at(in->height, scale, i));
		check_shrunk(&s, &to, scale == VX_SCALE_PYRAMID_HALF);
		uint8_t *known_to = known_after(&s, &to);
		free(known);
		free_pixels(&from);
		known = known_to;
		from = to;
	}
	free(known);
	free_pixels(&from);
}

static void check_gaussian(vx_float32 scale, vx_enum mode, vx_uint32 width, vx_uint32 height, vx_uint32 levels)
{
	const vx_border_t border = border_of(mode, VX_DF_IMAGE_U8);
	now_testing("gaussian_pyramid of %u levels, scale %g, border %s", levels, (double)scale, border_name(mode));
	struct pixels in = random_pixels(width, height, VX_DF_IMAGE_U8);
	struct placed a = place_pixels(&in, random_place());
	vx_pyramid pyramid = new_pyramid(levels, scale, width, height, VX_DF_IMAGE_U8);
	spoil_levels(pyramid, levels, VX_DF_IMAGE_U8);
	run_gaussian(a.image, pyramid, &border);
	check_levels(pyramid, &in, levels, scale, &border);
	RAN(vxReleasePyramid(&pyramid));
	check_unchanged(&in, &a);
}

static void gaussian_pyramids(void **state)
{
	(void)state;
	for (size_t b = 0; b < COUNT(borders); b++) {
		for (size_t s = 0; s < COUNT(pyramid_sizes); s++) {
			const struct pyramid_size *p = &pyramid_sizes[s];
			check_gaussian(VX_SCALE_PYRAMID_HALF, borders[b].mode, p->width, p->height, p->levels);
			check_gaussian(VX_SCALE_PYRAMID_ORB, borders[b].mode, p->width, p->height, p->levels);
		}
		check_gaussian(VX_SCALE_PYRAMID_HALF, borders[b].mode, 9, 4, 1);
	}
}

/* ---- twice the size ---- */
/* A pixel of twice the size: zeros between the pixels of the smaller image, smoothed, four times. The suite cuts off before it
 * multiplies, and beyond the edges the smaller image goes on as its last pixels are. */
static int64_t enlarged(const struct pixels *small, int64_t x, int64_t y)
{
	const vx_border_t replicate = {.mode = VX_BORDER_REPLICATE};
	const struct taps *t = taps_of(5);
	int64_t sum = 0;
	for (int64_t dy = -2; dy <= 2; dy++)
		for (int64_t dx = -2; dx <= 2; dx++)
			if ((x + dx) % 2 == 0 && (y + dy) % 2 == 0)
				sum += t->weight[dx + 2] * t->weight[dy + 2] *
				       pixel_bordered(small, (x + dx) / 2, (y + dy) / 2, &replicate);
	return sum / t->sum * 4;
}

static int64_t clamp_to(vx_df_image format, int64_t value)
{
	const int64_t low = format == VX_DF_IMAGE_U8 ? 0 : INT16_MIN, high = format == VX_DF_IMAGE_U8 ? UINT8_MAX : INT16_MAX;
	return value < low ? low : value > high ? high : value;
}

/* An image of random values between two. */
static struct pixels pixels_between(vx_uint32 width, vx_uint32 height, vx_df_image format, int64_t low, int64_t high)
{
	const struct pixels p = zero_pixels(width, height, format);
	for (vx_uint32 y = 0; y < height; y++)
		for (vx_uint32 x = 0; x < width; x++)
			pixel_set(&p, x, y, low + random_below((uint32_t)(high - low + 1)));
	return p;
}

/* ---- Laplacian pyramids ---- */
static const vx_df_image in_formats[] = {VX_DF_IMAGE_U8, VX_DF_IMAGE_S16};

static struct pixels difference(const struct pixels *level, const struct pixels *next)
{
	const struct pixels d = zero_pixels(level->width, level->height, VX_DF_IMAGE_S16);
	for (vx_uint32 y = 0; y < level->height; y++)
		for (vx_uint32 x = 0; x < level->width; x++)
			pixel_set(&d, x, y, clamp_to(VX_DF_IMAGE_S16, pixel_get(level, x, y) - enlarged(next, x, y)));
	return d;
}

static struct pixels halved_pixels(const struct pixels *from, unsigned way)
{
	const vx_border_t replicate = {.mode = VX_BORDER_REPLICATE};
	const struct shrunk s = {from, NULL, taps_of(5), &replicate};
	const struct pixels to = zero_pixels((from->width + 1) / 2, (from->height + 1) / 2, from->format);
	bool known;
	for (vx_uint32 y = 0; y < to.height; y++)
		for (vx_uint32 x = 0; x < to.width; x++)
			pixel_set(&to, x, y, shrunk_at(&s, &to, x, y, way, &known));
	return to;
}

/* The same, but for what the suite allows. */
static bool nearly_equal(const struct pixels *a, const struct pixels *b)
{
	assert_true(a->width == b->width && a->height == b->height);
	for (vx_uint32 y = 0; y < a->height; y++)
		for (vx_uint32 x = 0; x < a->width; x++)
			if (llabs(pixel_get(a, x, y) - pixel_get(b, x, y)) > 1)
				return false;
	return true;
}

/* Whether these are differences and last level of the image, when pixels that are as near are taken in one of the ways. With
 * `say`, fails where they are not. */
static bool is_laplacian(const struct pixels *in, const struct pixels *differences, const struct pixels *last, vx_uint32 levels,
			 unsigned way, bool say)
{
	struct pixels level = halved_pixels(in, way), previous = zero_pixels(in->width, in->height, in->format);
	bool same = true;
	copy_rectangle(&previous, 0, 0, in, 0, 0, in->width, in->height);
	for (vx_uint32 i = 0; i < levels; i++) {
		struct pixels expected = difference(&previous, &level);
		same = same && nearly_equal(&expected, &differences[i]);
		if (say)
			compare_pixels(&(struct comparison){.tolerance = 1}, &expected, &differences[i]);
		if (say && i + 1 == levels)
			compare_pixels(&(struct comparison){.tolerance = 1}, &level, last);
		same = same && (i + 1 < levels || nearly_equal(&level, last));
		struct pixels next = halved_pixels(&level, way);
		free_pixels(&expected);
		free_pixels(&previous);
		previous = level;
		level = next;
	}
	free_pixels(&previous);
	free_pixels(&level);
	return same;
}

static void run_laplacian(vx_image in, vx_pyramid pyramid, vx_image last, const vx_border_t *border)
{
	if (border->mode == VX_BORDER_REPLICATE && random_below(2)) {
		set_immediate_border(border);
		RAN(vxuLaplacianPyramid(context, in, pyramid, last));
		return;
	}
	vx_graph graph = new_graph();
	vx_node node = vxLaplacianPyramidNode(graph, in, pyramid, last);
	set_node_border(node, border);
	run_node(&graph, node);
}

/* The border of both steps is VX_BORDER_REPLICATE, whatever that of the node is. */
static void check_laplacian(vx_df_image format, vx_enum mode, vx_uint32 width, vx_uint32 height, vx_uint32 levels)
{
	const vx_border_t border = border_of(mode, format);
	struct pixels differences[LEVELS_MAX];
	now_testing("laplacian_pyramid of %u levels from %.4s, border %s", levels, (const char *)&format, border_name(mode));
	/* no negative pixels: how the quotients of those are rounded is left to the test of the way back */
	struct pixels in = pixels_between(width, height, format, 0, format == VX_DF_IMAGE_U8 ? 255 : 5000);
	struct placed a = place_pixels(&in, random_place());
	struct placed z = place_result(halved(width, levels), halved(height, levels), format, random_place());
	vx_pyramid pyramid = new_pyramid(levels, VX_SCALE_PYRAMID_HALF, width, height, VX_DF_IMAGE_S16);
	spoil_levels(pyramid, levels, VX_DF_IMAGE_S16);
	run_laplacian(a.image, pyramid, z.image, &border);
	for (vx_uint32 i = 0; i < levels; i++)
		differences[i] = get_level(pyramid, i, VX_DF_IMAGE_S16);
	struct pixels last = take_pixels(&z);
	bool same = false;
	for (unsigned way = 0; way < 4 && !same; way++)
		same = is_laplacian(&in, differences, &last, levels, way, false);
	if (!same)
		is_laplacian(&in, differences, &last, levels, 0, true);
	for (vx_uint32 i = 0; i < levels; i++)
		free_pixels(&differences[i]);
	free_pixels(&last);
	RAN(vxReleasePyramid(&pyramid));
	check_unchanged(&in, &a);
}

static void laplacian_pyramids(void **state)
{
	(void)state;
	for (size_t f = 0; f < COUNT(in_formats); f++)
		for (size_t s = 0; s < COUNT(pyramid_sizes); s++) {
			const struct pyramid_size *p = &pyramid_sizes[s];
			check_laplacian(in_formats[f], VX_BORDER_REPLICATE, p->width, p->height, p->levels - 1);
			check_laplacian(in_formats[f], VX_BORDER_UNDEFINED, p->width, p->height, p->levels - 1);
		}
}

/* ---- and back ---- */
static void run_reconstruct(vx_pyramid pyramid, vx_image in, vx_image out, const vx_border_t *border)
{
	if (random_below(2)) {
		set_immediate_border(border);
		RAN(vxuLaplacianReconstruct(context, pyramid, in, out));
		return;
	}
	vx_graph graph = new_graph();
	vx_node node = vxLaplacianReconstructNode(graph, pyramid, in, out);
	set_node_border(node, border);
	run_node(&graph, node);
}

static struct pixels sum_of(const struct pixels *differences, const struct pixels *small, vx_df_image format)
{
	const struct pixels sum = zero_pixels(differences->width, differences->height, format);
	for (vx_uint32 y = 0; y < sum.height; y++)
		for (vx_uint32 x = 0; x < sum.width; x++)
			pixel_set(&sum, x, y, clamp_to(format, enlarged(small, x, y) + pixel_get(differences, x, y)));
	return sum;
}

/* Differences between two values, on a smallest image of others. They are such that no sum between two levels is negative or
 * too large, for it is not specified what becomes of it; only the last one may be. */
static void check_reconstruct(vx_df_image format, vx_uint32 width, vx_uint32 height, vx_uint32 levels, bool wild)
{
	const vx_border_t border = border_of(VX_BORDER_REPLICATE, format);
	const int64_t unit = format == VX_DF_IMAGE_U8 ? 1 : 30, spread = wild ? INT16_MAX : 20 * unit;
	now_testing("laplacian_reconstruct of %u levels to %.4s", levels, (const char *)&format);
	struct pixels in = pixels_between(halved(width, levels), halved(height, levels), format, 110 * unit, 150 * unit);
	struct pixels expected = zero_pixels(in.width, in.height, format);
	struct placed a = place_pixels(&in, random_place()), z = place_result(width, height, format, random_place());
	vx_pyramid pyramid = new_pyramid(levels, VX_SCALE_PYRAMID_HALF, width, height, VX_DF_IMAGE_S16);
	copy_rectangle(&expected, 0, 0, &in, 0, 0, in.width, in.height);
	for (vx_uint32 i = levels; i-- > 0;) {
		struct pixels d = pixels_between(halved(width, i), halved(height, i), VX_DF_IMAGE_S16, -spread, spread);
		struct pixels sum = sum_of(&d, &expected, format);
		set_level(pyramid, i, &d);
		free_pixels(&d);
		free_pixels(&expected);
		expected = sum;
	}
	run_reconstruct(pyramid, a.image, z.image, &border);
	check_result(&(struct comparison){.tolerance = 1}, &expected, &z); /* the suite's, for the rounding */
	RAN(vxReleasePyramid(&pyramid));
	check_unchanged(&in, &a);
}

static void reconstructions(void **state)
{
	(void)state;
	for (size_t f = 0; f < COUNT(in_formats); f++)
		for (size_t s = 0; s < COUNT(pyramid_sizes); s++) {
			const struct pyramid_size *p = &pyramid_sizes[s];
			check_reconstruct(in_formats[f], p->width, p->height, p->levels < 4 ? p->levels - 1 : 3, false);
			check_reconstruct(in_formats[f], p->width, p->height, 1, true);
		}
}

/* What has been taken apart is put together again exactly, in one graph, on virtual objects. */
static void check_round_trip(vx_df_image format, vx_uint32 width, vx_uint32 height, vx_uint32 levels)
{
	now_testing("laplacian_pyramid and laplacian_reconstruct of %u levels of %.4s", levels, (const char *)&format);
	const bool bytes = format == VX_DF_IMAGE_U8;
	struct pixels in = bytes ? random_pixels(width, height, format) : pixels_between(width, height, format, -3000, 3000);
	struct pixels expected = zero_pixels(width, height, format);
	copy_rectangle(&expected, 0, 0, &in, 0, 0, width, height);
	struct placed a = place_pixels(&in, random_place()), z = place_result(width, height, format, random_place());
	vx_graph graph = new_graph();
	vx_pyramid pyramid = vxCreateVirtualPyramid(graph, levels, VX_SCALE_PYRAMID_HALF, 0, 0, VX_DF_IMAGE_VIRT);
	vx_image last = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
	vx_node apart = vxLaplacianPyramidNode(graph, a.image, pyramid, last);
	vx_node together = vxLaplacianReconstructNode(graph, pyramid, last, z.image);
	CREATED(apart);
	RAN(vxReleaseNode(&apart));
	RAN(vxReleasePyramid(&pyramid));
	RAN(vxReleaseImage(&last));
	run_node(&graph, together);
	check_result(&(struct comparison){0}, &expected, &z);
	check_unchanged(&in, &a);
}

static void round_trips(void **state)
{
	(void)state;
	for (size_t f = 0; f < COUNT(in_formats); f++)
		for (const struct pyramid_size *p = pyramid_sizes; p < pyramid_sizes + COUNT(pyramid_sizes); p++)
			check_round_trip(in_formats[f], p->width, p->height, p->levels - 1);
}

/* ---- what is refused ---- */
static void refused_halves(void **state)
{
	(void)state;
	vx_image u8 = new_image(17, 12, VX_DF_IMAGE_U8), s16 = new_image(17, 12, VX_DF_IMAGE_S16);
	vx_image out = new_image(9, 6, VX_DF_IMAGE_U8), out_s16 = new_image(9, 6, VX_DF_IMAGE_S16);
	vx_image narrow = new_image(8, 6, VX_DF_IMAGE_U8);
	const struct { const char *why; vx_status status; vx_image in, out; vx_int32 size; } refusals[] = {
		{"input of S16", FORMAT, s16, out, 3}, {"output of S16", FORMAT, u8, out_s16, 3},
		{"narrower output", DIMENSION, u8, narrow, 3}, {"size 2", VALUE, u8, out, 2}, {"size 7", VALUE, u8, out, 7},
		{"size 0", VALUE, u8, out, 0}, {"size -1", VALUE, u8, out, -1},
	};
	for (size_t i = 0; i < COUNT(refusals); i++) {
		now_testing("halfscale_gaussian, %s", refusals[i].why);
		vx_graph graph = new_graph();
		vx_node node = vxHalfScaleGaussianNode(graph, refusals[i].in, refusals[i].out, refusals[i].size);
		refuse_node(refusals[i].status, &graph, node);
	}
	vx_image *const all[] = {&u8, &s16, &out, &narrow, &out_s16};
	for (size_t i = 0; i < COUNT(all); i++)
		RAN(vxReleaseImage(all[i]));
}

enum { REFUSED_LEVELS = 3, REFUSED_WIDTH = 32, REFUSED_HEIGHT = 24 };

static void refused_pyramids(void **state)
{
	(void)state;
	const vx_uint32 n = REFUSED_LEVELS, w = REFUSED_WIDTH, h = REFUSED_HEIGHT;
	vx_image u8 = new_image(w, h, VX_DF_IMAGE_U8), s16 = new_image(w, h, VX_DF_IMAGE_S16);
	vx_image u16 = new_image(w, h, VX_DF_IMAGE_U16);
	vx_image last = new_image(w / 8, h / 8, VX_DF_IMAGE_U8), wide = new_image(w / 8 + 1, h / 8, VX_DF_IMAGE_U8);
	vx_image last_s16 = new_image(w / 8, h / 8, VX_DF_IMAGE_S16), narrow = new_image(w - 1, h, VX_DF_IMAGE_U8);
	vx_pyramid p8 = new_pyramid(n, VX_SCALE_PYRAMID_HALF, w, h, VX_DF_IMAGE_U8);
	vx_pyramid p16 = new_pyramid(n, VX_SCALE_PYRAMID_HALF, w, h, VX_DF_IMAGE_S16);
	vx_pyramid small = new_pyramid(n, VX_SCALE_PYRAMID_HALF, w, h - 1, VX_DF_IMAGE_U8);
	vx_pyramid small16 = new_pyramid(n, VX_SCALE_PYRAMID_HALF, w - 1, h, VX_DF_IMAGE_S16);
	vx_pyramid orb = new_pyramid(n, VX_SCALE_PYRAMID_ORB, w, h, VX_DF_IMAGE_S16);
	enum { GAUSSIAN, APART, TOGETHER };
	const struct {
		const char *why;
		vx_status status;
		int kernel;
		vx_image in;
		vx_pyramid pyramid;
		vx_image out;
	} refusals[] = {
		{"gaussian_pyramid, input of S16", FORMAT, GAUSSIAN, s16, p8, NULL},
		{"gaussian_pyramid, pyramid of S16", FORMAT, GAUSSIAN, u8, p16, NULL},
		{"gaussian_pyramid, lower pyramid", DIMENSION, GAUSSIAN, u8, small, NULL},
		{"laplacian_pyramid, input of U16", FORMAT, APART, u16, p16, last},
		{"laplacian_pyramid, pyramid of U8", FORMAT, APART, u8, p8, last},
		{"laplacian_pyramid, narrower pyramid", DIMENSION, APART, u8, small16, last},
		{"laplacian_pyramid, scale of ORB", ANY_ERROR, APART, u8, orb, last},
		{"laplacian_pyramid, output of another format", FORMAT, APART, u8, p16, last_s16},
		{"laplacian_pyramid, wider output", DIMENSION, APART, u8, p16, wide},
		{"laplacian_reconstruct, pyramid of U8", FORMAT, TOGETHER, last, p8, u8},
		{"laplacian_reconstruct, scale of ORB", ANY_ERROR, TOGETHER, last, orb, u8},
		{"laplacian_reconstruct, wider input", DIMENSION, TOGETHER, wide, p16, u8},
		{"laplacian_reconstruct, narrower output", DIMENSION, TOGETHER, last, p16, narrow},
		{"laplacian_reconstruct, output of another format", FORMAT, TOGETHER, last, p16, s16},
		{"laplacian_reconstruct, output of U16", FORMAT, TOGETHER, last_s16, p16, u16},
	};
	for (size_t i = 0; i < COUNT(refusals); i++) {
		const vx_image in = refusals[i].in, out = refusals[i].out;
		const vx_pyramid pyramid = refusals[i].pyramid;
		now_testing("%s", refusals[i].why);
		vx_graph graph = new_graph();
		vx_node node = refusals[i].kernel == GAUSSIAN ? vxGaussianPyramidNode(graph, in, pyramid)
			       : refusals[i].kernel == APART  ? vxLaplacianPyramidNode(graph, in, pyramid, out)
							      : vxLaplacianReconstructNode(graph, pyramid, in, out);
		refuse_anyhow(refusals[i].status, &graph, node);
	}
	vx_image *const images[] = {&u8, &s16, &u16, &last, &wide, &last_s16, &narrow};
	vx_pyramid *const pyramids[] = {&p8, &p16, &small, &small16, &orb};
	for (size_t i = 0; i < COUNT(images); i++)
		RAN(vxReleaseImage(images[i]));
	for (size_t i = 0; i < COUNT(pyramids); i++)
		RAN(vxReleasePyramid(pyramids[i]));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves), cmocka_unit_test(gaussian_pyramids), cmocka_unit_test(laplacian_pyramids),
		cmocka_unit_test(reconstructions), cmocka_unit_test(round_trips), cmocka_unit_test(refused_halves),
		cmocka_unit_test(refused_pyramids),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
