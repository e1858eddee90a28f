#include "model/cu/scheduler.h"
#include "model/cu/barrier.h"
#include "model/cu/fault.h"
#include "model/cu/workgroup.h"
#include "model/engine/superblocks.h"

enum { TURN = 4096 }; /* functional: instructions that a warp runs before the next one */

/* What the engine left the warp for. */
static void warp_handle(struct cu *cu, struct warp *w)
{
	struct group *g = w->group;
	enum exit_reason reason = (enum exit_reason)w->exit;
	if (reason == LEAVE_NONE)
		return;
	w->exit = LEAVE_NONE;
	switch (reason) {
	case LEAVE_BARRIER:
		barrier_arrive(w);
		break;
	case LEAVE_END:
		g->live_items -= lanes_count(w->mask);
		divergence_end(w);
		break;
	default:
		fault_report(cu, w);
		return;
	}
	if (w->exit == LEAVE_FAULT) { /* the next split cannot be fetched */
		cu->scheduler.wake[w->slot] = cu->now;
		return;
	}
	if (!w->live)
		workgroup_warp_end(cu, w);
	else if (!w->mask)
		cu->scheduler.wake[w->slot] = UINT64_MAX;
	barrier_check(cu, g);
}

static void run_functional(struct cu *cu, uint64_t until)
{
	const struct superblock_turn *turn = cu->superblocks ? superblocks_next(cu) : NULL;
	unsigned n = cu->config->warps_per_cu, idle = 0;
	while (cu->now < until && idle < n) {
		if (cu->room) {
			cu->room = false;
			workgroup_fill(cu);
		}
		struct warp *w = &cu->warps[cu->scheduler.next];
		cu->scheduler.next = (cu->scheduler.next + 1) % n;
		if (cu->scheduler.wake[w - cu->warps] == UINT64_MAX) {
			idle++;
			continue;
		}
		idle = 0;
		uint64_t turn_length = TURN - perturb_draw(&cu->perturb, TURN - 1);
		uint64_t limit = until - cu->now < turn_length ? until - cu->now : turn_length;
		if (w->exit == LEAVE_NONE)
			cu->now += turn && turn->awake ? cu->engine->run_superblocks(w, limit) : cu->engine->run(w, limit);
		if (turn && cu->counters.warp_insns >= turn->due)
			superblocks_turn(cu);
		warp_handle(cu, w);
	}
}

static void run_timed(struct cu *cu, uint64_t until)
{
	while (cu->now < until) {
		if (cu->room) {
			cu->room = false;
			workgroup_fill(cu);
		}
		struct warp *w = cu->engine->run_timed(cu, until);
		if (!w)
			break;
		warp_handle(cu, w);
		if (cu->stops)
			break;
	}
}

bool scheduler_step(struct cu *cu, struct warp *w)
{
	const uint64_t retired = w->retired;
	while (w->busy && w->retired == retired) {
		if (cu->scheduler.wake[w->slot] == UINT64_MAX)
			return false;
		if (w->exit == LEAVE_NONE)
			cu->now += cu->engine->run(w, 1);
		warp_handle(cu, w);
	}
	return w->retired != retired;
}

void scheduler_run(struct cu *cu, uint64_t until)
{
	if (cu->timed)
		run_timed(cu, until);
	else
		run_functional(cu, until);
}
