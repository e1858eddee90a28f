/* The pump: takes posted items one by one, applies each to devices at rest, and lets them run until
 * nothing more can happen. Whoever waits pumps. The thread takes what has lain about for a while. */
#define _GNU_SOURCE
#include "base/cancel.h"
#include "runtime/driver/internal.h"
#include "runtime/driver/profile.h"
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* How long posted work may lie about before the thread takes it, and for how many such ticks the thread looks for more before it
 * sleeps: waking it costs more than a short command does, so an application that posts and waits at once must not pay for
 * that. A sleeping thread wakes up for work alone: an idle process does not run. */
enum { TICK_NS = 250000, TICKS_AWAKE = 200, MANY_POSTS = 256, MANY_FOLLOWS = 4096, MANY_LIGHT = 16, LOOKS = 40 };
#define NEVER_NS (1000000ull * 1000000000)

static _Thread_local struct driver *pumping_here;

bool pump_is_mine(struct driver *d) { return pumping_here == d; }

int pump_init(struct driver *d)
{
	pthread_condattr_t attr;
	d->tail = &d->head;
	d->follow_tail = &d->follow;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, &attr);
	pthread_condattr_destroy(&attr);
	sem_init(&d->own_work, 0, 0);
	d->work = &d->own_work;
	return 0;
}

/* The process ends, and the devices with it: other threads stay where they are. Lock held. */
static void stay(struct driver *d)
{
	if (!d->exiting || pump_is_mine(d) || pthread_equal(d->exit_thread, pthread_self()))
		return;
	pthread_mutex_unlock(&d->lock);
	for (;;)
		pause();
}

void driver_lock(struct driver *d)
{
	unsigned looks = 0;
	while (looks < LOOKS && pthread_mutex_trylock(&d->lock)) {
		sched_yield();
		looks++;
	}
	if (looks == LOOKS)
		pthread_mutex_lock(&d->lock);
	stay(d);
}

void pump_fini(struct driver *d)
{
	sem_destroy(&d->own_work);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
}

/* Lock held. */
static void wake_thread(struct driver *d)
{
	d->thread_sleeps = false; /* once is enough */
	sem_post(d->work);
}

void pump_post(struct driver *d, struct post *post, bool urgent)
{
	post->next = NULL;
	if (pump_is_mine(d)) {
		/* what a callback posts follows at once, before what others may have posted meanwhile, so
		 * that its place does not depend on when they did */
		post->seq = d->running;
		*d->follow_tail = post;
		d->follow_tail = &post->next;
		return;
	}
	post->seq = ++d->posted;
	*d->tail = post;
	d->tail = &post->next;
	if (d->thread_stops || !d->booted)
		return;
	if (d->thread_sleeps)
		wake_thread(d);
	else if (!d->thread_started && (urgent || d->posted - d->applied >= MANY_POSTS)) /* maps ride along with the first flush */
		pump_start_thread(d);
}

static void run_to_rest(struct driver *d)
{
	for (bool any = true; any && !d->closing;) {
		any = false;
		for (unsigned i = 0; i < d->num_devices; i++) {
			struct device *dev = &d->devices[i];
			if (!dev->active)
				continue;
			dev->active = false;
			device_run(d, dev);
			dev->rest_cycle = bus_cycle(dev->bus);
			any = true;
		}
		if (any)
			continue;
		for (unsigned i = 0; i < d->num_devices; i++) {
			slots_schedule(d, i, true);
			any |= d->devices[i].active;
		}
	}
}

/* Lock held, nobody pumps, something is posted: takes the first post, or the first few if they are light: whoever
 * posts meanwhile would have to wait for the lock, or to wake this thread, twice for each. */
static struct post *take_posts(struct driver *d)
{
	struct post *first = d->head, *last = first;
	for (unsigned n = 1; n < MANY_LIGHT && last->light && last->next && last->next->light; n++)
		last = last->next;
	d->head = last->next;
	if (!d->head)
		d->tail = &d->head;
	last->next = NULL;
	return first;
}

/* The same. */
static void pump_some(struct driver *d)
{
	struct post *post = take_posts(d);
	unsigned follows = 0;
	d->pumping = true;
	d->running = post->seq;
	pthread_mutex_unlock(&d->lock);
	PHASE_HERE(DRIVER);
	pumping_here = d;
	for (struct post *next; (next = post->next); post = next) {
		post->apply(d, post);
		d->running = next->seq;
	}
	const uint64_t seq = post->seq;
	do {
		post->apply(d, post);
		run_to_rest(d);
		driver_lock(d);
		if (d->follow && ++follows == MANY_FOLLOWS) {
			/* Callbacks that post for ever: others have their turn in between, at the price of an order
			 * that depends on when they posted. */
			*d->tail = d->follow;
			d->tail = d->follow_tail;
			for (struct post *p = d->follow; p; p = p->next)
				p->seq = ++d->posted;
			d->follow = NULL;
			d->follow_tail = &d->follow;
		}
		post = d->follow;
		if (post) {
			d->follow = post->next;
			if (!d->follow)
				d->follow_tail = &d->follow;
			pthread_mutex_unlock(&d->lock);
		}
	} while (post);
	pumping_here = NULL;
	d->pumping = false;
	d->applied = seq;
	for (unsigned i = 0; i < d->num_devices; i++)
		d->devices[i].settled = d->devices[i].rest_cycle;
	if (d->waiters)
		pthread_cond_broadcast(&d->changed);
}

void pump_step(struct driver *d)
{
	NOT_CANCELLED;
	if (!d->pumping && d->head) {
		pump_some(d);
		return;
	}
	PHASE_HERE(SLEEP);
	d->waiters++;
	pthread_cond_wait(&d->changed, &d->lock);
	d->waiters--;
	stay(d);
}

void pump_sync_locked(struct driver *d)
{
	uint64_t target = d->posted;
	while (d->applied < target)
		pump_step(d);
	cover_all_ended(d);
	cover_finish(d, target);
	for (unsigned i = 0; i < d->num_devices; i++)
		if (d->devices[i].settled > d->devices[i].seen)
			d->devices[i].seen = d->devices[i].settled;
}

void drv_sync(struct driver *d)
{
	COMPLETIONS_MAY_RUN(d);
	if (pump_is_mine(d))
		return;
	PHASE_HERE(WAIT);
	driver_lock(d);
	pump_sync_locked(d);
	pthread_mutex_unlock(&d->lock);
}

struct call {
	struct post post;
	void (*fn)(struct driver *, void *);
	void *arg;
};

static void apply_call(struct driver *d, struct post *post)
{
	struct call *c = post_owner(post, struct call, post);
	c->fn(d, c->arg);
}

void pump_call(struct driver *d, void (*fn)(struct driver *, void *), void *arg)
{
	struct call c = { .post.apply = apply_call, .fn = fn, .arg = arg };
	COMPLETIONS_MAY_RUN(d);
	if (pump_is_mine(d)) {
		fn(d, arg);
		return;
	}
	driver_lock(d);
	pump_post(d, &c.post, false);
	while (d->applied < c.post.seq)
		pump_step(d);
	pthread_mutex_unlock(&d->lock);
}

struct posted_call {
	struct post post;
	void (*fn)(void *);
	void *arg;
};

static void apply_posted_call(struct driver *d, struct post *post)
{
	struct posted_call *c = post_owner(post, struct posted_call, post);
	(void)d;
	c->fn(c->arg);
	free(c);
}

int drv_post(struct driver *d, void (*fn)(void *), void *arg)
{
	struct posted_call *c = malloc(sizeof *c);
	if (!c)
		return DRV_NO_MEMORY;
	*c = (struct posted_call){ .post.apply = apply_posted_call, .fn = fn, .arg = arg };
	driver_lock(d);
	pump_post(d, &c->post, true);
	pthread_mutex_unlock(&d->lock);
	return 0;
}

/* ---- the thread ---- */
/* Lock held, dropped meanwhile: until there is work, at most so long. False when that has passed. */
static bool doze(struct driver *d, uint64_t ns)
{
	PHASE_HERE(SLEEP);
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	ns += (uint64_t)t.tv_nsec;
	t.tv_sec += (time_t)(ns / 1000000000);
	t.tv_nsec = (long)(ns % 1000000000);
	pthread_mutex_unlock(&d->lock);
	bool woken = !sem_clockwait(d->work, CLOCK_MONOTONIC, &t);
	driver_lock(d);
	return woken;
}

static void *pump_thread(void *arg)
{
	struct driver *d = arg;
	unsigned quiet = 0;
	driver_lock(d);
	while (!d->thread_stops) {
		ahead_bring(d);
		uint64_t mark = d->posted;
		if (!d->head && quiet >= TICKS_AWAKE) {
			d->thread_sleeps = true;
			doze(d, NEVER_NS); /* until there is work, or `galena top` asks */
			d->thread_sleeps = false;
			if (d->publisher && !d->pumping)
				publish_tick(d); /* the lock keeps others from pumping */
			quiet = d->head ? 0 : quiet;
			continue;
		}
		quiet = d->head ? 0 : quiet + 1;
		if (!d->hurry)
			doze(d, TICK_NS);
		while (!d->thread_stops && !d->pumping && d->head && (d->hurry || d->head->seq <= mark)) {
			d->thread_pumps = true;
			pump_some(d);
			d->thread_pumps = false;
			ahead_bring(d);
		}
		d->hurry = false;
	}
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

void pump_start_thread(struct driver *d)
{
	sigset_t all, old;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are the application's */
	/* without a thread, work that nobody waits for is done at the next wait or sync */
	d->thread_started = !pthread_create(&d->thread, NULL, pump_thread, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (d->thread_started)
		pthread_setname_np(d->thread, "galena-pump");
}

void pump_look_ahead(struct driver *d)
{
	if (d->thread_sleeps && pins_low(&d->pins))
		wake_thread(d);
}

bool drv_hurry(struct driver *d)
{
	driver_lock(d);
	const bool there = d->thread_started;
	if (d->head && there) {
		d->hurry = true;
		wake_thread(d);
	}
	pthread_mutex_unlock(&d->lock);
	return there;
}

void pump_stop_thread(struct driver *d, bool at_once)
{
	driver_lock(d);
	d->thread_stops = true;
	if (at_once)
		d->closing = true;
	bool started = d->thread_started;
	d->thread_started = false;
	wake_thread(d);
	pthread_mutex_unlock(&d->lock);
	if (started)
		pthread_join(d->thread, NULL);
}

/* Applies what is left of the posts, in this thread. */
void pump_drain(struct driver *d)
{
	driver_lock(d);
	while (d->head && !d->pumping)
		pump_some(d);
	pthread_mutex_unlock(&d->lock);
}

/* ---- the end of the process ---- */

/* The lock, if it can be had: a handler of a signal may have interrupted this thread while it had it. */
static bool lock_at_exit(struct driver *d)
{
	enum { PATIENCE_MS = 1000 };
	if (pump_is_mine(d))
		return false;
	for (unsigned i = 0; i < PATIENCE_MS; i++) {
		if (!pthread_mutex_trylock(&d->lock))
			return true;
		clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	return false;
}

/* Lock held. A thread of the application's waits for a device, or runs one. */
static bool threads_inside(const struct driver *d) { return d->waiters || (d->pumping && !d->thread_pumps); }

void pump_finish(struct driver *d)
{
	if (!lock_at_exit(d))
		return;
	const uint64_t target = d->posted;
	while (!threads_inside(d) && d->applied < target)
		pump_step(d);
	pthread_mutex_unlock(&d->lock);
}

bool pump_seize(struct driver *d)
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
	while (d->pumping && !error)
		error = pthread_cond_clockwait(&d->changed, &d->lock, CLOCK_MONOTONIC, &until);
	d->waiters--;
	while (!error && !d->closing && d->head)
		pump_some(d);
	pthread_mutex_unlock(&d->lock);
	return !error;
}
