/* Images of one value: the device fills their planes (OpenVX 1.3, vxCreateUniformImage, vxSetImagePixelValues). */
#include "runtime/openvx/image_patch.h"
#include "runtime/openvx/launch.h"
#include <string.h>

/* The bytes of a pixel of each plane, repeated. */
static unsigned pattern_of(vx_df_image format, unsigned plane, const vx_pixel_value_t *v, vx_uint8 bytes[4])
{
	const vx_uint8 y = v->YUV[0], u = v->YUV[1], w = v->YUV[2];
	const struct { vx_df_image format; unsigned plane, count; vx_uint8 bytes[4]; } patterns[] = {
		{VX_DF_IMAGE_U8, 0, 1, {v->U8}},
		{VX_DF_IMAGE_U16, 0, 2, {v->reserved[0], v->reserved[1]}},
		{VX_DF_IMAGE_S16, 0, 2, {v->reserved[0], v->reserved[1]}},
		{VX_DF_IMAGE_U32, 0, 4, {v->reserved[0], v->reserved[1], v->reserved[2], v->reserved[3]}},
		{VX_DF_IMAGE_S32, 0, 4, {v->reserved[0], v->reserved[1], v->reserved[2], v->reserved[3]}},
		{VX_DF_IMAGE_RGB, 0, 3, {v->RGB[0], v->RGB[1], v->RGB[2]}},
		{VX_DF_IMAGE_RGBX, 0, 4, {v->RGBX[0], v->RGBX[1], v->RGBX[2], v->RGBX[3]}},
		{VX_DF_IMAGE_UYVY, 0, 4, {u, y, w, y}},
		{VX_DF_IMAGE_YUYV, 0, 4, {y, u, y, w}},
		{VX_DF_IMAGE_NV12, 0, 1, {y}}, {VX_DF_IMAGE_NV12, 1, 2, {u, w}},
		{VX_DF_IMAGE_NV21, 0, 1, {y}}, {VX_DF_IMAGE_NV21, 1, 2, {w, u}},
		{VX_DF_IMAGE_IYUV, 0, 1, {y}}, {VX_DF_IMAGE_IYUV, 1, 1, {u}}, {VX_DF_IMAGE_IYUV, 2, 1, {w}},
		{VX_DF_IMAGE_YUV4, 0, 1, {y}}, {VX_DF_IMAGE_YUV4, 1, 1, {u}}, {VX_DF_IMAGE_YUV4, 2, 1, {w}},
	};
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		if (patterns[i].format != format || patterns[i].plane != plane)
			continue;
		memcpy(bytes, patterns[i].bytes, 4);
		return patterns[i].count;
	}
	return 0;
}

static vx_status fill(vx_image image, unsigned plane, const vx_pixel_value_t *value, bool dry)
{
	struct _vx_context *c = image->reference.context;
	struct launch l = {.context = c, .queue = c->device.queue, .dry = dry};
	const struct plane *p = &image->planes[plane];
	vx_uint8 bytes[4] = {0};
	if (image->format == VX_DF_IMAGE_U1) {
		launch_kernel(&l, "fill", "", "fill_bits", PLANE(image, plane), INT(value->U1 != vx_false_e));
		return launch_2d(&l, (p->width + 7) / 8, p->height);
	}
	const unsigned count = pattern_of(image->format, plane, value, bytes);
	launch_kernel(&l, "fill", "", "fill_bytes", PLANE(image, plane), STRUCT(bytes), INT(count));
	return launch_2d(&l, row_bytes(image->info, plane, p->width), p->height);
}

vx_status plane_fill(vx_image image, unsigned plane, const vx_pixel_value_t *value) { return fill(image, plane, value, false); }

vx_status image_rehearse_fill(vx_image image)
{
	for (unsigned i = 0; i < image->info->planes; i++)
		TRY(fill(image, i, &image->uniform, true));
	return VX_SUCCESS;
}
