/* Commands that copy and fill, as packets of the device's copy engines. */
#include "runtime/vulkan/objects.h"
#include <string.h>

static void copy(VkCommandBuffer c, struct box src, struct box dst, size_t width, size_t height, size_t depth)
{
	box_copy_packets(src, dst, (const size_t[3]){width, height, depth}, command_packet, c);
}

/* ---- buffers ---- */
static void copy_buffer(VkCommandBuffer c, VkBuffer src, VkBuffer dst, VkDeviceSize from, VkDeviceSize to, VkDeviceSize size)
{
	copy(c, (struct box){.address = src->address + from}, (struct box){.address = dst->address + to}, size, 1, 1);
}

void VKAPI_CALL galena_vkCmdCopyBuffer(VkCommandBuffer c, VkBuffer src, VkBuffer dst, uint32_t count, const VkBufferCopy *regions)
{
	for (uint32_t i = 0; i < count; i++)
		copy_buffer(c, src, dst, regions[i].srcOffset, regions[i].dstOffset, regions[i].size);
}

void VKAPI_CALL galena_vkCmdCopyBuffer2(VkCommandBuffer c, const VkCopyBufferInfo2 *info)
{
	for (uint32_t i = 0; i < info->regionCount; i++) {
		const VkBufferCopy2 *r = &info->pRegions[i];
		copy_buffer(c, info->srcBuffer, info->dstBuffer, r->srcOffset, r->dstOffset, r->size);
	}
}

void VKAPI_CALL galena_vkCmdUpdateBuffer(VkCommandBuffer c, VkBuffer dst, VkDeviceSize offset, VkDeviceSize size, const void *data)
{
	uint64_t address;
	void *place = command_data(c, size, &address);
	if (!place)
		return;
	memcpy(place, data, size);
	copy(c, (struct box){.address = address}, (struct box){.address = dst->address + offset}, size, 1, 1);
}

static void fill(VkCommandBuffer c, const void *pattern, unsigned size, struct box dst, const size_t region[3])
{
	uint64_t address;
	void *place = command_data(c, size, &address);
	if (!place)
		return;
	memcpy(place, pattern, size);
	box_fill_packet(address, size, dst, region, command_packet, c);
}

void VKAPI_CALL galena_vkCmdFillBuffer(VkCommandBuffer c, VkBuffer dst, VkDeviceSize offset, VkDeviceSize size, uint32_t data)
{
	/* the rest of the buffer, in whole words */
	const VkDeviceSize bytes = size == VK_WHOLE_SIZE ? (dst->size - offset) & ~(VkDeviceSize)3 : size;
	fill(c, &data, sizeof data, (struct box){.address = dst->address + offset}, (const size_t[3]){bytes, 1, 1});
}

/* ---- images ---- */
/* Slices of a region: of an image that is 3D, or else its layers. */
static uint32_t slices(VkImage m, const VkImageSubresourceLayers *s, const VkExtent3D *extent)
{
	return m->type == VK_IMAGE_TYPE_3D ? extent->depth : image_layers(m, s);
}

static struct box place(VkImage m, const VkImageSubresourceLayers *s, VkOffset3D offset) { return image_box(m, s->mipLevel, s->baseArrayLayer, offset); }

static void copy_image(VkCommandBuffer c, VkImage src, VkImage dst, const VkImageSubresourceLayers *from, VkOffset3D from_offset,
		       const VkImageSubresourceLayers *to, VkOffset3D to_offset, VkExtent3D extent)
{
	/* slices of one may be layers of the other */
	const uint32_t n = src->type == VK_IMAGE_TYPE_3D ? slices(src, from, &extent) : slices(dst, to, &extent);
	copy(c, place(src, from, from_offset), place(dst, to, to_offset), (size_t)extent.width * format_bytes(src->format), extent.height, n);
}

void VKAPI_CALL galena_vkCmdCopyImage(VkCommandBuffer c, VkImage src, VkImageLayout src_layout, VkImage dst, VkImageLayout dst_layout, uint32_t count,
				      const VkImageCopy *regions)
{
	(void)src_layout, (void)dst_layout;
	for (uint32_t i = 0; i < count; i++) {
		const VkImageCopy *r = &regions[i];
		copy_image(c, src, dst, &r->srcSubresource, r->srcOffset, &r->dstSubresource, r->dstOffset, r->extent);
	}
}

void VKAPI_CALL galena_vkCmdCopyImage2(VkCommandBuffer c, const VkCopyImageInfo2 *info)
{
	for (uint32_t i = 0; i < info->regionCount; i++) {
		const VkImageCopy2 *r = &info->pRegions[i];
		copy_image(c, info->srcImage, info->dstImage, &r->srcSubresource, r->srcOffset, &r->dstSubresource, r->dstOffset, r->extent);
	}
}

/* What a region of a copy between a buffer and an image says of both. */
struct sides {
	struct box buffer, image;
	size_t width, height, depth;
};

static struct sides sides(VkBuffer b, VkImage m, const VkBufferImageCopy *r)
{
	const size_t texel = format_bytes(m->format), row = texel * (r->bufferRowLength ? r->bufferRowLength : r->imageExtent.width);
	return (struct sides){.buffer = {b->address + r->bufferOffset, row, row * (r->bufferImageHeight ? r->bufferImageHeight : r->imageExtent.height)},
			      .image = place(m, &r->imageSubresource, r->imageOffset),
			      .width = texel * r->imageExtent.width,
			      .height = r->imageExtent.height,
			      .depth = slices(m, &r->imageSubresource, &r->imageExtent)};
}

static VkBufferImageCopy without_chain(const VkBufferImageCopy2 *r)
{
	return (VkBufferImageCopy){r->bufferOffset, r->bufferRowLength, r->bufferImageHeight, r->imageSubresource, r->imageOffset, r->imageExtent};
}

void VKAPI_CALL galena_vkCmdCopyBufferToImage(VkCommandBuffer c, VkBuffer src, VkImage dst, VkImageLayout layout, uint32_t count, const VkBufferImageCopy *regions)
{
	(void)layout;
	for (uint32_t i = 0; i < count; i++) {
		const struct sides s = sides(src, dst, &regions[i]);
		copy(c, s.buffer, s.image, s.width, s.height, s.depth);
	}
}

void VKAPI_CALL galena_vkCmdCopyBufferToImage2(VkCommandBuffer c, const VkCopyBufferToImageInfo2 *info)
{
	for (uint32_t i = 0; i < info->regionCount; i++) {
		const VkBufferImageCopy r = without_chain(&info->pRegions[i]);
		galena_vkCmdCopyBufferToImage(c, info->srcBuffer, info->dstImage, info->dstImageLayout, 1, &r);
	}
}

void VKAPI_CALL galena_vkCmdCopyImageToBuffer(VkCommandBuffer c, VkImage src, VkImageLayout layout, VkBuffer dst, uint32_t count, const VkBufferImageCopy *regions)
{
	(void)layout;
	for (uint32_t i = 0; i < count; i++) {
		const struct sides s = sides(dst, src, &regions[i]);
		copy(c, s.image, s.buffer, s.width, s.height, s.depth);
	}
}

void VKAPI_CALL galena_vkCmdCopyImageToBuffer2(VkCommandBuffer c, const VkCopyImageToBufferInfo2 *info)
{
	for (uint32_t i = 0; i < info->regionCount; i++) {
		const VkBufferImageCopy r = without_chain(&info->pRegions[i]);
		galena_vkCmdCopyImageToBuffer(c, info->srcImage, info->srcImageLayout, info->dstBuffer, 1, &r);
	}
}

void VKAPI_CALL galena_vkCmdClearColorImage(VkCommandBuffer c, VkImage m, VkImageLayout layout, const VkClearColorValue *colour, uint32_t count,
					    const VkImageSubresourceRange *ranges)
{
	uint8_t texel[16];
	const unsigned size = format_texel(m->format, colour, texel);
	(void)layout;
	for (uint32_t i = 0; i < count; i++) {
		const VkImageSubresourceRange *r = &ranges[i];
		const unsigned layers = r->layerCount == VK_REMAINING_ARRAY_LAYERS ? m->layers - r->baseArrayLayer : r->layerCount;
		const unsigned levels = r->levelCount == VK_REMAINING_MIP_LEVELS ? m->levels - r->baseMipLevel : r->levelCount;
		for (unsigned k = r->baseMipLevel; k < r->baseMipLevel + levels; k++) {
			const VkExtent3D e = image_extent(m, k);
			fill(c, texel, size, image_box(m, k, r->baseArrayLayer, (VkOffset3D){0, 0, 0}),
			     (const size_t[3]){(size_t)e.width * size, e.height, m->type == VK_IMAGE_TYPE_3D ? e.depth : layers});
		}
	}
}
