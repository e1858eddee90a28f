/* Android hardware buffers imported with clImportMemoryARM: the whole, planes and layers, and who holds the buffer. */
#include "include/android/hardware_buffer.h"
#include "testbench/opencl/import.h"

enum { READ = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN, WRITE = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN, NONE = -1 };

static const char source[] = "kernel void invert(global uchar *p) { p[get_global_id(0)] ^= 0xff; }\n"
			     "kernel void copy(global const uchar *from, global uchar *to) { to[get_global_id(0)] = from[get_global_id(0)]; }\n"
			     "kernel void swap(global uchar2 *p) { p[get_global_id(0)] = p[get_global_id(0)].yx; }\n";

static AHardwareBuffer *make(uint32_t width, uint32_t height, uint32_t layers, uint32_t format)
{
	AHardwareBuffer *b = NULL;
	AHardwareBuffer_Desc d = {width, height, layers, format, READ | WRITE, 0, 0, 0};
	assert_int_equal(AHardwareBuffer_allocate(&d, &b), 0);
	return b;
}

static cl_mem import_of(AHardwareBuffer *b, size_t size, int plane, int layer)
{
	cl_int code;
	cl_import_properties_arm list[8] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM};
	int n = 2;
	if (plane != NONE) {
		list[n++] = CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM;
		list[n++] = (cl_import_properties_arm)plane;
	}
	if (layer != NONE) {
		list[n++] = CL_IMPORT_ANDROID_HARDWARE_BUFFER_LAYER_INDEX_ARM;
		list[n++] = (cl_import_properties_arm)layer;
	}
	cl_mem m = import(cl.context, 0, list, b, size, &code);
	CL_OK(code);
	return m;
}

static size_t size_of(cl_mem m)
{
	size_t size;
	CL_OK(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL));
	return size;
}

static void run(const char *name, cl_mem m, size_t items) { CL_OK(run_on(cl.queue, name, &m, 1, (size_t[2]){items})); }

/* The host has no way to the bytes of an import but kernels, where it cannot lock the buffer. */
static void read_back(cl_mem m, unsigned char *host, size_t bytes)
{
	cl_int code;
	cl_mem to = clCreateBuffer(cl.context, 0, bytes, NULL, &code);
	CL_OK(code);
	CL_OK(run_on(cl.queue, "copy", (cl_mem[]){m, to}, 2, (size_t[2]){bytes}));
	CL_OK(clEnqueueReadBuffer(cl.queue, to, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
	CL_OK(clReleaseMemObject(to));
}

static void pictures(void **state)
{
	(void)state;
	enum { W = 100, H = 30 };
	AHardwareBuffer *b = make(W, H, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM);
	int32_t pixel, row;
	unsigned char *p;
	cl_mem m = import_of(b, CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM, NONE, NONE);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(AHardwareBuffer_lockAndGetInfo(b, WRITE, -1, NULL, (void **)&p, &pixel, &row), 0);
		for (int i = 0; i < H * row; i++)
			p[i] = (unsigned char)(i * 3 + round);
		assert_int_equal(AHardwareBuffer_unlock(b, NULL), 0);
		run("invert", m, (size_t)(H * row));
		assert_int_equal(AHardwareBuffer_lock(b, READ, -1, NULL, (void **)&p), 0);
		for (int i = 0; i < H * row; i++)
			assert_int_equal(p[i], (unsigned char)~(i * 3 + round));
		assert_int_equal(AHardwareBuffer_unlock(b, NULL), 0);
	}
	assert_true(size_of(m) >= (size_t)(H * row));
	CL_OK(clReleaseMemObject(m));
	AHardwareBuffer_release(b);
}

/* Each plane begins with its first pixel; so does the plane of a layer. */
static void planes(void **state)
{
	(void)state;
	enum { W = 66, H = 20 };
	AHardwareBuffer *b = make(W, H, 1, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420);
	AHardwareBuffer_Planes p;
	cl_mem luma = import_of(b, CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM, 0, NONE), chroma = import_of(b, CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM, 1, NONE);
	assert_int_equal(AHardwareBuffer_lockPlanes(b, WRITE, -1, NULL, &p), 0);
	assert_int_equal(size_of(luma), p.planes[0].rowStride * H);
	assert_int_equal(size_of(chroma), p.planes[1].rowStride * H / 2);
	memset(p.planes[0].data, 0x10, size_of(luma));
	for (size_t i = 0; i < size_of(chroma); i += 2) {
		((unsigned char *)p.planes[1].data)[i] = 0x20;
		((unsigned char *)p.planes[2].data)[i] = 0x30;
	}
	assert_int_equal(AHardwareBuffer_unlock(b, NULL), 0);
	run("invert", luma, size_of(luma));
	run("swap", chroma, size_of(chroma) / 2);
	assert_int_equal(AHardwareBuffer_lockPlanes(b, READ, -1, NULL, &p), 0);
	for (size_t i = 0; i < size_of(luma); i++)
		assert_int_equal(((unsigned char *)p.planes[0].data)[i], 0xef);
	for (size_t i = 0; i < size_of(chroma); i += 2) {
		assert_int_equal(((unsigned char *)p.planes[1].data)[i], 0x30);
		assert_int_equal(((unsigned char *)p.planes[2].data)[i], 0x20);
	}
	assert_int_equal(AHardwareBuffer_unlock(b, NULL), 0);
	CL_OK(clReleaseMemObject(luma));
	CL_OK(clReleaseMemObject(chroma));
	AHardwareBuffer_release(b);
}

static void layers(void **state)
{
	(void)state;
	enum { W = 64, H = 10, LAYERS = 3 };
	static const uint32_t formats[] = {AHARDWAREBUFFER_FORMAT_R8_UNORM, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420};
	for (int f = 0; f < 2; f++) {
		AHardwareBuffer *b = make(W, H, LAYERS, formats[f]);
		cl_mem all = import_of(b, CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM, NONE, NONE);
		const size_t layer = size_of(all) / LAYERS;
		const size_t bytes = size_of(all);
		unsigned char *host = malloc(bytes), *expected = calloc(1, bytes);
		run("invert", all, bytes);
		memset(expected, 0xff, bytes);
		for (int l = 0; l < LAYERS; l++)
			for (int p = 0; p <= f; p++) {
				cl_mem m = import_of(b, CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM, f ? p : NONE, l);
				assert_int_equal(size_of(m), p ? W * H / 2 : W * H);
				run("invert", m, 1 + (size_t)l);
				memset(expected + (size_t)l * layer + (p ? W * H : 0), 0, 1 + (size_t)l);
				CL_OK(clReleaseMemObject(m));
			}
		read_back(all, host, bytes);
		assert_memory_equal(host, expected, bytes);
		CL_OK(clReleaseMemObject(all));
		AHardwareBuffer_release(b);
		free(host);
		free(expected);
	}
}

/* The buffer lives as long as the memory object, also behind its context and for what was made from it. */
static void who_holds_it(void **state)
{
	(void)state;
	cl_int code;
	uint64_t id;
	AHardwareBuffer *b = make(64, 64, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM);
	cl_context c = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
	CL_OK(code);
	const cl_import_properties_arm list[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM, 0};
	cl_mem m = import(c, 0, list, b, 4096, &code);
	CL_OK(code);
	cl_mem part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 128}, &code);
	CL_OK(code);
	CL_OK(clReleaseContext(c));
	AHardwareBuffer_release(b);
	assert_int_equal(AHardwareBuffer_getId(b, &id), 0);
	CL_OK(clReleaseMemObject(m));
	assert_int_equal(AHardwareBuffer_getId(b, &id), 0);
	CL_OK(clReleaseMemObject(part));
	assert_int_not_equal(AHardwareBuffer_getId(b, &id), 0);
}

/* The import is released while a kernel is at work on it, and the host locks the buffer: completions run in the lock, and let go of
 * the buffer's last reference but one. */
static void locked_when_the_import_is_gone(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		AHardwareBuffer *b = make(64, 64, 1, AHARDWAREBUFFER_FORMAT_R8_UNORM);
		unsigned char *p;
		cl_int code;
		cl_mem m = import_of(b, CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM, NONE, NONE);
		cl_kernel k = clCreateKernel(program, "invert", &code);
		CL_OK(code);
		CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
		CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, (size_t[]){64}, NULL, 0, NULL, NULL));
		CL_OK(clFlush(cl.queue));
		CL_OK(clReleaseMemObject(m));
		assert_int_equal(AHardwareBuffer_lock(b, READ, -1, NULL, (void **)&p), 0);
		CL_OK(clFinish(cl.queue));
		for (int i = 0; i < 64; i++)
			assert_int_equal(p[i], 0xff);
		assert_int_equal(AHardwareBuffer_unlock(b, NULL), 0);
		CL_OK(clReleaseKernel(k));
		AHardwareBuffer_release(b);
	}
}

static int setup(void **state) { return import_setup(state, source); }

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pictures),
		cmocka_unit_test(planes),
		cmocka_unit_test(layers),
		cmocka_unit_test(who_holds_it),
		cmocka_unit_test(locked_when_the_import_is_gone),
	};
	alarm(250); /* a lock that waits for itself */
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, import_teardown);
}
