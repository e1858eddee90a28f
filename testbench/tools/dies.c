/* A program that dies: dies abort|kill|wait. It runs a kernel, prints "ran", and then aborts, is killed by itself, or waits for a kernel
 * that never ends. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "kernel void short_one(global int *p) { p[get_global_id(0)] = get_global_id(0); }\n"
			     "kernel void endless(global volatile int *p) { while (p[1] != 77) p[2] = 3; }\n";

static void run(cl_command_queue q, cl_program p, const char *name, cl_mem m, size_t items)
{
	cl_int code;
	cl_kernel k = clCreateKernel(p, name, &code);
	if (code || clSetKernelArg(k, 0, sizeof m, &m) || clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL))
		exit(4);
	if (!strcmp(name, "endless")) {
		puts("ran");
		fflush(stdout);
	}
	if (clFinish(q))
		exit(5);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "", *text = source;
	cl_platform_id platform;
	cl_device_id device;
	cl_int code;
	if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 2;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	if (code || clBuildProgram(program, 0, NULL, NULL, NULL, NULL))
		return 3;
	cl_mem memory = clCreateBuffer(context, 0, 4096, NULL, &code);
	run(queue, program, "short_one", memory, 1024);
	if (!strcmp(way, "wait"))
		run(queue, program, "endless", memory, 1);
	puts("ran");
	fflush(stdout);
	if (!strcmp(way, "kill"))
		raise(SIGKILL);
	abort();
}
