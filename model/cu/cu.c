#include "model/cu/cu.h"
#include "model/cu/scheduler.h"
#include "model/engine/retire.h"
#include "model/profile/profile.h"
#include <stdlib.h>
#include <string.h>

bool cu_init(struct cu *cu, struct compute *owner, const struct compute_params *p, const struct engine *engine,
	     unsigned index)
{
	const struct device_config *c = p->config;
	memset(cu, 0, sizeof(*cu));
	cu->owner = owner;
	cu->mmu = p->mmu;
	cu->mem = p->mem;
	cu->events = p->mem->events;
	cu->profile = p->profile ? profile_of_cu(p->profile, index) : NULL;
	cu->l2 = l2_view_create(p->l2);
	cu->icache = icache_create(c);
	cu->config = c;
	cu->engine = engine;
	cu->index = index;
	cu->unit = UNIT_CU + index;
	cu->timed = p->speed == BUS_TIMED;
	cu->line_shift = (uint8_t)__builtin_ctz(c->line_bytes * (uint32_t)(sizeof(struct uop) / 4));
	cu->exact = cu->timed && c->exact;
	cu->stores_seen = c->exact && (cu->timed || retire_wanted(cu));
	reservations_init(&cu->local_reservations, c);
	perturb_init(&cu->perturb, c->perturb, cu->unit);
	soft_tlb_init(cu);
	cu->coalescer.line_shift = (uint32_t)__builtin_ctz(c->line_bytes);
	cu->warps = aligned_alloc(64, sizeof(struct warp) * c->warps_per_cu);
	bool memory = lds_init(&cu->lds, c) && l1_init(&cu->l1, c, cu->l2) && (!cu->exact || !c->l1_data || l1_data_create(&cu->l1));
	if (!cu->l2 || !cu->icache || !mmu_view_open(cu->mmu, cu->unit, cu->l2))
		return false;
	if (!cu->warps || !memory)
		return false;
	memset(cu->warps, 0, sizeof(struct warp) * c->warps_per_cu);
	for (unsigned i = 0; i < MAX_WARPS; i++)
		cu->scheduler.wake[i] = UINT64_MAX;
	return true;
}

void cu_fini(struct cu *cu)
{
	l2_destroy(cu->l2);
	icache_destroy(cu->icache);
	free(cu->warps);
	lds_fini(&cu->lds);
	l1_fini(&cu->l1);
}

void cu_reset(struct cu *cu)
{
	cu->scheduler.next = 0;
	cu->next_slot = 0;
	lds_reset(&cu->lds);
	reservations_reset(&cu->local_reservations);
	icache_reset(cu->icache);
}

void cu_group_event(const struct cu *cu, enum event_kind kind, const struct group *g, uint64_t a, uint64_t b,
			uint64_t c)
{
	EVENT_SEND(cu->events, .cycle = cu->now, .kind = (uint16_t)kind, .unit = (uint16_t)cu->unit,
		   .queue = (uint16_t)g->slot, .asid = (uint16_t)g->space, .a = a, .b = b, .c = c);
}

/* Whether it holds or was given work. */
static bool busy(const struct cu *cu) { return !cu->blocked && (cu->live_warps || cu->given); }

/* Exact: when it goes on. */
static uint64_t next(const struct cu *cu)
{
	if (cu->given)
		return cu->now;
	const uint64_t wake = scheduler_wake(cu->scheduler.wake);
	return wake > cu->now ? wake : cu->now;
}

void cu_show(struct cu *cu)
{
	cu->shown.now = cu->now;
	cu->shown.next = cu->exact ? next(cu) : cu->now;
	cu->shown.given = cu->given;
	cu->shown.ended_slots = cu->ended_slots;
	cu->shown.busy = busy(cu);
	cu->shown.stops = cu->stops;
	cu->shown.ordered = cu->ordered;
}

void cu_advance(struct cu *cu, uint64_t now)
{
	if (cu->now >= now)
		return;
	if (busy(cu)) {
		cu->counters.busy_cycles += now - cu->now;
		if (cu->profile)
			profile_wait(cu, now);
	}
	cu->now = now;
}

void cu_give(struct cu *cu, const struct cu_give *in, uint64_t now)
{
	if (cu->exact)
		cu_advance(cu, now);
	else if (!busy(cu) && cu->now < now)
		cu->now = now;
	cu_unblock(cu, now);
	cu->work[in->slot].next = in->first;
	cu->work[in->slot].end = in->first + in->count;
	cu->given |= 1u << in->slot;
	cu_show(cu);
}

void cu_ended(struct cu *cu, unsigned slot)
{
	cu->ended[slot].groups_done = 0;
	cu->ended[slot].stalled = false;
	cu->ended_slots &= ~(1u << slot);
	cu->shown.ended_slots = cu->ended_slots;
}

void cu_counters_add(const struct cu *cu, struct compute_counters *sum)
{
	const struct compute_counters *n = &cu->counters;
	sum->lane_insns += n->lane_insns;
	sum->warp_insns += n->warp_insns;
	sum->busy_cycles += n->busy_cycles;
	sum->l1_hit += cu->l1.hit;
	sum->l1_miss += cu->l1.miss;
	sum->work_groups += n->work_groups;
	sum->lds_conflicts += cu->lds.conflicts;
	sum->warp_cycles += n->warp_cycles;
	for (unsigned i = 0; cu->timed && i < cu->config->warps_per_cu; i++) {
		const struct warp *w = &cu->warps[i];
		if (!w->busy)
			continue;
		warp_count_issued(w, sum);
		sum->warp_cycles += cu->now - w->born;
	}
}

void cu_profile_end(struct cu *cu)
{
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++)
		if (cu->warps[i].busy)
			profile_warp_end(&cu->warps[i]);
}

void cu_refetch(struct warp *w, uint64_t pc)
{
	divergence_refetch(w, pc);
	if (w->unissued && w->exit == LEAVE_NONE && !w->line) { /* not exact: it stands in the same line, which was dropped */
		const uint64_t there = icache_line(w, w->op, w->cu->now);
		uint64_t *wake = &w->cu->scheduler.wake[w->slot];
		*wake = *wake > there ? *wake : there;
	}
	w->waits = w->unissued != 0 && w->exit == LEAVE_NONE;
	/* what is executed and has yet to issue is looked at again */
	for (uint32_t i = 0; i < w->unissued && w->exit == LEAVE_NONE; i++)
		if (w->op[i].flags & UOP_RAW)
			uop_decode(w, &w->op[i]);
}

void cu_unblock(struct cu *cu, uint64_t now)
{
	if (!cu->blocked)
		return;
	cu->blocked = false;
	if (cu->now < now)
		cu->now = now;
}

/* The warp waits no more for what its instruction needs: it looks its line up as soon as it may, or could have had it (CU-141, CU-145). */
static void scheduler_forget(struct cu *cu, const struct warp *w)
{
	const uint64_t again = cu->scheduler.reissue[w->slot], there = w->line ? icache_awaited(cu->icache, w->code, w->line) : 0;

	cu->scheduler.wake[w->slot] = again > there ? again : there;
	cu->scheduler.memory[w->slot] = 0;
}

void cu_unresolve(struct cu *cu, uint64_t now)
{
	if (cu->exact)
		cu_advance(cu, now);
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		struct warp *w = &cu->warps[i];
		if (w->busy && w->mask && w->exit == LEAVE_NONE && !w->unresolved) {
			w->jump_pc = uop_pc(w, w->op);
			w->steps = icache_at_page_end(w);
			w->unresolved = true;
			if (w->waits && !w->unissued)
				scheduler_forget(cu, w);
		}
		w->code = NULL;
	}
	cu->entry_page = NULL;
	if (cu->l1.data)
		l1_empty(&cu->l1);
	icache_flush(cu->icache);
	cu->epoch = UINT64_MAX;
	if (cu->exact)
		cu_show(cu);
}

/* One that has yet to step to the next page still has. */
static void warp_resolve(struct warp *w)
{
	if (w->unresolved && w->steps)
		icache_page_end(w, w->jump_pc);
	else if (w->unresolved || !icache_at_page_end(w))
		cu_refetch(w, w->unresolved ? w->jump_pc : uop_pc(w, w->op));
}

/* Decoded instructions may be stale: resolve the warps' positions again. */
static void epoch_check(struct cu *cu)
{
	if (cu->epoch == *mmu_epoch(cu->mmu))
		return;
	cu->epoch = *mmu_epoch(cu->mmu);
	soft_tlb_flush(cu);
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		struct warp *w = &cu->warps[i];
		if (w->busy && w->mask && w->exit == LEAVE_NONE)
			warp_resolve(w);
		w->unresolved = false;
	}
}

void cu_merge(struct cu *cu)
{
	l2_view_end(cu->l2);
	mmu_view_end(cu->mmu, cu->unit);
}

bool cu_step(struct cu *cu, unsigned slot)
{
	l2_view_begin(cu->l2, false);
	epoch_check(cu);
	cu->tlb.refused.fault = FAULT_NONE;
	return scheduler_step(cu, &cu->warps[slot]);
}

void cu_tick(struct cu *cu, uint64_t until, bool decoupled)
{
	uint64_t from = cu->now;
	cu->ordered = false;
	cu->stops = false;
	l2_view_begin(cu->l2, decoupled);
	if (decoupled)
		mmu_view_begin(cu->mmu, cu->unit);
	epoch_check(cu);
	if (cu->profile)
		profile_turn_start(cu);
	cu->room = true;
	cu->tlb.refused.fault = FAULT_NONE; /* the page may be there by now */
	if (cu->perturb.state)
		cu->scheduler.next = perturb_draw(&cu->perturb, cu->config->warps_per_cu - 1);
	scheduler_run(cu, until);
	cu->counters.busy_cycles += (cu->now < until ? cu->now : until) - from;
	cu->blocked = cu->live_warps != 0 && !cu->room;
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++)
		cu->blocked &= cu->scheduler.wake[i] == UINT64_MAX;
	if (cu->now < until && busy(cu) && !cu->stops) { /* all wait */
		cu->counters.busy_cycles += until - cu->now;
		cu->now = until;
	}
	if (cu->profile)
		profile_turn_end(cu, from, cu->now < until ? cu->now : until);
	cu->shown.walked = decoupled && mmu_view_leave(cu->mmu, cu->unit);
	cu->shown.merge = decoupled && (l2_view_leave(cu->l2) | cu->shown.walked);
	cu_show(cu);
}
