/* Host threads that do numbered jobs together with their caller: the compute units of a quantum. */
#ifndef GALENA_MODEL_WORKERS_H
#define GALENA_MODEL_WORKERS_H
#include <stdbool.h>
#include <stdint.h>

enum { WORKERS_MAX_JOBS = 16 };

struct workers;
/* threads counts the caller's own, so threads - 1 are started, at once: when they start must not depend on
 * the host's load, because what the C library allocates for a thread moves the application's own
 * allocations. Between jobs they sleep. They take no signals. NULL when none can be started. */
struct workers *workers_create(unsigned threads, void (*job)(void *ctx, unsigned number), void *ctx);
/* Ends and joins them. NULL is fine. */
void workers_destroy(struct workers *);
/* The host's time by which rounds are judged, in ticks: some 0.3 to 1 ns each. */
uint64_t workers_time(void);
/* Whether the next round is worth helpers, as far as the last ones tell: not for a while after they have cost more time
 * than they saved. If not, the caller does its jobs without workers_run. */
bool workers_worth(const struct workers *);
/* No helper sleeps: a round that is soon over is worth them, too. */
bool workers_awake(const struct workers *);
/* Does the jobs whose bits are set, and returns when all are done. As long as the set stays the same, a job is done by
 * the same thread each time, whose caches have what it needs, unless that one is late. What they
 * have written is then the caller's to read. One caller at a time. In a forked child, which has no such threads, they
 * are started anew. */
void workers_run(struct workers *, uint32_t jobs);
/* In a job: returns when all jobs of lower numbers have ended. Since these wait only for still lower ones, this ends
 * if jobs do. */
void workers_wait_lower(struct workers *, unsigned number);

#endif
