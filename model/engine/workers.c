/* The jobs of a round are dealt to the threads in turn. A thread does its own in the order of their numbers: its
 * caches have what they need. After a moment it does those that no thread has begun: their thread sleeps, or is not
 * scheduled. Of all jobs that have not ended, the lowest one then runs, or will as soon as its thread does, so that jobs
 * may wait for lower ones. A job is begun by the thread that first writes the round's number into its slot, so a thread that comes
 * late finds nothing of an earlier round. Quanta follow each other within microseconds: a helper looks for the next
 * round for a while before it sleeps. What two threads write lies in lines of its own, and what only one has to know is
 * not looked at by the others.
 *
 * Where others want the processors a helper may be stopped in the middle of a job, and where jobs wait for each other
 * there is little to share. So it is added up what rounds took against what their jobs would have taken one after
 * the other; when that shows a loss, no helpers are asked for many times as long, so that little more is lost. What is
 * computed does not depend on it. */
#define _GNU_SOURCE
#include "model/engine/workers.h"
#include "base/clock.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

enum {
	LINES = 128,       /* bytes that host caches fetch together */
	SPIN_IDLE = 2000, /* looks for work before sleeping: some 50 us */
	SPIN_LATE = 250,   /* looks whether another thread begins its job before doing it: some 6 us */
	SPIN_WAIT = 500,   /* looks for the end of a job before giving the processor away: some 12 us */
	STACK_BYTES = 1 << 20,
	/* ticks */
	LOSS = 1 << 19,   /* that rounds may lose before they are done alone */
	CREDIT = 1 << 21, /* saved before, which is at most set off against a loss */
	ALONE_MOST = 32,  /* times as long as was lost, they are done alone; the first time once, then twice... */
	ODD = 4,          /* a job that took so many times as long as the caller's did was stopped, not done */
};

/* The word: round << 16 | jobs. */
static uint32_t word_jobs(uint64_t w) { return (uint32_t)w & ((1u << WORKERS_MAX_JOBS) - 1); }
static uint64_t word_round(uint64_t w) { return w >> WORKERS_MAX_JOBS; }

struct workers {
	void (*job)(void *ctx, unsigned number);
	void *ctx;
	unsigned helpers, wanted;
	unsigned forks; /* of the process when they were started: in a forked child they are not there */
	struct helper {
		struct workers *workers;
		unsigned number; /* the caller is 0 */
		uint64_t round;  /* the last one before it was started */
		pthread_t thread;
	} helper[WORKERS_MAX_JOBS];
	/* a helper sleeps when it has seen, under the lock, that there is nothing to do */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	unsigned sleepers;
	bool stop;
	/* by which rounds are judged */
	uint64_t alone_until;
	int64_t saved;
	unsigned alone; /* times the next loss, rounds are done alone */
	uint64_t word __attribute__((aligned(LINES)));
	int processor; /* on which the caller began the round */
	struct slot {
		uint64_t begun __attribute__((aligned(LINES))); /* the last round in which this job was */
		uint64_t ended __attribute__((aligned(LINES)));
		uint64_t took, waited; /* ticks, in that round: for other jobs waited */
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

uint64_t workers_time(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return clock_ns();
#endif
}

/* ---- jobs ---- */

static bool has_ended(struct workers *k, unsigned number, uint64_t round)
{
	return __atomic_load_n(&k->slot[number].ended, __ATOMIC_ACQUIRE) == round;
}

/* Does a job, unless another thread has begun it. */
static bool job_do(struct workers *k, unsigned number, uint64_t round)
{
	struct slot *s = &k->slot[number];
	uint64_t before = __atomic_load_n(&s->begun, __ATOMIC_RELAXED), from;

	if (before >= round || !__atomic_compare_exchange_n(&s->begun, &before, round, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	from = workers_time();
	s->waited = 0;
	k->job(k->ctx, number);
	s->took = workers_time() - from - s->waited;
	__atomic_store_n(&s->ended, round, __ATOMIC_RELEASE);
	return true;
}

/* The thread's own jobs; returns those that it has done. */
static uint32_t own_do(struct workers *k, unsigned thread, uint64_t word)
{
	uint32_t done = 0;
	unsigned turn = 0;

	for (uint32_t m = word_jobs(word); m; m &= m - 1) {
		unsigned number = (unsigned)__builtin_ctz(m);

		if (turn++ % (k->helpers + 1) == thread && job_do(k, number, word_round(word)))
			done |= 1u << number;
	}
	return done;
}

/* Those that no thread has begun; returns the ones that it has done. */
static uint32_t late_do(struct workers *k, uint64_t word)
{
	uint32_t done = 0;

	for (uint32_t m = word_jobs(word); m; m &= m - 1)
		if (job_do(k, (unsigned)__builtin_ctz(m), word_round(word)))
			done |= m & -m;
	return done;
}

/* Returns when all have ended, or after a moment, with those that have not. */
static uint32_t moment_wait(struct workers *k, uint32_t jobs, uint64_t round, unsigned moment)
{
	for (unsigned i = 0; jobs; i++) {
		if (has_ended(k, (unsigned)__builtin_ctz(jobs), round)) {
			jobs &= jobs - 1;
		} else {
			if (i >= moment)
				break;
			relax();
		}
	}
	return jobs;
}

static void all_wait(struct workers *k, uint32_t jobs, uint64_t round)
{
	while ((jobs = moment_wait(k, jobs, round, SPIN_WAIT)))
		sched_yield(); /* the threads that do them may need this processor */
}

/* ---- helpers ---- */

/* The next word that is not of this round, if it comes soon. */
static uint64_t word_wait(struct workers *k, uint64_t round, unsigned moment)
{
	uint64_t word;

	for (unsigned i = 0; word_round(word = __atomic_load_n(&k->word, __ATOMIC_ACQUIRE)) == round && i < moment; i++)
		if (__atomic_load_n(&k->processor, __ATOMIC_RELAXED) == sched_getcpu())
			sched_yield(); /* it waits for this one */
		else
			relax();
	return word;
}

/* The same, however long it takes; false at the end of all. */
static bool rest(struct workers *k, uint64_t round, uint64_t *word)
{
	bool stop;

	*word = word_wait(k, round, SPIN_IDLE);
	if (word_round(*word) != round)
		return true;
	pthread_mutex_lock(&k->lock);
	__atomic_fetch_add(&k->sleepers, 1, __ATOMIC_SEQ_CST);
	while (!k->stop && word_round(*word = __atomic_load_n(&k->word, __ATOMIC_SEQ_CST)) == round)
		pthread_cond_wait(&k->wake, &k->lock);
	__atomic_fetch_sub(&k->sleepers, 1, __ATOMIC_SEQ_CST);
	stop = k->stop;
	pthread_mutex_unlock(&k->lock);
	return !stop;
}

static void *help(void *arg)
{
	struct helper *h = arg;
	struct workers *k = h->workers;
	uint64_t word = h->round << WORKERS_MAX_JOBS;

	while (rest(k, word_round(word), &word)) {
		own_do(k, h->number, word);
		if (word_wait(k, word_round(word), SPIN_LATE) == word)
			late_do(k, word);
	}
	return NULL;
}

/* Whether any slept. */
static bool wake(struct workers *k, bool stop)
{
	if (!stop && !__atomic_load_n(&k->sleepers, __ATOMIC_SEQ_CST))
		return false;
	pthread_mutex_lock(&k->lock);
	k->stop = stop;
	pthread_cond_broadcast(&k->wake);
	pthread_mutex_unlock(&k->lock);
	return true;
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

		*h = (struct helper){ .workers = k, .number = k->helpers + 1, .round = word_round(k->word) };
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
	sigdelset(&all, SIGSEGV); /* of their own accesses */
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&thread, NULL, starter, k))
		pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct workers *workers_create(unsigned threads, void (*job)(void *ctx, unsigned number), void *ctx)
{
	struct workers *k;

	pthread_once(&forks_once, forks_watch);
	if (threads > WORKERS_MAX_JOBS)
		threads = WORKERS_MAX_JOBS;
	if (threads < 2) {
		start(NULL);
		return NULL;
	}
	k = aligned_alloc(LINES, sizeof(*k));
	if (!k)
		return NULL;
	*k = (struct workers){ .job = job, .ctx = ctx, .wanted = threads - 1, .alone = 1 };
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
	free(k);
}

/* ---- rounds ---- */

bool workers_worth(const struct workers *k) { return workers_time() >= k->alone_until; }
bool workers_awake(const struct workers *k) { return !__atomic_load_n(&k->sleepers, __ATOMIC_RELAXED); }

/* Adds up what a round has saved; mine are the jobs that the caller has done. */
static void judge(struct workers *k, uint32_t jobs, uint32_t mine, uint64_t begun)
{
	uint64_t now = workers_time(), alone = 0, most;

	for (uint32_t m = mine; m; m &= m - 1)
		alone += k->slot[__builtin_ctz(m)].took;
	most = mine ? ODD * alone / (unsigned)__builtin_popcount(mine) : UINT64_MAX;
	for (uint32_t m = jobs & ~mine; m; m &= m - 1) {
		uint64_t took = k->slot[__builtin_ctz(m)].took;

		alone += took < most ? took : most;
	}
	k->saved += (int64_t)(alone - (now - begun));
	if (k->saved > CREDIT) {
		k->saved = CREDIT;
		k->alone = 1;
	} else if (k->saved < -LOSS) {
		k->alone_until = now + k->alone * (uint64_t)-k->saved;
		k->alone = 2 * k->alone < ALONE_MOST ? 2 * k->alone : ALONE_MOST;
		k->saved = 0;
	}
}

void workers_run(struct workers *k, uint32_t jobs)
{
	uint64_t begun = workers_time(), round = word_round(__atomic_load_n(&k->word, __ATOMIC_RELAXED)) + 1;
	uint64_t word = round << WORKERS_MAX_JOBS | jobs;
	uint32_t mine, left;
	bool slept;

	if (!jobs)
		return;
	if (k->forks != forks)
		start(k);
	__atomic_store_n(&k->processor, sched_getcpu(), __ATOMIC_RELAXED);
	__atomic_store_n(&k->word, word, __ATOMIC_SEQ_CST);
	slept = wake(k, false);
	mine = own_do(k, 0, word);
	left = moment_wait(k, jobs & ~mine, round, slept ? 0 : SPIN_LATE);
	if (left) {
		mine |= late_do(k, word);
		all_wait(k, left & ~mine, round);
	}
	judge(k, jobs, mine, begun);
}

void workers_wait_lower(struct workers *k, unsigned number)
{
	uint64_t word = __atomic_load_n(&k->word, __ATOMIC_RELAXED), from;
	uint32_t lower = moment_wait(k, word_jobs(word) & ((1u << number) - 1), word_round(word), 0);

	if (!lower)
		return;
	from = workers_time();
	all_wait(k, lower, word_round(word));
	k->slot[number].waited += workers_time() - from;
}
