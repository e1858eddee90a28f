/* A client of `galena serve` (shared.c): client work SECONDS SEED: rounds of random work, each of which is checked; client shared FD:
 * triples the words of a dma-buf; client all: has nearly all memory of the device; client errors: what a client cannot have; client hang: waits for an
 * endless kernel. Exit status 0: all was right; 1, and a line that says what was not; 3: an error of the API. */
#define _GNU_SOURCE
#include "testbench/random.h"
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const char source[] =
	"kernel void triple(global uint *p) { p[get_global_id(0)] *= 3; }\n"
	"kernel void spin(global uint *p, uint n) { uint x = p[get_global_id(0)]; for (uint i = 0; i < n; i++) x = x * 1664525u + i; "
	"p[get_global_id(0)] = x; }\n"
	"kernel void endless(global volatile uint *p) { while (!p[0]); }\n";
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_device_id device;

static void ok(cl_int code, const char *what)
{
	if (!code)
		return;
	printf("%s: %d\n", what, code);
	fflush(stdout);
	_exit(3);
}
#define OK(call) ok(call, #call)

static void right(int holds, const char *what)
{
	if (holds)
		return;
	printf("not so: %s\n", what);
	fflush(stdout);
	_exit(1);
}
#define RIGHT(condition) right(condition, #condition)

static cl_mem buffer(cl_mem_flags flags, size_t size, void *host)
{
	cl_int code;
	cl_mem m = clCreateBuffer(context, flags, size, host, &code);
	OK(code);
	return m;
}

static cl_kernel kernel(const char *name)
{
	cl_int code;
	cl_kernel k = clCreateKernel(program, name, &code);
	OK(code);
	return k;
}

static void open_all(void)
{
	cl_platform_id platform;
	const char *text = source;
	cl_int code;
	OK(clGetPlatformIDs(1, &platform, NULL));
	OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	OK(code);
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
	OK(code);
	program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	OK(code);
	OK(clBuildProgram(program, 1, &device, "", NULL, NULL));
}

/* ---- work ---- */
enum { WORDS_MAX = 1 << 16 };

static void in_device_memory(uint64_t *r)
{
	static cl_uint from[WORDS_MAX], to[WORDS_MAX];
	const size_t words = 64 + (splitmix64(r) % (WORDS_MAX - 64)), bytes = words * 4;
	cl_mem m = buffer(0, bytes, NULL);
	cl_kernel k = kernel("triple");
	for (size_t i = 0; i < words; i++)
		from[i] = (cl_uint)splitmix64(r);
	OK(clEnqueueWriteBuffer(queue, m, CL_FALSE, 0, bytes, from, 0, NULL, NULL));
	OK(clSetKernelArg(k, 0, sizeof m, &m));
	OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &words, NULL, 0, NULL, NULL));
	OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
	for (size_t i = 0; i < words; i++)
		RIGHT(to[i] == from[i] * 3);
	OK(clReleaseKernel(k));
	OK(clReleaseMemObject(m));
}

static void in_shared_memory(uint64_t *r)
{
	const size_t words = 64 + (splitmix64(r) % (4096));
	cl_uint *p = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, words * 4, 0);
	cl_kernel k = kernel("triple");
	RIGHT(p != NULL);
	for (size_t i = 0; i < words; i++)
		RIGHT(p[i] == 0);
	for (size_t i = 0; i < words; i++)
		p[i] = (cl_uint)i;
	OK(clSetKernelArgSVMPointer(k, 0, p));
	OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &words, NULL, 0, NULL, NULL));
	OK(clFinish(queue));
	for (size_t i = 0; i < words; i++)
		RIGHT(p[i] == i * 3);
	clSVMFree(context, p);
	OK(clReleaseKernel(k));
}

static void in_host_memory(uint64_t *r)
{
	cl_int code;
	const size_t words = 64 + (splitmix64(r) % (4096));
	cl_uint *host = aligned_alloc(4096, 5 * 4096);
	RIGHT(host != NULL);
	for (size_t i = 0; i < words; i++)
		host[i] = (cl_uint)i + 7;
	cl_mem m = buffer(CL_MEM_USE_HOST_PTR, words * 4, host);
	cl_kernel k = kernel("triple");
	OK(clSetKernelArg(k, 0, sizeof m, &m));
	OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &words, NULL, 0, NULL, NULL));
	cl_uint *p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, words * 4, 0, NULL, NULL, &code);
	OK(code);
	RIGHT(p == host);
	for (size_t i = 0; i < words; i++)
		RIGHT(p[i] == (i + 7) * 3);
	OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
	OK(clFinish(queue));
	OK(clReleaseMemObject(m));
	OK(clReleaseKernel(k));
	free(host);
}

static void for_long(uint64_t *r)
{
	const cl_uint n = 2000 + (cl_uint)(splitmix64(r) % (20000));
	const size_t items = 256;
	cl_mem m = buffer(CL_MEM_ALLOC_HOST_PTR, items * 4, NULL);
	cl_kernel k = kernel("spin");
	OK(clSetKernelArg(k, 0, sizeof m, &m));
	OK(clSetKernelArg(k, 1, sizeof n, &n));
	OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, NULL, 0, NULL, NULL));
	cl_uint is[256], x = 0;
	OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof is, is, 0, NULL, NULL));
	for (cl_uint i = 0; i < n; i++)
		x = x * 1664525u + i;
	for (size_t i = 0; i < items; i++)
		RIGHT(is[i] == x);
	OK(clReleaseMemObject(m));
	OK(clReleaseKernel(k));
}

static void *left_behind(void *unused)
{
	cl_int code;
	cl_command_queue q = clCreateCommandQueueWithProperties(context, device, NULL, &code);
	cl_mem m = buffer(0, 1 << 20, NULL);
	char *host = calloc(1, 1 << 20);
	for (;;) {
		OK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 1 << 20, host, 0, NULL, NULL));
		OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 1 << 20, host, 0, NULL, NULL));
	}
	return unused;
}

static void work(double seconds, uint64_t seed)
{
	static void (*const kinds[])(uint64_t *) = { in_device_memory, in_shared_memory, in_host_memory, for_long };
	uint64_t r = seed;
	struct timespec now, start;
	pthread_t thread;
	if (seed % 2)
		RIGHT(!pthread_create(&thread, NULL, left_behind, NULL));
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		kinds[(splitmix64(&r) % (4))](&r);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) * 1e-9 < seconds);
	_exit(0);
}

/* ---- the others ---- */
typedef cl_mem(CL_API_CALL *import_fn)(cl_context, cl_mem_flags, const cl_import_properties_arm *, void *, size_t, cl_int *);
static import_fn importer(void)
{
	cl_platform_id platform;
	OK(clGetPlatformIDs(1, &platform, NULL));
	return (import_fn)clGetExtensionFunctionAddressForPlatform(platform, "clImportMemoryARM");
}

static void shared(int fd)
{
	cl_int code;
	const size_t words = 1024;
	const cl_import_properties_arm list[] = { CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, 0 };
	cl_mem m = importer()(context, CL_MEM_READ_WRITE, list, &fd, words * 4, &code);
	OK(code);
	cl_kernel k = kernel("triple");
	OK(clSetKernelArg(k, 0, sizeof m, &m));
	OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &words, NULL, 0, NULL, NULL));
	OK(clFinish(queue));
}

/* Seven eighths of the device's memory, so that nobody can have left much. */
static void all(void)
{
	cl_ulong size;
	const cl_uint word = 0x600dc0de;
	cl_uint is = 0;
	cl_mem m[7];
	OK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof size, &size, NULL));
	for (int i = 0; i < 7; i++)
		m[i] = buffer(0, size / 8, NULL);
	for (int i = 0; i < 7; i++)
		OK(clEnqueueFillBuffer(queue, m[i], &word, 4, size / 8 - 64, 64, 0, NULL, NULL));
	for (int i = 0; i < 7; i++) {
		OK(clEnqueueReadBuffer(queue, m[i], CL_TRUE, size / 8 - 4, 4, &is, 0, NULL, NULL));
		RIGHT(is == word);
	}
}

static void errors(void)
{
	cl_int code;
	void *p = aligned_alloc(4096, 4096);
	const cl_import_properties_arm list[] = { CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, 0 };
	RIGHT(!importer()(context, CL_MEM_READ_WRITE, list, p, 4096, &code));
	RIGHT(code == CL_INVALID_OPERATION);
	free(p);
}

static void hang(void)
{
	const size_t one = 1;
	cl_mem m = buffer(CL_MEM_ALLOC_HOST_PTR, 64, NULL);
	cl_kernel k = kernel("endless");
	OK(clSetKernelArg(k, 0, sizeof m, &m));
	OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
	OK(clFlush(queue));
	puts("runs");
	fflush(stdout);
	OK(clFinish(queue));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	alarm(120);
	open_all();
	if (!strcmp(what, "work") && argc == 4)
		work(strtod(argv[2], NULL), strtoull(argv[3], NULL, 0));
	else if (!strcmp(what, "shared") && argc == 3)
		shared(atoi(argv[2]));
	else if (!strcmp(what, "all"))
		all();
	else if (!strcmp(what, "errors"))
		errors();
	else if (!strcmp(what, "hang"))
		hang();
	else
		return 2;
	return 0;
}
