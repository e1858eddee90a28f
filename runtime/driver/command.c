/* Commands: submission, what they depend on, and when everybody has seen that they ended. */
#include "runtime/driver/internal.h"
#include <stdlib.h>
#include <string.h>

/* ---- references ---- */
static void dep_drop(struct dep *dep)
{
	if (dep->command)
		command_unref(dep->command);
	if (dep->kind == DEP_QUEUE)
		queue_unref(dep->queue);
	else if (dep->sem)
		sem_unref(dep->sem);
}

static void command_free(struct drv_command *c)
{
	struct driver *d = c->queue->space->driver;
	if (c->record.pa)
		memory_slot_free(d, c->record);
	struct drv_queue *q = c->queue;
	free(c->deps);
	free(c->fault);
	free(c);
	queue_unref(q);
}

void command_unref(struct drv_command *c)
{
	if (!--c->refs)
		command_free(c);
}

void drv_command_retain(struct drv_command *c)
{
	struct driver *d = c->queue->space->driver;
	driver_lock(d);
	c->refs++;
	pthread_mutex_unlock(&d->lock);
}

void drv_command_release(struct drv_command *c)
{
	if (!c)
		return;
	struct driver *d = c->queue->space->driver;
	driver_lock(d);
	command_unref(c);
	pthread_mutex_unlock(&d->lock);
}

/* ---- submission ---- */
/* Finds what a packet's addresses mean. 0 or DRV_INVALID. */
static int dep_wait(struct driver *d, const struct packet_sem_wait *p, const struct drv_queue *q, struct dep *dep)
{
	void *owner = NULL;
	*dep = (struct dep){ .value = p->value };
	struct drv_queue *target = memory_timeline_owner(d, p->semaphore);
	if (target) {
		dep->kind = DEP_QUEUE;
		dep->queue = target;
		if (target == q && p->value > q->submitted)
			return DRV_INVALID; /* for itself */
	} else if (memory_slot_owner(d, p->semaphore, &owner) == SLOT_SEM) {
		dep->kind = DEP_SEM;
		dep->sem = owner;
		if (p->status && p->status != dep->sem->record.pa)
			return DRV_INVALID;
	} else {
		return DRV_INVALID;
	}
	if (target && p->status) {
		if (memory_slot_owner(d, p->status, &owner) != SLOT_COMMAND)
			return DRV_INVALID;
		dep->command = owner;
	}
	return 0;
}

static int dep_signal(struct driver *d, const struct packet_sem_signal *p, struct dep *dep)
{
	void *owner = NULL;
	if (memory_slot_owner(d, p->semaphore, &owner) != SLOT_SEM)
		return DRV_INVALID;
	*dep = (struct dep){ .kind = DEP_SEM, .sem = owner, .value = p->value };
	return dep->sem->payload.pa == p->semaphore ? 0 : DRV_INVALID;
}

/* Fills c->deps without taking references yet. */
static int command_deps(struct drv_command *c)
{
	struct driver *d = c->queue->space->driver;
	unsigned total = 0;
	for (unsigned i = 0; i < c->num_packets; i++)
		total += c->packets[i].head.type == PACKET_CODE_sem_wait ||
			 c->packets[i].head.type == PACKET_CODE_sem_signal;
	if (!total)
		return 0;
	c->deps = calloc(total, sizeof *c->deps);
	if (!c->deps)
		return DRV_NO_MEMORY;
	for (unsigned i = 0; i < c->num_packets; i++) {
		const union packet *p = &c->packets[i];
		if (p->head.type != PACKET_CODE_sem_wait)
			continue;
		if (dep_wait(d, &p->sem_wait, c->queue, &c->deps[c->num_waits]))
			return DRV_INVALID;
		c->num_waits++;
	}
	for (unsigned i = 0; i < c->num_packets; i++) {
		const union packet *p = &c->packets[i];
		if (p->head.type != PACKET_CODE_sem_signal)
			continue;
		if (dep_signal(d, &p->sem_signal, &c->deps[c->num_waits + c->num_signals]))
			return DRV_INVALID;
		c->num_signals++;
	}
	return 0;
}

/* Sees to private memory for the queue's commands, or for its protected ones; the old one lives as long as commands that use it. */
static int scratch_grow(struct drv_queue *q, uint32_t private_bytes, bool hidden)
{
	struct drv_scratch *scratch = &q->scratch[hidden];
	const unsigned flags = DRV_BO_DRAM | (hidden ? DRV_BO_PROTECTED : 0);
	const struct drv_device_info *info = &q->space->driver->devices[q->device].info;
	if (private_bytes <= scratch->bytes)
		return 0;
	if (private_bytes > VA_PRIVATE_SIZE)
		return DRV_INVALID;
	uint32_t bytes = 256;
	while (bytes < private_bytes)
		bytes *= 2;
	struct drv_bo *bo;
	uint64_t lanes = (uint64_t)info->num_cu * info->warps_per_cu * info->lanes;
	int error = bo_create_locked(q->space, q->device, lanes * bytes, flags, &bo);
	if (error) { /* the power of two was for later commands */
		bytes = (private_bytes + 15) & ~15u;
		error = bo_create_locked(q->space, q->device, lanes * bytes, flags, &bo);
	}
	if (error)
		return error;
	if (scratch->bo)
		bo_release_locked(scratch->bo);
	*scratch = (struct drv_scratch){ bo, bytes };
	return 0;
}

void drv_throttle(struct drv_space *s)
{
	struct driver *d = s->driver;
	COMPLETIONS_MAY_RUN(d);
	driver_lock(d);
	if (d->uncovered >= d->throttle && !pump_is_mine(d)) {
		pump_sync_locked(d);
		d->throttle = 2 * d->uncovered + THROTTLE_COMMANDS;
	}
	pthread_mutex_unlock(&d->lock);
}

int drv_submit(struct drv_queue *q, const union packet *packets, unsigned count, uint32_t private_bytes,
	       drv_done_fn done, void *arg, struct drv_command **out)
{
	struct driver *d = q->space->driver;
	if (!count)
		return DRV_INVALID;
	if (d->devices[q->device].lost)
		return DRV_DEVICE_LOST;
	bool coherent = d->devices[q->device].info.coherent;
	bool hidden = false;
	for (unsigned i = 0; i < count; i++)
		hidden |= (packets[i].head.flags & PACKET_PROTECTED) != 0;
	struct drv_command *c = malloc(sizeof *c + (coherent ? 1 : 3) * count * sizeof c->packets[0]);
	if (!c)
		return DRV_NO_MEMORY;
	memset(c, 0, sizeof *c);
	if (coherent)
		memcpy(c->packets, packets, count * sizeof *packets);
	else
		count = caches_around(packets, count, c->packets);
	c->num_packets = count;
	c->queue = q;
	c->done = done;
	c->arg = arg;

	driver_lock(d);
	int error = command_deps(c);
	if (error)
		goto err_free;
	error = scratch_grow(q, private_bytes, hidden);
	if (error)
		goto err_free;
	error = memory_slot_alloc(d, SLOT_COMMAND, c, &c->record);
	if (error)
		goto err_free;
	for (unsigned i = 0; i < c->num_waits + c->num_signals; i++) {
		struct dep *dep = &c->deps[i];
		if (dep->command)
			dep->command->refs++;
		if (dep->kind == DEP_QUEUE)
			dep->queue->refs++;
		else
			dep->sem->refs++;
	}
	for (unsigned i = 0; i < count; i++) {
		c->packets[i].head.flags &= PACKET_PROTECTED | PACKET_PATIENT;
		c->packets[i].head.completion = 0;
	}
	c->packets[count - 1].head.flags |= PACKET_END | PACKET_IRQ;
	c->packets[count - 1].head.completion = c->record.pa;
	if (q->scratch[hidden].bo) {
		c->scratch = drv_bo_address(q->scratch[hidden].bo);
		c->scratch_size = drv_bo_size(q->scratch[hidden].bo);
	}
	c->ordinal = ++q->submitted;
	c->refs = 1 + (out != NULL);
	q->refs++;
	*q->pending_tail = c;
	q->pending_tail = &c->next;
	*q->uncovered_tail = c;
	q->uncovered_tail = &c->next_uncovered;
	d->uncovered++;
	pthread_mutex_unlock(&d->lock);
	if (out)
		*out = c;
	return 0;
err_free:
	pthread_mutex_unlock(&d->lock);
	free(c->deps);
	free(c);
	return error;
}

void drv_command_wait_packet(const struct drv_command *c, union packet *out)
{
	*out = (union packet){ .sem_wait = { .head.type = PACKET_CODE_sem_wait,
					     .semaphore = queue_block_timeline(c->queue->block),
					     .value = c->ordinal,
					     .status = c->record.pa } };
}

bool drv_command_ended(const struct drv_command *c, struct completion *out)
{
	if (atomic_load_explicit(&c->state, memory_order_acquire) == COMMAND_OUTSTANDING)
		return false;
	if (out)
		*out = c->completion;
	return true;
}

const struct fault_record *drv_command_fault(const struct drv_command *c)
{
	return drv_command_ended(c, NULL) ? c->fault : NULL;
}

/* ---- covering ---- */
static bool retired(const struct drv_command *c)
{
	return atomic_load_explicit(&c->state, memory_order_acquire) == COMMAND_RETIRED;
}

/* Puts a queue on the work list of cover(). */
static void cover_add(struct drv_queue **list, struct drv_queue *q, uint64_t ordinal)
{
	if (ordinal <= q->covered)
		return;
	if (!q->cover_mark) {
		q->cover_mark = true;
		q->cover_target = ordinal;
		q->refs++;
		q->cover_next = *list;
		*list = q;
	} else if (ordinal > q->cover_target) {
		q->cover_target = ordinal;
	}
}

/* The first uncovered command of a queue is covered from now on. */
static void cover_pop(struct driver *d, struct drv_queue *q, struct drv_queue **list)
{
	struct drv_command *c = q->uncovered;
	struct device *dev = &d->devices[q->device];
	q->uncovered = c->next_uncovered;
	if (!q->uncovered)
		q->uncovered_tail = &q->uncovered;
	q->covered = c->ordinal;
	d->uncovered--;
	if (c->completion.end > dev->seen)
		dev->seen = c->completion.end;
	while (q->fences && q->fences->ordinal <= q->covered) {
		struct fence *f = q->fences;
		q->fences = f->next;
		if (!q->fences)
			q->fences_tail = &q->fences;
		if (!--f->bo->fences)
			bo_reclaim(f->bo);
		free(f);
	}
	for (unsigned i = 0; i < c->num_waits + c->num_signals; i++) {
		struct dep *dep = &c->deps[i];
		/* a command that failed may have skipped its waits: nothing follows from its end */
		if (i < c->num_waits && dep->kind == DEP_QUEUE && !c->completion.status)
			cover_add(list, dep->queue, dep->value);
		dep_drop(dep);
	}
	c->num_waits = c->num_signals = 0;
	command_unref(c);
}

void cover(struct driver *d, struct drv_queue *q, uint64_t ordinal)
{
	struct drv_queue *list = NULL;
	cover_add(&list, q, ordinal);
	while (list) {
		q = list;
		list = q->cover_next;
		q->cover_mark = false;
		while (q->uncovered && q->uncovered->ordinal <= q->cover_target && retired(q->uncovered))
			cover_pop(d, q, &list);
		queue_unref(q);
	}
}

void cover_finish(struct driver *d, uint64_t seq)
{
	if (seq > d->covered_seq)
		d->covered_seq = seq;
	sems_reap(d, false);
}

void cover_all_ended(struct driver *d)
{
	struct drv_queue *list = NULL;
	for (struct drv_queue *q = d->queues; q; q = q->next)
		cover_add(&list, q, q->submitted);
	while (list) {
		struct drv_queue *q = list;
		list = q->cover_next;
		q->cover_mark = false;
		while (q->uncovered && retired(q->uncovered))
			cover_pop(d, q, &list);
		queue_unref(q);
	}
}
