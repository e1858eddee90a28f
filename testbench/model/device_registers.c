/* Registers of the whole device from both masters: local memory through TCM_DATA, places at which there is no register, and registers
 * with a bit for each queue. */
#include "testbench/model/device_world.h"

enum { WORDS = 0x400, QUEUES = 16 };

static void run_for(struct world *w, uint64_t cycles) { bus_wait_irq(w->bus, cycles); }

/* ---- halves ---- */

/* Low half by one master, high half by the other; then the device changes HOST_WAIT itself. */
static void test_halves_of_both_masters(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t payload;

	(void)state;
	monitor_start(w);
	payload = host_page(&w->h);
	bus_write32(w->bus, REG_HOST_SEM_VALUE, 0x1234);
	monitor_add(w, MONITOR_WRITE32, CP_MMIO_BASE + REG_HOST_SEM_VALUE + 4, 0x5678);
	monitor_run(w);
	assert_int_equal(bus_read64(w->bus, REG_HOST_SEM_VALUE), 0x567800001234);
	monitor_add(w, MONITOR_WRITE32, CP_MMIO_BASE + REG_HOST_SEM_VALUE, 0x9abc);
	monitor_run(w);
	bus_write32(w->bus, REG_HOST_SEM_VALUE + 4, 0xdef0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_SEM_VALUE), 0xdef000009abc);
	/* a wait that is over makes HOST_WAIT 0: the low half that was held goes with it */
	bus_write64(w->bus, REG_HOST_HOST_WAIT_VALUE, 1);
	bus_write64(w->bus, REG_HOST_HOST_WAIT, payload);
	bus_write32(w->bus, REG_HOST_HOST_WAIT, 0x44444444);
	assert_int_equal(bus_read64(w->bus, REG_HOST_HOST_WAIT), payload);
	bus_write64(w->bus, REG_HOST_SEM_VALUE, 1);
	bus_write64(w->bus, REG_HOST_SEM_SIGNAL, payload);
	assert_int_equal(bus_read64(w->bus, REG_HOST_HOST_WAIT), 0);
	bus_write32(w->bus, REG_HOST_HOST_WAIT + 4, 0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_HOST_WAIT), 0);
	/* and CTRL.RESET drops what was held */
	bus_write32(w->bus, REG_HOST_CP_ENTRY, 0x44444444);
	bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
	bus_write32(w->bus, REG_HOST_CP_ENTRY + 4, 1);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CP_ENTRY), 1ull << 32);
	world_close(w);
}

/* ---- local memory ---- */

static uint64_t word_at(const uint8_t *bytes, unsigned size)
{
	uint64_t v = 0;

	memcpy(&v, bytes, size);
	return v;
}

static void test_local_memory(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	static uint8_t image[1024], got[1024];

	(void)state;
	for (unsigned i = 0; i < sizeof(image); i++)
		image[i] = (uint8_t)random_next();
	/* each odd address, by whole accesses: the address goes on by 8 */
	for (unsigned odd = 0; odd < 8; odd++) {
		tcm_load(w, 0x1000, image, sizeof(image));
		bus_write32(w->bus, REG_HOST_TCM_ADDR, 0x1100 + odd);
		bus_write64(w->bus, REG_HOST_TCM_DATA, 0x1122334455667788);
		assert_int_equal(bus_read32(w->bus, REG_HOST_TCM_ADDR), 0x1108 + odd);
		memcpy(got, image, sizeof(got));
		memcpy(got + 0x100 + odd, &(uint64_t){ 0x1122334455667788 }, 8);
		for (unsigned i = 0; i < sizeof(image); i += 8)
			assert_int_equal(tcm_word(w, 0x1000 + i), word_at(got + i, 8));
		assert_int_equal(tcm_word(w, 0x10fd + odd), word_at(got + 0xfd + odd, 8));
		assert_int_equal(bus_read32(w->bus, REG_HOST_TCM_ADDR), 0x1105 + odd);
	}
	/* in halves: the high one of a write and the low one of a read go on */
	bus_write32(w->bus, REG_HOST_TCM_ADDR, 0x2000);
	for (unsigned i = 0; i < sizeof(image); i += 8) {
		bus_write32(w->bus, REG_HOST_TCM_DATA, (uint32_t)word_at(image + i, 4));
		assert_int_equal(bus_read32(w->bus, REG_HOST_TCM_ADDR), 0x2000 + i);
		bus_write32(w->bus, REG_HOST_TCM_DATA + 4, (uint32_t)word_at(image + i + 4, 4));
		assert_int_equal(bus_read32(w->bus, REG_HOST_TCM_ADDR), 0x2008 + i);
	}
	bus_write32(w->bus, REG_HOST_TCM_ADDR, 0x2000);
	for (unsigned i = 0; i < sizeof(image); i += 8) {
		assert_int_equal(bus_read32(w->bus, REG_HOST_TCM_DATA), (uint32_t)word_at(image + i, 4));
		assert_int_equal(bus_read32(w->bus, REG_HOST_TCM_ADDR), 0x2008 + i);
		assert_int_equal(bus_read32(w->bus, REG_HOST_TCM_DATA + 4), (uint32_t)word_at(image + i + 4, 4));
		assert_int_equal(bus_read32(w->bus, REG_HOST_TCM_ADDR), 0x2008 + i);
	}
	world_close(w);
}

/* Where a byte lies beyond: 0, nothing stored, and the address goes on, at last over 2^32. */
static void test_beyond_local_memory(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	static const uint32_t beyond[] = { 0x3fff9, 0x3ffff, 0x40000, 0x80000000, 0xfffffff8, 0xffffffff };
	const uint64_t last = 0x0123456789abcdef;

	(void)state;
	tcm_load(w, 0x3fff8, &last, 8);
	assert_int_equal(tcm_word(w, 0x3fff8), last);
	assert_int_equal(bus_read32(w->bus, REG_HOST_TCM_ADDR), 0x40000);
	for (unsigned i = 0; i < sizeof(beyond) / sizeof(*beyond); i++) {
		assert_int_equal(tcm_word(w, beyond[i]), 0);
		assert_int_equal(bus_read32(w->bus, REG_HOST_TCM_ADDR), beyond[i] + 8);
		bus_write32(w->bus, REG_HOST_TCM_ADDR, beyond[i]);
		bus_write64(w->bus, REG_HOST_TCM_DATA, UINT64_MAX);
		assert_int_equal(bus_read32(w->bus, REG_HOST_TCM_ADDR), beyond[i] + 8);
		assert_int_equal(tcm_word(w, 0x3fff8), last);
		assert_int_equal(tcm_word(w, 0), 0);
	}
	world_close(w);
}

/* The host changes a constant, then an instruction, of a loop that runs. */
static void test_local_memory_of_a_program_that_runs(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	const uint32_t code[] = { enc_ld(A0, 0, WORDS), enc_sd(A0, 0, WORDS + 8), enc_addi(A1, 0, 1), enc_sd(A1, 0, WORDS + 16),
				  enc_jal(0, -16) };
	const uint64_t constant = 0x1234;
	const uint32_t other[] = { enc_addi(A1, 0, 2), enc_sd(A1, 0, WORDS + 16) };

	(void)state;
	program_start(w, code, 5);
	run_for(w, 100);
	assert_int_equal(tcm_word(w, WORDS + 8), 0);
	assert_int_equal(tcm_word(w, WORDS + 16), 1);
	tcm_load(w, WORDS, &constant, 8);
	run_for(w, 20);
	assert_int_equal(tcm_word(w, WORDS + 8), constant);
	tcm_load(w, 8, other, 8);
	run_for(w, 20);
	assert_int_equal(tcm_word(w, WORDS + 16), 2);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), REG_HOST_STATUS_CP_RUNNING);
	world_close(w);
}

/* ---- places without a register ---- */

static uint8_t used[2][REG_BANK_SIZE / 4];

static void used_find(void)
{
	enum { HOST = 0, CP = 1 };
#define REG(bank, name, offset, bits, count, ...) memset(&used[bank][(offset) / 4], 1, (count) * (bits) / 32);
#define FIELD(...)
#include "abi/registers.def"
#undef REG
#undef FIELD
}

/* The command processor loads and stores each word of the window from one address to another that is no register: it reads 0, and
 * nothing traps. The program has the range at 0x700 and stores what it has read, and how many words, at 0x710. */
static unsigned sweep(struct world *w, uint64_t from, uint64_t to)
{
	const uint32_t code[] = { enc_ld(A0, 0, 0x700), enc_ld(A1, 0, 0x708), enc_addi(A2, 0, 0), enc_addi(A3, 0, 0), enc_addi(A4, 0, -1),
				  enc_lw(A5, A0, 0), enc_r(0x33, 6, 0, A2, A2, A5), enc_sw(A4, A0, 0), enc_lw(A5, A0, 0),
				  enc_r(0x33, 6, 0, A2, A2, A5), enc_addi(A3, A3, 1), enc_addi(A0, A0, 4), enc_b(1, A0, A1, -28),
				  enc_sd(A2, 0, 0x710), enc_sd(A3, 0, 0x718), enc_jal(0, 0) };
	const uint64_t range[4] = { from, to, UINT64_MAX, 0 };
	const unsigned words = (unsigned)((to - from) / 4);

	bus_write32(w->bus, REG_HOST_CTRL, 0);
	tcm_load(w, 0x700, range, sizeof(range));
	program_start(w, code, sizeof(code) / 4);
	run_for(w, 100 + 40ull * words);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), REG_HOST_STATUS_CP_RUNNING);
	assert_int_equal(tcm_word(w, 0x718), words);
	if (tcm_word(w, 0x710))
		fail_msg("a word from %#llx to %#llx reads %#llx", (unsigned long long)from, (unsigned long long)to,
			 (unsigned long long)tcm_word(w, 0x710));
	return words;
}

static void test_no_register(void **state)
{
	struct world *w = world_open("mini", BUS_FUNCTIONAL, false);
	unsigned words = 0;

	(void)state;
	used_find();
	for (unsigned bank = 0; bank < 2; bank++) {
		const uint64_t base = CP_MMIO_BASE + bank * REG_BANK_CP_OFFSET;

		for (unsigned at = 0; at < REG_BANK_SIZE / 4; at++) {
			unsigned end = at;

			while (end < REG_BANK_SIZE / 4 && !used[bank][end])
				end++;
			if (end > at)
				words += sweep(w, base + 4 * at, base + 4 * end);
			at = end;
		}
	}
	assert_true(words > 0x7000);
	world_close(w);
}

/* ---- one bit a queue ---- */

/* Writes while the command processor stands: the bit, and the last value. */
static void test_the_last_value_counts(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint32_t code[64];
	unsigned n = enc_li(code, S0, CP_MMIO_BASE + REG_BANK_CP_OFFSET);

	(void)state;
	for (unsigned i = 1; i < 5; i++) {
		bus_write64(w->bus, REG_HOST_DOORBELL + 8 * 3, 10 * i);
		bus_write64(w->bus, REG_HOST_QUEUE_DESC + 8 * 4, 100 * i);
		bus_write32(w->bus, REG_HOST_QUEUE_CTRL + 4 * 5, i);
	}
	n += enc_li(code + n, S1, CP_MMIO_BASE + 0x1000);
	code[n++] = enc_lw(A0, S0, REG_CP_DOORBELL_PENDING);
	code[n++] = enc_ld(A1, S1, REG_HOST_DOORBELL - 0x1000 + 8 * 3);
	code[n++] = enc_lw(A2, S0, REG_CP_QUEUE_PENDING);
	code[n++] = enc_ld(A3, S1, REG_HOST_QUEUE_DESC - 0x1000 + 8 * 4);
	code[n++] = enc_lw(A4, S0, REG_CP_CTRL_PENDING);
	code[n++] = enc_lw(A5, S1, REG_HOST_QUEUE_CTRL - 0x1000 + 4 * 5);
	code[n++] = enc_sw(A0, S0, REG_CP_DOORBELL_PENDING);
	code[n++] = enc_lw(A6, S0, REG_CP_DOORBELL_PENDING);
	for (unsigned i = 0; i < 7; i++)
		code[n++] = enc_sd(A0 + i, 0, (int)(WORDS + 8 * i));
	code[n++] = enc_jal(0, 0);
	program_start(w, code, n);
	run_for(w, 200);
	const uint64_t expect[] = { 1 << 3, 40, 1 << 4, 400, 1 << 5, 4, 0 };
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(tcm_word(w, WORDS + 8 * i), expect[i]);
	world_close(w);
}

/* The value is there in the cycle in which its bit is: a loop that polls the bit and then loads the value, in each phase. */
static void test_value_and_bit_together(void **state)
{
	(void)state;
	for (unsigned phase = 0; phase < 16; phase++) {
		struct world *w = world_open("mini", BUS_TIMED, false);
		uint32_t code[64];
		unsigned n = enc_li(code, S0, CP_MMIO_BASE + REG_BANK_CP_OFFSET);

		n += enc_li(code + n, S1, CP_MMIO_BASE + 0x1000);
		code[n++] = enc_ld(A1, S1, REG_HOST_DOORBELL - 0x1000); /* the value before the bit: never ahead of it */
		code[n++] = enc_lw(A0, S0, REG_CP_DOORBELL_PENDING);
		code[n++] = enc_ld(A2, S1, REG_HOST_DOORBELL - 0x1000);
		code[n++] = enc_b(0, A0, 0, -12);
		code[n++] = enc_sd(A2, 0, WORDS);
		code[n++] = enc_jal(0, 0);
		program_start(w, code, n);
		run_for(w, 300 + phase);
		bus_write64(w->bus, REG_HOST_DOORBELL, 77);
		run_for(w, 100);
		assert_int_equal(tcm_word(w, WORDS), 77);
		world_close(w);
	}
}

/* Every register of that kind with all sixteen bits: the others read 0, and writing them as 1 does nothing. */
static void test_sixteen_bits(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	static const uint64_t pending[] = { CP_REG(DOORBELL_PENDING), CP_REG(QUEUE_PENDING), CP_REG(CTRL_PENDING), CP_REG(DISPATCH_DONE),
					    CP_REG(DMA_DONE), CP_REG(MEDIA_DONE), CP_REG(SEM_WOKEN) };
	const uint64_t nowhere = SYSTEM_BASE + 0xfff000;
	union packet *p;
	uint64_t packets;

	(void)state;
	monitor_start(w);
	packets = host_page(&w->h);
	for (unsigned i = 0; i < QUEUES; i++) {
		bus_write64(w->bus, REG_HOST_QUEUE_DESC + 8 * i, 64);
		bus_write32(w->bus, REG_HOST_QUEUE_CTRL + 4 * i, 1);
	}
	for (unsigned i = 0; i < QUEUES; i++) {
		monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET) + 8 * i, nowhere);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), i);
		monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * i, nowhere);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), i);
	}
	monitor_run(w);
	for (unsigned i = 0; i < QUEUES; i++) {
		monitor_add(w, MONITOR_WRITE64, CP_REG(MEDIA_PACKET) + 8 * i, nowhere);
		monitor_add(w, MONITOR_WRITE32, CP_REG(MEDIA_START), i);
		monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT) + 8 * i, nowhere);
	}
	monitor_run(w);
	/* the monitor clears its own doorbell as it begins: what it is rung with again is pending then */
	for (unsigned i = 0; i < QUEUES - 1; i++)
		bus_write64(w->bus, REG_HOST_DOORBELL + 8 * i, 1);
	monitor_add(w, MONITOR_WRITE64, CP_MMIO_BASE + REG_HOST_DOORBELL + 8 * MONITOR_BELL, 1);
	for (unsigned i = 0; i < sizeof(pending) / sizeof(*pending); i++) {
		monitor_add(w, MONITOR_READ32, pending[i], 0);
		monitor_add(w, MONITOR_WRITE32, pending[i], 0xffff0000);
		monitor_add(w, MONITOR_READ32, pending[i], 0);
		monitor_add(w, MONITOR_WRITE32, pending[i], 0xfffffffe);
		monitor_add(w, MONITOR_READ32, pending[i], 0);
	}
	monitor_add(w, MONITOR_WRITE32, CP_REG(DOORBELL_PENDING), ~0u);
	monitor_run(w);
	for (unsigned i = 0; i < sizeof(pending) / sizeof(*pending); i++) {
		const struct monitor_command *c = w->box->command + 1 + 5 * i;

		assert_int_equal(c[0].value, 0xffff);
		assert_int_equal(c[2].value, 0xffff);
		assert_int_equal(c[4].value, 1);
	}
	/* sixteen transfers and dispatches that are stalled */
	p = host_at(&w->h, packets);
	p[0].copy = (struct packet_copy){ .head.type = PACKET_CODE_copy, .src = 0x10000000, .dst = 0x20000000, .width = 1, .height = 1, .depth = 1 };
	p[1].dispatch = (struct packet_dispatch){ .head.type = PACKET_CODE_dispatch, .entry = 0x50000000, .global_size = { 1, 1, 1 },
						  .local_size = { 1, 1, 1 } };
	for (unsigned i = 0; i < QUEUES; i++) {
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * i, ASID);
		monitor_add(w, MONITOR_WRITE32, CP_REG(SLOT_FLAGS) + 4 * i, REG_CP_SLOT_FLAGS_REPLAY);
		monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * i, packets);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), i);
	}
	table_map(&w->h, w->contexts, ASID, 0, packets, PTE_RW);
	monitor_run(w);
	bus_wait_irq(w->bus, 100000);
	assert_int_equal(cp_read(w, CP_REG(REPLAY_PENDING), 32), 0xffff);
	for (unsigned i = 0; i < QUEUES; i++) {
		monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET) + 8 * i, packets + 64);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), i);
	}
	monitor_run(w);
	assert_int_equal(cp_read(w, CP_REG(DISPATCH_BUSY), 32), 0xffff);
	monitor_add(w, MONITOR_WRITE32, CP_REG(REPLAY_PENDING), 0xffff0000);
	monitor_add(w, MONITOR_READ32, CP_REG(REPLAY_PENDING), 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(REPLAY_PENDING), 0xfffffffe);
	monitor_add(w, MONITOR_READ32, CP_REG(REPLAY_PENDING), 0);
	monitor_run(w);
	assert_int_equal(w->box->command[1].value, 0xffff);
	assert_int_equal(w->box->command[3].value, 1);
	world_close(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_halves_of_both_masters), cmocka_unit_test(test_local_memory), cmocka_unit_test(test_beyond_local_memory),
		cmocka_unit_test(test_local_memory_of_a_program_that_runs), cmocka_unit_test(test_no_register),
		cmocka_unit_test(test_the_last_value_counts), cmocka_unit_test(test_value_and_bit_together), cmocka_unit_test(test_sixteen_bits),
	};

	monitor_find(argv[0]);
	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
