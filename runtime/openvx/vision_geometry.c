/* Kernels that move pixels: scale_image, warp_affine, warp_perspective, remap. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/launch.h"
#include <stdio.h>

/* How the kernels of geometry.cl are called. The first one is what is done without the optional parameter. */
static const struct { vx_enum interpolation; const char *name; } interpolations[] = {
	{VX_INTERPOLATION_NEAREST_NEIGHBOR, "nearest"},
	{VX_INTERPOLATION_BILINEAR, "bilinear"},
	{VX_INTERPOLATION_AREA, "area"},
};

static const char *interpolation_name(vx_reference type)
{
	const vx_enum wanted = type ? scalar_int((vx_scalar)type) : interpolations[0].interpolation;
	for (size_t i = 0; i < sizeof interpolations / sizeof *interpolations; i++)
		if (interpolations[i].interpolation == wanted)
			return interpolations[i].name;
	return interpolations[0].name;
}

static void begin(struct launch *l, const char *what, vx_reference interpolation, vx_image in, vx_image out)
{
	char name[32];
	const vx_rectangle_t window = image_readable(in);
	snprintf(name, sizeof name, "%s_%s", what, interpolation_name(interpolation));
	launch_kernel(l, "geometry", in->format == VX_DF_IMAGE_U1 ? "-DBITS=1" : "-DBITS=8", name, PLANE(in, 0), STRUCT(window),
		      BORDER(in->format), PLANE(out, 0));
}

/* Eight pixels a work-item: of bits, a byte. */
static vx_status launch_eighths(struct launch *l, vx_image out) { return launch_2d(l, ((size_t)out->width + 7) / 8, out->height); }

/* ---- scale_image ---- */
static vx_status scale_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0], out = (vx_image)p[1];
	/* vxScaleImageNode: images of bytes or bits, both of the same format */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_U1));
	/* vxScaleImageNode: the destination says which size and format it has */
	if (!out->width || !out->height || out->format == VX_DF_IMAGE_VIRT)
		return refuse(c, 1, VX_ERROR_INVALID_PARAMETERS, "an image without a size or a format of its own");
	/* vxScaleImageNode: one of the three interpolations */
	TRY(want_enum(c, 2, VX_INTERPOLATION_NEAREST_NEIGHBOR, VX_INTERPOLATION_BILINEAR, VX_INTERPOLATION_AREA));
	valid_whole(c, 1);
	return gives_image(c, 1, out->width, out->height, in->format);
}

static vx_status scale_run(struct launch *l, const vx_reference *p)
{
	vx_image out = (vx_image)p[1];
	begin(l, "scale", p[2], (vx_image)p[0], out);
	return launch_eighths(l, out);
}

const struct vision_kernel vision_scale_image = {.check = scale_check, .run = scale_run, .any_border = true};

/* ---- warp_affine, warp_perspective ---- */
static vx_status warp_check(struct check *c, const vx_reference *p, vx_size columns, const vx_df_image *formats)
{
	vx_image in = (vx_image)p[0], out = (vx_image)p[3];
	vx_matrix matrix = (vx_matrix)p[1];
	TRY(want_format_of(c, 0, formats));
	/* vxWarpAffineNode, vxWarpPerspectiveNode: a matrix of 2x3 or 3x3 floats */
	if (matrix->data_type != VX_TYPE_FLOAT32)
		return refuse(c, 1, VX_ERROR_INVALID_TYPE, "a matrix of %s, where one of floats is needed", type_name(matrix->data_type));
	if (matrix->columns != columns || matrix->rows != 3)
		return refuse(c, 1, VX_ERROR_INVALID_DIMENSION, "a matrix of %zu columns and %zu rows, where %zu and 3 are needed",
			      matrix->columns, matrix->rows, columns);
	/* vxWarpAffineNode, vxWarpPerspectiveNode: no interpolation of areas */
	TRY(want_enum(c, 2, VX_INTERPOLATION_NEAREST_NEIGHBOR, VX_INTERPOLATION_BILINEAR));
	valid_whole(c, 3);
	/* the positions are those of the output's pixels, so it may have any size; without one it gets the input's */
	return gives_image(c, 3, out->width ? out->width : in->width, out->height ? out->height : in->height, in->format);
}

static vx_status warp_run(struct launch *l, const vx_reference *p, const char *what)
{
	vx_image out = (vx_image)p[3];
	begin(l, what, p[2], (vx_image)p[0], out);
	args(l, READ(&((vx_matrix)p[1])->store));
	return launch_eighths(l, out);
}

/* vxWarpAffineNode: images of bytes or of bits; vxWarpPerspectiveNode: of bytes */
static vx_status affine_check(struct check *c, const vx_reference *p)
{
	return warp_check(c, p, 2, (const vx_df_image[]){VX_DF_IMAGE_U8, VX_DF_IMAGE_U1, 0});
}
static vx_status affine_run(struct launch *l, const vx_reference *p) { return warp_run(l, p, "affine"); }
static vx_status perspective_check(struct check *c, const vx_reference *p)
{
	return warp_check(c, p, 3, (const vx_df_image[]){VX_DF_IMAGE_U8, 0});
}
static vx_status perspective_run(struct launch *l, const vx_reference *p) { return warp_run(l, p, "perspective"); }

const struct vision_kernel vision_warp_affine = {.check = affine_check, .run = affine_run, .any_border = true, .resets_valid = true};
const struct vision_kernel vision_warp_perspective = {.check = perspective_check, .run = perspective_run, .any_border = true, .resets_valid = true};

/* ---- remap ---- */
static vx_status remap_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	vx_remap table = (vx_remap)p[1];
	/* vxRemapNode: images of bytes */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	/* vxCreateRemap: the table is for images of these sizes */
	if (in->width != table->source_width || in->height != table->source_height)
		return refuse(c, 0, VX_ERROR_INVALID_DIMENSION, "%u x %u pixels, where the table is for %u x %u", in->width, in->height,
			      table->source_width, table->source_height);
	/* vxRemapNode: no interpolation of areas */
	TRY(want_enum(c, 2, VX_INTERPOLATION_NEAREST_NEIGHBOR, VX_INTERPOLATION_BILINEAR));
	valid_whole(c, 3);
	return gives_image(c, 3, table->width, table->height, VX_DF_IMAGE_U8);
}

static vx_status remap_run(struct launch *l, const vx_reference *p)
{
	vx_image out = (vx_image)p[3];
	begin(l, "remap", p[2], (vx_image)p[0], out);
	args(l, READ(&((vx_remap)p[1])->store));
	return launch_eighths(l, out);
}

const struct vision_kernel vision_remap = {.check = remap_check, .run = remap_run, .any_border = true, .resets_valid = true};
