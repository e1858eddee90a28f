/* Programs: builds and their errors, binaries, compile and link. */
#include "testbench/opencl/cl_test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "testbench/skip.h"

static const char good[] = "kernel void store(global int *out, int v) { out[get_global_id(0)] = v + (int)get_global_id(0); }\n"
			   "kernel void other(global int *out) { out[0] = 1; }\n";

static cl_program from_source(const char *source)
{
	cl_int code;
	cl_program p = clCreateProgramWithSource(cl.context, 1, &source, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	return p;
}

static char *build_log(cl_program p, cl_device_id d)
{
	size_t size;
	CL_OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
	char *log = malloc(size);
	CL_OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, size, log, NULL));
	assert_int_equal(strlen(log) + 1, size);
	return log;
}

static cl_build_status build_status(cl_program p, cl_device_id d)
{
	cl_build_status s;
	CL_OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_STATUS, sizeof s, &s, NULL));
	return s;
}

static cl_program_binary_type binary_type(cl_program p, cl_device_id d)
{
	cl_program_binary_type t;
	CL_OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BINARY_TYPE, sizeof t, &t, NULL));
	return t;
}

static unsigned char *binary_of(cl_program p, size_t *size)
{
	size_t sizes[CL_TEST_DEVICES];
	unsigned char *binaries[CL_TEST_DEVICES] = {NULL};
	CL_OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
	assert_true(sizes[0] > 0);
	binaries[0] = malloc(sizes[0]);
	CL_OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
	*size = sizes[0];
	return binaries[0];
}

/* Runs "store" of a built program and checks what it stored. */
static void run_store(cl_program p)
{
	cl_int code, v = 41, out[64];
	const size_t global = 64;
	cl_kernel k = clCreateKernel(p, "store", &code);
	assert_int_equal(code, CL_SUCCESS);
	cl_mem b = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, sizeof out, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clSetKernelArg(k, 0, sizeof b, &b));
	CL_OK(clSetKernelArg(k, 1, sizeof v, &v));
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
	CL_OK(clEnqueueReadBuffer(cl.queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
	for (int i = 0; i < 64; i++)
		assert_int_equal(out[i], 41 + i);
	CL_OK(clReleaseMemObject(b));
	CL_OK(clReleaseKernel(k));
}

static void build_and_query(void **state)
{
	size_t size, count;
	char text[256];
	cl_uint refs;
	cl_program p = from_source(good);
	(void)state;
	assert_int_equal(build_status(p, cl.device), CL_BUILD_NONE);
	assert_int_equal(binary_type(p, cl.device), CL_PROGRAM_BINARY_TYPE_NONE);
	/* 5.8.7: no executable yet */
	assert_int_equal(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
	CL_OK(clBuildProgram(p, 1, &cl.device, "-DX=1 -cl-mad-enable", NULL, NULL));
	assert_int_equal(build_status(p, cl.device), CL_BUILD_SUCCESS);
	assert_int_equal(binary_type(p, cl.device), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	CL_OK(clGetProgramBuildInfo(p, cl.device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, &size));
	assert_string_equal(text, "-DX=1 -cl-mad-enable");
	assert_int_equal(size, strlen(text) + 1);
	CL_OK(clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
	assert_int_equal(count, 2);
	CL_OK(clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
	assert_true(!strcmp(text, "store;other") || !strcmp(text, "other;store"));
	CL_OK(clGetProgramInfo(p, CL_PROGRAM_SOURCE, sizeof text, text, &size));
	assert_string_equal(text, good);
	/* too little room */
	assert_int_equal(clGetProgramInfo(p, CL_PROGRAM_SOURCE, 5, text, NULL), CL_INVALID_VALUE);
	CL_OK(clRetainProgram(p));
	CL_OK(clGetProgramInfo(p, CL_PROGRAM_REFERENCE_COUNT, sizeof refs, &refs, NULL));
	assert_int_equal(refs, 2);
	CL_OK(clReleaseProgram(p));
	run_store(p);
	CL_OK(clReleaseProgram(p));
}

static void source_in_pieces(void **state)
{
	const char *pieces[] = {"kernel void store(global int *out, int v) ", "{ out[get_global_id(0)] = v + (int)get_global_id(0); }garbage"};
	const size_t lengths[] = {0, strlen(pieces[1]) - 7};
	cl_int code;
	(void)state;
	cl_program p = clCreateProgramWithSource(cl.context, 2, pieces, lengths, &code);
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	run_store(p);
	CL_OK(clReleaseProgram(p));
}

static void build_failure_has_the_compilers_message(void **state)
{
	cl_int code;
	cl_program p = from_source("kernel void k(global int *out)\n{\n\tout[0] = no_such_name;\n}\n");
	(void)state;
	assert_int_equal(clBuildProgram(p, 1, &cl.device, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
	assert_int_equal(build_status(p, cl.device), CL_BUILD_ERROR);
	char *log = build_log(p, cl.device);
	assert_non_null(strstr(log, "3:11: error: use of undeclared identifier 'no_such_name'"));
	free(log);
	assert_null(clCreateKernel(p, "k", &code));
	assert_int_equal(code, CL_INVALID_PROGRAM_EXECUTABLE);
	CL_OK(clReleaseProgram(p));
	/* warnings are in the log of a build that succeeds */
	p = from_source("kernel void k(global int *out)\n{\n\tint unused_one[-1 + 2];\n#warning look here\n\tout[0] = 1;\n}\n");
	CL_OK(clBuildProgram(p, 1, &cl.device, NULL, NULL, NULL));
	log = build_log(p, cl.device);
	assert_non_null(strstr(log, "warning: look here"));
	free(log);
	CL_OK(clReleaseProgram(p));
}

/* Messages name the source: program.cl is the process's first, program2.cl its second, whatever comes from the cache. */
static void messages_name_the_source(void **state)
{
	(void)state;
	static const char bad[] = "kernel void k(global int *o)\n{\n\to[0] = x;\n}\n";
	cl_program p[2] = { from_source(bad), from_source(bad) };
	char *log[2], *at[2];
	unsigned number[2];
	for (int i = 0; i < 2; i++) {
		assert_int_equal(clBuildProgram(p[i], 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
		log[i] = build_log(p[i], cl.device);
		assert_null(strstr(log[i], "<program source>"));
		at[i] = strstr(log[i], "program");
		if (!at[i] || sscanf(at[i], "program%u.cl:3:9: error", &number[i]) != 1)
			fail_msg("no name and line in: %s", log[i]);
	}
	assert_int_equal(number[1], number[0] + 1);
	for (int i = 0; i < 2; i++) {
		free(log[i]);
		CL_OK(clReleaseProgram(p[i]));
	}
}

static void bad_options(void **state)
{
	cl_program p = from_source(good);
	cl_int code;
	(void)state;
	assert_int_equal(clBuildProgram(p, 1, &cl.device, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
	char *log = build_log(p, cl.device);
	assert_non_null(strstr(log, "-no-such-option"));
	free(log);
	assert_int_equal(clCompileProgram(p, 1, &cl.device, "-no-such-option", 0, NULL, NULL, NULL, NULL), CL_INVALID_COMPILER_OPTIONS);
	CL_OK(clCompileProgram(p, 1, &cl.device, "", 0, NULL, NULL, NULL, NULL));
	assert_null(clLinkProgram(cl.context, 1, &cl.device, "-no-such-option", 1, &p, NULL, NULL, &code));
	assert_int_equal(code, CL_INVALID_LINKER_OPTIONS);
	CL_OK(clReleaseProgram(p));
}

static void create_errors(void **state)
{
	const char *source = good, *none = NULL;
	const unsigned char *bytes = (const unsigned char *)"not a program", *no_bytes = NULL;
	size_t length = 13, zero = 0;
	cl_int code, status = 1;
	(void)state;
	assert_null(clCreateProgramWithSource(NULL, 1, &source, NULL, &code));
	assert_int_equal(code, CL_INVALID_CONTEXT);
	assert_null(clCreateProgramWithSource(cl.context, 0, &source, NULL, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clCreateProgramWithSource(cl.context, 1, &none, NULL, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clCreateProgramWithBinary(cl.context, 1, &cl.device, &length, &bytes, &status, &code));
	assert_int_equal(code, CL_INVALID_BINARY);
	assert_int_equal(status, CL_INVALID_BINARY);
	assert_null(clCreateProgramWithBinary(cl.context, 1, &cl.device, &zero, &bytes, &status, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_int_equal(status, CL_INVALID_VALUE);
	assert_null(clCreateProgramWithBinary(cl.context, 1, &cl.device, &length, &no_bytes, &status, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clCreateProgramWithBinary(cl.context, 0, NULL, &length, &bytes, NULL, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clCreateProgramWithBuiltInKernels(cl.context, 1, &cl.device, "none", &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	assert_null(clCreateProgramWithIL(cl.context, bytes, length, &code));
	assert_int_equal(code, CL_INVALID_OPERATION);
	cl_program p = from_source(good);
	assert_int_equal(clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
	assert_int_equal(clBuildProgram(p, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(clBuildProgram(p, 0, &cl.device, NULL, NULL, NULL), CL_INVALID_VALUE);
	assert_int_equal(clBuildProgram(p, 0, NULL, NULL, NULL, &code), CL_INVALID_VALUE);
	assert_int_equal(clCompileProgram(p, 0, NULL, NULL, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
	/* nothing compiled to link */
	assert_null(clLinkProgram(cl.context, 0, NULL, NULL, 1, &p, NULL, NULL, &code));
	assert_int_equal(code, CL_INVALID_OPERATION);
	assert_null(clLinkProgram(cl.context, 0, NULL, NULL, 0, NULL, NULL, NULL, &code));
	assert_int_equal(code, CL_INVALID_VALUE);
	CL_OK(clReleaseProgram(p));
}

static void attached_kernels_forbid_builds(void **state)
{
	cl_program p = from_source(good);
	cl_int code;
	(void)state;
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel k = clCreateKernel(p, "store", &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
	assert_int_equal(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
	CL_OK(clReleaseKernel(k));
	CL_OK(clBuildProgram(p, 0, NULL, "-DAGAIN", NULL, NULL));
	run_store(p);
	CL_OK(clReleaseProgram(p));
}

static void CL_CALLBACK count_call(cl_program p, void *arg)
{
	(void)p;
	__atomic_add_fetch((int *)arg, 1, __ATOMIC_SEQ_CST);
}

/* The program is the function's while it runs, also when the application has given its own reference back. */
static void CL_CALLBACK ask_call(cl_program p, void *arg)
{
	cl_uint devices = 0;
	const bool fine = !clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, NULL) && devices == 1 &&
			  build_status(p, cl.device) == CL_BUILD_SUCCESS;
	__atomic_store_n((int *)arg, fine ? 1 : -1, __ATOMIC_SEQ_CST);
}

static void released_in_its_function(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		int called = 0;
		cl_program p = from_source(good);
		CL_OK(clBuildProgram(p, 0, NULL, NULL, ask_call, &called));
		CL_OK(clReleaseProgram(p));
		while (!__atomic_load_n(&called, __ATOMIC_SEQ_CST))
			usleep(1000);
		assert_int_equal(called, 1);
	}
}

static void completion_functions(void **state)
{
	cl_program p = from_source(good), bad = from_source("kernel void k( {");
	int calls = 0;
	(void)state;
	CL_OK(clBuildProgram(p, 0, NULL, NULL, count_call, &calls));
	/* with a function the call only says that the build could begin */
	CL_OK(clBuildProgram(bad, 0, NULL, NULL, count_call, &calls));
	for (int i = 0; i < 1000 && __atomic_load_n(&calls, __ATOMIC_SEQ_CST) < 2; i++)
		usleep(10000);
	assert_int_equal(__atomic_load_n(&calls, __ATOMIC_SEQ_CST), 2);
	assert_int_equal(build_status(p, cl.device), CL_BUILD_SUCCESS);
	assert_int_equal(build_status(bad, cl.device), CL_BUILD_ERROR);
	CL_OK(clReleaseProgram(p));
	CL_OK(clReleaseProgram(bad));
}

static void binary_round_trip(void **state)
{
	size_t size, again_size;
	cl_int code, status = 1;
	cl_program p = from_source(good);
	(void)state;
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	unsigned char *binary = binary_of(p, &size);
	CL_OK(clReleaseProgram(p));
	p = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, (const unsigned char **)&binary, &status, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(status, CL_SUCCESS);
	assert_int_equal(binary_type(p, cl.device), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	CL_OK(clBuildProgram(p, 1, &cl.device, NULL, NULL, NULL));
	run_store(p);
	unsigned char *again = binary_of(p, &again_size);
	assert_int_equal(again_size, size);
	assert_memory_equal(again, binary, size);
	free(again);
	free(binary);
	CL_OK(clReleaseProgram(p));
}

/* Whatever the bytes are: refused, or a program that can be made; never a crash. */
static bool accepted(const unsigned char *bytes, size_t size)
{
	cl_int code, status = 1;
	cl_program p = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, &bytes, &status, &code);
	assert_true((p && code == CL_SUCCESS && status == CL_SUCCESS) || (!p && code == CL_INVALID_BINARY && status == CL_INVALID_BINARY));
	if (p)
		CL_OK(clReleaseProgram(p));
	return p;
}

static void damaged_binaries_are_refused(void **state)
{
	size_t size;
	cl_program p = from_source(good);
	(void)state;
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	unsigned char *binary = binary_of(p, &size), *copy = malloc(size);
	CL_OK(clReleaseProgram(p));
	assert_true(accepted(binary, size));
	for (size_t n = 1; n < size; n += n < 256 ? 1 : 97) /* truncated */
		assert_false(accepted(binary, n));
	uint64_t seed = cl_test_seed();
	unsigned refused = 0;
	for (int i = 0; i < 2000; i++) { /* damaged at one to four places */
		memcpy(copy, binary, size);
		for (unsigned j = 0; j <= splitmix64(&seed) % 4; j++)
			copy[splitmix64(&seed) % (i & 1 ? size : 1024)] = (unsigned char)splitmix64(&seed);
		refused += !accepted(copy, size);
	}
	assert_true(refused > 100);
	FILE *f = fopen("/proc/self/exe", "rb"); /* another machine's */
	assert_non_null(f);
	unsigned char *foreign = malloc(1 << 16);
	size = fread(foreign, 1, 1 << 16, f);
	fclose(f);
	assert_false(accepted(foreign, size));
	free(foreign);
	free(binary);
	free(copy);
}

static void compile_and_link(void **state)
{
	const char *name = "scale.h";
	cl_int code;
	cl_program header = from_source("#define SCALE 3\nint scaled(int v);\n");
	cl_program lib = from_source("#include \"scale.h\"\nint scaled(int v) { return v * SCALE; }\n");
	cl_program main_ = from_source("#include \"scale.h\"\nkernel void store(global int *out, int v) { int i = get_global_id(0); out[i] = scaled(v + i) / SCALE; }\n");
	cl_program alone = from_source("int scaled(int v);\nkernel void k(global int *out) { out[0] = scaled(1); }\n");
	(void)state;
	/* without the header it does not compile */
	assert_int_equal(clCompileProgram(main_, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
	char *log = build_log(main_, cl.device);
	assert_non_null(strstr(log, "'scale.h' file not found"));
	free(log);
	CL_OK(clCompileProgram(main_, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
	CL_OK(clCompileProgram(lib, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
	CL_OK(clCompileProgram(alone, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	assert_int_equal(binary_type(main_, cl.device), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
	assert_null(clCreateKernel(main_, "store", &code));
	assert_int_equal(code, CL_INVALID_PROGRAM_EXECUTABLE);
	/* all in one */
	cl_program p = clLinkProgram(cl.context, 0, NULL, NULL, 2, (cl_program[]){main_, lib}, NULL, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(binary_type(p, cl.device), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	run_store(p);
	/* a program made by linking cannot be built */
	assert_int_equal(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
	CL_OK(clReleaseProgram(p));
	/* through a library */
	cl_program library = clLinkProgram(cl.context, 0, NULL, "-create-library", 1, &lib, NULL, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(binary_type(library, cl.device), CL_PROGRAM_BINARY_TYPE_LIBRARY);
	p = clLinkProgram(cl.context, 0, NULL, NULL, 2, (cl_program[]){main_, library}, NULL, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	run_store(p);
	CL_OK(clReleaseProgram(p));
	/* a compiled binary links as well as the program that it came from */
	size_t size;
	unsigned char *binary = binary_of(main_, &size);
	cl_program loaded = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, (const unsigned char **)&binary, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(binary_type(loaded, cl.device), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
	assert_int_equal(clBuildProgram(loaded, 1, &cl.device, NULL, NULL, NULL), CL_INVALID_BINARY);
	p = clLinkProgram(cl.context, 1, &cl.device, NULL, 2, (cl_program[]){loaded, library}, NULL, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	run_store(p);
	CL_OK(clReleaseProgram(p));
	/* a function that is nowhere: the link fails, the program has the log */
	p = clLinkProgram(cl.context, 0, NULL, NULL, 1, &alone, NULL, NULL, &code);
	assert_int_equal(code, CL_LINK_PROGRAM_FAILURE);
	assert_non_null(p);
	assert_int_equal(build_status(p, cl.device), CL_BUILD_ERROR);
	log = build_log(p, cl.device);
	assert_non_null(strstr(log, "scaled"));
	free(log);
	CL_OK(clReleaseProgram(p));
	free(binary);
	CL_OK(clReleaseProgram(loaded));
	CL_OK(clReleaseProgram(library));
	CL_OK(clReleaseProgram(header));
	CL_OK(clReleaseProgram(lib));
	CL_OK(clReleaseProgram(main_));
	CL_OK(clReleaseProgram(alone));
}

/* What -cl-std allows stays with the code: through compiling, linking and binaries. */
static void standard_is_kept(void **state)
{
	(void)state;
	static const char *const options[] = {"-cl-std=CL3.0", "-cl-std=CL3.0 -cl-uniform-work-group-size", "-cl-std=CL1.2", NULL};
	static const cl_int expected[] = {CL_SUCCESS, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_GROUP_SIZE};
	const size_t global = 100, local = 8;
	cl_int code;
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, 4 * global, NULL, &code);
	CL_OK(code);
	for (int i = 0; i < 4; i++) {
		cl_program source = from_source("kernel void sizes(global int *out) { out[get_global_id(0)] = get_local_size(0); }\n");
		CL_OK(clCompileProgram(source, 0, NULL, options[i], 0, NULL, NULL, NULL, NULL));
		cl_program library = clLinkProgram(cl.context, 0, NULL, "-create-library", 1, &source, NULL, NULL, &code);
		CL_OK(code);
		cl_program linked = clLinkProgram(cl.context, 0, NULL, NULL, 1, &library, NULL, NULL, &code);
		CL_OK(code);
		size_t size;
		unsigned char *binary = binary_of(linked, &size);
		cl_program loaded = clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, (const unsigned char **)&binary, NULL, &code);
		CL_OK(code);
		CL_OK(clBuildProgram(loaded, 0, NULL, NULL, NULL, NULL));
		cl_program programs[] = {linked, loaded};
		for (int p = 0; p < 2; p++) {
			int out[100];
			cl_kernel k = clCreateKernel(programs[p], "sizes", &code);
			CL_OK(code);
			CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
			assert_int_equal(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &global, &local, 0, NULL, NULL), expected[i]);
			if (!expected[i]) {
				CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
				assert_int_equal(out[95], 8);
				assert_int_equal(out[96], 4);
			}
			CL_OK(clReleaseKernel(k));
		}
		free(binary);
		CL_OK(clReleaseProgram(loaded));
		CL_OK(clReleaseProgram(linked));
		CL_OK(clReleaseProgram(library));
		CL_OK(clReleaseProgram(source));
	}
	CL_OK(clReleaseMemObject(m));
}

/* A compiler that is not there is an error of its own, with a line that says what to install. */
static void missing_compiler(void **state)
{
	cl_program p = from_source("kernel void never_built_before(global int *out) { out[0] = 12345; }");
	(void)state;
	setenv("GALENA_CLANG", "/nonexistent/clang", 1);
	setenv("GALENA_CACHE", "0", 1);
	cl_int code = clBuildProgram(p, 0, NULL, NULL, NULL, NULL);
	unsetenv("GALENA_CLANG");
	unsetenv("GALENA_CACHE");
	assert_int_equal(code, CL_COMPILER_NOT_AVAILABLE);
	assert_int_equal(build_status(p, cl.device), CL_BUILD_ERROR);
	char *log = build_log(p, cl.device);
	assert_non_null(strstr(log, "/nonexistent/clang"));
	free(log);
	/* and it is there again */
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	CL_OK(clReleaseProgram(p));
}

/* One build serves both devices; program-scope variables are one copy a device (OpenCL C 6.7.1). */
static void several_devices(void **state)
{
	static const char source[] = "global int counter = 5;\n"
				     "kernel void count(global int *out) { out[0] = counter; counter += 1; }\n";
	const char *text = source;
	const size_t one = 1;
	size_t bytes;
	cl_int code;
	cl_mem out[2];
	cl_command_queue queue[2];
	(void)state;
	if (cl.num_devices < 2)
		SKIP("needs two devices (GALENA_DEVICES)");
	cl_program p = clCreateProgramWithSource(cl.all, 1, &text, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
	CL_OK(clGetProgramBuildInfo(p, cl.devices[1], CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes, &bytes, NULL));
	assert_true(bytes >= 4);
	cl_kernel k = clCreateKernel(p, "count", &code);
	assert_int_equal(code, CL_SUCCESS);
	/* several devices: which one is meant has to be said */
	assert_int_equal(clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof bytes, &bytes, NULL), CL_INVALID_DEVICE);
	for (int i = 0; i < 2; i++) {
		queue[i] = clCreateCommandQueueWithProperties(cl.all, cl.devices[i], NULL, &code);
		assert_int_equal(code, CL_SUCCESS);
		out[i] = clCreateBuffer(cl.all, CL_MEM_READ_WRITE, 4, NULL, &code);
		assert_int_equal(code, CL_SUCCESS);
	}
	for (int i = 0; i < 2; i++) {
		for (int n = 0; n < 2 + 3 * i; n++) {
			CL_OK(clSetKernelArg(k, 0, sizeof out[i], &out[i]));
			CL_OK(clEnqueueNDRangeKernel(queue[i], k, 1, NULL, &one, NULL, 0, NULL, NULL));
		}
	}
	for (int i = 0; i < 2; i++) {
		cl_int got;
		CL_OK(clEnqueueReadBuffer(queue[i], out[i], CL_TRUE, 0, 4, &got, 0, NULL, NULL));
		assert_int_equal(got, 5 + 1 + 3 * i);
		CL_OK(clReleaseMemObject(out[i]));
		CL_OK(clReleaseCommandQueue(queue[i]));
	}
	/* built for one device only: the other one has no executable */
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseProgram(p));
	p = clCreateProgramWithSource(cl.all, 1, &text, NULL, &code);
	CL_OK(clBuildProgram(p, 1, &cl.devices[1], "-cl-std=CL3.0", NULL, NULL));
	assert_int_equal(build_status(p, cl.devices[0]), CL_BUILD_NONE);
	k = clCreateKernel(p, "count", &code);
	assert_int_equal(code, CL_SUCCESS);
	queue[0] = clCreateCommandQueueWithProperties(cl.all, cl.devices[0], NULL, &code);
	assert_int_equal(clEnqueueNDRangeKernel(queue[0], k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
	/* then the device need not be named */
	CL_OK(clGetKernelWorkGroupInfo(k, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof bytes, &bytes, NULL));
	CL_OK(clReleaseCommandQueue(queue[0]));
	CL_OK(clReleaseKernel(k));
	CL_OK(clReleaseProgram(p));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_and_query),
		cmocka_unit_test(source_in_pieces),
		cmocka_unit_test(build_failure_has_the_compilers_message),
		cmocka_unit_test(messages_name_the_source),
		cmocka_unit_test(bad_options),
		cmocka_unit_test(create_errors),
		cmocka_unit_test(attached_kernels_forbid_builds),
		cmocka_unit_test(completion_functions),
		cmocka_unit_test(released_in_its_function),
		cmocka_unit_test(binary_round_trip),
		cmocka_unit_test(damaged_binaries_are_refused),
		cmocka_unit_test(compile_and_link),
		cmocka_unit_test(missing_compiler),
		cmocka_unit_test(standard_is_kept),
		cmocka_unit_test(several_devices),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
