/* A process that forks while it has contexts, and while threads of its own and of the library are at work in them: what the child
 * inherits is its parent's, and nothing that it does with it hangs, or harms the parent. The devices' handles are good in both. */
#include "testbench/opencl/cl_test.h"
#include "testbench/forks.h"
#include "testbench/skip.h"
#include <fcntl.h>

enum { WORDS = 4096, BYTES = 4 * WORDS, FORKS = 50, OWN = 8 };

static const char source[] = "kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }";
static cl_program program;
static cl_mem buffer;
static cl_event user, waits; /* one that nobody sets, and a command that waits for it */

static cl_kernel kernel_of(cl_context context, cl_program *p)
{
	*p = clCreateProgramWithSource(context, 1, (const char *[]){source}, NULL, NULL);
	return *p && !clBuildProgram(*p, 0, NULL, NULL, NULL, NULL) ? clCreateKernel(*p, "add", NULL) : NULL;
}

/* Adds to all words, and looks at them; false: something was not as it should be. */
static bool adds(cl_context context, cl_command_queue queue, cl_kernel k, unsigned n)
{
	static _Thread_local cl_uint words[WORDS];
	const size_t all = WORDS;
	bool good = true;
	cl_int code;
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = i;
	cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, BYTES, words, &code);
	good = !code && !clSetKernelArg(k, 0, sizeof m, &m) && !clSetKernelArg(k, 1, sizeof n, &n) &&
	       !clEnqueueNDRangeKernel(queue, k, 1, NULL, &all, NULL, 0, NULL, NULL) &&
	       !clEnqueueReadBuffer(queue, m, CL_TRUE, 0, BYTES, words, 0, NULL, NULL) && !clReleaseMemObject(m);
	for (unsigned i = 0; i < WORDS; i++)
		good = good && words[i] == i + n;
	return good;
}

/* ---- the parent ---- */
static atomic_uint called, expected;

static void *launch(void *unused)
{
	cl_program p;
	cl_kernel k = kernel_of(cl.context, &p);
	wrong += !k;
	for (unsigned n = 0; !stop; n++) {
		wrong += !adds(cl.context, cl.queue, k, n);
		rounds++;
	}
	wrong += clReleaseKernel(k) || clReleaseProgram(p);
	return unused;
}

static void CL_CALLBACK complete(cl_event e, cl_int status, void *unused)
{
	(void)unused;
	wrong += status != CL_COMPLETE || clReleaseEvent(e);
	called++;
}

/* The library's threads: nobody waits for these commands. */
static void *call_back(void *unused)
{
	while (!stop) {
		cl_event e = NULL;
		const cl_uint zero = 0;
		wrong += clEnqueueFillBuffer(cl.unordered, buffer, &zero, sizeof zero, 0, BYTES, 0, NULL, &e) ||
			 clSetEventCallback(e, CL_COMPLETE, complete, NULL) || clFlush(cl.unordered);
		expected++;
		rounds++;
		while (expected - called > 16)
			usleep(100);
	}
	while (called < expected)
		usleep(100);
	return unused;
}

/* Objects and contexts come and go: the locks of the library's heap and of its table of objects are held most of the time. */
static void *create(void *unused)
{
	enum { SAMPLERS = 1000 };
	while (!stop) {
		cl_context c = clCreateContext(NULL, cl.num_devices, cl.devices, NULL, NULL, NULL);
		for (unsigned i = 0; i < SAMPLERS; i++) {
			cl_sampler s = clCreateSampler(c, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, NULL);
			wrong += !s || clReleaseSampler(s);
		}
		cl_mem m = clCreateBuffer(c, CL_MEM_ALLOC_HOST_PTR, 3 * BYTES, NULL, NULL);
		wrong += !m || clReleaseMemObject(m) || clReleaseContext(c);
		rounds++;
	}
	return unused;
}

static int begin(void **state)
{
	cl_kernel k;
	const cl_uint zero = 0;
	if (cl_test_setup(state))
		return -1;
	k = kernel_of(cl.context, &program);
	buffer = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, BYTES, NULL, NULL);
	user = clCreateUserEvent(cl.context, NULL);
	return !k || clReleaseKernel(k) || !buffer || !user ||
	       clEnqueueFillBuffer(cl.unordered, buffer, &zero, sizeof zero, 0, BYTES, 1, &user, &waits) || clFlush(cl.unordered);
}

static int end(void **state)
{
	return clSetUserEventStatus(user, CL_COMPLETE) || clWaitForEvents(1, &waits) || clReleaseEvent(user) || clReleaseEvent(waits) ||
	       clReleaseMemObject(buffer) || clReleaseProgram(program) || cl_test_teardown(state);
}

static void *(*const busy[BUSY])(void *) = {launch, call_back, create};

/* ---- the children ---- */
static void release(void)
{
	CHILD_OK(clReleaseEvent(waits) == CL_SUCCESS);
	CHILD_OK(clReleaseEvent(user) == CL_SUCCESS);
	CHILD_OK(clReleaseMemObject(buffer) == CL_SUCCESS);
	CHILD_OK(clReleaseProgram(program) == CL_SUCCESS);
	CHILD_OK(clReleaseCommandQueue(cl.queue) == CL_SUCCESS);
	CHILD_OK(clReleaseCommandQueue(cl.unordered) == CL_SUCCESS);
	CHILD_OK(clReleaseContext(cl.context) == CL_SUCCESS);
	CHILD_OK(clReleaseContext(cl.all) == CL_SUCCESS);
	CHILD_OK(clReleaseDevice(cl.device) == CL_SUCCESS);
}

static void released(void **state)
{
	(void)state;
	children(busy, FORKS, release, false);
}

/* At the end of the process, as C++ programs do. */
static void register_release(void) { CHILD_OK(!atexit(release)); }

static void exits(void **state)
{
	(void)state;
	children(busy, FORKS, register_release, true);
}

/* Nothing works with what is the parent's, and nothing waits. */
static void use(void)
{
	cl_uint word = 0, count = 0;
	cl_int code = CL_SUCCESS;
	CHILD_OK(clFinish(cl.queue) == CL_INVALID_COMMAND_QUEUE);
	CHILD_OK(clFinish(cl.unordered) == CL_INVALID_COMMAND_QUEUE);
	CHILD_OK(clFlush(cl.queue) == CL_INVALID_COMMAND_QUEUE);
	CHILD_OK(clWaitForEvents(1, &waits) == CL_INVALID_EVENT);
	CHILD_OK(clSetUserEventStatus(user, CL_COMPLETE) == CL_INVALID_EVENT);
	CHILD_OK(clGetEventInfo(waits, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof code, &code, NULL) == CL_INVALID_EVENT);
	CHILD_OK(clEnqueueReadBuffer(cl.queue, buffer, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL) == CL_INVALID_COMMAND_QUEUE);
	CHILD_OK(clRetainMemObject(buffer) == CL_INVALID_MEM_OBJECT);
	CHILD_OK(clGetContextInfo(cl.context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL) == CL_INVALID_CONTEXT);
	CHILD_OK(!clCreateBuffer(cl.context, 0, BYTES, NULL, &code) && code == CL_INVALID_CONTEXT);
	CHILD_OK(!clCreateCommandQueue(cl.context, cl.device, 0, &code) && code == CL_INVALID_CONTEXT);
}

static void refused(void **state)
{
	(void)state;
	children(busy, FORKS, use, false);
}

static void compute(void)
{
	cl_int code;
	cl_program p;
	cl_context c = clCreateContext(NULL, cl.num_devices, cl.devices, NULL, NULL, &code);
	CHILD_OK(!code);
	for (cl_uint d = 0; d < cl.num_devices; d++) {
		cl_command_queue q = clCreateCommandQueue(c, cl.devices[d], 0, &code);
		CHILD_OK(!code);
		cl_kernel k = kernel_of(c, &p);
		CHILD_OK(k);
		for (unsigned n = 0; n < 3; n++)
			CHILD_OK(adds(c, q, k, n));
		CHILD_OK(!clReleaseKernel(k) && !clReleaseProgram(p) && !clReleaseCommandQueue(q));
	}
	CHILD_OK(!clReleaseContext(c));
}

/* What is the parent's does not get into it. */
static void own_context(void)
{
	cl_int code;
	cl_program p;
	compute();
	cl_context c = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
	CHILD_OK(!code);
	cl_command_queue q = clCreateCommandQueue(c, cl.device, 0, &code);
	CHILD_OK(!code);
	cl_kernel k = kernel_of(c, &p);
	CHILD_OK(k);
	CHILD_OK(clSetKernelArg(k, 0, sizeof buffer, &buffer) == CL_INVALID_MEM_OBJECT);
	CHILD_OK(clEnqueueMarkerWithWaitList(q, 1, &waits, NULL) == CL_INVALID_EVENT_WAIT_LIST);
	CHILD_OK(!clReleaseKernel(k) && !clReleaseProgram(p) && !clReleaseCommandQueue(q) && !clReleaseContext(c));
}

static void own_contexts(void **state)
{
	(void)state;
	children(busy, OWN, own_context, true);
}

/* As one that asks for everything itself; and its callbacks are called. */
static void asks_again(void)
{
	cl_platform_id platform = NULL;
	cl_device_id device = NULL;
	cl_int code;
	const cl_uint zero = 0;
	cl_event e;
	const unsigned before = called;
	CHILD_OK(!clGetPlatformIDs(1, &platform, NULL) && platform == cl.platform);
	CHILD_OK(!clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 1, &device, NULL) && device == cl.device);
	cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	CHILD_OK(!code);
	cl_command_queue q = clCreateCommandQueue(c, device, 0, &code);
	CHILD_OK(!code);
	cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, BYTES, NULL, &code);
	CHILD_OK(!code);
	CHILD_OK(!clEnqueueFillBuffer(q, m, &zero, sizeof zero, 0, BYTES, 0, NULL, &e));
	CHILD_OK(!clSetEventCallback(e, CL_COMPLETE, complete, NULL) && !clFinish(q));
	while (called == before)
		usleep(100);
	CHILD_OK(!clReleaseMemObject(m) && !clReleaseCommandQueue(q) && !clReleaseContext(c));
}

static void own_devices(void **state)
{
	(void)state;
	children(busy, OWN, asks_again, true);
}

/* ---- what is recorded of the parent ---- */
enum { RECORDED_ADDS = 4 };

/* This program again: alone, or with a child that computes and ends through exit() in the middle of it. */
static int recorded(bool forks)
{
	cl_program p;
	if (cl_test_setup(NULL))
		return 1;
	cl_kernel k = kernel_of(cl.context, &p);
	for (unsigned n = 0; n < RECORDED_ADDS; n++) {
		if (!k || !adds(cl.context, cl.queue, k, n))
			return 2;
		const char *failed = forks && n == RECORDED_ADDS / 2 ? child_fails(compute, true) : NULL;
		if (failed) {
			fprintf(stderr, "%s\n", failed);
			return 3;
		}
	}
	return 0;
}

static size_t record(const char *variable, const char *how, const char *path, char **bytes)
{
	char text[4200];
	int status = 0;
	const pid_t child = fork();
	if (!child) {
		program_path(text, 0);
		setenv(variable, path, 1);
		execl(text, text, how, (char *)NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	const long size = ftell(f);
	assert_true(size > 0);
	rewind(f);
	*bytes = malloc((size_t)size);
	assert_non_null(*bytes);
	assert_int_equal(fread(*bytes, 1, (size_t)size, f), size);
	fclose(f);
	unlink(path);
	return (size_t)size;
}

/* Traces, events and the report of the rules are those of a process that does not fork, byte for byte. */
static void recordings(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	SKIP("the sanitizer's heap stands in for the library's own (icd/heap.c)");
#endif
	static const char *const variables[] = {"GALENA_TRACE", "GALENA_EVENTS", "GALENA_CHECK", "GALENA_HASH"};
	char path[PATH_MAX + 16], program_[PATH_MAX], *alone, *with;
	program_path(program_, 0);
	snprintf(path, sizeof path, "%s.recording", program_);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		unlink(path); /* reports are appended */
		const size_t size = record(variables[i], "--alone", path, &alone), size_with = record(variables[i], "--forks", path, &with);
		assert_int_equal(size, size_with);
		assert_memory_equal(alone, with, size);
		free(alone);
		free(with);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(released, begin, end),     cmocka_unit_test_setup_teardown(exits, begin, end),
		cmocka_unit_test_setup_teardown(refused, begin, end),      cmocka_unit_test_setup_teardown(own_contexts, begin, end),
		cmocka_unit_test_setup_teardown(own_devices, begin, end),  cmocka_unit_test(recordings),
	};
	cl_test_init(argc, argv);
	if (argc > 1 && !strcmp(argv[1], "--alone"))
		return recorded(false);
	if (argc > 1 && !strcmp(argv[1], "--forks"))
		return recorded(true);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
