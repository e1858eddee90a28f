/* Nodes (OpenVX 1.3, 3.12). */
#include "runtime/openvx/nesting.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/replicate.h"
#include <VX/vx_khr_opencl_interop.h>
#include <VX/vx_khr_pipelining.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- life ---- */
void node_forget(struct _vx_node *n)
{
	struct _vx_context *c = n->reference.context;
	if (n->initialized) {
		n->initialized = false;
		n->local_data_open = true;
		struct nesting here;
		node_enter(&here, n, false);
		if (n->kernel->deinitialize)
			n->kernel->deinitialize(n, n->parameters, n->kernel->num_parameters);
		node_leave(&here);
		n->local_data_open = false;
		if (n->local_data_own) {
			free(n->local_data);
			n->local_data = NULL;
			n->local_data_own = false;
		}
		n->local_data_size = n->kernel->local_data_size;
	}
	for (unsigned i = 0; i < n->num_replicas; i++)
		object_unuse(&n->replicas[i]->reference);
	free(n->replicas);
	n->replicas = NULL;
	n->num_replicas = 0;
	for (unsigned i = 0; i < n->num_scratch; i++)
		device_release(&c->device, n->scratch[i].mem);
	free(n->scratch);
	n->scratch = NULL;
	n->num_scratch = 0;
	for (unsigned i = 0; i < n->num_held; i++)
		object_hold(n->held[i], false);
	free(n->held);
	n->held = NULL;
	n->num_held = 0;
	n->primed = n->runs = 0;
	n->state = n->kernel->output_depth > 1 || n->kernel->input_depth > 1 ? VX_NODE_STATE_PIPEUP : VX_NODE_STATE_STEADY;
}

static void node_destroy(struct _vx_reference *ref)
{
	struct _vx_node *n = (struct _vx_node *)ref;
	node_forget(n);
	for (vx_uint32 i = 0; i < n->kernel->num_parameters; i++) {
		object_unuse(n->parameters[i]);
		object_unuse(n->wholes ? n->wholes[i] : NULL);
	}
	free(n->parameters);
	free(n->wholes);
	free(n->follows);
	free(n->replicate);
	object_unuse(&n->kernel->reference);
}

vx_node node_create(struct _vx_graph *g, struct _vx_kernel *k)
{
	vx_reference *parameters = calloc(k->num_parameters ? k->num_parameters : 1, sizeof *parameters);
	struct _vx_node *n = parameters ? object_create(g->reference.context, VX_TYPE_NODE, sizeof *n, &g->reference, node_destroy) : NULL;
	if (!n) {
		free(parameters);
		return NULL;
	}
	n->graph = g;
	n->kernel = k;
	n->parameters = parameters;
	n->border.mode = VX_BORDER_UNDEFINED;
	n->state = VX_NODE_STATE_STEADY;
	n->local_data_size = k->local_data_size;
	n->valid_rect_reset = k->vision && k->vision->resets_valid;
	object_use(&k->reference);
	return n;
}

static void graph_take(struct _vx_graph *g, struct _vx_node *n)
{
	*g->last = n;
	g->last = &n->next;
	g->num_nodes++;
	object_use(&n->reference);
	graph_changed(g);
}

void node_orphan(struct _vx_node *n)
{
	node_forget(n);
	n->graph = NULL;
	n->next = NULL;
	/* vxReleaseGraph: nodes end with their graph, released or not; what the application still has is a node of no graph */
	n->reference.context->num_references -= n->reference.external;
	n->reference.uncounted = true;
	n->reference.scope = &n->reference.context->reference;
	object_unuse(&n->reference);
}

vx_status node_hold(struct _vx_node *n, vx_reference ref)
{
	for (unsigned i = 0; i < n->num_held; i++)
		if (n->held[i] == ref)
			return VX_SUCCESS;
	vx_reference *grown = realloc(n->held, (n->num_held + 1) * sizeof *grown);
	FAIL_IF(!grown, n, VX_ERROR_NO_MEMORY, "no memory for what kernel %s keeps", n->kernel->name);
	n->held = grown;
	grown[n->num_held++] = ref;
	object_hold(ref, true);
	return VX_SUCCESS;
}

void node_replace(struct _vx_node *n, vx_uint32 index, vx_reference value)
{
	vx_reference before = n->parameters[index];
	if (value)
		object_use(value);
	n->parameters[index] = value;
	if (n->wholes)
		replicas_hold(n, index);
	object_unuse(before);
}

/* And with it its graph, if it is in one. */
static void node_changed(struct _vx_node *n)
{
	n->changed = true;
	if (n->graph)
		graph_changed(n->graph);
}

void node_set(struct _vx_node *n, vx_uint32 index, vx_reference value)
{
	node_replace(n, index, value);
	node_changed(n);
}

VX_API_ENTRY VX_EXPORT vx_node VX_API_CALL vxCreateGenericNode(vx_graph graph, vx_kernel kernel)
{
	ENTER_OR_NULL(graph, VX_TYPE_GRAPH);
	struct _vx_context *c = graph->reference.context;
	if (!object_is(kernel, VX_TYPE_KERNEL))
		return (vx_node)object_error(c, fail(graph, VX_ERROR_INVALID_REFERENCE, "vxCreateGenericNode: not a kernel"));
	/* vxCreateGenericNode: a kernel of the graph's context that is finalized */
	if (kernel->reference.context != c || !kernel->finalized)
		return (vx_node)object_error(c, fail(graph, VX_ERROR_INVALID_PARAMETERS, "vxCreateGenericNode: kernel %s is of another context, or not finalized",
						     kernel->name));
	const vx_status status = graph_can_change(graph, "vxCreateGenericNode");
	if (status)
		return (vx_node)object_error(c, status);
	struct _vx_node *n = node_create(graph, kernel);
	if (!n)
		return (vx_node)object_error(c, fail(graph, VX_ERROR_NO_MEMORY, "no memory for a node"));
	graph_take(graph, n);
	return n;
}

vx_node node_with(vx_graph graph, vx_enum enumeration, const vx_reference *parameters, vx_uint32 count)
{
	ENTER_OR_NULL(graph, VX_TYPE_GRAPH);
	struct _vx_context *c = graph->reference.context;
	struct _vx_kernel *k = kernel_by_enum(c, enumeration);
	if (!k)
		return (vx_node)object_error(c, fail(graph, VX_ERROR_INVALID_PARAMETERS, "there is no kernel 0x%x", enumeration));
	for (vx_uint32 i = 0; i < count; i++) {
		vx_status status = parameter_check(k, i, parameters[i], graph);
		if (!status && !parameters[i] && k->parameters[i].state == VX_PARAMETER_STATE_REQUIRED)
			status = fail(graph, VX_ERROR_INVALID_REFERENCE, "kernel %s, parameter %u is required", k->name, i);
		if (status)
			return (vx_node)object_error(c, status);
	}
	vx_node n = vxCreateGenericNode(graph, k);
	for (vx_uint32 i = 0; n->reference.type == VX_TYPE_NODE && i < count; i++)
		node_set(n, i, parameters[i]);
	return n;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseNode(vx_node *node) { return object_release((vx_reference *)node, VX_TYPE_NODE); }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxRemoveNode(vx_node *node)
{
	FAIL_IF(!node || !object_is(*node, VX_TYPE_NODE), NULL, VX_ERROR_INVALID_REFERENCE, "vxRemoveNode: not a node");
	struct _vx_node *n = *node;
	struct _vx_graph *g = n->graph;
	LOCKED(n->reference.context);
	FAIL_IF(!g, n, VX_ERROR_INVALID_REFERENCE, "vxRemoveNode: the node is in no graph");
	TRY(graph_can_change(g, "vxRemoveNode"));
	TRY(pipeline_idle(g, "vxRemoveNode"));
	struct _vx_node **at = &g->first;
	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	if (g->last == &n->next)
		g->last = at;
	g->num_nodes--;
	graph_changed(g);
	pipeline_forget(g, n);
	for (vx_uint32 i = 0; i < g->num_parameters; i++)
		if (g->parameters[i].node == n)
			g->parameters[i].node = NULL;
	node_orphan(n);
	return object_release((vx_reference *)node, VX_TYPE_NODE);
}

/* ---- attributes ---- */
/* VX_NODE_CL_COMMAND_QUEUE and VX_NODE_STATE have one number; the room that there is for the value tells them apart. */
_Static_assert((vx_enum)VX_NODE_CL_COMMAND_QUEUE == (vx_enum)VX_NODE_STATE && sizeof(cl_command_queue) != sizeof(vx_enum), "two attributes of one number");

static vx_status query_queue_or_state(vx_node n, vx_enum attribute, void *ptr, vx_size size)
{
	if (size == sizeof(vx_enum))
		return GET(n, vx_enum, n->state);
	/* vx_khr_opencl_interop, 2.3.2: only nodes whose kernel declares that it uses OpenCL have a queue */
	FAIL_IF(!n->kernel->use_opencl, n, VX_ERROR_NOT_SUPPORTED, "kernel %s does not declare VX_KERNEL_USE_OPENCL", n->kernel->name);
	return GET(n, cl_command_queue, n->reference.context->device.queue);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryNode(vx_node n, vx_enum attribute, void *ptr, vx_size size)
{
	ENTER(n, VX_TYPE_NODE);
	switch (attribute) {
	case VX_NODE_STATUS: return GET(n, vx_status, n->status);
	case VX_NODE_PERFORMANCE: return attribute_get(n, attribute, ptr, size, &n->performance, sizeof n->performance);
	case VX_NODE_BORDER: return attribute_get(n, attribute, ptr, size, &n->border, sizeof n->border);
	case VX_NODE_LOCAL_DATA_SIZE: return GET(n, vx_size, n->local_data_size);
	case VX_NODE_LOCAL_DATA_PTR: return GET(n, void *, n->local_data);
	case VX_NODE_PARAMETERS: return GET(n, vx_uint32, n->kernel->num_parameters);
	case VX_NODE_IS_REPLICATED: return GET(n, vx_bool, n->replicate ? vx_true_e : vx_false_e);
	case VX_NODE_REPLICATE_FLAGS:
		FAIL_IF(!n->replicate, n, VX_ERROR_NOT_SUPPORTED, "VX_NODE_REPLICATE_FLAGS: the node is not replicated");
		return attribute_get(n, attribute, ptr, size, n->replicate, n->kernel->num_parameters * sizeof *n->replicate);
	case VX_NODE_VALID_RECT_RESET: return GET(n, vx_bool, n->valid_rect_reset ? vx_true_e : vx_false_e);
	case VX_NODE_CL_COMMAND_QUEUE: return query_queue_or_state(n, attribute, ptr, size); /* and VX_NODE_STATE */
	default: return attribute_unknown(n, attribute);
	}
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetNodeAttribute(vx_node n, vx_enum attribute, const void *ptr, vx_size size)
{
	vx_bool flag = vx_false_e;
	ENTER(n, VX_TYPE_NODE);
	/* vxSetNodeAttribute: attributes of a graph that has been verified stay, but for what initialize sets */
	FAIL_IF(n->graph && n->graph->verified && !n->local_data_open, n, VX_ERROR_NOT_SUPPORTED, "vxSetNodeAttribute: the graph has been verified");
	switch (attribute) {
	case VX_NODE_BORDER: return border_set(n, attribute, "VX_NODE_BORDER", &n->border, ptr, size);
	case VX_NODE_LOCAL_DATA_SIZE:
	case VX_NODE_LOCAL_DATA_PTR:
		/* VX_NODE_LOCAL_DATA_...: of user kernels that leave the size to the node, while they initialize or end */
		if (!n->local_data_open || n->kernel->local_data_size)
			return fail(n, VX_ERROR_NOT_SUPPORTED, "local data of kernel %s cannot be set now", n->kernel->name);
		return attribute == VX_NODE_LOCAL_DATA_SIZE ? attribute_set(n, attribute, &n->local_data_size, sizeof n->local_data_size, ptr, size) :
							      attribute_set(n, attribute, &n->local_data, sizeof n->local_data, ptr, size);
	case VX_NODE_VALID_RECT_RESET:
		TRY(attribute_set(n, attribute, &flag, sizeof flag, ptr, size));
		n->valid_rect_reset = flag != vx_false_e;
		return VX_SUCCESS;
	default:
		return attribute_unknown(n, attribute);
	}
}

/* ---- callbacks, targets ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxAssignNodeCallback(vx_node node, vx_nodecomplete_f callback)
{
	ENTER(node, VX_TYPE_NODE);
	/* vxAssignNodeCallback: one at a time; none clears it */
	FAIL_IF(callback && node->callback, node, VX_ERROR_INVALID_NODE, "vxAssignNodeCallback: the node has a callback");
	node->callback = callback;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_nodecomplete_f VX_API_CALL vxRetrieveNodeCallback(vx_node node) { return object_is(node, VX_TYPE_NODE) ? node->callback : NULL; }

/* There is one target: the device. */
static vx_status check_target(const void *ref, vx_enum target, const char *name)
{
	if (target == VX_TARGET_ANY || (target == VX_TARGET_STRING && name && (!strcasecmp(name, "any") || !strcasecmp(name, "galena"))))
		return VX_SUCCESS;
	return fail(ref, VX_ERROR_NOT_SUPPORTED, "there is no target 0x%x %s: galena, and any", target, target == VX_TARGET_STRING && name ? name : "");
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetNodeTarget(vx_node node, vx_enum target_enum, const char *target_string)
{
	ENTER(node, VX_TYPE_NODE);
	return check_target(node, target_enum, target_string);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetImmediateModeTarget(vx_context context, vx_enum target_enum, const char *target_string)
{
	ENTER(context, VX_TYPE_CONTEXT);
	return check_target(context, target_enum, target_string);
}

/* ---- replication ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReplicateNode(vx_graph graph, vx_node first_node, vx_bool replicate[], vx_uint32 number_of_parameters)
{
	if (!object_is(graph, VX_TYPE_GRAPH) || !object_is(first_node, VX_TYPE_NODE))
		return fail(graph, VX_ERROR_INVALID_REFERENCE, "vxReplicateNode: not a graph, or not a node");
	LOCKED(graph->reference.context);
	FAIL_IF(first_node->graph != graph, graph, VX_FAILURE, "vxReplicateNode: a node of another graph");
	/* vxReplicateNode: a flag a parameter */
	if (!replicate || number_of_parameters != first_node->kernel->num_parameters)
		return fail(graph, VX_ERROR_INVALID_PARAMETERS, "vxReplicateNode: %u flags, where kernel %s has %u parameters", number_of_parameters, first_node->kernel->name,
			    first_node->kernel->num_parameters);
	TRY(graph_can_change(graph, "vxReplicateNode"));
	TRY(replicas_check(first_node, replicate));
	vx_bool *flags = malloc(number_of_parameters * sizeof *flags);
	vx_reference *wholes = first_node->wholes ? first_node->wholes : calloc(number_of_parameters, sizeof *wholes);
	if (!flags || !wholes) {
		free(flags);
		free(first_node->wholes ? NULL : wholes);
		return fail(graph, VX_ERROR_NO_MEMORY, "no memory for flags");
	}
	memcpy(flags, replicate, number_of_parameters * sizeof *flags);
	free(first_node->replicate);
	first_node->replicate = flags;
	first_node->wholes = wholes;
	for (vx_uint32 i = 0; i < number_of_parameters; i++)
		replicas_hold(first_node, i);
	node_changed(first_node);
	return VX_SUCCESS;
}
