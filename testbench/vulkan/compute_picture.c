#include "testbench/vulkan/compute_picture.h"
#include <math.h>

VkExtent3D picture_extent(const struct picture *p, uint32_t level)
{
	const VkExtent3D e = p->image.info.extent;
	return (VkExtent3D){e.width >> level ? e.width >> level : 1, e.height >> level ? e.height >> level : 1, e.depth >> level ? e.depth >> level : 1};
}

VkDeviceSize picture_offset(const struct picture *p, uint32_t level)
{
	VkDeviceSize offset = 0;
	for (uint32_t l = 0; l < level; l++) {
		const VkExtent3D e = picture_extent(p, l);
		offset += (VkDeviceSize)e.width * e.height * e.depth * p->image.info.arrayLayers * p->texel;
	}
	return offset;
}

struct picture picture(VkImageType type, VkImageViewType view, VkFormat format, uint32_t texel, VkExtent3D extent, uint32_t layers, uint32_t levels, VkImageUsageFlags usage)
{
	struct picture p = {.texel = texel, .image.info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, .imageType = type, .format = format, .extent = extent, .mipLevels = levels,
							   .arrayLayers = layers, .samples = VK_SAMPLE_COUNT_1_BIT, .tiling = VK_IMAGE_TILING_OPTIMAL,
							   .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT}};
	VkMemoryRequirements needs;
	VK_OK(vkCreateImage(vk.device, &p.image.info, NULL, &p.image.image));
	vkGetImageMemoryRequirements(vk.device, p.image.image, &needs);
	p.image.memory = vk_memory(needs.size, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, NULL);
	VK_OK(vkBindImageMemory(vk.device, p.image.image, p.image.memory, 0));
	const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = p.image.image, .viewType = view, .format = format,
					    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, levels, 0, layers}};
	VK_OK(vkCreateImageView(vk.device, &info, NULL, &p.view));
	p.bytes = compute_buffer_set(picture_offset(&p, levels), 0);
	return p;
}

void picture_free(struct picture *p)
{
	vkDestroyImageView(vk.device, p->view, NULL);
	vk_image_free(&p->image);
	vk_buffer_free(&p->bytes);
}

/* Between the image and its bytes. */
static void move(VkCommandBuffer c, const struct picture *p, bool in)
{
	for (uint32_t l = 0; l < p->image.info.mipLevels; l++) {
		const VkBufferImageCopy copy = {.bufferOffset = picture_offset(p, l), .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, l, 0, p->image.info.arrayLayers}, .imageExtent = picture_extent(p, l)};
		if (in)
			vkCmdCopyBufferToImage(c, p->bytes.buffer, p->image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
		else
			vkCmdCopyImageToBuffer(c, p->image.image, VK_IMAGE_LAYOUT_GENERAL, p->bytes.buffer, 1, &copy);
	}
}

void picture_upload(struct picture *p)
{
	VkCommandBuffer c = vk_begin();
	vk_layout(c, p->image.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
	move(c, p, true);
	vk_barrier(c);
	vk_run(vk.queue, c);
}

void picture_download(struct picture *p)
{
	VkCommandBuffer c = vk_begin();
	move(c, p, false);
	vk_barrier(c);
	vk_run(vk.queue, c);
}

/* ---- samplers ---- */
/* An index of a texel, by an address mode; -1: the border. */
static int wrapped(int i, int n, VkSamplerAddressMode mode)
{
	const int k = ((i % n) + n) % n, m = ((i % (2 * n)) + 2 * n) % (2 * n);
	switch (mode) {
	case VK_SAMPLER_ADDRESS_MODE_REPEAT: return k;
	case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT: return m < n ? m : 2 * n - 1 - m;
	case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE: return i < 0 ? 0 : i < n ? i : n - 1;
	case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE: return i >= n || i < -n ? n - 1 : i < 0 ? -1 - i : i;
	default: return i < 0 || i >= n ? -1 : i;
	}
}

/* Of a border of a float format. */
static double border_of(VkBorderColor colour, unsigned channel) { return colour == VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE || (colour == VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK && channel == 3); }

double picture_texel(const struct picture *p, VkBorderColor border, uint32_t level, const int at[3], unsigned channel)
{
	const VkExtent3D e = picture_extent(p, level);
	if (at[0] < 0 || at[1] < 0 || at[2] < 0)
		return border_of(border, channel);
	return p->bytes.host[picture_offset(p, level) + (((size_t)at[2] * e.height + (size_t)at[1]) * e.width + (size_t)at[0]) * 4 + channel] / 255.0;
}

/* At one level; dimensions beyond 2 are a layer. */
static double sample_level(const struct picture *p, const VkSamplerCreateInfo *s, VkFilter filter, unsigned dimensions, const double *where, uint32_t level,
			   const int offset[3], unsigned channel)
{
	const VkExtent3D e = picture_extent(p, level);
	const int n[3] = {(int)e.width, (int)e.height, (int)e.depth};
	int first[3] = {0, 0, dimensions == 2 ? (int)where[2] : 0};
	double part[3] = {0}, sum = 0;
	for (unsigned k = 0; k < dimensions; k++) {
		const double u = where[k] * (s->unnormalizedCoordinates ? 1 : n[k]) - (filter == VK_FILTER_LINEAR ? 0.5 : 0);
		first[k] = (int)floor(u) + offset[k], part[k] = filter == VK_FILTER_LINEAR ? u - floor(u) : 0;
	}
	for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
		double weight = 1;
		const VkSamplerAddressMode modes[3] = {s->addressModeU, s->addressModeV, s->addressModeW};
		int at[3] = {0, 0, first[2]};
		for (unsigned k = 0; k < dimensions; k++) {
			weight *= corner >> k & 1 ? part[k] : 1 - part[k];
			at[k] = wrapped(first[k] + (int)(corner >> k & 1), n[k], modes[k]);
		}
		if (weight > 0)
			sum += weight * picture_texel(p, s->borderColor, level, at, channel);
	}
	return sum;
}

double picture_sample(const struct picture *p, const VkSamplerCreateInfo *s, unsigned dimensions, const double *where, double lod, const int offset[3], unsigned channel)
{
	const uint32_t last = p->image.info.mipLevels - 1;
	lod = fmin(fmax(lod + (double)s->mipLodBias, (double)s->minLod), (double)s->maxLod);
	const VkFilter filter = lod <= 0 ? s->magFilter : s->minFilter;
	lod = lod < 0 ? 0 : lod > last ? last : lod;
	if (s->mipmapMode == VK_SAMPLER_MIPMAP_MODE_NEAREST)
		return sample_level(p, s, filter, dimensions, where, (uint32_t)ceil(lod + 0.5) - 1, offset, channel);
	const uint32_t low = (uint32_t)floor(lod), high = low < last ? low + 1 : last;
	const double part = lod - low;
	return (1 - part) * sample_level(p, s, filter, dimensions, where, low, offset, channel) + part * sample_level(p, s, filter, dimensions, where, high, offset, channel);
}

