/* Thresholds: values that pixels are compared with, and what comes of it (OpenVX 1.3, vx_threshold). */
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/map.h"
#include <VX/vx_khr_opencl_interop.h>

static bool threshold_is(vx_threshold t) { return object_is(t, VX_TYPE_THRESHOLD); }

/* ---- life ---- */
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

vx_threshold threshold_create(struct _vx_context *c, struct _vx_reference *scope, vx_enum type, vx_df_image input,
			      vx_df_image output, bool is_virtual)
{
	struct _vx_threshold *t = object_create(c, VX_TYPE_THRESHOLD, sizeof *t, scope, stores_destroy);
	if (!t)
		return NULL;
	if (!store_open(&t->store, sizeof(struct threshold_values), true))
		return undone(t);
	t->reference.is_virtual = is_virtual;
	t->threshold_type = type;
	t->input_format = input;
	t->output_format = output;
	for (size_t i = 0; i < sizeof true_values / sizeof *true_values; i++)
		if (true_values[i].format == output)
			((struct threshold_values *)t->store.host)->true_value = true_values[i].value;
	return t;
}

static vx_threshold threshold_new(struct _vx_context *c, struct _vx_reference *scope, vx_enum type, vx_df_image input,
				  vx_df_image output, bool is_virtual)
{
	/* vxCreateThresholdForImage: enum vx_threshold_type_e */
	if (type != VX_THRESHOLD_TYPE_BINARY && type != VX_THRESHOLD_TYPE_RANGE)
		return refused(c, fail(c, VX_ERROR_INVALID_TYPE, "a threshold of type 0x%x", type));
	/* vxCreateThresholdForImage: formats of images */
	if (!format_find(input) || !format_find(output))
		return refused(c, fail(c, VX_ERROR_INVALID_FORMAT, "a threshold from images of format 0x%x to 0x%x", input,
				       output));
	return created(c, threshold_create(c, scope, type, input, output, is_virtual));
}

VX_API_ENTRY VX_EXPORT vx_threshold VX_API_CALL vxCreateThresholdForImage(vx_context c, vx_enum thresh_type,
									  vx_df_image input_format, vx_df_image output_format)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	return threshold_new(c, &c->reference, thresh_type, input_format, output_format, false);
}

VX_API_ENTRY VX_EXPORT vx_threshold VX_API_CALL vxCreateVirtualThresholdForImage(vx_graph graph, vx_enum thresh_type,
										 vx_df_image input_format,
										 vx_df_image output_format)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	return threshold_new(c, &graph->reference, thresh_type, input_format, output_format, true);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseThreshold(vx_threshold *thresh)
{
	return object_release((vx_reference *)thresh, VX_TYPE_THRESHOLD);
}

/* ---- attributes ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryThreshold(vx_threshold t, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(t, VX_TYPE_THRESHOLD, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetThresholdAttribute(vx_threshold t, vx_enum attribute, const void *ptr,
								     vx_size size)
{
	(void)ptr;
	(void)size;
	if (!threshold_is(t))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSetThresholdAttribute: not a threshold");
	LOCKED(t->reference.context);
	/* enum vx_threshold_attribute_e: all of them are read only */
	return attribute_unknown(t, attribute);
}

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
	return store_copy_part(&t->reference, &t->store, &value, NULL, user, usage, memory);
}

static vx_status value_check(vx_threshold t, const char *function, void *user, vx_enum usage, vx_enum memory)
{
	const vx_status status = copy_check(&t->reference, function, user, usage, memory);
	if (status)
		return status;
	/* vx_khr_opencl_interop, 2.4: a buffer of the context's that is large enough */
	if (memory == VX_MEMORY_TYPE_OPENCL_BUFFER && !device_owns(&t->reference.context->device, user, sizeof(vx_pixel_value_t)))
		return fail(t, VX_ERROR_INVALID_PARAMETERS, "%s: %p is not a buffer of the context's with %zu bytes", function,
			    user, sizeof(vx_pixel_value_t));
	return VX_SUCCESS;
}

static vx_status pair_copy(vx_threshold t, const char *function, const size_t offsets[2], void *const users[2], vx_enum usage,
			   vx_enum memory)
{
	vx_status status = VX_SUCCESS;
	for (unsigned i = 0; !status && i < 2; i++)
		status = value_check(t, function, users[i], usage, memory);
	for (unsigned i = 0; !status && i < 2; i++)
		status = value_copy(t, offsets[i], users[i], usage, memory);
	return status;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyThresholdValue(vx_threshold t, vx_pixel_value_t *value_ptr, vx_enum usage,
								  vx_enum user_mem_type)
{
	if (!threshold_is(t))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxCopyThresholdValue: not a threshold");
	LOCKED(t->reference.context);
	/* vxCopyThresholdValue: of a threshold with one value */
	if (t->threshold_type != VX_THRESHOLD_TYPE_BINARY)
		return fail(t, VX_ERROR_NOT_COMPATIBLE, "vxCopyThresholdValue: a threshold with a range");
	const vx_status status = value_check(t, "vxCopyThresholdValue", value_ptr, usage, user_mem_type);
	return status ? status : value_copy(t, offsetof(struct threshold_values, value), value_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyThresholdRange(vx_threshold t, vx_pixel_value_t *lower_value_ptr,
								  vx_pixel_value_t *upper_value_ptr, vx_enum usage,
								  vx_enum user_mem_type)
{
	if (!threshold_is(t))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxCopyThresholdRange: not a threshold");
	LOCKED(t->reference.context);
	/* vxCopyThresholdRange: of a threshold with two values */
	if (t->threshold_type != VX_THRESHOLD_TYPE_RANGE)
		return fail(t, VX_ERROR_NOT_COMPATIBLE, "vxCopyThresholdRange: a threshold with one value");
	static const size_t offsets[2] = {offsetof(struct threshold_values, lower), offsetof(struct threshold_values, upper)};
	return pair_copy(t, "vxCopyThresholdRange", offsets, (void *const[]){lower_value_ptr, upper_value_ptr}, usage,
			 user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyThresholdOutput(vx_threshold t, vx_pixel_value_t *true_value_ptr,
								   vx_pixel_value_t *false_value_ptr, vx_enum usage,
								   vx_enum user_mem_type)
{
	if (!threshold_is(t))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxCopyThresholdOutput: not a threshold");
	LOCKED(t->reference.context);
	static const size_t offsets[2] = {offsetof(struct threshold_values, true_value),
					  offsetof(struct threshold_values, false_value)};
	return pair_copy(t, "vxCopyThresholdOutput", offsets, (void *const[]){true_value_ptr, false_value_ptr}, usage,
			 user_mem_type);
}
