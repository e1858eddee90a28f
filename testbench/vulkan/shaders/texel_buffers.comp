// Texel buffers: read with and beyond their texels, written, counted in.
#version 450
layout(local_size_x = 16) in;
layout(binding = 0) uniform samplerBuffer colours;
layout(binding = 1, rgba8) uniform writeonly imageBuffer copies;
layout(binding = 2, r32i) uniform iimageBuffer counts;
layout(std430, binding = 3) buffer Out { ivec4 sizes; vec4 seen[]; };
void main()
{
	const int i = int(gl_GlobalInvocationID.x), n = textureSize(colours);
	if (i == 0)
		sizes = ivec4(n, imageSize(copies), imageSize(counts), 0);
	seen[i] = texelFetch(colours, i);
	imageStore(copies, i, texelFetch(colours, n - 1 - i));
	imageAtomicMin(counts, i & 3, -i);
	imageAtomicAdd(counts, 4 + (i & 3), i);
	if (i == 5)
		imageAtomicExchange(counts, 8, 77);
	imageAtomicCompSwap(counts, 9, i + 100, i + 101);
	imageAtomicAdd(counts, imageSize(counts) + i, 1);
}
