/* Whether two data objects have bytes in common: what orders the nodes of a graph. */
#ifndef GALENA_RUNTIME_OPENVX_OVERLAP_H
#define GALENA_RUNTIME_OPENVX_OVERLAP_H
#include "runtime/openvx/data.h"
/* The parts of a pyramid or an object array, and how many; 0: it is neither. */
vx_size parts_of(vx_reference container, const vx_reference **parts);
bool objects_overlap(vx_reference, vx_reference);
/* A kernel of the application's has an object, or has it no more: it and its parts can be accessed as long as one has. */
void parts_use(vx_reference, bool in_use);
/* What has the place in another object that a reference has in one like it, as the whole or a part; NULL: it is neither. */
vx_reference part_like(vx_reference one, vx_reference other, vx_reference ref);
#endif
