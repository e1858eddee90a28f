/* Executions of graphs, and what becomes of references at their points (vx_khr_pipelining). */
#include "base/cancel.h"
#include "runtime/openvx/entered.h"
#include "runtime/openvx/exchange.h"
#include "runtime/openvx/perf.h"
#include <stdlib.h>

/* ---- executions ---- */
/* Of a node, or of a parameter, which may be done before its graph is. */
static bool nodes_tell(const struct _vx_graph *g)
{
	bool tells = false;
	for (vx_uint32 i = 0; !tells && i < g->num_parameters; i++)
		tells = g->parameters[i].on_consumed.on;
	for (const struct _vx_node *n = g->first; !tells && n; n = n->next)
		tells = n->on_completed.on || n->on_error.on;
	return tells;
}

bool graph_tells(const struct _vx_graph *g) { return g->pipeline.on_completed.on || nodes_tell(g); }
bool execution_hears_nodes(const struct execution *x) { return x->streams || nodes_tell(x->graph); }

/* The references that it is for, from the queues; the first one since verification also takes what kernels are piped up with. The
 * lock of the pipelines is held. */
static void take_references(struct execution *x)
{
	struct _vx_graph *g = x->graph;
	for (vx_uint32 i = 0; i < x->num_due; i++) {
		struct queue *q = &g->parameters[i].queue;
		x->due[i].parameter = i;
		x->due[i].told = g->parameters[i].on_consumed.on;
		if (!q->on)
			continue;
		for (; q->extra; q->extra--)
			lents_push(&q->primed, lents_pop(&q->ready));
		x->due[i].lent = lents_pop(&q->ready);
	}
}

/* submits: it has not been submitted before. Both are counted at once, as a runner launches what is submitted and not launched. */
static struct execution *begin(struct _vx_graph *g, bool submits)
{
	struct _vx_context *c = g->reference.context;
	struct pipeline *p = &g->pipeline;
	struct execution *x = calloc(1, sizeof *x + (g->num_order + 1) * sizeof *x->points);
	struct due *due = calloc(g->num_parameters + 1, sizeof *due);
	if (!x || !due) {
		free(x);
		free(due);
		return NULL;
	}
	x->graph = g;
	x->due = due;
	x->num_due = g->num_parameters;
	x->begin = perf_now();
	object_use(&g->reference);
	pthread_mutex_lock(&c->pipelines.lock);
	p->submitted += submits;
	x->number = ++p->launched;
	x->streams = p->streaming;
	p->untriggered += p->streaming;
	take_references(x);
	pthread_mutex_unlock(&c->pipelines.lock);
	return x;
}

struct execution *execution_begin(struct _vx_graph *g) { return begin(g, false); }
struct execution *execution_submit(struct _vx_graph *g) { return begin(g, true); }

/* An object that a delay has in another slot would be in two. */
static bool elsewhere_in_delay(vx_reference from, vx_reference to)
{
	return from && to != from && to->delay && to->delay == from->delay;
}

vx_status execution_bind(struct execution *x)
{
	struct _vx_graph *g = x->graph;
	for (vx_uint32 i = 0; i < x->num_due; i++) {
		const struct graph_parameter *p = &g->parameters[i];
		if (!x->due[i].lent)
			continue;
		vx_reference from = p->node->parameters[p->index], to = x->due[i].lent->ref;
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
static void settle(struct execution *x, vx_uint32 parameter, vx_reference out, bool by_kernel)
{
	struct queue *q = &x->graph->parameters[parameter].queue;
	struct due *due = &x->due[parameter];
	if (!due->lent || due->lent->ref == out)
		return;
	lent_keep(q, due->lent, by_kernel);
	due->lent = out ? lent_kept(q, out) : NULL;
	if (!out || due->lent)
		return;
	due->lent = lent_create(out, false, false); /* never enqueued: what the delay, or the kernel, has begun with */
	if (!due->lent)
		fail(x->graph, VX_ERROR_NO_MEMORY, "graph parameter %u: no memory to give an object back", parameter);
}

void execution_returns(struct execution *x, vx_uint32 parameter, vx_reference out) { settle(x, parameter, out, true); }

static const struct _vx_node *trigger_of(const struct _vx_graph *g)
{
	return g->pipeline.trigger ? g->pipeline.trigger : g->order[0];
}

static void place(struct point *pt, struct due *due)
{
	due->placed = true;
	due->next = pt->dues;
	pt->dues = due;
}

/* A parameter that the node is the last to use. */
static bool ends_at(const struct execution *x, vx_uint32 parameter, unsigned n)
{
	const struct graph_parameter *p = &x->graph->parameters[parameter];
	const struct due *due = &x->due[parameter];
	return p->last_use == n && !p->queue.late && !due->placed && (due->lent || due->told);
}

void execution_passes(struct execution *x, unsigned n, vx_status status)
{
	struct _vx_graph *g = x->graph;
	struct _vx_node *node = g->order[n];
	const struct registration told = status ? node->on_error : node->on_completed;
	const bool triggers = x->streams && !status && node == trigger_of(g);
	bool wanted = told.on || triggers;
	for (vx_uint32 i = 0; !status && i < x->num_due; i++)
		wanted = wanted || ends_at(x, i, n);
	if (!wanted)
		return;
	struct point *pt = point_make(x, node, status);
	pt->told = told;
	pt->triggers = triggers;
	for (vx_uint32 i = x->num_due; !status && i--;)
		if (ends_at(x, i, n))
			place(pt, &x->due[i]);
	point_put(pt);
}

void execution_end(struct execution *x, vx_status status)
{
	struct _vx_graph *g = x->graph;
	struct _vx_context *c = g->reference.context;
	for (vx_uint32 i = 0; i < x->num_due; i++) {
		const struct graph_parameter *p = &g->parameters[i];
		if (p->queue.late)
			settle(x, i, p->node->parameters[p->index], false);
	}
	/* In a context that is shared, what vxScheduleGraph starts is done when it has been enqueued: nobody waits for the device. */
	if (!x->measured && !graph_tells(g)) {
		execution_over(x, status);
		device_flush(&c->device);
		return;
	}
	struct point *pt = point_make(x, NULL, status);
	for (vx_uint32 i = x->num_due; i--;)
		if (!x->due[i].placed)
			place(pt, &x->due[i]);
	point_put(pt);
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
	pthread_mutex_lock(&all->lock);
	g->pipeline.executing = false;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
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
