/* Whether two data objects have bytes in common: what orders the nodes of a graph. */
#ifndef GALENA_RUNTIME_OPENVX_OVERLAP_H
#define GALENA_RUNTIME_OPENVX_OVERLAP_H
#include "runtime/openvx/data.h"
/* The parts of a pyramid or an object array, and how many; 0: it is neither. */
vx_size parts_of(vx_reference container, const vx_reference **parts);
bool objects_overlap(vx_reference, vx_reference);
#endif
