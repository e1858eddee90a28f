/* pthread_cancel() of threads inside the API: a call is finished before its thread ends, and leaves no lock behind. */
#include "testbench/opencl/cl_test.h"
#include "testbench/skip.h"
#include <pthread.h>
#include <stdatomic.h>

static cl_command_queue queue;
static cl_event gate;
static cl_mem buffer;
static atomic_uint inside;

static void *finish(void *unused)
{
	(void)unused;
	inside++;
	clFinish(queue);
	for (;;)
		pthread_testcancel();
	return NULL;
}

static void *wait_for_event(void *unused)
{
	(void)unused;
	inside++;
	clWaitForEvents(1, &gate);
	for (;;)
		pthread_testcancel();
	return NULL;
}

static void works(void)
{
	cl_uint words[256], i;
	for (i = 0; i < 256; i++)
		words[i] = i * 3;
	CL_OK(clEnqueueWriteBuffer(cl.queue, buffer, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
	memset(words, 0, sizeof words);
	CL_OK(clEnqueueReadBuffer(cl.queue, buffer, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
	for (i = 0; i < 256; i++)
		assert_int_equal(words[i], i * 3);
}

/* Threads that sleep in a wait go on sleeping until it is over, and then end. */
/* It leaves the shadow of a cancelled thread's stack as it is, and finds that itself later. */
static void not_with_a_sanitizer(void)
{
#ifdef __SANITIZE_ADDRESS__
	SKIP("AddressSanitizer does not clear the shadow of a cancelled thread's stack");
#endif
}

static void in_waits(void **state)
{
	(void)state;
	not_with_a_sanitizer();
	static void *(*const does[])(void *) = {finish, wait_for_event};
	cl_int code;
	for (int i = 0; i < 2; i++) {
		pthread_t t;
		void *result;
		gate = clCreateUserEvent(cl.context, &code);
		CL_OK(code);
		CL_OK(clEnqueueMarkerWithWaitList(queue, 1, &gate, NULL));
		inside = 0;
		assert_int_equal(pthread_create(&t, NULL, does[i], NULL), 0);
		while (!inside)
			usleep(1000);
		usleep(20000);
		assert_int_equal(pthread_cancel(t), 0);
		usleep(20000);
		works(); /* no lock was left */
		CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
		assert_int_equal(pthread_join(t, &result), 0);
		assert_ptr_equal(result, PTHREAD_CANCELED);
		CL_OK(clFinish(queue));
		CL_OK(clReleaseEvent(gate));
	}
}

static void *everything(void *unused)
{
	(void)unused;
	cl_int code;
	char host[1024];
	for (;;) {
		inside++;
		cl_mem m = clCreateBuffer(cl.context, 0, 4096, NULL, &code);
		clEnqueueReadBuffer(cl.queue, buffer, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL);
		clEnqueueFillBuffer(queue, m, "x", 1, 0, 4096, 0, NULL, NULL);
		clFinish(queue);
		clReleaseMemObject(m);
		const char *text = "kernel void f(void) {}";
		cl_program p = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
		clBuildProgram(p, 0, NULL, NULL, NULL, NULL);
		clReleaseProgram(p);
		pthread_testcancel();
	}
	return NULL;
}

static void anywhere(void **state)
{
	(void)state;
	not_with_a_sanitizer();
	uint64_t random = cl.seed;
	for (int i = 0; i < 60; i++) {
		pthread_t t;
		const unsigned before = inside;
		assert_int_equal(pthread_create(&t, NULL, everything, NULL), 0);
		while (inside == before)
			usleep(100);
		usleep((useconds_t)(splitmix64(&random) % 3000));
		assert_int_equal(pthread_cancel(t), 0);
		assert_int_equal(pthread_join(t, NULL), 0);
		works();
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(in_waits), cmocka_unit_test(anywhere)};
	cl_int code;
	cl_test_init(argc, argv);
	alarm(240);
	if (cl_test_setup(NULL))
		return 1;
	queue = clCreateCommandQueue(cl.context, cl.device, 0, &code);
	buffer = clCreateBuffer(cl.context, 0, 4096, NULL, &code);
	return code ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
