/* Formats of images: which there are, what can be done with them, and the bytes of a colour. */
#include "runtime/vulkan/objects.h"
#include <CL/cl.h>
#include <math.h>
#include <string.h>

static const struct format formats[] = {
#define FORMAT(name, numeric, bits, channels, bgra) {VK_FORMAT_##name, numeric, bits, channels, bgra},
#include "runtime/vulkan/formats.def"
#undef FORMAT
};

const struct format *format_find(VkFormat format)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (formats[i].format == format)
			return &formats[i];
	return NULL;
}

void format_names(const struct format *f, uint32_t *order, uint32_t *type)
{
	static const uint32_t orders[5] = {0, CL_R, CL_RG, 0, CL_RGBA};
	static const uint32_t types[][3] = { /* of 8, 16, 32 bits */
		[UNORM] = {CL_UNORM_INT8, CL_UNORM_INT16, 0}, [SNORM] = {CL_SNORM_INT8, CL_SNORM_INT16, 0},
		[UINT] = {CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32}, [SINT] = {CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32},
		[SFLOAT] = {0, CL_HALF_FLOAT, CL_FLOAT}, [SRGB] = {CL_UNORM_INT8, 0, 0},
	};
	*order = f->numeric == SRGB ? (f->bgra ? CL_sBGRA : CL_sRGBA) : f->bgra ? CL_BGRA : orders[f->channels];
	*type = types[f->numeric][f->bits / 16];
}

/* ---- colours ---- */
/* To the nearest, ties to even; NaN is 0. */
static int64_t normalised(float x, float least, int64_t most)
{
	if (!(x > least))
		x = x == x ? least : 0;
	return x >= 1 ? most : (int64_t)nearbyint((double)x * (double)most);
}

/* Linear light as sRGB has it. */
static float srgb(float x) { return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f; }

static uint32_t channel(const struct format *f, const VkClearColorValue *colour, unsigned i)
{
	enum { ALPHA = 3 };
	uint32_t bits = colour->uint32[i];
	if (f->numeric == SRGB && i != ALPHA)
		return (uint32_t)normalised(srgb(colour->float32[i]), 0, 255);
	if (f->numeric == UNORM || f->numeric == SRGB)
		return (uint32_t)normalised(colour->float32[i], 0, (INT64_C(1) << f->bits) - 1);
	if (f->numeric == SNORM)
		return (uint32_t)normalised(colour->float32[i], -1, (INT64_C(1) << (f->bits - 1)) - 1);
	if (f->numeric == SFLOAT && f->bits == 16) {
		const _Float16 half = (_Float16)colour->float32[i];
		uint16_t low;
		memcpy(&low, &half, sizeof low);
		return low;
	}
	return bits; /* what does not fit is undefined */
}

unsigned format_texel(const struct format *f, const VkClearColorValue *colour, uint8_t out[16])
{
	for (unsigned i = 0; i < f->channels; i++) {
		const uint32_t bits = channel(f, colour, f->bgra && i < 3 ? 2 - i : i);
		memcpy(out + i * f->bits / 8, &bits, f->bits / 8); /* little endian */
	}
	return format_bytes(f);
}

/* ---- queries ---- */
enum { FEATURES = VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT |
		  VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT };
enum { BUFFER_FEATURES = VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT };
enum { USAGES = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT };
enum { CREATE_FLAGS = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_ALIAS_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT };

void VKAPI_CALL galena_vkGetPhysicalDeviceFormatProperties(VkPhysicalDevice p, VkFormat format, VkFormatProperties *out)
{
	(void)p;
	const struct format *f = format_find(format);
	const bool stores = f && f->numeric != SRGB;
	VkFormatFeatureFlags features = stores ? FEATURES : f ? FEATURES & ~VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT : 0, of_buffers = stores ? BUFFER_FEATURES : 0;
	if (f && f->numeric != UINT && f->numeric != SINT)
		features |= VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
	if (format == VK_FORMAT_R32_UINT || format == VK_FORMAT_R32_SINT) {
		features |= VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT;
		of_buffers |= VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT;
	}
	*out = (VkFormatProperties){.linearTilingFeatures = features, .optimalTilingFeatures = features, .bufferFeatures = of_buffers};
}

void VKAPI_CALL galena_vkGetPhysicalDeviceFormatProperties2(VkPhysicalDevice p, VkFormat format, VkFormatProperties2 *out)
{
	galena_vkGetPhysicalDeviceFormatProperties(p, format, &out->formatProperties);
	VkFormatProperties3 *three = (void *)(uintptr_t)chain_find(out->pNext, VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3);
	if (three) {
		const bool stores = out->formatProperties.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
		const VkFormatFeatureFlags2 bare = stores ? VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT | VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT : 0;
		three->linearTilingFeatures = out->formatProperties.linearTilingFeatures | bare;
		three->optimalTilingFeatures = out->formatProperties.optimalTilingFeatures | bare;
		three->bufferFeatures = out->formatProperties.bufferFeatures | bare;
	}
}

static unsigned levels_of(const VkExtent3D *e)
{
	uint32_t longest = e->width > e->height ? e->width : e->height;
	unsigned n = 1;
	longest = e->depth > longest ? e->depth : longest;
	while (longest >>= 1)
		n++;
	return n;
}

VkResult VKAPI_CALL galena_vkGetPhysicalDeviceImageFormatProperties(VkPhysicalDevice p, VkFormat format, VkImageType type, VkImageTiling tiling,
								    VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties *out)
{
	static const VkExtent3D most[] = {
		[VK_IMAGE_TYPE_1D] = {IMAGE_2D_MAX, 1, 1},
		[VK_IMAGE_TYPE_2D] = {IMAGE_2D_MAX, IMAGE_2D_MAX, 1},
		[VK_IMAGE_TYPE_3D] = {IMAGE_3D_MAX, IMAGE_3D_MAX, IMAGE_3D_MAX},
	};
	const struct format *f = format_find(format);
	(void)p;
	*out = (VkImageFormatProperties){.maxMipLevels = 0};
	if (!f || type > VK_IMAGE_TYPE_3D || tiling > VK_IMAGE_TILING_LINEAR || usage & ~(VkImageUsageFlags)USAGES || flags & ~(VkImageCreateFlags)CREATE_FLAGS)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	/* views of another format may store */
	if (f->numeric == SRGB && usage & VK_IMAGE_USAGE_STORAGE_BIT && !(flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT))
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	*out = (VkImageFormatProperties){.maxExtent = most[type], .maxMipLevels = levels_of(&most[type]),
					 .maxArrayLayers = type == VK_IMAGE_TYPE_3D ? 1 : IMAGE_LAYERS_MAX, .sampleCounts = VK_SAMPLE_COUNT_1_BIT,
					 .maxResourceSize = (VkDeviceSize)1 << 31};
	return VK_SUCCESS;
}

VkResult VKAPI_CALL galena_vkGetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice p, const VkPhysicalDeviceImageFormatInfo2 *info,
								     VkImageFormatProperties2 *out)
{
	const VkPhysicalDeviceExternalImageFormatInfo *external = chain_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO);
	VkExternalImageFormatProperties *answer = (void *)(uintptr_t)chain_find(out->pNext, VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES);
	TRY(galena_vkGetPhysicalDeviceImageFormatProperties(p, info->format, info->type, info->tiling, info->usage, info->flags, &out->imageFormatProperties));
	if (!external || !external->handleType)
		return VK_SUCCESS;
	const VkExternalMemoryProperties properties = memory_external_properties(external->handleType);
	if (!properties.externalMemoryFeatures)
		return VK_ERROR_FORMAT_NOT_SUPPORTED;
	if (answer)
		answer->externalMemoryProperties = properties;
	return VK_SUCCESS;
}

/* There are no sparse images. */
void VKAPI_CALL galena_vkGetPhysicalDeviceSparseImageFormatProperties(VkPhysicalDevice p, VkFormat format, VkImageType type, VkSampleCountFlagBits samples,
								      VkImageUsageFlags usage, VkImageTiling tiling, uint32_t *count,
								      VkSparseImageFormatProperties *out)
{
	(void)p, (void)format, (void)type, (void)samples, (void)usage, (void)tiling, (void)out;
	*count = 0;
}

void VKAPI_CALL galena_vkGetPhysicalDeviceSparseImageFormatProperties2(VkPhysicalDevice p, const VkPhysicalDeviceSparseImageFormatInfo2 *info, uint32_t *count,
								       VkSparseImageFormatProperties2 *out)
{
	(void)p, (void)info, (void)out;
	*count = 0;
}
