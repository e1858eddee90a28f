/* Memory that others may have, too: by opaque descriptors and dma-bufs, which are the same here, and the application's own memory.
 *
 * A descriptor is of memory of the host. One that is imported is the driver's from then on, and the application's where the import is refused. */
#include "runtime/vulkan/objects.h"
#include <unistd.h>

/* Of these devices, or of a heap; all of it can be had. */
static VkResult check_fd(int fd, uint64_t size)
{
	struct kmd_dmabuf b;
	FAIL_IF(umd_dmabuf_query(fd, &b), VK_ERROR_INVALID_EXTERNAL_HANDLE, "descriptor %d is not of memory that devices can import", fd);
	FAIL_IF(b.is_protected || !b.writable, VK_ERROR_INVALID_EXTERNAL_HANDLE, "descriptor %d is of memory that is protected, or read only", fd);
	if (size > b.size)
		return FAIL(VK_ERROR_INVALID_EXTERNAL_HANDLE, "%llu bytes of descriptor %d, which has %llu", (unsigned long long)size, fd, (unsigned long long)b.size);
	return VK_SUCCESS;
}

VkResult memory_import_fd(VkDeviceMemory m, const VkImportMemoryFdInfoKHR *info)
{
	VkDevice d = m->device;
	FAIL_IF(!(info->handleType & MEMORY_FD_HANDLES), VK_ERROR_INVALID_EXTERNAL_HANDLE, "memory of handle type 0x%x is not imported", info->handleType);
	TRY(check_fd(info->fd, m->size));
	const int error = umd_bo_import_dmabuf(d->space, info->fd, 0, m->size, KMD_BO_SHARED, &m->bo);
	FAIL_IF(error == KMD_BAD_DESCRIPTOR, VK_ERROR_INVALID_EXTERNAL_HANDLE, "descriptor %d is not of memory that devices can import", info->fd);
	TRY(memory_error(d, error, m->size));
	m->maintained = !d->physical->info->coherent;
	close(info->fd); /* it is the driver's */
	return VK_SUCCESS;
}

VkResult memory_import_host(VkDeviceMemory m, const VkImportMemoryHostPointerInfoEXT *info)
{
	FAIL_IF(info->handleType != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, VK_ERROR_INVALID_EXTERNAL_HANDLE,
		"memory of handle type 0x%x is not imported", info->handleType);
	const int error = umd_bo_import(m->device->space, info->pHostPointer, m->size, 0, &m->bo);
	if (error == KMD_BAD_ADDRESS || error == KMD_NOT_REACHED)
		return FAIL(VK_ERROR_INVALID_EXTERNAL_HANDLE, "%llu bytes at %p: %s", (unsigned long long)m->size, info->pHostPointer,
			    error == KMD_BAD_ADDRESS ? "the process cannot write them" : "devices of another process do not reach them");
	return memory_error(m->device, error, m->size);
}

VkResult VKAPI_CALL galena_vkGetMemoryFdKHR(VkDevice d, const VkMemoryGetFdInfoKHR *info, int *out)
{
	FAIL_IF(!(info->memory->exports & info->handleType & MEMORY_FD_HANDLES), VK_ERROR_OUT_OF_HOST_MEMORY, "the memory was not made to be exported so");
	const int error = umd_bo_export(info->memory->bo, out);
	FAIL_IF(error == KMD_NO_MEMORY, VK_ERROR_TOO_MANY_OBJECTS, "no descriptor for the memory");
	return device_error(d, error);
}

/* An opaque descriptor says nothing of itself. */
VkResult VKAPI_CALL galena_vkGetMemoryFdPropertiesKHR(VkDevice d, VkExternalMemoryHandleTypeFlagBits type, int fd, VkMemoryFdPropertiesKHR *out)
{
	(void)d;
	FAIL_IF(type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, VK_ERROR_INVALID_EXTERNAL_HANDLE, "handle type 0x%x has no properties", type);
	TRY(check_fd(fd, 0));
	out->memoryTypeBits = MEMORY_ALL_TYPES;
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkGetMemoryHostPointerPropertiesEXT(VkDevice d, VkExternalMemoryHandleTypeFlagBits type, const void *pointer,
							       VkMemoryHostPointerPropertiesEXT *out)
{
	(void)d, (void)pointer;
	FAIL_IF(type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, VK_ERROR_INVALID_EXTERNAL_HANDLE, "host memory of handle type 0x%x", type);
	out->memoryTypeBits = MEMORY_HOST_TYPES;
	return VK_SUCCESS;
}

VkExternalMemoryProperties memory_external_properties(VkExternalMemoryHandleTypeFlagBits type)
{
	if (type & MEMORY_FD_HANDLES)
		return (VkExternalMemoryProperties){VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT, 0, MEMORY_FD_HANDLES};
	if (type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT)
		return (VkExternalMemoryProperties){VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT, 0, type};
	return (VkExternalMemoryProperties){0, 0, 0};
}

void VKAPI_CALL galena_vkGetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice p, const VkPhysicalDeviceExternalBufferInfo *info,
								   VkExternalBufferProperties *out)
{
	(void)p;
	out->externalMemoryProperties = memory_external_properties(info->handleType);
}
