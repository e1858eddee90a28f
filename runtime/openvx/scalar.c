/* Scalars: one value of a type (OpenVX 1.3, vx_scalar). */
#include "runtime/openvx/check.h"
#include "runtime/openvx/data_objects.h"
#include "runtime/openvx/map.h"
#include <math.h>
#include <string.h>

/* ---- the class ---- */
/* store.size of a prototype: what the application says of the size; 0: nothing. */
static vx_status scalar_check(const struct _vx_reference *scope, const void *prototype)
{
	const struct _vx_scalar *p = prototype;
	const vx_size needed = type_size(scope->context, p->data_type);
	/* vxCreateScalar: a type of values, Khronos', a vendor's or one that has been registered */
	FAIL_IF(!needed, scope->context, VX_ERROR_INVALID_TYPE, "a scalar of type 0x%x", p->data_type);
	/* vxCreateScalarWithSize: as many bytes as the type has */
	if (p->store.size && p->store.size != needed)
		return fail(scope->context, VX_ERROR_INVALID_PARAMETERS, "%zu bytes for a scalar of type %s, which has %zu", p->store.size, type_name(p->data_type),
			    needed);
	return VX_SUCCESS;
}

static bool scalar_init(void *object)
{
	struct _vx_scalar *s = object;
	return store_open(&s->store, type_size(s->reference.context, s->data_type), true);
}

static vx_status scalar_gives(struct check *c, unsigned index, const void *like, const void *output)
{
	(void)output;
	return gives_scalar(c, index, ((const struct _vx_scalar *)like)->data_type);
}

static const struct object_attribute attributes[] = {
	{META(VX_SCALAR_TYPE, _vx_scalar, data_type, TYPE), .names_type = true},
};

const struct object_class scalar_class = {
	.type = VX_TYPE_SCALAR, .name = "a scalar", .size = OBJECT_SIZE(_vx_scalar), ATTRIBUTES(attributes),
	.num_stores = 1, .stores = {offsetof(struct _vx_scalar, store)},
	.check = scalar_check, .init = scalar_init, .gives = scalar_gives,
};

/* ---- the API ---- */
static vx_scalar scalar_new(vx_context c, vx_enum data_type, vx_size size, const void *value)
{
	vx_scalar s = data_new(c, &scalar_class, &(struct _vx_scalar){.data_type = data_type, .store.size = size});
	if (value && object_is(s, VX_TYPE_SCALAR)) {
		LOCKED(c);
		store_write(c, &s->store, 0, value, s->store.size);
	}
	return s;
}

VX_API_ENTRY VX_EXPORT vx_scalar VX_API_CALL vxCreateScalar(vx_context c, vx_enum data_type, const void *ptr) { return scalar_new(c, data_type, 0, ptr); }

VX_API_ENTRY VX_EXPORT vx_scalar VX_API_CALL vxCreateScalarWithSize(vx_context c, vx_enum data_type, const void *ptr, vx_size size)
{
	if (!size && object_is(c, VX_TYPE_CONTEXT))
		return refused(c, fail(c, VX_ERROR_INVALID_PARAMETERS, "vxCreateScalarWithSize: a scalar of 0 bytes"));
	return scalar_new(c, data_type, size, ptr);
}

/* A virtual scalar has no value to begin with. */
VX_API_ENTRY VX_EXPORT vx_scalar VX_API_CALL vxCreateVirtualScalar(vx_graph graph, vx_enum data_type)
{
	return data_new_virtual(graph, &scalar_class, &(struct _vx_scalar){.data_type = data_type});
}

CLASS_RELEASE(vxReleaseScalar, scalar)
CLASS_QUERY(vxQueryScalar, scalar)
CLASS_COPY(vxCopyScalar, scalar)

VX_API_ENTRY VX_EXPORT vx_status VX_API_CALL vxCopyScalarWithSize(vx_scalar scalar, vx_size size, void *user_ptr, vx_enum usage,
								  vx_enum user_mem_type)
{
	ENTER(scalar, VX_TYPE_SCALAR);
	TRY(copy_check(&scalar->reference, "vxCopyScalarWithSize", user_ptr, usage, user_mem_type));
	/* vxCopyScalarWithSize: the application's variable has the size of the type */
	if (size != scalar->store.size)
		return fail(scalar, VX_ERROR_INVALID_PARAMETERS, "vxCopyScalarWithSize: %zu bytes, where the scalar has %zu",
			    size, scalar->store.size);
	return store_copy(&scalar->reference, &scalar->store, user_ptr, usage, user_mem_type);
}

/* ---- values that kernels are launched by ---- */
/* An integer, or else a real number: true. What is neither is 0. */
static bool number_of(vx_scalar s, vx_int64 *integer, vx_float64 *real)
{
	const void *value = store_value(s->reference.context, &s->store);
	const size_t size = s->store.size;
	const enum type_kind kind = value ? type_kind(s->data_type) : TYPE_OTHER;
	*integer = 0;
	*real = 0;
	if (kind == TYPE_REAL) {
		vx_float32 single = 0;
		memcpy(size == sizeof single ? (void *)&single : (void *)real, value, size);
		if (size == sizeof single)
			*real = single;
		return true;
	}
	if (kind != TYPE_OTHER) {
		vx_uint64 bits = 0;
		memcpy(&bits, value, size); /* least significant byte first, as the device has it */
		const unsigned above = (unsigned)(64 - 8 * size);
		if (kind == TYPE_SIGNED)
			*integer = (vx_int64)(bits << above) >> above;
		else
			*integer = bits > INT64_MAX ? INT64_MAX : (vx_int64)bits;
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
