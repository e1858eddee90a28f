#ifndef GALENA_MODEL_BARRIER_H
#define GALENA_MODEL_BARRIER_H
#include "model/cu/cu.h"

/* The running lanes of the warp have arrived. */
void barrier_arrive(struct warp *);
/* Lets the group's warps go on when all its live work-items have arrived. After an arrival, and after lanes have ended. */
void barrier_check(struct cu *, struct group *);

#endif
