/* Rules on launches. */
#include "testbench/opencl/spec.h"

static cl_program program;
static const char *const source =
	"kernel void plain(global int *p) { p[get_global_id(0)] = 1; }\n"
	"kernel void sized(global int *p, local int *q) { q[0] = 1; p[0] = q[0]; }\n"
	"kernel void image(read_only image2d_t i, global int *p) { p[0] = get_image_width(i); }\n"
	"__attribute__((reqd_work_group_size(4, 2, 1))) kernel void required(global int *p) { p[0] = 1; }\n";
static cl_mem buffer;

static cl_int launch(cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local)
{
	return api->clEnqueueNDRangeKernel(cl.queue, k, dims, offset, global, local, 0, NULL, NULL);
}
static cl_int task(cl_kernel k) { return api->clEnqueueTask(cl.queue, k, 0, NULL, NULL); }

static cl_kernel ready(const char *name)
{
	cl_kernel k = spec_kernel(program, name);
	CL_OK(api->clSetKernelArg(k, 0, sizeof buffer, &buffer));
	return k;
}

static void sizes(void **state)
{
	(void)state;
	cl_kernel k = ready("plain"), required = ready("required");
	static const size_t one[3] = {1, 1, 1}, sixteen[3] = {16, 1, 1}, zero[3], three[3] = {3, 1, 1}, two_by_four[3] = {2, 4, 1};
	static const size_t max[3] = {SIZE_MAX, 0, 0};
	const size_t many[3] = {(size_t)1 << 33, 1, 1};
	size_t most, group[3], grid[3];
	CL_OK(api->clGetKernelWorkGroupInfo(k, cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
	RULE("CL_ENQUEUENDRANGEKERNEL_DIMENSIONS", CL_INVALID_WORK_DIMENSION, launch(k, 0, NULL, one, NULL));
	RULE("CL_ENQUEUENDRANGEKERNEL_DIMENSIONS", CL_INVALID_WORK_DIMENSION, launch(k, 4, NULL, one, NULL));
	RULE("CL_ENQUEUENDRANGEKERNEL_OFFSET", CL_INVALID_GLOBAL_OFFSET, launch(k, 1, max, one, NULL));
	RULE("CL_ENQUEUENDRANGEKERNEL_GLOBAL", CL_INVALID_GLOBAL_WORK_SIZE, launch(k, 1, NULL, many, NULL));
	RULE("CL_ENQUEUENDRANGEKERNEL_LOCAL_UNIFORM", CL_INVALID_WORK_GROUP_SIZE, launch(k, 1, NULL, sixteen, three));
	RULE("CL_ENQUEUENDRANGEKERNEL_LOCAL_ZERO", CL_INVALID_WORK_GROUP_SIZE, launch(k, 1, NULL, sixteen, zero));
	group[0] = group[1] = most / 4;
	grid[0] = grid[1] = most;
	group[2] = grid[2] = 1;
	RULE("CL_ENQUEUENDRANGEKERNEL_LOCAL_MAX", CL_INVALID_WORK_GROUP_SIZE, launch(k, 2, NULL, grid, group));
	group[0] = most * 2;
	grid[0] = most * 4;
	RULE("CL_ENQUEUENDRANGEKERNEL_ITEM", CL_INVALID_WORK_ITEM_SIZE, launch(k, 1, NULL, grid, group));
	RULE("CL_ENQUEUENDRANGEKERNEL_LOCAL_REQUIRED", CL_INVALID_WORK_GROUP_SIZE, launch(required, 2, NULL, sixteen, one));
	grid[0] = grid[1] = 8;
	RULE("CL_ENQUEUENDRANGEKERNEL_LOCAL_REQUIRED", CL_INVALID_WORK_GROUP_SIZE, launch(required, 2, NULL, grid, two_by_four));
	RULE("CL_ENQUEUETASK_LOCAL_REQUIRED", CL_INVALID_WORK_GROUP_SIZE, task(required));
	CL_OK(api->clReleaseKernel(k));
	CL_OK(api->clReleaseKernel(required));
}

static void arguments(void **state)
{
	(void)state;
	static const size_t one = 1;
	cl_ulong local;
	cl_kernel unset = spec_kernel(program, "plain"), k = ready("sized");
	RULE("CL_ENQUEUENDRANGEKERNEL_ARGS", CL_INVALID_KERNEL_ARGS, launch(unset, 1, NULL, &one, NULL));
	RULE("CL_ENQUEUETASK_ARGS", CL_INVALID_KERNEL_ARGS, task(unset));
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
	CL_OK(api->clSetKernelArg(k, 1, (size_t)local + 4, NULL));
	RULE("CL_ENQUEUENDRANGEKERNEL_RESOURCES", CL_OUT_OF_RESOURCES, launch(k, 1, NULL, &one, NULL));
	RULE("CL_ENQUEUETASK_RESOURCES", CL_OUT_OF_RESOURCES, task(k));
	CL_OK(api->clReleaseKernel(unset));
	CL_OK(api->clReleaseKernel(k));
}

/* Arguments are not retained: what was released before the launch is not touched. */
static void released_arguments(void **state)
{
	(void)state;
	static const size_t one = 1;
	cl_mem gone;
	cl_kernel k = spec_kernel(program, "plain");
	MAKE(gone, api->clCreateBuffer(cl.context, 0, 64, NULL, &error));
	CL_OK(api->clSetKernelArg(k, 0, sizeof gone, &gone));
	CL_OK(api->clReleaseMemObject(gone));
	RULE("CL_ENQUEUENDRANGEKERNEL_ARG_GONE", CL_INVALID_KERNEL_ARGS, launch(k, 1, NULL, &one, NULL));
	RULE("CL_ENQUEUETASK_ARG_GONE", CL_INVALID_KERNEL_ARGS, task(k));
	CL_OK(api->clReleaseKernel(k));
}

static void executables(void **state)
{
	(void)state;
	static const size_t one = 1;
	cl_program p;
	cl_command_queue q;
	assert_true(cl.num_devices > 1);
	MAKE(p, api->clCreateProgramWithSource(cl.all, 1, (const char **)(uintptr_t)&source, NULL, &error));
	CL_OK(api->clBuildProgram(p, 1, &cl.devices[0], NULL, NULL, NULL));
	MAKE(q, api->clCreateCommandQueue(cl.all, cl.devices[1], 0, &error));
	cl_kernel k = spec_kernel(p, "plain");
	RULE("CL_ENQUEUENDRANGEKERNEL_EXECUTABLE", CL_INVALID_PROGRAM_EXECUTABLE, api->clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
	RULE("CL_ENQUEUETASK_EXECUTABLE", CL_INVALID_PROGRAM_EXECUTABLE, api->clEnqueueTask(q, k, 0, NULL, NULL));
	CL_OK(api->clReleaseKernel(k));
	CL_OK(api->clReleaseProgram(p));
	CL_OK(api->clReleaseCommandQueue(q));
}

static void suggestions(void **state)
{
	(void)state;
	cl_int(CL_API_CALL * suggested)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *) =
		spec_function("clGetKernelSuggestedLocalWorkSizeKHR");
	static const size_t one = 1, zero = 0, max = SIZE_MAX, many = (size_t)1 << 33;
	cl_context context;
	cl_kernel k = ready("plain"), unset = spec_kernel(program, "plain"), gone = spec_kernel(program, "plain");
	cl_command_queue elsewhere, second;
	cl_mem m;
	size_t size;
#define ID(what) "CL_GETKERNELSUGGESTEDLOCALWORKSIZEKHR_" what
	CL_OK(suggested(cl.queue, k, 1, NULL, &one, &size));
	RULE(ID("QUEUE"), CL_INVALID_COMMAND_QUEUE, suggested(NULL, k, 1, NULL, &one, &size));
	RULE(ID("QUEUE"), CL_INVALID_COMMAND_QUEUE, suggested((cl_command_queue)k, k, 1, NULL, &one, &size));
	RULE(ID("KERNEL"), CL_INVALID_KERNEL, suggested(cl.queue, NULL, 1, NULL, &one, &size));
	RULE(ID("KERNEL"), CL_INVALID_KERNEL, suggested(cl.queue, (cl_kernel)cl.queue, 1, NULL, &one, &size));
	MAKE(context, api->clCreateContext(NULL, 1, &cl.device, NULL, NULL, &error));
	MAKE(elsewhere, api->clCreateCommandQueue(context, cl.device, 0, &error));
	RULE(ID("KERNEL_CONTEXT"), CL_INVALID_CONTEXT, suggested(elsewhere, k, 1, NULL, &one, &size));
	CL_OK(api->clReleaseCommandQueue(elsewhere));
	CL_OK(api->clReleaseContext(context));
	RULE(ID("ARGS"), CL_INVALID_KERNEL_ARGS, suggested(cl.queue, unset, 1, NULL, &one, &size));
	MAKE(m, api->clCreateBuffer(cl.context, 0, 64, NULL, &error));
	CL_OK(api->clSetKernelArg(gone, 0, sizeof m, &m));
	CL_OK(api->clReleaseMemObject(m));
	RULE(ID("ARG_GONE"), CL_INVALID_KERNEL_ARGS, suggested(cl.queue, gone, 1, NULL, &one, &size));
	RULE(ID("DIMENSIONS"), CL_INVALID_WORK_DIMENSION, suggested(cl.queue, k, 0, NULL, &one, &size));
	RULE(ID("DIMENSIONS"), CL_INVALID_WORK_DIMENSION, suggested(cl.queue, k, 4, NULL, &one, &size));
	RULE(ID("OFFSET"), CL_INVALID_GLOBAL_OFFSET, suggested(cl.queue, k, 1, &max, &one, &size));
	RULE(ID("GLOBAL_ZERO"), CL_INVALID_GLOBAL_WORK_SIZE, suggested(cl.queue, k, 1, NULL, NULL, &size));
	RULE(ID("GLOBAL_ZERO"), CL_INVALID_GLOBAL_WORK_SIZE, suggested(cl.queue, k, 1, NULL, &zero, &size));
	RULE(ID("GLOBAL"), CL_INVALID_GLOBAL_WORK_SIZE, suggested(cl.queue, k, 1, NULL, &many, &size));
	RULE(ID("SIZE_NULL"), CL_INVALID_VALUE, suggested(cl.queue, k, 1, NULL, &one, NULL));
	cl_program p;
	MAKE(p, api->clCreateProgramWithSource(cl.all, 1, (const char **)(uintptr_t)&source, NULL, &error));
	CL_OK(api->clBuildProgram(p, 1, &cl.devices[0], NULL, NULL, NULL));
	MAKE(second, api->clCreateCommandQueue(cl.all, cl.devices[1], 0, &error));
	cl_kernel other = spec_kernel(p, "plain");
	RULE(ID("EXECUTABLE"), CL_INVALID_PROGRAM_EXECUTABLE, suggested(second, other, 1, NULL, &one, &size));
	CL_OK(api->clReleaseCommandQueue(second));
	cl_kernel all[] = {k, unset, gone, other};
	for (int i = 0; i < 4; i++)
		CL_OK(api->clReleaseKernel(all[i]));
	CL_OK(api->clReleaseProgram(p));
}

static void CL_CALLBACK function(void *arg) { (void)arg; }

static void native(void **state)
{
	(void)state;
	cl_device_exec_capabilities can = 0;
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof can, &can, NULL));
	assert_false(can & CL_EXEC_NATIVE_KERNEL);
	RULE("CL_ENQUEUENATIVEKERNEL_SUPPORT", CL_INVALID_OPERATION,
	     api->clEnqueueNativeKernel(cl.queue, function, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
}

static int setup(void **state)
{
	if (spec_setup(state))
		return -1;
	program = spec_program(cl.context, source);
	buffer = api->clCreateBuffer(cl.context, 0, 4096, NULL, NULL);
	return !buffer;
}

static int teardown(void **state)
{
	return clFinish(cl.queue) || clReleaseMemObject(buffer) || clReleaseProgram(program) || cl_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes), cmocka_unit_test(arguments), cmocka_unit_test(released_arguments), cmocka_unit_test(executables), cmocka_unit_test(suggestions), cmocka_unit_test(native),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
