/* Objects that become others in a graph that is verified, and stays so: what is enqueued for each execution, and what kernels of the
 * application's hand on in the place of what they were given (vx_khr_pipelining, 2.2.1 and 2.3). */
#ifndef GALENA_RUNTIME_OPENVX_EXCHANGE_H
#define GALENA_RUNTIME_OPENVX_EXCHANGE_H
#include "runtime/openvx/graph.h"

enum { NO_QUEUE = -1 };
/* The parameter of its graph whose queue a place, a parameter of a node, follows. */
static inline vx_int32 place_queue(const struct _vx_node *n, vx_uint32 index) { return n->follows ? n->follows[index] : NO_QUEUE; }

/* In the places that follow a queue, an object becomes another one that is like it, and a part of it the same part of the other. The
 * delay whose slot it is has the other one then, too. */
void graph_exchange(struct _vx_graph *, vx_int32 queue, vx_reference from, vx_reference to);
/* Whether an object would still be used, in part, by a node of the graph when it has been exchanged. */
/* footprint: all that stands for it, when it is a part in a place that is replicated. */
bool graph_uses_rest(const struct _vx_graph *, vx_int32 queue, vx_reference, vx_reference footprint);
bool graph_writes(const struct _vx_graph *, vx_reference);
void place_set(struct _vx_node *, vx_uint32 index, vx_reference); /* of the node, and of its replicas */
#endif
