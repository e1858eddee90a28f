/* Pyramids: images, each so much smaller than the one before (OpenVX 1.3, vx_pyramid). */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/clone.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/image.h"
#include <math.h>
#include <stdlib.h>

enum { PIXELS_MAX = INT32_MAX / 4 };

static bool pyramid_is(vx_pyramid p) { return object_is(p, VX_TYPE_PYRAMID); }

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

static struct size next_size(vx_float32 scale, vx_size level, vx_uint32 width, vx_uint32 height, struct size before)
{
	return (struct size){level_size(scale, level, width, before.width), level_size(scale, level, height, before.height)};
}

/* ---- life ---- */
static void pyramid_destroy(struct _vx_reference *ref)
{
	struct _vx_pyramid *p = (struct _vx_pyramid *)ref;
	for (vx_size i = 0; i < p->num_levels; i++)
		part_drop((vx_reference)p->levels[i]);
	free(p->levels);
}

vx_pyramid pyramid_create(struct _vx_context *c, struct _vx_reference *scope, vx_size levels, vx_float32 scale, vx_uint32 width,
			  vx_uint32 height, vx_df_image format, bool is_virtual)
{
	struct size size = {0, 0};
	struct _vx_pyramid *p = object_create(c, VX_TYPE_PYRAMID, sizeof *p, scope, pyramid_destroy);
	if (!p)
		return NULL;
	p->reference.is_virtual = is_virtual;
	p->scale = scale;
	p->width = p->declared_width = width;
	p->height = p->declared_height = height;
	p->format = p->declared_format = format;
	p->levels = calloc(levels, sizeof *p->levels);
	if (!p->levels)
		return undone(p);
	p->num_levels = levels;
	for (vx_size i = 0; i < levels; i++) {
		size = next_size(scale, i, width, height, size);
		p->levels[i] = image_create(c, scope, (vx_uint32)size.width, (vx_uint32)size.height, format, is_virtual);
		if (!p->levels[i])
			return undone(p);
		part_adopt((vx_reference)p->levels[i]);
	}
	return p;
}

static vx_status check_levels(struct _vx_context *c, vx_size levels, vx_float32 scale, vx_uint32 width, vx_uint32 height)
{
	struct size size = {width, height};
	/* vxCreatePyramid: levels, and a scale that is positive */
	if (!levels || levels > PARTS_MAX || !(scale > 0) || isinf(scale))
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "a pyramid of %zu levels (1 to %d), of scale %g", levels, PARTS_MAX,
			    (double)scale);
	/* vxCreatePyramid: each level is an image; only those of a scale beyond 1 grow */
	for (vx_size i = 0; i < levels; i++) {
		const struct size before = size;
		size = next_size(scale, i, width, height, before);
		if (size.width * size.height > PIXELS_MAX)
			return fail(c, VX_ERROR_INVALID_DIMENSION,
				    "level %zu of a pyramid of %u x %u pixels, of scale %g, is too large", i, width, height,
				    (double)scale);
		if (i && size.width <= before.width && size.height <= before.height)
			break;
	}
	return VX_SUCCESS;
}

static vx_status check_format(struct _vx_context *c, vx_df_image format)
{
	const struct format *f = format_find(format);
	/* vxCreatePyramid: images of any size, which those of two pixels a chroma sample are not */
	if (!f || f->even_x > 1 || f->even_y > 1)
		return fail(c, VX_ERROR_INVALID_FORMAT, "a pyramid of images of format 0x%x", format);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_pyramid VX_API_CALL vxCreatePyramid(vx_context c, vx_size levels, vx_float32 scale, vx_uint32 width,
							      vx_uint32 height, vx_df_image format)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	/* vxCreatePyramid: a size */
	if (!width || !height)
		return refused(c, fail(c, VX_ERROR_INVALID_DIMENSION, "a pyramid of %u x %u pixels", width, height));
	vx_status status = check_format(c, format);
	if (!status)
		status = check_levels(c, levels, scale, width, height);
	return status ? refused(c, status) : created(c, pyramid_create(c, &c->reference, levels, scale, width, height, format,
								       false));
}

VX_API_ENTRY VX_EXPORT vx_pyramid VX_API_CALL vxCreateVirtualPyramid(vx_graph graph, vx_size levels, vx_float32 scale,
								     vx_uint32 width, vx_uint32 height,
								     vx_df_image format)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	/* vxCreateVirtualPyramid: each dimension may be left open, and the format */
	vx_status status = format == VX_DF_IMAGE_VIRT ? VX_SUCCESS : check_format(c, format);
	if (!status)
		status = check_levels(c, levels, scale, width, height);
	return status ? refused(c, status) : created(c, pyramid_create(c, &graph->reference, levels, scale, width, height, format,
								       true));
}

vx_status pyramid_define(vx_pyramid p, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	struct _vx_context *c = p->reference.context;
	struct size size = {0, 0};
	if ((p->width && p->width != width) || (p->height && p->height != height))
		return fail(p, VX_ERROR_INVALID_DIMENSION, "a pyramid of %u x %u pixels cannot be one of %u x %u", p->width,
			    p->height, width, height);
	if (p->format != VX_DF_IMAGE_VIRT && p->format != format)
		return fail(p, VX_ERROR_INVALID_FORMAT, "a pyramid of format %.4s cannot be one of %.4s",
			    (const char *)&p->format, (const char *)&format);
	vx_status status = check_format(c, format);
	if (!status)
		status = check_levels(c, p->num_levels, p->scale, width, height);
	for (vx_size i = 0; !status && i < p->num_levels; i++) {
		size = next_size(p->scale, i, width, height, size);
		status = image_define(p->levels[i], (vx_uint32)size.width, (vx_uint32)size.height, format);
	}
	if (status)
		return status;
	p->width = width;
	p->height = height;
	p->format = format;
	return VX_SUCCESS;
}

void pyramid_undefine(vx_pyramid p)
{
	for (vx_size i = 0; i < p->num_levels; i++)
		image_undefine(p->levels[i]);
	p->width = p->declared_width;
	p->height = p->declared_height;
	p->format = p->declared_format;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleasePyramid(vx_pyramid *pyr)
{
	return object_release((vx_reference *)pyr, VX_TYPE_PYRAMID);
}

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryPyramid(vx_pyramid p, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(p, VX_TYPE_PYRAMID, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_image VX_API_CALL vxGetPyramidLevel(vx_pyramid p, vx_uint32 index)
{
	if (!pyramid_is(p))
		return NULL;
	struct _vx_context *c = p->reference.context;
	LOCKED(c);
	/* vxGetPyramidLevel: a level that there is */
	if (index >= p->num_levels)
		return refused(c, fail(p, VX_ERROR_INVALID_PARAMETERS, "vxGetPyramidLevel: level %u of %zu", index,
				       p->num_levels));
	/* vxGetPyramidLevel: a reference of the application's, to release */
	vxRetainReference((vx_reference)p->levels[index]);
	return p->levels[index];
}
