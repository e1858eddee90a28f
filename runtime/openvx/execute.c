/* Execution of graphs: nodes are enqueued in the order that verification has found, in the coordination queue. The host waits only
 * before a node whose kernel is a function of the application's that works on the host. */
#include "runtime/openvx/graph.h"
#include "runtime/openvx/launch.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/perf.h"

static vx_status run_vision(struct _vx_node *n)
{
	struct _vx_context *c = n->reference.context;
	struct launch l = {.context = c, .queue = c->device.queue, .border = n->border, .node = n};
	const vx_status status = n->kernel->vision->run(&l, n->parameters);
	return status ? status : l.status;
}

static void parts_in_use(vx_reference ref, bool in_use)
{
	const vx_reference *parts;
	if (!ref)
		return;
	ref->in_use = in_use;
	const vx_size count = parts_of(ref, &parts);
	for (vx_size i = 0; i < count; i++)
		parts_in_use(parts[i], in_use);
}

/* A kernel that declares VX_KERNEL_USE_OPENCL enqueues what it has to do, too; another one finds the data in the host's memory
 * by maps and copies, which wait by themselves. */
static vx_status run_user(struct _vx_node *n)
{
	const vx_uint32 count = n->kernel->num_parameters;
	for (vx_uint32 i = 0; i < count; i++)
		parts_in_use(n->parameters[i], true);
	const vx_status status = n->kernel->run(n, n->parameters, count);
	for (vx_uint32 i = 0; i < count; i++)
		parts_in_use(n->parameters[i], false);
	return status;
}

static vx_status run_one(struct _vx_node *n)
{
	const struct _vx_context *c = n->reference.context;
	perf_begin(&n->performance);
	n->status = n->kernel->vision ? run_vision(n) : run_user(n);
	if (c->measures)
		device_finish(&n->reference.context->device);
	perf_end(&n->performance);
	return n->status;
}

static vx_status run_node(struct _vx_node *n)
{
	vx_status status = VX_SUCCESS;
	if (!n->replicate)
		status = run_one(n);
	for (unsigned i = 0; !status && i < n->num_replicas; i++)
		status = run_one(n->replicas[i]);
	n->status = status;
	if (status)
		return fail(n, status, "node of %s has failed", n->kernel->name);
	if (!n->callback)
		return VX_SUCCESS;
	/* vxAssignNodeCallback: called when the node has completed */
	device_finish(&n->reference.context->device);
	return n->callback(n) == VX_ACTION_ABANDON ? VX_ERROR_GRAPH_ABANDONED : VX_SUCCESS;
}

vx_status graph_execute(struct _vx_graph *g)
{
	vx_status status = VX_SUCCESS;
	for (unsigned i = 0; !status && i < g->num_order; i++)
		status = run_node(g->order[i]);
	return status;
}
