/* The build cache and the files of the host that a program includes: a result is used again as long as a build would read the same
 * files with the same contents, and never otherwise. */
#include "runtime/compiler/cache.h"
#include "testbench/compiler/support.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static char work[] = "/tmp/galena-test-XXXXXX"; /* each test begins in an empty directory below it */

/* ---- files ---- */

/* Waits until a file that is written now is older than what begins afterwards, by the clock of files. */
static void tick(void)
{
	struct timespec before, now;
	clock_gettime(CLOCK_REALTIME_COARSE, &before);
	do {
		usleep(1000);
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
	} while (now.tv_sec == before.tv_sec && now.tv_nsec == before.tv_nsec);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	tick();
}

/* A number that changes with every entry that is written. */
static uint64_t entries(void)
{
	const char *directory = getenv("GALENA_CACHE_DIR");
	uint64_t sum = 0;
	DIR *dir = opendir(directory);
	for (struct dirent *d; dir && (d = readdir(dir));) {
		struct stat st;
		if (d->d_name[0] != '.' && !fstatat(dirfd(dir), d->d_name, &st, 0))
			sum += st.st_ino * 31 + (uint64_t)st.st_ctim.tv_nsec * 7 + (uint64_t)st.st_ctim.tv_sec;
	}
	if (dir)
		closedir(dir);
	return sum;
}

/* ---- builds ---- */

enum outcome { FROM_CACHE, KEPT, NOT_KEPT };

static enum outcome build(const char *source, const char *options, enum compile_status status, struct build *b)
{
	const uint64_t before = entries();
	tick(); /* an entry that is written now differs */
	*b = build_source(source, options);
	if (b->status != status)
		fail_msg("status %d (expected %d), log:\n%s", b->status, status, b->log);
	if (entries() != before)
		return KEPT;
	/* the compiler says how long it takes, the cache does not */
	setenv("GALENA_CLC_TIME", "1", 1);
	struct build again = build_source(source, options);
	unsetenv("GALENA_CLC_TIME");
	bool compiled = strstr(again.log, "galena-clc: ") != NULL;
	build_free(&again);
	return compiled ? NOT_KEPT : FROM_CACHE;
}

/* Whether the build says the text, in a warning that the program or a header has, and where it came from. */
static void expect(const char *source, const char *options, const char *says, enum outcome outcome)
{
	struct build b;
	enum outcome seen = build(source, options, COMPILE_OK, &b);
	if (seen != outcome || !strstr(b.log, says))
		fail_msg("outcome %d (expected %d), expected '%s' in:\n%s", seen, outcome, says, b.log);
	build_free(&b);
}

static const char includes_value[] = "#include \"value.h\"\nkernel void k(global int *o) { o[0] = VALUE; }";

static void no_headers(void **state)
{
	(void)state;
	static const char source[] = "#warning alone\nkernel void k(global int *o) { o[0] = 1; }";
	expect(source, "-I a -I b", "alone", KEPT);
	expect(source, "-I a -I b", "alone", FROM_CACHE);
	put("value.h", "#define VALUE 1\n"); /* no affair of this program */
	expect(source, "-I a -I b", "alone", FROM_CACHE);
}

static void header_changed(void **state)
{
	(void)state;
	put("value.h", "#warning one\n#define VALUE 1\n");
	expect(includes_value, NULL, "one", KEPT);
	expect(includes_value, NULL, "one", FROM_CACHE);
	put("value.h", "#warning two\n#define VALUE 2\n"); /* of the same size */
	expect(includes_value, NULL, "two", KEPT);
	expect(includes_value, NULL, "two", FROM_CACHE);
	put("value.h", "#warning one\n#define VALUE 1\n"); /* as before: its result is still there */
	expect(includes_value, NULL, "one", FROM_CACHE);
}

/* A header that another one includes; names that make has to quote. */
static void header_of_a_header(void **state)
{
	(void)state;
	assert_int_equal(mkdir("a $#b", 0700), 0);
	put("a $#b/value.h", "#include \"in/deep.h\"\n");
	assert_int_equal(mkdir("a $#b/in", 0700), 0);
	put("a $#b/in/deep.h", "#warning one\n#define VALUE 1\n");
	expect(includes_value, "\"-Ia $#b\"", "one", KEPT);
	expect(includes_value, "\"-Ia $#b\"", "one", FROM_CACHE);
	put("a $#b/in/deep.h", "#warning two\n#define VALUE 1\n");
	expect(includes_value, "\"-Ia $#b\"", "two", KEPT);
	/* beside the header that includes it nothing comes first */
	assert_int_equal(mkdir("in", 0700), 0);
	put("in/deep.h", "#warning three\n#define VALUE 1\n");
	struct build b = build_source(includes_value, "\"-Ia $#b\"");
	assert_non_null(strstr(b.log, "two"));
	build_free(&b);
}

/* A header that appears where clang looks first: in the working directory, or earlier on the path. */
static void header_shadowed(void **state)
{
	(void)state;
	assert_int_equal(mkdir("a", 0700), 0);
	assert_int_equal(mkdir("b", 0700), 0);
	put("b/value.h", "#warning one\n#define VALUE 1\n");
	expect(includes_value, "-I ./a/ -I b", "one", KEPT);
	expect(includes_value, "-I ./a/ -I b", "one", FROM_CACHE);
	put("a/value.h", "#warning two\n#define VALUE 1\n");
	expect(includes_value, "-I ./a/ -I b", "two", KEPT);
	expect(includes_value, "-I ./a/ -I b", "two", FROM_CACHE);
	put("value.h", "#warning three\n#define VALUE 1\n");
	expect(includes_value, "-I ./a/ -I b", "three", KEPT);
	assert_int_equal(unlink("value.h"), 0);
	assert_int_equal(unlink("a/value.h"), 0);
	struct build b = build_source(includes_value, "-I ./a/ -I b");
	assert_non_null(strstr(b.log, "one"));
	build_free(&b);
}

static void header_removed(void **state)
{
	(void)state;
	struct build b;
	put("value.h", "#warning one\n#define VALUE 1\n");
	expect(includes_value, NULL, "one", KEPT);
	assert_int_equal(unlink("value.h"), 0);
	assert_int_equal(build(includes_value, NULL, COMPILE_FAILED, &b), NOT_KEPT);
	build_free(&b);
	put("value.h", "#warning one\n#define VALUE 1\n");
	expect(includes_value, NULL, "one", FROM_CACHE);
}

/* A relative path means what it means in the working directory of each build. */
static void other_directory(void **state)
{
	(void)state;
	assert_int_equal(mkdir("x", 0700), 0);
	assert_int_equal(mkdir("y", 0700), 0);
	put("x/value.h", "#warning one\n#define VALUE 1\n");
	put("y/value.h", "#warning two\n#define VALUE 1\n");
	for (unsigned round = 0; round < 2; round++) {
		assert_int_equal(chdir("x"), 0);
		expect(includes_value, NULL, "one", round ? FROM_CACHE : KEPT);
		assert_int_equal(chdir("../y"), 0);
		expect(includes_value, NULL, "two", round ? FROM_CACHE : KEPT);
		assert_int_equal(chdir(".."), 0);
	}
}

/* The headers of clCompileProgram are in the request. A file of the host that comes before one of them counts. */
static void headers_of_the_request(void **state)
{
	(void)state;
	const struct compile_input input = { "program", includes_value, strlen(includes_value) },
				   header = { "value.h", "#warning one\n#define VALUE 1\n", 29 };
	const struct compile_request request = { .action = COMPILE_COMPILE, .inputs = &input, .num_inputs = 1, .headers = &header, .num_headers = 1 };
	for (unsigned round = 0; round < 2; round++) {
		const uint64_t before = entries();
		struct build b = build_request(&request);
		build_expect_ok(&b);
		assert_non_null(strstr(b.log, "one"));
		assert_int_equal(entries() != before, !round);
		build_free(&b);
		tick();
	}
	put("value.h", "#warning two\n#define VALUE 1\n");
	struct build b = build_request(&request);
	build_expect_ok(&b);
	assert_non_null(strstr(b.log, "two"));
	build_free(&b);
}

/* Clang does not say which files it has asked for and not found: such a program is compiled each time. */
static void asks_for_files(void **state)
{
	(void)state;
	static const char *const sources[] = {
		"#if __has_include(\"value.h\")\n#warning one\n#else\n#warning two\n#endif\nkernel void k(global int *o) { o[0] = 1; }",
		"#if __has_\\\ninclude(\"value.h\")\n#warning one\n#else\n#warning two\n#endif\nkernel void k(global int *o) { o[0] = 2; }",
		"#include \"asks.h\"\nkernel void k(global int *o) { o[0] = 3; }",
	};
	put("asks.h", "#define JOIN(a, b) a##b\n#if JOIN(__has_, include)(\"value.h\")\n#warning one\n#else\n#warning two\n#endif\n");
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		unlink("value.h");
		expect(sources[i], NULL, "two", NOT_KEPT);
		put("value.h", "\n");
		expect(sources[i], NULL, "one", NOT_KEPT);
	}
}

/* Whether a result of these files is kept when its build began at that time. */
static bool kept(const char *list, size_t size, struct timespec build_began)
{
	static uint64_t number;
	const struct cache_key key = { .low = 1, .high = ++number };
	const struct compile_dependencies files = { .list = (char *)(uintptr_t)list, .size = size, .began = build_began };
	void *object;
	char *log;
	cache_store(key, &files, "object", 6, "log");
	if (!cache_load(key, &object, &size, &log))
		return false;
	assert_int_equal(size, 6);
	assert_memory_equal(object, "object", 6);
	assert_string_equal(log, "log");
	free(object);
	free(log);
	return true;
}

/* A file that changed during the build may not be what clang has read. The date that utime() sets does not matter. */
static void changed_during_the_build(void **state)
{
	static const char used[] = "uvalue.h\0", two[] = "uvalue.h\0mearlier.h\0";
	struct timespec before, after;
	(void)state;
	clock_gettime(CLOCK_REALTIME_COARSE, &before);
	put("value.h", "one\n");
	assert_int_equal(utimensat(AT_FDCWD, "value.h", (const struct timespec[2]){ { 1, 0 }, { 1, 0 } }, 0), 0);
	tick();
	clock_gettime(CLOCK_REALTIME_COARSE, &after);
	assert_false(kept(used, sizeof used, before));
	assert_true(kept(used, sizeof used, after));
	assert_true(kept(two, sizeof two, after));
	put("earlier.h", "");
	clock_gettime(CLOCK_REALTIME_COARSE, &after);
	assert_false(kept(two, sizeof two, after));
	assert_true(kept(used, sizeof used, after));
	assert_false(kept(used, 0, after));
	assert_int_equal(unlink("value.h"), 0);
	assert_false(kept(used, sizeof used, after));
}

/* Each test has an empty directory and an empty cache. */
static int begin(void **state)
{
	static unsigned n;
	char name[16], *command;
	(void)state;
	snprintf(name, sizeof name, "%u", n++);
	assert_true(asprintf(&command, "rm -rf '%s'", getenv("GALENA_CACHE_DIR")) > 0);
	assert_int_equal(system(command), 0);
	free(command);
	return chdir(work) || mkdir(name, 0700) || chdir(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(no_headers, begin), cmocka_unit_test_setup(header_changed, begin),
		cmocka_unit_test_setup(header_of_a_header, begin), cmocka_unit_test_setup(header_shadowed, begin),
		cmocka_unit_test_setup(header_removed, begin), cmocka_unit_test_setup(other_directory, begin),
		cmocka_unit_test_setup(headers_of_the_request, begin), cmocka_unit_test_setup(asks_for_files, begin),
		cmocka_unit_test_setup(changed_during_the_build, begin),
	};
	char command[100];
	support_start();
	assert_non_null(mkdtemp(work));
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof command, "rm -rf '%s'", work);
	support_end();
	return failed || chdir("/") || system(command);
}
