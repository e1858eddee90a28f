/* Scalars: one value of a type (OpenVX 1.3, vx_scalar). */
#include "runtime/openvx/attributes.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/graph.h"
#include "runtime/openvx/map.h"
#include <math.h>
#include <string.h>

static bool scalar_is(vx_scalar scalar) { return object_is(scalar, VX_TYPE_SCALAR); }

/* ---- life ---- */
vx_scalar scalar_create(struct _vx_context *c, struct _vx_reference *scope, vx_enum type, vx_size size, bool is_virtual)
{
	struct _vx_scalar *s = object_create(c, VX_TYPE_SCALAR, sizeof *s, scope, stores_destroy);
	if (!s)
		return NULL;
	s->reference.is_virtual = is_virtual;
	s->data_type = type;
	return store_open(&s->store, size, true) ? s : undone(s);
}

/* A virtual scalar has no value to begin with. */
static vx_scalar scalar_new(struct _vx_context *c, struct _vx_reference *scope, vx_enum type, vx_size size, const void *value,
			    bool is_virtual)
{
	const vx_size needed = type_size(c, type);
	/* vxCreateScalar: a type of values, Khronos', a vendor's or one that has been registered */
	if (!needed)
		return refused(c, fail(c, VX_ERROR_INVALID_TYPE, "a scalar of type 0x%x", type));
	/* vxCreateScalarWithSize: as many bytes as the type has */
	if (size && size != needed)
		return refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "%zu bytes for a scalar of type %s, which has %zu", size,
				       type_name(type), needed));
	vx_scalar s = scalar_create(c, scope, type, needed, is_virtual);
	if (s && value)
		scalar_set(s, value);
	return created(c, s);
}

VX_API_ENTRY VX_EXPORT vx_scalar VX_API_CALL vxCreateScalar(vx_context c, vx_enum data_type, const void *ptr)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	return scalar_new(c, &c->reference, data_type, 0, ptr, false);
}

VX_API_ENTRY VX_EXPORT vx_scalar VX_API_CALL vxCreateScalarWithSize(vx_context c, vx_enum data_type, const void *ptr,
								    vx_size size)
{
	if (!context_is(c))
		return NULL;
	LOCKED(c);
	if (!size)
		return refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "vxCreateScalarWithSize: a scalar of 0 bytes"));
	return scalar_new(c, &c->reference, data_type, size, ptr, false);
}

VX_API_ENTRY VX_EXPORT vx_scalar VX_API_CALL vxCreateVirtualScalar(vx_graph graph, vx_enum data_type)
{
	if (!graph_is(graph))
		return NULL;
	struct _vx_context *c = graph->reference.context;
	LOCKED(c);
	return scalar_new(c, &graph->reference, data_type, 0, NULL, true);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxReleaseScalar(vx_scalar *scalar)
{
	return object_release((vx_reference *)scalar, VX_TYPE_SCALAR);
}

/* ---- the API's access ---- */
VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxQueryScalar(vx_scalar scalar, vx_enum attribute, void *ptr, vx_size size)
{
	return attribute_query(scalar, VX_TYPE_SCALAR, __func__, attribute, ptr, size);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyScalar(vx_scalar scalar, void *user_ptr, vx_enum usage, vx_enum user_mem_type)
{
	return whole_copy(scalar, VX_TYPE_SCALAR, __func__, user_ptr, usage, user_mem_type);
}

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyScalarWithSize(vx_scalar scalar, vx_size size, void *user_ptr, vx_enum usage,
								  vx_enum user_mem_type)
{
	if (!scalar_is(scalar))
		return fail(NULL, VX_ERROR_INVALID_REFERENCE, "vxCopyScalarWithSize: not a scalar");
	LOCKED(scalar->reference.context);
	const vx_status status = copy_check(&scalar->reference, "vxCopyScalarWithSize", user_ptr, usage, user_mem_type);
	if (status)
		return status;
	/* vxCopyScalarWithSize: the application's variable has the size of the type */
	if (size != scalar->store.size)
		return fail(scalar, VX_ERROR_INVALID_PARAMETERS, "vxCopyScalarWithSize: %zu bytes, where the scalar has %zu",
			    size, scalar->store.size);
	return store_copy(&scalar->reference, &scalar->store, user_ptr, usage, user_mem_type);
}

/* ---- values that kernels are launched by ---- */
vx_status scalar_set(vx_scalar s, const void *value)
{
	return store_write(s->reference.context, &s->store, 0, value, s->store.size);
}

enum kind { SIGNED, UNSIGNED, REAL };
static const struct {
	vx_enum type;
	enum kind kind;
} kinds[] = {
	{VX_TYPE_CHAR, SIGNED},
	{VX_TYPE_INT8, SIGNED},
	{VX_TYPE_INT16, SIGNED},
	{VX_TYPE_INT32, SIGNED},
	{VX_TYPE_INT64, SIGNED},
	{VX_TYPE_ENUM, SIGNED},
	{VX_TYPE_BOOL, SIGNED},
	{VX_TYPE_UINT8, UNSIGNED},
	{VX_TYPE_UINT16, UNSIGNED},
	{VX_TYPE_UINT32, UNSIGNED},
	{VX_TYPE_UINT64, UNSIGNED},
	{VX_TYPE_SIZE, UNSIGNED},
	{VX_TYPE_DF_IMAGE, UNSIGNED},
	{VX_TYPE_FLOAT32, REAL},
	{VX_TYPE_FLOAT64, REAL},
};

/* An integer, or else a real number: true. What is neither is 0. */
static bool number_of(vx_scalar s, vx_int64 *integer, vx_float64 *real)
{
	const void *value = store_value(s->reference.context, &s->store);
	const size_t size = s->store.size;
	*integer = 0;
	*real = 0;
	for (size_t i = 0; value && i < sizeof kinds / sizeof *kinds; i++) {
		if (kinds[i].type != s->data_type)
			continue;
		if (kinds[i].kind == REAL) {
			vx_float32 single = 0;
			memcpy(size == sizeof single ? (void *)&single : (void *)real, value, size);
			if (size == sizeof single)
				*real = single;
			return true;
		}
		vx_uint64 bits = 0;
		memcpy(&bits, value, size); /* least significant byte first, as the device has it */
		const unsigned above = (unsigned)(64 - 8 * size);
		if (kinds[i].kind == SIGNED)
			*integer = (vx_int64)(bits << above) >> above;
		else
			*integer = bits > INT64_MAX ? INT64_MAX : (vx_int64)bits;
		return false;
	}
	return false;
}

vx_int32 scalar_int(vx_scalar s)
{
	vx_int64 integer;
	vx_float64 real;
	if (number_of(s, &integer, &real))
		integer = llround(fmin(fmax(real, INT32_MIN), INT32_MAX));
	return (vx_int32)(integer < INT32_MIN ? INT32_MIN : integer > INT32_MAX ? INT32_MAX : integer);
}

vx_size scalar_size(vx_scalar s)
{
	vx_int64 integer;
	vx_float64 real;
	return (vx_size)(number_of(s, &integer, &real) ? llround(real) : integer);
}

vx_float32 scalar_float(vx_scalar s)
{
	vx_int64 integer;
	vx_float64 real;
	return (vx_float32)(number_of(s, &integer, &real) ? real : (vx_float64)integer);
}
