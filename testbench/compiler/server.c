/* Builds by the compile server: the same bytes and the same messages as by a compiler that is started for each, whatever changes
 * around the application, and no build is lost when the server is killed. */
#include "testbench/build_tree.h"
#include "testbench/compiler/support.h"
#include "testbench/random.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/stat.h>
/* after what it needs */
#include <cmocka.h>

static char mark[64]; /* variable that the compilers of this test have */

enum { MAX_COMPILERS = 32 };

/* Finds the compile servers, and what they have started; returns how many processes there are. */
static unsigned find_compilers(int found[MAX_COMPILERS])
{
	unsigned count = 0;
	DIR *d = opendir("/proc");
	for (const struct dirent *e; count < MAX_COMPILERS && (e = readdir(d));) {
		char path[300], text[1 << 16];
		snprintf(path, sizeof path, "/proc/%s/environ", e->d_name);
		int pid = atoi(e->d_name), fd = pid > 0 && pid != getpid() ? open(path, O_RDONLY | O_CLOEXEC) : -1;
		ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : 0;
		if (fd >= 0)
			close(fd);
		if (n > 0 && memmem(text, (size_t)n, mark, strlen(mark)))
			found[count++] = pid;
	}
	closedir(d);
	return count;
}

static void use_server(bool use) { setenv("GALENA_COMPILE_SERVER", use ? "1" : "0", 1); }

static const struct { const char *source, *options; } programs[] = {
	{ "kernel void k(global float *a) { a[get_global_id(0)] = sin(a[1]); }", NULL },
	{ "kernel void k(global uint4 *a) { a[get_global_id(0)] = a[N] % 7u; }", "-D N=5 -cl-std=CL3.0" },
	{ "kernel void k(global float *a) { a[0] = missing(a[1]); }", NULL },
	{ "kernel void k(global float *a) { a[0] = a[1] }", NULL },
	{ "kernel void k(global float *a) { printf(\"%f\\n\", a[0]); int unused; }", "-g" },
	{ "kernel void k(global float *a) { a[0] = 1; }", "-cl-nonsense" },
};

static void the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		struct build with, without;
		use_server(false);
		without = build_source(programs[i].source, programs[i].options);
		use_server(true);
		with = build_source(programs[i].source, programs[i].options);
		assert_int_equal(with.status, without.status);
		assert_string_equal(with.log, without.log);
		assert_int_equal(with.size, without.size);
		if (with.size)
			assert_memory_equal(with.data, without.data, with.size);
		build_free(&with);
		build_free(&without);
	}
}

/* A build sees the directory, the environment and the clang of its time. */
static void what_changes_around_it(void **state)
{
	(void)state;
	char *directory, before[PATH_MAX];
	static const char source[] = "#include \"value.h\"\nkernel void k(global int *a) { a[0] = VALUE; }";
	assert_non_null(getcwd(before, sizeof before));
	assert_true(asprintf(&directory, "%s/include", getenv("GALENA_CACHE_DIR")) > 0); /* goes with the cache */
	assert_int_equal(mkdir(directory, 0700), 0);
	struct build b = build_source(source, "-I here");
	assert_int_equal(b.status, COMPILE_FAILED);
	build_free(&b);
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(system("mkdir here && echo '#define VALUE 5' > here/value.h"), 0);
	b = build_source(source, "-I here");
	assert_int_equal(b.status, COMPILE_OK);
	build_free(&b);
	assert_int_equal(chdir(before), 0);
	b = build_source(source, "-I here");
	assert_int_equal(b.status, COMPILE_FAILED);
	build_free(&b);
	setenv("GALENA_CLANG", "/nowhere/clang", 1);
	b = build_source(programs[0].source, NULL);
	assert_int_equal(b.status, COMPILE_NO_COMPILER);
	assert_non_null(strstr(b.log, "/nowhere/clang"));
	build_free(&b);
	unsetenv("GALENA_CLANG");
	b = build_source(programs[0].source, NULL);
	assert_int_equal(b.status, COMPILE_OK);
	build_free(&b);
	free(directory);
}

static void killed(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 3; i++) {
			struct build b = build_source(programs[0].source, NULL);
			assert_int_equal(b.status, COMPILE_OK);
			build_free(&b);
		}
		int found[MAX_COMPILERS];
		unsigned count = find_compilers(found);
		assert_true(count >= 1);
		for (unsigned i = 0; i < count; i++)
			kill(found[i], SIGKILL);
	}
}

enum { BUILDS = 8, BUILDS_IN_CHECK = 3 };
static void *build_many(void *arg)
{
	unsigned *bad = arg, builds = check_long() ? BUILDS : BUILDS_IN_CHECK;
	for (unsigned i = 0; i < builds; i++) {
		struct build b = build_source(programs[i % 2].source, programs[i % 2].options);
		*bad += b.status != COMPILE_OK;
		build_free(&b);
	}
	return NULL;
}

static void by_many_threads(void **state)
{
	(void)state;
	pthread_t threads[4];
	unsigned bad[4] = { 0 };
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, build_many, &bad[i]), 0);
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(bad[i], 0);
	}
}

static int begin(void **state)
{
	(void)state;
	support_start();
	setenv("GALENA_CACHE", "0", 1);
	snprintf(mark, sizeof mark, "GALENA_TEST_MARK=%d", (int)getpid());
	putenv(mark);
	return 0;
}

static int end(void **state)
{
	(void)state;
	support_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_same), cmocka_unit_test(what_changes_around_it), cmocka_unit_test(killed),
					    cmocka_unit_test(by_many_threads) };
	if (!check_long())
		printf("# %d builds a thread of %d; make check-long has all\n", BUILDS_IN_CHECK, BUILDS);
	return cmocka_run_group_tests(tests, begin, end);
}
