/* The kernel bilateral_filter, of tensors. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/launch.h"

/* Twin of tensor_t in filters.cl. */
struct tensor_arg {
	cl_uint offset;
	cl_int values, width, height;
	cl_int stride_value, stride_x, stride_y;
};

static void pass_tensor(struct launch *l, vx_tensor t)
{
	/* Bilateral Filter: width and height are the last dimensions; one before them is for the values of a place */
	const vx_size x = t->num_dims - 2, y = t->num_dims - 1;
	const struct tensor_arg a = {
		.offset = (cl_uint)t->offset,
		.values = x ? (cl_int)t->dims[0] : 1,
		.width = (cl_int)t->dims[x],
		.height = (cl_int)t->dims[y],
		.stride_value = x ? (cl_int)t->strides[0] : 0,
		.stride_x = (cl_int)t->strides[x],
		.stride_y = (cl_int)t->strides[y],
	};
	args(l, TENSOR(t), STRUCT(a));
}

static vx_status want_sigma(struct check *c, unsigned index, vx_reference scalar)
{
	TRY(want_scalar(c, index, VX_TYPE_FLOAT32));
	const vx_float32 sigma = scalar_float((vx_scalar)scalar);
	/* vxBilateralFilterNode: sigmas are greater than 0, and 20 at most */
	REFUSE_IF(!(sigma > 0.0f && sigma <= 20.0f), c, index, VX_ERROR_INVALID_VALUE, "a sigma of %g", (double)sigma);
	return VX_SUCCESS;
}

static vx_status bilateral_check(struct check *c, const vx_reference *p)
{
	vx_tensor in = (vx_tensor)p[0];
	/* vxBilateralFilterNode: tensors of VX_TYPE_UINT8 or VX_TYPE_INT16 with two or three dimensions */
	if (in->data_type != VX_TYPE_UINT8 && in->data_type != VX_TYPE_INT16)
		return refuse(c, 0, VX_ERROR_INVALID_TYPE, "a tensor of %s", type_name(in->data_type));
	if (in->num_dims < 2 || in->num_dims > 3)
		return refuse(c, 0, VX_ERROR_INVALID_DIMENSION, "a tensor of %zu dimensions: 2 and 3 are known", in->num_dims);
	TRY(want_sizes(c, 0));
	/* vxBilateralFilterNode: an odd diameter between 3 and 10 */
	TRY(want_int(c, 1, VX_TYPE_INT32, "a diameter of", "", 5, 7, 9));
	TRY(want_sigma(c, 2, p[2]));
	TRY(want_sigma(c, 3, p[3]));
	/* vxBilateralFilterNode: type and size of the input */
	return gives_tensor(c, 4, in);
}

static vx_status bilateral_run(struct launch *l, const vx_reference *p)
{
	vx_tensor in = (vx_tensor)p[0];
	const bool is_bytes = in->data_type == VX_TYPE_UINT8;
	const cl_int radius = scalar_int((vx_scalar)p[1]) / 2, side = 2 * radius + 1;
	const vx_float32 sigma_space = scalar_float((vx_scalar)p[2]), sigma_values = scalar_float((vx_scalar)p[3]);
	/* exp(-x * x / 2) is no float but 0 from 14.5 on */
	const cl_int limit = (cl_int)(sigma_values * 14.5f) + 2;
	const size_t count = (size_t)side * (size_t)side + (size_t)limit;
	cl_mem weights = launch_scratch(l, 0, count * sizeof(cl_float));

	launch_kernel(l, "filters", "", "bilateral_weights", MEM(weights), INT(radius), FLOAT(sigma_space), FLOAT(sigma_values));
	launch_1d(l, count);

	launch_kernel(l, "filters", "", is_bytes ? "bilateral_u8" : "bilateral_s16");
	pass_tensor(l, in);
	pass_tensor(l, (vx_tensor)p[4]);
	args(l, MEM(weights), INT(radius), INT(limit), BORDER(is_bytes ? VX_DF_IMAGE_U8 : VX_DF_IMAGE_S16));
	return launch_2d(l, in->dims[in->num_dims - 2], in->dims[in->num_dims - 1]);
}

const struct vision_kernel vision_bilateral_filter = {.check = bilateral_check, .run = bilateral_run, .any_border = true};
