/* What a process would write at its end, and keeps in a file meanwhile, so that it is there however the process ends: at most a
 * twentieth of its time goes into it, but for the first ends of commands, which short programs have. */
#ifndef GALENA_BASE_KEEP_H
#define GALENA_BASE_KEEP_H
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { KEEP_EACH = 8 /* ends of commands */ };
struct keep {
	uint64_t next, begun;
	unsigned ends;
};

static inline uint64_t keep_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Whether it is time, at the end of a command or in the middle; then the caller writes, and says so. */
static inline bool keep_due(struct keep *k, bool at_end)
{
	k->begun = keep_clock();
	return (at_end && k->ends < KEEP_EACH && ++k->ends) || k->begun >= k->next;
}

static inline void keep_done(struct keep *k)
{
	const uint64_t now = keep_clock();
	k->next = now + 20 * (now - k->begun);
}

#endif
