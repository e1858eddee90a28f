/* mean of 5 x 5 texels of an image, through a sampler */
constant sampler_t at = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void blur(read_only image2d_t in, write_only image2d_t out)
{
	int2 p = (int2)(get_global_id(0), get_global_id(1));
	uint4 sum = (uint4)(12);

	for (int y = -2; y <= 2; y++)
		for (int x = -2; x <= 2; x++)
			sum += read_imageui(in, at, p + (int2)(x, y));
	write_imageui(out, p, sum / 25u);
}
