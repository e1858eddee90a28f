#include "model/cu/dispatcher.h"
#include "abi/registers.h"
#include "model/cu/fault.h"
#include "model/cu/workgroup.h"
#include "model/inject.h"
#include "model/profile/profile.h"
#include <string.h>

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
	if (p->local_bytes > config->lds_bytes || p->private_bytes % PRIVATE_UNIT || p->private_bytes > PRIVATE_MAX)
		return false;
	const uint32_t all = (1u << config->num_cu) - 1;
	if (p->units & ~all)
		return false;
	d->units = p->units ? p->units : all;
	uint64_t backing = (uint64_t)config->num_cu * config->warps_per_cu * config->lanes * p->private_bytes;
	return !d->scratch || (d->scratch_size >= backing && d->scratch % PRIVATE_UNIT == 0 && d->scratch <= VA_LOCAL_BASE - backing);
}

/* Tells the device which memory is private from now on. */
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

void compute_start(struct compute *c, const struct compute_start *in, uint64_t now)
{
	if (compute_busy(c, in->slot))
		return;
	struct physmem *mem = c->params.mem;
	struct dispatch d = { .packet = in->packet, .scratch = in->scratch, .scratch_size = in->scratch_size, .space = in->space,
			      .start = now, .end = now, .serial = c->serial + 1 };
	if (!dispatch_check(c, &d)) {
		const struct compute_fault fault = { .code = FAULT_BAD_DISPATCH, .unit = UNIT_CP, .access = ACCESS_READ, .address = in->address };
		c->params.result(c->params.ctx, &(struct compute_result){ .slot = in->slot, .start = now, .end = now, .fault = fault }, now);
		return;
	}
	if (in->scratch && c->params.private_memory)
		private_note(c, &d);
	d.replay = in->replay && !(in->space & SPACE_PROTECTED);
	d.hang = mem->inject && inject_fires(mem->inject, INJECT_KERNEL_HANG, in->slot, in->packet.entry, now);
	EVENT_SEND(mem->events, .cycle = now, .kind = EVENT_DISPATCH, .unit = UNIT_CU, .queue = (uint16_t)in->slot,
		   .asid = (uint16_t)in->space, .a = in->packet.entry, .b = d.total,
		   .c = (in->space & SPACE_PROTECTED ? REG_CP_SLOT_FLAGS_PROTECTED : 0) |
			(in->replay ? REG_CP_SLOT_FLAGS_REPLAY : 0));
	c->serial++;
	c->num_dispatches++;
	c->quantum.length = c->quantum.shortest;
	if (c->params.profile)
		profile_dispatch_start(c->params.profile, in->slot);
	c->busy |= 1u << in->slot;
	c->dispatches[in->slot] = d;
}

/* Work-groups have left a unit by cycle now. */
static void room_made(struct compute *c, uint64_t now)
{
	c->free = c->free > now ? c->free : now;
	for (unsigned s = 0; s < COMPUTE_SLOTS; s++)
		c->dispatches[s].full = false;
}

/* Frees the slot and reports. */
static void dispatch_end(struct compute *c, unsigned slot, const struct compute_fault *fault)
{
	struct dispatch *d = &c->dispatches[slot];
	struct compute_result r = { .slot = slot, .start = d->start, .end = d->end };
	if (fault) {
		r.fault = *fault;
		room_made(c, d->end);
		for (unsigned i = 0; i < c->params.config->num_cu; i++) {
			if (c->exact)
				cu_advance(&c->cus[i], d->end);
			cu_unblock(&c->cus[i], d->end);
			workgroup_kill(&c->cus[i], slot);
			memset(&c->cus[i].ended[slot], 0, sizeof(c->cus[i].ended[slot]));
			cu_ended(&c->cus[i], slot);
			cu_show(&c->cus[i]);
		}
	}
	if (c->params.profile)
		profile_dispatch_end(c->params.profile, d, slot, r.fault.code != FAULT_NONE);
	c->busy &= ~(1u << slot);
	EVENT_SEND(c->params.mem->events, .cycle = d->end, .kind = EVENT_DISPATCH_END, .unit = UNIT_CU,
		   .queue = (uint16_t)slot, .asid = (uint16_t)d->space, .a = d->packet.entry,
		   .b = r.fault.code);
	c->params.result(c->params.ctx, &r, d->end);
}

static void slot_abort(struct compute *c, unsigned slot, uint64_t now)
{
	if (!compute_busy(c, slot))
		return;
	struct compute_fault fault = { .unit = UNIT_CU };
	bool ran = false;
	for (unsigned i = 0; i < c->params.config->num_cu && !ran; i++)
		ran = workgroup_running(&c->cus[i], slot, &fault);
	fault.code = FAULT_ABORTED;
	c->dispatches[slot].end = now;
	dispatch_end(c, slot, &fault);
}

void compute_abort(struct compute *c, const struct compute_abort *in, uint64_t now) { slot_abort(c, in->slot, now); }

uint64_t compute_since(const struct compute *c, unsigned slot)
{
	uint64_t since = 0;
	for (unsigned i = 0; i < c->params.config->num_cu; i++) {
		uint64_t begun = workgroup_since(&c->cus[i], slot);
		since = begun > since ? begun : since;
	}
	return since;
}

void compute_reset(struct compute *c, uint64_t now)
{
	for (unsigned s = 0; s < COMPUTE_SLOTS; s++) {
		slot_abort(c, s, now);
		c->dispatches[s] = (struct dispatch){ 0 };
	}
	c->next_slot = c->next_unit = 0;
	for (unsigned i = 0; i < c->params.config->num_cu; i++)
		cu_reset(&c->cus[i]);
	compute_flush_code(c, now);
}

void compute_forget(struct compute *c, const struct compute_forget *in, uint64_t now)
{
	(void)now;
	for (unsigned i = 0; i < c->params.config->num_cu; i++)
		lds_forget(&c->cus[i].lds, in->all, (uint16_t)in->asid);
}

void compute_replay(struct compute *c, const struct compute_replay *in, uint64_t now)
{
	const unsigned slot = in->slot;
	if (!compute_busy(c, slot) || !c->dispatches[slot].stalled)
		return;
	c->dispatches[slot].stalled = false;
	for (unsigned i = 0; i < c->params.config->num_cu; i++) {
		if (c->exact)
			cu_advance(&c->cus[i], now);
		fault_replay(&c->cus[i], slot, now);
		cu_show(&c->cus[i]);
	}
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

void dispatcher_hand_out(struct compute *c, unsigned slot, uint64_t now)
{
	struct dispatch *d = &c->dispatches[slot];
	uint64_t units = (uint64_t)__builtin_popcount(d->units), left = d->total - d->next;
	if (!left)
		return;
	uint64_t capacity = unit_capacity(c, d), share = left / (2 * units);
	if (share < capacity)
		share = capacity;
	if (share > (left + units - 1) / units)
		share = (left + units - 1) / units;
	share -= perturb_draw(&c->perturb, (uint32_t)(share < UINT32_MAX ? share - 1 : 0));
	for (uint32_t m = d->units; m && d->next < d->total; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t n = share < d->total - d->next ? share : d->total - d->next;
		if (c->cus[i].shown.given >> slot & 1)
			continue;
		if (perturb_draw(&c->perturb, 1) && m & (m - 1)) /* another unit's turn */
			continue;
		cu_give(&c->cus[i], &(struct cu_give){ slot, d->next, n }, now);
		d->next += n;
	}
}

static bool open(const struct dispatch *d) { return d->next != d->total && !d->full; }

uint64_t dispatcher_next(const struct compute *c)
{
	uint64_t next = UINT64_MAX;
	EACH_BIT(s, c->busy)
		if (open(&c->dispatches[s]) && c->dispatches[s].start < next)
			next = c->dispatches[s].start;
	return next < c->free ? c->free : next;
}

/* The slot's next work-group begins on the next unit that has room for it. */
static bool group_begin(struct compute *c, unsigned slot, uint64_t now)
{
	struct dispatch *d = &c->dispatches[slot];
	const unsigned units = c->params.config->num_cu;
	for (unsigned n = 0; n < units; n++) {
		unsigned i = (c->next_unit + n) % units;
		if (!(d->units >> i & 1) || !workgroup_fits(&c->cus[i], d, d->next))
			continue;
		cu_give(&c->cus[i], &(struct cu_give){ slot, d->next++, 1 }, now);
		c->next_unit = (i + 1) % units;
		return true;
	}
	d->full = true;
	return false;
}

void dispatcher_cycle(struct compute *c, uint64_t now)
{
	if (now < c->free)
		return;
	for (unsigned n = 0; n < COMPUTE_SLOTS; n++) {
		unsigned s = (c->next_slot + n) % COMPUTE_SLOTS;
		if (!compute_busy(c, s) || !open(&c->dispatches[s]) || c->dispatches[s].start > now || !group_begin(c, s, now))
			continue;
		c->next_slot = (s + 1) % COMPUTE_SLOTS;
		c->free = now + 1;
		return;
	}
}

bool dispatcher_collect(struct compute *c)
{
	unsigned units = c->params.config->num_cu;
	uint32_t ended = 0;
	uint64_t reached = 0;
	bool any = false;
	for (unsigned i = 0; i < units; i++) {
		ended |= c->cus[i].shown.ended_slots;
		if (c->cus[i].shown.stops && c->cus[i].shown.now > reached)
			reached = c->cus[i].shown.now;
		c->cus[i].shown.stops = false;
	}
	if (reached)
		room_made(c, reached);
	for (; ended; ended &= ended - 1) {
		unsigned s = (unsigned)__builtin_ctz(ended);
		struct dispatch *d = &c->dispatches[s];
		const struct compute_fault *fault = NULL, *stall = NULL;
		uint64_t first = UINT64_MAX, stall_cycle = UINT64_MAX;
		if (!compute_busy(c, s))
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
			c->params.result(c->params.ctx, &(struct compute_result){ .slot = s, .stalled = true, .start = d->start,
					 .end = stall_cycle, .fault = *stall }, stall_cycle);
			any = true;
		}
	}
	return any;
}
