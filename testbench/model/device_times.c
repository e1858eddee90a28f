/* What takes cycles between the command processor, the host and the blocks behind their registers: fetch of packets, invalidations,
 * clearing of memory that was protected, reset. */
#include "testbench/model/device_world.h"

enum { RESULTS = 0x8000, PACKET = 0x2000, WORDS = 256 };

struct program {
	uint32_t code[WORDS];
	unsigned words, results;
};

static void put(struct program *p, uint32_t word) { p->code[p->words++] = word; }
static void put_li(struct program *p, unsigned rd, uint64_t value) { p->words += enc_li(p->code + p->words, rd, value); }

/* The next result is the cycle of this instruction. */
static void put_cycle(struct program *p)
{
	put(p, enc_csrrs(T0, 0xb00, 0));
	put(p, enc_sd(T0, S0, (int)(8 * p->results++)));
}

static void put_write(struct program *p, uint64_t address, uint64_t value)
{
	put_li(p, A0, address);
	put_li(p, A1, value);
	put_cycle(p);
	put(p, enc_sw(A1, A0, 0));
	put_cycle(p);
}

static void program_begin(struct program *p)
{
	*p = (struct program){ 0 };
	put_li(p, S0, RESULTS);
}

/* Runs until the program spins. */
static void program_run(struct world *w, struct program *p)
{
	put(p, enc_jal(0, 0));
	program_start(w, p->code, p->words);
	bus_wait_irq(w->bus, 20000);
}

static uint64_t result(struct world *w, unsigned i) { return tcm_word(w, RESULTS + 8 * i); }

/* Cycles of the write whose results are i and i + 1: without the store of the first one, and the read of the second. */
static uint64_t write_takes(struct world *w, unsigned i) { return result(w, i + 1) - result(w, i) - 2; }

/* ---- fetch of packets ---- */

static const struct { uint64_t packet, start, done; } kinds[] = {
	{ CP_REG(DISPATCH_PACKET), CP_REG(DISPATCH_START), CP_REG(DISPATCH_DONE) },
	{ CP_REG(DMA_PACKET), CP_REG(DMA_START), CP_REG(DMA_DONE) },
	{ CP_REG(MEDIA_PACKET), CP_REG(MEDIA_START), CP_REG(MEDIA_DONE) },
};

static uint64_t fetch_takes(const struct world *w, uint64_t packet)
{
	const struct device_config *c = device_config_find("mini");

	(void)w;
	return packet < CP_MMIO_BASE ? PACKET_SIZE / CP_FETCH_BYTES :
				       c->sys_latency + (PACKET_SIZE + c->sys_bytes_cycle - 1) / c->sys_bytes_cycle;
}

/* The slot is busy from the write on, its work begins when the packet is there, and the next start waits for it. All packets are of a
 * type that no unit executes. */
static void test_fetch(void **state)
{
	struct world *w = world_open_observed("mini");
	const uint64_t page = host_page(&w->h);
	struct program p;

	(void)state;
	for (unsigned kind = 0; kind < 3; kind++)
		for (unsigned in_system = 0; in_system < 2; in_system++) {
			const uint64_t packet = in_system ? page : PACKET, takes = fetch_takes(w, packet) + (kind ? 0 : DISPATCH_CHECK);

			w->num_events = 0;
			program_begin(&p);
			for (unsigned slot = 0; slot < 2; slot++) {
				put_li(&p, A0, kinds[kind].packet + 8 * slot);
				put_li(&p, A1, packet);
				put(&p, enc_sd(A1, A0, 0));
			}
			put_li(&p, A0, kinds[kind].start);
			put_li(&p, A2, CP_MMIO_BASE + REG_HOST_STATUS);
			put_li(&p, A3, kinds[kind].done);
			put_li(&p, A4, 1);
			put_cycle(&p);
			put(&p, enc_sw(0, A0, 0));
			for (unsigned i = 0; in_system && i < 2; i++)
				put(&p, enc_lw(A5 + i, i ? A3 : A2, 0));
			put(&p, enc_sw(A4, A0, 0)); /* waits */
			put_cycle(&p);
			put(&p, enc_sd(A5, S0, 16));
			put(&p, enc_sd(A6, S0, 24));
			program_run(w, &p);
			const uint64_t start = result(w, 0) + 2, next = result(w, 1) - 1;
			assert_int_equal(next, start + takes);
			if (in_system) { /* the loads are faster than the packet */
				assert_int_equal(result(w, 2) & REG_HOST_STATUS_BUSY, REG_HOST_STATUS_BUSY);
				assert_int_equal(result(w, 3), 0);
				assert_int_equal(event_find(w, EVENT_READ, 0)->b, packet);
				assert_int_equal(event_find(w, EVENT_READ, 0)->cycle, start + takes);
				assert_int_equal(event_find(w, EVENT_READ, 1)->cycle, next + takes);
			}
			program_begin(&p);
			put_li(&p, A3, kinds[kind].done);
			put(&p, enc_lw(A5, A3, 0));
			put(&p, enc_sd(A5, S0, 0));
			program_run(w, &p);
			assert_int_equal(result(w, 0), 3);
			bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
		}
	world_close(w);
}

/* A start whose packet has not come can be aborted; the unit that fetches is free at once. */
static void test_fetch_aborted(void **state)
{
	static const uint64_t aborts[] = { CP_REG(DISPATCH_ABORT), CP_REG(DMA_ABORT), CP_REG(MEDIA_ABORT) };
	static const uint64_t statuses[] = { CP_REG(DISPATCH_STATUS), CP_REG(DMA_STATUS), CP_REG(MEDIA_STATUS) };
	struct world *w = world_open_observed("mini");
	const uint64_t page = host_page(&w->h);
	struct program p;

	(void)state;
	for (unsigned kind = 0; kind < 3; kind++) {
		w->num_events = 0;
		program_begin(&p);
		put_li(&p, A0, kinds[kind].packet);
		put_li(&p, A1, page);
		put(&p, enc_sd(A1, A0, 0));
		put_li(&p, A0, kinds[kind].start);
		put_li(&p, A1, aborts[kind]);
		put_li(&p, A2, kinds[kind].done);
		put_li(&p, A3, statuses[kind]);
		put_cycle(&p);
		put(&p, enc_sw(0, A0, 0));
		put(&p, enc_sw(0, A1, 0));
		put(&p, enc_lw(A5, A2, 0));
		put(&p, enc_lw(A6, A3, 0));
		put(&p, enc_sw(A5, A2, 0));
		put(&p, enc_sw(0, A0, 0)); /* again: does not wait */
		put_cycle(&p);
		put(&p, enc_sd(A5, S0, 16));
		put(&p, enc_sd(A6, S0, 24));
		program_run(w, &p);
		assert_int_equal(result(w, 1) - result(w, 0), 2 + 2 + 10 + 2);
		assert_int_equal(result(w, 2), 1);
		assert_int_equal(result(w, 3), FAULT_ABORTED);
		assert_int_equal(event_count(w, EVENT_READ), 1); /* of the second start alone */
		bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
	}
	world_close(w);
}

/* ---- invalidations ---- */

static void test_invalidations(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	const struct device_config *c = device_config_find("mini");
	const uint64_t inv = CP_MMIO_BASE + REG_HOST_TLB_INV, sets = c->l2_tlb_entries / 4;
	struct program p;
	uint64_t begin;

	(void)state;
	program_begin(&p);
	for (unsigned scope = 0; scope < 4; scope++)
		put_write(&p, inv, scope << REG_HOST_TLB_INV_SCOPE_LSB | 5);
	put_li(&p, A2, CP_MMIO_BASE + REG_HOST_CTX_TABLE);
	put_cycle(&p);
	put(&p, enc_sd(0, A2, 0));
	put_cycle(&p);
	program_run(w, &p);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(write_takes(w, 2 * i), 1 + (i == 2 ? 1 : sets));
	/* the host: what comes behind it begins so much later */
	for (unsigned scope = 0; scope < 4; scope++) {
		bus_write32(w->bus, REG_HOST_TLB_INV, scope << REG_HOST_TLB_INV_SCOPE_LSB | 5);
		begin = bus_cycle(w->bus);
		assert_int_equal(bus_read64(w->bus, REG_HOST_CYCLE), begin + (scope == 2 ? 1 : sets) + c->mmio_read_cycles);
	}
	world_close(w);
}

/* ---- protected memory ---- */

enum { REGION = 64 << 10 };

static void test_clearing(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	const struct device_config *c = device_config_find("mini");
	const uint64_t takes = REGION / c->dram_bytes_cycle, base = DRAM_BASE + (1 << 20);
	uint64_t begin, polls = 0;

	(void)state;
	bus_write64(w->bus, REG_HOST_PROT_BASE, base);
	bus_write64(w->bus, REG_HOST_PROT_LIMIT, base + REGION);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), 0);
	bus_write64(w->bus, REG_HOST_PROT_LIMIT, 0);
	begin = bus_cycle(w->bus);
	while (bus_read32(w->bus, REG_HOST_STATUS) & REG_HOST_STATUS_CLEARING)
		polls++;
	assert_true(polls > 4);
	assert_in_range(bus_cycle(w->bus), begin + takes, begin + takes + c->mmio_read_cycles);
	/* a read of PROT_LIMIT waits, and so does the next setting; PROT_BASE does not, which is held */
	bus_write64(w->bus, REG_HOST_PROT_BASE, base);
	bus_write64(w->bus, REG_HOST_PROT_LIMIT, base + REGION);
	bus_write64(w->bus, REG_HOST_PROT_LIMIT, 0);
	begin = bus_cycle(w->bus);
	bus_write64(w->bus, REG_HOST_PROT_BASE + 8, base);
	assert_true(bus_cycle(w->bus) < begin + takes);
	assert_int_equal(bus_read64(w->bus, REG_HOST_PROT_BASE), 0);
	bus_write64(w->bus, REG_HOST_PROT_LIMIT + 8, base);
	assert_int_equal(bus_cycle(w->bus), begin + takes);
	bus_write64(w->bus, REG_HOST_PROT_BASE, base);
	bus_write64(w->bus, REG_HOST_PROT_LIMIT, base + REGION);
	bus_write64(w->bus, REG_HOST_PROT_LIMIT, 0);
	begin = bus_cycle(w->bus);
	assert_int_equal(bus_read64(w->bus, REG_HOST_PROT_LIMIT), 0);
	assert_int_equal(bus_cycle(w->bus), begin + takes);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), 0);
	world_close(w);
}

/* ---- reset ---- */

static void test_reset(void **state)
{
	const struct device_config *c = device_config_find("mini");
	const uint64_t sets = c->l2_tlb_entries / 4, cleared = REGION / c->dram_bytes_cycle;

	(void)state;
	for (unsigned regions = 0; regions < 2; regions++) {
		struct world *w = world_open("mini", BUS_TIMED, false);
		const uint64_t takes = regions ? cleared : sets;
		uint64_t begin, polls = 0;

		for (unsigned again = 0; again < 2; again++) {
			if (regions) {
				bus_write64(w->bus, REG_HOST_PROT_BASE, DRAM_BASE);
				bus_write64(w->bus, REG_HOST_PROT_LIMIT, DRAM_BASE + REGION);
			}
			bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
			begin = bus_cycle(w->bus);
			if (again) { /* all other registers wait */
				assert_int_equal(bus_read32(w->bus, REG_HOST_ID), 0x414e4c47);
				assert_int_equal(bus_cycle(w->bus), begin + (takes > c->mmio_read_cycles ? takes : c->mmio_read_cycles));
				assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), 0);
				continue;
			}
			while (bus_read32(w->bus, REG_HOST_STATUS) & REG_HOST_STATUS_RESETTING)
				polls++;
			assert_in_range(bus_cycle(w->bus), begin + takes, begin + takes + 2 * c->mmio_read_cycles);
			assert_true(!regions || polls > 4);
		}
		world_close(w);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fetch),	      cmocka_unit_test(test_fetch_aborted), cmocka_unit_test(test_invalidations),
		cmocka_unit_test(test_clearing),      cmocka_unit_test(test_reset),
	};

	(void)argc;
	monitor_find(argv[0]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
