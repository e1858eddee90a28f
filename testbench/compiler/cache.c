/* The build cache, and what happens when a tool is missing. */
#include "runtime/compiler/cache.h"
#include "testbench/compiler/support.h"
#include <dirent.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static const char program[] = "#warning remember\nkernel void k(global int *o) { o[0] = 1; }";

/* Number of entries in the cache; the path of the last one found. */
static unsigned entries(char *path, size_t room)
{
	const char *directory = getenv("GALENA_CACHE_DIR");
	unsigned n = 0;
	DIR *dir = opendir(directory);
	for (struct dirent *d; dir && (d = readdir(dir));) {
		if (d->d_name[0] == '.')
			continue;
		n++;
		if (path)
			snprintf(path, room, "%s/%s", directory, d->d_name);
	}
	if (dir)
		closedir(dir);
	return n;
}

static void clear(void)
{
	char path[4096];
	while (entries(path, sizeof path))
		assert_int_equal(unlink(path), 0);
}

static void hit(void **state)
{
	(void)state;
	clear();
	struct build first = build_source(program, "-DX");
	build_expect_ok(&first);
	assert_int_equal(entries(NULL, 0), 1);
	for (int i = 0; i < 20; i++) {
		struct build again = build_source(program, "-DX");
		build_expect_ok(&again);
		assert_int_equal(again.size, first.size);
		assert_memory_equal(again.data, first.data, first.size);
		assert_string_equal(again.log, first.log);
		assert_non_null(strstr(again.log, "remember"));
		build_free(&again);
	}
	assert_int_equal(entries(NULL, 0), 1);
	/* other options, other source, other action: other entries */
	struct build b = build_source(program, "-DY");
	build_free(&b);
	assert_int_equal(entries(NULL, 0), 2);
	b = build_source("kernel void k(global int *o) { o[0] = 2; }", "-DX");
	build_free(&b);
	assert_int_equal(entries(NULL, 0), 3);
	struct compile_input input = { "program", program, strlen(program) };
	b = build_request(&(struct compile_request){ .action = COMPILE_COMPILE, .options = "-DX", .inputs = &input, .num_inputs = 1 });
	build_free(&b);
	assert_int_equal(entries(NULL, 0), 4);
	/* failures are not kept */
	b = build_source("bad", NULL);
	assert_int_equal(b.status, COMPILE_FAILED);
	build_free(&b);
	assert_int_equal(entries(NULL, 0), 4);
	build_free(&first);
}

static void damage(void **state)
{
	(void)state;
	char path[4096];
	clear();
	struct build first = build_source(program, NULL);
	build_expect_ok(&first);
	assert_int_equal(entries(path, sizeof path), 1);
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	for (int kind = 0; kind < 4; kind++) {
		FILE *file = fopen(path, "r+");
		assert_non_null(file);
		switch (kind) {
		case 0: /* one bit of the object */
			fseek(file, st.st_size - 100, SEEK_SET);
			int c = fgetc(file);
			fseek(file, st.st_size - 100, SEEK_SET);
			fputc(c ^ 4, file);
			break;
		case 1: assert_int_equal(ftruncate(fileno(file), st.st_size / 2), 0); break;
		case 2: assert_int_equal(ftruncate(fileno(file), 0), 0); break;
		case 3: /* sizes in its head */
			fseek(file, 32, SEEK_SET);
			for (int i = 0; i < 16; i++)
				fputc(0xff, file);
			break;
		}
		fclose(file);
		struct build b = build_source(program, NULL);
		build_expect_ok(&b);
		assert_int_equal(b.size, first.size);
		assert_memory_equal(b.data, first.data, first.size);
		build_free(&b);
		/* and it is whole again */
		struct stat again;
		assert_int_equal(stat(path, &again), 0);
		assert_int_equal(again.st_size, st.st_size);
	}
	build_free(&first);
}

/* Entries of 4096 bytes under keys of which all but the last are no occasion to look at the cache. */
static void store_many(unsigned count)
{
	static char object[4096], none[] = "";
	const struct compile_dependencies files = { .list = none, .size = sizeof none };
	for (unsigned i = 1; i <= count; i++)
		cache_store((struct cache_key){ .low = i == count ? 0 : 2 * i + 1, .high = i }, &files, object, sizeof object, "");
}

/* What was used longest ago goes when there is more than the limit, whatever the count of entries says. */
static void limit(void **state)
{
	(void)state;
	static const char *const counts[] = { NULL, "0", "88888888888888888888", "nonsense" };
	char path[4096], *log;
	void *object;
	size_t size;
	snprintf(path, sizeof path, "%s/.entries", getenv("GALENA_CACHE_DIR"));
	setenv("GALENA_CACHE_SIZE", "1", 1);
	for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		clear();
		unlink(path);
		FILE *f = counts[i] ? fopen(path, "w") : NULL;
		if (f) {
			fputs(counts[i], f);
			fclose(f);
		}
		store_many(100); /* below it */
		assert_int_equal(entries(NULL, 0), 100);
		store_many(400);
		assert_in_range(entries(NULL, 0), 50, 200);
		assert_true(cache_load((struct cache_key){ .low = 0, .high = 400 }, &object, &size, &log));
		assert_int_equal(size, 4096);
		free(object);
		free(log);
		assert_false(cache_load((struct cache_key){ .low = 2 * 150 + 1, .high = 150 }, &object, &size, &log));
	}
	unsetenv("GALENA_CACHE_SIZE");
	clear();
}

static void unwritable(void **state)
{
	(void)state;
	char *kept = strdup(getenv("GALENA_CACHE_DIR"));
	setenv("GALENA_CACHE_DIR", "/proc/nowhere", 1);
	struct build b = build_source(program, NULL);
	build_expect_ok(&b);
	build_free(&b);
	setenv("GALENA_CACHE_DIR", kept, 1);
	clear();
	setenv("GALENA_CACHE", "0", 1);
	b = build_source(program, NULL);
	build_expect_ok(&b);
	build_free(&b);
	assert_int_equal(entries(NULL, 0), 0);
	unsetenv("GALENA_CACHE");
	free(kept);
}

static void *build_thread(void *arg)
{
	unsigned n = *(unsigned *)arg;
	char source[128];
	for (unsigned i = 0; i < 6; i++) {
		snprintf(source, sizeof source, "kernel void k(global int *o) { o[0] = %u; }", (n + i) % 4);
		struct compile_input input = { "program", source, strlen(source) };
		void *object;
		size_t size;
		char *log;
		const char *error;
		if (compiler_run(&(struct compile_request){ .inputs = &input, .num_inputs = 1 }, &object, &size, &log))
			return "build failed";
		struct kernel_object *o = kernel_object_read(object, size, &error);
		free(object);
		free(log);
		if (!o)
			return (void *)error;
		kernel_object_free(o);
	}
	return NULL;
}

static void threads(void **state)
{
	(void)state;
	pthread_t thread[4];
	unsigned number[4];
	clear();
	for (unsigned i = 0; i < 4; i++) {
		number[i] = i;
		assert_int_equal(pthread_create(&thread[i], NULL, build_thread, &number[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++) {
		void *error;
		pthread_join(thread[i], &error);
		if (error)
			fail_msg("%s", (char *)error);
	}
	assert_int_equal(entries(NULL, 0), 4);
}

/* The application ignores its children's ends: the build still tells good from bad. */
static void ignored_children(void **state)
{
	(void)state;
	clear();
	signal(SIGCHLD, SIG_IGN);
	struct build b = build_source(program, NULL);
	build_expect_ok(&b);
	build_free(&b);
	build_expect(build_source("bad", NULL), COMPILE_FAILED, "error:");
	signal(SIGCHLD, SIG_DFL);
}

static void expect_one_line(struct build b, const char *text)
{
	const char *end = strchr(b.log, '\n');
	assert_non_null(end);
	assert_string_equal(end, "\n");
	build_expect(b, COMPILE_NO_COMPILER, text);
}

static void missing_tools(void **state)
{
	(void)state;
	setenv("GALENA_CLANG", "/nonexistent/clang", 1);
	expect_one_line(build_source("kernel void missing() {}", NULL), "install the package clang-19");
	setenv("GALENA_CLANG", "/bin/true", 1);
	expect_one_line(build_source("kernel void missing() {}", NULL), "is it clang 19");
	unsetenv("GALENA_CLANG");
	setenv("GALENA_KERNEL_LIBRARY", "/nonexistent", 1);
	expect_one_line(build_source("kernel void missing() {}", NULL), "kernel library /nonexistent is missing");
	unsetenv("GALENA_KERNEL_LIBRARY");
	setenv("GALENA_CLC", "/nonexistent/galena-clc", 1);
	expect_one_line(build_source("kernel void missing() {}", NULL), "cannot run the compiler /nonexistent/galena-clc");
	/* a compiler that crashes, and one that does something else */
	char script[] = "/tmp/galena-test-XXXXXX";
	int fd = mkstemp(script);
	assert_int_equal(write(fd, "#!/bin/sh\nkill -SEGV $$\n", 24), 24);
	fchmod(fd, 0755);
	close(fd);
	setenv("GALENA_CLC", script, 1);
	expect_one_line(build_source("kernel void missing() {}", NULL), "ended by signal 11 (Segmentation fault)");
	unlink(script);
	unsetenv("GALENA_CLC");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hit),
		cmocka_unit_test(damage),
		cmocka_unit_test(limit),
		cmocka_unit_test(unwritable),
		cmocka_unit_test(threads),
		cmocka_unit_test(ignored_children),
		cmocka_unit_test(missing_tools),
	};
	support_start();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	support_end();
	return failed;
}
