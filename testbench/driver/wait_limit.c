/* Commands that wait for a semaphore which nobody signals are ended after GALENA_WAIT_LIMIT seconds; whatever else waits, waits on. */
#define _GNU_SOURCE
#include "testbench/driver/fixture.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMITED = KMD_FENCE_LIMITED, FOR_EVER = 0 };

static struct umd_sem *semaphore(unsigned flags)
{
	struct umd_sem *s;
	assert_int_equal(umd_sem_create(d, flags, &s), 0);
	return s;
}

static struct umd_queue *queue_on(unsigned device)
{
	struct umd_queue *q;
	assert_int_equal(umd_queue_create(space, device, 1, &q), 0);
	return q;
}

/* Waits for a value of one semaphore, copies a word, and signals a value of another one (NULL: none). */
static struct umd_command *copy_between(struct umd_queue *q, struct umd_sem *wait, struct umd_sem *signal, struct umd_bo *bo, unsigned word)
{
	union packet p[3];
	unsigned n = 0;
	struct umd_command *c;
	umd_sem_reach_packet(wait, 1, &p[n++]);
	p[n++] = packet_copy_1d(umd_bo_address(bo) + 4 * word, umd_bo_address(bo), 4);
	if (signal)
		umd_sem_advance_packet(signal, 1, &p[n++]);
	assert_int_equal(umd_submit(q, p, n, 0, NULL, NULL, &c), 0);
	umd_flush(q);
	return c;
}

static int status_of(struct umd_command *c)
{
	struct completion done;
	assert_true(umd_command_ended(c, &done));
	umd_command_release(c);
	return done.status;
}

static struct umd_bo *words_of(uint32_t **words)
{
	struct umd_bo *bo = make_bo(space, 0, 4096, 0);
	*words = umd_bo_cpu(bo);
	memset(*words, 0, 4096);
	**words = 7;
	return bo;
}

/* The wait ends, and what the command was to do is not done; the next command of the queue is, and so is a wait for the same semaphore later. */
static void ends(void **state)
{
	(void)state;
	uint32_t *words;
	struct umd_bo *bo = words_of(&words);
	struct umd_sem *never = semaphore(LIMITED);
	struct umd_command *c = copy_between(queue, never, NULL, bo, 1);
	const union packet next = packet_copy_1d(umd_bo_address(bo) + 8, umd_bo_address(bo), 4);
	struct umd_command *after;
	assert_int_equal(umd_submit(queue, &next, 1, 0, NULL, NULL, &after), 0);
	assert_int_equal(umd_wait(after), 0);
	assert_int_equal(status_of(c), -FAULT_ABORTED);
	assert_int_equal(status_of(after), 0);
	assert_int_equal(words[1], 0);
	assert_int_equal(words[2], 7);
	assert_int_equal(umd_sem_advance(never, 1), 0);
	c = copy_between(queue, never, NULL, bo, 3);
	assert_int_equal(umd_wait(c), 0);
	assert_int_equal(status_of(c), 0);
	assert_int_equal(words[3], 7);
	umd_sem_release(never);
	umd_bo_release(bo);
}

/* A wait without a limit goes on, and so does one that a command will end which waits without a limit; of those that wait for each other none does. */
static void others_wait_on(void **state)
{
	(void)state;
	uint32_t *words;
	struct umd_bo *bo = words_of(&words);
	struct umd_queue *q[5];
	struct umd_sem *held = semaphore(FOR_EVER), *later = semaphore(LIMITED), *circle[2] = { semaphore(LIMITED), semaphore(LIMITED) }, *never = semaphore(LIMITED);
	for (unsigned i = 0; i < 5; i++)
		q[i] = queue_on(i & 1);
	struct umd_command *patient = copy_between(q[0], held, later, bo, 1), *follower = copy_between(q[1], later, NULL, bo, 2);
	struct umd_command *one = copy_between(q[2], circle[0], circle[1], bo, 3), *two = copy_between(q[3], circle[1], circle[0], bo, 4);
	assert_int_equal(umd_wait(one), 0);
	assert_int_equal(umd_wait(two), 0);
	assert_int_not_equal(status_of(one), 0);
	assert_int_not_equal(status_of(two), 0);
	for (unsigned i = 0; i < 2; i++) { /* as long again, twice */
		struct umd_command *c = copy_between(q[4], never, NULL, bo, 5);
		assert_int_equal(umd_wait(c), 0);
		assert_int_equal(status_of(c), -FAULT_ABORTED);
	}
	assert_false(umd_command_ended(patient, NULL));
	assert_false(umd_command_ended(follower, NULL));
	umd_sem_signal(held, 0);
	assert_int_equal(umd_wait(follower), 0);
	assert_int_equal(status_of(patient), 0);
	assert_int_equal(status_of(follower), 0);
	assert_int_equal(words[1], 7);
	assert_int_equal(words[2], 7);
	assert_int_equal(words[3] | words[4] | words[5], 0);
	for (unsigned i = 0; i < 5; i++)
		umd_queue_release(q[i]);
	umd_sem_release(held);
	umd_sem_release(later);
	umd_sem_release(circle[0]);
	umd_sem_release(circle[1]);
	umd_sem_release(never);
	umd_bo_release(bo);
}

/* More queues than a device has slots. */
static void many(void **state)
{
	(void)state;
	enum { N = 40 };
	uint32_t *words;
	struct umd_bo *bo = words_of(&words);
	struct umd_queue *q[N];
	struct umd_command *c[N];
	struct umd_sem *never = semaphore(LIMITED);
	for (unsigned i = 0; i < N; i++) {
		q[i] = queue_on(0);
		c[i] = copy_between(q[i], never, NULL, bo, 1 + i);
	}
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(umd_wait(c[i]), 0);
		assert_int_equal(status_of(c[i]), -FAULT_ABORTED);
		assert_int_equal(words[1 + i], 0);
		umd_queue_release(q[i]);
	}
	umd_sem_release(never);
	umd_bo_release(bo);
}

/* While counters are read, a device does not get a command before its waits are over: the first of these tests in a program of its own. */
static void while_counting(void **state)
{
	(void)state;
	int status;
	const pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		setenv("GALENA_COUNTERS", "/dev/null", 1);
		execl("/proc/self/exe", "wait_limit", NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ends, setup, teardown),
		cmocka_unit_test_setup_teardown(others_wait_on, setup, teardown),
		cmocka_unit_test_setup_teardown(many, setup, teardown),
		cmocka_unit_test(while_counting),
	}, first[] = { cmocka_unit_test_setup_teardown(ends, setup, teardown) };
	setenv("GALENA_WAIT_LIMIT", "1", 1);
	setenv("GALENA_LOG", "none", 0);
	return getenv("GALENA_COUNTERS") ? cmocka_run_group_tests(first, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
