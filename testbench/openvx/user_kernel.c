/* User kernels: registration, meta data, local data, callbacks, their end. */
#include "testbench/openvx/vx.h"

enum { SIDE = 16, KERNEL = VX_KERNEL_BASE(VX_ID_USER, 0) + 5 };
static struct {
	int validated, initialized, ran, ended, called;
} seen;

static vx_status VX_CALLBACK validate(vx_node node, const vx_reference parameters[], vx_uint32 num, vx_meta_format metas[])
{
	(void)node;
	assert_int_equal(num, 2);
	seen.validated++;
	return vxSetMetaFormatFromReference(metas[1], parameters[0]);
}

static vx_status VX_CALLBACK initialize(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	(void)parameters;
	(void)num;
	const vx_size size = sizeof(int);
	seen.initialized++;
	return vxSetNodeAttribute(node, VX_NODE_LOCAL_DATA_SIZE, &size, sizeof size);
}

static vx_status VX_CALLBACK end(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	(void)node;
	(void)parameters;
	(void)num;
	seen.ended++;
	return VX_SUCCESS;
}

/* Adds to each pixel how often the node has run. */
static vx_status VX_CALLBACK add_runs(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	uint8_t bytes[SIDE * SIDE];
	int *runs = NULL;
	(void)num;
	VX_OK(vxQueryNode(node, VX_NODE_LOCAL_DATA_PTR, &runs, sizeof runs));
	VX_OK(move_u8((vx_image)parameters[0], bytes, VX_READ_ONLY));
	++*runs;
	for (int i = 0; i < SIDE * SIDE; i++)
		bytes[i] = (uint8_t)(bytes[i] + *runs);
	seen.ran++;
	return move_u8((vx_image)parameters[1], bytes, VX_WRITE_ONLY);
}

static vx_action VX_CALLBACK called(vx_node node)
{
	(void)node;
	return ++seen.called < 3 ? VX_ACTION_CONTINUE : VX_ACTION_ABANDON;
}

static void life(void **state)
{
	(void)state;
	uint8_t in[SIDE * SIDE], out[SIDE * SIDE];
	vx_kernel kernel = vxAddUserKernel(context, "galena.test.add_runs", KERNEL, add_runs, 2, validate, initialize, end);
	VX_MADE(kernel);
	VX_FAILS(VX_ERROR_INVALID_PARAMETERS, vxFinalizeKernel(kernel));
	VX_OK(vxAddParameterToKernel(kernel, 0, VX_INPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	VX_OK(vxAddParameterToKernel(kernel, 1, VX_OUTPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	VX_FAILS(VX_ERROR_INVALID_PARAMETERS, vxAddParameterToKernel(kernel, 2, VX_INPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	VX_OK(vxFinalizeKernel(kernel));
	vx_graph graph = vxCreateGraph(context);
	vx_image x = image_u8(SIDE, SIDE), z = image_u8(SIDE, SIDE), middle = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
	vx_node node = vxCreateGenericNode(graph, kernel);
	VX_OK(vxSetParameterByIndex(node, 0, (vx_reference)middle));
	VX_OK(vxSetParameterByIndex(node, 1, (vx_reference)z));
	VX_MADE(vxNotNode(graph, x, middle));
	VX_OK(vxAssignNodeCallback(node, called));
	for (int i = 0; i < SIDE * SIDE; i++)
		in[i] = (uint8_t)i;
	VX_OK(move_u8(x, in, VX_WRITE_ONLY));
	VX_OK(vxVerifyGraph(graph));
	assert_int_equal(seen.validated, 1);
	assert_int_equal(seen.initialized, 1);
	for (int round = 1; round <= 3; round++) {
		VX_FAILS(round < 3 ? VX_SUCCESS : VX_ERROR_GRAPH_ABANDONED, vxProcessGraph(graph));
		VX_OK(move_u8(z, out, VX_READ_ONLY));
		for (int i = 0; i < SIDE * SIDE; i++)
			assert_int_equal(out[i], (uint8_t)((uint8_t)~in[i] + round));
	}
	vx_enum graph_state = 0;
	VX_OK(vxQueryGraph(graph, VX_GRAPH_STATE, &graph_state, sizeof graph_state));
	assert_int_equal(graph_state, VX_GRAPH_STATE_ABANDONED);
	assert_int_equal(seen.ran, 3);
	VX_OK(vxReleaseNode(&node));
	VX_OK(vxReleaseImage(&middle));
	VX_OK(vxReleaseGraph(&graph));
	assert_int_equal(seen.ended, 1);
	VX_OK(vxRemoveKernel(kernel));
	kernel = vxGetKernelByEnum(context, KERNEL);
	VX_FAILS(VX_ERROR_INVALID_PARAMETERS, vxGetStatus((vx_reference)kernel));
	VX_OK(vxReleaseImage(&x));
	VX_OK(vxReleaseImage(&z));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(life)};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
