/* Views of buffers and images, and samplers: what descriptors are made of. */
#include "abi/spirv_sampler.h"
#include "runtime/vulkan/objects.h"
#include <CL/cl.h>
#include <math.h>

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

static uint32_t swizzle(const VkComponentMapping *m)
{
	const VkComponentSwizzle of[4] = {m->r, m->g, m->b, m->a};
	uint32_t bits = 0;
	for (uint32_t i = 0; i < 4; i++)
		if (of[i] != VK_COMPONENT_SWIZZLE_R + i)
			bits |= (uint32_t)of[i] << SPIRV_SWIZZLE_BITS * i;
	return bits;
}

void image_view_describe(VkImageView v, struct image_desc *out)
{
	static const uint32_t kinds[] = {
		[VK_IMAGE_VIEW_TYPE_1D] = CL_MEM_OBJECT_IMAGE1D, [VK_IMAGE_VIEW_TYPE_2D] = CL_MEM_OBJECT_IMAGE2D,
		[VK_IMAGE_VIEW_TYPE_3D] = CL_MEM_OBJECT_IMAGE3D, [VK_IMAGE_VIEW_TYPE_1D_ARRAY] = CL_MEM_OBJECT_IMAGE1D_ARRAY,
		[VK_IMAGE_VIEW_TYPE_2D_ARRAY] = CL_MEM_OBJECT_IMAGE2D_ARRAY,
	};
	image_describe(v->image, v->format, v->range.baseMipLevel, v->range.baseArrayLayer, v->range.layerCount, out);
	out->kind = v->type < sizeof kinds / sizeof *kinds ? kinds[v->type] : 0;
	out->levels = v->range.levelCount;
	out->swizzle = swizzle(&v->components);
}

void buffer_view_describe(VkBufferView v, struct image_desc *out)
{
	*out = (struct image_desc){.base = v->buffer->address + v->offset, .width = (uint32_t)(v->range / format_bytes(v->format)), .height = 1, .depth = 1, .array_size = 1,
				   .element_size = format_bytes(v->format), .channels = v->format->channels, .kind = CL_MEM_OBJECT_IMAGE1D_BUFFER};
	format_names(v->format, &out->channel_order, &out->channel_type);
}

/* ---- samplers ---- */
/* A level or a bias, in the bits that it has. */
static uint64_t level_bits(float level, float least, float most)
{
	const float bounded = level < least ? least : level < most ? level : most;
	return (uint64_t)(uint16_t)(int32_t)lrintf(bounded * SPIRV_SAMPLER_LEVEL);
}

static uint64_t sampler_bits(const VkSamplerCreateInfo *info)
{
	const VkSamplerAddressMode modes[3] = {info->addressModeU, info->addressModeV, info->addressModeW};
	const float most = 65535.0f / SPIRV_SAMPLER_LEVEL;
	uint64_t bits = (info->unnormalizedCoordinates ? 0 : SPIRV_SAMPLER_NORMALIZED) | (info->magFilter == VK_FILTER_LINEAR ? SPIRV_SAMPLER_MAG_LINEAR : 0) |
			(info->minFilter == VK_FILTER_LINEAR ? SPIRV_SAMPLER_MIN_LINEAR : 0) |
			(info->mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? SPIRV_SAMPLER_MIP_LINEAR : 0) | (uint64_t)(info->borderColor & 7) << SPIRV_SAMPLER_BORDER_SHIFT;
	for (unsigned i = 0; i < 3; i++)
		bits |= (uint64_t)(modes[i] & 7) << (SPIRV_SAMPLER_MODE_SHIFT + SPIRV_SAMPLER_MODE_BITS * i);
	return bits | level_bits(info->mipLodBias, -SAMPLER_BIAS_MAX, SAMPLER_BIAS_MAX) << SPIRV_SAMPLER_BIAS_SHIFT |
	       level_bits(info->minLod, 0, most) << SPIRV_SAMPLER_LEAST_SHIFT | level_bits(info->maxLod, 0, most) << SPIRV_SAMPLER_MOST_SHIFT;
}

VkResult VKAPI_CALL galena_vkCreateSampler(VkDevice d, const VkSamplerCreateInfo *info, const VkAllocationCallbacks *allocator, VkSampler *out)
{
	VkSampler s = OBJECT_NEW(d, allocator, VkSampler);
	if (!s)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	s->bits = sampler_bits(info);
	*out = s;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroySampler(VkDevice d, VkSampler s, const VkAllocationCallbacks *allocator) { object_free(&d->allocator, allocator, s); }
