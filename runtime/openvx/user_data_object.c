/* User data objects: bytes that only the application knows (vx_khr_user_data_object). */
#include "runtime/openvx/user_data_object.h"
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/map.h"
#include <string.h>

static bool user_data_object_is(vx_user_data_object u) { return object_is(u, VX_TYPE_USER_DATA_OBJECT); }

/* ---- life ---- */
vx_user_data_object user_data_object_create(struct _vx_context *c, struct _vx_reference *scope, const vx_char *name, vx_size size,
					    bool is_virtual)
{
	struct _vx_user_data_object *u = object_create(c, VX_TYPE_USER_DATA_OBJECT, sizeof *u, scope, stores_destroy);
	if (!u)
		return NULL;
	u->reference.is_virtual = is_virtual;
	strcpy(u->type_name, name);
	return store_open(&u->store, size, false) ? u : undone(u);
}

static vx_user_data_object user_data_object_new(struct _vx_context *c, struct _vx_reference *scope, const vx_char *name,
						vx_size size, bool is_virtual)
{
	/* vxCreateUserDataObject: a name that is kept, none is an empty one */
	if (name && strlen(name) >= VX_MAX_REFERENCE_NAME)
		return refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS,
				       "vxCreateUserDataObject: a name of %zu characters; the most are %d", strlen(name),
				       VX_MAX_REFERENCE_NAME - 1));
	if (!size || size > PTRDIFF_MAX)
		return refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "vxCreateUserDataObject: %zu bytes", size));
	return created(c, user_data_object_create(c, scope, name ? name : "", size, is_virtual));
}

VX_API_ENTRY VX_EXPORT vx_user_data_object VX_API_CALL vxCreateUserDataObject(vx_context c, const vx_char *type_name,
									      vx_size size, const void *ptr)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	vx_user_data_object u = user_data_object_new(c, &c->reference, type_name, size, false);
	/* vxCreateUserDataObject: without a value all bytes are 0 */
	if (!ptr || !user_data_object_is(u))
		return u;
	const vx_status status = store_write(c, &u->store, 0, ptr, size);
	if (!status)
		return u;
	undone(u);
	return refused(c, status);
}

VX_API_ENTRY VX_EXPORT vx_user_data_object VX_API_CALL vxCreateVirtualUserDataObject(vx_graph graph, const vx_char *type_name,
										     vx_size size)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	return user_data_object_new(c, &graph->reference, type_name, size, true);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseUserDataObject(vx_user_data_object *user_data_object)
{
	return object_release((vx_reference *)user_data_object, VX_TYPE_USER_DATA_OBJECT);
}

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryUserDataObject(vx_user_data_object u, vx_enum attribute, void *ptr,
								   vx_size size)
{
	return attribute_query(u, VX_TYPE_USER_DATA_OBJECT, __func__, attribute, ptr, size);
}

static vx_status block_find(vx_user_data_object u, const char *function, vx_size offset, vx_size size, struct block *out)
{
	const vx_size all = u->store.size;
	/* vxCopyUserDataObject, vxMapUserDataObject: bytes of the object; 0 means those up to its end */
	if (offset >= all || size > all - offset)
		return fail(u, VX_ERROR_INVALID_PARAMETERS, "%s: %zu bytes from %zu of %zu", function, size, offset, all);
	*out = (struct block){.offset = offset, .row = size ? size : all - offset};
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyUserDataObject(vx_user_data_object u, vx_size offset, vx_size size,
								  void *user_ptr, vx_enum usage, vx_enum user_mem_type)
{
	struct block block;
	if (!user_data_object_is(u))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxCopyUserDataObject: not a user data object");
	LOCKED(u->reference.context);
	vx_status status = copy_check(&u->reference, "vxCopyUserDataObject", user_ptr, usage, user_mem_type);
	if (!status)
		status = block_find(u, "vxCopyUserDataObject", offset, size, &block);
	return status ? status : store_copy_part(&u->reference, &u->store, &block, NULL, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxMapUserDataObject(vx_user_data_object u, vx_size offset, vx_size size,
								 vx_map_id *map_id, void **ptr, vx_enum usage,
								 vx_enum mem_type, vx_uint32 flags)
{
	struct block block;
	(void)flags;
	if (!user_data_object_is(u))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxMapUserDataObject: not a user data object");
	LOCKED(u->reference.context);
	vx_status status = map_check(&u->reference, "vxMapUserDataObject", map_id, ptr, usage, mem_type);
	if (!status)
		status = block_find(u, "vxMapUserDataObject", offset, size, &block);
	return status ? status : store_map(&u->reference, &u->store, &block, usage, mem_type, map_id, ptr);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxUnmapUserDataObject(vx_user_data_object u, vx_map_id map_id)
{
	return store_unmap(u, VX_TYPE_USER_DATA_OBJECT, __func__, map_id);
}
