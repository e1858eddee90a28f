/* Lookup tables (OpenVX 1.3, vx_lut). */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/map.h"

/* ---- the class ---- */
static vx_status lut_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_lut *p = prototype;
	/* vxCreateLUT: entries of 8 bits without a sign, or of 16 with one */
	if (p->data_type != VX_TYPE_UINT8 && p->data_type != VX_TYPE_INT16)
		return fail(scope->context, VX_ERROR_INVALID_TYPE, "a lookup table of type 0x%x", p->data_type);
	/* vxCreateLUT: one for each value at most */
	if (!p->count || p->count > (p->data_type == VX_TYPE_UINT8 ? 256u : 65536u))
		return fail(scope->context, VX_ERROR_INVALID_PARAMETERS, "a lookup table of %zu entries of type %s", p->count, type_name(p->data_type));
	return VX_SUCCESS;
}

static bool lut_init(void *object)
{
	struct _vx_lut *lut = object;
	/* vxCreateLUT: a table of signed values has that of 0 in the middle */
	lut->offset = lut->data_type == VX_TYPE_INT16 ? (vx_uint32)(lut->count / 2) : 0;
	return store_open(&lut->store, lut->count * type_size(lut->reference.context, lut->data_type), false);
}

static const struct object_attribute attributes[] = {
	{META(VX_LUT_TYPE, _vx_lut, data_type, TYPE)},
	{META(VX_LUT_COUNT, _vx_lut, count, DIMENSION)},
	{ATTRIBUTE(VX_LUT_SIZE, _vx_lut, store.size)},
	{ATTRIBUTE(VX_LUT_OFFSET, _vx_lut, offset)},
};

const struct object_class lut_class = {
	.type = VX_TYPE_LUT, .name = "a lookup table", .size = OBJECT_SIZE(_vx_lut), ATTRIBUTES(attributes),
	.num_stores = 1, .stores = {offsetof(struct _vx_lut, store)},
	.check = lut_check, .init = lut_init,
};

/* ---- the API ---- */
VX_API_ENTRY VX_EXPORT vx_lut VX_API_CALL vxCreateLUT(vx_context c, vx_enum data_type, vx_size count)
{
	return data_new(c, &lut_class, &(struct _vx_lut){.data_type = data_type, .count = count});
}

VX_API_ENTRY VX_EXPORT vx_lut VX_API_CALL vxCreateVirtualLUT(vx_graph graph, vx_enum data_type, vx_size count)
{
	return data_new_virtual(graph, &lut_class, &(struct _vx_lut){.data_type = data_type, .count = count});
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseLUT(vx_lut *lut) { return object_release((vx_reference *)lut, VX_TYPE_LUT); }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryLUT(vx_lut lut, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(lut, &lut_class, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyLUT(vx_lut lut, void *user_ptr, vx_enum usage, vx_enum user_mem_type)
{
	return data_copy_whole(lut, &lut_class, __func__, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapLUT(vx_lut lut, vx_map_id *map_id, void **ptr, vx_enum usage, vx_enum mem_type, vx_bitfield flags)
{
	(void)flags;
	return data_map_whole(lut, &lut_class, __func__, map_id, ptr, usage, mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxUnmapLUT(vx_lut lut, vx_map_id map_id) { return data_unmap(lut, &lut_class, __func__, map_id); }
