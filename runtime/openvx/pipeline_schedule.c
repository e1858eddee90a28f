/* What is under way of a graph: vxScheduleGraph, vxWaitGraph, its state, its end (vx_khr_pipelining, 3.1; OpenVX 1.3, 3.11). */
#include "base/cancel.h"
#include "runtime/openvx/nesting.h"
#include "runtime/openvx/graph.h"

/* ---- what is under way ---- */
vx_status pipeline_idle(const struct _vx_graph *g, const char *function)
{
	const struct pipeline *p = &g->pipeline;
	const bool busy = WITH_PIPELINES(g->reference.context, p->scheduled || p->executing || p->streaming || p->launched != p->submitted || (queueing(p) && p->completed != p->submitted));
	return busy ? fail(g, VX_ERROR_GRAPH_SCHEDULED, "%s: the graph is being executed, or has been scheduled: vxWaitGraph, vxStopGraphStreaming", function) :
		      VX_SUCCESS;
}

vx_status pipeline_normal(const struct _vx_graph *g, const char *function)
{
	struct pipelines *all = &g->reference.context->pipelines;
	const struct pipeline *p = &g->pipeline;
	pthread_mutex_lock(&all->lock);
	const bool streaming = p->streaming, scheduled = p->scheduled;
	pthread_mutex_unlock(&all->lock);
	/* vxSetGraphScheduleConfig: a graph that has queues is not processed */
	FAIL_IF(queueing(p), g, VX_FAILURE, "%s: the graph takes its references from queues: vxGraphParameterEnqueueReadyRef", function);
	FAIL_IF(streaming, g, VX_ERROR_GRAPH_SCHEDULED, "%s: the graph is streaming: vxStopGraphStreaming", function);
	FAIL_IF(scheduled, g, VX_ERROR_GRAPH_SCHEDULED, "%s: the graph has been scheduled: vxWaitGraph", function);
	return VX_SUCCESS;
}

vx_enum pipeline_state(const struct _vx_graph *g)
{
	struct pipelines *all = &g->reference.context->pipelines;
	const struct pipeline *p = &g->pipeline;
	pthread_mutex_lock(&all->lock);
	const bool runs = p->scheduled || p->launched != p->submitted || ((queueing(p) || p->streaming) && p->completed != p->submitted);
	const bool failed = p->last != VX_SUCCESS;
	pthread_mutex_unlock(&all->lock);
	if (runs)
		return VX_GRAPH_STATE_RUNNING;
	return g->state == VX_GRAPH_STATE_COMPLETED && failed ? VX_GRAPH_STATE_ABANDONED : g->state;
}

/* ---- the end of a graph, of a node ---- */
/* The application has a graph no more, and so what is not for an execution any more is its own again. */
void pipeline_released(struct _vx_reference *ref)
{
	struct _vx_graph *g = (struct _vx_graph *)ref;
	struct pipelines *all = &ref->context->pipelines;
	struct enqueue_refs over = {NULL, NULL, 0};
	pthread_mutex_lock(&all->lock);
	const vx_uint64 waiting = g->pipeline.submitted - g->pipeline.launched;
	g->pipeline.released = true;
	for (vx_uint32 i = 0; i < g->num_parameters; i++) {
		struct queue *q = &g->parameters[i].queue;
		struct enqueue_refs ready = q->ready;
		const vx_uint64 needed = waiting ? waiting + q->extra : 0;
		q->ready = (struct enqueue_refs){NULL, NULL, 0};
		for (struct enqueue_ref *entry; (entry = enqueue_refs_pop(&ready));)
			enqueue_refs_push(q->ready.count < needed ? &q->ready : &over, entry);
		for (struct enqueue_ref *entry; (entry = enqueue_refs_pop(&q->done));)
			enqueue_refs_push(&over, entry);
	}
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	enqueue_refs_end(&over);
}

void pipeline_quiesce(struct _vx_graph *g)
{
	NOT_CANCELLED;
	struct _vx_context *c = g->reference.context;
	struct pipelines *all = &c->pipelines;
	struct pipeline *p = &g->pipeline;
	context_lock(c);
	if (!inside_context(c) && context_leave(c)) {
		pthread_mutex_lock(&all->lock);
		p->waiters++;
		while (p->runners && !p->streaming && p->completed == p->submitted)
			pthread_cond_wait(&all->changed, &all->lock);
		p->waiters--;
		pthread_cond_broadcast(&all->changed);
		pthread_mutex_unlock(&all->lock);
		context_lock(c);
		pipelines_sweep(c);
	}
	context_unlock(c);
}

void pipeline_destroy(struct _vx_graph *g)
{
	NOT_CANCELLED;
	struct pipelines *all = &g->reference.context->pipelines;
	struct pipeline *p = &g->pipeline;
	pthread_mutex_lock(&all->lock);
	p->released = true;
	pthread_cond_broadcast(&all->changed);
	while (p->waiters)
		pthread_cond_wait(&all->changed, &all->lock);
	pthread_mutex_unlock(&all->lock);
	for (vx_uint32 i = 0; i < g->num_parameters; i++)
		queue_off(g, &g->parameters[i].queue);
}

void pipeline_forget(struct _vx_graph *g, const struct _vx_node *n)
{
	if (g->pipeline.trigger == n)
		g->pipeline.trigger = NULL;
	for (vx_uint32 i = 0; i < g->num_parameters; i++)
		if (g->parameters[i].node == n)
			queue_off(g, &g->parameters[i].queue);
}

bool pipeline_queues(const struct _vx_node *n, vx_uint32 index)
{
	const struct _vx_graph *g = n->graph;
	for (vx_uint32 i = 0; g && i < g->num_parameters; i++)
		if (g->parameters[i].queue.on && g->parameters[i].node == n && g->parameters[i].index == index)
			return true;
	return false;
}

/* ---- scheduling ---- */
/* How many executions vxScheduleGraph starts: in the manual mode, as many as there are references for. */
static vx_uint64 batch(const struct _vx_graph *g) { return queueing(&g->pipeline) ? sets_ready(g) : 1; }

static vx_status check_schedule(struct _vx_graph *g)
{
	if (g->pipeline.mode == VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO)
		/* vxSetGraphScheduleConfig: such a graph schedules itself */
		return fail(g, VX_FAILURE, "vxScheduleGraph: VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO schedules the graph when references are enqueued");
	if (g->pipeline.mode == VX_GRAPH_SCHEDULE_MODE_NORMAL)
		return pipeline_normal(g, "vxScheduleGraph");
	return WITH_PIPELINES(g->reference.context, g->pipeline.streaming) ? fail(g, VX_ERROR_GRAPH_SCHEDULED, "vxScheduleGraph: the graph is streaming: vxStopGraphStreaming") : VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxScheduleGraph(vx_graph g)
{
	EXPECT(g, VX_TYPE_GRAPH);
	struct _vx_context *c = g->reference.context;
	struct pipelines *all = &c->pipelines;
	struct pipeline *p = &g->pipeline;
	LOCKED(c);
	TRY(check_schedule(g));
	if (!g->verified)
		TRY(pipeline_idle(g, "vxScheduleGraph"));
	TRY(graph_ready(g));
	pthread_mutex_lock(&all->lock);
	const vx_uint64 count = batch(g);
	const bool runs = count && runner_needed(g);
	if (runs) {
		p->submitted += count;
		p->scheduled = !queueing(p);
		if (p->scheduled)
			p->result = VX_SUCCESS;
		pthread_cond_broadcast(&all->changed);
	}
	pthread_mutex_unlock(&all->lock);
	/* vxSetGraphScheduleConfig: references for all parameters are enqueued before */
	FAIL_IF(!count, g, VX_FAILURE, "vxScheduleGraph: nothing is enqueued at one of the graph's parameters");
	return runs ? VX_SUCCESS : fail(g, VX_ERROR_NO_RESOURCES, "vxScheduleGraph: no thread to execute the graph");
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxWaitGraph(vx_graph g)
{
	NOT_CANCELLED;
	EXPECT(g, VX_TYPE_GRAPH);
	struct _vx_context *c = g->reference.context;
	struct pipelines *all = &c->pipelines;
	struct pipeline *p = &g->pipeline;
	FAIL_IF(inside_graph(g), g, VX_FAILURE, "vxWaitGraph: a function of a node of the graph waits for itself");
	pthread_mutex_lock(&all->lock);
	const bool normal = !queueing(p) && !p->streaming;
	/* vxWaitGraph: of a graph that has been scheduled; one that schedules itself always is */
	const bool never = normal ? !p->scheduled : p->mode == VX_GRAPH_SCHEDULE_MODE_QUEUE_MANUAL && p->submitted == p->configured;
	const vx_uint64 *count = normal && c->shared ? &p->enqueued : &p->completed;
	const vx_uint64 until = p->submitted;
	p->waiters++;
	all->waiters++;
	while (!never && *count < until)
		pthread_cond_wait(&all->changed, &all->lock);
	p->waiters--;
	all->waiters--;
	const vx_status status = p->result;
	if (!never) {
		p->result = VX_SUCCESS;
		p->scheduled = false;
	}
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	return never ? fail(g, VX_FAILURE, "vxWaitGraph: the graph has not been scheduled") : status;
}
