/* What tests of queues need beside the board: a firmware that is kept busy with one queue's packets, so that what is written meanwhile
 * pends together. */
#ifndef GALENA_TESTBENCH_DRIVER_QUEUE_BOARD_H
#define GALENA_TESTBENCH_DRIVER_QUEUE_BOARD_H
#include "testbench/driver/board.h"

enum { KEEPER = 15, KEEPER_PACKETS = 250 };

/* Queue 15 executes one command of many packets in one turn, which is only finished when nothing else has had one for some hundred
 * thousand cycles. Returns when the turn has begun. */
__attribute__((unused)) static void keep_busy(void)
{
	unsigned before = events_of(EVENT_PACKET, KEEPER);

	if (state_of(KEEPER) == QUEUE_UNMAPPED)
		queue_up(KEEPER, 2, 0);
	const uint64_t from = desc(KEEPER)->read_index;
	for (unsigned i = 0; i < KEEPER_PACKETS; i++)
		put(KEEPER, from + i, packet_nop(), i + 1 == KEEPER_PACKETS ? PACKET_END : 0, 120);
	bell(KEEPER, from + KEEPER_PACKETS);
	RUN_UNTIL(events_of(EVENT_PACKET, KEEPER) > before + 2);
}

/* Queue 15, of the highest priority, executes command after command, with a turn for each. */
__attribute__((unused)) static void keep_taking_turns(void)
{
	if (state_of(KEEPER) == QUEUE_UNMAPPED)
		queue_up(KEEPER, 2, 0);
	const uint64_t from = desc(KEEPER)->read_index;
	for (unsigned i = 0; i < KEEPER_PACKETS; i++)
		put(KEEPER, from + i, packet_nop(), PACKET_END, 120);
	bell(KEEPER, from + KEEPER_PACKETS);
}

/* Place of the n-th event of a kind and queue, from 0 on, among all that were kept; with a and b, where they are not ANY. */
#define ANY UINT64_MAX
__attribute__((unused)) static unsigned event_place(enum event_kind kind, unsigned queue, uint64_t a, uint64_t b, unsigned n)
{
	for (unsigned i = 0; i < events_count(); i++) {
		const struct event *e = events_at(i);

		if (e->kind == kind && e->queue == queue && (a == ANY || e->a == a) && (b == ANY || e->b == b) && !n--)
			return i;
	}
	fail_msg("no %s of queue %u", event_row(kind)->text, queue);
	return 0;
}

#endif
