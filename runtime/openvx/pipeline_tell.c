/* The teller, which waits for the points of executions and tells what is so from there on, and what else is of a whole context
 * (vx_khr_pipelining). */
#include "base/cancel.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/perf.h"
#include <signal.h>
#include <stdlib.h>

/* ---- threads ---- */
static const int of_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

bool thread_start(struct pipelines *all, void *(*run)(void *), void *arg)
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t every, before;
	if (pthread_attr_init(&attributes))
		return false;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* Signals are the application's. Those of a fault are raised in the thread that is at fault, which may be in a function of the
	 * application's, and are for its handlers. */
	sigfillset(&every);
	for (size_t i = 0; i < sizeof of_faults / sizeof *of_faults; i++)
		sigdelset(&every, of_faults[i]);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	const bool started = !pthread_create(&thread, &attributes, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	all->threads += started;
	return started;
}

void thread_end(struct pipelines *all)
{
	pthread_mutex_lock(&all->lock);
	all->threads--;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
}

/* ---- what has ended ---- */
static void execution_free(struct execution *x)
{
	object_unuse(&x->graph->reference);
	free(x->due);
	free(x);
}

void pipelines_sweep(struct _vx_context *c)
{
	struct pipelines *all = &c->pipelines;
	pthread_mutex_lock(&all->lock);
	struct execution *x = all->ended;
	struct lents returned = all->returned;
	all->ended = NULL;
	all->returned = (struct lents){NULL, NULL, 0};
	pthread_mutex_unlock(&all->lock);
	lents_end(&returned);
	for (struct execution *next; x; x = next) {
		next = x->next;
		execution_free(x);
	}
}

static bool sweep_if_free(struct _vx_context *c)
{
	if (!context_try(c))
		return false;
	pipelines_sweep(c);
	context_unlock(c);
	return true;
}

/* ---- the teller ---- */
static void tell_node(struct pipelines *all, const struct point *pt)
{
	struct _vx_graph *g = pt->execution->graph;
	if (pt->status)
		event_put(all, &pt->told, VX_EVENT_NODE_ERROR, (vx_event_info_t){.node_error = {g, pt->node, pt->status}});
	else
		event_put(all, &pt->told, VX_EVENT_NODE_COMPLETED, (vx_event_info_t){.node_completed = {g, pt->node}});
}

static void tell_parameters(struct pipelines *all, const struct point *pt)
{
	struct _vx_graph *g = pt->execution->graph;
	for (const struct due *due = pt->dues; due; due = due->next) {
		struct graph_parameter *p = &g->parameters[due->parameter];
		/* what a kernel has kept is not done */
		if (due->lent)
			lents_push(&p->queue.done, due->lent);
		if (due->told && (due->lent || !p->queue.on))
			event_put(all, &p->on_consumed, VX_EVENT_GRAPH_PARAMETER_CONSUMED,
				  (vx_event_info_t){.graph_parameter_consumed = {g, due->parameter}});
	}
}

static void tell_end(struct pipelines *all, const struct point *pt)
{
	struct execution *x = pt->execution;
	struct _vx_graph *g = x->graph;
	struct pipeline *p = &g->pipeline;
	if (pt->status)
		x->status = pt->status;
	p->completed++;
	p->last = x->status;
	if (!p->result)
		p->result = x->status;
	if (x->streams && !x->triggered)
		p->untriggered--;
	if (x->streams && x->status) /* also one that the device has found */
		p->stopping = true;
	if (x->measured)
		perf_add(&g->performance, x->begin, perf_now());
	event_put(all, &p->on_completed, VX_EVENT_GRAPH_COMPLETED, (vx_event_info_t){.graph_completed = {g}});
	x->next = all->ended;
	all->ended = x;
}

/* status: of waiting for it. The lock of the pipelines is held. */
static void tell_point(struct pipelines *all, const struct point *pt, vx_status status)
{
	struct execution *x = pt->execution;
	if (!x->status)
		x->status = status;
	if (pt->node)
		tell_node(all, pt);
	tell_parameters(all, pt);
	if (pt->triggers && !x->triggered) {
		x->triggered = true;
		x->graph->pipeline.untriggered--;
	}
	if (!pt->node)
		tell_end(all, pt);
	pthread_cond_broadcast(&all->changed);
}

/* Until there are no more points. `telling` is the caller's. The lock of the pipelines is held. */
static void tell(struct _vx_context *c)
{
	struct pipelines *all = &c->pipelines;
	while (all->first) {
		const struct point *pt = all->first;
		pthread_mutex_unlock(&all->lock);
		const vx_status status = pt->marker ? device_wait(&c->device, pt->marker) : VX_SUCCESS;
		pthread_mutex_lock(&all->lock);
		all->first = pt->next;
		if (!all->first)
			all->last = NULL;
		tell_point(all, pt, status);
		pthread_mutex_unlock(&all->lock);
		sweep_if_free(c);
		pthread_mutex_lock(&all->lock);
	}
	all->telling = false;
}

/* What the teller could not, as somebody had the context. That may take a while: points that come meanwhile are another teller's,
 * and what it leaves is freed here, too. The lock of the pipelines is held. */
static void sweep_late(struct _vx_context *c)
{
	struct pipelines *all = &c->pipelines;
	if (all->sweeping || (!all->ended && !all->returned.count))
		return;
	all->sweeping = true;
	pthread_mutex_unlock(&all->lock);
	context_lock(c);
	pthread_mutex_lock(&all->lock);
	all->sweeping = false;
	pthread_mutex_unlock(&all->lock);
	pipelines_sweep(c);
	context_unlock(c);
	pthread_mutex_lock(&all->lock);
}

static void *teller(void *arg)
{
	struct _vx_context *c = arg;
	struct pipelines *all = &c->pipelines;
	pthread_mutex_lock(&all->lock);
	tell(c);
	sweep_late(c);
	pthread_mutex_unlock(&all->lock);
	thread_end(all);
	return NULL;
}

/* The lock of the pipelines is held. False: there is none, and the caller has to tell. */
static bool teller_needed(struct _vx_context *c)
{
	struct pipelines *all = &c->pipelines;
	if (all->telling)
		return true;
	all->telling = true;
	return thread_start(all, teller, c);
}

void pipelines_sweep_soon(struct _vx_context *c)
{
	struct pipelines *all = &c->pipelines;
	if (sweep_if_free(c))
		return;
	pthread_mutex_lock(&all->lock);
	if (!all->sweeping && !teller_needed(c))
		tell(c);
	pthread_mutex_unlock(&all->lock);
}

/* ---- points ---- */
struct point *point_make(struct execution *x, struct _vx_node *n, vx_status status)
{
	struct device *d = &x->graph->reference.context->device;
	struct point *pt = &x->points[x->num_points++];
	*pt = (struct point){.execution = x, .node = n, .status = status, .marker = device_mark(d)};
	if (!pt->marker) /* it is waited for at once */
		device_finish(d);
	return pt;
}

void point_put(struct point *pt)
{
	struct _vx_context *c = pt->execution->graph->reference.context;
	struct pipelines *all = &c->pipelines;
	pthread_mutex_lock(&all->lock);
	if (all->last)
		all->last->next = pt;
	else
		all->first = pt;
	all->last = pt;
	if (!pt->node)
		pt->execution->graph->pipeline.enqueued++;
	if (!pt->node && pt->status && pt->execution->streams) /* vxStartGraphStreaming: until a node returns an error */
		pt->execution->graph->pipeline.stopping = true;
	pthread_cond_broadcast(&all->changed);
	if (!teller_needed(c))
		tell(c);
	pthread_mutex_unlock(&all->lock);
}

void execution_over(struct execution *x, vx_status status)
{
	struct pipelines *all = &x->graph->reference.context->pipelines;
	const struct point end = {.execution = x, .status = status};
	pthread_mutex_lock(&all->lock);
	x->graph->pipeline.enqueued++;
	tell_point(all, &end, VX_SUCCESS);
	pthread_mutex_unlock(&all->lock);
}

/* ---- contexts ---- */
void pipelines_open(struct pipelines *all)
{
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->changed, NULL);
}

void pipelines_close(struct pipelines *all)
{
	pthread_cond_destroy(&all->changed);
	pthread_mutex_destroy(&all->lock);
}

void pipelines_end(struct _vx_context *c)
{
	NOT_CANCELLED;
	struct pipelines *all = &c->pipelines;
	pthread_mutex_lock(&all->lock);
	all->closing = true;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	const bool left = context_leave(c);
	pthread_mutex_lock(&all->lock);
	while (left && (all->threads || all->waiters))
		pthread_cond_wait(&all->changed, &all->lock);
	events_drop(all);
	pthread_mutex_unlock(&all->lock);
	context_return(c, left);
	pipelines_sweep(c);
}
