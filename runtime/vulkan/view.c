/* Views of buffers and images, and samplers: what descriptors are made of. */
#include "runtime/vulkan/objects.h"

VkResult VKAPI_CALL galena_vkCreateBufferView(VkDevice d, const VkBufferViewCreateInfo *info, const VkAllocationCallbacks *allocator, VkBufferView *out)
{
	VkBufferView v = OBJECT_NEW(d, allocator, VkBufferView);
	if (!v)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	*v = (struct VkBufferView_T){info->buffer, format_find(info->format), info->offset,
				     info->range == VK_WHOLE_SIZE ? info->buffer->size - info->offset : info->range};
	*out = v;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyBufferView(VkDevice d, VkBufferView v, const VkAllocationCallbacks *allocator) { object_free(&d->allocator, allocator, v); }

VkResult VKAPI_CALL galena_vkCreateImageView(VkDevice d, const VkImageViewCreateInfo *info, const VkAllocationCallbacks *allocator, VkImageView *out)
{
	VkImageView v = OBJECT_NEW(d, allocator, VkImageView);
	if (!v)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	*v = (struct VkImageView_T){info->image, info->viewType, format_find(info->format), info->components, info->subresourceRange};
	if (v->range.levelCount == VK_REMAINING_MIP_LEVELS)
		v->range.levelCount = info->image->levels - v->range.baseMipLevel;
	if (v->range.layerCount == VK_REMAINING_ARRAY_LAYERS)
		v->range.layerCount = info->image->layers - v->range.baseArrayLayer;
	*out = v;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyImageView(VkDevice d, VkImageView v, const VkAllocationCallbacks *allocator) { object_free(&d->allocator, allocator, v); }

VkResult VKAPI_CALL galena_vkCreateSampler(VkDevice d, const VkSamplerCreateInfo *info, const VkAllocationCallbacks *allocator, VkSampler *out)
{
	VkSampler s = OBJECT_NEW(d, allocator, VkSampler);
	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	s->info = *info;
	s->info.pNext = NULL;
	*out = s;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroySampler(VkDevice d, VkSampler s, const VkAllocationCallbacks *allocator) { object_free(&d->allocator, allocator, s); }
