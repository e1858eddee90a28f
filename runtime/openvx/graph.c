/* Graphs (OpenVX 1.3, 3.11). */
#include "runtime/openvx/graph.h"
#include "runtime/openvx/delay.h"
#include "runtime/openvx/perf.h"
#include <stdlib.h>
#include <string.h>

bool graph_is(vx_graph g) { return object_is(g, VX_TYPE_GRAPH); }

void graph_changed(struct _vx_graph *g)
{
	g->verified = false;
	if (g->state != VX_GRAPH_STATE_RUNNING)
		g->state = VX_GRAPH_STATE_UNVERIFIED;
}

static void graph_destroy(struct _vx_reference *ref)
{
	struct _vx_graph *g = (struct _vx_graph *)ref;
	struct _vx_context *c = ref->context;
	if (g->scheduled)
		vxWaitGraph(g);
	for (unsigned i = 0; i < g->num_aging; i++)
		object_unuse((vx_reference)g->aging[i]);
	free(g->aging);
	for (struct _vx_node *n = g->first, *next; n; n = next) {
		next = n->next;
		node_orphan(n);
	}
	for (struct _vx_reference *r = c->first; r; r = r->next)
		if (r->scope == ref)
			r->scope = &c->reference;
	free(g->order);
	free(g->parameters);
}

VX_API_ENTRY VX_EXPORT vx_graph VX_API_CALL vxCreateGraph(vx_context c)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	struct _vx_graph *g = object_create(c, VX_TYPE_GRAPH, sizeof *g, &c->reference, graph_destroy);
	if (!g)
		return (vx_graph)object_error(c, fail(c, VX_ERROR_NO_MEMORY, "no memory for a graph"));
	g->last = &g->first;
	g->state = VX_GRAPH_STATE_UNVERIFIED;
	return g;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseGraph(vx_graph *graph) { return object_release((vx_reference *)graph, VX_TYPE_GRAPH); }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryGraph(vx_graph g, vx_enum attribute, void *ptr, vx_size size)
{
	if (!graph_is(g))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxQueryGraph: not a graph");
	LOCKED(g->reference.context);
	switch (attribute) {
	case VX_GRAPH_NUMNODES:
		return GET_ATTRIBUTE(g, attribute, ptr, size, vx_uint32, g->num_nodes);
	case VX_GRAPH_PERFORMANCE:
		return attribute_get(g, attribute, ptr, size, &g->performance, sizeof g->performance);
	case VX_GRAPH_NUMPARAMETERS:
		return GET_ATTRIBUTE(g, attribute, ptr, size, vx_uint32, g->num_parameters);
	case VX_GRAPH_STATE:
		return GET_ATTRIBUTE(g, attribute, ptr, size, vx_enum, g->state);
	default:
		return attribute_unknown(g, attribute);
	}
}

/* vxSetGraphAttribute: no attribute of the framework's can be written. */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetGraphAttribute(vx_graph g, vx_enum attribute, const void *ptr, vx_size size)
{
	(void)ptr;
	(void)size;
	if (!graph_is(g))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSetGraphAttribute: not a graph");
	return attribute_unknown(g, attribute);
}

vx_status graph_add_parameter(struct _vx_graph *g, struct _vx_node *n, vx_uint32 index)
{
	struct graph_parameter *grown = realloc(g->parameters, (g->num_parameters + 1) * sizeof *grown);
	if (!grown)
		return fail(g, VX_ERROR_NO_MEMORY, "no memory for a parameter of a graph");
	g->parameters = grown;
	grown[g->num_parameters++] = (struct graph_parameter){n, index};
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_bool VX_API_CALL vxIsGraphVerified(vx_graph g) { return graph_is(g) && g->verified ? vx_true_e : vx_false_e; }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxRegisterAutoAging(vx_graph g, vx_delay delay)
{
	if (!graph_is(g) || !object_is(delay, VX_TYPE_DELAY))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxRegisterAutoAging: not a graph, or not a delay");
	LOCKED(g->reference.context);
	for (unsigned i = 0; i < g->num_aging; i++)
		if (g->aging[i] == delay)
			return VX_SUCCESS;
	struct _vx_delay **grown = realloc(g->aging, (g->num_aging + 1) * sizeof *grown);
	if (!grown)
		return fail(g, VX_ERROR_NO_MEMORY, "no memory to age a delay");
	g->aging = grown;
	grown[g->num_aging++] = delay;
	object_use((vx_reference)delay);
	return VX_SUCCESS;
}

/* ---- verification, execution ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxVerifyGraph(vx_graph g)
{
	if (!graph_is(g))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxVerifyGraph: not a graph");
	LOCKED(g->reference.context);
	if (g->scheduled)
		return fail(g, VX_ERROR_GRAPH_SCHEDULED, "vxVerifyGraph: the graph is running");
	const vx_status status = graph_verify(g);
	g->verified = !status;
	g->state = status ? VX_GRAPH_STATE_UNVERIFIED : VX_GRAPH_STATE_VERIFIED;
	return status;
}

/* Enqueues all; in a context of OpenVX' own it is then waited for. Lock held. */
static vx_status run(struct _vx_graph *g)
{
	struct _vx_context *c = g->reference.context;
	g->state = VX_GRAPH_STATE_RUNNING;
	perf_begin(&g->performance);
	vx_status status = graph_execute(g);
	if (!status && !c->shared)
		status = device_finish(&c->device);
	/* vxRegisterAutoAging: after each success, and when a callback has abandoned the graph */
	const bool ages = !status || status == VX_ERROR_GRAPH_ABANDONED;
	for (unsigned i = 0; ages && i < g->num_aging; i++)
		delay_age(g->aging[i]);
	perf_end(&g->performance);
	return status;
}

static vx_status ended(struct _vx_graph *g, vx_status status)
{
	g->state = status ? VX_GRAPH_STATE_ABANDONED : VX_GRAPH_STATE_COMPLETED;
	return status;
}

static vx_status ready(struct _vx_graph *g)
{
	if (g->scheduled)
		return fail(g, VX_ERROR_GRAPH_SCHEDULED, "the graph has been scheduled: vxWaitGraph");
	return g->verified ? VX_SUCCESS : vxVerifyGraph(g);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxProcessGraph(vx_graph g)
{
	if (!graph_is(g))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxProcessGraph: not a graph");
	LOCKED(g->reference.context);
	vx_status status = ready(g);
	return status ? status : ended(g, run(g));
}

static void *run_in_thread(void *arg)
{
	struct _vx_graph *g = arg;
	LOCKED(g->reference.context);
	g->result = run(g);
	return NULL;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxScheduleGraph(vx_graph g)
{
	if (!graph_is(g))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxScheduleGraph: not a graph");
	LOCKED(g->reference.context);
	const vx_status status = ready(g);
	if (status)
		return status;
	g->scheduled = true;
	g->state = VX_GRAPH_STATE_RUNNING;
	object_use(&g->reference);
	g->threaded = !pthread_create(&g->thread, NULL, run_in_thread, g);
	if (!g->threaded)
		g->result = run(g);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxWaitGraph(vx_graph g)
{
	if (!graph_is(g))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxWaitGraph: not a graph");
	struct _vx_context *c = g->reference.context;
	context_lock(c);
	const bool scheduled = g->scheduled, threaded = g->threaded;
	g->scheduled = false;
	g->threaded = false;
	context_unlock(c);
	/* vxWaitGraph: of a graph that has been scheduled */
	if (!scheduled)
		return fail(g, VX_FAILURE, "vxWaitGraph: the graph has not been scheduled");
	if (threaded)
		pthread_join(g->thread, NULL);
	LOCKED(c);
	const vx_status status = ended(g, g->result);
	object_unuse(&g->reference);
	return status;
}
