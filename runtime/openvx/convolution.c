/* Convolutions: coefficients of a filter (OpenVX 1.3, vx_convolution). */
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/map.h"

static bool convolution_is(vx_convolution conv) { return object_is(conv, VX_TYPE_CONVOLUTION); }

/* ---- life ---- */
vx_convolution convolution_create(struct _vx_context *c, struct _vx_reference *scope, vx_size columns, vx_size rows,
				  bool is_virtual)
{
	struct _vx_convolution *conv = object_create(c, VX_TYPE_CONVOLUTION, sizeof *conv, scope, stores_destroy);
	if (!conv)
		return NULL;
	conv->reference.is_virtual = is_virtual;
	conv->columns = columns;
	conv->rows = rows;
	conv->scale = 1;
	return store_open(&conv->store, columns * rows * sizeof(vx_int16), true) ? conv : undone(conv);
}

static vx_convolution convolution_new(struct _vx_context *c, struct _vx_reference *scope, vx_size columns, vx_size rows,
				      bool is_virtual)
{
	vx_size most = 0;
	vxQueryContext(c, VX_CONTEXT_CONVOLUTION_MAX_DIMENSION, &most, sizeof most);
	/* vxCreateConvolution: odd, 3 and more, up to VX_CONTEXT_CONVOLUTION_MAX_DIMENSION */
	if (!(columns & rows & 1) || columns < 3 || rows < 3 || columns > most || rows > most)
		return refused(c, fail(c, VX_ERROR_INVALID_DIMENSION,
				       "a convolution of %zu columns and %zu rows: odd numbers, 3 to %zu", columns, rows, most));
	return created(c, convolution_create(c, scope, columns, rows, is_virtual));
}

VX_API_ENTRY VX_EXPORT vx_convolution VX_API_CALL vxCreateConvolution(vx_context c, vx_size columns, vx_size rows)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	return convolution_new(c, &c->reference, columns, rows, false);
}

VX_API_ENTRY VX_EXPORT vx_convolution VX_API_CALL vxCreateVirtualConvolution(vx_graph graph, vx_size columns, vx_size rows)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	return convolution_new(c, &graph->reference, columns, rows, true);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseConvolution(vx_convolution *conv)
{
	return object_release((vx_reference *)conv, VX_TYPE_CONVOLUTION);
}

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryConvolution(vx_convolution conv, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(conv, VX_TYPE_CONVOLUTION, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetConvolutionAttribute(vx_convolution conv, vx_enum attribute, const void *ptr,
								       vx_size size)
{
	vx_uint32 scale = 0;
	if (!convolution_is(conv))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxSetConvolutionAttribute: not a convolution");
	LOCKED(conv->reference.context);
	/* enum vx_convolution_attribute_e: the others are read only */
	if (attribute != VX_CONVOLUTION_SCALE)
		return attribute_unknown(conv, attribute);
	const vx_status status = attribute_set(conv, attribute, &scale, sizeof scale, ptr, size);
	if (status)
		return status;
	/* VX_CONVOLUTION_SCALE: a power of 2 */
	if (!scale || scale & (scale - 1))
		return fail(conv, VX_ERROR_INVALID_VALUE, "VX_CONVOLUTION_SCALE: %u is not a power of 2", scale);
	conv->scale = scale;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyConvolutionCoefficients(vx_convolution conv, void *user_ptr, vx_enum usage,
									   vx_enum user_mem_type)
{
	return whole_copy(conv, VX_TYPE_CONVOLUTION, __func__, user_ptr, usage, user_mem_type);
}
