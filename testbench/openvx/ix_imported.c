/* vx_khr_ix: what can be done with graphs once they have been imported; kernels of the application's; another process. */
#include "testbench/openvx/ix_graphs.h"
#include <CL/cl.h>
#include <VX/vx_khr_opencl_interop.h>
#include <VX/vx_khr_pipelining.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- user kernels ---- */
enum { KERNEL = VX_KERNEL_BASE(VX_ID_USER, 0) + 9 };
static struct { int validated, initialized, ran, ended; } seen;

static vx_status VX_CALLBACK validate(vx_node node, const vx_reference parameters[], vx_uint32 num, vx_meta_format metas[])
{
	(void)node;
	(void)num;
	seen.validated++;
	return vxSetMetaFormatFromReference(metas[1], parameters[0]);
}

static vx_status VX_CALLBACK initialize(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	const vx_size size = sizeof(int);
	(void)parameters;
	(void)num;
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

/* Adds to each pixel how often the node has run. The graph cannot be changed from here either. */
static vx_status VX_CALLBACK add_runs(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	struct pixels p = zero_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	int *runs = NULL;
	(void)num;
	seen.ran++;
	RAN(vxQueryNode(node, VX_NODE_LOCAL_DATA_PTR, &runs, sizeof runs));
	download((vx_image)parameters[0], &p);
	++*runs;
	for (size_t i = 0; i < bytes_in_all(&p); i++)
		p.bytes[i] = (uint8_t)(p.bytes[i] + *runs);
	upload((vx_image)parameters[1], &p);
	free_pixels(&p);
	return VX_SUCCESS;
}

static vx_kernel add_kernel(vx_context c, vx_enum number, vx_uint32 count)
{
	vx_kernel kernel = vxAddUserKernel(c, "galena.test.ix.add_runs", number, add_runs, count, validate, initialize, end);
	CREATED(kernel);
	for (vx_uint32 i = 0; i < count; i++)
		RAN(vxAddParameterToKernel(kernel, i, i == 1 ? VX_OUTPUT : VX_INPUT, VX_TYPE_IMAGE,
					   i < 2 ? VX_PARAMETER_STATE_REQUIRED : VX_PARAMETER_STATE_OPTIONAL));
	return kernel;
}

static void user_kernels(void **state)
{
	(void)state;
	vx_kernel kernel = add_kernel(context, KERNEL, 2), other;
	RAN(vxFinalizeKernel(kernel));
	vx_graph graph = vxCreateGraph(context);
	vx_image in = new_image(context, VX_DF_IMAGE_U8), out = new_image(context, VX_DF_IMAGE_U8),
		 middle = vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
	vx_node node = vxCreateGenericNode(graph, kernel);
	RAN(vxSetParameterByIndex(node, 0, (vx_reference)in));
	RAN(vxSetParameterByIndex(node, 1, (vx_reference)middle));
	release_node(vxNotNode(graph, middle, out));
	const vx_reference refs[] = {(vx_reference)graph, (vx_reference)in, (vx_reference)out};
	const vx_enum uses[] = {0, with_values, without_values};
	vx_reference got[3] = {NULL};
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	upload(in, &p);
	struct blob b = exported(3, refs, uses);
	now_testing("a kernel that the context of the import does not have");
	NOT_IMPORTED(VX_ERROR_NOT_SUPPORTED, 3, got, uses, &b);
	LOGGED("galena.test.ix.add_runs");
	now_testing("a kernel that is not finalized");
	other = add_kernel(there, KERNEL + 4, 2);
	NOT_IMPORTED(VX_ERROR_NOT_SUPPORTED, 3, got, uses, &b);
	RAN(vxRemoveKernel(other));
	now_testing("a kernel with other parameters");
	other = add_kernel(there, KERNEL + 4, 3);
	RAN(vxFinalizeKernel(other));
	NOT_IMPORTED(VX_ERROR_NOT_COMPATIBLE, 3, got, uses, &b);
	LOGGED("galena.test.ix.add_runs");
	RAN(vxRemoveKernel(other));
	now_testing("a kernel of the name, with another number");
	other = add_kernel(there, KERNEL + 4, 2);
	RAN(vxFinalizeKernel(other));
	const int initialized = seen.initialized, ended = seen.ended;
	vx_import import = imported(3, got, uses, &b);
	assert_int_equal(seen.initialized, initialized + 1);
	for (int round = 1; round <= 3; round++) {
		RAN(vxProcessGraph(graph));
		RAN(vxProcessGraph((vx_graph)got[0]));
		same_pixels(out, (vx_image)got[2], VX_DF_IMAGE_U8);
	}
	release_all(got, 3);
	RAN(vxReleaseImport(&import));
	assert_int_equal(seen.ended, ended + 1);
	RAN(vxRemoveKernel(other));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&middle));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
	RAN(vxRemoveKernel(kernel));
	free_pixels(&p);
}

/* ---- graphs that have been imported ---- */
static void stay_verified(void **state)
{
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	vx_image a = new_image(context, VX_DF_IMAGE_U8), z = new_image(context, VX_DF_IMAGE_U8);
	vx_node node = vxErode3x3Node(graph, a, z);
	vx_parameter first = vxGetParameterByIndex(node, 0), second = vxGetParameterByIndex(node, 1);
	RAN(vxAddParameterToGraph(graph, first));
	RAN(vxAddParameterToGraph(graph, second));
	const vx_reference refs[] = {(vx_reference)graph, (vx_reference)a, (vx_reference)z};
	const vx_enum uses[] = {0, without_values, without_values};
	vx_reference got[3] = {NULL};
	struct blob b = exported(3, refs, uses);
	vx_import import = imported(3, got, uses, &b);
	vx_graph g = (vx_graph)got[0];
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	const vx_pixel_value_t five = {.U8 = 5};
	vx_image other = new_image(there, VX_DF_IMAGE_U8), result = new_image(there, VX_DF_IMAGE_U8), small = vxCreateImage(there, WIDTH - 1, HEIGHT, VX_DF_IMAGE_U8),
		 bits = new_image(there, VX_DF_IMAGE_U1), large = vxCreateImage(there, 2 * WIDTH, 2 * HEIGHT, VX_DF_IMAGE_U8),
		 region = vxCreateImageFromROI(large, &(vx_rectangle_t){3, 2, 3 + WIDTH, 2 + HEIGHT}),
		 uniform = vxCreateUniformImage(there, WIDTH, HEIGHT, VX_DF_IMAGE_U8, &five);
	now_testing("changes of an imported graph");
	upload(a, &p);
	upload((vx_image)got[1], &p);
	const void *wrong[] = {NULL, small, bits, graph, a};
	for (size_t i = 0; i < COUNT(wrong); i++) {
		assert_int_not_equal(vxSetGraphParameterByIndex(g, 0, (vx_reference)(uintptr_t)wrong[i]), VX_SUCCESS);
		assert_int_equal(vxIsGraphVerified(g), vx_true_e);
	}
	RAN(vxProcessGraph(graph));
	RAN(vxProcessGraph(g));
	same_inside(z, (vx_image)got[2], VX_DF_IMAGE_U8, 1);
	/* nodes come and go in other graphs only */
	vx_parameter parameter = vxGetGraphParameterByIndex(g, 0);
	CREATED(parameter);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetParameterByReference(parameter, (vx_reference)small));
	assert_int_not_equal(vxGetStatus((vx_reference)vxNotNode(g, other, result)), VX_SUCCESS);
	assert_int_equal(vxIsGraphVerified(g), vx_true_e);
	vx_uint32 nodes = 0;
	RAN(vxQueryGraph(g, VX_GRAPH_NUMNODES, &nodes, sizeof nodes));
	assert_int_equal(nodes, 1);
	RAN(vxVerifyGraph(g));
	/* objects of the same meta data do: another image, a region, a uniform one */
	vx_image inputs[] = {other, region, uniform};
	for (size_t i = 0; i < COUNT(inputs); i++) {
		now_testing("another parameter of an imported graph: %s", i == 0 ? "an image" : i == 1 ? "a region" : "a uniform image");
		if (i < 2) {
			p.bytes[i] ^= 0x55;
			upload(inputs[i], &p);
			upload(a, &p);
		} else {
			memset(p.bytes, 5, bytes_in_all(&p));
			upload(a, &p);
		}
		if (i == 1)
			RAN(vxSetParameterByReference(parameter, (vx_reference)inputs[i]));
		else
			RAN(vxSetGraphParameterByIndex(g, 0, (vx_reference)inputs[i]));
		RAN(vxSetGraphParameterByIndex(g, 1, i % 2 ? got[2] : (vx_reference)result));
		assert_int_equal(vxIsGraphVerified(g), vx_true_e);
		RAN(vxProcessGraph(graph));
		RAN(vxProcessGraph(g));
		const vx_image is = i % 2 ? (vx_image)got[2] : result;
		vx_rectangle_t valid[2];
		RAN(vxGetValidRegionImage(z, &valid[0]));
		RAN(vxGetValidRegionImage(is, &valid[1]));
		assert_memory_equal(&valid[0], &valid[1], sizeof valid[0]);
		same_inside(z, is, VX_DF_IMAGE_U8, 1);
	}
	RAN(vxScheduleGraph(g));
	RAN(vxWaitGraph(g));
	RAN(vxReleaseParameter(&parameter));
	release_all(got, 3);
	RAN(vxReleaseImport(&import));
	vx_image images[] = {other, result, small, bits, region, large, uniform};
	for (size_t i = 0; i < COUNT(images); i++)
		RAN(vxReleaseImage(&images[i]));
	RAN(vxReleaseParameter(&first));
	RAN(vxReleaseParameter(&second));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&a));
	RAN(vxReleaseImage(&z));
	free_pixels(&p);
}

/* A value that the application will set is no matter of the import: also one that verification would not take. */
static void values_to_come(void **state)
{
	(void)state;
	const vx_float32 good = 20.0f, bad = 1000.0f;
	vx_graph graph = vxCreateGraph(context);
	vx_image in = new_image(context, VX_DF_IMAGE_U8);
	vx_scalar strength = vxCreateScalar(context, VX_TYPE_FLOAT32, &good), mine = vxCreateScalar(there, VX_TYPE_FLOAT32, &bad);
	vx_array corners[2] = {vxCreateArray(context, VX_TYPE_KEYPOINT, 200), NULL};
	vx_keypoint_t points[2][200];
	vx_size counts[2] = {0};
	struct pixels p = zero_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	for (vx_uint32 y = 8; y < 16; y++)
		memset(row_of(&p, 0, y) + 10, 200, 12);
	upload(in, &p);
	release_node(vxFastCornersNode(graph, in, strength, vx_true_e, corners[0], NULL));
	now_testing("values that are set after the import");
	const vx_reference refs[] = {(vx_reference)graph, (vx_reference)corners[0], (vx_reference)strength};
	const vx_enum uses[] = {0, without_values, application};
	vx_reference got[3] = {NULL, NULL, (vx_reference)mine};
	struct blob b = exported(3, refs, uses);
	vx_import import = imported(3, got, uses, &b);
	RAN(vxCopyScalar(mine, (void *)(uintptr_t)&good, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxProcessGraph(graph));
	RAN(vxProcessGraph((vx_graph)got[0]));
	corners[1] = (vx_array)got[1];
	for (int i = 0; i < 2; i++) {
		RAN(vxQueryArray(corners[i], VX_ARRAY_NUMITEMS, &counts[i], sizeof counts[i]));
		assert_in_range(counts[i], 1, 200);
		RAN(vxCopyArrayRange(corners[i], 0, counts[i], sizeof **points, points[i], VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	}
	assert_int_equal(counts[0], counts[1]);
	assert_memory_equal(points[0], points[1], counts[0] * sizeof **points);
	release_all(got, 3);
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseScalar(&strength));
	RAN(vxReleaseArray(&corners[0]));
	RAN(vxReleaseImage(&in));
	free_pixels(&p);
}

/* ---- vx_khr_pipelining ---- */
/* How a graph is scheduled is not exported. An imported one is verified, so it gets no queues, and does not stream; while it is under way
 * its parameters are as they are. */
static void scheduled(void **state)
{
	(void)state;
	const vx_enum uses[] = {0, application, without_values};
	vx_graph graph = vxCreateGraph(context);
	vx_image in = new_image(context, VX_DF_IMAGE_U8), out = new_image(context, VX_DF_IMAGE_U8), mine = new_image(there, VX_DF_IMAGE_U8);
	vx_node node = vxNotNode(graph, in, out);
	vx_parameter parameter = vxGetParameterByIndex(node, 0);
	vx_reference refs[] = {(vx_reference)graph, (vx_reference)in, (vx_reference)out}, got[] = {NULL, (vx_reference)mine, NULL};
	const vx_graph_parameter_queue_params_t before[] = {{0, 1, &refs[1]}}, after[] = {{0, 1, &got[1]}};
	vx_enum mode = 0;
	now_testing("how a graph is scheduled");
	RAN(vxAddParameterToGraph(graph, parameter));
	RAN(vxEnableGraphStreaming(graph, node));
	RAN(vxSetGraphScheduleConfig(graph, VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO, 1, before));
	RAN(vxVerifyGraph(graph));
	struct blob b = exported(3, refs, uses);
	vx_import import = imported(3, got, uses, &b);
	const vx_graph g = (vx_graph)got[0];
	RAN(vxQueryGraph(g, VX_GRAPH_SCHEDULE_MODE, &mode, sizeof mode));
	assert_int_equal(mode, VX_GRAPH_SCHEDULE_MODE_NORMAL);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetGraphScheduleConfig(g, VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO, 1, after));
	REFUSED(VX_FAILURE, vxEnableGraphStreaming(g, NULL));
	REFUSED(VX_FAILURE, vxStartGraphStreaming(g));
	REFUSED(VX_FAILURE, vxRegisterEvent((vx_reference)g, VX_EVENT_GRAPH_COMPLETED, 0, 1));
	/* both give the same, in their ways */
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_reference done = NULL;
	vx_uint32 count = 0;
	upload(in, &p);
	upload(mine, &p);
	RAN(vxGraphParameterEnqueueReadyRef(graph, 0, &refs[1], 1));
	RAN(vxGraphParameterDequeueDoneRef(graph, 0, &done, 1, &count));
	RAN(vxWaitGraph(graph));
	RAN(vxScheduleGraph(g));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxSetGraphParameterByIndex(g, 0, (vx_reference)mine));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxVerifyGraph(g));
	RAN(vxWaitGraph(g));
	same_pixels(out, (vx_image)got[2], VX_DF_IMAGE_U8);
	RAN(vxSetGraphParameterByIndex(g, 0, (vx_reference)mine));
	assert_int_equal(vxIsGraphVerified(g), vx_true_e);
	release_all(got, 3);
	RAN(vxReleaseImport(&import));
	RAN(vxReleaseParameter(&parameter));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
	free_pixels(&p);
}

/* ---- OpenCL's queue ---- */
/* An import and a run of what it brings return while the coordination queue has not begun. */
static void blocked_queue(void **state)
{
	(void)state;
	struct work w = make_work(context);
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	const vx_enum uses[] = {0, with_values, without_values};
	vx_reference refs[WORK_REFS], got[3] = {NULL};
	vx_context c = vxCreateContextFromCL(NULL, NULL);
	cl_context cl = NULL;
	cl_command_queue queue = NULL;
	cl_event last = NULL;
	cl_int code = CL_SUCCESS, run = CL_COMPLETE;
	now_testing("a coordination queue that has not begun");
	CREATED(c);
	RAN(vxQueryContext(c, VX_CONTEXT_CL_CONTEXT, &cl, sizeof cl));
	RAN(vxQueryContext(c, VX_CONTEXT_CL_COMMAND_QUEUE, &queue, sizeof queue));
	upload(w.in, &p);
	list_work(&w, refs);
	struct blob b = exported(3, refs, uses);
	RAN(vxProcessGraph(w.graph));
	cl_event gate = clCreateUserEvent(cl, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL), CL_SUCCESS);
	vx_import import = vxImportObjectsFromMemory(c, 3, got, uses, b.bytes, b.length);
	CREATED(import);
	free(b.bytes);
	RAN(vxProcessGraph((vx_graph)got[0]));
	assert_int_equal(clEnqueueMarkerWithWaitList(queue, 0, NULL, &last), CL_SUCCESS);
	assert_int_equal(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof run, &run, NULL), CL_SUCCESS);
	assert_true(run > CL_COMPLETE);
	assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
	same_pixels(w.out, (vx_image)got[2], VX_DF_IMAGE_U8);
	clReleaseEvent(last);
	clReleaseEvent(gate);
	RAN(vxReleaseImport(&import));
	release_all(got, 3);
	RAN(vxReleaseContext(&c));
	end_work(&w);
	free_pixels(&p);
}

/* ---- another process ---- */
/* A file holds the length of the blob, the blob, the input and the output. */
static void put(FILE *f, const void *bytes, size_t size) { assert_int_equal(fwrite(bytes, 1, size, f), size); }

static void other_process(void **state)
{
	(void)state;
	struct work w = make_work(context);
	struct pixels in = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_reference refs[WORK_REFS];
	const vx_enum uses[] = {0, application, without_values};
	char number[16], *arguments[] = {(char[]){"ix_imported"}, (char[]){"import"}, number, NULL};
	int status = -1;
	FILE *f = tmpfile();
	now_testing("another process");
	assert_non_null(f);
	list_work(&w, refs);
	upload(w.in, &in);
	struct blob b = exported(3, refs, uses);
	RAN(vxProcessGraph(w.graph));
	struct pixels out = pixels_of(w.out, VX_DF_IMAGE_U8);
	put(f, &b.length, sizeof b.length);
	put(f, b.bytes, b.length);
	put(f, in.bytes, bytes_in_all(&in));
	put(f, out.bytes, bytes_in_all(&out));
	assert_int_equal(fflush(f), 0);
	rewind(f);
	snprintf(number, sizeof number, "%d", fileno(f));
	const pid_t child = fork();
	if (!child) {
		execv("/proc/self/exe", arguments);
		_exit(127);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	fclose(f);
	free(b.bytes);
	free_pixels(&in);
	free_pixels(&out);
	end_work(&w);
}

static bool take(int fd, void *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		const ssize_t n = read(fd, (char *)bytes + done, size - done);
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Of the other process: 0 when the output is the same. */
static int import_here(int fd)
{
	enum { PIXELS = WIDTH * HEIGHT };
	static uint8_t in[PIXELS], expected[PIXELS], got[PIXELS];
	const vx_rectangle_t all = {0, 0, WIDTH, HEIGHT};
	const vx_imagepatch_addressing_t a = {.dim_x = WIDTH, .dim_y = HEIGHT, .stride_x = 1, .stride_y = WIDTH, .scale_x = VX_SCALE_UNITY,
					      .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	const vx_enum uses[] = {0, application, without_values};
	vx_size length = 0;
	if (!take(fd, &length, sizeof length))
		return 2;
	uint8_t *bytes = malloc(length);
	if (!bytes || !take(fd, bytes, length) || !take(fd, in, PIXELS) || !take(fd, expected, PIXELS))
		return 3;
	vx_context c = vxCreateContext();
	vx_image image = vxCreateImage(c, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_reference refs[3] = {NULL, (vx_reference)image, NULL};
	vx_import import = vxImportObjectsFromMemory(c, 3, refs, uses, bytes, length);
	free(bytes);
	if (vxGetStatus((vx_reference)import))
		return 4;
	vx_reference out = vxGetImportReferenceByName(import, "out");
	if (out != refs[2] || vxCopyImagePatch(image, &all, 0, &a, in, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST) || vxProcessGraph((vx_graph)refs[0]) ||
	    vxCopyImagePatch((vx_image)out, &all, 0, &a, got, VX_READ_ONLY, VX_MEMORY_TYPE_HOST))
		return 5;
	if (memcmp(got, expected, PIXELS))
		return 6;
	return vxReleaseContext(&c) ? 7 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "import"))
		return import_here(atoi(argv[2]));
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_kernels), cmocka_unit_test(stay_verified), cmocka_unit_test(values_to_come),
		cmocka_unit_test(scheduled), cmocka_unit_test(blocked_queue), cmocka_unit_test(other_process),
	};
	return cmocka_run_group_tests(tests, open_both, close_both);
}
