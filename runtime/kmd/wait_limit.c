/* Waits for semaphores of which no signal is submitted. A command that has stood at such a wait for GALENA_WAIT_LIMIT seconds is ended: its
 * queue is reset, and goes on with the next command; the semaphore stays as it is. The completion threads look once a second, so that time in
 * which the process is stopped does not count. All of it is hardware state; while the lock is held and no thread is at the devices, it stands still. */
#include "abi/environment.h"
#include "base/log.h"
#include "runtime/kmd/fence.h"
#include "runtime/kmd/observe.h"
#include <stdlib.h>

unsigned wait_limit_seconds(void) { return (unsigned)strtoul(environment_value("GALENA_WAIT_LIMIT"), NULL, 0); }

static bool signals(const struct command *c, const struct fence *s, uint64_t value)
{
	for (unsigned i = c->num_waits; i < c->num_waits + c->num_signals; i++)
		if (c->deps[i].fence == s && c->deps[i].value >= value)
			return true;
	return false;
}

/* A command of the queue signals the value. */
static bool queue_signals(const struct queue *q, const struct fence *s, uint64_t value)
{
	for (const struct command *c = q->inflight; c; c = c->next)
		if (signals(c, s, value))
			return true;
	for (const struct command *c = q->backlog; c; c = c->next)
		if (signals(c, s, value))
			return true;
	return false;
}

static bool goes_on(struct driver *, struct queue *);

/* What the command waits for with the packet. */
static struct dep *dep_of(const struct command *c, const union packet *at)
{
	for (unsigned i = 0; i < c->num_waits; i++) {
		struct dep *dep = &c->deps[i];
		if ((dep->kind == DEP_FENCE ? dep->fence->payload.pa : queue_block_timeline(dep->queue->block)) == at->sem_wait.semaphore)
			return dep;
	}
	return NULL;
}

/* The value may be signalled: by a command that may still run, or by the host, which gets no limit for some fences. */
static bool comes(struct driver *d, const struct queue *waits, const struct fence *s, uint64_t value)
{
	if (!s->limited || s->signalled >= value)
		return true;
	for (struct queue *q = d->queues; q; q = q->next)
		if (q != waits && queue_signals(q, s, value) && goes_on(d, q))
			return true;
	return false;
}

/* The queue does not stand, or what it waits for may come. Queues that wait for each other in a circle do not go on. */
static bool goes_on(struct driver *d, struct queue *q)
{
	const union packet *at;
	const struct command *c = slots_standing(d, q, &at);
	if (!c)
		return true;
	if (q->wait_mark)
		return false;
	q->wait_mark = true;
	const struct dep *dep = dep_of(c, at);
	const bool result = !dep || (dep->kind == DEP_FENCE ? comes(d, q, dep->fence, at->sem_wait.value) : goes_on(d, dep->queue));
	q->wait_mark = false;
	return result;
}

bool wait_limit_watches(const struct driver *d, const struct file *f)
{
	if (!d->wait_limit)
		return false;
	for (const struct queue *q = d->queues; q; q = q->next)
		if (q->vm->file == f && (q->inflight || q->backlog))
			return true;
	return false;
}

/* The command that the queue stands at for want of a signal, and the packet with which it waits. */
static struct command *stuck(struct driver *d, struct queue *q, const union packet **at)
{
	return goes_on(d, q) ? NULL : slots_standing(d, q, at);
}

/* A queue of the file whose command has stood for too long, once each. Lock held. */
static struct queue *take_due(struct driver *d, const struct file *f)
{
	for (struct queue *q = d->queues; q; q = q->next) {
		if (q->vm->file != f || q->stood < d->wait_limit)
			continue;
		const union packet *at;
		struct command *c = stuck(d, q, &at);
		q->stood = d->wait_limit - 1; /* it is due at the next tick, if it cannot be ended yet */
		if (!c || c->ordinal != q->stands_at)
			continue;
		/* of a binary semaphore the next signal is for the next wait: the one before it is counted as if there had been a signal */
		struct dep *dep = dep_of(c, at);
		if (!c->unmet && dep->binary && dep->fence->signals + 1 == at->sem_wait.value) {
			dep->value = ++dep->fence->signals;
			c->unmet = dep;
		}
		return q;
	}
	return NULL;
}

static void apply_end(struct driver *d, struct work *work)
{
	struct file *f = work_owner(work, struct file, wait_limit);
	for (struct queue *q;;) {
		driver_lock(d);
		q = take_due(d, f);
		f->wait_limit_queued = q != NULL;
		driver_unlock(d);
		if (!q)
			return;
		if (slots_end_standing(d, q))
			log_write(LOG_ERROR, "device %u: a command is ended, because no signal of the semaphore that it waits for was submitted within %u s; GALENA_WAIT_LIMIT=N sets another limit, 0 none",
				  q->device, d->wait_limit);
	}
}

void wait_limit_tick(struct driver *d, struct file *f)
{
	bool due = false;
	for (struct queue *q = d->queues; q; q = q->next) {
		if (q->vm->file != f)
			continue;
		const union packet *at;
		const struct command *c = stuck(d, q, &at);
		const uint64_t stands_at = c ? c->ordinal : 0;
		q->stood = c && stands_at == q->stands_at ? q->stood + 1 : c != NULL;
		q->stands_at = stands_at;
		due |= q->stood >= d->wait_limit;
	}
	if (!due || f->wait_limit_queued)
		return;
	f->wait_limit_queued = true;
	f->wait_limit = (struct work){ .apply = apply_end };
	work_queue(f, &f->wait_limit);
}
