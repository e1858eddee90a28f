/* Hardware slots: any number of queues over the sixteen that a device has.
 *
 * A queue keeps its slot until another needs it. An idle queue gives it up at once; a blocked one
 * only when the device is idle and another queue could run: what a waiting queue would do next
 * can be told from memory, so no queue is given a slot just to wait in it. Queues that wait for each
 * other therefore always go on as long as one of them can. All of this is hardware state. */
#include "base/list.h"
#include "base/log.h"
#include "runtime/kmd/observe.h"

static void ring_doorbell(struct device *dev, struct queue *q)
{
	bus_write64(dev->bus, (uint32_t)(REG_HOST_DOORBELL + 8 * q->slot), q->write);
	dev->active = true;
}

/* q: whose queue it is from now on, NULL for none. */
static void map_slot(struct device *dev, int slot, const struct queue *q)
{
	tracepoint_bind(dev, slot, q);
	/* the firmware may look at the doorbell between the mapping and the new queue's first ring: it must
	 * not find the old queue's index there */
	bus_write64(dev->bus, (uint32_t)(REG_HOST_DOORBELL + 8 * slot), 0);
	bus_write64(dev->bus, (uint32_t)(REG_HOST_QUEUE_DESC + 8 * slot), q ? queue_block_desc(q->block) : 0);
	dev->active = true;
}

/* The descriptor's scratch memory is that of the next command. True if it had to be changed. */
static bool use_scratch(struct queue *q)
{
	const struct command *c = q->backlog;
	if (c->scratch == q->desc->scratch && c->scratch_size == q->desc->scratch_size)
		return false;
	q->desc->scratch = c->scratch;
	q->desc->scratch_size = c->scratch_size;
	return true;
}

static bool drained(const struct queue *q) { return !q->inflight && !q->fed && q->write == q->desc->read_index; }

void slots_feed(struct driver *d, struct queue *q)
{
	struct device *dev = &d->devices[q->device];
	bool fed = false;
	for (struct command *c; (c = q->backlog);) {
		bool other_scratch = c->scratch != q->desc->scratch || c->scratch_size != q->desc->scratch_size;
		if (!q->fed && other_scratch) {
			if (!drained(q))
				break; /* the commands before it go on with theirs first */
			use_scratch(q);
			map_slot(dev, q->slot, q);
		}
		if (d->kernels && !q->fed && !kernels_begin(d, dev, c, q->overdue))
			break;
		if (!q->fed)
			c->first = q->write;
		while (q->fed < c->num_packets && q->write - q->desc->read_index < RING_PACKETS) {
			q->ring[q->write++ % RING_PACKETS] = c->packets[q->fed++];
			fed = true;
		}
		if (q->fed < c->num_packets)
			break;
		q->fed = 0;
		q->backlog = c->next;
		if (!q->backlog)
			q->backlog_tail = &q->backlog;
		c->next = NULL;
		*q->inflight_tail = c;
		q->inflight_tail = &c->next;
	}
	if (fed)
		ring_doorbell(dev, q);
}

/* ---- who has a slot ---- */
static void waiting_add(struct device *dev, struct queue *q)
{
	if (q->waiting)
		return;
	struct queue **at = &dev->waiting;
	while (*at && (*at)->priority >= q->priority)
		at = &(*at)->waiting_next;
	q->waiting = true;
	q->waiting_next = *at;
	*at = q;
}

static void waiting_remove(struct device *dev, struct queue *q)
{
	if (!q->waiting)
		return;
	LIST_TAKE(dev->waiting, q, waiting_next);
	q->waiting = false;
}

static void unbind(struct device *dev, struct queue *q)
{
	dev->slots[q->slot] = NULL;
	q->slot = -1;
}

static void bind(struct driver *d, struct device *dev, int slot, struct queue *q)
{
	struct queue *old = dev->slots[slot];
	if (old) {
		bool busy = !drained(old) || old->backlog;
		unbind(dev, old); /* mapping another over it makes the firmware save where it was */
		if (busy)
			waiting_add(dev, old);
	}
	waiting_remove(dev, q);
	dev->slots[slot] = q;
	q->slot = slot;
	q->bound_at = ++dev->binds;
	if (drained(q) && q->backlog)
		use_scratch(q);
	map_slot(dev, slot, q);
	if (!drained(q))
		ring_doorbell(dev, q);
	slots_feed(d, q);
}

static bool wait_over(const struct driver *d, const union packet *p)
{
	const volatile uint64_t *payload = pins_host(&d->pins, p->sem_wait.semaphore);
	return !payload || (p->sem_wait.mode ? *payload != 0 : *payload >= p->sem_wait.value);
}

bool slots_waits_over(const struct driver *d, const struct command *c)
{
	for (unsigned i = 0; i < c->num_packets && c->packets[i].head.type == PACKET_CODE_sem_wait; i++)
		if (!wait_over(d, &c->packets[i]))
			return false;
	return true;
}

/* While something counts, a command is not fed before its waits are over. */
static bool held_back(const struct driver *d, const struct queue *q)
{
	return d->kernels && q->desc->read_index == q->write && q->backlog && !q->fed;
}

/* What the queue would do next; NULL for nothing. */
static const union packet *next_packet(const struct queue *q)
{
	uint64_t read = q->desc->read_index;
	if (read != q->write)
		return &q->ring[read % RING_PACKETS];
	return q->backlog ? &q->backlog->packets[q->fed] : NULL;
}

/* The queue would do something if it had a slot. Packets and payloads are in memory; the device is
 * at rest. */
static bool runnable(const struct driver *d, const struct queue *q)
{
	if (held_back(d, q))
		return slots_waits_over(d, q->backlog);
	const union packet *next = next_packet(q);
	if (!next || next->head.type != PACKET_CODE_sem_wait)
		return next != NULL;
	return wait_over(d, next);
}

/* A queue that could go on while all devices are idle: its doorbell, or the end of its wait, went
 * unnoticed. It is told again; but not for ever, as it may hang. */
enum { KICKS_MAX = 3 };

static void kick_stalled(struct driver *d, struct device *dev, struct queue *q)
{
	uint64_t place = q->desc->read_index;
	if (q->write == place || !runnable(d, q))
		return;
	if (q->kicked_at != place)
		q->kicks = 0;
	if (q->kicks++ >= KICKS_MAX)
		return;
	const union packet *next = next_packet(q);
	q->kicked_at = place;
	log_write(LOG_INFO, "device %u: queue %d stands still without cause, and is told to go on", dev->index, q->slot);
	if (next->head.type == PACKET_CODE_sem_wait)
		bus_write64(dev->bus, REG_HOST_SEM_NOTIFY, next->sem_wait.semaphore);
	ring_doorbell(dev, q);
}

/* A slot for the queue, or -1. */
static int find_slot(const struct driver *d, const struct device *dev, const struct queue *q, bool at_rest)
{
	int idle = -1, blocked = -1;
	for (int i = 0; i < REG_QUEUES; i++) {
		const struct queue *in = dev->slots[i];
		if (!in)
			return i;
		bool has_nothing = drained(in) && !in->backlog;
		int *which = has_nothing ? &idle : &blocked;
		if (!has_nothing && (!at_rest || runnable(d, in)))
			continue;
		if (*which < 0 || in->bound_at < dev->slots[*which]->bound_at)
			*which = i;
	}
	if (idle >= 0)
		return idle;
	return blocked >= 0 && runnable(d, q) ? blocked : -1;
}

void slots_schedule(struct driver *d, unsigned device, bool at_rest)
{
	struct device *dev = &d->devices[device];
	if (dev->lost)
		return;
	for (unsigned i = 0; at_rest && i < REG_QUEUES; i++) {
		struct queue *q = dev->slots[i];
		if (!q)
			continue;
		if (q->backlog) /* commands longer than the ring */
			slots_feed(d, q);
		if (!dev->active)
			kick_stalled(d, dev, q);
	}
	for (struct queue *q = dev->waiting, *next; q; q = next) {
		next = q->waiting_next;
		int slot = find_slot(d, dev, q, at_rest);
		if (slot >= 0)
			bind(d, dev, slot, q);
	}
}

void slots_kick(struct driver *d, struct queue *q)
{
	if (q->slot >= 0) {
		slots_feed(d, q);
		return;
	}
	waiting_add(&d->devices[q->device], q);
	slots_schedule(d, q->device, false);
}

void slots_remove(struct driver *d, struct queue *q)
{
	struct device *dev = &d->devices[q->device];
	waiting_remove(dev, q);
	if (q->slot < 0)
		return;
	if (!dev->lost)
		map_slot(dev, q->slot, NULL);
	unbind(dev, q);
}

void slots_abandon(struct driver *d, struct queue *q, int status)
{
	slots_remove(d, q);
	*q->inflight_tail = q->backlog;
	struct command *c = q->inflight;
	q->inflight = q->backlog = NULL;
	q->inflight_tail = &q->inflight;
	q->backlog_tail = &q->backlog;
	q->fed = 0;
	while (c) {
		struct command *next = c->next;
		/* as the device would have: the record, then the payload that waiters look at */
		struct completion *record = c->record.host;
		if (!record->done)
			*record = (struct completion){ .status = status, .done = 1 };
		if (d->kernels)
			kernels_end(d, &d->devices[q->device], c, false);
		*queue_timeline(q) = c->ordinal;
		retire_commands(d, &c, 1);
		c = next;
	}
}

/* Nothing of the queue is at work: it has nothing, or waits with its first packet that is left. */
static bool stands(const struct driver *d, const struct queue *q)
{
	if (!q->desc || (drained(q) && !q->backlog)) /* it may not have been made yet */
		return true;
	const struct command *c = q->inflight ? q->inflight : q->backlog;
	const uint64_t read = q->desc->read_index;
	return !runnable(d, q) && (!q->inflight || read - c->first < c->num_packets);
}

struct command *slots_standing(const struct driver *d, const struct queue *q, const union packet **at)
{
	if (!q->desc || !(q->inflight || q->backlog) || d->devices[q->device].lost || !stands(d, q))
		return NULL;
	if (!held_back(d, q)) {
		*at = next_packet(q);
		return q->inflight ? q->inflight : q->backlog;
	}
	for (*at = q->backlog->packets; wait_over(d, *at); ++*at)
		continue;
	return q->backlog;
}

bool slots_end_standing(struct driver *d, struct queue *q)
{
	struct device *dev = &d->devices[q->device];
	if (q->slot < 0)
		return false;
	if (held_back(d, q)) {
		q->overdue = true;
		slots_feed(d, q);
		q->overdue = false;
		return false;
	}
	bus_write32(dev->bus, (uint32_t)(REG_HOST_QUEUE_CTRL + 4 * q->slot), QUEUE_CTRL_RESET);
	dev->active = true;
	return true;
}

bool slots_file_idle(const struct driver *d, const struct file *f)
{
	for (const struct queue *q = d->queues; q; q = q->next)
		if (q->vm->file == f && !d->devices[q->device].lost && !stands(d, q))
			return false;
	return true;
}
