/* Executions of graphs, and what becomes of references at their markers (vx_khr_pipelining). */
#include "base/cancel.h"
#include "runtime/openvx/nesting.h"
#include "runtime/openvx/exchange.h"
#include "runtime/openvx/perf.h"
#include <stdlib.h>

/* ---- executions ---- */
/* Of a node, or of a parameter, which may be done before its graph is. */
static bool nodes_report(const struct _vx_graph *g)
{
	bool reports = false;
	for (vx_uint32 i = 0; !reports && i < g->num_parameters; i++)
		reports = g->parameters[i].on_consumed.on;
	for (const struct _vx_node *n = g->first; !reports && n; n = n->next)
		reports = n->on_completed.on || n->on_error.on;
	return reports;
}

bool graph_reports(const struct _vx_graph *g) { return g->pipeline.on_completed.on || nodes_report(g); }
bool execution_reports_nodes(const struct execution *x) { return x->streams || nodes_report(x->graph); }

/* The references that it is for, from the queues; the first one since verification also takes what kernels are piped up with. The
 * lock of the pipelines is held. */
static void take_references(struct execution *x)
{
	struct _vx_graph *g = x->graph;
	for (vx_uint32 i = 0; i < x->num_releases; i++) {
		struct queue *q = &g->parameters[i].queue;
		x->releases[i].parameter = i;
		x->releases[i].reports = g->parameters[i].on_consumed.on;
		if (!q->on)
			continue;
		for (; q->extra; q->extra--)
			enqueue_refs_push(&q->primed, enqueue_refs_pop(&q->ready));
		x->releases[i].entry = enqueue_refs_pop(&q->ready);
	}
}

/* Both are counted at once, as a runner launches what is submitted and not launched. */
struct execution *execution_begin(struct _vx_graph *g, bool submits)
{
	struct _vx_context *c = g->reference.context;
	struct pipeline *p = &g->pipeline;
	struct execution *x = calloc(1, sizeof *x + (g->num_order + 1) * sizeof *x->markers);
	struct release_record *releases = calloc(g->num_parameters + 1, sizeof *releases);
	if (!x || !releases) {
		free(x);
		free(releases);
		return NULL;
	}
	x->graph = g;
	x->releases = releases;
	x->num_releases = g->num_parameters;
	x->begin = perf_now();
	object_use(&g->reference);
	HOLDING(&c->pipelines.lock);
	p->submitted += submits;
	x->number = ++p->launched;
	x->streams = p->streaming;
	p->untriggered += p->streaming;
	take_references(x);
	return x;
}

/* An object that a delay has in another slot would be in two. */
static bool elsewhere_in_delay(vx_reference from, vx_reference to)
{
	return from && to != from && to->delay && to->delay == from->delay;
}

vx_status execution_bind(struct execution *x)
{
	struct _vx_graph *g = x->graph;
	for (vx_uint32 i = 0; i < x->num_releases; i++) {
		const struct graph_parameter *p = &g->parameters[i];
		if (!x->releases[i].entry)
			continue;
		vx_reference from = p->node->parameters[p->index], to = x->releases[i].entry->ref;
		if (elsewhere_in_delay(from, to))
			return fail(g, VX_ERROR_INVALID_PARAMETERS, "graph parameter %u: what was enqueued is in another slot of the same delay", i);
		if (from)
			graph_exchange(g, (vx_int32)i, from, to);
		else /* it is optional, and has been left out so far */
			place_set(p->node, p->index, to);
	}
	return VX_SUCCESS;
}

/* What is done at a parameter is this object, whatever was enqueued for the execution: that is kept. */
static void substitute(struct execution *x, vx_uint32 parameter, vx_reference out, bool by_kernel)
{
	struct queue *q = &x->graph->parameters[parameter].queue;
	struct release_record *release = &x->releases[parameter];
	if (!release->entry || release->entry->ref == out)
		return;
	enqueue_ref_keep(q, release->entry, by_kernel);
	release->entry = out ? enqueue_ref_kept(q, out) : NULL;
	if (!out || release->entry)
		return;
	release->entry = enqueue_ref_create(out, false, false); /* never enqueued: what the delay, or the kernel, has begun with */
	if (!release->entry)
		fail(x->graph, VX_ERROR_NO_MEMORY, "graph parameter %u: no memory to give an object back", parameter);
}

void execution_returns(struct execution *x, vx_uint32 parameter, vx_reference out) { substitute(x, parameter, out, true); }

static const struct _vx_node *trigger_of(const struct _vx_graph *g)
{
	return g->pipeline.trigger ? g->pipeline.trigger : g->order[0];
}

static void place(struct marker *marker, struct release_record *release)
{
	release->placed = true;
	release->next = marker->releases;
	marker->releases = release;
}

/* A parameter that the node is the last to use. */
static bool ends_at(const struct execution *x, vx_uint32 parameter, unsigned n)
{
	const struct graph_parameter *p = &x->graph->parameters[parameter];
	const struct release_record *release = &x->releases[parameter];
	return p->last_use == n && !p->queue.late && !release->placed && (release->entry || release->reports);
}

void execution_passes(struct execution *x, unsigned n, vx_status status)
{
	struct _vx_graph *g = x->graph;
	struct _vx_node *node = g->order[n];
	const struct registration registration = status ? node->on_error : node->on_completed;
	const bool triggers = x->streams && !status && node == trigger_of(g);
	bool wanted = registration.on || triggers;
	for (vx_uint32 i = 0; !status && i < x->num_releases; i++)
		wanted = wanted || ends_at(x, i, n);
	if (!wanted)
		return;
	struct marker *marker = marker_make(x, node, status);
	marker->registration = registration;
	marker->triggers = triggers;
	for (vx_uint32 i = x->num_releases; !status && i--;)
		if (ends_at(x, i, n))
			place(marker, &x->releases[i]);
	marker_put(marker);
}

void execution_end(struct execution *x, vx_status status)
{
	struct _vx_graph *g = x->graph;
	struct _vx_context *c = g->reference.context;
	for (vx_uint32 i = 0; i < x->num_releases; i++) {
		const struct graph_parameter *p = &g->parameters[i];
		if (p->queue.late)
			substitute(x, i, p->node->parameters[p->index], false);
	}
	/* In a context that is shared, what vxScheduleGraph starts is done when it has been enqueued: no thread waits for the device. */
	if (!x->measured && !graph_reports(g)) {
		execution_over(x, status);
		device_flush(&c->device);
		return;
	}
	struct marker *marker = marker_make(x, NULL, status);
	for (vx_uint32 i = x->num_releases; i--;)
		if (!x->releases[i].placed)
			place(marker, &x->releases[i]);
	marker_put(marker);
	device_flush(&c->device);
}

/* ---- one at a time ---- */
vx_status graph_claim(struct _vx_graph *g)
{
	NOT_CANCELLED;
	struct _vx_context *c = g->reference.context;
	struct pipelines *all = &c->pipelines;
	for (;;) {
		pthread_mutex_lock(&all->lock);
		const bool busy = g->pipeline.executing;
		g->pipeline.executing = true;
		pthread_mutex_unlock(&all->lock);
		if (!busy)
			return VX_SUCCESS;
		if (inside_graph(g) || !context_leave(c))
			return fail(g, VX_ERROR_GRAPH_SCHEDULED, "the graph is being executed, and waits for this call to return");
		pthread_mutex_lock(&all->lock);
		while (g->pipeline.executing)
			pthread_cond_wait(&all->changed, &all->lock);
		pthread_mutex_unlock(&all->lock);
		context_lock(c);
	}
}

void graph_disclaim(struct _vx_graph *g)
{
	struct pipelines *all = &g->reference.context->pipelines;
	HOLDING(&all->lock);
	g->pipeline.executing = false;
	pthread_cond_broadcast(&all->changed);
}

void graph_await(struct _vx_graph *g, vx_uint64 number)
{
	NOT_CANCELLED;
	struct _vx_context *c = g->reference.context;
	struct pipelines *all = &c->pipelines;
	const bool left = context_leave(c);
	pthread_mutex_lock(&all->lock);
	while (g->pipeline.completed < number)
		pthread_cond_wait(&all->changed, &all->lock);
	pthread_mutex_unlock(&all->lock);
	context_return(c, left);
}
