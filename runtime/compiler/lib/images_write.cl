/* write_image{f,i,ui} of every image kind (OpenCL C 3.0, 6.15.15.5; conversions 8.3). A write
 * outside the image is undefined; here it does nothing. */
#include "images.h"

/* Stores the channels that the order has, in its order; convert may be empty. */
#define STORE_CHANNELS(type, convert)                                                              \
	do {                                                                                       \
		global type *t = (global type *)p;                                                 \
		uint n = FIELD(img, channels);                                                            \
		t[0] = convert(c.x);                                                               \
		if (n > 1)                                                                         \
			t[1] = convert(c.y);                                                       \
		if (n > 2)                                                                         \
			t[2] = convert(c.z);                                                       \
		if (n > 3)                                                                         \
			t[3] = convert(c.w);                                                       \
	} while (0)

/* Colour to channels as they lie in memory. */
#define DISORDER(order, c)                                                                         \
	switch (order) {                                                                           \
	case ORDER_BGRA:                                                                           \
	case ORDER_SBGRA:                                                                          \
		c = c.zyxw;                                                                        \
		break;                                                                             \
	case ORDER_ARGB:                                                                           \
		c = c.wxyz;                                                                        \
		break;                                                                             \
	case ORDER_ABGR:                                                                           \
		c = c.wzyx;                                                                        \
		break;                                                                             \
	case ORDER_A:                                                                              \
		c.x = c.w;                                                                         \
		break;                                                                             \
	case ORDER_RA:                                                                             \
		c.y = c.w;                                                                         \
		break;                                                                             \
	}

INLINE uchar to_unorm8(float f) { return to_unorm(f, 255.0f); }
INLINE ushort to_unorm16(float f) { return to_unorm(f, 65535.0f); }
INLINE char to_snorm8(float f) { return to_snorm(f, 127.0f); }
INLINE short to_snorm16(float f) { return to_snorm(f, 32767.0f); }
INLINE int min_max(int i, int lo, int hi) { i = i < lo ? lo : i; return i > hi ? hi : i; }
INLINE char to_i8(int i) { return min_max(i, -128, 127); }
INLINE short to_i16(int i) { return min_max(i, -32768, 32767); }
INLINE uchar to_u8(uint u) { return u > 255 ? 255 : u; }
INLINE ushort to_u16(uint u) { return u > 65535 ? 65535 : u; }

/* Linear light to sRGB: 12.92 c below 0.0031308, else 1.055 c^(1/2.4) - 0.055; c^(5/12) by Newton's
 * method on the twelfth root of c^5, as cube root of a fourth root. */
INLINE float linear_to_srgb(float c)
{
	c = __builtin_fminf(__builtin_fmaxf(c, 0.0f), 1.0f);
	if (c < 0.0031308f)
		return 12.92f * c;
	float q = __builtin_sqrtf(__builtin_sqrtf(c)); /* c^(1/4) in [0.23, 1] */
	float r = 0.4f + q * 0.6f;
	for (int i = 0; i < 4; i++)
		r -= (r * r * r - q) / (3.0f * r * r);   /* c^(1/12) */
	float r2 = r * r;
	return 1.055f * (r2 * r2 * r) - 0.055f;
}

OUTLINE void __galena_store_f(image_ptr img, texel_ptr p, float4 c)
{
	uint order = FIELD(img, channel_order), type = FIELD(img, channel_type);
	if (order >= ORDER_SRGB && order <= ORDER_SBGRA)
		c.xyz = (float3)(linear_to_srgb(c.x), linear_to_srgb(c.y), linear_to_srgb(c.z));
	DISORDER(order, c)
	switch (type) {
	case TYPE_UNORM_INT8:
		STORE_CHANNELS(uchar, to_unorm8);
		break;
	case TYPE_UNORM_INT16:
		STORE_CHANNELS(ushort, to_unorm16);
		break;
	case TYPE_FLOAT:
		STORE_CHANNELS(float, );
		break;
	case TYPE_HALF_FLOAT:
		STORE_CHANNELS(half, );
		break;
	case TYPE_SNORM_INT8:
		STORE_CHANNELS(char, to_snorm8);
		break;
	case TYPE_SNORM_INT16:
		STORE_CHANNELS(short, to_snorm16);
		break;
	case TYPE_UNORM_SHORT_565:
		*(global ushort *)p = to_unorm(c.x, 31.0f) << 11 | to_unorm(c.y, 63.0f) << 5 | to_unorm(c.z, 31.0f);
		break;
	case TYPE_UNORM_SHORT_555:
		*(global ushort *)p = to_unorm(c.x, 31.0f) << 10 | to_unorm(c.y, 31.0f) << 5 | to_unorm(c.z, 31.0f);
		break;
	case TYPE_UNORM_INT_101010:
		*(global uint *)p = to_unorm(c.x, 1023.0f) << 20 | to_unorm(c.y, 1023.0f) << 10 | to_unorm(c.z, 1023.0f);
		break;
	case TYPE_UNORM_INT_101010_2:
		*(global uint *)p = to_unorm(c.x, 1023.0f) << 22 | to_unorm(c.y, 1023.0f) << 12 |
				    to_unorm(c.z, 1023.0f) << 2 | to_unorm(c.w, 3.0f);
		break;
	case TYPE_UNORM_INT24:
		*(global uint *)p = to_unorm(c.x, 16777215.0f);
		break;
	}
}

OUTLINE void __galena_store_i(image_ptr img, texel_ptr p, int4 c)
{
	uint type = FIELD(img, channel_type);
	DISORDER(FIELD(img, channel_order), c)
	if (type == TYPE_SIGNED_INT8)
		STORE_CHANNELS(char, to_i8);
	else if (type == TYPE_SIGNED_INT32)
		STORE_CHANNELS(int, );
	else if (type == TYPE_SIGNED_INT16)
		STORE_CHANNELS(short, to_i16);
}

OUTLINE void __galena_store_u(image_ptr img, texel_ptr p, uint4 c)
{
	uint type = FIELD(img, channel_type);
	DISORDER(FIELD(img, channel_order), c)
	if (type == TYPE_UNSIGNED_INT8)
		STORE_CHANNELS(uchar, to_u8);
	else if (type == TYPE_UNSIGNED_INT32)
		STORE_CHANNELS(uint, );
	else if (type == TYPE_UNSIGNED_INT16)
		STORE_CHANNELS(ushort, to_u16);
}

#define ENCODE_8888(x, y, z, w) ((uint)(x) | (uint)(y) << 8 | (uint)(z) << 16 | (uint)(w) << 24)

INLINE void put_f(image_ptr img, texel_ptr p, float4 c)
{
	switch (FORMAT_OF(img, UNORM_INT8)) {
	case FORMAT_CASE(R, UNORM_INT8, UNORM_INT8):
		*p = to_unorm8(c.x);
		break;
	case FORMAT_CASE(RG, UNORM_INT8, UNORM_INT8):
		*(global ushort *)p = to_unorm8(c.x) | to_unorm8(c.y) << 8;
		break;
	case FORMAT_CASE(RGBA, UNORM_INT8, UNORM_INT8):
		*(global uint *)p = ENCODE_8888(to_unorm8(c.x), to_unorm8(c.y), to_unorm8(c.z), to_unorm8(c.w));
		break;
	case FORMAT_CASE(BGRA, UNORM_INT8, UNORM_INT8):
		*(global uint *)p = ENCODE_8888(to_unorm8(c.z), to_unorm8(c.y), to_unorm8(c.x), to_unorm8(c.w));
		break;
	case FORMAT_CASE(RGBA, FLOAT, UNORM_INT8): {
		global float *t = (global float *)p;
		t[0] = c.x;
		t[1] = c.y;
		t[2] = c.z;
		t[3] = c.w;
		break;
	}
	default:
		__galena_store_f(img, p, c);
	}
}

INLINE void put_u(image_ptr img, texel_ptr p, uint4 c)
{
	switch (FORMAT_OF(img, UNSIGNED_INT8)) {
	case FORMAT_CASE(R, UNSIGNED_INT8, UNSIGNED_INT8):
		*p = to_u8(c.x);
		break;
	case FORMAT_CASE(RGBA, UNSIGNED_INT8, UNSIGNED_INT8):
		*(global uint *)p = ENCODE_8888(to_u8(c.x), to_u8(c.y), to_u8(c.z), to_u8(c.w));
		break;
	default:
		__galena_store_u(img, p, c);
	}
}
#define put_i __galena_store_i
/* cl_khr_fp16: every half is a float. */
#define put_h(img, p, c) put_f(img, p, __builtin_convertvector(c, float4))

INLINE bool writable(image_ptr img, enum dims dims, int x, int y, int z)
{
	return texel_inside(img, dims, x, y, z) && ((dims != D1A && dims != D2A) || (uint)z < FIELD(img, array_size));
}

#define DEFINE(how, id, name, vec, ci, sfx, dims, X, Y, Z, value)                                  \
	void __galena_##id(image_ptr img, ci c, vec v) __asm(name);                                \
	how void __galena_##id(image_ptr img, ci c, vec v)                                         \
	{                                                                                          \
		if (writable(img, dims, X, Y, Z))                                                  \
			put_##sfx(img, texel_at(img, dims, X, Y, Z), value);                       \
	}
#define KIND(how, k, length, fn, vec, ci, sfx, dims, X, Y, Z, value, mangled)                      \
	DEFINE(how, fn##_##k##_wo, "_Z" fn##_NAME length "ocl_" #k "_wo" mangled, vec, ci, sfx, dims, X, Y, Z, value) \
	DEFINE(how, fn##_##k##_rw, "_Z" fn##_NAME length "ocl_" #k "_rw" mangled, vec, ci, sfx, dims, X, Y, Z, value)

#define write_imagef_NAME "12write_imagef"
#define write_imagei_NAME "12write_imagei"
#define write_imageui_NAME "13write_imageui"
#define write_imageh_NAME "12write_imageh"

/* m: the colour's mangling; m4 the same after an int4 coordinate, which int4 refers back to. */
#define ALL_KINDS(fn, vec, sfx, m, m4)                                                             \
	KIND(HOT, image2d, "14", fn, vec, int2, sfx, D2, c.x, c.y, 0, v, "Dv2_i" m)                \
	KIND(COLD, image2d_array, "20", fn, vec, int4, sfx, D2A, c.x, c.y, c.z, v, "Dv4_i" m4)     \
	KIND(COLD, image3d, "14", fn, vec, int4, sfx, D3, c.x, c.y, c.z, v, "Dv4_i" m4)            \
	KIND(COLD, image1d, "14", fn, vec, int, sfx, D1, c, 0, 0, v, "i" m)                        \
	KIND(COLD, image1d_buffer, "21", fn, vec, int, sfx, D1, c, 0, 0, v, "i" m)                 \
	KIND(COLD, image1d_array, "20", fn, vec, int2, sfx, D1A, c.x, 0, c.y, v, "Dv2_i" m)

ALL_KINDS(write_imagef, float4, f, "Dv4_f", "Dv4_f")
ALL_KINDS(write_imagei, int4, i, "Dv4_i", "S0_")
ALL_KINDS(write_imageui, uint4, u, "Dv4_j", "Dv4_j")
ALL_KINDS(write_imageh, half4, h, "Dv4_Dh", "Dv4_Dh")
KIND(COLD, image2d_depth, "20", write_imagef, float, int2, f, D2, c.x, c.y, 0, (float4)v, "Dv2_if")
KIND(COLD, image2d_array_depth, "26", write_imagef, float, int4, f, D2A, c.x, c.y, c.z, (float4)v, "Dv4_if")
