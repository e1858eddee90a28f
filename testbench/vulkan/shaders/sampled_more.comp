// What a sampler does beside plain samples: offsets, gathers, gradients, projections; levels and a view that swizzles.
#version 450
layout(local_size_x = 16) in;
layout(binding = 0) uniform sampler2D image;
layout(std430, binding = 1) readonly buffer In { vec4 at[]; }; // x, y, level, size of a step
layout(std430, binding = 2) writeonly buffer Out { vec4 result[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	const vec2 p = at[i].xy;
	result[i * 6] = textureLodOffset(image, p, at[i].z, ivec2(1, -2));
	result[i * 6 + 1] = textureGather(image, p, 1);
	result[i * 6 + 2] = textureGrad(image, p, vec2(at[i].w, 0.0), vec2(0.0, at[i].w * 0.5));
	result[i * 6 + 3] = textureProjLod(image, vec3(p * 2.0, 2.0), at[i].z);
	result[i * 6 + 4] = textureGatherOffset(image, p, ivec2(i & 3, -1), 3);
	result[i * 6 + 5] = vec4(textureQueryLevels(image), textureSize(image, 1), texelFetchOffset(image, ivec2(2, 2), 0, ivec2(1, -1)).x);
}
