/* The runner: a graph's thread that launches its executions, one after the other (vx_khr_pipelining). */
#include "base/cancel.h"
#include "runtime/openvx/graph.h"

/* ---- what there is to launch; the lock of the pipelines is held ---- */
vx_uint64 sets_ready(const struct _vx_graph *g)
{
	const vx_uint64 waiting = g->pipeline.submitted - g->pipeline.launched;
	vx_uint64 sets = UINT64_MAX;
	for (vx_uint32 i = 0; i < g->num_parameters; i++) {
		const struct queue *q = &g->parameters[i].queue;
		const vx_uint64 here = q->ready.count > q->extra ? q->ready.count - q->extra : 0;
		if (q->on && here < sets)
			sets = here;
	}
	return sets > waiting ? sets - waiting : 0;
}

static bool streams_on(const struct _vx_graph *g)
{
	const struct pipeline *p = &g->pipeline;
	return p->streaming && !p->stopping && !p->released && !g->reference.context->pipelines.closing;
}

/* vxStartGraphStreaming: the graph schedules itself, when its trigger has been reached and, if it has queues, something is in them. */
static bool stream_submits(struct _vx_graph *g)
{
	struct pipeline *p = &g->pipeline;
	if (p->launched != p->submitted || p->untriggered || !streams_on(g) || (queueing(p) && !sets_ready(g)))
		return false;
	p->submitted++;
	return true;
}

/* ---- one execution; the lock of the context is held, once ---- */
/* There is no memory for it: it has failed before it began, and its references wait for the next one. */
static void lose(struct _vx_graph *g)
{
	struct pipelines *all = &g->reference.context->pipelines;
	struct pipeline *p = &g->pipeline;
	const vx_status status = fail(g, VX_ERROR_NO_MEMORY, "no memory to execute a graph");
	HOLDING(&all->lock);
	p->launched++;
	p->enqueued++;
	p->completed++;
	p->last = status;
	if (!p->result)
		p->result = status;
	p->stopping = p->streaming;
	pthread_cond_broadcast(&all->changed);
}

static void launch(struct _vx_graph *g)
{
	struct _vx_context *c = g->reference.context;
	struct execution *x = execution_begin(g, false);
	vx_status status;
	if (!x) {
		lose(g);
		return;
	}
	/* in a context that is shared, what vxScheduleGraph starts is done for OpenVX when it has been enqueued */
	x->measured = queueing(&g->pipeline) || x->streams || !c->shared;
	if (g->verified)
		status = execution_bind(x);
	else
		status = fail(g, VX_ERROR_INVALID_GRAPH, "the graph has been changed since it was scheduled: vxVerifyGraph");
	if (!status)
		status = graph_run(g, x);
	graph_ran(g, status);
	execution_end(x, status);
}

static void *runner(void *arg)
{
	NOT_CANCELLED;
	struct _vx_graph *g = arg;
	struct _vx_context *c = g->reference.context;
	struct pipelines *all = &c->pipelines;
	struct pipeline *p = &g->pipeline;
	pthread_mutex_lock(&all->lock);
	for (;;) {
		while (p->launched == p->submitted && streams_on(g) && !stream_submits(g))
			pthread_cond_wait(&all->changed, &all->lock);
		if (p->launched == p->submitted)
			break;
		pthread_mutex_unlock(&all->lock);
		context_lock(c);
		graph_claim(g); /* waits for the thread that executes it */
		launch(g);
		graph_disclaim(g);
		pipelines_sweep(c);
		context_unlock(c);
		pthread_mutex_lock(&all->lock);
	}
	p->running = false;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	context_lock(c);
	pipelines_sweep(c);
	pthread_mutex_lock(&all->lock);
	p->runners--;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	object_unuse(&g->reference);
	context_unlock(c);
	thread_end(all);
	return NULL;
}

bool runner_needed(struct _vx_graph *g)
{
	struct pipeline *p = &g->pipeline;
	if (p->running)
		return true;
	p->running = thread_start(&g->reference.context->pipelines, runner, g);
	if (p->running) {
		p->runners++;
		object_use(&g->reference); /* the lock of the context is held */
	}
	return p->running;
}
