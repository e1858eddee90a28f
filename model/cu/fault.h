/* Faults of lanes: how they end a dispatch, or stall a warp until the page is there. */
#ifndef GALENA_MODEL_FAULT_H
#define GALENA_MODEL_FAULT_H
#include "model/cu/cu.h"

/* Whether the fault is one that a replay may resolve. */
static inline bool fault_replays(enum fault f)
{
	return f == FAULT_PAGE_NOT_PRESENT || f == FAULT_PAGE_READ || f == FAULT_PAGE_WRITE || f == FAULT_PAGE_EXEC;
}
/* Lanes of a memory instruction that faulted whose accesses are done: those before the one that failed, if they do not try again. */
static inline uint32_t fault_lanes_done(const struct warp *w)
{
	return w->replay && fault_replays(w->fault.code) ? 0 : w->mask & ((1u << w->fault.lane) - 1);
}
/* The instruction op of the warp faults in a lane: it does not retire, and the run loop is left. */
void fault_raise(struct warp *, const struct uop *op, enum fault, enum access, uint64_t va, unsigned lane);
/* Reports the warp's fault to the dispatcher. A page fault that may be replayed leaves the warp stalled at the instruction;
 * any other ends the dispatch. */
void fault_report(struct cu *, struct warp *);
/* The slot's warps that are stalled at a page fault try again. */
void fault_replay(struct cu *, unsigned slot, uint64_t now);
/* Fills in group_id and local_id. */
void fault_lane(const struct warp *, unsigned lane, struct compute_fault *);

#endif
