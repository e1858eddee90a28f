/* Meta data of outputs of user kernels (OpenVX 1.3, 3.57). */
#include "runtime/openvx/meta_format.h"
#include "runtime/openvx/check.h"
#include "runtime/openvx/check_node.h"
#include "runtime/openvx/data_objects.h"
#include <string.h>

/* ---- attributes ---- */
static struct meta *meta_of(vx_meta_format m, const struct object_class *k) { return &m->metas[class_number(k)]; }

static unsigned bit_of(const struct object_class *k, const struct object_attribute *a) { return 1u << (a - k->attributes); }

/* The class that has an attribute as meta data, and the attribute. */
static vx_status find(vx_meta_format m, vx_enum attribute, const struct object_class **class, const struct object_attribute **out)
{
	const bool any = m->type == VX_TYPE_REFERENCE;
	*class = class_find(any ? (vx_enum)VX_TYPE(attribute) : m->type);
	*out = *class ? attribute_find(*class, attribute) : NULL;
	if (*out && (*out)->otherwise)
		return VX_SUCCESS;
	/* vxSetMetaFormatAttribute, vxQueryMetaFormatAttribute: one of another type, or none of meta data */
	if (VX_TYPE(attribute) != (vx_uint32)m->type && !any)
		return fail(m, VX_ERROR_INVALID_TYPE, "attribute 0x%x is not one of %s", attribute, type_name(m->type));
	return fail(m, VX_ERROR_NOT_SUPPORTED, "meta data of %s have no attribute 0x%x", type_name(m->type), attribute);
}

/* A callback is no attribute of an object. */
static bool is_callback(vx_meta_format m, vx_enum attribute)
{
	return attribute == VX_VALID_RECT_CALLBACK && (m->type == VX_TYPE_IMAGE || m->type == VX_TYPE_REFERENCE);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetMetaFormatAttribute(vx_meta_format meta, vx_enum attribute, const void *ptr, vx_size size)
{
	const struct object_class *k;
	const struct object_attribute *a;
	EXPECT(meta, VX_TYPE_META_FORMAT);
	if (is_callback(meta, attribute))
		return attribute_set(meta, attribute, &meta->valid_rectangle, sizeof meta->valid_rectangle, ptr, size);
	TRY(find(meta, attribute, &k, &a));
	TRY(attribute_write(meta, a, &meta_of(meta, k)->prototype, ptr, size));
	meta_of(meta, k)->given |= bit_of(k, a);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryMetaFormatAttribute(vx_meta_format meta, vx_enum attribute, void *ptr, vx_size size)
{
	const struct object_class *k;
	const struct object_attribute *a;
	EXPECT(meta, VX_TYPE_META_FORMAT);
	if (is_callback(meta, attribute))
		return attribute_get(meta, attribute, ptr, size, &meta->valid_rectangle, sizeof meta->valid_rectangle);
	TRY(find(meta, attribute, &k, &a));
	return attribute_read(meta, a, &meta_of(meta, k)->prototype, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetMetaFormatFromReference(vx_meta_format meta, vx_reference exemplar)
{
	if (!object_is(meta, VX_TYPE_META_FORMAT) || !object_is_data(exemplar))
		return fail(meta, VX_ERROR_INVALID_REFERENCE, "vxSetMetaFormatFromReference: not meta data, or not a data object");
	if (meta->type != exemplar->type && meta->type != VX_TYPE_REFERENCE)
		return fail(meta, VX_ERROR_INVALID_REFERENCE, "vxSetMetaFormatFromReference: %s for meta data of %s", type_name(exemplar->type), type_name(meta->type));
	meta->type = exemplar->type;
	meta_copy(exemplar->class, &meta_of(meta, exemplar->class)->prototype, exemplar);
	for (unsigned i = 0; i < OBJECT_CLASSES; i++)
		meta->metas[i].given = ~0u;
	return VX_SUCCESS;
}

/* ---- after validation ---- */
/* An output is what the meta data say; some may have more room. */
static vx_status compare(struct _vx_node *n, vx_uint32 index, vx_meta_format m, vx_reference ref)
{
	const struct object_class *k = ref->class;
	const struct meta *meta = meta_of(m, k);
	for (const struct object_attribute *a = k->attributes; a < k->attributes + k->num_attributes; a++) {
		const void *said = meta->prototype.bytes + a->offset, *is = (const char *)ref + a->offset;
		if (!a->otherwise || !(meta->given & bit_of(k, a)) || !memcmp(said, is, a->size))
			continue;
		if (!a->at_least || *(const vx_size *)is < *(const vx_size *)said)
			return fail(n, a->otherwise, "node of %s, parameter %u: attribute 0x%x is not what the kernel gives", n->kernel->name, index,
				    a->attribute);
	}
	return VX_SUCCESS;
}

/* A virtual output becomes what the kernel gives; what a validation has not said is as the output has been declared. */
static vx_status define(struct check *c, unsigned index, vx_meta_format m)
{
	vx_reference ref = c->parameters[index];
	const struct object_class *k = ref->class;
	struct meta *meta = meta_of(m, k);
	if (!k->define)
		return VX_SUCCESS;
	for (const struct object_attribute *a = k->attributes; a < k->attributes + k->num_attributes; a++)
		if (a->otherwise && !(meta->given & bit_of(k, a)))
			memcpy(meta->prototype.bytes + a->offset, (const char *)ref + a->offset, a->size);
	return gives(c, index, &meta->prototype);
}

static vx_status apply(struct _vx_node *n, vx_uint32 index, vx_meta_format m)
{
	struct check c = {.node = n, .parameters = n->parameters};
	if (n->parameters[index]->is_virtual)
		TRY(define(&c, index, m));
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
