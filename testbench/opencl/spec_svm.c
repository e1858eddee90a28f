/* Rules on shared virtual memory. */
#include "testbench/opencl/spec.h"

enum { BYTES = 4096 };
static char *svm;
static char host[BYTES];
static cl_event failed; /* a user event that has ended badly */

/* clSVMAlloc has no codes: NULL it is. */
#define NOTHING(id, flags, size, align) RULE(id, 0, api->clSVMAlloc(cl.context, (flags), (size), (align)) != NULL)

static void allocation(void **state)
{
	(void)state;
	cl_ulong most;
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
	NOTHING("CL_SVMALLOC_FLAGS", 1ull << 40, 64, 0);
	NOTHING("CL_SVMALLOC_FLAGS", CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0);
	NOTHING("CL_SVMALLOC_FLAGS_ATOMICS", CL_MEM_READ_WRITE | CL_MEM_SVM_ATOMICS, 64, 0);
	NOTHING("CL_SVMALLOC_SIZE", CL_MEM_READ_WRITE, 0, 0);
	NOTHING("CL_SVMALLOC_SIZE", CL_MEM_READ_WRITE, (size_t)most + 1, 0);
	NOTHING("CL_SVMALLOC_ALIGN", CL_MEM_READ_WRITE, 64, 3);
	NOTHING("CL_SVMALLOC_ALIGN", CL_MEM_READ_WRITE, 64, 1u << 30);
}

static void freeing(void **state)
{
	(void)state;
	void *list[] = {svm};
	RULE("CL_ENQUEUESVMFREE_LIST_COUNT", CL_INVALID_VALUE, api->clEnqueueSVMFree(cl.queue, 0, list, NULL, NULL, 0, NULL, NULL));
	RULE("CL_ENQUEUESVMFREE_LIST_NULL", CL_INVALID_VALUE, api->clEnqueueSVMFree(cl.queue, 1, NULL, NULL, NULL, 0, NULL, NULL));
}

#define COPY(dst, src, size, n, list) api->clEnqueueSVMMemcpy(cl.queue, CL_TRUE, (dst), (src), (size), (n), (list), NULL)
#define FILL(ptr, pattern, bytes, size) api->clEnqueueSVMMemFill(cl.queue, (ptr), (pattern), (bytes), (size), 0, NULL, NULL)

static void copies(void **state)
{
	(void)state;
	RULE("CL_ENQUEUESVMMEMCPY_DST_NULL", CL_INVALID_VALUE, COPY(NULL, svm, 16, 0, NULL));
	RULE("CL_ENQUEUESVMMEMCPY_SRC_NULL", CL_INVALID_VALUE, COPY(svm, NULL, 16, 0, NULL));
	RULE("CL_ENQUEUESVMMEMCPY_OVERLAP", CL_MEM_COPY_OVERLAP, COPY(svm, svm + 15, 16, 0, NULL));
	RULE("CL_ENQUEUESVMMEMCPY_OVERLAP", CL_MEM_COPY_OVERLAP, COPY(svm + 15, svm, 16, 0, NULL));
	CL_OK(COPY(svm + 16, svm, 16, 0, NULL));
	RULE("CL_ENQUEUESVMMEMCPY_FAILED_EVENT", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, COPY(svm, host, 16, 1, &failed));
	RULE("CL_ENQUEUESVMMEMFILL_PTR_NULL", CL_INVALID_VALUE, FILL(NULL, host, 4, 16));
	RULE("CL_ENQUEUESVMMEMFILL_ALIGN", CL_INVALID_VALUE, FILL(svm + 2, host, 4, 16));
	RULE("CL_ENQUEUESVMMEMFILL_PATTERN_NULL", CL_INVALID_VALUE, FILL(svm, NULL, 4, 16));
	RULE("CL_ENQUEUESVMMEMFILL_PATTERN_ZERO", CL_INVALID_VALUE, FILL(svm, host, 0, 16));
	RULE("CL_ENQUEUESVMMEMFILL_PATTERN_POWER", CL_INVALID_VALUE, FILL(svm, host, 3, 15));
	RULE("CL_ENQUEUESVMMEMFILL_PATTERN_MAX", CL_INVALID_VALUE, FILL(svm, host, 256, 512));
	RULE("CL_ENQUEUESVMMEMFILL_SIZE", CL_INVALID_VALUE, FILL(svm, host, 4, 15));
}

static void maps(void **state)
{
	(void)state;
#define MAP(flags, ptr, size, n, list) api->clEnqueueSVMMap(cl.queue, CL_TRUE, (flags), (ptr), (size), (n), (list), NULL)
	RULE("CL_ENQUEUESVMMAP_PTR_NULL", CL_INVALID_VALUE, MAP(CL_MAP_READ, NULL, 16, 0, NULL));
	RULE("CL_ENQUEUESVMMAP_SIZE_ZERO", CL_INVALID_VALUE, MAP(CL_MAP_READ, svm, 0, 0, NULL));
	RULE("CL_ENQUEUESVMMAP_FLAGS", CL_INVALID_VALUE, MAP(1u << 20, svm, 16, 0, NULL));
	RULE("CL_ENQUEUESVMMAP_FLAGS", CL_INVALID_VALUE, MAP(CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, svm, 16, 0, NULL));
	RULE("CL_ENQUEUESVMMAP_FAILED_EVENT", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, MAP(CL_MAP_READ, svm, 16, 1, &failed));
	RULE("CL_ENQUEUESVMUNMAP_PTR_NULL", CL_INVALID_VALUE, api->clEnqueueSVMUnmap(cl.queue, NULL, 0, NULL, NULL));
	const void *list[] = {svm};
	const size_t too_long = BYTES + 1;
#define MIGRATE(n, list, sizes, flags) api->clEnqueueSVMMigrateMem(cl.queue, (n), (list), (sizes), (flags), 0, NULL, NULL)
	RULE("CL_ENQUEUESVMMIGRATEMEM_LIST_ZERO", CL_INVALID_VALUE, MIGRATE(0, list, NULL, 0));
	RULE("CL_ENQUEUESVMMIGRATEMEM_LIST_NULL", CL_INVALID_VALUE, MIGRATE(1, NULL, NULL, 0));
	RULE("CL_ENQUEUESVMMIGRATEMEM_FLAGS", CL_INVALID_VALUE, MIGRATE(1, list, NULL, 1u << 20));
	RULE("CL_ENQUEUESVMMIGRATEMEM_RANGE", CL_INVALID_VALUE, MIGRATE(1, list, &too_long, 0));
}

static void kernels(void **state)
{
	(void)state;
	cl_program p = spec_program(cl.context, "kernel void k(global int *p, int n) { *p = n; }");
	cl_kernel k = spec_kernel(p, "k");
	cl_bool yes = CL_TRUE;
	void *pointers[] = {svm}, *elsewhere[] = {host};
	RULE("CL_SETKERNELARGSVMPOINTER_INDEX", CL_INVALID_ARG_INDEX, api->clSetKernelArgSVMPointer(k, 2, svm));
	RULE("CL_SETKERNELARGSVMPOINTER_VALUE", CL_INVALID_ARG_VALUE, api->clSetKernelArgSVMPointer(k, 1, svm));
	RULE("CL_SETKERNELARGSVMPOINTER_VALUE", CL_INVALID_ARG_VALUE, api->clSetKernelArgSVMPointer(k, 0, host));
#define INFO(name, size, value) api->clSetKernelExecInfo(k, (name), (size), (value))
	RULE("CL_SETKERNELEXECINFO_SYSTEM", CL_INVALID_OPERATION, INFO(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
	RULE("CL_SETKERNELEXECINFO_PARAM_NAME", CL_INVALID_VALUE, INFO(0x7fff, sizeof yes, &yes));
	RULE("CL_SETKERNELEXECINFO_VALUE_NULL", CL_INVALID_VALUE, INFO(CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, NULL));
	RULE("CL_SETKERNELEXECINFO_PARAM_SIZE", CL_INVALID_VALUE, INFO(CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, pointers));
	RULE("CL_SETKERNELEXECINFO_PARAM_SIZE", CL_INVALID_VALUE, INFO(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &yes));
	RULE("CL_SETKERNELEXECINFO_POINTER", CL_INVALID_VALUE, INFO(CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof elsewhere, elsewhere));
	CL_OK(INFO(CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointers, pointers));
	CL_OK(api->clReleaseKernel(k));
	CL_OK(api->clReleaseProgram(p));
}

static int setup(void **state)
{
	if (spec_setup(state))
		return -1;
	svm = api->clSVMAlloc(cl.context, CL_MEM_READ_WRITE, BYTES, 0);
	failed = api->clCreateUserEvent(cl.context, NULL);
	return !svm || !failed || api->clSetUserEventStatus(failed, -7);
}

static int teardown(void **state)
{
	int code = clFinish(cl.queue) || clReleaseEvent(failed);
	api->clSVMFree(cl.context, svm);
	return code || cl_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocation), cmocka_unit_test(freeing), cmocka_unit_test(copies), cmocka_unit_test(maps), cmocka_unit_test(kernels),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
