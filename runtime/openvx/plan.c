/* Plans of graphs (plan.h). */
#include "runtime/openvx/plan.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/perf.h"
#include <stdlib.h>

enum { QUEUES = 2 }; /* where the environment says nothing */

void plan_free(struct _vx_graph *g)
{
	if (!g->plan)
		return;
	free(g->plan->steps);
	free(g->plan->nodes);
	free(g->plan->follows);
	free(g->plan);
	g->plan = NULL;
}

/* ---- steps ---- */
static void steps_make(struct plan *p, const struct _vx_graph *g, const unsigned *last)
{
	unsigned placed = 0;
	for (unsigned i = 0; i < g->num_order; i++) {
		if (last[i] != i)
			continue;
		struct step *s = &p->steps[p->num_steps++];
		*s = (struct step){.nodes = p->nodes + placed};
		for (unsigned k = 0; k <= i; k++)
			if (last[k] == i)
				s->nodes[s->num_nodes++] = g->order[k];
		placed += s->num_nodes;
	}
}

static bool step_follows(const struct step *earlier, const struct step *later)
{
	for (unsigned i = 0; i < earlier->num_nodes; i++)
		for (unsigned k = 0; k < later->num_nodes; k++)
			if (node_follows(earlier->nodes[i], later->nodes[k]))
				return true;
	return false;
}

static unsigned queues_wanted(void)
{
	const char *wanted = getenv("GALENA_OPENVX_QUEUES");
	const long n = wanted && *wanted ? strtol(wanted, NULL, 0) : QUEUES;
	return n < 1 ? 1 : n > QUEUES_MAX ? QUEUES_MAX : (unsigned)n;
}

vx_status plan_make(struct _vx_graph *g)
{
	struct plan *p = g->plan = calloc(1, sizeof *p);
	unsigned *last = p ? fuse_nodes(g) : NULL;
	if (last) {
		p->steps = calloc(g->num_order + 1, sizeof *p->steps);
		p->nodes = calloc(g->num_order + 1, sizeof(struct _vx_node *));
	}
	if (p && p->steps && p->nodes) {
		steps_make(p, g, last);
		p->follows = calloc((size_t)p->num_steps * p->num_steps + 1, sizeof *p->follows);
	}
	free(last);
	FAIL_IF(!p || !p->follows, g, VX_ERROR_NO_MEMORY, "no memory for the plan of %u nodes", g->num_order);
	for (unsigned i = 0; i < p->num_steps; i++)
		for (unsigned k = 0; k < i; k++)
			p->follows[i * p->num_steps + k] = step_follows(&p->steps[k], &p->steps[i]);
	queues_assign(p, queues_wanted());
	return plan_rehearse(p);
}

vx_status plan_rehearse(const struct plan *p)
{
	for (unsigned i = 0; i < p->num_steps; i++)
		if (p->steps[i].num_nodes > 1)
			TRY(fused_execute(p->steps[i].nodes, p->steps[i].num_nodes, true));
	return VX_SUCCESS;
}

/* ---- execution ---- */
/* Nodes of which the application hears one by one run one by one: it is called back, and may end the graph there; it has registered
 * events, or streams; or it measures. */
static bool nodes_run_singly(const struct _vx_graph *g, const struct execution *x)
{
	bool singly = g->reference.context->measures || (x && execution_reports_nodes(x));
	for (const struct _vx_node *n = g->first; n && !singly; n = n->next)
		singly = n->callback != NULL;
	return singly;
}

bool plan_applies(const struct _vx_graph *g, const struct execution *x)
{
	const struct plan *p = g->plan;
	if (p->num_steps == g->num_order && p->num_queues == 1)
		return false; /* it is the order of the nodes */
	return !nodes_run_singly(g, x) && !memory_is_shared(g);
}

vx_status step_execute(const struct step *s, struct execution *x)
{
	if (s->num_nodes == 1)
		return node_execute(s->nodes[0], x);
	vx_status status = VX_SUCCESS;
	for (unsigned i = 0; i < s->num_nodes; i++) {
		const vx_status changed = node_unchanged(s->nodes[i]);
		status = status ? status : changed;
		perf_begin(&s->nodes[i]->performance);
	}
	if (!status)
		status = fused_execute(s->nodes, s->num_nodes, false);
	for (unsigned i = 0; i < s->num_nodes; i++) {
		struct _vx_node *n = s->nodes[i];
		n->status = status;
		perf_end(&n->performance);
	}
	if (status)
		fail(s->nodes[s->num_nodes - 1], status, "node of %s, with %u before it as one kernel, has failed",
		     s->nodes[s->num_nodes - 1]->kernel->name, s->num_nodes - 1);
	return status;
}
