/* Builds the OpenCL C in a file and launches each of its kernels once, over 256 work-items in groups of 64, with a
 * buffer of as many floats as every argument: for tests of profiles. Exits with 5 when a launch fails. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 256, TEXT = 1 << 16 };

static void check(cl_int error, const char *what)
{
	if (error) {
		fprintf(stderr, "hot: %s: %d\n", what, error);
		exit(5);
	}
}

int main(int argc, char **argv)
{
	static char text[TEXT], *source = text;
	cl_platform_id platforms[8];
	cl_device_id device;
	cl_uint n = 0, at = 0;
	cl_int e;
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!f || !fread(text, 1, TEXT - 1, f))
		return 2;
	fclose(f);
	check(clGetPlatformIDs(8, platforms, &n), "platforms");
	for (char name[64]; at < n; at++) {
		clGetPlatformInfo(platforms[at], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (!strcmp(name, "Galena"))
			break;
	}
	if (at == n)
		check(-1, "no platform Galena");
	check(clGetDeviceIDs(platforms[at], CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
	check(e, "context");
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &e);
	check(e, "queue");
	cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &e);
	check(e, "program");
	check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "build");
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * 4, NULL, &e);
	check(e, "buffer");
	float zero = 0;
	check(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, ITEMS * 4, 0, NULL, NULL), "fill");
	cl_kernel kernels[16];
	check(clCreateKernelsInProgram(program, 16, kernels, &n), "kernels");
	for (cl_uint k = 0; k < n; k++) {
		size_t global = ITEMS, local = 64;
		cl_uint args = 0;
		check(clGetKernelInfo(kernels[k], CL_KERNEL_NUM_ARGS, sizeof args, &args, NULL), "arguments");
		for (cl_uint i = 0; i < args; i++)
			check(clSetKernelArg(kernels[k], i, sizeof buffer, &buffer), "argument");
		cl_event last;
		check(clEnqueueNDRangeKernel(queue, kernels[k], 1, NULL, &global, &local, 0, NULL, &last), "launch");
		check(clFinish(queue), "finish");
		cl_int status;
		check(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), "status");
		clReleaseEvent(last);
		clReleaseKernel(kernels[k]);
		check(status < 0 ? status : 0, "a launch");
	}
	clReleaseMemObject(buffer);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return 0;
}
