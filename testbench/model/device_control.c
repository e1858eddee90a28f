/* CTRL and STATUS of the whole device: what starts, stops and resets the command processor, and what counts as busy. */
#include "testbench/model/device_world.h"

enum { MCYCLE = 0xb00, WORDS = 0x400 /* of local memory, that programs store */ };

static uint32_t status(struct world *w) { return bus_read32(w->bus, REG_HOST_STATUS); }
static void ctrl(struct world *w, uint32_t value) { bus_write32(w->bus, REG_HOST_CTRL, value); }
static void run_for(struct world *w, uint64_t cycles) { bus_wait_irq(w->bus, cycles); }

/* Counts in A0, and stores each count at WORDS. */
static const uint32_t counting[] = { 0x00150513 /* addi a0, a0, 1 */, 0x40a03023 /* sd a0, 0x400(x0) */, 0xff9ff06f /* j -8 */ };

/* CP_RUN reads what was written, whatever the other bits were; fields that are not there read 0. */
static void test_cp_run_reads_back(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);

	(void)state;
	tcm_load(w, 0, counting, sizeof(counting));
	assert_int_equal(bus_read32(w->bus, REG_HOST_CTRL), 0);
	for (unsigned i = 0; i < 40; i++) {
		const uint32_t value = (uint32_t)random_next() & ~REG_HOST_CTRL_RESET;

		ctrl(w, value);
		assert_int_equal(bus_read32(w->bus, REG_HOST_CTRL), value & REG_HOST_CTRL_CP_RUN);
		assert_int_equal(status(w), value & REG_HOST_CTRL_CP_RUN ? REG_HOST_STATUS_CP_RUNNING : 0);
	}
	ctrl(w, REG_HOST_CTRL_CP_RUN);
	ctrl(w, REG_HOST_CTRL_RESET);
	assert_int_equal(bus_read32(w->bus, REG_HOST_CTRL), 0);
	world_close(w);
}

/* A 1 over a 1 is no edge: of a program that runs, that waits, that has crashed. */
static void test_no_edge(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	const uint32_t waits[] = { enc_ld(A0, 0, WORDS), enc_addi(A0, A0, 1), enc_sd(A0, 0, WORDS), ENC_WFI, ENC_EBREAK };
	const uint32_t crashes[] = { enc_ld(A0, 0, WORDS), enc_addi(A0, A0, 1), enc_sd(A0, 0, WORDS), ENC_EBREAK };
	uint64_t count;

	(void)state;
	program_start(w, counting, 3);
	run_for(w, 1000);
	count = tcm_word(w, WORDS);
	assert_true(count > 100);
	ctrl(w, REG_HOST_CTRL_CP_RUN);
	assert_true(tcm_word(w, WORDS) > count); /* not from 1 on again */

	ctrl(w, 0);
	tcm_load(w, WORDS, &(uint64_t){ 0 }, 8);
	program_start(w, waits, 5);
	run_for(w, 1000);
	ctrl(w, REG_HOST_CTRL_CP_RUN);
	run_for(w, 1000);
	assert_int_equal(tcm_word(w, WORDS), 1);
	assert_int_equal(status(w), REG_HOST_STATUS_CP_RUNNING);

	tcm_load(w, WORDS, &(uint64_t){ 0 }, 8);
	program_start(w, crashes, 4);
	run_for(w, 1000);
	assert_int_equal(status(w), REG_HOST_STATUS_CP_CRASHED | REG_HOST_STATUS_LOST);
	ctrl(w, REG_HOST_CTRL_CP_RUN);
	run_for(w, 1000);
	assert_int_equal(tcm_word(w, WORDS), 1);
	assert_int_equal(status(w), REG_HOST_STATUS_CP_CRASHED | REG_HOST_STATUS_LOST);
	world_close(w);
}

/* Local memory keeps what the first program wrote; CP_ENTRY is taken at the edge and not when it is written. */
static void test_starts(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	enum { SECOND = 0x2000, MARK = 0x5a5 };
	const uint32_t second[] = { enc_ld(A0, 0, WORDS), enc_sd(A0, 0, WORDS + 8), enc_addi(A1, 0, MARK), enc_sd(A1, 0, WORDS + 16),
				    enc_jal(0, 0) };
	uint64_t count;

	(void)state;
	tcm_load(w, SECOND, second, sizeof(second));
	program_start(w, counting, 3);
	run_for(w, 500);
	bus_write64(w->bus, REG_HOST_CP_ENTRY, SECOND);
	run_for(w, 500);
	assert_int_equal(tcm_word(w, WORDS + 16), 0);
	ctrl(w, 0);
	count = tcm_word(w, WORDS);
	assert_true(count > 200);
	run_for(w, 500);
	assert_int_equal(tcm_word(w, WORDS), count);
	assert_int_equal(tcm_word(w, WORDS + 16), 0);
	ctrl(w, REG_HOST_CTRL_CP_RUN);
	run_for(w, 500);
	assert_int_equal(tcm_word(w, WORDS), count);
	assert_int_equal(tcm_word(w, WORDS + 8), count);
	assert_int_equal(tcm_word(w, WORDS + 16), MARK);
	world_close(w);
}

/* A write of the host takes effect when it ends, and the next access begins then; what it starts begins in that cycle. */
static void test_when_a_write_takes_effect(void **state)
{
	struct world *w = world_open_observed("mini");
	const struct device_config *c = device_config_find("mini");
	const uint32_t code[] = { enc_csrrs(A0, MCYCLE, 0), enc_sd(A0, 0, WORDS), ENC_WFI, enc_csrrs(A0, MCYCLE, 0),
				  enc_sd(A0, 0, WORDS + 8), enc_jal(0, 0) };
	uint64_t before;
	const struct event *e;

	(void)state;
	tcm_load(w, 0, code, sizeof(code));
	w->num_events = 0;
	before = bus_cycle(w->bus);
	ctrl(w, REG_HOST_CTRL_CP_RUN);
	assert_int_equal(bus_cycle(w->bus), before + c->mmio_write_cycles);
	e = event_find(w, EVENT_MMIO_WRITE, 0);
	assert_int_equal(e->cycle, before + c->mmio_write_cycles);
	e = event_find(w, EVENT_CP_STATE, 0);
	assert_int_equal(e->cycle, before + c->mmio_write_cycles);
	run_for(w, 1000);
	assert_int_equal(tcm_word(w, WORDS), before + c->mmio_write_cycles);
	/* a doorbell, after which a read and a write follow each other */
	w->num_events = 0;
	before = bus_cycle(w->bus);
	bus_write64(w->bus, REG_HOST_DOORBELL, 1);
	bus_read32(w->bus, REG_HOST_ID);
	bus_write64(w->bus, REG_HOST_DOORBELL, 2);
	assert_int_equal(event_find(w, EVENT_DOORBELL, 0)->cycle, before + c->mmio_write_cycles);
	assert_int_equal(event_find(w, EVENT_MMIO_READ, 0)->cycle, before + c->mmio_write_cycles + c->mmio_read_cycles);
	assert_int_equal(event_find(w, EVENT_DOORBELL, 1)->cycle, before + 2 * c->mmio_write_cycles + c->mmio_read_cycles);
	assert_int_equal(tcm_word(w, WORDS + 8), before + c->mmio_write_cycles);
	world_close(w);
}

/* In each phase of a loop that reads DOORBELL_PENDING: the first load that begins no earlier than the write shows it. */
static void test_order_in_a_cycle(void **state)
{
	enum { PERIOD = 1 + 5 + 2 };

	(void)state;
	for (unsigned phase = 0; phase < 2 * PERIOD; phase++) {
		struct world *w = world_open("mini", BUS_TIMED, false);
		uint32_t code[32];
		unsigned n = enc_li(code, S0, CP_MMIO_BASE + REG_BANK_CP_OFFSET);
		uint64_t written, seen;

		code[n++] = enc_csrrs(A0, MCYCLE, 0);
		code[n++] = enc_lw(A1, S0, REG_CP_DOORBELL_PENDING);
		code[n++] = enc_b(0, A1, 0, -8);
		code[n++] = enc_sd(A0, 0, WORDS);
		code[n++] = enc_jal(0, 0);
		program_start(w, code, n);
		run_for(w, 300 + phase);
		bus_write64(w->bus, REG_HOST_DOORBELL, 1);
		written = bus_cycle(w->bus);
		seen = tcm_word(w, WORDS) + 1; /* the cycle in which the load begins */
		assert_in_range(seen, written, written + PERIOD - 1);
		world_close(w);
	}
}

/* Stopped while it waits: what would have woken it does nothing. */
static void test_stopped_asleep(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	const uint32_t code[] = { ENC_WFI, enc_addi(A0, 0, 1), enc_sd(A0, 0, WORDS), enc_jal(0, 0) };

	(void)state;
	program_start(w, code, 4);
	run_for(w, 100);
	assert_int_equal(status(w), REG_HOST_STATUS_CP_RUNNING);
	ctrl(w, 0);
	assert_int_equal(status(w), 0);
	bus_write64(w->bus, REG_HOST_DOORBELL, 1);
	assert_int_equal(bus_wait_irq(w->bus, 1000), BUS_WAIT_IDLE);
	assert_int_equal(status(w), 0);
	assert_int_equal(tcm_word(w, WORDS), 0);
	/* the doorbell is still pending for the one that is started next */
	ctrl(w, REG_HOST_CTRL_CP_RUN);
	run_for(w, 100);
	assert_int_equal(tcm_word(w, WORDS), 1);
	world_close(w);
}

/* A store that clears CP_RUN is the last instruction. */
static void test_stops_itself(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	const uint64_t page = host_page(&w->h);
	uint32_t code[64];
	unsigned n = enc_li(code, S0, CP_MMIO_BASE);

	(void)state;
	n += enc_li(code + n, A0, page);
	code[n++] = enc_addi(A1, 0, 7);
	code[n++] = enc_sd(A1, A0, 0);
	code[n++] = enc_sw(0, S0, REG_HOST_CTRL);
	code[n++] = enc_sd(A1, A0, 8);
	code[n++] = enc_sd(A1, 0, WORDS);
	code[n++] = enc_jal(0, 0);
	program_start(w, code, n);
	assert_int_equal(bus_wait_irq(w->bus, 1000), BUS_WAIT_IDLE);
	assert_int_equal(status(w), 0);
	assert_int_equal(bus_read32(w->bus, REG_HOST_CTRL), 0);
	assert_int_equal(((uint64_t *)host_at(&w->h, page))[0], 7);
	assert_int_equal(((uint64_t *)host_at(&w->h, page))[1], 0);
	assert_int_equal(tcm_word(w, WORDS), 0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_CP_INSNS), n - 3);
	world_close(w);
}

/* After a crash: CP_RUN takes CP_CRASHED away, and nothing else. */
static void test_stopped_crashed(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	const uint32_t code[] = { ENC_NOP, ENC_ECALL };

	(void)state;
	program_start(w, code, 2);
	run_for(w, 100);
	assert_int_equal(status(w), REG_HOST_STATUS_CP_CRASHED | REG_HOST_STATUS_LOST);
	ctrl(w, 0);
	assert_int_equal(status(w), REG_HOST_STATUS_LOST);
	assert_int_equal(bus_read32(w->bus, REG_HOST_CRASH_CAUSE), 11);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CRASH_PC), 4);
	/* an edge on the lost device keeps it so */
	ctrl(w, REG_HOST_CTRL_CP_RUN);
	assert_int_equal(status(w), REG_HOST_STATUS_LOST);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CRASH_PC), 4);
	world_close(w);
}

/* ---- blocks beside it ---- */

enum { TRANSFER = 0, WAIT = 1, STALLED = 2 };

/* Pages at 0x10000000 and 0x20000000; packet n of the page that is returned is a copy of this many rows of 4 KiB. */
static union packet *copies(struct world *w, uint64_t *packets, unsigned count, unsigned rows)
{
	table_map(&w->h, w->contexts, ASID, 0x10000000, host_page(&w->h), PTE_RW);
	table_map(&w->h, w->contexts, ASID, 0x20000000, DRAM_BASE + 0x4000, PTE_RW);
	*packets = host_page(&w->h);
	union packet *p = host_at(&w->h, *packets);
	for (unsigned i = 0; i < count; i++) {
		p[i].copy = (struct packet_copy){ .head.type = PACKET_CODE_copy, .src = 0x10000000, .dst = 0x20000000, .width = 4096,
						  .height = rows, .depth = 1 };
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * i, ASID);
		monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * i, *packets + 64 * i);
	}
	return p;
}

/* The firmware is stopped during a transfer and while a wait is armed; both end, and the next firmware sees it. */
static void test_stopped_meanwhile(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint32_t code[64];
	unsigned n = enc_li(code, S0, CP_MMIO_BASE + REG_BANK_CP_OFFSET);
	uint64_t packets, payload;

	(void)state;
	monitor_start(w);
	payload = host_page(&w->h);
	copies(w, &packets, 1, 100);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT_VALUE) + 8 * WAIT, 5);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT) + 8 * WAIT, payload);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), TRANSFER);
	monitor_run(w);
	ctrl(w, 0);
	assert_int_equal(status(w), REG_HOST_STATUS_BUSY);
	bus_write64(w->bus, REG_HOST_SEM_VALUE, 5);
	bus_write64(w->bus, REG_HOST_SEM_SIGNAL, payload);
	assert_int_equal(bus_wait_irq(w->bus, LONG), BUS_WAIT_IDLE);
	assert_int_equal(status(w), 0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DMA_BYTES), 100 * 4096);
	code[n++] = enc_lw(A0, S0, REG_CP_DMA_DONE);
	code[n++] = enc_sd(A0, 0, WORDS);
	code[n++] = enc_lw(A0, S0, REG_CP_SEM_WOKEN);
	code[n++] = enc_sd(A0, 0, WORDS + 8);
	code[n++] = enc_jal(0, 0);
	program_start(w, code, n);
	run_for(w, 200);
	assert_int_equal(tcm_word(w, WORDS), 1 << TRANSFER);
	assert_int_equal(tcm_word(w, WORDS + 8), 1 << WAIT);
	world_close(w);
}

/* More transfers than engines, and a cache packet behind them: busy to the end of the last one. */
static void test_busy_while_waiting(void **state)
{
	struct world *w = world_open("mini,coherent=0", BUS_TIMED, false);
	const unsigned engines = device_config_find("mini")->dma_engines, count = engines + 2;
	uint32_t done = 0;
	uint64_t packets;

	(void)state;
	monitor_start(w);
	union packet *p = copies(w, &packets, count, 4);
	for (unsigned i = 0; i < engines; i++)
		p[i].copy.height = 20 + 20 * i;
	p[count - 1].cache = (struct packet_cache){ .head.type = PACKET_CODE_cache, .op = CACHE_CLEAN };
	for (unsigned i = 0; i < count; i++)
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), i);
	monitor_run(w);
	while (done != (1u << count) - 1) {
		const uint32_t busy = status(w) & REG_HOST_STATUS_BUSY;

		monitor_add(w, MONITOR_READ32, CP_MMIO_BASE + REG_HOST_STATUS, 0);
		monitor_add(w, MONITOR_READ32, CP_REG(DMA_DONE), 0);
		monitor_run(w);
		/* a bit that is not set at the second read was not set at the first */
		done = (uint32_t)w->box->command[1].value;
		if (done != (1u << count) - 1)
			assert_true(busy && w->box->command[0].value & REG_HOST_STATUS_BUSY);
	}
	assert_int_equal(status(w) & REG_HOST_STATUS_BUSY, 0);
	/* a cache packet alone, over as many pages as take longer than the firmware to look */
	for (unsigned i = 0; i < 64; i++)
		table_map(&w->h, w->contexts, ASID, 0x60000000 + 4096 * i, packets, PTE_RW);
	p[count - 1].cache.address = 0x60000000;
	p[count - 1].cache.size = 64 * 4096;
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_DONE), ~0u);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), count - 1);
	monitor_add(w, MONITOR_READ32, CP_MMIO_BASE + REG_HOST_STATUS, 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_DONE), 0);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DMA);
	monitor_add(w, MONITOR_READ32, CP_MMIO_BASE + REG_HOST_STATUS, 0);
	monitor_run(w);
	assert_int_equal(w->box->command[3].value, 0);
	assert_true(w->box->command[2].value & REG_HOST_STATUS_BUSY);
	assert_false(w->box->command[5].value & REG_HOST_STATUS_BUSY);
	world_close(w);
}

/* A transfer, then a dispatch, stalled at a replayable fault with nothing else at work. */
static void test_busy_while_stalled(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t packets;

	(void)state;
	monitor_start(w);
	union packet *p = copies(w, &packets, STALLED + 1, 1);
	p[STALLED].copy.dst = 0x40000000;
	p[0].dispatch = (struct packet_dispatch){ .head.type = PACKET_CODE_dispatch, .entry = 0x50000000, .global_size = { 1, 1, 1 },
						  .local_size = { 1, 1, 1 } };
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET), packets);
	for (unsigned i = 0; i <= STALLED; i++)
		monitor_add(w, MONITOR_WRITE32, CP_REG(SLOT_FLAGS) + 4 * i, REG_CP_SLOT_FLAGS_REPLAY);
	monitor_run(w);
	for (unsigned dispatch = 0; dispatch < 2; dispatch++) {
		const uint32_t slot = dispatch ? 0 : STALLED;

		monitor_add(w, MONITOR_WRITE32, dispatch ? CP_REG(DISPATCH_START) : CP_REG(DMA_START), slot);
		monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_REPLAY);
		monitor_add(w, MONITOR_WRITE32, CP_REG(REPLAY_PENDING), ~0u);
		monitor_run(w);
		assert_int_equal(bus_wait_irq(w->bus, LONG), BUS_WAIT_IDLE);
		assert_int_equal(status(w), REG_HOST_STATUS_CP_RUNNING | REG_HOST_STATUS_BUSY);
		monitor_add(w, MONITOR_WRITE32, dispatch ? CP_REG(DISPATCH_ABORT) : CP_REG(DMA_ABORT), slot);
		monitor_add(w, MONITOR_SLEEP, 0, dispatch ? REG_CP_IRQ_PENDING_DISPATCH : REG_CP_IRQ_PENDING_DMA);
		monitor_add(w, MONITOR_WRITE32, dispatch ? CP_REG(DISPATCH_DONE) : CP_REG(DMA_DONE), ~0u);
		monitor_run(w);
		assert_int_equal(status(w), REG_HOST_STATUS_CP_RUNNING);
	}
	world_close(w);
}

/* Armed waits of queues and of the host, and doorbells that nothing has served, are no work. */
static void test_not_busy(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t payload;

	(void)state;
	monitor_start(w);
	payload = host_page(&w->h);
	for (unsigned i = 0; i < 15; i++) {
		monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT_VALUE) + 8 * i, 5);
		monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT) + 8 * i, payload + 8 * i);
		monitor_add(w, MONITOR_WRITE64, CP_REG(PACKET_INDEX) + 8 * i, 7);
	}
	monitor_run(w);
	bus_write64(w->bus, REG_HOST_HOST_WAIT_VALUE, 1);
	bus_write64(w->bus, REG_HOST_HOST_WAIT, payload);
	assert_int_equal(status(w), REG_HOST_STATUS_CP_RUNNING);
	ctrl(w, 0);
	for (unsigned i = 0; i < 16; i++) {
		bus_write64(w->bus, REG_HOST_DOORBELL + 8 * i, 1);
		bus_write64(w->bus, REG_HOST_QUEUE_DESC + 8 * i, payload);
		bus_write32(w->bus, REG_HOST_QUEUE_CTRL + 4 * i, 1);
	}
	assert_int_equal(status(w), 0);
	world_close(w);
}

/* A lost device shows the queues' last states, and its registers and local memory work. */
static void test_lost_registers(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t cycle;

	(void)state;
	monitor_start(w);
	for (unsigned i = 0; i < 16; i++)
		monitor_add(w, MONITOR_WRITE32, CP_REG(QUEUE_STATE_SET) + 4 * i, 0x100 + i);
	monitor_run(w);
	bus_write32(w->bus, REG_HOST_INJECT_NTH, 1);
	bus_write32(w->bus, REG_HOST_INJECT, INJECT_CP_CRASH);
	bus_wait_irq(w->bus, LONG);
	assert_int_equal(status(w), REG_HOST_STATUS_CP_CRASHED | REG_HOST_STATUS_LOST);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(bus_read32(w->bus, REG_HOST_QUEUE_STATE + 4 * i), 0x100 + i);
	for (unsigned i = 0; i < 64; i++) {
		const uint64_t words[2] = { random_next(), random_next() };
		const uint32_t at = (uint32_t)random_below(0x3fff0);

		tcm_load(w, at, words, sizeof(words));
		assert_int_equal(tcm_word(w, at), words[0]);
		assert_int_equal(bus_read64(w->bus, REG_HOST_TCM_DATA), words[1]);
	}
	bus_write64(w->bus, REG_HOST_CP_ENTRY, 0x123456789abcdef0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CP_ENTRY), 0x123456789abcdef0);
	bus_write64(w->bus, REG_HOST_PROT_BASE, DRAM_BASE + 0x10000);
	bus_write64(w->bus, REG_HOST_PROT_LIMIT, DRAM_BASE + 0x20000);
	assert_int_equal(bus_read64(w->bus, REG_HOST_PROT_LIMIT), DRAM_BASE + 0x20000);
	assert_int_equal(bus_read32(w->bus, REG_HOST_IRQ_STATUS) & REG_HOST_IRQ_STATUS_CRASH, REG_HOST_IRQ_STATUS_CRASH);
	bus_write32(w->bus, REG_HOST_IRQ_STATUS, REG_HOST_IRQ_STATUS_CRASH);
	assert_int_equal(bus_read32(w->bus, REG_HOST_IRQ_STATUS) & REG_HOST_IRQ_STATUS_CRASH, 0);
	cycle = bus_read64(w->bus, REG_HOST_CYCLE);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CYCLE), cycle + device_config_find("mini")->mmio_read_cycles);
	world_close(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cp_run_reads_back), cmocka_unit_test(test_no_edge), cmocka_unit_test(test_starts),
		cmocka_unit_test(test_when_a_write_takes_effect), cmocka_unit_test(test_order_in_a_cycle),
		cmocka_unit_test(test_stopped_asleep), cmocka_unit_test(test_stops_itself), cmocka_unit_test(test_stopped_crashed),
		cmocka_unit_test(test_stopped_meanwhile), cmocka_unit_test(test_busy_while_waiting),
		cmocka_unit_test(test_busy_while_stalled), cmocka_unit_test(test_not_busy), cmocka_unit_test(test_lost_registers),
	};

	monitor_find(argv[0]);
	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
