/* vx_khr_opencl_interop, user kernels: declared, with the coordination queue of their nodes, in graphs that nothing waits for. */
#include "testbench/openvx/interop.h"

enum { WIDTH = 40, HEIGHT = 12, PIXELS = WIDTH * HEIGHT, KEY = 0x5b, FIRST_KERNEL = VX_KERNEL_BASE(VX_ID_DEFAULT, 7) };

/* ---- a kernel of OpenCL's behind the kernel of OpenVX ---- */
static const char source[] = "kernel void mask(global const uchar *in, global uchar *out, uchar key)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	out[i] = in[i] ^ key;\n"
			     "}\n";

/* What the functions of a kernel have seen. */
static struct {
	int initialized, ran, ended;
	cl_command_queue queues[64]; /* asked for in each of these calls */
	unsigned num_queues;
	cl_program program;
	cl_kernel mask;
} seen;

static vx_status ask_for_queue(vx_node node, cl_command_queue *q)
{
	*q = NULL;
	const vx_status status = vxQueryNode(node, VX_NODE_CL_COMMAND_QUEUE, q, sizeof *q);
	if (!status && seen.num_queues < COUNT(seen.queues))
		seen.queues[seen.num_queues++] = *q;
	return status;
}

static vx_status VX_CALLBACK validate(vx_node node, const vx_reference parameters[], vx_uint32 num, vx_meta_format metas[])
{
	(void)node;
	(void)num;
	return vxSetMetaFormatFromReference(metas[1], parameters[0]);
}

static vx_status VX_CALLBACK initialize(vx_node node, const vx_reference parameters[], vx_uint32 num)
{
	const char *text = source;
	cl_context of = NULL;
	cl_command_queue q;
	cl_int code = CL_SUCCESS;
	(void)parameters;
	(void)num;
	vx_status status = ask_for_queue(node, &q);
	seen.initialized++;
	if (status || seen.mask)
		return status;
	status = vxQueryContext(vxGetContext((vx_reference)node), VX_CONTEXT_CL_CONTEXT, &of, sizeof of);
	seen.program = status ? NULL : clCreateProgramWithSource(of, 1, &text, NULL, &code);
	if (!seen.program || clBuildProgram(seen.program, 0, NULL, NULL, NULL, NULL))
		return VX_FAILURE;
	seen.mask = clCreateKernel(seen.program, "mask", &code);
	return seen.mask ? VX_SUCCESS : VX_FAILURE;
}

static vx_status VX_CALLBACK deinitialize(vx_node node, const vx_reference parameters[], vx_uint32 num)
{
	cl_command_queue q;
	(void)parameters;
	(void)num;
	seen.ended++;
	return ask_for_queue(node, &q);
}

static cl_int enqueue_mask(cl_command_queue q, cl_mem in, cl_mem out)
{
	const cl_uchar key = KEY;
	const size_t items = PIXELS;
	cl_int code = clSetKernelArg(seen.mask, 0, sizeof in, &in);
	code = code ? code : clSetKernelArg(seen.mask, 1, sizeof out, &out);
	code = code ? code : clSetKernelArg(seen.mask, 2, sizeof key, &key);
	return code ? code : clEnqueueNDRangeKernel(q, seen.mask, 1, NULL, &items, NULL, 0, NULL, NULL);
}

static const vx_rectangle_t whole = {0, 0, WIDTH, HEIGHT};

/* In the buffers that the images are mapped to. */
static vx_status VX_CALLBACK run_on_maps(vx_node node, const vx_reference parameters[], vx_uint32 num)
{
	vx_image in = (vx_image)parameters[0], out = (vx_image)parameters[1];
	vx_imagepatch_addressing_t a;
	vx_map_id ids[2];
	cl_mem from = NULL, to = NULL;
	cl_command_queue q;
	(void)num;
	seen.ran++;
	vx_status status = ask_for_queue(node, &q);
	if (!status)
		status = vxMapImagePatch(in, &whole, 0, &ids[0], &a, (void **)&from, VX_READ_ONLY, OPENCL, 0);
	if (!status)
		status = vxMapImagePatch(out, &whole, 0, &ids[1], &a, (void **)&to, VX_WRITE_ONLY, OPENCL, 0);
	if (!status && enqueue_mask(q, from, to))
		status = VX_FAILURE;
	if (!status)
		status = vxUnmapImagePatch(in, ids[0]);
	return status ? status : vxUnmapImagePatch(out, ids[1]);
}

/* In a buffer of its own, from and to which images are copied. */
static vx_status VX_CALLBACK run_on_copies(vx_node node, const vx_reference parameters[], vx_uint32 num)
{
	const struct pixels shape = {WIDTH, HEIGHT, VX_DF_IMAGE_U8, NULL};
	const vx_imagepatch_addressing_t a = addressing_of(&shape, 0, WIDTH);
	cl_command_queue q;
	cl_int code = CL_SUCCESS;
	(void)num;
	seen.ran++;
	vx_status status = ask_for_queue(node, &q);
	cl_mem own = clCreateBuffer(cl, CL_MEM_READ_WRITE, PIXELS, NULL, &code);
	if (code)
		return VX_ERROR_NO_MEMORY;
	if (!status)
		status = vxCopyImagePatch((vx_image)parameters[0], &whole, 0, &a, own, VX_READ_ONLY, OPENCL);
	if (!status && enqueue_mask(q, own, own))
		status = VX_FAILURE;
	if (!status)
		status = vxCopyImagePatch((vx_image)parameters[1], &whole, 0, &a, own, VX_WRITE_ONLY, OPENCL);
	clReleaseMemObject(own);
	return status;
}

/* A kernel with an image in and an image out. */
static vx_kernel new_kernel(const char *name, int number, vx_kernel_f run, vx_bool uses_opencl, bool with_ends)
{
	vx_kernel k = vxAddUserKernel(context, name, FIRST_KERNEL + number, run, 2, validate, with_ends ? initialize : NULL, with_ends ? deinitialize : NULL);
	CREATED(k);
	RAN(vxAddParameterToKernel(k, 0, VX_INPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	RAN(vxAddParameterToKernel(k, 1, VX_OUTPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	if (uses_opencl)
		RAN(vxSetKernelAttribute(k, VX_KERNEL_USE_OPENCL, &uses_opencl, sizeof uses_opencl));
	RAN(vxFinalizeKernel(k));
	return k;
}

static vx_node new_node(vx_graph graph, vx_kernel k, vx_image in, vx_image out)
{
	vx_node node = vxCreateGenericNode(graph, k);
	CREATED(node);
	RAN(vxSetParameterByIndex(node, 0, (vx_reference)in));
	RAN(vxSetParameterByIndex(node, 1, (vx_reference)out));
	return node;
}

static void forget_seen(void)
{
	if (seen.mask)
		CL_OK(clReleaseKernel(seen.mask));
	if (seen.program)
		CL_OK(clReleaseProgram(seen.program));
	memset(&seen, 0, sizeof seen);
}

/* One queue in all calls, of the context's and in order. */
static void check_queues(unsigned least)
{
	cl_context of = NULL;
	cl_command_queue_properties properties = 0;
	assert_true(seen.num_queues >= least);
	for (unsigned i = 0; i < seen.num_queues; i++) {
		assert_non_null(seen.queues[i]);
		assert_ptr_equal(seen.queues[i], seen.queues[0]);
	}
	CL_OK(clGetCommandQueueInfo(seen.queues[0], CL_QUEUE_CONTEXT, sizeof of, &of, NULL));
	CL_OK(clGetCommandQueueInfo(seen.queues[0], CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL));
	assert_ptr_equal(of, cl);
	assert_false(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* ---- VX_KERNEL_USE_OPENCL ---- */
static vx_bool uses_opencl(vx_kernel k)
{
	vx_bool value = 0x55;
	RAN(vxQueryKernel(k, VX_KERNEL_USE_OPENCL, &value, sizeof value));
	return value;
}

static void attribute(void **state)
{
	const vx_bool yes = vx_true_e, no = vx_false_e;
	vx_bool value = vx_false_e;
	(void)state;
	for (int parameters = 0; parameters < 3; parameters += 2) {
		now_testing("VX_KERNEL_USE_OPENCL of a kernel with %d parameters", parameters);
		vx_kernel k = vxAddUserKernel(context, "galena.test.attribute", FIRST_KERNEL, run_on_maps, (vx_uint32)parameters, validate, NULL, NULL);
		CREATED(k);
		for (vx_uint32 i = 0; i < (vx_uint32)parameters; i++)
			RAN(vxAddParameterToKernel(k, i, i ? VX_OUTPUT : VX_INPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
		assert_int_equal(uses_opencl(k), vx_false_e);
		RAN(vxSetKernelAttribute(k, VX_KERNEL_USE_OPENCL, &yes, sizeof yes));
		assert_int_equal(uses_opencl(k), vx_true_e);
		RAN(vxSetKernelAttribute(k, VX_KERNEL_USE_OPENCL, &no, sizeof no));
		assert_int_equal(uses_opencl(k), vx_false_e);
		RAN(vxSetKernelAttribute(k, VX_KERNEL_USE_OPENCL, &yes, sizeof yes));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetKernelAttribute(k, VX_KERNEL_USE_OPENCL, &no, sizeof no - 1));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetKernelAttribute(k, VX_KERNEL_USE_OPENCL, NULL, sizeof no));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxQueryKernel(k, VX_KERNEL_USE_OPENCL, &value, sizeof value - 1));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxQueryKernel(k, VX_KERNEL_USE_OPENCL, NULL, sizeof value));
		RAN(vxFinalizeKernel(k));
		/* read-only */
		REFUSED(VX_ERROR_NOT_SUPPORTED, vxSetKernelAttribute(k, VX_KERNEL_USE_OPENCL, &no, sizeof no));
		assert_int_equal(uses_opencl(k), vx_true_e);
		vx_kernel same = vxGetKernelByName(context, "galena.test.attribute");
		CREATED(same);
		assert_int_equal(uses_opencl(same), vx_true_e);
		RAN(vxReleaseKernel(&same));
		RAN(vxRemoveKernel(k));
	}
	now_testing("VX_KERNEL_USE_OPENCL of kernels that are no user kernels");
	vx_kernel builtin = vxGetKernelByEnum(context, VX_KERNEL_NOT);
	CREATED(builtin);
	assert_int_equal(uses_opencl(builtin), vx_false_e);
	REFUSED(VX_ERROR_NOT_SUPPORTED, vxSetKernelAttribute(builtin, VX_KERNEL_USE_OPENCL, &yes, sizeof yes));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxSetKernelAttribute(NULL, VX_KERNEL_USE_OPENCL, &yes, sizeof yes));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxQueryKernel(NULL, VX_KERNEL_USE_OPENCL, &value, sizeof value));
	RAN(vxReleaseKernel(&builtin));
}

/* ---- VX_NODE_CL_COMMAND_QUEUE ---- */
/* The same in all functions of a node, from the first to the last, however often the graph is verified and run. */
static void queue_of_nodes(void **state)
{
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	(void)state;
	now_testing("VX_NODE_CL_COMMAND_QUEUE");
	vx_kernel k = new_kernel("galena.test.queue", 0, run_on_maps, vx_true_e, true);
	vx_graph graph = vxCreateGraph(context);
	vx_image in = image_like(&p), out = image_like(&p);
	vx_node node = new_node(graph, k, in, out);
	cl_command_queue q = NULL;
	upload(in, &p);
	for (int round = 0; round < 3; round++) {
		RAN(vxVerifyGraph(graph));
		assert_int_equal(seen.initialized, round + 1);
		assert_int_equal(seen.ended, round);
		RAN(vxProcessGraph(graph));
		RAN(vxProcessGraph(graph));
	}
	RAN(vxQueryNode(node, VX_NODE_CL_COMMAND_QUEUE, &q, sizeof q));
	assert_ptr_equal(q, seen.queues[0]);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxQueryNode(node, VX_NODE_CL_COMMAND_QUEUE, NULL, sizeof q));
	FAILED(vxSetNodeAttribute(node, VX_NODE_CL_COMMAND_QUEUE, &second, sizeof second));
	RAN(vxQueryNode(node, VX_NODE_CL_COMMAND_QUEUE, &q, sizeof q));
	assert_ptr_equal(q, seen.queues[0]);
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	assert_int_equal(seen.ended, 3);
	assert_int_equal(seen.ran, 6);
	check_queues(12);
	RAN(vxRemoveKernel(k));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
	free_pixels(&p);
	forget_seen();
}

/* Each node that runs for a replicated one has it, too. */
static void queue_of_replicas(void **state)
{
	enum { COPIES = 3 };
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_bool replicate[2] = {vx_true_e, vx_true_e};
	(void)state;
	now_testing("VX_NODE_CL_COMMAND_QUEUE of a replicated node");
	vx_kernel k = new_kernel("galena.test.replicas", 0, run_on_maps, vx_true_e, true);
	vx_graph graph = vxCreateGraph(context);
	vx_image exemplar = image_like(&p);
	vx_object_array in = vxCreateObjectArray(context, (vx_reference)exemplar, COPIES), out = vxCreateObjectArray(context, (vx_reference)exemplar, COPIES);
	vx_image first = (vx_image)vxGetObjectArrayItem(in, 0), last = (vx_image)vxGetObjectArrayItem(out, 0);
	for (vx_uint32 i = 0; i < COPIES; i++) {
		vx_image item = (vx_image)vxGetObjectArrayItem(in, i);
		p.bytes[0] = (uint8_t)i;
		upload(item, &p);
		RAN(vxReleaseImage(&item));
	}
	vx_node node = new_node(graph, k, first, last);
	RAN(vxReplicateNode(graph, node, replicate, 2));
	RAN(vxProcessGraph(graph));
	for (size_t i = 0; i < PIXELS; i++)
		p.bytes[i] ^= KEY;
	for (vx_uint32 i = 0; i < COPIES; i++) {
		vx_image item = (vx_image)vxGetObjectArrayItem(out, i);
		p.bytes[0] = (uint8_t)(i ^ KEY);
		expect_pixels(item, &p);
		RAN(vxReleaseImage(&item));
	}
	RAN(vxReleaseImage(&first));
	RAN(vxReleaseImage(&last));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	assert_int_equal(seen.initialized, COPIES);
	assert_int_equal(seen.ran, COPIES);
	assert_int_equal(seen.ended, COPIES);
	check_queues(3 * COPIES);
	RAN(vxRemoveKernel(k));
	RAN(vxReleaseObjectArray(&in));
	RAN(vxReleaseObjectArray(&out));
	RAN(vxReleaseImage(&exemplar));
	free_pixels(&p);
	forget_seen();
}

/* ---- graphs ---- */
/* Built-in kernels before and behind those of the application, virtual images between them; all of it while the queue stands still. */
static void graphs(void **state)
{
	static const struct { const char *name; vx_kernel_f run; } ways[] = {{"maps", run_on_maps}, {"copies", run_on_copies}};
	(void)state;
	for (size_t i = 0; i < 2 * COUNT(ways); i++) {
		const bool scheduled = i % 2;
		struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8), none = zero_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
		struct buffers in = new_buffers(&none, 0), out = new_buffers(&none, 0);
		now_testing("a user kernel on %s, %s", ways[i / 2].name, scheduled ? "scheduled" : "at once");
		vx_kernel k = new_kernel("galena.test.graphs", 0, ways[i / 2].run, vx_true_e, true);
		cl_event gate = close_gate();
		later_write(in.plane[0].mem, p.bytes, PIXELS);
		vx_image x = image_in(&in), z = image_in(&out);
		vx_graph graph = vxCreateGraph(context);
		vx_image v[2] = {vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT), vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT)};
		vx_node nodes[3] = {vxNotNode(graph, x, v[0]), new_node(graph, k, v[0], v[1]), vxAndNode(graph, v[1], v[1], z)};
		RAN(vxVerifyGraph(graph));
		for (int round = 0; round < 2; round++) {
			if (scheduled) {
				RAN(vxScheduleGraph(graph));
				RAN(vxWaitGraph(graph));
			} else {
				RAN(vxProcessGraph(graph));
			}
		}
		RAN(vxSwapImageHandle(z, NULL, NULL, 1));
		open_gate(gate);
		for (size_t n = 0; n < PIXELS; n++)
			p.bytes[n] = (uint8_t)(~p.bytes[n] ^ KEY);
		expect_buffers(&out, &p);
		for (int n = 0; n < 3; n++)
			RAN(vxReleaseNode(&nodes[n]));
		for (int n = 0; n < 2; n++)
			RAN(vxReleaseImage(&v[n]));
		RAN(vxReleaseGraph(&graph));
		RAN(vxReleaseImage(&x));
		RAN(vxReleaseImage(&z));
		assert_int_equal(seen.ran, 2);
		assert_int_equal(seen.ended, 1);
		check_queues(4);
		RAN(vxRemoveKernel(k));
		end_buffers(&in);
		end_buffers(&out);
		free_pixels(&p);
		free_pixels(&none);
		forget_seen();
	}
}

/* ---- kernels that do not declare it ---- */
static vx_image handed; /* from a buffer, and a buffer that is large enough */
static cl_mem room;

/* They work on the host; buffers of OpenCL are not for them. */
static vx_status VX_CALLBACK run_on_host(vx_node node, const vx_reference parameters[], vx_uint32 num)
{
	const struct pixels shape = {WIDTH, HEIGHT, VX_DF_IMAGE_U8, NULL};
	const vx_imagepatch_addressing_t a = addressing_of(&shape, 0, WIDTH);
	vx_image in = (vx_image)parameters[0], out = (vx_image)parameters[1];
	vx_imagepatch_addressing_t mapped_a;
	uint8_t bytes[PIXELS];
	vx_map_id id = 0;
	void *mapped = NULL;
	cl_command_queue q;
	(void)num;
	vx_context c = vxGetContext((vx_reference)node);
	vx_image made_here = vxCreateImageFromHandle(c, VX_DF_IMAGE_U8, &a, (void *[]){room}, OPENCL);
	const vx_status refused[] = {
		ask_for_queue(node, &q),
		vxMapImagePatch(in, &whole, 0, &id, &mapped_a, &mapped, VX_READ_ONLY, OPENCL, 0),
		vxCopyImagePatch(in, &whole, 0, &a, room, VX_READ_ONLY, OPENCL),
		vxCopyImagePatch(out, &whole, 0, &a, room, VX_WRITE_ONLY, OPENCL),
		vxSwapImageHandle(handed, NULL, NULL, 1),
		vxGetStatus((vx_reference)made_here),
	};
	for (size_t i = 0; i < COUNT(refused); i++)
		seen.ended += refused[i] == VX_ERROR_NOT_SUPPORTED;
	vx_status status = vxCopyImagePatch(in, &whole, 0, &a, bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST);
	for (size_t i = 0; i < PIXELS; i++)
		bytes[i] ^= KEY;
	return status ? status : vxCopyImagePatch(out, &whole, 0, &a, bytes, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
}

static void undeclared(void **state)
{
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	struct buffers b = new_buffers(&p, 0);
	cl_command_queue q = NULL;
	(void)state;
	now_testing("a kernel that does not declare VX_KERNEL_USE_OPENCL");
	vx_kernel k = new_kernel("galena.test.undeclared", 0, run_on_host, vx_false_e, false);
	vx_graph graph = vxCreateGraph(context);
	vx_image in = image_like(&p), middle = image_like(&p), out = image_like(&p);
	handed = image_in(&b);
	room = empty_buffer(PIXELS);
	vx_node node = new_node(graph, k, in, middle), builtin = vxNotNode(graph, middle, out);
	CREATED(builtin);
	upload(in, &p);
	REFUSED(VX_ERROR_NOT_SUPPORTED, vxQueryNode(node, VX_NODE_CL_COMMAND_QUEUE, &q, sizeof q));
	REFUSED(VX_ERROR_NOT_SUPPORTED, vxQueryNode(builtin, VX_NODE_CL_COMMAND_QUEUE, &q, sizeof q));
	assert_null(q);
	RAN(vxProcessGraph(graph));
	assert_int_equal(seen.ended, 6);
	/* outside of the kernel the application has them as before */
	struct memory same = open_memory(OPENCL, p.bytes, PIXELS);
	const vx_imagepatch_addressing_t a = addressing_of(&p, 0, WIDTH);
	RAN(vxCopyImagePatch(handed, &whole, 0, &a, same.buffer, VX_READ_ONLY, OPENCL));
	close_memory(&same, p.bytes);
	for (size_t i = 0; i < PIXELS; i++)
		p.bytes[i] = (uint8_t)~(p.bytes[i] ^ KEY);
	expect_pixels(out, &p);
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseNode(&builtin));
	RAN(vxReleaseGraph(&graph));
	RAN(vxRemoveKernel(k));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&middle));
	RAN(vxReleaseImage(&out));
	RAN(vxReleaseImage(&handed));
	CL_OK(clReleaseMemObject(room));
	end_buffers(&b);
	free_pixels(&p);
	forget_seen();
}

/* Both kinds in one graph, the second within a function of the first: each has what it declares. */
static vx_graph inner;

static vx_status VX_CALLBACK run_inner(vx_node node, const vx_reference parameters[], vx_uint32 num)
{
	const struct pixels shape = {WIDTH, HEIGHT, VX_DF_IMAGE_U8, NULL};
	const vx_imagepatch_addressing_t a = addressing_of(&shape, 0, WIDTH);
	vx_status status = vxProcessGraph(inner);
	if (!status && vxCopyImagePatch((vx_image)parameters[0], &whole, 0, &a, room, VX_READ_ONLY, OPENCL) != VX_ERROR_NOT_SUPPORTED)
		status = VX_FAILURE;
	return status ? status : run_on_host(node, parameters, num);
}

static void nested(void **state)
{
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	struct buffers b = new_buffers(&p, 0);
	(void)state;
	now_testing("a graph with a kernel of OpenCL within a function of another kernel");
	vx_kernel declared = new_kernel("galena.test.inner", 0, run_on_maps, vx_true_e, true);
	vx_kernel plain = new_kernel("galena.test.outer", 1, run_inner, vx_false_e, false);
	vx_image in = image_like(&p), middle = image_like(&p), out = image_like(&p), last = image_like(&p);
	vx_graph graph = vxCreateGraph(context);
	inner = vxCreateGraph(context);
	handed = image_in(&b);
	room = empty_buffer(PIXELS);
	vx_node nodes[2] = {new_node(inner, declared, in, middle), new_node(graph, plain, out, last)};
	upload(in, &p);
	upload(out, &p);
	RAN(vxVerifyGraph(inner));
	RAN(vxProcessGraph(graph));
	assert_int_equal(seen.ran, 1);
	assert_int_equal(seen.ended, 6);
	for (size_t i = 0; i < PIXELS; i++)
		p.bytes[i] ^= KEY;
	expect_pixels(middle, &p);
	expect_pixels(last, &p);
	for (int i = 0; i < 2; i++)
		RAN(vxReleaseNode(&nodes[i]));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseGraph(&inner));
	RAN(vxRemoveKernel(declared));
	RAN(vxRemoveKernel(plain));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&middle));
	RAN(vxReleaseImage(&out));
	RAN(vxReleaseImage(&last));
	RAN(vxReleaseImage(&handed));
	CL_OK(clReleaseMemObject(room));
	end_buffers(&b);
	free_pixels(&p);
	forget_seen();
}

int main(int argc, char **argv)
{
	interop_start(argc, argv);
	const struct CMUnitTest tests[] = {
		GATED(attribute), GATED(queue_of_nodes), GATED(queue_of_replicas),
		GATED(graphs), GATED(undeclared), GATED(nested),
	};
	return cmocka_run_group_tests(tests, open_interop, close_interop);
}
