/* Meta data of outputs of user kernels (OpenVX 1.3, 3.57). */
#include "runtime/openvx/meta_format.h"
#include "runtime/openvx/check.h"
#include "runtime/openvx/check_node.h"
#include "runtime/openvx/data_objects.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool meta_is(vx_meta_format m) { return object_is(m, VX_TYPE_META_FORMAT); }

/* Each attribute: where it lies, and objects of which type have it. */
static const struct {
	vx_enum attribute, type;
	size_t offset, size;
} attributes[] = {
#define ROW(attribute, type, member) {attribute, type, offsetof(struct _vx_meta_format, member), sizeof((struct _vx_meta_format *)0)->member}
	ROW(VX_IMAGE_WIDTH, VX_TYPE_IMAGE, image.width),
	ROW(VX_IMAGE_HEIGHT, VX_TYPE_IMAGE, image.height),
	ROW(VX_IMAGE_FORMAT, VX_TYPE_IMAGE, image.format),
	ROW(VX_ARRAY_ITEMTYPE, VX_TYPE_ARRAY, array.item_type),
	ROW(VX_ARRAY_CAPACITY, VX_TYPE_ARRAY, array.capacity),
	ROW(VX_PYRAMID_LEVELS, VX_TYPE_PYRAMID, levels),
	ROW(VX_PYRAMID_SCALE, VX_TYPE_PYRAMID, scale),
	ROW(VX_PYRAMID_WIDTH, VX_TYPE_PYRAMID, pyramid.width),
	ROW(VX_PYRAMID_HEIGHT, VX_TYPE_PYRAMID, pyramid.height),
	ROW(VX_PYRAMID_FORMAT, VX_TYPE_PYRAMID, pyramid.format),
	ROW(VX_SCALAR_TYPE, VX_TYPE_SCALAR, scalar_type),
	ROW(VX_MATRIX_TYPE, VX_TYPE_MATRIX, matrix.type),
	ROW(VX_MATRIX_ROWS, VX_TYPE_MATRIX, matrix.rows),
	ROW(VX_MATRIX_COLUMNS, VX_TYPE_MATRIX, matrix.columns),
	ROW(VX_MATRIX_ORIGIN, VX_TYPE_MATRIX, matrix.origin),
	ROW(VX_MATRIX_PATTERN, VX_TYPE_MATRIX, matrix.pattern),
	ROW(VX_DISTRIBUTION_BINS, VX_TYPE_DISTRIBUTION, distribution.bins),
	ROW(VX_DISTRIBUTION_OFFSET, VX_TYPE_DISTRIBUTION, distribution.offset),
	ROW(VX_DISTRIBUTION_RANGE, VX_TYPE_DISTRIBUTION, distribution.range),
	ROW(VX_THRESHOLD_TYPE, VX_TYPE_THRESHOLD, threshold.type),
	ROW(VX_THRESHOLD_INPUT_FORMAT, VX_TYPE_THRESHOLD, threshold.input_format),
	ROW(VX_THRESHOLD_OUTPUT_FORMAT, VX_TYPE_THRESHOLD, threshold.output_format),
	ROW(VX_REMAP_SOURCE_WIDTH, VX_TYPE_REMAP, remap.source_width),
	ROW(VX_REMAP_SOURCE_HEIGHT, VX_TYPE_REMAP, remap.source_height),
	ROW(VX_REMAP_DESTINATION_WIDTH, VX_TYPE_REMAP, remap.width),
	ROW(VX_REMAP_DESTINATION_HEIGHT, VX_TYPE_REMAP, remap.height),
	ROW(VX_LUT_TYPE, VX_TYPE_LUT, lut.type),
	ROW(VX_LUT_COUNT, VX_TYPE_LUT, lut.count),
	ROW(VX_OBJECT_ARRAY_ITEMTYPE, VX_TYPE_OBJECT_ARRAY, object_array.type),
	ROW(VX_OBJECT_ARRAY_NUMITEMS, VX_TYPE_OBJECT_ARRAY, object_array.count),
	ROW(VX_DELAY_TYPE, VX_TYPE_DELAY, delay.type),
	ROW(VX_DELAY_SLOTS, VX_TYPE_DELAY, delay.count),
	ROW(VX_TENSOR_NUMBER_OF_DIMS, VX_TYPE_TENSOR, tensor.num_dims),
	ROW(VX_TENSOR_DIMS, VX_TYPE_TENSOR, tensor.dims),
	ROW(VX_TENSOR_DATA_TYPE, VX_TYPE_TENSOR, tensor.type),
	ROW(VX_TENSOR_FIXED_POINT_POSITION, VX_TYPE_TENSOR, tensor.fixed_point_position),
	ROW(VX_CONVOLUTION_ROWS, VX_TYPE_CONVOLUTION, rows),
	ROW(VX_CONVOLUTION_COLUMNS, VX_TYPE_CONVOLUTION, columns),
	ROW(VX_VALID_RECT_CALLBACK, VX_TYPE_IMAGE, valid_rectangle),
#undef ROW
};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };
_Static_assert(ATTRIBUTES <= 64, "a bit each");

static int find(vx_meta_format m, vx_enum attribute)
{
	for (int i = 0; i < ATTRIBUTES; i++)
		if (attributes[i].attribute == attribute && (attributes[i].type == m->type || m->type == VX_TYPE_REFERENCE))
			return i;
	return -1;
}

/* Dimensions of a tensor are as many as there are, not as many as there could be. */
static vx_size size_of(const struct _vx_meta_format *m, int i, vx_size asked)
{
	if (attributes[i].attribute == VX_TENSOR_DIMS && asked && asked <= attributes[i].size && !(asked % sizeof m->tensor.dims[0]))
		return asked;
	return attributes[i].size;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetMetaFormatAttribute(vx_meta_format meta, vx_enum attribute, const void *ptr, vx_size size)
{
	if (!meta_is(meta))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSetMetaFormatAttribute: not meta data");
	const int i = find(meta, attribute);
	if (i < 0)
		return fail(meta, VX_ERROR_NOT_SUPPORTED, "meta data of %s have no attribute 0x%x", type_name(meta->type), attribute);
	const vx_status status = attribute_set(meta, attribute, (char *)meta + attributes[i].offset, size_of(meta, i, size), ptr, size);
	if (!status)
		meta->given |= 1ull << i;
	return status;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryMetaFormatAttribute(vx_meta_format meta, vx_enum attribute, void *ptr, vx_size size)
{
	if (!meta_is(meta))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxQueryMetaFormatAttribute: not meta data");
	const int i = find(meta, attribute);
	if (i < 0)
		return fail(meta, VX_ERROR_NOT_SUPPORTED, "meta data of %s have no attribute 0x%x", type_name(meta->type), attribute);
	return attribute_get(meta, attribute, ptr, size, (char *)meta + attributes[i].offset, size_of(meta, i, size));
}

/* What an object is like. */
static void describe(struct _vx_meta_format *m, vx_reference ref)
{
	const struct _vx_image *image = (vx_image)ref;
	const struct _vx_pyramid *pyramid = (vx_pyramid)ref;
	const struct _vx_array *array = (vx_array)ref;
	const struct _vx_matrix *matrix = (vx_matrix)ref;
	const struct _vx_distribution *distribution = (vx_distribution)ref;
	const struct _vx_threshold *threshold = (vx_threshold)ref;
	const struct _vx_remap *remap = (vx_remap)ref;
	const struct _vx_tensor_t *tensor = (vx_tensor)ref;
	m->type = ref->type;
	switch (ref->type) {
	case VX_TYPE_IMAGE:
		m->image.width = image->width;
		m->image.height = image->height;
		m->image.format = image->format;
		break;
	case VX_TYPE_PYRAMID:
		m->pyramid.width = pyramid->width;
		m->pyramid.height = pyramid->height;
		m->pyramid.format = pyramid->format;
		m->levels = pyramid->num_levels;
		m->scale = pyramid->scale;
		break;
	case VX_TYPE_ARRAY:
		m->array.item_type = array->item_type;
		m->array.capacity = array->capacity;
		break;
	case VX_TYPE_SCALAR:
		m->scalar_type = ((vx_scalar)ref)->data_type;
		break;
	case VX_TYPE_MATRIX:
		m->matrix.type = matrix->data_type;
		m->matrix.rows = matrix->rows;
		m->matrix.columns = matrix->columns;
		m->matrix.origin = matrix->origin;
		m->matrix.pattern = matrix->pattern;
		break;
	case VX_TYPE_DISTRIBUTION:
		m->distribution.bins = distribution->bins;
		m->distribution.offset = distribution->offset;
		m->distribution.range = distribution->range;
		break;
	case VX_TYPE_THRESHOLD:
		m->threshold.type = threshold->threshold_type;
		m->threshold.input_format = threshold->input_format;
		m->threshold.output_format = threshold->output_format;
		break;
	case VX_TYPE_REMAP:
		m->remap.source_width = remap->source_width;
		m->remap.source_height = remap->source_height;
		m->remap.width = remap->width;
		m->remap.height = remap->height;
		break;
	case VX_TYPE_LUT:
		m->lut.type = ((vx_lut)ref)->data_type;
		m->lut.count = ((vx_lut)ref)->count;
		break;
	case VX_TYPE_OBJECT_ARRAY:
		m->object_array.type = ((vx_object_array)ref)->item_type;
		m->object_array.count = ((vx_object_array)ref)->count;
		break;
	case VX_TYPE_CONVOLUTION:
		m->columns = ((vx_convolution)ref)->columns;
		m->rows = ((vx_convolution)ref)->rows;
		break;
	case VX_TYPE_TENSOR:
		m->tensor.num_dims = tensor->num_dims;
		memcpy(m->tensor.dims, tensor->dims, sizeof m->tensor.dims);
		m->tensor.type = tensor->data_type;
		m->tensor.fixed_point_position = tensor->fixed_point_position;
		break;
	default:
		break;
	}
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetMetaFormatFromReference(vx_meta_format meta, vx_reference exemplar)
{
	if (!meta_is(meta) || !object_is_data(exemplar))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSetMetaFormatFromReference: not meta data, or not a data object");
	if (meta->type != exemplar->type && meta->type != VX_TYPE_REFERENCE)
		return fail(meta, VX_ERROR_INVALID_REFERENCE, "vxSetMetaFormatFromReference: %s for meta data of %s", type_name(exemplar->type), type_name(meta->type));
	describe(meta, exemplar);
	meta->given = ~0ull;
	return VX_SUCCESS;
}

/* ---- after validation ---- */
/* An output that is not virtual is what the meta data say. */
static vx_status compare(struct _vx_node *n, vx_uint32 index, const struct _vx_meta_format *m, vx_reference ref)
{
	struct _vx_meta_format is = {.reference = m->reference};
	describe(&is, ref);
	for (int i = 0; i < ATTRIBUTES; i++) {
		const size_t offset = attributes[i].offset;
		if (attributes[i].type != ref->type || attributes[i].attribute == VX_VALID_RECT_CALLBACK || !(m->given >> i & 1))
			continue;
		if (memcmp((const char *)m + offset, (const char *)&is + offset, attributes[i].size))
			return fail(n, VX_ERROR_INVALID_VALUE, "node of %s, parameter %u: attribute 0x%x is not what the kernel gives", n->kernel->name, index,
				    attributes[i].attribute);
	}
	return VX_SUCCESS;
}

static vx_status apply(struct _vx_node *n, vx_uint32 index, const struct _vx_meta_format *m)
{
	vx_reference ref = n->parameters[index];
	struct check c = {.node = n, .parameters = n->parameters};
	if (!ref->is_virtual)
		return ref->type == VX_TYPE_DELAY ? VX_SUCCESS : compare(n, index, m, ref);
	switch (ref->type) {
	case VX_TYPE_IMAGE:
		return image_define((vx_image)ref, m->image.width, m->image.height, m->image.format);
	case VX_TYPE_PYRAMID:
		return pyramid_define((vx_pyramid)ref, m->pyramid.width, m->pyramid.height, m->pyramid.format);
	case VX_TYPE_ARRAY:
		return gives_array(&c, index, m->array.item_type, m->array.capacity);
	case VX_TYPE_SCALAR:
		return gives_scalar(&c, index, m->scalar_type);
	default:
		return compare(n, index, m, ref);
	}
}

/* Where the pixels of an output are valid: as the kernel's callback says, or all of it. */
static vx_status valid_regions(struct _vx_node *n, vx_uint32 index, const struct _vx_meta_format *m)
{
	const struct _vx_kernel *k = n->kernel;
	const vx_rectangle_t *inputs[PARAMETERS_MAX];
	vx_image output = (vx_image)n->parameters[index];
	vx_uint32 count = 0;
	for (vx_uint32 i = 0; i < k->num_parameters; i++)
		if (k->parameters[i].direction == VX_INPUT && n->parameters[i] && n->parameters[i]->type == VX_TYPE_IMAGE)
			inputs[count++] = &((vx_image)n->parameters[i])->valid;
	vx_rectangle_t all = {0, 0, output->width, output->height}, *outputs[] = {&all};
	vx_status status = VX_SUCCESS;
	if (m->valid_rectangle && !n->valid_rect_reset)
		status = m->valid_rectangle(n, index, inputs, outputs);
	output->valid = all;
	return status;
}

vx_status user_node_validate(struct _vx_node *n)
{
	const struct _vx_kernel *k = n->kernel;
	struct _vx_context *c = n->reference.context;
	vx_meta_format metas[PARAMETERS_MAX] = {NULL};
	vx_status status = VX_SUCCESS;
	for (vx_uint32 i = 0; i < k->num_parameters; i++) {
		metas[i] = object_create(c, VX_TYPE_META_FORMAT, sizeof(struct _vx_meta_format), &c->reference, NULL);
		if (!metas[i])
			status = VX_ERROR_NO_MEMORY;
		else
			metas[i]->type = k->parameters[i].type;
	}
	if (!status)
		status = k->validate(n, n->parameters, k->num_parameters, metas);
	if (status)
		fail(n, status, "node of %s is not valid", k->name);
	for (vx_uint32 i = 0; !status && i < k->num_parameters; i++) {
		if (!n->parameters[i] || k->parameters[i].direction == VX_INPUT)
			continue;
		status = apply(n, i, metas[i]);
		if (!status && n->parameters[i]->type == VX_TYPE_IMAGE)
			status = valid_regions(n, i, metas[i]);
	}
	for (vx_uint32 i = 0; i < k->num_parameters; i++)
		if (metas[i])
			object_release((vx_reference *)&metas[i], VX_TYPE_META_FORMAT);
	return status;
}
