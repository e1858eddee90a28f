/* Rules of cl_arm_import_memory: clImportMemoryARM, and the commands that imported memory is closed to. */
#define _GNU_SOURCE /* memfd_create, O_PATH */
#include "include/android/hardware_buffer.h"
#include "include/galena/heap.h"
#include "testbench/opencl/spec.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { PAGE = 4096, BYTES = 4 * PAGE };
static __typeof__(clImportMemoryARM) *import;
static char *pages; /* BYTES, then one that is not mapped */

static cl_mem of(const cl_import_properties_arm *properties, cl_mem_flags flags, void *memory, size_t size, cl_int *error)
{
	return import(cl.context, flags, properties, memory, size, error);
}

static void arguments(void **state)
{
	(void)state;
	const cl_mem_flags wrong[] = {CL_MEM_ALLOC_HOST_PTR,
				      CL_MEM_COPY_HOST_PTR,
				      CL_MEM_KERNEL_READ_AND_WRITE,
				      1ull << 40,
				      CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
				      CL_MEM_READ_ONLY | CL_MEM_READ_WRITE,
				      CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
				      CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY};
	cl_ulong largest;
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, NULL));
	RULE_NULL("CL_IMPORTMEMORYARM_CONTEXT", CL_INVALID_CONTEXT, import(NULL, 0, NULL, pages, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_CONTEXT", CL_INVALID_CONTEXT, import((cl_context)cl.queue, 0, NULL, pages, 64, &error));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		RULE_NULL("CL_IMPORTMEMORYARM_FLAGS", CL_INVALID_VALUE, of(NULL, wrong[i], pages, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_MEMORY_NULL", CL_INVALID_VALUE, of(NULL, 0, NULL, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_SIZE_ZERO", CL_INVALID_BUFFER_SIZE, of(NULL, 0, pages, 0, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_SIZE_MAX", CL_INVALID_BUFFER_SIZE, of(NULL, 0, pages, largest + 1, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_SIZE_MAX", CL_INVALID_BUFFER_SIZE, of(NULL, 0, pages, CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM, &error));
}

static void properties(void **state)
{
	(void)state;
	const cl_import_properties_arm other_types[] = {0, 1, CL_IMPORT_TYPE_ARM, ~(cl_import_properties_arm)0};
	const cl_import_properties_arm of_others[] = {CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM,
						      CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM,
						      CL_IMPORT_ANDROID_HARDWARE_BUFFER_LAYER_INDEX_ARM};
	for (int i = 0; i < 4; i++) {
		const cl_import_properties_arm type[] = {CL_IMPORT_TYPE_ARM, other_types[i], 0};
		RULE_NULL("CL_IMPORTMEMORYARM_TYPE", CL_INVALID_PROPERTY, of(type, 0, pages, 64, &error));
	}
	for (int i = 0; i < 3; i++) {
		const cl_import_properties_arm property[] = {of_others[i], CL_TRUE, 0};
		const cl_import_properties_arm both[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, of_others[i], CL_FALSE, 0};
		RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_OF_TYPE", CL_INVALID_PROPERTY, of(property, 0, pages, 64, &error));
		RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_OF_TYPE", CL_INVALID_PROPERTY, of(both, 0, pages, 64, &error));
	}
	const cl_import_properties_arm unknown[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, 0x1234, 1, 0};
	const cl_import_properties_arm twice[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, 0};
	RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_NAME", CL_INVALID_PROPERTY, of(unknown, 0, pages, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_TWICE", CL_INVALID_PROPERTY, of(twice, 0, pages, 64, &error));
	/* a list that goes on to where nothing is mapped, behind a name and behind a value; and one that is nowhere */
	cl_import_properties_arm *end = (cl_import_properties_arm *)(void *)(pages + BYTES);
	end[-1] = CL_IMPORT_TYPE_ARM;
	RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_END", CL_INVALID_PROPERTY, of(end - 1, 0, pages, 64, &error));
	end[-2] = CL_IMPORT_TYPE_ARM;
	end[-1] = CL_IMPORT_TYPE_HOST_ARM;
	RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_END", CL_INVALID_PROPERTY, of(end - 2, 0, pages, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_END", CL_INVALID_PROPERTY, of(end, 0, pages, 64, &error));
}

static int heap(const char *name)
{
	int fd = galena_heap_alloc(name, BYTES, 0);
	assert_true(fd >= 0);
	return fd;
}

static const cl_import_properties_arm as_protected[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, CL_IMPORT_TYPE_PROTECTED_ARM, CL_TRUE, 0};

/* Memory by descriptor. */
static void dma_buf(void **state)
{
	(void)state;
	const cl_import_properties_arm type[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, 0};
	const cl_import_properties_arm of_others[] = {CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM,
						      CL_IMPORT_ANDROID_HARDWARE_BUFFER_LAYER_INDEX_ARM};
	int fd = heap("system"), hidden = heap("protected"), closed = heap("system"), ends[2], bad[12], n = 0;
	close(closed);
	assert_int_equal(pipe(ends), 0);
	for (int i = 0; i < 2; i++) {
		const cl_import_properties_arm list[] = {of_others[i], 0, CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, 0};
		RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_OF_TYPE", CL_INVALID_PROPERTY, of(list, 0, &fd, 64, &error));
	}
	const cl_import_properties_arm value[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM,
						  CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, 2, 0};
	RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_VALUE", CL_INVALID_PROPERTY, of(value, 0, &fd, 64, &error));
	const cl_import_properties_arm negative[] = {CL_IMPORT_TYPE_PROTECTED_ARM, -1, CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, 0};
	RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_VALUE", CL_INVALID_PROPERTY, of(negative, 0, &hidden, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_MEMORY_NULL", CL_INVALID_VALUE, of(type, 0, NULL, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_SIZE_ZERO", CL_INVALID_BUFFER_SIZE, of(type, 0, &fd, 0, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_SIZE_DMA_BUF", CL_INVALID_BUFFER_SIZE, of(type, 0, &fd, BYTES + 1, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_PROTECTED_MEMORY", CL_INVALID_OPERATION, of(type, 0, &hidden, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_PROTECTED_MEMORY", CL_INVALID_OPERATION, of(as_protected, 0, &fd, 64, &error));
	/* what is a file, but none of a heap: one of memory that can be cut off, one that says that it is a heap's, ... */
	bad[n++] = -1;
	bad[n++] = 1 << 20;
	bad[n++] = closed;
	bad[n++] = ends[0];
	bad[n++] = ends[1];
	bad[n++] = open("/", O_RDONLY | O_DIRECTORY);
	bad[n++] = open("/dev/null", O_RDWR);
	bad[n++] = open("/proc/self/exe", O_RDONLY);
	bad[n++] = socket(AF_UNIX, SOCK_STREAM, 0);
	bad[n++] = memfd_create("plain", MFD_ALLOW_SEALING);
	bad[n++] = memfd_create("galena-heap-system", MFD_ALLOW_SEALING);
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	bad[n++] = open(path, O_PATH);
	assert_int_equal(ftruncate(bad[9], BYTES), 0);
	assert_int_equal(ftruncate(bad[10], BYTES), 0);
	for (int i = 0; i < n; i++)
		RULE_NULL("CL_IMPORTMEMORYARM_DMA_BUF", CL_INVALID_VALUE, of(type, 0, &bad[i], 64, &error));
	/* memory is where the descriptor is, not the descriptor */
	RULE_NULL("CL_IMPORTMEMORYARM_DMA_BUF", CL_INVALID_VALUE, of(type, 0, (void *)(intptr_t)fd, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_DMA_BUF", CL_INVALID_VALUE, of(type, 0, pages + BYTES - 2, 64, &error));
	for (int i = 3; i < n; i++)
		close(bad[i]);
	close(fd);
	close(hidden);
}

/* Memory that the host never sees. */
static void protected_memory(void **state)
{
	(void)state;
	const cl_mem_flags open[] = {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY};
	const cl_import_properties_arm host[] = {CL_IMPORT_TYPE_PROTECTED_ARM, CL_TRUE, 0};
	const cl_import_properties_arm host_plain[] = {CL_IMPORT_TYPE_PROTECTED_ARM, CL_FALSE, 0};
	const cl_import_properties_arm value[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, CL_IMPORT_TYPE_PROTECTED_ARM, 5, 0};
	int fd = heap("protected");
	cl_mem m, elsewhere, part;
	cl_context other;
	cl_command_queue plain;
	cl_program program = spec_program(cl.context, "kernel void f(global int *p) { p[0] = 1; }");
	cl_kernel k = spec_kernel(program, "f");
	RULE_NULL("CL_IMPORTMEMORYARM_PROTECTED_TYPE", CL_INVALID_PROPERTY, of(host, 0, pages, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_VALUE", CL_INVALID_PROPERTY, of(value, 0, &fd, 64, &error));
	MAKE(m, of(host_plain, 0, pages, 64, &error));
	CL_OK(api->clReleaseMemObject(m));
	for (int i = 0; i < 2; i++)
		RULE_NULL("CL_IMPORTMEMORYARM_PROTECTED_HOST_ACCESS", CL_INVALID_OPERATION, of(as_protected, open[i], &fd, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_SIZE_DMA_BUF", CL_INVALID_BUFFER_SIZE, of(as_protected, 0, &fd, BYTES + 1, &error));
	if (cl.num_devices > 1) {
		RULE_NULL("CL_IMPORTMEMORYARM_PROTECTED_DEVICES", CL_INVALID_OPERATION, import(cl.all, 0, as_protected, &fd, 64, &error));
		MAKE(m, of(as_protected, CL_MEM_HOST_NO_ACCESS, &fd, BYTES, &error));
		MAKE(other, api->clCreateContext(NULL, 1, &cl.devices[1], NULL, NULL, &error));
		RULE_NULL("CL_IMPORTMEMORYARM_PROTECTED_ELSEWHERE", CL_INVALID_OPERATION, import(other, 0, as_protected, &fd, 64, &error));
		CL_OK(api->clReleaseContext(other));
		CL_OK(api->clReleaseMemObject(m));
	}
	MAKE(m, of(as_protected, 0, &fd, BYTES, &error));
	MAKE(part, api->clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){128, 128}, &error));
	MAKE(plain, api->clCreateCommandQueue(cl.context, cl.device, 0, &error));
	MAKE(elsewhere, api->clCreateBuffer(cl.context, 0, 64, NULL, &error));
	const cl_mem both[] = {m, part};
	for (int i = 0; i < 2; i++) {
		CL_OK(api->clSetKernelArg(k, 0, sizeof both[i], &both[i]));
		RULE("CL_ENQUEUENDRANGEKERNEL_PROTECTED_PROFILING", CL_INVALID_OPERATION,
		     api->clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
		RULE("CL_ENQUEUETASK_PROTECTED_PROFILING", CL_INVALID_OPERATION, api->clEnqueueTask(cl.queue, k, 0, NULL, NULL));
		RULE("CL_ENQUEUEMIGRATEMEMOBJECTS_PROTECTED_PROFILING", CL_INVALID_OPERATION,
		     api->clEnqueueMigrateMemObjects(cl.queue, 2, (cl_mem[]){elsewhere, both[i]}, 0, 0, NULL, NULL));
		CL_OK(api->clEnqueueNDRangeKernel(plain, k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, NULL));
		CL_OK(api->clEnqueueMigrateMemObjects(plain, 1, &both[i], 0, 0, NULL, NULL));
	}
	CL_OK(api->clFinish(plain));
	CL_OK(api->clReleaseCommandQueue(plain));
	CL_OK(api->clReleaseMemObject(elsewhere));
	CL_OK(api->clReleaseMemObject(part));
	CL_OK(api->clReleaseMemObject(m));
	CL_OK(api->clReleaseKernel(k));
	CL_OK(api->clReleaseProgram(program));
	close(fd);
}

static AHardwareBuffer *hardware_buffer(uint32_t layers, uint64_t usage)
{
	AHardwareBuffer *b = NULL;
	const AHardwareBuffer_Desc d = {64, 64, layers, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, usage, 0, 0, 0};
	assert_int_equal(AHardwareBuffer_allocate(&d, &b), 0);
	return b;
}

/* Android's buffers. */
static void hardware_buffers(void **state)
{
	(void)state;
	const cl_import_properties_arm type[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM, 0};
	const cl_import_properties_arm consistency[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM,
							CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, CL_TRUE, 0};
	const cl_import_properties_arm hidden_type[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM, CL_IMPORT_TYPE_PROTECTED_ARM,
							CL_TRUE, 0};
	AHardwareBuffer *b = hardware_buffer(2, AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN), *gone = hardware_buffer(1, 0);
	AHardwareBuffer *hidden = hardware_buffer(1, AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT);
	AHardwareBuffer_release(gone);
	RULE_NULL("CL_IMPORTMEMORYARM_PROPERTY_OF_TYPE", CL_INVALID_PROPERTY, of(consistency, 0, b, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_PROTECTED_TYPE", CL_INVALID_PROPERTY, of(hidden_type, 0, hidden, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_PROTECTED_MEMORY", CL_INVALID_OPERATION, of(type, 0, hidden, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_MEMORY_NULL", CL_INVALID_VALUE, of(type, 0, NULL, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_SIZE_ZERO", CL_INVALID_BUFFER_SIZE, of(type, 0, b, 0, &error));
	const void *wild[] = {gone, (void *)1, pages, (void *)~(uintptr_t)7};
	for (int i = 0; i < 4; i++)
		RULE_NULL("CL_IMPORTMEMORYARM_HARDWARE_BUFFER", CL_INVALID_VALUE, of(type, 0, (void *)(uintptr_t)wild[i], 64, &error));
	const cl_import_properties_arm out[] = {2, 1000, ~(cl_import_properties_arm)0};
	for (int i = 0; i < 3; i++) {
		const cl_import_properties_arm plane[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM,
							  CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM, out[i], 0};
		const cl_import_properties_arm layer[] = {CL_IMPORT_ANDROID_HARDWARE_BUFFER_LAYER_INDEX_ARM, out[i], CL_IMPORT_TYPE_ARM,
							  CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM, 0};
		RULE_NULL("CL_IMPORTMEMORYARM_PLANE", CL_INVALID_VALUE, of(plane, 0, b, 64, &error));
		RULE_NULL("CL_IMPORTMEMORYARM_LAYER", CL_INVALID_VALUE, of(layer, 0, b, 64, &error));
	}
	const cl_import_properties_arm last[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM,
						 CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM, 1,
						 CL_IMPORT_ANDROID_HARDWARE_BUFFER_LAYER_INDEX_ARM, 1, 0};
	RULE_NULL("CL_IMPORTMEMORYARM_SIZE_HARDWARE_BUFFER", CL_INVALID_BUFFER_SIZE, of(type, 0, b, 4 * PAGE + 1, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_SIZE_HARDWARE_BUFFER", CL_INVALID_BUFFER_SIZE, of(last, 0, b, 2 * PAGE, &error));
	AHardwareBuffer_release(b);
	AHardwareBuffer_release(hidden);
}

static void memory(void **state)
{
	(void)state;
	char *gone = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(gone, MAP_FAILED);
	assert_int_equal(munmap(gone + PAGE, PAGE), 0);
	RULE_NULL("CL_IMPORTMEMORYARM_MEMORY_UNMAPPED", CL_INVALID_OPERATION, of(NULL, 0, gone, PAGE + 1, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_MEMORY_UNMAPPED", CL_INVALID_OPERATION, of(NULL, 0, gone + PAGE, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_MEMORY_UNMAPPED", CL_INVALID_OPERATION, of(NULL, 0, gone, 3 * PAGE, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_MEMORY_UNMAPPED", CL_INVALID_OPERATION, of(NULL, 0, (void *)64, 64, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_MEMORY_UNMAPPED", CL_INVALID_OPERATION, of(NULL, 0, (void *)(UINTPTR_MAX - 255), 4096, &error));
	assert_int_equal(mprotect(gone, PAGE, PROT_NONE), 0);
	RULE_NULL("CL_IMPORTMEMORYARM_MEMORY_UNMAPPED", CL_INVALID_OPERATION, of(NULL, 0, gone, 64, &error));
	assert_int_equal(mprotect(gone, PAGE, PROT_READ), 0);
	RULE_NULL("CL_IMPORTMEMORYARM_MEMORY_UNMAPPED", CL_INVALID_OPERATION, of(NULL, CL_MEM_WRITE_ONLY, gone, 64, &error));
	assert_int_equal(munmap(gone, 3 * PAGE), 0);

	cl_mem first;
	MAKE(first, of(NULL, 0, pages + 128, 128, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_SHARED_PAGE", CL_INVALID_OPERATION, of(NULL, 0, pages + 1024, 128, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_SHARED_PAGE", CL_INVALID_OPERATION, of(NULL, CL_MEM_READ_ONLY, pages + 1024, 128, &error));
	RULE_NULL("CL_IMPORTMEMORYARM_SHARED_PAGE", CL_INVALID_OPERATION, of(NULL, 0, pages, PAGE + 128, &error));
	CL_OK(api->clReleaseMemObject(first));
}

/* The sixteen commands, on an import, a part of one, and an image made from one. */
static void forbidden(cl_mem buffer, cl_mem image)
{
	cl_mem own, picture;
	char host[256];
	const size_t zero[3] = {0}, one[3] = {1, 1, 1};
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 1};
	const cl_float4 colour = {.s = {0}};
	const cl_command_queue q = cl.queue;
	MAKE(own, api->clCreateBuffer(cl.context, 0, 256, NULL, &error));
	MAKE(picture, api->clCreateImage(cl.context, 0, &format, &line, NULL, &error));
#define REFUSED(entry, call) RULE("CL_ENQUEUE" entry "_IMPORTED", CL_INVALID_OPERATION, call)
	if (buffer) {
		RULE_NULL("CL_ENQUEUEMAPBUFFER_IMPORTED", CL_INVALID_OPERATION,
			  api->clEnqueueMapBuffer(q, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &error));
		REFUSED("UNMAPMEMOBJECT", api->clEnqueueUnmapMemObject(q, buffer, pages, 0, NULL, NULL));
		REFUSED("READBUFFER", api->clEnqueueReadBuffer(q, buffer, CL_TRUE, 0, 64, host, 0, NULL, NULL));
		REFUSED("READBUFFERRECT", api->clEnqueueReadBufferRect(q, buffer, CL_TRUE, zero, zero, one, 0, 0, 0, 0, host, 0, NULL, NULL));
		REFUSED("WRITEBUFFER", api->clEnqueueWriteBuffer(q, buffer, CL_TRUE, 0, 64, host, 0, NULL, NULL));
		REFUSED("WRITEBUFFERRECT", api->clEnqueueWriteBufferRect(q, buffer, CL_TRUE, zero, zero, one, 0, 0, 0, 0, host, 0, NULL, NULL));
		REFUSED("COPYBUFFER", api->clEnqueueCopyBuffer(q, buffer, own, 0, 0, 64, 0, NULL, NULL));
		REFUSED("COPYBUFFER", api->clEnqueueCopyBuffer(q, own, buffer, 0, 0, 64, 0, NULL, NULL));
		REFUSED("COPYBUFFERRECT", api->clEnqueueCopyBufferRect(q, buffer, own, zero, zero, one, 0, 0, 0, 0, 0, NULL, NULL));
		REFUSED("COPYBUFFERRECT", api->clEnqueueCopyBufferRect(q, own, buffer, zero, zero, one, 0, 0, 0, 0, 0, NULL, NULL));
		REFUSED("COPYBUFFERTOIMAGE", api->clEnqueueCopyBufferToImage(q, buffer, picture, 0, zero, one, 0, NULL, NULL));
		REFUSED("COPYIMAGETOBUFFER", api->clEnqueueCopyImageToBuffer(q, picture, buffer, zero, one, 0, 0, NULL, NULL));
		REFUSED("FILLBUFFER", api->clEnqueueFillBuffer(q, buffer, host, 4, 0, 64, 0, NULL, NULL));
	}
	if (image) {
		size_t row;
		RULE_NULL("CL_ENQUEUEMAPIMAGE_IMPORTED", CL_INVALID_OPERATION,
			  api->clEnqueueMapImage(q, image, CL_TRUE, CL_MAP_READ, zero, one, &row, NULL, 0, NULL, NULL, &error));
		REFUSED("UNMAPMEMOBJECT", api->clEnqueueUnmapMemObject(q, image, pages, 0, NULL, NULL));
		REFUSED("READIMAGE", api->clEnqueueReadImage(q, image, CL_TRUE, zero, one, 0, 0, host, 0, NULL, NULL));
		REFUSED("WRITEIMAGE", api->clEnqueueWriteImage(q, image, CL_TRUE, zero, one, 0, 0, host, 0, NULL, NULL));
		REFUSED("COPYIMAGE", api->clEnqueueCopyImage(q, image, picture, zero, zero, one, 0, NULL, NULL));
		REFUSED("COPYIMAGE", api->clEnqueueCopyImage(q, picture, image, zero, zero, one, 0, NULL, NULL));
		REFUSED("COPYIMAGETOBUFFER", api->clEnqueueCopyImageToBuffer(q, image, own, zero, one, 0, 0, NULL, NULL));
		REFUSED("COPYBUFFERTOIMAGE", api->clEnqueueCopyBufferToImage(q, own, image, 0, zero, one, 0, NULL, NULL));
		REFUSED("FILLIMAGE", api->clEnqueueFillImage(q, image, &colour, zero, one, 0, NULL, NULL));
	}
#undef REFUSED
	CL_OK(api->clReleaseMemObject(own));
	CL_OK(api->clReleaseMemObject(picture));
}

static void commands(void **state)
{
	(void)state;
	cl_mem whole, part, image, line;
	const cl_buffer_region region = {1024, 1024};
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	MAKE(whole, of(NULL, 0, pages, BYTES, &error));
	MAKE(part, api->clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
	const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 4, .image_row_pitch = 256, .buffer = whole};
	const cl_image_desc texels = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .buffer = part};
	MAKE(image, api->clCreateImage(cl.context, 0, &format, &plane, NULL, &error));
	MAKE(line, api->clCreateImage(cl.context, 0, &format, &texels, NULL, &error));
	forbidden(whole, image);
	forbidden(part, line);
	CL_OK(api->clReleaseMemObject(line));
	CL_OK(api->clReleaseMemObject(image));
	CL_OK(api->clReleaseMemObject(part));
	CL_OK(api->clReleaseMemObject(whole));
}

static int setup(void **state)
{
	if (spec_setup(state))
		return -1;
	import = (__typeof__(clImportMemoryARM) *)spec_function("clImportMemoryARM");
	pages = mmap(NULL, BYTES + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return pages == MAP_FAILED || munmap(pages + BYTES, PAGE) ? -1 : 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments),
		cmocka_unit_test(properties),
		cmocka_unit_test(memory),
		cmocka_unit_test(dma_buf),
		cmocka_unit_test(protected_memory),
		cmocka_unit_test(hardware_buffers),
		cmocka_unit_test(commands),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, cl_test_teardown);
}
