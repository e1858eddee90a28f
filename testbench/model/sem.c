#include "model/sem/sem.h"
#include "model/inject.h"
#include "testbench/model/fixture.h"

struct log {
	unsigned count, queue;
	uint64_t address;
	enum fault fault;
	enum access access;
	enum fault stored;
};

static void woken(void *ctx, const struct sem_woken *w, uint64_t cycle)
{
	struct log *l = ctx;

	(void)cycle;
	*l = (struct log){ l->count + 1, w->waiter, w->address, w->fault, w->access, l->stored };
}

static void stored(void *ctx, const struct sem_stored *s, uint64_t cycle)
{
	(void)cycle;
	((struct log *)ctx)->stored = s->fault;
}

struct world {
	struct host h;
	struct physmem m;
	struct sem s;
	struct log log;
	uint64_t page;
};

static enum fault store(struct world *w, uint64_t address, uint64_t value, uint64_t cycle)
{
	sem_store(&w->s, &(struct sem_store){ .address = address, .value = value }, cycle);
	return w->log.stored;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory sys = host_init(&w->h, false);
	struct sem_params p = { .mem = &w->m, .stored = stored, .woken = woken, .ctx = &w->log };

	assert_int_equal(physmem_init(&w->m, 1 << 20, &sys), 0);
	sem_init(&w->s, &p);
	w->page = host_page(&w->h);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	physmem_fini(&w->m);
	host_fini(&w->h);
	free(w);
	return 0;
}

static void test_satisfied_at_once(void **state)
{
	struct world *w = *state;

	*(uint64_t *)host_at(&w->h, w->page + 8) = 5;
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 3, .address = w->page + 8, .value = 5, .mode = SEM_TIMELINE }, 0);
	assert_int_equal(w->log.count, 1);
	assert_int_equal(w->log.queue, 3);
	assert_int_equal(w->log.fault, FAULT_NONE);
	sem_notify(&w->s, &(struct sem_notify){ w->page + 8 }, 0); /* disarmed: no second wake */
	assert_int_equal(w->log.count, 1);
}

static void test_parks_until_reached(void **state)
{
	struct world *w = *state;

	sem_arm(&w->s, &(struct sem_arm){ .waiter = 1, .address = w->page, .value = 3, .mode = SEM_TIMELINE }, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 2, .address = w->page, .value = 4, .mode = SEM_TIMELINE }, 0);
	assert_int_equal(store(w, w->page, 2, 0), FAULT_NONE);
	assert_int_equal(w->log.count, 0);
	assert_int_equal(store(w, w->page, 3, 0), FAULT_NONE);
	assert_int_equal(w->log.count, 1);
	assert_int_equal(w->log.queue, 1);
	/* somebody else writes: nothing happens before the notification, and not for another payload */
	*(uint64_t *)host_at(&w->h, w->page) = 9;
	sem_notify(&w->s, &(struct sem_notify){ w->page + 8 }, 0);
	assert_int_equal(w->log.count, 1);
	sem_notify(&w->s, &(struct sem_notify){ w->page }, 0);
	assert_int_equal(w->log.count, 2);
	assert_int_equal(w->log.queue, 2);
	assert_int_equal(*(uint64_t *)host_at(&w->h, w->page), 9);
}

static void test_payloads_are_unsigned(void **state)
{
	struct world *w = *state;

	sem_arm(&w->s, &(struct sem_arm){ .waiter = 0, .address = w->page, .value = UINT64_MAX, .mode = SEM_TIMELINE }, 0);
	store(w, w->page, INT64_MAX, 0);
	assert_int_equal(w->log.count, 0);
	store(w, w->page, UINT64_MAX, 0);
	assert_int_equal(w->log.count, 1);
}

static void test_disarm_and_rearm(void **state)
{
	struct world *w = *state;

	sem_arm(&w->s, &(struct sem_arm){ .waiter = 0, .address = w->page, .value = 1, .mode = SEM_TIMELINE }, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 0, .address = 0, .value = 0, .mode = SEM_TIMELINE }, 0);
	store(w, w->page, 1, 0);
	assert_int_equal(w->log.count, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 0, .address = w->page, .value = 2, .mode = SEM_TIMELINE }, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 0, .address = w->page + 8, .value = 1, .mode = SEM_TIMELINE }, 0); /* takes the place of the other */
	store(w, w->page, 2, 0);
	assert_int_equal(w->log.count, 0);
	store(w, w->page + 8, 1, 0);
	assert_int_equal(w->log.count, 1);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 0, .address = w->page + 16, .value = 1, .mode = SEM_TIMELINE }, 0);
	sem_reset(&w->s);
	store(w, w->page + 16, 1, 0);
	assert_int_equal(w->log.count, 1);
}

static void test_faults(void **state)
{
	struct world *w = *state;
	uint64_t unpinned = w->page + 0x1000;

	sem_arm(&w->s, &(struct sem_arm){ .waiter = 7, .address = unpinned, .value = 1, .mode = SEM_TIMELINE }, 0);
	assert_int_equal(w->log.count, 1);
	assert_int_equal(w->log.fault, FAULT_BUS_ERROR);
	assert_int_equal(w->log.address, unpinned);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 7, .address = w->page + 4, .value = 1, .mode = SEM_TIMELINE }, 0);
	assert_int_equal(w->log.fault, FAULT_MISALIGNED);
	assert_int_equal(store(w, unpinned, 1, 0), FAULT_BUS_ERROR);
	assert_int_equal(store(w, w->page + 1, 1, 0), FAULT_MISALIGNED);
	assert_int_equal(*(uint64_t *)host_at(&w->h, w->page), 0);
	/* unpinned while armed: found at the next notification */
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 2, .address = w->page, .value = 1, .mode = SEM_TIMELINE }, 0);
	host_pin(&w->h, (w->page - SYSTEM_BASE) >> 12, HOST_UNPINNED);
	sem_notify(&w->s, &(struct sem_notify){ w->page }, 0);
	assert_int_equal(w->log.count, 3);
	assert_int_equal(w->log.queue, 2);
	assert_int_equal(w->log.fault, FAULT_BUS_ERROR);
	assert_int_equal(w->log.access, ACCESS_READ);
	sem_notify(&w->s, &(struct sem_notify){ 0 }, 0);
}

static void test_binary(void **state)
{
	struct world *w = *state;
	uint64_t *payload = host_at(&w->h, w->page);
	static const unsigned waiters[4] = { SEM_HOST + 2, 7, 3, 12 }, order[4] = { 3, 7, 12, SEM_HOST + 2 };

	for (unsigned i = 0; i < 4; i++)
		sem_arm(&w->s, &(struct sem_arm){ .waiter = waiters[i], .address = w->page, .value = 0, .mode = SEM_BINARY }, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 5, .address = w->page, .value = 100, .mode = SEM_TIMELINE }, 0);
	assert_int_equal(w->log.count, 0);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(store(w, w->page, 10 + i, 0), FAULT_NONE);
		assert_int_equal(w->log.count, i + 1);
		assert_int_equal(w->log.queue, order[i]);
		assert_int_equal(*payload, 0);
	}
	/* a timeline wait on the same payload: who is looked at first has it */
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 9, .address = w->page, .value = 0, .mode = SEM_BINARY }, 0);
	assert_int_equal(store(w, w->page, 100, 0), FAULT_NONE);
	assert_int_equal(w->log.count, 6);
	assert_int_equal(*payload, 0);
	/* signalled before anybody waits; nobody else's */
	*payload = 5;
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 1, .address = w->page, .value = 0, .mode = SEM_BINARY }, 0);
	assert_int_equal(w->log.count, 7);
	assert_int_equal(*payload, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 2, .address = w->page, .value = 0, .mode = SEM_BINARY }, 0);
	assert_int_equal(w->log.count, 7);
	/* it cannot be consumed: the waiter hears of it */
	*payload = 1;
	host_pin(&w->h, (w->page - SYSTEM_BASE) >> 12, HOST_READ);
	sem_notify(&w->s, &(struct sem_notify){ w->page }, 0);
	assert_int_equal(w->log.count, 8);
	assert_int_equal(w->log.fault, FAULT_BUS_ERROR);
	assert_int_equal(w->log.access, ACCESS_WRITE);
}

/* A payload that memory has lost ends the wait for it; the device is not lost. */
static void test_memory_error(void **state)
{
	const uint64_t payload = DRAM_BASE + 64;
	struct world *w = *state;
	struct inject inject;

	inject_init(&inject, NULL);
	w->m.inject = &inject;
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 5, .address = payload, .value = 1, .mode = SEM_TIMELINE }, 0);
	inject_arm(&inject, INJECT_ECC_DOUBLE, 1, UNIT_SEM, 0, 0);
	sem_notify(&w->s, &(struct sem_notify){ payload }, 0);
	assert_int_equal(inject.happened, 1);
	assert_int_equal(w->log.count, 1);
	assert_int_equal(w->log.queue, 5);
	assert_int_equal(w->log.fault, FAULT_ECC);
	assert_int_equal(w->log.access, ACCESS_READ);
	assert_int_equal(w->log.address, payload);
	assert_int_equal(w->m.ecc_uncorrected, 1);
	assert_int_equal(w->m.ecc_fatal, 0);
	assert_int_equal(store(w, payload, 1, 0), FAULT_NONE); /* disarmed */
	assert_int_equal(w->log.count, 1);
	w->m.inject = NULL;
}

static void test_lost_wakeups(void **state)
{
	struct world *w = *state;
	struct inject inject;

	inject_init(&inject, NULL);
	w->m.inject = &inject;
	inject_arm(&inject, INJECT_SEM_LOST, 2, 4, 0, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 3, .address = w->page, .value = 1, .mode = SEM_TIMELINE }, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 4, .address = w->page, .value = 1, .mode = SEM_TIMELINE }, 0);
	store(w, w->page, 1, 0); /* the first wake-up of queue 4 */
	assert_int_equal(w->log.count, 2);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 4, .address = w->page, .value = 1, .mode = SEM_TIMELINE }, 0); /* the second */
	assert_int_equal(w->log.count, 2);
	assert_int_equal(inject.happened, 1);
	sem_notify(&w->s, &(struct sem_notify){ w->page + 8 }, 0);
	assert_int_equal(w->log.count, 2);
	sem_notify(&w->s, &(struct sem_notify){ w->page }, 0);
	assert_int_equal(w->log.count, 3);
	assert_int_equal(w->log.queue, 4);
	/* a binary one is not consumed by a waiter that does not hear of it */
	*(uint64_t *)host_at(&w->h, w->page) = 0;
	inject_arm(&inject, INJECT_SEM_LOST, 1, INJECT_ANY_UNIT, 0, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 6, .address = w->page, .value = 0, .mode = SEM_BINARY }, 0);
	store(w, w->page, 1, 0);
	assert_int_equal(w->log.count, 3);
	assert_int_equal(*(uint64_t *)host_at(&w->h, w->page), 1);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 8, .address = w->page, .value = 0, .mode = SEM_BINARY }, 0);
	assert_int_equal(w->log.queue, 8);
}

static void test_woken_for_nothing(void **state)
{
	struct world *w = *state;
	uint64_t *payload = host_at(&w->h, w->page);
	struct inject inject;

	inject_init(&inject, NULL);
	w->m.inject = &inject;
	*payload = 3;
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 4, .address = w->page, .value = 5, .mode = SEM_TIMELINE }, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 5, .address = w->page, .value = 5, .mode = SEM_TIMELINE }, 0);
	inject_arm(&inject, INJECT_SEM_SPURIOUS, 2, 5, 0, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 3, .address = w->page, .value = 3, .mode = SEM_TIMELINE }, 0); /* satisfied */
	assert_int_equal(w->log.count, 1);
	sem_notify(&w->s, &(struct sem_notify){ w->page }, 0); /* the first look of queue 5 */
	assert_int_equal(w->log.count, 1);
	sem_notify(&w->s, &(struct sem_notify){ w->page }, 0);
	assert_int_equal(w->log.count, 2);
	assert_int_equal(w->log.queue, 5);
	assert_int_equal(w->log.address, w->page);
	assert_int_equal(w->log.fault, FAULT_NONE);
	/* once, and nobody else; that wait is over */
	sem_notify(&w->s, &(struct sem_notify){ w->page }, 0);
	assert_int_equal(w->log.count, 2);
	store(w, w->page, 5, 0);
	assert_int_equal(w->log.count, 3);
	assert_int_equal(w->log.queue, 4);
	/* when it is armed, a binary one; what cannot be read is no occasion */
	*payload = 0;
	inject_arm(&inject, INJECT_SEM_SPURIOUS, 1, INJECT_ANY_UNIT, 0, 0);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 6, .address = w->page + 4, .value = 0, .mode = SEM_BINARY }, 0);
	assert_int_equal(w->log.fault, FAULT_MISALIGNED);
	assert_int_equal(inject.happened, 1);
	host_pin(&w->h, (w->page - SYSTEM_BASE) >> 12, HOST_READ); /* nothing is stored */
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 6, .address = w->page, .value = 0, .mode = SEM_BINARY }, 0);
	assert_int_equal(w->log.count, 5);
	assert_int_equal(w->log.fault, FAULT_NONE);
	assert_int_equal(inject.happened, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_satisfied_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_parks_until_reached, setup, teardown),
		cmocka_unit_test_setup_teardown(test_payloads_are_unsigned, setup, teardown),
		cmocka_unit_test_setup_teardown(test_disarm_and_rearm, setup, teardown),
		cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
		cmocka_unit_test_setup_teardown(test_binary, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_error, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost_wakeups, setup, teardown),
		cmocka_unit_test_setup_teardown(test_woken_for_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
