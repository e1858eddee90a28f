/* Tensors, views of tensors, and images in tensors (OpenVX 1.3, vx_tensor). */
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/clone.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/image.h"
#include "runtime/openvx/map.h"
#include <VX/vx_khr_opencl_interop.h>
#include <stdlib.h>
#include <string.h>

static bool tensor_is(vx_tensor t) { return object_is(t, VX_TYPE_TENSOR); }

static size_t element_of(const struct _vx_tensor_t *t) { return type_size(t->reference.context, t->data_type); }

vx_tensor tensor_root(vx_tensor t)
{
	while (t->parent)
		t = t->parent;
	return t;
}

/* ---- sizes ---- */
/* Bytes from the first element to behind the last; 0: elements overlap, or lie further apart than there is memory. */
static size_t span_of(vx_size num_dims, const vx_size *dims, const vx_size *strides, size_t element)
{
	size_t span = element, ahead;
	for (vx_size i = 0; i < num_dims; i++) {
		if (!strides[i] || (dims[i] > 1 && strides[i] < span))
			return 0;
		if (__builtin_mul_overflow(strides[i], dims[i] - 1, &ahead) || __builtin_add_overflow(span, ahead, &span))
			return 0;
	}
	return span <= PTRDIFF_MAX ? span : 0;
}

static size_t bytes_of(const struct _vx_tensor_t *t) { return span_of(t->num_dims, t->dims, t->strides, element_of(t)); }

/* Of elements one behind the other; false: too many. */
static bool pack(vx_size num_dims, const vx_size *dims, size_t element, vx_size *strides)
{
	size_t stride = element;
	for (vx_size i = 0; i < num_dims; i++) {
		strides[i] = stride;
		if (__builtin_mul_overflow(stride, dims[i], &stride) || stride > PTRDIFF_MAX)
			return false;
	}
	return true;
}

/* ---- memory ---- */
vx_status tensor_allocate(vx_tensor t)
{
	struct _vx_tensor_t *root = tensor_root(t);
	const size_t bytes = bytes_of(root);
	if (!root->mem && root->memory != VX_MEMORY_TYPE_NONE)
		return fail(t, VX_ERROR_NOT_ALLOCATED, "a tensor from a handle has no memory now: vxSwapTensorHandle");
	if (!bytes)
		return fail(t, VX_ERROR_NOT_ALLOCATED, "a virtual tensor has no size yet");
	if (!root->mem)
		root->mem = device_buffer(&t->reference.context->device, bytes);
	t->mem = root->mem;
	return t->mem ? VX_SUCCESS : fail(t, VX_ERROR_NO_MEMORY, "no memory for a tensor of %zu bytes", bytes);
}

/* The buffer for a handle that has been checked; NULL handle: none. */
static vx_status take(struct _vx_tensor_t *t, vx_enum memory, void *handle, cl_mem *out)
{
	struct device *d = &t->reference.context->device;
	*out = NULL;
	if (!handle)
		return VX_SUCCESS;
	if (memory == VX_MEMORY_TYPE_OPENCL_BUFFER) {
		device_retain(d, handle);
		*out = handle;
		return VX_SUCCESS;
	}
	*out = device_buffer_of(d, handle, bytes_of(t));
	return *out ? VX_SUCCESS : fail(t, VX_ERROR_NO_MEMORY, "%zu bytes at %p cannot be made the device's", bytes_of(t),
					handle);
}

/* What the device has written is in the application's memory once the buffer has been mapped; waits. */
static vx_status settle(struct _vx_tensor_t *t)
{
	struct device *d = &t->reference.context->device;
	void *host = t->mem ? device_map(d, t->mem, bytes_of(t), VX_READ_ONLY) : NULL;
	if (t->mem && !host)
		return fail(t, VX_FAILURE, "the memory of a tensor cannot be given back");
	if (host)
		device_unmap(d, t->mem, host);
	return device_finish(d);
}

/* ---- life ---- */
static void tensor_destroy(struct _vx_reference *ref)
{
	struct _vx_tensor_t *t = (struct _vx_tensor_t *)ref;
	if (t->parent) {
		if (object_known(t->parent)) {
			maps_drop(ref, &tensor_root(t)->maps);
			object_unuse(&t->parent->reference);
		}
		return;
	}
	maps_drop(ref, &t->maps);
	if (t->memory == VX_MEMORY_TYPE_HOST)
		settle(t); /* the application may free what it gave */
	device_release(&ref->context->device, t->mem);
}

vx_tensor tensor_create(struct _vx_context *c, struct _vx_reference *scope, vx_size num_dims, const vx_size *dims, vx_enum type,
			vx_int8 fixed_point_position, bool is_virtual)
{
	struct _vx_tensor_t *t = object_create(c, VX_TYPE_TENSOR, sizeof *t, scope, tensor_destroy);
	if (!t)
		return NULL;
	t->reference.is_virtual = is_virtual;
	t->num_dims = num_dims;
	for (vx_size i = 0; i < num_dims; i++)
		t->dims[i] = dims[i];
	t->data_type = type;
	t->fixed_point_position = fixed_point_position;
	pack(num_dims, dims, type_size(c, type), t->strides);
	t->memory = VX_MEMORY_TYPE_NONE;
	t->declared = tensor_meta_of(t);
	return t;
}

static vx_status check_shape(struct _vx_context *c, vx_size num_dims, const vx_size *dims, vx_enum type, bool may_be_open)
{
	vx_size strides[TENSOR_DIMS_MAX];
	/* vxCreateTensor: as many dimensions as VX_CONTEXT_MAX_TENSOR_DIMS allows, none of them empty */
	if (num_dims > TENSOR_DIMS_MAX || (!num_dims && !may_be_open))
		return fail(c, VX_ERROR_INVALID_DIMENSION, "a tensor of %zu dimensions", num_dims);
	if (num_dims && !dims)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "a tensor without the sizes of its %zu dimensions", num_dims);
	for (vx_size i = 0; i < num_dims; i++)
		if (!dims[i] && !may_be_open)
			return fail(c, VX_ERROR_INVALID_DIMENSION, "a tensor whose dimension %zu is empty", i);
	/* vxCreateTensor: numbers that kernels of tensors know */
	if (type != VX_TYPE_UINT8 && type != VX_TYPE_INT8 && type != VX_TYPE_INT16 && (type != VX_TYPE_INVALID || !may_be_open))
		return fail(c, VX_ERROR_INVALID_TYPE, "a tensor of type 0x%x", type);
	if (!pack(num_dims, dims, type_size(c, type), strides))
		return fail(c, VX_ERROR_INVALID_DIMENSION, "a tensor of more bytes than there is memory");
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_tensor VX_API_CALL vxCreateTensor(vx_context c, vx_size number_of_dims, const vx_size *dims,
							    vx_enum data_type, vx_int8 fixed_point_position)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	const vx_status status = check_shape(c, number_of_dims, dims, data_type, false);
	return status ? refused(c, status) : created(c, tensor_create(c, &c->reference, number_of_dims, dims, data_type,
								      fixed_point_position, false));
}

VX_API_ENTRY VX_EXPORT vx_tensor VX_API_CALL vxCreateVirtualTensor(vx_graph graph, vx_size number_of_dims, const vx_size *dims,
								   vx_enum data_type, vx_int8 fixed_point_position)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	/* vxCreateVirtualTensor: sizes, and the type, may be left open */
	const vx_status status = check_shape(c, number_of_dims, dims, data_type, true);
	return status ? refused(c, status) : created(c, tensor_create(c, &graph->reference, number_of_dims, dims, data_type,
								      fixed_point_position, true));
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseTensor(vx_tensor *tensor)
{
	return object_release((vx_reference *)tensor, VX_TYPE_TENSOR);
}

/* ---- what verification finds ---- */
struct tensor_meta tensor_meta_of(const struct _vx_tensor_t *t)
{
	struct tensor_meta m = {.num_dims = t->num_dims, .type = t->data_type, .position = t->fixed_point_position};
	for (vx_size i = 0; i < t->num_dims; i++)
		m.dims[i] = t->dims[i];
	return m;
}

void tensor_define(vx_tensor t, const struct tensor_meta *m)
{
	if (!t->reference.is_virtual || t->parent || t->mem)
		return;
	if (t->data_type == VX_TYPE_INVALID) {
		t->data_type = m->type;
		t->fixed_point_position = m->position;
	}
	if (!t->num_dims)
		t->num_dims = m->num_dims;
	for (vx_size i = 0; i < t->num_dims && i < m->num_dims; i++)
		if (!t->dims[i])
			t->dims[i] = m->dims[i];
	pack(t->num_dims, t->dims, element_of(t), t->strides);
}

static bool has_views(const struct _vx_tensor_t *t)
{
	const struct _vx_reference *ref = t->reference.context->first;
	while (ref && (ref->type != VX_TYPE_TENSOR || ((const struct _vx_tensor_t *)ref)->parent != t))
		ref = ref->next;
	return ref != NULL;
}

void tensor_undefine(vx_tensor t)
{
	const struct tensor_meta *m = &t->declared;
	if (!t->reference.is_virtual || t->parent || has_views(t))
		return;
	if (t->data_type == m->type && t->num_dims == m->num_dims && !memcmp(t->dims, m->dims, sizeof t->dims))
		return;
	device_release(&t->reference.context->device, t->mem);
	t->mem = NULL;
	t->num_dims = m->num_dims;
	memcpy(t->dims, m->dims, sizeof t->dims);
	t->data_type = m->type;
	t->fixed_point_position = m->position;
	pack(t->num_dims, t->dims, type_size(t->reference.context, t->data_type), t->strides);
}

/* ---- handles ---- */
static vx_status check_handle(struct _vx_context *c, vx_enum memory, void *handle, size_t bytes)
{
	/* vxCreateTensorFromHandle: memory of the host's; vx_khr_opencl_interop, 2.4: or a buffer of the context's */
	const vx_status status = memory_check(c, "a tensor from a handle", memory);
	if (status)
		return status;
	if (handle && memory == VX_MEMORY_TYPE_OPENCL_BUFFER && !device_owns(&c->device, handle, bytes))
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "%p is not a buffer of the context's with %zu bytes", handle, bytes);
	return VX_SUCCESS;
}

static vx_status check_strides(struct _vx_context *c, vx_size num_dims, const vx_size *dims, vx_enum type, const vx_size *strides,
			       size_t *bytes)
{
	const size_t element = type_size(c, type);
	*bytes = 0;
	/* vxCreateTensorFromHandle: elements side by side, rows that follow each other */
	if (!strides || strides[0] != element)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "a tensor without strides, or whose first one is not %zu bytes",
			    element);
	*bytes = span_of(num_dims, dims, strides, element);
	return *bytes ? VX_SUCCESS : fail(c, VX_ERROR_INVALID_PARAMETERS, "a tensor with strides in which elements overlap");
}

VX_API_ENTRY VX_EXPORT vx_tensor VX_API_CALL vxCreateTensorFromHandle(vx_context c, vx_size number_of_dims, const vx_size *dims,
								      vx_enum data_type, vx_int8 fixed_point_position,
								      const vx_size *stride, void *ptr, vx_enum memory_type)
{
	size_t bytes = 0;
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	vx_status status = check_shape(c, number_of_dims, dims, data_type, false);
	if (!status)
		status = check_strides(c, number_of_dims, dims, data_type, stride, &bytes);
	if (!status)
		status = check_handle(c, memory_type, ptr, bytes);
	if (status)
		return refused(c, status);
	vx_tensor t = tensor_create(c, &c->reference, number_of_dims, dims, data_type, fixed_point_position, false);
	if (!t)
		return created(c, NULL);
	memcpy(t->strides, stride, number_of_dims * sizeof *stride);
	t->memory = memory_type;
	t->host = ptr;
	/* vxSwapTensorHandle gives memory to a tensor that has none now */
	status = take(t, memory_type, ptr, &t->mem);
	if (!status)
		return t;
	undone(t);
	return refused(c, status);
}

/* Images that vxCreateImageObjectArrayFromTensor() has made of a tensor. */
static bool image_of(const struct _vx_reference *ref, const struct _vx_tensor_t *t)
{
	return ref->type == VX_TYPE_IMAGE && ((const struct _vx_image *)ref)->tensor == t;
}

static vx_status check_swap(struct _vx_tensor_t *t, void *new_ptr)
{
	/* vxSwapTensorHandle: not a view; a tensor of our own memory can only take some in exchange */
	if (t->parent || t->reference.is_virtual || (t->memory == VX_MEMORY_TYPE_NONE && !new_ptr))
		return fail(t, VX_ERROR_INVALID_PARAMETERS,
			    "vxSwapTensorHandle: a view, a virtual tensor, or one that is not from a handle");
	/* vxSwapTensorHandle: nobody is accessing the memory that goes */
	if (t->maps)
		return fail(t, VX_FAILURE, "vxSwapTensorHandle: the tensor, or a view of it, is mapped");
	for (const struct _vx_reference *ref = t->reference.context->first; ref && !new_ptr; ref = ref->next)
		if (image_of(ref, t))
			return fail(t, VX_FAILURE,
				    "vxSwapTensorHandle: there are images in the tensor, which would have no memory");
	return t->memory == VX_MEMORY_TYPE_NONE ? VX_SUCCESS : check_handle(t->reference.context, t->memory, new_ptr,
									    bytes_of(t));
}

/* Of a tensor of our own memory the application gets back what is in it, in memory of malloc() that is its own from then on. */
static vx_status copy_out(struct _vx_tensor_t *t, void **out)
{
	const size_t bytes = bytes_of(t);
	*out = calloc(1, bytes);
	if (!*out)
		return fail(t, VX_ERROR_NO_MEMORY, "no memory for %zu bytes of a tensor", bytes);
	return t->mem ? device_read(&t->reference.context->device, t->mem, 0, *out, bytes) : VX_SUCCESS;
}

/* Views and images of a tensor are where the tensor is now. */
static void move(struct _vx_tensor_t *t, cl_mem mem)
{
	struct _vx_context *c = t->reference.context;
	for (struct _vx_reference *ref = c->first; ref; ref = ref->next) {
		if (ref->type == VX_TYPE_TENSOR && tensor_root((struct _vx_tensor_t *)ref) == t && ref != &t->reference)
			((struct _vx_tensor_t *)ref)->mem = mem;
		if (!image_of(ref, t))
			continue;
		struct plane *p = &((struct _vx_image *)ref)->planes[0];
		device_retain(&c->device, mem);
		device_release(&c->device, p->mem);
		p->mem = mem;
	}
	device_release(&c->device, t->mem);
	t->mem = mem;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSwapTensorHandle(vx_tensor t, void *new_ptr, void **prev_ptr)
{
	cl_mem mem = NULL;
	if (!tensor_is(t))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSwapTensorHandle: not a tensor");
	LOCKED(t->reference.context);
	void *previous = t->host;
	const bool own = t->memory == VX_MEMORY_TYPE_NONE;
	vx_status status = check_swap(t, new_ptr);
	if (!status && own && prev_ptr)
		status = copy_out(t, &previous);
	/* memory of the host's is the application's again: what the device has to do with it is done. Of buffers that is for the
	 * coordination queue to know. */
	if (!status && t->memory == VX_MEMORY_TYPE_HOST)
		status = settle(t);
	if (!status)
		status = take(t, own ? VX_MEMORY_TYPE_HOST : t->memory, new_ptr, &mem);
	if (status) {
		if (own)
			free(previous);
		return status;
	}
	move(t, mem);
	t->host = new_ptr;
	if (own)
		t->memory = VX_MEMORY_TYPE_HOST;
	if (prev_ptr)
		*prev_ptr = previous;
	return VX_SUCCESS;
}

/* ---- parts ---- */
/* vxCopyTensorPatch, vxMapTensorPatch, vxCreateTensorFromView: dimensions of the tensor, in each a range that is not empty. Of
 * higher dimensions it is the first element. */
static vx_status check_range(vx_tensor t, const char *function, vx_size num_dims, const vx_size *start, const vx_size *end)
{
	if (!num_dims || num_dims > t->num_dims)
		return fail(t, VX_ERROR_INVALID_PARAMETERS, "%s: %zu dimensions of %zu", function, num_dims, t->num_dims);
	for (vx_size i = 0; i < num_dims; i++)
		if (start[i] >= end[i] || end[i] > t->dims[i])
			return fail(t, VX_ERROR_INVALID_PARAMETERS, "%s: elements %zu to %zu of %zu in dimension %zu", function,
				    start[i], end[i], t->dims[i], i);
	return VX_SUCCESS;
}

static struct block block_of(const struct _vx_tensor_t *t, vx_size num_dims, const vx_size *start, const vx_size *end)
{
	struct block block = {.offset = t->offset, .row = element_of(t), .dims = (unsigned)num_dims};
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
	vx_size dims[TENSOR_DIMS_MAX];
	if (!tensor_is(tensor))
		return NULL;
	struct _vx_context *c = tensor->reference.context;
	LOCKED(c);
	if (!view_start || !view_end)
		return refused(c, fail(tensor, VX_ERROR_INVALID_PARAMETERS, "vxCreateTensorFromView: no range"));
	if (!bytes_of(tensor))
		return refused(c, fail(tensor, VX_ERROR_INVALID_PARAMETERS, "vxCreateTensorFromView: a virtual tensor has no size yet"));
	const vx_status status = check_range(tensor, "vxCreateTensorFromView", number_of_dims, view_start, view_end);
	if (status)
		return refused(c, status);
	unsigned depth = 0;
	for (const struct _vx_tensor_t *t = tensor; t; t = t->parent)
		depth++;
	if (depth > DEPTH_MAX)
		return refused(c, fail(tensor, VX_ERROR_NO_RESOURCES, "vxCreateTensorFromView: a view of a view, and so on %u times: the most are %d", depth,
				       DEPTH_MAX));
	for (vx_size i = 0; i < number_of_dims; i++)
		dims[i] = view_end[i] - view_start[i];
	vx_tensor view = tensor_create(c, tensor->reference.scope, number_of_dims, dims, tensor->data_type,
				       tensor->fixed_point_position, tensor->reference.is_virtual);
	if (!view)
		return created(c, NULL);
	memcpy(view->strides, tensor->strides, number_of_dims * sizeof *view->strides);
	view->offset = block_of(tensor, number_of_dims, view_start, view_end).offset;
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
	const vx_status status = object_reach(&t->reference, "vxCreateImageObjectArrayFromTensor");
	if (status)
		return status;
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
	vx_image image = image_create(c, &c->reference, width, height, format, false);
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
	if (!tensor_is(tensor))
		return NULL;
	struct _vx_context *c = tensor->reference.context;
	LOCKED(c);
	const vx_status status = check_images(tensor, rect, array_size, jump, image_format);
	if (status)
		return refused(c, status);
	vx_object_array a = object_array_create(c, &c->reference, VX_TYPE_IMAGE, array_size, false);
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

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryTensor(vx_tensor t, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(t, VX_TYPE_TENSOR, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyTensorPatch(vx_tensor t, vx_size number_of_dims, const vx_size *view_start,
							       const vx_size *view_end, const vx_size *user_stride,
							       void *user_ptr, vx_enum usage, vx_enum user_memory_type)
{
	if (!tensor_is(t))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxCopyTensorPatch: not a tensor");
	LOCKED(t->reference.context);
	vx_status status = copy_check(&t->reference, "vxCopyTensorPatch", user_ptr, usage, user_memory_type);
	if (!status && (!view_start || !view_end || !user_stride))
		status = fail(t, VX_ERROR_INVALID_PARAMETERS, "vxCopyTensorPatch: no range, or no strides");
	if (!status)
		status = check_range(t, "vxCopyTensorPatch", number_of_dims, view_start, view_end);
	/* vxCopyTensorPatch: elements of the application's lie side by side */
	if (!status && user_stride[0] != element_of(t))
		status = fail(t, VX_ERROR_INVALID_PARAMETERS,
			      "vxCopyTensorPatch: a first stride of %zu bytes, where an element has %zu", user_stride[0],
			      element_of(t));
	if (!status)
		status = tensor_allocate(t);
	if (status)
		return status;
	const struct block block = block_of(t, number_of_dims, view_start, view_end);
	return block_copy(&t->reference, tensor_root(t)->mem, &block, user_stride, user_ptr, usage, user_memory_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapTensorPatch(vx_tensor t, vx_size number_of_dims, const vx_size *view_start,
							      const vx_size *view_end, vx_map_id *map_id, vx_size *stride,
							      void **ptr, vx_enum usage, vx_enum mem_type)
{
	static const vx_size zeros[TENSOR_DIMS_MAX];
	if (!tensor_is(t))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxMapTensorPatch: not a tensor");
	LOCKED(t->reference.context);
	/* vxMapTensorPatch: without a range it is all of the tensor */
	const vx_size *start = view_start ? view_start : zeros, *end = view_end ? view_end : t->dims;
	vx_status status = map_check(&t->reference, "vxMapTensorPatch", map_id, ptr, usage, mem_type);
	if (!status && !stride)
		status = fail(t, VX_ERROR_INVALID_PARAMETERS, "vxMapTensorPatch: no room for strides");
	if (!status)
		status = check_range(t, "vxMapTensorPatch", number_of_dims, start, end);
	if (!status)
		status = tensor_allocate(t);
	if (status)
		return status;
	struct _vx_tensor_t *root = tensor_root(t);
	const struct map_target target = {&t->reference, root->mem, bytes_of(root), &root->maps};
	const struct block block = block_of(t, number_of_dims, start, end);
	status = map_open(&target, &block, usage, mem_type, map_id, ptr);
	if (!status)
		map_strides(&block, mem_type, stride);
	return status;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxUnmapTensorPatch(vx_tensor t, const vx_map_id map_id)
{
	if (!tensor_is(t))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxUnmapTensorPatch: not a tensor");
	LOCKED(t->reference.context);
	return map_close(&t->reference, &tensor_root(t)->maps, map_id);
}
