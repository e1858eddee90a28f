/* Nesting of the application's functions: for which nodes a thread is in functions of kernels or in callbacks. */
#ifndef GALENA_RUNTIME_OPENVX_NESTING_H
#define GALENA_RUNTIME_OPENVX_NESTING_H
#include <stdbool.h>

struct _vx_context;
struct _vx_graph;
struct _vx_node;

struct nesting {
	const struct _vx_node *node;   /* of the kernel whose function it is; NULL: a callback */
	const struct _vx_graph *graph; /* of the node; NULL: the node has none any more */
	const struct _vx_context *context;
	struct nesting *outer;         /* that this one was called in */
};

/* This thread enters a function for the node, and leaves it. */
void node_enter(struct nesting *here, const struct _vx_node *, bool callback);
void node_leave(const struct nesting *here);

const struct _vx_node *node_current(void); /* the innermost; NULL: in no function of a kernel */
bool inside_graph(const struct _vx_graph *);
bool inside_context(const struct _vx_context *);
#endif
