/* The reference of the semaphore unit, at what docs/hardware/sem.md says. The argument or GALENA_SEED is the seed of the random
 * case. */
#include "abi/events.h"
#include "testbench/random.h"
#include "testbench/reference/semaphores.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* Memory: 64 payloads from BASE on; those from READ_ONLY on are not to be written, and behind the last there is none. */
enum { WORDS = 64, READ_ONLY = 60, EVENTS = 512 };
#define BASE 0x8000001000ull
#define AT(n) (BASE + 8 * (n))

static uint64_t seed;
static struct semaphores s;
static uint64_t words[WORDS];
static unsigned reads, writes, events;
static struct semaphore_event sent[EVENTS];

static enum fault memory_read(void *of, uint64_t address, uint64_t *value)
{
	(void)of;
	reads++;
	if (address - BASE >= 8 * WORDS)
		return FAULT_BUS_ERROR;
	*value = words[(address - BASE) / 8];
	return FAULT_NONE;
}

static enum fault memory_write(void *of, uint64_t address, uint64_t value)
{
	(void)of;
	writes++;
	if (address - BASE >= 8 * READ_ONLY)
		return FAULT_BUS_ERROR;
	words[(address - BASE) / 8] = value;
	return FAULT_NONE;
}

static void event(void *of, const struct semaphore_event *e)
{
	(void)of;
	if (events < EVENTS)
		sent[events++] = *e;
}

static int begin(void **state)
{
	(void)state;
	memset(words, 0, sizeof words);
	reads = writes = events = 0;
	semaphores_begin(&s);
	s.memory = (struct semaphore_memory){ NULL, memory_read, memory_write };
	s.event = event;
	return 0;
}

static void queue_wait(unsigned n, uint64_t address, uint64_t value, uint32_t mode)
{
	s.sem_wait_value[n] = value;
	s.sem_wait_mode[n] = mode;
	semaphores_queue_wait(&s, n, address);
}

static void host_wait(unsigned n, uint64_t address, uint64_t value)
{
	s.host_wait_value[n] = value;
	semaphores_host_wait(&s, n, address);
}

static void signal_with(uint64_t address, uint64_t value)
{
	s.sem_value = value;
	semaphores_signal(&s, address);
}

static void sent_is(unsigned i, unsigned kind, unsigned queue, uint64_t a, uint64_t b, uint64_t c)
{
	assert_true(i < events);
	assert_int_equal(sent[i].kind, kind);
	assert_int_equal(sent[i].queue, queue);
	assert_int_equal(sent[i].a, a);
	assert_int_equal(sent[i].b, b);
	assert_int_equal(sent[i].c, c);
}

static void a_timeline_wait_ends_with_its_value(void **state)
{
	(void)state;
	words[1] = 4;
	queue_wait(3, AT(1), 5, 0);
	assert_int_equal(semaphores_armed(&s, 3), AT(1));
	s.sem_wait_value[3] = 1; /* does not concern the wait */
	semaphores_notify(&s, AT(1));
	semaphores_notify(&s, AT(2));
	assert_int_equal(reads, 2);
	assert_int_equal(s.sem_woken, 0);
	signal_with(AT(1), 5);
	assert_int_equal(s.sem_woken, 1 << 3);
	assert_int_equal(s.sem_status[3], 0);
	assert_int_equal(semaphores_armed(&s, 3), 0);
	assert_int_equal(words[1], 5);
	semaphores_clear_sem_woken(&s, 1 << 3);
	queue_wait(3, AT(1), 5, 7); /* there already; any other mode is a timeline, too */
	assert_int_equal(s.sem_woken, 1 << 3);
	assert_int_equal(words[1], 5);
}

static void values_have_no_sign_and_do_not_wrap(void **state)
{
	(void)state;
	words[0] = 1ull << 63;
	queue_wait(0, AT(0), 1, 0);
	assert_int_equal(s.sem_woken, 1);
	queue_wait(1, AT(0), UINT64_MAX, 0);
	assert_int_equal(s.sem_woken, 1);
	signal_with(AT(0), 0); /* less than before is stored, too */
	assert_int_equal(s.sem_woken, 1);
	assert_int_equal(words[0], 0);
}

static void one_binary_wait_passes_and_the_lowest(void **state)
{
	(void)state;
	queue_wait(9, AT(0), 77, SEMAPHORE_BINARY);
	queue_wait(5, AT(0), 0, SEMAPHORE_BINARY);
	queue_wait(2, AT(0), 1, 0);
	queue_wait(7, AT(0), 1, 0);
	host_wait(0, AT(0), 1);
	signal_with(AT(0), 1);
	assert_int_equal(s.sem_woken, 1 << 2 | 1 << 5); /* 7 and the host come behind, and find 0 */
	assert_int_equal(s.host_woken, 0);
	assert_int_equal(words[0], 0);
	signal_with(AT(0), 1);
	signal_with(AT(0), 1); /* two without a wait between them are one */
	assert_int_equal(s.sem_woken, 1 << 2 | 1 << 5 | 1 << 7 | 1 << 9);
	assert_int_equal(s.host_woken, 1);
	assert_int_equal(words[0], 1);
}

static void waits_are_replaced_and_disarmed(void **state)
{
	(void)state;
	queue_wait(0, AT(0), 1, 0);
	queue_wait(0, AT(1), 1, 0);
	signal_with(AT(0), 1);
	assert_int_equal(s.sem_woken, 0);
	s.sem_status[0] = FAULT_BUS_ERROR;
	semaphores_queue_wait(&s, 0, 0);
	assert_int_equal(s.sem_status[0], 0);
	signal_with(AT(1), 1);
	assert_int_equal(s.sem_woken, 0);
	host_wait(4, AT(2), 1);
	semaphores_host_wait(&s, 4, 0);
	signal_with(AT(2), 1);
	assert_int_equal(s.host_woken, 0);
	assert_int_equal(s.interrupts, 0);
}

static void slots_of_the_host_raise_an_interrupt(void **state)
{
	(void)state;
	host_wait(15, AT(0), 2);
	host_wait(3, AT(0), 1);
	signal_with(AT(0), 1);
	assert_int_equal(s.host_woken, 1 << 3);
	assert_int_equal(s.interrupts, 1);
	host_wait(3, AT(0), 9); /* does not clear its bit */
	assert_int_equal(s.host_woken, 1 << 3);
	semaphores_clear_host_woken(&s, 1 << 3);
	assert_int_equal(s.host_woken, 0);
	host_wait(1, AT(0) + 4, 0); /* misaligned, and no memory: at once */
	host_wait(2, AT(WORDS), 0);
	assert_int_equal(s.host_woken, 1 << 1 | 1 << 2);
	assert_int_equal(s.interrupts, 3);
	assert_int_equal(s.faults, 2);
}

static void payloads_that_cannot_be_used_end_a_wait(void **state)
{
	(void)state;
	s.fault_pc[2] = s.fault_info[2] = 99;
	queue_wait(2, AT(0) + 1, 0, 0);
	assert_int_equal(reads, 0);
	assert_int_equal(s.sem_status[2], FAULT_MISALIGNED);
	assert_int_equal(s.fault_address[2], AT(0) + 1);
	assert_int_equal(s.fault_info[2], UNIT_SEM);
	assert_int_equal(s.fault_pc[2], 0);
	queue_wait(3, AT(WORDS), 0, 0);
	assert_int_equal(s.sem_status[3], FAULT_BUS_ERROR);
	words[READ_ONLY] = 7;
	queue_wait(4, AT(READ_ONLY), 0, SEMAPHORE_BINARY);
	assert_int_equal(s.sem_status[4], FAULT_BUS_ERROR);
	assert_int_equal(s.fault_info[4], UNIT_SEM | ACCESS_WRITE << 16); /* it was the store */
	assert_int_equal(words[READ_ONLY], 7);
	assert_int_equal(s.sem_woken, 1 << 2 | 1 << 3 | 1 << 4);
	assert_int_equal(s.faults, 3);
	queue_wait(5, AT(READ_ONLY), 7, 0); /* a timeline wait needs no store */
	assert_int_equal(s.sem_status[5], FAULT_NONE);
}

static void signals_that_cannot_be_stored_wake_none(void **state)
{
	(void)state;
	queue_wait(0, AT(READ_ONLY), 1, 0);
	s.sem_store_value = 1;
	semaphores_store(&s, AT(READ_ONLY));
	assert_int_equal(s.sem_store_status, FAULT_BUS_ERROR);
	semaphores_store(&s, AT(0) + 2);
	assert_int_equal(s.sem_store_status, FAULT_MISALIGNED);
	assert_int_equal(writes, 1);
	signal_with(AT(READ_ONLY), 1);
	assert_int_equal(s.sem_store_status, FAULT_MISALIGNED);
	assert_int_equal(s.sem_woken, 0);
	assert_int_equal(s.faults, 3);
	assert_int_equal(reads, 1);
	semaphores_store(&s, AT(1));
	assert_int_equal(s.sem_store_status, FAULT_NONE);
	assert_int_equal(words[1], 1);
}

static void notifications_look_and_store_nothing(void **state)
{
	(void)state;
	queue_wait(0, AT(0), 3, 0);
	words[0] = 3;
	semaphores_notify(&s, 0);
	assert_int_equal(s.sem_woken, 0);
	semaphores_notify(&s, AT(0));
	assert_int_equal(s.sem_woken, 1);
	assert_int_equal(writes, 0);
}

static void a_reset_disarms(void **state)
{
	(void)state;
	queue_wait(0, AT(0), 3, 0);
	host_wait(0, AT(1), 0);
	host_wait(1, AT(1), 5);
	semaphores_reset(&s);
	assert_int_equal(s.host_woken, 0);
	signal_with(AT(1), 9);
	signal_with(AT(0), 9);
	assert_int_equal(s.host_woken | s.sem_woken, 0);
	assert_int_equal(words[0], 9);
}

static void a_lost_device_ends_the_waits_of_the_host(void **state)
{
	(void)state;
	queue_wait(0, AT(0), 3, 0);
	host_wait(6, AT(0), 3);
	host_wait(2, AT(1), 3);
	reads = events = 0;
	semaphores_lose(&s);
	assert_int_equal(s.sem_woken, 0);
	assert_int_equal(s.host_woken, 1 << 2 | 1 << 6);
	assert_int_equal(s.interrupts, 2);
	assert_int_equal(reads, 0);
	assert_int_equal(events, 2);
	sent_is(0, EVENT_SEM_WAKE, 0x102, AT(1), 0, FAULT_LOST);
	sent_is(1, EVENT_SEM_WAKE, 0x106, AT(0), 0, FAULT_LOST);
	assert_int_equal(semaphores_armed(&s, 0), 0);
	signal_with(AT(2), 1);
	assert_int_equal(words[2], 0);
	host_wait(9, AT(2), 1);
	assert_int_equal(s.host_woken, 1 << 2 | 1 << 6 | 1 << 9);
	semaphores_reset(&s);
	signal_with(AT(2), 1);
	assert_int_equal(words[2], 1);
}

static void events_come_in_their_order(void **state)
{
	(void)state;
	queue_wait(1, AT(0), 8, SEMAPHORE_BINARY);
	host_wait(1, AT(0), 0);
	signal_with(AT(0), 4);
	semaphores_notify(&s, AT(0));
	signal_with(AT(READ_ONLY), 4);
	assert_int_equal(events, 6);
	sent_is(0, EVENT_SEM_WAIT, 1, AT(0), 8, SEMAPHORE_BINARY);
	sent_is(1, EVENT_SEM_WAIT, 0x101, AT(0), 0, 0);
	sent_is(2, EVENT_SEM_WAKE, 0x101, AT(0), 0, 0);
	sent_is(3, EVENT_SEM_SIGNAL, EVENT_NO_QUEUE, AT(0), 4, 0);
	sent_is(4, EVENT_SEM_WAKE, 1, AT(0), 4, 0);
	sent_is(5, EVENT_SEM_NOTIFY, EVENT_NO_QUEUE, AT(0), 0, 0);
}

static void wakes_can_be_lost_and_spurious(void **state)
{
	(void)state;
	queue_wait(0, AT(0), 1, 0);
	semaphores_inject_lost(&s, 1, SEMAPHORE_ANY_QUEUE);
	signal_with(AT(0), 1);
	assert_int_equal(s.sem_woken, 0);
	semaphores_notify(&s, AT(0));
	assert_int_equal(s.sem_woken, 1);
	semaphores_clear_sem_woken(&s, 1);
	semaphores_inject_spurious(&s, 2, 0x102);
	queue_wait(0, AT(1), 1, 0); /* another waiter is no occasion */
	host_wait(2, AT(1), 1);
	assert_int_equal(s.host_woken, 0);
	semaphores_notify(&s, AT(1));
	assert_int_equal(s.host_woken, 1 << 2);
	assert_int_equal(s.sem_woken, 0);
}

/* No wait that is armed has its payload. */
static void waits_end_with_their_payloads_alone(void **state)
{
	enum { PAYLOADS = 4 };
	uint64_t random = seed;
	(void)state;
	s.event = NULL;
	for (unsigned step = 0; step < 100000; step++) {
		const unsigned n = (unsigned)(splitmix64(&random) % 16);
		const uint64_t address = AT(splitmix64(&random) % PAYLOADS), value = splitmix64(&random) % 8;
		switch (splitmix64(&random) % 4) {
		case 0:
			queue_wait(n, address, value, splitmix64(&random) % 2);
			break;
		case 1:
			host_wait(n, address, value);
			break;
		default:
			signal_with(address, value);
		}
		for (unsigned w = 0; w < SEMAPHORE_WAITERS; w++) {
			const uint64_t armed = semaphores_armed(&s, w);
			if (!armed)
				continue;
			const uint64_t payload = words[(armed - BASE) / 8];
			assert_true(s.waits[w].binary ? payload == 0 : payload < s.waits[w].value);
		}
		semaphores_clear_sem_woken(&s, ~0u);
		semaphores_clear_host_woken(&s, ~0u);
	}
	assert_int_equal(s.faults, 0);
	assert_true(s.interrupts > 1000);
}

#define CASE(name) cmocka_unit_test_setup(name, begin)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CASE(a_timeline_wait_ends_with_its_value),
		CASE(values_have_no_sign_and_do_not_wrap),
		CASE(one_binary_wait_passes_and_the_lowest),
		CASE(waits_are_replaced_and_disarmed),
		CASE(slots_of_the_host_raise_an_interrupt),
		CASE(payloads_that_cannot_be_used_end_a_wait),
		CASE(signals_that_cannot_be_stored_wake_none),
		CASE(notifications_look_and_store_nothing),
		CASE(a_reset_disarms),
		CASE(a_lost_device_ends_the_waits_of_the_host),
		CASE(events_come_in_their_order),
		CASE(wakes_can_be_lost_and_spurious),
		CASE(waits_end_with_their_payloads_alone),
	};
	seed = seed_take(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
