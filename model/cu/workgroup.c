#include "model/cu/workgroup.h"
#include "model/cu/dispatcher.h"
#include "model/cu/fault.h"
#include "model/engine/superblocks.h"
#include "model/profile/profile.h"
#include <string.h>

static void warp_start(struct cu *cu, struct warp *w, struct group *g, const struct dispatch *d, uint32_t first,
		       uint32_t number, uint64_t begin)
{
	uint32_t lanes = cu->config->lanes, items = g->live_items - first;
	uint32_t slot = (uint32_t)(w - cu->warps);
	size_t from = cu->timed || cu->profile ? offsetof(struct warp, scoreboard) : offsetof(struct warp, encoding);
	size_t size = offsetof(struct warp, pending) - from;
	__asm__("" : "+r"(size)); /* not known to the compiler: a call clears faster than what it would make here */
	memset(w, 0, offsetof(struct warp, scoreboard));
	memset((uint8_t *)w + from, 0, size);
	w->cu = cu;
	w->tmp = cu->tmp;
	w->group = g;
	w->slot = slot;
	w->busy = true;
	w->replay = d->replay;
	w->born = cu->now;
	w->space = d->space;
	w->first_id = first;
	w->number = number;
	w->first_live = w->live = items >= LANES && lanes == LANES ? ALL_LANES
								  : (1u << (items < lanes ? items : lanes)) - 1;
	w->mask = w->live;
	w->lds = cu->lds.data + g->lds_offset;
	w->local_bytes = d->packet.local_bytes;
	w->private_bytes = d->packet.private_bytes;
	if (d->scratch && w->private_bytes)
		w->private_va = d->scratch + ((uint64_t)cu->index * cu->config->warps_per_cu + slot) * lanes * w->private_bytes;
	w->base[2] = VA_PRIVATE_BASE + w->private_bytes;
	w->slice = 4096;
	cu->scheduler.memory[slot] = cu->scheduler.reissue[slot] = 0;
	cu->scheduler.wake[slot] = begin + 1 + number + perturb_stall(&cu->perturb, 500);
	if (cu->timed && cu->scheduler.wake[slot] < icache_begin(cu->icache, slot))
		cu->scheduler.wake[slot] = icache_begin(cu->icache, slot);
	cu->live_warps++;
	cu_group_event(cu, EVENT_WARP, g, slot, g->number, number);
	w->code = cu->entry_page;
	divergence_jump(w, d->packet.entry); /* a fault is seen when it is to run */
	if (w->exit == LEAVE_NONE)
		cu->entry_page = w->code;
	else
		w->code = NULL; /* that of another warp */
	if (cu->profile)
		profile_warp_start(w, d);
	if (cu->superblocks && w->exit == LEAVE_NONE && w->op->fn != superblock_enter)
		superblock_mark(w, w->op);
}

/* The place and the size of the work-group with this linear number; returns its work-items. */
static uint32_t group_shape(const struct dispatch *d, uint64_t number, uint32_t id[3], uint32_t size[3])
{
	uint32_t items = 1;
	id[0] = (uint32_t)(number % d->groups[0]);
	id[1] = (uint32_t)(number / d->groups[0] % d->groups[1]);
	id[2] = (uint32_t)(number / d->groups[0] / d->groups[1]);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t left = d->packet.global_size[i] - id[i] * d->packet.local_size[i];
		size[i] = left < d->packet.local_size[i] ? left : d->packet.local_size[i];
		items *= size[i];
	}
	return items;
}

static uint32_t warps_of(const struct cu *cu, uint32_t items) { return (items + cu->config->lanes - 1) / cu->config->lanes; }

/* Where the unit has room for a work-group with so many warps: its offset in local memory; -1: it has none. */
static int64_t group_room(const struct cu *cu, const struct dispatch *d, uint32_t warps)
{
	if (cu->config->warps_per_cu - cu->live_warps < warps)
		return -1;
	return d->packet.local_bytes ? lds_allocate(&cu->lds, cu->groups, MAX_WARPS, lds_round(d->packet.local_bytes)) : 0;
}

bool workgroup_fits(const struct cu *cu, const struct dispatch *d, uint64_t number)
{
	uint32_t id[3], size[3];
	return !cu->given && group_room(cu, d, warps_of(cu, group_shape(d, number, id, size))) >= 0;
}

/* Starts the work-group with this linear number if there is room. */
static bool group_start(struct cu *cu, unsigned slot, const struct dispatch *d, uint64_t number)
{
	const struct device_config *c = cu->config;
	uint32_t id[3], size[3], items = group_shape(d, number, id, size), warps = warps_of(cu, items);
	int64_t lds = group_room(cu, d, warps);
	if (lds < 0)
		return false;
	struct group *g = cu->groups;
	while (g->busy)
		g++;
	*g = (struct group){ .busy = true, .slot = slot, .live_warps = warps, .live_items = items, .num_warps = warps,
			     .lds_offset = (uint32_t)lds, .lds_bytes = lds_round(d->packet.local_bytes),
			     .kernarg = d->packet.kernarg, .number = number, .begun = cu->now, .space = d->space,
			     .hang = d->hang && number == d->total - 1 };
	memcpy(g->id, id, sizeof(id));
	memcpy(g->size, size, sizeof(size));
	uint64_t begin = cu->now + lds_claim(&cu->lds, g); /* a granule a cycle */
	if (cu->timed) {
		l1_invalidate(&cu->l1, d->serial);
		icache_empty_for(cu->icache, d->serial);
	}
	cu_group_event(cu, EVENT_GROUP, g, number, warps, 0);
	struct warp *w = cu->warps;
	for (uint32_t first = 0, n = 0; first < items; first += c->lanes, n++, w++) {
		while (w->busy)
			w++;
		warp_start(cu, w, g, d, first, n, begin);
	}
	cu->counters.work_groups++;
	return true;
}

void workgroup_fill(struct cu *cu)
{
	unsigned misses = 0;
	while (misses < COMPUTE_SLOTS) {
		unsigned s = cu->next_slot;
		cu->next_slot = (s + 1) % COMPUTE_SLOTS;
		if (cu->given >> s & 1 && group_start(cu, s, compute_dispatch(cu->owner, s), cu->work[s].next)) {
			if (++cu->work[s].next == cu->work[s].end)
				cu->given &= ~(1u << s);
			misses = 0;
		} else {
			misses++;
		}
	}
}

void workgroup_warp_end(struct cu *cu, struct warp *w)
{
	struct group *g = w->group;
	cu->scheduler.wake[w->slot] = UINT64_MAX;
	if (g->hang && g->live_warps == 1)
		return;
	cu->stops = cu->exact;
	w->busy = false;
	cu->live_warps--;
	if (cu->profile)
		profile_warp_end(w);
	cu->counters.warp_cycles += cu->timed ? cu->now - w->born : 0;
	cu_group_event(cu, EVENT_WARP_END, g, w->slot, w->retired, 0);
	if (--g->live_warps)
		return;
	cu_group_event(cu, EVENT_GROUP_END, g, g->number, 0, 0);
	g->busy = false;
	cu->ended[g->slot].groups_done++;
	cu->ended[g->slot].end = cu->now;
	cu->ended_slots |= 1u << g->slot;
	cu->room = true;
}

void workgroup_kill(struct cu *cu, unsigned slot)
{
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		struct warp *w = &cu->warps[i];
		if (w->busy && w->group->slot == slot) {
			if (cu->timed)
				warp_count_issued(w, &cu->counters);
			w->busy = false;
			cu->scheduler.wake[i] = UINT64_MAX;
			if (cu->profile)
				profile_warp_end(w);
			cu->live_warps--;
			cu->counters.warp_cycles += cu->timed ? cu->now - w->born : 0;
		}
	}
	for (unsigned i = 0; i < MAX_WARPS; i++)
		if (cu->groups[i].busy && cu->groups[i].slot == slot)
			cu->groups[i].busy = false;
	cu->work[slot].next = cu->work[slot].end = 0;
	cu->given &= ~(1u << slot);
	cu->room = true;
}

uint64_t workgroup_since(const struct cu *cu, unsigned slot)
{
	uint64_t since = 0;
	for (unsigned i = 0; i < MAX_WARPS; i++)
		if (cu->groups[i].busy && cu->groups[i].slot == slot && cu->groups[i].begun > since)
			since = cu->groups[i].begun;
	return since;
}

bool workgroup_running(const struct cu *cu, unsigned slot, struct compute_fault *out)
{
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		const struct warp *w = &cu->warps[i];
		if (!w->busy || w->group->slot != slot || !w->mask || w->exit != LEAVE_NONE)
			continue;
		const struct group *g = w->group;
		*out = (struct compute_fault){ .unit = (uint16_t)cu->unit, .access = ACCESS_EXEC };
		if (g->space & SPACE_PROTECTED)
			return true;
		out->pc = w->unresolved ? w->jump_pc : uop_pc(w, w->op);
		fault_lane(w, (unsigned)__builtin_ctz(w->mask), out);
		return true;
	}
	return false;
}
