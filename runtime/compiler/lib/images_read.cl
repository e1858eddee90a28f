/* read_image{f,i,ui} of every image kind (OpenCL C 3.0, 6.15.15.2 to 6.15.15.4).
 *
 * Reads without a sampler outside the image, and integer coordinates outside it with a repeating one, are
 * undefined; here they read the nearest texel, so that no kernel faults for it. */
#include "images.h"

#define READER(suffix, vec, texel, border)                                                         \
	INLINE vec read_int_##suffix(image_ptr img, uint s, enum dims dims, int x, int y, int z)   \
	{                                                                                          \
		if (reads_border(s)) {                                                            \
			if (!texel_inside(img, dims, x, y, z))                                     \
				return border(img);                                                \
		} else {                                                                           \
			x = clamp_int(x, (int)FIELD(img, width) - 1);                                     \
			if (dims >= D2)                                                            \
				y = clamp_int(y, (int)FIELD(img, height) - 1);                            \
			if (dims == D3)                                                            \
				z = clamp_int(z, (int)FIELD(img, depth) - 1);                             \
		}                                                                                  \
		if (dims == D1A || dims == D2A)                                                    \
			z = clamp_int(z, (int)FIELD(img, array_size) - 1);                                \
		return texel(img, texel_at(img, dims, x, y, z));                                   \
	}                                                                                          \
	INLINE vec read_nearest_##suffix(image_ptr img, uint s, enum dims dims, float x, float y, float z) \
	{                                                                                          \
		int i = nearest(s, x, FIELD(img, width)), j = 0, k = 0;                                   \
		if (dims >= D2)                                                                    \
			j = nearest(s, y, FIELD(img, height));                                            \
		if (dims == D3)                                                                    \
			k = nearest(s, z, FIELD(img, depth));                                             \
		else if (dims == D1A || dims == D2A)                                               \
			k = (int)__builtin_rintf(z);                                               \
		return read_int_##suffix(img, s, dims, i, j, k);                                   \
	}

/* 8.2.1: the texel that a coordinate falls into; CLAMP and CLAMP_TO_EDGE are applied later. */
INLINE int nearest(uint s, float x, uint size)
{
	uint mode = s & SMP_ADDRESS;
	if (!(s & SMP_NORMALIZED))
		return floor_int(x);
	if (mode == SMP_REPEAT) {
		int i = floor_int((x - __builtin_floorf(x)) * (float)size);
		return i > (int)size - 1 ? i - (int)size : i;
	}
	if (mode == SMP_MIRRORED_REPEAT)
		x = __builtin_fabsf(x - 2.0f * __builtin_rintf(0.5f * x));
	return floor_int(x * (float)size);
}

READER(f, float4, texel_f, border_f)
READER(i, int4, texel_i, border_i)
READER(u, uint4, texel_u, border_u)

INLINE float4 read_float_f(image_ptr img, uint s, enum dims dims, float x, float y, float z)
{
	if (!(s & SMP_LINEAR))
		return read_nearest_f(img, s, dims, x, y, z);
	if (dims == D3)
		return __galena_late_linear_3d(img, s, x, y, z);
	int layer = layer_near(img, dims, z);
	if (dims >= D2)
		return __galena_late_linear_2d(img, s, x, y, layer);
	return __galena_late_linear_1d(img, s, x, layer);
}
/* Integer formats have no linear filter. */
#define read_float_i read_nearest_i
#define read_float_u read_nearest_u
/* cl_khr_fp16: as read_imagef, rounded. */
#define read_int_h(...) __builtin_convertvector(read_int_f(__VA_ARGS__), half4)
#define read_float_h(...) __builtin_convertvector(read_float_f(__VA_ARGS__), half4)

/* One builtin: DEFINE(linkage, result, asm name, parameter list, expression) */
#define DEFINE(how, id, result, name, params, ...)                                                 \
	result __galena_##id params __asm(name);                                                   \
	how result __galena_##id params { return __VA_ARGS__; }

/* All readers of one image kind: with sampler and integer or float coordinates, and without. */
#define KIND(how, k, length, dims, fn, vec, sfx, pick, ci, cf, mi, mf, X, Y, Z)                    \
	DEFINE(how, fn##_##k##_si, vec, "_Z" fn##_NAME length "ocl_" #k "_ro" "11ocl_sampler" mi,  \
	       (image_ptr img, sampler_bits s, ci c), read_int_##sfx(img, s, dims, X, Y, Z) pick)  \
	DEFINE(how, fn##_##k##_sf, vec, "_Z" fn##_NAME length "ocl_" #k "_ro" "11ocl_sampler" mf,  \
	       (image_ptr img, sampler_bits s, cf c), read_float_##sfx(img, s, dims, X, Y, Z) pick) \
	BARE(how, k, length, dims, fn, vec, sfx, pick, ci, mi, X, Y, Z)
#define BARE(how, k, length, dims, fn, vec, sfx, pick, ci, mi, X, Y, Z)                            \
	DEFINE(how, fn##_##k##_ro, vec, "_Z" fn##_NAME length "ocl_" #k "_ro" mi, (image_ptr img, ci c), \
	       read_int_##sfx(img, SMP_CLAMP_TO_EDGE, dims, X, Y, Z) pick)                         \
	DEFINE(how, fn##_##k##_rw, vec, "_Z" fn##_NAME length "ocl_" #k "_rw" mi, (image_ptr img, ci c), \
	       read_int_##sfx(img, SMP_CLAMP_TO_EDGE, dims, X, Y, Z) pick)

#define read_imagef_NAME "11read_imagef"
#define read_imagei_NAME "11read_imagei"
#define read_imageui_NAME "12read_imageui"
#define read_imageh_NAME "11read_imageh"

#define ALL_KINDS(fn, vec, sfx)                                                                    \
	KIND(HOT, image2d, "14", D2, fn, vec, sfx, , int2, float2, "Dv2_i", "Dv2_f", c.x, c.y, 0)  \
	KIND(COLD, image2d_array, "20", D2A, fn, vec, sfx, , int4, float4, "Dv4_i", "Dv4_f", c.x, c.y, c.z) \
	KIND(COLD, image3d, "14", D3, fn, vec, sfx, , int4, float4, "Dv4_i", "Dv4_f", c.x, c.y, c.z) \
	KIND(COLD, image1d, "14", D1, fn, vec, sfx, , int, float, "i", "f", c, 0, 0)               \
	KIND(COLD, image1d_array, "20", D1A, fn, vec, sfx, , int2, float2, "Dv2_i", "Dv2_f", c.x, 0, c.y) \
	BARE(COLD, image1d_buffer, "21", D1, fn, vec, sfx, , int, "i", c, 0, 0)

ALL_KINDS(read_imagef, float4, f)
ALL_KINDS(read_imagei, int4, i)
ALL_KINDS(read_imageui, uint4, u)
ALL_KINDS(read_imageh, half4, h)
KIND(COLD, image2d_depth, "20", D2, read_imagef, float, f, .x, int2, float2, "Dv2_i", "Dv2_f", c.x, c.y, 0)
KIND(COLD, image2d_array_depth, "26", D2A, read_imagef, float, f, .x, int4, float4, "Dv4_i", "Dv4_f", c.x, c.y, c.z)
