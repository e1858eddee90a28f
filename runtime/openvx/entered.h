/* In whose functions a thread is: those of the application's that are called for a node, a kernel's or a callback. */
#ifndef GALENA_RUNTIME_OPENVX_ENTERED_H
#define GALENA_RUNTIME_OPENVX_ENTERED_H
#include <stdbool.h>

struct _vx_context;
struct _vx_graph;
struct _vx_node;

struct entered {
	const struct _vx_node *node;   /* whose kernel's function it is; NULL: a callback, which is none of the kernel's */
	const struct _vx_graph *graph; /* of the node; NULL: it is in none any more */
	const struct _vx_context *context;
	struct entered *outer;         /* where the thread was before */
};

/* This thread is in a function for the node from now on, until it leaves it. */
void node_enter(struct entered *here, const struct _vx_node *, bool callback);
void node_leave(const struct entered *here);

const struct _vx_node *node_entered(void); /* NULL: in no kernel's function */
bool inside_graph(const struct _vx_graph *);
bool inside_context(const struct _vx_context *);
#endif
