/* The whole device through its bus. */
#include "testbench/model/device_world.h"

/* ---- opening, identification ---- */

static void test_open_errors(void **state)
{
	struct host h;
	struct bus_params p = { .device = "model", .config = "tiny", .memory = host_init(&h, false) };
	const char *error = NULL;

	(void)state;
	assert_null(bus_open(&p, &error));
	assert_non_null(strstr(error, "tiny"));
	assert_non_null(strstr(error, "mini"));
	assert_null(strchr(error, '\n'));
	p.config = "mini";
	p.device = "fpga";
	assert_null(bus_open(&p, &error));
	assert_non_null(strstr(error, "fpga"));
	assert_non_null(strstr(error, "model"));
	p.config = p.device = NULL;
	assert_null(bus_open(&p, &error));
	host_fini(&h);
}

static void test_identification(void **state)
{
	static const char *const names[] = { "full", "mini" };
	struct world *other = world_open("mini,coherent=0,dma_engines=1", BUS_TIMED, false);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct world *w = world_open(names[i], BUS_TIMED, false);
		const struct device_config *c = device_config_find(names[i]);
		uint64_t t;

		assert_int_equal(bus_read32(w->bus, REG_HOST_ID), 0x414e4c47);
		assert_int_equal(bus_read32(w->bus, REG_HOST_VERSION), 0x10000);
		assert_int_not_equal(bus_read64(w->bus, REG_HOST_ABI_HASH), 0);
		assert_int_equal(bus_read32(w->bus, REG_HOST_NUM_CU), c->num_cu);
		assert_int_equal(bus_read32(w->bus, REG_HOST_WARPS_PER_CU), c->warps_per_cu);
		assert_int_equal(bus_read32(w->bus, REG_HOST_LANES), c->lanes);
		assert_int_equal(bus_read32(w->bus, REG_HOST_LDS_BYTES), c->lds_bytes);
		assert_int_equal(bus_read64(w->bus, REG_HOST_DRAM_SIZE), (uint64_t)c->dram_mib << 20);
		assert_int_equal(bus_read32(w->bus, REG_HOST_CLOCK_MHZ), c->clock_mhz);
		assert_int_equal(bus_read32(w->bus, REG_HOST_MAX_WG_SIZE), c->max_wg_size);
		assert_int_equal(bus_read32(w->bus, REG_HOST_DEVICE_INDEX), 1);
		assert_int_equal(bus_read32(w->bus, REG_HOST_LINE_BYTES), c->line_bytes);
		assert_int_equal(bus_read32(w->bus, REG_HOST_L2_BYTES), c->l2_bytes);
		assert_int_equal(bus_read32(w->bus, REG_HOST_NUM_DMA), c->dma_engines);
		assert_int_equal(bus_read32(w->bus, REG_HOST_FEATURES), REG_HOST_FEATURES_COHERENT | REG_HOST_FEATURES_MEDIA);
		t = bus_cycle(w->bus);
		assert_int_equal(bus_read64(w->bus, REG_HOST_CYCLE), t + c->mmio_read_cycles);
		bus_write32(w->bus, REG_HOST_IRQ_ENABLE, 0);
		assert_int_equal(bus_cycle(w->bus), t + c->mmio_read_cycles + c->mmio_write_cycles);
		world_close(w);
	}
	assert_int_equal(bus_read32(other->bus, REG_HOST_NUM_DMA), 1);
	assert_int_equal(bus_read32(other->bus, REG_HOST_FEATURES), REG_HOST_FEATURES_MEDIA);
	world_close(other);
}

/* ---- a firmware by hand ---- */

static void test_doorbell_memory_interrupt(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint32_t code[128];
	unsigned n = 0, loop;
	uint64_t page = host_page(&w->h), t;

	(void)state;
	n += enc_li(code + n, S0, CP_MMIO_BASE);
	n += enc_li(code + n, S1, CP_MMIO_BASE + REG_BANK_CP_OFFSET);
	n += enc_li(code + n, A0, page);
	loop = n;
	code[n++] = ENC_WFI;
	code[n++] = enc_lw(A1, S1, REG_CP_DOORBELL_PENDING);
	code[n++] = enc_sw(A1, S1, REG_CP_DOORBELL_PENDING);
	code[n++] = enc_addi(A3, 0, 1);
	code[n++] = enc_slli(A3, A3, 12);
	code[n++] = enc_r(0x33, 0, 0, A3, A3, S0);
	code[n++] = enc_ld(A2, A3, REG_HOST_DOORBELL - 0x1000 + 8 * 2);
	code[n++] = enc_sd(A2, A0, 8);
	code[n++] = enc_addi(A4, 0, REG_HOST_IRQ_STATUS_COMPLETE);
	code[n++] = enc_sw(A4, S1, REG_CP_HOST_IRQ);
	code[n] = enc_jal(0, ((int)loop - (int)n) * 4);
	n++;
	tcm_load(w, 0x100, code, n * 4);
	/* the image reads back */
	bus_write32(w->bus, REG_HOST_TCM_ADDR, 0x100);
	assert_int_equal(bus_read64(w->bus, REG_HOST_TCM_DATA), code[0] | (uint64_t)code[1] << 32);
	assert_int_equal(bus_read64(w->bus, REG_HOST_TCM_DATA), code[2] | (uint64_t)code[3] << 32);
	bus_write64(w->bus, REG_HOST_CP_ENTRY, 0x100);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), 0);
	bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_CP_RUN);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), REG_HOST_STATUS_CP_RUNNING);
	/* asleep: nothing will happen, and no time passes */
	assert_int_equal(bus_wait_irq(w->bus, 1000), BUS_WAIT_IDLE);
	t = bus_cycle(w->bus);
	assert_int_equal(bus_wait_irq(w->bus, 1000), BUS_WAIT_IDLE);
	assert_int_equal(bus_cycle(w->bus), t);
	bus_write64(w->bus, REG_HOST_DOORBELL + 8 * 2, 0x123456789a);
	/* pending, but not enabled */
	assert_int_equal(bus_wait_irq(w->bus, 10000), BUS_WAIT_IDLE);
	assert_int_equal(bus_read32(w->bus, REG_HOST_IRQ_STATUS), REG_HOST_IRQ_STATUS_COMPLETE);
	assert_int_equal(*(uint64_t *)host_at(&w->h, page + 8), 0x123456789a);
	bus_write32(w->bus, REG_HOST_IRQ_ENABLE, REG_HOST_IRQ_STATUS_COMPLETE);
	assert_int_equal(bus_wait_irq(w->bus, 1000), BUS_WAIT_IRQ);
	bus_write32(w->bus, REG_HOST_IRQ_STATUS, REG_HOST_IRQ_STATUS_COMPLETE);
	assert_int_equal(bus_wait_irq(w->bus, 1000), BUS_WAIT_IDLE);
	bus_write64(w->bus, REG_HOST_DOORBELL + 8 * 2, 77);
	assert_int_equal(bus_wait_irq(w->bus, 10000), BUS_WAIT_IRQ);
	assert_int_equal(*(uint64_t *)host_at(&w->h, page + 8), 77);
	assert_in_range(bus_read64(w->bus, REG_HOST_CNT_CP_INSNS), 40, 80);
	/* its page unpinned: the store traps, there is no handler */
	bus_write32(w->bus, REG_HOST_IRQ_ENABLE, REG_HOST_IRQ_STATUS_CRASH);
	host_pin(&w->h, (page - SYSTEM_BASE) >> 12, HOST_UNPINNED);
	bus_write64(w->bus, REG_HOST_DOORBELL + 8 * 2, 78);
	assert_int_equal(bus_wait_irq(w->bus, 10000), BUS_WAIT_IRQ);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), REG_HOST_STATUS_CP_CRASHED | REG_HOST_STATUS_LOST);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CRASH_CAUSE), 7);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CRASH_ADDRESS), page + 8);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CRASH_PC), 0x100 + (loop + 7) * 4);
	world_close(w);
}

static void test_reset(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t t;

	(void)state;
	monitor_start(w);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT_VALUE), 7);
	monitor_run(w);
	assert_true(bus_read64(w->bus, REG_HOST_CNT_CP_INSNS) > 0);
	t = bus_cycle(w->bus);
	bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET | REG_HOST_CTRL_CP_RUN);
	assert_int_equal(bus_read32(w->bus, REG_HOST_CTRL), 0);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), 0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_FW_BOOT), 0);
	assert_int_equal(bus_read32(w->bus, REG_HOST_NUM_CU), 1);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CNT_CP_INSNS), 0);
	assert_true(bus_cycle(w->bus) > t);
	assert_int_equal(bus_wait_irq(w->bus, LONG), BUS_WAIT_IDLE);
	/* and up again */
	monitor_start(w);
	assert_int_equal(cp_read(w, CP_REG(SEM_WAIT_VALUE), 64), 0);
	/* the command processor resets the device that it is part of */
	monitor_add(w, MONITOR_WRITE32, CP_MMIO_BASE + REG_HOST_CTRL, REG_HOST_CTRL_RESET);
	monitor_post(w);
	assert_int_equal(bus_wait_irq(w->bus, LONG), BUS_WAIT_IDLE);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), 0);
	assert_int_equal(bus_read64(w->bus, REG_HOST_FW_BOOT), 0);
	world_close(w);
}

/* A trap without a handler, of an interrupt: told apart from the exception of that number. */
static void test_crash_by_interrupt(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint32_t code[64];
	unsigned n = 0;

	(void)state;
	n += enc_li(code + n, A0, 1 << 11);
	code[n++] = enc_csrrs(0, 0x304, A0); /* mie.MEIE */
	n += enc_li(code + n, A0, 1 << 3);
	code[n++] = enc_csrrs(0, 0x300, A0); /* mstatus.MIE: at the latest now */
	code[n++] = ENC_WFI;
	code[n++] = enc_addi(0, 0, 0);
	tcm_load(w, 0, code, n * 4);
	bus_write32(w->bus, REG_HOST_IRQ_ENABLE, REG_HOST_IRQ_STATUS_CRASH);
	bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_CP_RUN);
	assert_int_equal(bus_wait_irq(w->bus, 10000), BUS_WAIT_IDLE);
	bus_write64(w->bus, REG_HOST_DOORBELL, 1);
	assert_int_equal(bus_wait_irq(w->bus, 10000), BUS_WAIT_IRQ);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CRASH_CAUSE), 1ull << 63 | 11);
	assert_int_equal(bus_read64(w->bus, REG_HOST_CRASH_PC), (n - 1) * 4);
	world_close(w);
}

/* A firmware that never sleeps: the limit holds to the cycle, and MMIO goes on meanwhile. */
static void test_limit(void **state)
{
	struct world *w = world_open("mini", BUS_FUNCTIONAL, false);
	uint32_t code[2] = { ENC_NOP, enc_jal(0, -4) };
	uint64_t t;

	(void)state;
	tcm_load(w, 0, code, sizeof(code));
	bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_CP_RUN);
	t = bus_cycle(w->bus);
	assert_int_equal(bus_wait_irq(w->bus, 12345), BUS_WAIT_LIMIT);
	assert_int_equal(bus_cycle(w->bus), t + 12345);
	assert_int_equal(bus_wait_irq(w->bus, 0), BUS_WAIT_LIMIT);
	assert_int_equal(bus_read32(w->bus, REG_HOST_STATUS), REG_HOST_STATUS_CP_RUNNING);
	bus_write32(w->bus, REG_HOST_CTRL, 0);
	assert_int_equal(bus_wait_irq(w->bus, UINT64_MAX), BUS_WAIT_IDLE);
	world_close(w);
}

/* ---- what firmware does ---- */


static void test_semaphores(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t page;

	(void)state;
	monitor_start(w);
	page = host_page(&w->h);
	/* parked; the host signals */
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT_VALUE) + 8 * 3, 5);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT) + 8 * 3, page);
	monitor_add(w, MONITOR_READ64, CP_REG(SEM_WAIT) + 8 * 3, 0);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_SEM);
	monitor_add(w, MONITOR_READ32, CP_REG(SEM_WOKEN), 0);
	monitor_add(w, MONITOR_READ64, CP_REG(SEM_WAIT) + 8 * 3, 0);
	monitor_add(w, MONITOR_READ32, CP_REG(SEM_STATUS) + 4 * 3, 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(SEM_WOKEN), 8);
	monitor_post(w);
	assert_int_equal(monitor_wait(w, LONG), BUS_WAIT_IDLE); /* parked without polling */
	bus_write64(w->bus, REG_HOST_SEM_VALUE, 4);
	bus_write64(w->bus, REG_HOST_SEM_SIGNAL, page);
	assert_int_equal(monitor_wait(w, LONG), BUS_WAIT_IDLE);
	assert_int_equal(*(uint64_t *)host_at(&w->h, page), 4);
	*(uint64_t *)host_at(&w->h, page) = 6; /* another device did it; we notify */
	assert_int_equal(monitor_wait(w, LONG), BUS_WAIT_IDLE);
	bus_write64(w->bus, REG_HOST_SEM_NOTIFY, page);
	assert_int_equal(monitor_wait(w, LONG), BUS_WAIT_IRQ);
	assert_int_equal(w->box->command[2].value, page);
	assert_int_equal(w->box->command[4].value, 8);
	assert_int_equal(w->box->command[5].value, 0);
	assert_int_equal(w->box->command[6].value, FAULT_NONE);
	w->box->count = 0;
	/* signalled by the firmware, in 32-bit halves; a payload that is not there */
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT_VALUE), 1);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT), page + 8);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_STORE_VALUE), 1);
	monitor_add(w, MONITOR_WRITE32, CP_REG(SEM_STORE), (uint32_t)(page + 8));
	monitor_add(w, MONITOR_READ32, CP_REG(SEM_WOKEN), 0);
	monitor_add(w, MONITOR_WRITE32, CP_REG(SEM_STORE) + 4, (page + 8) >> 32);
	monitor_add(w, MONITOR_READ32, CP_REG(SEM_WOKEN), 0);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_WAIT) + 8, SYSTEM_BASE + 0xfff000);
	monitor_add(w, MONITOR_READ32, CP_REG(SEM_WOKEN), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(SEM_STATUS) + 4, 0);
	monitor_add(w, MONITOR_READ64, CP_REG(FAULT_ADDRESS) + 8, 0);
	monitor_add(w, MONITOR_WRITE64, CP_REG(SEM_STORE), SYSTEM_BASE + 0xfff000);
	monitor_add(w, MONITOR_READ32, CP_REG(SEM_STORE_STATUS), 0);
	monitor_run(w);
	assert_int_equal(w->box->command[4].value, 0);
	assert_int_equal(w->box->command[6].value, 1);
	assert_int_equal(w->box->command[8].value, 3);
	assert_int_equal(w->box->command[9].value, FAULT_BUS_ERROR);
	assert_int_equal(w->box->command[10].value, SYSTEM_BASE + 0xfff000);
	assert_int_equal(w->box->command[12].value, FAULT_BUS_ERROR);
	world_close(w);
}

static void test_timer(void **state)
{
	struct world *w = world_open("mini", BUS_TIMED, false);
	uint64_t when;

	(void)state;
	monitor_start(w);
	when = bus_cycle(w->bus) + 500000;
	monitor_add(w, MONITOR_WRITE64, CP_REG(TIMER), when);
	monitor_add(w, MONITOR_READ32, CP_REG(IRQ_PENDING), 0);
	monitor_add(w, MONITOR_SLEEP, 0, REG_CP_IRQ_PENDING_TIMER);
	monitor_add(w, MONITOR_CYCLE, 0, 0);
	monitor_add(w, MONITOR_WRITE64, CP_REG(TIMER), 0);
	monitor_add(w, MONITOR_READ32, CP_REG(IRQ_PENDING), 0);
	monitor_post(w);
	assert_int_equal(monitor_wait(w, 400000), BUS_WAIT_LIMIT);
	assert_int_equal(monitor_wait(w, 400000), BUS_WAIT_IRQ);
	assert_int_equal(w->box->command[1].value, 0);
	assert_int_equal(w->box->command[2].value, REG_CP_IRQ_PENDING_TIMER);
	assert_in_range(w->box->command[3].value, when, when + 10000);
	assert_int_equal(w->box->command[5].value, 0);
	world_close(w);
}

/* ---- determinism, robustness ---- */

static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * 0x9e3779b97f4a7c15ull; }

/* What random accesses have brought about. */
struct fuzz_reach {
	uint64_t cp_insns, dma_bytes, faults, lane_insns;
};

/* An instruction that a kernel may hold: mostly sound, seldom to any good purpose. */
static uint32_t fuzz_instruction(void)
{
	unsigned rd = (unsigned)random_below(8), rs = (unsigned)random_below(8), rt = (unsigned)random_below(8);
	int imm = (int)random_below(4096) - 2048;

	switch (random_below(12)) {
	case 0: return enc_addi(rd, rs, imm);
	case 1: return enc_r(0x33, (unsigned)random_below(8), (unsigned)random_below(2), rd, rs, rt);
	case 2: return enc_i(0x03, (unsigned)random_below(7), rd, rs, imm);
	case 3: return enc_s((unsigned)random_below(4), rd, rs, imm);
	case 4: return enc_b((unsigned)random_below(2), rs, rt, (int)random_below(64) * 4 - 64);
	case 5: return enc_lui(rd, (uint32_t)random_below(8));
	case 6: return enc_csrrs(rd, 0xcc0 + (unsigned)random_below(15), 0);
	case 7: return enc_r(0x53, 0, (unsigned)random_below(16) << 2, rd, rs, rt);
	case 8: return enc_amo((unsigned)random_below(8) << 2, 2, rd, rs, rt);
	case 9: /* barrier, exit, sg_sync; sg_ballot, sg_shuffle */
		imm = (int)random_below(5);
		return imm < 3 ? enc_i(0x0b, (unsigned)imm, 0, 0, 0) : enc_r(0x0b, (unsigned)imm, 0, rd, rs, imm == 3 ? 0 : rt);
	case 10: return random_below(8) ? ENC_NOP : (uint32_t)random_next();
	}
	return enc_i(0x13, 7, rd, rs, 0x7c);
}

static void fuzz_dispatch(struct packet_dispatch *p)
{
	p->head.type = PACKET_CODE_dispatch;
	p->entry = 0x7000 + 4 * random_below(1024);
	p->kernarg = random_below(0x8000);
	for (unsigned i = 0; i < 3; i++) {
		p->global_size[i] = 1 + (uint32_t)random_below(9);
		p->local_size[i] = (uint16_t)(1 + random_below(3));
	}
	p->local_bytes = (uint32_t)random_below(1024);
	p->private_bytes = (uint32_t)random_below(4) * 16;
	p->units = random_below(4) ? 0 : (uint32_t)random_below(8);
}

static void fuzz_copy(struct packet_copy *p)
{
	p->head.type = PACKET_CODE_copy;
	p->src = random_below(0x7000);
	p->dst = random_below(0x6000); /* packets, not code */
	p->width = 1 + (uint32_t)random_below(3000);
	p->height = 1 + (uint32_t)random_below(8);
	p->depth = 1 + (uint32_t)random_below(8);
	p->src_row = p->dst_row = p->src_slice = p->dst_slice = (uint32_t)random_below(64);
}

/* Seven pages of packets, some of them sound, and one of code, in address spaces 0 to 7. */

static void fuzz_start(struct world *w)
{
	w->h.next = 1;
	monitor_start(w);
	for (unsigned i = 0; i < 8; i++) {
		uint64_t page = host_page(&w->h);

		for (unsigned b = 0; b < 4096; b += 4)
			*(uint32_t *)host_at(&w->h, page + b) = b & 4 && random_below(4) ? 0 : (uint32_t)random_below(0x8000);
		for (unsigned b = 0; b < 4096; b += PACKET_SIZE) {
			*(uint8_t *)host_at(&w->h, page + b) = (uint8_t)(random_below(8) ? 1 + random_below(3) : random_next());
			switch (random_below(4)) {
			case 0: fuzz_copy(host_at(&w->h, page + b)); break;
			case 1: fuzz_dispatch(host_at(&w->h, page + b)); break;
			}
		}
		for (unsigned b = 0; i == 7 && b < 4096; b += 4)
			*(uint32_t *)host_at(&w->h, page + b) = fuzz_instruction();
		for (uint16_t asid = 0; asid < 8; asid++)
			table_map(&w->h, w->contexts, asid, 0x1000 * i, page, PTE_RW | PTE_X);
	}
}

static void fuzz_access(struct world *w, uint64_t *hash)
{
	uint32_t offset = random_below(16) ? (uint32_t)random_below(0x2100) & ~3u : (uint32_t)random_next();
	uint64_t value = random_next();

	if (random_below(2))
		value = random_below(2) ? random_below(64) : SYSTEM_BASE + random_below(1 << 17);
	/* mostly, it runs, its address spaces are there, and it does not crash by itself */
	if (((offset & ~7u) == REG_HOST_CTRL || (offset & ~7u) == REG_HOST_CTX_TABLE ||
	     (offset & ~7u) == REG_HOST_INJECT) && random_below(32))
		return;
	switch (random_below(5)) {
	case 0: *hash = mix(*hash, bus_read32(w->bus, offset)); break;
	case 1: *hash = mix(*hash, bus_read64(w->bus, offset)); break;
	case 2: bus_write32(w->bus, offset, (uint32_t)value); break;
	case 3: bus_write64(w->bus, offset, value); break;
	default: *hash = mix(*hash, bus_wait_irq(w->bus, random_below(300))); break;
	}
	*hash = mix(*hash, bus_cycle(w->bus));
}

/* Random MMIO from both sides, random packets in memory; a hash of all that came back. */
static uint64_t fuzz_run(const char *config, enum bus_speed speed, bool observed, uint64_t seed, unsigned accesses,
			 struct fuzz_reach *reach)
{
	struct world *w = world_open(config, speed, observed);
	uint64_t hash = 0;

	random_state = seed;
	fuzz_start(w);
	for (unsigned n = 1; n <= accesses; n++) {
		fuzz_access(w, &hash);
		if (n % 10000 == 5000) { /* the firmware's side: what only it reaches */
			w->box->count = 0;
			monitor_add(w, MONITOR_FUZZ, 2000, random_next());
			bus_write64(w->bus, REG_HOST_DOORBELL + 8 * MONITOR_BELL, 1);
			hash = mix(hash, bus_wait_irq(w->bus, 50000));
		}
		if (n % 20000 == 0) { /* whatever state it is in */
			reach->cp_insns += bus_read64(w->bus, REG_HOST_CNT_CP_INSNS);
			reach->dma_bytes += bus_read64(w->bus, REG_HOST_CNT_DMA_BYTES);
			reach->faults += bus_read64(w->bus, REG_HOST_CNT_FAULTS);
			reach->lane_insns += bus_read64(w->bus, REG_HOST_CNT_LANE_INSNS);
			bus_write32(w->bus, REG_HOST_CTRL, REG_HOST_CTRL_RESET);
			fuzz_start(w);
		}
	}
	world_close(w);
	return hash;
}


static uint64_t fuzz_seed;

static void test_fuzz(void **state)
{
	struct fuzz_reach r = { 0 };

	(void)state;
	fuzz_run("mini", BUS_TIMED, false, fuzz_seed, 600000, &r);
	fuzz_run("full", BUS_FUNCTIONAL, false, fuzz_seed + 1, 400000, &r);
	printf("# reached %llu instructions of the command processor, %llu bytes of DMA, %llu lane instructions, "
	       "%llu faults\n",
	       (unsigned long long)r.cp_insns, (unsigned long long)r.dma_bytes, (unsigned long long)r.lane_insns,
	       (unsigned long long)r.faults);
	assert_true(r.cp_insns && r.dma_bytes && r.lane_insns && r.faults);
}

/* The same calls give the same answers and the same cycles, however system memory is reached. */
static void test_determinism(void **state)
{
	struct fuzz_reach r = { 0 };
	uint64_t first = fuzz_run("mini", BUS_TIMED, false, fuzz_seed + 2, 60000, &r);

	(void)state;
	assert_int_equal(fuzz_run("mini", BUS_TIMED, false, fuzz_seed + 2, 60000, &r), first);
	assert_int_equal(fuzz_run("mini", BUS_TIMED, true, fuzz_seed + 2, 60000, &r), first);
	assert_int_not_equal(fuzz_run("mini", BUS_TIMED, false, fuzz_seed + 3, 60000, &r), first);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open_errors),
		cmocka_unit_test(test_identification),
		cmocka_unit_test(test_doorbell_memory_interrupt),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_crash_by_interrupt),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_semaphores),
		cmocka_unit_test(test_timer),
		cmocka_unit_test(test_fuzz),
		cmocka_unit_test(test_determinism),
	};

	monitor_find(argv[0]);
	random_seed(argc, argv);
	fuzz_seed = random_state;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
