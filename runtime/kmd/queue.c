/* Queues as the API sees them; what happens on the device is in slots.c. */
#include "base/list.h"
#include "runtime/kmd/fence.h"
#include <stdlib.h>

static void apply_create(struct driver *d, struct work *work)
{
	struct queue *q = work_owner(work, struct queue, create);
	(void)d;
	uint8_t *page = q->block->host + BLOCK_RING_PAGES * GALENA_PAGE_SIZE;
	*queue_timeline(q) = 0;
	struct queue_desc *desc = (struct queue_desc *)page;
	*desc = (struct queue_desc){
		.ring = q->block->pa,
		.ring_size = RING_PACKETS,
		.priority = q->priority,
		.timeline = queue_block_timeline(q->block),
		.asid = q->vm->asid,
	};
	q->desc = desc;
	q->ring = (union packet *)q->block->host;
	q->vm->devices |= 1u << q->device;
}

static void queue_link(struct driver *d, struct vm *s, struct queue *q)
{
	vm_ref(s);
	q->prev = d->queues_last;
	*(q->prev ? &q->prev->next : &d->queues) = q;
	d->queues_last = q;
	LIST_PUSH(s->queues, q, vm_prev, vm_next);
}

int ioctl_queue_create(struct file *f, struct kmd_queue_create *a)
{
	struct driver *d = f->driver;
	if (a->device >= d->num_devices || a->priority > PRIORITY_HIGH)
		return KMD_INVALID;
	if (d->devices[a->device].lost)
		return KMD_DEVICE_LOST;
	struct queue *q = calloc(1, sizeof *q);
	if (!q)
		return KMD_NO_MEMORY;
	*q = (struct queue){ .device = a->device, .priority = a->priority, .refs = 1, .slot = -1 };
	q->pending_tail = &q->pending;
	q->fences_tail = &q->fences;
	q->backlog_tail = &q->backlog;
	q->inflight_tail = &q->inflight;
	HOLDING_FILE(f);
	int error = KMD_BAD_HANDLE;
	struct vm *s = handle_get(f, a->vm, HANDLE_VM);
	if (!s)
		goto err_free;
	error = KMD_NO_MEMORY;
	q->vm = s;
	q->block = memory_block_alloc(d);
	if (!q->block)
		goto err_free;
	a->queue = q->handle = handle_new(f, HANDLE_QUEUE, q);
	if (!a->queue)
		goto err_block;
	a->fence = q->fence = handle_new(f, HANDLE_TIMELINE, q);
	if (!a->fence)
		goto err_handle;
	queue_link(d, s, q);
	q->create.apply = apply_create;
	work_queue(f, &q->create);
	return 0;
err_handle:
	handle_take(f, q->handle, HANDLE_QUEUE);
err_block:
	memory_block_free(d, q->block);
err_free:
	free(q);
	return error;
}

static void apply_destroy(struct driver *d, struct work *work)
{
	struct queue *q = work_owner(work, struct queue, destroy);
	struct device *dev = &d->devices[q->device];
	const bool mapped = q->slot >= 0 && !dev->lost;
	slots_remove(d, q);
	if (q->keeps_block) {
		HOLDING_DRIVER(d);
		if (mapped) {
			q->block->next_free = dev->leaving;
			dev->leaving = q->block;
		} else {
			memory_block_free(d, q->block);
		}
	}
	free(q->commands);
	free(q->failed.ordinals);
	free(q);
}

/* The last reference: no command is left uncovered, and none can name the queue any more. */
static void queue_give_up(struct queue *q)
{
	struct vm *s = q->vm;
	struct driver *d = s->driver;
	handle_take(s->file, q->fence, HANDLE_TIMELINE);
	if (!q->next)
		d->queues_last = q->prev;
	LIST_DROP(d->queues, q, prev, next);
	LIST_DROP(s->queues, q, vm_prev, vm_next);
	for (unsigned i = 0; i < 2; i++)
		if (q->scratch[i].bo)
			bo_release_locked(q->scratch[i].bo);
	/* what reuses it is applied when the firmware has unmapped the queue; items of other files do not wait for that */
	q->keeps_block = d->shared;
	if (!q->keeps_block)
		memory_block_free(d, q->block);
	q->destroy.apply = apply_destroy;
	work_queue(s->file, &q->destroy);
	vm_unref(s);
}

void queue_unref(struct queue *q)
{
	if (!--q->refs)
		queue_give_up(q);
}

int ioctl_queue_close(struct file *f, struct kmd_queue_close *a)
{
	HOLDING_FILE(f);
	struct queue *q = handle_take(f, a->queue, HANDLE_QUEUE);
	if (!q)
		return KMD_BAD_HANDLE;
	queue_flush_locked(q); /* its commands live on: they must not wait for a flush that no client can ask for */
	queue_unref(q);
	return 0;
}

bool queue_retired(const struct queue *q, uint64_t ordinal)
{
	const struct command *c = queue_command(q, ordinal);
	return !c || atomic_load_explicit(&c->state, memory_order_acquire) == COMMAND_RETIRED;
}

bool queue_failed(const struct queue *q, uint64_t ordinal)
{
	for (unsigned i = q->failed.count; i-- && q->failed.ordinals[i] >= ordinal;)
		if (q->failed.ordinals[i] == ordinal)
			return true;
	return false;
}

/* ---- flush ---- */
static void watch(const struct command *c, int by)
{
	for (unsigned i = 0; i < c->num_waits; i++) {
		struct dep *dep = &c->deps[i];
		uint32_t *counts = dep->kind == DEP_QUEUE ? dep->queue->watch : dep->fence->watch;
		counts[c->queue->device] += (uint32_t)by;
	}
}

/* The commands of one queue, first to last, are the device's from now on. */
static void queue_hand_over(struct driver *d, struct command *first)
{
	struct queue *q = first->queue;
	struct command *c = first;
	for (;; c = c->next) {
		watch(c, 1);
		if (!c->next)
			break;
	}
	*q->backlog_tail = first;
	q->backlog_tail = &c->next;
	if (d->devices[q->device].lost)
		slots_abandon(d, q, d->devices[q->device].lost_status);
	else if (q->broken)
		slots_abandon(d, q, -FAULT_QUEUE);
	else
		slots_kick(d, q);
}

/* A device at rest gets the bells of all queues of the flush before it runs. */
static void apply_flush(struct driver *d, struct work *work)
{
	struct command *first = work_owner(work, struct command, work), *next;
	for (; first; first = next) {
		next = first->group_next; /* the command may be gone afterwards */
		queue_hand_over(d, first);
	}
}

void queue_unwatch(const struct command *c) { watch(c, -1); }

/* Queues what is pending in the queues of a list as one work item. */
static void queues_post(struct queue *list)
{
	struct command *group = NULL, **link = &group;
	for (struct queue *q = list; q; q = q->flush_next) {
		*link = q->pending;
		link = &q->pending->group_next;
		q->pending = NULL;
		q->pending_tail = &q->pending;
	}
	*link = NULL;
	group->work.apply = apply_flush;
	work_queue(list->vm->file, &group->work);
	for (struct command *first = group; first; first = first->group_next)
		for (struct command *c = first; c; c = c->next)
			c->work.seq = group->work.seq;
}

/* Appends a queue that has something pending to a list, once. */
static void flush_add(struct queue **first, struct queue **last, struct queue *q)
{
	if (!q->pending || q->flush_mark)
		return;
	q->flush_mark = true;
	q->flush_next = NULL;
	*(*last ? &(*last)->flush_next : first) = q;
	*last = q;
}

/* The queues of a list that have something pending, and what it waits for. */
static void queues_flush(struct queue *const *queues, unsigned count)
{
	struct queue *q = NULL, *stack = NULL, *last = NULL;
	for (unsigned i = 0; i < count; i++)
		flush_add(&q, &last, queues[i]);
	/* breadth first through what the pending commands wait for; of a single queue it is queued the other way
	 * round, so that most waits are over when the device meets them */
	for (struct queue *at = q; at; at = at->flush_next)
		for (struct command *c = at->pending; c; c = c->next)
			for (unsigned i = 0; i < c->num_waits; i++)
				if (c->deps[i].kind == DEP_QUEUE)
					flush_add(&q, &last, c->deps[i].queue);
	for (struct queue *at = q; at; at = at->flush_next)
		at->flush_mark = false;
	if (count > 1) {
		if (q)
			queues_post(q);
		return;
	}
	for (struct queue *next; q; q = next) {
		next = q->flush_next;
		q->flush_next = stack;
		stack = q;
	}
	for (; stack; stack = q) {
		q = stack->flush_next;
		stack->flush_next = NULL;
		queues_post(stack);
	}
}

void queue_flush_locked(struct queue *q) { queues_flush(&q, 1); }

int ioctl_flush(struct file *f, struct kmd_flush *a)
{
	enum { FEW = 16, MANY = 1 << 20 };
	const uint32_t *handles = (const uint32_t *)(uintptr_t)a->queues;
	struct queue *few[FEW], **queues = few;
	int error = 0;
	if (a->num_queues && !handles)
		return KMD_BAD_ADDRESS;
	if (a->num_queues > MANY)
		return KMD_INVALID;
	if (a->num_queues > FEW)
		queues = malloc(a->num_queues * sizeof *queues);
	if (!queues)
		return KMD_NO_MEMORY;
	file_lock(f);
	for (uint32_t i = 0; i < a->num_queues && !error; i++) {
		queues[i] = handle_get(f, handles[i], HANDLE_QUEUE);
		error = queues[i] ? 0 : KMD_BAD_HANDLE;
	}
	if (!error && a->num_queues)
		queues_flush(queues, a->num_queues);
	driver_unlock(f->driver);
	if (queues != few)
		free(queues);
	return error;
}
