/* Queues under QUEUE_CTRL: suspended, resumed, reset, replayed, with others beside them. */
#include "testbench/driver/board.h"

#define REPLAYABLE (1ull << 63)

/* Lets so many cycles pass. */
static void settle_for(uint64_t cycles)
{
	uint64_t from = bus_cycle(bus);

	while (bus_cycle(bus) - from < cycles) {
		bus_wait_irq(bus, cycles);
		bus_read32(bus, REG_HOST_ID); /* where nothing runs no cycles pass */
	}
}

/* ---- suspend ---- */
static void suspended_idle(void **state)
{
	(void)state;
	queue_up(0, 1, 0);
	control(0, QUEUE_CTRL_SUSPEND);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_QUEUE);
	assert_int_equal(requested(0), 0);
	assert_int_equal(state_of(0), QUEUE_SUSPENDED);
	put(0, 0, packet_nop(), LAST, 0);
	put(0, 1, packet_nop(), LAST, 1);
	bell(0, 1);
	assert_int_equal(settle(), 0);
	bell(0, 2);
	assert_int_equal(settle(), 0);
	assert_int_equal(record(0)->done, 0);
	assert_int_equal(state_of(0), QUEUE_SUSPENDED);
	control(0, QUEUE_CTRL_RESUME);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_QUEUE | REG_HOST_IRQ_STATUS_COMPLETE);
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(state_of(0), QUEUE_IDLE);
	/* what makes no sense is carried out by doing nothing */
	static const uint32_t nonsense[] = { QUEUE_CTRL_RESUME, QUEUE_CTRL_RESET, QUEUE_CTRL_REPLAY, 5, 0xffffffff };
	for (unsigned i = 0; i < 5; i++) {
		bus_write32(bus, REG_HOST_QUEUE_CTRL, nonsense[i]);
		bus_write32(bus, REG_HOST_QUEUE_CTRL + 4 * 9, nonsense[i]); /* not mapped */
		assert_int_equal(settle(), REG_HOST_IRQ_STATUS_QUEUE);
		assert_int_equal(requested(0) | requested(9), 0);
		assert_int_equal(state_of(0), QUEUE_IDLE);
		assert_int_equal(state_of(9), QUEUE_UNMAPPED);
	}
	assert_int_equal(boot()->faults_written, 0);
}

/* The packet in progress ends, the next one of the same command does not begin. */
static void suspended_at_work(void **state)
{
	(void)state;
	enum { BYTES = 60 * 4096 };
	queue_up(1, 1, 0);
	memset(memory + DATA * 4096, 7, BYTES);
	put(1, 0, packet_copy_1d(VA(DATA + 100), VA(DATA), BYTES), 0, 0);
	put(1, 1, packet_copy_1d(VA(DATA + 200), VA(DATA), 64), LAST, 1);
	bell(1, 2);
	RUN_UNTIL(device_busy());
	control(1, QUEUE_CTRL_SUSPEND);
	assert_int_equal(requested(1), QUEUE_CTRL_SUSPEND);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_QUEUE);
	assert_int_equal(requested(1), 0);
	assert_int_equal(state_of(1), QUEUE_SUSPENDED);
	assert_int_equal(memory[(DATA + 100) * 4096 + BYTES - 1], 7);
	assert_int_equal(memory[(DATA + 200) * 4096], 0);
	assert_int_equal(record(1)->done, 0);
	assert_int_equal(desc(1)->read_index, 1);
	control(1, QUEUE_CTRL_RESUME);
	settle();
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(record(1)->status, 0);
	assert_int_equal(memory[(DATA + 200) * 4096], 7);
	/* taken back before the packet has ended */
	put(1, 2, packet_copy_1d(VA(DATA + 100), VA(DATA), BYTES), 0, 0);
	put(1, 3, packet_nop(), LAST, 1);
	bell(1, 4);
	RUN_UNTIL(device_busy());
	control(1, QUEUE_CTRL_SUSPEND);
	bus_wait_irq(bus, 50);
	control(1, QUEUE_CTRL_RESUME);
	settle();
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(state_of(1), QUEUE_IDLE);
}

/* A wait stays armed: it may end while the queue is suspended, but nothing follows it. */
static void suspended_parked(void **state)
{
	(void)state;
	for (unsigned early = 0; early < 2; early++) {
		*payload(0) = 0;
		queue_up(2, 1, 0);
		put(2, 0, wait_for(payload_pa(0), 5, 0), 0, 0);
		put(2, 1, packet_nop(), LAST, 1);
		bell(2, 2);
		settle();
		assert_int_equal(state_of(2), QUEUE_PARKED);
		control(2, QUEUE_CTRL_SUSPEND);
		assert_int_equal(settle(), REG_HOST_IRQ_STATUS_QUEUE);
		assert_int_equal(state_of(2), QUEUE_SUSPENDED);
		if (early) {
			control(2, QUEUE_CTRL_RESUME);
			assert_int_equal(settle(), REG_HOST_IRQ_STATUS_QUEUE);
			assert_int_equal(state_of(2), QUEUE_PARKED);
			signal_payload(0, 5);
		} else {
			signal_payload(0, 5);
			assert_int_equal(settle(), 0);
			assert_int_equal(record(1)->done, 0);
			assert_int_equal(state_of(2), QUEUE_SUSPENDED);
			signal_payload(0, 0); /* it is over, whatever comes now */
			control(2, QUEUE_CTRL_RESUME);
		}
		settle();
		assert_int_equal(record(1)->done, 1);
		map(2, 0);
		settle();
	}
	/* given away while it is suspended and blocked, it waits anew, elsewhere */
	*payload(0) = 0;
	queue_up(2, 1, 0);
	put(2, 0, wait_for(payload_pa(0), 5, 0), 0, 0);
	put(2, 1, packet_nop(), LAST, 1);
	bell(2, 2);
	settle();
	control(2, QUEUE_CTRL_SUSPEND);
	settle();
	map(2, 0);
	settle();
	map(7, desc_pa(2));
	bell(7, 2);
	settle();
	assert_int_equal(state_of(7), QUEUE_PARKED);
	signal_payload(0, 5);
	settle();
	assert_int_equal(record(1)->done, 1);
}

/* ---- reset ---- */
static void reset_dispatch(void **state)
{
	(void)state;
	queue_up(0, 1, 0);
	queue_up(1, 1, 0);
	put(0, 0, packet_nop(), 0, 0);
	put(0, 1, launch(KERNEL_SPIN, 0), 0, 0);
	args(1)[0] = VA(DATA), args(1)[1] = 77;
	put(0, 2, launch(KERNEL_STORE, 1), LAST, 1);
	args(2)[0] = VA(DATA) + 8, args(2)[1] = 78;
	put(0, 3, launch(KERNEL_STORE, 2), LAST, 2);
	bell(0, 4);
	RUN_UNTIL(device_busy());
	/* the queue beside it works before, during and after */
	for (unsigned i = 0; i < 3; i++) {
		put(1, i, packet_nop(), LAST, 3 + i);
		bell(1, i + 1);
		RUN_UNTIL(record(3 + i)->done);
		if (i == 0) {
			control(0, QUEUE_CTRL_RESET);
			RUN_UNTIL(record(1)->done);
		}
	}
	uint32_t came = settle();
	assert_true(came & REG_HOST_IRQ_STATUS_QUEUE);
	assert_int_equal(requested(0), 0);
	assert_int_equal(record(1)->status, -FAULT_ABORTED);
	assert_int_equal(*(uint64_t *)(memory + DATA * 4096), 0);
	assert_int_equal(last_fault()->code, FAULT_ABORTED);
	assert_int_equal(last_fault()->queue, 0);
	assert_int_equal(last_fault()->packet, 1);
	assert_int_equal(boot()->faults_written, 1);
	/* and goes on with the next command */
	assert_int_equal(record(2)->done, 1);
	assert_int_equal(record(2)->status, 0);
	assert_int_equal(*(uint64_t *)(memory + DATA * 4096 + 8), 78);
	assert_int_equal(state_of(0), QUEUE_IDLE);
	assert_int_equal(timeline(0), 2);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(record(3 + i)->status, 0);
}

static void reset_transfer(void **state)
{
	(void)state;
	enum { BYTES = 100 * 4096 };
	queue_up(0, 1, 0);
	for (unsigned i = 0; i < BYTES; i++)
		memory[DATA * 4096 + i] = (uint8_t)(i % 251 + 1);
	memset(memory + (DATA + 110) * 4096, 0, BYTES);
	put(0, 0, packet_copy_1d(VA(DATA + 110), VA(DATA), BYTES), LAST, 0);
	put(0, 1, packet_nop(), LAST, 1);
	bell(0, 2);
	RUN_UNTIL(device_busy());
	bus_wait_irq(bus, 5000);
	control(0, QUEUE_CTRL_RESET);
	settle();
	assert_int_equal(record(0)->status, -FAULT_ABORTED);
	assert_int_equal(last_fault()->code, FAULT_ABORTED);
	uint64_t progress = last_fault()->progress;
	assert_in_range(progress, 1, BYTES - 1);
	const uint8_t *to = memory + (DATA + 110) * 4096;
	assert_memory_equal(to, memory + DATA * 4096, progress);
	for (uint64_t i = progress; i < BYTES; i++)
		assert_int_equal(to[i], 0);
	assert_int_equal(record(1)->status, 0);
	assert_int_equal(record(1)->done, 1);
	/* the slot is free again */
	put(0, 2, packet_copy_1d(VA(DATA + 110), VA(DATA), 4096), LAST, 0);
	bell(0, 3);
	settle();
	assert_int_equal(record(0)->status, 0);
}

static void reset_parked(void **state)
{
	(void)state;
	*payload(0) = 0;
	queue_up(3, 1, 0);
	put(3, 0, wait_for(payload_pa(0), 1, 0), 0, 0);
	put(3, 1, launch(KERNEL_SPIN, 0), LAST, 0);
	put(3, 2, packet_nop(), LAST, 1);
	bell(3, 3);
	settle();
	control(3, QUEUE_CTRL_SUSPEND); /* resetting resumes */
	settle();
	control(3, QUEUE_CTRL_RESET);
	assert_true(settle() & REG_HOST_IRQ_STATUS_QUEUE);
	assert_int_equal(record(0)->status, -FAULT_ABORTED);
	assert_int_equal(record(0)->done, 1);
	assert_int_equal(record(1)->status, 0);
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(last_fault()->code, FAULT_ABORTED);
	assert_int_equal(boot()->faults_written, 1);
	signal_payload(0, 1);
	assert_int_equal(settle(), 0); /* nobody waits */
	/* a command of which only the beginning is in the ring */
	put(3, 3, packet_nop(), 0, 0);
	bell(3, 4);
	settle();
	control(3, QUEUE_CTRL_RESET);
	settle();
	args(0)[0] = VA(DATA), args(0)[1] = 1;
	put(3, 4, launch(KERNEL_STORE, 0), LAST, 0);
	put(3, 5, launch(KERNEL_STORE, 0), LAST, 1);
	bell(3, 5);
	settle();
	assert_int_equal(record(0)->status, -FAULT_ABORTED);
	assert_int_equal(memory[DATA * 4096], 0);
	bell(3, 6);
	settle();
	assert_int_equal(record(1)->status, 0);
	assert_int_equal(memory[DATA * 4096], 1);
	assert_int_equal(timeline(3), 4);
}

/* A command that has failed, of which the rest is still to come, has failed wherever its queue goes on. */
static void failures_move(void **state)
{
	(void)state;
	queue_up(3, 1, 0);
	put(3, 0, (union packet){ .head.type = 99 }, 0, 0);
	bell(3, 1);
	settle();
	assert_int_equal(boot()->faults_written, 1);
	map(3, 0);
	settle();
	assert_int_equal(desc(3)->failed, FAULT_BAD_PACKET);
	args(0)[0] = VA(DATA), args(0)[1] = 9;
	put(3, 1, launch(KERNEL_STORE, 0), LAST, 0);
	put(3, 2, launch(KERNEL_STORE, 0), LAST, 1);
	map(12, desc_pa(3));
	bell(12, 2);
	settle();
	assert_int_equal(record(0)->done, 1);
	assert_int_equal(record(0)->status, -FAULT_BAD_PACKET);
	assert_int_equal(memory[DATA * 4096], 0);
	bell(12, 3);
	settle();
	assert_int_equal(record(1)->status, 0);
	assert_int_equal(memory[DATA * 4096], 9);
	/* taken off while a kernel runs, and the bell rung before that has ended */
	put(3, 3, launch(KERNEL_SPIN, 0), LAST, 0);
	put(3, 4, packet_nop(), LAST, 1);
	bell(12, 4);
	RUN_UNTIL(device_busy());
	map(12, desc_pa(3));
	bell(12, 5);
	settle();
	assert_int_equal(record(0)->status, -FAULT_ABORTED);
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(record(1)->status, 0);
	map(12, 0);
	settle();
	desc(3)->failed = 256;
	map(12, desc_pa(3));
	settle();
	assert_int_equal(state_of(12), QUEUE_ERROR);
}

/* ---- replayable faults ---- */
static void replayed_dispatch(void **state)
{
	(void)state;
	uint64_t hole = VA(DATA + 40);
	queue_up(0, 1, 1);
	queue_up(1, 1, 0);
	board_map(1, hole, 0, 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	args(0)[0] = hole + 16, args(0)[1] = 0xabcdef;
	put(0, 0, launch(KERNEL_STORE, 0), LAST, 0);
	put(1, 0, launch(KERNEL_STORE, 0), LAST, 1);
	bell(0, 1);
	assert_int_equal(settle() & ~REG_HOST_IRQ_STATUS_LOG, REG_HOST_IRQ_STATUS_FAULT | REG_HOST_IRQ_STATUS_QUEUE);
	assert_int_equal(state_of(0), QUEUE_FAULTED);
	assert_int_equal(record(0)->done, 0);
	struct fault_record *f = last_fault();
	assert_int_equal(f->code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(f->address, hole + 16);
	assert_int_equal(f->unit, UNIT_CU);
	assert_int_equal(f->access, ACCESS_WRITE);
	assert_int_equal(f->queue, 0);
	assert_true(f->progress == REPLAYABLE);
	assert_int_equal(f->entry, VA(CODE) + 64 * KERNEL_STORE);
	/* the queue beside it, whose faults are not replayable, fails at the same place and goes on */
	bell(1, 1);
	settle();
	assert_int_equal(record(1)->status, -FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(last_fault()->progress, 0);
	put(1, 1, packet_nop(), LAST, 1);
	bell(1, 2);
	settle();
	assert_int_equal(record(1)->status, 0);
	/* tried again too early, it faults again */
	control(0, QUEUE_CTRL_REPLAY);
	assert_true(settle() & REG_HOST_IRQ_STATUS_QUEUE);
	assert_int_equal(state_of(0), QUEUE_FAULTED);
	assert_int_equal(boot()->faults_written, 3);
	board_map(1, hole, PA(DATA + 40), BOARD_PTE);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	control(0, QUEUE_CTRL_REPLAY);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_QUEUE | REG_HOST_IRQ_STATUS_COMPLETE);
	assert_int_equal(record(0)->status, 0);
	assert_int_equal(record(0)->done, 1);
	assert_int_equal(*(uint64_t *)(memory + (DATA + 40) * 4096 + 16), 0xabcdef);
	assert_int_equal(state_of(0), QUEUE_IDLE);
	/* given up instead */
	board_map(1, hole, 0, 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	put(0, 1, launch(KERNEL_STORE, 0), LAST, 0);
	put(0, 2, packet_nop(), LAST, 1);
	bell(0, 3);
	settle();
	assert_int_equal(state_of(0), QUEUE_FAULTED);
	control(0, QUEUE_CTRL_RESET);
	settle();
	assert_int_equal(record(0)->status, -FAULT_ABORTED);
	assert_int_equal(record(1)->status, 0);
	assert_int_equal(record(1)->done, 1);
	assert_int_equal(state_of(0), QUEUE_IDLE);
}

static void replayed_transfer(void **state)
{
	(void)state;
	enum { BYTES = 20 * 4096 };
	uint64_t hole = VA(DATA + 40 + 7);
	queue_up(0, 1, 1);
	for (unsigned i = 0; i < BYTES; i++)
		memory[DATA * 4096 + i] = (uint8_t)(i % 250 + 1);
	board_map(1, hole, 0, 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	put(0, 0, packet_copy_1d(VA(DATA + 40) + 100, VA(DATA), BYTES), LAST, 0);
	bell(0, 1);
	settle();
	assert_int_equal(state_of(0), QUEUE_FAULTED);
	assert_int_equal(last_fault()->code, FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(last_fault()->address, hole);
	assert_int_equal(last_fault()->unit, UNIT_DMA);
	assert_true(last_fault()->progress == (REPLAYABLE | (7 * 4096 - 100)));
	control(0, QUEUE_CTRL_SUSPEND); /* after the packet, which stands */
	settle();
	assert_int_equal(requested(0), QUEUE_CTRL_SUSPEND);
	board_map(1, hole, PA(DATA + 40 + 7), BOARD_PTE);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	control(0, QUEUE_CTRL_REPLAY);
	settle();
	assert_int_equal(record(0)->done, 1);
	assert_int_equal(record(0)->status, 0);
	assert_memory_equal(memory + (DATA + 40) * 4096 + 100, memory + DATA * 4096, BYTES);
	assert_int_equal(state_of(0), QUEUE_SUSPENDED);
	control(0, QUEUE_CTRL_RESUME);
	settle();
	assert_int_equal(state_of(0), QUEUE_IDLE);
	/* mapped over while it stands: the command is over */
	board_map(1, hole, 0, 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	put(0, 1, packet_copy_1d(VA(DATA + 40) + 100, VA(DATA), BYTES), LAST, 0);
	bell(0, 2);
	settle();
	map(0, 0);
	settle();
	assert_int_equal(state_of(0), QUEUE_UNMAPPED);
	assert_int_equal(record(0)->status, -FAULT_ABORTED);
	queue_up(0, 1, 0);
}

/* More queues stand at a fault of a transfer than there are engines: others copy on, and each of them
 * goes on when it is replayed, in whatever order. */
static void replayed_transfers(void **state)
{
	(void)state;
	enum { STANDING = 4, BYTES = 2 * 4096 };
	static const unsigned order[STANDING] = { 2, 0, 3, 1 };
	uint64_t end[STANDING];
	assert_true(bus_read32(bus, REG_HOST_NUM_DMA) < STANDING);
	for (unsigned i = 0; i < STANDING * BYTES; i++)
		memory[DATA * 4096 + i] = (uint8_t)(i % 250 + 1);
	for (unsigned n = 0; n < STANDING; n++) {
		queue_up(n, 1, 1);
		board_map(1, VA(DATA + 40 + 2 * n + 1), 0, 0);
		put(n, 0, packet_copy_1d(VA(DATA + 40 + 2 * n), VA(DATA + 2 * n), BYTES), LAST, n);
	}
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	for (unsigned n = 0; n < STANDING; n++)
		bell(n, 1);
	settle();
	for (unsigned n = 0; n < STANDING; n++)
		assert_int_equal(state_of(n), QUEUE_FAULTED);
	queue_up(STANDING, 1, 0);
	put(STANDING, 0, packet_copy_1d(VA(DATA + 60), VA(DATA), BYTES), LAST, STANDING);
	bell(STANDING, 1);
	settle();
	assert_int_equal(record(STANDING)->done, 1);
	assert_int_equal(record(STANDING)->status, 0);
	assert_memory_equal(memory + (DATA + 60) * 4096, memory + DATA * 4096, BYTES);
	control(1, QUEUE_CTRL_RESET); /* the others stand as before */
	settle();
	assert_int_equal(record(1)->status, -FAULT_ABORTED);
	put(1, 1, packet_copy_1d(VA(DATA + 42), VA(DATA + 2), BYTES), LAST, 1);
	bell(1, 2);
	settle();
	assert_int_equal(state_of(1), QUEUE_FAULTED);
	for (unsigned i = 0; i < STANDING; i++) {
		unsigned n = order[i];
		assert_int_equal(state_of(n), QUEUE_FAULTED);
		board_map(1, VA(DATA + 40 + 2 * n + 1), PA(DATA + 40 + 2 * n + 1), BOARD_PTE);
		control(n, QUEUE_CTRL_REPLAY);
		settle();
		assert_int_equal(state_of(n), QUEUE_IDLE);
		assert_int_equal(record(n)->status, 0);
		end[i] = record(n)->end;
		assert_true(!i || end[i] > end[i - 1]);
	}
	assert_memory_equal(memory + (DATA + 40) * 4096, memory + DATA * 4096, STANDING * BYTES);
}

/* ---- watchdog ---- */
static void watchdog(void **state)
{
	(void)state;
	fresh();
	boot()->watchdog = 30000;
	assert_int_equal(start(), FW_READY);
	queue_up(0, 1, 1);
	queue_up(1, 1, 0);
	/* a kernel */
	uint64_t began = bus_cycle(bus);
	hang(0, 0, 0);
	put(1, 0, packet_nop(), LAST, 1);
	bell(1, 1);
	settle();
	assert_int_equal(record(0)->status, -FAULT_WATCHDOG);
	assert_in_range(record(0)->end - began, 30000, 40000);
	assert_int_equal(last_fault()->code, FAULT_WATCHDOG);
	assert_int_equal(record(1)->status, 0);
	assert_true(record(1)->end < record(0)->end);
	/* a transfer */
	inject(INJECT_DMA_STALL, 1, 0xffff, 0);
	put(0, 1, packet_copy_1d(VA(DATA + 100), VA(DATA), 4096), LAST, 0);
	bell(0, 2);
	settle();
	assert_int_equal(record(0)->status, -FAULT_WATCHDOG);
	/* a queue that stands at a fault waits for the host, not against the clock */
	uint64_t hole = VA(DATA + 40);
	board_map(1, hole, 0, 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	args(0)[0] = hole, args(0)[1] = 5;
	put(0, 2, launch(KERNEL_STORE, 0), LAST, 0);
	bell(0, 3);
	settle();
	assert_int_equal(state_of(0), QUEUE_FAULTED);
	bus_wait_irq(bus, 100000);
	for (unsigned i = 0; i < 1000; i++)
		bus_read32(bus, REG_HOST_ID);
	assert_int_equal(state_of(0), QUEUE_FAULTED);
	board_map(1, hole, PA(DATA + 40), BOARD_PTE);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	control(0, QUEUE_CTRL_REPLAY);
	settle();
	assert_int_equal(record(0)->status, 0);
	/* but what is replayed has as long as any */
	hang(0, 3, 0);
	settle();
	assert_int_equal(record(0)->status, -FAULT_WATCHDOG);
}

/* A packet that waits for engines or units which others hold is not aborted, however long that takes; once it is at work, it has as long
 * as any. */
static void watchdog_of_what_waits(void **state)
{
	enum { W = 30000, HELD = 5 * W };
	(void)state;
	fresh();
	boot()->watchdog = W;
	assert_int_equal(start(), FW_READY);
	for (unsigned n = 0; n < 5; n++)
		queue_up(n, 1, n == 2);
	/* both engines are held by transfers that nothing watches */
	for (unsigned n = 0; n < 2; n++) {
		inject(INJECT_DMA_STALL, 1, 0xffff, HELD);
		put(n, 0, packet_copy_1d(VA(DATA + 100), VA(DATA), 4096), LAST | PACKET_PATIENT, n);
		bell(n, 1);
		settle_for(3000);
	}
	put(2, 0, packet_copy_1d(VA(DATA + 101), VA(DATA), 4096), LAST, 2);
	bell(2, 1);
	settle();
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(record(i)->status, 0);
	assert_true(record(2)->end - record(2)->submit > 4 * W);
	/* and all warps of the unit */
	union packet all = launch(KERNEL_SPIN, 0);
	all.dispatch.global_size[0] = all.dispatch.local_size[0] = 16;
	put(3, 0, all, LAST | PACKET_PATIENT, 3);
	bell(3, 1);
	RUN_UNTIL(device_busy());
	put(4, 0, launch(KERNEL_EXIT, 0), LAST, 4);
	bell(4, 1);
	settle_for(HELD);
	assert_int_equal(record(4)->done, 0);
	control(3, QUEUE_CTRL_RESET);
	settle();
	assert_int_equal(record(3)->status, -FAULT_ABORTED);
	assert_int_equal(record(4)->status, 0);
	/* what hangs when its turn has come */
	put(3, 1, all, LAST | PACKET_PATIENT, 3);
	bell(3, 2);
	RUN_UNTIL(device_busy());
	put(4, 1, launch(KERNEL_SPIN, 0), LAST, 4);
	bell(4, 2);
	settle_for(3 * W + W / 2);
	uint64_t began = bus_cycle(bus);
	control(3, QUEUE_CTRL_RESET);
	settle();
	assert_int_equal(record(4)->status, -FAULT_WATCHDOG);
	assert_in_range(record(4)->end - began, W, W + W / 3);
	/* a transfer that waits again after a replay */
	uint64_t hole = VA(DATA + 40);
	board_map(1, hole, 0, 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	put(2, 1, packet_copy_1d(hole, VA(DATA), 4096), LAST, 2);
	bell(2, 2);
	settle();
	assert_int_equal(state_of(2), QUEUE_FAULTED);
	for (unsigned n = 0; n < 2; n++) {
		inject(INJECT_DMA_STALL, 1, 0xffff, HELD);
		put(n, 1, packet_copy_1d(VA(DATA + 100), VA(DATA), 4096), LAST | PACKET_PATIENT, n);
		bell(n, 2);
		settle_for(3000);
	}
	board_map(1, hole, PA(DATA + 40), BOARD_PTE);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	began = bus_cycle(bus);
	control(2, QUEUE_CTRL_REPLAY);
	settle();
	assert_int_equal(record(2)->status, 0);
	assert_true(record(2)->end - began > 4 * W);
}

/* A transfer that had moved bytes before its page fault, and moves none behind the replay: they count at the first deadline. */
static void watchdog_of_what_is_replayed(void **state)
{
	enum { W = 30000 };
	const uint64_t hole = VA(DATA + 41);
	(void)state;
	fresh();
	boot()->watchdog = W;
	assert_int_equal(start(), FW_READY);
	queue_up(0, 1, 1);
	for (unsigned moved = 0; moved < 2; moved++) {
		board_map(1, hole, 0, 0);
		bus_write32(bus, REG_HOST_TLB_INV, 0);
		put(0, moved, packet_copy_1d(moved ? VA(DATA + 40) : hole, VA(DATA), 4096 + moved * 4096), LAST, moved);
		bell(0, 1 + moved);
		settle();
		assert_int_equal(state_of(0), QUEUE_FAULTED);
		if (moved) { /* the firmware looks, and sees the bytes, before it meets the same fault */
			inject(INJECT_DMA_STALL, 1, 0xffff, W + W / 2);
			control(0, QUEUE_CTRL_REPLAY);
			settle();
			assert_int_equal(state_of(0), QUEUE_FAULTED);
		}
		board_map(1, hole, PA(DATA + 41), BOARD_PTE);
		bus_write32(bus, REG_HOST_TLB_INV, 0);
		inject(INJECT_DMA_STALL, 1, 0xffff, 0);
		const uint64_t began = bus_cycle(bus);
		control(0, QUEUE_CTRL_REPLAY);
		settle();
		assert_int_equal(record(moved)->status, -FAULT_WATCHDOG);
		assert_in_range(record(moved)->end - began, (1 + moved) * W, (1 + moved) * W + W / 3);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!board_init(argv[0]))
		return 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(suspended_idle, board_setup),
		cmocka_unit_test_setup(suspended_at_work, board_setup),
		cmocka_unit_test_setup(suspended_parked, board_setup),
		cmocka_unit_test_setup(reset_dispatch, board_setup),
		cmocka_unit_test_setup(reset_transfer, board_setup),
		cmocka_unit_test_setup(reset_parked, board_setup),
		cmocka_unit_test_setup(failures_move, board_setup),
		cmocka_unit_test_setup(replayed_dispatch, board_setup),
		cmocka_unit_test_setup(replayed_transfer, board_setup),
		cmocka_unit_test_setup(replayed_transfers, board_setup),
		cmocka_unit_test(watchdog),
		cmocka_unit_test(watchdog_of_what_waits),
		cmocka_unit_test(watchdog_of_what_is_replayed),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
