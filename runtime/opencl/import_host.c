/* Imports of the host process' own memory: CL_IMPORT_TYPE_HOST_ARM. */
#include "runtime/opencl/import.h"

static cl_int check(const struct _cl_context *c, struct import *import)
{
	const struct kmd_device_info *device = c->devices[0]->info; /* all devices are of one configuration */
	/* CL_IMPORTMEMORYARM_ALIGNMENT: aligned to a cache line where the hardware does not keep caches coherent */
	if (!device->coherent && (uintptr_t)import->memory % device->line_bytes)
		return FAIL(CL_INVALID_VALUE, "%p is not aligned to the %u bytes of a cache line, and the device's caches are not coherent",
			    import->memory, device->line_bytes);
	return CL_SUCCESS;
}

static cl_int failed(int error, const struct import *import)
{
	/* CL_IMPORTMEMORYARM_MEMORY_UNMAPPED: all of it is mapped, and can be accessed as the flags say */
	if (error == KMD_BAD_ADDRESS)
		return FAIL(CL_INVALID_OPERATION, "%zu bytes at %p: pages of it are not mapped, or not so that they can be accessed as the flags say",
			    import->size, import->memory);
	/* CL_IMPORTMEMORYARM_SHARED_PAGE: ranges that are not whole pages have no page in common */
	if (error == KMD_SHARED_PAGE)
		return FAIL(CL_INVALID_OPERATION, "%zu bytes at %p: another import that is not whole pages has a page of it", import->size,
			    import->memory);
	if (error == KMD_NOT_REACHED)
		return FAIL(CL_INVALID_OPERATION, "%zu bytes at %p: memory of this process, which the server of the devices (GALENA_DEVICE=remote) does not reach; "
			    "a dma-buf it does", import->size, import->memory);
	return import_failed(error, import->size);
}

/* Pages that the host cannot write the device cannot write either: such an import is one for reading. */
static cl_int place(struct _cl_mem *m, const struct import *import)
{
	struct umd_space *s = m->context->space;
	const unsigned right = m->flags & CL_MEM_READ_ONLY ? KMD_BO_READ_ONLY : 0;
	int error = umd_bo_import(s, import->memory, m->size, KMD_BO_STRICT | right, &m->bo);
	if (error == KMD_BAD_ADDRESS && !(m->flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY))) {
		error = umd_bo_import(s, import->memory, m->size, KMD_BO_STRICT | KMD_BO_READ_ONLY, &m->bo);
		import_read_only(m);
	}
	if (error)
		return failed(error, import);
	m->cpu = import->memory;
	return CL_SUCCESS;
}

const struct import_type import_host = {
	.type = CL_IMPORT_TYPE_HOST_ARM,
	.name = "memory of the host process",
	.properties = 1 << IMPORT_TYPE | 1 << IMPORT_PROTECTED,
	.check = check,
	.place = place,
};
