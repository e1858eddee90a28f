/* What tests of vx_khr_opencl_interop share: the OpenCL objects of an application, gates, images in buffers. */
#ifndef GALENA_TESTBENCH_OPENVX_INTEROP_H
#define GALENA_TESTBENCH_OPENVX_INTEROP_H
#include "testbench/build_tree.h"
#include "testbench/openvx/data_kinds.h"

#define CL_OK(call) assert_int_equal((call), CL_SUCCESS)
#define OPENCL VX_MEMORY_TYPE_OPENCL_BUFFER

static cl_device_id devices[2];
static cl_command_queue second; /* of the application's alone, for the second device */

/* main begins with it. */
static inline void interop_start(int argc, char **argv)
{
	seed_start(argc, argv);
	build_tree_loader();
	setenv("GALENA_DEVICES", "2", 1);
}

static inline bool open_devices(void)
{
	cl_platform_id platforms[16];
	cl_uint n = 0, count = 0;
	if (clGetPlatformIDs(16, platforms, &n))
		return false;
	for (cl_uint i = 0; i < n && i < 16; i++) {
		char name[64] = "";
		clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
		if (!strcmp(name, "Galena"))
			return !clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 2, devices, &count) && count >= 2;
	}
	return false;
}

static inline cl_command_queue new_queue(cl_context of, cl_device_id device, cl_command_queue_properties properties)
{
	cl_int code = CL_SUCCESS;
	const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
	cl_command_queue q = clCreateCommandQueueWithProperties(of, device, list, &code);
	return code ? NULL : q;
}

/* A context of two devices and a queue for each of them; the first is the coordination queue. */
static inline int open_interop(void **state)
{
	cl_int code = CL_SUCCESS;
	(void)state;
	if (!open_devices())
		return -1;
	cl = clCreateContext(NULL, 2, devices, NULL, NULL, &code);
	if (code)
		return -1;
	queue = new_queue(cl, devices[0], 0);
	second = new_queue(cl, devices[1], 0);
	context = vxCreateContextFromCL(cl, queue);
	other = vxCreateContext();
	return !queue || !second || vxGetStatus((vx_reference)context) || vxGetStatus((vx_reference)other);
}

static inline int close_interop(void **state)
{
	(void)state;
	const vx_status status = vxReleaseContext(&context);
	return vxReleaseContext(&other) || status || clReleaseCommandQueue(queue) || clReleaseCommandQueue(second) ||
	       clReleaseContext(cl);
}

/* ---- gates: the coordination queue stands still, and who waits for it does, too ---- */
static cl_event closed; /* or NULL */

static inline cl_event close_gate(void)
{
	cl_int code = CL_SUCCESS;
	cl_event gate = clCreateUserEvent(cl, &code);
	CL_OK(code);
	CL_OK(clEnqueueBarrierWithWaitList(queue, 1, &gate, NULL));
	return closed = gate;
}

/* After each test: one that has failed leaves no gate to the next. */
static inline int open_forgotten(void **state)
{
	(void)state;
	if (closed)
		clSetUserEventStatus(closed, CL_COMPLETE);
	closed = NULL;
	return 0;
}
#define GATED(test) cmocka_unit_test_teardown(test, open_forgotten)

/* All that was called since close_gate() has returned, and nothing of it has been done. */
static inline void open_gate(cl_event gate)
{
	cl_event last;
	cl_int status = CL_COMPLETE;
	CL_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &last));
	CL_OK(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	if (status <= CL_COMPLETE)
		fail_msg("%s: the queue went on without its gate; seed %llu", what, (unsigned long long)seed_first);
	CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
	closed = NULL;
	CL_OK(clReleaseEvent(last));
	CL_OK(clReleaseEvent(gate));
}

/* ---- commands of the application's, in the coordination queue; none of them waits ---- */
static inline cl_mem empty_buffer(size_t size)
{
	cl_int code = CL_SUCCESS;
	cl_mem buffer = clCreateBuffer(cl, CL_MEM_READ_WRITE, size, NULL, &code);
	CL_OK(code);
	return buffer;
}

static inline void later_write(cl_mem buffer, const void *bytes, size_t size)
{
	CL_OK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, size, bytes, 0, NULL, NULL));
}

static inline void later_copy(cl_mem from, cl_mem to, size_t size)
{
	CL_OK(clEnqueueCopyBuffer(queue, from, to, 0, 0, size, 0, NULL, NULL));
}

static inline void later_fill(cl_mem buffer, uint8_t byte, size_t size)
{
	CL_OK(clEnqueueFillBuffer(queue, buffer, &byte, 1, 0, size, 0, NULL, NULL));
}

/* What is in a buffer now is what is expected; ends it. */
static inline void check_buffer(cl_mem buffer, const void *expected, size_t size)
{
	uint8_t *bytes = malloc(size);
	assert_non_null(bytes);
	read_buffer(buffer, bytes, size);
	expect_bytes(expected, bytes, size);
	free(bytes);
	CL_OK(clReleaseMemObject(buffer));
}

static inline cl_uint holders_of(cl_mem buffer)
{
	cl_uint count = 0;
	CL_OK(clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
	return count;
}

/* ---- images in buffers ---- */
/* A buffer a plane, in rows that may lie further apart. */
struct buffers {
	struct pixels shape; /* without bytes */
	unsigned planes;
	struct { cl_mem mem; size_t stride, size; uint8_t *bytes; } plane[3]; /* bytes: as they are, gaps among them */
};

static inline void put_rows(struct buffers *b, const struct pixels *p)
{
	for (unsigned plane = 0; plane < b->planes; plane++)
		for (vx_uint32 y = 0; y < rows_in_plane(p, plane); y++)
			memcpy(b->plane[plane].bytes + b->plane[plane].stride * y, row_of(p, plane, y), bytes_in_row(p, plane));
}

/* With these pixels, and anything in the gaps, of up to so many pixels. */
static inline struct buffers new_buffers(const struct pixels *p, uint32_t gap)
{
	const struct layout *l = layout_of(p->format);
	struct buffers b = {.shape = {p->width, p->height, p->format, NULL}, .planes = l->planes};
	for (unsigned plane = 0; plane < b.planes; plane++) {
		const size_t pixel = (l->sample_bits * l->plane[plane].samples + 7) / 8;
		b.plane[plane].stride = bytes_in_row(p, plane) + pixel * random_below(gap + 1);
		b.plane[plane].size = b.plane[plane].stride * rows_in_plane(p, plane);
		b.plane[plane].bytes = new_bytes(b.plane[plane].size);
	}
	put_rows(&b, p);
	for (unsigned plane = 0; plane < b.planes; plane++)
		b.plane[plane].mem = new_buffer(cl, b.plane[plane].bytes, b.plane[plane].size);
	return b;
}

static inline void **handles_of(const struct buffers *b, void *handles[3])
{
	for (unsigned plane = 0; plane < b->planes; plane++)
		handles[plane] = b->plane[plane].mem;
	return handles;
}

static inline void addressings_of(const struct buffers *b, vx_imagepatch_addressing_t a[3])
{
	for (unsigned plane = 0; plane < b->planes; plane++)
		a[plane] = addressing_of(&b->shape, plane, b->plane[plane].stride);
}

static inline vx_image image_in(const struct buffers *b)
{
	vx_imagepatch_addressing_t a[3];
	void *handles[3];
	addressings_of(b, a);
	vx_image image = vxCreateImageFromHandle(context, b->shape.format, a, handles_of(b, handles), OPENCL);
	CREATED(image);
	return image;
}

/* The buffers have these pixels now, and their gaps are as they were. Bits behind the last of a row are nobody's. */
static inline void expect_buffers(struct buffers *b, const struct pixels *p)
{
	put_rows(b, p);
	for (unsigned plane = 0; plane < b->planes; plane++) {
		uint8_t *now = malloc(b->plane[plane].size);
		assert_non_null(now);
		read_buffer(b->plane[plane].mem, now, b->plane[plane].size);
		for (vx_uint32 y = 0; p->format == VX_DF_IMAGE_U1 && p->width % 8 && y < p->height; y++) {
			const size_t last = b->plane[plane].stride * y + p->width / 8;
			const uint8_t mask = (uint8_t)((1u << p->width % 8) - 1);
			now[last] = (uint8_t)((now[last] & mask) | (b->plane[plane].bytes[last] & ~mask));
		}
		expect_bytes(b->plane[plane].bytes, now, b->plane[plane].size);
		free(now);
	}
}

/* Nobody else holds them. */
static inline void end_buffers(struct buffers *b)
{
	for (unsigned plane = 0; plane < b->planes; plane++) {
		assert_int_equal(holders_of(b->plane[plane].mem), 1);
		CL_OK(clReleaseMemObject(b->plane[plane].mem));
		free(b->plane[plane].bytes);
	}
}

static inline vx_image image_like(const struct pixels *p)
{
	vx_image image = vxCreateImage(context, p->width, p->height, p->format);
	CREATED(image);
	return image;
}

static inline void expect_pixels(vx_image image, const struct pixels *expected)
{
	struct pixels now = zero_pixels(expected->width, expected->height, expected->format);
	download(image, &now);
	clear_padding(expected);
	expect_bytes(expected->bytes, now.bytes, bytes_in_all(&now));
	free_pixels(&now);
}

/* A size that images of the format can have. */
static inline struct pixels random_image(vx_df_image format)
{
	const size_t i = random_below(COUNT(sizes));
	const unsigned ex = even_width(format), ey = even_height(format);
	return random_pixels((sizes[i].width + ex - 1) / ex * ex, (sizes[i].height + ey - 1) / ey * ey, format);
}
#endif
