/* Barriers of work-groups: a barrier counts arrivals of work-items, whatever program counter they come from. */
#include "model/cu/barrier.h"

enum { BARRIER_LATENCY = 8 }; /* cycles from the last arrival until the warps go on */

void barrier_arrive(struct warp *w)
{
	w->group->waiting_items += lanes_count(w->mask);
	divergence_wait(w, uop_pc(w, w->op) + 4);
}

void barrier_check(struct cu *cu, struct group *g)
{
	if (!g->live_items || g->waiting_items < g->live_items)
		return;
	cu_group_event(cu, EVENT_BARRIER, g, g->number, g->live_items, 0);
	g->waiting_items = 0;
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		struct warp *w = &cu->warps[i];
		if (!w->busy || w->group != g)
			continue;
		divergence_release(w);
		cu->scheduler.wake[w->slot] = cu->now + BARRIER_LATENCY + perturb_stall(&cu->perturb, 500);
	}
}
