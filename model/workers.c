/* Jobs are claimed one by one from a word that holds the round, how many jobs it has and which one is
 * next, so a thread that comes late finds nothing of an earlier round, and a caller whose helpers sleep or
 * are not scheduled does the jobs itself. Quanta follow each other within microseconds: a helper looks for the
 * next round for a while before it sleeps. */
#define _GNU_SOURCE
#include "model/workers.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

enum {
	SPIN_IDLE = 2000, /* looks for work before sleeping: some 50 us */
	SPIN_WAIT = 2000,  /* looks for the end of a job before giving the processor away */
	STACK_BYTES = 1 << 20,
};

/* The word: round << 16 | jobs << 8 | next. */
static unsigned word_next(uint64_t w) { return w & 0xff; }
static unsigned word_jobs(uint64_t w) { return w >> 8 & 0xff; }
static uint64_t word_round(uint64_t w) { return w >> 16; }

struct workers {
	void *block; /* that it lies in */
	void (*job)(void *ctx, unsigned number);
	void *ctx;
	unsigned helpers, wanted;
	unsigned forks; /* of the process when they were started: in a forked child they are not there */
	pthread_t thread[WORKERS_MAX_JOBS];
	/* a helper sleeps when it has seen, under the lock, that there is nothing to do */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	unsigned sleepers;
	bool stop;
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

/* Does one job of the round in progress; false when there is none to begin. */
static bool work(struct workers *k)
{
	uint64_t w = __atomic_load_n(&k->word, __ATOMIC_ACQUIRE);

	while (word_next(w) < word_jobs(w))
		if (__atomic_compare_exchange_n(&k->word, &w, w + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			k->job(k->ctx, word_next(w));
			__atomic_store_n(&k->slot[word_next(w)].ended, word_round(w), __ATOMIC_RELEASE);
			return true;
		}
	return false;
}

static bool work_waits(struct workers *k)
{
	uint64_t w = __atomic_load_n(&k->word, __ATOMIC_SEQ_CST);

	return word_next(w) < word_jobs(w);
}

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

static void *helper(void *arg)
{
	struct workers *k = arg;

	while (rest(k))
		while (work(k))
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
	while (k->helpers < k->wanted && !pthread_create(&k->thread[k->helpers], &attr, helper, k))
		pthread_setname_np(k->thread[k->helpers++], "galena-cu");
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
			pthread_join(k->thread[i], NULL);
		pthread_cond_destroy(&k->wake);
		pthread_mutex_destroy(&k->lock);
	}
	free(k->block);
}

static void wait_ended(struct workers *k, unsigned number, uint64_t round)
{
	for (unsigned i = 0; __atomic_load_n(&k->slot[number].ended, __ATOMIC_ACQUIRE) != round; i++)
		if (i < SPIN_WAIT)
			relax();
		else
			sched_yield(); /* whoever does it may need this processor */
}

void workers_run(struct workers *k, unsigned count)
{
	uint64_t round = word_round(__atomic_load_n(&k->word, __ATOMIC_RELAXED)) + 1;

	if (k->forks != forks)
		start(k);
	__atomic_store_n(&k->word, round << 16 | (uint64_t)count << 8, __ATOMIC_SEQ_CST);
	wake(k, false);
	while (work(k))
		;
	for (unsigned i = 0; i < count; i++)
		wait_ended(k, i, round);
}

void workers_wait_lower(struct workers *k, unsigned number)
{
	uint64_t round = word_round(__atomic_load_n(&k->word, __ATOMIC_RELAXED));

	for (unsigned i = 0; i < number; i++)
		wait_ended(k, i, round);
}
