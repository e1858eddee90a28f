/* Convolutions: coefficients of a filter (OpenVX 1.3, vx_convolution). */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/map.h"

/* ---- the class ---- */
static vx_status convolution_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_convolution *p = prototype;
	/* vxCreateConvolution: odd, 3 and more, up to VX_CONTEXT_CONVOLUTION_MAX_DIMENSION */
	if (!(p->columns & p->rows & 1) || p->columns < 3 || p->rows < 3 || p->columns > CONVOLUTION_MAX || p->rows > CONVOLUTION_MAX)
		return fail(scope->context, VX_ERROR_INVALID_DIMENSION, "a convolution of %zu columns and %zu rows: odd numbers, 3 to %d", p->columns, p->rows,
			    CONVOLUTION_MAX);
	return VX_SUCCESS;
}

static bool convolution_init(void *object)
{
	struct _vx_convolution *conv = object;
	conv->scale = 1;
	return store_open(&conv->store, conv->columns * conv->rows * sizeof(vx_int16), true);
}

static vx_status set_scale(void *object, const void *value)
{
	const vx_uint32 scale = *(const vx_uint32 *)value;
	/* VX_CONVOLUTION_SCALE: a power of 2 */
	FAIL_IF(!scale || scale & (scale - 1), object, VX_ERROR_INVALID_VALUE, "VX_CONVOLUTION_SCALE: %u is not a power of 2", scale);
	((vx_convolution)object)->scale = scale;
	return VX_SUCCESS;
}

static const struct object_attribute attributes[] = {
	{META(VX_CONVOLUTION_ROWS, _vx_convolution, rows, DIMENSION)},
	{META(VX_CONVOLUTION_COLUMNS, _vx_convolution, columns, DIMENSION)},
	{ATTRIBUTE(VX_CONVOLUTION_SCALE, _vx_convolution, scale), .set = set_scale, .cloned = true, .copies_agree = true},
	{ATTRIBUTE(VX_CONVOLUTION_SIZE, _vx_convolution, store.size)},
};

const struct object_class convolution_class = {
	.type = VX_TYPE_CONVOLUTION, .name = "a convolution", .size = OBJECT_SIZE(_vx_convolution), ATTRIBUTES(attributes),
	.num_stores = 1, .stores = {offsetof(struct _vx_convolution, store)},
	.check = convolution_check, .init = convolution_init,
};

/* ---- the API ---- */
CLASS_CREATE(vxCreateConvolution, vxCreateVirtualConvolution, convolution, (vx_size columns, vx_size rows), .columns = columns, .rows = rows)
CLASS_RELEASE(vxReleaseConvolution, convolution)
CLASS_QUERY(vxQueryConvolution, convolution)
CLASS_SET(vxSetConvolutionAttribute, convolution)
CLASS_COPY(vxCopyConvolutionCoefficients, convolution)
