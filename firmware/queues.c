/* Which rings are mapped, and whose turn it is. */
#include "firmware/firmware.h"

enum { PRIORITIES = PRIORITY_HIGH + 1 };

struct queue queues[REG_QUEUES];
static uint32_t ready[PRIORITIES]; /* one bit a queue */
static uint8_t last[PRIORITIES];   /* whose turn it was */

void queue_state_set(size_t n, enum run_state state, enum queue_state shown)
{
	queues[n].state = state;
	CP32N(QUEUE_STATE_SET, n) = shown;
}

void queue_ready(size_t n)
{
	queues[n].state = RUN_READY;
	ready[queues[n].priority] |= 1u << n;
}

void queue_unready(size_t n)
{
	ready[queues[n].priority] &= ~(1u << n);
}

int queue_pick(void)
{
	for (int p = PRIORITIES - 1; p >= 0; p--) {
		if (!ready[p])
			continue;
		uint32_t after = ready[p] & ~((2u << last[p]) - 1);
		size_t n = __builtin_ctz(after ? after : ready[p]);
		ready[p] &= ~(1u << n);
		last[p] = n;
		return n;
	}
	return -1;
}

void queue_fail(size_t n, uint64_t address)
{
	fault_own(n, FAULT_QUEUE, address);
	queue_state_set(n, RUN_ERROR, QUEUE_ERROR);
}

void queue_save(struct queue *q)
{
	q->desc->submit = q->in_command ? q->submit : 0;
	q->desc->start = q->in_command ? q->start : 0;
	q->desc->failed = q->in_command ? (uint64_t)-q->status : 0;
	q->desc->read_index = q->read;
	q->stamps_saved = q->in_command;
}

static bool system_range(uint64_t address, uint64_t size, uint64_t align)
{
	return !(address & (align - 1)) && address >= SYSTEM_BASE && !guarded_load64(address).fault &&
	       !guarded_load64(address + size - 8).fault;
}

static bool desc_valid(const struct queue_desc *d)
{
	return d->ring_size && !(d->ring_size & (d->ring_size - 1)) && d->ring_size <= RING_PACKETS_MAX &&
	       d->priority < PRIORITIES && d->asid && d->asid <= PT_ASID_MAX && !(d->flags & ~QUEUE_REPLAYABLE) && d->failed <= 0xff &&
	       !(d->read_index >> RING_INDEX_BITS) &&
	       system_range(d->ring, (uint64_t)d->ring_size * PACKET_SIZE, PACKET_SIZE) &&
	       system_range(d->timeline, 8, 8);
}

static FW_COLD void doorbell_late(size_t n);

void queue_map(size_t n)
{
	struct queue *q = &queues[n];
	if (q->state == RUN_DISPATCH || q->state == RUN_DMA || q->state == RUN_MEDIA) {
		/* its packet is made to end first */
		q->asked |= ASK_REMAP;
		command_abort(n);
		return;
	}
	if (q->state == RUN_PARKED)
		command_unwait(n);
	if (q->state != RUN_UNMAPPED && q->state != RUN_ERROR)
		queue_save(q);
	bool rung = q->asked & ASK_DOORBELL;
	queue_unready(n);
	control_forget(n);

	uint64_t address = HOST64N(QUEUE_DESC, n);
	*q = (struct queue){ 0 };
	if (!address) {
		queue_state_set(n, RUN_UNMAPPED, QUEUE_UNMAPPED);
		return;
	}
	struct queue_desc d;
	if (!system_range(address, sizeof d, 8)) {
		queue_fail(n, address);
		return;
	}
	for (unsigned i = 0; i < sizeof d / 8; i++)
		((uint64_t *)&d)[i] = ((volatile uint64_t *)address)[i];
	if (!desc_valid(&d)) {
		queue_fail(n, address);
		return;
	}
	q->desc = (volatile struct queue_desc *)address;
	q->ring = d.ring;
	q->ring_mask = d.ring_size - 1;
	q->priority = d.priority;
	q->asid = d.asid;
	/* nothing to do before the doorbell rings: DOORBELL may still hold another queue's index */
	q->read = q->write = d.read_index;
	q->timeline_address = d.timeline;
	q->timeline = *(volatile uint64_t *)d.timeline;
	q->submit = d.submit;
	q->start = d.start;
	q->in_command = q->stamps_saved = d.submit != 0;
	q->status = q->in_command ? -(int32_t)d.failed : 0;
	q->replay = d.flags & QUEUE_REPLAYABLE ? REG_CP_SLOT_FLAGS_REPLAY : 0;
	CP32N(SLOT_FLAGS, n) = q->replay;
	CP32N(SEM_WAIT_MODE, n) = q->sem_mode;
	CP32N(DISPATCH_ASID, n) = d.asid;
	CP64N(DISPATCH_SCRATCH, n) = d.scratch;
	CP64N(DISPATCH_SCRATCH_SIZE, n) = d.scratch_size;
	queue_state_set(n, RUN_IDLE, QUEUE_IDLE);
	if (rung)
		doorbell_late(n);
}

/* In both of its callers, of which one is on the way of every launch. */
static inline __attribute__((always_inline)) void doorbell(size_t n)
{
	struct queue *q = &queues[n];
	uint64_t write = HOST64N(DOORBELL, n);
	if (q->asked & ASK_REMAP) { /* for whom is mapped next */
		q->asked |= ASK_DOORBELL;
		return;
	}
	if (CP32(QUEUE_PENDING) & 1u << n)
		return; /* mapped anew since the maps were read: the value may be the new queue's, whose doorbell
		         * was rung after the doorbells were taken and is pending again */
	if (!write || q->state == RUN_UNMAPPED || q->state == RUN_ERROR)
		return; /* 0: the driver is about to map another queue, which has not rung yet */
	if (write - q->read > q->ring_mask + 1ull || write < q->write) {
		/* what is in progress ends by itself; its queue is in error from now on */
		if (q->state == RUN_PARKED)
			command_unwait(n);
		if (q->state == RUN_DISPATCH || q->state == RUN_DMA || q->state == RUN_MEDIA)
			command_abort(n);
		queue_unready(n);
		control_forget(n);
		queue_fail(n, write);
		return;
	}
	q->write = write;
	if (q->state == RUN_IDLE && write != q->read)
		queue_ready(n);
}

static void doorbell_late(size_t n) { doorbell(n); }
void queue_doorbell(size_t n) { doorbell(n); }
