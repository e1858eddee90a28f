/* Kernels whose pixels depend on those around them: sobel_3x3 to gaussian_3x3, custom_convolution, non_linear_filter, lbp,
 * non_max_suppression and match_template. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/launch.h"
#include <stdio.h>

static vx_int32 int_of(vx_reference scalar) { return scalar_int((vx_scalar)scalar); }

/* ---- what filters have in common ---- */
/* Where a filter computes. A defined border begins where the input is no more valid; without one any pixel is as good. */
static vx_rectangle_t window_of(const struct launch *l, vx_image in)
{
	return l->border.mode == VX_BORDER_UNDEFINED ? (vx_rectangle_t){0, 0, in->width, in->height} : image_readable(in);
}

/* A part of an image, as PLANE gives all of it. */
static struct plane_arg arg_window(struct launch *l, vx_image image, const vx_rectangle_t *w)
{
	if (!l->status)
		l->status = image_allocate(image);
	const struct plane *p = &image->planes[0];
	const bool is_bits = image->format == VX_DF_IMAGE_U1;
	const size_t bytes = is_bits ? w->start_x / 8 : (size_t)w->start_x * (size_t)p->stride_x;
	const struct plane_arg a = {
		.offset = (cl_uint)(p->offset + (size_t)w->start_y * (size_t)p->stride_y + bytes),
		.offset_bits = is_bits ? w->start_x % 8 : 0,
		.width = (cl_int)(w->end_x - w->start_x),
		.height = (cl_int)(w->end_y - w->start_y),
		.stride_x = p->stride_x,
		.stride_y = p->stride_y,
	};
	args(l, MEM(p->mem), STRUCT(a));
	return a;
}

/* A kernel with what all of filters begin with; its own arguments follow. Returns what is computed of the output. */
static struct plane_arg begin_in(struct launch *l, const char *source, const char *options, const char *kernel, vx_image in,
				 vx_image out)
{
	const vx_rectangle_t w = window_of(l, in);
	launch_kernel(l, source, options, kernel);
	arg_window(l, in, &w);
	const struct plane_arg to = arg_window(l, out, &w);
	args(l, BORDER(in->format));
	return to;
}

static struct plane_arg begin(struct launch *l, const char *kernel, vx_image in, vx_image out)
{
	return begin_in(l, "filters", "", kernel, in, out);
}

static vx_status launch_pixels(struct launch *l, const struct plane_arg *to)
{
	return launch_2d(l, (size_t)to->width, (size_t)to->height);
}

/* A work-item eight pixels of a row. */
static vx_status launch_eights(struct launch *l, const struct plane_arg *to)
{
	return launch_2d(l, ((size_t)to->width + 7) / 8, (size_t)to->height);
}

/* A work-item a byte of bits. */
static vx_status launch_bytes(struct launch *l, const struct plane_arg *to)
{
	return launch_2d(l, ((size_t)to->offset_bits + (size_t)to->width + 7) / 8, (size_t)to->height);
}

/* Size of the output, and what is undefined at its edges. */
static vx_status gives_filtered(struct check *c, unsigned index, vx_image in, vx_df_image format, unsigned reach)
{
	valid_shrinks(c, reach, reach, reach, reach);
	return gives_image(c, index, in->width, in->height, format);
}

/* ---- 3 x 3 ---- */
static vx_status bytes_3x3_check(struct check *c, const vx_reference *p)
{
	/* vxBox3x3Node, vxGaussian3x3Node: bytes to bytes, of the same size */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	return gives_filtered(c, 1, (vx_image)p[0], VX_DF_IMAGE_U8, 1);
}

static vx_status bits_3x3_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	/* vxDilate3x3Node, vxErode3x3Node, vxMedian3x3Node: bytes or bits, to the same format and size */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_U1));
	return gives_filtered(c, 1, in, in->format, 1);
}

static vx_status bytes_3x3_run(struct launch *l, const vx_reference *p, const char *kernel)
{
	const struct plane_arg to = begin(l, kernel, (vx_image)p[0], (vx_image)p[1]);
	return launch_eights(l, &to);
}

/* Of bits: a pixel is set where at least so many of the nine are. */
static vx_status bits_3x3_run(struct launch *l, const vx_reference *p, const char *kernel, cl_int least)
{
	vx_image in = (vx_image)p[0];
	if (in->format != VX_DF_IMAGE_U1)
		return bytes_3x3_run(l, p, kernel);
	const struct plane_arg to = begin(l, "count_3x3_u1", in, (vx_image)p[1]);
	args(l, INT(least));
	return launch_bytes(l, &to);
}

static vx_status box_run(struct launch *l, const vx_reference *p) { return bytes_3x3_run(l, p, "box_3x3"); }
static vx_status gaussian_run(struct launch *l, const vx_reference *p) { return bytes_3x3_run(l, p, "gaussian_3x3"); }
static vx_status dilate_run(struct launch *l, const vx_reference *p) { return bits_3x3_run(l, p, "dilate_3x3", 1); }
static vx_status median_run(struct launch *l, const vx_reference *p) { return bits_3x3_run(l, p, "median_3x3", 5); }
static vx_status erode_run(struct launch *l, const vx_reference *p) { return bits_3x3_run(l, p, "erode_3x3", 9); }

const struct vision_kernel vision_box_3x3 = {.check = bytes_3x3_check, .run = box_run, .any_border = true};
const struct vision_kernel vision_gaussian_3x3 = {.check = bytes_3x3_check, .run = gaussian_run, .any_border = true};
const struct vision_kernel vision_dilate_3x3 = {.check = bits_3x3_check, .run = dilate_run, .any_border = true};
const struct vision_kernel vision_median_3x3 = {.check = bits_3x3_check, .run = median_run, .any_border = true};
const struct vision_kernel vision_erode_3x3 = {.check = bits_3x3_check, .run = erode_run, .any_border = true};

static vx_status sobel_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	/* vxSobel3x3Node: of bytes */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	/* Sobel 3x3: one of the gradients may be left out */
	REFUSE_IF(!p[1] && !p[2], c, 1, VX_ERROR_INVALID_PARAMETERS, "neither gradient is asked for");
	/* vxSobel3x3Node: gradients of 16 bits, as large as the input */
	TRY(gives_filtered(c, 1, in, VX_DF_IMAGE_S16, 1));
	return gives_filtered(c, 2, in, VX_DF_IMAGE_S16, 1);
}

static vx_status sobel_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0], along_x = (vx_image)p[1], along_y = (vx_image)p[2];
	const vx_rectangle_t w = window_of(l, in);
	const struct plane_arg to = begin(l, "sobel_3x3", in, along_x ? along_x : along_y);
	arg_window(l, along_y ? along_y : along_x, &w);
	args(l, INT((along_x ? 1 : 0) | (along_y ? 2 : 0)));
	return launch_eights(l, &to);
}

const struct vision_kernel vision_sobel_3x3 = {.check = sobel_check, .run = sobel_run, .any_border = true};

/* ---- custom_convolution ---- */
static vx_status convolution_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	const struct _vx_convolution *conv = (vx_convolution)p[1];
	const unsigned reach_x = (unsigned)conv->columns / 2, reach_y = (unsigned)conv->rows / 2;
	/* vxConvolveNode: of bytes */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	valid_shrinks(c, reach_x, reach_y, reach_x, reach_y);
	/* Custom Convolution: 16 bits, unless the image that is given has bytes */
	return gives_image_any(c, 2, in->width, in->height, VX_DF_IMAGE_S16, VX_DF_IMAGE_U8);
}

enum { CONVOLVE_PIXELS = 4, CONVOLVE_ROWS = 4 };
static size_t convolve_items(const struct launch *l) { return items_max(l) < 32 ? items_max(l) : 32; }

/* Arguments of the kernels of convolution.cl: first and end are those of the pixels that are not done one by one. */
static struct plane_arg convolution_begin(struct launch *l, const char *kernel, const vx_reference *p, cl_int first, cl_int end)
{
	const vx_image in = (vx_image)p[0], out = (vx_image)p[2];
	vx_convolution conv = (vx_convolution)p[1];
	char options[128];
	snprintf(options, sizeof options, "-DCOLUMNS=%zu -DTYPE=%s -DITEMS=%zu -DPIXELS=%d -DROWS=%d", (size_t)conv->columns,
		 out->format == VX_DF_IMAGE_U8 ? "uchar" : "short", convolve_items(l), CONVOLVE_PIXELS, CONVOLVE_ROWS);
	const struct plane_arg to = begin_in(l, "convolution", options, kernel, in, out);
	args(l, READ(&conv->store), INT(conv->rows), INT(__builtin_ctz(conv->scale)) /* a power of 2 */, INT(first), INT(end));
	return to;
}

static vx_status convolution_run(struct launch *l, const vx_reference *p)
{
	const vx_rectangle_t w = window_of(l, (vx_image)p[0]);
	const cl_int reach = (cl_int)((vx_convolution)p[1])->columns / 2, width = (cl_int)(w.end_x - w.start_x);
	const cl_int items = (cl_int)convolve_items(l), pixels = items * CONVOLVE_PIXELS;
	/* from window to window that lies in the image, and as stores of several pixels may be aligned */
	cl_int first = (reach + CONVOLVE_PIXELS - 1) / CONVOLVE_PIXELS * CONVOLVE_PIXELS;
	cl_int end = (width - reach) / CONVOLVE_PIXELS * CONVOLVE_PIXELS;
	if (end - first < pixels)
		first = end = width;
	struct plane_arg to;
	if (first < end) {
		to = convolution_begin(l, "convolve", p, first, end);
		const size_t groups = ((size_t)(end - first) + (size_t)pixels - 1) / (size_t)pixels;
		const size_t rows = ((size_t)to.height + CONVOLVE_ROWS - 1) / CONVOLVE_ROWS;
		launch_groups(l, 2, (size_t[]){groups * (size_t)items, rows}, (size_t[]){(size_t)items, 1});
	}
	to = convolution_begin(l, "convolve_ends", p, first, end);
	return launch_2d(l, (size_t)(first + width - end), (size_t)to.height);
}

const struct vision_kernel vision_custom_convolution = {.check = convolution_check, .run = convolution_run, .any_border = true};

/* ---- non_linear_filter ---- */
/* WINDOW_MAX in filters.cl is the square of NONLINEAR_MAX. */

static vx_status nonlinear_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[1];
	const struct _vx_matrix *mask = (vx_matrix)p[2];
	const unsigned columns = (unsigned)mask->columns, rows = (unsigned)mask->rows;
	/* vxNonLinearFilterNode: one of the functions of vx_non_linear_filter_e, of bytes or bits */
	TRY(want_enum(c, 0, VX_NONLINEAR_FILTER_MEDIAN, VX_NONLINEAR_FILTER_MIN, VX_NONLINEAR_FILTER_MAX));
	TRY(want_format(c, 1, VX_DF_IMAGE_U8, VX_DF_IMAGE_U1));
	/* vxCreateMatrixFromPattern: masks are matrices of bytes */
	REFUSE_IF(mask->data_type != VX_TYPE_UINT8, c, 2, VX_ERROR_INVALID_TYPE, "a matrix of %s", type_name(mask->data_type));
	/* Non Linear Filter: as many rows and columns as the context says */
	if (mask->columns > NONLINEAR_MAX || mask->rows > NONLINEAR_MAX)
		return refuse(c, 2, VX_ERROR_INVALID_DIMENSION, "a mask of %u columns and %u rows: %d are known", columns, rows,
			      NONLINEAR_MAX);
	valid_shrinks(c, mask->origin.x, mask->origin.y, columns - mask->origin.x - 1, rows - mask->origin.y - 1);
	/* vxNonLinearFilterNode: format and size of the input */
	return gives_image(c, 3, in->width, in->height, in->format);
}

static vx_status nonlinear_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[1];
	vx_matrix mask = (vx_matrix)p[2];
	const bool is_bits = in->format == VX_DF_IMAGE_U1;
	const struct plane_arg to = begin(l, is_bits ? "nonlinear_u1" : "nonlinear_u8", in, (vx_image)p[3]);
	args(l, READ(&mask->store), INT(mask->columns), INT(mask->rows), INT(mask->origin.x),
	     INT(mask->origin.y), INT(int_of(p[0])));
	return is_bits ? launch_bytes(l, &to) : launch_pixels(l, &to);
}

const struct vision_kernel vision_non_linear_filter = {.check = nonlinear_check, .run = nonlinear_run, .any_border = true};

/* ---- lbp ---- */
/* How far from a pixel those are that it is compared with. */
struct ring {
	cl_int straight, diagonal;
};

static struct ring ring_of(const vx_reference *p)
{
	/* LBP: the modified pattern looks at the edge of 5 x 5 pixels, the others at a ring in 3 x 3 or 5 x 5 */
	if (int_of(p[1]) == VX_MLBP)
		return (struct ring){2, 2};
	return int_of(p[2]) == 5 ? (struct ring){2, 1} : (struct ring){1, 1};
}

static vx_status lbp_check(struct check *c, const vx_reference *p)
{
	/* vxLBPNode: bytes to bytes, of the same size; a pattern of vx_lbp_format_e */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	TRY(want_enum(c, 1, VX_LBP, VX_MLBP, VX_ULBP));
	/* vxLBPNode: kernels of 3 or 5 pixels */
	TRY(want_int(c, 2, VX_TYPE_INT8, "a kernel of", " pixels", 3, 5));
	const unsigned reach = (unsigned)ring_of(p).straight;
	return gives_filtered(c, 3, (vx_image)p[0], VX_DF_IMAGE_U8, reach);
}

static vx_status lbp_run(struct launch *l, const vx_reference *p)
{
	const struct ring ring = ring_of(p);
	const struct plane_arg to = begin(l, "lbp", (vx_image)p[0], (vx_image)p[3]);
	args(l, INT(int_of(p[1])), INT(ring.straight), INT(ring.diagonal));
	return launch_pixels(l, &to);
}

const struct vision_kernel vision_lbp = {.check = lbp_check, .run = lbp_run, .any_border = true};

/* ---- non_max_suppression ---- */
enum { MASK_NONE, MASK_BYTES, MASK_BITS }; /* twin of filters.cl */

static vx_status suppression_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	/* vxNonMaxSuppressionNode: bytes or 16 bits; a mask of bytes or bits, as large as the input */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_S16));
	TRY(want_format(c, 1, VX_DF_IMAGE_U8, VX_DF_IMAGE_U1));
	TRY(want_same_size(c, 0, 1));
	TRY(want_scalar(c, 2, VX_TYPE_INT32));
	const vx_int32 size = int_of(p[2]);
	/* vxNonMaxSuppressionNode: an odd window, no larger than the input */
	if (size < 1 || size % 2 == 0 || size > (vx_int32)in->width || size > (vx_int32)in->height)
		return refuse(c, 2, VX_ERROR_INVALID_VALUE, "a window of %d pixels in %u x %u", size, in->width, in->height);
	/* vxNonMaxSuppressionNode: format and size of the input */
	return gives_filtered(c, 3, in, in->format, (unsigned)size / 2);
}

static vx_status suppression_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0], mask = (vx_image)p[1];
	const vx_rectangle_t w = window_of(l, in);
	const char *kernel = in->format == VX_DF_IMAGE_U8 ? "suppress_u8" : "suppress_s16";
	const struct plane_arg to = begin(l, kernel, in, (vx_image)p[3]);
	arg_window(l, mask ? mask : in, &w);
	args(l, INT(!mask ? MASK_NONE : mask->format == VX_DF_IMAGE_U8 ? MASK_BYTES : MASK_BITS), INT(int_of(p[2]) / 2));
	return launch_pixels(l, &to);
}

const struct vision_kernel vision_non_max_suppression = {.check = suppression_check, .run = suppression_run, .any_border = true};

/* ---- match_template ---- */
enum { TEMPLATE_PIXELS_MAX = 65535 };

/* How images are compared, and the kernel for it. */
static const struct { vx_enum metric; const char *kernel; } metrics[] = {
	{VX_COMPARE_HAMMING, "match_hamming"}, {VX_COMPARE_L1, "match_l1"},           {VX_COMPARE_L2, "match_l2"},
	{VX_COMPARE_CCORR, "match_ccorr"},     {VX_COMPARE_L2_NORM, "match_l2_norm"}, {VX_COMPARE_CCORR_NORM, "match_ccorr_norm"},
};

static vx_status match_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0], searched = (vx_image)p[1];
	const vx_uint32 width = searched->width, height = searched->height;
	/* vxMatchTemplateNode: both of bytes; a metric of vx_comp_metric_e */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	TRY(want_format(c, 1, VX_DF_IMAGE_U8));
	TRY(want_enum(c, 2, VX_COMPARE_HAMMING, VX_COMPARE_L1, VX_COMPARE_L2, VX_COMPARE_CCORR, VX_COMPARE_L2_NORM,
		       VX_COMPARE_CCORR_NORM));
	/* MatchTemplate: the template has 65535 pixels at most, and fits into the image that it is looked for in */
	if ((vx_uint64)width * height > TEMPLATE_PIXELS_MAX || width > in->width || height > in->height)
		return refuse(c, 1, VX_ERROR_INVALID_DIMENSION, "a template of %u x %u pixels in %u x %u", width, height,
			      in->width, in->height);
	/* vxMatchTemplateNode: a result of 16 bits for each place where the template fits */
	TRY(gives_image(c, 3, in->width - width + 1, in->height - height + 1, VX_DF_IMAGE_S16));
	/* Valid Image Region: results are valid where all that the template lies on is */
	const vx_rectangle_t *v = &in->valid;
	const vx_uint32 right = v->end_x + 1 > width ? v->end_x + 1 - width : 0, below = v->end_y + 1 > height ? v->end_y + 1 - height : 0;
	valid_is(c, 3, &(vx_rectangle_t){v->start_x, v->start_y, right, below});
	return VX_SUCCESS;
}

static vx_status match_run(struct launch *l, const vx_reference *p)
{
	vx_image out = (vx_image)p[3];
	const vx_enum metric = int_of(p[2]);
	size_t i = 0;
	while (i + 1 < sizeof metrics / sizeof *metrics && metrics[i].metric != metric)
		i++;
	launch_kernel(l, "filters", "", metrics[i].kernel, PLANE((vx_image)p[0], 0), PLANE((vx_image)p[1], 0), PLANE(out, 0));
	return launch_2d(l, out->width, out->height);
}

const struct vision_kernel vision_match_template = {.check = match_check, .run = match_run, .any_border = true};
