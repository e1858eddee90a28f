/* There are no contexts yet: surfaces and images alone. */
#include "runtime/vaapi/objects.h"

void context_destroy(struct context *c) { (void)c; }

VAStatus galena_vaCreateContext(VADriverContextP ctx, VAConfigID config, int width, int height, int flag, VASurfaceID *targets, int num_targets, VAContextID *out)
{
	(void)ctx, (void)config, (void)width, (void)height, (void)flag, (void)targets, (void)num_targets, (void)out;
	return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus galena_vaDestroyContext(VADriverContextP ctx, VAContextID id)
{
	(void)ctx;
	return FAIL(VA_STATUS_ERROR_INVALID_CONTEXT, "0x%x is no context", id);
}

VAStatus galena_vaBeginPicture(VADriverContextP ctx, VAContextID id, VASurfaceID target)
{
	(void)target;
	return galena_vaDestroyContext(ctx, id);
}

VAStatus galena_vaRenderPicture(VADriverContextP ctx, VAContextID id, VABufferID *buffers, int count)
{
	(void)buffers, (void)count;
	return galena_vaDestroyContext(ctx, id);
}

VAStatus galena_vaEndPicture(VADriverContextP ctx, VAContextID id) { return galena_vaDestroyContext(ctx, id); }
