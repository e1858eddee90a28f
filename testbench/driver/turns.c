/* Implicit synchronisation: users of a dma-buf take turns by its fence, across files, queues and devices. Also against a server
 * (GALENA_DEVICE=remote). */
#define _GNU_SOURCE
#include "abi/codes.h"
#include "testbench/driver/two_clients.h"
#include "testbench/random.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static uint32_t users[CLIENTS]; /* of the memory that both have */

static int share(void **state)
{
	open_both(state);
	struct kmd_bo_create shared = { .vm = a->vm, .size = 4096, .flags = KMD_BO_SHARED };
	OK(a, BO_CREATE, shared);
	struct kmd_bo_export export = { .bo = shared.bo };
	OK(a, BO_EXPORT, export);
	struct kmd_bo_import_fd import = { .vm = b->vm, .fd = export.fd, .size = 4096, .flags = KMD_BO_SHARED };
	OK(b, BO_IMPORT_FD, import);
	close(export.fd);
	a->bo = shared;
	b->bo = (struct kmd_bo_create){ .bo = import.bo, .va = import.va, .cpu = import.cpu };
	for (unsigned i = 0; i < CLIENTS; i++) {
		struct client *c = &clients[i];
		struct kmd_bo_users u = { .bo = c->bo.bo };
		OK(c, BO_USERS, u);
		users[i] = u.fence;
		c->words = (uint32_t *)(uintptr_t)c->bo.cpu;
	}
	a->words[0] = 7;
	return 0;
}

static struct kmd_point turn_of(const struct client *c) { return (struct kmd_point){ .fence = users[c - clients], .value = 12345 }; }

/* Copies a word as the client's turn; not before held, if there is one. Not flushed. */
static uint64_t turn_queue(struct client *c, int to, int from, const struct kmd_point *held)
{
	const struct kmd_point turn = turn_of(c), waits[2] = { held ? *held : turn, turn };
	const union packet copy = { .copy = { .head.type = PACKET_CODE_copy, .src = c->bo.va + 4 * (unsigned)from, .dst = c->bo.va + 4 * (unsigned)to,
					      .width = 4, .height = 1, .depth = 1 } };
	struct kmd_submit s = { .queue = c->queue, .num_packets = 1, .packets = (uintptr_t)&copy, .num_waits = held ? 2 : 1, .waits = (uintptr_t)waits,
				.num_signals = 1, .signals = (uintptr_t)&turn };
	OK(c, SUBMIT, s);
	return s.value;
}

static void flush(struct client *c) { OK(c, FLUSH, ((struct kmd_flush){ .queues = (uintptr_t)&c->queue, .num_queues = 1 })); }

static uint64_t turn(struct client *c, int to, int from, const struct kmd_point *held)
{
	const uint64_t value = turn_queue(c, to, from, held);
	flush(c);
	return value;
}

static struct kmd_point held_by_host(struct client *c)
{
	struct kmd_fence f = { 0 };
	OK(c, FENCE_CREATE, f);
	return (struct kmd_point){ .fence = f.fence, .value = 1 };
}

static void let_go(struct client *c, struct kmd_point p, int32_t status)
{
	OK(c, FENCE_SIGNAL, ((struct kmd_signal){ p.fence, status, 1 }));
}

static void host_waits(struct client *c) { assert_int_equal(wait_for(c, KMD_WAIT_POINT, users[c - clients], 0), 0); }

static void one_after_the_other(void **state)
{
	(void)state;
	const struct kmd_point held = held_by_host(a);
	turn(a, 1, 0, &held);
	turn(b, 2, 1, NULL);
	turn(a, 3, 2, NULL);
	turn(b, 4, 3, NULL);
	idle(b);
	assert_int_equal(b->words[2], 0);
	submit(b, 9, 0, NULL, NULL); /* which stands behind a turn in its queue */
	idle(b);
	assert_int_equal(b->words[9], 0);
	let_go(a, held, 0);
	host_waits(b);
	for (unsigned i = 1; i <= 4; i++)
		assert_int_equal(a->words[i], 7);
}

static void the_host_waits_for_all_before(void **state)
{
	(void)state;
	host_waits(a); /* there is none */
	turn(a, 1, 0, NULL);
	turn(b, 2, 1, NULL);
	host_waits(a);
	assert_int_equal(a->words[2], 7);
}

static void who_comes_later_waits_for_the_flush(void **state)
{
	(void)state;
	turn_queue(a, 1, 0, NULL);
	turn(b, 2, 1, NULL);
	idle(b);
	assert_int_equal(b->words[2], 0);
	flush(a);
	host_waits(b);
	assert_int_equal(b->words[2], 7);
}

static void one_that_fails_lets_the_next_go(void **state)
{
	(void)state;
	turn(a, 1 << 20, 0, NULL); /* where nothing is mapped */
	const uint64_t next = turn(b, 2, 0, NULL);
	host_waits(b);
	assert_int_equal(wait_for(b, KMD_WAIT_POINT, b->timeline, next), 0);
	idle(a);
	assert_true(a->status < 0);
	assert_int_equal(b->status, 0);
	assert_int_equal(b->words[2], 7);
}

/* A command whose other wait fails has its turn all the same: its successor still waits for its predecessor. */
static void one_that_is_skipped_waits_for_its_turn(void **state)
{
	(void)state;
	const struct kmd_point held = held_by_host(a), broken = held_by_host(b);
	turn(a, 1, 0, &held);
	const uint64_t skipped = turn(b, 5, 0, &broken);
	let_go(b, broken, -FAULT_ABORTED);
	idle(b);
	/* another queue of b, whose turn follows that of the command that fails */
	struct kmd_queue_create other = { .vm = b->vm };
	OK(b, QUEUE_CREATE, other);
	const uint32_t queue = b->queue;
	b->queue = other.queue;
	turn(b, 3, 1, NULL);
	idle(b);
	let_go(a, held, 0);
	host_waits(b);
	assert_int_equal(b->words[3], 7);
	assert_int_equal(b->words[5], 0);
	b->queue = queue;
	assert_int_equal(wait_for(b, KMD_WAIT_POINT, b->timeline, skipped), 0);
}

static void a_user_that_goes_lets_others_go_on(void **state)
{
	(void)state;
	const struct kmd_point held = held_by_host(b);
	turn(b, 1, 0, &held);
	turn(a, 2, 0, NULL);
	kmd_close(b->file);
	b->file = -1;
	host_waits(a);
	assert_int_equal(a->words[1], 0);
	assert_int_equal(a->words[2], 7);
	turn(a, 3, 2, NULL);
	host_waits(a);
	assert_int_equal(a->words[3], 7);
}

static void a_sync_file_of_all_before(void **state)
{
	(void)state;
	struct kmd_fence_fd none = { .fence = users[1], .kind = KMD_FENCE_SYNC_FILE }, all = none;
	const struct kmd_point held = held_by_host(a);
	OK(b, FENCE_EXPORT, none);
	turn(a, 1, 0, &held);
	turn(b, 2, 1, NULL);
	OK(b, FENCE_EXPORT, all);
	const struct kmd_point later = held_by_host(a);
	turn(a, 3, 2, &later);
	struct pollfd p[2] = { { .fd = none.fd, .events = POLLIN }, { .fd = all.fd, .events = POLLIN } };
	assert_int_equal(poll(p, 2, 0), 1);
	assert_int_equal(p[0].revents, POLLIN);
	let_go(a, held, 0);
	idle(a);
	idle(b);
	assert_int_equal(poll(p, 2, 10000), 2);
	assert_int_equal(b->words[2], 7);
	let_go(a, later, 0);
	close(none.fd);
	close(all.fd);
}

static void what_cannot_be(void **state)
{
	(void)state;
	struct kmd_bo_create plain = { .vm = a->vm, .size = 4096 };
	OK(a, BO_CREATE, plain);
	FAILS(a, INVALID, BO_USERS, ((struct kmd_bo_users){ .bo = plain.bo }));
	FAILS(a, BAD_HANDLE, BO_USERS, ((struct kmd_bo_users){ .bo = a->vm }));
	FAILS(a, INVALID, FENCE_SIGNAL, ((struct kmd_signal){ .fence = users[0], .value = 1 }));
	FAILS(a, INVALID, FENCE_SIGNAL, ((struct kmd_signal){ .fence = users[0], .status = -1 }));
	FAILS(a, INVALID, FENCE_EXPORT, ((struct kmd_fence_fd){ .fence = users[0], .kind = KMD_FENCE_OPAQUE }));
	FAILS(a, INVALID, FENCE_EXPORT, ((struct kmd_fence_fd){ .fence = users[0], .kind = KMD_FENCE_SYNC_FILE, .value = 1 }));
	/* a command that is refused has no turn */
	const struct kmd_point turn_ = turn_of(a), bad[2] = { turn_, { .fence = 0 } };
	const union packet nop = { .head.type = PACKET_CODE_nop };
	FAILS(a, BAD_HANDLE, SUBMIT,
	      ((struct kmd_submit){ .queue = a->queue, .num_packets = 1, .packets = (uintptr_t)&nop, .num_signals = 2, .signals = (uintptr_t)bad }));
	host_waits(b);
	/* the fence lives as long as one of its handles, the memory's users or commands */
	for (unsigned i = 0; i < CLIENTS; i++) {
		OK(&clients[i], FENCE_CLOSE, ((struct kmd_fence){ .fence = users[i] }));
		FAILS(&clients[i], BAD_HANDLE, FENCE_CLOSE, ((struct kmd_fence){ .fence = users[i] }));
		OK(&clients[i], BO_CLOSE, ((struct kmd_bo_close){ .bo = clients[i].bo.bo }));
	}
}

/* Each turn copies the word that the turn before it has written. */
static void at_random(void **state)
{
	enum { TURNS = 600, WORDS = 1024 };
	uint64_t *seed = *state;
	unsigned unflushed[CLIENTS] = { 0 };
	for (int n = 0; n < TURNS; n++) {
		const unsigned i = splitmix64(seed) % CLIENTS;
		struct client *c = &clients[i];
		turn_queue(c, n + 1, n, NULL);
		unflushed[i]++;
		if (splitmix64(seed) % 4 == 0) {
			flush(c);
			unflushed[i] = 0;
		}
		if (splitmix64(seed) % 16 == 0)
			submit(c, WORDS - 1, 0, NULL, NULL), unflushed[i] = 0;
		if (splitmix64(seed) % 32 == 0 && !unflushed[0] && !unflushed[1]) {
			host_waits(c);
			assert_int_equal(c->words[n + 1], 7);
		}
	}
	flush(a);
	flush(b);
	host_waits(a);
	for (unsigned n = 0; n <= TURNS; n++)
		assert_int_equal(a->words[n], 7);
}

int main(int argc, char **argv)
{
	static uint64_t seed;
	seed = seed_take(argc, argv);
#define CASE(name) cmocka_unit_test_setup_teardown(name, share, close_both)
	const struct CMUnitTest tests[] = { CASE(one_after_the_other), CASE(the_host_waits_for_all_before), CASE(who_comes_later_waits_for_the_flush),
		CASE(one_that_fails_lets_the_next_go), CASE(one_that_is_skipped_waits_for_its_turn), CASE(a_user_that_goes_lets_others_go_on),
		CASE(a_sync_file_of_all_before), CASE(what_cannot_be), { "at_random", at_random, share, close_both, &seed } };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
