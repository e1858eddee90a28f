/* vx_khr_opencl_interop, every data object: what is enqueued in the coordination queue before a call, the call finds; what the call
 * gives, commands after it find; and no call waits. In contexts of the application's OpenCL objects and of OpenVX' own. */
#include "testbench/openvx/interop.h"

/* ---- contexts ---- */
/* In turn all that a test uses belongs to the application, and to OpenVX. */
static void in_both_contexts(void (*test)(const char *whose))
{
	const cl_context my_cl = cl;
	const cl_command_queue my_queue = queue;
	const vx_context mine = context;
	test("the application's");
	context = vxCreateContext();
	CREATED(context);
	RAN(vxQueryContext(context, VX_CONTEXT_CL_CONTEXT, &cl, sizeof cl));
	RAN(vxQueryContext(context, VX_CONTEXT_CL_COMMAND_QUEUE, &queue, sizeof queue));
	test("OpenVX' own");
	RAN(vxReleaseContext(&context));
	context = mine;
	queue = my_queue;
	cl = my_cl;
}

/* ---- data in buffers, in their turn ---- */
/* What is expected of a buffer when the queue has come to its end. */
struct snapshot { cl_mem buffer; size_t size; uint8_t *expected; };

static struct snapshot snapshot_of(cl_mem buffer, const uint8_t *expected, size_t size)
{
	struct snapshot s = {empty_buffer(size), size, malloc(size)};
	assert_non_null(s.expected);
	memcpy(s.expected, expected, size);
	later_copy(buffer, s.buffer, size);
	return s;
}

static void check_snapshot(struct snapshot *s)
{
	check_buffer(s->buffer, s->expected, s->size);
	free(s->expected);
}

/* ---- copies ---- */
static void copies_of(const char *whose)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		if (!k->copy)
			continue;
		now_testing("copies of %s, OpenCL is %s", k->name, whose);
		uint8_t *data = new_bytes(k->bytes), *more = new_bytes(k->bytes);
		cl_mem in = empty_buffer(k->bytes), out = empty_buffer(k->bytes);
		cl_event gate = close_gate();
		vx_reference ref = made(k);
		later_write(in, data, k->bytes);
		RAN(k->copy(ref, in, VX_WRITE_ONLY, OPENCL));
		later_write(in, more, k->bytes); /* too late to be what was copied */
		RAN(k->copy(ref, out, VX_READ_ONLY, OPENCL));
		struct snapshot first = snapshot_of(out, data, k->bytes);
		RAN(k->copy(ref, in, VX_WRITE_ONLY, OPENCL));
		later_fill(in, 0, k->bytes);
		RAN(k->copy(ref, out, VX_READ_ONLY, OPENCL));
		struct snapshot last = snapshot_of(out, more, k->bytes);
		later_fill(out, 0, k->bytes);
		CL_OK(clReleaseMemObject(in));
		CL_OK(clReleaseMemObject(out));
		open_gate(gate);
		check_snapshot(&first);
		check_snapshot(&last);
		expect_data(k, ref, more);
		ended(k, &ref);
		free(data);
		free(more);
	}
}

static void copies(void **state)
{
	(void)state;
	in_both_contexts(copies_of);
}

/* An object may be let go when its data are on their way. */
static void copies_of_what_is_released(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		if (!k->copy)
			continue;
		now_testing("copies of %s, which is released", k->name);
		uint8_t *data = new_bytes(k->bytes);
		cl_mem in = empty_buffer(k->bytes), out = empty_buffer(k->bytes);
		cl_event gate = close_gate();
		vx_reference ref = made(k);
		later_write(in, data, k->bytes);
		RAN(k->copy(ref, in, VX_WRITE_ONLY, OPENCL));
		RAN(k->copy(ref, out, VX_READ_ONLY, OPENCL));
		ended(k, &ref);
		open_gate(gate);
		check_buffer(in, data, k->bytes);
		check_buffer(out, data, k->bytes);
		free(data);
	}
}

/* ---- maps ---- */
/* All of an object is one dense piece of the buffer that is mapped. */
static size_t dense_bytes(const struct view *v)
{
	assert_true(v->count[0] == 1 || v->stride[0] == v->row);
	assert_true(v->count[1] == 1 || v->stride[1] == v->row * v->count[0]);
	return view_bytes(v);
}

static void maps_of(const char *whose)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		struct view v;
		vx_map_id id = 0;
		void *mapped = NULL;
		if (!k->map)
			continue;
		now_testing("maps of %s, OpenCL is %s", k->name, whose);
		uint8_t *data = new_bytes(k->bytes), *more = new_bytes(k->bytes), *most = new_bytes(k->bytes);
		cl_event gate = close_gate();
		vx_reference ref = made(k);
		/* write-only */
		RAN(k->map(ref, &id, &mapped, &v, VX_WRITE_ONLY, OPENCL));
		assert_int_equal(dense_bytes(&v), k->bytes);
		later_write(mapped, data, k->bytes);
		RAN(k->unmap(ref, id));
		/* read and write */
		RAN(k->map(ref, &id, &mapped, &v, VX_READ_AND_WRITE, OPENCL));
		struct snapshot first = snapshot_of(mapped, data, k->bytes);
		later_write(mapped, more, k->bytes);
		RAN(k->unmap(ref, id));
		/* read-only */
		RAN(k->map(ref, &id, &mapped, &v, VX_READ_ONLY, OPENCL));
		struct snapshot second_time = snapshot_of(mapped, more, k->bytes);
		RAN(k->unmap(ref, id));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, k->unmap(ref, id));
		/* by a copy, what a map has left */
		cl_mem in = empty_buffer(k->bytes);
		RAN(k->copy(ref, in, VX_READ_ONLY, OPENCL));
		struct snapshot third = snapshot_of(in, more, k->bytes);
		later_write(in, most, k->bytes);
		RAN(k->copy(ref, in, VX_WRITE_ONLY, OPENCL));
		CL_OK(clReleaseMemObject(in));
		open_gate(gate);
		check_snapshot(&first);
		check_snapshot(&second_time);
		check_snapshot(&third);
		expect_data(k, ref, most);
		ended(k, &ref);
		free(data);
		free(more);
		free(most);
	}
}

static void maps(void **state)
{
	(void)state;
	in_both_contexts(maps_of);
}

/* Items of an array: a part is one of its own, that comes back when it is unmapped. */
static void maps_of_parts(void **state)
{
	const size_t size = sizeof(vx_keypoint_t), first = 2, count = 3;
	const struct kind *k = kind_of(VX_TYPE_ARRAY);
	uint8_t *data = new_bytes(k->bytes), *more = new_bytes(count * size);
	vx_size stride = 0;
	vx_map_id id = 0;
	cl_mem mapped = NULL;
	(void)state;
	now_testing("maps of a part of an array");
	cl_event gate = close_gate();
	vx_array array = (vx_array)made(k);
	cl_mem in = empty_buffer(k->bytes);
	later_write(in, data, k->bytes);
	RAN(k->copy((vx_reference)array, in, VX_WRITE_ONLY, OPENCL));
	RAN(vxMapArrayRange(array, first, first + count, &id, &stride, (void **)&mapped, VX_READ_AND_WRITE, OPENCL, 0));
	assert_int_equal(stride, size);
	struct snapshot before = snapshot_of(mapped, data + first * size, count * size);
	later_write(mapped, more, count * size);
	RAN(vxUnmapArrayRange(array, id));
	/* and one that is read is not written back */
	RAN(vxMapArrayRange(array, 0, 2, &id, &stride, (void **)&mapped, VX_READ_ONLY, OPENCL, 0));
	later_fill(mapped, 0x3c, 2 * size);
	RAN(vxUnmapArrayRange(array, id));
	open_gate(gate);
	memcpy(data + first * size, more, count * size);
	check_snapshot(&before);
	expect_data(k, (vx_reference)array, data);
	RAN(vxReleaseArray(&array));
	CL_OK(clReleaseMemObject(in));
	free(data);
	free(more);
}

/* ---- objects that are made of others ---- */
static void check_part(vx_image part)
{
	vx_uint32 width = 0, height = 0;
	RAN(vxQueryImage(part, VX_IMAGE_WIDTH, &width, sizeof width));
	RAN(vxQueryImage(part, VX_IMAGE_HEIGHT, &height, sizeof height));
	struct pixels p = random_pixels(width, height, VX_DF_IMAGE_U8);
	const vx_rectangle_t all = {0, 0, width, height};
	const size_t size = bytes_in_all(&p);
	vx_imagepatch_addressing_t a = addressing_of(&p, 0, width);
	vx_map_id id = 0;
	cl_mem mapped = NULL, in = empty_buffer(size);
	cl_event gate = close_gate();
	later_write(in, p.bytes, size);
	RAN(vxCopyImagePatch(part, &all, 0, &a, in, VX_WRITE_ONLY, OPENCL));
	later_fill(in, 0, size);
	RAN(vxMapImagePatch(part, &all, 0, &id, &a, (void **)&mapped, VX_READ_ONLY, OPENCL, 0));
	struct snapshot seen = snapshot_of(mapped, p.bytes, size);
	RAN(vxUnmapImagePatch(part, id));
	open_gate(gate);
	check_snapshot(&seen);
	CL_OK(clReleaseMemObject(in));
	free_pixels(&p);
}

static void parts_of_others(void **state)
{
	(void)state;
	vx_pyramid pyramid = (vx_pyramid)made(kind_of(VX_TYPE_PYRAMID));
	vx_object_array array = (vx_object_array)made(kind_of(VX_TYPE_OBJECT_ARRAY));
	vx_image exemplar = image_like(&(struct pixels){20, 10, VX_DF_IMAGE_U8, NULL});
	vx_delay delay = vxCreateDelay(context, (vx_reference)exemplar, 2);
	CREATED(delay);
	for (vx_uint32 i = 0; i < 3; i++) {
		now_testing("level %u of a pyramid", i);
		vx_image level = vxGetPyramidLevel(pyramid, i);
		CREATED(level);
		check_part(level);
		RAN(vxReleaseImage(&level));
		now_testing("item %u of an object array", i);
		vx_image item = (vx_image)vxGetObjectArrayItem(array, i);
		CREATED(item);
		check_part(item);
		RAN(vxReleaseImage(&item));
	}
	for (int i = 0; i < 2; i++) {
		now_testing("slot %d of a delay", -i);
		check_part((vx_image)vxGetReferenceFromDelay(delay, -i));
	}
	RAN(vxReleaseDelay(&delay));
	RAN(vxReleaseImage(&exemplar));
	RAN(vxReleaseObjectArray(&array));
	RAN(vxReleasePyramid(&pyramid));
}

/* ---- thresholds ---- */
static vx_status copy_value(vx_threshold t, void *a, void *b, vx_enum usage, vx_enum memory)
{
	(void)b;
	return vxCopyThresholdValue(t, a, usage, memory);
}
static vx_status copy_range(vx_threshold t, void *a, void *b, vx_enum usage, vx_enum memory)
{
	return vxCopyThresholdRange(t, a, b, usage, memory);
}
static vx_status copy_output(vx_threshold t, void *a, void *b, vx_enum usage, vx_enum memory)
{
	return vxCopyThresholdOutput(t, a, b, usage, memory);
}

static const struct {
	const char *name;
	vx_enum type;
	unsigned values;
	vx_status (*copy)(vx_threshold, void *, void *, vx_enum usage, vx_enum memory);
} threshold_copies[] = {
	{"value", VX_THRESHOLD_TYPE_BINARY, 1, copy_value}, {"range", VX_THRESHOLD_TYPE_RANGE, 2, copy_range},
	{"output", VX_THRESHOLD_TYPE_BINARY, 2, copy_output},
};

static void thresholds_of(const char *whose)
{
	enum { BYTES = sizeof(vx_pixel_value_t) };
	for (size_t i = 0; i < COUNT(threshold_copies); i++) {
		vx_pixel_value_t given[2] = {{.reserved = {1}}, {.reserved = {2}}}, got[2];
		now_testing("%s of a threshold, OpenCL is %s", threshold_copies[i].name, whose);
		uint8_t *data = new_bytes(sizeof given);
		memcpy(given, data, sizeof given);
		vx_threshold t = vxCreateThresholdForImage(context, threshold_copies[i].type, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8);
		CREATED(t);
		cl_mem in[2] = {empty_buffer(BYTES), empty_buffer(BYTES)}, out[2] = {empty_buffer(BYTES), empty_buffer(BYTES)};
		cl_event gate = close_gate();
		for (int n = 0; n < 2; n++)
			later_write(in[n], &given[n], BYTES);
		RAN(threshold_copies[i].copy(t, in[0], in[1], VX_WRITE_ONLY, OPENCL));
		for (int n = 0; n < 2; n++)
			later_fill(in[n], 0, BYTES);
		RAN(threshold_copies[i].copy(t, out[0], out[1], VX_READ_ONLY, OPENCL));
		struct snapshot seen[2];
		for (unsigned n = 0; n < threshold_copies[i].values; n++)
			seen[n] = snapshot_of(out[n], data + n * BYTES, BYTES);
		open_gate(gate);
		for (unsigned n = 0; n < threshold_copies[i].values; n++)
			check_snapshot(&seen[n]);
		/* the host knows them, too; and sets them again */
		memset(got, 0, sizeof got);
		RAN(threshold_copies[i].copy(t, &got[0], &got[1], VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		expect_bytes(given, got, threshold_copies[i].values * BYTES);
		given[0].reserved[0] ^= 0xff;
		RAN(threshold_copies[i].copy(t, &given[0], &given[1], VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		RAN(threshold_copies[i].copy(t, out[0], out[1], VX_READ_ONLY, OPENCL));
		for (int n = 0; n < 2; n++)
			CL_OK(clReleaseMemObject(in[n]));
		if (threshold_copies[i].values < 2)
			CL_OK(clReleaseMemObject(out[1]));
		for (unsigned n = 0; n < threshold_copies[i].values; n++)
			check_buffer(out[n], &given[n], BYTES);
		RAN(vxReleaseThreshold(&t));
		free(data);
	}
}

static void thresholds(void **state)
{
	(void)state;
	in_both_contexts(thresholds_of);
}

/* A kernel is launched by what came of a buffer. */
static void threshold_of_a_kernel(void **state)
{
	struct pixels p = random_pixels(33, 9, VX_DF_IMAGE_U8);
	const vx_pixel_value_t limit = {.U8 = 100}, yes = {.U8 = 7}, no = {.U8 = 3};
	vx_threshold t = vxCreateThresholdForImage(context, VX_THRESHOLD_TYPE_BINARY, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8);
	vx_image in = image_like(&p), out = image_like(&p);
	(void)state;
	now_testing("a threshold from buffers, in a kernel");
	cl_mem values[3] = {new_buffer(cl, &limit, sizeof limit), new_buffer(cl, &yes, sizeof yes), new_buffer(cl, &no, sizeof no)};
	CREATED(t);
	upload(in, &p);
	RAN(vxCopyThresholdValue(t, (vx_pixel_value_t *)values[0], VX_WRITE_ONLY, OPENCL));
	RAN(vxCopyThresholdOutput(t, (vx_pixel_value_t *)values[1], (vx_pixel_value_t *)values[2], VX_WRITE_ONLY, OPENCL));
	RAN(vxuThreshold(context, in, t, out));
	for (size_t i = 0; i < bytes_in_all(&p); i++)
		p.bytes[i] = p.bytes[i] > limit.U8 ? yes.U8 : no.U8;
	expect_pixels(out, &p);
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
	RAN(vxReleaseThreshold(&t));
	for (int i = 0; i < 3; i++)
		CL_OK(clReleaseMemObject(values[i]));
	free_pixels(&p);
}

/* ---- tensors in buffers ---- */
static void tensors_in_buffers(void **state)
{
	enum { BYTES = 5 * 4 * 3 * 2 };
	uint8_t *data = new_bytes(BYTES), *more = new_bytes(BYTES);
	void *back = NULL;
	(void)state;
	now_testing("a tensor in buffers, while the queue stands still");
	cl_mem a = empty_buffer(BYTES), b = empty_buffer(BYTES), out = empty_buffer(BYTES);
	cl_event gate = close_gate();
	later_write(a, data, BYTES);
	vx_tensor t = vxCreateTensorFromHandle(context, 3, tensor_dims, VX_TYPE_INT16, 8, tensor_strides, a, OPENCL);
	CREATED(t);
	RAN(copy_tensor((vx_reference)t, out, VX_READ_ONLY, OPENCL));
	struct snapshot first = snapshot_of(out, data, BYTES);
	later_write(out, more, BYTES);
	RAN(copy_tensor((vx_reference)t, out, VX_WRITE_ONLY, OPENCL));
	later_fill(b, 0x4d, BYTES);
	RAN(vxSwapTensorHandle(t, b, &back));
	assert_ptr_equal(back, a);
	struct snapshot taken = snapshot_of(a, more, BYTES);
	later_fill(a, 0, BYTES);
	RAN(copy_tensor((vx_reference)t, out, VX_READ_ONLY, OPENCL));
	memset(data, 0x4d, BYTES);
	struct snapshot last = snapshot_of(out, data, BYTES);
	/* the map of all is the buffer */
	struct view v;
	vx_map_id id = 0;
	void *mapped = NULL;
	RAN(map_tensor((vx_reference)t, &id, &mapped, &v, VX_READ_AND_WRITE, OPENCL));
	assert_ptr_equal(mapped, b);
	REFUSED(VX_FAILURE, vxSwapTensorHandle(t, a, &back));
	RAN(unmap_tensor((vx_reference)t, id));
	RAN(vxSwapTensorHandle(t, NULL, &back));
	assert_ptr_equal(back, b);
	FAILED(copy_tensor((vx_reference)t, out, VX_READ_ONLY, OPENCL));
	RAN(vxReleaseTensor(&t));
	open_gate(gate);
	check_snapshot(&first);
	check_snapshot(&taken);
	check_snapshot(&last);
	assert_int_equal(holders_of(a), 1);
	assert_int_equal(holders_of(b), 1);
	CL_OK(clReleaseMemObject(a));
	CL_OK(clReleaseMemObject(b));
	CL_OK(clReleaseMemObject(out));
	free(data);
	free(more);
}

static void bad_tensors(void **state)
{
	enum { BYTES = 5 * 4 * 3 * 2 };
	cl_int code = CL_SUCCESS;
	uint8_t *data = new_bytes(BYTES);
	void *back = NULL;
	(void)state;
	cl_context elsewhere = clCreateContext(NULL, 1, devices, NULL, NULL, &code);
	CL_OK(code);
	cl_mem good = new_buffer(cl, data, BYTES), small = empty_buffer(BYTES - 1), foreign = new_buffer(elsewhere, data, BYTES);
	const struct { const char *name; void *handle; } wrong[] = {
		{"a buffer that is too small", small}, {"a buffer of another context", foreign}, {"a queue", queue}, {"the host's memory", data},
	};
	vx_tensor t = vxCreateTensorFromHandle(context, 3, tensor_dims, VX_TYPE_INT16, 8, tensor_strides, good, OPENCL);
	CREATED(t);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		now_testing("a tensor in %s", wrong[i].name);
		vx_tensor bad = vxCreateTensorFromHandle(context, 3, tensor_dims, VX_TYPE_INT16, 8, tensor_strides, wrong[i].handle, OPENCL);
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxGetStatus((vx_reference)bad));
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSwapTensorHandle(t, wrong[i].handle, &back));
	}
	assert_null(back);
	expect_data(kind_of(VX_TYPE_TENSOR), (vx_reference)t, data);
	RAN(vxReleaseTensor(&t));
	assert_int_equal(holders_of(good), 1);
	CL_OK(clReleaseMemObject(good));
	CL_OK(clReleaseMemObject(small));
	CL_OK(clReleaseMemObject(foreign));
	CL_OK(clReleaseContext(elsewhere));
	free(data);
}

/* ---- other queues, other devices ---- */
/* A marker and its event order what another queue does, for another device, before and after calls of OpenVX. */
static void other_queues(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		cl_int code = CL_SUCCESS;
		cl_event produced, given, consumed;
		if (!k->copy)
			continue;
		now_testing("%s, from and to another queue", k->name);
		uint8_t *data = new_bytes(k->bytes), *got = new_bytes(k->bytes);
		cl_mem in = empty_buffer(k->bytes), out = empty_buffer(k->bytes), last = empty_buffer(k->bytes);
		vx_reference ref = made(k);
		cl_event gate = clCreateUserEvent(cl, &code);
		CL_OK(code);
		CL_OK(clEnqueueWriteBuffer(second, in, CL_FALSE, 0, k->bytes, data, 1, &gate, &produced));
		CL_OK(clEnqueueBarrierWithWaitList(queue, 1, &produced, NULL));
		RAN(k->copy(ref, in, VX_WRITE_ONLY, OPENCL));
		RAN(k->copy(ref, out, VX_READ_ONLY, OPENCL));
		CL_OK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &given));
		CL_OK(clEnqueueCopyBuffer(second, out, last, 0, 0, k->bytes, 1, &given, NULL));
		CL_OK(clEnqueueReadBuffer(second, last, CL_FALSE, 0, k->bytes, got, 0, NULL, &consumed));
		CL_OK(clSetUserEventStatus(gate, CL_COMPLETE));
		CL_OK(clWaitForEvents(1, &consumed));
		expect_bytes(data, got, k->bytes);
		CL_OK(clReleaseEvent(gate));
		CL_OK(clReleaseEvent(produced));
		CL_OK(clReleaseEvent(given));
		CL_OK(clReleaseEvent(consumed));
		CL_OK(clReleaseMemObject(in));
		CL_OK(clReleaseMemObject(out));
		CL_OK(clReleaseMemObject(last));
		ended(k, &ref);
		free(data);
		free(got);
	}
}

/* The other of the two ways: the host waits until data are ready, and goes on with what it computes itself. */
static void hosts_wait(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct kind *k = &kinds[i];
		if (!k->copy)
			continue;
		now_testing("%s, from a buffer to the host", k->name);
		uint8_t *data = new_bytes(k->bytes);
		cl_mem in = empty_buffer(k->bytes);
		vx_reference ref = made(k);
		later_write(in, data, k->bytes);
		RAN(k->copy(ref, in, VX_WRITE_ONLY, OPENCL));
		later_fill(in, 0, k->bytes);
		expect_data(k, ref, data);
		ended(k, &ref);
		CL_OK(clReleaseMemObject(in));
		free(data);
	}
}

int main(int argc, char **argv)
{
	interop_start(argc, argv);
	const struct CMUnitTest tests[] = {
		GATED(copies), GATED(copies_of_what_is_released), GATED(maps), GATED(maps_of_parts),
		GATED(parts_of_others), GATED(thresholds), GATED(threshold_of_a_kernel),
		GATED(tensors_in_buffers), GATED(bad_tensors), GATED(other_queues), GATED(hosts_wait),
	};
	return cmocka_run_group_tests(tests, open_interop, close_interop);
}
