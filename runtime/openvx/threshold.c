/* Thresholds: values that pixels are compared with, and what comes of it (OpenVX 1.3, vx_threshold). */
#include "runtime/openvx/choice.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/launch.h"
#include "runtime/openvx/map.h"
#include <VX/vx_khr_opencl_interop.h>

/* ---- the class ---- */
/* vxCreateThresholdForImage: outputs of what is true, as long as the application sets no other; of what is false: 0 */
static const struct {
	vx_df_image format;
	vx_pixel_value_t value;
} true_values[] = {
	{VX_DF_IMAGE_RGB, {.RGB = {255, 255, 255}}},
	{VX_DF_IMAGE_RGBX, {.RGBX = {255, 255, 255, 255}}},
	{VX_DF_IMAGE_NV12, {.YUV = {255, 255, 255}}},
	{VX_DF_IMAGE_NV21, {.YUV = {255, 255, 255}}},
	{VX_DF_IMAGE_UYVY, {.YUV = {255, 255, 255}}},
	{VX_DF_IMAGE_YUYV, {.YUV = {255, 255, 255}}},
	{VX_DF_IMAGE_IYUV, {.YUV = {255, 255, 255}}},
	{VX_DF_IMAGE_YUV4, {.YUV = {255, 255, 255}}},
	{VX_DF_IMAGE_U1, {.U1 = vx_true_e}},
	{VX_DF_IMAGE_U8, {.U8 = 0xff}},
	{VX_DF_IMAGE_S16, {.S16 = -1}},
	{VX_DF_IMAGE_U16, {.U16 = 0xffff}},
	{VX_DF_IMAGE_S32, {.S32 = -1}},
	{VX_DF_IMAGE_U32, {.U32 = 0xffffffff}},
};

static vx_status threshold_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_threshold *p = prototype;
	/* vxCreateThresholdForImage: enum vx_threshold_type_e */
	if (p->threshold_type != VX_THRESHOLD_TYPE_BINARY && p->threshold_type != VX_THRESHOLD_TYPE_RANGE)
		return fail(scope->context, VX_ERROR_INVALID_TYPE, "a threshold of type 0x%x", p->threshold_type);
	/* vxCreateThresholdForImage: formats of images */
	if (!format_find(p->input_format) || !format_find(p->output_format))
		return fail(scope->context, VX_ERROR_INVALID_FORMAT, "a threshold from images of format 0x%x to 0x%x", p->input_format, p->output_format);
	return VX_SUCCESS;
}

static bool threshold_init(void *object)
{
	struct _vx_threshold *t = object;
	if (!store_open(&t->store, sizeof(struct threshold_values), true))
		return false;
	for (size_t i = 0; i < sizeof true_values / sizeof *true_values; i++)
		if (true_values[i].format == t->output_format)
			((struct threshold_values *)t->store.host)->true_value = true_values[i].value;
	return true;
}

/* Thresholds are values by which kernels are launched: nothing is launched for them. */
static vx_status threshold_choose(struct launch *l, const struct choice *c)
{
	const bool first = !c->condition || scalar_int(c->condition);
	const struct threshold_values *from = threshold_values((vx_threshold)(first ? c->a : c->b));
	if (!from)
		return VX_FAILURE;
	return l->status || l->dry ? l->status : store_write(l->context, &((vx_threshold)c->out)->store, 0, from, sizeof *from);
}

static const struct object_attribute attributes[] = {
	{META(VX_THRESHOLD_TYPE, _vx_threshold, threshold_type, TYPE)},
	{META(VX_THRESHOLD_INPUT_FORMAT, _vx_threshold, input_format, FORMAT)},
	{META(VX_THRESHOLD_OUTPUT_FORMAT, _vx_threshold, output_format, FORMAT)},
};

const struct object_class threshold_class = {
	.type = VX_TYPE_THRESHOLD, .name = "a threshold", .size = OBJECT_SIZE(_vx_threshold), ATTRIBUTES(attributes),
	.num_stores = 1, .stores = {offsetof(struct _vx_threshold, store)},
	.check = threshold_check, .init = threshold_init, .choose = threshold_choose,
};

/* ---- the API ---- */
CLASS_CREATE(vxCreateThresholdForImage, vxCreateVirtualThresholdForImage, threshold,
	     (vx_enum thresh_type, vx_df_image input_format, vx_df_image output_format),
	     .threshold_type = thresh_type, .input_format = input_format, .output_format = output_format)

CLASS_RELEASE(vxReleaseThreshold, threshold)
CLASS_QUERY(vxQueryThreshold, threshold)
CLASS_SET(vxSetThresholdAttribute, threshold)

/* ---- values ---- */
const struct threshold_values *threshold_values(vx_threshold t) { return store_value(t->reference.context, &t->store); }

/* One value from or to the application; of a buffer of OpenCL's it is the beginning. Nothing waits for a buffer: the host asks for
 * what came of one when it next launches a kernel by it. */
static vx_status value_copy(vx_threshold t, size_t offset, void *user, vx_enum usage, vx_enum memory)
{
	struct _vx_context *c = t->reference.context;
	const struct block value = {.offset = offset, .row = sizeof(vx_pixel_value_t)};
	const bool read = usage == VX_READ_ONLY;
	if (memory == VX_MEMORY_TYPE_HOST)
		return read ? store_read(c, &t->store, offset, user, value.row) : store_write(c, &t->store, offset, user, value.row);
	return data_copy(&t->reference, &value, NULL, user, usage, memory);
}

static vx_status value_check(vx_threshold t, const char *function, void *user, vx_enum usage, vx_enum memory)
{
	TRY(copy_check(&t->reference, function, user, usage, memory));
	/* vx_khr_opencl_interop, 2.4: a buffer of the context's that is large enough */
	if (memory == VX_MEMORY_TYPE_OPENCL_BUFFER && !device_owns(&t->reference.context->device, user, sizeof(vx_pixel_value_t)))
		return fail(t, VX_ERROR_INVALID_PARAMETERS, "%s: %p is not a buffer of the context's with %zu bytes", function,
			    user, sizeof(vx_pixel_value_t));
	return VX_SUCCESS;
}

static vx_status pair_copy(vx_threshold t, const char *function, const size_t offsets[2], void *const users[2], vx_enum usage,
			   vx_enum memory)
{
	for (unsigned i = 0; i < 2; i++)
		TRY(value_check(t, function, users[i], usage, memory));
	for (unsigned i = 0; i < 2; i++)
		TRY(value_copy(t, offsets[i], users[i], usage, memory));
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyThresholdValue(vx_threshold t, vx_pixel_value_t *value_ptr, vx_enum usage,
								  vx_enum user_mem_type)
{
	ENTER(t, VX_TYPE_THRESHOLD);
	/* vxCopyThresholdValue: of a threshold with one value */
	FAIL_IF(t->threshold_type != VX_THRESHOLD_TYPE_BINARY, t, VX_ERROR_NOT_COMPATIBLE, "vxCopyThresholdValue: a threshold with a range");
	TRY(value_check(t, "vxCopyThresholdValue", value_ptr, usage, user_mem_type));
	return value_copy(t, offsetof(struct threshold_values, value), value_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyThresholdRange(vx_threshold t, vx_pixel_value_t *lower_value_ptr,
								  vx_pixel_value_t *upper_value_ptr, vx_enum usage,
								  vx_enum user_mem_type)
{
	ENTER(t, VX_TYPE_THRESHOLD);
	/* vxCopyThresholdRange: of a threshold with two values */
	FAIL_IF(t->threshold_type != VX_THRESHOLD_TYPE_RANGE, t, VX_ERROR_NOT_COMPATIBLE, "vxCopyThresholdRange: a threshold with one value");
	static const size_t offsets[2] = {offsetof(struct threshold_values, lower), offsetof(struct threshold_values, upper)};
	return pair_copy(t, "vxCopyThresholdRange", offsets, (void *const[]){lower_value_ptr, upper_value_ptr}, usage,
			 user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyThresholdOutput(vx_threshold t, vx_pixel_value_t *true_value_ptr,
								   vx_pixel_value_t *false_value_ptr, vx_enum usage,
								   vx_enum user_mem_type)
{
	ENTER(t, VX_TYPE_THRESHOLD);
	static const size_t offsets[2] = {offsetof(struct threshold_values, true_value),
					  offsetof(struct threshold_values, false_value)};
	return pair_copy(t, "vxCopyThresholdOutput", offsets, (void *const[]){true_value_ptr, false_value_ptr}, usage,
			 user_mem_type);
}
