/* vx_khr_pipelining, 2.4 and 3.3: events, their order, and who gets which. */
#include "testbench/openvx/pipelines.h"

enum { IN_DONE = 11, OUT_DONE, FIRST_DONE, SECOND_DONE, FIRST_FAILED, SECOND_FAILED, GRAPH_DONE };

static bool next_event(vx_event_t *event) { return vxWaitEvent(context, event, vx_true_e) == VX_SUCCESS; }

static void no_event(void)
{
	vx_event_t event;
	REFUSED(VX_FAILURE, vxWaitEvent(context, &event, vx_true_e));
}

static void drop_events(void)
{
	vx_event_t event;
	while (next_event(&event))
		;
}

/* ---- the queue ---- */
static void user_events(void **state)
{
	(void)state;
	vx_event_t event;
	int here = 0;
	now_testing("user events");
	/* disabled by default: this library's choice */
	REFUSED(VX_FAILURE, vxSendUserEvent(context, 1, NULL));
	no_event();
	RAN(vxEnableEvents(context));
	RAN(vxSendUserEvent(context, 1, &here));
	RAN(vxDisableEvents(context));
	REFUSED(VX_FAILURE, vxSendUserEvent(context, 2, NULL));
	/* what was sent before is still there */
	RAN(vxWaitEvent(context, &event, vx_false_e));
	assert_int_equal(event.type, VX_EVENT_USER);
	assert_int_equal(event.app_value, 1);
	assert_ptr_equal(event.event_info.user_event.user_event_parameter, &here);
	no_event();
	RAN(vxEnableEvents(context));
	no_event();
	const vx_uint32 count = 50 + random_below(100);
	vx_uint64 before = event.timestamp;
	for (vx_uint32 i = 0; i < count; i++)
		RAN(vxSendUserEvent(context, i * 3, (void *)(uintptr_t)i));
	for (vx_uint32 i = 0; i < count; i++) {
		RAN(vxWaitEvent(context, &event, random_below(2) ? vx_true_e : vx_false_e));
		assert_int_equal(event.type, VX_EVENT_USER);
		assert_int_equal(event.app_value, i * 3);
		assert_ptr_equal(event.event_info.user_event.user_event_parameter, (void *)(uintptr_t)i);
		assert_true(event.timestamp >= before);
		before = event.timestamp;
	}
	no_event();
}

struct waiting {
	unsigned count;
	vx_status status;
	vx_uint32 values[8];
};

static void *wait_events(void *arg)
{
	struct waiting *w = arg;
	vx_event_t event;
	for (unsigned i = 0; i < w->count && !w->status; i++) {
		w->status = vxWaitEvent(context, &event, vx_false_e);
		w->values[i] = event.app_value;
	}
	return NULL;
}

/* Who waits gets what comes, and while events are disabled nothing comes. */
static void waited_for(void **state)
{
	(void)state;
	pthread_t thread;
	struct waiting w = {.count = 3};
	now_testing("waited for");
	RAN(vxDisableEvents(context));
	assert_int_equal(pthread_create(&thread, NULL, wait_events, &w), 0);
	REFUSED(VX_FAILURE, vxSendUserEvent(context, 5, NULL));
	RAN(vxEnableEvents(context));
	for (vx_uint32 i = 0; i < 3; i++)
		RAN(vxSendUserEvent(context, 7 + i, NULL));
	pthread_join(thread, NULL);
	RAN(w.status);
	for (vx_uint32 i = 0; i < 3; i++)
		assert_int_equal(w.values[i], 7 + i);
	no_event();
}

/* ---- errors ---- */
static void refused(void **state)
{
	(void)state;
	static const enum vx_event_type_e types[] = {VX_EVENT_GRAPH_PARAMETER_CONSUMED, VX_EVENT_GRAPH_COMPLETED, VX_EVENT_NODE_COMPLETED, VX_EVENT_NODE_ERROR,
						     VX_EVENT_USER};
	vx_event_t event;
	now_testing("refused");
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxEnableEvents(NULL));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxDisableEvents(NULL));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxSendUserEvent(NULL, 1, NULL));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxWaitEvent(NULL, &event, vx_true_e));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxWaitEvent(context, NULL, vx_true_e));
	struct pipe p = pipe_make(1);
	vx_parameter of_graph = vxGetGraphParameterByIndex(p.graph, 1), of_node = vxGetParameterByIndex(p.second, 0);
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxRegisterEvent(NULL, VX_EVENT_GRAPH_COMPLETED, 0, 1));
	/* which references have which events; images have none */
	const struct { vx_reference ref; unsigned has; } rows[] = {
		{(vx_reference)p.graph, 1 << 0 | 1 << 1}, {(vx_reference)p.first, 1 << 2 | 1 << 3}, {(vx_reference)of_graph, 1 << 0},
		{(vx_reference)p.key, 0}, {(vx_reference)context, 0},
	};
	for (size_t r = 0; r < COUNT(rows); r++)
		for (size_t t = 0; t < COUNT(types); t++)
			REFUSED(rows[r].has >> t & 1 ? VX_SUCCESS : VX_ERROR_NOT_SUPPORTED, vxRegisterEvent(rows[r].ref, types[t], 0, 1));
	REFUSED(VX_ERROR_NOT_SUPPORTED, vxRegisterEvent((vx_reference)p.graph, (enum vx_event_type_e)(VX_EVENT_USER + 1), 0, 1));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxRegisterEvent((vx_reference)p.graph, VX_EVENT_GRAPH_PARAMETER_CONSUMED, 2, 1));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxRegisterEvent((vx_reference)of_node, VX_EVENT_GRAPH_PARAMETER_CONSUMED, 0, 1));
	RAN(vxVerifyGraph(p.graph));
	for (size_t t = 0; t < 2; t++)
		REFUSED(VX_FAILURE, vxRegisterEvent((vx_reference)p.graph, types[t], 0, 1));
	for (size_t t = 2; t < 4; t++)
		REFUSED(VX_FAILURE, vxRegisterEvent((vx_reference)p.second, types[t], 0, 1));
	RAN(vxReleaseParameter(&of_graph));
	RAN(vxReleaseParameter(&of_node));
	pipe_close(&p);
}

/* ---- what graphs tell ---- */
static void register_all(struct pipe *p)
{
	vx_parameter out = vxGetGraphParameterByIndex(p->graph, 1);
	RAN(vxRegisterEvent((vx_reference)p->graph, VX_EVENT_GRAPH_PARAMETER_CONSUMED, 0, 1));
	RAN(vxRegisterEvent((vx_reference)p->graph, VX_EVENT_GRAPH_PARAMETER_CONSUMED, 0, IN_DONE)); /* the last one is the one */
	RAN(vxRegisterEvent((vx_reference)out, VX_EVENT_GRAPH_PARAMETER_CONSUMED, 99, OUT_DONE));
	RAN(vxRegisterEvent((vx_reference)p->first, VX_EVENT_NODE_COMPLETED, 0, FIRST_DONE));
	RAN(vxRegisterEvent((vx_reference)p->second, VX_EVENT_NODE_COMPLETED, 0, SECOND_DONE));
	RAN(vxRegisterEvent((vx_reference)p->first, VX_EVENT_NODE_ERROR, 0, FIRST_FAILED));
	RAN(vxRegisterEvent((vx_reference)p->second, VX_EVENT_NODE_ERROR, 0, SECOND_FAILED));
	RAN(vxRegisterEvent((vx_reference)p->graph, VX_EVENT_GRAPH_COMPLETED, 0, GRAPH_DONE));
	RAN(vxReleaseParameter(&out));
}

/* The next event is one that has been registered, and says what it is. */
static vx_uint32 told(const struct pipe *p)
{
	vx_event_t e;
	RAN(vxWaitEvent(context, &e, vx_false_e));
	switch (e.app_value) {
	case IN_DONE:
	case OUT_DONE:
		assert_int_equal(e.type, VX_EVENT_GRAPH_PARAMETER_CONSUMED);
		assert_ptr_equal(e.event_info.graph_parameter_consumed.graph, p->graph);
		assert_int_equal(e.event_info.graph_parameter_consumed.graph_parameter_index, e.app_value - IN_DONE);
		break;
	case FIRST_DONE:
	case SECOND_DONE:
		assert_int_equal(e.type, VX_EVENT_NODE_COMPLETED);
		assert_ptr_equal(e.event_info.node_completed.graph, p->graph);
		assert_ptr_equal(e.event_info.node_completed.node, e.app_value == FIRST_DONE ? p->first : p->second);
		break;
	case FIRST_FAILED:
	case SECOND_FAILED:
		assert_int_equal(e.type, VX_EVENT_NODE_ERROR);
		assert_ptr_equal(e.event_info.node_error.graph, p->graph);
		assert_ptr_equal(e.event_info.node_error.node, e.app_value == FIRST_FAILED ? p->first : p->second);
		assert_int_equal(e.event_info.node_error.status, VX_ERROR_INVALID_VALUE);
		break;
	default:
		assert_int_equal(e.app_value, GRAPH_DONE);
		assert_int_equal(e.type, VX_EVENT_GRAPH_COMPLETED);
		assert_ptr_equal(e.event_info.graph_completed.graph, p->graph);
	}
	return e.app_value;
}

/* An execution's events: a node's after those of the nodes before it, a parameter's after its last node's, the graph's at the end. */
static void expect_execution(const struct pipe *p)
{
	static const vx_uint32 order[] = {FIRST_DONE, IN_DONE, SECOND_DONE, OUT_DONE, GRAPH_DONE};
	for (size_t i = 0; i < COUNT(order); i++)
		assert_int_equal(told(p), order[i]);
}

/* A loop that lives on events alone. */
static void frames(void **state)
{
	(void)state;
	enum { FRAMES = 40 };
	static uint8_t expected[FRAMES][PIXELS];
	uint8_t bytes[PIXELS];
	now_testing("frames");
	RAN(vxEnableEvents(context));
	struct pipe p = pipe_make(3);
	int in = 0, out = 0, ended = 0;
	pipe_queues(&p, VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO);
	register_all(&p);
	RAN(vxVerifyGraph(p.graph));
	no_event();
	for (vx_uint32 i = 0; i < p.count; i++) {
		random_frame(bytes);
		predict(&p, bytes, expected[in++]);
		RAN(copy_frame(p.in[i], bytes, VX_WRITE_ONLY));
		enqueue(p.graph, 0, p.in[i]);
		enqueue(p.graph, 1, p.out[i]);
	}
	while (ended < FRAMES) {
		const vx_uint32 event = told(&p);
		if (event == IN_DONE) {
			assert_in_range(done_at(p.graph, 0), 1, p.count);
			vx_image image = dequeue(p.graph, 0);
			random_frame(bytes);
			if (in == FRAMES)
				continue;
			predict(&p, bytes, expected[in++]);
			RAN(copy_frame(image, bytes, VX_WRITE_ONLY));
			enqueue(p.graph, 0, image);
		} else if (event == OUT_DONE) {
			assert_in_range(done_at(p.graph, 1), 1, p.count);
			vx_image image = dequeue(p.graph, 1);
			expect_frame(image, expected[out++]);
			enqueue(p.graph, 1, image);
		}
		ended += event == GRAPH_DONE;
	}
	assert_int_equal(out, FRAMES);
	RAN(vxWaitGraph(p.graph));
	no_event();
	/* each in its order, and none while events are disabled, or before the device is there */
	for (int round = 0; round < 3; round++) {
		cl_event gate = shut_queue();
		enqueue(p.graph, 0, p.in[round]);
		no_event();
		if (round == 1)
			RAN(vxDisableEvents(context));
		open_queue(gate);
		RAN(vxWaitGraph(p.graph));
		if (round == 1)
			no_event();
		else
			expect_execution(&p);
		RAN(vxEnableEvents(context));
		enqueue(p.graph, 1, dequeue(p.graph, 1));
	}
	no_event();
	pipe_close(&p);
}

/* ---- errors of nodes ---- */
static vx_status VX_CALLBACK refuse_zero(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	uint8_t bytes[PIXELS];
	(void)node;
	(void)num;
	const vx_status status = copy_frame((vx_image)parameters[0], bytes, VX_READ_ONLY);
	if (status)
		return status;
	return bytes[0] ? copy_frame((vx_image)parameters[1], bytes, VX_WRITE_ONLY) : VX_ERROR_INVALID_VALUE;
}

/* A node that fails says so; those behind it say nothing; references come back, and the graph has completed. */
static void errors(void **state)
{
	(void)state;
	static const vx_uint32 failed[] = {FIRST_FAILED, IN_DONE, OUT_DONE, GRAPH_DONE};
	uint8_t bytes[PIXELS] = {0};
	now_testing("errors of nodes");
	vx_kernel kernel = add_kernel("galena.test.refuse_zero", refuse_zero, 2, vx_false_e);
	RAN(vxEnableEvents(context));
	struct pipe p = pipe_through(2, kernel);
	pipe_queues(&p, VX_GRAPH_SCHEDULE_MODE_QUEUE_MANUAL);
	register_all(&p);
	for (int round = 0; round < 4; round++) {
		const bool fails = round % 2;
		bytes[0] = !fails;
		RAN(copy_frame(p.in[0], bytes, VX_WRITE_ONLY));
		enqueue(p.graph, 0, p.in[0]);
		enqueue(p.graph, 1, p.out[0]);
		RAN(vxScheduleGraph(p.graph));
		REFUSED(fails ? VX_ERROR_INVALID_VALUE : VX_SUCCESS, vxWaitGraph(p.graph));
		assert_int_equal(state_of(p.graph), fails ? VX_GRAPH_STATE_ABANDONED : VX_GRAPH_STATE_COMPLETED);
		for (size_t i = 0; fails && i < COUNT(failed); i++)
			assert_int_equal(told(&p), failed[i]);
		if (!fails)
			expect_execution(&p);
		no_event();
		assert_ptr_equal(dequeue(p.graph, 0), p.in[0]);
		assert_ptr_equal(dequeue(p.graph, 1), p.out[0]);
	}
	pipe_close(&p);
	RAN(vxRemoveKernel(kernel));
}

/* ---- graphs without queues ---- */
static void without_queues(void **state)
{
	(void)state;
	now_testing("without queues");
	RAN(vxEnableEvents(context));
	struct pipe p = pipe_make(1);
	register_all(&p);
	RAN(vxVerifyGraph(p.graph));
	for (int round = 0; round < 3; round++) {
		RAN(vxProcessGraph(p.graph));
		expect_execution(&p);
		RAN(vxScheduleGraph(p.graph));
		RAN(vxWaitGraph(p.graph));
		expect_execution(&p);
		no_event();
	}
	RAN(vxDisableEvents(context));
	RAN(vxProcessGraph(p.graph));
	no_event();
	vx_perf_t performance = {0};
	RAN(vxQueryGraph(p.graph, VX_GRAPH_PERFORMANCE, &performance, sizeof performance));
	assert_int_equal(performance.num, 7);
	pipe_close(&p);
}

/* In a context that OpenCL shares vxProcessGraph returns before the device has begun; the events come when it has ended. */
static void shared(void **state)
{
	(void)state;
	vx_context kept = context;
	cl_command_queue kept_queue = queue;
	now_testing("shared context");
	context = vxCreateContextFromCL(cl, NULL);
	CREATED(context);
	RAN(vxQueryContext(context, VX_CONTEXT_CL_COMMAND_QUEUE, &queue, sizeof queue));
	RAN(vxEnableEvents(context));
	struct pipe p = pipe_make(1);
	register_all(&p);
	RAN(vxVerifyGraph(p.graph));
	cl_event gate = shut_queue();
	RAN(vxProcessGraph(p.graph));
	RAN(vxScheduleGraph(p.graph));
	RAN(vxWaitGraph(p.graph)); /* as vxProcessGraph: until all is enqueued */
	no_event();
	open_queue(gate);
	expect_execution(&p);
	expect_execution(&p);
	pipe_close(&p);
	drop_events();
	RAN(vxReleaseContext(&context));
	context = kept;
	queue = kept_queue;
}

int main(int argc, char **argv)
{
	build_tree_loader();
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_events), cmocka_unit_test(waited_for), cmocka_unit_test(refused), cmocka_unit_test(frames), cmocka_unit_test(errors),
		cmocka_unit_test(without_queues), cmocka_unit_test(shared),
	};
	return cmocka_run_group_tests(tests, open_with_copier, close_context);
}
