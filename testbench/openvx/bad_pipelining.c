/* Bad input: queues of references at graphs' parameters, events, streams (vx_khr_pipelining). */
#include "testbench/openvx/bad.h"
#include <VX/vx_khr_pipelining.h>

enum { WIDTH = 16, HEIGHT = 8 };

/* Graphs of one node, whose input is parameter 0; parameter 1 has always been empty. */
struct queued {
	vx_graph graph;
	vx_node node;
	vx_image images[3]; /* that can be enqueued */
};

static struct queued queued_make(void)
{
	struct queued q = {.graph = vxCreateGraph(context)};
	CREATED(q.graph);
	q.node = new_node(q.graph);
	vx_parameter input = vxGetParameterByIndex(q.node, 0);
	RAN(vxAddParameterToGraph(q.graph, input));
	RAN(vxAddParameterToGraph(q.graph, NULL));
	RAN(vxReleaseParameter(&input));
	for (size_t i = 0; i < COUNT(q.images); i++)
		q.images[i] = image_u8(WIDTH, HEIGHT);
	return q;
}

static void queued_set(const struct queued *q, vx_enum mode)
{
	const vx_graph_parameter_queue_params_t list = {0, COUNT(q->images), (vx_reference *)(uintptr_t)q->images};
	RAN(vxSetGraphScheduleConfig(q->graph, mode, 1, &list));
}

static void queued_end(struct queued *q)
{
	for (size_t i = 0; i < COUNT(q->images); i++)
		RAN(vxReleaseImage(&q->images[i]));
	RAN(vxReleaseNode(&q->node));
	RAN(vxReleaseGraph(&q->graph));
}

/* ---- queues ---- */
static void undo_config(const union arg *args, union arg result)
{
	(void)result;
	RAN(vxSetGraphScheduleConfig((vx_graph)args[0].ref, VX_GRAPH_SCHEDULE_MODE_NORMAL, 0, NULL));
}

static void configurations(void **state)
{
	(void)state;
	struct queued q = queued_make(), running = queued_make();
	vx_image other_size = image_u8(WIDTH + 1, HEIGHT), other_format = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_S16);
	vx_image hidden = vxCreateVirtualImage(running.graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_reference images[] = {(vx_reference)q.images[0], (vx_reference)q.images[1]};
#define SECOND(ref) {0, 2, (vx_reference[]){images[0], (vx_reference)(ref)}}
	const vx_graph_parameter_queue_params_t good[] = {{0, 2, images}}, none[] = {{0, 0, images}}, empty[] = {{1, 2, images}}, beyond[] = {{2, 2, images}},
		far[] = {{UINT32_MAX, 2, images}}, null[] = {SECOND(NULL)}, scalar[] = {SECOND(one_of(VX_TYPE_SCALAR, false))},
		graph[] = {SECOND(q.graph)}, delay[] = {SECOND(one_of(VX_TYPE_DELAY, false))}, foreign[] = {SECOND(one_of(VX_TYPE_IMAGE, true))},
		larger[] = {SECOND(other_size)}, signs[] = {SECOND(other_format)}, bytes[] = {SECOND(none_of(VX_TYPE_IMAGE, BYTES))},
		ended[] = {SECOND(none_of(VX_TYPE_IMAGE, ENDED))}, error[] = {SECOND(none_of(VX_TYPE_IMAGE, ERROR_OBJECT))},
		virtual[] = {SECOND(hidden)}, twice[] = {{0, 2, images}, {0, 2, images}};
	const struct row rows[] = {
		{CALL(vxSetGraphScheduleConfig, R(q.graph), N(VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO), N(1), P(good)),
		 WRONG({1, N(0), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {1, N(VX_GRAPH_SCHEDULE_MODE_NORMAL), BAD_PARAMETERS},
		       {1, N(VX_GRAPH_SCHEDULE_MODE_QUEUE_MANUAL + 1), BAD_PARAMETERS}, {2, N(0), BAD_PARAMETERS}, {3, P(NULL), BAD_PARAMETERS},
		       {3, P(none), BAD_PARAMETERS}, {3, P(empty), BAD_PARAMETERS}, {3, P(beyond), BAD_PARAMETERS}, {3, P(far), BAD_PARAMETERS},
		       {3, P(null), BAD_PARAMETERS}, {3, P(scalar), BAD_PARAMETERS}, {3, P(graph), BAD_PARAMETERS}, {3, P(delay), BAD_PARAMETERS},
		       {3, P(foreign), BAD_PARAMETERS}, {3, P(larger), BAD_PARAMETERS}, {3, P(signs), BAD_PARAMETERS}, {3, P(bytes), BAD_PARAMETERS},
		       {3, P(ended), BAD_PARAMETERS}, {3, P(error), BAD_PARAMETERS}, {3, P(virtual), BAD_PARAMETERS}),
		 .undo = undo_config},
		/* an index that is there twice means the place in the list, where this graph's parameter is empty */
		{CALL(vxSetGraphScheduleConfig, R(q.graph), N(VX_GRAPH_SCHEDULE_MODE_QUEUE_MANUAL), N(1), P(twice)),
		 WRONG({2, N(2), BAD_PARAMETERS}), .undo = undo_config},
		{CALL(vxSetGraphScheduleConfig, R(q.graph), N(VX_GRAPH_SCHEDULE_MODE_NORMAL), N(0), P(NULL)), WRONG({2, N(1), BAD_PARAMETERS}, {3, P(good), BAD_PARAMETERS})},
	};
#undef SECOND
	refuse_rows(rows, COUNT(rows));
	/* a graph that has been verified, or is running, stays as it is */
	RAN(vxVerifyGraph(running.graph));
	VX_FAILS(BAD_PARAMETERS, vxSetGraphScheduleConfig(running.graph, VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO, 1, good));
	RAN(vxReleaseImage(&other_size));
	RAN(vxReleaseImage(&other_format));
	RAN(vxReleaseImage(&hidden));
	queued_end(&running);
	queued_end(&q);
}

#define ONE(ref) P(((vx_reference[]){(vx_reference)(ref)}))
#define WRONG_QUEUE {1, N(1), BAD_PARAMETERS}, {1, N(2), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}

/* Only what is enqueued is the graph's for a while; without queues the application has it again. */
static void undo_enqueue(const union arg *args, union arg result)
{
	(void)result;
	const vx_graph graph = (vx_graph)args[0].ref;
	const vx_image image = *(const vx_image *)args[2].ptr;
	uint8_t pixels[WIDTH * HEIGHT];
	VX_FAILS(VX_ERROR_GRAPH_SCHEDULED, move_u8(image, pixels, VX_READ_ONLY));
	RAN(vxSetGraphScheduleConfig(graph, VX_GRAPH_SCHEDULE_MODE_NORMAL, 0, NULL));
	RAN(move_u8(image, pixels, VX_READ_ONLY));
}

static void queues(void **state)
{
	(void)state;
	struct queued plain = queued_make(), manual = queued_make(), automatic = queued_make(), unverified = queued_make();
	vx_image unlisted = image_u8(WIDTH, HEIGHT);
	vx_reference out[2] = {NULL, NULL};
	vx_uint32 count = 0;
	queued_set(&manual, VX_GRAPH_SCHEDULE_MODE_QUEUE_MANUAL);
	queued_set(&automatic, VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO);
	queued_set(&unverified, VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO);
	RAN(vxVerifyGraph(automatic.graph));
	RAN(vxGraphParameterEnqueueReadyRef(automatic.graph, 0, (vx_reference *)automatic.images, 2));
	RAN(vxWaitGraph(automatic.graph));
	const struct row rows[] = {
		{CALL(vxGraphParameterEnqueueReadyRef, R(manual.graph), N(0), ONE(manual.images[0]), N(1)),
		 WRONG({0, R(plain.graph), BAD_PARAMETERS}, {0, R(unverified.graph), VX_FAILURE}, WRONG_QUEUE, {2, P(NULL), BAD_PARAMETERS},
		       {2, ONE(NULL), BAD_REFERENCE}, {2, ONE(none_of(VX_TYPE_IMAGE, BYTES)), BAD_REFERENCE},
		       {2, ONE(none_of(VX_TYPE_IMAGE, MIDDLE_OF_BYTES)), BAD_REFERENCE}, {2, ONE(none_of(VX_TYPE_IMAGE, ENDED)), BAD_REFERENCE},
		       {2, ONE(none_of(VX_TYPE_IMAGE, ERROR_OBJECT)), BAD_REFERENCE}, {2, ONE(manual.graph), BAD_REFERENCE},
		       {2, ONE(one_of(VX_TYPE_DELAY, false)), BAD_REFERENCE}, {2, ONE(one_of(VX_TYPE_SCALAR, false)), BAD_TYPE},
		       {2, ONE(one_of(VX_TYPE_IMAGE, true)), BAD_SCOPE}, {2, ONE(unlisted), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}),
		 .undo = undo_enqueue},
		{CALL(vxGraphParameterCheckDoneRef, R(automatic.graph), N(0), P(&count)),
		 WRONG({0, R(plain.graph), BAD_PARAMETERS}, WRONG_QUEUE, {2, P(NULL), BAD_PARAMETERS})},
		{CALL(vxGraphParameterDequeueDoneRef, R(automatic.graph), N(0), P(out), N(1), P(&count)),
		 WRONG({0, R(plain.graph), BAD_PARAMETERS}, WRONG_QUEUE, {2, P(NULL), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {4, P(NULL), BAD_PARAMETERS})},
	};
	refuse_rows(rows, 1);
	assert_int_equal(count, 0);
	refuse_rows(rows + 1, 1);
	assert_int_equal(count, 2);
	refuse_rows(rows + 2, 1);
	assert_int_equal(count, 1);
	assert_ptr_equal(out[0], automatic.images[0]);
	assert_null(out[1]);
	/* several are enqueued, or none */
	vx_reference second_is_none[] = {(vx_reference)automatic.images[2], (vx_reference)unlisted};
	VX_FAILS(BAD_PARAMETERS, vxGraphParameterEnqueueReadyRef(automatic.graph, 0, second_is_none, 2));
	RAN(vxGraphParameterEnqueueReadyRef(automatic.graph, 0, second_is_none, 1));
	RAN(vxWaitGraph(automatic.graph));
	/* what is not the application's is not accessed, and what has a queue is not set */
	uint8_t pixels[WIDTH * HEIGHT];
	VX_FAILS(VX_ERROR_GRAPH_SCHEDULED, move_u8(automatic.images[1], pixels, VX_READ_ONLY));
	RAN(move_u8(automatic.images[0], pixels, VX_READ_ONLY));
	VX_FAILS(UNSUPPORTED, vxSetGraphParameterByIndex(automatic.graph, 0, (vx_reference)automatic.images[0]));
	VX_FAILS(VX_FAILURE, vxScheduleGraph(automatic.graph));
	VX_FAILS(VX_FAILURE, vxProcessGraph(automatic.graph));
	RAN(vxReleaseImage(&unlisted));
	queued_end(&plain);
	queued_end(&manual);
	queued_end(&automatic);
	queued_end(&unverified);
}

/* ---- events ---- */
static void undo_send(const union arg *args, union arg result)
{
	(void)result;
	vx_event_t event = {.type = 0};
	RAN(vxWaitEvent((vx_context)args[0].ref, &event, vx_true_e));
	assert_int_equal(event.type, VX_EVENT_USER);
	assert_int_equal(event.app_value, args[1].num);
	assert_ptr_equal(event.event_info.user_event.user_event_parameter, args[2].ptr);
}

static void events(void **state)
{
	(void)state;
	static int mine;
	struct queued q = queued_make(), verified = queued_make();
	vx_parameter input = vxGetParameterByIndex(q.node, 0), output = vxGetParameterByIndex(q.node, 1);
	vx_parameter of_kernel = vxGetKernelParameterByIndex((vx_kernel)one_of(VX_TYPE_KERNEL, false), 0);
	vx_reference image = one_of(VX_TYPE_IMAGE, false);
	vx_event_t event;
	memset(&event, 0x5a, sizeof event);
	const vx_event_t untouched = event;
	RAN(vxVerifyGraph(verified.graph));
	/* while events are disabled, which is how it begins, none is sent */
	VX_FAILS(VX_FAILURE, vxSendUserEvent(context, 7, &mine));
	VX_FAILS(VX_FAILURE, vxWaitEvent(context, &event, vx_true_e));
	RAN(vxEnableEvents(context));
	RAN(vxSendUserEvent(context, 3, &mine));
	const struct row rows[] = {
		{CALL(vxEnableEvents, R(context))},
		{CALL(vxWaitEvent, R(context), P(&event), N(vx_true_e)), WRONG({1, P(NULL), BAD_PARAMETERS})},
		{CALL(vxSendUserEvent, R(context), N(7), P(&mine)), .undo = undo_send},
		{CALL(vxRegisterEvent, R(q.graph), N(VX_EVENT_GRAPH_PARAMETER_CONSUMED), N(0), N(7)),
		 WRONG({0, R(image), UNSUPPORTED}, {0, R(context), UNSUPPORTED}, {0, R(q.node), UNSUPPORTED}, {0, R(verified.graph), VX_FAILURE},
		       {0, R(output), BAD_PARAMETERS}, {0, R(of_kernel), BAD_PARAMETERS}, {1, N(0), UNSUPPORTED}, {1, N(-1), UNSUPPORTED},
		       {1, N(VX_EVENT_USER), UNSUPPORTED}, {1, N(VX_EVENT_NODE_COMPLETED), UNSUPPORTED}, {1, N(VX_EVENT_NODE_ERROR), UNSUPPORTED},
		       {2, N(1), BAD_PARAMETERS}, {2, N(2), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS})},
		{CALL(vxRegisterEvent, R(input), N(VX_EVENT_GRAPH_PARAMETER_CONSUMED), N(0), N(7)),
		 WRONG({1, N(VX_EVENT_GRAPH_COMPLETED), UNSUPPORTED}, {1, N(VX_EVENT_NODE_COMPLETED), UNSUPPORTED})},
		{CALL(vxRegisterEvent, R(q.node), N(VX_EVENT_NODE_COMPLETED), N(0), N(7)),
		 WRONG({0, R(q.graph), UNSUPPORTED}, {0, R(input), UNSUPPORTED}, {0, R(verified.node), VX_FAILURE}, {1, N(VX_EVENT_GRAPH_COMPLETED), UNSUPPORTED})},
		{CALL(vxRegisterEvent, R(q.node), N(VX_EVENT_NODE_ERROR), N(0), N(7)), WRONG({0, R(q.graph), UNSUPPORTED}, {0, R(image), UNSUPPORTED})},
		{CALL(vxRegisterEvent, R(q.graph), N(VX_EVENT_GRAPH_COMPLETED), N(0), N(7)), WRONG({0, R(q.node), UNSUPPORTED}, {0, R(input), UNSUPPORTED})},
		{CALL(vxDisableEvents, R(context))},
	};
	refuse_rows(rows, COUNT(rows));
	assert_int_equal(event.type, VX_EVENT_USER);
	assert_int_equal(event.app_value, 3);
	/* there is none any more: nothing is written, and that is not worth a log entry */
	event = untouched;
	logged.calls = 0;
	VX_FAILS(VX_FAILURE, vxWaitEvent(context, &event, vx_true_e));
	assert_int_equal(logged.calls, 0);
	assert_memory_equal(&event, &untouched, sizeof event);
	RAN(vxReleaseParameter(&input));
	RAN(vxReleaseParameter(&output));
	RAN(vxReleaseParameter(&of_kernel));
	queued_end(&q);
	queued_end(&verified);
}

/* ---- streams ---- */
static void undo_start(const union arg *args, union arg result)
{
	(void)result;
	RAN(vxStopGraphStreaming((vx_graph)args[0].ref));
}

static void streams(void **state)
{
	(void)state;
	struct queued open = queued_make(), verified = queued_make(), enabled = queued_make(), ready = queued_make();
	RAN(vxEnableGraphStreaming(enabled.graph, NULL));
	RAN(vxEnableGraphStreaming(ready.graph, ready.node));
	RAN(vxVerifyGraph(verified.graph));
	RAN(vxVerifyGraph(ready.graph));
	const struct row rows[] = {
		{CALL(vxEnableGraphStreaming, R(open.graph), R(open.node)),
		 WRONG({0, R(verified.graph), BAD_PARAMETERS}, {1, R(verified.node), BAD_PARAMETERS}), .foreign = BAD_PARAMETERS, .optional = 1 << 1},
		{CALL(vxEnableGraphStreaming, R(open.graph), R(NULL)), WRONG({0, R(verified.graph), VX_FAILURE}), .optional = 1 << 1},
		{CALL(vxStartGraphStreaming, R(ready.graph)), WRONG({0, R(verified.graph), VX_FAILURE}, {0, R(enabled.graph), VX_FAILURE}), .undo = undo_start},
		{CALL(vxStopGraphStreaming, R(ready.graph)), WRONG({0, R(ready.graph), VX_FAILURE}, {0, R(open.graph), VX_FAILURE}), .is_last = true},
	};
	refuse_rows(rows, COUNT(rows));
	/* what streams does nothing else, and does so once */
	RAN(vxStartGraphStreaming(ready.graph));
	VX_FAILS(VX_ERROR_GRAPH_SCHEDULED, vxStartGraphStreaming(ready.graph));
	VX_FAILS(VX_ERROR_GRAPH_SCHEDULED, vxScheduleGraph(ready.graph));
	VX_FAILS(VX_ERROR_GRAPH_SCHEDULED, vxProcessGraph(ready.graph));
	VX_FAILS(VX_ERROR_GRAPH_SCHEDULED, vxVerifyGraph(ready.graph));
	vx_node node = ready.node;
	VX_FAILS(VX_ERROR_GRAPH_SCHEDULED, vxRemoveNode(&node));
	assert_ptr_equal(node, ready.node);
	RAN(vxStopGraphStreaming(ready.graph));
	VX_FAILS(VX_FAILURE, vxStopGraphStreaming(ready.graph));
	queued_end(&open);
	queued_end(&verified);
	queued_end(&enabled);
	queued_end(&ready);
}

static void complete(void **state)
{
	(void)state;
	expect_all("pipelining");
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(configurations), cmocka_unit_test(queues), cmocka_unit_test(events), cmocka_unit_test(streams), cmocka_unit_test(complete),
	};
	return cmocka_run_group_tests(tests, open_zoo, close_zoo);
}
