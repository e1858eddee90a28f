/* The smallest whole OpenCL program: c = a + b on the first device of the platform "Galena", or
 * of the platform named on the command line.
 *
 *   galena run -- build/examples/vector_add
 *   galena run --trace t.bus -- build/examples/vector_add && galena trace replay t.bus
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "kernel void add(global const int *a, global const int *b, global int *c)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	c[i] = a[i] + b[i];\n"
			     "}\n";

static void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "vector_add: %s failed with %d\n", what, error);
	exit(1);
}

static cl_device_id device_find(const char *name)
{
	cl_platform_id platforms[16];
	cl_uint n = 0;
	check(clGetPlatformIDs(16, platforms, &n), "clGetPlatformIDs");
	for (cl_uint i = 0; i < n && i < 16; i++) {
		char text[128] = "";
		cl_device_id device;
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text, text, NULL);
		if (strcmp(text, name))
			continue;
		check(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
		return device;
	}
	fprintf(stderr, "vector_add: no platform '%s'; start it with `galena run -- vector_add`\n", name);
	exit(1);
}

int main(int argc, char **argv)
{
	enum { N = 10000 };
	static cl_int a[N], b[N], c[N];
	const char *text = source;
	cl_int error;
	size_t n = N;
	cl_device_id device = device_find(argc > 1 ? argv[1] : "Galena");

	for (int i = 0; i < N; i++) {
		a[i] = i;
		b[i] = 1000000 - 3 * i;
	}
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	check(error, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
	check(error, "clCreateCommandQueueWithProperties");
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
	cl_kernel kernel = clCreateKernel(program, "add", &error);
	check(error, "clCreateKernel");

	cl_mem buffers[3];
	for (int i = 0; i < 3; i++) {
		buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof a, NULL, &error);
		check(error, "clCreateBuffer");
		check(clSetKernelArg(kernel, (cl_uint)i, sizeof(cl_mem), &buffers[i]), "clSetKernelArg");
	}
	check(clEnqueueWriteBuffer(queue, buffers[0], CL_FALSE, 0, sizeof a, a, 0, NULL, NULL), "write a");
	check(clEnqueueWriteBuffer(queue, buffers[1], CL_FALSE, 0, sizeof b, b, 0, NULL, NULL), "write b");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	check(clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof c, c, 0, NULL, NULL), "read c");

	int wrong = 0;
	for (int i = 0; i < N; i++)
		wrong += c[i] != a[i] + b[i];
	printf("%d sums, %d wrong\n", N, wrong);

	for (int i = 0; i < 3; i++)
		clReleaseMemObject(buffers[i]);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return wrong != 0;
}
