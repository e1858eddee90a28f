/* Distributions: how often values occur (OpenVX 1.3, vx_distribution). */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/map.h"

/* ---- the class ---- */
static vx_status distribution_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_distribution *p = prototype;
	/* vxCreateDistribution: values, and bins that they are counted in; their numbers have 32 bits */
	if (!p->bins || p->bins > INT32_MAX || !p->range)
		return fail(scope->context, VX_ERROR_INVALID_PARAMETERS, "a distribution of %u values in %zu bins", p->range, p->bins);
	return VX_SUCCESS;
}

static bool distribution_init(void *object)
{
	struct _vx_distribution *d = object;
	return store_open(&d->store, d->bins * sizeof(vx_uint32), false);
}

static void find_dimensions(const void *object, union attribute_value *out)
{
	(void)object;
	out->size = 1;
}

/* VX_DISTRIBUTION_WINDOW: values in a bin; 0 when bins are not of the same width */
static void find_window(const void *object, union attribute_value *out)
{
	const struct _vx_distribution *d = object;
	out->number = d->range % d->bins ? 0 : (vx_uint32)(d->range / d->bins);
}

static const struct object_attribute attributes[] = {
	{META(VX_DISTRIBUTION_BINS, _vx_distribution, bins, VALUE)},
	{META(VX_DISTRIBUTION_OFFSET, _vx_distribution, offset, VALUE)},
	{META(VX_DISTRIBUTION_RANGE, _vx_distribution, range, VALUE)},
	{ATTRIBUTE(VX_DISTRIBUTION_SIZE, _vx_distribution, store.size)},
	{FOUND(VX_DISTRIBUTION_DIMENSIONS, vx_size, find_dimensions)},
	{FOUND(VX_DISTRIBUTION_WINDOW, vx_uint32, find_window)},
};

const struct object_class distribution_class = {
	.type = VX_TYPE_DISTRIBUTION, .name = "a distribution", .size = OBJECT_SIZE(_vx_distribution), ATTRIBUTES(attributes),
	.num_stores = 1, .stores = {offsetof(struct _vx_distribution, store)},
	.check = distribution_check, .init = distribution_init,
};

/* ---- the API ---- */
VX_API_ENTRY VX_EXPORT vx_distribution VX_API_CALL vxCreateDistribution(vx_context c, vx_size numBins, vx_int32 offset, vx_uint32 range)
{
	return data_new(c, &distribution_class, &(struct _vx_distribution){.bins = numBins, .offset = offset, .range = range});
}

VX_API_ENTRY VX_EXPORT vx_distribution VX_API_CALL vxCreateVirtualDistribution(vx_graph graph, vx_size numBins, vx_int32 offset, vx_uint32 range)
{
	return data_new_virtual(graph, &distribution_class, &(struct _vx_distribution){.bins = numBins, .offset = offset, .range = range});
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseDistribution(vx_distribution *distribution)
{
	return object_release((vx_reference *)distribution, VX_TYPE_DISTRIBUTION);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryDistribution(vx_distribution d, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(d, &distribution_class, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyDistribution(vx_distribution d, void *user_ptr, vx_enum usage, vx_enum user_mem_type)
{
	return data_copy_whole(d, &distribution_class, __func__, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapDistribution(vx_distribution d, vx_map_id *map_id, void **ptr, vx_enum usage, vx_enum mem_type,
							       vx_bitfield flags)
{
	(void)flags;
	return data_map_whole(d, &distribution_class, __func__, map_id, ptr, usage, mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxUnmapDistribution(vx_distribution d, vx_map_id map_id)
{
	return data_unmap(d, &distribution_class, __func__, map_id);
}
