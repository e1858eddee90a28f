/* Images: pixels that the host maps, of their own or those of a surface. */
#include "runtime/vaapi/objects.h"
#include "runtime/vaapi/process.h"
#include <stdlib.h>

void image_destroy(struct image *i)
{
	memory_unref(i->memory);
	free(i);
}

VAStatus galena_vaQueryImageFormats(VADriverContextP ctx, VAImageFormat *list, int *count)
{
	(void)ctx;
	FAIL_IF(!list || !count, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the formats");
	for (unsigned i = 0; i < FORMATS; i++)
		format_image(&formats[i], &list[i]);
	*count = FORMATS;
	return VA_STATUS_SUCCESS;
}

/* ---- making and destroying them ---- */
static void describe(const struct image *i, VAImage *out)
{
	const struct layout *l = &i->layout;
	*out = (VAImage){.image_id = i->object.id, .buf = i->buffer, .width = (uint16_t)l->width, .height = (uint16_t)l->height, .data_size = (uint32_t)l->size,
			 .num_planes = l->format->num_planes};
	format_image(l->format, &out->format);
	for (unsigned p = 0; p < l->format->num_planes && p < 3; p++) {
		out->pitches[p] = l->pitch[p];
		out->offsets[p] = l->offset[p];
	}
}

/* Takes the reference of the memory. */
static VAStatus image_create(struct display *d, const struct layout *l, struct memory *memory, VAImage *out)
{
	struct image *i = calloc(1, sizeof *i);
	struct buffer *b;
	if (!i) {
		memory_unref(memory);
		return VA_STATUS_ERROR_ALLOCATION_FAILED;
	}
	*i = (struct image){.object = {.kind = IMAGE, .refs = 2}, .layout = *l, .memory = memory, .buffer = VA_INVALID_ID};
	VAStatus status = buffer_create(d, VAImageBufferType, (uint32_t)l->size, 1, memory, &b);
	if (!status)
		status = object_add(d, &b->object, &i->buffer);
	if (!status) {
		VAImageID id;
		status = object_add(d, &i->object, &id);
		if (!status)
			describe(i, out);
		else
			object_put(object_take(d, BUFFER, i->buffer));
	} else {
		object_put(&i->object);
	}
	object_put(&i->object);
	return status;
}

VAStatus galena_vaCreateImage(VADriverContextP ctx, VAImageFormat *format, int width, int height, VAImage *out)
{
	struct display *d = display_of(ctx);
	const struct format *f = format ? format_find(format->fourcc) : NULL;
	struct layout l;
	struct memory *memory;
	FAIL_IF(!f, VA_STATUS_ERROR_INVALID_IMAGE_FORMAT, "no images of format 0x%x", format ? format->fourcc : 0);
	FAIL_IF(!out, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the image");
	FAIL_IF(width < 1 || height < 1 || width > MEDIA_SIZE_MAX || height > MEDIA_SIZE_MAX, VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED, "an image of %d by %d", width, height);
	layout_init(&l, f, (uint32_t)width, (uint32_t)height);
	TRY(memory_create(d, l.size, true, &memory));
	return image_create(d, &l, memory, out);
}

VAStatus galena_vaDeriveImage(VADriverContextP ctx, VASurfaceID surface, VAImage *out)
{
	struct display *d = display_of(ctx);
	USING(surface) s = object_get(d, SURFACE, surface);
	FAIL_IF(!s, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", surface);
	FAIL_IF(!out, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the image");
	return image_create(d, &s->layout, memory_ref(s->memory), out);
}

VAStatus galena_vaDestroyImage(VADriverContextP ctx, VAImageID id)
{
	struct display *d = display_of(ctx);
	struct image *i = object_take(d, IMAGE, id);
	FAIL_IF(!i, VA_STATUS_ERROR_INVALID_IMAGE, "0x%x is no image", id);
	struct object *b = object_take(d, BUFFER, i->buffer);
	if (b) /* or the application has destroyed it */
		object_put(b);
	object_put(&i->object);
	return VA_STATUS_SUCCESS;
}

/* ---- copies ---- */
static bool inside(int x, int y, unsigned width, unsigned height, const struct layout *l)
{
	return x >= 0 && y >= 0 && width && height && width <= l->width && height <= l->height && (unsigned)x <= l->width - width && (unsigned)y <= l->height - height;
}

/* The host reads the image after that, or writes it: so it waits. */
static VAStatus transfer(struct display *d, const struct side *src, const struct side *dst)
{
	struct job j;
	struct umd_command *command;
	job_begin(&j, d);
	process_convert(&j, src, dst);
	TRY(job_submit(&j, &command));
	return job_wait(command);
}

VAStatus galena_vaGetImage(VADriverContextP ctx, VASurfaceID surface, int x, int y, unsigned int width, unsigned int height, VAImageID image)
{
	struct display *d = display_of(ctx);
	USING(surface) s = object_get(d, SURFACE, surface);
	USING(image) i = object_get(d, IMAGE, image);
	FAIL_IF(!s, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", surface);
	FAIL_IF(!i, VA_STATUS_ERROR_INVALID_IMAGE, "0x%x is no image", image);
	FAIL_IF(!inside(x, y, width, height, &s->layout) || !inside(0, 0, width, height, &i->layout), VA_STATUS_ERROR_INVALID_PARAMETER,
		"%u by %u pixels at (%d, %d) of a surface of %u by %u, into an image of %u by %u", width, height, x, y, s->layout.width, s->layout.height,
		i->layout.width, i->layout.height);
	const struct side src = {.layout = &s->layout, .memory = s->memory, .x = (uint32_t)x, .y = (uint32_t)y, .width = width, .height = height};
	const struct side dst = {.layout = &i->layout, .memory = i->memory, .width = width, .height = height};
	return transfer(d, &src, &dst);
}

VAStatus galena_vaPutImage(VADriverContextP ctx, VASurfaceID surface, VAImageID image, int src_x, int src_y, unsigned int src_width, unsigned int src_height,
			   int dest_x, int dest_y, unsigned int dest_width, unsigned int dest_height)
{
	struct display *d = display_of(ctx);
	USING(surface) s = object_get(d, SURFACE, surface);
	USING(image) i = object_get(d, IMAGE, image);
	FAIL_IF(!s, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", surface);
	FAIL_IF(!i, VA_STATUS_ERROR_INVALID_IMAGE, "0x%x is no image", image);
	FAIL_IF(!inside(src_x, src_y, src_width, src_height, &i->layout), VA_STATUS_ERROR_INVALID_PARAMETER, "%u by %u pixels at (%d, %d) of an image of %u by %u",
		src_width, src_height, src_x, src_y, i->layout.width, i->layout.height);
	FAIL_IF(!inside(dest_x, dest_y, dest_width, dest_height, &s->layout), VA_STATUS_ERROR_INVALID_PARAMETER,
		"%u by %u pixels at (%d, %d) of a surface of %u by %u", dest_width, dest_height, dest_x, dest_y, s->layout.width, s->layout.height);
	const struct side src = {.layout = &i->layout, .memory = i->memory, .x = (uint32_t)src_x, .y = (uint32_t)src_y, .width = src_width, .height = src_height};
	const struct side dst = {.layout = &s->layout, .memory = s->memory, .x = (uint32_t)dest_x, .y = (uint32_t)dest_y, .width = dest_width, .height = dest_height};
	return transfer(d, &src, &dst);
}
