/* Queues, waits between them, semaphores of the host, more queues than the hardware has slots. */
#define _GNU_SOURCE
#include "testbench/driver/common.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static struct umd *d;
static struct umd_space *space;
static uint64_t seed;

static int setup(void **state)
{
	(void)state;
	d = open_driver();
	assert_int_equal(umd_space_create(d, &space), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	umd_space_release(space);
	umd_close(d);
	return 0;
}

static struct umd_queue *make_queue(unsigned device)
{
	struct umd_queue *q = NULL;
	assert_int_equal(umd_queue_create(space, device, 1, &q), 0);
	return q;
}

static struct umd_command *submit(struct umd_queue *q, const union packet *p, unsigned count)
{
	struct umd_command *c;
	assert_int_equal(umd_submit(q, p, count, 0, NULL, NULL, &c), 0);
	return c;
}

static int status_of(struct umd_command *c)
{
	struct completion done;
	assert_true(umd_command_ended(c, &done));
	return done.status;
}

/* Commands end in order, once each, and are told so. */
struct order { unsigned count; uint64_t last_end; };

static void in_order(void *arg, const struct completion *c)
{
	struct order *o = arg;
	assert_int_equal(c->status, 0);
	assert_true(c->end > o->last_end);
	o->last_end = c->end;
	o->count++;
}

static void ten_thousand_nops(void **state)
{
	(void)state;
	enum { N = 10000 };
	struct umd_queue *q = make_queue(0);
	struct order o = { 0 };
	union packet nop = packet_nop();
	struct umd_command *last;
	for (unsigned i = 0; i < N; i++)
		assert_int_equal(umd_submit(q, &nop, 1, 0, in_order, &o, i == N - 1 ? &last : NULL), 0);
	assert_int_equal(o.count, 0); /* not flushed */
	assert_int_equal(umd_wait(last), 0);
	assert_int_equal(o.count, N);
	umd_command_release(last);
	umd_queue_release(q);
}

/* Commands longer than the ring, and such that wrap around it. */
static void long_commands(void **state)
{
	(void)state;
	struct umd_queue *q = make_queue(1);
	struct umd_bo *bo = make_bo(space, 0, 4096, 0);
	union packet p[1000];
	uint32_t *words = umd_bo_cpu(bo);
	/* word 0 -> 1 -> 2 ... : only packets in order give the right sum */
	for (unsigned count = 1; count <= 1000; count = count * 3 + 1) {
		memset(words, 0, 4096);
		words[0] = count;
		for (unsigned i = 0; i < count; i++)
			p[i] = packet_copy_1d(umd_bo_address(bo) + (i + 1) % 1000 * 4,
					      umd_bo_address(bo) + i % 1000 * 4, 4);
		assert_int_equal(run(q, p, count), 0);
		for (unsigned i = 0; i <= count && i < 1000; i++)
			assert_int_equal(words[i], count);
	}
	umd_bo_release(bo);
	umd_queue_release(q);
}

/* A chain of increments over queues of both devices: each link waits for the one before. */
static void waits_across_devices(void **state)
{
	(void)state;
	enum { QUEUES = 6, LINKS = 300 };
	struct umd_queue *q[QUEUES];
	struct umd_bo *bo = make_bo(space, 0, 4 * (LINKS + 1), 0);
	uint32_t *words = umd_bo_cpu(bo);
	struct umd_command *before = NULL;
	for (unsigned i = 0; i < QUEUES; i++)
		q[i] = make_queue(i % 2);
	words[0] = 0xabcd;
	for (unsigned i = 0; i < LINKS; i++) {
		union packet p[2];
		unsigned n = 0;
		if (before)
			umd_command_wait_packet(before, &p[n++]);
		p[n++] = packet_copy_1d(umd_bo_address(bo) + 4 * (i + 1), umd_bo_address(bo) + 4 * i, 4);
		struct umd_command *c = submit(q[splitmix64(&seed) % QUEUES], p, n);
		if (before)
			umd_command_release(before);
		before = c;
	}
	/* a flush of the last one posts all that it depends on */
	assert_int_equal(umd_wait(before), 0);
	assert_int_equal(status_of(before), 0);
	for (unsigned i = 0; i <= LINKS; i++)
		assert_int_equal(words[i], 0xabcd);
	umd_command_release(before);
	umd_bo_release(bo);
	for (unsigned i = 0; i < QUEUES; i++)
		umd_queue_release(q[i]);
}

static void host_semaphores(void **state)
{
	(void)state;
	struct umd_queue *q[2] = { make_queue(0), make_queue(1) };
	for (int status = 0; status > -3; status--) {
		struct umd_sem *sem;
		struct umd_command *c[2];
		union packet p[2] = { [1] = packet_nop() };
		assert_int_equal(umd_sem_create(d, 0, &sem), 0);
		umd_sem_wait_packet(sem, &p[0]);
		for (unsigned i = 0; i < 2; i++) {
			c[i] = submit(q[i], p, 2);
			umd_flush(q[i]);
		}
		umd_sync(d);
		assert_false(umd_command_ended(c[0], NULL));
		assert_false(umd_command_ended(c[1], NULL));
		umd_sem_signal(sem, status);
		umd_sem_signal(sem, 0); /* only the first counts */
		umd_sem_release(sem);
		for (unsigned i = 0; i < 2; i++) {
			assert_int_equal(umd_wait(c[i]), 0);
			assert_int_equal(status_of(c[i]), status ? -FAULT_DEPENDENCY : 0);
			umd_command_release(c[i]);
		}
	}
	/* signalled before anybody waits */
	struct umd_sem *sem;
	union packet p;
	assert_int_equal(umd_sem_create(d, 0, &sem), 0);
	umd_sem_signal(sem, 0);
	umd_sem_wait_packet(sem, &p);
	assert_int_equal(run(q[0], &p, 1), 0);
	umd_sem_release(sem);
	umd_queue_release(q[0]);
	umd_queue_release(q[1]);
}

/* A failure goes down a chain, skips what it depends on, and leaves the queues working. */
static void failures_propagate(void **state)
{
	(void)state;
	struct umd_queue *q[3] = { make_queue(0), make_queue(1), make_queue(0) };
	struct umd_bo *bo = make_bo(space, 0, 4096, 0);
	uint32_t *words = umd_bo_cpu(bo);
	memset(words, 0, 4096);
	words[0] = 1;
	union packet bad = packet_copy_1d(0x10, umd_bo_address(bo), 4); /* nothing is mapped there */
	struct umd_command *c[3];
	c[0] = submit(q[0], &bad, 1);
	for (unsigned i = 1; i < 3; i++) {
		union packet p[2];
		umd_command_wait_packet(c[i - 1], &p[0]);
		p[1] = packet_copy_1d(umd_bo_address(bo) + 4 * i, umd_bo_address(bo), 4);
		c[i] = submit(q[i], p, 2);
	}
	assert_int_equal(umd_wait(c[2]), 0);
	assert_int_equal(status_of(c[0]), -FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(status_of(c[1]), -FAULT_DEPENDENCY);
	assert_int_equal(status_of(c[2]), -FAULT_DEPENDENCY);
	assert_int_equal(words[1], 0);
	assert_int_equal(words[2], 0);
	for (unsigned i = 0; i < 3; i++) {
		union packet good = packet_copy_1d(umd_bo_address(bo) + 4 * i + 4, umd_bo_address(bo), 4);
		assert_int_equal(run(q[i], &good, 1), 0);
		assert_int_equal(words[i + 1], 1);
		umd_command_release(c[i]);
		umd_queue_release(q[i]);
	}
	umd_bo_release(bo);
}

/* Many queues over few slots, all blocked at a semaphore, each waiting for the next one as well:
 * only the last can start. */
static void hundred_queues(void **state)
{
	(void)state;
	enum { N = 100 };
	struct umd_queue *q[N];
	struct umd_command *c[N];
	struct umd_sem *sem;
	struct umd_bo *bo = make_bo(space, 0, 4 * (N + 1), 0);
	uint32_t *words = umd_bo_cpu(bo);
	assert_int_equal(umd_sem_create(d, 0, &sem), 0);
	memset(words, 0, 4 * (N + 1));
	words[N] = 77;
	for (unsigned i = 0; i < N; i++)
		q[i] = make_queue(i % 2);
	/* flushed first: those that have to wait longest; their dependencies come later, so the slots
	 * fill with blocked queues */
	for (unsigned i = N; i--;) {
		union packet p[3];
		unsigned n = 0;
		umd_sem_wait_packet(sem, &p[n++]);
		if (i + 1 < N)
			umd_command_wait_packet(c[i + 1], &p[n++]);
		p[n++] = packet_copy_1d(umd_bo_address(bo) + 4 * i, umd_bo_address(bo) + 4 * (i + 1), 4);
		c[i] = submit(q[i], p, n);
	}
	umd_flush(q[0]);
	umd_sync(d);
	for (unsigned i = 0; i < N; i++)
		assert_false(umd_command_ended(c[i], NULL));
	umd_sem_signal(sem, 0);
	umd_sem_release(sem);
	assert_int_equal(umd_wait(c[0]), 0);
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(status_of(c[i]), 0);
		assert_int_equal(words[i], 77);
	}
	for (unsigned i = 0; i < N; i++) {
		umd_command_release(c[i]);
		umd_queue_release(q[i]);
	}
	umd_bo_release(bo);
}

/* Random graphs of commands over more queues than slots; every command checks that what it waited
 * for was there. */
static void random_graphs(void **state)
{
	(void)state;
	enum { QUEUES = 40, COMMANDS = 400 };
	struct umd_bo *bo = make_bo(space, 0, 8 * COMMANDS, 0);
	uint64_t *words = umd_bo_cpu(bo);
	for (unsigned round = 0; round < 5; round++) {
		struct umd_queue *q[QUEUES];
		struct umd_command *c[COMMANDS];
		struct umd_sem *sem[8];
		unsigned from[COMMANDS], released = 0;
		for (unsigned i = 0; i < QUEUES; i++)
			q[i] = make_queue(i % 2);
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(umd_sem_create(d, 0, &sem[i]), 0);
		memset(words, 0, 8 * COMMANDS);
		words[0] = 0x1122334455667788;
		for (unsigned i = 1; i < COMMANDS; i++) {
			union packet p[6];
			unsigned n = 0;
			if (splitmix64(&seed) % 8 == 0)
				umd_sem_wait_packet(sem[i * 8 / COMMANDS], &p[n++]);
			from[i] = (unsigned)(splitmix64(&seed) % i);
			if (from[i])
				umd_command_wait_packet(c[from[i]], &p[n++]);
			if (i > 2 && splitmix64(&seed) % 2)
				umd_command_wait_packet(c[1 + splitmix64(&seed) % (i - 1)], &p[n++]);
			p[n++] = packet_copy_1d(umd_bo_address(bo) + 8 * i, umd_bo_address(bo) + 8 * from[i], 8);
			struct umd_queue *on = q[splitmix64(&seed) % QUEUES];
			c[i] = submit(on, p, n);
			if (splitmix64(&seed) % 4 == 0)
				umd_flush(on);
			if (splitmix64(&seed) % 50 == 0)
				umd_sync(d);
			if (splitmix64(&seed) % 60 == 0 && released < 8)
				umd_sem_signal(sem[released++], 0);
		}
		while (released < 8)
			umd_sem_signal(sem[released++], 0);
		for (unsigned i = 1; i < COMMANDS; i++) {
			unsigned k = i % 2 ? COMMANDS - i : i;
			assert_int_equal(umd_wait(c[k]), 0);
			assert_int_equal(status_of(c[k]), 0);
		}
		for (unsigned i = 0; i < COMMANDS; i++) {
			assert_int_equal(words[i], words[0]);
			if (i)
				umd_command_release(c[i]);
		}
		for (unsigned i = 0; i < 8; i++)
			umd_sem_release(sem[i]);
		for (unsigned i = 0; i < QUEUES; i++)
			umd_queue_release(q[i]);
	}
	umd_bo_release(bo);
}

/* A semaphore that a queue signals, on its own device and to the other. */
static void signals_from_queues(void **state)
{
	(void)state;
	struct umd_queue *q[2] = { make_queue(0), make_queue(1) };
	for (unsigned by = 0; by < 2; by++) {
		struct umd_sem *sem;
		union packet wait, signal;
		assert_int_equal(umd_sem_create(d, 0, &sem), 0);
		umd_sem_wait_packet(sem, &wait);
		signal = (union packet){ .sem_signal = { .head.type = PACKET_CODE_sem_signal,
							 .semaphore = wait.sem_wait.semaphore, .value = 1 } };
		struct umd_command *waiter = submit(q[!by], &wait, 1);
		umd_flush(q[!by]);
		umd_sync(d);
		assert_false(umd_command_ended(waiter, NULL));
		assert_int_equal(run(q[by], &signal, 1), 0);
		assert_int_equal(umd_wait(waiter), 0);
		assert_int_equal(status_of(waiter), 0);
		umd_command_release(waiter);
		umd_sem_release(sem);
	}
	umd_queue_release(q[0]);
	umd_queue_release(q[1]);
}

/* Ten thousand semaphores alive at once, each with a command that waits for it, over queues of both
 * devices: a command ends with its own signal (and those before it in its queue), never earlier. */
static void ten_thousand_semaphores(void **state)
{
	(void)state;
	enum { N = 10000, QUEUES = 50 };
	static struct umd_sem *sem[N];
	static struct umd_command *c[N];
	static bool signalled[N];
	struct umd_queue *q[QUEUES];
	for (unsigned i = 0; i < QUEUES; i++)
		q[i] = make_queue(i % 2);
	for (unsigned i = 0; i < N; i++) {
		union packet p;
		assert_int_equal(umd_sem_create(d, 0, &sem[i]), 0);
		umd_sem_wait_packet(sem[i], &p);
		c[i] = submit(q[i % QUEUES], &p, 1);
	}
	for (unsigned i = 0; i < QUEUES; i++)
		umd_flush(q[i]);
	memset(signalled, 0, sizeof signalled);
	for (unsigned n = 0; n < N; n++) {
		unsigned at = (unsigned)(splitmix64(&seed) % N);
		while (signalled[at])
			at = (at + 1) % N;
		signalled[at] = true;
		umd_sem_signal(sem[at], 0);
		if (n % 1000)
			continue;
		umd_sync(d);
		for (unsigned i = 0; i < QUEUES; i++) {
			bool open = true;
			for (unsigned k = i; k < N; k += QUEUES) {
				open = open && signalled[k];
				assert_int_equal(umd_command_ended(c[k], NULL), open);
			}
		}
	}
	for (unsigned i = 0; i < N; i++) {
		assert_int_equal(umd_wait(c[i]), 0);
		assert_int_equal(status_of(c[i]), 0);
		umd_command_release(c[i]);
		umd_sem_release(sem[i]);
	}
	for (unsigned i = 0; i < QUEUES; i++)
		umd_queue_release(q[i]);
}

/* A binary semaphore, with waiters on both devices: every signal, from whichever
 * device, lets one of them go on. */
static void binary_semaphores(void **state)
{
	(void)state;
	enum { WAITERS = 12 };
	struct umd_queue *q[WAITERS], *by[2] = { make_queue(0), make_queue(1) };
	struct umd_command *c[WAITERS];
	struct umd_sem *sem;
	union packet wait, signal;
	assert_int_equal(umd_sem_create(d, 0, &sem), 0);
	umd_sem_take_packet(sem, &wait);
	umd_sem_give_packet(sem, &signal);
	for (unsigned i = 0; i < WAITERS; i++) {
		q[i] = make_queue(i % 2);
		c[i] = submit(q[i], &wait, 1);
		umd_flush(q[i]);
	}
	for (unsigned n = 0; n < WAITERS; n++) {
		assert_int_equal(run(by[splitmix64(&seed) % 2], &signal, 1), 0);
		umd_sync(d);
		unsigned ended = 0;
		for (unsigned i = 0; i < WAITERS; i++)
			ended += umd_command_ended(c[i], NULL);
		assert_int_equal(ended, n + 1);
	}
	for (unsigned i = 0; i < WAITERS; i++) {
		assert_int_equal(umd_wait(c[i]), 0);
		assert_int_equal(status_of(c[i]), 0);
		umd_command_release(c[i]);
		umd_queue_release(q[i]);
	}
	umd_sem_release(sem);
	umd_queue_release(by[0]);
	umd_queue_release(by[1]);
}

static void count_up(void *arg, const struct completion *c)
{
	(void)c;
	atomic_fetch_add((atomic_uint *)arg, 1);
}

/* Nobody waits: what was flushed still runs, and callbacks come. */
static void progress_without_waiting(void **state)
{
	(void)state;
	struct umd_queue *q = make_queue(0);
	atomic_uint done = 0;
	union packet nop = packet_nop();
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = 0; k < 10; k++)
			assert_int_equal(umd_submit(q, &nop, 1, 0, count_up, &done, NULL), 0);
		umd_flush(q);
		for (unsigned ms = 0; done < 10 * (i + 1); ms++) {
			assert_true(ms < 20000);
			usleep(1000);
		}
		usleep(i == 1 ? 100000 : 0); /* long enough for the thread to fall asleep */
	}
	umd_queue_release(q);
}

/* A callback may submit and flush; nobody waits for what it submits. */
struct relay { struct umd_queue *q; atomic_uint left, done; };

static void relay_on(void *arg, const struct completion *c)
{
	struct relay *r = arg;
	(void)c;
	r->done++;
	if (r->left-- > 1) {
		union packet nop = packet_nop();
		if (umd_submit(r->q, &nop, 1, 0, relay_on, r, NULL) == 0)
			umd_flush(r->q);
	}
}

static void callbacks_submit(void **state)
{
	(void)state;
	struct relay r = { make_queue(0), 50, 0 };
	union packet nop = packet_nop();
	assert_int_equal(umd_submit(r.q, &nop, 1, 0, relay_on, &r, NULL), 0);
	umd_flush(r.q);
	for (unsigned ms = 0; r.done < 50; ms++) {
		assert_true(ms < 20000);
		usleep(1000);
	}
	umd_sync(d);
	umd_queue_release(r.q);
}

/* Callbacks that submit for ever keep nobody else from getting on. */
static void endless_callbacks(void **state)
{
	(void)state;
	struct relay r = { make_queue(0), 1u << 31, 0 };
	struct umd_queue *other = make_queue(1);
	union packet nop = packet_nop();
	assert_int_equal(umd_submit(r.q, &nop, 1, 0, relay_on, &r, NULL), 0);
	umd_flush(r.q);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(run(other, &nop, 1), 0);
		umd_sync(d);
	}
	assert_true(r.done > 0);
	r.left = 1;
	while (r.left)
		umd_sync(d);
	umd_queue_release(r.q);
	umd_queue_release(other);
}

/* A queue that is given up with work on it finishes the work. */
static void released_queues_finish(void **state)
{
	(void)state;
	atomic_uint done = 0;
	union packet nop = packet_nop();
	for (unsigned i = 0; i < 20; i++) {
		struct umd_queue *q = make_queue(i % 2);
		assert_int_equal(umd_submit(q, &nop, 1, 0, count_up, &done, NULL), 0);
		umd_queue_release(q);
	}
	umd_sync(d);
	assert_int_equal(done, 20);
}

/* Nobody ever waits or asks: memory that commands hold stays bounded. */
/* The same with memory: 64 MiB a command, given up while it may still be used. */
static void endless_allocation(void **state)
{
	(void)state;
	struct umd_queue *q = make_queue(0);
	union packet nop = packet_nop();
	uint64_t highest = 0;
	for (unsigned i = 0; i < 100; i++) {
		struct umd_bo *bo = make_bo(space, 0, 64 << 20, 0);
		highest = umd_bo_address(bo) > highest ? umd_bo_address(bo) : highest;
		assert_int_equal(umd_submit(q, &nop, 1, 0, NULL, NULL, NULL), 0);
		umd_flush(q);
		umd_bo_release(bo);
	}
	struct umd_bo *first = make_bo(space, 0, 4096, 0);
	assert_true(highest - umd_bo_address(first) < 1ull << 30); /* addresses came back on the way */
	umd_bo_release(first);
	umd_queue_release(q);
}

static void endless_submission(void **state)
{
	(void)state;
	enum { N = 100000 };
	struct umd_queue *q = make_queue(0);
	atomic_uint done = 0;
	union packet nop = packet_nop();
	for (unsigned i = 0; i < N; i++) {
		umd_throttle(space);
		assert_int_equal(umd_submit(q, &nop, 1, 0, count_up, &done, NULL), 0);
		if (i % 64 == 63)
			umd_flush(q);
	}
	assert_true(done >= N / 2); /* looked at on the way, not only at the end */
	umd_flush(q);
	umd_sync(d);
	assert_int_equal(done, N);
	umd_queue_release(q);
}

/* Threads that each work on queues of their own and wait. */
struct worker { pthread_t thread; uint64_t seed; unsigned errors; };

static void *work(void *arg)
{
	struct worker *w = arg;
	struct umd_queue *q = NULL;
	struct umd_bo *bo = NULL;
	if (umd_queue_create(space, w->seed % 2, 1, &q) || umd_bo_create(space, 0, 8192, 0, &bo)) {
		w->errors++;
		return NULL;
	}
	for (unsigned i = 0; i < 300; i++) {
		uint32_t *words = umd_bo_cpu(bo);
		struct umd_command *c;
		words[0] = (uint32_t)splitmix64(&w->seed);
		union packet p = packet_copy_1d(umd_bo_address(bo) + 4096, umd_bo_address(bo), 4);
		struct umd_bo *other = NULL;
		w->errors += umd_bo_create(space, 0, 4096, 0, &other) != 0;
		w->errors += umd_submit(q, &p, 1, 0, NULL, NULL, &c) != 0;
		umd_bo_release(other);
		if (i % 3)
			w->errors += umd_wait(c) != 0;
		else
			for (umd_flush(q); !umd_command_ended(c, NULL);)
				umd_sync(d);
		w->errors += words[1024] != words[0];
		umd_command_release(c);
	}
	umd_bo_release(bo);
	umd_queue_release(q);
	return NULL;
}

static void threads(void **state)
{
	(void)state;
	struct worker w[8];
	for (unsigned i = 0; i < 8; i++) {
		w[i] = (struct worker){ .seed = seed + i };
		assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
	}
	for (unsigned i = 0; i < 8; i++) {
		pthread_join(w[i].thread, NULL);
		assert_int_equal(w[i].errors, 0);
	}
}

int main(int argc, char **argv)
{
	seed = seed_take(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_thousand_nops),
		cmocka_unit_test(long_commands),
		cmocka_unit_test(waits_across_devices),
		cmocka_unit_test(host_semaphores),
		cmocka_unit_test(failures_propagate),
		cmocka_unit_test(hundred_queues),
		cmocka_unit_test(random_graphs),
		cmocka_unit_test(signals_from_queues),
		cmocka_unit_test(ten_thousand_semaphores),
		cmocka_unit_test(binary_semaphores),
		cmocka_unit_test(progress_without_waiting),
		cmocka_unit_test(callbacks_submit),
		cmocka_unit_test(endless_callbacks),
		cmocka_unit_test(released_queues_finish),
		cmocka_unit_test(endless_submission),
		cmocka_unit_test(endless_allocation),
		cmocka_unit_test(threads),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
