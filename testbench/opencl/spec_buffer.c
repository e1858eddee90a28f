/* Rules on buffers and the commands on them. */
#include "testbench/opencl/spec.h"
#include <sys/mman.h>

enum { BYTES = 4096 };
static cl_mem buffer, other;
static char host[BYTES];

/* ---- creation ---- */

static cl_mem create(bool with, cl_context context, cl_mem_flags flags, size_t size, void *ptr, cl_int *error)
{
	return with ? api->clCreateBufferWithProperties(context, NULL, flags, size, ptr, error) : api->clCreateBuffer(context, flags, size, ptr, error);
}

static size_t largest(void)
{
	cl_ulong size;
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof size, &size, NULL));
	return (size_t)size;
}

/* Takes device memory until there is none. */
static void run_out(const char *id, bool with)
{
	cl_mem taken[256];
	int n = 0;
	cl_int error = 0;
	while (n < 256 && (taken[n] = create(with, cl.context, 0, largest(), NULL, &error)))
		n++;
	while (n--)
		CL_OK(api->clReleaseMemObject(taken[n]));
	RULE(id, CL_MEM_OBJECT_ALLOCATION_FAILURE, error);
}

static void creation(void **state)
{
	(void)state;
	const cl_mem_flags wrong[] = {1ull << 40,
				      CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
				      CL_MEM_READ_ONLY | CL_MEM_READ_WRITE,
				      CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
				      CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY};
	for (int w = 0; w < 2; w++) {
#define ID(what) w ? "CL_CREATEBUFFERWITHPROPERTIES_" what : "CL_CREATEBUFFER_" what
		for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
			RULE_NULL(ID("FLAGS"), CL_INVALID_VALUE, create(w, cl.context, wrong[i], 64, NULL, &error));
		RULE_NULL(ID("FLAGS"), CL_INVALID_VALUE, create(w, cl.context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host, &error));
		RULE_NULL(ID("FLAGS"), CL_INVALID_VALUE, create(w, cl.context, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 64, host, &error));
		RULE_NULL(ID("SIZE_ZERO"), CL_INVALID_BUFFER_SIZE, create(w, cl.context, 0, 0, NULL, &error));
		RULE_NULL(ID("SIZE_MAX"), CL_INVALID_BUFFER_SIZE, create(w, cl.context, 0, largest() + 1, NULL, &error));
		RULE_NULL(ID("HOST_PTR_NULL"), CL_INVALID_HOST_PTR, create(w, cl.context, CL_MEM_USE_HOST_PTR, 64, NULL, &error));
		RULE_NULL(ID("HOST_PTR_NULL"), CL_INVALID_HOST_PTR, create(w, cl.context, CL_MEM_COPY_HOST_PTR, 64, NULL, &error));
		RULE_NULL(ID("HOST_PTR_UNUSED"), CL_INVALID_HOST_PTR, create(w, cl.context, 0, 64, host, &error));
		run_out(ID("MEMORY"), w);
		void *svm = api->clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 4096, 0);
		if (svm) {
			RULE_NULL(ID("SIZE_SVM"), CL_INVALID_BUFFER_SIZE, create(w, cl.context, CL_MEM_USE_HOST_PTR, 4097, svm, &error));
			RULE_NULL(ID("SIZE_SVM"), CL_INVALID_BUFFER_SIZE, create(w, cl.context, CL_MEM_COPY_HOST_PTR, 4097, svm, &error));
		}
		api->clSVMFree(cl.context, svm);
#undef ID
	}
	const cl_mem_properties unknown[] = {0x7fff, 1, 0};
	RULE_NULL("CL_CREATEBUFFERWITHPROPERTIES_PROPERTY_NAME", CL_INVALID_PROPERTY,
		  api->clCreateBufferWithProperties(cl.context, unknown, 0, 64, NULL, &error));
}

static cl_mem part(cl_mem of, cl_mem_flags flags, size_t origin, size_t size, cl_int *error)
{
	const cl_buffer_region region = {origin, size};
	return api->clCreateSubBuffer(of, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, error);
}

static void parts(void **state)
{
	(void)state;
	static const struct {
		const char *id;
		cl_mem_flags whole, part;
	} flags[] = {
		{"CL_CREATESUBBUFFER_FLAGS", 0, 1ull << 40},
		{"CL_CREATESUBBUFFER_FLAGS", 0, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY},
		{"CL_CREATESUBBUFFER_FLAGS_WRITE_ONLY", CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE},
		{"CL_CREATESUBBUFFER_FLAGS_WRITE_ONLY", CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
		{"CL_CREATESUBBUFFER_FLAGS_READ_ONLY", CL_MEM_READ_ONLY, CL_MEM_READ_WRITE},
		{"CL_CREATESUBBUFFER_FLAGS_READ_ONLY", CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},
		{"CL_CREATESUBBUFFER_FLAGS_HOST_WRITE_ONLY", CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY},
		{"CL_CREATESUBBUFFER_FLAGS_HOST_READ_ONLY", CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
		{"CL_CREATESUBBUFFER_FLAGS_HOST_NO_ACCESS", CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY},
		{"CL_CREATESUBBUFFER_FLAGS_HOST_NO_ACCESS", CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY},
		{"CL_CREATESUBBUFFER_FLAGS_HOST_PTR", 0, CL_MEM_USE_HOST_PTR},
		{"CL_CREATESUBBUFFER_FLAGS_HOST_PTR", 0, CL_MEM_ALLOC_HOST_PTR},
		{"CL_CREATESUBBUFFER_FLAGS_HOST_PTR", 0, CL_MEM_COPY_HOST_PTR},
	};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		cl_mem whole;
		MAKE(whole, api->clCreateBuffer(cl.context, flags[i].whole, BYTES, NULL, &error));
		RULE_NULL(flags[i].id, CL_INVALID_VALUE, part(whole, flags[i].part, 0, 64, &error));
		CL_OK(api->clReleaseMemObject(whole));
	}
	cl_mem p;
	const cl_buffer_region region = {0, 64};
	MAKE(p, part(buffer, 0, 1024, 64, &error));
	RULE_NULL("CL_CREATESUBBUFFER_BUFFER_PART", CL_INVALID_MEM_OBJECT, part(p, 0, 0, 16, &error));
	CL_OK(api->clReleaseMemObject(p));
	RULE_NULL("CL_CREATESUBBUFFER_TYPE", CL_INVALID_VALUE, api->clCreateSubBuffer(buffer, 0, 0x7fff, &region, &error));
	RULE_NULL("CL_CREATESUBBUFFER_INFO_NULL", CL_INVALID_VALUE,
		  api->clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &error));
	RULE_NULL("CL_CREATESUBBUFFER_REGION", CL_INVALID_VALUE, part(buffer, 0, BYTES, 64, &error));
	RULE_NULL("CL_CREATESUBBUFFER_REGION", CL_INVALID_VALUE, part(buffer, 0, 1024, BYTES, &error));
	RULE_NULL("CL_CREATESUBBUFFER_REGION", CL_INVALID_VALUE, part(buffer, 0, SIZE_MAX & ~(size_t)1023, 1024, &error));
	RULE_NULL("CL_CREATESUBBUFFER_SIZE_ZERO", CL_INVALID_BUFFER_SIZE, part(buffer, 0, 0, 0, &error));
	RULE_NULL("CL_CREATESUBBUFFER_ALIGN", CL_MISALIGNED_SUB_BUFFER_OFFSET, part(buffer, 0, 4, 64, &error));
}

/* ---- commands ---- */

/* A user event that has ended badly. */
static cl_event failed_event(void)
{
	cl_event e;
	MAKE(e, api->clCreateUserEvent(cl.context, &error));
	CL_OK(api->clSetUserEventStatus(e, -7));
	return e;
}

static cl_mem with_flags(cl_mem_flags flags)
{
	cl_mem m;
	MAKE(m, api->clCreateBuffer(cl.context, flags, BYTES, NULL, &error));
	return m;
}

static cl_int transfer(bool write, cl_mem m, cl_bool blocking, size_t offset, size_t size, void *ptr, cl_event wait)
{
	const cl_event list[] = {wait};
	return write ? api->clEnqueueWriteBuffer(cl.queue, m, blocking, offset, size, ptr, wait != NULL, wait ? list : NULL, NULL)
		     : api->clEnqueueReadBuffer(cl.queue, m, blocking, offset, size, ptr, wait != NULL, wait ? list : NULL, NULL);
}

static void transfers(void **state)
{
	(void)state;
	cl_event failed = failed_event();
	for (int w = 0; w < 2; w++) {
#define ID(what) w ? "CL_ENQUEUEWRITEBUFFER_" what : "CL_ENQUEUEREADBUFFER_" what
		RULE(ID("BOUNDS"), CL_INVALID_VALUE, transfer(w, buffer, CL_TRUE, BYTES, 1, host, NULL));
		RULE(ID("BOUNDS"), CL_INVALID_VALUE, transfer(w, buffer, CL_TRUE, 1, BYTES, host, NULL));
		RULE(ID("BOUNDS"), CL_INVALID_VALUE, transfer(w, buffer, CL_TRUE, SIZE_MAX, 2, host, NULL));
		RULE(ID("PTR_NULL"), CL_INVALID_VALUE, transfer(w, buffer, CL_TRUE, 0, 4, NULL, NULL));
		RULE(ID("FAILED_EVENT"), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, transfer(w, buffer, CL_TRUE, 0, 4, host, failed));
		for (int i = 0; i < 2; i++) {
			cl_mem closed = with_flags(i ? CL_MEM_HOST_NO_ACCESS : w ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
			RULE(ID("HOST_ACCESS"), CL_INVALID_OPERATION, transfer(w, closed, CL_TRUE, 0, 4, host, NULL));
			CL_OK(api->clReleaseMemObject(closed));
		}
#undef ID
	}
	CL_OK(api->clReleaseEvent(failed));
}

/* A rectangle of 4x3x2 bytes at 1, 1, 1: what is right, to be changed in one place. */
struct rect_args {
	cl_mem m;
	const size_t *origin, *host_origin, *region;
	size_t row, slice, host_row, host_slice;
	void *ptr;
	cl_event wait;
};
static const size_t ones[3] = {1, 1, 1}, region432[3] = {4, 3, 2};
static struct rect_args right_rect(void) { return (struct rect_args){buffer, ones, ones, region432, 16, 64, 16, 64, host, NULL}; }

static cl_int rect(bool write, const struct rect_args *a)
{
	const cl_event list[] = {a->wait};
	const cl_uint n = a->wait != NULL;
	return write ? api->clEnqueueWriteBufferRect(cl.queue, a->m, CL_TRUE, a->origin, a->host_origin, a->region, a->row, a->slice, a->host_row,
						     a->host_slice, a->ptr, n, n ? list : NULL, NULL)
		     : api->clEnqueueReadBufferRect(cl.queue, a->m, CL_TRUE, a->origin, a->host_origin, a->region, a->row, a->slice, a->host_row,
						    a->host_slice, a->ptr, n, n ? list : NULL, NULL);
}
/* The call with one thing changed. */
#define RECT(what, code, change)                                                                   \
	do {                                                                                       \
		struct rect_args a = right_rect();                                                 \
		a.change;                                                                          \
		RULE(w ? "CL_ENQUEUEWRITEBUFFERRECT_" what : "CL_ENQUEUEREADBUFFERRECT_" what, code, rect(w, &a)); \
	} while (0)

static void rectangles(void **state)
{
	(void)state;
	static const size_t far[3] = {0, 0, 64}, farther[3] = {0, SIZE_MAX / 8, SIZE_MAX / 8};
	cl_event failed = failed_event();
	for (int w = 0; w < 2; w++) {
		const struct rect_args right = right_rect();
		CL_OK(rect(w, &right));
		RECT("ORIGIN_NULL", CL_INVALID_VALUE, origin = NULL);
		RECT("ORIGIN_NULL", CL_INVALID_VALUE, host_origin = NULL);
		RECT("ORIGIN_NULL", CL_INVALID_VALUE, region = NULL);
		RECT("BOUNDS", CL_INVALID_VALUE, origin = far);
		RECT("BOUNDS", CL_INVALID_VALUE, origin = farther);
		for (int i = 0; i < 3; i++) {
			size_t empty[3] = {4, 3, 2};
			empty[i] = 0;
			RECT("REGION_ZERO", CL_INVALID_VALUE, region = empty);
		}
		RECT("ROW", CL_INVALID_VALUE, row = 3);
		RECT("SLICE", CL_INVALID_VALUE, slice = 32);
		RECT("SLICE_ROWS", CL_INVALID_VALUE, slice = 65);
		RECT("HOST_ROW", CL_INVALID_VALUE, host_row = 3);
		RECT("HOST_SLICE", CL_INVALID_VALUE, host_slice = 32);
		RECT("HOST_SLICE_ROWS", CL_INVALID_VALUE, host_slice = 65);
		RECT("PTR_NULL", CL_INVALID_VALUE, ptr = NULL);
		RECT("FAILED_EVENT", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, wait = failed);
		for (int i = 0; i < 2; i++) {
			cl_mem closed = with_flags(i ? CL_MEM_HOST_NO_ACCESS : w ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
			RECT("HOST_ACCESS", CL_INVALID_OPERATION, m = closed);
			CL_OK(api->clReleaseMemObject(closed));
		}
	}
	CL_OK(api->clReleaseEvent(failed));
}

#define COPY(src, dst, from, to, size) api->clEnqueueCopyBuffer(cl.queue, (src), (dst), (from), (to), (size), 0, NULL, NULL)

static void copies(void **state)
{
	(void)state;
	cl_mem low, high;
	RULE("CL_ENQUEUECOPYBUFFER_SRC_BOUNDS", CL_INVALID_VALUE, COPY(buffer, other, BYTES - 3, 0, 4));
	RULE("CL_ENQUEUECOPYBUFFER_SRC_BOUNDS", CL_INVALID_VALUE, COPY(buffer, other, SIZE_MAX, 0, 2));
	RULE("CL_ENQUEUECOPYBUFFER_DST_BOUNDS", CL_INVALID_VALUE, COPY(buffer, other, 0, BYTES - 3, 4));
	RULE("CL_ENQUEUECOPYBUFFER_OVERLAP", CL_MEM_COPY_OVERLAP, COPY(buffer, buffer, 0, 63, 64));
	RULE("CL_ENQUEUECOPYBUFFER_OVERLAP", CL_MEM_COPY_OVERLAP, COPY(buffer, buffer, 63, 0, 64));
	CL_OK(COPY(buffer, buffer, 0, 64, 64));
	MAKE(low, part(buffer, 0, 0, 2048, &error));
	MAKE(high, part(buffer, 0, 1024, 2048, &error));
	RULE("CL_ENQUEUECOPYBUFFER_OVERLAP_PARTS", CL_MEM_COPY_OVERLAP, COPY(low, high, 1024, 0, 64));
	CL_OK(COPY(low, high, 0, 0, 64));
	CL_OK(api->clReleaseMemObject(low));
	CL_OK(api->clReleaseMemObject(high));
}

struct copy_args {
	cl_mem src, dst;
	const size_t *from, *to, *region;
	size_t src_row, src_slice, dst_row, dst_slice;
};
static struct copy_args right_copy(void) { return (struct copy_args){buffer, other, ones, ones, region432, 16, 64, 16, 64}; }
static cl_int copy_rect(const struct copy_args *a)
{
	return api->clEnqueueCopyBufferRect(cl.queue, a->src, a->dst, a->from, a->to, a->region, a->src_row, a->src_slice, a->dst_row, a->dst_slice, 0,
					    NULL, NULL);
}
#define COPY_RECT(what, code, ...)                                                                 \
	do {                                                                                       \
		struct copy_args a = right_copy();                                                 \
		__VA_ARGS__;                                                                       \
		RULE("CL_ENQUEUECOPYBUFFERRECT_" what, code, copy_rect(&a));                       \
	} while (0)

static void copies_of_rectangles(void **state)
{
	(void)state;
	static const size_t far[3] = {0, 0, 64}, beside[3] = {3, 1, 1};
	const struct copy_args right = right_copy();
	cl_mem low, high;
	CL_OK(copy_rect(&right));
	COPY_RECT("ORIGIN_NULL", CL_INVALID_VALUE, a.from = NULL);
	COPY_RECT("ORIGIN_NULL", CL_INVALID_VALUE, a.to = NULL);
	COPY_RECT("ORIGIN_NULL", CL_INVALID_VALUE, a.region = NULL);
	COPY_RECT("SRC_BOUNDS", CL_INVALID_VALUE, a.from = far);
	COPY_RECT("DST_BOUNDS", CL_INVALID_VALUE, a.to = far);
	for (int i = 0; i < 3; i++) {
		size_t empty[3] = {4, 3, 2};
		empty[i] = 0;
		COPY_RECT("REGION_ZERO", CL_INVALID_VALUE, a.region = empty);
	}
	COPY_RECT("SRC_ROW", CL_INVALID_VALUE, a.src_row = 3);
	COPY_RECT("SRC_SLICE", CL_INVALID_VALUE, a.src_slice = 32);
	COPY_RECT("SRC_SLICE_ROWS", CL_INVALID_VALUE, a.src_slice = 65);
	COPY_RECT("DST_ROW", CL_INVALID_VALUE, a.dst_row = 3);
	COPY_RECT("DST_SLICE", CL_INVALID_VALUE, a.dst_slice = 32);
	COPY_RECT("DST_SLICE_ROWS", CL_INVALID_VALUE, a.dst_slice = 65);
	COPY_RECT("SAME_ROW", CL_INVALID_VALUE, a.dst = buffer; a.dst_row = 32; a.dst_slice = 128);
	COPY_RECT("SAME_SLICE", CL_INVALID_VALUE, a.dst = buffer; a.dst_slice = 128);
	COPY_RECT("OVERLAP", CL_MEM_COPY_OVERLAP, a.dst = buffer; a.to = beside);
	MAKE(low, part(buffer, 0, 0, 2048, &error));
	MAKE(high, part(buffer, 0, 0, 1024, &error));
	COPY_RECT("OVERLAP_PARTS", CL_MEM_COPY_OVERLAP, a.src = low; a.dst = high; a.to = beside);
	CL_OK(api->clReleaseMemObject(low));
	CL_OK(api->clReleaseMemObject(high));
}

#define FILL(pattern, bytes, offset, size) api->clEnqueueFillBuffer(cl.queue, buffer, (pattern), (bytes), (offset), (size), 0, NULL, NULL)

static void fills(void **state)
{
	(void)state;
	RULE("CL_ENQUEUEFILLBUFFER_BOUNDS", CL_INVALID_VALUE, FILL(host, 4, BYTES, 4));
	RULE("CL_ENQUEUEFILLBUFFER_BOUNDS", CL_INVALID_VALUE, FILL(host, 4, 4, BYTES));
	RULE("CL_ENQUEUEFILLBUFFER_PATTERN_NULL", CL_INVALID_VALUE, FILL(NULL, 4, 0, 64));
	RULE("CL_ENQUEUEFILLBUFFER_PATTERN_ZERO", CL_INVALID_VALUE, FILL(host, 0, 0, 64));
	RULE("CL_ENQUEUEFILLBUFFER_PATTERN_POWER", CL_INVALID_VALUE, FILL(host, 3, 0, 63));
	RULE("CL_ENQUEUEFILLBUFFER_PATTERN_MAX", CL_INVALID_VALUE, FILL(host, 256, 0, 1024));
	RULE("CL_ENQUEUEFILLBUFFER_OFFSET", CL_INVALID_VALUE, FILL(host, 16, 8, 64));
	RULE("CL_ENQUEUEFILLBUFFER_SIZE", CL_INVALID_VALUE, FILL(host, 16, 16, 40));
}

/* ---- maps ---- */

static void *map_region(cl_mem m, cl_map_flags flags, size_t offset, size_t size, cl_event wait, cl_int *error)
{
	const cl_event list[] = {wait};
	return api->clEnqueueMapBuffer(cl.queue, m, CL_TRUE, flags, offset, size, wait != NULL, wait ? list : NULL, NULL, error);
}

static void maps(void **state)
{
	(void)state;
	cl_event failed = failed_event();
	RULE_NULL("CL_ENQUEUEMAPBUFFER_BOUNDS", CL_INVALID_VALUE, map_region(buffer, CL_MAP_READ, BYTES, 1, NULL, &error));
	RULE_NULL("CL_ENQUEUEMAPBUFFER_BOUNDS", CL_INVALID_VALUE, map_region(buffer, CL_MAP_READ, SIZE_MAX, 2, NULL, &error));
	RULE_NULL("CL_ENQUEUEMAPBUFFER_SIZE_ZERO", CL_INVALID_VALUE, map_region(buffer, CL_MAP_READ, 0, 0, NULL, &error));
	RULE_NULL("CL_ENQUEUEMAPBUFFER_FLAGS", CL_INVALID_VALUE, map_region(buffer, 1u << 20, 0, 64, NULL, &error));
	RULE_NULL("CL_ENQUEUEMAPBUFFER_FLAGS", CL_INVALID_VALUE,
		  map_region(buffer, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 64, NULL, &error));
	RULE_NULL("CL_ENQUEUEMAPBUFFER_FAILED_EVENT", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
		  map_region(buffer, CL_MAP_READ, 0, 64, failed, &error));
	static const struct {
		const char *id;
		cl_mem_flags flags;
		cl_map_flags map;
	} closed[] = {
		{"CL_ENQUEUEMAPBUFFER_HOST_READ", CL_MEM_HOST_WRITE_ONLY, CL_MAP_READ},
		{"CL_ENQUEUEMAPBUFFER_HOST_READ", CL_MEM_HOST_NO_ACCESS, CL_MAP_READ},
		{"CL_ENQUEUEMAPBUFFER_HOST_WRITE", CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE},
		{"CL_ENQUEUEMAPBUFFER_HOST_WRITE", CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE_INVALIDATE_REGION},
		{"CL_ENQUEUEMAPBUFFER_HOST_WRITE", CL_MEM_HOST_NO_ACCESS, CL_MAP_WRITE},
	};
	for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
		cl_mem m = with_flags(closed[i].flags);
		RULE_NULL(closed[i].id, CL_INVALID_OPERATION, map_region(m, closed[i].map, 0, 64, NULL, &error));
		CL_OK(api->clReleaseMemObject(m));
	}
	void *low, *read;
	MAKE(low, map_region(buffer, CL_MAP_WRITE, 0, 128, NULL, &error));
	RULE_NULL("CL_ENQUEUEMAPBUFFER_OVERLAP", CL_INVALID_OPERATION, map_region(buffer, CL_MAP_WRITE, 127, 64, NULL, &error));
	MAKE(read, map_region(buffer, CL_MAP_WRITE, 128, 64, NULL, &error));
	CL_OK(api->clEnqueueUnmapMemObject(cl.queue, buffer, low, 0, NULL, NULL));
	CL_OK(api->clEnqueueUnmapMemObject(cl.queue, buffer, read, 0, NULL, NULL));
	CL_OK(api->clReleaseEvent(failed));
}

static int setup(void **state)
{
	if (spec_setup(state))
		return -1;
	buffer = api->clCreateBuffer(cl.context, 0, BYTES, NULL, NULL);
	other = api->clCreateBuffer(cl.context, 0, BYTES, NULL, NULL);
	return !buffer || !other;
}

static int teardown(void **state)
{
	return clFinish(cl.queue) || clReleaseMemObject(buffer) || clReleaseMemObject(other) || cl_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(creation), cmocka_unit_test(parts),  cmocka_unit_test(transfers),
		cmocka_unit_test(rectangles), cmocka_unit_test(copies), cmocka_unit_test(copies_of_rectangles),
		cmocka_unit_test(fills),    cmocka_unit_test(maps),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
