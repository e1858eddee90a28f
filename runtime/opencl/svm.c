/* Shared virtual memory: not supported by the devices so far, and said so everywhere that OpenCL
 * 3.0 asks (appendix F.1: CL_DEVICE_SVM_CAPABILITIES is 0, clSVMAlloc gives NULL, and what needs
 * it is CL_INVALID_OPERATION). */
#include "runtime/opencl/objects.h"

cl_device_svm_capabilities svm_capabilities(void) { return 0; }

CL_API_ENTRY void *CL_API_CALL galena_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	/* 5.6.1: NULL when no device of the context has shared virtual memory */
	(void)context, (void)flags, (void)size, (void)alignment;
	log_write(LOG_DEBUG, "clSVMAlloc: shared virtual memory is not supported");
	return NULL;
}

CL_API_ENTRY void CL_API_CALL galena_clSVMFree(cl_context context, void *svm_pointer)
{
	/* 5.6.1: nothing can have been allocated, and NULL is ignored */
	(void)context, (void)svm_pointer;
}

/* 5.6.1: CL_INVALID_COMMAND_QUEUE, then CL_INVALID_OPERATION when the device has no shared virtual
 * memory. */
static cl_int svm_refuse(const char *function, cl_command_queue queue)
{
	if (!QUEUE_VALID(queue))
		return api_error(function, CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE", "queue %p is not valid",
				 (void *)queue);
	return api_error(function, CL_INVALID_OPERATION, "CL_INVALID_OPERATION", "shared virtual memory is not supported");
}

CL_API_ENTRY cl_int CL_API_CALL
galena_clEnqueueSVMFree(cl_command_queue queue, cl_uint num_pointers, void *pointers[],
			void(CL_CALLBACK *free_func)(cl_command_queue, cl_uint, void *[], void *), void *user_data,
			cl_uint num_events, const cl_event *wait_list, cl_event *event)
{
	(void)num_pointers, (void)pointers, (void)free_func, (void)user_data, (void)num_events, (void)wait_list, (void)event;
	return svm_refuse(__func__, queue);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *dst,
							   const void *src, size_t size, cl_uint num_events,
							   const cl_event *wait_list, cl_event *event)
{
	(void)blocking, (void)dst, (void)src, (void)size, (void)num_events, (void)wait_list, (void)event;
	return svm_refuse(__func__, queue);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSVMMemFill(cl_command_queue queue, void *svm_pointer, const void *pattern,
							    size_t pattern_size, size_t size, cl_uint num_events,
							    const cl_event *wait_list, cl_event *event)
{
	(void)svm_pointer, (void)pattern, (void)pattern_size, (void)size, (void)num_events, (void)wait_list, (void)event;
	return svm_refuse(__func__, queue);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags,
							void *svm_pointer, size_t size, cl_uint num_events,
							const cl_event *wait_list, cl_event *event)
{
	(void)blocking, (void)flags, (void)svm_pointer, (void)size, (void)num_events, (void)wait_list, (void)event;
	return svm_refuse(__func__, queue);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSVMUnmap(cl_command_queue queue, void *svm_pointer, cl_uint num_events,
							  const cl_event *wait_list, cl_event *event)
{
	(void)svm_pointer, (void)num_events, (void)wait_list, (void)event;
	return svm_refuse(__func__, queue);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint num_pointers,
							       const void **pointers, const size_t *sizes,
							       cl_mem_migration_flags flags, cl_uint num_events,
							       const cl_event *wait_list, cl_event *event)
{
	(void)num_pointers, (void)pointers, (void)sizes, (void)flags, (void)num_events, (void)wait_list, (void)event;
	return svm_refuse(__func__, queue);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
	(void)index, (void)value;
	/* 5.9.2: CL_INVALID_KERNEL */
	if (!KERNEL_VALID(kernel))
		return FAIL(CL_INVALID_KERNEL, "kernel %p is not valid", (void *)kernel);
	/* 5.9.2: CL_INVALID_OPERATION when no device has shared virtual memory */
	return FAIL(CL_INVALID_OPERATION, "shared virtual memory is not supported");
}

CL_API_ENTRY cl_int CL_API_CALL galena_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name, size_t size,
							    const void *value)
{
	(void)param_name, (void)size, (void)value;
	if (!KERNEL_VALID(kernel))
		return FAIL(CL_INVALID_KERNEL, "kernel %p is not valid", (void *)kernel);
	/* 5.9.2: CL_INVALID_OPERATION when no device has shared virtual memory */
	return FAIL(CL_INVALID_OPERATION, "shared virtual memory is not supported");
}
