/* Graphs: order, verification and what it refuses, execution, parameters, scheduling. */
#include "testbench/openvx/vx.h"
#include <stdio.h>

enum { WIDTH = 33, HEIGHT = 9, PIXELS = WIDTH * HEIGHT };
static char last_log[VX_MAX_LOG_MESSAGE_LEN];

static void VX_CALLBACK keep_log(vx_context c, vx_reference ref, vx_status status, const vx_char string[])
{
	(void)c;
	(void)ref;
	(void)status;
	snprintf(last_log, sizeof last_log, "%s", string);
}

static void fill(uint8_t *bytes, unsigned seed)
{
	for (int i = 0; i < PIXELS; i++)
		bytes[i] = (uint8_t)((unsigned)i * 31 + seed * 101);
}

/* Nodes run after what they read, in whatever order they were created; virtual images take the form that is found. */
static void chain(void **state)
{
	(void)state;
	uint8_t a[PIXELS], b[PIXELS], out[PIXELS];
	vx_image x = image_u8(WIDTH, HEIGHT), y = image_u8(WIDTH, HEIGHT), z = image_u8(WIDTH, HEIGHT);
	vx_graph graph = vxCreateGraph(context);
	vx_image difference = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
	fill(a, 1);
	fill(b, 2);
	VX_OK(move_u8(x, a, VX_WRITE_ONLY));
	VX_OK(move_u8(y, b, VX_WRITE_ONLY));
	vx_node second = vxNotNode(graph, difference, z), first = vxAbsDiffNode(graph, x, y, difference);
	VX_MADE(first);
	VX_MADE(second);
	assert_int_equal(vxIsGraphVerified(graph), vx_false_e);
	VX_OK(vxVerifyGraph(graph));
	assert_int_equal(vxIsGraphVerified(graph), vx_true_e);
	for (int round = 0; round < 3; round++) {
		VX_OK(vxProcessGraph(graph));
		VX_OK(move_u8(z, out, VX_READ_ONLY));
		for (int i = 0; i < PIXELS; i++)
			assert_int_equal(out[i], (uint8_t)~abs(a[i] - b[i]));
		fill(a, (unsigned)round + 7);
		VX_OK(move_u8(x, a, VX_WRITE_ONLY));
	}
	vx_uint32 width = 0;
	VX_OK(vxQueryImage(difference, VX_IMAGE_WIDTH, &width, sizeof width));
	assert_int_equal(width, WIDTH);
	VX_OK(vxScheduleGraph(graph));
	VX_OK(vxWaitGraph(graph));
	VX_FAILS(VX_FAILURE, vxWaitGraph(graph));
	vx_enum graph_state = 0;
	VX_OK(vxQueryGraph(graph, VX_GRAPH_STATE, &graph_state, sizeof graph_state));
	assert_int_equal(graph_state, VX_GRAPH_STATE_COMPLETED);
	VX_OK(vxReleaseNode(&first));
	VX_OK(vxReleaseNode(&second));
	VX_OK(vxReleaseImage(&difference));
	VX_OK(vxReleaseGraph(&graph));
	VX_OK(vxReleaseImage(&x));
	VX_OK(vxReleaseImage(&y));
	VX_OK(vxReleaseImage(&z));
}

static void refused(void **state)
{
	(void)state;
	vx_image x = image_u8(WIDTH, HEIGHT), z = image_u8(WIDTH, HEIGHT), small = image_u8(WIDTH - 1, HEIGHT);
	vxRegisterLogCallback(context, keep_log, vx_false_e);
	/* two writers */
	vx_graph graph = vxCreateGraph(context);
	VX_MADE(vxNotNode(graph, x, z));
	VX_MADE(vxAbsDiffNode(graph, x, x, z));
	VX_FAILS(VX_ERROR_MULTIPLE_WRITERS, vxVerifyGraph(graph));
	assert_non_null(strstr(last_log, "absdiff"));
	assert_non_null(strstr(last_log, "parameter 2"));
	VX_OK(vxReleaseGraph(&graph));
	/* a cycle */
	graph = vxCreateGraph(context);
	vx_image p = vxCreateVirtualImage(graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8), q = vxCreateVirtualImage(graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	VX_MADE(vxNotNode(graph, p, q));
	VX_MADE(vxNotNode(graph, q, p));
	VX_FAILS(VX_ERROR_INVALID_GRAPH, vxVerifyGraph(graph));
	assert_non_null(strstr(last_log, "cycle"));
	VX_OK(vxReleaseImage(&p));
	VX_OK(vxReleaseImage(&q));
	VX_OK(vxReleaseGraph(&graph));
	/* sizes that differ */
	graph = vxCreateGraph(context);
	VX_MADE(vxNotNode(graph, x, small));
	VX_FAILS(VX_ERROR_INVALID_DIMENSION, vxVerifyGraph(graph));
	assert_non_null(strstr(last_log, "not, parameter 1"));
	VX_FAILS(VX_ERROR_INVALID_DIMENSION, vxProcessGraph(graph));
	VX_OK(vxReleaseGraph(&graph));
	/* a parameter that is not set */
	graph = vxCreateGraph(context);
	vx_kernel kernel = vxGetKernelByEnum(context, VX_KERNEL_NOT);
	vx_node node = vxCreateGenericNode(graph, kernel);
	VX_MADE(node);
	VX_OK(vxSetParameterByIndex(node, 0, (vx_reference)x));
	VX_FAILS(VX_ERROR_NOT_SUFFICIENT, vxVerifyGraph(graph));
	VX_FAILS(VX_ERROR_INVALID_TYPE, vxSetParameterByIndex(node, 1, (vx_reference)graph));
	VX_FAILS(VX_ERROR_INVALID_VALUE, vxSetParameterByIndex(node, 2, (vx_reference)z));
	VX_OK(vxSetParameterByIndex(node, 1, (vx_reference)z));
	VX_OK(vxVerifyGraph(graph));
	VX_OK(vxReleaseNode(&node));
	VX_OK(vxReleaseKernel(&kernel));
	VX_OK(vxReleaseGraph(&graph));
	vxRegisterLogCallback(context, NULL, vx_false_e);
	VX_OK(vxReleaseImage(&x));
	VX_OK(vxReleaseImage(&z));
	VX_OK(vxReleaseImage(&small));
}

/* A graph's parameter is bound to other objects between runs. */
static void parameters(void **state)
{
	(void)state;
	uint8_t a[PIXELS], out[PIXELS];
	vx_image in[2] = {image_u8(WIDTH, HEIGHT), image_u8(WIDTH, HEIGHT)}, z = image_u8(WIDTH, HEIGHT);
	vx_graph graph = vxCreateGraph(context);
	vx_node node = vxNotNode(graph, in[0], z);
	vx_parameter parameter = vxGetParameterByIndex(node, 0);
	VX_MADE(parameter);
	VX_OK(vxAddParameterToGraph(graph, parameter));
	VX_OK(vxReleaseParameter(&parameter));
	for (unsigned i = 0; i < 4; i++) {
		fill(a, i);
		VX_OK(move_u8(in[i % 2], a, VX_WRITE_ONLY));
		VX_OK(vxSetGraphParameterByIndex(graph, 0, (vx_reference)in[i % 2]));
		VX_OK(vxProcessGraph(graph));
		VX_OK(move_u8(z, out, VX_READ_ONLY));
		for (int k = 0; k < PIXELS; k++)
			assert_int_equal(out[k], (uint8_t)~a[k]);
	}
	VX_FAILS(VX_ERROR_INVALID_PARAMETERS, vxSetGraphParameterByIndex(graph, 1, (vx_reference)in[0]));
	VX_OK(vxReleaseNode(&node));
	VX_OK(vxReleaseGraph(&graph));
	for (int i = 0; i < 2; i++)
		VX_OK(vxReleaseImage(&in[i]));
	VX_OK(vxReleaseImage(&z));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(chain), cmocka_unit_test(refused), cmocka_unit_test(parameters)};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
