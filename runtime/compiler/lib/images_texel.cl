/* Texels of every format to colours, and linear filtering, out of line: images_read.cl decodes the
 * commonest formats itself. Conversions: OpenCL C 3.0, 8.3; filters: 8.2. */
#include "images.h"

/* Channels c as they lie in memory, put where the channel order says. */
#define ORDER_CHANNELS(order, c, zero, one)                                                        \
	switch (order) {                                                                           \
	case ORDER_RGBA:                                                                           \
	case ORDER_SRGBA:                                                                          \
		return c;                                                                          \
	case ORDER_BGRA:                                                                           \
	case ORDER_SBGRA:                                                                          \
		return c.zyxw;                                                                     \
	case ORDER_ARGB:                                                                           \
		return c.yzwx;                                                                     \
	case ORDER_ABGR:                                                                           \
		return c.wzyx;                                                                     \
	case ORDER_RG:                                                                             \
	case ORDER_RGX:                                                                            \
		c.zw = (__typeof__(c.zw))(zero, one);                                              \
		return c;                                                                          \
	case ORDER_RGB:                                                                            \
	case ORDER_RGBX:                                                                           \
	case ORDER_SRGB:                                                                           \
	case ORDER_SRGBX:                                                                          \
		c.w = one;                                                                         \
		return c;                                                                          \
	case ORDER_A:                                                                              \
		return (__typeof__(c))(zero, zero, zero, c.x);                                     \
	case ORDER_RA:                                                                             \
		return (__typeof__(c))(c.x, zero, zero, c.y);                                      \
	case ORDER_INTENSITY:                                                                      \
		return c.xxxx;                                                                     \
	case ORDER_LUMINANCE:                                                                      \
		return (__typeof__(c))(c.x, c.x, c.x, one);                                        \
	default: /* R, Rx, DEPTH */                                                                \
		return (__typeof__(c))(c.x, zero, zero, one);                                      \
	}

/* The channels of a texel that holds them side by side, each of the given type; convert may be empty. */
#define LOAD_CHANNELS(c, type, convert)                                                            \
	do {                                                                                       \
		global const type *t = (global const type *)p;                                     \
		uint n = FIELD(img, channels);                                                            \
		c.x = convert(t[0]);                                                               \
		if (n > 1)                                                                         \
			c.y = convert(t[1]);                                                       \
		if (n > 2)                                                                         \
			c.z = convert(t[2]);                                                       \
		if (n > 3)                                                                         \
			c.w = convert(t[3]);                                                       \
	} while (0)

INLINE float snorm8(char v) { return __builtin_fmaxf(-1.0f, __builtin_fmaf(v, 0x1.020408p-7f, (float)v * 0x1.020408p-35f)); }
INLINE float snorm16(short v) { return __builtin_fmaxf(-1.0f, __builtin_fmaf(v, 0x1.0002p-15f, (float)v * 0x1.0002p-45f)); }

/* sRGB to linear light (8.3.1.4): c / 12.92 up to 0.04045, else ((c + 0.055) / 1.055)^2.4, which is
 * x^2 (x^(1/5))^2, the fifth root by Newton's method. */
INLINE float srgb_to_linear(uchar code)
{
	float c = unorm8(code);
	if (c <= 0.04045f)
		return c / 12.92f;
	float x = (c + 0.055f) / 1.055f;
	float r = 0.55f + x * (0.85f - 0.4f * x);
	for (int i = 0; i < 4; i++) {
		float r2 = r * r;
		r = r * 0.8f + x / (5.0f * r2 * r2);
	}
	return x * x * (r * r);
}

OUTLINE float4 __galena_texel_f(image_ptr img, texel_ptr p)
{
	float4 c = 0.0f;
	uint order = FIELD(img, channel_order);
	switch (FIELD(img, channel_type)) {
	case TYPE_UNORM_INT8:
		if (order >= ORDER_SRGB && order <= ORDER_SBGRA) {
			c.xyz = (float3)(srgb_to_linear(p[0]), srgb_to_linear(p[1]), srgb_to_linear(p[2]));
			if (FIELD(img, channels) > 3)
				c.w = unorm8(p[3]);
			break;
		}
		LOAD_CHANNELS(c, uchar, unorm8);
		break;
	case TYPE_UNORM_INT16:
		LOAD_CHANNELS(c, ushort, unorm16);
		break;
	case TYPE_FLOAT:
		LOAD_CHANNELS(c, float, );
		break;
	case TYPE_HALF_FLOAT:
		LOAD_CHANNELS(c, half, );
		break;
	case TYPE_SNORM_INT8:
		LOAD_CHANNELS(c, char, snorm8);
		break;
	case TYPE_SNORM_INT16:
		LOAD_CHANNELS(c, short, snorm16);
		break;
	case TYPE_UNORM_SHORT_565: {
		uint v = *(global const ushort *)p;
		return (float4)((v >> 11) / 31.0f, (v >> 5 & 63) / 63.0f, (v & 31) / 31.0f, 1.0f);
	}
	case TYPE_UNORM_SHORT_555: {
		uint v = *(global const ushort *)p;
		return (float4)((v >> 10 & 31) / 31.0f, (v >> 5 & 31) / 31.0f, (v & 31) / 31.0f, 1.0f);
	}
	case TYPE_UNORM_INT_101010: {
		uint v = *(global const uint *)p;
		return (float4)((v >> 20 & 1023) / 1023.0f, (v >> 10 & 1023) / 1023.0f, (v & 1023) / 1023.0f, 1.0f);
	}
	case TYPE_UNORM_INT_101010_2: {
		uint v = *(global const uint *)p;
		return (float4)((v >> 22) / 1023.0f, (v >> 12 & 1023) / 1023.0f, (v >> 2 & 1023) / 1023.0f, (v & 3) / 3.0f);
	}
	case TYPE_UNORM_INT24:
		c.x = (*(global const uint *)p & 0xffffff) / 16777215.0f;
		break;
	}
	ORDER_CHANNELS(order, c, 0.0f, 1.0f)
}

OUTLINE uint4 __galena_texel_u(image_ptr img, texel_ptr p)
{
	uint4 c = 0;
	uint type = FIELD(img, channel_type);
	if (type == TYPE_UNSIGNED_INT8)
		LOAD_CHANNELS(c, uchar, );
	else if (type == TYPE_UNSIGNED_INT32)
		LOAD_CHANNELS(c, uint, );
	else if (type == TYPE_UNSIGNED_INT16)
		LOAD_CHANNELS(c, ushort, );
	ORDER_CHANNELS(FIELD(img, channel_order), c, 0u, 1u)
}

OUTLINE int4 __galena_texel_i(image_ptr img, texel_ptr p)
{
	int4 c = 0;
	uint type = FIELD(img, channel_type);
	if (type == TYPE_SIGNED_INT8)
		LOAD_CHANNELS(c, char, );
	else if (type == TYPE_SIGNED_INT32)
		LOAD_CHANNELS(c, int, );
	else if (type == TYPE_SIGNED_INT16)
		LOAD_CHANNELS(c, short, );
	ORDER_CHANNELS(FIELD(img, channel_order), c, 0, 1)
}

/* The two texels of one dimension that a linear filter reads, and the weight of the second (8.2.2). */
struct taps { int i0, i1; float a; };

INLINE struct taps linear_taps(uint sampler, float s, uint size)
{
	struct taps t;
	uint mode = sampler & SMP_ADDRESS;
	int last = (int)size - 1;
	float u = s;
	if (mode == SMP_REPEAT)
		u = s - __builtin_floorf(s);
	else if (mode == SMP_MIRRORED_REPEAT)
		u = __builtin_fabsf(s - 2.0f * __builtin_rintf(0.5f * s));
	if (sampler & SMP_NORMALIZED)
		u *= (float)size;
	u -= 0.5f;
	float f = __builtin_floorf(u);
	t.i0 = (int)f;
	t.i1 = t.i0 + 1;
	t.a = u - f;
	if (mode == SMP_REPEAT) {
		t.i0 = t.i0 < 0 ? t.i0 + (int)size : t.i0;
		t.i1 = t.i1 > last ? t.i1 - (int)size : t.i1;
	}
	/* What is left outside is clamped; under CLAMP it stays one texel outside: the border. */
	int lo = reads_border(sampler) ? -1 : 0, hi = reads_border(sampler) ? last + 1 : last;
	t.i0 = t.i0 < lo ? lo : t.i0 > hi ? hi : t.i0;
	t.i1 = t.i1 < lo ? lo : t.i1 > hi ? hi : t.i1;
	return t;
}

INLINE float4 tap(image_ptr img, uint sampler, enum dims dims, int x, int y, int z)
{
	if (reads_border(sampler) && !texel_inside(img, dims, x, y, z))
		return border_f(img);
	return texel_f(img, texel_at(img, dims, x, y, z));
}

OUTLINE float4 __galena_late_linear_1d(image_ptr img, uint sampler, float x, int layer)
{
	struct taps i = linear_taps(sampler, x, FIELD(img, width));
	float4 t0 = tap(img, sampler, D1A, i.i0, 0, layer), t1 = tap(img, sampler, D1A, i.i1, 0, layer);
	return (1.0f - i.a) * t0 + i.a * t1;
}

OUTLINE float4 __galena_late_linear_2d(image_ptr img, uint sampler, float x, float y, int layer)
{
	struct taps i = linear_taps(sampler, x, FIELD(img, width)), j = linear_taps(sampler, y, FIELD(img, height));
	float4 c = (1.0f - i.a) * (1.0f - j.a) * tap(img, sampler, D2A, i.i0, j.i0, layer);
	c += i.a * (1.0f - j.a) * tap(img, sampler, D2A, i.i1, j.i0, layer);
	c += (1.0f - i.a) * j.a * tap(img, sampler, D2A, i.i0, j.i1, layer);
	c += i.a * j.a * tap(img, sampler, D2A, i.i1, j.i1, layer);
	return c;
}

OUTLINE float4 __galena_late_linear_3d(image_ptr img, uint sampler, float x, float y, float z)
{
	struct taps i = linear_taps(sampler, x, FIELD(img, width)), j = linear_taps(sampler, y, FIELD(img, height));
	struct taps k = linear_taps(sampler, z, FIELD(img, depth));
	float4 c = 0.0f;
	for (int n = 0; n < 8; n++) {
		float w = (n & 1 ? i.a : 1.0f - i.a) * (n & 2 ? j.a : 1.0f - j.a) * (n & 4 ? k.a : 1.0f - k.a);
		c += w * tap(img, sampler, D3, n & 1 ? i.i1 : i.i0, n & 2 ? j.i1 : j.i0, n & 4 ? k.i1 : k.i0);
	}
	return c;
}
