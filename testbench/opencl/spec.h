/* What the tests of API rules share. testbench/rules/opencl.tsv is the catalogue of rules; a test names the
 * rule that it provokes, and says so on its output only after the call has failed as it has to:
 *
 *	RULE("CL_CREATEBUFFER_SIZE_ZERO", CL_INVALID_BUFFER_SIZE, error_of(api->clCreateBuffer(...)));
 *
 * make check-spec gathers these lines and compares them with the catalogue, code and all.
 *
 * Calls go through the dispatch table, as a loader's do, and not through the loader: it reads through
 * the handles that it is given. */
#ifndef GALENA_TESTBENCH_SPEC_H
#define GALENA_TESTBENCH_SPEC_H
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include "testbench/opencl/cl_test.h"
#include <CL/cl_icd.h>

__attribute__((unused)) static const struct _cl_icd_dispatch *api;

__attribute__((unused)) static void rule_ran(const char *id, cl_int code) { printf("# rule %s %d\n", id, (int)code); }

/* The call fails as the rule says. */
#define RULE(id, expected, call)                                                                   \
	do {                                                                                       \
		const cl_int rule_code = (call);                                                   \
		if (rule_code != (expected))                                                       \
			print_error("%s: ", id);                                                   \
		assert_int_equal(rule_code, (expected));                                           \
		rule_ran((id), (expected));                                                        \
	} while (0)
/* The same for calls that return an object or a pointer; they store their code in `error`. */
#define RULE_NULL(id, expected, call)                                                              \
	do {                                                                                       \
		cl_int error = 1;                                                                  \
		const void *rule_made = (call);                                                    \
		if (rule_made || error != (expected))                                              \
			print_error("%s: %p, ", id, rule_made);                                    \
		assert_int_equal(error, (expected));                                               \
		assert_null(rule_made);                                                            \
		rule_ran((id), (expected));                                                        \
	} while (0)
/* A call that makes something succeeds; it stores its code in `error`. */
#define MAKE(variable, call)                                                                       \
	do {                                                                                       \
		cl_int error = 1;                                                                  \
		(variable) = (call);                                                               \
		assert_int_equal(error, CL_SUCCESS);                                               \
		assert_non_null(variable);                                                         \
	} while (0)

/* The two rules of a query; `query` uses the names `name`, `size` and `value`. */
#define RULE_INFO(entry, param, query)                                                             \
	do {                                                                                       \
		cl_uint name = 0x7fff;                                                             \
		size_t size = 4096;                                                                \
		char value[4096];                                                                  \
		RULE(entry "_PARAM_NAME", CL_INVALID_VALUE, query);                                \
		name = (param);                                                                    \
		size = 1;                                                                          \
		RULE(entry "_PARAM_SIZE", CL_INVALID_VALUE, query);                                \
		size = 4096;                                                                       \
		CL_OK(query);                                                                      \
	} while (0)

/* cl_test_setup, and the table. */
__attribute__((unused)) static int spec_setup(void **state)
{
	if (cl_test_setup(state))
		return -1;
	api = *(struct _cl_icd_dispatch *const *)cl.platform;
	return 0;
}

/* An extension's function. */
__attribute__((unused)) static void *spec_function(const char *name)
{
	void *f = api->clGetExtensionFunctionAddressForPlatform(cl.platform, name);
	assert_non_null(f);
	return f;
}

__attribute__((unused)) static cl_program spec_program(cl_context context, const char *source)
{
	cl_program p;
	MAKE(p, api->clCreateProgramWithSource(context, 1, &source, NULL, &error));
	CL_OK(api->clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	return p;
}

__attribute__((unused)) static cl_kernel spec_kernel(cl_program program, const char *name)
{
	cl_kernel k;
	MAKE(k, api->clCreateKernel(program, name, &error));
	return k;
}

#endif
