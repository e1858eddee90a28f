/* Time goes in quanta (temporal decoupling). In a quantum each unit runs alone, from what its local view of L2 cache and
 * translations was when it began; afterwards, in the order of the units, what they did becomes visible to all. So it is the
 * same whether one host thread runs them one after the other or several run them side by side: memory, cycles, counters.
 * Only atomics in memory see each other within a quantum: a unit that comes to its first one waits until the units before
 * it have ended theirs, and so does them when one thread would. What units order by atomics is thereby ordered. Plain
 * accesses of two units to one place, one of them a write, with no atomics to order them, may go either way with several
 * threads, as on silicon. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "model/engine/quantum.h"
#include "model/cu/dispatcher.h"
#include "model/engine/superblocks.h"
#include "model/engine/workers.h"
#include <sched.h>
#include <stdlib.h>

enum {
	QUANTUM_TIMED = 512, /* the shortest ones */
	QUANTUM_FUNCTIONAL = 4096,
	QUANTUM_GROWS = 8,   /* times as long, at most */
	WORTH_SHARING = 10000, /* of workers_time for a quantum: handing it out takes less */
};

/* Host threads asked for, at most one a unit. */
static unsigned host_threads(unsigned units)
{
	const char *set = getenv("GALENA_HOST_THREADS");
	unsigned long n = set ? strtoul(set, NULL, 0) : 0;
	cpu_set_t cpus;

	if (!n)
		n = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : (unsigned long)CPU_COUNT(&cpus);
	return n < units ? (unsigned)n : units;
}

/* An observer takes every event, access or instruction in its order, or units share a cache that holds data: then one
 * thread runs them. */
static bool watched(const struct compute *c)
{
	const struct physmem *mem = c->params.mem;

	return mem->events || mem->sys.observed || mem->cache || c->params.profile || (c->superblocks && superblocks_checked(c->superblocks));
}

static void unit_run(void *ctx, unsigned number)
{
	struct compute *c = ctx;

	cu_tick(&c->cus[number], c->quantum.until, c->quantum.decoupled);
}

void quantum_init(struct compute *c)
{
	c->quantum.shortest = c->quantum.length = c->params.speed == BUS_TIMED ? QUANTUM_TIMED : QUANTUM_FUNCTIONAL;
	c->quantum.workers = workers_create(watched(c) ? 1 : host_threads(c->params.config->num_cu), unit_run, c);
}

void quantum_order(struct cu *cu)
{
	if (cu->owner->quantum.shared)
		workers_wait_lower(cu->owner->quantum.workers, cu->index);
	cu->ordered = true;
}

/* Quanta grow, so that host threads seldom have to meet, as long as units neither tell each other things by
 * atomics, which take a quantum to get around, nor use so much of what lies behind their L1 caches and TLBs that one
 * would soon wait for another, nor sit idle beside others for want of work-groups that are there; not where the host
 * waits to hear of page faults. */
static uint64_t length_next(const struct compute *c, uint64_t end)
{
	bool hungry = false, busy = false, left = false, walked = false;

	EACH_BIT(s, c->busy) {
		const struct dispatch *d = &c->dispatches[s];

		if (d->replay)
			return c->quantum.shortest;
		left |= d->next < d->total;
	}
	for (unsigned i = 0; i < c->params.config->num_cu; i++) {
		if (c->cus[i].shown.ordered)
			return c->quantum.shortest;
		busy |= c->cus[i].shown.busy;
		walked |= c->cus[i].shown.walked;
		hungry |= c->cus[i].shown.now < end && !c->cus[i].shown.busy;
	}
	if (c->params.speed == BUS_TIMED && (walked || l2_backlog(c->params.l2, end) > c->quantum.shortest / 16))
		return c->quantum.shortest;
	if (hungry && busy && left)
		return c->quantum.length > c->quantum.shortest ? c->quantum.length / 2 : c->quantum.shortest;
	return c->quantum.length < QUANTUM_GROWS * c->quantum.shortest ? 2 * c->quantum.length : c->quantum.length;
}

void quantum_run(struct compute *c, uint64_t end)
{
	uint32_t running = 0;
	uint64_t begun;

	for (unsigned i = 0; i < c->params.config->num_cu; i++) {
		c->cus[i].shown.ordered = c->cus[i].shown.walked = false;
		if (c->cus[i].shown.now < end && c->cus[i].shown.busy)
			running |= 1u << i;
	}
	c->quantum.decoupled = running & (running - 1);
	c->quantum.shared = c->quantum.decoupled && c->quantum.workers && (c->quantum.took >= WORTH_SHARING || workers_awake(c->quantum.workers)) && !(c->params.mem->inject && c->params.mem->inject->armed) &&
		workers_worth(c->quantum.workers);
	c->quantum.until = end;
	begun = c->quantum.workers && c->quantum.decoupled ? workers_time() : 0;
	if (c->quantum.decoupled)
		l2_synchronise(c->params.l2);
	if (c->quantum.shared)
		workers_run(c->quantum.workers, running);
	else
		EACH_BIT(i, running)
			unit_run(c, i);
	EACH_BIT(i, running)
		if (c->cus[i].shown.merge)
			cu_merge(&c->cus[i]);
	if (begun)
		c->quantum.took = workers_time() - begun;
	c->quantum.length = length_next(c, end);
}
