/* An OpenCL program that does what the lines of its input say, for tests that look at a running program:
 *   light N    N launches of a small kernel, waited for
 *   heavy N    N launches of a kernel with local memory and barriers, on a second queue, waited for
 *   long       one launch that runs for a while, not waited for
 *   finish     waits for everything
 *   fork       a child that ends at once
 * It answers each with a line. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 256 };
static const char source[] =
	"kernel void light(global int *p) { p[get_global_id(0)] += 1; }\n"
	"kernel void heavy(global int *p, local int *l) {\n"
	"	int n = get_local_size(0), i = get_local_id(0);\n"
	"	for (int k = 0; k < 32; k++) {\n"
	"		l[i] = p[get_global_id(0)] + k;\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"		p[get_global_id(0)] = l[n - 1 - i];\n"
	"		barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	}\n"
	"}\n"
	"kernel void endless(global volatile int *p) { for (int i = 0; i < 300000; i++) p[get_global_id(0)]++; }\n";

static void check(cl_int error, const char *what)
{
	if (error) {
		fprintf(stderr, "steps: %s: %d\n", what, error);
		exit(1);
	}
}

int main(void)
{
	cl_platform_id platforms[8];
	cl_uint n = 0;
	cl_int e;
	size_t global = ITEMS, local = 16;
	cl_device_id device;
	check(clGetPlatformIDs(8, platforms, &n), "platforms");
	cl_uint at = 0;
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
	cl_command_queue first = clCreateCommandQueueWithProperties(context, device, NULL, &e);
	check(e, "queue");
	cl_command_queue second = clCreateCommandQueueWithProperties(context, device, NULL, &e);
	check(e, "queue");
	const char *text = source;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &e);
	check(e, "program");
	check(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), "build");
	cl_kernel light = clCreateKernel(program, "light", &e), heavy = clCreateKernel(program, "heavy", &e),
		  endless = clCreateKernel(program, "endless", &e);
	check(e, "kernel");
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * 4, NULL, &e);
	check(e, "buffer");
	check(clSetKernelArg(light, 0, sizeof buffer, &buffer), "argument");
	check(clSetKernelArg(heavy, 0, sizeof buffer, &buffer), "argument");
	check(clSetKernelArg(heavy, 1, 16 * 4, NULL), "argument");
	check(clSetKernelArg(endless, 0, sizeof buffer, &buffer), "argument");
	cl_int zero = 0;
	check(clEnqueueFillBuffer(first, buffer, &zero, 4, 0, ITEMS * 4, 0, NULL, NULL), "fill");
	check(clFinish(first), "finish");

	char line[64];
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("%d ready\n", (int)getpid());
	while (fgets(line, sizeof line, stdin)) {
		int count = 1;
		sscanf(line, "%*s %d", &count);
		if (!strncmp(line, "light", 5)) {
			for (int i = 0; i < count; i++)
				check(clEnqueueNDRangeKernel(first, light, 1, NULL, &global, &local, 0, NULL, NULL), "light");
			check(clFinish(first), "finish");
		} else if (!strncmp(line, "heavy", 5)) {
			for (int i = 0; i < count; i++)
				check(clEnqueueNDRangeKernel(second, heavy, 1, NULL, &global, &local, 0, NULL, NULL), "heavy");
			check(clFinish(second), "finish");
		} else if (!strncmp(line, "long", 4)) {
			check(clEnqueueNDRangeKernel(first, endless, 1, NULL, &global, &local, 0, NULL, NULL), "long");
			check(clFlush(first), "flush");
		} else if (!strncmp(line, "finish", 6)) {
			check(clFinish(first), "finish");
			check(clFinish(second), "finish");
		} else if (!strncmp(line, "fork", 4)) {
			pid_t child = fork();
			if (!child)
				exit(0);
			waitpid(child, NULL, 0);
		} else {
			check(-1, line);
		}
		printf("done %s", line);
	}
	clReleaseMemObject(buffer);
	clReleaseKernel(light);
	clReleaseKernel(heavy);
	clReleaseKernel(endless);
	clReleaseProgram(program);
	clReleaseCommandQueue(first);
	clReleaseCommandQueue(second);
	clReleaseContext(context);
	return 0;
}
