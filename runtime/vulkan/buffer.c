/* Buffers: ranges of memory. */
#include "runtime/vulkan/objects.h"

enum { ALIGNMENT = 64 };

static VkExternalMemoryHandleTypeFlags handles_of(const VkBufferCreateInfo *info)
{
	const VkExternalMemoryBufferCreateInfo *external = chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
	return external ? external->handleTypes : 0;
}

VkResult VKAPI_CALL galena_vkCreateBuffer(VkDevice d, const VkBufferCreateInfo *info, const VkAllocationCallbacks *allocator, VkBuffer *out)
{
	VkBuffer b = OBJECT_NEW(d, allocator, VkBuffer);
	if (!b)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	b->size = info->size;
	b->handles = handles_of(info);
	*out = b;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyBuffer(VkDevice d, VkBuffer b, const VkAllocationCallbacks *allocator) { object_free(&d->allocator, allocator, b); }

void VKAPI_CALL galena_vkGetBufferMemoryRequirements2(VkDevice d, const VkBufferMemoryRequirementsInfo2 *info, VkMemoryRequirements2 *out)
{
	(void)d;
	memory_requirements(out, info->buffer->size, ALIGNMENT, info->buffer->handles);
}

void VKAPI_CALL galena_vkGetBufferMemoryRequirements(VkDevice d, VkBuffer b, VkMemoryRequirements *out)
{
	VkMemoryRequirements2 all = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
	(void)d;
	memory_requirements(&all, b->size, ALIGNMENT, b->handles);
	*out = all.memoryRequirements;
}

void VKAPI_CALL galena_vkGetDeviceBufferMemoryRequirements(VkDevice d, const VkDeviceBufferMemoryRequirements *info, VkMemoryRequirements2 *out)
{
	(void)d;
	memory_requirements(out, info->pCreateInfo->size, ALIGNMENT, handles_of(info->pCreateInfo));
}

VkResult VKAPI_CALL galena_vkBindBufferMemory(VkDevice d, VkBuffer b, VkDeviceMemory m, VkDeviceSize offset)
{
	(void)d;
	b->address = m->address + offset;
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkBindBufferMemory2(VkDevice d, uint32_t count, const VkBindBufferMemoryInfo *infos)
{
	for (uint32_t i = 0; i < count; i++)
		galena_vkBindBufferMemory(d, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
	return VK_SUCCESS;
}

/* ---- addresses, which shaders use ---- */
VkDeviceAddress VKAPI_CALL galena_vkGetBufferDeviceAddress(VkDevice d, const VkBufferDeviceAddressInfo *info)
{
	(void)d;
	return info->buffer->address;
}

/* None is captured to be had again: that feature is not there. */
uint64_t VKAPI_CALL galena_vkGetBufferOpaqueCaptureAddress(VkDevice d, const VkBufferDeviceAddressInfo *info)
{
	(void)d, (void)info;
	return 0;
}

uint64_t VKAPI_CALL galena_vkGetDeviceMemoryOpaqueCaptureAddress(VkDevice d, const VkDeviceMemoryOpaqueCaptureAddressInfo *info)
{
	(void)d, (void)info;
	return 0;
}
