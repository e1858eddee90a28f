/* Transfers and dispatches through the slots of the whole device: how they start, end, are aborted, stand at page faults and go on. */
#include "testbench/model/device_world.h"

enum { ROWS = 200 };

static void test_dma(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t src, dst, packets;
	union packet *p;

	(void)state;
	monitor_start(w);
	src = host_page(&w->h);
	dst = host_page(&w->h);
	packets = host_page(&w->h);
	table_map(&w->h, w->contexts, ASID, 0x10000000, src, PTE_RW);
	table_map(&w->h, w->contexts, ASID, 0x20000000, DRAM_BASE + 0x4000, PTE_RW);
	table_map(&w->h, w->contexts, ASID, 0x30000000, dst, PTE_RW);
	for (unsigned i = 0; i < 4096; i++)
		((uint8_t *)host_at(&w->h, src))[i] = (uint8_t)(i * 3);
	p = host_at(&w->h, packets);
	p[0].copy = (struct packet_copy){ .head.type = PACKET_CODE_copy,
					  .src = 0x10000000,
					  .dst = 0x20000000,
					  .width = 4096,
					  .height = ROWS,
					  .depth = 1 };
	p[1].copy = p[0].copy;
	p[1].copy.src = 0x20000000;
	p[1].copy.dst = 0x30000000;
	for (unsigned s = 0; s < 2; s++) {
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * s, ASID);
		monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * s, packets + 64 * s);
	}
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), 0);
	monitor_add(w, MONITOR_READ32, CP_MMIO_BASE + REG_HOST_STATUS, 0);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DMA);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_DONE), 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_DONE), 1);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), 1);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DMA);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_DONE), 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_DONE), 3);
	monitor_add(w, MONITOR_READ32, CP_REG(IRQ_PENDING), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS) + 4, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(DMA_CYCLE), 0);
	monitor_add(w, MONITOR_READ64, CP_REG(DMA_CYCLE) + 8, 0);
	monitor_run(w);
	assert_true(w->box->command[5].value & REG_HOST_STATUS_BUSY);
	assert_int_equal(w->box->command[7].value, 1);
	assert_int_equal(w->box->command[11].value, 2);
	assert_int_equal(w->box->command[13].value, 0);
	assert_int_equal(w->box->command[14].value, FAULT_NONE);
	assert_int_equal(w->box->command[15].value, FAULT_NONE);
	assert_true(w->box->command[16].value < w->box->command[17].value);
	assert_memory_equal(host_at(&w->h, dst), host_at(&w->h, src), 4096);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DMA_BYTES), 2 * ROWS * 4096);
	assert_true(bus_read64(w->bus, REG_HOST_CNT_TLB_L2_MISS) >= 3);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), REG_HOST_STATUS_CP_RUNNING);
	/* a fault has its details; a packet that is not there is one */
	p[0].copy.dst = 0x40000000;
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), 0);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DMA);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS), 0);
	monitor_add(w, MONITOR_READ64, CP_REG(FAULT_ADDRESS), 0);
	monitor_add(w, MONITOR_READ64, CP_REG(FAULT_INFO), 0);
	monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8, SYSTEM_BASE + 0xfff000);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), 1);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS) + 4, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(FAULT_ADDRESS) + 8, 0);
	monitor_run(w);
	assert_int_equal(w->box->command[2].value, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->box->command[3].value, 0x40000000);
	assert_int_equal(w->box->command[4].value, UNIT_DMA | ACCESS_WRITE << 16);
	assert_int_equal(w->box->command[7].value, FAULT_BUS_ERROR);
	assert_int_equal(w->box->command[8].value, SYSTEM_BASE + 0xfff000);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), 2);
	world_close(w);
}

/* Aborts, progress and replayed page faults, as the firmware sees them. */
static void test_dma_control(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	const struct monitor_command *r;
	uint64_t src, dst, packets;
	union packet *p;

	(void)state;
	monitor_start(w);
	src = host_page(&w->h);
	dst = host_page(&w->h);
	packets = host_page(&w->h);
	memset(host_at(&w->h, src), 0x77, 4096);
	table_map(&w->h, w->contexts, ASID, 0x10000000, src, PTE_RW);
	table_map(&w->h, w->contexts, ASID, 0x10001000, DRAM_BASE + 0x8000, PTE_RW);
	p = host_at(&w->h, packets);
	p[0].copy = (struct packet_copy){ .head.type = PACKET_CODE_copy,
					  .src = 0x10000000,
					  .dst = 0x10001000,
					  .width = 4096,
					  .height = UINT32_MAX,
					  .depth = 1 };
	p[1].copy = (struct packet_copy){ .head.type = PACKET_CODE_copy,
					  .src = 0x10000100,
					  .dst = 0x20000f00,
					  .width = 1024,
					  .height = 1,
					  .depth = 1 };
	table_map(&w->h, w->contexts, ASID, 0x20000000, DRAM_BASE + 0x9000, PTE_RW);
	for (unsigned s = 0; s < 2; s++) {
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * s, ASID);
		monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * s, packets + 64 * s);
	}
	monitor_add(w, MONITOR_WRITE32, CP_REG(SLOT_FLAGS) + 4, REG_CP_SLOT_FLAGS_REPLAY);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), 0); /* would take days */
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), 1);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_REPLAY);
	monitor_add(w, MONITOR_READ32, CP_REG(REPLAY_PENDING), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS) + 4, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(DMA_PROGRESS) + 8, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(FAULT_ADDRESS) + 8, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(FAULT_INFO) + 8, 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_DONE), 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_ABORT), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_DONE), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS), 0);
	monitor_add(w, MONITOR_READ64, CP_REG(DMA_PROGRESS), 0);
	monitor_run(w);
	r = w->box->command + 7;
	assert_int_equal(r[1].value, 1 << 1);
	assert_int_equal(r[2].value, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(r[3].value, 256);
	assert_int_equal(r[4].value, 0x20001000);
	assert_int_equal(r[5].value, (UNIT_DMA + 1) | ACCESS_WRITE << 16);
	assert_int_equal(r[6].value, 0);
	assert_int_equal(r[8].value, 1);
	assert_int_equal(r[9].value, FAULT_ABORTED);
	assert_in_range(r[10].value, 1, 1 << 30);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DMA_BYTES), r[10].value + 256);
	assert_true(bus_read64(w->bus, REG_HOST_CNT_DMA_BUSY) > r[10].value / 8);
	/* the page comes, and the transfer goes on */
	table_map(&w->h, w->contexts, ASID, 0x20001000, dst, PTE_RW);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_DONE), 1);
	monitor_add(w, MONITOR_WRITE32, CP_REG(REPLAY_PENDING), 1 << 1);
	monitor_add(w, MONITOR_WRITE32, CP_REG(REPLAY), 1);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS) + 4, 0); /* as DISPATCH_STATUS */
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DMA);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_DONE), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS) + 4, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(DMA_PROGRESS) + 8, 0);
	monitor_run(w);
	assert_int_equal(w->box->command[3].value, FAULT_NONE);
	r = w->box->command + 4;
	assert_int_equal(r[1].value, 1 << 1);
	assert_int_equal(r[2].value, FAULT_NONE);
	assert_int_equal(r[3].value, 1024);
	assert_memory_equal(host_at(&w->h, dst), host_at(&w->h, src), 768);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), 1);
	world_close(w);
}
/* ---- dispatch ---- */

/* Kernel: stores its local id, plus addend, at 4 * local id of the page at 0x30000000. */
static void kernel_write(struct world *w, uint64_t code_pa, int addend)
{
	uint32_t *k = host_at(&w->h, code_pa);
	unsigned n = 0;

	k[n++] = enc_csrrs(A0, CSR_local_id_x, 0);
	k[n++] = enc_lui(A1, 0x30000);
	k[n++] = enc_slli(A2, A0, 2);
	k[n++] = enc_r(0x33, 0, 0, A1, A1, A2);
	k[n++] = enc_addi(A0, A0, addend);
	k[n++] = enc_sw(A0, A1, 0);
	k[n++] = enc_i(0x0b, 1, 0, 0, 0);
}

static void dispatch_run(struct world *w)
{
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), 2);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_DONE), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_STATUS) + 4 * 2, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(FAULT_ADDRESS) + 8 * 2, 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_BUSY), 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_DONE), ~0u);
	monitor_run(w);
	assert_int_equal(w->box->command[2].value, 1 << 2);
	assert_int_equal(w->box->command[5].value, 0);
}

static void test_dispatch(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t code, data, packets, scratch, *words;
	union packet *p;
	uint32_t *out;

	(void)state;
	monitor_start(w);
	code = host_page(&w->h);
	data = host_page(&w->h);
	packets = host_page(&w->h);
	scratch = host_page(&w->h);
	table_map(&w->h, w->contexts, ASID, 0x10000000, code, PTE_V | PTE_U | PTE_R | PTE_X);
	table_map(&w->h, w->contexts, ASID, 0x30000000, data, PTE_RW);
	table_map(&w->h, w->contexts, ASID, 0x38000000, scratch, PTE_RW);
	kernel_write(w, code, 100);
	out = host_at(&w->h, data);
	p = host_at(&w->h, packets);
	p->dispatch = (struct packet_dispatch){ .head.type = PACKET_CODE_dispatch,
						.entry = 0x10000000,
						.global_size = { 10, 1, 1 },
						.local_size = { 10, 1, 1 } };
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET) + 8 * 2, packets);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * 2, ASID);
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_SCRATCH) + 8 * 2, 0x38000000);
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_SCRATCH_SIZE) + 8 * 2, 4096);
	monitor_run(w);
	dispatch_run(w);
	assert_int_equal(w->box->command[3].value, FAULT_NONE);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(out[i], i + 100);
	assert_int_equal(out[10], 0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DISPATCHES), 1);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_LANE_INSNS), 70);
	/* other code at the same address, after an invalidation of any scope */
	for (unsigned scope = 0; scope < 3; scope++) {
		kernel_write(w, code, (int)(200 + scope));
		bus_write64(w->bus, REG_HOST_TLB_INV_ADDR, 0x10000000);
		bus_write32(w->bus, REG_HOST_TLB_INV, scope << REG_HOST_TLB_INV_SCOPE_LSB | ASID);
		dispatch_run(w);
		assert_int_equal(w->box->command[3].value, FAULT_NONE);
		assert_int_equal(out[9], 9 + 200 + scope);
	}
	/* code that is not there; a packet that is none; sizes that the device cannot run */
	p->dispatch.entry = 0x11000000;
	dispatch_run(w);
	assert_int_equal(w->box->command[3].value, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(w->box->command[4].value, 0x11000000);
	p->head.type = PACKET_CODE_copy;
	dispatch_run(w);
	assert_int_equal(w->box->command[3].value, FAULT_BAD_PACKET);
	p->head.type = PACKET_CODE_dispatch;
	p->dispatch.entry = 0x10000000;
	p->dispatch.local_size[0] = 17;
	p->dispatch.global_size[0] = 17;
	dispatch_run(w);
	assert_int_equal(w->box->command[3].value, FAULT_BAD_DISPATCH);
	/* the data page unpinned: a bus error, at the lane's address */
	p->dispatch.local_size[0] = p->dispatch.global_size[0] = 1;
	host_pin(&w->h, (data - SYSTEM_BASE) >> 12, HOST_UNPINNED);
	dispatch_run(w);
	assert_int_equal(w->box->command[3].value, FAULT_BUS_ERROR);
	assert_int_equal(w->box->command[4].value, 0x30000000);
	host_pin(&w->h, (data - SYSTEM_BASE) >> 12, HOST_WRITE);
	/* a kernel that never ends: the limit holds; aborted, it ends */
	words = host_at(&w->h, code);
	words[0] = enc_jal(0, 0);
	bus_write32(w->bus, REG_HOST_TLB_INV, 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), 2);
	monitor_run(w);
	assert_int_equal(bus_wait_irq(w->bus, 50000), BUS_WAIT_LIMIT);
	assert_true(bus_read32(w->bus, REG_HOST_STATUS) & REG_HOST_STATUS_BUSY);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_BUSY), 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ABORT), 2);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_STATUS) + 4 * 2, 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_DONE), ~0u);
	monitor_run(w);
	assert_int_equal(w->box->command[0].value, 1 << 2);
	assert_int_equal(w->box->command[3].value, FAULT_ABORTED);
	assert_int_equal(bus_wait_irq(w->bus, 50000), BUS_WAIT_IDLE);
	world_close(w);
}

/* A page that is not there: the slot stands, says where, goes on when it is told to, or is aborted. */
static void test_replay(void **state)
{
	(void)state;
	for (unsigned speed = 0; speed < 2; speed++) {
		struct world *w = world_open("mini", speed ? BUS_FUNCTIONAL : BUS_TIMED, false);
		uint64_t code, data, packets;
		union packet *p;

		monitor_start(w);
		code = host_page(&w->h);
		data = host_page(&w->h);
		packets = host_page(&w->h);
		table_map(&w->h, w->contexts, ASID, 0x10000000, code, PTE_V | PTE_U | PTE_R | PTE_X);
		kernel_write(w, code, 100);
		p = host_at(&w->h, packets);
		p->dispatch = (struct packet_dispatch){ .head.type = PACKET_CODE_dispatch,
							.entry = 0x10000000,
							.global_size = { 10, 1, 1 },
							.local_size = { 10, 1, 1 } };
		monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET) + 8 * 2, packets);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * 2, ASID);
		monitor_add(w, MONITOR_WRITE32, CP_REG(SLOT_FLAGS) + 4 * 2, REG_CP_SLOT_FLAGS_REPLAY);
		monitor_run(w);
		for (unsigned round = 0; round < 3; round++) { /* replayed too early, replayed, aborted */
			monitor_add(w, round == 1 ? MONITOR_READ32 : MONITOR_WRITE32, CP_REG(DISPATCH_START), 2);
			if (round == 1)
				monitor_add(w, MONITOR_WRITE32, CP_REG(REPLAY), 2);
			monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_REPLAY);
			monitor_add(w, MONITOR_READ32, CP_REG(REPLAY_PENDING), 0);
			monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_STATUS) + 4 * 2, 0);
			monitor_add(w, MONITOR_READ64, CP_REG(FAULT_ADDRESS) + 8 * 2, 0);
			monitor_add(w, MONITOR_READ64, CP_REG(FAULT_INFO) + 8 * 2, 0);
			monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_BUSY), 0);
			monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_DONE), 0);
			monitor_add(w, MONITOR_WRITE32, CP_REG(REPLAY_PENDING), ~0u);
			monitor_run(w);
			struct monitor_command *c = w->box->command + (round == 1);
			assert_int_equal(c[2].value, 1 << 2);
			assert_int_equal(c[3].value, FAULT_PAGE_NOT_PRESENT);
			assert_in_range(c[4].value, 0x30000000, 0x30000000 + 9 * 4); /* of whichever warp came first */
			assert_int_equal(c[5].value, UNIT_CU | ACCESS_WRITE << 16);
			assert_int_equal(c[6].value, 1 << 2);
			assert_int_equal(c[7].value, 0);
			assert_int_equal(bus_wait_irq(w->bus, 50000), BUS_WAIT_IDLE); /* it waits, and does not spin */
			if (round == 1) {
				table_map(&w->h, w->contexts, ASID, 0x30000000, data, PTE_RW);
				monitor_add(w, MONITOR_WRITE32, CP_REG(REPLAY), 2);
			} else if (round == 2) {
				monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ABORT), 2);
			} else {
				continue;
			}
			monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
			monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_STATUS) + 4 * 2, 0);
			monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_DONE), ~0u);
			monitor_run(w);
			assert_int_equal(w->box->command[2].value, round == 2 ? FAULT_ABORTED : FAULT_NONE);
			for (unsigned i = 0; i < 10; i++)
				assert_int_equal(((uint32_t *)host_at(&w->h, data))[i], i + 100);
			table_map(&w->h, w->contexts, ASID, 0x30000000, 0, 0);
			bus_write32(w->bus, REG_HOST_TLB_INV, 0);
		}
		assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_LANE_INSNS), 70 + 50); /* the aborted one got as far as its store */
		assert_int_equal(bus_wait_irq(w->bus, 50000), BUS_WAIT_IDLE);
		world_close(w);
	}
}

static uint64_t since(struct world *w, unsigned slot) { return cp_read(w, CP_REG(SLOT_SINCE) + 8 * slot, 64); }

/* Since when a slot's work has been in a block: transfers on two engines, of which others wait, and a kernel that never ends. */
static void test_slot_since(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t src, code, packets, from, taken, freed;
	union packet *p;

	(void)state;
	monitor_start(w);
	src = host_page(&w->h);
	code = host_page(&w->h);
	packets = host_page(&w->h);
	table_map(&w->h, w->contexts, ASID, 0x10000000, src, PTE_RW);
	table_map(&w->h, w->contexts, ASID, 0x10001000, DRAM_BASE + 0x8000, PTE_RW);
	table_map(&w->h, w->contexts, ASID, 0x20000000, code, PTE_V | PTE_U | PTE_R | PTE_X);
	p = host_at(&w->h, packets);
	p[0].copy = (struct packet_copy){ .head.type = PACKET_CODE_copy, .src = 0x10000000, .dst = 0x10001000, .width = 4096, .height = UINT32_MAX, .depth = 1 };
	p[1].dispatch = (struct packet_dispatch){ .head.type = PACKET_CODE_dispatch, .entry = 0x20000000, .global_size = { 1, 1, 1 }, .local_size = { 1, 1, 1 } };
	*(uint32_t *)host_at(&w->h, code) = enc_jal(0, 0);
	for (unsigned s = 0; s < 4; s++) {
		assert_int_equal(since(w, s), 0);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * s, ASID);
		monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * s, packets);
		monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET) + 8 * s, packets + 64);
		monitor_run(w);
	}
	from = bus_cycle(w->bus);
	for (unsigned s = 0; s < 3; s++)
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), s);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), 3);
	monitor_run(w);
	taken = since(w, 1);
	assert_in_range(taken, from, bus_cycle(w->bus));
	assert_in_range(since(w, 0), from, taken);
	assert_int_equal(since(w, 2), 0); /* there are two engines */
	assert_in_range(since(w, 3), taken, bus_cycle(w->bus));
	freed = bus_cycle(w->bus);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_ABORT), 0);
	monitor_run(w);
	assert_int_equal(since(w, 0), 0);
	assert_int_equal(since(w, 1), taken);
	assert_in_range(since(w, 2), freed, bus_cycle(w->bus));
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ABORT), 3);
	monitor_run(w);
	assert_int_equal(since(w, 3), 0);
	world_close(w);
}

/* What is read of local memory by a kernel in slot 2, which then fills it. */
static uint64_t local_run(struct world *w, uint64_t code, uint64_t data, uint64_t packets)
{
	uint32_t *k = host_at(&w->h, code);
	union packet *p = host_at(&w->h, packets);
	unsigned n = enc_li(k, A0, 0x500000000000);

	k[n++] = enc_lui(A1, 0x30000);
	k[n++] = enc_ld(A2, A0, 0);
	k[n++] = enc_sd(A2, A1, 0);
	k[n++] = enc_addi(A3, 0, -1);
	k[n++] = enc_sd(A3, A0, 0);
	k[n++] = enc_i(0x0b, 1, 0, 0, 0);
	p->dispatch = (struct packet_dispatch){ .head.type = PACKET_CODE_dispatch, .entry = 0x10000000, .local_bytes = 64,
						.global_size = { 1, 1, 1 }, .local_size = { 1, 1, 1 } };
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET) + 8 * 2, packets);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * 2, ASID);
	monitor_run(w);
	dispatch_run(w);
	assert_int_equal(w->box->command[3].value, FAULT_NONE);
	return *(uint64_t *)host_at(&w->h, data);
}

/* Local memory is its address space's until that may be another one. */
static void test_local_memory_of_spaces(void **state)
{
	(void)state;
	for (unsigned speed = 0; speed < 2; speed++) {
		struct world *w = world_open("mini", speed ? BUS_TIMED : BUS_FUNCTIONAL, false);
		uint64_t code = host_page(&w->h), data = host_page(&w->h), packets = host_page(&w->h);

		for (unsigned run = 0; run < 2; run++) { /* before and after a reset */
			monitor_start(w);
			table_map(&w->h, w->contexts, ASID, 0x10000000, code, PTE_V | PTE_U | PTE_R | PTE_X);
			table_map(&w->h, w->contexts, ASID, 0x30000000, data, PTE_RW);
			assert_int_equal(local_run(w, code, data, packets), 0);
			assert_int_equal(local_run(w, code, data, packets), UINT64_MAX);
			bus_write64(w->bus, REG_HOST_TLB_INV_ADDR, 0x10000000);
			bus_write32(w->bus, REG_HOST_TLB_INV, 2u << REG_HOST_TLB_INV_SCOPE_LSB | ASID);
			bus_write32(w->bus, REG_HOST_TLB_INV, 1u << REG_HOST_TLB_INV_SCOPE_LSB | (ASID + 1));
			assert_int_equal(local_run(w, code, data, packets), UINT64_MAX);
			bus_write32(w->bus, REG_HOST_TLB_INV, 1u << REG_HOST_TLB_INV_SCOPE_LSB | ASID);
			assert_int_equal(local_run(w, code, data, packets), 0);
			for (unsigned scope = 0; scope < 4; scope += 3) { /* all, and what is read as all */
				bus_write32(w->bus, REG_HOST_TLB_INV, scope << REG_HOST_TLB_INV_SCOPE_LSB | (ASID + 1));
				assert_int_equal(local_run(w, code, data, packets), 0);
			}
			bus_write64(w->bus, REG_HOST_CTX_TABLE, w->contexts);
			assert_int_equal(local_run(w, code, data, packets), 0);
			assert_int_equal(local_run(w, code, data, packets), UINT64_MAX);
			monitor_add(w, MONITOR_READ64, CP_REG(DISPATCH_GROUPS) + 8 * 2, 0);
			monitor_add(w, MONITOR_READ64, CP_REG(DISPATCH_LAST) + 8 * 2, 0);
			monitor_run(w);
			assert_int_equal(w->box->command[0].value, 1);
			assert_in_range(w->box->command[1].value, 1, bus_cycle(w->bus));
			bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
		}
		monitor_start(w);
		assert_int_equal(cp_read(w, CP_REG(DISPATCH_GROUPS) + 8 * 2, 64), 0);
		assert_int_equal(cp_read(w, CP_REG(DISPATCH_LAST) + 8 * 2, 64), 0);
		world_close(w);
	}
}

/* A binary payload that can be read and not be cleared, in a slot whose fault before had a work-item. */
static void test_payload_that_stays(void **state)
{
	static const uint32_t details[] = { REG_CP_FAULT_PC, REG_CP_FAULT_GROUP_XY, REG_CP_FAULT_GROUP_Z, REG_CP_FAULT_LOCAL };
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t code, data, packets, page, faults;
	uint32_t *k;
	union packet *p;

	(void)state;
	monitor_start(w);
	code = host_page(&w->h);
	data = host_page(&w->h);
	packets = host_page(&w->h);
	page = host_page(&w->h);
	table_map(&w->h, w->contexts, ASID, 0x10000000, code, PTE_V | PTE_U | PTE_R | PTE_X);
	table_map(&w->h, w->contexts, ASID, 0x30000000, data, PTE_RW);
	kernel_write(w, code, 0);
	k = host_at(&w->h, code);
	k[2] = enc_slli(A2, A0, 11); /* the third item leaves the page */
	p = host_at(&w->h, packets);
	p->dispatch = (struct packet_dispatch){ .head.type = PACKET_CODE_dispatch, .entry = 0x10000000, .global_size = { 4, 1, 1 }, .local_size = { 4, 1, 1 } };
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET) + 8 * 2, packets);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * 2, ASID);
	monitor_run(w);
	dispatch_run(w);
	assert_int_equal(w->box->command[4].value, 0x30001000);
	assert_int_equal(cp_read(w, CP_REG(FAULT_LOCAL) + 8 * 2, 64), 2);
	*(uint64_t *)host_at(&w->h, page + 8) = 1;
	host_pin(&w->h, (page - SYSTEM_BASE) >> 12, HOST_READ);
	faults = bus_read64(w->bus, REG_HOST_CNT_FAULTS);
	monitor_add(w, MONITOR_WRITE32, CP_REG(SEM_WAIT_MODE) + 4 * 2, 1); /* binary */
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT) + 8 * 2, page + 8);
	monitor_add(w, MONITOR_READ32, CP_REG(SEM_STATUS) + 4 * 2, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(FAULT_ADDRESS) + 8 * 2, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(FAULT_INFO) + 8 * 2, 0);
	monitor_run(w);
	assert_int_equal(w->box->command[2].value, FAULT_BUS_ERROR);
	assert_int_equal(w->box->command[3].value, page + 8);
	assert_int_equal(w->box->command[4].value, UNIT_SEM | ACCESS_WRITE << 16);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(cp_read(w, CP_MMIO_BASE + REG_BANK_CP_OFFSET + details[i] + 8 * 2, 64), 0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), faults + 1);
	assert_int_equal(*(uint64_t *)host_at(&w->h, page + 8), 1);
	world_close(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dma),
		cmocka_unit_test(test_dma_control),
		cmocka_unit_test(test_dispatch),
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_slot_since),
		cmocka_unit_test(test_payload_that_stays),
		cmocka_unit_test(test_local_memory_of_spaces),
	};

	monitor_find(argv[0]);
	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
