/* The same single-threaded program makes the same bus traffic on every run, at any load and for any number
 * of host threads: the other tests here, each run several times beside a busy process, give one hash each. */
#include "testbench/opencl/cl_test.h"
#include <signal.h>
#include <sys/wait.h>
#include "testbench/skip.h"

static char folder[PATH_MAX];

/* The hash that the library prints when the program ends. */
static void hash_of(const char *name, unsigned threads, char hash[64])
{
	char command[8400], line[512];
	hash[0] = 0;
	snprintf(command, sizeof command, "GALENA_HASH=1 GALENA_HOST_THREADS=%u '%s/%s' 2>&1", threads, folder, name);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f))
		sscanf(line, "bus hash %63s", hash);
	assert_int_equal(pclose(f), 0);
	assert_int_equal(strlen(hash), 16);
}

/* What device 0 holds at its end, and when that is, with nobody looking: the helpers of its compute units are at work. */
static void end_of(const char *name, unsigned threads, char end[64])
{
	char command[8400], line[512];
	end[0] = 0;
	snprintf(command, sizeof command, "GALENA_DRAM_HASH=1 GALENA_HOST_THREADS=%u '%s/%s' 2>&1", threads, folder, name);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f))
		sscanf(line, "dram hash 0 %63[0-9a-z ]", end);
	assert_int_equal(pclose(f), 0);
	assert_non_null(strstr(end, " at cycle "));
}

static void same_every_time(const char *name)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	SKIP("the sanitizer's heap stands in for the library's own (icd/heap.c)");
#endif
	char first[64], again[64];
	end_of(name, 1, first);
	for (unsigned threads = 2; threads <= 4; threads++) {
		end_of(name, threads, again);
		assert_string_equal(first, again);
	}
	hash_of(name, 1, first);
	for (int i = 0; i < 3; i++) {
		pid_t busy = i ? fork() : -1;
		if (!busy)
			for (volatile unsigned long n = 0;; n++) {
			}
		hash_of(name, 1 + (unsigned)i, again);
		if (busy > 0) {
			kill(busy, SIGKILL);
			waitpid(busy, NULL, 0);
		}
		assert_string_equal(again, first);
	}
}

static void buffers(void **state)
{
	(void)state;
	same_every_time("buffer");
}

static void maps(void **state)
{
	(void)state;
	same_every_time("map");
}

static void images(void **state)
{
	(void)state;
	same_every_time("image");
}

static void queues(void **state)
{
	(void)state;
	same_every_time("queue");
}

static void openvx_graphs(void **state)
{
	(void)state;
	same_every_time("../openvx/graph");
}

static void openvx_data(void **state)
{
	(void)state;
	same_every_time("../openvx/data_tensors");
}

/* and it is a hash of something: different programs differ */
static void programs_differ(void **state)
{
	(void)state;
	char a[64], b[64];
	hash_of("buffer", 1, a);
	hash_of("image", 1, b);
	assert_string_not_equal(a, b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffers), cmocka_unit_test(maps),            cmocka_unit_test(images),
		cmocka_unit_test(queues),  cmocka_unit_test(openvx_graphs),   cmocka_unit_test(openvx_data),
		cmocka_unit_test(programs_differ),
	};
	cl_test_init(argc, argv);
	if (!check_long()) {
		setenv("TEST_SKIP", "endless", 1);
		puts("# without the case endless of opencl/queue, which is as long as all others together; make check-long has it, too");
	}
	program_path(folder, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
