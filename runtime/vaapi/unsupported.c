/* What the device has no part for: windows, subpictures, palettes, contexts of many frames. */
#include "runtime/vaapi/objects.h"

VAStatus galena_vaPutSurface(VADriverContextP ctx, VASurfaceID surface, void *draw, short srcx, short srcy, unsigned short srcw, unsigned short srch, short destx,
			     short desty, unsigned short destw, unsigned short desth, VARectangle *rects, unsigned int num_rects, unsigned int flags)
{
	(void)ctx, (void)surface, (void)draw, (void)srcx, (void)srcy, (void)srcw, (void)srch, (void)destx, (void)desty, (void)destw, (void)desth;
	(void)rects, (void)num_rects, (void)flags;
	return FAIL(VA_STATUS_ERROR_UNIMPLEMENTED, "the driver draws into no window");
}

/* ---- subpictures ---- */
VAStatus galena_vaQuerySubpictureFormats(VADriverContextP ctx, VAImageFormat *list, unsigned int *flags, unsigned int *count)
{
	(void)ctx, (void)list, (void)flags;
	FAIL_IF(!count, VA_STATUS_ERROR_INVALID_PARAMETER, "no place for the number of formats");
	*count = 0;
	return VA_STATUS_SUCCESS;
}

VAStatus galena_vaCreateSubpicture(VADriverContextP ctx, VAImageID image, VASubpictureID *out)
{
	(void)out;
	USING(object) i = object_get(display_of(ctx), IMAGE, image);
	FAIL_IF(!i, VA_STATUS_ERROR_INVALID_IMAGE, "0x%x is no image", image);
	return FAIL(VA_STATUS_ERROR_INVALID_IMAGE_FORMAT, "there are no subpictures, of no format");
}

static VAStatus no_subpicture(VASubpictureID id) { return FAIL(VA_STATUS_ERROR_INVALID_SUBPICTURE, "0x%x is no subpicture", id); }

VAStatus galena_vaDestroySubpicture(VADriverContextP ctx, VASubpictureID id)
{
	(void)ctx;
	return no_subpicture(id);
}

VAStatus galena_vaSetSubpictureImage(VADriverContextP ctx, VASubpictureID id, VAImageID image)
{
	(void)ctx, (void)image;
	return no_subpicture(id);
}

VAStatus galena_vaSetSubpictureChromakey(VADriverContextP ctx, VASubpictureID id, unsigned int min, unsigned int max, unsigned int mask)
{
	(void)ctx, (void)min, (void)max, (void)mask;
	return no_subpicture(id);
}

VAStatus galena_vaSetSubpictureGlobalAlpha(VADriverContextP ctx, VASubpictureID id, float alpha)
{
	(void)ctx, (void)alpha;
	return no_subpicture(id);
}

VAStatus galena_vaAssociateSubpicture(VADriverContextP ctx, VASubpictureID id, VASurfaceID *surfaces, int count, short src_x, short src_y,
				      unsigned short src_width, unsigned short src_height, short dest_x, short dest_y, unsigned short dest_width,
				      unsigned short dest_height, unsigned int flags)
{
	(void)ctx, (void)surfaces, (void)count, (void)src_x, (void)src_y, (void)src_width, (void)src_height, (void)dest_x, (void)dest_y;
	(void)dest_width, (void)dest_height, (void)flags;
	return no_subpicture(id);
}

VAStatus galena_vaDeassociateSubpicture(VADriverContextP ctx, VASubpictureID id, VASurfaceID *surfaces, int count)
{
	(void)ctx, (void)surfaces, (void)count;
	return no_subpicture(id);
}

/* ---- others ---- */
VAStatus galena_vaSetImagePalette(VADriverContextP ctx, VAImageID image, unsigned char *palette)
{
	(void)palette;
	USING(object) i = object_get(display_of(ctx), IMAGE, image);
	FAIL_IF(!i, VA_STATUS_ERROR_INVALID_IMAGE, "0x%x is no image", image);
	return FAIL(VA_STATUS_ERROR_INVALID_IMAGE_FORMAT, "no format has a palette");
}

VAStatus galena_vaLockSurface(VADriverContextP ctx, VASurfaceID surface, unsigned int *fourcc, unsigned int *luma_stride, unsigned int *u_stride,
			      unsigned int *v_stride, unsigned int *luma_offset, unsigned int *u_offset, unsigned int *v_offset, unsigned int *name, void **buffer)
{
	(void)ctx, (void)surface, (void)fourcc, (void)luma_stride, (void)u_stride, (void)v_stride, (void)luma_offset, (void)u_offset, (void)v_offset;
	(void)name, (void)buffer;
	return FAIL(VA_STATUS_ERROR_UNIMPLEMENTED, "vaDeriveImage maps surfaces");
}

VAStatus galena_vaUnlockSurface(VADriverContextP ctx, VASurfaceID surface)
{
	(void)ctx, (void)surface;
	return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus galena_vaGetSurfaceAttributes(VADriverContextP ctx, VAConfigID config, VASurfaceAttrib *list, unsigned int count)
{
	(void)ctx, (void)config, (void)list, (void)count;
	return FAIL(VA_STATUS_ERROR_UNIMPLEMENTED, "vaQuerySurfaceAttributes has taken its place");
}

VAStatus galena_vaCreateMFContext(VADriverContextP ctx, VAMFContextID *out)
{
	(void)ctx, (void)out;
	return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus galena_vaMFAddContext(VADriverContextP ctx, VAMFContextID id, VAContextID context)
{
	(void)ctx, (void)id, (void)context;
	return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus galena_vaMFReleaseContext(VADriverContextP ctx, VAMFContextID id, VAContextID context)
{
	(void)ctx, (void)id, (void)context;
	return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus galena_vaMFSubmit(VADriverContextP ctx, VAMFContextID id, VAContextID *contexts, int count)
{
	(void)ctx, (void)id, (void)contexts, (void)count;
	return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus galena_vaCreateBuffer2(VADriverContextP ctx, VAContextID context, VABufferType type, unsigned int width, unsigned int height, unsigned int *unit_size,
				unsigned int *pitch, VABufferID *out)
{
	(void)ctx, (void)context, (void)type, (void)width, (void)height, (void)unit_size, (void)pitch, (void)out;
	return FAIL(VA_STATUS_ERROR_UNIMPLEMENTED, "no buffer has rows");
}

VAStatus galena_vaQueryProcessingRate(VADriverContextP ctx, VAConfigID config, VAProcessingRateParameter *parameter, unsigned int *rate)
{
	(void)ctx, (void)config, (void)parameter, (void)rate;
	return VA_STATUS_ERROR_UNIMPLEMENTED;
}

VAStatus galena_vaCopy(VADriverContextP ctx, VACopyObject *dst, VACopyObject *src, VACopyOption option)
{
	(void)ctx, (void)dst, (void)src, (void)option;
	return VA_STATUS_ERROR_UNIMPLEMENTED;
}
