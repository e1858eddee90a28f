/* Images of shaders (clc/spirv_image.c): levels, samplers and views as Vulkan has them (abi/spirv_sampler.h). Texels are decoded as for OpenCL.
 *
 * The levels of a layer or volume lie one after the other, rows and slices without gaps. What is read outside an image is 0. */
#include "images.h"
#include "../../../abi/spirv_sampler.h"

/* ---- levels ---- */
struct level {
	ulong base, row, slice;
	int size[3];
};

INLINE int level_last(image_ptr img) { return (int)max(FIELD(img, levels), 1u) - 1; }
INLINE int halved(int size) { return size > 1 ? size >> 1 : 1; }

INLINE struct level level_of(image_ptr img, enum dims dims, int number)
{
	struct level l = { FIELD(img, base), FIELD(img, row_pitch), FIELD(img, slice_pitch), { (int)FIELD(img, width), 1, 1 } };
	if (dims >= D2)
		l.size[1] = (int)FIELD(img, height);
	if (dims == D3)
		l.size[2] = (int)FIELD(img, depth);
	for (int i = 0; i < number; i++) {
		l.base += (ulong)l.row * (uint)l.size[1] * (uint)l.size[2];
		l.size[0] = halved(l.size[0]);
		l.size[1] = halved(l.size[1]);
		l.size[2] = halved(l.size[2]);
		l.row = (ulong)(uint)l.size[0] * FIELD(img, element_size);
		l.slice = dims == D3 ? l.row * (uint)l.size[1] : l.slice;
	}
	return l;
}

INLINE texel_ptr level_texel(image_ptr img, const struct level *l, int x, int y, int z)
{
	return (texel_ptr)(l->base + (uint)x * (ulong)FIELD(img, element_size) + (uint)y * l->row + (uint)z * l->slice);
}

/* ---- samplers ---- */
enum { MODE_REPEAT, MODE_MIRRORED_REPEAT, MODE_CLAMP_TO_EDGE, MODE_CLAMP_TO_BORDER, MODE_MIRROR_CLAMP_TO_EDGE }; /* VkSamplerAddressMode */

/* The index of a texel; -1: the border. */
INLINE int wrapped(ulong sampler, int dimension, int i, int n)
{
	const uint mode = (uint)sampler >> (SPIRV_SAMPLER_MODE_SHIFT + SPIRV_SAMPLER_MODE_BITS * dimension) & 7;
	if (mode == MODE_CLAMP_TO_BORDER)
		return (uint)i < (uint)n ? i : -1;
	if (mode == MODE_REPEAT) {
		i %= n;
		return i < 0 ? i + n : i;
	}
	if (mode == MODE_MIRRORED_REPEAT) {
		i %= 2 * n;
		i = i < 0 ? i + 2 * n : i;
		return i < n ? i : 2 * n - 1 - i;
	}
	if (mode == MODE_MIRROR_CLAMP_TO_EDGE)
		i = i < 0 ? -1 - i : i;
	return clamp_int(i, n - 1);
}

INLINE float lod_field(ulong sampler, int shift) { return (float)(ushort)(sampler >> shift) / SPIRV_SAMPLER_LEVEL; }
INLINE float lod_clamped(ulong sampler, float lod)
{
	lod += (float)(short)(sampler >> SPIRV_SAMPLER_BIAS_SHIFT) / SPIRV_SAMPLER_LEVEL;
	return fmin(fmax(lod, lod_field(sampler, SPIRV_SAMPLER_LEAST_SHIFT)), lod_field(sampler, SPIRV_SAMPLER_MOST_SHIFT));
}

/* Where in a dimension a sample begins: the first texel, and the part of the way to the next one. */
INLINE int tap_begin(ulong sampler, float u, int n, bool linear, float *part)
{
	if (sampler & SPIRV_SAMPLER_NORMALIZED)
		u *= (float)n;
	if (linear)
		u -= 0.5f;
	const float first = __builtin_floorf(u);
	*part = linear ? u - first : 0.0f;
	return (int)fmin(fmax(first, -0x1p24f), 0x1p24f);
}

INLINE bool is_flat(enum dims dims) { return dims == D1 || dims == D1A; }

/* ---- texels ---- */
#define SWIZZLED(suffix, vec, scalar)                                                              \
	INLINE scalar component_##suffix(vec c, uint which, scalar own)                            \
	{                                                                                          \
		switch (which & 7) {                                                               \
		case 0: return own;                                                                \
		case 1: return 0;                                                                  \
		case 2: return 1;                                                                  \
		case 3: return c.x;                                                                \
		case 4: return c.y;                                                                \
		case 5: return c.z;                                                                \
		}                                                                                  \
		return c.w;                                                                        \
	}                                                                                          \
	INLINE vec swizzled_##suffix(image_ptr img, vec c)                                         \
	{                                                                                          \
		const uint s = FIELD(img, swizzle);                                                \
		if (!s)                                                                            \
			return c;                                                                  \
		return (vec)(component_##suffix(c, s, c.x), component_##suffix(c, s >> SPIRV_SWIZZLE_BITS, c.y), \
			     component_##suffix(c, s >> 2 * SPIRV_SWIZZLE_BITS, c.z), component_##suffix(c, s >> 3 * SPIRV_SWIZZLE_BITS, c.w)); \
	}                                                                                          \
	/* what an image has not of its border is 0, 0, 1 */                                       \
	INLINE vec frame_##suffix(image_ptr img, ulong sampler)                                    \
	{                                                                                          \
		const uint colour = (uint)sampler >> SPIRV_SAMPLER_BORDER_SHIFT & 7, n = FIELD(img, channels); \
		const scalar rgb = colour >= 4, a = n < 4 || colour >= 2;                          \
		return (vec)(rgb, n > 1 ? rgb : 0, n > 2 ? rgb : 0, a);                            \
	}                                                                                          \
	INLINE vec tap_##suffix(image_ptr img, const struct level *l, ulong sampler, int x, int y, int z) \
	{                                                                                          \
		if ((x | y | z) < 0)                                                               \
			return frame_##suffix(img, sampler);                                       \
		return texel_##suffix(img, level_texel(img, l, x, y, z));                          \
	}                                                                                          \
	INLINE vec fetch_##suffix(image_ptr img, enum dims dims, int x, int y, int z, int lod)     \
	{                                                                                          \
		if (lod < 0 || lod > level_last(img))                                              \
			return (vec)0;                                                             \
		const struct level l = level_of(img, dims, lod);                                   \
		const int deep = dims == D1A || dims == D2A ? (int)FIELD(img, array_size) : l.size[2]; \
		if ((uint)x >= (uint)l.size[0] || (!is_flat(dims) && (uint)y >= (uint)l.size[1]) || (dims != D1 && dims != D2 && (uint)z >= (uint)deep)) \
			return (vec)0;                                                             \
		return swizzled_##suffix(img, texel_##suffix(img, level_texel(img, &l, x, y, z)));  \
	}                                                                                          \
	INLINE vec nearest_##suffix(image_ptr img, enum dims dims, int number, ulong sampler, float x, float y, float z, int ox, int oy, int oz) \
	{                                                                                          \
		const struct level l = level_of(img, dims, number);                                \
		float none;                                                                        \
		const int i = wrapped(sampler, 0, tap_begin(sampler, x, l.size[0], false, &none) + ox, l.size[0]); \
		const int j = is_flat(dims) ? 0 : wrapped(sampler, 1, tap_begin(sampler, y, l.size[1], false, &none) + oy, l.size[1]); \
		const int k = dims == D3 ? wrapped(sampler, 2, tap_begin(sampler, z, l.size[2], false, &none) + oz, l.size[2]) : layer_near(img, dims, z); \
		return tap_##suffix(img, &l, sampler, i, j, k);                                    \
	}                                                                                          \
	/* integers have no linear filter */                                                       \
	INLINE int level_near_##suffix(image_ptr img, ulong sampler, float lod)                    \
	{                                                                                          \
		return clamp_int((int)__builtin_ceilf(fmin(lod_clamped(sampler, lod), 16.0f) + 0.5f) - 1, level_last(img)); \
	}
SWIZZLED(f, float4, float)
SWIZZLED(i, int4, int)
SWIZZLED(u, uint4, uint)

INLINE float4 linear_f(image_ptr img, enum dims dims, int number, ulong sampler, float x, float y, float z, int ox, int oy, int oz)
{
	const struct level l = level_of(img, dims, number);
	float a, b = 0.0f, c = 0.0f;
	const int i = tap_begin(sampler, x, l.size[0], true, &a) + ox;
	const int j = is_flat(dims) ? 0 : tap_begin(sampler, y, l.size[1], true, &b) + oy, k = dims == D3 ? tap_begin(sampler, z, l.size[2], true, &c) + oz : 0;
	const int layer = layer_near(img, dims, z), corners = is_flat(dims) ? 2 : dims == D3 ? 8 : 4;
	float4 sum = 0.0f;
#pragma clang loop unroll(disable)
	for (int n = 0; n < corners; n++) {
		const int right = n & 1, down = n >> 1 & 1, deep = n >> 2;
		const int at_x = wrapped(sampler, 0, i + right, l.size[0]), at_y = is_flat(dims) ? 0 : wrapped(sampler, 1, j + down, l.size[1]);
		const int at_z = dims == D3 ? wrapped(sampler, 2, k + deep, l.size[2]) : layer;
		sum += (right ? a : 1.0f - a) * (down ? b : 1.0f - b) * (deep ? c : 1.0f - c) * tap_f(img, &l, sampler, at_x, at_y, at_z);
	}
	return sum;
}

INLINE float4 sample_level(image_ptr img, enum dims dims, int number, bool linear, ulong sampler, float x, float y, float z, int ox, int oy, int oz)
{
	return linear ? linear_f(img, dims, number, sampler, x, y, z, ox, oy, oz) : nearest_f(img, dims, number, sampler, x, y, z, ox, oy, oz);
}

INLINE float4 sample_f(image_ptr img, enum dims dims, ulong sampler, float x, float y, float z, float lod, int ox, int oy, int oz)
{
	const bool linear = sampler & (lod_clamped(sampler, lod) <= 0.0f ? SPIRV_SAMPLER_MAG_LINEAR : SPIRV_SAMPLER_MIN_LINEAR);
	if (!(sampler & SPIRV_SAMPLER_MIP_LINEAR))
		return swizzled_f(img, sample_level(img, dims, level_near_f(img, sampler, lod), linear, sampler, x, y, z, ox, oy, oz));
	const float d = fmin(fmax(lod_clamped(sampler, lod), 0.0f), (float)level_last(img)), low = __builtin_floorf(d), part = d - low;
	float4 sum = 0.0f;
#pragma clang loop unroll(disable)
	for (int n = 0; n < 2; n++) {
		const float weight = n ? part : 1.0f - part;
		if (weight > 0.0f)
			sum += weight * sample_level(img, dims, (int)low + n, linear, sampler, x, y, z, ox, oy, oz);
	}
	return swizzled_f(img, sum);
}
#define SAMPLE_INTEGER(suffix, vec)                                                                \
	INLINE vec sample_##suffix(image_ptr img, enum dims dims, ulong sampler, float x, float y, float z, float lod, int ox, int oy, int oz) \
	{                                                                                          \
		return swizzled_##suffix(img, nearest_##suffix(img, dims, level_near_##suffix(img, sampler, lod), sampler, x, y, z, ox, oy, oz)); \
	}
SAMPLE_INTEGER(i, int4)
SAMPLE_INTEGER(u, uint4)

/* One component of the four texels that a linear filter reads, in the order of SPIR-V. */
#define GATHER(suffix, vec)                                                                        \
	INLINE vec gather_##suffix(image_ptr img, enum dims dims, ulong sampler, float x, float y, float z, uint component, int ox, int oy) \
	{                                                                                          \
		const struct level l = level_of(img, dims, 0);                                     \
		float a, b;                                                                        \
		const int i = tap_begin(sampler, x, l.size[0], true, &a) + ox, j = tap_begin(sampler, y, l.size[1], true, &b) + oy, layer = layer_near(img, dims, z); \
		vec out = 0;                                                                       \
		_Pragma("clang loop unroll(disable)")                                              \
		for (int n = 0; n < 4; n++) {                                                      \
			const int right = n == 1 || n == 2, down = n < 2;                          \
			const vec c = swizzled_##suffix(img, tap_##suffix(img, &l, sampler, wrapped(sampler, 0, i + right, l.size[0]), \
									  wrapped(sampler, 1, j + down, l.size[1]), layer)); \
			out = (vec)(out.yzw, component == 0 ? c.x : component == 1 ? c.y : component == 2 ? c.z : c.w); \
		}                                                                                  \
		return out;                                                                        \
	}
GATHER(f, float4)
GATHER(i, int4)
GATHER(u, uint4)

/* ---- what shaders call: shader_WHAT_TYPE_DIMS ---- */
#define NAMED(result, name, params, ...)                                                           \
	result __galena_##name params __asm(#name);                                                \
	result __galena_##name params { return __VA_ARGS__; }
#define EACH(dims, suffix, vec)                                                                    \
	NAMED(vec, shader_fetch_##suffix##_##dims, (image_ptr img, int x, int y, int z, int lod), fetch_##suffix(img, dims, x, y, z, lod)) \
	NAMED(vec, shader_sample_##suffix##_##dims, (image_ptr img, ulong sampler, float x, float y, float z, float lod, int ox, int oy, int oz), \
	      sample_##suffix(img, dims, sampler, x, y, z, lod, ox, oy, oz))
#define EACH_GATHER(dims, suffix, vec)                                                             \
	NAMED(vec, shader_gather_##suffix##_##dims, (image_ptr img, ulong sampler, float x, float y, float z, uint component, int ox, int oy), \
	      gather_##suffix(img, dims, sampler, x, y, z, component, ox, oy))
#define EACH_TEXEL(what, dims) what(dims, f, float4) what(dims, i, int4) what(dims, u, uint4)
EACH_TEXEL(EACH, D1)
EACH_TEXEL(EACH, D1A)
EACH_TEXEL(EACH, D2)
EACH_TEXEL(EACH, D2A)
EACH_TEXEL(EACH, D3)
EACH_TEXEL(EACH_GATHER, D2)
EACH_TEXEL(EACH_GATHER, D2A)

/* Width, height, depth and layers of a level. */
INLINE int4 size_of(image_ptr img, int lod)
{
	const int l = lod < 0 ? 0 : lod > 31 ? 31 : lod;
	return (int4)(max((int)FIELD(img, width) >> l, 1), max((int)FIELD(img, height) >> l, 1), max((int)FIELD(img, depth) >> l, 1), (int)FIELD(img, array_size));
}
NAMED(int4, shader_image_size, (image_ptr img, int lod), size_of(img, lod))
NAMED(int, shader_image_levels, (image_ptr img), level_last(img) + 1)

/* The level that gradients ask for; of dimensions that an image has not they are 0. */
INLINE float gradient_lod(image_ptr img, float4 dx, float4 dy)
{
	const float4 size = (float4)((float)FIELD(img, width), (float)FIELD(img, height), (float)FIELD(img, depth), 0.0f);
	return log2(fmax(length(dx * size), length(dy * size)));
}
NAMED(float, shader_gradient_lod, (image_ptr img, float4 dx, float4 dy), gradient_lod(img, dx, dy))

/* Where atomic operations find a texel; outside: the given address. */
INLINE ulong texel_or(image_ptr img, int x, int y, int z, ulong outside)
{
	const uint deep = max(FIELD(img, array_size), FIELD(img, depth));
	return (uint)x < FIELD(img, width) && (uint)y < FIELD(img, height) && (uint)z < deep ?
		       FIELD(img, base) + (uint)x * (ulong)FIELD(img, element_size) + (uint)y * FIELD(img, row_pitch) + (uint)z * FIELD(img, slice_pitch) : outside;
}
NAMED(ulong, shader_texel_address, (image_ptr img, int x, int y, int z, ulong outside), texel_or(img, x, y, z, outside))
