/* Verification of graphs (OpenVX 1.3, 2.12): order, single writers, meta data, initialization. */
#include "runtime/openvx/check_node.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/nesting.h"
#include "runtime/openvx/meta_format.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/plan.h"
#include "runtime/openvx/replicate.h"
#include <stdlib.h>

static bool writes(const struct _vx_node *n, vx_uint32 i) { return n->kernel->parameters[i].direction != VX_INPUT; }
static bool reads(const struct _vx_node *n, vx_uint32 i) { return n->kernel->parameters[i].direction != VX_OUTPUT; }

vx_reference node_footprint(const struct _vx_node *n, vx_uint32 i)
{
	return n->replicate && n->replicate[i] && n->parameters[i] ? container_of_part(n->parameters[i]) : n->parameters[i];
}

static vx_status check_presence(struct _vx_graph *g)
{
	/* vxVerifyGraph: nothing is no topology that can run */
	FAIL_IF(!g->num_nodes, g, VX_ERROR_INVALID_GRAPH, "the graph has no nodes");
	for (struct _vx_node *n = g->first; n; n = n->next)
		for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++)
			if (!n->parameters[i] && n->kernel->parameters[i].state == VX_PARAMETER_STATE_REQUIRED)
				return fail(n, VX_ERROR_NOT_SUFFICIENT, "node of %s, parameter %u: it is required, and not set", n->kernel->name, i);
	return VX_SUCCESS;
}

/* ---- writers ---- */
/* The parameter of b that a parameter of a, written, has bytes in common with: written, too, or read. -1: there is none. */
static int meets(const struct _vx_node *a, vx_uint32 i, const struct _vx_node *b, bool (*how)(const struct _vx_node *, vx_uint32))
{
	for (vx_uint32 k = 0; k < b->kernel->num_parameters; k++)
		if (b->parameters[k] && how(b, k) && (a != b || k != i) && objects_overlap(node_footprint(a, i), node_footprint(b, k)))
			return (int)k;
	return -1;
}

static vx_status check_writers(struct _vx_graph *g)
{
	for (struct _vx_node *a = g->first; a; a = a->next) {
		for (vx_uint32 i = 0; i < a->kernel->num_parameters; i++) {
			if (!a->parameters[i] || !writes(a, i))
				continue;
			for (struct _vx_node *b = a; b; b = b->next) {
				const int k = meets(a, i, b, writes);
				/* 2.10: each object is written by one parameter of one node */
				if (k >= 0)
					return fail(b, VX_ERROR_MULTIPLE_WRITERS, "node of %s, parameter %d: parameter %u of a node of %s writes it, too",
						    b->kernel->name, k, i, a->kernel->name);
			}
		}
	}
	return VX_SUCCESS;
}

/* ---- the order ---- */
/* The parameter by which b reads what a writes, so that it comes after a; -1: there is none. */
static int follows(const struct _vx_node *a, const struct _vx_node *b)
{
	int found = -1;
	for (vx_uint32 i = 0; found < 0 && i < a->kernel->num_parameters; i++)
		if (a->parameters[i] && writes(a, i))
			found = meets(a, i, b, reads);
	return found;
}

bool node_follows(const struct _vx_node *a, const struct _vx_node *b) { return a != b && follows(a, b) >= 0; }

/* From m on, a node that is not placed yet whose output n, which is not either, reads; itself, perhaps. NULL: there is none. */
static struct _vx_node *predecessor(struct _vx_node *m, const struct _vx_node *n)
{
	while (m && (m->depth || follows(m, n) < 0))
		m = m->next;
	return m;
}

/* Back from a node that cannot be placed: after as many steps as there are nodes it is in a cycle. */
static vx_status refuse_cycle(const struct _vx_graph *g)
{
	const struct _vx_node *n = g->first;
	while (n->depth)
		n = n->next;
	for (vx_uint32 i = 0; i < g->num_nodes; i++)
		n = predecessor(g->first, n);
	const struct _vx_node *before = predecessor(g->first, n);
	return fail(n, VX_ERROR_INVALID_GRAPH, "node of %s, parameter %d: it reads what a node of %s writes, which needs it first: the graph has a cycle", n->kernel->name,
		    follows(before, n), before->kernel->name);
}

/* Nodes without a predecessor that is not placed yet come next, in the order of their creation. */
static vx_status find_order(struct _vx_graph *g)
{
	struct _vx_node **order = calloc(g->num_nodes ? g->num_nodes : 1, sizeof *order);
	unsigned placed = 0;
	FAIL_IF(!order, g, VX_ERROR_NO_MEMORY, "no memory for the order of %u nodes", g->num_nodes);
	free(g->order);
	g->order = order;
	g->num_order = 0;
	for (struct _vx_node *n = g->first; n; n = n->next)
		n->depth = 0, n->awaits = g->first;
	while (placed < g->num_nodes) {
		const unsigned before = placed;
		for (struct _vx_node *n = g->first; n; n = n->next) {
			if (n->depth)
				continue;
			n->awaits = predecessor(n->awaits, n); /* none before it: they stay placed, or are none */
			if (n->awaits)
				continue;
			order[placed++] = n;
			n->depth = placed;
		}
		if (placed == before) /* 2.10: no cycles */
			return refuse_cycle(g);
	}
	g->num_order = placed;
	return VX_SUCCESS;
}

/* ---- nodes ---- */
static vx_status initialize(struct _vx_node *n)
{
	const struct _vx_kernel *k = n->kernel;
	vx_status status = VX_SUCCESS;
	n->local_data_size = k->local_data_size;
	n->initialized = true;
	n->local_data_open = true;
	struct nesting here;
	node_enter(&here, n, false);
	if (k->initialize)
		status = k->initialize(n, n->parameters, k->num_parameters);
	node_leave(&here);
	n->local_data_open = false;
	if (!status && n->local_data_size && !n->local_data) {
		n->local_data = calloc(1, n->local_data_size);
		n->local_data_own = true;
		if (!n->local_data)
			status = VX_ERROR_NO_MEMORY;
	}
	return status ? fail(n, status, "node of %s cannot be initialized", k->name) : VX_SUCCESS;
}

static vx_status verify_one(struct _vx_node *n)
{
	vx_status status = n->kernel->vision ? check_node(n) : user_node_validate(n);
	if (!status && !n->kernel->vision)
		status = initialize(n);
	return status;
}

static vx_status verify_node(struct _vx_node *n)
{
	n->changed = false;
	node_forget(n);
	if (!n->replicate)
		return verify_one(n);
	TRY(replicas_make(n));
	for (unsigned i = 0; i < n->num_replicas; i++)
		TRY(verify_one(n->replicas[i]));
	return VX_SUCCESS;
}

/* Virtual objects are again as they were declared: what verification finds may be something else now. */
static void undefine(vx_reference ref)
{
	if (ref->class->undefine)
		ref->class->undefine(ref);
}

static void forget_virtuals(struct _vx_graph *g)
{
	for (struct _vx_node *n = g->first; n; n = n->next)
		for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++)
			if (n->parameters[i] && writes(n, i))
				undefine(node_footprint(n, i));
}

vx_status graph_verify(struct _vx_graph *g)
{
	plan_free(g);
	TRY(pipeline_prepare(g));
	TRY(check_presence(g));
	TRY(check_writers(g));
	TRY(find_order(g));
	forget_virtuals(g);
	for (unsigned i = 0; i < g->num_order; i++)
		TRY(verify_node(g->order[i]));
	TRY(pipeline_verify(g));
	return plan_make(g);
}
