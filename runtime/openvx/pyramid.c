/* Pyramids: images, each so much smaller than the one before (OpenVX 1.3, vx_pyramid). */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/check.h"
#include "runtime/openvx/image.h"
#include <math.h>
#include <stdlib.h>

enum { PIXELS_MAX = INT32_MAX / 4 };

/* ---- sizes of levels ---- */
/* Pixels of a level, of which the first has so many and the one before so many: rounded up. The scale of ORB is the fourth root
 * of one half; by it a level follows from the first, so that each fourth one is exactly half as large. */
static double level_size(vx_float32 scale, vx_size level, vx_uint32 first, double before)
{
	static const double roots[] = {1.0, 0.84089641525371454, 0.70710678118654752, 0.59460355750136054};
	if (!level || !first)
		return first;
	if (scale != VX_SCALE_PYRAMID_ORB)
		return fmax(1, ceil((double)((vx_float32)before * scale)));
	const int halves = level / 4 < 64 ? (int)(level / 4) : 64;
	return fmax(1, ceil(ldexp(first * roots[level % 4], -halves)));
}

struct size {
	double width, height;
};

/* Of a pyramid whose level before has a size. */
static struct size next_size(const struct _vx_pyramid *p, vx_size level, struct size before)
{
	return (struct size){level_size(p->scale, level, p->width, before.width), level_size(p->scale, level, p->height, before.height)};
}

/* ---- the class ---- */
static vx_status check_levels(struct _vx_context *c, const struct _vx_pyramid *p)
{
	struct size size = {p->width, p->height};
	/* vxCreatePyramid: levels, and a scale that is positive */
	if (!p->num_levels || p->num_levels > PARTS_MAX || !(p->scale > 0) || isinf(p->scale))
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "a pyramid of %zu levels (1 to %d), of scale %g", p->num_levels, PARTS_MAX, (double)p->scale);
	/* vxCreatePyramid: each level is an image; only those of a scale beyond 1 grow */
	for (vx_size i = 0; i < p->num_levels; i++) {
		const struct size before = size;
		size = next_size(p, i, before);
		if (size.width * size.height > PIXELS_MAX)
			return fail(c, VX_ERROR_INVALID_DIMENSION, "level %zu of a pyramid of %u x %u pixels, of scale %g, is too large", i, p->width, p->height,
				    (double)p->scale);
		if (i && size.width <= before.width && size.height <= before.height)
			break;
	}
	return VX_SUCCESS;
}

static vx_status check_format(struct _vx_context *c, vx_df_image format)
{
	const struct format *f = format_find(format);
	/* vxCreatePyramid: images of any size, which those of two pixels a chroma sample are not */
	FAIL_IF(!f || f->even_x > 1 || f->even_y > 1, c, VX_ERROR_INVALID_FORMAT, "a pyramid of images of format 0x%x", format);
	return VX_SUCCESS;
}

static vx_status pyramid_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_pyramid *p = prototype;
	/* vxCreateVirtualPyramid: each dimension may be left open, and the format */
	const bool may_be_open = scope->type == VX_TYPE_GRAPH;
	/* vxCreatePyramid: a size */
	if (!may_be_open && (!p->width || !p->height))
		return fail(scope->context, VX_ERROR_INVALID_DIMENSION, "a pyramid of %u x %u pixels", p->width, p->height);
	TRY(may_be_open && p->format == VX_DF_IMAGE_VIRT ? VX_SUCCESS : check_format(scope->context, p->format));
	return check_levels(scope->context, p);
}

static bool pyramid_init(void *object)
{
	struct _vx_pyramid *p = object;
	struct size size = {0, 0};
	p->levels = calloc(p->num_levels, sizeof *p->levels);
	for (vx_size i = 0; p->levels && i < p->num_levels; i++) {
		size = next_size(p, i, size);
		p->levels[i] = image_create(p->reference.scope, (vx_uint32)size.width, (vx_uint32)size.height, p->format, p->reference.is_virtual);
		if (!p->levels[i])
			return false;
		part_adopt((vx_reference)p->levels[i]);
	}
	return p->levels;
}

static bool pyramid_is_open(const void *object)
{
	const struct _vx_pyramid *p = object;
	return !p->width || !p->height || p->format == VX_DF_IMAGE_VIRT;
}

static vx_status pyramid_define(void *object, const void *prototype)
{
	struct _vx_pyramid *p = object;
	const struct _vx_pyramid *q = prototype;
	const struct _vx_pyramid whole = {.num_levels = p->num_levels, .scale = p->scale, .width = q->width, .height = q->height};
	struct size size = {0, 0};
	if ((p->width && p->width != q->width) || (p->height && p->height != q->height))
		return fail(p, VX_ERROR_INVALID_DIMENSION, "a pyramid of %u x %u pixels cannot be one of %u x %u", p->width, p->height, q->width, q->height);
	if (p->format != VX_DF_IMAGE_VIRT && p->format != q->format)
		return fail(p, VX_ERROR_INVALID_FORMAT, "a pyramid of format %.4s cannot be one of %.4s", (const char *)&p->format, (const char *)&q->format);
	TRY(check_format(p->reference.context, q->format));
	TRY(check_levels(p->reference.context, &whole));
	for (vx_size i = 0; i < p->num_levels; i++) {
		size = next_size(&whole, i, size);
		TRY(image_define(p->levels[i], (vx_uint32)size.width, (vx_uint32)size.height, q->format));
	}
	meta_copy(&pyramid_class, p, &(struct _vx_pyramid){.num_levels = p->num_levels, .scale = p->scale, .width = q->width, .height = q->height,
							   .format = q->format});
	return VX_SUCCESS;
}

static void pyramid_undefine(void *object)
{
	struct _vx_pyramid *p = object;
	for (vx_size i = 0; i < p->num_levels; i++)
		image_class.undefine(p->levels[i]);
	meta_restore(&p->reference);
}

static vx_status pyramid_gives(struct check *c, unsigned index, const void *like, const void *output)
{
	const struct _vx_pyramid *in = like;
	(void)output;
	return gives_pyramid(c, index, in->num_levels, in->scale, in->width, in->height, in->format);
}

static const struct object_attribute attributes[] = {
	{META(VX_PYRAMID_LEVELS, _vx_pyramid, num_levels, VALUE)},
	{META(VX_PYRAMID_SCALE, _vx_pyramid, scale, VALUE)},
	{META(VX_PYRAMID_WIDTH, _vx_pyramid, width, DIMENSION)},
	{META(VX_PYRAMID_HEIGHT, _vx_pyramid, height, DIMENSION)},
	{META(VX_PYRAMID_FORMAT, _vx_pyramid, format, FORMAT)},
};

const struct object_class pyramid_class = {
	.type = VX_TYPE_PYRAMID, .name = "a pyramid", .size = OBJECT_SIZE(_vx_pyramid), ATTRIBUTES(attributes),
	.parts = offsetof(struct _vx_pyramid, levels), .num_parts = offsetof(struct _vx_pyramid, num_levels),
	.check = pyramid_check, .init = pyramid_init,
	.is_open = pyramid_is_open, .define = pyramid_define, .undefine = pyramid_undefine, .gives = pyramid_gives,
};

/* ---- the API ---- */
CLASS_CREATE(vxCreatePyramid, vxCreateVirtualPyramid, pyramid,
	     (vx_size levels, vx_float32 scale, vx_uint32 width, vx_uint32 height, vx_df_image format),
	     .num_levels = levels, .scale = scale, .width = width, .height = height, .format = format)

CLASS_RELEASE(vxReleasePyramid, pyramid)
CLASS_QUERY(vxQueryPyramid, pyramid)

VX_API_ENTRY VX_EXPORT vx_image VX_API_CALL vxGetPyramidLevel(vx_pyramid p, vx_uint32 index)
{
	ENTER_OR_NULL(p, VX_TYPE_PYRAMID);
	struct _vx_context *c = p->reference.context;
	/* vxGetPyramidLevel: a level that there is */
	if (index >= p->num_levels)
		return refused(c, fail(p, VX_ERROR_INVALID_PARAMETERS, "vxGetPyramidLevel: level %u of %zu", index,
				       p->num_levels));
	/* vxGetPyramidLevel: a reference of the application's, to release */
	vxRetainReference((vx_reference)p->levels[index]);
	return p->levels[index];
}
