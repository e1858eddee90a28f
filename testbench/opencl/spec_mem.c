/* Rules on memory objects of any kind, and on pipes, which no device has. */
#include "testbench/opencl/spec.h"

static cl_mem buffer, other;

static void queries(void **state)
{
	(void)state;
	RULE_INFO("CL_GETMEMOBJECTINFO", CL_MEM_SIZE, api->clGetMemObjectInfo(buffer, name, size, value, NULL));
	RULE("CL_SETMEMOBJECTDESTRUCTORCALLBACK_NOTIFY", CL_INVALID_VALUE, api->clSetMemObjectDestructorCallback(buffer, NULL, NULL));
}

static void unmapping(void **state)
{
	(void)state;
	char *p;
	MAKE(p, api->clEnqueueMapBuffer(cl.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &error));
#define UNMAP(mem, ptr) api->clEnqueueUnmapMemObject(cl.queue, (mem), (ptr), 0, NULL, NULL)
	RULE("CL_ENQUEUEUNMAPMEMOBJECT_PTR", CL_INVALID_VALUE, UNMAP(buffer, NULL));
	RULE("CL_ENQUEUEUNMAPMEMOBJECT_PTR", CL_INVALID_VALUE, UNMAP(buffer, p + 1));
	RULE("CL_ENQUEUEUNMAPMEMOBJECT_PTR", CL_INVALID_VALUE, UNMAP(other, p));
	CL_OK(UNMAP(buffer, p));
	RULE("CL_ENQUEUEUNMAPMEMOBJECT_PTR", CL_INVALID_VALUE, UNMAP(buffer, p));
}

static void migration(void **state)
{
	(void)state;
#define MIGRATE(count, list, flags) api->clEnqueueMigrateMemObjects(cl.queue, (count), (list), (flags), 0, NULL, NULL)
	RULE("CL_ENQUEUEMIGRATEMEMOBJECTS_LIST_ZERO", CL_INVALID_VALUE, MIGRATE(0, &buffer, 0));
	RULE("CL_ENQUEUEMIGRATEMEMOBJECTS_LIST_NULL", CL_INVALID_VALUE, MIGRATE(1, NULL, 0));
	RULE("CL_ENQUEUEMIGRATEMEMOBJECTS_FLAGS", CL_INVALID_VALUE, MIGRATE(1, &buffer, 1u << 20));
}

static void pipes(void **state)
{
	(void)state;
	cl_bool support = CL_TRUE;
	CL_OK(api->clGetDeviceInfo(cl.device, CL_DEVICE_PIPE_SUPPORT, sizeof support, &support, NULL));
	assert_int_equal(support, CL_FALSE);
	RULE_NULL("CL_CREATEPIPE_SUPPORT", CL_INVALID_OPERATION, api->clCreatePipe(cl.context, 0, 16, 16, NULL, &error));
}

static int setup(void **state)
{
	if (spec_setup(state))
		return -1;
	buffer = api->clCreateBuffer(cl.context, 0, 4096, NULL, NULL);
	other = api->clCreateBuffer(cl.context, 0, 4096, NULL, NULL);
	return !buffer || !other;
}

static int teardown(void **state)
{
	return clFinish(cl.queue) || clReleaseMemObject(buffer) || clReleaseMemObject(other) || cl_test_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries),
		cmocka_unit_test(unmapping),
		cmocka_unit_test(migration),
		cmocka_unit_test(pipes),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
