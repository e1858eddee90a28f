/* Checks that the enqueue calls share; the clauses stand at each call's own description in
 * OpenCL 3.0, 5.2 and 5.3, in the same words. */
#ifndef GALENA_RUNTIME_OPENCL_ENQUEUE_H
#define GALENA_RUNTIME_OPENCL_ENQUEUE_H
#include "runtime/opencl/mem.h"
#include "runtime/opencl/va.h"

/* cl_arm_import_memory: imported memory is for kernels */
static inline cl_int check_not_imported(cl_mem m)
{
	/* CL_ENQUEUE*_IMPORTED: not imported memory, or made from it */
	return m->imported ? FAIL(CL_INVALID_OPERATION, "the command cannot be used with imported memory (clImportMemoryARM)") : CL_SUCCESS;
}

/* cl_intel_va_api_media_sharing, 9.X.6 */
static inline cl_int check_acquired(cl_mem m)
{
	/* CL_ENQUEUE*_VA_ACQUIRED: acquired, if it is of a surface */
	if (m->va && !atomic_load(&m->va->acquired))
		return FAIL(CL_VA_API_MEDIA_SURFACE_NOT_ACQUIRED_INTEL, "the image of a VA-API surface is not acquired");
	return CL_SUCCESS;
}

/* a queue; a memory object of the kind, and of the queue's context */
static inline cl_int check_object(cl_command_queue q, cl_mem m, bool image)
{
	/* CL_*_QUEUE: a queue */
	NEED_QUEUE(q);
	/* CL_ENQUEUE*_BUFFER, CL_ENQUEUE*_IMAGE, CL_ENQUEUE*_SRC, CL_ENQUEUE*_DST: an object of the kind */
	FAIL_IF(!MEM_VALID(m) || mem_is_image(m) != image, CL_INVALID_MEM_OBJECT, "not %s", image ? "an image" : "a buffer");
	/* CL_ENQUEUE*_BUFFER_CONTEXT, CL_ENQUEUE*_IMAGE_CONTEXT, CL_ENQUEUE*_SRC_CONTEXT, CL_ENQUEUE*_DST_CONTEXT: of the queue's context */
	FAIL_IF(m->context != q->context, CL_INVALID_CONTEXT, "queue and memory object are of different contexts");
	TRY(check_acquired(m));
	return check_not_imported(m);
}

/* the host may read or write objects that were not made with a flag against it */
static inline cl_int check_host_access(cl_mem m, bool read, bool write)
{
	/* CL_ENQUEUEREAD*_HOST_ACCESS, CL_ENQUEUEMAP*_HOST_READ: not closed to reading */
	if (read && (m->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)))
		return FAIL(CL_INVALID_OPERATION, "the object was made so that the host cannot read it");
	/* CL_ENQUEUEWRITE*_HOST_ACCESS, CL_ENQUEUEMAP*_HOST_WRITE: not closed to writing */
	if (write && (m->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)))
		return FAIL(CL_INVALID_OPERATION, "the object was made so that the host cannot write it");
	return CL_SUCCESS;
}

/* table of map flags: known ones; what is to be overwritten is neither read nor kept */
static inline cl_int check_map_flags(cl_map_flags flags)
{
	/* CL_ENQUEUEMAP*_FLAGS, CL_ENQUEUESVMMAP_FLAGS: known ones that go together */
	const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
	if (flags & ~known || ((flags & CL_MAP_WRITE_INVALIDATE_REGION) && (flags & (CL_MAP_READ | CL_MAP_WRITE))))
		return FAIL(CL_INVALID_VALUE, "map flags 0x%llx", (unsigned long long)flags);
	return CL_SUCCESS;
}

/* two ranges have a place in common */
static inline bool ranges_meet(size_t a, size_t b, size_t a_size, size_t b_size) { return a < b + b_size && b < a + a_size; }

/* offset and size lie in the buffer, and size is not 0 */
static inline cl_int check_range(cl_mem m, size_t offset, size_t size)
{
	/* CL_ENQUEUE*BUFFER_BOUNDS, CL_ENQUEUECOPYBUFFER_SRC_BOUNDS, CL_ENQUEUECOPYBUFFER_DST_BOUNDS, CL_ENQUEUEMAPBUFFER_SIZE_ZERO,
	 * CL_ENQUEUE*_BUFFER_BOUNDS: within the buffer */
	FAIL_IF(!size || offset > m->size || size > m->size - offset, CL_INVALID_VALUE, "%zu bytes at %zu of a buffer of %zu", size, offset, m->size);
	return CL_SUCCESS;
}

#endif
