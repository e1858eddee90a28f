/* Imports of Android hardware buffers: CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM. The memory object has a reference to the buffer until
 * it is destroyed. Where caches are not coherent the runtime maintains them, as with memory of the host. */
#include "runtime/android/layout.h"
#include "runtime/opencl/import.h"

/* The first pixel of what is imported, in the allocation. */
static uint64_t offset_of(const struct hardware_layout *l, const struct import *import)
{
	return (uint64_t)import->value[IMPORT_LAYER] * l->layer + l->plane[import->value[IMPORT_PLANE]].offset;
}

static cl_int check_layout(const struct hardware_layout *l, struct import *import)
{
	/* CL_IMPORTMEMORYARM_PLANE, CL_IMPORTMEMORYARM_LAYER: that it has */
	if ((uint64_t)import->value[IMPORT_PLANE] >= l->planes || (uint64_t)import->value[IMPORT_LAYER] >= l->layers)
		return FAIL(CL_INVALID_VALUE, "plane %llu, layer %llu of a hardware buffer with %u and %u", (unsigned long long)import->value[IMPORT_PLANE],
			    (unsigned long long)import->value[IMPORT_LAYER], l->planes, l->layers);
	if (import->size == CL_IMPORT_MEMORY_WHOLE_ALLOCATION_ARM)
		import->size = import->given & (1 << IMPORT_PLANE | 1 << IMPORT_LAYER) ? l->plane[import->value[IMPORT_PLANE]].size : l->size;
	/* CL_IMPORTMEMORYARM_SIZE_HARDWARE_BUFFER: no more than there is from the first pixel on */
	if (import->size > l->size - offset_of(l, import))
		return FAIL(CL_INVALID_BUFFER_SIZE, "%zu bytes of a hardware buffer that has %llu from there on", import->size,
			    (unsigned long long)(l->size - offset_of(l, import)));
	return CL_SUCCESS;
}

static cl_int check(const struct _cl_context *c, struct import *import)
{
	struct hardware_layout layout;
	struct kmd_dmabuf b;
	int fd;
	(void)c;
	/* CL_IMPORTMEMORYARM_HARDWARE_BUFFER: memory is one */
	FAIL_IF(galena_hardware_buffer_use(import->memory, &fd, &layout), CL_INVALID_VALUE, "memory at %p is not an AHardwareBuffer", import->memory);
	cl_int code = check_layout(&layout, import);
	/* CL_IMPORTMEMORYARM_PROTECTED_MEMORY: what is protected is imported so, as a dma-buf */
	if (!code && (umd_dmabuf_query(fd, &b) || b.is_protected))
		code = FAIL(CL_INVALID_OPERATION, "the hardware buffer's memory is protected");
	AHardwareBuffer_release(import->memory);
	return code;
}

static cl_int place(struct _cl_mem *m, const struct import *import)
{
	struct hardware_layout layout;
	int fd;
	if (galena_hardware_buffer_use(import->memory, &fd, &layout))
		return FAIL(CL_INVALID_VALUE, "memory at %p is not an AHardwareBuffer any more", import->memory);
	int error = umd_bo_import_dmabuf(m->context->space, fd, offset_of(&layout, import), m->size,
					 KMD_BO_CONSISTENT | (m->flags & CL_MEM_READ_ONLY ? KMD_BO_READ_ONLY : 0), &m->bo);
	if (error) {
		AHardwareBuffer_release(import->memory);
		return import_failed(error, m->size);
	}
	m->hardware_buffer = import->memory;
	m->cpu = umd_bo_cpu(m->bo);
	m->maintained = !m->context->devices[0]->info->coherent;
	return CL_SUCCESS;
}

void import_let_go(struct _cl_mem *m)
{
	if (m->hardware_buffer)
		AHardwareBuffer_release(m->hardware_buffer);
	m->hardware_buffer = NULL;
}

const struct import_type import_hardware_buffer = {
	.type = CL_IMPORT_TYPE_ANDROID_HARDWARE_BUFFER_ARM,
	.name = "a hardware buffer",
	.properties = 1 << IMPORT_TYPE | 1 << IMPORT_PROTECTED | 1 << IMPORT_PLANE | 1 << IMPORT_LAYER,
	.check = check,
	.place = place,
};
