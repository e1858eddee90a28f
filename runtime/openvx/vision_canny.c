/* org.khronos.openvx.canny_edge_detector: gradients, suppression across them, hysteresis. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/launch.h"
#include <stdio.h>

/* Pixels of a row that a work-item does: twin of kernels/canny.cl. */
enum { STRIP = 8 };

/* Buffers of the node: two derivatives a pixel, and a label. */
enum { SCRATCH_GRADIENT, SCRATCH_LABEL };

static size_t strips(vx_uint32 pixels) { return (pixels + STRIP - 1) / STRIP; }

static vx_status want_threshold(struct check *c, unsigned index, vx_threshold hyst)
{
	/* vxCannyEdgeDetectorNode: a double threshold */
	REFUSE_IF(hyst->threshold_type != VX_THRESHOLD_TYPE_RANGE, c, index, VX_ERROR_INVALID_TYPE, "the threshold is not a range");
	/* vxCannyEdgeDetectorNode: of an input format U8 or S16; the output format is ignored */
	if (hyst->input_format != VX_DF_IMAGE_U8 && hyst->input_format != VX_DF_IMAGE_S16)
		return refuse(c, index, VX_ERROR_INVALID_FORMAT, "the threshold is neither of U8 nor of S16");
	return VX_SUCCESS;
}

static vx_status check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	vx_scalar size = (vx_scalar)p[2];
	/* vxCannyEdgeDetectorNode: the input is U8 */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	TRY(want_threshold(c, 1, (vx_threshold)p[1]));
	/* vxCannyEdgeDetectorNode: 3, 5 and 7 have to be there; others are not */
	TRY(want_int(c, 2, VX_TYPE_INT32, "gradients of size", "", 3, 5, 7));
	/* vxCannyEdgeDetectorNode: a norm that vx_norm_type_e lists */
	TRY(want_enum(c, 3, VX_NORM_L1, VX_NORM_L2));
	const unsigned ring = (unsigned)scalar_int(size) / 2 + 1;
	valid_shrinks(c, ring, ring, ring, ring);
	/* vxCannyEdgeDetectorNode: the output is U8 or U1, as large as the input */
	return gives_image_any(c, 4, in->width, in->height, VX_DF_IMAGE_U8, VX_DF_IMAGE_U1);
}

static void find_gradients(struct launch *l, const char *options, vx_image in, cl_mem gradient)
{
	launch_kernel(l, "canny", options, "sobel", PLANE(in, 0), MEM(gradient));
	launch_2d(l, strips(in->width), whole_warps(in->height));
}

static void find_candidates(struct launch *l, const char *options, vx_image in, vx_threshold hyst, cl_mem gradient, cl_mem label)
{
	const bool wide = hyst->input_format == VX_DF_IMAGE_S16;
	const struct threshold_values *v = threshold_values(hyst);
	if (!v) {
		l->status = l->status ? l->status : VX_FAILURE;
		return;
	}
	launch_kernel(l, "canny", options, "canny_suppress", MEM(gradient), INT(in->width), INT(in->height),
		      INT(wide ? v->lower.S16 : v->lower.U8), INT(wide ? v->upper.S16 : v->upper.U8), MEM(label));
	launch_2d(l, strips(in->width), whole_warps(in->height));
}

static void link_edges(struct launch *l, const char *options, vx_image in, cl_mem label)
{
	launch_kernel(l, "canny", options, "canny_link", MEM(label), INT(in->width), INT(in->height));
	launch_2d(l, strips(in->width), whole_warps(in->height));
}

static vx_status write_edges(struct launch *l, const char *options, vx_image out, cl_mem label)
{
	launch_kernel(l, "canny", options, out->format == VX_DF_IMAGE_U1 ? "canny_edges_u1" : "canny_edges_u8", MEM(label), PLANE(out, 0));
	return launch_2d(l, strips(out->width), whole_warps(out->height));
}

static vx_status run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0], out = (vx_image)p[4];
	const vx_int32 size = scalar_int((vx_scalar)p[2]);
	const bool euclidean = scalar_int((vx_scalar)p[3]) == VX_NORM_L2;
	const size_t pixels = (size_t)in->width * in->height;
	char options[40];
	snprintf(options, sizeof options, "-DGRADIENT=%d%s", size, euclidean ? " -DNORM_L2" : "");
	cl_mem gradient = launch_scratch(l, SCRATCH_GRADIENT, pixels * (size == 7 ? sizeof(cl_int2) : sizeof(cl_short2)));
	cl_mem label = launch_scratch(l, SCRATCH_LABEL, pixels * sizeof(cl_uint));
	find_gradients(l, options, in, gradient);
	find_candidates(l, options, in, (vx_threshold)p[1], gradient, label);
	link_edges(l, options, in, label);
	return write_edges(l, options, out, label);
}

const struct vision_kernel vision_canny_edge_detector = {.check = check, .run = run};
