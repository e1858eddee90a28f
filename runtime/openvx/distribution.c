/* Distributions: how often values occur (OpenVX 1.3, vx_distribution). */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/map.h"

static bool distribution_is(vx_distribution d) { return object_is(d, VX_TYPE_DISTRIBUTION); }

/* ---- life ---- */
static void distribution_destroy(struct _vx_reference *ref)
{
	struct _vx_distribution *d = (struct _vx_distribution *)ref;
	maps_drop(ref, &d->maps);
	store_free(ref->context, &d->store);
}

vx_distribution distribution_create(struct _vx_context *c, struct _vx_reference *scope, vx_size bins, vx_int32 offset,
				    vx_uint32 range, bool is_virtual)
{
	struct _vx_distribution *d = object_create(c, VX_TYPE_DISTRIBUTION, sizeof *d, scope, distribution_destroy);
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
/* VX_DISTRIBUTION_WINDOW: values in a bin; 0 when bins are not of the same width */
static vx_uint32 window_of(vx_distribution d) { return d->range % d->bins ? 0 : (vx_uint32)(d->range / d->bins); }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryDistribution(vx_distribution d, vx_enum attribute, void *ptr, vx_size size)
{
	if (!distribution_is(d))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxQueryDistribution: not a distribution");
	LOCKED(d->reference.context);
	switch (attribute) {
	case VX_DISTRIBUTION_DIMENSIONS:
		return GET_ATTRIBUTE(d, attribute, ptr, size, vx_size, 1);
	case VX_DISTRIBUTION_OFFSET:
		return GET_ATTRIBUTE(d, attribute, ptr, size, vx_int32, d->offset);
	case VX_DISTRIBUTION_RANGE:
		return GET_ATTRIBUTE(d, attribute, ptr, size, vx_uint32, d->range);
	case VX_DISTRIBUTION_BINS:
		return GET_ATTRIBUTE(d, attribute, ptr, size, vx_size, d->bins);
	case VX_DISTRIBUTION_WINDOW:
		return GET_ATTRIBUTE(d, attribute, ptr, size, vx_uint32, window_of(d));
	case VX_DISTRIBUTION_SIZE:
		return GET_ATTRIBUTE(d, attribute, ptr, size, vx_size, d->store.size);
	default:
		return attribute_unknown(d, attribute);
	}
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyDistribution(vx_distribution d, void *user_ptr, vx_enum usage,
								vx_enum user_mem_type)
{
	if (!distribution_is(d))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxCopyDistribution: not a distribution");
	LOCKED(d->reference.context);
	const vx_status status = copy_check(&d->reference, "vxCopyDistribution", user_ptr, usage, user_mem_type);
	return status ? status : store_copy(&d->reference, &d->store, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapDistribution(vx_distribution d, vx_map_id *map_id, void **ptr, vx_enum usage,
							       vx_enum mem_type, vx_bitfield flags)
{
	(void)flags;
	if (!distribution_is(d))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxMapDistribution: not a distribution");
	LOCKED(d->reference.context);
	const vx_status status = map_check(&d->reference, "vxMapDistribution", map_id, ptr, usage, mem_type);
	return status ? status : store_map(&d->reference, &d->store, &d->maps, NULL, usage, mem_type, map_id, ptr);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxUnmapDistribution(vx_distribution d, vx_map_id map_id)
{
	if (!distribution_is(d))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxUnmapDistribution: not a distribution");
	LOCKED(d->reference.context);
	return map_close(&d->reference, &d->maps, map_id);
}
