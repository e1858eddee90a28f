/* Memory of devices and of the host, and what of it a resource needs. */
#include "base/hold.h"
#include "runtime/vulkan/objects.h"

VkResult memory_error(VkDevice d, int error, uint64_t size)
{
	if (error)
		log_write(LOG_INFO, "Vulkan: %llu bytes of memory are not there (driver error %d)", (unsigned long long)size, error);
	return error == KMD_INVALID ? VK_ERROR_OUT_OF_DEVICE_MEMORY : device_error(d, error);
}

/* A descriptor's memory is the host's, whatever its type: DRAM is reached by one device alone. */
static VkResult allocate(VkDeviceMemory m, const VkMemoryAllocateInfo *info)
{
	static const unsigned flags[MEMORY_TYPES] = {
		[MEMORY_DEVICE] = KMD_BO_DRAM, [MEMORY_HOST] = KMD_BO_SYSTEM | KMD_BO_UNCACHED, [MEMORY_HOST_CACHED] = KMD_BO_SYSTEM};
	VkDevice d = m->device;
	const unsigned as = m->exports & MEMORY_FD_HANDLES ? KMD_BO_SHARED : flags[info->memoryTypeIndex];
	TRY(memory_error(d, umd_bo_create(d->space, d->physical->index, info->allocationSize, as, &m->bo), info->allocationSize));
	m->maintained = as & KMD_BO_SHARED && !d->physical->info->coherent;
	return VK_SUCCESS;
}

static VkResult place(VkDeviceMemory m, const VkMemoryAllocateInfo *info)
{
	const VkImportMemoryFdInfoKHR *fd = chain_find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
	const VkImportMemoryHostPointerInfoEXT *host = chain_find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
	if (fd && fd->handleType)
		return memory_import_fd(m, fd);
	if (host && host->handleType)
		return memory_import_host(m, host);
	return allocate(m, info);
}

VkResult VKAPI_CALL galena_vkAllocateMemory(VkDevice d, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *allocator, VkDeviceMemory *out)
{
	const VkExportMemoryAllocateInfo *export = chain_find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
	VkDeviceMemory m = OBJECT_NEW(d, allocator, VkDeviceMemory);
	if (!m)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	m->device = d;
	m->size = info->allocationSize;
	m->exports = export ? export->handleTypes : 0;
	const VkResult result = place(m, info);
	if (result) {
		object_free(&d->allocator, allocator, m);
		return result;
	}
	m->address = umd_bo_address(m->bo);
	m->cpu = memory_types[info->memoryTypeIndex].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT ? umd_bo_cpu(m->bo) : NULL;
	if (m->maintained) {
		HOLDING(&d->lock);
		m->next = d->maintained;
		d->maintained = m;
	}
	*out = m;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkFreeMemory(VkDevice d, VkDeviceMemory m, const VkAllocationCallbacks *allocator)
{
	if (!m)
		return;
	if (m->maintained) {
		HOLDING(&d->lock);
		VkDeviceMemory *at = &d->maintained;
		while (*at != m)
			at = &(*at)->next;
		*at = m->next;
	}
	umd_bo_release(m->bo);
	object_free(&d->allocator, allocator, m);
}

VkResult VKAPI_CALL galena_vkMapMemory(VkDevice d, VkDeviceMemory m, VkDeviceSize offset, VkDeviceSize size, VkMemoryMapFlags flags, void **out)
{
	(void)d, (void)size, (void)flags;
	FAIL_IF(!m->cpu, VK_ERROR_MEMORY_MAP_FAILED, "memory of this type is not the host's");
	*out = m->cpu + offset;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkUnmapMemory(VkDevice d, VkDeviceMemory m) { (void)d, (void)m; }

/* All memory that can be mapped is coherent. */
VkResult VKAPI_CALL galena_vkFlushMappedMemoryRanges(VkDevice d, uint32_t count, const VkMappedMemoryRange *ranges)
{
	(void)d, (void)count, (void)ranges;
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkInvalidateMappedMemoryRanges(VkDevice d, uint32_t count, const VkMappedMemoryRange *ranges)
{
	(void)d, (void)count, (void)ranges;
	return VK_SUCCESS;
}

/* None is allocated lazily. */
void VKAPI_CALL galena_vkGetDeviceMemoryCommitment(VkDevice d, VkDeviceMemory m, VkDeviceSize *out)
{
	(void)d, (void)m;
	*out = 0;
}

uint32_t memory_types_of(VkExternalMemoryHandleTypeFlags handles)
{
	return handles & VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT ? MEMORY_HOST_TYPES : MEMORY_ALL_TYPES;
}

void memory_requirements(VkMemoryRequirements2 *out, VkDeviceSize size, VkDeviceSize alignment, VkExternalMemoryHandleTypeFlags handles)
{
	out->memoryRequirements = (VkMemoryRequirements){(size + alignment - 1) & ~(alignment - 1), alignment, memory_types_of(handles)};
	VkMemoryDedicatedRequirements *dedicated = (void *)(uintptr_t)chain_find(out->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS);
	if (dedicated)
		dedicated->prefersDedicatedAllocation = dedicated->requiresDedicatedAllocation = VK_FALSE;
}
