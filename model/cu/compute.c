#define _GNU_SOURCE /* sched_getaffinity */
/* The dispatcher: dispatches in slots, work-groups to compute units, faults and ends.
 *
 * Time goes in quanta. In a quantum each unit runs alone, from what its view of L2 cache and translations was when
 * it began; afterwards, in the order of the units, what they did becomes visible to all. So it is the same whether
 * one host thread runs them one after the other or several run them side by side: memory, cycles, counters. Only
 * atomics in memory see each other within a quantum: a unit that comes to its first one waits until the units
 * before it have ended theirs, and so does them when one thread would. What units order by atomics is thereby
 * ordered. Plain accesses of two units to one place, one of them a write, with no atomics to order them, may go
 * either way with several threads, as on silicon.
 *
 * Between quanta, and only then, the dispatcher hands out work-groups (a range of them to each unit that has none
 * left) and looks at what ended. */
#include "model/engine/superblocks.h"
#include "abi/registers.h"
#include "model/inject.h"
#include "model/profile.h"
#include "model/engine/workers.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
	QUANTUM_TIMED = 512, /* the shortest ones */
	QUANTUM_FUNCTIONAL = 4096,
	QUANTUM_GROWS = 8,   /* times as long, at most */
	MAX_PRIVATE = 1 << 20,
	WORTH_SHARING = 10000, /* of workers_time for a quantum: handing it out takes less */
};

struct compute {
	struct compute_params params;
	const struct engine *engine;
	struct superblocks *superblocks;    /* NULL: nothing is translated */
	struct workers *workers; /* NULL: one thread runs all units */
	struct cu *cus;
	/* the quantum in progress */
	uint64_t until;
	bool apart;    /* it is one of several units */
	bool shared;   /* with helpers */
	uint64_t took; /* workers_time of the last one of several units */
	uint64_t shortest, length; /* cycles of the next one */
	struct dispatch dispatches[COMPUTE_SLOTS];
	uint64_t serial;
	uint64_t num_dispatches;
	struct compute_counters counters;
};

static bool host_has(enum compute_simd simd)
{
#if defined(__x86_64__)
	if (simd == SIMD_AVX512)
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
		       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
	if (simd == SIMD_AVX2)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#endif
	return simd == SIMD_PORTABLE;
}

/* The engine asked for, as far as the host has it. */
static const struct engine *engine_choose(enum compute_simd simd)
{
	const char *name = getenv("GALENA_SIMD");
	if (name && !strcmp(name, "portable"))
		simd = SIMD_PORTABLE;
	else if (name && !strcmp(name, "avx2"))
		simd = SIMD_AVX2;
	else if (name && !strcmp(name, "avx512"))
		simd = SIMD_AVX512;
#if defined(__x86_64__)
	if ((simd == SIMD_AUTO || simd == SIMD_AVX512) && host_has(SIMD_AVX512))
		return &engine_avx512;
	if (simd != SIMD_PORTABLE && host_has(SIMD_AVX2))
		return &engine_avx2;
#endif
	return &engine_portable;
}

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

/* Somebody takes every event, access or instruction in its order, or units share a cache that holds data: then one
 * thread runs them. */
static bool watched(const struct compute *c)
{
	const struct physmem *mem = c->params.mem;

	return mem->events || mem->sys.observed || mem->cache || c->params.profile || (c->superblocks && superblocks_checked(c->superblocks));
}

static void unit_run(void *ctx, unsigned number)
{
	struct compute *c = ctx;

	cu_run(&c->cus[number], c->until, c->apart);
}

struct compute *compute_create(const struct compute_params *params)
{
	struct compute *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->params = *params;
	c->shortest = c->length = params->speed == BUS_TIMED ? QUANTUM_TIMED : QUANTUM_FUNCTIONAL;
	c->engine = engine_choose(params->simd);
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
	c->workers = workers_create(watched(c) ? 1 : host_threads(params->config->num_cu), unit_run, c);
	return c;
}

void compute_destroy(struct compute *c)
{
	if (!c)
		return;
	workers_destroy(c->workers);
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
	for (unsigned i = 0; i < c->params.config->num_cu; i++) {
		const struct compute_counters *n = &c->cus[i].counters;
		sum->lane_insns += n->lane_insns;
		sum->warp_insns += n->warp_insns;
		sum->busy_cycles += n->busy_cycles;
		sum->l1_hit += n->l1_hit;
		sum->l1_miss += n->l1_miss;
		sum->work_groups += n->work_groups;
		sum->lds_conflicts += n->lds_conflicts;
		sum->warp_cycles += n->warp_cycles + cu_resident_cycles(&c->cus[i]);
		for (unsigned k = 0; c->cus[i].timed && k < c->params.config->warps_per_cu; k++)
			if (c->cus[i].warps[k].busy)
				warp_count_issued(&c->cus[i].warps[k], sum);
	}
	return sum;
}

/* Whether the device can run it; fills in the number of groups and the units. */
static bool dispatch_check(const struct compute *c, struct dispatch *d)
{
	const struct device_config *config = c->params.config;
	const struct packet_dispatch *p = &d->packet;
	uint64_t items = 1;
	d->total = 1;
	for (unsigned i = 0; i < 3; i++) {
		if (!p->global_size[i] || !p->local_size[i])
			return false;
		items *= p->local_size[i];
		d->groups[i] = (uint32_t)(((uint64_t)p->global_size[i] + p->local_size[i] - 1) / p->local_size[i]);
		if (__builtin_mul_overflow(d->total, (uint64_t)d->groups[i], &d->total))
			return false;
	}
	if (items > config->max_wg_size || (items + config->lanes - 1) / config->lanes > config->warps_per_cu)
		return false;
	if (p->local_bytes > config->lds_bytes || p->private_bytes % 16 || p->private_bytes > MAX_PRIVATE)
		return false;
	const uint32_t all = (1u << config->num_cu) - 1;
	if (p->units & ~all)
		return false;
	d->units = p->units ? p->units : all;
	uint64_t backing = (uint64_t)config->num_cu * config->warps_per_cu * config->lanes * p->private_bytes;
	return !d->scratch || d->scratch_size >= backing;
}

/* Tells whoever asks which memory is private from now on. */
static void private_note(const struct compute *c, const struct dispatch *d)
{
	uint64_t va = d->scratch, end = va + d->scratch_size, bytes;
	for (; d->packet.private_bytes && va < end; va += bytes) {
		uint64_t pa = mmu_peek(c->params.mmu, d->space, va, &bytes);
		if (pa == UINT64_MAX)
			return;
		bytes = bytes < end - va ? bytes : end - va;
		c->params.private_memory(c->params.ctx, pa, bytes);
	}
}

enum fault compute_start(struct compute *c, unsigned slot, const struct packet_dispatch *packet, uint64_t scratch,
			 uint64_t scratch_size, uint32_t space, unsigned flags, uint64_t now)
{
	struct physmem *mem = c->params.mem;
	if (slot >= COMPUTE_SLOTS || c->dispatches[slot].busy)
		return FAULT_BAD_DISPATCH;
	struct dispatch d = { .packet = *packet, .scratch = scratch, .scratch_size = scratch_size, .space = space,
			      .start = now, .end = now, .serial = c->serial + 1 };
	if (!dispatch_check(c, &d))
		return FAULT_BAD_DISPATCH;
	if (scratch && c->params.private_memory)
		private_note(c, &d);
	d.replay = flags & COMPUTE_REPLAY && c->params.stalled && !(space & SPACE_PROTECTED);
	d.hang = mem->inject && inject_fires(mem->inject, INJECT_KERNEL_HANG, slot, packet->entry, now);
	EVENT_SEND(mem->events, .cycle = now, .kind = EVENT_DISPATCH, .unit = UNIT_CU, .queue = (uint16_t)slot,
		   .asid = (uint16_t)space, .a = packet->entry, .b = d.total,
		   .c = (space & SPACE_PROTECTED ? REG_CP_SLOT_FLAGS_PROTECTED : 0) |
			(flags & COMPUTE_REPLAY ? REG_CP_SLOT_FLAGS_REPLAY : 0));
	c->serial++;
	c->num_dispatches++;
	c->length = c->shortest;
	if (c->params.profile)
		profile_dispatch_start(c->params.profile, slot);
	d.busy = true;
	c->dispatches[slot] = d;
	return FAULT_NONE;
}

/* Frees the slot and reports. */
static void dispatch_end(struct compute *c, unsigned slot, const struct compute_fault *fault)
{
	struct dispatch *d = &c->dispatches[slot];
	struct compute_fault copy;
	if (fault) {
		copy = *fault;
		fault = &copy;
		for (unsigned i = 0; i < c->params.config->num_cu; i++) {
			cu_unblock(&c->cus[i], d->end);
			cu_kill(&c->cus[i], slot);
			memset(&c->cus[i].ended[slot], 0, sizeof(c->cus[i].ended[slot]));
			cu_ended(&c->cus[i], slot);
			cu_show(&c->cus[i]);
		}
	}
	if (c->params.profile)
		profile_dispatch_end(c->params.profile, d, slot, fault != NULL);
	d->busy = false;
	EVENT_SEND(c->params.mem->events, .cycle = d->end, .kind = EVENT_DISPATCH_END, .unit = UNIT_CU,
		   .queue = (uint16_t)slot, .asid = (uint16_t)d->space, .a = d->packet.entry,
		   .b = fault ? fault->code : FAULT_NONE);
	c->params.done(c->params.ctx, slot, d->start, d->end, fault);
}

void compute_abort(struct compute *c, unsigned slot, uint64_t now)
{
	if (slot >= COMPUTE_SLOTS || !c->dispatches[slot].busy)
		return;
	struct compute_fault fault = { .unit = UNIT_CU };
	bool ran = false;
	for (unsigned i = 0; i < c->params.config->num_cu && !ran; i++)
		ran = cu_running(&c->cus[i], slot, &fault);
	fault.code = FAULT_ABORTED;
	c->dispatches[slot].end = now;
	dispatch_end(c, slot, &fault);
}

void compute_replay(struct compute *c, unsigned slot, uint64_t now)
{
	if (slot >= COMPUTE_SLOTS || !c->dispatches[slot].busy || !c->dispatches[slot].stalled)
		return;
	c->dispatches[slot].stalled = false;
	for (unsigned i = 0; i < c->params.config->num_cu; i++) {
		cu_replay(&c->cus[i], slot, now);
		cu_show(&c->cus[i]);
	}
}

uint64_t compute_next(const struct compute *c)
{
	uint64_t next = UINT64_MAX;
	uint32_t open = 0; /* dispatches with groups that are not handed out */
	for (unsigned s = 0; s < COMPUTE_SLOTS; s++)
		open |= (uint32_t)(c->dispatches[s].busy && c->dispatches[s].next != c->dispatches[s].total) << s;
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

/* Work-groups of the dispatch that fit a unit at once. */
static uint64_t unit_capacity(const struct compute *c, const struct dispatch *d)
{
	const struct device_config *config = c->params.config;
	uint32_t items = (uint32_t)d->packet.local_size[0] * d->packet.local_size[1] * d->packet.local_size[2];
	uint64_t n = config->warps_per_cu / ((items + config->lanes - 1) / config->lanes);
	if (d->packet.local_bytes && lds_round(config->lds_bytes) / lds_round(d->packet.local_bytes) < n)
		n = lds_round(config->lds_bytes) / lds_round(d->packet.local_bytes);
	return n;
}

/* Gives each unit that may run it and has none left its share of the groups not handed out: as many as it can
 * hold, more while there are many, an equal part of the last ones. */
static void hand_out(struct compute *c, unsigned slot, uint64_t now)
{
	struct dispatch *d = &c->dispatches[slot];
	uint64_t units = (uint64_t)__builtin_popcount(d->units), left = d->total - d->next;
	if (!d->busy || !left)
		return;
	uint64_t capacity = unit_capacity(c, d), share = left / (2 * units);
	if (share < capacity)
		share = capacity;
	if (share > (left + units - 1) / units)
		share = (left + units - 1) / units;
	for (uint32_t m = d->units; m && d->next < d->total; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t n = share < d->total - d->next ? share : d->total - d->next;
		if (c->cus[i].shown.given >> slot & 1)
			continue;
		cu_give(&c->cus[i], slot, d->next, n, now);
		d->next += n;
	}
}

/* Looks at what the units did in the quantum; true if a dispatch ended or stands at a page fault. */
static bool collect(struct compute *c)
{
	unsigned units = c->params.config->num_cu;
	uint32_t ended = 0;
	bool any = false;
	for (unsigned i = 0; i < units; i++)
		ended |= c->cus[i].shown.ended_slots;
	for (; ended; ended &= ended - 1) {
		unsigned s = (unsigned)__builtin_ctz(ended);
		struct dispatch *d = &c->dispatches[s];
		const struct compute_fault *fault = NULL, *stall = NULL;
		uint64_t first = UINT64_MAX, stall_cycle = UINT64_MAX;
		if (!d->busy)
			continue;
		for (unsigned i = 0; i < units; i++) {
			struct cu *cu = &c->cus[i];
			if (!(cu->shown.ended_slots >> s & 1))
				continue;
			d->done += cu->ended[s].groups_done;
			if (cu->ended[s].groups_done && cu->ended[s].end > d->end)
				d->end = cu->ended[s].end;
			if (cu->ended[s].faulted && cu->ended[s].fault_cycle < first) {
				first = cu->ended[s].fault_cycle;
				fault = &cu->ended[s].fault;
			}
			if (cu->ended[s].stalled && cu->ended[s].fault_cycle < stall_cycle) {
				stall_cycle = cu->ended[s].fault_cycle;
				stall = &cu->ended[s].fault;
			}
			cu_ended(cu, s);
		}
		if (fault)
			d->end = first > d->start ? first : d->start;
		if (fault || d->done == d->total) {
			dispatch_end(c, s, fault);
			any = true;
		} else if (stall && !d->stalled) {
			d->stalled = true;
			c->params.stalled(c->params.ctx, s, stall_cycle, stall);
			any = true;
		}
	}
	return any;
}

void compute_order(struct cu *cu)
{
	if (cu->owner->shared)
		workers_wait_lower(cu->owner->workers, cu->index);
	cu->ordered = true;
}

/* One quantum of the units that have something to do. */
static void quantum_run(struct compute *c, uint64_t end)
{
	uint32_t running = 0;
	uint64_t begun;

	for (unsigned i = 0; i < c->params.config->num_cu; i++) {
		c->cus[i].shown.ordered = c->cus[i].shown.walked = false;
		if (c->cus[i].shown.now < end && c->cus[i].shown.busy)
			running |= 1u << i;
	}
	c->apart = running & (running - 1);
	c->shared = c->apart && c->workers && (c->took >= WORTH_SHARING || workers_awake(c->workers)) && !(c->params.mem->inject && c->params.mem->inject->armed) &&
		workers_worth(c->workers);
	c->until = end;
	begun = c->workers && c->apart ? workers_time() : 0;
	if (c->apart)
		l2_settle(c->params.l2);
	if (c->shared)
		workers_run(c->workers, running);
	else
		for (uint32_t m = running; m; m &= m - 1)
			unit_run(c, (unsigned)__builtin_ctz(m));
	for (uint32_t m = running; m; m &= m - 1)
		if (c->cus[__builtin_ctz(m)].shown.merge)
			cu_end(&c->cus[__builtin_ctz(m)]);
	if (begun)
		c->took = workers_time() - begun;
}

/* Quanta grow, so that host threads seldom have to meet, as long as units neither tell each other things by
 * atomics, which take a quantum to get around, nor use so much of what lies behind their L1 caches and TLBs that one
 * would soon wait for another, nor sit idle beside others for want of work-groups that are there; not where the host
 * waits to hear of page faults. */
static uint64_t length_next(const struct compute *c, uint64_t end)
{
	bool hungry = false, busy = false, left = false, walked = false;

	for (unsigned s = 0; s < COMPUTE_SLOTS; s++) {
		const struct dispatch *d = &c->dispatches[s];

		if (d->busy && d->replay)
			return c->shortest;
		left |= d->busy && d->next < d->total;
	}
	for (unsigned i = 0; i < c->params.config->num_cu; i++) {
		if (c->cus[i].shown.ordered)
			return c->shortest;
		busy |= c->cus[i].shown.busy;
		walked |= c->cus[i].shown.walked;
		hungry |= c->cus[i].shown.now < end && !c->cus[i].shown.busy;
	}
	if (c->params.speed == BUS_TIMED && (walked || l2_backlog(c->params.l2, end) > c->shortest / 16))
		return c->shortest;
	if (hungry && busy && left)
		return c->length > c->shortest ? c->length / 2 : c->shortest;
	return c->length < QUANTUM_GROWS * c->shortest ? 2 * c->length : c->length;
}

uint64_t compute_run(struct compute *c, uint64_t until)
{
	for (;;) {
		uint64_t now = compute_next(c);
		if (now >= until)
			return until;
		uint64_t end = (now / c->length + 1) * c->length;
		if (end > until)
			end = until;
		for (unsigned s = 0; s < COMPUTE_SLOTS; s++)
			if (c->dispatches[s].start < end)
				hand_out(c, s, now > c->dispatches[s].start ? now : c->dispatches[s].start);
		quantum_run(c, end);
		c->length = length_next(c, end);
		if (collect(c))
			return end;
	}
}

void compute_flush_code(struct compute *c)
{
	for (unsigned i = 0; i < c->params.config->num_cu; i++)
		cu_unresolve(&c->cus[i]);
}
