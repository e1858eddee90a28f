/* What all objects share: counting, errors, information queries. */
#include "runtime/opencl/objects.h"
#include "base/limit.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned object_forks;

/* Made by the process that forked this one, or by one before. */
static bool inherited(const struct object *o) { return o->forks != object_forks; }

void object_init(struct object *o, enum object_magic magic, void (*dropped)(void *), void (*destroy)(void *))
{
	o->dispatch = &galena_dispatch;
	o->dispatch_data = galena_platform.object.dispatch_data;
	o->magic = magic;
	o->forks = object_forks;
	atomic_init(&o->refs, 1);
	atomic_init(&o->uses, 1);
	atomic_init(&o->callback_refs, 0);
	o->dropped = dropped;
	o->destroy = destroy;
	if (!handle_add(o)) {
		log_write(LOG_ERROR, "no memory to know another object: ending");
		abort();
	}
}

bool object_retain(struct object *o)
{
	if (atomic_fetch_add(&o->refs, 1))
		return false;
	object_use(o); /* the one that went with the last reference */
	return true;
}

void object_use(struct object *o) { atomic_fetch_add(&o->uses, 1); }

void object_callback_ref(struct object *o) { atomic_fetch_add(&o->callback_refs, 1); }
void object_callback_unref(struct object *o) { atomic_fetch_sub(&o->callback_refs, 1); }

void object_unuse(struct object *o)
{
	if (inherited(o) || atomic_fetch_sub(&o->uses, 1) != 1)
		return;
	handle_remove(o);
	o->magic = 0;
	o->destroy(o);
}

void object_release(struct object *o)
{
	if (inherited(o) || atomic_fetch_sub(&o->refs, 1) != 1)
		return;
	if (o->dropped)
		o->dropped(o);
	object_unuse(o);
}

bool object_valid(const void *handle, enum object_magic magic)
{
	const struct object *o = handle;
	if (!handle_known(o) || o->magic != (uint32_t)magic)
		return false;
	if (inherited(o)) {
		log_write(LOG_DEBUG, "%p is of the process that forked this one: a forked child can release it, and makes its own", handle);
		return false;
	}
	return object_refs(o) || atomic_load(&o->callback_refs) || magic == MAGIC_DEVICE || magic == MAGIC_CONTEXT || magic == MAGIC_QUEUE ||
	       magic == MAGIC_MEM;
}

bool object_held(const void *handle, enum object_magic magic)
{
	const struct object *o = handle;
	return handle_known(o) && o->magic == (uint32_t)magic && object_refs(o);
}

/* What the process' limits may be the cause of. The first of them is said without being asked for, where there are such limits. */
static bool is_shortage(cl_int code)
{
	return code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES || code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

cl_int api_error(const char *function, cl_int code, const char *code_name, const char *format, ...)
{
	static atomic_bool told;
	const bool limited = is_shortage(code) && limit_address_space() != UINT64_MAX && !atomic_exchange(&told, true);
	const enum log_level level = limited ? LOG_ERROR : LOG_DEBUG;
	if (!log_enabled(level))
		return code;
	char text[512];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (!strncmp(function, "galena_", 7))
		function += 7;
	log_write(level, "%s: %s (%d): %s%s", function, code_name, (int)code, text, limited ? limit_advice(ENOMEM) : "");
	return code;
}

void *api_object(cl_int *errcode_ret, cl_int code, struct object *o)
{
	if (code)
		object_release(o);
	return api_result(errcode_ret, code, code ? NULL : o);
}

cl_int info_bytes(size_t size, void *value, size_t *size_ret, const void *data, size_t data_size)
{
	/* CL_GET*_PARAM_SIZE: OpenCL 3.0, every clGet...Info: CL_INVALID_VALUE when the size is less than that of the
	 * result and the value is wanted */
	if (value && size < data_size)
		return api_error("clGetInfo", CL_INVALID_VALUE, "CL_INVALID_VALUE", "param_value_size %zu, %zu needed", size, data_size);
	if (value && data_size)
		memcpy(value, data, data_size);
	if (size_ret)
		*size_ret = data_size;
	return CL_SUCCESS;
}

bool given_list_keep(struct given_list *given, const void *list, size_t bytes)
{
	if (!bytes)
		return true;
	given->list = malloc(bytes);
	if (!given->list)
		return false;
	memcpy(given->list, list, bytes);
	given->bytes = bytes;
	return true;
}
