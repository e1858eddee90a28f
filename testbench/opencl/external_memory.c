/* External memory: buffers and images over descriptors, without a copy, and who has them. */
#define _GNU_SOURCE
#include "include/galena/heap.h"
#include "testbench/opencl/external.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

enum { WIDTH = 48, HEIGHT = 20, BYTES = 4 * WIDTH * HEIGHT };

static int heap(unsigned flags)
{
	const int fd = galena_heap_alloc("system", BYTES, flags);
	assert_true(fd >= 0);
	return fd;
}

static uint32_t *view(int fd)
{
	void *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static cl_mem buffer_of(cl_context context, cl_mem_properties type, int fd)
{
	cl_int code;
	const cl_mem_properties list[] = {type, (cl_mem_properties)fd, 0};
	cl_mem m = clCreateBufferWithProperties(context, list, CL_MEM_READ_WRITE, BYTES, NULL, &code);
	CL_OK(code);
	return m;
}

static void own(bool acquire, cl_command_queue q, cl_mem m)
{
	cl_event e;
	cl_command_type type;
	if (acquire)
		CL_OK(ext.clEnqueueAcquireExternalMemObjectsKHR(q, 1, &m, 0, NULL, &e));
	else
		CL_OK(ext.clEnqueueReleaseExternalMemObjectsKHR(q, 1, &m, 0, NULL, &e));
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	assert_int_equal(type, acquire ? CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR : CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR);
	CL_OK(clReleaseEvent(e));
}

/* Two contexts and the host have the same bytes, by both types of handles. */
static void buffers(void **state)
{
	(void)state;
	static const cl_mem_properties types[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR};
	const char *source = "kernel void twice(global uint *p) { uint i = get_global_id(0); p[i] = 2 * p[i] + 1; }";
	const size_t items = BYTES / 4;
	cl_int code;
	cl_context second = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
	CL_OK(code);
	cl_command_queue there = clCreateCommandQueue(second, cl.device, 0, &code);
	CL_OK(code);
	cl_kernel k[2] = {kernel_build(cl.context, source, "twice"), kernel_build(second, source, "twice")};
	for (unsigned t = 0; t < 2; t++) {
		const int fd = heap(0), other = dup(fd);
		uint32_t *host = view(fd);
		cl_mem m[2] = {buffer_of(cl.context, types[t], fd), buffer_of(second, types[t], other)};
		assert_int_equal(fcntl(fd, F_GETFD), -1); /* it is the library's */
		for (uint32_t i = 0; i < items; i++)
			host[i] = i;
		for (unsigned c = 0; c < 2; c++) {
			cl_command_queue q = c ? there : cl.queue;
			own(true, q, m[c]);
			CL_OK(clSetKernelArg(k[c], 0, sizeof m[c], &m[c]));
			CL_OK(clEnqueueNDRangeKernel(q, k[c], 1, NULL, &items, NULL, 0, NULL, NULL));
			own(false, q, m[c]);
			CL_OK(clFinish(q));
		}
		for (uint32_t i = 0; i < items; i++)
			assert_int_equal(host[i], 4 * i + 3);
		/* commands and maps of OpenCL, too */
		own(true, cl.queue, m[0]);
		const cl_uint seven = 7;
		CL_OK(clEnqueueFillBuffer(cl.queue, m[0], &seven, sizeof seven, 0, 64, 0, NULL, NULL));
		cl_uint *mapped = clEnqueueMapBuffer(cl.queue, m[0], CL_TRUE, CL_MAP_WRITE, 64, 64, 0, NULL, NULL, &code);
		CL_OK(code);
		mapped[0] = 8;
		CL_OK(clEnqueueUnmapMemObject(cl.queue, m[0], mapped, 0, NULL, NULL));
		own(false, cl.queue, m[0]);
		CL_OK(clFinish(cl.queue));
		assert_int_equal(host[15], 7);
		assert_int_equal(host[16], 8);
		CL_OK(clReleaseMemObject(m[0]));
		CL_OK(clReleaseMemObject(m[1]));
		munmap(host, BYTES);
	}
	for (unsigned c = 0; c < 2; c++)
		CL_OK(clReleaseKernel(k[c]));
	CL_OK(clReleaseCommandQueue(there));
	CL_OK(clReleaseContext(second));
}

/* Rows lie one after the other, or as far from each other as the descriptor says. */
static void images(void **state)
{
	(void)state;
	const char *source = "kernel void put(write_only image2d_t image, float time) {"
			     " int2 at = (int2)(get_global_id(0), get_global_id(1));"
			     " write_imageui(image, at, (uint4)(at.x, at.y, (uint)time, 255)); }";
	cl_kernel k = kernel_build(cl.context, source, "put");
	for (unsigned padded = 0; padded < 2; padded++) {
		cl_int code;
		const int fd = heap(0);
		uint32_t *host = view(fd);
		const size_t width = padded ? WIDTH - 8 : WIDTH;
		const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
		const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = HEIGHT,
					    .image_row_pitch = padded ? 4 * WIDTH : 0, .num_mip_levels = 1};
		const cl_mem_properties list[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd, CL_MEM_DEVICE_HANDLE_LIST_KHR,
						  (cl_mem_properties)cl.device, 0, 0};
		cl_mem m = clCreateImageWithProperties(cl.context, list, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
		CL_OK(code);
		cl_mem_properties got[8];
		size_t size;
		CL_OK(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, sizeof got, got, &size));
		assert_int_equal(size, sizeof list);
		assert_memory_equal(got, list, sizeof list);
		const float time = 17;
		const size_t items[2] = {width, HEIGHT};
		own(true, cl.queue, m);
		CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
		CL_OK(clSetKernelArg(k, 1, sizeof time, &time));
		CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 2, NULL, items, NULL, 0, NULL, NULL));
		own(false, cl.queue, m);
		CL_OK(clFinish(cl.queue));
		for (uint32_t y = 0; y < HEIGHT; y++)
			for (uint32_t x = 0; x < WIDTH; x++)
				assert_int_equal(host[y * WIDTH + x], x < width ? x | y << 8 | 17 << 16 | 255u << 24 : 0);
		CL_OK(clReleaseMemObject(m));
		munmap(host, BYTES);
	}
	CL_OK(clReleaseKernel(k));
}

/* What can only be read is read only; a part of external memory is external. */
static void rights(void **state)
{
	(void)state;
	cl_int code;
	const int fd = heap(GALENA_HEAP_RDONLY);
	const cl_mem_properties list[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd, 0};
	cl_mem m = clCreateBufferWithProperties(cl.context, list, CL_MEM_READ_ONLY, BYTES, NULL, &code);
	CL_OK(code);
	const cl_buffer_region r = {256, 256};
	cl_mem part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &code);
	CL_OK(code);
	own(true, cl.queue, part);
	own(false, cl.queue, part);
	CL_OK(clFinish(cl.queue));
	CL_OK(clReleaseMemObject(part));
	CL_OK(clReleaseMemObject(m));
}

static void queries(void **state)
{
	(void)state;
	cl_external_memory_handle_type_khr memory[4];
	cl_external_semaphore_handle_type_khr handles[4];
	cl_semaphore_type_khr types[4];
	size_t size;
	static const cl_uint of_memory[] = {CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, 0x2052 /* ..._ASSUME_LINEAR_IMAGES_... */};
	for (unsigned i = 0; i < 2; i++) {
		CL_OK(clGetDeviceInfo(cl.device, of_memory[i], sizeof memory, memory, &size));
		assert_int_equal(size, 2 * sizeof *memory);
		assert_true((memory[0] == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR) != (memory[1] == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR));
	}
	CL_OK(clGetPlatformInfo(cl.platform, CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof memory, memory, &size));
	assert_int_equal(size, 2 * sizeof *memory);
	static const cl_uint of_device[] = {CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR};
	static const cl_uint of_platform[] = {CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR};
	for (unsigned i = 0; i < 2; i++) {
		CL_OK(clGetDeviceInfo(cl.device, of_device[i], sizeof handles, handles, &size));
		assert_int_equal(size, 2 * sizeof *handles);
		CL_OK(clGetPlatformInfo(cl.platform, of_platform[i], sizeof handles, handles, &size));
		assert_int_equal(size, 2 * sizeof *handles);
	}
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_SEMAPHORE_TYPES_KHR, sizeof types, types, &size));
	assert_int_equal(size, sizeof *types);
	assert_int_equal(types[0], CL_SEMAPHORE_TYPE_BINARY_KHR);
	CL_OK(clGetPlatformInfo(cl.platform, CL_PLATFORM_SEMAPHORE_TYPES_KHR, sizeof types, types, &size));
	assert_int_equal(size, sizeof *types);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(buffers), cmocka_unit_test(images), cmocka_unit_test(rights), cmocka_unit_test(queries)};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, external_setup, cl_test_teardown);
}
