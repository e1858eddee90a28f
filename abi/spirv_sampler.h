/* What shaders read of Vulkan's samplers and of views of images, beside struct image_desc. Numbers of modes, colours and swizzles are Vulkan's. The
 * kernel library includes this file, too: it has constants alone. */
#ifndef GALENA_ABI_SPIRV_SAMPLER_H
#define GALENA_ABI_SPIRV_SAMPLER_H

/* The 64 bits of a sampler. */
enum spirv_sampler {
	SPIRV_SAMPLER_NORMALIZED = 1,
	SPIRV_SAMPLER_MODE_SHIFT = 1,     /* of each of three dimensions, 3 bits: VkSamplerAddressMode */
	SPIRV_SAMPLER_MODE_BITS = 3,
	SPIRV_SAMPLER_MAG_LINEAR = 1 << 10,
	SPIRV_SAMPLER_MIN_LINEAR = 1 << 11,
	SPIRV_SAMPLER_MIP_LINEAR = 1 << 12,
	SPIRV_SAMPLER_BORDER_SHIFT = 13,  /* 3 bits: VkBorderColor */
	/* 16 bits each: levels in units of 1 / SPIRV_SAMPLER_LEVEL; the bias has a sign */
	SPIRV_SAMPLER_BIAS_SHIFT = 16,
	SPIRV_SAMPLER_LEAST_SHIFT = 32,
	SPIRV_SAMPLER_MOST_SHIFT = 48,
	SPIRV_SAMPLER_LEVEL = 4096,
};
/* The swizzle of a view: 3 bits a component, VkComponentSwizzle. 0: each is itself. */
enum { SPIRV_SWIZZLE_BITS = 3 };

#endif
