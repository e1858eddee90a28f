/* The end of a process whose threads are inside the API: it ends at once, with the status that it has, and what it recorded can be
 * read. Each case is a process of its own, several times, with and without recorders. */
#define _GNU_SOURCE
#include "testbench/opencl/cl_test.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { THREADS = 4, STATUS = 7, SECONDS = 60, TIMES = 3 };

static const char source[] = "kernel void spin(global uint *p, uint n) { uint x = get_global_id(0); for (uint i = 0; i < n; i++) x = x * 1664525u + i; "
			     "p[get_global_id(0)] = x; }\n";
static cl_program program;
static atomic_uint rounds;

/* ---- what threads do, for ever ---- */
static cl_mem memory(size_t bytes)
{
	cl_int code;
	cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, bytes, NULL, &code);
	return code ? NULL : m;
}

static void *kernels(void *unused)
{
	cl_int code;
	const cl_uint n = 100;
	cl_mem m = memory(4096);
	cl_command_queue q = clCreateCommandQueue(cl.context, cl.device, 0, &code);
	cl_kernel k = clCreateKernel(program, "spin", &code);
	clSetKernelArg(k, 0, sizeof m, &m);
	clSetKernelArg(k, 1, sizeof n, &n);
	for (;; rounds++) {
		clEnqueueNDRangeKernel(q, k, 1, NULL, (size_t[]){1024}, NULL, 0, NULL, NULL);
		clFlush(q);
	}
	return unused;
}

static void *reads(void *unused)
{
	char host[65536];
	cl_mem m = memory(sizeof host);
	for (;; rounds++)
		clEnqueueReadBuffer(cl.queue, m, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL);
	return unused;
}

static void *behind_a_user_event(void *unused)
{
	cl_int code;
	cl_event gate = clCreateUserEvent(cl.context, &code);
	cl_command_queue q = clCreateCommandQueue(cl.context, cl.device, 0, &code);
	clEnqueueMarkerWithWaitList(q, 1, &gate, NULL);
	rounds++;
	clFinish(q);
	return unused;
}

static void *objects(void *unused)
{
	for (;; rounds++) {
		cl_mem m[8];
		for (int i = 0; i < 8; i++)
			m[i] = memory((size_t)4096 << i);
		for (int i = 0; i < 8; i++)
			clReleaseMemObject(m[i]);
	}
	return unused;
}

static void *builds(void *unused)
{
	cl_int code;
	for (;; rounds++) {
		char text[128], *p = text;
		snprintf(text, sizeof text, "kernel void f(global int *p) { *p = %u; }", atomic_load(&rounds) % 4);
		cl_program made = clCreateProgramWithSource(cl.context, 1, (const char **)&p, NULL, &code);
		clBuildProgram(made, 0, NULL, NULL, NULL, NULL);
		clReleaseProgram(made);
	}
	return unused;
}

static void *polls(void *unused)
{
	cl_int code, status;
	cl_event gate = clCreateUserEvent(cl.context, &code), end = NULL; /* NULL: the program had ended before */
	clEnqueueMarkerWithWaitList(cl.unordered, 1, &gate, &end);
	for (;; rounds++)
		clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	return unused;
}

static void *long_kernel(void *unused)
{
	const cl_uint n = 20000000;
	cl_int code;
	cl_mem m = memory(4096);
	cl_kernel k = clCreateKernel(program, "spin", &code);
	clSetKernelArg(k, 0, sizeof m, &m);
	clSetKernelArg(k, 1, sizeof n, &n);
	clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, (size_t[]){1024}, NULL, 0, NULL, NULL);
	rounds += 4;
	clFinish(cl.queue);
	return unused;
}

/* ---- ends that are not main's return ---- */
static void CL_CALLBACK exit_here(cl_event e, cl_int status, void *arg)
{
	(void)e, (void)status, (void)arg;
	exit(STATUS);
}

static int from_a_callback(void)
{
	cl_event e;
	clEnqueueMarkerWithWaitList(cl.queue, 0, NULL, &e);
	clSetEventCallback(e, CL_COMPLETE, exit_here, NULL);
	clFlush(cl.queue);
	for (;;)
		pause();
	return 0;
}

static void interrupted(int number)
{
	(void)number;
	exit(STATUS);
}

/* Of a program that does not know better: exit() in a handler, whatever was interrupted. */
static int from_a_handler(void)
{
	const struct itimerval soon = {.it_value.tv_usec = 100000};
	signal(SIGPROF, interrupted);
	setitimer(ITIMER_PROF, &soon, NULL);
	reads(NULL);
	return 0;
}

static cl_mem kept;

/* Registered before the first call of the API, so it is called when the library's own end has begun, or has been. */
static void late(void)
{
	cl_uint word = 0;
	if (kept && (clEnqueueReadBuffer(cl.queue, kept, CL_TRUE, 0, 4, &word, 0, NULL, NULL) || word != 0x5eed))
		_exit(STATUS + 1);
}

static int work_at_exit(void)
{
	const cl_uint word = 0x5eed;
	kept = memory(4096);
	clEnqueueWriteBuffer(cl.queue, kept, CL_TRUE, 0, 4, &word, 0, NULL, NULL);
	return STATUS;
}

static const struct ending {
	const char *name;
	void *(*thread)(void *);
	int (*alone)(void);
} endings[] = {
	{"kernels", kernels, NULL},         {"reads", reads, NULL},
	{"user_event", behind_a_user_event, NULL}, {"objects", objects, NULL},
	{"builds", builds, NULL},           {"polls", polls, NULL},
	{"long_kernel", long_kernel, NULL}, {"callback", NULL, from_a_callback},
	{"handler", NULL, from_a_handler},  {"work_at_exit", NULL, work_at_exit},
};
enum { ENDINGS = sizeof endings / sizeof *endings };

static int child(const struct ending *e)
{
	const char *text = source;
	cl_int code;
	alarm(SECONDS);
	atexit(late);
	if (cl_test_setup(NULL))
		return 1;
	program = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
	if (code || clBuildProgram(program, 0, NULL, NULL, NULL, NULL))
		return 2;
	if (e->alone)
		return e->alone();
	for (int i = 0; i < THREADS; i++) {
		pthread_t t;
		if (pthread_create(&t, NULL, e->thread, NULL))
			return 3;
	}
	while (rounds < 4)
		usleep(1000);
	usleep((useconds_t)(cl.seed * 7919 % 20000)); /* anywhere in a round */
	return STATUS;
}

/* ---- the tests ---- */
static char build[PATH_MAX], files[] = "/tmp/galena-ending-XXXXXX";

static int run(char *const argv[], const char *const variables[][2])
{
	int status = 0;
	const pid_t pid = fork();
	if (!pid) {
		dup2(2, 1); /* a test's output is its results alone */
		for (; variables && (*variables)[0]; variables++)
			setenv((*variables)[0], (*variables)[1], 1);
		execv(argv[0], argv);
		_exit(127);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
	return status;
}

/* exit() is not safe in a handler, as ThreadSanitizer says: that is the program's fault, and what is tested. */
static void unsafe_on_purpose(void)
{
	char options[1024];
	const char *set = getenv("TSAN_OPTIONS");
	snprintf(options, sizeof options, "%s report_signal_unsafe=0", set ? set : "");
	setenv("TSAN_OPTIONS", options, 1);
}

static void ends(const struct ending *e, const char *const variables[][2])
{
	char self[PATH_MAX], seed[32];
	program_path(self, 0);
	if (e->alone == from_a_handler)
		unsafe_on_purpose();
	for (unsigned i = 0; i < TIMES; i++) {
		snprintf(seed, sizeof seed, "%llu", (unsigned long long)(cl.seed + i));
		const int status = run((char *[]){self, seed, (char *)(uintptr_t)e->name, NULL}, variables);
		if (WIFSIGNALED(status))
			fail_msg("%s, seed %s: ended by signal %d (%d: it hung)", e->name, seed, WTERMSIG(status), SIGALRM);
		if (WEXITSTATUS(status) != STATUS)
			fail_msg("%s, seed %s: exit status %d", e->name, seed, WEXITSTATUS(status));
	}
}

static void without_recorders(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ENDINGS; i++)
		ends(&endings[i], NULL);
}

static void with_recorders(void **state)
{
	(void)state;
	char trace[128], events[128], galena[PATH_MAX + 32];
	snprintf(trace, sizeof trace, "%s/t.bus", files);
	snprintf(events, sizeof events, "%s/e.events", files);
	snprintf(galena, sizeof galena, "%s/bin/galena", build);
	const char *const variables[][2] = {{"GALENA_TRACE", trace}, {"GALENA_EVENTS", events}, {"GALENA_CONFIG", "mini"}, {NULL, NULL}};
	for (unsigned i = 0; i < ENDINGS; i++) {
		ends(&endings[i], variables);
		assert_int_equal(run((char *[]){galena, "trace", "info", trace, NULL}, NULL), 0);
		assert_int_equal(run((char *[]){galena, "trace", "info", events, NULL}, NULL), 0);
	}
}

static int clean(void **state)
{
	(void)state;
	return run((char *[]){"/bin/rm", "-rf", files, NULL}, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(without_recorders), cmocka_unit_test(with_recorders)};
	cl_test_init(argc, argv);
	for (unsigned i = 0; argc > 2 && i < ENDINGS; i++)
		if (!strcmp(argv[2], endings[i].name))
			return child(&endings[i]);
	program_path(build, 3);
	if (!mkdtemp(files))
		return 1;
	return cmocka_run_group_tests(tests, NULL, clean);
}
