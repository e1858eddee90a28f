/* What devices report: completions, faults, a crash. All of it is hardware state. */
#include "base/log.h"
#include "runtime/kmd/fence.h"
#include "runtime/kmd/observe.h"
#include "runtime/kmd/unmapped.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64 };
/* So many cycles at a time, then other files and the end have their turn. */
#define SLICE (1ull << 20)
#define SLICE_SHARED (1ull << 14) /* while several clients have the devices open */

/* The device has signalled them, unless the command has failed. */
static void signals_over(struct driver *d, const struct command *c)
{
	for (unsigned i = c->num_waits; i < c->num_waits + c->num_signals; i++) {
		struct fence *s = c->deps[i].fence;
		if (c->completion.status)
			fence_missed(d, s, c->deps[i].value, c->completion.status);
		else
			notify_watchers(d, s->watch, s->payload.pa, c->queue->device);
	}
}

void retire_commands(struct driver *d, struct command **commands, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct command *c = commands[i];
		struct queue *q = c->queue;
		if (c->unmapped.size)
			unmapped_end(c);
		memcpy(&c->completion, c->record.host, sizeof c->completion);
		atomic_store_explicit(&c->state, COMMAND_ENDED, memory_order_release);
		queue_unwatch(c);
		if (c->unmet)
			fence_reach(d, c->unmet->fence, c->unmet->value);
		notify_watchers(d, q->watch, queue_block_timeline(q->block), q->device);
		signals_over(d, c);
	}
	HOLDING_DRIVER(d);
	for (unsigned i = 0; i < count; i++) {
		const struct command *c = commands[i];
		for (unsigned s = c->num_waits; s < c->num_waits + c->num_signals; s++)
			fence_tell(c->deps[s].fence);
		completion_add(c->queue->vm->file, &commands[i]->ended);
	}
}

static const volatile struct completion *record_of(const struct command *c) { return c->record.host; }

/* The firmware writes the record, then the timeline, then interrupts; we may look at any time between
 * (another command interrupted). A command has ended once its timeline says so: then the thread that is told
 * to look at the timeline sees it. */
static bool has_ended(const struct queue *q)
{
	return q->inflight && *queue_timeline(q) >= q->inflight->ordinal;
}

/* The command that ended first among those not retired, taken off its queue; NULL for none. */
static struct command *take_ended(struct device *dev)
{
	struct queue *first = NULL;
	for (unsigned i = 0; i < REG_QUEUES; i++) {
		struct queue *q = dev->slots[i];
		if (q && has_ended(q) &&
		    (!first || record_of(q->inflight)->end < record_of(first->inflight)->end))
			first = q;
	}
	if (!first)
		return NULL;
	struct command *c = first->inflight;
	first->inflight = c->next;
	if (!first->inflight)
		first->inflight_tail = &first->inflight;
	return c;
}

void device_retire(struct driver *d, struct device *dev)
{
	struct command *commands[BATCH];
	unsigned count;
	if (d->unmapped)
		unmapped_report(d, dev);
	do {
		uint32_t slots = 0;
		for (count = 0; count < BATCH && (commands[count] = take_ended(dev)); count++)
			slots |= 1u << commands[count]->queue->slot;
		for (unsigned i = 0; d->kernels && i < count; i++)
			kernels_end(d, dev, commands[i], true);
		if (count)
			retire_commands(d, commands, count);
		for (; slots; slots &= slots - 1) {
			struct queue *q = dev->slots[__builtin_ctz(slots)];
			if (q->backlog)
				slots_feed(d, q);
		}
	} while (count == BATCH);
	if (dev->waiting)
		slots_schedule(d, dev->index, false);
}

/* The command on the device that a ring index belongs to. */
static struct command *command_at(struct queue *q, uint64_t index)
{
	for (struct command *c = q->inflight; c; c = c->next)
		if (index - c->first < c->num_packets)
			return c;
	struct command *c = q->fed ? q->backlog : NULL;
	return c && index - c->first < c->num_packets ? c : NULL;
}

static void serve_faults(struct driver *d, struct device *dev)
{
	enum { RECORDS = 32 };
	uint64_t written = *(volatile uint64_t *)&dev->boot->faults_written;
	if (written - dev->faults_seen > RECORDS)
		dev->faults_seen = written - RECORDS; /* older ones are overwritten */
	while (dev->faults_seen < written) {
		struct fault_record r;
		memcpy(&r, &dev->faults[dev->faults_seen++ % RECORDS], sizeof r);
		struct queue *q = r.queue < REG_QUEUES ? dev->slots[r.queue] : NULL;
		if (!q)
			continue;
		struct command *c = command_at(q, r.packet);
		if (c && !c->fault) {
			c->fault = malloc(sizeof *c->fault);
			if (c->fault)
				*c->fault = r;
		}
		if (c && r.code == FAULT_BUS_ERROR)
			unmapped_at(d, c, r.address);
		if (r.code == FAULT_QUEUE) { /* the firmware has given the queue up */
			q->broken = true;
			slots_abandon(d, q, -FAULT_QUEUE);
		}
	}
}

/* The device is gone, and with it whatever was on it. */
static void device_abandon(struct driver *d, struct device *dev, int status)
{
	if (dev->lost)
		return;
	device_retire(d, dev); /* what it finished before */
	dev->lost_status = status;
	dev->lost = true;
	for (unsigned i = 0; i < REG_QUEUES; i++)
		if (dev->slots[i])
			slots_abandon(d, dev->slots[i], status);
	while (dev->waiting)
		slots_abandon(d, dev->waiting, status);
}

/* Those that hit a command have ended it; the device may have been lost over another. */
static void memory_errors(struct driver *d, struct device *dev)
{
	struct bus *b = dev->bus;
	uint64_t corrected = bus_read64(b, REG_HOST_CNT_ECC_CORRECTED), not = bus_read64(b, REG_HOST_CNT_ECC_UNCORRECTED);
	log_write(LOG_INFO, "device %u: memory errors so far: %" PRIu64 " corrected, %" PRIu64 " not", dev->index, corrected, not);
	if (bus_read32(b, REG_HOST_STATUS) & REG_HOST_STATUS_LOST)
		device_abandon(d, dev, -FAULT_LOST);
}

static void serve(struct driver *d, struct device *dev, uint32_t status)
{
	status_clear(d);
	bus_write32(dev->bus, REG_HOST_IRQ_STATUS, status);
	if (status & REG_HOST_IRQ_STATUS_FAULT)
		serve_faults(d, dev);
	if (status & REG_HOST_IRQ_STATUS_COMPLETE)
		device_retire(d, dev);
	if (status & REG_HOST_IRQ_STATUS_ECC)
		memory_errors(d, dev);
	if (status & REG_HOST_IRQ_STATUS_CRASH)
		device_abandon(d, dev, -FAULT_FIRMWARE);
}

/* Nothing has interrupted, though commands are on the device. If an interrupt was lost on the way,
 * IRQ_STATUS still shows what it was about. */
static bool find_lost_interrupt(struct driver *d, struct device *dev)
{
	bool any = *(volatile uint64_t *)&dev->boot->faults_written != dev->faults_seen;
	for (unsigned i = 0; i < REG_QUEUES && !any; i++)
		any = dev->slots[i] && dev->slots[i]->inflight;
	uint32_t status = any ? bus_read32(dev->bus, REG_HOST_IRQ_STATUS) & INTERRUPTS : 0;
	if (!status)
		return false;
	log_write(LOG_INFO, "device %u: interrupt 0x%x was lost, and found", dev->index, status);
	serve(d, dev, status);
	return true;
}

bool device_run(struct driver *d, struct device *dev)
{
	if (dev->lost)
		return false;
	if (d->publisher)
		publish_tick(d);
	if (d->status.wanted)
		status_tick(d, dev);
	if (d->imports && tracepoints_wanted(d))
		unmapped_verify(d);
	const enum bus_wait why = bus_wait_irq(dev->bus, d->shared ? SLICE_SHARED : SLICE);
	if (d->unmapped)
		unmapped_report(d, dev);
	switch (why) {
	case BUS_WAIT_IRQ:
		serve(d, dev, bus_read32(dev->bus, REG_HOST_IRQ_STATUS));
		return true;
	case BUS_WAIT_LIMIT:
		find_lost_interrupt(d, dev);
		return true;
	case BUS_WAIT_IDLE:
		break;
	}
	if (find_lost_interrupt(d, dev))
		return true;
	status_clear(d);
	return false;
}
