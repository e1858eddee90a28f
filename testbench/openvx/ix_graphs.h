/* What tests of graphs in exports share: images of one size, and how they are compared. */
#ifndef GALENA_TESTBENCH_OPENVX_IX_GRAPHS_H
#define GALENA_TESTBENCH_OPENVX_IX_GRAPHS_H
#include "testbench/openvx/ix.h"

enum { WIDTH = 40, HEIGHT = 24 };

static inline vx_image new_image(vx_context c, vx_df_image format)
{
	vx_image image = vxCreateImage(c, WIDTH, HEIGHT, format);
	CREATED(image);
	return image;
}

static inline struct pixels pixels_of(vx_image image, vx_df_image format)
{
	struct pixels p = zero_pixels(WIDTH, HEIGHT, format);
	download(image, &p);
	return p;
}

/* But for a margin. */
static inline void same_inside(vx_image expected, vx_image got, vx_df_image format, vx_uint32 margin)
{
	struct pixels a = pixels_of(expected, format), b = pixels_of(got, format);
	compare_pixels(&(struct comparison){.margin_x = margin, .margin_y = margin}, &a, &b);
	free_pixels(&a);
	free_pixels(&b);
}

static inline void same_pixels(vx_image expected, vx_image got, vx_df_image format) { same_inside(expected, got, format, 0); }

static inline void release_node(vx_node node)
{
	CREATED(node);
	RAN(vxReleaseNode(&node));
}

/* ---- a graph of many things ---- */
/* Nodes with borders, virtual images, and hidden objects with data: a convolution, a lookup table, a threshold, a matrix,
 * scalars. */
struct work {
	vx_graph graph;
	vx_image in, out, mask;
	vx_scalar factor;
	vx_distribution histogram;
};

static inline void set_border(vx_node node, vx_enum mode, vx_uint8 value)
{
	const vx_border_t border = {.mode = mode, .constant_value.U8 = value};
	CREATED(node);
	RAN(vxSetNodeAttribute(node, VX_NODE_BORDER, &border, sizeof border));
	RAN(vxReleaseNode(&node));
}

static inline struct work make_work(vx_context c)
{
	struct work w = {.graph = vxCreateGraph(c), .in = new_image(c, VX_DF_IMAGE_U8), .out = new_image(c, VX_DF_IMAGE_U8),
			 .mask = new_image(c, VX_DF_IMAGE_U8)};
	const vx_int16 edge[9] = {1, 2, 1, 0, 0, 0, -1, -2, -1};
	const vx_float32 turn[6] = {0.8f, 0.6f, -0.6f, 0.8f, 7.5f, -3.25f}, factor = 0.375f;
	const vx_uint32 scale = 2;
	vx_pixel_value_t limit = {.U8 = 90};
	uint8_t table[256];
	vx_image v[5];
	for (int i = 0; i < 5; i++)
		v[i] = vxCreateVirtualImage(w.graph, i % 2 ? 0 : WIDTH, i % 2 ? 0 : HEIGHT, i % 2 ? VX_DF_IMAGE_VIRT : VX_DF_IMAGE_U8);
	for (int i = 0; i < 256; i++)
		table[i] = (uint8_t)(i * 7 + 3);
	vx_convolution conv = vxCreateConvolution(c, 3, 3);
	vx_lut lut = vxCreateLUT(c, VX_TYPE_UINT8, 256);
	vx_matrix matrix = vxCreateMatrix(c, VX_TYPE_FLOAT32, 2, 3);
	vx_threshold threshold = vxCreateThresholdForImage(c, VX_THRESHOLD_TYPE_BINARY, VX_DF_IMAGE_U8, VX_DF_IMAGE_U8);
	w.factor = vxCreateScalar(c, VX_TYPE_FLOAT32, &factor);
	w.histogram = vxCreateDistribution(c, 16, 0, 256);
	RAN(vxCopyConvolutionCoefficients(conv, (void *)(uintptr_t)edge, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxSetConvolutionAttribute(conv, VX_CONVOLUTION_SCALE, &scale, sizeof scale));
	RAN(vxCopyLUT(lut, table, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxCopyMatrix(matrix, (void *)(uintptr_t)turn, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxCopyThresholdValue(threshold, &limit, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	/* the nodes are not in the order in which they run */
	release_node(vxHistogramNode(w.graph, v[4], w.histogram));
	set_border(vxWarpAffineNode(w.graph, v[2], matrix, VX_INTERPOLATION_BILINEAR, v[4]), VX_BORDER_CONSTANT, 200);
	set_border(vxGaussian3x3Node(w.graph, w.in, v[1]), VX_BORDER_REPLICATE, 0);
	set_border(vxConvolveNode(w.graph, v[1], conv, v[0]), VX_BORDER_CONSTANT, 17);
	release_node(vxTableLookupNode(w.graph, v[0], lut, v[2]));
	release_node(vxMultiplyNode(w.graph, v[4], w.in, w.factor, VX_CONVERT_POLICY_SATURATE, VX_ROUND_POLICY_TO_ZERO, w.out));
	release_node(vxThresholdNode(w.graph, v[4], threshold, w.mask));
	RAN(vxReleaseConvolution(&conv));
	RAN(vxReleaseLUT(&lut));
	RAN(vxReleaseMatrix(&matrix));
	RAN(vxReleaseThreshold(&threshold));
	for (int i = 0; i < 5; i++)
		RAN(vxReleaseImage(&v[i]));
	name(w.graph, "work");
	name(w.in, "in");
	name(w.out, "out");
	return w;
}

enum { WORK_REFS = 6 };
static inline void list_work(const struct work *w, vx_reference refs[WORK_REFS])
{
	const vx_reference all[WORK_REFS] = {(vx_reference)w->graph, (vx_reference)w->in, (vx_reference)w->out, (vx_reference)w->mask,
					     (vx_reference)w->factor, (vx_reference)w->histogram};
	memcpy(refs, all, sizeof all);
}

static inline struct work listed_work(vx_reference refs[WORK_REFS])
{
	return (struct work){(vx_graph)refs[0], (vx_image)refs[1], (vx_image)refs[2], (vx_image)refs[3], (vx_scalar)refs[4],
			     (vx_distribution)refs[5]};
}

static inline void end_work(struct work *w)
{
	RAN(vxReleaseGraph(&w->graph));
	RAN(vxReleaseImage(&w->in));
	RAN(vxReleaseImage(&w->out));
	RAN(vxReleaseImage(&w->mask));
	RAN(vxReleaseScalar(&w->factor));
	RAN(vxReleaseDistribution(&w->histogram));
}

/* The same input gives the same output. */
static inline void same_work(const struct work *a, const struct work *b)
{
	uint32_t bins[2][16];
	struct pixels p = random_pixels(WIDTH, HEIGHT, VX_DF_IMAGE_U8);
	upload(a->in, &p);
	upload(b->in, &p);
	RAN(vxProcessGraph(a->graph));
	RAN(vxProcessGraph(b->graph));
	same_pixels(a->out, b->out, VX_DF_IMAGE_U8);
	same_pixels(a->mask, b->mask, VX_DF_IMAGE_U8);
	RAN(vxCopyDistribution(a->histogram, bins[0], VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	RAN(vxCopyDistribution(b->histogram, bins[1], VX_READ_ONLY, VX_MEMORY_TYPE_HOST));
	assert_memory_equal(bins[0], bins[1], sizeof bins[0]);
	vx_rectangle_t valid[2] = {{0}};
	RAN(vxGetValidRegionImage(a->out, &valid[0]));
	RAN(vxGetValidRegionImage(b->out, &valid[1]));
	assert_memory_equal(&valid[0], &valid[1], sizeof valid[0]);
	free_pixels(&p);
}

#endif
