/* Names and functions of OpenVX 1.0. */
#include "testbench/openvx/vx.h"
#include <VX/vx_compatibility.h>

static void functions(void **state)
{
	(void)state;
	vx_matrix matrix = vxCreateMatrix(context, VX_TYPE_INT32, 2, 1);
	vx_convolution convolution = vxCreateConvolution(context, 3, 3);
	vx_scalar scalar = vxCreateScalar(context, VX_TYPE_UINT16, &(vx_uint16){1});
	vx_remap remap = vxCreateRemap(context, 10, 8, 4, 3);
	vx_int32 pair[2] = {0};
	vx_int16 coefficients[9] = {0}, *middle = &coefficients[4];
	vx_uint16 value = 0;
	vx_float32 x = 0, y = 0;
	VX_MADE(matrix);
	VX_MADE(convolution);
	VX_MADE(scalar);
	VX_MADE(remap);
	VX_OK(vxWriteMatrix(matrix, (const vx_int32[]){-5, 7}));
	VX_OK(vxReadMatrix(matrix, pair));
	assert_int_equal(pair[0], -5);
	assert_int_equal(pair[1], 7);
	VX_OK(vxWriteConvolutionCoefficients(convolution, (const vx_int16[9]){1, 2, 3, 4, -300, 6, 7, 8, 9}));
	VX_OK(vxReadConvolutionCoefficients(convolution, coefficients));
	assert_int_equal(*middle, -300);
	VX_OK(vxWriteScalarValue(scalar, &(vx_uint16){40000}));
	VX_OK(vxReadScalarValue(scalar, &value));
	assert_int_equal(value, 40000);
	for (vx_uint32 i = 0; i < 12; i++)
		VX_OK(vxSetRemapPoint(remap, i % 4, i / 4, (vx_float32)i + 0.5f, 8 - (vx_float32)i));
	for (vx_uint32 i = 0; i < 12; i++) {
		VX_OK(vxGetRemapPoint(remap, i % 4, i / 4, &x, &y));
		assert_true(x == (vx_float32)i + 0.5f && y == 8 - (vx_float32)i);
	}
	VX_OK(vxReleaseMatrix(&matrix));
	VX_OK(vxReleaseConvolution(&convolution));
	VX_OK(vxReleaseScalar(&scalar));
	VX_OK(vxReleaseRemap(&remap));
}

static void names(void **state)
{
	(void)state;
	vx_border_mode_t border = {.mode = VX_BORDER_MODE_REPLICATE};
	vx_uint32 width = 0;
	vx_enum type = 0;
	vx_image image = image_u8(5, 3);
	VX_OK(vxSetContextAttribute(context, VX_CONTEXT_ATTRIBUTE_IMMEDIATE_BORDER_MODE, &border, sizeof border));
	VX_OK(vxQueryImage(image, VX_IMAGE_ATTRIBUTE_WIDTH, &width, sizeof width));
	assert_int_equal(width, 5);
	VX_OK(vxQueryReference((vx_reference)image, VX_REF_ATTRIBUTE_TYPE, &type, sizeof type));
	assert_int_equal(type, VX_TYPE_IMAGE);
	assert_int_equal(VX_IMPORT_TYPE_HOST, VX_MEMORY_TYPE_HOST);
	assert_int_equal(VX_INTERPOLATION_TYPE_AREA, VX_INTERPOLATION_AREA);
	VX_OK(vxReleaseImage(&image));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(functions), cmocka_unit_test(names)};
	return cmocka_run_group_tests(tests, make_context, end_context);
}
