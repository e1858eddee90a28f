/* Attributes of data objects, and those of them that are meta data (OpenVX 1.3, enums vx_..._attribute_e). The classes list them. */
#include "runtime/openvx/object_class.h"
#include <string.h>

const struct object_attribute *attribute_find(const struct object_class *k, vx_enum attribute)
{
	for (unsigned i = 0; i < k->num_attributes; i++)
		if (k->attributes[i].attribute == attribute)
			return &k->attributes[i];
	return NULL;
}

/* ---- values ---- */
static vx_size used_bytes(const struct object_attribute *a, const void *object)
{
	return a->used ? *(const vx_size *)((const char *)object + a->used) * (a->size / a->count) : a->size;
}

vx_status attribute_query(void *object, const struct object_class *k, const char *function, vx_enum attribute, void *ptr, vx_size size)
{
	union attribute_value found;
	ENTER_FOR(function, (vx_reference)object, k->type);
	const struct object_attribute *a = attribute_find(k, attribute);
	if (!a)
		return attribute_unknown(object, attribute);
	if (a->find)
		a->find(object, &found);
	const void *value = a->find ? (const void *)&found : (const char *)object + a->offset;
	if (attribute_is_text(a))
		return attribute_text(object, attribute, ptr, size, value);
	/* there may be room for more numbers than are used */
	const vx_size bytes = used_bytes(a, object);
	return attribute_get(object, attribute, ptr, a->used && size > bytes ? bytes : size, value, bytes);
}

vx_status attribute_change(void *object, const struct object_class *k, const char *function, vx_enum attribute, const void *ptr, vx_size size)
{
	union attribute_value value;
	ENTER_FOR(function, (vx_reference)object, k->type);
	const struct object_attribute *a = attribute_find(k, attribute);
	if (!a || !a->set)
		return attribute_unknown(object, attribute);
	TRY(attribute_set(object, attribute, &value, a->size, ptr, size));
	return a->set(object, &value);
}

/* As many numbers as the application has or wants, up to all of them. */
static vx_size asked_bytes(const struct object_attribute *a, vx_size asked)
{
	return a->used && asked && asked <= a->size && !(asked % (a->size / a->count)) ? asked : a->size;
}

vx_status attribute_read(const void *ref, const struct object_attribute *a, const void *prototype, void *ptr, vx_size size)
{
	const char *value = (const char *)prototype + a->offset;
	return attribute_is_text(a) ? attribute_text(ref, a->attribute, ptr, size, value)
				    : attribute_get(ref, a->attribute, ptr, size, value, asked_bytes(a, size));
}

vx_status attribute_write(const void *ref, const struct object_attribute *a, void *prototype, const void *ptr, vx_size size)
{
	char *value = (char *)prototype + a->offset;
	if (!attribute_is_text(a))
		return attribute_set(ref, a->attribute, value, asked_bytes(a, size), ptr, size);
	const vx_size length = ptr ? strnlen(ptr, size) : size;
	if (length == size || length >= a->size)
		return fail(ref, VX_ERROR_INVALID_PARAMETERS, "attribute 0x%x: %zu characters at %p are no name, or more than %zu", a->attribute, size, ptr,
			    a->size - 1);
	memset(value, 0, a->size);
	memcpy(value, ptr, length);
	return VX_SUCCESS;
}

/* ---- meta data ---- */
void meta_copy(const struct object_class *k, void *to, const void *from)
{
	for (unsigned i = 0; i < k->num_attributes; i++)
		if (k->attributes[i].otherwise)
			memcpy((char *)to + k->attributes[i].offset, (const char *)from + k->attributes[i].offset, k->attributes[i].size);
}

const struct object_attribute *meta_difference(const struct object_class *k, const void *one, const void *other, bool for_copy)
{
	for (const struct object_attribute *a = k->attributes; a < k->attributes + k->num_attributes; a++) {
		const bool compared = for_copy ? a->copies_agree || (a->otherwise && !a->copies_differ) : a->otherwise != VX_SUCCESS;
		if (compared && memcmp((const char *)one + a->offset, (const char *)other + a->offset, a->size))
			return a;
	}
	return NULL;
}

bool meta_restore(vx_reference ref)
{
	const bool differs = ref->declared && meta_difference(ref->class, ref, ref->declared, false);
	if (differs)
		meta_copy(ref->class, ref, ref->declared);
	return differs;
}

/* Slots of a delay are alike: the first stands for all. */
static vx_size parts_to_compare(vx_reference ref, const vx_reference **parts)
{
	const vx_size count = all_parts_of(ref, parts);
	return ref->class->rotates ? 1 : count;
}

vx_status meta_same(vx_reference one, vx_reference other, bool for_copy, const void *for_whom)
{
	const vx_reference *parts, *others;
	if (one->type != other->type)
		return fail(for_whom, VX_ERROR_INVALID_PARAMETERS, "%s, where it has to be %s", type_name(one->type), type_name(other->type));
	const struct object_attribute *a = meta_difference(one->class, one, other, for_copy);
	FAIL_IF(a, for_whom, VX_ERROR_INVALID_PARAMETERS, "%s with another attribute 0x%x", type_name(one->type), a->attribute);
	const vx_size count = parts_to_compare(one, &parts);
	parts_to_compare(other, &others);
	for (vx_size i = 0; i < count; i++)
		TRY(meta_same(parts[i], others[i], for_copy, for_whom));
	return VX_SUCCESS;
}
