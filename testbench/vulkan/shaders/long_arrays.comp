// Arrays of a declared length, the second as long as a storage buffer may be.
#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { vec2 from[33554432]; };
layout(std430, binding = 1) writeonly buffer Out { float to[268435456]; };
void main()
{
	const uint i = gl_GlobalInvocationID.x;
	to[i] = from[i].x * from[i].y;
}
