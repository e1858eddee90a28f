/* Remap tables: where in a source each pixel of a destination comes from (OpenVX 1.3, vx_remap). */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/map.h"

static const size_t element = sizeof(vx_coordinates2df_t);

/* ---- the class ---- */
static vx_status remap_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_remap *p = prototype;
	/* vxCreateRemap: sizes of images */
	if (!p->source_width || !p->source_height || !p->width || !p->height || (vx_uint64)p->width * p->height > INT32_MAX / element)
		return fail(scope->context, VX_ERROR_INVALID_PARAMETERS, "a remap table from %u x %u pixels to %u x %u", p->source_width, p->source_height,
			    p->width, p->height);
	return VX_SUCCESS;
}

static bool remap_init(void *object)
{
	struct _vx_remap *remap = object;
	return store_open(&remap->store, (size_t)remap->width * remap->height * element, false);
}

static const struct object_attribute attributes[] = {
	{META(VX_REMAP_SOURCE_WIDTH, _vx_remap, source_width, DIMENSION)},
	{META(VX_REMAP_SOURCE_HEIGHT, _vx_remap, source_height, DIMENSION)},
	{META(VX_REMAP_DESTINATION_WIDTH, _vx_remap, width, DIMENSION)},
	{META(VX_REMAP_DESTINATION_HEIGHT, _vx_remap, height, DIMENSION)},
};

const struct object_class remap_class = {
	.type = VX_TYPE_REMAP, .name = "a remap table", .size = OBJECT_SIZE(_vx_remap), ATTRIBUTES(attributes),
	.num_stores = 1, .stores = {offsetof(struct _vx_remap, store)},
	.check = remap_check, .init = remap_init,
};

/* ---- the API ---- */
CLASS_CREATE(vxCreateRemap, vxCreateVirtualRemap, remap, (vx_uint32 src_width, vx_uint32 src_height, vx_uint32 dst_width, vx_uint32 dst_height),
	     .source_width = src_width, .source_height = src_height, .width = dst_width, .height = dst_height)

CLASS_RELEASE(vxReleaseRemap, remap)
CLASS_QUERY(vxQueryRemap, remap)

static vx_status block_find(vx_remap remap, const char *function, const vx_rectangle_t *r, vx_enum type, struct block *out)
{
	/* vxMapRemapPatch, vxCopyRemapPatch: a rectangle of the destination that is not empty */
	if (!r || r->start_x >= r->end_x || r->start_y >= r->end_y || r->end_x > remap->width || r->end_y > remap->height)
		return fail(remap, VX_ERROR_INVALID_PARAMETERS, "%s: not a rectangle of %u x %u pixels", function, remap->width,
			    remap->height);
	/* vxMapRemapPatch, vxCopyRemapPatch: there is one type of coordinates */
	FAIL_IF(type != VX_TYPE_COORDINATES2DF, remap, VX_ERROR_INVALID_PARAMETERS, "%s: coordinates of type 0x%x", function, type);
	const size_t stride = remap->width * element;
	*out = (struct block){
		.offset = r->start_y * stride + r->start_x * element,
		.row = (r->end_x - r->start_x) * element,
		.dims = 1,
		.count = {r->end_y - r->start_y},
		.stride = {stride},
	};
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyRemapPatch(vx_remap remap, const vx_rectangle_t *rect, vx_size user_stride_y,
							      void *user_ptr, vx_enum user_coordinate_type, vx_enum usage,
							      vx_enum user_mem_type)
{
	struct block block;
	ENTER(remap, VX_TYPE_REMAP);
	TRY(copy_check(&remap->reference, "vxCopyRemapPatch", user_ptr, usage, user_mem_type));
	TRY(block_find(remap, "vxCopyRemapPatch", rect, user_coordinate_type, &block));
	/* vxCopyRemapPatch: rows of the application's do not overlap */
	if (user_stride_y < block.row)
		return fail(remap, VX_ERROR_INVALID_PARAMETERS, "vxCopyRemapPatch: a stride of %zu bytes, where a row has %zu",
			    user_stride_y, block.row);
	return data_copy(&remap->reference, &block, &user_stride_y, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapRemapPatch(vx_remap remap, const vx_rectangle_t *rect, vx_map_id *map_id,
							     vx_size *stride_y, void **ptr, vx_enum coordinate_type,
							     vx_enum usage, vx_enum mem_type)
{
	struct block block;
	ENTER(remap, VX_TYPE_REMAP);
	TRY(map_check(&remap->reference, "vxMapRemapPatch", map_id, ptr, usage, mem_type));
	FAIL_IF(!stride_y, remap, VX_ERROR_INVALID_PARAMETERS, "vxMapRemapPatch: no room for the stride");
	TRY(block_find(remap, "vxMapRemapPatch", rect, coordinate_type, &block));
	TRY(data_map(&remap->reference, &block, usage, mem_type, map_id, ptr));
	map_strides(&block, mem_type, stride_y);
	return VX_SUCCESS;
}

CLASS_UNMAP(vxUnmapRemapPatch, remap)
