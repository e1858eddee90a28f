/* Kernels of pixels one by one, copies and selections, and operations on scalars. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/launch.h"
#include "runtime/openvx/pixel.h"
#include "runtime/openvx/user_data_object.h"
#include <float.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- images, pixel by pixel ---- */
static const vx_df_image only_u8[] = {VX_DF_IMAGE_U8, 0};
static const vx_df_image only_s16[] = {VX_DF_IMAGE_S16, 0};
static const vx_df_image u8_or_s16[] = {VX_DF_IMAGE_U8, VX_DF_IMAGE_S16, 0};
static const vx_df_image u8_or_u1[] = {VX_DF_IMAGE_U8, VX_DF_IMAGE_U1, 0};

/* An operation on the images p[0] and p[1], with a policy. */
#define PIXEL_PAIR(operation, result, conversion) \
	static void pixel_##operation(const vx_reference *p, struct pixel_operation *o) \
	{ \
		*o = (struct pixel_operation){ \
			.name = #operation, \
			.in = {(vx_image)p[0], (vx_image)p[1]}, .out = (vx_image)p[result], \
			.args = {.policy = (conversion)}, \
		}; \
	}

/* What all kernels of this file say: pixels depend on those in the same place, so borders do not matter. */
static vx_status pixel_by_pixel(struct check *c)
{
	valid_shrinks(c, 0, 0, 0, 0);
	return has_borders(c, true, true);
}

/* Two inputs of some formats, of the same size. */
static vx_status want_pair(struct check *c, unsigned a, unsigned b, const vx_df_image *formats)
{
	WANT(want_format_of(c, a, formats));
	WANT(want_format_of(c, b, formats));
	WANT(want_same_size(c, a, b));
	return pixel_by_pixel(c);
}

static vx_status gives_same_size(struct check *c, unsigned out, vx_reference like, vx_df_image format)
{
	const struct _vx_image *in = (vx_image)like;
	return gives_image(c, out, in->width, in->height, format);
}

/* ---- and, or, xor, min, max: in1, in2, out; not: input, output ---- */
static vx_status check_alike(struct check *c, const vx_reference *p, const vx_df_image *formats)
{
	WANT(want_pair(c, 0, 1, formats));
	WANT(want_same_format(c, 0, 1));
	return gives_same_size(c, 2, p[0], ((vx_image)p[0])->format);
}

/* vxAndNode, vxOrNode, vxXorNode: U8 or U1, all images of the same format and size */
static vx_status check_bitwise(struct check *c, const vx_reference *p) { return check_alike(c, p, u8_or_u1); }
PIXEL_PAIR(and, 2, VX_CONVERT_POLICY_WRAP)
PIXEL_PAIR(or, 2, VX_CONVERT_POLICY_WRAP)
PIXEL_PAIR(xor, 2, VX_CONVERT_POLICY_WRAP)

/* vxMinNode, vxMaxNode: U8 or S16, all images of the same format and size */
static vx_status check_min_max(struct check *c, const vx_reference *p) { return check_alike(c, p, u8_or_s16); }
PIXEL_PAIR(min, 2, VX_CONVERT_POLICY_WRAP)
PIXEL_PAIR(max, 2, VX_CONVERT_POLICY_WRAP)

static vx_status check_not(struct check *c, const vx_reference *p)
{
	/* vxNotNode: U8 or U1, both images of the same format and size */
	WANT(want_format_of(c, 0, u8_or_u1));
	WANT(pixel_by_pixel(c));
	return gives_same_size(c, 1, p[0], ((vx_image)p[0])->format);
}

static void pixel_not(const vx_reference *p, struct pixel_operation *o)
{
	*o = (struct pixel_operation){
		.name = "not",
		.in = {(vx_image)p[0]}, .out = (vx_image)p[1],
		.args = {.policy = VX_CONVERT_POLICY_WRAP},
	};
}

/* ---- absdiff: in1, in2, out; add, subtract: in1, in2, policy, out ---- */
/* The output of arithmetic on U8 and S16: U8 only of two U8. A virtual one that has no format gets the first of two. */
static vx_status gives_arithmetic(struct check *c, const vx_reference *p, unsigned out, const vx_df_image *of_two_u8)
{
	const struct _vx_image *a = (vx_image)p[0], *b = (vx_image)p[1];
	if (a->format == VX_DF_IMAGE_U8 && b->format == VX_DF_IMAGE_U8)
		return gives_image_of(c, out, a->width, a->height, of_two_u8);
	return gives_image(c, out, a->width, a->height, VX_DF_IMAGE_S16);
}

static vx_status check_absdiff(struct check *c, const vx_reference *p)
{
	/* vxAbsDiffNode: U8 and S16 in, S16 out; U8 of two U8 */
	WANT(want_pair(c, 0, 1, u8_or_s16));
	return gives_arithmetic(c, p, 2, u8_or_s16);
}

PIXEL_PAIR(absdiff, 2, VX_CONVERT_POLICY_SATURATE)

static const vx_df_image s16_or_u8[] = {VX_DF_IMAGE_S16, VX_DF_IMAGE_U8, 0};

static vx_status check_add(struct check *c, const vx_reference *p)
{
	/* vxAddNode, vxSubtractNode: U8 and S16 in, S16 out; U8 of two U8 when that is asked for */
	WANT(want_pair(c, 0, 1, u8_or_s16));
	WANT(want_enum(c, 2, VX_CONVERT_POLICY_WRAP, VX_CONVERT_POLICY_SATURATE));
	return gives_arithmetic(c, p, 3, s16_or_u8);
}

PIXEL_PAIR(add, 3, scalar_int((vx_scalar)p[2]))
PIXEL_PAIR(subtract, 3, scalar_int((vx_scalar)p[2]))

/* ---- multiply: in1, in2, scale, overflow_policy, rounding_policy, out ---- */
static vx_status check_multiply(struct check *c, const vx_reference *p)
{
	/* vxMultiplyNode: U8 and S16 in, S16 out; U8 of two U8 when that is asked for */
	WANT(want_pair(c, 0, 1, u8_or_s16));
	WANT(want_float(c, 2, 0.0f, FLT_MAX)); /* a scale that is not negative */
	WANT(want_enum(c, 3, VX_CONVERT_POLICY_WRAP, VX_CONVERT_POLICY_SATURATE));
	WANT(want_enum(c, 4, VX_ROUND_POLICY_TO_ZERO, VX_ROUND_POLICY_TO_NEAREST_EVEN));
	return gives_arithmetic(c, p, 5, s16_or_u8);
}

static bool is_power_of_two(vx_float32 scale)
{
	unsigned n = 0;
	while (n < 16 && scale != 1.0f / (vx_float32)(1u << n))
		n++;
	return n < 16;
}

static void pixel_multiply(const vx_reference *p, struct pixel_operation *o)
{
	vx_image a = (vx_image)p[0], b = (vx_image)p[1];
	const vx_float32 scale = scalar_float((vx_scalar)p[2]);
	/* The specification multiplies in double. A float does as well where products have 24 bits that no scale changes. */
	const bool float_will_do = is_power_of_two(scale) && (a->format == VX_DF_IMAGE_U8 || b->format == VX_DF_IMAGE_U8);
	*o = (struct pixel_operation){
		.name = float_will_do ? "multiply_float" : "multiply",
		.in = {a, b}, .out = (vx_image)p[5],
		.args = {
			.policy = scalar_int((vx_scalar)p[3]),
			.nearest = scalar_int((vx_scalar)p[4]) == VX_ROUND_POLICY_TO_NEAREST_EVEN,
			.factor = scale,
		},
	};
}

/* ---- weighted_average: img1, alpha, img2, output ---- */
static vx_status check_weighted_average(struct check *c, const vx_reference *p)
{
	/* vxWeightedAverageNode: U8 all, of the same size, and a float from 0 to 1 */
	WANT(want_pair(c, 0, 2, only_u8));
	WANT(want_float(c, 1, 0.0f, 1.0f));
	return gives_same_size(c, 3, p[0], VX_DF_IMAGE_U8);
}

static void pixel_weighted_average(const vx_reference *p, struct pixel_operation *o)
{
	*o = (struct pixel_operation){
		.name = "weighted_average",
		.in = {(vx_image)p[0], (vx_image)p[2]}, .out = (vx_image)p[3],
		.args = {.policy = VX_CONVERT_POLICY_SATURATE, .factor = scalar_float((vx_scalar)p[1])},
	};
}

/* ---- magnitude: grad_x, grad_y, mag; phase: grad_x, grad_y, orientation ---- */
static vx_status check_magnitude(struct check *c, const vx_reference *p)
{
	/* vxMagnitudeNode: S16 all, of the same size */
	WANT(want_pair(c, 0, 1, only_s16));
	return gives_same_size(c, 2, p[0], VX_DF_IMAGE_S16);
}

PIXEL_PAIR(magnitude, 2, VX_CONVERT_POLICY_SATURATE)

static vx_status check_phase(struct check *c, const vx_reference *p)
{
	/* vxPhaseNode: S16 in, U8 out, of the same size */
	WANT(want_pair(c, 0, 1, only_s16));
	return gives_same_size(c, 2, p[0], VX_DF_IMAGE_U8);
}

PIXEL_PAIR(phase, 2, VX_CONVERT_POLICY_WRAP)

/* ---- convertdepth: input, output, policy, shift ---- */
static const struct {
	vx_df_image from, to[3];
} depths[] = {
	{VX_DF_IMAGE_U8, {VX_DF_IMAGE_S16, VX_DF_IMAGE_U1}},
	{VX_DF_IMAGE_S16, {VX_DF_IMAGE_U8, VX_DF_IMAGE_U1}},
	{VX_DF_IMAGE_U1, {VX_DF_IMAGE_U8, VX_DF_IMAGE_S16}},
};

static vx_status check_convertdepth(struct check *c, const vx_reference *p)
{
	const struct _vx_image *in = (vx_image)p[0];
	/* vxConvertDepthNode: the pairs of formats that the table lists, a policy, and a shift */
	WANT(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_S16, VX_DF_IMAGE_U1));
	WANT(want_enum(c, 2, VX_CONVERT_POLICY_WRAP, VX_CONVERT_POLICY_SATURATE));
	WANT(want_scalar(c, 3, VX_TYPE_INT32));
	WANT(pixel_by_pixel(c));
	unsigned pair = 0;
	while (depths[pair].from != in->format)
		pair++;
	return gives_image_of(c, 1, in->width, in->height, depths[pair].to);
}

static void pixel_convertdepth(const vx_reference *p, struct pixel_operation *o)
{
	vx_image in = (vx_image)p[0], out = (vx_image)p[1];
	*o = (struct pixel_operation){.name = "convertdepth", .in = {in}, .out = out, .args = {.policy = VX_CONVERT_POLICY_WRAP}};
	/* No more than all bits. */
	const vx_int32 given = scalar_int((vx_scalar)p[3]), shift = given > 16 ? 16 : given < -16 ? -16 : given;
	if (in->format == VX_DF_IMAGE_U1 || out->format == VX_DF_IMAGE_U1) {
		o->name = "convertdepth_u1";
	} else if (out->format == VX_DF_IMAGE_S16) {
		o->args.shift = shift;
	} else {
		o->args.shift = -shift;
		o->args.policy = scalar_int((vx_scalar)p[2]);
	}
}

/* ---- threshold: input, thresh, output ---- */
static vx_status check_threshold(struct check *c, const vx_reference *p)
{
	const struct _vx_threshold *t = (vx_threshold)p[1];
	/* vxThresholdNode: U8 or S16, as the threshold has it */
	WANT(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_S16));
	if (t->input_format != ((vx_image)p[0])->format)
		return refuse(c, 1, VX_ERROR_INVALID_FORMAT, "it is for images of format %.4s", (const char *)&t->input_format);
	/* vxThresholdNode: U8 or U1 out, as the threshold has it */
	if (t->output_format != VX_DF_IMAGE_U8 && t->output_format != VX_DF_IMAGE_U1)
		return refuse(c, 1, VX_ERROR_INVALID_FORMAT, "it makes images of format %.4s", (const char *)&t->output_format);
	WANT(pixel_by_pixel(c));
	return gives_same_size(c, 2, p[0], t->output_format);
}

static cl_int pixel_of(const vx_pixel_value_t *v, vx_df_image format)
{
	const struct {
		vx_df_image format;
		cl_int value;
	} values[] = {
		{VX_DF_IMAGE_U8, v->U8},
		{VX_DF_IMAGE_S16, v->S16},
		{VX_DF_IMAGE_U1, v->U1 != 0},
	};
	unsigned i = 0;
	while (values[i].format != format)
		i++;
	return values[i].value;
}

static void pixel_threshold(const vx_reference *p, struct pixel_operation *o)
{
	const struct _vx_threshold *t = (vx_threshold)p[1];
	const struct threshold_values *v = threshold_values((vx_threshold)p[1]);
	const bool range = t->threshold_type == VX_THRESHOLD_TYPE_RANGE;
	if (!v)
		return;
	/* More than a value is a range as well. */
	*o = (struct pixel_operation){
		.name = "threshold",
		.in = {(vx_image)p[0]}, .out = (vx_image)p[2],
		.args = {
			.policy = VX_CONVERT_POLICY_WRAP,
			.lower = range ? pixel_of(&v->lower, t->input_format) : pixel_of(&v->value, t->input_format) + 1,
			.upper = range ? pixel_of(&v->upper, t->input_format) : INT32_MAX,
			.true_value = pixel_of(&v->true_value, t->output_format),
			.false_value = pixel_of(&v->false_value, t->output_format),
		},
	};
}

/* ---- table_lookup: input, lut, output ---- */
static vx_status check_table_lookup(struct check *c, const vx_reference *p)
{
	const struct _vx_image *in = (vx_image)p[0];
	const struct _vx_lut *lut = (vx_lut)p[1];
	/* vxTableLookupNode: U8 with a table of UINT8, or S16 with one of INT16; the output is like the input */
	WANT(want_format_of(c, 0, u8_or_s16));
	if (lut->data_type != (in->format == VX_DF_IMAGE_U8 ? VX_TYPE_UINT8 : VX_TYPE_INT16))
		return refuse(c, 1, VX_ERROR_INVALID_TYPE, "a table of %s for an image of format %.4s", type_name(lut->data_type),
			      (const char *)&in->format);
	WANT(pixel_by_pixel(c));
	return gives_same_size(c, 2, p[0], in->format);
}

static void pixel_table_lookup(const vx_reference *p, struct pixel_operation *o)
{
	vx_lut lut = (vx_lut)p[1];
	*o = (struct pixel_operation){
		.name = lut->data_type == VX_TYPE_UINT8 ? "table_lookup" : "table_lookup_s16",
		.in = {(vx_image)p[0]}, .store = &lut->store, .out = (vx_image)p[2],
		.args = {.policy = VX_CONVERT_POLICY_WRAP, .first = (cl_int)lut->offset, .count = (cl_int)lut->count},
	};
}

/* ---- copies: one of two data objects, by a condition that the device reads ---- */
struct choice {
	vx_scalar condition; /* NULL: a */
	vx_reference a, b, out;
};

/* A type of data objects. */
struct data_type {
	vx_enum type;
	/* Whether two have the same meta data. */
	bool (*same)(vx_reference, vx_reference);
	/* Makes parameter index, out, like another; NULL: it is, or is refused. */
	vx_status (*gives)(struct check *, unsigned index, vx_reference like, vx_reference out);
	vx_status (*choose)(struct launch *, const struct choice *);
};

static const struct data_type *data_type_of(vx_enum type);
static vx_status choose(struct launch *l, const struct choice *c) { return data_type_of(c->out->type)->choose(l, c); }

static void arg_condition(struct launch *l, const struct choice *c)
{
	if (c->condition)
		arg_store(l, &c->condition->store, false);
	else
		arg_mem(l, NULL);
}

/* The last arguments of select_rows, and its launch: rows of so many bytes, of pixels of so many. */
static vx_status launch_rows(struct launch *l, const struct choice *c, unsigned pixel, size_t row, size_t rows)
{
	arg_condition(l, c);
	arg_int(l, (cl_int)pixel);
	return launch_2d(l, (row + 15) / 16, rows);
}

/* Images: plane by plane. */
static vx_status choose_plane(struct launch *l, const struct choice *c, unsigned plane)
{
	vx_image out = (vx_image)c->out;
	const unsigned bits = out->info->plane[plane].bits;
	const struct plane *p = &out->planes[plane];
	launch_kernel(l, "pixelwise", "-DSELECT", bits == 1 ? "select_bits" : "select_rows");
	arg_plane(l, (vx_image)c->a, plane);
	arg_plane(l, (vx_image)c->b, plane);
	arg_plane(l, out, plane);
	if (bits > 1)
		return launch_rows(l, c, bits / 8, (size_t)p->width * bits / 8, p->height);
	arg_condition(l, c);
	return launch_2d(l, (p->width + 7) / 8, p->height);
}

static vx_status choose_image(struct launch *l, const struct choice *c)
{
	vx_status status = VX_SUCCESS;
	for (unsigned i = 0; !status && i < ((vx_image)c->out)->info->planes; i++)
		status = choose_plane(l, c, i);
	return status;
}

/* What lies in stores: store by store, each a row of bytes. */
static vx_status choose_store(struct launch *l, const struct choice *c, unsigned i)
{
	struct store *of_a[STORES_MAX], *of_b[STORES_MAX], *of_out[STORES_MAX];
	stores_of(c->a, of_a);
	stores_of(c->b, of_b);
	stores_of(c->out, of_out);
	struct store *a = of_a[i], *b = of_b[i], *out = of_out[i];
	const size_t bytes = a->size < out->size ? a->size : out->size;
	const struct plane_arg row = {.width = (cl_int)bytes, .height = 1, .stride_x = 1, .stride_y = (cl_int)bytes};
	if (!bytes)
		return l->status;
	launch_kernel(l, "pixelwise", "-DSELECT", "select_rows");
	arg_store(l, a, false);
	arg_bytes(l, &row, sizeof row);
	arg_store(l, b, false);
	arg_bytes(l, &row, sizeof row);
	arg_store(l, out, true);
	arg_bytes(l, &row, sizeof row);
	return launch_rows(l, c, 1, bytes, 1);
}

static vx_status choose_stores(struct launch *l, const struct choice *c)
{
	struct store *stores[STORES_MAX];
	const unsigned count = stores_of(c->out, stores);
	vx_status status = VX_SUCCESS;
	for (unsigned i = 0; !status && i < count; i++)
		status = choose_store(l, c, i);
	return status;
}

/* Tensors: all bytes at once where they lie together; else rows of dimension 0, as many as dimension 1 has, for each index of the
 * others. */
static bool is_packed(const struct _vx_tensor_t *t, size_t element)
{
	size_t stride = element;
	for (vx_size i = 0; i < t->num_dims; i++) {
		if (t->strides[i] != stride)
			return false;
		stride *= t->dims[i];
	}
	return true;
}

static size_t product(const vx_size *dims, vx_size from, vx_size to)
{
	size_t n = 1;
	for (vx_size i = from; i < to; i++)
		n *= dims[i];
	return n;
}

static void arg_slice(struct launch *l, vx_tensor t, size_t slice, size_t row, size_t rows)
{
	struct plane_arg at = {.width = (cl_int)row, .height = (cl_int)rows, .stride_x = 1};
	if (!l->status)
		l->status = tensor_allocate(t);
	if (t->num_dims > 1)
		at.stride_y = (cl_int)t->strides[1];
	size_t offset = t->offset;
	for (vx_size i = 2; i < t->num_dims; i++) {
		offset += slice % t->dims[i] * t->strides[i];
		slice /= t->dims[i];
	}
	at.offset = (cl_uint)offset;
	arg_mem(l, t->mem);
	arg_bytes(l, &at, sizeof at);
}

static vx_status choose_tensor(struct launch *l, const struct choice *c)
{
	vx_tensor a = (vx_tensor)c->a, b = (vx_tensor)c->b, out = (vx_tensor)c->out;
	const size_t element = type_size(l->context, out->data_type);
	const bool together = is_packed(a, element) && is_packed(b, element) && is_packed(out, element);
	const size_t row = element * (together ? product(out->dims, 0, out->num_dims) : out->dims[0]);
	const size_t rows = together || out->num_dims < 2 ? 1 : out->dims[1];
	const size_t slices = together ? 1 : product(out->dims, 2, out->num_dims);
	vx_status status = VX_SUCCESS;
	for (size_t i = 0; !status && i < slices; i++) {
		launch_kernel(l, "pixelwise", "-DSELECT", "select_rows");
		arg_slice(l, a, i, row, rows);
		arg_slice(l, b, i, row, rows);
		arg_slice(l, out, i, row, rows);
		status = launch_rows(l, c, 1, row, rows);
	}
	return status;
}

/* Thresholds are values by which kernels are launched: nothing is launched for them. */
static vx_status choose_threshold(struct launch *l, const struct choice *c)
{
	const bool first = !c->condition || scalar_int(c->condition);
	const struct threshold_values *from = threshold_values((vx_threshold)(first ? c->a : c->b));
	if (!from)
		return VX_FAILURE;
	return l->status || l->dry ? l->status : store_write(l->context, &((vx_threshold)c->out)->store, 0, from, sizeof *from);
}

static vx_status choose_pyramid(struct launch *l, const struct choice *c)
{
	vx_pyramid a = (vx_pyramid)c->a, b = (vx_pyramid)c->b, out = (vx_pyramid)c->out;
	vx_status status = VX_SUCCESS;
	for (vx_size i = 0; !status && i < out->num_levels; i++)
		status = choose(l, &(struct choice){
			c->condition,
			(vx_reference)a->levels[i], (vx_reference)b->levels[i], (vx_reference)out->levels[i],
		});
	return status;
}

static vx_status choose_items(struct launch *l, const struct choice *c)
{
	vx_object_array a = (vx_object_array)c->a, b = (vx_object_array)c->b, out = (vx_object_array)c->out;
	vx_status status = VX_SUCCESS;
	for (vx_size i = 0; !status && i < out->count; i++)
		status = choose(l, &(struct choice){c->condition, a->items[i], b->items[i], out->items[i]});
	return status;
}

/* ---- meta data ---- */
static bool same_image(vx_reference x, vx_reference y)
{
	const struct _vx_image *a = (vx_image)x, *b = (vx_image)y;
	return a->width == b->width && a->height == b->height && a->format == b->format;
}

static bool same_scalar(vx_reference a, vx_reference b) { return ((vx_scalar)a)->data_type == ((vx_scalar)b)->data_type; }

static bool same_array(vx_reference x, vx_reference y)
{
	const struct _vx_array *a = (vx_array)x, *b = (vx_array)y;
	return a->item_type == b->item_type && a->capacity == b->capacity;
}

static bool same_lut(vx_reference x, vx_reference y)
{
	const struct _vx_lut *a = (vx_lut)x, *b = (vx_lut)y;
	return a->data_type == b->data_type && a->count == b->count;
}

static bool same_distribution(vx_reference x, vx_reference y)
{
	const struct _vx_distribution *a = (vx_distribution)x, *b = (vx_distribution)y;
	return a->bins == b->bins && a->offset == b->offset && a->range == b->range;
}

static bool same_threshold(vx_reference x, vx_reference y)
{
	const struct _vx_threshold *a = (vx_threshold)x, *b = (vx_threshold)y;
	return a->threshold_type == b->threshold_type && a->input_format == b->input_format &&
	       a->output_format == b->output_format;
}

static bool same_matrix(vx_reference x, vx_reference y)
{
	const struct _vx_matrix *a = (vx_matrix)x, *b = (vx_matrix)y;
	return a->data_type == b->data_type && a->columns == b->columns && a->rows == b->rows;
}

static bool same_convolution(vx_reference x, vx_reference y)
{
	const struct _vx_convolution *a = (vx_convolution)x, *b = (vx_convolution)y;
	return a->columns == b->columns && a->rows == b->rows && a->scale == b->scale;
}

static bool same_pyramid(vx_reference x, vx_reference y)
{
	const struct _vx_pyramid *a = (vx_pyramid)x, *b = (vx_pyramid)y;
	return a->num_levels == b->num_levels && a->scale == b->scale && a->width == b->width && a->height == b->height &&
	       a->format == b->format;
}

static bool same_remap(vx_reference x, vx_reference y)
{
	const struct _vx_remap *a = (vx_remap)x, *b = (vx_remap)y;
	return a->source_width == b->source_width && a->source_height == b->source_height && a->width == b->width &&
	       a->height == b->height;
}

static bool same_tensor(vx_reference x, vx_reference y)
{
	const struct _vx_tensor_t *a = (vx_tensor)x, *b = (vx_tensor)y;
	bool same = a->num_dims == b->num_dims && a->data_type == b->data_type &&
		    a->fixed_point_position == b->fixed_point_position;
	for (vx_size i = 0; same && i < a->num_dims; i++)
		same = a->dims[i] == b->dims[i];
	return same;
}

static bool same_user_data_object(vx_reference x, vx_reference y)
{
	const struct _vx_user_data_object *a = (vx_user_data_object)x, *b = (vx_user_data_object)y;
	return a->store.size == b->store.size && !strcmp(a->type_name, b->type_name);
}

static bool same_object_array(vx_reference x, vx_reference y)
{
	const struct _vx_object_array *a = (vx_object_array)x, *b = (vx_object_array)y;
	const struct data_type *t = data_type_of(a->item_type);
	bool same = t && a->item_type == b->item_type && a->count == b->count;
	for (vx_size i = 0; same && i < a->count; i++)
		same = t->same(a->items[i], b->items[i]);
	return same;
}

static vx_status gives_like_image(struct check *c, unsigned index, vx_reference like, vx_reference out)
{
	const struct _vx_image *in = (vx_image)like;
	(void)out;
	return gives_image(c, index, in->width, in->height, in->format);
}

static vx_status gives_like_scalar(struct check *c, unsigned index, vx_reference like, vx_reference out)
{
	(void)out;
	return gives_scalar(c, index, ((vx_scalar)like)->data_type);
}

static vx_status gives_like_array(struct check *c, unsigned index, vx_reference like, vx_reference out)
{
	const struct _vx_array *in = (vx_array)like;
	WANT(gives_array(c, index, in->item_type, in->capacity));
	/* vxCopyNode, vxSelectNode: there is room for as many items as there may be */
	if (((vx_array)out)->capacity < in->capacity)
		return refuse(c, index, VX_ERROR_NOT_SUFFICIENT, "it has room for %zu items, the input for %zu",
			      ((vx_array)out)->capacity, in->capacity);
	return VX_SUCCESS;
}

static vx_status gives_like_tensor(struct check *c, unsigned index, vx_reference like, vx_reference out)
{
	const struct tensor_meta m = tensor_meta_of((vx_tensor)like);
	(void)out;
	return gives_tensor(c, index, &m);
}

static vx_status gives_like_pyramid(struct check *c, unsigned index, vx_reference like, vx_reference out)
{
	const struct _vx_pyramid *in = (vx_pyramid)like;
	(void)out;
	return gives_pyramid(c, index, in->num_levels, in->scale, in->width, in->height, in->format);
}

/* Images and pyramids of virtual object arrays may be open, too. */
static vx_status define_item(vx_reference like, vx_reference item)
{
	const struct _vx_image *image = (vx_image)like;
	const struct _vx_pyramid *pyramid = (vx_pyramid)like;
	switch (like->type) {
	case VX_TYPE_IMAGE: return image_define((vx_image)item, image->width, image->height, image->format);
	case VX_TYPE_PYRAMID: return pyramid_define((vx_pyramid)item, pyramid->width, pyramid->height, pyramid->format);
	default: return VX_SUCCESS;
	}
}

static vx_status gives_like_items(struct check *c, unsigned index, vx_reference like, vx_reference out)
{
	const struct _vx_object_array *a = (vx_object_array)like, *b = (vx_object_array)out;
	for (vx_size i = 0; a->item_type == b->item_type && i < a->count && i < b->count; i++)
		WANT(define_item(a->items[i], b->items[i]));
	/* vxCopyNode, vxSelectNode: as many items, with the same meta data */
	if (!same_object_array(like, out))
		return refuse(c, index, VX_ERROR_INVALID_PARAMETERS, "its items are not like those of the input");
	return VX_SUCCESS;
}

static const struct data_type data_types[] = {
	{.type = VX_TYPE_IMAGE, .same = same_image, .gives = gives_like_image, .choose = choose_image},
	{.type = VX_TYPE_PYRAMID, .same = same_pyramid, .gives = gives_like_pyramid, .choose = choose_pyramid},
	{.type = VX_TYPE_OBJECT_ARRAY, .same = same_object_array, .gives = gives_like_items, .choose = choose_items},
	{.type = VX_TYPE_TENSOR, .same = same_tensor, .gives = gives_like_tensor, .choose = choose_tensor},
	{.type = VX_TYPE_THRESHOLD, .same = same_threshold, .choose = choose_threshold},
	{VX_TYPE_SCALAR, same_scalar, gives_like_scalar, choose_stores},
	{VX_TYPE_ARRAY, same_array, gives_like_array, choose_stores},
	{VX_TYPE_LUT, same_lut, NULL, choose_stores},
	{VX_TYPE_DISTRIBUTION, same_distribution, NULL, choose_stores},
	{VX_TYPE_MATRIX, same_matrix, NULL, choose_stores},
	{VX_TYPE_CONVOLUTION, same_convolution, NULL, choose_stores},
	{VX_TYPE_REMAP, same_remap, NULL, choose_stores},
	{VX_TYPE_USER_DATA_OBJECT, same_user_data_object, NULL, choose_stores},
};

static const struct data_type *data_type_of(vx_enum type)
{
	for (size_t i = 0; i < sizeof data_types / sizeof *data_types; i++)
		if (data_types[i].type == type)
			return &data_types[i];
	return NULL;
}

/* Parameter out becomes, or is, what parameter like is. */
static vx_status gives_copy(struct check *c, const vx_reference *p, unsigned like, unsigned out)
{
	const struct data_type *t = data_type_of(p[like]->type);
	if (!t)
		return refuse(c, like, VX_ERROR_NOT_SUPPORTED, "objects of type %s are not copied", type_name(p[like]->type));
	/* vxCopyNode, vxSelectNode: objects of the same type */
	if (p[out]->type != p[like]->type)
		return refuse(c, out, VX_ERROR_INVALID_TYPE, "%s is not copied to %s", type_name(p[like]->type),
			      type_name(p[out]->type));
	WANT(pixel_by_pixel(c));
	if (t->gives)
		return t->gives(c, out, p[like], p[out]);
	/* vxCopyNode, vxSelectNode: with the same meta data */
	if (!t->same(p[like], p[out]))
		return refuse(c, out, VX_ERROR_INVALID_PARAMETERS, "its meta data are not those of the input");
	return VX_SUCCESS;
}

/* ---- copy: input, output ---- */
static vx_status check_copy(struct check *c, const vx_reference *p) { return gives_copy(c, p, 0, 1); }
static vx_status run_copy(struct launch *l, const vx_reference *p) { return choose(l, &(struct choice){NULL, p[0], p[0], p[1]}); }

/* A choice between images, where their pixels are values. */
static void choose_pixels(const struct choice *c, struct pixel_operation *o)
{
	if (c->out->type != VX_TYPE_IMAGE || !pixel_format_known(((vx_image)c->out)->format))
		return;
	*o = (struct pixel_operation){
		.name = c->condition ? "select" : "copy",
		.in = {(vx_image)c->a, c->condition ? (vx_image)c->b : NULL}, .out = (vx_image)c->out,
		.store = c->condition ? &c->condition->store : NULL,
		.args = {.policy = VX_CONVERT_POLICY_WRAP},
	};
}

static void pixel_copy(const vx_reference *p, struct pixel_operation *o)
{
	choose_pixels(&(struct choice){NULL, p[0], p[0], p[1]}, o);
}

/* ---- select: condition, true_value, false_value, output ---- */
static vx_status check_select(struct check *c, const vx_reference *p)
{
	/* vxSelectNode: a boolean condition */
	WANT(want_scalar(c, 0, VX_TYPE_BOOL));
	WANT(gives_copy(c, p, 1, 3));
	/* vxSelectNode: objects of the same type, with the same meta data */
	if (p[1]->type != p[2]->type)
		return refuse(c, 2, VX_ERROR_INVALID_TYPE, "%s, where the other value is %s", type_name(p[2]->type), type_name(p[1]->type));
	if (p[1]->type == VX_TYPE_IMAGE) {
		WANT(want_same_format(c, 1, 2));
		WANT(want_same_size(c, 1, 2));
	}
	if (!data_type_of(p[1]->type)->same(p[1], p[2]))
		return refuse(c, 2, VX_ERROR_INVALID_PARAMETERS, "its meta data are not those of the other value");
	return VX_SUCCESS;
}

static vx_status run_select(struct launch *l, const vx_reference *p)
{
	return choose(l, &(struct choice){(vx_scalar)p[0], p[1], p[2], p[3]});
}

static void pixel_select(const vx_reference *p, struct pixel_operation *o)
{
	choose_pixels(&(struct choice){(vx_scalar)p[0], p[1], p[2], p[3]}, o);
}

/* ---- scalar_operation: scalar_operation, a, b, output ---- */
/* How a type of scalars lies in memory: twin of scalar_layout_t in kernels/pixelwise.cl. */
struct scalar_layout {
	cl_int bytes, is_signed, is_real;
};

static const struct {
	vx_enum type;
	struct scalar_layout layout;
} scalar_types[] = {
	{VX_TYPE_BOOL, {sizeof(vx_bool), true, false}},
	{VX_TYPE_INT8, {sizeof(vx_int8), true, false}},
	{VX_TYPE_UINT8, {sizeof(vx_uint8), false, false}},
	{VX_TYPE_INT16, {sizeof(vx_int16), true, false}},
	{VX_TYPE_UINT16, {sizeof(vx_uint16), false, false}},
	{VX_TYPE_INT32, {sizeof(vx_int32), true, false}},
	{VX_TYPE_UINT32, {sizeof(vx_uint32), false, false}},
	{VX_TYPE_SIZE, {sizeof(vx_size), false, false}},
	{VX_TYPE_FLOAT32, {sizeof(vx_float32), true, true}},
};

static const struct scalar_layout *scalar_layout_of(vx_reference scalar)
{
	for (size_t i = 0; i < sizeof scalar_types / sizeof *scalar_types; i++)
		if (scalar_types[i].type == ((vx_scalar)scalar)->data_type)
			return &scalar_types[i].layout;
	return NULL;
}

static vx_status want_number(struct check *c, const vx_reference *p, unsigned index, bool real_too)
{
	const vx_enum type = ((vx_scalar)p[index])->data_type;
	/* vxScalarOperationNode: numbers of the types that it lists; integers for a modulus */
	if (type == VX_TYPE_BOOL || !scalar_layout_of(p[index]) || (type == VX_TYPE_FLOAT32 && !real_too))
		return refuse(c, index, VX_ERROR_INVALID_TYPE, "a scalar of %s", type_name(type));
	return VX_SUCCESS;
}

static vx_status check_scalar_operation(struct check *c, const vx_reference *p)
{
	WANT(want_scalar(c, 0, VX_TYPE_ENUM));
	const vx_enum operation = scalar_int((vx_scalar)p[0]);
	/* vxScalarOperationNode: an operation of vx_scalar_operation_e */
	if (operation < VX_SCALAR_OP_AND || operation > VX_SCALAR_OP_MAX)
		return refuse(c, 0, VX_ERROR_INVALID_VALUE, "there is no operation 0x%x", (unsigned)operation);
	WANT(pixel_by_pixel(c));
	/* vxScalarOperationNode: logic is of truth values */
	if (operation <= VX_SCALAR_OP_NAND) {
		WANT(want_scalar(c, 1, VX_TYPE_BOOL));
		WANT(want_scalar(c, 2, VX_TYPE_BOOL));
		return gives_scalar(c, 3, VX_TYPE_BOOL);
	}
	WANT(want_number(c, p, 1, operation != VX_SCALAR_OP_MODULUS));
	WANT(want_number(c, p, 2, operation != VX_SCALAR_OP_MODULUS));
	/* vxScalarOperationNode: a comparison gives a truth value, arithmetic a number of any type */
	if (operation <= VX_SCALAR_OP_GREATEREQ)
		return gives_scalar(c, 3, VX_TYPE_BOOL);
	WANT(want_number(c, p, 3, true));
	return gives_scalar(c, 3, ((vx_scalar)p[3])->data_type);
}

static vx_status run_scalar_operation(struct launch *l, const vx_reference *p)
{
	launch_kernel(l, "pixelwise", "-DSCALAR", "scalar_operation");
	arg_int(l, scalar_int((vx_scalar)p[0]) - VX_SCALAR_OP_AND);
	for (unsigned i = 1; i < 4; i++) {
		arg_store(l, &((vx_scalar)p[i])->store, i == 3);
		arg_bytes(l, scalar_layout_of(p[i]), sizeof(struct scalar_layout));
	}
	return launch_1d(l, 1);
}

const struct vision_kernel vision_absdiff = {.check = check_absdiff, .run = run_pixels, .pixel = pixel_absdiff};
const struct vision_kernel vision_and = {.check = check_bitwise, .run = run_pixels, .pixel = pixel_and};
const struct vision_kernel vision_or = {.check = check_bitwise, .run = run_pixels, .pixel = pixel_or};
const struct vision_kernel vision_xor = {.check = check_bitwise, .run = run_pixels, .pixel = pixel_xor};
const struct vision_kernel vision_not = {.check = check_not, .run = run_pixels, .pixel = pixel_not};
const struct vision_kernel vision_add = {.check = check_add, .run = run_pixels, .pixel = pixel_add};
const struct vision_kernel vision_subtract = {.check = check_add, .run = run_pixels, .pixel = pixel_subtract};
const struct vision_kernel vision_multiply = {.check = check_multiply, .run = run_pixels, .pixel = pixel_multiply};
const struct vision_kernel vision_weighted_average = {.check = check_weighted_average, .run = run_pixels, .pixel = pixel_weighted_average};
const struct vision_kernel vision_min = {.check = check_min_max, .run = run_pixels, .pixel = pixel_min};
const struct vision_kernel vision_max = {.check = check_min_max, .run = run_pixels, .pixel = pixel_max};
const struct vision_kernel vision_magnitude = {.check = check_magnitude, .run = run_pixels, .pixel = pixel_magnitude};
const struct vision_kernel vision_phase = {.check = check_phase, .run = run_pixels, .pixel = pixel_phase};
const struct vision_kernel vision_convertdepth = {.check = check_convertdepth, .run = run_pixels, .pixel = pixel_convertdepth};
const struct vision_kernel vision_threshold = {.check = check_threshold, .run = run_pixels, .pixel = pixel_threshold};
const struct vision_kernel vision_table_lookup = {.check = check_table_lookup, .run = run_pixels, .pixel = pixel_table_lookup};
const struct vision_kernel vision_copy = {.check = check_copy, .run = run_copy, .pixel = pixel_copy};
const struct vision_kernel vision_select = {.check = check_select, .run = run_select, .pixel = pixel_select};
const struct vision_kernel vision_scalar_operation = {.check = check_scalar_operation, .run = run_scalar_operation};
