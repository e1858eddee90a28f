/* Mapping: every placement of memory, reading, writing, invalidating, several at once, not waiting. */
#include "testbench/opencl/cl_test.h"
#include <sys/mman.h>

static void pattern(unsigned char *p, size_t n, unsigned v)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(i * 13 + v);
}

static cl_uint map_count(cl_mem m)
{
	cl_uint n = 99;
	CL_OK(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof n, &n, NULL));
	return n;
}

static void *map(cl_command_queue q, cl_mem m, cl_map_flags flags, size_t offset, size_t size)
{
	cl_int code;
	void *p = clEnqueueMapBuffer(q, m, CL_TRUE, flags, offset, size, 0, NULL, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_non_null(p);
	return p;
}

static void buffer_of(cl_context context, cl_command_queue q, cl_mem_flags flags, unsigned char *memory, size_t n)
{
	cl_int code;
	unsigned char *expected = malloc(n), *out = malloc(n);
	pattern(expected, n, 1);
	if (memory)
		memcpy(memory, expected, n);
	cl_mem m = clCreateBuffer(context, flags, n, memory, &code);
	assert_int_equal(code, CL_SUCCESS);
	if (!memory)
		CL_OK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, n, expected, 0, NULL, NULL));

	/* reading: what is there */
	unsigned char *p = map(q, m, CL_MAP_READ, 100, n - 200);
	assert_int_equal(map_count(m), 1);
	assert_memory_equal(p, expected + 100, n - 200);
	if (flags & CL_MEM_USE_HOST_PTR)
		assert_ptr_equal(p, memory + 100);
	CL_OK(clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL));
	assert_int_equal(map_count(m), 0);

	/* writing a part of what was mapped: the rest stays */
	p = map(q, m, CL_MAP_READ | CL_MAP_WRITE, 0, n);
	assert_memory_equal(p, expected, n);
	memset(p + 10, 0xab, 20);
	memset(expected + 10, 0xab, 20);
	CL_OK(clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, n, out, 0, NULL, NULL));
	assert_memory_equal(out, expected, n);
	p = map(q, m, CL_MAP_WRITE, 0, n);
	memset(p + 50, 0xcd, 20);
	memset(expected + 50, 0xcd, 20);
	CL_OK(clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL));

	/* invalidating: all of the region is written */
	p = map(q, m, CL_MAP_WRITE_INVALIDATE_REGION, 200, 300);
	memset(p, 0xef, 300);
	memset(expected + 200, 0xef, 300);
	CL_OK(clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, n, out, 0, NULL, NULL));
	assert_memory_equal(out, expected, n);

	/* several at once */
	unsigned char *a = map(q, m, CL_MAP_WRITE, 0, 100), *b = map(q, m, CL_MAP_WRITE, 1000, 100), *c = map(q, m, CL_MAP_READ, 0, n);
	assert_int_equal(map_count(m), 3);
	assert_memory_equal(c, expected, n);
	CL_OK(clEnqueueUnmapMemObject(q, m, c, 0, NULL, NULL));
	a[0] = b[0] = 0x77;
	expected[0] = expected[1000] = 0x77;
	CL_OK(clEnqueueUnmapMemObject(q, m, b, 0, NULL, NULL));
	CL_OK(clEnqueueUnmapMemObject(q, m, a, 0, NULL, NULL));
	assert_int_equal(map_count(m), 0);
	CL_OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, n, out, 0, NULL, NULL));
	assert_memory_equal(out, expected, n);

	CL_FAILS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(q, m, out, 0, NULL, NULL));
	CL_FAILS(CL_INVALID_MEM_OBJECT, clEnqueueUnmapMemObject(q, NULL, out, 0, NULL, NULL));
	assert_null(clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, n + 1, 0, NULL, NULL, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clEnqueueMapBuffer(q, m, CL_TRUE, 1 << 10, 0, n, 0, NULL, NULL, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	CL_OK(clFinish(q));
	CL_OK(clReleaseMemObject(m));
	free(expected);
	free(out);
}

static void device_memory(void **state)
{
	(void)state;
	buffer_of(cl.context, cl.queue, 0, NULL, 2000);
	buffer_of(cl.context, cl.queue, 0, NULL, 300000);
}

static void system_memory(void **state)
{
	(void)state;
	buffer_of(cl.context, cl.queue, CL_MEM_ALLOC_HOST_PTR, NULL, 2000);
	buffer_of(cl.context, cl.queue, CL_MEM_ALLOC_HOST_PTR, NULL, 300000);
	cl_int code;
	cl_command_queue q = clCreateCommandQueue(cl.all, cl.device, 0, &code);
	assert_int_equal(code, CL_SUCCESS);
	buffer_of(cl.all, q, 0, NULL, 70000);
	CL_OK(clReleaseCommandQueue(q));
}

static void application_memory(void **state)
{
	(void)state;
	unsigned char *memory = malloc(300000);
	buffer_of(cl.context, cl.queue, CL_MEM_USE_HOST_PTR, memory, 2000);
	buffer_of(cl.context, cl.queue, CL_MEM_USE_HOST_PTR, memory + 3, 299000);
	free(memory);
}

/* Pages that cannot be written cannot be the device's memory; the buffer works all the same. */
static void read_only_pages(void **state)
{
	(void)state;
	size_t n = 3 * 4096;
	unsigned char *memory = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), out[100];
	assert_true(memory != MAP_FAILED);
	pattern(memory, n, 5);
	assert_int_equal(mprotect(memory, n, PROT_READ), 0);
	cl_int code;
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, n, memory, &code);
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 5000, 100, out, 0, NULL, NULL));
	assert_memory_equal(out, memory + 5000, 100);
	CL_OK(clReleaseMemObject(m));
	munmap(memory, n);
}

static void not_waiting(void **state)
{
	(void)state;
	cl_int code;
	cl_event gate = clCreateUserEvent(cl.context, &code), mapped, unmapped;
	unsigned char data[5000], out[5000];
	pattern(data, sizeof data, 9);
	cl_mem m = clCreateBuffer(cl.context, 0, sizeof data, NULL, &code);
	CL_OK(clEnqueueWriteBuffer(cl.queue, m, CL_FALSE, 0, sizeof data, data, 1, &gate, NULL));
	unsigned char *p = clEnqueueMapBuffer(cl.queue, m, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof data, 0, NULL, &mapped, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_non_null(p);
	cl_command_type type;
	CL_OK(clGetEventInfo(mapped, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	assert_int_equal(type, CL_COMMAND_MAP_BUFFER);
	cl_int status;
	CL_OK(clGetEventInfo(mapped, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	assert_true(status > CL_RUNNING);
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &mapped));
	assert_memory_equal(p, data, sizeof data);
	p[17] = data[17] = 3;
	CL_OK(clEnqueueUnmapMemObject(cl.queue, m, p, 0, NULL, &unmapped));
	CL_OK(clEnqueueReadBuffer(cl.unordered, m, CL_TRUE, 0, sizeof out, out, 1, &unmapped, NULL));
	assert_memory_equal(out, data, sizeof data);
	CL_OK(clReleaseEvent(gate));
	CL_OK(clReleaseEvent(mapped));
	CL_OK(clReleaseEvent(unmapped));

	/* a blocking map whose dependency fails maps nothing */
	gate = clCreateUserEvent(cl.context, &code);
	CL_OK(clSetUserEventStatus(gate, -1));
	assert_null(clEnqueueMapBuffer(cl.queue, m, CL_TRUE, CL_MAP_READ, 0, 100, 1, &gate, NULL, &code));
	assert_int_equal(code, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	assert_int_equal(map_count(m), 0);
	CL_OK(clReleaseEvent(gate));
	/* released while mapped: nothing is lost but the mapping */
	map(cl.queue, m, CL_MAP_READ, 0, 100);
	CL_OK(clReleaseMemObject(m));
}

static void images(void **state)
{
	(void)state;
	static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
						   CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
	const cl_image_format f = {CL_RG, CL_UNSIGNED_INT16};
	for (int pass = 0; pass < 2; pass++)
		for (int k = 0; k < 5; k++) {
			bool tall = k > 0, lines = k == 1, deep = k > 2;
			size_t size[3] = {20, tall ? 9 : 1, deep ? 5 : 1}, n = 20 * 4 * size[1] * size[2];
			cl_image_desc d = {.image_type = types[k], .image_width = 20, .image_height = tall && !lines ? 9 : 0, .image_depth = k == 4 ? 5 : 0, .image_array_size = lines ? 9 : k == 3 ? 5 : 0};
			unsigned char *data = malloc(n), *out = malloc(n);
			pattern(data, n, (unsigned)k);
			cl_int code;
			cl_mem m = clCreateImage(cl.context, CL_MEM_COPY_HOST_PTR | (pass ? CL_MEM_ALLOC_HOST_PTR : 0), &f, &d, data, &code);
			assert_int_equal(code, CL_SUCCESS);
			const size_t zero[3] = {0}, origin[3] = {3, tall ? 2 : 0, deep ? 1 : 0}, region[3] = {9, tall ? 6 : 1, deep ? 3 : 1};
			size_t row = 0, slice = 77;
			unsigned char *p = clEnqueueMapImage(cl.queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row, &slice, 0, NULL, NULL, &code);
			assert_int_equal(code, CL_SUCCESS);
			assert_true(row >= 36);
			assert_true(lines || deep ? slice >= row : slice == 0);
			size_t y_step = lines ? slice : row;
			for (size_t z = 0; z < region[2]; z++)
				for (size_t y = 0; y < region[1]; y++) {
					unsigned char *at = p + z * slice + y * y_step, *h = data + ((origin[2] + z) * size[1] + origin[1] + y) * 80 + 12;
					assert_memory_equal(at, h, 36);
					memset(at, (int)(z * 16 + y), 36);
					memset(h, (int)(z * 16 + y), 36);
				}
			CL_OK(clEnqueueUnmapMemObject(cl.queue, m, p, 0, NULL, NULL));
			CL_OK(clEnqueueReadImage(cl.queue, m, CL_TRUE, zero, size, 0, 0, out, 0, NULL, NULL));
			assert_memory_equal(out, data, n);
			CL_OK(clReleaseMemObject(m));
			free(data);
			free(out);
		}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_memory),   cmocka_unit_test(system_memory), cmocka_unit_test(application_memory),
		cmocka_unit_test(read_only_pages), cmocka_unit_test(not_waiting),   cmocka_unit_test(images),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
