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
/* The host's time in nanoseconds, by which rounds are judged. */
uint64_t workers_time(void);
/* Whether the next round is worth helpers, as far as the last ones tell: not for a while after one that was spent
 * waiting. If not, the caller does its jobs without workers_run. */
bool workers_worth(const struct workers *);
/* Does the jobs whose bits are set, and returns when all are done. A job is done by the same thread each time, whose
 * caches have what it needs, unless that one is late. Jobs are begun in the order of their numbers. What they
 * have written is then the caller's to read. One caller at a time. In a forked child, which has no such threads, they
 * are started anew. */
void workers_run(struct workers *, uint32_t jobs);
/* In a job: returns when all jobs of lower numbers have ended. Since these have begun and wait only
 * for still lower ones, this ends if jobs do. */
void workers_wait_lower(struct workers *, unsigned number);

#endif
