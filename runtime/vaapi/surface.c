/* Surfaces: made, destroyed, waited for. surface_share.c imports and exports them. */
#include "base/hold.h"
#include "runtime/vaapi/job.h"
#include "runtime/vaapi/objects.h"
#include "runtime/vaapi/surface_share.h"
#include <stdlib.h>
#include <string.h>

void surface_destroy(struct surface *s)
{
	umd_command_release(s->decode);
	memory_unref(s->memory);
	free(s);
}

/* ---- attributes of what is created ---- */
static VAStatus attribute(const VASurfaceAttrib *a, struct surface_info *info)
{
	const int32_t value = a->value.value.i;
	switch (a->type) {
	case VASurfaceAttribPixelFormat:
		info->format = format_find((uint32_t)value);
		FAIL_IF(!info->format, VA_STATUS_ERROR_INVALID_IMAGE_FORMAT, "no surfaces of pixel format 0x%x", value);
		break;
	case VASurfaceAttribMemoryType:
		info->memory_type = (uint32_t)value;
		FAIL_IF(!(info->memory_type & SURFACE_MEMORY_TYPES) || info->memory_type & (info->memory_type - 1), VA_STATUS_ERROR_UNSUPPORTED_MEMORY_TYPE,
			"no surfaces of memory type 0x%x", value);
		break;
	case VASurfaceAttribExternalBufferDescriptor:
		FAIL_IF(a->value.type != VAGenericValueTypePointer, VA_STATUS_ERROR_INVALID_PARAMETER, "the external buffers are no pointer");
		info->external = a->value.value.p;
		break;
	case VASurfaceAttribDRMFormatModifiers:
		FAIL_IF(a->value.type != VAGenericValueTypePointer || !a->value.value.p, VA_STATUS_ERROR_INVALID_PARAMETER, "the modifiers are no pointer");
		info->modifiers = a->value.value.p;
		break;
	case VASurfaceAttribUsageHint: break;
	default: return FAIL(VA_STATUS_ERROR_ATTR_NOT_SUPPORTED, "surface attribute %d cannot be set", a->type);
	}
	return VA_STATUS_SUCCESS;
}

static VAStatus read_attributes(const VASurfaceAttrib *list, unsigned count, struct surface_info *info)
{
	FAIL_IF(count && !list, VA_STATUS_ERROR_INVALID_PARAMETER, "no attributes");
	for (unsigned i = 0; i < count; i++)
		TRY(attribute(&list[i], info));
	const bool imports = info->memory_type != VA_SURFACE_ATTRIB_MEM_TYPE_VA;
	FAIL_IF(imports && !info->external, VA_STATUS_ERROR_INVALID_PARAMETER, "memory type 0x%x needs external buffers", info->memory_type);
	if (info->format && !(info->format->rt & info->rt))
		return FAIL(VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, "pixel format %.4s is not of class 0x%x", (const char *)&info->format->fourcc, info->rt);
	if (!info->format)
		info->format = format_default(info->rt);
	FAIL_IF(!info->format, VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, "no surfaces of class 0x%x", info->rt);
	return VA_STATUS_SUCCESS;
}

/* ---- making them ---- */
/* What its samples are before they are written is undefined; they are 0. */
static VAStatus allocate(struct display *d, const struct surface_info *info, struct surface *s)
{
	FAIL_IF(info->modifiers && !modifiers_have_linear(info->modifiers), VA_STATUS_ERROR_INVALID_PARAMETER, "none of the modifiers is linear");
	layout_init(&s->layout, info->format, info->width, info->height);
	return memory_create(d, s->layout.size, true, &s->memory);
}

static VAStatus surface_create(struct display *d, const struct surface_info *info, unsigned index, unsigned count, VASurfaceID *out)
{
	struct surface *s = calloc(1, sizeof *s);
	if (!s)
		return VA_STATUS_ERROR_ALLOCATION_FAILED;
	s->object = (struct object){.kind = SURFACE, .refs = 1};
	const VAStatus status = info->memory_type == VA_SURFACE_ATTRIB_MEM_TYPE_VA ? allocate(d, info, s) : surface_import(d, info, index, count, s);
	if (status) {
		surface_destroy(s);
		return status;
	}
	return object_add(d, &s->object, out);
}

static VAStatus create(struct display *d, struct surface_info *info, VASurfaceID *out, unsigned count, const VASurfaceAttrib *list, unsigned num_attributes)
{
	FAIL_IF(!out || !count, VA_STATUS_ERROR_INVALID_PARAMETER, "no surfaces");
	FAIL_IF(!(info->rt & formats_rt()), VA_STATUS_ERROR_UNSUPPORTED_RT_FORMAT, "no surfaces of class 0x%x", info->rt);
	FAIL_IF(!info->width || !info->height, VA_STATUS_ERROR_INVALID_PARAMETER, "a surface of %u by %u", info->width, info->height);
	FAIL_IF(info->width > MEDIA_SIZE_MAX || info->height > MEDIA_SIZE_MAX, VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED, "a surface of %u by %u; the most is %d",
		info->width, info->height, MEDIA_SIZE_MAX);
	TRY(read_attributes(list, num_attributes, info));
	for (unsigned i = 0; i < count; i++) {
		const VAStatus status = surface_create(d, info, i, count, &out[i]);
		if (!status)
			continue;
		while (i--)
			object_put(object_take(d, SURFACE, out[i]));
		return status;
	}
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaCreateSurfaces2(VADriverContextP ctx, unsigned int rt, unsigned int width, unsigned int height, VASurfaceID *out, unsigned int count,
				  VASurfaceAttrib *list, unsigned int num_attributes)
{
	struct surface_info info = {.rt = rt, .width = width, .height = height, .memory_type = VA_SURFACE_ATTRIB_MEM_TYPE_VA};
	return create(display_of(ctx), &info, out, count, list, num_attributes);
}

VAStatus galena_vaCreateSurfaces(VADriverContextP ctx, int width, int height, int rt, int count, VASurfaceID *out)
{
	FAIL_IF(width < 0 || height < 0 || count < 0, VA_STATUS_ERROR_INVALID_PARAMETER, "%d surfaces of %d by %d", count, width, height);
	return galena_vaCreateSurfaces2(ctx, (unsigned)rt, (unsigned)width, (unsigned)height, out, (unsigned)count, NULL, 0);
}

/* All of them, or none. */
VAStatus galena_vaDestroySurfaces(VADriverContextP ctx, VASurfaceID *list, int count)
{
	struct display *d = display_of(ctx);
	FAIL_IF(count < 0 || (count && !list), VA_STATUS_ERROR_INVALID_PARAMETER, "no surfaces");
	for (int i = 0; i < count; i++) {
		USING(object) s = object_get(d, SURFACE, list[i]);
		FAIL_IF(!s, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", list[i]);
	}
	for (int i = 0; i < count; i++) {
		struct object *s = object_take(d, SURFACE, list[i]);
		if (s) /* or the list names one twice */
			object_put(s);
	}
	return VA_STATUS_SUCCESS;
}

/* ---- queries ---- */
static void put_attribute(VASurfaceAttrib *list, unsigned room, unsigned *n, VASurfaceAttribType type, uint32_t flags, uint32_t value)
{
	if (list && *n < room)
		list[*n] = (VASurfaceAttrib){type, flags, {.type = VAGenericValueTypeInteger, .value.i = (int32_t)value}};
	++*n;
}

VAStatus galena_vaQuerySurfaceAttributes(VADriverContextP ctx, VAConfigID id, VASurfaceAttrib *list, unsigned int *count)
{
	const uint32_t get = VA_SURFACE_ATTRIB_GETTABLE, both = VA_SURFACE_ATTRIB_GETTABLE | VA_SURFACE_ATTRIB_SETTABLE;
	USING(config) c = object_get(display_of(ctx), CONFIG, id);
	unsigned n = 0;
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONFIG, "0x%x is no configuration", id);
	FAIL_IF(!count, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the number of attributes");
	for (unsigned i = 0; i < FORMATS; i++)
		if (config_has_format(c, &formats[i]))
			put_attribute(list, *count, &n, VASurfaceAttribPixelFormat, both, formats[i].fourcc);
	put_attribute(list, *count, &n, VASurfaceAttribMinWidth, get, 1);
	put_attribute(list, *count, &n, VASurfaceAttribMaxWidth, get, MEDIA_SIZE_MAX);
	put_attribute(list, *count, &n, VASurfaceAttribMinHeight, get, 1);
	put_attribute(list, *count, &n, VASurfaceAttribMaxHeight, get, MEDIA_SIZE_MAX);
	put_attribute(list, *count, &n, VASurfaceAttribMemoryType, both, SURFACE_MEMORY_TYPES);
	put_attribute(list, *count, &n, VASurfaceAttribExternalBufferDescriptor, VA_SURFACE_ATTRIB_SETTABLE, 0);
	if (list && n <= *count) {
		list[n - 1].value.type = VAGenericValueTypePointer;
		list[n - 1].value.value.p = NULL;
	}
	const bool room = !list || n <= *count;
	*count = n;
	FAIL_IF(!room, VA_STATUS_ERROR_MAX_NUM_EXCEEDED, "there are %u attributes", n);
	return VA_STATUS_SUCCESS;
}

/* ---- waiting ---- */
static struct umd_command *last_decoding(struct display *d, struct surface *s)
{
	HOLDING(&d->lock);
	if (s->decode)
		umd_command_retain(s->decode);
	return s->decode;
}

/* What has become of the last decoding, if it has ended. */
static VAStatus decoded(struct display *d, struct surface *s)
{
	struct completion c;
	struct umd_command *decode = last_decoding(d, s);
	const bool failed = decode && umd_command_ended(decode, &c) && c.status;
	umd_command_release(decode);
	if (!failed)
		return VA_STATUS_SUCCESS;
	return job_stream_error(&c) ? FAIL(VA_STATUS_ERROR_DECODING_ERROR, "the stream has an error") :
				      FAIL(VA_STATUS_ERROR_OPERATION_FAILED, "the decoder has failed: %s", fault_text(-c.status));
}

/* The memory is idle, but another thread may still be handling the end of the decoding: what has become of it is known after that. */
static VAStatus decoding_wait(struct display *d, struct surface *s)
{
	struct umd_command *decode = last_decoding(d, s);
	const int error = decode ? umd_wait(decode) : 0;
	umd_command_release(decode);
	TRY(driver_status(error));
	return decoded(d, s);
}

VAStatus galena_vaSyncSurface(VADriverContextP ctx, VASurfaceID id)
{
	struct display *d = display_of(ctx);
	USING(surface) s = object_get(d, SURFACE, id);
	FAIL_IF(!s, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", id);
	TRY(memory_wait(d, s->memory));
	return decoding_wait(d, s);
}

VAStatus galena_vaSyncSurface2(VADriverContextP ctx, VASurfaceID id, uint64_t timeout)
{
	struct display *d = display_of(ctx);
	USING(surface) s = object_get(d, SURFACE, id);
	FAIL_IF(!s, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", id);
	if (timeout == VA_TIMEOUT_INFINITE)
		TRY(memory_wait(d, s->memory));
	else
		FAIL_IF(!memory_idle(d, s->memory, timeout), VA_STATUS_ERROR_TIMEDOUT, "the surface is in use");
	return decoding_wait(d, s);
}

VAStatus galena_vaQuerySurfaceStatus(VADriverContextP ctx, VASurfaceID id, VASurfaceStatus *status)
{
	struct display *d = display_of(ctx);
	USING(surface) s = object_get(d, SURFACE, id);
	FAIL_IF(!s, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", id);
	FAIL_IF(!status, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the status");
	*status = memory_idle(d, s->memory, 0) ? VASurfaceReady : VASurfaceRendering;
	return VA_STATUS_SUCCESS;
}

/* The unit ends a picture at an error: of which block it is is not told. The list is the surface's. */
VAStatus galena_vaQuerySurfaceError(VADriverContextP ctx, VASurfaceID id, VAStatus error, void **out)
{
	struct display *d = display_of(ctx);
	USING(surface) s = object_get(d, SURFACE, id);
	FAIL_IF(!s, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", id);
	FAIL_IF(!out, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the errors");
	*out = NULL;
	FAIL_IF(error != VA_STATUS_ERROR_DECODING_ERROR, VA_STATUS_ERROR_INVALID_PARAMETER, "status 0x%x has no list of errors", error);
	FAIL_IF(decoded(d, s) != VA_STATUS_ERROR_DECODING_ERROR, VA_STATUS_ERROR_OPERATION_FAILED, "no decoding into the surface has had an error");
	HOLDING(&d->lock);
	memset(s->errors, 0, sizeof s->errors);
	s->errors[0] = (VASurfaceDecodeMBErrors){.status = 1, .start_mb = 0, .end_mb = 0, .decode_error_type = VADecodeMBError};
	s->errors[1].status = -1;
	*out = s->errors;
	return VA_STATUS_SUCCESS;
}
