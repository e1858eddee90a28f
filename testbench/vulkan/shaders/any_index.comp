// Descriptors by indices that differ between invocations, in arrays without a length, of which some elements have none.
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer Numbers { uint n[]; } numbers[];
layout(binding = 1) uniform sampler2D images[];
layout(std430, binding = 2) readonly buffer In { uvec2 which[]; };
layout(std430, binding = 3) writeonly buffer Out { vec2 result[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	const uvec2 w = which[i];
	result[i] = vec2(float(numbers[nonuniformEXT(w.x)].n[i]), texelFetch(images[nonuniformEXT(w.y)], ivec2(i & 3, 0), 0).x);
}
