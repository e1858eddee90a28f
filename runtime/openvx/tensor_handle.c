/* Tensors from handles: in memory that the application has given (OpenVX 1.3, vxCreateTensorFromHandle, vxSwapTensorHandle). */
#include "runtime/openvx/graph.h"
#include "runtime/openvx/tensor.h"
#include <VX/vx_khr_opencl_interop.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */
/* What the device has written is in the application's memory once the buffer has been mapped; waits. */
vx_status tensor_give_back(vx_tensor t)
{
	struct device *d = &t->reference.context->device;
	void *host = t->mem ? device_map(d, t->mem, tensor_bytes(t), VX_READ_ONLY) : NULL;
	FAIL_IF(t->mem && !host, t, VX_FAILURE, "the memory of a tensor cannot be given back");
	if (host)
		device_unmap(d, t->mem, host);
	return device_finish(d);
}

/* ---- handles ---- */
static vx_status check_handle(struct _vx_context *c, vx_enum memory, void *handle, size_t bytes)
{
	/* vxCreateTensorFromHandle: memory of the host's; vx_khr_opencl_interop, 2.4: or a buffer of the context's */
	TRY(memory_check(c, "a tensor from a handle", memory));
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
	*bytes = shape_bytes(num_dims, dims, strides, element);
	return *bytes ? VX_SUCCESS : fail(c, VX_ERROR_INVALID_PARAMETERS, "a tensor with strides in which elements overlap");
}

VX_API_ENTRY VX_EXPORT vx_tensor VX_API_CALL vxCreateTensorFromHandle(vx_context c, vx_size number_of_dims, const vx_size *dims,
								      vx_enum data_type, vx_int8 fixed_point_position,
								      const vx_size *stride, void *ptr, vx_enum memory_type)
{
	struct _vx_tensor_t prototype;
	size_t bytes = 0;
	ENTER_OR_NULL(c, VX_TYPE_CONTEXT);
	vx_status status = tensor_prototype(c, number_of_dims, dims, data_type, fixed_point_position, &prototype);
	if (!status)
		status = tensor_class.check(&c->reference, &prototype);
	if (!status)
		status = check_strides(c, number_of_dims, dims, data_type, stride, &bytes);
	if (!status)
		status = check_handle(c, memory_type, ptr, bytes);
	if (status)
		return refused(c, status);
	vx_tensor t = data_create(&c->reference, &tensor_class, &prototype, false);
	if (!t)
		return created(c, NULL);
	memcpy(t->strides, stride, number_of_dims * sizeof *stride);
	t->memory = memory_type;
	t->host = ptr;
	/* vxSwapTensorHandle gives memory to a tensor that has none now */
	status = memory_take(&t->reference, memory_type, ptr, tensor_bytes(t), &t->mem);
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
	/* vxSwapTensorHandle: the memory that is given back is not mapped */
	FAIL_IF(t->maps, t, VX_FAILURE, "vxSwapTensorHandle: the tensor, or a view of it, is mapped");
	for (const struct _vx_reference *ref = LIST_FIRST(&t->reference.context->objects); ref && !new_ptr; ref = LIST_NEXT(ref, of_context))
		if (image_of(ref, t))
			return fail(t, VX_FAILURE,
				    "vxSwapTensorHandle: there are images in the tensor, which would have no memory");
	return t->memory == VX_MEMORY_TYPE_NONE ? VX_SUCCESS : check_handle(t->reference.context, t->memory, new_ptr,
									    tensor_bytes(t));
}

/* Of a tensor of our own memory the application gets back what is in it, in memory of malloc() that is its own from then on. */
static vx_status copy_out(struct _vx_tensor_t *t, void **out)
{
	const size_t bytes = tensor_bytes(t);
	*out = calloc(1, bytes);
	FAIL_IF(!*out, t, VX_ERROR_NO_MEMORY, "no memory for %zu bytes of a tensor", bytes);
	return t->mem ? device_read(&t->reference.context->device, t->mem, 0, *out, bytes) : VX_SUCCESS;
}

/* Views and images of a tensor are where the tensor is now. */
static void move(struct _vx_tensor_t *t, cl_mem mem)
{
	struct _vx_context *c = t->reference.context;
	for (struct _vx_reference *ref = LIST_FIRST(&c->objects); ref; ref = LIST_NEXT(ref, of_context)) {
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
	ENTER(t, VX_TYPE_TENSOR);
	void *previous = t->host;
	const bool own = t->memory == VX_MEMORY_TYPE_NONE;
	vx_status status = check_swap(t, new_ptr);
	if (!status && own && prev_ptr)
		status = copy_out(t, &previous);
	/* memory of the host's is the application's again: what the device has to do with it is done. Of buffers that is for the
	 * coordination queue to know. */
	if (!status && t->memory == VX_MEMORY_TYPE_HOST)
		status = tensor_give_back(t);
	if (!status)
		status = memory_take(&t->reference, own ? VX_MEMORY_TYPE_HOST : t->memory, new_ptr, tensor_bytes(t), &mem);
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

