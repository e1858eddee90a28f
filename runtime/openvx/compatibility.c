/* Functions of OpenVX 1.0 that functions of OpenVX 1.3 replace. */
#include "runtime/openvx/object.h"
#include <VX/vx_compatibility.h>
#include <stdint.h>

/* Nothing is written where data are read from. */
static void *unwritten(const void *ptr) { return (void *)(uintptr_t)ptr; }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReadMatrix(vx_matrix mat, void *array)
{
	return vxCopyMatrix(mat, array, VX_READ_ONLY, VX_MEMORY_TYPE_HOST);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxWriteMatrix(vx_matrix mat, const void *array)
{
	return vxCopyMatrix(mat, unwritten(array), VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReadConvolutionCoefficients(vx_convolution conv, vx_int16 *array)
{
	return vxCopyConvolutionCoefficients(conv, array, VX_READ_ONLY, VX_MEMORY_TYPE_HOST);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxWriteConvolutionCoefficients(vx_convolution conv, const vx_int16 *array)
{
	return vxCopyConvolutionCoefficients(conv, unwritten(array), VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReadScalarValue(vx_scalar ref, void *ptr)
{
	return vxCopyScalar(ref, ptr, VX_READ_ONLY, VX_MEMORY_TYPE_HOST);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxWriteScalarValue(vx_scalar ref, const void *ptr)
{
	return vxCopyScalar(ref, unwritten(ptr), VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
}

static vx_status copy_point(vx_remap table, vx_uint32 x, vx_uint32 y, vx_coordinates2df_t *point, vx_enum usage)
{
	const vx_rectangle_t place = {x, y, x + 1, y + 1};
	return vxCopyRemapPatch(table, &place, sizeof *point, point, VX_TYPE_COORDINATES2DF, usage, VX_MEMORY_TYPE_HOST);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetRemapPoint(vx_remap table, vx_uint32 dst_x, vx_uint32 dst_y, vx_float32 src_x, vx_float32 src_y)
{
	vx_coordinates2df_t point = {src_x, src_y};
	return copy_point(table, dst_x, dst_y, &point, VX_WRITE_ONLY);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxGetRemapPoint(vx_remap table, vx_uint32 dst_x, vx_uint32 dst_y, vx_float32 *src_x, vx_float32 *src_y)
{
	vx_coordinates2df_t point = {0, 0};
	/* without both places there is none for the point */
	const vx_status status = copy_point(table, dst_x, dst_y, src_x && src_y ? &point : NULL, VX_READ_ONLY);
	if (!status) {
		*src_x = point.x;
		*src_y = point.y;
	}
	return status;
}
