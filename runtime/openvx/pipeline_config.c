/* vxSetGraphScheduleConfig, and what verification finds of a graph with queues (vx_khr_pipelining, 2.2 and 3.1). */
#include "runtime/openvx/delay.h"
#include "runtime/openvx/exchange.h"
#include "runtime/openvx/meta_format.h"
#include "runtime/openvx/overlap.h"
#include <stdlib.h>
#include <string.h>

/* ---- the configuration ---- */
typedef const vx_graph_parameter_queue_params_t *entry_list;

/* The parameter that an entry of the list is for: the one of its index. An index that has been listed before is taken for the place of
 * the entry itself, as Khronos' conformance suite has it in GraphPipeline.testScalarOutput. */
static vx_uint32 entry_target(entry_list list, vx_uint32 entry)
{
	for (vx_uint32 i = 0; i < entry; i++)
		if (list[i].graph_parameter_index == list[entry].graph_parameter_index)
			return entry;
	return list[entry].graph_parameter_index;
}

static vx_status check_entry(struct _vx_graph *g, entry_list list, vx_uint32 entry)
{
	const vx_graph_parameter_queue_params_t *e = &list[entry];
	const vx_uint32 target = entry_target(list, entry);
	/* vxSetGraphScheduleConfig: parameters of the graph, each once */
	if (target >= g->num_parameters || !g->parameters[target].node)
		return fail(g, VX_ERROR_INVALID_PARAMETERS, "vxSetGraphScheduleConfig: the graph has no parameter %u", e->graph_parameter_index);
	for (vx_uint32 i = 0; i < entry; i++)
		if (entry_target(list, i) == target)
			return fail(g, VX_ERROR_INVALID_PARAMETERS, "vxSetGraphScheduleConfig: graph parameter %u is listed twice", e->graph_parameter_index);
	/* ... the number of references is always given, they themselves may be later */
	FAIL_IF(!e->refs_list_size, g, VX_ERROR_INVALID_PARAMETERS, "vxSetGraphScheduleConfig: graph parameter %u: a list of no references", target);
	for (vx_uint32 i = 0; e->refs_list && i < e->refs_list_size; i++) {
		if (queue_check(g, target, e->refs_list[i]) || meta_same(e->refs_list[i], e->refs_list[0], false, g))
			return fail(g, VX_ERROR_INVALID_PARAMETERS, "vxSetGraphScheduleConfig: graph parameter %u: reference %u of its list is none, or not like the others",
				    target, i);
	}
	return VX_SUCCESS;
}

static vx_status check_config(struct _vx_graph *g, vx_enum mode, vx_uint32 size, entry_list list)
{
	if (mode == VX_GRAPH_SCHEDULE_MODE_NORMAL)
		/* vxSetGraphScheduleConfig: there are no queues in the normal mode */
		return size || list ? fail(g, VX_ERROR_INVALID_PARAMETERS, "vxSetGraphScheduleConfig: VX_GRAPH_SCHEDULE_MODE_NORMAL with %u queues", size) :
				      VX_SUCCESS;
	if (mode != VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO && mode != VX_GRAPH_SCHEDULE_MODE_QUEUE_MANUAL)
		return fail(g, VX_ERROR_INVALID_PARAMETERS, "vxSetGraphScheduleConfig: there is no mode 0x%x", mode);
	FAIL_IF(!size || !list, g, VX_ERROR_INVALID_PARAMETERS, "vxSetGraphScheduleConfig: a mode with queues, and no list of them");
	for (vx_uint32 i = 0; i < size; i++)
		TRY(check_entry(g, list, i));
	return VX_SUCCESS;
}

/* Whether all but the lists of references is as it was. */
static bool same_config(const struct _vx_graph *g, vx_enum mode, vx_uint32 size, entry_list list)
{
	vx_uint32 queues = 0;
	for (vx_uint32 i = 0; i < g->num_parameters; i++)
		queues += g->parameters[i].queue.on;
	bool same = g->pipeline.mode == mode && queues == size;
	for (vx_uint32 i = 0; same && i < size; i++) {
		const struct queue *q = &g->parameters[entry_target(list, i)].queue;
		same = q->on && q->size == list[i].refs_list_size;
	}
	return same;
}

static vx_status set_entry(struct _vx_graph *g, entry_list list, vx_uint32 entry)
{
	struct queue *q = &g->parameters[entry_target(list, entry)].queue;
	const vx_graph_parameter_queue_params_t *e = &list[entry];
	vx_reference *listed = NULL;
	if (e->refs_list) {
		listed = malloc(e->refs_list_size * sizeof *listed);
		FAIL_IF(!listed, g, VX_ERROR_NO_MEMORY, "no memory for a list of %u references", e->refs_list_size);
		memcpy(listed, e->refs_list, e->refs_list_size * sizeof *listed);
	}
	struct pipelines *all = &g->reference.context->pipelines;
	free(q->listed);
	HOLDING(&all->lock);
	q->listed = listed;
	q->size = e->refs_list_size;
	q->on = true;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetGraphScheduleConfig(vx_graph g, vx_enum graph_schedule_mode, vx_uint32 graph_parameters_list_size,
								       const vx_graph_parameter_queue_params_t graph_parameters_queue_params_list[])
{
	ENTER(g, VX_TYPE_GRAPH);
	vx_status status = VX_SUCCESS;
	TRY(check_config(g, graph_schedule_mode, graph_parameters_list_size, graph_parameters_queue_params_list));
	const bool same = same_config(g, graph_schedule_mode, graph_parameters_list_size, graph_parameters_queue_params_list);
	/* vxSetGraphScheduleConfig: before vxVerifyGraph; after it, to give the lists of references alone */
	if (g->verified && !same)
		return fail(g, VX_ERROR_INVALID_PARAMETERS, "vxSetGraphScheduleConfig: the graph has been verified, and what is set is more than lists of references");
	if (!same)
		TRY(pipeline_idle(g, "vxSetGraphScheduleConfig"));
	for (vx_uint32 i = 0; !same && i < g->num_parameters; i++)
		queue_off(g, &g->parameters[i].queue);
	for (vx_uint32 i = 0; !status && i < graph_parameters_list_size; i++)
		status = set_entry(g, graph_parameters_queue_params_list, i);
	HOLDING(&g->reference.context->pipelines.lock);
	g->pipeline.mode = graph_schedule_mode;
	if (!same)
		g->pipeline.configured = g->pipeline.submitted;
	return status;
}

/* ---- verification ---- */
/* What has been left out of a node is, to begin with, one of the references that can be enqueued for it. */
vx_status pipeline_prepare(struct _vx_graph *g)
{
	for (vx_uint32 i = 0; i < g->num_parameters; i++) {
		const struct graph_parameter *p = &g->parameters[i];
		if (!p->queue.on || !p->queue.listed || p->node->parameters[p->index])
			continue;
		TRY(queue_check(g, i, p->queue.listed[0]));
		place_set(p->node, p->index, p->queue.listed[0]);
	}
	return VX_SUCCESS;
}

static vx_status make_places(struct _vx_graph *g)
{
	for (struct _vx_node *n = g->first; n; n = n->next) {
		const vx_uint32 count = n->kernel->num_parameters;
		free(n->follows);
		n->follows = NULL;
		if (!queueing(&g->pipeline))
			continue;
		n->follows = malloc((count + 1) * sizeof *n->follows);
		FAIL_IF(!n->follows, n, VX_ERROR_NO_MEMORY, "no memory to verify a graph with queues");
		for (vx_uint32 i = 0; i < count; i++)
			n->follows[i] = NO_QUEUE;
	}
	return VX_SUCCESS;
}

/* Which places are exchanged with which queue: those of the parameters themselves, and those that have their objects, or parts of them. */
static vx_status find_places(struct _vx_graph *g)
{
	for (vx_uint32 i = 0; i < g->num_parameters; i++) {
		const struct graph_parameter *p = &g->parameters[i];
		if (!p->queue.on)
			continue;
		if (place_queue(p->node, p->index) != NO_QUEUE)
			return fail(p->node, VX_ERROR_INVALID_PARAMETERS, "graph parameters %d and %u have queues, and are the same parameter of a node of %s",
				    place_queue(p->node, p->index), i, p->node->kernel->name);
		p->node->follows[p->index] = (vx_int32)i;
	}
	for (vx_uint32 i = 0; i < g->num_parameters; i++) {
		const struct graph_parameter *p = &g->parameters[i];
		vx_reference ref = p->queue.on ? p->node->parameters[p->index] : NULL;
		for (struct _vx_node *n = g->first; ref && n; n = n->next)
			for (vx_uint32 k = 0; k < n->kernel->num_parameters; k++)
				if (n->follows[k] == NO_QUEUE && n->parameters[k] && part_like(ref, ref, n->parameters[k]))
					n->follows[k] = (vx_int32)i;
	}
	return VX_SUCCESS;
}

static bool uses(const struct _vx_node *n, vx_uint32 parameter, vx_reference ref)
{
	for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++)
		if (n->parameters[i] && (place_queue(n, i) == (vx_int32)parameter || objects_overlap(ref, node_footprint(n, i))))
			return true;
	return false;
}

static bool is_slot(vx_reference ref, const struct _vx_graph *g)
{
	for (unsigned i = 0; i < g->num_aging; i++)
		for (vx_size k = 0; k < g->aging[i]->count; k++)
			if (g->aging[i]->slots[k] == ref)
				return true;
	return false;
}

static vx_status check_queue(struct _vx_graph *g, vx_uint32 parameter)
{
	struct graph_parameter *p = &g->parameters[parameter];
	struct queue *q = &p->queue;
	vx_reference ref = p->node->parameters[p->index];
	if (ref && graph_uses_rest(g, (vx_int32)parameter, ref, node_footprint(p->node, p->index)))
		return fail(p->node, VX_ERROR_INVALID_GRAPH,
			    "graph parameter %u: other nodes use parts of what is enqueued, or what it is a part of, which cannot follow: make that the parameter",
			    parameter);
	/* 2.2.3: delays in a graph with queues age by themselves */
	if (ref && ref->delay && !is_slot(ref, g))
		return fail(p->node, VX_ERROR_INVALID_GRAPH, "graph parameter %u is of a delay, and not one of its slots, or the delay does not age: vxRegisterAutoAging",
			    parameter);
	/* vxSetGraphScheduleConfig: meta data are checked here */
	if (ref && q->listed && (queue_check(g, parameter, q->listed[0]) || meta_same(q->listed[0], ref, false, p->node)))
		return fail(p->node, VX_ERROR_INVALID_PARAMETERS, "graph parameter %u: what is listed for it is not like what the node has", parameter);
	q->late = ref && ref->delay;
	q->written = false;
	q->extra = 0;
	for (const struct _vx_node *n = g->first; n; n = n->next) {
		for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++) {
			const bool output = n->kernel->parameters[i].direction != VX_INPUT;
			const vx_uint32 depth = output ? n->kernel->output_depth : n->kernel->input_depth;
			if (place_queue(n, i) != (vx_int32)parameter)
				continue;
			if (depth > 1 && n->parameters[i] != ref)
				return fail(n, VX_ERROR_NOT_SUPPORTED, "kernel %s is piped up with parts of what is enqueued at graph parameter %u",
					    n->kernel->name, parameter);
			if (!output)
				continue;
			q->written = true;
			q->extra = depth - 1;
		}
	}
	if (q->extra >= q->size)
		return fail(p->node, VX_ERROR_INVALID_PARAMETERS, "graph parameter %u: %u references, where kernel %s needs %u to begin", parameter, q->size,
			    p->node->kernel->name, q->extra + 1);
	return VX_SUCCESS;
}

static bool piped_up(const struct _vx_node *n) { return n->kernel->output_depth > 1 || n->kernel->input_depth > 1; }

/* Whether what the graph fills is read by both. */
static bool share_inputs(const struct _vx_graph *g, const struct _vx_node *a, const struct _vx_node *b)
{
	for (vx_uint32 i = 0; i < a->kernel->num_parameters; i++) {
		vx_reference ref = a->parameters[i];
		if (!ref || a->kernel->parameters[i].direction != VX_INPUT || !graph_writes(g, ref))
			continue;
		for (vx_uint32 k = 0; k < b->kernel->num_parameters; k++)
			if (b->parameters[k] && b->kernel->parameters[k].direction == VX_INPUT && objects_overlap(ref, b->parameters[k]))
				return true;
	}
	return false;
}

/* What the library does not do: many objects for a replicated node, objects that two kernels keep for different times. */
static vx_status check_depths(struct _vx_graph *g)
{
	for (struct _vx_node *n = g->first; n; n = n->next) {
		if (n->replicate && piped_up(n))
			return fail(n, VX_ERROR_NOT_SUPPORTED, "node of %s is replicated, and its kernel is piped up", n->kernel->name);
		for (struct _vx_node *m = n->next; m; m = m->next)
			if (n->kernel->input_depth > 1 && m->kernel->input_depth > 1 && share_inputs(g, n, m))
				return fail(m, VX_ERROR_NOT_SUPPORTED, "nodes of %s and %s keep one and the same input: VX_KERNEL_PIPEUP_INPUT_DEPTH",
					    n->kernel->name, m->kernel->name);
	}
	return VX_SUCCESS;
}

/* Kernels have been deinitialized: what they had is to be dequeued. What a delay has stays there. */
static void recover(struct _vx_graph *g, struct queue *q)
{
	struct pipelines *all = &g->reference.context->pipelines;
	struct enqueue_refs back = q->primed;
	q->primed = (struct enqueue_refs){NULL, NULL, 0};
	for (vx_uint32 i = q->kept.count; i; i--) { /* once around */
		struct enqueue_ref *entry = enqueue_ref_kept(q, NULL);
		if (entry->ref->delay)
			enqueue_ref_keep(q, entry, false);
		else
			enqueue_refs_push(&back, entry);
	}
	HOLDING(&all->lock);
	for (struct enqueue_ref *entry; (entry = enqueue_refs_pop(&back));)
		enqueue_refs_push(&q->done, entry);
	pthread_cond_broadcast(&all->changed);
}

vx_status pipeline_verify(struct _vx_graph *g)
{
	const vx_status status = check_depths(g);
	WITH_PIPELINES(g->reference.context, g->pipeline.last = VX_SUCCESS);
	for (vx_uint32 i = 0; i < g->num_parameters; i++)
		recover(g, &g->parameters[i].queue);
	TRY(status);
	TRY(make_places(g));
	TRY(find_places(g));
	for (vx_uint32 i = 0; i < g->num_parameters; i++)
		if (g->parameters[i].queue.on)
			TRY(check_queue(g, i));
	for (vx_uint32 i = 0; i < g->num_parameters; i++) {
		struct graph_parameter *p = &g->parameters[i];
		vx_reference ref = p->node && (p->queue.on || p->on_consumed.on) ? p->node->parameters[p->index] : NULL;
		p->last_use = 0;
		for (unsigned k = 0; ref && k < g->num_order; k++)
			if (uses(g->order[k], i, node_footprint(p->node, p->index)))
				p->last_use = k;
	}
	return VX_SUCCESS;
}
