/* What the tests of imports share: the extension's function, a program, kernels of it that say how they end. */
#ifndef GALENA_TESTBENCH_IMPORT_H
#define GALENA_TESTBENCH_IMPORT_H
#include "testbench/opencl/cl_test.h"

__attribute__((unused)) static __typeof__(clImportMemoryARM) *import;
__attribute__((unused)) static cl_program program;
__attribute__((unused)) static bool coherent; /* the devices' caches are, with the host's */

/* cl_test_setup, then the program. */
__attribute__((unused)) static int import_setup(void **state, const char *source)
{
	cl_device_svm_capabilities svm;
	cl_int code;
	if (cl_test_setup(state) || clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL))
		return -1;
	coherent = svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
	import = (__typeof__(clImportMemoryARM) *)clGetExtensionFunctionAddressForPlatform(cl.platform, "clImportMemoryARM");
	program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
	return !import || code || clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL) ? -1 : 0;
}

__attribute__((unused)) static int import_teardown(void **state) { return clReleaseProgram(program) || cl_test_teardown(state); }

__attribute__((unused)) static cl_kernel kernel_of(const char *name)
{
	cl_int code;
	cl_kernel k = clCreateKernel(program, name, &code);
	CL_OK(code);
	return k;
}

/* Runs the kernel, which goes, and returns how it ended. items[1] 0: in one dimension; group 0: as the runtime likes. */
__attribute__((unused)) static cl_int kernel_run(cl_command_queue queue, cl_kernel k, const size_t items[2], size_t group)
{
	cl_int status;
	cl_event event;
	CL_OK(clEnqueueNDRangeKernel(queue, k, items[1] ? 2 : 1, NULL, items, group ? &group : NULL, 0, NULL, &event));
	clWaitForEvents(1, &event);
	CL_OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	CL_OK(clReleaseEvent(event));
	CL_OK(clReleaseKernel(k));
	return status;
}

/* One of memory objects alone. */
__attribute__((unused)) static cl_int run_on(cl_command_queue queue, const char *name, const cl_mem *args, unsigned count, const size_t items[2])
{
	cl_kernel k = kernel_of(name);
	for (unsigned i = 0; i < count; i++)
		CL_OK(clSetKernelArg(k, i, sizeof args[i], &args[i]));
	return kernel_run(queue, k, items, 0);
}

#endif
