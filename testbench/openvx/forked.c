/* A process that forks while it has contexts, and while threads of its own and of the library are at work in them: what the child
 * inherits is its parent's, and nothing that it does with it hangs, or harms the parent. */
#include "testbench/build_tree.h"
#include "testbench/openvx/vx.h"
#include "testbench/forks.h"
#include <VX/vx_khr_pipelining.h>

enum { WIDTH = 48, HEIGHT = 16, PIXELS = WIDTH * HEIGHT, FORKS = 50, OWN = 6 };

static vx_graph graph, scheduled;
static vx_image in, out, out2;

static vx_graph inverts(vx_context of, vx_image from, vx_image to)
{
	vx_graph g = vxCreateGraph(of);
	vx_node n = vxNotNode(g, from, to);
	return vxReleaseNode(&n) || vxVerifyGraph(g) ? NULL : g;
}

static vx_status move(vx_image image, uint8_t *bytes, vx_enum usage)
{
	const vx_rectangle_t all = {0, 0, WIDTH, HEIGHT};
	const vx_imagepatch_addressing_t dense = {.dim_x = WIDTH, .dim_y = HEIGHT, .stride_x = 1, .stride_y = WIDTH, .scale_x = VX_SCALE_UNITY,
						  .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	return vxCopyImagePatch(image, &all, 0, &dense, bytes, usage, VX_MEMORY_TYPE_HOST);
}

/* ---- the parent ---- */

/* Inverts a frame of one value, again and again, and looks at what has come out. */
static void *process(void *unused)
{
	uint8_t bytes[PIXELS];
	for (unsigned n = 0; !stop; n++) {
		memset(bytes, (int)(n & 255), PIXELS);
		wrong += move(in, bytes, VX_WRITE_ONLY) || vxProcessGraph(graph) || move(out, bytes, VX_READ_ONLY);
		for (int i = 0; i < PIXELS; i++)
			wrong += bytes[i] != (uint8_t)~n;
		rounds++;
	}
	return unused;
}

/* With threads of the library's. */
static void *schedule(void *unused)
{
	while (!stop) {
		wrong += vxScheduleGraph(scheduled) || vxWaitGraph(scheduled);
		rounds++;
	}
	return unused;
}

/* Objects and contexts come and go. */
static void *create(void *unused)
{
	while (!stop) {
		vx_context c = vxCreateContext();
		vx_image image = vxCreateImage(c, 640, 480, VX_DF_IMAGE_U8);
		wrong += vxGetStatus((vx_reference)image) || vxReleaseImage(&image) || vxReleaseContext(&c);
		rounds++;
	}
	return unused;
}

static int begin(void **state)
{
	if (make_context(state))
		return -1;
	in = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	out = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	out2 = vxCreateImage(context, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	graph = inverts(context, in, out);
	scheduled = inverts(context, in, out2);
	return graph && scheduled ? 0 : -1;
}

static int end(void **state)
{
	return vxReleaseGraph(&graph) || vxReleaseGraph(&scheduled) || vxReleaseImage(&in) || vxReleaseImage(&out) || vxReleaseImage(&out2) ||
	       end_context(state);
}

static void *(*const busy[BUSY])(void *) = {process, schedule, create};

/* ---- the children ---- */
static void release_context(void)
{
	vx_context c = context;
	CHILD_OK(vxReleaseContext(&c) == VX_SUCCESS);
	CHILD_OK(!c);
}

static void contexts_released(void **state)
{
	(void)state;
	children(busy, FORKS, release_context, false);
}

static void release_objects(void)
{
	vx_reference reference = (vx_reference)out2;
	CHILD_OK(vxReleaseGraph(&graph) == VX_SUCCESS && !graph);
	CHILD_OK(vxReleaseGraph(&scheduled) == VX_SUCCESS && !scheduled);
	CHILD_OK(vxReleaseImage(&in) == VX_SUCCESS && !in);
	CHILD_OK(vxReleaseReference(&reference) == VX_SUCCESS && !reference);
	reference = (vx_reference)context;
	CHILD_OK(vxReleaseReference(&reference) == VX_SUCCESS && !reference);
	/* of that type, as ever */
	CHILD_OK(vxReleaseGraph((vx_graph *)&out) == VX_ERROR_INVALID_REFERENCE && out);
}

static void objects_released(void **state)
{
	(void)state;
	children(busy, FORKS, release_objects, false);
}

/* At the end of the process, as C++ programs do. */
static void at_end(void) { release_context(); }
static void register_at_end(void) { CHILD_OK(!atexit(at_end)); }

static void exits(void **state)
{
	(void)state;
	children(busy, FORKS, register_at_end, true);
}

/* Nothing works with what is the parent's, and nothing waits. */
static void use(void)
{
	uint8_t bytes[PIXELS] = {0};
	vx_uint32 references = 0;
	vx_event_t event;
	CHILD_OK(vxProcessGraph(graph) == VX_ERROR_INVALID_REFERENCE);
	CHILD_OK(vxScheduleGraph(graph) == VX_ERROR_INVALID_REFERENCE);
	CHILD_OK(vxWaitGraph(scheduled) == VX_ERROR_INVALID_REFERENCE);
	CHILD_OK(vxVerifyGraph(graph) == VX_ERROR_INVALID_REFERENCE);
	CHILD_OK(vxWaitEvent(context, &event, vx_false_e) == VX_ERROR_INVALID_REFERENCE);
	CHILD_OK(move(in, bytes, VX_WRITE_ONLY) == VX_ERROR_INVALID_REFERENCE);
	CHILD_OK(vxQueryContext(context, VX_CONTEXT_REFERENCES, &references, sizeof references) == VX_ERROR_INVALID_REFERENCE);
	CHILD_OK(vxRetainReference((vx_reference)out) == VX_ERROR_INVALID_REFERENCE);
	CHILD_OK(vxGetStatus((vx_reference)out) == VX_ERROR_INVALID_REFERENCE);
	CHILD_OK(!vxGetContext((vx_reference)out));
	CHILD_OK(vxuNot(context, in, out) == VX_ERROR_INVALID_REFERENCE);
	CHILD_OK(vxGetStatus((vx_reference)vxCreateGraph(context)) != VX_SUCCESS);
}

static void refused(void **state)
{
	(void)state;
	children(busy, FORKS, use, false);
}

static void own_context(void)
{
	uint8_t bytes[PIXELS];
	vx_context own = vxCreateContext();
	CHILD_OK(vxGetStatus((vx_reference)own) == VX_SUCCESS);
	vx_image from = vxCreateImage(own, WIDTH, HEIGHT, VX_DF_IMAGE_U8), to = vxCreateImage(own, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	vx_graph g = inverts(own, from, to);
	CHILD_OK(g);
	/* an object of the parent's does not get into it */
	CHILD_OK(vxGetStatus((vx_reference)vxNotNode(g, in, to)) != VX_SUCCESS);
	for (int n = 0; n < 3; n++) {
		memset(bytes, n, PIXELS);
		CHILD_OK(move(from, bytes, VX_WRITE_ONLY) == VX_SUCCESS);
		CHILD_OK((n ? vxProcessGraph(g) : vxScheduleGraph(g) || vxWaitGraph(g)) == VX_SUCCESS);
		CHILD_OK(move(to, bytes, VX_READ_ONLY) == VX_SUCCESS);
		for (int i = 0; i < PIXELS; i++)
			CHILD_OK(bytes[i] == (uint8_t)~n);
	}
	release_context();
	CHILD_OK(vxReleaseGraph(&g) == VX_SUCCESS && vxReleaseImage(&from) == VX_SUCCESS && vxReleaseImage(&to) == VX_SUCCESS);
	CHILD_OK(vxReleaseContext(&own) == VX_SUCCESS);
}

static void own_contexts(void **state)
{
	(void)state;
	children(busy, OWN, own_context, true);
}

/* A child that has a context forks in turn. */
static void own_and_fork(void)
{
	vx_context own = vxCreateContext(), mine = own;
	int status = 0;
	CHILD_OK(vxGetStatus((vx_reference)own) == VX_SUCCESS);
	const pid_t child = fork();
	if (!child) {
		alarm(CHILD_SECONDS);
		CHILD_OK(vxGetStatus((vx_reference)own) == VX_ERROR_INVALID_REFERENCE);
		CHILD_OK(vxReleaseContext(&mine) == VX_SUCCESS);
		own_context();
		exit(0);
	}
	CHILD_OK(waitpid(child, &status, 0) == child && !status);
	CHILD_OK(vxGetStatus((vx_reference)own) == VX_SUCCESS);
	CHILD_OK(vxReleaseContext(&own) == VX_SUCCESS);
}

static void grandchildren(void **state)
{
	(void)state;
	children(busy, OWN, own_and_fork, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts_released), cmocka_unit_test(objects_released), cmocka_unit_test(exits),
		cmocka_unit_test(refused),           cmocka_unit_test(own_contexts),     cmocka_unit_test(grandchildren),
	};
	build_tree_loader();
	cmocka_set_test_filter(getenv("TEST_FILTER"));
	return cmocka_run_group_tests(tests, begin, end);
}
