/* Maps and copies of buffers of data objects, in both types of memory. */
#include "runtime/openvx/map.h"
#include "runtime/openvx/nesting.h"
#include "runtime/openvx/graph.h"
#include <VX/vx_khr_opencl_interop.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A buffer that is mapped for the host. All maps that write share one, since OpenCL maps no region twice for writing. */
struct host_mapping {
	cl_mem mem;
	void *host;
	bool writable;
	unsigned users;
};

struct data_map {
	struct data_map *next;
	vx_map_id id;
	const struct _vx_reference *object;
	vx_enum usage;
	cl_mem mem;
	struct block block;
	struct host_mapping *mapping; /* VX_MEMORY_TYPE_HOST */
	cl_mem dense;      /* VX_MEMORY_TYPE_OPENCL_BUFFER, of a part; NULL: the buffer itself has been handed out */
};

/* ---- parameters ---- */
vx_status memory_check(const void *ref, const char *function, vx_enum memory)
{
	const struct _vx_node *n = node_current();
	/* vx_khr_opencl_interop, 2.4: buffers of OpenCL beside memory of the host's */
	if (memory != VX_MEMORY_TYPE_HOST && memory != VX_MEMORY_TYPE_OPENCL_BUFFER)
		return fail(ref, VX_ERROR_INVALID_PARAMETERS, "%s: memory of type 0x%x", function, memory);
	/* vx_khr_opencl_interop, 2.3.2: of the functions of user kernels those use it whose kernel says so */
	if (memory == VX_MEMORY_TYPE_OPENCL_BUFFER && n && !n->kernel->use_opencl)
		return fail(ref, VX_ERROR_NOT_SUPPORTED, "%s: VX_MEMORY_TYPE_OPENCL_BUFFER in a function of kernel %s, which does not declare VX_KERNEL_USE_OPENCL",
			    function, n->kernel->name);
	return VX_SUCCESS;
}

static vx_status access_check(const struct _vx_reference *ref, const char *function, bool has_room, bool known_usage,
			      vx_enum usage, vx_enum memory)
{
	TRY(object_reach(ref, function));
	/* vxCopy..., vxMap...: there is memory, a usage and a type of memory that are known */
	FAIL_IF(!has_room, ref, VX_ERROR_INVALID_PARAMETERS, "%s: a pointer is NULL", function);
	FAIL_IF(!known_usage, ref, VX_ERROR_INVALID_PARAMETERS, "%s: usage 0x%x", function, usage);
	return memory_check(ref, function, memory);
}

vx_status copy_check(const struct _vx_reference *ref, const char *function, const void *user_ptr, vx_enum usage, vx_enum memory)
{
	return access_check(ref, function, user_ptr, usage == VX_READ_ONLY || usage == VX_WRITE_ONLY, usage, memory);
}

vx_status map_check(const struct _vx_reference *ref, const char *function, const vx_map_id *id, void *const *ptr, vx_enum usage,
		    vx_enum memory)
{
	const bool known = usage == VX_READ_ONLY || usage == VX_WRITE_ONLY || usage == VX_READ_AND_WRITE;
	return access_check(ref, function, id && ptr, known, usage, memory);
}

/* ---- handles ---- */
vx_status memory_take(vx_reference ref, vx_enum memory, void *handle, size_t bytes, cl_mem *out)
{
	struct device *d = &ref->context->device;
	const bool is_buffer = memory == VX_MEMORY_TYPE_OPENCL_BUFFER;
	*out = handle && !is_buffer ? device_buffer_of(d, handle, bytes) : handle;
	if (is_buffer)
		device_retain(d, *out);
	return *out || !handle ? VX_SUCCESS : fail(ref, VX_ERROR_NO_MEMORY, "%zu bytes at %p cannot be made the device's", bytes, handle);
}

/* ---- transfers ---- */
struct transfer {
	struct device *device;
	cl_mem mem;
	struct block block;
	size_t user_stride[BLOCK_DIMS];
	void *user;
	vx_enum usage, memory;
};

/* Leaves out dimensions of one row, and joins rows that lie one behind the other at both sides. false: rows of the user's lie
 * within each other, or further than there is memory. span: bytes of the user's from the first to behind the last. */
static bool arrange(struct transfer *t, const struct block *p, const size_t *user_strides, size_t *span)
{
	struct block *q = &t->block;
	*q = (struct block){.offset = p->offset, .row = p->row};
	*span = p->row;
	for (unsigned i = 0; i < p->dims; i++) {
		const size_t stride = user_strides[i];
		size_t reach;
		if (p->count[i] == 1)
			continue;
		if (stride < *span || __builtin_mul_overflow(stride, p->count[i] - 1, &reach) ||
		    __builtin_add_overflow(*span, reach, span))
			return false;
		if (!q->dims && p->stride[i] == q->row && stride == q->row) {
			q->row *= p->count[i];
			continue;
		}
		q->count[q->dims] = p->count[i];
		q->stride[q->dims] = p->stride[i];
		t->user_stride[q->dims++] = stride;
	}
	return true;
}

static vx_status transfer_rows(const struct transfer *t, size_t at, size_t user_at)
{
	const struct block *p = &t->block;
	const size_t count = p->dims ? p->count[0] : 1;
	const struct rows here = {at, p->dims ? p->stride[0] : p->row}, there = {user_at, p->dims ? t->user_stride[0] : p->row};
	const bool read = t->usage == VX_READ_ONLY;
	if (t->memory == VX_MEMORY_TYPE_OPENCL_BUFFER)
		return read ? device_copy_rows(t->device, t->mem, here, t->user, there, p->row, count)
			    : device_copy_rows(t->device, t->user, there, t->mem, here, p->row, count);
	char *user = (char *)t->user + user_at;
	return read ? device_read_rows(t->device, t->mem, here, user, there.stride, p->row, count)
		    : device_write_rows(t->device, t->mem, here, user, there.stride, p->row, count);
}

static vx_status transfer_dims(const struct transfer *t, unsigned dims, size_t at, size_t user_at)
{
	if (dims <= 1)
		return transfer_rows(t, at, user_at);
	for (size_t i = 0; i < t->block.count[dims - 1]; i++)
		TRY(transfer_dims(t, dims - 1, at + i * t->block.stride[dims - 1], user_at + i * t->user_stride[dims - 1]));
	return VX_SUCCESS;
}

static vx_status block_copy(const struct _vx_reference *ref, cl_mem mem, const struct block *p, const size_t *user_strides,
		     void *user_ptr, vx_enum usage, vx_enum memory)
{
	struct transfer t = {.device = &ref->context->device, .mem = mem, .user = user_ptr, .usage = usage, .memory = memory};
	size_t span;
	/* vxCopy...: items and rows in the application's memory follow each other */
	if (!arrange(&t, p, user_strides, &span))
		return fail(ref, VX_ERROR_INVALID_PARAMETERS, "strides in which items or rows of %zu bytes overlap", p->row);
	/* vx_khr_opencl_interop, 2.4: a buffer of the context's that is large enough */
	if (memory == VX_MEMORY_TYPE_OPENCL_BUFFER && !device_owns(t.device, user_ptr, span))
		return fail(ref, VX_ERROR_INVALID_PARAMETERS, "%p is not a buffer of the context's with %zu bytes", user_ptr,
			    span);
	return transfer_dims(&t, t.block.dims, t.block.offset, 0);
}

/* What copies and maps of an object access: its first store, or what its class says. */
static struct store *first_store(vx_reference ref)
{
	struct store *stores[STORES_MAX];
	return stores_of(ref, stores) ? stores[0] : NULL;
}

static struct map_target target_of(vx_reference ref)
{
	struct store *s = first_store(ref);
	struct map_target target = {.object = ref};
	if (s)
		target = (struct map_target){ref, s->mem, s->size, &s->maps};
	else
		ref->class->target(ref, &target);
	return target;
}

static vx_status allocate(vx_reference ref)
{
	struct store *s = first_store(ref);
	return s ? store_allocate(ref->context, s) : ref->class->allocate(ref);
}

vx_status data_copy(vx_reference ref, const struct block *p, const size_t *user_strides, void *user_ptr, vx_enum usage, vx_enum memory)
{
	struct store *s = first_store(ref);
	TRY(allocate(ref));
	TRY(block_copy(ref, target_of(ref).mem, p, user_strides, user_ptr, usage, memory));
	if (s && usage == VX_WRITE_ONLY)
		store_written(s);
	return VX_SUCCESS;
}

vx_status store_copy(vx_reference ref, struct store *s, void *user_ptr, vx_enum usage, vx_enum memory)
{
	struct _vx_context *c = ref->context;
	if (memory == VX_MEMORY_TYPE_HOST)
		return usage == VX_READ_ONLY ? store_read(c, s, 0, user_ptr, s->size) : store_write(c, s, 0, user_ptr, s->size);
	return data_copy(ref, &(struct block){.row = s->size}, NULL, user_ptr, usage, memory);
}

/* ---- maps ---- */
static void dense_strides(const struct block *p, size_t *strides)
{
	size_t bytes = p->row;
	for (unsigned i = 0; i < p->dims; i++) {
		strides[i] = bytes;
		bytes *= p->count[i];
	}
}

static size_t dense_bytes(const struct block *p)
{
	size_t bytes = p->row;
	for (unsigned i = 0; i < p->dims; i++)
		bytes *= p->count[i];
	return bytes;
}

void map_strides(const struct block *p, vx_enum memory, size_t *strides)
{
	if (memory == VX_MEMORY_TYPE_OPENCL_BUFFER) {
		dense_strides(p, strides);
		return;
	}
	for (unsigned i = 0; i < p->dims; i++)
		strides[i] = p->stride[i];
}

static struct host_mapping *mapping_shared(const struct map_target *target, bool writes)
{
	for (struct data_map *m = *target->maps; m; m = m->next)
		if (m->mapping && m->mapping->mem == target->mem && (m->mapping->writable || !writes))
			return m->mapping;
	return NULL;
}

static vx_status mapping_open(const struct map_target *target, vx_enum usage, struct host_mapping **out)
{
	struct device *d = &target->object->context->device;
	struct host_mapping *v = mapping_shared(target, usage != VX_READ_ONLY);
	if (v) {
		v->users++;
		*out = v;
		return device_finish(d);
	}
	v = malloc(sizeof *v);
	FAIL_IF(!v, target->object, VX_ERROR_NO_MEMORY, "no memory for a map");
	*v = (struct host_mapping){.mem = target->mem, .writable = usage != VX_READ_ONLY, .users = 1};
	v->host = device_map(d, target->mem, target->size, usage);
	if (!v->host) {
		free(v);
		return fail(target->object, VX_ERROR_NO_MEMORY, "a buffer of %zu bytes cannot be mapped", target->size);
	}
	*out = v;
	return VX_SUCCESS;
}

static vx_status mapping_close(struct device *d, struct host_mapping *v)
{
	if (--v->users)
		return VX_SUCCESS;
	const vx_status status = device_unmap(d, v->mem, v->host);
	free(v);
	return status;
}

static vx_status dense_copy(const struct data_map *m, vx_enum usage)
{
	size_t strides[BLOCK_DIMS];
	dense_strides(&m->block, strides);
	return block_copy(m->object, m->mem, &m->block, strides, m->dense, usage, VX_MEMORY_TYPE_OPENCL_BUFFER);
}

/* The buffer itself when all of it is mapped; else a dense one with a copy of the part. */
static vx_status buffer_open(const struct map_target *target, struct data_map *m)
{
	const size_t bytes = dense_bytes(&m->block);
	if (bytes == target->size)
		return VX_SUCCESS;
	m->dense = device_buffer(&target->object->context->device, bytes);
	FAIL_IF(!m->dense, target->object, VX_ERROR_NO_MEMORY, "no memory for a map of %zu bytes", bytes);
	return m->usage == VX_WRITE_ONLY ? VX_SUCCESS : dense_copy(m, VX_READ_ONLY);
}

static vx_status end(struct device *d, struct data_map *m)
{
	const vx_status status = m->mapping ? mapping_close(d, m->mapping) : VX_SUCCESS;
	device_release(d, m->dense);
	free(m);
	return status;
}

static vx_status map_open(const struct map_target *target, const struct block *p, vx_enum usage, vx_enum memory, vx_map_id *id, void **ptr)
{
	static _Atomic vx_map_id last;
	struct data_map *m = malloc(sizeof *m);
	FAIL_IF(!m, target->object, VX_ERROR_NO_MEMORY, "no memory for a map");
	*m = (struct data_map){.object = target->object, .usage = usage, .mem = target->mem, .block = *p};
	const vx_status status = memory == VX_MEMORY_TYPE_HOST ? mapping_open(target, usage, &m->mapping) : buffer_open(target, m);
	if (status) {
		end(&target->object->context->device, m);
		return status;
	}
	m->id = atomic_fetch_add(&last, 1) + 1;
	m->next = *target->maps;
	*target->maps = m;
	*id = m->id;
	*ptr = m->mapping ? (void *)((char *)m->mapping->host + p->offset) : m->dense ? (void *)m->dense : (void *)m->mem;
	return VX_SUCCESS;
}

static vx_status map_close(struct _vx_reference *object, struct data_map **maps, vx_map_id id)
{
	struct data_map **at = maps;
	while (*at && ((*at)->id != id || (*at)->object != object))
		at = &(*at)->next;
	struct data_map *m = *at;
	/* vxUnmap...: a map of the object that is open */
	if (!m)
		return fail(object, VX_ERROR_INVALID_PARAMETERS, "%s is not mapped by a map %zu", type_name(object->type),
			    (size_t)id);
	const vx_status written = m->dense && m->usage != VX_READ_ONLY ? dense_copy(m, VX_WRITE_ONLY) : VX_SUCCESS;
	*at = m->next;
	const vx_status status = end(&object->context->device, m);
	return written ? written : status;
}

void maps_drop(struct _vx_reference *object, struct data_map **maps)
{
	struct data_map **at = maps;
	while (*at) {
		struct data_map *m = *at;
		if (m->object != object) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		end(&object->context->device, m);
	}
}

vx_status data_map(vx_reference ref, const struct block *p, vx_enum usage, vx_enum memory, vx_map_id *id, void **ptr)
{
	TRY(allocate(ref));
	const struct map_target target = target_of(ref);
	return map_open(&target, p, usage, memory, id, ptr);
}

/* ---- the API ---- */
vx_status data_copy_whole(void *object, const struct object_class *k, const char *function, void *user_ptr, vx_enum usage, vx_enum memory)
{
	vx_reference ref = object;
	ENTER_FOR(function, ref, k->type);
	TRY(copy_check(ref, function, user_ptr, usage, memory));
	return store_copy(ref, first_store(ref), user_ptr, usage, memory);
}

vx_status data_map_whole(void *object, const struct object_class *k, const char *function, vx_map_id *id, void **ptr, vx_enum usage, vx_enum memory)
{
	vx_reference ref = object;
	ENTER_FOR(function, ref, k->type);
	TRY(map_check(ref, function, id, ptr, usage, memory));
	return data_map(ref, &(struct block){.row = first_store(ref)->size}, usage, memory, id, ptr);
}

vx_status data_unmap(void *object, const struct object_class *k, const char *function, vx_map_id id)
{
	vx_reference ref = object;
	ENTER_FOR(function, ref, k->type);
	struct store *s = first_store(ref);
	const vx_status status = map_close(ref, target_of(ref).maps, id);
	if (!status && s)
		store_written(s); /* maybe */
	return status;
}
