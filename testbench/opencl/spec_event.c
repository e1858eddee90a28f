/* Rules on events, markers and barriers. */
#include "testbench/opencl/spec.h"

static cl_context elsewhere;

static cl_event user_event(cl_context context)
{
	cl_event e;
	MAKE(e, api->clCreateUserEvent(context, &error));
	return e;
}

static void user_events(void **state)
{
	(void)state;
	cl_event e = user_event(cl.context), command;
	RULE("CL_SETUSEREVENTSTATUS_STATUS", CL_INVALID_VALUE, api->clSetUserEventStatus(e, CL_RUNNING));
	RULE("CL_SETUSEREVENTSTATUS_STATUS", CL_INVALID_VALUE, api->clSetUserEventStatus(e, 7));
	CL_OK(api->clSetUserEventStatus(e, CL_COMPLETE));
	RULE("CL_SETUSEREVENTSTATUS_AGAIN", CL_INVALID_OPERATION, api->clSetUserEventStatus(e, CL_COMPLETE));
	RULE("CL_SETUSEREVENTSTATUS_AGAIN", CL_INVALID_OPERATION, api->clSetUserEventStatus(e, -3));
	CL_OK(api->clReleaseEvent(e));
	CL_OK(api->clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &command));
	RULE("CL_SETUSEREVENTSTATUS_EVENT", CL_INVALID_EVENT, api->clSetUserEventStatus(command, CL_COMPLETE));
	CL_OK(api->clReleaseEvent(command));
}

static void waiting(void **state)
{
	(void)state;
	cl_event both[] = {user_event(cl.context), user_event(elsewhere)};
	for (int i = 0; i < 2; i++)
		CL_OK(api->clSetUserEventStatus(both[i], CL_COMPLETE));
	RULE("CL_WAITFOREVENTS_ZERO", CL_INVALID_VALUE, api->clWaitForEvents(0, both));
	RULE("CL_WAITFOREVENTS_NULL", CL_INVALID_VALUE, api->clWaitForEvents(1, NULL));
	RULE("CL_WAITFOREVENTS_EVENT_CONTEXT", CL_INVALID_CONTEXT, api->clWaitForEvents(2, both));
	cl_event failed = user_event(cl.context);
	CL_OK(api->clSetUserEventStatus(failed, -5));
	RULE("CL_WAITFOREVENTS_STATUS", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, api->clWaitForEvents(1, &failed));
	RULE("CL_ENQUEUEWAITFOREVENTS_ZERO", CL_INVALID_VALUE, api->clEnqueueWaitForEvents(cl.queue, 0, both));
	RULE("CL_ENQUEUEWAITFOREVENTS_NULL", CL_INVALID_VALUE, api->clEnqueueWaitForEvents(cl.queue, 1, NULL));
	RULE("CL_ENQUEUEMARKER_EVENT_NULL", CL_INVALID_VALUE, api->clEnqueueMarker(cl.queue, NULL));
	for (int i = 0; i < 2; i++)
		CL_OK(api->clReleaseEvent(both[i]));
	CL_OK(api->clReleaseEvent(failed));
}

static void CL_CALLBACK called(cl_event event, cl_int status, void *arg) { (void)event, (void)status, (void)arg; }

static void queries(void **state)
{
	(void)state;
	cl_event user = user_event(cl.context), command, plain, pending;
	cl_command_queue quiet;
	cl_ulong time;
	RULE_INFO("CL_GETEVENTINFO", CL_EVENT_CONTEXT, api->clGetEventInfo(user, name, size, value, NULL));
	RULE("CL_SETEVENTCALLBACK_NOTIFY", CL_INVALID_VALUE, api->clSetEventCallback(user, CL_COMPLETE, NULL, NULL));
	RULE("CL_SETEVENTCALLBACK_TYPE", CL_INVALID_VALUE, api->clSetEventCallback(user, CL_QUEUED, called, NULL));
	RULE("CL_SETEVENTCALLBACK_TYPE", CL_INVALID_VALUE, api->clSetEventCallback(user, -1, called, NULL));
	CL_OK(api->clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &command));
	CL_OK(api->clWaitForEvents(1, &command));
	RULE_INFO("CL_GETEVENTPROFILINGINFO", CL_PROFILING_COMMAND_END, api->clGetEventProfilingInfo(command, name, size, value, NULL));
	MAKE(quiet, api->clCreateCommandQueue(cl.context, cl.device, 0, &error));
	CL_OK(api->clEnqueueMarkerWithWaitList(quiet, 0, NULL, &plain));
	CL_OK(api->clFinish(quiet));
	RULE("CL_GETEVENTPROFILINGINFO_QUEUE", CL_PROFILING_INFO_NOT_AVAILABLE,
	     api->clGetEventProfilingInfo(plain, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
	RULE("CL_GETEVENTPROFILINGINFO_USER", CL_PROFILING_INFO_NOT_AVAILABLE,
	     api->clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
	CL_OK(api->clEnqueueMarkerWithWaitList(cl.queue, 1, &user, &pending));
	RULE("CL_GETEVENTPROFILINGINFO_INCOMPLETE", CL_PROFILING_INFO_NOT_AVAILABLE,
	     api->clGetEventProfilingInfo(pending, CL_PROFILING_COMMAND_QUEUED, sizeof time, &time, NULL));
	CL_OK(api->clSetUserEventStatus(user, CL_COMPLETE));
	CL_OK(api->clWaitForEvents(1, &pending));
	CL_OK(api->clReleaseCommandQueue(quiet));
	cl_event all[] = {user, command, plain, pending};
	for (int i = 0; i < 4; i++)
		CL_OK(api->clReleaseEvent(all[i]));
}

static int setup(void **state)
{
	if (spec_setup(state))
		return -1;
	elsewhere = api->clCreateContext(NULL, 1, &cl.device, NULL, NULL, NULL);
	return !elsewhere;
}

static int teardown(void **state) { return clReleaseContext(elsewhere) || cl_test_teardown(state); }

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_events),
		cmocka_unit_test(waiting),
		cmocka_unit_test(queries),
	};
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
