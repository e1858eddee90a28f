/* The comparison of two sides, by events that are made up: what is no difference, what is one, and how it is said. */
#include "abi/codes.h"
#include "abi/packets.h"
#include "lockstep/lockstep.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { ADD = 0x00b50533 /* add a0, a0, a1 */, QUEUE = 3 };
static struct lockstep *l;

static int setup(void **state)
{
	(void)state;
	l = lockstep_create();
	return l == NULL;
}

static int teardown(void **state)
{
	(void)state;
	lockstep_destroy(l);
	return 0;
}

static void send(unsigned side, enum event_kind kind, unsigned unit, uint64_t a, uint64_t b, uint64_t c)
{
	static uint64_t cycle;
	struct event_sink *s = lockstep_side(l, side);
	s->event(s, &(struct event){ .cycle = ++cycle, .kind = (uint16_t)kind, .unit = (uint16_t)unit, .queue = QUEUE, .a = a, .b = b, .c = c });
}

static void dispatch(unsigned side) { send(side, EVENT_DISPATCH, UNIT_CU, 0x1000, 2, 0); }
static void warp(unsigned side, unsigned cu, unsigned slot, uint64_t group, uint32_t number) { send(side, EVENT_WARP, UNIT_CU + cu, slot, group, number); }
static void warp_end(unsigned side, unsigned cu, unsigned slot, uint64_t retired) { send(side, EVENT_WARP_END, UNIT_CU + cu, slot, retired, 0); }

/* Two lanes of a warp add. */
static void retire(unsigned side, unsigned cu, unsigned slot, uint64_t pc, uint64_t lane0, uint64_t lane1)
{
	struct event_sink *s = lockstep_side(l, side);
	s->lanes(s, &(struct event){ .cycle = 7, .kind = EVENT_RETIRE, .unit = (uint16_t)(UNIT_CU + cu), .queue = QUEUE, .a = pc, .b = ADD | 0x9ull << 32, .c = slot },
		 (uint64_t[]){ lane0, lane1 }, 2);
}

static char *printed(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	lockstep_print(l, f);
	fclose(f);
	return text;
}

/* Unit, slot, cycle and the order of warps are the schedule's. */
static void schedules_are_no_difference(void **state)
{
	(void)state;
	dispatch(0);
	dispatch(1);
	warp(0, 0, 0, 5, 0);
	warp(0, 0, 1, 5, 1);
	retire(0, 0, 0, 0x1000, 1, 2);
	retire(0, 0, 1, 0x1000, 3, 4);
	retire(0, 0, 0, 0x1004, 5, 6);
	warp(1, 2, 7, 5, 1);
	retire(1, 2, 7, 0x1000, 3, 4);
	warp_end(1, 2, 7, 1);
	warp(1, 2, 7, 5, 0); /* the slot again */
	retire(1, 2, 7, 0x1000, 1, 2);
	retire(1, 2, 7, 0x1004, 5, 6);
	warp_end(0, 0, 1, 1);
	warp_end(0, 0, 0, 2);
	warp_end(1, 2, 7, 2);
	assert_null(lockstep_mismatch(l));
	assert_int_equal(lockstep_digest(l, 0), lockstep_digest(l, 1));
	assert_true(lockstep_settled(l));
	assert_int_equal(lockstep_instructions(l), 3);
	assert_int_equal(lockstep_digest(l, 0), lockstep_digest(l, 1));
}

static void a_result_of_a_lane(void **state)
{
	(void)state;
	for (unsigned side = 0; side < 2; side++) {
		dispatch(side);
		warp(side, side, 4, 9, 2);
		retire(side, side, 4, 0x2000, 1, 2);
		retire(side, side, 4, 0x2004, 3, side ? 0x44 : 4);
		retire(side, side, 4, 0x2008, 5, side ? 0x66 : 6); /* the second difference is not the one that counts */
	}
	const struct lockstep_mismatch *m = lockstep_mismatch(l);
	assert_non_null(m);
	assert_int_equal(m->key.stream, LOCKSTEP_WARP);
	assert_int_equal(m->key.queue, QUEUE);
	assert_int_equal(m->key.group, 9);
	assert_int_equal(m->key.number, 2);
	assert_int_equal(m->ordinal, 1);
	assert_int_equal(m->record[0].words[1], 4);
	assert_int_equal(m->record[1].words[1], 0x44);
	char *text = printed();
	assert_non_null(strstr(text, "queue 3, dispatch 1, work-group 9, warp 2, instruction 1\n"));
	assert_non_null(strstr(text, "CU0, warp slot 4, pc 0x2004, retire, lanes 00000009: add"));
	assert_non_null(strstr(text, "CU1, warp slot 4, pc 0x2004"));
	assert_non_null(strstr(text, "lane 3, result: A 0x4, B 0x44\n"));
	free(text);
	assert_false(lockstep_settled(l));
	assert_true(lockstep_digest(l, 0) != lockstep_digest(l, 1));
}

static void an_instruction_more(void **state)
{
	(void)state;
	for (unsigned side = 0; side < 2; side++) {
		dispatch(side);
		warp(side, 0, 0, 0, 0);
		retire(side, 0, 0, 0x2000, 1, 2);
		if (side)
			retire(side, 0, 0, 0x2004, 1, 2);
	}
	assert_null(lockstep_mismatch(l)); /* the other may yet come to it */
	assert_false(lockstep_settled(l));
	const struct lockstep_mismatch *m = lockstep_mismatch(l);
	assert_false(m->there[0]);
	assert_true(m->there[1]);
	assert_int_equal(m->record[1].a, 0x2004);
	char *text = printed();
	assert_non_null(strstr(text, "A: nothing more\n"));
	free(text);
}

static void a_warp_that_ends_early(void **state)
{
	(void)state;
	for (unsigned side = 0; side < 2; side++) {
		dispatch(side);
		warp(side, 0, 0, 0, 0);
		retire(side, 0, 0, 0x2000, 1, 2);
		if (!side)
			retire(side, 0, 0, 0x2004, 1, 2);
		warp_end(side, 0, 0, side ? 1 : 2);
	}
	const struct lockstep_mismatch *m = lockstep_mismatch(l);
	assert_int_equal(m->record[0].kind, EVENT_RETIRE);
	assert_int_equal(m->record[1].kind, EVENT_WARP_END);
	char *text = printed();
	assert_non_null(strstr(text, "B: cycle"));
	assert_non_null(strstr(text, "the warp has ended after 1 instructions\n"));
	free(text);
}

/* How a transfer is cut is no part of it; a byte that it does not move is. */
static void beats(void **state)
{
	(void)state;
	for (unsigned side = 0; side < 2; side++) {
		send(side, EVENT_DMA_START, UNIT_DMA + side, 0x100, 0x900, 192);
		for (uint64_t at = 0; at < 192; at += side ? 64 : 32)
			send(side, EVENT_DMA_BEAT, UNIT_DMA + side, 0x100 + at, 0x900 + at, side ? 64 : 32);
		send(side, EVENT_DMA_END, UNIT_DMA + side, 192, 0, 0);
	}
	assert_null(lockstep_mismatch(l));
	assert_int_equal(lockstep_digest(l, 0), lockstep_digest(l, 1));
	for (unsigned side = 0; side < 2; side++) {
		send(side, EVENT_DMA_START, UNIT_DMA, 0x100, 0x900, 64);
		send(side, EVENT_DMA_BEAT, UNIT_DMA, 0x100, 0x900, side ? 63 : 64);
		send(side, EVENT_DMA_END, UNIT_DMA, 64, 0, 0);
	}
	assert_int_equal(lockstep_mismatch(l)->key.stream, LOCKSTEP_TRANSFER);
	assert_int_equal(lockstep_mismatch(l)->record[1].words[0], 63);
}

/* What the payload had come to when a wait was over is the schedule's; which wait it was is not. */
static void semaphores(void **state)
{
	(void)state;
	for (unsigned side = 0; side < 2; side++) {
		send(side, EVENT_SEM_WAIT, UNIT_SEM, 0x8000, 2, 0);
		send(side, EVENT_SEM_SIGNAL, UNIT_SEM, 0x8000, 2, 0);
		send(side, EVENT_SEM_SIGNAL, UNIT_SEM, 0x8000, 3, 0);
		send(side, EVENT_SEM_WAKE, UNIT_SEM, 0x8000, side ? 3 : 2, 0);
	}
	assert_true(lockstep_settled(l));
	for (unsigned side = 0; side < 2; side++)
		send(side, EVENT_SEM_SIGNAL, UNIT_SEM, 0x8000, side ? 5 : 4, 0);
	assert_int_equal(lockstep_mismatch(l)->key.stream, LOCKSTEP_PAYLOAD);
	char *text = printed();
	assert_non_null(strstr(text, "payload at 0x8000, signal 0\n"));
	free(text);
}

static void packets(void **state)
{
	(void)state;
	for (unsigned side = 0; side < 2; side++) {
		send(side, EVENT_PACKET, UNIT_CP, 0, PACKET_CODE_copy, 0);
		send(side, EVENT_PACKET_END, UNIT_CP, 0, side ? FAULT_BAD_PACKET : FAULT_NONE, 0);
	}
	const struct lockstep_mismatch *m = lockstep_mismatch(l);
	assert_int_equal(m->key.stream, LOCKSTEP_QUEUE);
	assert_int_equal(m->key.queue, QUEUE);
	assert_int_equal(m->ordinal, 1);
	char *text = printed();
	assert_non_null(strstr(text, "queue 3, event 1\n"));
	free(text);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(schedules_are_no_difference), CASE(a_result_of_a_lane), CASE(an_instruction_more),
				     CASE(a_warp_that_ends_early), CASE(beats), CASE(semaphores), CASE(packets) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
