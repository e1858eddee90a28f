/* cl_khr_icd, as the loader and its layers see the library: what it exports, its table, its objects, and version 2 of the
 * interface. */
#include "testbench/opencl/cl_test.h"
#include <CL/cl_icd.h>
#include <dlfcn.h>

typedef void *address_fn(cl_platform_id, const char *);
struct handle { void **table, *data; }; /* what every object begins with */
static void *lib;
static cl_platform_id platform; /* the library's own, past any layer */

static address_fn *address_of(void)
{
	address_fn *f = (address_fn *)dlsym(lib, "clIcdGetFunctionAddressForPlatformKHR");
	assert_non_null(f);
	return f;
}

/* The file that a loader reads, and the library that it names. */
static void library(void **state)
{
	(void)state;
	char path[4200], line[4096] = "", more[16];
	snprintf(path, sizeof path, "%s/galena.icd", getenv("OCL_ICD_VENDORS"));
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof line, f));
	assert_null(fgets(more, sizeof more, f));
	fclose(f);
	line[strcspn(line, "\n")] = 0;
	assert_non_null(strstr(strrchr(line, '/') ? strrchr(line, '/') : line, "galena"));
	lib = dlopen(line, RTLD_NOW);
	assert_non_null(lib);
	void *(*address)(const char *) = (void *(*)(const char *))dlsym(lib, "clGetExtensionFunctionAddress");
	assert_non_null(address);
	assert_non_null(dlsym(lib, "clIcdGetPlatformIDsKHR"));
	assert_non_null(dlsym(lib, "clGetPlatformInfo"));
	assert_null(dlsym(lib, "clCreateBuffer")); /* would stand in the loader's way */
	assert_non_null(address("clIcdGetPlatformIDsKHR"));
	assert_null(address("clNoSuchFunction"));
	cl_int (*ids)(cl_uint, cl_platform_id *, cl_uint *) = (cl_int(*)(cl_uint, cl_platform_id *, cl_uint *))address("clIcdGetPlatformIDsKHR");
	cl_uint n;
	CL_OK(ids(1, &platform, &n));
	assert_int_equal(n, 1);
	CL_FAILS(CL_INVALID_VALUE, ids(0, &platform, NULL));
	assert_non_null(clGetExtensionFunctionAddressForPlatform(cl.platform, "clCreateCommandQueueWithPropertiesKHR"));
	assert_null(clGetExtensionFunctionAddressForPlatform(cl.platform, "clNoSuchFunction"));
}

static void strings(void **state)
{
	(void)state;
	char text[8192], words[8200], suffix[32];
	CL_OK(clGetPlatformInfo(cl.platform, CL_PLATFORM_EXTENSIONS, sizeof text, text, NULL));
	snprintf(words, sizeof words, " %s ", text);
	assert_non_null(strstr(words, " cl_khr_icd "));
	CL_OK(clGetPlatformInfo(cl.platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix, suffix, NULL));
	assert_string_equal(suffix, "GALENA");
}

/* Each slot has a function, the one of that name; the order is that of the loader's header. */
static void table_order(void **state)
{
	(void)state;
	const struct _cl_icd_dispatch *table = *(struct _cl_icd_dispatch **)platform;
	address_fn *address = address_of();
	enum { SLOTS = sizeof *table / sizeof(void *) };
	for (int i = 0; i < SLOTS; i++)
		assert_non_null(((void *const *)table)[i]);
#define ENTRY_TAGGED(name) assert_int_equal((intptr_t)table->name, 0x4F50454E434C3331);
#define ENTRY(name)                                                                                                                \
	if ((void *)table->name != address(platform, #name))                                                                       \
		fail_msg("the slot of " #name " has another function");
#define ENTRY_VOID(type, name)
#include "icd/entry_points.def"
}

static bool has_table(const void *object)
{
	const struct handle *h = object, *p = (const struct handle *)platform;
	return h && h->table == p->table && h->data == p->data;
}

/* Every object, whatever it was made from, begins with the table. */
static void objects(void **state)
{
	(void)state;
	const char *source = "kernel void f(global int *p) { *p = 1; }";
	const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
	const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 16};
	const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
	cl_device_id parts[64];
	cl_uint num_parts;
	cl_int code;
	cl_mem buffer = clCreateBuffer(cl.context, 0, 64, NULL, &code), within, image = clCreateImage(cl.context, 0, &format, &line, NULL, &code);
	cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
	CL_OK(clBuildProgram(program, 1, &cl.device, "", NULL, NULL));
	cl_kernel kernel = clCreateKernel(program, "f", &code);
	cl_sampler sampler = clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &code);
	cl_event user = clCreateUserEvent(cl.context, &code), command;
	within = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &(cl_buffer_region){0, 32}, &code);
	CL_OK(code);
	CL_OK(clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &command));
	CL_OK(clCreateSubDevices(cl.device, equally, 64, parts, &num_parts));
	const void *all[] = {cl.platform, cl.device, parts[0], cl.context, cl.all, cl.queue, cl.unordered, buffer, within, image, program, kernel, sampler, user, command};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_true(has_table(all[i]));
	for (cl_uint i = 0; i < num_parts; i++)
		CL_OK(clReleaseDevice(parts[i]));
	CL_OK(clReleaseEvent(command));
	CL_OK(clReleaseEvent(user));
	CL_OK(clReleaseSampler(sampler));
	CL_OK(clReleaseKernel(kernel));
	CL_OK(clReleaseProgram(program));
	CL_OK(clReleaseMemObject(within));
	CL_OK(clReleaseMemObject(image));
	CL_OK(clReleaseMemObject(buffer));
}

/* Version 2: the tag, functions by name, and data for the loader in every object that there is and that is made. */
static void second_interface(void **state)
{
	(void)state;
	address_fn *address = address_of();
	cl_int (*set)(cl_platform_id, void *) = (cl_int(*)(cl_platform_id, void *))dlsym(lib, "clIcdSetPlatformDispatchDataKHR");
	struct handle *p = (struct handle *)platform, *made;
	void *const before = p->data;
	int data;
	cl_int code;
	assert_non_null(set);
	assert_null(address(platform, "clNoSuchFunction"));
	assert_null(address(platform, NULL));
	assert_null(address(NULL, "clCreateBuffer"));
	assert_null(address((cl_platform_id)cl.device, "clCreateBuffer"));
	assert_non_null(address(platform, "clGetPlatformIDs"));
	CL_OK(((cl_int(*)(void))address(platform, "clUnloadCompiler"))());
	CL_FAILS(CL_INVALID_PLATFORM, set(NULL, &data));
	CL_OK(set(platform, &data));
	assert_ptr_equal(p->data, &data);
	assert_true(has_table(cl.device));
	/* not by the loader, to which the data may mean something */
	made = (struct handle *)((__typeof__(clCreateUserEvent) *)address(platform, "clCreateUserEvent"))(cl.context, &code);
	CL_OK(code);
	assert_true(has_table(made));
	CL_OK(((__typeof__(clReleaseEvent) *)address(platform, "clReleaseEvent"))((cl_event)made));
	CL_OK(set(platform, before));
}

/* A program may say that it uses the extension. */
static void pragma(void **state)
{
	(void)state;
	const char *source = "#pragma OPENCL EXTENSION cl_khr_icd : enable\nkernel void f(global int *p) { *p = 1; }";
	cl_int code;
	cl_program program = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(program, 1, &cl.device, "", NULL, NULL));
	CL_OK(clReleaseProgram(program));
}

static int teardown(void **state) { return (lib && dlclose(lib)) || cl_test_teardown(state); }

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(library),
		cmocka_unit_test(strings),
		cmocka_unit_test(table_order),
		cmocka_unit_test(objects),
		cmocka_unit_test(second_interface),
		cmocka_unit_test(pragma),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, cl_test_setup, teardown);
}
