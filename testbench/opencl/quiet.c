/* What a program does not notice of the library: an idle process does not run, a kernel's printf leaves the heap alone, a query
 * does not wait. */
#define _GNU_SOURCE
#include "testbench/opencl/cl_test.h"
#include "testbench/skip.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

/* ---- the application's heap ---- */
static atomic_ulong allocations;
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}
void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}
void *realloc(void *p, size_t size)
{
	allocations++;
	return __libc_realloc(p, size);
}

static cl_kernel kernel_of(const char *text, const char *name)
{
	cl_int code;
	cl_program p = clCreateProgramWithSource(cl.context, 1, &text, NULL, &code);
	CL_OK(code);
	CL_OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
	cl_kernel k = clCreateKernel(p, name, &code);
	CL_OK(code);
	CL_OK(clReleaseProgram(p));
	return k;
}

static void launch(cl_kernel k, size_t items) { CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, &items, NULL, 0, NULL, NULL)); }

/* Nothing has been printed before in this process, so stdio has no buffer yet. */
static int prints(void)
{
	char text[4096] = "", path[] = "/tmp/galena-quiet-XXXXXX";
	cl_kernel nothing = kernel_of("kernel void nothing(void) {}", "nothing");
	cl_kernel k = kernel_of("kernel void hello(void) { printf(\"%d %s %5.2f %-6s| %v4d\\n\", 7, \"seven\", 7.5f, \"x\", (int4)(1, 2, 3, 4)); }", "hello");
	launch(nothing, 1);
	clFinish(cl.queue);
	int file = mkstemp(path);
	unlink(path);
	dup2(file, 1);
	const unsigned long before = allocations;
	launch(k, 1);
	clFinish(cl.queue);
	if (allocations != before)
		return 1;
	if (pread(file, text, sizeof text - 1, 0) <= 0 || strcmp(text, "7 seven  7.50 x     | 1,2,3,4\n"))
		return 2;
	/* in the order of what the program prints itself */
	printf("before\n");
	launch(k, 1);
	clFinish(cl.queue);
	printf("after\n");
	fflush(stdout);
	memset(text, 0, sizeof text);
	if (pread(file, text, sizeof text - 1, 30) <= 0 || strcmp(text, "before\n7 seven  7.50 x     | 1,2,3,4\nafter\n"))
		return 3;
	return 0;
}

static void kernel_printf(void **state)
{
	(void)state;
	char self[PATH_MAX];
	int status;
	program_path(self, 0);
	const pid_t pid = fork();
	if (!pid) {
		execl(self, self, "--prints", (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* ---- idle ---- */
/* How often threads of the process have gone to sleep so far: an idle one is woken by nothing. */
static unsigned long switches(void)
{
	unsigned long sum = 0;
	DIR *tasks = opendir("/proc/self/task");
	assert_non_null(tasks);
	for (struct dirent *e; (e = readdir(tasks));) {
		char path[PATH_MAX], line[256];
		unsigned long n;
		snprintf(path, sizeof path, "/proc/self/task/%s/status", e->d_name);
		FILE *f = e->d_name[0] == '.' || atoi(e->d_name) == getpid() ? NULL : fopen(path, "r");
		while (f && fgets(line, sizeof line, f))
			sum += sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1 ? n : 0;
		if (f)
			fclose(f);
	}
	closedir(tasks);
	return sum;
}

static void idle(void **state)
{
	(void)state;
#ifdef __SANITIZE_THREAD__
	SKIP("the sanitizer has a thread of its own, which wakes up");
#endif
	unsigned long before = 0, after = 1;
	launch(kernel_of("kernel void nothing(void) {}", "nothing"), 1);
	CL_OK(clFinish(cl.queue));
	/* threads that still have something to finish may; then two seconds without a single one */
	for (int i = 0; i < 30 && before != after; i++) {
		before = switches();
		sleep(2);
		after = switches();
	}
	assert_int_equal(before, after);
}

/* ---- queries ---- */
static void queries_do_not_wait(void **state)
{
	(void)state;
	/* an endless kernel: a query that waited for it would not come back before the watchdog */
	cl_int code, status = -1;
	const cl_uint zero = 0;
	cl_mem stop = clCreateBuffer(cl.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4, (void *)(uintptr_t)&zero, &code);
	CL_OK(code);
	cl_kernel k = kernel_of("kernel void until(global volatile uint *stop) { while (!*stop) ; }", "until");
	CL_OK(clSetKernelArg(k, 0, sizeof stop, &stop));
	cl_event end;
	CL_OK(clEnqueueNDRangeKernel(cl.queue, k, 1, NULL, (size_t[]){1}, NULL, 0, NULL, &end));
	for (int i = 0; i < 100; i++) {
		CL_OK(clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
		assert_true(status > CL_COMPLETE);
		usleep(1000);
	}
	fflush(NULL);
	_exit(0); /* the kernel is still at it */
}

static void no_wait(void **state)
{
	int status;
	fflush(NULL);
	char self[PATH_MAX];
	program_path(self, 0);
	const pid_t pid = fork();
	(void)state;
	if (!pid) {
		alarm(50); /* the process of a query that waits ends by a signal */
		setenv("GALENA_WATCHDOG", "0", 1);
		execl(self, self, "--polls", (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(kernel_printf), cmocka_unit_test(no_wait),
					   cmocka_unit_test_setup_teardown(idle, cl_test_setup, cl_test_teardown)};
	const char *child = argc > 1 ? argv[1] : "";
	if (!strcmp(child, "--prints") || !strcmp(child, "--polls")) {
		build_tree_loader();
		if (cl_test_setup(NULL))
			return 10;
		if (!strcmp(child, "--prints"))
			return prints();
		queries_do_not_wait(NULL);
	}
	cl_test_init(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
