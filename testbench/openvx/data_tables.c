/* Data objects that kernels look up: lookup tables, distributions, thresholds, matrices, convolutions, remap tables. */
#include "testbench/openvx/data_kinds.h"
#include <math.h>

/* ---- lookup tables ---- */
static void luts(void **state)
{
	static const struct { vx_enum type; vx_size count, bytes; vx_uint32 offset; } shapes[] = {
		{VX_TYPE_UINT8, 256, 256, 0}, {VX_TYPE_UINT8, 1, 1, 0}, {VX_TYPE_UINT8, 100, 100, 0},
		{VX_TYPE_INT16, 65536, 131072, 32768}, {VX_TYPE_INT16, 1, 2, 0}, {VX_TYPE_INT16, 999, 1998, 499},
	};
	static const struct { vx_enum type; vx_size count; } none[] = {
		{VX_TYPE_UINT8, 257}, {VX_TYPE_INT16, 65537}, {VX_TYPE_INT32, 256}, {VX_TYPE_INVALID, 256}, {VX_TYPE_IMAGE, 256},
	};
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	for (size_t i = 0; i < COUNT(shapes); i++) {
		vx_lut lut = vxCreateLUT(context, shapes[i].type, shapes[i].count);
		vx_size bytes = 0;
		vx_uint32 offset = 9999;
		now_testing("lut of %zu entries of type 0x%x", shapes[i].count, (unsigned)shapes[i].type);
		CREATED(lut);
		RAN(vxQueryLUT(lut, VX_LUT_SIZE, &bytes, sizeof bytes));
		RAN(vxQueryLUT(lut, VX_LUT_OFFSET, &offset, sizeof offset));
		assert_int_equal(bytes, shapes[i].bytes);
		assert_int_equal(offset, shapes[i].offset);
		uint8_t *data = new_bytes(bytes), *before = new_bytes(bytes);
		struct memory out = open_memory(VX_MEMORY_TYPE_HOST, before, bytes);
		RAN(vxCopyLUT(lut, data, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		RAN(vxCopyLUT(lut, out.bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		close_memory(&out, data);
		free(data);
		free(before);
		RAN(vxReleaseLUT(&lut));
	}
	for (size_t i = 0; i < COUNT(none); i++) {
		now_testing("lut of %zu entries of type 0x%x", none[i].count, (unsigned)none[i].type);
		NOT_CREATED(vxCreateLUT(context, none[i].type, none[i].count));
		NOT_CREATED(vxCreateVirtualLUT(graph, none[i].type, none[i].count));
	}
	RAN(vxReleaseGraph(&graph));
}

/* ---- distributions ---- */
static void distributions(void **state)
{
	static const struct { vx_size bins; vx_int32 offset; vx_uint32 range, window; } shapes[] = {
		{1, 0, 256, 256}, {256, 0, 256, 1}, {16, 0, 256, 16}, {7, -100, 21, 3}, {10, 5, 1000000, 100000},
	};
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	for (size_t i = 0; i < COUNT(shapes); i++) {
		vx_distribution d = vxCreateDistribution(context, shapes[i].bins, shapes[i].offset, shapes[i].range);
		vx_uint32 window = 0;
		now_testing("distribution of %u values in %zu bins", shapes[i].range, shapes[i].bins);
		CREATED(d);
		RAN(vxQueryDistribution(d, VX_DISTRIBUTION_WINDOW, &window, sizeof window));
		assert_int_equal(window, shapes[i].window);
		RAN(vxReleaseDistribution(&d));
	}
	NOT_CREATED(vxCreateDistribution(context, 0, 0, 256));
	NOT_CREATED(vxCreateDistribution(context, 16, 0, 0));
	NOT_CREATED(vxCreateVirtualDistribution(graph, 0, 0, 256));
	NOT_CREATED(vxCreateVirtualDistribution(graph, 16, 0, 0));
	RAN(vxReleaseGraph(&graph));
}

/* ---- thresholds ---- */
#define PIXEL_FIELD(field) offsetof(vx_pixel_value_t, field), sizeof(((vx_pixel_value_t *)0)->field)
/* The field of each format, and the default of true; only the formats that kernels need have to be there. */
static const struct { vx_df_image format; bool needed; size_t offset, size; vx_pixel_value_t yes; } pixel_fields[] = {
	{VX_DF_IMAGE_U8, true, PIXEL_FIELD(U8), {.U8 = 0xff}}, {VX_DF_IMAGE_U1, true, PIXEL_FIELD(U1), {.U1 = vx_true_e}},
	{VX_DF_IMAGE_S16, false, PIXEL_FIELD(S16), {.S16 = -1}}, {VX_DF_IMAGE_U16, false, PIXEL_FIELD(U16), {.U16 = 0xffff}},
	{VX_DF_IMAGE_S32, false, PIXEL_FIELD(S32), {.S32 = -1}}, {VX_DF_IMAGE_U32, false, PIXEL_FIELD(U32), {.U32 = 0xffffffff}},
	{VX_DF_IMAGE_RGB, false, PIXEL_FIELD(RGB), {.RGB = {255, 255, 255}}},
	{VX_DF_IMAGE_RGBX, false, PIXEL_FIELD(RGBX), {.RGBX = {255, 255, 255, 255}}},
	{VX_DF_IMAGE_NV12, false, PIXEL_FIELD(YUV), {.YUV = {255, 255, 255}}},
	{VX_DF_IMAGE_NV21, false, PIXEL_FIELD(YUV), {.YUV = {255, 255, 255}}},
	{VX_DF_IMAGE_UYVY, false, PIXEL_FIELD(YUV), {.YUV = {255, 255, 255}}},
	{VX_DF_IMAGE_YUYV, false, PIXEL_FIELD(YUV), {.YUV = {255, 255, 255}}},
	{VX_DF_IMAGE_IYUV, false, PIXEL_FIELD(YUV), {.YUV = {255, 255, 255}}},
	{VX_DF_IMAGE_YUV4, false, PIXEL_FIELD(YUV), {.YUV = {255, 255, 255}}},
};

static void default_outputs(void)
{
	const vx_pixel_value_t zero = {.reserved = {0}};
	for (size_t i = 0; i < COUNT(pixel_fields); i++) {
		vx_threshold t = vxCreateThresholdForImage(context, VX_THRESHOLD_TYPE_BINARY, VX_DF_IMAGE_U8,
							   pixel_fields[i].format);
		vx_pixel_value_t yes = {.reserved = {0xa5, 0xa5, 0xa5, 0xa5}}, no = yes;
		now_testing("threshold with output of %.4s", (const char *)&pixel_fields[i].format);
		if (!pixel_fields[i].needed && vxGetStatus((vx_reference)t) != VX_SUCCESS)
			continue;
		CREATED(t);
		RAN(vxCopyThresholdOutput(t, &yes, &no, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		expect_bytes((const uint8_t *)&pixel_fields[i].yes + pixel_fields[i].offset,
			     (uint8_t *)&yes + pixel_fields[i].offset, pixel_fields[i].size);
		expect_bytes((const uint8_t *)&zero + pixel_fields[i].offset, (uint8_t *)&no + pixel_fields[i].offset,
			     pixel_fields[i].size);
		RAN(vxReleaseThreshold(&t));
	}
}

/* The three functions that copy values, as if all had two. */
static vx_status copy_value(vx_threshold t, vx_pixel_value_t *a, vx_pixel_value_t *b, vx_enum usage, vx_enum memory)
{
	(void)b;
	return vxCopyThresholdValue(t, a, usage, memory);
}

static const struct {
	const char *name;
	vx_enum type; /* 0: of both */
	vx_status (*copy)(vx_threshold, vx_pixel_value_t *, vx_pixel_value_t *, vx_enum usage, vx_enum memory);
	unsigned values;
	size_t size; /* of the field: values are of 16 bits, outputs of 8 */
} threshold_values[] = {
	{"value", VX_THRESHOLD_TYPE_BINARY, copy_value, 1, sizeof(vx_int16)},
	{"range", VX_THRESHOLD_TYPE_RANGE, vxCopyThresholdRange, 2, sizeof(vx_int16)},
	{"output", 0, vxCopyThresholdOutput, 2, sizeof(vx_uint8)},
};

static void copy_threshold(vx_threshold t, size_t at, vx_enum memory)
{
	const vx_pixel_value_t values[2] = {{.S16 = -1234}, {.S16 = 567}}, junk = {.S16 = 99};
	struct memory m[2];
	for (unsigned i = 0; i < 2; i++)
		m[i] = open_memory(memory, &values[i], sizeof values[i]);
	RAN(threshold_values[at].copy(t, memory_ptr(&m[0]), memory_ptr(&m[1]), VX_WRITE_ONLY, memory));
	for (unsigned i = 0; i < 2; i++) {
		close_memory(&m[i], &values[i]);
		m[i] = open_memory(memory, &junk, sizeof junk);
	}
	RAN(threshold_values[at].copy(t, memory_ptr(&m[0]), memory_ptr(&m[1]), VX_READ_ONLY, memory));
	for (unsigned i = 0; i < 2; i++) {
		const bool copied = i < threshold_values[at].values;
		m[i].size = copied ? threshold_values[at].size : sizeof junk;
		close_memory(&m[i], copied ? &values[i] : &junk);
	}
}

static void bad_threshold_copies(vx_threshold t, size_t at)
{
	vx_pixel_value_t a = {.S16 = 1}, b = {.S16 = 2};
	for (size_t m = 0; m < COUNT(memories); m++) {
		REFUSED(VX_ERROR_INVALID_PARAMETERS, threshold_values[at].copy(t, NULL, &b, VX_READ_ONLY, memories[m].type));
		if (threshold_values[at].values == 2)
			REFUSED(VX_ERROR_INVALID_PARAMETERS,
				threshold_values[at].copy(t, &a, NULL, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	}
	for (size_t m = 0; m < COUNT(no_memories); m++)
		REFUSED(VX_ERROR_INVALID_PARAMETERS, threshold_values[at].copy(t, &a, &b, VX_READ_ONLY, no_memories[m]));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, threshold_values[at].copy(t, &a, &b, VX_READ_AND_WRITE, VX_MEMORY_TYPE_HOST));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, threshold_values[at].copy(t, &a, &b, 0, VX_MEMORY_TYPE_HOST));
	REFUSED(VX_ERROR_INVALID_REFERENCE, threshold_values[at].copy(NULL, &a, &b, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	REFUSED(VX_ERROR_INVALID_REFERENCE,
		threshold_values[at].copy((vx_threshold)context, &a, &b, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
}

static void threshold_of(vx_enum type)
{
	vx_graph graph = vxCreateGraph(context);
	vx_threshold t = vxCreateThresholdForImage(context, type, VX_DF_IMAGE_S16, VX_DF_IMAGE_U8);
	vx_threshold hidden = vxCreateVirtualThresholdForImage(graph, type, VX_DF_IMAGE_S16, VX_DF_IMAGE_U8);
	CREATED(t);
	CREATED(hidden);
	for (size_t i = 0; i < COUNT(threshold_values); i++) {
		vx_pixel_value_t a = {.S16 = 1}, b = {.S16 = 2};
		now_testing("threshold of type 0x%x, its %s", (unsigned)type, threshold_values[i].name);
		if (threshold_values[i].type && threshold_values[i].type != type) {
			REFUSED(VX_ERROR_NOT_COMPATIBLE, threshold_values[i].copy(t, &a, &b, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
			continue;
		}
		for (size_t m = 0; m < COUNT(memories); m++)
			copy_threshold(t, i, memories[m].type);
		bad_threshold_copies(t, i);
		FAILED(threshold_values[i].copy(hidden, &a, &b, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		FAILED(threshold_values[i].copy(hidden, &a, &b, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	}
	/* all attributes are read only */
	REFUSED(VX_ERROR_NOT_SUPPORTED, vxSetThresholdAttribute(t, VX_THRESHOLD_TYPE, &type, sizeof type));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxSetThresholdAttribute(NULL, VX_THRESHOLD_TYPE, &type, sizeof type));
	RAN(vxReleaseThreshold(&t));
	RAN(vxReleaseThreshold(&hidden));
	RAN(vxReleaseGraph(&graph));
}

static void thresholds(void **state)
{
	static const struct { vx_enum type; vx_df_image in, out; } none[] = {
		{0, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8}, {VX_THRESHOLD_TYPE_RANGE + 1, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8},
		{VX_THRESHOLD_TYPE_BINARY, 0, VX_DF_IMAGE_U8}, {VX_THRESHOLD_TYPE_BINARY, VX_DF_IMAGE_U8, 0},
		{VX_THRESHOLD_TYPE_BINARY, VX_DF_IMAGE('X', 'X', 'X', 'X'), VX_DF_IMAGE_U8},
	};
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	default_outputs();
	threshold_of(VX_THRESHOLD_TYPE_BINARY);
	threshold_of(VX_THRESHOLD_TYPE_RANGE);
	for (size_t i = 0; i < COUNT(none); i++) {
		now_testing("threshold, bad case %zu", i);
		NOT_CREATED(vxCreateThresholdForImage(context, none[i].type, none[i].in, none[i].out));
		NOT_CREATED(vxCreateVirtualThresholdForImage(graph, none[i].type, none[i].in, none[i].out));
	}
	RAN(vxReleaseGraph(&graph));
}

/* ---- matrices ---- */
/* Whether the specification sets a cell of a pattern. */
static bool pattern_has(vx_enum pattern, vx_size c, vx_size r, vx_size columns, vx_size rows)
{
	const double half_x = (double)columns / 2, half_y = (double)rows / 2;
	if (pattern == VX_PATTERN_CROSS)
		return c == columns / 2 || r == rows / 2;
	const double x = ((double)c - half_x + 0.5) / half_x, y = ((double)r - half_y + 0.5) / half_y;
	return pattern == VX_PATTERN_BOX || x * x + y * y <= 1;
}

static void check_pattern(vx_matrix m, vx_enum pattern, vx_size columns, vx_size rows, vx_coordinates2d_t origin)
{
	vx_coordinates2d_t seen = {99, 99};
	vx_enum type = 0, seen_pattern = 0;
	uint8_t *expected = new_bytes(columns * rows);
	CREATED(m);
	RAN(vxQueryMatrix(m, VX_MATRIX_TYPE, &type, sizeof type));
	RAN(vxQueryMatrix(m, VX_MATRIX_PATTERN, &seen_pattern, sizeof seen_pattern));
	RAN(vxQueryMatrix(m, VX_MATRIX_ORIGIN, &seen, sizeof seen));
	assert_int_equal(type, VX_TYPE_UINT8);
	assert_int_equal(seen_pattern, pattern);
	assert_memory_equal(&seen, &origin, sizeof seen);
	struct memory out = open_memory(VX_MEMORY_TYPE_HOST, expected, columns * rows);
	for (vx_size i = 0; i < columns * rows; i++)
		expected[i] = pattern_has(pattern, i % columns, i / columns, columns, rows) ? 255 : 0;
	RAN(vxCopyMatrix(m, out.bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	close_memory(&out, expected);
	RAN(vxReleaseMatrix(&m));
	free(expected);
}

static void patterns(void **state)
{
	static const vx_enum all[] = {VX_PATTERN_BOX, VX_PATTERN_CROSS, VX_PATTERN_DISK};
	static const struct { vx_size columns, rows; } shapes[] = {{1, 1}, {3, 3}, {5, 5}, {7, 5}, {3, 9}, {9, 9}, {4, 6}};
	(void)state;
	for (size_t p = 0; p < COUNT(all); p++) {
		for (size_t i = 0; i < COUNT(shapes); i++) {
			const vx_size columns = shapes[i].columns, rows = shapes[i].rows;
			const vx_coordinates2d_t middle = {(vx_uint32)(columns / 2), (vx_uint32)(rows / 2)};
			const vx_coordinates2d_t corner = {(vx_uint32)columns - 1, 0};
			now_testing("matrix of pattern 0x%x, %zu x %zu", (unsigned)all[p], columns, rows);
			if (all[p] != VX_PATTERN_BOX && !(columns & rows & 1)) {
				NOT_CREATED(vxCreateMatrixFromPattern(context, all[p], columns, rows));
				continue;
			}
			check_pattern(vxCreateMatrixFromPattern(context, all[p], columns, rows), all[p], columns, rows, middle);
			check_pattern(vxCreateMatrixFromPatternAndOrigin(context, all[p], columns, rows, columns - 1, 0), all[p],
				      columns, rows, corner);
		}
	}
	now_testing("matrix of no pattern");
	NOT_CREATED(vxCreateMatrixFromPattern(context, 0, 3, 3));
	NOT_CREATED(vxCreateMatrixFromPattern(context, VX_PATTERN_OTHER + 1, 3, 3));
	NOT_CREATED(vxCreateMatrixFromPattern(context, VX_PATTERN_BOX, 0, 3));
	NOT_CREATED(vxCreateMatrixFromPatternAndOrigin(context, 0, 3, 3, 1, 1));
	NOT_CREATED(vxCreateMatrixFromPattern(NULL, VX_PATTERN_BOX, 3, 3));
	NOT_CREATED(vxCreateMatrixFromPatternAndOrigin(NULL, VX_PATTERN_BOX, 3, 3, 1, 1));
}

static void matrices(void **state)
{
	static const struct { vx_enum type; vx_size cell; } types[] = {
		{VX_TYPE_UINT8, 1}, {VX_TYPE_INT32, 4}, {VX_TYPE_FLOAT32, 4},
	};
	static const struct { vx_enum type; vx_size columns, rows; } none[] = {
		{VX_TYPE_FLOAT64, 3, 3}, {VX_TYPE_INT16, 3, 3}, {VX_TYPE_INVALID, 3, 3}, {VX_TYPE_MATRIX, 3, 3},
		{VX_TYPE_FLOAT32, 0, 3}, {VX_TYPE_FLOAT32, 3, 0},
	};
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	for (size_t i = 0; i < COUNT(types); i++) {
		const vx_size bytes = 4 * 7 * types[i].cell;
		vx_matrix m = vxCreateMatrix(context, types[i].type, 4, 7);
		vx_size size = 0;
		uint8_t *data = new_bytes(bytes), *before = new_bytes(bytes);
		now_testing("matrix of type 0x%x", (unsigned)types[i].type);
		CREATED(m);
		RAN(vxQueryMatrix(m, VX_MATRIX_SIZE, &size, sizeof size));
		assert_int_equal(size, bytes);
		struct memory out = open_memory(VX_MEMORY_TYPE_HOST, before, bytes);
		RAN(vxCopyMatrix(m, data, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
		RAN(vxCopyMatrix(m, out.bytes, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
		close_memory(&out, data);
		RAN(vxReleaseMatrix(&m));
		free(data);
		free(before);
	}
	for (size_t i = 0; i < COUNT(none); i++) {
		now_testing("matrix, bad case %zu", i);
		NOT_CREATED(vxCreateMatrix(context, none[i].type, none[i].columns, none[i].rows));
		NOT_CREATED(vxCreateVirtualMatrix(graph, none[i].type, none[i].columns, none[i].rows));
	}
	RAN(vxReleaseGraph(&graph));
}

/* ---- convolutions ---- */
static void scales(vx_convolution conv)
{
	vx_uint32 scale = 0;
	for (unsigned bit = 0; bit < 32; bit++) {
		const vx_uint32 power = 1u << bit;
		RAN(vxSetConvolutionAttribute(conv, VX_CONVOLUTION_SCALE, &power, sizeof power));
		RAN(vxQueryConvolution(conv, VX_CONVOLUTION_SCALE, &scale, sizeof scale));
		assert_int_equal(scale, power);
	}
	/* only powers of 2 */
	FAILED(vxSetConvolutionAttribute(conv, VX_CONVOLUTION_SCALE, &(vx_uint32){0}, sizeof scale));
	FAILED(vxSetConvolutionAttribute(conv, VX_CONVOLUTION_SCALE, &(vx_uint32){6}, sizeof scale));
	RAN(vxQueryConvolution(conv, VX_CONVOLUTION_SCALE, &scale, sizeof scale));
	assert_int_equal(scale, 1u << 31);
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetConvolutionAttribute(conv, VX_CONVOLUTION_SCALE, &scale, 2));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxSetConvolutionAttribute(conv, VX_CONVOLUTION_SCALE, NULL, sizeof scale));
	/* the others are read only */
	REFUSED(VX_ERROR_NOT_SUPPORTED, vxSetConvolutionAttribute(conv, VX_CONVOLUTION_ROWS, &(vx_size){5}, sizeof(vx_size)));
	REFUSED(VX_ERROR_NOT_SUPPORTED, vxSetConvolutionAttribute(conv, VX_CONVOLUTION_SIZE, &(vx_size){5}, sizeof(vx_size)));
	REFUSED(VX_ERROR_INVALID_REFERENCE, vxSetConvolutionAttribute(NULL, VX_CONVOLUTION_SCALE, &scale, sizeof scale));
}

static void convolutions(void **state)
{
	static const struct { vx_size columns, rows; } none[] = {{1, 3}, {3, 1}, {2, 3}, {3, 4}, {0, 3}, {3, 0}};
	vx_size most = 0;
	(void)state;
	RAN(vxQueryContext(context, VX_CONTEXT_CONVOLUTION_MAX_DIMENSION, &most, sizeof most));
	assert_true(most >= 9);
	vx_graph graph = vxCreateGraph(context);
	for (vx_size columns = 3; columns < 10; columns += 2) {
		vx_convolution conv = vxCreateConvolution(context, columns, 12 - columns);
		now_testing("convolution of %zu columns", columns);
		CREATED(conv);
		scales(conv);
		RAN(vxReleaseConvolution(&conv));
	}
	for (size_t i = 0; i < COUNT(none); i++) {
		now_testing("convolution, bad case %zu", i);
		NOT_CREATED(vxCreateConvolution(context, none[i].columns, none[i].rows));
		NOT_CREATED(vxCreateVirtualConvolution(graph, none[i].columns, none[i].rows));
	}
	NOT_CREATED(vxCreateConvolution(context, most + 2 - most % 2 + 1, 3));
	NOT_CREATED(vxCreateConvolution(context, 3, most + 2 - most % 2 + 1));
	RAN(vxReleaseGraph(&graph));
}

/* ---- remap tables ---- */
enum { ELEMENT = sizeof(vx_coordinates2df_t) };

/* A part of the table: 3 x 3 elements from 1, 1. */
static void copy_part(vx_remap remap, uint8_t *all, vx_enum memory)
{
	const vx_size stride = 3 * ELEMENT + 12, row = REMAP_WIDTH * ELEMENT;
	const vx_rectangle_t part = {1, 1, 4, 4};
	uint8_t *rows = new_bytes(3 * 3 * ELEMENT), *dense = new_bytes(3 * 3 * ELEMENT);
	uint8_t *junk = spread(rows, 3 * ELEMENT, 3, stride);
	for (vx_size y = 0; y < 3; y++)
		memcpy(dense + y * 3 * ELEMENT, all + (y + 1) * row + ELEMENT, 3 * ELEMENT);
	uint8_t *expected = spread(dense, 3 * ELEMENT, 3, stride);
	struct memory out = open_memory(memory, junk, 3 * stride), in = open_memory(memory, junk, 3 * stride);
	RAN(vxCopyRemapPatch(remap, &part, stride, memory_ptr(&out), VX_TYPE_COORDINATES2DF, VX_READ_ONLY, memory));
	RAN(vxCopyRemapPatch(remap, &part, stride, memory_ptr(&in), VX_TYPE_COORDINATES2DF, VX_WRITE_ONLY, memory));
	close_memory(&out, expected);
	close_memory(&in, junk);
	for (vx_size y = 0; y < 3; y++)
		memcpy(all + (y + 1) * row + ELEMENT, rows + y * 3 * ELEMENT, 3 * ELEMENT);
	free(rows);
	free(junk);
	free(dense);
	free(expected);
}

static void map_part(vx_remap remap, uint8_t *all, vx_enum memory)
{
	const vx_size row = REMAP_WIDTH * ELEMENT;
	struct view view = {.row = 2 * ELEMENT, .count = {4, 1}};
	uint8_t *rows = new_bytes(4 * 2 * ELEMENT);
	vx_map_id id = 0;
	void *ptr = NULL;
	RAN(vxMapRemapPatch(remap, &(vx_rectangle_t){3, 0, 5, 4}, &id, &view.stride[0], &ptr, VX_TYPE_COORDINATES2DF,
			    VX_READ_AND_WRITE, memory));
	assert_true(view.stride[0] >= view.row);
	write_view(ptr, memory, &view, rows);
	RAN(vxUnmapRemapPatch(remap, id));
	for (vx_size y = 0; y < 4; y++)
		memcpy(all + y * row + 3 * ELEMENT, rows + y * 2 * ELEMENT, 2 * ELEMENT);
	free(rows);
}

static void bad_patches(vx_remap remap)
{
	static const vx_rectangle_t bad[] = {{0, 0, 7, 5}, {0, 0, 6, 6}, {2, 2, 2, 4}, {2, 2, 4, 2}, {4, 0, 3, 2}, {6, 0, 7, 1}};
	const vx_rectangle_t good = {0, 0, 2, 2};
	vx_coordinates2df_t cells[64] = {{0, 0}};
	vx_size stride = 0;
	vx_map_id id = 0;
	void *ptr = NULL;
	const vx_enum type = VX_TYPE_COORDINATES2DF, memory = VX_MEMORY_TYPE_HOST;
	for (size_t i = 0; i <= COUNT(bad); i++) {
		const vx_rectangle_t *rect = i < COUNT(bad) ? &bad[i] : NULL;
		REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyRemapPatch(remap, rect, 64, cells, type, VX_READ_ONLY, memory));
		REFUSED(VX_ERROR_INVALID_PARAMETERS,
			vxMapRemapPatch(remap, rect, &id, &stride, &ptr, type, VX_READ_ONLY, memory));
	}
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxCopyRemapPatch(remap, &good, 2 * ELEMENT - 1, cells, type, VX_READ_ONLY, memory));
	REFUSED(VX_ERROR_INVALID_PARAMETERS,
		vxCopyRemapPatch(remap, &good, 64, cells, VX_TYPE_COORDINATES2D, VX_READ_ONLY, memory));
	REFUSED(VX_ERROR_INVALID_PARAMETERS,
		vxMapRemapPatch(remap, &good, &id, &stride, &ptr, VX_TYPE_COORDINATES2D, VX_READ_ONLY, memory));
	REFUSED(VX_ERROR_INVALID_PARAMETERS, vxMapRemapPatch(remap, &good, &id, NULL, &ptr, type, VX_READ_ONLY, memory));
}

static void remaps(void **state)
{
	(void)state;
	const struct kind *k = kind_of(VX_TYPE_REMAP);
	vx_graph graph = vxCreateGraph(context);
	vx_reference ref = made(k);
	uint8_t *all = new_bytes(k->bytes);
	RAN(k->copy(ref, all, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	for (size_t m = 0; m < COUNT(memories); m++) {
		now_testing("remap, parts in %s memory", memories[m].name);
		copy_part((vx_remap)ref, all, memories[m].type);
		expect_data(k, ref, all);
		map_part((vx_remap)ref, all, memories[m].type);
		expect_data(k, ref, all);
	}
	now_testing("remap, bad parts");
	bad_patches((vx_remap)ref);
	expect_data(k, ref, all);
	for (unsigned i = 0; i < 4; i++) {
		vx_uint32 sizes_of[4] = {10, 8, 6, 5};
		sizes_of[i] = 0;
		NOT_CREATED(vxCreateRemap(context, sizes_of[0], sizes_of[1], sizes_of[2], sizes_of[3]));
		NOT_CREATED(vxCreateVirtualRemap(graph, sizes_of[0], sizes_of[1], sizes_of[2], sizes_of[3]));
	}
	free(all);
	ended(k, &ref);
	RAN(vxReleaseGraph(&graph));
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(luts), cmocka_unit_test(distributions), cmocka_unit_test(thresholds), cmocka_unit_test(patterns),
		cmocka_unit_test(matrices), cmocka_unit_test(convolutions), cmocka_unit_test(remaps),
	};
	return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
