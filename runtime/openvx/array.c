/* Arrays: items of one type, as many as there is room for (OpenVX 1.3, vx_array). */
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/map.h"
#include <VX/vx_khr_opencl_interop.h>

static bool array_is(vx_array array) { return object_is(array, VX_TYPE_ARRAY); }

/* ---- life ---- */
/* Parameters of kernels: the host knows them without asking, as it launches the kernel by them. */
static bool known_to_host(vx_enum item_type) { return item_type == VX_TYPE_HOG_PARAMS || item_type == VX_TYPE_HOUGH_LINES_PARAMS; }

vx_array array_create(struct _vx_context *c, struct _vx_reference *scope, vx_enum item_type, vx_size capacity, bool is_virtual)
{
	struct _vx_array *a = object_create(c, VX_TYPE_ARRAY, sizeof *a, scope, stores_destroy);
	if (!a)
		return NULL;
	a->reference.is_virtual = is_virtual;
	a->item_type = a->declared_type = item_type;
	a->item_size = type_size(c, item_type);
	a->capacity = a->declared_capacity = capacity;
	return store_open(&a->items, capacity * a->item_size, capacity && !is_virtual && known_to_host(item_type)) &&
			       store_open(&a->count, sizeof(vx_uint32), true)
		       ? a
		       : undone(a);
}

void array_undefine(vx_array a)
{
	if (a->item_type == a->declared_type && a->capacity == a->declared_capacity)
		return;
	store_free(a->reference.context, &a->items);
	a->item_type = a->declared_type;
	a->item_size = type_size(a->reference.context, a->item_type);
	a->capacity = a->declared_capacity;
	a->items.size = a->capacity * a->item_size;
}

/* vxCreateArray: a type of values that is known, and room that its number of items and bytes can say */
static vx_status check_shape(struct _vx_context *c, vx_enum item_type, vx_size capacity)
{
	const vx_size size = type_size(c, item_type);
	if (!size)
		return fail(c, VX_ERROR_INVALID_TYPE, "an array of type 0x%x", item_type);
	if (!capacity || capacity > INT32_MAX / size)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "an array of %zu items of %zu bytes", capacity, size);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_array VX_API_CALL vxCreateArray(vx_context c, vx_enum item_type, vx_size capacity)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	const vx_status status = check_shape(c, item_type, capacity);
	return status ? refused(c, status) : created(c, array_create(c, &c->reference, item_type, capacity, false));
}

VX_API_ENTRY VX_EXPORT vx_array VX_API_CALL vxCreateVirtualArray(vx_graph graph, vx_enum item_type, vx_size capacity)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	/* vxCreateVirtualArray: either may be left open */
	const vx_enum known_type = item_type == VX_TYPE_INVALID ? VX_TYPE_UINT8 : item_type;
	const vx_status status = check_shape(c, known_type, capacity ? capacity : 1);
	return status ? refused(c, status) : created(c, array_create(c, &graph->reference, item_type, capacity, true));
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseArray(vx_array *arr)
{
	return object_release((vx_reference *)arr, VX_TYPE_ARRAY);
}

/* ---- length ---- */
/* What a kernel has counted may be more than there was room for. */
vx_uint32 array_length(vx_array a)
{
	const vx_uint32 *length = store_value(a->reference.context, &a->count);
	return !length ? 0 : *length < a->capacity ? *length : (vx_uint32)a->capacity;
}

static vx_status set_length(vx_array a, vx_size length)
{
	const vx_uint32 value = (vx_uint32)length;
	return store_write(a->reference.context, &a->count, 0, &value, sizeof value);
}

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryArray(vx_array a, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(a, VX_TYPE_ARRAY, __func__, attribute, ptr, size);
}

static struct block items_of(vx_array a, vx_size start, vx_size end)
{
	return (struct block){.offset = start * a->item_size, .row = a->item_size, .dims = 1, .count = {end - start},
			      .stride = {a->item_size}};
}

/* Items of the application's memory behind those that there are. */
static vx_status append(vx_array a, vx_size length, vx_size count, const char *ptr, vx_size stride)
{
	struct _vx_context *c = a->reference.context;
	const struct block block = items_of(a, length, length + count);
	vx_status status = VX_SUCCESS;
	for (vx_size i = 0; a->items.host && !status && i < count; i++)
		status = store_write(c, &a->items, block.offset + i * a->item_size, ptr + i * stride, a->item_size);
	if (a->items.host)
		return status;
	return store_copy_part(&a->reference, &a->items, &block, &stride, (void *)(uintptr_t)ptr, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxAddArrayItems(vx_array a, vx_size count, const void *ptr, vx_size stride)
{
	if (!array_is(a))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxAddArrayItems: not an array");
	LOCKED(a->reference.context);
	/* vxAddArrayItems: items, one behind the other */
	vx_status status = copy_check(&a->reference, "vxAddArrayItems", ptr, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
	if (status)
		return status;
	if (!count || stride < a->item_size)
		return fail(a, VX_ERROR_INVALID_PARAMETERS, "vxAddArrayItems: %zu items %zu bytes apart, where an item has %zu",
			    count, stride, a->item_size);
	/* vxAddArrayItems: the array does not grow */
	const vx_size length = array_length(a);
	if (count > a->capacity - length)
		return fail(a, VX_FAILURE, "vxAddArrayItems: %zu items, where there is room for %zu", count,
			    a->capacity - length);
	status = append(a, length, count, ptr, stride);
	return status ? status : set_length(a, length + count);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxTruncateArray(vx_array a, vx_size new_num_items)
{
	if (!array_is(a))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxTruncateArray: not an array");
	LOCKED(a->reference.context);
	const vx_status status = object_reach(&a->reference, "vxTruncateArray");
	if (status)
		return status;
	/* vxTruncateArray: not more items than there are */
	const vx_size length = array_length(a);
	if (new_num_items > length)
		return fail(a, VX_ERROR_INVALID_PARAMETERS, "vxTruncateArray: to %zu items, where there are %zu", new_num_items,
			    length);
	return set_length(a, new_num_items);
}

/* vxCopyArrayRange, vxMapArrayRange: items that are there. How many there are once the queue has come to it is not to be waited
 * for when the application accesses them in the queue; then it is items that there is room for. */
static vx_status check_range(vx_array a, const char *function, vx_size start, vx_size end, vx_enum memory)
{
	const vx_size length = memory == VX_MEMORY_TYPE_HOST || a->count.host_valid ? array_length(a) : a->capacity;
	if (start >= end || end > length)
		return fail(a, VX_ERROR_INVALID_PARAMETERS, "%s: items %zu to %zu of %zu", function, start, end, length);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyArrayRange(vx_array a, vx_size range_start, vx_size range_end,
							      vx_size user_stride, void *user_ptr, vx_enum usage,
							      vx_enum user_mem_type)
{
	if (!array_is(a))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxCopyArrayRange: not an array");
	LOCKED(a->reference.context);
	vx_status status = copy_check(&a->reference, "vxCopyArrayRange", user_ptr, usage, user_mem_type);
	if (!status)
		status = check_range(a, "vxCopyArrayRange", range_start, range_end, user_mem_type);
	if (status)
		return status;
	/* vxCopyArrayRange: items of the application's do not overlap */
	if (user_stride < a->item_size)
		return fail(a, VX_ERROR_INVALID_PARAMETERS, "vxCopyArrayRange: a stride of %zu bytes, where an item has %zu",
			    user_stride, a->item_size);
	const struct block block = items_of(a, range_start, range_end);
	return store_copy_part(&a->reference, &a->items, &block, &user_stride, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapArrayRange(vx_array a, vx_size range_start, vx_size range_end,
							     vx_map_id *map_id, vx_size *stride, void **ptr, vx_enum usage,
							     vx_enum mem_type, vx_uint32 flags)
{
	(void)flags; /* VX_NOGAP_X: there never is one */
	if (!array_is(a))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxMapArrayRange: not an array");
	LOCKED(a->reference.context);
	vx_status status = map_check(&a->reference, "vxMapArrayRange", map_id, ptr, usage, mem_type);
	if (!status && !stride)
		status = fail(a, VX_ERROR_INVALID_PARAMETERS, "vxMapArrayRange: no room for the stride");
	if (!status)
		status = check_range(a, "vxMapArrayRange", range_start, range_end, mem_type);
	if (status)
		return status;
	const struct block block = items_of(a, range_start, range_end);
	status = store_map(&a->reference, &a->items, &block, usage, mem_type, map_id, ptr);
	if (!status)
		*stride = a->item_size;
	return status;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxUnmapArrayRange(vx_array a, vx_map_id map_id)
{
	return store_unmap(a, VX_TYPE_ARRAY, __func__, map_id);
}
