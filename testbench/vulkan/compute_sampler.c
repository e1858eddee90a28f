/* What samplers, views and texel buffers have beside plain samples of whole images. */
#include "testbench/vulkan/compute_picture.h"
#include "vulkan/any_index.h"
#include "vulkan/sampled_more.h"
#include "vulkan/sampled_plain.h"
#include "vulkan/texel_buffers.h"
#include <math.h>

enum { COUNT = 64, W = 16, H = 8, LEVELS = 3 };

static struct picture noise(VkImageType type, VkImageViewType view, VkFormat format, uint32_t texel, VkExtent3D extent, uint32_t layers, uint32_t levels)
{
	struct picture p = picture(type, view, format, texel, extent, layers, levels, VK_IMAGE_USAGE_SAMPLED_BIT);
	for (VkDeviceSize k = 0; k < p.bytes.size; k++)
		p.bytes.host[k] = (uint8_t)splitmix64(&compute_seed);
	picture_upload(&p);
	return p;
}

static VkSamplerCreateInfo sampler_info(VkFilter mag, VkFilter min, VkSamplerMipmapMode mipmaps, VkSamplerAddressMode u, VkSamplerAddressMode v)
{
	return (VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = mag, .minFilter = min, .mipmapMode = mipmaps, .addressModeU = u,
				     .addressModeV = v, .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, .maxLod = VK_LOD_CLAMP_NONE,
				     .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE};
}

/* What a component of a view is of the image's texel: a channel; -1: zero, -2: one. */
static int channel_of(VkComponentSwizzle swizzle, int own)
{
	return swizzle == VK_COMPONENT_SWIZZLE_IDENTITY ? own : swizzle == VK_COMPONENT_SWIZZLE_ZERO ? -1 : swizzle == VK_COMPONENT_SWIZZLE_ONE ? -2 :
									(int)swizzle - (int)VK_COMPONENT_SWIZZLE_R;
}

static double expected(const struct picture *p, const VkSamplerCreateInfo *s, const float *at, double lod, const int offset[3], int channel)
{
	const double where[3] = {(double)at[0], (double)at[1], 0};
	return channel < 0 ? channel == -2 : picture_sample(p, s, 2, where, lod, offset, (unsigned)channel);
}

/* One of the four texels that a linear filter takes: where a nearest one finds it, half a texel further. */
static double gathered(const struct picture *p, const VkSamplerCreateInfo *s, const float *at, int x, int y, int channel)
{
	VkSamplerCreateInfo nearest = *s;
	nearest.magFilter = nearest.minFilter = VK_FILTER_NEAREST;
	nearest.mipLodBias = nearest.minLod = nearest.maxLod = 0;
	const float half[2] = {at[0] - 0.5f / W, at[1] - 0.5f / H};
	return expected(p, &nearest, half, 0, (const int[3]){x, y, 0}, channel);
}

static void expect_more(const struct picture *p, const VkSamplerCreateInfo *s, const VkComponentMapping *m)
{
	static const int none[3] = {0, 0, 0}, moved[3] = {1, -2, 0}, corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
	const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = p->image.image, .viewType = VK_IMAGE_VIEW_TYPE_2D,
					    .format = VK_FORMAT_R8G8B8A8_UNORM, .components = *m, .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, LEVELS, 0, 1}};
	const int channels[4] = {channel_of(m->r, 0), channel_of(m->g, 1), channel_of(m->b, 2), channel_of(m->a, 3)};
	const double tolerance = 3.0 / 256;
	float at[COUNT][4];
	VkSampler sampler;
	VkImageView view;
	VK_OK(vkCreateImageView(vk.device, &info, NULL, &view));
	VK_OK(vkCreateSampler(vk.device, s, NULL, &sampler));
	for (unsigned i = 0; i < COUNT; i++) { /* off the places where nearest texels change, also by half a texel */
		at[i][0] = ((float)below(4 * W) + 0.25f) / W - 1.5f;
		at[i][1] = ((float)below(4 * H) + 0.25f) / H - 1.5f;
		at[i][2] = (float)below(4 * LEVELS) / 4 + 0.1f;
		at[i][3] = exp2f((float)below(3) + 0.2f) / W;
	}
	struct vk_buffer in = compute_buffer_of(at, sizeof at), out = compute_buffer_set(COUNT * 96, 0);
	struct program program = PROGRAM(sampled_more, "tss", 0);
	program_image(&program, 0, view, sampler, VK_IMAGE_LAYOUT_GENERAL);
	program_buffer(&program, 1, &in);
	program_buffer(&program, 2, &out);
	program_run(&program, COUNT / 16, 1, 1, NULL);
	for (unsigned i = 0; i < COUNT; i++) {
		const float *got = (const float *)out.host + (size_t)i * 24;
		const double lod = (double)at[i][2], by_step = log2((double)at[i][3] * W);
		for (unsigned k = 0; k < 4; k++) {
			close_float("textureLodOffset", i * 4 + k, got[k], expected(p, s, at[i], lod, moved, channels[k]), tolerance);
			close_float("textureGather", i * 4 + k, got[4 + k], gathered(p, s, at[i], corners[k][0], corners[k][1], channels[1]), 1e-6);
			close_float("textureGrad", i * 4 + k, got[8 + k], expected(p, s, at[i], by_step, none, channels[k]), tolerance);
			close_float("textureProjLod", i * 4 + k, got[12 + k], expected(p, s, at[i], lod, none, channels[k]), tolerance);
			close_float("textureGatherOffset", i * 4 + k, got[16 + k], gathered(p, s, at[i], corners[k][0] + (int)(i & 3), corners[k][1] - 1, channels[3]), 1e-6);
		}
		same_word("levels and size", i, (uint32_t)got[20] << 16 | (uint32_t)got[21] << 8 | (uint32_t)got[22], LEVELS << 16 | W / 2 << 8 | H / 2);
		close_float("texelFetchOffset", i, got[23], channels[0] < 0 ? channels[0] == -2 : picture_texel(p, 0, 0, (const int[3]){3, 1, 0}, (unsigned)channels[0]), 1e-6);
	}
	vkDestroySampler(vk.device, sampler, NULL);
	vkDestroyImageView(vk.device, view, NULL);
	program_free(&program);
	vk_buffer_free(&in);
	vk_buffer_free(&out);
}

/* Filters, modes, levels and swizzles that differ from each other. */
static void samplers_of_all_kinds(void **state)
{
	static const VkComponentMapping mappings[] = {
		{0, 0, 0, 0},
		{VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_G},
		{VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_IDENTITY},
	};
	(void)state;
	compute_skip_unless(compute_has.base.features.shaderImageGatherExtended, "shaderImageGatherExtended");
	struct picture p = noise(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 4, (VkExtent3D){W, H, 1}, 1, LEVELS);
	VkSamplerCreateInfo s[3] = {
		sampler_info(VK_FILTER_LINEAR, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER),
		sampler_info(VK_FILTER_NEAREST, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE,
			     VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT),
		sampler_info(VK_FILTER_NEAREST, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
			     VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE),
	};
	s[1].mipLodBias = -0.75f;
	s[2].mipLodBias = 0.5f, s[2].minLod = 0.25f, s[2].maxLod = 1.5f;
	if (!compute_has.v12.samplerMirrorClampToEdge)
		s[1].addressModeU = VK_SAMPLER_ADDRESS_MODE_REPEAT;
	for (unsigned i = 0; i < 3; i++)
		expect_more(&p, &s[i], &mappings[i]);
	picture_free(&p);
}

/* Coordinates that count texels; integers, whose border has none of them. */
static void samplers_of_texels_and_integers(void **state)
{
	enum { LENGTH = 24, LAYERS = 4 };
	static const int none[3] = {0, 0, 0};
	(void)state;
	struct picture flat = noise(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 4, (VkExtent3D){W, H, 1}, 1, 1);
	struct picture counts = noise(VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, VK_FORMAT_R16_UINT, 2, (VkExtent3D){LENGTH, 1, 1}, LAYERS, 1);
	VkSamplerCreateInfo texels = sampler_info(VK_FILTER_LINEAR, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
						  VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
	VkSamplerCreateInfo integers = sampler_info(VK_FILTER_NEAREST, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
						    VK_SAMPLER_ADDRESS_MODE_REPEAT);
	float at[COUNT][4];
	VkSampler samplers[2];
	texels.unnormalizedCoordinates = VK_TRUE;
	texels.maxLod = 0;
	integers.borderColor = VK_BORDER_COLOR_INT_OPAQUE_WHITE;
	VK_OK(vkCreateSampler(vk.device, &texels, NULL, &samplers[0]));
	VK_OK(vkCreateSampler(vk.device, &integers, NULL, &samplers[1]));
	for (unsigned i = 0; i < COUNT; i++) {
		at[i][0] = random_float(-3, W + 3), at[i][1] = random_float(-3, H + 3);
		at[i][2] = ((float)below(2 * LENGTH) + 0.5f) / LENGTH - 0.5f, at[i][3] = (float)below(LAYERS) + random_float(-0.4f, 0.4f);
	}
	struct vk_buffer in = compute_buffer_of(at, sizeof at), out = compute_buffer_set(COUNT * 32, 0);
	struct program program = PROGRAM(sampled_plain, "ttss", 0);
	program_image(&program, 0, flat.view, samplers[0], VK_IMAGE_LAYOUT_GENERAL);
	program_image(&program, 1, counts.view, samplers[1], VK_IMAGE_LAYOUT_GENERAL);
	program_buffer(&program, 2, &in);
	program_buffer(&program, 3, &out);
	program_run(&program, COUNT / 16, 1, 1, NULL);
	for (unsigned i = 0; i < COUNT; i++) {
		const float *got = (const float *)out.host + (size_t)i * 8;
		const int x = (int)floorf(at[i][2] * LENGTH), layer = (int)rintf(at[i][3]);
		const uint16_t *row = (const uint16_t *)counts.bytes.host + (size_t)(layer < 0 ? 0 : layer < LAYERS ? layer : LAYERS - 1) * LENGTH;
		for (unsigned k = 0; k < 4; k++)
			close_float("in texels", i * 4 + k, got[k], picture_sample(&flat, &texels, 2, (const double[]){(double)at[i][0], (double)at[i][1], 0}, 0, none, k), 3.0 / 256);
		same_word("integers", i, (uint32_t)got[4], x < 0 || x >= LENGTH ? 1 : row[x]);
		assert_true(got[5] == 0 && got[6] == 0 && got[7] == 1);
	}
	for (unsigned i = 0; i < 2; i++)
		vkDestroySampler(vk.device, samplers[i], NULL);
	program_free(&program);
	vk_buffer_free(&in);
	vk_buffer_free(&out);
	picture_free(&flat);
	picture_free(&counts);
}

static VkBufferView buffer_view(const struct vk_buffer *b, VkFormat format, VkDeviceSize offset, VkDeviceSize range)
{
	VkBufferView view;
	const VkBufferViewCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO, NULL, 0, b->buffer, format, offset, range};
	VK_OK(vkCreateBufferView(vk.device, &info, NULL, &view));
	return view;
}

static void buffers_of_texels(void **state)
{
	enum { TEXELS = 50, OFFSET = 64, COUNTS = 10 };
	static const int first[COUNTS] = {0, 0, 0, 0, 5, 6, 7, 8, 1, 120};
	(void)state;
	VkFormatProperties properties;
	vkGetPhysicalDeviceFormatProperties(vk.physical[0], VK_FORMAT_R32_SINT, &properties);
	compute_skip_unless(properties.bufferFeatures & VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT, "texel buffers");
	struct vk_buffer colours = compute_buffer_set(OFFSET + TEXELS * 8, 0), copies = compute_buffer_set(OFFSET + COUNT * 4, 0xaa), counts = compute_buffer_of(first, sizeof first),
			 out = compute_buffer_set(16 + COUNT * 16, 0);
	for (unsigned i = 0; i < OFFSET / 2 + TEXELS * 4; i++)
		((uint16_t *)colours.host)[i] = (uint16_t)splitmix64(&compute_seed);
	VkBufferView views[3] = {buffer_view(&colours, VK_FORMAT_R16G16B16A16_UNORM, OFFSET, TEXELS * 8), buffer_view(&copies, VK_FORMAT_R8G8B8A8_UNORM, 0, COUNT * 4),
				 buffer_view(&counts, VK_FORMAT_R32_SINT, 0, VK_WHOLE_SIZE)};
	struct program program = PROGRAM(texel_buffers, "vwws", 0);
	for (uint32_t i = 0; i < 3; i++) {
		const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = program.set, .dstBinding = i, .descriptorCount = 1,
						    .descriptorType = program.types[i], .pTexelBufferView = &views[i]};
		vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	}
	program_buffer(&program, 3, &out);
	program_run(&program, COUNT / 16, 1, 1, NULL);
	const uint32_t *sizes = (const uint32_t *)out.host;
	assert_true(sizes[0] == TEXELS && sizes[1] == COUNT && sizes[2] == COUNTS);
	const uint16_t *texels = (const uint16_t *)(colours.host + OFFSET);
	for (unsigned i = 0; i < COUNT; i++)
		for (unsigned k = 0; k < 4; k++) {
			const uint16_t mirrored = i < TEXELS ? texels[(TEXELS - 1 - i) * 4 + k] : 0;
			close_float("texelFetch of a buffer", i * 4 + k, ((const float *)out.host)[4 + i * 4 + k], i < TEXELS ? texels[i * 4 + k] / 65535.0 : 0, 1e-7);
			same_word("imageStore to a buffer", i * 4 + k, copies.host[i * 4 + k], (uint32_t)nearbyintf((float)mirrored / 65535.0f * 255.0f));
		}
	for (unsigned i = 0; i < OFFSET; i++)
		same_word("behind a view", i, copies.host[COUNT * 4 + i], 0xaa);
	for (uint32_t i = 0; i < 4; i++) {
		same_word("imageAtomicMin", i, ((const uint32_t *)counts.host)[i], (uint32_t)-(COUNT - 4 + (int)i));
		same_word("imageAtomicAdd", i, ((const uint32_t *)counts.host)[4 + i], 5 + i + (COUNT / 4) * i + 4 * (COUNT / 4) * (COUNT / 4 - 1) / 2);
	}
	same_word("imageAtomicExchange", 0, ((const uint32_t *)counts.host)[8], 77);
	/* from 120 on as many steps as invocations have come in order, one at least */
	assert_true(((const int *)counts.host)[9] > 120 && ((const int *)counts.host)[9] <= 100 + COUNT);
	for (uint32_t i = 0; i < 3; i++)
		vkDestroyBufferView(vk.device, views[i], NULL);
	program_free(&program);
	vk_buffer_free(&colours);
	vk_buffer_free(&copies);
	vk_buffer_free(&counts);
	vk_buffer_free(&out);
}

/* Arrays of descriptors by indices that differ between invocations; some elements have no descriptor. */
static void arrays_by_any_index(void **state)
{
	enum { BUFFERS = 7, IMAGES = 3 };
	(void)state;
	compute_skip_unless(compute_has.v12.shaderStorageBufferArrayNonUniformIndexing && compute_has.v12.shaderSampledImageArrayNonUniformIndexing &&
				    compute_has.v12.runtimeDescriptorArray && compute_has.v12.descriptorBindingPartiallyBound, "descriptors by any index");
	struct program program = PROGRAM(any_index, "s7t3ss", 0);
	struct vk_buffer numbers = compute_buffer_set(BUFFERS * COUNT * 4, 0), out = compute_buffer_set(COUNT * 8, 0);
	struct picture images[2] = {noise(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 4, (VkExtent3D){4, 1, 1}, 1, 1),
				    noise(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 4, (VkExtent3D){4, 1, 1}, 1, 1)};
	const VkSamplerCreateInfo info = sampler_info(VK_FILTER_NEAREST, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT,
						      VK_SAMPLER_ADDRESS_MODE_REPEAT);
	uint32_t which[COUNT][2];
	VkSampler sampler;
	VK_OK(vkCreateSampler(vk.device, &info, NULL, &sampler));
	for (uint32_t i = 0; i < BUFFERS * COUNT; i++)
		((uint32_t *)numbers.host)[i] = below(1 << 20);
	for (uint32_t i = 0; i < BUFFERS; i++)
		if (i % 3 != 2)
			program_range(&program, 0, i, &numbers, i * COUNT * 4, COUNT * 4);
	for (uint32_t i = 0; i < IMAGES; i += 2) {
		const VkDescriptorImageInfo image = {sampler, images[i / 2].view, VK_IMAGE_LAYOUT_GENERAL};
		const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = program.set, .dstBinding = 1, .dstArrayElement = i, .descriptorCount = 1,
						    .descriptorType = program.types[1], .pImageInfo = &image};
		vkUpdateDescriptorSets(vk.device, 1, &write, 0, NULL);
	}
	for (uint32_t i = 0; i < COUNT; i++)
		which[i][0] = below(3) * 3 + below(2) * (i % 2), which[i][1] = below(2) * 2;
	for (uint32_t i = 0; i < COUNT; i++)
		which[i][0] = which[i][0] < BUFFERS ? which[i][0] : 0;
	struct vk_buffer in = compute_buffer_of(which, sizeof which);
	program_buffer(&program, 2, &in);
	program_buffer(&program, 3, &out);
	program_run(&program, COUNT / 16, 1, 1, NULL);
	for (uint32_t i = 0; i < COUNT; i++) {
		const float *got = (const float *)out.host + (size_t)i * 2;
		same_word("one of many buffers", i, (uint32_t)got[0], ((const uint32_t *)numbers.host)[which[i][0] * COUNT + i]);
		close_float("one of many images", i, got[1], images[which[i][1] / 2].bytes.host[(i & 3) * 4] / 255.0, 1e-6);
	}
	vkDestroySampler(vk.device, sampler, NULL);
	program_free(&program);
	vk_buffer_free(&numbers);
	vk_buffer_free(&in);
	vk_buffer_free(&out);
	picture_free(&images[0]);
	picture_free(&images[1]);
}

const struct CMUnitTest compute_sampler_cases[] = {VK_CASE(samplers_of_all_kinds), VK_CASE(samplers_of_texels_and_integers), VK_CASE(buffers_of_texels),
						   VK_CASE(arrays_by_any_index)};
const size_t compute_num_sampler_cases = sizeof compute_sampler_cases / sizeof *compute_sampler_cases;
