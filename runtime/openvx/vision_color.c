/* Kernels of images of several channels: color_convert, channel_extract, channel_combine. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/launch.h"
#include <stdio.h>

/* What kernels/color.cl calls a format, and the channels that it has. */
struct layout {
	vx_df_image format;
	const char *name;
	vx_enum first;       /* enum vx_channel_e of channel 0; the others follow it in order */
	const char *single;  /* what a channel of U or V is by itself */
	const char *planes;  /* a format of as many planes as it has channels, of the same sizes */
};

static const struct layout layouts[] = {
	{VX_DF_IMAGE_RGB, "rgb", VX_CHANNEL_R, "channel", "yuv4"},
	{VX_DF_IMAGE_RGBX, "rgbx", VX_CHANNEL_R, "channel", "yuv4"},
	{VX_DF_IMAGE_NV12, "nv12", VX_CHANNEL_Y, "channel_420", "iyuv"},
	{VX_DF_IMAGE_NV21, "nv21", VX_CHANNEL_Y, "channel_420", "iyuv"},
	{VX_DF_IMAGE_UYVY, "uyvy", VX_CHANNEL_Y, "channel_422", "planes_422"},
	{VX_DF_IMAGE_YUYV, "yuyv", VX_CHANNEL_Y, "channel_422", "planes_422"},
	{VX_DF_IMAGE_IYUV, "iyuv", VX_CHANNEL_Y, "channel_420", "iyuv"},
	{VX_DF_IMAGE_YUV4, "yuv4", VX_CHANNEL_Y, "channel", "yuv4"},
};

static const struct layout *layout_of(vx_df_image format)
{
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (layouts[i].format == format)
			return &layouts[i];
	return NULL;
}

/* Its channels; width and height are multiples of what U and V are subsampled by. */
static const struct format *info(const struct layout *f) { return format_find(f->format); }

static bool is_rgb(const struct layout *f) { return f->first == VX_CHANNEL_R; }

/* Factors between R, G, B and Y, U, V: twin of colors_t in kernels/color.cl. */
struct colors {
	cl_double g_u;
	cl_float r_y, g_y, b_y, r_u, b_u, r_v, g_v, b_v;
	cl_float v_r, u_g, v_g, u_b;
};

static const struct colors bt709 = {
	.r_y = 0.2126f, .g_y = 0.7152f, .b_y = 0.0722f,
	.r_u = -0.1146f, .g_u = -0.3854, .b_u = 0.5f,
	.r_v = 0.5f, .g_v = -0.4542f, .b_v = -0.0458f,
	.v_r = 1.5748f, .u_g = -0.1873f, .v_g = -0.4681f, .u_b = 1.8556f,
};

static const struct colors bt601 = {
	.r_y = 0.299f, .g_y = 0.587f, .b_y = 0.114f,
	.r_u = -0.168736f, .g_u = -0.331264, .b_u = 0.5f,
	.r_v = 0.5f, .g_v = -0.418688f, .b_v = -0.081312f,
	.v_r = 1.402f, .u_g = -0.344136f, .v_g = -0.714136f, .u_b = 1.772f,
};

static const struct colors *colors_of(const struct _vx_image *yuv)
{
	return yuv->space == VX_COLOR_SPACE_BT601_525 || yuv->space == VX_COLOR_SPACE_BT601_625 ? &bt601 : &bt709;
}

/* ---- the kernel of all three ---- */
enum { PLANES_IN = 4, PLANES_OUT = 3 };

/* Planes, as the kernel takes them: of images. */
struct planes {
	vx_image image[PLANES_IN];
	unsigned plane[PLANES_IN];
};

struct conversion {
	const char *from, *to, *convert;
	unsigned channel;           /* which is left, when to is a channel */
	struct planes in, out;
	vx_uint32 width, height;    /* of the image of several channels */
	const struct colors *colors;
};

/* Those of an image; the last again instead of those that it has not. */
static struct planes planes_of(vx_image image)
{
	struct planes p;
	for (unsigned i = 0; i < PLANES_IN; i++) {
		p.image[i] = image;
		p.plane[i] = i < image->info->planes ? i : image->info->planes - 1;
	}
	return p;
}

static vx_status launch_conversion(struct launch *l, const struct conversion *c)
{
	char options[96];
	snprintf(options, sizeof options, "-DFROM=%s -DTO=%s -DCONVERT=%s -DCHANNEL=c%u", c->from, c->to, c->convert, c->channel);
	launch_kernel(l, "color", options, "channels");
	for (unsigned i = 0; i < PLANES_IN; i++)
		args(l, PLANE(c->in.image[i], c->in.plane[i]));
	for (unsigned i = 0; i < PLANES_OUT; i++)
		args(l, PLANE(c->out.image[i], c->out.plane[i]));
	args(l, INT(c->width), INT(c->height), STRUCT(*c->colors));
	return launch_2d(l, (c->width + 7) / 8, (c->height + 1) / 2);
}

/* Sizes of images whose U and V are subsampled are even, in what direction they are. */
static vx_status want_divisible(struct check *c, unsigned index, const struct _vx_image *image, const struct layout *f)
{
	if (image->width % info(f)->even_x || image->height % info(f)->even_y)
		return refuse(c, index, VX_ERROR_INVALID_DIMENSION, "%u x %u pixels: %.4s needs multiples of %u and %u",
			      image->width, image->height, (const char *)&f->format, info(f)->even_x, info(f)->even_y);
	return VX_SUCCESS;
}

/* ---- color_convert: input, output ---- */
static const struct {
	vx_df_image from, to[5];
} pairs[] = {
	{VX_DF_IMAGE_RGB, {VX_DF_IMAGE_RGBX, VX_DF_IMAGE_NV12, VX_DF_IMAGE_IYUV, VX_DF_IMAGE_YUV4}},
	{VX_DF_IMAGE_RGBX, {VX_DF_IMAGE_RGB, VX_DF_IMAGE_NV12, VX_DF_IMAGE_IYUV, VX_DF_IMAGE_YUV4}},
	{VX_DF_IMAGE_NV12, {VX_DF_IMAGE_RGB, VX_DF_IMAGE_RGBX, VX_DF_IMAGE_IYUV, VX_DF_IMAGE_YUV4}},
	{VX_DF_IMAGE_NV21, {VX_DF_IMAGE_RGB, VX_DF_IMAGE_RGBX, VX_DF_IMAGE_IYUV, VX_DF_IMAGE_YUV4}},
	{VX_DF_IMAGE_UYVY, {VX_DF_IMAGE_RGB, VX_DF_IMAGE_RGBX, VX_DF_IMAGE_NV12, VX_DF_IMAGE_IYUV}},
	{VX_DF_IMAGE_YUYV, {VX_DF_IMAGE_RGB, VX_DF_IMAGE_RGBX, VX_DF_IMAGE_NV12, VX_DF_IMAGE_IYUV}},
	{VX_DF_IMAGE_IYUV, {VX_DF_IMAGE_RGB, VX_DF_IMAGE_RGBX, VX_DF_IMAGE_NV12, VX_DF_IMAGE_YUV4}},
};

static bool is_pair(vx_df_image from, vx_df_image to)
{
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		for (const vx_df_image *t = pairs[i].to; pairs[i].from == from && *t; t++)
			if (*t == to)
				return true;
	return false;
}

static vx_status check_color_convert(struct check *c, const vx_reference *p)
{
	const struct _vx_image *in = (vx_image)p[0], *out = (vx_image)p[1];
	/* vxColorConvertNode: the pairs of formats that the table lists; so that of the output is known, even of a virtual one */
	if (!is_pair(in->format, out->format))
		return refuse(c, 1, VX_ERROR_INVALID_FORMAT, "%.4s is not converted to %.4s", (const char *)&in->format,
			      (const char *)&out->format);
	TRY(want_divisible(c, 0, in, layout_of(out->format)));
	/* vxColorConvertNode: as many pixels as the input has */
	return gives_image(c, 1, in->width, in->height, out->format);
}

static vx_status run_color_convert(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0], out = (vx_image)p[1];
	const struct layout *from = layout_of(in->format), *to = layout_of(out->format);
	struct conversion c = {
		.from = from->name, .to = to->name, .convert = "keep",
		.in = planes_of(in), .out = planes_of(out),
		.width = in->width, .height = in->height, .colors = &bt709,
	};
	if (is_rgb(from) && !is_rgb(to)) {
		c.convert = "rgb_to_yuv";
		c.colors = colors_of(out);
	} else if (!is_rgb(from) && is_rgb(to)) {
		c.convert = "yuv_to_rgb";
		c.colors = colors_of(in);
	}
	return launch_conversion(l, &c);
}

/* ---- channel_extract: input, channel, output ---- */
static vx_status check_channel_extract(struct check *c, const vx_reference *p)
{
	const struct _vx_image *in = (vx_image)p[0];
	const struct layout *f = layout_of(in->format);
	/* vxChannelExtractNode: an image of several channels */
	REFUSE_IF(!f, c, 0, VX_ERROR_INVALID_FORMAT, "%.4s has no channels", (const char *)&in->format);
	/* vxChannelExtractNode: one of its channels */
	TRY(want_scalar(c, 1, VX_TYPE_ENUM));
	const vx_enum channel = scalar_int((vx_scalar)p[1]);
	if (channel < f->first || channel >= f->first + (vx_enum)info(f)->channels)
		return refuse(c, 1, VX_ERROR_INVALID_VALUE, "%.4s has no channel 0x%x", (const char *)&in->format,
			      (unsigned)channel);
	const bool scaled = channel > f->first && info(f)->even_x > 1;
	const vx_uint32 width = in->width / (scaled ? info(f)->even_x : 1), height = in->height / (scaled ? info(f)->even_y : 1);
	if (scaled)
		valid_whole(c, 2);
	/* vxChannelExtractNode: U8, of the size that the channel has */
	return gives_image(c, 2, width, height, VX_DF_IMAGE_U8);
}

static vx_status run_channel_extract(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	const struct layout *f = layout_of(in->format);
	const unsigned channel = (unsigned)(scalar_int((vx_scalar)p[1]) - f->first);
	return launch_conversion(l, &(struct conversion){
		.from = f->name, .to = channel ? f->single : "channel", .convert = "keep", .channel = channel,
		.in = planes_of(in), .out = planes_of((vx_image)p[2]),
		.width = in->width, .height = in->height, .colors = &bt709,
	});
}

/* ---- channel_combine: plane0, plane1, plane2, plane3, output ---- */
static vx_status check_channel(struct check *c, const vx_reference *p, unsigned index, const struct layout *f)
{
	const struct _vx_image *whole = (vx_image)p[0], *image = (vx_image)p[index];
	const bool wanted = index < info(f)->channels;
	/* vxChannelCombineNode: as many channels as the format has, no more */
	if (wanted != (image != NULL))
		return refuse(c, index, VX_ERROR_INVALID_PARAMETERS, "%.4s has %u channels", (const char *)&f->format,
			      info(f)->channels);
	if (!image)
		return VX_SUCCESS;
	/* vxChannelCombineNode: U8, subsampled as the format has it */
	TRY(want_format(c, index, VX_DF_IMAGE_U8));
	const vx_uint32 width = whole->width / (index ? info(f)->even_x : 1), height = whole->height / (index ? info(f)->even_y : 1);
	if (image->width != width || image->height != height)
		return refuse(c, index, VX_ERROR_INVALID_DIMENSION, "%u x %u pixels, where channel %u of %.4s has %u x %u",
			      image->width, image->height, index, (const char *)&f->format, width, height);
	return VX_SUCCESS;
}

static vx_status check_channel_combine(struct check *c, const vx_reference *p)
{
	const struct _vx_image *whole = (vx_image)p[0], *out = (vx_image)p[4];
	const struct layout *f = layout_of(out->format);
	/* vxChannelCombineNode: the format of the output is given, even of a virtual one */
	REFUSE_IF(!f, c, 4, VX_ERROR_INVALID_FORMAT, "%.4s has no channels", (const char *)&out->format);
	for (unsigned i = 0; i < PLANES_IN; i++)
		TRY(check_channel(c, p, i, f));
	TRY(want_divisible(c, 0, whole, f));
	if (info(f)->even_x > 1)
		valid_whole(c, 4);
	return gives_image(c, 4, whole->width, whole->height, out->format);
}

static vx_status run_channel_combine(struct launch *l, const vx_reference *p)
{
	vx_image out = (vx_image)p[4];
	const struct layout *f = layout_of(out->format);
	struct conversion c = {
		.from = f->planes, .to = f->name, .convert = "keep",
		.out = planes_of(out),
		.width = out->width, .height = out->height, .colors = &bt709,
	};
	for (unsigned i = 0; i < PLANES_IN; i++)
		c.in.image[i] = (vx_image)p[p[i] ? i : 0];
	return launch_conversion(l, &c);
}

const struct vision_kernel vision_color_convert = {.check = check_color_convert, .run = run_color_convert, .any_border = true};
const struct vision_kernel vision_channel_extract = {.check = check_channel_extract, .run = run_channel_extract, .any_border = true};
const struct vision_kernel vision_channel_combine = {.check = check_channel_combine, .run = run_channel_combine, .any_border = true};
