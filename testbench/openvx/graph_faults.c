/* Graphs that cannot run: cycles, objects with two writers, parameters that are missing, meta data that do not agree, user kernels that
 * are not content. vxVerifyGraph() says which parameter of which kernel's node it is, and a graph that is mended runs. */
#include "testbench/openvx/bad.h"

/* ---- parts of objects ---- */
/* An object of several parts: three of them are alike, the first two have bytes in common, the third has none with them. */
struct parts {
	vx_reference whole, part, overlapping, apart;
	vx_reference kept[2]; /* what else there is to release */
};

static vx_reference roi(vx_reference image, vx_uint32 x, vx_uint32 y, vx_uint32 width, vx_uint32 height)
{
	vx_image region = vxCreateImageFromROI((vx_image)image, &(vx_rectangle_t){x, y, x + width, y + height});
	CREATED(region);
	return (vx_reference)region;
}

static vx_reference channel(vx_reference image, vx_enum which)
{
	vx_image plane = vxCreateImageFromChannel((vx_image)image, which);
	CREATED(plane);
	return (vx_reference)plane;
}

static vx_reference image_of(vx_uint32 width, vx_uint32 height, vx_df_image format)
{
	vx_image image = vxCreateImage(context, width, height, format);
	CREATED(image);
	return (vx_reference)image;
}

static struct parts regions(void)
{
	vx_reference image = image_of(16, 8, VX_DF_IMAGE_U8);
	return (struct parts){image, roi(image, 0, 0, 8, 8), roi(image, 7, 0, 8, 8), roi(image, 8, 0, 8, 8), {NULL}};
}

static struct parts regions_of_regions(void)
{
	vx_reference image = image_of(16, 16, VX_DF_IMAGE_U8), upper = roi(image, 4, 0, 12, 8);
	return (struct parts){upper, roi(upper, 0, 0, 8, 8), roi(image, 8, 7, 8, 8), roi(image, 4, 8, 8, 8), {image}};
}

static struct parts channels(void)
{
	vx_reference image = image_of(16, 8, VX_DF_IMAGE_IYUV);
	return (struct parts){image, channel(image, VX_CHANNEL_U), channel(image, VX_CHANNEL_U), channel(image, VX_CHANNEL_V), {NULL}};
}

static struct parts regions_of_channels(void)
{
	vx_reference image = image_of(16, 8, VX_DF_IMAGE_IYUV), u = channel(image, VX_CHANNEL_U);
	return (struct parts){image, roi(u, 0, 0, 4, 4), roi(u, 3, 0, 4, 4), roi(u, 4, 0, 4, 4), {u}};
}

static struct parts levels(void)
{
	vx_pyramid pyramid = vxCreatePyramid(context, 3, VX_SCALE_PYRAMID_HALF, 16, 8, VX_DF_IMAGE_U8);
	CREATED(pyramid);
	vx_reference large = (vx_reference)vxGetPyramidLevel(pyramid, 0), small = (vx_reference)vxGetPyramidLevel(pyramid, 1);
	return (struct parts){(vx_reference)pyramid, small, roi(small, 0, 0, 8, 4), roi(large, 0, 0, 8, 4), {large}};
}

static struct parts items(void)
{
	vx_reference exemplar = image_of(16, 8, VX_DF_IMAGE_U8);
	vx_object_array array = vxCreateObjectArray(context, exemplar, 3);
	CREATED(array);
	return (struct parts){(vx_reference)array, vxGetObjectArrayItem(array, 1), vxGetObjectArrayItem(array, 1), vxGetObjectArrayItem(array, 2), {exemplar}};
}

static struct parts slots(void)
{
	vx_pyramid exemplar = vxCreatePyramid(context, 2, VX_SCALE_PYRAMID_HALF, 16, 8, VX_DF_IMAGE_U8);
	vx_delay delay = vxCreateDelay(context, (vx_reference)exemplar, 2);
	CREATED(delay);
	vx_reference now = vxGetReferenceFromDelay(delay, 0);
	RAN(vxRetainReference(now)); /* it is the delay's, not ours */
	vx_image level = vxGetPyramidLevel((vx_pyramid)now, 0), before = vxGetPyramidLevel((vx_pyramid)vxGetReferenceFromDelay(delay, -1), 0);
	return (struct parts){now, (vx_reference)level, roi((vx_reference)level, 0, 0, 16, 8), (vx_reference)before, {(vx_reference)exemplar, (vx_reference)delay}};
}

static vx_reference view(vx_reference tensor, vx_size x, vx_size y)
{
	vx_tensor part = vxCreateTensorFromView((vx_tensor)tensor, 2, (const vx_size[]){x, y}, (const vx_size[]){x + 3, y + 4});
	CREATED(part);
	return (vx_reference)part;
}

static struct parts views(void)
{
	vx_tensor tensor = vxCreateTensor(context, 2, (const vx_size[]){6, 5}, VX_TYPE_INT16, 8);
	CREATED(tensor);
	vx_reference t = (vx_reference)tensor;
	return (struct parts){t, view(t, 0, 0), view(t, 2, 1), view(t, 3, 0), {NULL}};
}

static void end_parts(struct parts *p)
{
	vx_reference *all[] = {&p->whole, &p->part, &p->overlapping, &p->apart, &p->kept[0], &p->kept[1]};
	for (size_t i = 0; i < COUNT(all); i++)
		if (*all[i])
			RAN(vxReleaseReference(all[i]));
}

/* ---- two nodes ---- */
#define NAMED(kernel) "org.khronos.openvx." kernel

/* Whatever would run the graph fails as its verification does, each time. */
static void expect_no_run(vx_graph graph, vx_status status, const char *kernel, unsigned parameter)
{
	expect_fault(graph, status, kernel, parameter);
	expect_fault(graph, status, kernel, parameter);
	REFUSED(status, vxProcessGraph(graph));
	REFUSED(status, vxScheduleGraph(graph));
}

static void expect_run(vx_graph *graph)
{
	RAN(vxVerifyGraph(*graph));
	RAN(vxProcessGraph(*graph));
	RAN(vxReleaseGraph(graph));
}

/* Two copies that cannot be; they can when the second one writes something else. */
static void expect_pair(vx_status status, const vx_reference copies[2][2], vx_reference mended)
{
	vx_graph graph = vxCreateGraph(context);
	vx_node first = vxCopyNode(graph, copies[0][0], copies[0][1]), second = vxCopyNode(graph, copies[1][0], copies[1][1]);
	CREATED(first);
	CREATED(second);
	expect_no_run(graph, status, NAMED("copy"), status == VX_ERROR_MULTIPLE_WRITERS);
	RAN(vxSetParameterByIndex(second, 1, mended));
	RAN(vxReleaseNode(&first));
	RAN(vxReleaseNode(&second));
	expect_run(&graph);
}

static void expect_pairs(const char *name, struct parts (*make)(void))
{
	enum { WRITERS = VX_ERROR_MULTIPLE_WRITERS, CYCLE = VX_ERROR_INVALID_GRAPH };
	struct parts a = make(), b = make(), c = make(), d = make();
	const struct { vx_status status; vx_reference copies[2][2], mended; } pairs[] = {
		{WRITERS, {{b.part, a.part}, {c.part, a.part}}, a.apart},
		{WRITERS, {{b.part, a.part}, {c.overlapping, a.overlapping}}, d.overlapping},
		{WRITERS, {{b.overlapping, a.overlapping}, {c.part, a.part}}, d.part},
		{WRITERS, {{b.whole, a.whole}, {c.part, a.part}}, d.part},
		{WRITERS, {{b.part, a.part}, {c.whole, a.whole}}, d.whole},
		{WRITERS, {{b.whole, a.whole}, {c.whole, a.whole}}, d.whole},
		{CYCLE, {{a.part, b.part}, {b.part, a.part}}, a.apart},
		{CYCLE, {{a.part, b.part}, {b.part, a.overlapping}}, a.apart},
		{CYCLE, {{a.overlapping, b.part}, {b.overlapping, a.part}}, c.part},
		{CYCLE, {{a.whole, b.whole}, {b.part, a.part}}, c.part},
		{CYCLE, {{a.part, b.part}, {b.whole, a.whole}}, c.whole},
		{CYCLE, {{a.whole, b.whole}, {b.whole, a.whole}}, c.whole},
		{CYCLE, {{b.part, c.part}, {a.part, a.part}}, a.apart},
		{CYCLE, {{b.part, c.part}, {a.part, a.overlapping}}, a.apart},
	};
	for (size_t i = 0; i < COUNT(pairs); i++) {
		now_testing("%s, case %zu", name, i);
		expect_pair(pairs[i].status, pairs[i].copies, pairs[i].mended);
	}
	end_parts(&a);
	end_parts(&b);
	end_parts(&c);
	end_parts(&d);
}

static void parts(void **state)
{
	(void)state;
	expect_pairs("regions", regions);
	expect_pairs("regions of regions", regions_of_regions);
	expect_pairs("channels", channels);
	expect_pairs("regions of channels", regions_of_channels);
	expect_pairs("levels", levels);
	expect_pairs("items", items);
	expect_pairs("slots", slots);
	expect_pairs("views", views);
}

/* ---- several nodes ---- */
/* The node that is named is one of the cycle's, not one before it or behind it. */
static void named_node(void **state)
{
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	vx_image a = image_u8(16, 8), b = image_u8(16, 8), x = image_u8(16, 8), y = image_u8(16, 8), z = image_u8(16, 8);
	vx_node behind = vxBox3x3Node(graph, y, z), before = vxGaussian3x3Node(graph, a, b);
	vx_node one = vxAndNode(graph, b, y, x), two = vxErode3x3Node(graph, x, y);
	now_testing("a cycle between other nodes");
	expect_no_run(graph, VX_ERROR_INVALID_GRAPH, NAMED("and"), 1);
	RAN(vxSetParameterByIndex(one, 1, (vx_reference)a));
	RAN(vxVerifyGraph(graph));
	RAN(vxSetParameterByIndex(one, 1, (vx_reference)y));
	expect_no_run(graph, VX_ERROR_INVALID_GRAPH, NAMED("and"), 1);
	/* without the other node it is none, either */
	RAN(vxRemoveNode(&two));
	expect_run(&graph);
	RAN(vxReleaseNode(&behind));
	RAN(vxReleaseNode(&before));
	RAN(vxReleaseNode(&one));
	vx_image *images[] = {&a, &b, &x, &y, &z};
	for (size_t i = 0; i < COUNT(images); i++)
		RAN(vxReleaseImage(images[i]));
}

/* A cycle of many nodes through virtual images, which are made in the wrong order. */
static void long_cycle(void **state)
{
	(void)state;
	enum { LENGTH = 20 };
	vx_graph graph = vxCreateGraph(context);
	vx_image images[LENGTH], in = image_u8(16, 8), out = image_u8(16, 8);
	vx_node first = NULL, last;
	now_testing("a long cycle");
	for (int i = 0; i < LENGTH; i++)
		images[i] = vxCreateVirtualImage(graph, 16, 8, VX_DF_IMAGE_U8);
	for (int i = LENGTH - 1; i >= 0; i--) {
		vx_node node = vxNotNode(graph, images[i], images[(i + 1) % LENGTH]);
		CREATED(node);
		if (i)
			RAN(vxReleaseNode(&node));
		else
			first = node;
	}
	last = vxNotNode(graph, images[LENGTH / 2], out);
	for (int i = 0; i < LENGTH; i++)
		RAN(vxReleaseImage(&images[i]));
	expect_no_run(graph, VX_ERROR_INVALID_GRAPH, NAMED("not"), 0);
	RAN(vxSetParameterByIndex(first, 0, (vx_reference)in));
	expect_run(&graph);
	RAN(vxReleaseNode(&first));
	RAN(vxReleaseNode(&last));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&out));
}

/* One node that writes an object twice. */
static void one_node_twice(void **state)
{
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	vx_image in = image_u8(16, 8), x = vxCreateImage(context, 16, 8, VX_DF_IMAGE_S16), y = vxCreateImage(context, 16, 8, VX_DF_IMAGE_S16);
	vx_node node = vxSobel3x3Node(graph, in, x, x);
	CREATED(node);
	now_testing("gradients in one image");
	expect_no_run(graph, VX_ERROR_MULTIPLE_WRITERS, NAMED("sobel_3x3"), 2);
	RAN(vxSetParameterByIndex(node, 2, (vx_reference)y));
	RAN(vxVerifyGraph(graph));
	RAN(vxSetParameterByIndex(node, 1, NULL));
	RAN(vxVerifyGraph(graph));
	/* neither gradient is nothing to do */
	RAN(vxSetParameterByIndex(node, 2, NULL));
	expect_no_run(graph, BAD_PARAMETERS, NAMED("sobel_3x3"), 1);
	RAN(vxSetParameterByIndex(node, 1, (vx_reference)x));
	RAN(vxReleaseNode(&node));
	expect_run(&graph);

	vx_uint8 none = 0;
	vx_scalar value = vxCreateScalar(context, VX_TYPE_UINT8, &none), another = vxCreateScalar(context, VX_TYPE_UINT8, &none);
	now_testing("least and greatest value in one scalar");
	graph = vxCreateGraph(context);
	node = vxMinMaxLocNode(graph, in, value, value, NULL, NULL, NULL, NULL);
	CREATED(node);
	expect_no_run(graph, VX_ERROR_MULTIPLE_WRITERS, NAMED("minmaxloc"), 2);
	RAN(vxSetParameterByIndex(node, 1, (vx_reference)another));
	RAN(vxReleaseNode(&node));
	expect_run(&graph);
	RAN(vxReleaseScalar(&value));
	RAN(vxReleaseScalar(&another));
	RAN(vxReleaseImage(&in));
	RAN(vxReleaseImage(&x));
	RAN(vxReleaseImage(&y));
}

/* A replicated node writes and reads all items. */
static void replicated(void **state)
{
	(void)state;
	vx_bool both[] = {vx_true_e, vx_true_e};
	vx_graph graph = vxCreateGraph(context);
	struct parts a = items(), b = items(), c = items();
	vx_image from = (vx_image)vxGetObjectArrayItem((vx_object_array)a.whole, 0), to = (vx_image)vxGetObjectArrayItem((vx_object_array)b.whole, 0);
	vx_node all = vxNotNode(graph, from, to), one = vxBox3x3Node(graph, (vx_image)c.part, (vx_image)b.apart);
	RAN(vxReplicateNode(graph, all, both, 2));
	now_testing("an item that a replicated node writes");
	expect_no_run(graph, VX_ERROR_MULTIPLE_WRITERS, NAMED("box_3x3"), 1);
	RAN(vxSetParameterByIndex(one, 1, (vx_reference)c.apart));
	RAN(vxVerifyGraph(graph));
	now_testing("an item that a replicated node reads");
	RAN(vxSetParameterByIndex(one, 0, (vx_reference)b.part));
	RAN(vxSetParameterByIndex(one, 1, (vx_reference)a.apart));
	expect_no_run(graph, VX_ERROR_INVALID_GRAPH, NAMED("not"), 0);
	RAN(vxSetParameterByIndex(one, 1, (vx_reference)c.apart));
	expect_run(&graph);
	RAN(vxReleaseNode(&all));
	RAN(vxReleaseNode(&one));
	RAN(vxReleaseImage(&from));
	RAN(vxReleaseImage(&to));
	end_parts(&a);
	end_parts(&b);
	end_parts(&c);
}

/* ---- virtual objects ---- */
/* They are what the node that writes them gives, even after it has given something else. */
static void redefined(void **state)
{
	(void)state;
	vx_graph graph = vxCreateGraph(context);
	const struct {
		vx_reference first, second;     /* what is copied to the virtual object, one after the other */
		vx_reference results[2], hidden;
		vx_status status;               /* of a result that is like the one before */
	} cases[] = {
		{image_of(16, 8, VX_DF_IMAGE_U8), image_of(32, 4, VX_DF_IMAGE_U8), {image_of(16, 8, VX_DF_IMAGE_U8), image_of(32, 4, VX_DF_IMAGE_U8)},
		 (vx_reference)vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT), BAD_DIMENSION},
		{image_of(16, 8, VX_DF_IMAGE_U8), image_of(16, 8, VX_DF_IMAGE_NV12), {image_of(16, 8, VX_DF_IMAGE_U8), image_of(16, 8, VX_DF_IMAGE_NV12)},
		 (vx_reference)vxCreateVirtualImage(graph, 16, 0, VX_DF_IMAGE_VIRT), BAD_FORMAT},
		{(vx_reference)vxCreatePyramid(context, 2, 0.5f, 16, 8, VX_DF_IMAGE_U8), (vx_reference)vxCreatePyramid(context, 2, 0.5f, 20, 8, VX_DF_IMAGE_U8),
		 {(vx_reference)vxCreatePyramid(context, 2, 0.5f, 16, 8, VX_DF_IMAGE_U8), (vx_reference)vxCreatePyramid(context, 2, 0.5f, 20, 8, VX_DF_IMAGE_U8)},
		 (vx_reference)vxCreateVirtualPyramid(graph, 2, 0.5f, 0, 0, VX_DF_IMAGE_VIRT), BAD_DIMENSION},
		{(vx_reference)vxCreateArray(context, VX_TYPE_KEYPOINT, 4), (vx_reference)vxCreateArray(context, VX_TYPE_RECTANGLE, 5),
		 {(vx_reference)vxCreateArray(context, VX_TYPE_KEYPOINT, 4), (vx_reference)vxCreateArray(context, VX_TYPE_RECTANGLE, 5)},
		 (vx_reference)vxCreateVirtualArray(graph, VX_TYPE_INVALID, 0), BAD_TYPE},
		{(vx_reference)vxCreateTensor(context, 2, (const vx_size[]){5, 4}, VX_TYPE_INT16, 8),
		 (vx_reference)vxCreateTensor(context, 3, (const vx_size[]){3, 2, 2}, VX_TYPE_UINT8, 0),
		 {(vx_reference)vxCreateTensor(context, 2, (const vx_size[]){5, 4}, VX_TYPE_INT16, 8),
		  (vx_reference)vxCreateTensor(context, 3, (const vx_size[]){3, 2, 2}, VX_TYPE_UINT8, 0)},
		 (vx_reference)vxCreateVirtualTensor(graph, 0, NULL, VX_TYPE_INVALID, 0), BAD_TYPE},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		vx_reference refs[] = {cases[i].first, cases[i].second, cases[i].results[0], cases[i].results[1], cases[i].hidden};
		vx_node first = vxCopyNode(graph, cases[i].first, cases[i].hidden), second = vxCopyNode(graph, cases[i].hidden, cases[i].results[0]);
		now_testing("a virtual object, case %zu", i);
		CREATED(first);
		CREATED(second);
		RAN(vxVerifyGraph(graph));
		RAN(vxProcessGraph(graph));
		RAN(vxSetParameterByIndex(first, 0, cases[i].second));
		expect_no_run(graph, cases[i].status, NAMED("copy"), 1);
		RAN(vxSetParameterByIndex(second, 1, cases[i].results[1]));
		RAN(vxVerifyGraph(graph));
		RAN(vxProcessGraph(graph));
		RAN(vxRemoveNode(&first));
		RAN(vxRemoveNode(&second));
		for (size_t r = 0; r < COUNT(refs); r++)
			RAN(vxReleaseReference(&refs[r]));
	}
	RAN(vxReleaseGraph(&graph));
}

/* ---- user kernels ---- */
#define OURS "galena.faults.kernel"
/* What the kernel's functions do. */
static struct {
	vx_reference exemplar;      /* of the output's meta data; NULL: none are set */
	vx_enum attribute;          /* 0: none is changed */
	vx_size size;
	uint8_t value[64];
	vx_status of_validating, of_initializing, of_rectangle;
} kernel_does;

static vx_status VX_CALLBACK find_rectangle(vx_node node, vx_uint32 index, const vx_rectangle_t *const input[], vx_rectangle_t *const output[])
{
	(void)node;
	(void)index;
	(void)input;
	(void)output;
	return kernel_does.of_rectangle;
}

static vx_status VX_CALLBACK validate(vx_node node, const vx_reference given[], vx_uint32 num, vx_meta_format metas[])
{
	const vx_kernel_image_valid_rectangle_f callback = find_rectangle;
	(void)node;
	(void)num;
	if (kernel_does.exemplar) {
		const vx_status status = vxSetMetaFormatFromReference(metas[1], kernel_does.exemplar);
		if (status)
			return status;
	}
	if (kernel_does.attribute)
		RAN(vxSetMetaFormatAttribute(metas[1], kernel_does.attribute, kernel_does.value, kernel_does.size));
	if (kernel_does.of_rectangle && type_of(given[1]) == VX_TYPE_IMAGE)
		RAN(vxSetMetaFormatAttribute(metas[1], VX_VALID_RECT_CALLBACK, &callback, sizeof callback));
	return kernel_does.of_validating;
}

static vx_status VX_CALLBACK initialize(vx_node node, const vx_reference *given, vx_uint32 num)
{
	(void)nothing_to_run(node, given, num);
	return kernel_does.of_initializing;
}

/* A graph of a node of the kernel, which gives objects of a type. */
static vx_graph graph_of(vx_enum type, vx_kernel *kernel, vx_node *node)
{
	vx_graph graph = vxCreateGraph(context);
	vx_image in = image_u8(16, 8);
	*kernel = vxAddUserKernel(context, OURS, VX_KERNEL_BASE(VX_ID_USER, 9), nothing_to_run, 2, validate, initialize, nothing_to_run);
	CREATED(*kernel);
	RAN(vxAddParameterToKernel(*kernel, 0, VX_INPUT, VX_TYPE_IMAGE, VX_PARAMETER_STATE_REQUIRED));
	RAN(vxAddParameterToKernel(*kernel, 1, VX_OUTPUT, type, VX_PARAMETER_STATE_REQUIRED));
	RAN(vxFinalizeKernel(*kernel));
	*node = vxCreateGenericNode(graph, *kernel);
	CREATED(*node);
	RAN(vxSetParameterByIndex(*node, 0, (vx_reference)in));
	RAN(vxReleaseImage(&in));
	memset(&kernel_does, 0, sizeof kernel_does);
	return graph;
}

static void end_graph(vx_graph *graph, vx_kernel kernel, vx_node *node)
{
	RAN(vxReleaseNode(node));
	RAN(vxReleaseGraph(graph));
	RAN(vxRemoveKernel(kernel));
}

/* Each attribute that meta data have: the status of an output that is not so. */
static const struct { vx_enum attribute; vx_size size; vx_status status; } metas_of[] = {
	{VX_IMAGE_WIDTH, sizeof(vx_uint32), BAD_DIMENSION},
	{VX_IMAGE_HEIGHT, sizeof(vx_uint32), BAD_DIMENSION},
	{VX_IMAGE_FORMAT, sizeof(vx_df_image), BAD_FORMAT},
	{VX_ARRAY_ITEMTYPE, sizeof(vx_enum), BAD_TYPE},
	{VX_ARRAY_CAPACITY, sizeof(vx_size), BAD_DIMENSION},
	{VX_PYRAMID_LEVELS, sizeof(vx_size), BAD_VALUE},
	{VX_PYRAMID_SCALE, sizeof(vx_float32), BAD_VALUE},
	{VX_PYRAMID_WIDTH, sizeof(vx_uint32), BAD_DIMENSION},
	{VX_PYRAMID_HEIGHT, sizeof(vx_uint32), BAD_DIMENSION},
	{VX_PYRAMID_FORMAT, sizeof(vx_df_image), BAD_FORMAT},
	{VX_SCALAR_TYPE, sizeof(vx_enum), BAD_TYPE},
	{VX_MATRIX_TYPE, sizeof(vx_enum), BAD_TYPE},
	{VX_MATRIX_ROWS, sizeof(vx_size), BAD_DIMENSION},
	{VX_MATRIX_COLUMNS, sizeof(vx_size), BAD_DIMENSION},
	{VX_MATRIX_ORIGIN, sizeof(vx_coordinates2d_t), BAD_VALUE},
	{VX_MATRIX_PATTERN, sizeof(vx_enum), BAD_VALUE},
	{VX_DISTRIBUTION_BINS, sizeof(vx_size), BAD_VALUE},
	{VX_DISTRIBUTION_OFFSET, sizeof(vx_int32), BAD_VALUE},
	{VX_DISTRIBUTION_RANGE, sizeof(vx_uint32), BAD_VALUE},
	{VX_THRESHOLD_TYPE, sizeof(vx_enum), BAD_TYPE},
	{VX_THRESHOLD_INPUT_FORMAT, sizeof(vx_df_image), BAD_FORMAT},
	{VX_THRESHOLD_OUTPUT_FORMAT, sizeof(vx_df_image), BAD_FORMAT},
	{VX_REMAP_SOURCE_WIDTH, sizeof(vx_uint32), BAD_DIMENSION},
	{VX_REMAP_SOURCE_HEIGHT, sizeof(vx_uint32), BAD_DIMENSION},
	{VX_REMAP_DESTINATION_WIDTH, sizeof(vx_uint32), BAD_DIMENSION},
	{VX_REMAP_DESTINATION_HEIGHT, sizeof(vx_uint32), BAD_DIMENSION},
	{VX_LUT_TYPE, sizeof(vx_enum), BAD_TYPE},
	{VX_LUT_COUNT, sizeof(vx_size), BAD_DIMENSION},
	{VX_OBJECT_ARRAY_ITEMTYPE, sizeof(vx_enum), BAD_TYPE},
	{VX_OBJECT_ARRAY_NUMITEMS, sizeof(vx_size), BAD_DIMENSION},
	{VX_TENSOR_NUMBER_OF_DIMS, sizeof(vx_size), BAD_DIMENSION},
	{VX_TENSOR_DIMS, 3 * sizeof(vx_size), BAD_DIMENSION},
	{VX_TENSOR_DATA_TYPE, sizeof(vx_enum), BAD_TYPE},
	{VX_TENSOR_FIXED_POINT_POSITION, sizeof(vx_int8), BAD_TYPE},
	{VX_CONVOLUTION_ROWS, sizeof(vx_size), BAD_DIMENSION},
	{VX_CONVOLUTION_COLUMNS, sizeof(vx_size), BAD_DIMENSION},
};

/* What an output is like: an object of the zoo, or a virtual one that is declared to be like it. */
static vx_reference output_of(vx_graph graph, vx_enum type, bool is_virtual)
{
	if (!is_virtual) {
		RAN(vxRetainReference(one_of(type, false)));
		return one_of(type, false);
	}
	if (type == VX_TYPE_IMAGE)
		return (vx_reference)vxCreateVirtualImage(graph, 16, 8, VX_DF_IMAGE_U8);
	return kind_of(type)->make_virtual(graph);
}

/* A kernel gives something else than the output is: one attribute is more by 1. */
static void other_meta_data(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * COUNT(metas_of); i++) {
		const vx_enum attribute = metas_of[i / 2].attribute, type = (vx_enum)VX_TYPE(attribute);
		vx_kernel kernel;
		vx_node node;
		vx_graph graph = graph_of(type, &kernel, &node);
		vx_reference output = output_of(graph, type, i % 2);
		now_testing("attribute 0x%x of a %s output", (unsigned)attribute, i % 2 ? "virtual" : "real");
		CREATED(output);
		RAN(vxSetParameterByIndex(node, 1, output));
		kernel_does.exemplar = one_of(type, false);
		kernel_does.attribute = attribute;
		kernel_does.size = metas_of[i / 2].size;
		RAN(query(one_of(type, false), type, attribute, kernel_does.value, kernel_does.size));
		kernel_does.value[0]++;
		expect_no_run(graph, metas_of[i / 2].status, OURS, 1);
		kernel_does.value[0]--;
		RAN(vxVerifyGraph(graph));
		RAN(vxProcessGraph(graph));
		RAN(vxReleaseReference(&output));
		end_graph(&graph, kernel, &node);
	}
}

/* An array may have more room than the kernel needs. */
static void more_room(void **state)
{
	(void)state;
	vx_kernel kernel;
	vx_node node;
	vx_graph graph = graph_of(VX_TYPE_ARRAY, &kernel, &node);
	RAN(vxSetParameterByIndex(node, 1, one_of(VX_TYPE_ARRAY, false)));
	kernel_does.exemplar = one_of(VX_TYPE_ARRAY, false);
	kernel_does.attribute = VX_ARRAY_CAPACITY;
	kernel_does.size = sizeof(vx_size);
	kernel_does.value[0] = ARRAY_ITEMS - 1;
	now_testing("an array with room for one item more");
	RAN(vxVerifyGraph(graph));
	end_graph(&graph, kernel, &node);
}

/* Of a virtual output of which nothing is declared the kernel has to say it. */
static void no_meta_data(void **state)
{
	(void)state;
	static const struct { vx_enum type; vx_status status; } cases[] = {
		{VX_TYPE_IMAGE, BAD_FORMAT}, {VX_TYPE_PYRAMID, BAD_FORMAT}, {VX_TYPE_ARRAY, BAD_TYPE},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		vx_kernel kernel;
		vx_node node;
		vx_graph graph = graph_of(cases[i].type, &kernel, &node);
		vx_reference output;
		now_testing("no meta data of type 0x%x", (unsigned)cases[i].type);
		if (cases[i].type == VX_TYPE_IMAGE)
			output = (vx_reference)vxCreateVirtualImage(graph, 0, 0, VX_DF_IMAGE_VIRT);
		else if (cases[i].type == VX_TYPE_PYRAMID)
			output = (vx_reference)vxCreateVirtualPyramid(graph, 3, VX_SCALE_PYRAMID_HALF, 0, 0, VX_DF_IMAGE_VIRT);
		else
			output = (vx_reference)vxCreateVirtualArray(graph, VX_TYPE_INVALID, 0);
		CREATED(output);
		RAN(vxSetParameterByIndex(node, 1, output));
		expect_no_run(graph, cases[i].status, OURS, 1);
		kernel_does.exemplar = one_of(cases[i].type, false);
		RAN(vxVerifyGraph(graph));
		RAN(vxProcessGraph(graph));
		RAN(vxReleaseReference(&output));
		end_graph(&graph, kernel, &node);
	}
}

/* The kernel's own functions fail: their status is the graph's, and the log names the kernel. */
static void failing_functions(void **state)
{
	(void)state;
	vx_kernel kernel;
	vx_node node;
	vx_graph graph = graph_of(VX_TYPE_IMAGE, &kernel, &node);
	RAN(vxSetParameterByIndex(node, 1, one_of(VX_TYPE_IMAGE, false)));
	kernel_does.exemplar = one_of(VX_TYPE_IMAGE, false);
	vx_status *const statuses[] = {&kernel_does.of_validating, &kernel_does.of_initializing};
	for (size_t i = 0; i < COUNT(statuses); i++) {
		now_testing("function %zu of a kernel fails", i);
		*statuses[i] = VX_ERROR_NOT_IMPLEMENTED;
		logged.calls = 0;
		REFUSED(VX_ERROR_NOT_IMPLEMENTED, vxVerifyGraph(graph));
		assert_true(logged.calls > 0);
		assert_int_equal(logged.status, VX_ERROR_NOT_IMPLEMENTED);
		assert_non_null(strstr(logged.text, OURS));
		REFUSED(VX_ERROR_NOT_IMPLEMENTED, vxProcessGraph(graph));
		*statuses[i] = VX_SUCCESS;
		RAN(vxVerifyGraph(graph));
		RAN(vxProcessGraph(graph));
	}
	now_testing("a valid rectangle that is not known");
	kernel_does.of_rectangle = VX_ERROR_NOT_IMPLEMENTED;
	expect_no_run(graph, VX_ERROR_NOT_IMPLEMENTED, OURS, 1);
	kernel_does.of_rectangle = VX_SUCCESS;
	RAN(vxVerifyGraph(graph));
	now_testing("meta data of another type");
	kernel_does.exemplar = one_of(VX_TYPE_SCALAR, false);
	REFUSED(BAD_REFERENCE, vxVerifyGraph(graph));
	assert_non_null(strstr(logged.text, OURS));
	kernel_does.exemplar = one_of(VX_TYPE_IMAGE, false);
	RAN(vxVerifyGraph(graph));
	RAN(vxProcessGraph(graph));
	end_graph(&graph, kernel, &node);
}

int main(int argc, char **argv)
{
	seed_start(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts), cmocka_unit_test(named_node), cmocka_unit_test(long_cycle),
		cmocka_unit_test(one_node_twice), cmocka_unit_test(replicated), cmocka_unit_test(redefined), cmocka_unit_test(other_meta_data),
		cmocka_unit_test(more_room), cmocka_unit_test(no_meta_data), cmocka_unit_test(failing_functions),
	};
	return cmocka_run_group_tests(tests, open_zoo, close_zoo);
}
