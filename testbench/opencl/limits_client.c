/* The small program that testbench/opencl/limits.c runs within limits: platform, context, build, vector add, check.
 *
 *   limits_client [svm] [twice] [text]
 *
 * svm: the vectors are shared virtual memory, too. twice: a second program is built after the first, by the compile server.
 * text: goes into the source, so that no cache has it. Exit status 0 with right results, CLEAN when a call failed with a code of
 * OpenCL's, WRONG when a result is wrong, LEAK when a build that failed leaves descriptors open. */
#define CL_TARGET_OPENCL_VERSION 300
#include "testbench/opencl/limits.h"
#include <CL/cl.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLEAN = LIMITS_CLEAN, WRONG, LEAK, N = 10000 };

static const char *extra = "none";

static void check(cl_int code, const char *call)
{
	if (!code)
		return;
	fprintf(stderr, "client: %s: %d\n", call, code);
	exit(CLEAN);
}

static int open_descriptors(void)
{
	int n = 0;
	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Builds that fail keep no descriptors. */
static void check_leaks(cl_program program, cl_device_id device)
{
	int before = 0, now = 0;
	for (int i = 0; i < 3; i++) {
		before = i < 2 ? now : before;
		clBuildProgram(program, 1, &device, "", NULL, NULL);
		now = open_descriptors();
	}
	if (now <= before)
		return;
	fprintf(stderr, "client: %d descriptors are open after a build that failed, and %d after the next\n", before, now);
	exit(LEAK);
}

static cl_kernel build(cl_context context, cl_device_id device, const char *type)
{
	char source[512], *log;
	const char *text = source;
	size_t size = 0;
	cl_int code;
	snprintf(source, sizeof source,
		 "// %s\nkernel void add(global const %s *a, global const %s *b, global %s *c) { size_t i = get_global_id(0); c[i] = a[i] + b[i]; }",
		 extra, type, type, type);
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	check(code, "clCreateProgramWithSource");
	code = clBuildProgram(program, 1, &device, "", NULL, NULL);
	if (code) {
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
		log = calloc(1, size + 1);
		if (log)
			clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
		fprintf(stderr, "client: build log: %s\n", log && *log ? log : "(empty)");
		check_leaks(program, device);
		check(code, "clBuildProgram");
	}
	cl_kernel kernel = clCreateKernel(program, "add", &code);
	check(code, "clCreateKernel");
	return kernel;
}

static void wrong(size_t i)
{
	fprintf(stderr, "client: element %zu is wrong\n", i);
	exit(WRONG);
}

static void with_buffers(cl_context context, cl_command_queue queue, cl_kernel kernel)
{
	static int data[3][N];
	cl_mem buffer[3];
	cl_int code;
	const size_t size = sizeof data[0], items = N;
	for (int i = 0; i < N; i++) {
		data[0][i] = i;
		data[1][i] = 3 * i + 1;
	}
	for (cl_uint b = 0; b < 3; b++) {
		buffer[b] = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &code);
		check(code, "clCreateBuffer");
		if (b < 2)
			check(clEnqueueWriteBuffer(queue, buffer[b], CL_FALSE, 0, size, data[b], 0, NULL, NULL), "clEnqueueWriteBuffer");
		check(clSetKernelArg(kernel, b, sizeof(cl_mem), &buffer[b]), "clSetKernelArg");
	}
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	check(clEnqueueReadBuffer(queue, buffer[2], CL_TRUE, 0, size, data[2], 0, NULL, NULL), "clEnqueueReadBuffer");
	for (int i = 0; i < N; i++)
		if (data[2][i] != 4 * i + 1)
			wrong((size_t)i);
	for (cl_uint b = 0; b < 3; b++)
		check(clReleaseMemObject(buffer[b]), "clReleaseMemObject");
}

static void with_svm(cl_context context, cl_command_queue queue, cl_kernel kernel)
{
	int *data[3];
	const size_t items = N;
	for (cl_uint b = 0; b < 3; b++) {
		data[b] = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, N * sizeof(int), 0);
		check(data[b] ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "clSVMAlloc");
		check(clSetKernelArgSVMPointer(kernel, b, data[b]), "clSetKernelArgSVMPointer");
	}
	for (int i = 0; i < N; i++) {
		data[0][i] = i;
		data[1][i] = 3 * i + 1;
	}
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	check(clFinish(queue), "clFinish");
	for (int i = 0; i < N; i++)
		if (data[2][i] != 4 * i + 1)
			wrong((size_t)i);
	for (cl_uint b = 0; b < 3; b++)
		clSVMFree(context, data[b]);
}

int main(int argc, char **argv)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_int code;
	bool svm = false, twice = false;
	for (int i = 1; i < argc; i++) {
		svm |= !strcmp(argv[i], "svm");
		twice |= !strcmp(argv[i], "twice");
		extra = argv[i];
	}
	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	check(code, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
	check(code, "clCreateCommandQueueWithProperties");
	with_buffers(context, queue, build(context, device, "int"));
	if (twice)
		with_buffers(context, queue, build(context, device, "uint"));
	if (svm)
		with_svm(context, queue, build(context, device, "int"));
	check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
	check(clReleaseContext(context), "clReleaseContext");
	puts(LIMITS_RIGHT);
	return 0;
}
