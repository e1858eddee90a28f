/* Requests in QUEUE_CTRL that meet something else: an abort, a write of 0, a command that has failed already, a signal, and the end of the
 * packet in progress. */
#include "testbench/driver/queue_board.h"

/* Changes of QUEUE_STATE from an event on. */
static unsigned states_since(unsigned from, unsigned n, uint64_t *first)
{
	unsigned count = 0;

	for (unsigned i = from; i < events_count(); i++)
		if (events_at(i)->kind == EVENT_QUEUE_STATE && events_at(i)->queue == n && !count++)
			*first = events_at(i)->a;
	return count;
}

/* From the reset to the end of the work the queue shows what it showed before. */
static void shown_during_an_abort(void **state)
{
	const uint64_t hole = VA(DATA + 90);

	(void)state;
	board_map(1, hole, 0, 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	args(0)[0] = hole;
	for (unsigned kind = 0; kind < 3; kind++) {
		const union packet packets[3] = { launch(KERNEL_SPIN, 0), packet_copy_1d(VA(DATA + 100), VA(DATA), 90 * 4096),
						  launch(KERNEL_STORE, 0) };
		const unsigned before = kind == 2 ? QUEUE_FAULTED : QUEUE_RUNNING;
		uint64_t first = 0;

		queue_up(kind, 1, 1);
		put(kind, 0, packets[kind], LAST, kind);
		bell(kind, 1);
		RUN_UNTIL(state_of(kind) == before && device_busy());
		bus_wait_irq(bus, 2000);
		const unsigned from = events_count();
		control(kind, QUEUE_CTRL_RESET);
		do
			assert_true(state_of(kind) == before || state_of(kind) == QUEUE_IDLE);
		while (requested(kind));
		settle();
		/* one change, when the work was over and its packet had ended */
		assert_int_equal(states_since(from, kind, &first), 1);
		assert_int_equal(first, QUEUE_IDLE);
		assert_true(event_place(EVENT_PACKET_END, kind, 0, FAULT_ABORTED, 0) <
			    event_place(EVENT_QUEUE_STATE, kind, QUEUE_IDLE, ANY, 1));
		assert_int_equal(record(kind)->status, -FAULT_ABORTED);
	}
}

/* 0 over a request that the firmware has not served: it is not carried out, whatever it was. */
static void taken_back(void **state)
{
	(void)state;
	queue_up(0, 1, 0);
	queue_up(1, 1, 0);
	hang(0, 0, 0);
	keep_busy();
	control(0, QUEUE_CTRL_RESET);
	control(1, QUEUE_CTRL_SUSPEND);
	control(0, QUEUE_CTRL_NONE);
	control(1, QUEUE_CTRL_NONE);
	RUN_UNTIL(record(120)->done);
	bus_wait_irq(bus, 20000);
	assert_int_equal(record(0)->done, 0);
	assert_true(device_busy());
	assert_int_equal(state_of(1), QUEUE_IDLE);
	assert_int_equal(boot()->faults_written, 0);
	assert_int_equal(requested(0) | requested(1), 0);
	/* and the queues hear the next one */
	control(0, QUEUE_CTRL_RESET);
	settle();
	assert_int_equal(record(0)->status, -FAULT_ABORTED);
}

/* Of a command that has failed, whose end is to come, in each state that can be reset without work in progress. */
static void failed_already(void **state)
{
	(void)state;
	for (unsigned suspended = 0; suspended < 2; suspended++) {
		const unsigned q = suspended;

		queue_up(q, 1, 0);
		put(q, 0, (union packet){ .head.type = 99 }, 0, 0);
		bell(q, 1);
		settle();
		const uint64_t faults = boot()->faults_written;
		assert_int_equal(last_fault()->code, FAULT_BAD_PACKET);
		if (suspended)
			control(q, QUEUE_CTRL_SUSPEND);
		settle();
		control(q, QUEUE_CTRL_RESET);
		assert_int_equal(settle(), REG_HOST_IRQ_STATUS_QUEUE);
		assert_int_equal(state_of(q), QUEUE_IDLE);
		args(0)[0] = VA(DATA), args(0)[1] = 1;
		put(q, 1, launch(KERNEL_STORE, 0), LAST, q);
		bell(q, 2);
		settle();
		assert_int_equal(record(q)->done, 1);
		assert_int_equal(record(q)->status, -FAULT_BAD_PACKET);
		assert_int_equal(boot()->faults_written, faults);
		assert_int_equal(*(uint64_t *)(memory + DATA * 4096), 0);
	}
	/* a cache packet that runs all the same, and is aborted */
	queue_up(2, 1, 0);
	put(2, 0, (union packet){ .head.type = 99 }, 0, 2);
	put(2, 1, (union packet){ .cache = { .head.type = PACKET_CODE_cache, .address = VA(DATA), .size = 100 * 4096, .op = CACHE_CLEAN } }, LAST, 2);
	inject(INJECT_DMA_STALL, 1, 2, 0); /* for ever */
	bell(2, 2);
	RUN_UNTIL(device_busy());
	bus_wait_irq(bus, 5000);
	const uint64_t faults = boot()->faults_written;
	control(2, QUEUE_CTRL_RESET);
	settle();
	assert_int_equal(record(2)->done, 1);
	assert_int_equal(record(2)->status, -FAULT_BAD_PACKET);
	assert_int_equal(boot()->faults_written, faults);
}

/* A signal that comes in one of the cycles in which the firmware gives a wait up is for the next waiter. */
static void signal_during_a_reset(void **state)
{
	enum { FIRST = 3, SECOND = 8 };
	unsigned passed = 0, given_up = 0, given_back = 0;
	union packet p = wait_for(payload_pa(0), 0, 0);

	(void)state;
	p.sem_wait.mode = 1;
	for (unsigned delay = 0; delay < 75; delay++) {
		fresh();
		assert_int_equal(start(), FW_READY);
		queue_up(FIRST, 1, 0);
		queue_up(SECOND, 1, 0);
		put(FIRST, 0, p, LAST, 0);
		put(SECOND, 0, p, LAST, 1);
		bell(FIRST, 1);
		settle();
		bell(SECOND, 1);
		settle();
		bus_write32(bus, REG_HOST_IRQ_ENABLE, 0);
		bus_write64(bus, REG_HOST_SEM_VALUE, 1);
		control(FIRST, QUEUE_CTRL_RESET);
		bus_wait_irq(bus, 6 * delay);
		bus_write64(bus, REG_HOST_SEM_SIGNAL, payload_pa(0));
		bus_write32(bus, REG_HOST_IRQ_ENABLE, 0xff);
		settle();
		assert_int_equal(record(0)->done, 1);
		const bool first = events_at(event_place(EVENT_PACKET_END, FIRST, 0, ANY, 0))->b == FAULT_NONE;
		assert_int_equal(record(0)->status, first ? 0 : -FAULT_ABORTED);
		assert_int_equal(record(1)->done, !first); /* one signal, one that passes */
		assert_int_equal(*payload(0), 0);
		unsigned stores = 0;
		for (unsigned i = 0; i < events_count(); i++)
			stores += events_at(i)->kind == EVENT_SEM_SIGNAL && events_at(i)->a == payload_pa(0);
		assert_in_range(stores, 1, 2);
		passed += first;
		given_up += !first;
		given_back += stores == 2;
	}
	printf("# passed %u, given up %u, of which %u given back\n", passed, given_up, given_back);
	assert_true(given_up && given_back);
}

/* One command of a transfer and `more` nops; the reset comes in the cycle `at` after the doorbell. Returns how the transfer ended. */
static unsigned reset_at(unsigned more, uint64_t at)
{
	fresh();
	assert_int_equal(start(), FW_READY);
	queue_up(0, 1, 0);
	put(0, 0, packet_copy_1d(VA(DATA + 10), VA(DATA), 4096), more ? 0 : LAST, 0);
	for (unsigned i = 1; i <= more; i++)
		put(0, i, packet_nop(), i == more ? LAST : 0, 0);
	put(0, 1 + more, packet_nop(), LAST, 1);
	bell(0, 2 + more);
	bus_write32(bus, REG_HOST_IRQ_ENABLE, 0);
	bus_wait_irq(bus, at);
	control(0, QUEUE_CTRL_RESET);
	bus_write32(bus, REG_HOST_IRQ_ENABLE, 0xff);
	settle();
	assert_int_equal(requested(0), 0);
	assert_int_equal(state_of(0), QUEUE_IDLE);
	assert_int_equal(record(0)->done & record(1)->done, 1);
	return (unsigned)events_at(event_place(EVENT_DMA_END, 0, ANY, ANY, 0))->b;
}

static void reset_at_the_end(void **state)
{
	unsigned well = 0, aborted = 0, well_and_failed = 0;
	uint64_t end, rung;

	(void)state;
	reset_at(0, 60000);
	end = events_at(event_place(EVENT_DMA_END, 0, ANY, ANY, 0))->cycle;
	rung = events_at(event_place(EVENT_DOORBELL, 0, ANY, ANY, 0))->cycle;
	for (uint64_t at = end - rung - 250; at < end - rung + 100; at += 5) {
		unsigned code = reset_at(0, at);

		/* the last packet: its command ends as the transfer did; what follows is not touched */
		assert_int_equal(record(0)->status, -(int)code);
		assert_int_equal(boot()->faults_written, code != 0);
		well += code == FAULT_NONE;
		aborted += code == FAULT_ABORTED;

		code = reset_at(1, at);
		assert_true(record(0)->status == 0 || record(0)->status == -FAULT_ABORTED);
		if (code)
			assert_int_equal(record(0)->status, -FAULT_ABORTED);
		assert_int_equal(boot()->faults_written, record(0)->status != 0);
		if (record(0)->status)
			assert_int_equal(last_fault()->code, FAULT_ABORTED);
		if (!code && record(0)->status) {
			well_and_failed++;
			assert_int_equal(last_fault()->unit, UNIT_CP);
			assert_int_equal(last_fault()->address, 0);
		}
		/* the next command of the queue, if the reset came in time for it, is the one that is there then */
		assert_true(record(1)->status == 0);
	}
	printf("# %u ended well, %u aborted; %u well and failed\n", well, aborted, well_and_failed);
	assert_true(well && aborted && well_and_failed);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(shown_during_an_abort, board_setup),
		cmocka_unit_test_setup(taken_back, board_setup),
		cmocka_unit_test_setup(failed_already, board_setup),
		cmocka_unit_test(signal_during_a_reset),
		cmocka_unit_test(reset_at_the_end),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
