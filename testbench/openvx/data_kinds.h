/* What tests of data objects share: an object of each kind, its attributes, and its data in memory of both types. */
#ifndef GALENA_TESTBENCH_OPENVX_DATA_KINDS_H
#define GALENA_TESTBENCH_OPENVX_DATA_KINDS_H
#include "testbench/openvx/compare.h"
#include <CL/cl.h>
#include <VX/vx_khr_opencl_interop.h>
#include <VX/vx_khr_user_data_object.h>

/* ---- contexts ---- */
static cl_context cl;           /* of the context */
static cl_command_queue queue;  /* the coordination queue */
static vx_context other;        /* whose objects are of another context */

static inline int open_contexts(void **state)
{
	(void)state;
	context = vxCreateContextFromCL(NULL, NULL);
	other = vxCreateContext();
	if (vxGetStatus((vx_reference)context) || vxGetStatus((vx_reference)other))
		return -1;
	return vxQueryContext(context, VX_CONTEXT_CL_CONTEXT, &cl, sizeof cl) ||
	       vxQueryContext(context, VX_CONTEXT_CL_COMMAND_QUEUE, &queue, sizeof queue);
}

static inline int close_contexts(void **state)
{
	(void)state;
	return vxReleaseContext(&context) || vxReleaseContext(&other);
}

/* ---- what has to fail, where the specification does not say how ---- */
static inline void expect_failure(vx_status status, const char *call, int line)
{
	if (status == VX_SUCCESS)
		fail_msg("%s: line %d, %s succeeded; seed %llu", what, line, call, (unsigned long long)seed_first);
}
#define FAILED(call) expect_failure((call), #call, __LINE__)
#define NOT_CREATED(object) expect_failure(vxGetStatus((vx_reference)(object)), "creating " #object, __LINE__)

/* ---- bytes, images ---- */
static inline uint8_t *new_bytes(size_t size)
{
	uint8_t *bytes = malloc(size);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)splitmix64(&seed);
	return bytes;
}

static inline void expect_bytes(const void *expected, const void *got, size_t size)
{
	const uint8_t *a = expected, *b = got;
	for (size_t i = 0; i < size; i++)
		if (a[i] != b[i])
			fail_msg("%s: byte %zu of %zu is 0x%02x, expected 0x%02x; seed %llu", what, i, size, b[i], a[i],
				 (unsigned long long)seed_first);
}

static inline void expect_image(vx_image image, vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	vx_uint32 w = 0, h = 0;
	vx_df_image f = 0;
	CREATED(image);
	RAN(vxQueryImage(image, VX_IMAGE_WIDTH, &w, sizeof w));
	RAN(vxQueryImage(image, VX_IMAGE_HEIGHT, &h, sizeof h));
	RAN(vxQueryImage(image, VX_IMAGE_FORMAT, &f, sizeof f));
	if (w != width || h != height || f != format)
		fail_msg("%s: an image of %u x %u, %.4s, expected %u x %u, %.4s", what, w, h, (const char *)&f, width, height,
			 (const char *)&format);
}

/* Items further apart: a byte that is not theirs fills the gaps. */
static inline uint8_t *spread(const uint8_t *items, vx_size size, vx_size count, vx_size stride)
{
	uint8_t *bytes = malloc(count * stride);
	assert_non_null(bytes);
	memset(bytes, 0x5e, count * stride);
	for (vx_size i = 0; i < count; i++)
		memcpy(bytes + i * stride, items + i * size, size);
	return bytes;
}

/* ---- memory of the application's ---- */
static const struct { vx_enum type; const char *name; } memories[] = {
	{VX_MEMORY_TYPE_HOST, "host"}, {VX_MEMORY_TYPE_OPENCL_BUFFER, "OpenCL"},
};
static const vx_enum no_memories[] = {0, VX_MEMORY_TYPE_NONE, VX_READ_ONLY};

static inline cl_mem new_buffer(cl_context of, const void *bytes, size_t size)
{
	cl_int code = CL_SUCCESS;
	cl_mem buffer = clCreateBuffer(of, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, (void *)(uintptr_t)bytes, &code);
	assert_int_equal(code, CL_SUCCESS);
	return buffer;
}

static inline void read_buffer(cl_mem buffer, void *bytes, size_t size)
{
	assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), CL_SUCCESS);
}

static inline void write_buffer(cl_mem buffer, const void *bytes, size_t size)
{
	assert_int_equal(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), CL_SUCCESS);
}

/* A copy of the bytes in memory of a type: what a vxCopy... reads or writes. */
struct memory { size_t size; uint8_t *bytes; cl_mem buffer; };

static inline struct memory open_memory(vx_enum type, const void *bytes, size_t size)
{
	struct memory m = {.size = size, .bytes = malloc(size)};
	assert_non_null(m.bytes);
	memcpy(m.bytes, bytes, size);
	if (type == VX_MEMORY_TYPE_OPENCL_BUFFER)
		m.buffer = new_buffer(cl, bytes, size);
	return m;
}

static inline void *memory_ptr(const struct memory *m) { return m->buffer ? (void *)m->buffer : (void *)m->bytes; }

/* What is in it now is what is expected; ends it. */
static inline void close_memory(struct memory *m, const void *expected)
{
	if (m->buffer) {
		read_buffer(m->buffer, m->bytes, m->size);
		assert_int_equal(clReleaseMemObject(m->buffer), CL_SUCCESS);
	}
	expect_bytes(expected, m->bytes, m->size);
	free(m->bytes);
}

/* ---- what is mapped ---- */
/* Rows in two dimensions. */
struct view { vx_size row, count[2], stride[2]; };

static inline size_t view_bytes(const struct view *v) { return v->row * v->count[0] * v->count[1]; }

/* Between what is mapped, at an address or in a buffer, and dense bytes. */
static inline void move_view(void *mapped, vx_enum type, const struct view *v, uint8_t *dense, bool write)
{
	const size_t span = v->row + (v->count[0] - 1) * v->stride[0] + (v->count[1] - 1) * v->stride[1];
	uint8_t *copy = type == VX_MEMORY_TYPE_HOST ? NULL : malloc(span), *base = copy ? copy : mapped;
	if (copy)
		read_buffer(mapped, copy, span);
	for (size_t j = 0; j < v->count[1]; j++) {
		for (size_t i = 0; i < v->count[0]; i++) {
			uint8_t *there = base + j * v->stride[1] + i * v->stride[0];
			uint8_t *here = dense + (j * v->count[0] + i) * v->row;
			memcpy(write ? there : here, write ? here : there, v->row);
		}
	}
	if (copy && write)
		write_buffer(mapped, copy, span);
	free(copy);
}

static inline void expect_view(void *mapped, vx_enum type, const struct view *v, const uint8_t *expected)
{
	uint8_t *dense = malloc(view_bytes(v));
	assert_non_null(dense);
	move_view(mapped, type, v, dense, false);
	expect_bytes(expected, dense, view_bytes(v));
	free(dense);
}

static inline void write_view(void *mapped, vx_enum type, const struct view *v, const uint8_t *dense)
{
	move_view(mapped, type, v, (uint8_t *)(uintptr_t)dense, true);
}

/* ---- kinds: how each is made ---- */
enum {
	ARRAY_ITEMS = 7, LUT_COUNT = 500, BINS = 16, COLUMNS = 5, ROWS = 3, REMAP_WIDTH = 6, REMAP_HEIGHT = 5,
	DATA_BYTES = 100,
};
static const vx_size tensor_dims[3] = {5, 4, 3}, tensor_strides[3] = {2, 10, 40}, tensor_start[3] = {0, 0, 0};

#define MAKE(kind, plain, hidden)                                                                                       \
	static inline vx_reference make_##kind(vx_context c) { return (vx_reference)plain; }                            \
	static inline vx_reference make_virtual_##kind(vx_graph g) { return (vx_reference)hidden; }
MAKE(scalar, vxCreateScalar(c, VX_TYPE_INT64, &(vx_int64){-5}), vxCreateVirtualScalar(g, VX_TYPE_INT64))
MAKE(lut, vxCreateLUT(c, VX_TYPE_INT16, LUT_COUNT), vxCreateVirtualLUT(g, VX_TYPE_INT16, LUT_COUNT))
MAKE(distribution, vxCreateDistribution(c, BINS, -5, 32), vxCreateVirtualDistribution(g, BINS, -5, 32))
MAKE(threshold, vxCreateThresholdForImage(c, VX_THRESHOLD_TYPE_RANGE, VX_DF_IMAGE_S16, VX_DF_IMAGE_U8),
     vxCreateVirtualThresholdForImage(g, VX_THRESHOLD_TYPE_RANGE, VX_DF_IMAGE_S16, VX_DF_IMAGE_U8))
MAKE(matrix, vxCreateMatrix(c, VX_TYPE_FLOAT32, COLUMNS, ROWS), vxCreateVirtualMatrix(g, VX_TYPE_FLOAT32, COLUMNS, ROWS))
MAKE(convolution, vxCreateConvolution(c, COLUMNS, ROWS), vxCreateVirtualConvolution(g, COLUMNS, ROWS))
MAKE(remap, vxCreateRemap(c, 10, 8, REMAP_WIDTH, REMAP_HEIGHT), vxCreateVirtualRemap(g, 10, 8, REMAP_WIDTH, REMAP_HEIGHT))
MAKE(pyramid, vxCreatePyramid(c, 3, VX_SCALE_PYRAMID_HALF, 21, 13, VX_DF_IMAGE_U8),
     vxCreateVirtualPyramid(g, 3, VX_SCALE_PYRAMID_HALF, 21, 13, VX_DF_IMAGE_U8))
MAKE(tensor, vxCreateTensor(c, 3, tensor_dims, VX_TYPE_INT16, 8), vxCreateVirtualTensor(g, 3, tensor_dims, VX_TYPE_INT16, 8))
MAKE(user_data, vxCreateUserDataObject(c, "data", DATA_BYTES, NULL), vxCreateVirtualUserDataObject(g, "data", DATA_BYTES))

/* Full of items. */
static inline vx_reference make_array(vx_context c)
{
	static const vx_keypoint_t items[ARRAY_ITEMS];
	vx_array array = vxCreateArray(c, VX_TYPE_KEYPOINT, ARRAY_ITEMS);
	if (vxGetStatus((vx_reference)array) == VX_SUCCESS)
		RAN(vxAddArrayItems(array, ARRAY_ITEMS, items, sizeof *items));
	return (vx_reference)array;
}

static inline vx_reference make_virtual_array(vx_graph g)
{
	return (vx_reference)vxCreateVirtualArray(g, VX_TYPE_KEYPOINT, ARRAY_ITEMS);
}

static inline vx_reference make_object_array(vx_context c)
{
	vx_image exemplar = vxCreateImage(c, 16, 8, VX_DF_IMAGE_U8);
	vx_object_array array = vxCreateObjectArray(c, (vx_reference)exemplar, 4);
	vxReleaseImage(&exemplar);
	return (vx_reference)array;
}

static inline vx_reference make_virtual_object_array(vx_graph g)
{
	vx_image exemplar = vxCreateImage(context, 16, 8, VX_DF_IMAGE_U8);
	vx_object_array array = vxCreateVirtualObjectArray(g, (vx_reference)exemplar, 4);
	vxReleaseImage(&exemplar);
	return (vx_reference)array;
}

static inline vx_reference make_delay(vx_context c)
{
	vx_scalar exemplar = vxCreateScalar(c, VX_TYPE_INT32, &(vx_int32){0});
	vx_delay delay = vxCreateDelay(c, (vx_reference)exemplar, 3);
	vxReleaseScalar(&exemplar);
	return (vx_reference)delay;
}

/* ---- kinds: the functions of each, as if they were of one type ---- */
#define QUERY_AND_RELEASE(kind, Kind, handle)                                                                           \
	static inline vx_status query_##kind(vx_reference ref, vx_enum attribute, void *ptr, vx_size size)              \
	{                                                                                                               \
		return vxQuery##Kind((handle)ref, attribute, ptr, size);                                                \
	}                                                                                                               \
	static inline vx_status release_##kind(vx_reference *ref) { return vxRelease##Kind((handle *)ref); }
QUERY_AND_RELEASE(scalar, Scalar, vx_scalar)
QUERY_AND_RELEASE(array, Array, vx_array)
QUERY_AND_RELEASE(lut, LUT, vx_lut)
QUERY_AND_RELEASE(distribution, Distribution, vx_distribution)
QUERY_AND_RELEASE(threshold, Threshold, vx_threshold)
QUERY_AND_RELEASE(matrix, Matrix, vx_matrix)
QUERY_AND_RELEASE(convolution, Convolution, vx_convolution)
QUERY_AND_RELEASE(remap, Remap, vx_remap)
QUERY_AND_RELEASE(pyramid, Pyramid, vx_pyramid)
QUERY_AND_RELEASE(object_array, ObjectArray, vx_object_array)
QUERY_AND_RELEASE(delay, Delay, vx_delay)
QUERY_AND_RELEASE(tensor, Tensor, vx_tensor)
QUERY_AND_RELEASE(user_data, UserDataObject, vx_user_data_object)

/* All data. */
#define COPY(kind, call)                                                                                               \
	static inline vx_status copy_##kind(vx_reference ref, void *ptr, vx_enum usage, vx_enum memory) { return call; }
COPY(scalar, vxCopyScalar((vx_scalar)ref, ptr, usage, memory))
COPY(array, vxCopyArrayRange((vx_array)ref, 0, ARRAY_ITEMS, sizeof(vx_keypoint_t), ptr, usage, memory))
COPY(lut, vxCopyLUT((vx_lut)ref, ptr, usage, memory))
COPY(distribution, vxCopyDistribution((vx_distribution)ref, ptr, usage, memory))
COPY(matrix, vxCopyMatrix((vx_matrix)ref, ptr, usage, memory))
COPY(convolution, vxCopyConvolutionCoefficients((vx_convolution)ref, ptr, usage, memory))
COPY(remap, vxCopyRemapPatch((vx_remap)ref, &(vx_rectangle_t){0, 0, REMAP_WIDTH, REMAP_HEIGHT},
			     REMAP_WIDTH * sizeof(vx_coordinates2df_t), ptr, VX_TYPE_COORDINATES2DF, usage, memory))
COPY(tensor, vxCopyTensorPatch((vx_tensor)ref, 3, tensor_start, tensor_dims, tensor_strides, ptr, usage, memory))
COPY(user_data, vxCopyUserDataObject((vx_user_data_object)ref, 0, 0, ptr, usage, memory))

/* All data, and in what rows they are mapped. */
#define MAP(kind, Kind, handle, whole, call)                                                                            \
	static inline vx_status map_##kind(vx_reference ref, vx_map_id *id, void **ptr, struct view *v, vx_enum usage,  \
					   vx_enum memory)                                                              \
	{                                                                                                               \
		*v = (struct view)whole;                                                                                \
		return call;                                                                                            \
	}                                                                                                               \
	static inline vx_status unmap_##kind(vx_reference ref, vx_map_id id) { return vxUnmap##Kind((handle)ref, id); }
#define WHOLE(...) {__VA_ARGS__}
MAP(array, ArrayRange, vx_array, WHOLE(.row = sizeof(vx_keypoint_t), .count = {ARRAY_ITEMS, 1}),
    vxMapArrayRange((vx_array)ref, 0, ARRAY_ITEMS, id, &v->stride[0], ptr, usage, memory, VX_NOGAP_X))
MAP(lut, LUT, vx_lut, WHOLE(.row = LUT_COUNT * sizeof(vx_int16), .count = {1, 1}),
    vxMapLUT((vx_lut)ref, id, ptr, usage, memory, 0))
MAP(distribution, Distribution, vx_distribution, WHOLE(.row = BINS * sizeof(vx_uint32), .count = {1, 1}),
    vxMapDistribution((vx_distribution)ref, id, ptr, usage, memory, 0))
MAP(remap, RemapPatch, vx_remap, WHOLE(.row = REMAP_WIDTH * sizeof(vx_coordinates2df_t), .count = {REMAP_HEIGHT, 1}),
    vxMapRemapPatch((vx_remap)ref, &(vx_rectangle_t){0, 0, REMAP_WIDTH, REMAP_HEIGHT}, id, &v->stride[0], ptr,
		    VX_TYPE_COORDINATES2DF, usage, memory))
MAP(user_data, UserDataObject, vx_user_data_object, WHOLE(.row = DATA_BYTES, .count = {1, 1}),
    vxMapUserDataObject((vx_user_data_object)ref, 0, 0, id, ptr, usage, memory, 0))

static inline vx_status map_tensor(vx_reference ref, vx_map_id *id, void **ptr, struct view *v, vx_enum usage, vx_enum memory)
{
	vx_size strides[3] = {0};
	const vx_status status = vxMapTensorPatch((vx_tensor)ref, 3, NULL, NULL, id, strides, ptr, usage, memory);
	*v = (struct view){.row = 10, .count = {4, 3}, .stride = {strides[1], strides[2]}};
	if (status == VX_SUCCESS)
		assert_int_equal(strides[0], sizeof(vx_int16));
	return status;
}

static inline vx_status unmap_tensor(vx_reference ref, vx_map_id id)
{
	return vxUnmapTensorPatch((vx_tensor)ref, id);
}

/* ---- kinds: all of them ---- */
#define ATTRIBUTE(name, type, ...) {.attribute = (name), .size = sizeof(type), .value = &(const type){__VA_ARGS__}}
#define KIND(kind, kind_type)                                                                                           \
	.name = #kind, .type = (kind_type), .make = make_##kind, .query = query_##kind, .release = release_##kind
#define VIRTUAL(kind, status) .make_virtual = make_virtual_##kind, .hidden = (status)
#define COPIED(kind, size) .bytes = (size), .copy = copy_##kind
#define MAPPED(kind) .map = map_##kind, .unmap = unmap_##kind
enum { SOME_FAILURE = 1 };
static const struct kind {
	const char *name;
	vx_enum type;
	vx_reference (*make)(vx_context);
	vx_status (*query)(vx_reference, vx_enum, void *, vx_size);
	vx_status (*release)(vx_reference *);
	vx_reference (*make_virtual)(vx_graph); /* NULL: there are none */
	vx_status hidden;                       /* of access to data of a virtual one */
	vx_size bytes;                          /* of data; 0: they are not accessed as bytes */
	vx_status (*copy)(vx_reference, void *, vx_enum usage, vx_enum memory);
	vx_status (*map)(vx_reference, vx_map_id *, void **, struct view *, vx_enum usage, vx_enum memory);
	vx_status (*unmap)(vx_reference, vx_map_id);
	struct { vx_enum attribute; vx_size size; const void *value; } attributes[6];
} kinds[] = {
	{KIND(scalar, VX_TYPE_SCALAR), VIRTUAL(scalar, SOME_FAILURE), COPIED(scalar, sizeof(vx_int64)),
	 .attributes = {ATTRIBUTE(VX_SCALAR_TYPE, vx_enum, VX_TYPE_INT64)}},

	{KIND(array, VX_TYPE_ARRAY), VIRTUAL(array, VX_ERROR_OPTIMIZED_AWAY), COPIED(array, ARRAY_ITEMS * sizeof(vx_keypoint_t)),
	 MAPPED(array),
	 .attributes = {ATTRIBUTE(VX_ARRAY_ITEMTYPE, vx_enum, VX_TYPE_KEYPOINT),
			ATTRIBUTE(VX_ARRAY_NUMITEMS, vx_size, ARRAY_ITEMS), ATTRIBUTE(VX_ARRAY_CAPACITY, vx_size, ARRAY_ITEMS),
			ATTRIBUTE(VX_ARRAY_ITEMSIZE, vx_size, sizeof(vx_keypoint_t))}},

	{KIND(lut, VX_TYPE_LUT), VIRTUAL(lut, SOME_FAILURE), COPIED(lut, LUT_COUNT * sizeof(vx_int16)), MAPPED(lut),
	 .attributes = {ATTRIBUTE(VX_LUT_TYPE, vx_enum, VX_TYPE_INT16), ATTRIBUTE(VX_LUT_COUNT, vx_size, LUT_COUNT),
			ATTRIBUTE(VX_LUT_SIZE, vx_size, LUT_COUNT * sizeof(vx_int16)),
			ATTRIBUTE(VX_LUT_OFFSET, vx_uint32, LUT_COUNT / 2)}},

	{KIND(distribution, VX_TYPE_DISTRIBUTION), VIRTUAL(distribution, SOME_FAILURE),
	 COPIED(distribution, BINS * sizeof(vx_uint32)), MAPPED(distribution),
	 .attributes = {ATTRIBUTE(VX_DISTRIBUTION_DIMENSIONS, vx_size, 1), ATTRIBUTE(VX_DISTRIBUTION_OFFSET, vx_int32, -5),
			ATTRIBUTE(VX_DISTRIBUTION_RANGE, vx_uint32, 32), ATTRIBUTE(VX_DISTRIBUTION_BINS, vx_size, BINS),
			ATTRIBUTE(VX_DISTRIBUTION_WINDOW, vx_uint32, 32 / BINS),
			ATTRIBUTE(VX_DISTRIBUTION_SIZE, vx_size, BINS * sizeof(vx_uint32))}},

	{KIND(threshold, VX_TYPE_THRESHOLD), VIRTUAL(threshold, SOME_FAILURE),
	 .attributes = {ATTRIBUTE(VX_THRESHOLD_TYPE, vx_enum, VX_THRESHOLD_TYPE_RANGE),
			ATTRIBUTE(VX_THRESHOLD_INPUT_FORMAT, vx_df_image, VX_DF_IMAGE_S16),
			ATTRIBUTE(VX_THRESHOLD_OUTPUT_FORMAT, vx_df_image, VX_DF_IMAGE_U8)}},

	{KIND(matrix, VX_TYPE_MATRIX), VIRTUAL(matrix, SOME_FAILURE), COPIED(matrix, COLUMNS * ROWS * sizeof(vx_float32)),
	 .attributes = {ATTRIBUTE(VX_MATRIX_TYPE, vx_enum, VX_TYPE_FLOAT32), ATTRIBUTE(VX_MATRIX_ROWS, vx_size, ROWS),
			ATTRIBUTE(VX_MATRIX_COLUMNS, vx_size, COLUMNS),
			ATTRIBUTE(VX_MATRIX_SIZE, vx_size, COLUMNS * ROWS * sizeof(vx_float32)),
			ATTRIBUTE(VX_MATRIX_ORIGIN, vx_coordinates2d_t, COLUMNS / 2, ROWS / 2),
			ATTRIBUTE(VX_MATRIX_PATTERN, vx_enum, VX_PATTERN_OTHER)}},

	{KIND(convolution, VX_TYPE_CONVOLUTION), VIRTUAL(convolution, SOME_FAILURE),
	 COPIED(convolution, COLUMNS * ROWS * sizeof(vx_int16)),
	 .attributes = {ATTRIBUTE(VX_CONVOLUTION_ROWS, vx_size, ROWS), ATTRIBUTE(VX_CONVOLUTION_COLUMNS, vx_size, COLUMNS),
			ATTRIBUTE(VX_CONVOLUTION_SCALE, vx_uint32, 1),
			ATTRIBUTE(VX_CONVOLUTION_SIZE, vx_size, COLUMNS * ROWS * sizeof(vx_int16))}},

	{KIND(remap, VX_TYPE_REMAP), VIRTUAL(remap, SOME_FAILURE),
	 COPIED(remap, REMAP_WIDTH * REMAP_HEIGHT * sizeof(vx_coordinates2df_t)), MAPPED(remap),
	 .attributes = {ATTRIBUTE(VX_REMAP_SOURCE_WIDTH, vx_uint32, 10), ATTRIBUTE(VX_REMAP_SOURCE_HEIGHT, vx_uint32, 8),
			ATTRIBUTE(VX_REMAP_DESTINATION_WIDTH, vx_uint32, REMAP_WIDTH),
			ATTRIBUTE(VX_REMAP_DESTINATION_HEIGHT, vx_uint32, REMAP_HEIGHT)}},

	{KIND(pyramid, VX_TYPE_PYRAMID), VIRTUAL(pyramid, SOME_FAILURE),
	 .attributes = {ATTRIBUTE(VX_PYRAMID_LEVELS, vx_size, 3), ATTRIBUTE(VX_PYRAMID_SCALE, vx_float32, 0.5f),
			ATTRIBUTE(VX_PYRAMID_WIDTH, vx_uint32, 21), ATTRIBUTE(VX_PYRAMID_HEIGHT, vx_uint32, 13),
			ATTRIBUTE(VX_PYRAMID_FORMAT, vx_df_image, VX_DF_IMAGE_U8)}},

	{KIND(object_array, VX_TYPE_OBJECT_ARRAY), VIRTUAL(object_array, SOME_FAILURE),
	 .attributes = {ATTRIBUTE(VX_OBJECT_ARRAY_ITEMTYPE, vx_enum, VX_TYPE_IMAGE),
			ATTRIBUTE(VX_OBJECT_ARRAY_NUMITEMS, vx_size, 4)}},

	{KIND(delay, VX_TYPE_DELAY),
	 .attributes = {ATTRIBUTE(VX_DELAY_TYPE, vx_enum, VX_TYPE_SCALAR), ATTRIBUTE(VX_DELAY_SLOTS, vx_size, 3)}},

	{KIND(tensor, VX_TYPE_TENSOR), VIRTUAL(tensor, VX_ERROR_OPTIMIZED_AWAY), COPIED(tensor, 5 * 4 * 3 * sizeof(vx_int16)),
	 MAPPED(tensor),
	 .attributes = {ATTRIBUTE(VX_TENSOR_NUMBER_OF_DIMS, vx_size, 3), ATTRIBUTE(VX_TENSOR_DATA_TYPE, vx_enum, VX_TYPE_INT16),
			ATTRIBUTE(VX_TENSOR_FIXED_POINT_POSITION, vx_int8, 8),
			{.attribute = VX_TENSOR_DIMS, .size = sizeof tensor_dims, .value = tensor_dims}}},

	{KIND(user_data, VX_TYPE_USER_DATA_OBJECT), VIRTUAL(user_data, VX_ERROR_OPTIMIZED_AWAY), COPIED(user_data, DATA_BYTES),
	 MAPPED(user_data), .attributes = {ATTRIBUTE(VX_USER_DATA_OBJECT_SIZE, vx_size, DATA_BYTES)}},
};

static inline const struct kind *kind_of(vx_enum type)
{
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (kinds[i].type == type)
			return &kinds[i];
	fail_msg("no kind of type 0x%x", (unsigned)type);
	return NULL;
}

static inline vx_reference made(const struct kind *k)
{
	vx_reference ref = k->make(context);
	CREATED(ref);
	return ref;
}

static inline void ended(const struct kind *k, vx_reference *ref)
{
	RAN(k->release(ref));
	assert_null(*ref);
}

static inline void expect_data(const struct kind *k, vx_reference ref, const uint8_t *expected)
{
	struct memory out = open_memory(VX_MEMORY_TYPE_HOST, expected, k->bytes);
	memset(out.bytes, 0, k->bytes);
	RAN(k->copy(ref, out.bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	close_memory(&out, expected);
}

/* An object has the attributes of its kind; a clone has no items. */
static inline void check_attributes(const struct kind *k, vx_reference ref, bool clone)
{
	const vx_size none = 0;
	vx_enum type = 0;
	RAN(vxQueryReference(ref, VX_REFERENCE_TYPE, &type, sizeof type));
	assert_int_equal(type, k->type);
	for (size_t i = 0; i < COUNT(k->attributes) && k->attributes[i].size; i++) {
		const bool empty = clone && k->attributes[i].attribute == VX_ARRAY_NUMITEMS;
		uint8_t got[64];
		memset(got, 0xa5, sizeof got);
		RAN(k->query(ref, k->attributes[i].attribute, got, k->attributes[i].size));
		expect_bytes(empty ? &none : k->attributes[i].value, got, k->attributes[i].size);
	}
}
#endif
