/* Resident work-groups of a compute unit: their start in free warp slots and local memory, and their end. */
#ifndef GALENA_MODEL_WORKGROUP_H
#define GALENA_MODEL_WORKGROUP_H
#include "model/cu/cu.h"

/* Fills the unit with work-groups that the dispatcher has given it: one a slot in turn. */
void workgroup_fill(struct cu *);
/* Whether the unit has room for the dispatch's work-group of this number, and waits for none that it was given. */
struct dispatch;
bool workgroup_fits(const struct cu *, const struct dispatch *, uint64_t number);
/* All lanes of the warp have ended. */
void workgroup_warp_end(struct cu *, struct warp *);
/* Throws out the groups of a slot. */
void workgroup_kill(struct cu *, unsigned slot);
/* Cycle at which the last begun of the slot's work-groups that are here began; 0: none is. */
uint64_t workgroup_since(const struct cu *, unsigned slot);
/* Names a lane of the slot that runs, with its program counter unless the job is protected; false: none does. */
bool workgroup_running(const struct cu *, unsigned slot, struct compute_fault *);

#endif
