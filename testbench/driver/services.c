/* What the firmware offers beside the control of queues: semaphores and waits of the host, address spaces,
 * protected jobs, reset and loss of the whole device, packets that observers see. */
#include "testbench/driver/board.h"

static union packet binary_wait(unsigned i)
{
	union packet p = wait_for(payload_pa(i), 0, 0);
	p.sem_wait.mode = 1;
	return p;
}

/* ---- semaphores ---- */
/* Of several that wait for one binary semaphore, each signal lets one go on: the lowest queue. */
static void binary_semaphores(void **state)
{
	(void)state;
	static const unsigned queues[4] = { 9, 2, 14, 5 }, order[4] = { 2, 5, 9, 14 };
	*payload(0) = 0;
	for (unsigned i = 0; i < 4; i++) {
		queue_up(queues[i], 1, 0);
		put(queues[i], 0, binary_wait(0), 0, 0);
		put(queues[i], 1, packet_nop(), LAST, queues[i]);
		bell(queues[i], 2);
		settle();
		assert_int_equal(state_of(queues[i]), QUEUE_PARKED);
	}
	for (unsigned i = 0; i < 4; i++) {
		signal_payload(0, 3 + i);
		settle();
		assert_int_equal(*payload(0), 0);
		for (unsigned k = 0; k < 4; k++)
			assert_int_equal(record(order[k])->done, k <= i);
	}
	/* signalled first: who comes takes it */
	signal_payload(0, 1);
	assert_int_equal(*payload(0), 1);
	put(2, 2, binary_wait(0), 0, 0);
	put(2, 3, packet_nop(), LAST, 2);
	bell(2, 4);
	settle();
	assert_int_equal(record(2)->done, 1);
	assert_int_equal(*payload(0), 0);
	/* a queue's own signal, and a queue that is given away while it waits: the signal is for another */
	put(2, 4, binary_wait(0), 0, 0);
	put(2, 5, packet_nop(), LAST, 2);
	bell(2, 6);
	settle();
	map(2, 0);
	put(5, 2, (union packet){ .sem_signal = { .head.type = PACKET_CODE_sem_signal, .semaphore = payload_pa(0),
						  .value = 1 } }, LAST, 5);
	bell(5, 3);
	settle();
	assert_int_equal(record(2)->done, 0);
	assert_int_equal(*payload(0), 1);
	map(2, desc_pa(2));
	bell(2, 6);
	settle();
	assert_int_equal(record(2)->done, 1);
	assert_int_equal(*payload(0), 0);
	/* no such mode */
	union packet p = binary_wait(0);
	p.sem_wait.mode = 2;
	put(2, 6, p, LAST, 2);
	bell(2, 7);
	settle();
	assert_int_equal(record(2)->status, -FAULT_BAD_PACKET);
}

/* The host waits by interrupt, several slots at once. */
static void host_waits(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		*payload(i) = 0;
		bus_write64(bus, REG_HOST_HOST_WAIT_VALUE + 8 * i, 10);
		bus_write64(bus, REG_HOST_HOST_WAIT + 8 * i, payload_pa(i / 2));
	}
	assert_int_equal(settle(), 0);
	queue_up(0, 1, 0);
	put(0, 0, (union packet){ .sem_signal = { .head.type = PACKET_CODE_sem_signal, .semaphore = payload_pa(3),
						  .value = 10 } }, PACKET_END, 0);
	bell(0, 1);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 0xc0);
	assert_int_equal(bus_read64(bus, REG_HOST_HOST_WAIT + 8 * 6), 0);
	assert_int_equal(bus_read64(bus, REG_HOST_HOST_WAIT + 8 * 5), payload_pa(2));
	bus_write32(bus, REG_HOST_HOST_WOKEN, 0x40);
	assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 0x80);
	bus_write32(bus, REG_HOST_HOST_WOKEN, 0x80);
	signal_payload(0, 9);
	assert_int_equal(settle(), 0);
	bus_write64(bus, REG_HOST_HOST_WAIT, 0); /* disarmed */
	signal_payload(0, 11);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 2);
	bus_write32(bus, REG_HOST_HOST_WOKEN, 2);
	/* reached already; not there; misaligned: over at once */
	static const uint64_t bad[] = { 0, PA(HOLES), 4, UINT64_MAX, 0x1000 };
	for (unsigned i = 0; i < 5; i++) {
		bus_write64(bus, REG_HOST_HOST_WAIT + 8 * 15, i ? bad[i] : payload_pa(0));
		assert_int_equal(settle(), REG_HOST_IRQ_STATUS_SEM);
		assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 0x8000);
		assert_int_equal(bus_read64(bus, REG_HOST_HOST_WAIT + 8 * 15), 0);
		bus_write32(bus, REG_HOST_HOST_WOKEN, 0x8000);
	}
	assert_int_equal(events_of(EVENT_SEM_WAIT, EVENT_HOST_WAIT + 15), 6);
	assert_int_equal(events_of(EVENT_SEM_WAKE, EVENT_HOST_WAIT + 15), 5);
}

/* ---- many queues ---- */
/* Sixteen queues of sixteen address spaces: the same addresses, each its own bytes. */
static void sixteen_spaces(void **state)
{
	(void)state;
	const uint64_t at = VA(DATA + 50);
	for (unsigned n = 0; n < 16; n++) {
		uint16_t asid = (uint16_t)(100 + n);
		board_map(asid, VA(CODE), PA(CODE), BOARD_PTE);
		board_map(asid, VA(ARGS), PA(ARGS), BOARD_PTE);
		board_map(asid, at, PA(DATA + n), BOARD_PTE);
	}
	*payload(0) = 0;
	for (unsigned n = 0; n < 16; n++) {
		desc_fill(n, n % 3);
		desc(n)->asid = 100 + n;
		map(n, desc_pa(n));
		args(n)[0] = at, args(n)[1] = 0x1000 + n;
		ring(n)[0] = wait_for(payload_pa(0), 1, 0);
		ring(n)[1] = launch(KERNEL_STORE, n);
		put(n, 2, packet_copy_1d(at + 8, at, 8), LAST, n);
		bell(n, 3);
	}
	settle();
	signal_payload(0, 1);
	settle();
	for (unsigned n = 0; n < 16; n++) {
		const uint64_t *words = (const uint64_t *)(memory + (DATA + n) * 4096);
		assert_int_equal(record(n)->status, 0);
		assert_int_equal(words[0], 0x1000 + n);
		assert_int_equal(words[1], 0x1000 + n);
		assert_int_equal(words[2], 0);
	}
}

/* The flag of a packet makes its job a protected one, and no other: not the next of its queue, not the
 * command processor's own accesses. */
static void protected_jobs(void **state)
{
	(void)state;
	const uint64_t inside = VA(PAGES), outside = VA(PAGES + 1), pa = DRAM_BASE + 0x20000;
	static const struct { bool flag; unsigned from, to; int status; } cases[] = {
		{ false, 2, 1, 0 },                /* system memory to DRAM that is not protected */
		{ false, 1, 0, -FAULT_PROTECTED }, /* into the region */
		{ true, 1, 0, 0 },
		{ true, 0, 0, 0 },
		{ true, 0, 1, -FAULT_PROTECTED },  /* out of it */
		{ true, 0, 2, -FAULT_PROTECTED },
		{ false, 0, 2, -FAULT_PROTECTED },
		{ false, 1, 2, 0 },
	};
	const uint64_t place[3] = { inside, outside, VA(DATA) };
	board_map(1, inside, pa, BOARD_PTE);
	board_map(1, outside, pa + 4096, BOARD_PTE);
	bus_write64(bus, REG_HOST_PROT_BASE, pa);
	bus_write64(bus, REG_HOST_PROT_LIMIT, pa + 4096);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	queue_up(0, 1, 0);
	unsigned refused = 0;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned to = cases[i].to;
		put(0, i, packet_copy_1d(place[to] + 64 * (to == cases[i].from), place[cases[i].from], 32),
		    LAST | (cases[i].flag ? PACKET_PROTECTED : 0), 0);
		bell(0, i + 1);
		settle();
		assert_int_equal(record(0)->done, 1);
		if (record(0)->status != cases[i].status)
			fail_msg("case %u: status %d", i, record(0)->status);
		refused += cases[i].status != 0;
		assert_int_equal(boot()->faults_written, refused);
	}
	/* a semaphore and a record in the region are not there for the command processor */
	unsigned at = sizeof cases / sizeof cases[0];
	put(0, at, wait_for(pa, 0, 0), LAST, 0);
	*payload(0) = 1;
	put(0, at + 1, wait_for(payload_pa(0), 1, pa), LAST, 1);
	bell(0, at + 2);
	settle();
	assert_int_equal(record(0)->status, -FAULT_PROTECTED);
	assert_int_equal(record(1)->status, -FAULT_BUS_ERROR);
	assert_true(bus_read64(bus, REG_HOST_CNT_PROT_FAULTS) >= refused + 2);
	put(0, at + 2, packet_nop(), LAST, 2);
	bell(0, at + 3);
	settle();
	assert_int_equal(record(2)->status, 0);
	assert_int_equal(record(2)->done, 1);
}

/* ---- the whole device ---- */
/* A reset in the middle of everything; then it boots and works as if nothing had been. */
static void full_reset(void **state)
{
	(void)state;
	for (unsigned when = 0; when < 12; when++) {
		*payload(0) = 0;
		for (unsigned n = 0; n < 4; n++)
			queue_up(n, 1, n & 1);
		board_map(1, VA(DATA + 90), 0, 0);
		bus_write32(bus, REG_HOST_TLB_INV, 0);
		put(0, 0, launch(KERNEL_SPIN, 0), LAST, 0);
		put(1, 0, packet_copy_1d(VA(DATA + 91), VA(DATA), 90 * 4096), LAST, 1);
		put(2, 0, wait_for(payload_pa(0), 1, 0), LAST, 2);
		args(0)[0] = VA(DATA + 90);
		put(3, 0, launch(KERNEL_STORE, 0), LAST, 3);
		bus_write64(bus, REG_HOST_HOST_WAIT_VALUE, 1);
		bus_write64(bus, REG_HOST_HOST_WAIT, payload_pa(0));
		inject(INJECT_DOORBELL_LATE, 1, 5, 1000000);
		bell(5, 1);
		for (unsigned n = 0; n < 4; n++)
			bell(n, 1);
		bus_wait_irq(bus, when * when * 100);
		if (when % 2)
			control(0, QUEUE_CTRL_RESET);
		uint64_t at = bus_cycle(bus);
		again();
		assert_true(bus_cycle(bus) > at);
		assert_int_equal(bus_read32(bus, REG_HOST_STATUS), 0);
		assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 0);
		assert_int_equal(bus_read32(bus, REG_HOST_INJECTED), 0);
		for (unsigned n = 0; n < 16; n++)
			assert_int_equal(state_of(n) | requested(n), 0);
		assert_int_equal(settle(), 0);
		assert_int_equal(start(), FW_READY);
		signal_payload(0, 1);
		assert_int_equal(settle(), 0); /* nobody waits any more */
		queue_up(0, 1, 0);
		args(0)[0] = VA(DATA), args(0)[1] = 1000 + when;
		put(0, 0, launch(KERNEL_STORE, 0), 0, 0);
		put(0, 1, packet_copy_1d(VA(DATA) + 8, VA(DATA), 8), LAST, 0);
		bell(0, 2);
		assert_int_equal(settle(), REG_HOST_IRQ_STATUS_COMPLETE);
		assert_int_equal(record(0)->status, 0);
		assert_int_equal(*(uint64_t *)(memory + DATA * 4096 + 8), 1000 + when);
		map(0, 0);
		settle();
	}
}

/* Lost by a crash: nothing runs, nothing is heard, until it is reset. */
static void lost_until_reset(void **state)
{
	(void)state;
	queue_up(0, 1, 0);
	queue_up(1, 1, 0);
	put(1, 0, packet_copy_1d(VA(DATA + 100), VA(DATA), 90 * 4096), LAST, 1);
	bell(1, 1);
	hang(0, 0, 0);
	bus_write64(bus, REG_HOST_HOST_WAIT_VALUE, 1);
	bus_write64(bus, REG_HOST_HOST_WAIT, payload_pa(5));
	inject(INJECT_CP_CRASH, 1, 0xffff, 2000);
	RUN_UNTIL(bus_read32(bus, REG_HOST_STATUS) & REG_HOST_STATUS_LOST);
	uint32_t came = settle();
	assert_true(came & REG_HOST_IRQ_STATUS_CRASH);
	assert_true(came & REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 1);
	bus_write32(bus, REG_HOST_HOST_WOKEN, 1);
	assert_int_equal(bus_read32(bus, REG_HOST_STATUS), REG_HOST_STATUS_LOST | REG_HOST_STATUS_CP_CRASHED);
	assert_int_equal(record(0)->done, 0);
	unsigned before = events_of(EVENT_DISPATCH, EVENT_NO_QUEUE);
	for (unsigned n = 0; n < 2; n++)
		bell(n, 3);
	map(2, desc_pa(1));
	control(0, QUEUE_CTRL_RESET);
	signal_payload(6, 1);
	bus_write32(bus, REG_HOST_CTRL, 0);
	bus_write32(bus, REG_HOST_CTRL, REG_HOST_CTRL_CP_RUN);
	assert_int_equal(settle(), 0);
	assert_int_equal(*payload(6), 0);
	assert_int_equal(events_of(EVENT_DISPATCH, EVENT_NO_QUEUE), before);
	assert_true(bus_read32(bus, REG_HOST_STATUS) & REG_HOST_STATUS_LOST);
	bus_write64(bus, REG_HOST_HOST_WAIT, payload_pa(5)); /* who waits now is told */
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(events_of(EVENT_LOST, EVENT_NO_QUEUE), 1);
	again();
	assert_int_equal(start(), FW_READY);
	queue_up(0, 1, 0);
	put(0, 0, launch(KERNEL_EXIT, 0), LAST, 0);
	bell(0, 1);
	settle();
	assert_int_equal(record(0)->status, 0);
	assert_int_equal(record(0)->done, 1);
}

/* Observers see every packet begin and end, with what became of it. */
static void packets_are_shown(void **state)
{
	(void)state;
	queue_up(6, 1, 0);
	put(6, 0, packet_nop(), 0, 0);
	put(6, 1, (union packet){ .head.type = 200 }, 0, 0);
	put(6, 2, launch(KERNEL_EXIT, 0), LAST, 0);
	put(6, 3, packet_copy_1d(VA(DATA), VA(DATA + 1), 8), LAST, 0);
	bell(6, 4);
	settle();
	static const struct { unsigned type, flags, status; } shown[4] = {
		{ PACKET_CODE_nop, 0, 0 }, { 200, 0, FAULT_BAD_PACKET }, { PACKET_CODE_dispatch, LAST, FAULT_BAD_PACKET },
		{ PACKET_CODE_copy, LAST, 0 },
	};
	unsigned begun = 0, ended = 0;
	for (unsigned i = 0; i < events_count(); i++) {
		const struct event *e = events_at(i);
		if (e->queue != 6 || (e->kind != EVENT_PACKET && e->kind != EVENT_PACKET_END))
			continue;
		assert_int_equal(e->asid, 1);
		unsigned at = e->kind == EVENT_PACKET ? begun++ : ended++;
		assert_in_range(at, 0, 3);
		assert_int_equal(e->a, at);
		assert_int_equal(e->b, e->kind == EVENT_PACKET ? shown[at].type : shown[at].status);
		assert_int_equal(e->c, shown[at].flags);
		assert_in_range(begun - ended, 0, 1);
	}
	assert_int_equal(begun, 4);
	assert_int_equal(ended, 4);
	assert_int_equal(events_of(EVENT_DOORBELL, 6), 1);
	assert_true(events_of(EVENT_QUEUE_STATE, 6) >= 3);
	assert_int_equal(events_of(EVENT_FW_STATE, EVENT_NO_QUEUE), 1);
	assert_true(events_of(EVENT_IRQ_RAISE, EVENT_NO_QUEUE) >= 3);
	assert_true(events_of(EVENT_MMIO_READ, EVENT_NO_QUEUE) && events_of(EVENT_MMIO_WRITE, EVENT_NO_QUEUE));
	assert_true(events_of(EVENT_CP_STATE, EVENT_NO_QUEUE) >= 4);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(binary_semaphores, board_setup),
		cmocka_unit_test_setup(host_waits, board_setup),
		cmocka_unit_test_setup(sixteen_spaces, board_setup),
		cmocka_unit_test_setup(protected_jobs, board_setup),
		cmocka_unit_test_setup(full_reset, board_setup),
		cmocka_unit_test_setup(lost_until_reset, board_setup),
		cmocka_unit_test_setup(packets_are_shown, board_setup),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
