/* Two threads import the same fresh protected memory; the second one is held right after it has been given its object, until the first has
 * written. It must not clear what is there. */
#define _GNU_SOURCE
#include "include/galena/heap.h"
#include "testbench/opencl/import.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { WORDS = 1024, BYTES = WORDS * 4, MARKER = 0x5ec8e7 };

static const char source[] =
	"kernel void set(global int *p, int value) { p[get_global_id(0)] = value + (int)get_global_id(0); }\n"
	"kernel void check(global int *p, int value) {\n" /* a fault unless each word has its value */
	"  if (p[get_global_id(0)] != value + (int)get_global_id(0)) *(global int *)64 = 1; }\n"
	"kernel void check_zero(global int *p, int unused) { if (p[get_global_id(0)]) *(global int *)64 = 1; }\n";

static cl_command_queue queue; /* without profiling */
static int fd;
static sem_t first_in, second_in, written;
static _Thread_local enum { OUTSIDE, FIRST, SECOND } role;

/* Of build/variants/import_point: an object has been given. */
__attribute__((visibility("default"))) void import_point(void);
void import_point(void)
{
	const int who = role;
	role = OUTSIDE; /* what clears it imports it, too */
	if (who == FIRST) {
		struct timespec t;
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_sec += 1;
		sem_post(&first_in);
		/* the second one may get in beside it; where it has to wait for this one, that takes as long as it takes */
		while (sem_timedwait(&second_in, &t) && errno == EINTR)
			;
	} else if (who == SECOND) {
		sem_post(&second_in);
		sem_wait(&written);
	}
}

static cl_mem import_it(void)
{
	cl_int code;
	const cl_import_properties_arm list[] = {CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_DMA_BUF_ARM, CL_IMPORT_TYPE_PROTECTED_ARM, CL_TRUE, 0};
	cl_mem m = import(cl.context, 0, list, &fd, BYTES, &code);
	return code ? NULL : m;
}

static void *second(void *out)
{
	sem_wait(&first_in);
	role = SECOND;
	*(cl_mem *)out = import_it();
	role = OUTSIDE;
	return NULL;
}

static cl_int run(const char *name, cl_mem m, int value)
{
	cl_kernel k = kernel_of(name);
	CL_OK(clSetKernelArg(k, 0, sizeof m, &m));
	CL_OK(clSetKernelArg(k, 1, sizeof value, &value));
	return kernel_run(queue, k, (size_t[2]){WORDS}, 0);
}

static void cleared_once(void **state)
{
	(void)state;
	pthread_t thread;
	cl_mem a, b = NULL;
	for (int round = 0; round < 2; round++) {
		assert_false(sem_init(&first_in, 0, 0) | sem_init(&second_in, 0, 0) | sem_init(&written, 0, 0));
		fd = galena_heap_alloc("protected", BYTES, 0);
		assert_true(fd >= 0);
		assert_false(pthread_create(&thread, NULL, second, &b));
		role = FIRST;
		a = import_it();
		assert_int_equal(role, OUTSIDE); /* import_point() was there */
		assert_non_null(a);
		CL_OK(run("check_zero", a, 0));
		CL_OK(run("set", a, MARKER));
		sem_post(&written);
		assert_false(pthread_join(thread, NULL));
		assert_non_null(b);
		CL_OK(run("check", a, MARKER));
		CL_OK(run("check", b, MARKER));
		CL_OK(clReleaseMemObject(a));
		CL_OK(clReleaseMemObject(b));
		close(fd);
	}
}

static int setup(void **state)
{
	cl_int code;
	if (import_setup(state, source))
		return -1;
	queue = clCreateCommandQueueWithProperties(cl.context, cl.device, NULL, &code);
	return code;
}

static int teardown(void **state) { return clReleaseCommandQueue(queue) || import_teardown(state); }

int main(int argc, char **argv)
{
	char build[PATH_MAX], variant[PATH_MAX + 32];
	const struct CMUnitTest tests[] = {cmocka_unit_test(cleared_once)};
	const char *given = getenv("GALENA_BUILD");
	if (!given)
		program_path(build, 3);
	snprintf(variant, sizeof variant, "%s/variants/import_point", given ? given : build);
	setenv("GALENA_BUILD", variant, 1);
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
