/* Every kernel of OpenVX is computed by the device: proved by the trace of a graph of each. Its input arrives by a command that a user
 * event holds back until vxProcessGraph has returned, so the host cannot have had it; its outputs change; and in between compute units
 * have dispatched kernels and stored something. */
#include "testbench/openvx/trace.h"

enum { SIDE = 64, BYTES = SIDE * SIDE, OUTPUTS_MAX = 4, CASES_MAX = 128 };

/* ---- what cases are built from ---- */
static vx_graph graph;
static vx_image in;                       /* U8, of SIDE x SIDE */
static vx_tensor tensor;                  /* the same bytes */
static vx_reference outputs[OUTPUTS_MAX]; /* what is looked at: at least one of them changes */
static unsigned num_outputs;

static void *output(void *object)
{
	CREATED(object);
	assert_true(num_outputs < OUTPUTS_MAX);
	outputs[num_outputs++] = object;
	return object;
}

static vx_image image(vx_uint32 width, vx_uint32 height, vx_df_image format) { return output(vxCreateImage(context, width, height, format)); }
static vx_image u8(void) { return image(SIDE, SIDE, VX_DF_IMAGE_U8); }
static vx_image s16(void) { return image(SIDE, SIDE, VX_DF_IMAGE_S16); }
static vx_array array(vx_enum type) { return output(vxCreateArray(context, type, 512)); }
static vx_tensor new_tensor(vx_size dims, const vx_size *size, vx_enum type, vx_int8 point) { return output(vxCreateTensor(context, dims, size, type, point)); }
static const vx_size flat[2] = {SIDE, SIDE};
static vx_tensor bytes(void) { return new_tensor(2, flat, VX_TYPE_UINT8, 0); }

/* Between two nodes. */
static vx_image middle(vx_df_image format) { return vxCreateVirtualImage(graph, SIDE, SIDE, format); }

static vx_image blurred(void)
{
	vx_image out = middle(VX_DF_IMAGE_U8);
	CREATED(vxBox3x3Node(graph, in, out));
	return out;
}

static vx_image coloured(void)
{
	vx_image out = middle(VX_DF_IMAGE_RGB);
	CREATED(vxChannelCombineNode(graph, in, in, in, NULL, out));
	return out;
}

/* Values that the application gives. */
static vx_scalar f32(vx_float32 value) { return vxCreateScalar(context, VX_TYPE_FLOAT32, &value); }
static vx_scalar i32(vx_int32 value) { return vxCreateScalar(context, VX_TYPE_INT32, &value); }
static vx_scalar u32(vx_uint32 value) { return vxCreateScalar(context, VX_TYPE_UINT32, &value); }
static vx_scalar truth(vx_bool value) { return vxCreateScalar(context, VX_TYPE_BOOL, &value); }
static vx_scalar result(vx_enum type) { return output(vxCreateScalar(context, type, &(vx_uint64){0})); }

static vx_lut table(void)
{
	uint8_t entries[256];
	vx_lut lut = vxCreateLUT(context, VX_TYPE_UINT8, 256);
	for (int i = 0; i < 256; i++)
		entries[i] = (uint8_t)(i ^ 0x2a);
	RAN(vxCopyLUT(lut, entries, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	return lut;
}

static vx_matrix matrix(vx_size columns, vx_size rows, const vx_float32 *values)
{
	vx_matrix m = vxCreateMatrix(context, VX_TYPE_FLOAT32, columns, rows);
	RAN(vxCopyMatrix(m, (void *)(uintptr_t)values, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	return m;
}

static vx_threshold limit(vx_enum type)
{
	vx_pixel_value_t low = {.U8 = 60}, high = {.U8 = 120};
	vx_threshold t = vxCreateThresholdForImage(context, type, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8);
	RAN(type == VX_THRESHOLD_TYPE_BINARY ? vxCopyThresholdValue(t, &low, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST)
					     : vxCopyThresholdRange(t, &low, &high, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	return t;
}

/* ---- cases that take more than an expression ---- */
static vx_node convert_color(void) { return vxColorConvertNode(graph, coloured(), image(SIDE, SIDE, VX_DF_IMAGE_YUV4)); }
static vx_node extract(void) { return vxChannelExtractNode(graph, coloured(), VX_CHANNEL_R, u8()); }

static vx_node of_gradients(vx_node (*make)(vx_graph, vx_image, vx_image, vx_image), vx_image (*out)(void))
{
	vx_image dx = middle(VX_DF_IMAGE_S16), dy = middle(VX_DF_IMAGE_S16);
	CREATED(vxSobel3x3Node(graph, in, dx, dy));
	return make(graph, dx, dy, out());
}

static vx_node magnitude(void) { return of_gradients(vxMagnitudeNode, s16); }
static vx_node phase(void) { return of_gradients(vxPhaseNode, u8); }

static vx_node convolve(void)
{
	const vx_int16 ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
	vx_convolution c = vxCreateConvolution(context, 3, 3);
	RAN(vxCopyConvolutionCoefficients(c, (void *)(uintptr_t)ones, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	return vxConvolveNode(graph, in, c, s16());
}

static vx_pyramid pyramid(vx_size levels, vx_df_image format) { return vxCreatePyramid(context, levels, VX_SCALE_PYRAMID_HALF, SIDE, SIDE, format); }

static vx_node flow(void)
{
	vx_keypoint_t points[4] = {{.x = 10, .y = 10}, {.x = 20, .y = 12}, {.x = 33, .y = 40}, {.x = 50, .y = 21}};
	vx_pyramid levels = pyramid(3, VX_DF_IMAGE_U8);
	vx_array old = vxCreateArray(context, VX_TYPE_KEYPOINT, 4);
	for (int i = 0; i < 4; i++)
		points[i].tracking_status = 1;
	RAN(vxAddArrayItems(old, 4, points, sizeof *points));
	CREATED(vxGaussianPyramidNode(graph, in, levels));
	return vxOpticalFlowPyrLKNode(graph, levels, levels, old, old, output(vxCreateArray(context, VX_TYPE_KEYPOINT, 4)), VX_TERM_CRITERIA_BOTH,
				      f32(0.01f), u32(5), truth(vx_false_e), 5);
}

static vx_node remap(void)
{
	static vx_coordinates2df_t places[SIDE][SIDE];
	const vx_rectangle_t all = {0, 0, SIDE, SIDE};
	vx_remap map = vxCreateRemap(context, SIDE, SIDE, SIDE, SIDE);
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			places[y][x] = (vx_coordinates2df_t){(vx_float32)(SIDE - 1 - x), (vx_float32)y};
	RAN(vxCopyRemapPatch(map, &all, sizeof *places, places, VX_TYPE_COORDINATES2DF, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	return vxRemapNode(graph, in, map, VX_INTERPOLATION_BILINEAR, u8());
}

static vx_node laplacian(void)
{
	return vxLaplacianPyramidNode(graph, in, output(pyramid(2, VX_DF_IMAGE_S16)), image(SIDE / 4, SIDE / 4, VX_DF_IMAGE_U8));
}

static vx_node reconstruct(void)
{
	vx_pyramid levels = pyramid(2, VX_DF_IMAGE_S16);
	vx_image last = vxCreateVirtualImage(graph, SIDE / 4, SIDE / 4, VX_DF_IMAGE_U8);
	CREATED(vxLaplacianPyramidNode(graph, in, levels, last));
	return vxLaplacianReconstructNode(graph, levels, last, u8());
}

static vx_node match(void)
{
	vx_image small = vxCreateUniformImage(context, 8, 8, VX_DF_IMAGE_U8, &(vx_pixel_value_t){.U8 = 200});
	return vxMatchTemplateNode(graph, in, small, VX_COMPARE_L1, image(SIDE - 7, SIDE - 7, VX_DF_IMAGE_S16));
}

static vx_node hough(void)
{
	const vx_hough_lines_p_t h = {.rho = 1, .theta = 0.0174533f, .threshold = 10, .line_length = 4, .line_gap = 2, .theta_max = 3.14159f};
	vx_image edges = middle(VX_DF_IMAGE_U8);
	CREATED(vxThresholdNode(graph, in, limit(VX_THRESHOLD_TYPE_BINARY), edges));
	return vxHoughLinesPNode(graph, edges, &h, array(VX_TYPE_LINE_2D), result(VX_TYPE_SIZE));
}

static const vx_size cells[2] = {SIDE / 8, SIDE / 8}, bins[3] = {SIDE / 8, SIDE / 8, 9};

static vx_node hog_cells(void)
{
	return vxHOGCellsNode(graph, in, 8, 8, 9, new_tensor(2, cells, VX_TYPE_INT16, 8), new_tensor(3, bins, VX_TYPE_INT16, 8));
}

static vx_node hog_features(void)
{
	const vx_hog_t h = {.cell_width = 8, .cell_height = 8, .block_width = 16, .block_height = 16, .block_stride = 8, .num_bins = 9,
			    .window_width = 32, .window_height = 32, .window_stride = 32, .threshold = 0.2f};
	const vx_size features[3] = {2, 2, 9 * 4 * 9};
	vx_tensor m = vxCreateTensor(context, 2, cells, VX_TYPE_INT16, 8), b = vxCreateTensor(context, 3, bins, VX_TYPE_INT16, 8);
	CREATED(vxHOGCellsNode(graph, in, 8, 8, 9, m, b));
	return vxHOGFeaturesNode(graph, in, m, b, &h, sizeof h, new_tensor(3, features, VX_TYPE_INT16, 8));
}

static vx_node product(void)
{
	return vxTensorMatrixMultiplyNode(graph, tensor, tensor, NULL, &(vx_tensor_matrix_multiply_params_t){vx_false_e, vx_true_e, vx_false_e}, bytes());
}

static vx_node difference_of_tensors(void)
{
	vx_tensor zeros = vxCreateTensor(context, 2, flat, VX_TYPE_UINT8, 0);
	return vxTensorSubtractNode(graph, tensor, zeros, VX_CONVERT_POLICY_WRAP, bytes());
}

static vx_node harris(void)
{
	return vxHarrisCornersNode(graph, in, f32(0.0001f), f32(3), f32(0.04f), 3, 3, array(VX_TYPE_KEYPOINT), result(VX_TYPE_SIZE));
}

static vx_node non_linear(void)
{
	return vxNonLinearFilterNode(graph, VX_NONLINEAR_FILTER_MEDIAN, in, vxCreateMatrixFromPattern(context, VX_PATTERN_CROSS, 3, 3), u8());
}

static vx_node scale_operation(void) { return vxScalarOperationNode(graph, VX_SCALAR_OP_ADD, i32(30), i32(12), result(VX_TYPE_INT32)); }

static vx_node chosen(void)
{
	return vxSelectNode(graph, truth(vx_true_e), (vx_reference)in, (vx_reference)blurred(), (vx_reference)u8());
}

static const vx_float32 shift[] = {1, 0, 0, 1, 1, 2}, turn[] = {0, 1, 0, 1, 0, 0, 0, 0, 1};

/* ---- all kernels ---- */
#define IN_OUT(name, make) static vx_node name(void) { return make; }
IN_OUT(combine, vxChannelCombineNode(graph, in, in, in, NULL, image(SIDE, SIDE, VX_DF_IMAGE_RGB)))
IN_OUT(gradients, vxSobel3x3Node(graph, in, s16(), s16()))
IN_OUT(scale, vxScaleImageNode(graph, in, image(SIDE / 2, SIDE / 2, VX_DF_IMAGE_U8), VX_INTERPOLATION_BILINEAR))
IN_OUT(look_up, vxTableLookupNode(graph, in, table(), u8()))
IN_OUT(histogram, vxHistogramNode(graph, in, output(vxCreateDistribution(context, 256, 0, 256))))
IN_OUT(equalize, vxEqualizeHistNode(graph, in, u8()))
IN_OUT(difference, vxAbsDiffNode(graph, in, blurred(), u8()))
IN_OUT(mean, vxMeanStdDevNode(graph, in, result(VX_TYPE_FLOAT32), result(VX_TYPE_FLOAT32)))
IN_OUT(threshold, vxThresholdNode(graph, in, limit(VX_THRESHOLD_TYPE_BINARY), u8()))
IN_OUT(integral, vxIntegralImageNode(graph, in, image(SIDE, SIDE, VX_DF_IMAGE_U32)))
IN_OUT(dilate, vxDilate3x3Node(graph, in, u8()))
IN_OUT(erode, vxErode3x3Node(graph, in, u8()))
IN_OUT(median, vxMedian3x3Node(graph, in, u8()))
IN_OUT(box, vxBox3x3Node(graph, in, u8()))
IN_OUT(gaussian, vxGaussian3x3Node(graph, in, u8()))
IN_OUT(gaussians, vxGaussianPyramidNode(graph, in, output(pyramid(3, VX_DF_IMAGE_U8))))
IN_OUT(extremes, vxMinMaxLocNode(graph, in, result(VX_TYPE_UINT8), result(VX_TYPE_UINT8), NULL, NULL, NULL, NULL))
IN_OUT(deeper, vxConvertDepthNode(graph, in, s16(), VX_CONVERT_POLICY_WRAP, i32(1)))
IN_OUT(canny, vxCannyEdgeDetectorNode(graph, in, limit(VX_THRESHOLD_TYPE_RANGE), 3, VX_NORM_L1, u8()))
IN_OUT(and, vxAndNode(graph, in, blurred(), u8()))
IN_OUT(or, vxOrNode(graph, in, blurred(), u8()))
IN_OUT(xor, vxXorNode(graph, in, blurred(), u8()))
IN_OUT(not, vxNotNode(graph, in, u8()))
IN_OUT(multiply, vxMultiplyNode(graph, in, blurred(), f32(0.5f), VX_CONVERT_POLICY_SATURATE, VX_ROUND_POLICY_TO_ZERO, u8()))
IN_OUT(add, vxAddNode(graph, in, blurred(), VX_CONVERT_POLICY_SATURATE, u8()))
IN_OUT(subtract, vxSubtractNode(graph, in, blurred(), VX_CONVERT_POLICY_WRAP, u8()))
IN_OUT(affine, vxWarpAffineNode(graph, in, matrix(2, 3, shift), VX_INTERPOLATION_NEAREST_NEIGHBOR, u8()))
IN_OUT(perspective, vxWarpPerspectiveNode(graph, in, matrix(3, 3, turn), VX_INTERPOLATION_BILINEAR, u8()))
IN_OUT(fast, vxFastCornersNode(graph, in, f32(20), vx_true_e, array(VX_TYPE_KEYPOINT), result(VX_TYPE_SIZE)))
IN_OUT(half, vxHalfScaleGaussianNode(graph, in, image(SIDE / 2, SIDE / 2, VX_DF_IMAGE_U8), 3))
IN_OUT(pattern, vxLBPNode(graph, in, VX_LBP, 3, u8()))
IN_OUT(tensor_multiply, vxTensorMultiplyNode(graph, tensor, tensor, f32(0.125f), VX_CONVERT_POLICY_SATURATE, VX_ROUND_POLICY_TO_ZERO, bytes()))
IN_OUT(tensor_add, vxTensorAddNode(graph, tensor, tensor, VX_CONVERT_POLICY_WRAP, bytes()))
IN_OUT(tensor_look_up, vxTensorTableLookupNode(graph, tensor, table(), bytes()))
IN_OUT(transpose, vxTensorTransposeNode(graph, tensor, bytes(), 0, 1))
IN_OUT(tensor_deeper, vxTensorConvertDepthNode(graph, tensor, VX_CONVERT_POLICY_SATURATE, f32(1), f32(0), new_tensor(2, flat, VX_TYPE_INT16, 8)))
IN_OUT(copy, vxCopyNode(graph, (vx_reference)in, (vx_reference)u8()))
IN_OUT(suppress, vxNonMaxSuppressionNode(graph, in, NULL, 3, u8()))
IN_OUT(bilateral, vxBilateralFilterNode(graph, tensor, 5, 2, 2, bytes()))
IN_OUT(greater, vxMaxNode(graph, in, blurred(), u8()))
IN_OUT(less, vxMinNode(graph, in, blurred(), u8()))
IN_OUT(average, vxWeightedAverageNode(graph, in, f32(0.25f), blurred(), u8()))

static const struct { vx_enum kernel; vx_node (*make)(void); } cases[] = {
	{VX_KERNEL_COLOR_CONVERT, convert_color},
	{VX_KERNEL_CHANNEL_EXTRACT, extract},
	{VX_KERNEL_CHANNEL_COMBINE, combine},
	{VX_KERNEL_SOBEL_3x3, gradients},
	{VX_KERNEL_MAGNITUDE, magnitude},
	{VX_KERNEL_PHASE, phase},
	{VX_KERNEL_SCALE_IMAGE, scale},
	{VX_KERNEL_TABLE_LOOKUP, look_up},
	{VX_KERNEL_HISTOGRAM, histogram},
	{VX_KERNEL_EQUALIZE_HISTOGRAM, equalize},
	{VX_KERNEL_ABSDIFF, difference},
	{VX_KERNEL_MEAN_STDDEV, mean},
	{VX_KERNEL_THRESHOLD, threshold},
	{VX_KERNEL_INTEGRAL_IMAGE, integral},
	{VX_KERNEL_DILATE_3x3, dilate},
	{VX_KERNEL_ERODE_3x3, erode},
	{VX_KERNEL_MEDIAN_3x3, median},
	{VX_KERNEL_BOX_3x3, box},
	{VX_KERNEL_GAUSSIAN_3x3, gaussian},
	{VX_KERNEL_CUSTOM_CONVOLUTION, convolve},
	{VX_KERNEL_GAUSSIAN_PYRAMID, gaussians},
	{VX_KERNEL_MINMAXLOC, extremes},
	{VX_KERNEL_CONVERTDEPTH, deeper},
	{VX_KERNEL_CANNY_EDGE_DETECTOR, canny},
	{VX_KERNEL_AND, and},
	{VX_KERNEL_OR, or},
	{VX_KERNEL_XOR, xor},
	{VX_KERNEL_NOT, not},
	{VX_KERNEL_MULTIPLY, multiply},
	{VX_KERNEL_ADD, add},
	{VX_KERNEL_SUBTRACT, subtract},
	{VX_KERNEL_WARP_AFFINE, affine},
	{VX_KERNEL_WARP_PERSPECTIVE, perspective},
	{VX_KERNEL_HARRIS_CORNERS, harris},
	{VX_KERNEL_FAST_CORNERS, fast},
	{VX_KERNEL_OPTICAL_FLOW_PYR_LK, flow},
	{VX_KERNEL_REMAP, remap},
	{VX_KERNEL_HALFSCALE_GAUSSIAN, half},
	{VX_KERNEL_LAPLACIAN_PYRAMID, laplacian},
	{VX_KERNEL_LAPLACIAN_RECONSTRUCT, reconstruct},
	{VX_KERNEL_NON_LINEAR_FILTER, non_linear},
	{VX_KERNEL_MATCH_TEMPLATE, match},
	{VX_KERNEL_LBP, pattern},
	{VX_KERNEL_HOUGH_LINES_P, hough},
	{VX_KERNEL_TENSOR_MULTIPLY, tensor_multiply},
	{VX_KERNEL_TENSOR_ADD, tensor_add},
	{VX_KERNEL_TENSOR_SUBTRACT, difference_of_tensors},
	{VX_KERNEL_TENSOR_TABLE_LOOKUP, tensor_look_up},
	{VX_KERNEL_TENSOR_TRANSPOSE, transpose},
	{VX_KERNEL_TENSOR_CONVERT_DEPTH, tensor_deeper},
	{VX_KERNEL_TENSOR_MATRIX_MULTIPLY, product},
	{VX_KERNEL_COPY, copy},
	{VX_KERNEL_NON_MAX_SUPPRESSION, suppress},
	{VX_KERNEL_SCALAR_OPERATION, scale_operation},
	{VX_KERNEL_HOG_FEATURES, hog_features},
	{VX_KERNEL_HOG_CELLS, hog_cells},
	{VX_KERNEL_BILATERAL_FILTER, bilateral},
	{VX_KERNEL_SELECT, chosen},
	{VX_KERNEL_MAX, greater},
	{VX_KERNEL_MIN, less},
	{VX_KERNEL_WEIGHTED_AVERAGE, average},
};

/* ---- what an output holds ---- */
static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const uint8_t *)data)[i]) * 1099511628211ull;
	return hash;
}

static uint64_t hash_of_image(vx_image i)
{
	vx_rectangle_t all = {0};
	vx_imagepatch_addressing_t a;
	vx_map_id id = 0;
	void *pixels = NULL;
	RAN(vxQueryImage(i, VX_IMAGE_WIDTH, &all.end_x, sizeof all.end_x));
	RAN(vxQueryImage(i, VX_IMAGE_HEIGHT, &all.end_y, sizeof all.end_y));
	RAN(vxMapImagePatch(i, &all, 0, &id, &a, &pixels, VX_READ_ONLY, VX_MEMORY_TYPE_HOST, 0));
	const uint64_t hash = mix(0, pixels, (size_t)a.stride_y * a.dim_y / a.step_y);
	RAN(vxUnmapImagePatch(i, id));
	return hash;
}

static uint64_t hash_of_pyramid(vx_pyramid p)
{
	vx_size levels = 0;
	uint64_t hash = 0;
	RAN(vxQueryPyramid(p, VX_PYRAMID_LEVELS, &levels, sizeof levels));
	for (vx_uint32 i = 0; i < levels; i++) {
		vx_image level = vxGetPyramidLevel(p, i);
		const uint64_t one = hash_of_image(level);
		hash = mix(hash, &one, sizeof one);
		RAN(vxReleaseImage(&level));
	}
	return hash;
}

static uint64_t hash_of_tensor(vx_tensor t)
{
	vx_size dims[8] = {0}, strides[8] = {0}, n = 0;
	vx_map_id id = 0;
	void *elements = NULL;
	RAN(vxQueryTensor(t, VX_TENSOR_NUMBER_OF_DIMS, &n, sizeof n));
	RAN(vxQueryTensor(t, VX_TENSOR_DIMS, dims, n * sizeof *dims));
	RAN(vxMapTensorPatch(t, n, NULL, NULL, &id, strides, &elements, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	const uint64_t hash = mix(0, elements, strides[n - 1] * dims[n - 1]);
	RAN(vxUnmapTensorPatch(t, id));
	return hash;
}

static uint64_t hash_of_array(vx_array a)
{
	vx_size count = 0, size = 0;
	uint64_t hash = 0;
	RAN(vxQueryArray(a, VX_ARRAY_NUMITEMS, &count, sizeof count));
	RAN(vxQueryArray(a, VX_ARRAY_ITEMSIZE, &size, sizeof size));
	if (!count)
		return 0;
	uint8_t *items = malloc(count * size);
	assert_non_null(items);
	RAN(vxCopyArrayRange(a, 0, count, size, items, VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	hash = mix(count, items, count * size);
	free(items);
	return hash;
}

static uint64_t hash_of(vx_reference ref)
{
	vx_uint32 counts[256] = {0};
	vx_uint64 value = 0;
	vx_enum type = 0;
	RAN(vxQueryReference(ref, VX_REFERENCE_TYPE, &type, sizeof type));
	switch (type) {
	case VX_TYPE_IMAGE: return hash_of_image((vx_image)ref);
	case VX_TYPE_PYRAMID: return hash_of_pyramid((vx_pyramid)ref);
	case VX_TYPE_TENSOR: return hash_of_tensor((vx_tensor)ref);
	case VX_TYPE_ARRAY: return hash_of_array((vx_array)ref);
	case VX_TYPE_SCALAR: RAN(vxCopyScalar((vx_scalar)ref, &value, VX_READ_ONLY, VX_MEMORY_TYPE_HOST)); return value;
	default: RAN(vxCopyDistribution((vx_distribution)ref, counts, VX_READ_ONLY, VX_MEMORY_TYPE_HOST)); return mix(0, counts, sizeof counts);
	}
}

/* ---- the cases, in a program of their own ---- */
/* Light squares on a dark ground: edges, corners and lines. */
static void draw(uint8_t *frame)
{
	for (int i = 0; i < BYTES; i++) {
		const int x = i % SIDE % 16, y = i / SIDE % 16;
		frame[i] = (uint8_t)((x >= 4 && x < 11 && y >= 5 && y < 12 ? 200 : 20) + random_below(8));
	}
}

/* In the trace the work of a case stands between the first and the second of its user events. */
static void end_of_case(void)
{
	cl_event gate = close_gate();
	CL_OK(clFlush(queue));
	open_gate(gate);
	CL_OK(clFinish(queue));
}

static void run_case(size_t n, const uint8_t *frame)
{
	static const vx_size strides[2] = {1, SIDE};
	const vx_imagepatch_addressing_t a = {.dim_x = SIDE, .dim_y = SIDE, .stride_x = 1, .stride_y = SIDE, .scale_x = VX_SCALE_UNITY,
					      .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	uint64_t before[OUTPUTS_MAX];
	bool changed = false;
	now_testing("kernel 0x%x", (unsigned)cases[n].kernel);
	context = vxCreateContextFromCL(cl, queue);
	CREATED(context);
	cl_mem buffer = empty_buffer(BYTES);
	graph = vxCreateGraph(context);
	in = vxCreateImageFromHandle(context, VX_DF_IMAGE_U8, &a, (void *[]){buffer}, OPENCL);
	tensor = vxCreateTensorFromHandle(context, 2, flat, VX_TYPE_UINT8, 0, strides, buffer, OPENCL);
	CREATED(in);
	CREATED(tensor);
	num_outputs = 0;
	vx_node node = cases[n].make();
	CREATED(node);
	for (unsigned i = 0; i < num_outputs; i++)
		before[i] = hash_of(outputs[i]);
	CL_OK(clFinish(queue));
	cl_event arrived = close_gate();
	later_write(buffer, frame, BYTES);
	RAN(vxProcessGraph(graph));
	CL_OK(clFlush(queue));
	open_gate(arrived);
	for (unsigned i = 0; i < num_outputs; i++)
		changed |= hash_of(outputs[i]) != before[i];
	if (!changed)
		fail_msg("%s: nothing has come of it", what);
	end_of_case();
	RAN(vxReleaseContext(&context));
	CL_OK(clReleaseMemObject(buffer));
}

static int run_cases(void)
{
	uint8_t frame[BYTES];
	assert_int_equal(open_interop(NULL), 0);
	vx_context kept = context;
	draw(frame);
	for (size_t n = 0; n < COUNT(cases); n++)
		run_case(n, frame);
	context = kept;
	return close_interop(NULL);
}

/* ---- what the trace says ---- */
struct work {
	unsigned events; /* of the user's so far: in a case if odd */
	struct { unsigned dispatches[2], stores; } in[2 * CASES_MAX + 1];
};
_Static_assert(COUNT(cases) <= CASES_MAX, "room for all cases");

static void look(void *with, unsigned device, const struct event *e)
{
	struct work *w = with;
	assert_in_range(device, 0, 1);
	if (is_user_event(e))
		assert_in_range(++w->events, 1, 2 * COUNT(cases));
	else if (e->kind == EVENT_DISPATCH)
		w->in[w->events].dispatches[device]++;
	else if (e->unit >= UNIT_CU && (e->kind == EVENT_WRITE || e->kind == EVENT_ATOMIC))
		w->in[w->events].stores++;
}

static void by_compute_units(void **state)
{
	struct work *w = calloc(1, sizeof *w);
	char path[PATH_MAX];
	(void)state;
	assert_non_null(w);
	now_testing("the trace of all kernels");
	path_in_directory(path, "events");
	run_recorded("GALENA_EVENTS", path, (const char *const[4]){"cases"});
	read_events(path, look, w);
	assert_int_equal(w->events, 2 * COUNT(cases));
	for (size_t n = 0; n < COUNT(cases); n++) {
		now_testing("the trace of kernel 0x%x", (unsigned)cases[n].kernel);
		assert_int_equal(w->in[2 * n].dispatches[0] + w->in[2 * n].dispatches[1], 0);
		assert_true(w->in[2 * n + 1].dispatches[0] > 0);
		assert_int_equal(w->in[2 * n + 1].dispatches[1], 0);
		assert_true(w->in[2 * n + 1].stores > 0);
	}
	free(w);
}

/* No kernel is left out. */
static void all_kernels(void **state)
{
	vx_uint32 count = 0;
	(void)state;
	vx_context c = vxCreateContext();
	CREATED(c);
	RAN(vxQueryContext(c, VX_CONTEXT_UNIQUE_KERNELS, &count, sizeof count));
	vx_kernel_info_t *kernels = calloc(count, sizeof *kernels);
	assert_non_null(kernels);
	RAN(vxQueryContext(c, VX_CONTEXT_UNIQUE_KERNEL_TABLE, kernels, count * sizeof *kernels));
	for (vx_uint32 i = 0; i < count; i++) {
		bool found = false;
		for (size_t n = 0; n < COUNT(cases); n++)
			found |= cases[n].kernel == kernels[i].enumeration;
		if (!found)
			fail_msg("%s has no case here", kernels[i].name);
	}
	free(kernels);
	RAN(vxReleaseContext(&c));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_kernels), cmocka_unit_test(by_compute_units)};
	if (argc > 1 && !strcmp(argv[1], "cases")) {
		interop_start(1, argv);
		return run_cases();
	}
	interop_start(argc, argv);
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
