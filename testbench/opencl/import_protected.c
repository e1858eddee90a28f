/* Protected memory imported with clImportMemoryARM: kernels work on it, and nothing of it gets out. What is in it only a
 * protected kernel can tell, by how it ends. */
#define _GNU_SOURCE
#include "include/galena/heap.h"
#include "testbench/opencl/import.h"

enum { WORDS = 4096, BYTES = WORDS * 4, MARKER = 0x5ec8e7 };
static cl_command_queue queue; /* without profiling */

static const char source[] =
	"kernel void set(global int *p, int value) { p[get_global_id(0)] = value + (int)get_global_id(0); }\n"
	"kernel void copy(global const int *from, global int *to) { to[get_global_id(0)] = from[get_global_id(0)]; }\n"
	"kernel void check(global int *p, int value) {\n" /* a fault unless each word has its value */
	"  if (p[get_global_id(0)] != value + (int)get_global_id(0)) *(global int *)64 = 1; }\n"
	"kernel void check_zero(global int *p, int unused) { if (p[get_global_id(0)]) *(global int *)64 = 1; }\n"
	"kernel void spill(global int *p, int n) {\n" /* through private memory */
	"  int a[64]; for (int i = 0; i < 64; i++) a[i] = p[(get_global_id(0) + i) % 4096];\n"
	"  int s = 0; for (int i = 0; i < 64; i++) s += a[(i * n + 5) & 63]; p[get_global_id(0)] = s - s + n + (int)get_global_id(0); }\n"
	"kernel void tell(global int *p, int unused) { printf(\"%d\\n\", p[0]); }\n"
	"global int variable;\n"
	"kernel void keep(global int *p, int unused) { variable = p[0]; }\n"
	"kernel void read_variable(global int *to, int unused) { to[0] = variable; }\n"
	"kernel void into_local(global int *p, local int *l, int n) {\n"
	"  for (int i = get_local_id(0); i < n; i += get_local_size(0)) l[i] = p[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  p[get_local_id(0)] = l[get_local_id(0)]; }\n"
	"kernel void out_of_local(global int *to, local int *l, int n) {\n"
	"  for (int i = get_local_id(0); i < n; i += get_local_size(0)) to[i] = l[i]; }\n"
	"kernel void texels(read_only image1d_buffer_t image, global int *to) {\n"
	"  to[get_global_id(0)] = read_imagei(image, (int)get_global_id(0)).x; }\n"
	"kernel void add(global int *p, global int *counter) { atomic_add(counter, p[0]); }\n";

static int protected_buffer(void)
{
	int fd = galena_heap_alloc("protected", BYTES, 0);
	assert_true(fd >= 0);
	return fd;
}

static cl_mem import_of(int fd, cl_mem_flags flags)
{
	cl_int code;
	const cl_import_properties_arm list[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, CL_IMPORT_TYPE_PROTECTED_ARM, CL_TRUE, 0};
	cl_mem m = import(cl.context, flags, list, &fd, BYTES, &code);
	CL_OK(code);
	return m;
}

static cl_mem fresh(void)
{
	int fd = protected_buffer();
	cl_mem m = import_of(fd, 0);
	close(fd);
	return m;
}

/* A kernel of a buffer and a number. */
static cl_int run(const char *name, cl_mem m, int value)
{
	cl_kernel k = kernel_of(name);
	CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
	CL_OK(clSetKernelArg(k, 1, sizeof value, &value));
	return kernel_run(queue, k, (size_t[2]){WORDS}, 0);
}

/* One of two objects. */
static cl_int run_two(const char *name, cl_mem a, cl_mem b)
{
	return run_on(queue, name, (cl_mem[]){a, b}, 2, (size_t[2]){WORDS});
}

/* Work in protected memory: zero at first, written, copied, through private memory; a check that fails is seen. */
static void kernels_work_on_it(void **state)
{
	(void)state;
	cl_mem a = fresh(), b = fresh();
	CL_OK(run("check_zero", a, 0));
	CL_OK(run("set", a, MARKER));
	CL_OK(run("check", a, MARKER));
	assert_true(run("check", a, MARKER + 1) < 0);
	CL_OK(run_two("copy", a, b));
	CL_OK(run("check", b, MARKER));
	CL_OK(run("spill", b, 7));
	CL_OK(run("check", b, 7));
	CL_OK(run("check", a, MARKER));
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(b));
}

/* The bytes are the buffer's, whoever imports it, and as long as there is a descriptor; another buffer has none of them. */
static void bytes_belong_to_the_buffer(void **state)
{
	(void)state;
	int fd = protected_buffer(), other = dup(fd);
	cl_mem a = import_of(fd, 0), b = import_of(other, CL_MEM_READ_ONLY);
	close(fd);
	CL_OK(run("set", a, 3));
	CL_OK(run("check", b, 3));
	assert_true(run("set", b, 4) < 0);
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(b));
	for (int i = 0; i < 5; i++) { /* memory that was another's is 0 */
		cl_mem m = fresh();
		CL_OK(run("check_zero", m, 0));
		CL_OK(run("set", m, MARKER));
		CL_OK(clReleaseMemObject(m));
	}
	a = import_of(other, 0);
	CL_OK(run("check", a, 3));
	CL_OK(clReleaseMemObject(a));
	close(other);
}

/* More buffers than are kept, of more memory than there is: those that nobody has give way. */
static void many_buffers(void **state)
{
	(void)state;
	cl_int code;
	cl_ulong most, all;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof all, &all, NULL));
	const size_t large = most / 2;
	assert_true(12 * large > all);
	const cl_import_properties_arm list[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, CL_IMPORT_TYPE_PROTECTED_ARM, CL_TRUE, 0};
	for (int i = 0; i < 200; i++)
		CL_OK(clReleaseMemObject(fresh()));
	for (int i = 0; i < 12; i++) {
		int fd = galena_heap_alloc("protected", large, 0);
		cl_mem m = import(cl.context, 0, list, &fd, 4096, &code);
		CL_OK(code);
		CL_OK(clReleaseMemObject(m));
		close(fd);
	}
}

/* Every way out: it fails, and what it should have carried is nowhere. */
static void nothing_gets_out(void **state)
{
	(void)state;
	static int bytes[WORDS], host[WORDS] __attribute__((aligned(4096)));
	cl_int code;
	cl_mem secret = fresh(), plain = clCreateBuffer(cl.context, 0, BYTES, NULL, &code);
	CL_OK(code);
	cl_mem system = clCreateBuffer(cl.context, CL_MEM_ALLOC_HOST_PTR, BYTES, NULL, &code);
	CL_OK(code);
	cl_mem mine = import(cl.context, 0, NULL, host, BYTES, &code);
	CL_OK(code);
	const cl_mem outside[] = {plain, system, mine};
	CL_OK(run("set", secret, MARKER));
	for (int i = 0; i < 3; i++) {
		CL_OK(run("set", outside[i], -5));
		assert_true(run_two("copy", secret, outside[i]) < 0);
		assert_true(run_two("add", secret, outside[i]) < 0);
		CL_OK(run("check", outside[i], -5));
		CL_OK(run_two("copy", outside[i], secret)); /* the other way is open */
		CL_OK(run("check", secret, -5));
		CL_OK(run("set", secret, MARKER));
	}
	CL_OK(clEnqueueReadBuffer(queue, plain, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL));
	for (int i = 0; i < WORDS; i++)
		assert_true(bytes[i] == i - 5 && host[i] == i - 5);
	/* printf, variables of the program */
	assert_true(run("tell", secret, 0) < 0);
	assert_true(run("keep", secret, 0) < 0);
	CL_OK(run("read_variable", plain, 0));
	CL_OK(clEnqueueReadBuffer(queue, plain, CL_TRUE, 0, 4, bytes, 0, NULL, NULL));
	assert_int_equal(bytes[0], 0);
	/* local memory that was its */
	cl_ulong room;
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof room, &room, NULL));
	const cl_int words = room / 4 < WORDS ? (cl_int)(room / 4) : WORDS;
	cl_kernel k = kernel_of("into_local");
	CL_OK(clSetKernelArg(k, 0, sizeof secret, &secret));
	CL_OK(clSetKernelArg(k, 1, (size_t)words * 4, NULL));
	CL_OK(clSetKernelArg(k, 2, sizeof words, &words));
	CL_OK(kernel_run(queue, k, (size_t[2]){256}, 16));
	k = kernel_of("out_of_local");
	CL_OK(clSetKernelArg(k, 0, sizeof plain, &plain));
	CL_OK(clSetKernelArg(k, 1, (size_t)words * 4, NULL));
	CL_OK(clSetKernelArg(k, 2, sizeof words, &words));
	CL_OK(kernel_run(queue, k, (size_t[2]){16}, 16));
	CL_OK(clEnqueueReadBuffer(queue, plain, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL));
	for (int i = 0; i < WORDS; i++)
		assert_true(bytes[i] < MARKER || bytes[i] >= MARKER + WORDS);
	CL_OK(clReleaseMemObject(secret));
	for (int i = 0; i < 3; i++)
		CL_OK(clReleaseMemObject(outside[i]));
}

/* What is made from it is protected, too. */
static void parts_and_images(void **state)
{
	(void)state;
	cl_int code;
	cl_mem m = fresh(), to = fresh(), plain = clCreateBuffer(cl.context, 0, BYTES, NULL, &code);
	CL_OK(code);
	CL_OK(run("set", m, 9));
	cl_mem part = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, BYTES / 2}, &code);
	CL_OK(code);
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = WORDS / 2, .buffer = part};
	cl_mem image = clCreateImage(cl.context, 0, &(cl_image_format){CL_R, CL_SIGNED_INT32}, &desc, NULL, &code);
	CL_OK(code);
	const cl_mem made[] = {part, image};
	for (int i = 0; i < 2; i++) {
		cl_mem_flags flags;
		CL_OK(clGetMemObjectInfo(made[i], CL_MEM_FLAGS, sizeof flags, &flags, NULL));
		assert_true(flags & CL_MEM_HOST_NO_ACCESS);
		cl_kernel k = kernel_of(i ? "texels" : "copy");
		CL_OK(clSetKernelArg(k, 0, sizeof made[i], &made[i]));
		CL_OK(clSetKernelArg(k, 1, sizeof to, &to));
		CL_OK(clRetainKernel(k));
		CL_OK(kernel_run(queue, k, (size_t[2]){WORDS / 2}, 0));
		CL_OK(clSetKernelArg(k, 1, sizeof plain, &plain));
		assert_true(kernel_run(queue, k, (size_t[2]){WORDS / 2}, 0) < 0);
		k = kernel_of("check");
		CL_OK(clSetKernelArg(k, 0, sizeof to, &to));
		CL_OK(clSetKernelArg(k, 1, sizeof(int), &(int){9}));
		CL_OK(kernel_run(queue, k, (size_t[2]){WORDS / 2}, 0));
		CL_OK(run("set", to, 0));
	}
	CL_OK(clReleaseMemObject(image));
	CL_OK(clReleaseMemObject(part));
	CL_OK(clReleaseMemObject(plain));
	CL_OK(clReleaseMemObject(to));
	CL_OK(clReleaseMemObject(m));
}

static int setup(void **state)
{
	cl_int code;
	if (import_setup(state, source))
		return -1;
	queue = clCreateCommandQueue(cl.context, cl.device, 0, &code);
	return code ? -1 : 0;
}

static int teardown(void **state) { return clReleaseCommandQueue(queue) || import_teardown(state); }

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_work_on_it),
		cmocka_unit_test(bytes_belong_to_the_buffer),
		cmocka_unit_test(many_buffers),
		cmocka_unit_test(nothing_gets_out),
		cmocka_unit_test(parts_and_images),
	};
	char config[256]; /* of as little memory as makes many_buffers short: each buffer is cleared */
	const char *given = getenv("GALENA_CONFIG");
	snprintf(config, sizeof config, "%s,dram_mib=128", given && *given ? given : "full");
	setenv("GALENA_CONFIG", config, 1);
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
