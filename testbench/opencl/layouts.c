/* Where the application's memory lies shows nowhere: random programs of allocations, imports and transfers, each run in several
 * layouts of its address space, give one hash of all that crossed the bus each. Two at a time.
 *
 * The program runs itself: layouts child SEED LAYOUT PLACES STEPS LARGE runs the program of that seed, in a layout whose places are
 * drawn from the other. */
#define _GNU_SOURCE
#include "testbench/opencl/cl_test.h"
#include "testbench/opencl/layouts_memory.h"
#include "testbench/opencl/layouts_program.h"
#include "testbench/skip.h"
#include <inttypes.h>
#include <sys/personality.h>
#include <sys/wait.h>

enum { SMALL_STEPS = 20, ATTEMPTS = 5 };

/* How a program is run once more. */
struct attempt {
	enum layout layout;
	bool fixed;          /* without randomization of addresses */
	const char *heap[2]; /* how malloc() behaves: a variable and its value */
};
static const struct attempt attempts[ATTEMPTS] = {
	{LAYOUT_APART, false, {0}},
	{LAYOUT_PACKED, true, {0}},
	{LAYOUT_HEAP, false, {"GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=1073741824:glibc.malloc.top_pad=1048576"}},
	{LAYOUT_HIGH, false, {"GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=4096:glibc.malloc.arena_max=1"}},
	{LAYOUT_SPREAD, true, {0}},
};

static char folder[] = "/tmp/galena-layouts-XXXXXX";

static void file_of(char *out, size_t size, unsigned attempt) { snprintf(out, size, "%s/%u", folder, attempt); }

static pid_t start(unsigned n, uint64_t program, unsigned steps, bool large)
{
	const struct attempt *a = &attempts[n];
	pid_t child = fork();
	assert_true(child >= 0);
	if (child)
		return child;
	char file[64], words[4][32];
	file_of(file, sizeof file, n);
	setenv("GALENA_HASH", file, 1);
	if (a->heap[0])
		setenv(a->heap[0], a->heap[1], 1);
	if (a->fixed)
		personality(ADDR_NO_RANDOMIZE);
	snprintf(words[0], sizeof words[0], "%" PRIu64, program);
	snprintf(words[1], sizeof words[1], "%u", (unsigned)a->layout);
	snprintf(words[2], sizeof words[2], "%u", steps);
	snprintf(words[3], sizeof words[3], "%d", large);
	execl("/proc/self/exe", "layouts", "child", words[0], words[1], words[2], words[3], (char *)NULL);
	_exit(127);
}

/* The hash that a run has left; empty: none. */
static void hash_take(unsigned n, char hash[64])
{
	char file[64];
	file_of(file, sizeof file, n);
	FILE *f = fopen(file, "r");
	hash[0] = 0;
	if (!f)
		return;
	assert_int_equal(fscanf(f, "bus hash %63s", hash), 1);
	fclose(f);
	unlink(file);
}

/* All runs end well, and with one hash. In a make check of some minutes they are the first and two others, which the program decides. */
static bool one_hash(uint64_t program, unsigned steps, bool large)
{
	enum { AT_ONCE = 2 };
	char first[64] = "", hash[64];
	pid_t child[ATTEMPTS] = {0};
	unsigned runs[ATTEMPTS], count = 0, started = 0;
	const unsigned left_out = (unsigned)(program % (ATTEMPTS - 1)), next = (left_out + 1) % (ATTEMPTS - 1);
	bool same = true;
	for (unsigned n = 0; n < ATTEMPTS; n++)
		if (check_long() || large || !n || (n - 1 != left_out && n - 1 != next))
			runs[count++] = n;
	for (unsigned i = 0; i < count; i++) {
		const unsigned n = runs[i];
		int status;
		while (started < count && started < i + AT_ONCE) {
			child[runs[started]] = start(runs[started], program, steps, large);
			started++;
		}
		assert_int_equal(waitpid(child[n], &status, 0), child[n]);
		hash_take(n, hash);
		if (!n)
			strcpy(first, hash);
		if (!status && *hash && !strcmp(hash, first))
			continue;
		printf("layouts child %" PRIu64 " %u %u %d (%s): status 0x%x, hash %s; %s: %s\n", program, (unsigned)attempts[n].layout, steps, large,
		       layout_names[attempts[n].layout], (unsigned)status, hash, layout_names[attempts[0].layout], first);
		same = false;
	}
	return same;
}

static void many(unsigned programs, unsigned steps, bool large)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	SKIP("the sanitizer's heap stands in for the library's own (icd/heap.c)");
#endif
	unsigned moved = 0;
	for (unsigned i = 0; i < programs; i++)
		moved += !one_hash(splitmix64(&cl.seed), steps, large);
	assert_int_equal(moved, 0);
}

static void functional(void **state)
{
	(void)state;
	setenv("GALENA_CONFIG", "mini", 1);
	setenv("GALENA_SPEED", "functional", 1);
	many(200, SMALL_STEPS, false);
}

static void timed(void **state)
{
	(void)state;
	setenv("GALENA_CONFIG", "mini", 1);
	setenv("GALENA_SPEED", "timed", 1);
	many(10, SMALL_STEPS, false);
}

/* A cache reads whole lines of the host's memory: what stands beside the application's in them is the same each time. */
static void not_coherent(void **state)
{
	(void)state;
	setenv("LAYOUT_LINES", "1", 1);
	setenv("GALENA_CONFIG", "mini,coherent=0", 1);
	setenv("GALENA_SPEED", "functional", 1);
	many(20, SMALL_STEPS, false);
	unsetenv("LAYOUT_LINES");
}

static void large_transfers(void **state)
{
	(void)state;
	setenv("GALENA_CONFIG", "mini", 1);
	setenv("GALENA_SPEED", "functional", 1);
	many(2, SMALL_STEPS, true);
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(functional), cmocka_unit_test(timed), cmocka_unit_test(not_coherent),
					   cmocka_unit_test(large_transfers)};
	if (argc == 6 && !strcmp(argv[1], "child")) {
		const enum layout layout = strtoul(argv[3], NULL, 10);
		build_tree_loader();
		layout_use(layout < LAYOUTS ? layout : LAYOUT_APART, (uint64_t)getpid(), getenv("LAYOUT_LINES"));
		return layouts_program(strtoull(argv[2], NULL, 10), (unsigned)strtoul(argv[4], NULL, 10), atoi(argv[5]));
	}
	cl_test_init(argc, argv);
	setenv("GALENA_DEVICES", "1", 0);
	return cmocka_run_group_tests(tests, setup, teardown);
}
