/* Object arrays: objects of one kind (OpenVX 1.3, vx_object_array). */
#include "runtime/openvx/check.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/ix.h"

/* ---- the class ---- */
static vx_status object_array_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_object_array *p = prototype;
	struct _vx_context *c = scope->context;
	const vx_reference exemplar = *p->items;
	TRY(clone_check(c, exemplar));
	/* 3.46: of any data objects but delays and object arrays */
	FAIL_IF(exemplar->type == VX_TYPE_OBJECT_ARRAY, c, VX_ERROR_INVALID_REFERENCE, "an object array of object arrays");
	/* vxCreateObjectArray: not empty */
	FAIL_IF(!p->count || p->count > PARTS_MAX, c, VX_ERROR_INVALID_PARAMETERS, "an object array of %zu items: 1 to %d", p->count, PARTS_MAX);
	/* vxCreateVirtualObjectArray: of images, arrays and pyramids */
	if (scope->type == VX_TYPE_GRAPH && exemplar->type != VX_TYPE_IMAGE && exemplar->type != VX_TYPE_ARRAY && exemplar->type != VX_TYPE_PYRAMID)
		return fail(scope, VX_ERROR_INVALID_REFERENCE, "vxCreateVirtualObjectArray: items of %s", type_name(exemplar->type));
	return VX_SUCCESS;
}

static bool object_array_init(void *object)
{
	struct _vx_object_array *a = object;
	if (*a->items)
		a->item_type = (*a->items)->type;
	return true;
}

/* Items of virtual object arrays may be without some of their meta data, too. */
static void object_array_undefine(void *object)
{
	struct _vx_object_array *a = object;
	for (vx_size i = 0; i < a->count; i++)
		if (a->items[i]->class->undefine)
			a->items[i]->class->undefine(a->items[i]);
}

static vx_status object_array_gives(struct check *c, unsigned index, const void *like, const void *output)
{
	const struct _vx_object_array *in = like, *out = output;
	for (vx_size i = 0; in->item_type == out->item_type && i < in->count && i < out->count; i++)
		if (out->items[i]->class->define)
			TRY(out->items[i]->class->define(out->items[i], in->items[i]));
	/* vxCopyNode, vxSelectNode: as many items, with the same meta data */
	return gives_alike(c, index, like, output);
}

/* Of images in a tensor: the tensor. */
static vx_reference object_array_parent(const void *object)
{
	const struct _vx_object_array *a = object;
	return (*a->items)->type == VX_TYPE_IMAGE ? (vx_reference)((vx_image)*a->items)->tensor : NULL;
}

static unsigned object_array_origin(const void *object) { return object_array_parent(object) ? IX_IN_TENSOR : IX_OWN; }

static const struct object_attribute attributes[] = {
	{META(VX_OBJECT_ARRAY_ITEMTYPE, _vx_object_array, item_type, TYPE)},
	{META(VX_OBJECT_ARRAY_NUMITEMS, _vx_object_array, count, DIMENSION)},
};

const struct object_class object_array_class = {
	.type = VX_TYPE_OBJECT_ARRAY, .name = "an object array", .size = OBJECT_SIZE(_vx_object_array), ATTRIBUTES(attributes),
	.parts = offsetof(struct _vx_object_array, items), .num_parts = offsetof(struct _vx_object_array, count), .of_exemplar = true,
	.check = object_array_check, .init = object_array_init, .undefine = object_array_undefine,
	.parent = object_array_parent, .origin = object_array_origin, .gives = object_array_gives,
};

/* ---- the API ---- */
CLASS_CREATE(vxCreateObjectArray, vxCreateVirtualObjectArray, object_array, (vx_reference exemplar, vx_size count),
	     .items = &exemplar, .count = count)

CLASS_RELEASE(vxReleaseObjectArray, object_array)
CLASS_QUERY(vxQueryObjectArray, object_array)

VX_API_ENTRY VX_EXPORT vx_reference VX_API_CALL vxGetObjectArrayItem(vx_object_array a, vx_uint32 index)
{
	ENTER_OR_NULL(a, VX_TYPE_OBJECT_ARRAY);
	struct _vx_context *c = a->reference.context;
	/* vxGetObjectArrayItem: an item that there is */
	if (index >= a->count)
		return refused(c, fail(a, VX_ERROR_INVALID_PARAMETERS, "vxGetObjectArrayItem: item %u of %zu", index, a->count));
	/* vxGetObjectArrayItem: a reference of the application's, to release */
	vxRetainReference(a->items[index]);
	return a->items[index];
}
