/* Semaphores as their commands see them: when the payload changes, which signal a wait takes, what a list of them does; and queries. */
#include "testbench/opencl/external.h"

static cl_event user_event(void)
{
	cl_int code;
	cl_event e = clCreateUserEvent(cl.context, &code);
	CL_OK(code);
	return e;
}

static cl_int status_of(cl_event e)
{
	cl_int status;
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	return status;
}

static cl_command_queue queue_of(cl_command_queue_properties properties)
{
	cl_int code;
	cl_command_queue q = clCreateCommandQueue(cl.context, cl.device, properties, &code);
	CL_OK(code);
	return q;
}

static void complete(cl_event *gate)
{
	CL_OK(clSetUserEventStatus(*gate, CL_COMPLETE));
	CL_OK(clReleaseEvent(*gate));
	*gate = NULL;
}

/* A semaphore is created without a signal, has one once the command that signals it has ended, and none once a wait has. */
static void payload(void **state)
{
	(void)state;
	cl_semaphore_khr s = SEMAPHORE();
	cl_event gate = user_event(), signal, wait;
	cl_command_type type;
	assert_false(external_signalled(s));
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(cl.queue, 1, &s, NULL, 1, &gate, &signal));
	assert_true(status_of(signal) > CL_COMPLETE);
	assert_false(external_signalled(s));
	complete(&gate);
	CL_OK(clWaitForEvents(1, &signal));
	assert_true(external_signalled(s));
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(cl.queue, 1, &s, NULL, 0, NULL, &wait));
	CL_OK(clWaitForEvents(1, &wait));
	assert_false(external_signalled(s));
	CL_OK(clGetEventInfo(signal, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	assert_int_equal(type, CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
	CL_OK(clGetEventInfo(wait, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	assert_int_equal(type, CL_COMMAND_SEMAPHORE_WAIT_KHR);
	CL_OK(clReleaseEvent(signal));
	CL_OK(clReleaseEvent(wait));
	CL_OK(ext.clReleaseSemaphoreKHR(s));
}

/* When the call has returned, the other may be enqueued: a wait has the signal that was enqueued before it, even if it ends long after the next
 * signal. */
static void resignal(void **state)
{
	(void)state;
	cl_semaphore_khr s = SEMAPHORE(), behind[2] = {SEMAPHORE(), SEMAPHORE()};
	cl_command_queue q[3] = {queue_of(0), queue_of(0), queue_of(0)};
	cl_event first_wait = user_event(), second_signal = user_event();
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(q[2], 1, &s, NULL, 0, NULL, NULL));
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(q[0], 1, &s, NULL, 1, &first_wait, NULL));
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(q[0], 1, &behind[0], NULL, 0, NULL, NULL));
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(q[2], 1, &s, NULL, 1, &second_signal, NULL));
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(q[1], 1, &s, NULL, 0, NULL, NULL));
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(q[1], 1, &behind[1], NULL, 0, NULL, NULL));
	assert_false(external_signalled(behind[1])); /* the signal that is there is the first wait's */
	complete(&second_signal);
	CL_OK(clFinish(q[1]));
	assert_true(external_signalled(behind[1]));
	assert_false(external_signalled(behind[0]));
	complete(&first_wait);
	CL_OK(clFinish(q[0]));
	assert_true(external_signalled(behind[0]));
	assert_false(external_signalled(s));
	for (unsigned i = 0; i < 3; i++)
		CL_OK(clReleaseCommandQueue(q[i]));
	for (unsigned i = 0; i < 2; i++)
		CL_OK(ext.clReleaseSemaphoreKHR(behind[i]));
	CL_OK(ext.clReleaseSemaphoreKHR(s));
}

/* A wait ends when all its events have ended and all its semaphores are signalled, whichever comes last; a signal signals all of its own. Values
 * are given for semaphores that have none: they do not count. */
static void lists(void **state)
{
	(void)state;
	enum { MANY = 5 };
	for (unsigned last = 0; last < 3; last++) {
		cl_semaphore_khr s[MANY], all[MANY], behind = SEMAPHORE();
		const cl_semaphore_payload_khr values[MANY] = {0, 1, 77, UINT64_MAX, 5};
		cl_event events[2] = {user_event(), user_event()}, waited, signal;
		cl_command_queue q = queue_of(0);
		for (unsigned i = 0; i < MANY; i++)
			all[i] = s[i] = SEMAPHORE();
		CL_OK(ext.clEnqueueWaitSemaphoresKHR(q, MANY, all, values, 2, events, &waited));
		memset(all, 0, sizeof all); /* the list is the application's again */
		CL_OK(ext.clEnqueueSignalSemaphoresKHR(q, 1, &behind, NULL, 0, NULL, NULL));
		for (unsigned step = 0; step < 3; step++) {
			assert_false(external_signalled(behind));
			assert_true(status_of(waited) > CL_COMPLETE);
			const unsigned what = (last + 1 + step) % 3;
			if (what < 2) {
				complete(&events[what]);
				continue;
			}
			CL_OK(ext.clEnqueueSignalSemaphoresKHR(cl.queue, MANY - 1, s + 1, values, 0, NULL, &signal));
			CL_OK(clWaitForEvents(1, &signal));
			CL_OK(clReleaseEvent(signal));
			assert_false(external_signalled(behind)); /* one is missing */
			CL_OK(ext.clEnqueueSignalSemaphoresKHR(cl.queue, 1, s, NULL, 0, NULL, NULL));
		}
		CL_OK(clWaitForEvents(1, &waited));
		CL_OK(clFinish(q));
		assert_true(external_signalled(behind));
		for (unsigned i = 0; i < MANY; i++) {
			assert_false(external_signalled(s[i]));
			CL_OK(ext.clReleaseSemaphoreKHR(s[i]));
		}
		CL_OK(ext.clReleaseSemaphoreKHR(behind));
		CL_OK(clReleaseEvent(waited));
		CL_OK(clReleaseCommandQueue(q));
	}
}

/* In a queue that is out of order a signal does not wait for commands before it, unless a barrier is between them. */
static void unordered(void **state)
{
	(void)state;
	for (unsigned barrier = 0; barrier < 2; barrier++) {
		cl_semaphore_khr s = SEMAPHORE();
		cl_command_queue q = queue_of(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
		cl_event gate = user_event(), signal;
		CL_OK(clEnqueueMarkerWithWaitList(q, 1, &gate, NULL));
		if (barrier)
			CL_OK(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
		CL_OK(ext.clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, 0, NULL, &signal));
		assert_int_equal(external_signalled(s), !barrier);
		if (barrier)
			assert_true(status_of(signal) > CL_COMPLETE);
		else
			CL_OK(clWaitForEvents(1, &signal));
		complete(&gate);
		CL_OK(clFinish(q));
		assert_true(external_signalled(s));
		CL_OK(clReleaseEvent(signal));
		CL_OK(clReleaseCommandQueue(q));
		CL_OK(ext.clReleaseSemaphoreKHR(s));
	}
}

/* What a semaphore was created with, as it was given; of one device in a context of several. */
static void properties(void **state)
{
	(void)state;
	cl_int code = 1;
	const cl_semaphore_properties_khr device = (cl_semaphore_properties_khr)cl.devices[cl.num_devices - 1];
	const cl_semaphore_properties_khr list[] = {CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, 0,
						    CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, device, 0, CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
	cl_semaphore_khr s = ext.clCreateSemaphoreWithPropertiesKHR(cl.all, list, &code);
	CL_OK(code);
	cl_semaphore_properties_khr got[16];
	cl_device_id devices[CL_TEST_DEVICES];
	cl_external_semaphore_handle_type_khr types[4];
	cl_context context;
	cl_bool exportable;
	size_t size;
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PROPERTIES_KHR, sizeof got, got, &size));
	assert_int_equal(size, sizeof list);
	assert_memory_equal(got, list, sizeof list);
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, sizeof devices, devices, &size));
	assert_int_equal(size, sizeof *devices);
	assert_ptr_equal(devices[0], cl.devices[cl.num_devices - 1]);
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, sizeof types, types, &size));
	assert_int_equal(size, sizeof *types);
	assert_int_equal(types[0], CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_EXPORTABLE_KHR, sizeof exportable, &exportable, &size));
	assert_int_equal(size, sizeof exportable);
	assert_int_equal(exportable, CL_TRUE);
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_CONTEXT_KHR, sizeof context, &context, &size));
	assert_int_equal(size, sizeof context);
	assert_ptr_equal(context, cl.all);
	/* an answer that nobody asks for, and the size of one */
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PROPERTIES_KHR, 0, NULL, &size));
	assert_int_equal(size, sizeof list);
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_CONTEXT_KHR, 0, NULL, NULL));
	/* of its device alone */
	cl_command_queue q = clCreateCommandQueue(cl.all, cl.devices[cl.num_devices - 1], 0, &code);
	CL_OK(code);
	CL_OK(ext.clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, 0, NULL, NULL));
	CL_OK(ext.clEnqueueWaitSemaphoresKHR(q, 1, &s, NULL, 0, NULL, NULL));
	CL_OK(clFinish(q));
	CL_OK(clReleaseCommandQueue(q));
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	/* a list of types may be empty, and the code is not always asked for */
	s = ext.clCreateSemaphoreWithPropertiesKHR(
		cl.context, (const cl_semaphore_properties_khr[]){CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, 0, 0}, NULL);
	assert_non_null(s);
	CL_OK(ext.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_EXPORTABLE_KHR, sizeof exportable, &exportable, NULL));
	assert_int_equal(exportable, CL_FALSE);
	CL_OK(ext.clReleaseSemaphoreKHR(s));
	assert_null(ext.clCreateSemaphoreWithPropertiesKHR(cl.context, NULL, NULL));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(payload), cmocka_unit_test(resignal), cmocka_unit_test(lists), cmocka_unit_test(unordered),
					   cmocka_unit_test(properties)};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, external_setup, cl_test_teardown);
}
