/* In whose functions a thread is. */
#include "runtime/openvx/entered.h"
#include "runtime/openvx/graph.h"

static _Thread_local struct entered *innermost;

void node_enter(struct entered *here, const struct _vx_node *n, bool callback)
{
	*here = (struct entered){callback ? NULL : n, n->graph, n->reference.context, innermost};
	innermost = here;
}

void node_leave(const struct entered *here) { innermost = here->outer; }

const struct _vx_node *node_entered(void) { return innermost ? innermost->node : NULL; }

bool inside_graph(const struct _vx_graph *g)
{
	const struct entered *i = innermost;
	while (i && i->graph != g)
		i = i->outer;
	return i != NULL;
}

bool inside_context(const struct _vx_context *c)
{
	const struct entered *i = innermost;
	while (i && i->context != c)
		i = i->outer;
	return i != NULL;
}
