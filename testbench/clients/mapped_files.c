/* Builds a program and runs it on the first device of the platform that holds argv[1] in its name, then prints this process's
 * file mappings to stdout. Exit status 0 when the kernel's result was right. Run by libraries.sh. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 1000 };

static const char *const source = "kernel void square(global uint *v) { size_t i = get_global_id(0); v[i] = i * i + 7; }";

static void check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "%s failed with OpenCL error %d\n", what, error);
	exit(1);
}

static cl_device_id device_find(const char *name)
{
	cl_platform_id platforms[8];
	cl_uint n = 0;
	cl_device_id device;

	check(clGetPlatformIDs(8, platforms, &n), "clGetPlatformIDs");
	for (cl_uint i = 0; i < n && i < 8; i++) {
		char text[256] = "";

		check(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(text), text, NULL), "clGetPlatformInfo");
		if (!strstr(text, name))
			continue;
		check(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
		return device;
	}
	fprintf(stderr, "no platform %s\n", name);
	exit(1);
}

static void run_kernel(cl_device_id device)
{
	static cl_uint out[ITEMS];
	size_t items = ITEMS;
	cl_int error;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);

	check(error, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
	check(error, "clCreateCommandQueueWithProperties");
	cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
	check(error, "clCreateProgramWithSource");
	check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
	cl_kernel kernel = clCreateKernel(program, "square", &error);
	check(error, "clCreateKernel");
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(out), NULL, &error);
	check(error, "clCreateBuffer");
	check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
	check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL), "clEnqueueReadBuffer");
	for (cl_uint i = 0; i < ITEMS; i++)
		if (out[i] != i * i + 7) {
			fprintf(stderr, "item %u is %u, should be %u\n", i, out[i], i * i + 7);
			exit(1);
		}
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
}

int main(int argc, char **argv)
{
	char line[4096];
	FILE *maps;

	run_kernel(device_find(argc > 1 ? argv[1] : "Galena"));
	maps = fopen("/proc/self/maps", "r");
	if (!maps)
		return 1;
	while (fgets(line, sizeof(line), maps))
		fputs(line, stdout);
	fclose(maps);
	return 0;
}
