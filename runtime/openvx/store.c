/* Stores: the buffers of data objects, and what of them the host knows. */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/map.h"
#include "runtime/openvx/user_data_object.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool store_open(struct store *s, size_t size, bool with_host_copy)
{
	*s = (struct store){.size = size};
	if (!with_host_copy)
		return true;
	s->host = calloc(1, size);
	s->host_valid = true;
	return s->host != NULL;
}

vx_status store_allocate(struct _vx_context *c, struct store *s)
{
	if (s->mem)
		return VX_SUCCESS;
	if (!s->size)
		return fail(c, VX_ERROR_NOT_ALLOCATED, "a virtual object has no size yet: verify its graph");
	s->mem = device_buffer(&c->device, s->size);
	if (!s->mem)
		return fail(c, VX_ERROR_NO_MEMORY, "no memory for %zu bytes of an object", s->size);
	return s->host ? device_write(&c->device, s->mem, 0, s->host, s->size) : VX_SUCCESS;
}

void store_free(struct _vx_context *c, struct store *s)
{
	device_release(&c->device, s->mem);
	free(s->host);
	*s = (struct store){.maps = s->maps};
}

vx_status store_write(struct _vx_context *c, struct store *s, size_t offset, const void *from, size_t bytes)
{
	/* a part of a copy that is out of date does not make it valid */
	if (s->host && (s->host_valid || bytes == s->size)) {
		memcpy((char *)s->host + offset, from, bytes);
		s->host_valid = true;
	}
	if (s->host && !s->mem)
		return VX_SUCCESS;
	const vx_status status = store_allocate(c, s);
	return status ? status : device_write(&c->device, s->mem, offset, from, bytes);
}

vx_status store_read(struct _vx_context *c, struct store *s, size_t offset, void *to, size_t bytes)
{
	if (s->host) {
		const char *value = store_value(c, s);
		if (!value)
			return VX_FAILURE;
		memcpy(to, value + offset, bytes);
		return VX_SUCCESS;
	}
	if (s->mem)
		return device_read(&c->device, s->mem, offset, to, bytes);
	memset(to, 0, bytes); /* nobody has written */
	return VX_SUCCESS;
}

const void *store_value(struct _vx_context *c, struct store *s)
{
	if (!s->host || s->host_valid)
		return s->host;
	if (device_read(&c->device, s->mem, 0, s->host, s->size)) {
		fail(c, VX_FAILURE, "the %zu bytes of an object cannot be read", s->size);
		return NULL;
	}
	s->host_valid = true;
	return s->host;
}

void store_written(struct store *s) { s->host_valid = false; }

unsigned stores_of(vx_reference ref, struct store *stores[STORES_MAX])
{
	static const struct {
		vx_enum type;
		unsigned count;
		size_t at[STORES_MAX];
	} places[] = {
		{VX_TYPE_SCALAR, 1, {offsetof(struct _vx_scalar, store)}},
		{VX_TYPE_ARRAY, 2, {offsetof(struct _vx_array, items), offsetof(struct _vx_array, count)}},
		{VX_TYPE_LUT, 1, {offsetof(struct _vx_lut, store)}},
		{VX_TYPE_DISTRIBUTION, 1, {offsetof(struct _vx_distribution, store)}},
		{VX_TYPE_MATRIX, 1, {offsetof(struct _vx_matrix, store)}},
		{VX_TYPE_CONVOLUTION, 1, {offsetof(struct _vx_convolution, store)}},
		{VX_TYPE_REMAP, 1, {offsetof(struct _vx_remap, store)}},
		{VX_TYPE_THRESHOLD, 1, {offsetof(struct _vx_threshold, store)}},
		{VX_TYPE_USER_DATA_OBJECT, 1, {offsetof(struct _vx_user_data_object, store)}},
	};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (places[i].type != ref->type)
			continue;
		for (unsigned k = 0; k < places[i].count; k++)
			stores[k] = (struct store *)((char *)ref + places[i].at[k]);
		return places[i].count;
	}
	return 0;
}

void stores_destroy(struct _vx_reference *ref)
{
	struct store *stores[STORES_MAX];
	for (unsigned i = stores_of(ref, stores); i--;) {
		maps_drop(ref, &stores[i]->maps);
		store_free(ref->context, stores[i]);
	}
}
