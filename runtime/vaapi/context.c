/* Contexts, and the pictures that they make. As the specification has it, one thread at a time makes a picture of a context; where more do, each
 * call finds the picture as another left it. */
#include "base/hold.h"
#include "runtime/vaapi/objects.h"
#include "runtime/vaapi/picture.h"
#include <stdlib.h>

void context_destroy(struct context *c)
{
	if (c->target)
		object_put(&c->target->object);
	if (c->config)
		object_put(&c->config->object);
	steps_destroy(c->steps);
	jpeg_destroy(c->jpeg);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static VAStatus check_targets(struct display *d, const struct config *c, const VASurfaceID *targets, int count)
{
	FAIL_IF(count < 0 || (count && !targets), VA_STATUS_ERROR_INVALID_PARAMETER, "no surfaces");
	for (int i = 0; i < count; i++) {
		USING(surface) s = object_get(d, SURFACE, targets[i]);
		FAIL_IF(!s, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", targets[i]);
		FAIL_IF(!config_has_format(c, s->layout.format), VA_STATUS_ERROR_INVALID_SURFACE, "pictures of the context are not of format %.4s",
			(const char *)&s->layout.format->fourcc);
	}
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaCreateContext(VADriverContextP ctx, VAConfigID config, int width, int height, int flag, VASurfaceID *targets, int num_targets, VAContextID *out)
{
	struct display *d = display_of(ctx);
	USING(config) c = object_get(d, CONFIG, config);
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONFIG, "0x%x is no configuration", config);
	FAIL_IF(!out, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the context");
	FAIL_IF(flag & ~VA_PROGRESSIVE, VA_STATUS_ERROR_FLAG_NOT_SUPPORTED, "no contexts with flags 0x%x", flag);
	FAIL_IF(width < 0 || height < 0 || width > MEDIA_SIZE_MAX || height > MEDIA_SIZE_MAX, VA_STATUS_ERROR_RESOLUTION_NOT_SUPPORTED, "pictures of %d by %d", width,
		height);
	TRY(check_targets(d, c, targets, num_targets));
	struct context *made = calloc(1, sizeof *made);
	if (!made)
		return VA_STATUS_ERROR_ALLOCATION_FAILED;
	made->object = (struct object){.kind = CONTEXT, .refs = 1};
	pthread_mutex_init(&made->lock, NULL);
	made->config = c;
	c = NULL; /* the context's now */
	made->steps = config_is_decoder(made->config) ? NULL : steps_create();
	made->jpeg = config_is_decoder(made->config) ? jpeg_create() : NULL;
	if (!made->steps && !made->jpeg) {
		object_put(&made->object);
		return VA_STATUS_ERROR_ALLOCATION_FAILED;
	}
	return object_add(d, &made->object, out);
}

VAStatus galena_vaDestroyContext(VADriverContextP ctx, VAContextID id)
{
	struct context *c = object_take(display_of(ctx), CONTEXT, id);
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONTEXT, "0x%x is no context", id);
	object_put(&c->object);
	return VA_STATUS_SUCCESS;
}

/* ---- pictures ---- */
static void reset(struct context *c)
{
	if (c->steps)
		steps_reset(c->steps);
	if (c->jpeg)
		jpeg_reset(c->jpeg);
}

VAStatus galena_vaBeginPicture(VADriverContextP ctx, VAContextID context, VASurfaceID target)
{
	struct display *d = display_of(ctx);
	USING(context) c = object_get(d, CONTEXT, context);
	USING(surface) s = object_get(d, SURFACE, target);
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONTEXT, "0x%x is no context", context);
	FAIL_IF(!s, VA_STATUS_ERROR_INVALID_SURFACE, "0x%x is no surface", target);
	FAIL_IF(!config_has_format(c->config, s->layout.format), VA_STATUS_ERROR_INVALID_SURFACE, "pictures of the context are not of format %.4s",
		(const char *)&s->layout.format->fourcc);
	HOLDING(&c->lock);
	FAIL_IF(c->target || c->ends, VA_STATUS_ERROR_OPERATION_FAILED, "a picture of the context has begun and not ended");
	reset(c);
	c->target = s;
	s = NULL; /* the picture's now */
	return VA_STATUS_SUCCESS;
}

static VAStatus render(struct display *d, struct context *c, VABufferID id)
{
	USING(buffer) b = object_get(d, BUFFER, id);
	FAIL_IF(!b, VA_STATUS_ERROR_INVALID_BUFFER, "0x%x is no buffer", id);
	return c->jpeg ? jpeg_add(c->jpeg, b) : steps_add(d, c->steps, c->target, b);
}

VAStatus galena_vaRenderPicture(VADriverContextP ctx, VAContextID context, VABufferID *buffers, int count)
{
	struct display *d = display_of(ctx);
	USING(context) c = object_get(d, CONTEXT, context);
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONTEXT, "0x%x is no context", context);
	FAIL_IF(count < 0 || (count && !buffers), VA_STATUS_ERROR_INVALID_PARAMETER, "no buffers");
	HOLDING(&c->lock);
	FAIL_IF(!c->target, VA_STATUS_ERROR_OPERATION_FAILED, "no picture of the context has begun");
	for (int i = 0; i < count; i++)
		TRY(render(d, c, buffers[i]));
	return VA_STATUS_SUCCESS;
}

/* The caller has the picture, its parts and its target, until it lets another one begin. No lock is held meanwhile: what makes the job may wait. */
static struct surface *picture_take(struct context *c)
{
	HOLDING(&c->lock);
	struct surface *target = c->target;
	if (target)
		c->ends = true;
	c->target = NULL;
	return target;
}

/* The picture has ended, whatever becomes of it. */
VAStatus galena_vaEndPicture(VADriverContextP ctx, VAContextID context)
{
	struct display *d = display_of(ctx);
	USING(context) c = object_get(d, CONTEXT, context);
	USING(surface) target = NULL;
	struct job j;
	FAIL_IF(!c, VA_STATUS_ERROR_INVALID_CONTEXT, "0x%x is no context", context);
	target = picture_take(c);
	FAIL_IF(!target, VA_STATUS_ERROR_OPERATION_FAILED, "no picture of the context has begun");
	job_begin(&j, d);
	if (c->jpeg)
		jpeg_job(c->jpeg, target, &j);
	else
		steps_job(c->steps, target, &j);
	reset(c);
	const VAStatus status = job_submit(&j, NULL);
	HOLDING(&c->lock);
	c->ends = false;
	return status;
}
