/* cl_arm_import_memory, revision 11: memory of the host process (CL_IMPORT_TYPE_HOST_ARM).
 *
 * The pages themselves become the device's: they are committed, pinned and mapped for the life of the memory object, and
 * nothing is copied. What cannot be mapped is refused. */
#include "runtime/driver/probe.h"
#include "runtime/opencl/mem.h"

__typeof__(clImportMemoryARM) galena_clImportMemoryARM;

/* ---- properties ---- */

enum property { TYPE, PROTECTED, CONSISTENCY, PLANE, LAYER, PROPERTIES };
static const struct { cl_import_properties_arm name; const char *text; } known[PROPERTIES] = {
	[TYPE] = {CL_IMPORT_TYPE_ARM, "CL_IMPORT_TYPE_ARM"},
	[PROTECTED] = {CL_IMPORT_TYPE_PROTECTED_ARM, "CL_IMPORT_TYPE_PROTECTED_ARM"},
	[CONSISTENCY] = {CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, "CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM"},
	[PLANE] = {CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM, "CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM"},
	[LAYER] = {CL_IMPORT_ANDROID_HARDWARE_BUFFER_LAYER_INDEX_ARM, "CL_IMPORT_ANDROID_HARDWARE_BUFFER_LAYER_INDEX_ARM"},
};

static enum property property_of(cl_import_properties_arm name)
{
	for (unsigned p = 0; p < PROPERTIES; p++)
		if (known[p].name == name)
			return p;
	return PROPERTIES;
}

static cl_int check_property(enum property p, cl_import_properties_arm value)
{
	/* CL_IMPORTMEMORYARM_TYPE: a type whose extension string is reported */
	if (p == TYPE && value != CL_IMPORT_TYPE_HOST_ARM)
		return FAIL(CL_INVALID_PROPERTY, "memory of type 0x%llx: only CL_IMPORT_TYPE_HOST_ARM is imported", (unsigned long long)value);
	/* CL_IMPORTMEMORYARM_PROPERTY_OF_TYPE: properties belong to the type that is imported */
	if (p != TYPE)
		return FAIL(CL_INVALID_PROPERTY, "%s does not go with memory of the host process", known[p].text);
	return CL_SUCCESS;
}

/* Reads as far as there is something to read: a list without an end is the application's mistake, not a crash. */
static cl_int check_properties(const cl_import_properties_arm *list)
{
	unsigned seen = 0;
	for (size_t i = 0; list; i += 2) {
		cl_import_properties_arm entry[2];
		/* CL_IMPORTMEMORYARM_PROPERTY_END: a list ends with 0 */
		if (!probe_copy(&entry[0], list + i, sizeof *entry))
			return FAIL(CL_INVALID_PROPERTY, "the list of properties at %p cannot be read, or has no 0 at its end", (const void *)list);
		if (!entry[0])
			return CL_SUCCESS;
		enum property p = property_of(entry[0]);
		/* CL_IMPORTMEMORYARM_PROPERTY_NAME: known ones */
		if (p == PROPERTIES)
			return FAIL(CL_INVALID_PROPERTY, "import property 0x%llx", (unsigned long long)entry[0]);
		/* CL_IMPORTMEMORYARM_PROPERTY_TWICE: each once */
		if (seen >> p & 1)
			return FAIL(CL_INVALID_PROPERTY, "%s is given twice", known[p].text);
		seen |= 1u << p;
		if (!probe_copy(&entry[1], list + i + 1, sizeof *entry))
			return FAIL(CL_INVALID_PROPERTY, "%s has no value that can be read", known[p].text);
		cl_int code = check_property(p, entry[1]);
		if (code)
			return code;
	}
	return CL_SUCCESS;
}

/* ---- memory ---- */

static cl_int check_flags(cl_mem_flags flags)
{
	/* CL_IMPORTMEMORYARM_FLAGS: memory is what is imported, neither allocated nor copied; CL_MEM_USE_HOST_PTR has no effect */
	if (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
		return FAIL(CL_INVALID_VALUE, "memory flags 0x%llx for an import", (unsigned long long)flags);
	return mem_check_flags(flags & ~(cl_mem_flags)CL_MEM_USE_HOST_PTR, NULL);
}

static cl_int check_memory(const struct _cl_context *c, const void *memory, size_t size)
{
	const struct drv_device_info *device = c->devices[0]->info; /* all devices are of one configuration */
	/* CL_IMPORTMEMORYARM_MEMORY_NULL: there is memory */
	if (!memory)
		return FAIL(CL_INVALID_VALUE, "no memory to import");
	cl_int code = buffer_check_size(c, size); /* a size that means the whole allocation is more than there can be */
	if (code)
		return code;
	/* CL_IMPORTMEMORYARM_ALIGNMENT: aligned to a cache line where the hardware does not keep caches coherent */
	if (!device->coherent && (uintptr_t)memory % device->line_bytes)
		return FAIL(CL_INVALID_VALUE, "%p is not aligned to the %u bytes of a cache line, and the device's caches are not coherent", memory,
			    device->line_bytes);
	return CL_SUCCESS;
}

static cl_int failed(int error, const void *memory, size_t size)
{
	switch (error) {
	case DRV_BAD_ADDRESS:
		/* CL_IMPORTMEMORYARM_MEMORY_UNMAPPED: all of it is mapped, and can be accessed as the flags say */
		return FAIL(CL_INVALID_OPERATION, "%zu bytes at %p: pages of it are not mapped, or not so that they can be accessed as the flags say",
			    size, memory);
	case DRV_SHARED_PAGE:
		/* CL_IMPORTMEMORYARM_SHARED_PAGE: ranges that are not whole pages have no page in common */
		return FAIL(CL_INVALID_OPERATION, "%zu bytes at %p: another import that is not whole pages has a page of it", size, memory);
	case DRV_NO_MEMORY:
		/* CL_IMPORTMEMORYARM_HOST_MEMORY: the host has memory for it */
		return FAIL(CL_OUT_OF_HOST_MEMORY, "no host memory to import %zu bytes", size);
	default:
		/* CL_IMPORTMEMORYARM_MEMORY: the device has addresses for it */
		return FAIL(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no device addresses for %zu bytes (%d)", size, error);
	}
}

/* Pages that the host cannot write the device cannot write either: such an import is one for reading. */
static int place(struct _cl_mem *m, void *memory)
{
	const unsigned right = m->flags & CL_MEM_READ_ONLY ? DRV_BO_READ_ONLY : 0;
	int error = drv_bo_import(m->context->space, memory, m->size, DRV_BO_STRICT | right, &m->bo);
	if (error == DRV_BAD_ADDRESS && !(m->flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY))) {
		error = drv_bo_import(m->context->space, memory, m->size, DRV_BO_STRICT | DRV_BO_READ_ONLY, &m->bo);
		m->flags = (m->flags & ~(cl_mem_flags)MEM_ACCESS_FLAGS) | CL_MEM_READ_ONLY;
	}
	if (error) {
		m->bo = NULL;
		return error;
	}
	m->imported = true;
	m->address = drv_bo_address(m->bo);
	m->cpu = memory;
	return 0;
}

CL_API_ENTRY cl_mem CL_API_CALL galena_clImportMemoryARM(cl_context context, cl_mem_flags flags, const cl_import_properties_arm *properties,
							 void *memory, size_t size, cl_int *errcode_ret)
{
	/* CL_IMPORTMEMORYARM_CONTEXT: a context */
	if (!CONTEXT_VALID(context))
		return FAIL_NULL(errcode_ret, CL_INVALID_CONTEXT, "not a context");
	cl_int code = check_flags(flags);
	if (!code)
		code = check_properties(properties);
	if (!code)
		code = check_memory(context, memory, size);
	if (code)
		return api_result(errcode_ret, code, NULL);
	/* CL_MEM_USE_HOST_PTR has no effect */
	struct _cl_mem *m = mem_create(context, CL_MEM_OBJECT_BUFFER, flags & ~(cl_mem_flags)CL_MEM_USE_HOST_PTR, size, NULL, 0);
	if (!m)
		return FAIL_NULL(errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for the buffer");
	int error = place(m, memory);
	if (error) {
		mem_discard(m);
		return api_result(errcode_ret, failed(error, memory, size), NULL);
	}
	return api_result(errcode_ret, CL_SUCCESS, m);
}
