/* Lookup tables (OpenVX 1.3, vx_lut). */
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/map.h"

/* ---- life ---- */
vx_lut lut_create(struct _vx_context *c, struct _vx_reference *scope, vx_enum type, vx_size count, bool is_virtual)
{
	struct _vx_lut *lut = object_create(c, VX_TYPE_LUT, sizeof *lut, scope, stores_destroy);
	if (!lut)
		return NULL;
	lut->reference.is_virtual = is_virtual;
	lut->data_type = type;
	lut->count = count;
	/* vxCreateLUT: a table of signed values has that of 0 in the middle */
	lut->offset = type == VX_TYPE_INT16 ? (vx_uint32)(count / 2) : 0;
	return store_open(&lut->store, count * type_size(c, type), false) ? lut : undone(lut);
}

static vx_lut lut_new(struct _vx_context *c, struct _vx_reference *scope, vx_enum type, vx_size count, bool is_virtual)
{
	/* vxCreateLUT: entries of 8 bits without a sign, or of 16 with one */
	if (type != VX_TYPE_UINT8 && type != VX_TYPE_INT16)
		return refused(c, fail(c, VX_ERROR_INVALID_TYPE, "a lookup table of type 0x%x", type));
	/* vxCreateLUT: one for each value at most */
	if (!count || count > (type == VX_TYPE_UINT8 ? 256u : 65536u))
		return refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "a lookup table of %zu entries of type %s", count,
				       type_name(type)));
	return created(c, lut_create(c, scope, type, count, is_virtual));
}

VX_API_ENTRY VX_EXPORT vx_lut VX_API_CALL vxCreateLUT(vx_context c, vx_enum data_type, vx_size count)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	return lut_new(c, &c->reference, data_type, count, false);
}

VX_API_ENTRY VX_EXPORT vx_lut VX_API_CALL vxCreateVirtualLUT(vx_graph graph, vx_enum data_type, vx_size count)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	return lut_new(c, &graph->reference, data_type, count, true);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseLUT(vx_lut *lut)
{
	return object_release((vx_reference *)lut, VX_TYPE_LUT);
}

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryLUT(vx_lut lut, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(lut, VX_TYPE_LUT, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyLUT(vx_lut lut, void *user_ptr, vx_enum usage, vx_enum user_mem_type)
{
	return whole_copy(lut, VX_TYPE_LUT, __func__, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapLUT(vx_lut lut, vx_map_id *map_id, void **ptr, vx_enum usage, vx_enum mem_type,
						      vx_bitfield flags)
{
	(void)flags;
	return whole_map(lut, VX_TYPE_LUT, __func__, map_id, ptr, usage, mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxUnmapLUT(vx_lut lut, vx_map_id map_id)
{
	return store_unmap(lut, VX_TYPE_LUT, __func__, map_id);
}
