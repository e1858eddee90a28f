/* Contexts: properties, devices, callbacks, counting. */
#include "testbench/opencl/cl_test.h"
#include <stdatomic.h>

static void create_error(cl_int expected, const cl_context_properties *p, cl_uint n, const cl_device_id *d, void *arg)
{
	cl_int code = 1;
	assert_null(clCreateContext(p, n, d, NULL, arg, &code));
	assert_int_equal(code, expected);
}

static void create_errors(void **state)
{
	(void)state;
	const cl_context_properties unknown[] = {0x1234, 1, 0}, twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform,
									   CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, 0};
	const cl_context_properties sync[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, CL_CONTEXT_INTEROP_USER_SYNC, 7, 0};
	const cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, 0};
	cl_device_id none = NULL;
	create_error(CL_INVALID_PROPERTY, twice, 1, &cl.device, NULL);
	create_error(CL_INVALID_PROPERTY, sync, 1, &cl.device, NULL);
	create_error(CL_INVALID_VALUE, good, 0, NULL, NULL);
	create_error(CL_INVALID_VALUE, good, 0, &cl.device, NULL);
	create_error(CL_INVALID_VALUE, good, 1, &cl.device, &none);
	cl_int code;
	/* the loader picks the vendor by the first device or the platform, so it sees these first */
	assert_null(clCreateContext(unknown, 1, &cl.device, NULL, NULL, &code));
	assert_true(code == CL_INVALID_PROPERTY);
	if (cl.num_devices > 1) {
		const cl_device_id list[] = {cl.device, NULL};
		create_error(CL_INVALID_DEVICE, good, 2, list, NULL);
	}
	assert_null(clCreateContextFromType(good, CL_DEVICE_TYPE_CPU, NULL, NULL, &code));
	assert_int_equal(code, CL_DEVICE_NOT_FOUND);
	assert_null(clCreateContextFromType(good, 0x100, NULL, NULL, &code));
	assert_int_equal(code, CL_INVALID_DEVICE_TYPE);
}

static void queries(void **state)
{
	(void)state;
	cl_int code;
	const cl_context_properties p[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)cl.platform, CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
	cl_context c = clCreateContextFromType(p, CL_DEVICE_TYPE_ALL, NULL, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	cl_context_properties back[8];
	cl_device_id devices[CL_TEST_DEVICES];
	cl_uint n, refs;
	size_t size;
	CL_OK(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof back, back, &size));
	assert_int_equal(size, sizeof p);
	assert_memory_equal(back, p, sizeof p);
	CL_OK(clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof n, &n, NULL));
	assert_int_equal(n, cl.num_devices);
	CL_OK(clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof devices, devices, &size));
	assert_int_equal(size, n * sizeof *devices);
	assert_memory_equal(devices, cl.devices, size);
	CL_OK(clRetainContext(c));
	CL_OK(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
	assert_int_equal(refs, 2);
	CL_OK(clReleaseContext(c));
	CL_FAILS(CL_INVALID_VALUE, clGetContextInfo(c, 0x1234, 0, NULL, NULL));
	CL_OK(clReleaseContext(c));
	CL_FAILS(CL_INVALID_CONTEXT, clReleaseContext(NULL));
	/* without properties, there are none to be read back */
	CL_OK(clGetContextInfo(cl.context, CL_CONTEXT_PROPERTIES, 0, NULL, &size));
	assert_int_equal(size, 0);
}

static int order[4];
static atomic_int calls;
static void CL_CALLBACK destroyed(cl_context c, void *arg)
{
	(void)c;
	order[calls++] = (int)(intptr_t)arg;
}

static void destructor_callbacks(void **state)
{
	(void)state;
	cl_int code;
	cl_context c = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	for (intptr_t i = 1; i <= 3; i++)
		CL_OK(clSetContextDestructorCallback(c, destroyed, (void *)i));
	CL_FAILS(CL_INVALID_VALUE, clSetContextDestructorCallback(c, NULL, NULL));
	/* the context lives as long as what was made in it */
	cl_mem m = clCreateBuffer(c, 0, 16, NULL, &code);
	CL_OK(clReleaseContext(c));
	assert_int_equal(calls, 0);
	CL_OK(clReleaseMemObject(m));
	assert_int_equal(calls, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(order[i], 3 - i);
}

/* Released in the wrong order and with work under way: everything goes all the same. */
static void released_while_busy(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		cl_int code;
		calls = 0;
		static unsigned char data[100000], out[100000];
		memset(data, round, sizeof data);
		cl_context c = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
		assert_int_equal(code, CL_SUCCESS);
		CL_OK(clSetContextDestructorCallback(c, destroyed, NULL));
		cl_command_queue q = clCreateCommandQueue(c, cl.device, round & 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
		assert_int_equal(code, CL_SUCCESS);
		cl_mem m = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizeof data, data, &code);
		assert_int_equal(code, CL_SUCCESS);
		memset(out, 0xff, sizeof out);
		CL_OK(clEnqueueReadBuffer(q, m, CL_FALSE, 0, sizeof out, out, 0, NULL, NULL));
		if (round & 2)
			CL_OK(clReleaseContext(c));
		CL_OK(clReleaseMemObject(m));
		CL_OK(clReleaseCommandQueue(q));
		if (!(round & 2))
			CL_OK(clReleaseContext(c));
		for (int ms = 0; !calls && ms < 10000; ms++)
			usleep(1000);
		assert_int_equal(calls, 1);
		for (size_t i = 0; i < sizeof out; i++)
			assert_int_equal(out[i], round);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(create_errors),
		cmocka_unit_test(queries),
		cmocka_unit_test(destructor_callbacks),
		cmocka_unit_test(released_while_busy),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
