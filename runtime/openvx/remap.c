/* Remap tables: where in a source each pixel of a destination comes from (OpenVX 1.3, vx_remap). */
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/map.h"

static const size_t element = sizeof(vx_coordinates2df_t);

static bool remap_is(vx_remap remap) { return object_is(remap, VX_TYPE_REMAP); }

/* ---- life ---- */
vx_remap remap_create(struct _vx_context *c, struct _vx_reference *scope, vx_uint32 source_width, vx_uint32 source_height,
		      vx_uint32 width, vx_uint32 height, bool is_virtual)
{
	struct _vx_remap *remap = object_create(c, VX_TYPE_REMAP, sizeof *remap, scope, stores_destroy);
	if (!remap)
		return NULL;
	remap->reference.is_virtual = is_virtual;
	remap->source_width = source_width;
	remap->source_height = source_height;
	remap->width = width;
	remap->height = height;
	return store_open(&remap->store, (size_t)width * height * element, false) ? remap : undone(remap);
}

static vx_remap remap_new(struct _vx_context *c, struct _vx_reference *scope, vx_uint32 source_width, vx_uint32 source_height,
			  vx_uint32 width, vx_uint32 height, bool is_virtual)
{
	/* vxCreateRemap: sizes of images */
	if (!source_width || !source_height || !width || !height || (vx_uint64)width * height > INT32_MAX / element)
		return refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "a remap table from %u x %u pixels to %u x %u",
				       source_width, source_height, width, height));
	return created(c, remap_create(c, scope, source_width, source_height, width, height, is_virtual));
}

VX_API_ENTRY VX_EXPORT vx_remap VX_API_CALL vxCreateRemap(vx_context c, vx_uint32 src_width, vx_uint32 src_height,
							  vx_uint32 dst_width, vx_uint32 dst_height)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	return remap_new(c, &c->reference, src_width, src_height, dst_width, dst_height, false);
}

VX_API_ENTRY VX_EXPORT vx_remap VX_API_CALL vxCreateVirtualRemap(vx_graph graph, vx_uint32 src_width, vx_uint32 src_height,
								 vx_uint32 dst_width, vx_uint32 dst_height)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	return remap_new(c, &graph->reference, src_width, src_height, dst_width, dst_height, true);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseRemap(vx_remap *table)
{
	return object_release((vx_reference *)table, VX_TYPE_REMAP);
}

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryRemap(vx_remap remap, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(remap, VX_TYPE_REMAP, __func__, attribute, ptr, size);
}

static vx_status block_find(vx_remap remap, const char *function, const vx_rectangle_t *r, vx_enum type, struct block *out)
{
	/* vxMapRemapPatch, vxCopyRemapPatch: a rectangle of the destination that is not empty */
	if (!r || r->start_x >= r->end_x || r->start_y >= r->end_y || r->end_x > remap->width || r->end_y > remap->height)
		return fail(remap, VX_ERROR_INVALID_PARAMETERS, "%s: not a rectangle of %u x %u pixels", function, remap->width,
			    remap->height);
	/* vxMapRemapPatch, vxCopyRemapPatch: there is one type of coordinates */
	if (type != VX_TYPE_COORDINATES2DF)
		return fail(remap, VX_ERROR_INVALID_PARAMETERS, "%s: coordinates of type 0x%x", function, type);
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
	if (!remap_is(remap))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxCopyRemapPatch: not a remap table");
	LOCKED(remap->reference.context);
	vx_status status = copy_check(&remap->reference, "vxCopyRemapPatch", user_ptr, usage, user_mem_type);
	if (!status)
		status = block_find(remap, "vxCopyRemapPatch", rect, user_coordinate_type, &block);
	if (status)
		return status;
	/* vxCopyRemapPatch: rows of the application's do not overlap */
	if (user_stride_y < block.row)
		return fail(remap, VX_ERROR_INVALID_PARAMETERS, "vxCopyRemapPatch: a stride of %zu bytes, where a row has %zu",
			    user_stride_y, block.row);
	return store_copy_part(&remap->reference, &remap->store, &block, &user_stride_y, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapRemapPatch(vx_remap remap, const vx_rectangle_t *rect, vx_map_id *map_id,
							     vx_size *stride_y, void **ptr, vx_enum coordinate_type,
							     vx_enum usage, vx_enum mem_type)
{
	struct block block;
	if (!remap_is(remap))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxMapRemapPatch: not a remap table");
	LOCKED(remap->reference.context);
	vx_status status = map_check(&remap->reference, "vxMapRemapPatch", map_id, ptr, usage, mem_type);
	if (!status && !stride_y)
		status = fail(remap, VX_ERROR_INVALID_PARAMETERS, "vxMapRemapPatch: no room for the stride");
	if (!status)
		status = block_find(remap, "vxMapRemapPatch", rect, coordinate_type, &block);
	if (!status)
		status = store_map(&remap->reference, &remap->store, &block, usage, mem_type, map_id, ptr);
	if (!status)
		map_strides(&block, mem_type, stride_y);
	return status;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxUnmapRemapPatch(vx_remap remap, vx_map_id map_id)
{
	return store_unmap(remap, VX_TYPE_REMAP, __func__, map_id);
}
