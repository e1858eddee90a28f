/* Memory of the application's own, imported with clImportMemoryARM: the pages themselves are the device's. */
#define _GNU_SOURCE
#include "testbench/opencl/import.h"
#include <sys/mman.h>

enum { PAGE = 4096 };

static const char source[] =
	"kernel void scale(global int *p) { p[get_global_id(0)] *= 3; }\n"
	"kernel void copy(global const int *from, global int *to) { to[get_global_id(0)] = from[get_global_id(0)]; }\n"
	"kernel void texels(read_only image2d_t image, global uint *to) {\n"
	"  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"  to[at.y * get_global_size(0) + at.x] = read_imageui(image, at).x; }\n";

static cl_mem import_of(void *memory, size_t size, cl_mem_flags flags)
{
	cl_int code;
	cl_mem m = import(cl.context, flags, NULL, memory, size, &code);
	CL_OK(code);
	assert_non_null(m);
	return m;
}

static void *map(size_t bytes, int rights)
{
	void *p = mmap(NULL, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static cl_int run(const char *name, const cl_mem *args, unsigned count, const size_t items[2]) { return run_on(cl.queue, name, args, count, items); }

static void scale(cl_mem m, size_t words) { CL_OK(run("scale", &m, 1, (size_t[2]){words})); }

/* What the host writes the device sees, and the other way round, at every alignment that a cache line allows. */
static void pages_are_shared(void **state)
{
	(void)state;
	enum { WORDS = 3000 };
	static const size_t offsets[] = {0, 128, 1024, PAGE - 128};
	for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
		char *area = map(5 * PAGE, PROT_READ | PROT_WRITE);
		int *p = (int *)(void *)(area + offsets[o]);
		memset(area, 0x5a, 5 * PAGE);
		cl_mem m = import_of(p, WORDS * sizeof *p, CL_MEM_READ_WRITE);
		for (int round = 0; round < 3; round++) {
			for (int i = 0; i < WORDS; i++)
				p[i] = i * (round + 1);
			scale(m, WORDS);
			for (int i = 0; i < WORDS; i++)
				assert_int_equal(p[i], 3 * i * (round + 1));
		}
		CL_OK(clReleaseMemObject(m));
		for (char *c = area; c < area + 5 * PAGE; c++)
			if (c < (char *)p || c >= (char *)(p + WORDS))
				assert_int_equal(*c, 0x5a);
		munmap(area, 5 * PAGE);
	}
}

/* Pages that nobody has touched yet are there after the import, whatever kernels may do with them. */
static void pages_are_committed(void **state)
{
	(void)state;
	enum { PAGES = 100 };
	static const cl_mem_flags rights[] = {0, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY};
	for (int r = 0; r < 3; r++) {
		unsigned char there[PAGES];
		char *area = map(PAGES * PAGE, PROT_READ | PROT_WRITE);
		cl_mem m = import_of(area, PAGES * PAGE, rights[r]);
		assert_int_equal(mincore(area, PAGES * PAGE, there), 0);
		for (int i = 0; i < PAGES; i++)
			assert_true(there[i] & 1);
		CL_OK(clReleaseMemObject(m));
		munmap(area, PAGES * PAGE);
	}
}

/* What the host may only read becomes an import for reading; a kernel that writes there fails, and has changed nothing. */
static void read_only_pages(void **state)
{
	(void)state;
	enum { WORDS = 1024 };
	int *area = map(PAGE, PROT_READ | PROT_WRITE), *result = map(PAGE, PROT_READ | PROT_WRITE);
	cl_mem_flags flags;
	for (int i = 0; i < WORDS; i++)
		area[i] = i + 7;
	assert_int_equal(mprotect(area, PAGE, PROT_READ), 0);
	cl_mem m[2] = {import_of(area, PAGE, CL_MEM_READ_WRITE), import_of(result, PAGE, 0)};
	CL_OK(clGetMemObjectInfo(m[0], CL_MEM_FLAGS, sizeof flags, &flags, NULL));
	assert_int_equal(flags, CL_MEM_READ_ONLY);
	CL_OK(run("copy", m, 2, (size_t[2]){WORDS}));
	assert_memory_equal(result, area, PAGE);
	assert_true(run("scale", m, 1, (size_t[2]){WORDS}) < 0);
	assert_memory_equal(result, area, PAGE);
	CL_OK(clReleaseMemObject(m[0]));
	CL_OK(clReleaseMemObject(m[1]));
	munmap(area, PAGE);
	munmap(result, PAGE);
}

/* Pages that several whole-page imports share have the same bytes in all; a page of an unaligned one is free again when that is gone. */
static void imports_of_one_page(void **state)
{
	(void)state;
	cl_int code;
	int *area = map(4 * PAGE, PROT_READ | PROT_WRITE);
	for (int i = 0; i < 2048; i++)
		area[i] = 1;
	cl_mem a = import_of(area, 2 * PAGE, 0), b = import_of(area + 1024, 2 * PAGE, 0), c = import_of(area, 2 * PAGE, CL_MEM_READ_ONLY);
	scale(a, 2048);
	scale(b, 1024);
	assert_int_equal(area[0], 3);
	assert_int_equal(area[1024], 9);
	cl_mem part = import_of(area + 32, 128, 0); /* whole pages do not mind it */
	for (int round = 0; round < 3; round++) {
		assert_null(import(cl.context, 0, NULL, area + 512, 128, &code));
		CL_FAILS(CL_INVALID_OPERATION, code);
		CL_OK(clReleaseMemObject(part));
		part = import_of(area + 512, 128, 0);
		scale(part, 32);
		assert_null(import(cl.context, 0, NULL, area + 32, 128, &code));
		CL_FAILS(CL_INVALID_OPERATION, code);
		/* a command is under way when the import is released */
		cl_kernel k = clCreateKernel(program, "scale", &code);
		CL_OK(code);
		CL_OK(clSetKernelArg(k, 0, sizeof part, &part));
		CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, (size_t[]){32}, NULL, 0, NULL, NULL));
		CL_OK(clFlush(cl.queue));
		CL_OK(clReleaseKernel(k));
		CL_OK(clReleaseMemObject(part));
		part = import_of(area + 32, 128, 0);
	}
	CL_OK(clFinish(cl.queue));
	assert_int_equal(area[512], 3 * 3 * 3 * 3 * 3 * 3 * 3);
	CL_OK(clReleaseMemObject(part));
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(b));
	CL_OK(clReleaseMemObject(c));
	munmap(area, 4 * PAGE);
}

/* Sub-buffers and images are made from imports as from other buffers. */
static void parts_and_images(void **state)
{
	(void)state;
	enum { WIDTH = 60, HEIGHT = 40, PITCH = 256 };
	cl_int code;
	const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
	uint32_t *area = map(HEIGHT * PITCH, PROT_READ | PROT_WRITE), *result = map(PITCH * HEIGHT, PROT_READ | PROT_WRITE);
	for (int i = 0; i < HEIGHT * PITCH / 4; i++)
		area[i] = (uint32_t)i * 5;
	cl_mem m = import_of(area, HEIGHT * PITCH, 0), to = import_of(result, HEIGHT * PITCH, 0);
	const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT, .image_row_pitch = PITCH, .buffer = m};
	cl_mem image = clCreateImage(cl.context, 0, &format, &plane, NULL, &code);
	CL_OK(code);
	CL_OK(run("texels", (cl_mem[]){image, to}, 2, (size_t[]){WIDTH, HEIGHT}));
	for (uint32_t y = 0; y < HEIGHT; y++)
		for (uint32_t x = 0; x < WIDTH; x++)
			assert_int_equal(result[y * WIDTH + x], (y * PITCH / 4 + x) * 5);
	const cl_buffer_region region = {1024, 512};
	cl_mem part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
	CL_OK(code);
	CL_OK(clReleaseMemObject(m)); /* its pages stay for what was made from it */
	scale(part, 128);
	assert_int_equal(area[255], 255 * 5);
	assert_int_equal(area[256], 256 * 15);
	assert_int_equal(area[383], 383 * 15);
	assert_int_equal(area[384], 384 * 5);
	CL_OK(clReleaseMemObject(part));
	CL_OK(clReleaseMemObject(image));
	CL_OK(clReleaseMemObject(to));
	munmap(area, HEIGHT * PITCH);
	munmap(result, HEIGHT * PITCH);
}

static void queries(void **state)
{
	(void)state;
	char *area = map(PAGE, PROT_READ | PROT_WRITE), extensions[8192];
	const cl_import_properties_arm none[] = {0}, type[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM, 0};
	cl_int code;
	cl_mem m = import(cl.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR | CL_MEM_HOST_NO_ACCESS, type, area + 128, 1000, &code);
	cl_mem_flags flags;
	cl_mem_object_type kind;
	size_t size, properties;
	void *host;
	CL_OK(code);
	CL_OK(clGetMemObjectInfo(m, CL_MEM_TYPE, sizeof kind, &kind, NULL));
	CL_OK(clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
	CL_OK(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL));
	CL_OK(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
	CL_OK(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, 0, NULL, &properties));
	assert_int_equal(kind, CL_MEM_OBJECT_BUFFER);
	assert_int_equal(flags, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);
	assert_int_equal(size, 1000);
	assert_null(host);
	assert_int_equal(properties, 0);
	CL_OK(clReleaseMemObject(m));
	m = import(cl.context, 0, none, area, 1000, &code);
	CL_OK(code);
	CL_OK(clReleaseMemObject(m));
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
	assert_non_null(strstr(extensions, "cl_arm_import_memory "));
	assert_non_null(strstr(extensions, "cl_arm_import_memory_host"));
	munmap(area, PAGE);
}

/* Without coherent caches a pointer has to be aligned to a line of them. */
static void alignment(void **state)
{
	(void)state;
	cl_uint line;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, sizeof line, &line, NULL));
	char *area = map(PAGE, PROT_READ | PROT_WRITE);
	for (size_t offset = 1; offset < line; offset *= 2) {
		cl_int code;
		cl_mem m = import(cl.context, 0, NULL, area + offset, 512, &code);
		CL_FAILS(coherent ? CL_SUCCESS : CL_INVALID_VALUE, code);
		assert_int_equal(m != NULL, coherent);
		if (m)
			CL_OK(clReleaseMemObject(m));
	}
	munmap(area, PAGE);
}

/* Many at a time, released in another order: each is itself. */
static void many(void **state)
{
	(void)state;
	enum { COUNT = 2000 };
	static cl_mem m[COUNT];
	int *area = map((size_t)COUNT * PAGE, PROT_READ | PROT_WRITE);
	for (int i = 0; i < COUNT; i++) {
		area[i * 1024] = i;
		m[i] = import_of(area + i * 1024, 256, 0);
	}
	for (int i = 0; i < COUNT; i += 7)
		scale(m[i], 1);
	for (int i = 0; i < COUNT; i++) {
		int k = (int)((unsigned)i * 1237 % COUNT);
		assert_int_equal(area[k * 1024], k % 7 ? k : 3 * k);
		CL_OK(clReleaseMemObject(m[k]));
	}
	munmap(area, (size_t)COUNT * PAGE);
}

static int setup(void **state) { return import_setup(state, source); }

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_shared),
		cmocka_unit_test(pages_are_committed),
		cmocka_unit_test(read_only_pages),
		cmocka_unit_test(imports_of_one_page),
		cmocka_unit_test(parts_and_images),
		cmocka_unit_test(queries),
		cmocka_unit_test(alignment),
		cmocka_unit_test(many),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, import_teardown);
}
