/* How a verified graph runs: in steps, each a node or several that are one launch, on several queues.
 *
 * Verification makes the plan (plan.c): fuse.c finds which nodes become one step, queues.c which steps may run side by side. A
 * graph whose nodes run singly, because of callbacks, events or measurements of single nodes, runs node by node
 * instead (execute.c). */
#ifndef GALENA_RUNTIME_OPENVX_PLAN_H
#define GALENA_RUNTIME_OPENVX_PLAN_H
#include "runtime/openvx/graph.h"

struct step {
	struct _vx_node **nodes; /* in order; of several the last one's output is what is left */
	unsigned num_nodes;
	unsigned queue;          /* 0: the coordination queue; else one of the device's side queues */
	bool awaited;            /* by a step in another queue */
};

struct plan {
	struct step *steps;      /* each behind those whose outputs it reads */
	unsigned num_steps;
	struct _vx_node **nodes; /* of all steps, one step's behind the other's */
	bool *follows;           /* [later * num_steps + earlier]: the later step begins when the earlier one has ended */
	unsigned num_queues;     /* that steps are in */
};

vx_status plan_make(struct _vx_graph *);     /* graph->plan, of a graph that has been verified */
void plan_free(struct _vx_graph *);
vx_status plan_rehearse(const struct plan *); /* the programs of steps of several nodes are asked for */
bool plan_applies(const struct _vx_graph *, const struct execution *); /* now: to this execution; NULL: one that nothing is reported of */
/* queues.c: enqueues all steps. What follows in the coordination queue finds the results. */
vx_status plan_execute(struct _vx_graph *, struct execution *);

/* ---- fuse.c ---- */
/* For each node of graph->order the place there of the last node of its step. NULL: no memory. To be freed. */
unsigned *fuse_nodes(const struct _vx_graph *);
/* One launch for the nodes of a step that are several, in the name of the last one. dry: builds the kernel alone. */
vx_status fused_execute(struct _vx_node *const *nodes, unsigned count, bool dry);

/* ---- alias.c ---- */
/* Objects of the graph that are different to it have memory in common, and a node writes it. */
bool memory_is_shared(const struct _vx_graph *);

/* ---- queues.c ---- */
void queues_assign(struct plan *, unsigned most); /* num_queues, of each step the queue, and whether it is awaited */
vx_status step_execute(const struct step *, struct execution *); /* plan.c: in the queue that is the device's now */
#endif
