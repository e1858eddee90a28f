/* Colours and channels against predictors in plain C: color_convert, channel_extract, channel_combine. */
#include "testbench/openvx/compare.h"
#include <math.h>

enum {
	RGB = VX_DF_IMAGE_RGB, RGBX = VX_DF_IMAGE_RGBX, UYVY = VX_DF_IMAGE_UYVY, YUYV = VX_DF_IMAGE_YUYV, NV12 = VX_DF_IMAGE_NV12,
	NV21 = VX_DF_IMAGE_NV21, IYUV = VX_DF_IMAGE_IYUV, YUV4 = VX_DF_IMAGE_YUV4, U8 = VX_DF_IMAGE_U8, S16 = VX_DF_IMAGE_S16,
	R = VX_CHANNEL_R, G = VX_CHANNEL_G, B = VX_CHANNEL_B, A = VX_CHANNEL_A, Y = VX_CHANNEL_Y, U = VX_CHANNEL_U, V = VX_CHANNEL_V,
};
static const vx_df_image colours[] = {RGB, RGBX, UYVY, YUYV, NV12, NV21, IYUV, YUV4};

/* ---- where channels are ---- */
/* A value of a channel is for step_x columns and step_y rows; in a row of its plane it is sample first + stride * column. */
static const struct channel {
	vx_df_image format;
	vx_enum channel;
	unsigned plane, first, stride, step_x, step_y;
} channels[] = {
	{RGB, R, 0, 0, 3, 1, 1}, {RGB, G, 0, 1, 3, 1, 1}, {RGB, B, 0, 2, 3, 1, 1},
	{RGBX, R, 0, 0, 4, 1, 1}, {RGBX, G, 0, 1, 4, 1, 1}, {RGBX, B, 0, 2, 4, 1, 1}, {RGBX, A, 0, 3, 4, 1, 1},
	{UYVY, Y, 0, 1, 2, 1, 1}, {UYVY, U, 0, 0, 4, 2, 1}, {UYVY, V, 0, 2, 4, 2, 1},
	{YUYV, Y, 0, 0, 2, 1, 1}, {YUYV, U, 0, 1, 4, 2, 1}, {YUYV, V, 0, 3, 4, 2, 1},
	{NV12, Y, 0, 0, 1, 1, 1}, {NV12, U, 1, 0, 2, 2, 2}, {NV12, V, 1, 1, 2, 2, 2},
	{NV21, Y, 0, 0, 1, 1, 1}, {NV21, U, 1, 1, 2, 2, 2}, {NV21, V, 1, 0, 2, 2, 2},
	{IYUV, Y, 0, 0, 1, 1, 1}, {IYUV, U, 1, 0, 1, 2, 2}, {IYUV, V, 2, 0, 1, 2, 2},
	{YUV4, Y, 0, 0, 1, 1, 1}, {YUV4, U, 1, 0, 1, 1, 1}, {YUV4, V, 2, 0, 1, 1, 1},
};

static const struct channel *find_channel(vx_df_image format, vx_enum channel)
{
	for (size_t i = 0; i < COUNT(channels); i++)
		if (channels[i].format == format && channels[i].channel == channel)
			return &channels[i];
	return NULL;
}

static bool has_colours(vx_df_image format) { return format == RGB || format == RGBX; }

/* Column and row of the channel's own values. */
static int value_get(const struct pixels *p, const struct channel *c, vx_uint32 column, vx_uint32 row)
{
	return (int)sample_get(p, c->plane, c->first + c->stride * column, row);
}
static void value_set(const struct pixels *p, const struct channel *c, vx_uint32 column, vx_uint32 row, int v)
{
	sample_set(p, c->plane, c->first + c->stride * column, row, v);
}

/* Of a pixel of the image. */
static int channel_at(const struct pixels *p, vx_enum channel, vx_uint32 x, vx_uint32 y)
{
	const struct channel *c = find_channel(p->format, channel);
	return value_get(p, c, x / c->step_x, y / c->step_y);
}

/* ---- colours ---- */
struct space { vx_enum space; double red, blue; }; /* shares of luma */
static const struct space bt709 = {VX_COLOR_SPACE_BT709, 0.2126, 0.0722};

static int rounded(double v) { return v <= 0 ? 0 : v >= 255 ? 255 : (int)floor(v + 0.5); }

static int luma_or_chroma(const struct space *s, const struct pixels *p, vx_enum channel, vx_uint32 x, vx_uint32 y)
{
	const double r = channel_at(p, R, x, y), g = channel_at(p, G, x, y), b = channel_at(p, B, x, y);
	const double luma = s->red * r + (1 - s->red - s->blue) * g + s->blue * b;
	if (channel == Y)
		return rounded(luma);
	return rounded(128 + (channel == U ? (b - luma) / (2 * (1 - s->blue)) : (r - luma) / (2 * (1 - s->red))));
}

static int colour(const struct space *s, const struct pixels *p, vx_enum channel, vx_uint32 x, vx_uint32 y)
{
	const double luma = channel_at(p, Y, x, y), u = channel_at(p, U, x, y) - 128, v = channel_at(p, V, x, y) - 128;
	const double r = luma + 2 * (1 - s->red) * v, b = luma + 2 * (1 - s->blue) * u;
	if (channel == G)
		return rounded((luma - s->red * r - s->blue * b) / (1 - s->red - s->blue));
	return rounded(channel == R ? r : b);
}

/* What a pixel of the source has in a channel of another format. */
static int converted_pixel(const struct space *s, const struct pixels *from, vx_enum channel, vx_uint32 x, vx_uint32 y)
{
	const bool wants_colours = channel == R || channel == G || channel == B;
	if (channel == A)
		return 255;
	if (wants_colours == has_colours(from->format))
		return channel_at(from, channel, x, y);
	return wants_colours ? colour(s, from, channel, x, y) : luma_or_chroma(s, from, channel, x, y);
}

/* A value for several pixels is the mean of theirs, rounded down as in the conformance suite; one that several pixels of the
 * source share is each pixel's. */
static struct pixels convert(const struct space *s, const struct pixels *from, vx_df_image format)
{
	const struct pixels to = zero_pixels(from->width, from->height, format);
	for (size_t i = 0; i < COUNT(channels); i++) {
		const struct channel *c = &channels[i];
		for (vx_uint32 row = 0; c->format == format && row < to.height / c->step_y; row++) {
			for (vx_uint32 column = 0; column < to.width / c->step_x; column++) {
				unsigned sum = 0;
				for (unsigned k = 0; k < c->step_x * c->step_y; k++)
					sum += (unsigned)converted_pixel(s, from, c->channel, column * c->step_x + k % c->step_x,
									 row * c->step_y + k / c->step_x);
				value_set(&to, c, column, row, (int)(sum / (c->step_x * c->step_y)));
			}
		}
	}
	return to;
}

/* ---- color_convert ---- */
static const struct { vx_df_image from, to[4]; } conversions[] = {
	{RGB, {RGBX, NV12, IYUV, YUV4}}, {RGBX, {RGB, NV12, IYUV, YUV4}}, {NV12, {RGB, RGBX, IYUV, YUV4}},
	{NV21, {RGB, RGBX, IYUV, YUV4}}, {UYVY, {RGB, RGBX, NV12, IYUV}}, {YUYV, {RGB, RGBX, NV12, IYUV}},
	{IYUV, {RGB, RGBX, NV12, YUV4}},
};

static bool converts(vx_df_image from, vx_df_image to)
{
	for (size_t i = 0; i < COUNT(conversions); i++)
		for (unsigned k = 0; k < 4; k++)
			if (conversions[i].from == from && conversions[i].to[k] == to)
				return true;
	return false;
}

static vx_uint32 even(vx_uint32 v, unsigned a, unsigned b) { return (a == 2 || b == 2) && v % 2 ? v + 1 : v; }

/* Between colours and the others by one at most, as in the conformance suite: the specification rounds down, the suite to the
 * nearest. What is only moved is exact. */
static struct comparison nearness(vx_df_image from, vx_df_image to)
{
	return (struct comparison){.tolerance = has_colours(from) != has_colours(to)};
}

static void compare_conversion(vx_df_image from, vx_df_image to, vx_uint32 width, vx_uint32 height, bool at_once)
{
	struct pixels in = random_pixels(width, height, from), expected = convert(&bt709, &in, to);
	struct placed source = place_pixels(&in, random_place()), result = place_result(width, height, to, random_place());
	const struct comparison c = nearness(from, to);
	now_testing("color_convert of %.4s, %s, %s to %s", (const char *)&from, at_once ? "at once" : "node", place_names[source.place],
		    place_names[result.place]);
	if (at_once) {
		RAN(vxuColorConvert(context, source.image, result.image));
	} else {
		vx_graph graph = vxCreateGraph(context);
		run_node(&graph, vxColorConvertNode(graph, source.image, result.image));
	}
	check_result(&c, &expected, &result);
	check_unchanged(&in, &source);
}

static void all_conversions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(conversions); i++) {
		for (unsigned k = 0; k < 4; k++) {
			const vx_df_image from = conversions[i].from, to = conversions[i].to[k];
			for (size_t s = 0; s < COUNT(sizes); s++)
				for (int at_once = 0; at_once < 2; at_once++)
					compare_conversion(from, to, even(sizes[s].width, even_width(from), even_width(to)),
							   even(sizes[s].height, even_height(from), even_height(to)), at_once);
		}
	}
}

/* Implementations need no other space than BT.709: one that takes them converts with their coefficients. */
static void other_spaces(void **state)
{
	(void)state;
	static const struct space spaces[] = {{VX_COLOR_SPACE_BT601_525, 0.299, 0.114}, {VX_COLOR_SPACE_BT601_625, 0.299, 0.114}};
	static const struct { vx_df_image from, to; } pairs[] = {{RGB, NV12}, {RGBX, YUV4}, {IYUV, RGB}, {UYVY, RGBX}};
	for (size_t i = 0; i < COUNT(spaces) * COUNT(pairs); i++) {
		const struct space *s = &spaces[i / COUNT(pairs)];
		const vx_df_image from = pairs[i % COUNT(pairs)].from, to = pairs[i % COUNT(pairs)].to;
		struct pixels in = random_pixels(38, 6, from), expected = convert(s, &in, to);
		struct placed source = place_pixels(&in, PLACE_OWN), result = place_result(38, 6, to, PLACE_OWN);
		const struct comparison c = nearness(from, to);
		now_testing("color_convert of %.4s in space 0x%x", (const char *)&from, (unsigned)s->space);
		RAN(vxSetImageAttribute(source.image, VX_IMAGE_SPACE, &s->space, sizeof s->space));
		RAN(vxSetImageAttribute(result.image, VX_IMAGE_SPACE, &s->space, sizeof s->space));
		const vx_status status = vxuColorConvert(context, source.image, result.image);
		if (status == VX_ERROR_NOT_SUPPORTED) {
			print_message("# %s: not supported\n", what);
			free_pixels(&expected);
			expected = take_pixels(&result);
			free_pixels(&expected);
		} else {
			RAN(status);
			check_result(&c, &expected, &result);
		}
		check_unchanged(&in, &source);
	}
}

static void refuse_conversion(vx_status status, vx_df_image from, vx_df_image to, vx_uint32 width, vx_uint32 height)
{
	vx_image in = vxCreateImage(context, 16, 8, from), out = vxCreateImage(context, width, height, to);
	vx_graph graph = vxCreateGraph(context);
	now_testing("color_convert of %.4s to %.4s of %u x %u", (const char *)&from, (const char *)&to, width, height);
	CREATED(in);
	CREATED(out);
	refuse_node(status, &graph, vxColorConvertNode(graph, in, out));
	REFUSED(status, vxuColorConvert(context, in, out));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
}

static void wrong_conversions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(colours); i++) {
		for (size_t k = 0; k < COUNT(colours); k++) {
			if (converts(colours[i], colours[k]))
				refuse_conversion(VX_ERROR_INVALID_DIMENSION, colours[i], colours[k], k % 2 ? 16 : 18, k % 2 ? 10 : 8);
			else
				refuse_conversion(VX_ERROR_INVALID_FORMAT, colours[i], colours[k], 16, 8);
		}
		refuse_conversion(VX_ERROR_INVALID_FORMAT, colours[i], U8, 16, 8);
		refuse_conversion(VX_ERROR_INVALID_FORMAT, S16, colours[i], 16, 8);
	}
}

/* ---- channel_extract ---- */
/* The channel's own values: the conformance suite wants the size that they have, not that of the image. */
static struct pixels values_of(const struct pixels *p, const struct channel *c)
{
	const struct pixels values = zero_pixels(p->width / c->step_x, p->height / c->step_y, U8);
	for (vx_uint32 row = 0; row < values.height; row++)
		for (vx_uint32 column = 0; column < values.width; column++)
			pixel_set(&values, column, row, value_get(p, c, column, row));
	return values;
}

static void compare_extraction(const struct channel *c, vx_uint32 width, vx_uint32 height, bool at_once)
{
	struct pixels in = random_pixels(width, height, c->format), expected = values_of(&in, c);
	struct placed source = place_pixels(&in, random_place());
	struct placed result = place_result(expected.width, expected.height, U8, random_place());
	now_testing("channel_extract 0x%x of %.4s, %s, %s to %s", (unsigned)c->channel, (const char *)&c->format,
		    at_once ? "at once" : "node", place_names[source.place], place_names[result.place]);
	if (at_once) {
		RAN(vxuChannelExtract(context, source.image, c->channel, result.image));
	} else {
		vx_graph graph = vxCreateGraph(context);
		run_node(&graph, vxChannelExtractNode(graph, source.image, c->channel, result.image));
	}
	check_result(&(struct comparison){0}, &expected, &result);
	check_unchanged(&in, &source);
}

static void all_extractions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(channels); i++)
		for (size_t s = 0; s < COUNT(sizes); s++)
			for (int at_once = 0; at_once < 2; at_once++)
				compare_extraction(&channels[i], even(sizes[s].width, even_width(channels[i].format), 1),
						   even(sizes[s].height, even_height(channels[i].format), 1), at_once);
}

static void refuse_extraction(vx_status status, vx_df_image from, vx_enum channel, vx_df_image to, vx_uint32 width,
			      vx_uint32 height)
{
	vx_image in = vxCreateImage(context, 16, 8, from), out = vxCreateImage(context, width, height, to);
	vx_graph graph = vxCreateGraph(context);
	now_testing("channel_extract 0x%x of %.4s to %.4s of %u x %u", (unsigned)channel, (const char *)&from, (const char *)&to, width,
		    height);
	CREATED(in);
	CREATED(out);
	refuse_node(status, &graph, vxChannelExtractNode(graph, in, channel, out));
	REFUSED(status, vxuChannelExtract(context, in, channel, out));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
}

static void wrong_extractions(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(colours); i++) {
		for (vx_enum channel = R; channel <= V; channel++) {
			const struct channel *c = find_channel(colours[i], channel);
			if (!c) {
				refuse_extraction(VX_ERROR_INVALID_VALUE, colours[i], channel, U8, 16, 8);
				continue;
			}
			refuse_extraction(VX_ERROR_INVALID_DIMENSION, colours[i], channel, U8, 16 / c->step_x + 1, 8 / c->step_y);
			refuse_extraction(VX_ERROR_INVALID_DIMENSION, colours[i], channel, U8, 16 / c->step_x, 8 / c->step_y - 1);
			refuse_extraction(VX_ERROR_INVALID_FORMAT, colours[i], channel, S16, 16 / c->step_x, 8 / c->step_y);
		}
	}
	refuse_extraction(VX_ERROR_INVALID_FORMAT, U8, Y, U8, 16, 8);
	refuse_extraction(VX_ERROR_INVALID_FORMAT, S16, R, U8, 16, 8);
	refuse_extraction(VX_ERROR_INVALID_VALUE, RGB, VX_COLOR_SPACE_BT709, U8, 16, 8);
}

/* ---- channel_combine ---- */
/* The channels of a format in the order of the planes that they come from. */
static unsigned channels_of(vx_df_image format, const struct channel *found[4])
{
	unsigned count = 0;
	for (size_t i = 0; i < COUNT(channels); i++)
		if (channels[i].format == format)
			found[count++] = &channels[i];
	return count;
}

static void compare_combination(vx_df_image format, vx_uint32 width, vx_uint32 height, bool at_once)
{
	const struct channel *c[4] = {NULL};
	const unsigned count = channels_of(format, c);
	struct pixels expected = random_pixels(width, height, format), planes[4] = {{0}};
	struct placed sources[4] = {{0}}, result = place_result(width, height, format, random_place());
	vx_image in[4] = {NULL};
	now_testing("channel_combine, %s, to %s", at_once ? "at once" : "node", place_names[result.place]);
	for (unsigned i = 0; i < count; i++) {
		planes[i] = values_of(&expected, c[i]);
		sources[i] = place_pixels(&planes[i], random_place());
		in[i] = sources[i].image;
		add_testing(" %s", place_names[sources[i].place]);
	}
	if (at_once) {
		RAN(vxuChannelCombine(context, in[0], in[1], in[2], in[3], result.image));
	} else {
		vx_graph graph = vxCreateGraph(context);
		run_node(&graph, vxChannelCombineNode(graph, in[0], in[1], in[2], in[3], result.image));
	}
	check_result(&(struct comparison){0}, &expected, &result);
	for (unsigned i = 0; i < count; i++)
		check_unchanged(&planes[i], &sources[i]);
}

static void all_combinations(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(colours); i++)
		for (size_t s = 0; s < COUNT(sizes); s++)
			for (int at_once = 0; at_once < 2; at_once++)
				compare_combination(colours[i], even(sizes[s].width, even_width(colours[i]), 1),
						    even(sizes[s].height, even_height(colours[i]), 1), at_once);
}

/* Planes as they should be of an image of 16 x 8, but for one: another format, more columns, not there, or one too many. */
enum fault { FORMAT, WIDTH, MISSING, EXTRA, FAULTS };

static void refuse_combination(vx_df_image format, unsigned plane, enum fault fault)
{
	static const vx_status status[FAULTS] = {VX_ERROR_INVALID_FORMAT, VX_ERROR_INVALID_DIMENSION, VX_ERROR_INVALID_PARAMETERS,
						 VX_ERROR_INVALID_PARAMETERS};
	const struct channel *c[4] = {NULL};
	const unsigned count = channels_of(format, c);
	vx_image in[4] = {NULL}, out = vxCreateImage(context, 16, 8, format);
	vx_graph graph = vxCreateGraph(context);
	now_testing("channel_combine to %.4s, fault %d of plane %u", (const char *)&format, (int)fault, plane);
	CREATED(out);
	for (unsigned i = 0; i < count; i++) {
		const bool wrong = i == plane;
		if (wrong && fault == MISSING)
			continue;
		in[i] = vxCreateImage(context, 16 / c[i]->step_x + (wrong && fault == WIDTH), 8 / c[i]->step_y,
				      wrong && fault == FORMAT ? S16 : U8);
		CREATED(in[i]);
	}
	if (fault == EXTRA)
		in[plane] = image_u8(16, 8);
	refuse_node(status[fault], &graph, vxChannelCombineNode(graph, in[0], in[1], in[2], in[3], out));
	REFUSED(status[fault], vxuChannelCombine(context, in[0], in[1], in[2], in[3], out));
	for (unsigned i = 0; i < 4; i++)
		if (in[i])
			RAN(vxReleaseImage(&in[i]));
	RAN(vxReleaseImage(&out));
}

static void wrong_combinations(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(colours); i++) {
		const struct channel *c[4] = {NULL};
		const unsigned count = channels_of(colours[i], c);
		for (unsigned plane = 0; plane < count; plane++) {
			refuse_combination(colours[i], plane, FORMAT);
			refuse_combination(colours[i], plane, WIDTH);
			if (plane > 1)
				refuse_combination(colours[i], plane, MISSING);
		}
		if (count < 4)
			refuse_combination(colours[i], count, EXTRA);
	}
	/* no format of channels: one that has none, and none at all */
	vx_image in[] = {image_u8(16, 8), image_u8(16, 8), image_u8(16, 8)}, out = image_u8(16, 8);
	vx_graph graph = vxCreateGraph(context);
	now_testing("channel_combine to U8");
	refuse_node(VX_ERROR_INVALID_FORMAT, &graph, vxChannelCombineNode(graph, in[0], in[1], in[2], NULL, out));
	graph = vxCreateGraph(context);
	vx_image formless = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
	now_testing("channel_combine to an image without a format");
	vx_node node = vxChannelCombineNode(graph, in[0], in[1], in[2], NULL, formless);
	RAN(vxReleaseImage(&formless));
	refuse_node(VX_ERROR_INVALID_FORMAT, &graph, node);
	RAN(vxReleaseImage(&out));
	for (unsigned i = 0; i < 3; i++)
		RAN(vxReleaseImage(&in[i]));
}

/* ---- together ---- */
/* Colours to a virtual image of planes, a channel of it to another virtual image, and that to the result. */
static void chain(void **state)
{
	(void)state;
	for (vx_enum channel = Y; channel <= V; channel++) {
		struct pixels in = random_pixels(70, 34, RGB), planes = convert(&bt709, &in, IYUV);
		struct pixels expected = values_of(&planes, find_channel(IYUV, channel));
		struct placed source = place_pixels(&in, PLACE_HANDLE);
		struct placed result = place_result(expected.width, expected.height, U8, PLACE_REGION);
		vx_graph graph = vxCreateGraph(context);
		vx_image middle = vxCreateVirtualImage(graph, 0, 0, IYUV), single = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
		vx_uint32 width = 0;
		now_testing("color_convert, channel_extract 0x%x and copy", (unsigned)channel);
		CREATED(vxCopyNode(graph, (vx_reference)single, (vx_reference)result.image));
		CREATED(vxChannelExtractNode(graph, middle, channel, single));
		CREATED(vxColorConvertNode(graph, source.image, middle));
		RAN(vxVerifyGraph(graph));
		RAN(vxQueryImage(single, VX_IMAGE_WIDTH, &width, sizeof width));
		assert_int_equal(width, expected.width);
		RAN(vxProcessGraph(graph));
		RAN(vxReleaseImage(&middle));
		RAN(vxReleaseImage(&single));
		RAN(vxReleaseGraph(&graph));
		check_result(&(struct comparison){.tolerance = 1}, &expected, &result);
		check_unchanged(&in, &source);
		free_pixels(&planes);
	}
}

/* Images that are a plane of another one, read and written. */
static void channel_images(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(channels); i++) {
		const struct channel *c = &channels[i];
		if (c->stride != 1)
			continue;
		struct pixels in = random_pixels(34, 6, c->format), values = values_of(&in, c);
		struct pixels complement = zero_pixels(values.width, values.height, U8);
		struct pixels fresh = random_pixels(values.width, values.height, U8);
		struct placed whole = place_pixels(&in, random_place());
		struct placed result = place_result(values.width, values.height, U8, random_place());
		struct placed source = place_pixels(&fresh, random_place());
		vx_image plane = vxCreateImageFromChannel(whole.image, c->channel);
		now_testing("not of channel 0x%x of %.4s, %s", (unsigned)c->channel, (const char *)&c->format, place_names[whole.place]);
		CREATED(plane);
		for (size_t k = 0; k < bytes_in_all(&values); k++)
			complement.bytes[k] = (uint8_t)~values.bytes[k];
		RAN(vxuNot(context, plane, result.image));
		check_result(&(struct comparison){0}, &complement, &result);
		now_testing("not to channel 0x%x of %.4s, %s", (unsigned)c->channel, (const char *)&c->format, place_names[whole.place]);
		RAN(vxuNot(context, source.image, plane));
		RAN(vxReleaseImage(&plane));
		for (vx_uint32 row = 0; row < values.height; row++)
			for (vx_uint32 column = 0; column < values.width; column++)
				value_set(&in, c, column, row, (int)(255 - pixel_get(&fresh, column, row)));
		check_result(&(struct comparison){0}, &in, &whole);
		check_unchanged(&fresh, &source);
		free_pixels(&values);
	}
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_conversions), cmocka_unit_test(other_spaces), cmocka_unit_test(wrong_conversions),
		cmocka_unit_test(all_extractions), cmocka_unit_test(wrong_extractions), cmocka_unit_test(all_combinations),
		cmocka_unit_test(wrong_combinations), cmocka_unit_test(chain), cmocka_unit_test(channel_images),
	};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
