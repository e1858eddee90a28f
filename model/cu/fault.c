#include "model/cu/fault.h"
#include "model/cu/workgroup.h"
#include <string.h>

void fault_raise(struct warp *w, const struct uop *op, enum fault code, enum access access, uint64_t va, unsigned lane)
{
	struct coalescer *c = &w->cu->coalescer;

	w->exit = LEAVE_FAULT;
	w->fault = (struct lane_fault){ code, access, va, uop_pc(w, op), lane };
	w->stop = op;
	insn_uncount(w);
	for (uint32_t i = 0; i < c->num_lines; i++)
		charges_waive(CHARGES_FAULT, c->lines[i] << c->line_shift, 1, 1u << c->line_shift);
	coalescer_clear(c);
	if (w->cu->l1.data)
		l1_data_undo(&w->cu->l1);
	w->cu->lds.used = false;
	w->cu->lds.cycles = 0;
}

void fault_lane(const struct warp *w, unsigned lane, struct compute_fault *out)
{
	const struct group *g = w->group;
	uint32_t id = w->first_id + lane;
	memcpy(out->group_id, g->id, sizeof(out->group_id));
	out->local_id[0] = id % g->size[0];
	out->local_id[1] = id / g->size[0] % g->size[1];
	out->local_id[2] = id / g->size[0] / g->size[1];
}

/* What the host is told of a protected job's fault leaves out what its data can have made: addresses come from registers,
 * and a branch can choose the work-item. Observers, who are not the host, see all. */
void fault_report(struct cu *cu, struct warp *w)
{
	const struct group *g = w->group;
	const struct lane_fault *f = &w->fault;
	unsigned slot = g->slot;
	bool stalls = w->replay && fault_replays(f->code);
	struct compute_fault *out = &cu->ended[slot].fault;
	cu_group_event(cu, EVENT_FAULT, g, f->address, f->code, f->access);
	if (stalls) {
		w->exit = LEAVE_FAULT;
		w->retry = cu->lsu.free;
		cu->scheduler.wake[w->slot] = UINT64_MAX;
		if (cu->ended[slot].stalled)
			return;
	}
	*out = (struct compute_fault){ .code = f->code, .unit = (uint16_t)cu->unit, .access = f->access };
	if (!(g->space & SPACE_PROTECTED)) {
		out->address = f->address;
		out->pc = f->pc;
		fault_lane(w, f->lane, out);
	}
	cu->stops = cu->exact;
	cu->ended[slot].fault_cycle = cu->now;
	cu->ended_slots |= 1u << slot;
	*(stalls ? &cu->ended[slot].stalled : &cu->ended[slot].faulted) = true;
	if (!stalls)
		workgroup_kill(cu, slot);
}

void fault_replay(struct cu *cu, unsigned slot, uint64_t now)
{
	cu_unblock(cu, now);
	for (unsigned i = 0; i < cu->config->warps_per_cu; i++) {
		struct warp *w = &cu->warps[i];
		if (!w->busy || w->group->slot != slot || w->exit != LEAVE_FAULT || cu->scheduler.wake[i] != UINT64_MAX)
			continue;
		w->exit = LEAVE_NONE;
		now = cu->now > now ? cu->now : now;
		cu->scheduler.wake[i] = w->retry > now ? w->retry : now;
		cu_refetch(w, w->fault.pc);
	}
}
