/* Queues as the API sees them; what happens on the device is in slots.c. */
#include "base/cancel.h"
#include "runtime/driver/internal.h"
#include "runtime/driver/profile.h"
#include <stdlib.h>
#include <string.h>

static void apply_create(struct driver *d, struct post *post)
{
	struct drv_queue *q = post_owner(post, struct drv_queue, create);
	(void)d;
	uint8_t *page = q->block->host + BLOCK_RING_PAGES * GALENA_PAGE_SIZE;
	*queue_timeline(q) = 0;
	struct queue_desc *desc = (struct queue_desc *)page;
	*desc = (struct queue_desc){
		.ring = q->block->pa,
		.ring_size = RING_PACKETS,
		.priority = q->priority,
		.timeline = queue_block_timeline(q->block),
		.asid = q->space->asid,
	};
	q->desc = desc;
	q->ring = (union packet *)q->block->host;
	q->space->devices |= 1u << q->device;
}

int drv_queue_create(struct drv_space *s, unsigned device, unsigned priority, struct drv_queue **out)
{
	struct driver *d = s->driver;
	if (device >= d->num_devices || priority > 2)
		return DRV_INVALID;
	if (d->devices[device].lost)
		return DRV_DEVICE_LOST;
	struct drv_queue *q = calloc(1, sizeof *q);
	if (!q)
		return DRV_NO_MEMORY;
	*q = (struct drv_queue){ .space = s, .device = device, .priority = priority, .refs = 1, .slot = -1 };
	q->pending_tail = &q->pending;
	q->uncovered_tail = &q->uncovered;
	q->fences_tail = &q->fences;
	q->backlog_tail = &q->backlog;
	q->inflight_tail = &q->inflight;
	driver_lock(d);
	q->block = memory_block_alloc(d, q);
	if (!q->block) {
		pthread_mutex_unlock(&d->lock);
		free(q);
		return DRV_NO_MEMORY;
	}
	space_ref(s);
	q->prev = d->queues_last;
	*(q->prev ? &q->prev->next : &d->queues) = q;
	d->queues_last = q;
	q->space_next = s->queues;
	if (q->space_next)
		q->space_next->space_prev = q;
	s->queues = q;
	q->create.apply = apply_create;
	pump_post(d, &q->create, false);
	pthread_mutex_unlock(&d->lock);
	*out = q;
	return 0;
}

static void apply_destroy(struct driver *d, struct post *post)
{
	struct drv_queue *q = post_owner(post, struct drv_queue, destroy);
	slots_remove(d, q);
	free(q);
}

/* The last reference: no command is left uncovered, and none can name the queue any more. */
static void queue_give_up(struct drv_queue *q)
{
	struct drv_space *s = q->space;
	struct driver *d = s->driver;
	*(q->prev ? &q->prev->next : &d->queues) = q->next;
	if (q->next)
		q->next->prev = q->prev;
	else
		d->queues_last = q->prev;
	*(q->space_prev ? &q->space_prev->space_next : &s->queues) = q->space_next;
	if (q->space_next)
		q->space_next->space_prev = q->space_prev;
	for (unsigned i = 0; i < 2; i++)
		if (q->scratch[i].bo)
			bo_release_locked(q->scratch[i].bo);
	memory_block_free(d, q->block);
	q->destroy.apply = apply_destroy;
	pump_post(d, &q->destroy, false);
	space_unref(s);
}

void queue_unref(struct drv_queue *q)
{
	if (!--q->refs)
		queue_give_up(q);
}

void drv_queue_release(struct drv_queue *q)
{
	if (!q)
		return;
	struct driver *d = q->space->driver;
	driver_lock(d);
	queue_flush_locked(q); /* its commands live on: they must not wait for a flush that nobody can ask for */
	queue_unref(q);
	pthread_mutex_unlock(&d->lock);
}

uint64_t drv_queue_timeline(const struct drv_queue *q) { return queue_block_timeline(q->block); }

/* ---- flush ---- */
static void watch(const struct drv_command *c, int by)
{
	for (unsigned i = 0; i < c->num_waits; i++) {
		struct dep *dep = &c->deps[i];
		uint32_t *counts = dep->kind == DEP_QUEUE ? dep->queue->watch : dep->sem->watch;
		counts[c->queue->device] += (uint32_t)by;
	}
}

/* The commands of one queue, first to last, are the device's from now on. */
static void queue_hand_over(struct driver *d, struct drv_command *first)
{
	struct drv_queue *q = first->queue;
	struct drv_command *c = first;
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
static void apply_flush(struct driver *d, struct post *post)
{
	struct drv_command *first = post_owner(post, struct drv_command, post), *next;
	for (; first; first = next) {
		next = first->group_next; /* the command may be gone afterwards */
		queue_hand_over(d, first);
	}
}

void queue_unwatch(const struct drv_command *c) { watch(c, -1); }

/* Posts what is pending in the queues of a list, one post for all of them. */
static void queues_post(struct drv_queue *list)
{
	struct drv_command *group = NULL, **link = &group;
	for (struct drv_queue *q = list; q; q = q->flush_next) {
		*link = q->pending;
		link = &q->pending->group_next;
		q->pending = NULL;
		q->pending_tail = &q->pending;
	}
	*link = NULL;
	group->post.apply = apply_flush;
	pump_post(list->space->driver, &group->post, true);
	for (struct drv_command *first = group; first; first = first->group_next)
		for (struct drv_command *c = first; c; c = c->next)
			c->post.seq = group->post.seq;
}

/* The queues of a list that have something pending, and what it waits for. */
static void queues_flush(struct drv_queue *const *queues, unsigned count)
{
	struct drv_queue *q = NULL, *stack = NULL, *last = NULL;
	for (unsigned i = 0; i < count; i++) {
		if (!queues[i]->pending || queues[i]->flush_mark)
			continue;
		queues[i]->flush_mark = true;
		queues[i]->flush_next = NULL;
		if (last)
			last->flush_next = queues[i];
		else
			q = queues[i];
		last = queues[i];
	}
	/* breadth first through what the pending commands wait for; of a single queue it is posted the other way
	 * round, so that most waits are over when the device meets them */
	for (struct drv_queue *at = q; at; at = at->flush_next) {
		for (struct drv_command *c = at->pending; c; c = c->next) {
			for (unsigned i = 0; i < c->num_waits; i++) {
				struct drv_queue *on = c->deps[i].kind == DEP_QUEUE ? c->deps[i].queue : NULL;
				if (!on || on->flush_mark || !on->pending)
					continue;
				on->flush_mark = true;
				on->flush_next = NULL;
				last->flush_next = on;
				last = on;
			}
		}
	}
	for (struct drv_queue *at = q; at; at = at->flush_next)
		at->flush_mark = false;
	if (count > 1) {
		if (q)
			queues_post(q);
		return;
	}
	for (struct drv_queue *next; q; q = next) {
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

void queue_flush_locked(struct drv_queue *q) { queues_flush(&q, 1); }

void drv_flush(struct drv_queue *q)
{
	struct driver *d = q->space->driver;
	driver_lock(d);
	queue_flush_locked(q);
	pthread_mutex_unlock(&d->lock);
}

void drv_flush_all(struct drv_queue *const *queues, unsigned count)
{
	struct driver *d = queues[0]->space->driver;
	driver_lock(d);
	queues_flush(queues, count);
	pthread_mutex_unlock(&d->lock);
}

int drv_wait(struct drv_command *c)
{
	NOT_CANCELLED;
	struct drv_queue *q = c->queue;
	struct driver *d = q->space->driver;
	COMPLETIONS_MAY_RUN(d);
	if (pump_is_mine(d))
		return DRV_INVALID;
	PHASE_HERE(WAIT);
	driver_lock(d);
	c->refs++;
	queue_flush_locked(q);
	c->awaited = true;
	while (atomic_load_explicit(&c->state, memory_order_acquire) != COMMAND_RETIRED)
		pump_step(d);
	cover(d, q, c->ordinal);
	cover_finish(d, c->post.seq - 1); /* its own post may still be applied: what its callbacks have posted follows */
	bool lost = c->lost;
	command_unref(c);
	pthread_mutex_unlock(&d->lock);
	return lost ? DRV_DEVICE_LOST : 0;
}
