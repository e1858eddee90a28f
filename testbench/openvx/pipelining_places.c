/* vx_khr_pipelining, 2.2: which places of a graph an enqueued reference gets to, through parts, replicas and delays. */
#include "testbench/openvx/pipelines.h"

/* ---- places ---- */
/* Three parameters, of which one is between nodes; two that begin with one object, and are two. */
static void places(void **state)
{
	(void)state;
	enum { N = 2 };
	uint8_t a_bytes[PIXELS], b_bytes[PIXELS], expected[PIXELS], inverted[PIXELS];
	vx_image a[N], b[N], middle[N], out[N];
	now_testing("places");
	vx_graph graph = vxCreateGraph(context);
	for (int i = 0; i < N; i++) {
		a[i] = new_image();
		b[i] = new_image();
		middle[i] = new_image();
		out[i] = new_image();
	}
	vx_node first = vxXorNode(graph, a[0], a[0], middle[0]), second = vxNotNode(graph, middle[0], out[0]);
	add_parameter(graph, first, 0);
	add_parameter(graph, first, 1);
	add_parameter(graph, second, 0);
	add_parameter(graph, second, 1);
	const vx_graph_parameter_queue_params_t list[] = {{0, N, (vx_reference *)a}, {3, N, (vx_reference *)out}, {1, N, (vx_reference *)b}, {2, N, (vx_reference *)middle}};
	RAN(vxSetGraphScheduleConfig(graph, AUTO, 4, list));
	RAN(vxVerifyGraph(graph));
	for (int frame = 0; frame < 7; frame++) {
		const int i = frame % N;
		random_frame(a_bytes);
		random_frame(b_bytes);
		RAN(copy_frame(a[i], a_bytes, VX_WRITE_ONLY));
		RAN(copy_frame(b[N - 1 - i], b_bytes, VX_WRITE_ONLY));
		enqueue(graph, 1, b[N - 1 - i]);
		enqueue(graph, 3, out[i]);
		enqueue(graph, 0, a[i]);
		enqueue(graph, 2, middle[N - 1 - i]);
		assert_ptr_equal(dequeue(graph, 0), a[i]);
		assert_ptr_equal(dequeue(graph, 1), b[N - 1 - i]);
		assert_ptr_equal(dequeue(graph, 2), middle[N - 1 - i]);
		assert_ptr_equal(dequeue(graph, 3), out[i]);
		for (int k = 0; k < PIXELS; k++)
			expected[k] = a_bytes[k] ^ b_bytes[k];
		invert(expected, inverted);
		expect_frame(middle[N - 1 - i], expected);
		expect_frame(out[i], inverted);
	}
	RAN(vxReleaseNode(&first));
	RAN(vxReleaseNode(&second));
	RAN(vxReleaseGraph(&graph));
	for (int i = 0; i < N; i++) {
		RAN(vxReleaseImage(&a[i]));
		RAN(vxReleaseImage(&b[i]));
		RAN(vxReleaseImage(&middle[i]));
		RAN(vxReleaseImage(&out[i]));
	}
}

/* Parts of what is enqueued that other nodes use cannot follow; a place has one queue. */
static void impossible_places(void **state)
{
	(void)state;
	now_testing("impossible places");
	const vx_rectangle_t half = {0, 0, WIDTH, HEIGHT / 2};
	vx_graph graph = vxCreateGraph(context);
	vx_image in = new_image(), out = new_image(), part = vxCreateImageFromROI(in, &half), small = image_u8(WIDTH, HEIGHT / 2);
	vx_node first = vxNotNode(graph, in, out), second = vxNotNode(graph, part, small);
	add_parameter(graph, first, 0);
	add_parameter(graph, first, 0);
	RAN(configure(graph, AUTO, 0, 1, &in));
	REFUSED(VX_ERROR_INVALID_GRAPH, vxVerifyGraph(graph));
	assert_int_equal(vxIsGraphVerified(graph), vx_false_e);
	RAN(vxRemoveNode(&second));
	RAN(vxVerifyGraph(graph));
	RAN(vxSetParameterByIndex(first, 1, (vx_reference)out)); /* no longer verified */
	const vx_graph_parameter_queue_params_t twice[] = {{0, 1, (vx_reference *)&in}, {1, 1, (vx_reference *)&in}};
	RAN(vxSetGraphScheduleConfig(graph, AUTO, 2, twice));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxVerifyGraph(graph));
	/* what is listed is like what the node has */
	RAN(configure(graph, AUTO, 0, 1, &small));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxVerifyGraph(graph));
	RAN(vxReleaseNode(&first));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&part));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
	RAN(vxReleaseImage(&small));
}

/* A parameter of a replicated node is the first item of an array, and stands for all of them. */
static void replicas(void **state)
{
	(void)state;
	enum { N = 2, ITEMS = 3 };
	const vx_bool flags[] = {vx_true_e, vx_true_e};
	uint8_t bytes[ITEMS][PIXELS], expected[PIXELS];
	vx_object_array in[N], out[N];
	vx_image in_first[N], out_first[N], exemplar = new_image();
	now_testing("replicas");
	for (int i = 0; i < N; i++) {
		in[i] = vxCreateObjectArray(context, (vx_reference)exemplar, ITEMS);
		out[i] = vxCreateObjectArray(context, (vx_reference)exemplar, ITEMS);
		in_first[i] = (vx_image)vxGetObjectArrayItem(in[i], 0);
		out_first[i] = (vx_image)vxGetObjectArrayItem(out[i], 0);
	}
	vx_object_array fewer = vxCreateObjectArray(context, (vx_reference)exemplar, ITEMS - 1);
	vx_image fewer_first = (vx_image)vxGetObjectArrayItem(fewer, 0);
	vx_graph graph = vxCreateGraph(context);
	vx_node node = vxNotNode(graph, in_first[0], out_first[0]);
	RAN(vxReplicateNode(graph, node, (vx_bool *)(uintptr_t)flags, 2));
	add_parameter(graph, node, 0);
	add_parameter(graph, node, 1);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, configure(graph, AUTO, 0, 1, &fewer_first));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, configure(graph, AUTO, 0, 1, &exemplar));
	const vx_graph_parameter_queue_params_t list[] = {{0, N, (vx_reference *)in_first}, {1, N, (vx_reference *)out_first}};
	RAN(vxSetGraphScheduleConfig(graph, AUTO, 2, list));
	RAN(vxVerifyGraph(graph));
	for (int frame = 0; frame < 5; frame++) {
		const int i = frame % N;
		for (vx_uint32 k = 0; k < ITEMS; k++) {
			vx_image item = (vx_image)vxGetObjectArrayItem(in[i], k);
			random_frame(bytes[k]);
			RAN(copy_frame(item, bytes[k], VX_WRITE_ONLY));
			RAN(vxReleaseImage(&item));
		}
		enqueue(graph, 0, in_first[i]);
		enqueue(graph, 1, out_first[i]);
		assert_ptr_equal(dequeue(graph, 0), in_first[i]);
		assert_ptr_equal(dequeue(graph, 1), out_first[i]);
		for (vx_uint32 k = 0; k < ITEMS; k++) {
			vx_image item = (vx_image)vxGetObjectArrayItem(out[i], k);
			invert(bytes[k], expected);
			expect_frame(item, expected);
			RAN(vxReleaseImage(&item));
		}
	}
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	for (int i = 0; i < N; i++) {
		RAN(vxReleaseImage(&in_first[i]));
		RAN(vxReleaseImage(&out_first[i]));
		RAN(vxReleaseObjectArray(&in[i]));
		RAN(vxReleaseObjectArray(&out[i]));
	}
	RAN(vxReleaseImage(&fewer_first));
	RAN(vxReleaseObjectArray(&fewer));
	RAN(vxReleaseImage(&exemplar));
}

/* A level of a pyramid that is enqueued as a whole follows it. */
static void parts(void **state)
{
	(void)state;
	enum { N = 3, SIDE = 16, BYTES = SIDE * SIDE / 4 };
	uint8_t all[SIDE * SIDE], level_bytes[BYTES], out_bytes[BYTES], first_bytes[BYTES];
	vx_pyramid pyramids[N];
	vx_image in = image_u8(SIDE, SIDE), out = image_u8(SIDE / 2, SIDE / 2);
	now_testing("parts");
	for (int i = 0; i < N; i++)
		pyramids[i] = vxCreatePyramid(context, 2, VX_SCALE_PYRAMID_HALF, SIDE, SIDE, VX_DF_IMAGE_U8);
	vx_graph graph = vxCreateGraph(context);
	vx_image level = vxGetPyramidLevel(pyramids[0], 1);
	vx_node first = vxGaussianPyramidNode(graph, in, pyramids[0]), second = vxNotNode(graph, level, out);
	CREATED(first);
	CREATED(second);
	RAN(vxReleaseImage(&level));
	add_parameter(graph, first, 1);
	RAN(configure(graph, AUTO, 0, N, pyramids));
	RAN(vxVerifyGraph(graph));
	for (int frame = 0; frame < 4; frame++) {
		for (int i = 0; i < SIDE * SIDE; i++)
			all[i] = (uint8_t)splitmix64(&seed);
		RAN(move_u8(in, all, VX_WRITE_ONLY));
		enqueue(graph, 0, pyramids[frame % N]);
		assert_ptr_equal(dequeue(graph, 0), pyramids[frame % N]);
		RAN(vxWaitGraph(graph));
		level = vxGetPyramidLevel(pyramids[frame % N], 1);
		RAN(move_u8(level, level_bytes, VX_READ_ONLY));
		RAN(move_u8(out, out_bytes, VX_READ_ONLY));
		RAN(vxReleaseImage(&level));
		for (int i = 0; i < BYTES; i++)
			assert_int_equal(out_bytes[i], (uint8_t)~level_bytes[i]);
		if (!frame)
			memcpy(first_bytes, level_bytes, BYTES);
		else
			assert_memory_not_equal(first_bytes, level_bytes, BYTES);
	}
	RAN(vxReleaseNode(&first));
	RAN(vxReleaseNode(&second));
	RAN(vxReleaseGraph(&graph));
	for (int i = 0; i < N; i++)
		RAN(vxReleasePyramid(&pyramids[i]));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
}

/* Where an output is valid has been found by verification, for whatever is enqueued. */
static void regions(void **state)
{
	(void)state;
	vx_image in = new_image(), out[] = {new_image(), new_image()};
	const vx_rectangle_t expected = {1, 1, WIDTH - 1, HEIGHT - 1};
	now_testing("valid regions");
	vx_graph graph = vxCreateGraph(context);
	vx_node node = vxBox3x3Node(graph, in, out[0]);
	CREATED(node);
	add_parameter(graph, node, 1);
	RAN(configure(graph, AUTO, 0, 2, out));
	RAN(vxVerifyGraph(graph));
	for (int i = 0; i < 2; i++) {
		vx_rectangle_t valid = {0, 0, 0, 0};
		enqueue(graph, 0, out[1 - i]);
		assert_ptr_equal(dequeue(graph, 0), out[1 - i]);
		RAN(vxGetValidRegionImage(out[1 - i], &valid));
		assert_memory_equal(&valid, &expected, sizeof valid);
	}
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out[0]));
	RAN(vxReleaseImage(&out[1]));
}

/* ---- delays ---- */
/* What one execution computes is what the next one begins with. */
static void carried(void **state)
{
	(void)state;
	uint8_t in[PIXELS], sum[PIXELS], expected[REFS_MAX][PIXELS];
	vx_image exemplar = new_image();
	now_testing("delay between executions");
	vx_delay delay = vxCreateDelay(context, (vx_reference)exemplar, 2);
	vx_image now = (vx_image)vxGetReferenceFromDelay(delay, 0), before = (vx_image)vxGetReferenceFromDelay(delay, -1);
	struct pipe p = {.graph = vxCreateGraph(context), .count = REFS_MAX, .key = exemplar};
	for (int i = 0; i < REFS_MAX; i++) {
		p.in[i] = new_image();
		p.out[i] = new_image();
	}
	p.first = vxXorNode(p.graph, p.in[0], before, now);
	p.second = vxNotNode(p.graph, now, p.out[0]);
	add_parameter(p.graph, p.first, 0);
	add_parameter(p.graph, p.second, 1);
	RAN(vxRegisterAutoAging(p.graph, delay));
	pipe_queues(&p, AUTO);
	RAN(vxVerifyGraph(p.graph));
	random_frame(sum);
	RAN(copy_frame(before, sum, VX_WRITE_ONLY));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < REFS_MAX; i++) {
			random_frame(in);
			RAN(copy_frame(p.in[i], in, VX_WRITE_ONLY));
			for (int k = 0; k < PIXELS; k++)
				sum[k] ^= in[k];
			invert(sum, expected[i]);
			enqueue(p.graph, 0, p.in[i]);
			enqueue(p.graph, 1, p.out[i]);
		}
		for (int i = 0; i < REFS_MAX; i++) {
			assert_ptr_equal(dequeue(p.graph, 1), p.out[i]);
			assert_ptr_equal(dequeue(p.graph, 0), p.in[i]);
			expect_frame(p.out[i], expected[i]);
		}
	}
	RAN(vxReleaseDelay(&delay));
	pipe_close(&p);
}

/* What is enqueued at a slot of a delay is there for as long as it takes to the end of the delay, and then done. */
static void slots(void **state)
{
	(void)state;
	uint8_t bytes[3][PIXELS], expected[PIXELS];
	vx_image exemplar = new_image(), x = new_image(), out = new_image();
	now_testing("slots of a delay");
	vx_delay delay = vxCreateDelay(context, (vx_reference)exemplar, 2);
	vx_image refs[] = {(vx_image)vxGetReferenceFromDelay(delay, 0), x, (vx_image)vxGetReferenceFromDelay(delay, -1)};
	vx_graph graph = vxCreateGraph(context);
	vx_node node = vxXorNode(graph, refs[0], refs[2], out);
	add_parameter(graph, node, 0);
	RAN(configure(graph, AUTO, 0, 3, refs));
	REFUSED(VX_ERROR_INVALID_GRAPH, vxVerifyGraph(graph)); /* it has to age by itself */
	RAN(vxRegisterAutoAging(graph, delay));
	RAN(vxVerifyGraph(graph));
	for (int i = 0; i < 3; i++) {
		random_frame(bytes[i]);
		RAN(copy_frame(refs[i], bytes[i], VX_WRITE_ONLY));
	}
	/* executions have slot 0, x, and what was in slot -1, and so on; each with the one before */
	int now = 0, before = 2;
	enqueue(graph, 0, refs[0]);
	for (int frame = 0; frame < 8; frame++) {
		assert_ptr_equal(dequeue(graph, 0), refs[before]);
		for (int k = 0; k < PIXELS; k++)
			expected[k] = bytes[now][k] ^ bytes[before][k];
		expect_frame(out, expected);
		REFUSED(VX_ERROR_GRAPH_SCHEDULED, copy_frame(refs[now], expected, VX_READ_ONLY)); /* the delay has it */
		random_frame(bytes[before]);
		RAN(copy_frame(refs[before], bytes[before], VX_WRITE_ONLY));
		const int next = frame ? before : 1;
		before = now;
		now = next;
		enqueue(graph, 0, refs[now]);
	}
	RAN(vxWaitGraph(graph));
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	RAN(vxReleaseDelay(&delay));
	RAN(vxReleaseImage(&x));
	RAN(vxReleaseImage(&out));
	RAN(vxReleaseImage(&exemplar));
}

/* ---- other objects ---- */
/* Scalars that a node writes; the list has an index twice, and means the places of its entries. */
static void scalars(void **state)
{
	(void)state;
	enum { N = 3 };
	uint8_t bytes[PIXELS];
	double mean[N];
	const vx_float32 zero = 0;
	vx_image in[N];
	vx_scalar means[N], deviations[N];
	now_testing("scalars");
	for (int i = 0; i < N; i++) {
		in[i] = new_image();
		means[i] = vxCreateScalar(context, VX_TYPE_FLOAT32, &zero);
		deviations[i] = vxCreateScalar(context, VX_TYPE_FLOAT32, &zero);
	}
	vx_graph graph = vxCreateGraph(context);
	vx_node node = vxMeanStdDevNode(graph, in[0], means[0], deviations[0]);
	for (vx_uint32 i = 0; i < 3; i++)
		add_parameter(graph, node, i);
	const vx_graph_parameter_queue_params_t list[] = {{0, N, (vx_reference *)in}, {1, N, (vx_reference *)means}, {1, N, (vx_reference *)deviations}};
	RAN(vxSetGraphScheduleConfig(graph, AUTO, 3, list));
	RAN(vxVerifyGraph(graph));
	for (int i = 0; i < N; i++) {
		mean[i] = 0;
		random_frame(bytes);
		for (int k = 0; k < PIXELS; k++)
			mean[i] += (double)bytes[k] / PIXELS;
		RAN(copy_frame(in[i], bytes, VX_WRITE_ONLY));
		enqueue(graph, 0, in[i]);
		enqueue(graph, 1, means[i]);
		assert_int_equal(done_at(graph, 1), 0); /* it is for three parameters */
		enqueue(graph, 2, deviations[i]);
		vx_float32 got = -1;
		assert_ptr_equal(dequeue(graph, 1), means[i]);
		assert_ptr_equal(dequeue(graph, 2), deviations[i]);
		RAN(vxCopyScalar(means[i], &got, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		assert_true(got > mean[i] - 0.01 && got < mean[i] + 0.01);
		assert_ptr_equal(dequeue(graph, 0), in[i]);
	}
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	for (int i = 0; i < N; i++) {
		RAN(vxReleaseImage(&in[i]));
		RAN(vxReleaseScalar(&means[i]));
		RAN(vxReleaseScalar(&deviations[i]));
	}
}

int main(int argc, char **argv)
{
	build_tree_loader();
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places), cmocka_unit_test(impossible_places), cmocka_unit_test(replicas), cmocka_unit_test(parts),
		cmocka_unit_test(regions), cmocka_unit_test(carried), cmocka_unit_test(slots), cmocka_unit_test(scalars),
	};
	return cmocka_run_group_tests(tests, open_with_copier, close_context);
}
