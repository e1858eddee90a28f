/* What dispatches, transfers and media jobs of a slot have in common: which slot numbers there are, what a start takes over, and a
 * packet that cannot be read. */
#include "testbench/media_predict.h"
#include "testbench/model/device_world.h"

/* Virtual addresses, one page each, and the pages behind them. */
#define PACKETS_VA 0x10000000ull
#define CODE_VA 0x11000000ull
#define SRC_VA 0x12000000ull
#define DST_VA 0x13000000ull
#define JOB_VA 0x14000000ull
#define SCRATCH_VA 0x15000000ull
enum { OTHER = 6 /* another address space, whose destination is another page */, SIDE = 8 /* of a picture */ };

struct pages { uint64_t packets, code, src, dst, job, scratch, other; };

static struct pages map_all(struct world *w)
{
	struct pages p = { host_page(&w->h), host_page(&w->h), host_page(&w->h), host_page(&w->h), host_page(&w->h), host_page(&w->h),
			   host_page(&w->h) };

	for (unsigned asid = ASID; asid <= OTHER; asid++) {
		table_map(&w->h, w->contexts, (uint16_t)asid, CODE_VA, p.code, PTE_V | PTE_U | PTE_R | PTE_X);
		table_map(&w->h, w->contexts, (uint16_t)asid, SRC_VA, p.src, PTE_RW);
		table_map(&w->h, w->contexts, (uint16_t)asid, DST_VA, asid == OTHER ? p.other : p.dst, PTE_RW);
		table_map(&w->h, w->contexts, (uint16_t)asid, JOB_VA, p.job, PTE_RW);
		table_map(&w->h, w->contexts, (uint16_t)asid, SCRATCH_VA, p.scratch, PTE_RW);
	}
	for (unsigned i = 0; i < 4096; i++)
		((uint8_t *)host_at(&w->h, p.src))[i] = (uint8_t)(1 + i * 7 % 251);
	return p;
}

/* Kernels at CODE_VA: stores 0x77 at DST_VA + 2048; does not end; stores 0x55 in its private memory. */
enum { STORES = 0, SPINS = 64, PRIVATE = 128 };

static void kernels_write(struct world *w, const struct pages *p)
{
	uint32_t *k = host_at(&w->h, p->code);
	unsigned n = 0;

	k[n++] = enc_lui(A1, DST_VA >> 12);
	k[n++] = enc_lui(A2, 1);
	k[n++] = enc_r(0x33, 0, 0, A1, A1, A2); /* + 4096 - 2048 */
	k[n++] = enc_addi(A0, 0, 0x77);
	k[n++] = enc_s(0, A0, A1, -2048);
	k[n++] = 0x100b;
	k[SPINS / 4] = enc_jal(0, 0);
	n = PRIVATE / 4;
	k[n++] = enc_addi(A0, 0, 0x55);
	k[n++] = enc_sw(A0, SP, -16);
	k[n++] = 0x100b;
}

static union packet packet_dispatch(uint64_t entry, unsigned items)
{
	return (union packet){ .dispatch = { .head.type = PACKET_CODE_dispatch, .entry = CODE_VA + entry, .global_size = { items, 1, 1 },
					     .local_size = { (uint16_t)items, 1, 1 } } };
}

/* `rows` times the first 256 bytes of the source. */
static union packet packet_rows(unsigned rows)
{
	return (union packet){ .copy = { .head.type = PACKET_CODE_copy, .src = SRC_VA, .dst = DST_VA, .width = 256, .height = rows, .depth = 1 } };
}

/* A picture of SIDE by SIDE samples of 8 bits, at DST_VA + 1024, is a copy of the source's first ones. */
static union packet packet_picture(struct world *w, const struct pages *p)
{
	struct media_process *j = host_at(&w->h, p->job);

	*j = (struct media_process){ .src = { SIDE, SIDE, 0, { { SRC_VA, SIDE, 1, 0, 0, 8 } } },
				     .dst = { SIDE, SIDE, 0, { { DST_VA + 1024, SIDE, 1, 0, 0, 8 } } }, .width = SIDE, .height = SIDE };
	j->filter_x[0][0] = j->filter_y[0][0] = (struct media_filter){ JOB_VA + 1024, 1, 0 };
	predict_table_box((uint8_t *)host_at(&w->h, p->job + 1024), SIDE, 1, 1);
	return (union packet){ .process = { .head.type = PACKET_CODE_process, .job = JOB_VA } };
}

static void slot_set(struct world *w, unsigned slot, uint64_t packet, uint32_t asid, uint32_t flags)
{
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET) + 8 * slot, packet);
	monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * slot, packet);
	monitor_add(w, MONITOR_WRITE64, CP_REG(MEDIA_PACKET) + 8 * slot, packet);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ASID) + 4 * slot, asid);
	monitor_add(w, MONITOR_WRITE32, CP_REG(SLOT_FLAGS) + 4 * slot, flags);
}

static struct world *world_ready(struct pages *p)
{
	struct world *w = world_open("mini", BUS_TIMED, false);

	monitor_start(w);
	*p = map_all(w);
	kernels_write(w, p);
	return w;
}

static void expect_picture(struct world *w, const struct pages *p)
{
	assert_memory_equal(host_at(&w->h, p->dst + 1024), host_at(&w->h, p->src), SIDE * SIDE);
}

/* ---- slot numbers ---- */

/* Numbers from 16 on, also such that lower bits of them are a slot: nothing starts, nothing that runs ends or goes on. */
static void test_no_such_slot(void **state)
{
	static const uint32_t numbers[] = { 16, 17, 31, 32, 0x100, 0x10000, 0x80000000, 0xfffffff0, 0xffffffff };
	static const uint64_t registers[] = { CP_REG(DISPATCH_START), CP_REG(DMA_START), CP_REG(MEDIA_START), CP_REG(DISPATCH_ABORT),
					      CP_REG(DMA_ABORT), CP_REG(MEDIA_ABORT), CP_REG(REPLAY) };
	struct pages p;
	struct world *w = world_ready(&p);
	union packet *packet = host_at(&w->h, p.packets);

	(void)state;
	packet[0] = packet_dispatch(SPINS, 1);
	packet[1] = packet_rows(1);
	packet[1].copy.dst = 0x40000000; /* stalls */
	for (unsigned s = 0; s < 16; s += 15) {
		slot_set(w, s, p.packets, ASID, REG_CP_SLOT_FLAGS_REPLAY);
		monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * s, p.packets + 64);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), s);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), s);
	}
	monitor_run(w);
	bus_wait_irq(w->bus, 10000);
	monitor_add(w, MONITOR_WRITE32, CP_REG(REPLAY_PENDING), ~0u);
	for (unsigned s = 0; s < 15; s++) /* what could be started by mistake */
		monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET) + 8 * s, p.packets);
	monitor_run(w);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		const uint64_t dispatches = bus_read64(w->bus, REG_HOST_CNT_DISPATCHES), faults = bus_read64(w->bus, REG_HOST_CNT_FAULTS);

		for (unsigned r = 0; r < sizeof(registers) / sizeof(*registers); r++)
			monitor_add(w, MONITOR_WRITE32, registers[r], numbers[i]);
		monitor_run(w);
		bus_wait_irq(w->bus, 5000);
		assert_int_equal(cp_read(w, CP_REG(DISPATCH_DONE), 32), 0);
		assert_int_equal(cp_read(w, CP_REG(DMA_DONE), 32), 0);
		assert_int_equal(cp_read(w, CP_REG(MEDIA_DONE), 32), 0);
		assert_int_equal(cp_read(w, CP_REG(REPLAY_PENDING), 32), 0);
		assert_int_equal(cp_read(w, CP_REG(DISPATCH_BUSY), 32), 1 | 1 << 15);
		assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_DISPATCHES), dispatches);
		assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), faults);
	}
	world_close(w);
}

/* ---- all of one slot ---- */

/* A dispatch, a transfer and a media job of one slot run side by side, and each ends for itself. */
static void test_one_slot(void **state)
{
	enum { SLOT = 3 };
	struct pages p;
	struct world *w = world_ready(&p);
	union packet *packet = host_at(&w->h, p.packets);

	(void)state;
	packet[0] = packet_dispatch(SPINS, 1);
	packet[1] = packet_rows(2000);
	packet[2] = packet_picture(w, &p);
	slot_set(w, SLOT, p.packets, ASID, 0);
	monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * SLOT, p.packets + 64);
	monitor_add(w, MONITOR_WRITE64, CP_REG(MEDIA_PACKET) + 8 * SLOT, p.packets + 128);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), SLOT);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), SLOT);
	monitor_add(w, MONITOR_WRITE32, CP_REG(MEDIA_START), SLOT);
	monitor_add(w, MONITOR_READ64, CP_REG(DMA_PROGRESS) + 8 * SLOT, 0);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_MEDIA);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_DONE), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_DONE), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(MEDIA_DONE), 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(MEDIA_DONE), ~0u);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DMA);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_DONE), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_DONE), 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_DONE), ~0u);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_BUSY), 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ABORT), SLOT);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_DONE), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_STATUS) + 4 * SLOT, 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS) + 4 * SLOT, 0);
	monitor_add(w, MONITOR_READ32, CP_REG(MEDIA_STATUS) + 4 * SLOT, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(DMA_PROGRESS) + 8 * SLOT, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(MEDIA_PROGRESS) + 8 * SLOT, 0);
	const struct monitor_command *c = w->box->command + 12;
	monitor_run(w);
	assert_int_equal(c[0].value, 0); /* of the dispatch */
	assert_int_equal(c[1].value, 0);
	assert_int_equal(c[2].value, 1 << SLOT);
	assert_int_equal(c[5].value, 0);
	assert_int_equal(c[6].value, 1 << SLOT);
	assert_int_equal(c[8].value, 1 << SLOT);
	assert_int_equal(c[11].value, 1 << SLOT);
	assert_int_equal(c[12].value, FAULT_ABORTED);
	assert_int_equal(c[13].value, FAULT_NONE);
	assert_int_equal(c[14].value, FAULT_NONE);
	assert_int_equal(c[15].value, 2000 * 256);
	assert_int_equal(c[16].value, SIDE * SIDE);
	expect_picture(w, &p);
	assert_memory_equal(host_at(&w->h, p.dst), host_at(&w->h, p.src), 256);
	world_close(w);
}

/* ---- a packet that cannot be read ---- */

/* In memory that is not there, and in a protected region; after a fault that has left all six registers with something in them. */
static void test_unreadable_packets(void **state)
{
	enum { SLOT = 5 };
	static const struct { uint64_t packet, start, done, pending, status, cycle; uint64_t info; } kinds[] = {
		{ CP_REG(DISPATCH_PACKET), CP_REG(DISPATCH_START), CP_REG(DISPATCH_DONE), REG_CP_IRQ_PENDING_DISPATCH,
		  CP_REG(DISPATCH_STATUS), CP_REG(DISPATCH_CYCLE), UNIT_CP },
		{ CP_REG(DMA_PACKET), CP_REG(DMA_START), CP_REG(DMA_DONE), REG_CP_IRQ_PENDING_DMA, CP_REG(DMA_STATUS), CP_REG(DMA_CYCLE), UNIT_CP },
		{ CP_REG(MEDIA_PACKET), CP_REG(MEDIA_START), CP_REG(MEDIA_DONE), REG_CP_IRQ_PENDING_MEDIA, CP_REG(MEDIA_STATUS),
		  CP_REG(MEDIA_CYCLE), UNIT_MEDIA },
	};
	const struct { uint64_t pa; enum fault code; } places[] = {
		{ SYSTEM_BASE + 0xfff000, FAULT_BUS_ERROR }, { DRAM_BASE + 0x10000 - 4, FAULT_PROTECTED }, { 0x3ffc4, FAULT_BUS_ERROR },
		{ CP_MMIO_BASE, FAULT_BUS_ERROR }, { UINT64_MAX - 3, FAULT_BUS_ERROR },
	};
	struct pages p;
	struct world *w = world_ready(&p);
	union packet *packet = host_at(&w->h, p.packets);
	uint32_t *k = host_at(&w->h, p.code);

	(void)state;
	bus_write64(w->bus, REG_HOST_PROT_BASE, DRAM_BASE + 0x10000);
	bus_write64(w->bus, REG_HOST_PROT_LIMIT, DRAM_BASE + 0x11000);
	/* the last of eight work-items of the last of eight groups in each dimension stores nowhere */
	packet[0] = packet_dispatch(0, 1);
	for (unsigned i = 0; i < 3; i++) {
		packet[0].dispatch.global_size[i] = 4;
		packet[0].dispatch.local_size[i] = 2;
	}
	k[0] = enc_csrrs(A0, CSR_local_id_x, 0);
	k[1] = enc_csrrs(A1, CSR_group_id_z, 0);
	k[2] = enc_r(0x33, 7, 0, A0, A0, A1); /* and */
	k[3] = enc_b(0, A0, 0, 8);
	k[4] = enc_sw(A0, 0, 0);
	k[5] = 0x100b;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		for (unsigned at = 0; at < sizeof(places) / sizeof(*places); at++) {
			const uint64_t faults = bus_read64(w->bus, REG_HOST_CNT_FAULTS);

			slot_set(w, SLOT, p.packets, ASID, 0);
			monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), SLOT);
			monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
			monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_DONE), ~0u);
			monitor_add(w, MONITOR_READ64, CP_REG(FAULT_GROUP_Z) + 8 * SLOT, 0);
			monitor_add(w, MONITOR_READ64, CP_REG(FAULT_PC) + 8 * SLOT, 0);
			monitor_run(w);
			assert_int_equal(w->box->command[8].value, 1);
			assert_int_equal(w->box->command[9].value, CODE_VA + 16);

			monitor_add(w, MONITOR_WRITE64, kinds[i].packet + 8 * SLOT, places[at].pa);
			monitor_add(w, MONITOR_CYCLE, 0, 0);
			monitor_add(w, MONITOR_WRITE32, kinds[i].start, SLOT);
			monitor_add(w, MONITOR_CYCLE, 0, 0);
			monitor_add(w, MONITOR_SLEEP, 0, kinds[i].pending);
			monitor_add(w, MONITOR_READ32, kinds[i].done, 0);
			monitor_add(w, MONITOR_WRITE32, kinds[i].done, ~0u);
			monitor_add(w, MONITOR_READ32, kinds[i].status + 4 * SLOT, 0);
			monitor_add(w, MONITOR_READ64, kinds[i].cycle + 8 * SLOT, 0);
			monitor_add(w, MONITOR_READ64, CP_REG(FAULT_INFO) + 8 * SLOT, 0);
			monitor_add(w, MONITOR_READ64, CP_REG(FAULT_ADDRESS) + 8 * SLOT, 0);
			monitor_add(w, MONITOR_READ64, CP_REG(FAULT_PC) + 8 * SLOT, 0);
			monitor_add(w, MONITOR_READ64, CP_REG(FAULT_GROUP_XY) + 8 * SLOT, 0);
			monitor_add(w, MONITOR_READ64, CP_REG(FAULT_GROUP_Z) + 8 * SLOT, 0);
			monitor_add(w, MONITOR_READ64, CP_REG(FAULT_LOCAL) + 8 * SLOT, 0);
			monitor_run(w);
			const struct monitor_command *c = w->box->command;
			assert_int_equal(c[5].value, 1 << SLOT);
			assert_int_equal(c[7].value, places[at].code);
			assert_in_range(c[8].value, c[1].value, c[3].value);
			assert_int_equal(c[9].value, kinds[i].info | ACCESS_READ << 16);
			assert_int_equal(c[10].value, places[at].pa);
			for (unsigned f = 11; f < 15; f++)
				assert_int_equal(c[f].value, 0);
			assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_FAULTS), faults + 2);
			assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), REG_HOST_STATUS_CP_RUNNING);
		}
	world_close(w);
}

/* ---- what a start takes over ---- */

/* Everything that a start uses is changed behind it, while its work waits for an engine, or for a warp. */
static void test_later_changes(void **state)
{
	enum { WAITS = 9 };
	struct pages p;
	struct world *w = world_ready(&p);
	const unsigned engines = device_config_find("mini")->dma_engines;
	union packet *packet = host_at(&w->h, p.packets);

	(void)state;
	packet[0] = packet_rows(20000);
	packet[1] = packet_rows(1);
	packet[2] = packet_picture(w, &p);
	packet[3] = packet_dispatch(SPINS, 16); /* all warps */
	packet[4] = packet_dispatch(PRIVATE, 1);
	packet[4].dispatch.private_bytes = 16;
	for (unsigned s = 0; s < engines; s++) {
		slot_set(w, s, p.packets, ASID, 0);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), s);
	}
	slot_set(w, engines, p.packets + 192, ASID, 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), engines);
	/* the bits above an address-space id do not count */
	slot_set(w, WAITS, p.packets + 64, ASID | 0xabcd0000, 0);
	monitor_add(w, MONITOR_WRITE64, CP_REG(MEDIA_PACKET) + 8 * WAITS, p.packets + 128);
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_PACKET) + 8 * WAITS, p.packets + 256);
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_SCRATCH) + 8 * WAITS, SCRATCH_VA);
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_SCRATCH_SIZE) + 8 * WAITS, 4096);
	monitor_run(w);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), WAITS);
	monitor_add(w, MONITOR_WRITE32, CP_REG(MEDIA_START), WAITS);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), WAITS);
	for (unsigned i = 1; i < 5; i++) /* the packets: types that there are not */
		for (unsigned word = 0; word < 64; word += 8)
			monitor_add(w, MONITOR_WRITE64, p.packets + 64 * i + word, UINT64_MAX);
	slot_set(w, WAITS, UINT64_MAX, OTHER, REG_CP_SLOT_FLAGS_PROTECTED | REG_CP_SLOT_FLAGS_REPLAY);
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_SCRATCH) + 8 * WAITS, 0x40000000);
	monitor_add(w, MONITOR_WRITE64, CP_REG(DISPATCH_SCRATCH_SIZE) + 8 * WAITS, 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DMA_DONE), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_DONE), 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_ABORT), engines);
	monitor_run(w);
	assert_int_equal(w->box->command[3 + 32 + 5 + 2].value, 0);
	assert_int_equal(w->box->command[3 + 32 + 5 + 3].value, 0);
	bus_wait_irq(w->bus, LONG);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), REG_HOST_STATUS_CP_RUNNING);
	assert_int_equal(cp_read(w, CP_REG(DMA_STATUS) + 4 * WAITS, 32), FAULT_NONE);
	assert_int_equal(cp_read(w, CP_REG(DMA_PROGRESS) + 8 * WAITS, 64), 256);
	assert_int_equal(cp_read(w, CP_REG(MEDIA_STATUS) + 4 * WAITS, 32), FAULT_NONE);
	assert_int_equal(cp_read(w, CP_REG(DISPATCH_STATUS) + 4 * WAITS, 32), FAULT_NONE);
	assert_int_equal(cp_read(w, CP_REG(DISPATCH_DONE), 32), 1 << WAITS | 1u << engines);
	assert_memory_equal(host_at(&w->h, p.dst), host_at(&w->h, p.src), 256);
	expect_picture(w, &p);
	for (unsigned i = 0; i < 4096; i += 8)
		assert_int_equal(*(uint64_t *)host_at(&w->h, p.other + i), 0);
	uint64_t stored = 0;
	for (unsigned i = 0; i < 4096; i += 4)
		stored += *(uint32_t *)host_at(&w->h, p.scratch + i);
	assert_int_equal(stored, 0x55);
	world_close(w);
}

/* A fault that could be replayed ends the work that was started without REPLAY, though the flag was set behind the start. */
static void test_flags_of_the_start(void **state)
{
	struct pages p;
	struct world *w = world_ready(&p);
	union packet *packet = host_at(&w->h, p.packets);

	(void)state;
	packet[0] = packet_rows(20000);
	packet[1] = packet_rows(1);
	packet[1].copy.dst = 0x40000000;
	for (unsigned s = 0; s < 2; s++) {
		slot_set(w, s, p.packets, ASID, 0);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), s);
	}
	for (unsigned s = 2; s < 4; s++) {
		const uint32_t flags[2] = { 0, REG_CP_SLOT_FLAGS_REPLAY };

		slot_set(w, s, p.packets + 64, ASID, flags[s - 2]);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), s);
		monitor_add(w, MONITOR_WRITE32, CP_REG(SLOT_FLAGS) + 4 * s, flags[3 - s]);
	}
	monitor_run(w);
	bus_wait_irq(w->bus, LONG);
	assert_int_equal(cp_read(w, CP_REG(DMA_DONE), 32), 7);
	assert_int_equal(cp_read(w, CP_REG(REPLAY_PENDING), 32), 8);
	world_close(w);
}

/* Flags, tag and completion address of the head are the firmware's affair: nothing is written there, whatever they are. */
static void test_heads(void **state)
{
	enum { SLOT = 2 };
	struct pages p;
	struct world *w = world_ready(&p);
	const uint64_t record = host_page(&w->h);
	union packet *packet = host_at(&w->h, p.packets);
	uint8_t before[4096];

	(void)state;
	memset(host_at(&w->h, record), 0xee, 4096);
	memcpy(before, host_at(&w->h, record), 4096);
	slot_set(w, SLOT, p.packets, ASID, 0);
	monitor_add(w, MONITOR_WRITE64, CP_REG(DMA_PACKET) + 8 * SLOT, p.packets + 64);
	monitor_add(w, MONITOR_WRITE64, CP_REG(MEDIA_PACKET) + 8 * SLOT, p.packets + 128);
	monitor_run(w);
	for (unsigned round = 0; round < 24; round++) {
		packet[0] = packet_dispatch(STORES, 1);
		packet[1] = packet_rows(1);
		packet[2] = packet_picture(w, &p);
		for (unsigned i = 0; i < 3; i++) {
			const uint64_t addresses[] = { record, random_next(), 4, SYSTEM_BASE + 0xfff000 };

			packet[i].head.flags = round < 8 ? (uint8_t)(1 << round) : (uint8_t)random_next();
			packet[i].head.reserved = (uint16_t)random_next();
			packet[i].head.tag = (uint32_t)random_next();
			packet[i].head.completion = addresses[random_below(4)];
		}
		memset(host_at(&w->h, p.dst), 0, 4096);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_START), SLOT);
		monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DISPATCH);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_START), SLOT);
		monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_DMA);
		monitor_add(w, MONITOR_WRITE32, CP_REG(MEDIA_START), SLOT);
		monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_MEDIA);
		monitor_add(w, MONITOR_READ32, CP_REG(DISPATCH_STATUS) + 4 * SLOT, 0);
		monitor_add(w, MONITOR_READ32, CP_REG(DMA_STATUS) + 4 * SLOT, 0);
		monitor_add(w, MONITOR_READ32, CP_REG(MEDIA_STATUS) + 4 * SLOT, 0);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DISPATCH_DONE), ~0u);
		monitor_add(w, MONITOR_WRITE32, CP_REG(DMA_DONE), ~0u);
		monitor_add(w, MONITOR_WRITE32, CP_REG(MEDIA_DONE), ~0u);
		monitor_run(w);
		for (unsigned i = 6; i < 9; i++)
			assert_int_equal(w->box->command[i].value, FAULT_NONE);
		assert_int_equal(*(uint8_t *)host_at(&w->h, p.dst + 2048), 0x77);
		assert_memory_equal(host_at(&w->h, p.dst), host_at(&w->h, p.src), 256);
		expect_picture(w, &p);
		assert_memory_equal(host_at(&w->h, record), before, 4096);
	}
	world_close(w);
}

/* Page faults of a media job end it, in a slot whose other work would wait for a replay. */
static void test_media_is_not_replayed(void **state)
{
	enum { SLOT = 6 };
	struct pages p;
	struct world *w = world_ready(&p);
	union packet *packet = host_at(&w->h, p.packets);

	(void)state;
	for (unsigned missing = 0; missing < 3; missing++) { /* the record, the source, the destination */
		const uint64_t va = missing == 0 ? JOB_VA : missing == 1 ? SRC_VA : DST_VA;
		const uint64_t pa = missing == 0 ? p.job : missing == 1 ? p.src : p.dst;

		packet[0] = packet_picture(w, &p);
		table_map(&w->h, w->contexts, ASID, va, 0, 0);
		bus_write32(w->bus, REG_HOST_TLB_INV, 0);
		slot_set(w, SLOT, p.packets, ASID, REG_CP_SLOT_FLAGS_REPLAY);
		monitor_add(w, MONITOR_WRITE32, CP_REG(MEDIA_START), SLOT);
		monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_MEDIA | REG_CP_IRQ_PENDING_REPLAY);
		monitor_add(w, MONITOR_READ32, CP_REG(MEDIA_DONE), 0);
		monitor_add(w, MONITOR_READ32, CP_REG(REPLAY_PENDING), 0);
		monitor_add(w, MONITOR_READ32, CP_REG(MEDIA_STATUS) + 4 * SLOT, 0);
		monitor_add(w, MONITOR_READ64, CP_REG(FAULT_ADDRESS) + 8 * SLOT, 0);
		monitor_add(w, MONITOR_WRITE32, CP_REG(MEDIA_DONE), ~0u);
		monitor_run(w);
		const struct monitor_command *c = w->box->command + 7;
		assert_int_equal(c[0].value, 1 << SLOT);
		assert_int_equal(c[1].value, 0);
		assert_int_equal(c[2].value, FAULT_PAGE_NOT_PRESENT);
		assert_int_equal(c[3].value, missing == 2 ? DST_VA + 1024 : va);
		assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), REG_HOST_STATUS_CP_RUNNING);
		table_map(&w->h, w->contexts, ASID, va, pa, PTE_RW);
		bus_write32(w->bus, REG_HOST_TLB_INV, 0);
	}
	world_close(w);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_such_slot), cmocka_unit_test(test_one_slot), cmocka_unit_test(test_unreadable_packets),
		cmocka_unit_test(test_later_changes), cmocka_unit_test(test_flags_of_the_start), cmocka_unit_test(test_heads),
		cmocka_unit_test(test_media_is_not_replayed),
	};

	monitor_find(argv[0]);
	random_seed(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
