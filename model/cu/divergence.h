/* Divergence and reconvergence: which lanes of a warp run. */
#ifndef GALENA_MODEL_DIVERGENCE_H
#define GALENA_MODEL_DIVERGENCE_H
#include "abi/constants.h"
#include <stdint.h>

/* Lanes that stand at the same instruction at the same call depth. */
struct warp_split {
	uint64_t pc;
	uint32_t depth, mask;
};

struct warp;
/* Each sets w->op, w->mask, w->stop for what runs next; w->exit stays LEAVE_NONE unless a fetch faulted. When no lane is
 * left to run, w->mask is 0. */
void divergence_branch(struct warp *, uint32_t taken, uint64_t taken_pc, uint64_t other_pc);
void divergence_jump(struct warp *, uint64_t pc);
void divergence_refetch(struct warp *, uint64_t pc);       /* the running split goes on where it stands, in the pages as they are now */
void divergence_jump_lanes(struct warp *, const uint64_t *targets); /* of the lanes of w->mask */
void divergence_end(struct warp *);                       /* the running lanes end */
void divergence_wait(struct warp *, uint64_t pc);         /* the running lanes wait at a barrier, to go on at pc */
void divergence_release(struct warp *);                   /* the lanes at the barrier go on */
void divergence_reconverge(struct warp *, uint64_t pc);   /* the running lanes wait for the others of the warp, to go on at pc */
/* The slice is used up, and splits are pending: one of them, in turn, becomes the running one, or, behind such a turn, the best one.
 * The others above do it themselves where it is due. */
void divergence_slice_end(struct warp *, uint64_t pc);

#endif
