/* What the watchdog does not count: waiting for an engine, at first and after a replay, and a queue that is parked. */
#include "testbench/driver/queue_board.h"

enum { WATCHDOG = 60000, ENGINES = 2 };

static int watched(void **state)
{
	(void)state;
	fresh();
	boot()->watchdog = WATCHDOG;
	assert_int_equal(start(), FW_READY);
	return 0;
}

/* Transfers that hold all engines for some times longer than the watchdog allows, and that it leaves alone. */
static void hold_engines(void)
{
	assert_int_equal(bus_read32(bus, REG_HOST_NUM_DMA), ENGINES);
	const unsigned before = events_of(EVENT_DMA_START, EVENT_NO_QUEUE);
	for (unsigned i = 0; i < ENGINES; i++)
		queue_up(8 + i, 1, 0); /* lets everything come to its end */
	for (unsigned i = 0; i < ENGINES; i++) {
		union packet p = packet_copy_1d(VA(DATA + 100 + 10 * i), VA(DATA + 50), 8 * 4096);

		p.copy.height = 16; /* over and over */
		put(8 + i, 0, p, LAST | PACKET_PATIENT, 8 + i);
		bell(8 + i, 1);
	}
	RUN_UNTIL(events_of(EVENT_DMA_START, EVENT_NO_QUEUE) == before + ENGINES);
}

/* A transfer that has no engine is let alone, however long that takes. */
static void waiting_does_not_count(void **state)
{
	(void)state;
	queue_up(0, 1, 0);
	hold_engines();
	put(0, 0, packet_copy_1d(VA(DATA + 1), VA(DATA), 64), LAST, 0);
	put(0, 1, packet_nop(), LAST, 1);
	bell(0, 2);
	settle();
	assert_int_equal(boot()->faults_written, 0);
	assert_int_equal(record(0)->status, 0);
	assert_int_equal(record(1)->status, 0);
	assert_true(record(0)->end - record(0)->submit > 2 * WATCHDOG);
	for (unsigned i = 0; i < ENGINES; i++)
		assert_int_equal(record(8 + i)->status, 0);
}

/* So is one that waits for an engine again. */
static void replayed_and_waiting(void **state)
{
	const uint64_t hole = VA(DATA + 11);

	(void)state;
	board_map(1, hole, 0, 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	queue_up(0, 1, 1);
	put(0, 0, packet_copy_1d(VA(DATA + 10), VA(DATA), 2 * 4096), LAST, 0);
	bell(0, 1);
	RUN_UNTIL(state_of(0) == QUEUE_FAULTED);
	board_map(1, hole, PA(DATA + 11), BOARD_PTE);
	bus_wait_irq(bus, 2 * WATCHDOG); /* not watched meanwhile */
	assert_int_equal(state_of(0), QUEUE_FAULTED);
	assert_int_equal(record(0)->done, 0);
	hold_engines();
	control(0, QUEUE_CTRL_REPLAY);
	RUN_UNTIL(record(0)->done);
	const uint64_t replay = events_at(event_place(EVENT_REPLAY, 0, ANY, ANY, 0))->cycle;
	assert_int_equal(record(0)->status, 0);
	assert_true(record(0)->end - replay > 2 * WATCHDOG);
}

/* Parked for many times that long, with something else at work: nothing happens to it. */
static void parked_for_ever(void **state)
{
	(void)state;
	*payload(0) = 0;
	queue_up(0, 1, 0);
	put(0, 0, wait_for(payload_pa(0), 1, 0), LAST, 0);
	bell(0, 1);
	settle();
	queue_up(1, 1, 0);
	for (unsigned i = 0; i < 5; i++) {
		put(1, i, launch(KERNEL_SPIN, 0), LAST, 1); /* the timer runs, and comes */
		bell(1, i + 1);
		settle();
		assert_int_equal(record(1)->status, -FAULT_WATCHDOG);
		assert_int_equal(state_of(0), QUEUE_PARKED);
		assert_int_equal(record(0)->done, 0);
	}
	assert_int_equal(boot()->faults_written, 5);
	signal_payload(0, 1);
	settle();
	assert_int_equal(record(0)->status, 0);
	assert_int_equal(record(0)->done, 1);
	assert_true(record(0)->end - record(0)->submit > 5 * WATCHDOG);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(waiting_does_not_count, watched),
		cmocka_unit_test_setup(replayed_and_waiting, watched),
		cmocka_unit_test_setup(parked_for_ever, watched),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
