/* Immediate mode (OpenVX 1.3, 2.15), by the functions of the public API alone. */
#include "runtime/vxu/immediate.h"

static vx_node node_of(vx_graph graph, vx_kernel kernel, const vx_reference *parameters, vx_uint32 count, vx_status *status)
{
	vx_node node = vxCreateGenericNode(graph, kernel);
	*status = vxGetStatus((vx_reference)node);
	for (vx_uint32 i = 0; !*status && i < count; i++)
		*status = vxSetParameterByIndex(node, i, parameters[i]);
	return node;
}

/* The border mode of the context; one that the kernel does not have is an error, or no mode at all, as the context's policy says. */
static vx_status verify(vx_context context, vx_graph graph, vx_node node)
{
	vx_border_t border;
	vx_enum policy = VX_BORDER_POLICY_RETURN_ERROR;
	vx_status status = vxQueryContext(context, VX_CONTEXT_IMMEDIATE_BORDER, &border, sizeof border);
	if (!status)
		status = vxQueryContext(context, VX_CONTEXT_IMMEDIATE_BORDER_POLICY, &policy, sizeof policy);
	if (!status)
		status = vxSetNodeAttribute(node, VX_NODE_BORDER, &border, sizeof border);
	if (!status)
		status = vxVerifyGraph(graph);
	if (status != VX_ERROR_NOT_SUPPORTED || border.mode == VX_BORDER_UNDEFINED || policy != VX_BORDER_POLICY_DEFAULT_TO_UNDEFINED)
		return status;
	border.mode = VX_BORDER_UNDEFINED;
	status = vxSetNodeAttribute(node, VX_NODE_BORDER, &border, sizeof border);
	return status ? status : vxVerifyGraph(graph);
}

vx_status immediate(vx_context context, vx_enum enumeration, const vx_reference *parameters, vx_uint32 count)
{
	vx_node node = NULL;
	vx_graph graph = vxCreateGraph(context);
	vx_kernel kernel = vxGetKernelByEnum(context, enumeration);
	vx_status status = vxGetStatus((vx_reference)graph);
	/* a context that is none gives nothing to create a graph with */
	if (status == VX_ERROR_NO_RESOURCES && !graph)
		return VX_ERROR_INVALID_REFERENCE;
	if (!status)
		status = vxGetStatus((vx_reference)kernel);
	if (!status)
		node = node_of(graph, kernel, parameters, count, &status);
	if (!status)
		status = verify(context, graph, node);
	if (!status)
		status = vxProcessGraph(graph);
	if (node && !vxGetStatus((vx_reference)node))
		vxReleaseNode(&node);
	if (!vxGetStatus((vx_reference)kernel))
		vxReleaseKernel(&kernel);
	if (!vxGetStatus((vx_reference)graph))
		vxReleaseGraph(&graph);
	return status;
}
