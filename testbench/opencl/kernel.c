/* Kernel objects: creation, arguments and their errors, queries. Samplers, because they are
 * arguments only. */
#include "testbench/opencl/cl_test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
	"typedef struct { int a; char b; } pair;\n"
	"kernel void many(global const int *restrict in, constant float *table, local long *scratch, int n,\n"
	"		 float4 v, pair p, global volatile uchar *out) { scratch[0] = n + p.a + p.b; out[0] = (uchar)(in[0] + table[0] + v.x + scratch[0]); }\n"
	"kernel void picture(read_only image2d_t from, write_only image2d_t to, sampler_t s)\n"
	"{ write_imagef(to, (int2)(0, 0), read_imagef(from, s, (float2)(0, 0))); }\n"
	"kernel __attribute__((reqd_work_group_size(8, 2, 1))) void sized(global int *out) { out[0] = 1; }\n"
	"kernel void statics(global int *out, local int *more) { local int mine[25]; mine[get_local_id(0)] = 1; more[0] = mine[0]; barrier(CLK_LOCAL_MEM_FENCE); out[0] = mine[1] + more[0]; }\n";

static cl_program program;

static cl_kernel kernel(const char *name)
{
	cl_int code;
	cl_kernel k = clCreateKernel(program, name, &code);
	assert_int_equal(code, CL_SUCCESS);
	return k;
}

static cl_mem buffer(size_t size)
{
	cl_int code;
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, size, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	return m;
}

static cl_mem image(cl_mem_flags flags, cl_mem_object_type type)
{
	const cl_image_format format = {CL_RGBA, CL_FLOAT};
	const cl_image_desc desc = {.image_type = type, .image_width = 8, .image_height = type == CL_MEM_OBJECT_IMAGE1D ? 0 : 8,
				    .image_depth = type == CL_MEM_OBJECT_IMAGE3D ? 2 : 0};
	cl_int code;
	cl_mem m = clCreateImage(cl.context, flags, &format, &desc, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	return m;
}

static void creation(void **state)
{
	cl_kernel all[8] = {NULL};
	cl_uint count;
	cl_int code;
	(void)state;
	assert_null(clCreateKernel(program, "nothing", &code));
	assert_int_equal(code, CL_INVALID_KERNEL_NAME);
	assert_null(clCreateKernel(program, NULL, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clCreateKernel(NULL, "many", &code));
	assert_int_equal(code, CL_INVALID_PROGRAM);
	CL_OK(clCreateKernelsInProgram(program, 0, NULL, &count));
	assert_int_equal(count, 4);
	assert_int_equal(clCreateKernelsInProgram(program, 3, all, NULL), CL_INVALID_VALUE);
	CL_OK(clCreateKernelsInProgram(program, 8, all, &count));
	for (cl_uint i = 0; i < count; i++)
		CL_OK(clReleaseKernel(all[i]));
}

static void queries(void **state)
{
	char text[64];
	cl_uint n;
	cl_program of;
	cl_context context;
	cl_kernel k = kernel("sized");
	(void)state;
	CL_OK(clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, sizeof text, text, NULL));
	assert_string_equal(text, "sized");
	CL_OK(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL));
	assert_int_equal(n, 1);
	CL_OK(clGetKernelInfo(k, CL_KERNEL_REFERENCE_COUNT, sizeof n, &n, NULL));
	assert_int_equal(n, 1);
	CL_OK(clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof of, &of, NULL));
	assert_ptr_equal(of, program);
	CL_OK(clGetKernelInfo(k, CL_KERNEL_CONTEXT, sizeof context, &context, NULL));
	assert_ptr_equal(context, cl.context);
	CL_OK(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof text, text, NULL));
	assert_string_equal(text, "reqd_work_group_size(8,2,1)");
	assert_int_equal(clGetKernelInfo(k, 0xffff, 0, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(clGetKernelInfo(NULL, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL), CL_INVALID_KERNEL);
	CL_OK(clReleaseKernel(k));
}

static void work_group_queries(void **state)
{
	size_t size, triple[3];
	cl_ulong bytes;
	cl_kernel k = kernel("sized");
	(void)state;
	CL_OK(clGetKernelWorkGroupInfo(k, cl.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL));
	assert_true(size >= 16);
	CL_OK(clGetKernelWorkGroupInfo(k, cl.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof triple, triple, NULL));
	assert_true(triple[0] == 8 && triple[1] == 2 && triple[2] == 1);
	CL_OK(clGetKernelWorkGroupInfo(k, cl.device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof size, &size, NULL));
	assert_true(size == 32 || size == 4);
	CL_OK(clGetKernelWorkGroupInfo(k, cl.device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
	assert_int_equal(clGetKernelWorkGroupInfo(k, cl.device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof triple, triple, NULL), CL_INVALID_VALUE);
	assert_int_equal(clGetKernelWorkGroupInfo(k, (cl_device_id)cl.context, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL), CL_INVALID_DEVICE);
	CL_OK(clReleaseKernel(k));
	k = kernel("statics");
	CL_OK(clGetKernelWorkGroupInfo(k, cl.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
	assert_int_equal(bytes, 100);
	CL_OK(clSetKernelArg(k, 1, 64, NULL));
	CL_OK(clGetKernelWorkGroupInfo(k, cl.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, NULL));
	assert_int_equal(bytes, 164);
	CL_OK(clReleaseKernel(k));
}

static void argument_queries(void **state)
{
	static const struct {
		const char *name, *type;
		cl_kernel_arg_address_qualifier space;
		cl_kernel_arg_access_qualifier access;
		cl_kernel_arg_type_qualifier qualifier;
	} want[] = {
		{"in", "int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
		{"table", "float*", CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_CONST},
		{"scratch", "long*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE},
		{"n", "int", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE},
		{"v", "float4", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE},
		{"p", "pair", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE},
		{"out", "uchar*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_VOLATILE},
	};
	cl_kernel k = kernel("many");
	(void)state;
	for (cl_uint i = 0; i < sizeof want / sizeof *want; i++) {
		char text[64];
		cl_kernel_arg_address_qualifier space;
		cl_kernel_arg_access_qualifier access;
		cl_kernel_arg_type_qualifier qualifier;
		CL_OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
		assert_string_equal(text, want[i].name);
		CL_OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
		assert_string_equal(text, want[i].type);
		CL_OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
		assert_int_equal(space, want[i].space);
		CL_OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
		assert_int_equal(access, want[i].access);
		CL_OK(clGetKernelArgInfo(k, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
		assert_int_equal(qualifier, want[i].qualifier);
	}
	assert_int_equal(clGetKernelArgInfo(k, 7, CL_KERNEL_ARG_NAME, 0, NULL, NULL), CL_INVALID_ARG_INDEX);
	assert_int_equal(clGetKernelArgInfo(k, 0, 0xffff, 0, NULL, NULL), CL_INVALID_VALUE);
	CL_OK(clReleaseKernel(k));
	k = kernel("picture");
	cl_kernel_arg_access_qualifier access;
	CL_OK(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
	assert_int_equal(access, CL_KERNEL_ARG_ACCESS_READ_ONLY);
	CL_OK(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
	assert_int_equal(access, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
	CL_OK(clReleaseKernel(k));
}

static void argument_errors(void **state)
{
	cl_kernel k = kernel("many");
	cl_mem b = buffer(64), none = NULL, picture = image(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D);
	const cl_int n = 1;
	const size_t one = 1;
	(void)state;
	assert_int_equal(clSetKernelArg(NULL, 0, sizeof b, &b), CL_INVALID_KERNEL);
	assert_int_equal(clSetKernelArg(k, 7, sizeof b, &b), CL_INVALID_ARG_INDEX);
	/* memory objects */
	assert_int_equal(clSetKernelArg(k, 0, 4, &b), CL_INVALID_ARG_SIZE);
	assert_int_equal(clSetKernelArg(k, 0, sizeof b, &cl.context), CL_INVALID_MEM_OBJECT);
	assert_int_equal(clSetKernelArg(k, 0, sizeof picture, &picture), CL_INVALID_MEM_OBJECT);
	CL_OK(clSetKernelArg(k, 0, sizeof none, &none));
	CL_OK(clSetKernelArg(k, 0, sizeof none, NULL));
	/* local memory */
	assert_int_equal(clSetKernelArg(k, 2, 0, NULL), CL_INVALID_ARG_SIZE);
	assert_int_equal(clSetKernelArg(k, 2, 8, &n), CL_INVALID_ARG_VALUE);
	/* values */
	assert_int_equal(clSetKernelArg(k, 3, 8, &n), CL_INVALID_ARG_SIZE);
	assert_int_equal(clSetKernelArg(k, 3, 4, NULL), CL_INVALID_ARG_VALUE);
	assert_int_equal(clSetKernelArg(k, 5, 5, &n), CL_INVALID_ARG_SIZE);
	/* not all are set */
	assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
	CL_OK(clReleaseKernel(k));
	/* images and samplers */
	cl_int code;
	cl_mem read = image(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D), write = image(CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D);
	cl_mem deep = image(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE3D);
	cl_sampler s = clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
	assert_int_equal(code, CL_SUCCESS);
	k = kernel("picture");
	assert_int_equal(clSetKernelArg(k, 0, sizeof b, &b), CL_INVALID_MEM_OBJECT);
	assert_int_equal(clSetKernelArg(k, 0, sizeof none, &none), CL_INVALID_MEM_OBJECT);
	assert_int_equal(clSetKernelArg(k, 0, sizeof write, &write), CL_INVALID_ARG_VALUE);
	assert_int_equal(clSetKernelArg(k, 1, sizeof read, &read), CL_INVALID_ARG_VALUE);
	assert_int_equal(clSetKernelArg(k, 0, sizeof deep, &deep), CL_INVALID_MEM_OBJECT);
	CL_OK(clSetKernelArg(k, 0, sizeof read, &read));
	CL_OK(clSetKernelArg(k, 1, sizeof write, &write));
	assert_int_equal(clSetKernelArg(k, 2, sizeof b, &b), CL_INVALID_SAMPLER);
	assert_int_equal(clSetKernelArg(k, 2, 4, &s), CL_INVALID_ARG_SIZE);
	assert_int_equal(clSetKernelArg(k, 2, sizeof s, NULL), CL_INVALID_SAMPLER);
	CL_OK(clSetKernelArg(k, 2, sizeof s, &s));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseSampler(s));
	CL_OK(clReleaseMemObject(deep));
	CL_OK(clReleaseMemObject(read));
	CL_OK(clReleaseMemObject(write));
	CL_OK(clReleaseMemObject(picture));
	CL_OK(clReleaseMemObject(b));
}

/* Arguments are those of the moment of the launch; a clone has its own. */
static void arguments_are_copied(void **state)
{
	static const struct { cl_int a; cl_char b; } pair = {10, 3};
	const cl_int in = 100, n = 20;
	const cl_float table = 7, v[4] = {2, 0, 0, 0};
	const size_t one = 1;
	cl_uchar out[2] = {0};
	cl_kernel k = kernel("many");
	cl_mem a = buffer(4), t = buffer(4), o = buffer(1), o2 = buffer(1);
	cl_int code;
	(void)state;
	CL_OK(clEnqueueWriteBuffer(cl.queue, a, CL_TRUE, 0, 4, &in, 0, NULL, NULL));
	CL_OK(clEnqueueWriteBuffer(cl.queue, t, CL_TRUE, 0, 4, &table, 0, NULL, NULL));
	CL_OK(clSetKernelArg(k, 0, sizeof a, &a));
	CL_OK(clSetKernelArg(k, 1, sizeof t, &t));
	CL_OK(clSetKernelArg(k, 2, 8, NULL));
	CL_OK(clSetKernelArg(k, 3, sizeof n, &n));
	CL_OK(clSetKernelArg(k, 4, sizeof v, v));
	CL_OK(clSetKernelArg(k, 5, sizeof pair, &pair));
	CL_OK(clSetKernelArg(k, 6, sizeof o, &o));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
	cl_kernel clone = clCloneKernel(k, &code);
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clSetKernelArg(clone, 6, sizeof o2, &o2));
	CL_OK(clSetKernelArg(clone, 3, sizeof n, &(cl_int){30}));
	CL_OK(clSetKernelArg(k, 3, sizeof n, &(cl_int){90}));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, clone, 1, NULL, &one, NULL, 0, NULL, NULL));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseKernel(clone));
	CL_OK(clEnqueueReadBuffer(cl.queue, o, CL_TRUE, 0, 1, &out[0], 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, o2, CL_TRUE, 0, 1, &out[1], 0, NULL, NULL));
	assert_int_equal(out[0], 100 + 7 + 2 + 20 + 10 + 3);
	assert_int_equal(out[1], 100 + 7 + 2 + 30 + 10 + 3);
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(t));
	CL_OK(clReleaseMemObject(o));
	CL_OK(clReleaseMemObject(o2));
}

static void samplers(void **state)
{
	const cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT, 0};
	const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
	const cl_sampler_properties unknown[] = {1, 2, 0}, bad[] = {CL_SAMPLER_FILTER_MODE, CL_ADDRESS_REPEAT, 0};
	cl_sampler_properties got[8];
	cl_addressing_mode addressing;
	cl_filter_mode filter;
	cl_bool normalized;
	cl_uint refs;
	size_t size;
	cl_int code;
	(void)state;
	cl_sampler s = clCreateSamplerWithProperties(cl.context, list, &code);
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clGetSamplerInfo(s, CL_SAMPLER_ADDRESSING_MODE, sizeof addressing, &addressing, NULL));
	CL_OK(clGetSamplerInfo(s, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, NULL));
	CL_OK(clGetSamplerInfo(s, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL));
	assert_true(addressing == CL_ADDRESS_REPEAT && filter == CL_FILTER_LINEAR && normalized == CL_TRUE);
	CL_OK(clGetSamplerInfo(s, CL_SAMPLER_PROPERTIES, sizeof got, got, &size));
	assert_int_equal(size, sizeof list);
	assert_memory_equal(got, list, sizeof list);
	CL_OK(clRetainSampler(s));
	CL_OK(clGetSamplerInfo(s, CL_SAMPLER_REFERENCE_COUNT, sizeof refs, &refs, NULL));
	assert_int_equal(refs, 2);
	assert_int_equal(clGetSamplerInfo(s, 0, 0, NULL, NULL), CL_INVALID_VALUE);
	CL_OK(clReleaseSampler(s));
	CL_OK(clReleaseSampler(s));
	assert_null(clCreateSamplerWithProperties(cl.context, twice, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clCreateSamplerWithProperties(cl.context, unknown, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clCreateSamplerWithProperties(cl.context, bad, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &code));
	assert_int_equal(code, CL_INVALID_CONTEXT);
	assert_null(clCreateSampler(cl.context, CL_TRUE, 0, CL_FILTER_LINEAR, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	s = clCreateSampler(cl.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &code);
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clGetSamplerInfo(s, CL_SAMPLER_PROPERTIES, sizeof got, got, &size));
	assert_int_equal(size, 0);
	CL_OK(clReleaseSampler(s));
}

static int setup(void **state)
{
	const char *text = source;
	cl_int code;
	if (cl_test_setup(state))
		return -1;
	program = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
	return code || clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
}

static int teardown(void **state)
{
	clReleaseProgram(program);
	return cl_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(creation),	       cmocka_unit_test(queries),
		cmocka_unit_test(work_group_queries),  cmocka_unit_test(argument_queries),
		cmocka_unit_test(argument_errors),     cmocka_unit_test(arguments_are_copied),
		cmocka_unit_test(samplers),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
