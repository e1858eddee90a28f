/* Storage images and samplers, against what the host computes. */
#include "testbench/vulkan/compute_picture.h"
#include "vulkan/image_atomics.h"
#include "vulkan/images.h"
#include "vulkan/sampled.h"
#include <math.h>

/* ---- storage images ---- */
enum { W = 13, H = 7, LAYERS = 3, DEPTH = 4 };

static void expect_images(const struct picture *p, const uint8_t *const *before, const struct vk_buffer *out)
{
	static const int sizes[] = {W, H, W, H, W, H, W, H, LAYERS, W, H, DEPTH};
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
		same_word("imageSize", i, ((const uint32_t *)out->host)[i], (uint32_t)sizes[i]);
	for (uint32_t i = 0; i < W * H; i++) {
		const uint32_t x = i % W, y = i / W;
		for (uint32_t k = 0; k < 4; k++) {
			close_float("imageLoad of rgba8", i * 4 + k, ((const float *)out->host)[16 + i * 4 + k], before[0][i * 4 + k] / 255.0, 1e-6);
			same_word("imageStore to rgba8", i * 4 + k, p[0].bytes.host[i * 4 + k], before[0][i * 4 + 3 - k]);
		}
		same_word("r32ui", i, ((const uint32_t *)p[1].bytes.host)[i], ((const uint32_t *)before[1])[i] + x + y * 1000);
		close_float("r32f", i, ((const float *)p[2].bytes.host)[i], (double)((const float *)before[2])[i] * 2 + x, 0);
		for (uint32_t k = 0; k < LAYERS; k++)
			same_word("r32i, layers", k * W * H + i, ((const uint32_t *)p[3].bytes.host)[k * W * H + i], ((const uint32_t *)before[3])[k * W * H + i] * (k + 1) - y);
		for (uint32_t k = 0; k < DEPTH * 4; k++) {
			const uint32_t at = (k / 4 * W * H + i) * 4, added[4] = {k / 4, 0, x, y};
			close_float("rgba32f, slices", at + k % 4, ((const float *)p[4].bytes.host)[at + k % 4], (double)((const float *)before[4])[at + 3 - k % 4] + added[k % 4], 0);
		}
	}
}

static void storage_images(void **state)
{
	(void)state;
	static const VkExtent3D flat = {W, H, 1}, deep = {W, H, DEPTH};
	struct picture p[] = {
		picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 4, flat, 1, 1, VK_IMAGE_USAGE_STORAGE_BIT),
		picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT, 4, flat, 1, 1, VK_IMAGE_USAGE_STORAGE_BIT),
		picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_SFLOAT, 4, flat, 1, 1, VK_IMAGE_USAGE_STORAGE_BIT),
		picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R32_SINT, 4, flat, LAYERS, 1, VK_IMAGE_USAGE_STORAGE_BIT),
		picture(VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, VK_FORMAT_R32G32B32A32_SFLOAT, 16, deep, 1, 1, VK_IMAGE_USAGE_STORAGE_BIT),
	};
	struct program program = PROGRAM(images, "iiiiis", 0);
	struct vk_buffer out = compute_buffer_set(64 + W * H * 16, 0);
	uint8_t *before[5];
	for (unsigned i = 0; i < 5; i++) {
		assert_non_null(before[i] = malloc(p[i].bytes.size));
		for (uint32_t k = 0; k < p[i].bytes.size / 4; k++)
			if (i == 2 || i == 4)
				((float *)p[i].bytes.host)[k] = (float)below(1000);
			else
				((uint32_t *)p[i].bytes.host)[k] = (uint32_t)splitmix64(&compute_seed);
		memcpy(before[i], p[i].bytes.host, p[i].bytes.size);
		picture_upload(&p[i]);
		program_image(&program, i, p[i].view, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL);
	}
	program_buffer(&program, 5, &out);
	program_run(&program, (W + 3) / 4, (H + 3) / 4, 1, NULL);
	for (unsigned i = 0; i < 5; i++)
		picture_download(&p[i]);
	expect_images(p, (const uint8_t *const *)before, &out);
	program_free(&program);
	vk_buffer_free(&out);
	for (unsigned i = 0; i < 5; i++) {
		picture_free(&p[i]);
		free(before[i]);
	}
}

static void atomics_on_images(void **state)
{
	(void)state;
	VkFormatProperties properties;
	vkGetPhysicalDeviceFormatProperties(vk.physical[0], VK_FORMAT_R32_UINT, &properties);
	compute_skip_unless(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT, "VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT for R32_UINT");
	struct picture p = picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R32_UINT, 4, (VkExtent3D){8, 3, 1}, 1, 1, VK_IMAGE_USAGE_STORAGE_BIT);
	struct program program = PROGRAM(image_atomics, "is", 0);
	uint32_t values[256], expected[3][8] = {{0}};
	for (unsigned i = 0; i < 256; i++) {
		const uint32_t v = values[i] = below(100000), b = v & 7;
		expected[0][b] += v, expected[1][b] = v > expected[1][b] ? v : expected[1][b], expected[2][b] |= v;
	}
	struct vk_buffer in = compute_buffer_of(values, sizeof values);
	picture_upload(&p);
	program_image(&program, 0, p.view, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL);
	program_buffer(&program, 1, &in);
	program_run(&program, 16, 1, 1, NULL);
	picture_download(&p);
	for (unsigned i = 0; i < 24; i++)
		same_word("add, max, or on an image", i, ((const uint32_t *)p.bytes.host)[i], expected[i / 8][i % 8]);
	program_free(&program);
	vk_buffer_free(&in);
	picture_free(&p);
}

/* ---- samplers ---- */
/* Far enough from where nearest texels change: the device has as many bits of a position as it says. */
static float position(bool nearest)
{
	const float f = random_float(-1.5f, 2.5f);
	return nearest ? (floorf(f * 64) + 0.4f) / 64 : f;
}

static void expect_samples(const struct picture *p, const VkSamplerCreateInfo *s)
{
	enum { COUNT = 128 };
	static const int none[3] = {0, 0, 0};
	const bool nearest = s->magFilter == VK_FILTER_NEAREST;
	const uint32_t levels = p[0].image.info.mipLevels;
	const double tolerance = nearest && s->mipmapMode == VK_SAMPLER_MIPMAP_MODE_NEAREST ? 1e-6 : 1.0 / 256 + 1e-6;
	float at[COUNT][4];
	VkSampler sampler;
	struct program program = PROGRAM(sampled, "tttss", 0);
	struct vk_buffer out = compute_buffer_set(COUNT * 80, 0);
	VK_OK(vkCreateSampler(vk.device, s, NULL, &sampler));
	for (unsigned i = 0; i < COUNT; i++) {
		for (unsigned k = 0; k < 3; k++)
			at[i][k] = position(nearest);
		at[i][2] = i % 2 ? at[i][2] : (float)below(3) / 3 + 0.1f;
		at[i][3] = s->mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? (float)below(4 * levels + 1) / 4 : (float)below(levels);
	}
	struct vk_buffer in = compute_buffer_of(at, sizeof at);
	for (unsigned i = 0; i < 3; i++)
		program_image(&program, i, p[i].view, sampler, VK_IMAGE_LAYOUT_GENERAL);
	program_buffer(&program, 3, &in);
	program_buffer(&program, 4, &out);
	program_run(&program, COUNT / 16, 1, 1, NULL);
	for (unsigned i = 0; i < COUNT; i++) {
		const float *got = (const float *)out.host + (size_t)i * 20;
		const double where[3] = {(double)at[i][0], (double)at[i][1], (double)at[i][2]}, layer = rint((double)(at[i][2] * 3.0f));
		const double in_layer[3] = {where[0], where[1], layer < 0 ? 0 : layer > LAYERS - 1 ? LAYERS - 1 : layer};
		const bool sure = fabs((double)(at[i][2] * 3.0f) - layer) < 0.45;
		const uint32_t level = (uint32_t)at[i][3];
		const VkExtent3D e = picture_extent(&p[0], level);
		const int texel[3] = {(int)((at[i][0] - floorf(at[i][0])) * (float)e.width), (int)((at[i][1] - floorf(at[i][1])) * (float)e.height), 0};
		char what[96];
		snprintf(what, sizeof what, "filter %d, mode %d, at %g %g %g, level %g", s->magFilter, s->addressModeU, where[0], where[1], where[2], (double)at[i][3]);
		for (unsigned k = 0; k < 4; k++) {
			close_float(what, k, got[k], picture_sample(&p[0], s, 2, (const double[]){where[0], where[1], 0}, (double)at[i][3], none, k), tolerance * 2);
			if (sure)
				close_float(what, 4 + k, got[4 + k], picture_sample(&p[1], s, 2, in_layer, 0, none, k), tolerance * 2);
			close_float(what, 8 + k, got[8 + k], picture_sample(&p[2], s, 3, where, 0, none, k), tolerance * 3);
			close_float("texelFetch", i * 4 + k, got[12 + k], picture_texel(&p[0], s->borderColor, level, texel, k), 1e-6);
		}
		same_word("textureSize", i, (uint32_t)got[16] | (uint32_t)got[17] << 8 | (uint32_t)got[18] << 16 | (uint32_t)got[19] << 24,
			  e.width | e.height << 8 | LAYERS << 16 | (uint32_t)DEPTH << 24);
	}
	vkDestroySampler(vk.device, sampler, NULL);
	program_free(&program);
	vk_buffer_free(&in);
	vk_buffer_free(&out);
}

/* In these address modes, one after the other, with these filters; of 0 modes, in another one along each dimension. */
static void expect_sampled(uint32_t levels, VkFilter filter, VkSamplerMipmapMode mipmaps, unsigned num_modes, const VkSamplerAddressMode *modes, VkBorderColor border)
{
	struct picture p[] = {
		picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, VK_FORMAT_R8G8B8A8_UNORM, 4, (VkExtent3D){16, 8, 1}, 1, levels, VK_IMAGE_USAGE_SAMPLED_BIT),
		picture(VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_FORMAT_R8G8B8A8_UNORM, 4, (VkExtent3D){8, 8, 1}, LAYERS, 1, VK_IMAGE_USAGE_SAMPLED_BIT),
		picture(VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, VK_FORMAT_R8G8B8A8_UNORM, 4, (VkExtent3D){8, 4, DEPTH}, 1, 1, VK_IMAGE_USAGE_SAMPLED_BIT),
	};
	for (unsigned i = 0; i < 3; i++) {
		for (VkDeviceSize k = 0; k < p[i].bytes.size; k++)
			p[i].bytes.host[k] = (uint8_t)splitmix64(&compute_seed);
		picture_upload(&p[i]);
	}
	for (unsigned i = 0; i < (num_modes ? num_modes : 1); i++) {
		const VkSamplerCreateInfo s = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .magFilter = filter, .minFilter = filter,
					       .mipmapMode = mipmaps, .addressModeU = modes[i],
					       .addressModeV = modes[num_modes ? i : 1], .addressModeW = modes[num_modes ? i : 2], .maxLod = VK_LOD_CLAMP_NONE,
					       .borderColor = border};
		expect_samples(p, &s);
	}
	for (unsigned i = 0; i < 3; i++)
		picture_free(&p[i]);
}

static const VkSamplerAddressMode all_modes[] = {VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
						 VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER};

static void sampled_nearest(void **state)
{
	(void)state;
	expect_sampled(1, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, 4, all_modes, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK);
}

static void sampled_linear(void **state)
{
	(void)state;
	expect_sampled(1, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 4, all_modes, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK);
}

static void sampled_borders(void **state)
{
	(void)state;
	expect_sampled(1, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 1, all_modes + 3, VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK);
	expect_sampled(1, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, 1, all_modes + 3, VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE);
}

static void sampled_modes_apart(void **state)
{
	(void)state;
	expect_sampled(1, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 0, all_modes, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK);
	expect_sampled(1, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, 0, all_modes + 1, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK);
}

static void sampled_levels(void **state)
{
	(void)state;
	VkImageFormatProperties properties;
	VK_OK(vkGetPhysicalDeviceImageFormatProperties(vk.physical[0], VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT, 0, &properties));
	compute_skip_unless(properties.maxMipLevels >= 3, "levels of sampled images");
	expect_sampled(3, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, 4, all_modes, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK);
	expect_sampled(3, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, 4, all_modes, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK);
	expect_sampled(3, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, 4, all_modes, VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK);
}

const struct CMUnitTest compute_image_cases[] = {VK_CASE(storage_images), VK_CASE(atomics_on_images), VK_CASE(sampled_nearest), VK_CASE(sampled_linear),
						 VK_CASE(sampled_borders), VK_CASE(sampled_modes_apart), VK_CASE(sampled_levels)};
const size_t compute_num_image_cases = sizeof compute_image_cases / sizeof *compute_image_cases;
