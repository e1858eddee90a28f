// Samples of images at coordinates and levels that are given.
#version 450
layout(local_size_x = 16) in;
layout(binding = 0) uniform sampler2D flat_image;
layout(binding = 1) uniform sampler2DArray layers;
layout(binding = 2) uniform sampler3D volume;
layout(std430, binding = 3) readonly buffer In { vec4 at[]; }; // x, y, z or layer, level
layout(std430, binding = 4) writeonly buffer Out { vec4 result[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	const ivec2 size = textureSize(flat_image, int(at[i].w));
	const ivec2 texel = ivec2(fract(at[i].xy) * vec2(size));
	result[i * 5] = textureLod(flat_image, at[i].xy, at[i].w);
	result[i * 5 + 1] = textureLod(layers, vec3(at[i].xy, at[i].z * 3.0), 0.0);
	result[i * 5 + 2] = textureLod(volume, at[i].xyz, 0.0);
	result[i * 5 + 3] = texelFetch(flat_image, texel, int(at[i].w));
	result[i * 5 + 4] = vec4(size, textureSize(layers, 0).z, textureSize(volume, 0).z);
}
