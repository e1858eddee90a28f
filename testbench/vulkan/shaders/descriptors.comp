// Several sets, arrays of descriptors, and dynamic offsets.
#version 450
layout(local_size_x = 4) in;
layout(std430, set = 0, binding = 0) readonly buffer A { uint v[]; } a[3];
layout(std140, set = 0, binding = 3) uniform B { uvec4 v; } b[2];
layout(std140, set = 1, binding = 0) uniform C { uvec4 v; } c;
layout(std430, set = 1, binding = 2) buffer D { uint v[4]; } d;
layout(std430, set = 2, binding = 5) writeonly buffer Out { uint result[]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	result[i * 8] = a[0].v[i];
	result[i * 8 + 1] = a[1].v[i];
	result[i * 8 + 2] = a[2].v[i];
	result[i * 8 + 3] = b[0].v[i];
	result[i * 8 + 4] = b[1].v[i];
	result[i * 8 + 5] = c.v[i];
	result[i * 8 + 6] = d.v[i];
	result[i * 8 + 7] = uint(a[1].v.length());
	d.v[i] += c.v[i];
}
