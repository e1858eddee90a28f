/* Devices and their queues. */
#include "runtime/vulkan/objects.h"

VkResult device_lost(VkDevice d)
{
	atomic_store(&d->lost, true);
	return VK_ERROR_DEVICE_LOST;
}

VkResult device_error(VkDevice d, int error)
{
	switch (error) {
	case KMD_OK: return VK_SUCCESS;
	case KMD_NO_MEMORY: return FAIL(VK_ERROR_OUT_OF_HOST_MEMORY, "no memory of the host");
	case KMD_NO_DEVICE_MEMORY: return FAIL(VK_ERROR_OUT_OF_DEVICE_MEMORY, "no memory of the device");
	}
	if (error != KMD_DEVICE_LOST && error != KMD_FENCE_FAILED)
		return FAIL(VK_ERROR_UNKNOWN, "the driver refuses what is asked of it (%d)", error);
	log_write(LOG_INFO, "Vulkan: the device is lost");
	return device_lost(d);
}

/* Priorities of Vulkan's are two of the driver's. */
static VkResult queue_create(VkDevice d, float priority)
{
	VkQueue q = &d->queues[d->num_queues];
	*q = (struct VkQueue_T){.loader.loaderMagic = ICD_LOADER_MAGIC, .device = d};
	const int error = umd_queue_create(d->space, d->physical->index, priority < 0.5f ? 0 : 1, &q->queue);
	d->num_queues += !error;
	return device_error(d, error);
}

static void device_free(VkDevice d, const VkAllocationCallbacks *allocator)
{
	for (unsigned i = 0; i < d->num_queues; i++) {
		umd_command_release(d->queues[i].last);
		umd_queue_release(d->queues[i].queue);
	}
	umd_queue_release(d->indirect);
	blit_free(d);
	umd_bo_release(d->sink);
	umd_space_release(d->space);
	pthread_mutex_destroy(&d->blit_lock);
	pthread_mutex_destroy(&d->lock);
	object_free(&d->physical->instance->allocator, allocator, d->queues);
	object_free(&d->physical->instance->allocator, allocator, d);
}

static VkResult device_fill(VkDevice d, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator)
{
	const VkAllocationCallbacks *parent = &d->physical->instance->allocator;
	const VkPhysicalDeviceFeatures2 *features = chain_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
	unsigned queues = 0;
	d->robust = (info->pEnabledFeatures && info->pEnabledFeatures->robustBufferAccess) || (features && features->features.robustBufferAccess);
	if (parent->pfnAllocation)
		d->allocator = *parent;
	if (allocator)
		d->allocator = *allocator;
	for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
		queues += info->pQueueCreateInfos[i].queueCount;
	d->queues = object_alloc(parent, allocator, queues * sizeof *d->queues, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	if (!d->queues)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	TRY(device_error(d, umd_space_create(driver(), &d->space)));
	TRY(device_error(d, umd_bo_create(d->space, 0, SPIRV_SINK_BYTES, KMD_BO_SYSTEM | KMD_BO_UNCACHED, &d->sink)));
	TRY(device_error(d, umd_queue_create(d->space, d->physical->index, 1, &d->indirect)));
	for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
		for (uint32_t k = 0; k < info->pQueueCreateInfos[i].queueCount; k++)
			TRY(queue_create(d, info->pQueueCreateInfos[i].pQueuePriorities[k]));
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkCreateDevice(VkPhysicalDevice p, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out)
{
	uint64_t extensions;
	struct blocks blocks;
	TRY(extensions_enable(true, info->enabledExtensionCount, info->ppEnabledExtensionNames, &extensions));
	physical_device_blocks(p, &blocks);
	FAIL_IF(!chain_features_present(&blocks, info), VK_ERROR_FEATURE_NOT_PRESENT, "a feature is asked for that there is not");
	VkDevice d = object_alloc(&p->instance->allocator, allocator, sizeof *d, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
	if (!d)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	d->loader.loaderMagic = ICD_LOADER_MAGIC;
	d->physical = p;
	d->extensions = extensions;
	pthread_mutex_init(&d->lock, NULL);
	pthread_mutex_init(&d->blit_lock, NULL);
	const VkResult result = device_fill(d, info, allocator);
	if (result) {
		device_free(d, allocator);
		return result == VK_ERROR_DEVICE_LOST || result == VK_ERROR_UNKNOWN ? VK_ERROR_INITIALIZATION_FAILED : result;
	}
	*out = d;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyDevice(VkDevice d, const VkAllocationCallbacks *allocator)
{
	if (!d)
		return;
	umd_sync(driver()); /* no handler of a command that has ended comes later */
	device_free(d, allocator);
}

void VKAPI_CALL galena_vkGetDeviceQueue(VkDevice d, uint32_t family, uint32_t index, VkQueue *out)
{
	(void)family;
	*out = &d->queues[index];
}

/* With flags there is none. */
void VKAPI_CALL galena_vkGetDeviceQueue2(VkDevice d, const VkDeviceQueueInfo2 *info, VkQueue *out)
{
	*out = info->flags ? VK_NULL_HANDLE : &d->queues[info->queueIndex];
}

VkResult VKAPI_CALL galena_vkDeviceWaitIdle(VkDevice d)
{
	for (unsigned i = 0; i < d->num_queues; i++)
		TRY(galena_vkQueueWaitIdle(&d->queues[i]));
	return atomic_load(&d->lost) ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

/* Each device is a group of its own. */
void VKAPI_CALL galena_vkGetDeviceGroupPeerMemoryFeatures(VkDevice d, uint32_t heap, uint32_t local, uint32_t remote, VkPeerMemoryFeatureFlags *out)
{
	(void)d, (void)heap, (void)local, (void)remote;
	*out = VK_PEER_MEMORY_FEATURE_COPY_SRC_BIT | VK_PEER_MEMORY_FEATURE_COPY_DST_BIT;
}
