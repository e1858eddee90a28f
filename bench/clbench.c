/* clbench: runs named workloads on one OpenCL platform and prints a row for each figure:
 * name, value, unit, note, separated by tabs. The clock is the host's, around enqueue and finish, so every
 * platform is measured in the same way. A wrong result ends the program with status 1 and no row. */
#include "bench/clbench.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_NO_PLATFORM = 3, RUNS_MAX = 64, NULL_LAUNCHES = 1000 };

static const struct workload *const workloads[] = {
	&workload_sgemm, &workload_mandelbrot, &workload_nbody, &workload_reduction, &workload_histogram,
	&workload_sobel, &workload_sha256, &workload_fft, &workload_transpose, &workload_sort,
	&workload_spmv, &workload_collatz, &workload_compact, &workload_hash, &workload_scan, &workload_launches,
	&workload_stencil, &workload_horner, &workload_triad, &workload_options, &workload_yuv, &workload_blur,
};
enum { WORKLOADS = sizeof(workloads) / sizeof(workloads[0]) };

struct options {
	const char *platform, *kernels;
	unsigned device;
	int small, runs;
	double budget_s;
};

static const char *running = "clbench";   /* names the workload in messages */

void bench_check(cl_int error, const char *what)
{
	if (error == CL_SUCCESS)
		return;
	fprintf(stderr, "clbench: %s: %s failed with OpenCL error %d\n", running, what, error);
	exit(EXIT_WRONG);
}

int bench_wrong(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "clbench: %s: wrong result: ", running);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

void *bench_alloc(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);

	if (!p) {
		fprintf(stderr, "clbench: %s: no memory for %zu bytes\n", running, bytes);
		exit(EXIT_WRONG);
	}
	return p;
}

void bench_kernel(struct bench *b, int index, const char *name)
{
	cl_int error;

	b->kernel[index] = clCreateKernel(b->program, name, &error);
	bench_check(error, "clCreateKernel");
}

void bench_buffer(struct bench *b, int index, size_t bytes, const void *data)
{
	cl_int error;

	b->buffer[index] = clCreateBuffer(b->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
	bench_check(error, "clCreateBuffer");
	if (data)
		bench_check(clEnqueueWriteBuffer(b->queue, b->buffer[index], CL_TRUE, 0, bytes, data, 0, NULL, NULL),
			    "clEnqueueWriteBuffer");
}

void bench_arg(struct bench *b, int kernel, cl_uint index, size_t bytes, const void *value)
{
	bench_check(clSetKernelArg(b->kernel[kernel], index, bytes, value), "clSetKernelArg");
}

void bench_arg_buffer(struct bench *b, int kernel, cl_uint index, int buffer)
{
	bench_arg(b, kernel, index, sizeof(cl_mem), &b->buffer[buffer]);
}

void bench_arg_int(struct bench *b, int kernel, cl_uint index, int32_t value)
{
	bench_arg(b, kernel, index, sizeof(value), &value);
}

void bench_arg_float(struct bench *b, int kernel, cl_uint index, float value)
{
	bench_arg(b, kernel, index, sizeof(value), &value);
}

void bench_launch(struct bench *b, int index, size_t width, size_t height, size_t local_width, size_t local_height)
{
	size_t global[2] = { width, height }, local[2] = { local_width, local_height };

	bench_check(clEnqueueNDRangeKernel(b->queue, b->kernel[index], height ? 2 : 1, NULL, global, local, 0, NULL,
					   NULL), "clEnqueueNDRangeKernel");
}

void *bench_read(struct bench *b, int index, size_t bytes)
{
	void *host = bench_alloc(bytes);

	bench_check(clEnqueueReadBuffer(b->queue, b->buffer[index], CL_TRUE, 0, bytes, host, 0, NULL, NULL),
		    "clEnqueueReadBuffer");
	return host;
}

uint32_t bench_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)(*state * 0x2545f4914f6cdd1dull >> 32);
}

float bench_random_float(uint64_t *state)
{
	return (float)(int32_t)bench_random(state) / 2147483648.0f;
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_row(const char *name, const char *figure, double value, const char *unit, const char *note)
{
	printf("%s.%s\t%.6g\t%s\t%s\n", name, figure, value, unit, note);
	fflush(stdout);
}

static char *read_file(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;
	long size;
	char *text;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		fprintf(stderr, "clbench: cannot read %s: %s (--kernels DIR says where the .cl files are)\n", path,
			strerror(errno));
		exit(EXIT_USAGE);
	}
	text = bench_alloc((size_t)size + 1);
	if (fread(text, 1, (size_t)size, f) != (size_t)size) {
		fprintf(stderr, "clbench: cannot read %s\n", path);
		exit(EXIT_USAGE);
	}
	fclose(f);
	return text;
}

/* Builds the program of `file`; returns how long clBuildProgram took, in seconds. */
static double program_build(struct bench *b, const struct options *o, const char *file)
{
	char *text = read_file(o->kernels, file), log[8192] = "";
	const char *source = text;
	cl_int error;
	double start;

	b->program = clCreateProgramWithSource(b->context, 1, &source, NULL, &error);
	bench_check(error, "clCreateProgramWithSource");
	start = now_s();
	error = clBuildProgram(b->program, 1, &b->device, "", NULL, NULL);
	start = now_s() - start;
	if (error != CL_SUCCESS) {
		clGetProgramBuildInfo(b->program, b->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
		fprintf(stderr, "clbench: %s: build log:\n%s\n", running, log);
	}
	bench_check(error, "clBuildProgram");
	free(text);
	return start;
}

static void bench_release(struct bench *b)
{
	for (int i = 0; i < BENCH_KERNELS_MAX; i++)
		if (b->kernel[i])
			clReleaseKernel(b->kernel[i]);
	for (int i = 0; i < BENCH_BUFFERS_MAX; i++)
		if (b->buffer[i])
			clReleaseMemObject(b->buffer[i]);
	clReleaseProgram(b->program);
	free(b->input);
}

static double timed_run(struct bench *b, const struct workload *w)
{
	double start;

	if (w->reset)
		w->reset(b);
	bench_check(clFinish(b->queue), "clFinish");
	start = now_s();
	w->launch(b);
	bench_check(clFinish(b->queue), "clFinish");
	return now_s() - start;
}

static int workload_run(const struct workload *w, const struct bench *base, const struct options *o)
{
	struct bench b = *base;
	char size[96] = "", note[256];
	double build, first, run[RUNS_MAX], begin;
	int runs = 0;

	running = w->name;
	build = program_build(&b, o, w->file);
	w->prepare(&b, size, sizeof(size));
	first = timed_run(&b, w);   /* the warm-up: PoCL compiles for the work-group size here */
	if (w->verify(&b)) {
		bench_release(&b);
		return EXIT_WRONG;
	}
	begin = now_s();
	while (runs < o->runs && (runs == 0 || now_s() - begin < o->budget_s))
		run[runs++] = timed_run(&b, w);
	if (w->verify(&b)) {
		bench_release(&b);
		return EXIT_WRONG;
	}
	bench_release(&b);
	qsort(run, (size_t)runs, sizeof(run[0]), compare_doubles);
	snprintf(note, sizeof(note), "%s, best of %d, median %.3f ms", size, runs, run[runs / 2] * 1e3);
	print_row(w->name, "ms", run[0] * 1e3, "ms", note);
	print_row(w->name, "build_ms", build * 1e3, "ms", "clBuildProgram");
	print_row(w->name, "first_ms", first * 1e3, "ms", "the first launch, with what the platform compiles late");
	return 0;
}

/* The time from enqueue to finished of a kernel that does nothing. */
static int null_run(const struct bench *base, const struct options *o)
{
	struct bench b = *base;
	static double run[NULL_LAUNCHES];
	int launches = o->small ? NULL_LAUNCHES / 10 : NULL_LAUNCHES;
	char note[128];

	running = "null";
	program_build(&b, o, "null.cl");
	bench_kernel(&b, 0, "null_kernel");
	for (int i = 0; i < launches / 10; i++) {
		bench_launch(&b, 0, 1, 0, 1, 0);
		bench_check(clFinish(b.queue), "clFinish");
	}
	for (int i = 0; i < launches; i++) {
		double start = now_s();

		bench_launch(&b, 0, 1, 0, 1, 0);
		bench_check(clFinish(b.queue), "clFinish");
		run[i] = now_s() - start;
	}
	bench_release(&b);
	qsort(run, (size_t)launches, sizeof(run[0]), compare_doubles);
	snprintf(note, sizeof(note), "median of %d, best %.2f us, 99th %.2f us", launches, run[0] * 1e6,
		 run[launches * 99 / 100] * 1e6);
	print_row("null", "us", run[launches / 2] * 1e6, "us", note);
	return 0;
}

static cl_platform_id platform_find(const char *name)
{
	cl_platform_id ids[16];
	cl_uint n = 0;

	if (clGetPlatformIDs(16, ids, &n) != CL_SUCCESS)
		n = 0;
	for (cl_uint i = 0; i < n && i < 16; i++) {
		char text[256] = "";

		clGetPlatformInfo(ids[i], CL_PLATFORM_NAME, sizeof(text), text, NULL);
		if (!name || strstr(text, name))
			return ids[i];
	}
	fprintf(stderr, "clbench: no OpenCL platform named %s among %u\n", name ? name : "(any)", n);
	exit(EXIT_NO_PLATFORM);
}

static void context_open(struct bench *b, const struct options *o)
{
	cl_platform_id platform = platform_find(o->platform);
	cl_device_id devices[16];
	cl_uint n = 0;
	cl_int error;

	bench_check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices, &n), "clGetDeviceIDs");
	if (o->device >= n) {
		fprintf(stderr, "clbench: device %u asked for, the platform has %u\n", o->device, n);
		exit(EXIT_NO_PLATFORM);
	}
	b->device = devices[o->device];
	b->context = clCreateContext(NULL, 1, &b->device, NULL, NULL, &error);
	bench_check(error, "clCreateContext");
	b->queue = clCreateCommandQueueWithProperties(b->context, b->device, NULL, &error);
	bench_check(error, "clCreateCommandQueueWithProperties");
}

static int usage(FILE *f, int status)
{
	fputs("usage: clbench [--platform NAME] [--device N] [--kernels DIR] [--small] [--runs N] [--budget S]\n"
	      "               [WORKLOAD...]\n"
	      "Runs workloads (all without an argument), prints name, value, unit, note.\n"
	      "NAME is a part of CL_PLATFORM_NAME; a workload is timed N times or for S seconds.\n"
	      "Workloads: null", f);
	for (int i = 0; i < WORKLOADS; i++)
		fprintf(f, " %s", workloads[i]->name);
	fputc('\n', f);
	return status;
}

static int run_named(const char *name, const struct bench *base, const struct options *o)
{
	int found = 0, status = 0;

	if (!name || !strcmp(name, "null")) {
		found = 1;
		status |= null_run(base, o);
	}
	for (int i = 0; i < WORKLOADS; i++)
		if (!name || !strcmp(name, workloads[i]->name)) {
			found = 1;
			status |= workload_run(workloads[i], base, o);
		}
	return found ? status : usage(stderr, EXIT_USAGE);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "platform", required_argument, NULL, 'p' }, { "device", required_argument, NULL, 'd' },
		{ "kernels", required_argument, NULL, 'k' },  { "small", no_argument, NULL, 's' },
		{ "runs", required_argument, NULL, 'n' },     { "budget", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },	      { 0 },
	};
	struct options o = { .kernels = "bench/kernels", .runs = 10, .budget_s = 2.0 };
	struct bench base = { 0 };
	int c, status = 0;

	while ((c = getopt_long(argc, argv, "p:d:k:sn:b:h", longs, NULL)) != -1)
		switch (c) {
		case 'p': o.platform = optarg; break;
		case 'd': o.device = (unsigned)atoi(optarg); break;
		case 'k': o.kernels = optarg; break;
		case 's': o.small = 1; break;
		case 'n': o.runs = atoi(optarg); break;
		case 'b': o.budget_s = atof(optarg); break;
		case 'h': return usage(stdout, 0);
		default: return usage(stderr, EXIT_USAGE);
		}
	if (o.runs < 1 || o.runs > RUNS_MAX)
		return usage(stderr, EXIT_USAGE);
	base.small = o.small;
	context_open(&base, &o);
	if (optind == argc)
		status = run_named(NULL, &base, &o);
	for (int i = optind; i < argc && !status; i++)
		status = run_named(argv[i], &base, &o);
	clReleaseCommandQueue(base.queue);
	clReleaseContext(base.context);
	return status;
}
