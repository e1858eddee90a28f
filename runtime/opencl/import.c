/* cl_arm_import_memory, revision 11: memory that another owner has allocated.
 *
 * The pages themselves become the device's: they are committed, pinned and mapped for the life of the memory object, and
 * nothing is copied. What cannot be mapped is refused. */
#include "runtime/opencl/external.h"
#include "runtime/opencl/import.h"

static const struct import_type *const types[] = {&import_host, &import_dmabuf, &import_hardware_buffer};

/* ---- properties ---- */

static const struct { cl_import_properties_arm name; const char *text; cl_import_properties_arm without; } known[IMPORT_PROPERTIES] = {
	[IMPORT_TYPE] = {CL_IMPORT_TYPE_ARM, "CL_IMPORT_TYPE_ARM", CL_IMPORT_TYPE_HOST_ARM},
	[IMPORT_PROTECTED] = {CL_IMPORT_TYPE_PROTECTED_ARM, "CL_IMPORT_TYPE_PROTECTED_ARM", CL_FALSE},
	[IMPORT_CONSISTENCY] = {CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, "CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM", CL_FALSE},
	[IMPORT_PLANE] = {CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM, "CL_IMPORT_ANDROID_HARDWARE_BUFFER_PLANE_INDEX_ARM", 0},
	[IMPORT_LAYER] = {CL_IMPORT_ANDROID_HARDWARE_BUFFER_LAYER_INDEX_ARM, "CL_IMPORT_ANDROID_HARDWARE_BUFFER_LAYER_INDEX_ARM", 0},
};

static enum import_property property_of(cl_import_properties_arm name)
{
	unsigned p = 0;
	while (p < IMPORT_PROPERTIES && known[p].name != name)
		p++;
	return p;
}

static cl_int read_properties(const cl_import_properties_arm *list, struct import *import)
{
	struct properties given;
	for (unsigned p = 0; p < IMPORT_PROPERTIES; p++)
		import->value[p] = known[p].without;
	/* CL_IMPORTMEMORYARM_PROPERTY_END, CL_IMPORTMEMORYARM_PROPERTY_TWICE: a list ends with 0, and has each once */
	TRY(properties_read((const cl_properties *)list, NULL, &given));
	for (unsigned i = 0; i < given.count; i++) {
		const enum import_property p = property_of((cl_import_properties_arm)given.of[i].name);
		/* CL_IMPORTMEMORYARM_PROPERTY_NAME: known ones */
		FAIL_IF(p == IMPORT_PROPERTIES, CL_INVALID_PROPERTY, "import property 0x%llx", (unsigned long long)given.of[i].name);
		import->given |= 1u << p;
		import->value[p] = (cl_import_properties_arm)*given.of[i].value;
	}
	return CL_SUCCESS;
}

static cl_int check_properties(const struct import *import, const struct import_type **out)
{
	const struct import_type *type = NULL;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i]->type == import->value[IMPORT_TYPE])
			type = types[i];
	/* CL_IMPORTMEMORYARM_TYPE: a type whose extension string is reported */
	FAIL_IF(!type, CL_INVALID_PROPERTY, "memory of type 0x%llx is not imported", (unsigned long long)import->value[IMPORT_TYPE]);
	for (unsigned p = 0; p < IMPORT_PROPERTIES; p++) {
		/* CL_IMPORTMEMORYARM_PROPERTY_OF_TYPE: properties belong to the type that is imported */
		FAIL_IF(import->given >> p & ~type->properties >> p & 1, CL_INVALID_PROPERTY, "%s does not go with %s", known[p].text, type->name);
	}
	/* CL_IMPORTMEMORYARM_PROPERTY_VALUE: of those that are true or false */
	for (unsigned p = IMPORT_PROTECTED; p <= IMPORT_CONSISTENCY; p++)
		if (import->value[p] != CL_FALSE && import->value[p] != CL_TRUE)
			return FAIL(CL_INVALID_PROPERTY, "%s is neither CL_FALSE nor CL_TRUE", known[p].text);
	/* CL_IMPORTMEMORYARM_PROTECTED_TYPE: dma-bufs alone are protected */
	if (import->value[IMPORT_PROTECTED] && type != &import_dmabuf)
		return FAIL(CL_INVALID_PROPERTY, "CL_IMPORT_TYPE_PROTECTED_ARM does not go with %s", type->name);
	/* CL_IMPORTMEMORYARM_PROTECTED_HOST_ACCESS: the host has no access to protected memory, nor is it asked for */
	if (import->value[IMPORT_PROTECTED] && import->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))
		return FAIL(CL_INVALID_OPERATION, "memory flags 0x%llx for protected memory: CL_MEM_HOST_NO_ACCESS is the only host access",
			    (unsigned long long)import->flags);
	*out = type;
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

cl_int import_failed(int error, size_t size)
{
	/* CL_IMPORTMEMORYARM_HOST_MEMORY: the host has memory for it */
	FAIL_IF(error == KMD_NO_MEMORY, CL_OUT_OF_HOST_MEMORY, "no host memory to import %zu bytes", size);
	/* CL_IMPORTMEMORYARM_MEMORY: the device has addresses for it */
	return FAIL(CL_MEM_OBJECT_ALLOCATION_FAILURE, "no device addresses for %zu bytes (%d)", size, error);
}

CL_API_ENTRY cl_mem CL_API_CALL galena_clImportMemoryARM(cl_context context, cl_mem_flags flags, const cl_import_properties_arm *properties,
							 void *memory, size_t size, cl_int *errcode_ret)
{
	struct import import = {.flags = flags, .memory = memory, .size = size};
	const struct import_type *type = NULL;
	/* CL_IMPORTMEMORYARM_CONTEXT: a context */
	FAIL_NULL_IF(!CONTEXT_VALID(context), errcode_ret, CL_INVALID_CONTEXT, "not a context");
	TRY_NULL(errcode_ret, check_flags(flags));
	TRY_NULL(errcode_ret, read_properties(properties, &import));
	TRY_NULL(errcode_ret, check_properties(&import, &type));
	/* CL_IMPORTMEMORYARM_MEMORY_NULL: there is memory */
	FAIL_NULL_IF(!memory, errcode_ret, CL_INVALID_VALUE, "no memory to import");
	TRY_NULL(errcode_ret, type->check(context, &import));
	TRY_NULL(errcode_ret, buffer_check_size(context, import.size)); /* one that means the whole allocation, and was not understood, is too much */
	/* CL_MEM_USE_HOST_PTR has no effect */
	struct _cl_mem *m = mem_create(context, CL_MEM_OBJECT_BUFFER, flags & ~(cl_mem_flags)CL_MEM_USE_HOST_PTR, import.size, NULL, 0);
	FAIL_NULL_IF(!m, errcode_ret, CL_OUT_OF_HOST_MEMORY, "no memory for the buffer");
	cl_int code = type->place(m, &import);
	if (!code) {
		m->imported = true;
		m->address = umd_bo_address(m->bo);
	}
	return api_object(errcode_ret, code, &m->object);
}
