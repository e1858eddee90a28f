/* What the semaphore unit reports: signals, notifications and wake-ups in their order, and each access of a payload. */
#include "model/prot/protection.h"
#include "model/sem/sem.h"
#include "testbench/model/event_log.h"
#include "testbench/model/fixture.h"

struct world {
	struct host h;
	struct physmem m;
	struct prot prot;
	struct sem s;
	struct event_log log;
	unsigned at;
	uint64_t page;
	unsigned woken;
	enum fault stored;
};

static void woken(void *ctx, const struct sem_woken *wait, uint64_t cycle)
{
	(void)wait;
	(void)cycle;
	((struct world *)ctx)->woken++;
}

static void stored(void *ctx, const struct sem_stored *s, uint64_t cycle)
{
	(void)cycle;
	((struct world *)ctx)->stored = s->fault;
}

static enum fault store(struct world *w, uint64_t address, uint64_t value, uint64_t cycle)
{
	sem_store(&w->s, &(struct sem_store){ .address = address, .value = value }, cycle);
	return w->stored;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct bus_memory sys = host_init(&w->h, false);
	struct sem_params p = { .mem = &w->m, .stored = stored, .woken = woken, .ctx = w };

	assert_int_equal(physmem_init(&w->m, 1 << 20, &sys), 0);
	prot_init(&w->prot, &w->m, NULL);
	w->m.prot = &w->prot;
	event_log_init(&w->log);
	w->m.events = &w->log.sink;
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
	event_log_fini(&w->log);
	free(w);
	return 0;
}

/* The next event is this one. */
static void expect(struct world *w, enum event_kind kind, uint64_t a, uint64_t b, uint64_t c, uint64_t cycle)
{
	const struct event *e = &w->log.event[w->at++];

	assert_true(w->at <= w->log.count);
	assert_int_equal(e->kind, kind);
	assert_int_equal(e->unit, UNIT_SEM);
	assert_int_equal(e->a, a);
	assert_int_equal(e->b, b);
	assert_int_equal(e->c, c);
	assert_int_equal(e->cycle, cycle);
}

static void expect_no_more(struct world *w) { assert_int_equal(w->at, w->log.count); }

/* In system memory and in DRAM. */
static void test_signals(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < 2; i++) {
		uint64_t pa = i ? DRAM_BASE + 0x3000 : w->page + 8;

		sem_arm(&w->s, &(struct sem_arm){ .waiter = 2, .address = pa, .value = 7, .mode = SEM_TIMELINE }, 100);
		expect(w, EVENT_SEM_WAIT, pa, 7, SEM_TIMELINE, 100);
		expect(w, EVENT_READ, 0, pa, 8, 100);
		sem_arm(&w->s, &(struct sem_arm){ .waiter = 5, .address = pa, .value = 5, .mode = SEM_TIMELINE }, 110);
		expect(w, EVENT_SEM_WAIT, pa, 5, SEM_TIMELINE, 110);
		expect(w, EVENT_READ, 0, pa, 8, 110);
		assert_int_equal(store(w, pa, 5, 200), FAULT_NONE);
		expect(w, EVENT_WRITE, 0, pa, 8, 200); /* one access, then what it has done, then the waiters */
		expect(w, EVENT_SEM_SIGNAL, pa, 5, 0, 200);
		expect(w, EVENT_READ, 0, pa, 8, 200);
		expect(w, EVENT_READ, 0, pa, 8, 200);
		expect(w, EVENT_SEM_WAKE, pa, 5, FAULT_NONE, 200);
		expect_no_more(w);
		sem_arm(&w->s, &(struct sem_arm){ .waiter = 2, .address = 0, .value = 0, .mode = SEM_TIMELINE }, 210);
		expect_no_more(w);
	}
}

static void test_notifications(void **state)
{
	struct world *w = *state;

	sem_arm(&w->s, &(struct sem_arm){ .waiter = 1, .address = w->page, .value = 3, .mode = SEM_TIMELINE }, 100);
	w->at = w->log.count;
	*(uint64_t *)host_at(&w->h, w->page) = 2;
	sem_notify(&w->s, &(struct sem_notify){ w->page }, 300);
	expect(w, EVENT_SEM_NOTIFY, w->page, 0, 0, 300);
	expect(w, EVENT_READ, 0, w->page, 8, 300);
	sem_notify(&w->s, &(struct sem_notify){ w->page + 8 }, 310); /* nobody waits there */
	expect(w, EVENT_SEM_NOTIFY, w->page + 8, 0, 0, 310);
	*(uint64_t *)host_at(&w->h, w->page) = 4;
	sem_notify(&w->s, &(struct sem_notify){ w->page }, 320);
	expect(w, EVENT_SEM_NOTIFY, w->page, 0, 0, 320);
	expect(w, EVENT_READ, 0, w->page, 8, 320);
	expect(w, EVENT_SEM_WAKE, w->page, 4, FAULT_NONE, 320);
	sem_notify(&w->s, &(struct sem_notify){ 0 }, 330);
	expect_no_more(w);
}

/* Clearing a binary payload is an access, and no signal. */
static void test_binary(void **state)
{
	struct world *w = *state;

	*(uint64_t *)host_at(&w->h, w->page) = 9;
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 1, .address = w->page, .value = 0, .mode = SEM_BINARY }, 100);
	expect(w, EVENT_SEM_WAIT, w->page, 0, SEM_BINARY, 100);
	expect(w, EVENT_READ, 0, w->page, 8, 100);
	expect(w, EVENT_WRITE, 0, w->page, 8, 100);
	expect(w, EVENT_SEM_WAKE, w->page, 9, FAULT_NONE, 100);
	expect_no_more(w);
}

/* Signals that fail report none; what the protection unit refuses is no access. */
static void test_failures(void **state)
{
	struct world *w = *state;
	uint64_t secret = DRAM_BASE + 0x4000, gone = w->page + 4096;

	assert_true(prot_region_set(&w->prot, 0, secret, secret + 4096, NULL, 0));
	w->at = w->log.count;
	assert_int_equal(store(w, w->page + 4, 1, 100), FAULT_MISALIGNED);
	expect_no_more(w);
	assert_int_equal(store(w, gone, 1, 110), FAULT_BUS_ERROR);
	expect(w, EVENT_WRITE, 0, gone, 8, 110);
	expect_no_more(w);
	assert_int_equal(store(w, secret, 1, 120), FAULT_PROTECTED);
	sem_arm(&w->s, &(struct sem_arm){ .waiter = 3, .address = secret, .value = 1, .mode = SEM_TIMELINE }, 130);
	assert_int_equal(w->woken, 1);
	assert_int_equal(event_log_of(&w->log, EVENT_SEM_SIGNAL, UNIT_SEM), 0);
	assert_int_equal(event_log_of(&w->log, EVENT_READ, UNIT_SEM), 0);
	assert_int_equal(event_log_of(&w->log, EVENT_WRITE, UNIT_SEM), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_signals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_notifications, setup, teardown),
		cmocka_unit_test_setup_teardown(test_binary, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failures, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
