/* External memory: buffers and images over descriptors, without a copy, and who has them. */
#define _GNU_SOURCE
#include "include/galena/heap.h"
#include "testbench/opencl/external.h"
#include "testbench/skip.h"
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

/* ---- who has it ---- */

static cl_int status_of(cl_event e)
{
	cl_int status;
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	return status;
}

/* An acquire and a release wait for their lists, and other commands for their events; without objects they do nothing else. */
static void order(void **state)
{
	(void)state;
	cl_mem m = buffer_of(cl.context, CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, heap(0));
	for (cl_uint objects = 0; objects < 2; objects++) {
		const cl_mem *list = objects ? &m : NULL;
		cl_int code;
		cl_event gate = clCreateUserEvent(cl.context, &code), acquired, released, after;
		CL_OK(code);
		CL_OK(ext.clEnqueueAcquireExternalMemObjectsKHR(cl.unordered, objects, list, 1, &gate, &acquired));
		CL_OK(ext.clEnqueueReleaseExternalMemObjectsKHR(cl.unordered, objects, list, 1, &acquired, &released));
		cl_semaphore_khr behind = SEMAPHORE();
		CL_OK(ext.clEnqueueSignalSemaphoresKHR(cl.unordered, 1, &behind, NULL, 1, &released, &after));
		assert_false(external_signalled(behind));
		assert_true(status_of(acquired) > CL_COMPLETE);
		assert_true(status_of(released) > CL_COMPLETE);
		assert_true(status_of(after) > CL_COMPLETE);
		CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
		CL_OK(clWaitForEvents(1, &after));
		assert_true(external_signalled(behind));
		CL_OK(ext.clReleaseSemaphoreKHR(behind));
		assert_int_equal(status_of(acquired), CL_COMPLETE);
		assert_int_equal(status_of(released), CL_COMPLETE);
		CL_OK(clReleaseEvent(gate));
		CL_OK(clReleaseEvent(acquired));
		CL_OK(clReleaseEvent(released));
		CL_OK(clReleaseEvent(after));
	}
	CL_OK(clReleaseMemObject(m));
}

/* An object may be acquired and released more often than once: that is the same as once. */
static void again(void **state)
{
	(void)state;
	const int fd = heap(0);
	uint32_t *host = view(fd);
	cl_mem m = buffer_of(cl.context, CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, fd);
	const cl_uint nine = 9;
	own(true, cl.queue, m);
	own(true, cl.queue, m);
	CL_OK(clEnqueueFillBuffer(cl.queue, m, &nine, sizeof nine, 0, BYTES, 0, NULL, NULL));
	own(false, cl.queue, m);
	own(false, cl.queue, m);
	CL_OK(clFinish(cl.queue));
	for (unsigned i = 0; i < BYTES / 4; i++)
		assert_int_equal(host[i], 9);
	CL_OK(clReleaseMemObject(m));
	munmap(host, BYTES);
}

/* Copies of a descriptor, made in each way that the system has, are the same memory: one object each. The last object keeps it. */
static void copies(void **state)
{
	(void)state;
	static const cl_mem_properties types[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR};
	enum { COPIES = 5 };
	for (unsigned t = 0; t < 2; t++) {
		const int fd = heap(0), second = dup(0), third = dup(0);
		assert_true(second >= 0 && third >= 0);
		const int fds[COPIES] = {dup(fd), dup2(fd, second), dup3(fd, third, O_CLOEXEC), external_sent(fd), fd};
		cl_mem m[COPIES];
		for (unsigned i = 0; i < COPIES; i++) {
			m[i] = buffer_of(cl.context, types[t], fds[i]);
			assert_int_equal(fcntl(fds[i], F_GETFD), -1);
			for (unsigned k = 0; k < i; k++)
				assert_ptr_not_equal(m[k], m[i]);
		}
		const cl_uint value = 0x1234 + t;
		own(true, cl.queue, m[0]);
		CL_OK(clEnqueueFillBuffer(cl.queue, m[0], &value, sizeof value, 0, BYTES, 0, NULL, NULL));
		own(false, cl.queue, m[0]);
		CL_OK(clFinish(cl.queue));
		for (unsigned i = 0; i < COPIES; i++) {
			cl_uint got[BYTES / 4];
			if (i)
				CL_OK(clReleaseMemObject(m[i - 1]));
			own(true, cl.queue, m[i]);
			CL_OK(clEnqueueReadBuffer(cl.queue, m[i], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
			own(false, cl.queue, m[i]);
			for (unsigned k = 0; k < BYTES / 4; k++)
				assert_int_equal(got[k], value);
		}
		CL_OK(clReleaseMemObject(m[COPIES - 1]));
	}
}

/* An object is of all devices of its context, or of those that the list names; acquired by one of them it is all of theirs. */
static void devices(void **state)
{
	(void)state;
	if (cl.num_devices < 2)
		SKIP("it takes two devices");
	cl_int code;
	cl_command_queue q[2];
	cl_kernel k = kernel_build(cl.all, "kernel void twice(global uint *p) { uint i = get_global_id(0); p[i] = 2 * p[i] + 1; }", "twice");
	const size_t items = BYTES / 4;
	for (unsigned i = 0; i < 2; i++) {
		q[i] = clCreateCommandQueue(cl.all, cl.devices[i], 0, &code);
		CL_OK(code);
	}
	for (unsigned named = 0; named < 3; named++) {
		const int fd = heap(0);
		uint32_t *host = view(fd);
		const cl_mem_properties first = (cl_mem_properties)cl.devices[0], second = (cl_mem_properties)cl.devices[1];
		const cl_mem_properties *const lists[] = {(const cl_mem_properties[]){0}, (const cl_mem_properties[]){first, second, 0},
							  (const cl_mem_properties[]){second, 0}};
		cl_mem_properties list[8] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd};
		unsigned n = 2;
		if (named) {
			list[n++] = CL_MEM_DEVICE_HANDLE_LIST_KHR;
			for (const cl_mem_properties *d = lists[named]; *d; d++)
				list[n++] = *d;
			list[n++] = 0;
		}
		cl_mem m = clCreateBufferWithProperties(cl.all, list, CL_MEM_READ_WRITE, BYTES, NULL, &code);
		CL_OK(code);
		CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
		for (unsigned round = 0; round < 3; round++) {
			for (uint32_t i = 0; i < items; i++)
				host[i] = round + i;
			/* acquired by one, used by both in turn, released by the other */
			const unsigned turn[4] = {named < 2 && !(round & 1) ? 0 : 1, 1, named < 2 ? 0 : 1, named < 2 && round & 1 ? 0 : 1};
			own(true, q[turn[0]], m);
			CL_OK(clFinish(q[turn[0]]));
			for (unsigned i = 1; i < 3; i++) {
				CL_OK(clEnqueueNDRangeKernel(q[turn[i]], k, 1, NULL, &items, NULL, 0, NULL, NULL));
				CL_OK(clFinish(q[turn[i]]));
			}
			own(false, q[turn[3]], m);
			CL_OK(clFinish(q[turn[3]]));
			for (uint32_t i = 0; i < items; i++)
				assert_int_equal(host[i], 4 * (round + i) + 3);
		}
		CL_OK(clReleaseMemObject(m));
		munmap(host, BYTES);
	}
	CL_OK(clReleaseKernel(k));
	for (unsigned i = 0; i < 2; i++)
		CL_OK(clReleaseCommandQueue(q[i]));
}

/* The same of an image: what one device has acquired another reads, and what that writes the first one has. */
static void images_of_devices(void **state)
{
	(void)state;
	if (cl.num_devices < 2)
		SKIP("it takes two devices");
	cl_int code;
	cl_command_queue q[2];
	for (unsigned i = 0; i < 2; i++) {
		q[i] = clCreateCommandQueue(cl.all, cl.devices[i], 0, &code);
		CL_OK(code);
	}
	for (unsigned named = 0; named < 2; named++) {
		const int fd = heap(0);
		uint32_t *host = view(fd);
		const cl_mem_properties list[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd, named ? CL_MEM_DEVICE_HANDLE_LIST_KHR : 0,
						  (cl_mem_properties)cl.devices[1], (cl_mem_properties)cl.devices[0], 0, 0};
		const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
		const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
		cl_mem m = clCreateImageWithProperties(cl.all, list, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
		CL_OK(code);
		const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1};
		cl_uint texels[WIDTH * HEIGHT];
		for (uint32_t round = 0; round < 4; round++) {
			for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
				host[i] = 3 * i + round;
			own(true, q[round & 1], m);
			CL_OK(clFinish(q[round & 1]));
			for (unsigned d = 0; d < 2; d++) {
				CL_OK(clEnqueueReadImage(q[d], m, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
				for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
					assert_int_equal(texels[i], 3 * i + round + d);
					texels[i]++;
				}
				CL_OK(clEnqueueWriteImage(q[d], m, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
			}
			own(false, q[round >> 1], m);
			CL_OK(clFinish(q[round >> 1]));
			for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
				assert_int_equal(host[i], 3 * i + round + 2);
		}
		CL_OK(clReleaseMemObject(m));
		munmap(host, BYTES);
	}
	for (unsigned i = 0; i < 2; i++)
		CL_OK(clReleaseCommandQueue(q[i]));
}

/* Slices lie as far from each other as the descriptor says, or one after the other. */
static void slices(void **state)
{
	(void)state;
	enum { WIDE = 5, HIGH = 3, DEEP = 4, ROW = 4 * 8, SLICE = ROW * 5 };
	static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE3D, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE1D_ARRAY};
	for (unsigned t = 0; t < 3; t++)
		for (unsigned padded = 0; padded < 2; padded++) {
			cl_int code;
			size_t row, slice;
			const int fd = heap(0);
			uint32_t *host = view(fd);
			const size_t lines = t == 2 ? 1 : HIGH;
			const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
			const cl_image_desc desc = {.image_type = types[t], .image_width = WIDE, .image_height = t == 2 ? 0 : HIGH, .image_depth = t ? 0 : DEEP,
						    .image_array_size = t ? DEEP : 0, .image_row_pitch = padded ? ROW : 0, .image_slice_pitch = padded ? SLICE : 0};
			const cl_mem_properties list[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, (cl_mem_properties)fd, 0};
			cl_mem m = clCreateImageWithProperties(cl.context, list, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
			CL_OK(code);
			CL_OK(clGetImageInfo(m, CL_IMAGE_ROW_PITCH, sizeof row, &row, NULL));
			CL_OK(clGetImageInfo(m, CL_IMAGE_SLICE_PITCH, sizeof slice, &slice, NULL));
			assert_int_equal(row, padded ? ROW : 4 * WIDE);
			assert_int_equal(slice, padded ? SLICE : 4 * WIDE * lines);
			uint32_t texels[DEEP * HIGH * WIDE];
			for (uint32_t i = 0; i < DEEP * HIGH * WIDE; i++)
				texels[i] = i + 1;
			const size_t origin[3] = {0}, region[3] = {WIDE, t == 2 ? DEEP : HIGH, t == 2 ? 1 : DEEP};
			own(true, cl.queue, m);
			CL_OK(clEnqueueWriteImage(cl.queue, m, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
			own(false, cl.queue, m);
			CL_OK(clFinish(cl.queue));
			for (size_t z = 0; z < DEEP; z++)
				for (size_t y = 0; y < lines; y++)
					for (size_t x = 0; x < WIDE; x++)
						assert_int_equal(host[(z * slice + y * row) / 4 + x], (z * lines + y) * WIDE + x + 1);
			CL_OK(clReleaseMemObject(m));
			munmap(host, BYTES);
		}
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
	for (unsigned i = 0; i < 2; i++)
		assert_true(memory[i] == (i ? CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR : CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR));
	for (cl_uint d = 0; d < cl.num_devices; d++) { /* what the platform has all of its devices have */
		cl_external_memory_handle_type_khr its[4];
		CL_OK(clGetDeviceInfo(cl.devices[d], CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof its, its, &size));
		assert_int_equal(size, 2 * sizeof *its);
		assert_memory_equal(its, memory, size);
	}
	static const cl_uint of_device[] = {CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR};
	static const cl_uint of_platform[] = {CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR};
	for (unsigned i = 0; i < 2; i++) {
		cl_external_semaphore_handle_type_khr its[4];
		CL_OK(clGetPlatformInfo(cl.platform, of_platform[i], sizeof handles, handles, &size));
		assert_int_equal(size, 2 * sizeof *handles);
		assert_int_equal(handles[0], CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
		assert_int_equal(handles[1], CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
		for (cl_uint d = 0; d < cl.num_devices; d++) {
			CL_OK(clGetDeviceInfo(cl.devices[d], of_device[i], sizeof its, its, &size));
			assert_int_equal(size, 2 * sizeof *its);
			assert_memory_equal(its, handles, size);
		}
	}
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_SEMAPHORE_TYPES_KHR, sizeof types, types, &size));
	assert_int_equal(size, sizeof *types);
	assert_int_equal(types[0], CL_SEMAPHORE_TYPE_BINARY_KHR);
	CL_OK(clGetPlatformInfo(cl.platform, CL_PLATFORM_SEMAPHORE_TYPES_KHR, sizeof types, types, &size));
	assert_int_equal(size, sizeof *types);
	assert_int_equal(types[0], CL_SEMAPHORE_TYPE_BINARY_KHR);
}

/* Every device has the extensions in the revisions that the rows of testbench/rules/documents.tsv are about. */
static void extensions(void **state)
{
	(void)state;
	static const cl_name_version wanted[] = {
		{CL_MAKE_VERSION(1, 0, 1), "cl_khr_semaphore"},
		{CL_MAKE_VERSION(1, 0, 1), "cl_khr_external_semaphore"},
		{CL_MAKE_VERSION(1, 0, 0), "cl_khr_external_semaphore_opaque_fd"},
		{CL_MAKE_VERSION(1, 0, 1), "cl_khr_external_semaphore_sync_fd"},
		{CL_MAKE_VERSION(1, 0, 1), "cl_khr_external_memory"},
		{CL_MAKE_VERSION(1, 0, 0), "cl_khr_external_memory_opaque_fd"},
		{CL_MAKE_VERSION(1, 0, 0), "cl_khr_external_memory_dma_buf"},
		{CL_MAKE_VERSION(1, 0, 0), "cl_khr_device_uuid"},
	};
	for (cl_uint d = 0; d < cl.num_devices; d++) {
		cl_name_version list[64];
		size_t size;
		CL_OK(clGetDeviceInfo(cl.devices[d], CL_DEVICE_EXTENSIONS_WITH_VERSION, sizeof list, list, &size));
		for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
			size_t i = 0;
			while (i < size / sizeof *list && strcmp(list[i].name, wanted[w].name))
				i++;
			assert_true(i < size / sizeof *list);
			assert_int_equal(list[i].version, wanted[w].version);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(buffers), cmocka_unit_test(images), cmocka_unit_test(rights),
					   cmocka_unit_test(order),   cmocka_unit_test(again),  cmocka_unit_test(copies),
					   cmocka_unit_test(devices), cmocka_unit_test(images_of_devices), cmocka_unit_test(slices), cmocka_unit_test(queries),
					   cmocka_unit_test(extensions)};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, external_setup, cl_test_teardown);
}
