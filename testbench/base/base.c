/* base/: files, paths, text, tables and handles. The argument or GALENA_SEED is the seed of the random case. */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/handle.h"
#include "base/hash.h"
#include "base/memory_file.h"
#include "base/path.h"
#include "base/process.h"
#include "base/table.h"
#include "base/text.h"
#include "testbench/random.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static uint64_t seed;
static char directory[] = "/tmp/galena-base-XXXXXX";

static const char *in(const char *name)
{
	static char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", directory, name);
	return path;
}

static int names_in_directory(void)
{
	int n = -2; /* itself, and the one above */
	DIR *d = opendir(directory);
	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static int directory_begin(void **state)
{
	(void)state;
	strcpy(directory + sizeof directory - 7, "XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

static int directory_end(void **state)
{
	char command[PATH_MAX + 16];
	(void)state;
	snprintf(command, sizeof command, "rm -r %s", directory);
	return system(command);
}

/* ---- files ---- */

enum { LARGE = 300000 };

static void *pipe_write(void *arg)
{
	static char data[LARGE];
	memset(data, 'x', sizeof data);
	file_write_all(*(int *)arg, data, sizeof data, FILE_POSITION);
	close(*(int *)arg);
	return NULL;
}

/* A pipe tells no size, and a read gives a part. */
static void pipes_are_read_to_their_end(void **state)
{
	int ends[2];
	size_t size;
	pthread_t writer;
	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pthread_create(&writer, NULL, pipe_write, &ends[1]), 0);
	char *data = file_load(ends[0], &size, FILE_POSITION);
	pthread_join(writer, NULL);
	close(ends[0]);
	assert_non_null(data);
	assert_int_equal(size, LARGE);
	assert_int_equal(strlen(data), LARGE);
	free(data);
}

static void offsets_leave_the_position(void **state)
{
	char text[8];
	size_t size;
	int fd = memory_file_with("test", 20, "0123456789", 10);
	(void)state;
	assert_true(fd >= 20);
	assert_true(file_write_all(fd, "ab", 2, 4));
	assert_int_equal(file_read_all(fd, text, 6, 2), 6);
	assert_memory_equal(text, "23ab67", 6);
	assert_int_equal(file_read_all(fd, text, 8, 6), 4); /* there is no more */
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	char *data = file_load(fd, &size, 8);
	assert_string_equal(data, "89");
	assert_int_equal(size, 2);
	free(data);
	assert_int_equal(file_read_all(fd, text, 3, FILE_POSITION), 3);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 3);
	close(fd);
	errno = 0;
	assert_int_equal(file_read_all(fd, text, 1, 0), -1);
	assert_int_equal(errno, EBADF);
}

static void replaced_at_once_or_not_at_all(void **state)
{
	const struct iovec parts[] = { { (void *)"one ", 4 }, { (void *)"two", 3 } };
	char text[16], path[PATH_MAX], left[PATH_MAX + 32];
	struct stat st;
	(void)state;
	strcpy(path, in("file"));
	/* what a process of this number has left does not stand in the way */
	snprintf(left, sizeof left, "%s.%d-0", path, (int)getpid());
	close(open(left, O_CREAT | O_WRONLY, 0600));
	assert_true(file_replace(path, 0600, parts, 2));
	assert_int_equal(file_text(path, text, sizeof text), 7);
	assert_string_equal(text, "one two");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(names_in_directory(), 2);
	assert_int_equal(file_text(path, text, 4), 3);
	assert_string_equal(text, "one");

	/* in a child, where files may have no more than 5 bytes: an error, no signal, and the old file */
	pid_t child = fork();
	if (!child) {
		signal(SIGXFSZ, SIG_DFL);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 5, 5 });
		errno = 0;
		_exit(!file_replace(path, 0600, parts, 2) && errno == EFBIG ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(names_in_directory(), 2);
	assert_int_equal(file_text(path, text, sizeof text), 7);
	errno = 0;
	assert_false(file_replace(in("nowhere/file"), 0600, parts, 2));
	assert_int_equal(errno, ENOENT);
}

static void directories_are_made_with_those_above(void **state)
{
	struct stat st;
	(void)state;
	assert_true(directory_make(in("a/b/c")));
	assert_true(directory_make(in("a/b/c")));
	assert_true(directory_make(in("a/b/")));
	assert_int_equal(stat(in("a/b/c"), &st), 0);
	close(open(in("file"), O_CREAT | O_WRONLY, 0600));
	errno = 0;
	assert_false(directory_make(in("file")));
	assert_int_equal(errno, ENOTDIR);
	errno = 0;
	assert_false(directory_make(in("file/below")));
	assert_int_equal(errno, ENOTDIR);
}

static void sized_memory_files(void **state)
{
	struct stat st;
	int fd = memory_file_sized("test", 0, 12345);
	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 12345);
	close(fd);
	errno = 0;
	assert_int_equal(memory_file_sized("test", 0, SIZE_MAX / 2 + 1), -1);
	assert_int_equal(errno, EINVAL);
}

/* ---- paths ---- */

static void files_of_the_kit(void **state)
{
	char path[PATH_MAX], own[PATH_MAX];
	(void)state;
	unsetenv("GALENA_FIRMWARE");
	program_path(own, 3);
	assert_true(kit_path(path, "GALENA_FIRMWARE", "bin/galena")); /* BUILD/test/base/base, BUILD/bin/galena */
	assert_memory_equal(path, own, strlen(own));
	assert_string_equal(path + strlen(own), "/bin/galena");
	assert_false(kit_path(path, NULL, "bin/no-such-program"));
	assert_string_equal(path + strlen(path) - strlen("/bin/no-such-program"), "/bin/no-such-program");
	setenv("GALENA_FIRMWARE", "/nowhere/given", 1);
	assert_true(kit_path(path, "GALENA_FIRMWARE", "bin/galena"));
	assert_string_equal(path, "/nowhere/given");
	setenv("GALENA_FIRMWARE", "", 1);
	assert_true(kit_path(path, "GALENA_FIRMWARE", "bin/galena"));
	assert_string_equal(path + strlen(own), "/bin/galena");
}

static void directory_of_the_cache(void **state)
{
	char path[PATH_MAX];
	(void)state;
	unsetenv("GALENA_CACHE");
	setenv("GALENA_CACHE_DIR", "/c", 1);
	setenv("XDG_CACHE_HOME", "/x", 1);
	setenv("HOME", "/h", 1);
	assert_true(cache_path(path));
	assert_string_equal(path, "/c");
	unsetenv("GALENA_CACHE_DIR");
	assert_true(cache_path(path));
	assert_string_equal(path, "/x/galena");
	setenv("XDG_CACHE_HOME", "", 1);
	assert_true(cache_path(path));
	assert_string_equal(path, "/h/.cache/galena");
	setenv("GALENA_CACHE", "0", 1);
	assert_false(cache_path(path));
	unsetenv("GALENA_CACHE");
	unsetenv("HOME");
	assert_false(cache_path(path));
}

/* ---- processes ---- */

static void states_of_processes(void **state)
{
	struct process_stat s;
	siginfo_t info;
	(void)state;
	assert_true(process_stat(getpid(), &s));
	assert_int_equal(s.state, 'R');
	pid_t child = fork();
	if (!child)
		_exit(7);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_true(process_stat(child, &s));
	assert_int_equal(s.state, 'Z');
	assert_int_equal(WEXITSTATUS(s.status), 7);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_false(process_stat(child, &s));
}

/* ---- text, hashes ---- */

static void strings_of_json(void **state)
{
	static const char *const pairs[][2] = {
		{ "", "\"\"" }, { "a\"b\\c", "\"a\\\"b\\\\c\"" }, { "\n\x01", "\"\\u000a\\u0001\"" },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
		{ "\xe9t\xe9", "\"?t?\"" }, { "\xc0\x80", "\"??\"" }, { "\xed\xa0\x80", "\"???\"" }, { "\xf4\x90\x80\x80", "\"????\"" }, { "\xe2\x82", "\"??\"" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		char *text;
		size_t size;
		FILE *f = open_memstream(&text, &size);
		text_json(f, pairs[i][0]);
		fclose(f);
		assert_string_equal(text, pairs[i][1]);
		free(text);
	}
}

/* Files have them: these are XXH3's own, by its specification. */
static void hashes_stay(void **state)
{
	(void)state;
	assert_true(hash64("", 0) == 0x2d06800538d394c2ull);
}

/* ---- tables ---- */

struct number { uint64_t key; unsigned value; };

static void tables_keep_what_they_are_given(void **state)
{
	enum { COUNT = 5000 };
	struct table t = { 0 };
	struct number *n;
	unsigned found = 0;
	(void)state;
	assert_null(table_find(&t, 1));
	assert_null(table_next(&t, NULL));
	for (unsigned i = 1; i <= COUNT; i++) {
		n = table_add(&t, (uint64_t)i << 12, sizeof *n);
		assert_non_null(n);
		assert_int_equal(n->value, 0);
		n->value = i;
	}
	for (unsigned i = 1; i <= COUNT; i++) {
		n = table_find(&t, (uint64_t)i << 12);
		assert_non_null(n);
		assert_int_equal(n->value, i);
		assert_ptr_equal(table_add(&t, (uint64_t)i << 12, sizeof *n), n);
		assert_null(table_find(&t, ((uint64_t)i << 12) + 1));
	}
	assert_int_equal(t.used, COUNT);
	for (n = NULL; (n = table_next(&t, n)); found++)
		assert_int_equal(n->key, (uint64_t)n->value << 12);
	assert_int_equal(found, COUNT);
	table_free(&t);
	assert_null(table_find(&t, 1 << 12));
}

/* Against a plain list of what is there. */
static void handles_that_come_and_go(void **state)
{
	enum { COUNT = 20000, STEPS = 100000 };
	static void *objects[COUNT]; /* random addresses, so that places collide */
	static bool there[COUNT];
	(void)state;
	uint64_t random = seed;
	for (unsigned i = 0; i < COUNT; i++)
		objects[i] = (void *)(uintptr_t)((splitmix64(&random) >> 24 | 1) << 4);
	assert_false(handle_known(NULL));
	assert_false(handle_known((void *)1));
	for (unsigned step = 0; step < STEPS; step++) {
		const unsigned i = (unsigned)(splitmix64(&random) % (step < STEPS / 2 ? COUNT : COUNT / 16));
		if (there[i])
			handle_remove(objects[i]);
		else
			assert_true(handle_add(objects[i]));
		there[i] = !there[i];
	}
	for (unsigned i = 0; i < COUNT; i++) {
		assert_int_equal(handle_known(objects[i]), there[i]);
		assert_false(handle_known((char *)objects[i] + 8));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipes_are_read_to_their_end),
		cmocka_unit_test(offsets_leave_the_position),
		cmocka_unit_test_setup_teardown(replaced_at_once_or_not_at_all, directory_begin, directory_end),
		cmocka_unit_test_setup_teardown(directories_are_made_with_those_above, directory_begin, directory_end),
		cmocka_unit_test(sized_memory_files),
		cmocka_unit_test(files_of_the_kit),
		cmocka_unit_test(directory_of_the_cache),
		cmocka_unit_test(states_of_processes),
		cmocka_unit_test(strings_of_json),
		cmocka_unit_test(hashes_stay),
		cmocka_unit_test(tables_keep_what_they_are_given),
		cmocka_unit_test(handles_that_come_and_go),
	};
	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
