/* Images: formats, creation, parts, attributes (OpenVX 1.3, 3.37). */
#include "runtime/openvx/image.h"
#include "runtime/openvx/check.h"
#include "runtime/openvx/choice.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/image_patch.h"
#include "runtime/openvx/overlap.h"

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
		TRY(image_allocate(image->parent));
		image_follow_parent(image);
		return VX_SUCCESS;
	}
	if (!image->info || !image->width || !image->height)
		return fail(image, VX_ERROR_NOT_ALLOCATED, "the image has no size or no format yet: verify its graph");
	if (image->planes[0].mem)
		return VX_SUCCESS;
	FAIL_IF(image->memory != VX_MEMORY_TYPE_NONE, image, VX_ERROR_NO_MEMORY, "the application has taken back the image's memory");
	for (unsigned i = 0; i < image->info->planes; i++) {
		struct plane *p = &image->planes[i];
		if (!p->mem)
			p->mem = device_buffer(d, (size_t)p->stride_y * p->height);
		FAIL_IF(!p->mem, image, VX_ERROR_NO_MEMORY, "no memory for %u x %u pixels", p->width, p->height);
	}
	if (image->is_uniform)
		fill_uniform(image);
	return VX_SUCCESS;
}

vx_rectangle_t image_readable(const struct _vx_image *image)
{
	const vx_rectangle_t *v = &image->valid;
	if (v->start_x < v->end_x && v->start_y < v->end_y && v->end_x <= image->width && v->end_y <= image->height)
		return *v;
	return (vx_rectangle_t){0, 0, image->width, image->height};
}

/* ---- the class ---- */
/* vxCreateImage: a size, a format that is known, and as many pixels as its planes can share */
static vx_status image_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_image *p = prototype;
	/* vxCreateVirtualImage: each dimension may be left open, and the format */
	const bool may_be_open = scope->type == VX_TYPE_GRAPH;
	const vx_df_image format = may_be_open && p->format == VX_DF_IMAGE_VIRT ? VX_DF_IMAGE_U8 : p->format;
	const struct format *f = format_find(format);
	FAIL_IF(!f, scope, VX_ERROR_INVALID_FORMAT, "there is no image format 0x%x", format);
	const vx_uint32 width = may_be_open && !p->width ? f->even_x : p->width, height = may_be_open && !p->height ? f->even_y : p->height;
	if (!width || !height || (vx_uint64)width * height > INT32_MAX / 4)
		return fail(scope, VX_ERROR_INVALID_DIMENSION, "an image of %u x %u pixels", width, height);
	if (width % f->even_x || height % f->even_y)
		return fail(scope, VX_ERROR_INVALID_DIMENSION, "%u x %u pixels: format %.4s needs multiples of %u and %u", width, height, (const char *)&format,
			    f->even_x, f->even_y);
	return VX_SUCCESS;
}

static bool image_init(void *object)
{
	struct _vx_image *image = object;
	image->memory = VX_MEMORY_TYPE_NONE;
	set_up(image, image->width, image->height, image->format);
	return true;
}

static void image_destroy(void *object)
{
	struct _vx_image *image = object;
	struct device *d = &image->reference.context->device;
	image_unmap_all(image);
	if (image->memory == VX_MEMORY_TYPE_HOST && !image->parent)
		device_finish(d); /* the application may free what it gave */
	for (unsigned i = 0; i < PLANES_MAX; i++)
		device_release(d, image->planes[i].mem);
	if (image->tensor && object_known(image->tensor))
		object_unuse(&image->tensor->reference);
	if (image->parent) {
		LIST_REMOVE(image, sibling);
		object_unuse(&image->parent->reference);
	}
}

/* ---- what verification finds ---- */
static bool image_is_open(const void *object)
{
	const struct _vx_image *image = object;
	return !image->info || !image->width || !image->height;
}

vx_status image_define(vx_image image, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	const struct format *f = format_find(format);
	FAIL_IF(!f || !width || !height, image, VX_ERROR_INVALID_FORMAT, "%u x %u pixels of format 0x%x are no image", width, height, format);
	if (image->info && image->format != format)
		return fail(image, VX_ERROR_INVALID_FORMAT, "an image of format %.4s cannot be one of %.4s", (const char *)&image->format, (const char *)&format);
	if ((image->width && image->width != width) || (image->height && image->height != height))
		return fail(image, VX_ERROR_INVALID_DIMENSION, "an image of %u x %u pixels cannot be one of %u x %u", image->width, image->height, width, height);
	if (image_is_open(image))
		set_up(image, width, height, format);
	return VX_SUCCESS;
}

static vx_status define_like(void *object, const void *prototype)
{
	const struct _vx_image *p = prototype;
	return image_define(object, p->width, p->height, p->format);
}

static void image_undefine(void *object)
{
	struct _vx_image *image = object;
	if (image->parent || !LIST_EMPTY(&image->children) || !meta_restore(&image->reference))
		return;
	for (unsigned i = 0; i < PLANES_MAX; i++) {
		device_release(&image->reference.context->device, image->planes[i].mem);
		image->planes[i] = (struct plane){0};
	}
	set_up(image, image->width, image->height, image->format);
}

static vx_status image_gives(struct check *c, unsigned index, const void *like, const void *output)
{
	const struct _vx_image *in = like;
	(void)output;
	return gives_image(c, index, in->width, in->height, in->format);
}

/* ---- memory ---- */
static bool image_extent(const void *object, unsigned index, struct extent *out)
{
	const struct _vx_image *image = object;
	while (image->parent)
		image = image->parent;
	if (!image->info || index >= image->info->planes)
		return false;
	const struct plane *p = &image->planes[index];
	*out = (struct extent){.owner = image, .memory = image->memory, .mem = p->mem, .host = p->host, .offset = p->offset,
			       .bytes = p->height ? (size_t)p->stride_y * (p->height - 1) + row_bytes(image->info, index, p->width) : 0};
	return true;
}

static size_t image_elements(const void *object)
{
	const struct _vx_image *image = object;
	return (size_t)image->width * image->height;
}

static vx_status allocate(void *object) { return image_allocate(object); }

/* ---- attributes ---- */
static void find_planes(const void *object, union attribute_value *out)
{
	const struct format *info = ((const struct _vx_image *)object)->info;
	out->size = info ? info->planes : 0;
}

static void find_uniform(const void *object, union attribute_value *out)
{
	out->truth = ((const struct _vx_image *)object)->is_uniform ? vx_true_e : vx_false_e;
}

static vx_status set_space(void *object, const void *value)
{
	static const vx_enum spaces[] = {VX_COLOR_SPACE_NONE, VX_COLOR_SPACE_BT601_525, VX_COLOR_SPACE_BT601_625, VX_COLOR_SPACE_BT709};
	const vx_enum space = *(const vx_enum *)value;
	size_t i = 0;
	while (i < sizeof spaces / sizeof *spaces && spaces[i] != space)
		i++;
	FAIL_IF(i == sizeof spaces / sizeof *spaces, object, VX_ERROR_INVALID_VALUE, "VX_IMAGE_SPACE: there is no colour space 0x%x", space);
	((vx_image)object)->space = space;
	return VX_SUCCESS;
}

static const struct object_attribute attributes[] = {
	{META(VX_IMAGE_WIDTH, _vx_image, width, DIMENSION)},
	{META(VX_IMAGE_HEIGHT, _vx_image, height, DIMENSION)},
	{META(VX_IMAGE_FORMAT, _vx_image, format, FORMAT)},
	{ATTRIBUTE(VX_IMAGE_SPACE, _vx_image, space), .set = set_space, .cloned = true},
	{ATTRIBUTE(VX_IMAGE_RANGE, _vx_image, range), .cloned = true},
	{ATTRIBUTE(VX_IMAGE_MEMORY_TYPE, _vx_image, memory)},
	{ATTRIBUTE(VX_IMAGE_UNIFORM_VALUE, _vx_image, uniform)},
	{FOUND(VX_IMAGE_PLANES, vx_size, find_planes)},
	{FOUND(VX_IMAGE_IS_UNIFORM, vx_bool, find_uniform)},
};

const struct object_class image_class = {
	.type = VX_TYPE_IMAGE, .name = "an image", .size = OBJECT_SIZE(_vx_image), ATTRIBUTES(attributes),
	.check = image_check, .init = image_init, .destroy = image_destroy,
	.is_open = image_is_open, .define = define_like, .undefine = image_undefine,
	.allocate = allocate, .extent = image_extent, .place = image_place, .elements = image_elements, .parent = image_parent,
	.gives = image_gives, .choose = choose_image,
	.origin = image_origin, .put_values = image_put_values, .get_values = image_get_values,
};

/* ---- the API ---- */
vx_image image_create(struct _vx_reference *scope, vx_uint32 width, vx_uint32 height, vx_df_image format, bool is_virtual)
{
	return data_create(scope, &image_class, &(struct _vx_image){.width = width, .height = height, .format = format}, is_virtual);
}

CLASS_CREATE(vxCreateImage, vxCreateVirtualImage, image, (vx_uint32 width, vx_uint32 height, vx_df_image color),
	     .width = width, .height = height, .format = color)

VX_API_ENTRY VX_EXPORT vx_image VX_API_CALL vxCreateUniformImage(vx_context c, vx_uint32 width, vx_uint32 height, vx_df_image color,
								  const vx_pixel_value_t *value)
{
	vx_image image = vxCreateImage(c, width, height, color);
	if (!object_is(image, VX_TYPE_IMAGE))
		return image;
	LOCKED(c);
	if (!value) {
		undone(image);
		return refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "vxCreateUniformImage: no value"));
	}
	image->is_uniform = true;
	image->uniform = *value;
	return image;
}

CLASS_QUERY(vxQueryImage, image)
CLASS_SET(vxSetImageAttribute, image)

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetImagePixelValues(vx_image image, const vx_pixel_value_t *pixel_value)
{
	ENTER(image, VX_TYPE_IMAGE);
	/* vxSetImagePixelValues: what is uniform or virtual is no image for it */
	if (image->is_uniform || object_hidden(&image->reference))
		return fail(image, VX_ERROR_INVALID_REFERENCE, "vxSetImagePixelValues: an image that is uniform for ever, or virtual");
	TRY(object_reach(&image->reference, "vxSetImagePixelValues"));
	FAIL_IF(!pixel_value, image, VX_ERROR_INVALID_PARAMETERS, "vxSetImagePixelValues: no value");
	TRY(image_allocate(image));
	for (unsigned i = 0; i < image->info->planes; i++)
		TRY(plane_fill(image, i, pixel_value));
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxGetValidRegionImage(vx_image image, vx_rectangle_t *rect)
{
	EXPECT(image, VX_TYPE_IMAGE);
	FAIL_IF(!rect, image, VX_ERROR_INVALID_PARAMETERS, "vxGetValidRegionImage: no room for the rectangle");
	LOCKED(image->reference.context);
	*rect = image->valid;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetImageValidRectangle(vx_image image, const vx_rectangle_t *rect)
{
	ENTER(image, VX_TYPE_IMAGE);
	/* vxSetImageValidRectangle: none means all of it */
	const vx_rectangle_t all = {0, 0, image->width, image->height};
	const vx_rectangle_t *r = rect ? rect : &all;
	if (r->start_x > r->end_x || r->start_y > r->end_y || r->end_x > image->width || r->end_y > image->height)
		return fail(image, VX_ERROR_INVALID_PARAMETERS, "vxSetImageValidRectangle: [%u, %u) x [%u, %u) does not lie within %u x %u pixels", r->start_x, r->end_x,
			    r->start_y, r->end_y, image->width, image->height);
	image->valid = *r;
	return VX_SUCCESS;
}

CLASS_RELEASE(vxReleaseImage, image)
