/* Rules on kernels and their arguments. */
#include "testbench/opencl/spec.h"

static cl_program program;
static cl_kernel kernel;
static const char *const source =
	"kernel void k(global int *p, local int *q, int n, read_only image2d_t r, write_only image2d_t w, sampler_t s) { *p = n; }\n"
	"kernel void l(global int *p) { *p = 1; }\n";
enum { BUFFER, LOCAL, VALUE, READ, WRITE, SAMPLER, ARGS };

static void creation(void **state)
{
	(void)state;
	cl_program raw;
	cl_kernel list[1];
	MAKE(raw, api->clCreateProgramWithSource(cl.context, 1, (const char **)(uintptr_t)&source, NULL, &error));
	RULE_NULL("CL_CREATEKERNEL_EXECUTABLE", CL_INVALID_PROGRAM_EXECUTABLE, api->clCreateKernel(raw, "k", &error));
	RULE("CL_CREATEKERNELSINPROGRAM_EXECUTABLE", CL_INVALID_PROGRAM_EXECUTABLE, api->clCreateKernelsInProgram(raw, 1, list, NULL));
	CL_OK(api->clReleaseProgram(raw));
	RULE_NULL("CL_CREATEKERNEL_NAME", CL_INVALID_KERNEL_NAME, api->clCreateKernel(program, "nobody", &error));
	RULE_NULL("CL_CREATEKERNEL_NAME_NULL", CL_INVALID_VALUE, api->clCreateKernel(program, NULL, &error));
	RULE("CL_CREATEKERNELSINPROGRAM_ROOM", CL_INVALID_VALUE, api->clCreateKernelsInProgram(program, 1, list, NULL));
}

/* Built for each device with another option, a kernel has other arguments on each. */
static void definition(void **state)
{
	(void)state;
	const char *text = "kernel void k(global T *p, T n) { *p = n; }";
	cl_program p;
	assert_true(cl.num_devices > 1);
	MAKE(p, api->clCreateProgramWithSource(cl.all, 1, &text, NULL, &error));
	CL_OK(api->clBuildProgram(p, 1, &cl.devices[0], "-DT=int", NULL, NULL));
	CL_OK(api->clBuildProgram(p, 1, &cl.devices[1], "-DT=long", NULL, NULL));
	RULE_NULL("CL_CREATEKERNEL_DEFINITION", CL_INVALID_KERNEL_DEFINITION, api->clCreateKernel(p, "k", &error));
	CL_OK(api->clReleaseProgram(p));
}

static cl_mem image(cl_mem_flags flags, cl_mem_object_type type)
{
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	const cl_image_desc desc = {.image_type = type, .image_width = 4, .image_height = 4, .image_depth = 2};
	cl_mem m;
	MAKE(m, api->clCreateImage(cl.context, flags, &format, &desc, NULL, &error));
	return m;
}

#define SET(index, size, value) api->clSetKernelArg(kernel, (index), (size), (value))

static void arguments(void **state)
{
	(void)state;
	const int n = 1;
	const void *nothing = NULL;
	cl_sampler s;
	cl_mem b, read_only = image(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D), write_only = image(CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D),
		  volume = image(0, CL_MEM_OBJECT_IMAGE3D);
	MAKE(b, api->clCreateBuffer(cl.context, 0, 64, NULL, &error));
	MAKE(s, api->clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error));
	RULE("CL_SETKERNELARG_INDEX", CL_INVALID_ARG_INDEX, SET(ARGS, sizeof n, &n));
	RULE("CL_SETKERNELARG_INDEX", CL_INVALID_ARG_INDEX, SET(~0u, sizeof n, &n));
	RULE("CL_SETKERNELARG_IMAGE_NULL", CL_INVALID_MEM_OBJECT, SET(READ, sizeof(cl_mem), NULL));
	RULE("CL_SETKERNELARG_IMAGE_NULL", CL_INVALID_MEM_OBJECT, SET(READ, sizeof(cl_mem), &nothing));
	RULE("CL_SETKERNELARG_IMAGE_KIND", CL_INVALID_MEM_OBJECT, SET(READ, sizeof(cl_mem), &volume));
	RULE("CL_SETKERNELARG_SAMPLER_NULL", CL_INVALID_SAMPLER, SET(SAMPLER, sizeof(cl_sampler), NULL));
	RULE("CL_SETKERNELARG_SAMPLER_NULL", CL_INVALID_SAMPLER, SET(SAMPLER, sizeof(cl_sampler), &nothing));
	RULE("CL_SETKERNELARG_MEM_SIZE", CL_INVALID_ARG_SIZE, SET(BUFFER, sizeof(cl_mem) - 1, &b));
	RULE("CL_SETKERNELARG_MEM_SIZE", CL_INVALID_ARG_SIZE, SET(READ, sizeof(cl_mem) + 1, &read_only));
	RULE("CL_SETKERNELARG_SAMPLER_SIZE", CL_INVALID_ARG_SIZE, SET(SAMPLER, sizeof(cl_sampler) - 1, &s));
	RULE("CL_SETKERNELARG_LOCAL_SIZE", CL_INVALID_ARG_SIZE, SET(LOCAL, 0, NULL));
	RULE("CL_SETKERNELARG_VALUE_SIZE", CL_INVALID_ARG_SIZE, SET(VALUE, 1, &n));
	RULE("CL_SETKERNELARG_VALUE_SIZE", CL_INVALID_ARG_SIZE, SET(VALUE, 8, &n));
	RULE("CL_SETKERNELARG_VALUE_NULL", CL_INVALID_ARG_VALUE, SET(VALUE, sizeof n, NULL));
	RULE("CL_SETKERNELARG_LOCAL_VALUE", CL_INVALID_ARG_VALUE, SET(LOCAL, 16, &n));
	RULE("CL_SETKERNELARG_IMAGE_READ", CL_INVALID_ARG_VALUE, SET(READ, sizeof(cl_mem), &write_only));
	RULE("CL_SETKERNELARG_IMAGE_WRITE", CL_INVALID_ARG_VALUE, SET(WRITE, sizeof(cl_mem), &read_only));
	CL_OK(api->clReleaseSampler(s));
	cl_mem all[] = {b, read_only, write_only, volume};
	for (int i = 0; i < 4; i++)
		CL_OK(api->clReleaseMemObject(all[i]));
}

static void queries(void **state)
{
	(void)state;
	size_t sizes[3], one = 1;
	RULE_INFO("CL_GETKERNELINFO", CL_KERNEL_NUM_ARGS, api->clGetKernelInfo(kernel, name, size, value, NULL));
	RULE_INFO("CL_GETKERNELARGINFO", CL_KERNEL_ARG_TYPE_NAME, api->clGetKernelArgInfo(kernel, 0, name, size, value, NULL));
	RULE("CL_GETKERNELARGINFO_INDEX", CL_INVALID_ARG_INDEX,
	     api->clGetKernelArgInfo(kernel, ARGS, CL_KERNEL_ARG_NAME, sizeof sizes, sizes, NULL));
	RULE_INFO("CL_GETKERNELWORKGROUPINFO", CL_KERNEL_WORK_GROUP_SIZE,
		  api->clGetKernelWorkGroupInfo(kernel, cl.device, name, size, value, NULL));
	RULE("CL_GETKERNELWORKGROUPINFO_GLOBAL_SIZE", CL_INVALID_VALUE,
	     api->clGetKernelWorkGroupInfo(kernel, cl.device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof sizes, sizes, NULL));
	RULE("CL_GETKERNELWORKGROUPINFO_DEVICE_FOREIGN", CL_INVALID_DEVICE,
	     api->clGetKernelWorkGroupInfo(kernel, cl.devices[1], CL_KERNEL_WORK_GROUP_SIZE, sizeof sizes, sizes, NULL));
#define SUBGROUP(k, device, param, in, in_size) \
	api->clGetKernelSubGroupInfo((k), (device), (param), (in_size), (in), sizeof sizes, sizes, NULL)
	RULE("CL_GETKERNELSUBGROUPINFO_DEVICE_FOREIGN", CL_INVALID_DEVICE,
	     SUBGROUP(kernel, cl.devices[1], CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &one, sizeof one));
	cl_uint groups = 0;
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof groups, &groups, NULL));
	if (groups) {
		RULE_INFO("CL_GETKERNELSUBGROUPINFO", CL_KERNEL_MAX_NUM_SUB_GROUPS,
			  api->clGetKernelSubGroupInfo(kernel, cl.device, name, 0, NULL, size, value, NULL));
		RULE("CL_GETKERNELSUBGROUPINFO_INPUT", CL_INVALID_VALUE,
		     SUBGROUP(kernel, cl.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, NULL, sizeof one));
		RULE("CL_GETKERNELSUBGROUPINFO_INPUT", CL_INVALID_VALUE,
		     SUBGROUP(kernel, cl.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &one, 1));
		RULE("CL_GETKERNELSUBGROUPINFO_INPUT", CL_INVALID_VALUE,
		     SUBGROUP(kernel, cl.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, &one, 1));
	} else {
		RULE("CL_GETKERNELSUBGROUPINFO_SUPPORT", CL_INVALID_OPERATION,
		     SUBGROUP(kernel, cl.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &one, sizeof one));
	}
	cl_program shared = spec_program(cl.all, source);
	cl_kernel k = spec_kernel(shared, "k");
	RULE("CL_GETKERNELWORKGROUPINFO_DEVICE_NULL", CL_INVALID_DEVICE,
	     api->clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof sizes, sizes, NULL));
	RULE("CL_GETKERNELSUBGROUPINFO_DEVICE_NULL", CL_INVALID_DEVICE,
	     SUBGROUP(k, NULL, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &one, sizeof one));
	CL_OK(api->clReleaseKernel(k));
	CL_OK(api->clReleaseProgram(shared));
}

static int setup(void **state)
{
	if (spec_setup(state) || cl.num_devices < 2)
		return -1;
	program = spec_program(cl.context, source);
	kernel = spec_kernel(program, "k");
	return 0;
}

static int teardown(void **state) { return clReleaseKernel(kernel) || clReleaseProgram(program) || cl_test_teardown(state); }

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(creation),
		cmocka_unit_test(definition),
		cmocka_unit_test(arguments),
		cmocka_unit_test(queries),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
