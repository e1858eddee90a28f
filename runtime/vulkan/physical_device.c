/* Queue families, memory types and extensions of physical devices. */
#include "runtime/vulkan/objects.h"
#include <unistd.h>

/* In this order: what has fewer properties comes first, and of the device's own comes before the host's. */
const VkMemoryType memory_types[MEMORY_TYPES] = {
	[MEMORY_DEVICE] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
	[MEMORY_HOST] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 1},
	[MEMORY_HOST_CACHED] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 1},
};

void VKAPI_CALL galena_vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice p, VkPhysicalDeviceMemoryProperties *out)
{
	*out = (VkPhysicalDeviceMemoryProperties){.memoryTypeCount = MEMORY_TYPES, .memoryHeapCount = 2};
	for (unsigned i = 0; i < MEMORY_TYPES; i++)
		out->memoryTypes[i] = memory_types[i];
	out->memoryHeaps[0] = (VkMemoryHeap){p->info->dram_size, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
	out->memoryHeaps[1] = (VkMemoryHeap){(VkDeviceSize)sysconf(_SC_PHYS_PAGES) * (VkDeviceSize)sysconf(_SC_PAGESIZE), 0};
}

void VKAPI_CALL galena_vkGetPhysicalDeviceMemoryProperties2(VkPhysicalDevice p, VkPhysicalDeviceMemoryProperties2 *out)
{
	galena_vkGetPhysicalDeviceMemoryProperties(p, &out->memoryProperties);
}

void VKAPI_CALL galena_vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice p, uint32_t *count, VkQueueFamilyProperties *out)
{
	(void)p;
	if (out && *count)
		*out = (VkQueueFamilyProperties){.queueFlags = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, .queueCount = QUEUES, .timestampValidBits = 64,
						 .minImageTransferGranularity = {1, 1, 1}};
	if (!out || *count)
		*count = 1;
}

void VKAPI_CALL galena_vkGetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice p, uint32_t *count, VkQueueFamilyProperties2 *out)
{
	galena_vkGetPhysicalDeviceQueueFamilyProperties(p, count, out ? &out->queueFamilyProperties : NULL);
}

VkResult VKAPI_CALL galena_vkEnumerateDeviceExtensionProperties(VkPhysicalDevice p, const char *layer, uint32_t *count, VkExtensionProperties *out)
{
	(void)p;
	return extensions_list(true, layer, count, out);
}

/* The driver is no tool. */
VkResult VKAPI_CALL galena_vkGetPhysicalDeviceToolProperties(VkPhysicalDevice p, uint32_t *count, VkPhysicalDeviceToolProperties *out)
{
	(void)p, (void)out;
	*count = 0;
	return VK_SUCCESS;
}

/* ---- semaphores and fences that others may have ---- */
/* An opaque descriptor is the object itself; a sync file is a copy of what signals it. */
static VkExternalSemaphoreFeatureFlags shares(bool opaque, bool sync_file)
{
	return opaque || sync_file ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT : 0;
}

void VKAPI_CALL galena_vkGetPhysicalDeviceExternalSemaphoreProperties(VkPhysicalDevice p, const VkPhysicalDeviceExternalSemaphoreInfo *info,
								      VkExternalSemaphoreProperties *out)
{
	const VkSemaphoreTypeCreateInfo *type = chain_find(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
	const bool timeline = type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
	const bool opaque = info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
	const bool sync_file = info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT && !timeline;
	(void)p;
	out->externalSemaphoreFeatures = shares(opaque, sync_file);
	out->compatibleHandleTypes = !opaque && !sync_file ? 0 :
				     timeline ? VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT :
						VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
	out->exportFromImportedHandleTypes = opaque ? out->compatibleHandleTypes : 0;
}

void VKAPI_CALL galena_vkGetPhysicalDeviceExternalFenceProperties(VkPhysicalDevice p, const VkPhysicalDeviceExternalFenceInfo *info, VkExternalFenceProperties *out)
{
	const bool opaque = info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT;
	const bool sync_file = info->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
	(void)p;
	out->externalFenceFeatures = opaque || sync_file ? VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT : 0;
	out->compatibleHandleTypes = opaque || sync_file ? VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT | VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT : 0;
	out->exportFromImportedHandleTypes = opaque ? out->compatibleHandleTypes : 0;
}
