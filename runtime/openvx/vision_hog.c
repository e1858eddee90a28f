/* Histograms of oriented gradients: hog_cells, hog_features. */
#include "runtime/openvx/vision_tensor.h"

/* Words with 8 fractional bits. */
static struct _vx_tensor_t words(vx_size num_dims, vx_size width, vx_size height, vx_size depth)
{
	return (struct _vx_tensor_t){.num_dims = num_dims, .dims = {width, height, depth}, .data_type = VX_TYPE_INT16, .fixed_point_position = 8};
}

/* ---- hog_cells ---- */
static vx_status want_positive(struct check *c, unsigned index, vx_reference scalar)
{
	TRY(want_scalar(c, index, VX_TYPE_INT32));
	if (scalar_int((vx_scalar)scalar) > 0)
		return VX_SUCCESS;
	return refuse(c, index, VX_ERROR_INVALID_VALUE, "%d, where a number above 0 is needed", scalar_int((vx_scalar)scalar));
}

static vx_status cells_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	/* vxHOGCellsNode: an image of bytes */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	/* vxHOGCellsNode: a size of cells and a number of bins */
	for (unsigned i = 1; i < 4; i++)
		TRY(want_positive(c, i, p[i]));
	const vx_size across = in->width / (vx_uint32)scalar_int((vx_scalar)p[1]);
	const vx_size down = in->height / (vx_uint32)scalar_int((vx_scalar)p[2]);
	REFUSE_IF(!across || !down, c, 0, VX_ERROR_INVALID_DIMENSION, "%u x %u pixels are less than a cell", in->width, in->height);
	/* vxHOGCellsNode: a number for each whole cell, and a histogram */
	const struct _vx_tensor_t magnitudes = words(2, across, down, 0);
	const struct _vx_tensor_t bins = words(3, across, down, (vx_size)scalar_int((vx_scalar)p[3]));
	TRY(gives_tensor(c, 4, &magnitudes));
	return gives_tensor(c, 5, &bins);
}

static vx_status cells_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	const vx_int32 width = scalar_int((vx_scalar)p[1]), height = scalar_int((vx_scalar)p[2]);
	launch_kernel(l, "tensor", TENSOR_OPTIONS, "hog_cells", PLANE(in, 0), INT(width), INT(height), INT(scalar_int((vx_scalar)p[3])));
	arg_walked(l, (vx_tensor)p[4]);
	arg_walked(l, (vx_tensor)p[5]);
	return launch_2d(l, in->width / (vx_uint32)width, in->height / (vx_uint32)height);
}

const struct vision_kernel vision_hog_cells = {.check = cells_check, .run = cells_run};

/* ---- parameters that are the item of an array ---- */
vx_status item_read(vx_array a, void *to, size_t size) { return store_read(a->reference.context, &a->items, 0, to, size); }

vx_status want_item(struct check *c, unsigned index, vx_array a, vx_enum type)
{
	if (a->item_type != type)
		return refuse(c, index, VX_ERROR_INVALID_TYPE, "an array of %s, where one of %s is needed", type_name(a->item_type),
			      type_name(type));
	REFUSE_IF(!array_length(a), c, index, VX_ERROR_INVALID_PARAMETERS, "an empty array");
	return VX_SUCCESS;
}

/* ---- hog_features ---- */
static vx_size blocks_in(const vx_hog_t *h)
{
	return (vx_size)((h->window_width - h->block_width) / h->block_stride + 1) *
	       (vx_size)((h->window_height - h->block_height) / h->block_stride + 1);
}

static vx_size windows_across(const vx_hog_t *h, vx_image in)
{
	return (in->width - (vx_uint32)h->window_width) / (vx_uint32)h->window_stride + 1;
}

static vx_size windows_down(const vx_hog_t *h, vx_image in)
{
	return (in->height - (vx_uint32)h->window_height) / (vx_uint32)h->window_stride + 1;
}

static bool hog_valid(const vx_hog_t *h, vx_image in)
{
	const vx_int32 above_0[] = {h->cell_width, h->cell_height, h->block_width, h->block_height, h->block_stride, h->num_bins,
				    h->window_width, h->window_height, h->window_stride};
	for (size_t i = 0; i < sizeof above_0 / sizeof *above_0; i++)
		if (above_0[i] <= 0)
			return false;
	return h->block_width % h->cell_width == 0 && h->block_height % h->cell_height == 0 && h->block_stride % h->cell_width == 0 &&
	       h->block_stride % h->cell_height == 0 && h->window_width % h->cell_width == 0 && h->window_height % h->cell_height == 0 &&
	       h->block_width <= h->window_width && h->block_height <= h->window_height && (vx_uint32)h->window_width <= in->width &&
	       (vx_uint32)h->window_height <= in->height;
}

static vx_status features_check(struct check *c, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	vx_hog_t h;
	/* vxHOGFeaturesNode: an image of bytes, the struct of parameters in an array */
	TRY(want_format(c, 0, VX_DF_IMAGE_U8));
	TRY(want_item(c, 3, (vx_array)p[3], VX_TYPE_HOG_PARAMS));
	TRY(item_read((vx_array)p[3], &h, sizeof h));
	/* vx_hog_t: blocks of whole cells, in steps of whole cells, in windows of whole cells, in the image */
	REFUSE_IF(!hog_valid(&h, in), c, 3, VX_ERROR_INVALID_VALUE, "sizes of cells, blocks and windows that do not go together");
	/* vxHOGFeaturesNode: what vxHOGCellsNode gives for the image */
	const vx_size across = in->width / (vx_uint32)h.cell_width, down = in->height / (vx_uint32)h.cell_height;
	const struct _vx_tensor_t magnitudes = words(2, across, down, 0);
	const struct _vx_tensor_t bins = words(3, across, down, (vx_size)h.num_bins);
	TRY(want_tensor(c, 1, &magnitudes));
	TRY(want_tensor(c, 2, &bins));
	/* vxHOGFeaturesNode: a vector for each window, of all histograms of all its blocks */
	const vx_size cells = (vx_size)(h.block_width / h.cell_width) * (vx_size)(h.block_height / h.cell_height);
	const struct _vx_tensor_t features =
		words(3, windows_across(&h, in), windows_down(&h, in), blocks_in(&h) * cells * (vx_size)h.num_bins);
	return gives_tensor(c, 4, &features);
}

static vx_status features_run(struct launch *l, const vx_reference *p)
{
	vx_image in = (vx_image)p[0];
	vx_hog_t h;
	TRY(item_read((vx_array)p[3], &h, sizeof h));
	launch_kernel(l, "tensor", TENSOR_OPTIONS, "hog_features");
	arg_walked(l, (vx_tensor)p[1]);
	arg_walked(l, (vx_tensor)p[2]);
	arg_walked(l, (vx_tensor)p[4]);
	args(l, STRUCT(h), INT((cl_int)in->width / h.cell_width), INT(windows_across(&h, in)));
	return launch_2d(l, blocks_in(&h), windows_across(&h, in) * windows_down(&h, in));
}

const struct vision_kernel vision_hog_features = {.check = features_check, .run = features_run};
