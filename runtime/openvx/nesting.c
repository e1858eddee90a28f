/* Nesting of the application's functions (nesting.h). */
#include "runtime/openvx/nesting.h"
#include "runtime/openvx/graph.h"

static _Thread_local struct nesting *innermost;

void node_enter(struct nesting *here, const struct _vx_node *n, bool callback)
{
	*here = (struct nesting){callback ? NULL : n, n->graph, n->reference.context, innermost};
	innermost = here;
}

void node_leave(const struct nesting *here) { innermost = here->outer; }

const struct _vx_node *node_current(void) { return innermost ? innermost->node : NULL; }

bool inside_graph(const struct _vx_graph *g)
{
	const struct nesting *i = innermost;
	while (i && i->graph != g)
		i = i->outer;
	return i != NULL;
}

bool inside_context(const struct _vx_context *c)
{
	const struct nesting *i = innermost;
	while (i && i->context != c)
		i = i->outer;
	return i != NULL;
}
