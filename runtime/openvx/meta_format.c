/* Meta data of outputs of user kernels (OpenVX 1.3, 3.57). */
#include "runtime/openvx/meta_format.h"
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/check.h"
#include "runtime/openvx/check_node.h"
#include "runtime/openvx/clone.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/delay.h"
#include "runtime/openvx/overlap.h"
#include "runtime/openvx/user_data_object.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool meta_is(vx_meta_format m) { return object_is(m, VX_TYPE_META_FORMAT); }

/* Each attribute: objects of which type have it, where it lies, and the status of vxVerifyGraph() for an output that differs in it. */
static const struct meta_field attributes[] = {
#define ROW_OF(attribute, type, member, count, otherwise) \
	{attribute, type, offsetof(struct _vx_meta_format, member), sizeof((struct _vx_meta_format *)0)->member, count, VX_ERROR_INVALID_##otherwise}
#define ROW(attribute, type, member, otherwise) ROW_OF(attribute, type, member, 1, otherwise)
	ROW(VX_IMAGE_WIDTH, VX_TYPE_IMAGE, image.width, DIMENSION),
	ROW(VX_IMAGE_HEIGHT, VX_TYPE_IMAGE, image.height, DIMENSION),
	ROW(VX_IMAGE_FORMAT, VX_TYPE_IMAGE, image.format, FORMAT),
	ROW(VX_ARRAY_ITEMTYPE, VX_TYPE_ARRAY, array.item_type, TYPE),
	ROW(VX_ARRAY_CAPACITY, VX_TYPE_ARRAY, array.capacity, DIMENSION),
	ROW(VX_PYRAMID_LEVELS, VX_TYPE_PYRAMID, levels, VALUE),
	ROW(VX_PYRAMID_SCALE, VX_TYPE_PYRAMID, scale, VALUE),
	ROW(VX_PYRAMID_WIDTH, VX_TYPE_PYRAMID, pyramid.width, DIMENSION),
	ROW(VX_PYRAMID_HEIGHT, VX_TYPE_PYRAMID, pyramid.height, DIMENSION),
	ROW(VX_PYRAMID_FORMAT, VX_TYPE_PYRAMID, pyramid.format, FORMAT),
	ROW(VX_SCALAR_TYPE, VX_TYPE_SCALAR, scalar_type, TYPE),
	ROW(VX_MATRIX_TYPE, VX_TYPE_MATRIX, matrix.type, TYPE),
	ROW(VX_MATRIX_ROWS, VX_TYPE_MATRIX, matrix.rows, DIMENSION),
	ROW(VX_MATRIX_COLUMNS, VX_TYPE_MATRIX, matrix.columns, DIMENSION),
	ROW_OF(VX_MATRIX_ORIGIN, VX_TYPE_MATRIX, matrix.origin, 2, VALUE),
	ROW(VX_MATRIX_PATTERN, VX_TYPE_MATRIX, matrix.pattern, VALUE),
	ROW(VX_DISTRIBUTION_BINS, VX_TYPE_DISTRIBUTION, distribution.bins, VALUE),
	ROW(VX_DISTRIBUTION_OFFSET, VX_TYPE_DISTRIBUTION, distribution.offset, VALUE),
	ROW(VX_DISTRIBUTION_RANGE, VX_TYPE_DISTRIBUTION, distribution.range, VALUE),
	ROW(VX_THRESHOLD_TYPE, VX_TYPE_THRESHOLD, threshold.type, TYPE),
	ROW(VX_THRESHOLD_INPUT_FORMAT, VX_TYPE_THRESHOLD, threshold.input_format, FORMAT),
	ROW(VX_THRESHOLD_OUTPUT_FORMAT, VX_TYPE_THRESHOLD, threshold.output_format, FORMAT),
	ROW(VX_REMAP_SOURCE_WIDTH, VX_TYPE_REMAP, remap.source_width, DIMENSION),
	ROW(VX_REMAP_SOURCE_HEIGHT, VX_TYPE_REMAP, remap.source_height, DIMENSION),
	ROW(VX_REMAP_DESTINATION_WIDTH, VX_TYPE_REMAP, remap.width, DIMENSION),
	ROW(VX_REMAP_DESTINATION_HEIGHT, VX_TYPE_REMAP, remap.height, DIMENSION),
	ROW(VX_LUT_TYPE, VX_TYPE_LUT, lut.type, TYPE),
	ROW(VX_LUT_COUNT, VX_TYPE_LUT, lut.count, DIMENSION),
	ROW(VX_OBJECT_ARRAY_ITEMTYPE, VX_TYPE_OBJECT_ARRAY, object_array.type, TYPE),
	ROW(VX_OBJECT_ARRAY_NUMITEMS, VX_TYPE_OBJECT_ARRAY, object_array.count, DIMENSION),
	ROW(VX_DELAY_TYPE, VX_TYPE_DELAY, delay.type, TYPE),
	ROW(VX_DELAY_SLOTS, VX_TYPE_DELAY, delay.count, DIMENSION),
	ROW(VX_TENSOR_NUMBER_OF_DIMS, VX_TYPE_TENSOR, tensor.num_dims, DIMENSION),
	ROW_OF(VX_TENSOR_DIMS, VX_TYPE_TENSOR, tensor.dims, TENSOR_DIMS_MAX, DIMENSION),
	ROW(VX_TENSOR_DATA_TYPE, VX_TYPE_TENSOR, tensor.type, TYPE),
	ROW(VX_TENSOR_FIXED_POINT_POSITION, VX_TYPE_TENSOR, tensor.position, TYPE),
	ROW(VX_CONVOLUTION_ROWS, VX_TYPE_CONVOLUTION, rows, DIMENSION),
	ROW(VX_CONVOLUTION_COLUMNS, VX_TYPE_CONVOLUTION, columns, DIMENSION),
	ROW_OF(VX_USER_DATA_OBJECT_NAME, VX_TYPE_USER_DATA_OBJECT, user_data.name, VX_MAX_REFERENCE_NAME, VALUE),
	ROW(VX_USER_DATA_OBJECT_SIZE, VX_TYPE_USER_DATA_OBJECT, user_data.size, VALUE),
	ROW(VX_VALID_RECT_CALLBACK, VX_TYPE_IMAGE, valid_rectangle, VALUE),
#undef ROW
#undef ROW_OF
};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes };
_Static_assert(ATTRIBUTES <= 64, "a bit each");

/* The attribute of meta data; else a negative status. */
static int find(vx_meta_format m, vx_enum attribute)
{
	for (int i = 0; i < ATTRIBUTES; i++)
		if (attributes[i].attribute == attribute && (attributes[i].type == m->type || m->type == VX_TYPE_REFERENCE))
			return i;
	/* vxSetMetaFormatAttribute, vxQueryMetaFormatAttribute: one of another type, or none of meta data */
	if (VX_TYPE(attribute) != (vx_uint32)m->type && m->type != VX_TYPE_REFERENCE)
		return fail(m, VX_ERROR_INVALID_TYPE, "attribute 0x%x is not one of %s", attribute, type_name(m->type));
	return fail(m, VX_ERROR_NOT_SUPPORTED, "meta data of %s have no attribute 0x%x", type_name(m->type), attribute);
}

/* Dimensions of a tensor are as many as there are, not as many as there could be. */
static vx_size size_of(const struct _vx_meta_format *m, int i, vx_size asked)
{
	if (attributes[i].attribute == VX_TENSOR_DIMS && asked && asked <= attributes[i].size && !(asked % sizeof m->tensor.dims[0]))
		return asked;
	return attributes[i].size;
}

/* The name of a user data object has as many characters as it has, and a zero at its end. */
static vx_status set_name(struct _vx_meta_format *m, vx_enum attribute, const vx_char *name, vx_size size)
{
	const vx_size length = name ? strnlen(name, size) : size;
	if (length == size || length >= sizeof m->user_data.name)
		return fail(m, VX_ERROR_INVALID_PARAMETERS, "attribute 0x%x: %zu characters at %p are no name, or more than %zu", attribute, size, (const void *)name,
			    sizeof m->user_data.name - 1);
	memset(m->user_data.name, 0, sizeof m->user_data.name);
	memcpy(m->user_data.name, name, length);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetMetaFormatAttribute(vx_meta_format meta, vx_enum attribute, const void *ptr, vx_size size)
{
	if (!meta_is(meta))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSetMetaFormatAttribute: not meta data");
	const int i = find(meta, attribute);
	if (i < 0)
		return i;
	vx_status status;
	if (attribute == VX_USER_DATA_OBJECT_NAME)
		status = set_name(meta, attribute, ptr, size);
	else
		status = attribute_set(meta, attribute, (char *)meta + attributes[i].offset, size_of(meta, i, size), ptr, size);
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
		return i;
	if (attribute == VX_USER_DATA_OBJECT_NAME)
		return attribute_text(meta, attribute, ptr, size, meta->user_data.name);
	return attribute_get(meta, attribute, ptr, size, (char *)meta + attributes[i].offset, size_of(meta, i, size));
}

void meta_describe(struct _vx_meta_format *m, vx_reference ref)
{
	m->type = ref->type;
	/* a callback is not the object's */
	for (int i = 0; i < ATTRIBUTES; i++)
		if (attributes[i].type == ref->type)
			attribute_value(ref, attributes[i].attribute, (char *)m + attributes[i].offset);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetMetaFormatFromReference(vx_meta_format meta, vx_reference exemplar)
{
	if (!meta_is(meta) || !object_is_data(exemplar))
		return fail(meta, VX_ERROR_INVALID_REFERENCE, "vxSetMetaFormatFromReference: not meta data, or not a data object");
	if (meta->type != exemplar->type && meta->type != VX_TYPE_REFERENCE)
		return fail(meta, VX_ERROR_INVALID_REFERENCE, "vxSetMetaFormatFromReference: %s for meta data of %s", type_name(exemplar->type), type_name(meta->type));
	meta_describe(meta, exemplar);
	meta->given = ~0ull;
	return VX_SUCCESS;
}

/* ---- likeness ---- */
const struct meta_field *meta_field(vx_enum type, unsigned number)
{
	for (int i = 0; i < ATTRIBUTES; i++)
		if (attributes[i].type == type && attributes[i].attribute != VX_VALID_RECT_CALLBACK && !number--)
			return &attributes[i];
	return NULL;
}

vx_enum meta_difference(const struct _vx_meta_format *a, const struct _vx_meta_format *b)
{
	const struct meta_field *f;
	for (unsigned i = 0; (f = meta_field(a->type, i)); i++)
		if (memcmp((const char *)a + f->offset, (const char *)b + f->offset, f->size))
			return f->attribute;
	return 0;
}

/* Slots of a delay are alike: the first stands for all. */
static vx_size parts_to_compare(vx_reference ref, const vx_reference **parts)
{
	if (ref->type != VX_TYPE_DELAY)
		return parts_of(ref, parts);
	*parts = ((vx_delay)ref)->slots;
	return 1;
}

vx_status meta_same(vx_reference one, vx_reference other, const void *for_whom)
{
	struct _vx_meta_format a = {.valid_rectangle = NULL}, b = {.valid_rectangle = NULL};
	const vx_reference *parts = NULL, *others = NULL;
	if (one->type != other->type)
		return fail(for_whom, VX_ERROR_INVALID_PARAMETERS, "%s, where it has to be %s", type_name(one->type), type_name(other->type));
	meta_describe(&a, one);
	meta_describe(&b, other);
	const vx_enum attribute = meta_difference(&a, &b);
	if (attribute)
		return fail(for_whom, VX_ERROR_INVALID_PARAMETERS, "%s with another attribute 0x%x", type_name(one->type), attribute);
	const vx_size count = parts_to_compare(one, &parts);
	vx_status status = VX_SUCCESS;
	parts_to_compare(other, &others);
	for (vx_size i = 0; !status && i < count; i++)
		status = meta_same(parts[i], others[i], for_whom);
	return status;
}

/* ---- after validation ---- */
/* An output is what the meta data say; an array may have more room. */
static vx_status compare(struct _vx_node *n, vx_uint32 index, const struct _vx_meta_format *m, vx_reference ref)
{
	struct _vx_meta_format is = {.reference = m->reference};
	meta_describe(&is, ref);
	for (int i = 0; i < ATTRIBUTES; i++) {
		const size_t offset = attributes[i].offset;
		if (attributes[i].type != ref->type || attributes[i].attribute == VX_VALID_RECT_CALLBACK || !(m->given >> i & 1))
			continue;
		if (attributes[i].attribute == VX_ARRAY_CAPACITY && is.array.capacity >= m->array.capacity)
			continue;
		if (memcmp((const char *)m + offset, (const char *)&is + offset, attributes[i].size))
			return fail(n, attributes[i].otherwise, "node of %s, parameter %u: attribute 0x%x is not what the kernel gives", n->kernel->name, index,
				    attributes[i].attribute);
	}
	return VX_SUCCESS;
}

/* What a validation has not said is as the output has been declared. */
static void as_declared(struct _vx_meta_format *m, vx_reference ref)
{
	struct _vx_meta_format is = {.reference = m->reference};
	meta_describe(&is, ref);
	for (int i = 0; i < ATTRIBUTES; i++)
		if (attributes[i].type == ref->type && attributes[i].attribute != VX_VALID_RECT_CALLBACK && !(m->given >> i & 1))
			memcpy((char *)m + attributes[i].offset, (const char *)&is + attributes[i].offset, attributes[i].size);
}

/* A virtual output that cannot become what the kernel gives: says whose it is. */
static vx_status defined(struct check *c, unsigned index, vx_status status)
{
	return status ? refuse(c, index, status, "a virtual object that cannot be what the kernel gives") : VX_SUCCESS;
}

static vx_status define(struct check *c, unsigned index, struct _vx_meta_format *m)
{
	vx_reference ref = c->parameters[index];
	as_declared(m, ref);
	switch (ref->type) {
	case VX_TYPE_IMAGE:
		return defined(c, index, image_define((vx_image)ref, m->image.width, m->image.height, m->image.format));
	case VX_TYPE_PYRAMID:
		return defined(c, index, pyramid_define((vx_pyramid)ref, m->pyramid.width, m->pyramid.height, m->pyramid.format));
	case VX_TYPE_ARRAY:
		return gives_array(c, index, m->array.item_type, m->array.capacity);
	case VX_TYPE_SCALAR:
		return gives_scalar(c, index, m->scalar_type);
	case VX_TYPE_TENSOR:
		tensor_define((vx_tensor)ref, &m->tensor);
		return VX_SUCCESS;
	default:
		return VX_SUCCESS;
	}
}

static vx_status apply(struct _vx_node *n, vx_uint32 index, struct _vx_meta_format *m)
{
	struct check c = {.node = n, .parameters = n->parameters};
	if (n->parameters[index]->is_virtual)
		WANT(define(&c, index, m));
	return compare(n, index, m, n->parameters[index]);
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
	if (status)
		fail(n, status, "node of %s, parameter %u: its valid rectangle is not known", k->name, index);
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
		if (!metas[i]) {
			status = VX_ERROR_NO_MEMORY;
			continue;
		}
		part_adopt((vx_reference)metas[i]); /* the application has no reference to it, and cannot end it */
		metas[i]->type = k->parameters[i].type;
	}
	if (!status && k->validate)
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
			object_unuse((vx_reference)metas[i]);
	return status;
}
