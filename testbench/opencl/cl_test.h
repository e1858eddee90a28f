/* What the OpenCL tests share: they are applications, linked with the system's ICD loader, which
 * is pointed at the build tree before the first call. */
#ifndef GALENA_TESTBENCH_CL_TEST_H
#define GALENA_TESTBENCH_CL_TEST_H
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "testbench/random.h"
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "testbench/build_tree.h"

#define CL_TEST_DEVICES 16

/* Made by cl_test_setup: a context of the first device, and one of all. */
struct cl_test {
	cl_platform_id platform;
	cl_device_id device, devices[CL_TEST_DEVICES];
	cl_uint num_devices;
	cl_context context, all;
	cl_command_queue queue;    /* in-order, profiling; of context */
	cl_command_queue unordered; /* out-of-order, profiling; of context */
	uint64_t seed;
};
__attribute__((unused)) static struct cl_test cl;

#define CL_OK(call) assert_int_equal((call), CL_SUCCESS)
/* The call fails with this code. */
#define CL_FAILS(expected, call) assert_int_equal((call), (expected))

/* Sets the environment and the seed (argv[1], GALENA_SEED, or 1); TEST_FILTER names the cases to run, TEST_SKIP those to leave out, with
 * * and ?. Before the first CL call. */
__attribute__((unused)) static void cl_test_init(int argc, char **argv)
{
	cmocka_set_test_filter(getenv("TEST_FILTER"));
	cmocka_set_skip_filter(getenv("TEST_SKIP"));
	build_tree_loader();
	cl.seed = seed_take(argc, argv);
}

__attribute__((unused)) static uint64_t cl_test_seed(void) { return cl.seed; }

__attribute__((unused)) static int cl_test_setup(void **state)
{
	(void)state;
	cl_int code;
	cl_uint n = 0;
	char name[64] = "";
	if (clGetPlatformIDs(1, &cl.platform, &n) || n != 1 ||
	    clGetPlatformInfo(cl.platform, CL_PLATFORM_NAME, sizeof name, name, NULL) || strcmp(name, "Galena")) {
		fprintf(stderr, "%u platforms in %s, the first is \"%s\"\n", n, getenv("OCL_ICD_VENDORS"), name);
		return -1;
	}
	if (clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, CL_TEST_DEVICES, cl.devices, &cl.num_devices))
		return -1;
	cl.device = cl.devices[0];
	cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
	if (code)
		return -1;
	cl.all = clCreateContext(NULL, cl.num_devices, cl.devices, NULL, NULL, &code);
	if (code)
		return -1;
	cl.queue = clCreateCommandQueue(cl.context, cl.device, CL_QUEUE_PROFILING_ENABLE, &code);
	if (code)
		return -1;
	cl.unordered = clCreateCommandQueue(cl.context, cl.device, CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
	return code ? -1 : 0;
}

__attribute__((unused)) static int cl_test_teardown(void **state)
{
	(void)state;
	return clReleaseCommandQueue(cl.queue) || clReleaseCommandQueue(cl.unordered) || clReleaseContext(cl.context) ||
	       clReleaseContext(cl.all);
}

/* A kernel of a program of its own, which goes with it. */
__attribute__((unused)) static cl_kernel kernel_build(cl_context context, const char *source, const char *name)
{
	cl_int code;
	cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel k = clCreateKernel(p, name, &code);
	CL_OK(code);
	CL_OK(clReleaseProgram(p));
	return k;
}

#endif
