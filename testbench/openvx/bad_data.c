/* Bad input: data objects that are neither images nor tensors. */
#include "testbench/openvx/bad.h"

static vx_uint8 out[4096]; /* room for what is asked, and data */
static vx_map_id id;
static void *mapped;
static vx_size stride;
enum { MANY = 0x7fffffff };

static vx_reference ours(vx_enum type) { return one_of(type, false); }

/* A virtual object of a kind. */
static vx_reference hidden_of(vx_enum type)
{
	vx_reference ref = kind_of(type)->make_virtual((vx_graph)ours(VX_TYPE_GRAPH));
	CREATED(ref);
	return ref;
}

static void refuse_maps(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		refuse_map(&rows[i]);
}

/* ---- life and attributes: all types ---- */
#define TYPE_AND_ATTRIBUTE(name, attribute, size) \
	{CALL(vxRelease##name, R(ref))}, {CALL(vxQuery##name, R(ref), N(attribute), P(out), N(size)), WRONG(WRONG_ATTRIBUTE, WRONG_SIZE(size))}

static void life(void **state)
{
	(void)state;
#define LIFE(type, name, attribute, size) \
	do { \
		vx_reference ref = ours(type); \
		const struct row rows[] = {TYPE_AND_ATTRIBUTE(name, attribute, size)}; \
		refuse_rows(rows, COUNT(rows)); \
	} while (0)
	LIFE(VX_TYPE_SCALAR, Scalar, VX_SCALAR_TYPE, 4);
	LIFE(VX_TYPE_ARRAY, Array, VX_ARRAY_CAPACITY, 8);
	LIFE(VX_TYPE_LUT, LUT, VX_LUT_COUNT, 8);
	LIFE(VX_TYPE_DISTRIBUTION, Distribution, VX_DISTRIBUTION_BINS, 8);
	LIFE(VX_TYPE_THRESHOLD, Threshold, VX_THRESHOLD_TYPE, 4);
	LIFE(VX_TYPE_MATRIX, Matrix, VX_MATRIX_ROWS, 8);
	LIFE(VX_TYPE_CONVOLUTION, Convolution, VX_CONVOLUTION_ROWS, 8);
	LIFE(VX_TYPE_REMAP, Remap, VX_REMAP_SOURCE_WIDTH, 4);
	LIFE(VX_TYPE_PYRAMID, Pyramid, VX_PYRAMID_LEVELS, 8);
	LIFE(VX_TYPE_OBJECT_ARRAY, ObjectArray, VX_OBJECT_ARRAY_NUMITEMS, 8);
	LIFE(VX_TYPE_DELAY, Delay, VX_DELAY_SLOTS, 8);
	LIFE(VX_TYPE_USER_DATA_OBJECT, UserDataObject, VX_USER_DATA_OBJECT_SIZE, 8);
#undef LIFE
	const struct row name[] = {
		{CALL(vxQueryUserDataObject, R(ours(VX_TYPE_USER_DATA_OBJECT)), N(VX_USER_DATA_OBJECT_NAME), P(out), N(VX_MAX_REFERENCE_NAME)),
		 WRONG({2, P(NULL), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {3, N(4), BAD_PARAMETERS})},
	};
	refuse_rows(name, COUNT(name));
}

/* ---- values ---- */
#define NO_VALUE_TYPE(at) \
	{(at), N(VX_TYPE_IMAGE), BAD_TYPE}, {(at), N(VX_TYPE_USER_STRUCT_END), BAD_TYPE}, {(at), N(VX_TYPE_VENDOR_STRUCT_START), BAD_TYPE}, \
	{(at), N(VX_TYPE_CONTEXT), BAD_TYPE}, {(at), N(-1), BAD_TYPE}

static void scalars(void **state)
{
	(void)state;
	vx_reference scalar = ours(VX_TYPE_SCALAR), graph = ours(VX_TYPE_GRAPH), hidden = hidden_of(VX_TYPE_SCALAR);
	const struct row rows[] = {
		{CALL(vxCreateScalar, R(context), N(VX_TYPE_INT64), P(out)), WRONG(NO_VALUE_TYPE(1), {1, N(0), BAD_TYPE})},
		{CALL(vxCreateScalarWithSize, R(context), N(VX_TYPE_INT64), P(out), N(8)),
		 WRONG(NO_VALUE_TYPE(1), {1, N(VX_TYPE_INT32), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {3, N(7), BAD_PARAMETERS}, {3, N(9), BAD_PARAMETERS},
		       {3, N(-1), BAD_PARAMETERS})},
		{CALL(vxCreateVirtualScalar, R(graph), N(VX_TYPE_INT64)), WRONG(NO_VALUE_TYPE(1), {1, N(0), BAD_TYPE})},
		{CALL(vxCopyScalar, R(scalar), P(out), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)), WRONG({0, R(hidden), HIDDEN}, WRONG_COPY(1))},
		{CALL(vxReadScalarValue, R(scalar), P(out)), WRONG({0, R(hidden), HIDDEN}, {1, P(NULL), BAD_PARAMETERS})},
		{CALL(vxWriteScalarValue, R(scalar), P(out)), WRONG({0, R(hidden), HIDDEN}, {1, P(NULL), BAD_PARAMETERS})},
		{CALL(vxCopyScalarWithSize, R(scalar), N(8), P(out), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(hidden), HIDDEN}, {1, N(0), BAD_PARAMETERS}, {1, N(7), BAD_PARAMETERS}, {1, N(9), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS},
		       WRONG_COPY(2))},
	};
	refuse_rows(rows, COUNT(rows));
	RAN(vxReleaseReference(&hidden));
}

static void arrays(void **state)
{
	(void)state;
	const vx_size item = sizeof(vx_keypoint_t);
	vx_reference array = ours(VX_TYPE_ARRAY), graph = ours(VX_TYPE_GRAPH), hidden = hidden_of(VX_TYPE_ARRAY);
	vx_array half = vxCreateArray(context, VX_TYPE_KEYPOINT, 4);
	RAN(vxAddArrayItems(half, 2, out, item));
	const struct row rows[] = {
		{CALL(vxCreateArray, R(context), N(VX_TYPE_KEYPOINT), N(5)),
		 WRONG(NO_VALUE_TYPE(1), {1, N(0), BAD_TYPE}, {2, N(0), BAD_PARAMETERS}, {2, N(MANY), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS})},
		/* of virtual ones, what is 0 is left open */
		{CALL(vxCreateVirtualArray, R(graph), N(VX_TYPE_KEYPOINT), N(5)), WRONG(NO_VALUE_TYPE(1), {2, N(MANY), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS})},
		{CALL(vxAddArrayItems, R(half), N(1), P(out), N(item)),
		 WRONG({0, R(hidden), HIDDEN}, {0, R(array), VX_FAILURE}, {1, N(0), BAD_PARAMETERS}, {1, N(3), VX_FAILURE}, {1, N(-1), VX_FAILURE},
		       {2, P(NULL), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {3, N(item - 1), BAD_PARAMETERS})},
		{CALL(vxTruncateArray, R(half), N(2)), WRONG({0, R(hidden), HIDDEN}, {1, N(4), BAD_PARAMETERS}, {1, N(5), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS})},
		{CALL(vxCopyArrayRange, R(array), N(1), N(3), N(item), P(out), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(hidden), HIDDEN}, {1, N(3), BAD_PARAMETERS}, {1, N(4), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {2, N(0), BAD_PARAMETERS},
		       {2, N(ARRAY_ITEMS + 1), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {3, N(item - 1), BAD_PARAMETERS},
		       {3, N(-1), BAD_PARAMETERS}, WRONG_COPY(4))},
	};
	const struct row maps[] = {
		{CALL(vxMapArrayRange, R(array), N(1), N(3), P(&id), P(&stride), P(&mapped), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST), N(0)),
		 WRONG({0, R(hidden), HIDDEN}, {1, N(3), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {2, N(1), BAD_PARAMETERS},
		       {2, N(ARRAY_ITEMS + 1), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS}, {3, P(NULL), BAD_PARAMETERS}, {4, P(NULL), BAD_PARAMETERS},
		       {5, P(NULL), BAD_PARAMETERS}, WRONG_USAGE(6), WRONG_MEMORY(7)),
		 .undo = undo_map},
	};
	refuse_rows(rows, COUNT(rows));
	refuse_maps(maps, COUNT(maps));
	RAN(vxReleaseArray(&half));
	RAN(vxReleaseReference(&hidden));
}

static void user_data(void **state)
{
	(void)state;
	static const char longest[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	vx_reference data = ours(VX_TYPE_USER_DATA_OBJECT), graph = ours(VX_TYPE_GRAPH), hidden = hidden_of(VX_TYPE_USER_DATA_OBJECT);
	const struct row rows[] = {
		{CALL(vxCreateUserDataObject, R(context), P("name"), N(100), P(out)),
		 WRONG({1, P(longest), BAD_PARAMETERS}, {2, N(0), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS})},
		{CALL(vxCreateVirtualUserDataObject, R(graph), P("name"), N(100)),
		 WRONG({1, P(longest), BAD_PARAMETERS}, {2, N(0), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS})},
		{CALL(vxCopyUserDataObject, R(data), N(10), N(20), P(out), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(hidden), HIDDEN}, {1, N(DATA_BYTES - 19), BAD_PARAMETERS}, {1, N(DATA_BYTES), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS},
		       {2, N(DATA_BYTES - 9), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS}, WRONG_COPY(3))},
	};
	const struct row maps[] = {
		{CALL(vxMapUserDataObject, R(data), N(10), N(20), P(&id), P(&mapped), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST), N(0)),
		 WRONG({0, R(hidden), HIDDEN}, {1, N(DATA_BYTES - 19), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {2, N(DATA_BYTES - 9), BAD_PARAMETERS},
		       {2, N(-1), BAD_PARAMETERS}, {3, P(NULL), BAD_PARAMETERS}, {4, P(NULL), BAD_PARAMETERS}, WRONG_USAGE(5), WRONG_MEMORY(6)),
		 .undo = undo_map},
	};
	refuse_rows(rows, COUNT(rows));
	refuse_maps(maps, COUNT(maps));
	RAN(vxReleaseReference(&hidden));
}

/* ---- tables ---- */
static void tables(void **state)
{
	(void)state;
	vx_reference graph = ours(VX_TYPE_GRAPH);
	vx_reference lut = ours(VX_TYPE_LUT), hidden_lut = hidden_of(VX_TYPE_LUT);
	vx_reference distribution = ours(VX_TYPE_DISTRIBUTION), hidden_distribution = hidden_of(VX_TYPE_DISTRIBUTION);
#define NO_TABLE \
	{1, N(0), BAD_TYPE}, {1, N(VX_TYPE_INT8), BAD_TYPE}, {1, N(VX_TYPE_UINT16), BAD_TYPE}, {1, N(VX_TYPE_IMAGE), BAD_TYPE}, {1, N(-1), BAD_TYPE}, \
	{2, N(0), BAD_PARAMETERS}, {2, N(257), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS}
#define NO_DISTRIBUTION \
	{1, N(0), BAD_PARAMETERS}, {1, N(0x80000000u), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}
	const struct row rows[] = {
		{CALL(vxCreateLUT, R(context), N(VX_TYPE_UINT8), N(256)), WRONG(NO_TABLE)},
		{CALL(vxCreateLUT, R(context), N(VX_TYPE_INT16), N(65536)), WRONG({2, N(65537), BAD_PARAMETERS})},
		{CALL(vxCreateVirtualLUT, R(graph), N(VX_TYPE_UINT8), N(256)), WRONG(NO_TABLE)},
		{CALL(vxCopyLUT, R(lut), P(out), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)), WRONG({0, R(hidden_lut), HIDDEN}, WRONG_COPY(1))},
		{CALL(vxCreateDistribution, R(context), N(BINS), N(-5), N(32)), WRONG(NO_DISTRIBUTION)},
		{CALL(vxCreateVirtualDistribution, R(graph), N(BINS), N(-5), N(32)), WRONG(NO_DISTRIBUTION)},
		{CALL(vxCopyDistribution, R(distribution), P(out), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(hidden_distribution), HIDDEN}, WRONG_COPY(1))},
	};
	const struct row maps[] = {
		{CALL(vxMapLUT, R(lut), P(&id), P(&mapped), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST), N(0)),
		 WRONG({0, R(hidden_lut), HIDDEN}, {1, P(NULL), BAD_PARAMETERS}, {2, P(NULL), BAD_PARAMETERS}, WRONG_USAGE(3), WRONG_MEMORY(4)),
		 .undo = undo_map},
		{CALL(vxMapDistribution, R(distribution), P(&id), P(&mapped), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST), N(0)),
		 WRONG({0, R(hidden_distribution), HIDDEN}, {1, P(NULL), BAD_PARAMETERS}, {2, P(NULL), BAD_PARAMETERS}, WRONG_USAGE(3), WRONG_MEMORY(4)),
		 .undo = undo_map},
	};
	refuse_rows(rows, COUNT(rows));
	refuse_maps(maps, COUNT(maps));
	RAN(vxReleaseReference(&hidden_lut));
	RAN(vxReleaseReference(&hidden_distribution));
}

static void remaps(void **state)
{
	(void)state;
	static const vx_rectangle_t all = {0, 0, REMAP_WIDTH, REMAP_HEIGHT}, empty = {2, 2, 2, 4}, flat = {2, 2, 4, 2}, backwards = {4, 0, 2, 4},
				    wide = {0, 0, REMAP_WIDTH + 1, REMAP_HEIGHT}, high = {0, 0, REMAP_WIDTH, REMAP_HEIGHT + 1},
				    endless = {0, 0, 0xffffffffu, 0xffffffffu};
	const vx_size row_bytes = REMAP_WIDTH * sizeof(vx_coordinates2df_t);
	vx_reference remap = ours(VX_TYPE_REMAP), graph = ours(VX_TYPE_GRAPH), hidden = hidden_of(VX_TYPE_REMAP);
#define NO_REMAP \
	{1, N(0), BAD_PARAMETERS}, {2, N(0), BAD_PARAMETERS}, {3, N(0), BAD_PARAMETERS}, {4, N(0), BAD_PARAMETERS}, {3, N(-1), BAD_PARAMETERS}, \
	{4, N(-1), BAD_PARAMETERS}
#define NO_POINT \
	{1, N(REMAP_WIDTH), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {2, N(REMAP_HEIGHT), BAD_PARAMETERS}, {2, N(-1), BAD_PARAMETERS}
#define NO_PART \
	{1, P(NULL), BAD_PARAMETERS}, {1, P(&empty), BAD_PARAMETERS}, {1, P(&flat), BAD_PARAMETERS}, {1, P(&backwards), BAD_PARAMETERS}, \
	{1, P(&wide), BAD_PARAMETERS}, {1, P(&high), BAD_PARAMETERS}, {1, P(&endless), BAD_PARAMETERS}
	const struct row rows[] = {
		{CALL(vxCreateRemap, R(context), N(10), N(8), N(6), N(5)), WRONG(NO_REMAP)},
		{CALL(vxCreateVirtualRemap, R(graph), N(10), N(8), N(6), N(5)), WRONG(NO_REMAP)},
		{CALL(vxSetRemapPoint, R(remap), N(1), N(2), X(3), X(4)), WRONG({0, R(hidden), HIDDEN}, NO_POINT)},
		{CALL(vxGetRemapPoint, R(remap), N(1), N(2), P(out), P(out + 4)),
		 WRONG({0, R(hidden), HIDDEN}, NO_POINT, {3, P(NULL), BAD_PARAMETERS}, {4, P(NULL), BAD_PARAMETERS})},
		{CALL(vxCopyRemapPatch, R(remap), P(&all), N(row_bytes), P(out), N(VX_TYPE_COORDINATES2DF), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(hidden), HIDDEN}, NO_PART, {2, N(0), BAD_PARAMETERS}, {2, N(row_bytes - 1), BAD_PARAMETERS}, {3, P(NULL), BAD_PARAMETERS},
		       {4, N(0), BAD_PARAMETERS}, {4, N(VX_TYPE_COORDINATES2D), BAD_PARAMETERS}, {5, N(0), BAD_PARAMETERS},
		       {5, N(VX_READ_AND_WRITE), BAD_PARAMETERS}, WRONG_MEMORY(6))},
	};
	const struct row maps[] = {
		{CALL(vxMapRemapPatch, R(remap), P(&all), P(&id), P(&stride), P(&mapped), N(VX_TYPE_COORDINATES2DF), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(hidden), HIDDEN}, NO_PART, {2, P(NULL), BAD_PARAMETERS}, {3, P(NULL), BAD_PARAMETERS}, {4, P(NULL), BAD_PARAMETERS},
		       {5, N(0), BAD_PARAMETERS}, {5, N(VX_TYPE_COORDINATES2D), BAD_PARAMETERS}, WRONG_USAGE(6), WRONG_MEMORY(7)),
		 .undo = undo_map},
	};
	refuse_rows(rows, COUNT(rows));
	refuse_maps(maps, COUNT(maps));
	RAN(vxReleaseReference(&hidden));
}

/* ---- thresholds, matrices, convolutions ---- */
static void thresholds(void **state)
{
	(void)state;
	vx_reference range = ours(VX_TYPE_THRESHOLD), graph = ours(VX_TYPE_GRAPH), hidden = hidden_of(VX_TYPE_THRESHOLD);
	vx_threshold binary = vxCreateThresholdForImage(context, VX_THRESHOLD_TYPE_BINARY, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8);
	vx_threshold hidden_binary = vxCreateVirtualThresholdForImage((vx_graph)graph, VX_THRESHOLD_TYPE_BINARY, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8);
	CREATED(binary);
	CREATED(hidden_binary);
	vx_pixel_value_t value = {.U8 = 1}, second = {.U8 = 2};
#define NO_THRESHOLD \
	{1, N(0), BAD_TYPE}, {1, N(VX_THRESHOLD_TYPE), BAD_TYPE}, {1, N(-1), BAD_TYPE}, {2, N(0), BAD_FORMAT}, {2, N(VX_DF_IMAGE_VIRT), BAD_FORMAT}, \
	{2, N(-1), BAD_FORMAT}, {3, N(0), BAD_FORMAT}, {3, N(VX_DF_IMAGE_VIRT), BAD_FORMAT}, {3, N(-1), BAD_FORMAT}
	const struct row rows[] = {
		{CALL(vxCreateThresholdForImage, R(context), N(VX_THRESHOLD_TYPE_RANGE), N(VX_DF_IMAGE_S16), N(VX_DF_IMAGE_U8)), WRONG(NO_THRESHOLD)},
		{CALL(vxCreateVirtualThresholdForImage, R(graph), N(VX_THRESHOLD_TYPE_RANGE), N(VX_DF_IMAGE_S16), N(VX_DF_IMAGE_U8)), WRONG(NO_THRESHOLD)},
		{CALL(vxSetThresholdAttribute, R(range), N(VX_THRESHOLD_TYPE), P(out), N(4)),
		 WRONG(WRONG_ATTRIBUTE, {1, N(VX_THRESHOLD_TYPE), UNSUPPORTED}, {1, N(VX_THRESHOLD_INPUT_FORMAT), UNSUPPORTED}), .is_last = true},
		{CALL(vxCopyThresholdValue, R(binary), P(&value), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(range), VX_ERROR_NOT_COMPATIBLE}, {0, R(hidden_binary), HIDDEN}, WRONG_COPY(1), {3, N(VX_MEMORY_TYPE_OPENCL_BUFFER), BAD_PARAMETERS})},
		{CALL(vxCopyThresholdRange, R(range), P(&value), P(&second), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(binary), VX_ERROR_NOT_COMPATIBLE}, {0, R(hidden), HIDDEN}, {1, P(NULL), BAD_PARAMETERS}, WRONG_COPY(2))},
		{CALL(vxCopyThresholdOutput, R(range), P(&value), P(&second), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(hidden), HIDDEN}, {1, P(NULL), BAD_PARAMETERS}, WRONG_COPY(2))},
	};
	refuse_rows(rows, COUNT(rows));
	/* one bad value of two leaves the other alone */
	value = second = (vx_pixel_value_t){.S16 = 77};
	VX_FAILS(BAD_PARAMETERS, vxCopyThresholdRange((vx_threshold)range, &value, NULL, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxCopyThresholdRange((vx_threshold)range, &value, &second, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	assert_int_equal(value.S16, 0);
	RAN(vxReleaseThreshold(&binary));
	RAN(vxReleaseThreshold(&hidden_binary));
	RAN(vxReleaseReference(&hidden));
}

static void matrices(void **state)
{
	(void)state;
	const vx_uint32 scale = 4, no_power = 6, zero = 0;
	vx_reference matrix = ours(VX_TYPE_MATRIX), convolution = ours(VX_TYPE_CONVOLUTION), graph = ours(VX_TYPE_GRAPH);
	vx_reference hidden_matrix = hidden_of(VX_TYPE_MATRIX), hidden_convolution = hidden_of(VX_TYPE_CONVOLUTION);
	vx_matrix pattern = vxCreateMatrixFromPattern(context, VX_PATTERN_BOX, 3, 3);
	CREATED(pattern);
#define NO_MATRIX \
	{1, N(0), BAD_TYPE}, {1, N(VX_TYPE_INT8), BAD_TYPE}, {1, N(VX_TYPE_FLOAT64), BAD_TYPE}, {1, N(VX_TYPE_IMAGE), BAD_TYPE}, {1, N(-1), BAD_TYPE}, \
	{2, N(0), BAD_DIMENSION}, {2, N(MANY), BAD_DIMENSION}, {2, N(-1), BAD_DIMENSION}, {3, N(0), BAD_DIMENSION}, {3, N(MANY), BAD_DIMENSION}, \
	{3, N(-1), BAD_DIMENSION}
#define NO_PATTERN \
	{1, N(0), BAD_PARAMETERS}, {1, N(VX_PATTERN_OTHER), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {2, N(0), BAD_DIMENSION}, \
	{2, N(4), BAD_DIMENSION}, {3, N(0), BAD_DIMENSION}, {3, N(4), BAD_DIMENSION}, {2, N(-1), BAD_DIMENSION}, {3, N(-1), BAD_DIMENSION}
#define NO_CONVOLUTION \
	{1, N(0), BAD_DIMENSION}, {1, N(1), BAD_DIMENSION}, {1, N(4), BAD_DIMENSION}, {1, N(17), BAD_DIMENSION}, {1, N(-1), BAD_DIMENSION}, \
	{2, N(0), BAD_DIMENSION}, {2, N(1), BAD_DIMENSION}, {2, N(4), BAD_DIMENSION}, {2, N(17), BAD_DIMENSION}, {2, N(-1), BAD_DIMENSION}
	const struct row rows[] = {
		{CALL(vxCreateMatrix, R(context), N(VX_TYPE_FLOAT32), N(5), N(3)), WRONG(NO_MATRIX)},
		{CALL(vxCreateVirtualMatrix, R(graph), N(VX_TYPE_FLOAT32), N(5), N(3)), WRONG(NO_MATRIX)},
		{CALL(vxCreateMatrixFromPattern, R(context), N(VX_PATTERN_DISK), N(5), N(3)), WRONG(NO_PATTERN)},
		{CALL(vxCreateMatrixFromPattern, R(context), N(VX_PATTERN_BOX), N(4), N(2)), WRONG({2, N(0), BAD_DIMENSION}, {3, N(-1), BAD_DIMENSION})},
		{CALL(vxCreateMatrixFromPatternAndOrigin, R(context), N(VX_PATTERN_CROSS), N(5), N(3), N(4), N(2)),
		 WRONG(NO_PATTERN, {4, N(5), BAD_PARAMETERS}, {4, N(-1), BAD_PARAMETERS}, {5, N(3), BAD_PARAMETERS}, {5, N(-1), BAD_PARAMETERS})},
		{CALL(vxCopyMatrix, R(matrix), P(out), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)), WRONG({0, R(hidden_matrix), HIDDEN}, WRONG_COPY(1))},
		{CALL(vxCopyMatrix, R(matrix), P(out), N(VX_WRITE_ONLY), N(VX_MEMORY_TYPE_HOST)), WRONG({0, R(pattern), UNSUPPORTED})},
		{CALL(vxReadMatrix, R(matrix), P(out)), WRONG({0, R(hidden_matrix), HIDDEN}, {1, P(NULL), BAD_PARAMETERS})},
		{CALL(vxWriteMatrix, R(matrix), P(out)), WRONG({0, R(hidden_matrix), HIDDEN}, {0, R(pattern), UNSUPPORTED}, {1, P(NULL), BAD_PARAMETERS})},
		{CALL(vxCreateConvolution, R(context), N(5), N(3)), WRONG(NO_CONVOLUTION)},
		{CALL(vxCreateVirtualConvolution, R(graph), N(5), N(3)), WRONG(NO_CONVOLUTION)},
		{CALL(vxSetConvolutionAttribute, R(convolution), N(VX_CONVOLUTION_SCALE), P(&scale), N(4)),
		 WRONG(WRONG_ATTRIBUTE, {1, N(VX_CONVOLUTION_ROWS), UNSUPPORTED}, {1, N(VX_CONVOLUTION_SIZE), UNSUPPORTED}, {2, P(&no_power), BAD_VALUE},
		       {2, P(&zero), BAD_VALUE}, WRONG_SIZE(4))},
		{CALL(vxReadConvolutionCoefficients, R(convolution), P(out)), WRONG({0, R(hidden_convolution), HIDDEN}, {1, P(NULL), BAD_PARAMETERS})},
		{CALL(vxWriteConvolutionCoefficients, R(convolution), P(out)), WRONG({0, R(hidden_convolution), HIDDEN}, {1, P(NULL), BAD_PARAMETERS})},
		{CALL(vxCopyConvolutionCoefficients, R(convolution), P(out), N(VX_READ_ONLY), N(VX_MEMORY_TYPE_HOST)),
		 WRONG({0, R(hidden_convolution), HIDDEN}, WRONG_COPY(1))},
	};
	refuse_rows(rows, COUNT(rows));
	RAN(vxReleaseMatrix(&pattern));
	RAN(vxReleaseReference(&hidden_matrix));
	RAN(vxReleaseReference(&hidden_convolution));
}

/* ---- objects of objects ---- */
static void pyramids(void **state)
{
	(void)state;
	vx_reference pyramid = ours(VX_TYPE_PYRAMID), graph = ours(VX_TYPE_GRAPH);
#define NO_LEVELS \
	{1, N(0), BAD_PARAMETERS}, {1, N(65537), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {2, X(0), BAD_PARAMETERS}, {2, X(-0.5f), BAD_PARAMETERS}, \
	{2, X(__builtin_nanf("")), BAD_PARAMETERS}, {2, X(__builtin_inff()), BAD_PARAMETERS}, {3, N(-1), BAD_DIMENSION}, {4, N(-1), BAD_DIMENSION}, \
	{5, N(0), BAD_FORMAT}, {5, N(-1), BAD_FORMAT}, {5, N(VX_DF_IMAGE_NV12), BAD_FORMAT}, {5, N(VX_DF_IMAGE_UYVY), BAD_FORMAT}
	const struct row rows[] = {
		{CALL(vxCreatePyramid, R(context), N(3), X(0.5f), N(21), N(13), N(VX_DF_IMAGE_U8)),
		 WRONG(NO_LEVELS, {3, N(0), BAD_DIMENSION}, {4, N(0), BAD_DIMENSION}, {5, N(VX_DF_IMAGE_VIRT), BAD_FORMAT})},
		/* each level is larger than the one before */
		{CALL(vxCreatePyramid, R(context), N(3), X(2.0f), N(8), N(8), N(VX_DF_IMAGE_U8)), WRONG({1, N(20), BAD_DIMENSION}, {2, X(1e6f), BAD_DIMENSION})},
		/* of virtual ones, what is 0 is left open */
		{CALL(vxCreateVirtualPyramid, R(graph), N(3), X(0.5f), N(21), N(0), N(VX_DF_IMAGE_VIRT)),
		 WRONG({1, N(0), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS}, {2, X(0), BAD_PARAMETERS}, {5, N(0), BAD_FORMAT}, {5, N(VX_DF_IMAGE_IYUV), BAD_FORMAT})},
		{CALL(vxCreateVirtualPyramid, R(graph), N(3), X(0.5f), N(21), N(13), N(VX_DF_IMAGE_U8)), WRONG(NO_LEVELS)},
		{CALL(vxGetPyramidLevel, R(pyramid), N(2)), WRONG({1, N(3), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS})},
	};
	refuse_rows(rows, COUNT(rows));
}

static void collections(void **state)
{
	(void)state;
	vx_reference image = ours(VX_TYPE_IMAGE), array = ours(VX_TYPE_OBJECT_ARRAY), delay = ours(VX_TYPE_DELAY), graph = ours(VX_TYPE_GRAPH);
	vx_image open = vxCreateVirtualImage((vx_graph)graph, 0, 0, VX_DF_IMAGE_VIRT), sizeless = vxCreateVirtualImage((vx_graph)graph, 0, 8, VX_DF_IMAGE_U8);
	vx_pyramid open_pyramid = vxCreateVirtualPyramid((vx_graph)graph, 2, 0.5f, 16, 0, VX_DF_IMAGE_U8);
	vx_array open_array = vxCreateVirtualArray((vx_graph)graph, VX_TYPE_INVALID, 5);
	const vx_size none[2] = {0, 4};
	vx_tensor open_tensor = vxCreateVirtualTensor((vx_graph)graph, 2, none, VX_TYPE_UINT8, 0);
	vx_graph mine = vxCreateGraph(context);
	CREATED(open_tensor);
#define NO_EXEMPLAR \
	{1, R(graph), BAD_REFERENCE}, {1, R(context), BAD_REFERENCE}, {1, R(ours(VX_TYPE_NODE)), BAD_REFERENCE}, {1, R(delay), BAD_REFERENCE}, \
	{1, R(open), BAD_PARAMETERS}, {1, R(sizeless), BAD_PARAMETERS}, {1, R(open_pyramid), BAD_PARAMETERS}, {1, R(open_array), BAD_PARAMETERS}, \
	{1, R(open_tensor), BAD_PARAMETERS}, {2, N(0), BAD_PARAMETERS}, {2, N(65537), BAD_PARAMETERS}, {2, N(MANY), BAD_PARAMETERS}, \
	{2, N(-1), BAD_PARAMETERS}
	const struct row rows[] = {
		{CALL(vxCreateObjectArray, R(context), R(image), N(3)), WRONG(NO_EXEMPLAR, {1, R(array), BAD_REFERENCE}), .foreign = BAD_REFERENCE},
		{CALL(vxCreateVirtualObjectArray, R(graph), R(image), N(3)),
		 WRONG(NO_EXEMPLAR, {1, R(array), BAD_REFERENCE}, {1, R(ours(VX_TYPE_SCALAR)), BAD_REFERENCE}, {1, R(ours(VX_TYPE_TENSOR)), BAD_REFERENCE}),
		 .foreign = BAD_REFERENCE},
		{CALL(vxGetObjectArrayItem, R(array), N(3)), WRONG({1, N(4), BAD_PARAMETERS}, {1, N(-1), BAD_PARAMETERS})},
		{CALL(vxCreateDelay, R(context), R(image), N(3)), WRONG(NO_EXEMPLAR), .foreign = BAD_REFERENCE},
		{CALL(vxGetReferenceFromDelay, R(delay), N(-2)),
		 WRONG({1, N(1), BAD_PARAMETERS}, {1, N(-3), BAD_PARAMETERS}, {1, N(MANY), BAD_PARAMETERS}, {1, N(INT32_MIN), BAD_PARAMETERS}), .borrowed = true},
		{CALL(vxAgeDelay, R(delay))},
		{CALL(vxRegisterAutoAging, R(mine), R(delay)), .foreign = BAD_REFERENCE},
	};
	refuse_rows(rows, COUNT(rows));
	/* an object of a slot is not the application's to release */
	vx_reference slot = vxGetReferenceFromDelay((vx_delay)delay, 0);
	VX_FAILS(BAD_REFERENCE, vxReleaseScalar((vx_scalar *)&slot));
	VX_FAILS(BAD_REFERENCE, vxReleaseReference(&slot));
	CREATED(slot);
	RAN(vxReleaseImage(&open));
	RAN(vxReleaseImage(&sizeless));
	RAN(vxReleasePyramid(&open_pyramid));
	RAN(vxReleaseArray(&open_array));
	RAN(vxReleaseTensor(&open_tensor));
	RAN(vxReleaseGraph(&mine));
}

static void complete(void **state)
{
	(void)state;
	expect_all("data");
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life), cmocka_unit_test(scalars), cmocka_unit_test(arrays), cmocka_unit_test(user_data),
		cmocka_unit_test(tables), cmocka_unit_test(remaps), cmocka_unit_test(thresholds), cmocka_unit_test(matrices),
		cmocka_unit_test(pyramids), cmocka_unit_test(collections), cmocka_unit_test(complete),
	};
	return cmocka_run_group_tests(tests, open_zoo, close_zoo);
}
