/* The compute units of a device together. Between quanta, and only then, the dispatcher hands out work-groups (a range of them
 * to each unit that has none left) and looks at what ended. */
#include "model/cu/dispatcher.h"
#include "model/engine/superblocks.h"
#include "model/engine/workers.h"
#include <stdlib.h>
#include <string.h>

struct compute *compute_create(const struct compute_params *params)
{
	struct compute *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->params = *params;
	c->exact = params->speed == BUS_TIMED && params->config->exact;
	c->engine = engine_choose(params->simd);
	perturb_init(&c->perturb, params->config->perturb, UNIT_CP);
	c->cus = aligned_alloc(HOST_LINES, sizeof(struct cu) * params->config->num_cu);
	if (!c->cus) {
		free(c);
		return NULL;
	}
	memset(c->cus, 0, sizeof(struct cu) * params->config->num_cu);
	for (unsigned i = 0; i < params->config->num_cu; i++)
		if (!cu_init(&c->cus[i], c, params, c->engine, i)) {
			compute_destroy(c);
			return NULL;
		}
	/* After the units: their memory lies where it does without translation. Where it lies makes them faster or slower by a tenth. */
	c->superblocks = superblocks_create(params, c->engine);
	for (unsigned i = 0; i < params->config->num_cu; i++)
		c->cus[i].superblocks = c->superblocks;
	quantum_init(c);
	return c;
}

void compute_destroy(struct compute *c)
{
	if (!c)
		return;
	workers_destroy(c->quantum.workers);
	for (unsigned i = 0; i < c->params.config->num_cu; i++)
		cu_fini(&c->cus[i]);
	free(c->cus);
	superblocks_destroy(c->superblocks);
	free(c);
}

void compute_profile_end(struct compute *c)
{
	for (unsigned i = 0; i < c->params.config->num_cu; i++)
		cu_profile_end(&c->cus[i]);
}

struct superblocks *compute_superblocks(struct compute *c) { return c->superblocks; }
const struct dispatch *compute_dispatch(const struct compute *c, unsigned slot) { return &c->dispatches[slot]; }
const char *compute_simd_name(const struct compute *c) { return c->engine->name; }

const struct compute_counters *compute_counters(const struct compute *c)
{
	struct compute_counters *sum = (struct compute_counters *)&c->counters;
	*sum = (struct compute_counters){ .dispatches = c->num_dispatches };
	for (unsigned i = 0; i < c->params.config->num_cu; i++) 
		cu_counters_add(&c->cus[i], sum);
	return sum;
}

static uint64_t exact_next(const struct compute *c)
{
	uint64_t next = dispatcher_next(c);
	for (unsigned i = 0; i < c->params.config->num_cu; i++)
		if (c->cus[i].shown.busy && c->cus[i].shown.next < next)
			next = c->cus[i].shown.next;
	return next;
}

uint64_t compute_next(const struct compute *c)
{
	uint64_t next = UINT64_MAX;
	uint32_t open = 0; /* dispatches with groups that are not handed out */
	if (!c->busy)
		return next;
	if (c->exact)
		return exact_next(c);
	EACH_BIT(s, c->busy)
		open |= (uint32_t)(c->dispatches[s].next != c->dispatches[s].total) << s;
	for (unsigned i = 0; i < c->params.config->num_cu; i++) {
		const struct cu *cu = &c->cus[i];
		if (cu->shown.busy && cu->shown.now < next)
			next = cu->shown.now;
		for (uint32_t left = open & ~cu->shown.given; left; left &= left - 1) { /* groups that it could be given */
			const struct dispatch *d = &c->dispatches[__builtin_ctz(left)];
			if (!(d->units >> i & 1))
				continue;
			uint64_t t = d->start > cu->shown.now ? d->start : cu->shown.now;
			next = t < next ? t : next;
		}
	}
	return next;
}

/* The units that have something to do in cycle now do it: one alone as long as nothing else does anything. Returns the cycle that
 * they have come to. */
static uint64_t cycle_run(struct compute *c, uint64_t now, uint64_t until)
{
	uint64_t end = dispatcher_next(c);
	uint32_t running = 0;

	end = end < until ? end : until;
	for (unsigned i = 0; i < c->params.config->num_cu; i++) {
		const struct cu *cu = &c->cus[i];
		if (!cu->shown.busy)
			continue;
		if (cu->shown.next <= now)
			running |= 1u << i;
		else if (cu->shown.next < end)
			end = cu->shown.next;
	}
	if (end <= now || running & (running - 1))
		end = now + 1;
	EACH_BIT(i, running) {
		cu_advance(&c->cus[i], now);
		cu_tick(&c->cus[i], end, false);
		if (c->cus[i].shown.stops)
			end = c->cus[i].shown.now;
	}
	return end;
}

static uint64_t exact_run(struct compute *c, uint64_t until)
{
	for (;;) {
		uint64_t now = compute_next(c);
		if (now >= until)
			return until;
		dispatcher_cycle(c, now);
		now = cycle_run(c, now, until);
		if (dispatcher_collect(c))
			return now;
	}
}

uint64_t compute_tick(struct compute *c, uint64_t until)
{
	if (c->exact)
		return exact_run(c, until);
	for (;;) {
		uint64_t now = compute_next(c);
		if (now >= until)
			return until;
		uint64_t end = (now / c->quantum.length + 1) * c->quantum.length;
		if (end > until)
			end = until;
		EACH_BIT(s, c->busy)
			if (c->dispatches[s].start < end)
				dispatcher_hand_out(c, s, now > c->dispatches[s].start ? now : c->dispatches[s].start);
		quantum_run(c, end);
		if (dispatcher_collect(c))
			return end;
	}
}

void compute_flush_code(struct compute *c, uint64_t now)
{
	for (unsigned i = 0; i < c->params.config->num_cu; i++)
		cu_unresolve(&c->cus[i], now);
}
