/* Threads that meet inside the driver in an order that the test forces. */
#define _GNU_SOURCE
#include "testbench/driver/fixture.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* A command's function signals a semaphore and lets go of it, while another thread waits for that command. The wait ends before
 * the signal has been applied: the semaphore's memory must not be another's by then. */
struct meeting {
	struct umd_sem *sem;
	atomic_bool first_done, waited;
};

static void signals_and_releases(void *arg, const struct completion *c)
{
	struct meeting *m = arg;
	(void)c;
	umd_sem_signal(m->sem, 0);
	umd_sem_release(m->sem);
	m->first_done = true;
}

/* Of the next command, in the same run of the device: the first one's wait is over by the time that it returns. */
static void waits_for_the_waiter(void *arg, const struct completion *c)
{
	struct meeting *m = arg;
	(void)c;
	for (int i = 0; i < 5000 && !m->waited; i++)
		usleep(1000);
}

static uint64_t payload_of(const struct umd_sem *s)
{
	union packet p;
	umd_sem_wait_packet(s, &p);
	return p.sem_wait.semaphore;
}

static void a_signal_that_is_queued_when_a_wait_ends(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		struct meeting m = { 0 };
		struct umd_command *first, *second;
		struct umd_queue *other;
		struct umd_sem *next[4];
		union packet p[2];
		assert_int_equal(umd_sem_create(d, 0, &m.sem), 0);
		assert_int_equal(umd_queue_create(space, 0, 1, &other), 0);
		const uint64_t signalled = payload_of(m.sem);
		p[0] = packet_nop();
		assert_int_equal(umd_submit(queue, p, 1, 0, signals_and_releases, &m, &first), 0);
		umd_command_wait_packet(first, &p[0]); /* it ends later, so it is told of later */
		p[1] = packet_nop();
		assert_int_equal(umd_submit(other, p, 2, 0, waits_for_the_waiter, &m, &second), 0);
		umd_flush_all((struct umd_queue *[]){ queue, other }, 2);
		umd_hurry(d); /* the driver's thread runs them: this one only waits */
		while (!m.first_done)
			usleep(100);
		assert_int_equal(umd_wait(first), 0);
		for (int i = 0; i < 4; i++) {
			assert_int_equal(umd_sem_create(d, 0, &next[i]), 0);
			assert_int_not_equal(payload_of(next[i]), signalled);
		}
		m.waited = true;
		assert_int_equal(umd_wait(second), 0);
		umd_sync(d);
		for (int i = 0; i < 4; i++) {
			/* a signal that went to the wrong one would let this run */
			struct umd_command *c;
			umd_sem_wait_packet(next[i], &p[0]);
			assert_int_equal(umd_submit(queue, p, 2, 0, NULL, NULL, &c), 0);
			umd_flush(queue);
			umd_sync(d);
			assert_false(umd_command_ended(c, NULL));
			umd_sem_signal(next[i], 0);
			assert_int_equal(umd_wait(c), 0);
			umd_command_release(c);
			umd_sem_release(next[i]);
		}
		umd_command_release(first);
		umd_command_release(second);
		umd_queue_release(other);
	}
}

/* What callbacks post belongs to the work that they end: a sync begun before has seen all of it applied. */
enum { POSTS = 300 };
static atomic_uint applied;

static void count(void *arg)
{
	(void)arg;
	usleep(20);
	applied++;
}

static void posts_many(void *arg, const struct completion *c)
{
	(void)arg, (void)c;
	for (int i = 0; i < POSTS; i++)
		assert_int_equal(umd_post(d, count, NULL), 0);
}

static void *sync_of_another_thread(void *arg)
{
	(void)arg;
	umd_sync(d);
	return (void *)(uintptr_t)applied;
}

static void siblings_of_a_post(void **state)
{
	(void)state;
	for (int round = 0; round < 10; round++) {
		pthread_t t[3];
		union packet nop = packet_nop();
		applied = 0;
		assert_int_equal(umd_submit(queue, &nop, 1, 0, posts_many, NULL, NULL), 0);
		umd_flush(queue);
		for (int i = 0; i < 3; i++)
			assert_int_equal(pthread_create(&t[i], NULL, sync_of_another_thread, NULL), 0);
		for (int i = 0; i < 3; i++) {
			void *seen;
			assert_int_equal(pthread_join(t[i], &seen), 0);
			assert_int_equal((uintptr_t)seen, POSTS);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_signal_that_is_queued_when_a_wait_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(siblings_of_a_post, setup, teardown),
	};
	alarm(200);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
