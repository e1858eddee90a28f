/* Queues under QUEUE_CTRL: suspended, resumed, reset, replayed, with others beside them. */
#include "testbench/driver/board.h"

enum { LAST = PACKET_END | PACKET_IRQ };
#define REPLAYABLE (1ull << 63)

static void control(unsigned n, enum queue_ctrl request) { bus_write32(bus, REG_HOST_QUEUE_CTRL + 4 * n, request); }
static uint32_t requested(unsigned n) { return bus_read32(bus, REG_HOST_QUEUE_CTRL + 4 * n); }
static uint64_t timeline(unsigned n) { return *payload(TIMELINES + n); }

/* Lets the device run until the condition holds. */
#define RUN_UNTIL(condition)                                                                       \
	do {                                                                                       \
		unsigned left_ = 100000;                                                           \
		while (!(condition)) {                                                             \
			assert_true(left_--);                                                      \
			bus_read32(bus, REG_HOST_ID);                                              \
		}                                                                                  \
	} while (0)

static bool device_busy(void) { return bus_read32(bus, REG_HOST_STATUS) & REG_HOST_STATUS_BUSY; }

/* A kernel that does not end, in queue n at index. */
static void hang(unsigned n, uint64_t index, unsigned i)
{
	put(n, index, launch(KERNEL_SPIN, 0), LAST, i);
	bell(n, index + 1);
	RUN_UNTIL(device_busy());
}

static union packet binary_wait(unsigned i)
{
	union packet p = wait_for(payload_pa(i), 0, 0);
	p.sem_wait.mode = 1;
	return p;
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
	/* given away while it is suspended and parked, it waits anew, elsewhere */
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

/* ---- semaphores ---- */
/* Of several that wait for one binary semaphore, each signal lets one go on: the lowest queue. */
static void binary_semaphores(void **state)
{
	(void)state;
	static const unsigned queues[4] = { 9, 2, 14, 5 }, order[4] = { 2, 5, 9, 14 };
	*payload(0) = 0;
	for (unsigned i = 0; i < 4; i++) {
		queue_up(queues[i], 1, 0);
		put(queues[i], 0, binary_wait(0), 0, 0);
		put(queues[i], 1, packet_nop(), LAST, queues[i]);
		bell(queues[i], 2);
		settle();
		assert_int_equal(state_of(queues[i]), QUEUE_PARKED);
	}
	for (unsigned i = 0; i < 4; i++) {
		signal_payload(0, 3 + i);
		settle();
		assert_int_equal(*payload(0), 0);
		for (unsigned k = 0; k < 4; k++)
			assert_int_equal(record(order[k])->done, k <= i);
	}
	/* signalled first: who comes takes it */
	signal_payload(0, 1);
	assert_int_equal(*payload(0), 1);
	put(2, 2, binary_wait(0), 0, 0);
	put(2, 3, packet_nop(), LAST, 2);
	bell(2, 4);
	settle();
	assert_int_equal(record(2)->done, 1);
	assert_int_equal(*payload(0), 0);
	/* a queue's own signal, and a queue that is given away while it waits: the signal is for another */
	put(2, 4, binary_wait(0), 0, 0);
	put(2, 5, packet_nop(), LAST, 2);
	bell(2, 6);
	settle();
	map(2, 0);
	put(5, 2, (union packet){ .sem_signal = { .head.type = PACKET_CODE_sem_signal, .semaphore = payload_pa(0),
						  .value = 1 } }, LAST, 5);
	bell(5, 3);
	settle();
	assert_int_equal(record(2)->done, 0);
	assert_int_equal(*payload(0), 1);
	map(2, desc_pa(2));
	bell(2, 6);
	settle();
	assert_int_equal(record(2)->done, 1);
	assert_int_equal(*payload(0), 0);
	/* no such mode */
	union packet p = binary_wait(0);
	p.sem_wait.mode = 2;
	put(2, 6, p, LAST, 2);
	bell(2, 7);
	settle();
	assert_int_equal(record(2)->status, -FAULT_BAD_PACKET);
}

/* The host waits by interrupt, several slots at once. */
static void host_waits(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		*payload(i) = 0;
		bus_write64(bus, REG_HOST_HOST_WAIT_VALUE + 8 * i, 10);
		bus_write64(bus, REG_HOST_HOST_WAIT + 8 * i, payload_pa(i / 2));
	}
	assert_int_equal(settle(), 0);
	queue_up(0, 1, 0);
	put(0, 0, (union packet){ .sem_signal = { .head.type = PACKET_CODE_sem_signal, .semaphore = payload_pa(3),
						  .value = 10 } }, PACKET_END, 0);
	bell(0, 1);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 0xc0);
	assert_int_equal(bus_read64(bus, REG_HOST_HOST_WAIT + 8 * 6), 0);
	assert_int_equal(bus_read64(bus, REG_HOST_HOST_WAIT + 8 * 5), payload_pa(2));
	bus_write32(bus, REG_HOST_HOST_WOKEN, 0x40);
	assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 0x80);
	bus_write32(bus, REG_HOST_HOST_WOKEN, 0x80);
	signal_payload(0, 9);
	assert_int_equal(settle(), 0);
	bus_write64(bus, REG_HOST_HOST_WAIT, 0); /* disarmed */
	signal_payload(0, 11);
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 2);
	bus_write32(bus, REG_HOST_HOST_WOKEN, 2);
	/* reached already; not there; misaligned: over at once */
	static const uint64_t bad[] = { 0, PA(HOLES), 4, UINT64_MAX, 0x1000 };
	for (unsigned i = 0; i < 5; i++) {
		bus_write64(bus, REG_HOST_HOST_WAIT + 8 * 15, i ? bad[i] : payload_pa(0));
		assert_int_equal(settle(), REG_HOST_IRQ_STATUS_SEM);
		assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 0x8000);
		assert_int_equal(bus_read64(bus, REG_HOST_HOST_WAIT + 8 * 15), 0);
		bus_write32(bus, REG_HOST_HOST_WOKEN, 0x8000);
	}
	assert_int_equal(events_of(EVENT_SEM_WAIT, EVENT_HOST_WAIT + 15), 6);
	assert_int_equal(events_of(EVENT_SEM_WAKE, EVENT_HOST_WAIT + 15), 5);
}

/* ---- many queues ---- */
/* Sixteen queues of sixteen address spaces: the same addresses, each its own bytes. */
static void sixteen_spaces(void **state)
{
	(void)state;
	const uint64_t at = VA(DATA + 50);
	for (unsigned n = 0; n < 16; n++) {
		uint16_t asid = (uint16_t)(100 + n);
		board_map(asid, VA(CODE), PA(CODE), BOARD_PTE);
		board_map(asid, VA(ARGS), PA(ARGS), BOARD_PTE);
		board_map(asid, at, PA(DATA + n), BOARD_PTE);
	}
	*payload(0) = 0;
	for (unsigned n = 0; n < 16; n++) {
		desc_fill(n, n % 3);
		desc(n)->asid = 100 + n;
		map(n, desc_pa(n));
		args(n)[0] = at, args(n)[1] = 0x1000 + n;
		ring(n)[0] = wait_for(payload_pa(0), 1, 0);
		ring(n)[1] = launch(KERNEL_STORE, n);
		put(n, 2, packet_copy_1d(at + 8, at, 8), LAST, n);
		bell(n, 3);
	}
	settle();
	signal_payload(0, 1);
	settle();
	for (unsigned n = 0; n < 16; n++) {
		const uint64_t *words = (const uint64_t *)(memory + (DATA + n) * 4096);
		assert_int_equal(record(n)->status, 0);
		assert_int_equal(words[0], 0x1000 + n);
		assert_int_equal(words[1], 0x1000 + n);
		assert_int_equal(words[2], 0);
	}
}

static uint64_t seed;

/* What one queue of the storm has been given. */
struct flood {
	uint64_t write;
	unsigned commands;
};

static const uint64_t flood_page = VA(DATA + 150);

/* The page that some packets need. */
static void flood_map(bool there)
{
	board_map(1, flood_page, there ? PA(DATA + 150) : 0, there ? BOARD_PTE : 0);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
}

/* A command of one to three packets, and the record that it will fill. */
static void flood_add(struct flood *f, unsigned n)
{
	unsigned count = 1 + (unsigned)(random_next(&seed) % 3);
	for (unsigned i = 0; i < count; i++) {
		union packet p = packet_nop();
		switch (random_next(&seed) % 8) {
		case 0: p = launch(KERNEL_EXIT, 0); break;
		case 1: p = launch(KERNEL_SPIN, 0); break; /* until it is reset */
		case 2: p = packet_copy_1d(VA(DATA + 10 * n), VA(DATA), 1 + (uint32_t)(random_next(&seed) % 20000)); break;
		case 3: p = wait_for(payload_pa(n), random_next(&seed) % 3, 0); break;
		case 4: p = launch(KERNEL_STORE, 0); break; /* to the page that comes and goes */
		case 5: p = packet_copy_1d(flood_page - 64, VA(DATA), 128); break;
		}
		put(n, f->write++, p, i + 1 == count ? LAST : 0, 12 * n + f->commands % 12);
	}
	f->commands++;
}

/* Random requests at random times, and a page that comes and goes: every command ends once, in order,
 * well or aborted, or with its page fault where that is not replayable; nothing else happens. */
static void storm(void **state)
{
	(void)state;
	enum { QUEUES = 8 };
	struct flood f[QUEUES] = { 0 };
	unsigned replays = 0;
	for (unsigned n = 0; n < QUEUES; n++)
		queue_up(n, n % 3, n & 1);
	args(0)[0] = flood_page;
	for (unsigned step = 0; step < 30000; step++) {
		unsigned n = (unsigned)(random_next(&seed) % QUEUES);
		switch (random_next(&seed) % 7) {
		case 0:
		case 1:
			if (f[n].commands - timeline(n) < 12) {
				flood_add(&f[n], n);
				bell(n, f[n].write);
			}
			break;
		case 2:
			if (state_of(n) == QUEUE_FAULTED && random_next(&seed) % 4) {
				flood_map(true);
				control(n, QUEUE_CTRL_REPLAY);
				replays++;
			} else {
				control(n, (enum queue_ctrl)(1 + random_next(&seed) % 4));
			}
			break;
		case 3:
			*payload(n) = 0;
			signal_payload(n, random_next(&seed) % 3);
			break;
		case 4:
			flood_map(random_next(&seed) % 2);
			break;
		case 5:
			if (random_next(&seed) % 16 == 0) { /* taken off its slot, whatever it does, and put on again */
				map(n, desc_pa(n));
				bell(n, f[n].write);
			}
			break;
		default:
			bus_wait_irq(bus, random_next(&seed) % 4000);
		}
		bus_write32(bus, REG_HOST_IRQ_STATUS, 0xff);
	}
	/* the host makes peace: nothing hangs for good */
	flood_map(true);
	for (unsigned n = 0; n < QUEUES; n++) {
		control(n, QUEUE_CTRL_RESUME);
		signal_payload(n, 2);
		for (unsigned left = 200; timeline(n) < f[n].commands; left--) {
			uint64_t before = timeline(n);
			assert_true(left);
			for (unsigned i = 0; i < 300; i++)
				bus_read32(bus, REG_HOST_ID);
			bus_write32(bus, REG_HOST_IRQ_STATUS, 0xff);
			if (timeline(n) == before)
				control(n, state_of(n) == QUEUE_FAULTED ? QUEUE_CTRL_REPLAY : QUEUE_CTRL_RESET);
		}
		assert_int_equal(timeline(n), f[n].commands);
	}
	settle();
	unsigned aborted = 0, well = 0, faulted = 0;
	for (unsigned n = 0; n < QUEUES; n++) {
		assert_int_equal(state_of(n), QUEUE_IDLE);
		assert_int_equal(requested(n), 0);
		assert_int_equal(desc(n)->read_index, f[n].write);
		for (unsigned i = 0; i < f[n].commands && i < 12; i++) {
			const struct completion *r = record(12 * n + i);
			assert_int_equal(r->done, 1);
			assert_true(r->status == 0 || r->status == -FAULT_ABORTED ||
				    (r->status == -FAULT_PAGE_NOT_PRESENT && !(n & 1)));
			aborted += r->status == -FAULT_ABORTED;
			faulted += r->status == -FAULT_PAGE_NOT_PRESENT;
			well += r->status == 0;
			if (r->submit > r->start || r->start > r->end)
				fail_msg("queue %u command %u, status %d: submit %" PRIu64 " start %" PRIu64 " end %" PRIu64, n, i,
					 r->status, r->submit, r->start, r->end);
		}
	}
	assert_true(aborted && well && replays);
	printf("# %u commands well, %u aborted, %u faulted among the last; %u replays\n", well, aborted, faulted,
	       replays);
	assert_false(bus_read32(bus, REG_HOST_STATUS) & (REG_HOST_STATUS_BUSY | REG_HOST_STATUS_CP_CRASHED));
}

/* The flag of a packet makes its job a protected one, and no other: not the next of its queue, not the
 * command processor's own accesses. */
static void protected_jobs(void **state)
{
	(void)state;
	const uint64_t inside = VA(PAGES), outside = VA(PAGES + 1), pa = DRAM_BASE + 0x20000;
	static const struct { bool flag; unsigned from, to; int status; } cases[] = {
		{ false, 2, 1, 0 },                /* system memory to DRAM that is not protected */
		{ false, 1, 0, -FAULT_PROTECTED }, /* into the region */
		{ true, 1, 0, 0 },
		{ true, 0, 0, 0 },
		{ true, 0, 1, -FAULT_PROTECTED },  /* out of it */
		{ true, 0, 2, -FAULT_PROTECTED },
		{ false, 0, 2, -FAULT_PROTECTED },
		{ false, 1, 2, 0 },
	};
	const uint64_t place[3] = { inside, outside, VA(DATA) };
	board_map(1, inside, pa, BOARD_PTE);
	board_map(1, outside, pa + 4096, BOARD_PTE);
	bus_write64(bus, REG_HOST_PROT_BASE, pa);
	bus_write64(bus, REG_HOST_PROT_LIMIT, pa + 4096);
	bus_write32(bus, REG_HOST_TLB_INV, 0);
	queue_up(0, 1, 0);
	unsigned refused = 0;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned to = cases[i].to;
		put(0, i, packet_copy_1d(place[to] + 64 * (to == cases[i].from), place[cases[i].from], 32),
		    LAST | (cases[i].flag ? PACKET_PROTECTED : 0), 0);
		bell(0, i + 1);
		settle();
		assert_int_equal(record(0)->done, 1);
		if (record(0)->status != cases[i].status)
			fail_msg("case %u: status %d", i, record(0)->status);
		refused += cases[i].status != 0;
		assert_int_equal(boot()->faults_written, refused);
	}
	/* a semaphore and a record in the region are not there for the command processor */
	unsigned at = sizeof cases / sizeof cases[0];
	put(0, at, wait_for(pa, 0, 0), LAST, 0);
	*payload(0) = 1;
	put(0, at + 1, wait_for(payload_pa(0), 1, pa), LAST, 1);
	bell(0, at + 2);
	settle();
	assert_int_equal(record(0)->status, -FAULT_PROTECTED);
	assert_int_equal(record(1)->status, -FAULT_BUS_ERROR);
	assert_true(bus_read64(bus, REG_HOST_CNT_PROT_FAULTS) >= refused + 2);
	put(0, at + 2, packet_nop(), LAST, 2);
	bell(0, at + 3);
	settle();
	assert_int_equal(record(2)->status, 0);
	assert_int_equal(record(2)->done, 1);
}

/* ---- the whole device ---- */
/* A reset in the middle of everything; then it boots and works as if nothing had been. */
static void full_reset(void **state)
{
	(void)state;
	for (unsigned when = 0; when < 12; when++) {
		*payload(0) = 0;
		for (unsigned n = 0; n < 4; n++)
			queue_up(n, 1, n & 1);
		board_map(1, VA(DATA + 90), 0, 0);
		bus_write32(bus, REG_HOST_TLB_INV, 0);
		put(0, 0, launch(KERNEL_SPIN, 0), LAST, 0);
		put(1, 0, packet_copy_1d(VA(DATA + 91), VA(DATA), 90 * 4096), LAST, 1);
		put(2, 0, wait_for(payload_pa(0), 1, 0), LAST, 2);
		args(0)[0] = VA(DATA + 90);
		put(3, 0, launch(KERNEL_STORE, 0), LAST, 3);
		bus_write64(bus, REG_HOST_HOST_WAIT_VALUE, 1);
		bus_write64(bus, REG_HOST_HOST_WAIT, payload_pa(0));
		inject(INJECT_DOORBELL_LATE, 1, 5, 1000000);
		bell(5, 1);
		for (unsigned n = 0; n < 4; n++)
			bell(n, 1);
		bus_wait_irq(bus, when * when * 100);
		if (when % 2)
			control(0, QUEUE_CTRL_RESET);
		uint64_t at = bus_cycle(bus);
		again();
		assert_true(bus_cycle(bus) > at);
		assert_int_equal(bus_read32(bus, REG_HOST_STATUS), 0);
		assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 0);
		assert_int_equal(bus_read32(bus, REG_HOST_INJECTED), 0);
		for (unsigned n = 0; n < 16; n++)
			assert_int_equal(state_of(n) | requested(n), 0);
		assert_int_equal(settle(), 0);
		assert_int_equal(start(), FW_READY);
		signal_payload(0, 1);
		assert_int_equal(settle(), 0); /* nobody waits any more */
		queue_up(0, 1, 0);
		args(0)[0] = VA(DATA), args(0)[1] = 1000 + when;
		put(0, 0, launch(KERNEL_STORE, 0), 0, 0);
		put(0, 1, packet_copy_1d(VA(DATA) + 8, VA(DATA), 8), LAST, 0);
		bell(0, 2);
		assert_int_equal(settle(), REG_HOST_IRQ_STATUS_COMPLETE);
		assert_int_equal(record(0)->status, 0);
		assert_int_equal(*(uint64_t *)(memory + DATA * 4096 + 8), 1000 + when);
		map(0, 0);
		settle();
	}
}

static uint64_t careless_value(void)
{
	uint64_t r = random_next(&seed);
	switch (r & 7) {
	case 0: return r >> 8 & 15;
	case 1: return 1ull << (r >> 8 & 63);
	case 2: return desc_pa(r >> 8 & 15);
	case 3: return payload_pa(r >> 8 & 255);
	case 4: return PA(r >> 8 & (PAGES - 1)) + (r >> 32 & 0xff8);
	case 5: return DRAM_BASE + (r >> 8 & 0xfffff8);
	}
	return r;
}

/* Any write to any register at any time, with queues at work: the device takes it, nothing outside
 * it breaks, and after a reset it is as new. */
static void careless_host(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		struct flood f[8] = { 0 };
		for (unsigned n = 0; n < 8; n++)
			queue_up(n, n % 3, n & 1);
		for (unsigned n = 0; n < 8; n++) {
			for (unsigned i = 0; i < 10; i++)
				flood_add(&f[n], n);
			bell(n, f[n].write);
		}
		for (unsigned i = 0; i < 3000; i++) {
			uint64_t r = random_next(&seed);
			uint32_t offset = r & 1 ? (uint32_t)(r >> 8) & 0x21fc : (uint32_t)(r >> 8) & 0x10fc;
			if ((r >> 40 & 63) == 0)
				offset = (uint32_t)(r >> 8);
			/* every other round keeps the firmware alive for a while */
			if (round % 2 && (offset & ~7u) >= REG_HOST_CTRL && offset <= REG_HOST_CP_ENTRY + 4 && i < 2900)
				continue;
			if (round % 2 && (offset & ~7u) == REG_HOST_INJECT && r >> 48 & 15)
				continue;
			if (r & 2)
				bus_write32(bus, offset, (uint32_t)careless_value());
			else
				bus_write64(bus, offset, careless_value());
			if ((r >> 50 & 7) == 0)
				bus_wait_irq(bus, r >> 53);
		}
		again();
		assert_int_equal(settle(), 0);
		assert_int_equal(bus_read32(bus, REG_HOST_STATUS), 0);
		assert_int_equal(start(), FW_READY);
		queue_up(0, 1, 0);
		args(0)[0] = VA(DATA), args(0)[1] = round + 1;
		put(0, 0, launch(KERNEL_STORE, 0), 0, 0);
		put(0, 1, packet_copy_1d(VA(DATA) + 8, VA(DATA), 8), LAST, 0);
		bell(0, 2);
		assert_int_equal(settle(), REG_HOST_IRQ_STATUS_COMPLETE);
		assert_int_equal(record(0)->status, 0);
		assert_int_equal(*(uint64_t *)(memory + DATA * 4096 + 8), round + 1);
		map(0, 0);
		settle();
	}
}

/* Lost by a crash: nothing runs, nothing is heard, until it is reset. */
static void lost_until_reset(void **state)
{
	(void)state;
	queue_up(0, 1, 0);
	queue_up(1, 1, 0);
	put(1, 0, packet_copy_1d(VA(DATA + 100), VA(DATA), 90 * 4096), LAST, 1);
	bell(1, 1);
	hang(0, 0, 0);
	bus_write64(bus, REG_HOST_HOST_WAIT_VALUE, 1);
	bus_write64(bus, REG_HOST_HOST_WAIT, payload_pa(5));
	inject(INJECT_CP_CRASH, 1, 0xffff, 2000);
	RUN_UNTIL(bus_read32(bus, REG_HOST_STATUS) & REG_HOST_STATUS_LOST);
	uint32_t came = settle();
	assert_true(came & REG_HOST_IRQ_STATUS_CRASH);
	assert_true(came & REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(bus_read32(bus, REG_HOST_HOST_WOKEN), 1);
	bus_write32(bus, REG_HOST_HOST_WOKEN, 1);
	assert_int_equal(bus_read32(bus, REG_HOST_STATUS), REG_HOST_STATUS_LOST | REG_HOST_STATUS_CP_CRASHED);
	assert_int_equal(record(0)->done, 0);
	unsigned before = events_of(EVENT_DISPATCH, EVENT_NO_QUEUE);
	for (unsigned n = 0; n < 2; n++)
		bell(n, 3);
	map(2, desc_pa(1));
	control(0, QUEUE_CTRL_RESET);
	signal_payload(6, 1);
	bus_write32(bus, REG_HOST_CTRL, 0);
	bus_write32(bus, REG_HOST_CTRL, REG_HOST_CTRL_CP_RUN);
	assert_int_equal(settle(), 0);
	assert_int_equal(*payload(6), 0);
	assert_int_equal(events_of(EVENT_DISPATCH, EVENT_NO_QUEUE), before);
	assert_true(bus_read32(bus, REG_HOST_STATUS) & REG_HOST_STATUS_LOST);
	bus_write64(bus, REG_HOST_HOST_WAIT, payload_pa(5)); /* who waits now is told */
	assert_int_equal(settle(), REG_HOST_IRQ_STATUS_SEM);
	assert_int_equal(events_of(EVENT_LOST, EVENT_NO_QUEUE), 1);
	again();
	assert_int_equal(start(), FW_READY);
	queue_up(0, 1, 0);
	put(0, 0, launch(KERNEL_EXIT, 0), LAST, 0);
	bell(0, 1);
	settle();
	assert_int_equal(record(0)->status, 0);
	assert_int_equal(record(0)->done, 1);
}

/* Observers see every packet begin and end, with what became of it. */
static void packets_are_shown(void **state)
{
	(void)state;
	queue_up(6, 1, 0);
	put(6, 0, packet_nop(), 0, 0);
	put(6, 1, (union packet){ .head.type = 200 }, 0, 0);
	put(6, 2, launch(KERNEL_EXIT, 0), LAST, 0);
	put(6, 3, packet_copy_1d(VA(DATA), VA(DATA + 1), 8), LAST, 0);
	bell(6, 4);
	settle();
	static const struct { unsigned type, flags, status; } shown[4] = {
		{ PACKET_CODE_nop, 0, 0 }, { 200, 0, FAULT_BAD_PACKET }, { PACKET_CODE_dispatch, LAST, FAULT_BAD_PACKET },
		{ PACKET_CODE_copy, LAST, 0 },
	};
	unsigned begun = 0, ended = 0;
	for (unsigned i = 0; i < events_count(); i++) {
		const struct event *e = events_at(i);
		if (e->queue != 6 || (e->kind != EVENT_PACKET && e->kind != EVENT_PACKET_END))
			continue;
		assert_int_equal(e->asid, 1);
		unsigned at = e->kind == EVENT_PACKET ? begun++ : ended++;
		assert_in_range(at, 0, 3);
		assert_int_equal(e->a, at);
		assert_int_equal(e->b, e->kind == EVENT_PACKET ? shown[at].type : shown[at].status);
		assert_int_equal(e->c, shown[at].flags);
		assert_in_range(begun - ended, 0, 1);
	}
	assert_int_equal(begun, 4);
	assert_int_equal(ended, 4);
	assert_int_equal(events_of(EVENT_DOORBELL, 6), 1);
	assert_true(events_of(EVENT_QUEUE_STATE, 6) >= 3);
	assert_int_equal(events_of(EVENT_FW_STATE, EVENT_NO_QUEUE), 1);
	assert_true(events_of(EVENT_IRQ_RAISE, EVENT_NO_QUEUE) >= 3);
	assert_true(events_of(EVENT_MMIO_READ, EVENT_NO_QUEUE) && events_of(EVENT_MMIO_WRITE, EVENT_NO_QUEUE));
	assert_true(events_of(EVENT_CP_STATE, EVENT_NO_QUEUE) >= 4);
}

int main(int argc, char **argv)
{
	seed = random_seed(argc, argv);
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
		cmocka_unit_test(watchdog),
		cmocka_unit_test_setup(binary_semaphores, board_setup),
		cmocka_unit_test_setup(host_waits, board_setup),
		cmocka_unit_test_setup(sixteen_spaces, board_setup),
		cmocka_unit_test_setup(storm, board_setup),
		cmocka_unit_test_setup(protected_jobs, board_setup),
		cmocka_unit_test_setup(full_reset, board_setup),
		cmocka_unit_test_setup(careless_host, board_setup),
		cmocka_unit_test_setup(lost_until_reset, board_setup),
		cmocka_unit_test_setup(packets_are_shown, board_setup),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	board_fini();
	return failed;
}
