/* Image builtins over arrays of coordinates, for images_calc.c: read_KIND_TYPE_HOW(image, sampler,
 * integer coordinates, float coordinates, results, count), write_KIND_TYPE(image, coordinates,
 * colours, count). */
#define READ(id, image, type, fn, call)                                                            \
	__attribute__((used)) void read_##id(image img, sampler_t s, global const int4 *ci, global const float4 *cf, global type *out, ulong n) \
	{                                                                                          \
		for (ulong i = 0; i < n; i++)                                                      \
			out[i] = call;                                                             \
	}
#define WRITE(id, image, type, fn, at)                                                             \
	__attribute__((used)) void write_##id(image img, global const int4 *ci, global const type *colour, ulong n)      \
	{                                                                                          \
		for (ulong i = 0; i < n; i++)                                                      \
			fn(img, ci[i].at, colour[i]);                                              \
	}
#define READS(k, image, at, t, type, fn)                                                           \
	READ(k##_##t##_si, read_only image, type, fn, fn(img, s, ci[i].at))                        \
	READ(k##_##t##_sf, read_only image, type, fn, fn(img, s, cf[i].at))                        \
	READ(k##_##t##_bare, read_only image, type, fn, fn(img, ci[i].at))                         \
	READ(k##_##t##_rw, read_write image, type, fn, fn(img, ci[i].at))                          \
	WRITE(k##_##t, write_only image, type, write_##t, at)
#define write_f write_imagef
#define write_i write_imagei
#define write_u write_imageui
#define KIND(k, image, at)                                                                         \
	READS(k, image, at, f, float4, read_imagef)                                                \
	READS(k, image, at, i, int4, read_imagei)                                                  \
	READS(k, image, at, u, uint4, read_imageui)
KIND(1d, image1d_t, x)
KIND(1da, image1d_array_t, xy)
KIND(2d, image2d_t, xy)
KIND(2da, image2d_array_t, xyzw)
KIND(3d, image3d_t, xyzw)

/* What get_image_* say, in a row. */
__attribute__((used)) void query_2da(read_only image2d_array_t img, global int *out)
{
	int2 d = get_image_dim(img);
	out[0] = get_image_width(img), out[1] = get_image_height(img), out[2] = (int)get_image_array_size(img);
	out[3] = get_image_channel_data_type(img), out[4] = get_image_channel_order(img), out[5] = d.x, out[6] = d.y;
}
__attribute__((used)) void query_3d(read_only image3d_t img, global int *out)
{
	int4 d = get_image_dim(img);
	out[0] = get_image_width(img), out[1] = get_image_height(img), out[2] = get_image_depth(img);
	out[3] = get_image_channel_data_type(img), out[4] = get_image_channel_order(img), out[5] = d.x, out[6] = d.y;
	out[7] = d.z, out[8] = d.w;
}
