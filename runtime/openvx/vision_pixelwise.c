/* Kernels of pixels one by one, and operations on scalars. */
#include "runtime/openvx/check.h"
#include "runtime/openvx/launch.h"
#include "runtime/openvx/pixel.h"
#include <float.h>

/* ---- images, pixel by pixel ---- */
static const vx_df_image only_u8[] = {VX_DF_IMAGE_U8, 0};
static const vx_df_image only_s16[] = {VX_DF_IMAGE_S16, 0};
static const vx_df_image u8_or_s16[] = {VX_DF_IMAGE_U8, VX_DF_IMAGE_S16, 0};
static const vx_df_image u8_or_u1[] = {VX_DF_IMAGE_U8, VX_DF_IMAGE_U1, 0};

/* A kernel of pixels by its name in kernels.tsv. Pixels depend on those in the same place, so borders do not matter. */
#define PIXEL_KERNEL(operation, checks) \
	const struct vision_kernel vision_##operation = {.check = (checks), .run = run_pixels, .pixel = pixel_##operation, .any_border = true};
/* And of an operation on the images p[0] and p[1], with a policy. */
#define PIXEL_PAIR(operation, checks, result, conversion) \
	static void pixel_##operation(const vx_reference *p, struct pixel_operation *o) \
	{ \
		*o = (struct pixel_operation){ \
			.name = #operation, \
			.in = {(vx_image)p[0], (vx_image)p[1]}, .out = (vx_image)p[result], \
			.args = {.policy = (conversion)}, \
		}; \
	} \
	PIXEL_KERNEL(operation, checks)

/* Two inputs of some formats, of the same size. */
static vx_status want_pair(struct check *c, unsigned a, unsigned b, const vx_df_image *formats)
{
	TRY(want_format_of(c, a, formats));
	TRY(want_format_of(c, b, formats));
	return want_same_size(c, a, b);
}

static vx_status gives_same_size(struct check *c, unsigned out, vx_reference like, vx_df_image format)
{
	const struct _vx_image *in = (vx_image)like;
	return gives_image(c, out, in->width, in->height, format);
}

/* ---- and, or, xor, min, max: in1, in2, out; not: input, output ---- */
static vx_status check_alike(struct check *c, const vx_reference *p, const vx_df_image *formats)
{
	TRY(want_pair(c, 0, 1, formats));
	TRY(want_same_format(c, 0, 1));
	return gives_same_size(c, 2, p[0], ((vx_image)p[0])->format);
}

/* vxAndNode, vxOrNode, vxXorNode: U8 or U1, all images of the same format and size */
static vx_status check_bitwise(struct check *c, const vx_reference *p) { return check_alike(c, p, u8_or_u1); }
PIXEL_PAIR(and, check_bitwise, 2, VX_CONVERT_POLICY_WRAP)
PIXEL_PAIR(or, check_bitwise, 2, VX_CONVERT_POLICY_WRAP)
PIXEL_PAIR(xor, check_bitwise, 2, VX_CONVERT_POLICY_WRAP)

/* vxMinNode, vxMaxNode: U8 or S16, all images of the same format and size */
static vx_status check_min_max(struct check *c, const vx_reference *p) { return check_alike(c, p, u8_or_s16); }
PIXEL_PAIR(min, check_min_max, 2, VX_CONVERT_POLICY_WRAP)
PIXEL_PAIR(max, check_min_max, 2, VX_CONVERT_POLICY_WRAP)

static vx_status check_not(struct check *c, const vx_reference *p)
{
	/* vxNotNode: U8 or U1, both images of the same format and size */
	TRY(want_format_of(c, 0, u8_or_u1));
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
	TRY(want_pair(c, 0, 1, u8_or_s16));
	return gives_arithmetic(c, p, 2, u8_or_s16);
}

PIXEL_PAIR(absdiff, check_absdiff, 2, VX_CONVERT_POLICY_SATURATE)

static const vx_df_image s16_or_u8[] = {VX_DF_IMAGE_S16, VX_DF_IMAGE_U8, 0};

static vx_status check_add(struct check *c, const vx_reference *p)
{
	/* vxAddNode, vxSubtractNode: U8 and S16 in, S16 out; U8 of two U8 when that is asked for */
	TRY(want_pair(c, 0, 1, u8_or_s16));
	TRY(want_enum(c, 2, VX_CONVERT_POLICY_WRAP, VX_CONVERT_POLICY_SATURATE));
	return gives_arithmetic(c, p, 3, s16_or_u8);
}

PIXEL_PAIR(add, check_add, 3, scalar_int((vx_scalar)p[2]))
PIXEL_PAIR(subtract, check_add, 3, scalar_int((vx_scalar)p[2]))

/* ---- multiply: in1, in2, scale, overflow_policy, rounding_policy, out ---- */
static vx_status check_multiply(struct check *c, const vx_reference *p)
{
	/* vxMultiplyNode: U8 and S16 in, S16 out; U8 of two U8 when that is asked for */
	TRY(want_pair(c, 0, 1, u8_or_s16));
	TRY(want_float(c, 2, 0.0f, FLT_MAX)); /* a scale that is not negative */
	TRY(want_enum(c, 3, VX_CONVERT_POLICY_WRAP, VX_CONVERT_POLICY_SATURATE));
	TRY(want_enum(c, 4, VX_ROUND_POLICY_TO_ZERO, VX_ROUND_POLICY_TO_NEAREST_EVEN));
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
	TRY(want_pair(c, 0, 2, only_u8));
	TRY(want_float(c, 1, 0.0f, 1.0f));
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
static vx_status check_gradients(struct check *c, const vx_reference *p, vx_df_image format)
{
	TRY(want_pair(c, 0, 1, only_s16));
	return gives_same_size(c, 2, p[0], format);
}

/* vxMagnitudeNode: S16 all, of the same size; vxPhaseNode: S16 in, U8 out, of the same size */
static vx_status check_magnitude(struct check *c, const vx_reference *p) { return check_gradients(c, p, VX_DF_IMAGE_S16); }
static vx_status check_phase(struct check *c, const vx_reference *p) { return check_gradients(c, p, VX_DF_IMAGE_U8); }
PIXEL_PAIR(magnitude, check_magnitude, 2, VX_CONVERT_POLICY_SATURATE)
PIXEL_PAIR(phase, check_phase, 2, VX_CONVERT_POLICY_WRAP)

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
	TRY(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_S16, VX_DF_IMAGE_U1));
	TRY(want_enum(c, 2, VX_CONVERT_POLICY_WRAP, VX_CONVERT_POLICY_SATURATE));
	TRY(want_scalar(c, 3, VX_TYPE_INT32));
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
	TRY(want_format(c, 0, VX_DF_IMAGE_U8, VX_DF_IMAGE_S16));
	if (t->input_format != ((vx_image)p[0])->format)
		return refuse(c, 1, VX_ERROR_INVALID_FORMAT, "it is for images of format %.4s", (const char *)&t->input_format);
	/* vxThresholdNode: U8 or U1 out, as the threshold has it */
	if (t->output_format != VX_DF_IMAGE_U8 && t->output_format != VX_DF_IMAGE_U1)
		return refuse(c, 1, VX_ERROR_INVALID_FORMAT, "it makes images of format %.4s", (const char *)&t->output_format);
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
	TRY(want_format_of(c, 0, u8_or_s16));
	if (lut->data_type != (in->format == VX_DF_IMAGE_U8 ? VX_TYPE_UINT8 : VX_TYPE_INT16))
		return refuse(c, 1, VX_ERROR_INVALID_TYPE, "a table of %s for an image of format %.4s", type_name(lut->data_type),
			      (const char *)&in->format);
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

/* ---- scalar_operation: scalar_operation, a, b, output ---- */
/* How a type of scalars lies in memory: twin of scalar_layout_t in kernels/pixelwise.cl. */
struct scalar_layout {
	cl_int bytes, is_signed, is_real;
};

static vx_status want_number(struct check *c, const vx_reference *p, unsigned index, bool real_too)
{
	static const vx_enum numbers[] = {VX_TYPE_INT8, VX_TYPE_UINT8, VX_TYPE_INT16, VX_TYPE_UINT16, VX_TYPE_INT32, VX_TYPE_UINT32,
					  VX_TYPE_SIZE, VX_TYPE_FLOAT32};
	const vx_enum type = ((vx_scalar)p[index])->data_type;
	/* vxScalarOperationNode: numbers of the types that it lists; integers for a modulus */
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (numbers[i] == type && (type != VX_TYPE_FLOAT32 || real_too))
			return VX_SUCCESS;
	return refuse(c, index, VX_ERROR_INVALID_TYPE, "a scalar of %s", type_name(type));
}

static vx_status check_scalar_operation(struct check *c, const vx_reference *p)
{
	TRY(want_scalar(c, 0, VX_TYPE_ENUM));
	const vx_enum operation = scalar_int((vx_scalar)p[0]);
	/* vxScalarOperationNode: an operation of vx_scalar_operation_e */
	if (operation < VX_SCALAR_OP_AND || operation > VX_SCALAR_OP_MAX)
		return refuse(c, 0, VX_ERROR_INVALID_VALUE, "there is no operation 0x%x", (unsigned)operation);
	/* vxScalarOperationNode: logic is of truth values */
	if (operation <= VX_SCALAR_OP_NAND) {
		TRY(want_scalar(c, 1, VX_TYPE_BOOL));
		TRY(want_scalar(c, 2, VX_TYPE_BOOL));
		return gives_scalar(c, 3, VX_TYPE_BOOL);
	}
	TRY(want_number(c, p, 1, operation != VX_SCALAR_OP_MODULUS));
	TRY(want_number(c, p, 2, operation != VX_SCALAR_OP_MODULUS));
	/* vxScalarOperationNode: a comparison gives a truth value, arithmetic a number of any type */
	if (operation <= VX_SCALAR_OP_GREATEREQ)
		return gives_scalar(c, 3, VX_TYPE_BOOL);
	TRY(want_number(c, p, 3, true));
	return gives_scalar(c, 3, ((vx_scalar)p[3])->data_type);
}

static vx_status run_scalar_operation(struct launch *l, const vx_reference *p)
{
	launch_kernel(l, "pixelwise", "-DSCALAR", "scalar_operation", INT(scalar_int((vx_scalar)p[0]) - VX_SCALAR_OP_AND));
	for (unsigned i = 1; i < 4; i++) {
		const vx_scalar s = (vx_scalar)p[i];
		const enum type_kind kind = type_kind(s->data_type);
		const struct scalar_layout layout = {(cl_int)s->store.size, kind != TYPE_UNSIGNED, kind == TYPE_REAL};
		set_args(l, &(const struct arg){i == 3 ? ARG_WRITTEN : ARG_STORE, .store = &s->store}, 1);
		args(l, STRUCT(layout));
	}
	return launch_1d(l, 1);
}

PIXEL_KERNEL(not, check_not)
PIXEL_KERNEL(multiply, check_multiply)
PIXEL_KERNEL(weighted_average, check_weighted_average)
PIXEL_KERNEL(convertdepth, check_convertdepth)
PIXEL_KERNEL(threshold, check_threshold)
PIXEL_KERNEL(table_lookup, check_table_lookup)
const struct vision_kernel vision_scalar_operation = {.check = check_scalar_operation, .run = run_scalar_operation, .any_border = true};
