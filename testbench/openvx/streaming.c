/* vx_khr_pipelining, 2.3 and 3.2: streams, kernels that are piped up, and attributes that share a number with vx_khr_opencl_interop's. */
#include "testbench/openvx/pipelines.h"

enum { KEPT_MAX = 8, CALLS_MAX = 4096 };

static vx_enum node_state(vx_node node)
{
	vx_enum is = 0;
	return vxQueryNode(node, VX_NODE_STATE, &is, sizeof is) ? 0 : is;
}

/* ---- attributes of one number ---- */
static vx_status VX_CALLBACK nothing(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	(void)node;
	(void)parameters;
	(void)num;
	return VX_SUCCESS;
}

static vx_kernel open_kernel(const char *name)
{
	vx_enum number = 0;
	RAN(vxAllocateUserKernelId(context, &number));
	vx_kernel kernel = vxAddUserKernel(context, name, number, nothing, 1, NULL, NULL, NULL);
	CREATED(kernel);
	return kernel;
}

static vx_uint32 asked(vx_kernel kernel, vx_enum attribute)
{
	vx_uint32 value = 77;
	RAN(vxQueryKernel(kernel, attribute, &value, sizeof value));
	return value;
}

/* What VX_KERNEL_USE_OPENCL and VX_KERNEL_PIPEUP_OUTPUT_DEPTH are after something has been set, whichever was meant. */
static void kernel_attributes(void **state)
{
	(void)state;
	static const struct {
		vx_uint32 set[4];
		unsigned count;
		vx_status last; /* of the last */
		vx_uint32 is;
		bool opencl;
	} rows[] = {
		{{0}, 0, VX_SUCCESS, vx_false_e, false},
		{{vx_true_e}, 1, VX_SUCCESS, vx_true_e, true},
		{{vx_false_e}, 1, VX_SUCCESS, vx_false_e, false},
		{{vx_true_e, vx_false_e}, 2, VX_SUCCESS, vx_false_e, false},
		{{3}, 1, VX_SUCCESS, 3, false},
		{{3, 5}, 2, VX_SUCCESS, 5, false},
		{{3, 0}, 2, VX_ERROR_INVALID_PARAMETERS, 3, false},
		{{3, vx_true_e}, 2, VX_SUCCESS, 3, true},
		{{vx_true_e, 4}, 2, VX_SUCCESS, 4, true},
		{{vx_true_e, 4, 0}, 3, VX_ERROR_INVALID_PARAMETERS, 4, true},
	};
	now_testing("attributes of kernels");
	for (size_t r = 0; r < COUNT(rows); r++) {
		char name[64];
		snprintf(name, sizeof name, "galena.test.attributes.%zu", r);
		add_testing(" %zu", r);
		vx_kernel kernel = open_kernel(name);
		for (unsigned i = 0; i < rows[r].count; i++)
			REFUSED(i + 1 < rows[r].count ? VX_SUCCESS : rows[r].last,
				vxSetKernelAttribute(kernel, VX_KERNEL_PIPEUP_OUTPUT_DEPTH, &rows[r].set[i], sizeof rows[r].set[i]));
		assert_int_equal(asked(kernel, VX_KERNEL_PIPEUP_OUTPUT_DEPTH), rows[r].is);
		assert_int_equal(asked(kernel, VX_KERNEL_USE_OPENCL), rows[r].is);
		/* inputs have a number of their own, and at least 1 */
		vx_uint32 depth = 0;
		assert_int_equal(asked(kernel, VX_KERNEL_PIPEUP_INPUT_DEPTH), 1);
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetKernelAttribute(kernel, VX_KERNEL_PIPEUP_INPUT_DEPTH, &depth, sizeof depth));
		depth = 2;
		RAN(vxSetKernelAttribute(kernel, VX_KERNEL_PIPEUP_INPUT_DEPTH, &depth, sizeof depth));
		assert_int_equal(asked(kernel, VX_KERNEL_PIPEUP_INPUT_DEPTH), 2);
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetKernelAttribute(kernel, VX_KERNEL_PIPEUP_INPUT_DEPTH, &depth, 2));
		RAN(vxAddParameterToKernel(kernel, 0, VX_OUTPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
		RAN(vxFinalizeKernel(kernel));
		REFUSED(VX_ERROR_NOT_SUPPORTED, vxSetKernelAttribute(kernel, VX_KERNEL_PIPEUP_OUTPUT_DEPTH, &depth, sizeof depth));
		REFUSED(VX_ERROR_NOT_SUPPORTED, vxSetKernelAttribute(kernel, VX_KERNEL_PIPEUP_INPUT_DEPTH, &depth, sizeof depth));
		/* a node tells its state and its queue apart by the room for the value */
		vx_graph graph = vxCreateGraph(context);
		vx_node node = vxCreateGenericNode(graph, kernel);
		cl_command_queue of = NULL;
		assert_int_equal(node_state(node), VX_NODE_STATE_STEADY);
		REFUSED(rows[r].opencl ? VX_SUCCESS : VX_ERROR_NOT_SUPPORTED, vxQueryNode(node, VX_NODE_CL_COMMAND_QUEUE, &of, sizeof of));
		assert_ptr_equal(of, rows[r].opencl ? queue : NULL);
		assert_true(vxQueryNode(node, VX_NODE_STATE, &depth, 2) != VX_SUCCESS);
		RAN(vxReleaseNode(&node));
		RAN(vxReleaseGraph(&graph));
		RAN(vxRemoveKernel(kernel));
	}
	/* of the library's own kernels */
	vx_kernel own = vxGetKernelByEnum(context, VX_KERNEL_NOT);
	assert_int_equal(asked(own, VX_KERNEL_USE_OPENCL), vx_false_e);
	assert_int_equal(asked(own, VX_KERNEL_PIPEUP_INPUT_DEPTH), 1);
	RAN(vxReleaseKernel(&own));
}

/* ---- a source and a sink ----
 * The source numbers the frames that it gives; every pixel is the number. With a depth of d it keeps what it was given d - 1 calls
 * ago, and hands that on. The sink keeps as many, and looks whether what it keeps stays as it is. */
static struct device {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	vx_enum states[CALLS_MAX];
	vx_reference given[CALLS_MAX], kept[KEPT_MAX];
	uint8_t held[KEPT_MAX];
	unsigned calls, depth, num_kept, frames;
	unsigned fails_at;        /* a frame; 0: none */
	vx_reference stranger;    /* handed on instead of anything else */
	int wrong;                /* frames that are not what they have to be */
	uint8_t last;             /* number of the last frame */
	bool began;
} source = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER},
  sink = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void device_reset(struct device *d, unsigned depth)
{
	pthread_mutex_lock(&d->lock);
	d->calls = d->num_kept = d->frames = d->fails_at = 0;
	d->stranger = NULL;
	d->depth = depth;
	d->wrong = 0;
	d->last = 0;
	d->began = false;
	pthread_mutex_unlock(&d->lock);
}

static unsigned device_frames(struct device *d)
{
	pthread_mutex_lock(&d->lock);
	const unsigned frames = d->frames;
	pthread_mutex_unlock(&d->lock);
	return frames;
}

static void device_await(struct device *d, unsigned frames)
{
	pthread_mutex_lock(&d->lock);
	while (d->frames < frames)
		pthread_cond_wait(&d->changed, &d->lock);
	pthread_mutex_unlock(&d->lock);
}

static void note(struct device *d, vx_node node, vx_reference given)
{
	if (d->calls < CALLS_MAX) {
		d->states[d->calls] = node_state(node);
		d->given[d->calls] = given;
	}
	d->calls++;
}

/* What has been kept longest, in exchange for what has been given. */
static vx_reference swap(struct device *d, vx_reference given)
{
	if (d->depth <= 1)
		return given;
	vx_reference oldest = d->kept[0];
	memmove(d->kept, d->kept + 1, (d->num_kept - 1) * sizeof *d->kept);
	memmove(d->held, d->held + 1, d->num_kept - 1);
	d->kept[d->num_kept - 1] = given;
	return oldest;
}

static vx_status VX_CALLBACK source_run(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	vx_reference *mine = (vx_reference *)(uintptr_t)parameters;
	uint8_t bytes[PIXELS];
	vx_status status = VX_SUCCESS;
	(void)num;
	pthread_mutex_lock(&source.lock);
	note(&source, node, mine[0]);
	if (node_state(node) == VX_NODE_STATE_PIPEUP) {
		source.kept[source.num_kept++] = mine[0];
		mine[0] = NULL; /* an output is not expected */
	} else if (source.fails_at && source.frames + 1 == source.fails_at) {
		status = VX_ERROR_NO_RESOURCES;
	} else {
		mine[0] = swap(&source, mine[0]);
		memset(bytes, (int)(source.frames + 1), sizeof bytes);
		status = copy_frame((vx_image)mine[0], bytes, VX_WRITE_ONLY);
		source.frames++;
		if (source.stranger)
			mine[0] = source.stranger;
	}
	pthread_cond_broadcast(&source.changed);
	pthread_mutex_unlock(&source.lock);
	return status;
}

static int uniform(vx_image image, uint8_t *value)
{
	uint8_t bytes[PIXELS];
	int wrong = copy_frame(image, bytes, VX_READ_ONLY) != VX_SUCCESS;
	for (int i = 0; i < PIXELS; i++)
		wrong += bytes[i] != bytes[0];
	*value = bytes[0];
	return wrong;
}

static vx_status VX_CALLBACK sink_run(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	vx_reference *mine = (vx_reference *)(uintptr_t)parameters;
	uint8_t value = 0, again = 0;
	(void)num;
	pthread_mutex_lock(&sink.lock);
	note(&sink, node, mine[0]);
	sink.wrong += uniform((vx_image)mine[0], &value);
	for (unsigned i = 0; i < sink.num_kept; i++) {
		sink.wrong += sink.kept[i] == mine[0];
		sink.wrong += uniform((vx_image)sink.kept[i], &again) || again != sink.held[i];
	}
	if (sink.began) /* inverted numbers that follow each other */
		sink.wrong += (uint8_t)~value != (uint8_t)(sink.last + 1);
	sink.began = true;
	sink.last = (uint8_t)~value;
	if (node_state(node) == VX_NODE_STATE_PIPEUP) {
		sink.held[sink.num_kept] = value;
		sink.kept[sink.num_kept++] = mine[0];
		mine[0] = NULL; /* nothing is consumed yet */
	} else {
		mine[0] = swap(&sink, mine[0]);
		if (sink.num_kept)
			sink.held[sink.num_kept - 1] = value;
	}
	sink.frames++;
	pthread_cond_broadcast(&sink.changed);
	pthread_mutex_unlock(&sink.lock);
	return VX_SUCCESS;
}

static vx_kernel add_device(const char *name, vx_kernel_f run, vx_enum direction, vx_enum attribute, vx_uint32 depth)
{
	vx_enum number = 0;
	RAN(vxAllocateUserKernelId(context, &number));
	vx_kernel kernel = vxAddUserKernel(context, name, number, run, 1, NULL, NULL, NULL);
	CREATED(kernel);
	if (depth > 1)
		RAN(vxSetKernelAttribute(kernel, attribute, &depth, sizeof depth));
	RAN(vxAddParameterToKernel(kernel, 0, direction, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	RAN(vxFinalizeKernel(kernel));
	return kernel;
}

static vx_node node_with_image(vx_graph graph, vx_kernel kernel, vx_image image)
{
	vx_node node = vxCreateGenericNode(graph, kernel);
	CREATED(node);
	RAN(vxSetParameterByIndex(node, 0, (vx_reference)image));
	return node;
}

/* A graph: the source, inverted, the sink; between them virtual images. */
struct stream {
	vx_kernel source_kernel, sink_kernel;
	vx_graph graph;
	vx_node source, invert, sink, after; /* the last one runs behind the sink, and reads the same */
	vx_image out;
};

static struct stream stream_make(vx_uint32 source_depth, vx_uint32 sink_depth)
{
	struct stream s = {.source_kernel = add_device("galena.test.source", source_run, VX_OUTPUT, VX_KERNEL_PIPEUP_OUTPUT_DEPTH, source_depth),
			   .sink_kernel = add_device("galena.test.sink", sink_run, VX_INPUT, VX_KERNEL_PIPEUP_INPUT_DEPTH, sink_depth),
			   .graph = vxCreateGraph(context),
			   .out = new_image()};
	vx_image a = vxCreateVirtualImage(s.graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8), b = vxCreateVirtualImage(s.graph, 0, 0, VX_DF_IMAGE_VIRT);
	device_reset(&source, source_depth);
	device_reset(&sink, sink_depth);
	s.sink = node_with_image(s.graph, s.sink_kernel, b);
	s.after = vxNotNode(s.graph, b, s.out);
	s.invert = vxNotNode(s.graph, a, b);
	s.source = node_with_image(s.graph, s.source_kernel, a);
	RAN(vxReleaseImage(&a));
	RAN(vxReleaseImage(&b));
	return s;
}

static void stream_close(struct stream *s)
{
	RAN(vxReleaseNode(&s->source));
	RAN(vxReleaseNode(&s->invert));
	RAN(vxReleaseNode(&s->sink));
	RAN(vxReleaseNode(&s->after));
	RAN(vxReleaseImage(&s->out));
	RAN(vxReleaseGraph(&s->graph));
	RAN(vxRemoveKernel(s->source_kernel));
	RAN(vxRemoveKernel(s->sink_kernel));
}

/* ---- kernels that are piped up ---- */
/* In the first execution after verification the source is called as often as its depth says, each time with another output; what it
 * hands on is what the other nodes have. */
static void outputs(void **state)
{
	(void)state;
	for (vx_uint32 depth = 1; depth <= 4; depth++) {
		now_testing("outputs, depth %u", depth);
		vx_kernel kernel = add_device("galena.test.source", source_run, VX_OUTPUT, VX_KERNEL_PIPEUP_OUTPUT_DEPTH, depth);
		vx_graph graph = vxCreateGraph(context);
		vx_image middle = vxCreateVirtualImage(graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8), out = new_image();
		vx_node inverted = vxNotNode(graph, middle, out), node = node_with_image(graph, kernel, middle);
		uint8_t value = 0;
		for (int verified = 0; verified < 2; verified++) {
			device_reset(&source, depth);
			RAN(vxVerifyGraph(graph));
			assert_int_equal(node_state(node), depth > 1 ? VX_NODE_STATE_PIPEUP : VX_NODE_STATE_STEADY);
			for (unsigned frame = 1; frame <= 6; frame++) {
				RAN(vxProcessGraph(graph));
				assert_int_equal(uniform(out, &value), 0);
				assert_int_equal(value, (uint8_t)~frame);
				assert_int_equal(source.calls, depth - 1 + frame);
				assert_int_equal(node_state(node), VX_NODE_STATE_STEADY);
			}
			for (unsigned i = 0; i < source.calls; i++) {
				assert_int_equal(source.states[i], i + 1 < depth ? VX_NODE_STATE_PIPEUP : VX_NODE_STATE_STEADY);
				for (unsigned k = 0; i < depth && k < i; k++)
					assert_ptr_not_equal(source.given[i], source.given[k]);
			}
		}
		RAN(vxReleaseNode(&inverted));
		RAN(vxReleaseNode(&node));
		RAN(vxReleaseImage(&middle));
		RAN(vxReleaseGraph(&graph));
		RAN(vxReleaseImage(&out));
		RAN(vxRemoveKernel(kernel));
	}
}

/* A sink has as many inputs as its depth says, and none of them is written while it has it. */
static void inputs(void **state)
{
	(void)state;
	for (vx_uint32 depth = 1; depth <= 4; depth++) {
		now_testing("inputs, depth %u", depth);
		struct stream s = stream_make(1 + depth % 3, depth);
		RAN(vxVerifyGraph(s.graph));
		assert_int_equal(node_state(s.sink), depth > 1 ? VX_NODE_STATE_PIPEUP : VX_NODE_STATE_STEADY);
		for (unsigned frame = 1; frame <= 9; frame++) {
			RAN(vxProcessGraph(s.graph));
			uint8_t value = 0;
			assert_int_equal(sink.calls, frame);
			assert_int_equal(uniform(s.out, &value), 0);
			assert_int_equal(value, frame);
			assert_int_equal(sink.states[frame - 1], frame < depth ? VX_NODE_STATE_PIPEUP : VX_NODE_STATE_STEADY);
		}
		assert_int_equal(sink.wrong, 0);
		assert_int_equal(sink.last, 9);
		stream_close(&s);
	}
}

/* What a kernel hands on is like what it was given, and is there. */
static void strangers(void **state)
{
	(void)state;
	now_testing("strangers");
	vx_kernel kernel = add_device("galena.test.source", source_run, VX_OUTPUT, VX_KERNEL_PIPEUP_OUTPUT_DEPTH, 1);
	vx_graph graph = vxCreateGraph(context);
	vx_image out = new_image(), like = new_image(), small = image_u8(WIDTH, HEIGHT - 1), second = new_image();
	vx_scalar scalar = vxCreateScalar(context, VX_TYPE_UINT8, &(vx_uint8){1});
	vx_node node = node_with_image(graph, kernel, out), inverted = vxNotNode(graph, out, second);
	const vx_reference wrong[] = {(vx_reference)small, (vx_reference)scalar, (vx_reference)graph, (vx_reference)(uintptr_t)0x1230};
	uint8_t bytes[PIXELS], expected[PIXELS];
	device_reset(&source, 1);
	RAN(vxVerifyGraph(graph));
	for (size_t i = 0; i < COUNT(wrong); i++) {
		source.stranger = wrong[i];
		REFUSED(VX_ERROR_INVALID_REFERENCE, vxProcessGraph(graph));
	}
	/* one that is like it goes, and stays */
	random_frame(bytes);
	RAN(copy_frame(like, bytes, VX_WRITE_ONLY));
	source.stranger = (vx_reference)like;
	RAN(vxProcessGraph(graph));
	invert(bytes, expected);
	expect_frame(second, expected);
	source.stranger = NULL;
	RAN(vxProcessGraph(graph));
	assert_ptr_equal(source.given[source.calls - 1], like);
	/* nor can the kernel of a replicated node be piped up, or hand on others */
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseNode(&inverted));
	RAN(vxReleaseGraph(&graph));
	for (int piped = 0; piped < 2; piped++) {
		const vx_bool flag = vx_true_e;
		vx_kernel deep = add_device("galena.test.deep", source_run, VX_OUTPUT, VX_KERNEL_PIPEUP_OUTPUT_DEPTH, piped ? 2 : 1);
		vx_object_array array = vxCreateObjectArray(context, (vx_reference)like, 2);
		vx_image item = (vx_image)vxGetObjectArrayItem(array, 0);
		graph = vxCreateGraph(context);
		node = node_with_image(graph, deep, item);
		RAN(vxReplicateNode(graph, node, (vx_bool *)(uintptr_t)&flag, 1));
		REFUSED(piped ? VX_ERROR_NOT_SUPPORTED : VX_SUCCESS, vxVerifyGraph(graph));
		source.stranger = (vx_reference)like;
		REFUSED(VX_ERROR_NOT_SUPPORTED, vxProcessGraph(graph));
		RAN(vxReleaseNode(&node));
		RAN(vxReleaseGraph(&graph));
		RAN(vxReleaseImage(&item));
		RAN(vxReleaseObjectArray(&array));
		RAN(vxRemoveKernel(deep));
	}
	source.stranger = NULL;
	RAN(vxReleaseImage(&out));
	RAN(vxReleaseImage(&like));
	RAN(vxReleaseImage(&small));
	RAN(vxReleaseImage(&second));
	RAN(vxReleaseScalar(&scalar));
	RAN(vxRemoveKernel(kernel));
}

/* A kernel without a validation: outputs are what they were declared to be. */
static void unvalidated(void **state)
{
	(void)state;
	now_testing("no validation");
	vx_kernel kernel = add_device("galena.test.source", source_run, VX_OUTPUT, VX_KERNEL_PIPEUP_OUTPUT_DEPTH, 1);
	for (int declared = 0; declared < 2; declared++) {
		vx_graph graph = vxCreateGraph(context);
		vx_image middle = vxCreateVirtualImage(graph, declared ? WIDTH : 0, declared ? HEIGHT : 0, declared ? VX_DF_IMAGE_U8 : VX_DF_IMAGE_VIRT);
		vx_node node = node_with_image(graph, kernel, middle);
		REFUSED(declared ? VX_SUCCESS : VX_ERROR_INVALID_FORMAT, vxVerifyGraph(graph));
		RAN(vxReleaseNode(&node));
		RAN(vxReleaseImage(&middle));
		RAN(vxReleaseGraph(&graph));
	}
	RAN(vxRemoveKernel(kernel));
}

/* A queue at the output of a source: the first execution takes as many references as the kernel's depth says. */
static void queued_source(void **state)
{
	(void)state;
	enum { DEPTH = 3, REFS = 5 };
	vx_image out[REFS];
	uint8_t value = 0;
	now_testing("source with a queue");
	vx_kernel kernel = add_device("galena.test.source", source_run, VX_OUTPUT, VX_KERNEL_PIPEUP_OUTPUT_DEPTH, DEPTH);
	vx_graph graph = vxCreateGraph(context);
	for (int i = 0; i < REFS; i++)
		out[i] = new_image();
	vx_node node = node_with_image(graph, kernel, out[0]);
	add_parameter(graph, node, 0);
	RAN(vxSetGraphScheduleConfig(graph, VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO, 1,
				     &(vx_graph_parameter_queue_params_t){0, DEPTH - 1, (vx_reference *)out}));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxVerifyGraph(graph)); /* it could never begin */
	RAN(vxSetGraphScheduleConfig(graph, VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO, 1, &(vx_graph_parameter_queue_params_t){0, REFS, (vx_reference *)out}));
	RAN(vxVerifyGraph(graph));
	device_reset(&source, DEPTH);
	for (int i = 0; i < DEPTH - 1; i++)
		enqueue(graph, 0, out[i]);
	RAN(vxWaitGraph(graph));
	assert_int_equal(source.calls, 0);
	for (int i = DEPTH - 1; i < REFS; i++)
		enqueue(graph, 0, out[i]);
	for (unsigned frame = 1; frame <= 12; frame++) {
		vx_image image = dequeue(graph, 0);
		assert_ptr_equal(image, out[(frame - 1) % REFS]);
		assert_int_equal(uniform(image, &value), 0);
		assert_int_equal(value, frame);
		enqueue(graph, 0, image);
	}
	RAN(vxWaitGraph(graph));
	for (int i = 0; i < DEPTH; i++)
		assert_ptr_equal(source.given[i], out[i]);
	/* verification takes back what the kernel still has */
	while (done_at(graph, 0))
		dequeue(graph, 0);
	RAN(vxVerifyGraph(graph));
	assert_int_equal(done_at(graph, 0), DEPTH - 1);
	RAN(vxReleaseNode(&node));
	RAN(vxReleaseGraph(&graph));
	for (int i = 0; i < REFS; i++)
		RAN(vxReleaseImage(&out[i]));
	RAN(vxRemoveKernel(kernel));
}

/* ---- streams ---- */
static void refused(void **state)
{
	(void)state;
	now_testing("refused");
	struct stream s = stream_make(1, 1);
	struct pipe p = pipe_make(1);
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxEnableGraphStreaming(NULL, NULL));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxStartGraphStreaming(NULL));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxStopGraphStreaming((vx_graph)context));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxEnableGraphStreaming(s.graph, p.first));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxEnableGraphStreaming(s.graph, (vx_node)p.key));
	REFUSED(VX_FAILURE, vxStopGraphStreaming(s.graph));
	REFUSED(VX_FAILURE, vxStartGraphStreaming(s.graph));
	RAN(vxVerifyGraph(s.graph));
	REFUSED(VX_FAILURE, vxEnableGraphStreaming(s.graph, NULL)); /* before verification */
	REFUSED(VX_FAILURE, vxStartGraphStreaming(s.graph));        /* not enabled */
	RAN(vxEnableGraphStreaming(p.graph, p.second));
	REFUSED(VX_FAILURE, vxStartGraphStreaming(p.graph));        /* not verified */
	RAN(vxVerifyGraph(p.graph));
	RAN(vxScheduleGraph(p.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxStartGraphStreaming(p.graph));
	RAN(vxWaitGraph(p.graph));
	RAN(vxStartGraphStreaming(p.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxStartGraphStreaming(p.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxScheduleGraph(p.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxProcessGraph(p.graph));
	REFUSED(VX_ERROR_GRAPH_SCHEDULED, vxVerifyGraph(p.graph));
	RAN(vxWaitGraph(p.graph)); /* what has been scheduled until now */
	RAN(vxStopGraphStreaming(p.graph));
	REFUSED(VX_FAILURE, vxStopGraphStreaming(p.graph));
	RAN(vxProcessGraph(p.graph));
	pipe_close(&p);
	stream_close(&s);
}

/* Frames follow each other, whatever the trigger and the depths, until the stream is stopped; then all that began has ended. */
static void streams(void **state)
{
	(void)state;
	for (int round = 0; round < 6; round++) {
		const vx_uint32 source_depth = 1 + random_below(4), sink_depth = 1 + random_below(4);
		const unsigned most = 10 + random_below(20);
		now_testing("stream %d, depths %u and %u", round, source_depth, sink_depth);
		struct stream s = stream_make(source_depth, sink_depth);
		const vx_node triggers[] = {NULL, s.source, s.invert, s.sink};
		RAN(vxEnableGraphStreaming(s.graph, triggers[round % 4]));
		RAN(vxRegisterEvent((vx_reference)s.graph, VX_EVENT_GRAPH_COMPLETED, 0, 1));
		RAN(vxVerifyGraph(s.graph));
		RAN(vxEnableEvents(context));
		for (int again = 1; again <= 2; again++) {
			unsigned completed = 0, before = device_frames(&sink);
			vx_event_t event;
			RAN(vxStartGraphStreaming(s.graph));
			device_await(&sink, before + most);
			RAN(vxStopGraphStreaming(s.graph));
			const unsigned frames = device_frames(&sink);
			assert_int_equal(frames, device_frames(&source));
			while (vxWaitEvent(context, &event, vx_true_e) == VX_SUCCESS)
				completed += event.type == VX_EVENT_GRAPH_COMPLETED;
			assert_int_equal(completed, frames - before);
			assert_int_equal(state_of(s.graph), VX_GRAPH_STATE_COMPLETED);
			RAN(vxProcessGraph(s.graph));
			assert_int_equal(device_frames(&sink), frames + 1);
			RAN(vxWaitEvent(context, &event, vx_true_e));
		}
		assert_int_equal(sink.wrong, 0);
		RAN(vxDisableEvents(context));
		stream_close(&s);
	}
}

/* Nodes of the library's alone: the stream does not run ahead of the device, and ends when it is told to. */
static void without_host(void **state)
{
	(void)state;
	enum { FRAMES = 12 };
	vx_event_t event;
	uint8_t in[PIXELS], out[PIXELS];
	now_testing("stream on the device");
	struct pipe p = pipe_make(1);
	random_frame(in);
	predict(&p, in, out);
	RAN(copy_frame(p.in[0], in, VX_WRITE_ONLY));
	RAN(vxEnableGraphStreaming(p.graph, NULL));
	RAN(vxRegisterEvent((vx_reference)p.graph, VX_EVENT_GRAPH_COMPLETED, 0, 1));
	RAN(vxVerifyGraph(p.graph));
	RAN(vxEnableEvents(context));
	RAN(vxStartGraphStreaming(p.graph));
	for (int i = 0; i < FRAMES; i++)
		RAN(vxWaitEvent(context, &event, vx_false_e));
	RAN(vxStopGraphStreaming(p.graph));
	expect_frame(p.out[0], out);
	RAN(vxDisableEvents(context));
	while (vxWaitEvent(context, &event, vx_true_e) == VX_SUCCESS)
		;
	pipe_close(&p);
}

/* An error of a node ends a stream; it is told as an event, by vxWaitGraph, and by the state of the graph. */
static void errors(void **state)
{
	(void)state;
	enum { FAILS_AT = 7 };
	vx_event_t event;
	now_testing("errors");
	struct stream s = stream_make(2, 2);
	source.fails_at = FAILS_AT;
	RAN(vxEnableGraphStreaming(s.graph, s.sink));
	RAN(vxRegisterEvent((vx_reference)s.source, VX_EVENT_NODE_ERROR, 0, 5));
	RAN(vxVerifyGraph(s.graph));
	RAN(vxEnableEvents(context));
	RAN(vxStartGraphStreaming(s.graph));
	RAN(vxWaitEvent(context, &event, vx_false_e));
	assert_int_equal(event.type, VX_EVENT_NODE_ERROR);
	assert_int_equal(event.app_value, 5);
	assert_ptr_equal(event.event_info.node_error.node, s.source);
	assert_int_equal(event.event_info.node_error.status, VX_ERROR_NO_RESOURCES);
	REFUSED(VX_ERROR_NO_RESOURCES, vxWaitGraph(s.graph));
	/* while others go on */
	struct pipe plain = pipe_make(1);
	for (int i = 0; i < 20; i++)
		RAN(vxProcessGraph(plain.graph));
	pipe_close(&plain);
	REFUSED(VX_FAILURE, vxWaitEvent(context, &event, vx_true_e));
	RAN(vxStopGraphStreaming(s.graph));
	assert_int_equal(state_of(s.graph), VX_GRAPH_STATE_ABANDONED);
	assert_int_equal(device_frames(&sink), FAILS_AT - 1);
	assert_int_equal(device_frames(&source), FAILS_AT - 1);
	assert_int_equal(source.calls, 1 + FAILS_AT); /* and the one that it was piped up with */
	/* it can begin anew */
	source.fails_at = 0;
	RAN(vxStartGraphStreaming(s.graph));
	device_await(&sink, FAILS_AT + 5);
	RAN(vxStopGraphStreaming(s.graph));
	assert_int_equal(sink.wrong, 0);
	RAN(vxDisableEvents(context));
	stream_close(&s);
}

/* A stream with queues goes on when there is something in them. */
static void queues(void **state)
{
	(void)state;
	static const vx_enum queueing[] = {VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO, VX_GRAPH_SCHEDULE_MODE_QUEUE_MANUAL};
	uint8_t in[PIXELS], out[PIXELS];
	for (size_t m = 0; m < COUNT(queueing); m++) {
		now_testing("stream with queues, mode 0x%x", queueing[m]);
		struct pipe p = pipe_make(3);
		pipe_queues(&p, queueing[m]);
		RAN(vxEnableGraphStreaming(p.graph, p.first));
		RAN(vxVerifyGraph(p.graph));
		RAN(vxStartGraphStreaming(p.graph));
		for (vx_uint32 i = 0; i < p.count; i++)
			enqueue(p.graph, 1, p.out[i]);
		for (int frame = 0; frame < 10; frame++) {
			const vx_uint32 i = (vx_uint32)frame % p.count;
			random_frame(in);
			predict(&p, in, out);
			RAN(copy_frame(p.in[i], in, VX_WRITE_ONLY));
			enqueue(p.graph, 0, p.in[i]);
			assert_ptr_equal(dequeue(p.graph, 1), p.out[i]);
			assert_ptr_equal(dequeue(p.graph, 0), p.in[i]);
			expect_frame(p.out[i], out);
			enqueue(p.graph, 1, p.out[i]);
		}
		RAN(vxStopGraphStreaming(p.graph));
		/* and then as its mode has it */
		enqueue(p.graph, 0, p.in[0]);
		REFUSED(m ? VX_SUCCESS : VX_FAILURE, vxScheduleGraph(p.graph));
		assert_ptr_equal(dequeue(p.graph, 0), p.in[0]);
		pipe_close(&p);
	}
}

/* ---- the end of what is under way ---- */
static void restore(vx_context kept)
{
	context = kept;
	RAN(vxQueryContext(context, VX_CONTEXT_CL_COMMAND_QUEUE, &queue, sizeof queue));
	RAN(vxQueryContext(context, VX_CONTEXT_CL_CONTEXT, &cl, sizeof cl));
}

static void released(void **state)
{
	vx_context kept = context;
	vx_uint32 before = 0, after = 0;
	now_testing("released while it streams");
	assert_int_equal(open_context(state), 0);
	RAN(vxQueryContext(context, VX_CONTEXT_REFERENCES, &before, sizeof before));
	for (int round = 0; round < 3; round++) {
		struct stream s = stream_make(1, 1);
		RAN(vxEnableGraphStreaming(s.graph, NULL));
		RAN(vxVerifyGraph(s.graph));
		RAN(vxStartGraphStreaming(s.graph));
		device_await(&sink, 1 + random_below(5));
		stream_close(&s);
		RAN(vxQueryContext(context, VX_CONTEXT_REFERENCES, &after, sizeof after));
		assert_int_equal(after, before);
	}
	/* one that waits for references */
	struct pipe p = pipe_make(1);
	pipe_queues(&p, VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO);
	RAN(vxEnableGraphStreaming(p.graph, NULL));
	RAN(vxVerifyGraph(p.graph));
	RAN(vxStartGraphStreaming(p.graph));
	enqueue(p.graph, 0, p.in[0]);
	pipe_close(&p);
	RAN(vxReleaseContext(&context));
	restore(kept);
}

static void ended(void **state)
{
	vx_context kept = context;
	now_testing("end of a context with a stream");
	assert_int_equal(open_context(state), 0);
	struct stream s = stream_make(2, 3);
	RAN(vxEnableGraphStreaming(s.graph, NULL));
	RAN(vxVerifyGraph(s.graph));
	RAN(vxStartGraphStreaming(s.graph));
	device_await(&sink, 4);
	RAN(vxReleaseContext(&context));
	const unsigned frames = device_frames(&sink);
	assert_int_equal(sink.wrong, 0);
	assert_int_equal(device_frames(&source), frames);
	restore(kept);
}

int main(int argc, char **argv)
{
	build_tree_loader();
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_attributes), cmocka_unit_test(outputs), cmocka_unit_test(inputs), cmocka_unit_test(strangers),
		cmocka_unit_test(unvalidated), cmocka_unit_test(queued_source), cmocka_unit_test(refused), cmocka_unit_test(streams),
		cmocka_unit_test(without_host), cmocka_unit_test(errors), cmocka_unit_test(queues), cmocka_unit_test(released), cmocka_unit_test(ended),
	};
	return cmocka_run_group_tests(tests, open_with_copier, close_context);
}
