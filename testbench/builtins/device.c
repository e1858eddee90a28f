/* The library on the device itself, through OpenCL: self-checks of checks_*.cl by a range of work-items
 * with a seed each, so that they diverge (a choice: what qemu runs all of, in `self`), and what needs a
 * work-group. */
#include "testbench/opencl/cl_test.h"

static char *read_file(const char *name)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", BUILTINS_DIR, name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size_t size = (size_t)ftell(f);
	char *text = calloc(1, size + 1);
	rewind(f);
	assert_int_equal(fread(text, 1, size, f), size);
	fclose(f);
	return text;
}

static cl_program build(const char **sources, cl_uint count)
{
	cl_int code;
	cl_program program = clCreateProgramWithSource(cl.context, count, sources, NULL, &code);
	CL_OK(code);
	code = clBuildProgram(program, 1, &cl.device, "-cl-std=CL3.0 -w -Dcl_khr_extended_bit_ops=1 -I" BUILTINS_DIR, NULL, NULL);
	if (code) {
		static char log[8192];
		clGetProgramBuildInfo(program, cl.device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
		print_error("%s\n", log);
	}
	CL_OK(code);
	return program;
}

/* 72 work-items in groups of 24 run a check with a seed each. */
static void run_check(const char *file, const char *name, cl_uint rounds)
{
	enum { ITEMS = 72, GROUP = 24 };
	char *text = read_file(file), kernel_text[512];
	snprintf(kernel_text, sizeof kernel_text,
		 "\nkernel void run(global ulong *bad, ulong seed, uint rounds) { size_t i = get_global_id(0);"
		 " bad[i] = check_%s(seed + i * 7919, rounds); }\n", name);
	const char *sources[] = { text, kernel_text };
	cl_program program = build(sources, 2);
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, "run", &code);
	CL_OK(code);
	cl_ulong bad[ITEMS], seed = cl_test_seed();
	memset(bad, 0xff, sizeof bad);
	cl_mem buffer = clCreateBuffer(cl.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof bad, bad, &code);
	CL_OK(code);
	CL_OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	CL_OK(clSetKernelArg(kernel, 1, sizeof seed, &seed));
	CL_OK(clSetKernelArg(kernel, 2, sizeof rounds, &rounds));
	size_t global = ITEMS, local = GROUP;
	CL_OK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, buffer, CL_TRUE, 0, sizeof bad, bad, 0, NULL, NULL));
	cl_ulong total = 0;
	for (int i = 0; i < ITEMS; i++) {
		if (bad[i])
			print_error("%s: work-item %d: %llu comparisons failed\n", name, i, (unsigned long long)bad[i]);
		total += bad[i] != 0;
	}
	assert_int_equal(total, 0);
	clReleaseMemObject(buffer);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	free(text);
}

#define CHECK_ON_DEVICE(file, name, rounds)                                                        \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		run_check("checks_" #file ".cl", #name, rounds);                                   \
	}
CHECK_ON_DEVICE(integer, integer_char, 4)
CHECK_ON_DEVICE(integer, integer_uchar, 4)
CHECK_ON_DEVICE(integer, integer_short, 4)
CHECK_ON_DEVICE(integer, integer_ushort, 4)
CHECK_ON_DEVICE(integer, integer_uint, 4)
CHECK_ON_DEVICE(integer, integer_int, 4)
CHECK_ON_DEVICE(integer, integer_long, 4)
CHECK_ON_DEVICE(integer, integer_ulong, 4)
CHECK_ON_DEVICE(integer, upsample, 4)
CHECK_ON_DEVICE(integer, mul24, 4)
CHECK_ON_DEVICE(integer, bit_fields, 4)
CHECK_ON_DEVICE(convert, convert_char, 4)
CHECK_ON_DEVICE(convert, convert_int, 4)
CHECK_ON_DEVICE(convert, convert_uint, 4)
CHECK_ON_DEVICE(convert, convert_long, 4)
CHECK_ON_DEVICE(convert, convert_ulong, 4)
CHECK_ON_DEVICE(convert, convert_float, 4)
CHECK_ON_DEVICE(convert, convert_double, 4)
CHECK_ON_DEVICE(convert, convert_half, 4)
CHECK_ON_DEVICE(common, relational_float, 4)
CHECK_ON_DEVICE(common, relational_double, 4)
CHECK_ON_DEVICE(common, relational_half, 4)
CHECK_ON_DEVICE(common, any_all, 4)
CHECK_ON_DEVICE(common, select, 4)
CHECK_ON_DEVICE(common, common_float, 4)
CHECK_ON_DEVICE(common, common_double, 4)
CHECK_ON_DEVICE(common, common_half, 4)
CHECK_ON_DEVICE(common, fast_geometric, 4)
CHECK_ON_DEVICE(common, shuffle, 4)
CHECK_ON_DEVICE(common, vector_memory, 1)
CHECK_ON_DEVICE(math, native_vectors, 4)
CHECK_ON_DEVICE(common, second_results, 4)

/* Every work-item's element goes global -> local -> global, straight and with strides, as scalars and as
 * vectors of three, and is looked at in local memory by another work-item. */
static void test_async_copies(void **state)
{
	(void)state;
	static const char source[] =
		"kernel void copies(global const int *in, global int *out, global const float3 *in3, global float3 *out3,\n"
		"                   local int *a, local int *b, local float3 *c) {\n"
		"  size_t n = get_local_size(0) * 2, g = get_group_id(0), l = get_local_id(0);\n"
		"  event_t e[3];\n"
		"  e[0] = async_work_group_copy(a, in + g * n, n, 0);\n"
		"  e[1] = async_work_group_strided_copy(b, in, n, 3, 0);\n"
		"  e[2] = async_work_group_copy(c, in3 + g * n, n, 0);\n"
		"  prefetch(in, n);\n"
		"  wait_group_events(3, e);\n"
		"  size_t o = n - 1 - l;\n"
		"  int x = a[o] + 1000 * b[o];\n"
		"  float3 y = c[o] * 2.0f;\n"
		"  int x2 = a[l] + 1000 * b[l];\n"
		"  float3 y2 = c[l] * 2.0f;\n"
		"  barrier(CLK_LOCAL_MEM_FENCE);\n"
		"  a[o] = x; a[l] = x2; c[o] = y; c[l] = y2;\n"
		"  barrier(CLK_LOCAL_MEM_FENCE);\n"
		"  event_t f = async_work_group_strided_copy(out + g * n * 2, a, n, 2, 0);\n"
		"  f = async_work_group_copy(out3 + g * n, c, n, f);\n"
		"  wait_group_events(1, &f);\n"
		"}\n";
	enum { LOCAL = 40, GROUPS = 3, N = LOCAL * 2 };
	const char *sources[] = { source };
	cl_program program = build(sources, 1);
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, "copies", &code);
	CL_OK(code);
	static cl_int in[N * GROUPS], out[N * GROUPS * 2];
	static cl_float in3[N * GROUPS][4], out3[N * GROUPS][4];
	for (int i = 0; i < N * GROUPS; i++) {
		in[i] = i;
		for (int k = 0; k < 4; k++)
			in3[i][k] = (cl_float)(i * 4 + k);
	}
	memset(out, 0xff, sizeof out);
	memset(out3, 0xff, sizeof out3);
	cl_mem m[4];
	void *data[] = { in, out, in3, out3 };
	size_t sizes[] = { sizeof in, sizeof out, sizeof in3, sizeof out3 };
	for (cl_uint i = 0; i < 4; i++) {
		m[i] = clCreateBuffer(cl.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizes[i], data[i], &code);
		CL_OK(code);
		CL_OK(clSetKernelArg(kernel, i, sizeof m[i], &m[i]));
	}
	CL_OK(clSetKernelArg(kernel, 4, N * sizeof(cl_int), NULL));
	CL_OK(clSetKernelArg(kernel, 5, N * sizeof(cl_int), NULL));
	CL_OK(clSetKernelArg(kernel, 6, N * sizeof(cl_float4), NULL));
	size_t global = LOCAL * GROUPS, local = LOCAL;
	CL_OK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, m[1], CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, m[3], CL_TRUE, 0, sizeof out3, out3, 0, NULL, NULL));
	for (int i = 0; i < N * GROUPS; i++) {
		assert_int_equal(out[i * 2], i + 1000 * 3 * (i % N));
		assert_int_equal(out[i * 2 + 1], -1);
		for (int k = 0; k < 3; k++)
			assert_true(out3[i][k] == (cl_float)(i * 4 + k) * 2);
	}
	for (int i = 0; i < 4; i++)
		clReleaseMemObject(m[i]);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

/* What a generic pointer points into (6.15.15). */
static void test_address_spaces(void **state)
{
	(void)state;
	static const char source[] =
		"int kind(generic int *p) { return (to_global(p) == p) | (to_local(p) == p) << 1 | (to_private(p) == p) << 2 | (int)get_fence(p) << 4; }\n"
		"kernel void spaces(global int *out, local int *shared) {\n"
		"  int own = 5; int *generic_own = &own;\n"
		"  generic int *p[3]; p[0] = out; p[1] = shared; p[2] = generic_own;\n"
		"  for (int i = 0; i < 3; i++) out[i] = kind(p[(i + get_global_size(0) - 1) % 3]);\n"
		"}\n";
	const char *sources[] = { source };
	cl_program program = build(sources, 1);
	cl_int code, out[3] = { -1, -1, -1 };
	cl_kernel kernel = clCreateKernel(program, "spaces", &code);
	CL_OK(code);
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, sizeof out, NULL, &code);
	CL_OK(code);
	CL_OK(clSetKernelArg(kernel, 0, sizeof m, &m));
	CL_OK(clSetKernelArg(kernel, 1, 64, NULL));
	size_t global = 1;
	CL_OK(clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
	assert_int_equal(out[0], 1 | 2 << 4); /* CLK_GLOBAL_MEM_FENCE is 2 */
	assert_int_equal(out[1], 2 | 1 << 4);
	assert_int_equal(out[2] & 7, 4);
	clReleaseMemObject(m);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
}

int main(int argc, char **argv)
{
	cl_test_init(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_async_copies),
		cmocka_unit_test(test_address_spaces),
		cmocka_unit_test(test_integer_char),
		cmocka_unit_test(test_integer_uchar),
		cmocka_unit_test(test_integer_short),
		cmocka_unit_test(test_integer_ushort),
		cmocka_unit_test(test_integer_uint),
		cmocka_unit_test(test_integer_int),
		cmocka_unit_test(test_integer_long),
		cmocka_unit_test(test_integer_ulong),
		cmocka_unit_test(test_upsample),
		cmocka_unit_test(test_mul24),
		cmocka_unit_test(test_bit_fields),
		cmocka_unit_test(test_convert_char),
		cmocka_unit_test(test_convert_int),
		cmocka_unit_test(test_convert_uint),
		cmocka_unit_test(test_convert_long),
		cmocka_unit_test(test_convert_ulong),
		cmocka_unit_test(test_convert_float),
		cmocka_unit_test(test_convert_double),
		cmocka_unit_test(test_convert_half),
		cmocka_unit_test(test_relational_float),
		cmocka_unit_test(test_relational_double),
		cmocka_unit_test(test_relational_half),
		cmocka_unit_test(test_any_all),
		cmocka_unit_test(test_select),
		cmocka_unit_test(test_common_float),
		cmocka_unit_test(test_common_double),
		cmocka_unit_test(test_common_half),
		cmocka_unit_test(test_fast_geometric),
		cmocka_unit_test(test_shuffle),
		cmocka_unit_test(test_vector_memory),
		cmocka_unit_test(test_native_vectors),
		cmocka_unit_test(test_second_results),
	};
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
