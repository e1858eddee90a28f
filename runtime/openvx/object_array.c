/* Object arrays: objects of one kind (OpenVX 1.3, vx_object_array). */
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/clone.h"
#include "runtime/openvx/graph.h"
#include <stdlib.h>

static bool object_array_is(vx_object_array a) { return object_is(a, VX_TYPE_OBJECT_ARRAY); }

/* ---- life ---- */
static void object_array_destroy(struct _vx_reference *ref)
{
	struct _vx_object_array *a = (struct _vx_object_array *)ref;
	for (vx_size i = 0; i < a->count; i++)
		part_drop(a->items[i]);
	free(a->items);
}

vx_object_array object_array_create(struct _vx_context *c, struct _vx_reference *scope, vx_enum item_type, vx_size count,
				    bool is_virtual)
{
	struct _vx_object_array *a = object_create(c, VX_TYPE_OBJECT_ARRAY, sizeof *a, scope, object_array_destroy);
	if (!a)
		return NULL;
	a->reference.is_virtual = is_virtual;
	a->item_type = item_type;
	a->items = calloc(count, sizeof *a->items);
	if (!a->items)
		return undone(a);
	a->count = count;
	return a;
}

vx_object_array object_array_of(struct _vx_context *c, struct _vx_reference *scope, vx_reference exemplar, vx_size count,
				bool is_virtual)
{
	vx_object_array a = object_array_create(c, scope, exemplar->type, count, is_virtual);
	for (vx_size i = 0; a && i < count; i++) {
		a->items[i] = clone_create(c, scope, exemplar, is_virtual);
		if (!a->items[i])
			return undone(a);
		part_adopt(a->items[i]);
	}
	return a;
}

static vx_status check_contents(struct _vx_context *c, vx_reference exemplar, vx_size count)
{
	const vx_status status = clone_check(c, exemplar);
	if (status)
		return status;
	/* 3.46: of any data objects but delays and object arrays */
	if (exemplar->type == VX_TYPE_OBJECT_ARRAY)
		return fail(c, VX_ERROR_INVALID_REFERENCE, "an object array of object arrays");
	/* vxCreateObjectArray: not empty */
	if (!count || count > PARTS_MAX)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "an object array of %zu items: 1 to %d", count, PARTS_MAX);
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_object_array VX_API_CALL vxCreateObjectArray(vx_context c, vx_reference exemplar, vx_size count)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	const vx_status status = check_contents(c, exemplar, count);
	return status ? refused(c, status) : created(c, object_array_of(c, &c->reference, exemplar, count, false));
}

VX_API_ENTRY VX_EXPORT vx_object_array VX_API_CALL vxCreateVirtualObjectArray(vx_graph graph, vx_reference exemplar,
									      vx_size count)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	const vx_status status = check_contents(c, exemplar, count);
	if (status)
		return refused(c, status);
	/* vxCreateVirtualObjectArray: of images, arrays and pyramids */
	if (exemplar->type != VX_TYPE_IMAGE && exemplar->type != VX_TYPE_ARRAY && exemplar->type != VX_TYPE_PYRAMID)
		return refused(c, fail(graph, VX_ERROR_INVALID_REFERENCE, "vxCreateVirtualObjectArray: items of %s",
				       type_name(exemplar->type)));
	return created(c, object_array_of(c, &graph->reference, exemplar, count, true));
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseObjectArray(vx_object_array *arr)
{
	return object_release((vx_reference *)arr, VX_TYPE_OBJECT_ARRAY);
}

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryObjectArray(vx_object_array a, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(a, VX_TYPE_OBJECT_ARRAY, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_reference VX_API_CALL vxGetObjectArrayItem(vx_object_array a, vx_uint32 index)
{
	if (!object_array_is(a))
		return NULL;
	struct _vx_context *c = a->reference.context;
	LOCKED(c);
	/* vxGetObjectArrayItem: an item that there is */
	if (index >= a->count)
		return refused(c, fail(a, VX_ERROR_INVALID_PARAMETERS, "vxGetObjectArrayItem: item %u of %zu", index, a->count));
	/* vxGetObjectArrayItem: a reference of the application's, to release */
	vxRetainReference(a->items[index]);
	return a->items[index];
}
