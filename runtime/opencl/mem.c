/* Memory objects: where their bytes are, how they get them, how they go.
 *
 * In a context of one device, memory is the device's DRAM, reached by DMA. With several devices,
 * or CL_MEM_ALLOC_HOST_PTR, it is pinned system memory. CL_MEM_USE_HOST_PTR pins the application's
 * own pages; when that cannot be done (pages that cannot be written, or locked), memory is as
 * without the flag, and map and unmap copy from and to host_ptr. */
#include "runtime/opencl/import.h"
#include "runtime/opencl/queue.h"
#include "runtime/opencl/svm.h"
#include "runtime/opencl/va.h"
#include <stdlib.h>

cl_int mem_check_flags(cl_mem_flags flags, const void *host_ptr)
{
	/* CL_CREATEBUFFER*_FLAGS, CL_CREATEIMAGE*_FLAGS: OpenCL 3.0, 5.2.1 table of flags: those that are known and go together */
	if (flags & ~(cl_mem_flags)(MEM_ACCESS_FLAGS | MEM_HOST_PTR_FLAGS | MEM_HOST_ACCESS_FLAGS))
		return FAIL(CL_INVALID_VALUE, "memory flags 0x%llx", (unsigned long long)flags);
	FAIL_IF(__builtin_popcountll(flags & MEM_ACCESS_FLAGS) > 1, CL_INVALID_VALUE, "more than one of READ_WRITE, READ_ONLY, WRITE_ONLY");
	if (__builtin_popcountll(flags & MEM_HOST_ACCESS_FLAGS) > 1)
		return FAIL(CL_INVALID_VALUE, "more than one of HOST_READ_ONLY, HOST_WRITE_ONLY, HOST_NO_ACCESS");
	if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
		return FAIL(CL_INVALID_VALUE, "USE_HOST_PTR with ALLOC_HOST_PTR or COPY_HOST_PTR");
	/* CL_CREATE*_HOST_PTR_NULL, CL_CREATE*_HOST_PTR_UNUSED: 5.2.1: host_ptr is given exactly when it is used */
	bool used = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
	FAIL_IF(used != !!host_ptr, CL_INVALID_HOST_PTR, used ? "no host_ptr" : "host_ptr without a flag that uses it");
	return CL_SUCCESS;
}

cl_int mem_check_child_flags(cl_mem_flags parent, cl_mem_flags *flags)
{
	cl_mem_flags f = *flags;
	/* CL_CREATESUBBUFFER_FLAGS, CL_CREATESUBBUFFER_FLAGS_HOST_PTR, CL_CREATEIMAGE*_PARENT_HOST_PTR: flags that a part can have */
	if (f & ~(cl_mem_flags)(MEM_ACCESS_FLAGS | MEM_HOST_ACCESS_FLAGS))
		return FAIL(CL_INVALID_VALUE, "memory flags 0x%llx for a part of another object", (unsigned long long)f);
	if (__builtin_popcountll(f & MEM_ACCESS_FLAGS) > 1 || __builtin_popcountll(f & MEM_HOST_ACCESS_FLAGS) > 1)
		return FAIL(CL_INVALID_VALUE, "flags that exclude one another");
	/* CL_CREATESUBBUFFER_FLAGS_WRITE_ONLY, CL_CREATESUBBUFFER_FLAGS_READ_ONLY, CL_CREATEIMAGE*_PARENT_WRITE_ONLY,
	 * CL_CREATEIMAGE*_PARENT_READ_ONLY: 5.2.2: a part does not have more rights than the whole */
	if (((parent & CL_MEM_WRITE_ONLY) && (f & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
	    ((parent & CL_MEM_READ_ONLY) && (f & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))))
		return FAIL(CL_INVALID_VALUE, "kernel access that the whole object does not have");
	/* CL_CREATESUBBUFFER_FLAGS_HOST_*, CL_CREATEIMAGE*_PARENT_HOST_WRITE_ONLY, CL_CREATEIMAGE*_PARENT_HOST_READ_ONLY,
	 * CL_CREATEIMAGE*_PARENT_HOST_NO_ACCESS: neither has the host */
	if (((parent & CL_MEM_HOST_WRITE_ONLY) && (f & CL_MEM_HOST_READ_ONLY)) ||
	    ((parent & CL_MEM_HOST_READ_ONLY) && (f & CL_MEM_HOST_WRITE_ONLY)) ||
	    ((parent & CL_MEM_HOST_NO_ACCESS) && (f & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))))
		return FAIL(CL_INVALID_VALUE, "host access that the whole object does not have");
	/* 5.2.2: what is not said is inherited */
	if (!(f & MEM_ACCESS_FLAGS))
		f |= parent & MEM_ACCESS_FLAGS;
	if (!(f & MEM_HOST_ACCESS_FLAGS))
		f |= parent & MEM_HOST_ACCESS_FLAGS;
	*flags = f | (parent & MEM_HOST_PTR_FLAGS);
	return CL_SUCCESS;
}

/* ---- life ---- */

/* The application has released the memory. What was submitted may still use it: the
 * driver sees to that. */
static void mem_dropped(void *o)
{
	struct _cl_mem *m = o;
	if (atomic_fetch_sub(&m->holders, 1) != 1)
		return;
	umd_bo_release(m->bo);
	m->bo = NULL;
	if (m->parent)
		mem_dropped(m->parent);
	else if (m->va)
		va_surface_forget(m->va);
}

static void mem_finish(void *arg)
{
	struct _cl_mem *m = arg;
	/* OpenCL 3.0, 5.5.1: in the reverse order of registration */
	while (m->destructors) {
		struct mem_destructor *d = m->destructors;
		m->destructors = d->next;
		d->fn(m, d->arg);
		free(d);
	}
	struct _cl_mem *parent = m->parent;
	struct _cl_context *c = m->context;
	mappings_free(m);
	import_let_go(m);
	if (!parent)
		va_surface_free(m->va);
	free(m->properties.list);
	free(m);
	if (parent)
		object_unuse(&parent->object);
	object_unuse(&c->object);
}

static void mem_destroy(void *o)
{
	struct _cl_mem *m = o;
	if (m->destructors)
		callback_run(mem_finish, m);
	else
		mem_finish(m);
}

struct _cl_mem *mem_create(struct _cl_context *c, cl_mem_object_type type, cl_mem_flags flags, size_t size, const cl_mem_properties *p,
			   size_t num_properties)
{
	struct _cl_mem *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	if (!given_list_keep(&m->properties, p, num_properties * sizeof *p)) {
		free(m);
		return NULL;
	}
	object_init(&m->object, MAGIC_MEM, mem_dropped, mem_destroy);
	atomic_init(&m->holders, 1);
	object_use(&c->object);
	m->context = c;
	m->type = type;
	/* 5.2.1: no access flag means READ_WRITE, but queries return what was given */
	m->flags = flags;
	m->size = size;
	return m;
}

void mem_attach(struct _cl_mem *m, struct _cl_mem *parent, size_t origin)
{
	object_use(&parent->object);
	atomic_fetch_add(&parent->holders, 1);
	m->parent = parent;
	m->origin = origin;
	m->address = parent->address + origin;
	m->cpu = parent->cpu ? parent->cpu + origin : NULL;
	m->host_ptr = parent->host_ptr ? (char *)parent->host_ptr + origin : NULL;
	m->imported = parent->imported;
	m->external = parent->external;
	m->external_devices = parent->external_devices;
	m->is_protected = parent->is_protected;
	m->shadow = parent->shadow;
	m->svm = parent->svm;
	m->va = parent->va;
}

/* ---- memory ---- */

/* The bytes at host_ptr as they are now, in memory that the transfer can read later. */
static void snapshot(struct command *c, const void *host_ptr, const size_t r[3], size_t row, size_t slice, struct box dst)
{
	enum { SMALL = 64 << 10 };
	const size_t bytes = r[0] * r[1] * r[2];
	struct umd_bo *bo;
	if (bytes <= SMALL) {
		command_copy_from_host(c, host_ptr, row, slice, dst, r);
		return;
	}
	int error = umd_bo_create(c->queue->context->space, 0, bytes, KMD_BO_SYSTEM | KMD_BO_UNDEFINED, &bo);
	if (error) {
		c->error = FAIL(CL_OUT_OF_HOST_MEMORY, "no pinned memory of %zu bytes (%d)", bytes, error);
		return;
	}
	box_copy(umd_bo_cpu(bo), r[0], r[0] * r[1], host_ptr, row, slice, r);
	command_copy(c, (struct box){.address = umd_bo_address(bo)}, dst, r);
	command_release_bo(c, bo);
}

static cl_int initial_contents(struct _cl_mem *m, const void *host_ptr, const size_t r[3], size_t row, size_t slice)
{
	size_t own_row = m->row_pitch ? m->row_pitch : r[0];
	size_t own_slice = m->slice_pitch ? m->slice_pitch : own_row * r[1];
	if (m->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
		own_row = m->slice_pitch;
	if (m->cpu) {
		box_copy(m->cpu, own_row, own_slice, host_ptr, row, slice, r);
		return CL_SUCCESS;
	}
	struct _cl_command_queue *q = context_transfers(m->context);
	struct command c;
	FAIL_IF(!q || command_begin(&c, q, CL_COMMAND_WRITE_BUFFER, 0, NULL), CL_OUT_OF_HOST_MEMORY, "no memory to fill the object");
	snapshot(&c, host_ptr, r, row, slice, (struct box){m->address, own_row, own_slice});
	cl_event e;
	TRY(command_submit(&c, false, &e));
	m->transfer = e->number;
	object_release(&e->object);
	return CL_SUCCESS;
}

/* Makes host_ptr's own pages the memory; false: they cannot be pinned. */
static bool place_host_ptr(struct _cl_mem *m, void *host_ptr)
{
	/* OpenCL 3.0, 5.2.1: a pointer from clSVMAlloc: the shared memory is the object's */
	if (svm_place(m->context, host_ptr, m->size) == SVM_INSIDE) {
		m->svm = true;
		m->address = (uintptr_t)host_ptr;
		m->cpu = host_ptr;
		return true;
	}
	int error = umd_bo_import(m->context->space, host_ptr, m->size, 0, &m->bo);
	if (error) {
		log_write(LOG_INFO, "host_ptr %p of %zu bytes cannot be pinned (%d): its buffer is a copy, made good at map and unmap",
			  host_ptr, m->size, error);
		m->bo = NULL;
		m->shadow = true;
		return false;
	}
	m->address = umd_bo_address(m->bo);
	m->cpu = host_ptr;
	return true;
}

cl_int mem_place(struct _cl_mem *m, void *host_ptr, const size_t region[3], size_t host_row, size_t host_slice)
{
	if (m->flags & CL_MEM_USE_HOST_PTR) {
		m->host_ptr = host_ptr;
		if (place_host_ptr(m, host_ptr))
			return CL_SUCCESS;
	}
	struct _cl_context *c = m->context;
	bool system = c->shared || (m->flags & CL_MEM_ALLOC_HOST_PTR);
	int error = umd_bo_create(c->space, c->devices[0]->index, m->size, system ? KMD_BO_SYSTEM : KMD_BO_DRAM, &m->bo);
	if (error) {
		m->bo = NULL;
		/* CL_CREATEBUFFER*_MEMORY, CL_CREATEIMAGE*_MEMORY: there is memory for it */
		return error == KMD_NO_MEMORY ? FAIL(CL_OUT_OF_HOST_MEMORY, "no host memory for %zu bytes", m->size)
					      : FAIL(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no device memory for %zu bytes (%d)", m->size, error);
	}
	m->address = umd_bo_address(m->bo);
	/* one that stands in for host_ptr is the device's; maps go to host_ptr */
	m->cpu = system && !m->shadow ? umd_bo_cpu(m->bo) : NULL;
	return host_ptr ? initial_contents(m, host_ptr, region, host_row, host_slice) : CL_SUCCESS;
}

/* ---- the API that all memory objects share ---- */

cl_int CL_API_CALL galena_clRetainMemObject(cl_mem memobj)
{
	/* CL_RETAINMEMOBJECT_MEM: a memory object */
	NEED_MEM(memobj);
	/* one that lives on for what was made from it is the application's again */
	if (object_retain(&memobj->object))
		atomic_fetch_add(&memobj->holders, 1);
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clReleaseMemObject(cl_mem memobj)
{
	/* CL_RELEASEMEMOBJECT_MEM: one that the application has a reference to */
	FAIL_IF(!object_held(memobj, MAGIC_MEM), CL_INVALID_MEM_OBJECT, "not a memory object");
	object_release(&memobj->object);
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clSetMemObjectDestructorCallback(cl_mem memobj, void(CL_CALLBACK *pfn_notify)(cl_mem, void *), void *user_data)
{
	/* CL_SETMEMOBJECTDESTRUCTORCALLBACK_MEM: a memory object */
	NEED_MEM(memobj);
	/* CL_SETMEMOBJECTDESTRUCTORCALLBACK_NOTIFY: a function */
	FAIL_IF(!pfn_notify, CL_INVALID_VALUE, "no callback");
	struct mem_destructor *d = malloc(sizeof *d);
	FAIL_IF(!d, CL_OUT_OF_HOST_MEMORY, "no memory for the callback");
	HOLDING(&memobj->context->lock);
	*d = (struct mem_destructor){.next = memobj->destructors, .fn = pfn_notify, .arg = user_data};
	memobj->destructors = d;
	return CL_SUCCESS;
}

cl_int CL_API_CALL galena_clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, INFO_PARAMETERS)
{
	/* CL_GETMEMOBJECTINFO_MEM: a memory object */
	NEED_MEM(memobj);
	const struct _cl_mem *m = memobj;
	switch (param_name) {
	case CL_MEM_TYPE: return INFO(cl_mem_object_type, m->type);
	case CL_MEM_FLAGS: return INFO(cl_mem_flags, m->flags ? m->flags : CL_MEM_READ_WRITE);
	case CL_MEM_SIZE: return INFO(size_t, m->size);
	case CL_MEM_HOST_PTR: return INFO(void *, m->host_ptr);
	case CL_MEM_MAP_COUNT: return INFO(cl_uint, m->map_count);
	case CL_MEM_REFERENCE_COUNT: return INFO(cl_uint, object_refs(&m->object));
	case CL_MEM_CONTEXT: return INFO(cl_context, m->context);
	case CL_MEM_ASSOCIATED_MEMOBJECT: return INFO(cl_mem, m->parent);
	case CL_MEM_OFFSET: return INFO(size_t, m->type == CL_MEM_OBJECT_BUFFER ? m->origin : 0);
	case CL_MEM_USES_SVM_POINTER: return INFO(cl_bool, m->svm);
	case CL_MEM_PROPERTIES: return INFO_GIVEN(m->properties);
	case CL_MEM_VA_API_MEDIA_SURFACE_INTEL:
		/* CL_GETMEMOBJECTINFO_VA_SURFACE: of an image of a surface */
		FAIL_IF(!m->va || m->parent, CL_INVALID_VA_API_MEDIA_SURFACE_INTEL, "not made from a VA-API surface");
		return INFO(VASurfaceID *, m->va->given);
	}
	/* CL_GETMEMOBJECTINFO_PARAM_NAME: a query that there is */
	return FAIL(CL_INVALID_VALUE, "unknown memory object query 0x%x", param_name);
}
