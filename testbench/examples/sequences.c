/* The programming sequences of docs/hardware.md, one after the other, over galena/device.h alone: what the manual
 * says has to hold. */
#include "testbench/examples/board.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define LIMIT 100000000ull
#define VA_DRAM (BOARD_VA_FREE + 0x0000)   /* first page of the device's DRAM */
#define VA_SECRET (BOARD_VA_FREE + 0x1000) /* a page of DRAM that tests protect */
#define VA_SECRET2 (BOARD_VA_FREE + 0x2000)
#define VA_LATE (BOARD_VA_FREE + 0x3000)
#define VA_NOTHING (BOARD_VA_FREE + 0x80000)
#define PA_SECRET (GALENA_DRAM_BASE + 0x100000)
enum { REPLAYABLE = 1, CLEAN = 1, INVALIDATE = 2, RW = GALENA_PTE_R | GALENA_PTE_W };

static int open_mini(void **state) { *state = board_open("mini", 0); return 0; }
static int open_watchdog(void **state) { *state = board_open("mini", 50000); return 0; }
static int open_apart(void **state) { *state = board_open("mini,coherent=0", 0); return 0; }
static int close_board(void **state) { board_close(*state); return 0; }

static uint64_t put(struct board *b, unsigned queue, union galena_packet p) { return board_submit(b, queue, &p, 1); }

static union galena_packet wait_for(uint64_t semaphore, uint64_t value, uint64_t status, uint32_t mode)
{
	return (union galena_packet){ .sem_wait = { .head.type = GALENA_PACKET_SEM_WAIT, .semaphore = semaphore,
						    .value = value, .status = status, .mode = mode } };
}
static union galena_packet signal_to(uint64_t semaphore, uint64_t value)
{
	return (union galena_packet){ .sem_signal = { .head.type = GALENA_PACKET_SEM_SIGNAL, .semaphore = semaphore,
						      .value = value } };
}
static union galena_packet maintain(unsigned op)
{
	return (union galena_packet){ .cache = { .head.type = GALENA_PACKET_CACHE, .op = op } };
}

static void assert_works(struct board *b, unsigned queue)
{
	memset(b->out, 0, BOARD_ITEMS * 4);
	assert_int_equal(board_finish(b, queue, put(b, queue, board_kernel(b, BOARD_VA_OUT))), 0);
	for (uint32_t i = 0; i < BOARD_ITEMS; i++)
		assert_int_equal(b->out[i], i * i + 1);
}

static void inject(struct board *b, unsigned kind, unsigned nth, uint64_t arg)
{
	board_put32(b, GALENA_REG_INJECT_NTH, nth);
	board_put32(b, GALENA_REG_INJECT_UNIT, 0xffff);
	board_put64(b, GALENA_REG_INJECT_ARG, arg);
	board_put32(b, GALENA_REG_INJECT, kind);
}

/* Lets the device run until nothing more happens by itself. */
static void rest(struct board *b)
{
	while (board_serve(b, LIMIT) == GALENA_WAIT_IRQ)
		;
}

/* ---- bring-up, faults ---- */
static void test_bring_up(void **state)
{
	struct board *b = *state;
	for (unsigned n = 0; n < BOARD_QUEUES; n++) {
		assert_works(b, n);
		assert_int_equal(*b->queue[n].timeline, 1);
		assert_int_equal(b->queue[n].desc->read_index, 1);
		assert_int_equal(board_get32(b, GALENA_REG_QUEUE_STATE(n)), GALENA_QUEUE_IDLE);
	}
	assert_true(b->seen & GALENA_REG_IRQ_STATUS_BOOT);
	assert_true(b->seen & GALENA_REG_IRQ_STATUS_COMPLETE);
	assert_null(board_fault(b));
}

static void test_taking_a_fault(void **state)
{
	struct board *b = *state;
	/* the rest of the command is skipped, another queue's waits fail, the next command works */
	const union galena_packet packets[] = { board_kernel(b, VA_NOTHING), board_copy(BOARD_VA_IN, BOARD_VA_OUT, 64) };
	b->out[5] = 0x55;
	uint64_t c = board_submit(b, 0, packets, 2);
	const union galena_packet depends[] = { wait_for(b->queue[0].timeline_pa, c, b->queue[0].records_pa, 0),
						board_copy(BOARD_VA_IN, BOARD_VA_OUT, 64) };
	uint64_t other = board_submit(b, 1, depends, 2);
	assert_int_equal(board_finish(b, 0, c), -GALENA_FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(board_finish(b, 1, other), -GALENA_FAULT_DEPENDENCY);
	assert_int_equal(b->out[5], 0x55);
	const struct galena_fault_record *r = board_fault(b);
	assert_non_null(r);
	assert_int_equal(r->sequence, 1);
	assert_int_equal(r->code, GALENA_FAULT_PAGE_NOT_PRESENT);
	assert_int_equal(r->queue, 0);
	assert_int_equal(r->unit, GALENA_UNIT_CU);
	assert_in_range(r->address, VA_NOTHING, VA_NOTHING + 4 * BOARD_ITEMS - 1);
	assert_int_equal(r->access, GALENA_ACCESS_WRITE);
	assert_int_equal(r->asid, 1);
	assert_int_equal(r->packet, 0);
	assert_int_equal(r->entry, BOARD_VA_CODE);
	assert_int_equal(r->pc, BOARD_VA_CODE + 14 * 4);
	assert_int_equal(r->progress >> 63, 0);
	assert_null(board_fault(b)); /* a dependency writes none */
	assert_true(b->seen & GALENA_REG_IRQ_STATUS_FAULT);
	assert_works(b, 0);
	assert_works(b, 1);
}

static void test_transfer_stops_where_it_faults(void **state)
{
	struct board *b = *state;
	uint8_t *to = (uint8_t *)b->out;
	memset(to, 0xee, 4096);
	/* 96 bytes before the end of the last page that there is */
	assert_int_equal(board_finish(b, 0, put(b, 0, board_copy(BOARD_VA_IN, BOARD_VA_OUT + 4000, 200))),
			 -GALENA_FAULT_PAGE_NOT_PRESENT);
	const struct galena_fault_record *r = board_fault(b);
	assert_non_null(r);
	assert_int_equal(r->progress, 96);
	assert_int_equal(r->address, BOARD_VA_OUT + 4096);
	assert_true(r->unit >= GALENA_UNIT_DMA && r->unit < GALENA_UNIT_CU);
	assert_memory_equal(to + 4000, b->in, 96);
	assert_int_equal(to[3999], 0xee);
}

static void test_queue_in_error(void **state)
{
	struct board *b = *state;
	board_put64(b, GALENA_REG_DOORBELL(2), 1000); /* more than a ring ahead */
	rest(b);
	assert_int_equal(board_get32(b, GALENA_REG_QUEUE_STATE(2)), GALENA_QUEUE_ERROR);
	const struct galena_fault_record *r = board_fault(b);
	assert_non_null(r);
	assert_int_equal(r->code, GALENA_FAULT_QUEUE);
	assert_int_equal(r->queue, 2);
	assert_works(b, 0); /* no other queue notices */
	board_put64(b, GALENA_REG_DOORBELL(2), 0);
	board_queue_map(b, 2, 0);
	assert_works(b, 2);
}

static void test_replay(void **state)
{
	struct board *b = *state;
	board_queue_map(b, 0, REPLAYABLE);
	for (unsigned round = 0; round < 2; round++) { /* a kernel, then a transfer */
		uint64_t va = VA_LATE + round * GALENA_PAGE_SIZE, pa;
		uint64_t c = put(b, 0, round ? board_copy(BOARD_VA_IN, va, 256) : board_kernel(b, va));
		b->seen = 0;
		while (board_get32(b, GALENA_REG_QUEUE_STATE(0)) != GALENA_QUEUE_FAULTED)
			assert_int_equal(board_serve(b, LIMIT), GALENA_WAIT_IRQ);
		assert_int_equal(board_finish(b, 1, put(b, 1, board_copy(BOARD_VA_IN, BOARD_VA_OUT, 64))), 0); /* others run on */
		assert_true(b->seen & GALENA_REG_IRQ_STATUS_QUEUE);
		assert_false(board_ended(b, 0, c));
		const struct galena_fault_record *r = board_fault(b);
		assert_non_null(r);
		assert_int_equal(r->progress >> 63, 1);
		uint32_t *page = board_page(b, va, RW, &pa);
		board_control(b, 0, GALENA_QUEUE_CTRL_REPLAY);
		assert_int_equal(board_finish(b, 0, c), 0);
		for (uint32_t i = 0; i < BOARD_ITEMS; i++)
			assert_int_equal(page[i], round ? i : i * i + 1);
	}
	/* what cannot be mended */
	uint64_t c = put(b, 0, board_kernel(b, VA_NOTHING));
	while (board_get32(b, GALENA_REG_QUEUE_STATE(0)) != GALENA_QUEUE_FAULTED)
		assert_int_equal(board_serve(b, LIMIT), GALENA_WAIT_IRQ);
	board_put32(b, GALENA_REG_QUEUE_CTRL(0), GALENA_QUEUE_CTRL_RESET);
	assert_int_equal(board_finish(b, 0, c), -GALENA_FAULT_ABORTED);
	assert_works(b, 0);
}

static void test_too_few_rights_want_an_invalidation(void **state)
{
	struct board *b = *state;
	uint64_t pa;
	uint32_t *page = board_page(b, VA_LATE, GALENA_PTE_R, &pa);
	assert_int_equal(board_finish(b, 0, put(b, 0, board_kernel(b, VA_LATE))), -GALENA_FAULT_PAGE_WRITE);
	board_map(b, VA_LATE, pa, RW);
	board_put64(b, GALENA_REG_TLB_INV_ADDR, VA_LATE);
	board_put32(b, GALENA_REG_TLB_INV, 2u << GALENA_REG_TLB_INV_SCOPE_LSB | 1);
	assert_int_equal(board_finish(b, 0, put(b, 0, board_kernel(b, VA_LATE))), 0);
	assert_int_equal(page[7], 50);
}

/* ---- control of a queue ---- */
static void test_suspend_resume_reset(void **state)
{
	struct board *b = *state;
	/* while a transfer runs, which takes its time: suspended when it is over */
	inject(b, GALENA_INJECT_DMA_STALL, 1, 30000);
	uint64_t first = put(b, 0, board_copy(BOARD_VA_IN, BOARD_VA_OUT, 64)), second = put(b, 0, board_kernel(b, BOARD_VA_OUT));
	while (board_get32(b, GALENA_REG_QUEUE_STATE(0)) != GALENA_QUEUE_RUNNING)
		assert_int_not_equal(board_serve(b, 1000), GALENA_WAIT_IDLE);
	assert_false(board_ended(b, 0, first));
	board_control(b, 0, GALENA_QUEUE_CTRL_SUSPEND);
	assert_int_equal(board_get32(b, GALENA_REG_QUEUE_STATE(0)), GALENA_QUEUE_SUSPENDED);
	assert_true(board_ended(b, 0, first));
	rest(b);
	assert_false(board_ended(b, 0, second));
	assert_int_equal(b->queue[0].desc->read_index, 1);
	assert_works(b, 1);
	board_control(b, 0, GALENA_QUEUE_CTRL_RESUME);
	assert_int_equal(board_finish(b, 0, second), 0);

	/* reset ends what is in progress, and the queue goes on with the next */
	inject(b, GALENA_INJECT_KERNEL_HANG, 1, 0);
	first = put(b, 0, board_kernel(b, BOARD_VA_OUT));
	second = put(b, 0, board_kernel(b, BOARD_VA_OUT));
	rest(b);
	assert_false(board_ended(b, 0, first));
	board_control(b, 0, GALENA_QUEUE_CTRL_RESET);
	assert_int_equal(board_finish(b, 0, first), -GALENA_FAULT_ABORTED);
	assert_int_equal(board_finish(b, 0, second), 0);
	/* nothing in progress: nothing happens */
	board_control(b, 0, GALENA_QUEUE_CTRL_RESET);
	assert_works(b, 0);
}

static void test_another_slot(void **state)
{
	struct board *b = *state;
	struct board_queue *q = &b->queue[0];
	uint64_t pa, *payload = board_page(b, VA_LATE, RW, &pa);
	const union galena_packet packets[] = { wait_for(pa, 1, 0, 0), board_kernel(b, BOARD_VA_OUT) };
	uint64_t c = board_submit(b, 0, packets, 2);
	rest(b);
	assert_int_equal(board_get32(b, GALENA_REG_QUEUE_STATE(0)), GALENA_QUEUE_PARKED);
	board_put64(b, GALENA_REG_QUEUE_DESC(0), 0); /* in the middle of a command */
	rest(b);
	assert_int_equal(board_get32(b, GALENA_REG_QUEUE_STATE(0)), GALENA_QUEUE_UNMAPPED);
	board_put64(b, GALENA_REG_DOORBELL(9), 0);
	board_put64(b, GALENA_REG_QUEUE_DESC(9), q->desc_pa);
	board_put64(b, GALENA_REG_DOORBELL(9), q->written);
	rest(b);
	assert_int_equal(board_get32(b, GALENA_REG_QUEUE_STATE(9)), GALENA_QUEUE_PARKED);
	*payload = 1;
	board_put64(b, GALENA_REG_SEM_NOTIFY, pa);
	assert_int_equal(board_finish(b, 0, c), 0);
	assert_int_equal(b->out[3], 10);
}

static void test_watchdog(void **state)
{
	struct board *b = *state;
	inject(b, GALENA_INJECT_KERNEL_HANG, 1, 0);
	assert_int_equal(board_finish(b, 0, put(b, 0, board_kernel(b, BOARD_VA_OUT))), -GALENA_FAULT_WATCHDOG);
	inject(b, GALENA_INJECT_DMA_STALL, 1, 0);
	assert_int_equal(board_finish(b, 0, put(b, 0, board_copy(BOARD_VA_IN, BOARD_VA_OUT, 64))), -GALENA_FAULT_WATCHDOG);
	assert_works(b, 0);
}

static void test_full_reset(void **state)
{
	struct board *b = *state;
	uint64_t cycle = board_get64(b, GALENA_REG_CYCLE);
	inject(b, GALENA_INJECT_KERNEL_HANG, 1, 0);
	uint64_t c = put(b, 0, board_kernel(b, BOARD_VA_OUT));
	rest(b);
	board_put32(b, GALENA_REG_IRQ_ENABLE, 0);
	board_put32(b, GALENA_REG_CTRL, GALENA_REG_CTRL_RESET);
	assert_false(board_ended(b, 0, c)); /* over without a record */
	assert_int_equal(board_get32(b, GALENA_REG_STATUS), 0);
	assert_int_equal(board_get64(b, GALENA_REG_CNT_LANE_INSNS), 0);
	assert_true(board_get64(b, GALENA_REG_CYCLE) > cycle);
	board_boot(b, 0);
	for (unsigned n = 0; n < BOARD_QUEUES; n++) {
		b->queue[n].desc->read_index = b->queue[n].written = 0;
		b->queue[n].desc->submit = 0;
		board_queue_map(b, n, 0);
		assert_works(b, n);
	}
}

static void test_loss(void **state)
{
	struct board *b = *state;
	inject(b, GALENA_INJECT_CP_CRASH, 1, 10);
	b->seen = 0;
	while (!(b->seen & GALENA_REG_IRQ_STATUS_CRASH))
		assert_int_equal(board_serve(b, LIMIT), GALENA_WAIT_IRQ);
	assert_int_equal(board_get64(b, GALENA_REG_CRASH_CAUSE), 19);
	uint32_t status = board_get32(b, GALENA_REG_STATUS);
	assert_true(status & GALENA_REG_STATUS_LOST);
	assert_true(status & GALENA_REG_STATUS_CP_CRASHED);
	uint64_t c = put(b, 0, board_kernel(b, BOARD_VA_OUT));
	assert_int_equal(board_serve(b, LIMIT), GALENA_WAIT_IDLE); /* bells are ignored */
	assert_false(board_ended(b, 0, c));
	board_put32(b, GALENA_REG_CTRL, GALENA_REG_CTRL_RESET);
	assert_int_equal(board_get32(b, GALENA_REG_STATUS), 0);
	board_boot(b, 0);
	b->queue[0].desc->read_index = b->queue[0].written = 0;
	board_queue_map(b, 0, 0);
	assert_works(b, 0);
}

/* ---- semaphores ---- */
static void test_semaphores(void **state)
{
	struct board *b = *state;
	uint64_t pa;
	volatile uint64_t *payload = board_page(b, VA_LATE, RW, &pa);

	/* timeline: both waiters pass; signalled from a queue */
	uint64_t x = put(b, 0, wait_for(pa, 5, 0, 0)), y = put(b, 1, wait_for(pa, 3, 0, 0));
	rest(b);
	assert_int_equal(board_get32(b, GALENA_REG_QUEUE_STATE(0)), GALENA_QUEUE_PARKED);
	put(b, 2, signal_to(pa, 4));
	assert_int_equal(board_finish(b, 1, y), 0);
	assert_false(board_ended(b, 0, x));
	/* from the host */
	board_put64(b, GALENA_REG_SEM_VALUE, 5);
	board_put64(b, GALENA_REG_SEM_SIGNAL, pa);
	assert_int_equal(board_finish(b, 0, x), 0);
	assert_int_equal(*payload, 5);

	/* binary: one waiter for each signal, the lower queue first */
	*payload = 0;
	x = put(b, 0, wait_for(pa, 0, 0, 1));
	y = put(b, 1, wait_for(pa, 0, 0, 1));
	rest(b);
	put(b, 2, signal_to(pa, 1));
	assert_int_equal(board_finish(b, 0, x), 0);
	rest(b);
	assert_false(board_ended(b, 1, y));
	assert_int_equal(*payload, 0);
	*payload = 1; /* stored by the host, and told */
	board_put64(b, GALENA_REG_SEM_NOTIFY, pa);
	assert_int_equal(board_finish(b, 1, y), 0);
	assert_int_equal(*payload, 0);

	/* the host waits, without polling */
	board_put64(b, GALENA_REG_HOST_WAIT_VALUE(3), 9);
	board_put64(b, GALENA_REG_HOST_WAIT(3), pa);
	assert_int_equal(board_get64(b, GALENA_REG_HOST_WAIT(3)), pa);
	b->seen = 0;
	put(b, 2, signal_to(pa, 9));
	while (!(b->seen & GALENA_REG_IRQ_STATUS_SEM))
		assert_int_equal(board_serve(b, LIMIT), GALENA_WAIT_IRQ);
	assert_int_equal(board_get32(b, GALENA_REG_HOST_WOKEN), 1u << 3);
	board_put32(b, GALENA_REG_HOST_WOKEN, 1u << 3);
	assert_int_equal(board_get32(b, GALENA_REG_HOST_WOKEN), 0);
	assert_int_equal(board_get64(b, GALENA_REG_HOST_WAIT(3)), 0);

	/* a payload that cannot be read */
	assert_int_equal(board_finish(b, 0, put(b, 0, wait_for(GALENA_SYSTEM_BASE + (1ull << 34), 1, 0, 0))),
			 -GALENA_FAULT_BUS_ERROR);
	assert_works(b, 0);
}

/* ---- protection ---- */
static union galena_packet as_protected(union galena_packet p)
{
	p.head.flags |= GALENA_PACKET_FLAG_PROTECTED;
	return p;
}

static void test_protected_memory(void **state)
{
	struct board *b = *state;
	board_map(b, VA_DRAM, GALENA_DRAM_BASE, RW);
	board_map(b, VA_SECRET, PA_SECRET, RW);
	board_map(b, VA_SECRET2, PA_SECRET + GALENA_PAGE_SIZE, RW);
	board_put64(b, GALENA_REG_PROT_BASE(1), PA_SECRET);
	board_put64(b, GALENA_REG_PROT_LIMIT(1), PA_SECRET + 2 * GALENA_PAGE_SIZE);
	assert_int_equal(board_get64(b, GALENA_REG_PROT_BASE(1)), PA_SECRET);
	/* not protected: nothing in; protected: from anywhere into the region, nothing out */
	assert_int_equal(board_finish(b, 0, put(b, 0, board_copy(BOARD_VA_IN, VA_SECRET, 256))), -GALENA_FAULT_PROTECTED);
	assert_int_equal(board_finish(b, 0, put(b, 0, as_protected(board_copy(BOARD_VA_IN, VA_SECRET, 256)))), 0);
	assert_int_equal(board_finish(b, 0, put(b, 0, as_protected(board_copy(VA_SECRET, VA_SECRET2, 256)))), 0);
	memset(b->out, 0, 4096);
	assert_int_equal(board_finish(b, 0, put(b, 0, board_copy(VA_SECRET2, BOARD_VA_OUT, 256))), -GALENA_FAULT_PROTECTED);
	assert_int_equal(board_finish(b, 0, put(b, 0, as_protected(board_copy(VA_SECRET2, BOARD_VA_OUT, 256)))),
			 -GALENA_FAULT_PROTECTED);
	assert_int_equal(board_finish(b, 0, put(b, 0, as_protected(board_kernel(b, BOARD_VA_OUT)))), -GALENA_FAULT_PROTECTED);
	assert_int_equal(board_finish(b, 0, put(b, 0, as_protected(board_kernel(b, VA_SECRET)))), 0);
	for (unsigned i = 0; i < 1024; i++)
		assert_int_equal(b->out[i], 0);
	assert_true(board_get64(b, GALENA_REG_CNT_PROT_FAULTS) >= 4);
	/* given back: cleared, then ordinary */
	board_put64(b, GALENA_REG_PROT_LIMIT(1), 0);
	b->out[0] = 1;
	assert_int_equal(board_finish(b, 0, put(b, 0, board_copy(VA_SECRET, BOARD_VA_OUT, 4096))), 0);
	for (unsigned i = 0; i < 1024; i++)
		assert_int_equal(b->out[i], 0);
	/* locked until reset */
	board_put64(b, GALENA_REG_PROT_BASE(0), PA_SECRET);
	board_put64(b, GALENA_REG_PROT_LIMIT(0), PA_SECRET + GALENA_PAGE_SIZE);
	board_put32(b, GALENA_REG_PROT_CTRL, GALENA_REG_PROT_CTRL_LOCK);
	board_put64(b, GALENA_REG_PROT_LIMIT(0), 0);
	assert_int_equal(board_get64(b, GALENA_REG_PROT_LIMIT(0)), PA_SECRET + GALENA_PAGE_SIZE);
}

/* ---- caches that are not coherent ---- */
static void test_maintenance(void **state)
{
	struct board *b = *state;
	assert_false(board_get32(b, GALENA_REG_FEATURES) & GALENA_REG_FEATURES_COHERENT);
	union galena_packet around[] = { maintain(CLEAN | INVALIDATE), board_copy(BOARD_VA_IN, BOARD_VA_OUT, 256), maintain(CLEAN) };
	assert_int_equal(board_finish(b, 0, board_submit(b, 0, around, 3)), 0);
	assert_int_equal(b->out[9], 9);
	/* what the host writes now is not seen without maintenance before, nor its result without after */
	b->in[9] = 999;
	uint64_t c = board_submit(b, 0, (union galena_packet[]){ board_copy(BOARD_VA_IN, BOARD_VA_OUT, 256), maintain(CLEAN) }, 2);
	assert_int_equal(board_finish(b, 0, c), 0);
	assert_int_equal(b->out[9], 9);
	assert_int_equal(board_finish(b, 0, board_submit(b, 0, around, 3)), 0);
	assert_int_equal(b->out[9], 999);
	b->in[9] = 7;
	c = board_submit(b, 0, (union galena_packet[]){ maintain(CLEAN | INVALIDATE), board_copy(BOARD_VA_IN, BOARD_VA_OUT, 256) }, 2);
	assert_int_equal(board_finish(b, 0, c), 0);
	assert_int_equal(b->out[9], 999);
	assert_int_equal(board_finish(b, 0, put(b, 0, maintain(CLEAN))), 0);
	assert_int_equal(b->out[9], 7);
	/* an uncached page needs none */
	uint64_t pa;
	uint32_t *page = board_page(b, VA_LATE, RW | GALENA_PTE_UNCACHED, &pa);
	assert_int_equal(board_finish(b, 0, put(b, 0, board_copy(VA_LATE, VA_LATE + 2048, 4))), 0);
	page[0] = 5;
	assert_int_equal(board_finish(b, 0, put(b, 0, board_copy(VA_LATE, VA_LATE + 2048, 4))), 0);
	assert_int_equal(page[512], 5);
}

/* ---- injection, counters ---- */
static void test_injection(void **state)
{
	struct board *b = *state;
	board_map(b, VA_DRAM, GALENA_DRAM_BASE, RW);
	assert_int_equal(board_finish(b, 0, put(b, 0, board_copy(BOARD_VA_IN, VA_DRAM, 256))), 0);

	inject(b, GALENA_INJECT_ECC_SINGLE, 1, 0);
	b->seen = 0;
	assert_int_equal(board_finish(b, 0, put(b, 0, board_copy(VA_DRAM, BOARD_VA_OUT, 256))), 0);
	assert_memory_equal(b->out, b->in, 256);
	assert_int_equal(board_get32(b, GALENA_REG_INJECTED), 1);
	assert_int_equal(board_get64(b, GALENA_REG_CNT_ECC_CORRECTED), 1);
	rest(b);
	assert_true(b->seen & GALENA_REG_IRQ_STATUS_ECC);

	inject(b, GALENA_INJECT_ECC_DOUBLE, 1, 0);
	assert_int_equal(board_finish(b, 0, put(b, 0, board_copy(VA_DRAM, BOARD_VA_OUT, 256))), -GALENA_FAULT_ECC);
	assert_int_equal(board_get64(b, GALENA_REG_CNT_ECC_UNCORRECTED), 1);
	assert_int_equal(board_get32(b, GALENA_REG_STATUS) & GALENA_REG_STATUS_LOST, 0);

	inject(b, GALENA_INJECT_WALK_ERROR, 1, 0);
	board_put32(b, GALENA_REG_TLB_INV, 0);
	assert_int_equal(board_finish(b, 0, put(b, 0, board_copy(VA_DRAM, BOARD_VA_OUT, 256))), -GALENA_FAULT_PAGE_TABLE);

	inject(b, GALENA_INJECT_BUS_ERROR, 1, 0);
	board_put32(b, GALENA_REG_INJECT, 0); /* disarmed */
	assert_works(b, 0);
	assert_int_equal(board_get32(b, GALENA_REG_INJECTED), 3);

	/* a lost interrupt: IRQ_STATUS has it all the same */
	inject(b, GALENA_INJECT_IRQ_LOST, 1, GALENA_REG_IRQ_STATUS_COMPLETE);
	uint64_t c = put(b, 0, board_kernel(b, BOARD_VA_OUT));
	assert_int_not_equal(galena_device_wait(b->device, LIMIT), GALENA_WAIT_IRQ);
	assert_true(board_ended(b, 0, c));
	assert_true(board_get32(b, GALENA_REG_IRQ_STATUS) & GALENA_REG_IRQ_STATUS_COMPLETE);
	rest(b);

	/* a wake-up that is lost until somebody notifies */
	uint64_t pa, *payload = board_page(b, VA_LATE, RW, &pa);
	inject(b, GALENA_INJECT_SEM_LOST, 1, 0);
	*payload = 1;
	c = put(b, 0, wait_for(pa, 1, 0, 0));
	rest(b);
	assert_false(board_ended(b, 0, c));
	board_put64(b, GALENA_REG_SEM_NOTIFY, pa);
	assert_int_equal(board_finish(b, 0, c), 0);
}

static void test_counters(void **state)
{
	struct board *b = *state;
	uint64_t before = board_get64(b, GALENA_REG_CNT_LANE_INSNS);
	assert_works(b, 0);
	uint64_t once = board_get64(b, GALENA_REG_CNT_LANE_INSNS) - before;
	assert_int_equal(once, 16 * BOARD_ITEMS); /* sixteen instructions, each lane */
	/* in two halves, low one first */
	uint64_t low = board_get32(b, GALENA_REG_CNT_LANE_INSNS), high = board_get32(b, GALENA_REG_CNT_LANE_INSNS + 4);
	assert_int_equal(high << 32 | low, before + once);
	/* the high half is of the moment of the low one, though the counter moves on in between */
	uint64_t cycle = board_get32(b, GALENA_REG_CYCLE);
	cycle |= (uint64_t)board_get32(b, GALENA_REG_CYCLE + 4) << 32;
	assert_true(cycle < galena_device_cycle(b->device));
	assert_int_equal(board_get64(b, GALENA_REG_CNT_DISPATCHES), 1);
	assert_int_equal(board_get64(b, GALENA_REG_CNT_WORK_GROUPS), BOARD_ITEMS / 16);
	board_finish(b, 0, put(b, 0, board_copy(BOARD_VA_IN, BOARD_VA_OUT, 100)));
	assert_int_equal(board_get64(b, GALENA_REG_CNT_DMA_BYTES), 100);
}

#define MINI(test) cmocka_unit_test_setup_teardown(test, open_mini, close_board)
int main(void)
{
	const struct CMUnitTest tests[] = {
		MINI(test_bring_up),
		MINI(test_taking_a_fault),
		MINI(test_transfer_stops_where_it_faults),
		MINI(test_queue_in_error),
		MINI(test_replay),
		MINI(test_too_few_rights_want_an_invalidation),
		MINI(test_suspend_resume_reset),
		MINI(test_another_slot),
		cmocka_unit_test_setup_teardown(test_watchdog, open_watchdog, close_board),
		MINI(test_full_reset),
		MINI(test_loss),
		MINI(test_semaphores),
		MINI(test_protected_memory),
		cmocka_unit_test_setup_teardown(test_maintenance, open_apart, close_board),
		MINI(test_injection),
		MINI(test_counters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
