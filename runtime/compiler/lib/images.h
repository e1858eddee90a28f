/* Images on the device: struct image_desc, formats, addressing. For images_*.cl only.
 *
 * An image argument is the device address of a struct image_desc, a sampler is its bits (enum
 * note_sampler) in 64 bits. The front end knows neither, so the builtins are written on those
 * types and get the builtins' names by asm labels.
 *
 * What costs here is instructions a warp: everything an image holds (format, size, pitches) is
 * uniform, so branches on it are cheap, while work per texel is not. The formats that matter
 * (UNORM_INT8 of one, two and four channels) are decoded in line, the others out of line. */
#ifndef GALENA_LIB_IMAGES_H
#define GALENA_LIB_IMAGES_H
#include "builtins.h"
#include "records.h"

typedef global const struct image_desc *image_ptr;
typedef ulong sampler_bits;
typedef global uchar *texel_ptr;

/* 2D reads and writes with what is constant fold to a few instructions when they are in line. */
#define HOT __attribute__((always_inline))
#define COLD

enum { /* the bits of enum note_sampler */
	SMP_NORMALIZED = 1,
	SMP_ADDRESS = 0xe,
	SMP_NONE = 0,
	SMP_CLAMP_TO_EDGE = 2,
	SMP_CLAMP = 4,
	SMP_REPEAT = 6,
	SMP_MIRRORED_REPEAT = 8,
	SMP_LINEAR = 0x20,
};

enum { /* cl_channel_order */
	ORDER_R = 0x10b0, ORDER_A, ORDER_RG, ORDER_RA, ORDER_RGB, ORDER_RGBA, ORDER_BGRA, ORDER_ARGB,
	ORDER_INTENSITY, ORDER_LUMINANCE, ORDER_RX, ORDER_RGX, ORDER_RGBX, ORDER_DEPTH,
	ORDER_SRGB = 0x10bf, ORDER_SRGBX, ORDER_SRGBA, ORDER_SBGRA, ORDER_ABGR,
};

enum { /* cl_channel_type */
	TYPE_SNORM_INT8 = 0x10d0, TYPE_SNORM_INT16, TYPE_UNORM_INT8, TYPE_UNORM_INT16, TYPE_UNORM_SHORT_565,
	TYPE_UNORM_SHORT_555, TYPE_UNORM_INT_101010, TYPE_SIGNED_INT8, TYPE_SIGNED_INT16, TYPE_SIGNED_INT32,
	TYPE_UNSIGNED_INT8, TYPE_UNSIGNED_INT16, TYPE_UNSIGNED_INT32, TYPE_HALF_FLOAT, TYPE_FLOAT,
	TYPE_UNORM_INT24, TYPE_UNORM_INT_101010_2,
};

/* The dimensions of an image kind, in the names below: D1 1D and 1D buffer, D1A 1D array, D2, D2A,
 * D3. Coordinates travel as (x, y, z): z is the layer of an array of 2D images, and of 1D images. */
enum dims { D1, D1A, D2, D2A, D3 };

/* What the image is does not change while a kernel runs: the library build marks loads in functions
 * of this prefix as invariant, so that they are done once for many texels. */
#define LOAD_FIELD(type, field) INLINE type galena_invariant_image_##field(image_ptr img) { return img->field; }
LOAD_FIELD(ulong, base)
LOAD_FIELD(uint, width)
LOAD_FIELD(uint, height)
LOAD_FIELD(uint, depth)
LOAD_FIELD(uint, array_size)
LOAD_FIELD(ulong, row_pitch)
LOAD_FIELD(ulong, slice_pitch)
LOAD_FIELD(uint, channel_order)
LOAD_FIELD(uint, channel_type)
LOAD_FIELD(uint, element_size)
LOAD_FIELD(uint, channels)
LOAD_FIELD(uint, levels)
LOAD_FIELD(uint, swizzle)
#undef LOAD_FIELD
#define FIELD(img, field) galena_invariant_image_##field(img)

/* Channel order and channel type lie side by side, so one comparison is enough for both; made such that the
 * commonest formats of a type, the one called main, are small numbers, which comparisons need no constants for. */
#define FORMAT(order, type) ((ulong)TYPE_##type << 32 | ORDER_##order)
#define FORMAT_OF(img, main) (galena_invariant_image_format(img) ^ FORMAT(R, main))
#define FORMAT_CASE(order, type, main) (FORMAT(order, type) ^ FORMAT(R, main))
INLINE ulong galena_invariant_image_format(image_ptr img) { return *(global const ulong *)&img->channel_order; }
_Static_assert(__builtin_offsetof(struct image_desc, channel_type) == __builtin_offsetof(struct image_desc, channel_order) + 4 &&
	       __builtin_offsetof(struct image_desc, channel_order) % 8 == 0, "FORMAT");

/* x / 255.0f and x / 65535.0f, correctly rounded for every code of the type, without a division:
 * the reciprocal in two parts (checked for all codes by testbench/builtins/images). */
INLINE float unorm8(uint c)
{
	float x = c;
	return __builtin_fmaf(x, 0x1.010102p-8f, x * -0x1.fdfdfep-33f);
}
INLINE float unorm16(uint c)
{
	float x = c;
	return __builtin_fmaf(x, 0x1.0001p-16f, x * 0x1.0001p-48f);
}
/* Normalised to [0, max]: rounds to nearest even, saturates, NaN becomes 0. */
INLINE uint to_unorm(float f, float max)
{
	return (uint)__builtin_roundevenf(__builtin_fminf(__builtin_fmaxf(f * max, 0.0f), max));
}
INLINE int to_snorm(float f, float max)
{
	float x = f * max;
	x = x != x ? 0.0f : x;
	return (int)__builtin_roundevenf(__builtin_fminf(__builtin_fmaxf(x, -max - 1.0f), max));
}

INLINE int clamp_int(int v, int hi)
{
	v = v < 0 ? 0 : v;
	return v > hi ? hi : v;
}
INLINE int floor_int(float f) { return (int)__builtin_floorf(f); }

/* The layer of an array that a coordinate is of. */
INLINE int layer_near(image_ptr img, enum dims dims, float z)
{
	return dims == D1A || dims == D2A ? clamp_int((int)__builtin_rintf(z), (int)FIELD(img, array_size) - 1) : 0;
}

INLINE texel_ptr texel_at(image_ptr img, enum dims dims, int x, int y, int z)
{
	ulong at = FIELD(img, base) + (uint)x * (ulong)FIELD(img, element_size);
	if (dims >= D2)
		at += (uint)y * FIELD(img, row_pitch);
	if (dims == D1A || dims >= D2A)
		at += (uint)z * FIELD(img, slice_pitch);
	return (texel_ptr)at;
}

INLINE bool texel_inside(image_ptr img, enum dims dims, int x, int y, int z)
{
	return (uint)x < FIELD(img, width) && (dims < D2 || (uint)y < FIELD(img, height)) && (dims != D3 || (uint)z < FIELD(img, depth));
}

/* Outside the image CLK_ADDRESS_NONE is undefined; here it is CLAMP, as PoCL has it: programs (ffmpeg's overlay) read there. */
INLINE bool reads_border(uint s) { return (s & SMP_ADDRESS) == SMP_CLAMP || (s & SMP_ADDRESS) == SMP_NONE; }

/* OpenCL 3.0 API, border colour of CLAMP: alpha is 1 where the order has none (8.2.1). */
INLINE bool border_alpha(image_ptr img)
{
	uint o = FIELD(img, channel_order);
	return o == ORDER_R || o == ORDER_RG || o == ORDER_RGB || o == ORDER_LUMINANCE || o == ORDER_SRGB;
}

/* One texel of memory as a colour. */
float4 __galena_texel_f(image_ptr img, texel_ptr p);
uint4 __galena_texel_u(image_ptr img, texel_ptr p);
int4 __galena_texel_i(image_ptr img, texel_ptr p);
/* The filters, out of line here. The layer of an array is an integer already. */
float4 __galena_late_linear_1d(image_ptr img, uint sampler, float x, int layer);
float4 __galena_late_linear_2d(image_ptr img, uint sampler, float x, float y, int layer);
float4 __galena_late_linear_3d(image_ptr img, uint sampler, float x, float y, float z);
/* A colour into one texel of memory. */
void __galena_store_f(image_ptr img, texel_ptr p, float4 c);
void __galena_store_i(image_ptr img, texel_ptr p, int4 c);
void __galena_store_u(image_ptr img, texel_ptr p, uint4 c);

/* The channels of RGBA_INT8 as the type's conversion makes them. */
#define DECODE_8888(vec, v, convert) (vec)(convert((v) & 255), convert((v) >> 8 & 255), convert((v) >> 16 & 255), convert((v) >> 24))

INLINE float4 texel_f(image_ptr img, texel_ptr p)
{
	switch (FORMAT_OF(img, UNORM_INT8)) {
	case FORMAT_CASE(R, UNORM_INT8, UNORM_INT8):
		return (float4)(unorm8(*p), 0.0f, 0.0f, 1.0f);
	case FORMAT_CASE(RG, UNORM_INT8, UNORM_INT8): {
		uint v = *(global ushort *)p;
		return (float4)(unorm8(v & 255), unorm8(v >> 8), 0.0f, 1.0f);
	}
	case FORMAT_CASE(RGBA, UNORM_INT8, UNORM_INT8): {
		uint v = *(global uint *)p;
		return DECODE_8888(float4, v, unorm8);
	}
	case FORMAT_CASE(BGRA, UNORM_INT8, UNORM_INT8): {
		uint v = *(global uint *)p;
		return DECODE_8888(float4, v, unorm8).zyxw;
	}
	case FORMAT_CASE(RGBA, FLOAT, UNORM_INT8): {
		global const float *t = (global const float *)p;
		return (float4)(t[0], t[1], t[2], t[3]);
	}
	default:
		return __galena_texel_f(img, p);
	}
}
INLINE uint4 texel_u(image_ptr img, texel_ptr p)
{
	switch (FORMAT_OF(img, UNSIGNED_INT8)) {
	case FORMAT_CASE(R, UNSIGNED_INT8, UNSIGNED_INT8):
		return (uint4)(*p, 0, 0, 1);
	case FORMAT_CASE(RGBA, UNSIGNED_INT8, UNSIGNED_INT8): {
		uint v = *(global uint *)p;
		return DECODE_8888(uint4, v, );
	}
	default:
		return __galena_texel_u(img, p);
	}
}
INLINE int4 texel_i(image_ptr img, texel_ptr p) { return __galena_texel_i(img, p); }

INLINE float4 border_f(image_ptr img) { return (float4)(0.0f, 0.0f, 0.0f, border_alpha(img) ? 1.0f : 0.0f); }
INLINE uint4 border_u(image_ptr img) { return (uint4)(0, 0, 0, border_alpha(img)); }
INLINE int4 border_i(image_ptr img) { return (int4)(0, 0, 0, border_alpha(img)); }

#endif
