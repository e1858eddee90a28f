/* Parameters of nodes, kernels and graphs (OpenVX 1.3, 3.56). */
#include "runtime/openvx/graph.h"

vx_status parameter_check(const struct _vx_kernel *k, vx_uint32 index, vx_reference value, const void *for_whom)
{
	const struct _vx_reference *whom = for_whom, *graph = whom->type == VX_TYPE_GRAPH ? whom : whom->scope;
	FAIL_IF(index >= k->num_parameters, for_whom, VX_ERROR_INVALID_VALUE, "kernel %s has no parameter %u", k->name, index);
	const struct kernel_parameter *p = &k->parameters[index];
	if (!value) /* left out, or to be set before verification */
		return VX_SUCCESS;
	FAIL_IF(!object_usable(value), for_whom, VX_ERROR_INVALID_REFERENCE, "kernel %s, parameter %u: not an object", k->name, index);
	if (value->context != k->reference.context)
		return fail(for_whom, VX_ERROR_INVALID_SCOPE, "kernel %s, parameter %u: an object of another context", k->name, index);
	/* vxCreateVirtualImage and others: virtual objects are their graph's alone. One whose graph has ended goes into any other, as Khronos'
	 * conformance suite has it in LUT.testVirtualNodeCreation. */
	if (value->is_virtual && value->scope != graph && value->scope->type == VX_TYPE_GRAPH)
		return fail(for_whom, VX_ERROR_INVALID_SCOPE, "kernel %s, parameter %u: a virtual object of another graph", k->name, index);
	/* a slot of a delay, and a part, is what it looks like; any data object goes where any reference does */
	if (p->type == VX_TYPE_REFERENCE ? !object_is_data(value) : value->type != p->type)
		return fail(for_whom, VX_ERROR_INVALID_TYPE, "kernel %s, parameter %u: %s where %s is needed", k->name, index, type_name(value->type), type_name(p->type));
	return VX_SUCCESS;
}

static void parameter_destroy(struct _vx_reference *ref)
{
	struct _vx_parameter *p = (struct _vx_parameter *)ref;
	object_unuse(p->node ? &p->node->reference : &p->kernel->reference);
}

static vx_parameter parameter_create(struct _vx_reference *scope, struct _vx_node *node, struct _vx_kernel *kernel, vx_uint32 index)
{
	struct _vx_context *c = scope->context;
	if (index >= kernel->num_parameters)
		return (vx_parameter)object_error(c, fail(scope, VX_ERROR_INVALID_PARAMETERS, "kernel %s has no parameter %u", kernel->name, index));
	struct _vx_parameter *p = object_create(c, VX_TYPE_PARAMETER, sizeof *p, &c->reference, parameter_destroy);
	if (!p)
		return (vx_parameter)object_error(c, fail(scope, VX_ERROR_NO_MEMORY, "no memory for a parameter"));
	p->node = node;
	p->kernel = kernel;
	p->index = index;
	object_use(scope);
	return p;
}

VX_API_ENTRY VX_EXPORT vx_parameter VX_API_CALL vxGetParameterByIndex(vx_node node, vx_uint32 index)
{
	ENTER_OR_NULL(node, VX_TYPE_NODE);
	return parameter_create(&node->reference, node, node->kernel, index);
}

VX_API_ENTRY VX_EXPORT vx_parameter VX_API_CALL vxGetKernelParameterByIndex(vx_kernel kernel, vx_uint32 index)
{
	ENTER_OR_NULL(kernel, VX_TYPE_KERNEL);
	return parameter_create(&kernel->reference, NULL, kernel, index);
}

VX_API_ENTRY VX_EXPORT vx_parameter VX_API_CALL vxGetGraphParameterByIndex(vx_graph graph, vx_uint32 index)
{
	ENTER_OR_NULL(graph, VX_TYPE_GRAPH);
	struct _vx_context *c = graph->reference.context;
	/* vxRemoveNode has made a place empty, or it has been from the beginning */
	if (index >= graph->num_parameters || !graph->parameters[index].node)
		return (vx_parameter)object_error(c, fail(graph, VX_ERROR_INVALID_PARAMETERS, "the graph has no parameter %u", index));
	const struct graph_parameter *p = &graph->parameters[index];
	return parameter_create(&p->node->reference, p->node, p->node->kernel, p->index);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseParameter(vx_parameter *param) { return object_release((vx_reference *)param, VX_TYPE_PARAMETER); }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetParameterByIndex(vx_node node, vx_uint32 index, vx_reference value)
{
	ENTER(node, VX_TYPE_NODE);
	TRY(parameter_check(node->kernel, index, value, node));
	/* vxSetParameterByIndex: what is required cannot be left out */
	if (!value && node->kernel->parameters[index].state == VX_PARAMETER_STATE_REQUIRED)
		return fail(node, VX_ERROR_INVALID_REFERENCE, "kernel %s, parameter %u is required", node->kernel->name, index);
	/* vxSetGraphScheduleConfig: what has a queue is set by vxGraphParameterEnqueueReadyRef alone */
	if (pipeline_queues(node, index))
		return fail(node, VX_ERROR_NOT_SUPPORTED, "kernel %s, parameter %u has a queue: vxGraphParameterEnqueueReadyRef", node->kernel->name, index);
	if (node->graph && node->graph->imported)
		return graph_swap(node, index, value);
	node_set(node, index, value);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetParameterByReference(vx_parameter parameter, vx_reference value)
{
	EXPECT(parameter, VX_TYPE_PARAMETER);
	FAIL_IF(!parameter->node, parameter, VX_ERROR_INVALID_PARAMETERS, "vxSetParameterByReference: the parameter of a kernel, not of a node");
	return vxSetParameterByIndex(parameter->node, parameter->index, value);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryParameter(vx_parameter parameter, vx_enum attribute, void *ptr, vx_size size)
{
	ENTER(parameter, VX_TYPE_PARAMETER);
	const struct kernel_parameter *p = &parameter->kernel->parameters[parameter->index];
	switch (attribute) {
	case VX_PARAMETER_INDEX: return GET(parameter, vx_uint32, parameter->index);
	case VX_PARAMETER_DIRECTION: return GET(parameter, vx_enum, p->direction);
	case VX_PARAMETER_TYPE: return GET(parameter, vx_enum, p->type);
	case VX_PARAMETER_STATE: return GET(parameter, vx_enum, p->state);
	case VX_PARAMETER_REF: {
		vx_reference ref = parameter->node ? parameter->node->parameters[parameter->index] : NULL;
		const vx_status status = GET(parameter, vx_reference, ref);
		/* VX_PARAMETER_REF: a reference of the application's, to release */
		if (!status && ref)
			vxRetainReference(ref);
		return status;
	}
	default: return attribute_unknown(parameter, attribute);
	}
}

/* ---- of graphs ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxAddParameterToGraph(vx_graph graph, vx_parameter parameter)
{
	ENTER(graph, VX_TYPE_GRAPH);
	FAIL_IF(parameter && !object_is(parameter, VX_TYPE_PARAMETER), graph, VX_ERROR_INVALID_REFERENCE, "vxAddParameterToGraph: not a parameter");
	/* vxAddParameterToGraph: of a node of the graph; NULL is a place that is left empty */
	if (parameter && (!parameter->node || parameter->node->graph != graph))
		return fail(graph, VX_ERROR_INVALID_PARAMETERS, "vxAddParameterToGraph: not a parameter of a node of the graph");
	return graph_add_parameter(graph, parameter ? parameter->node : NULL, parameter ? parameter->index : 0);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetGraphParameterByIndex(vx_graph graph, vx_uint32 index, vx_reference value)
{
	ENTER(graph, VX_TYPE_GRAPH);
	if (index >= graph->num_parameters || !graph->parameters[index].node)
		return fail(graph, VX_ERROR_INVALID_PARAMETERS, "the graph has no parameter %u", index);
	return vxSetParameterByIndex(graph->parameters[index].node, graph->parameters[index].index, value);
}
