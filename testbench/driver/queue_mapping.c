/* Doorbells and descriptors that come at the same time as something else: with another one, with work in progress, with a request. */
#include "testbench/driver/queue_board.h"

/* Several doorbells before the firmware looks count as the last one, whether that is accepted or not. */
static void doorbells_together(void **state)
{
	(void)state;
	queue_up(0, 1, 0);
	for (unsigned i = 0; i < 3; i++)
		put(0, i, packet_nop(), LAST, i);
	keep_busy();
	bell(0, 1);
	bell(0, 2);
	settle();
	assert_int_equal(record(0)->done & record(1)->done, 1);
	assert_int_equal(record(2)->done, 0);
	assert_int_equal(desc(0)->read_index, 2);
	keep_busy();
	bell(0, 3);
	bell(0, 2 + 257);
	settle();
	assert_int_equal(state_of(0), QUEUE_ERROR);
	assert_int_equal(boot()->faults_written, 1);
	assert_int_equal(last_fault()->code, FAULT_QUEUE);
	assert_int_equal(last_fault()->address, 2 + 257);
	assert_int_equal(record(2)->done, 0);
	assert_int_equal(events_of(EVENT_PACKET, 0), 2);
	/* and the other way round: what was too far ahead is not seen */
	queue_up(1, 1, 0);
	put(1, 0, packet_nop(), LAST, 3);
	keep_busy();
	bell(1, 1000);
	bell(1, 1);
	settle();
	assert_int_equal(record(3)->done, 1);
	assert_int_equal(boot()->faults_written, 1);
}

/* A doorbell that is not accepted, of a queue that works, with a suspend pending. */
static void error_at_work(void **state)
{
	(void)state;
	queue_up(0, 1, 0);
	hang(0, 0, 0);
	control(0, QUEUE_CTRL_SUSPEND);
	bus_wait_irq(bus, 5000);
	assert_int_equal(requested(0), QUEUE_CTRL_SUSPEND);
	desc(0)->read_index = 77; /* to see what is written back */
	bell(0, 258);
	assert_true(settle() & REG_HOST_IRQ_STATUS_QUEUE);
	assert_int_equal(state_of(0), QUEUE_ERROR);
	assert_int_equal(requested(0), 0);
	assert_false(device_busy());
	assert_int_equal(boot()->faults_written, 1);
	assert_int_equal(last_fault()->code, FAULT_QUEUE);
	assert_int_equal(last_fault()->address, 258);
	assert_int_equal(record(0)->done, 0);
	assert_int_equal(desc(0)->read_index, 77);
	assert_int_equal(timeline(0), 0);
	/* the slot works again for the queue that is mapped next */
	desc_fill(0, 1);
	map(0, desc_pa(0));
	put(0, 0, launch(KERNEL_EXIT, 0), LAST, 0);
	bell(0, 1);
	settle();
	assert_int_equal(record(0)->status, 0);
	assert_int_equal(record(0)->done, 1);
}

/* The same of a queue that is parked at a binary semaphore, with a suspend that has been done: the wait is given up. */
static void error_parked(void **state)
{
	(void)state;
	union packet p = wait_for(payload_pa(0), 0, 0);
	p.sem_wait.mode = 1;
	*payload(0) = 0;
	queue_up(0, 1, 0);
	put(0, 0, p, LAST, 0);
	bell(0, 1);
	settle();
	control(0, QUEUE_CTRL_SUSPEND);
	settle();
	desc(0)->read_index = 77;
	keep_busy();
	bell(0, 258);
	control(0, QUEUE_CTRL_RESUME); /* pends with it */
	settle();
	assert_int_equal(state_of(0), QUEUE_ERROR);
	assert_int_equal(requested(0), 0);
	assert_int_equal(record(0)->done, 0);
	assert_int_equal(desc(0)->read_index, 77);
	assert_int_equal(boot()->faults_written, 1);
	signal_payload(0, 1);
	settle();
	assert_int_equal(*payload(0), 1);
	assert_int_equal(state_of(0), QUEUE_ERROR);
}

/* A descriptor is read when QUEUE_DESC is written, and not again before it is written again. */
static void descriptor_changed(void **state)
{
	(void)state;
	enum { OTHER_RING = RINGS + 4 * 7 };
	queue_up(0, 1, 0);
	args(0)[0] = VA(DATA), args(0)[1] = 1;
	args(1)[0] = VA(DATA), args(1)[1] = 2;
	put(0, 0, launch(KERNEL_STORE, 0), LAST, 0);
	ring(7)[0] = packet_nop();
	((union packet *)(memory + OTHER_RING * 4096))[1] = launch(KERNEL_STORE, 1);
	((union packet *)(memory + OTHER_RING * 4096))[1].head.flags = LAST;
	((union packet *)(memory + OTHER_RING * 4096))[1].head.completion = record_pa(2);
	desc(0)->ring = PA(OTHER_RING);
	desc(0)->ring_size = 2;
	desc(0)->priority = 99;
	desc(0)->asid = 0;
	desc(0)->flags = 6;
	desc(0)->timeline = payload_pa(TIMELINES + 8);
	bell(0, 1);
	settle();
	assert_int_equal(record(0)->status, 0);
	assert_int_equal(record(0)->done, 1);
	assert_int_equal(*(uint64_t *)(memory + DATA * 4096), 1);
	assert_int_equal(timeline(0), 1);
	assert_int_equal(timeline(8), 0);
	/* the same address again: now it is what it says, and not valid */
	map(0, desc_pa(0));
	settle();
	assert_int_equal(state_of(0), QUEUE_ERROR);
	desc(0)->priority = 2;
	desc(0)->asid = 1;
	desc(0)->flags = 0;
	map(0, desc_pa(0));
	bell(0, 2);
	settle();
	assert_int_equal(record(2)->done, 1);
	assert_int_equal(record(1)->done, 0);
	assert_int_equal(*(uint64_t *)(memory + DATA * 4096), 2);
	assert_int_equal(timeline(8), 1);
	assert_int_equal(desc(0)->read_index, 2);
}

/* Mapped over the first packet of a command whose last one is not there yet: it is saved as a command that has failed. */
static void mapped_within_a_command(void **state)
{
	(void)state;
	queue_up(0, 1, 0);
	desc_fill(1, 1);
	put(0, 0, launch(KERNEL_SPIN, 0), 0, 0);
	bell(0, 1);
	RUN_UNTIL(device_busy());
	const uint64_t begun = bus_cycle(bus);
	map(0, desc_pa(1));
	settle();
	assert_int_equal(state_of(0), QUEUE_IDLE);
	assert_int_equal(desc(0)->read_index, 1);
	assert_int_equal(desc(0)->failed, FAULT_ABORTED);
	assert_in_range(desc(0)->submit, 1, begun);
	assert_in_range(desc(0)->start, desc(0)->submit, begun);
	assert_int_equal(boot()->faults_written, 1);
	assert_int_equal(timeline(0), 0);
	/* the new queue is in the slot; the old one goes on in another, and its command ends */
	put(1, 0, packet_nop(), LAST, 1);
	bell(0, 1);
	settle();
	assert_int_equal(record(1)->done, 1);
	args(0)[0] = VA(DATA), args(0)[1] = 1;
	put(0, 1, launch(KERNEL_STORE, 0), LAST, 0);
	map(9, desc_pa(0));
	bell(9, 2);
	settle();
	assert_int_equal(record(0)->done, 1);
	assert_int_equal(record(0)->status, -FAULT_ABORTED);
	assert_true(record(0)->submit < begun);
	assert_int_equal(*(uint64_t *)(memory + DATA * 4096), 0);
	assert_int_equal(boot()->faults_written, 1);
}

/* One command of a kernel that ends by itself, and `more` nops; QUEUE_DESC is written in the cycle `at` after the doorbell. Returns the
 * code with which the dispatch ended. */
static unsigned mapped_at(unsigned more, uint64_t at)
{
	fresh();
	assert_int_equal(start(), FW_READY);
	queue_up(0, 1, 0);
	args(0)[0] = VA(DATA), args(0)[1] = VA(DATA) + 8;
	put(0, 0, launch(KERNEL_LOAD, 0), more ? 0 : LAST, 0);
	for (unsigned i = 1; i <= more; i++)
		put(0, i, packet_nop(), i == more ? LAST : 0, 0);
	bell(0, 1 + more);
	bus_write32(bus, REG_HOST_IRQ_ENABLE, 0);
	bus_wait_irq(bus, at);
	map(0, 0);
	bus_write32(bus, REG_HOST_IRQ_ENABLE, 0xff);
	settle();
	return (unsigned)events_at(event_place(EVENT_DISPATCH_END, 0, ANY, ANY, 0))->b;
}

/* Where the packet has ended well before it could be aborted, its command ends well if it was the last, and with ABORTED if not. */
static void mapped_at_the_end(void **state)
{
	unsigned well = 0, aborted = 0, well_and_failed = 0, saved = 0;
	uint64_t end, rung;

	(void)state;
	mapped_at(0, 30000);
	end = events_at(event_place(EVENT_DISPATCH_END, 0, ANY, ANY, 0))->cycle;
	rung = events_at(event_place(EVENT_DOORBELL, 0, ANY, ANY, 0))->cycle;
	for (uint64_t at = end - rung - 250; at < end - rung + 100; at += 5) {
		unsigned code = mapped_at(0, at);

		assert_int_equal(state_of(0), QUEUE_UNMAPPED);
		assert_int_equal(record(0)->done, 1);
		assert_int_equal(record(0)->status, -(int)code);
		assert_int_equal(desc(0)->read_index, 1);
		well += code == FAULT_NONE;
		aborted += code == FAULT_ABORTED;

		code = mapped_at(1, at);
		assert_int_equal(state_of(0), QUEUE_UNMAPPED);
		if (!record(0)->done) { /* the packet was over when the descriptor was looked at */
			saved++;
			assert_int_equal(code, FAULT_NONE);
			assert_int_equal(desc(0)->read_index, 1);
			assert_int_equal(desc(0)->failed, 0);
			assert_int_not_equal(desc(0)->submit, 0);
			continue;
		}
		assert_int_equal(desc(0)->read_index, 2);
		assert_true(record(0)->status == 0 || record(0)->status == -FAULT_ABORTED);
		assert_int_equal(boot()->faults_written, record(0)->status != 0);
		if (code)
			assert_int_equal(record(0)->status, -FAULT_ABORTED);
		well_and_failed += !code && record(0)->status;
	}
	printf("# %u ended well, %u aborted; %u well and failed, %u saved\n", well, aborted, well_and_failed, saved);
	assert_true(well && aborted && well_and_failed);
}

/* A doorbell, and at once another queue in its slot: dropped, or for the new one, and never for the old one. */
static void rung_and_mapped(void **state)
{
	unsigned dropped = 0, served = 0;

	(void)state;
	queue_up(KEEPER, 2, 0);
	for (unsigned i = 0; i < 12; i++) {
		queue_up(0, 1, 0);
		desc_fill(1, 1);
		*payload(TIMELINES + 1) = 0;
		for (unsigned k = 0; k < 2; k++) {
			put(0, k, packet_nop(), LAST, k);
			put(1, k, packet_nop(), LAST, 2 + k);
		}
		keep_busy();
		bell(0, 2);
		bus_wait_irq(bus, 50 * i);
		map(0, desc_pa(1));
		settle();
		assert_int_equal(record(0)->done | record(1)->done, 0);
		assert_int_equal(record(2)->done, record(3)->done);
		assert_int_equal(desc(0)->read_index, 0);
		assert_int_equal(state_of(0), QUEUE_IDLE);
		assert_int_equal(timeline(1), record(2)->done ? 2 : 0);
		dropped += !record(2)->done;
		served += record(2)->done;
		bell(0, 0);
		map(0, 0);
		settle();
	}
	assert_int_equal(dropped + served, 12);
	/* with 0 written first it is dropped for certain */
	queue_up(0, 1, 0);
	put(0, 0, packet_nop(), LAST, 0);
	put(1, 0, packet_nop(), LAST, 1);
	desc_fill(1, 1);
	keep_busy();
	bell(0, 1);
	bell(0, 0);
	map(0, desc_pa(1));
	settle();
	assert_int_equal(record(0)->done | record(1)->done, 0);
}

/* A suspend of a busy queue is over when another is mapped: it is told, and the new one is not suspended. */
static void requests_and_mapping(void **state)
{
	(void)state;
	queue_up(0, 1, 0);
	desc_fill(1, 1);
	hang(0, 0, 0);
	control(0, QUEUE_CTRL_SUSPEND);
	bus_wait_irq(bus, 5000);
	assert_int_equal(requested(0), QUEUE_CTRL_SUSPEND);
	bus_write32(bus, REG_HOST_IRQ_STATUS, 0xff);
	map(0, desc_pa(1));
	assert_true(settle() & REG_HOST_IRQ_STATUS_QUEUE);
	assert_int_equal(requested(0), 0);
	assert_int_equal(state_of(0), QUEUE_IDLE);
	put(1, 0, packet_nop(), LAST, 1);
	bell(0, 1);
	settle();
	assert_int_equal(record(0)->status, -FAULT_ABORTED);
	assert_int_equal(record(1)->done, 1);
	/* one that the firmware has not seen yet is for the new queue */
	queue_up(2, 1, 0);
	desc_fill(3, 1);
	keep_busy();
	control(2, QUEUE_CTRL_SUSPEND);
	map(2, desc_pa(3));
	assert_true(settle() & REG_HOST_IRQ_STATUS_QUEUE);
	assert_int_equal(requested(2), 0);
	assert_int_equal(state_of(2), QUEUE_SUSPENDED);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(doorbells_together, board_setup),
		cmocka_unit_test_setup(error_at_work, board_setup),
		cmocka_unit_test_setup(error_parked, board_setup),
		cmocka_unit_test_setup(descriptor_changed, board_setup),
		cmocka_unit_test_setup(mapped_within_a_command, board_setup),
		cmocka_unit_test(mapped_at_the_end),
		cmocka_unit_test_setup(rung_and_mapped, board_setup),
		cmocka_unit_test_setup(requests_and_mapping, board_setup),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
