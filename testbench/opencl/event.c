/* Events: status, wait lists, user events, failures, callbacks, profiling, long chains. */
#include "testbench/opencl/cl_test.h"
#include <pthread.h>
#include <sys/wait.h>

static cl_mem buffer(size_t size)
{
	cl_int code;
	cl_mem m = clCreateBuffer(cl.context, 0, size, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	return m;
}

static cl_event user_event(void)
{
	cl_int code;
	cl_event e = clCreateUserEvent(cl.context, &code);
	assert_int_equal(code, CL_SUCCESS);
	return e;
}

static cl_int status(cl_event e)
{
	cl_int s = 99;
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof s, &s, NULL));
	return s;
}

static void queries(void **state)
{
	(void)state;
	cl_mem m = buffer(16);
	cl_event e;
	const int one = 1;
	CL_OK(clEnqueueFillBuffer(cl.queue, m, &one, 4, 0, 16, 0, NULL, &e));
	cl_command_type type;
	cl_command_queue queue;
	cl_context context;
	cl_uint refs;
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	assert_int_equal(type, CL_COMMAND_FILL_BUFFER);
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
	assert_ptr_equal(queue, cl.queue);
	CL_OK(clGetEventInfo(e, CL_EVENT_CONTEXT, sizeof context, &context, NULL));
	assert_ptr_equal(context, cl.context);
	CL_OK(clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
	assert_int_equal(refs, 1);
	CL_OK(clRetainEvent(e));
	CL_OK(clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, sizeof refs, &refs, NULL));
	assert_int_equal(refs, 2);
	CL_OK(clReleaseEvent(e));
	CL_FAILS(CL_INVALID_VALUE, clGetEventInfo(e, 0x1234, sizeof refs, &refs, NULL));
	CL_FAILS(CL_INVALID_EVENT, clGetEventInfo(NULL, CL_EVENT_CONTEXT, sizeof refs, &refs, NULL));
	/* a thread that only polls makes progress: nothing was flushed */
	int polls = 0;
	for (; status(e) != CL_COMPLETE && polls < 60000; polls++)
		usleep(1000);
	assert_true(polls < 60000);
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseMemObject(m));
}

static void user_events(void **state)
{
	(void)state;
	cl_event u = user_event();
	assert_int_equal(status(u), CL_SUBMITTED);
	cl_command_type type;
	cl_command_queue queue = cl.queue;
	CL_OK(clGetEventInfo(u, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
	assert_int_equal(type, CL_COMMAND_USER);
	CL_OK(clGetEventInfo(u, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
	assert_null(queue);
	CL_FAILS(CL_INVALID_VALUE, clSetUserEventStatus(u, CL_RUNNING));
	CL_FAILS(CL_INVALID_VALUE, clSetUserEventStatus(u, CL_QUEUED));
	cl_ulong t;
	CL_FAILS(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(u, CL_PROFILING_COMMAND_END, sizeof t, &t, NULL));

	cl_mem m = buffer(4);
	int v = 7, out = 0;
	cl_event w;
	CL_OK(clEnqueueWriteBuffer(cl.queue, m, CL_FALSE, 0, 4, &v, 1, &u, &w));
	CL_FAILS(CL_INVALID_EVENT, clSetUserEventStatus(w, CL_COMPLETE));
	CL_OK(clFlush(cl.queue));
	for (int i = 0; i < 5; i++)
		assert_true(status(w) > CL_RUNNING);
	CL_OK(clSetUserEventStatus(u, CL_COMPLETE));
	CL_FAILS(CL_INVALID_OPERATION, clSetUserEventStatus(u, CL_COMPLETE));
	CL_OK(clWaitForEvents(1, &w));
	assert_int_equal(status(w), CL_COMPLETE);
	CL_OK(clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, 4, &out, 1, &u, NULL));
	assert_int_equal(out, 7);
	CL_OK(clReleaseEvent(w));
	CL_OK(clReleaseEvent(u));
	CL_OK(clReleaseMemObject(m));
}

static void failure_goes_on(cl_command_queue q)
{
	cl_event u = user_event(), w, r, marker;
	cl_mem m = buffer(4);
	int v = 1, two = 2, out = 55;
	CL_OK(clEnqueueWriteBuffer(q, m, CL_TRUE, 0, 4, &two, 0, NULL, NULL));
	CL_OK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, &v, 1, &u, &w));
	CL_OK(clEnqueueReadBuffer(q, m, CL_FALSE, 0, 4, &out, 1, &w, &r));
	CL_OK(clEnqueueMarkerWithWaitList(q, 1, &r, &marker));
	CL_OK(clSetUserEventStatus(u, -1234));
	assert_int_equal(status(u), -1234);
	CL_FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &marker));
	assert_int_equal(status(w), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	assert_int_equal(status(r), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	assert_int_equal(status(marker), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	assert_int_equal(out, 55); /* nothing was delivered */
	/* failed events in a wait list, long after */
	cl_event late = NULL;
	CL_FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &out, 1, &w, &late));
	CL_FAILS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &out, 1, &u, &late));
	assert_int_equal(out, 55);
	/* the queue goes on */
	CL_OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &out, 0, NULL, NULL));
	assert_int_equal(out, 2);
	CL_OK(clReleaseEvent(u));
	CL_OK(clReleaseEvent(w));
	CL_OK(clReleaseEvent(r));
	CL_OK(clReleaseEvent(marker));
	CL_OK(clReleaseMemObject(m));
}

static void failures(void **state)
{
	(void)state;
	failure_goes_on(cl.queue);
	failure_goes_on(cl.unordered);
}

static void wait_errors(void **state)
{
	(void)state;
	cl_int code;
	cl_event list[2] = {user_event(), clCreateUserEvent(cl.all, &code)}, none[1] = {NULL};
	CL_FAILS(CL_INVALID_VALUE, clWaitForEvents(0, list));
	CL_FAILS(CL_INVALID_VALUE, clWaitForEvents(1, NULL));
	CL_FAILS(CL_INVALID_CONTEXT, clWaitForEvents(2, list));
	/* the loader looks at the first one itself */
	cl_event bad[2] = {list[0], none[0]};
	CL_FAILS(CL_INVALID_EVENT, clWaitForEvents(2, bad));
	CL_FAILS(CL_INVALID_CONTEXT, clEnqueueMarkerWithWaitList(cl.queue, 1, &list[1], NULL));
	CL_FAILS(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(cl.queue, 1, none, NULL));
	CL_OK(clReleaseEvent(list[0]));
	CL_OK(clReleaseEvent(list[1]));
}

/* ---- callbacks ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static struct { int id; cl_int status; bool other_thread; } log_[64];
static int logged;
static pthread_t main_thread;

static void CL_CALLBACK note(cl_event e, cl_int s, void *arg)
{
	(void)e;
	pthread_mutex_lock(&lock);
	log_[logged].id = (int)(intptr_t)arg;
	log_[logged].status = s;
	log_[logged++].other_thread = !pthread_equal(pthread_self(), main_thread);
	pthread_cond_signal(&called);
	pthread_mutex_unlock(&lock);
}

/* Nothing of OpenCL is called in here: the callback is all that the application waits for. */
static void wait_for_callbacks(int n)
{
	struct timespec limit;
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 20;
	pthread_mutex_lock(&lock);
	while (logged < n && !pthread_cond_timedwait(&called, &lock, &limit)) {
	}
	pthread_mutex_unlock(&lock);
	assert_int_equal(logged, n);
}

static void callbacks(void **state)
{
	(void)state;
	main_thread = pthread_self();
	logged = 0;
	cl_mem m = buffer(4);
	const int one = 1;
	cl_event e;
	CL_OK(clEnqueueFillBuffer(cl.queue, m, &one, 4, 0, 4, 0, NULL, &e));
	CL_FAILS(CL_INVALID_VALUE, clSetEventCallback(e, CL_COMPLETE, NULL, NULL));
	CL_FAILS(CL_INVALID_VALUE, clSetEventCallback(e, CL_QUEUED, note, NULL));
	CL_FAILS(CL_INVALID_EVENT, clSetEventCallback(NULL, CL_COMPLETE, note, NULL));
	CL_OK(clSetEventCallback(e, CL_COMPLETE, note, (void *)1));
	CL_OK(clReleaseEvent(e)); /* the callback's need keeps it */
	wait_for_callbacks(1);
	assert_int_equal(log_[0].status, CL_COMPLETE);
	assert_true(log_[0].other_thread);

	/* the statuses in their order, though they were asked for in another */
	logged = 0;
	cl_event u = user_event();
	CL_OK(clEnqueueFillBuffer(cl.queue, m, &one, 4, 0, 4, 1, &u, &e));
	CL_OK(clSetEventCallback(e, CL_COMPLETE, note, (void *)3));
	CL_OK(clSetEventCallback(e, CL_SUBMITTED, note, (void *)1));
	CL_OK(clSetEventCallback(e, CL_COMPLETE, note, (void *)4));
	wait_for_callbacks(1);
	CL_OK(clSetUserEventStatus(u, CL_COMPLETE));
	wait_for_callbacks(3);
	assert_int_equal(log_[0].id, 1);
	assert_int_equal(log_[0].status, CL_SUBMITTED);
	assert_int_equal(log_[1].id, 3);
	assert_int_equal(log_[2].id, 4);
	/* on one that has ended already */
	CL_OK(clSetEventCallback(e, CL_RUNNING, note, (void *)5));
	wait_for_callbacks(4);
	assert_int_equal(log_[3].status, CL_RUNNING);
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseEvent(u));

	/* a failure is told as such */
	logged = 0;
	u = user_event();
	CL_OK(clSetEventCallback(u, CL_COMPLETE, note, (void *)1));
	CL_OK(clEnqueueFillBuffer(cl.queue, m, &one, 4, 0, 4, 1, &u, &e));
	CL_OK(clSetEventCallback(e, CL_COMPLETE, note, (void *)2));
	CL_OK(clSetUserEventStatus(u, -5));
	wait_for_callbacks(2);
	assert_int_equal(log_[0].status, -5);
	assert_int_equal(log_[1].status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseEvent(u));
	CL_OK(clFinish(cl.queue));
	CL_OK(clReleaseMemObject(m));
}

/* A callback that calls back into OpenCL: enqueues the next step and sets its own callback. */
static cl_mem counter;
static int steps;
static void CL_CALLBACK step(cl_event e, cl_int s, void *arg)
{
	(void)e;
	cl_event next;
	const int v = ++steps;
	if (s != CL_COMPLETE || v >= 10) {
		note(e, s, arg);
		return;
	}
	if (clEnqueueFillBuffer(cl.queue, counter, &v, 4, 0, 4, 0, NULL, &next) || clSetEventCallback(next, CL_COMPLETE, step, arg) ||
	    clReleaseEvent(next))
		note(NULL, -1, arg);
}

static void callbacks_enqueue(void **state)
{
	(void)state;
	logged = steps = 0;
	counter = buffer(4);
	const int zero = 0;
	int out = -1;
	cl_event e;
	CL_OK(clEnqueueFillBuffer(cl.queue, counter, &zero, 4, 0, 4, 0, NULL, &e));
	CL_OK(clSetEventCallback(e, CL_COMPLETE, step, NULL));
	CL_OK(clReleaseEvent(e));
	wait_for_callbacks(1);
	assert_int_equal(log_[0].status, CL_COMPLETE);
	CL_OK(clEnqueueReadBuffer(cl.queue, counter, CL_TRUE, 0, 4, &out, 0, NULL, NULL));
	assert_int_equal(out, 9);
	CL_OK(clReleaseMemObject(counter));
}

/* An event is the callback's while it runs, also when the application has given its own reference back. */
static void CL_CALLBACK asks(cl_event e, cl_int s, void *arg)
{
	cl_command_type type = 0;
	cl_int code = clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
	if (!code && type != CL_COMMAND_FILL_BUFFER)
		code = 1;
	if (!code)
		code = clRetainEvent(e);
	if (!code)
		code = clReleaseEvent(e);
	note(e, s == CL_COMPLETE ? code : s, arg);
}

static void released_in_its_callback(void **state)
{
	(void)state;
	const int one = 1;
	cl_mem m = buffer(4);
	for (int i = 0; i < 20; i++) {
		cl_event e, u = user_event();
		logged = 0;
		CL_OK(clEnqueueFillBuffer(cl.queue, m, &one, 4, 0, 4, 1, &u, &e));
		CL_OK(clSetEventCallback(e, CL_COMPLETE, asks, NULL));
		CL_OK(clReleaseEvent(e));
		CL_OK(clSetUserEventStatus(u, CL_COMPLETE));
		CL_OK(clReleaseEvent(u));
		wait_for_callbacks(1);
		assert_int_equal(log_[0].status, CL_SUCCESS);
	}
	CL_OK(clReleaseMemObject(m));
}

/* ---- profiling ---- */

static void profiling(void **state)
{
	(void)state;
	static char data[300000];
	const char *speed = getenv("GALENA_SPEED");
	const int timed = !speed || strcmp(speed, "functional");
	cl_mem m = buffer(sizeof data);
	if (!timed)
		printf("# skip how long a transfer takes: without timing it takes no time to speak of\n");
	cl_event e[20];
	cl_ulong t[20][5];
	for (int i = 0; i < 20; i++)
		CL_OK(clEnqueueWriteBuffer(i & 1 ? cl.queue : cl.unordered, m, CL_FALSE, 0, i & 2 ? 100 : sizeof data, data, 0, NULL, &e[i]));
	CL_OK(clFinish(cl.queue));
	CL_OK(clFinish(cl.unordered));
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 5; k++) {
			static const cl_profiling_info what[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START,
								 CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_COMPLETE};
			CL_OK(clGetEventProfilingInfo(e[i], what[k], sizeof t[i][k], &t[i][k], NULL));
			assert_true(!k || t[i][k] >= t[i][k - 1]);
		}
		if (timed && !(i & 2)) /* 300,000 bytes are not moved in no time */
			assert_true(t[i][3] - t[i][2] > 300);
		CL_FAILS(CL_INVALID_VALUE, clGetEventProfilingInfo(e[i], 0x1234, sizeof t[0][0], &t[0][0], NULL));
		CL_OK(clReleaseEvent(e[i]));
	}
	for (int i = 3; i < 20; i += 2) /* in order, one after the other */
		assert_true(t[i][2] >= t[i - 2][3]);
	cl_int code;
	cl_command_queue q = clCreateCommandQueue(cl.context, cl.device, 0, &code);
	CL_OK(clEnqueueWriteBuffer(q, m, CL_TRUE, 0, 100, data, 0, NULL, &e[0]));
	CL_FAILS(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(e[0], CL_PROFILING_COMMAND_END, sizeof t[0][0], &t[0][0], NULL));
	CL_OK(clReleaseEvent(e[0]));
	CL_OK(clReleaseCommandQueue(q));
	CL_OK(clReleaseMemObject(m));
}

/* ---- chains ---- */

static void chain(cl_command_queue q, cl_int end)
{
	enum { LENGTH = 100000 };
	cl_event u = user_event(), e = u;
	CL_OK(clRetainEvent(u));
	for (int i = 0; i < LENGTH; i++) {
		cl_event next;
		CL_OK(clEnqueueMarkerWithWaitList(q, 1, &e, &next));
		CL_OK(clReleaseEvent(e));
		e = next;
	}
	assert_true(status(e) > CL_COMPLETE);
	CL_OK(clSetUserEventStatus(u, end));
	CL_FAILS(end ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS, clWaitForEvents(1, &e));
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseEvent(u));
}

static void chains(void **state)
{
	(void)state;
	chain(cl.queue, CL_COMPLETE);
	chain(cl.unordered, CL_COMPLETE);
	chain(cl.unordered, -1);
}

/* From one queue to the other and back, on several devices. */
static void between_queues(void **state)
{
	(void)state;
	cl_int code;
	enum { QUEUES = 5, LENGTH = 500 };
	cl_command_queue q[QUEUES];
	cl_event e = clCreateUserEvent(cl.all, &code), u = e;
	assert_int_equal(code, CL_SUCCESS);
	CL_OK(clRetainEvent(u));
	cl_mem m = clCreateBuffer(cl.all, 0, 4, NULL, &code);
	for (int i = 0; i < QUEUES; i++) {
		q[i] = clCreateCommandQueue(cl.all, cl.devices[(unsigned)i % cl.num_devices], i & 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
		assert_int_equal(code, CL_SUCCESS);
	}
	for (int i = 0; i < LENGTH; i++) {
		cl_event next;
		CL_OK(clEnqueueFillBuffer(q[i % QUEUES], m, &i, 4, 0, 4, 1, &e, &next));
		CL_OK(clReleaseEvent(e));
		e = next;
	}
	CL_OK(clSetUserEventStatus(u, CL_COMPLETE));
	int out = 0;
	CL_OK(clEnqueueReadBuffer(q[0], m, CL_TRUE, 0, 4, &out, 1, &e, NULL));
	assert_int_equal(out, LENGTH - 1);
	CL_OK(clReleaseEvent(e));
	CL_OK(clReleaseEvent(u));
	for (int i = 0; i < QUEUES; i++)
		CL_OK(clReleaseCommandQueue(q[i]));
	CL_OK(clReleaseMemObject(m));
}

/* ---- threads ---- */

static void *worker(void *arg)
{
	uint64_t seed = cl_test_seed() + (uintptr_t)arg;
	cl_command_queue q = (uintptr_t)arg & 1 ? cl.queue : cl.unordered;
	for (int i = 0; i < 200; i++) {
		cl_int code;
		uint32_t v[64], out[64] = {0};
		cl_mem m = clCreateBuffer(cl.context, 0, sizeof v, NULL, &code);
		for (int k = 0; k < 64; k++)
			v[k] = (uint32_t)splitmix64(&seed);
		cl_event w;
		if (code || clEnqueueWriteBuffer(q, m, CL_FALSE, 0, sizeof v, v, 0, NULL, &w) ||
		    clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof out, out, 1, &w, NULL) || clReleaseEvent(w) || clReleaseMemObject(m) ||
		    memcmp(v, out, sizeof v))
			return "a transfer failed";
	}
	return NULL;
}

static void threads(void **state)
{
	(void)state;
	pthread_t t[4];
	for (uintptr_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, worker, (void *)i), 0);
	for (int i = 0; i < 4; i++) {
		void *result;
		pthread_join(t[i], &result);
		assert_null(result);
	}
}

/* ---- callbacks that are pending when the program ends ---- */

static void CL_CALLBACK slow(cl_event e, cl_int s, void *arg)
{
	cl_int now = 99;
	(void)s;
	usleep(20000); /* the program's main function has long returned */
	if (clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL) || now != CL_COMPLETE)
		_exit(3);
	if (arg)
		exit(7);
}

/* The process that exits() starts: 50 callbacks are under way when it ends. Returns its exit status. */
static int exit_with_callbacks(bool from_callback)
{
	cl_test_setup(NULL);
	for (int i = 0; i < 50; i++) {
		cl_event e;
		if (clEnqueueMarkerWithWaitList(i % 2 ? cl.queue : cl.unordered, 0, NULL, &e) ||
		    clSetEventCallback(e, CL_COMPLETE, slow, from_callback && i == 3 ? &cl : NULL))
			return 2; /* the callback has the reference */
	}
	if (clFinish(cl.queue) || clFinish(cl.unordered))
		return 2;
	if (from_callback)
		for (;;)
			pause();
	return 0;
}

static void exits(void **state)
{
	(void)state;
	static const struct { const char *how; int status; } ways[] = {{"--exit", 0}, {"--exit-in-callback", 7}};
	for (int i = 0; i < 2; i++) {
		int ended = -1;
		pid_t child = fork();
		if (!child) {
			execl("/proc/self/exe", "event", ways[i].how, (char *)NULL);
			_exit(99);
		}
		assert_int_equal(waitpid(child, &ended, 0), child);
		assert_true(WIFEXITED(ended));
		assert_int_equal(WEXITSTATUS(ended), ways[i].status);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries),     cmocka_unit_test(user_events),       cmocka_unit_test(failures),
		cmocka_unit_test(wait_errors), cmocka_unit_test(callbacks),         cmocka_unit_test(callbacks_enqueue),
		cmocka_unit_test(profiling),   cmocka_unit_test(between_queues),    cmocka_unit_test(threads),
		cmocka_unit_test(chains),      cmocka_unit_test(exits),             cmocka_unit_test(released_in_its_callback),
	};
	cl_test_init(argc, argv);
	if (argc > 1 && !strncmp(argv[1], "--exit", 6))
		return exit_with_callbacks(argv[1][6]);
	return cmocka_run_group_tests(tests, cl_test_setup, cl_test_teardown);
}
