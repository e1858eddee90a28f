/* Events: a queue of the context's (vx_khr_pipelining, 2.4 and 3.3). */
#include "base/cancel.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/perf.h"
#include <stdlib.h>

struct event {
	STAILQ_ENTRY(event) next;
	vx_event_t event;
};

/* ---- the queue; the lock of the pipelines is held ---- */
/* False: they are disabled, or there is no memory for one more. */
static bool put(struct pipelines *all, vx_event_t event)
{
	struct event *e = all->events ? malloc(sizeof *e) : NULL;
	if (!e)
		return false;
	event.timestamp = perf_now();
	*e = (struct event){.event = event};
	STAILQ_INSERT_TAIL(&all->waiting, e, next);
	pthread_cond_broadcast(&all->changed);
	return true;
}

static bool take(struct pipelines *all, vx_event_t *event)
{
	struct event *e = STAILQ_FIRST(&all->waiting);
	if (!e)
		return false;
	STAILQ_REMOVE_HEAD(&all->waiting, next);
	*event = e->event;
	free(e);
	return true;
}

void event_put(struct pipelines *all, const struct registration *r, vx_enum type, vx_event_info_t info)
{
	if (r->on)
		put(all, (vx_event_t){.type = type, .app_value = r->app_value, .event_info = info});
}

void events_drop(struct pipelines *all)
{
	vx_event_t event;
	while (take(all, &event))
		;
}

/* ---- the API ---- */
/* Waits with the lock of the pipelines alone. */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxWaitEvent(vx_context context, vx_event_t *event, vx_bool do_not_block)
{
	NOT_CANCELLED;
	EXPECT(context, VX_TYPE_CONTEXT);
	struct pipelines *all = &context->pipelines;
	FAIL_IF(!event, context, VX_ERROR_INVALID_PARAMETERS, "vxWaitEvent: no room for an event");
	pthread_mutex_lock(&all->lock);
	all->waiters++;
	while (STAILQ_EMPTY(&all->waiting) && !all->closing && do_not_block == vx_false_e)
		pthread_cond_wait(&all->changed, &all->lock);
	const bool taken = take(all, event);
	all->waiters--;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	/* vxWaitEvent: that there is none is not worth a log entry */
	return taken ? VX_SUCCESS : VX_FAILURE;
}

static vx_status enable(vx_context context, const char *function, bool enabled)
{
	FAIL_IF(!object_is(context, VX_TYPE_CONTEXT), NULL, VX_ERROR_INVALID_REFERENCE, "%s: not a context", function);
	HOLDING(&context->pipelines.lock);
	context->pipelines.events = enabled;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxEnableEvents(vx_context context) { return enable(context, "vxEnableEvents", true); }
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxDisableEvents(vx_context context) { return enable(context, "vxDisableEvents", false); }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSendUserEvent(vx_context context, vx_uint32 app_value, void *parameter)
{
	EXPECT(context, VX_TYPE_CONTEXT);
	struct pipelines *all = &context->pipelines;
	pthread_mutex_lock(&all->lock);
	const bool enabled = all->events;
	const bool sent = put(all, (vx_event_t){.type = VX_EVENT_USER, .app_value = app_value, .event_info = {.user_event = {parameter}}});
	pthread_mutex_unlock(&all->lock);
	FAIL_IF(!enabled, context, VX_FAILURE, "vxSendUserEvent: events are disabled: vxEnableEvents");
	return sent ? VX_SUCCESS : fail(context, VX_ERROR_NO_MEMORY, "vxSendUserEvent: no memory for an event");
}

/* ---- registration ---- */
static struct registration *consumed(vx_graph g, vx_uint32 parameter)
{
	return parameter < g->num_parameters && g->parameters[parameter].node ? &g->parameters[parameter].on_consumed : NULL;
}

/* A parameter of a node that is one of its graph, too. */
static struct registration *consumed_at(const struct _vx_parameter *p)
{
	vx_graph g = p->node ? p->node->graph : NULL;
	for (vx_uint32 i = 0; g && i < g->num_parameters; i++)
		if (g->parameters[i].node == p->node && g->parameters[i].index == p->index)
			return consumed(g, i);
	return NULL;
}

/* Whose events they are. */
static vx_graph graph_of(vx_reference ref)
{
	switch (ref->type) {
	case VX_TYPE_GRAPH: return (vx_graph)ref;
	case VX_TYPE_NODE: return ((vx_node)ref)->graph;
	case VX_TYPE_PARAMETER: return ((vx_parameter)ref)->node ? ((vx_parameter)ref)->node->graph : NULL;
	default: return NULL;
	}
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxRegisterEvent(vx_reference ref, enum vx_event_type_e type, vx_uint32 param, vx_uint32 app_value)
{
	struct registration *r = NULL;
	bool known = true;
	FAIL_IF(!object_usable(ref), NULL, VX_ERROR_INVALID_REFERENCE, "vxRegisterEvent: not a reference");
	LOCKED(ref->context);
	const vx_graph g = graph_of(ref);
	/* vxRegisterEvent: of graphs, their nodes and their parameters, each with the events that it has */
	if (type == VX_EVENT_GRAPH_PARAMETER_CONSUMED && ref->type == VX_TYPE_GRAPH)
		r = consumed((vx_graph)ref, param);
	else if (type == VX_EVENT_GRAPH_PARAMETER_CONSUMED && ref->type == VX_TYPE_PARAMETER)
		r = consumed_at((vx_parameter)ref);
	else if (type == VX_EVENT_GRAPH_COMPLETED && ref->type == VX_TYPE_GRAPH)
		r = &((vx_graph)ref)->pipeline.on_completed;
	else if (type == VX_EVENT_NODE_COMPLETED && ref->type == VX_TYPE_NODE)
		r = &((vx_node)ref)->on_completed;
	else if (type == VX_EVENT_NODE_ERROR && ref->type == VX_TYPE_NODE)
		r = &((vx_node)ref)->on_error;
	else
		known = false;
	FAIL_IF(!known, ref, VX_ERROR_NOT_SUPPORTED, "vxRegisterEvent: %s has no event 0x%x", type_name(ref->type), type);
	FAIL_IF(!r || !g, ref, VX_ERROR_INVALID_PARAMETERS, "vxRegisterEvent: the graph has no parameter %u, or there is no graph", param);
	/* ... before vxVerifyGraph */
	FAIL_IF(g->verified, ref, VX_FAILURE, "vxRegisterEvent: the graph has been verified already");
	HOLDING(&ref->context->pipelines.lock);
	*r = (struct registration){true, app_value};
	return VX_SUCCESS;
}
