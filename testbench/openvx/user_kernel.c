/* User kernels: registration, meta data, local data, callbacks, their end. */
#include "testbench/openvx/vx.h"
#include <VX/vx_khr_user_data_object.h>

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

/* ---- meta data ---- */
/* What the next validation says of the output. */
static struct {
	bool from_input;
	const char *name;
	vx_size size;
} said;

static vx_status VX_CALLBACK say_user_data(vx_node node, const vx_reference parameters[], vx_uint32 num, vx_meta_format metas[])
{
	(void)node;
	(void)num;
	char name[VX_MAX_REFERENCE_NAME];
	vx_size size = 0;
	if (said.from_input) {
		VX_OK(vxSetMetaFormatFromReference(metas[1], parameters[0]));
		VX_OK(vxQueryMetaFormatAttribute(metas[1], VX_USER_DATA_OBJECT_NAME, name, sizeof name));
		assert_string_equal(name, "pairs");
		return VX_SUCCESS;
	}
	VX_OK(vxSetMetaFormatAttribute(metas[1], VX_USER_DATA_OBJECT_NAME, said.name, strlen(said.name) + 1));
	VX_OK(vxSetMetaFormatAttribute(metas[1], VX_USER_DATA_OBJECT_SIZE, &said.size, sizeof said.size));
	VX_OK(vxQueryMetaFormatAttribute(metas[1], VX_USER_DATA_OBJECT_NAME, name, sizeof name));
	assert_string_equal(name, said.name);
	VX_OK(vxQueryMetaFormatAttribute(metas[1], VX_USER_DATA_OBJECT_SIZE, &size, sizeof size));
	assert_int_equal(size, said.size);
	/* a name without an end, and a size that is no size */
	VX_FAILS(VX_ERROR_INVALID_PARAMETERS, vxSetMetaFormatAttribute(metas[1], VX_USER_DATA_OBJECT_NAME, said.name, strlen(said.name)));
	VX_FAILS(VX_ERROR_INVALID_PARAMETERS, vxSetMetaFormatAttribute(metas[1], VX_USER_DATA_OBJECT_SIZE, &said.size, 4));
	VX_FAILS(VX_ERROR_INVALID_TYPE, vxSetMetaFormatAttribute(metas[1], VX_TENSOR_DATA_TYPE, &(vx_enum){VX_TYPE_INT16}, sizeof(vx_enum)));
	return VX_SUCCESS;
}

enum { DATA_SIZE = 40 };

static vx_status VX_CALLBACK turn_bytes(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	uint8_t bytes[DATA_SIZE];
	(void)node;
	(void)num;
	VX_OK(vxCopyUserDataObject((vx_user_data_object)parameters[0], 0, DATA_SIZE, bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	for (int i = 0; i < DATA_SIZE; i++)
		bytes[i] = (uint8_t)~bytes[i];
	return vxCopyUserDataObject((vx_user_data_object)parameters[1], 0, DATA_SIZE, bytes, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
}

static vx_kernel add_kernel(const char *name, vx_enum number, vx_kernel_f run, vx_enum type, vx_kernel_validate_f validation)
{
	vx_kernel kernel = vxAddUserKernel(context, name, number, run, 2, validation, NULL, NULL);
	VX_MADE(kernel);
	VX_OK(vxAddParameterToKernel(kernel, 0, VX_INPUT, type, VX_PARAMETER_STATE_REQUIRED));
	VX_OK(vxAddParameterToKernel(kernel, 1, VX_OUTPUT, type, VX_PARAMETER_STATE_REQUIRED));
	VX_OK(vxFinalizeKernel(kernel));
	return kernel;
}

static vx_node add_node(vx_graph graph, vx_kernel kernel, vx_reference in, vx_reference out)
{
	vx_node node = vxCreateGenericNode(graph, kernel);
	VX_MADE(node);
	VX_OK(vxSetParameterByIndex(node, 0, in));
	VX_OK(vxSetParameterByIndex(node, 1, out));
	return node;
}

/* An output is what validation says, or the graph is not verified. */
static void user_data(void **state)
{
	static const struct { bool from_input; const char *name; vx_size size; vx_status status; } cases[] = {
		{true, NULL, 0, VX_SUCCESS}, {false, "pairs", DATA_SIZE, VX_SUCCESS}, {false, "pairs", DATA_SIZE - 1, VX_ERROR_INVALID_VALUE},
		{false, "pair", DATA_SIZE, VX_ERROR_INVALID_VALUE}, {false, "pairs and more", DATA_SIZE, VX_ERROR_INVALID_VALUE},
	};
	(void)state;
	vx_kernel kernel = add_kernel("galena.test.turn_bytes", KERNEL + 1, turn_bytes, VX_TYPE_USER_DATA_OBJECT, say_user_data);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t in[DATA_SIZE], out[DATA_SIZE];
		for (int k = 0; k < DATA_SIZE; k++)
			in[k] = (uint8_t)(k * 5 + (int)i);
		vx_graph graph = vxCreateGraph(context);
		vx_user_data_object x = vxCreateUserDataObject(context, "pairs", DATA_SIZE, in), z = vxCreateUserDataObject(context, "pairs", DATA_SIZE, NULL);
		vx_user_data_object middle = vxCreateVirtualUserDataObject(graph, "pairs", DATA_SIZE);
		VX_MADE(x);
		VX_MADE(z);
		VX_MADE(middle);
		/* the second node first: it is the data that say which one runs before the other */
		vx_node second = add_node(graph, kernel, (vx_reference)middle, (vx_reference)z), first = add_node(graph, kernel, (vx_reference)x, (vx_reference)middle);
		said.from_input = cases[i].from_input;
		said.name = cases[i].name;
		said.size = cases[i].size;
		VX_FAILS(cases[i].status, vxVerifyGraph(graph));
		if (!cases[i].status) {
			VX_OK(vxProcessGraph(graph));
			VX_OK(vxCopyUserDataObject(z, 0, 0, out, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
			assert_memory_equal(out, in, DATA_SIZE);
		}
		VX_OK(vxReleaseNode(&first));
		VX_OK(vxReleaseNode(&second));
		VX_OK(vxReleaseUserDataObject(&middle));
		VX_OK(vxReleaseGraph(&graph));
		VX_OK(vxReleaseUserDataObject(&x));
		VX_OK(vxReleaseUserDataObject(&z));
	}
	VX_OK(vxRemoveKernel(kernel));
}

/* A tensor of the input's shape, turned. */
static vx_status VX_CALLBACK say_turned(vx_node node, const vx_reference parameters[], vx_uint32 num, vx_meta_format metas[])
{
	(void)node;
	(void)num;
	vx_size n = 0, dims[2] = {0}, turned[2];
	vx_enum type = 0;
	vx_int8 position = 0;
	vx_tensor in = (vx_tensor)parameters[0];
	VX_OK(vxQueryTensor(in, VX_TENSOR_NUMBER_OF_DIMS, &n, sizeof n));
	VX_OK(vxQueryTensor(in, VX_TENSOR_DIMS, dims, sizeof dims));
	VX_OK(vxQueryTensor(in, VX_TENSOR_DATA_TYPE, &type, sizeof type));
	VX_OK(vxQueryTensor(in, VX_TENSOR_FIXED_POINT_POSITION, &position, sizeof position));
	assert_int_equal(n, 2);
	turned[0] = dims[1];
	turned[1] = dims[0];
	VX_OK(vxSetMetaFormatAttribute(metas[1], VX_TENSOR_NUMBER_OF_DIMS, &n, sizeof n));
	VX_OK(vxSetMetaFormatAttribute(metas[1], VX_TENSOR_DIMS, turned, sizeof turned));
	VX_OK(vxSetMetaFormatAttribute(metas[1], VX_TENSOR_DATA_TYPE, &type, sizeof type));
	return vxSetMetaFormatAttribute(metas[1], VX_TENSOR_FIXED_POINT_POSITION, &position, sizeof position);
}

enum { WIDE = 5, HIGH = 3 };

static vx_status VX_CALLBACK turn_tensor(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	static const vx_size zeros[2];
	vx_size dims[2] = {0};
	int16_t in[WIDE * HIGH], out[WIDE * HIGH];
	(void)node;
	(void)num;
	VX_OK(vxQueryTensor((vx_tensor)parameters[0], VX_TENSOR_DIMS, dims, sizeof dims));
	const vx_size turned[2] = {dims[1], dims[0]};
	VX_OK(vxCopyTensorPatch((vx_tensor)parameters[0], 2, zeros, dims, (vx_size[]){2, 2 * dims[0]}, in, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	for (vx_size y = 0; y < dims[1]; y++)
		for (vx_size x = 0; x < dims[0]; x++)
			out[x * dims[1] + y] = in[y * dims[0] + x];
	return vxCopyTensorPatch((vx_tensor)parameters[1], 2, zeros, turned, (vx_size[]){2, 2 * dims[1]}, out, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
}

/* A tensor of which nothing is known gets its shape and type from validation; one of another shape is refused. */
static void tensors(void **state)
{
	static const vx_size dims[2] = {WIDE, HIGH}, turned[2] = {HIGH, WIDE}, zeros[2];
	static const struct { vx_size n; vx_enum type; vx_int8 position; vx_status status; } declared[] = {
		{0, VX_TYPE_INVALID, 0, VX_SUCCESS}, {2, VX_TYPE_INVALID, 0, VX_SUCCESS}, {2, VX_TYPE_INT16, 8, VX_SUCCESS},
		{3, VX_TYPE_INVALID, 0, VX_ERROR_INVALID_DIMENSION}, {2, VX_TYPE_UINT8, 0, VX_ERROR_INVALID_TYPE},
	};
	(void)state;
	vx_kernel kernel = add_kernel("galena.test.turn_tensor", KERNEL + 2, turn_tensor, VX_TYPE_TENSOR, say_turned);
	for (size_t i = 0; i < sizeof declared / sizeof *declared; i++) {
		static const vx_size open[3];
		int16_t in[WIDE * HIGH], out[WIDE * HIGH];
		vx_graph graph = vxCreateGraph(context);
		vx_tensor x = vxCreateTensor(context, 2, dims, VX_TYPE_INT16, 8), z = vxCreateTensor(context, 2, dims, VX_TYPE_INT16, 8);
		vx_tensor middle = vxCreateVirtualTensor(graph, declared[i].n, open, declared[i].type, declared[i].position);
		VX_MADE(x);
		VX_MADE(z);
		VX_MADE(middle);
		for (int k = 0; k < WIDE * HIGH; k++)
			in[k] = (int16_t)(k * 1000 - 7000 + (int)i);
		VX_OK(vxCopyTensorPatch(x, 2, zeros, dims, (vx_size[]){2, 2 * WIDE}, in, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		vx_node second = add_node(graph, kernel, (vx_reference)middle, (vx_reference)z), first = add_node(graph, kernel, (vx_reference)x, (vx_reference)middle);
		VX_FAILS(declared[i].status, vxVerifyGraph(graph));
		if (!declared[i].status) {
			vx_size shape[2] = {0};
			VX_OK(vxQueryTensor(middle, VX_TENSOR_DIMS, shape, sizeof shape));
			assert_memory_equal(shape, turned, sizeof shape);
			VX_OK(vxProcessGraph(graph));
			VX_OK(vxCopyTensorPatch(z, 2, zeros, dims, (vx_size[]){2, 2 * WIDE}, out, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
			assert_memory_equal(out, in, sizeof in);
		}
		VX_OK(vxReleaseNode(&first));
		VX_OK(vxReleaseNode(&second));
		VX_OK(vxReleaseTensor(&middle));
		VX_OK(vxReleaseGraph(&graph));
		VX_OK(vxReleaseTensor(&x));
		VX_OK(vxReleaseTensor(&z));
	}
	VX_OK(vxRemoveKernel(kernel));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(life), cmocka_unit_test(user_data), cmocka_unit_test(tensors)};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
