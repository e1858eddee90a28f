/* References: the objects of all contexts, their counts, and the functions of vx_reference. */
#include "runtime/openvx/object.h"
#include "base/fork.h"
#include "base/handle.h"
#include "runtime/openvx/context.h"
#include "runtime/openvx/object_class.h"
#include <VX/vx_import.h>
#include <VX/vx_khr_user_data_object.h>
#include <stdlib.h>
#include <string.h>

/* Forks that have made this process; what was made before the last one is its parent's. */
static unsigned forks;
static void forked(void) { forks++; }
AFTER_FORK(forked)

static bool from_parent(const void *ref) { return ((const struct _vx_reference *)ref)->forks != forks; }

bool object_inherited(const void *ref) { return handle_known(ref) && from_parent(ref); }

bool object_known(const void *ref)
{
	if (!handle_known(ref))
		return false;
	if (!from_parent(ref))
		return true;
	fail(NULL, VX_ERROR_INVALID_REFERENCE, "%s of the process that forked this one: a forked child can release it, and makes its own",
	     type_name(((const struct _vx_reference *)ref)->type));
	return false;
}

bool object_is(const void *ref, vx_enum type) { return object_known(ref) && ((const struct _vx_reference *)ref)->type == type; }

bool object_is_for(const char *function, const void *ref, vx_enum type)
{
	const bool is = object_is(ref, type);
	if (!is)
		fail(NULL, VX_ERROR_INVALID_REFERENCE, "%s: not %s", function, type_name(type));
	return is;
}

bool object_is_data(const void *ref) { return object_known(ref) && ((const struct _vx_reference *)ref)->class; }

/* ---- life ---- */
void *object_create(struct _vx_context *c, vx_enum type, size_t size, struct _vx_reference *scope, void (*destroy)(struct _vx_reference *))
{
	struct _vx_reference *ref = calloc(1, size);
	if (!ref || !handle_add(ref)) {
		free(ref);
		return NULL;
	}
	ref->type = type;
	ref->forks = forks;
	ref->scope = scope;
	ref->destroy = destroy;
	ref->external = 1;
	ref->context = c;
	if (!c) { /* the context itself */
		ref->context = (struct _vx_context *)ref;
		return ref;
	}
	LIST_INSERT_HEAD(&c->objects, ref, of_context);
	c->num_references++;
	return ref;
}

static void end(struct _vx_reference *ref)
{
	struct _vx_context *c = ref->context;
	if (ref->destroy)
		ref->destroy(ref);
	handle_remove(ref);
	if (ref != &c->reference)
		LIST_REMOVE(ref, of_context);
	free(ref);
}

void object_use(struct _vx_reference *ref) { ref->internal++; }

void object_unuse(struct _vx_reference *ref)
{
	if (ref && !--ref->internal && !ref->external)
		end(ref);
}

vx_status object_release(struct _vx_reference **ref, vx_enum type)
{
	if (ref && object_inherited(*ref) && (type == VX_TYPE_REFERENCE || (*ref)->type == type)) { /* it stays its parent's */
		*ref = NULL;
		return VX_SUCCESS;
	}
	if (!ref || !object_known(*ref) || (type != VX_TYPE_REFERENCE && (*ref)->type != type))
		return fail(ref ? *ref : NULL, VX_ERROR_INVALID_REFERENCE, "release: not a reference to %s", type_name(type));
	struct _vx_reference *r = *ref;
	LOCKED(r->context);
	FAIL_IF(!r->external, r, VX_ERROR_INVALID_REFERENCE, "release: the application has no reference to it any more");
	*ref = NULL;
	r->context->num_references -= !r->uncounted;
	if (--r->external)
		return VX_SUCCESS;
	if (r->released)
		r->released(r);
	if (!r->internal)
		end(r);
	return VX_SUCCESS;
}

struct _vx_reference *object_error(struct _vx_context *c, vx_status status)
{
	LOCKED(c);
	const unsigned at = (unsigned)-status;
	if (at >= sizeof c->errors / sizeof *c->errors)
		return NULL;
	if (!c->errors[at]) {
		struct _vx_reference *e = object_create(c, VX_TYPE_ERROR, sizeof *e, &c->reference, NULL);
		if (!e)
			return NULL;
		e->status = status;
		e->external = 0; /* the context's own, until it ends */
		e->internal = 1;
		c->num_references--;
		c->errors[at] = e;
	}
	return c->errors[at];
}

vx_status object_reach(const struct _vx_reference *ref, const char *function)
{
	/* vxCreateVirtual...: what is virtual cannot be accessed */
	FAIL_IF(object_hidden(ref), ref, VX_ERROR_OPTIMIZED_AWAY, "%s: %s that is virtual cannot be accessed", function, type_name(ref->type));
	const bool enqueued = WITH_PIPELINES(ref->context, ref->enqueued && !ref->in_use);
	/* vxSetGraphScheduleConfig: nor can what the application has handed to a graph */
	if (enqueued)
		return fail(ref, VX_ERROR_GRAPH_SCHEDULED, "%s: %s that is enqueued at a graph is the graph's: vxGraphParameterDequeueDoneRef", function,
			    type_name(ref->type));
	return VX_SUCCESS;
}

/* ---- attributes ---- */
vx_status attribute_get(const void *ref, vx_enum attribute, void *ptr, vx_size room, const void *value, vx_size size)
{
	if (!ptr || room != size)
		return fail(ref, VX_ERROR_INVALID_PARAMETERS, "attribute 0x%x has %zu bytes; there is room for %zu at %p", attribute, size, room, ptr);
	memcpy(ptr, value, size);
	return VX_SUCCESS;
}

vx_status attribute_text(const void *ref, vx_enum attribute, void *ptr, vx_size room, const char *text)
{
	if (!ptr || room <= strlen(text))
		return fail(ref, VX_ERROR_INVALID_PARAMETERS, "attribute 0x%x has %zu characters; there is room for %zu at %p", attribute, strlen(text) + 1,
			    room, ptr);
	strcpy(ptr, text);
	return VX_SUCCESS;
}

vx_status attribute_set(const void *ref, vx_enum attribute, void *value, vx_size size, const void *ptr, vx_size given)
{
	if (!ptr || given != size)
		return fail(ref, VX_ERROR_INVALID_PARAMETERS, "attribute 0x%x has %zu bytes, %zu at %p are given", attribute, size, given, ptr);
	memcpy(value, ptr, size);
	return VX_SUCCESS;
}

vx_status attribute_unknown(const void *ref, vx_enum attribute)
{
	return fail(ref, VX_ERROR_NOT_SUPPORTED, "%s has no attribute 0x%x that can be accessed so", type_name(((const struct _vx_reference *)ref)->type),
		    attribute);
}

/* ---- types ---- */
static const struct {
	vx_enum type;
	vx_size size; /* of a value; 0: an object */
	enum type_kind kind;
	const char *name;
} all_types[] = { /* of data objects the classes say it */
	{VX_TYPE_CHAR, 1, TYPE_SIGNED, "char"},
	{VX_TYPE_INT8, 1, TYPE_SIGNED, "int8"},
	{VX_TYPE_UINT8, 1, TYPE_UNSIGNED, "uint8"},
	{VX_TYPE_INT16, 2, TYPE_SIGNED, "int16"},
	{VX_TYPE_UINT16, 2, TYPE_UNSIGNED, "uint16"},
	{VX_TYPE_INT32, 4, TYPE_SIGNED, "int32"},
	{VX_TYPE_UINT32, 4, TYPE_UNSIGNED, "uint32"},
	{VX_TYPE_INT64, 8, TYPE_SIGNED, "int64"},
	{VX_TYPE_UINT64, 8, TYPE_UNSIGNED, "uint64"},
	{VX_TYPE_FLOAT32, 4, TYPE_REAL, "float32"},
	{VX_TYPE_FLOAT64, 8, TYPE_REAL, "float64"},
	{VX_TYPE_ENUM, sizeof(vx_enum), TYPE_SIGNED, "enum"},
	{VX_TYPE_SIZE, sizeof(vx_size), TYPE_UNSIGNED, "size"},
	{VX_TYPE_DF_IMAGE, sizeof(vx_df_image), TYPE_UNSIGNED, "df_image"},
	{VX_TYPE_FLOAT16, 2, TYPE_OTHER, "float16"},
	{VX_TYPE_BOOL, sizeof(vx_bool), TYPE_SIGNED, "bool"},
	{VX_TYPE_RECTANGLE, sizeof(vx_rectangle_t), TYPE_OTHER, "rectangle"},
	{VX_TYPE_KEYPOINT, sizeof(vx_keypoint_t), TYPE_OTHER, "keypoint"},
	{VX_TYPE_COORDINATES2D, sizeof(vx_coordinates2d_t), TYPE_OTHER, "coordinates2d"},
	{VX_TYPE_COORDINATES3D, sizeof(vx_coordinates3d_t), TYPE_OTHER, "coordinates3d"},
	{VX_TYPE_COORDINATES2DF, sizeof(vx_coordinates2df_t), TYPE_OTHER, "coordinates2df"},
	{VX_TYPE_HOG_PARAMS, sizeof(vx_hog_t), TYPE_OTHER, "hog parameters"},
	{VX_TYPE_HOUGH_LINES_PARAMS, sizeof(vx_hough_lines_p_t), TYPE_OTHER, "hough lines parameters"},
	{VX_TYPE_LINE_2D, sizeof(vx_line2d_t), TYPE_OTHER, "line2d"},
	{VX_TYPE_TENSOR_MATRIX_MULTIPLY_PARAMS, sizeof(vx_tensor_matrix_multiply_params_t), TYPE_OTHER, "tensor matrix multiply parameters"},
	{VX_TYPE_REFERENCE, 0, TYPE_OTHER, "any object"},
	{VX_TYPE_CONTEXT, 0, TYPE_OTHER, "a context"},
	{VX_TYPE_GRAPH, 0, TYPE_OTHER, "a graph"},
	{VX_TYPE_NODE, 0, TYPE_OTHER, "a node"},
	{VX_TYPE_KERNEL, 0, TYPE_OTHER, "a kernel"},
	{VX_TYPE_PARAMETER, 0, TYPE_OTHER, "a parameter"},
	{VX_TYPE_ERROR, 0, TYPE_OTHER, "an error"},
	{VX_TYPE_META_FORMAT, 0, TYPE_OTHER, "meta data"},
	{VX_TYPE_IMPORT, 0, TYPE_OTHER, "an import"},
};

vx_size type_size(struct _vx_context *c, vx_enum type)
{
	for (size_t i = 0; i < sizeof all_types / sizeof *all_types; i++)
		if (all_types[i].type == type)
			return all_types[i].size;
	for (vx_uint32 i = 0; i < c->num_structs; i++)
		if (c->structs[i].type == type)
			return c->structs[i].size;
	return 0;
}

enum type_kind type_kind(vx_enum type)
{
	for (size_t i = 0; i < sizeof all_types / sizeof *all_types; i++)
		if (all_types[i].type == type)
			return all_types[i].kind;
	return TYPE_OTHER;
}

const char *type_name(vx_enum type)
{
	const struct object_class *k = class_find(type);
	for (size_t i = 0; i < sizeof all_types / sizeof *all_types; i++)
		if (all_types[i].type == type)
			return all_types[i].name;
	return k ? k->name : "an unknown type";
}

/* ---- the API ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxGetStatus(vx_reference ref)
{
	/* vxGetStatus: no reference means that there was nothing to create one with */
	if (!ref)
		return VX_ERROR_NO_RESOURCES;
	if (!object_known(ref))
		return VX_ERROR_INVALID_REFERENCE;
	return ref->status;
}

VX_API_ENTRY VX_EXPORT vx_context VX_API_CALL vxGetContext(vx_reference ref) { return object_usable(ref) ? ref->context : NULL; }

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryReference(vx_reference ref, vx_enum attribute, void *ptr, vx_size size)
{
	FAIL_IF(!object_usable(ref), ref, VX_ERROR_INVALID_REFERENCE, "vxQueryReference: not a reference");
	LOCKED(ref->context);
	switch (attribute) {
	case VX_REFERENCE_COUNT: return GET(ref, vx_uint32, ref->external);
	case VX_REFERENCE_TYPE: return GET(ref, vx_enum, ref->type);
	case VX_REFERENCE_NAME: return GET(ref, const vx_char *, ref->name);
	default: return attribute_unknown(ref, attribute);
	}
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseReference(vx_reference *ref_ptr)
{
	if (ref_ptr && object_inherited(*ref_ptr))
		return object_release(ref_ptr, VX_TYPE_REFERENCE);
	if (ref_ptr && object_is(*ref_ptr, VX_TYPE_CONTEXT))
		return vxReleaseContext((vx_context *)ref_ptr);
	FAIL_IF(ref_ptr && !object_usable(*ref_ptr), NULL, VX_ERROR_INVALID_REFERENCE, "vxReleaseReference: not a reference");
	return object_release(ref_ptr, VX_TYPE_REFERENCE);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxRetainReference(vx_reference ref)
{
	FAIL_IF(!object_usable(ref), ref, VX_ERROR_INVALID_REFERENCE, "vxRetainReference: not a reference");
	LOCKED(ref->context);
	ref->external++;
	ref->context->num_references += !ref->uncounted;
	return VX_SUCCESS;
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxSetReferenceName(vx_reference ref, const vx_char *name)
{
	FAIL_IF(!object_usable(ref), ref, VX_ERROR_INVALID_REFERENCE, "vxSetReferenceName: not a reference");
	if (!name || strlen(name) >= VX_MAX_REFERENCE_NAME)
		return fail(ref, VX_ERROR_INVALID_PARAMETERS, "vxSetReferenceName: no name, or one of %d characters and more", VX_MAX_REFERENCE_NAME);
	LOCKED(ref->context);
	strcpy(ref->name, name);
	return VX_SUCCESS;
}
