/* The completion thread, which waits for the markers of executions and reports what has ended by then, and what else belongs to a whole
 * context (vx_khr_pipelining). */
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
	HOLDING(&all->lock);
	all->threads--;
	pthread_cond_broadcast(&all->changed);
}

/* ---- what has ended ---- */
static void execution_free(struct execution *x)
{
	object_unuse(&x->graph->reference);
	free(x->releases);
	free(x);
}

void pipelines_sweep(struct _vx_context *c)
{
	struct pipelines *all = &c->pipelines;
	pthread_mutex_lock(&all->lock);
	struct execution *x = all->ended;
	struct enqueue_refs returned = all->returned;
	all->ended = NULL;
	all->returned = (struct enqueue_refs){NULL, NULL, 0};
	pthread_mutex_unlock(&all->lock);
	enqueue_refs_end(&returned);
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

/* ---- the completion thread ---- */
static void report_node(struct pipelines *all, const struct marker *marker)
{
	struct _vx_graph *g = marker->execution->graph;
	if (marker->status)
		event_put(all, &marker->registration, VX_EVENT_NODE_ERROR, (vx_event_info_t){.node_error = {g, marker->node, marker->status}});
	else
		event_put(all, &marker->registration, VX_EVENT_NODE_COMPLETED, (vx_event_info_t){.node_completed = {g, marker->node}});
}

static void release_references(struct pipelines *all, const struct marker *marker)
{
	struct _vx_graph *g = marker->execution->graph;
	for (const struct release_record *release = marker->releases; release; release = release->next) {
		struct graph_parameter *p = &g->parameters[release->parameter];
		/* what a kernel has kept is not done */
		if (release->entry)
			enqueue_refs_push(&p->queue.done, release->entry);
		if (release->reports && (release->entry || !p->queue.on))
			event_put(all, &p->on_consumed, VX_EVENT_GRAPH_PARAMETER_CONSUMED,
				  (vx_event_info_t){.graph_parameter_consumed = {g, release->parameter}});
	}
}

static void report_end(struct pipelines *all, const struct marker *marker)
{
	struct execution *x = marker->execution;
	struct _vx_graph *g = x->graph;
	struct pipeline *p = &g->pipeline;
	if (marker->status)
		x->status = marker->status;
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
static void reach_marker(struct pipelines *all, const struct marker *marker, vx_status status)
{
	struct execution *x = marker->execution;
	if (!x->status)
		x->status = status;
	if (marker->node)
		report_node(all, marker);
	release_references(all, marker);
	if (marker->triggers && !x->triggered) {
		x->triggered = true;
		x->graph->pipeline.untriggered--;
	}
	if (!marker->node)
		report_end(all, marker);
	pthread_cond_broadcast(&all->changed);
}

/* Until there are no more markers. `completing` is the caller's. The lock of the pipelines is held. */
static void complete(struct _vx_context *c)
{
	struct pipelines *all = &c->pipelines;
	const struct marker *marker;
	while ((marker = STAILQ_FIRST(&all->markers))) {
		pthread_mutex_unlock(&all->lock);
		const vx_status status = marker->event ? device_wait(&c->device, marker->event) : VX_SUCCESS;
		pthread_mutex_lock(&all->lock);
		STAILQ_REMOVE_HEAD(&all->markers, next);
		reach_marker(all, marker, status);
		pthread_mutex_unlock(&all->lock);
		sweep_if_free(c);
		pthread_mutex_lock(&all->lock);
	}
	all->completing = false;
}

/* Frees what the completion thread could not free, because another thread had the lock of the context. That may take a while: another
 * completion thread takes markers that come meanwhile, and what it leaves is freed here, too. The lock of the pipelines is held. */
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

static void *completion_thread(void *arg)
{
	struct _vx_context *c = arg;
	struct pipelines *all = &c->pipelines;
	pthread_mutex_lock(&all->lock);
	complete(c);
	sweep_late(c);
	pthread_mutex_unlock(&all->lock);
	thread_end(all);
	return NULL;
}

/* The lock of the pipelines is held. False: no thread can be had, and the caller has to report. */
static bool completion_thread_needed(struct _vx_context *c)
{
	struct pipelines *all = &c->pipelines;
	if (all->completing)
		return true;
	all->completing = true;
	return thread_start(all, completion_thread, c);
}

void pipelines_sweep_soon(struct _vx_context *c)
{
	struct pipelines *all = &c->pipelines;
	if (sweep_if_free(c))
		return;
	HOLDING(&all->lock);
	if (!all->sweeping && !completion_thread_needed(c))
		complete(c);
}

/* ---- markers ---- */
struct marker *marker_make(struct execution *x, struct _vx_node *n, vx_status status)
{
	struct device *d = &x->graph->reference.context->device;
	struct marker *marker = &x->markers[x->num_markers++];
	*marker = (struct marker){.execution = x, .node = n, .status = status, .event = device_mark(d)};
	if (!marker->event) /* it is waited for at once */
		device_finish(d);
	return marker;
}

void marker_put(struct marker *marker)
{
	struct _vx_context *c = marker->execution->graph->reference.context;
	struct pipelines *all = &c->pipelines;
	HOLDING(&all->lock);
	STAILQ_INSERT_TAIL(&all->markers, marker, next);
	if (!marker->node)
		marker->execution->graph->pipeline.enqueued++;
	if (!marker->node && marker->status && marker->execution->streams) /* vxStartGraphStreaming: until a node returns an error */
		marker->execution->graph->pipeline.stopping = true;
	pthread_cond_broadcast(&all->changed);
	if (!completion_thread_needed(c))
		complete(c);
}

void execution_over(struct execution *x, vx_status status)
{
	struct pipelines *all = &x->graph->reference.context->pipelines;
	const struct marker end = {.execution = x, .status = status};
	HOLDING(&all->lock);
	x->graph->pipeline.enqueued++;
	reach_marker(all, &end, VX_SUCCESS);
}

/* ---- contexts ---- */
void pipelines_open(struct pipelines *all)
{
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->changed, NULL);
	STAILQ_INIT(&all->markers);
	STAILQ_INIT(&all->waiting);
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
