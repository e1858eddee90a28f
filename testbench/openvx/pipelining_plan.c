/* vx_khr_pipelining, graphs whose nodes become one kernel, or run in several queues: nobody can tell but by that. */
#include "testbench/openvx/pipelines.h"
#include "testbench/openvx/modes.h"

/* ---- a graph of everything ----
 * Branches that come together, a function of the application's, and two branches behind it, one of which is three nodes pixel by pixel.
 * Parameters: the frame, what is between the function and the branches behind it, and what both branches give. */
enum { REFS = 3, FRAMES = 10, OUTS = 2 };
struct wide {
	vx_graph graph;
	vx_node copies;
	vx_image in[REFS], middle[REFS], out[OUTS][REFS];
};

static vx_image between(vx_graph graph)
{
	vx_image image = vxCreateVirtualImage(graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	CREATED(image);
	return image;
}

static void drop_node(vx_node node)
{
	CREATED(node);
	RAN(vxReleaseNode(&node));
}

static struct wide wide_open(void)
{
	struct wide w = {.graph = vxCreateGraph(context)};
	vx_image v[6];
	for (size_t i = 0; i < COUNT(v); i++)
		v[i] = between(w.graph);
	for (int i = 0; i < REFS; i++) {
		w.in[i] = new_image();
		w.middle[i] = new_image();
		for (int k = 0; k < OUTS; k++)
			w.out[k][i] = new_image();
	}
	vx_node box = vxBox3x3Node(w.graph, w.in[0], v[0]), median = vxMedian3x3Node(w.graph, w.in[0], v[1]);
	set_border(box);
	set_border(median);
	drop_node(vxAbsDiffNode(w.graph, v[0], v[1], v[2]));
	w.copies = node_of(w.graph, copier_kernel, v[2], w.middle[0]);
	vx_node dilate = vxDilate3x3Node(w.graph, w.middle[0], w.out[0][0]), last;
	set_border(dilate);
	drop_node(vxNotNode(w.graph, w.middle[0], v[3]));
	drop_node(vxXorNode(w.graph, v[3], w.in[0], v[4]));
	last = vxAddNode(w.graph, v[4], v[3], VX_CONVERT_POLICY_WRAP, w.out[1][0]);
	add_parameter(w.graph, box, 0);
	add_parameter(w.graph, w.copies, 1);
	add_parameter(w.graph, dilate, 1);
	add_parameter(w.graph, last, 3);
	drop_node(box);
	drop_node(median);
	drop_node(dilate);
	drop_node(last);
	for (size_t i = 0; i < COUNT(v); i++)
		RAN(vxReleaseImage(&v[i]));
	const vx_graph_parameter_queue_params_t list[] = {{0, REFS, (vx_reference *)w.in}, {1, REFS, (vx_reference *)w.middle},
							  {2, REFS, (vx_reference *)w.out[0]}, {3, REFS, (vx_reference *)w.out[1]}};
	RAN(vxSetGraphScheduleConfig(w.graph, AUTO, COUNT(list), list));
	return w;
}

static void wide_close(struct wide *w)
{
	RAN(vxReleaseNode(&w->copies));
	RAN(vxReleaseGraph(&w->graph));
	for (int i = 0; i < REFS; i++) {
		RAN(vxReleaseImage(&w->in[i]));
		RAN(vxReleaseImage(&w->middle[i]));
		for (int k = 0; k < OUTS; k++)
			RAN(vxReleaseImage(&w->out[k][i]));
	}
}

static void wide_put(const struct wide *w, int frame, uint8_t *bytes)
{
	const int i = frame % REFS;
	RAN(copy_frame(w->in[i], bytes, VX_WRITE_ONLY));
	enqueue(w->graph, 0, w->in[i]);
	enqueue(w->graph, 1, w->middle[i]);
	enqueue(w->graph, 2, w->out[0][i]);
	enqueue(w->graph, 3, w->out[1][i]);
}

struct results { uint8_t middle[PIXELS], out[OUTS][PIXELS]; };

static void wide_take(const struct wide *w, int frame, struct results *r)
{
	const int i = frame % REFS;
	assert_ptr_equal(dequeue(w->graph, 2), w->out[0][i]);
	assert_ptr_equal(dequeue(w->graph, 3), w->out[1][i]);
	assert_ptr_equal(dequeue(w->graph, 0), w->in[i]);
	assert_ptr_equal(dequeue(w->graph, 1), w->middle[i]);
	RAN(copy_frame(w->middle[i], r->middle, VX_READ_ONLY));
	for (int k = 0; k < OUTS; k++)
		RAN(copy_frame(w->out[k][i], r->out[k], VX_READ_ONLY));
}

/* All that is enqueued is in flight while the queue is shut; frames come in their order, and are the same in all modes. */
static void frames(void **state)
{
	static uint8_t in[FRAMES][PIXELS];
	static struct results expected[FRAMES], got;
	(void)state;
	for (int f = 0; f < FRAMES; f++)
		random_frame(in[f]);
	for (size_t m = 0; m < COUNT(modes); m++) {
		now_testing("frames, fusion %s, queues %s", modes[m].fusion, modes[m].queues);
		choose(modes[m].fusion, modes[m].queues);
		struct wide w = wide_open();
		copier.calls = 0;
		RAN(vxVerifyGraph(w.graph));
		cl_event gate = shut_queue();
		for (int f = 0; f < REFS; f++)
			wide_put(&w, f, in[f]);
		copier_await(REFS);
		for (vx_uint32 p = 0; p < 4; p++)
			assert_int_equal(done_at(w.graph, p), 0);
		open_queue(gate);
		for (int f = 0; f < FRAMES; f++) {
			wide_take(&w, f, &got);
			for (int i = 0; i < PIXELS; i++)
				assert_int_equal(got.out[1][i], (uint8_t)((uint8_t)(~got.middle[i] ^ in[f][i]) + (uint8_t)~got.middle[i]));
			if (m)
				assert_memory_equal(&got, &expected[f], sizeof got);
			expected[f] = got;
			if (f + REFS < FRAMES)
				wide_put(&w, f + REFS, in[f + REFS]);
		}
		RAN(vxWaitGraph(w.graph));
		wide_close(&w);
	}
}

/* ---- what is between nodes ---- */
/* A virtual image in whose place images are enqueued is one that the application sees. */
static void virtual_place(void **state)
{
	uint8_t in[PIXELS], inverted[PIXELS];
	vx_image source = new_image(), out = new_image(), seen[2] = {new_image(), new_image()};
	(void)state;
	choose("1", "2");
	for (int at = 0; at < 2; at++) { /* as the output of a node, and as the input of another one */
		now_testing("a queue in the place of a virtual image, %s", at ? "read" : "written");
		vx_graph graph = vxCreateGraph(context);
		vx_image middle = between(graph);
		vx_node first = vxNotNode(graph, source, middle), second = vxNotNode(graph, middle, out);
		add_parameter(graph, at ? second : first, at ? 0 : 1);
		RAN(configure(graph, AUTO, 0, 2, seen));
		RAN(vxVerifyGraph(graph));
		for (int i = 0; i < 4; i++) {
			random_frame(in);
			invert(in, inverted);
			RAN(copy_frame(source, in, VX_WRITE_ONLY));
			enqueue(graph, 0, seen[i % 2]);
			assert_ptr_equal(dequeue(graph, 0), seen[i % 2]);
			RAN(vxWaitGraph(graph));
			expect_frame(seen[i % 2], inverted);
			expect_frame(out, in);
		}
		drop_node(first);
		drop_node(second);
		RAN(vxReleaseImage(&middle));
		RAN(vxReleaseGraph(&graph));
	}
	RAN(vxReleaseImage(&source));
	RAN(vxReleaseImage(&out));
	RAN(vxReleaseImage(&seen[0]));
	RAN(vxReleaseImage(&seen[1]));
}

/* Nodes of whose ends somebody hears run one by one. */
static void node_events(void **state)
{
	uint8_t in[PIXELS], expected[PIXELS];
	vx_event_t event;
	(void)state;
	choose("1", "2");
	now_testing("events of nodes that could be one kernel");
	struct pipe p = pipe_make(1);
	pipe_queues(&p, AUTO);
	RAN(vxRegisterEvent((vx_reference)p.first, VX_EVENT_NODE_COMPLETED, 0, 1));
	RAN(vxRegisterEvent((vx_reference)p.second, VX_EVENT_NODE_COMPLETED, 0, 2));
	RAN(vxRegisterEvent((vx_reference)p.graph, VX_EVENT_GRAPH_COMPLETED, 0, 3));
	RAN(vxVerifyGraph(p.graph));
	RAN(vxEnableEvents(context));
	random_frame(in);
	predict(&p, in, expected);
	RAN(copy_frame(p.in[0], in, VX_WRITE_ONLY));
	enqueue(p.graph, 0, p.in[0]);
	enqueue(p.graph, 1, p.out[0]);
	for (vx_uint32 i = 1; i <= 3; i++) {
		RAN(vxWaitEvent(context, &event, vx_false_e));
		assert_int_equal(event.app_value, i);
	}
	RAN(vxDisableEvents(context));
	assert_ptr_equal(dequeue(p.graph, 1), p.out[0]);
	expect_frame(p.out[0], expected);
	pipe_close(&p);
}

/* ---- what kernels hand on ---- */
static vx_image handed;

static vx_status hand_on(vx_node node, vx_reference *mine)
{
	(void)node;
	mine[1] = (vx_reference)handed;
	return VX_SUCCESS;
}

/* An image that nobody has written yet, read by branches in several queues. */
static void handed_on(void **state)
{
	const uint8_t black[PIXELS] = {0};
	uint8_t white[PIXELS];
	vx_image in = new_image(), out[3] = {new_image(), new_image(), new_image()};
	(void)state;
	memset(white, 0xff, sizeof white);
	for (size_t m = 0; m < COUNT(modes); m++) {
		now_testing("handed on, fusion %s, queues %s", modes[m].fusion, modes[m].queues);
		choose(modes[m].fusion, modes[m].queues);
		vx_graph graph = vxCreateGraph(context);
		vx_image middle = between(graph), a = between(graph);
		handed = new_image();
		drop_node(node_of(graph, copier_kernel, in, middle));
		vx_node nodes[] = {vxDilate3x3Node(graph, middle, out[0]), vxMedian3x3Node(graph, middle, out[1])};
		for (size_t i = 0; i < COUNT(nodes); i++) {
			set_border(nodes[i]);
			drop_node(nodes[i]);
		}
		drop_node(vxNotNode(graph, middle, a));
		drop_node(vxOrNode(graph, a, middle, out[2]));
		RAN(vxVerifyGraph(graph));
		copier.inside = hand_on;
		for (int round = 0; round < 2; round++) {
			RAN(vxProcessGraph(graph));
			expect_frame(out[0], black);
			expect_frame(out[1], black);
			expect_frame(out[2], white);
		}
		copier.inside = NULL;
		RAN(vxReleaseImage(&middle));
		RAN(vxReleaseImage(&a));
		RAN(vxReleaseGraph(&graph));
		RAN(vxReleaseImage(&handed));
	}
	RAN(vxReleaseImage(&in));
	for (int i = 0; i < 3; i++)
		RAN(vxReleaseImage(&out[i]));
}

/* ---- what comes while a graph runs ---- */
static struct {
	vx_node node;
	vx_image value;           /* for its first parameter; NULL: it gets a callback */
	vx_status status;
	unsigned calls;           /* of the callback */
	bool elsewhere;           /* which has found another queue than the coordination queue */
} meddler;

static vx_action VX_CALLBACK where_am_i(vx_node node)
{
	cl_command_queue now = NULL;
	(void)node;
	meddler.calls++;
	if (vxQueryContext(context, VX_CONTEXT_CL_COMMAND_QUEUE, &now, sizeof now) || now != queue)
		meddler.elsewhere = true;
	return VX_ACTION_CONTINUE;
}

static vx_status meddle(vx_node node, vx_reference *mine)
{
	meddler.status = meddler.value ? vxSetParameterByIndex(meddler.node, 0, (vx_reference)meddler.value) : vxAssignNodeCallback(meddler.node, where_am_i);
	return copy_in_queue(node, (vx_image)mine[0], (vx_image)mine[1]);
}

/* A kernel, the branches behind it, and images of the same size for them. */
struct branches {
	vx_graph graph;
	vx_image in, middle, out[3];
	vx_node dilate, median, invert; /* inverted, and again: two nodes pixel by pixel */
};

static struct branches branches_open(void)
{
	struct branches b = {.graph = vxCreateGraph(context), .in = new_image(), .middle = new_image(), .out = {new_image(), new_image(), new_image()}};
	vx_image a = between(b.graph);
	drop_node(node_of(b.graph, copier_kernel, b.in, b.middle));
	b.dilate = vxDilate3x3Node(b.graph, b.middle, b.out[0]);
	b.median = vxMedian3x3Node(b.graph, b.middle, b.out[1]);
	b.invert = vxNotNode(b.graph, b.middle, a);
	set_border(b.dilate);
	set_border(b.median);
	CREATED(b.invert);
	drop_node(vxNotNode(b.graph, a, b.out[2]));
	RAN(vxReleaseImage(&a));
	RAN(vxVerifyGraph(b.graph));
	return b;
}

static void branches_close(struct branches *b)
{
	drop_node(b->dilate);
	drop_node(b->median);
	drop_node(b->invert);
	RAN(vxReleaseGraph(&b->graph));
	RAN(vxReleaseImage(&b->in));
	RAN(vxReleaseImage(&b->middle));
	for (int i = 0; i < 3; i++)
		RAN(vxReleaseImage(&b->out[i]));
}

static void branches_run(const struct branches *b)
{
	uint8_t in[PIXELS];
	random_frame(in);
	RAN(copy_frame(b->in, in, VX_WRITE_ONLY));
	RAN(vxProcessGraph(b->graph));
	expect_frame(b->middle, in);
	expect_frame(b->out[2], in);
}

/* A parameter that is set while nodes run: one that is not verified does not run. */
static void parameters_meanwhile(void **state)
{
	(void)state;
	vx_graph other = vxCreateGraph(context);
	vx_image small = image_u8(3, 2), nowhere = vxCreateVirtualImage(other, 0, 0, VX_DF_IMAGE_VIRT);
	RAN(vxReleaseGraph(&other)); /* so that it can go into any */
	for (size_t m = 0; m < COUNT(modes); m++) {
		choose(modes[m].fusion, modes[m].queues);
		struct branches b = branches_open();
		vx_node nodes[] = {b.dilate, b.median, b.invert};
		for (unsigned i = 0; i < 2 * COUNT(nodes); i++) {
			now_testing("parameters meanwhile, fusion %s, queues %s, node %u, %s", modes[m].fusion, modes[m].queues, i / 2, i % 2 ? "small" : "virtual");
			meddler.node = nodes[i / 2];
			meddler.value = i % 2 ? small : nowhere;
			copier.inside = meddle;
			REFUSED(VX_ERROR_INVALID_GRAPH, vxProcessGraph(b.graph));
			RAN(meddler.status);
			assert_int_equal(state_of(b.graph), VX_GRAPH_STATE_UNVERIFIED);
			assert_int_equal(vxIsGraphVerified(b.graph), vx_false_e);
			copier.inside = NULL;
			RAN(vxSetParameterByIndex(meddler.node, 0, (vx_reference)b.middle));
			branches_run(&b);
			assert_int_equal(state_of(b.graph), VX_GRAPH_STATE_COMPLETED);
		}
		branches_close(&b);
	}
	RAN(vxReleaseImage(&small));
	RAN(vxReleaseImage(&nowhere));
}

/* A callback that is assigned while nodes run is called in the coordination queue, or from the next time on. */
static void callbacks_meanwhile(void **state)
{
	(void)state;
	for (size_t m = 0; m < COUNT(modes); m++) {
		choose(modes[m].fusion, modes[m].queues);
		struct branches b = branches_open();
		vx_node nodes[] = {b.dilate, b.median, b.invert};
		for (size_t i = 0; i < COUNT(nodes); i++) {
			now_testing("callbacks meanwhile, fusion %s, queues %s, node %zu", modes[m].fusion, modes[m].queues, i);
			meddler.node = nodes[i];
			meddler.value = NULL;
			copier.inside = meddle;
			branches_run(&b);
			RAN(meddler.status);
			copier.inside = NULL;
			meddler.calls = 0;
			branches_run(&b);
			assert_int_equal(meddler.calls, 1);
			assert_false(meddler.elsewhere);
			RAN(vxAssignNodeCallback(meddler.node, NULL));
		}
		branches_close(&b);
	}
}

int main(int argc, char **argv)
{
	build_tree_loader();
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames), cmocka_unit_test(virtual_place), cmocka_unit_test(node_events), cmocka_unit_test(handed_on),
		cmocka_unit_test(parameters_meanwhile), cmocka_unit_test(callbacks_meanwhile),
	};
	return cmocka_run_group_tests(tests, open_with_copier, close_context);
}
