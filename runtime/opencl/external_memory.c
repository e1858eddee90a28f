/* External memory: cl_khr_external_memory, by opaque descriptors and by dma-bufs, which are the same here: descriptors of memory of the system, of
 * the heaps of galena/heap.h, of Vulkan or of the kernel. Buffers and images are made of it without a copy, images row after row.
 *
 * Between an acquire and a release the memory is the context's. Where caches are not coherent, the device forgets its lines at the acquire and
 * writes them to memory at the release, not around each command. Devices do not see each other's caches: memory of several of them is maintained
 * around each command, too. */
#include "runtime/opencl/enqueue.h"
#include "runtime/opencl/external.h"
#include "runtime/opencl/import.h"
#include <unistd.h>

/* ---- creation ---- */

static bool is_list(cl_properties name) { return name == CL_MEM_DEVICE_HANDLE_LIST_KHR; }

static bool is_handle(cl_properties name)
{
	return name == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR || name == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR;
}

cl_int external_properties(const struct _cl_context *c, const cl_mem_properties *properties, struct external *out, size_t *count)
{
	struct properties list;
	unsigned devices = 0;
	bool listed = false;
	TRY(properties_read(properties, is_list, &list));
	for (unsigned i = 0; i < list.count; i++) {
		const struct property *p = &list.of[i];
		if (p->name == CL_MEM_DEVICE_HANDLE_LIST_KHR) {
			/* CL_CREATE*WITHPROPERTIES_DEVICE: devices of the context */
			TRY(properties_devices(c, p->value, &devices, &out->devices));
			listed = true;
			continue;
		}
		/* CL_CREATE*WITHPROPERTIES_PROPERTY_NAME: known ones */
		FAIL_IF(!is_handle(p->name), CL_INVALID_PROPERTY, "memory property 0x%llx", (unsigned long long)p->name);
		/* CL_CREATE*WITHPROPERTIES_HANDLES: one handle */
		FAIL_IF(out->given, CL_INVALID_PROPERTY, "more than one handle of external memory");
		TRY(properties_fd(*p->value, &out->fd));
		out->given = true;
	}
	/* CL_CREATE*WITHPROPERTIES_DEVICES_ALONE: a list of devices goes with a handle */
	FAIL_IF(listed && !out->given, CL_INVALID_PROPERTY, "CL_MEM_DEVICE_HANDLE_LIST_KHR without a handle of external memory");
	*count = list.length;
	return CL_SUCCESS;
}

cl_int external_check(const struct external *x, cl_mem_flags flags, const void *host_ptr)
{
	if (!x->given)
		return CL_SUCCESS;
	/* CL_CREATE*WITHPROPERTIES_EXTERNAL_FLAGS: the memory is there already */
	FAIL_IF(flags & MEM_HOST_PTR_FLAGS, CL_INVALID_VALUE, "memory flags 0x%llx for external memory", (unsigned long long)flags);
	/* CL_CREATE*WITHPROPERTIES_EXTERNAL_HOST_PTR: and not the host's */
	FAIL_IF(host_ptr, CL_INVALID_HOST_PTR, "host_ptr with external memory");
	return CL_SUCCESS;
}

static bool several_devices(const struct _cl_context *c, uint32_t which) { return which ? (which & (which - 1)) != 0 : c->num_devices > 1; }

cl_int external_place(struct _cl_mem *m, const struct external *x)
{
	struct kmd_dmabuf b;
	/* CL_CREATEBUFFERWITHPROPERTIES_PROPERTY_VALUE, CL_CREATEIMAGEWITHPROPERTIES_PROPERTY_VALUE: a descriptor of memory */
	FAIL_IF(umd_dmabuf_query(x->fd, &b), CL_INVALID_PROPERTY, "%d is not a descriptor of memory that devices can import", x->fd);
	/* CL_CREATE*WITHPROPERTIES_PROTECTED: that the host has, too */
	FAIL_IF(b.is_protected, CL_INVALID_OPERATION, "descriptor %d is of protected memory: clImportMemoryARM imports that", x->fd);
	/* CL_CREATEBUFFERWITHPROPERTIES_FD_SIZE, CL_CREATEIMAGEWITHPROPERTIES_FD_SIZE: as large as the object */
	if (m->size > b.size)
		return mem_is_image(m) ? FAIL(CL_INVALID_IMAGE_SIZE, "an image of %zu bytes in %llu", m->size, (unsigned long long)b.size) :
					 FAIL(CL_INVALID_BUFFER_SIZE, "%zu bytes in %llu", m->size, (unsigned long long)b.size);
	if (!b.writable)
		import_read_only(m);
	const int error = umd_bo_import_dmabuf(m->context->space, x->fd, 0, m->size, KMD_BO_SHARED | (m->flags & CL_MEM_READ_ONLY ? KMD_BO_READ_ONLY : 0), &m->bo);
	if (error)
		return import_failed(error, m->size);
	m->external = true;
	m->external_devices = x->devices;
	m->maintained = !m->context->devices[0]->info->coherent && several_devices(m->context, x->devices);
	m->cpu = umd_bo_cpu(m->bo);
	m->address = umd_bo_address(m->bo);
	close(x->fd); /* it is ours */
	return CL_SUCCESS;
}

/* ---- ownership ---- */

static cl_int enqueue_ownership(cl_command_queue queue, cl_command_type type, unsigned op, cl_uint count, const cl_mem *list, EVENT_PARAMETERS)
{
	NEED_QUEUE(queue);
	/* CL_ENQUEUE*EXTERNALMEMOBJECTSKHR_LIST: objects, or neither a number nor a list */
	FAIL_IF(!count != !list, CL_INVALID_VALUE, "%u memory objects at %p", count, (const void *)list);
	for (cl_uint i = 0; i < count; i++) {
		/* CL_ENQUEUE*EXTERNALMEMOBJECTSKHR_MEM: of external memory, */
		FAIL_IF(!MEM_VALID(list[i]) || !list[i]->external, CL_INVALID_MEM_OBJECT, "entry %u is not an object of external memory", i);
		/* CL_ENQUEUE*EXTERNALMEMOBJECTSKHR_QUEUE: that the queue's device has */
		if (list[i]->context != queue->context || !properties_device_in(queue->context, list[i]->external_devices, queue->device))
			return FAIL(CL_INVALID_COMMAND_QUEUE, "entry %u is of another context, or for other devices", i);
	}
	BEGIN_COMMAND(c, queue, type);
	/* CL_ENQUEUE*EXTERNALMEMOBJECTSKHR_FAILED_EVENT: what it waits for has not failed */
	TRY(command_check_events(&c));
	for (cl_uint i = 0; i < count; i++) {
		command_use_mem(&c, list[i]);
		command_maintain(&c, list[i], op);
	}
	return command_submit(&c, false, event);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueAcquireExternalMemObjectsKHR(cl_command_queue queue, cl_uint num_mem_objects, const cl_mem *mem_objects,
									     EVENT_PARAMETERS)
{
	return enqueue_ownership(queue, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, CACHE_CLEAN | CACHE_INVALIDATE, num_mem_objects, mem_objects,
				 EVENT_ARGUMENTS);
}

CL_API_ENTRY cl_int CL_API_CALL galena_clEnqueueReleaseExternalMemObjectsKHR(cl_command_queue queue, cl_uint num_mem_objects, const cl_mem *mem_objects,
									     EVENT_PARAMETERS)
{
	return enqueue_ownership(queue, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, CACHE_CLEAN, num_mem_objects, mem_objects, EVENT_ARGUMENTS);
}
