/* What the firmware writes to the driver's memory, in which order, and what happens when that is not there: completion records, timelines,
 * the fault ring, the log, and the boot parameters that it keeps a copy of. */
#include "testbench/driver/queue_board.h"

/* Place of the command processor's write at a physical address, from an event on. */
static unsigned write_place(uint64_t pa, unsigned from, unsigned *bytes)
{
	for (unsigned i = from; i < events_count(); i++) {
		const struct event *e = events_at(i);

		if (e->kind == EVENT_WRITE && e->unit == UNIT_CP && e->b <= pa && e->b + e->c > pa) {
			if (bytes)
				*bytes = (unsigned)e->c;
			return i;
		}
	}
	fail_msg("no write at %#" PRIx64, pa);
	return 0;
}

/* Four words in ascending order, then read_index, then the timeline, then the interrupt. */
static void order_of_a_record(void **state)
{
	unsigned place = 0, bytes;

	(void)state;
	queue_up(0, 1, 0);
	put(0, 0, packet_nop(), 0, 0);
	put(0, 1, packet_nop(), LAST, 0);
	const unsigned from = events_count();
	bell(0, 2);
	settle();
	for (unsigned word = 0; word < 4; word++) {
		const unsigned at = write_place(record_pa(0) + 8 * word, from, &bytes);

		assert_int_equal(bytes, 8);
		assert_true(at > place);
		place = at;
	}
	unsigned at = write_place(desc_pa(0) + offsetof(struct queue_desc, read_index), from, NULL);
	assert_true(at > place);
	place = at;
	at = event_place(EVENT_SEM_SIGNAL, EVENT_NO_QUEUE, payload_pa(TIMELINES), 1, 0);
	assert_true(at > place);
	for (unsigned i = from; i < at; i++)
		assert_false(events_at(i)->kind == EVENT_IRQ_RAISE && events_at(i)->a & REG_HOST_IRQ_STATUS_COMPLETE);
	assert_true(event_place(EVENT_IRQ_RAISE, EVENT_NO_QUEUE, REG_HOST_IRQ_STATUS_COMPLETE, ANY, 0) > at);
}

/* A timeline whose page has gone: the command ends, its count is lost, a counter says so. */
static void timeline_gone(void **state)
{
	(void)state;
	queue_up(0, 1, 0);
	put(0, 0, packet_nop(), LAST, 0);
	put(0, 1, packet_nop(), LAST, 1);
	const uint64_t faults = bus_read64(bus, REG_HOST_CNT_FAULTS);
	board_unpin(PAYLOADS);
	bell(0, 1);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_COMPLETE | REG_HOST_IRQ_STATUS_FAULT | REG_HOST_IRQ_STATUS_LOG);
	assert_int_equal(record(0)->done, 1);
	assert_int_equal(record(0)->status, 0);
	assert_int_equal(desc(0)->read_index, 1);
	assert_int_equal(timeline(0), 0);
	assert_int_equal(bus_read64(bus, REG_HOST_CNT_FAULTS), faults + 1);
	assert_int_equal(boot()->faults_written, 1);
	assert_int_equal(last_fault()->code, FAULT_BUS_ERROR);
	assert_int_equal(last_fault()->unit, UNIT_CP);
	assert_int_equal(last_fault()->address, payload_pa(TIMELINES));
	assert_int_equal(last_fault()->packet, 0);
	assert_int_equal(state_of(0), QUEUE_IDLE);
	/* the firmware has counted it */
	board_unpin(HOLES);
	bell(0, 2);
	settle();
	assert_int_equal(record(1)->status, 0);
	assert_int_equal(timeline(0), 2);
	assert_int_equal(bus_read64(bus, REG_HOST_CNT_FAULTS), faults + 1);
}

/* The fault ring's page has gone: a record is lost, and the next one has the number behind it. */
static void fault_ring_gone(void **state)
{
	struct fault_record *ring_of_faults = (struct fault_record *)(memory + FAULTS * 4096);

	(void)state;
	queue_up(0, 1, 0);
	for (unsigned i = 0; i < 3; i++)
		put(0, i, (union packet){ .head.type = (uint8_t)(99 + i) }, LAST, i);
	bell(0, 1);
	settle();
	assert_int_equal(boot()->faults_written, 1);
	board_unpin(FAULTS);
	bell(0, 2);
	assert_false(settle() & REG_HOST_IRQ_STATUS_CRASH);
	assert_int_equal(record(1)->status, -FAULT_BAD_PACKET);
	assert_int_equal(boot()->faults_written, 2);
	assert_int_equal(ring_of_faults[1].sequence, 0);
	board_unpin(HOLES);
	bell(0, 3);
	settle();
	assert_int_equal(record(2)->status, -FAULT_BAD_PACKET);
	assert_int_equal(boot()->faults_written, 3);
	assert_int_equal(ring_of_faults[0].sequence, 1);
	assert_int_equal(ring_of_faults[1].sequence, 0);
	assert_int_equal(ring_of_faults[2].sequence, 3);
	assert_int_equal(ring_of_faults[2].packet, 2);
}

/* ---- boot parameters ---- */

/* The firmware has its copy: another log, another ring, another watchdog behind the start are not looked at. */
static void parameters_changed(void **state)
{
	(void)state;
	fresh();
	assert_int_equal(start(), FW_READY);
	const uint64_t written = boot()->log_written;
	boot()->watchdog = 1;
	boot()->log = PA(DATA);
	boot()->log_size = 64;
	boot()->faults = PA(DATA + 1);
	boot()->fault_count = 1;
	boot()->version = 99;
	boot()->flags = 1;
	queue_up(0, 1, 0);
	put(0, 0, (union packet){ .head.type = 99 }, LAST, 0);
	bell(0, 1);
	settle();
	const struct fault_record *f = (const struct fault_record *)(memory + FAULTS * 4096);
	assert_int_equal(f->sequence, 1);
	assert_true(boot()->log_written > written);
	assert_int_equal(memory[LOG * 4096 + written], 'f');
	for (unsigned i = 0; i < 2 * 4096; i++)
		assert_int_equal(memory[DATA * 4096 + i], 0);
	hang(0, 1, 1);
	bus_wait_irq(bus, 200000);
	assert_int_equal(record(1)->done, 0);
	assert_true(device_busy());
	/* and the other way round: a watchdog that is taken away stays */
	fresh();
	boot()->watchdog = 20000;
	assert_int_equal(start(), FW_READY);
	boot()->watchdog = 0;
	queue_up(0, 1, 0);
	hang(0, 0, 0);
	settle();
	assert_int_equal(record(0)->status, -FAULT_WATCHDOG);
}

/* The counts of the record are the firmware's: from 0 at each start, whatever is there. */
static void counts_begin(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		fresh();
		boot()->log_written = 12345;
		boot()->faults_written = 99;
		assert_int_equal(start(), FW_READY);
		assert_int_equal(boot()->log_written, strlen((char *)memory + LOG * 4096));
		assert_int_equal(memory[LOG * 4096 + boot()->log_written - 1], '\n');
		assert_true(write_place(PA(BOOT) + offsetof(struct boot_params, log_written), 0, NULL) <
			    event_place(EVENT_FW_STATE, EVENT_NO_QUEUE, FW_READY, ANY, 0));
		assert_int_equal(boot()->faults_written, 99);
		queue_up(0, 1, 0);
		for (unsigned i = 0; i < 2; i++)
			put(0, i, (union packet){ .head.type = 99 }, LAST, 0);
		bell(0, 1);
		settle();
		assert_int_equal(boot()->faults_written, 1);
		assert_int_equal(((struct fault_record *)(memory + FAULTS * 4096))->sequence, 1);
		bell(0, 2);
		settle();
		assert_int_equal(boot()->faults_written, 2);
	}
}

/* Of each line: its bytes, then log_written, then LOG. */
static void order_of_a_line(void **state)
{
	(void)state;
	fresh();
	assert_int_equal(start(), FW_READY);
	queue_up(0, 1, 0);
	for (unsigned i = 0; i < 3; i++)
		put(0, i, (union packet){ .head.type = 99 }, LAST, 0);
	bell(0, 3);
	settle();
	uint64_t line = 0, from = 0;
	unsigned lines = 0;
	for (uint64_t i = 0; i < boot()->log_written; i++) {
		if (memory[LOG * 4096 + i] != '\n')
			continue;
		const unsigned counted = write_place(PA(BOOT) + offsetof(struct boot_params, log_written), (unsigned)from, NULL);
		unsigned last = 0;

		for (uint64_t b = line; b <= i; b++) {
			const unsigned at = write_place(PA(LOG) + b, (unsigned)from, NULL);

			assert_true(at < counted && at > last);
			last = at;
		}
		const unsigned raised = event_place(EVENT_IRQ_RAISE, EVENT_NO_QUEUE, REG_HOST_IRQ_STATUS_LOG, ANY, lines);
		assert_true(raised > counted);
		from = raised;
		line = i + 1;
		lines++;
	}
	assert_int_equal(lines, 4);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(order_of_a_record, board_setup),
		cmocka_unit_test_setup(timeline_gone, board_setup),
		cmocka_unit_test_setup(fault_ring_gone, board_setup),
		cmocka_unit_test(parameters_changed),
		cmocka_unit_test(counts_begin),
		cmocka_unit_test(order_of_a_line),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
