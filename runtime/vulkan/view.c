/* Views of buffers and images, and samplers: what descriptors are made of. */
#include "abi/kernel_note.h"
#include "runtime/vulkan/objects.h"
#include <CL/cl.h>

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
	const VkComponentMapping *m = &info->components;
	FAIL_IF((m->r && m->r != VK_COMPONENT_SWIZZLE_R) || (m->g && m->g != VK_COMPONENT_SWIZZLE_G) || (m->b && m->b != VK_COMPONENT_SWIZZLE_B) ||
			(m->a && m->a != VK_COMPONENT_SWIZZLE_A),
		VK_ERROR_UNKNOWN, "views of swizzled components are not there");
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

void image_view_describe(VkImageView v, struct image_desc *out)
{
	static const uint32_t kinds[] = {
		[VK_IMAGE_VIEW_TYPE_1D] = CL_MEM_OBJECT_IMAGE1D, [VK_IMAGE_VIEW_TYPE_2D] = CL_MEM_OBJECT_IMAGE2D,
		[VK_IMAGE_VIEW_TYPE_3D] = CL_MEM_OBJECT_IMAGE3D, [VK_IMAGE_VIEW_TYPE_1D_ARRAY] = CL_MEM_OBJECT_IMAGE1D_ARRAY,
		[VK_IMAGE_VIEW_TYPE_2D_ARRAY] = CL_MEM_OBJECT_IMAGE2D_ARRAY,
	};
	const VkExtent3D e = image_extent(v->image, v->range.baseMipLevel);
	const VkSubresourceLayout l = image_layout(v->image, v->range.baseMipLevel, v->range.baseArrayLayer);
	uint32_t order, type;
	format_names(v->format, &order, &type);
	*out = (struct image_desc){
		.base = v->image->address + l.offset,
		.width = e.width,
		.height = e.height,
		.depth = e.depth,
		.array_size = v->range.layerCount,
		.row_pitch = l.rowPitch,
		.slice_pitch = v->type == VK_IMAGE_VIEW_TYPE_3D ? l.depthPitch : l.arrayPitch,
		.channel_order = order,
		.channel_type = type,
		.element_size = format_bytes(v->format),
		.channels = v->format->channels,
		.kind = v->type < sizeof kinds / sizeof *kinds ? kinds[v->type] : 0,
	};
}

/* The way that the first dimension is addressed is that of all. */
static uint64_t sampler_bits(const VkSamplerCreateInfo *info)
{
	static const uint64_t address[] = {
		[VK_SAMPLER_ADDRESS_MODE_REPEAT] = 3, [VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT] = 4, [VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE] = 1,
		[VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER] = 2,
	};
	const unsigned mode = info->addressModeU < sizeof address / sizeof *address ? info->addressModeU : VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
	return address[mode] << NOTE_SAMPLER_ADDRESS_SHIFT | (info->unnormalizedCoordinates ? 0 : NOTE_SAMPLER_NORMALIZED) |
	       (info->magFilter == VK_FILTER_LINEAR ? NOTE_SAMPLER_LINEAR : NOTE_SAMPLER_NEAREST);
}

VkResult VKAPI_CALL galena_vkCreateSampler(VkDevice d, const VkSamplerCreateInfo *info, const VkAllocationCallbacks *allocator, VkSampler *out)
{
	const bool border = info->addressModeU == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
	FAIL_IF(info->addressModeU != info->addressModeV, VK_ERROR_UNKNOWN, "a sampler that addresses dimensions in two ways is not there");
	FAIL_IF(border && info->borderColor != VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK && info->borderColor != VK_BORDER_COLOR_INT_TRANSPARENT_BLACK,
		VK_ERROR_UNKNOWN, "a border is transparent black");
	VkSampler s = OBJECT_NEW(d, allocator, VkSampler);
	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	s->bits = sampler_bits(info);
	*out = s;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroySampler(VkDevice d, VkSampler s, const VkAllocationCallbacks *allocator) { object_free(&d->allocator, allocator, s); }
