/* Packets: what each type does, and what happens at the end of a command. */
#include "firmware/firmware.h"

/* What has become of a packet. */
enum outcome {
	PACKET_DONE,    /* or failed: then the queue's status says so */
	PACKET_PENDING, /* an interrupt will tell */
};

static void command_fail(size_t n, enum fault code) { queues[n].status = -(int32_t)code; }

static void command_begun(struct queue *q, uint64_t at)
{
	if (!q->start)
		q->start = at;
}

volatile uint32_t memory_lost;

static inline uint64_t packet_address(const struct queue *q)
{
	return q->ring + (q->read & q->ring_mask) * PACKET_SIZE;
}

/* The hardware is told how the slot runs when that is not how the last one ran. */
static FW_COLD void slot_flags_set(size_t n)
{
	struct queue *q = &queues[n];
	q->slot_protected = q->flags & PACKET_PROTECTED;
	CP32N(SLOT_FLAGS, n) = q->replay | (q->slot_protected ? REG_CP_SLOT_FLAGS_PROTECTED : 0);
}

static inline void slot_prepare(size_t n)
{
	if ((queues[n].flags ^ queues[n].slot_protected) & PACKET_PROTECTED)
		slot_flags_set(n);
}

static enum outcome do_nop(size_t n, uint64_t at)
{
	(void)at;
	command_begun(&queues[n], cycle_now());
	return PACKET_DONE;
}

static enum outcome do_dispatch(size_t n, uint64_t at)
{
	struct queue *q = &queues[n];
	/* the ring keeps the packet until read passes it, so the hardware reads it there */
	slot_prepare(n);
	CP64N(DISPATCH_PACKET, n) = at;
	CP32(DISPATCH_START) = n;
	q->state = RUN_DISPATCH;
	watchdog_begin(q);
	return PACKET_PENDING;
}

static enum outcome do_dma(size_t n, uint64_t at)
{
	struct queue *q = &queues[n];
	slot_prepare(n);
	CP64N(DMA_PACKET, n) = at;
	CP32(DMA_START) = n;
	q->state = RUN_DMA;
	watchdog_begin(q);
	return PACKET_PENDING;
}

static enum outcome do_media(size_t n, uint64_t at)
{
	struct queue *q = &queues[n];
	slot_prepare(n);
	CP64N(MEDIA_PACKET, n) = at;
	CP32(MEDIA_START) = n;
	q->state = RUN_MEDIA;
	watchdog_begin(q);
	return PACKET_PENDING;
}

/* After a wait: the status of what was waited for decides whether the command goes on. */
static void sem_wait_passed(size_t n, uint64_t at)
{
	const volatile struct packet_sem_wait *p = (const volatile struct packet_sem_wait *)at;
	uint32_t fault = CP32N(SEM_STATUS, n);
	uint64_t status = p->status;
	if (fault) {
		fault_slot(n, fault, 0);
		command_fail(n, fault);
	} else if (status) {
		struct guarded s = guarded_load32(status + offsetof(struct completion, status));
		if (s.fault) {
			fault_own(n, FAULT_BUS_ERROR, status);
			command_fail(n, FAULT_BUS_ERROR);
		} else if ((int32_t)s.value < 0) {
			command_fail(n, FAULT_DEPENDENCY);
		}
	}
}

static enum outcome do_sem_wait(size_t n, uint64_t at)
{
	const volatile struct packet_sem_wait *p = (const volatile struct packet_sem_wait *)at;
	struct queue *q = &queues[n];
	uint32_t mode = p->mode;
	uint64_t semaphore = p->semaphore;
	if ((semaphore & 7) || !semaphore || (p->status & 7) || mode > 1) {
		fault_own(n, FAULT_BAD_PACKET, at);
		command_fail(n, FAULT_BAD_PACKET);
		return PACKET_DONE;
	}
	if (mode != q->sem_mode) {
		q->sem_mode = mode;
		CP32N(SEM_WAIT_MODE, n) = mode;
	}
	CP64N(SEM_WAIT_VALUE, n) = p->value;
	CP64N(SEM_WAIT, n) = semaphore;
	if (!CP64N(SEM_WAIT, n)) { /* reached already */
		CP32(SEM_WOKEN) = 1u << n;
		sem_wait_passed(n, at);
		return PACKET_DONE;
	}
	queue_save(q);
	queue_state_set(n, RUN_PARKED, QUEUE_PARKED);
	return PACKET_PENDING;
}

static enum outcome do_sem_signal(size_t n, uint64_t at)
{
	const volatile struct packet_sem_signal *p = (const volatile struct packet_sem_signal *)at;
	uint64_t semaphore = p->semaphore;
	command_begun(&queues[n], cycle_now());
	if ((semaphore & 7) || !semaphore) {
		fault_own(n, FAULT_BAD_PACKET, at);
		command_fail(n, FAULT_BAD_PACKET);
		return PACKET_DONE;
	}
	CP64(SEM_STORE_VALUE) = p->value;
	CP64(SEM_STORE) = semaphore;
	uint32_t fault = CP32(SEM_STORE_STATUS);
	if (fault) {
		fault_own(n, fault, semaphore);
		command_fail(n, fault);
	}
	return PACKET_DONE;
}

static enum outcome do_tlb_invalidate(size_t n, uint64_t at)
{
	const volatile struct packet_tlb_invalidate *p = (const volatile struct packet_tlb_invalidate *)at;
	uint32_t scope = p->scope, asid = p->asid;
	command_begun(&queues[n], cycle_now());
	if (scope > 2 || asid > 0xffff) {
		fault_own(n, FAULT_BAD_PACKET, at);
		command_fail(n, FAULT_BAD_PACKET);
		return PACKET_DONE;
	}
	HOST64(TLB_INV_ADDR) = p->address;
	HOST32(TLB_INV) = scope << REG_HOST_TLB_INV_SCOPE_LSB | asid;
	return PACKET_DONE;
}

static enum outcome (*const packet_table[])(size_t n, uint64_t at) = {
	[PACKET_CODE_nop] = do_nop,
	[PACKET_CODE_dispatch] = do_dispatch,
	[PACKET_CODE_copy] = do_dma,
	[PACKET_CODE_fill] = do_dma,
	[PACKET_CODE_sem_wait] = do_sem_wait,
	[PACKET_CODE_sem_signal] = do_sem_signal,
	[PACKET_CODE_tlb_invalidate] = do_tlb_invalidate,
	[PACKET_CODE_cache] = do_dma,
	[PACKET_CODE_process] = do_media,
	[PACKET_CODE_jpeg] = do_media,
};
#define PACKET_BEGIN(name, code, doc) + 1
#define PACKET_FIELD(name, type, field, offset, doc)
#define PACKET_ARRAY(name, type, field, count, offset, doc)
#define PACKET_END(name)
enum { PACKET_TYPES = 0
#include "abi/packets.def"
};
_Static_assert(sizeof packet_table / sizeof packet_table[0] == PACKET_TYPES, "a packet type has no handler");

/* No record: the packet is wrong. */
static FW_COLD uint64_t record_refuse(size_t n, uint64_t at)
{
	fault_own(n, FAULT_BAD_PACKET, at);
	return 0;
}

/* A fault at the end of a command, when its last packet is behind it. */
static FW_COLD void fault_last(size_t n, enum fault code, uint64_t address)
{
	queues[n].read--;
	fault_own(n, code, address);
	queues[n].read++;
}

/* Memory has been missing somewhere: was it the record? Its last word, written again, tells. */
static FW_COLD void record_check(size_t n, uint64_t record)
{
	memory_lost = 0;
	if (guarded_store64(record + offsetof(struct completion, status), 1ull << 32 | (uint32_t)queues[n].status).fault)
		fault_last(n, FAULT_BUS_ERROR, record);
}

/* The same of the packet: then the queue cannot go on. */
static FW_COLD bool packet_missing(size_t n, uint64_t at)
{
	memory_lost = 0;
	if (!guarded_load64(at).fault)
		return false;
	queue_fail(n, at);
	if (queues[n].asked & ASK_REMAP) /* the one that it gives way to has a ring of its own */
		queue_map(n);
	return true;
}

/* The completion record that the packet at `at` names. */
static inline uint64_t packet_record(size_t n, uint64_t at)
{
	uint64_t record = ((volatile uint64_t *)at)[1];
	if (!record || (!(record & 7) && record >= DRAM_BASE)) /* what lies below is the command processor's own */
		return record;
	return record_refuse(n, at);
}

/* The packet at read is over. True if it was the last of its command. */
static bool packet_finish(size_t n)
{
	struct queue *q = &queues[n];
	CP32N(PACKET_RESULT, n) = -q->status;
	unsigned flags = q->flags;
	q->read++;
	if (!(flags & PACKET_END))
		return false;
	uint64_t record = q->record;
	uint64_t now = cycle_now();
	if (record) {
		volatile uint64_t *c = (volatile uint64_t *)record;
		c[0] = q->submit;
		c[1] = q->start ? q->start : now;
		c[2] = now;
		c[3] = 1ull << 32 | (uint32_t)q->status; /* done, status: valid from here on */
		if (memory_lost)
			record_check(n, record);
	}
	q->in_command = false;
	if (q->stamps_saved) {
		q->desc->submit = 0;
		q->stamps_saved = false;
	}
	q->desc->read_index = q->read;
	CP64(SEM_STORE_VALUE) = ++q->timeline;
	CP64(SEM_STORE) = q->timeline_address;
	uint32_t fault = CP32(SEM_STORE_STATUS);
	if (fault)
		fault_last(n, fault, q->timeline_address);
	if (flags & PACKET_IRQ)
		CP32(HOST_IRQ) = REG_HOST_IRQ_STATUS_COMPLETE;
	return true;
}

/* The rest of the command is not in the ring yet. */
static FW_COLD void command_begun_only(size_t n)
{
	struct queue *q = &queues[n];
	queue_save(q);
	queue_state_set(n, RUN_IDLE, QUEUE_IDLE);
	if (q->asked & ASK_REMAP)
		queue_map(n);
}

/* No packet is left in the ring. */
static inline void queue_rest(size_t n)
{
	if (queues[n].in_command)
		command_begun_only(n);
	else
		queue_state_set(n, RUN_IDLE, QUEUE_IDLE);
}

void command_serve(size_t n)
{
	struct queue *q = &queues[n];
	CP32N(QUEUE_STATE_SET, n) = QUEUE_RUNNING;
	while (q->read != q->write) {
		uint64_t at = packet_address(q);
		uint64_t word = *(volatile uint64_t *)at;
		if (memory_lost && packet_missing(n, at))
			return;
		unsigned type = word & 0xff;
		q->flags = word >> 8 & 0xff;
		CP64N(PACKET_INDEX, n) = REG_PUT(word & 0xffff, CP_PACKET_INDEX_TYPE) | q->read;
		if (!q->in_command) {
			q->in_command = true;
			q->submit = cycle_now();
			q->start = 0;
			q->status = 0;
		}
		if (q->status && type != PACKET_CODE_cache) {
			/* an earlier packet of the command has failed; what it wrote still has to get out of caches */
		} else if (type >= PACKET_TYPES) {
			fault_own(n, FAULT_BAD_PACKET, at);
			command_fail(n, FAULT_BAD_PACKET);
		} else if (packet_table[type](n, at) == PACKET_PENDING) {
			if (q->flags & PACKET_END)
				q->record = packet_record(n, at); /* while the unit works */
			return;
		}
		if (q->flags & PACKET_END)
			q->record = packet_record(n, at);
		if (packet_finish(n)) {
			if (q->asked) { /* mapped anew */
				q->state = RUN_IDLE;
				queue_map(n);
				return;
			}
			break;
		}
	}
	if (q->read != q->write) {
		queue_ready(n);
		return;
	}
	queue_rest(n);
}

/* The packet that the queue waited for is over: goes on with the next. */
static void command_resume(size_t n)
{
	struct queue *q = &queues[n];
	bool ended = packet_finish(n);
	if (q->asked) {
		control_packet_over(n, ended);
		return;
	}
	q->state = RUN_IDLE;
	if (q->read == q->write)
		queue_rest(n);
	else
		queue_ready(n);
}

void command_dispatch_done(size_t n)
{
	struct queue *q = &queues[n];
	CP32(DISPATCH_DONE) = 1u << n;
	if (q->deadline)
		watchdog_end(q);
	if (q->state != RUN_DISPATCH)
		return;
	uint32_t code = CP32N(DISPATCH_STATUS, n);
	command_begun(q, CP64N(DISPATCH_CYCLE, n));
	if (code) {
		if (q->timed_out)
			code = FAULT_WATCHDOG;
		fault_slot(n, code, q->timed_out ? CP64N(DISPATCH_GROUPS, n) : 0);
		command_fail(n, code);
	}
	q->timed_out = false;
	command_resume(n);
}

void command_dma_done(size_t n)
{
	struct queue *q = &queues[n];
	CP32(DMA_DONE) = 1u << n;
	if (q->deadline)
		watchdog_end(q);
	if (q->state != RUN_DMA)
		return;
	uint32_t code = CP32N(DMA_STATUS, n);
	command_begun(q, CP64N(DMA_CYCLE, n));
	if (code && !q->status) {
		if (q->timed_out)
			code = FAULT_WATCHDOG;
		fault_slot(n, code, CP64N(DMA_PROGRESS, n));
		command_fail(n, code);
	}
	q->timed_out = false;
	command_resume(n);
}

void command_media_done(size_t n)
{
	struct queue *q = &queues[n];
	CP32(MEDIA_DONE) = 1u << n;
	if (q->deadline)
		watchdog_end(q);
	if (q->state != RUN_MEDIA)
		return;
	uint32_t code = CP32N(MEDIA_STATUS, n);
	command_begun(q, CP64N(MEDIA_CYCLE, n));
	if (code) {
		if (q->timed_out)
			code = FAULT_WATCHDOG;
		fault_slot(n, code, CP64N(MEDIA_PROGRESS, n));
		command_fail(n, code);
	}
	q->timed_out = false;
	command_resume(n);
}

void command_sem_woken(size_t n)
{
	struct queue *q = &queues[n];
	CP32(SEM_WOKEN) = 1u << n;
	if (q->state != RUN_PARKED)
		return;
	sem_wait_passed(n, packet_address(q));
	command_resume(n);
}

void command_faulted(size_t n)
{
	struct queue *q = &queues[n];
	bool dma = q->state == RUN_DMA;
	CP32(REPLAY_PENDING) = 1u << n;
	if (!dma && q->state != RUN_DISPATCH)
		return;
	if (q->deadline)
		watchdog_end(q); /* the time that the host takes is not its own */
	q->asked |= ASK_REPLAY;
	fault_slot(n, dma ? CP32N(DMA_STATUS, n) : CP32N(DISPATCH_STATUS, n),
		   PROGRESS_REPLAYABLE | (dma ? CP64N(DMA_PROGRESS, n) : 0));
	CP32N(QUEUE_STATE_SET, n) = QUEUE_FAULTED;
	CP32(HOST_IRQ) = REG_HOST_IRQ_STATUS_QUEUE;
}

void command_abort(size_t n)
{
	if (queues[n].state == RUN_DISPATCH)
		CP32(DISPATCH_ABORT) = n;
	else if (queues[n].state == RUN_MEDIA)
		CP32(MEDIA_ABORT) = n;
	else
		CP32(DMA_ABORT) = n;
}

void command_unwait(size_t n)
{
	struct queue *q = &queues[n];
	const volatile struct packet_sem_wait *p = (const volatile struct packet_sem_wait *)packet_address(q);
	CP64N(SEM_WAIT, n) = 0;
	if (!(CP32(SEM_WOKEN) >> n & 1))
		return;
	CP32(SEM_WOKEN) = 1u << n;
	if (q->sem_mode && !CP32N(SEM_STATUS, n)) { /* it has just consumed a signal, which is for the next */
		CP64(SEM_STORE_VALUE) = 1;
		CP64(SEM_STORE) = p->semaphore;
	}
}

void command_give_up(size_t n)
{
	if (queues[n].status)
		return;
	fault_own(n, FAULT_ABORTED, 0);
	command_fail(n, FAULT_ABORTED);
}

void command_unpark(size_t n)
{
	command_unwait(n);
	command_give_up(n);
	command_resume(n);
}
