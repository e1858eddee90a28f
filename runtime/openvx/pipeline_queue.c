/* Queues of references at graphs' parameters (vx_khr_pipelining, 2.2 and 3.1). */
#include "base/cancel.h"
#include "runtime/openvx/nesting.h"
#include "runtime/openvx/exchange.h"
#include "runtime/openvx/meta_format.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/replicate.h"
#include <stdlib.h>

/* ---- lists ---- */
void enqueue_refs_push(struct enqueue_refs *list, struct enqueue_ref *entry)
{
	entry->next = NULL;
	if (list->last)
		list->last->next = entry;
	else
		list->first = entry;
	list->last = entry;
	list->count++;
}

struct enqueue_ref *enqueue_refs_pop(struct enqueue_refs *list)
{
	struct enqueue_ref *entry = list->first;
	if (!entry)
		return NULL;
	list->first = entry->next;
	if (!list->first)
		list->last = NULL;
	list->count--;
	return entry;
}

void enqueue_ref_keep(struct queue *q, struct enqueue_ref *entry, bool by_kernel)
{
	enqueue_refs_push(&q->kept, entry);
	entry->with_kernel = by_kernel;
	if (by_kernel)
		parts_use(entry->ref, true);
}

static void leave_kernel(struct enqueue_ref *entry)
{
	if (entry->with_kernel)
		parts_use(entry->ref, false);
	entry->with_kernel = false;
}

struct enqueue_ref *enqueue_ref_kept(struct queue *q, vx_reference ref)
{
	struct enqueue_ref *found = NULL;
	for (vx_uint32 i = q->kept.count; i; i--) { /* once around */
		struct enqueue_ref *entry = enqueue_refs_pop(&q->kept);
		if (!found && (!ref || entry->ref == ref))
			found = entry;
		else
			enqueue_refs_push(&q->kept, entry);
	}
	if (found)
		leave_kernel(found);
	return found;
}

/* ---- objects that are the graph's for a while ---- */
/* With the lock of the pipelines. */
static void mark(vx_reference ref, bool written, bool enqueued)
{
	const vx_reference *parts;
	const unsigned by = enqueued ? 1u : -1u;
	ref->enqueued += by;
	if (written)
		ref->enqueued_written += by;
	const vx_size count = parts_of(ref, &parts);
	for (vx_size i = 0; i < count; i++)
		mark(parts[i], written, enqueued);
}

static void unmark(struct enqueue_ref *entry)
{
	if (entry->marked)
		mark(entry->ref, entry->written, false);
	entry->marked = false;
}

struct enqueue_ref *enqueue_ref_create(vx_reference ref, bool marked, bool written)
{
	struct pipelines *all = &ref->context->pipelines;
	struct enqueue_ref *entry = malloc(sizeof *entry);
	if (!entry)
		return NULL;
	*entry = (struct enqueue_ref){.ref = ref, .marked = marked, .written = written};
	object_use(ref);
	HOLDING(&all->lock);
	if (marked)
		mark(ref, written, true);
	return entry;
}

static void enqueue_ref_end(struct enqueue_ref *entry)
{
	struct pipelines *all = &entry->ref->context->pipelines;
	leave_kernel(entry);
	pthread_mutex_lock(&all->lock);
	unmark(entry);
	pthread_mutex_unlock(&all->lock);
	object_unuse(entry->ref);
	free(entry);
}

void enqueue_refs_end(struct enqueue_refs *list)
{
	for (struct enqueue_ref *entry; (entry = enqueue_refs_pop(list));)
		enqueue_ref_end(entry);
}

void queue_off(struct _vx_graph *g, struct queue *q)
{
	struct pipelines *all = &g->reference.context->pipelines;
	const struct enqueue_refs none = {NULL, NULL, 0};
	pthread_mutex_lock(&all->lock);
	struct enqueue_refs ready = q->ready, done = q->done;
	q->ready = q->done = none;
	q->on = false;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	enqueue_refs_end(&ready);
	enqueue_refs_end(&done);
	enqueue_refs_end(&q->primed);
	enqueue_refs_end(&q->kept);
	pthread_mutex_lock(&all->lock);
	vx_reference *listed = q->listed;
	*q = (struct queue){.on = false};
	pthread_mutex_unlock(&all->lock);
	free(listed);
}

/* ---- what can be enqueued ---- */
vx_status queue_check(struct _vx_graph *g, vx_uint32 parameter, vx_reference ref)
{
	const struct graph_parameter *p = &g->parameters[parameter];
	const struct _vx_node *n = p->node;
	const vx_reference *parts;
	/* vxGraphParameterEnqueueReadyRef: a reference to a data object; 2.1: delays are none */
	if (!object_is_data(ref) || ref->class->rotates)
		return fail(g, VX_ERROR_INVALID_REFERENCE, "graph parameter %u: %p is not a data object", parameter, (void *)ref);
	TRY(parameter_check(n->kernel, p->index, ref, g));
	/* vxReplicateNode: the first part of something, which has as many as the node's own has */
	if (n->replicate && n->replicate[p->index]) {
		const vx_size count = parts_of(container_of_part(ref), &parts);
		vx_reference own = n->parameters[p->index];
		if (!count || (own && parts_of(container_of_part(own), &parts) != count))
			return fail(g, VX_ERROR_INVALID_PARAMETERS, "graph parameter %u of a node that is replicated: not the first of as many parts as the node has",
				    parameter);
	}
	return VX_SUCCESS;
}

static bool is_listed(const struct queue *q, vx_reference ref)
{
	vx_uint32 i = 0;
	while (i < q->size && q->listed[i] != ref)
		i++;
	return i < q->size;
}

/* Whether a node writes what is enqueued; before verification, as far as it is known. */
static bool queue_writes(const struct graph_parameter *p)
{
	return p->queue.written || p->node->kernel->parameters[p->index].direction != VX_INPUT;
}

static vx_status check_enqueued(struct _vx_graph *g, vx_uint32 parameter, vx_reference ref)
{
	const struct graph_parameter *p = &g->parameters[parameter];
	const struct queue *q = &p->queue;
	const vx_reference own = p->node->parameters[p->index];
	TRY(queue_check(g, parameter, ref));
	/* vxGraphParameterEnqueueReadyRef: one of those that vxSetGraphScheduleConfig has been given */
	if (q->listed && !is_listed(q, ref))
		return fail(g, VX_ERROR_INVALID_PARAMETERS, "graph parameter %u: %s is not one of the %u references of vxSetGraphScheduleConfig", parameter,
			    type_name(ref->type), q->size);
	if (g->verified && own && meta_same(ref, own, false, g))
		return fail(g, VX_ERROR_INVALID_PARAMETERS, "graph parameter %u: %s is not like the one that was verified", parameter, type_name(ref->type));
	const bool conflicts = WITH_PIPELINES(g->reference.context, ref->enqueued && (queue_writes(p) || ref->enqueued_written));
	/* ... it was the application's until now: several graphs can have what all of them read */
	if (conflicts)
		return fail(g, VX_FAILURE, "graph parameter %u: %s is enqueued already, here or elsewhere, and written: vxGraphParameterDequeueDoneRef", parameter,
			    type_name(ref->type));
	return VX_SUCCESS;
}

/* With either lock. */
static bool has_queue(const struct _vx_graph *g, vx_uint32 parameter)
{
	return parameter < g->num_parameters && g->parameters[parameter].queue.on;
}

static vx_status no_queue(const struct _vx_graph *g, const char *function, vx_uint32 parameter)
{
	return fail(g, VX_ERROR_INVALID_PARAMETERS, "%s: the graph has no parameter %u with a queue: vxSetGraphScheduleConfig", function, parameter);
}

/* ---- the API ---- */
/* vxSetGraphScheduleConfig: in the automatic mode, executions are scheduled as soon as all parameters have a reference. The lock of the
 * pipelines is held; false: there is no thread for them. */
static bool schedule(struct _vx_graph *g)
{
	struct pipeline *p = &g->pipeline;
	const vx_uint64 sets = p->mode == VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO && !p->streaming ? sets_ready(g) : 0;
	if (sets && !runner_needed(g))
		return false;
	p->submitted += sets;
	return true;
}

static vx_status enqueue(struct _vx_graph *g, vx_uint32 parameter, struct enqueue_refs *added)
{
	struct pipelines *all = &g->reference.context->pipelines;
	struct enqueue_refs *ready = &g->parameters[parameter].queue.ready;
	pthread_mutex_lock(&all->lock);
	const struct enqueue_refs before = *ready;
	if (before.last)
		before.last->next = added->first;
	*ready = (struct enqueue_refs){before.last ? before.first : added->first, added->last, before.count + added->count};
	const bool scheduled = schedule(g);
	if (scheduled) {
		*added = (struct enqueue_refs){NULL, NULL, 0};
	} else {
		*ready = before;
		if (before.last)
			before.last->next = NULL;
	}
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	return scheduled ? VX_SUCCESS : fail(g, VX_ERROR_NO_RESOURCES, "vxGraphParameterEnqueueReadyRef: no thread to execute the graph");
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxGraphParameterEnqueueReadyRef(vx_graph g, vx_uint32 graph_parameter_index, vx_reference *refs,
									      vx_uint32 num_refs)
{
	struct enqueue_refs added = {NULL, NULL, 0};
	ENTER(g, VX_TYPE_GRAPH);
	vx_status status = VX_SUCCESS;
	if (!has_queue(g, graph_parameter_index))
		return no_queue(g, "vxGraphParameterEnqueueReadyRef", graph_parameter_index);
	FAIL_IF(!refs || !num_refs, g, VX_ERROR_INVALID_PARAMETERS, "vxGraphParameterEnqueueReadyRef: no references");
	/* vxSetGraphScheduleConfig: in the automatic mode the graph is verified before */
	if (g->pipeline.mode == VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO && !g->verified)
		return fail(g, VX_FAILURE, "vxGraphParameterEnqueueReadyRef: the graph has to be verified first: vxVerifyGraph");
	const bool writes = queue_writes(&g->parameters[graph_parameter_index]);
	for (vx_uint32 i = 0; !status && i < num_refs; i++) {
		status = check_enqueued(g, graph_parameter_index, refs[i]);
		struct enqueue_ref *entry = status ? NULL : enqueue_ref_create(refs[i], true, writes);
		if (entry)
			enqueue_refs_push(&added, entry);
		else if (!status)
			status = fail(g, VX_ERROR_NO_MEMORY, "no memory to enqueue %u references", num_refs);
	}
	if (!status)
		status = enqueue(g, graph_parameter_index, &added);
	enqueue_refs_end(&added); /* all or none */
	return status;
}

/* Until one is done; there is no sense in waiting for a graph that is gone, or that waits for the caller. The lock of the pipelines
 * is held. */
static void wait_done(struct _vx_graph *g, vx_uint32 parameter)
{
	NOT_CANCELLED;
	struct pipelines *all = &g->reference.context->pipelines;
	struct pipeline *p = &g->pipeline;
	p->waiters++;
	for (;;) {
		const struct queue *q = &g->parameters[parameter].queue;
		if (q->done.count || !q->on || p->released || all->closing || inside_graph(g))
			break;
		pthread_cond_wait(&all->changed, &all->lock);
	}
	p->waiters--;
	pthread_cond_broadcast(&all->changed);
}

/* This thread has the context no more, which may end now. */
static void leave(struct pipelines *all)
{
	HOLDING(&all->lock);
	all->waiters--;
	pthread_cond_broadcast(&all->changed);
}

/* Waits with the lock of the pipelines alone: the thread that has the other one may be waiting, too. */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxGraphParameterDequeueDoneRef(vx_graph g, vx_uint32 graph_parameter_index, vx_reference *refs,
									     vx_uint32 max_refs, vx_uint32 *num_refs)
{
	vx_uint32 count = 0;
	EXPECT(g, VX_TYPE_GRAPH);
	struct _vx_context *c = g->reference.context;
	struct pipelines *all = &c->pipelines;
	if (!refs || !max_refs || !num_refs)
		return fail(g, VX_ERROR_INVALID_PARAMETERS, "vxGraphParameterDequeueDoneRef: no room for references, or for their number");
	*num_refs = 0;
	pthread_mutex_lock(&all->lock);
	all->waiters++;
	const bool on = has_queue(g, graph_parameter_index);
	if (on) {
		wait_done(g, graph_parameter_index);
		struct enqueue_refs *done = &g->parameters[graph_parameter_index].queue.done;
		for (struct enqueue_ref *entry; count < max_refs && (entry = enqueue_refs_pop(done)); count++) {
			refs[count] = entry->ref;
			unmark(entry); /* the application's again */
			enqueue_refs_push(&all->returned, entry);
		}
	}
	pthread_mutex_unlock(&all->lock);
	vx_status status = VX_SUCCESS;
	if (!on)
		status = no_queue(g, "vxGraphParameterDequeueDoneRef", graph_parameter_index);
	else if (!count)
		status = fail(c, VX_FAILURE, "vxGraphParameterDequeueDoneRef: nothing is done at graph parameter %u, and nothing will be", graph_parameter_index);
	else
		pipelines_sweep_soon(c);
	*num_refs = count;
	leave(all);
	return status;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxGraphParameterCheckDoneRef(vx_graph g, vx_uint32 graph_parameter_index, vx_uint32 *num_refs)
{
	EXPECT(g, VX_TYPE_GRAPH);
	struct pipelines *all = &g->reference.context->pipelines;
	FAIL_IF(!num_refs, g, VX_ERROR_INVALID_PARAMETERS, "vxGraphParameterCheckDoneRef: no room for a number");
	pthread_mutex_lock(&all->lock);
	const bool on = has_queue(g, graph_parameter_index);
	const vx_uint32 count = on ? g->parameters[graph_parameter_index].queue.done.count : 0;
	pthread_mutex_unlock(&all->lock);
	if (!on)
		return no_queue(g, "vxGraphParameterCheckDoneRef", graph_parameter_index);
	*num_refs = count;
	return VX_SUCCESS;
}
