/* Several clients of one process at the same devices: each has its own handles, address spaces and queues; none waits for another's
 * work, and one that goes leaves nothing. */
#include "include/galena/heap.h"
#include "testbench/driver/common.h"
#include "testbench/driver/inside.h"
#include <pthread.h>
#include <unistd.h>

struct client {
	struct umd *u;
	struct umd_space *space;
	struct umd_queue *queue;
};

static struct client client_open(unsigned device)
{
	struct client c = { .u = open_driver() };
	assert_int_equal(umd_space_create(c.u, &c.space), 0);
	assert_int_equal(umd_queue_create(c.space, device, 1, &c.queue), 0);
	return c;
}

static void client_close(struct client *c)
{
	umd_queue_release(c->queue);
	umd_space_release(c->space);
	umd_close(c->u);
}

static void same_devices(void **state)
{
	(void)state;
	struct client a = client_open(0), b = client_open(0);
	assert_int_equal(umd_num_devices(a.u), umd_num_devices(b.u));
	for (unsigned i = 0; i < umd_num_devices(a.u); i++) {
		uint8_t of_a[KMD_UUID_BYTES], of_b[KMD_UUID_BYTES];
		umd_device_uuid(a.u, i, of_a);
		umd_device_uuid(b.u, i, of_b);
		assert_memory_equal(of_a, of_b, sizeof of_a);
	}
	/* one device: its clock goes on for both */
	const uint64_t before = umd_clock(b.u, 0);
	assert_int_equal(run(a.queue, (union packet[]){ packet_nop() }, 1), 0);
	assert_true(umd_clock(b.u, 0) > before);
	/* addresses of one are nothing in the other */
	struct umd_bo *of_a = make_bo(a.space, 0, 8192, 0);
	union packet copy = packet_copy_1d(umd_bo_address(of_a), umd_bo_address(of_a) + 4096, 4096);
	assert_int_equal(run(b.queue, &copy, 1), -FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(run(a.queue, &copy, 1), 0);
	umd_bo_release(of_a);
	client_close(&b);
	assert_int_equal(run(a.queue, (union packet[]){ packet_nop() }, 1), 0);
	client_close(&a);
}

static void one_buffer(void **state)
{
	(void)state;
	enum { BYTES = 3 * 4096 };
	struct client a = client_open(0), b = client_open(1);
	struct umd_bo *shared[2], *mine = make_bo(a.space, 0, BYTES, 0), *theirs = make_bo(b.space, 0, BYTES, 0);
	int fd = galena_heap_alloc("system", BYTES, 0);
	assert_true(fd >= 0);
	assert_int_equal(umd_bo_import_dmabuf(a.space, fd, 0, BYTES, 0, &shared[0]), 0);
	assert_int_equal(umd_bo_import_dmabuf(b.space, fd, 0, BYTES, 0, &shared[1]), 0);
	close(fd);
	for (unsigned i = 0; i < BYTES / 4; i++)
		((uint32_t *)umd_bo_cpu(mine))[i] = i * 2654435761u;
	union packet in = packet_copy_1d(umd_bo_address(shared[0]), umd_bo_address(mine), BYTES);
	union packet out = packet_copy_1d(umd_bo_address(theirs), umd_bo_address(shared[1]), BYTES);
	assert_int_equal(run(a.queue, &in, 1), 0);
	assert_int_equal(run(b.queue, &out, 1), 0);
	assert_memory_equal(umd_bo_cpu(theirs), umd_bo_cpu(mine), BYTES);
	umd_bo_release(shared[0]);
	umd_bo_release(shared[1]);
	umd_bo_release(mine);
	umd_bo_release(theirs);
	client_close(&a);
	client_close(&b);
}

static union packet fill(uint64_t dst, uint64_t pattern, uint32_t bytes)
{
	return (union packet){ .fill = { .head.type = PACKET_CODE_fill, .pattern = pattern, .dst = dst, .width = bytes, .height = 1, .depth = 1,
					 .pattern_size = 4 } };
}

static void *wait_for_it(void *command) { return (void *)(intptr_t)umd_wait(command); }

static bool begun(void)
{
	struct driver *d = driver_of_process();
	driver_lock(d);
	const bool running = d->running;
	driver_unlock(d);
	return running;
}

/* A transfer of one client that takes long, and short commands of another beside it: whether these end first. */
static bool short_work_ends_first(void)
{
	enum { BYTES = 1 << 30, COMMANDS = 3 };
	struct client a = client_open(0), b = client_open(0);
	struct umd_bo *large = make_bo(a.space, 0, BYTES, KMD_BO_DRAM), *pattern = make_bo(a.space, 0, 4096, 0);
	union packet p = fill(umd_bo_address(large), umd_bo_address(pattern), BYTES);
	struct umd_command *c;
	pthread_t thread;
	void *result;
	assert_int_equal(umd_submit(a.queue, &p, 1, 0, NULL, NULL, &c), 0);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_it, c), 0);
	while (!begun())
		usleep(100);
	for (unsigned i = 0; i < COMMANDS; i++) {
		struct umd_bo *bo = make_bo(b.space, 0, 8192, 0);
		strcpy(umd_bo_cpu(bo), "short");
		union packet copy = packet_copy_1d(umd_bo_address(bo) + 4096, umd_bo_address(bo), 8);
		assert_int_equal(run(b.queue, &copy, 1), 0);
		assert_string_equal((char *)umd_bo_cpu(bo) + 4096, "short");
		umd_bo_release(bo);
		umd_sync(b.u);
	}
	bool first = !umd_command_ended(c, NULL);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
	umd_command_release(c);
	umd_bo_release(large);
	umd_bo_release(pattern);
	client_close(&b);
	client_close(&a);
	return first;
}

/* A host that does not let this thread run for as long as the transfer takes says nothing about the driver: once in ten is enough. */
static void long_work_stalls_nobody(void **state)
{
	(void)state;
	bool first = false;
	for (unsigned i = 0; i < 10 && !first; i++)
		first = short_work_ends_first();
	assert_true(first);
}

/* A client goes with commands that run, commands that wait for what never comes, and objects open. */
static void gone_client_leaves_nothing(void **state)
{
	(void)state;
	struct client a = client_open(0);
	assert_int_equal(run(a.queue, (union packet[]){ packet_nop() }, 1), 0);
	umd_sync(a.u);
	struct driver *d = driver_of_process();
	uint32_t pinned = 0;
	for (unsigned round = 0; round < 4; round++) {
		struct client b = client_open(round % 2);
		struct umd_bo *from = make_bo(b.space, 0, 64 * 4096, 0), *to = make_bo(b.space, 0, 64 * 4096, 0);
		struct umd_queue *waiting;
		struct umd_sem *never;
		union packet copy = packet_copy_1d(umd_bo_address(to), umd_bo_address(from), 64 * 4096), wait[2] = { [1] = copy };
		assert_int_equal(umd_queue_create(b.space, 0, 1, &waiting), 0);
		assert_int_equal(umd_sem_create(b.u, 0, &never), 0);
		umd_sem_wait_packet(never, &wait[0]);
		struct umd_command *commands[11];
		assert_int_equal(umd_submit(waiting, wait, 2, 0, NULL, NULL, &commands[10]), 0);
		umd_flush(waiting);
		for (unsigned i = 0; i < 10; i++)
			assert_int_equal(umd_submit(b.queue, &copy, 1, 0, NULL, NULL, &commands[i]), 0);
		if (round / 2)
			umd_flush(b.queue);
		umd_close(b.u);
		void *const left[] = { from, to, waiting, never, b.queue, b.space }; /* the memory of this process is not the driver's */
		for (unsigned i = 0; i < sizeof left / sizeof *left; i++)
			free(left[i]);
		for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
			free(commands[i]);
		for (unsigned i = 0; i < 3; i++) { /* the other goes on, and with it what is left of the one that has gone */
			assert_int_equal(run(a.queue, (union packet[]){ packet_nop() }, 1), 0);
			umd_sync(a.u);
		}
		driver_lock(d);
		assert_ptr_equal(d->files->next, NULL);
		if (round > 1)
			assert_int_equal(pins_count(&d->pins), pinned);
		pinned = pins_count(&d->pins);
		driver_unlock(d);
	}
	client_close(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_devices), cmocka_unit_test(one_buffer), cmocka_unit_test(long_work_stalls_nobody),
		cmocka_unit_test(gone_client_leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
