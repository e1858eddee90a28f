/* Bad input: functions that create nodes, and those of immediate mode. A table has arguments that are as they should be for each
 * kernel, and what may be wrong with each of them. */
#include "testbench/openvx/bad.h"
#include <math.h>

/* ---- arguments: objects, and values ---- */
struct thing {
	vx_enum type;            /* of an object; VX_TYPE_INVALID: a value, or NULL */
	vx_enum of;              /* of what type its data are */
	vx_df_image format, to;  /* of images and pyramids; a threshold is for images of one, and makes images of another */
	vx_size size[5];
	double value;            /* of a scalar, and of what is no object; the position of a tensor's point, a pyramid's scale */
	const void *ptr;
	bool is_virtual;
};
#define NONE {.type = VX_TYPE_INVALID}
#define VALUE(number) {.value = (number)}
#define STRUCT(address) {.ptr = (address)}
#define SIZED(pixels, width, height) {.type = VX_TYPE_IMAGE, .format = VX_DF_IMAGE_##pixels, .size = {width, height}}
#define IMAGE(pixels) SIZED(pixels, 16, 8)
#define VIRTUAL_IMAGE(pixels, width, height) \
	{.type = VX_TYPE_IMAGE, .format = VX_DF_IMAGE_##pixels, .size = {width, height}, .is_virtual = true}
#define SCALAR(kind, number) {.type = VX_TYPE_SCALAR, .of = VX_TYPE_##kind, .value = (number)}
#define ARRAY(kind, capacity) {.type = VX_TYPE_ARRAY, .of = VX_TYPE_##kind, .size = {capacity}}
#define PYRAMID(pixels, levels, scale, width, height) \
	{.type = VX_TYPE_PYRAMID, .format = VX_DF_IMAGE_##pixels, .size = {levels, width, height}, .value = (scale)}
#define TENSOR(kind, position, ...) {.type = VX_TYPE_TENSOR, .of = VX_TYPE_##kind, .value = (position), .size = {__VA_ARGS__}}
#define TABLE(kind) {.type = VX_TYPE_LUT, .of = VX_TYPE_##kind, .size = {256}}
#define DISTRIBUTION {.type = VX_TYPE_DISTRIBUTION}
#define THRESHOLD(kind, pixels, results) \
	{.type = VX_TYPE_THRESHOLD, .of = VX_THRESHOLD_TYPE_##kind, .format = VX_DF_IMAGE_##pixels, .to = VX_DF_IMAGE_##results}
#define MATRIX(kind, columns, rows) {.type = VX_TYPE_MATRIX, .of = VX_TYPE_##kind, .size = {columns, rows}}
#define CONVOLUTION(columns, rows) {.type = VX_TYPE_CONVOLUTION, .size = {columns, rows}}
#define MAPPING(...) {.type = VX_TYPE_REMAP, .size = {__VA_ARGS__}}

static vx_reference new_scalar(const struct thing *t)
{
	const vx_int64 integer = t->of == VX_TYPE_FLOAT32 ? 0 : (vx_int64)t->value; /* least significant byte first: of any size */
	const vx_float32 real = (vx_float32)t->value;
	return (vx_reference)vxCreateScalar(context, t->of, t->of == VX_TYPE_FLOAT32 ? (const void *)&real : &integer);
}

static vx_reference new_thing(vx_graph graph, const struct thing *t)
{
	const vx_size *s = t->size;
	const vx_uint32 width = (vx_uint32)s[0], height = (vx_uint32)s[1];
	vx_size dims = 0;
	while (dims < COUNT(t->size) && s[dims])
		dims++;
	switch (t->type) {
	case VX_TYPE_IMAGE:
		return (vx_reference)(t->is_virtual ? vxCreateVirtualImage(graph, width, height, t->format) :
						      vxCreateImage(context, width, height, t->format));
	case VX_TYPE_SCALAR:
		return new_scalar(t);
	case VX_TYPE_ARRAY:
		return (vx_reference)vxCreateArray(context, t->of, s[0]);
	case VX_TYPE_PYRAMID:
		return (vx_reference)vxCreatePyramid(context, s[0], (vx_float32)t->value, (vx_uint32)s[1], (vx_uint32)s[2], t->format);
	case VX_TYPE_TENSOR:
		return (vx_reference)vxCreateTensor(context, dims, s, t->of, (vx_int8)t->value);
	case VX_TYPE_LUT:
		return (vx_reference)vxCreateLUT(context, t->of, s[0]);
	case VX_TYPE_DISTRIBUTION:
		return (vx_reference)vxCreateDistribution(context, 16, 0, 256);
	case VX_TYPE_THRESHOLD:
		return (vx_reference)vxCreateThresholdForImage(context, t->of, t->format, t->to);
	case VX_TYPE_MATRIX:
		return (vx_reference)vxCreateMatrix(context, t->of, s[0], s[1]);
	case VX_TYPE_CONVOLUTION:
		return (vx_reference)vxCreateConvolution(context, s[0], s[1]);
	default:
		return (vx_reference)vxCreateRemap(context, width, height, (vx_uint32)s[2], (vx_uint32)s[3]);
	}
}

/* As a function takes it: what is a scalar for a node is a value, or a place for one, for some functions of immediate mode. */
static union arg new_arg(vx_graph graph, const struct thing *t, const struct parameter *p)
{
	static vx_float32 room;
	switch (p->kind) {
	case HANDLE: {
		union arg a = {.ref = t->type == VX_TYPE_INVALID ? NULL : new_thing(graph, t)};
		if (t->type != VX_TYPE_INVALID)
			CREATED(a.ref);
		return a;
	}
	case REAL:
		return (union arg){.real = (vx_float32)t->value};
	case POINTER:
		return (union arg)P(t->ptr ? t->ptr : &room);
	default:
		return (union arg)N(t->value);
	}
}

static void end_arg(union arg a, const struct parameter *p)
{
	if (p->kind == HANDLE && a.ref)
		RAN(vxReleaseReference(&(vx_reference){a.ref}));
}

/* ---- kernels ---- */
static const vx_hough_lines_p_t lines = {.rho = 1, .theta = 0.1f, .threshold = 4, .line_length = 3, .line_gap = 1};
static const vx_hough_lines_p_t no_steps = {.rho = 0, .theta = 0.1f}, back = {.rho = -1, .theta = 0.1f}, no_angles = {.rho = 1, .theta = 0},
				endless = {.rho = 1e-30f, .theta = 1e-30f};
static const vx_hog_t hog = {4, 4, 8, 8, 4, 9, 16, 8, 4, 0.2f}, no_cells = {0, 4, 8, 8, 4, 9, 16, 8, 4, 0.2f}, no_step = {4, 4, 8, 8, 0, 9, 16, 8, 4, 0.2f},
		      no_window_step = {4, 4, 8, 8, 4, 9, 16, 8, -4, 0.2f}, beyond = {4, 4, 8, 8, 4, 9, 32, 8, 4, 0.2f}, uneven = {4, 4, 6, 8, 4, 9, 16, 8, 4, 0.2f};
static const vx_tensor_matrix_multiply_params_t as_they_are = {vx_false_e, vx_false_e, vx_false_e}, turned = {vx_true_e, vx_false_e, vx_false_e};

/* An input image of formats of which one is not; an output image that is to be of one format, and of 16 x 8 pixels. */
#define NO_INPUT(at, pixels, wrong_pixels) \
	{at, IMAGE(wrong_pixels), BAD_FORMAT, (at) - 1}, {at, VIRTUAL_IMAGE(VIRT, 16, 8), BAD_FORMAT, (at) - 1}, \
	{at, VIRTUAL_IMAGE(pixels, 0, 0), BAD_DIMENSION, (at) - 1}
#define NO_OUTPUT(at, pixels, wrong_pixels) \
	{at, IMAGE(wrong_pixels), BAD_FORMAT, (at) - 1}, {at, SIZED(pixels, 12, 6), BAD_DIMENSION, (at) - 1}, \
	{at, VIRTUAL_IMAGE(wrong_pixels, 0, 0), BAD_FORMAT, (at) - 1}, {at, VIRTUAL_IMAGE(pixels, 12, 0), BAD_DIMENSION, (at) - 1}
#define TOO_SMALL(at, pixels) {at, SIZED(pixels, 8, 8), BAD_DIMENSION, (at) - 1}
#define NO_SCALAR(at) {at, SCALAR(UINT16, 1), BAD_TYPE, (at) - 1}
#define NO_ENUM(at) {at, VALUE(0), BAD_VALUE, (at) - 1}, {at, VALUE(-1), BAD_VALUE, (at) - 1}, {at, VALUE(VX_TYPE_IMAGE), BAD_VALUE, (at) - 1}
#define NO_VALUE(at, number) {at, VALUE(number), BAD_VALUE, (at) - 1}
#define NO_TENSOR(at) \
	{at, TENSOR(INT16, 8, 5, 3), BAD_DIMENSION, (at) - 1}, {at, TENSOR(INT16, 8, 5), BAD_DIMENSION, (at) - 1}, \
	{at, TENSOR(UINT8, 0, 5, 4), BAD_TYPE, (at) - 1}
#define GOOD(...) .good = {__VA_ARGS__}

static const struct kernel_call {
	const char *function, *kernel;  /* of vx...Node and vxu..., of org.khronos.openvx... */
	struct thing good[ARGS_MAX - 1]; /* behind the graph or the context, which is argument 0 */
	struct {
		unsigned at;
		struct thing thing;
		vx_status status;
		unsigned parameter;      /* of the kernel, that the log names */
	} wrong[20];                     /* up to the first without a status */
	bool only_node;
} kernel_calls[] = {
	/* images of several channels */
	{"ColorConvert", "color_convert", GOOD(IMAGE(RGB), IMAGE(NV12)),
	 WRONG({1, IMAGE(U8), BAD_FORMAT, 1}, {1, SIZED(RGB, 15, 8), BAD_DIMENSION, 0}, {1, VIRTUAL_IMAGE(VIRT, 0, 0), BAD_FORMAT, 1},
	       {1, VIRTUAL_IMAGE(RGB, 0, 0), BAD_DIMENSION, 1}, {2, IMAGE(RGB), BAD_FORMAT, 1}, NO_OUTPUT(2, NV12, S16),
	       {2, VIRTUAL_IMAGE(VIRT, 0, 0), BAD_FORMAT, 1})},
	{"ChannelExtract", "channel_extract", GOOD(IMAGE(RGB), VALUE(VX_CHANNEL_R), IMAGE(U8)),
	 WRONG({1, IMAGE(U8), BAD_FORMAT, 0}, {1, VIRTUAL_IMAGE(VIRT, 0, 0), BAD_FORMAT, 0}, NO_ENUM(2), NO_VALUE(2, VX_CHANNEL_Y), NO_VALUE(2, VX_CHANNEL_A),
	       NO_OUTPUT(3, U8, S16))},
	{"ChannelCombine", "channel_combine", GOOD(IMAGE(U8), IMAGE(U8), IMAGE(U8), NONE, IMAGE(RGB)),
	 WRONG({1, IMAGE(S16), BAD_FORMAT, 0}, {2, SIZED(U8, 8, 4), BAD_DIMENSION, 1}, {3, NONE, BAD_PARAMETERS, 2}, {4, IMAGE(U8), BAD_PARAMETERS, 3},
	       {5, IMAGE(U8), BAD_FORMAT, 4}, {5, IMAGE(RGBX), BAD_PARAMETERS, 3}, {5, IMAGE(NV12), BAD_DIMENSION, 1}, {5, SIZED(RGB, 8, 8), BAD_DIMENSION, 4},
	       {5, VIRTUAL_IMAGE(VIRT, 0, 0), BAD_FORMAT, 4})},

	/* pixel by pixel */
	{"AbsDiff", "absdiff", GOOD(IMAGE(U8), IMAGE(U8), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, U32), NO_INPUT(2, U8, RGB), TOO_SMALL(2, U8), NO_OUTPUT(3, U8, U32), {1, IMAGE(S16), BAD_FORMAT, 2})},
	{"And", "and", GOOD(IMAGE(U8), IMAGE(U8), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, S16), NO_INPUT(2, U8, S16), TOO_SMALL(2, U8), {2, IMAGE(U1), BAD_FORMAT, 1}, NO_OUTPUT(3, U8, U1))},
	{"Or", "or", GOOD(IMAGE(U8), IMAGE(U8), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, S16), NO_INPUT(2, U8, S16), TOO_SMALL(2, U8), {2, IMAGE(U1), BAD_FORMAT, 1}, NO_OUTPUT(3, U8, U1))},
	{"Xor", "xor", GOOD(IMAGE(U8), IMAGE(U8), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, S16), NO_INPUT(2, U8, S16), TOO_SMALL(2, U8), {2, IMAGE(U1), BAD_FORMAT, 1}, NO_OUTPUT(3, U8, U1))},
	{"Not", "not", GOOD(IMAGE(U8), IMAGE(U8)), WRONG(NO_INPUT(1, U8, S16), NO_OUTPUT(2, U8, U1))},
	{"Min", "min", GOOD(IMAGE(S16), IMAGE(S16), IMAGE(S16)),
	 WRONG(NO_INPUT(1, S16, U1), NO_INPUT(2, S16, U1), TOO_SMALL(2, S16), {2, IMAGE(U8), BAD_FORMAT, 1}, NO_OUTPUT(3, S16, U8))},
	{"Max", "max", GOOD(IMAGE(S16), IMAGE(S16), IMAGE(S16)),
	 WRONG(NO_INPUT(1, S16, U1), NO_INPUT(2, S16, U1), TOO_SMALL(2, S16), {2, IMAGE(U8), BAD_FORMAT, 1}, NO_OUTPUT(3, S16, U8))},
	{"Add", "add", GOOD(IMAGE(U8), IMAGE(U8), VALUE(VX_CONVERT_POLICY_WRAP), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, U32), NO_INPUT(2, U8, U1), TOO_SMALL(2, U8), {2, IMAGE(S16), BAD_FORMAT, 3}, NO_ENUM(3), NO_OUTPUT(4, U8, U32))},
	{"Subtract", "subtract", GOOD(IMAGE(U8), IMAGE(S16), VALUE(VX_CONVERT_POLICY_SATURATE), IMAGE(S16)),
	 WRONG(NO_INPUT(1, U8, U32), NO_INPUT(2, U8, U1), TOO_SMALL(2, U8), NO_ENUM(3), NO_OUTPUT(4, S16, U8))},
	{"Multiply", "multiply",
	 GOOD(IMAGE(U8), IMAGE(U8), SCALAR(FLOAT32, 1), VALUE(VX_CONVERT_POLICY_WRAP), VALUE(VX_ROUND_POLICY_TO_ZERO), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, U32), NO_INPUT(2, U8, U1), TOO_SMALL(2, U8), NO_SCALAR(3), {3, SCALAR(FLOAT32, -1), BAD_VALUE, 2},
	       {3, SCALAR(FLOAT32, NAN), BAD_VALUE, 2}, NO_VALUE(4, 0), NO_VALUE(5, 0), NO_VALUE(5, VX_CONVERT_POLICY_WRAP), NO_OUTPUT(6, U8, U32))},
	{"WeightedAverage", "weighted_average", GOOD(IMAGE(U8), SCALAR(FLOAT32, 0.5), IMAGE(U8), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, S16), NO_SCALAR(2), {2, SCALAR(FLOAT32, -0.25), BAD_VALUE, 1}, {2, SCALAR(FLOAT32, 1.25), BAD_VALUE, 1},
	       {2, SCALAR(FLOAT32, NAN), BAD_VALUE, 1}, NO_INPUT(3, U8, S16), TOO_SMALL(3, U8), NO_OUTPUT(4, U8, S16))},
	{"Magnitude", "magnitude", GOOD(IMAGE(S16), IMAGE(S16), IMAGE(S16)),
	 WRONG(NO_INPUT(1, S16, U8), NO_INPUT(2, S16, U8), TOO_SMALL(2, S16), NO_OUTPUT(3, S16, U8))},
	{"Phase", "phase", GOOD(IMAGE(S16), IMAGE(S16), IMAGE(U8)),
	 WRONG(NO_INPUT(1, S16, U8), NO_INPUT(2, S16, U8), TOO_SMALL(2, S16), NO_OUTPUT(3, U8, S16))},
	{"ConvertDepth", "convertdepth", GOOD(IMAGE(U8), IMAGE(S16), VALUE(VX_CONVERT_POLICY_SATURATE), SCALAR(INT32, 0)),
	 WRONG(NO_INPUT(1, U8, U32), NO_OUTPUT(2, S16, U8), NO_ENUM(3), NO_SCALAR(4))},
	{"Threshold", "threshold", GOOD(IMAGE(U8), THRESHOLD(BINARY, U8, U8), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, U32), {1, IMAGE(S16), BAD_FORMAT, 1}, {2, THRESHOLD(RANGE, S16, U8), BAD_FORMAT, 1},
	       {2, THRESHOLD(BINARY, U8, S16), BAD_FORMAT, 1}, NO_OUTPUT(3, U8, U1))},
	{"TableLookup", "table_lookup", GOOD(IMAGE(U8), TABLE(UINT8), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, U32), {1, IMAGE(S16), BAD_TYPE, 1}, {2, TABLE(INT16), BAD_TYPE, 1}, NO_OUTPUT(3, U8, S16))},

	/* copies */
	{"Copy", "copy", GOOD(IMAGE(U8), IMAGE(U8)), WRONG(NO_OUTPUT(2, U8, S16), {2, SCALAR(UINT8, 0), BAD_TYPE, 1}, {1, ARRAY(KEYPOINT, 4), BAD_TYPE, 1})},
	{"Copy", "copy", GOOD(ARRAY(KEYPOINT, 4), ARRAY(KEYPOINT, 4)),
	 WRONG({2, ARRAY(KEYPOINT, 3), VX_ERROR_NOT_SUFFICIENT, 1}, {2, ARRAY(RECTANGLE, 4), BAD_TYPE, 1})},
	{"Copy", "copy", GOOD(SCALAR(INT32, 1), SCALAR(INT32, 2)), WRONG({2, SCALAR(UINT32, 2), BAD_TYPE, 1})},
	{"Copy", "copy", GOOD(PYRAMID(U8, 3, 0.5, 16, 8), PYRAMID(U8, 3, 0.5, 16, 8)),
	 WRONG({2, PYRAMID(U8, 2, 0.5, 16, 8), BAD_VALUE, 1}, {2, PYRAMID(U8, 3, VX_SCALE_PYRAMID_ORB, 16, 8), BAD_VALUE, 1},
	       {2, PYRAMID(U8, 3, 0.5, 16, 10), BAD_DIMENSION, 1}, {2, PYRAMID(S16, 3, 0.5, 16, 8), BAD_FORMAT, 1})},
	{"Copy", "copy", GOOD(TENSOR(INT16, 8, 5, 4), TENSOR(INT16, 8, 5, 4)),
	 WRONG({2, TENSOR(UINT8, 0, 5, 4), BAD_TYPE, 1}, {2, TENSOR(INT16, 8, 5, 3), BAD_DIMENSION, 1}, {2, TENSOR(INT16, 8, 5), BAD_DIMENSION, 1})},
	{"Copy", "copy", GOOD(MATRIX(FLOAT32, 3, 2), MATRIX(FLOAT32, 3, 2)),
	 WRONG({2, MATRIX(FLOAT32, 2, 3), BAD_PARAMETERS, 1}, {2, MATRIX(INT32, 3, 2), BAD_PARAMETERS, 1})},
	{"Select", "select", GOOD(SCALAR(BOOL, 1), IMAGE(U8), IMAGE(U8), IMAGE(U8)),
	 WRONG(NO_SCALAR(1), {2, SCALAR(UINT8, 0), BAD_TYPE, 3}, {3, SCALAR(UINT8, 0), BAD_TYPE, 2}, {3, IMAGE(S16), BAD_FORMAT, 2}, TOO_SMALL(3, U8),
	       NO_OUTPUT(4, U8, S16)),
	 .only_node = true},
	{"ScalarOperation", "scalar_operation", GOOD(VALUE(VX_SCALAR_OP_ADD), SCALAR(INT32, 1), SCALAR(FLOAT32, 2), SCALAR(INT32, 0)),
	 WRONG(NO_ENUM(1), NO_VALUE(1, VX_SCALAR_OP_MAX + 1), {1, VALUE(VX_SCALAR_OP_AND), BAD_TYPE, 1}, {1, VALUE(VX_SCALAR_OP_MODULUS), BAD_TYPE, 2},
	       {1, VALUE(VX_SCALAR_OP_LESS), BAD_TYPE, 3}, {2, SCALAR(BOOL, 1), BAD_TYPE, 1}, {3, SCALAR(BOOL, 1), BAD_TYPE, 2},
	       {4, SCALAR(BOOL, 1), BAD_TYPE, 3}),
	 .only_node = true},

	/* neighbourhoods */
	{"Box3x3", "box_3x3", GOOD(IMAGE(U8), IMAGE(U8)), WRONG(NO_INPUT(1, U8, U1), NO_OUTPUT(2, U8, S16))},
	{"Gaussian3x3", "gaussian_3x3", GOOD(IMAGE(U8), IMAGE(U8)), WRONG(NO_INPUT(1, U8, U1), NO_OUTPUT(2, U8, S16))},
	{"Dilate3x3", "dilate_3x3", GOOD(IMAGE(U8), IMAGE(U8)), WRONG(NO_INPUT(1, U8, S16), NO_OUTPUT(2, U8, U1))},
	{"Erode3x3", "erode_3x3", GOOD(IMAGE(U8), IMAGE(U8)), WRONG(NO_INPUT(1, U8, S16), NO_OUTPUT(2, U8, U1))},
	{"Median3x3", "median_3x3", GOOD(IMAGE(U8), IMAGE(U8)), WRONG(NO_INPUT(1, U8, S16), NO_OUTPUT(2, U8, U1))},
	{"Sobel3x3", "sobel_3x3", GOOD(IMAGE(U8), IMAGE(S16), IMAGE(S16)), WRONG(NO_INPUT(1, U8, S16), NO_OUTPUT(2, S16, U8), NO_OUTPUT(3, S16, U8))},
	{"Convolve", "custom_convolution", GOOD(IMAGE(U8), CONVOLUTION(3, 5), IMAGE(S16)), WRONG(NO_INPUT(1, U8, S16), NO_OUTPUT(3, S16, U32))},
	{"NonLinearFilter", "non_linear_filter", GOOD(VALUE(VX_NONLINEAR_FILTER_MEDIAN), IMAGE(U8), MATRIX(UINT8, 3, 3), IMAGE(U8)),
	 WRONG(NO_ENUM(1), NO_INPUT(2, U8, S16), {3, MATRIX(FLOAT32, 3, 3), BAD_TYPE, 2}, {3, MATRIX(UINT8, 11, 3), BAD_DIMENSION, 2},
	       {3, MATRIX(UINT8, 3, 11), BAD_DIMENSION, 2}, NO_OUTPUT(4, U8, U1))},
	{"LBP", "lbp", GOOD(IMAGE(U8), VALUE(VX_LBP), VALUE(3), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, S16), NO_ENUM(2), NO_VALUE(3, 4), NO_VALUE(3, 0), NO_VALUE(3, -3), NO_VALUE(3, 7), NO_OUTPUT(4, U8, S16))},
	{"NonMaxSuppression", "non_max_suppression", GOOD(IMAGE(U8), IMAGE(U8), VALUE(3), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, U1), NO_INPUT(2, U8, S16), TOO_SMALL(2, U8), NO_VALUE(3, 0), NO_VALUE(3, 2), NO_VALUE(3, -1), NO_VALUE(3, 9),
	       NO_OUTPUT(4, U8, S16))},
	{"MatchTemplate", "match_template", GOOD(IMAGE(U8), SIZED(U8, 4, 3), VALUE(VX_COMPARE_L2), SIZED(S16, 13, 6)),
	 WRONG(NO_INPUT(1, U8, S16), NO_INPUT(2, U8, S16), {2, SIZED(U8, 17, 3), BAD_DIMENSION, 1}, NO_ENUM(3), NO_OUTPUT(4, S16, U8))},
	{"CannyEdgeDetector", "canny_edge_detector", GOOD(IMAGE(U8), THRESHOLD(RANGE, U8, U8), VALUE(3), VALUE(VX_NORM_L1), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, S16), {2, THRESHOLD(BINARY, U8, U8), BAD_TYPE, 1}, {2, THRESHOLD(RANGE, U16, U8), BAD_FORMAT, 1}, NO_VALUE(3, 4),
	       NO_VALUE(3, 9), NO_VALUE(3, -3), NO_VALUE(4, 0), NO_VALUE(4, VX_CONVERT_POLICY_WRAP), NO_OUTPUT(5, U8, S16))},

	/* sizes and places */
	{"ScaleImage", "scale_image", GOOD(IMAGE(U8), SIZED(U8, 8, 4), VALUE(VX_INTERPOLATION_NEAREST_NEIGHBOR)),
	 WRONG(NO_INPUT(1, U8, S16), {2, SIZED(U1, 8, 4), BAD_FORMAT, 1}, {2, VIRTUAL_IMAGE(U8, 0, 4), BAD_PARAMETERS, 1},
	       {2, VIRTUAL_IMAGE(VIRT, 8, 4), BAD_PARAMETERS, 1}, NO_ENUM(3))},
	{"HalfScaleGaussian", "halfscale_gaussian", GOOD(IMAGE(U8), SIZED(U8, 8, 4), VALUE(3)),
	 WRONG(NO_INPUT(1, U8, S16), NO_OUTPUT(2, U8, U1), NO_VALUE(3, 0), NO_VALUE(3, 2), NO_VALUE(3, 7), NO_VALUE(3, -1))},
	{"WarpAffine", "warp_affine", GOOD(IMAGE(U8), MATRIX(FLOAT32, 2, 3), VALUE(VX_INTERPOLATION_BILINEAR), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, S16), {2, MATRIX(INT32, 2, 3), BAD_TYPE, 1}, {2, MATRIX(FLOAT32, 3, 3), BAD_DIMENSION, 1},
	       {2, MATRIX(FLOAT32, 3, 2), BAD_DIMENSION, 1}, NO_ENUM(3), NO_VALUE(3, VX_INTERPOLATION_AREA), {4, IMAGE(U1), BAD_FORMAT, 3})},
	{"WarpPerspective", "warp_perspective", GOOD(IMAGE(U8), MATRIX(FLOAT32, 3, 3), VALUE(VX_INTERPOLATION_BILINEAR), IMAGE(U8)),
	 WRONG(NO_INPUT(1, U8, U1), {2, MATRIX(UINT8, 3, 3), BAD_TYPE, 1}, {2, MATRIX(FLOAT32, 2, 3), BAD_DIMENSION, 1}, NO_ENUM(3),
	       NO_VALUE(3, VX_INTERPOLATION_AREA), {4, IMAGE(S16), BAD_FORMAT, 3})},
	{"Remap", "remap", GOOD(IMAGE(U8), MAPPING(16, 8, 10, 6), VALUE(VX_INTERPOLATION_NEAREST_NEIGHBOR), SIZED(U8, 10, 6)),
	 WRONG(NO_INPUT(1, U8, S16), TOO_SMALL(1, U8), {2, MAPPING(16, 9, 10, 6), BAD_DIMENSION, 0}, NO_ENUM(3), NO_VALUE(3, VX_INTERPOLATION_AREA),
	       NO_OUTPUT(4, U8, S16))},

	/* pyramids */
	{"GaussianPyramid", "gaussian_pyramid", GOOD(IMAGE(U8), PYRAMID(U8, 3, 0.5, 16, 8)),
	 WRONG(NO_INPUT(1, U8, S16), {2, PYRAMID(U8, 3, 0.75, 16, 8), BAD_VALUE, 1}, {2, PYRAMID(S16, 3, 0.5, 16, 8), BAD_FORMAT, 1},
	       {2, PYRAMID(U8, 3, 0.5, 20, 8), BAD_DIMENSION, 1}, {2, PYRAMID(U8, 3, 0.5, 16, 10), BAD_DIMENSION, 1})},
	{"LaplacianPyramid", "laplacian_pyramid", GOOD(IMAGE(U8), PYRAMID(S16, 2, 0.5, 16, 8), SIZED(U8, 4, 2)),
	 WRONG(NO_INPUT(1, U8, U32), {2, PYRAMID(U8, 2, 0.5, 16, 8), BAD_FORMAT, 1}, {2, PYRAMID(S16, 2, VX_SCALE_PYRAMID_ORB, 16, 8), BAD_VALUE, 1},
	       {2, PYRAMID(S16, 2, 0.5, 20, 8), BAD_DIMENSION, 1}, {2, PYRAMID(S16, 3, 0.5, 16, 8), BAD_DIMENSION, 2}, NO_OUTPUT(3, U8, S16))},
	{"LaplacianReconstruct", "laplacian_reconstruct", GOOD(PYRAMID(S16, 2, 0.5, 16, 8), SIZED(U8, 4, 2), IMAGE(U8)),
	 WRONG({1, PYRAMID(U8, 2, 0.5, 16, 8), BAD_FORMAT, 0}, {1, PYRAMID(S16, 2, VX_SCALE_PYRAMID_ORB, 16, 8), BAD_VALUE, 0},
	       {1, PYRAMID(S16, 3, 0.5, 16, 8), BAD_DIMENSION, 1}, NO_INPUT(2, U8, U32), TOO_SMALL(2, U8), NO_OUTPUT(3, U8, S16))},
	{"OpticalFlowPyrLK", "optical_flow_pyr_lk",
	 GOOD(PYRAMID(U8, 2, 0.5, 16, 8), PYRAMID(U8, 2, 0.5, 16, 8), ARRAY(KEYPOINT, 4), ARRAY(KEYPOINT, 4), ARRAY(KEYPOINT, 4),
	      VALUE(VX_TERM_CRITERIA_BOTH), SCALAR(FLOAT32, 0.01), SCALAR(UINT32, 5), SCALAR(BOOL, 0), VALUE(5)),
	 WRONG({1, PYRAMID(S16, 2, 0.5, 16, 8), BAD_FORMAT, 0}, {2, PYRAMID(S16, 2, 0.5, 16, 8), BAD_FORMAT, 1},
	       {2, PYRAMID(U8, 3, 0.5, 16, 8), BAD_DIMENSION, 1}, {2, PYRAMID(U8, 2, 0.5, 16, 9), BAD_DIMENSION, 1}, {3, ARRAY(RECTANGLE, 4), BAD_TYPE, 2},
	       {4, ARRAY(COORDINATES2D, 4), BAD_TYPE, 3}, {5, ARRAY(RECTANGLE, 4), BAD_TYPE, 4}, NO_ENUM(6), NO_SCALAR(7), NO_SCALAR(8), NO_SCALAR(9),
	       NO_VALUE(10, 2), NO_VALUE(10, 1000), NO_VALUE(10, 1e15))},

	/* numbers and lists */
	{"Histogram", "histogram", GOOD(IMAGE(U8), DISTRIBUTION), WRONG(NO_INPUT(1, U8, S16))},
	{"EqualizeHist", "equalize_histogram", GOOD(IMAGE(U8), IMAGE(U8)), WRONG(NO_INPUT(1, U8, S16), NO_OUTPUT(2, U8, S16))},
	{"IntegralImage", "integral_image", GOOD(IMAGE(U8), IMAGE(U32)), WRONG(NO_INPUT(1, U8, S16), NO_OUTPUT(2, U32, S32))},
	{"MeanStdDev", "mean_stddev", GOOD(IMAGE(U8), SCALAR(FLOAT32, 0), SCALAR(FLOAT32, 0)), WRONG(NO_INPUT(1, U8, S16), NO_SCALAR(2), NO_SCALAR(3))},
	{"MinMaxLoc", "minmaxloc",
	 GOOD(IMAGE(U8), SCALAR(UINT8, 0), SCALAR(UINT8, 0), ARRAY(COORDINATES2D, 10), ARRAY(COORDINATES2D, 10), SCALAR(SIZE, 0), SCALAR(UINT32, 0)),
	 WRONG(NO_INPUT(1, U8, U32), {1, IMAGE(S16), BAD_TYPE, 1}, {2, SCALAR(INT16, 0), BAD_TYPE, 1}, {3, SCALAR(INT16, 0), BAD_TYPE, 2},
	       {4, ARRAY(KEYPOINT, 10), BAD_TYPE, 3}, {5, ARRAY(RECTANGLE, 10), BAD_TYPE, 4}, NO_SCALAR(6), NO_SCALAR(7))},
	{"HarrisCorners", "harris_corners",
	 GOOD(IMAGE(U8), SCALAR(FLOAT32, 0.1), SCALAR(FLOAT32, 3), SCALAR(FLOAT32, 0.04), VALUE(3), VALUE(3), ARRAY(KEYPOINT, 10), SCALAR(SIZE, 0)),
	 WRONG(NO_INPUT(1, U8, S16), NO_SCALAR(2), NO_SCALAR(3), NO_SCALAR(4), NO_VALUE(5, 4), NO_VALUE(5, 9), NO_VALUE(6, 4), NO_VALUE(6, -1),
	       {7, ARRAY(RECTANGLE, 10), BAD_TYPE, 6}, NO_SCALAR(8))},
	{"FastCorners", "fast_corners", GOOD(IMAGE(U8), SCALAR(FLOAT32, 10), VALUE(vx_true_e), ARRAY(KEYPOINT, 10), SCALAR(SIZE, 0)),
	 WRONG(NO_INPUT(1, U8, S16), NO_SCALAR(2), {2, SCALAR(FLOAT32, 256), BAD_VALUE, 1}, {2, SCALAR(FLOAT32, -1), BAD_VALUE, 1},
	       {2, SCALAR(FLOAT32, NAN), BAD_VALUE, 1}, {4, ARRAY(COORDINATES2D, 10), BAD_TYPE, 3}, NO_SCALAR(5))},
	{"HoughLinesP", "hough_lines_p", GOOD(IMAGE(U8), STRUCT(&lines), ARRAY(LINE_2D, 10), SCALAR(SIZE, 0)),
	 WRONG(NO_INPUT(1, U8, S16), {2, STRUCT(&no_steps), BAD_VALUE, 1}, {2, STRUCT(&back), BAD_VALUE, 1}, {2, STRUCT(&no_angles), BAD_VALUE, 1},
	       {2, STRUCT(&endless), BAD_VALUE, 1}, {3, ARRAY(RECTANGLE, 10), BAD_TYPE, 2}, NO_SCALAR(4))},

	/* tensors */
	{"TensorAdd", "tensor_add", GOOD(TENSOR(INT16, 8, 5, 4), TENSOR(INT16, 8, 5, 4), VALUE(VX_CONVERT_POLICY_WRAP), TENSOR(INT16, 8, 5, 4)),
	 WRONG({1, TENSOR(INT16, 0, 5, 4), BAD_TYPE, 0}, NO_TENSOR(2), NO_ENUM(3), NO_TENSOR(4))},
	{"TensorSubtract", "tensor_subtract",
	 GOOD(TENSOR(INT16, 8, 5, 4), TENSOR(INT16, 8, 5, 1), VALUE(VX_CONVERT_POLICY_SATURATE), TENSOR(INT16, 8, 5, 4)),
	 WRONG({1, TENSOR(INT16, 0, 5, 4), BAD_TYPE, 0}, NO_TENSOR(2), NO_ENUM(3), NO_TENSOR(4))},
	{"TensorMultiply", "tensor_multiply",
	 GOOD(TENSOR(INT16, 8, 5, 4), TENSOR(INT16, 8, 5, 4), SCALAR(FLOAT32, 1), VALUE(VX_CONVERT_POLICY_WRAP), VALUE(VX_ROUND_POLICY_TO_ZERO),
	      TENSOR(INT16, 8, 5, 4)),
	 WRONG({1, TENSOR(INT16, 0, 5, 4), BAD_TYPE, 0}, NO_TENSOR(2), NO_SCALAR(3), {3, SCALAR(FLOAT32, -1), BAD_VALUE, 2},
	       {3, SCALAR(FLOAT32, NAN), BAD_VALUE, 2}, NO_ENUM(4), NO_ENUM(5), NO_TENSOR(6))},
	{"TensorTableLookup", "tensor_table_lookup", GOOD(TENSOR(INT16, 8, 5, 4), TABLE(INT16), TENSOR(INT16, 8, 5, 4)),
	 WRONG({1, TENSOR(INT8, 0, 5, 4), BAD_TYPE, 0}, {2, TABLE(UINT8), BAD_TYPE, 2}, NO_TENSOR(3))},
	{"TensorTranspose", "tensor_transpose", GOOD(TENSOR(INT16, 8, 5, 4), TENSOR(INT16, 8, 4, 5), VALUE(0), VALUE(1)),
	 WRONG({1, TENSOR(INT16, 0, 5, 4), BAD_TYPE, 0}, {2, TENSOR(INT16, 8, 5, 4), BAD_DIMENSION, 3}, {2, TENSOR(UINT8, 0, 4, 5), BAD_TYPE, 3},
	       {3, VALUE(2), BAD_VALUE, 1}, {4, VALUE(-1), BAD_VALUE, 2}, {4, VALUE(1e15), BAD_VALUE, 2})},
	{"TensorConvertDepth", "tensor_convert_depth",
	 GOOD(TENSOR(UINT8, 0, 5, 4), VALUE(VX_CONVERT_POLICY_SATURATE), SCALAR(FLOAT32, 1), SCALAR(FLOAT32, 0), TENSOR(INT16, 8, 5, 4)),
	 WRONG({1, TENSOR(INT16, 0, 5, 4), BAD_TYPE, 0}, NO_ENUM(2), NO_SCALAR(3), NO_SCALAR(4), {5, TENSOR(INT16, 0, 5, 4), BAD_TYPE, 4},
	       {5, TENSOR(INT16, 8, 5, 3), BAD_DIMENSION, 4})},
	{"TensorMatrixMultiply", "tensor_matrix_multiply",
	 GOOD(TENSOR(INT16, 8, 5, 4), TENSOR(INT16, 8, 3, 5), TENSOR(INT16, 8, 3, 4), STRUCT(&as_they_are), TENSOR(INT16, 8, 3, 4)),
	 WRONG({1, TENSOR(INT16, 0, 5, 4), BAD_TYPE, 0}, {1, TENSOR(INT16, 8, 5), BAD_DIMENSION, 0}, {1, TENSOR(INT16, 8, 6, 4), BAD_DIMENSION, 1},
	       {2, TENSOR(UINT8, 0, 3, 5), BAD_TYPE, 1}, {2, TENSOR(INT16, 8, 3, 6), BAD_DIMENSION, 1}, {3, TENSOR(INT16, 8, 4, 3), BAD_DIMENSION, 2},
	       {4, STRUCT(&turned), BAD_DIMENSION, 1}, {5, TENSOR(INT16, 8, 3, 5), BAD_DIMENSION, 6}, {5, TENSOR(UINT8, 0, 3, 4), BAD_TYPE, 6})},
	{"BilateralFilter", "bilateral_filter", GOOD(TENSOR(UINT8, 0, 16, 8), VALUE(5), VALUE(1.5), VALUE(1.5), TENSOR(UINT8, 0, 16, 8)),
	 WRONG({1, TENSOR(INT8, 0, 16, 8), BAD_TYPE, 0}, {1, TENSOR(UINT8, 0, 16), BAD_DIMENSION, 0}, {1, TENSOR(UINT8, 0, 4, 4, 2, 2), BAD_DIMENSION, 0},
	       NO_VALUE(2, 3), NO_VALUE(2, 6), NO_VALUE(2, 11), NO_VALUE(2, -5), NO_VALUE(3, 0), NO_VALUE(3, 21), NO_VALUE(3, NAN), NO_VALUE(4, -1),
	       {5, TENSOR(INT16, 8, 16, 8), BAD_TYPE, 4}, {5, TENSOR(UINT8, 0, 16, 7), BAD_DIMENSION, 4})},
	{"HOGCells", "hog_cells", GOOD(IMAGE(U8), VALUE(4), VALUE(4), VALUE(9), TENSOR(INT16, 8, 4, 2), TENSOR(INT16, 8, 4, 2, 9)),
	 WRONG(NO_INPUT(1, U8, S16), NO_VALUE(2, 0), NO_VALUE(3, -4), NO_VALUE(4, 0), {2, VALUE(17), BAD_DIMENSION, 0}, NO_TENSOR(5), NO_TENSOR(6))},
	{"HOGFeatures", "hog_features",
	 GOOD(IMAGE(U8), TENSOR(INT16, 8, 4, 2), TENSOR(INT16, 8, 4, 2, 9), STRUCT(&hog), VALUE(sizeof(vx_hog_t)), TENSOR(INT16, 8, 1, 1, 108)),
	 WRONG(NO_INPUT(1, U8, S16), NO_TENSOR(2), {3, TENSOR(INT16, 8, 4, 2, 8), BAD_DIMENSION, 2}, {4, STRUCT(&no_cells), BAD_VALUE, 3},
	       {4, STRUCT(&no_step), BAD_VALUE, 3}, {4, STRUCT(&no_window_step), BAD_VALUE, 3}, {4, STRUCT(&beyond), BAD_VALUE, 3},
	       {4, STRUCT(&uneven), BAD_VALUE, 3}, {6, TENSOR(INT16, 8, 1, 108), BAD_DIMENSION, 4}, {6, TENSOR(INT16, 8, 1, 1, 107), BAD_DIMENSION, 4},
	       {6, TENSOR(UINT8, 0, 1, 1, 108), BAD_TYPE, 4})},
	/* the kernel has no parameter for the size: the conformance suite says 1 */
	{"HOGFeatures", "hog_features",
	 GOOD(IMAGE(U8), TENSOR(INT16, 8, 4, 2), TENSOR(INT16, 8, 4, 2, 9), STRUCT(&hog), VALUE(1), TENSOR(INT16, 8, 1, 1, 108))},
};

/* ---- nodes as they should be ---- */
static vx_uint32 parameters_of(vx_node node)
{
	vx_uint32 count = 0;
	RAN(vxQueryNode(node, VX_NODE_PARAMETERS, &count, sizeof count));
	return count;
}

/* What a parameter of a node is set to; and whether it may be left out. To be released. */
static vx_reference parameter_of(vx_node node, vx_uint32 index, bool *optional)
{
	vx_reference ref = NULL;
	vx_enum state = 0;
	vx_parameter parameter = vxGetParameterByIndex(node, index);
	CREATED(parameter);
	RAN(vxQueryParameter(parameter, VX_PARAMETER_REF, &ref, sizeof ref));
	RAN(vxQueryParameter(parameter, VX_PARAMETER_STATE, &state, sizeof state));
	RAN(vxReleaseParameter(&parameter));
	*optional = state == VX_PARAMETER_STATE_OPTIONAL;
	return ref;
}

/* A node becomes like another one, of another graph; but for a parameter. */
static void set_like(vx_node node, vx_node like, vx_uint32 but)
{
	for (vx_uint32 i = 0; i < parameters_of(like); i++) {
		bool optional;
		vx_reference ref = parameter_of(like, i, &optional);
		if (i != but)
			RAN(vxSetParameterByIndex(node, i, ref));
		if (ref)
			RAN(vxReleaseReference(&ref));
	}
}

/* Arguments that may be NULL: a bit each. */
static unsigned optional_args(vx_node node, const struct call *c, const union arg *args)
{
	unsigned found = 0;
	for (vx_uint32 i = 0; i < parameters_of(node); i++) {
		bool optional;
		vx_reference ref = parameter_of(node, i, &optional);
		for (unsigned at = 1; at < c->count; at++)
			if (c->parameters[at].kind == HANDLE && optional && args[at].ref == ref)
				found |= 1u << at;
		if (ref)
			RAN(vxReleaseReference(&ref));
	}
	return found;
}

static void new_args(const struct kernel_call *k, const struct call *c, vx_reference first, union arg *args)
{
	assert_true(c->count <= ARGS_MAX);
	args[0].ref = first;
	for (unsigned at = 1; at < c->count; at++)
		args[at] = new_arg(NULL, &k->good[at - 1], &c->parameters[at]);
}

static void end_args(const struct call *c, const union arg *args)
{
	for (unsigned at = 1; at < c->count; at++)
		end_arg(args[at], &c->parameters[at]);
}

static const struct call *function_of(const struct kernel_call *k, const char *form)
{
	char name[64];
	snprintf(name, sizeof name, form, k->function);
	return call_named(name);
}

/* ---- calls ---- */
static vx_image elsewhere; /* virtual, and of another graph */

/* Things that are wrong when the call is made: pointers to nothing, and what belongs to another graph. */
static size_t add_wrong(struct row *row, const struct call *c)
{
	size_t count = 0;
	for (unsigned at = 1; at < c->count; at++) {
		if (c->parameters[at].kind == POINTER && !(row->optional >> at & 1))
			row->wrong[count++] = (struct wrong){at, P(NULL), BAD_REFERENCE};
		if (c->parameters[at].type == VX_TYPE_IMAGE)
			row->wrong[count++] = (struct wrong){at, R(elsewhere), BAD_SCOPE};
	}
	return count;
}

/* Nodes that are not made. */
static void refuse_making(const struct call *c, const union arg *args, unsigned optional)
{
	struct row row = {.name = c->name, .foreign = BAD_SCOPE, .another = BAD_TYPE, .optional = optional, .undo = undo_node};
	vx_graph graph = vxCreateGraph(context);
	memcpy(row.good, args, sizeof row.good);
	row.good[0].ref = (vx_reference)graph;
	add_wrong(&row, c);
	refuse_row(&row);
	RAN(vxReleaseGraph(&graph));
}

/* Nodes that are made, and are not valid; and become so. */
static void refuse_verifying(const struct kernel_call *k, const struct call *c, const char *kernel, const union arg *args, vx_node good)
{
	for (size_t i = 0; i < COUNT(k->wrong) && k->wrong[i].status; i++) {
		const unsigned at = k->wrong[i].at;
		const struct parameter *p = &c->parameters[at];
		union arg bad[ARGS_MAX];
		vx_graph graph = vxCreateGraph(context);
		now_testing("%s with argument %u (%s) as in case %zu", c->name, at, p->name, i);
		memcpy(bad, args, sizeof bad);
		bad[0].ref = (vx_reference)graph;
		bad[at] = new_arg(graph, &k->wrong[i].thing, p);
		vx_node node = (vx_node)c->call(bad).ref;
		CREATED(node);
		end_arg(bad[at], p);
		expect_fault(graph, k->wrong[i].status, kernel, k->wrong[i].parameter);
		set_like(node, good, UINT32_MAX);
		RAN(vxVerifyGraph(graph));
		RAN(vxReleaseNode(&node));
		RAN(vxReleaseGraph(&graph));
	}
}

/* Nodes without a parameter that is required; and with it. */
static void refuse_missing(const char *name, vx_node good)
{
	vx_kernel kernel = vxGetKernelByName(context, name);
	for (vx_uint32 i = 0; i < parameters_of(good); i++) {
		bool optional;
		vx_graph graph = vxCreateGraph(context);
		vx_node node = vxCreateGenericNode(graph, kernel);
		vx_reference ref = parameter_of(good, i, &optional);
		now_testing("%s without parameter %u", name, i);
		CREATED(node);
		set_like(node, good, i);
		if (!optional) {
			expect_fault(graph, VX_ERROR_NOT_SUFFICIENT, name, i);
			REFUSED(BAD_REFERENCE, vxSetParameterByIndex(node, i, NULL));
			RAN(vxSetParameterByIndex(node, i, ref));
			RAN(vxVerifyGraph(graph));
		}
		if (ref)
			RAN(vxReleaseReference(&ref));
		RAN(vxReleaseNode(&node));
		RAN(vxReleaseGraph(&graph));
	}
	RAN(vxReleaseKernel(&kernel));
}

/* ---- immediate mode ---- */
/* A scalar of another type cannot be said by a value, and virtual objects belong to graphs. */
static bool can_say(const struct kernel_call *k, const struct call *c, size_t i)
{
	const unsigned at = k->wrong[i].at;
	const struct thing *t = &k->wrong[i].thing;
	if (t->is_virtual)
		return false;
	return c->parameters[at].kind == HANDLE || t->type != VX_TYPE_SCALAR || (c->parameters[at].kind != POINTER && t->of == k->good[at - 1].of);
}

static void refuse_immediately(const struct kernel_call *k, unsigned optional)
{
	const struct call *c = function_of(k, "vxu%s");
	struct row row = {.name = c->name, .foreign = BAD_SCOPE, .another = BAD_TYPE, .optional = optional};
	now_testing("%s", c->name);
	new_args(k, c, (vx_reference)context, row.good);
	const size_t first = add_wrong(&row, c);
	size_t count = first;
	for (size_t i = 0; i < COUNT(k->wrong) && k->wrong[i].status; i++) {
		const unsigned at = k->wrong[i].at;
		if (!can_say(k, c, i))
			continue;
		assert_true(count < WRONG_MAX);
		row.wrong[count++] = (struct wrong){at, new_arg(NULL, &k->wrong[i].thing, &c->parameters[at]), k->wrong[i].status};
	}
	refuse_row(&row);
	for (size_t i = first; i < count; i++)
		end_arg(row.wrong[i].value, &c->parameters[row.wrong[i].at]);
	end_args(c, row.good);
}

/* ---- all ---- */
static void kernels(void **state)
{
	(void)state;
	for (const struct kernel_call *k = kernel_calls; k < kernel_calls + COUNT(kernel_calls); k++) {
		const struct call *c = function_of(k, "vx%sNode");
		union arg args[ARGS_MAX] = {{.num = 0}};
		char kernel[VX_MAX_KERNEL_NAME];
		vx_graph graph = vxCreateGraph(context);
		snprintf(kernel, sizeof kernel, "org.khronos.openvx.%s", k->kernel);
		now_testing("%s", c->name);
		new_args(k, c, (vx_reference)graph, args);
		vx_node node = (vx_node)c->call(args).ref;
		CREATED(node);
		RAN(vxVerifyGraph(graph));
		const unsigned optional = optional_args(node, c, args);
		refuse_making(c, args, optional);
		refuse_verifying(k, c, kernel, args, node);
		refuse_missing(kernel, node);
		if (!k->only_node)
			refuse_immediately(k, optional);
		end_args(c, args);
		RAN(vxReleaseNode(&node));
		RAN(vxReleaseGraph(&graph));
	}
}

static int open_all(void **state)
{
	if (open_zoo(state))
		return -1;
	elsewhere = vxCreateVirtualImage((vx_graph)one_of(VX_TYPE_GRAPH, false), 16, 8, VX_DF_IMAGE_U8);
	return vxGetStatus((vx_reference)elsewhere);
}

static void complete(void **state)
{
	(void)state;
	expect_all("kernels");
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {cmocka_unit_test(kernels), cmocka_unit_test(complete)};
	return cmocka_run_group_tests(tests, open_all, close_zoo);
}
