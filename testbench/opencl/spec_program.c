/* Rules on programs. */
#include "testbench/opencl/spec.h"
#include <pthread.h>

static const char *const source = "kernel void k(global int *p) { *p = 1; }\n";
static const char *const function = "int helper(int x) { return x + 1; }\n";
static const char *const caller = "int helper(int x); kernel void k(global int *p) { *p = helper(*p); }\n";
static const char *const wrong = "kernel void k(global int *p) { *p = nothing_of_this_name; }\n";

static cl_program make(cl_context context, const char *text)
{
	cl_program p;
	MAKE(p, api->clCreateProgramWithSource(context, 1, &text, NULL, &error));
	return p;
}

static void give_back(cl_program p) { CL_OK(api->clReleaseProgram(p)); }

static void from_source(void **state)
{
	(void)state;
	const char *list[] = {source, NULL};
	RULE_NULL("CL_CREATEPROGRAMWITHSOURCE_COUNT_ZERO", CL_INVALID_VALUE, api->clCreateProgramWithSource(cl.context, 0, list, NULL, &error));
	RULE_NULL("CL_CREATEPROGRAMWITHSOURCE_STRINGS_NULL", CL_INVALID_VALUE, api->clCreateProgramWithSource(cl.context, 1, NULL, NULL, &error));
	RULE_NULL("CL_CREATEPROGRAMWITHSOURCE_STRING_NULL", CL_INVALID_VALUE, api->clCreateProgramWithSource(cl.context, 2, list, NULL, &error));
	RULE_NULL("CL_CREATEPROGRAMWITHIL_SUPPORT", CL_INVALID_OPERATION, api->clCreateProgramWithIL(cl.context, list, sizeof list, &error));
}

/* One call of clCreateProgramWithBinary, right but for what is changed; its status of the device is that of the call. */
struct binary_args {
	cl_uint num;
	const cl_device_id *devices;
	const size_t *lengths;
	const unsigned char **binaries;
};
static cl_program from_binary(const struct binary_args *a, cl_int *error)
{
	return api->clCreateProgramWithBinary(cl.context, a->num, a->devices, a->lengths, a->binaries, NULL, error);
}
#define BINARY(what, code, change)                                                                 \
	do {                                                                                       \
		struct binary_args a = {1, &cl.device, &length, binaries};                         \
		a.change;                                                                          \
		RULE_NULL("CL_CREATEPROGRAMWITHBINARY_" what, code, from_binary(&a, &error));      \
	} while (0)

static void from_binaries(void **state)
{
	(void)state;
	static const unsigned char nonsense[] = "no binary of ours";
	const size_t length = sizeof nonsense, nothing = 0;
	const unsigned char *binaries[] = {nonsense}, *none[] = {NULL};
	BINARY("DEVICES_ZERO", CL_INVALID_VALUE, num = 0);
	BINARY("DEVICES_NULL", CL_INVALID_VALUE, devices = NULL);
	BINARY("DEVICE_FOREIGN", CL_INVALID_DEVICE, devices = &cl.devices[1]);
	BINARY("LENGTHS_NULL", CL_INVALID_VALUE, lengths = NULL);
	BINARY("BINARIES_NULL", CL_INVALID_VALUE, binaries = NULL);
	BINARY("LENGTH_ZERO", CL_INVALID_VALUE, lengths = &nothing);
	BINARY("BINARY_NULL", CL_INVALID_VALUE, binaries = none);
	BINARY("BINARY", CL_INVALID_BINARY, num = 1);
#define BUILT_IN(num, devices, names) api->clCreateProgramWithBuiltInKernels(cl.context, (num), (devices), (names), &error)
	RULE_NULL("CL_CREATEPROGRAMWITHBUILTINKERNELS_DEVICES_ZERO", CL_INVALID_VALUE, BUILT_IN(0, &cl.device, "k"));
	RULE_NULL("CL_CREATEPROGRAMWITHBUILTINKERNELS_DEVICES_NULL", CL_INVALID_VALUE, BUILT_IN(1, NULL, "k"));
	RULE_NULL("CL_CREATEPROGRAMWITHBUILTINKERNELS_NAMES_NULL", CL_INVALID_VALUE, BUILT_IN(1, &cl.device, NULL));
	RULE_NULL("CL_CREATEPROGRAMWITHBUILTINKERNELS_NAMES", CL_INVALID_VALUE, BUILT_IN(1, &cl.device, "k"));
	RULE_NULL("CL_CREATEPROGRAMWITHBUILTINKERNELS_DEVICE_FOREIGN", CL_INVALID_DEVICE, BUILT_IN(1, &cl.devices[1], "k"));
}

static void CL_CALLBACK ended(cl_program program, void *arg) { (void)program, (void)arg; }

static void settings(void **state)
{
	(void)state;
	cl_program p = make(cl.context, source);
	RULE("CL_SETPROGRAMRELEASECALLBACK_SUPPORT", CL_INVALID_OPERATION, api->clSetProgramReleaseCallback(p, ended, NULL));
	RULE("CL_SETPROGRAMRELEASECALLBACK_NOTIFY", CL_INVALID_VALUE, api->clSetProgramReleaseCallback(p, NULL, NULL));
	RULE("CL_SETPROGRAMSPECIALIZATIONCONSTANT_SUPPORT", CL_INVALID_OPERATION, api->clSetProgramSpecializationConstant(p, 0, 4, source));
	give_back(p);
}

static void building(void **state)
{
	(void)state;
	cl_program p = make(cl.context, source), bad = make(cl.context, wrong), compiled = make(cl.context, source), linked;
#define BUILD(p, num, devices, options, notify, arg) api->clBuildProgram((p), (num), (devices), (options), (notify), (arg))
	RULE("CL_BUILDPROGRAM_DEVICES_NULL", CL_INVALID_VALUE, BUILD(p, 1, NULL, NULL, NULL, NULL));
	RULE("CL_BUILDPROGRAM_DEVICES_ZERO", CL_INVALID_VALUE, BUILD(p, 0, &cl.device, NULL, NULL, NULL));
	RULE("CL_BUILDPROGRAM_DEVICE_FOREIGN", CL_INVALID_DEVICE, BUILD(p, 1, &cl.devices[1], NULL, NULL, NULL));
	RULE("CL_BUILDPROGRAM_NOTIFY", CL_INVALID_VALUE, BUILD(p, 0, NULL, NULL, NULL, &cl));
	RULE("CL_BUILDPROGRAM_OPTIONS", CL_INVALID_BUILD_OPTIONS, BUILD(p, 0, NULL, "-no-option-of-this-name", NULL, NULL));
	RULE("CL_BUILDPROGRAM_FAILURE", CL_BUILD_PROGRAM_FAILURE, BUILD(bad, 0, NULL, NULL, NULL, NULL));
	CL_OK(BUILD(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel k = spec_kernel(p, "k");
	RULE("CL_BUILDPROGRAM_KERNELS", CL_INVALID_OPERATION, BUILD(p, 0, NULL, NULL, NULL, NULL));
	RULE("CL_COMPILEPROGRAM_KERNELS", CL_INVALID_OPERATION, api->clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	CL_OK(api->clReleaseKernel(k));
	/* a program of a compiled binary has no executable, and no source */
	CL_OK(api->clCompileProgram(compiled, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	size_t size;
	CL_OK(api->clGetProgramInfo(compiled, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
	unsigned char *bytes = malloc(size);
	CL_OK(api->clGetProgramInfo(compiled, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
	cl_program loaded;
	MAKE(loaded, api->clCreateProgramWithBinary(cl.context, 1, &cl.device, &size, (const unsigned char **)(uintptr_t)&bytes, NULL, &error));
	free(bytes);
	RULE("CL_BUILDPROGRAM_BINARY", CL_INVALID_BINARY, BUILD(loaded, 0, NULL, NULL, NULL, NULL));
	RULE("CL_COMPILEPROGRAM_SOURCE", CL_INVALID_OPERATION, api->clCompileProgram(loaded, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	MAKE(linked, api->clLinkProgram(cl.context, 0, NULL, NULL, 1, &compiled, NULL, NULL, &error));
	RULE("CL_BUILDPROGRAM_ORIGIN", CL_INVALID_OPERATION, BUILD(linked, 0, NULL, NULL, NULL, NULL));
	cl_program all[] = {p, bad, compiled, loaded, linked};
	for (int i = 0; i < 5; i++)
		give_back(all[i]);
}

static void compiling(void **state)
{
	(void)state;
	cl_program p = make(cl.context, source), bad = make(cl.context, wrong), header = make(cl.context, function);
	const char *name = "helper.h";
#define COMPILE(p, num, devices, options, n, headers, names, arg) \
	api->clCompileProgram((p), (num), (devices), (options), (n), (headers), (names), NULL, (arg))
	RULE("CL_COMPILEPROGRAM_DEVICES_NULL", CL_INVALID_VALUE, COMPILE(p, 1, NULL, NULL, 0, NULL, NULL, NULL));
	RULE("CL_COMPILEPROGRAM_DEVICES_ZERO", CL_INVALID_VALUE, COMPILE(p, 0, &cl.device, NULL, 0, NULL, NULL, NULL));
	RULE("CL_COMPILEPROGRAM_DEVICE_FOREIGN", CL_INVALID_DEVICE, COMPILE(p, 1, &cl.devices[1], NULL, 0, NULL, NULL, NULL));
	RULE("CL_COMPILEPROGRAM_HEADERS_ZERO", CL_INVALID_VALUE, COMPILE(p, 0, NULL, NULL, 0, &header, NULL, NULL));
	RULE("CL_COMPILEPROGRAM_HEADERS_ZERO", CL_INVALID_VALUE, COMPILE(p, 0, NULL, NULL, 0, NULL, &name, NULL));
	RULE("CL_COMPILEPROGRAM_HEADERS_NULL", CL_INVALID_VALUE, COMPILE(p, 0, NULL, NULL, 1, NULL, &name, NULL));
	RULE("CL_COMPILEPROGRAM_HEADERS_NULL", CL_INVALID_VALUE, COMPILE(p, 0, NULL, NULL, 1, &header, NULL, NULL));
	RULE("CL_COMPILEPROGRAM_NOTIFY", CL_INVALID_VALUE, COMPILE(p, 0, NULL, NULL, 0, NULL, NULL, &cl));
	RULE("CL_COMPILEPROGRAM_OPTIONS", CL_INVALID_COMPILER_OPTIONS, COMPILE(p, 0, NULL, "-no-option-of-this-name", 0, NULL, NULL, NULL));
	RULE("CL_COMPILEPROGRAM_FAILURE", CL_COMPILE_PROGRAM_FAILURE, COMPILE(bad, 0, NULL, NULL, 0, NULL, NULL, NULL));
	give_back(p);
	give_back(bad);
	give_back(header);
}

static void linking(void **state)
{
	(void)state;
	cl_program main_part = make(cl.context, caller), helper = make(cl.context, function);
	cl_program inputs[2] = {main_part, helper};
	CL_OK(api->clCompileProgram(main_part, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
#define LINK(num, devices, options, n, list, arg) api->clLinkProgram(cl.context, (num), (devices), (options), (n), (list), NULL, (arg), &error)
	RULE_NULL("CL_LINKPROGRAM_COMPILED", CL_INVALID_OPERATION, LINK(0, NULL, NULL, 2, inputs, NULL));
	CL_OK(api->clCompileProgram(helper, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	RULE_NULL("CL_LINKPROGRAM_DEVICES_NULL", CL_INVALID_VALUE, LINK(1, NULL, NULL, 2, inputs, NULL));
	RULE_NULL("CL_LINKPROGRAM_DEVICES_ZERO", CL_INVALID_VALUE, LINK(0, &cl.device, NULL, 2, inputs, NULL));
	RULE_NULL("CL_LINKPROGRAM_DEVICE_FOREIGN", CL_INVALID_DEVICE, LINK(1, &cl.devices[1], NULL, 2, inputs, NULL));
	RULE_NULL("CL_LINKPROGRAM_INPUTS_ZERO", CL_INVALID_VALUE, LINK(0, NULL, NULL, 0, inputs, NULL));
	RULE_NULL("CL_LINKPROGRAM_INPUTS_ZERO", CL_INVALID_VALUE, LINK(0, NULL, NULL, 0, NULL, NULL));
	RULE_NULL("CL_LINKPROGRAM_INPUTS_NULL", CL_INVALID_VALUE, LINK(0, NULL, NULL, 1, NULL, NULL));
	RULE_NULL("CL_LINKPROGRAM_NOTIFY", CL_INVALID_VALUE, LINK(0, NULL, NULL, 2, inputs, &cl));
	RULE_NULL("CL_LINKPROGRAM_OPTIONS", CL_INVALID_LINKER_OPTIONS, LINK(0, NULL, "-no-option-of-this-name", 2, inputs, NULL));
	/* a link that fails may leave a program with its log */
	cl_int error = 1;
	cl_program unresolved = LINK(0, NULL, NULL, 1, inputs, NULL);
	RULE("CL_LINKPROGRAM_FAILURE", CL_LINK_PROGRAM_FAILURE, error);
	if (unresolved)
		give_back(unresolved);
	give_back(main_part);
	give_back(helper);
}

/* A build that is under way while others are asked for: enough of the source that it takes some time. */
static cl_program long_build;
static void *build_in_thread(void *code)
{
	*(cl_int *)code = api->clBuildProgram(long_build, 0, NULL, NULL, NULL, NULL);
	return NULL;
}

static cl_build_status build_status(cl_program p)
{
	cl_build_status status = CL_BUILD_NONE;
	CL_OK(api->clGetProgramBuildInfo(p, cl.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
	return status;
}

static void builds_under_way(void **state)
{
	(void)state;
	bool seen[3] = {false};
	char text[128];
	/* what another call meets depends on when it comes: tried until each has met a build */
	for (int round = 0; round < 200 && !(seen[0] && seen[1] && seen[2]); round++) {
		cl_int code = 1;
		pthread_t thread;
		/* another text each time: the cache has none of them */
		snprintf(text, sizeof text, "kernel void k(global int *p) { *p = (int)%lld + %d; }", (long long)cl_test_seed() + (long long)getpid(), round);
		long_build = make(cl.context, text);
		assert_int_equal(pthread_create(&thread, NULL, build_in_thread, &code), 0);
		for (cl_build_status s; (s = build_status(long_build)) == CL_BUILD_NONE || s == CL_BUILD_IN_PROGRESS;) {
			if (s == CL_BUILD_NONE)
				continue;
			cl_int error = 1;
			cl_int codes[3] = {api->clBuildProgram(long_build, 0, NULL, NULL, NULL, NULL),
					   api->clCompileProgram(long_build, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), 0};
			cl_program linked = api->clLinkProgram(cl.context, 0, NULL, NULL, 1, &long_build, NULL, NULL, &error);
			codes[2] = error;
			if (linked)
				give_back(linked);
			if (build_status(long_build) != CL_BUILD_IN_PROGRESS)
				break; /* it may have ended between the calls */
			static const char *const ids[] = {"CL_BUILDPROGRAM_BUILDING", "CL_COMPILEPROGRAM_BUILDING", "CL_LINKPROGRAM_BUILDING"};
			for (int i = 0; i < 3; i++) {
				RULE(ids[i], CL_INVALID_OPERATION, codes[i]);
				seen[i] = true;
			}
			break;
		}
		assert_int_equal(pthread_join(thread, NULL), 0);
		give_back(long_build);
	}
	assert_true(seen[0] && seen[1] && seen[2]);
}

/* Without a compiler where it is looked for. */
static void no_compiler(void **state)
{
	(void)state;
	cl_program p = make(cl.context, "kernel void only_here(global int *p) { *p = 5; }"), compiled = make(cl.context, caller);
	cl_program inputs[2] = {compiled, make(cl.context, function)};
	for (int i = 0; i < 2; i++)
		CL_OK(api->clCompileProgram(inputs[i], 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	setenv("GALENA_CLC", "/nonexistent/galena-clc", 1);
	char cache[] = "/tmp/galena-spec-XXXXXX";
	char *old = getenv("GALENA_CACHE_DIR");
	assert_non_null(mkdtemp(cache));
	char *kept = old ? strdup(old) : NULL;
	setenv("GALENA_CACHE_DIR", cache, 1);
	RULE("CL_BUILDPROGRAM_COMPILER", CL_COMPILER_NOT_AVAILABLE, api->clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	RULE("CL_COMPILEPROGRAM_COMPILER", CL_COMPILER_NOT_AVAILABLE, api->clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
	RULE_NULL("CL_LINKPROGRAM_LINKER", CL_LINKER_NOT_AVAILABLE,
		  api->clLinkProgram(cl.context, 0, NULL, NULL, 2, inputs, NULL, NULL, &error));
	unsetenv("GALENA_CLC");
	if (kept)
		setenv("GALENA_CACHE_DIR", kept, 1);
	else
		unsetenv("GALENA_CACHE_DIR");
	free(kept);
	rmdir(cache);
	give_back(p);
	give_back(inputs[0]);
	give_back(inputs[1]);
}

static void queries(void **state)
{
	(void)state;
	cl_program p = make(cl.context, source);
	size_t n;
	cl_bool b;
	RULE_INFO("CL_GETPROGRAMINFO", CL_PROGRAM_NUM_DEVICES, api->clGetProgramInfo(p, name, size, value, NULL));
	RULE("CL_GETPROGRAMINFO_EXECUTABLE", CL_INVALID_PROGRAM_EXECUTABLE, api->clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof n, &n, NULL));
	RULE("CL_GETPROGRAMINFO_EXECUTABLE", CL_INVALID_PROGRAM_EXECUTABLE, api->clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &n));
	RULE("CL_GETPROGRAMINFO_EXECUTABLE", CL_INVALID_PROGRAM_EXECUTABLE,
	     api->clGetProgramInfo(p, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof b, &b, NULL));
	RULE("CL_GETPROGRAMINFO_EXECUTABLE", CL_INVALID_PROGRAM_EXECUTABLE,
	     api->clGetProgramInfo(p, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof b, &b, NULL));
	RULE_INFO("CL_GETPROGRAMBUILDINFO", CL_PROGRAM_BUILD_STATUS, api->clGetProgramBuildInfo(p, cl.device, name, size, value, NULL));
	RULE("CL_GETPROGRAMBUILDINFO_DEVICE_FOREIGN", CL_INVALID_DEVICE,
	     api->clGetProgramBuildInfo(p, cl.devices[1], CL_PROGRAM_BUILD_STATUS, sizeof n, &n, NULL));
	give_back(p);
}

static int setup(void **state) { return spec_setup(state) || cl.num_devices < 2; }

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_source), cmocka_unit_test(from_binaries),    cmocka_unit_test(settings),
		cmocka_unit_test(building),    cmocka_unit_test(compiling),        cmocka_unit_test(linking),
		cmocka_unit_test(queries),     cmocka_unit_test(builds_under_way), cmocka_unit_test(no_compiler),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, cl_test_teardown);
}
