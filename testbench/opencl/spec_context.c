/* Rules on contexts. */
#include "testbench/opencl/spec.h"

static void CL_CALLBACK report(const char *text, const void *data, size_t size, void *arg) { (void)text, (void)data, (void)size, (void)arg; }
#define LIST(...) (const cl_context_properties[]){__VA_ARGS__, 0}

/* Both ways of making one have the same rules on properties and functions. */
static cl_context make(bool from_type, const cl_context_properties *list, void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
		       void *arg, cl_int *error)
{
	return from_type ? api->clCreateContextFromType(list, CL_DEVICE_TYPE_ALL, notify, arg, error)
			 : api->clCreateContext(list, 1, &cl.device, notify, arg, error);
}

static void properties(void **state)
{
	(void)state;
	const cl_context_properties platform = (cl_context_properties)cl.platform;
	for (int t = 0; t < 2; t++) {
#define ID(what) t ? "CL_CREATECONTEXTFROMTYPE_" what : "CL_CREATECONTEXT_" what
		RULE_NULL(ID("PROPERTY_NAME"), CL_INVALID_PROPERTY, make(t, LIST(0x7fff, 1), NULL, NULL, &error));
		RULE_NULL(ID("PROPERTY_VALUE"), CL_INVALID_PROPERTY, make(t, LIST(CL_CONTEXT_INTEROP_USER_SYNC, 7), NULL, NULL, &error));
		RULE_NULL(ID("PROPERTY_TWICE"), CL_INVALID_PROPERTY,
			  make(t, LIST(CL_CONTEXT_PLATFORM, platform, CL_CONTEXT_PLATFORM, platform), NULL, NULL, &error));
		RULE_NULL(ID("NOTIFY"), CL_INVALID_VALUE, make(t, NULL, NULL, &cl, &error));
#undef ID
		cl_context c;
		MAKE(c, make(t, LIST(CL_CONTEXT_PLATFORM, platform, CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE), report, &cl, &error));
		CL_OK(api->clReleaseContext(c));
	}
}

static void devices(void **state)
{
	(void)state;
	RULE_NULL("CL_CREATECONTEXT_DEVICES_NULL", CL_INVALID_VALUE, api->clCreateContext(NULL, 1, NULL, NULL, NULL, &error));
	RULE_NULL("CL_CREATECONTEXT_DEVICES_ZERO", CL_INVALID_VALUE, api->clCreateContext(NULL, 0, &cl.device, NULL, NULL, &error));
	RULE_NULL("CL_CREATECONTEXTFROMTYPE_TYPE", CL_INVALID_DEVICE_TYPE, api->clCreateContextFromType(NULL, 0, NULL, NULL, &error));
	RULE_NULL("CL_CREATECONTEXTFROMTYPE_TYPE", CL_INVALID_DEVICE_TYPE, api->clCreateContextFromType(NULL, 1u << 20, NULL, NULL, &error));
	cl_device_type type;
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
	const cl_device_type other = type & CL_DEVICE_TYPE_CPU ? CL_DEVICE_TYPE_ACCELERATOR : CL_DEVICE_TYPE_CPU;
	RULE_NULL("CL_CREATECONTEXTFROMTYPE_NOT_FOUND", CL_DEVICE_NOT_FOUND, api->clCreateContextFromType(NULL, other, NULL, NULL, &error));
}

static void queries(void **state)
{
	(void)state;
	RULE_INFO("CL_GETCONTEXTINFO", CL_CONTEXT_NUM_DEVICES, api->clGetContextInfo(cl.context, name, size, value, NULL));
	RULE("CL_SETCONTEXTDESTRUCTORCALLBACK_NOTIFY", CL_INVALID_VALUE, api->clSetContextDestructorCallback(cl.context, NULL, NULL));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(properties),
		cmocka_unit_test(devices),
		cmocka_unit_test(queries),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, spec_setup, cl_test_teardown);
}
