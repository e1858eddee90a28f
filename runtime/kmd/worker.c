/* The submission worker: takes work items of the files one by one, applies each, and lets the devices run until they are idle. The
 * thread that waits carries it out; the client's completion thread takes what has waited for a while. */
#define _GNU_SOURCE
#include "base/cancel.h"
#include "runtime/kmd/fence.h"
#include "runtime/kmd/observe.h"
#include "runtime/kmd/profile.h"
#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* How long work may wait before the completion thread takes it: to wake it costs more than a short command does, so an application
 * that submits and waits at once must not pay for that more than once a period. A thread without work sleeps: an idle process does
 * not run. */
enum { PERIOD_NS = 250000, BACK_OFF_NS = 16000000, TICK_NS = 1000000000, MANY_FOLLOWS = 4096, MANY_LIGHT = 16 };
#define NEVER_NS (1000000ull * 1000000000)

/* This thread is at the devices no more; when the process ends, it goes no further. Lock held. */
static void devices_done(struct driver *d)
{
	d->running = false;
	if (!d->exiting)
		return;
	pthread_cond_broadcast(&d->changed);
	driver_stay(d);
}

bool file_delivers(const struct file *f) { return f->delivering && pthread_equal(f->deliverer, pthread_self()); }

/* ---- work items; lock held ---- */
static void wake_server(struct file *f)
{
	f->server_sleeps = f->server_backs_off = false; /* once is enough */
	sem_post(f->wake);
}

void work_queue(struct file *f, struct work *work)
{
	work->next = NULL;
	work->order = ++f->driver->queued;
	const bool follows = file_delivers(f) || (f->driver->running && pthread_equal(f->driver->runner, pthread_self()));
	if (follows && f->current) {
		/* what the handler of a completion queues follows at once, before what other threads may have queued meanwhile, so
		 * that its place does not depend on when they did */
		work->seq = f->current;
		*f->follow_tail = work;
		f->follow_tail = &work->next;
		return;
	}
	work->seq = ++f->queued;
	*f->tail = work;
	f->tail = &work->next;
	if (f->server_sleeps || f->server_backs_off)
		wake_server(f);
	else if (!f->served && f->driver->waiters && !f->driver->running) /* who waits does it */
		pthread_cond_broadcast(&f->driver->changed);
}

/* The first item, or the first few if they are light: a thread that queues meanwhile would have to wait for the lock twice for each. */
static struct work *take_items(struct file *f)
{
	struct work *first = f->head, *last = first;
	for (unsigned n = 1; n < MANY_LIGHT && !f->driver->shared && last->light && last->next && last->next->light; n++)
		last = last->next;
	f->head = last->next;
	if (!f->head)
		f->tail = &f->head;
	last->next = NULL;
	f->current = last->seq;
	f->follows = 0;
	return first;
}

static struct work *take_follow(struct file *f)
{
	struct work *work = f->follow;
	if (++f->follows == MANY_FOLLOWS) {
		/* Handlers that queue for ever: other threads have their turn in between, at the price of an order that depends on
		 * when they queued. */
		*f->tail = work;
		f->tail = f->follow_tail;
		for (struct work *w = work; w; w = w->next)
			w->seq = ++f->queued;
		f->follow = NULL;
		f->follow_tail = &f->follow;
		return NULL;
	}
	f->follow = work->next;
	if (!f->follow)
		f->follow_tail = &f->follow;
	work->next = NULL;
	return work;
}

/* Lock held, dropped meanwhile. */
static void apply(struct driver *d, struct work *items)
{
	d->running = true;
	d->runner = pthread_self();
	d->at_rest = false;
	d->cursor = DRIVER_MAX_DEVICES;
	driver_unlock(d);
	for (struct work *next; items; items = next) {
		next = items->next;
		items->apply(d, items);
	}
	driver_lock(d);
	devices_done(d);
}

static void item_over(struct driver *d, struct file *f)
{
	f->applied = f->current;
	f->current = 0;
	d->busy_files--;
	for (unsigned i = 0; i < d->num_devices; i++)
		d->devices[i].settled = d->devices[i].rest_cycle;
	if (d->waiters)
		pthread_cond_broadcast(&d->changed);
}

/* ---- devices; lock held ---- */
static bool device_busy(const struct device *dev) { return dev->active || dev->in_run; }

/* The one that is to run: each in turn runs until it is idle. NULL: all are. */
static struct device *device_next(struct driver *d)
{
	if (d->cursor < d->num_devices && device_busy(&d->devices[d->cursor]) && d->devices[d->cursor].in_run)
		return &d->devices[d->cursor];
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = pass || d->cursor >= d->num_devices ? 0 : d->cursor + 1; i < d->num_devices; i++)
			if (device_busy(&d->devices[i])) {
				d->cursor = i;
				return &d->devices[i];
			}
	return NULL;
}

/* Dropped meanwhile. */
static void run_slice(struct driver *d, struct device *dev)
{
	if (!dev->in_run)
		dev->active = false;
	dev->in_run = true;
	d->running = true;
	d->runner = pthread_self();
	driver_unlock(d);
	const bool idle = !device_run(d, dev);
	if (idle)
		dev->rest_cycle = bus_cycle(dev->bus);
	driver_lock(d);
	for (struct file *f = d->files; f; f = f->next)
		if (f->idlers && !f->idle && (f->idle = slots_file_idle(d, f)))
			pthread_cond_broadcast(&d->changed);
	dev->in_run = !idle;
	for (struct queue_block *b; idle && (b = dev->leaving);) {
		dev->leaving = b->next_free;
		memory_block_free(d, b);
	}
	devices_done(d);
}

/* Nothing is active: queues that have no slot may take those of queues that cannot go on. */
static void schedule_at_rest(struct driver *d)
{
	bool any = false;
	for (unsigned i = 0; i < d->num_devices; i++) {
		slots_schedule(d, i, true);
		any |= d->devices[i].active;
	}
	d->cursor = DRIVER_MAX_DEVICES;
	d->at_rest = !any;
}

/* The file's completions have to be handled first. */
static bool file_blocked(const struct file *f) { return f->ended || f->delivering; }

/* Nothing of the file's can go on. While other files keep the devices busy, its queues tell. */
static bool file_idle(const struct driver *d, const struct file *f)
{
	return d->at_rest || (d->busy_files > 1 && slots_file_idle(d, f));
}

static bool follow_first(const struct file *f)
{
	return f->follow && (!f->driver->shared || !f->head || f->follow->order < f->head->order);
}

/* Whose item was queued first. What one file has given back (page frame numbers, address space identifiers, pages of tables) another may
 * have taken: items are applied in the order in which they were queued, whichever file's they are, also while what the file had queued before
 * is still carried out, or its completions wait for the client. */
static struct file *first_queued(const struct driver *d)
{
	struct file *first = NULL;
	uint64_t order = UINT64_MAX;
	for (struct file *f = d->files; f; f = f->next) {
		const struct work *w = follow_first(f) ? f->follow : f->head;
		if (w && w->order < order) {
			order = w->order;
			first = f;
		}
	}
	return first;
}

static void apply_next(struct driver *d, struct file *f)
{
	if (d->shared)
		f = first_queued(d);
	if (!f->current)
		d->busy_files++;
	struct work *items = follow_first(f) ? take_follow(f) : take_items(f);
	if (items)
		apply(d, items);
}

/* One step of the work of a file, without the devices' own. last: nothing else can go on, so that one without a completion thread does not
 * wait for its client, which may wait for it by another file. Lock held, dropped meanwhile. */
static bool file_step(struct driver *d, struct file *f, bool last)
{
	if (last ? f->served || f->delivering : file_blocked(f))
		return false;
	if (f->current ? f->follow && file_idle(d, f) : f->head != NULL) {
		apply_next(d, f);
		return true;
	}
	if (!f->current || !file_idle(d, f))
		return false;
	item_over(d, f);
	return true;
}

static bool others_step(struct driver *d, const struct file *caller, bool last)
{
	for (struct file *f = d->files; f; f = f->next)
		if (f != caller && file_step(d, f, last))
			return true;
	return false;
}

/* One step of what there is to do. The devices wait while completions of the caller's file do. False: there is nothing, or another
 * thread is at it. Lock held, dropped meanwhile. */
static bool step(struct driver *d, struct file *caller)
{
	if (d->running || file_blocked(caller) || d->closing)
		return false;
	PHASE_HERE(DRIVER);
	if (file_step(d, caller, false) || others_step(d, caller, false))
		return true;
	struct device *dev = device_next(d);
	if (dev)
		run_slice(d, dev);
	else if (!d->at_rest)
		schedule_at_rest(d);
	else
		return others_step(d, caller, true);
	return true;
}

/* ---- completions; lock held ---- */
void completion_add(struct file *f, struct ended *e)
{
	e->next = NULL;
	*f->ended_tail = e;
	f->ended_tail = &e->next;
	if (f->abandoned)
		completions_drop(f);
	else if (f->server_sleeps)
		wake_server(f);
}

static void event_fill(struct kmd_event *out, const struct ended *e)
{
	const struct command *c = e->command;
	*out = (struct kmd_event){ .cookie = e->cookie };
	if (!c)
		return;
	out->value = c->ordinal;
	out->queue = c->queue->handle;
	out->completion = c->completion;
	out->has_fault = c->fault != NULL;
	out->import = c->unmapped;
	if (c->fault)
		out->fault = *c->fault;
}

/* Hands the completions to the caller, who has them until completions_done(). */
static int completions_take(struct file *f, struct kmd_wait *w)
{
	struct kmd_event *events = (struct kmd_event *)(uintptr_t)w->events;
	unsigned n = 0;
	for (struct ended *e; n < KMD_EVENTS_MAX && (e = f->ended); n++) {
		f->ended = e->next;
		event_fill(&events[n], e);
		f->delivered[n] = e->command;
		if (!e->command)
			free(e); /* a mark */
	}
	if (!f->ended)
		f->ended_tail = &f->ended;
	f->num_delivered = w->num_events = n;
	f->delivering = true;
	f->deliverer = pthread_self();
	return KMD_EVENTS;
}

/* Together: a command must not be seen to have ended before what it waited for. */
static void completions_done(struct driver *d, struct file *f)
{
	for (unsigned i = 0; i < f->num_delivered; i++)
		if (f->delivered[i])
			atomic_store_explicit(&f->delivered[i]->state, COMMAND_RETIRED, memory_order_release);
	f->num_delivered = 0;
	f->delivering = false;
	if (d->waiters)
		pthread_cond_broadcast(&d->changed);
}

/* ---- waiting ---- */
static void sleep_until_changed(struct driver *d)
{
	PHASE_HERE(SLEEP);
	d->waiters++;
	pthread_cond_wait(&d->changed, &d->lock);
	d->waiters--;
	driver_stay(d);
}

/* What is waited for has come about. */
static bool reached(const struct driver *d, const struct file *f, const struct kmd_wait *w, const struct queue *q, const struct fence *fence)
{
	if (fence)
		return fence_reached(fence, w->value);
	if (w->flags & KMD_WAIT_POINT)
		return queue_retired(q, w->value);
	if (f->applied < w->ticket)
		return false;
	if (!(w->flags & KMD_WAIT_IDLE) || w->flags & KMD_WAIT_EXIT)
		return true;
	if (f->delivering)
		return false; /* another thread handles what has ended */
	/* work of other files may let commands of this one go on */
	return !d->shared || d->at_rest || (d->running ? f->idle : slots_file_idle(d, f));
}

static void see_times(struct driver *d)
{
	for (unsigned i = 0; i < d->num_devices; i++)
		if (d->devices[i].settled > d->devices[i].seen)
			d->devices[i].seen = d->devices[i].settled;
}

/* The client has seen what has ended. */
static void covered(struct driver *d, struct file *f, const struct kmd_wait *w, struct queue *q)
{
	if (q) {
		const struct command *c = queue_command(q, w->value);
		const uint64_t seq = c ? c->work.seq - 1 : 0; /* its own item may still be applied: what its handlers queued follows */
		cover(d, q, w->value);
		cover_finish(f, seq);
	} else if (w->flags & KMD_WAIT_IDLE && !(w->flags & KMD_WAIT_EXIT)) { /* at exit nothing is given back: that would be work */
		cover_all_ended(f);
		cover_finish(f, w->ticket);
		see_times(d);
		throttle_reset(f);
	}
}

static bool has_work(const struct file *f) { return f->head || f->current || f->ended; }

/* Lock held. A thread of the application's waits for a device, or runs one. */
static bool threads_inside(const struct driver *d) { return d->waiters || (d->running && !d->server_runs); }

static int wait_for(struct driver *d, struct file *f, struct kmd_wait *w, struct queue *q, struct fence *fence)
{
	const bool idler = w->flags & KMD_WAIT_IDLE && d->shared;
	f->waiters++;
	f->waits++;
	f->idlers += idler;
	f->idle = false;
	int result = 0;
	for (;;) {
		if (f->gone) {
			result = KMD_DEVICE_LOST;
			break;
		}
		if (f->ended && !f->delivering) {
			result = completions_take(f, w);
			break;
		}
		const bool over = reached(d, f, w, q, fence);
		if (over && (!f->current || d->running || file_blocked(f)))
			break; /* otherwise the item is carried out to its end first */
		if (step(d, f))
			continue;
		if (over)
			break;
		if (d->closing || (w->flags & KMD_WAIT_EXIT && threads_inside(d))) {
			result = KMD_DEVICE_LOST;
			break;
		}
		sleep_until_changed(d);
	}
	f->waiters--;
	f->idlers -= idler;
	if (f->server_backs_off && has_work(f))
		wake_server(f); /* it goes on with what this thread leaves */
	if (!result)
		covered(d, f, w, q);
	if (d->waiters) /* they go on with what this thread leaves */
		pthread_cond_broadcast(&d->changed);
	return result;
}

/* ---- the completion thread ---- */
/* Lock held, dropped meanwhile: until there is work, at most so long. False: there is none. */
static bool sleep_for(struct driver *d, struct file *f, uint64_t ns)
{
	PHASE_HERE(SLEEP);
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	ns += (uint64_t)t.tv_nsec;
	t.tv_sec += (time_t)(ns / 1000000000);
	t.tv_nsec = (long)(ns % 1000000000);
	driver_unlock(d);
	const bool woken = !sem_clockwait(f->wake, CLOCK_MONOTONIC, &t) || errno != ETIMEDOUT;
	driver_lock(d);
	return woken;
}

/* There is no work: until there is, or `galena top` asks. Commands of the file that wait are looked at once a second. */
static void sleep_idle(struct driver *d, struct file *f)
{
	const bool watches = d->running ? f->uncovered && d->wait_limit : wait_limit_watches(d, f);
	f->server_sleeps = true;
	const bool woken = sleep_for(d, f, watches ? TICK_NS : NEVER_NS);
	f->server_sleeps = false;
	if (d->running) /* the lock keeps others from running the devices */
		return;
	if (d->publisher)
		publish_tick(d);
	if (!woken && (d->at_rest || slots_file_idle(d, f)))
		wait_limit_tick(d, f);
}

/* While one thread waits all the time, and carries the work out, each sleep is twice as long as the one before: where all processors run the model,
 * waking takes one from it. */
static void back_off(struct driver *d, struct file *f, uint64_t *waits, uint64_t *ns)
{
	const bool waits_on = f->waiters && f->waits == *waits;
	*ns = !waits_on ? PERIOD_NS : *ns < BACK_OFF_NS ? 2 * *ns : BACK_OFF_NS;
	*waits = f->waits;
	f->server_backs_off = *ns > PERIOD_NS;
	sleep_for(d, f, *ns);
	f->server_backs_off = false;
}

static int serve(struct driver *d, struct file *f, struct kmd_wait *w)
{
	uint64_t waits = 0, ns = PERIOD_NS;
	f->served = true;
	while (!f->stopping && !f->gone && !d->closing) {
		if (f->ended && !f->delivering)
			return completions_take(f, w);
		const bool due = f->current || (f->head && (f->kicked || f->head->seq <= f->due));
		if (due) {
			d->server_runs = true;
			const bool stepped = step(d, f);
			d->server_runs = false;
			if (d->waiters) /* one of them may have found the devices taken */
				pthread_cond_broadcast(&d->changed);
			if (stepped)
				continue;
		}
		f->kicked = false;
		f->due = f->queued;
		if (has_work(f)) {
			back_off(d, f, &waits, &ns);
			continue;
		}
		sleep_idle(d, f);
	}
	return KMD_DEVICE_LOST;
}

/* Exactly one kind of wait. */
static bool kind_valid(unsigned flags)
{
	if ((flags & KMD_WAIT_EXIT) && !(flags & KMD_WAIT_IDLE))
		return false;
	flags &= ~(unsigned)KMD_WAIT_EXIT;
	return flags == KMD_WAIT_POINT || flags == KMD_WAIT_IDLE || flags == KMD_WAIT_TICKET || flags == KMD_WAIT_SERVE || flags == KMD_WAIT_BEHIND;
}

/* The lock, if it can be had: a handler of a signal may have interrupted this thread while it had it, or was
 * at the devices. */
static bool lock_at_exit(struct driver *d)
{
	enum { PATIENCE_MS = 1000 };
	for (unsigned i = 0; i < PATIENCE_MS; i++) {
		if (!pthread_mutex_trylock(&d->lock)) {
			if (!d->running || !pthread_equal(d->runner, pthread_self()))
				return true;
			driver_unlock(d);
			return false;
		}
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	return false;
}

/* For a value of a queue's fence, for a command, or for a value of another fence. */
static int wait_point(struct driver *d, struct file *f, struct kmd_wait *w)
{
	const struct command *c = handle_get(f, w->fence, HANDLE_COMMAND);
	struct queue *q = c ? c->queue : handle_get(f, w->fence, HANDLE_TIMELINE);
	struct fence *fence = q ? NULL : fence_point(f, w->fence, &w->value);
	int error;
	if (c)
		w->value = c->ordinal;
	if (!q && !fence)
		return KMD_BAD_HANDLE;
	if (q && w->value > q->submitted)
		return KMD_INVALID;
	if (q) {
		q->refs++;
		queue_flush_locked(q);
		error = wait_for(d, f, w, q, NULL);
		queue_unref(q);
		return error;
	}
	fence->refs++;
	error = wait_for(d, f, w, NULL, fence);
	if (!error && fence_status(fence))
		error = KMD_FENCE_FAILED;
	fence_unref(fence);
	return error;
}

int ioctl_wait(struct file *f, struct kmd_wait *w)
{
	NOT_CANCELLED;
	struct driver *d = f->driver;
	int error = 0;
	if (!kind_valid(w->flags))
		return KMD_INVALID;
	if (!w->events)
		return KMD_BAD_ADDRESS;
	if (!(w->flags & KMD_WAIT_EXIT))
		file_lock(f);
	else if (!lock_at_exit(d))
		return KMD_DEVICE_LOST;
	d->caller = f;
	if (file_delivers(f)) {
		if (!w->num_events) {
			driver_unlock(d);
			return KMD_BUSY;
		}
		completions_done(d, f);
	}
	w->num_events = 0;
	if (w->flags & KMD_WAIT_SERVE) {
		error = serve(d, f, w);
	} else if (w->flags & KMD_WAIT_POINT) {
		error = wait_point(d, f, w);
	} else {
		if (w->flags & KMD_WAIT_IDLE && !w->ticket)
			w->ticket = f->queued;
		if (w->flags & KMD_WAIT_TICKET)
			w->ticket = w->value;
		if (w->flags & KMD_WAIT_BEHIND && !w->ticket && f->queued > MANY_BEHIND)
			w->ticket = f->queued - MANY_BEHIND;
		error = w->ticket > f->queued ? KMD_INVALID : wait_for(d, f, w, NULL, NULL);
	}
	driver_unlock(d);
	return error;
}

struct mark {
	struct work work;
	struct file *file;
	struct ended *ended;
};

static void apply_mark(struct driver *d, struct work *work)
{
	struct mark *m = work_owner(work, struct mark, work);
	HOLDING_DRIVER(d);
	completion_add(m->file, m->ended);
	free(m);
}

int ioctl_mark(struct file *f, struct kmd_mark *a)
{
	struct mark *m = calloc(1, sizeof *m);
	struct ended *e = calloc(1, sizeof *e);
	if (!m || !e) {
		free(m);
		free(e);
		return KMD_NO_MEMORY;
	}
	e->cookie = a->cookie;
	*m = (struct mark){ .work.apply = apply_mark, .file = f, .ended = e };
	HOLDING_FILE(f);
	work_queue(f, &m->work);
	return 0;
}

/* ---- a file whose client has gone ---- */
void completions_drop(struct file *f)
{
	for (struct ended *e; (e = f->ended);) {
		f->ended = e->next;
		if (e->command)
			atomic_store_explicit(&e->command->state, COMMAND_RETIRED, memory_order_release);
		else
			free(e);
	}
	f->ended_tail = &f->ended;
	completions_done(f->driver, f);
}

int ioctl_kick(struct file *f, struct kmd_kick *k)
{
	HOLDING_FILE(f);
	k->there = f->served;
	f->kicked = has_work(f); /* one that is about to serve sees it, too */
	if (f->kicked && f->served)
		wake_server(f);
	return 0;
}

int ioctl_stop(struct file *f, struct kmd_none *none)
{
	(void)none;
	HOLDING_FILE(f);
	f->stopping = true;
	wake_server(f);
	return 0;
}

void worker_pause(struct driver *d)
{
	while (d->running)
		sleep_until_changed(d);
}

/* Nothing is given to the devices any more: applies what is left, in this thread. Lock held. */
void worker_drain(struct driver *d)
{
	for (struct file *f = d->files; f; f = f->next) {
		while (f->follow || f->head) {
			struct work *first = f->follow ? take_follow(f) : take_items(f);
			if (first)
				apply(d, first);
		}
	}
}

/* Commands of the file that wait for what never comes are given up. False: there are none, or the file is still at work. */
static bool give_up_blocked(struct driver *d, const struct file *f)
{
	bool any = false;
	if (d->running || !(d->at_rest || slots_file_idle(d, f)))
		return false;
	for (struct queue *q = d->queues; q; q = q->next) {
		if (q->vm->file != f || !(q->inflight || q->backlog))
			continue;
		any = true;
		d->running = true;
		d->runner = pthread_self();
		driver_unlock(d);
		slots_abandon(d, q, -FAULT_ABORTED);
		driver_lock(d);
		devices_done(d);
	}
	return any;
}

void worker_finish(struct file *f)
{
	struct driver *d = f->driver;
	for (;;) {
		cover_all_ended(f);
		cover_finish(f, f->applied);
		if (!f->head && !f->current && !f->objects)
			return;
		if (step(d, f) || give_up_blocked(d, f))
			continue;
		if (d->closing)
			return;
		sleep_until_changed(d);
	}
}

/* ---- the end of the process ---- */

bool worker_seize(struct driver *d)
{
	enum { PATIENCE_S = 5 };
	struct timespec until;
	int error = 0;
	if (!lock_at_exit(d))
		return false;
	d->exit_thread = pthread_self();
	d->exiting = true;
	if (threads_inside(d))
		d->closing = true; /* not even what runs now goes on to its end */
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PATIENCE_S;
	d->waiters++;
	while (d->running && !error)
		error = pthread_cond_clockwait(&d->changed, &d->lock, CLOCK_MONOTONIC, &until);
	d->waiters--;
	driver_unlock(d);
	return !error;
}
