/* The application takes the memory of an import away while a device may access it: the command fails and names the import, the rule is
 * broken, and the program goes on. Each in processes of its own: functional and timed, interpreted and translated, and with rules. */
#define _GNU_SOURCE
#include "testbench/opencl/import.h"
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { PAGE = 4096, PAGES = 24, WORDS = PAGES * PAGE / 4 };

static const char source[] =
	"kernel void scale(global int *p) { p[get_global_id(0)] *= 3; }\n"
	"kernel void spin(global int *p, global volatile int *flags) {\n"
	"  flags[0] = 1;\n"
	"  while (!flags[1]) p[get_global_id(0) * 1024]++; }\n";

static cl_context context; /* with a callback */
static cl_command_queue queue;
static char told[4096];
static atomic_bool is_told;
static bool checked; /* the rules are */

static void CL_CALLBACK tell(const char *text, const void *data, size_t size, void *arg)
{
	(void)data, (void)size, (void)arg;
	if (!is_told)
		snprintf(told, sizeof told, "%s", text);
	is_told = true;
}

static cl_mem import_of(void *memory, size_t size)
{
	cl_int code;
	cl_mem m = import(context, CL_MEM_READ_WRITE, NULL, memory, size, &code);
	CL_OK(code);
	return m;
}

static int *area_of(int flags)
{
	int *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	for (int i = 0; i < WORDS; i++)
		p[i] = i + 1;
	return p;
}

static cl_int scale(cl_mem m) { return run_on(queue, "scale", &m, 1, (size_t[2]){WORDS}); }

/* Other memory works as before. */
static void goes_on(void)
{
	int *p = area_of(MAP_PRIVATE);
	cl_mem m = import_of(p, PAGES * PAGE);
	CL_OK(scale(m));
	for (int i = 0; i < WORDS; i++)
		assert_int_equal(p[i], 3 * (i + 1));
	CL_OK(clReleaseMemObject(m));
	CL_OK(clFinish(queue));
	munmap(p, PAGES * PAGE);
}

/* The import is named: its size and its address. */
static void is_named(const int *p)
{
	char what[100];
	snprintf(what, sizeof what, "of the import of %d bytes at 0x%llx", PAGES * PAGE, (unsigned long long)(uintptr_t)p);
	for (int i = 0; i < 10000 && !is_told; i++) /* by a thread of the library */
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	assert_true(is_told);
	assert_non_null(strstr(told, "UNMAPPED"));
	if (!strstr(told, what))
		fail_msg("%s\nis not in\n%s", what, told);
	is_told = false;
}

enum way { WHOLE, FIRST_PAGE, LAST_PAGES, RESERVED, OVER, MOVED, WAYS };
static const char *const names[] = { "munmap", "munmap of the first page", "munmap of the last pages", "mmap without rights over it",
				     "mmap over it", "mremap" };

static void take_away(enum way way, int *p)
{
	char *at = (char *)p;
	switch (way) {
	case WHOLE: assert_int_equal(munmap(at, PAGES * PAGE), 0); break;
	case FIRST_PAGE: assert_int_equal(munmap(at, PAGE), 0); break;
	case LAST_PAGES: assert_int_equal(munmap(at + (PAGES - 3) * PAGE, 3 * PAGE), 0); break;
	case RESERVED: assert_ptr_equal(mmap(at, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), at); break;
	case OVER:
		assert_ptr_equal(mmap(at, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), at);
		memset(at, 7, PAGES * PAGE);
		break;
	case MOVED: {
		char *to = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_equal(mremap(at, PAGES * PAGE, PAGES * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to), to);
		assert_int_equal(*(int *)(void *)to, 3); /* it went with its contents */
		munmap(to, PAGES * PAGE);
		break;
	}
	case WAYS: break;
	}
}

/* Unmaps what is left. Nothing that was unmapped before: the library may have put memory of its own there meanwhile. */
static void release_rest(enum way way, int *p)
{
	char *at = (char *)p;
	switch (way) {
	case FIRST_PAGE: munmap(at + PAGE, (PAGES - 1) * PAGE); break;
	case LAST_PAGES: munmap(at, (PAGES - 3) * PAGE); break;
	case RESERVED:
	case OVER: munmap(at, PAGES * PAGE); break;
	case WHOLE:
	case MOVED:
	case WAYS: break;
	}
}

/* cmocka and sanitizers have handlers. */
static void no_handlers(void)
{
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
}

/* A new mapping is noticed where rules are checked and the system has userfaultfd, a hole always. */
static bool is_noticed(enum way way) { return way != OVER || checked; }

static void before_a_command(void **state)
{
	(void)state;
	no_handlers();
	for (enum way way = 0; way < WAYS; way++) {
		printf("# %s\n", names[way]);
		int *p = area_of(MAP_PRIVATE);
		cl_mem m = import_of(p, PAGES * PAGE);
		CL_OK(scale(m));
		take_away(way, p);
		const cl_int status = scale(m);
		assert_int_equal(status < 0, is_noticed(way));
		if (status < 0)
			is_named(p);
		assert_int_equal(scale(m) < 0, is_noticed(way)); /* and again */
		if (status < 0)
			is_named(p);
		if (way == LAST_PAGES)
			assert_true(p[0] % 3 == 0 && p[(PAGES - 4) * PAGE / 4] % 3 == 0);
		goes_on();
		CL_OK(clReleaseMemObject(m));
		CL_OK(clFinish(queue));
		goes_on();
		release_rest(way, p);
	}
}

/* ---- while a kernel runs ---- */
static _Atomic int *flags; /* a kernel reads and writes them, too */
static int *spun;
static enum way spun_way;

static void *taker(void *arg)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	(void)arg;
	while (!flags[0])
		nanosleep(&pause, NULL);
	take_away(spun_way, spun);
	for (int i = 0; i < 200000 && !flags[2]; i++)
		nanosleep(&pause, NULL);
	flags[1] = 1; /* it would run for ever */
	return NULL;
}

static void during_a_command(void **state)
{
	(void)state;
	static const enum way ways[] = { WHOLE, FIRST_PAGE };
	no_handlers();
	for (unsigned w = 0; w < sizeof ways / sizeof *ways; w++) {
		pthread_t thread;
		printf("# %s by another thread\n", names[ways[w]]);
		spun_way = ways[w];
		spun = area_of(MAP_PRIVATE);
		flags = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		cl_mem m[2] = { import_of(spun, PAGES * PAGE), import_of((void *)(uintptr_t)flags, PAGE) };
		assert_int_equal(pthread_create(&thread, NULL, taker, NULL), 0);
		assert_true(run_on(queue, "spin", m, 2, (size_t[2]){PAGES}) < 0);
		assert_int_equal(flags[1], 0);
		flags[2] = 1;
		pthread_join(thread, NULL);
		is_named(spun);
		goes_on();
		CL_OK(clReleaseMemObject(m[0]));
		CL_OK(clReleaseMemObject(m[1]));
		CL_OK(clFinish(queue));
		munmap((void *)(uintptr_t)flags, PAGE);
		release_rest(ways[w], spun);
	}
}

/* Shared memory has a mapping of the driver's own: a pin of the kernel's would be as good. */
static void shared_memory(void **state)
{
	(void)state;
	const int fd = memfd_create("shared", MFD_CLOEXEC);
	no_handlers();
	assert_true(fd >= 0 && !ftruncate(fd, PAGES * PAGE));
	int *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *other = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(p != MAP_FAILED && other != MAP_FAILED);
	for (int i = 0; i < WORDS; i++)
		p[i] = i + 1;
	cl_mem m = import_of(p, PAGES * PAGE), again = import_of(p + 1024, PAGE);
	CL_OK(scale(m));
	CL_OK(clReleaseMemObject(again)); /* its page stays the other's */
	CL_OK(clFinish(queue));
	CL_OK(scale(m));
	CL_OK(run_on(queue, "scale", &m, 1, (size_t[2]){1024}));
	for (int i = 0; i < WORDS; i++)
		assert_int_equal(other[i], (i < 1024 ? 27 : 9) * (i + 1));
	assert_int_equal(munmap(p, PAGE), 0);
	CL_OK(scale(m));
	assert_int_equal(other[0], 81);
	assert_int_equal(munmap(p + PAGE / 4, (PAGES - 1) * PAGE), 0);
	CL_OK(scale(m));
	assert_int_equal(other[0], 243);
	assert_int_equal(ftruncate(fd, PAGE), 0); /* only this a mapping does not survive */
	assert_true(scale(m) < 0);
	is_named(p);
	assert_int_equal(other[0], 729);
	CL_OK(clReleaseMemObject(m));
	CL_OK(clFinish(queue));
	munmap(other, PAGES * PAGE);
	close(fd);
	goes_on();
}

/* ---- signals of the application's own ---- */
static volatile sig_atomic_t seen;
static sigjmp_buf back;
static void jump(int number)
{
	seen = number;
	siglongjmp(back, 1);
}

/* It watches a page by its rights. */
static char *watched;
static void make_accessible(int number)
{
	seen = number;
	mprotect(watched, PAGES * PAGE, PROT_READ | PROT_WRITE);
}

static void signals_of_the_application(void **state)
{
	(void)state;
	int *p = area_of(MAP_PRIVATE), status;
	no_handlers();
	signal(SIGSEGV, make_accessible);
	cl_mem m = import_of(p, PAGES * PAGE);
	CL_OK(scale(m));
	watched = (char *)p;
	assert_int_equal(mprotect(p, PAGES * PAGE, PROT_NONE), 0);
	CL_OK(scale(m)); /* the application's handler comes first */
	assert_int_equal(seen, SIGSEGV);
	for (int i = 0; i < WORDS; i++)
		assert_int_equal(p[i], 9 * (i + 1));
	munmap(p, PAGES * PAGE);
	pid_t child = fork(); /* which has no devices */
	if (!child) {
		signal(SIGALRM, SIG_DFL);
		alarm(10);
		signal(SIGSEGV, jump);
		if (!sigsetjmp(back, 1))
			*(volatile int *)p = 1;
		_exit(seen == SIGSEGV ? 3 : 4);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	CL_OK(clReleaseMemObject(m));
	CL_OK(clFinish(queue));
	/* an access of the application's own ends a process as ever */
	no_handlers();
	p = area_of(MAP_PRIVATE);
	m = import_of(p, PAGES * PAGE);
	CL_OK(scale(m));
	munmap(p, PAGES * PAGE);
	child = fork();
	if (!child) {
		*(volatile int *)p = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	CL_OK(clReleaseMemObject(m));
	CL_OK(clFinish(queue));
}

static int child_setup(void **state)
{
	cl_int code;
	if (import_setup(state, source))
		return -1;
	CL_OK(clReleaseProgram(program));
	context = clCreateContext(NULL, 1, &cl.device, tell, NULL, &code);
	CL_OK(code);
	queue = clCreateCommandQueue(context, cl.device, 0, &code);
	CL_OK(code);
	const char *text = source;
	program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
	CL_OK(code);
	return clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL);
}

static int child_teardown(void **state)
{
	CL_OK(clReleaseCommandQueue(queue));
	CL_OK(clReleaseContext(context));
	return import_teardown(state);
}

/* And lets private memory be registered with it. */
static bool has_userfaultfd(void)
{
	enum { USER_MODE_ONLY = 1 };
	struct uffdio_api api = { .api = UFFD_API };
	int *p = area_of(MAP_PRIVATE);
	struct uffdio_register r = { .range = { (uintptr_t)p, PAGE }, .mode = UFFDIO_REGISTER_MODE_WP };
	const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY);
	const bool has = fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &r);
	if (fd >= 0)
		close(fd);
	munmap(p, PAGES * PAGE);
	if (!has)
		printf("# no userfaultfd: a new mapping is not noticed\n");
	return has;
}

static int child(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(before_a_command), cmocka_unit_test(during_a_command), cmocka_unit_test(shared_memory),
		cmocka_unit_test(signals_of_the_application) };
	checked = getenv("GALENA_CHECK") && strcmp(getenv("GALENA_CHECK"), "0") && has_userfaultfd();
	return cmocka_run_group_tests(tests, child_setup, child_teardown);
}

/* ---- the parent ---- */
static const char *self;
static char report_path[] = "/tmp/galena-unmapped-XXXXXX";

static int run_child(const char *speed, const char *hot, const char *check)
{
	int status;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setenv("GALENA_CONFIG", "mini", 1);
		setenv("GALENA_WATCHDOG", "0", 1);
		setenv("GALENA_SPEED", speed, 1);
		setenv("GALENA_TRANSLATE_HOT", hot, 1);
		setenv("GALENA_CHECK", check, 1);
		setenv("GALENA_FAIL_ON", "rule", 1);
		unsetenv("TEST_FILTER");
		execl(self, self, "--child", NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void functional_interpreted(void **state) { (void)state; assert_int_equal(run_child("functional", "4294967295", "0"), 0); }
static void functional_translated(void **state) { (void)state; assert_int_equal(run_child("functional", "0", "0"), 0); }
static void timed_interpreted(void **state) { (void)state; assert_int_equal(run_child("timed", "4294967295", "0"), 0); }
static void timed_translated(void **state) { (void)state; assert_int_equal(run_child("timed", "0", "0"), 0); }

/* The rule is broken, and no other one. */
static void rules(void **state)
{
	static char report[1 << 18];
	(void)state;
	const int fd = mkstemp(report_path), status = run_child("functional", "4294967295", report_path);
	const ssize_t n = read(fd, report, sizeof report - 1);
	close(fd);
	unlink(report_path);
	assert_true(n > 0);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) != 3 || !strstr(report, "galena: check: IMPORT_UNMAPPED: broken ") || !strstr(report, " 1 broken"))
		fail_msg("the child ended with 0x%x, and the report is\n%s", status, report);
}

int main(int argc, char **argv)
{
	const bool is_child = argc > 1 && !strcmp(argv[1], "--child");
	self = argv[0];
	cl_test_init(is_child ? 1 : argc, argv);
	if (is_child)
		return child();
	const struct CMUnitTest tests[] = { cmocka_unit_test(functional_interpreted), cmocka_unit_test(functional_translated),
		cmocka_unit_test(timed_interpreted), cmocka_unit_test(timed_translated), cmocka_unit_test(rules) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
