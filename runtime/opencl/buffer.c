/* Buffers and sub-buffers. */
#include "runtime/opencl/external.h"
#include "runtime/opencl/svm.h"
#include <stdlib.h>

cl_int buffer_check_size(const struct _cl_context *c, size_t size)
{
	/* CL_CREATEBUFFER*_SIZE_ZERO, CL_IMPORTMEMORYARM_SIZE_ZERO: OpenCL 3.0, 5.2.1: not 0 */
	FAIL_IF(!size, CL_INVALID_BUFFER_SIZE, "a buffer of 0 bytes");
	/* CL_CREATEBUFFER*_SIZE_MAX, CL_IMPORTMEMORYARM_SIZE_MAX: no more than some device of the context can have */
	for (unsigned i = 0; i < c->num_devices; i++)
		if (size <= device_max_alloc(c->devices[i]))
			return CL_SUCCESS;
	return FAIL(CL_INVALID_BUFFER_SIZE, "%zu bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE", size);
}

static cl_mem buffer_create(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags, size_t size, void *host_ptr,
			    cl_int *errcode_ret)
{
	/* CL_CREATEBUFFER*_CONTEXT: a context */
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "not a context");
	size_t num_properties;
	struct external external = {0};
	TRY_NULL(errcode_ret, external_properties(context, properties, &external, &num_properties));
	TRY_NULL(errcode_ret, external_check(&external, flags, host_ptr));
	TRY_NULL(errcode_ret, mem_check_flags(flags, host_ptr));
	TRY_NULL(errcode_ret, buffer_check_size(context, size));
	/* OpenCL 3.0, 5.2.1: shared virtual memory is at least as large as the buffer */
	/* CL_CREATEBUFFER*_SIZE_SVM: it ends with the allocation that it begins in */
	if (host_ptr && svm_place(context, host_ptr, size) == SVM_ACROSS)
		return FAIL_NULL(errcode_ret, CL_INVALID_BUFFER_SIZE, "%zu bytes at %p leave the SVM allocation that they begin in", size, host_ptr);
	struct _cl_mem *m = mem_create(context, CL_MEM_OBJECT_BUFFER, flags, size, properties, num_properties);
	FAIL_NULL_IF(!m, errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for the buffer");
	cl_int code = external.given ? external_place(m, &external) : mem_place(m, host_ptr, (const size_t[3]){size, 1, 1}, size, size);
	return api_object(errcode_ret, code, &m->object);
}

cl_mem CL_API_CALL galena_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
	return buffer_create(context, NULL, flags, size, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL galena_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
						       size_t size, void *host_ptr, cl_int *errcode_ret)
{
	return buffer_create(context, properties, flags, size, host_ptr, errcode_ret);
}

/* OpenCL 3.0, 5.2.2 */
static cl_int check_region(const struct _cl_mem *buffer, cl_buffer_create_type type, const cl_buffer_region *r)
{
	/* CL_CREATESUBBUFFER_TYPE, CL_CREATESUBBUFFER_INFO_NULL: the only way of making one is by a region */
	FAIL_IF(type != CL_BUFFER_CREATE_TYPE_REGION || !r, CL_INVALID_VALUE, "no region to make a sub-buffer of");
	/* CL_CREATESUBBUFFER_SIZE_ZERO: not empty */
	FAIL_IF(!r->size, CL_INVALID_BUFFER_SIZE, "a sub-buffer of 0 bytes");
	/* CL_CREATESUBBUFFER_REGION: within the buffer */
	if (r->origin > buffer->size || r->size > buffer->size - r->origin)
		return FAIL(CL_INVALID_VALUE, "region %zu+%zu is beyond the buffer's %zu bytes", r->origin, r->size, buffer->size);
	/* CL_CREATESUBBUFFER_ALIGN: the origin is aligned for some device of the context; all devices have the same alignment */
	FAIL_IF(r->origin % DEVICE_MEM_BASE_ALIGN, CL_MISALIGNED_SUB_BUFFER_OFFSET, "origin %zu is not a multiple of %d", r->origin, DEVICE_MEM_BASE_ALIGN);
	return CL_SUCCESS;
}

cl_mem CL_API_CALL galena_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
					    cl_int *errcode_ret)
{
	/* CL_CREATESUBBUFFER_BUFFER, CL_CREATESUBBUFFER_BUFFER_PART: 5.2.2: a buffer, and not itself a part of one */
	if (!MEM_VALID(buffer) || buffer->type != CL_MEM_OBJECT_BUFFER || buffer->parent)
		return FAIL_NULL(errcode_ret, CL_INVALID_MEM_OBJECT, "not a buffer, or a sub-buffer");
	TRY_NULL(errcode_ret, mem_check_child_flags(buffer->flags, &flags));
	TRY_NULL(errcode_ret, check_region(buffer, type, info));
	const cl_buffer_region *r = info;
	struct _cl_mem *m = mem_create(buffer->context, CL_MEM_OBJECT_BUFFER, flags, r->size, NULL, 0);
	FAIL_NULL_IF(!m, errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for the sub-buffer");
	mem_attach(m, buffer, r->origin);
	return api_result(errcode_ret, CL_SUCCESS, m);
}

/* Pipes are optional in OpenCL 3.0; 5.4.1: CL_INVALID_OPERATION where no device has them. */
cl_mem CL_API_CALL galena_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
				       const cl_pipe_properties *properties, cl_int *errcode_ret)
{
	(void)flags, (void)packet_size, (void)max_packets, (void)properties;
	/* CL_CREATEPIPE_CONTEXT: a context */
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "not a context");
	/* CL_CREATEPIPE_SUPPORT: a device of it has pipes */
	return FAIL_NULL(errcode_ret, CL_INVALID_OPERATION, "no device has pipes");
}

cl_int CL_API_CALL galena_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, INFO_PARAMETERS)
{
	(void)pipe, (void)param_name, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
	/* CL_GETPIPEINFO_MEM: a pipe */
	return FAIL(CL_INVALID_MEM_OBJECT, "not a pipe: there are none");
}
