/* Parts of tensors: ranges, views, and images in tensors (OpenVX 1.3, vxCreateTensorFromView, vxCreateImageObjectArrayFromTensor). */
#include "runtime/openvx/graph.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/tensor.h"
#include <string.h>

/* ---- ranges ---- */
/* vxCopyTensorPatch, vxMapTensorPatch, vxCreateTensorFromView: dimensions of the tensor, in each a range that is not empty. Of
 * higher dimensions it is the first element. */
vx_status tensor_check_range(vx_tensor t, const char *function, vx_size num_dims, const vx_size *start, const vx_size *end)
{
	FAIL_IF(!num_dims || num_dims > t->num_dims, t, VX_ERROR_INVALID_PARAMETERS, "%s: %zu dimensions of %zu", function, num_dims, t->num_dims);
	for (vx_size i = 0; i < num_dims; i++)
		if (start[i] >= end[i] || end[i] > t->dims[i])
			return fail(t, VX_ERROR_INVALID_PARAMETERS, "%s: elements %zu to %zu of %zu in dimension %zu", function,
				    start[i], end[i], t->dims[i], i);
	return VX_SUCCESS;
}

struct block tensor_block(const struct _vx_tensor_t *t, vx_size num_dims, const vx_size *start, const vx_size *end)
{
	struct block block = {.offset = t->offset, .row = tensor_element(t), .dims = (unsigned)num_dims};
	for (vx_size i = 0; i < num_dims; i++) {
		block.offset += start[i] * t->strides[i];
		block.count[i] = end[i] - start[i];
		block.stride[i] = t->strides[i];
	}
	return block;
}

VX_API_ENTRY VX_EXPORT vx_tensor VX_API_CALL vxCreateTensorFromView(vx_tensor tensor, vx_size number_of_dims,
								    const vx_size *view_start, const vx_size *view_end)
{
	struct _vx_tensor_t prototype;
	ENTER_OR_NULL(tensor, VX_TYPE_TENSOR);
	struct _vx_context *c = tensor->reference.context;
	if (!view_start || !view_end)
		return refused(c, fail(tensor, VX_ERROR_INVALID_PARAMETERS, "vxCreateTensorFromView: no range"));
	if (!tensor_bytes(tensor))
		return refused(c, fail(tensor, VX_ERROR_INVALID_PARAMETERS, "vxCreateTensorFromView: a virtual tensor has no size yet"));
	const vx_status status = tensor_check_range(tensor, "vxCreateTensorFromView", number_of_dims, view_start, view_end);
	if (status)
		return refused(c, status);
	unsigned depth = 0;
	for (const struct _vx_tensor_t *t = tensor; t; t = t->parent)
		depth++;
	if (depth > DEPTH_MAX)
		return refused(c, fail(tensor, VX_ERROR_NO_RESOURCES, "vxCreateTensorFromView: a view of a view, and so on %u times: the most are %d", depth,
				       DEPTH_MAX));
	prototype = (struct _vx_tensor_t){.num_dims = number_of_dims, .data_type = tensor->data_type, .fixed_point_position = tensor->fixed_point_position};
	for (vx_size i = 0; i < number_of_dims; i++)
		prototype.dims[i] = view_end[i] - view_start[i];
	vx_tensor view = data_create(tensor->reference.scope, &tensor_class, &prototype, tensor->reference.is_virtual);
	if (!view)
		return created(c, NULL);
	memcpy(view->strides, tensor->strides, number_of_dims * sizeof *view->strides);
	view->offset = tensor_block(tensor, number_of_dims, view_start, view_end).offset;
	view->memory = tensor->memory;
	view->mem = tensor->mem;
	view->parent = tensor;
	object_use(&tensor->reference);
	return view;
}

/* ---- places ---- */
void tensor_starts(const struct _vx_tensor_t *t, size_t offset, vx_size num_dims, vx_size *starts)
{
	for (vx_size i = num_dims; i--;) {
		/* of dimensions with one element the stride says nothing */
		starts[i] = t->dims[i] > 1 && t->strides[i] ? offset / t->strides[i] : 0;
		offset -= starts[i] * t->strides[i];
	}
}

/* vxCreateImageObjectArrayFromTensor: the format of images of a tensor's elements */
static vx_df_image format_of(vx_enum type)
{
	return type == VX_TYPE_UINT8 ? VX_DF_IMAGE_U8 : type == VX_TYPE_INT16 ? VX_DF_IMAGE_S16 : VX_DF_IMAGE_VIRT;
}

static vx_status check_images(vx_tensor t, const vx_rectangle_t *r, vx_size count, vx_size jump, vx_df_image format)
{
	TRY(object_reach(&t->reference, "vxCreateImageObjectArrayFromTensor"));
	/* vxCreateImageObjectArrayFromTensor: images lie in the first two dimensions of three */
	if (t->num_dims != 3)
		return fail(t, VX_ERROR_INVALID_DIMENSION,
			    "vxCreateImageObjectArrayFromTensor: a tensor of %zu dimensions, not of 3", t->num_dims);
	if (!r || r->start_x >= r->end_x || r->start_y >= r->end_y || r->end_x > t->dims[0] || r->end_y > t->dims[1] ||
	    t->strides[1] > INT32_MAX)
		return fail(t, VX_ERROR_INVALID_PARAMETERS,
			    "vxCreateImageObjectArrayFromTensor: not a rectangle of %zu x %zu elements", t->dims[0], t->dims[1]);
	/* vxCreateImageObjectArrayFromTensor: from one to the next it is so many bytes, some steps in the third dimension */
	const vx_size steps = jump / t->strides[2];
	if (!count || jump % t->strides[2] || (count > 1 && (!steps || count - 1 > (t->dims[2] - 1) / steps)))
		return fail(t, VX_ERROR_INVALID_PARAMETERS,
			    "vxCreateImageObjectArrayFromTensor: %zu images, %zu bytes apart, in %zu times %zu", count, jump,
			    t->dims[2], t->strides[2]);
	/* vxCreateImageObjectArrayFromTensor: pixels are elements */
	if (format == VX_DF_IMAGE_VIRT || format != format_of(t->data_type))
		return fail(t, VX_ERROR_INVALID_FORMAT,
			    "vxCreateImageObjectArrayFromTensor: images of format 0x%x in a tensor of type %s", format,
			    type_name(t->data_type));
	return tensor_allocate(t);
}

/* An image at an offset in the buffer of a tensor. */
static vx_image image_at(vx_tensor root, size_t offset, size_t stride, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	struct _vx_context *c = root->reference.context;
	vx_image image = image_create(&c->reference, width, height, format, false);
	if (!image)
		return NULL;
	struct plane *p = &image->planes[0];
	image->tensor = root;
	object_use(&root->reference);
	p->mem = root->mem;
	p->offset = offset;
	p->stride_y = (vx_int32)stride;
	device_retain(&c->device, p->mem);
	return image;
}

vx_image tensor_image(vx_tensor t, const vx_size *starts, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	size_t offset = t->offset;
	bool inside = t->num_dims >= 2 && width && height && format != VX_DF_IMAGE_VIRT && format == format_of(t->data_type);
	for (vx_size i = 0; inside && i < t->num_dims; i++) {
		const vx_size size = i == 0 ? width : i == 1 ? height : 1;
		inside = size <= t->dims[i] && starts[i] <= t->dims[i] - size;
		offset += starts[i] * t->strides[i];
	}
	if (!inside || t->strides[1] > INT32_MAX) {
		fail(t, VX_ERROR_INVALID_PARAMETERS, "%u x %u pixels of format 0x%x are no part of the tensor", width, height, format);
		return NULL;
	}
	if (tensor_allocate(t))
		return NULL;
	vx_image image = image_at(tensor_root(t), offset, t->strides[1], width, height, format);
	if (!image)
		fail(t, VX_ERROR_NO_MEMORY, "no memory for an image in a tensor");
	return image;
}

VX_API_ENTRY VX_EXPORT vx_object_array VX_API_CALL vxCreateImageObjectArrayFromTensor(vx_tensor tensor,
										      const vx_rectangle_t *rect,
										      vx_size array_size, vx_size jump,
										      vx_df_image image_format)
{
	ENTER_OR_NULL(tensor, VX_TYPE_TENSOR);
	struct _vx_context *c = tensor->reference.context;
	const vx_status status = check_images(tensor, rect, array_size, jump, image_format);
	if (status)
		return refused(c, status);
	vx_object_array a = data_create(&c->reference, &object_array_class, &(struct _vx_object_array){.item_type = VX_TYPE_IMAGE, .count = array_size}, false);
	for (vx_size i = 0; a && i < array_size; i++) {
		const size_t offset = tensor->offset + rect->start_y * tensor->strides[1] + rect->start_x * tensor->strides[0] + i * jump;
		a->items[i] = (vx_reference)image_at(tensor_root(tensor), offset, tensor->strides[1], rect->end_x - rect->start_x,
						     rect->end_y - rect->start_y, image_format);
		if (!a->items[i])
			return created(c, undone(a));
		part_adopt(a->items[i]);
	}
	return created(c, a);
}


/* ---- where a part lies ---- */
/* One element: the strides of a tensor tell where a byte lies, the highest first. A type that is not known yet leaves them 0. */
void tensor_place_at(vx_tensor root, size_t offset, struct place *out)
{
	*out = (struct place){.owner = root, .dims = root->num_dims};
	tensor_starts(root, offset, root->num_dims, out->start);
	for (vx_size i = 0; i < root->num_dims; i++)
		out->count[i] = 1;
}

void tensor_place(const void *object, struct place *out)
{
	const struct _vx_tensor_t *t = object;
	tensor_place_at(tensor_root((vx_tensor)(uintptr_t)object), t->offset, out);
	for (vx_size i = 0; i < t->num_dims; i++)
		out->count[i] = t->dims[i];
}

vx_reference tensor_parent(const void *object) { return (vx_reference)((const struct _vx_tensor_t *)object)->parent; }
