/* Dispatches and transfers of a slot as registers show them: a start of a slot that is busy, what a packet that is refused leaves in
 * the FAULT registers, progress, and which ends count as faults. */
#include "testbench/model/device_world.h"

#define CODE_VA 0x10000000ull
#define DATA_VA 0x30000000ull
#define GONE_VA 0x40000000ull
enum { SLOT = 2 };

struct pages { uint64_t packets, code, data; };

static struct world *world_ready(struct pages *p)
{
	struct world *w = world_open("mini", BUS_TIMED, false);

	monitor_start(w);
	*p = (struct pages){ host_page(&w->h), host_page(&w->h), host_page(&w->h) };
	table_map(&w->h, w->contexts, ASID, CODE_VA, p->code, PTE_V | PTE_U | PTE_R | PTE_X);
	table_map(&w->h, w->contexts, ASID, DATA_VA, p->data, PTE_RW);
	for (unsigned s = SLOT; s <= SLOT + 1; s++)
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * s, ASID);
	monitor_run(w);
	return w;
}

/* A kernel of one work-item: counts to a number of thousands, then stores a number at DATA_VA + 4 * place; another one stores a
 * word at GONE_VA. */
static void kernels_write(struct world *w, const struct pages *p)
{
	for (unsigned i = 0; i < 4; i++) {
		uint32_t *k = (uint32_t *)host_at(&w->h, p->code) + 64 * i;

		*k++ = enc_lui(A0, i == 1 ? 1 : 4);
		*k++ = enc_addi(A0, A0, -1);
		*k++ = enc_b(1, A0, ZERO, -4);
		*k++ = enc_lui(A1, (i == 2 ? GONE_VA : DATA_VA) >> 12);
		*k++ = enc_addi(A2, ZERO, 100 + (int)i);
		*k++ = i == 3 ? enc_jal(0, 0) : enc_sw(A2, A1, 4 * (int)i);
		*k++ = 0x100b;
	}
}

static union packet kernel(unsigned which)
{
	return (union packet){ .dispatch = { .head.type = PACKET_CODE_dispatch, .entry = CODE_VA + 256 * which, .global_size = { 1, 1, 1 },
					     .local_size = { 1, 1, 1 } } };
}

static void start_kernel(struct world *w, const struct pages *p, unsigned packet)
{
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET) + 8 * SLOT, p->packets + 64 * packet);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), SLOT);
}

/* A second start of a slot that has a dispatch does nothing, to the slot or to the dispatch. */
static void test_busy_slot(void **state)
{
	struct pages p;
	struct world *w = world_ready(&p);
	union packet *packet = host_at(&w->h, p.packets);
	const uint32_t *data = host_at(&w->h, p.data);
	uint64_t cycle[2];

	(void)state;
	kernels_write(w, &p);
	packet[0] = kernel(0);
	packet[1] = kernel(1);
	for (unsigned twice = 0; twice < 2; twice++) {
		memset(host_at(&w->h, p.data), 0, 4096);
		start_kernel(w, &p, 0);
		monitor_add(w, MONITOR_CYCLE, 0, 0);
		if (twice) {
			start_kernel(w, &p, 1);
			monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_BUSY), 0);
		}
		monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
		monitor_add(w, MONITOR_READ64, CP_REG(DISPATCH_LAST) + 8 * SLOT, 0);
		monitor_add(w, MONITOR_READ64, CP_REG(DISPATCH_CYCLE) + 8 * SLOT, 0);
		monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_STATUS) + 4 * SLOT, 0);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_DONE), ~0u);
		const struct monitor_command *c = w->box->command + (twice ? 7 : 4);
		monitor_run(w);
		cycle[twice] = c[0].value - c[1].value;
		assert_true(c[1].value <= w->box->command[2].value); /* the start of the first one */
		assert_int_equal(c[2].value, FAULT_NONE);
		assert_int_equal(data[0], 100);
		assert_int_equal(data[1], 0);
		assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DISPATCHES), 1 + twice);
	}
	/* it has taken as long, but for translations */
	assert_in_range(cycle[1], cycle[0] - cycle[0] / 2, cycle[0]);
	world_close(w);
}

/* What the FAULT registers hold of a packet that is no dispatch, or one that the device cannot run. */
static void test_refused_packets(void **state)
{
	struct pages p;
	struct world *w = world_ready(&p);
	union packet *packet = host_at(&w->h, p.packets);

	(void)state;
	kernels_write(w, &p);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t faults;

		packet[0] = kernel(2); /* leaves something in all registers */
		packet[1] = kernel(0);
		if (i)
			packet[1].dispatch.local_size[1] = 0;
		else
			packet[1].head.type = PACKET_CODE_copy;
		start_kernel(w, &p, 0);
		monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
		monitor_add(w, MONITOR_READ64, CP_REG(FAULT_PC) + 8 * SLOT, 0);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_DONE), ~0u);
		monitor_run(w);
		assert_int_not_equal(w->box->command[3].value, 0);
		faults = bus_read64(w->bus, REG_HOST_CNT_FAULTS);
		start_kernel(w, &p, 1);
		monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
		monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_STATUS) + 4 * SLOT, 0);
		monitor_add(w, MONITOR_READ64, CP_REG(FAULT_ADDRESS) + 8 * SLOT, 0);
		monitor_add(w, MONITOR_READ64, CP_REG(FAULT_INFO) + 8 * SLOT, 0);
		monitor_add(w, MONITOR_READ64, CP_REG(FAULT_PC) + 8 * SLOT, 0);
		monitor_add(w, MONITOR_READ64, CP_REG(FAULT_GROUP_XY) + 8 * SLOT, 0);
		monitor_add(w, MONITOR_READ64, CP_REG(FAULT_GROUP_Z) + 8 * SLOT, 0);
		monitor_add(w, MONITOR_READ64, CP_REG(FAULT_LOCAL) + 8 * SLOT, 0);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_DONE), ~0u);
		monitor_run(w);
		assert_int_equal(w->box->command[3].value, i ? FAULT_BAD_DISPATCH : FAULT_BAD_PACKET);
		assert_int_equal(w->box->command[4].value, p.packets + 64);
		assert_int_equal(w->box->command[5].value, UNIT_CP | ACCESS_READ << 16);
		for (unsigned k = 6; k < 10; k++)
			assert_int_equal(w->box->command[k].value, 0);
		assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), faults + 1); /* a refusal is one */
	}
	world_close(w);
}

/* CNT_FAULTS over a fault, a stall and its replay, and an abort. */
static void test_faults_are_counted(void **state)
{
	struct pages p;
	struct world *w = world_ready(&p);
	union packet *packet = host_at(&w->h, p.packets);

	(void)state;
	kernels_write(w, &p);
	packet[0] = kernel(2);
	packet[1] = kernel(3);
	start_kernel(w, &p, 0);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_DONE), ~0u);
	monitor_run(w);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), 1);
	/* each report of a stall */
	monitor_add(w, MONITOR_WRITE32, CP_REG(SLOT_FLAGS) + 4 * SLOT, REG_CP_SLOT_FLAGS_REPLAY);
	start_kernel(w, &p, 0);
	for (unsigned again = 0; again < 2; again++) {
		monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_REPLAY);
		monitor_add(w, MONITOR_WRITE32, CP_REG(REPLAY_PENDING), ~0u);
		monitor_run(w);
		assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), 2 + again);
		if (again)
			table_map(&w->h, w->contexts, ASID, GONE_VA, p.data, PTE_RW);
		monitor_add(w, MONITOR_WRITE32, CP_REG(REPLAY), SLOT);
	}
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_STATUS) + 4 * SLOT, 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_DONE), ~0u);
	monitor_run(w);
	assert_int_equal(w->box->command[2].value, FAULT_NONE);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), 3);
	/* an abort is none */
	start_kernel(w, &p, 1);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ABORT), SLOT);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_STATUS) + 4 * SLOT, 0);
	monitor_run(w);
	assert_int_equal(w->box->command[4].value, FAULT_ABORTED);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), 3);
	world_close(w);
}

/* The bytes that a transfer has written so far, while an engine has it. */
static void test_progress(void **state)
{
	enum { ROWS = 4000, WIDTH = 256 };
	struct pages p;
	struct world *w = world_ready(&p);
	union packet *packet = host_at(&w->h, p.packets);
	uint64_t last = 0;

	(void)state;
	packet[0].copy = (struct packet_copy){ .head.type = PACKET_CODE_copy, .src = DATA_VA, .dst = DATA_VA + 2048, .width = WIDTH, .height = ROWS, .depth = 1 };
	monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * SLOT, p.packets);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), SLOT);
	for (unsigned i = 0; i < 20; i++)
		monitor_add(w, MONITOR_READ64, CP_REG(DMA_PROGRESS) + 8 * SLOT, 0);
	monitor_run(w);
	for (unsigned i = 0; i < 20; i++) {
		assert_in_range(w->box->command[2 + i].value, last, ROWS * WIDTH - 1);
		last = w->box->command[2 + i].value;
	}
	for (unsigned i = 0; i < 10; i++) {
		uint64_t now;

		bus_wait_irq(w->bus, 5000);
		now = cp_read(w, CP_REG(DMA_PROGRESS) + 8 * SLOT, 64);
		assert_true(now > last && now < ROWS * WIDTH);
		/* at most dma_bytes_cycle of mini a cycle, and what the bus takes of it */
		assert_in_range(now - last, 5000, 5000 * 8 * 2);
		last = now;
	}
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DMA);
	monitor_add(w, MONITOR_READ64, CP_REG(DMA_PROGRESS) + 8 * SLOT, 0);
	monitor_run(w);
	assert_int_equal(w->box->command[1].value, ROWS * WIDTH);
	world_close(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy_slot),
		cmocka_unit_test(test_refused_packets),
		cmocka_unit_test(test_faults_are_counted),
		cmocka_unit_test(test_progress),
	};

	(void)argc;
	monitor_find(argv[0]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
