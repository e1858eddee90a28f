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
CLASS_CREATE(vxCreateLUT, vxCreateVirtualLUT, lut, (vx_enum data_type, vx_size count), .data_type = data_type, .count = count)
CLASS_RELEASE(vxReleaseLUT, lut)
CLASS_QUERY(vxQueryLUT, lut)
CLASS_COPY(vxCopyLUT, lut)
CLASS_MAP(vxMapLUT, lut)
CLASS_UNMAP(vxUnmapLUT, lut)
