/* Jobs are claimed one by one from a word that holds the round and which jobs nobody has begun, so a thread that comes
 * late finds nothing of an earlier round. Jobs are begun in their order. Each thread has its own, for which its
 * caches have what they need; those of another one that sleeps, or is not scheduled, it does after a
 * moment. Quanta follow each other within microseconds: a helper looks for the next round for a while before it sleeps.
 *
 * Where others want the processors a helper may be stopped in the middle of a job, and where jobs wait for each other
 * there is little to share. Both show as a round that is spent waiting: then no helpers are asked for many times as
 * long, so that little is lost by them. What is computed does not depend on it. */
#define _GNU_SOURCE
#include "model/workers.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum {
	SPIN_IDLE = 2000, /* looks for work before sleeping: some 50 us */
	SPIN_LATE = 1000,  /* looks whether another thread begins its job before doing it: some 25 us */
	SPIN_WAIT = 2000,  /* looks for the end of a job before giving the processor away */
	STACK_BYTES = 1 << 20,
	ALONE = 16, /* times as long as was waited for nothing, no helpers are asked */
};

/* The word: round << 16 | jobs that nobody has begun. */
static uint32_t word_jobs(uint64_t w) { return (uint32_t)w & ((1u << WORKERS_MAX_JOBS) - 1); }
static uint64_t word_round(uint64_t w) { return w >> WORKERS_MAX_JOBS; }

struct workers {
	void *block; /* that it lies in */
	void (*job)(void *ctx, unsigned number);
	void *ctx;
	unsigned helpers, wanted;
	unsigned forks; /* of the process when they were started: in a forked child they are not there */
	struct helper {
		struct workers *workers;
		unsigned number; /* the caller is 0 */
		pthread_t thread;
	} helper[WORKERS_MAX_JOBS];
	uint32_t jobs; /* of the round */
	/* a helper sleeps when it has seen, under the lock, that there is nothing to do */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	uint64_t alone_until; /* the host's time until which rounds are better done without them */
	unsigned sleepers;
	bool stop;
	uint64_t waited; /* nanoseconds in this round, all threads */
	uint64_t word __attribute__((aligned(64)));
	struct {
		uint64_t ended __attribute__((aligned(64))); /* the last round in which this job ended */
	} slot[WORKERS_MAX_JOBS];
};

static unsigned forks;
static pthread_once_t forks_once = PTHREAD_ONCE_INIT;
static void forked(void) { forks++; }
static void forks_watch(void) { pthread_atfork(NULL, NULL, forked); }

static inline void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* The jobs that are a thread's own. */
static uint32_t own_jobs(const struct workers *k, unsigned thread)
{
	uint32_t own = 0;

	for (unsigned i = thread; i < WORKERS_MAX_JOBS; i += k->wanted + 1)
		own |= 1u << i;
	return own;
}

/* Does the first job that nobody has begun; false when there is none. That of another thread is left to it for a while. */
static bool work(struct workers *k, uint32_t own)
{
	uint64_t w = __atomic_load_n(&k->word, __ATOMIC_ACQUIRE);
	unsigned late = 0;

	while (word_jobs(w)) {
		uint32_t bit = word_jobs(w) & -word_jobs(w);
		unsigned number = (unsigned)__builtin_ctz(bit);

		if (!(bit & own) && late++ < SPIN_LATE) {
			relax();
			w = __atomic_load_n(&k->word, __ATOMIC_ACQUIRE);
			continue;
		}
		if (__atomic_compare_exchange_n(&k->word, &w, w - bit, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			k->job(k->ctx, number);
			__atomic_store_n(&k->slot[number].ended, word_round(w), __ATOMIC_RELEASE);
			return true;
		}
	}
	return false;
}

static bool work_waits(struct workers *k) { return word_jobs(__atomic_load_n(&k->word, __ATOMIC_SEQ_CST)) != 0; }

/* Sleeps until there is something to do; false at the end of all. */
static bool rest(struct workers *k)
{
	bool stop;

	for (unsigned i = 0; i < SPIN_IDLE; i++) {
		if (work_waits(k))
			return true;
		relax();
	}
	pthread_mutex_lock(&k->lock);
	__atomic_fetch_add(&k->sleepers, 1, __ATOMIC_SEQ_CST);
	while (!k->stop && !work_waits(k))
		pthread_cond_wait(&k->wake, &k->lock);
	__atomic_fetch_sub(&k->sleepers, 1, __ATOMIC_SEQ_CST);
	stop = k->stop;
	pthread_mutex_unlock(&k->lock);
	return !stop;
}

static void *help(void *arg)
{
	struct helper *h = arg;
	uint32_t own = own_jobs(h->workers, h->number);

	while (rest(h->workers))
		while (work(h->workers, own))
			;
	return NULL;
}

static void wake(struct workers *k, bool stop)
{
	if (!stop && !__atomic_load_n(&k->sleepers, __ATOMIC_SEQ_CST))
		return;
	pthread_mutex_lock(&k->lock);
	k->stop = stop;
	pthread_cond_broadcast(&k->wake);
	pthread_mutex_unlock(&k->lock);
}

static void *starter(void *arg)
{
	struct workers *k = arg;
	pthread_attr_t attr;

	if (!k)
		return NULL;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (unsigned i = 0; i < k->wanted; i++) {
		struct helper *h = &k->helper[k->helpers];

		*h = (struct helper){ .workers = k, .number = k->helpers + 1 };
		if (pthread_create(&h->thread, &attr, help, h))
			break;
		pthread_setname_np(h->thread, "galena-cu");
		k->helpers++;
	}
	pthread_attr_destroy(&attr);
	return NULL;
}

/* Starts the helpers, as many of them as the system lets it; NULL starts none. What the C library allocates for a thread
 * comes from the heap of the thread that creates it. In the application's it would move the application's own
 * allocations, whose place in a page shows on the bus: that must not depend on the number of helpers. So it is always
 * one thread, which is soon gone, that the caller creates, and this one creates the others. */
static void start(struct workers *k)
{
	sigset_t all, before;
	pthread_t thread;

	if (k) {
		k->forks = forks;
		k->helpers = k->sleepers = 0;
		k->stop = false;
		pthread_mutex_init(&k->lock, NULL);
		pthread_cond_init(&k->wake, NULL);
	}
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&thread, NULL, starter, k))
		pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct workers *workers_create(unsigned threads, void (*job)(void *ctx, unsigned number), void *ctx)
{
	struct workers *k;
	char *block;

	pthread_once(&forks_once, forks_watch);
	if (threads > WORKERS_MAX_JOBS)
		threads = WORKERS_MAX_JOBS;
	if (threads < 2) {
		start(NULL);
		return NULL;
	}
	block = malloc(sizeof(*k) + 64); /* not aligned_alloc, which is the application's heap: see start */
	if (!block)
		return NULL;
	k = (struct workers *)(void *)(block + 64 - (uintptr_t)block % 64);
	*k = (struct workers){ .block = block, .job = job, .ctx = ctx, .wanted = threads - 1 };
	start(k);
	if (k->helpers)
		return k;
	workers_destroy(k);
	return NULL;
}

void workers_destroy(struct workers *k)
{
	if (!k)
		return;
	if (k->forks == forks) {
		wake(k, true);
		for (unsigned i = 0; i < k->helpers; i++)
			pthread_join(k->helper[i].thread, NULL);
		pthread_cond_destroy(&k->wake);
		pthread_mutex_destroy(&k->lock);
	}
	free(k->block);
}

uint64_t workers_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void wait_ended(struct workers *k, unsigned number, uint64_t round)
{
	uint64_t begun;

	if (__atomic_load_n(&k->slot[number].ended, __ATOMIC_ACQUIRE) == round)
		return;
	begun = workers_time();
	for (unsigned i = 0; __atomic_load_n(&k->slot[number].ended, __ATOMIC_ACQUIRE) != round; i++)
		if (i < SPIN_WAIT)
			relax();
		else
			sched_yield(); /* whoever does it may need this processor */
	__atomic_fetch_add(&k->waited, workers_time() - begun, __ATOMIC_RELAXED);
}

bool workers_worth(const struct workers *k) { return workers_time() >= k->alone_until; }

void workers_run(struct workers *k, uint32_t jobs)
{
	uint64_t round = word_round(__atomic_load_n(&k->word, __ATOMIC_RELAXED)) + 1;
	uint64_t begun = workers_time(), now, waited;
	uint32_t own;

	if (k->forks != forks)
		start(k);
	own = own_jobs(k, 0);
	k->jobs = jobs;
	__atomic_store_n(&k->word, round << WORKERS_MAX_JOBS | jobs, __ATOMIC_SEQ_CST);
	wake(k, false);
	while (work(k, own))
		;
	for (; jobs; jobs &= jobs - 1)
		wait_ended(k, (unsigned)__builtin_ctz(jobs), round);
	waited = __atomic_exchange_n(&k->waited, 0, __ATOMIC_RELAXED);
	now = workers_time();
	if (waited > (now - begun) / 4 * 3)
		k->alone_until = now + ALONE * waited;
}

void workers_wait_lower(struct workers *k, unsigned number)
{
	uint64_t round = word_round(__atomic_load_n(&k->word, __ATOMIC_RELAXED));

	for (uint32_t lower = k->jobs & ((1u << number) - 1); lower; lower &= lower - 1)
		wait_ended(k, (unsigned)__builtin_ctz(lower), round);
}
