/* Endless kernels end, in either speed, whatever they loop over; what is long but gets on does not; what others do goes on. */
#define _GNU_SOURCE
#include "testbench/opencl/cl_test.h"
#include "runtime/umd/umd.h"
#include <sys/wait.h>

#define LIMIT "300000"
enum { LIMIT_CYCLES = 300000, ITEMS = 256, GROUP = 64 };

static const char source[] =
	"kernel void empty(global volatile int *p) { for (;;); }\n"
	"kernel void memory(global volatile int *p) { for (;;) p[get_global_id(0)]++; }\n"
	"kernel void barriers(global volatile int *p) { for (;;) barrier(CLK_GLOBAL_MEM_FENCE); }\n"
	"kernel void apart(global volatile int *p) { if (get_local_id(0) & 1) for (;;) p[1]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
	"kernel void atomics(global volatile int *p) { for (;;) atomic_inc(p); }\n"
	"kernel void calls(global volatile int *p) { for (;;) p[0] = (int)sin((float)p[1]); }\n"
	/* a group takes a good part of the limit; all of them together, many limits */
	"kernel void gets_on(global volatile int *p, int n) { for (int i = 0; i < n; i++) p[get_global_id(0)]++; }\n"
	"kernel void good(global int *p) { p[get_global_id(0)] = 7; }\n";
static const char *const endless[] = { "empty", "memory", "barriers", "apart", "atomics", "calls" };

static cl_program program;

static cl_program built(cl_context context)
{
	const char *text = source;
	cl_int code;
	cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(p, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
	return p;
}

static cl_kernel kernel_of(cl_program p, const char *name, cl_mem m)
{
	cl_int code;
	cl_kernel k = clCreateKernel(p, name, &code);
	CL_OK(code);
	CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
	return k;
}

static cl_mem buffer(cl_context context)
{
	cl_int code;
	cl_mem m = clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, ITEMS * 4, NULL, &code);
	CL_OK(code);
	return m;
}

static cl_int status_of(cl_event e)
{
	cl_int status;
	CL_OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	return status;
}

static uint64_t cycles_of(cl_event e)
{
	cl_ulong begin, end;
	cl_uint mhz;
	CL_OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL));
	CL_OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
	CL_OK(clGetDeviceInfo(cl.device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof mhz, &mhz, NULL));
	return (end - begin) * mhz / 1000;
}

/* Beside each endless kernel another queue, and another context, do their work. */
static void endless_kernels_end(void **state)
{
	(void)state;
	const size_t items = ITEMS, group = GROUP;
	cl_int code;
	cl_context other = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code);
	CL_OK(code);
	cl_program program_there = built(other);
	cl_command_queue queue_there = clCreateCommandQueue(other, cl.device, 0, &code), beside = clCreateCommandQueue(cl.context, cl.device, 0, &code);
	CL_OK(code);
	cl_mem m = buffer(cl.context), mine = buffer(cl.context), theirs = buffer(other);
	for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
		cl_event e;
		int out[2][ITEMS];
		cl_kernel k = kernel_of(program, endless[i], m), good = kernel_of(program, "good", mine),
			  good_there = kernel_of(program_there, "good", theirs);
		CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &items, &group, 0, NULL, &e));
		CL_OK(clFlush(cl.queue));
		CL_OK(clEnqueueNDRangeKernel(beside, good, 1, NULL, &items, &group, 0, NULL, NULL));
		CL_OK(clEnqueueReadBuffer(beside, mine, CL_TRUE, 0, sizeof out[0], out[0], 0, NULL, NULL));
		CL_OK(clEnqueueNDRangeKernel(queue_there, good_there, 1, NULL, &items, &group, 0, NULL, NULL));
		CL_OK(clEnqueueReadBuffer(queue_there, theirs, CL_TRUE, 0, sizeof out[1], out[1], 0, NULL, NULL));
		for (int n = 0; n < 2 * ITEMS; n++)
			assert_int_equal(out[n / ITEMS][n % ITEMS], 7);
		clWaitForEvents(1, &e);
		if (status_of(e) >= 0)
			fail_msg("%s has ended well", endless[i]);
		/* and the queue goes on */
		CL_OK(clEnqueueNDRangeKernel(cl.queue, good, 1, NULL, &items, &group, 0, NULL, NULL));
		CL_OK(clFinish(cl.queue));
		CL_OK(clReleaseEvent(e));
		CL_OK(clReleaseKernel(k));
		CL_OK(clReleaseKernel(good));
		CL_OK(clReleaseKernel(good_there));
	}
}

/* A kernel, and a transfer, that take several limits in all. */
static void what_gets_on_lives(void **state)
{
	(void)state;
	enum { GROUPS = 512, LARGE = 64 << 20 };
	const size_t items = GROUPS * GROUP, group = GROUP;
	cl_int code, n = 100;
	cl_event e;
	cl_mem m = clCreateBuffer(cl.context, 0, items * 4, NULL, &code);
	CL_OK(code);
	cl_kernel k = kernel_of(program, "gets_on", m);
	uint64_t took = 0;
	for (; took < 3 * LIMIT_CYCLES && n < 100000; n = n * 3 / 2) {
		CL_OK(clSetKernelArg(k, 1, sizeof n, &n));
		CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &items, &group, 0, NULL, &e));
		CL_OK(clWaitForEvents(1, &e));
		assert_int_equal(status_of(e), CL_COMPLETE);
		took = cycles_of(e);
		CL_OK(clReleaseEvent(e));
	}
	assert_true(took >= 3 * LIMIT_CYCLES);
	cl_mem from = clCreateBuffer(cl.context, 0, LARGE, NULL, &code), to = clCreateBuffer(cl.context, 0, LARGE, NULL, &code);
	CL_OK(code);
	CL_OK(clEnqueueCopyBuffer(cl.queue, from, to, 0, 0, LARGE, 0, NULL, &e));
	CL_OK(clWaitForEvents(1, &e));
	assert_int_equal(status_of(e), CL_COMPLETE);
	if (strcmp(getenv("GALENA_SPEED"), "functional"))
		assert_true(cycles_of(e) > 2 * LIMIT_CYCLES);
	CL_OK(clReleaseEvent(e));
}

static int setup(void **state)
{
	if (cl_test_setup(state))
		return -1;
	program = built(cl.context);
	return 0;
}

static int run_again(const char *self, const char *speed)
{
	pid_t pid = fork();
	int status = -1;
	assert_true(pid >= 0);
	if (!pid) {
		setenv("GALENA_WATCHDOG", LIMIT, 1);
		setenv("GALENA_SPEED", speed, 1);
		setenv("GALENA_DEVICES", "1", 1);
		setenv("GALENA_LOG", "none", 1);
		setenv("GALENA_FAIL_ON", "rule", 1);
		execl(self, self, "--child", NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static const char *self;
static void timed(void **state) { (void)state; assert_int_equal(run_again(self, "timed"), 0); }
static void functional(void **state) { (void)state; assert_int_equal(run_again(self, "functional"), 0); }

/* What the table says is what the devices are told. */
static void the_default_is_documented(void **state)
{
	(void)state;
	static const struct { const char *name, *value; } rows[] = {
#define ENV(name, def, values, doc) { name, def },
#include "abi/environment.def"
#undef ENV
	};
	unsetenv("GALENA_WATCHDOG");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, "GALENA_WATCHDOG")) {
			const char *error;
			struct umd *u = umd_open(&error);
			assert_non_null(u);
			assert_true(umd_watchdog(u) > 0);
			assert_int_equal(umd_watchdog(u), strtoull(rows[i].value, NULL, 0));
			umd_close(u);
			return;
		}
	fail_msg("no row");
}

int main(int argc, char **argv)
{
	cl_test_init(1, argv);
	self = argv[0];
	const struct CMUnitTest one[] = { cmocka_unit_test(endless_kernels_end), cmocka_unit_test(what_gets_on_lives) };
	const struct CMUnitTest tests[] = { cmocka_unit_test(timed), cmocka_unit_test(functional), cmocka_unit_test(the_default_is_documented) };
	if (argc == 2 && !strcmp(argv[1], "--child"))
		return cmocka_run_group_tests(one, setup, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
