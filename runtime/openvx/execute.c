/* Execution of graphs: by the plan that verification has made (plan.h), or node by node in the order that it has found, in the
 * coordination queue. The host waits only before a node whose kernel is a function of the application's that works on the host, and
 * before a callback, and without the lock of the context, so that others go on. The application's functions are called without it, too. */
#include "runtime/openvx/nesting.h"
#include "runtime/openvx/exchange.h"
#include "runtime/openvx/launch.h"
#include "runtime/openvx/meta_format.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/perf.h"
#include "runtime/openvx/plan.h"
#include <VX/vx_khr_pipelining.h>
#include <stdlib.h>
#include <string.h>

/* ---- the application's functions ---- */
/* Calls the kernel of a node, or, without parameters, its callback. */
static vx_status call(struct _vx_node *n, vx_reference *parameters)
{
	struct _vx_context *c = n->reference.context;
	const vx_nodecomplete_f callback = n->callback;
	struct nesting here;
	vx_status status;
	node_enter(&here, n, !parameters);
	const bool left = context_leave(c);
	if (parameters)
		status = n->kernel->run(n, parameters, n->kernel->num_parameters);
	else
		status = callback && callback(n) == VX_ACTION_ABANDON ? VX_ERROR_GRAPH_ABANDONED : VX_SUCCESS;
	context_return(c, left);
	node_leave(&here);
	return status;
}

/* ---- kernels of the library's ---- */
static vx_status run_vision(struct _vx_node *n, bool dry)
{
	struct _vx_context *c = n->reference.context;
	struct launch l = {.context = c, .queue = c->device.queue, .border = n->border, .node = n, .dry = dry};
	const vx_status status = n->kernel->vision->run(&l, n->parameters);
	return status ? status : l.status;
}

/* ---- kernels of the application's ---- */
/* Its parameters, which live on while the kernel runs. */
static void hold(const vx_reference *given, vx_uint32 count, bool held)
{
	for (vx_uint32 i = 0; i < count; i++)
		if (given[i])
			object_hold(given[i], held);
}

/* A new object like one that a kernel has, which ends when the kernel can have it no more; NULL: no memory. */
static vx_reference another(struct _vx_node *n, vx_reference exemplar)
{
	struct _vx_context *c = n->reference.context;
	vx_reference ref = clone_create(&c->reference, exemplar, false);
	if (!ref)
		return NULL;
	part_adopt(ref);
	const vx_status status = node_hold(n, ref);
	object_unuse(ref);
	return status ? NULL : ref;
}

/* VX_KERNEL_PIPEUP_OUTPUT_DEPTH: outputs of a call from which no output is expected are others than those of the node: enqueued ones
 * of a queue, or new ones. */
static vx_status extra_outputs(struct _vx_node *n, vx_reference *given)
{
	for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++) {
		const vx_int32 at = place_queue(n, i);
		if (!given[i] || n->kernel->parameters[i].direction == VX_INPUT)
			continue;
		struct queue *q = at == NO_QUEUE ? NULL : &n->graph->parameters[at].queue;
		struct enqueue_ref *entry = q ? enqueue_refs_pop(&q->primed) : NULL;
		if (entry)
			enqueue_ref_keep(q, entry, true);
		given[i] = entry ? entry->ref : another(n, given[i]);
		FAIL_IF(!given[i], n, VX_ERROR_NO_MEMORY, "no memory for what kernel %s is piped up with", n->kernel->name);
	}
	return VX_SUCCESS;
}

/* 2.3.1: what a kernel has put in the place of a parameter is like it. */
static vx_status check_returned(struct _vx_node *n, vx_uint32 index, vx_reference given, vx_reference back)
{
	struct _vx_graph *g = n->graph;
	const vx_int32 queue = place_queue(n, index);
	const struct graph_parameter *p = queue == NO_QUEUE ? NULL : &g->parameters[queue];
	if (!object_is_data(back) || back->context != n->reference.context || meta_same(back, given, false, n))
		return fail(n, VX_ERROR_INVALID_REFERENCE, "kernel %s has put %p in the place of parameter %u, %s, which is not like it", n->kernel->name,
			    (void *)back, index, type_name(given->type));
	if (p ? p->node->parameters[p->index] != given : graph_uses_rest(g, queue, given, given))
		return fail(n, VX_ERROR_NOT_SUPPORTED, "kernel %s has put another object in the place of parameter %u, of which a part is used, or which is one, elsewhere",
			    n->kernel->name, index);
	return VX_SUCCESS;
}

static vx_status exchange_later(struct _vx_graph *g, vx_reference from, vx_reference to)
{
	struct exchange *e = malloc(sizeof *e);
	FAIL_IF(!e, g, VX_ERROR_NO_MEMORY, "no memory to exchange an object");
	*e = (struct exchange){.next = g->pipeline.exchanges, .from = from, .to = to};
	g->pipeline.exchanges = e;
	object_use(from);
	object_use(to);
	return VX_SUCCESS;
}

/* An output: dependent nodes of this execution have what the kernel has put in its place. */
static vx_status output_returned(struct _vx_node *n, struct execution *x, vx_uint32 index, vx_reference given, vx_reference back)
{
	const vx_int32 queue = place_queue(n, index);
	TRY(check_returned(n, index, given, back));
	if (queue == NO_QUEUE)
		TRY(node_hold(n, given));
	graph_exchange(n->graph, queue, given, back);
	if (queue != NO_QUEUE)
		execution_returns(x, (vx_uint32)queue, back);
	return VX_SUCCESS;
}

/* An input: it is still that of other nodes of this execution, and what the kernel has put in its place is filled by the next one.
 * retained: in VX_NODE_STATE_PIPEUP a kernel keeps its inputs and gives back nothing; what the graph fills is another object then. */
static vx_status input_returned(struct _vx_node *n, struct execution *x, vx_uint32 index, vx_reference given, vx_reference back, bool retained)
{
	const vx_int32 queue = place_queue(n, index);
	TRY(retained ? VX_SUCCESS : check_returned(n, index, given, back));
	if (queue != NO_QUEUE) {
		execution_returns(x, (vx_uint32)queue, retained ? NULL : back);
		return VX_SUCCESS;
	}
	if (retained && !graph_writes(n->graph, given))
		return VX_SUCCESS;
	vx_status status = node_hold(n, given);
	if (!status && retained) {
		back = another(n, given);
		status = back ? VX_SUCCESS : VX_ERROR_NO_MEMORY;
	}
	return status ? status : exchange_later(n->graph, given, back);
}

static vx_status take_back(struct _vx_node *n, struct execution *x, const vx_reference *given, const vx_reference *back, bool replica)
{
	vx_status status = VX_SUCCESS;
	for (vx_uint32 i = 0; !status && i < n->kernel->num_parameters; i++) {
		const bool input = n->kernel->parameters[i].direction == VX_INPUT;
		const bool retained = input && n->kernel->input_depth > 1 && n->state == VX_NODE_STATE_PIPEUP;
		if (!given[i] || (!retained && back[i] == given[i]))
			continue;
		if (replica)
			status = fail(n, VX_ERROR_NOT_SUPPORTED, "kernel %s has put another object in the place of parameter %u of a node that is replicated",
				      n->kernel->name, i);
		else if (input)
			status = input_returned(n, x, i, given[i], back[i], retained);
		else
			status = output_returned(n, x, i, given[i], back[i]);
	}
	return status;
}

static bool reads(const struct _vx_kernel *k)
{
	vx_uint32 i = 0;
	while (i < k->num_parameters && k->parameters[i].direction != VX_INPUT)
		i++;
	return i < k->num_parameters;
}

/* The calls before an output of the kernel's is expected, in the first execution after verification. */
static vx_status pipe_up(struct _vx_node *n)
{
	const vx_uint32 count = n->kernel->num_parameters;
	vx_reference given[PARAMETERS_MAX], back[PARAMETERS_MAX];
	vx_status status = VX_SUCCESS;
	while (!status && n->primed + 1 < n->kernel->output_depth) {
		memcpy(given, n->parameters, count * sizeof *given);
		status = extra_outputs(n, given);
		if (status)
			return status;
		memcpy(back, given, count * sizeof *back);
		hold(given, count, true);
		n->state = VX_NODE_STATE_PIPEUP;
		n->primed++;
		status = call(n, back);
		hold(given, count, false);
	}
	return status;
}

/* A kernel that declares VX_KERNEL_USE_OPENCL enqueues what it has to do, too; another one finds the data in the host's memory
 * by maps and copies, which wait by themselves, with the lock: when another thread goes on beside this execution, what they will
 * wait for is waited for before. */
static vx_status run_user(struct _vx_node *n, struct execution *x, bool replica)
{
	const struct _vx_kernel *k = n->kernel;
	const vx_uint32 count = k->num_parameters;
	vx_reference given[PARAMETERS_MAX], back[PARAMETERS_MAX];
	TRY(x && !k->use_opencl && reads(k) ? context_drain(n->reference.context) : VX_SUCCESS);
	TRY(pipe_up(n));
	memcpy(given, n->parameters, count * sizeof *given);
	memcpy(back, given, count * sizeof *back);
	hold(given, count, true);
	n->state = n->runs + 1 < k->input_depth ? VX_NODE_STATE_PIPEUP : VX_NODE_STATE_STEADY;
	vx_status status = call(n, back);
	if (!status)
		status = take_back(n, x, given, back, replica);
	if (n->runs < k->input_depth)
		n->runs++;
	hold(given, count, false);
	return status;
}

/* ---- nodes, graphs ---- */
static vx_status run_one(struct _vx_node *n, struct execution *x, bool replica)
{
	perf_begin(&n->performance);
	n->status = n->kernel->vision ? run_vision(n, false) : run_user(n, x, replica);
	if (n->reference.context->measures && !device_aside(&n->reference.context->device))
		context_drain(n->reference.context);
	perf_end(&n->performance);
	return n->status;
}

vx_status node_unchanged(const struct _vx_node *n)
{
	/* a function of the application's, or another thread during a wait, may have set a parameter of it */
	return n->changed ? fail(n, VX_ERROR_INVALID_GRAPH, "node of %s has been changed while its graph was executed: vxVerifyGraph", n->kernel->name) : VX_SUCCESS;
}

vx_status node_execute(struct _vx_node *n, struct execution *x)
{
	vx_status status = node_unchanged(n);
	if (!status && !n->replicate)
		status = run_one(n, x, false);
	for (unsigned i = 0; !status && i < n->num_replicas; i++)
		status = run_one(n->replicas[i], x, true);
	n->status = status;
	FAIL_IF(status, n, status, "node of %s has failed", n->kernel->name);
	/* vxAssignNodeCallback: called when the node has completed. One that is assigned while the graph runs on several queues is heard of
	 * from the next time on. */
	if (!n->callback || device_aside(&n->reference.context->device))
		return VX_SUCCESS;
	context_drain(n->reference.context);
	return call(n, NULL);
}

static void exchange_all(struct _vx_graph *g)
{
	while (g->pipeline.exchanges) {
		struct exchange *e = g->pipeline.exchanges;
		g->pipeline.exchanges = e->next;
		graph_exchange(g, NO_QUEUE, e->from, e->to);
		object_unuse(e->from);
		object_unuse(e->to);
		free(e);
	}
}

static vx_status nodes_execute(struct _vx_graph *g, struct execution *x)
{
	vx_status status = VX_SUCCESS;
	for (unsigned i = 0; !status && i < g->num_order; i++) {
		status = node_execute(g->order[i], x);
		if (x)
			execution_passes(x, i, g->order[i]->status);
	}
	return status;
}

vx_status graph_execute(struct _vx_graph *g, struct execution *x)
{
	const vx_status status = plan_applies(g, x) ? plan_execute(g, x) : nodes_execute(g, x);
	exchange_all(g);
	return status;
}

/* ---- without running ---- */
static vx_status rehearse_one(struct _vx_node *n) { return n->kernel->vision ? run_vision(n, true) : VX_SUCCESS; }

vx_status graph_rehearse(struct _vx_graph *g)
{
	vx_status status = VX_SUCCESS;
	for (unsigned i = 0; !status && i < g->num_order; i++) {
		struct _vx_node *n = g->order[i];
		if (!n->replicate)
			status = rehearse_one(n);
		for (unsigned k = 0; !status && k < n->num_replicas; k++)
			status = rehearse_one(n->replicas[k]);
		FAIL_IF(status, n, status, "the programs of a node of %s cannot be had", n->kernel->name);
	}
	return g->plan ? plan_rehearse(g->plan) : VX_SUCCESS;
}
