/* Objects in exports: meta data, settings and data, as the class of each says. */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/ix.h"
#include <string.h>

/* ---- attributes ---- */
static void put_attribute(struct ix_writer *w, const struct object_attribute *a, const void *object)
{
	ix_put_bytes(w, (const char *)object + a->offset, a->size);
}

static void get_attribute(struct ix_reader *r, const struct object_attribute *a, void *value)
{
	ix_copy(r, value, a->size);
	if (attribute_is_text(a))
		((char *)value)[a->size - 1] = 0;
}

/* ---- meta data ---- */
void ix_put_meta(struct ix_writer *w, vx_reference ref)
{
	const struct object_class *k = ref->class;
	for (const struct object_attribute *a = k->attributes; a < k->attributes + k->num_attributes; a++) {
		if (!a->otherwise)
			continue;
		ix_put_u32(w, (vx_uint32)a->attribute);
		put_attribute(w, a, ref);
	}
}

void ix_get_meta(struct ix_reader *r, const struct object_class *k, struct prototype *out)
{
	*out = (struct prototype){.bytes = {0}};
	for (const struct object_attribute *a = k->attributes; a < k->attributes + k->num_attributes && !r->status; a++) {
		if (!a->otherwise)
			continue;
		const vx_uint32 attribute = ix_u32(r);
		if (attribute != (vx_uint32)a->attribute)
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "attribute 0x%x of %s, where 0x%x follows", attribute, k->name, (vx_uint32)a->attribute);
		get_attribute(r, a, out->bytes + a->offset);
	}
	if (k->accept)
		k->accept(r, out);
}

/* ---- settings ---- */
void ix_put_settings(struct ix_writer *w, vx_reference ref)
{
	const struct object_class *k = ref->class;
	for (const struct object_attribute *a = k->attributes; a < k->attributes + k->num_attributes; a++)
		if (a->set)
			put_attribute(w, a, ref);
}

void ix_get_settings(struct ix_reader *r, const struct object_class *k, vx_reference ref)
{
	for (const struct object_attribute *a = k->attributes; a < k->attributes + k->num_attributes; a++) {
		union attribute_value value = {0};
		if (!a->set)
			continue;
		get_attribute(r, a, &value);
		if (r->status || !ref || !memcmp(&value, (const char *)ref + a->offset, a->size))
			continue;
		if (a->set(ref, &value))
			ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "attribute 0x%x of %s cannot be 0x%x", (vx_uint32)a->attribute, k->name, value.number);
	}
}

/* ---- data ---- */
/* The store that has all data; NULL: the class has functions, or there are no data. */
static struct store *store_of(vx_reference ref)
{
	struct store *stores[STORES_MAX];
	return !ref->class->put_values && stores_of(ref, stores) ? stores[0] : NULL;
}

static vx_status put_store(struct ix_writer *w, struct store *s, vx_reference ref)
{
	void *to = s->mem || s->host ? ix_put_room(w, s->size) : NULL; /* otherwise nothing has been written */
	return to ? store_read(ref->context, s, 0, to, s->size) : VX_SUCCESS;
}

vx_status ix_put_values(struct ix_writer *w, vx_reference ref)
{
	const size_t at = w->size;
	struct store *s = store_of(ref);
	vx_status status = VX_SUCCESS;
	ix_put_u64(w, 0);
	if (s)
		status = put_store(w, s, ref);
	else if (ref->class->put_values)
		status = ref->class->put_values(w, ref);
	/* now the length is known */
	const size_t end = w->size;
	w->size = at;
	if (!w->failed)
		ix_put_u64(w, end - at - sizeof(vx_uint64));
	w->size = end;
	return status;
}

void ix_get_values(struct ix_reader *r, vx_reference ref)
{
	const vx_uint64 length = ix_u64(r);
	struct store *s = store_of(ref);
	if (r->status || !length)
		return;
	const size_t begin = r->at;
	if (s) {
		const void *from = length == s->size ? ix_bytes(r, length) : NULL;
		const vx_status status = from ? store_write(ref->context, s, 0, from, s->size) : VX_SUCCESS;
		if (status)
			ix_refuse(r, status, "%zu bytes of data cannot be written", s->size);
	} else if (ref->class->get_values) {
		ref->class->get_values(r, ref);
	}
	if (!r->status && r->at - begin != length)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%llu bytes of data of %s, which has not so many", (unsigned long long)length, ref->class->name);
}
