/* Node functions: those that the table of kernels gives, and those whose parameters differ from their kernel's. */
#include "runtime/openvx/graph.h"
#include "runtime/openvx/values.h"
#include "openvx_nodes.inc"

VX_API_ENTRY VX_EXPORT vx_node VX_API_CALL vxTensorTransposeNode(vx_graph graph, vx_tensor input, vx_tensor output, vx_size dimension1, vx_size dimension2)
{
	vx_reference a = value_scalar((vx_reference)graph, VX_TYPE_SIZE, &dimension1), b = value_scalar((vx_reference)graph, VX_TYPE_SIZE, &dimension2);
	vx_node node = node_with(graph, VX_KERNEL_TENSOR_TRANSPOSE, (const vx_reference[]){(vx_reference)input, a, b, (vx_reference)output}, 4);
	value_end(&a);
	value_end(&b);
	return node;
}

VX_API_ENTRY VX_EXPORT vx_node VX_API_CALL vxTensorMatrixMultiplyNode(vx_graph graph, vx_tensor input1, vx_tensor input2, vx_tensor input3,
								       const vx_tensor_matrix_multiply_params_t *params, vx_tensor output)
{
	vx_reference t1 = value_scalar((vx_reference)graph, VX_TYPE_BOOL, params ? &params->transpose_input1 : NULL),
		     t2 = value_scalar((vx_reference)graph, VX_TYPE_BOOL, params ? &params->transpose_input2 : NULL),
		     t3 = value_scalar((vx_reference)graph, VX_TYPE_BOOL, params ? &params->transpose_input3 : NULL);
	vx_node node = node_with(graph, VX_KERNEL_TENSOR_MATRIX_MULTIPLY,
				 (const vx_reference[]){(vx_reference)input1, (vx_reference)input2, (vx_reference)input3, t1, t2, t3, (vx_reference)output}, 7);
	value_end(&t1);
	value_end(&t2);
	value_end(&t3);
	return node;
}

/* The kernel has no parameter for the size of the struct, of which there is one kind: the suite passes 1 for one struct. */
VX_API_ENTRY VX_EXPORT vx_node VX_API_CALL vxHOGFeaturesNode(vx_graph graph, vx_image input, vx_tensor magnitudes, vx_tensor bins, const vx_hog_t *params,
							      vx_size hog_param_size, vx_tensor features)
{
	(void)hog_param_size;
	vx_reference item = value_array((vx_reference)graph, VX_TYPE_HOG_PARAMS, params, sizeof *params);
	vx_node node = node_with(graph, VX_KERNEL_HOG_FEATURES,
				 (const vx_reference[]){(vx_reference)input, (vx_reference)magnitudes, (vx_reference)bins, item, (vx_reference)features}, 5);
	value_end(&item);
	return node;
}
