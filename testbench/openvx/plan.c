/* How graphs run: which nodes become one kernel, which run side by side, and that nobody can tell but by that.
 *
 *   plan [SEED]
 *   plan --scene NAME    runs the graph of that name, whose events another process of this program counts */
#include "testbench/build_tree.h"
#include "testbench/openvx/modes.h"
#include "traces/event_file.h"
#include <CL/cl.h>
#include <VX/vx_khr_opencl_interop.h>
#include <sys/wait.h>

enum { U1 = VX_DF_IMAGE_U1, U8 = VX_DF_IMAGE_U8 };

/* ---- graphs by hand ---- */
enum { WIDTH = 96, HEIGHT = 40, PIXELS = WIDTH * HEIGHT };

static vx_image input(unsigned which)
{
	uint8_t bytes[PIXELS];
	vx_image image = image_u8(WIDTH, HEIGHT);
	for (unsigned i = 0; i < PIXELS; i++)
		bytes[i] = (uint8_t)(i * 7 + which * 31 + i / 96 * 5);
	VX_OK(move_u8(image, bytes, VX_WRITE_ONLY));
	return image;
}

static vx_image between(vx_graph g)
{
	vx_image image = vxCreateVirtualImage(g, WIDTH, HEIGHT, U8);
	VX_MADE(image);
	return image;
}

static uint32_t sum_of(vx_image image)
{
	uint8_t bytes[PIXELS];
	uint32_t sum = 2166136261u;
	VX_OK(move_u8(image, bytes, VX_READ_ONLY));
	for (unsigned i = 0; i < PIXELS; i++)
		sum = (sum ^ bytes[i]) * 16777619u;
	return sum;
}

/* x -> not -> add x -> min y -> out */
static void chain(vx_graph g, vx_image *out)
{
	vx_image x = input(1), y = input(2), a = between(g), b = between(g);
	out[0] = input(0);
	VX_MADE(vxNotNode(g, x, a));
	VX_MADE(vxAddNode(g, a, x, VX_CONVERT_POLICY_SATURATE, b));
	VX_MADE(vxMinNode(g, b, y, out[0]));
}

/* One value that two nodes read, which come together again. */
static void diamond(vx_graph g, vx_image *out)
{
	vx_image x = input(1), a = between(g), b = between(g), c = between(g);
	out[0] = input(0);
	VX_MADE(vxNotNode(g, x, a));
	VX_MADE(vxAndNode(g, a, x, b));
	VX_MADE(vxOrNode(g, x, a, c));
	VX_MADE(vxXorNode(g, b, c, out[0]));
}

/* What is between is not virtual. */
static void seen(vx_graph g, vx_image *out)
{
	vx_image x = input(1);
	out[0] = input(0);
	out[1] = input(0);
	VX_MADE(vxNotNode(g, x, out[0]));
	VX_MADE(vxAbsDiffNode(g, out[0], x, out[1]));
}

/* ... or is read for two outputs. */
static void two_outputs(vx_graph g, vx_image *out)
{
	vx_image x = input(1), a = between(g);
	out[0] = input(0);
	out[1] = input(0);
	VX_MADE(vxNotNode(g, x, a));
	VX_MADE(vxAbsDiffNode(g, a, x, out[0]));
	VX_MADE(vxMaxNode(g, a, x, out[1]));
}

/* ... or by a node that looks at neighbours: before and behind it nodes come together. */
static void neighbours(vx_graph g, vx_image *out)
{
	vx_image x = input(1), a = between(g), b = between(g), c = between(g), d = between(g);
	out[0] = input(0);
	VX_MADE(vxNotNode(g, x, a));
	VX_MADE(vxAbsDiffNode(g, a, x, b));
	vx_node box = vxBox3x3Node(g, b, c);
	set_border(box);
	VX_MADE(vxNotNode(g, c, d));
	VX_MADE(vxXorNode(g, d, x, out[0]));
}

/* ... or a part of it is; what comes before is no matter. */
static void region(vx_graph g, vx_image *out)
{
	vx_image x = input(1), a = between(g), b = between(g);
	out[0] = input(0);
	out[1] = image_u8(WIDTH / 2, HEIGHT / 2);
	VX_MADE(vxNotNode(g, x, a));
	VX_MADE(vxAbsDiffNode(g, a, x, b));
	VX_MADE(vxNotNode(g, b, out[0]));
	vx_image part = vxCreateImageFromROI(b, &(vx_rectangle_t){8, 4, 8 + WIDTH / 2, 4 + HEIGHT / 2});
	VX_MADE(part);
	VX_MADE(vxNotNode(g, part, out[1]));
}

/* More than are one kernel. */
static void long_chain(vx_graph g, vx_image *out)
{
	enum { LENGTH = 40 };
	vx_image x = input(1), last = x;
	out[0] = input(0);
	for (int i = 1; i <= LENGTH; i++) {
		vx_image next = i == LENGTH ? out[0] : between(g);
		VX_MADE(vxAddNode(g, last, x, VX_CONVERT_POLICY_WRAP, next));
		last = next;
	}
}

/* More than one kernel loads. */
static void many_inputs(vx_graph g, vx_image *out)
{
	enum { IMAGES = 12 };
	vx_image last = input(1);
	out[0] = input(0);
	for (unsigned i = 1; i < IMAGES; i++) {
		vx_image next = i == IMAGES - 1 ? out[0] : between(g);
		VX_MADE(vxAddNode(g, last, input(i + 1), VX_CONVERT_POLICY_WRAP, next));
		last = next;
	}
}

/* Two images in the same memory, that nothing else connects: the nodes run as they stand. */
static uint8_t memory[PIXELS];
static void same_memory(vx_graph g, vx_image *out)
{
	const vx_imagepatch_addressing_t dense = {.dim_x = WIDTH, .dim_y = HEIGHT, .stride_x = 1, .stride_y = WIDTH, .scale_x = VX_SCALE_UNITY,
						  .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	vx_image x = input(1), a = between(g), b = between(g), view[2];
	for (int i = 0; i < 2; i++) {
		view[i] = vxCreateImageFromHandle(context, U8, &dense, (void *[]){memory}, VX_MEMORY_TYPE_HOST);
		VX_MADE(view[i]);
	}
	out[0] = input(0);
	VX_MADE(vxNotNode(g, view[0], a));
	VX_MADE(vxAbsDiffNode(g, a, x, b));
	VX_MADE(vxNotNode(g, b, view[1]));
	VX_MADE(vxNotNode(g, x, out[0]));
}

static int calls;
static vx_action VX_CALLBACK count_call(vx_node node)
{
	(void)node;
	calls++;
	return VX_ACTION_CONTINUE;
}

/* Who is called back hears of each node by itself. */
static void called_back(vx_graph g, vx_image *out)
{
	vx_image x = input(1), a = between(g);
	out[0] = input(0);
	vx_node node = vxNotNode(g, x, a);
	VX_MADE(node);
	VX_MADE(vxAbsDiffNode(g, a, x, out[0]));
	VX_OK(vxAssignNodeCallback(node, count_call));
}

/* ... and so does who measures. */
static void measured(vx_graph g, vx_image *out)
{
	chain(g, out);
	VX_OK(vxDirective((vx_reference)context, VX_DIRECTIVE_ENABLE_PERFORMANCE));
}

/* Items of an object array. */
static void replicated(vx_graph g, vx_image *out)
{
	vx_image x = input(1);
	vx_object_array a = vxCreateVirtualObjectArray(g, (vx_reference)x, 3), b = vxCreateObjectArray(context, (vx_reference)x, 3),
			in = vxCreateObjectArray(context, (vx_reference)x, 3);
	vx_image item[3] = {(vx_image)vxGetObjectArrayItem(in, 0), (vx_image)vxGetObjectArrayItem(a, 0), (vx_image)vxGetObjectArrayItem(b, 0)};
	vx_node first = vxNotNode(g, item[0], item[1]), second = vxNotNode(g, item[1], item[2]);
	for (int i = 0; i < 3; i++)
		VX_MADE(item[i]);
	VX_OK(vxReplicateNode(g, first, (vx_bool[]){vx_true_e, vx_true_e}, 2));
	VX_OK(vxReplicateNode(g, second, (vx_bool[]){vx_true_e, vx_true_e}, 2));
	out[0] = (vx_image)vxGetObjectArrayItem(b, 2);
	VX_MADE(out[0]);
}

/* Branches: each long enough to be there when the others are. */
static void branches(vx_graph g, vx_image *out)
{
	for (unsigned i = 0; i < 4; i++) {
		vx_image last = input(i + 1);
		for (unsigned k = 0; k < 3; k++) {
			vx_image next = k < 2 ? between(g) : (out[i] = input(0));
			vx_node node = vxMedian3x3Node(g, last, next);
			set_border(node);
			last = next;
		}
	}
}

enum { OUTPUTS = 4 };

static const struct scene {
	const char *name;
	void (*build)(vx_graph, vx_image *out);
	unsigned nodes, fused; /* launches of a run node by node, and of one that fuses */
} scenes[] = {
	{"chain", chain, 3, 1},
	{"diamond", diamond, 4, 1},
	{"seen", seen, 2, 2},
	{"two outputs", two_outputs, 3, 3},
	{"neighbours", neighbours, 5, 3},
	{"region", region, 4, 3},
	{"long chain", long_chain, 40, 3},
	{"many inputs", many_inputs, 11, 2},
	{"same memory", same_memory, 4, 4},
	{"called back", called_back, 2, 2},
	{"measured", measured, 3, 3},
	{"replicated", replicated, 6, 6},
	{"branches", branches, 12, 12},
};

/* In a process of its own: prints a number that depends on all results. */
static int scene_run(const char *name)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < COUNT(scenes); i++) {
		vx_image out[OUTPUTS] = {NULL};
		if (strcmp(scenes[i].name, name))
			continue;
		context = vxCreateContext();
		vx_graph graph = vxCreateGraph(context);
		scenes[i].build(graph, out);
		VX_OK(vxVerifyGraph(graph));
		VX_OK(vxProcessGraph(graph));
		vx_uint32 width = 0;
		for (unsigned k = 0; k < OUTPUTS && out[k]; k++) {
			VX_OK(vxQueryImage(out[k], VX_IMAGE_WIDTH, &width, sizeof width));
			sum = sum * 31 + (width == WIDTH ? sum_of(out[k]) : 0);
		}
		printf("%u %d\n", sum, calls);
		return vxReleaseContext(&context);
	}
	return 2;
}

/* ---- what the device did ---- */
enum { LAUNCHES_MAX = 256 };
struct seen_events {
	unsigned launches;
	struct {
		uint64_t begin, end;
		uint16_t queue;
	} launch[LAUNCHES_MAX];
	uint32_t sum;
	int calls;
};

static void events_read(const char *path, struct seen_events *s)
{
	const char *error = NULL;
	struct event_record rec;
	struct event_reader *r = event_reader_open(path, &error);
	int more;
	if (!r)
		fail_msg("%s", error);
	while ((more = event_reader_next(r, &rec, &error)) > 0) {
		if (rec.opened)
			continue;
		if (rec.event.kind == EVENT_DISPATCH) {
			assert_true(s->launches < LAUNCHES_MAX);
			s->launch[s->launches].begin = rec.event.cycle;
			s->launch[s->launches].queue = rec.event.queue;
			s->launch[s->launches++].end = 0;
		}
		/* the queue's that has not ended */
		for (unsigned i = 0; rec.event.kind == EVENT_DISPATCH_END && i < s->launches; i++)
			if (s->launch[i].queue == rec.event.queue && !s->launch[i].end)
				s->launch[i].end = rec.event.cycle;
	}
	if (more < 0)
		fail_msg("%s", error);
	event_reader_close(r);
}

/* Runs a scene and counts. */
static struct seen_events look(const char *scene, const char *fusion, const char *queues)
{
	char program[PATH_MAX], events[PATH_MAX + 16], line[64] = "";
	struct seen_events s = {0};
	int ends[2], status = 0;
	program_path(program, 0);
	snprintf(events, sizeof events, "%s.XXXXXX", program);
	const int file = mkstemp(events);
	assert_true(file >= 0);
	assert_int_equal(pipe(ends), 0);
	now_testing("%s, fusion %s, %s queues", scene, fusion, queues);
	const pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		choose(fusion, queues);
		setenv("GALENA_EVENTS", events, 1);
		setenv("GALENA_DEVICES", "1", 1);
		execl(program, program, "--scene", scene, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	FILE *out = fdopen(ends[0], "r");
	assert_non_null(out);
	char *answer = fgets(line, sizeof line, out);
	assert_int_equal(waitpid(child, &status, 0), child);
	fclose(out);
	if (!answer || status)
		fail_msg("%s: it ended with status 0x%x", what, (unsigned)status);
	assert_int_equal(sscanf(line, "%u %d", &s.sum, &s.calls), 2);
	events_read(events, &s);
	close(file);
	unlink(events);
	return s;
}

static bool overlap(const struct seen_events *s)
{
	for (unsigned i = 0; i < s->launches; i++)
		for (unsigned k = 0; k < i; k++)
			if (s->launch[i].queue != s->launch[k].queue && s->launch[i].begin < s->launch[k].end && s->launch[k].begin < s->launch[i].end)
				return true;
	return false;
}

static void launches(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(scenes); i++) {
		const struct scene *c = &scenes[i];
		const struct seen_events apart = look(c->name, "0", "1"), fused = look(c->name, "1", "1"), all = look(c->name, "1", "4");
		print_message("%s: %u launches, %u, %u\n", c->name, apart.launches, fused.launches, all.launches);
		assert_int_equal(apart.launches, c->nodes);
		assert_int_equal(fused.launches, c->fused);
		assert_int_equal(all.launches, c->fused);
		assert_int_equal(fused.sum, apart.sum);
		assert_int_equal(all.sum, apart.sum);
		assert_int_equal(all.calls, c->build == called_back);
		assert_false(overlap(&fused));
		/* whose nodes are all in one chain, or run one by one, have nothing to run beside */
		if (c->build == branches)
			assert_true(overlap(&all));
		if (c->build == chain || c->build == measured || c->build == same_memory || c->build == called_back)
			assert_false(overlap(&all));
	}
}

/* ---- performance, callbacks ---- */
static void attributes(void **state)
{
	(void)state;
	for (int measures = 0; measures < 2; measures++) {
		vx_graph g = vxCreateGraph(context);
		vx_image x = input(1), a = between(g), out = input(0);
		vx_node nodes[2] = {vxNotNode(g, x, a), vxAbsDiffNode(g, a, x, out)};
		choose("1", "4");
		VX_OK(vxDirective((vx_reference)context, measures ? VX_DIRECTIVE_ENABLE_PERFORMANCE : VX_DIRECTIVE_DISABLE_PERFORMANCE));
		VX_OK(vxVerifyGraph(g));
		for (int i = 0; i < 3; i++)
			VX_OK(vxProcessGraph(g));
		/* a callback that comes later counts at once, and sees its node's output written */
		calls = 0;
		VX_OK(vxAssignNodeCallback(nodes[0], count_call));
		VX_OK(vxProcessGraph(g));
		assert_int_equal(calls, 1);
		VX_OK(vxAssignNodeCallback(nodes[0], NULL));
		VX_OK(vxProcessGraph(g));
		assert_int_equal(calls, 1);
		for (int i = 0; i < 2; i++) {
			vx_perf_t p = {0};
			vx_status status = VX_FAILURE;
			VX_OK(vxQueryNode(nodes[i], VX_NODE_PERFORMANCE, &p, sizeof p));
			VX_OK(vxQueryNode(nodes[i], VX_NODE_STATUS, &status, sizeof status));
			assert_int_equal(status, VX_SUCCESS);
			assert_int_equal(p.num, 5);
			assert_true(p.beg && p.beg <= p.end && p.min <= p.avg && p.avg <= p.max);
			VX_OK(vxReleaseNode(&nodes[i]));
		}
		/* what is between is as verification has found it, and hidden */
		vx_uint32 width = 0;
		vx_df_image format = 0;
		uint8_t bytes[PIXELS];
		VX_OK(vxQueryImage(a, VX_IMAGE_WIDTH, &width, sizeof width));
		VX_OK(vxQueryImage(a, VX_IMAGE_FORMAT, &format, sizeof format));
		assert_int_equal(width, WIDTH);
		assert_int_equal(format, U8);
		VX_FAILS(VX_ERROR_OPTIMIZED_AWAY, move_u8(a, bytes, VX_READ_ONLY));
		VX_OK(vxReleaseGraph(&g));
		VX_OK(vxReleaseImage(&x));
		VX_OK(vxReleaseImage(&a));
		VX_OK(vxReleaseImage(&out));
	}
	VX_OK(vxDirective((vx_reference)context, VX_DIRECTIVE_DISABLE_PERFORMANCE));
}

/* A value that is changed between runs changes what is computed, and which function computes it. */
static void values_between_runs(void **state)
{
	(void)state;
	static const vx_float32 scales[] = {0.5f, 0.3f, 1.0f / 255, 1, 0.5f};
	vx_image x = input(1), y = input(2), out[2] = {input(0), input(0)};
	vx_graph graphs[2];
	vx_scalar scale = vxCreateScalar(context, VX_TYPE_FLOAT32, &scales[0]);
	for (int i = 0; i < 2; i++) {
		graphs[i] = vxCreateGraph(context);
		vx_image a = between(graphs[i]);
		VX_MADE(vxMultiplyNode(graphs[i], x, y, scale, VX_CONVERT_POLICY_SATURATE, VX_ROUND_POLICY_TO_NEAREST_EVEN, a));
		VX_MADE(vxXorNode(graphs[i], a, y, out[i]));
		choose(i ? "1" : "0", "1");
		VX_OK(vxVerifyGraph(graphs[i]));
		VX_OK(vxReleaseImage(&a));
	}
	uint32_t before = 0;
	for (size_t k = 0; k < COUNT(scales); k++) {
		vx_float32 value = scales[k];
		VX_OK(vxCopyScalar(scale, &value, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		VX_OK(vxProcessGraph(graphs[0]));
		VX_OK(vxProcessGraph(graphs[1]));
		const uint32_t sum = sum_of(out[0]);
		assert_int_equal(sum_of(out[1]), sum);
		assert_int_not_equal(sum, before);
		before = sum;
	}
	for (int i = 0; i < 2; i++) {
		VX_OK(vxReleaseGraph(&graphs[i]));
		VX_OK(vxReleaseImage(&out[i]));
	}
	VX_OK(vxReleaseScalar(&scale));
	VX_OK(vxReleaseImage(&x));
	VX_OK(vxReleaseImage(&y));
}

/* ---- what the host has to know in between ---- */
static vx_status VX_CALLBACK validate(vx_node node, const vx_reference parameters[], vx_uint32 num, vx_meta_format metas[])
{
	(void)node;
	return vxSetMetaFormatFromReference(metas[num - 1], parameters[0]);
}

/* On the host: the mean of both. */
static vx_status VX_CALLBACK mean_of(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	uint8_t a[PIXELS], b[PIXELS];
	(void)node;
	(void)num;
	VX_OK(move_u8((vx_image)parameters[0], a, VX_READ_ONLY));
	VX_OK(move_u8((vx_image)parameters[1], b, VX_READ_ONLY));
	for (unsigned i = 0; i < PIXELS; i++)
		a[i] = (uint8_t)((a[i] + b[i]) / 2);
	return move_u8((vx_image)parameters[2], a, VX_WRITE_ONLY);
}

static vx_kernel mean_kernel(void)
{
	vx_kernel kernel = vxAddUserKernel(context, "galena.test.mean_of", VX_KERNEL_BASE(VX_ID_USER, 0) + 7, mean_of, 3, validate, NULL, NULL);
	VX_MADE(kernel);
	for (vx_uint32 i = 0; i < 3; i++)
		VX_OK(vxAddParameterToKernel(kernel, i, i < 2 ? VX_INPUT : VX_OUTPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	VX_OK(vxFinalizeKernel(kernel));
	return kernel;
}

/* Branches that end in a function of the application's, and branches behind it; and one that a scalar of the device's decides,
 * which the host reads to launch it. */
static void mixed_graph(vx_graph g, vx_kernel kernel, vx_image *out)
{
	vx_image x = input(1), y = input(2), a = between(g), b = between(g), c = between(g), d = between(g), e = between(g);
	const vx_float32 most = 256;
	const vx_enum divide = VX_SCALAR_OP_DIVIDE;
	vx_scalar mean = vxCreateVirtualScalar(g, VX_TYPE_FLOAT32), alpha = vxCreateScalar(context, VX_TYPE_FLOAT32, &(vx_float32){0}),
		  limit = vxCreateScalar(context, VX_TYPE_FLOAT32, &most);
	for (unsigned i = 0; i < 3; i++)
		out[i] = input(0);
	set_border(vxMedian3x3Node(g, x, a));
	set_border(vxBox3x3Node(g, y, b));
	vx_node node = vxCreateGenericNode(g, kernel);
	VX_MADE(node);
	VX_OK(vxSetParameterByIndex(node, 0, (vx_reference)a));
	VX_OK(vxSetParameterByIndex(node, 1, (vx_reference)b));
	VX_OK(vxSetParameterByIndex(node, 2, (vx_reference)c));
	VX_OK(vxReleaseNode(&node));
	set_border(vxDilate3x3Node(g, c, out[0]));
	VX_MADE(vxNotNode(g, c, d));
	VX_MADE(vxXorNode(g, d, a, out[1]));
	VX_MADE(vxMeanStdDevNode(g, y, mean, NULL));
	VX_MADE(vxScalarOperationNode(g, divide, mean, limit, alpha));
	set_border(vxErode3x3Node(g, x, e));
	VX_MADE(vxWeightedAverageNode(g, e, alpha, y, out[2]));
}

static void host_in_between(void **state)
{
	(void)state;
	vx_kernel kernel = mean_kernel();
	uint32_t expected[3] = {0};
	for (size_t m = 0; m < COUNT(modes); m++) {
		vx_graph g = vxCreateGraph(context);
		vx_image out[3];
		choose(modes[m].fusion, modes[m].queues);
		mixed_graph(g, kernel, out);
		VX_OK(vxVerifyGraph(g));
		for (int round = 0; round < 2; round++) {
			VX_OK(vxProcessGraph(g));
			for (unsigned i = 0; i < 3; i++) {
				const uint32_t sum = sum_of(out[i]);
				if (m || round)
					assert_int_equal(sum, expected[i]);
				expected[i] = sum;
			}
		}
		VX_OK(vxReleaseGraph(&g));
	}
	VX_OK(vxRemoveKernel(kernel));
}

/* Delays that age while branches read their slots. */
static void delays(void **state)
{
	enum { ROUNDS = 5 };
	(void)state;
	uint32_t expected[ROUNDS][2] = {{0}};
	for (size_t m = 0; m < COUNT(modes); m++) {
		choose(modes[m].fusion, modes[m].queues);
		vx_graph g = vxCreateGraph(context);
		vx_image x = input(3), out[2] = {input(0), input(0)}, a = between(g), b = between(g), start = input(5);
		vx_delay delay = vxCreateDelay(context, (vx_reference)x, 2);
		vx_image now = (vx_image)vxGetReferenceFromDelay(delay, 0), before = (vx_image)vxGetReferenceFromDelay(delay, -1);
		uint8_t bytes[PIXELS];
		VX_MADE(delay);
		VX_OK(move_u8(start, bytes, VX_READ_ONLY));
		VX_OK(move_u8(now, bytes, VX_WRITE_ONLY));
		VX_OK(move_u8(before, bytes, VX_WRITE_ONLY));
		VX_MADE(vxAddNode(g, before, x, VX_CONVERT_POLICY_WRAP, now));
		VX_MADE(vxNotNode(g, now, a));
		VX_MADE(vxXorNode(g, a, before, out[0]));
		set_border(vxMedian3x3Node(g, before, b));
		VX_MADE(vxAbsDiffNode(g, b, x, out[1]));
		VX_OK(vxRegisterAutoAging(g, delay));
		VX_OK(vxVerifyGraph(g));
		for (int round = 0; round < ROUNDS; round++) {
			VX_OK(vxProcessGraph(g));
			for (int i = 0; i < 2; i++) {
				const uint32_t sum = sum_of(out[i]);
				if (m)
					assert_int_equal(sum, expected[round][i]);
				expected[round][i] = sum;
			}
		}
		VX_OK(vxReleaseGraph(&g));
		VX_OK(vxReleaseDelay(&delay));
	}
	assert_int_not_equal(expected[0][0], expected[1][0]);
}

/* What branches use for the first time: an image that is the same everywhere, regions of an image that nobody has written, a
 * condition that the device does not have yet. Each branch finds it made, whichever begins first. */
static void first_use(void **state)
{
	enum { BRANCHES = 4 };
	(void)state;
	for (size_t m = 0; m < COUNT(modes); m++) {
		const vx_pixel_value_t value = {.U8 = 77};
		choose(modes[m].fusion, modes[m].queues);
		vx_graph g = vxCreateGraph(context);
		vx_image uniform = vxCreateUniformImage(context, WIDTH, HEIGHT, U8, &value), whole = image_u8(WIDTH, BRANCHES * HEIGHT);
		vx_image x = input(1), y = input(2), even[BRANCHES], chosen[BRANCHES];
		vx_scalar condition = vxCreateScalar(context, VX_TYPE_BOOL, &(vx_bool){vx_true_e});
		uint8_t bytes[BRANCHES * PIXELS];
		VX_MADE(uniform);
		for (vx_uint32 i = 0; i < BRANCHES; i++) {
			vx_image part = vxCreateImageFromROI(whole, &(vx_rectangle_t){0, i * HEIGHT, WIDTH, (i + 1) * HEIGHT});
			even[i] = image_u8(WIDTH, HEIGHT);
			chosen[i] = image_u8(WIDTH, HEIGHT);
			set_border(vxMedian3x3Node(g, uniform, even[i]));
			VX_MADE(vxSelectNode(g, condition, (vx_reference)x, (vx_reference)y, (vx_reference)chosen[i]));
			VX_MADE(vxNotNode(g, x, part));
		}
		VX_OK(vxVerifyGraph(g));
		VX_OK(vxProcessGraph(g));
		VX_OK(move_u8(whole, bytes, VX_READ_ONLY));
		for (unsigned k = PIXELS; k < BRANCHES * PIXELS; k++)
			assert_int_equal(bytes[k], bytes[k % PIXELS]);
		for (unsigned i = 0; i < BRANCHES; i++) {
			assert_int_equal(sum_of(chosen[i]), sum_of(x));
			VX_OK(move_u8(even[i], bytes, VX_READ_ONLY));
			for (unsigned k = 0; k < PIXELS; k++)
				assert_int_equal(bytes[k], 77);
		}
		VX_OK(vxReleaseGraph(&g));
	}
}

/* Bit images that are neighbours in one byte, written by branches. */
static void shared_bytes(void **state)
{
	(void)state;
	enum { PART = 13, STEP = 16, PARTS = 6 }; /* regions begin with a byte */
	struct pixels in = random_pixels(PART, 9, U1), got = zero_pixels(STEP * PARTS, 9, U1);
	for (size_t m = 0; m < COUNT(modes); m++) {
		choose(modes[m].fusion, modes[m].queues);
		vx_graph g = vxCreateGraph(context);
		vx_image x = vxCreateImage(context, PART, 9, U1), whole = vxCreateImage(context, STEP * PARTS, 9, U1);
		upload(x, &in);
		for (vx_uint32 i = 0; i < PARTS; i++) {
			vx_image part = vxCreateImageFromROI(whole, &(vx_rectangle_t){i * STEP, 0, i * STEP + PART, 9});
			VX_MADE(part);
			if (i % 2)
				VX_MADE(vxNotNode(g, x, part));
			else
				VX_MADE(vxCopyNode(g, (vx_reference)x, (vx_reference)part));
		}
		VX_OK(vxVerifyGraph(g));
		VX_OK(vxProcessGraph(g));
		download(whole, &got);
		for (vx_uint32 y = 0; y < 9; y++)
			for (vx_uint32 i = 0; i < STEP * PARTS; i++)
				if (i % STEP < PART)
					assert_int_equal(pixel_get(&got, i, y), pixel_get(&in, i % STEP, y) ^ (i / STEP & 1));
		VX_OK(vxReleaseGraph(&g));
		VX_OK(vxReleaseImage(&x));
		VX_OK(vxReleaseImage(&whole));
	}
	free_pixels(&in);
	free_pixels(&got);
}

/* ---- the coordination queue ---- */
/* A graph of branches begins behind what is in the queue, ends before what comes behind it, and nobody waits for either. */
static void asynchronous(void **state)
{
	(void)state;
	const vx_imagepatch_addressing_t dense = {.dim_x = WIDTH, .dim_y = HEIGHT, .stride_x = 1, .stride_y = WIDTH, .scale_x = VX_SCALE_UNITY,
						  .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	cl_platform_id platforms[16], platform = NULL;
	cl_device_id device;
	cl_uint n = 0;
	cl_int code, status = 0;
	cl_event gate, last;
	cl_mem in[2], out[2];
	vx_image x[2], z[2];
	uint8_t bytes[PIXELS];
	assert_int_equal(clGetPlatformIDs(16, platforms, &n), CL_SUCCESS);
	for (cl_uint i = 0; i < n; i++) {
		char name[64] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (!strcmp(name, "Galena"))
			platform = platforms[i];
	}
	assert_non_null(platform);
	assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
	cl_context cl = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
	cl_command_queue queue = clCreateCommandQueueWithProperties(cl, device, NULL, &code);
	choose("1", "4");
	vx_context own = context;
	context = vxCreateContextFromCL(cl, queue);
	VX_MADE(context);
	vx_graph g = vxCreateGraph(context);
	for (int i = 0; i < 2; i++) {
		in[i] = clCreateBuffer(cl, CL_MEM_READ_WRITE, PIXELS, NULL, &code);
		out[i] = clCreateBuffer(cl, CL_MEM_READ_WRITE, PIXELS, NULL, &code);
		x[i] = vxCreateImageFromHandle(context, U8, &dense, (void *[]){in[i]}, VX_MEMORY_TYPE_OPENCL_BUFFER);
		z[i] = vxCreateImageFromHandle(context, U8, &dense, (void *[]){out[i]}, VX_MEMORY_TYPE_OPENCL_BUFFER);
		VX_MADE(x[i]);
		VX_MADE(z[i]);
	}
	for (int i = 0; i < 2; i++) {
		vx_image a = between(g), b = between(g);
		set_border(vxErode3x3Node(g, x[i], a));
		VX_MADE(vxNotNode(g, a, b));
		VX_MADE(vxXorNode(g, b, x[!i], z[i]));
	}
	VX_OK(vxVerifyGraph(g));
	gate = clCreateUserEvent(cl, &code);
	assert_int_equal(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL), CL_SUCCESS);
	for (int i = 0; i < 2; i++)
		assert_int_equal(clEnqueueFillBuffer(queue, in[i], &(cl_uchar){i ? 0x35 : 0x0f}, 1, 0, PIXELS, 0, NULL, NULL), CL_SUCCESS);
	VX_OK(vxProcessGraph(g));
	for (int i = 0; i < 2; i++)
		assert_int_equal(clEnqueueFillBuffer(queue, in[i], &(cl_uchar){0xff}, 1, 0, PIXELS, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueMarkerWithWaitList(queue, 0, NULL, &last), CL_SUCCESS);
	assert_int_equal(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
	assert_true(status > CL_COMPLETE);
	assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(clEnqueueReadBuffer(queue, out[i], CL_TRUE, 0, PIXELS, bytes, 0, NULL, NULL), CL_SUCCESS);
		for (int k = 0; k < PIXELS; k++)
			assert_int_equal(bytes[k], (i ? 0xca : 0xf0) ^ (i ? 0x0f : 0x35));
	}
	VX_OK(vxReleaseContext(&context));
	context = own;
	clReleaseEvent(last);
	clReleaseEvent(gate);
	for (int i = 0; i < 2; i++) {
		clReleaseMemObject(in[i]);
		clReleaseMemObject(out[i]);
	}
	clReleaseCommandQueue(queue);
	clReleaseContext(cl);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches), cmocka_unit_test(attributes), cmocka_unit_test(values_between_runs), cmocka_unit_test(host_in_between),
		cmocka_unit_test(delays), cmocka_unit_test(first_use), cmocka_unit_test(shared_bytes), cmocka_unit_test(asynchronous),
	};
	build_tree_loader();
	if (argc == 3 && !strcmp(argv[1], "--scene"))
		return scene_run(argv[2]);
	seed_start(argc, argv);
	return cmocka_run_group_tests(tests, make_context, end_context);
}
