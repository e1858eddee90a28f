/* Fences by descriptor, by the requests of the kernel-mode driver: timelines that files share, points that can be polled, and how they fail.
 * Also against a server (GALENA_DEVICE=remote). */
#define _GNU_SOURCE
#include "abi/codes.h"
#include "testbench/driver/two_clients.h"
#include "testbench/random.h"
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

static struct kmd_fence_value value_of(struct client *c, uint32_t fence)
{
	struct kmd_fence_value v = { .fence = fence };
	idle(c);
	OK(c, FENCE_QUERY, v);
	return v;
}

/* ---- what they are for ---- */
static void a_timeline_of_two_files(void **state)
{
	(void)state;
	const uint32_t mine = shared_fence(a), its = given(b, a, mine);
	b->words[0] = 7;
	submit(b, 1, 0, &(struct kmd_point){ its, 0, 5 }, &(struct kmd_point){ its, 0, 6 });
	idle(b);
	assert_int_equal(b->words[1], 0);
	/* a command of one file signals what a command of another waits for, on another device */
	submit(a, -1, 0, NULL, &(struct kmd_point){ mine, 0, 4 });
	assert_int_equal(wait_for(a, KMD_WAIT_POINT, mine, 4), 0);
	idle(b);
	assert_int_equal(b->words[1], 0);
	assert_int_equal(value_of(a, mine).value, 4);
	submit(a, -1, 0, NULL, &(struct kmd_point){ mine, 0, 5 });
	assert_int_equal(wait_for(a, KMD_WAIT_POINT, mine, 6), 0);
	assert_int_equal(b->words[1], 7);
	assert_int_equal(value_of(b, its).value, 6);
	/* and the host does */
	submit(a, -1, 0, &(struct kmd_point){ mine, 0, 10 }, &(struct kmd_point){ mine, 0, 11 });
	OK(b, FENCE_SIGNAL, ((struct kmd_signal){ .fence = its, .value = 9 }));
	assert_int_equal(value_of(a, mine).value, 9);
	OK(b, FENCE_SIGNAL, ((struct kmd_signal){ .fence = its, .value = 10 }));
	assert_int_equal(wait_for(b, KMD_WAIT_POINT, its, 11), 0);
	OK(b, FENCE_SIGNAL, ((struct kmd_signal){ .fence = its, .value = 3 })); /* which is no more */
	assert_int_equal(value_of(a, mine).value, 11);
	close_fence(a, mine);
	assert_int_equal(value_of(b, its).value, 11);
	close_fence(b, its);
	FAILS(b, BAD_HANDLE, FENCE_QUERY, ((struct kmd_fence_value){ .fence = its }));
}

static void *signal_late(void *fence)
{
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	OK(b, FENCE_SIGNAL, ((struct kmd_signal){ .fence = *(uint32_t *)fence, .value = 2 }));
	return NULL;
}

static void a_wait_of_the_host(void **state)
{
	(void)state;
	pthread_t thread;
	uint32_t mine = shared_fence(a), its = given(b, a, mine);
	assert_int_equal(pthread_create(&thread, NULL, signal_late, &its), 0);
	assert_int_equal(wait_for(a, KMD_WAIT_POINT, mine, 2), 0);
	pthread_join(thread, NULL);
	/* of one that has no descriptor */
	struct kmd_fence plain = { 0 };
	OK(a, FENCE_CREATE, plain);
	submit(a, -1, 0, NULL, &(struct kmd_point){ plain.fence, 0, 3 });
	assert_int_equal(wait_for(a, KMD_WAIT_POINT, plain.fence, 3), 0);
	OK(a, FENCE_SIGNAL, ((struct kmd_signal){ .fence = plain.fence, .value = 4 }));
	OK(a, FENCE_SIGNAL, ((struct kmd_signal){ .fence = plain.fence, .value = 5 }));
	assert_int_equal(wait_for(a, KMD_WAIT_POINT, plain.fence, 5), 0);
	close_fence(a, plain.fence);
}

static void memory_that_can_be_read(void **state)
{
	(void)state;
	const uint32_t mine = shared_fence(a);
	const int fd = export(a, mine, KMD_FENCE_OPAQUE, 0);
	const uint64_t word = 1;
	const uint8_t *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(page != MAP_FAILED);
	assert_true(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
	assert_int_equal(pwrite(fd, &word, sizeof word, 0), -1);
	assert_int_equal(ftruncate(fd, 0), -1);
	submit(a, -1, 0, NULL, &(struct kmd_point){ mine, 0, 1ull << 40 });
	idle(a);
	assert_int_equal(*(const uint64_t *)(const void *)page, 1ull << 40);
	assert_int_equal(*(const int32_t *)(const void *)(page + KMD_FENCE_STATUS), 0);
	OK(a, FENCE_SIGNAL, ((struct kmd_signal){ .fence = mine, .status = -FAULT_ABORTED }));
	idle(a);
	assert_int_equal(*(const int32_t *)(const void *)(page + KMD_FENCE_STATUS), -FAULT_ABORTED);
	close_fence(a, mine);
	close(fd);
	assert_int_equal(*(const int32_t *)(const void *)(page + KMD_FENCE_STATUS), -FAULT_ABORTED);
	munmap((void *)(uintptr_t)page, 4096);
}

static void points_that_can_be_polled(void **state)
{
	(void)state;
	int32_t status;
	const uint32_t mine = shared_fence(a);
	const int two = export(a, mine, KMD_FENCE_SYNC_FILE, 2), three = export(a, mine, KMD_FENCE_SYNC_FILE, 3);
	const uint32_t its = import(b, dup(three), KMD_FENCE_SYNC_FILE);
	assert_int_equal(send(two, "", 1, MSG_NOSIGNAL), -1);
	b->words[0] = 9;
	submit(b, 2, 0, &(struct kmd_point){ its, 0, 77 }, NULL); /* whatever value */
	submit(a, -1, 0, NULL, &(struct kmd_point){ mine, 0, 2 });
	idle(a);
	assert_true(readable(two));
	assert_false(readable(three));
	assert_int_equal(b->words[2], 0);
	OK(a, FENCE_SIGNAL, ((struct kmd_signal){ .fence = mine, .value = 3 }));
	assert_int_equal(wait_for(b, KMD_WAIT_POINT, its, 0), 0);
	assert_true(readable(three));
	idle(b);
	assert_int_equal(b->words[2], 9);
	assert_int_equal(read(three, &status, sizeof status), (int)sizeof status);
	assert_int_equal(status, 0);
	/* one of an import is of the same point; one of what is reached can be read at once */
	close_fence(a, mine);
	const int again = export(b, its, KMD_FENCE_SYNC_FILE, 1000);
	assert_true(readable(again));
	FAILS(b, BAD_HANDLE, FENCE_SIGNAL, ((struct kmd_signal){ .fence = its, .value = 4 }));
	FAILS(b, BAD_HANDLE, FENCE_EXPORT, ((struct kmd_fence_fd){ .fence = its, .kind = KMD_FENCE_OPAQUE }));
	close_fence(b, its);
	close(again);
	close(two);
	close(three);
}

/* ---- how they fail ---- */
static void the_host_says_so(void **state)
{
	(void)state;
	int32_t status;
	const uint32_t mine = shared_fence(a), its = given(b, a, mine);
	const int point = export(a, mine, KMD_FENCE_SYNC_FILE, 1);
	const uint64_t command = submit(b, 3, 0, &(struct kmd_point){ its, 0, 1 }, NULL);
	OK(a, FENCE_SIGNAL, ((struct kmd_signal){ .fence = mine, .status = -FAULT_LOST }));
	assert_int_equal(wait_for(b, KMD_WAIT_POINT, its, 1), KMD_FENCE_FAILED);
	assert_int_equal(wait_for(b, KMD_WAIT_POINT, b->timeline, command), 0);
	assert_int_equal(b->status, -FAULT_DEPENDENCY);
	assert_int_equal(b->words[3], 0);
	assert_int_equal(value_of(b, its).status, -FAULT_LOST);
	assert_int_equal(read(point, &status, sizeof status), (int)sizeof status);
	assert_int_equal(status, -FAULT_LOST);
	OK(a, FENCE_SIGNAL, ((struct kmd_signal){ .fence = mine, .value = 1 })); /* which changes nothing */
	assert_int_equal(value_of(b, its).status, -FAULT_LOST);
	close(point);
	close_fence(a, mine);
	close_fence(b, its);
	/* the queue goes on */
	submit(b, 4, 0, NULL, NULL);
	idle(b);
	assert_int_equal(b->status, 0);
}

static void its_command_fails(void **state)
{
	(void)state;
	const uint32_t mine = shared_fence(a), its = given(b, a, mine);
	submit(b, 3, 0, &(struct kmd_point){ its, 0, 1 }, NULL);
	submit(a, 1 << 20, 0, NULL, &(struct kmd_point){ mine, 0, 1 }); /* where nothing is mapped */
	assert_int_equal(wait_for(a, KMD_WAIT_POINT, mine, 1), KMD_FENCE_FAILED);
	idle(a);
	idle(b);
	assert_true(a->status < 0 && a->status != -FAULT_DEPENDENCY);
	assert_int_equal(b->status, -FAULT_DEPENDENCY);
	assert_int_equal(value_of(b, its).status, a->status);
}

static void its_maker_goes(void **state)
{
	(void)state;
	const uint32_t mine = shared_fence(a), its = given(b, a, mine), kept = shared_fence(a), still = given(b, a, kept);
	const int point = export(a, mine, KMD_FENCE_SYNC_FILE, 1);
	submit(b, 3, 0, &(struct kmd_point){ its, 0, 1 }, NULL);
	close_fence(a, kept);
	kmd_close(a->file);
	a->file = -1;
	assert_int_equal(wait_for(b, KMD_WAIT_POINT, its, 1), KMD_FENCE_FAILED);
	assert_int_equal(value_of(b, its).status, -FAULT_ABORTED);
	assert_int_equal(b->status, -FAULT_DEPENDENCY);
	assert_true(readable(point));
	OK(b, FENCE_SIGNAL, ((struct kmd_signal){ .fence = still, .value = 1 }));
	assert_int_equal(wait_for(b, KMD_WAIT_POINT, still, 1), 0);
	close(point);
}

static void its_importer_goes(void **state)
{
	(void)state;
	const uint32_t mine = shared_fence(a), its = given(b, a, mine);
	submit(b, -1, 0, &(struct kmd_point){ its, 0, 1 }, &(struct kmd_point){ its, 0, 2 });
	kmd_close(b->file); /* its command is given up */
	b->file = -1;
	assert_int_equal(wait_for(a, KMD_WAIT_POINT, mine, 2), KMD_FENCE_FAILED);
	assert_int_equal(value_of(a, mine).status, -FAULT_ABORTED);
}

/* ---- what cannot be ---- */
static void wrong_arguments(void **state)
{
	static const uint32_t wrong[] = { 0, 1u << 20, UINT32_MAX };
	(void)state;
	const uint32_t mine = shared_fence(a);
	struct kmd_fence plain = { 0 };
	OK(a, FENCE_CREATE, plain);
	const int null = open("/dev/null", O_RDONLY), opaque = export(a, mine, KMD_FENCE_OPAQUE, 0), point = export(a, mine, KMD_FENCE_SYNC_FILE, 1);
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		FAILS(a, BAD_HANDLE, FENCE_EXPORT, ((struct kmd_fence_fd){ .fence = wrong[i] }));
		FAILS(a, BAD_HANDLE, FENCE_QUERY, ((struct kmd_fence_value){ .fence = wrong[i] }));
	}
	FAILS(a, BAD_HANDLE, FENCE_EXPORT, ((struct kmd_fence_fd){ .fence = a->timeline }));
	FAILS(a, BAD_HANDLE, FENCE_EXPORT, ((struct kmd_fence_fd){ .fence = a->queue, .kind = KMD_FENCE_SYNC_FILE }));
	FAILS(b, BAD_HANDLE, FENCE_EXPORT, ((struct kmd_fence_fd){ .fence = mine + 1 })); /* another file's */
	FAILS(a, INVALID, FENCE_EXPORT, ((struct kmd_fence_fd){ .fence = plain.fence }));
	FAILS(a, INVALID, FENCE_EXPORT, ((struct kmd_fence_fd){ .fence = plain.fence, .kind = KMD_FENCE_SYNC_FILE, .value = 1 }));
	FAILS(a, INVALID, FENCE_EXPORT, ((struct kmd_fence_fd){ .fence = mine, .kind = 2 }));
	FAILS(a, INVALID, FENCE_CREATE, ((struct kmd_fence){ .flags = 4 }));
	FAILS(a, INVALID, FENCE_SIGNAL, ((struct kmd_signal){ .fence = mine, .status = 1 }));
	FAILS(b, INVALID, FENCE_IMPORT, ((struct kmd_fence_fd){ .fd = opaque, .kind = 2 }));
	FAILS(b, BAD_DESCRIPTOR, FENCE_IMPORT, ((struct kmd_fence_fd){ .fd = opaque, .kind = KMD_FENCE_SYNC_FILE }));
	FAILS(b, BAD_DESCRIPTOR, FENCE_IMPORT, ((struct kmd_fence_fd){ .fd = point, .kind = KMD_FENCE_OPAQUE }));
	FAILS(b, BAD_DESCRIPTOR, FENCE_IMPORT, ((struct kmd_fence_fd){ .fd = null }));
	FAILS(b, BAD_DESCRIPTOR, FENCE_IMPORT, ((struct kmd_fence_fd){ .fd = -1 }));
	FAILS(b, BAD_DESCRIPTOR, FENCE_IMPORT, ((struct kmd_fence_fd){ .fd = 1 << 20 }));
	FAILS(b, BAD_DESCRIPTOR, BO_IMPORT_FD, ((struct kmd_bo_import_fd){ .vm = b->vm, .fd = opaque, .size = 4096 }));
	close(opaque);
	FAILS(b, BAD_DESCRIPTOR, FENCE_IMPORT, ((struct kmd_fence_fd){ .fd = opaque }));
	close(point);
	close(null);
}

static unsigned open_descriptors(void)
{
	unsigned n = 0;
	DIR *d = opendir("/proc/self/fd");
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Nothing is left of them, and their page frame numbers come again. */
static void many(void **state)
{
	enum { MANY = 500 };
	(void)state;
	const unsigned before = open_descriptors();
	for (unsigned i = 0; i < MANY; i++) {
		const uint32_t mine = shared_fence(a), its = given(b, a, mine);
		const uint32_t point = import(b, export(a, mine, KMD_FENCE_SYNC_FILE, 1), KMD_FENCE_SYNC_FILE);
		submit(b, -1, 0, &(struct kmd_point){ point, 0, 0 }, NULL);
		OK(a, FENCE_SIGNAL, ((struct kmd_signal){ .fence = mine, .value = 1 }));
		close_fence(a, mine);
		close_fence(b, its);
		close_fence(b, point);
		if (i % 50 == 49)
			idle(b);
	}
	idle(a);
	idle(b);
	close(export(a, shared_fence(a), KMD_FENCE_SYNC_FILE, 1));
	assert_true(open_descriptors() <= before + 2); /* the last fence's */
}

/* An opaque descriptor is enough, whatever has become of its handles and of its maker; without descriptors nothing is left. */
static void kept_by_a_descriptor(void **state)
{
	enum { MANY = 50 };
	(void)state;
	const unsigned before = open_descriptors();
	for (unsigned i = 0; i < MANY; i++) {
		const uint32_t mine = shared_fence(a);
		const int fd = export(a, mine, KMD_FENCE_OPAQUE, 0);
		submit(a, -1, 0, NULL, &(struct kmd_point){ mine, 0, 3 + i });
		close_fence(a, mine);
		idle(a);
		const uint32_t its = import(b, dup(fd), KMD_FENCE_OPAQUE);
		assert_int_equal(value_of(b, its).value, 3 + i);
		close_fence(b, its);
		close(fd);
	}
	const uint32_t mine = shared_fence(a), last = shared_fence(b);
	const int fd = export(a, mine, KMD_FENCE_OPAQUE, 0);
	OK(a, FENCE_SIGNAL, ((struct kmd_signal){ .fence = mine, .value = 77 }));
	idle(a);
	close_fence(a, mine);
	kmd_close(a->file);
	a->file = -1;
	close(export(b, last, KMD_FENCE_OPAQUE, 0)); /* those that nothing keeps go */
	const uint32_t its = import(b, fd, KMD_FENCE_OPAQUE);
	assert_int_equal(value_of(b, its).value, 77);
	assert_int_equal(value_of(b, its).status, 0);
	OK(b, FENCE_SIGNAL, ((struct kmd_signal){ .fence = its, .value = 78 }));
	idle(b);
	assert_int_equal(value_of(b, its).value, 78);
	close_fence(b, its);
	close_fence(b, last);
	idle(b);
	assert_true(open_descriptors() <= before + 2);
}

/* ---- at random ---- */
/* Commands of both files wait for points and signal the next ones; each point is reached by exactly one. */
static void at_random(void **state)
{
	enum { FENCES = 4, ROUNDS = 400 };
	uint64_t *seed = *state, next[FENCES] = { 0 };
	uint32_t fences[CLIENTS][FENCES];
	for (unsigned i = 0; i < FENCES; i++) {
		struct client *maker = &clients[i % 2];
		fences[i % 2][i] = shared_fence(maker);
		fences[!(i % 2)][i] = given(&clients[!(i % 2)], maker, fences[i % 2][i]);
	}
	for (unsigned n = 0; n < ROUNDS; n++) {
		const unsigned c = splitmix64(seed) % CLIENTS, on = splitmix64(seed) % FENCES, to = splitmix64(seed) % FENCES;
		/* it waits for what is there or comes, and for what its own signal follows */
		struct kmd_submit s = { .queue = clients[c].queue, .num_waits = 2, .num_signals = 1 };
		const struct kmd_point waits[2] = { { fences[c][on], 0, next[on] ? splitmix64(seed) % next[on] : 0 }, { fences[c][to], 0, next[to] } };
		const struct kmd_point signal = { fences[c][to], 0, next[to] + 1 };
		s.waits = (uintptr_t)waits;
		s.signals = (uintptr_t)&signal;
		switch (splitmix64(seed) % 8) {
		case 0:
			assert_int_equal(wait_for(&clients[c], KMD_WAIT_POINT, fences[c][to], next[to]), 0);
			assert_int_equal(value_of(&clients[c], fences[c][to]).value, next[to]);
			break;
		case 1:
			assert_int_equal(wait_for(&clients[c], KMD_WAIT_POINT, fences[c][to], next[to]), 0);
			OK(&clients[c], FENCE_SIGNAL, ((struct kmd_signal){ .fence = fences[c][to], .value = ++next[to] }));
			break;
		default:
			OK(&clients[c], SUBMIT, s);
			OK(&clients[c], FLUSH, ((struct kmd_flush){ .queues = (uintptr_t)&clients[c].queue, .num_queues = 1 }));
			next[to]++;
		}
	}
	for (unsigned c = 0; c < CLIENTS; c++)
		for (unsigned i = 0; i < FENCES; i++) {
			assert_int_equal(wait_for(&clients[c], KMD_WAIT_POINT, fences[c][i], next[i]), 0);
			assert_int_equal(value_of(&clients[c], fences[c][i]).value, next[i]);
			assert_int_equal(value_of(&clients[c], fences[c][i]).status, 0);
		}
}

int main(int argc, char **argv)
{
	static uint64_t seed;
	seed = seed_take(argc, argv);
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_both, close_both)
	const struct CMUnitTest tests[] = { CASE(a_timeline_of_two_files), CASE(a_wait_of_the_host), CASE(memory_that_can_be_read),
		CASE(points_that_can_be_polled), CASE(the_host_says_so), CASE(its_command_fails), CASE(its_maker_goes), CASE(its_importer_goes),
		CASE(wrong_arguments), CASE(many), CASE(kept_by_a_descriptor), { "at_random", at_random, open_both, close_both, &seed } };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
