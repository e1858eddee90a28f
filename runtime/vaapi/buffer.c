/* Buffers: parameters and streams of pictures, and the memory of images. */
#include "base/hold.h"
#include "runtime/vaapi/objects.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <va/va_drmcommon.h>

enum { SIZE_MAX_BYTES = 1 << 30 };

VAStatus buffer_create(struct display *d, VABufferType type, uint32_t size, uint32_t num_elements, struct memory *memory, struct buffer **out)
{
	const uint64_t bytes = (uint64_t)size * num_elements;
	struct memory *own = NULL;
	FAIL_IF(!bytes || bytes > SIZE_MAX_BYTES, bytes ? VA_STATUS_ERROR_ALLOCATION_FAILED : VA_STATUS_ERROR_INVALID_PARAMETER, "a buffer of %u times %u bytes",
		num_elements, size);
	if (type == VASliceDataBufferType) /* the device reads it */
		TRY(memory_create(d, bytes, false, &own));
	struct buffer *b = calloc(1, sizeof *b);
	uint8_t *data = memory || own ? NULL : calloc(num_elements, size);
	if (!b || (!memory && !own && !data)) {
		memory_unref(own);
		free(b);
		free(data);
		return VA_STATUS_ERROR_ALLOCATION_FAILED;
	}
	*b = (struct buffer){.object = {.kind = BUFFER, .refs = 1}, .type = type, .size = size, .num_elements = num_elements, .capacity = num_elements, .fd = -1};
	b->memory = memory ? memory_ref(memory) : own;
	b->data = data ? data : b->memory->cpu;
	*out = b;
	return VA_STATUS_SUCCESS;
}

void buffer_destroy(struct buffer *b)
{
	if (!b->memory)
		free(b->data);
	memory_unref(b->memory);
	if (b->fd >= 0)
		close(b->fd);
	free(b);
}

/* Which buffers the pictures of a context have. */
static bool has_type(const struct config *c, VABufferType type)
{
	switch (type) {
	case VAPictureParameterBufferType:
	case VAIQMatrixBufferType:
	case VAHuffmanTableBufferType:
	case VASliceParameterBufferType:
	case VASliceDataBufferType: return config_is_decoder(c);
	case VAProcPipelineParameterBufferType: return !config_is_decoder(c);
	default: return false;
	}
}

VAStatus galena_vaCreateBuffer(VADriverContextP ctx, VAContextID context, VABufferType type, unsigned int size, unsigned int num_elements, void *data, VABufferID *out)
{
	struct display *d = display_of(ctx);
	USING(context) c = object_get(d, CONTEXT, context);
	struct buffer *b;
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONTEXT, "0x%x is no context", context);
	FAIL_IF(!has_type(c->config, type), VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE, "pictures of the context have no buffers of type %d", type);
	FAIL_IF(!out, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the buffer");
	TRY(buffer_create(d, type, size, num_elements, NULL, &b));
	if (data)
		memcpy(b->data, data, (size_t)size * num_elements);
	return object_add(d, &b->object, out);
}

VAStatus galena_vaDestroyBuffer(VADriverContextP ctx, VABufferID id)
{
	struct buffer *b = object_take(display_of(ctx), BUFFER, id);
	FAIL_IF(!b, VA_STATUS_ERROR_INVALID_BUFFER, "0x%x is no buffer", id);
	object_put(&b->object);
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaBufferSetNumElements(VADriverContextP ctx, VABufferID id, unsigned int num_elements)
{
	struct display *d = display_of(ctx);
	USING(buffer) b = object_get(d, BUFFER, id);
	FAIL_IF(!b, VA_STATUS_ERROR_INVALID_BUFFER, "0x%x is no buffer", id);
	FAIL_IF(!num_elements || num_elements > b->capacity, VA_STATUS_ERROR_INVALID_PARAMETER, "%u elements of a buffer that has %u", num_elements, b->capacity);
	HOLDING(&d->lock);
	b->num_elements = num_elements;
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaBufferInfo(VADriverContextP ctx, VABufferID id, VABufferType *type, unsigned int *size, unsigned int *num_elements)
{
	USING(buffer) b = object_get(display_of(ctx), BUFFER, id);
	FAIL_IF(!b, VA_STATUS_ERROR_INVALID_BUFFER, "0x%x is no buffer", id);
	FAIL_IF(!type || !size || !num_elements, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for what the buffer is");
	*type = b->type;
	*size = b->size;
	*num_elements = b->num_elements;
	return VA_STATUS_SUCCESS;
}

/* ---- access of the host ---- */
/* What the device does with it has ended. */
VAStatus galena_vaMapBuffer(VADriverContextP ctx, VABufferID id, void **out)
{
	struct display *d = display_of(ctx);
	USING(buffer) b = object_get(d, BUFFER, id);
	FAIL_IF(!b, VA_STATUS_ERROR_INVALID_BUFFER, "0x%x is no buffer", id);
	FAIL_IF(!out, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the address");
	if (b->memory)
		TRY(memory_wait(d, b->memory));
	HOLDING(&d->lock);
	b->maps++;
	*out = b->data;
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaUnmapBuffer(VADriverContextP ctx, VABufferID id)
{
	struct display *d = display_of(ctx);
	USING(buffer) b = object_get(d, BUFFER, id);
	FAIL_IF(!b, VA_STATUS_ERROR_INVALID_BUFFER, "0x%x is no buffer", id);
	HOLDING(&d->lock);
	FAIL_IF(!b->maps, VA_STATUS_ERROR_INVALID_BUFFER, "buffer 0x%x is not mapped", id);
	b->maps--;
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaSyncBuffer(VADriverContextP ctx, VABufferID id, uint64_t timeout)
{
	struct display *d = display_of(ctx);
	USING(buffer) b = object_get(d, BUFFER, id);
	FAIL_IF(!b, VA_STATUS_ERROR_INVALID_BUFFER, "0x%x is no buffer", id);
	if (!b->memory)
		return VA_STATUS_SUCCESS;
	if (timeout == VA_TIMEOUT_INFINITE)
		return memory_wait(d, b->memory);
	return memory_idle(d, b->memory, timeout) ? VA_STATUS_SUCCESS : FAIL(VA_STATUS_ERROR_TIMEDOUT, "the buffer is in use");
}

/* ---- handles ---- */
/* Each acquisition of an image's memory gives the same descriptor, which the last release closes. */
static VAStatus acquire(struct display *d, struct buffer *b, VABufferInfo *info)
{
	int fd;
	TRY(memory_export(b->memory, &fd));
	HOLDING(&d->lock);
	if (b->handles++)
		close(fd);
	else
		b->fd = fd;
	*info = (VABufferInfo){.handle = (uintptr_t)b->fd, .type = VAImageBufferType, .mem_type = VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME, .mem_size = b->memory->size};
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaAcquireBufferHandle(VADriverContextP ctx, VABufferID id, VABufferInfo *info)
{
	struct display *d = display_of(ctx);
	USING(buffer) b = object_get(d, BUFFER, id);
	FAIL_IF(!b, VA_STATUS_ERROR_INVALID_BUFFER, "0x%x is no buffer", id);
	FAIL_IF(!info, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the handle");
	FAIL_IF(b->type != VAImageBufferType, VA_STATUS_ERROR_UNSUPPORTED_BUFFERTYPE, "buffers of type %d have no handle", b->type);
	FAIL_IF(info->mem_type && !(info->mem_type & VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME), VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE,
		"no handle of memory type 0x%x", info->mem_type);
	TRY(memory_wait(d, b->memory));
	return acquire(d, b, info);
}

VAStatus galena_vaReleaseBufferHandle(VADriverContextP ctx, VABufferID id)
{
	struct display *d = display_of(ctx);
	USING(buffer) b = object_get(d, BUFFER, id);
	FAIL_IF(!b, VA_STATUS_ERROR_INVALID_BUFFER, "0x%x is no buffer", id);
	HOLDING(&d->lock);
	FAIL_IF(!b->handles, VA_STATUS_ERROR_INVALID_BUFFER, "buffer 0x%x has no handle", id);
	if (!--b->handles) {
		close(b->fd);
		b->fd = -1;
	}
	return VA_STATUS_SUCCESS;
}
