/* vx_khr_opencl_interop, contexts: what is shared, what can be asked, what is refused; constants. */
#include "testbench/openvx/interop.h"

static cl_uint refs_of_context(cl_context c)
{
	cl_uint count = 0;
	CL_OK(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
	return count;
}

static cl_uint refs_of_queue(cl_command_queue q)
{
	cl_uint count = 0;
	CL_OK(clGetCommandQueueInfo(q, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL));
	return count;
}

static void ask(vx_context c, cl_context *of, cl_command_queue *q)
{
	*of = NULL;
	*q = NULL;
	RAN(vxQueryContext(c, VX_CONTEXT_CL_CONTEXT, of, sizeof *of));
	RAN(vxQueryContext(c, VX_CONTEXT_CL_COMMAND_QUEUE, q, sizeof *q));
	assert_non_null(*of);
	assert_non_null(*q);
}

/* The two belong together, and the queue is one that coordinates: what is enqueued first is done first. */
static void check_pair(cl_context of, cl_command_queue q)
{
	cl_context of_queue = NULL;
	cl_command_queue_properties properties = 0;
	CL_OK(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue, NULL));
	CL_OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
	assert_ptr_equal(of_queue, of);
	assert_false(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* A graph between buffers of the application's. */
static void check_work(vx_context c, cl_context of, cl_command_queue q)
{
	enum { SIDE = 24, BYTES = SIDE * SIDE };
	const vx_imagepatch_addressing_t a = {.dim_x = SIDE, .dim_y = SIDE, .stride_x = 1, .stride_y = SIDE, .scale_x = VX_SCALE_UNITY,
					      .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	uint8_t *bytes = new_bytes(BYTES), got[BYTES];
	cl_mem in = new_buffer(of, bytes, BYTES), out = new_buffer(of, bytes, BYTES);
	vx_image x = vxCreateImageFromHandle(c, VX_DF_IMAGE_U8, &a, (void *[]){in}, OPENCL);
	vx_image y = vxCreateImageFromHandle(c, VX_DF_IMAGE_U8, &a, (void *[]){out}, OPENCL);
	vx_graph graph = vxCreateGraph(c);
	CREATED(x);
	CREATED(y);
	vx_node node = vxNotNode(graph, x, y);
	CREATED(node);
	RAN(vxProcessGraph(graph));
	CL_OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
	for (int i = 0; i < BYTES; i++)
		bytes[i] ^= 0xff;
	expect_bytes(bytes, got, BYTES);
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&x));
	RAN(vxReleaseImage(&y));
	CL_OK(clReleaseMemObject(in));
	CL_OK(clReleaseMemObject(out));
	free(bytes);
}

/* Either may be left to OpenVX. */
static void ways_to_create(void **state)
{
	(void)state;
	const struct { const char *name; cl_context of; cl_command_queue q; } ways[] = {
		{"nothing is given", NULL, NULL}, {"a context is given", cl, NULL}, {"a queue is given", NULL, queue},
		{"both are given", cl, queue}, {"both are given, for the second device", cl, second},
	};
	const cl_uint contexts = refs_of_context(cl), queues = refs_of_queue(queue), seconds = refs_of_queue(second);
	for (size_t i = 0; i <= COUNT(ways); i++) {
		const bool plain = i == COUNT(ways);
		now_testing("%s", plain ? "vxCreateContext" : ways[i].name);
		vx_context c = plain ? vxCreateContext() : vxCreateContextFromCL(ways[i].of, ways[i].q);
		cl_context of;
		cl_command_queue q;
		CREATED(c);
		ask(c, &of, &q);
		check_pair(of, q);
		if (!plain && ways[i].of)
			assert_ptr_equal(of, ways[i].of);
		if (!plain && ways[i].q)
			assert_ptr_equal(q, ways[i].q);
		check_work(c, of, q);
		RAN(vxReleaseContext(&c));
		/* what it had of the application's is the application's alone again */
		assert_int_equal(refs_of_context(cl), contexts);
		assert_int_equal(refs_of_queue(queue), queues);
		assert_int_equal(refs_of_queue(second), seconds);
	}
}

/* OpenVX holds what it was given. */
static void references(void **state)
{
	cl_int code = CL_SUCCESS;
	cl_context of, mine = clCreateContext(NULL, 2, devices, NULL, NULL, &code);
	cl_command_queue q, my_queue = new_queue(mine, devices[0], 0);
	(void)state;
	now_testing("references");
	CL_OK(code);
	vx_context c = vxCreateContextFromCL(mine, my_queue);
	CREATED(c);
	assert_true(refs_of_context(mine) > 1);
	assert_true(refs_of_queue(my_queue) > 1);
	CL_OK(clReleaseCommandQueue(my_queue));
	CL_OK(clReleaseContext(mine));
	ask(c, &of, &q);
	assert_ptr_equal(of, mine);
	assert_ptr_equal(q, my_queue);
	check_work(c, of, q);
	RAN(vxReleaseContext(&c));
}

static void expect_none(vx_context c)
{
	if (vxGetStatus((vx_reference)c) == VX_SUCCESS)
		fail_msg("%s: there is a context", what);
}

static void refused(void **state)
{
	cl_int code = CL_SUCCESS;
	char bytes[512] = {0};
	(void)state;
	cl_context elsewhere = clCreateContext(NULL, 1, devices, NULL, NULL, &code);
	CL_OK(code);
	cl_command_queue foreign = new_queue(elsewhere, devices[0], 0);
	cl_command_queue unordered = new_queue(cl, devices[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_mem buffer = empty_buffer(16);
	const cl_uint contexts = refs_of_context(cl), queues = refs_of_queue(queue);
	const struct { const char *name; void *of, *q; } wrong[] = {
		{"a queue of another context", cl, foreign}, {"a context of another queue", elsewhere, queue},
		{"a queue out of order", cl, unordered}, {"a queue out of order alone", NULL, unordered},
		{"a queue for a context", queue, NULL}, {"a context for a queue", cl, cl}, {"a context for a queue alone", NULL, cl},
		{"a buffer for a context", buffer, queue}, {"a buffer for a queue", cl, buffer},
		{"bytes for a context", bytes, NULL}, {"bytes for a queue", cl, bytes}, {"a number for a queue", NULL, (void *)(uintptr_t)0x1234},
	};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		now_testing("%s", wrong[i].name);
		expect_none(vxCreateContextFromCL((cl_context)wrong[i].of, (cl_command_queue)wrong[i].q));
		assert_int_equal(refs_of_context(cl), contexts);
		assert_int_equal(refs_of_queue(queue), queues);
	}
	CL_OK(clReleaseCommandQueue(foreign));
	now_testing("a queue that has been released");
	expect_none(vxCreateContextFromCL(elsewhere, foreign));
	CL_OK(clReleaseMemObject(buffer));
	CL_OK(clReleaseCommandQueue(unordered));
	CL_OK(clReleaseContext(elsewhere));
}

static void attributes(void **state)
{
	static const struct { const char *name; vx_enum attribute; } both[] = {
		{"VX_CONTEXT_CL_CONTEXT", VX_CONTEXT_CL_CONTEXT}, {"VX_CONTEXT_CL_COMMAND_QUEUE", VX_CONTEXT_CL_COMMAND_QUEUE},
	};
	void *value[2] = {NULL}, *before = NULL;
	(void)state;
	for (size_t i = 0; i < COUNT(both); i++) {
		now_testing("%s", both[i].name);
		RAN(vxQueryContext(context, both[i].attribute, &before, sizeof before));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxQueryContext(context, both[i].attribute, value, sizeof(void *) - 1));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxQueryContext(context, both[i].attribute, value, sizeof(void *) + 1));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxQueryContext(context, both[i].attribute, value, 0));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxQueryContext(context, both[i].attribute, NULL, sizeof(void *)));
		REFUSED(VX_ERROR_INVALID_REFERENCE, vxQueryContext(NULL, both[i].attribute, value, sizeof(void *)));
		assert_null(value[0]);
		/* read-only */
		REFUSED(VX_ERROR_NOT_SUPPORTED, vxSetContextAttribute(context, both[i].attribute, value, sizeof(void *)));
		RAN(vxQueryContext(context, both[i].attribute, value, sizeof(void *)));
		assert_ptr_equal(value[0], before);
		value[0] = NULL;
	}
}

/* Contexts of OpenVX that share a queue take their turns in it; objects of one are no objects of the other. */
static void several(void **state)
{
	enum { SIDE = 16, BYTES = SIDE * SIDE, CONTEXTS = 3 };
	const vx_imagepatch_addressing_t a = {.dim_x = SIDE, .dim_y = SIDE, .stride_x = 1, .stride_y = SIDE, .scale_x = VX_SCALE_UNITY,
					      .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	uint8_t *bytes = new_bytes(BYTES);
	vx_context c[CONTEXTS];
	cl_mem buffer[CONTEXTS + 1];
	vx_image in[CONTEXTS], out[CONTEXTS];
	vx_graph graph[CONTEXTS];
	(void)state;
	now_testing("several contexts");
	for (int i = 0; i <= CONTEXTS; i++)
		buffer[i] = empty_buffer(BYTES);
	cl_event gate = close_gate();
	later_write(buffer[0], bytes, BYTES);
	for (int i = 0; i < CONTEXTS; i++) {
		c[i] = vxCreateContextFromCL(cl, queue);
		CREATED(c[i]);
		in[i] = vxCreateImageFromHandle(c[i], VX_DF_IMAGE_U8, &a, (void *[]){buffer[i]}, OPENCL);
		out[i] = vxCreateImageFromHandle(c[i], VX_DF_IMAGE_U8, &a, (void *[]){buffer[i + 1]}, OPENCL);
		graph[i] = vxCreateGraph(c[i]);
		CREATED(vxNotNode(graph[i], in[i], out[i]));
		RAN(vxProcessGraph(graph[i]));
	}
	NOT_CREATED(vxNotNode(graph[0], in[1], out[0]));
	open_gate(gate);
	for (int i = 0; i <= CONTEXTS; i++) {
		uint8_t got[BYTES];
		read_buffer(buffer[i], got, BYTES);
		expect_bytes(bytes, got, BYTES);
		for (int k = 0; k < BYTES; k++)
			bytes[k] ^= 0xff;
	}
	for (int i = 0; i < CONTEXTS; i++)
		RAN(vxReleaseContext(&c[i]));
	for (int i = 0; i <= CONTEXTS; i++) {
		assert_int_equal(holders_of(buffer[i]), 1);
		CL_OK(clReleaseMemObject(buffer[i]));
	}
	free(bytes);
}

static void constants(void **state)
{
	vx_size size = 0;
	(void)state;
	assert_int_equal(VX_MEMORY_TYPE_OPENCL_BUFFER, VX_ENUM_BASE(VX_ID_KHRONOS, VX_ENUM_MEMORY_TYPE) + 2);
	assert_int_equal(VX_CONTEXT_CL_CONTEXT, VX_ATTRIBUTE_BASE(VX_ID_KHRONOS, VX_TYPE_CONTEXT) + 0xf);
	assert_int_equal(VX_CONTEXT_CL_COMMAND_QUEUE, VX_ATTRIBUTE_BASE(VX_ID_KHRONOS, VX_TYPE_CONTEXT) + 0x10);
	assert_int_equal(VX_NODE_CL_COMMAND_QUEUE, VX_ATTRIBUTE_BASE(VX_ID_KHRONOS, VX_TYPE_NODE) + 0x9);
	assert_int_equal(VX_KERNEL_USE_OPENCL, VX_ATTRIBUTE_BASE(VX_ID_KHRONOS, VX_TYPE_KERNEL) + 0x4);
	RAN(vxQueryContext(context, VX_CONTEXT_EXTENSIONS_SIZE, &size, sizeof size));
	char *extensions = malloc(size);
	assert_non_null(extensions);
	RAN(vxQueryContext(context, VX_CONTEXT_EXTENSIONS, extensions, size));
	assert_non_null(strstr(extensions, "vx_khr_opencl_interop"));
	free(extensions);
}

int main(int argc, char **argv)
{
	interop_start(argc, argv);
	const struct CMUnitTest tests[] = {
		GATED(ways_to_create), GATED(references), GATED(refused),
		GATED(attributes), GATED(several), GATED(constants),
	};
	return cmocka_run_group_tests(tests, open_interop, close_interop);
}
