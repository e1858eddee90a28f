/* Shared virtual memory as what kernels work on. Every allocation of a context is mapped for all of its devices as long
 * as it lives, so of what else a kernel may reach nothing has to be kept, only checked. */
#include "runtime/opencl/kernel.h"
#include "runtime/opencl/svm.h"

CL_API_ENTRY cl_int CL_API_CALL galena_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
	/* CL_SETKERNELARGSVMPOINTER_KERNEL: 5.9.2: CL_INVALID_KERNEL; CL_INVALID_OPERATION would be for
	 * contexts of devices without shared virtual memory, and there are none */
	NEED_KERNEL(kernel);
	/* CL_SETKERNELARGSVMPOINTER_INDEX: 5.9.2: CL_INVALID_ARG_INDEX */
	FAIL_IF(index >= kernel->num_args, CL_INVALID_ARG_INDEX, "\"%s\" has %u arguments, no %u", kernel->name, kernel->num_args, index);
	/* CL_SETKERNELARGSVMPOINTER_VALUE: 5.9.2: CL_INVALID_ARG_VALUE for an argument that is no pointer to global or
	 * constant memory */
	const struct note_arg *arg = &kernel->args[index];
	if (arg->kind != NOTE_ARG_GLOBAL && arg->kind != NOTE_ARG_CONSTANT)
		return FAIL(CL_INVALID_ARG_VALUE, "\"%s\" argument %u is not a pointer to global or constant memory", kernel->name, index);
	/* CL_SETKERNELARGSVMPOINTER_VALUE: 5.9.2: CL_INVALID_ARG_VALUE for a pointer into no allocation of the
	 * context; one right behind an allocation is one that a kernel may compare with */
	if (value && svm_place(kernel->context, value, 0) != SVM_INSIDE)
		return FAIL(CL_INVALID_ARG_VALUE, "\"%s\" argument %u: %p lies in no SVM allocation of the context", kernel->name, index,
			    value);
	HOLDING(&kernel->lock);
	struct kernel_arg *v = &kernel->values[index];
	kernel->num_unset -= !v->set;
	*v = (struct kernel_arg){.set = true, .svm = (uintptr_t)value};
	return CL_SUCCESS;
}

/* 5.9.2, table of kernel execution properties */
static cl_int check_pointers(const struct _cl_kernel *k, size_t size, const void *const *pointers)
{
	/* CL_SETKERNELEXECINFO_PARAM_SIZE, CL_SETKERNELEXECINFO_VALUE_NULL: CL_INVALID_VALUE unless it is a list of pointers; none is an empty set */
	if (size % sizeof *pointers || (size && !pointers))
		return FAIL(CL_INVALID_VALUE, "\"%s\": a list of pointers of %zu bytes at %p", k->name, size, (const void *)pointers);
	/* CL_SETKERNELEXECINFO_POINTER: each one points into an allocation */
	for (size_t i = 0; i < size / sizeof *pointers; i++)
		if (svm_place(k->context, pointers[i], 1) != SVM_INSIDE)
			return FAIL(CL_INVALID_VALUE, "\"%s\": entry %zu, %p, lies in no SVM allocation of the context", k->name, i, pointers[i]);
	return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL galena_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name, size_t size,
							    const void *value)
{
	/* CL_SETKERNELEXECINFO_KERNEL: 5.9.2: CL_INVALID_KERNEL */
	NEED_KERNEL(kernel);
	switch (param_name) {
	case CL_KERNEL_EXEC_INFO_SVM_PTRS: return check_pointers(kernel, size, value);
	case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
		/* CL_SETKERNELEXECINFO_PARAM_SIZE, CL_SETKERNELEXECINFO_VALUE_NULL: CL_INVALID_VALUE */
		FAIL_IF(size != sizeof(cl_bool) || !value, CL_INVALID_VALUE, "\"%s\": a cl_bool of %zu bytes at %p", kernel->name, size, value);
		/* CL_SETKERNELEXECINFO_SYSTEM: CL_INVALID_OPERATION for what no device has */
		FAIL_IF(*(const cl_bool *)value, CL_INVALID_OPERATION, "no device has fine-grain system memory");
		return CL_SUCCESS;
	}
	/* CL_SETKERNELEXECINFO_PARAM_NAME: CL_INVALID_VALUE */
	return FAIL(CL_INVALID_VALUE, "unknown property 0x%x of a kernel's execution", param_name);
}
