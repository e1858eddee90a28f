/* Blits between random regions of images, against what the host computes. */
#include "testbench/vulkan/compute_picture.h"
#include <math.h>

/* Formats by how a channel lies in memory. */
static const struct blit_format {
	VkFormat format;
	uint32_t bytes, channels;
	enum { BITS_UNORM, BITS_SRGB, BITS_FLOAT, BITS_UINT, BITS_SINT } kind;
	bool bgra;
} formats[] = {
	{VK_FORMAT_R8G8B8A8_UNORM, 1, 4, BITS_UNORM, false}, {VK_FORMAT_B8G8R8A8_UNORM, 1, 4, BITS_UNORM, true}, {VK_FORMAT_R16G16_UNORM, 2, 2, BITS_UNORM, false},
	{VK_FORMAT_R32_SFLOAT, 4, 1, BITS_FLOAT, false},     {VK_FORMAT_R32G32B32A32_SFLOAT, 4, 4, BITS_FLOAT, false}, {VK_FORMAT_R8G8B8A8_SRGB, 1, 4, BITS_SRGB, false},
	{VK_FORMAT_B8G8R8A8_SRGB, 1, 4, BITS_SRGB, true},    {VK_FORMAT_R16_UINT, 2, 1, BITS_UINT, false},
	{VK_FORMAT_R32G32_UINT, 4, 2, BITS_UINT, false},     {VK_FORMAT_R8G8B8A8_SINT, 1, 4, BITS_SINT, false},  {VK_FORMAT_R32_SINT, 4, 1, BITS_SINT, false},
};
enum { COLOURS = 7, UNSIGNED_AT = 7, SIGNED_AT = 9 };

static double of_srgb(double code) { return code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4); }

static double value_of(const struct blit_format *f, const uint8_t *texel, unsigned channel)
{
	uint32_t bits = 0;
	float number;
	if (channel >= f->channels)
		return channel == 3;
	memcpy(&bits, texel + (f->bgra && channel < 3 ? 2 - channel : channel) * f->bytes, f->bytes);
	memcpy(&number, &bits, sizeof number);
	switch (f->kind) {
	case BITS_UNORM: return bits / (f->bytes == 1 ? 255.0 : 65535.0);
	case BITS_SRGB: return channel < 3 ? of_srgb(bits / 255.0) : bits / 255.0;
	case BITS_FLOAT: return (double)number;
	case BITS_UINT: return bits;
	default: return (double)(f->bytes == 1 ? (int8_t)bits : (int32_t)bits);
	}
}

/* Small numbers, which every format has exactly or nearly. */
static void fill(struct picture *p, const struct blit_format *f)
{
	for (VkDeviceSize at = 0; at < p->bytes.size; at += f->bytes) {
		const float number = (float)below(256) / 255;
		const uint32_t bits = f->kind == BITS_UNORM || f->kind == BITS_SRGB ? below(f->bytes == 1 ? 256 : 65536) : below(100);
		memcpy(p->bytes.host + at, f->kind == BITS_FLOAT ? (const void *)&number : (const void *)&bits, f->bytes);
	}
	picture_upload(p);
}

struct sides {
	const struct picture *p;
	const struct blit_format *f;
	uint32_t level, layer;
	int slices; /* of the level, or layers of the region */
	VkOffset3D at[2];
};

static const uint8_t *texel_at(const struct sides *s, const int at[3])
{
	const VkExtent3D e = picture_extent(s->p, s->level);
	return s->p->bytes.host + picture_offset(s->p, s->level) + ((((size_t)at[2] + s->layer) * e.height + (size_t)at[1]) * e.width + (size_t)at[0]) * s->p->texel;
}

static int clamped(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }

static double source(const struct sides *s, const double u[3], bool linear, unsigned channel)
{
	const VkExtent3D e = picture_extent(s->p, s->level);
	const int n[3] = {(int)e.width, (int)e.height, s->slices};
	double sum = 0;
	for (unsigned corner = 0; corner < (linear ? 8 : 1); corner++) {
		double weight = 1;
		int at[3];
		for (unsigned k = 0; k < 3; k++) {
			const double from = u[k] - (linear ? 0.5 : 0), low = floor(from);
			weight *= !linear ? 1 : corner >> k & 1 ? from - low : 1 - (from - low);
			at[k] = clamped((int)low + (int)(corner >> k & 1), n[k]);
		}
		if (weight > 0)
			sum += weight * value_of(s->f, texel_at(s, at), channel);
	}
	return sum;
}

/* Where the middle of a texel of the destination lies in the source. */
static double position(int i, int s0, int s1, int d0, int d1) { return s0 + ((2 * i + 1) - 2 * d0) * (double)(s1 - s0) / (2 * (d1 - d0)); }

static void expect_blit(const struct sides *src, const struct sides *dst, const uint8_t *before, bool linear)
{
	const VkExtent3D e = picture_extent(dst->p, dst->level);
	const VkOffset3D *s = src->at, *d = dst->at;
	/* half a code; one of sRGB is at most 2.3 codes of linear light */
	const double half = dst->f->kind == BITS_UNORM ? 0.501 / (dst->f->bytes == 1 ? 255 : 65535) : dst->f->kind == BITS_SRGB ? 0.501 * 2.3 / 255 : 0;
	const double tolerance = linear ? 1.0 / 128 : 1e-6;
	int at[3];
	for (at[2] = 0; at[2] < dst->slices; at[2]++)
		for (at[1] = 0; at[1] < (int)e.height; at[1]++)
			for (at[0] = 0; at[0] < (int)e.width; at[0]++) {
				const uint8_t *texel = texel_at(dst, at);
				const int low[3] = {d[0].x < d[1].x ? d[0].x : d[1].x, d[0].y < d[1].y ? d[0].y : d[1].y, d[0].z < d[1].z ? d[0].z : d[1].z};
				const int high[3] = {d[0].x + d[1].x - low[0], d[0].y + d[1].y - low[1], d[0].z + d[1].z - low[2]};
				bool inside = true;
				for (unsigned k = 0; k < 3; k++)
					inside = inside && at[k] >= low[k] && at[k] < high[k];
				if (!inside) {
					assert_memory_equal(texel, before + (texel - dst->p->bytes.host), dst->p->texel);
					continue;
				}
				const double u[3] = {position(at[0], s[0].x, s[1].x, d[0].x, d[1].x), position(at[1], s[0].y, s[1].y, d[0].y, d[1].y),
						     position(at[2], s[0].z, s[1].z, d[0].z, d[1].z)};
				for (unsigned k = 0; k < dst->f->channels; k++)
					close_float("a blit", (size_t)(texel - dst->p->bytes.host) + k, (float)value_of(dst->f, texel, k), source(src, u, linear, k),
						    tolerance + half);
			}
}

/* Two places of a dimension, in any order. */
static void pick(int32_t *a, int32_t *b, uint32_t size)
{
	*a = (int32_t)below(size + 1);
	do
		*b = (int32_t)below(size + 1);
	while (*a == *b);
}

static struct sides side(struct picture *p, const struct blit_format *f, uint32_t level, uint32_t layer, uint32_t layers)
{
	const VkExtent3D e = picture_extent(p, level);
	const bool volume = p->image.info.imageType == VK_IMAGE_TYPE_3D;
	struct sides s = {.p = p, .f = f, .level = level, .layer = layer, .slices = (int)(volume ? e.depth : layers)};
	pick(&s.at[0].x, &s.at[1].x, e.width);
	pick(&s.at[0].y, &s.at[1].y, e.height);
	if (volume)
		pick(&s.at[0].z, &s.at[1].z, e.depth);
	else
		s.at[1].z = 1;
	return s;
}

static struct picture target(bool volume, const struct blit_format *f)
{
	const VkExtent3D flat = {20, 14, 1}, deep = {9, 10, 6};
	return picture(volume ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D, volume ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D_ARRAY, f->format, f->bytes * f->channels,
		       volume ? deep : flat, volume ? 1 : 3, 2, VK_IMAGE_USAGE_SAMPLED_BIT);
}

static void blit(const struct blit_format *from, const struct blit_format *to, bool from_volume, bool to_volume, VkFilter filter)
{
	enum { ROUNDS = 3 };
	struct picture p[2] = {target(from_volume, from), target(to_volume, to)};
	fill(&p[0], from);
	fill(&p[1], to);
	for (unsigned i = 0; i < ROUNDS; i++) {
		const bool mixed = from_volume || to_volume;
		const uint32_t layers = mixed ? 1 : 1 + below(2);
		struct sides src = side(&p[0], from, below(2), mixed ? 0 : below(2), layers), dst = side(&p[1], to, below(2), mixed ? 0 : below(2), layers);
		const VkImageBlit region = {{VK_IMAGE_ASPECT_COLOR_BIT, src.level, src.layer, layers}, {src.at[0], src.at[1]},
					    {VK_IMAGE_ASPECT_COLOR_BIT, dst.level, dst.layer, layers}, {dst.at[0], dst.at[1]}};
		uint8_t *before = malloc(p[1].bytes.size);
		assert_non_null(before);
		memcpy(before, p[1].bytes.host, p[1].bytes.size);
		VkCommandBuffer c = vk_begin();
		/* Vulkan has blits on queues with graphics alone, of which there are none */
		vk.allowed = "VUID-vkCmdBlitImage-commandBuffer-cmdpool";
		vkCmdBlitImage(c, p[0].image.image, VK_IMAGE_LAYOUT_GENERAL, p[1].image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region, filter);
		vk.allowed = NULL;
		vk_barrier(c);
		vk_run(vk.queue, c);
		picture_download(&p[1]);
		if (!mixed) /* layer for layer */
			src.at[0].z = dst.at[0].z = 0, src.at[1].z = dst.at[1].z = (int32_t)layers;
		expect_blit(&src, &dst, before, filter == VK_FILTER_LINEAR);
		free(before);
	}
	picture_free(&p[0]);
	picture_free(&p[1]);
}

static void skip_without_blits(void)
{
	VkFormatProperties properties;
	vkGetPhysicalDeviceFormatProperties(vk.physical[0], VK_FORMAT_R8G8B8A8_UNORM, &properties);
	compute_skip_unless(properties.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_SRC_BIT, "blits");
}

static void blits_nearest(void **state)
{
	(void)state;
	skip_without_blits();
	for (unsigned i = 0; i < COLOURS; i++)
		blit(&formats[i], &formats[(i + 1 + below(COLOURS - 1)) % COLOURS], i == 3, i == 4, VK_FILTER_NEAREST);
	blit(&formats[UNSIGNED_AT], &formats[UNSIGNED_AT + 1], false, false, VK_FILTER_NEAREST);
	blit(&formats[SIGNED_AT], &formats[SIGNED_AT + 1], true, true, VK_FILTER_NEAREST);
}

static void blits_linear(void **state)
{
	(void)state;
	skip_without_blits();
	for (unsigned i = 0; i < COLOURS; i++)
		blit(&formats[i], &formats[below(COLOURS)], i & 1, i & 2, VK_FILTER_LINEAR);
}

const struct CMUnitTest compute_blit_cases[] = {VK_CASE(blits_nearest), VK_CASE(blits_linear)};
const size_t compute_num_blit_cases = sizeof compute_blit_cases / sizeof *compute_blit_cases;
