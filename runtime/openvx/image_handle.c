/* Images from handles: in memory that the application has given (OpenVX 1.3, vxCreateImageFromHandle, vxSwapImageHandle). */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/image_patch.h"
#include "runtime/openvx/map.h"
#include <VX/vx_khr_opencl_interop.h>

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
	struct plane *p = &image->planes[plane];
	const size_t bytes = (size_t)p->stride_y * (p->height - 1) + row_bytes(image->info, plane, p->width);
	p->host = ptr;
	return memory_take(&image->reference, image->memory, ptr, bytes, &p->mem);
}

VX_API_ENTRY VX_EXPORT vx_image VX_API_CALL vxCreateImageFromHandle(vx_context c, vx_df_image color, const vx_imagepatch_addressing_t addrs[], void *const ptrs[],
								     vx_enum memory_type)
{
	const struct format *f = format_find(color);
	ENTER_OR_NULL(c, VX_TYPE_CONTEXT);
	vx_status status = memory_check(c, "vxCreateImageFromHandle", memory_type);
	if (!status && (!addrs || !ptrs))
		status = fail(c, VX_ERROR_INVALID_PARAMETERS, "vxCreateImageFromHandle: no addressing, or no pointers");
	if (!status)
		status = image_class.check(&c->reference, &(struct _vx_image){.width = addrs[0].dim_x, .height = addrs[0].dim_y, .format = color});
	if (status)
		return refused(c, status);
	vx_image image = image_create(&c->reference, addrs[0].dim_x, addrs[0].dim_y, color, false);
	if (!image)
		return created(c, NULL);
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
	for (const struct _vx_image *child = LIST_FIRST(&image->children); child && !mapped; child = LIST_NEXT(child, sibling))
		mapped = is_mapped(child);
	return mapped;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSwapImageHandle(vx_image image, void *const new_ptrs[], void *prev_ptrs[], vx_size num_planes)
{
	EXPECT(image, VX_TYPE_IMAGE);
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
	/* ... that is not mapped, nor a part of it */
	FAIL_IF(is_mapped(image), image, VX_FAILURE, "vxSwapImageHandle: the image, or a part of it, is mapped");
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

