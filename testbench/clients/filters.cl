/* kernels for ffmpeg's program_opencl and openclsrc: sampling off the grid, and a picture from nothing */
kernel void turn(write_only image2d_t dst, unsigned int index, read_only image2d_t src)
{
	const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
	int2 at = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(src);
	int step = (int)index % 4;
	int2 from = step == 0 ? at : step == 1 ? (int2)(size.x - 1 - at.x, at.y) :
		    step == 2 ? size - 1 - at : (int2)(at.x, size.y - 1 - at.y);

	if (all(at < get_image_dim(dst)))
		write_imagef(dst, at, read_imagef(src, sampler, from));
}

kernel void blend(write_only image2d_t dst, unsigned int index, read_only image2d_t a, read_only image2d_t b)
{
	const sampler_t grid = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
	const sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
	int2 at = (int2)(get_global_id(0), get_global_id(1)), size = get_image_dim(dst);

	if (all(at < size)) {
		float2 where = (convert_float2(at) + 0.5f) / convert_float2(size);
		float4 p = read_imagef(a, grid, at), q = read_imagef(b, smooth, where);

		write_imagef(dst, at, mix(p, q, 0.25f + 0.125f * (float)index));
	}
}

kernel void plasma(write_only image2d_t dst, unsigned int index)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	float2 p = convert_float2(at) / 8.0f;
	float4 c = (float4)(sin(p.x), cos(p.y + (float)index), sin(length(p)), 1.0f);

	if (all(at < get_image_dim(dst)))
		write_imagef(dst, at, 0.5f + 0.5f * c);
}
