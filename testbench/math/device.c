/* The device side of the sweep: an OpenCL program like any other. */
#include "testbench/build_tree.h"
#include "testbench/math/math.h"
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The macro of sweep.cl that makes a kernel of a function and a width. */
static const char *const kind_names[] = { [F1] = "F1", [F2] = "F2", [F3] = "F3", [FI] = "FI", [FP] = "FP", [FPI] = "FPI", [FQ] = "FQ", [FR] = "FR",
	[V1] = "V1", [V2] = "V2", [VV] = "F1", [VC] = "F2" };
enum { BUFFERS = 7, A = 0, B, C, IN_INT, R, R2, OUT_INT, PAD = 16 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_mem buffers[BUFFERS];
static char *source;
static void *staging;

struct math_program {
	cl_program program;
	const struct math_type *type;
	size_t count;
	struct { const struct math_function *f; cl_kernel kernels[MATH_WIDTHS]; } functions[MATH_GROUP];
};

static void check(cl_int code, const char *what)
{
	if (code == CL_SUCCESS)
		return;
	fprintf(stderr, "math: %s failed with %d\n", what, code);
	exit(2);
}
#define CL(call) check(call, #call)

static void read_source(void)
{
	FILE *f = fopen(MATH_DIR "/sweep.cl", "r");
	if (!f) {
		perror("math: " MATH_DIR "/sweep.cl");
		exit(2);
	}
	source = calloc(1, 1 << 16);
	if (fread(source, 1, (1 << 16) - 1, f) == 0)
		exit(2);
	fclose(f);
}

void math_device_open(void)
{
	cl_platform_id platform;
	cl_int code;
	build_tree_loader();
	setenv("GALENA_SPEED", "functional", 0); /* the same results, sooner */
	read_source();
	CL(clGetPlatformIDs(1, &platform, NULL));
	CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	check(code, "clCreateContext");
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
	check(code, "clCreateCommandQueueWithProperties");
	for (int i = 0; i < BUFFERS; i++) {
		buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, (MATH_BATCH + PAD) * sizeof(double), NULL, &code);
		check(code, "clCreateBuffer");
	}
	staging = malloc(MATH_BATCH * sizeof(double));
}

void math_device_close(void)
{
	for (int i = 0; i < BUFFERS; i++)
		clReleaseMemObject(buffers[i]);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	free(source);
	free(staging);
}

bool math_device_has(const struct math_type *type)
{
	static const char *const extensions[] = { [MATH_DOUBLE] = "cl_khr_fp64", [MATH_HALF] = "cl_khr_fp16" };
	char list[4096] = "";
	if (type == &math_types[MATH_FLOAT])
		return true;
	CL(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof list, list, NULL));
	return strstr(list, extensions[type - math_types]) != NULL;
}

static cl_program build(cl_uint count, const char **text, const char *options)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(context, count, text, NULL, &code);
	check(code, "clCreateProgramWithSource");
	code = clBuildProgram(program, 1, &device, options, NULL, NULL);
	if (code) {
		static char log[16384];
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
		fprintf(stderr, "%s\nmath: this does not build with %s:\n%s", log, options, text[count - 1]);
		exit(2);
	}
	return program;
}

struct math_program *math_program_build(const struct math_type *type, const struct math_function *const *functions, size_t count)
{
	struct math_program *p = calloc(1, sizeof *p);
	char lines[MATH_GROUP * MATH_WIDTHS * 48], options[64], name[64];
	const char *text[] = { type->size == 2 ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" : "", source, lines };
	size_t length = 0;
	cl_int code;
	p->type = type;
	p->count = count;
	for (size_t i = 0; i < count; i++)
		for (size_t w = 0; w < MATH_WIDTHS; w++)
			if (math_has_width(type, functions[i], w))
				length += (size_t)snprintf(lines + length, sizeof lines - length, "%s(%s, %u)\n",
							   kind_names[functions[i]->kind], functions[i]->name, math_widths[w]);
	snprintf(options, sizeof options, "-cl-std=CL3.0 -DT=%s", type->name);
	p->program = build(3, text, options);
	for (size_t i = 0; i < count; i++) {
		p->functions[i].f = functions[i];
		for (size_t w = 0; w < MATH_WIDTHS; w++) {
			if (!math_has_width(type, functions[i], w))
				continue;
			snprintf(name, sizeof name, "%s_%u", functions[i]->name, math_widths[w]);
			cl_kernel k = p->functions[i].kernels[w] = clCreateKernel(p->program, name, &code);
			check(code, "clCreateKernel");
			for (cl_uint b = 0; b < BUFFERS; b++)
				CL(clSetKernelArg(k, b, sizeof buffers[b], &buffers[b]));
		}
	}
	return p;
}

void math_program_free(struct math_program *p)
{
	for (size_t i = 0; i < p->count; i++)
		for (size_t w = 0; w < MATH_WIDTHS; w++)
			if (p->functions[i].kernels[w])
				clReleaseKernel(p->functions[i].kernels[w]);
	clReleaseProgram(p->program);
	free(p);
}

static void write_numbers(const struct math_type *type, int buffer, const double *values, size_t stride, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = math_to_bits(type, *(const double *)((const char *)values + i * stride));
		memcpy((char *)staging + i * type->size, &bits, type->size);
	}
	CL(clEnqueueWriteBuffer(queue, buffers[buffer], CL_TRUE, 0, count * type->size, staging, 0, NULL, NULL));
}

static void read_numbers(const struct math_type *type, int buffer, double *values, size_t stride, size_t count)
{
	CL(clEnqueueReadBuffer(queue, buffers[buffer], CL_TRUE, 0, count * type->size, staging, 0, NULL, NULL));
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = 0;
		memcpy(&bits, (char *)staging + i * type->size, type->size);
		*(double *)((char *)values + i * stride) = math_from_bits(type, bits);
	}
}

void math_program_run(struct math_program *p, size_t function, size_t width, const struct math_call *calls,
		      struct math_answer *answers, size_t count)
{
	enum math_kind kind = p->functions[function].f->kind;
	size_t global = (count + math_widths[width] - 1) / math_widths[width];
	int32_t *ints = staging;
	write_numbers(p->type, A, &calls->a, sizeof *calls, count);
	if (kind == F2 || kind == F3 || kind == FQ || kind == V2 || kind == VC)
		write_numbers(p->type, B, &calls->b, sizeof *calls, count);
	if (kind == F3)
		write_numbers(p->type, C, &calls->c, sizeof *calls, count);
	if (kind == FI) {
		for (size_t i = 0; i < count; i++)
			ints[i] = calls[i].n;
		CL(clEnqueueWriteBuffer(queue, buffers[IN_INT], CL_TRUE, 0, count * sizeof *ints, ints, 0, NULL, NULL));
	}
	CL(clEnqueueNDRangeKernel(queue, p->functions[function].kernels[width], 1, NULL, &global, NULL, 0, NULL, NULL));
	if (kind != FR)
		read_numbers(p->type, R, &answers->r, sizeof *answers, count);
	if (kind == FP)
		read_numbers(p->type, R2, &answers->r2, sizeof *answers, count);
	if (kind == FPI || kind == FQ || kind == FR) {
		CL(clEnqueueReadBuffer(queue, buffers[OUT_INT], CL_TRUE, 0, count * sizeof *ints, ints, 0, NULL, NULL));
		for (size_t i = 0; i < count; i++)
			answers[i].ri = ints[i];
	}
}

struct math_kernels { cl_program program; };
struct math_kernels *math_kernels_build(const char *text, const char *options)
{
	struct math_kernels *k = calloc(1, sizeof *k);
	k->program = build(1, &text, options);
	return k;
}
void math_kernels_free(struct math_kernels *k)
{
	clReleaseProgram(k->program);
	free(k);
}
void math_kernels_run(struct math_kernels *k, const char *name, size_t global, const void *in, size_t in_size, void *out, size_t out_size)
{
	cl_int code;
	cl_kernel kernel = clCreateKernel(k->program, name, &code);
	check(code, name);
	CL(clSetKernelArg(kernel, 0, sizeof buffers[A], &buffers[A]));
	CL(clSetKernelArg(kernel, 1, sizeof buffers[R], &buffers[R]));
	CL(clEnqueueWriteBuffer(queue, buffers[A], CL_FALSE, 0, in_size, in, 0, NULL, NULL));
	CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	CL(clEnqueueReadBuffer(queue, buffers[R], CL_TRUE, 0, out_size, out, 0, NULL, NULL));
	clReleaseKernel(kernel);
}
