/* Replicated nodes: one for each level of a pyramid, or item of an object array. */
#ifndef GALENA_RUNTIME_OPENVX_REPLICATE_H
#define GALENA_RUNTIME_OPENVX_REPLICATE_H
#include "runtime/openvx/graph.h"
vx_reference container_of_part(vx_reference part); /* the pyramid or object array that it is the first part of; itself when there is none */
vx_status replicas_check(struct _vx_node *, const vx_bool *flags);
void replicas_hold(struct _vx_node *, vx_uint32 index); /* after a change of a parameter: what it is a part of lives on */
vx_status replicas_make(struct _vx_node *); /* by verification */
#endif
