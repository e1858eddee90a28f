/* Steps on several queues: those that do not depend on one another run side by side.
 *
 * A step goes into the queue whose last step it follows, so that a chain stays in one; else into one that is empty, or the one that
 * has waited longest for a step. Steps that have work for the whole device stay in the coordination queue. Queues wait for each other
 * by events; nothing is flushed here, as a flush of one queue takes along what stands in others and is waited for, and so the branches
 * reach the device together. What is in the coordination queue before the graph ends before any of its steps begins, and what comes
 * after the graph there begins after all of them have ended: the host waits for nothing. Kernels of the application's run in the
 * coordination queue, when all steps before them have ended and before any later one begins, as the application may have more to do
 * with the queue than the graph knows. */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/plan.h"
#include <stdlib.h>

enum { NO_STEP = -1 };

static bool is_users(const struct step *s) { return !s->nodes[0]->kernel->vision; }
static bool follows(const struct plan *p, unsigned later, unsigned earlier) { return p->follows[later * p->num_steps + earlier]; }

/* ---- which steps ---- */
/* Larger ones keep all compute units busy by themselves: two of them side by side only take the caches from each other. */
enum { ELEMENTS_MAX = 1 << 15 };

static size_t elements_of(vx_reference ref)
{
	const vx_reference *parts;
	const vx_size count = parts_of(ref, &parts);
	size_t elements = ref->class->elements ? ref->class->elements(ref) : 0;
	for (vx_size i = 0; i < count; i++)
		elements += elements_of(parts[i]);
	return elements;
}

static bool fills_device(const struct step *s)
{
	for (unsigned n = 0; n < s->num_nodes; n++)
		for (vx_uint32 k = 0; k < s->nodes[n]->kernel->num_parameters; k++)
			if (s->nodes[n]->parameters[k] && elements_of(node_footprint(s->nodes[n], k)) > ELEMENTS_MAX)
				return true;
	return false;
}

/* ---- which queue ---- */
static unsigned choose_queue(const struct plan *p, unsigned step, const int *last, unsigned most)
{
	unsigned best = 0;
	if (is_users(&p->steps[step]) || fills_device(&p->steps[step]))
		return 0;
	for (int i = (int)step - 1; i >= 0; i--)
		if (follows(p, step, (unsigned)i) && last[p->steps[i].queue] == i)
			return p->steps[i].queue;
	for (unsigned q = 1; q < most; q++)
		if (last[q] < last[best])
			best = q;
	return best;
}

void queues_assign(struct plan *p, unsigned most)
{
	int last[QUEUES_MAX]; /* steps */
	unsigned first = 0;   /* step behind the last one of the application's */
	for (unsigned q = 0; q < QUEUES_MAX; q++)
		last[q] = NO_STEP;
	p->num_queues = 1;
	for (unsigned i = 0; i < p->num_steps; i++) {
		struct step *s = &p->steps[i];
		s->queue = choose_queue(p, i, last, most);
		last[s->queue] = (int)i;
		for (unsigned q = 1; q < QUEUES_MAX && is_users(s); q++)
			last[q] = NO_STEP;
		first = is_users(s) ? i + 1 : first;
		if (s->queue >= p->num_queues)
			p->num_queues = s->queue + 1;
		for (unsigned k = first; k < i; k++)
			if (follows(p, i, k) && p->steps[k].queue != s->queue)
				p->steps[k].awaited = true;
	}
}

/* ---- what steps have in common ---- */
/* Buffers are made, zeroed and filled by the first that uses them. Of objects that steps in several queues may use that is done in
 * the coordination queue before they begin. Scalars need one for few kernels alone. */
static bool is_used_by_others(const struct plan *p, unsigned step, vx_reference ref)
{
	for (unsigned i = 0; i < p->num_steps; i++)
		for (unsigned n = 0; i != step && n < p->steps[i].num_nodes; n++)
			for (vx_uint32 k = 0; k < p->steps[i].nodes[n]->kernel->num_parameters; k++)
				if (p->steps[i].nodes[n]->parameters[k] == ref)
					return true;
	return false;
}

/* Between nodes of one step: never in memory. */
static bool is_inside(const struct step *s, vx_reference ref)
{
	for (unsigned n = 0; n + 1 < s->num_nodes; n++)
		for (vx_uint32 k = 0; k < s->nodes[n]->kernel->num_parameters; k++)
			if (s->nodes[n]->kernel->parameters[k].direction != VX_INPUT && s->nodes[n]->parameters[k] == ref)
				return true;
	return false;
}

static vx_status allocate_all(const struct plan *p)
{
	vx_status status = VX_SUCCESS;
	for (unsigned i = 0; i < p->num_steps; i++) {
		const struct step *s = &p->steps[i];
		for (unsigned n = 0; n < s->num_nodes && !is_users(s); n++) {
			if (s->nodes[n]->changed) /* it does not run, and says why */
				continue;
			for (vx_uint32 k = 0; !status && k < s->nodes[n]->kernel->num_parameters; k++) {
				const vx_reference ref = s->nodes[n]->parameters[k] ? node_footprint(s->nodes[n], k) : NULL;
				if (ref && !is_inside(s, ref) && (ref->type != VX_TYPE_SCALAR || is_used_by_others(p, i, ref)))
					status = data_allocate(ref);
			}
		}
	}
	return status;
}

/* ---- execution ---- */
struct run {
	struct _vx_context *context;
	const struct plan *plan;
	struct execution *execution;           /* NULL: none */
	cl_command_queue queues[QUEUES_MAX];
	bool begun[QUEUES_MAX];                /* behind what the coordination queue had before */
	unsigned first;                        /* step behind the last one of the application's: all before it have ended for all */
	unsigned seen[QUEUES_MAX][QUEUES_MAX]; /* by a queue, of another: its steps before this one have ended */
	cl_event begin;                        /* the place in the coordination queue where side queues begin */
	cl_event *ends;                        /* of steps that are awaited */
};

/* An event when all before it in the queue has ended. */
static vx_status mark(struct run *r, unsigned queue, cl_event *event)
{
	return device_status(r->context->device.cl.clEnqueueMarkerWithWaitList(r->queues[queue], 0, NULL, event));
}

static void drop(struct run *r, cl_event *event)
{
	if (*event)
		r->context->device.cl.clReleaseEvent(*event);
	*event = NULL;
}

static vx_status wait_for(struct run *r, unsigned queue, cl_uint count, const cl_event *events)
{
	return count ? device_status(r->context->device.cl.clEnqueueBarrierWithWaitList(r->queues[queue], count, events, NULL)) : VX_SUCCESS;
}

/* Side queues go on behind what is in the coordination queue now. */
static vx_status fork_queues(struct run *r)
{
	drop(r, &r->begin);
	return r->plan->num_queues > 1 ? mark(r, 0, &r->begin) : VX_SUCCESS;
}

/* The coordination queue goes on behind all steps. */
static vx_status join_queues(struct run *r)
{
	cl_event ends[QUEUES_MAX] = {NULL};
	cl_uint count = 0;
	vx_status status = VX_SUCCESS;
	for (unsigned q = 1; q < r->plan->num_queues; q++) {
		if (!r->begun[q])
			continue;
		const vx_status marked = mark(r, q, &ends[count]);
		count += !marked;
		status = status ? status : marked;
		r->begun[q] = false;
	}
	const vx_status waits = wait_for(r, 0, count, ends);
	while (count)
		drop(r, &ends[--count]);
	return status ? status : waits;
}

/* The step's queue waits for the steps in others that it follows: in each for the last of them. */
static vx_status wait_before(struct run *r, unsigned step)
{
	const struct plan *p = r->plan;
	const unsigned queue = p->steps[step].queue;
	cl_event events[QUEUES_MAX + 1];
	cl_uint count = 0;
	for (unsigned i = step; i-- > r->first;) {
		const unsigned other = p->steps[i].queue;
		if (other == queue || !follows(p, step, i) || r->seen[queue][other] > i)
			continue;
		r->seen[queue][other] = i + 1;
		events[count++] = r->ends[i];
	}
	/* a step that waits for another one waits for the place where that one began, too */
	if (queue && !r->begun[queue] && !count)
		events[count++] = r->begin;
	r->begun[queue] = true;
	return wait_for(r, queue, count, events);
}

static vx_status run_step(struct run *r, unsigned i)
{
	struct device *d = &r->context->device;
	const struct step *s = &r->plan->steps[i];
	const bool users = is_users(s);
	vx_status status = users ? join_queues(r) : VX_SUCCESS;
	if (users)
		r->first = i;
	if (!status)
		status = wait_before(r, i);
	if (status)
		return status;
	/* whatever the step enqueues, fills and reads of the host's among it, goes there */
	d->queue = r->queues[s->queue];
	status = step_execute(s, r->execution);
	d->queue = r->queues[0];
	if (!status && s->awaited)
		status = mark(r, s->queue, &r->ends[i]);
	if (!status && users && r->plan->num_queues > 1)
		status = allocate_all(r->plan); /* it may have put new objects in the place of those it had */
	if (!status && users) {
		status = fork_queues(r);
		r->first = i + 1;
	}
	return status;
}

vx_status plan_execute(struct _vx_graph *g, struct execution *x)
{
	struct _vx_context *c = g->reference.context;
	const struct plan *p = g->plan;
	struct run r = {.context = c, .plan = p, .execution = x, .queues = {c->device.queue}, .ends = calloc(p->num_steps + 1, sizeof *r.ends)};
	vx_status status = r.ends ? VX_SUCCESS : fail(c, VX_ERROR_NO_MEMORY, "no memory for events");
	for (unsigned q = 1; !status && q < p->num_queues; q++) {
		r.queues[q] = device_queue(&c->device, q);
		if (!r.queues[q])
			status = fail(c, VX_ERROR_NO_RESOURCES, "no command queue for branches of a graph: GALENA_OPENVX_QUEUES=1 does without");
	}
	if (!status && p->num_queues > 1)
		status = allocate_all(p);
	if (!status)
		status = fork_queues(&r);
	for (unsigned i = 0; !status && i < p->num_steps; i++)
		status = run_step(&r, i);
	const vx_status joined = join_queues(&r);
	drop(&r, &r.begin);
	for (unsigned i = 0; r.ends && i < p->num_steps; i++)
		drop(&r, &r.ends[i]);
	free(r.ends);
	return status ? status : joined;
}
