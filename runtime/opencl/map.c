/* Mapping and unmapping.
 *
 * System memory and pinned host_ptr memory are mapped as they are. Of device memory, each map gets
 * a shadow in pinned system memory, filled by DMA (unless the application says that it will
 * overwrite everything) and, if it was mapped for writing, written back by DMA at unmap. */
#include "runtime/opencl/enqueue.h"
#include <stdlib.h>

struct mapping {
	struct mapping *next;
	char *ptr;
	struct umd_bo *bo;  /* the shadow, or NULL */
	bool write;
	struct box device;
	size_t row, slice;  /* of the memory at ptr */
	size_t region[3];   /* bytes, rows, slices */
};

static void mapping_destroy(struct mapping *p)
{
	umd_bo_release(p->bo);
	free(p);
}

void mappings_free(struct _cl_mem *m)
{
	while (m->mappings) {
		struct mapping *p = m->mappings;
		m->mappings = p->next;
		mapping_destroy(p);
	}
}

/* OpenCL 3.0, 5.5.2 table of map flags, and the host access that the object was made with */
static cl_int check_flags(cl_mem m, cl_map_flags flags)
{
	TRY(check_map_flags(flags));
	return check_host_access(m, flags & CL_MAP_READ, flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION));
}

/* Have two regions of the object a byte in common? */
static bool mappings_meet(const struct _cl_mem *m, const struct mapping *p, const struct mapping *q)
{
	const size_t a = p->device.address - m->address, b = q->device.address - m->address;
	if (!mem_is_image(m))
		return ranges_meet(a, b, p->region[0], q->region[0]);
	/* of one image: the same pitches. A 1D array's layers are its rows. */
	const size_t row = p->device.row ? p->device.row : SIZE_MAX, slice = p->device.slice > row ? p->device.slice : SIZE_MAX;
	return ranges_meet(a / slice, b / slice, p->region[2], q->region[2]) &&
	       ranges_meet(a % slice / row, b % slice / row, p->region[1], q->region[1]) &&
	       ranges_meet(a % slice % row, b % slice % row, p->region[0], q->region[0]);
}

/* context->lock. */
static void mapping_add(struct _cl_mem *m, struct mapping *p)
{
	p->next = m->mappings;
	m->mappings = p;
	m->map_count++;
}

/* false: it would overlap one, and both are for writing. */
static bool mapping_link(struct _cl_mem *m, struct mapping *p)
{
	bool overlap = false;
	HOLDING(&m->context->lock);
	for (const struct mapping *q = m->mappings; q && p->write; q = q->next)
		overlap |= q->write && mappings_meet(m, p, q);
	if (!overlap)
		mapping_add(m, p);
	return !overlap;
}

/* The last mapping at ptr, taken out of the list; NULL when there is none. */
static struct mapping *mapping_unlink(struct _cl_mem *m, const void *ptr)
{
	struct mapping *found = NULL;
	HOLDING(&m->context->lock);
	for (struct mapping **link = &m->mappings; *link; link = &(*link)->next)
		if ((*link)->ptr == ptr) {
			found = *link;
			*link = found->next;
			m->map_count--;
			break;
		}
	return found;
}

/* offset: of the region's first byte in the object's memory; own_row, own_slice: its pitches. */
static cl_int mapping_create(struct _cl_mem *m, cl_map_flags flags, struct box device, const size_t region[3], struct mapping **out)
{
	struct mapping *p = calloc(1, sizeof *p);
	FAIL_IF(!p, CL_OUT_OF_HOST_MEMORY, "no memory for the mapping");
	size_t offset = device.address - m->address;
	p->write = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
	p->device = device;
	for (int i = 0; i < 3; i++)
		p->region[i] = region[i];
	p->row = device.row ? device.row : region[0];
	p->slice = device.slice ? device.slice : p->row * region[1];
	if (m->cpu) {
		p->ptr = m->cpu + offset;
	} else if (m->shadow) {
		p->ptr = (char *)m->host_ptr + offset;
	} else {
		p->row = region[0];
		p->slice = region[0] * region[1];
		int error = umd_bo_create(m->context->space, 0, p->slice * region[2], KMD_BO_SYSTEM | (flags & CL_MAP_WRITE_INVALIDATE_REGION ? 0 : KMD_BO_UNDEFINED), &p->bo);
		if (error) {
			free(p);
			/* 5.5.2: memory that cannot be mapped into the host's address space */
			return FAIL(CL_MAP_FAILURE, "no pinned memory for the mapping (%d)", error);
		}
		p->ptr = umd_bo_cpu(p->bo);
	}
	*out = p;
	return CL_SUCCESS;
}

static void *map(cl_command_queue queue, cl_mem m, cl_bool blocking, cl_map_flags flags, cl_command_type type, struct box device,
		 const size_t region[3], EVENT_PARAMETERS, struct mapping *copy, cl_int *errcode_ret)
{
	struct command c;
	struct mapping *p = NULL;
	TRY_NULL(errcode_ret, command_begin(&c, queue, type, num_events, wait_list));
	cl_int code = mapping_create(m, flags, device, region, &p);
	if (code) {
		command_abort(&c);
		return api_result(errcode_ret, code, NULL);
	}
	command_use_mem(&c, m);
	if (!(flags & CL_MAP_WRITE_INVALIDATE_REGION)) {
		if (p->bo)
			command_copy(&c, device, (struct box){umd_bo_address(p->bo), p->row, p->slice}, region);
		else if (m->shadow && !m->cpu)
			command_copy_to_host(&c, device, p->ptr, p->row, p->slice, region);
	}
	void *ptr = p->ptr;
	*copy = *p;
	/* CL_ENQUEUEMAP*_OVERLAP: 5.2.4, 5.3.6: what is mapped for writing is not mapped for writing again */
	if (!mapping_link(m, p)) {
		command_abort(&c);
		mapping_destroy(p);
		return FAIL_NULL(errcode_ret, CL_INVALID_OPERATION, "the region overlaps one that is mapped for writing");
	}
	code = command_submit(&c, blocking, event);
	if (code) {
		p = mapping_unlink(m, ptr);
		if (p)
			mapping_destroy(p);
		return api_result(errcode_ret, code, NULL);
	}
	return api_result(errcode_ret, CL_SUCCESS, ptr);
}

void *CL_API_CALL galena_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
					    size_t size, EVENT_PARAMETERS, cl_int *errcode_ret)
{
	TRY_NULL(errcode_ret, check_object(queue, buffer, false));
	TRY_NULL(errcode_ret, check_range(buffer, offset, size));
	TRY_NULL(errcode_ret, check_flags(buffer, flags));
	struct mapping made;
	return map(queue, buffer, blocking, flags, CL_COMMAND_MAP_BUFFER, (struct box){buffer->address + offset, size, size},
		   (const size_t[3]){size, 1, 1}, num_events, wait_list, event, &made, errcode_ret);
}

void *CL_API_CALL galena_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags, const size_t *origin,
					   const size_t *region, size_t *row_pitch, size_t *slice_pitch, EVENT_PARAMETERS, cl_int *errcode_ret)
{
	TRY_NULL(errcode_ret, check_object(queue, image, true));
	TRY_NULL(errcode_ret, image_check_region(image, origin, region));
	bool lines = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	bool layered = lines || image->type == CL_MEM_OBJECT_IMAGE3D || image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
	/* CL_ENQUEUEMAPIMAGE_ROW_NULL, CL_ENQUEUEMAPIMAGE_SLICE_NULL: 5.3.6: pitches are always returned where the image has them */
	FAIL_NULL_IF(!row_pitch || (layered && !slice_pitch), errcode_ret, CL_INVALID_VALUE, "no place for the pitches");
	TRY_NULL(errcode_ret, check_flags(image, flags));
	const size_t bytes[3] = {region[0] * image->element_size, region[1], region[2]};
	struct mapping made;
	void *ptr = map(queue, image, blocking, flags, CL_COMMAND_MAP_IMAGE, image_box(image, origin), bytes, EVENT_ARGUMENTS, &made,
			errcode_ret);
	if (!ptr)
		return NULL;
	/* a 1D array's layers stand at the slice pitch, which in our terms is that between rows */
	bool own = !made.bo;
	*row_pitch = lines && own ? image->row_pitch : made.row;
	if (slice_pitch)
		*slice_pitch = !layered ? 0 : lines ? made.row : made.slice;
	return ptr;
}

cl_int CL_API_CALL galena_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memobj, void *mapped_ptr, EVENT_PARAMETERS)
{
	NEED_QUEUE(queue);
	/* CL_ENQUEUEUNMAPMEMOBJECT_MEM, CL_ENQUEUEUNMAPMEMOBJECT_MEM_CONTEXT: a memory object of the queue's context */
	NEED_MEM(memobj);
	FAIL_IF(memobj->context != queue->context, CL_INVALID_CONTEXT, "queue and memory object are of different contexts");
	TRY(check_acquired(memobj));
	TRY(check_not_imported(memobj));
	BEGIN_COMMAND(c, queue, CL_COMMAND_UNMAP_MEM_OBJECT);
	/* CL_ENQUEUEUNMAPMEMOBJECT_PTR: 5.5.2: a pointer that a map of this object returned */
	struct mapping *p = mapping_unlink(memobj, mapped_ptr);
	if (!p) {
		command_abort(&c);
		return FAIL(CL_INVALID_VALUE, "%p is not a mapping of the object", mapped_ptr);
	}
	command_use_mem(&c, memobj);
	if (p->write && p->bo)
		command_copy(&c, (struct box){umd_bo_address(p->bo), p->row, p->slice}, p->device, p->region);
	else if (p->write && memobj->shadow && !memobj->cpu)
		command_copy_from_host(&c, p->ptr, p->row, p->slice, p->device, p->region);
	cl_int code = command_submit(&c, false, event);
	if (code) { /* what the host wrote is still there, to be unmapped again */
		HOLDING(&memobj->context->lock);
		mapping_add(memobj, p);
		return code;
	}
	mapping_destroy(p); /* the command has its memory until it has ended */
	return CL_SUCCESS;
}
