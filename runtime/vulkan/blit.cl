/* Scaled copies between images (blit.c). A work-item is a texel of the destination, and its middle lies in the source at
 * from + (texel + 1/2) * extent / count, which integers hold exactly. An extent may be negative; z is a slice, or a layer. */
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

/* The texel below, and the part of the way to the next one. */
int place(int i, int from, int extent, int count, float *part)
{
	const long n = (2l * i + 1) * extent, d = 2l * count;
	long q = n / d, r = n % d;
	if (r < 0) {
		q--;
		r += d;
	}
	*part = (float)r / (float)d;
	return from + (int)q;
}

#define BLIT(name, source, read, write)                                                                                           \
	kernel void name(read_only source src, write_only image3d_t dst, int4 from, int4 extent, int4 to, int4 count)           \
	{                                                                                                                       \
		const int x = (int)get_global_id(0), y = (int)get_global_id(1), z = (int)get_global_id(2);                        \
		if (x >= count.x)                                                                                               \
			return;                                                                                                 \
		float4 part = 0.0f;                                                                                             \
		float px, py, pz;                                                                                               \
		const int4 at = (int4)(place(x, from.x, extent.x, count.x, &px), place(y, from.y, extent.y, count.y, &py),        \
				       place(z, from.z, extent.z, count.z, &pz), 0);                                              \
		part = (float4)(px, py, pz, 0.0f);                                                                               \
		write(dst, to + (int4)(x, y, z, 0), read);                                                                      \
	}
BLIT(blit_float, image3d_t, read_imagef(src, nearest, at), write_imagef)
BLIT(blit_int, image3d_t, read_imagei(src, nearest, at), write_imagei)
BLIT(blit_uint, image3d_t, read_imageui(src, nearest, at), write_imageui)
BLIT(blit_linear, image3d_t, read_imagef(src, linear, convert_float4(at) + part), write_imagef)
BLIT(blit_linear_layers, image2d_array_t, read_imagef(src, linear, (float4)(convert_float2(at.xy) + part.xy, (float)at.z, 0.0f)), write_imagef)
