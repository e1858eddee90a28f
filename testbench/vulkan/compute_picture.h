/* Images with their bytes on the host, and what the specification says of samples of them. */
#ifndef GALENA_TESTBENCH_COMPUTE_PICTURE_H
#define GALENA_TESTBENCH_COMPUTE_PICTURE_H
#include "testbench/vulkan/compute_run.h"

/* Levels, and in each the layers or slices, without gaps. */
struct picture {
	struct vk_image image;
	VkImageView view; /* of all of it */
	struct vk_buffer bytes;
	uint32_t texel;   /* bytes */
};
struct picture picture(VkImageType, VkImageViewType, VkFormat, uint32_t texel, VkExtent3D, uint32_t layers, uint32_t levels, VkImageUsageFlags);
void picture_free(struct picture *);
/* From the bytes to the image, in the layout GENERAL from then on; and back. */
void picture_upload(struct picture *);
void picture_download(struct picture *);
VkExtent3D picture_extent(const struct picture *, uint32_t level);
VkDeviceSize picture_offset(const struct picture *, uint32_t level);

/* Of four channels of 8 bits: one of a texel, of the border where an index is below 0. */
double picture_texel(const struct picture *, VkBorderColor, uint32_t level, const int at[3], unsigned channel);
/* Dimensions beyond 2 are a layer. offset: texels, for each dimension. */
double picture_sample(const struct picture *, const VkSamplerCreateInfo *, unsigned dimensions, const double *where, double lod, const int offset[3], unsigned channel);

#endif
