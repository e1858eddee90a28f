/* Queries about kernels. */
#include "runtime/opencl/kernel.h"
#include <string.h>

CL_API_ENTRY cl_int CL_API_CALL galena_clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, INFO_PARAMETERS)
{
	/* CL_GETKERNELINFO_KERNEL: a kernel */
	NEED_KERNEL(kernel);
	switch (param_name) {
	case CL_KERNEL_FUNCTION_NAME: return INFO_STRING(kernel->name);
	case CL_KERNEL_NUM_ARGS: return INFO(cl_uint, kernel->num_args);
	case CL_KERNEL_REFERENCE_COUNT: return INFO(cl_uint, object_refs(&kernel->object));
	case CL_KERNEL_CONTEXT: return INFO(cl_context, kernel->context);
	case CL_KERNEL_PROGRAM: return INFO(cl_program, kernel->program);
	case CL_KERNEL_ATTRIBUTES: return INFO_STRING(kernel_object_string(kernel->code->object, kernel->note->attributes));
	/* CL_GETKERNEL*INFO_PARAM_NAME: a query that there is */
	default: return FAIL(CL_INVALID_VALUE, "query 0x%x is not known", param_name);
	}
}

CL_API_ENTRY cl_int CL_API_CALL galena_clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_index, cl_kernel_arg_info param_name, INFO_PARAMETERS)
{
	NEED_KERNEL(kernel);
	/* CL_GETKERNELARGINFO_KERNEL, CL_GETKERNELARGINFO_INDEX: OpenCL 3.0, 5.9.3: a kernel, an argument of it */
	FAIL_IF(arg_index >= kernel->num_args, CL_INVALID_ARG_INDEX, "\"%s\" has %u arguments, no %u", kernel->name, kernel->num_args, arg_index);
	const struct note_arg *arg = &kernel->args[arg_index];
	/* 5.9.3 allows CL_KERNEL_ARG_INFO_NOT_AVAILABLE without -cl-kernel-arg-info; it is always there */
	switch (param_name) {
	case CL_KERNEL_ARG_ADDRESS_QUALIFIER: return INFO(cl_kernel_arg_address_qualifier, arg->address_qualifier);
	case CL_KERNEL_ARG_ACCESS_QUALIFIER: return INFO(cl_kernel_arg_access_qualifier, arg->access_qualifier);
	case CL_KERNEL_ARG_TYPE_NAME: return INFO_STRING(kernel_object_string(kernel->code->object, arg->type_name));
	case CL_KERNEL_ARG_TYPE_QUALIFIER: return INFO(cl_kernel_arg_type_qualifier, arg->type_qualifier);
	case CL_KERNEL_ARG_NAME: return INFO_STRING(kernel_object_string(kernel->code->object, arg->name));
	default: return FAIL(CL_INVALID_VALUE, "query 0x%x is not known", param_name);
	}
}

/* The device of a query: given, or the only one of the kernel. 5.9.3: CL_INVALID_DEVICE if it is
 * not one that the kernel has an executable for, or is left out and there are several. */
static cl_int kernel_device_select(const char *function, cl_kernel kernel, cl_device_id *device)
{
	cl_device_id only = NULL;
	unsigned count = 0;
	for (unsigned i = 0; i < kernel->program->num_devices; i++) {
		cl_device_id d = kernel->program->devices[i];
		if (!kernel->device[i].code)
			continue;
		if (*device == d)
			return CL_SUCCESS;
		only = d;
		count++;
	}
	if (!*device && count == 1) {
		*device = only;
		return CL_SUCCESS;
	}
	/* CL_GETKERNEL*GROUPINFO_DEVICE, CL_GETKERNEL*GROUPINFO_DEVICE_FOREIGN, CL_GETKERNEL*GROUPINFO_DEVICE_NULL: one of the kernel's devices */
	return api_error(function, CL_INVALID_DEVICE, "CL_INVALID_DEVICE",
			 *device ? "\"%s\" has no code for the device" : "\"%s\" is on several devices: name one", kernel->name);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name,
								INFO_PARAMETERS)
{
	size_t size[3];
	uint64_t local;
	NEED_KERNEL(kernel);
	/* CL_GETKERNELWORKGROUPINFO_KERNEL, CL_GETKERNELSUBGROUPINFO_KERNEL: a kernel */
	TRY(kernel_device_select(__func__, kernel, &device));
	const struct note_kernel *note = kernel_on(kernel, device)->note;
	switch (param_name) {
	case CL_KERNEL_GLOBAL_WORK_SIZE:
		/* CL_GETKERNELWORKGROUPINFO_GLOBAL_SIZE: 5.9.3: CL_INVALID_VALUE unless the device is a custom one or the kernel built in */
		return FAIL(CL_INVALID_VALUE, "neither a custom device nor a built-in kernel");
	case CL_KERNEL_WORK_GROUP_SIZE: return INFO(size_t, device->info->max_wg_size);
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
		for (int d = 0; d < 3; d++)
			size[d] = note->reqd_local_size[d];
		return INFO_BYTES(size, sizeof size);
	case CL_KERNEL_LOCAL_MEM_SIZE:
		pthread_mutex_lock(&kernel->lock);
		local = kernel_local_bytes(kernel, note);
		pthread_mutex_unlock(&kernel->lock);
		return INFO(cl_ulong, local);
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return INFO(size_t, device->info->lanes);
	case CL_KERNEL_PRIVATE_MEM_SIZE: return INFO(cl_ulong, note->private_bytes);
	default: return FAIL(CL_INVALID_VALUE, "query 0x%x is not known", param_name);
	}
}

CL_API_ENTRY cl_int CL_API_CALL galena_clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
							       size_t input_value_size, const void *input_value, INFO_PARAMETERS)
{
	const size_t *in = input_value, dims = input_value_size / sizeof *in;
	size_t items = 1;
	NEED_KERNEL(kernel);
	TRY(kernel_device_select(__func__, kernel, &device));
	/* 5.9.3: CL_INVALID_OPERATION would be for devices without subgroups, and there are none */
	const size_t lanes = device->info->lanes, most = device->info->max_wg_size;
	switch (param_name) {
	case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
	case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
		/* CL_GETKERNELSUBGROUPINFO_INPUT: 5.9.3: CL_INVALID_VALUE unless the input is a work-group size of 1 to 3 dimensions */
		if (!in || input_value_size % sizeof *in || !dims || dims > 3)
			return FAIL(CL_INVALID_VALUE, "input of %zu bytes is no work-group size", input_value_size);
		for (size_t i = 0; i < dims; i++)
			if (__builtin_mul_overflow(items, in[i], &items))
				items = SIZE_MAX;
		if (param_name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE)
			return INFO(size_t, items < lanes ? items : lanes);
		return INFO(size_t, items > most ? 0 : (items + lanes - 1) / lanes);
	case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: {
		size_t out[3] = {1, 1, 1}, wanted = param_value_size / sizeof(size_t);
		/* 5.9.3: CL_INVALID_VALUE unless the input is a count and the output 1 to 3 sizes; zeros
		 * when no work-group has so many subgroups */
		if (!in || input_value_size != sizeof *in || (param_value && (!wanted || wanted > 3)))
			return FAIL(CL_INVALID_VALUE, "input of %zu bytes is no count", input_value_size);
		if (!*in || *in > most / lanes)
			memset(out, 0, sizeof out);
		else
			out[0] = *in * lanes;
		return INFO_BYTES(out, (wanted && wanted <= 3 ? wanted : 3) * sizeof *out);
	}
	case CL_KERNEL_MAX_NUM_SUB_GROUPS: return INFO(size_t, (most + lanes - 1) / lanes);
	case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: return INFO(size_t, 0);
	default: return FAIL(CL_INVALID_VALUE, "query 0x%x is not known", param_name);
	}
}

CL_API_ENTRY cl_int CL_API_CALL galena_clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param_name,
								  size_t input_value_size, const void *input_value, INFO_PARAMETERS)
{
	return galena_clGetKernelSubGroupInfo(kernel, device, param_name, input_value_size, input_value, INFO_ARGUMENTS);
}
