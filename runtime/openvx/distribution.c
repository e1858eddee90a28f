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
CLASS_CREATE(vxCreateDistribution, vxCreateVirtualDistribution, distribution, (vx_size numBins, vx_int32 offset, vx_uint32 range),
	     .bins = numBins, .offset = offset, .range = range)

CLASS_RELEASE(vxReleaseDistribution, distribution)
CLASS_QUERY(vxQueryDistribution, distribution)
CLASS_COPY(vxCopyDistribution, distribution)
CLASS_MAP(vxMapDistribution, distribution)
CLASS_UNMAP(vxUnmapDistribution, distribution)
