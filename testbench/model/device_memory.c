/* Memory as the whole device has it: windows of the command processor, what a reset leaves in the L2 cache and open in the DRAM,
 * maintenance by the host, errors of memory, and the order in which the host sees what is written. */
#include "testbench/model/device_world.h"

#define DATA_VA 0x30000000ull /* DRAM_BASE, 4 pages */
#define HOST_VA 0x38000000ull /* 4 pages of system memory */
#define WINDOW_VA 0x20000000ull
#define SET_VA 0x50000000ull /* pages of one set of the TLBs, from here on */
enum { SLOT = 2, PAGES = 4, TCM_PACKET = 0x20000 };

struct pages { uint64_t packets, host; };

/* The number that gives the set of a page of 4 KiB in a TLB: MMU-36. */
static uint64_t set_of(uint64_t va) { return va >> 12 ^ va >> 18 ^ va >> 24; }

/* The monitor runs, the pages are mapped in new tables. */
static struct pages get_ready(struct world *w)
{
	struct pages p;

	monitor_start(w);
	p.packets = host_page(&w->h);
	p.host = host_page(&w->h);
	for (unsigned i = 1; i < PAGES; i++)
		assert_int_equal(host_page(&w->h), p.host + i * 4096);
	for (unsigned i = 0; i < PAGES; i++) {
		table_map(&w->h, w->contexts, ASID, DATA_VA + i * 4096, DRAM_BASE + i * 4096, PTE_RW);
		table_map(&w->h, w->contexts, ASID, HOST_VA + i * 4096, p.host + i * 4096, PTE_RW);
	}
	table_map(&w->h, w->contexts, ASID, WINDOW_VA, CP_TCM_BASE, PTE_RW);
	table_map(&w->h, w->contexts, ASID, WINDOW_VA + 4096, CP_MMIO_BASE, PTE_RW);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * SLOT, ASID);
	monitor_run(w);
	return p;
}

/* The status of a transfer whose packet is at an address. */
static uint64_t transfer_at(struct world *w, uint64_t packet)
{
	monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * SLOT, packet);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), SLOT);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DMA);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS) + 4 * SLOT, 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_DONE), ~0u);
	monitor_run(w);
	return w->box->command[3].value;
}

static struct packet_copy packet_of(uint64_t src, uint64_t dst, uint32_t bytes)
{
	return (struct packet_copy){ .head.type = PACKET_CODE_copy, .src = src, .dst = dst, .width = bytes, .height = 1, .depth = 1 };
}

static uint64_t copy(struct world *w, const struct pages *p, uint64_t src, uint64_t dst, uint32_t bytes)
{
	((union packet *)host_at(&w->h, p->packets))->copy = packet_of(src, dst, bytes);
	return transfer_at(w, p->packets);
}

/* ---- windows ---- */

static void test_windows_of_the_command_processor(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	struct pages p = get_ready(w);
	struct packet_copy packet = packet_of(HOST_VA, DATA_VA, 64);

	(void)state;
	/* a packet there is read, one in the registers is not */
	tcm_load(w, TCM_PACKET, &packet, sizeof(packet));
	assert_int_equal(transfer_at(w, CP_TCM_BASE + TCM_PACKET), FAULT_NONE);
	assert_int_equal(transfer_at(w, CP_MMIO_BASE + 0x1000), FAULT_BUS_ERROR);
	/* for others there is no memory, neither to read nor to write */
	for (unsigned window = 0; window < 2; window++) {
		uint64_t pa = window ? CP_MMIO_BASE : CP_TCM_BASE + TCM_PACKET, faults;

		assert_int_equal(copy(w, &p, WINDOW_VA + 4096 * window, HOST_VA, 8), FAULT_BUS_ERROR);
		assert_int_equal(copy(w, &p, HOST_VA, WINDOW_VA + 4096 * window, 8), FAULT_BUS_ERROR);
		faults = bus_read64(w->bus, REG_HOST_CNT_FAULTS);
		bus_write64(w->bus, REG_HOST_SEM_SIGNAL, pa);
		assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), faults + 1);
		/* a table of pages there */
		*table_word(&w->h, w->contexts, ASID + 1) = (window ? CP_MMIO_BASE : CP_TCM_BASE) | 1;
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * SLOT, ASID + 1);
		monitor_run(w);
		assert_int_equal(copy(w, &p, HOST_VA, DATA_VA, 8), FAULT_PAGE_TABLE);
		bus_write32(w->bus, REG_HOST_TLB_INV, 0);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * SLOT, ASID);
		monitor_run(w);
	}
	world_close(w);
}

/* ---- reset ---- */

static void test_reset_keeps_the_cache(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	struct pages p = get_ready(w);
	uint8_t *bytes = host_at(&w->h, p.host);

	(void)state;
	/* twice as many bytes as the cache holds, of which the second half is in it, dirty */
	for (unsigned i = 0; i < PAGES * 4096; i++)
		bytes[i] = (uint8_t)(i * 7 ^ i >> 8);
	assert_int_equal(copy(w, &p, HOST_VA, DATA_VA, PAGES * 4096), FAULT_NONE);
	bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
	p = get_ready(w);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_L2_HIT), 0);
	assert_int_equal(copy(w, &p, DATA_VA + 8192, HOST_VA + 8192, 8192), FAULT_NONE);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_L2_HIT), 8192 / 64);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_L2_MISS), 0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DRAM_WRITE), 0);
	/* the other half takes the places of those lines, which are written back */
	assert_int_equal(copy(w, &p, DATA_VA, HOST_VA, 8192), FAULT_NONE);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_L2_MISS), 8192 / 64);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DRAM_WRITE), 8192);
	assert_memory_equal(host_at(&w->h, p.host), bytes, PAGES * 4096);
	world_close(w);
}

static void test_reset_closes_no_row(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	struct pages p = get_ready(w);

	(void)state;
	assert_int_equal(copy(w, &p, DATA_VA, HOST_VA, 64), FAULT_NONE);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DRAM_ROW_MISS), 1);
	bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
	p = get_ready(w);
	assert_int_equal(copy(w, &p, DATA_VA + 64, HOST_VA, 64), FAULT_NONE); /* another line of the row */
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DRAM_ROW_MISS), 0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DRAM_ROW_HIT), 1);
	assert_int_equal(copy(w, &p, DATA_VA + 1024, HOST_VA, 64), FAULT_NONE); /* another row */
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DRAM_ROW_MISS), 1);
	world_close(w);
}

/* The TLBs are emptied, and which way of a set is taken next stays: five pages of one set before the reset and five behind it. */
static void test_reset_keeps_turns_of_ways(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t dst = HOST_VA, missed[2];

	(void)state;
	while (set_of(dst) % 2 == set_of(SET_VA) % 2)
		dst += 4096;
	for (unsigned reset = 0; reset < 2; reset++) {
		struct pages p = get_ready(w);
		uint64_t va[5], at = SET_VA;

		for (unsigned i = 0; i < 5; i++, at += 4096) {
			while (set_of(at) % 8 != set_of(SET_VA) % 8)
				at += 4096;
			table_map(&w->h, w->contexts, ASID, va[i] = at, DRAM_BASE + i * 4096, PTE_RW);
			assert_int_equal(copy(w, &p, at, dst, 8), FAULT_NONE);
		}
		for (unsigned i = 0; i < 2; i++) {
			missed[i] = bus_read64(w->bus, REG_HOST_CNT_TLB_L2_MISS);
			assert_int_equal(copy(w, &p, va[i + !reset], dst, 8), FAULT_NONE);
			missed[i] = bus_read64(w->bus, REG_HOST_CNT_TLB_L2_MISS) - missed[i];
		}
		/* the fifth page has taken way 0 at first; behind the reset it takes the way after the last one taken */
		assert_int_equal(missed[0], 0);
		if (reset)
			assert_int_equal(missed[1], 1);
		bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
	}
	world_close(w);
}

/* ---- maintenance by the host ---- */

static void maintain(struct world *w, uint64_t address, uint64_t size, enum cache_op op)
{
	bus_write64(w->bus, REG_HOST_CACHE_ADDR, address);
	bus_write64(w->bus, REG_HOST_CACHE_SIZE, size);
	bus_write32(w->bus, REG_HOST_CACHE, op);
}

/* Dirties the first page of HOST_VA: 0x77 in the device, 0 in memory. */
static uint8_t *dirty_page(struct world *w, const struct pages *p)
{
	uint8_t *page = host_at(&w->h, p->host);

	maintain(w, 0, 0, CACHE_CLEAN | CACHE_INVALIDATE);
	memset(page, 0, 4096);
	memset(page + 4096, 0x77, 4096);
	assert_int_equal(copy(w, p, HOST_VA + 4096, HOST_VA, 4096), FAULT_NONE);
	assert_int_equal(page[0], 0);
	return page;
}

static void expect_bytes(const uint8_t *page, unsigned from, unsigned to)
{
	for (unsigned i = 0; i < 4096; i++)
		assert_int_equal(page[i], i >= from && i < to ? 0x77 : 0);
}

static void test_ranges(void **state)
{
	struct world *w = world_open("mini,coherent=0", BUS_TIMED, false);
	struct pages p = get_ready(w);
	uint8_t *page = dirty_page(w, &p);

	(void)state;
	/* beyond the last address: nothing */
	maintain(w, p.host, UINT64_MAX, CACHE_CLEAN);
	maintain(w, p.host, 1 - p.host, CACHE_CLEAN);
	maintain(w, UINT64_MAX - 63, 128, CACHE_CLEAN);
	expect_bytes(page, 0, 0);
	/* a byte, at no line's beginning, is its line; pages that are not pinned have none */
	maintain(w, p.host + 100, 1, CACHE_CLEAN);
	expect_bytes(page, 64, 128);
	maintain(w, p.host + 127, 2, CACHE_CLEAN);
	expect_bytes(page, 64, 192);
	maintain(w, SYSTEM_BASE + 0xfff004, 5000, CACHE_CLEAN | CACHE_INVALIDATE);
	expect_bytes(page, 64, 192);
	/* up to the last address: all */
	maintain(w, p.host, -p.host, CACHE_CLEAN);
	expect_bytes(page, 0, 4096);
	world_close(w);
}

/* A line that is looked for takes a cycle; what is written back takes the bus, and the write until the bus has accepted it. */
static void test_time_of_maintenance(void **state)
{
	static const struct { uint64_t at, size, lines; } cases[] = { { 0, 4096, 64 }, { 60, 5, 2 }, { 0, 1, 1 }, { 0, 0, 128 }, { 0, 1 << 20, 128 } };
	struct world *w = world_open("mini,coherent=0,sys_latency=100", BUS_TIMED, false);
	const struct device_config *c = device_config_find("mini");
	struct pages p = get_ready(w);
	uint64_t before, written;

	(void)state;
	dirty_page(w, &p);
	for (unsigned i = 0; i < 100; i++) /* the bus has nothing to do any more */
		bus_read32(w->bus, REG_HOST_ID);
	written = bus_read64(w->bus, REG_HOST_CNT_SYS_WRITE);
	bus_write64(w->bus, REG_HOST_CACHE_ADDR, p.host);
	bus_write64(w->bus, REG_HOST_CACHE_SIZE, 4096);
	before = bus_cycle(w->bus);
	bus_write32(w->bus, REG_HOST_CACHE, CACHE_CLEAN);
	assert_int_equal(bus_cycle(w->bus) - before, c->mmio_write_cycles + 64 + 4096 / c->sys_bytes_cycle - 100);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_SYS_WRITE) - written, 4096);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) { /* nothing is dirty */
		bus_write64(w->bus, REG_HOST_CACHE_ADDR, p.host + cases[i].at);
		bus_write64(w->bus, REG_HOST_CACHE_SIZE, cases[i].size);
		before = bus_cycle(w->bus);
		bus_write32(w->bus, REG_HOST_CACHE, CACHE_CLEAN);
		assert_int_equal(bus_cycle(w->bus) - before, c->mmio_write_cycles + cases[i].lines);
	}
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_SYS_WRITE) - written, 4096);
	assert_int_equal(copy(w, &p, HOST_VA + 4096, HOST_VA + 67, 5), FAULT_NONE); /* five bytes of a line go back */
	written = bus_read64(w->bus, REG_HOST_CNT_SYS_WRITE);
	maintain(w, 0, 0, CACHE_CLEAN);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_SYS_WRITE) - written, 5);
	world_close(w);
}

static void test_what_is_reported(void **state)
{
	struct world *w = world_open_observed("mini,coherent=0");
	struct pages p = get_ready(w);
	uint64_t faults, irq;

	(void)state;
	dirty_page(w, &p);
	for (unsigned op = CACHE_CLEAN; op <= (CACHE_CLEAN | CACHE_INVALIDATE); op++) {
		unsigned line = 0, report = 0;

		w->num_events = 0;
		maintain(w, p.host + 64 * op, 64, (enum cache_op)op);
		assert_int_equal(event_count(w, EVENT_MAINTAIN_PAGES), 1);
		const struct event *e = event_find(w, EVENT_MAINTAIN_PAGES, 0);
		assert_int_equal(e->a, p.host + 64 * op);
		assert_int_equal(e->b, 64);
		assert_int_equal(e->c, op);
		for (unsigned i = 0; i < w->num_events; i++) {
			report = w->events[i].kind == EVENT_MAINTAIN_PAGES ? i : report;
			if (w->events[i].kind == EVENT_LINE_WRITEBACK || w->events[i].kind == EVENT_LINE_DROP)
				line = line ? line : i;
		}
		assert_true(report < line); /* before those of its lines */
	}
	w->num_events = 0;
	maintain(w, p.host, 4096, (enum cache_op)0);
	assert_int_equal(event_count(w, EVENT_MAINTAIN_PAGES), 0);
	/* dirty lines whose page is gone: dropped, with no other sign */
	dirty_page(w, &p);
	host_pin(&w->h, (p.host - SYSTEM_BASE) >> 12, HOST_READ);
	faults = bus_read64(w->bus, REG_HOST_CNT_FAULTS);
	irq = bus_read32(w->bus, REG_HOST_IRQ_STATUS);
	w->num_events = 0;
	maintain(w, p.host + 128, 64, CACHE_CLEAN);
	assert_int_equal(event_count(w, EVENT_LINE_DROP), 1);
	assert_int_equal(event_find(w, EVENT_LINE_DROP, 0)->a, p.host + 128);
	assert_int_equal(event_find(w, EVENT_LINE_DROP, 0)->b, 1);
	assert_int_equal(event_count(w, EVENT_LINE_WRITEBACK), 0);
	assert_int_equal(event_count(w, EVENT_FAULT), 0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), faults);
	assert_int_equal(bus_read32(w->bus, REG_HOST_IRQ_STATUS), irq);
	expect_bytes(host_at(&w->h, p.host), 0, 0);
	world_close(w);
}

/* ---- errors ---- */

static void inject(struct world *w, enum injection kind, unsigned unit)
{
	bus_write32(w->bus, REG_HOST_INJECT_NTH, 1);
	bus_write32(w->bus, REG_HOST_INJECT_UNIT, unit);
	bus_write64(w->bus, REG_HOST_INJECT_ARG, 0);
	bus_write32(w->bus, REG_HOST_INJECT, kind);
}

/* Both kinds of error at one read are one interrupt; the next read has its own. */
static void test_one_interrupt(void **state)
{
	struct world *w = world_open_observed("mini");
	struct pages p = get_ready(w);

	(void)state;
	for (unsigned again = 0; again < 2; again++) {
		unsigned raised = 0;

		w->num_events = 0;
		inject(w, INJECT_ECC_SINGLE, UNIT_DMA);
		inject(w, INJECT_ECC_DOUBLE, UNIT_DMA);
		assert_int_equal(copy(w, &p, DATA_VA, HOST_VA, 64), FAULT_ECC);
		for (unsigned i = 0; i < w->num_events; i++)
			raised += w->events[i].kind == EVENT_IRQ_RAISE && w->events[i].a & REG_HOST_IRQ_STATUS_ECC;
		assert_int_equal(raised, 1);
		assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_ECC_CORRECTED), again + 1);
		assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_ECC_UNCORRECTED), again + 1);
		bus_write32(w->bus, REG_HOST_IRQ_STATUS, REG_HOST_IRQ_STATUS_ECC);
	}
	world_close(w);
}

static void test_error_in_a_payload(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);

	(void)state;
	get_ready(w);
	inject(w, INJECT_ECC_DOUBLE, UNIT_SEM);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT_VALUE), 1);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT), DRAM_BASE);
	monitor_add(w, MONITOR_READ32, CP_REG(SEM_STATUS), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(SEM_WOKEN), 0);
	monitor_run(w);
	assert_int_equal(w->box->command[2].value, FAULT_ECC);
	assert_int_equal(w->box->command[3].value, 1);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS) & REG_HOST_STATUS_LOST, 0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_ECC_UNCORRECTED), 1);
	world_close(w);
}

/* ---- order ---- */

static uint64_t written[256];
static unsigned num_written;

static int ordered_write(void *ctx, uint64_t address, const void *src, size_t len)
{
	if (num_written < 256)
		written[num_written++] = address;
	return host_write(ctx, address, src, len);
}

/* What the command processor and the semaphore unit write comes to system memory in the order in which it was written. */
static void test_order_of_writes(void **state)
{
	enum { N = 12 };
	struct world *w = calloc(1, sizeof(*w));
	const char *error = NULL;
	struct pages p;
	unsigned found = 0;

	(void)state;
	w->params = (struct bus_params){ .device = "model", .config = "mini", .speed = BUS_TIMED, .memory = host_init(&w->h, true) };
	w->params.memory.write = ordered_write;
	w->bus = bus_open(&w->params, &error);
	assert_non_null(w->bus);
	p = get_ready(w);
	for (unsigned i = 0; i < N; i++) {
		uint64_t pa = p.host + i % PAGES * 4096 + 8 * ((i * 5) % N);

		if (i % 3 == 1) {
			monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_STORE_VALUE), i + 1);
			monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_STORE), pa);
		} else {
			monitor_add(w, i % 2 ? MONITOR_WRITE32 : MONITOR_WRITE64, pa, i + 1);
		}
	}
	num_written = 0;
	monitor_run(w);
	for (unsigned i = 0; i < num_written; i++) {
		uint64_t address = written[i] - (p.host - SYSTEM_BASE);

		if (address >= PAGES * 4096)
			continue; /* of the box */
		assert_int_equal(address, found % PAGES * 4096 + 8 * ((found * 5) % N));
		found++;
	}
	assert_int_equal(found, N);
	world_close(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows_of_the_command_processor),
		cmocka_unit_test(test_reset_keeps_the_cache),
		cmocka_unit_test(test_reset_closes_no_row),
		cmocka_unit_test(test_reset_keeps_turns_of_ways),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_time_of_maintenance),
		cmocka_unit_test(test_what_is_reported),
		cmocka_unit_test(test_one_interrupt),
		cmocka_unit_test(test_error_in_a_payload),
		cmocka_unit_test(test_order_of_writes),
	};

	(void)argc;
	monitor_find(argv[0]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
