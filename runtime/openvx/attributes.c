/* Attributes of data objects (OpenVX 1.3, enums vx_..._attribute_e). */
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/delay.h"
#include "runtime/openvx/user_data_object.h"
#include <stddef.h>
#include <string.h>

/* ---- values that do not lie in an object as they are asked for ---- */
union found {
	vx_size size;
	vx_uint32 number;
	vx_bool truth;
};

static void array_items(void *object, union found *out) { out->size = array_length(object); }

static void distribution_dimensions(void *object, union found *out)
{
	(void)object;
	out->size = 1;
}

/* VX_DISTRIBUTION_WINDOW: values in a bin; 0 when bins are not of the same width */
static void distribution_window(void *object, union found *out)
{
	const struct _vx_distribution *d = object;
	out->number = d->range % d->bins ? 0 : (vx_uint32)(d->range / d->bins);
}

static void image_planes(void *object, union found *out)
{
	const struct format *info = ((vx_image)object)->info;
	out->size = info ? info->planes : 0;
}

static void image_uniform(void *object, union found *out) { out->truth = ((vx_image)object)->is_uniform ? vx_true_e : vx_false_e; }

/* ---- all attributes; which type has one, its number says ---- */
static const struct attribute {
	vx_enum attribute;
	size_t size, offset;                          /* of the value, in the object */
	void (*find)(void *object, union found *out); /* where it does not lie there */
} attributes[] = {
#define ROW(attribute, object, member) {attribute, sizeof((struct object *)0)->member, offsetof(struct object, member), NULL}
#define FOUND(attribute, type, find) {attribute, sizeof(type), 0, find}
	ROW(VX_ARRAY_ITEMTYPE, _vx_array, item_type),
	FOUND(VX_ARRAY_NUMITEMS, vx_size, array_items),
	ROW(VX_ARRAY_CAPACITY, _vx_array, capacity),
	ROW(VX_ARRAY_ITEMSIZE, _vx_array, item_size),
	ROW(VX_CONVOLUTION_ROWS, _vx_convolution, rows),
	ROW(VX_CONVOLUTION_COLUMNS, _vx_convolution, columns),
	ROW(VX_CONVOLUTION_SCALE, _vx_convolution, scale),
	ROW(VX_CONVOLUTION_SIZE, _vx_convolution, store.size),
	ROW(VX_DELAY_TYPE, _vx_delay, type),
	ROW(VX_DELAY_SLOTS, _vx_delay, count),
	FOUND(VX_DISTRIBUTION_DIMENSIONS, vx_size, distribution_dimensions),
	ROW(VX_DISTRIBUTION_OFFSET, _vx_distribution, offset),
	ROW(VX_DISTRIBUTION_RANGE, _vx_distribution, range),
	ROW(VX_DISTRIBUTION_BINS, _vx_distribution, bins),
	FOUND(VX_DISTRIBUTION_WINDOW, vx_uint32, distribution_window),
	ROW(VX_DISTRIBUTION_SIZE, _vx_distribution, store.size),
	ROW(VX_IMAGE_WIDTH, _vx_image, width),
	ROW(VX_IMAGE_HEIGHT, _vx_image, height),
	ROW(VX_IMAGE_FORMAT, _vx_image, format),
	FOUND(VX_IMAGE_PLANES, vx_size, image_planes),
	ROW(VX_IMAGE_SPACE, _vx_image, space),
	ROW(VX_IMAGE_RANGE, _vx_image, range),
	ROW(VX_IMAGE_MEMORY_TYPE, _vx_image, memory),
	FOUND(VX_IMAGE_IS_UNIFORM, vx_bool, image_uniform),
	ROW(VX_IMAGE_UNIFORM_VALUE, _vx_image, uniform),
	ROW(VX_LUT_TYPE, _vx_lut, data_type),
	ROW(VX_LUT_COUNT, _vx_lut, count),
	ROW(VX_LUT_SIZE, _vx_lut, store.size),
	ROW(VX_LUT_OFFSET, _vx_lut, offset),
	ROW(VX_MATRIX_TYPE, _vx_matrix, data_type),
	ROW(VX_MATRIX_ROWS, _vx_matrix, rows),
	ROW(VX_MATRIX_COLUMNS, _vx_matrix, columns),
	ROW(VX_MATRIX_SIZE, _vx_matrix, store.size),
	ROW(VX_MATRIX_ORIGIN, _vx_matrix, origin),
	ROW(VX_MATRIX_PATTERN, _vx_matrix, pattern),
	ROW(VX_OBJECT_ARRAY_ITEMTYPE, _vx_object_array, item_type),
	ROW(VX_OBJECT_ARRAY_NUMITEMS, _vx_object_array, count),
	ROW(VX_PYRAMID_LEVELS, _vx_pyramid, num_levels),
	ROW(VX_PYRAMID_SCALE, _vx_pyramid, scale),
	ROW(VX_PYRAMID_WIDTH, _vx_pyramid, width),
	ROW(VX_PYRAMID_HEIGHT, _vx_pyramid, height),
	ROW(VX_PYRAMID_FORMAT, _vx_pyramid, format),
	ROW(VX_REMAP_SOURCE_WIDTH, _vx_remap, source_width),
	ROW(VX_REMAP_SOURCE_HEIGHT, _vx_remap, source_height),
	ROW(VX_REMAP_DESTINATION_WIDTH, _vx_remap, width),
	ROW(VX_REMAP_DESTINATION_HEIGHT, _vx_remap, height),
	ROW(VX_SCALAR_TYPE, _vx_scalar, data_type),
	ROW(VX_TENSOR_NUMBER_OF_DIMS, _vx_tensor_t, num_dims),
	ROW(VX_TENSOR_DIMS, _vx_tensor_t, dims),
	ROW(VX_TENSOR_DATA_TYPE, _vx_tensor_t, data_type),
	ROW(VX_TENSOR_FIXED_POINT_POSITION, _vx_tensor_t, fixed_point_position),
	ROW(VX_THRESHOLD_TYPE, _vx_threshold, threshold_type),
	ROW(VX_THRESHOLD_INPUT_FORMAT, _vx_threshold, input_format),
	ROW(VX_THRESHOLD_OUTPUT_FORMAT, _vx_threshold, output_format),
	ROW(VX_USER_DATA_OBJECT_NAME, _vx_user_data_object, type_name),
	ROW(VX_USER_DATA_OBJECT_SIZE, _vx_user_data_object, store.size),
#undef ROW
#undef FOUND
};

static const struct attribute *attribute_of(vx_reference ref, vx_enum attribute)
{
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
		if (attributes[i].attribute == attribute && VX_TYPE(attribute) == (vx_uint32)ref->type)
			return &attributes[i];
	return NULL;
}

static const void *value_of(const struct attribute *a, vx_reference ref, union found *room)
{
	if (!a->find)
		return (const char *)ref + a->offset;
	a->find(ref, room);
	return room;
}

vx_status attribute_query(void *object, vx_enum type, const char *function, vx_enum attribute, void *ptr, vx_size size)
{
	vx_reference ref = object;
	union found room;
	if (!object_is(object, type))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "%s: not %s", function, type_name(type));
	LOCKED(ref->context);
	const struct attribute *a = attribute_of(ref, attribute);
	if (!a)
		return attribute_unknown(ref, attribute);
	const void *value = value_of(a, ref, &room);
	if (attribute == VX_USER_DATA_OBJECT_NAME)
		return attribute_text(ref, attribute, ptr, size, value);
	if (attribute == VX_TENSOR_DIMS) {
		/* there may be room for more dimensions than there are */
		const vx_size dims = ((vx_tensor)ref)->num_dims * sizeof(vx_size);
		return attribute_get(ref, attribute, ptr, size > dims ? dims : size, value, dims);
	}
	return attribute_get(ref, attribute, ptr, size, value, a->size);
}

void attribute_value(vx_reference ref, vx_enum attribute, void *value)
{
	const struct attribute *a = attribute_of(ref, attribute);
	union found room;
	if (a)
		memcpy(value, value_of(a, ref, &room), a->size);
}
