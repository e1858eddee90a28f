/* Kernels that halve and double images: halfscale_gaussian, gaussian_pyramid, laplacian_pyramid, laplacian_reconstruct. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/launch.h"

/* Scale Image, Object: Pyramid: an odd size is rounded up. */
static vx_uint32 halved(vx_uint32 size, vx_size times)
{
	for (; times && size > 1; times--)
		size = size / 2 + size % 2;
	return size;
}

/* ---- images of the node ---- */
/* An image of a parameter, or one of bytes or of 16 bits that lies in the node's scratch buffer. */
struct picture {
	vx_image image; /* NULL: in scratch */
	cl_mem mem;
	struct plane_arg plane;
	vx_uint32 width, height;
};

/* The node's buffer: all images that lie between its launches, one behind the other. */
struct scratch_images {
	cl_mem mem;
	size_t pixel, used; /* bytes of a pixel; of images so far */
};

static struct picture picture_of(vx_image image)
{
	return (struct picture){.image = image, .width = image->width, .height = image->height};
}

static void arg_picture(struct launch *l, const struct picture *p)
{
	if (p->image)
		args(l, PLANE(p->image, 0));
	else
		args(l, MEM(p->mem), STRUCT(p->plane));
}

/* Room for an image as large as each level of a pyramid but the first. */
static struct scratch_images scratch_open(struct launch *l, const struct _vx_pyramid *pyramid, vx_df_image format)
{
	struct scratch_images s = {.pixel = format == VX_DF_IMAGE_U8 ? 1 : 2};
	size_t bytes = 0;
	for (vx_size i = 1; i < pyramid->num_levels; i++)
		bytes += (size_t)pyramid->levels[i]->width * pyramid->levels[i]->height * s.pixel;
	if (bytes)
		s.mem = launch_scratch(l, 0, bytes);
	return s;
}

static struct picture scratch_picture(struct scratch_images *s, const struct _vx_image *like)
{
	const cl_int width = (cl_int)like->width, height = (cl_int)like->height, pixel = (cl_int)s->pixel;
	const struct plane_arg plane = {
		.offset = (cl_uint)s->used, .width = width, .height = height, .stride_x = pixel, .stride_y = width * pixel,
	};
	s->used += (size_t)like->width * like->height * s->pixel;
	return (struct picture){.mem = s->mem, .plane = plane, .width = like->width, .height = like->height};
}

/* ---- halfscale_gaussian ---- */
static const char *const gaussians[] = {"gaussian_u8_1", "gaussian_u8_3", "gaussian_u8_5"}; /* by radius */

/* Pixels of the Gaussian: 3, when nothing is said. */
static vx_int32 pixels_of(vx_reference size) { return size ? scalar_int((vx_scalar)size) : 3; }

static vx_status half_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	/* vxHalfScaleGaussianNode: bytes or bits */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_U1));
	/* vxHalfScaleGaussianNode: a Gaussian of 1, 3 or 5 pixels */
	TRY(want_int(c, 2, VX_TYPE_INT32, "a Gaussian of", " pixels", 1, 3, 5));
	valid_whole(c, 1);
	/* vxHalfScaleGaussianNode: the format of the input, and half of its size, rounded up */
	return gives_image(c, 1, halved(in->width, 1), halved(in->height, 1), in->format);
}

static vx_status half_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0], out = (vx_image)p[1];
	const bool is_bits = in->format == VX_DF_IMAGE_U1;
	const vx_int32 size = pixels_of(p[2]);
	const unsigned radius = size == 1 ? 0 : size == 5 ? 2 : 1;
	launch_kernel(l, is_bits ? "filters" : "pyramids", "", is_bits ? "half_u1" : gaussians[radius], PLANE(in, 0), PLANE(out, 0),
		      BORDER(in->format));
	if (!is_bits)
		return launch_2d(l, out->width, out->height);
	args(l, INT(radius));
	return launch_2d(l, ((size_t)out->width + 7) / 8, out->height); /* a work-item a byte */
}

const struct vision_kernel vision_halfscale_gaussian = {.check = half_check, .run = half_run, .any_border = true};

/* ---- gaussian_pyramid ---- */
static vx_status gaussian_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	const struct _vx_pyramid *pyramid = (vx_pyramid)p[1];
	/* vxGaussianPyramidNode: of bytes */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	/* Gaussian Image Pyramid: levels by a half, or by the fourth root of it */
	if (pyramid->scale != VX_SCALE_PYRAMID_HALF && pyramid->scale != VX_SCALE_PYRAMID_ORB)
		return refuse(c, 1, VX_ERROR_INVALID_VALUE, "a scale of %g", (double)pyramid->scale);
	/* Gaussian Image Pyramid: the first level is as large as the input */
	return gives_pyramid(c, 1, pyramid->num_levels, pyramid->scale, in->width, in->height, VX_DF_IMAGE_U8);
}

static vx_status gaussian_run(struct launch *l, const vx_reference *p)
{
	const struct _vx_pyramid *pyramid = (vx_pyramid)p[1];
	vx_image level = pyramid->levels[0];
	launch_kernel(l, "pyramids", "", "copy_u8", PLANE((vx_image)p[0], 0), PLANE(level, 0));
	launch_2d(l, ((size_t)level->width + 7) / 8, level->height); /* a work-item eight pixels */
	for (vx_size i = 1; i < pyramid->num_levels; i++) {
		launch_kernel(l, "pyramids", "", gaussians[2], PLANE(level, 0));
		level = pyramid->levels[i];
		args(l, PLANE(level, 0), BORDER(VX_DF_IMAGE_U8));
		launch_2d(l, level->width, level->height);
	}
	return l->status;
}

const struct vision_kernel vision_gaussian_pyramid = {.check = gaussian_check, .run = gaussian_run, .any_border = true};

/* ---- laplacian_pyramid ---- */
static vx_status laplacian_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	const struct _vx_pyramid *pyramid = (vx_pyramid)p[1];
	const vx_size levels = pyramid->num_levels;
	/* vxLaplacianPyramidNode: of bytes or of 16 bits */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_S16));
	valid_whole(c, 2);
	/* Laplacian Image Pyramid: levels by a half, of 16 bits, the first as large as the input */
	TRY(gives_pyramid(c, 1, levels, VX_SCALE_PYRAMID_HALF, in->width, in->height, VX_DF_IMAGE_S16));
	/* vxLaplacianPyramidNode: the output has the input's format, and is the Gaussian level behind the last one */
	return gives_image(c, 2, halved(in->width, levels), halved(in->height, levels), in->format);
}

/* The next level of a Gaussian pyramid. Laplacian Image Pyramid: borders are replicated, whatever the node's border is. */
static void smaller(struct launch *l, const struct picture *from, const struct picture *to, vx_df_image format)
{
	launch_kernel(l, "pyramids", "", format == VX_DF_IMAGE_U8 ? gaussians[2] : "gaussian_s16_5");
	arg_picture(l, from);
	arg_picture(l, to);
	args(l, INT(VX_BORDER_REPLICATE), INT(0));
	launch_2d(l, to->width, to->height);
}

/* A kernel that combines an image with a smaller one; a work-item a pixel of the smaller one. */
static void combine(struct launch *l, const char *kernel, const struct picture *small, const struct picture *from,
		    const struct picture *to)
{
	launch_kernel(l, "pyramids", "", kernel);
	arg_picture(l, small);
	arg_picture(l, from);
	arg_picture(l, to);
	launch_2d(l, halved(to->width, 1), halved(to->height, 1));
}

static vx_status laplacian_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	const struct _vx_pyramid *pyramid = (vx_pyramid)p[1];
	const char *kernel = in->format == VX_DF_IMAGE_U8 ? "laplacian_u8" : "laplacian_s16";
	struct scratch_images scratch = scratch_open(l, pyramid, in->format);
	struct picture larger = picture_of(in);
	for (vx_size i = 0; i < pyramid->num_levels; i++) {
		const bool is_last = i + 1 == pyramid->num_levels;
		const struct picture level = picture_of(pyramid->levels[i]);
		const struct picture small = is_last ? picture_of((vx_image)p[2])
						     : scratch_picture(&scratch, pyramid->levels[i + 1]);
		smaller(l, &larger, &small, in->format);
		combine(l, kernel, &small, &larger, &level);
		larger = small;
	}
	return l->status;
}

const struct vision_kernel vision_laplacian_pyramid = {.check = laplacian_check, .run = laplacian_run, .any_border = true};

/* ---- laplacian_reconstruct ---- */
static vx_status reconstruct_check(struct check *c, const vx_reference *p)
{
	const struct _vx_pyramid *pyramid = (vx_pyramid)p[0];
	vx_image in = (vx_image)p[1];
	const vx_size levels = pyramid->num_levels;
	const vx_uint32 width = halved(pyramid->width, levels), height = halved(pyramid->height, levels);
	/* vxLaplacianReconstructNode: a pyramid of 16 bits, as vxLaplacianPyramidNode makes it */
	REFUSE_IF(pyramid->format != VX_DF_IMAGE_S16, c, 0, VX_ERROR_INVALID_FORMAT, "a pyramid of format %.4s", (const char *)&pyramid->format);
	REFUSE_IF(pyramid->scale != VX_SCALE_PYRAMID_HALF, c, 0, VX_ERROR_INVALID_VALUE, "a scale of %g", (double)pyramid->scale);
	/* vxLaplacianReconstructNode: bytes or 16 bits, the level behind the pyramid's last one */
	TRY(want_format(c, 1, VX_DF_IMAGE_U8, VX_DF_IMAGE_S16));
	if (in->width != width || in->height != height)
		return refuse(c, 1, VX_ERROR_INVALID_DIMENSION, "%u x %u pixels, where the pyramid goes on with %u x %u",
			      in->width, in->height, width, height);
	valid_whole(c, 2);
	/* vxLaplacianReconstructNode: the input's format, the pyramid's size */
	return gives_image(c, 2, pyramid->width, pyramid->height, in->format);
}

static vx_status reconstruct_run(struct launch *l, const vx_reference *p)
{
	/* by whether the smaller, and the larger image are of 16 bits */
	static const char *const kernels[2][2] = {{"reconstruct_u8_u8", "reconstruct_u8_s16"},
						  {"reconstruct_s16_u8", "reconstruct_s16_s16"}};
	const struct _vx_pyramid *pyramid = (vx_pyramid)p[0];
	vx_image in = (vx_image)p[1], out = (vx_image)p[2];
	struct scratch_images scratch = scratch_open(l, pyramid, VX_DF_IMAGE_S16);
	struct picture small = picture_of(in);
	bool is_wide = in->format == VX_DF_IMAGE_S16;
	for (vx_size i = pyramid->num_levels; i-- > 0;) {
		const struct picture level = picture_of(pyramid->levels[i]);
		const struct picture larger = i ? scratch_picture(&scratch, pyramid->levels[i]) : picture_of(out);
		const bool gets_wide = i || out->format == VX_DF_IMAGE_S16;
		combine(l, kernels[is_wide][gets_wide], &small, &level, &larger);
		small = larger;
		is_wide = gets_wide;
	}
	return l->status;
}

const struct vision_kernel vision_laplacian_reconstruct = {.check = reconstruct_check, .run = reconstruct_run, .any_border = true};
