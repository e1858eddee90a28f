/* What tests of OpenVX share. */
#ifndef GALENA_TESTBENCH_OPENVX_VX_H
#define GALENA_TESTBENCH_OPENVX_VX_H
#include <VX/vx.h>
#include <VX/vxu.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define VX_OK(call) assert_int_equal((call), VX_SUCCESS)
#define VX_FAILS(status, call) assert_int_equal((call), (status))
/* An object that has been created. */
#define VX_MADE(object) assert_int_equal(vxGetStatus((vx_reference)(object)), VX_SUCCESS)

static vx_context context;
static inline int make_context(void **state)
{
	(void)state;
	context = vxCreateContext();
	return vxGetStatus((vx_reference)context);
}
static inline int end_context(void **state)
{
	(void)state;
	return vxReleaseContext(&context);
}

static inline vx_image image_u8(vx_uint32 width, vx_uint32 height)
{
	vx_image image = vxCreateImage(context, width, height, VX_DF_IMAGE_U8);
	VX_MADE(image);
	return image;
}

/* Dense bytes in and out of plane 0 of an image of one byte a pixel. */
static inline vx_status move_u8(vx_image image, uint8_t *bytes, vx_enum usage)
{
	vx_uint32 width = 0, height = 0;
	VX_OK(vxQueryImage(image, VX_IMAGE_WIDTH, &width, sizeof width));
	VX_OK(vxQueryImage(image, VX_IMAGE_HEIGHT, &height, sizeof height));
	const vx_rectangle_t all = {0, 0, width, height};
	const vx_imagepatch_addressing_t dense = {.dim_x = width, .dim_y = height, .stride_x = 1, .stride_y = (vx_int32)width, .scale_x = VX_SCALE_UNITY,
						  .scale_y = VX_SCALE_UNITY, .step_x = 1, .step_y = 1};
	return vxCopyImagePatch(image, &all, 0, &dense, bytes, usage, VX_MEMORY_TYPE_HOST);
}
#endif
