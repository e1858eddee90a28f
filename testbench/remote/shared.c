/* `galena serve`: processes share the devices. One of them is killed at random moments, the other's results stay right, and nothing of
 * the dead is left in the server. Arguments: SEED [COUNT], how many are killed. */
#define _GNU_SOURCE
#include "include/galena/heap.h"
#include "testbench/random.h"
#include "testbench/remote/processes.h"
#include <dirent.h>
#include <sys/mman.h>

static uint64_t seed = 1;
static unsigned kills = 40;

/* ---- tests ---- */
static void killed_clients_leave_nothing(void **state)
{
	(void)state;
	uint64_t r = seed;
	char number[32];
	struct process server = serve(), survivor = start("test/remote/client", "work", "100", "2", NULL);
	unsigned descriptors = entries(server.pid, "fd"), threads = entries(server.pid, "task");
	for (unsigned i = 0; i < kills; i++) {
		snprintf(number, sizeof number, "%llu", (unsigned long long)(splitmix64(&r) % (1000)));
		struct process victim = start("test/remote/client", "work", "100", number, NULL);
		usleep((useconds_t)(i % 4 ? 100000 + (splitmix64(&r) % (300000)) : (splitmix64(&r) % (150000))));
		kill(victim.pid, SIGKILL);
		const int ended = end_of(victim, -SIGKILL);
		if (ended != -SIGKILL)
			fail_msg("client %u (seed %llu) ended with %d by itself", i, (unsigned long long)seed, ended);
		int status;
		if (waitpid(survivor.pid, &status, WNOHANG))
			fail_msg("the other client ended when client %u (seed %llu) was killed", i, (unsigned long long)seed);
	}
	kill(survivor.pid, SIGKILL);
	assert_int_equal(end_of(survivor, -SIGKILL), -SIGKILL);
	assert_int_equal(end_of(start("test/remote/client", "all", NULL), 0), 0);
	/* the survivor may not have been in yet when these were counted */
	for (unsigned i = 0; i < 1000 && (entries(server.pid, "fd") > descriptors || entries(server.pid, "task") > threads); i++)
		usleep(10000);
	assert_in_range(entries(server.pid, "fd"), 0, descriptors);
	assert_in_range(entries(server.pid, "task"), 0, threads);
	server_end(server);
}

static void buffer_by_descriptor(void **state)
{
	(void)state;
	char number[16];
	enum { BYTES = 4096 };
	struct process server = serve();
	const int fd = galena_heap_alloc("system", BYTES, 0);
	assert_true(fd >= 0);
	uint32_t *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(p != MAP_FAILED);
	for (unsigned i = 0; i < BYTES / 4; i++)
		p[i] = i;
	const int passed = dup(fd); /* one that is not closed on exec */
	snprintf(number, sizeof number, "%d", passed);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(end_of(start("test/remote/client", "shared", number, NULL), 0), 0);
	for (unsigned i = 0; i < BYTES / 4; i++)
		assert_int_equal(p[i], i * 9);
	munmap(p, BYTES);
	close(passed);
	close(fd);
	server_end(server);
}

/* Tests of the boundary that ask for nothing that a client cannot have. */
static void the_same_boundary(void **state)
{
	(void)state;
	struct process server = serve();
	assert_int_equal(end_of(start("test/driver/bind", NULL), 0), 0);
	assert_int_equal(end_of(start("test/driver/export", NULL), 0), 0);
	assert_int_equal(end_of(start("test/driver/fences", NULL), 0), 0);
	assert_int_equal(end_of(start("test/driver/turns", NULL), 0), 0);
	/* an API and the driver of another in one process */
	assert_int_equal(end_of(start("test/opencl/va", NULL), 0), 0);
	server_end(server);
}

static void what_a_client_cannot_have(void **state)
{
	(void)state;
	struct process server = serve();
	assert_int_equal(end_of(start("test/remote/client", "errors", NULL), 0), 0);
	server_end(server);
}

static void server_that_ends(void **state)
{
	(void)state;
	setenv("GALENA_WATCHDOG", "0", 1);
	struct process server = serve(), client = start("test/remote/client", "hang", NULL);
	wait_for_line(client);
	assert_int_equal(end_of(start("bin/galena", "serve", "--socket", path, NULL), 3), 3); /* there is one */
	kill(server.pid, SIGKILL);
	assert_int_equal(end_of(server, -SIGKILL), -SIGKILL);
	assert_int_equal(end_of(client, 3), 3); /* an error of the API */
	assert_int_equal(end_of(start("test/remote/client", "all", NULL), 3), 3);
	server_end(serve()); /* where the dead one's socket still is */
}

static int clean(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(directory);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_clients_leave_nothing), cmocka_unit_test(buffer_by_descriptor), cmocka_unit_test(the_same_boundary),
		cmocka_unit_test(what_a_client_cannot_have), cmocka_unit_test(server_that_ends),
	};
	seed = seed_take(argc, argv);
	if (argc > 2)
		kills = (unsigned)atoi(argv[2]);
	program_path(build, 3);
	build_tree_loader();
	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof path, "%s/socket", directory);
	setenv("GALENA_DEVICE", "remote", 1);
	setenv("GALENA_SOCKET", path, 1);
	return cmocka_run_group_tests(tests, NULL, clean);
}
