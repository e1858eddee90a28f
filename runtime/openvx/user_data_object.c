/* User data objects: bytes that only the application knows (vx_khr_user_data_object). */
#include "runtime/openvx/user_data_object.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/map.h"
#include <string.h>

/* ---- the class ---- */
static vx_status user_data_object_check(const struct _vx_reference *scope, const void *prototype)
{
	const vx_size size = ((const struct _vx_user_data_object *)prototype)->store.size;
	FAIL_IF(!size || size > PTRDIFF_MAX, scope->context, VX_ERROR_INVALID_PARAMETERS, "vxCreateUserDataObject: %zu bytes", size);
	return VX_SUCCESS;
}

static bool user_data_object_init(void *object)
{
	struct _vx_user_data_object *u = object;
	/* there is nothing behind the end of a name */
	const size_t length = strnlen(u->type_name, sizeof u->type_name - 1);
	memset(u->type_name + length, 0, sizeof u->type_name - length);
	return store_open(&u->store, u->store.size, false);
}

static const struct object_attribute attributes[] = {
	{META(VX_USER_DATA_OBJECT_NAME, _vx_user_data_object, type_name, VALUE), .count = VX_MAX_REFERENCE_NAME},
	{META(VX_USER_DATA_OBJECT_SIZE, _vx_user_data_object, store.size, VALUE)},
};

const struct object_class user_data_object_class = {
	.type = VX_TYPE_USER_DATA_OBJECT, .name = "a user data object", .size = OBJECT_SIZE(_vx_user_data_object), ATTRIBUTES(attributes),
	.num_stores = 1, .stores = {offsetof(struct _vx_user_data_object, store)},
	.check = user_data_object_check, .init = user_data_object_init,
};

/* ---- the API ---- */
/* vxCreateUserDataObject: a name that is kept, none is an empty one */
static vx_status prototype_of(struct _vx_context *c, const vx_char *name, vx_size size, struct _vx_user_data_object *out)
{
	memset(out, 0, sizeof *out);
	if (name && strlen(name) >= VX_MAX_REFERENCE_NAME)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "vxCreateUserDataObject: a name of %zu characters; the most are %d", strlen(name),
			    VX_MAX_REFERENCE_NAME - 1);
	strcpy(out->type_name, name ? name : "");
	out->store.size = size;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_user_data_object VX_API_CALL vxCreateUserDataObject(vx_context c, const vx_char *type_name, vx_size size, const void *ptr)
{
	struct _vx_user_data_object prototype;
	ENTER_OR_NULL(c, VX_TYPE_CONTEXT);
	vx_status status = prototype_of(c, type_name, size, &prototype);
	if (status)
		return refused(c, status);
	vx_user_data_object u = data_new(c, &user_data_object_class, &prototype);
	/* vxCreateUserDataObject: without a value all bytes are 0 */
	if (!ptr || !object_is(u, VX_TYPE_USER_DATA_OBJECT))
		return u;
	status = store_write(c, &u->store, 0, ptr, size);
	if (!status)
		return u;
	undone(u);
	return refused(c, status);
}

VX_API_ENTRY VX_EXPORT vx_user_data_object VX_API_CALL vxCreateVirtualUserDataObject(vx_graph graph, const vx_char *type_name, vx_size size)
{
	struct _vx_user_data_object prototype;
	if (!object_is(graph, VX_TYPE_GRAPH))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	const vx_status status = prototype_of(c, type_name, size, &prototype);
	return status ? refused(c, status) : data_new_virtual(graph, &user_data_object_class, &prototype);
}

CLASS_RELEASE(vxReleaseUserDataObject, user_data_object)
CLASS_QUERY(vxQueryUserDataObject, user_data_object)

static vx_status block_find(vx_user_data_object u, const char *function, vx_size offset, vx_size size, struct block *out)
{
	const vx_size all = u->store.size;
	/* vxCopyUserDataObject, vxMapUserDataObject: bytes of the object; 0 means those up to its end */
	FAIL_IF(offset >= all || size > all - offset, u, VX_ERROR_INVALID_PARAMETERS, "%s: %zu bytes from %zu of %zu", function, size, offset, all);
	*out = (struct block){.offset = offset, .row = size ? size : all - offset};
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyUserDataObject(vx_user_data_object u, vx_size offset, vx_size size,
								  void *user_ptr, vx_enum usage, vx_enum user_mem_type)
{
	struct block block;
	ENTER(u, VX_TYPE_USER_DATA_OBJECT);
	TRY(copy_check(&u->reference, "vxCopyUserDataObject", user_ptr, usage, user_mem_type));
	TRY(block_find(u, "vxCopyUserDataObject", offset, size, &block));
	return data_copy(&u->reference, &block, NULL, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapUserDataObject(vx_user_data_object u, vx_size offset, vx_size size,
								 vx_map_id *map_id, void **ptr, vx_enum usage,
								 vx_enum mem_type, vx_uint32 flags)
{
	struct block block;
	(void)flags;
	ENTER(u, VX_TYPE_USER_DATA_OBJECT);
	TRY(map_check(&u->reference, "vxMapUserDataObject", map_id, ptr, usage, mem_type));
	TRY(block_find(u, "vxMapUserDataObject", offset, size, &block));
	return data_map(&u->reference, &block, usage, mem_type, map_id, ptr);
}

CLASS_UNMAP(vxUnmapUserDataObject, user_data_object)
