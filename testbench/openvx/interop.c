/* vx_khr_opencl_interop: contexts and queues that are shared, buffers as images, nothing that waits. */
#include "testbench/build_tree.h"
#include "testbench/openvx/vx.h"
#include <CL/cl.h>
#include <VX/vx_khr_opencl_interop.h>

static cl_context cl;
static cl_command_queue queue;
static cl_device_id devices[8];
static cl_uint num_devices;

static int open_opencl(void **state)
{
	(void)state;
	cl_platform_id platforms[16];
	cl_uint n = 0;
	cl_int code = clGetPlatformIDs(16, platforms, &n);
	for (cl_uint i = 0; !code && i < n; i++) {
		char name[64] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (strcmp(name, "Galena"))
			continue;
		code = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 8, devices, &num_devices);
		cl = clCreateContext(NULL, num_devices, devices, NULL, NULL, &code);
		queue = clCreateCommandQueueWithProperties(cl, devices[0], NULL, &code);
	}
	return code || !queue;
}

static int close_opencl(void **state)
{
	(void)state;
	clReleaseCommandQueue(queue);
	return clReleaseContext(cl);
}

static void contexts(void **state)
{
	(void)state;
	const struct { cl_context context; cl_command_queue queue; } ways[] = {{NULL, NULL}, {cl, NULL}, {NULL, queue}, {cl, queue}};
	for (size_t i = 0; i < 4; i++) {
		vx_context c = vxCreateContextFromCL(ways[i].context, ways[i].queue);
		cl_context of = NULL, of_queue = NULL;
		cl_command_queue q = NULL;
		VX_MADE(c);
		VX_OK(vxQueryContext(c, VX_CONTEXT_CL_CONTEXT, &of, sizeof of));
		VX_OK(vxQueryContext(c, VX_CONTEXT_CL_COMMAND_QUEUE, &q, sizeof q));
		assert_non_null(of);
		assert_non_null(q);
		if (ways[i].context)
			assert_ptr_equal(of, ways[i].context);
		if (ways[i].queue)
			assert_ptr_equal(q, ways[i].queue);
		assert_int_equal(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue, NULL), CL_SUCCESS);
		assert_ptr_equal(of_queue, of);
		VX_OK(vxReleaseContext(&c));
	}
	cl_int code;
	cl_context other = clCreateContext(NULL, 1, devices, NULL, NULL, &code);
	cl_command_queue unordered = clCreateCommandQueueWithProperties(cl, devices[0],
									(cl_queue_properties[]){CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0}, &code);
	assert_null(vxCreateContextFromCL(other, queue));
	assert_null(vxCreateContextFromCL(cl, unordered));
	assert_null(vxCreateContextFromCL((cl_context)queue, NULL));
	clReleaseCommandQueue(unordered);
	clReleaseContext(other);
}

/* Everything between two commands of the application's returns while the queue has not begun. */
static void asynchronous(void **state)
{
	(void)state;
	enum { SIDE = 64, BYTES = SIDE * SIDE };
	const vx_imagepatch_addressing_t a = {.dim_x = SIDE, .dim_y = SIDE, .stride_x = 1, .stride_y = SIDE, .scale_x = VX_SCALE_UNITY, .scale_y = VX_SCALE_UNITY,
					      .step_x = 1, .step_y = 1};
	const vx_rectangle_t all = {0, 0, SIDE, SIDE};
	cl_int code, status = 0;
	vx_context c = vxCreateContextFromCL(cl, queue);
	cl_mem in = clCreateBuffer(cl, CL_MEM_READ_WRITE, BYTES, NULL, &code), out = clCreateBuffer(cl, CL_MEM_READ_WRITE, BYTES, NULL, &code), back = NULL, mapped = NULL;
	cl_event gate = clCreateUserEvent(cl, &code), last;
	uint8_t bytes[BYTES];
	assert_int_equal(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueFillBuffer(queue, in, &(cl_uchar){0x35}, 1, 0, BYTES, 0, NULL, NULL), CL_SUCCESS);
	vx_image x = vxCreateImageFromHandle(c, VX_DF_IMAGE_U8, &a, (void *[]){in}, VX_MEMORY_TYPE_OPENCL_BUFFER),
		 z = vxCreateImageFromHandle(c, VX_DF_IMAGE_U8, &a, (void *[]){out}, VX_MEMORY_TYPE_OPENCL_BUFFER), y = vxCreateImage(c, SIDE, SIDE, VX_DF_IMAGE_U8);
	vx_graph graph = vxCreateGraph(c);
	VX_MADE(x);
	VX_MADE(z);
	VX_MADE(vxNotNode(graph, x, y));
	VX_MADE(vxNotNode(graph, y, z));
	VX_OK(vxProcessGraph(graph));
	/* the map of a whole image is its buffer */
	vx_map_id id;
	vx_imagepatch_addressing_t addressing;
	VX_OK(vxMapImagePatch(x, &all, 0, &id, &addressing, (void **)&mapped, VX_READ_AND_WRITE, VX_MEMORY_TYPE_OPENCL_BUFFER, 0));
	assert_ptr_equal(mapped, in);
	assert_int_equal(clEnqueueFillBuffer(queue, mapped, &(cl_uchar){0x0f}, 1, 0, BYTES / 2, 0, NULL, NULL), CL_SUCCESS);
	VX_OK(vxUnmapImagePatch(x, id));
	VX_OK(vxProcessGraph(graph));
	VX_OK(vxCopyImagePatch(y, &all, 0, &a, in, VX_READ_ONLY, VX_MEMORY_TYPE_OPENCL_BUFFER));
	VX_OK(vxSwapImageHandle(z, NULL, (void **)&back, 1));
	assert_ptr_equal(back, out);
	assert_int_equal(clEnqueueMarkerWithWaitList(queue, 0, NULL, &last), CL_SUCCESS);
	assert_int_equal(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
	assert_true(status > CL_COMPLETE);
	assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
	assert_int_equal(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL), CL_SUCCESS);
	for (int i = 0; i < BYTES; i++)
		assert_int_equal(bytes[i], i < BYTES / 2 ? 0x0f : 0x35);
	assert_int_equal(clEnqueueReadBuffer(queue, in, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL), CL_SUCCESS);
	for (int i = 0; i < BYTES; i++)
		assert_int_equal(bytes[i], i < BYTES / 2 ? 0xf0 : 0xca);
	clReleaseEvent(last);
	clReleaseEvent(gate);
	VX_OK(vxReleaseContext(&c));
	clReleaseMemObject(in);
	clReleaseMemObject(out);
}

int main(void)
{
	build_tree_loader();
	const struct CMUnitTest tests[] = {cmocka_unit_test(contexts), cmocka_unit_test(asynchronous)};
	return cmocka_run_group_tests(tests, open_opencl, close_opencl);
}
