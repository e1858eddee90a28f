/* Types of the application's own, for items of arrays (OpenVX 1.3, 3.9 and 3.33). */
#include "runtime/openvx/context.h"
#include <stdlib.h>
#include <string.h>

static struct user_struct *by_name(struct _vx_context *c, const vx_char *name)
{
	for (vx_uint32 i = 0; i < c->num_structs; i++)
		if (*c->structs[i].name && !strcmp(c->structs[i].name, name))
			return &c->structs[i];
	return NULL;
}

static vx_enum add(struct _vx_context *c, vx_size size, const vx_char *name)
{
	LOCKED(c);
	const vx_enum type = VX_TYPE_USER_STRUCT_START + (vx_enum)c->num_structs;
	struct user_struct *grown = NULL;
	if (type <= VX_TYPE_USER_STRUCT_END)
		grown = realloc(c->structs, (c->num_structs + 1) * sizeof *grown);
	if (!grown) {
		fail(c, VX_ERROR_NO_RESOURCES, "no room for one more type beside %u", c->num_structs);
		return VX_TYPE_INVALID;
	}
	c->structs = grown;
	grown[c->num_structs] = (struct user_struct){.type = type, .size = size};
	strcpy(grown[c->num_structs++].name, name);
	return type;
}

VX_API_ENTRY VX_EXPORT vx_enum VX_API_CALL vxRegisterUserStruct(vx_context c, vx_size size)
{
	if (!object_is(c, VX_TYPE_CONTEXT) || !size) {
		fail(c, VX_ERROR_INVALID_PARAMETERS, "vxRegisterUserStruct: no context, or a type of %zu bytes", size);
		return VX_TYPE_INVALID;
	}
	return add(c, size, "");
}

VX_API_ENTRY VX_EXPORT vx_enum VX_API_CALL vxRegisterUserStructWithName(vx_context c, vx_size size, const vx_char *type_name)
{
	if (!object_is(c, VX_TYPE_CONTEXT) || !size || !type_name || strlen(type_name) >= VX_MAX_REFERENCE_NAME) {
		fail(c, VX_ERROR_INVALID_PARAMETERS, "vxRegisterUserStructWithName: no context, a type of %zu bytes, or no name of less than %d characters", size,
		     VX_MAX_REFERENCE_NAME);
		return VX_TYPE_INVALID;
	}
	LOCKED(c);
	/* vxRegisterUserStructWithName: a name stands for one type */
	if (by_name(c, type_name)) {
		fail(c, VX_ERROR_INVALID_PARAMETERS, "vxRegisterUserStructWithName: there is a type %s already", type_name);
		return VX_TYPE_INVALID;
	}
	return add(c, size, type_name);
}

void user_structs_forget(struct _vx_context *c, vx_uint32 left) { c->num_structs = left; }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxGetUserStructNameByEnum(vx_context c, vx_enum user_struct_type, vx_char *type_name, vx_size name_size)
{
	FAIL_IF(!object_is(c, VX_TYPE_CONTEXT), NULL, VX_ERROR_INVALID_PARAMETERS, "vxGetUserStructNameByEnum: not a context");
	if (!type_name || user_struct_type == VX_TYPE_INVALID)
		return fail(c, VX_ERROR_INVALID_PARAMETERS, "vxGetUserStructNameByEnum: no room for a name, or no type");
	LOCKED(c);
	for (vx_uint32 i = 0; i < c->num_structs; i++) {
		const struct user_struct *s = &c->structs[i];
		if (s->type != user_struct_type || !*s->name)
			continue;
		if (strlen(s->name) >= name_size)
			return fail(c, VX_ERROR_NO_MEMORY, "vxGetUserStructNameByEnum: %s does not fit into %zu characters", s->name, name_size);
		strcpy(type_name, s->name);
		return VX_SUCCESS;
	}
	return fail(c, VX_FAILURE, "vxGetUserStructNameByEnum: type 0x%x has no name", user_struct_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxGetUserStructEnumByName(vx_context c, const vx_char *type_name, vx_enum *user_struct_type)
{
	FAIL_IF(!object_is(c, VX_TYPE_CONTEXT), NULL, VX_ERROR_INVALID_PARAMETERS, "vxGetUserStructEnumByName: not a context");
	FAIL_IF(!user_struct_type, c, VX_ERROR_INVALID_PARAMETERS, "vxGetUserStructEnumByName: no room for the type");
	FAIL_IF(!type_name, c, VX_FAILURE, "vxGetUserStructEnumByName: no name");
	LOCKED(c);
	const struct user_struct *s = by_name(c, type_name);
	FAIL_IF(!s, c, VX_FAILURE, "vxGetUserStructEnumByName: there is no type %s", type_name);
	*user_struct_type = s->type;
	return VX_SUCCESS;
}
