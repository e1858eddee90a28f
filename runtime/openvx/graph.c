/* Graphs (OpenVX 1.3, 3.11). */
#include "runtime/openvx/graph.h"
#include "runtime/openvx/delay.h"
#include "runtime/openvx/perf.h"
#include "runtime/openvx/plan.h"
#include <stdlib.h>

void graph_changed(struct _vx_graph *g)
{
	g->verified = false;
	if (g->state != VX_GRAPH_STATE_RUNNING)
		g->state = VX_GRAPH_STATE_UNVERIFIED;
}

vx_status graph_can_change(const struct _vx_graph *g, const char *function)
{
	/* vx_khr_ix: imported graphs cannot become unverified */
	return g->imported ? fail(g, VX_ERROR_NOT_SUPPORTED, "%s: an imported graph stays as it is", function) : VX_SUCCESS;
}

static void graph_destroy(struct _vx_reference *ref)
{
	struct _vx_graph *g = (struct _vx_graph *)ref;
	struct _vx_context *c = ref->context;
	pipeline_destroy(g);
	for (unsigned i = 0; i < g->num_aging; i++)
		object_unuse((vx_reference)g->aging[i]);
	free(g->aging);
	for (struct _vx_node *n = g->first, *next; n; n = next) {
		next = n->next;
		node_orphan(n);
	}
	for (struct _vx_reference *r = LIST_FIRST(&c->objects); r; r = LIST_NEXT(r, of_context))
		if (r->scope == ref)
			r->scope = &c->reference;
	free(g->order);
	plan_free(g);
	free(g->parameters);
}

VX_API_ENTRY VX_EXPORT vx_graph VX_API_CALL vxCreateGraph(vx_context c)
{
	ENTER_OR_NULL(c, VX_TYPE_CONTEXT);
	struct _vx_graph *g = object_create(c, VX_TYPE_GRAPH, sizeof *g, &c->reference, graph_destroy);
	if (!g)
		return (vx_graph)object_error(c, fail(c, VX_ERROR_NO_MEMORY, "no memory for a graph"));
	g->last = &g->first;
	g->reference.released = pipeline_released;
	g->pipeline.mode = VX_GRAPH_SCHEDULE_MODE_NORMAL;
	g->state = VX_GRAPH_STATE_UNVERIFIED;
	return g;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseGraph(vx_graph *graph)
{
	if (graph && !object_inherited(*graph) && object_is(*graph, VX_TYPE_GRAPH))
		pipeline_quiesce(*graph);
	return object_release((vx_reference *)graph, VX_TYPE_GRAPH);
}

static vx_status query_performance(vx_graph g, vx_enum attribute, void *ptr, vx_size size)
{
	const vx_perf_t performance = WITH_PIPELINES(g->reference.context, g->performance);
	return attribute_get(g, attribute, ptr, size, &performance, sizeof performance);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryGraph(vx_graph g, vx_enum attribute, void *ptr, vx_size size)
{
	ENTER(g, VX_TYPE_GRAPH);
	switch (attribute) {
	case VX_GRAPH_NUMNODES: return GET(g, vx_uint32, g->num_nodes);
	case VX_GRAPH_PERFORMANCE: return query_performance(g, attribute, ptr, size);
	case VX_GRAPH_NUMPARAMETERS: return GET(g, vx_uint32, g->num_parameters);
	case VX_GRAPH_STATE: return GET(g, vx_enum, pipeline_state(g));
	case VX_GRAPH_SCHEDULE_MODE: return GET(g, vx_enum, g->pipeline.mode);
	default: return attribute_unknown(g, attribute);
	}
}

/* vxSetGraphAttribute: no attribute of the framework's can be written. */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetGraphAttribute(vx_graph g, vx_enum attribute, const void *ptr, vx_size size)
{
	(void)ptr;
	(void)size;
	EXPECT(g, VX_TYPE_GRAPH);
	return attribute_unknown(g, attribute);
}

vx_status graph_add_parameter(struct _vx_graph *g, struct _vx_node *n, vx_uint32 index)
{
	struct pipelines *all = &g->reference.context->pipelines;
	pthread_mutex_lock(&all->lock);
	struct graph_parameter *grown = realloc(g->parameters, (g->num_parameters + 1) * sizeof *grown);
	if (grown) {
		g->parameters = grown;
		grown[g->num_parameters++] = (struct graph_parameter){.node = n, .index = index};
	}
	pthread_mutex_unlock(&all->lock);
	return grown ? VX_SUCCESS : fail(g, VX_ERROR_NO_MEMORY, "no memory for a parameter of a graph");
}

VX_API_ENTRY VX_EXPORT vx_bool VX_API_CALL vxIsGraphVerified(vx_graph g)
{
	if (!object_is(g, VX_TYPE_GRAPH))
		return vx_false_e;
	LOCKED(g->reference.context);
	return g->verified ? vx_true_e : vx_false_e;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxRegisterAutoAging(vx_graph g, vx_delay delay)
{
	/* vxRegisterAutoAging: a delay of the graph's context */
	if (!object_is(g, VX_TYPE_GRAPH) || !object_is(delay, VX_TYPE_DELAY) || g->reference.context != delay->reference.context)
		return fail(g, VX_ERROR_INVALID_REFERENCE, "vxRegisterAutoAging: not a graph, or not a delay of its context");
	LOCKED(g->reference.context);
	for (unsigned i = 0; i < g->num_aging; i++)
		if (g->aging[i] == delay)
			return VX_SUCCESS;
	struct _vx_delay **grown = realloc(g->aging, (g->num_aging + 1) * sizeof *grown);
	FAIL_IF(!grown, g, VX_ERROR_NO_MEMORY, "no memory to age a delay");
	g->aging = grown;
	grown[g->num_aging++] = delay;
	object_use((vx_reference)delay);
	return VX_SUCCESS;
}

/* ---- verification, execution ---- */
/* The caller executes the graph, or no thread does. */
static vx_status verify(struct _vx_graph *g)
{
	const vx_status status = graph_verify(g);
	g->verified = !status;
	g->state = status ? VX_GRAPH_STATE_UNVERIFIED : VX_GRAPH_STATE_VERIFIED;
	return status;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxVerifyGraph(vx_graph g)
{
	ENTER(g, VX_TYPE_GRAPH);
	TRY(pipeline_idle(g, "vxVerifyGraph"));
	/* vx_khr_ix: without further verification */
	return g->imported && g->verified ? VX_SUCCESS : verify(g);
}

vx_status graph_ready(struct _vx_graph *g) { return g->verified ? VX_SUCCESS : verify(g); }

void graph_ran(struct _vx_graph *g, vx_status status)
{
	g->state = !g->verified ? VX_GRAPH_STATE_UNVERIFIED : status ? VX_GRAPH_STATE_ABANDONED : VX_GRAPH_STATE_COMPLETED;
}

vx_status graph_run(struct _vx_graph *g, struct execution *x)
{
	const vx_status status = graph_execute(g, x);
	/* vxRegisterAutoAging: after each success, and when a callback has abandoned the graph */
	const bool ages = !status || status == VX_ERROR_GRAPH_ABANDONED;
	for (unsigned i = 0; ages && i < g->num_aging; i++)
		delay_age(g->aging[i]);
	return status;
}

static void measured(struct _vx_graph *g, vx_uint64 begin)
{
	HOLDING(&g->reference.context->pipelines.lock);
	perf_add(&g->performance, begin, perf_now());
}

/* Enqueues all; in a context of OpenVX' own it is then waited for. */
static vx_status process(struct _vx_graph *g)
{
	struct _vx_context *c = g->reference.context;
	struct execution *x = NULL;
	const vx_uint64 begin = perf_now();
	vx_uint64 number = 0;
	vx_status status;
	if (graph_reports(g)) {
		x = execution_begin(g, true);
		FAIL_IF(!x, g, VX_ERROR_NO_MEMORY, "no memory to execute a graph");
		number = x->number;
	}
	g->state = VX_GRAPH_STATE_RUNNING;
	status = graph_run(g, x);
	if (x)
		execution_end(x, status);
	if (!c->shared && x)
		graph_await(g, number);
	else if (!c->shared && !status)
		status = context_drain(c);
	measured(g, begin);
	graph_ran(g, status);
	return status;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxProcessGraph(vx_graph g)
{
	ENTER(g, VX_TYPE_GRAPH);
	TRY(pipeline_normal(g, "vxProcessGraph"));
	object_use(&g->reference);
	vx_status status = graph_claim(g);
	if (!status) {
		status = pipeline_normal(g, "vxProcessGraph"); /* claiming may have waited */
		if (!status)
			status = graph_ready(g);
		if (!status)
			status = process(g);
		graph_disclaim(g);
	}
	object_unuse(&g->reference);
	return status;
}
