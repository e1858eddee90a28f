/* Images: where their texels are. Both tilings are the same: texels lie one after the other, so do rows, slices, levels and layers. So another
 * API finds an image of one level where it expects it, with rows that are packed. */
#include "runtime/vulkan/objects.h"

enum { ALIGNMENT = 256 };

static uint32_t halved(uint32_t size, unsigned level) { return size >> level ? size >> level : 1; }

VkExtent3D image_extent(VkImage m, unsigned level)
{
	return (VkExtent3D){halved(m->extent.width, level), halved(m->extent.height, level), halved(m->extent.depth, level)};
}

static VkDeviceSize level_bytes(VkImage m, unsigned level)
{
	const VkExtent3D e = image_extent(m, level);
	return (VkDeviceSize)e.width * e.height * e.depth * format_bytes(m->format);
}

VkSubresourceLayout image_layout(VkImage m, unsigned level, unsigned layer)
{
	const VkExtent3D e = image_extent(m, level);
	const VkDeviceSize row = (VkDeviceSize)e.width * format_bytes(m->format);
	VkDeviceSize offset = layer * m->layer_bytes;
	for (unsigned i = 0; i < level; i++)
		offset += level_bytes(m, i);
	return (VkSubresourceLayout){.offset = offset, .size = level_bytes(m, level), .rowPitch = row, .arrayPitch = m->layer_bytes, .depthPitch = row * e.height};
}

struct box image_box(VkImage m, unsigned level, unsigned layer, VkOffset3D at)
{
	const VkSubresourceLayout l = image_layout(m, level, layer);
	return (struct box){m->address + l.offset + (uint64_t)at.z * l.depthPitch + (uint64_t)at.y * l.rowPitch + (uint64_t)at.x * format_bytes(m->format),
			    l.rowPitch, m->type == VK_IMAGE_TYPE_3D ? l.depthPitch : l.arrayPitch};
}

unsigned image_layers(VkImage m, const VkImageSubresourceLayers *s)
{
	return s->layerCount == VK_REMAINING_ARRAY_LAYERS ? m->layers - s->baseArrayLayer : s->layerCount;
}

void image_describe(VkImage m, const struct format *format, unsigned level, unsigned layer, unsigned layers, struct image_desc *out)
{
	const VkExtent3D e = image_extent(m, level);
	const VkSubresourceLayout l = image_layout(m, level, layer);
	*out = (struct image_desc){.base = m->address + l.offset, .width = e.width, .height = e.height, .depth = e.depth, .array_size = layers, .row_pitch = l.rowPitch,
				   .slice_pitch = m->type == VK_IMAGE_TYPE_3D ? l.depthPitch : l.arrayPitch, .element_size = format_bytes(format),
				   .channels = format->channels};
	format_names(format, &out->channel_order, &out->channel_type);
}

void image_init(VkImage m, const VkImageCreateInfo *info)
{
	const VkExternalMemoryImageCreateInfo *external = chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
	*m = (struct VkImage_T){.format = format_find(info->format), .type = info->imageType, .extent = info->extent, .levels = info->mipLevels,
				.layers = info->arrayLayers, .handles = external ? external->handleTypes : 0};
	for (unsigned i = 0; i < m->levels; i++)
		m->layer_bytes += level_bytes(m, i);
}

VkResult VKAPI_CALL galena_vkCreateImage(VkDevice d, const VkImageCreateInfo *info, const VkAllocationCallbacks *allocator, VkImage *out)
{
	FAIL_IF(!format_find(info->format), VK_ERROR_FORMAT_NOT_SUPPORTED, "there are no images of format %d", info->format);
	VkImage m = OBJECT_NEW(d, allocator, VkImage);
	if (!m)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	image_init(m, info);
	*out = m;
	return VK_SUCCESS;
}

void VKAPI_CALL galena_vkDestroyImage(VkDevice d, VkImage m, const VkAllocationCallbacks *allocator) { object_free(&d->allocator, allocator, m); }

void VKAPI_CALL galena_vkGetImageSubresourceLayout(VkDevice d, VkImage m, const VkImageSubresource *which, VkSubresourceLayout *out)
{
	(void)d;
	*out = image_layout(m, which->mipLevel, which->arrayLayer);
}

/* ---- memory ---- */
static void requirements(VkImage m, VkMemoryRequirements2 *out) { memory_requirements(out, m->layers * m->layer_bytes, ALIGNMENT, m->handles); }

void VKAPI_CALL galena_vkGetImageMemoryRequirements2(VkDevice d, const VkImageMemoryRequirementsInfo2 *info, VkMemoryRequirements2 *out)
{
	(void)d;
	requirements(info->image, out);
}

void VKAPI_CALL galena_vkGetImageMemoryRequirements(VkDevice d, VkImage m, VkMemoryRequirements *out)
{
	VkMemoryRequirements2 all = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
	(void)d;
	requirements(m, &all);
	*out = all.memoryRequirements;
}

void VKAPI_CALL galena_vkGetDeviceImageMemoryRequirements(VkDevice d, const VkDeviceImageMemoryRequirements *info, VkMemoryRequirements2 *out)
{
	struct VkImage_T m;
	(void)d;
	image_init(&m, info->pCreateInfo);
	requirements(&m, out);
}

VkResult VKAPI_CALL galena_vkBindImageMemory(VkDevice d, VkImage m, VkDeviceMemory memory, VkDeviceSize offset)
{
	(void)d;
	m->address = memory->address + offset;
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkBindImageMemory2(VkDevice d, uint32_t count, const VkBindImageMemoryInfo *infos)
{
	for (uint32_t i = 0; i < count; i++)
		galena_vkBindImageMemory(d, infos[i].image, infos[i].memory, infos[i].memoryOffset);
	return VK_SUCCESS;
}

/* ---- there are no sparse images ---- */
void VKAPI_CALL galena_vkGetImageSparseMemoryRequirements(VkDevice d, VkImage m, uint32_t *count, VkSparseImageMemoryRequirements *out)
{
	(void)d, (void)m, (void)out;
	*count = 0;
}

void VKAPI_CALL galena_vkGetImageSparseMemoryRequirements2(VkDevice d, const VkImageSparseMemoryRequirementsInfo2 *info, uint32_t *count,
							   VkSparseImageMemoryRequirements2 *out)
{
	(void)d, (void)info, (void)out;
	*count = 0;
}

void VKAPI_CALL galena_vkGetDeviceImageSparseMemoryRequirements(VkDevice d, const VkDeviceImageMemoryRequirements *info, uint32_t *count,
								VkSparseImageMemoryRequirements2 *out)
{
	(void)d, (void)info, (void)out;
	*count = 0;
}
