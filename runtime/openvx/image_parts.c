/* Images that are parts of others: regions of interest and channels (OpenVX 1.3, vxCreateImageFromROI, vxCreateImageFromChannel). */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/image_patch.h"
#include "runtime/openvx/ix.h"
#include "runtime/openvx/overlap.h"

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
	vx_image image = image_create(parent->reference.scope, width, height, format, parent->reference.is_virtual);
	if (!image)
		return created(c, NULL);
	image->parent = parent;
	image->parent_plane = plane;
	image->region = region;
	image->memory = parent->memory;
	image->space = parent->space;
	image->range = parent->range;
	image->is_uniform = parent->is_uniform;
	image->uniform = parent->uniform;
	LIST_INSERT_HEAD(&parent->children, image, sibling);
	object_use(&parent->reference);
	return image;
}

VX_API_ENTRY VX_EXPORT vx_image VX_API_CALL vxCreateImageFromROI(vx_image img, const vx_rectangle_t *rect)
{
	ENTER_OR_NULL(img, VX_TYPE_IMAGE);
	struct _vx_context *c = img->reference.context;
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
	ENTER_OR_NULL(img, VX_TYPE_IMAGE);
	struct _vx_context *c = img->reference.context;
	for (size_t i = 0; i < sizeof channel_planes / sizeof *channel_planes; i++) {
		const unsigned plane = channel_planes[i].plane;
		if (channel_planes[i].format == img->format && channel_planes[i].channel == channel && img->width && img->height)
			return part(img, img->planes[plane].width, img->planes[plane].height, VX_DF_IMAGE_U8, (vx_rectangle_t){0, 0, img->width, img->height},
				    plane);
	}
	return refused(c, fail(img, VX_ERROR_INVALID_PARAMETERS, "vxCreateImageFromChannel: channel 0x%x has no plane of its own in format %.4s", channel,
			       (const char *)&img->format));
}


/* ---- where a part lies ---- */
/* In the image that has no parent: a rectangle of some planes; in a tensor: elements of the first two dimensions. */
void image_place(const void *object, struct place *out)
{
	const struct _vx_image *root = object;
	vx_rectangle_t at = {0, 0, root->width, root->height};
	vx_size first_plane = 0;
	const vx_size planes = root->info ? root->info->planes : PLANES_MAX;
	for (; root->parent; root = root->parent) {
		const vx_rectangle_t *r = &root->region;
		/* a channel may be of half its parent's size */
		const vx_uint32 x = root->parent->info->plane[root->parent_plane].scale_x, y = root->parent->info->plane[root->parent_plane].scale_y;
		at = (vx_rectangle_t){at.start_x * x + r->start_x, at.start_y * y + r->start_y, at.end_x * x + r->start_x, at.end_y * y + r->start_y};
		first_plane += root->parent_plane;
	}
	*out = (struct place){.owner = root, .dims = 3, .start = {0, 0, first_plane}, .count = {0, 0, planes}};
	if (root->tensor)
		tensor_place_at(root->tensor, root->planes[0].offset, out);
	out->start[0] += at.start_x;
	out->start[1] += at.start_y;
	out->count[0] = at.end_x - at.start_x;
	out->count[1] = at.end_y - at.start_y;
}

vx_reference image_parent(const void *object)
{
	const struct _vx_image *image = object;
	return image->parent ? (vx_reference)image->parent : (vx_reference)image->tensor;
}

unsigned image_origin(const void *object)
{
	const struct _vx_image *image = object;
	if (image->parent)
		return image_channel(image) ? IX_CHANNEL : IX_REGION;
	return image->tensor ? IX_IN_TENSOR : image->is_uniform ? IX_UNIFORM : IX_OWN;
}
