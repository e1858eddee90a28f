/* What tests of vx_khr_pipelining share: a coordination queue that can be shut, images, graphs whose results can be predicted, and
 * kernels of the application's that say what they see. Kernels run in threads of the library's: they note, and assert nothing. */
#ifndef GALENA_TESTBENCH_OPENVX_PIPELINES_H
#define GALENA_TESTBENCH_OPENVX_PIPELINES_H
#include "testbench/build_tree.h"
#include "testbench/openvx/compare.h"
#include <CL/cl.h>
#include <VX/vx_khr_opencl_interop.h>
#include <VX/vx_khr_pipelining.h>
#include <pthread.h>

enum { WIDTH = 19, HEIGHT = 6, PIXELS = WIDTH * HEIGHT, REFS_MAX = 6 };

/* ---- the context ---- */
static cl_context cl;
static cl_command_queue queue;

static inline int open_context(void **state)
{
	(void)state;
	context = vxCreateContext();
	return vxGetStatus((vx_reference)context) || vxQueryContext(context, VX_CONTEXT_CL_CONTEXT, &cl, sizeof cl) ||
	       vxQueryContext(context, VX_CONTEXT_CL_COMMAND_QUEUE, &queue, sizeof queue);
}

/* Nothing that is enqueued from now on begins before the event is set: by open_queue(), or by a kernel's command. */
static inline cl_event shut_queue(void)
{
	cl_int code = CL_SUCCESS;
	cl_event gate = clCreateUserEvent(cl, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL), CL_SUCCESS);
	return gate;
}

static inline void open_queue(cl_event gate)
{
	assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
	clReleaseEvent(gate);
}

/* ---- images ---- */
static inline vx_status copy_frame(vx_image image, uint8_t *bytes, vx_enum usage)
{
	const vx_rectangle_t all = {0, 0, WIDTH, HEIGHT};
	const vx_imagepatch_addressing_t dense = {.dim_x = WIDTH, .dim_y = HEIGHT, .stride_x = 1, .stride_y = WIDTH, .scale_x = VX_SCALE_UNITY,
						  .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	return vxCopyImagePatch(image, &all, 0, &dense, bytes, usage, VX_MEMORY_TYPE_HOST);
}

static inline void random_frame(uint8_t *bytes)
{
	for (int i = 0; i < PIXELS; i++)
		bytes[i] = (uint8_t)splitmix64(&seed);
}

static inline void expect_frame(vx_image image, const uint8_t *expected)
{
	uint8_t got[PIXELS];
	RAN(copy_frame(image, got, VX_READ_ONLY));
	for (int i = 0; i < PIXELS; i++)
		if (got[i] != expected[i])
			fail_msg("%s: pixel %d is 0x%02x, expected 0x%02x; seed %llu", what, i, got[i], expected[i], (unsigned long long)seed_first);
}

static inline vx_image new_image(void) { return image_u8(WIDTH, HEIGHT); }

/* ---- parameters of graphs ---- */
static inline void add_parameter(vx_graph graph, vx_node node, vx_uint32 index)
{
	vx_parameter parameter = vxGetParameterByIndex(node, index);
	CREATED(parameter);
	RAN(vxAddParameterToGraph(graph, parameter));
	RAN(vxReleaseParameter(&parameter));
}

static inline vx_uint32 done_at(vx_graph graph, vx_uint32 parameter)
{
	vx_uint32 count = 77;
	RAN(vxGraphParameterCheckDoneRef(graph, parameter, &count));
	return count;
}

static inline void enqueue(vx_graph graph, vx_uint32 parameter, void *ref)
{
	vx_reference one = ref;
	RAN(vxGraphParameterEnqueueReadyRef(graph, parameter, &one, 1));
}

static inline void *dequeue(vx_graph graph, vx_uint32 parameter)
{
	vx_reference one = NULL;
	vx_uint32 count = 0;
	RAN(vxGraphParameterDequeueDoneRef(graph, parameter, &one, 1, &count));
	assert_int_equal(count, 1);
	assert_non_null(one);
	return one;
}

static inline vx_enum state_of(vx_graph graph)
{
	vx_enum is = 0;
	RAN(vxQueryGraph(graph, VX_GRAPH_STATE, &is, sizeof is));
	return is;
}

#define AUTO VX_GRAPH_SCHEDULE_MODE_QUEUE_AUTO
#define MANUAL VX_GRAPH_SCHEDULE_MODE_QUEUE_MANUAL
#define NORMAL VX_GRAPH_SCHEDULE_MODE_NORMAL

/* One queue. */
static inline vx_status configure(vx_graph graph, vx_enum mode, vx_uint32 index, vx_uint32 size, void *refs)
{
	return vxSetGraphScheduleConfig(graph, mode, 1, &(vx_graph_parameter_queue_params_t){index, size, refs});
}

/* ---- a graph: in, inverted, exclusive or with a key, out ---- */
struct pipe {
	vx_graph graph;
	vx_node first, second;
	vx_uint32 count;                  /* references of each queue */
	vx_image in[REFS_MAX], out[REFS_MAX], key;
	uint8_t key_pixels[PIXELS];
};

static inline void predict(const struct pipe *p, const uint8_t *in, uint8_t *out)
{
	for (int i = 0; i < PIXELS; i++)
		out[i] = (uint8_t)(~in[i] ^ p->key_pixels[i]);
}

/* Parameters 0 and 1 of the graph are in and out. Not yet verified, and without queues. */
static inline struct pipe pipe_make(vx_uint32 count)
{
	struct pipe p = {.graph = vxCreateGraph(context), .count = count, .key = new_image()};
	CREATED(p.graph);
	for (vx_uint32 i = 0; i < count; i++) {
		p.in[i] = new_image();
		p.out[i] = new_image();
	}
	random_frame(p.key_pixels);
	RAN(copy_frame(p.key, p.key_pixels, VX_WRITE_ONLY));
	vx_image middle = vxCreateVirtualImage(p.graph, 0, 0, VX_DF_IMAGE_VIRT);
	p.second = vxXorNode(p.graph, middle, p.key, p.out[0]);
	p.first = vxNotNode(p.graph, p.in[0], middle);
	CREATED(p.first);
	CREATED(p.second);
	RAN(vxReleaseImage(&middle));
	add_parameter(p.graph, p.first, 0);
	add_parameter(p.graph, p.second, 2);
	return p;
}

static inline void pipe_queues(struct pipe *p, vx_enum mode)
{
	const vx_graph_parameter_queue_params_t list[] = {{0, p->count, (vx_reference *)p->in}, {1, p->count, (vx_reference *)p->out}};
	RAN(vxSetGraphScheduleConfig(p->graph, mode, 2, list));
}

static inline struct pipe pipe_open(vx_uint32 count, vx_enum mode)
{
	struct pipe p = pipe_make(count);
	pipe_queues(&p, mode);
	RAN(vxVerifyGraph(p.graph));
	return p;
}

static inline void pipe_release_images(struct pipe *p)
{
	for (vx_uint32 i = 0; i < p->count; i++) {
		RAN(vxReleaseImage(&p->in[i]));
		RAN(vxReleaseImage(&p->out[i]));
	}
	RAN(vxReleaseImage(&p->key));
}

static inline void pipe_close(struct pipe *p)
{
	RAN(vxReleaseNode(&p->first));
	RAN(vxReleaseNode(&p->second));
	RAN(vxReleaseGraph(&p->graph));
	pipe_release_images(p);
}

/* ---- a kernel that copies an image to another one, in the queue, and is counted ---- */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned calls;
	cl_event gate;            /* its copies wait for this, if there is one */
	vx_status (*inside)(vx_node, vx_reference *); /* called instead of copying, if there is one */
} copier = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static inline unsigned copier_calls(void)
{
	pthread_mutex_lock(&copier.lock);
	const unsigned calls = copier.calls;
	pthread_mutex_unlock(&copier.lock);
	return calls;
}

static inline void copier_await(unsigned calls)
{
	pthread_mutex_lock(&copier.lock);
	while (copier.calls < calls)
		pthread_cond_wait(&copier.changed, &copier.lock);
	pthread_mutex_unlock(&copier.lock);
}

static inline vx_status copy_in_queue(vx_node node, vx_image from, vx_image to)
{
	const vx_rectangle_t all = {0, 0, WIDTH, HEIGHT};
	vx_imagepatch_addressing_t a, b;
	vx_map_id in_map, out_map;
	cl_command_queue of = NULL;
	cl_mem in = NULL, out = NULL;
	vx_status status = vxQueryNode(node, VX_NODE_CL_COMMAND_QUEUE, &of, sizeof of);
	if (status || of != queue)
		return VX_FAILURE;
	status = vxMapImagePatch(from, &all, 0, &in_map, &a, (void **)&in, VX_READ_ONLY, VX_MEMORY_TYPE_OPENCL_BUFFER, 0);
	if (!status)
		status = vxMapImagePatch(to, &all, 0, &out_map, &b, (void **)&out, VX_WRITE_ONLY, VX_MEMORY_TYPE_OPENCL_BUFFER, 0);
	if (status)
		return status;
	if (copier.gate && clEnqueueBarrierWithWaitList(of, 1, &copier.gate, NULL))
		return VX_FAILURE;
	if (clEnqueueCopyBuffer(of, in, out, 0, 0, PIXELS, 0, NULL, NULL))
		return VX_FAILURE;
	status = vxUnmapImagePatch(from, in_map);
	return status ? status : vxUnmapImagePatch(to, out_map);
}

static inline vx_status VX_CALLBACK copier_run(vx_node node, const vx_reference *parameters, vx_uint32 num)
{
	(void)num;
	vx_reference *mine = (vx_reference *)(uintptr_t)parameters;
	const vx_status status = copier.inside ? copier.inside(node, mine) : copy_in_queue(node, (vx_image)mine[0], (vx_image)mine[1]);
	pthread_mutex_lock(&copier.lock);
	copier.calls++;
	pthread_cond_broadcast(&copier.changed);
	pthread_mutex_unlock(&copier.lock);
	return status;
}

static inline vx_status VX_CALLBACK like_first(vx_node node, const vx_reference parameters[], vx_uint32 num, vx_meta_format metas[])
{
	(void)node;
	return vxSetMetaFormatFromReference(metas[num - 1], parameters[0]);
}

/* A kernel with parameters that are all images; the last one is written. uses_opencl: enqueues. */
static inline vx_kernel add_kernel(const char *name, vx_kernel_f run, vx_uint32 num_parameters, vx_bool uses_opencl)
{
	vx_enum number = 0;
	RAN(vxAllocateUserKernelId(context, &number));
	vx_kernel kernel = vxAddUserKernel(context, name, number, run, num_parameters, like_first, NULL, NULL);
	CREATED(kernel);
	if (uses_opencl)
		RAN(vxSetKernelAttribute(kernel, VX_KERNEL_USE_OPENCL, &uses_opencl, sizeof uses_opencl));
	for (vx_uint32 i = 0; i < num_parameters; i++)
		RAN(vxAddParameterToKernel(kernel, i, i + 1 < num_parameters ? VX_INPUT : VX_OUTPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	RAN(vxFinalizeKernel(kernel));
	return kernel;
}

static inline vx_node node_of(vx_graph graph, vx_kernel kernel, vx_image a, vx_image b)
{
	vx_node node = vxCreateGenericNode(graph, kernel);
	CREATED(node);
	RAN(vxSetParameterByIndex(node, 0, (vx_reference)a));
	if (b)
		RAN(vxSetParameterByIndex(node, 1, (vx_reference)b));
	return node;
}

static vx_kernel copier_kernel;

static inline int open_with_copier(void **state)
{
	if (open_context(state))
		return -1;
	copier_kernel = add_kernel("galena.test.copier", copier_run, 2, vx_true_e);
	return 0;
}

static inline int close_context(void **state)
{
	(void)state;
	return vxReleaseContext(&context);
}

/* A graph: in, copied by the kernel, inverted, out; or, the other way round, inverted and then copied. Parameters as above. */
static inline struct pipe pipe_copied(vx_uint32 count, bool copied_first)
{
	struct pipe p = {.graph = vxCreateGraph(context), .count = count, .key = new_image()};
	for (vx_uint32 i = 0; i < count; i++) {
		p.in[i] = new_image();
		p.out[i] = new_image();
	}
	vx_image middle = vxCreateVirtualImage(p.graph, WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	p.first = copied_first ? node_of(p.graph, copier_kernel, p.in[0], middle) : vxNotNode(p.graph, p.in[0], middle);
	p.second = copied_first ? vxNotNode(p.graph, middle, p.out[0]) : node_of(p.graph, copier_kernel, middle, p.out[0]);
	CREATED(p.first);
	CREATED(p.second);
	RAN(vxReleaseImage(&middle));
	add_parameter(p.graph, p.first, 0);
	add_parameter(p.graph, p.second, 1);
	copier.calls = 0;
	return p;
}

/* A graph: in, through a kernel, inverted, out; what is between has the meta data that the kernel says. Parameters as above. */
static inline struct pipe pipe_through(vx_uint32 count, vx_kernel kernel)
{
	struct pipe p = {.graph = vxCreateGraph(context), .count = count, .key = new_image()};
	for (vx_uint32 i = 0; i < count; i++) {
		p.in[i] = new_image();
		p.out[i] = new_image();
	}
	vx_image middle = vxCreateVirtualImage(p.graph, 0, 0, VX_DF_IMAGE_VIRT);
	p.first = node_of(p.graph, kernel, p.in[0], middle);
	p.second = vxNotNode(p.graph, middle, p.out[0]);
	RAN(vxReleaseImage(&middle));
	add_parameter(p.graph, p.first, 0);
	add_parameter(p.graph, p.second, 1);
	return p;
}

static inline void invert(const uint8_t *in, uint8_t *out)
{
	for (int i = 0; i < PIXELS; i++)
		out[i] = (uint8_t)~in[i];
}
#endif
