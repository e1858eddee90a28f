/* Bits of IRQ_STATUS that the command processor sets and the host clears, cycle by cycle, and the events that tell of it. */
#include "testbench/model/device_world.h"

enum { FIRST = REG_HOST_IRQ_STATUS_COMPLETE, SECOND = REG_HOST_IRQ_STATUS_QUEUE };

static uint32_t pending(struct world *w) { return bus_read32(w->bus, REG_HOST_IRQ_STATUS); }

/* A program that sets `first` when it begins, and `then` with a store that begins in the cycle that is returned. */
static uint64_t raise_later(struct world *w, uint32_t first, uint32_t then, unsigned nops)
{
	uint32_t code[512];
	unsigned n = enc_li(code, S0, CP_MMIO_BASE + REG_BANK_CP_OFFSET);
	uint64_t begin;

	code[n++] = enc_addi(A0, 0, (int)first);
	code[n++] = enc_sw(A0, S0, REG_CP_HOST_IRQ);
	code[n++] = enc_addi(A0, 0, (int)then);
	for (unsigned i = 0; i < nops; i++)
		code[n++] = ENC_NOP;
	code[n] = enc_sw(A0, S0, REG_CP_HOST_IRQ);
	code[n + 1] = enc_jal(0, 0);
	program_start(w, code, n + 2);
	begin = bus_cycle(w->bus);
	return begin + n;
}

/* The host clears bits `clear` in a cycle from 24 before the one in which bit `then` is set to 24 behind it. */
static uint32_t race(uint32_t first, uint32_t then, uint32_t clear, int distance)
{
	struct world *w = world_open_observed("mini");
	const uint64_t set = raise_later(w, first, then, 200), write = device_config_find("mini")->mmio_write_cycles;
	uint32_t after;

	bus_write32(w->bus, REG_HOST_IRQ_ENABLE, 0);
	bus_wait_irq(w->bus, set + (uint64_t)(int64_t)distance - write - bus_cycle(w->bus));
	bus_write32(w->bus, REG_HOST_IRQ_STATUS, clear);
	assert_int_equal(bus_cycle(w->bus), set + (uint64_t)(int64_t)distance);
	after = pending(w);
	assert_int_equal(event_find(w, EVENT_IRQ_RAISE, 1)->cycle, set);
	world_close(w);
	return after;
}

/* A bit that is set in the cycle of the write that clears it, or in any later one, is 1; one set before is 0. */
static void test_set_and_cleared(void **state)
{
	(void)state;
	for (int distance = -24; distance <= 24; distance++)
		assert_int_equal(race(FIRST, FIRST, FIRST, distance), distance <= 0 ? FIRST : 0);
}

/* Another bit that is set meanwhile is not touched, and the one that is cleared does not come back with it. */
static void test_two_bits(void **state)
{
	(void)state;
	for (int distance = -8; distance <= 8; distance++) {
		assert_int_equal(race(FIRST, SECOND, FIRST, distance), SECOND);
		assert_int_equal(race(FIRST, SECOND, 0xffffffff, distance), distance <= 0 ? SECOND : 0);
	}
}

/* The line comes up in the cycle of the store, with the bit, when the bit is enabled; otherwise the bit alone. */
static void test_the_line_comes_with_the_bit(void **state)
{
	(void)state;
	for (unsigned enabled = 0; enabled < 2; enabled++) {
		struct world *w = world_open_observed("mini");
		const struct event *e;
		uint64_t set;

		bus_write32(w->bus, REG_HOST_IRQ_ENABLE, enabled ? FIRST : 0);
		set = raise_later(w, SECOND, FIRST, 100);
		bus_wait_irq(w->bus, set - bus_cycle(w->bus)); /* up to, and without, the cycle */
		assert_int_equal(event_count(w, EVENT_IRQ_RAISE), 1);
		assert_int_equal(bus_wait_irq(w->bus, 10), enabled ? BUS_WAIT_IRQ : BUS_WAIT_LIMIT);
		e = event_find(w, EVENT_IRQ_RAISE, 1);
		assert_int_equal(e->cycle, set);
		assert_int_equal(e->a, FIRST);
		assert_int_equal(e->b, FIRST | SECOND);
		assert_int_equal(e->c, enabled);
		if (enabled) /* the wait ends when the line is up */
			assert_in_range(bus_cycle(w->bus), set, set + 1);
		world_close(w);
	}
}

/* irq-clear: once for each write that clears something, with what it has cleared. */
static void test_clear_events(void **state)
{
	struct world *w = world_open_observed("mini");
	const struct event *e;
	uint64_t set;

	(void)state;
	bus_write32(w->bus, REG_HOST_IRQ_ENABLE, FIRST);
	set = raise_later(w, SECOND, FIRST, 1);
	bus_wait_irq(w->bus, set + 10 - bus_cycle(w->bus));
	assert_int_equal(pending(w), FIRST | SECOND);
	bus_write32(w->bus, REG_HOST_IRQ_STATUS, REG_HOST_IRQ_STATUS_LOG); /* not set */
	bus_write32(w->bus, REG_HOST_IRQ_STATUS, 0);
	bus_write32(w->bus, REG_HOST_IRQ_STATUS, 0xffffff00);
	assert_int_equal(event_count(w, EVENT_IRQ_CLEAR), 0);
	bus_write32(w->bus, REG_HOST_IRQ_STATUS, 0xff & ~FIRST);
	assert_int_equal(event_count(w, EVENT_IRQ_CLEAR), 1);
	e = event_find(w, EVENT_IRQ_CLEAR, 0);
	assert_int_equal(e->cycle, bus_cycle(w->bus));
	assert_int_equal(e->a, SECOND);
	assert_int_equal(e->b, FIRST);
	assert_int_equal(e->c, 1);
	bus_write32(w->bus, REG_HOST_IRQ_STATUS, 0xffffffff);
	assert_int_equal(event_count(w, EVENT_IRQ_CLEAR), 2);
	e = event_find(w, EVENT_IRQ_CLEAR, 1);
	assert_int_equal(e->a, FIRST);
	assert_int_equal(e->b, 0);
	assert_int_equal(e->c, 0);
	bus_write32(w->bus, REG_HOST_IRQ_STATUS, 0xffffffff);
	assert_int_equal(event_count(w, EVENT_IRQ_CLEAR), 2);
	world_close(w);
}

/* A write of HOST_IRQ that has no bit of IRQ_STATUS sets none, and no event tells of it. */
static void test_nothing_is_set(void **state)
{
	static const uint32_t values[] = { 0, 0x100, 0x700 };

	(void)state;
	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct world *w = world_open_observed("mini");
		const uint64_t set = raise_later(w, SECOND, values[i], 1);

		bus_wait_irq(w->bus, set + 10 - bus_cycle(w->bus));
		assert_int_equal(pending(w), SECOND);
		assert_int_equal(event_count(w, EVENT_IRQ_RAISE), 1);
		world_close(w);
	}
}

/* Random bits set by a program at random distances, and cleared by the host at random times: every read shows those that were set
 * after they were last cleared, as the events tell. */
static void test_random(void **state)
{
	struct world *w = world_open_observed("mini");
	uint32_t code[1024];
	unsigned n = enc_li(code, S0, CP_MMIO_BASE + REG_BANK_CP_OFFSET), raised = 0, cleared = 0;

	(void)state;
	while (n < 1000) {
		code[n++] = enc_addi(A0, 0, (int)(1u << random_below(8) | 1u << random_below(8)));
		code[n++] = enc_sw(A0, S0, REG_CP_HOST_IRQ);
		for (uint64_t i = random_below(24); i && n < 1000; i--)
			code[n++] = ENC_NOP;
	}
	code[n] = enc_jal(0, (10 - (int)n) * 4); /* for ever */
	program_start(w, code, n + 1);
	for (unsigned i = 0; i < 400; i++) {
		uint32_t expect = 0;

		if (random_below(2))
			bus_wait_irq(w->bus, random_below(60));
		if (random_below(2))
			bus_write32(w->bus, REG_HOST_IRQ_STATUS, (uint32_t)random_below(256));
		const uint32_t got = pending(w);
		const uint64_t now = bus_cycle(w->bus);
		for (unsigned k = 0; k < w->num_events; k++) {
			const struct event *e = &w->events[k];

			if (e->cycle >= now && e->kind == EVENT_IRQ_RAISE)
				continue; /* behind the read */
			if (e->kind == EVENT_IRQ_RAISE)
				expect |= (uint32_t)e->a;
			else if (e->kind == EVENT_IRQ_CLEAR)
				expect &= ~(uint32_t)e->a;
			else
				continue;
			raised += e->kind == EVENT_IRQ_RAISE;
			cleared += e->kind == EVENT_IRQ_CLEAR;
			assert_int_equal(e->b, expect);
		}
		assert_int_equal(got, expect);
	}
	assert_true(raised > 400 && cleared > 50);
	world_close(w);
}

/* ---- the command processor's timer ---- */

enum { MCYCLE = 0xb00, WORDS = 0x700 };

/* A hart that waits goes on in the cycle TIMER; one that has passed is there at once, 0 and a later one are not. */
static void test_timer(void **state)
{
	struct world *w = world_open_observed("mini");
	uint32_t code[64];
	unsigned n = enc_li(code, S0, CP_MMIO_BASE + REG_BANK_CP_OFFSET);

	(void)state;
	code[n++] = enc_csrrs(A0, MCYCLE, 0);
	code[n++] = enc_addi(A0, A0, 777);
	code[n++] = enc_sd(A0, S0, REG_CP_TIMER);
	code[n++] = ENC_WFI;
	code[n++] = enc_csrrs(A1, MCYCLE, 0); /* the first instruction in that cycle */
	code[n++] = enc_lw(A2, S0, REG_CP_IRQ_PENDING);
	code[n++] = enc_addi(T0, A0, 1000);
	code[n++] = enc_sd(T0, S0, REG_CP_TIMER); /* later: gone in this cycle */
	code[n++] = enc_lw(A3, S0, REG_CP_IRQ_PENDING);
	code[n++] = enc_sd(A0, S0, REG_CP_TIMER); /* passed: there */
	code[n++] = enc_lw(A4, S0, REG_CP_IRQ_PENDING);
	code[n++] = enc_sd(0, S0, REG_CP_TIMER);
	code[n++] = enc_lw(A5, S0, REG_CP_IRQ_PENDING);
	for (unsigned i = 0; i < 6; i++)
		code[n++] = enc_sd(A0 + i, 0, (int)(WORDS + 8 * i));
	code[n++] = enc_jal(0, 0);
	program_start(w, code, n);
	bus_wait_irq(w->bus, 2000);
	assert_int_equal(tcm_word(w, WORDS + 8), tcm_word(w, WORDS));
	assert_int_equal(tcm_word(w, WORDS + 16), REG_CP_IRQ_PENDING_TIMER);
	assert_int_equal(tcm_word(w, WORDS + 24), 0);
	assert_int_equal(tcm_word(w, WORDS + 32), REG_CP_IRQ_PENDING_TIMER);
	assert_int_equal(tcm_word(w, WORDS + 40), 0);
	world_close(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_and_cleared), cmocka_unit_test(test_two_bits), cmocka_unit_test(test_the_line_comes_with_the_bit),
		cmocka_unit_test(test_clear_events), cmocka_unit_test(test_nothing_is_set),
		cmocka_unit_test(test_random), cmocka_unit_test(test_timer),
	};

	monitor_find(argv[0]);
	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
