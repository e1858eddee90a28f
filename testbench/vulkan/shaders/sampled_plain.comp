// Samples by coordinates in texels, and of integers.
#version 450
layout(local_size_x = 16) in;
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) uniform usampler1DArray counts;
layout(std430, binding = 2) readonly buffer In { vec4 at[]; };
layout(std430, binding = 3) writeonly buffer Out { vec4 result[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	result[i * 2] = textureLod(image, at[i].xy, 0.0);
	result[i * 2 + 1] = vec4(textureLod(counts, at[i].zw, 0.0));
}
