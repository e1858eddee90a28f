/* Whose turn it is, what the firmware serves between two turns and in which order, and what queues that wait for their turn show. */
#include "testbench/driver/queue_board.h"
#include "testbench/model/encode.h"

/* While a queue of a higher priority takes turn after turn: a packet that a block has executed and that was not the last of its command
 * leaves its queue waiting, one that was the last ends its command at once. */
static void what_needs_a_turn(void **state)
{
	(void)state;
	queue_up(0, 0, 0);
	queue_up(3, 0, 0);
	queue_up(KEEPER, 2, 0);
	memset(memory + DATA * 4096, 7, 4096 * 8);
	put(0, 0, packet_copy_1d(VA(DATA + 10), VA(DATA), 4096 * 8), 0, 0);
	put(0, 1, packet_copy_1d(VA(DATA + 20), VA(DATA), 64), 0, 0);
	put(0, 2, packet_nop(), LAST, 0);
	put(3, 0, packet_copy_1d(VA(DATA + 30), VA(DATA), 4096 * 8), LAST, 1);
	bell(0, 3);
	bell(3, 1);
	RUN_UNTIL(events_of(EVENT_DMA_START, EVENT_NO_QUEUE) == 2);
	keep_taking_turns();
	settle();
	const unsigned last = event_place(EVENT_PACKET_END, KEEPER, KEEPER_PACKETS - 1, ANY, 0);
	assert_true(event_place(EVENT_PACKET, KEEPER, 0, ANY, 0) < event_place(EVENT_DMA_END, 0, ANY, ANY, 0));
	/* the packets are over when the blocks are done, in the middle of the other queue's commands */
	assert_true(event_place(EVENT_PACKET_END, 0, 0, ANY, 0) < last);
	assert_true(event_place(EVENT_PACKET_END, 3, 0, ANY, 0) < last);
	assert_true(record(1)->end < record(120)->end);
	/* the next packet had to wait for its turn */
	assert_true(event_place(EVENT_PACKET, 0, 1, ANY, 0) > last);
	assert_int_equal(record(0)->status | record(1)->status, 0);
	assert_true(record(0)->end > record(120)->end);
	/* of two queues of one priority each has one turn after the other, command by command */
	for (unsigned q = 0; q < 4; q += 3)
		for (unsigned i = 0; i < 6; i++)
			put(q, desc(q)->read_index + i, packet_nop(), i % 2 ? PACKET_END : 0, 2 + q);
	keep_busy();
	const uint64_t from[4] = { desc(0)->read_index, 0, 0, desc(3)->read_index };
	bell(0, from[0] + 6);
	bell(3, from[3] + 6);
	settle();
	for (unsigned command = 0; command < 3; command++) {
		const unsigned a = event_place(EVENT_PACKET, 0, from[0] + 2 * command, ANY, 0), a_end = event_place(EVENT_PACKET_END, 0, from[0] + 2 * command + 1, ANY, 0);
		const unsigned b = event_place(EVENT_PACKET, 3, from[3] + 2 * command, ANY, 0), b_end = event_place(EVENT_PACKET_END, 3, from[3] + 2 * command + 1, ANY, 0);

		assert_true(a_end < b || b_end < a);
		if (command < 2) {
			assert_true(a_end < event_place(EVENT_PACKET, 3, from[3] + 2 * command + 2, ANY, 0));
			assert_true(b_end < event_place(EVENT_PACKET, 0, from[0] + 2 * command + 2, ANY, 0));
		}
	}
}

/* ---- what is served between two turns ---- */

/* A kernel behind those of the board: waits until the word at the first argument is not 0, then stores it at the second. */
static union packet launch_gated(unsigned pair)
{
	uint32_t *k = (uint32_t *)(memory + CODE * 4096) + KERNELS * 16;
	union packet p = launch(KERNEL_EXIT, pair);

	*k++ = enc_csrrs(A0, CSR_kernarg, 0);
	*k++ = enc_ld(A1, A0, 0);
	*k++ = enc_ld(A2, A0, 8);
	*k++ = enc_amo(0, 3, A3, A1, 0); /* amoadd of 0: memory itself */
	*k++ = enc_b(0, A3, 0, -4);
	*k++ = enc_sd(A3, A2, 0);
	*k = 0x100b;
	p.dispatch.entry = VA(CODE) + 64 * KERNELS;
	return p;
}

/* Two of each kind, but for what takes a unit of its own, come to pend during one long turn. */
static void order_of_service(void **state)
{
	enum { GATE = 5, HANGS = 5, STALLS = 4, RUNG = 12, ASKED = 13 };
	static const unsigned dispatches[2] = { 0, 8 }, transfers[2] = { 1, 9 }, waits[2] = { 2, 10 }, jobs[2] = { 3, 11 }, maps[2] = { 6, 7 };
	const uint64_t hole = VA(DATA + 90);
	unsigned place[12], n = 0;

	(void)state;
	fresh();
	boot()->watchdog = 90000;
	assert_int_equal(start(), FW_READY);
	board_map(1, hole, 0, 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	inject(INJECT_MEDIA_STALL, 1, jobs[0], 30000);
	for (unsigned q = 0; q < KEEPER; q++)
		queue_up(q, 1, q == STALLS);
	queue_up(KEEPER, 0, 0);
	*payload(GATE) = *payload(1) = 0;
	args(0)[0] = VA(PAYLOADS) + 8 * GATE, args(0)[1] = VA(DATA);
	args(1)[0] = VA(PAYLOADS) + 8 * GATE, args(1)[1] = hole;
	for (unsigned i = 0; i < 2; i++) {
		put(dispatches[i], 0, launch_gated(0), LAST, 0);
		union packet copy = packet_copy_1d(VA(DATA + 10 + 20 * i), VA(DATA), 4096 * 8);
		copy.copy.height = 4; /* over and over */
		put(transfers[i], 0, copy, LAST, 1);
		put(waits[i], 0, wait_for(payload_pa(1), 1, 0), LAST, 2);
		put(jobs[i], 0, (union packet){ .process = { .head.type = PACKET_CODE_process, .job = VA(DATA + 80) } }, LAST, 3);
	}
	put(STALLS, 0, launch_gated(1), LAST, 4);
	put(HANGS, 0, launch(KERNEL_SPIN, 0), LAST, 5);
	for (unsigned q = 0; q < RUNG; q++)
		if (q != maps[0] && q != maps[1])
			bell(q, 1);
	RUN_UNTIL(events_of(EVENT_PACKET, EVENT_NO_QUEUE) == 10);
	keep_busy();
	*payload(GATE) = 1;
	signal_payload(1, 1);
	control(ASKED, QUEUE_CTRL_SUSPEND);
	bell(RUNG, 9999);
	map(maps[1], 0);
	map(maps[0], 0);
	settle();
	const unsigned turn = event_place(EVENT_PACKET_END, KEEPER, KEEPER_PACKETS - 1, ANY, 0);
	for (unsigned i = 0; i < 2; i++)
		place[n++] = event_place(EVENT_PACKET_END, dispatches[i], 0, ANY, 0);
	for (unsigned i = 0; i < 2; i++)
		place[n++] = event_place(EVENT_PACKET_END, transfers[i], 0, ANY, 0);
	for (unsigned i = 0; i < 2; i++)
		place[n++] = event_place(EVENT_PACKET_END, waits[i], 0, ANY, 0);
	for (unsigned i = 0; i < 2; i++)
		place[n++] = event_place(EVENT_PACKET_END, jobs[i], 0, ANY, 0);
	place[n++] = event_place(EVENT_QUEUE_STATE, STALLS, QUEUE_FAULTED, ANY, 0);
	place[n++] = event_place(EVENT_DISPATCH_END, HANGS, ANY, FAULT_ABORTED, 0); /* by the watchdog */
	place[n++] = event_place(EVENT_QUEUE_STATE, maps[0], QUEUE_UNMAPPED, ANY, 0);
	place[n++] = event_place(EVENT_QUEUE_STATE, maps[1], QUEUE_UNMAPPED, ANY, 0);
	/* all of it pended at the end of the turn */
	assert_true(event_place(EVENT_DISPATCH_END, dispatches[1], ANY, ANY, 0) < turn);
	assert_true(event_place(EVENT_DMA_END, transfers[1], ANY, ANY, 0) < turn);
	assert_true(event_place(EVENT_MEDIA_END, jobs[1], ANY, ANY, 0) < turn);
	assert_true(record(120)->end > record(5)->start + 90000);
	assert_true(turn < place[0]);
	for (unsigned i = 1; i < n; i++)
		if (place[i - 1] >= place[i])
			fail_msg("%u is served after %u", i - 1, i);
	const unsigned rung = event_place(EVENT_QUEUE_STATE, RUNG, QUEUE_ERROR, ANY, 0), asked = event_place(EVENT_QUEUE_STATE, ASKED, QUEUE_SUSPENDED, ANY, 0);
	assert_true(place[n - 1] < rung && rung < asked);
	assert_int_equal(record(5)->status, -FAULT_WATCHDOG);
}

/* ---- what is shown meanwhile ---- */

static void shown_before_the_turn(void **state)
{
	enum { RUNG, PACKET, PARKED, RESUMED, RESET, FAULTED, ENDED, COUNT };
	static const unsigned expect[COUNT] = { QUEUE_IDLE, QUEUE_RUNNING, QUEUE_PARKED, QUEUE_SUSPENDED, QUEUE_SUSPENDED, QUEUE_FAULTED,
						QUEUE_RUNNING };
	const uint64_t hole = VA(DATA + 90);

	(void)state;
	*payload(0) = 0;
	board_map(1, hole, 0, 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	for (unsigned q = 0; q < COUNT; q++)
		queue_up(q, 0, q == FAULTED);
	queue_up(KEEPER, 2, 0);
	args(0)[0] = hole, args(0)[1] = 1;
	put(RUNG, 0, packet_nop(), LAST, RUNG);
	put(PACKET, 0, packet_copy_1d(VA(DATA + 10), VA(DATA), 4096 * 8), 0, PACKET);
	put(PACKET, 1, packet_nop(), LAST, PACKET);
	put(PARKED, 0, wait_for(payload_pa(0), 1, 0), 0, PARKED);
	put(PARKED, 1, packet_nop(), LAST, PARKED);
	for (unsigned q = RESUMED; q <= RESET; q++) {
		control(q, QUEUE_CTRL_SUSPEND);
		put(q, 0, packet_nop(), LAST, q);
	}
	put(FAULTED, 0, launch(KERNEL_STORE, 0), LAST, FAULTED);
	put(FAULTED, 1, packet_nop(), LAST, FAULTED);
	put(ENDED, 0, packet_copy_1d(VA(DATA + 20), VA(DATA), 4096 * 8), LAST, ENDED);
	put(ENDED, 1, packet_nop(), LAST, ENDED);
	bell(PARKED, 2);
	bell(FAULTED, 2);
	settle();
	bell(RESUMED, 1);
	bell(RESET, 1);
	settle();
	assert_int_equal(state_of(FAULTED), QUEUE_FAULTED);
	bell(PACKET, 2);
	bell(ENDED, 2);
	RUN_UNTIL(events_of(EVENT_DMA_START, EVENT_NO_QUEUE) == 2);
	keep_taking_turns();
	RUN_UNTIL(events_of(EVENT_PACKET_END, KEEPER) > 1);
	bell(RUNG, 1);
	signal_payload(0, 1);
	control(RESUMED, QUEUE_CTRL_RESUME);
	control(RESET, QUEUE_CTRL_RESET);
	control(FAULTED, QUEUE_CTRL_RESET);
	RUN_UNTIL(!requested(RESUMED) && !requested(RESET) && !requested(FAULTED) && events_of(EVENT_PACKET_END, PACKET) == 1 &&
		  events_of(EVENT_PACKET_END, PARKED) == 1 && events_of(EVENT_PACKET_END, ENDED) == 1);
	for (unsigned q = 0; q < COUNT; q++)
		if (state_of(q) != expect[q])
			fail_msg("queue %u shows %u, not %u", q, state_of(q), expect[q]);
	assert_true(events_of(EVENT_PACKET_END, KEEPER) < KEEPER_PACKETS); /* they were waiting all the time */
	settle();
	for (unsigned q = 0; q < COUNT; q++) {
		assert_int_equal(state_of(q), QUEUE_IDLE);
		assert_int_equal(record(q)->done, 1);
		assert_true(record(q)->end > record(120)->end);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_needs_a_turn, board_setup),
		cmocka_unit_test(order_of_service),
		cmocka_unit_test_setup(shown_before_the_turn, board_setup),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
