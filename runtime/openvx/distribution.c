/* Distributions: how often values occur (OpenVX 1.3, vx_distribution). */
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/map.h"

/* ---- life ---- */
vx_distribution distribution_create(struct _vx_context *c, struct _vx_reference *scope, vx_size bins, vx_int32 offset,
				    vx_uint32 range, bool is_virtual)
{
	struct _vx_distribution *d = object_create(c, VX_TYPE_DISTRIBUTION, sizeof *d, scope, stores_destroy);
	if (!d)
		return NULL;
	d->reference.is_virtual = is_virtual;
	d->bins = bins;
	d->offset = offset;
	d->range = range;
	return store_open(&d->store, bins * sizeof(vx_uint32), false) ? d : undone(d);
}

static vx_distribution distribution_new(struct _vx_context *c, struct _vx_reference *scope, vx_size bins, vx_int32 offset,
					vx_uint32 range, bool is_virtual)
{
	/* vxCreateDistribution: values, and bins that they are counted in; their numbers have 32 bits */
	if (!bins || bins > INT32_MAX || !range)
		return refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "a distribution of %u values in %zu bins", range, bins));
	return created(c, distribution_create(c, scope, bins, offset, range, is_virtual));
}

VX_API_ENTRY VX_EXPORT vx_distribution VX_API_CALL vxCreateDistribution(vx_context c, vx_size numBins, vx_int32 offset,
									vx_uint32 range)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	return distribution_new(c, &c->reference, numBins, offset, range, false);
}

VX_API_ENTRY VX_EXPORT vx_distribution VX_API_CALL vxCreateVirtualDistribution(vx_graph graph, vx_size numBins, vx_int32 offset,
									       vx_uint32 range)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	return distribution_new(c, &graph->reference, numBins, offset, range, true);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseDistribution(vx_distribution *distribution)
{
	return object_release((vx_reference *)distribution, VX_TYPE_DISTRIBUTION);
}

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryDistribution(vx_distribution d, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(d, VX_TYPE_DISTRIBUTION, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyDistribution(vx_distribution d, void *user_ptr, vx_enum usage,
								vx_enum user_mem_type)
{
	return whole_copy(d, VX_TYPE_DISTRIBUTION, __func__, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapDistribution(vx_distribution d, vx_map_id *map_id, void **ptr, vx_enum usage,
							       vx_enum mem_type, vx_bitfield flags)
{
	(void)flags;
	return whole_map(d, VX_TYPE_DISTRIBUTION, __func__, map_id, ptr, usage, mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxUnmapDistribution(vx_distribution d, vx_map_id map_id)
{
	return store_unmap(d, VX_TYPE_DISTRIBUTION, __func__, map_id);
}
