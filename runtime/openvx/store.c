/* Stores: the buffers of data objects, and what of them the host knows. */
#include "runtime/openvx/data_objects.h"
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
	FAIL_IF(!s->size, c, VX_ERROR_NOT_ALLOCATED, "a virtual object has no size yet: verify its graph");
	s->mem = device_buffer(&c->device, s->size);
	FAIL_IF(!s->mem, c, VX_ERROR_NO_MEMORY, "no memory for %zu bytes of an object", s->size);
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
	TRY(store_allocate(c, s));
	return device_write(&c->device, s->mem, offset, from, bytes);
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
	memset(to, 0, bytes); /* nothing has been written */
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
