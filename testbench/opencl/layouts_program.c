/* A random program of allocations, imports and transfers, drawn from its seed; where its memory lies is drawn from another. What it
 * reads has to be what it wrote. */
#define _GNU_SOURCE
#include "testbench/opencl/layouts_program.h"
#include "include/galena/heap.h"
#include "testbench/opencl/layouts_memory.h"
#include "testbench/random.h"
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OBJECTS = 14, PENDING = 32, PAGE = 4096 };

#define NEED(condition)                                                                                      \
	do {                                                                                                 \
		if (!(condition)) {                                                                          \
			fprintf(stderr, "step %u, %s:%d: not so: %s\n", step, __FILE__, __LINE__, #condition); \
			exit(2);                                                                             \
		}                                                                                            \
	} while (0)
#define OK(call) NEED((call) == CL_SUCCESS)

enum kind { DEVICE, PINNED, USE_HOST, COPY_HOST, IMPORT, DMABUF, SVM, KINDS };
struct object {
	enum kind kind;
	size_t size;
	cl_mem mem;
	uint8_t *host;   /* of USE_HOST, IMPORT, DMABUF, SVM */
	uint8_t *mirror; /* what it holds; NULL: there is no object */
	int fd;
};
/* A transfer that has been enqueued: its memory in the host, and what has to be there in the end. */
struct transfer {
	uint8_t *at, *expected;
	size_t size;
};

static const char *const source = "kernel void add(global uchar *p, uint from, uchar v) { p[from + get_global_id(0)] += v; }\n";

static uint64_t seed;
static unsigned step;
static cl_context context;
static cl_command_queue queue;
static cl_kernel add;
static __typeof__(clImportMemoryARM) *import;
static struct object objects[OBJECTS];
static struct transfer pending[PENDING];
static unsigned num_pending;
static bool large_sizes;

static uint64_t any(uint64_t n) { return splitmix64(&seed) % n; }

/* Memory that is touched for the first time takes most of the time: one program of eight has objects of more than some pages of 64 KiB. */
static size_t any_size(void)
{
	if (!large_sizes)
		return any(4) ? 1 + any(20000) : any(2) ? PAGE * (1 + any(20)) : (64 << 10) + any(70000);
	switch (any(8)) {
	case 0: return 1 + any(5000);
	case 1: return PAGE * (1 + any(20));
	case 2: return 1 << 20;
	case 3: return (2 << 20) + any(2) * (any(1 << 20) + PAGE);
	default: return (64 << 10) + any(200000);
	}
}

static size_t any_offset(void)
{
	static const size_t usual[] = {0, 0, 16, 64, 2048, 4080};
	return any(8) ? usual[any(sizeof usual / sizeof *usual)] : any(PAGE);
}

static void fill(uint8_t *at, size_t size)
{
	const uint8_t first = (uint8_t)splitmix64(&seed), more = (uint8_t)(splitmix64(&seed) | 1);
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(first + i / 64 * more + i);
}

static uint8_t *copy_of(const void *at, size_t size)
{
	uint8_t *copy = malloc(size);
	NEED(copy);
	memcpy(copy, at, size);
	return copy;
}

/* ---- the host waits ---- */
static bool in_host(const struct object *o) { return o->host != NULL; }

static void finish(void)
{
	OK(clFinish(queue));
	for (unsigned i = 0; i < num_pending; i++) {
		NEED(!pending[i].expected || !memcmp(pending[i].at, pending[i].expected, pending[i].size));
		free(pending[i].expected);
		layout_give_back(pending[i].at, pending[i].size, false);
	}
	num_pending = 0;
	for (const struct object *o = objects; o < objects + OBJECTS; o++)
		NEED(!o->mirror || !in_host(o) || !memcmp(o->host, o->mirror, o->size));
}

/* Memory of the host for a transfer; expected: what it has to hold in the end, or NULL: something is in it. */
static uint8_t *memory_for(size_t size, const uint8_t *expected)
{
	if (num_pending == PENDING)
		finish();
	uint8_t *at = layout_take(size, any_offset(), false);
	if (!expected)
		fill(at, size);
	pending[num_pending++] = (struct transfer){.at = at, .expected = expected ? copy_of(expected, size) : NULL, .size = size};
	return at;
}

/* ---- objects ---- */
static void make_dmabuf(struct object *o)
{
	static const cl_import_properties_arm list[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, CL_TRUE, 0};
	cl_int code;
	o->fd = galena_heap_alloc(any(2) ? "cma" : "system", o->size, 0);
	NEED(o->fd >= 0);
	o->host = mmap(NULL, o->size, PROT_READ | PROT_WRITE, MAP_SHARED, o->fd, 0);
	NEED(o->host != MAP_FAILED);
	o->mem = import(context, CL_MEM_READ_WRITE, list, &o->fd, o->size, &code);
	OK(code);
}

static void make(struct object *o)
{
	cl_int code = CL_SUCCESS;
	*o = (struct object){.kind = any(KINDS), .size = any_size(), .fd = -1};
	if (o->kind == DEVICE || o->kind == PINNED) {
		o->mem = clCreateBuffer(context, o->kind == PINNED ? CL_MEM_ALLOC_HOST_PTR : 0, o->size, NULL, &code);
		OK(code);
		o->mirror = calloc(1, o->size);
		NEED(o->mirror);
		OK(clEnqueueFillBuffer(queue, o->mem, &(cl_uchar){0}, 1, 0, o->size, 0, NULL, NULL));
		return;
	}
	uint8_t *at = NULL;
	if (o->kind == SVM) {
		o->host = clSVMAlloc(context, CL_MEM_READ_WRITE, o->size, 0);
		NEED(o->host);
		OK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, o->host, o->size, 0, NULL, NULL));
		fill(o->host, o->size);
		OK(clEnqueueSVMUnmap(queue, o->host, 0, NULL, NULL));
	} else if (o->kind == DMABUF) {
		make_dmabuf(o);
	} else {
		at = layout_take(o->size, o->kind == IMPORT ? any_offset() & ~(size_t)127 : any_offset(), o->kind == IMPORT);
		fill(at, o->size);
	}
	if (o->kind == USE_HOST)
		o->mem = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, o->size, at, &code);
	else if (o->kind == COPY_HOST)
		o->mem = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, o->size, at, &code);
	else if (o->kind == IMPORT)
		o->mem = import(context, CL_MEM_READ_WRITE, NULL, at, o->size, &code);
	OK(code);
	o->mirror = copy_of(at ? at : o->host, o->size);
	if (o->kind == COPY_HOST)
		layout_give_back(at, o->size, false);
	else if (at)
		o->host = at;
}

static void give_up(struct object *o)
{
	if (in_host(o) || any(2))
		finish();
	if (o->mem)
		OK(clReleaseMemObject(o->mem));
	if (o->kind == SVM)
		clSVMFree(context, o->host);
	else if (o->kind == DMABUF)
		NEED(!munmap(o->host, o->size) && !close(o->fd));
	else if (in_host(o))
		layout_give_back(o->host, o->size, o->kind == IMPORT);
	free(o->mirror);
	*o = (struct object){0};
}

/* ---- commands; a part of an object: from *at on, that many bytes ---- */
static size_t part(const struct object *o, size_t *at)
{
	*at = any(3) ? 0 : any(o->size);
	return any(3) ? o->size - *at : 1 + any(o->size - *at);
}

static bool can_transfer(const struct object *o) { return o->mirror && o->mem && o->kind != IMPORT && o->kind != DMABUF; }

static void write_part(struct object *o, cl_mem to, size_t from, size_t at, size_t size)
{
	uint8_t *src = memory_for(size, NULL);
	memcpy(o->mirror + at, src, size);
	OK(clEnqueueWriteBuffer(queue, to, !any(3), at - from, size, src, 0, NULL, NULL));
}

static void read_part(struct object *o)
{
	size_t at, size = part(o, &at);
	uint8_t *dst = memory_for(size, o->mirror + at);
	OK(clEnqueueReadBuffer(queue, o->mem, !any(3), at, size, dst, 0, NULL, NULL));
}

static void sub_buffer(struct object *o)
{
	const size_t origin = any(o->size) & ~(size_t)127, size = o->size - origin;
	cl_int code;
	cl_mem sub = clCreateSubBuffer(o->mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){origin, size}, &code);
	OK(code);
	write_part(o, sub, origin, origin + any(2) * any(size) / 2, 1 + any(size) / 2);
	OK(clReleaseMemObject(sub));
}

/* Columns of a picture, to it or from it. */
static void rect(struct object *o)
{
	const size_t row = 1 + any(3000), rows = o->size / row, host_row = row + any(100);
	const size_t width = 1 + any(row), x = any(row - width + 1);
	if (!rows)
		return;
	const bool write = any(2);
	uint8_t *host = memory_for(host_row * rows, NULL);
	struct transfer *t = &pending[num_pending - 1];
	if (!write)
		t->expected = copy_of(host, host_row * rows);
	for (size_t y = 0; y < rows; y++)
		memcpy(write ? o->mirror + y * row + x : t->expected + y * host_row, write ? host + y * host_row : o->mirror + y * row + x, width);
	const size_t device[3] = {x, 0, 0}, zero[3] = {0}, region[3] = {width, rows, 1};
	if (write)
		OK(clEnqueueWriteBufferRect(queue, o->mem, CL_FALSE, device, zero, region, row, 0, host_row, 0, host, 0, NULL, NULL));
	else
		OK(clEnqueueReadBufferRect(queue, o->mem, CL_FALSE, device, zero, region, row, 0, host_row, 0, host, 0, NULL, NULL));
}

static void map(struct object *o)
{
	size_t at, size = part(o, &at);
	const bool all_new = any(2);
	cl_int code;
	uint8_t *p = clEnqueueMapBuffer(queue, o->mem, CL_TRUE, all_new ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ | CL_MAP_WRITE, at, size, 0, NULL,
					NULL, &code);
	OK(code);
	NEED(all_new || !memcmp(p, o->mirror + at, size));
	fill(p, size);
	memcpy(o->mirror + at, p, size);
	OK(clEnqueueUnmapMemObject(queue, o->mem, p, 0, NULL, NULL));
}

static void kernel(struct object *o)
{
	size_t at, size = part(o, &at);
	const cl_uint from = (cl_uint)at;
	const cl_uchar v = (cl_uchar)any(256);
	if (size > 3000)
		size = 3000;
	OK(o->mem ? clSetKernelArg(add, 0, sizeof o->mem, &o->mem) : clSetKernelArgSVMPointer(add, 0, o->host));
	OK(clSetKernelArg(add, 1, sizeof from, &from));
	OK(clSetKernelArg(add, 2, sizeof v, &v));
	OK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &size, NULL, 0, NULL, NULL));
	for (size_t i = 0; i < size; i++)
		o->mirror[at + i] += v;
}

static void copy(struct object *a, struct object *b)
{
	const size_t size = a->size < b->size ? a->size : b->size;
	if (a == b)
		return;
	OK(clEnqueueCopyBuffer(queue, a->mem, b->mem, 0, 0, size, 0, NULL, NULL));
	memcpy(b->mirror, a->mirror, size);
}

static void shared(struct object *o)
{
	size_t at, size = part(o, &at);
	const bool write = any(2);
	uint8_t *host = memory_for(size, write ? NULL : o->mirror + at);
	OK(clEnqueueSVMMemcpy(queue, !any(3), write ? o->host + at : host, write ? host : o->host + at, size, 0, NULL, NULL));
	if (write)
		memcpy(o->mirror + at, host, size);
}

static void any_step(void)
{
	struct object *o = &objects[any(OBJECTS)], *other = &objects[any(OBJECTS)];
	const uint64_t what = any(16);
	if (!o->mirror)
		make(o);
	else if (what == 0)
		finish();
	else if (what < 4)
		give_up(o);
	else if (what < 6)
		kernel(o);
	else if (o->kind == SVM)
		shared(o);
	else if (!can_transfer(o))
		kernel(o);
	else if (what < 8)
		write_part(o, o->mem, 0, 0, o->size);
	else if (what < 10)
		read_part(o);
	else if (what == 10)
		sub_buffer(o);
	else if (what == 11 && o->size < 1 << 20)
		rect(o);
	else if (what < 13)
		map(o);
	else if (can_transfer(other))
		copy(o, other);
}

/* 64 MiB there and back, between a dozen of 1 MiB. */
static void large(void)
{
	enum { LARGE = 64 << 20, SMALL = 1 << 20, DOZEN = 12 };
	uint8_t *small[DOZEN], *src = layout_take(LARGE, 16, false), *dst = layout_take(LARGE, 16, false);
	cl_mem mem[DOZEN], all;
	cl_int code;
	all = clCreateBuffer(context, 0, LARGE, NULL, &code);
	OK(code);
	for (size_t i = 0; i < LARGE; i += 61)
		src[i] = (uint8_t)(i / 61);
	for (unsigned i = 0; i < DOZEN; i++) {
		small[i] = layout_take(SMALL, any_offset(), false);
		fill(small[i], SMALL);
		mem[i] = clCreateBuffer(context, any(2) ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, SMALL, small[i], &code);
		OK(code);
	}
	OK(clEnqueueWriteBuffer(queue, all, CL_FALSE, 0, LARGE, src, 0, NULL, NULL));
	for (unsigned i = 0; i < DOZEN; i++) {
		OK(clEnqueueCopyBuffer(queue, mem[i], all, 0, i * (4u << 20), SMALL, 0, NULL, NULL));
	}
	OK(clEnqueueReadBuffer(queue, all, CL_TRUE, 0, LARGE, dst, 0, NULL, NULL));
	for (unsigned i = 0; i < DOZEN; i++) {
		memcpy(src + i * (4u << 20), small[i], SMALL);
		OK(clReleaseMemObject(mem[i]));
	}
	NEED(!memcmp(src, dst, LARGE));
	OK(clReleaseMemObject(all));
	for (unsigned i = 0; i < DOZEN; i++)
		layout_give_back(small[i], SMALL, false);
	layout_give_back(src, LARGE, false);
	layout_give_back(dst, LARGE, false);
}

int layouts_program(uint64_t program_seed, unsigned steps, bool with_large)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_int code;
	seed = program_seed;
	large_sizes = !any(8);
	OK(clGetPlatformIDs(1, &platform, NULL));
	OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	import = (__typeof__(clImportMemoryARM) *)clGetExtensionFunctionAddressForPlatform(platform, "clImportMemoryARM");
	NEED(import);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	OK(code);
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
	OK(code);
	cl_program p = clCreateProgramWithSource(context, 1, (const char **)(uintptr_t)&source, NULL, &code);
	OK(code);
	OK(clBuildProgram(p, 1, &device, "", NULL, NULL));
	add = clCreateKernel(p, "add", &code);
	OK(code);
	if (with_large)
		large();
	for (step = 1; step <= steps; step++)
		any_step();
	finish();
	for (struct object *o = objects; o < objects + OBJECTS; o++)
		if (o->mirror)
			give_up(o);
	OK(clReleaseKernel(add));
	OK(clReleaseProgram(p));
	OK(clReleaseCommandQueue(queue));
	OK(clReleaseContext(context));
	return 0;
}
