/* Images: formats, creation, parts, attributes (OpenVX 1.3, 3.37). */
#include "runtime/openvx/image.h"
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/data.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/image_patch.h"
#include "runtime/openvx/map.h"
#include <VX/vx_khr_opencl_interop.h>
#include <stdlib.h>
#include <string.h>

/* ---- formats ---- */
static const struct format formats[] = {
	{VX_DF_IMAGE_U1, 1, 0, {{1, 1, 1}}, 1, 1},
	{VX_DF_IMAGE_U8, 1, 0, {{8, 1, 1}}, 1, 1},
	{VX_DF_IMAGE_U16, 1, 0, {{16, 1, 1}}, 1, 1},
	{VX_DF_IMAGE_S16, 1, 0, {{16, 1, 1}}, 1, 1},
	{VX_DF_IMAGE_U32, 1, 0, {{32, 1, 1}}, 1, 1},
	{VX_DF_IMAGE_S32, 1, 0, {{32, 1, 1}}, 1, 1},
	{VX_DF_IMAGE_RGB, 1, 3, {{24, 1, 1}}, 1, 1},
	{VX_DF_IMAGE_RGBX, 1, 4, {{32, 1, 1}}, 1, 1},
	{VX_DF_IMAGE_UYVY, 1, 3, {{16, 1, 1}}, 2, 1},
	{VX_DF_IMAGE_YUYV, 1, 3, {{16, 1, 1}}, 2, 1},
	{VX_DF_IMAGE_NV12, 2, 3, {{8, 1, 1}, {16, 2, 2}}, 2, 2},
	{VX_DF_IMAGE_NV21, 2, 3, {{8, 1, 1}, {16, 2, 2}}, 2, 2},
	{VX_DF_IMAGE_IYUV, 3, 3, {{8, 1, 1}, {8, 2, 2}, {8, 2, 2}}, 2, 2},
	{VX_DF_IMAGE_YUV4, 3, 3, {{8, 1, 1}, {8, 1, 1}, {8, 1, 1}}, 1, 1},
};

const struct format *format_find(vx_df_image format)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i].format == format)
			return &formats[i];
	return NULL;
}

bool image_is(vx_image image) { return object_is(image, VX_TYPE_IMAGE); }

static bool is_yuv(const struct format *f) { return f->channels == 3 && f->format != VX_DF_IMAGE_RGB; }

/* ---- planes ---- */
/* Densely packed, without a buffer yet. */
static void planes_lay_out(struct _vx_image *image)
{
	const struct format *f = image->info;
	for (unsigned i = 0; i < f->planes; i++) {
		struct plane *p = &image->planes[i];
		p->width = image->width / f->plane[i].scale_x;
		p->height = image->height / f->plane[i].scale_y;
		p->stride_x = (vx_int32)f->plane[i].bits / 8;
		p->stride_y = (vx_int32)row_bytes(f, i, p->width);
	}
}

static void set_up(struct _vx_image *image, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	image->width = width;
	image->height = height;
	image->format = format;
	image->info = format_find(format);
	image->space = VX_COLOR_SPACE_NONE;
	image->range = VX_CHANNEL_RANGE_FULL;
	if (image->info && is_yuv(image->info)) {
		image->space = VX_COLOR_SPACE_DEFAULT;
		image->range = VX_CHANNEL_RANGE_RESTRICTED;
	}
	image->valid = (vx_rectangle_t){0, 0, width, height};
	if (image->info && width && height)
		planes_lay_out(image);
}

static void fill_uniform(struct _vx_image *image)
{
	for (unsigned i = 0; i < image->info->planes; i++)
		plane_fill(image, i, &image->uniform);
}

vx_status image_allocate(vx_image image)
{
	struct device *d = &image->reference.context->device;
	if (image->parent) {
		const vx_status status = image_allocate(image->parent);
		if (!status)
			image_follow_parent(image);
		return status;
	}
	if (!image->info || !image->width || !image->height)
		return fail(image, VX_ERROR_NOT_ALLOCATED, "the image has no size or no format yet: verify its graph");
	if (image->planes[0].mem)
		return VX_SUCCESS;
	if (image->memory != VX_MEMORY_TYPE_NONE)
		return fail(image, VX_ERROR_NO_MEMORY, "the application has taken back the image's memory");
	for (unsigned i = 0; i < image->info->planes; i++) {
		struct plane *p = &image->planes[i];
		if (!p->mem)
			p->mem = device_buffer(d, (size_t)p->stride_y * p->height);
		if (!p->mem)
			return fail(image, VX_ERROR_NO_MEMORY, "no memory for %u x %u pixels", p->width, p->height);
	}
	if (image->is_uniform)
		fill_uniform(image);
	return VX_SUCCESS;
}

/* ---- life ---- */
static void orphan(struct _vx_image *image)
{
	struct _vx_image **at = &image->parent->children;
	while (*at != image)
		at = &(*at)->sibling;
	*at = image->sibling;
}

static void image_destroy(struct _vx_reference *ref)
{
	struct _vx_image *image = (struct _vx_image *)ref;
	struct device *d = &ref->context->device;
	image_unmap_all(image);
	if (image->memory == VX_MEMORY_TYPE_HOST && !image->parent)
		device_finish(d); /* the application may free what it gave */
	for (unsigned i = 0; i < PLANES_MAX; i++)
		device_release(d, image->planes[i].mem);
	if (image->tensor && object_known(image->tensor))
		object_unuse(&image->tensor->reference);
	if (image->parent) {
		orphan(image);
		object_unuse(&image->parent->reference);
	}
}

vx_image image_create(struct _vx_context *c, struct _vx_reference *scope, vx_uint32 width, vx_uint32 height, vx_df_image format, bool is_virtual)
{
	struct _vx_image *image = object_create(c, VX_TYPE_IMAGE, sizeof *image, scope, image_destroy);
	if (!image)
		return NULL;
	image->reference.is_virtual = is_virtual;
	image->memory = VX_MEMORY_TYPE_NONE;
	set_up(image, width, height, format);
	image->declared_width = width;
	image->declared_height = height;
	image->declared_format = format;
	return image;
}

vx_status image_define(vx_image image, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	const struct format *f = format_find(format);
	if (!f || !width || !height)
		return fail(image, VX_ERROR_INVALID_FORMAT, "%u x %u pixels of format 0x%x are no image", width, height, format);
	if (image->info && image->format != format)
		return fail(image, VX_ERROR_INVALID_FORMAT, "an image of format %.4s cannot be one of %.4s", (const char *)&image->format, (const char *)&format);
	if ((image->width && image->width != width) || (image->height && image->height != height))
		return fail(image, VX_ERROR_INVALID_DIMENSION, "an image of %u x %u pixels cannot be one of %u x %u", image->width, image->height, width, height);
	if (!image->width || !image->height || !image->info)
		set_up(image, width, height, format);
	return VX_SUCCESS;
}

void image_undefine(vx_image image)
{
	struct device *d = &image->reference.context->device;
	if (!image->reference.is_virtual || image->parent || image->children)
		return;
	if (image->width == image->declared_width && image->height == image->declared_height && image->format == image->declared_format)
		return;
	for (unsigned i = 0; i < PLANES_MAX; i++) {
		device_release(d, image->planes[i].mem);
		image->planes[i] = (struct plane){0};
	}
	set_up(image, image->declared_width, image->declared_height, image->declared_format);
}

static vx_image made(struct _vx_context *c, vx_image image)
{
	return image ? image : (vx_image)object_error(c, fail(c, VX_ERROR_NO_MEMORY, "no memory for an image"));
}

static vx_image refused(struct _vx_context *c, vx_status status) { return (vx_image)object_error(c, status); }

/* vxCreateImage: a size, a format that is known, and as many pixels as its planes can share */
static vx_status check_shape(const void *ref, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	const struct format *f = format_find(format);
	if (!f)
		return fail(ref, VX_ERROR_INVALID_FORMAT, "there is no image format 0x%x", format);
	if (!width || !height || (vx_uint64)width * height > INT32_MAX / 4)
		return fail(ref, VX_ERROR_INVALID_DIMENSION, "an image of %u x %u pixels", width, height);
	if (width % f->even_x || height % f->even_y)
		return fail(ref, VX_ERROR_INVALID_DIMENSION, "%u x %u pixels: format %.4s needs multiples of %u and %u", width, height, (const char *)&format, f->even_x,
			    f->even_y);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_image VX_API_CALL vxCreateImage(vx_context c, vx_uint32 width, vx_uint32 height, vx_df_image color)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	const vx_status status = check_shape(c, width, height, color);
	return status ? refused(c, status) : made(c, image_create(c, &c->reference, width, height, color, false));
}

VX_API_ENTRY VX_EXPORT vx_image VX_API_CALL vxCreateVirtualImage(vx_graph graph, vx_uint32 width, vx_uint32 height, vx_df_image color)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	/* vxCreateVirtualImage: each dimension may be left open, and the format */
	const vx_df_image format = color == VX_DF_IMAGE_VIRT ? VX_DF_IMAGE_U8 : color;
	const struct format *f = format_find(format);
	const vx_status status = check_shape(graph, width ? width : f ? f->even_x : 1, height ? height : f ? f->even_y : 1, format);
	return status ? refused(c, status) : made(c, image_create(c, &graph->reference, width, height, color, true));
}

VX_API_ENTRY VX_EXPORT vx_image VX_API_CALL vxCreateUniformImage(vx_context c, vx_uint32 width, vx_uint32 height, vx_df_image color,
								  const vx_pixel_value_t *value)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	vx_status status = check_shape(c, width, height, color);
	if (!status && !value)
		status = fail(c, VX_ERROR_INVALID_PARAMETERS, "vxCreateUniformImage: no value");
	if (status)
		return refused(c, status);
	vx_image image = image_create(c, &c->reference, width, height, color, false);
	if (image) {
		image->is_uniform = true;
		image->uniform = *value;
	}
	return made(c, image);
}

/* ---- from handles ---- */
static vx_status check_handle(struct _vx_context *c, const struct format *f, unsigned plane, const vx_imagepatch_addressing_t *a, const struct plane *p, void *ptr,
			      vx_enum memory)
{
	const vx_int32 pixel = (vx_int32)f->plane[plane].bits / 8;
	const vx_uint32 row = (vx_uint32)row_bytes(f, plane, p->width);
	/* vxCreateImageFromHandle: rows of whole pixels, one behind the other */
	if ((f->plane[plane].bits >= 8 && a->stride_x != pixel) || a->stride_y < (vx_int32)row)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "plane %u: strides of %d and %d bytes, where a pixel has %d and a row %u", plane, a->stride_x, a->stride_y,
			    pixel, row);
	if (!ptr)
		return VX_SUCCESS; /* of all planes: memory comes by vxSwapImageHandle */
	const size_t bytes = (size_t)a->stride_y * (p->height - 1) + row;
	if (memory == VX_MEMORY_TYPE_OPENCL_BUFFER && !device_owns(&c->device, ptr, bytes))
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "plane %u: not a buffer of the context's with %zu bytes", plane, bytes);
	return VX_SUCCESS;
}

static vx_status plane_take(struct _vx_image *image, unsigned plane, void *ptr)
{
	struct device *d = &image->reference.context->device;
	struct plane *p = &image->planes[plane];
	const size_t bytes = (size_t)p->stride_y * (p->height - 1) + row_bytes(image->info, plane, p->width);
	p->mem = NULL;
	p->host = ptr;
	if (!ptr)
		return VX_SUCCESS;
	if (image->memory == VX_MEMORY_TYPE_OPENCL_BUFFER) {
		device_retain(d, ptr);
		p->mem = ptr;
		return VX_SUCCESS;
	}
	p->mem = device_buffer_of(d, ptr, bytes);
	return p->mem ? VX_SUCCESS : fail(image, VX_ERROR_NO_MEMORY, "%zu bytes at %p cannot be made the device's", bytes, ptr);
}

VX_API_ENTRY VX_EXPORT vx_image VX_API_CALL vxCreateImageFromHandle(vx_context c, vx_df_image color, const vx_imagepatch_addressing_t addrs[], void *const ptrs[],
								     vx_enum memory_type)
{
	const struct format *f = format_find(color);
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	vx_status status = memory_check(c, "vxCreateImageFromHandle", memory_type);
	if (!status && (!addrs || !ptrs))
		status = fail(c, VX_ERROR_INVALID_PARAMETERS, "vxCreateImageFromHandle: no addressing, or no pointers");
	if (!status)
		status = check_shape(c, addrs[0].dim_x, addrs[0].dim_y, color);
	if (status)
		return refused(c, status);
	vx_image image = image_create(c, &c->reference, addrs[0].dim_x, addrs[0].dim_y, color, false);
	if (!image)
		return made(c, NULL);
	image->memory = memory_type;
	for (unsigned i = 0; !status && i < f->planes; i++) {
		status = check_handle(c, f, i, &addrs[i], &image->planes[i], ptrs[i], memory_type);
		if (!status && !ptrs[i] != !ptrs[0])
			status = fail(c, VX_ERROR_INVALID_PARAMETERS, "vxCreateImageFromHandle: plane %u has no memory, or plane 0 has none", i);
	}
	for (unsigned i = 0; !status && i < f->planes; i++) {
		image->planes[i].stride_y = addrs[i].stride_y;
		status = plane_take(image, i, ptrs[i]);
	}
	if (status) {
		object_release((vx_reference *)&image, VX_TYPE_IMAGE);
		return refused(c, status);
	}
	return image;
}

/* The image, or a part of it. */
static bool is_mapped(const struct _vx_image *image)
{
	bool mapped = image->maps != NULL;
	for (const struct _vx_image *child = image->children; child && !mapped; child = child->sibling)
		mapped = is_mapped(child);
	return mapped;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSwapImageHandle(vx_image image, void *const new_ptrs[], void *prev_ptrs[], vx_size num_planes)
{
	if (!image_is(image))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSwapImageHandle: not an image");
	struct _vx_context *c = image->reference.context;
	struct device *d = &c->device;
	LOCKED(c);
	/* vxSwapImageHandle: an image from a handle, and not a part of one */
	if (image->memory == VX_MEMORY_TYPE_NONE || image->parent || num_planes != image->info->planes)
		return fail(image, VX_ERROR_INVALID_PARAMETERS, "vxSwapImageHandle: not an image from a handle with %zu planes", num_planes);
	vx_status status = memory_check(image, "vxSwapImageHandle", image->memory);
	for (unsigned i = 0; !status && new_ptrs && i < num_planes; i++) {
		const struct plane *p = &image->planes[i];
		const vx_imagepatch_addressing_t same = {.stride_x = p->stride_x, .stride_y = p->stride_y};
		/* ... memory for each plane, or for none */
		status = new_ptrs[i] ? check_handle(c, image->info, i, &same, p, new_ptrs[i], image->memory)
				     : fail(image, VX_ERROR_INVALID_PARAMETERS, "vxSwapImageHandle: plane %u has no memory", i);
	}
	if (status)
		return status;
	/* ... that nobody is accessing, nor a part of it */
	if (is_mapped(image))
		return fail(image, VX_FAILURE, "vxSwapImageHandle: the image, or a part of it, is mapped");
	/* memory of the host's is the application's again: what the device has to do with it is done. Of buffers that is for the
	 * coordination queue to know. */
	if (image->memory == VX_MEMORY_TYPE_HOST)
		image_give_back(image);
	for (unsigned i = 0; i < num_planes; i++) {
		struct plane *p = &image->planes[i];
		if (prev_ptrs)
			prev_ptrs[i] = p->host;
		device_release(d, p->mem);
		const vx_status taken = plane_take(image, i, new_ptrs ? new_ptrs[i] : NULL);
		status = status ? status : taken;
	}
	image->valid = (vx_rectangle_t){0, 0, image->width, image->height};
	return status;
}

/* ---- parts ---- */
void image_follow_parent(struct _vx_image *image)
{
	struct device *d = &image->reference.context->device;
	const struct _vx_image *parent = image->parent;
	for (unsigned i = 0; i < image->info->planes; i++) {
		struct plane *p = &image->planes[i];
		const unsigned from = image->parent_plane + i;
		const struct plane *q = &parent->planes[from];
		const vx_uint32 x = image->region.start_x / parent->info->plane[from].scale_x, y = image->region.start_y / parent->info->plane[from].scale_y;
		if (p->mem != q->mem) {
			device_release(d, p->mem);
			device_retain(d, q->mem);
		}
		p->mem = q->mem;
		p->stride_x = q->stride_x;
		p->stride_y = q->stride_y;
		p->offset = q->offset + (size_t)y * (size_t)q->stride_y + (q->stride_x ? (size_t)x * (size_t)q->stride_x : x / 8);
	}
}

static vx_image part(vx_image parent, vx_uint32 width, vx_uint32 height, vx_df_image format, vx_rectangle_t region, unsigned plane)
{
	struct _vx_context *c = parent->reference.context;
	unsigned depth = 0;
	for (const struct _vx_image *i = parent; i; i = i->parent)
		depth++;
	if (depth > DEPTH_MAX)
		return refused(c, fail(parent, VX_ERROR_NO_RESOURCES, "a part of an image that is a part itself, and so on %u times: the most are %d", depth, DEPTH_MAX));
	vx_image image = image_create(c, parent->reference.scope, width, height, format, parent->reference.is_virtual);
	if (!image)
		return made(c, NULL);
	image->parent = parent;
	image->parent_plane = plane;
	image->region = region;
	image->memory = parent->memory;
	image->space = parent->space;
	image->range = parent->range;
	image->is_uniform = parent->is_uniform;
	image->uniform = parent->uniform;
	image->sibling = parent->children;
	parent->children = image;
	object_use(&parent->reference);
	return image;
}

VX_API_ENTRY VX_EXPORT vx_image VX_API_CALL vxCreateImageFromROI(vx_image img, const vx_rectangle_t *rect)
{
	if (!image_is(img))
		return NULL;
	struct _vx_context *c = img->reference.context;
	LOCKED(c);
	/* vxCreateImageFromROI: a rectangle that is not empty, within an image whose size is known */
	if (!rect || !img->info || rect->start_x >= rect->end_x || rect->start_y >= rect->end_y || rect->end_x > img->width || rect->end_y > img->height)
		return refused(c, fail(img, VX_ERROR_INVALID_PARAMETERS, "vxCreateImageFromROI: not a rectangle within the image"));
	/* ... whose edges lie between pixels of all planes */
	if ((rect->start_x | rect->end_x) % img->info->even_x || (rect->start_y | rect->end_y) % img->info->even_y)
		return refused(c, fail(img, VX_ERROR_INVALID_DIMENSION, "vxCreateImageFromROI: format %.4s needs multiples of %u and %u", (const char *)&img->format,
				       img->info->even_x, img->info->even_y));
	/* ... and of bit images begins with a byte */
	if (img->format == VX_DF_IMAGE_U1 && rect->start_x % 8)
		return refused(c, fail(img, VX_ERROR_INVALID_PARAMETERS, "vxCreateImageFromROI: column %u of a bit image does not begin a byte", rect->start_x));
	return part(img, rect->end_x - rect->start_x, rect->end_y - rect->start_y, img->format, *rect, 0);
}

/* Formats of planes, and the plane that a channel of them is alone in. */
static const struct {
	vx_df_image format;
	vx_enum channel;
	unsigned plane;
} channel_planes[] = {
	{VX_DF_IMAGE_YUV4, VX_CHANNEL_Y, 0}, {VX_DF_IMAGE_YUV4, VX_CHANNEL_U, 1}, {VX_DF_IMAGE_YUV4, VX_CHANNEL_V, 2},
	{VX_DF_IMAGE_IYUV, VX_CHANNEL_Y, 0}, {VX_DF_IMAGE_IYUV, VX_CHANNEL_U, 1}, {VX_DF_IMAGE_IYUV, VX_CHANNEL_V, 2},
	{VX_DF_IMAGE_NV12, VX_CHANNEL_Y, 0}, {VX_DF_IMAGE_NV21, VX_CHANNEL_Y, 0},
};

vx_enum image_channel(const struct _vx_image *image)
{
	/* a region has the format of its parent, which a plane of one channel never has */
	for (size_t i = 0; image->format != image->parent->format && i < sizeof channel_planes / sizeof *channel_planes; i++)
		if (channel_planes[i].format == image->parent->format && channel_planes[i].plane == image->parent_plane)
			return channel_planes[i].channel;
	return 0;
}

VX_API_ENTRY VX_EXPORT vx_image VX_API_CALL vxCreateImageFromChannel(vx_image img, vx_enum channel)
{
	if (!image_is(img))
		return NULL;
	struct _vx_context *c = img->reference.context;
	LOCKED(c);
	for (size_t i = 0; i < sizeof channel_planes / sizeof *channel_planes; i++) {
		const unsigned plane = channel_planes[i].plane;
		if (channel_planes[i].format == img->format && channel_planes[i].channel == channel && img->width && img->height)
			return part(img, img->planes[plane].width, img->planes[plane].height, VX_DF_IMAGE_U8, (vx_rectangle_t){0, 0, img->width, img->height},
				    plane);
	}
	return refused(c, fail(img, VX_ERROR_INVALID_PARAMETERS, "vxCreateImageFromChannel: channel 0x%x has no plane of its own in format %.4s", channel,
			       (const char *)&img->format));
}

/* ---- attributes ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryImage(vx_image image, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(image, VX_TYPE_IMAGE, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetImageAttribute(vx_image image, vx_enum attribute, const void *ptr, vx_size size)
{
	static const vx_enum spaces[] = {VX_COLOR_SPACE_NONE, VX_COLOR_SPACE_BT601_525, VX_COLOR_SPACE_BT601_625, VX_COLOR_SPACE_BT709};
	vx_enum space = 0;
	if (!image_is(image))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSetImageAttribute: not an image");
	LOCKED(image->reference.context);
	if (attribute != VX_IMAGE_SPACE)
		return attribute_unknown(image, attribute);
	const vx_status status = attribute_set(image, attribute, &space, sizeof space, ptr, size);
	if (status)
		return status;
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
		if (spaces[i] != space)
			continue;
		image->space = space;
		return VX_SUCCESS;
	}
	return fail(image, VX_ERROR_INVALID_VALUE, "VX_IMAGE_SPACE: there is no colour space 0x%x", space);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetImagePixelValues(vx_image image, const vx_pixel_value_t *pixel_value)
{
	if (!image_is(image))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSetImagePixelValues: not an image");
	LOCKED(image->reference.context);
	/* vxSetImagePixelValues: what is uniform or virtual is no image for it */
	if (image->is_uniform || object_hidden(&image->reference))
		return fail(image, VX_ERROR_INVALID_REFERENCE, "vxSetImagePixelValues: an image that is uniform for ever, or virtual");
	vx_status status = object_reach(&image->reference, "vxSetImagePixelValues");
	if (status)
		return status;
	if (!pixel_value)
		return fail(image, VX_ERROR_INVALID_PARAMETERS, "vxSetImagePixelValues: no value");
	status = image_allocate(image);
	for (unsigned i = 0; !status && i < image->info->planes; i++)
		status = plane_fill(image, i, pixel_value);
	return status;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxGetValidRegionImage(vx_image image, vx_rectangle_t *rect)
{
	if (!image_is(image))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxGetValidRegionImage: not an image");
	if (!rect)
		return fail(image, VX_ERROR_INVALID_PARAMETERS, "vxGetValidRegionImage: no room for the rectangle");
	LOCKED(image->reference.context);
	*rect = image->valid;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetImageValidRectangle(vx_image image, const vx_rectangle_t *rect)
{
	if (!image_is(image))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSetImageValidRectangle: not an image");
	LOCKED(image->reference.context);
	/* vxSetImageValidRectangle: none means all of it */
	const vx_rectangle_t all = {0, 0, image->width, image->height};
	const vx_rectangle_t *r = rect ? rect : &all;
	if (r->start_x > r->end_x || r->start_y > r->end_y || r->end_x > image->width || r->end_y > image->height)
		return fail(image, VX_ERROR_INVALID_PARAMETERS, "vxSetImageValidRectangle: [%u, %u) x [%u, %u) does not lie within %u x %u pixels", r->start_x, r->end_x,
			    r->start_y, r->end_y, image->width, image->height);
	image->valid = *r;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseImage(vx_image *image) { return object_release((vx_reference *)image, VX_TYPE_IMAGE); }
