/* Every fault that the device can inject into itself, with the kit's firmware and real queues: what
 * the driver sees, that only the guilty queue suffers, that the device works afterwards. The table
 * of tests is made from injections.def: one without a test does not build. */
#include "testbench/driver/board.h"
#include "testbench/media_predict.h"

enum { GUILTY = 0, KERNELS_QUEUE = 1, COPIES_QUEUE = 2, EACH = 8 };
/* DRAM, where the guilty queue and nobody else looks. */
static const uint64_t dram_va = VA_HEAP_BASE + 0x40000000;

static uint64_t cnt(uint32_t reg) { return bus_read64(bus, reg); }
static uint32_t injected(void) { return bus_read32(bus, REG_HOST_INJECTED); }
static uint32_t status(void) { return bus_read32(bus, REG_HOST_STATUS); }

/* ---- those beside it ---- */
static uint64_t given[2]; /* ring indices of the two queues */

/* Work for two more queues, one of kernels and one of copies, which goes on while the fault comes. */
static void neighbours_begin(void)
{
	memset(memory + (DATA + 200) * 4096, 0, 4 * 4096);
	for (unsigned i = 0; i < EACH; i++) {
		args(10 + i)[0] = VA(DATA + 200) + 8 * i, args(10 + i)[1] = 500 + i;
		put(KERNELS_QUEUE, given[0]++, launch(KERNEL_STORE, 10 + i), LAST, 10 + i);
		((uint64_t *)(memory + (DATA + 202) * 4096))[i] = 900 + i;
		put(COPIES_QUEUE, given[1]++, packet_copy_1d(VA(DATA + 201) + 8 * i, VA(DATA + 202) + 8 * i, 8), LAST, 30 + i);
	}
	bell(KERNELS_QUEUE, given[0]);
	bell(COPIES_QUEUE, given[1]);
}

static void neighbours_check(void)
{
	const uint64_t *kernels = (const uint64_t *)(memory + (DATA + 200) * 4096);
	const uint64_t *copies = (const uint64_t *)(memory + (DATA + 201) * 4096);
	for (unsigned i = 0; i < EACH; i++) {
		assert_int_equal(record(10 + i)->done & record(30 + i)->done, 1);
		assert_int_equal(record(10 + i)->status, 0);
		assert_int_equal(record(30 + i)->status, 0);
		assert_int_equal(kernels[i], 500 + i);
		assert_int_equal(copies[i], 900 + i);
	}
	for (uint64_t i = 0; i < boot()->faults_written; i++)
		assert_int_equal(((struct fault_record *)(memory + FAULTS * 4096))[i].queue, GUILTY);
}

static void queues_up(void)
{
	for (unsigned n = 0; n < 3; n++)
		queue_up(n, 1, 0);
	given[0] = given[1] = 0;
}

static int setup(void **state)
{
	board_setup(state);
	queues_up();
	board_map(1, dram_va, DRAM_BASE + 0x10000, BOARD_PTE);
	return 0;
}

/* Whatever happened: a device that is lost is reset and boots, the others just go on; then every queue
 * works, and nothing is injected any more. */
static int works_afterwards(void **state)
{
	(void)state;
	if (status() & REG_HOST_STATUS_LOST) {
		again();
		assert_int_equal(start(), FW_READY);
	}
	uint32_t before = injected();
	for (unsigned n = 0; n < 3; n++) {
		map(n, 0);
		settle();
	}
	queues_up();
	uint64_t faults = boot()->faults_written;
	args(0)[0] = VA(DATA), args(0)[1] = 4711;
	put(GUILTY, 0, launch(KERNEL_STORE, 0), 0, 0);
	put(GUILTY, 1, packet_copy_1d(VA(DATA) + 8, VA(DATA), 8), LAST, 0);
	bell(GUILTY, 2);
	neighbours_begin();
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_COMPLETE);
	assert_int_equal(record(0)->done, 1);
	assert_int_equal(record(0)->status, 0);
	assert_int_equal(*(uint64_t *)(memory + DATA * 4096 + 8), 4711);
	assert_int_equal(boot()->faults_written, faults);
	boot()->faults_written = 0;
	neighbours_check();
	assert_int_equal(injected(), before);
	assert_false(status() & (REG_HOST_STATUS_BUSY | REG_HOST_STATUS_LOST));
	return 0;
}

/* ---- what the guilty queue does ---- */
static uint64_t guilty_at;

static void guilty(union packet p)
{
	put(GUILTY, guilty_at++, p, LAST, 0);
	bell(GUILTY, guilty_at);
}

static int begin(void **state)
{
	guilty_at = 0;
	return setup(state);
}

static union packet store(uint64_t value)
{
	args(0)[0] = VA(DATA), args(0)[1] = value;
	return launch(KERNEL_STORE, 0);
}

static uint64_t stored(void) { return *(uint64_t *)(memory + DATA * 4096); }

static void guilty_failed(enum fault code, unsigned unit)
{
	const struct fault_record *f = last_fault();
	assert_int_equal(record(0)->done, 1);
	assert_int_equal(record(0)->status, -(int)code);
	assert_int_equal(boot()->faults_written, 1);
	assert_int_equal(f->code, code);
	assert_int_equal(f->queue, GUILTY);
	assert_int_equal(f->packet, guilty_at - 1);
	if (unit == UNIT_DMA)
		assert_in_range(f->unit, UNIT_DMA, UNIT_DMA + 1);
	else
		assert_int_equal(f->unit, unit);
	assert_int_equal(f->asid, 1);
}

static void guilty_well(void)
{
	assert_int_equal(record(0)->done, 1);
	assert_int_equal(record(0)->status, 0);
	assert_int_equal(boot()->faults_written, 0);
}

/* Arms for a unit that does nothing, does the work, and sees that nothing comes of it. */
static void not_for_others(enum injection kind, union packet work)
{
	inject(kind, 1, 0x7f, 0);
	guilty(work);
	settle();
	guilty_well();
	assert_int_equal(injected(), 0);
	bus_write32(bus, REG_HOST_INJECT, 0); /* disarms */
}

/* ---- memory ---- */
/* A page of DRAM that reads 3, by transfers; nobody else uses DRAM. */
static void dram_fill(void)
{
	memset(memory + (DATA + 10) * 4096, 3, 4096);
	guilty(packet_copy_1d(dram_va, VA(DATA + 10), 4096));
	settle();
	memset(memory + DATA * 4096, 0, 4096);
}

static union packet dram_read(void) { return packet_copy_1d(VA(DATA), dram_va, 4096); }

static void test_ECC_SINGLE(void **state)
{
	(void)state;
	dram_fill();
	not_for_others(INJECT_ECC_SINGLE, dram_read());
	inject(INJECT_ECC_SINGLE, 1, 0xffff, 0);
	neighbours_begin();
	guilty(dram_read());
	uint32_t came = settle();
	assert_int_equal(came, REG_HOST_IRQ_STATUS_ECC | REG_HOST_IRQ_STATUS_COMPLETE);
	guilty_well();
	assert_memory_equal(memory + DATA * 4096, memory + (DATA + 10) * 4096, 4096);
	assert_int_equal(cnt(REG_HOST_CNT_ECC_CORRECTED), 1);
	assert_int_equal(cnt(REG_HOST_CNT_ECC_UNCORRECTED), 0);
	assert_int_equal(injected(), 1);
	neighbours_check();
}

static void test_ECC_DOUBLE(void **state)
{
	(void)state;
	dram_fill();
	not_for_others(INJECT_ECC_DOUBLE, dram_read());
	memset(memory + DATA * 4096, 0, 4096);
	inject(INJECT_ECC_DOUBLE, 1, 0xffff, 0);
	neighbours_begin();
	guilty(dram_read());
	uint32_t came = settle();
	assert_true(came & REG_HOST_IRQ_STATUS_ECC && came & REG_HOST_IRQ_STATUS_FAULT);
	guilty_failed(FAULT_ECC, UNIT_DMA);
	assert_int_equal(last_fault()->access, ACCESS_READ);
	assert_int_equal(last_fault()->address, dram_va);
	assert_int_equal(last_fault()->progress, 0);
	assert_int_equal(cnt(REG_HOST_CNT_ECC_UNCORRECTED), 1);
	assert_int_equal(injected(), 1);
	assert_false(status() & REG_HOST_STATUS_LOST);
	neighbours_check();
}

/* The same where nobody can do without the word, a page table: the device is lost. */
static void ecc_in_a_page_table(void **state)
{
	(void)state;
	uint64_t *contexts = (uint64_t *)(memory + CONTEXTS * 4096);
	/* an address space like the first, but for its root, which lies in DRAM */
	memcpy(memory + (DATA + 10) * 4096, memory + ((contexts[1] & ~1ull) - SYSTEM_BASE), 4096);
	guilty(packet_copy_1d(dram_va, VA(DATA + 10), 4096));
	settle();
	contexts[2] = (DRAM_BASE + 0x10000) | 1;
	desc_fill(5, 1);
	desc(5)->asid = 2;
	map(5, desc_pa(5));
	settle();
	put(5, 0, store(1), LAST, 1);
	bell(5, 1);
	settle();
	assert_int_equal(record(1)->status, 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	inject(INJECT_ECC_DOUBLE, 1, UNIT_MMU, 0);
	put(5, 1, store(2), LAST, 1);
	bell(5, 2);
	assert_true(settle() & REG_HOST_IRQ_STATUS_ECC);
	assert_true(status() & REG_HOST_STATUS_LOST);
	assert_false(status() & (REG_HOST_STATUS_CP_RUNNING | REG_HOST_STATUS_BUSY));
	assert_int_equal(record(1)->done, 0);
	assert_int_equal(stored(), 1);
	assert_int_equal(events_of(EVENT_LOST, EVENT_NO_QUEUE), 1);
	bell(GUILTY, guilty_at);
	assert_int_equal(settle(), 0);
}

/* Or what the command processor reads. */
static void ecc_in_the_firmwares_memory(void **state)
{
	(void)state;
	memset(memory + (DATA + 10) * 4096, 0, 4096);
	guilty(packet_copy_1d(dram_va, VA(DATA + 10), 4096));
	settle();
	inject(INJECT_ECC_DOUBLE, 1, UNIT_CP, 0);
	*payload(0) = 1;
	guilty(wait_for(payload_pa(0), 1, DRAM_BASE + 0x10000)); /* a status that lies in DRAM */
	assert_true(settle() & REG_HOST_IRQ_STATUS_ECC);
	assert_true(status() & REG_HOST_STATUS_LOST);
	assert_false(status() & REG_HOST_STATUS_CP_RUNNING);
	assert_int_equal(injected(), 1);
}

static void test_BUS_ERROR(void **state)
{
	(void)state;
	not_for_others(INJECT_BUS_ERROR, packet_copy_1d(VA(DATA), VA(DATA + 10), 64));
	inject(INJECT_BUS_ERROR, 1, UNIT_DMA, 0); /* engine 0, which the first transfer gets */
	guilty(packet_copy_1d(VA(DATA), VA(DATA + 10), 4096));
	settle();
	guilty_failed(FAULT_BUS_ERROR, UNIT_DMA);
	neighbours_begin();
	settle();
	neighbours_check();
	assert_int_equal(injected(), 1);
	/* the n-th of a kernel: its arguments, its store */
	for (uint32_t nth = 1; nth < 3; nth++) {
		boot()->faults_written = 0;
		inject(INJECT_BUS_ERROR, nth, UNIT_CU, 0);
		guilty(store(100 + nth));
		settle();
		assert_int_equal(record(0)->status, -FAULT_BUS_ERROR);
		assert_int_equal(last_fault()->unit, UNIT_CU);
		assert_int_not_equal(stored(), 100 + nth);
	}
	assert_int_equal(injected(), 3);
}

/* ---- translation ---- */
static void test_TLB_PARITY(void **state)
{
	(void)state;
	guilty(store(1));
	settle();
	not_for_others(INJECT_TLB_PARITY, store(2));
	uint64_t walks = cnt(REG_HOST_CNT_TLB_L2_MISS);
	inject(INJECT_TLB_PARITY, 1, UNIT_CU, 0);
	neighbours_begin();
	guilty(store(3));
	settle();
	guilty_well();
	assert_int_equal(stored(), 3);
	assert_int_equal(cnt(REG_HOST_CNT_TLB_PARITY), 1);
	assert_true(cnt(REG_HOST_CNT_TLB_L2_MISS) > walks);
	assert_int_equal(injected(), 1);
	neighbours_check();
}

static void test_WALK_ERROR(void **state)
{
	(void)state;
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	not_for_others(INJECT_WALK_ERROR, store(1));
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	inject(INJECT_WALK_ERROR, 1, UNIT_CU, 0);
	guilty(store(2));
	uint32_t came = settle();
	assert_true(came & REG_HOST_IRQ_STATUS_FAULT);
	guilty_failed(FAULT_PAGE_TABLE, UNIT_CU);
	assert_int_equal(stored(), 1);
	neighbours_begin();
	settle();
	neighbours_check();
	assert_int_equal(injected(), 1);
}

/* ---- units that stand still ---- */
static void test_DMA_STALL(void **state)
{
	(void)state;
	enum { CYCLES = 300000 };
	not_for_others(INJECT_DMA_STALL, packet_copy_1d(VA(DATA), VA(DATA + 10), 64));
	uint64_t usual = record(0)->end - record(0)->start;
	inject(INJECT_DMA_STALL, 1, GUILTY, CYCLES);
	guilty(packet_copy_1d(VA(DATA), VA(DATA + 10), 64));
	neighbours_begin();
	settle();
	guilty_well();
	assert_in_range(record(0)->end - record(0)->start, CYCLES, CYCLES + 10 * usual);
	neighbours_check();
	for (unsigned i = 0; i < EACH; i++) /* another engine was free */
		assert_true(record(30 + i)->end < record(0)->end);
	/* for ever, until the host loses its patience */
	inject(INJECT_DMA_STALL, 1, GUILTY, 0);
	guilty(packet_copy_1d(VA(DATA), VA(DATA + 10), 64));
	neighbours_begin();
	settle();
	assert_int_equal(record(0)->done, 0);
	assert_int_equal(state_of(GUILTY), QUEUE_RUNNING);
	assert_true(status() & REG_HOST_STATUS_BUSY);
	neighbours_check();
	bus_write32(bus, REG_HOST_QUEUE_CTRL + 4 * GUILTY, QUEUE_CTRL_RESET);
	settle();
	guilty_failed(FAULT_ABORTED, UNIT_DMA);
	assert_int_equal(injected(), 2);
}

/* A job that halves a surface of one component. */
static union packet process(void)
{
	struct media_process *j = (struct media_process *)(memory + (DATA + 20) * 4096);
	const struct media_filter f = { VA(DATA + 21), 2, 0 };
	predict_table_box(memory + (DATA + 21) * 4096, 32, 2, 2);
	*j = (struct media_process){ .src = { 64, 64, 0, { { VA(DATA + 22), 64, 1, 0, 0, 8 } } },
				     .dst = { 32, 32, 0, { { VA(DATA + 23), 32, 1, 0, 0, 8 } } }, .width = 32, .height = 32 };
	j->filter_x[0][0] = j->filter_y[0][0] = f;
	return (union packet){ .process = { .head.type = PACKET_CODE_process, .job = VA(DATA + 20) } };
}

static void test_MEDIA_STALL(void **state)
{
	(void)state;
	enum { CYCLES = 300000 };
	not_for_others(INJECT_MEDIA_STALL, process());
	uint64_t usual = record(0)->end - record(0)->start;
	inject(INJECT_MEDIA_STALL, 1, GUILTY, CYCLES);
	guilty(process());
	neighbours_begin();
	settle();
	guilty_well();
	assert_in_range(record(0)->end - record(0)->start, CYCLES, CYCLES + 10 * usual);
	neighbours_check();
	/* for ever, until the host loses its patience */
	inject(INJECT_MEDIA_STALL, 1, GUILTY, 0);
	guilty(process());
	neighbours_begin();
	settle();
	assert_int_equal(record(0)->done, 0);
	assert_int_equal(state_of(GUILTY), QUEUE_RUNNING);
	assert_true(status() & REG_HOST_STATUS_BUSY);
	neighbours_check();
	bus_write32(bus, REG_HOST_QUEUE_CTRL + 4 * GUILTY, QUEUE_CTRL_RESET);
	settle();
	guilty_failed(FAULT_ABORTED, UNIT_MEDIA);
	assert_int_equal(injected(), 2);
}

static void test_KERNEL_HANG(void **state)
{
	(void)state;
	not_for_others(INJECT_KERNEL_HANG, store(1));
	inject(INJECT_KERNEL_HANG, 1, GUILTY, 0);
	guilty(store(2));
	neighbours_begin();
	settle();
	assert_int_equal(record(0)->done, 0);
	assert_int_equal(state_of(GUILTY), QUEUE_RUNNING);
	assert_true(status() & REG_HOST_STATUS_BUSY);
	neighbours_check();
	bus_write32(bus, REG_HOST_QUEUE_CTRL + 4 * GUILTY, QUEUE_CTRL_RESET);
	settle();
	assert_int_equal(record(0)->status, -FAULT_ABORTED);
	assert_int_equal(last_fault()->code, FAULT_ABORTED);
	assert_int_equal(last_fault()->queue, GUILTY);
	assert_int_equal(injected(), 1);
}

/* ---- interrupts ---- */
/* Waits, and reads nothing. */
static bool interrupted(void) { return bus_wait_irq(bus, 10000000) == BUS_WAIT_IRQ; }

static uint32_t irq_take(void)
{
	uint32_t s = bus_read32(bus, REG_HOST_IRQ_STATUS);
	bus_write32(bus, REG_HOST_IRQ_STATUS, s);
	return s;
}

static void test_IRQ_LOST(void **state)
{
	(void)state;
	not_for_others(INJECT_IRQ_LOST, packet_nop());
	/* found by looking: IRQ_STATUS shows it, and from then on the line does */
	inject(INJECT_IRQ_LOST, 1, 0xffff, REG_HOST_IRQ_STATUS_COMPLETE);
	guilty(packet_nop());
	assert_false(interrupted());
	assert_int_equal(record(0)->done, 1);
	assert_int_equal(bus_read32(bus, REG_HOST_IRQ_STATUS), REG_HOST_IRQ_STATUS_COMPLETE);
	assert_true(interrupted());
	assert_int_equal(irq_take(), REG_HOST_IRQ_STATUS_COMPLETE);
	assert_false(interrupted());
	/* or with the next cause; a cause that was not meant counts for nothing */
	inject(INJECT_IRQ_LOST, 2, 0xffff, REG_HOST_IRQ_STATUS_COMPLETE);
	guilty(packet_nop());
	assert_true(interrupted());
	irq_take();
	guilty(packet_nop());
	assert_false(interrupted());
	bus_write64(bus, REG_HOST_HOST_WAIT, 4); /* no such payload: SEM at once */
	assert_true(interrupted());
	assert_int_equal(irq_take(), REG_HOST_IRQ_STATUS_COMPLETE | REG_HOST_IRQ_STATUS_SEM);
	neighbours_begin();
	settle();
	neighbours_check();
	assert_int_equal(injected(), 2);
}

static void test_IRQ_DUPLICATE(void **state)
{
	(void)state;
	not_for_others(INJECT_IRQ_DUPLICATE, packet_nop());
	inject(INJECT_IRQ_DUPLICATE, 1, 0xffff, REG_HOST_IRQ_STATUS_COMPLETE);
	guilty(packet_nop());
	for (unsigned i = 0; i < 2; i++) {
		assert_true(interrupted());
		assert_int_equal(irq_take(), REG_HOST_IRQ_STATUS_COMPLETE);
	}
	assert_false(interrupted());
	assert_int_equal(irq_take(), 0);
	assert_int_equal(*payload(TIMELINES + GUILTY), 2); /* the command has ended once */
	neighbours_begin();
	settle();
	neighbours_check();
	assert_int_equal(injected(), 1);
}

static void test_DOORBELL_LATE(void **state)
{
	(void)state;
	enum { CYCLES = 200000 };
	not_for_others(INJECT_DOORBELL_LATE, packet_nop());
	inject(INJECT_DOORBELL_LATE, 1, GUILTY, CYCLES);
	neighbours_begin();
	uint64_t rung = bus_cycle(bus);
	guilty(packet_nop());
	settle();
	guilty_well();
	assert_in_range(record(0)->submit, rung + CYCLES, rung + CYCLES + 5000);
	neighbours_check();
	for (unsigned i = 0; i < EACH; i++)
		assert_true(record(10 + i)->end < rung + CYCLES && record(30 + i)->end < rung + CYCLES);
	/* so late that it never comes: the next one brings it */
	inject(INJECT_DOORBELL_LATE, 1, GUILTY, UINT64_MAX);
	guilty(packet_nop());
	assert_int_equal(settle(), 0);
	assert_int_equal(record(0)->done, 0);
	bell(GUILTY, guilty_at);
	settle();
	guilty_well();
	assert_int_equal(injected(), 2);
}

static void test_SEM_LOST(void **state)
{
	(void)state;
	*payload(0) = 1;
	not_for_others(INJECT_SEM_LOST, wait_for(payload_pa(0), 1, 0));
	*payload(0) = 0;
	guilty(wait_for(payload_pa(0), 1, 0));
	put(KERNELS_QUEUE, given[0]++, wait_for(payload_pa(0), 1, 0), LAST, 1);
	bell(KERNELS_QUEUE, given[0]);
	bus_write64(bus, REG_HOST_HOST_WAIT_VALUE, 1);
	bus_write64(bus, REG_HOST_HOST_WAIT, payload_pa(0));
	settle();
	inject(INJECT_SEM_LOST, 1, GUILTY, 0);
	signal_payload(0, 1);
	assert_true(settle() & REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(record(0)->done, 0);
	assert_int_equal(state_of(GUILTY), QUEUE_PARKED);
	neighbours_begin();
	settle();
	neighbours_check();
	bus_write64(bus, REG_HOST_SEM_NOTIFY, payload_pa(0));
	settle();
	guilty_well();
	/* the host's own wait */
	inject(INJECT_SEM_LOST, 1, EVENT_HOST_WAIT + 3, 0);
	bus_write64(bus, REG_HOST_HOST_WAIT + 8 * 3, payload_pa(0));
	assert_int_equal(settle(), 0);
	bus_write64(bus, REG_HOST_SEM_NOTIFY, payload_pa(0));
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 9);
	assert_int_equal(injected(), 2);
}

static void test_SEM_SPURIOUS(void **state)
{
	(void)state;
	inject(INJECT_SEM_SPURIOUS, 1, 0x7f, 0);
	guilty(wait_for(payload_pa(0), 1, 0));
	put(KERNELS_QUEUE, given[0]++, wait_for(payload_pa(0), 1, 0), LAST, 1);
	bell(KERNELS_QUEUE, given[0]);
	settle();
	assert_int_equal(state_of(GUILTY), QUEUE_PARKED);
	/* those who look at the payload in vain are woken: the second time, and one of them */
	inject(INJECT_SEM_SPURIOUS, 2, GUILTY, 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(record(0)->done, 0);
		bus_write64(bus, REG_HOST_SEM_NOTIFY, payload_pa(0));
		settle();
	}
	guilty_well();
	assert_int_equal(*payload(0), 0);
	assert_int_equal(state_of(KERNELS_QUEUE), QUEUE_PARKED);
	signal_payload(0, 1);
	settle();
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(events_of(EVENT_SEM_WAKE, GUILTY), 1);
	/* at once; a signal that comes later is not consumed */
	union packet binary = wait_for(payload_pa(1), 0, 0);
	binary.sem_wait.mode = 1;
	inject(INJECT_SEM_SPURIOUS, 1, 0xffff, 0);
	guilty(binary);
	settle();
	guilty_well();
	signal_payload(1, 1);
	settle();
	assert_int_equal(*payload(1), 1);
	guilty(binary);
	settle();
	guilty_well();
	assert_int_equal(*payload(1), 0);
	/* a payload that is there is no occasion */
	inject(INJECT_SEM_SPURIOUS, 1, EVENT_HOST_WAIT + 3, 0);
	bus_write64(bus, REG_HOST_HOST_WAIT_VALUE + 8 * 3, 1);
	bus_write64(bus, REG_HOST_HOST_WAIT + 8 * 3, payload_pa(0));
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(injected(), 2);
	bus_write32(bus, REG_HOST_HOST_WOKEN, 8);
	bus_write64(bus, REG_HOST_HOST_WAIT_VALUE + 8 * 3, 2);
	bus_write64(bus, REG_HOST_HOST_WAIT + 8 * 3, payload_pa(0));
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 8);
	assert_int_equal(*payload(0), 1);
	neighbours_begin();
	settle();
	neighbours_check();
	assert_int_equal(injected(), 3);
}

/* ---- protection ---- */
static void guilty_does(union packet p, unsigned flags)
{
	boot()->faults_written = 0;
	put(GUILTY, guilty_at++, p, LAST | flags, 0);
	bell(GUILTY, guilty_at);
	settle();
}

static void guilty_refused(union packet p, unsigned flags, unsigned unit)
{
	guilty_does(p, flags);
	assert_int_equal(record(0)->status, -FAULT_PROTECTED);
	assert_int_equal(last_fault()->code, FAULT_PROTECTED);
	assert_int_equal(last_fault()->packet, guilty_at - 1);
	assert_int_equal(last_fault()->unit, unit);
}

/* The page of DRAM becomes protected as it is. */
static void test_PROT_OPEN(void **state)
{
	(void)state;
	const uint64_t threes = 0x0303030303030303;
	dram_fill();
	board_map(1, dram_va + 4096, DRAM_BASE + 0x11000, BOARD_PTE);
	guilty(packet_copy_1d(dram_va + 4096, VA(CODE), 4096));
	settle();
	guilty_well();
	bus_write64(bus, REG_HOST_PROT_BASE, DRAM_BASE + 0x10000);
	bus_write64(bus, REG_HOST_PROT_LIMIT, DRAM_BASE + 0x12000);
	inject(INJECT_PROT_OPEN, 1, 0x7f, 0);
	guilty_refused(dram_read(), 0, UNIT_DMA);
	assert_int_equal(injected(), 0);
	/* a transfer, and not the next */
	inject(INJECT_PROT_OPEN, 1, 0xffff, 0);
	neighbours_begin();
	guilty_does(dram_read(), 0);
	guilty_well();
	neighbours_check();
	assert_memory_equal(memory + DATA * 4096, memory + (DATA + 10) * 4096, 4096);
	assert_int_equal(injected(), 1);
	guilty_refused(dram_read(), 0, UNIT_DMA);
	/* the second access of a kernel, and not the third */
	inject(INJECT_PROT_OPEN, 2, UNIT_CU, 0);
	memset(memory + DATA * 4096, 0, 4096);
	args(0)[0] = dram_va, args(0)[1] = VA(DATA);
	guilty_refused(launch(KERNEL_LOAD, 0), 0, UNIT_CU);
	assert_int_equal(stored(), 0);
	guilty_does(launch(KERNEL_LOAD, 0), 0);
	guilty_well();
	assert_int_equal(stored(), threes);
	guilty_refused(launch(KERNEL_LOAD, 0), 0, UNIT_CU);
	/* a protected job writes where everybody reads */
	guilty_refused(store(5), PACKET_PROTECTED, UNIT_CU);
	assert_int_equal(stored(), threes);
	inject(INJECT_PROT_OPEN, 1, UNIT_CU, 0);
	guilty_does(store(6), PACKET_PROTECTED);
	guilty_well();
	assert_int_equal(stored(), 6);
	/* instructions */
	union packet kernel = store(7);
	kernel.dispatch.entry += dram_va + 4096 - VA(CODE);
	inject(INJECT_PROT_OPEN, 1, UNIT_CU, 0);
	guilty_does(kernel, 0);
	guilty_well();
	assert_int_equal(stored(), 7);
	bus_write32(bus, REG_HOST_TLB_INV, 0); /* until then they are there */
	guilty_refused(kernel, 0, UNIT_CU);
	assert_int_equal(last_fault()->access, ACCESS_EXEC);
	/* the command processor reads: a status, which is none of a failure */
	*payload(0) = 1;
	inject(INJECT_PROT_OPEN, 1, UNIT_CP, 0);
	guilty_does(wait_for(payload_pa(0), 1, DRAM_BASE + 0x10000), 0);
	guilty_well();
	assert_int_equal(cnt(REG_HOST_CNT_PROT_FAULTS), 6);
	assert_int_equal(events_of(EVENT_VIOLATION, EVENT_NO_QUEUE), 6);
	guilty_does(wait_for(payload_pa(0), 1, DRAM_BASE + 0x10000), 0);
	assert_int_equal(record(0)->status, -FAULT_BUS_ERROR);
	assert_int_equal(cnt(REG_HOST_CNT_PROT_FAULTS), 7);
	assert_int_equal(injected(), 5);
}

/* ---- the command processor ---- */
static void test_CP_CRASH(void **state)
{
	(void)state;
	enum { CYCLES = 50000, HARDWARE_ERROR = 19 };
	/* asleep or not; before it, the device works */
	inject(INJECT_CP_CRASH, 3, 0xffff, CYCLES);
	uint64_t armed = bus_cycle(bus);
	neighbours_begin();
	while (!record(10 + EACH - 1)->done || !record(30 + EACH - 1)->done)
		bus_read32(bus, REG_HOST_ID);
	neighbours_check();
	guilty(launch(KERNEL_SPIN, 0));
	uint32_t came = settle();
	assert_true(came & REG_HOST_IRQ_STATUS_CRASH);
	assert_int_equal(status(), REG_HOST_STATUS_CP_CRASHED | REG_HOST_STATUS_LOST);
	assert_int_equal(bus_read64(bus, REG_HOST_CRASH_CAUSE), HARDWARE_ERROR);
	assert_int_not_equal(bus_read64(bus, REG_HOST_CRASH_PC), 0);
	assert_int_equal(record(0)->done, 0);
	assert_int_equal(injected(), 1);
	for (unsigned i = 0; i < events_count(); i++)
		if (events_at(i)->kind == EVENT_INJECTED)
			assert_int_equal(events_at(i)->cycle, armed + CYCLES + 2);
	assert_int_equal(events_of(EVENT_INJECTED, EVENT_NO_QUEUE), 1);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
#define INJECTION(name, code, block, arg, doc) cmocka_unit_test_setup_teardown(test_##name, begin, works_afterwards),
#include "abi/injections.def"
#undef INJECTION
		cmocka_unit_test_setup_teardown(ecc_in_a_page_table, begin, works_afterwards),
		cmocka_unit_test_setup_teardown(ecc_in_the_firmwares_memory, begin, works_afterwards),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
