/* Arrays: items of one type, as many as there is room for (OpenVX 1.3, vx_array). */
#include "runtime/openvx/check.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/ix.h"
#include "runtime/openvx/map.h"

/* ---- life ---- */
static vx_status array_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_array *p = prototype;
	/* vxCreateVirtualArray: either may be left open */
	const bool may_be_open = scope->type == VX_TYPE_GRAPH;
	const vx_enum type = may_be_open && p->item_type == VX_TYPE_INVALID ? VX_TYPE_UINT8 : p->item_type;
	const vx_size size = type_size(scope->context, type), capacity = may_be_open && !p->capacity ? 1 : p->capacity;
	/* vxCreateArray: a type of values that is known, and room that its number of items and bytes can say */
	FAIL_IF(!size, scope->context, VX_ERROR_INVALID_TYPE, "an array of type 0x%x", type);
	if (!capacity || capacity > INT32_MAX / size)
		return fail(scope->context, VX_ERROR_INVALID_PARAMETERS, "an array of %zu items of %zu bytes", capacity, size);
	return VX_SUCCESS;
}

/* Parameters of kernels: the host knows them without asking, as it launches the kernel by them. */
static bool known_to_host(vx_enum item_type) { return item_type == VX_TYPE_HOG_PARAMS || item_type == VX_TYPE_HOUGH_LINES_PARAMS; }

static bool array_init(void *object)
{
	struct _vx_array *a = object;
	a->item_size = type_size(a->reference.context, a->item_type);
	return store_open(&a->items, a->capacity * a->item_size, a->capacity && !a->reference.is_virtual && known_to_host(a->item_type)) &&
	       store_open(&a->count, sizeof(vx_uint32), true);
}

CLASS_CREATE(vxCreateArray, vxCreateVirtualArray, array, (vx_enum item_type, vx_size capacity), .item_type = item_type, .capacity = capacity)

/* ---- what verification finds ---- */
static bool array_is_open(const void *object)
{
	const struct _vx_array *a = object;
	return a->item_type == VX_TYPE_INVALID || !a->capacity;
}

static void fit_items(struct _vx_array *a)
{
	a->item_size = type_size(a->reference.context, a->item_type);
	a->items.size = a->capacity * a->item_size;
}

/* Another type, or too little room, is refused where it is compared. */
static vx_status array_define(void *object, const void *prototype)
{
	struct _vx_array *a = object;
	const struct _vx_array *p = prototype;
	if (a->item_type == VX_TYPE_INVALID)
		a->item_type = p->item_type;
	if (!a->capacity)
		a->capacity = p->capacity;
	fit_items(a);
	if (a->item_type != p->item_type)
		return VX_SUCCESS;
	FAIL_IF(!a->item_size, a, VX_ERROR_INVALID_TYPE, "an array of items whose type is not known");
	return a->capacity ? VX_SUCCESS : fail(a, VX_ERROR_INVALID_DIMENSION, "an array without room");
}

static void array_undefine(void *object)
{
	struct _vx_array *a = object;
	if (!meta_restore(&a->reference))
		return;
	store_free(a->reference.context, &a->items);
	fit_items(a);
}

static vx_status array_gives(struct check *c, unsigned index, const void *like, const void *output)
{
	const struct _vx_array *in = like, *out = output;
	TRY(gives_array(c, index, in->item_type, in->capacity));
	/* vxCopyNode, vxSelectNode: there is room for as many items as there may be */
	if (out->capacity < in->capacity)
		return refuse(c, index, VX_ERROR_NOT_SUFFICIENT, "it has room for %zu items, the input for %zu", out->capacity, in->capacity);
	return VX_SUCCESS;
}

CLASS_RELEASE(vxReleaseArray, array)

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
CLASS_QUERY(vxQueryArray, array)

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
	return data_copy(&a->reference, &block, &stride, (void *)(uintptr_t)ptr, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxAddArrayItems(vx_array a, vx_size count, const void *ptr, vx_size stride)
{
	ENTER(a, VX_TYPE_ARRAY);
	/* vxAddArrayItems: items, one behind the other */
	TRY(copy_check(&a->reference, "vxAddArrayItems", ptr, VX_WRITE_ONLY, VX_MEMORY_TYPE_HOST));
	if (!count || stride < a->item_size)
		return fail(a, VX_ERROR_INVALID_PARAMETERS, "vxAddArrayItems: %zu items %zu bytes apart, where an item has %zu",
			    count, stride, a->item_size);
	/* vxAddArrayItems: the array does not grow */
	const vx_size length = array_length(a);
	if (count > a->capacity - length)
		return fail(a, VX_FAILURE, "vxAddArrayItems: %zu items, where there is room for %zu", count,
			    a->capacity - length);
	TRY(append(a, length, count, ptr, stride));
	return set_length(a, length + count);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxTruncateArray(vx_array a, vx_size new_num_items)
{
	ENTER(a, VX_TYPE_ARRAY);
	TRY(object_reach(&a->reference, "vxTruncateArray"));
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
	FAIL_IF(start >= end || end > length, a, VX_ERROR_INVALID_PARAMETERS, "%s: items %zu to %zu of %zu", function, start, end, length);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyArrayRange(vx_array a, vx_size range_start, vx_size range_end,
							      vx_size user_stride, void *user_ptr, vx_enum usage,
							      vx_enum user_mem_type)
{
	ENTER(a, VX_TYPE_ARRAY);
	TRY(copy_check(&a->reference, "vxCopyArrayRange", user_ptr, usage, user_mem_type));
	TRY(check_range(a, "vxCopyArrayRange", range_start, range_end, user_mem_type));
	/* vxCopyArrayRange: items of the application's do not overlap */
	if (user_stride < a->item_size)
		return fail(a, VX_ERROR_INVALID_PARAMETERS, "vxCopyArrayRange: a stride of %zu bytes, where an item has %zu",
			    user_stride, a->item_size);
	const struct block block = items_of(a, range_start, range_end);
	return data_copy(&a->reference, &block, &user_stride, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapArrayRange(vx_array a, vx_size range_start, vx_size range_end,
							     vx_map_id *map_id, vx_size *stride, void **ptr, vx_enum usage,
							     vx_enum mem_type, vx_uint32 flags)
{
	(void)flags; /* VX_NOGAP_X: there never is one */
	ENTER(a, VX_TYPE_ARRAY);
	TRY(map_check(&a->reference, "vxMapArrayRange", map_id, ptr, usage, mem_type));
	FAIL_IF(!stride, a, VX_ERROR_INVALID_PARAMETERS, "vxMapArrayRange: no room for the stride");
	TRY(check_range(a, "vxMapArrayRange", range_start, range_end, mem_type));
	const struct block block = items_of(a, range_start, range_end);
	TRY(data_map(&a->reference, &block, usage, mem_type, map_id, ptr));
	*stride = a->item_size;
	return VX_SUCCESS;
}

CLASS_UNMAP(vxUnmapArrayRange, array)

/* ---- exports: the number of items, and those ---- */
static vx_status array_put_values(struct ix_writer *w, void *object)
{
	struct _vx_array *a = object;
	const vx_uint32 length = array_length(a);
	const size_t bytes = length * a->item_size;
	ix_put_u32(w, length);
	void *to = ix_put_room(w, bytes);
	return to && bytes ? store_read(a->reference.context, &a->items, 0, to, bytes) : VX_SUCCESS;
}

static void array_get_values(struct ix_reader *r, void *object)
{
	struct _vx_array *a = object;
	const vx_uint32 length = ix_u32(r);
	if (!r->status && length > a->capacity)
		ix_refuse(r, VX_ERROR_INVALID_PARAMETERS, "%u items in an array of %zu", length, a->capacity);
	const void *items = ix_bytes(r, length * a->item_size);
	if (r->status)
		return;
	vx_status status = length ? store_write(a->reference.context, &a->items, 0, items, length * a->item_size) : VX_SUCCESS;
	if (!status)
		status = set_length(a, length);
	if (status)
		ix_refuse(r, status, "%u items cannot be written", length);
}

/* ---- the class ---- */
static void find_length(const void *object, union attribute_value *out) { out->size = array_length((vx_array)(uintptr_t)object); }

static const struct object_attribute attributes[] = {
	{META(VX_ARRAY_ITEMTYPE, _vx_array, item_type, TYPE), .names_type = true},
	{META(VX_ARRAY_CAPACITY, _vx_array, capacity, DIMENSION), .at_least = true},
	{ATTRIBUTE(VX_ARRAY_ITEMSIZE, _vx_array, item_size)},
	{FOUND(VX_ARRAY_NUMITEMS, vx_size, find_length)},
};

const struct object_class array_class = {
	.type = VX_TYPE_ARRAY, .name = "an array", .size = OBJECT_SIZE(_vx_array), ATTRIBUTES(attributes),
	.num_stores = 2, .stores = {offsetof(struct _vx_array, items), offsetof(struct _vx_array, count)},
	.check = array_check, .init = array_init,
	.is_open = array_is_open, .define = array_define, .undefine = array_undefine, .gives = array_gives,
	.put_values = array_put_values, .get_values = array_get_values,
};
